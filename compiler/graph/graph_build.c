/* graph_build.c: typed constructors: each spells one NodeSpec. */
#include "graph.h"
#include <string.h>

Ref build_param(Graph *g, Type t)
{
    return graph_add(g, &(NodeSpec){ .op = OP_PARAMETER,
                                     .attr = (int64_t[]){ g->n_params },
                                     .n_attr = 1,
                                     .dtype = (DType)t.dtype,
                                     .dim = t.dim,
                                     .rank = t.rank });
}

static Ref add_constant(Graph *g, Type t, const void *data, bool splat)
{
    return graph_add(g, &(NodeSpec){ .op = OP_CONSTANT,
                                     .attr = (int64_t[]){ splat },
                                     .n_attr = 1,
                                     .dtype = (DType)t.dtype,
                                     .dim = t.dim,
                                     .rank = t.rank,
                                     .data = data });
}

/* Small constants whose elements are all the same bits become splats, so that both spellings are one node. */
Ref build_constant(Graph *g, Type t, const void *data)
{
    enum { COMPARED_BYTES = 4096 };
    int64_t n = type_count(t);
    size_t item = dtype_bytes((DType)t.dtype);
    if (n <= 0 || !data || (uint64_t)n * item > COMPARED_BYTES) return add_constant(g, t, data, false);
    bool splat = memcmp(data, (const char *)data + item, ((size_t)n - 1) * item) == 0;
    return add_constant(g, t, data, splat);
}

Ref build_splat(Graph *g, Type t, uint64_t bits)
{
    char item[8] = { 0 };
    scalar_store((DType)t.dtype, item, bits);
    return add_constant(g, t, item, true);
}

Ref build_zeros(Graph *g, Type t) { return build_splat(g, t, 0); }

Ref build_number(Graph *g, DType t, double v)
{
    return build_splat(g, type_scalar(t), scalar_from_double(t, v));
}

Ref build_iota(Graph *g, Type t, int axis)
{
    return graph_add(g, &(NodeSpec){ .op = OP_IOTA,
                                     .attr = (int64_t[]){ axis },
                                     .n_attr = 1,
                                     .dtype = (DType)t.dtype,
                                     .dim = t.dim,
                                     .rank = t.rank });
}

Ref build_unary(Graph *g, Op op, Ref a)
{
    return graph_add(g, &(NodeSpec){ .op = op, .args = &a, .n_args = 1 });
}

Ref build_binary(Graph *g, Op op, Ref a, Ref b)
{
    return graph_add(g, &(NodeSpec){ .op = op, .args = (Ref[]){ a, b }, .n_args = 2 });
}

Ref build_compare(Graph *g, CompareDir dir, Ref a, Ref b)
{
    static const CompareOrder order[] = { [KIND_BOOL] = ORDER_UNSIGNED,
                                          [KIND_SIGNED] = ORDER_SIGNED,
                                          [KIND_UNSIGNED] = ORDER_UNSIGNED,
                                          [KIND_FLOAT] = ORDER_FLOAT };
    if (a == REF_NONE) return REF_NONE;
    int64_t attr[] = { dir, order[dtype_kind((DType)graph_node(g, a)->dtype)] };
    return graph_add(
        g, &(NodeSpec){ .op = OP_COMPARE, .args = (Ref[]){ a, b }, .n_args = 2, .attr = attr, .n_attr = 2 });
}

Ref build_select(Graph *g, Ref p, Ref t, Ref f)
{
    return graph_add(g, &(NodeSpec){ .op = OP_SELECT, .args = (Ref[]){ p, t, f }, .n_args = 3 });
}

Ref build_convert(Graph *g, Ref a, DType t)
{
    return graph_add(g, &(NodeSpec){ .op = OP_CONVERT, .args = &a, .n_args = 1, .dtype = t });
}

Ref build_bitcast(Graph *g, Ref a, DType t)
{
    return graph_add(g, &(NodeSpec){ .op = OP_BITCAST, .args = &a, .n_args = 1, .dtype = t });
}

static uint32_t rank_of(const Graph *g, Ref a) { return a == REF_NONE ? 0 : graph_node(g, a)->rank; }

