/* transpose_conv.c: a convolution is linear in either operand; the cotangent of one is the convolution of the
 * result's cotangent with the other, as JAX has it. Along a spatial axis
 *
 *     y[o] = sum over k of x'[o stride + k dilation - low] w[k],    x' is x with holes of base dilation
 *
 * so x'[i] has the cotangent sum over k of y'[i + low - k dilation] w[k], where y' is y with holes of the
 * stride: a convolution over y by the weights backwards. And w[k] has
 *
 *     sum over o of x'[k dilation + o stride - low] y[o]
 *
 * a convolution over x whose weights are y: stride and dilation change places. */
#include "compiler/graph/attributes.h"
#include "transpose_rules.h"

enum { AXES = WEFT_MAX_RANK };

static void swap_roles(int64_t *axes)
{
    int64_t first = axes[0];
    axes[0] = axes[1];
    axes[1] = first;
}

/* Sizes along spatial axis i, dilated as the convolution has them. */
typedef struct Reach {
    int64_t x, w, y;
} Reach;
static Reach reach_along(const ConvDims *d, int i, Type lhs, Type rhs, Type out)
{
    return (Reach){ dilated(lhs.dim[d->lhs[2 + i]], d->base_dilation[i]),
                    dilated(rhs.dim[d->rhs[2 + i]], d->dilation[i]),
                    dilated(out.dim[d->out[2 + i]], d->stride[i]) };
}

static void swap_lists(int64_t *a, int64_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        int64_t kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* The groups of axis `from` in front of axis `to`: [.., groups n, .., m] ==> [.., n, .., groups m] */
static Ref move_groups(Graph *g, Ref x, int from, int to, int64_t groups)
{
    if (groups == 1 || x == REF_NONE) return x;
    Type t = graph_type(g, x);
    int64_t apart[AXES + 1], together[AXES];
    for (int i = 0, k = 0; i < t.rank; i++) {
        if (i == from) apart[k++] = groups;
        apart[k++] = i == from ? t.dim[i] / groups : t.dim[i];
        together[i] = i == from ? t.dim[i] / groups : i == to ? t.dim[i] * groups : t.dim[i];
    }
    x = build_reshape(g, x, apart, t.rank + 1);
    return build_reshape(g, build_move_axis(g, x, from, to), together, t.rank);
}

static Ref operand_ct(const Transpose *t, ConvDims d, Type lhs, Type out, Ref ct, Ref rhs)
{
    Graph *g = t->dst;
    int64_t groups = d.feature_groups * d.batch_groups, batch_groups = d.batch_groups;
    int out_axes[] = { (int)d.lhs[0], (int)d.lhs[1] };
    for (int i = 0; i < d.spatial; i++) {
        Reach r = reach_along(&d, i, lhs, graph_type(g, rhs), out);
        int64_t low = r.w - 1 - d.low[i];
        d.high[i] = r.x + r.w - 1 - r.y - low;
        d.low[i] = low;
        d.reverse[i] = !d.reverse[i];
    }
    rhs = move_groups(g, rhs, (int)d.rhs[1], (int)d.rhs[0], groups);
    swap_roles(d.rhs);
    swap_lists(d.lhs, d.out, d.spatial + 2);
    swap_lists(d.stride, d.base_dilation, d.spatial);
    d.feature_groups = groups;
    d.batch_groups = 1;
    Ref x = build_conv(g, &d, ct, rhs, (DType)graph_node(g, ct)->dtype);
    return move_groups(g, x, out_axes[1], out_axes[0], batch_groups);
}

/* The axes of a mask backwards. */
static Ref reversed(Graph *g, Ref x, uint32_t mask)
{
    int64_t axes[AXES];
    int n = 0;
    for (int i = 0; i < AXES; i++)
        if (mask >> i & 1) axes[n++] = i;
    return n ? build_reverse(g, x, axes, n) : x;
}

static Ref weights_ct(const Transpose *t, ConvDims d, Type rhs, Type out, Ref ct, Ref lhs)
{
    Graph *g = t->dst;
    uint32_t backwards = 0;
    int64_t feature_groups = d.feature_groups;
    for (int i = 0; i < d.spatial; i++) {
        Reach r = reach_along(&d, i, graph_type(g, lhs), rhs, out);
        d.high[i] = r.y + r.w - 1 - r.x - d.low[i];
        if (d.reverse[i]) backwards |= 1u << d.rhs[2 + i];
        d.reverse[i] = false;
    }
    /* The operand's features are examples now; the cotangent's examples are input features, and its features
     * output features. */
    swap_roles(d.lhs);
    swap_lists(d.rhs, d.out, d.spatial + 2);
    swap_lists(d.stride, d.dilation, d.spatial);
    d.feature_groups = d.batch_groups;
    d.batch_groups = feature_groups;
    return reversed(g, build_conv(g, &d, lhs, ct, (DType)graph_node(g, ct)->dtype), backwards);
}

bool transpose_convolution(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0) && is_linear(t, n, 1)) return not_linear(t, "a product of two tangents");
    uint32_t i = is_linear(t, n, 1);
    Type self = arg_type(t, n, i);
    ConvDims d;
    conv_dims(n->attr, n->n_attr, n->rank, &d);
    if (!type_count(self) || !type_count(arg_type(t, n, 1 - i)) || !type_count(node_type(n)))
        return give_ct(t, n, i, build_zeros(t->dst, self));
    /* sums may be of a wider type */
    Ref known = build_convert(t->dst, known_arg(t, n, 1 - i), (DType)n->dtype);
    Ref r =
        i ? weights_ct(t, d, self, node_type(n), ct, known) : operand_ct(t, d, self, node_type(n), ct, known);
    return give_ct(t, n, i, build_convert(t->dst, r, (DType)self.dtype));
}
