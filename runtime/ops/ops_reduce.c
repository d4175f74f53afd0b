/* ops_reduce.c: folds over axes: sums, extremes, moments, norms, positions of extremes, softmax.
 *
 * Definitions are JAX's. Masked-out elements are replaced by a filler, so that they take part without effect:
 * the fold's start value, or what becomes it on the way. The filler comes before the first step whose
 * derivative looks at the element: behind it a masked NaN would meet the zero that comes back, and 0 * NaN is
 * NaN.
 */
#include "ops_compose.h"
#include <math.h>
#include <string.h>

/* The options of one call, read: axes ascending, the mask of x's shape or NULL. */
typedef struct Over {
    AxisList axes;
    bool keep;
    weft_array *mask;
    double ord;
    int ddof;
} Over;

weft_array *ops_mask(const weft_array *where, Type t)
{
    Type m = array_type(where);
    if (m.dtype != WEFT_BOOL)
        return op_fail(WEFT_DTYPE, ".where must be bool, not %s (use weft_ne(mask, 0))", TYPE_TEXT(m));
    if (!ops_fits(m, t.dim, t.rank))
        return op_fail(WEFT_SHAPE, ".where %s does not broadcast to %s", TYPE_TEXT(m), TYPE_TEXT(t));
    return ops_broadcast(ops_in(where), t.dim, t.rank);
}

static bool read_mask(const weft_array *where, Type t, Over *o)
{
    return !where || (o->mask = ops_mask(where, t)) != NULL;
}

static bool read_over(const weft_array *x, const weft_over *over, Over *o)
{
    *o = (Over){ .keep = over->keep, .ord = over->ord, .ddof = over->ddof };
    return ops_axes_ascending(over->axes, array_type(x), &o->axes) &&
           read_mask(over->where, array_type(x), o);
}

static weft_array *masked(weft_array *x, const Over *o, uint64_t filler)
{
    if (!x || !o->mask) return x;
    Type t = array_type(x);
    return ops_select(o->mask, x, ops_splat((DType)t.dtype, t.dim, t.rank, filler));
}

/* The same axes, for what has its filler already. */
static Over unmasked(const Over *o)
{
    Over plain = *o;
    plain.mask = NULL;
    return plain;
}

static weft_array *fold(Op monoid, weft_array *x, const Over *o)
{
    return x ? ops_reduce(monoid, masked(x, o, monoid_start(monoid, ops_dtype(x))), &o->axes, o->keep) : NULL;
}

/* Elements folded into each result, masks aside. */
static int64_t fold_length(const weft_array *x, const Over *o)
{
    Type t = array_type(x);
    int64_t n = 1;
    for (int i = 0; i < o->axes.n; i++) n *= t.dim[o->axes.axis[i]];
    return n;
}

/* ---- sums and extremes ---- */

/* Sums of small ints are at least 32 bits wide. */
static DType sum_dtype(DType t)
{
    if (t == WEFT_BOOL) return WEFT_I32;
    if (!dtype_is_int(t) || dtype_bits(t) >= 32) return t;
    return dtype_is_signed(t) ? WEFT_I32 : WEFT_U32;
}

static weft_array *widened(weft_array *x) { return x ? ops_convert(x, sum_dtype(ops_dtype(x))) : NULL; }
static weft_array *sum(weft_array *x, const Over *o) { return fold(OP_ADD, widened(x), o); }

static weft_array *no_extreme(Type t, bool greatest)
{
    return op_fail(WEFT_SHAPE, "%s has no elements along the axes, and nothing has no %s", TYPE_TEXT(t),
                   greatest ? "greatest" : "least");
}

static weft_array *extreme(Op monoid, weft_array *x, const Over *o)
{
    return fold_length(x, o) > 0 ? fold(monoid, x, o) : no_extreme(array_type(x), monoid == OP_MAX);
}

/* ---- moments ---- */

/* Sums of f16 overflow and round where their mean does not. */
static weft_array *computed(weft_array *x)
{
    x = ops_inexact(x);
    return x && dtype_is_narrow_float(ops_dtype(x)) ? ops_convert(x, WEFT_F32) : x;
}

/* How many elements take part, as an int that holds it exactly, in the shape of the sums. */
static weft_array *part_count(const Over *o, weft_array *x)
{
    Over plain = unmasked(o);
    return fold(OP_ADD, ops_convert(o->mask, fold_length(x, o) <= INT32_MAX ? WEFT_I32 : WEFT_I64), &plain);
}

/* The sums divided by the number of elements that take part, less ddof. Of too few elements: under a mask 0,
 * whose derivative is 0, for an empty mask is an ordinary thing in training; without one NaN, as NumPy has
 * it. */
