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

/* Memory for it, whatever it would be fused into. */
static Ref stored(Graph *g, Ref x)
{
    if (x != REF_NONE) build_barrier(g, &x, 1, &x);
    return x;
}

static bool in_order(const int64_t *perm, int n)
{
    for (int i = 0; i < n; i++)
        if (perm[i] != i) return false;
    return true;
}

/* Lanes go along the output features if a group has enough of them and windows have several elements: then
 * the operand, the weights and the sums are stored with their features last, if they are not so already. Else
 * they are read as they lie: one feature of each group is lanes along the result's last axis, and windows of
 * one element are a product of matrices. (3 x 3, 64 to 64 features on 56 x 56, channels first: 7.2 -> 2.5 ms;
 * the same of 128 groups, of which all is stored as it lies: 0.93 -> 0.1.) */
enum { OUTPUTS_IN_LANES = 8 };
static bool features_last(const ConvDims *d, Type weights)
{
    bool several = false;
    for (int i = 0; i < d->spatial; i++) several |= weights.dim[d->rhs[2 + i]] > 1;
    return several && weights.dim[d->rhs[1]] / (d->feature_groups * d->batch_groups) >= OUTPUTS_IN_LANES;
}

/* Dilated and padded, of an operand with its spatial axes at `axis`. */
static Ref padded(Graph *g, const ConvDims *d, Ref x, const int64_t *axis)
{
    Type t = graph_type(g, x);
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, between[WEFT_MAX_RANK] = { 0 };
    for (int i = 0; i < d->spatial; i++) {
        low[axis[i]] = d->low[i];
        high[axis[i]] = d->high[i];
        between[axis[i]] = d->base_dilation[i] - 1;
    }
    return build_pad(g, x, build_zeros(g, type_scalar(t.dtype)), low, high, between);
}

/* The operand as [batch, spatial, features], dilated and padded. Padding is stored, so that no window has a
 * condition and all are alike; unless there is far more padding than anything else. */
static Ref operand_of(Graph *g, const ConvDims *d, Ref x, bool last)
{
    int64_t perm[WEFT_MAX_RANK] = { d->lhs[0] }, axis[WEFT_MAX_RANK];
    Type t = graph_type(g, x);
    for (int i = 0; i < d->spatial; i++) perm[1 + i] = d->lhs[2 + i], axis[i] = 1 + i;
    perm[1 + d->spatial] = d->lhs[1];
    Ref y = last ? padded(g, d, build_transpose(g, x, perm), axis) : padded(g, d, x, d->lhs + 2);
    if (y == REF_NONE) return y;
    bool pads = graph_node(g, y)->op == OP_PAD, moves = last && !in_order(perm, t.rank);
    if ((pads || moves) && type_count(graph_type(g, y)) / 8 <= type_count(t) + 1024) y = stored(g, y);
    return last ? y : build_transpose(g, y, perm);
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

static ConvSide operand_side(Graph *g, const ConvDims *d, Ref x, Type weights, Type result, bool last)
{
    int axis = d->batch_groups > 1 ? 2 : 1;
    ConvSide s = { .x = operand_of(g, d, x, last), .group = -1 };
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

static ConvSide weights_side(Graph *g, const ConvDims *d, Ref w, bool last)
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
    Ref turned = build_reverse(g, build_transpose(g, w, perm), reversed, n_reversed);
    if (last && !in_order(perm, t.rank)) turned = stored(g, turned);
    s.x = build_reshape(g, turned, dim, rank);
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
static Ref as_result(Graph *g, const ConvDims *d, Ref sums, bool grouped, Type result, bool last)
{
    int rank = d->spatial + 2;
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
    if (grouped) sums = build_move_axis(g, sums, 0, rank - 1);
    for (int k = 0; k < rank; k++) {
        int64_t axis = d->out[k == 0 ? 0 : k == rank - 1 ? 1 : k + 1];
        perm[axis] = k;
        dim[k] = result.dim[axis];
    }
    sums = build_reshape(g, sums, dim, rank);
    if (last && !in_order(perm, rank)) sums = stored(g, sums);
    return build_transpose(g, sums, perm);
}

Ref expand_convolution(Graph *g, const Node *n, const Ref *args)
{
    Type weights = graph_type(g, args[1]), result = node_type(n);
    ConvDims d;
    conv_dims(n->attr, n->n_attr, n->rank, &d);
    if (type_count(result) == 0 || type_count(weights) == 0) return build_zeros(g, result);
    bool last = features_last(&d, weights);
    ConvSide l = operand_side(g, &d, args[0], weights, result, last), r = weights_side(g, &d, args[1], last);
    return as_result(g, &d, contract(g, &l, &r, (DType)n->dtype), l.group >= 0, result, last);
}