Ref build_broadcast(Graph *g, Ref a, const int64_t *dim, int rank, const int64_t *axes)
{
    return graph_add(g, &(NodeSpec){ .op = OP_BROADCAST,
                                     .args = &a,
                                     .n_args = 1,
                                     .attr = axes,
                                     .n_attr = rank_of(g, a),
                                     .dim = dim,
                                     .rank = rank });
}

Ref build_reshape(Graph *g, Ref a, const int64_t *dim, int rank)
{
    return graph_add(g, &(NodeSpec){ .op = OP_RESHAPE, .args = &a, .n_args = 1, .dim = dim, .rank = rank });
}

Ref build_transpose(Graph *g, Ref a, const int64_t *perm)
{
    return graph_add(
        g, &(NodeSpec){ .op = OP_TRANSPOSE, .args = &a, .n_args = 1, .attr = perm, .n_attr = rank_of(g, a) });
}

Ref build_move_axis(Graph *g, Ref a, int from, int to)
{
    int64_t perm[WEFT_MAX_RANK + 1]; /* one axis too many is a type rule's to refuse */
    if (a == REF_NONE || from == to) return a;
    for (int i = 0, other = 0; i < graph_node(g, a)->rank; i++) {
        if (other == from) other++;
        perm[i] = i == to ? from : other++;
    }
    return build_transpose(g, a, perm);
}

/* SLICE and PAD: three numbers per axis. */
static Ref add_triple(Graph *g, Op op, const Ref *args, uint32_t n_args, const int64_t *x, const int64_t *y,
                      const int64_t *z)
{
    int64_t attr[3 * WEFT_MAX_RANK];
    uint32_t rank = rank_of(g, args[0]);
    for (uint32_t i = 0; i < rank; i++) attr[i] = x[i], attr[rank + i] = y[i], attr[2 * rank + i] = z[i];
    return graph_add(
        g, &(NodeSpec){ .op = op, .args = args, .n_args = n_args, .attr = attr, .n_attr = 3 * rank });
}

Ref build_slice(Graph *g, Ref a, const int64_t *start, const int64_t *limit, const int64_t *stride)
{
    return add_triple(g, OP_SLICE, &a, 1, start, limit, stride);
}

Ref build_pad(Graph *g, Ref a, Ref filler, const int64_t *low, const int64_t *high, const int64_t *interior)
{
    return add_triple(g, OP_PAD, (Ref[]){ a, filler }, 2, low, high, interior);
}

Ref build_reverse(Graph *g, Ref a, const int64_t *axes, int n)
{
    return graph_add(
        g, &(NodeSpec){ .op = OP_REVERSE, .args = &a, .n_args = 1, .attr = axes, .n_attr = (uint32_t)n });
}

Ref build_concatenate(Graph *g, const Ref *args, int n, int axis)
{
    return graph_add(g, &(NodeSpec){ .op = OP_CONCATENATE,
                                     .args = args,
                                     .n_args = (uint32_t)n,
                                     .attr = (int64_t[]){ axis },
                                     .n_attr = 1 });
}

/* Axes in any order: the node's ascend. Not more than the limit of ranks are looked at; the type rule refuses
 * what is left. */
Ref build_reduce(Graph *g, Op monoid, Ref a, const int64_t *axes, int n)
{
    int64_t attr[WEFT_MAX_RANK + 2] = { monoid };
    if (n > WEFT_MAX_RANK + 1) n = WEFT_MAX_RANK + 1;
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && attr[at] > axes[i]; at--) attr[at + 1] = attr[at];
        attr[at + 1] = axes[i];
    }
    return graph_add(
        g, &(NodeSpec){ .op = OP_REDUCE, .args = &a, .n_args = 1, .attr = attr, .n_attr = (uint32_t)n + 1 });
}

Ref build_result(Graph *g, Ref a, int index)
{
    if (a != REF_NONE && a < g->n_nodes && graph_node(g, a)->n_results == 1 && index == 0) return a;
    return graph_add(
        g,
        &(NodeSpec){ .op = OP_RESULT, .args = &a, .n_args = 1, .attr = (int64_t[]){ index }, .n_attr = 1 });
}

bool build_results(Graph *g, Ref a, uint32_t n, Ref *out)
{
    for (uint32_t i = 0; i < n; i++) out[i] = a == REF_NONE ? REF_NONE : build_result(g, a, (int)i);
    return a != REF_NONE;
}
