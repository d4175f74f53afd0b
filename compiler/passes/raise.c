/* raise.c: reductions and windows that are other ops: see raise.h. */
#include "raise.h"
#include "compiler/graph/infer/infer.h"

/* Reducers. */

/* Left (a, i), right (b, j): pick = a > b or a is NaN; value = pick ? a : b; index = pick or (a == b and i <
 * j) ? i : j. Over integers JAX writes the test for NaN too; others leave it out. */
Graph *raise_arg_reducer(Arena *arena, Type value, Type index, CompareDir dir, bool nan_test)
{
    Graph *g = graph_new_raw(arena, NULL);
    Ref a = build_param(g, value), i = build_param(g, index), b = build_param(g, value),
        j = build_param(g, index);
    Ref pick = build_compare(g, dir, a, b);
    if (nan_test) pick = build_binary(g, OP_OR, pick, build_compare(g, CMP_NE, a, a));
    Ref equal = build_compare(g, CMP_EQ, a, b), earlier = build_compare(g, CMP_LT, i, j);
    Ref first = build_binary(g, OP_OR, pick, build_binary(g, OP_AND, equal, earlier));
    graph_set_outputs(g, (Ref[]){ build_select(g, pick, a, b), build_select(g, first, i, j) }, 2);
    return g;
}

/* ARGMAX or ARGMIN; OP_COUNT: neither. The reducer is compared, node by node, with those made here. */
static Op arg_extreme(Arena *arena, const Graph *r)
{
    if (r->n_params != 4 || r->n_outputs != 2 || r->n_nodes > 16) return OP_COUNT;
    Type value = graph_type(r, r->params[0]), index = graph_type(r, r->params[1]);
    if (value.rank || index.rank || !dtype_is_int((DType)index.dtype)) return OP_COUNT;
    for (int nan_test = dtype_is_float((DType)value.dtype); nan_test < 2; nan_test++) {
        if (graph_equal(r, raise_arg_reducer(arena, value, index, CMP_GT, nan_test))) return OP_ARGMAX;
        if (graph_equal(r, raise_arg_reducer(arena, value, index, CMP_LT, nan_test))) return OP_ARGMIN;
    }
    return OP_COUNT;
}

static bool has_bits(const Node *n, uint64_t bits)
{
    return n && n->op == OP_CONSTANT && n->rank == 0 && node_bits(n) == bits;
}

bool raise_is_scalar(const Graph *g, Ref r, uint64_t bits) { return has_bits(graph_node(g, r), bits); }

const Node *raise_constant(const Graph *g, Ref r)
{
    const Node *n = graph_node(g, r);
    while (n->rank == 0 && (n->op == OP_BROADCAST || n->op == OP_RESHAPE) &&
           graph_type(g, n->args[0]).rank == 0)
        n = graph_node(g, n->args[0]);
    return n->op == OP_CONSTANT && n->rank == 0 ? n : NULL;
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
static void raise_reduction(Graph *g, const Node *n, Ref *out)
{
    Op op = n->n_args == 4 ? arg_extreme(g->arena, n->region) : OP_COUNT;
    if (op == OP_COUNT || n->n_attr != 1) return;
    Type t = graph_type(g, n->args[0]);
    uint64_t start = monoid_start(op == OP_ARGMAX ? OP_MAX : OP_MIN, (DType)t.dtype);
    if (t.dim[n->attr[0]] == 0 || !counts_axis(g, n->args[1], n->attr[0]) ||
        !raise_is_scalar(g, n->args[2], start) || !raise_is_scalar(g, n->args[3], 0))
        return;
    Type index = type_scalar(graph_type(g, n->args[1]).dtype);
    out[1] = build_typed(g, op, n->args, 1, n->attr, 1, index);
}

/* Windows. */

/* A window rounds a sum or product of narrow floats at each step, a prefix once for each element. */
static bool rounds_alike(Op monoid, DType t) { return monoid_is_exact(monoid, t) || dtype_bytes(t) >= 4; }

/* The one axis along which the window is as long as the axis, of n > 1 elements, with n-1 of padding before
 * it (or behind it, for prefixes from the end); along the other axes the window is 1. -1: no such axis. */
static int prefix_axis(WindowDims w, Type t)
{
    int axis = -1;
    for (int i = 0; i < t.rank; i++) {
        if (w.stride[i] != 1 || w.base_dilation[i] != 1 || w.dilation[i] != 1) return -1;
        if (w.size[i] == 1 && w.low[i] == 0 && w.high[i] == 0) continue;
        bool whole = w.size[i] == t.dim[i] && w.low[i] + w.high[i] == t.dim[i] - 1 &&
                     (w.low[i] == 0 || w.high[i] == 0);
        if (axis >= 0 || !whole) return -1;
        axis = i;
    }
    return axis;
}

/* Writes CUMULATIVE's attributes: monoid, axis, reverse. */
static bool window_is_prefix(const Graph *g, const Node *n, int64_t prefix[3])
{
    Op monoid = n->n_args == 2 ? region_monoid(n->region) : OP_COUNT;
    Type t = graph_type(g, n->args[0]);
    WindowDims w = window_dims(OP_REDUCE_WINDOW, n->attr, t.rank);
    if (!monoid_has_prefixes(monoid) || !rounds_alike(monoid, (DType)t.dtype)) return false;
    int axis = prefix_axis(w, t);
    if (axis < 0 || !has_bits(raise_constant(g, n->args[1]), monoid_start(monoid, (DType)t.dtype)))
        return false;
    prefix[0] = monoid;
    prefix[1] = axis;
    prefix[2] = w.low[axis] == 0;
    return true;
}

/* Any of them. */

bool raise_applies(Arena *arena, const Graph *g, const Node *n)
{
    switch ((Op)n->op) {
    case OP_WHILE:         return raise_is_scan(arena, g, n);
    case OP_REDUCE_WINDOW: return window_is_prefix(g, n, (int64_t[3]){ 0 });
    case OP_REDUCE_REGION:
        return n->n_args == 2 ? region_monoid(n->region) != OP_COUNT
                              : n->n_args == 4 && arg_extreme(arena, n->region) != OP_COUNT;
    default: return false;
    }
}

void raise_node(Graph *g, Ref node, Ref *out)
{
    Node n = *graph_node(g, node);
    int64_t prefix[3];
    if (n.op == OP_WHILE) raise_to_scan(g, &n, out);
    if (n.op == OP_REDUCE_REGION) raise_reduction(g, &n, out);
    if (n.op == OP_REDUCE_WINDOW && window_is_prefix(g, &n, prefix))
        out[0] = build_cumulative(g, (Op)prefix[0], n.args[0], (int)prefix[1], prefix[2]);
}
