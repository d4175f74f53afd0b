/* raise_counts.c: sums of counts that are positions.
 *
 * Let p[i] be how many of a mask's elements 0..i are set, and c[k] how many i have p[i] = k. Then
 * c[0] + .. + c[k] is how many i have p[i] <= k: the position of the set element number k, from 0, or the
 * mask's length n if there are not so many. JAX writes nonzero so, and with it where, argwhere and unique:
 *
 *     cumulative add (scatter add zeros[size] at p, ones[n])
 *     ==> for k < size: k < number of set elements ? (stable sort of 0..n - 1, the set ones first)[k] : n
 *
 * A sort whose key is one bit is a partition (runtime/library/sorts/sort_partition.c), of which only the
 * positions that are read are made; counts are additions to memory, one after the other.
 */
#include "raise_counts.h"
#include "compiler/graph/infer/infer.h"

static bool is_all(const Graph *g, Ref r, Op monoid)
{
    const Node *n = graph_node(g, r);
    return is_splat(n) && node_bits(n) == monoid_start(monoid, (DType)n->dtype);
}
static bool is_zeros(const Graph *g, Ref r) { return is_all(g, r, OP_ADD); }
static bool is_ones(const Graph *g, Ref r) { return is_all(g, r, OP_MUL); }

/* p, where p is not negative: reshape(p), max(p, 0), select(p < 0, .., p) ==> p */
static Ref without_guards(const Graph *g, Ref r)
{
    for (;;) {
        const Node *n = graph_node(g, r), *less = n->op == OP_SELECT ? graph_node(g, n->args[0]) : NULL;
        if (n->op == OP_RESHAPE) r = n->args[0];
        else if (n->op == OP_MAX && is_zeros(g, n->args[0])) r = n->args[1];
        else if (n->op == OP_MAX && is_zeros(g, n->args[1])) r = n->args[0];
        else if (less && less->op == OP_COMPARE && less->attr[0] == CMP_LT && less->args[0] == n->args[2] &&
                 is_zeros(g, less->args[1]))
            r = n->args[2];
        else return r;
    }
}

static const Node *running_sum(const Graph *g, Ref r)
{
    const Node *n = graph_node(g, r);
    bool is = n->op == OP_CUMULATIVE && n->attr[0] == OP_ADD && !n->attr[2] && n->rank == 1;
    return is && (n->dtype == WEFT_I32 || n->dtype == WEFT_I64) ? n : NULL;
}

/* The mask whose running number of set elements r is; REF_NONE: none. */
static Ref counted_mask(Graph *g, Ref r)
{
    const Node *sum = running_sum(g, without_guards(g, r));
    if (!sum || sum->dim[0] == 0 || sum->dim[0] >= INT32_MAX) return REF_NONE;
    Ref x = sum->args[0];
    while (graph_node(g, x)->op == OP_RESHAPE) x = graph_node(g, x)->args[0];
    const Node *ints = graph_node(g, x);
    if (ints->op != OP_CONVERT || graph_node(g, ints->args[0])->dtype != WEFT_BOOL) return REF_NONE;
    return build_reshape(g, ints->args[0], sum->dim, 1);
}

/* Of a scatter that counts how often each number of a list is there: the list. */
static Ref counted_list(const Graph *g, Ref r)
{
    const Node *n = graph_node(g, r);
    IndexDims dims;
    if (n->op != OP_SCATTER || n->n_args != 3 || region_monoid(n->region) != OP_ADD) return REF_NONE;
    scatter_dims(n->attr, n->n_attr, &dims);
    bool single = n->rank == 1 && graph_node(g, n->args[2])->rank == 1 && !dims.n_window && !dims.n_batching;
    return single && is_zeros(g, n->args[0]) && is_ones(g, n->args[2]) ? n->args[1] : REF_NONE;
}

/* The positions of the set elements, and then those of the others. */
static bool set_first(Graph *g, Ref mask, DType t, Ref *out)
{
    Type bit = type_scalar(WEFT_BOOL), position = { t, 1, graph_node(g, mask)->dim };
    Graph *comparator = graph_new(g->arena, NULL);
    Ref x = build_param(comparator, bit), y = build_param(comparator, bit), results[2];
    build_param(comparator, type_scalar(t));
    build_param(comparator, type_scalar(t));
    graph_set_outputs(comparator, (Ref[]){ build_compare(comparator, CMP_GT, x, y) }, 1);
    if (!build_sort(g, (Ref[]){ mask, build_iota(g, position, 0) }, 2, 0, true, comparator, results))
        return false;
    *out = results[1];
    return true;
}

Ref raise_counts(Graph *g, Ref r)
{
    const Node *sum = running_sum(g, r);
    Ref list = sum ? counted_list(g, sum->args[0]) : REF_NONE, at;
    Ref mask = list == REF_NONE ? REF_NONE : counted_mask(g, list);
    if (mask == REF_NONE || !set_first(g, mask, (DType)sum->dtype, &at)) return r;
    int64_t n = graph_node(g, mask)->dim[0], size = sum->dim[0];
    Type result = { sum->dtype, 1, sum->dim };
    Ref none = build_number(g, (DType)sum->dtype, (double)n),
        set = build_reduce(g, OP_ADD, build_convert(g, mask, (DType)sum->dtype), (int64_t[]){ 0 }, 1);
    at = build_slice_along(g, at, 0, 0, n < size ? n : size, 1);
    if (n < size) at = build_pad(g, at, none, (int64_t[]){ 0 }, (int64_t[]){ size - n }, (int64_t[]){ 0 });
    Ref is_set =
        build_compare(g, CMP_LT, build_iota(g, result, 0), build_broadcast(g, set, result.dim, 1, NULL));
    return build_select(g, is_set, at, build_broadcast(g, none, result.dim, 1, NULL));
}
