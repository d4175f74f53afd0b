/* sort.h: stable sorts of whole arrays by keys: LIBRARY_SORT of compiler/fuse/program.h, and eager mode's SORT.
 *
 * The numbers and the buffers are described in compiler/passes/comparator.h. Allocates nothing, keeps nothing, may run in several threads at once.
 */
#ifndef WEFT_LIBRARY_SORT_H
#define WEFT_LIBRARY_SORT_H
#include "compiler/passes/comparator.h"

void library_sort(void *const *buffers, const int64_t *numbers);
#endif
