/* narrow.c: numbers of 2 to 8 bits, by themselves and as nodes. A float's bits are moved to where f32 has its
 * own, and a product with a power of two moves the exponent: f32's subnormals then are the narrow type's. */
#include "narrow.h"
#include <math.h>
#include <string.h>

typedef enum { NO_FLOAT, IEEE, FN, FNUZ, FINITE, SCALE } Beyond;
typedef struct NarrowInfo {
    const char *name;
    DType held;
    int bits, exponent, mantissa, bias;
    Beyond beyond;
} NarrowInfo;

static const NarrowInfo info[NARROW_COUNT + 1] = {
#define NARROW_INT(NAME, text, held, bits) [NARROW_##NAME] = { text, held, bits, 0, 0, 0, NO_FLOAT },
#define NARROW_FLOAT(NAME, text, exponent, mantissa, bias, beyond) \
    [NARROW_##NAME] = { text, WEFT_F32, exponent + mantissa + ((beyond) != SCALE), exponent, mantissa, \
                        bias, beyond },
#include "narrow.def"
#undef NARROW_INT
#undef NARROW_FLOAT
    [NARROW_TOKEN] = { "token", WEFT_BOOL, 8, 0, 0, 0, NO_FLOAT },
};

Type type_held(Type t)
{
    Narrow narrow = type_narrow(t);
    if (narrow == NARROW_TUPLE) return (Type){ .dtype = WEFT_BOOL, .dim = t.dim }; /* parse_tuple.c */
    if (narrow != NARROW_NONE) t.dtype = (uint8_t)info[narrow].held;
    return t;
}

Type type_token(void)
{
    static const int64_t none[1] = { 0 };
    return (Type){ .dtype = TYPE_NARROW + NARROW_TOKEN, .rank = 1, .dim = none };
}

Narrow narrow_find(const char *name, size_t length)
{
    for (int t = NARROW_NONE + 1; t < NARROW_COUNT; t++)
        if (strlen(info[t].name) == length && memcmp(info[t].name, name, length) == 0) return (Narrow)t;
    return NARROW_NONE;
}

const char *narrow_name(Narrow t) { return t == NARROW_TUPLE ? "tuple" : info[t].name; }
int narrow_bits(Narrow t) { return info[t].bits; }
bool narrow_is_float(Narrow t) { return info[t].beyond != NO_FLOAT; }
DType narrow_held(Narrow t) { return info[t].held; }
DType narrow_bytes(Narrow t) { return narrow_is_float(t) ? WEFT_U8 : info[t].held; }

/* ---- one element ---- */

static uint8_t all_bits(const NarrowInfo *t) { return (uint8_t)((1 << t->bits) - 1); }
static uint8_t sign_bit(const NarrowInfo *t)
{
    return (uint8_t)(t->beyond == SCALE ? 0 : 1 << (t->bits - 1));
}
static uint8_t infinity(const NarrowInfo *t) { return (uint8_t)(((1 << t->exponent) - 1) << t->mantissa); }

/* The bits of NaN; of IEEE's, the quiet one. */
static uint8_t nan_bits(const NarrowInfo *t)
{
    return t->beyond == IEEE   ? (uint8_t)(infinity(t) | 1 << (t->mantissa - 1))
           : t->beyond == FN   ? (uint8_t)(sign_bit(t) - 1)
           : t->beyond == FNUZ ? sign_bit(t)
                               : all_bits(t);
}

static double int_value(const NarrowInfo *t, uint8_t byte)
{
    int v = byte & all_bits(t);
    return t->held == WEFT_I8 && v >> (t->bits - 1) ? v - (1 << t->bits) : v;
}

double narrow_value(Narrow narrow, uint8_t byte)
{
    const NarrowInfo *t = &info[narrow];
    int bits = byte & all_bits(t), size = bits & ~sign_bit(t);
    if (t->beyond == NO_FLOAT) return int_value(t, byte);
    if (t->beyond == IEEE && size == infinity(t)) return bits == size ? INFINITY : -INFINITY;
    bool is_nan = t->beyond == IEEE ? size > infinity(t)
                  : t->beyond == FN ? size == nan_bits(t)
                                    : t->beyond != FINITE && bits == nan_bits(t);
    if (is_nan) return NAN;
    int exponent = size >> t->mantissa, fraction = size & ((1 << t->mantissa) - 1);
    bool normal = exponent > 0 || t->beyond == SCALE;
    double v = ldexp(normal ? fraction + (1 << t->mantissa) : fraction,
                     (normal ? exponent : 1) - t->bias - t->mantissa);
    return bits == size ? v : -v;
}

