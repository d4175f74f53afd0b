/* closure.h: C function pointers made at run time, by libffi, on pages that are never writable and
 * executable at once.
 *
 * libffi's own allocator gives pages that are both. Here a page is mapped read-write, filled with closures
 * for one C function type, whose user data are slots in ordinary memory, and then made read-execute for
 * good; a slot is given its function later.
 *
 * Like handles (reserve.h), closures are never wild: pages stay mapped while the library is loaded. When a
 * pool is closed its slots are emptied, and its pages serve the next pools that need their C type, from
 * the first closure that was not used yet; so an address comes back late, and calls the handler with an
 * empty slot until then.
 */
#ifndef WEFT_EXEC_CLOSURE_H
#define WEFT_EXEC_CLOSURE_H
#include <ffi.h>
#include <pthread.h>
#include "compiler/graph/graph.h"
#include "weft/array.h"

/* *slot is what closure_make was given; NULL: the pool is closed. */
typedef void ClosureHandler(ffi_cif *, void *result, void **args, void *slot);
typedef struct ClosurePage ClosurePage;
typedef struct ClosurePool {
    ClosurePage *pages;
} ClosurePool;

/* abi: names the C type; functions of one abi share pages. cif: for that type, of libffi's own types.
 * NULL: out of memory or of mappings, or the system lets no memory become executable. */
weft_fn closure_make(ClosurePool *, const char *abi, const ffi_cif *cif, ClosureHandler *, void *user,
                     Failure *);
void closure_close(ClosurePool *);
pthread_mutex_t *closure_lock(void); /* of what pools share */
/* Makes pages that were written executable. False: the system refuses, and failure says so. */
bool closure_executable(void *pages, size_t bytes, Failure *);
#endif
