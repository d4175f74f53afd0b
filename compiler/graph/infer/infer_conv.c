/* infer_conv.c: the type rule of CONVOLUTION. */
#include "infer_rules.h"

/* Does the list name each axis once? */
static bool check_roles(const int64_t *axes, Type t, const char *of, Failure *f)
{
    uint32_t seen = 0;
    for (int i = 0; i < t.rank; i++) {
        if (axes[i] < 0 || axes[i] >= t.rank)
            return fail(f, WEFT_ARGUMENT, "axis %lld of the %s is out of range (0 to %d)", (long long)axes[i],
                        of, t.rank - 1);
        if (seen >> axes[i] & 1)
            return fail(f, WEFT_ARGUMENT, "axis %lld of the %s is named twice", (long long)axes[i], of);
        seen |= 1u << axes[i];
    }
    return true;
}

static bool check_positive(const int64_t *v, int n, const char *what, Failure *f)
{
    static const int64_t most = INT64_MAX / 8;
    for (int i = 0; i < n; i++)
        if (v[i] < 1 || v[i] > most)
            return fail(f, WEFT_ARGUMENT, "%s %lld of spatial axis %d must be 1 to %lld", what,
                        (long long)v[i], i, (long long)most);
    return true;
}

static bool check_windows(const ConvDims *d, Failure *f)
{
    static const int64_t most = INT64_MAX / 8;
    if (!check_positive(d->stride, d->spatial, "stride", f) ||
        !check_positive(d->base_dilation, d->spatial, "operand dilation", f) ||
        !check_positive(d->dilation, d->spatial, "window dilation", f))
        return false;
    for (int i = 0; i < d->spatial; i++) {
        if (d->low[i] > most || d->low[i] < -most || d->high[i] > most || d->high[i] < -most)
            return fail(f, WEFT_ARGUMENT, "padding %lld, %lld of spatial axis %d must be -%lld to %lld",
                        (long long)d->low[i], (long long)d->high[i], i, (long long)most, (long long)most);
        if (!check_flag(d->reverse[i], "window_reversal", f)) return false;
    }
    return true;
}

static bool check_divides(int64_t groups, int64_t size, const char *kind, const char *what, Failure *f)
{
    return size % groups == 0 || fail(f, WEFT_SHAPE, "%lld %s groups do not divide %lld %s",
                                      (long long)groups, kind, (long long)size, what);
}

static bool check_groups(const ConvDims *d, Type lhs, Type rhs, Failure *f)
{
    int64_t fg = d->feature_groups, bg = d->batch_groups, in = lhs.dim[d->lhs[1]], out = rhs.dim[d->rhs[1]];
    if (fg < 1 || bg < 1)
        return fail(f, WEFT_ARGUMENT, "%lld feature groups and %lld batch groups (each must be 1 or more)",
                    (long long)fg, (long long)bg);
    if (fg > 1 && bg > 1)
        return fail(f, WEFT_ARGUMENT, "%lld feature groups and %lld batch groups: one of them must be 1",
                    (long long)fg, (long long)bg);
    if (!check_divides(fg, in, "feature", "input features", f) ||
        !check_divides(bg, lhs.dim[d->lhs[0]], "batch", "examples", f) ||
        !check_divides(fg, out, "feature", "output features", f) ||
        !check_divides(bg, out, "batch", "output features", f))
        return false;
    if (rhs.dim[d->rhs[0]] == in / fg) return true;
    return fail(f, WEFT_SHAPE, "weights %s take %lld input features, but %s has %lld%s", TYPE_TEXT(rhs),
                (long long)rhs.dim[d->rhs[0]], TYPE_TEXT(lhs), (long long)(in / fg),
                fg > 1 ? " in each group" : "");
}

/* Windows are axes of their own once the convolution is a contraction (passes/expand/expand_conv.c), and
 * groups one more. */
enum { MAX_CONV_RANK = (WEFT_MAX_RANK + 1) / 2 };

bool infer_convolution(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type lhs = args[0], rhs = args[1];
    ConvDims d;
    if (lhs.rank != rhs.rank || lhs.rank < 2)
        return fail(f, WEFT_SHAPE, "operand %s and weights %s must have the same rank, 2 or more",
                    TYPE_TEXT(lhs), TYPE_TEXT(rhs));
    if (lhs.rank > MAX_CONV_RANK)
        return fail(f, WEFT_SHAPE, "a convolution over %s (it has at most %d axes)", TYPE_TEXT(lhs),
                    MAX_CONV_RANK);
    if (!conv_dims(s->attr, s->n_attr, lhs.rank, &d))
        return fail(f, WEFT_ARGUMENT, "the convolution's %u attribute numbers do not fit %s",
                    (unsigned)s->n_attr, TYPE_TEXT(lhs));
    if (!check_sum_dtype((DType)lhs.dtype, (DType)rhs.dtype, s->dtype, f) ||
        !check_roles(d.lhs, lhs, "operand", f) || !check_roles(d.rhs, rhs, "weights", f) ||
        !check_roles(d.out, lhs, "result", f) || !check_windows(&d, f) || !check_groups(&d, lhs, rhs, f))
        return false;
    out->dim[d.out[0]] = lhs.dim[d.lhs[0]] / d.batch_groups;
    out->dim[d.out[1]] = rhs.dim[d.rhs[1]];
    for (int i = 0; i < d.spatial; i++) out->dim[d.out[2 + i]] = conv_count(&d, i, lhs, rhs);
    return finish(out, s->dtype, lhs.rank, f);
}
