/* reverse_parts.h: what the files of reverse mode share.
 *
 * Of a graph some parameters are linear (tangents), the others known. A value that depends on a linear one is
 * linear, the others are known. A graph is SPLIT if each of its nodes is one or the other as a whole: if any
 * operand is linear, all results are. What jvp makes is not (a scan carries values and tangents together);
 * split_graph makes it so. Only split graphs are cut into halves and transposed. */
#ifndef WEFT_DERIVE_REVERSE_PARTS_H
#define WEFT_DERIVE_REVERSE_PARTS_H
#include "compiler/graph/flow.h"
#include "compiler/graph/infer.h"
#include "compiler/graph/rebuild.h"
#include "linearize.h"
#include "transpose.h"
#include "vjp.h"
#include <string.h>

Ref zeros(Graph *, Type);
bool is_zeros(const Node *); /* a constant, one zero for all */

/* ---- which values are linear, in regions too (linearize_flow.c) */

extern const FlowRule linear_flow;
/* Of a split graph: by node. */
bool *linear_nodes(Arena *, const Graph *split, const bool *linear_params);
/* By node: is it zero, as what a linear map makes of a tangent of zeros is? A tangent that is not there may
 * be given to a rule of the user's as zeros, and times something they are no constant. Of a region's
 * parameters (inside), and of what loops and branches give, nobody knows: true. */
bool *null_nodes(Arena *, const Graph *, bool inside);

/* ---- splitting (linearize_split.c) */

typedef struct Split {
    Rebuild w;
    const Flow *flow; /* of w.from */
    size_t most;      /* bytes that the residuals of one loop may take; 0: any */
} Split;
static inline const Node *split_node(const Split *s, Ref r) { return &s->w.from->nodes[r]; }
static inline bool split_arg_linear(const Split *s, const Node *n, uint32_t i)
{
    return flow_arg(s->flow, n, i);
}
static inline Ref split_arg(const Split *s, const Node *n, uint32_t i) { return rebuild_arg(&s->w, n, i); }
static inline const bool *split_results(const Split *s, const Node *n) { return flow_results(s->flow, n); }
static inline Flow *split_region(const Split *s, const Node *n, uint32_t k)
{
    return flow_region(s->flow, n, k);
}

/* What reverse mode starts from: jvp_graph of g after simplify (loops that count are scans then), split.
 * linear: its parameters that are tangents. NULL: f set. */
/* linearize.c */
Graph *split_jvp(Arena *, const Graph *g, const bool *active, const bool *want, size_t most, bool **linear,
                 Failure *f);
/* A split graph of the same parameters and outputs. NULL: f set. */
Graph *split_graph(Arena *, const Graph *g, const bool *linear_params, size_t most, Failure *f);
/* The region that `flow` marks, split into a graph of the same arena as s->dst. NULL: s->dst's failure is
 * set. */
Graph *split_of_region(const Split *s, const Flow *flow);
/* The region's nodes, split, over these operands. */
bool split_inline(const Split *s, const Flow *flow, const Ref *args, Ref *out);
bool split_scan(const Split *s, const Node *n, Ref *out); /* linearize_scan.c */
bool split_case(const Split *s, const Node *n, Ref *out); /* linearize_case.c */
/* linearize_chunks.c: a SCAN with a checkpoint every k steps */
bool scan_in_chunks(const Split *s, const Node *n, Ref *out);

/* ---- cutting a split graph in two (linearize_cut.c) */

typedef enum {
    CUT_UNUSED,
    CUT_FREE,  /* nobody needs it; FREE: it would cost nothing */
    CUT_GIVEN, /* the linear half has it for nothing */
    CUT_KEEP,  /* a residual */
    CUT_AGAIN  /* computed again in the linear half */
} CutHow;
typedef struct Cut {
    const Graph *graph; /* split */
    const bool *linear; /* by node */
    uint8_t *how;       /* by known node: CutHow */
    Ref *kept;
    uint32_t n_kept; /* the residuals, in the graph's order */
} Cut;
/* given: known nodes that the linear half has for nothing, or NULL. */
Cut cut_graph(Arena *, const Graph *split, const bool *linear, const bool *given);
/* Copies the known nodes that lead to these into dst. map: those of parameters are set; the others are filled
 * in. */
void copy_known(Graph *dst, const Graph *src, Ref *map, const Ref *wanted, uint32_t n);
/* Copies the linear nodes that these outputs need, and known ones that are computed again; out: what the
 * outputs are in dst. map: set for parameters, kept and free nodes. An output that is not linear must be
 * zero; else false, dst's failure. */
bool copy_linear(Graph *dst, const Cut *cut, bool inside, Ref *map, const Ref *outputs, uint32_t n, Ref *out);

/* ---- transposing (transpose*.c) */

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
/* Adds to the cotangent of operand i, if that is linear. */
void give_ct(const Transpose *t, const Node *n, uint32_t i, Ref ct);
/* Their sum. */
Ref add_cts(Graph *, Ref a, Ref b);
/* Operand i has no tangent, but stands where one is added up: that is linear if it is zero. Else an error. */
bool must_be_zero(const Transpose *t, const Node *n, uint32_t i);
/* An error, false: `what` is not linear. */
bool not_linear(const Transpose *t, const char *what);
/* The node again with other operands and shape. */
Ref same_op(const Transpose *t, const Node *n, const Ref *args, uint32_t n_args);

/* A split graph, which parameters are linear, is it a region; most: as of linearize_graph, for what is
 * computed again. */
typedef struct Region {
    const Graph *graph;
    const bool *linear;
    bool inside;
    size_t most;
} Region;

/* Transposes it into dst: known: its known parameters there (any for linear ones), cts: cotangents of its
 * outputs (REF_NONE: zero). outputs (or NULL): what known outputs are in dst; out: a cotangent for each
 * parameter: REF_NONE for known ones and where it is zero. */
bool transpose_inline(Graph *dst, Region, const Ref *known, const Ref *cts, Ref *outputs, Ref *out);

/* The rules: give cotangents to operands. False or the graph's failure: refused. */
bool transpose_shape(const Transpose *t, const Node *n, Ref ct);
bool transpose_reduce(const Transpose *t, const Node *n, Ref ct);
bool transpose_dot(const Transpose *t, const Node *n, Ref ct);
bool transpose_index(const Transpose *t, const Node *n, Ref ct);
bool transpose_along(const Transpose *t, const Node *n, Ref ct);
bool transpose_control(const Transpose *t, const Node *n);

bool transpose_scan(const Transpose *t, const Node *n);

/* Adds to params: which linear parameters do these outputs depend on? */
void reach_back(Arena *, const Graph *split, const bool *linear_params, const bool *outputs, bool *params);
/* A region that is being built is handed to dst's failure if it has one. */
bool region_failed(const Transpose *t, const Graph *region);
/* Is the region a + b? */
bool adds_up(const Graph *region);
#endif
