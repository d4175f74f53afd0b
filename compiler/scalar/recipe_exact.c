/* recipe_exact.c: ops whose result is exact or comes from the bits: sign, rounding, neighbours, remainder,
 * integer powers, narrow floats. */
#include "recipe_builder.h"

/* -1, 0, 1; zeros and NaN stay as they are. */
V recipe_sign(Builder *b, V x)
{
    V positive = choose(b, greater(b, x, num(b, 0)), num(b, 1), x);
    return choose(b, less(b, x, num(b, 0)), num(b, -1), positive);
}

/* |x| is whole plus a rest in [0, 1), both exact. */
V recipe_round_afz(Builder *b, V x)
{
    V a = magnitude(b, x);
    V down = round_down(b, a);
    V up = choose(b, at_least(b, sub(b, a, down), num(b, 0.5)), plus(b, down, 1), down);
    return with_sign(b, up, sign_bit(b, x));
}

/* Floats of one sign are ordered as their bits: the neighbour is one more or one less. From zero it is the
 * least subnormal toward y. */
V recipe_next_after(Builder *b, V x, V y)
{
    V bits = to_bits(b, x), zero = whole(b, 0);
    V outward = builder_step(b, OP_XOR, WEFT_BOOL, less(b, y, x), less(b, bits, zero), 0, 0);
    outward = invert(b, outward);
    V moved = from_bits(b, choose(b, outward, add_whole(b, bits, 1), add_whole(b, bits, -1)));
    V least = from_bits(b, either(b, sign_bit(b, y), whole(b, 1)));
    V value = choose(b, equal(b, x, num(b, 0)), least, moved);
    value = choose(b, equal(b, x, y), y, value);
    V ordered = both(b, equal(b, x, x), equal(b, y, y));
    return choose(b, ordered, value, add(b, x, y));
}

/* a - q y with q = floor(a / y) below 2^mantissa: exact by one multiply-add, for the rest has y's last
 * place and is at most y in size. The rounded quotient may be one too large; then the rest is negative
 * and y is given back. */
static V take_multiple(Builder *b, V a, V y)
{
    V q = round_down(b, quotient(b, a, y));
    V rest = exact_fmsub_from(b, q, y, a);
    return choose(b, less(b, rest, num(b, 0)), add(b, rest, y), rest);
}

/* fmod. Up to a quotient of 2^step one FMA does it. Beyond, long division: y 2^(k step) is taken out for k
 * counting down, each round leaving less than that for the next; where the multiple exceeds what is left (or
 * overflowed) the round does nothing. */
V recipe_rem(Builder *b, V x, V y)
{
    int step = b->mantissa - 3, rounds = (2 * b->bias + b->mantissa) / step;
    V a = magnitude(b, x), d = magnitude(b, y);
    V small = take_multiple(b, a, d);
    V rare = guarded(b, invert(b, less(b, quotient(b, a, d), num(b, ldexp(1, step)))));
    V multiple[128] = { d };
    for (int k = 1; k <= rounds; k++) multiple[k] = by(b, multiple[k - 1], ldexp(1, step));
    V rest = a;
    for (int k = rounds; k >= 0; k--)
        rest = choose(b, at_most(b, multiple[k], rest), take_multiple(b, rest, multiple[k]), rest);
    unguarded(b);
    V value = choose(b, less(b, a, d), a, choose(b, rare, rest, small));
    V defined = both(b, less(b, a, num(b, INFINITY)), greater(b, d, num(b, 0)));
    V nan = choose(b, equal(b, x, x), choose(b, equal(b, y, y), num(b, NAN), y), x);
    return choose(b, defined, with_sign(b, value, sign_bit(b, x)), nan);
}

/* Rounds to nearest even at the kept bits; a result outside of the narrow exponent range becomes infinite
 * or zero. A NaN stays a NaN, also in a format without mantissa, as in JAX. */
V recipe_reduce_precision(Builder *b, V x, int exponent_bits, int mantissa_bits)
{
    V value = to_bits(b, x);
    V sign = sign_bit(b, x);
    V given = differ(b, value, sign), size = given;
    if (mantissa_bits < b->mantissa) {
        int drop = b->mantissa - mantissa_bits;
        V odd = both(b, shift_logic(b, size, whole(b, drop)), whole(b, 1));
        V bias = add_whole(b, odd, (INT64_C(1) << (drop - 1)) - 1);
        size = both(b, add(b, size, bias), whole(b, -(INT64_C(1) << drop)));
    }
    V inf = whole(b, (int64_t)(2 * b->bias + 1) << b->mantissa);
    if (exponent_bits < dtype_info[b->t].exponent_bits) {
        int narrow_bias = (1 << (exponent_bits - 1)) - 1;
        V least = whole(b, (int64_t)(b->bias - narrow_bias + 1) << b->mantissa);
        V limit = whole(b, (int64_t)(b->bias + narrow_bias + 1) << b->mantissa);
        size = choose(b, at_least(b, size, limit), inf, size);
        size = choose(b, less(b, size, least), whole(b, 0), size);
    }
    V rounded = from_bits(b, either(b, size, sign));
    if (dtype_is_narrow_float(b->t)) return choose(b, greater(b, given, inf), x, rounded);
    return choose(b, equal(b, x, x), rounded, x);
}

static V int_const(Builder *b, DType t, int64_t v) { return builder_const(b, t, scalar_from_i64(t, v)); }

/* Square and multiply over every bit of the exponent; products wrap. Negative exponents: 1/x^-y truncated, -1
 * for 0 as StableHLO has it. */
