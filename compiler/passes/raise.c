/* raise.c: the pass, and reductions that are other ops: see raise.h. */
#include "raise.h"
#include "compiler/graph/infer/infer.h"
#include "control_edit.h"
#include "raise_counts.h"
#include "raise_window.h"
#include <string.h>

/* ---- reductions */

/* ARGMAX or ARGMIN; OP_COUNT: neither. The reducer is compared, node by node, with those made here. */
static Op arg_extreme(Arena *arena, const Graph *r)
{
    if (r->n_params != 4 || r->n_outputs != 2 || r->n_nodes > 16) return OP_COUNT;
    Type value = graph_type(r, r->params[0]), index = graph_type(r, r->params[1]);
    if (value.rank || index.rank || !dtype_is_int((DType)index.dtype)) return OP_COUNT;
    for (int nan_test = dtype_is_float((DType)value.dtype); nan_test < 2; nan_test++) {
        if (graph_equal(r, build_arg_reducer(arena, value, index, CMP_GT, nan_test))) return OP_ARGMAX;
        if (graph_equal(r, build_arg_reducer(arena, value, index, CMP_LT, nan_test))) return OP_ARGMIN;
    }
    return OP_COUNT;
}

/* Is the value the index along this axis? An iota of JAX's may come as a broadcast of one; hence the walk. */
static bool counts_axis(const Graph *g, Ref r, int64_t axis)
{
    const Node *n = graph_node(g, r);
    while (n->op == OP_BROADCAST) {
        const Node *from = graph_node(g, n->args[0]);
        int64_t inner = 0;
        while (inner < from->rank && n->attr[inner] != axis) inner++;
        if (inner == from->rank || from->dim[inner] != n->dim[axis]) return false;
        axis = inner;
        n = from;
    }
    return n->op == OP_IOTA && n->attr[0] == axis;
}

/* Result 1 of a reduction by that reducer is the op itself if operand 1 counts the one reduced axis, which
 * has elements, and the start values are the least (greatest) value and 0. */
static void raise_positions(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    Op op = arg_extreme(g->arena, n->region);
    if (op == OP_COUNT || n->n_attr != 1) return;
    Type index = type_scalar(graph_type(g, args[1]).dtype);
    if (graph_type(g, args[0]).dim[n->attr[0]] > 0 && counts_axis(g, args[1], n->attr[0]) &&
        is_monoid_start(g, args[2], op == OP_ARGMAX ? OP_MAX : OP_MIN) && is_monoid_start(g, args[3], OP_ADD))
        out[1] = build_typed(g, op, args, 1, n->attr, 1, index);
}

/* A start value that is not the monoid's own is combined with the result, which the specification allows: it
 * may be taken in at any point. */
static Ref raise_fold(Graph *g, Op monoid, const Node *n, const Ref *args)
{
    int64_t attr[WEFT_MAX_RANK + 1] = { monoid };
    if (n->n_attr) memcpy(attr + 1, n->attr, n->n_attr * sizeof *attr);
    Ref folded = build_node(g, OP_REDUCE, args, 1, attr, n->n_attr + 1);
    if (is_monoid_start(g, args[1], monoid)) return folded;
    return build_binary(g, monoid, build_broadcast(g, args[1], n->dim, n->rank, NULL), folded);
}

static bool raise_reduction(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    Op monoid = n->n_args == 2 ? region_monoid(n->region) : OP_COUNT;
    if (monoid != OP_COUNT) {
        *out = raise_fold(to, monoid, n, args);
        return true;
    }
    if (!rewrite_keep(w, to, n, args, out)) return false;
    if (n->n_args == 4) raise_positions(to, n, args, out);
    return true;
}

/* ---- sums of counts */

static bool raise_prefix(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    if (!(n->op == OP_CUMULATIVE ? rewrite_keep : raise_window)(w, to, n, args, out)) return false;
    if (n->n_results <= 1) *out = raise_counts(to, *out);
    return true;
}

/* ---- masks */

/* The bools that x is, made numbers, and perhaps reshaped or transposed afterwards; REF_NONE: it is none. */
static Ref mask_of(Graph *g, Ref x)
{
    const Node *view = graph_node(g, x), *mask = view;
    if (view->op == OP_RESHAPE || view->op == OP_TRANSPOSE) mask = graph_node(g, view->args[0]);
    if (mask->op != OP_CONVERT || graph_type(g, mask->args[0]).dtype != WEFT_BOOL) return REF_NONE;
    if (mask == view) return mask->args[0];
    NodeSpec spec = node_spec(view);
    spec.args = mask->args;
    spec.dtype = WEFT_BOOL;
    return graph_add(g, &spec);
}

/* x times a mask of as many elements is x or 0, as XLA has it: what is masked may be infinite. Not for bf16,
 * whose products XLA takes in f32. */
static bool raise_mask(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    for (int i = 0; i < 2 && dtype_is_inexact((DType)n->dtype) && n->dtype != WEFT_BF16; i++) {
        Ref where = mask_of(to, args[i]);
        if (where == REF_NONE) continue;
        *out = build_select(to, where, args[1 - i], build_zeros(to, node_type(n)));
        return *out != REF_NONE;
    }
    return rewrite_keep(w, to, n, args, out);
}

/* ---- the pass */

/* MUL, DOT: a graph that has them is simplified ahead of the search for masks. */
#define RAISED \
    [OP_MUL] = rewrite_keep, [OP_DOT] = rewrite_keep, [OP_REDUCE_REGION] = raise_reduction, \
    [OP_REDUCE_WINDOW] = raise_prefix, [OP_CUMULATIVE] = raise_prefix

/* Simplifies the loops inside, too, which raises them: each once, however deep it stands. */
static bool raise_loop(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    static ReplaceRule *const inside[OP_COUNT] = { RAISED };
    Replacement by = *w;
    Node raised = *n;
    bool *used = arena_alloc(to->arena, n->n_results);
    by.rules = inside;
    memset(used, true, n->n_results);
    if (!(raised.regions = rewrite_regions(&by, to->arena, n))) return false;
    simplify_control(to, &raised, args, used, true, out);
    return true;
}

const Graph *raise_graph(Arena *a, const Graph *g)
{
    static ReplaceRule *const rules[OP_COUNT] = { RAISED, [OP_WHILE] = raise_loop };
    /* afterwards: then 1 * x is x, and a product of matrices that sums nothing an elementwise one */
    static ReplaceRule *const masks[OP_COUNT] = { [OP_MUL] = raise_mask };
    g = rewrite(a, g, &(Replacement){ .rules = rules });
    return g ? rewrite(a, g, &(Replacement){ .rules = masks }) : NULL;
}
