/* random_uniform.c: floats and ints with equal chances, and what compares one of them with a probability.
 *
 * A float in [0, 1) is random bits put under the exponent of 1, less 1. low + u (high - low) rounds once in
 * f32 and f64, as JAX's compiled code does.
 */
#include "random.h"
#include <math.h>

static const char *name_of(DType t)
{
    return (unsigned)t < DTYPE_COUNT ? dtype_name(t) : "of an unknown type";
}

bool random_float_ok(DType t, const int64_t *dim, int rank)
{
    if ((unsigned)t < DTYPE_COUNT && dtype_is_float(t)) return ops_dims_ok(t, dim, rank);
    return op_fail(WEFT_DTYPE, "the numbers are f16, bf16, f32 or f64, not %s", name_of(t));
}

bool random_int_ok(DType t, const int64_t *dim, int rank)
{
    if ((unsigned)t < DTYPE_COUNT && dtype_is_int(t)) return ops_dims_ok(t, dim, rank);
    return op_fail(WEFT_DTYPE, "the numbers are ints, not %s", name_of(t));
}

bool random_shape(weft_array *const *x, int n, const int64_t *dim, int rank, Shape *out)
{
    Type type[4];
    for (int i = 0; i < n; i++) {
        if (!x[i]) return false;
        type[i] = array_type(x[i]);
    }
    if (rank == 0) return ops_common_shape(type, n, out);
    out->rank = rank;
    for (int i = 0; i < rank; i++) out->dim[i] = dim[i];
    for (int i = 0; i < n; i++) {
        if (ops_fits(type[i], dim, rank)) continue;
        return op_fail(WEFT_SHAPE, "a parameter of type %s does not broadcast to the sizes %s",
                       TYPE_TEXT(type[i]), OPS_DIMS(dim, rank));
    }
    return true;
}

bool random_parameters(const weft_operand *o, int n, DType t, const int64_t *dim, int rank, weft_array **out,
                       Shape *shape)
{
    for (int i = 0; i < n; i++)
        if (!(out[i] = ops_operand(o[i], t))) return false;
    return random_shape(out, n, dim, rank, shape);
}

weft_array *random_draw(const char *name, RandomSampler *f, weft_random_key key, DType t,
                        const weft_operand *o, int n, int rank, const int64_t *dim, const char *at)
{
    OpsCall call;
    RandomKey k;
    weft_array *p[2];
    Shape s;
    bool good = random_begin(&call, name, at, key, o, n, &k) && random_float_ok(t, dim, rank) &&
                random_parameters(o, n, t, dim, rank, p, &s);
    return ops_end(&call, good ? f(&k, ops_type(t, s.dim, s.rank), p) : NULL);
}

/* ---- floats ---- */

/* As many random bits as hold the mantissa, shifted to its place under the exponent of 1. */
weft_array *random_unit(const RandomKey *k, Type type)
{
    DType t = (DType)type.dtype, word = dtype_unsigned_twin(t),
          drawn = dtype_info[t].mantissa_bits < 8 ? WEFT_U8 : word;
    weft_array *bits = ops_convert(random_bits(k, ops_type(drawn, type.dim, type.rank)), word);
    weft_array *fraction = ops_with(OP_SHR_LOGIC, bits, dtype_bits(drawn) - dtype_info[t].mantissa_bits);
    if (!fraction) return NULL;
    weft_array *one = ops_splat(word, type.dim, type.rank, scalar_from_double(t, 1));
    return ops_with(OP_SUB, ops_bitcast(ops_binary(OP_OR, fraction, one), t), 1);
}

/* low + u span */
static weft_array *stretched(weft_array *u, weft_array *span, weft_array *low)
{
    if (!u || !span || !low) return NULL;
    Type t = array_type(u);
    span = ops_broadcast(span, t.dim, t.rank);
    low = ops_broadcast(low, t.dim, t.rank);
    if (dtype_is_narrow_float((DType)t.dtype)) return op_binary(OP_ADD, op_binary(OP_MUL, u, span), low);
    return random_fma(u, span, low);
}

weft_array *random_within(const RandomKey *k, Type t, weft_array *low, weft_array *high)
{
    weft_array *value = stretched(random_unit(k, t), ops_binary(OP_SUB, high, low), low);
    return ops_binary(OP_MAX, low, value);
}

static double rounded(DType t, double v) { return scalar_to_double(t, scalar_from_double(t, v)); }

/* low <= high, so no maximum is needed; a span that is a power of two needs no fused multiply-add, which some
 * machines lack. */
weft_array *random_between(const RandomKey *k, Type type, double low, double high)
{
    int exponent;
    DType t = (DType)type.dtype;
    low = rounded(t, low);
    double span = rounded(t, rounded(t, high) - low);
    weft_array *u = random_unit(k, type);
    if (frexp(span, &exponent) != 0.5) return stretched(u, op_number(t, span), op_number(t, low));
    if (span != 1) u = ops_with(OP_MUL, u, span);
    return low == 0 ? u : ops_with(OP_ADD, u, low);
}

static weft_array *uniform_in(const RandomKey *k, Type t, weft_array *const *limit)
{
    return random_within(k, t, limit[0], limit[1]);
}

RANDOM_OF_TWO(uniform_in, uniform_in)

