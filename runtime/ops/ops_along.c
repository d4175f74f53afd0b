/* ops_along.c: prefixes along an axis, folds over windows, and what is counted into bins and segments. */
#include "ops_index.h"
#include <math.h>
#include <string.h>

/* ---- prefixes ---- */

weft_array *ops_cumulative(Op monoid, weft_array *x, int axis, bool reverse)
{
    return x ? op_apply(OP_CUMULATIVE, &x, 1, (int64_t[]){ monoid, axis, reverse }, 3, NULL) : NULL;
}

/* x moved by `by` places along the axis away from its beginning, -inf coming in. */
static weft_array *moved(weft_array *x, int axis, int64_t by, bool reverse)
{
    Type t = array_type(x);
    int64_t attr[3 * WEFT_MAX_RANK] = { 0 };
    attr[axis] = reverse ? -by : by;
    attr[t.rank + axis] = -attr[axis];
    return op_apply(OP_PAD, (weft_array *[]){ x, op_number((DType)t.dtype, -INFINITY) }, 2, attr, 3 * t.rank,
                    NULL);
}

/* By doubling distances: after a step each element has the sum of 2, 4, 8 .. up to itself. */
static weft_array *prefix_logsumexp(weft_array *x, int axis, bool reverse)
{
    x = ops_inexact(x);
    if (!x) return NULL;
    int64_t n = array_type(x).dim[axis];
    for (int64_t by = 1; x && by < n; by *= 2) x = ops_logaddexp(moved(x, axis, by, reverse), x);
    return x;
}

typedef enum { SUM, PROD, GREATEST, LEAST, LOGSUM } PrefixKind;

static weft_array *prefix(weft_array *x, PrefixKind kind, int axis, const weft_order *o)
{
    static const Op monoid[] = { [SUM] = OP_ADD, [PROD] = OP_MUL, [GREATEST] = OP_MAX, [LEAST] = OP_MIN };
    Type t = array_type(x);
    int a;
    if (t.rank == 0) return op_fail(WEFT_SHAPE, "%s has no axis", TYPE_TEXT(t));
    if (!ops_unused(o->descending, ".descending (prefixes have .reverse)") ||
        !ops_unused(o->right, ".right") || !ops_axis(axis, t.rank, t, &a))
        return NULL;
    if (kind == LOGSUM) return prefix_logsumexp(x, a, o->reverse);
    if (kind <= PROD && t.dtype == WEFT_BOOL) x = ops_convert(x, WEFT_I32);
    return ops_cumulative(monoid[kind], x, a, o->reverse);
}

