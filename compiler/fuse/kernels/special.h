/* special.h: ops whose results always have memory and whose kernels are made by rules of their own, not point
 * by point: they store some elements again and again, move all of them at once, or need another order than
 * that of their result's index.
 *
 * Such a node is run by one or several kernels, each followed by library calls if it needs them; fuse.c makes
 * each kernel with special_kernel where it would walk the index space of an ordinary node. Operands are fused
 * into these kernels (point_value) unless a rule of fuse.c gives them memory. Results are written with
 * point_store_to, and read again with point_load_from, at plan[r].results[i]; a result that nobody wants has
 * place PLACE_NONE.
 */
#ifndef WEFT_KERNELS_SPECIAL_H
#define WEFT_KERNELS_SPECIAL_H
#include "compiler/fuse/point/point.h"

enum { MAX_SPECIAL_TEMPS = 65, MAX_SPECIAL_KERNELS = 8, MAX_SPECIAL_CALLS = 2 };

typedef struct Special {
    uint32_t n_kernels;               /* at least 1; run one after the other */
    uint32_t n_temps;                 /* memory that its kernels share */
    Buffer temps[MAX_SPECIAL_TEMPS];  /* dtype and count */
    uint32_t temp[MAX_SPECIAL_TEMPS]; /* their numbers: set by fuse.c before special_kernel is called */
    /* results need buffers of their own, for library calls: base 0; also those that nobody wants */
    bool whole_results;
} Special;

/* Is node r of such an op (not one of its RESULTs)? */
bool is_special(const Graph *, Ref r);
/* What it needs; the result is all zero but for that. */
Special special_of(const Graph *, Ref r);
/* The updates that r, a SCATTER or DYNAMIC_UPDATE_SLICE, does at once, r first: it and the slices updated
 * before it that have no memory of their own. Returns how many. */
uint32_t special_updates(const Graph *, Ref r, Ref update[MAX_SPECIAL_KERNELS]);
/* The statements of kernel number `which`, into b->nest. May run several times for one kernel, with other
 * schedules, and says the same each time. */
void special_kernel(Build *, Ref r, const Special *, uint32_t which);
/* The library calls behind kernel number `which`: writes STEP_CALLs to calls, returns how many. Buffers have
 * no base: only whole ones may be passed. */
uint32_t special_calls(const Build *, Ref r, const Special *, uint32_t which, ProgramStep *calls);

/* SORT (kernel_sort.c). */
Special sort_special(const Graph *, Ref);
void sort_kernel(Build *, Ref, const Special *);
uint32_t sort_calls(const Build *, Ref, const Special *, ProgramStep *calls);
#endif