/* u < p, in p's type */
weft_array *weft_random_bernoulli_(weft_random_key key, weft_operand p, int rank, const int64_t *dim,
                                   const char *at)
{
    OpsCall call;
    RandomKey k;
    weft_array *chance;
    Shape s;
    if (!random_begin(&call, "weft_random_bernoulli", at, key, &p, 1, &k)) return ops_end(&call, NULL);
    DType t = ops_common_dtype(&p, 1, RULE_INEXACT);
    bool good = random_float_ok(t, dim, rank) && random_parameters(&p, 1, t, dim, rank, &chance, &s);
    return ops_end(&call, good ? ops_compare(CMP_LT, random_unit(&k, ops_type(t, s.dim, s.rank)),
                                             ops_broadcast(chance, s.dim, s.rank))
                               : NULL);
}

/* ---- ints ---- */

/* Two words are drawn, the high and the low half of one number. The result is that number modulo the span,
 * computed by parts. As in JAX, types narrower than 32 bits draw 32. */

static uint64_t greatest(DType t) { return monoid_start(OP_MIN, t); }
static int64_t least(DType t) { return scalar_to_i64(t, monoid_start(OP_MAX, t)); }

/* A limit: x of any int type, clipped to the range of t. */
static weft_array *clipped(weft_array *x, DType t)
{
    DType own = ops_dtype(x);
    if (own == t) return x;
    if (least(own) < least(t)) x = ops_binary(OP_MAX, x, op_integer(own, least(t)));
    if (greatest(own) > greatest(t)) x = ops_binary(OP_MIN, x, op_integer(own, (int64_t)greatest(t)));
    return ops_convert(x, t);
}

/* bool: is x, of any int type, greater than every t? */
static weft_array *beyond(weft_array *x, DType t)
{
    DType own = ops_dtype(x);
    if (greatest(own) <= greatest(t)) return ops_splat(WEFT_BOOL, NULL, 0, 0);
    return ops_compare(CMP_GT, x, op_integer(own, (int64_t)greatest(t)));
}

/* Limits of an 8- or 16-bit type: low to least .. greatest, high one further, both as i32. */
static void narrow_limits(weft_array *limit[2], DType t)
{
    for (int i = 0; i < 2; i++) {
        weft_array *x = clipped(limit[i], WEFT_I32);
        x = ops_binary(OP_MAX, x, op_integer(WEFT_I32, least(t)));
        limit[i] = ops_binary(OP_MIN, x, op_integer(WEFT_I32, (int64_t)greatest(t) + i));
    }
}

/* span, at the limits' own shape: high - low as unsigned; 1 where there is nothing between; one more where
 * high is past the type's last (0: all of them). */
static weft_array *span_of(weft_array *low, weft_array *high, weft_array *past, DType unsigned_type)
{
    weft_array *none = ops_compare(CMP_LE, high, low);
    weft_array *span = ops_convert(ops_binary(OP_SUB, high, low), unsigned_type);
    if (!none || !span || !past) return NULL;
    span = ops_select(none, ops_fill(span, 1), span);
    weft_array *more = ops_binary(OP_AND, past, op_unary(OP_NOT, none));
    return ops_binary(OP_ADD, span, ops_convert(more, unsigned_type));
}

weft_array *random_randint(const RandomKey *k, Type type, weft_array *from, weft_array *to)
{
    weft_array *limit[2] = { from, to };
    if (!from || !to) return NULL;
    DType t = (DType)type.dtype, sampled = dtype_bits(t) < 32 ? WEFT_I32 : t,
          bits = dtype_bits(sampled) == 64 ? WEFT_U64 : WEFT_U32;
    Type drawn = ops_type(bits, type.dim, type.rank);
    if (sampled != t) narrow_limits(limit, t);
    weft_array *past = beyond(limit[1], sampled), *low = clipped(limit[0], sampled),
               *high = clipped(limit[1], sampled);
    RandomKey first = random_subkey(k, 0, 2), second = random_subkey(k, 1, 2);
    weft_array *upper = random_bits(&first, drawn), *lower = random_bits(&second, drawn);
    weft_array *span = span_of(low, high, past, bits);
    weft_array *half = ops_binary(OP_REM, op_integer(bits, (int64_t)1 << dtype_bits(bits) / 2), span);
    weft_array *multiplier = ops_binary(OP_REM, ops_binary(OP_MUL, half, half), span);
    weft_array *offset = ops_binary(OP_ADD, ops_binary(OP_MUL, ops_binary(OP_REM, upper, span), multiplier),
                                    ops_binary(OP_REM, lower, span));
    return ops_convert(ops_binary(OP_ADD, low, ops_convert(ops_binary(OP_REM, offset, span), sampled)), t);
}

weft_array *weft_random_randint_(weft_random_key key, weft_dtype t, weft_operand low, weft_operand high,
                                 int rank, const int64_t *dim, const char *at)
{
    OpsCall call;
    RandomKey k;
    weft_operand o[2] = { low, high };
    weft_array *limit[2] = { NULL, NULL };
    Shape s;
    bool good = random_begin(&call, "weft_random_randint", at, key, o, 2, &k) &&
                random_int_ok(t, dim, rank) && (limit[0] = random_int(low, "low")) &&
                (limit[1] = random_int(high, "high")) && random_shape(limit, 2, dim, rank, &s);
    return ops_end(&call, good ? random_randint(&k, ops_type(t, s.dim, s.rank), limit[0], limit[1]) : NULL);
}
