/* jvp_reduce.c: forward rules of folds: reductions, windows, prefixes. */
#include "compiler/passes/expand/expand.h"
#include "jvp_rules.h"

/* The reduced value beside each element of the operand. */
static Ref beside(const Jvp *v, const Node *n, Ref reduced)
{
    Type a = arg_type(v, n, 0);
    int64_t kept[WEFT_MAX_RANK];
    axes_without(axes_mask(n->attr + 1, n->n_attr - 1), a.rank, kept);
    return build_broadcast(v->w.to, reduced, a.dim, a.rank, kept);
}

static void reduce_sum(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    *dy = jvp_same_op(v, n, (Ref[]){ darg(v, n, 0) });
}

/* Shared among the elements that equal the extreme: sum of their tangents / number of them. */
static void reduce_extreme(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    int axes = (int)n->n_attr - 1;
    Ref x = arg(v, n, 0), equal = build_compare(g, CMP_EQ, x, beside(v, n, *y)), zero = jvp_fill(g, x, 0);
    Ref sum = build_reduce(g, OP_ADD, build_select(g, equal, darg(v, n, 0), zero), n->attr + 1, axes);
    Ref count = build_reduce(g, OP_ADD, build_select(g, equal, jvp_fill(g, x, 1), zero), n->attr + 1, axes);
    *dy = build_binary(g, OP_DIV, sum, count);
}

/* Products as a tree of halves, as JAX does it: right where elements are zero. */
static const Graph *product_tree(const Jvp *v, const Node *n)
{
    Type a = arg_type(v, n, 0);
    Graph *g = graph_new(v->w.to->arena, NULL);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK + 1], none[WEFT_MAX_RANK + 1] = { 0 };
    int n_gone = (int)n->n_attr - 1,
        rank = axes_without(axes_mask(n->attr + 1, n_gone), a.rank, perm + n_gone);
    dim[0] = 1;
    for (int k = 0; k < n_gone; k++) dim[0] *= a.dim[perm[k] = n->attr[k + 1]];
    for (int i = 0; i < rank; i++) dim[i + 1] = a.dim[perm[n_gone + i]];
    Ref x = build_reshape(g, build_transpose(g, build_param(g, a), perm), dim, rank + 1),
        one = build_number(g, (DType)a.dtype, 1);
    while (dim[0] > 1) {
        int64_t size = dim[0], half = (size + 1) / 2, high[WEFT_MAX_RANK + 1] = { size % 2 };
        Ref left = build_slice_along(g, x, 0, 0, half, 1), right = build_slice_along(g, x, 0, half, size, 1);
        x = build_binary(g, OP_MUL, left, build_pad(g, right, one, none, high, none));
        dim[0] = half;
    }
    x = build_reshape(g, x, dim + 1, rank);
    graph_set_outputs(g, &x, 1);
    return g;
}

static void reduce_product(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    jvp_expanded(v, n, product_tree(v, n), dy);
}

#define reduce_none NULL /* only floats have tangents */

void jvp_reduce(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    static JvpRule *const rules[OP_COUNT] = {
#define MONOID(NAME, start, prefixes, idempotent, exact, jvp) [OP_##NAME] = reduce_##jvp,
#include "compiler/graph/monoids.def"
    };
    if (darg(v, n, 0) != REF_NONE && type_count(arg_type(v, n, 0)) > 0) rules[n->attr[0]](v, n, y, dy);
}

/* ---- prefixes */

static Ref every_second(Graph *g, Ref x, int axis, int64_t first, int64_t limit)
{
    return build_slice_along(g, x, axis, first, limit, 2);
}

/* x's elements at low, low + 2 ..., zeros between. */
static Ref spaced(Graph *g, Ref x, int axis, int64_t low, int64_t size)
{
    Type t = graph_type(g, x);
    int64_t before[WEFT_MAX_RANK] = { 0 }, after[WEFT_MAX_RANK] = { 0 }, between[WEFT_MAX_RANK] = { 0 };
    before[axis] = low, between[axis] = 1;
    after[axis] = size - low - (2 * t.dim[axis] - 1);
    return build_pad(g, x, build_number(g, (DType)t.dtype, 0), before, after, between);
}

/* By halves: prefixes of neighbours' pairs are every second prefix. Who shares with whom between equals is as
 * in JAX, whose scan is this one. */
static Ref prefixes(Graph *g, Op op, Ref x, int axis)
{
    int64_t n = graph_type(g, x).dim[axis];
    if (n < 2) return x;
    Ref odd = prefixes(
            g, op, build_binary(g, op, every_second(g, x, axis, 0, n - 1), every_second(g, x, axis, 1, n)),
            axis),
        even = build_slice_along(g, x, axis, 0, 1, 1);
    if (n > 2)
        even = build_concatenate(
            g,
            (Ref[]){ even, build_binary(g, op, build_slice_along(g, odd, axis, 0, (n - 1) / 2, 1),
                                        every_second(g, x, axis, 2, n)) },
            2, axis);
    return build_binary(g, OP_ADD, spaced(g, even, axis, 0, n), spaced(g, odd, axis, 1, n));
}

