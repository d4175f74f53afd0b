/* dtype.c: the table of element types, promotion, and conversions of one scalar in integer arithmetic only
 * where rounding matters, so that every machine gives the same bits. */
#include "dtype.h"
#include <math.h>
#include <string.h>

const DTypeInfo dtype_info[DTYPE_COUNT] = {
#define DTYPE(NAME, text, mlir, npy, ctype, bytes, kind, exponent, mantissa) \
    [WEFT_##NAME] = { text, mlir, npy, bytes, kind, exponent, mantissa },
#include "dtypes.def"
#undef DTYPE
};

double dtype_epsilon(DType t) { return ldexp(1, -dtype_info[dtype_part(t)].mantissa_bits); }
double dtype_tiny(DType t) { return ldexp(1, 1 - dtype_bias(dtype_part(t))); }

/* An unsigned beside a signed type of at least its width needs the next wider signed type; beyond i64 there
 * is only a float. */
static DType promote_ints(DType a, DType b)
{
    if (dtype_is_signed(a) == dtype_is_signed(b)) return a > b ? a : b;
    DType s = dtype_is_signed(a) ? a : b, u = dtype_is_signed(a) ? b : a;
    if (u == WEFT_U64) return WEFT_F32;
    if (dtype_bytes(s) > dtype_bytes(u)) return s;
    return (DType)(WEFT_I8 + (u - WEFT_U8) + 1);
}

/* a is complex, b is not wider: only f64 has values that complex64 has not. */
static DType promote_complex(DType a, DType b) { return b == WEFT_F64 ? WEFT_C128 : a; }

DType dtype_promote(DType a, DType b)
{
    if (a == b || b == WEFT_BOOL) return a;
    if (a == WEFT_BOOL) return b;
    if (dtype_is_complex(a) || dtype_is_complex(b))
        return a > b ? promote_complex(a, b) : promote_complex(b, a);
    if (dtype_is_float(a) && dtype_is_float(b)) {
        if (dtype_is_narrow_float(a) && dtype_is_narrow_float(b)) return WEFT_F32;
        return a > b ? a : b;
    }
    if (dtype_is_float(a)) return a;
    if (dtype_is_float(b)) return b;
    return promote_ints(a, b);
}

DType dtype_promote_weak_int(DType t) { return t == WEFT_BOOL ? WEFT_I32 : t; }
DType dtype_promote_weak_float(DType t) { return dtype_is_inexact(t) ? t : WEFT_F32; }
DType dtype_promote_weak_complex(DType t) { return dtype_complex(t); }

static uint32_t bits_of_f32(float v)
{
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
static float f32_of_bits(uint32_t b)
{
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}
static uint64_t bits_of_f64(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
static double f64_of_bits(uint64_t b)
{
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}

static uint64_t shift_right_to_even(uint64_t m, int shift)
{
    if (shift <= 0) return m << -shift;
    if (shift > 63) return 0; /* m < 2^53 here, so less than half of one */
    uint64_t half = (uint64_t)1 << (shift - 1), rest = m & (2 * half - 1), q = m >> shift;
    return q + (rest > half || (rest == half && (q & 1)));
}

/* Between two formats, rounded once to nearest even. The carry of rounding runs from the fraction into the
 * exponent, and from the greatest finite number into infinity, by itself: that is why the exponent is added
 * to the rounded fraction and not or-ed. Inlined, since callers know the formats. */
static inline __attribute__((always_inline)) uint64_t convert_format(uint64_t bits, DType from_type,
                                                                     DType to_type)
{
    DTypeInfo from = dtype_info[from_type], to = dtype_info[to_type];
    int from_max = (1 << from.exponent_bits) - 1, to_max = (1 << to.exponent_bits) - 1;
    uint64_t fraction = bits & (((uint64_t)1 << from.mantissa_bits) - 1);
    int exponent = (int)(bits >> from.mantissa_bits) & from_max;
    uint64_t sign = (bits >> (from.mantissa_bits + from.exponent_bits) & 1)
                    << (to.mantissa_bits + to.exponent_bits);
    uint64_t infinity = (uint64_t)to_max << to.mantissa_bits;
    int narrower = from.mantissa_bits - to.mantissa_bits;

    if (exponent == from_max) {
        if (!fraction) return sign | infinity;
        uint64_t payload = narrower > 0 ? fraction >> narrower : fraction << -narrower;
        return sign | infinity | payload | (uint64_t)1 << (to.mantissa_bits - 1);
    }
    if (exponent == 0 && fraction == 0) return sign;
    if (exponent == 0) exponent = 1;
    else fraction |= (uint64_t)1 << from.mantissa_bits;
    /* subnormal operands, by their leading one */
    while (!(fraction >> from.mantissa_bits)) {
        fraction <<= 1;
        exponent--;
    }

    int e = exponent - (from_max >> 1) + (to_max >> 1);
    if (e >= to_max) return sign | infinity;
    if (e <= 0) return sign | shift_right_to_even(fraction, narrower + 1 - e);
    return sign | (((uint64_t)(e - 1) << to.mantissa_bits) + shift_right_to_even(fraction, narrower));
}

uint16_t f32_to_f16(float v) { return (uint16_t)convert_format(bits_of_f32(v), WEFT_F32, WEFT_F16); }
float f16_to_f32(uint16_t h) { return f32_of_bits((uint32_t)convert_format(h, WEFT_F16, WEFT_F32)); }
uint16_t f64_to_f16(double v) { return (uint16_t)convert_format(bits_of_f64(v), WEFT_F64, WEFT_F16); }
uint16_t f64_to_bf16(double v) { return (uint16_t)convert_format(bits_of_f64(v), WEFT_F64, WEFT_BF16); }
uint16_t f32_to_bf16(float v) { return (uint16_t)convert_format(bits_of_f32(v), WEFT_F32, WEFT_BF16); }

/* Written so that a signalling NaN is quieted here too. */
float bf16_to_f32(uint16_t h) { return f32_of_bits((uint32_t)convert_format(h, WEFT_BF16, WEFT_F32)); }

static uint64_t low_bits(DType t, uint64_t v)
{
    size_t bytes = dtype_bytes(t);
    return bytes == 8 ? v : v & (((uint64_t)1 << 8 * bytes) - 1);
}

static uint64_t int_from_double(DType t, double v)
{
    int bits = dtype_bits(t);
    if (isnan(v)) return 0;
    if (dtype_is_signed(t)) {
        double bound = ldexp(1, bits - 1);
        int64_t greatest = (int64_t)(UINT64_MAX >> (65 - bits));
        int64_t i = v >= bound ? greatest : v < -bound ? -greatest - 1 : (int64_t)v;
        return low_bits(t, (uint64_t)i);
    }
    double bound = ldexp(1, bits);
    return v >= bound ? UINT64_MAX >> (64 - bits) : v <= 0 ? 0 : (uint64_t)v;
}

uint64_t scalar_from_double(DType t, double v)
{
    t = dtype_part(t);
    if (t == WEFT_BOOL) return v != 0;
    if (!dtype_is_float(t)) return int_from_double(t, v);
    return t == WEFT_F64 ? bits_of_f64(v) : convert_format(bits_of_f64(v), WEFT_F64, t);
}

/* To f16 and bf16 by way of f32, as JAX does. */
static uint64_t float_from_magnitude(DType t, bool negative, uint64_t m)
{
    switch (t) {
    case WEFT_F32: return bits_of_f32(negative ? -(float)m : (float)m);
    case WEFT_F64: return bits_of_f64(negative ? -(double)m : (double)m);
    default:       return scalar_from_double(t, negative ? -(float)m : (float)m);
    }
}

uint64_t scalar_from_i64(DType t, int64_t v)
{
    t = dtype_part(t);
    if (t == WEFT_BOOL) return v != 0;
    if (!dtype_is_float(t)) return low_bits(t, (uint64_t)v);
    if (v == 0) return 0;
    return float_from_magnitude(t, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

double scalar_to_double(DType t, uint64_t bits)
{
    t = dtype_part(t);
    if (t == WEFT_F64) return f64_of_bits(bits);
    if (dtype_is_float(t)) return f64_of_bits(convert_format(low_bits(t, bits), t, WEFT_F64));
    return t == WEFT_U64 ? (double)bits : (double)scalar_to_i64(t, bits);
}

int64_t scalar_to_i64(DType t, uint64_t bits)
{
    t = dtype_part(t);
    if (t == WEFT_BOOL) return (bits & 0xff) != 0;
    if (dtype_is_float(t)) return (int64_t)int_from_double(WEFT_I64, scalar_to_double(t, bits));
    int above = 64 - dtype_bits(t);
    return dtype_is_signed(t) ? (int64_t)(bits << above) >> above : (int64_t)(bits << above >> above);
}

uint64_t scalar_convert(DType to, DType from, uint64_t bits)
{
    to = dtype_part(to), from = dtype_part(from);
    if (to == from) return low_bits(from, bits);
    if (dtype_is_float(from)) return scalar_from_double(to, scalar_to_double(from, bits));
    if (from == WEFT_U64 && dtype_is_float(to)) return bits ? float_from_magnitude(to, false, bits) : 0;
    return scalar_from_i64(to, scalar_to_i64(from, bits));
}

/* Sizes are constants to memcpy, which is no call then. Machines are little-endian. */
uint64_t scalar_load(DType t, const void *p)
{
    uint64_t bits = 0;
    switch (dtype_bytes(dtype_part(t))) {
    case 1:  memcpy(&bits, p, 1); break;
    case 2:  memcpy(&bits, p, 2); break;
    case 4:  memcpy(&bits, p, 4); break;
    default: memcpy(&bits, p, 8); break;
    }
    return bits;
}

void scalar_store(DType t, void *p, uint64_t bits)
{
    DType part = dtype_part(t);
    if (part != t) memset((char *)p + dtype_bytes(part), 0, dtype_bytes(part));
    switch (dtype_bytes(part)) {
    case 1:  memcpy(p, &bits, 1); break;
    case 2:  memcpy(p, &bits, 2); break;
    case 4:  memcpy(p, &bits, 4); break;
    default: memcpy(p, &bits, 8); break;
    }
}

void scalar_from_parts(DType t, double re, double im, void *to)
{
    DType part = dtype_part(t);
    scalar_store(part, to, scalar_from_double(part, re));
    if (part != t) scalar_store(part, (char *)to + dtype_bytes(part), scalar_from_double(part, im));
}
