/* functions.h: which kernels of a program share a function, what each function is given, and in which share
 * of the program it is: shares are compiled by themselves, side by side (object.c).
 *
 * Kernels that are the same but for their buffers, places in them and counters (twins.h) are one function,
 * and small ones that run one after the other share one: LLVM takes 0.4 ms for a function with a loop,
 * however small, 0.15 for another loop (a step of training, 9 kernels: 18.5 -> 14.8 ms).
 */
#ifndef WEFT_LLVM_FUNCTIONS_H
#define WEFT_LLVM_FUNCTIONS_H
#include "twins.h"

typedef struct PlannedKernel {
    Uses uses, given; /* its own, and those of all kernels of the function */
    uint32_t first;   /* the kernel whose function serves it: itself, or its first twin */
    uint32_t end;     /* of the first kernel of a function: behind the last one */
    uint32_t share;   /* the same: where the function is */
    double runs;      /* of the function, in a run of the program; a loop that ends by a test runs for long */
    /* joined: its code stands in the function of the kernel before, whose call runs it */
    bool has_twin, joined;
} PlannedKernel;

typedef struct FunctionPlan {
    const Program *program;
    Arena *arena;
    Twins *twins;
    uint32_t
        *swap_next; /* per buffer: the next whose name may mean its memory, in a ring; itself: no other */
    PlannedKernel *kernel;
    Uses *loop_uses;   /* per step that opens a parallel loop: what its pieces name */
    uint32_t n_shares; /* at least 1; each has a function, but for share 0, which has the entry */
    int64_t ns;        /* what LLVM takes for all, about */
} FunctionPlan;

/* For so many threads. */
const FunctionPlan *plan_functions(Arena *, const Program *, int64_t threads);
/* Does any SWAP speak of the buffer? */
bool plan_swaps(const FunctionPlan *, uint32_t buffer);
#endif
