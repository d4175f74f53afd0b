/* expand_conv.c: CONVOLUTION as a contraction of windows, which are views: along each spatial axis a gather
 * at stride * place + dilation * element, which fusion reads as the index of a load. So a convolution has the
 * register tiles, packed operands, epilogues and threads of a product, and no copy of its windows is made.
 */
#include "compiler/graph/attributes.h"
#include "expand.h"
#include <string.h>

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

static Ref convolve(Graph *g, const ConvDims *d, Ref x, Ref w, Type result, bool last)
{
    ConvSide l = operand_side(g, d, x, graph_type(g, w), result, last), r = weights_side(g, d, w, last);
    return as_result(g, d, contract(g, &l, &r, (DType)result.dtype), l.group >= 0, result, last);
}

/* ---- operands with holes between their elements ----
 *
 * Of places that are a multiple of b apart, windows over an operand with b - 1 holes between its elements see
 * the same elements of the weights, every b-th; the others meet holes. So the places of each rest by b are a
 * convolution of the operand itself with a part of the weights, and nothing is multiplied by holes (a
 * transposed convolution by steps of 2, and the gradient of one with such strides: a quarter of the
 * products). Along one axis, with padding `low` before the operand and p = rest - low:
 *
 *     y[b q + rest] = sum over m of w[first + b m] x[q + m + begin]
 *     first = -p mod b,   begin = (p + first) / b
 */

enum { MOST_RESTS = 16, LEAST_PRODUCTS = 1 << 16, FEATURES_SUMMED = 4 };

/* Along one spatial axis: of the weights' elements that one rest sees the first, how many, and where the
 * first place's window begins; that may be less than 0. */
typedef struct Rest {
    int64_t first, elements, begin;
} Rest;

static Rest rest_of(const ConvDims *d, int i, int64_t rest, int64_t elements)
{
    int64_t b = d->base_dilation[i], p = rest - d->low[i], first = ((-p) % b + b) % b;
    return (Rest){ first, first < elements ? (elements - first + b - 1) / b : 0, (p + first) / b };
}

static double rests_in(const ConvDims *d)
{
    double rests = 1;
    for (int i = 0; i < d->spatial; i++) rests *= (double)d->base_dilation[i];
    return rests;
}

static bool is_large(const ConvDims *d, Type weights, Type result)
{
    return (double)type_count(result) * (double)type_count(weights) >=
           LEAST_PRODUCTS * (double)weights.dim[d->rhs[1]];
}

/* Does a product of matrices pay for windows that see one element? It does for more rests than there can be
 * parts, and where parts would have few features (dx of 4 x 4 by steps of 4, 64 x 64 x 3 to 96, AVX2: 8.4 ->
 * 0.4 ms; 16 x 16 by 16, 224 x 224 x 3 to 192: 1500 -> 8.4; but 2 x 2 by 2, 32 x 32 x 64 to 128: 4.0 and
 * 6.2). */
static bool pays_at_once(const ConvDims *d, Type weights, Type result)
{
    return is_large(d, weights, result) &&
           (rests_in(d) > MOST_RESTS || weights.dim[d->rhs[1]] < OUTPUTS_IN_LANES);
}

/* Does it pay? One feature by itself is read as it lies, holes and all, which is as many loads, unless the
 * features are the result's neighbours (3 x 3 by 2 of each of 16, features before the places: 17 us, 25). */
static bool has_holes(const ConvDims *d, Type weights, Type result)
{
    if (weights.dim[d->rhs[0]] < FEATURES_SUMMED && d->out[1] != result.rank - 1) return false;
    for (int i = 0; i < d->spatial; i++) {
        if (d->base_dilation[i] == 1) continue;
        if (d->stride[i] != 1 || d->dilation[i] != 1 || d->base_dilation[i] > MOST_RESTS) return false;
    }
    double rests = rests_in(d);
    return rests > 1 && rests <= MOST_RESTS && is_large(d, weights, result);
}

/* The operand with all the padding that any window needs, once, and no holes: low[axis] of it is before the
 * operand. d: what is left to pad. */
static Ref pad_once(Graph *g, ConvDims *d, Ref x, Type weights, Type result, int64_t low[WEFT_MAX_RANK])
{
    Type t = graph_type(g, x);
    int64_t high[WEFT_MAX_RANK] = { 0 }, none[WEFT_MAX_RANK] = { 0 };
    for (int i = 0; i < d->spatial; i++) {
        int64_t b = d->base_dilation[i], axis = d->lhs[2 + i],
                places = (result.dim[d->out[2 + i]] + b - 1) / b, begin = b > 1 ? INT64_MAX : -d->low[i],
                end = b > 1 ? INT64_MIN : t.dim[axis] + d->high[i];
        for (int64_t rest = 0; b > 1 && rest < b; rest++) {
            Rest r = rest_of(d, i, rest, weights.dim[d->rhs[2 + i]]);
            if (!r.elements) continue;
            int64_t last = r.begin + places - 1 + r.elements;
            begin = r.begin < begin ? r.begin : begin;
            end = last > end ? last : end;
        }
        low[axis] = -begin;
        high[axis] = end - t.dim[axis];
        if (b == 1) d->low[i] = d->high[i] = 0;
    }
    Ref y = build_pad(g, x, build_zeros(g, type_scalar(t.dtype)), low, high, none);
    return y == x ? x : stored(g, y);
}

