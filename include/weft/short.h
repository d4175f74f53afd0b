/* weft/short.h: weft's ops under short names, for formulas that one can read:
 *
 *     #include "weft.h"
 *     #include "weft/short.h"
 *     weft_array *gelu(weft_array *x) { return mul(0.5, x, add(1, erf(mul(x, M_SQRT1_2)))); }
 *
 * C only (C++ has operators: weft.hpp). Include it last, and not in headers of your own. All names are macros
 * that look like functions, so a name without a parenthesis behind it stays yours: variables called sum, the
 * option .where = mask. What C's headers declare under such names (math.h, stdlib.h) is included before.
 *
 * Names that C has too keep their meaning for C numbers: sin(0.5) is a double, sin(x) of an array is an op;
 * of pow(2, x), atan2 and hypot one operand is an array, or both are numbers. The others are the ops of
 * weft/ops.h and weft/numeric.h, with their arguments and options, and always give arrays: mul(2, 3) too.
 * Not here, since C has them otherwise: isnan, isinf, isfinite, signbit, div (true division is divide), and
 * what C calls by operators.
 *
 * add, mul, maximum and minimum take 2 to 8 operands, from left to right. poly(x, c0, c1, c2, ...) is c0 + x
 * (c1 + x (c2 + ...)), of 2 to 16 C numbers or arrays.
 */
#ifndef WEFT_SHORT_H
#define WEFT_SHORT_H
#ifdef __cplusplus
#error "weft/short.h is for C: in C++ include weft.hpp, whose arrays have operators"
#endif
#ifndef __GNUC__
#error "weft/short.h needs GNU C, as gcc and clang have it"
#endif
#include "weft.h"
#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- names of C's: what is done with numbers ---- */
static inline double weft_number_of_(weft_operand o)
{
    return o.kind == WEFT_OPERAND_FLOAT_  ? o.v.f
           : o.kind == WEFT_OPERAND_UINT_ ? (double)o.v.u
                                          : (double)o.v.i;
}
#define WEFT_C1_(f) \
    WEFT_UNUSED_ static double weft_c_##f##_(weft_operand x, const char *at) \
    { \
        (void)at; \
        return (f)(weft_number_of_(x)); \
    }
#define WEFT_C2_(f) \
    WEFT_UNUSED_ static double weft_c_##f##_(weft_operand a, weft_operand b, const char *at) \
    { \
        (void)at; \
        return (f)(weft_number_of_(a), weft_number_of_(b)); \
    }
WEFT_C1_(sqrt) WEFT_C1_(cbrt) WEFT_C1_(exp) WEFT_C1_(exp2) WEFT_C1_(expm1) WEFT_C1_(log) WEFT_C1_(log2)
WEFT_C1_(log10) WEFT_C1_(log1p) WEFT_C1_(sin) WEFT_C1_(cos) WEFT_C1_(tan) WEFT_C1_(asin) WEFT_C1_(acos)
WEFT_C1_(atan) WEFT_C1_(sinh) WEFT_C1_(cosh) WEFT_C1_(tanh) WEFT_C1_(asinh) WEFT_C1_(acosh) WEFT_C1_(atanh)
WEFT_C1_(erf) WEFT_C1_(erfc) WEFT_C1_(lgamma) WEFT_C1_(floor) WEFT_C1_(ceil) WEFT_C1_(trunc) WEFT_C1_(round)
WEFT_C2_(pow) WEFT_C2_(atan2) WEFT_C2_(hypot)
WEFT_UNUSED_ static double weft_c_fabs_(weft_operand x, const char *at)
{
    (void)at;
    return (fabs)(weft_number_of_(x));
}
WEFT_UNUSED_ static int weft_c_abs_(weft_operand x, const char *at)
{
    (void)at;
    return (abs)((int)x.v.i);
}

