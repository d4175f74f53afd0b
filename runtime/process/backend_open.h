/* backend_open.h: the compiler back end, a shared object that is opened once, on the first compile. */
#ifndef WEFT_PROCESS_BACKEND_OPEN_H
#define WEFT_PROCESS_BACKEND_OPEN_H
#include <limits.h>
#include "compiler/backend.h"

/* NULL and f set (WEFT_COMPILER) if there is none: says which file was tried, why it failed and what to do.
 * Any thread, any number of times. */
const Backend *backend_get(Failure *f);
/* Another file of this name in the same folder, where it is to be trusted (trusted.h). */
bool backend_neighbour(const char *name, char real[PATH_MAX], Failure *f);
#endif
