/* ops_conv.c: convolutions. A layout says in letters which axes are what; the op of the graph takes them as
 * they are, so nothing is moved. An operand without examples gets an axis of one. */
#include "compiler/graph/attributes.h"
#include "ops_compose.h"
#include <string.h>

/* ---- layouts ---- */

/* "nhwc,hwio->nhwc" taken apart; spatial: the letters of x that are neither n nor c. */
typedef struct Layout {
    char x[WEFT_MAX_RANK + 1], w[WEFT_MAX_RANK + 1], out[WEFT_MAX_RANK + 1], spatial[WEFT_MAX_RANK + 1];
} Layout;

static const char defaults[][24] = { "nwc,wio->nwc", "nhwc,hwio->nhwc", "ndhwc,dhwio->ndhwc" };

static bool layout_error(const char *text, const char *why)
{
    return op_fail(WEFT_ARGUMENT,
                   ".layout \"%s\": %s (letters of the axes of x, of the weights and of the result, as in "
                   "\"nhwc,hwio->nhwc\": n examples, c features, i and o features in and out)",
                   text, why);
}

/* Letters up to one that is none, each once. */
static bool read_letters(const char *text, const char **s, char *to)
{
    int n = 0;
    for (; (**s >= 'a' && **s <= 'z') || (**s >= 'A' && **s <= 'Z'); ++*s) {
        if (n == WEFT_MAX_RANK || memchr(to, **s, (size_t)n))
            return layout_error(text, "a letter stands twice in one array");
        to[n++] = **s;
    }
    to[n] = 0;
    *s = ops_skip_spaces(*s);
    return true;
}

/* Are the letters these two, the first only if wanted, and all spatial ones? */
static bool has_roles(const char *letters, const char *two, bool first, const char *spatial)
{
    if (!strchr(letters, two[1]) || (strchr(letters, two[0]) != NULL) != first ||
        strlen(letters) != strlen(spatial) + 1 + first)
        return false;
    for (; *spatial; spatial++)
        if (!strchr(letters, *spatial)) return false;
    return true;
}

static bool read_layout(const char *text, Layout *l)
{
    const char *s = ops_skip_spaces(text);
    int n = 0;
    if (!read_letters(text, &s, l->x)) return false;
    if (*s != ',') return layout_error(text, "there is no comma behind the letters of x");
    s = ops_skip_spaces(s + 1);
    if (!read_letters(text, &s, l->w)) return false;
    if (*s && strncmp(s, "->", 2) != 0) return layout_error(text, "it cannot be read");
    s = *s ? ops_skip_spaces(s + 2) : l->x;
    if (!read_letters(text, &s, l->out)) return false;
    if (*s) return layout_error(text, "it cannot be read");
    for (const char *c = l->x; *c; c++)
        if (*c != 'n' && *c != 'c') l->spatial[n++] = *c;
    l->spatial[n] = 0;
    bool examples = strchr(l->x, 'n') != NULL;
    if (!has_roles(l->x, "nc", examples, l->spatial)) return layout_error(text, "x has no c");
    if (strchr(l->spatial, 'i') || strchr(l->spatial, 'o'))
        return layout_error(text, "i and o are of the weights");
    if (!has_roles(l->w, "io", true, l->spatial))
        return layout_error(text, "the weights have not i, o and the other letters of x");
    return has_roles(l->out, "nc", examples, l->spatial) ||
           layout_error(text, "the result has not the letters of x");
}