static double greatest(Narrow t)
{
    double most = 0;
    for (int b = 0; b < 256; b++) {
        double v = narrow_value(t, (uint8_t)b);
        if (isfinite(v) && v > most) most = v;
    }
    return most;
}

/* By size first. Of two that are equally near, the even one. */
uint8_t narrow_nearest(Narrow narrow, double v)
{
    const NarrowInfo *t = &info[narrow];
    uint8_t best = 0;
    double distance = INFINITY;
    for (int b = 0; b <= (all_bits(t) & ~sign_bit(t)); b++) {
        double d = fabs(narrow_value(narrow, (uint8_t)b) - fabs(v));
        if (d < distance || (d == distance && b % 2 == 0)) best = (uint8_t)b, distance = d;
    }
    bool no_sign = t->beyond == FNUZ && best == 0;
    return signbit(v) && !no_sign ? best | sign_bit(t) : best;
}

/* ---- nodes ---- */

/* Numbers beside an array. */
static Ref like(Graph *g, Ref a, double v)
{
    Type t = graph_type(g, a);
    return build_splat(g, t, scalar_from_double((DType)t.dtype, v));
}
static Ref like_bits(Graph *g, Ref a, uint64_t bits) { return build_splat(g, graph_type(g, a), bits); }
static Ref times(Graph *g, Ref a, double v) { return build_binary(g, OP_MUL, a, like(g, a, v)); }
static Ref masked(Graph *g, Ref a, uint64_t mask)
{
    return build_binary(g, OP_AND, a, like_bits(g, a, mask));
}
static Ref shift(Graph *g, Op op, Ref a, int by)
{
    return build_binary(g, op, a, like_bits(g, a, (uint64_t)by));
}

/* The sign is the highest bit of what is left; a byte holds all that has its bits. */
static Ref wrap(Graph *g, const NarrowInfo *t, Ref a)
{
    int unused = 8 - t->bits;
    if (!unused) return a;
    if (t->held == WEFT_U8) return masked(g, a, all_bits(t));
    return shift(g, OP_SHR_ARITH, shift(g, OP_SHL, a, unused), unused);
}

/* |x| with a mantissa of the type's length: what is cut off decides, a tie goes to even. */
static Ref round_mantissa(Graph *g, const NarrowInfo *t, Ref size, DType wide)
{
    DType bits = dtype_unsigned_twin(wide);
    int cut = dtype_info[wide].mantissa_bits - t->mantissa;
    uint64_t below = ((uint64_t)1 << (cut - 1)) - 1;
    Ref u = build_bitcast(g, size, bits);
    /* without a mantissa the last bit is the leading one */
    Ref odd = t->mantissa ? masked(g, shift(g, OP_SHR_LOGIC, u, cut), 1) : like_bits(g, u, 1);
    Ref up = build_binary(g, OP_ADD, build_binary(g, OP_ADD, u, like_bits(g, u, below)), odd);
    return build_bitcast(g, masked(g, up, ~(2 * below + 1)), wide);
}

/* The sign of `of`, in its highest bit, on a number without one. */
static Ref with_sign(Graph *g, Ref size, Ref of, DType wide)
{
    DType bits = dtype_unsigned_twin(wide);
    Ref sign = masked(g, build_bitcast(g, of, bits), (uint64_t)1 << (dtype_bits(wide) - 1));
    return build_bitcast(g, build_binary(g, OP_OR, build_bitcast(g, size, bits), sign), wide);
}

