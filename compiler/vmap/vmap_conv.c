/* vmap_conv.c: the batching rule of CONVOLUTION, which is JAX's: a batch of operands is more examples in each
 * batch group, a batch of weights more output features in each group, a batch of both as many groups more. */
#include "compiler/graph/attributes.h"
#include "vmap_rules.h"

/* [size, ...] with the batch inside of axis `axis` of one example's, behind the groups that it is made of. */
static Ref into_axis(const Vmap *v, Ref x, int axis, int64_t groups)
{
    if (x == REF_NONE) return x;
    Graph *g = v->w.to;
    Type t = graph_type(g, x); /* axis + 1 of it is the axis */
    int64_t dim[AXES + 1], merged[AXES];
    int rank = t.rank - 1;
    for (int i = 0; i < rank; i++) merged[i] = t.dim[i + 1];
    memcpy(dim, t.dim, ((size_t)axis + 1) * sizeof *dim);
    dim[axis + 1] = groups;
    dim[axis + 2] = merged[axis] / groups;
    for (int i = axis + 1; i < rank; i++) dim[i + 2] = merged[i];
    merged[axis] *= v->size;
    x = build_move_axis(g, build_reshape(g, x, dim, rank + 2), 0, axis + 1);
    return build_reshape(g, x, merged, rank);
}

/* And back: the batch in front. */
static Ref out_of_axis(const Vmap *v, Ref x, int axis, int64_t groups)
{
    if (x == REF_NONE) return x;
    Graph *g = v->w.to;
    Type t = graph_type(g, x);
    int64_t dim[AXES + 2], whole[AXES];
    int rank = t.rank;
    memcpy(dim, t.dim, (size_t)axis * sizeof *dim);
    dim[axis] = groups;
    dim[axis + 1] = v->size;
    dim[axis + 2] = t.dim[axis] / groups / v->size;
    for (int i = axis + 1; i < rank; i++) dim[i + 2] = t.dim[i];
    whole[0] = v->size;
    for (int i = 0; i < rank; i++) whole[i + 1] = i == axis ? t.dim[i] / v->size : t.dim[i];
    x = build_move_axis(g, build_reshape(g, x, dim, rank + 2), axis + 1, 0);
    return build_reshape(g, x, whole, rank + 1);
}

bool vmap_convolution(const Vmap *v, const Node *n, Ref *out)
{
    ConvDims d;
    conv_dims(n->attr, n->n_attr, n->rank, &d);
    bool lhs = arg_mapped(v, n, 0), rhs = arg_mapped(v, n, 1), by_batch = d.batch_groups > 1;
    if (v->size == 0) return vmap_give(out, build_zeros(v->w.to, vmap_type(v, node_type(n))));
    int64_t groups = lhs && rhs ? 1 : d.feature_groups * d.batch_groups;
    int64_t of_lhs = !rhs ? d.batch_groups : 1, into = d.lhs[rhs && !by_batch];
    Ref x = lhs ? into_axis(v, arg(v, n, 0), (int)into, of_lhs) : arg(v, n, 0),
        w = rhs ? into_axis(v, arg(v, n, 1), (int)d.rhs[1], groups) : arg(v, n, 1);
    if (lhs && rhs && by_batch) d.batch_groups *= v->size;
    else if (lhs && rhs) d.feature_groups *= v->size;
    Ref y = build_conv(v->w.to, &d, x, w, (DType)n->dtype);
    return vmap_give(out,
                     rhs ? out_of_axis(v, y, (int)d.out[1], groups) : out_of_axis(v, y, (int)d.out[0], 1));
}