/* Channels last, with or without examples, by the rank of the weights. */
static bool layout_of(Type x, Type w, const char *text, Layout *l)
{
    int spatial = w.rank - 2;
    if (text) {
        if (!read_layout(text, l)) return false;
    } else {
        if (spatial < 1 || spatial > 3 || x.rank > w.rank || x.rank < w.rank - 1)
            return op_fail(WEFT_SHAPE,
                           "weights %s for %s: without .layout they are [spatial.., in, out], 1 to 3 spatial "
                           "axes, and x is [examples, spatial.., features] or one example",
                           TYPE_TEXT(w), TYPE_TEXT(x));
        if (!read_layout(defaults[spatial - 1], l)) return false;
        if (x.rank < w.rank) {
            memmove(l->x, l->x + 1, strlen(l->x));
            memmove(l->out, l->out + 1, strlen(l->out));
        }
    }
    if ((int)strlen(l->x) != x.rank || (int)strlen(l->w) != w.rank)
        return op_fail(WEFT_SHAPE, ".layout \"%s\" is not that of %s and weights %s", text, TYPE_TEXT(x),
                       TYPE_TEXT(w));
    return true;
}

/* Where the letters stand; the axis of examples that is put in front of those that have none is 0. */
static void roles(const char *letters, const char *two, const char *spatial, int64_t *axes)
{
    bool added = !strchr(letters, two[0]);
    axes[0] = added ? 0 : strchr(letters, two[0]) - letters;
    axes[1] = strchr(letters, two[1]) - letters + added;
    for (int i = 0; spatial[i]; i++) axes[2 + i] = strchr(letters, spatial[i]) - letters + added;
}

/* ---- windows ---- */

/* Numbers for each spatial axis, or one for all of them. */
static bool read_numbers(const char *what, const char *text, bool pairs, const ConvDims *d, int64_t *first,
                         int64_t *second)
{
    int64_t entry[WEFT_MAX_RANK][2];
    int n = 0, given;
    for (const char *s = ops_skip_spaces(text); *s; n++) {
        if (n == d->spatial)
            return op_fail(WEFT_ARGUMENT, "%s \"%s\" has more entries than the %d spatial axes", what, text,
                           d->spatial);
        if (!(s = ops_entry(s, pairs ? 2 : 1, entry[n], &given)))
            return op_fail(WEFT_ARGUMENT, "%s \"%s\" cannot be read (%s)", what, text,
                           pairs ? "\"valid\", \"same\", or entries like 1:2, separated by commas"
                                 : "numbers separated by commas");
        if (given == 1) entry[n][1] = entry[n][0];
    }
    if (n != 1 && n != d->spatial)
        return op_fail(WEFT_ARGUMENT,
                       "%s \"%s\" has %d entries for %d spatial axes (one for each, or one "
                       "for all)",
                       what, text, n, d->spatial);
    for (int i = 0; i < d->spatial; i++) {
        first[i] = entry[n == 1 ? 0 : i][0];
        if (second) second[i] = entry[n == 1 ? 0 : i][1];
    }
    return true;
}

static bool read_list(const char *what, const char *text, const ConvDims *d, int64_t *to)
{
    static const int64_t most = INT64_MAX / 8;
    for (int i = 0; i < d->spatial; i++) to[i] = 1;
    if (text && !read_numbers(what, text, false, d, to, NULL)) return false;
    for (int i = 0; i < d->spatial; i++)
        if (to[i] < 1 || to[i] > most)
            return op_fail(WEFT_ARGUMENT, "%s \"%.40s\": %lld of spatial axis %d must be 1 to %lld", what,
                           text, (long long)to[i], i, (long long)most);
    return true;
}

/* What overflows is refused later. */
static bool reach(int64_t n, int64_t by, int64_t *to)
{
    if (n <= 0 || by <= 0 || by > INT64_MAX / 8 || __builtin_mul_overflow(n - 1, by, to)) return false;
    return (*to)++ < INT64_MAX / 8;
}

/* A window for each stride that begins within the axis, the padding shared evenly. */
static void pad_same(ConvDims *d, Type x, Type w)
{
    for (int i = 0; i < d->spatial; i++) {
        int64_t n, k, s = d->stride[i];
        if (s < 1 || !reach(x.dim[d->lhs[2 + i]], d->base_dilation[i], &n) ||
            !reach(w.dim[d->rhs[2 + i]], d->dilation[i], &k))
            continue;
        int64_t spare = (n - 1) % s + 1, pad = k > spare ? k - spare : 0;
        d->low[i] = pad / 2;
        d->high[i] = pad - pad / 2;
    }
}

