/* ops_special.c: special functions as compositions: gamma and beta, Bessel functions, the normal
 * distribution's, the exponential integral.
 *
 * All is computed in f64, from Chebyshev series (ops_special_tables.py) where no op has the function. Where a
 * function is made of pieces, each piece's argument is kept in its own range, so that no other piece's
 * infinities reach a derivative. A function of pieces has its derivative by a rule (ops_ruled), in terms of
 * its like (j1_ruled, not j1_of: the rule is differentiated, too), not by differentiating a series.
 */
#include "runtime/ops/ops_body.h"
#include <math.h>
#include "ops_special_tables.h"
#include "weft/special.h"

#define ADD(a, b) ops_binary(OP_ADD, a, b)
#define SUB(a, b) ops_binary(OP_SUB, a, b)
#define MUL(a, b) ops_binary(OP_MUL, a, b)
#define DIV(a, b) ops_binary(OP_DIV, a, b)
#define LENGTH(c) ((int)(sizeof(c) / sizeof *(c)))

static weft_array *wide(weft_array *x) { return ops_no_complex(x) ? ops_convert_as_is(x, WEFT_F64) : NULL; }
static weft_array *as(weft_array *r, weft_array *like)
{
    return like ? ops_convert(r, ops_dtype(like)) : NULL;
}
static weft_array *scaled(weft_array *x, double by, double plus)
{
    return ops_with(OP_ADD, ops_with(OP_MUL, x, by), plus);
}
/* yes where x is less than v, no otherwise and where it is NaN */
static weft_array *below(weft_array *x, double v, weft_array *yes, weft_array *no)
{
    return ops_select(ops_compare_with(CMP_LT, x, v), yes, no);
}
/* x kept on one side of v. A minimum would halve the derivative at v, where below() takes the upper side. */
static weft_array *most(weft_array *x, double v) { return x ? below(x, v, ops_fill(x, v), x) : NULL; }
static weft_array *least(weft_array *x, double v)
{
    return x ? ops_select(ops_compare_with(CMP_GE, x, v), ops_fill(x, v), x) : NULL;
}
static weft_array *at_value(weft_array *x, double v, double is, weft_array *else_)
{
    return else_ ? ops_select(ops_compare_with(CMP_EQ, x, v), ops_fill(else_, is), else_) : NULL;
}

/* c[0] + c[1] T1(u) + ... by Clenshaw's recurrence. */
static weft_array *chebyshev(const double *c, int n, weft_array *u)
{
    weft_array *twice = ops_with(OP_MUL, u, 2), *b = u ? ops_fill(u, c[n - 1]) : NULL, *before = NULL;
    for (int k = n - 2; k >= 0; k--) {
        weft_array *next = MUL(k ? twice : u, b);
        if (before) next = SUB(next, before);
        before = b;
        b = ops_with(OP_ADD, next, c[k]);
    }
    return b;
}
#define SERIES(c, u) chebyshev(c, LENGTH(c), u)

/* A rule for one operand: SPECIAL(name, value, slope), expressions of x (for slope in its own type, with v,
 * the value), makes weft_name. */