#define WEFT_SHORT1B_(f, x, t)  __extension__ ({ __auto_type t = (x); \
    _Generic(t, weft_array *: weft_##f##_, const weft_array *: weft_##f##_, \
             default: weft_c_##f##_)(WEFT_PICK_(t)(t), WEFT_HERE); })
#define WEFT_SHORT1_(f, x)      WEFT_SHORT1B_(f, x, WEFT_CAT_(weft_t, __COUNTER__))
#define WEFT_SHORT2B_(f, a, b, s, t)  __extension__ ({ __auto_type s = (a); __auto_type t = (b); \
    _Generic(s, weft_array *: weft_##f##_, const weft_array *: weft_##f##_, \
             default: _Generic(t, weft_array *: weft_##f##_, const weft_array *: weft_##f##_, \
                               default: weft_c_##f##_))(WEFT_PICK_(s)(s), WEFT_PICK_(t)(t), WEFT_HERE); })
#define WEFT_SHORT2_(f, a, b) \
    WEFT_SHORT2B_(f, a, b, WEFT_CAT_(weft_t, __COUNTER__), WEFT_CAT_(weft_t, __COUNTER__))
#define WEFT_SHORT_ABS_(x, t)   __extension__ ({ __auto_type t = (x); \
    _Generic(t, weft_array *: weft_abs_, const weft_array *: weft_abs_, float: weft_c_fabs_, \
             double: weft_c_fabs_, default: weft_c_abs_)(WEFT_PICK_(t)(t), WEFT_HERE); })

#define sqrt(x)         WEFT_SHORT1_(sqrt, x)
#define cbrt(x)         WEFT_SHORT1_(cbrt, x)
#define exp(x)          WEFT_SHORT1_(exp, x)
#define exp2(x)         WEFT_SHORT1_(exp2, x)
#define expm1(x)        WEFT_SHORT1_(expm1, x)
#define log(x)          WEFT_SHORT1_(log, x)
#define log2(x)         WEFT_SHORT1_(log2, x)
#define log10(x)        WEFT_SHORT1_(log10, x)
#define log1p(x)        WEFT_SHORT1_(log1p, x)
#define sin(x)          WEFT_SHORT1_(sin, x)
#define cos(x)          WEFT_SHORT1_(cos, x)
#define tan(x)          WEFT_SHORT1_(tan, x)
#define asin(x)         WEFT_SHORT1_(asin, x)
#define acos(x)         WEFT_SHORT1_(acos, x)
#define atan(x)         WEFT_SHORT1_(atan, x)
#define sinh(x)         WEFT_SHORT1_(sinh, x)
#define cosh(x)         WEFT_SHORT1_(cosh, x)
#define tanh(x)         WEFT_SHORT1_(tanh, x)
#define asinh(x)        WEFT_SHORT1_(asinh, x)
#define acosh(x)        WEFT_SHORT1_(acosh, x)
#define atanh(x)        WEFT_SHORT1_(atanh, x)
#define erf(x)          WEFT_SHORT1_(erf, x)
#define erfc(x)         WEFT_SHORT1_(erfc, x)
#define lgamma(x)       WEFT_SHORT1_(lgamma, x)
#define floor(x)        WEFT_SHORT1_(floor, x)
#define ceil(x)         WEFT_SHORT1_(ceil, x)
#define trunc(x)        WEFT_SHORT1_(trunc, x)
#define round(x)        WEFT_SHORT1_(round, x)      /* arrays: ties to even; numbers: away from 0 */
#define pow(a, b)       WEFT_SHORT2_(pow, a, b)
#define atan2(a, b)     WEFT_SHORT2_(atan2, a, b)
#define hypot(a, b)     WEFT_SHORT2_(hypot, a, b)
#define abs(x)          WEFT_SHORT_ABS_(x, WEFT_CAT_(weft_t, __COUNTER__))

/* ---- sums and products of several ---- */
#define WEFT_FOLD_(f, ...)          WEFT_FOLD_OF_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, few)(f, __VA_ARGS__)
#define WEFT_FOLD_OF_(a, b, c, d, e, f, g, h, n, ...) WEFT_CAT_(WEFT_FOLD_, n)
#define WEFT_FOLD_2(f, a, b)        f(a, b)
#define WEFT_FOLD_3(f, a, b, ...)   f(f(a, b), __VA_ARGS__)
#define WEFT_FOLD_4(f, a, b, c, d)  f(f(f(a, b), c), d)
#define WEFT_FOLD_5(f, a, b, c, d, e)       f(WEFT_FOLD_4(f, a, b, c, d), e)
#define WEFT_FOLD_6(f, a, b, c, d, e, g)    f(WEFT_FOLD_5(f, a, b, c, d, e), g)
#define WEFT_FOLD_7(f, a, b, c, d, e, g, h) f(WEFT_FOLD_6(f, a, b, c, d, e, g), h)
#define WEFT_FOLD_8(f, a, b, c, d, e, g, h, i) f(WEFT_FOLD_7(f, a, b, c, d, e, g, h), i)
#define add(...)        WEFT_FOLD_(weft_add, __VA_ARGS__)
#define mul(...)        WEFT_FOLD_(weft_mul, __VA_ARGS__)
#define maximum(...)    WEFT_FOLD_(weft_maximum, __VA_ARGS__)
#define minimum(...)    WEFT_FOLD_(weft_minimum, __VA_ARGS__)

/* Horner's scheme. */
WEFT_UNUSED_ static weft_array *weft_poly_(weft_operand x, int n, const weft_operand *c, const char *at)
{
    weft_array *sum = weft_mul_(x, c[n - 1], at);
    for (int k = n - 2; k > 0; k--)
        sum = weft_mul_(x, weft_of_array(weft_add_(weft_of_array(sum), c[k], at)), at);
    return weft_add_(weft_of_array(sum), c[0], at);
}
#define WEFT_EACH_(...) \
    WEFT_EACH_OF_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, one)(__VA_ARGS__)
