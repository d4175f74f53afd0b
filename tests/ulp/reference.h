/* reference.h: true values to measure the recipes against, and the distance in units in the last place.
 *
 * Everything is MPFR at 200 bits, but F32 is first compared in double, whose error is some 2^-29 F32 ulps.
 * What MPFR lacks (erf_inv, bessel_i1e, zeta, polygamma) is summed or solved from what it has.
 */
#ifndef WEFT_TESTS_ULP_REFERENCE_H
#define WEFT_TESTS_ULP_REFERENCE_H
#include "compiler/scalar/recipe.h"
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE_BITS = 200 };

/* Functions that are composed of ops, behind the ops. */
enum {
    REFERENCE_RECIPROCAL = OP_COUNT,
    REFERENCE_SOFTPLUS,
    REFERENCE_LOG_SIGMOID,
    REFERENCE_SILU,
    REFERENCE_GELU,
    REFERENCE_GELU_EXACT,
    REFERENCE_HYPOT,
    REFERENCE_LOGADDEXP,
};

/* Temporaries, initialized once per thread of the measuring program. */
typedef struct Reference {
    mpfr_t x, y, value, t[6];
} Reference;

static inline void reference_init(Reference *r)
{
    mpfr_inits2(REFERENCE_BITS, r->x, r->y, r->value, (mpfr_ptr)0);
    for (int i = 0; i < 6; i++) mpfr_init2(r->t[i], REFERENCE_BITS);
}
static inline void reference_clear(Reference *r)
{
    mpfr_clears(r->x, r->y, r->value, (mpfr_ptr)0);
    for (int i = 0; i < 6; i++) mpfr_clear(r->t[i]);
}

/* In each case value = f(x, y). */
static inline void reference_logistic(Reference *r)
{
    mpfr_neg(r->t[0], r->x, MPFR_RNDN);
    mpfr_exp(r->t[0], r->t[0], MPFR_RNDN);
    mpfr_add_ui(r->t[0], r->t[0], 1, MPFR_RNDN);
    mpfr_ui_div(r->value, 1, r->t[0], MPFR_RNDN);
}

/* max(x, y) + log(1 + exp(min - max)); a NaN stays, of infinities the sum says what it is. */
static inline void reference_logaddexp(Reference *r, mpfr_ptr x, mpfr_ptr y)
{
    if (!mpfr_number_p(x) || !mpfr_number_p(y)) {
        if (mpfr_nan_p(x) || mpfr_nan_p(y)) mpfr_set_nan(r->value);
        else mpfr_max(r->value, x, y, MPFR_RNDN);
        return;
    }
    mpfr_sub(r->t[0], x, y, MPFR_RNDN);
    mpfr_abs(r->t[0], r->t[0], MPFR_RNDN);
    mpfr_neg(r->t[0], r->t[0], MPFR_RNDN);
    mpfr_exp(r->t[0], r->t[0], MPFR_RNDN);
    mpfr_log1p(r->t[0], r->t[0], MPFR_RNDN);
    mpfr_max(r->value, x, y, MPFR_RNDN);
    mpfr_add(r->value, r->value, r->t[0], MPFR_RNDN);
}

