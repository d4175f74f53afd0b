/* random_inverse.c: distributions by the inverse of their function: normal, truncated normal, exponential,
 * Gumbel, Laplace, Cauchy. Each is a formula of one uniform. */
#include "random.h"
#include <math.h>

static weft_array *negative(weft_array *x) { return op_unary(OP_NEG, x); }

/* Uniform in (-1, 1): the lower end is the number above -1. */
static weft_array *two_sided(const RandomKey *k, Type t)
{
    return random_between(k, t, dtype_epsilon((DType)t.dtype) / 2 - 1, 1);
}

weft_array *random_normal(const RandomKey *k, Type t)
{
    return ops_with(OP_MUL, random_erf_inv(two_sided(k, t)), sqrt(2));
}

weft_array *random_exponential(const RandomKey *k, Type t)
{
    return negative(random_log1p(negative(random_unit(k, t))));
}

/* Uniform in [tiny, 1): only 0 is moved, also in f16, where adding tiny would round (XLA folds it into the -1
 * of random_unit, and it is lost). */
weft_array *random_gumbel(const RandomKey *k, Type t)
{
    weft_array *u = random_unit(k, t);
    if (!u) return NULL;
    u = op_binary(OP_MAX, ops_fill(u, dtype_tiny((DType)t.dtype)), u);
    return negative(random_log(negative(random_log(u))));
}

static weft_array *laplace(const RandomKey *k, Type t)
{
    weft_array *u = two_sided(k, t);
    return u ? op_binary(OP_MUL, op_unary(OP_SIGN, u), random_log1p(negative(op_unary(OP_ABS, u)))) : NULL;
}

static weft_array *cauchy(const RandomKey *k, Type t)
{
    weft_array *u = random_between(k, t, dtype_epsilon((DType)t.dtype), 1);
    return op_unary(OP_TAN, ops_with(OP_MUL, ops_with(OP_SUB, u, 0.5), 3.14159265358979323846));
}

#define STANDARD(name, f) \
    static weft_array *draw_##name(const RandomKey *k, Type t, weft_array *const *none) \
    { \
        (void)none; \
        return f(k, t); \
    } \
    weft_array *weft_random_##name##_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim, \
                                      const char *at) \
    { \
        return random_draw("weft_random_" #name, draw_##name, key, t, NULL, 0, rank, dim, at); \
    }
STANDARD(uniform, random_unit)
STANDARD(normal, random_normal)
STANDARD(exponential, random_exponential)
STANDARD(gumbel, random_gumbel)
STANDARD(laplace, laplace)
STANDARD(cauchy, cauchy)

/* ---- truncated: a uniform between erf(low / sqrt 2) and erf(high / sqrt 2), kept off the ends ---- */

static weft_array *next_toward(weft_array *x, double where)
{
    return x ? op_binary(OP_NEXT_AFTER, x, ops_fill(x, where)) : NULL;
}

static weft_array *erf_of(weft_array *limit) { return op_unary(OP_ERF, ops_with(OP_DIV, limit, sqrt(2))); }

static weft_array *truncated_normal(const RandomKey *k, Type t, weft_array *const *limit)
{
    weft_array *low = limit[0], *high = limit[1];
    weft_array *u = random_within(k, t, erf_of(low), erf_of(high));
    weft_array *x = ops_with(OP_MUL, op_unary(OP_ERF_INV, u), sqrt(2));
    return ops_binary(OP_MIN, ops_binary(OP_MAX, x, next_toward(low, INFINITY)),
                      next_toward(high, -INFINITY));
}

RANDOM_OF_TWO(truncated_normal, truncated_normal)
