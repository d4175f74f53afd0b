/* closure.h: C function pointers made at run time, by libffi, on pages that are never writable and executable at once.
 *
 * libffi's own allocator gives pages that are both. Here a page is mapped read-write, filled with closures for one C function type, whose user data are slots in
 * ordinary memory, and then made read-execute for good; a slot is given its function later. Closures live as long as their pool: an address that is freed would
 * come back at once as another function.
 */
#ifndef WEFT_RUNTIME_CLOSURE_H
#define WEFT_RUNTIME_CLOSURE_H
#include <ffi.h>
#include "memory.h"
#include "weft/array.h"

typedef void ClosureHandler(ffi_cif *, void *result, void **args, void *slot);     /* *(void **)slot is what closure_make was given */
typedef struct ClosurePage ClosurePage;
typedef struct ClosurePool { Memory *memory; ClosurePage *pages; } ClosurePool;

/* abi: names the C type; functions of one abi share pages. cif: for that type; must outlive the pool. NULL: out of memory or of mappings. */
weft_fn closure_make(ClosurePool *, const char *abi, ffi_cif *cif, ClosureHandler *, void *user);
void    closure_close(ClosurePool *);
#endif
