/* weft/run.h: the raw door, for hot and real-time paths: one compiled program on raw memory.
 *
 *     weft_plan *p = weft_compile(ctx, (weft_plan_options){ .realtime = true }, fast(x, y));
 *     const void *in[2];
 *     void *out[1];
 *     weft_bind(p, in, out, "x", xs);
 *     weft_bind(p, in, out, "y", ys);
 *     weft_bind(p, in, out, "return", result);
 *     void *scratch = aligned_alloc(64, weft_plan_scratch(p));        if that is not 0
 *     weft_run(p, in, out, scratch);                                  again and again
 *
 * The types come from a natural call, fast(x, y), which is not run.
 */
#ifndef WEFT_RUN_H
#define WEFT_RUN_H
#include "weft/array.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_plan weft_plan;         /* one compiled program, pinned in the cache while you own it */
typedef struct {
    /* refuse what weft_run could not keep: it neither allocates, nor locks, nor calls out: C functions
     * (weft_foreign) */
    bool realtime;
    int threads;            /* as in weft_options, at most as many as the context has; 0: these. With realtime
                             * the caller only: more is an error */
} weft_plan_options;

weft_plan_options *weft_plan_begin_(weft_context *);
weft_plan  *weft_plan_end_(weft_context *, const char *at);
/* call: a natural call of a function that weft_jit made, on arrays of the types wanted. It is compiled if
 * need be, not run, and its results are NULL. You own the plan, which ends with its context at the latest;
 * NULL: an error. Arrays used in the call only for their types may be freed; static numbers are as in the
 * call. */
#define weft_compile(ctx, ...) /* ctx, options, call: the options are assigned, then the call is made */ \
    (*weft_plan_begin_(WEFT_A_CONTEXT_(ctx)) = __VA_ARGS__, weft_plan_end_((ctx), WEFT_HERE))
/* bytes for each concurrent run, a multiple of 64, to be 64-aligned; 0: none */
size_t      weft_plan_scratch(const weft_plan *);
int         weft_plan_count(const weft_plan *, bool outputs);   /* how long in[] or out[] must be */
/* Puts memory where the array of that path goes: "x" and "m.l[0].w" in in[], "scale" (WEFT_OUT) and "return"
 * in out[]; of an in-out, "s.z", in both, or, if in or out is NULL, in the other. Memory is row-major, of the
 * plan's element type, aligned as its elements are; 64-byte alignment is fastest. in or out may be NULL if
 * path is not of its kind. */
weft_status weft_bind(const weft_plan *, const void *in[], void *out[], const char *path, void *memory);
/* Borrows all. Outputs must not overlap inputs or each other, but for the two of an in-out, which may be the
 * same; until an output is there its memory may hold temporaries. WEFT_ARGUMENT: a pointer is missing, or the
 * plan was freed; WEFT_MEMORY: the thread has less stack left than the code takes, and, with realtime, no
 * other may be started (nothing was run; weft_error says what). If the code takes more than 4 KiB, a thread
 * that calls weft for the first time here asks for its size, which allocates. Computes in the default
 * floating-point environment: a caller's FTZ and DAZ do not count. Re-entrant, each run with a scratch of its
 * own. */
weft_status weft_run(const weft_plan *, const void *const in[], void *const out[], void *scratch);
void        weft_plan_free(weft_plan *);    /* NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
