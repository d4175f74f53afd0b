/* weft/special.h: special functions beside those of weft/ops.h (erf, erfc, erf_inv, lgamma, digamma,
 * polygamma, zeta, bessel_i1e): names and meaning as in scipy.special and jax.scipy.special.
 *
 * Elementwise, numbers or arrays that broadcast; inexact: ints and bools become floats (weft_options.real).
 * f16, bf16 and f32 are computed in f64 and rounded once (but xlogy and xlog1py), so an f32 has its last bit
 * nearly always; f64 within what docs/math.md says. They trace, fuse, map and differentiate, as often as one
 * likes; where a derivative is not that of the function's steps, a rule gives it; but of gammainc, gammaincc
 * and betainc by a or b there are first and second ones only by reverse mode (of a third an error says so;
 * weft_jvp has it; JAX has first ones of the first two). Outside of a function's domain, and of NaN: NaN.
 * Complex numbers are WEFT_DTYPE.
 */
#ifndef WEFT_SPECIAL_H
#define WEFT_SPECIAL_H
#include "weft/ops.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- gamma and beta ---- */
WEFT_OP1_(weft_gamma)       /* +-inf at +-0, NaN at negative integers and at -inf */
WEFT_OP2_(weft_beta)        /* gamma(a) gamma(b) / gamma(a + b) */
WEFT_OP2_(weft_betaln)      /* log |beta(a, b)|, without overflow */
/* regularized: 1 / gamma(a) times the integral of t^(a-1) e^-t from 0 to x. a, x >= 0; a and x both 0: NaN.
 * From a = 1e4 on by an expansion of its own: within 1e-13 for x within 8 sqrt(a) of a, derivatives
 * too (JAX's lose digits as a grows, and are wrong at 1e15) */
WEFT_OP2_(weft_gammainc)
WEFT_OP2_(weft_gammaincc)   /* 1 - gammainc(a, x), exact where that is small */
/* regularized, of a, b, x: 1 / beta(a, b) times the integral of t^(a-1) (1-t)^(b-1) from 0 to x. a, b >= 0,
 * x in 0 .. 1. It has derivatives by all three (JAX: by x). Where a and b are 1000 to 1e15 it is within 1e-13
 * for x near the mean a / (a + b); elsewhere digits are lost as a or b grows (docs/science.md) */
WEFT_OP3_(weft_betainc)

/* ---- Bessel functions ---- */
WEFT_OP1_(weft_i0)          /* I0, modified, of the first kind; i0e: exp(-|x|) I0(x), without overflow */
WEFT_OP1_(weft_i0e)
WEFT_OP1_(weft_i1)          /* I1; i1e: exp(-|x|) I1(x), which is weft_bessel_i1e */
WEFT_OP1_(weft_i1e)
WEFT_OP1_(weft_j0)          /* J0 and J1, of the first kind: errors are absolute near the zeros */
WEFT_OP1_(weft_j1)

/* ---- the normal distribution ---- */
WEFT_OP1_(weft_ndtr)        /* P(N(0,1) < x), exact in the lower tail */
WEFT_OP1_(weft_log_ndtr)    /* its logarithm, also where ndtr is 0 or 1 */
WEFT_OP1_(weft_ndtri)       /* the x for which ndtr(x) is p; -inf at 0, inf at 1 */

/* ---- logarithms and the exponential integral ---- */
WEFT_OP2_(weft_xlogy)       /* a log(b), 0 where a is 0 and b no NaN */
WEFT_OP2_(weft_xlog1py)     /* a log1p(b), 0 where a is 0 */
WEFT_OP1_(weft_entr)        /* -x log(x), 0 at 0, -inf below */
WEFT_OP1_(weft_logit)       /* log(x / (1 - x)): sigmoid's inverse */
WEFT_OP1_(weft_expi)        /* Ei: the integral of e^t / t from -inf to x (its principal value); -inf at 0 */

#ifdef __cplusplus
}
#endif

/* ---- the macros ---- */
#define weft_gamma(x)           WEFT_CALL1_(weft_gamma_, x)
#define weft_beta(a, b)         WEFT_CALL2_(weft_beta_, a, b)
#define weft_betaln(a, b)       WEFT_CALL2_(weft_betaln_, a, b)
#define weft_gammainc(a, x)     WEFT_CALL2_(weft_gammainc_, a, x)
#define weft_gammaincc(a, x)    WEFT_CALL2_(weft_gammaincc_, a, x)
#define weft_betainc(a, b, x)   WEFT_CALL3_(weft_betainc_, a, b, x)
#define weft_i0(x)              WEFT_CALL1_(weft_i0_, x)
#define weft_i0e(x)             WEFT_CALL1_(weft_i0e_, x)
#define weft_i1(x)              WEFT_CALL1_(weft_i1_, x)
#define weft_i1e(x)             WEFT_CALL1_(weft_i1e_, x)
#define weft_j0(x)              WEFT_CALL1_(weft_j0_, x)
#define weft_j1(x)              WEFT_CALL1_(weft_j1_, x)
#define weft_ndtr(x)            WEFT_CALL1_(weft_ndtr_, x)
#define weft_log_ndtr(x)        WEFT_CALL1_(weft_log_ndtr_, x)
#define weft_ndtri(x)           WEFT_CALL1_(weft_ndtri_, x)
#define weft_xlogy(a, b)        WEFT_CALL2_(weft_xlogy_, a, b)
#define weft_xlog1py(a, b)      WEFT_CALL2_(weft_xlog1py_, a, b)
#define weft_entr(x)            WEFT_CALL1_(weft_entr_, x)
#define weft_logit(x)           WEFT_CALL1_(weft_logit_, x)
#define weft_expi(x)            WEFT_CALL1_(weft_expi_, x)
#endif
