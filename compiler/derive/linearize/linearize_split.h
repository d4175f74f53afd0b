/* linearize_split.h: graphs whose nodes are known or linear, each as a whole.
 *
 * Some parameters of a graph are linear (tangents), the others known. A value that depends on a linear one is
 * linear, the others are known. A graph is SPLIT if each of its nodes is one or the other as a whole: if any
 * operand is linear, all results are. What jvp makes is not (a scan carries values and tangents together);
 * split_graph makes it so. Only split graphs are cut into halves and transposed. */
#ifndef WEFT_LINEARIZE_LINEARIZE_SPLIT_H
#define WEFT_LINEARIZE_LINEARIZE_SPLIT_H
#include "compiler/graph/flow.h"
#include "compiler/graph/rebuild.h"
#include <string.h>

/* ---- which values are linear, in regions too (linearize_flow.c) */

extern const FlowRule linear_flow;
/* Of a split graph: by node. */
bool *linear_nodes(Arena *, const Graph *split, const bool *linear_params);
/* By node: is it linear, and do these outputs (NULL: all) need it? What only known nodes need does not
 * count. */
bool *linear_reached(Arena *, const Graph *split, const bool *linear, const bool *outputs);
/* Of a loop's body, by node: is it the same in each step? A call of a foreign function stays where it is. */
bool *steady_nodes(Arena *, const Graph *body, uint32_t n_invariant);
/* By node: is it zero, as a linear map of a tangent of zeros is? A rule of the user's is given zeros for a
 * tangent that is not there, and a product with them is no constant. Of a region's parameters (inside), and
 * of what loops and branches give, nobody knows: true. */
bool *null_nodes(Arena *, const Graph *, bool inside);

static inline double node_bytes(const Graph *g, Ref r)
{
    Type t = graph_type(g, r);
    return (double)type_count(t) * (double)dtype_bytes((DType)t.dtype);
}

/* ---- splitting (linearize_split.c) */

typedef struct Split {
    Rebuild w;
    const Flow *flow; /* of w.from */
    size_t most;      /* bytes that the residuals of one loop may take; 0: any */
} Split;

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
/* What a node that mixes known and linear values becomes: its results into out. */
typedef bool SplitRule(const Split *s, const Node *n, Ref *out);
SplitRule split_scan;     /* linearize_scan.c */
SplitRule split_case;     /* linearize_case.c */
SplitRule scan_in_chunks; /* linearize_chunks.c: a SCAN with a checkpoint every k steps */

/* ---- cutting a split graph in two (linearize_cut.c) */

typedef enum {
    CUT_UNUSED, /* nobody needs it */
    CUT_FREE,   /* nobody needs it, and the linear half would have it for nothing */
    CUT_GIVEN,  /* needed, and the linear half has it for nothing */
    CUT_KEEP,   /* a residual */
    CUT_AGAIN   /* computed again in the linear half */
} CutHow;
typedef struct GraphCut {
    const Graph *graph; /* split */
    const bool *linear; /* by node */
    uint8_t *how;       /* by known node: CutHow */
    Ref *kept;
    uint32_t n_kept; /* the residuals, in the graph's order */
} GraphCut;
/* given: known nodes that the linear half has for nothing, or NULL. */
GraphCut cut_graph(Arena *, const Graph *split, const bool *linear, const bool *given);
/* Copies the known nodes that lead to these into dst. map: those of parameters are set; the others are filled
 * in. */
void copy_known(Graph *dst, const Graph *src, Ref *map, const Ref *wanted, uint32_t n);
/* Copies the linear nodes that these outputs need, and known ones that are computed again; out: what the
 * outputs are in dst. map: set for parameters, kept and free nodes. An output that is not linear must be
 * zero; else false, dst's failure. */
bool copy_linear(Graph *dst, const GraphCut *cut, bool inside, Ref *map, const Ref *outputs, uint32_t n,
                 Ref *out);
#endif