/* jax.lax.conv_transpose's: as many elements as steps ("same"), or each that a window reaches. */
static void pad_transpose(ConvDims *d, Type w, bool same)
{
    for (int i = 0; i < d->spatial; i++) {
        int64_t k, s = d->base_dilation[i];
        if (s < 1 || s > INT64_MAX / 8 || !reach(w.dim[d->rhs[2 + i]], d->dilation[i], &k)) continue;
        int64_t all = k + s - 2 + (!same && k > s ? k - s : 0);
        d->low[i] = !same || s > k - 1 ? k - 1 : (all + 1) / 2;
        d->high[i] = all - d->low[i];
    }
}

static bool windows(const weft_convolution *o, bool transpose, Type x, Type w, ConvDims *d)
{
    const char *written = o->written_;
    bool same = false, valid = !o->pad;
    if (!ops_is_text(o->stride, "stride", written) || !ops_is_text(o->pad, "pad", written) ||
        !ops_is_text(o->dilation, "dilation", written) ||
        !ops_is_text(o->base_dilation, "base_dilation", written) ||
        !ops_unused(transpose && o->base_dilation, ".base_dilation (the stride is it)"))
        return false;
    if (o->pad) same = !strcmp(o->pad, "same"), valid = !strcmp(o->pad, "valid");
    if (!read_list(".stride", o->stride, d, transpose ? d->base_dilation : d->stride) ||
        !read_list(".dilation", o->dilation, d, d->dilation) ||
        !read_list(".base_dilation", o->base_dilation, d, transpose ? d->stride : d->base_dilation))
        return false;
    for (int i = 0; i < d->spatial; i++) d->low[i] = d->high[i] = d->reverse[i] = 0;
    if (!same && !valid) return read_numbers(".pad", o->pad, true, d, d->low, d->high);
    if (transpose) pad_transpose(d, w, same);
    else if (same) pad_same(d, x, w);
    return true;
}

/* ---- the op ---- */

static weft_array *convolve(weft_array *x, weft_array *w, const weft_convolution *o, bool transpose)
{
    Layout l;
    ConvDims d = { .feature_groups = o->groups ? o->groups : 1, .batch_groups = 1 };
    int64_t attr[CONV_ATTR], dim[WEFT_MAX_RANK];
    if (!ops_is_text(o->layout, "layout", o->written_) || !ops_is_int("groups", o->written_) ||
        !layout_of(array_type(x), array_type(w), o->layout, &l))
        return NULL;
    d.spatial = (int)strlen(l.spatial);
    roles(l.x, "nc", l.spatial, d.lhs);
    roles(l.w, "io", l.spatial, d.rhs);
    roles(l.out, "nc", l.spatial, d.out);
    bool one = !strchr(l.x, 'n');
    DType t = ops_common_dtype((weft_operand[]){ weft_of_array(x), weft_of_array(w) }, 2, RULE_SAME);
    x = ops_convert(one ? ops_expand(x, 0) : x, t);
    w = ops_convert(w, t);
    if (!x || !w || !windows(o, transpose, array_type(x), array_type(w), &d)) return NULL;
    int n = (int)conv_attr(&d, attr);
    weft_array *y = op_apply(OP_CONVOLUTION, (weft_array *[]){ x, w }, 2, attr, n, &(NodeSpec){ .dtype = t });
    if (!y || !one) return y;
    Type all = array_type(y);
    memcpy(dim, all.dim + 1, ((size_t)all.rank - 1) * sizeof *dim);
    return ops_reshape(y, dim, all.rank - 1);
}

OPS_ENTRY(conv, (const weft_array *w, weft_convolution o), (weft_of_array(w)), (w, o))
{
    return convolve(x, ops_in(w), &o, false);
}

OPS_ENTRY(conv_transpose, (const weft_array *w, weft_convolution o), (weft_of_array(w)), (w, o))
{
    return convolve(x, ops_in(w), &o, true);
}