/* x/2 erfc(-x / sqrt 2), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
static inline void reference_gelu(Reference *r, bool exact)
{
    mpfr_ptr u = r->t[0], c = r->t[1];
    if (exact) {
        mpfr_sqrt_ui(c, 2, MPFR_RNDN);
        mpfr_div(u, r->x, c, MPFR_RNDN);
        mpfr_neg(u, u, MPFR_RNDN);
        mpfr_erfc(u, u, MPFR_RNDN);
    } else {
        mpfr_pow_ui(u, r->x, 3, MPFR_RNDN);
        mpfr_set_str(c, "0.044715", 10, MPFR_RNDN);
        mpfr_fma(u, u, c, r->x, MPFR_RNDN);
        mpfr_const_pi(c, MPFR_RNDN);
        mpfr_ui_div(c, 2, c, MPFR_RNDN);
        mpfr_sqrt(c, c, MPFR_RNDN);
        mpfr_mul(u, u, c, MPFR_RNDN);
        mpfr_tanh(u, u, MPFR_RNDN);
        mpfr_add_ui(u, u, 1, MPFR_RNDN);
    }
    mpfr_mul(r->value, u, r->x, MPFR_RNDN);
    mpfr_div_2ui(r->value, r->value, 1, MPFR_RNDN);
}

/* Newton on erf or, close to 1 where that is flat, on erfc: y += (x - erf y) sqrt(pi)/2 exp(y^2). */
static inline void reference_erf_inv(Reference *r)
{
    if (mpfr_nan_p(r->x) || mpfr_zero_p(r->x)) {
        mpfr_set(r->value, r->x, MPFR_RNDN);
        return;
    }
    if (mpfr_cmpabs_ui(r->x, 1) >= 0) {
        mpfr_set_nan(r->value);
        if (mpfr_cmpabs_ui(r->x, 1) == 0) mpfr_set_inf(r->value, mpfr_sgn(r->x));
        return;
    }
    mpfr_ptr a = r->t[0], y = r->value, e = r->t[1], slope = r->t[2], w = r->t[3];
    mpfr_abs(a, r->x, MPFR_RNDN);
    double start = mpfr_get_d(a, MPFR_RNDN);
    mpfr_ui_sub(w, 1, a, MPFR_RNDN);
    double rest = mpfr_get_d(w, MPFR_RNDN), guess = start * 0.8862269;
    if (rest < 0.3) guess = sqrt(fmax(0.1, -log(rest) - 0.5 * log(3.14159 * fmax(0.2, -log(rest)))));
    mpfr_set_d(y, guess, MPFR_RNDN);
    for (int i = 0; i < 9; i++) {
        mpfr_erfc(e, y, MPFR_RNDN);
        mpfr_sub(e, e, w, MPFR_RNDN); /* erfc y - (1 - a) = a - erf y */
        if (rest > 0.5) {
            mpfr_erf(e, y, MPFR_RNDN);
            mpfr_sub(e, a, e, MPFR_RNDN);
        }
        mpfr_sqr(slope, y, MPFR_RNDN);
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_mul(e, e, slope, MPFR_RNDN);
        mpfr_const_pi(slope, MPFR_RNDN);
        mpfr_sqrt(slope, slope, MPFR_RNDN);
        mpfr_mul(e, e, slope, MPFR_RNDN);
        mpfr_div_2ui(e, e, 1, MPFR_RNDN);
        mpfr_add(y, y, e, MPFR_RNDN);
    }
    mpfr_setsign(y, y, mpfr_signbit(r->x), MPFR_RNDN);
}

/* I1(x) exp(-|x|): the power series up to 700, where MPFR's exponents and 200 + 1.5 x bits carry it; beyond,
 * the asymptotic one. */