static weft_array *averaged(weft_array *sums, weft_array *x, const Over *o, int ddof)
{
    if (!sums) return NULL;
    if (!o->mask) {
        int64_t n = fold_length(x, o);
        return ddof && n <= ddof ? ops_fill(sums, NAN) : ops_with(OP_DIV, sums, (double)n - ddof);
    }
    weft_array *n = part_count(o, x);
    if (ddof) n = ops_with(OP_SUB, n, ddof);
    weft_array *r = op_binary(OP_DIV, sums, ops_convert(ops_with(OP_MAX, n, 1), ops_dtype(sums)));
    return ddof > 0 && r ? ops_select(ops_compare_with(CMP_GT, n, 0), r, ops_fill(r, 0)) : r;
}

static weft_array *average(weft_array *x, const Over *o) { return averaged(fold(OP_ADD, x, o), x, o, 0); }

static weft_array *narrowed(weft_array *r, weft_array *like)
{
    if (!r) return NULL;
    DType t = ops_weak_float(ops_dtype(like));
    return ops_convert(r, dtype_is_complex(ops_dtype(r)) ? t : dtype_part(t));
}

/* |x|^2 */
static weft_array *size_squared(weft_array *x)
{
    if (!x || !dtype_is_complex(ops_dtype(x))) return op_unary(OP_SQUARE, x);
    return op_binary(OP_ADD, op_unary(OP_SQUARE, ops_part(OP_REAL, x)),
                     op_unary(OP_SQUARE, ops_part(OP_IMAG, x)));
}

static weft_array *variance(weft_array *x, const Over *o)
{
    Over kept = *o, plain = unmasked(o);
    kept.keep = true;
    weft_array *off = masked(ops_binary(OP_SUB, x, average(x, &kept)), o, 0);
    return averaged(fold(OP_ADD, size_squared(off), &plain), x, o, o->ddof);
}

/* ---- norms ---- */

/* (sum |x|^p)^(1/p). No filler is harmless to every p. */
static weft_array *norm_of_order(weft_array *x, const Over *o, double p)
{
    weft_array *size = op_unary(OP_ABS, masked(x, o, scalar_from_double(ops_dtype(x), 1)));
    return ops_with(OP_POW, fold(OP_ADD, ops_with(OP_POW, size, p), o), 1 / p);
}

static weft_array *norm(weft_array *x, const Over *o)
{
    x = ops_inexact(x);
    if (!x) return NULL;
    double p = o->ord == 0 ? 2 : o->ord;
    if (isnan(p)) return op_fail(WEFT_ARGUMENT, ".ord is NaN");
    if (p != 1 && p != 2 && !isinf(p)) return norm_of_order(x, o, p);
    Over plain = unmasked(o);
    x = masked(x, o, p < 0 ? monoid_start(OP_MIN, ops_dtype(x)) : 0);
    if (p == 2) return op_unary(OP_SQRT, fold(OP_ADD, size_squared(x), &plain));
    weft_array *size = op_unary(OP_ABS, x);
    if (p < 0) return extreme(OP_MIN, size, &plain);
    /* the greatest of nothing is 0 */
    return fold(p == 1 || fold_length(x, o) == 0 ? OP_ADD : OP_MAX, size, &plain);
}

/* ---- positions ---- */

static weft_array *position(Op op, weft_array *x, const weft_over *over)
{
    Over o;
    Type t = array_type(x);
    if (over->where) return op_fail(WEFT_ARGUMENT, ".where is not taken (use weft_where first)");
    if (!ops_unused(over->ddof, ".ddof") || !ops_unused(over->ord != 0, ".ord") || !read_over(x, over, &o))
        return NULL;
    if (over->axes && o.axes.n != 1)
        return op_fail(WEFT_ARGUMENT, "axes \"%s\" name %d axes of %s (one, or .axes not given)", over->axes,
                       o.axes.n, TYPE_TEXT(t));
    if (fold_length(x, &o) == 0) return no_extreme(t, op == OP_ARGMAX);
    weft_array *flat = over->axes ? x : ops_reshape(x, (int64_t[]){ type_count(t) }, 1);
    weft_array *r = op_apply(op, &flat, 1, (int64_t[]){ over->axes ? o.axes.axis[0] : 0 }, 1,
                             &(NodeSpec){ .dtype = WEFT_I32 });
    return o.keep ? ops_keep_axes(r, t, &o.axes) : r;
}

/* ---- sums of exponentials ---- */

/* The greatest along the axes. It is subtracted and added back, so the result does not depend on it, and
 * derivatives need not go through it. */
static weft_array *top(weft_array *x, const Over *o)
{
    weft_array *t = fold(OP_MAX, x, o);
    return t && array_is_traced(t) ? op_unary(OP_STOP_GRADIENT, t) : t;
}

/* x less what was its greatest. Masked elements are 0 from here on, so that exp is 1 there and every
 * derivative on the way back finite; sums leave them out. */
static weft_array *below(weft_array *x, weft_array *greatest, const Over *o)
{
    return masked(ops_binary(OP_SUB, x, greatest), o, 0);
}

/* log(sum(exp(x - max))) + max, where a max that is not finite counts as 0: all -inf gives log(0) = -inf, an
 * inf gives inf. */
