/* jvp_rules.h: what the files of forward rules share.
 *
 * A rule writes in dst the tangents of what node n of src gives, from the values and tangents of its
 * operands. REF_NONE is the tangent that is zero by structure: what is built of it is REF_NONE again, so that
 * a product with it needs no test; sums are made by jvp_add. A rule that fails leaves its reason in dst's
 * failure.
 *
 * What depends on tangents is linear in them op by op, for reverse mode transposes it: NEG ADD SUB, MUL, DOT
 * and CONVOLUTION by values, DIV by values, SELECT by values, CONVERT, what moves elements, sums, GATHER,
 * SCATTER that adds or replaces at places of its own, TRIANGULAR_SOLVE by a known matrix, and regions of
 * those.
 */
#ifndef WEFT_JVP_JVP_RULES_H
#define WEFT_JVP_JVP_RULES_H
#include "compiler/graph/flow.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/graph/rebuild.h"
#include "jvp.h"
#include <string.h>

typedef struct Jvp {
    Rebuild w; /* of the values */
    const Flow *flow;
    /* by node: does a wanted tangent depend on its own? Of several results: on any */
    const bool *need;
    bool **needs;   /* by node of several results: the same of each; NULL: on none */
    Ref *tangent;   /* of each node of one result, in the new graph */
    Ref **tangents; /* of nodes of several results: of each */
} Jvp;

/* y: the results' values. They are there already, except for ops with regions that run, SORT and BARRIER:
 * their rules write them. dy: REF_NONE at first. */
typedef void JvpRule(const Jvp *v, const Node *n, Ref *y, Ref *dy);

static inline const Node *source(const Jvp *v, Ref r) { return &v->w.from->nodes[r]; }
static inline Ref arg(const Jvp *v, const Node *n, uint32_t i) { return rebuild_arg(&v->w, n, i); }
static inline Ref jvp_tangent(const Jvp *v, Ref r)
{
    const Node *n = source(v, r);
    return n->op == OP_RESULT ? v->tangents[n->args[0]][n->attr[0]] : v->tangent[r];
}
static inline Ref darg(const Jvp *v, const Node *n, uint32_t i) { return jvp_tangent(v, n->args[i]); }
static inline Type arg_type(const Jvp *v, const Node *n, uint32_t i)
{
    return graph_type(v->w.from, n->args[i]);
}
static inline bool result_needed(const Jvp *v, const Node *n, uint32_t i)
{
    Ref r = (Ref)(n - v->w.from->nodes);
    return n->n_results > 1 ? v->needs[r] && v->needs[r][i] : v->need[r];
}
static inline Ref *jvp_refs(const Jvp *v, size_t n)
{
    return arena_alloc(v->w.to->arena, (n + 1) * sizeof(Ref));
}

/* Values in the new graph. What is made of a missing tangent is REF_NONE. */
Ref jvp_fill(Graph *, Ref like, double); /* of like's type, that number everywhere */
Ref jvp_add(Graph *, Ref a, Ref b);      /* a missing one is zero */
Ref jvp_darg_or_zeros(const Jvp *v, const Node *n, uint32_t i);
/* The node again over other operands. */
Ref jvp_same_op(const Jvp *v, const Node *n, const Ref *args);
/* The marked graph into dst, over these arguments and their tangents (zeros where one is marked and missing).
 * want: whose tangents; NULL: all outputs'. */
bool jvp_inline(Graph *dst, const Flow *flow, const Ref *args, const Ref *dargs, const bool *want, Ref *out,
                Ref *dout);
/* The tangents of node n by way of a graph that gives the same results from the same operands. */
void jvp_expanded(const Jvp *v, const Node *n, const Graph *same, Ref *dy);

/* A graph of n's operands, to become one that does as n does. */
Graph *jvp_open_same(const Jvp *v, const Node *n);

/* jvp_factor.c */
JvpRule jvp_factor;
/* jvp_reduce.c */
JvpRule jvp_reduce, jvp_reduce_window, jvp_select_and_scatter, jvp_cumulative;
/* jvp_fold.c: any region */
JvpRule jvp_reduce_region;
void jvp_fold_windows(const Jvp *v, const Node *n, Ref *dy);
/* jvp_updates.c: any region */
void jvp_fold_updates(const Jvp *v, const Node *n, Ref *dy);
/* jvp_index.c */
JvpRule jvp_gather, jvp_scatter, jvp_update_slice, jvp_sort;
/* jvp_matrix.c */
JvpRule jvp_cholesky, jvp_triangular_solve, jvp_lu, jvp_qr, jvp_eigh, jvp_eig, jvp_svd, jvp_reflections,
    jvp_schur;
#define jvp_geqrf               jvp_reflections
#define jvp_gehrd               jvp_reflections
#define jvp_householder_product jvp_reflections
/* jvp_control.c */
JvpRule jvp_regions, jvp_map, jvp_custom_jvp, jvp_custom_vjp, jvp_custom_vmap, jvp_backward, jvp_foreign,
    jvp_barrier;
#endif
