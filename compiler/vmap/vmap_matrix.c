/* vmap_matrix.c: the batching rules of factorizations: axes in front of the last two count matrices, and the
 * batch axis is one more of them. */
#include "compiler/graph/matrix/matrix_call.h"
#include "vmap_rules.h"

bool vmap_matrices(const Vmap *v, const Node *n, Ref *out)
{
    return build_matrix(v->w.to, (Op)n->op, vmap_batched_all(v, n), n->attr, n->n_attr, out);
}

/* One matrix for the whole batch: its right sides become one, with more columns, or rows. Where that needs
 * more axes than the op has matrices in front, the batch moves inwards behind them. */
static bool more_columns(const Vmap *v, const Node *n, Ref *out)
{
    Graph *g = v->w.to;
    Ref b = arg(v, n, 1);
    Type t = graph_type(g, b);
    int rank = t.rank - 1, axis = rank - (n->attr[0] ? 1 : 2); /* of one example: the one that grows */
    int64_t merged[AXES], apart[AXES];
    for (int i = 0; i < rank; i++) merged[i] = t.dim[i + 1];
    merged[axis] *= v->size;
    memcpy(apart, merged, (size_t)axis * sizeof *apart);
    apart[axis] = v->size;
    memcpy(apart + axis + 1, t.dim + axis + 1, (size_t)(rank - axis) * sizeof *apart);
    b = build_reshape(g, build_move_axis(g, b, 0, axis), merged, rank);
    b = vmap_same_op(v, n, (Ref[]){ arg(v, n, 0), b }, n->attr, n->n_attr, NULL, 0);
    return vmap_give(out,
                     b == REF_NONE ? b : build_move_axis(g, build_reshape(g, b, apart, rank + 1), axis, 0));
}

bool vmap_triangular_solve(const Vmap *v, const Node *n, Ref *out)
{
    return (arg_mapped(v, n, 0) ? vmap_matrices : more_columns)(v, n, out);
}