#define PREFIX(name, kind) \
    OPS_ENTRY(name, (int axis, weft_order o), (), (axis, o)) \
    { \
        return prefix(x, kind, axis, &o); \
    } \
    weft_array *(weft_##name)(weft_array * x) { return weft_##name##_(x, -1, (weft_order){ 0 }, NULL); }
PREFIX(cumsum, SUM)
PREFIX(cumprod, PROD)
PREFIX(cummax, GREATEST)
PREFIX(cummin, LEAST)
PREFIX(cumlogsumexp, LOGSUM)

/* ---- windows ---- */

/* REDUCE_WINDOW's attributes, six lists of the rank. */
typedef struct WindowAttr {
    int rank;
    int64_t attr[6 * WEFT_MAX_RANK];
} WindowAttr;
enum { SIZE, STRIDE, BASE_DILATION, DILATION, LOW, HIGH };
static int64_t *list(WindowAttr *w, int which) { return w->attr + which * w->rank; }

/* Text for one of the lists, or for the low and the high padding in pairs. Its entries are for the last
 * axes of the rank; the axes in front have the default. */
typedef struct WindowText {
    const char *what, *text;
    int first, second;
} WindowText;

static bool read_list(const WindowText *l, Type of, WindowAttr *w)
{
    int64_t entry[WEFT_MAX_RANK][2];
    bool pairs = l->first != l->second;
    int n = 0, given;
    for (const char *s = ops_skip_spaces(l->text ? l->text : ""); *s; n++) {
        if (n == of.rank)
            return op_fail(WEFT_ARGUMENT, "%s \"%s\" has more entries than %s has axes", l->what, l->text,
                           TYPE_TEXT(of));
        if (!(s = ops_entry(s, pairs ? 2 : 1, entry[n], &given)))
            return op_fail(WEFT_ARGUMENT, "%s \"%s\" cannot be read (%s)", l->what, l->text,
                           pairs ? "\"valid\", \"same\", or entries like 1:2, separated by commas"
                                 : "numbers separated by commas");
        if (given == 1) entry[n][1] = entry[n][0];
    }
    for (int i = 0, k = n - of.rank; i < of.rank; i++, k++) {
        list(w, l->first)[i] = k < 0 ? !pairs : entry[k][0];
        list(w, l->second)[i] = k < 0 ? !pairs : entry[k][1];
    }
    return true;
}

/* Padding for "same": one window for each stride that begins within the axis, the padding shared evenly by
 * both sides. The last window begins a multiple of the stride behind the first one, reach % stride in
 * front of the last element. What overflows is refused later. */
static void pad_same(WindowAttr *w, Type t)
{
    for (int i = 0; i < t.rank; i++) {
        int64_t stride = list(w, STRIDE)[i], reach, spread;
        if (stride < 1 || __builtin_mul_overflow(t.dim[i] - 1, list(w, BASE_DILATION)[i], &reach) ||
            __builtin_mul_overflow(list(w, SIZE)[i] - 1, list(w, DILATION)[i], &spread))
            return;
        int64_t pad = t.dim[i] && spread > reach % stride ? spread - reach % stride : 0;
        list(w, LOW)[i] = pad / 2;
        list(w, HIGH)[i] = pad - pad / 2;
    }
}

static bool window_texts(const weft_window *o)
{
    const char *w = o->written_;
    return ops_is_text(o->stride, "stride", w) && ops_is_text(o->pad, "pad", w) &&
           ops_is_text(o->dilation, "dilation", w) && ops_is_text(o->base_dilation, "base_dilation", w);
}

/* stride: what stands for a stride that is not given, NULL: 1. */
static bool read_windows(Type t, const char *size, const weft_window *o, const char *stride, WindowAttr *w)
{
    w->rank = t.rank;
    if (!window_texts(o)) return false;
    if (!size) return op_fail(WEFT_ARGUMENT, "the window is NULL");
    bool same = o->pad && !strcmp(o->pad, "same"), valid = !o->pad || !strcmp(o->pad, "valid");
    const WindowText texts[] = { { "the window", size, SIZE, SIZE },
                                 { ".stride", o->stride ? o->stride : stride, STRIDE, STRIDE },
                                 { ".base_dilation", o->base_dilation, BASE_DILATION, BASE_DILATION },
                                 { ".dilation", o->dilation, DILATION, DILATION },
                                 { ".pad", same || valid ? NULL : o->pad, LOW, HIGH } };
    for (int i = 0; i < 5; i++)
        if (!read_list(&texts[i], t, w)) return false;
    if (same) pad_same(w, t);
    return true;
}

__extension__ typedef __int128 Wide;

static Wide ceiling(Wide a, Wide b) { return a > 0 ? (a + b - 1) / b : 0; }

/* Takes off those rows of the window that lie in the padding wherever the window is: they fold nothing. A
 * window with padding on both sides may be far larger than the array. */
static void trim(WindowAttr *w, Type t)
{
    for (int i = 0; i < t.rank; i++) {
        int64_t *size = &list(w, SIZE)[i], *low = &list(w, LOW)[i], *high = &list(w, HIGH)[i];
        Wide stride = list(w, STRIDE)[i], step = list(w, DILATION)[i], base = list(w, BASE_DILATION)[i];
        Wide reach = (t.dim[i] - 1) * base + 1, spare = reach + *low + *high - ((*size - 1) * step + 1);
        if (*size < 1 || stride < 1 || step < 1 || base < 1 || t.dim[i] < 1 || spare < 0) continue;
        Wide front = ceiling(*low - spare / stride * stride, step),
             back = *size - ceiling(reach + *low, step);
        if (front > *size - 1) front = *size - 1;
        if (front > 0) *size -= (int64_t)front, *low -= (int64_t)(front * step);
        if (back > *size - 1) back = *size - 1;
        if (back > 0) *size -= (int64_t)back, *high -= (int64_t)(back * step);
    }
}

/* Sums and products of narrow floats go on in f32 and are rounded once. */
static weft_array *fold_windows(weft_array *x, Op op, const WindowAttr *windows)
{
    WindowAttr w = *windows;
    if (!x) return NULL;
    trim(&w, array_type(x));
    DType given = ops_dtype(x), t = monoid_is_exact(op, given) ? given : compute_type(given);
    weft_array *args[] = { ops_convert(x, t), ops_splat(t, NULL, 0, monoid_start(op, t)) };
    weft_array *r = ops_apply_monoid(op, OP_REDUCE_WINDOW, args, 2, w.attr, 6 * w.rank);
    return r ? ops_convert(r, given) : NULL;
}

OPS_ENTRY(reduce_window, (weft_combine with, const char *size, weft_window o), (), (with, size, o))
{
    static const Op monoid[] = {
        [WEFT_ADD] = OP_ADD, [WEFT_MUL] = OP_MUL, [WEFT_MIN] = OP_MIN, [WEFT_MAX] = OP_MAX
    };
    WindowAttr w;
    if (with < WEFT_ADD || with > WEFT_MAX)
        return op_fail(WEFT_ARGUMENT,
                       "windows are folded by WEFT_ADD, WEFT_MUL, WEFT_MIN or WEFT_MAX, not by %d",
                       (int)with);
    return read_windows(array_type(x), size, &o, NULL, &w) ? fold_windows(x, monoid[with], &w) : NULL;
}

/* How many elements each window has: all of it, or only those that are no padding. */
static weft_array *window_sizes(weft_array *x, const WindowAttr *w, bool inside)
{
    if (inside) return fold_windows(ops_fill(x, 1), OP_ADD, w);
    double n = 1;
    for (int i = 0; i < w->rank; i++) n *= (double)w->attr[SIZE * w->rank + i];
    return op_number(ops_dtype(x), n);
}

static weft_array *average(weft_array *x, const WindowAttr *w, bool inside)
{
    if (!(x = ops_inexact(x))) return NULL;
    DType t = ops_dtype(x);
    if (dtype_is_narrow_float(t)) x = ops_convert(x, WEFT_F32);
    weft_array *r = ops_binary(OP_DIV, fold_windows(x, OP_ADD, w), x ? window_sizes(x, w, inside) : NULL);
    return r ? ops_convert(r, t) : NULL;
}

static weft_array *pool(weft_array *x, Op op, const char *size, const weft_window *o)
{
    WindowAttr w;
    if (!ops_unused(o->inside && op != OP_DIV, ".inside") || !read_windows(array_type(x), size, o, size, &w))
        return NULL;
    return op == OP_DIV ? average(x, &w, o->inside) : fold_windows(x, op, &w);
}

#define POOL(name, op) \
    OPS_ENTRY(name, (const char *size, weft_window o), (), (size, o)) \
    { \
        return pool(x, op, size, &o); \
    }
POOL(max_pool, OP_MAX)
POOL(min_pool, OP_MIN)
POOL(avg_pool, OP_DIV)

/* ---- segments ---- */

static weft_array *segments(weft_array *x, weft_array *ids, int64_t n, Op op)
{
    Type t = array_type(x), ti = array_type(ids);
    bool fits = ti.rank <= t.rank;
    for (int i = 0; fits && i < ti.rank; i++) fits = ti.dim[i] == t.dim[i];
    if (!ops_int_ok(ti, "the segments' numbers must be integers")) return NULL;
    if (!fits)
        return op_fail(WEFT_SHAPE,
                       "the segments' numbers %s are not one for each of the first elements of %s",
                       TYPE_TEXT(ti), TYPE_TEXT(t));
    if (n < 0) return op_fail(WEFT_ARGUMENT, "%lld segments", (long long)n);
    int rank = 1 + t.rank - ti.rank;
    int64_t dim[WEFT_MAX_RANK + 1] = { n };
    if (!ops_rank_ok(rank)) return NULL;
    for (int i = 1; i < rank; i++) dim[i] = t.dim[ti.rank + i - 1];
    if (!ops_dims_ok((DType)t.dtype, dim, rank)) return NULL;
    return ops_scatter(ops_splat((DType)t.dtype, dim, rank, monoid_start(op, (DType)t.dtype)), ids, 0, x, op);
}

#define SEGMENTS(name, op) \
    OPS_ENTRY(name, (const weft_array *ids, int64_t n), (weft_of_array(ids)), (ids, n)) \
    { \
        return segments(x, ops_in(ids), n, op); \
    }
SEGMENTS(segment_sum, OP_ADD)
SEGMENTS(segment_prod, OP_MUL)
SEGMENTS(segment_max, OP_MAX)
SEGMENTS(segment_min, OP_MIN)

/* ---- counts ---- */

/* What each element adds: its weight, or 1 of this type; flat. */
static weft_array *weights_of(weft_array *x, const weft_counting *c, DType one)
{
    Type t = array_type(x);
    int64_t n = type_count(t);
    if (!c->weights) return ops_splat(one, &n, 1, scalar_from_i64(one, 1));
    Type tw = array_type(c->weights);
    if (!shape_equal(t, tw))
        return op_fail(WEFT_SHAPE, ".weights %s do not have the shape of %s", TYPE_TEXT(tw), TYPE_TEXT(t));
    return ops_reshape(ops_in(c->weights), &n, 1);
}

static weft_array *bincount(weft_array *x, int64_t length, const weft_counting *c)
{
    Type t = array_type(x);
    int64_t n = type_count(t);
    if (!ops_int_ok(t, "what is counted must be integers")) return NULL;
    if (length < 0) return op_fail(WEFT_ARGUMENT, "the length is %lld", (long long)length);
    if (!ops_unused(c->from != 0 || c->to != 0, ".from, .to") || !ops_unused(c->edges, ".edges")) return NULL;
    weft_array *w = weights_of(x, c, WEFT_I32), *flat = ops_reshape(x, &n, 1);
    if (!w || !flat) return NULL;
    if (dtype_is_signed((DType)t.dtype)) flat = ops_with(OP_MAX, flat, 0);
    return ops_scatter(ops_splat(ops_dtype(w), &length, 1, 0), flat, 0, w, OP_ADD);
}

weft_array *weft_bincount_(const weft_array *x, int64_t length, weft_counting c, const char *at)
{
    OpsCall call;
    bool good = ops_begin_on(&call, "weft_bincount", at, x, c.weights);
    return ops_end(&call, good ? bincount(ops_in(x), length, &c) : NULL);
}

/* bins + 1 edges from `from` to `to`; a range of nothing is widened by a half on both sides. */
static weft_array *bin_edges(weft_array *x, int64_t bins, weft_array *from, weft_array *to)
{
    if (!from || !to) return NULL;
    DType t = ops_dtype(x);
    int64_t n = bins + 1;
    weft_array *nothing = ops_compare(CMP_EQ, from, to);
    from = ops_select(nothing, ops_with(OP_SUB, from, 0.5), from);
    to = ops_select(nothing, ops_with(OP_ADD, to, 0.5), to);
    weft_array *i = ops_iota(t, &n, 1, 0), *part = ops_with(OP_DIV, i, (double)bins);
    weft_array *edges =
        ops_binary(OP_ADD, ops_binary(OP_MUL, from, ops_from(OP_SUB, 1, part)), ops_binary(OP_MUL, to, part));
    return ops_select(ops_compare_with(CMP_EQ, i, (double)bins), to, edges);
}

static weft_array *edges_of(weft_array *x, int64_t bins, const weft_counting *c)
{
    Type t = array_type(x);
    if (c->from != 0 || c->to != 0) {
        if (!(c->from <= c->to) || isinf(c->to - c->from))
            return op_fail(WEFT_ARGUMENT, "the range %g to %g", c->from, c->to);
        return bin_edges(x, bins, op_number((DType)t.dtype, c->from), op_number((DType)t.dtype, c->to));
    }
    if (type_count(t) == 0)
        return op_fail(WEFT_SHAPE, "%s has no elements: .from and .to must give the range", TYPE_TEXT(t));
    AxisList all;
    if (!ops_axes(NULL, t, &all)) return NULL;
    return bin_edges(x, bins, ops_reduce(OP_MIN, x, &all, false), ops_reduce(OP_MAX, x, &all, false));
}

enum { FEW_BINS = 32 };

/* Is a type exact enough for the width of bins to say which it is, but for a step? f32: up to a million. */
static bool width_says(DType t, int64_t bins)
{
    return bins >= FEW_BINS && (double)bins * dtype_epsilon(t) <= 0.125;
}

static weft_array *scalar_at(weft_array *x, int64_t i)
{
    return ops_reshape(ops_slice_axis(x, 0, i, i + 1, 1), NULL, 0);
}

/* How many edges are not above x: by the width, and a step aside where an edge says so, as NumPy has it. Half
 * of all numbers is taken, so that no difference overflows. */
static weft_array *edges_below(weft_array *x, weft_array *edges, int64_t bins)
{
    if (!width_says(ops_dtype(x), bins)) return ops_searchsorted(edges, x, true);
    weft_array *low = ops_with(OP_MUL, scalar_at(edges, 0), 0.5),
               *high = ops_with(OP_MUL, scalar_at(edges, bins), 0.5);
    weft_array *scale = ops_from(OP_DIV, (double)bins, ops_binary(OP_SUB, high, low));
    weft_array *place = ops_binary(OP_MUL, ops_binary(OP_SUB, ops_with(OP_MUL, x, 0.5), low), scale);
    place = ops_with(OP_MIN, ops_with(OP_MAX, place, 0), (double)(bins - 1));
    weft_array *bin = ops_convert(place, WEFT_I32), *next = ops_with(OP_ADD, bin, 1);
    weft_array *before = ops_compare(CMP_LT, x, index_gather(edges, bin, 0)),
               *behind = ops_compare(CMP_GE, x, index_gather(edges, next, 0));
    weft_array *count = ops_select(before, bin, ops_select(behind, ops_with(OP_ADD, bin, 2), next));
    return count ? ops_select(ops_compare(CMP_NE, x, x), ops_fill(count, (double)(bins + 1)), count) : NULL;
}

static weft_array *histogram(weft_array *x, int64_t bins, const weft_counting *c, weft_array **edges)
{
    if (bins < 1 || bins > INT32_MAX - 2)
        return op_fail(WEFT_ARGUMENT, "%lld bins (1 to %d)", (long long)bins, INT32_MAX - 2);
    x = ops_inexact(x);
    if (!x) return NULL;
    int64_t n = type_count(array_type(x)), places = bins + 1;
    weft_array *w = weights_of(x, c, n <= INT32_MAX ? WEFT_I32 : WEFT_I64), *flat = ops_reshape(x, &n, 1);
    *edges = edges_of(x, bins, c);
    if (!w || !flat || !*edges) return NULL;
    weft_array *at = edges_below(flat, *edges, bins), *top = scalar_at(*edges, bins);
    at = at ? ops_select(ops_compare(CMP_EQ, flat, top), ops_fill(at, (double)bins), at) : NULL;
    weft_array *sums = ops_scatter(ops_splat(ops_dtype(w), &places, 1, 0), at, 0, w, OP_ADD);
    sums = ops_slice_axis(sums, 0, 1, places, 1);
    return c->weights ? sums : ops_convert(sums, ops_dtype(x));
}

weft_array *weft_histogram_(const weft_array *x, int64_t bins, weft_counting c, const char *at)
{
    OpsCall call;
    bool good = ops_begin_on(&call, "weft_histogram", at, x, c.weights);
    weft_array *edges = NULL, *r = good ? histogram(ops_in(x), bins, &c, &edges) : NULL;
    return ops_end(&call, ops_give(&call, c.edges, edges, r) ? r : NULL);
}
