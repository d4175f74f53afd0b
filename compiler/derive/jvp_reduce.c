/* jvp_reduce.c: forward rules of folds: reductions, windows, prefixes. */
#include "compiler/passes/expand.h"
#include "compiler/passes/vmap.h"
#include "jvp_parts.h"

/* The reduced value beside each element of the operand. */
static Ref beside(const Jvp *v, const Node *n, Ref reduced)
{
    Type a = arg_type(v, n, 0);
    int64_t kept[WEFT_MAX_RANK];
    int n_kept = 0;
    for (int i = 0; i < a.rank; i++) {
        bool gone = false;
        for (uint32_t k = 1; k < n->n_attr; k++) gone |= n->attr[k] == i;
        if (!gone) kept[n_kept++] = i;
    }
    return build_broadcast(v->dst, reduced, a.dim, a.rank, kept);
}

/* Shared among the elements that equal the extreme: sum of their tangents / number of them. */
static void reduce_extreme(const Jvp *v, const Node *n, Ref y, Ref *dy)
{
    Graph *g = v->dst;
    int axes = (int)n->n_attr - 1;
    Ref x = arg(v, n, 0), equal = build_compare(g, CMP_EQ, x, beside(v, n, y)), zero = jvp_fill(g, x, 0);
    Ref sum = build_reduce(g, OP_ADD, build_select(g, equal, darg(v, n, 0), zero), n->attr + 1, axes);
    Ref count = build_reduce(g, OP_ADD, build_select(g, equal, jvp_fill(g, x, 1), zero), n->attr + 1, axes);
    *dy = build_binary(g, OP_DIV, sum, count);
}

/* Products as a tree of halves, as JAX does it: right where elements are zero. */
static const Graph *product_tree(const Jvp *v, const Node *n)
{
    Type a = arg_type(v, n, 0);
    Graph *g = graph_new(v->dst->arena, NULL);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK + 1], start[WEFT_MAX_RANK + 1] = { 0 }, stride[WEFT_MAX_RANK + 1], pad[WEFT_MAX_RANK + 1] = { 0 };
    int rank = 0;
    dim[0] = 1;
    for (uint32_t k = 1; k < n->n_attr; k++) dim[0] *= a.dim[perm[k - 1] = n->attr[k]];
    for (int i = 0, at = (int)n->n_attr - 1; i < a.rank; i++) {
        bool gone = false;
        for (uint32_t k = 1; k < n->n_attr; k++) gone |= n->attr[k] == i;
        if (!gone) perm[at++] = i, dim[++rank] = a.dim[i];
    }
    for (int i = 0; i <= rank; i++) stride[i] = 1;
    Ref x = build_reshape(g, build_transpose(g, build_param(g, a), perm), dim, rank + 1), one = build_number(g, (DType)a.dtype, 1);
    if (dim[0] == 0) x = build_broadcast(g, one, dim + 1, rank, NULL);
    while (dim[0] > 1) {
        int64_t size = dim[0], half = (size + 1) / 2, second[WEFT_MAX_RANK + 1] = { half }, limit[WEFT_MAX_RANK + 1], high[WEFT_MAX_RANK + 1] = { size % 2 };
        memcpy(limit, dim, sizeof limit);
        dim[0] = limit[0] = half;
        Ref left = build_slice(g, x, start, limit, stride);
        limit[0] = size;
        x = build_binary(g, OP_MUL, left, build_pad(g, build_slice(g, x, second, limit, stride), one, start, high, pad));
    }
    x = build_reshape(g, x, dim + 1, rank);
    graph_set_outputs(g, &x, 1);
    return g;
}

void jvp_reduce(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref t = darg(v, n, 0);
    if (t == REF_NONE) return;
    switch (n->attr[0]) {
    case OP_ADD: *dy = jvp_same_op(v, n, &t); break;
    case OP_MUL: jvp_expanded(v, n, product_tree(v, n), dy); break;
    default:     reduce_extreme(v, n, *y, dy);
    }
}

