/* own_kernels.h: ops that are computed whole, by kernels with rules of their own: they store some elements
 * again and again, move all of them at once, or need another order than that of their result's index.
 *
 * Such a node is run by one or several kernels, each followed by a library call if it needs one; fuse.c
 * makes each kernel with own_kernel where it would walk the index space of an ordinary node. Operands are
 * fused into these kernels (point_value) unless a rule of fuse_memory.c gives them memory. Results are
 * written with point_store_to, and read again with point_load_from, at plan[r].round.results[i]; a result
 * that nobody wants has place PLACE_NONE.
 */
#ifndef WEFT_KERNELS_OWN_KERNELS_H
#define WEFT_KERNELS_OWN_KERNELS_H
#include "compiler/fuse/point/point.h"

enum { MAX_OWN_TEMPS = 65, MAX_OWN_KERNELS = 8 };

typedef struct OwnKernels {
    uint32_t n_kernels; /* at least 1; run one after the other */
    uint32_t n_temps;
    uint32_t temp[MAX_OWN_TEMPS]; /* buffers that they share: set by fuse.c before own_kernel is called */
} OwnKernels;

/* Has node r (not one of its RESULTs) kernels of its own? */
bool has_own_kernels(const Graph *, Ref r);
/* Its kernels; temps[0..n_temps) become what they share, by type and count. */
OwnKernels own_kernels_of(const Graph *, const Target *, Ref r, Buffer temps[MAX_OWN_TEMPS]);
/* Must all its results be whole buffers, those that nobody wants, too? */
bool own_kernels_need_buffers(const Graph *, Ref r);
/* The updates that r, a SCATTER or DYNAMIC_UPDATE_SLICE, does at once, r first: it and the slices updated
 * before it that have no memory of their own. Returns how many. */
uint32_t own_kernels_updates(const Graph *, Ref r, Ref update[MAX_OWN_KERNELS]);
/* The statements of kernel number `which`, into b->nest. May run several times for one kernel, with other
 * schedules, and says the same each time. */
void own_kernel(Build *, Ref r, const OwnKernels *, uint32_t which);
/* The library call behind the last kernel; false: there is none. Only whole buffers may be passed. */
bool own_kernel_call(const Build *, Ref r, const OwnKernels *, ProgramStep *call);

/* ---- the kernels of each op; that of a WHILE or SCAN stands in point_control.c ---- */

void cumulative_kernel(Build *, Ref); /* CUMULATIVE: kernel_prefix.c */
/* SCATTER, DYNAMIC_UPDATE_SLICE: kernel_scatter.c */
void updates_kernel(Build *, Ref, uint32_t which);
/* SORT: kernel_sort.c */
OwnKernels sort_kernels(const Graph *, const Target *, Ref, Buffer *temps);
void sort_kernel(Build *, Ref, const OwnKernels *);
bool sort_call(const Build *, Ref, const OwnKernels *, ProgramStep *call);
/* Are the runs of an update of t, and what stands between them, only a few elements? */
bool update_has_small_gaps(Type t, Type update);
#endif
