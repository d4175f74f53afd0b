/* jvp_reduce.c: forward rules of folds: reductions, windows, prefixes. */
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
