/* jvp_parts.h: what the files of forward rules share.
 *
 * A rule writes in dst the tangents of what node n of src gives, from the values and tangents of its
 * operands. REF_NONE is the tangent that is zero by structure: what is built of it is REF_NONE again, so that
 * a product with it needs no test; sums are made by jvp_add. A rule that fails leaves its reason in dst's
 * failure.
 *
 * What depends on tangents is linear in them op by op, for reverse mode transposes it: NEG ADD SUB, MUL and
 * DOT by values, DIV by values, SELECT by values, CONVERT, what moves elements, sums, GATHER, SCATTER that
 * adds or replaces at places of its own, and regions of those.
 */
#ifndef WEFT_DERIVE_JVP_PARTS_H
#define WEFT_DERIVE_JVP_PARTS_H
#include "compiler/graph/infer.h"
#include "jvp.h"
#include <string.h>

/* What has a tangent, for all we know without building it: of a graph's nodes, and of those of the regions in
 * it, each marked for what it is handed. */
typedef struct Activity Activity;
/* of a node of several results or with regions; regions: of loops and branches, else NULL */
typedef struct Inner {
    bool *results;
    Activity **regions;
} Inner;
struct Activity {
    Arena *arena;
    const Graph *graph;
    bool *active;  /* by node; of several results: is any? */
    Inner **inner; /* by node, NULL where it has one result and no regions that run */
    bool done;
};
Activity *activity_new(Arena *, const Graph *);
/* Adds to the parameters' marks (those of float types) and brings all others up to date. */
void activity_update(Activity *, const bool *params);

typedef struct Jvp {
    const Graph *src;
    Graph *dst;
    const Activity *marks;
    /* by src node: does a wanted tangent depend on its own? Of several results: on any */
    const bool *need;
    bool **needs; /* src node of several results to the same of each; NULL: on none */
    /* src node to value and tangent in dst; of nodes of several results: nothing */
    Ref *map, *tangent;
    Ref **results, **tangents; /* src node of several results to those of each */
} Jvp;

/* y: the results' values, there already but for ops with regions that run, SORT and BARRIER, whose rules
 * write them. dy: REF_NONEs. */
typedef void JvpRule(const Jvp *v, const Node *n, Ref *y, Ref *dy);
bool jvp_is_constant(Op); /* its rule is leaf or zero */

static inline const Node *source(const Jvp *v, Ref r) { return &v->src->nodes[r]; }
static inline Ref arg(const Jvp *v, const Node *n, uint32_t i) { return v->map[n->args[i]]; }
static inline Ref darg(const Jvp *v, const Node *n, uint32_t i) { return v->tangent[n->args[i]]; }
static inline bool arg_active(const Jvp *v, const Node *n, uint32_t i)
{
    return v->marks->active[n->args[i]];
}
static inline const Inner *inner_of(const Jvp *v, const Node *n)
{
    return v->marks->inner[n - v->src->nodes];
}
static inline Type arg_type(const Jvp *v, const Node *n, uint32_t i)
{
    return graph_type(v->src, n->args[i]);
}
static inline bool result_needed(const Jvp *v, const Node *n, uint32_t i)
{
    Ref r = (Ref)(n - v->src->nodes);
    return n->n_results > 1 ? v->needs[r] && v->needs[r][i] : v->need[r];
}
static inline Ref *jvp_refs(const Jvp *v, size_t n)
{
    return arena_alloc(v->dst->arena, (n + 1) * sizeof(Ref));
}

/* Small words of dst. A missing tangent among the operands: REF_NONE. */
Ref jvp_zeros(Graph *, Type);
Ref jvp_fill(Graph *, Ref like, double);          /* of like's type, that number everywhere */
Ref jvp_add(Graph *, Ref a, Ref b);               /* a missing one is zero */
Ref jvp_or_zeros(const Jvp *v, Ref t, Type type); /* t, or zeros */
Ref jvp_darg_or_zeros(const Jvp *v, const Node *n, uint32_t i);
Ref *jvp_args(const Jvp *v, const Node *n); /* the operands' values */
/* The node again over other operands. */
Ref jvp_same_op(const Jvp *v, const Node *n, const Ref *args);
/* A node of dst's results, one reference each. */
void jvp_take(const Jvp *v, Ref r, uint32_t n, Ref *out);
/* The failure of something built into dst. */
void jvp_fail(const Jvp *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The marked graph into dst, over these arguments and their tangents (zeros where one is marked and missing).
 * want: whose tangents; NULL: all outputs'. */
bool jvp_inline(Graph *dst, const Activity *m, const Ref *args, const Ref *dargs, const bool *want, Ref *out,
                Ref *dout);
/* What a region makes of two scalars: ADD MUL MAX MIN of both, RESULT: it gives the second, OP_COUNT:
 * something else, or it is of more than two. */
Op jvp_region_kind(const Graph *);
/* The tangents of node n by way of a graph that gives the same results from the same operands. */
void jvp_expanded(const Jvp *v, const Node *n, const Graph *same, Ref *dy);

/* A graph of n's operands, to become one that does as n does. */
Graph *jvp_open_same(const Jvp *v, const Node *n);
const Graph *jvp_replace_region(Arena *, DType); /* (old, new) -> new */

/* jvp_factor.c */
JvpRule jvp_factor;
/* jvp_reduce.c */
JvpRule jvp_reduce, jvp_reduce_window, jvp_select_and_scatter, jvp_cumulative;
/* jvp_fold.c: any region */
JvpRule jvp_reduce_region;
void jvp_fold_windows(const Jvp *v, const Node *n, Ref *dy);
void jvp_fold_updates(const Jvp *v, const Node *n, Ref *dy);
/* jvp_index.c */
JvpRule jvp_gather, jvp_scatter, jvp_dynamic_slice, jvp_update, jvp_sort;
/* jvp_control.c */
JvpRule jvp_map, jvp_while, jvp_case, jvp_scan, jvp_custom_jvp, jvp_custom_vjp, jvp_custom_vmap,
    jvp_checkpoint, jvp_backward, jvp_foreign, jvp_barrier;
#endif