Ref expand_alternate(Graph *g, Ref *part, int n, int axis, int64_t places)
{
    if (part[0] == REF_NONE) return REF_NONE;
    Type t = graph_type(g, part[0]);
    int64_t dim[WEFT_MAX_RANK + 1];
    for (int k = 0; k < t.rank; k++) dim[k + (k > axis)] = t.dim[k];
    dim[axis + 1] = 1;
    for (int k = 0; k < n; k++) part[k] = build_reshape(g, part[k], dim, t.rank + 1);
    Ref all = build_concatenate(g, part, n, axis + 1);
    memcpy(dim, t.dim, (size_t)t.rank * sizeof *dim);
    dim[axis] *= n;
    return build_slice_along(g, build_reshape(g, all, dim, t.rank), axis, 0, places, 1);
}

/* The places of one rest along each axis. Sums of several features are a kernel of their own, for they take
 * all registers: what alternates is put together afterwards (gradient of 3 x 3, 64 to 128 features by strides
 * of 2 on 28 x 28, AVX2: 575 -> 313 us; each channel by itself, 20 x 20 x 32: 13, stored 23). */
static Ref one_rest(Graph *g, const ConvDims *d, Ref x, Ref w, Type result, bool last)
{
    bool is_product = x != REF_NONE && w != REF_NONE && graph_type(g, w).dim[d->rhs[0]] >= FEATURES_SUMMED;
    Ref y = convolve(g, d, x, w, result, last);
    return is_product ? stored(g, y) : y;
}

/* From spatial axis i on; low: as pad_once has it. */
static Ref by_rests(Graph *g, const ConvDims *d, const int64_t *low, Ref x, Ref w, Type result, int i,
                    bool last)
{
    while (i < d->spatial && d->base_dilation[i] == 1) i++;
    if (i == d->spatial || x == REF_NONE || w == REF_NONE) return one_rest(g, d, x, w, result, last);
    ConvDims left = *d;
    int axis = (int)d->out[2 + i], of_w = (int)d->rhs[2 + i], n = (int)d->base_dilation[i];
    int64_t dim[WEFT_MAX_RANK], elements = graph_type(g, w).dim[of_w];
    Type part_type = { result.dtype, result.rank, dim };
    Ref part[MOST_RESTS];
    memcpy(dim, result.dim, (size_t)result.rank * sizeof *dim);
    dim[axis] = (result.dim[axis] + n - 1) / n;
    left.base_dilation[i] = 1;
    left.low[i] = left.high[i] = left.reverse[i] = 0;
    if (d->reverse[i]) w = build_reverse(g, w, &d->rhs[2 + i], 1);
    for (int k = 0; k < n; k++) {
        Rest r = rest_of(d, i, k, elements);
        int64_t from = low[d->lhs[2 + i]] + r.begin;
        part[k] = build_zeros(g, part_type);
        if (r.elements)
            part[k] = by_rests(
                g, &left, low,
                build_slice_along(g, x, (int)d->lhs[2 + i], from, from + dim[axis] - 1 + r.elements, 1),
                build_slice_along(g, w, of_w, r.first, elements, n), part_type, i + 1, last);
    }
    return expand_alternate(g, part, n, axis, result.dim[axis]);
}

Ref expand_convolution(Graph *g, const Node *n, const Ref *args)
{
    Type weights = graph_type(g, args[1]), result = node_type(n);
    ConvDims d;
    conv_dims(n->attr, n->n_attr, n->rank, &d);
    if (type_count(result) == 0 || type_count(weights) == 0) return build_zeros(g, result);
    Ref apart =
        pays_at_once(&d, weights, result) ? expand_conv_apart(g, &d, args[0], args[1], result) : REF_NONE;
    if (apart != REF_NONE) return apart;
    bool last = features_last(&d, weights);
    if (!has_holes(&d, weights, result)) return convolve(g, &d, args[0], args[1], result, last);
    int64_t low[WEFT_MAX_RANK] = { 0 };
    Ref x = pad_once(g, &d, args[0], weights, result, low);
    return by_rests(g, &d, low, x, args[1], result, 0, last);
}
