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
 * Not here, since C has them otherwise: isnan, isinf, isfinite, signbit, complex (weft_complex), div (true
 * division is divide), and what C calls by operators.
 *
 * Beside formulas: matrices (weft/linalg.h), Fourier transforms (weft/fft.h), special functions
 * (weft/special.h) and convolutions, all of them but those whose short name is a word of C or of its
 * headers.
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
WEFT_UNUSED_ static double _Complex weft_c_conj_(weft_operand z, const char *at)
{
    union { double part[2]; double _Complex z; } u;
    (void)at;
    u.part[0] = z.kind == WEFT_OPERAND_COMPLEX_ ? z.v.z[0] : weft_number_of_(z);
    u.part[1] = z.kind == WEFT_OPERAND_COMPLEX_ ? z.v.z[1] : 0;
    return (conj)(u.z);
}
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
#define conj(x)         WEFT_SHORT1_(conj, x)
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
#define diff(...)               weft_diff(__VA_ARGS__)
#define gradient(...)           weft_gradient(__VA_ARGS__)
#define trapezoid(...)          weft_trapezoid(__VA_ARGS__)
#define cumulative_trapezoid(...)       weft_cumulative_trapezoid(__VA_ARGS__)
#define unwrap(...)             weft_unwrap(__VA_ARGS__)
#define interp(x, xp, ...)      WEFT_CALLI_(#__VA_ARGS__, x, xp, __VA_ARGS__)

/* ---- complex numbers ---- */
#define real(x)         weft_real(x)
#define imag(x)         weft_imag(x)
#define angle(x)        weft_angle(x)

/* ---- matrices ---- */
#define cholesky(...)           WEFT_CALL_LA1_(weft_cholesky_, __VA_ARGS__)
#define lu(a, ...)              weft_lu(a, __VA_ARGS__)
#define qr(...)                 WEFT_CALL_LAV_(weft_qr_, __VA_ARGS__)
#define eigh(...)               WEFT_CALL_LAV_(weft_eigh_, __VA_ARGS__)
#define eigvalsh(...)           WEFT_CALL_LA1_(weft_eigvalsh_, __VA_ARGS__)
#define eig(...)                WEFT_CALL_LAV_(weft_eig_, __VA_ARGS__)
#define eigvals(...)            WEFT_CALL_LA1_(weft_eigvals_, __VA_ARGS__)
#define svd(a, u, ...)          weft_svd(a, u, __VA_ARGS__)
#define solve_triangular(a, ...)        WEFT_CALL_LA2_(weft_solve_triangular_, a, __VA_ARGS__)
#define solve(a, ...)           WEFT_CALL_LA2_(weft_solve_, a, __VA_ARGS__)
#define inv(...)                WEFT_CALL_LA1_(weft_inv_, __VA_ARGS__)
#define det(...)                WEFT_CALL_LA1_(weft_det_, __VA_ARGS__)
#define slogdet(a, sign)        weft_slogdet(a, sign)
#define lstsq(a, ...)           WEFT_CALL_LA2_(weft_lstsq_, a, __VA_ARGS__)
#define pinv(...)               WEFT_CALL_LA1_(weft_pinv_, __VA_ARGS__)
#define matrix_rank(...)        WEFT_CALL_LA1_(weft_matrix_rank_, __VA_ARGS__)
#define matrix_cond(...)        WEFT_CALL_LA1_(weft_matrix_cond_, __VA_ARGS__)
#define matrix_power(a, n)      weft_matrix_power(a, n)
#define expm(...)               WEFT_CALL_LA1_(weft_expm_, __VA_ARGS__)
#define matrix_norm(a, order)   weft_matrix_norm(a, order)
#define trace(...)              weft_trace(__VA_ARGS__)
#define diagonal(...)           weft_diagonal(__VA_ARGS__)
#define diag(...)               weft_diag(__VA_ARGS__)
#define kron(a, ...)            WEFT_CALL_LA2_(weft_kron_, a, __VA_ARGS__)
#define cross(a, ...)           WEFT_CALL_LA2_(weft_cross_, a, __VA_ARGS__)
#define block_diag(...)         weft_block_diag(__VA_ARGS__)
#define toeplitz(c, r)          weft_toeplitz(c, r)
#define cov(...)                WEFT_CALL_LA1_(weft_cov_, __VA_ARGS__)
#define corrcoef(...)           WEFT_CALL_LA1_(weft_corrcoef_, __VA_ARGS__)
#define polyfit(x, y, degree)   weft_polyfit(x, y, degree)
#define polyval(p, ...)         weft_polyval(p, __VA_ARGS__)
#define roots(...)              WEFT_CALL_LA1_(weft_roots_, __VA_ARGS__)
#define inner(a, b)             weft_inner(a, b)
#define tensordot(a, b, a_axes, b_axes)         weft_tensordot(a, b, a_axes, b_axes)