#define WEFT_EACH_OF_(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, n, ...) WEFT_CAT_(WEFT_EACH_, n)
#define WEFT_EACH_2(a, b)       WEFT_ARG_(a), WEFT_ARG_(b)
#define WEFT_EACH_3(a, ...)     WEFT_ARG_(a), WEFT_EACH_2(__VA_ARGS__)
#define WEFT_EACH_4(a, ...)     WEFT_ARG_(a), WEFT_EACH_3(__VA_ARGS__)
#define WEFT_EACH_5(a, ...)     WEFT_ARG_(a), WEFT_EACH_4(__VA_ARGS__)
#define WEFT_EACH_6(a, ...)     WEFT_ARG_(a), WEFT_EACH_5(__VA_ARGS__)
#define WEFT_EACH_7(a, ...)     WEFT_ARG_(a), WEFT_EACH_6(__VA_ARGS__)
#define WEFT_EACH_8(a, ...)     WEFT_ARG_(a), WEFT_EACH_7(__VA_ARGS__)
#define WEFT_EACH_9(a, ...)     WEFT_ARG_(a), WEFT_EACH_8(__VA_ARGS__)
#define WEFT_EACH_10(a, ...)    WEFT_ARG_(a), WEFT_EACH_9(__VA_ARGS__)
#define WEFT_EACH_11(a, ...)    WEFT_ARG_(a), WEFT_EACH_10(__VA_ARGS__)
#define WEFT_EACH_12(a, ...)    WEFT_ARG_(a), WEFT_EACH_11(__VA_ARGS__)
#define WEFT_EACH_13(a, ...)    WEFT_ARG_(a), WEFT_EACH_12(__VA_ARGS__)
#define WEFT_EACH_14(a, ...)    WEFT_ARG_(a), WEFT_EACH_13(__VA_ARGS__)
#define WEFT_EACH_15(a, ...)    WEFT_ARG_(a), WEFT_EACH_14(__VA_ARGS__)
#define WEFT_EACH_16(a, ...)    WEFT_ARG_(a), WEFT_EACH_15(__VA_ARGS__)
#define WEFT_POLY2_(x, c, ...)  __extension__ ({ \
    const weft_operand c[] = { WEFT_EACH_(__VA_ARGS__) }; \
    weft_poly_(WEFT_ARG_(x), (int)(sizeof c / sizeof *c), c, WEFT_HERE); })
#define poly(x, ...)    WEFT_POLY2_(x, WEFT_CAT_(weft_t, __COUNTER__), __VA_ARGS__)