/* ---- prefixes */

static Ref every_second(Graph *g, Ref x, int axis, int64_t first, int64_t limit)
{
    Type t = graph_type(g, x);
    int64_t start[WEFT_MAX_RANK] = { 0 }, stop[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) stop[i] = t.dim[i], stride[i] = 1;
    start[axis] = first, stop[axis] = limit, stride[axis] = 2;
    return build_slice(g, x, start, stop, stride);
}

static Ref leading(Graph *g, Ref x, int axis, int64_t count)
{
    Type t = graph_type(g, x);
    int64_t start[WEFT_MAX_RANK] = { 0 }, stop[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) stop[i] = t.dim[i], stride[i] = 1;
    stop[axis] = count;
    return build_slice(g, x, start, stop, stride);
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

/* By halves: prefixes of neighbours' pairs are every second prefix. Who shares with whom between equals is as in JAX, whose scan is this one. */
static Ref prefixes(Graph *g, Op op, Ref x, int axis)
{
    int64_t n = graph_type(g, x).dim[axis];
    if (n < 2) return x;
    Ref odd = prefixes(g, op, build_binary(g, op, every_second(g, x, axis, 0, n - 1), every_second(g, x, axis, 1, n)), axis), even = leading(g, x, axis, 1);
    if (n > 2) even = build_concatenate(g, (Ref[]){ even, build_binary(g, op, leading(g, odd, axis, (n - 1) / 2), every_second(g, x, axis, 2, n)) }, 2, axis);
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
    Graph *g = graph_new(v->dst->arena, NULL);
    Ref x = build_param(g, arg_type(v, n, 0));
    if (n->attr[2]) x = build_reverse(g, x, &n->attr[1], 1);
    x = prefixes(g, (Op)n->attr[0], x, (int)n->attr[1]);
    if (n->attr[2]) x = build_reverse(g, x, &n->attr[1], 1);
    graph_set_outputs(g, &x, 1);
    jvp_expanded(v, n, g, dy);
}

/* ---- folds by a region, as scans: in index order, whatever the region and the start values are */

/* The region over [size] elements at once; NULL if that cannot be. */
static const Graph *over_arrays(const Jvp *v, const Graph *region, int64_t size)
{
    int64_t *axes = arena_alloc(v->dst->arena, (region->n_params + 1) * sizeof *axes);
    return vmap_graph(v->dst->arena, region, axes, size, axes, NULL, &v->dst->failure);
}

/* [elements of the reduced axes, others] of operand i. */
static Ref reduced_first(const Jvp *v, const Node *n, uint32_t i, Graph *g, int64_t count, int64_t size)
{
    Type a = arg_type(v, n, i);
    int64_t perm[WEFT_MAX_RANK];
    int at = 0;
    uint32_t gone = 0;
    for (uint32_t k = 0; k < n->n_attr; k++) gone |= (uint32_t)1 << (perm[at++] = n->attr[k]);
    for (int k = 0; k < a.rank; k++)
        if (!(gone >> k & 1)) perm[at++] = k;
    return build_reshape(g, build_transpose(g, g->params[i], perm), (int64_t[]){ count, size }, 2);
}

static Graph *open_same(const Jvp *v, const Node *n)
{
    Graph *g = graph_new(v->dst->arena, NULL);
    for (uint32_t i = 0; i < n->n_args; i++) build_param(g, arg_type(v, n, i));
    return g;
}

/* Each start for all of [size]. */
static void add_starts(const Node *n, Graph *g, int64_t size, Ref *args)
{
    for (uint32_t i = 0; i < n->n_results; i++) args[i] = build_broadcast(g, g->params[n->n_results + i], &size, 1, NULL);
}

/* The scan's carries, shaped as the results are, are g's outputs. */
static void close_same(const Jvp *v, const Node *n, Graph *g, ScanShape s, const Graph *body, const Ref *args)
{
    Ref *out = jvp_refs(v, n->n_results);
    build_scan(g, s, body, args, out);
    for (uint32_t i = 0; i < n->n_results; i++) out[i] = build_reshape(g, out[i], n->dim, n->rank);
    graph_set_outputs(g, out, n->n_results);
}

void jvp_reduce_region(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    int64_t size = type_count(node_type(n)), count = 1;
    for (uint32_t k = 0; k < n->n_attr; k++) count *= arg_type(v, n, 0).dim[n->attr[k]];
    const Graph *body = over_arrays(v, n->regions[0], size);
    (void)y;
    if (!body) return;
    Graph *g = open_same(v, n);
    Ref *args = jvp_refs(v, n->n_args);
    add_starts(n, g, size, args);
    for (uint32_t i = 0; i < n->n_results; i++) args[n->n_results + i] = reduced_first(v, n, i, g, count, size);
    close_same(v, n, g, (ScanShape){ .length = count, .unroll = 1, .n_carry = n->n_results, .n_xs = n->n_results }, body, args);
    jvp_expanded(v, n, g, dy);
}

/* ---- windows */

/* Position number k of a window, of all windows at once: a slice of the padded operand. k counts in row-major order. */
static Ref window_elements(const Node *n, Graph *g, Ref padded, Ref k)
{
    Type a = graph_type(g, padded);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, a.rank);
    int64_t sizes[WEFT_MAX_RANK], zero[WEFT_MAX_RANK] = { 0 };
    Ref starts[WEFT_MAX_RANK];
    for (int i = a.rank; i-- > 0; ) {
        Ref size = build_number(g, WEFT_I64, (double)d.size[i]);
        sizes[i] = n->dim[i] ? (n->dim[i] - 1) * d.stride[i] + 1 : 0;
        starts[i] = build_binary(g, OP_MUL, build_binary(g, OP_REM, k, size), build_number(g, WEFT_I64, (double)d.dilation[i]));
        k = build_binary(g, OP_DIV, k, size);
    }
    return build_slice(g, build_dynamic_slice(g, padded, starts, sizes), zero, sizes, d.stride);
}