static Ref round_float(Graph *g, Narrow narrow, Ref x)
{
    const NarrowInfo *t = &info[narrow];
    DType wide = (DType)graph_type(g, x).dtype;
    double least = ldexp(1, 1 - t->bias), quantum = ldexp(least, -t->mantissa), most = greatest(narrow);
    Ref size = build_unary(g, OP_ABS, x), r = round_mantissa(g, t, size, wide), none = like(g, x, NAN);
    if (t->beyond == SCALE) {
        Ref low = like(g, x, ldexp(1, -t->bias));
        r = build_select(
            g, build_compare(g, CMP_LT, size, like(g, x, least)),
            build_select(g, build_compare(g, CMP_LT, size, like(g, x, 0.75 * least)), low, like(g, x, least)),
            r);
        Ref inside = build_binary(g, OP_AND, build_compare(g, CMP_GT, x, like(g, x, 0)),
                                  build_compare(g, CMP_LE, r, like(g, x, most)));
        return build_select(g, inside, r, none);
    }
    Ref below = times(g, build_unary(g, OP_ROUND_EVEN, times(g, size, 1 / quantum)), quantum);
    r = build_select(g, build_compare(g, CMP_LT, size, like(g, x, least)), below, r);
    Ref over = t->beyond == IEEE ? like(g, x, INFINITY) : t->beyond == FINITE ? like(g, x, most) : none;
    r = build_select(g, build_compare(g, CMP_LE, r, like(g, x, most)), r, over);
    Ref nan = t->beyond == FINITE ? like(g, x, -0.0) : none;
    Ref is_zero = build_compare(g, CMP_EQ, r, like(g, x, 0)), is_nan = build_compare(g, CMP_NE, x, x);
    Ref result = with_sign(g, r, x, wide);
    if (t->beyond == FNUZ) result = build_select(g, is_zero, r, result);
    return build_select(g, is_nan, nan, result);
}

Ref narrow_round(Graph *g, Narrow t, Ref x)
{
    if (!narrow_is_float(t)) return wrap(g, &info[t], x);
    return round_float(g, t, x);
}

/* What moves an exponent between the type and f32, whose bias is 127. */
static double to_f32(const NarrowInfo *t) { return ldexp(1, 127 - t->bias); }

Ref narrow_read(Graph *g, Narrow narrow, Ref bytes)
{
    const NarrowInfo *t = &info[narrow];
    if (!narrow_is_float(narrow)) return wrap(g, t, bytes);
    int up = 23 - t->mantissa, sign = sign_bit(t);
    Ref b = build_convert(g, bytes, WEFT_U32), size = masked(g, b, (uint64_t)(all_bits(t) & ~sign));
    Ref v = times(g, build_bitcast(g, shift(g, OP_SHL, size, up), WEFT_F32), to_f32(t));
    if (t->beyond == IEEE)
        v = build_select(g, build_compare(g, CMP_EQ, size, like_bits(g, size, infinity(t))),
                         like(g, v, INFINITY), v);
    if (t->beyond == SCALE)
        v = build_select(g, build_compare(g, CMP_EQ, size, like_bits(g, size, 0)),
                         like(g, v, narrow_value(narrow, 0)), v);
    if (sign) {
        Ref negative = shift(g, OP_SHL, masked(g, b, (uint64_t)sign), 32 - t->bits);
        v = build_bitcast(g, build_binary(g, OP_OR, build_bitcast(g, v, WEFT_U32), negative), WEFT_F32);
    }
    if (t->beyond == FINITE) return v;
    Ref all = masked(g, b, all_bits(t));
    Ref is_nan = t->beyond == IEEE ? build_compare(g, CMP_GT, size, like_bits(g, size, infinity(t)))
                 : t->beyond == FN ? build_compare(g, CMP_EQ, size, like_bits(g, size, nan_bits(t)))
                                   : build_compare(g, CMP_EQ, all, like_bits(g, all, nan_bits(t)));
    return build_select(g, is_nan, like(g, v, NAN), v);
}

Ref narrow_store(Graph *g, Narrow narrow, Ref held)
{
    const NarrowInfo *t = &info[narrow];
    if (!narrow_is_float(narrow)) return held;
    int up = 23 - t->mantissa;
    Ref size = build_unary(g, OP_ABS, held);
    Ref bits = shift(g, OP_SHR_LOGIC, build_bitcast(g, times(g, size, 1 / to_f32(t)), WEFT_U32), up);
    if (t->beyond == IEEE)
        bits = build_select(g, build_compare(g, CMP_EQ, size, like(g, size, INFINITY)),
                            like_bits(g, bits, infinity(t)), bits);
    Ref is_nan = build_compare(g, CMP_NE, held, held);
    bits = build_select(g, is_nan, like_bits(g, bits, nan_bits(t)), bits);
    if (sign_bit(t)) {
        Ref sign =
            masked(g, shift(g, OP_SHR_LOGIC, build_bitcast(g, held, WEFT_U32), 32 - t->bits), sign_bit(t));
        Ref with = build_binary(g, OP_OR, bits, sign);
        bits = t->beyond == FNUZ ? build_select(g, is_nan, bits, with) : with;
    }
    return build_convert(g, bits, WEFT_U8);
}