/* ---- weft's own names ---- */
#define sub(a, b)       weft_sub(a, b)
#define divide(a, b)    weft_div(a, b)
#define neg(x)          weft_neg(x)
#define sign(x)         weft_sign(x)
#define square(x)       weft_square(x)
#define reciprocal(x)   weft_reciprocal(x)
#define rsqrt(x)        weft_rsqrt(x)
#define mod(a, b)       weft_mod(a, b)
#define sigmoid(x)      weft_sigmoid(x)
#define softplus(x)     weft_softplus(x)
#define relu(x)         weft_relu(x)
#define eq(a, b)        weft_eq(a, b)
#define ne(a, b)        weft_ne(a, b)
#define lt(a, b)        weft_lt(a, b)
#define le(a, b)        weft_le(a, b)
#define gt(a, b)        weft_gt(a, b)
#define ge(a, b)        weft_ge(a, b)
#define where(c, a, b)  weft_where(c, a, b)
#define clip(x, low, high)  weft_clip(x, low, high)
#define lerp(a, b, t)   weft_lerp(a, b, t)
#define logaddexp(a, b) weft_logaddexp(a, b)

/* Not by weft_sum and its like, which would put down the arguments' text with all its macros grown. */
#define sum(...)        WEFT_CALLR_(weft_sum_, #__VA_ARGS__, __VA_ARGS__)
#define prod(...)       WEFT_CALLR_(weft_prod_, #__VA_ARGS__, __VA_ARGS__)
#define mean(...)       WEFT_CALLR_(weft_mean_, #__VA_ARGS__, __VA_ARGS__)
#define variance(...)   WEFT_CALLR_(weft_var_, #__VA_ARGS__, __VA_ARGS__)
#define standard_deviation(...) WEFT_CALLR_(weft_std_, #__VA_ARGS__, __VA_ARGS__)
#define greatest(...)   WEFT_CALLR_(weft_max_, #__VA_ARGS__, __VA_ARGS__)
#define least(...)      WEFT_CALLR_(weft_min_, #__VA_ARGS__, __VA_ARGS__)
#define any(...)        WEFT_CALLR_(weft_any_, #__VA_ARGS__, __VA_ARGS__)
#define all(...)        WEFT_CALLR_(weft_all_, #__VA_ARGS__, __VA_ARGS__)
#define norm(...)       WEFT_CALLR_(weft_norm_, #__VA_ARGS__, __VA_ARGS__)
#define argmax(...)     WEFT_CALLR_(weft_argmax_, #__VA_ARGS__, __VA_ARGS__)
#define argmin(...)     WEFT_CALLR_(weft_argmin_, #__VA_ARGS__, __VA_ARGS__)
#define softmax(...)    WEFT_CALLR_(weft_softmax_, #__VA_ARGS__, __VA_ARGS__)
#define logsumexp(...)  WEFT_CALLR_(weft_logsumexp_, #__VA_ARGS__, __VA_ARGS__)
#define median(...)     WEFT_CALLR_(weft_median_, #__VA_ARGS__, __VA_ARGS__)
#define quantile(x, ...)        WEFT_CALLQ_(weft_quantile_, x, __VA_ARGS__)
#define cumsum(...)             WEFT_CALLA_(weft_cumsum_, WEFT_AXIS_WANTED_, __VA_ARGS__)

#define matmul(a, b)    weft_matmul(a, b)
#define dot(a, b)       weft_dot(a, b)
#define outer(a, b)     weft_outer(a, b)
#define einsum(...)     weft_einsum(__VA_ARGS__)
#define at(...)         weft_at(__VA_ARGS__)
#define take(x, indices, axis)  weft_take(x, indices, axis)
#define reshape(...)    weft_reshape(__VA_ARGS__)
#define transpose(...)  weft_transpose(__VA_ARGS__)
#define expand_dims(x, axis)    weft_expand_dims(x, axis)
#define concatenate(...)        weft_concatenate(__VA_ARGS__)
#define roll(x, shift, axis)    weft_roll(x, shift, axis)
#define flip(...)       weft_flip(__VA_ARGS__)
#define diff(x, n, axis)        weft_diff(x, n, axis)
#define gradient(x, spacing, axis)      weft_gradient(x, spacing, axis)
#define trapezoid(y, spacing, axis)     weft_trapezoid(y, spacing, axis)
#define interp(x, xp, fp)       weft_interp(x, xp, fp)
#endif