static const Graph *window_body(const Jvp *v, const Node *n, const Graph *region, const Graph *outer, const Ref *padded, int64_t size)
{
    Graph *g = graph_new(v->dst->arena, NULL);
    uint32_t count = n->n_results;
    Ref *arrays = jvp_refs(v, count), *args = jvp_refs(v, 2 * (size_t)count), *out = jvp_refs(v, count);
    for (uint32_t i = 0; i < count; i++) arrays[i] = build_param(g, graph_type(outer, padded[i]));
    for (uint32_t i = 0; i < count; i++) args[i] = build_param(g, (Type){ graph_type(outer, padded[i]).dtype, 1, &size });
    Ref k = build_param(g, (Type){ WEFT_I64, 0, NULL });
    for (uint32_t i = 0; i < count; i++) args[count + i] = build_reshape(g, window_elements(n, g, arrays[i], k), &size, 1);
    graph_inline(g, region, args, out);
    graph_set_outputs(g, out, count);
    return g;
}

static void fold_windows(const Jvp *v, const Node *n, Ref *dy)
{
    Type a = arg_type(v, n, 0);
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, a.rank);
    int64_t size = type_count(node_type(n)), count = 1, between[WEFT_MAX_RANK];
    const Graph *region = over_arrays(v, n->regions[0], size);
    if (!region) return;
    for (int i = 0; i < a.rank; i++) count *= d.size[i], between[i] = d.base_dilation[i] - 1;
    Graph *g = open_same(v, n);
    Ref *args = jvp_refs(v, n->n_args + 1);
    for (uint32_t i = 0; i < n->n_results; i++) args[i] = build_pad(g, g->params[i], g->params[n->n_results + i], d.low, d.high, between);
    if (g->failure.code == WEFT_OK) {
        add_starts(n, g, size, args + n->n_results);
        args[n->n_args] = build_iota(g, (Type){ WEFT_I64, 1, &count }, 0);
        close_same(v, n, g, (ScanShape){ .length = count, .unroll = 1, .n_invariant = n->n_results, .n_carry = n->n_results, .n_xs = 1 },
                   window_body(v, n, region, g, args, size), args);
    }
    jvp_expanded(v, n, g, dy);
}