V recipe_pow_int(Builder *b, DType t, V x, V y)
{
    V one = int_const(b, t, 1), zero = int_const(b, t, 0);
    V power = x, value = one;
    int bits = dtype_bits(t);
    for (int i = 0; i < bits; i++) {
        V bit = both(b, i ? shift_logic(b, y, int_const(b, t, i)) : y, one);
        value = choose(b, unequal(b, bit, zero), mul(b, value, power), value);
        if (i + 1 < bits) power = mul(b, power, power);
    }
    if (!dtype_is_signed(t)) return value;
    V minus = int_const(b, t, -1);
    V alternating = choose(b, equal(b, both(b, y, one), zero), one, minus);
    V inverse = choose(b, equal(b, x, one), one, zero);
    inverse = choose(b, equal(b, x, minus), alternating, inverse);
    inverse = choose(b, equal(b, x, zero), minus, inverse);
    return choose(b, less(b, y, zero), inverse, value);
}

/* Narrow floats. U16 bits in, or out; the builder's type is F32 unless said. */
static V low_half(Builder *b, V bits) { return convert(b, WEFT_U16, bits); }

/* F16 to F32: exponent and mantissa moved into place stand 2^112 too low, which a product mends, subnormals
 * included. */
static V from_f16(Builder *b, V half)
{
    V h = convert(b, WEFT_I32, half);
    V sign = shift_left(b, both(b, h, whole(b, 0x8000)), whole(b, 16));
    V size = shift_left(b, both(b, h, whole(b, 0x7fff)), whole(b, 13));
    V finite = to_bits(b, by(b, from_bits(b, size), 0x1p112));
    V quiet = choose(b, greater(b, size, whole(b, 0x7c00 << 13)), whole(b, 0x7fc00000), whole(b, 0x7f800000));
    V value = choose(b, at_least(b, size, whole(b, 0x7c00 << 13)), either(b, size, quiet), finite);
    return from_bits(b, either(b, value, sign));
}

static V from_bf16(Builder *b, V half)
{
    V bits = shift_left(b, convert(b, WEFT_I32, half), whole(b, 16));
    V nan = greater(b, both(b, bits, whole(b, 0x7fffffff)), whole(b, 0x7f800000));
    return from_bits(b, choose(b, nan, either(b, bits, whole(b, 0x400000)), bits));
}

/* bits rounded to even at place `drop`, shifted down */
static V round_shift(Builder *b, V bits, int drop)
{
    V odd = both(b, shift_logic(b, bits, whole(b, drop)), whole(b, 1));
    return shift_logic(b, add(b, bits, add_whole(b, odd, (1 << (drop - 1)) - 1)), whole(b, drop));
}

/* Where F16 is subnormal, adding 1/2 rounds to a multiple of 2^-24. */
static V to_f16(Builder *b, V x)
{
    V sign = sign_bit(b, x);
    V size = differ(b, to_bits(b, x), sign);
    V normal = add_whole(b, round_shift(b, size, 13), -(112 << 10));
    V subnormal = add_whole(b, to_bits(b, plus(b, from_bits(b, size), 0.5)), -0x3f000000);
    V value = choose(b, less(b, size, whole(b, 0x38800000)), subnormal, normal);
    value = choose(b, at_least(b, size, whole(b, 0x477ff000)), whole(b, 0x7c00), value);
    V nan = either(b, both(b, shift_logic(b, size, whole(b, 13)), whole(b, 0x3ff)), whole(b, 0x7e00));
    value = choose(b, greater(b, size, whole(b, 0x7f800000)), nan, value);
    return low_half(b, either(b, value, shift_logic(b, sign, whole(b, 16))));
}

static V to_bf16(Builder *b, V x)
{
    V bits = to_bits(b, x);
    V nan = either(b, shift_logic(b, bits, whole(b, 16)), whole(b, 0x40));
    return low_half(b, choose(b, equal(b, x, x), round_shift(b, bits, 16), nan));
}

/* F64 to F32 by rounding to odd: what F32 cannot hold leaves a one in the last place, so that rounding once
 * more is as good as rounding once. */
static V to_f32_odd(Builder *b, V wide)
{
    V x = convert(b, WEFT_F32, wide);
    V back = convert(b, WEFT_F64, x);
    V bits = to_bits(b, x);
    V too_far = greater(b, magnitude(b, back), magnitude(b, wide));
    V toward_zero = choose(b, too_far, add_whole(b, bits, -1), bits);
    V inexact = both(b, unequal(b, back, wide), equal(b, wide, wide));
    return from_bits(b, choose(b, inexact, either(b, toward_zero, whole(b, 1)), bits));
}

/* One row for each narrow float: from and to F32. */
static const struct {
    DType type;
    RecipeUnary *widened, *narrowed;
} narrow_floats[] = { { WEFT_F16, from_f16, to_f16 }, { WEFT_BF16, from_bf16, to_bf16 } };

bool recipe_write_convert(Builder *b, DType from, DType to)
{
    for (size_t i = 0; i < sizeof narrow_floats / sizeof *narrow_floats; i++) {
        DType t = narrow_floats[i].type;
        if (from == t && (to == WEFT_F32 || to == WEFT_F64)) {
            V x = narrow_floats[i].widened(b, parameter(b, dtype_unsigned_twin(t), 0));
            if (to == WEFT_F64) convert(b, WEFT_F64, x);
            return true;
        }
        if (to == t && (from == WEFT_F32 || from == WEFT_F64)) {
            V x = parameter(b, from, 0);
            narrow_floats[i].narrowed(b, from == WEFT_F64 ? to_f32_odd(b, x) : x);
            return true;
        }
    }
    return false;
}