static inline void reference_bessel_i1e(Reference *r)
{
    double x = mpfr_get_d(r->x, MPFR_RNDN), a = fabs(x);
    if (isnan(x)) {
        mpfr_set_nan(r->value);
        return;
    }
    if (x == 0 || isinf(x)) {
        mpfr_set_d(r->value, x == 0 ? x : copysign(0.0, x), MPFR_RNDN);
        return;
    }
    mpfr_ptr term = r->t[0], sum = r->t[1], q = r->t[2];
    mpfr_abs(q, r->x, MPFR_RNDN);
    if (a < 100) {
        mpfr_div_2ui(term, q, 1, MPFR_RNDN);
        mpfr_set(sum, term, MPFR_RNDN);
        mpfr_sqr(r->t[3], term, MPFR_RNDN);
        for (unsigned long k = 1; k < 400; k++) {
            mpfr_mul(term, term, r->t[3], MPFR_RNDN);
            mpfr_div_ui(term, term, k * (k + 1), MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
        mpfr_neg(q, q, MPFR_RNDN);
        mpfr_exp(q, q, MPFR_RNDN);
        mpfr_mul(sum, sum, q, MPFR_RNDN);
    } else {
        mpfr_set_ui(term, 1, MPFR_RNDN);
        mpfr_set_ui(sum, 1, MPFR_RNDN);
        mpfr_mul_2ui(q, q, 3, MPFR_RNDN);
        for (unsigned long k = 1; k < 60; k++) { /* terms -(4 - (2k-1)^2) / (8 a k) */
            long factor = (long)((2 * k - 1) * (2 * k - 1)) - 4;
            mpfr_mul_si(term, term, factor, MPFR_RNDN);
            mpfr_div_ui(term, term, k, MPFR_RNDN);
            mpfr_div(term, term, q, MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
        mpfr_const_pi(term, MPFR_RNDN);
        mpfr_mul(q, q, term, MPFR_RNDN);
        mpfr_div_2ui(q, q, 2, MPFR_RNDN); /* 2 pi a */
        mpfr_rec_sqrt(q, q, MPFR_RNDN);
        mpfr_mul(sum, sum, q, MPFR_RNDN);
    }
    mpfr_setsign(r->value, sum, signbit(x), MPFR_RNDN);
}

/* Hurwitz zeta for s > 1, q > 0 by Euler and Maclaurin: 40 terms, then the tail's 20 Bernoulli
 * corrections. */
static inline void reference_zeta(Reference *r, mpfr_ptr s, mpfr_ptr q, mpfr_ptr value)
{
    mpfr_ptr a = r->t[0], p = r->t[1], u = r->t[2], w = r->t[3];
    mpfr_set_ui(value, 0, MPFR_RNDN);
    mpfr_neg(u, s, MPFR_RNDN);
    for (unsigned long k = 0; k < 40; k++) {
        mpfr_add_ui(a, q, k, MPFR_RNDN);
        mpfr_pow(p, a, u, MPFR_RNDN);
        mpfr_add(value, value, p, MPFR_RNDN);
    }
    mpfr_add_ui(a, q, 40, MPFR_RNDN);
    mpfr_pow(p, a, u, MPFR_RNDN); /* a^-s */
    mpfr_mul(w, p, a, MPFR_RNDN);
    mpfr_sub_ui(u, s, 1, MPFR_RNDN);
    mpfr_div(w, w, u, MPFR_RNDN);
    mpfr_add(value, value, w, MPFR_RNDN);
    mpfr_div_2ui(w, p, 1, MPFR_RNDN);
    mpfr_add(value, value, w, MPFR_RNDN);
    mpfr_mul(p, p, s, MPFR_RNDN);
    mpfr_div(p, p, a, MPFR_RNDN); /* s a^(-s-1), then times (s+2k-1)(s+2k) / a^2 */
    for (unsigned long k = 1; k <= 20; k++) {
        mpfr_zeta_ui(w, 2 * k, MPFR_RNDN); /* B_2k / (2k)! = (-1)^(k+1) 2 zeta(2k) / (2 pi)^2k */
        mpfr_const_pi(u, MPFR_RNDN);
        mpfr_mul_2ui(u, u, 1, MPFR_RNDN);
        mpfr_pow_ui(u, u, 2 * k, MPFR_RNDN);
        mpfr_div(w, w, u, MPFR_RNDN);
        mpfr_mul_2ui(w, w, 1, MPFR_RNDN);
        mpfr_mul(w, w, p, MPFR_RNDN);
        if (k % 2) mpfr_add(value, value, w, MPFR_RNDN);
        else mpfr_sub(value, value, w, MPFR_RNDN);
        mpfr_add_ui(u, s, 2 * k - 1, MPFR_RNDN);
        mpfr_mul(p, p, u, MPFR_RNDN);
        mpfr_add_ui(u, s, 2 * k, MPFR_RNDN);
        mpfr_mul(p, p, u, MPFR_RNDN);
        mpfr_div(p, p, a, MPFR_RNDN);
        mpfr_div(p, p, a, MPFR_RNDN);
    }
}

/* polygamma(n, x) = (-1)^(n+1) n! zeta(n+1, x) for n = 1, 2, ... and x > 0. */
static inline void reference_polygamma(Reference *r)
{
    double n = mpfr_get_d(r->x, MPFR_RNDN);
    if (n == 0) {
        mpfr_digamma(r->value, r->y, MPFR_RNDN);
        return;
    }
    mpfr_add_ui(r->t[4], r->x, 1, MPFR_RNDN);
    reference_zeta(r, r->t[4], r->y, r->value);
    mpfr_gamma(r->t[4], r->t[4], MPFR_RNDN);
    mpfr_mul(r->value, r->value, r->t[4], MPFR_RNDN);
    if (fmod(n, 2) == 0) mpfr_neg(r->value, r->value, MPFR_RNDN);
}

static inline void reference_mpfr(Reference *r, int op)
{
    int sign;
    switch (op) {
    case REFERENCE_RECIPROCAL: mpfr_ui_div(r->value, 1, r->x, MPFR_RNDN); break;
    case REFERENCE_SOFTPLUS:
        mpfr_set_zero(r->y, 1);
        reference_logaddexp(r, r->x, r->y);
        break;
    case REFERENCE_LOG_SIGMOID:
        mpfr_set_zero(r->y, 1);
        mpfr_neg(r->x, r->x, MPFR_RNDN);
        reference_logaddexp(r, r->x, r->y);
        mpfr_neg(r->value, r->value, MPFR_RNDN);
        break;
    case REFERENCE_SILU:
        reference_logistic(r);
        mpfr_mul(r->value, r->value, r->x, MPFR_RNDN);
        break;
    case REFERENCE_GELU:       reference_gelu(r, false); break;
    case REFERENCE_GELU_EXACT: reference_gelu(r, true); break;
    case REFERENCE_HYPOT:      mpfr_hypot(r->value, r->x, r->y, MPFR_RNDN); break;
    case REFERENCE_LOGADDEXP:  reference_logaddexp(r, r->x, r->y); break;
    case OP_EXP:               mpfr_exp(r->value, r->x, MPFR_RNDN); break;
    case OP_EXP2:              mpfr_exp2(r->value, r->x, MPFR_RNDN); break;
    case OP_EXPM1:             mpfr_expm1(r->value, r->x, MPFR_RNDN); break;
    case OP_LOG:               mpfr_log(r->value, r->x, MPFR_RNDN); break;
    case OP_LOG2:              mpfr_log2(r->value, r->x, MPFR_RNDN); break;
    case OP_LOG10:             mpfr_log10(r->value, r->x, MPFR_RNDN); break;
    case OP_LOG1P:             mpfr_log1p(r->value, r->x, MPFR_RNDN); break;
    case OP_LOGISTIC:          reference_logistic(r); break;
    case OP_SIN:               mpfr_sin(r->value, r->x, MPFR_RNDN); break;
    case OP_COS:               mpfr_cos(r->value, r->x, MPFR_RNDN); break;
    case OP_TAN:               mpfr_tan(r->value, r->x, MPFR_RNDN); break;
    case OP_TANH:              mpfr_tanh(r->value, r->x, MPFR_RNDN); break;
    case OP_SINH:              mpfr_sinh(r->value, r->x, MPFR_RNDN); break;
    case OP_COSH:              mpfr_cosh(r->value, r->x, MPFR_RNDN); break;
    case OP_ASIN:              mpfr_asin(r->value, r->x, MPFR_RNDN); break;
    case OP_ACOS:              mpfr_acos(r->value, r->x, MPFR_RNDN); break;
    case OP_ATAN:              mpfr_atan(r->value, r->x, MPFR_RNDN); break;
    case OP_ASINH:             mpfr_asinh(r->value, r->x, MPFR_RNDN); break;
    case OP_ACOSH:             mpfr_acosh(r->value, r->x, MPFR_RNDN); break;
    case OP_ATANH:             mpfr_atanh(r->value, r->x, MPFR_RNDN); break;
    case OP_ERF:               mpfr_erf(r->value, r->x, MPFR_RNDN); break;
    case OP_ERFC:              mpfr_erfc(r->value, r->x, MPFR_RNDN); break;
    case OP_ERF_INV:           reference_erf_inv(r); break;
    case OP_CBRT:              mpfr_cbrt(r->value, r->x, MPFR_RNDN); break;
    case OP_RSQRT:
        mpfr_rec_sqrt(r->value, r->x, MPFR_RNDN);
        if (mpfr_zero_p(r->x)) mpfr_set_inf(r->value, mpfr_signbit(r->x) ? -1 : 1);
        break;
    case OP_LGAMMA: mpfr_lgamma(r->value, &sign, r->x, MPFR_RNDN); break;
    case OP_DIGAMMA:
        mpfr_digamma(r->value, r->x, MPFR_RNDN);
        if (mpfr_inf_p(r->value) && mpfr_zero_p(r->x)) mpfr_set_nan(r->value); /* StableHLO's */
        break;
    case OP_BESSEL_I1E: reference_bessel_i1e(r); break;
    case OP_POW:        mpfr_pow(r->value, r->x, r->y, MPFR_RNDN); break;
    case OP_ATAN2:      mpfr_atan2(r->value, r->x, r->y, MPFR_RNDN); break;
    case OP_REM:        mpfr_fmod(r->value, r->x, r->y, MPFR_RNDN); break;
    case OP_ZETA:       reference_zeta(r, r->x, r->y, r->value); break;
    case OP_POLYGAMMA:  reference_polygamma(r); break;
    default:            mpfr_set_nan(r->value); break;
    }
}

/* digamma in long double: by reflection, the recurrence, and beyond 20 the asymptotic series. */
static inline double double_digamma(double x)
{
    if (isnan(x) || (x <= 0 && x == floor(x))) return NAN;
    if (fabs(x) < 0x1p-60) return -1 / x;
    if (x > 0x1p60) return log(x);
    static const long double c[] = { 1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                     1.0L / 132, -691.0L / 32760, 1.0L / 12 };
    const long double pi = 3.141592653589793238462643L;
    long double z = x, sum = 0;
    if (x < 0.5) {
        long double part = fmodl(z, 1);
        sum = -pi / tanl(pi * part);
        z = 1 - z;
    }
    for (; z < 20; z++) sum -= 1 / z;
    long double square = 1 / (z * z), tail = 0;
    for (int k = 6; k >= 0; k--) tail = (tail + c[k]) * square;
    return (double)(sum + logl(z) - 0.5L / z - tail);
}

/* I1(x) exp(-|x|) in long double: the power series up to 30, the asymptotic one beyond. */
static inline double double_bessel_i1e(double x)
{
    long double a = fabsl((long double)x), sum, term;
    if (x == 0 || isnan(x)) return x;
    if (a < 30) {
        sum = term = a / 2;
        for (int k = 1; term > sum * 0x1p-66L; k++) sum += term *= a * a / 4 / ((long double)k * (k + 1));
        sum *= expl(-a);
    } else {
        sum = term = 1;
        for (int k = 1; k < 40 && fabsl(term) > 0x1p-66L; k++)
            sum += term *= ((2 * k - 1) * (2 * k - 1) - 4) / (8 * a * k);
        sum /= sqrtl(2 * 3.141592653589793238462643L * a);
    }
    return copysign((double)sum, x);
}

/* The root of erf y = x by two steps of Newton's from a good guess; where erf is flat, of erfc y = 1 - x,
 * which is exact. */
static inline double double_erf_inv(double x, double guess)
{
    double a = fabs(x), y = fabs(guess) < 6 ? fabs(guess) : 0.5;
    if (!(a < 1)) return a == 1 ? copysign(INFINITY, x) : NAN;
    for (int i = 0; i < 2; i++)
        y += (a < 0.5 ? a - erf(y) : erfc(y) - (1 - a)) * 0.886226925452758014 * exp(y * y);
    return copysign(y, x);
}

/* The C library in double, or what is made of it; false where that is not good enough. For erf_inv, y is a
 * guess. */
static inline bool reference_double(int op, double x, double y, double *value)
{
    switch (op) {
    case REFERENCE_RECIPROCAL:  *value = 1 / x; return true;
    case REFERENCE_SOFTPLUS:    *value = fmax(x, 0) + log1p(exp(-fabs(x))); return !isnan(x);
    case REFERENCE_LOG_SIGMOID: *value = -(fmax(-x, 0) + log1p(exp(-fabs(x)))); return !isnan(x);
    case REFERENCE_SILU:
        *value = x < 0 ? x * exp(x) / (1 + exp(x)) : x / (1 + exp(-x));
        return fabs(x) < 1e30;
    case REFERENCE_GELU:
        *value = x * (0.5 + 0.5 * tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
        return fabs(x) < 1e30;
    case REFERENCE_GELU_EXACT: *value = x * 0.5 * erfc(-x * 0.70710678118654752440); return fabs(x) < 1e30;
    case REFERENCE_HYPOT:      *value = hypot(x, y); return true;
    case OP_EXP:               *value = exp(x); return true;
    case OP_EXP2:              *value = exp2(x); return true;
    case OP_EXPM1:             *value = expm1(x); return true;
    case OP_LOG:               *value = log(x); return true;
    case OP_LOG2:              *value = log2(x); return true;
    case OP_LOG10:             *value = log10(x); return true;
    case OP_LOG1P:             *value = log1p(x); return true;
    case OP_LOGISTIC:          *value = x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); return true;
    case OP_SIN:               *value = sin(x); return true;
    case OP_COS:               *value = cos(x); return true;
    case OP_TAN:               *value = tan(x); return true;
    case OP_TANH:              *value = tanh(x); return true;
    case OP_SINH:              *value = sinh(x); return true;
    case OP_COSH:              *value = cosh(x); return true;
    case OP_ASIN:              *value = asin(x); return true;
    case OP_ACOS:              *value = acos(x); return true;
    case OP_ATAN:              *value = atan(x); return true;
    case OP_ASINH:             *value = asinh(x); return true;
    case OP_ACOSH:             *value = acosh(x); return true;
    case OP_ATANH:             *value = atanh(x); return true;
    case OP_ERF:               *value = erf(x); return true;
    case OP_ERFC:              *value = erfc(x); return true;
    case OP_ERF_INV:           *value = double_erf_inv(x, y); return true;
    case OP_LGAMMA:            *value = lgamma(x); return true;
    case OP_DIGAMMA:           *value = double_digamma(x); return true;
    case OP_BESSEL_I1E:        *value = double_bessel_i1e(x); return true;
    case OP_CBRT:              *value = cbrt(x); return true;
    case OP_RSQRT:             *value = 1 / sqrt(x); return true;
    case OP_POW:               *value = pow(x, y); return true;
    case OP_ATAN2:             *value = atan2(x, y); return true;
    case OP_REM:               *value = fmod(x, y); return true;
    default:                   return false;
    }
}

/* In ulps of what an error is: of the value, or, where that comes out of a difference, of what is
 * subtracted. */
static inline double reference_unit(int op, DType t, double x, double y, double exact)
{
    double size = fabs(exact), reflected;
    bool below = t == WEFT_F64 && x < 0;
    switch (op) {
    case OP_LGAMMA: /* log(pi / sin(pi x)) - reflected */
        reflected = below ? lgamma(1 - x) : 0;
        return below ? fmax(fmax(1, size), fmax(fabs(reflected), fabs(exact + reflected))) : size;
    case OP_DIGAMMA: /* reflected - pi / tan(pi x) */
        reflected = below ? double_digamma(1 - x) : 0;
        return below ? fmax(fmax(1, size), fmax(fabs(reflected), fabs(exact - reflected))) : size;
    case REFERENCE_SILU: /* sigmoid may be subnormal */
        return fmax(size, fabs(x) * (t == WEFT_F64 ? 0x1p-1022 : 0x1p-126));
    case REFERENCE_GELU:
    case REFERENCE_GELU_EXACT: return fmax(size, fabs(x));
    case REFERENCE_LOGADDEXP:  return fmax(size, fmax(fabs(x), fabs(y)));
    default:                   return size;
    }
}

/* |got - exact| in ulps of unit, for the type with this many mantissa bits and this least exponent (2^least
 * is the least subnormal). exact is given as a double and the rest that it misses. Infinite where one is NaN
 * or infinite and the other not, or a zero has the wrong sign. */
static inline double ulp_distance(double got, double exact, double missed, double unit, bool wide)
{
    double most = wide ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : INFINITY;
    if (got == 0 && exact == 0 && missed == 0) return signbit(got) == signbit(exact) ? 0 : INFINITY;
    if (isinf(exact))
        return got == exact                                                              ? 0
               : fabs(got) == most && signbit(got) == signbit(exact) && isfinite(missed) ? 1
                                                                                         : INFINITY;
    int least = wide ? -1074 : -149, bits = wide ? 52 : 23, exponent;
    frexp(unit, &exponent);
    int place = exponent - 1 - bits < least ? least : exponent - 1 - bits;
    if (isinf(got)) {
        if (wide) return fabs(exact) >= most ? 0 : INFINITY;
        return fabs(exact) > most ? fmax(0, (0x1p128 - fabs(exact)) * 0x1p-104) : INFINITY;
    }
    return ldexp(fabs(got - exact - missed), -place);
}

/* The error of got by MPFR. */
static inline double reference_exactly(Reference *r, int op, DType t, double x, double y, double got)
{
    mpfr_set_d(r->x, x, MPFR_RNDN);
    mpfr_set_d(r->y, y, MPFR_RNDN);
    reference_mpfr(r, op);
    double exact = mpfr_get_d(r->value, MPFR_RNDN), missed = 0;
    if (isfinite(exact)) {
        mpfr_sub_d(r->value, r->value, exact, MPFR_RNDN);
        missed = mpfr_get_d(r->value, MPFR_RNDN);
    }
    return ulp_distance(got, exact, missed, reference_unit(op, t, x, y, exact), t == WEFT_F64);
}

/* The same to 2^-20 of an ulp where double serves; the last lines are ulp_distance for normal numbers, but
 * fast. */
static inline double reference_distance(Reference *r, int op, DType t, double x, double y, double got)
{
    double exact, scale;
    if (op == OP_ERF_INV) y = got;
    if (t == WEFT_F64 || !reference_double(op, x, y, &exact)) return reference_exactly(r, op, t, x, y, got);
    double unit = reference_unit(op, t, x, y, exact);
    if (!(unit >= 0x1p-126 && unit < 0x1p127 && isfinite(got)))
        return ulp_distance(got, exact, 0, unit, false);
    uint64_t bits;
    memcpy(&bits, &unit, 8);
    bits = ((UINT64_C(2) * 1023 + 23) << 52) - (bits & (UINT64_C(0x7ff) << 52));
    memcpy(&scale, &bits, 8);
    return fabs(got - exact) * scale;
}
#endif
