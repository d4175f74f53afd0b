/* transpose_sums.h: a loop some of whose outputs are to be added up over its steps. */
#ifndef WEFT_TRANSPOSE_TRANSPOSE_SUMS_H
#define WEFT_TRANSPOSE_TRANSPOSE_SUMS_H
#include "transpose_rules.h"

typedef struct ScanStep {
    const Graph *graph; /* parameters: invariants, carries, xs; outputs: carries, what is added up, ys */
    Ref *arg;           /* by parameter: its operand outside */
    uint32_t n_invariant, n_carry, n_sums;
    ScanShape shape; /* length, reverse, unroll */
} ScanStep;

/* The loop in dst. out: carries, sums over all steps, stacked ys. */
bool loop_and_sum(Graph *dst, const ScanStep *, Ref *out);
#endif