/* (a, i), (b, j): the first if it is as large (or as small) as the second, or NaN */
static const Graph *place_region(Arena *arena, Op op, DType t, DType place)
{
    Graph *g = graph_new(arena, NULL);
    Type types[] = { { (uint8_t)t, 0, NULL }, { (uint8_t)place, 0, NULL } };
    Ref a = build_param(g, types[0]), i = build_param(g, types[1]), b = build_param(g, types[0]), j = build_param(g, types[1]);
    Ref first = build_binary(g, OP_OR, build_compare(g, op == OP_MAX ? CMP_GE : CMP_LE, a, b), build_compare(g, CMP_NE, a, a));
    graph_set_outputs(g, (Ref[]){ build_select(g, first, a, b), build_select(g, first, i, j) }, 2);
    return g;
}

/* Each window's tangent is that of one element: of the first of equals. -1: of the start value. */
static void window_extreme(const Jvp *v, const Node *n, Op op, Ref *dy)
{
    Graph *g = v->dst;
    Type a = arg_type(v, n, 0), out = node_type(n);
    int64_t count = type_count(a);
    DType t = count < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Ref numbers = build_reshape(g, build_iota(g, (Type){ (uint8_t)t, 1, &count }, 0), a.dim, a.rank), none = build_number(g, t, -1);
    const Graph *region = place_region(g->arena, op, (DType)a.dtype, t);
    Ref args[] = { arg(v, n, 0), numbers, arg(v, n, 1), none };
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW, .args = args, .n_args = 4, .attr = n->attr, .n_attr = n->n_attr, .regions = &region, .n_regions = 1 });
    if (r == REF_NONE) return;
    Ref place = build_result(g, r, 1), zero = build_splat(g, (Type){ (uint8_t)t, out.rank, out.dim }, 0), start = REF_NONE, found = REF_NONE;
    if (darg(v, n, 1) != REF_NONE) start = build_broadcast(g, darg(v, n, 1), out.dim, out.rank, NULL);
    if (darg(v, n, 0) != REF_NONE) {
        int64_t attr[] = { 0, 1, 0, 1, out.rank, 0, 0, count > 0 };
        Ref from[] = { build_reshape(g, darg(v, n, 0), &count, 1), build_binary(g, OP_MAX, place, zero) };
        found = graph_add(g, &(NodeSpec){ .op = OP_GATHER, .args = from, .n_args = 2, .attr = attr, .n_attr = 8 });
    }
    *dy = build_select(g, build_compare(g, CMP_LT, place, zero), jvp_or_zeros(v, start, out), jvp_or_zeros(v, found, out));
}

void jvp_reduce_window(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Op kind = jvp_region_kind(n->regions[0]);
    (void)y;
    if (kind == OP_ADD) *dy = jvp_same_op(v, n, (Ref[]){ jvp_darg_or_zeros(v, n, 0), jvp_darg_or_zeros(v, n, 1) });
    else if ((kind == OP_MAX || kind == OP_MIN) && type_count(arg_type(v, n, 0)) > 0) window_extreme(v, n, kind, dy);
    else fold_windows(v, n, dy);
}

/* The operand only chooses. */
void jvp_select_and_scatter(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    if (jvp_region_kind(n->regions[1]) == OP_ADD) {
        *dy = jvp_same_op(v, n, (Ref[]){ arg(v, n, 0), jvp_darg_or_zeros(v, n, 1), jvp_darg_or_zeros(v, n, 2) });
        return;
    }
    Graph *g = open_same(v, n);
    Ref out;
    if (expand_node(g, n, g->params, &out)) graph_set_outputs(g, &out, 1);
    jvp_expanded(v, n, g, dy);
}
