/* random_inverse.c: distributions by the inverse of their function: normal, truncated normal, exponential,
 * Gumbel, Laplace, Cauchy. Each is a formula of one uniform. */
#include "random_parts.h"
#include <float.h>
#include <math.h>

typedef weft_array *Sampler(const Key *, DType, const int64_t *dim, int rank);

static weft_array *negative(weft_array *x) { return op_unary(OP_NEG, x); }

/* What depends on the format: the gap between 1 and the next number, and the least normal one. */
static double epsilon(DType t)
{
    return t == WEFT_F16    ? 0x1p-10
           : t == WEFT_BF16 ? 0x1p-7
           : t == WEFT_F32  ? (double)FLT_EPSILON
                            : DBL_EPSILON;
}

static double tiny(DType t) { return t == WEFT_F16 ? 0x1p-14 : t == WEFT_F64 ? DBL_MIN : (double)FLT_MIN; }

/* Uniform in (-1, 1): the lower end is the number above -1. */
static weft_array *two_sided(const Key *k, DType t, const int64_t *dim, int rank)
{
    return random_between(k, t, epsilon(t) / 2 - 1, 1, dim, rank);
}

weft_array *random_normal(const Key *k, DType t, const int64_t *dim, int rank)
{
    return ops_with(OP_MUL, random_erf_inv(two_sided(k, t, dim, rank)), sqrt(2));
}

weft_array *random_exponential(const Key *k, DType t, const int64_t *dim, int rank)
{
    return negative(random_log1p(negative(random_unit(k, t, dim, rank))));
}

/* Uniform in [tiny, 1): only 0 is moved, also in f16, where adding tiny would round (XLA folds it into the -1
 * of random_unit, and it is lost). */
weft_array *random_gumbel(const Key *k, DType t, const int64_t *dim, int rank)
{
    weft_array *u = random_unit(k, t, dim, rank);
    if (!u) return NULL;
    return negative(random_log(negative(random_log(op_binary(OP_MAX, ops_fill(u, tiny(t)), u)))));
}

static weft_array *laplace(const Key *k, DType t, const int64_t *dim, int rank)
{
    weft_array *u = two_sided(k, t, dim, rank);
    return u ? op_binary(OP_MUL, op_unary(OP_SIGN, u), random_log1p(negative(op_unary(OP_ABS, u)))) : NULL;
}

static weft_array *cauchy(const Key *k, DType t, const int64_t *dim, int rank)
{
    weft_array *u = random_between(k, t, epsilon(t), 1, dim, rank);
    return op_unary(OP_TAN, ops_with(OP_MUL, ops_with(OP_SUB, u, 0.5), 3.14159265358979323846));
}

static weft_array *draw(Sampler *f, const char *name, weft_random_key key, DType t, int rank,
                        const int64_t *dim, const char *at)
{
    OpsCall call;
    Key k;
    bool good = random_begin(&call, name, at, key, NULL, 0, &k) && random_float_ok(t, dim, rank);
    return ops_end(&call, good ? f(&k, t, dim, rank) : NULL);
}

weft_array *weft_random_normal_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim,
                                const char *at)
{
    return draw(random_normal, "weft_random_normal", key, t, rank, dim, at);
}

weft_array *weft_random_exponential_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim,
                                     const char *at)
{
    return draw(random_exponential, "weft_random_exponential", key, t, rank, dim, at);
}

weft_array *weft_random_gumbel_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim,
                                const char *at)
{
    return draw(random_gumbel, "weft_random_gumbel", key, t, rank, dim, at);
}

weft_array *weft_random_laplace_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim,
                                 const char *at)
{
    return draw(laplace, "weft_random_laplace", key, t, rank, dim, at);
}

weft_array *weft_random_cauchy_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim,
                                const char *at)
{
    return draw(cauchy, "weft_random_cauchy", key, t, rank, dim, at);
}

/* ---- truncated: a uniform between erf(low / sqrt 2) and erf(high / sqrt 2), kept off the ends ---- */

static weft_array *next_toward(weft_array *x, double where)
{
    return x ? op_binary(OP_NEXT_AFTER, x, ops_fill(x, where)) : NULL;
}

static weft_array *erf_of(weft_array *limit) { return op_unary(OP_ERF, ops_with(OP_DIV, limit, sqrt(2))); }

static weft_array *truncated_normal(const Key *k, DType t, weft_array *low, weft_array *high, const Shape *s)
{
    weft_array *u = random_within(k, t, erf_of(low), erf_of(high), s->dim, s->rank);
    weft_array *x = ops_with(OP_MUL, op_unary(OP_ERF_INV, u), sqrt(2));
    return ops_binary(OP_MIN, ops_binary(OP_MAX, x, next_toward(low, INFINITY)),
                      next_toward(high, -INFINITY));
}

weft_array *weft_random_truncated_normal_(weft_random_key key, weft_dtype t, weft_operand low,
                                          weft_operand high, int rank, const int64_t *dim, const char *at)
{
    OpsCall call;
    Key k;
    weft_operand o[2] = { low, high };
    weft_array *p[2];
    Shape s;
    bool good = random_begin(&call, "weft_random_truncated_normal", at, key, o, 2, &k) &&
                random_float_ok(t, dim, rank) && random_parameters(o, 2, t, dim, rank, p, &s);
    return ops_end(&call, good ? truncated_normal(&k, t, p[0], p[1], &s) : NULL);
}
