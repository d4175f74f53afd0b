/* library_sort.h: stable sorts of whole arrays by keys: LIBRARY_SORT of compiler/program/program.h, and eager
 * mode's SORT.
 *
 * The numbers and the buffers are described in compiler/graph/comparator.h. Allocates nothing, keeps nothing,
 * may run in several threads at once. The workers may
 * be NULL: then the caller does all.
 */
#ifndef WEFT_LIBRARY_LIBRARY_SORT_H
#define WEFT_LIBRARY_LIBRARY_SORT_H
#include "compiler/graph/comparator.h"
#include "compiler/program/workers.h"

void library_sort(void *const *buffers, const int64_t *numbers, const Workers *);
#endif
