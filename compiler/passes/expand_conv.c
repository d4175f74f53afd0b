/* expand_conv.c: CONVOLUTION as a contraction of windows, which are views: along each spatial axis a gather
 * at stride * place + dilation * element, which fusion reads as the index of a load. So a convolution has the
 * register tiles, packed operands, epilogues and threads of a product, and no copy of its windows is made.
 */
#include "compiler/graph/attributes.h"
#include "expand.h"

/* An operand as it is contracted: of the first [groups] batch, windows, [groups] features; of the weights
 * window elements, input features, [groups] output features. Elements are axes of their own where a window
 * has several. */
typedef struct ConvSide {
    Ref x;
    int n_elements, group; /* -1: there are no groups */
    int64_t element[WEFT_MAX_RANK], feature;
} ConvSide;

/* Axis `axis` as two, of `groups` and the rest. */
static Ref split(Graph *g, Ref x, int axis, int64_t groups)
{
    if (x == REF_NONE) return x;
    Type t = graph_type(g, x);
    int64_t dim[WEFT_MAX_RANK + 1];
    for (int i = 0, k = 0; i < t.rank; i++) {
        if (i == axis) dim[k++] = groups;
        dim[k++] = i == axis ? t.dim[i] / groups : t.dim[i];
    }
    return build_reshape(g, x, dim, t.rank + 1);
}

/* Dilated and padded, of [batch, spatial, features]. Stored, so that no window has a condition and all are
 * alike; unless there is far more padding than anything else. */
static Ref padded(Graph *g, const ConvDims *d, Ref x)
{
    Type t = graph_type(g, x);
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, between[WEFT_MAX_RANK] = { 0 };
    for (int i = 0; i < d->spatial; i++) {
        low[1 + i] = d->low[i];
        high[1 + i] = d->high[i];
        between[1 + i] = d->base_dilation[i] - 1;
    }
    Ref y = build_pad(g, x, build_zeros(g, type_scalar(t.dtype)), low, high, between);
    if (y != REF_NONE && graph_node(g, y)->op == OP_PAD &&
        type_count(graph_type(g, y)) / 8 <= type_count(t) + 1024)
        build_barrier(g, &y, 1, &y);
    return y;
}

/* In place of an axis the windows along it: places and their elements; places alone if there is one element
 * each. */
static Ref windows_along(Graph *g, Ref x, int axis, int64_t places, int64_t elements, int64_t stride,
                         int64_t dilation)
{
    if (x == REF_NONE) return x;
    Type t = graph_type(g, x);
    if (elements == 1) return build_slice_along(g, x, axis, 0, (places - 1) * stride + 1, stride);
    int64_t dim[] = { places, elements }, offset[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK], at = axis;
    Type index = { t.dim[axis] <= INT32_MAX ? WEFT_I32 : WEFT_I64, 2, dim };
    Ref step[2];
    for (int i = 0; i < 2; i++)
        step[i] =
            build_binary(g, OP_MUL, build_iota(g, index, i),
                         build_splat(g, index, scalar_from_i64((DType)index.dtype, i ? dilation : stride)));
    for (int i = 0, k = 0; i < t.rank; i++) {
        sizes[i] = i == axis ? 1 : t.dim[i];
        if (i != axis) offset[k++] = i < axis ? i : i + 1;
    }
    IndexDims d = { .n_window = t.rank - 1,
                    .n_collapsed = 1,
                    .n_map = 1,
                    .index_vector_dim = 2,
                    .window = offset,
                    .collapsed = &at,
                    .map = &at,
                    .slice_sizes = sizes };
    return build_gather(g, &d, x, build_binary(g, OP_ADD, step[0], step[1]));
}

static ConvSide operand_side(Graph *g, const ConvDims *d, Ref x, Type weights, Type result)
{
    int64_t perm[WEFT_MAX_RANK] = { d->lhs[0] };
    int axis = d->batch_groups > 1 ? 2 : 1;
    for (int i = 0; i < d->spatial; i++) perm[1 + i] = d->lhs[2 + i];
    perm[1 + d->spatial] = d->lhs[1];
    ConvSide s = { .x = padded(g, d, build_transpose(g, x, perm)), .group = -1 };
    if (d->batch_groups > 1) s.x = split(g, s.x, s.group = 0, d->batch_groups);
    for (int i = 0; i < d->spatial; i++) {
        int64_t elements = weights.dim[d->rhs[2 + i]];
        s.x =
            windows_along(g, s.x, axis++, result.dim[d->out[2 + i]], elements, d->stride[i], d->dilation[i]);
        if (elements > 1) s.element[s.n_elements++] = axis++;
    }
    if (d->feature_groups > 1) s.x = split(g, s.x, s.group = axis++, d->feature_groups);
    s.feature = axis;
    return s;
}

static ConvSide weights_side(Graph *g, const ConvDims *d, Ref w)
{
    Type t = graph_type(g, w);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK], reversed[WEFT_MAX_RANK];
    int64_t groups = d->feature_groups * d->batch_groups;
    int n_reversed = 0, rank = 0;
    ConvSide s = { .group = -1 };
    for (int i = 0; i < d->spatial; i++) {
        int64_t axis = perm[i] = d->rhs[2 + i];
        if (d->reverse[i] && t.dim[axis] > 1) reversed[n_reversed++] = i;
        if (t.dim[axis] > 1) {
            s.element[s.n_elements++] = rank;
            dim[rank++] = t.dim[axis];
        }
    }
    s.feature = rank;
    for (int i = 0; i < 2; i++) dim[rank++] = t.dim[perm[d->spatial + i] = d->rhs[i]];
    s.x = build_reshape(g, build_reverse(g, build_transpose(g, w, perm), reversed, n_reversed), dim, rank);
    if (groups > 1) s.x = split(g, s.x, s.group = rank - 1, groups);
    return s;
}

static Ref contract(Graph *g, const ConvSide *l, const ConvSide *r, DType t)
{
    int64_t attr[4 + 2 * WEFT_MAX_RANK] = { l->group >= 0, l->n_elements + 1 }, *to = attr + 2;
    if (l->group >= 0) *to++ = l->group, *to++ = r->group;
    for (int i = 0; i < 2; i++) {
        const ConvSide *s = i ? r : l;
        for (int k = 0; k < s->n_elements; k++) *to++ = s->element[k];
        *to++ = s->feature;
    }
    return build_typed(g, OP_DOT, (Ref[]){ l->x, r->x }, 2, attr, (uint32_t)(to - attr), type_scalar(t));
}

/* [groups] batch, places, features as the result has them. */
static Ref as_result(Graph *g, const ConvDims *d, Ref sums, bool grouped, Type result)
{
    int rank = d->spatial + 2;
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
    if (grouped) sums = build_move_axis(g, sums, 0, rank - 1);
    for (int k = 0; k < rank; k++) {
        int64_t axis = d->out[k == 0 ? 0 : k == rank - 1 ? 1 : k + 1];
        perm[axis] = k;
        dim[k] = result.dim[axis];
    }
    return build_transpose(g, build_reshape(g, sums, dim, rank), perm);
}

Ref expand_convolution(Graph *g, const Node *n, const Ref *args)
{
    Type weights = graph_type(g, args[1]), result = node_type(n);
    ConvDims d;
    conv_dims(n->attr, n->n_attr, n->rank, &d);
    if (type_count(result) == 0 || type_count(weights) == 0) return build_zeros(g, result);
    ConvSide l = operand_side(g, &d, args[0], weights, result), r = weights_side(g, &d, args[1]);
    return as_result(g, &d, contract(g, &l, &r, (DType)n->dtype), l.group >= 0, result);
}
