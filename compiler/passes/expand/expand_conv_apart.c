/* expand_conv_apart.c: convolutions of an operand with holes whose windows are no longer than the steps
 * between its elements, along each axis: a transposed convolution of patches, the gradient of one by patches.
 * Each place sees one element of the operand, and each element has b places of its own: a product of matrices
 * makes them all. With padding b - 1 before the operand,
 *
 *     y[b q + t] = sum over features of x[q] w[b - 1 - t]
 *
 * Other padding adds places at the ends, or leaves some out.
 */
#include "compiler/graph/attributes.h"
#include "expand.h"

static bool is_apart(const ConvDims *d, Type weights)
{
    bool has_holes = false;
    if (d->feature_groups > 1 || d->batch_groups > 1) return false;
    for (int i = 0; i < d->spatial; i++) {
        if (d->stride[i] != 1 || d->dilation[i] != 1 || weights.dim[d->rhs[2 + i]] > d->base_dilation[i])
            return false;
        has_holes |= d->base_dilation[i] > 1;
    }
    return has_holes && 2 + 2 * d->spatial <= WEFT_MAX_RANK;
}

/* w[b - 1 - t] for t = 0 .. b - 1, along each axis: w is 0 behind its end. */
static Ref turned(Graph *g, const ConvDims *d, Ref w)
{
    Type t = graph_type(g, w);
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 };
    for (int i = 0; i < d->spatial; i++) {
        int64_t axis = d->rhs[2 + i];
        if (d->reverse[i]) w = build_reverse(g, w, &axis, 1);
        high[axis] = d->base_dilation[i] - t.dim[axis];
    }
    w = build_pad(g, w, build_zeros(g, type_scalar(t.dtype)), none, high, none);
    return build_reverse(g, w, &d->rhs[2], d->spatial);
}

/* Where an axis of an operand is in the result of the product that sums over another one. */
static int64_t without(int64_t axis, int64_t summed) { return axis - (axis > summed); }

Ref expand_conv_apart(Graph *g, const ConvDims *d, Ref x, Ref w, Type result)
{
    Type of_x = graph_type(g, x), of_w = graph_type(g, w);
    if (!is_apart(d, of_w)) return REF_NONE;
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK], low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 },
                                                     none[WEFT_MAX_RANK] = { 0 },
                                                     summed[] = { 0, 1, d->lhs[1], d->rhs[0] };
    int n = 0;
    Ref y = build_typed(g, OP_DOT, (Ref[]){ x, turned(g, d, w) }, 2, summed, 4, type_scalar(result.dtype));
    build_barrier(g, &y, 1, &y); /* put in order afterwards (8 x 8 by 8, 14 x 14 x 32 to 16: 5 -> 1 ms) */
    for (int axis = 0; axis < result.rank; axis++) {
        if (axis == d->out[0]) perm[n++] = without(d->lhs[0], d->lhs[1]);
        if (axis == d->out[1]) perm[n++] = of_x.rank - 1 + without(d->rhs[1], d->rhs[0]);
        dim[axis] = result.dim[axis];
        for (int i = 0; i < d->spatial; i++) {
            if (axis != d->out[2 + i]) continue;
            perm[n++] = without(d->lhs[2 + i], d->lhs[1]);
            perm[n++] = of_x.rank - 1 + without(d->rhs[2 + i], d->rhs[0]);
            dim[axis] = of_x.dim[d->lhs[2 + i]] * d->base_dilation[i];
            low[axis] = d->low[i] - (d->base_dilation[i] - 1);
            high[axis] = result.dim[axis] - dim[axis] - low[axis];
        }
    }
    y = build_reshape(g, build_transpose(g, y, perm), dim, result.rank);
    return build_pad(g, y, build_zeros(g, type_scalar(result.dtype)), low, high, none);
}
