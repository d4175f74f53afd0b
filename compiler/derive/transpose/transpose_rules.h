/* transpose_rules.h: what the rules of transposition are written in. Only split graphs are transposed
 * (linearize_split.h). */
#ifndef WEFT_TRANSPOSE_TRANSPOSE_RULES_H
#define WEFT_TRANSPOSE_TRANSPOSE_RULES_H
#include "compiler/graph/infer/infer.h"
#include "compiler/derive/linearize/linearize_split.h"
#include "transpose.h"
#include <string.h>

typedef struct Transpose {
    const Graph *src; /* split */
    Graph *dst;
    const bool *linear, *null; /* by node of src */
    Ref *known;                /* of known nodes: what they are in dst */
    Ref *ct;                   /* of linear nodes: the cotangent, in dst; REF_NONE: zero */
    Ref **cts;                 /* of linear nodes of several results: of each */
    size_t most;
} Transpose;
static inline const Node *transpose_node(const Transpose *t, Ref r) { return &t->src->nodes[r]; }
static inline Type arg_type(const Transpose *t, const Node *n, uint32_t i)
{
    return graph_type(t->src, n->args[i]);
}
static inline bool is_linear(const Transpose *t, const Node *n, uint32_t i) { return t->linear[n->args[i]]; }
static inline Ref known_arg(const Transpose *t, const Node *n, uint32_t i) { return t->known[n->args[i]]; }
/* The cotangent of result i; REF_NONE: zero. */
static inline Ref ct_of(const Transpose *t, const Node *n, uint32_t i)
{
    Ref r = (Ref)(n - t->src->nodes);
    return n->n_results > 1 ? t->cts[r][i] : t->ct[r];
}
bool is_zeros(const Node *); /* a constant, one zero for all */
/* Adds to the cotangent of operand i, if that is linear. True, as of a rule that could be applied. */
bool give_ct(const Transpose *t, const Node *n, uint32_t i, Ref ct);
/* A list of n REF_NONEs. */
Ref *no_refs(Arena *, size_t n);
/* The sum of two. */
Ref add_cts(Graph *, Ref a, Ref b);
/* Operand i is added to tangents. If it is none itself, it must be zero: else the sum is not linear, an
 * error. */
bool must_be_zero(const Transpose *t, const Node *n, uint32_t i);
/* An error, false: `what` is not linear. */
bool not_linear(const Transpose *t, const char *what);
/* The node again with other operands and shape. */
Ref same_op(const Transpose *t, const Node *n, const Ref *args, uint32_t n_args);

/* A split graph, which parameters are linear, is it a region; most: as of linearize_graph, for what is
 * computed again. */
typedef struct LinearRegion {
    const Graph *graph;
    const bool *linear;
    bool inside;
    size_t most;
} LinearRegion;

/* Transposes it into dst: known: its known parameters there (any for linear ones), cts: cotangents of its
 * outputs (REF_NONE: zero). outputs (or NULL): what known outputs are in dst; out: a cotangent for each
 * parameter: REF_NONE for known ones and where it is zero. */
bool transpose_inline(Graph *dst, LinearRegion, const Ref *known, const Ref *cts, Ref *outputs, Ref *out);

/* The whole split graph, a graph of its own: known parameters, then cotangents of the outputs behind the
 * first n_known, which are known (of_one: there is one, and its cotangent is 1) -> the known outputs, then
 * cotangents of the linear parameters. NULL: f set. */
Graph *transpose_whole(Arena *, LinearRegion, uint32_t n_known, bool of_one, Failure *f);

/* The rule of an op: gives cotangents to its operands, from that of its only result (ops of several ask
 * ct_of). False, or the graph's failure: refused. */
typedef bool TransposeRule(const Transpose *, const Node *, Ref ct);

/* transpose_shape.c */
TransposeRule transpose_broadcast, transpose_reshape, transpose_transpose, transpose_slice, transpose_pad,
    transpose_concatenate, transpose_reduce;
TransposeRule transpose_dot;              /* transpose_dot.c */
TransposeRule transpose_convolution;      /* transpose_conv.c */
TransposeRule transpose_triangular_solve; /* transpose_matrix.c */
/* transpose_index.c */
TransposeRule transpose_gather, transpose_scatter, transpose_dynamic_slice, transpose_update_slice;
/* transpose_along.c */
TransposeRule transpose_reduce_window, transpose_select_and_scatter, transpose_cumulative, transpose_fft;
/* transpose_control.c */
TransposeRule transpose_case, transpose_checkpoint, transpose_backward, transpose_barrier;
TransposeRule transpose_scan; /* transpose_scan.c */

/* A loop some of whose outputs are to be added up over its steps. */
typedef struct ScanStep {
    const Graph *graph; /* parameters: invariants, carries, xs; outputs: carries, what is added up, ys */
    Ref *arg;           /* by parameter: its operand outside */
    uint32_t n_invariant, n_carry, n_sums;
    ScanShape shape; /* length, reverse, unroll */
} ScanStep;
/* transpose_sums.c: the loop in dst. out: carries, sums over all steps, stacked ys. */
bool loop_and_sum(Graph *dst, const ScanStep *, Ref *out);

/* Adds to params: which linear parameters do these outputs depend on? */
void reach_back(Arena *, const Graph *split, const bool *linear_params, const bool *outputs, bool *params);
#endif