/* ---- Fourier transforms and convolutions ---- */
#define fft(...)        WEFT_CALLF_(weft_fft_, __VA_ARGS__)
#define ifft(...)       WEFT_CALLF_(weft_ifft_, __VA_ARGS__)
#define rfft(...)       WEFT_CALLF_(weft_rfft_, __VA_ARGS__)
#define irfft(...)      WEFT_CALLF_(weft_irfft_, __VA_ARGS__)
#define fft2(...)       weft_fft2(__VA_ARGS__)
#define ifft2(...)      weft_ifft2(__VA_ARGS__)
#define rfft2(...)      weft_rfft2(__VA_ARGS__)
#define irfft2(...)     weft_irfft2(__VA_ARGS__)
#define fftn(...)       weft_fftn(__VA_ARGS__)
#define ifftn(...)      weft_ifftn(__VA_ARGS__)
#define rfftn(...)      weft_rfftn(__VA_ARGS__)
#define irfftn(...)     weft_irfftn(__VA_ARGS__)
#define fftfreq(ctx, n, spacing)        weft_fftfreq(ctx, n, spacing)
#define rfftfreq(ctx, n, spacing)       weft_rfftfreq(ctx, n, spacing)
#define fftshift(...)           weft_fftshift(__VA_ARGS__)
#define ifftshift(...)          weft_ifftshift(__VA_ARGS__)
#define convolve(a, v, mode)    weft_convolve(a, v, mode)
#define correlate(a, v, mode)   weft_correlate(a, v, mode)
#define conv(x, ...)            WEFT_CALLV_(weft_conv_, #__VA_ARGS__, x, __VA_ARGS__)
#define conv_transpose(x, ...)  WEFT_CALLV_(weft_conv_transpose_, #__VA_ARGS__, x, __VA_ARGS__)
#define max_pool(x, ...)        WEFT_CALLW_(weft_max_pool_, #__VA_ARGS__, x, __VA_ARGS__)
#define min_pool(x, ...)        WEFT_CALLW_(weft_min_pool_, #__VA_ARGS__, x, __VA_ARGS__)
#define avg_pool(x, ...)        WEFT_CALLW_(weft_avg_pool_, #__VA_ARGS__, x, __VA_ARGS__)

/* ---- special functions; gamma, j0 and j1 of numbers are arrays too, whatever a C library calls so ---- */
#define gamma(x)                weft_gamma(x)
#define beta(a, b)              weft_beta(a, b)
#define betaln(a, b)            weft_betaln(a, b)
#define gammainc(a, x)          weft_gammainc(a, x)
#define gammaincc(a, x)         weft_gammaincc(a, x)
#define betainc(a, b, x)        weft_betainc(a, b, x)
#define digamma(x)              weft_digamma(x)
#define polygamma(n, x)         weft_polygamma(n, x)
#define zeta(s, a)              weft_zeta(s, a)
#define erf_inv(x)              weft_erf_inv(x)
#define i0(x)                   weft_i0(x)
#define i0e(x)                  weft_i0e(x)
#define i1(x)                   weft_i1(x)
#define i1e(x)                  weft_i1e(x)
#define j0(x)                   weft_j0(x)
#define j1(x)                   weft_j1(x)
#define ndtr(x)                 weft_ndtr(x)
#define log_ndtr(x)             weft_log_ndtr(x)
#define ndtri(x)                weft_ndtri(x)
#define xlogy(a, b)             weft_xlogy(a, b)
#define xlog1py(a, b)           weft_xlog1py(a, b)
#define entr(x)                 weft_entr(x)
#define logit(x)                weft_logit(x)
#define expi(x)                 weft_expi(x)
#define sinc(x)                 weft_sinc(x)
#define heaviside(a, b)         weft_heaviside(a, b)
#endif