static weft_array *logsumexp(weft_array *x, const Over *o)
{
    Over kept = *o;
    kept.keep = true;
    x = ops_inexact(x);
    weft_array *most = top(x, &kept);
    most = ops_select(op_unary(OP_IS_FINITE, most), most, ops_fill(most, 0));
    weft_array *sums = fold(OP_ADD, op_unary(OP_EXP, below(x, most, o)), o);
    if (!sums) return NULL;
    Type t = array_type(sums);
    return op_binary(OP_ADD, op_unary(OP_LOG, sums), ops_reshape(most, t.dim, t.rank));
}

/* o keeps its axes. What is masked is 0 in the end, in rows without a valid element too. */
static weft_array *softmax(weft_array *x, const Over *o)
{
    x = ops_inexact(x);
    Over plain = unmasked(o);
    weft_array *e = masked(op_unary(OP_EXP, below(x, top(x, o), o)), o, 0);
    return masked(ops_binary(OP_DIV, e, fold(OP_ADD, e, &plain)), o, 0);
}

static weft_array *log_softmax(weft_array *x, const Over *o)
{
    x = ops_inexact(x);
    weft_array *s = below(x, top(x, o), o);
    weft_array *total = op_unary(OP_LOG, fold(OP_ADD, op_unary(OP_EXP, s), o));
    return s ? masked(ops_binary(OP_SUB, s, total), o, monoid_start(OP_MAX, ops_dtype(s))) : NULL;
}

/* ---- the ways in ---- */

typedef weft_array *OverAxes(weft_array *, const Over *);

/* softmax: the last axis unless said otherwise; a scalar is a row of one. */
static void along_rows(const weft_array *x, weft_over *over)
{
    over->keep = true;
    if (!over->axes && array_type(x).rank) over->axes = "-1";
}

/* Options of weft/numeric.h. */
static bool no_stranger(const weft_over *over)
{
    return ops_unused(over->weights != NULL, ".weights") && ops_unused(over->method != NULL, ".method");
}

/* What a reduction takes beside the axes and the mask; of rows: it keeps its axes. */
enum { PLAIN = 0, TAKES_DDOF = 1, TAKES_ORD = 2, OF_ROWS = 4 };

static weft_array *reduction(const char *name, OverAxes *f, int options, const weft_array *x, weft_over over,
                             const char *at)
{
    OpsCall call;
    Over o;
    bool ddof = options & TAKES_DDOF, ord = options & TAKES_ORD;
    bool good = ops_begin_on(&call, name, at, x, over.where) &&
                ops_is_text(over.axes, "axes", over.written_) && ops_unused(over.ddof && !ddof, ".ddof") &&
                (!ddof || ops_is_int("ddof", over.written_)) && ops_unused(over.ord != 0 && !ord, ".ord") &&
                no_stranger(&over);
    if (good && options & OF_ROWS) along_rows(x, &over);
    return ops_end(&call, good && read_over(x, &over, &o) ? f(ops_in(x), &o) : NULL);
}

static weft_array *find(const char *name, Op op, const weft_array *x, const weft_over *over, const char *at)
{
    OpsCall call;
    bool good = ops_begin_on(&call, name, at, x, NULL) && ops_is_text(over->axes, "axes", over->written_) &&
                no_stranger(over);
    return ops_end(&call, good ? position(op, ops_in(x), over) : NULL);
}

#define WAYS(name, call) \
    weft_array *weft_##name##_(const weft_array *x, weft_over over, const char *at) { return call; } \
    weft_array *(weft_##name)(weft_array * x) { return weft_##name##_(x, (weft_over){ .axes = NULL }, NULL); }
#define REDUCTION(name, options, composition) \
    static weft_array *name##_of(weft_array *x, const Over *o) { return composition; } \
    WAYS(name, reduction("weft_" #name, name##_of, options, x, over, at))

REDUCTION(sum, PLAIN, sum(x, o))
REDUCTION(prod, PLAIN, fold(OP_MUL, widened(x), o))
REDUCTION(max, PLAIN, extreme(OP_MAX, x, o))
REDUCTION(min, PLAIN, extreme(OP_MIN, x, o))
REDUCTION(any, PLAIN, fold(OP_OR, ops_nonzero(x), o))
REDUCTION(all, PLAIN, fold(OP_AND, ops_nonzero(x), o))
REDUCTION(mean, PLAIN, narrowed(average(computed(x), o), x))
REDUCTION(var, TAKES_DDOF, narrowed(variance(computed(x), o), x))
REDUCTION(std, TAKES_DDOF, narrowed(op_unary(OP_SQRT, variance(computed(x), o)), x))
REDUCTION(norm, TAKES_ORD, norm(x, o))
REDUCTION(logsumexp, PLAIN, logsumexp(x, o))
REDUCTION(count_nonzero, PLAIN, sum(ops_nonzero(x), o))
WAYS(argmax, find("weft_argmax", OP_ARGMAX, x, &over, at))
WAYS(argmin, find("weft_argmin", OP_ARGMIN, x, &over, at))
REDUCTION(softmax, OF_ROWS, softmax(x, o))
REDUCTION(log_softmax, OF_ROWS, log_softmax(x, o))
