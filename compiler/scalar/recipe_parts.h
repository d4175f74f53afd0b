/* recipe_parts.h: what the families of recipes lend one another. Each takes and returns step numbers of the
 * builder's float type. */
#ifndef WEFT_SCALAR_RECIPE_PARTS_H
#define WEFT_SCALAR_RECIPE_PARTS_H
#include "recipe_builder.h"

/* exp(x) = scale (1 + q), scale = 2^n, |log(1 + q)| <= ln2 / 2; valid while 2^n is a normal number. biased: n
 * + bias in the low bits. r = log(1 + q), rounded; first + second is r to twice its bits. */
typedef struct ExpParts {
    V biased, scale, r, first, second, q;
} ExpParts;
ExpParts exp_parts(Builder *b, V x);
/* exp(x) / 2^less for any x: subnormal, 0 and inf come out right */
V exp_scaled(Builder *b, V x, int less);
V exp_pair(Builder *b, Pair x);                    /* exp(x.hi + x.lo), any x but NaN in lo */
V exp_pair_times(Builder *b, Pair x, Pair factor); /* exp(x.hi + x.lo) factor */
double exp_limit(const Builder *b);                /* beyond it, either way, 2^n is not a normal number */

/* x = 2^k (1 + f), -1/3 <= f < 1/3, for positive normal x; k as a float. */
typedef struct LogParts {
    V f, k, scale;
} LogParts;
LogParts log_parts(Builder *b, V x);
V unusual(Builder *b, V x);         /* positive normal x: false; 0, subnormal, negative, inf and NaN: true */
V log_finish(Builder *b, V f, V k); /* log(1 + f) + k ln2 */
V log_normal(Builder *b, V x);      /* log of a positive normal x */
Pair log_pair(Builder *b, Pair x);  /* F64: log(x.hi + x.lo) to 2^-66, x.hi positive and normal */

V sin_pi(Builder *b, V x); /* sin(pi x) and its like for the reflections */
V tan_pi(Builder *b, V x);

/* One function per op. */
V recipe_exp(Builder *, V);
V recipe_exp2(Builder *, V);
V recipe_expm1(Builder *, V);
V recipe_logistic(Builder *, V);
V recipe_log(Builder *, V);
V recipe_log2(Builder *, V);
V recipe_log10(Builder *, V);
V recipe_log1p(Builder *, V);
V recipe_sin(Builder *, V);
V recipe_cos(Builder *, V);
V recipe_tan(Builder *, V);
V recipe_asin(Builder *, V);
V recipe_acos(Builder *, V);
V recipe_atan(Builder *, V);
V recipe_tanh(Builder *, V);
V recipe_sinh(Builder *, V);
V recipe_cosh(Builder *, V);
V recipe_asinh(Builder *, V);
V recipe_acosh(Builder *, V);
V recipe_atanh(Builder *, V);
V recipe_erf(Builder *, V);
V recipe_erfc(Builder *, V);
V recipe_erf_inv(Builder *, V);
V recipe_cbrt(Builder *, V);
V recipe_rsqrt(Builder *, V);
V recipe_lgamma(Builder *, V);
V recipe_digamma(Builder *, V);
V recipe_bessel_i1e(Builder *, V);
V recipe_sign(Builder *, V);
V recipe_round_afz(Builder *, V);
V recipe_pow(Builder *, V, V);
V recipe_atan2(Builder *, V, V);
V recipe_rem(Builder *, V, V);
V recipe_next_after(Builder *, V, V);
V recipe_zeta(Builder *, V, V);
V recipe_polygamma(Builder *, V, V);
/* F64 operands that came from F32 */
V recipe_pow_single(Builder *, V, V);
V recipe_zeta_single(Builder *, V, V);
V recipe_polygamma_single(Builder *, V, V);
V recipe_reduce_precision(Builder *, V, int exponent_bits, int mantissa_bits);
V recipe_pow_int(Builder *, DType, V, V);
bool recipe_write_convert(Builder *, DType from, DType to); /* the builder is F32's */
#endif