#define SPECIAL(NAME, value_of, slope_of) \
    static void NAME##_value(weft_array *const *in, weft_array **out, const void *data) \
    { \
        weft_array *x = wide(in[0]); \
        (void)data; \
        if (x) out[0] = as(value_of, in[0]); \
    } \
    static void NAME##_slope(weft_array *const *in, weft_array **out, const void *data) \
    { \
        weft_array *x = wide(in[0]), *v = wide(in[1]); \
        (void)data; \
        if (x && v) out[0] = as(slope_of, in[0]); \
    } \
    static weft_array *NAME##_ruled(weft_array *x) \
    { \
        return ops_ruled(&x, 1, &(OpsRuled){ .value = NAME##_value, .slopes = NAME##_slope }); \
    } \
    OPS_UNARY(NAME, NAME##_ruled, RULE_INEXACT)
/* The same of two, a and b. */
#define SPECIAL2(NAME, value_of, slope_of_a, slope_of_b) \
    static void NAME##_value(weft_array *const *in, weft_array **out, const void *data) \
    { \
        weft_array *a = in[0], *b = in[1]; \
        (void)data; \
        out[0] = value_of; \
    } \
    static void NAME##_slope(weft_array *const *in, weft_array **out, const void *data) \
    { \
        weft_array *a = in[0], *b = in[1]; \
        (void)data; \
        out[0] = slope_of_a; \
        out[1] = slope_of_b; \
    } \
    static weft_array *NAME##_ruled(weft_array *const *x) \
    { \
        return ops_ruled(x, 2, &(OpsRuled){ .value = NAME##_value, .slopes = NAME##_slope }); \
    } \
    OF_TWO(NAME, NAME##_ruled)
#define OF_TWO(NAME, f) \
    weft_array *weft_##NAME##_(weft_operand a, weft_operand b, const char *at) \
    { \
        OpsCall call; \
        weft_array *x[2]; \
        weft_operand o[2] = { a, b }; \
        bool good = ops_begin(&call, "weft_" #NAME, at, NULL, o, 2) && ops_unify(o, 2, RULE_INEXACT, x); \
        return ops_end(&call, good ? f(x) : NULL); \
    } \
    OPS_OF_ARRAYS(NAME)

/* ---- gamma and beta ---- */

/* The sign of gamma(x): -1 where floor(x) is odd and negative; NaN at its poles but 0. */
static weft_array *gamma_sign(weft_array *x)
{
    weft_array *whole = op_unary(OP_FLOOR, x), *odd = ops_with(OP_REM, whole, 2);
    if (!odd) return NULL;
    weft_array *sign = ops_select(ops_compare_with(CMP_NE, odd, 0), ops_fill(x, -1), ops_fill(x, 1));
    sign = ops_select(ops_compare(CMP_EQ, whole, x), ops_fill(x, NAN), sign);
    return sign ? below(x, 0, sign, ops_fill(x, 1)) : NULL;
}

static weft_array *gamma_of(weft_array *given)
{
    weft_array *x = wide(given);
    weft_array *size = op_unary(OP_EXP, op_unary(OP_LGAMMA, x)), *value = MUL(gamma_sign(x), size);
    weft_array *zero = ops_compare_with(CMP_EQ, x, 0);
    return as(zero ? ops_select(zero, ops_from(OP_DIV, 1, x), value) : NULL, given);
}

OPS_UNARY(gamma, gamma_of, RULE_INEXACT)

/* log gamma(z) - (z - 1/2) log z + z - log(2 pi) / 2, z >= 10: Stirling's series, B_2k / (2k (2k-1)) */
static weft_array *stirling(weft_array *z)
{
    static const double c[] = { 1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400 };
    weft_array *y = ops_from(OP_DIV, 1, z), *square = op_unary(OP_SQUARE, y), *sum = ops_fill(z, c[7]);
    for (int k = 6; k >= 0; k--) sum = ops_with(OP_ADD, MUL(sum, square), c[k]);
    return MUL(sum, y);
}

/* For the greater at least 10 the logarithms of large gammas are not subtracted:
 * log gamma(b) - log gamma(a + b) =
 *     -(b - 1/2) log(1 + a/b) - a (log(a + b) - 1) + stirling(b) - stirling(a + b) */
static weft_array *log_beta(weft_array *x, weft_array *y)
{
    weft_array *less = x && y ? ops_compare(CMP_LT, x, y) : NULL; /* not MIN and MAX: halves where a = b */
    if (!less) return NULL;
    weft_array *a = ops_select(less, x, y), *b = ops_select(less, y, x);
    weft_array *far = op_binary(OP_AND, ops_compare_with(CMP_GE, b, 10), ops_compare_with(CMP_GT, a, 0));
    if (!far) return NULL;
    weft_array *near =
        SUB(ADD(op_unary(OP_LGAMMA, x), op_unary(OP_LGAMMA, y)), op_unary(OP_LGAMMA, ADD(x, y)));
    a = ops_select(far, a, ops_fill(a, 1));
    b = ops_select(far, b, ops_fill(b, 10));
    weft_array *sum = ADD(a, b), *rise = MUL(ops_with(OP_SUB, b, 0.5), op_unary(OP_LOG1P, DIV(a, b)));
    weft_array *fall = MUL(a, ops_with(OP_SUB, op_unary(OP_LOG, sum), 1));
    weft_array *rest = SUB(SUB(SUB(stirling(b), stirling(sum)), rise), fall);
    return ops_select(far, ADD(op_unary(OP_LGAMMA, a), rest), near);
}

static weft_array *betaln_of(weft_array *const *x) { return as(log_beta(wide(x[0]), wide(x[1])), x[0]); }

static weft_array *beta_of(weft_array *const *x)
{
    weft_array *a = wide(x[0]), *b = wide(x[1]);
    weft_array *sign = MUL(MUL(gamma_sign(a), gamma_sign(b)), gamma_sign(ADD(a, b)));
    return as(MUL(sign, op_unary(OP_EXP, log_beta(a, b))), x[0]);
}

OF_TWO(betaln, betaln_of)
OF_TWO(beta, beta_of)

/* ---- Bessel functions. x is f64 in all that follows ---- */

static weft_array *magnitude(weft_array *x) { return op_unary(OP_ABS, x); }
static weft_array *signed_as(weft_array *x, weft_array *v) { return MUL(op_unary(OP_SIGN, x), v); }
/* x where |x| < v, else 0 */
static weft_array *within(weft_array *x, double v)
{
    return x ? below(magnitude(x), v, x, ops_fill(x, 0)) : NULL;
}

static weft_array *i0e_of(weft_array *x)
{
    weft_array *a = magnitude(x), *high = most(a, 8);
    weft_array *near = SERIES(i0e_near, scaled(least(a, 8), 0.25, -1));
    weft_array *far =
        DIV(SERIES(i0e_far, ops_with(OP_SUB, ops_from(OP_DIV, 16, high), 1)), op_unary(OP_SQRT, high));
    return below(a, 8, near, far);
}

/* f(x) / x, where f is I1 (sign 1) or J1 (-1). Below 4 by powers, half the sum of
 * (sign x^2 / 4)^k / (k! (k + 1)!), for near 0 the derivative of a quotient would cancel. */
static weft_array *over_x(weft_array *f, weft_array *x, double sign)
{
    weft_array *a = magnitude(x), *y = ops_with(OP_MUL, op_unary(OP_SQUARE, within(x, 4)), sign / 4);
    weft_array *sum = y ? ops_fill(y, 1) : NULL;
    for (int k = 20; k >= 1; k--)
        sum = ops_with(OP_ADD, ops_with(OP_MUL, MUL(y, sum), 1.0 / (k * (k + 1))), 1);
    if (!sum) return NULL;
    return below(a, 4, ops_with(OP_MUL, sum, 0.5), DIV(f, below(a, 4, ops_fill(x, 1), x)));
}

static weft_array *i1_scaled(weft_array *x) { return op_unary(OP_BESSEL_I1E, x); }
static weft_array *grown(weft_array *x, weft_array *scaled_down)
{
    return MUL(op_unary(OP_EXP, magnitude(x)), scaled_down);
}

static weft_array *i0_ruled(weft_array *), *j0_ruled(weft_array *);
SPECIAL(i0e, i0e_of(x), SUB(i1_scaled(x), signed_as(x, v)))
SPECIAL(i1, grown(x, i1_scaled(x)), SUB(i0_ruled(x), over_x(v, x, 1)))
SPECIAL(i0, grown(x, i0e_of(x)), i1_ruled(x))
OPS_UNARY_AS(i1e, as(i1_scaled(wide(x)), x), RULE_INEXACT)

/* Beyond 8: sqrt(2 / (pi x)) (P cos(t) - 8/x Q sin(t)), t = x - pi/4 or x - 3 pi/4, whose cosine and sine are
 * sums of x's: so a large x loses nothing. At infinity: 0. */
static weft_array *hankel(weft_array *a, const double *p, int n_p, const double *q, int n_q, bool one)
{
    weft_array *part = ops_from(OP_DIV, 8, a), *u = scaled(op_unary(OP_SQUARE, part), 2, -1);
    weft_array *s = op_unary(OP_SIN, a), *c = op_unary(OP_COS, a), *sum = ADD(s, c), *less = SUB(s, c);
    weft_array *cosine = chebyshev(p, n_p, u), *sine = MUL(part, chebyshev(q, n_q, u));
    weft_array *wave = one ? ADD(MUL(cosine, less), MUL(sine, sum)) : SUB(MUL(cosine, sum), MUL(sine, less));
    return at_value(a, INFINITY, 0, MUL(op_unary(OP_RSQRT, ops_with(OP_MUL, a, M_PI)), wave));
}
#define HANKEL(a, p, q, one) hankel(a, p, LENGTH(p), q, LENGTH(q), one)

/* The place of x^2, below 64, in a series. */
static weft_array *by_square(weft_array *x) { return scaled(op_unary(OP_SQUARE, x), 1.0 / 32, -1); }

static weft_array *j0_of(weft_array *x)
{
    weft_array *a = magnitude(x), *near = SERIES(j0_near, by_square(within(x, 8)));
    return below(a, 8, near, HANKEL(most(a, 8), j0_cosine, j0_sine, false));
}

static weft_array *j1_of(weft_array *x)
{
    weft_array *a = magnitude(x), *small = within(x, 8),
               *near = MUL(small, SERIES(j1_near, by_square(small)));
    return below(a, 8, near, signed_as(x, HANKEL(most(a, 8), j1_cosine, j1_sine, true)));
}

SPECIAL(j1, j1_of(x), SUB(j0_ruled(x), over_x(v, x, -1)))
SPECIAL(j0, j0_of(x), op_unary(OP_NEG, j1_ruled(x)))

/* ---- the normal distribution ---- */

static const double log_root_2pi = 0.91893853320467274178, root_2pi = 2.50662827463100050242;

static weft_array *lower_tail(weft_array *x)
{
    return ops_with(OP_MUL, op_unary(OP_ERFC, ops_with(OP_MUL, x, -M_SQRT1_2)), 0.5);
}

OPS_UNARY_AS(ndtr, as(lower_tail(wide(x)), x), RULE_INEXACT)

/* ndtr(x) = density(x) / -x times this, x <= -20: 1 - 1/x^2 + 3/x^4 - 15/x^6 + ... */
static weft_array *tail_series(weft_array *x)
{
    weft_array *y = ops_from(OP_DIV, 1, op_unary(OP_SQUARE, x)), *sum = NULL;
    for (int k = 15; k >= 1; k -= 2) {
        weft_array *term = ops_with(OP_MUL, y, -k);
        sum = ops_with(OP_ADD, sum ? MUL(term, sum) : term, 1);
    }
    return sum;
}

static weft_array *log_ndtr_of(weft_array *x)
{
    weft_array *low = least(x, -20),
               *low_log = SUB(op_unary(OP_LOG, tail_series(low)), op_unary(OP_LOG, op_unary(OP_NEG, low)));
    low_log = SUB(low_log, scaled(op_unary(OP_SQUARE, low), 0.5, log_root_2pi));
    weft_array *middle = op_unary(OP_LOG, lower_tail(least(most(x, -20), 0)));
    weft_array *high = op_unary(OP_LOG1P, op_unary(OP_NEG, lower_tail(op_unary(OP_NEG, most(x, 0)))));
    return below(x, -20, low_log, below(x, 0, middle, high));
}

/* density / ndtr */
static weft_array *log_ndtr_slope_of(weft_array *x, weft_array *v)
{
    weft_array *low = least(x, -20), *high = most(x, -20);
    weft_array *tail = DIV(op_unary(OP_NEG, low), tail_series(low));
    weft_array *log_ratio =
        op_unary(OP_NEG, ADD(scaled(op_unary(OP_SQUARE, high), 0.5, log_root_2pi), most(v, -210)));
    return below(x, -20, tail, op_unary(OP_EXP, log_ratio));
}

SPECIAL(log_ndtr, log_ndtr_of(x), log_ndtr_slope_of(x, v))

/* By 1 / t on lo .. hi, as u. */
static weft_array *reciprocal_part(weft_array *w, double lo, double hi)
{
    double from = 1 / lo, to = isinf(hi) ? 0 : 1 / hi;
    return scaled(w, 2 / (to - from), -2 * from / (to - from) - 1);
}
#define PART(c, w, lo, hi) SERIES(c, reciprocal_part(w, lo, hi))

/* |ndtri(q)| for q below exp(-2) */
static weft_array *normal_tail(weft_array *q)
{
    weft_array *t = op_unary(OP_SQRT, ops_with(OP_MUL, op_unary(OP_LOG, q), -2));
    t = least(most(t, 2), 40);
    weft_array *w = ops_from(OP_DIV, 1, t), *rest = PART(ndtri_11, w, 11, 40);
    rest = below(t, 11, PART(ndtri_5, w, 5, 11), rest);
    rest = below(t, 5, PART(ndtri_3, w, 3, 5), rest);
    rest = below(t, 3, PART(ndtri_2, w, 2, 3), rest);
    return SUB(t, MUL(w, ADD(op_unary(OP_LOG, t), rest)));
}

static weft_array *ndtri_of(weft_array *p)
{
    weft_array *q = op_binary(OP_MIN, p, ops_from(OP_SUB, 1, p));
    weft_array *centre = ops_with(OP_MUL, op_unary(OP_ERF_INV, scaled(p, 2, -1)), M_SQRT2);
    weft_array *tail = at_value(q, 0, INFINITY, normal_tail(q));
    tail = below(p, 0.5, op_unary(OP_NEG, tail), tail);
    weft_array *inside = below(ops_from(OP_SUB, 0, q), -0.1353352832366127, centre, tail);
    return inside ? below(q, 0, ops_fill(inside, NAN), inside) : NULL;
}

SPECIAL(ndtri, ndtri_of(x),
        scaled(op_unary(OP_EXP, ops_with(OP_MUL, op_unary(OP_SQUARE, v), 0.5)), root_2pi, 0))

/* ---- logarithms ---- */

/* 0 where a is, unless b is NaN. */
static weft_array *times_log(weft_array *a, weft_array *b, Op log)
{
    weft_array *none = op_binary(OP_AND, ops_compare_with(CMP_EQ, a, 0), ops_compare(CMP_EQ, b, b));
    weft_array *r = MUL(a, op_unary(log, b));
    return r ? ops_select(none, ops_fill(r, 0), r) : NULL;
}

SPECIAL2(xlogy, times_log(a, b, OP_LOG), op_unary(OP_LOG, b), DIV(a, b))
SPECIAL2(xlog1py, times_log(a, b, OP_LOG1P), op_unary(OP_LOG1P, b), DIV(a, ops_with(OP_ADD, b, 1)))

static weft_array *entr_of(weft_array *x)
{
    weft_array *v = op_unary(OP_NEG, times_log(x, x, OP_LOG));
    return v ? below(x, 0, ops_fill(v, -INFINITY), at_value(x, 0, 0, v)) : NULL;
}

SPECIAL(entr, entr_of(x), ops_from(OP_SUB, -1, op_unary(OP_LOG, x)))

OPS_UNARY_AS(logit, as(op_unary(OP_LOG, DIV(wide(x), ops_from(OP_SUB, 1, wide(x)))), x), RULE_INEXACT)

/* ---- the exponential integral ---- */

/* exp(x) / x times a series by 1 / x. In two halves, for e^x overflows before Ei does. */
static weft_array *far_from_0(weft_array *x, weft_array *series)
{
    weft_array *half = op_unary(OP_EXP, ops_with(OP_MUL, x, 0.5));
    return MUL(half, MUL(DIV(half, x), series));
}

static weft_array *ei_minus(weft_array *x)
{
    weft_array *near = least(most(x, -1), -0x1p-1022), *far = least(x, -1), *w = ops_from(OP_DIV, 1, far);
    weft_array *series = PART(ei_minus_14, w, -14, -INFINITY);
    series = below(far, -14, series, PART(ei_minus_5, w, -5, -14));
    series = below(far, -5, series, PART(ei_minus_2, w, -2, -5));
    series = below(far, -2, series, PART(ei_minus_1, w, -1, -2));
    weft_array *log_part = ops_with(OP_ADD, op_unary(OP_LOG, op_unary(OP_NEG, near)), euler_gamma);
    return below(x, -1, far_from_0(far, series),
                 ADD(log_part, MUL(near, SERIES(ei_below, scaled(near, 2, 1)))));
}

/* log(x / root) + (x - root) series exp(x / 2), x in 0 .. 6, exact near the root. */
static weft_array *ei_near_root(weft_array *x)
{
    weft_array *off = ops_with(OP_SUB, ops_with(OP_SUB, x, ei_root[0]), ei_root[1]);
    weft_array *log_part = below(x, 0.1, op_unary(OP_LOG, ops_with(OP_DIV, least(x, 0.1), ei_root[0])),
                                 op_unary(OP_LOG1P, ops_with(OP_DIV, off, ei_root[0])));
    weft_array *series =
        MUL(SERIES(ei_root_near, scaled(x, 1.0 / 3, -1)), op_unary(OP_EXP, ops_with(OP_MUL, x, 0.5)));
    return ADD(log_part, MUL(off, series));
}

static weft_array *ei_plus(weft_array *x)
{
    weft_array *far = most(x, 6), *w = ops_from(OP_DIV, 1, far);
    weft_array *series = below(far, 60, PART(ei_25, w, 25, 60), PART(ei_60, w, 60, INFINITY));
    series = below(far, 25, PART(ei_12, w, 12, 25), series);
    series = below(far, 12, PART(ei_6, w, 6, 12), series);
    weft_array *large = at_value(far, INFINITY, INFINITY, far_from_0(far, series));
    return below(x, 6, ei_near_root(least(most(x, 0x1p-1022), 6)), large);
}

static weft_array *expi_of(weft_array *x)
{
    return at_value(x, 0, -INFINITY, below(x, 0, ei_minus(x), ei_plus(x)));
}

SPECIAL(expi, expi_of(x), DIV(op_unary(OP_EXP, x), x))