void jvp_cumulative(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref t = darg(v, n, 0);
    (void)y;
    if (t == REF_NONE) return;
    if (n->attr[0] == OP_ADD) {
        *dy = jvp_same_op(v, n, &t);
        return;
    }
    Graph *g = graph_new(v->w.to->arena, NULL);
    Ref x = build_param(g, arg_type(v, n, 0));
    if (n->attr[2]) x = build_reverse(g, x, &n->attr[1], 1);
    x = prefixes(g, (Op)n->attr[0], x, (int)n->attr[1]);
    if (n->attr[2]) x = build_reverse(g, x, &n->attr[1], 1);
    graph_set_outputs(g, &x, 1);
    jvp_expanded(v, n, g, dy);
}

/* ---- windows */

/* (a, i), (b, j): the first if it is as large (or as small) as the second, or NaN */
static const Graph *place_region(Arena *arena, Op op, DType t, DType place)
{
    Graph *g = graph_new(arena, NULL);
    Type types[] = { type_scalar(t), type_scalar(place) };
    Ref a = build_param(g, types[0]), i = build_param(g, types[1]), b = build_param(g, types[0]),
        j = build_param(g, types[1]);
    Ref first = build_binary(g, OP_OR, build_compare(g, op == OP_MAX ? CMP_GE : CMP_LE, a, b),
                             build_compare(g, CMP_NE, a, a));
    graph_set_outputs(g, (Ref[]){ build_select(g, first, a, b), build_select(g, first, i, j) }, 2);
    return g;
}

/* Each window's tangent is that of one element: of the first of equals. -1: of the start value. */
static void window_extreme(const Jvp *v, const Node *n, Op op, Ref *dy)
{
    Graph *g = v->w.to;
    Type a = arg_type(v, n, 0), out = node_type(n);
    int64_t count = type_count(a);
    DType t = count < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Ref numbers = build_reshape(g, build_iota(g, (Type){ (uint8_t)t, 1, &count }, 0), a.dim, a.rank),
        none = build_number(g, t, -1);
    const Graph *region = place_region(g->arena, op, (DType)a.dtype, t);
    Ref args[] = { arg(v, n, 0), numbers, arg(v, n, 1), none };
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                      .args = args,
                                      .n_args = 4,
                                      .attr = n->attr,
                                      .n_attr = n->n_attr,
                                      .regions = &region,
                                      .n_regions = 1 });
    if (r == REF_NONE) return;
    Ref place = build_result(g, r, 1), zero = build_zeros(g, (Type){ (uint8_t)t, out.rank, out.dim }),
        start = REF_NONE, found = REF_NONE;
    if (darg(v, n, 1) != REF_NONE) start = build_broadcast(g, darg(v, n, 1), out.dim, out.rank, NULL);
    if (darg(v, n, 0) != REF_NONE) {
        int64_t attr[] = { 0, 1, 0, 1, out.rank, 0, 0, count > 0 };
        Ref from[] = { build_reshape(g, darg(v, n, 0), &count, 1), build_binary(g, OP_MAX, place, zero) };
        found = build_node(g, OP_GATHER, from, 2, attr, 8);
    }
    *dy = build_select(g, build_compare(g, CMP_LT, place, zero), build_or_zeros(v->w.to, start, out),
                       build_or_zeros(v->w.to, found, out));
}

void jvp_reduce_window(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Op kind = region_monoid(n->regions[0]);
    (void)y;
    if (type_count(node_type(n)) == 0) return;
    if (kind == OP_ADD)
        *dy = jvp_same_op(v, n, (Ref[]){ jvp_darg_or_zeros(v, n, 0), jvp_darg_or_zeros(v, n, 1) });
    else if ((kind == OP_MAX || kind == OP_MIN) && type_count(arg_type(v, n, 0)) > 0)
        window_extreme(v, n, kind, dy);
    else jvp_fold_windows(v, n, dy);
}

/* The operand only chooses. */
void jvp_select_and_scatter(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    if (region_monoid(n->regions[1]) == OP_ADD) {
        *dy = jvp_same_op(v, n,
                          (Ref[]){ arg(v, n, 0), jvp_darg_or_zeros(v, n, 1), jvp_darg_or_zeros(v, n, 2) });
        return;
    }
    Graph *g = jvp_open_same(v, n);
    Ref out;
    if (expand_node(g, n, g->params, &out)) graph_set_outputs(g, &out, 1);
    jvp_expanded(v, n, g, dy);
}
