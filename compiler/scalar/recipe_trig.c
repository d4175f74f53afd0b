/* recipe_trig.c: sin, cos, tan and their inverses.
 *
 * x = n pi + r for sin, |x| = n pi - pi/2 + r for cos, n pi/2 + r for tan. pi is subtracted in three parts by
 * FMA, which is good to |n| of some 2^15 (F32) or 2^20 (F64), or without FMA in three or four shorter ones,
 * good to |n| of 1600; beyond that, in a rare path, the fraction of a
 * turn is found exactly: |x| is an integer m times 2^e, and of 1/(2 pi) only the bits around 2^-e matter
 * (Payne and Hanek).
 */
#include "recipe_builder.h"

typedef struct Angle {
    V r, n, lo;
} Angle; /* r + lo, lo for tan only; n: an int whose lowest bit counts */

static double turn_limit(const Builder *b) { return !b->fma ? 5.0e3 : b->wide ? 3.0e6 : 1.0e5; }

/* 64 bits of 1/(2 pi) from bit `at` on, counted from 64 places before the binary point. */
static V turn_bits(Builder *b, V word, V shift)
{
    V here = lookup(b, WEFT_U64, TABLE_TURNS, convert(b, WEFT_I32, word));
    V next = lookup(b, WEFT_U64, TABLE_TURNS, convert(b, WEFT_I32, add_whole(b, word, 1)));
    V rest = sub(b, bits_of(b, 63), shift);
    return either(b, shift_left(b, here, shift), shift_logic(b, shift_logic(b, next, bits_of(b, 1)), rest));
}

/* A fraction of a turn as hi 2^-64 + lo 2^-128; lo only where the argument was F64. */
typedef struct Turn {
    V hi, lo;
    bool has_lo;
} Turn;

/* Mantissas of 24 bits: a product with 96 bits of 1/(2 pi) leaves 64 good ones, and none wider than 64 is
 * needed. */
static Turn turn_single(Builder *b, V m, V word, V shift)
{
    V top = bits_of(b, 32), m24 = shift_logic(b, m, bits_of(b, 29));
    V next = shift_logic(b, turn_bits(b, add_whole(b, word, 1), shift), top);
    V hi = add(b, mul(b, m24, turn_bits(b, word, shift)), shift_logic(b, mul(b, m24, next), top));
    return (Turn){ hi, hi, false };
}

static Turn turn_double(Builder *b, V m, V word, V shift)
{
    V w0 = turn_bits(b, word, shift);
    V w1 = turn_bits(b, add_whole(b, word, 1), shift);
    V w2 = turn_bits(b, add_whole(b, word, 2), shift);
    V low = mul(b, m, w1);
    V lo = add(b, low, mul_high(b, m, w2));
    V carry = choose(b, less(b, lo, low), bits_of(b, 1), bits_of(b, 0));
    return (Turn){ add(b, add(b, mul(b, m, w0), mul_high(b, m, w1)), carry), lo, true };
}

/* F64 x in turns. single: x was F32, so that its mantissa ends 29 places earlier. */
static Turn turns(Builder *b, V x, bool single)
{
    V bits = to_bits(b, x);
    V at = add_whole(b, shift_logic(b, bits, whole(b, 52)), 64 - 1075 + (single ? 29 : 0));
    /* lanes that are not rare must look up something too */
    at = choose(b, less(b, at, whole(b, 0)), whole(b, 0), at);
    at = choose(b, greater(b, at, whole(b, 1036)), whole(b, 1036), at);
    V word = shift_arith(b, at, whole(b, 6));
    V shift = bitcast(b, WEFT_U64, both(b, at, whole(b, 63)));
    V fraction = both(b, bits, whole(b, (INT64_C(1) << 52) - 1));
    V m = bitcast(b, WEFT_U64, either(b, fraction, whole(b, INT64_C(1) << 52)));
    return single ? turn_single(b, m, word, shift) : turn_double(b, m, word, shift);
}

/* The turn, shifted up and taken as signed, as a float and what that misses. */
static Pair turn_fraction(Builder *b, Turn t, int log_parts)
{
    V up = bits_of(b, (uint64_t)log_parts), down = bits_of(b, (uint64_t)(64 - log_parts));
    V top = shift_left(b, t.hi, up);
    if (t.has_lo) top = either(b, top, shift_logic(b, t.lo, down));
    V signed_top = bitcast(b, WEFT_I64, top);
    V high = convert(b, WEFT_F64, both(b, signed_top, whole(b, -2048)));
    V rest = by(b, convert(b, WEFT_F64, both(b, signed_top, whole(b, 2047))), 0x1p-64);
    if (t.has_lo) {
        V below = convert(b, WEFT_F64,
                          bitcast(b, WEFT_I64, shift_logic(b, shift_left(b, t.lo, up), bits_of(b, 1))));
        rest = fmadd(b, below, num(b, 0x1p-127), rest);
    }
    return fast_two_sum(b, by(b, high, 0x1p-64), rest);
}

/* F64: nearest multiple of a turn / 2^log_parts, and the rest in radians. quarter: adds pi/2 first. */
static Angle reduce_far(Builder *b, V x, int log_parts, bool quarter, bool single)
{
    Turn t = turns(b, x, single);
    if (quarter) t.hi = add(b, t.hi, bits_of(b, UINT64_C(1) << 62));
    V n = shift_logic(b, add(b, t.hi, bits_of(b, UINT64_C(1) << (63 - log_parts))),
                      bits_of(b, (uint64_t)(64 - log_parts)));
    Pair part = turn_fraction(b, t, log_parts);
    double unit = log_parts == 1 ? 1 : 0.5;
    V low =
        fmadd(b, part.hi, num(b, unit * 0x1.1a62633145c07p-53), by(b, part.lo, unit * 0x1.921fb54442d18p1));
    Pair exact = two_product(b, part.hi, num(b, unit * 0x1.921fb54442d18p1));
    V r = add(b, exact.hi, add(b, exact.lo, low));
    V rest = add(b, sub(b, exact.hi, r), add(b, exact.lo, low));
    return (Angle){ add(b, r, sub(b, x, x)), bitcast(b, WEFT_I64, n), rest };
}

/* The same for the builder's type: F32 goes by way of F64, for it is rare. */
static Angle reduce_rare(Builder *b, V x, int log_parts, bool quarter)
{
    if (b->wide) return reduce_far(b, x, log_parts, quarter, false);
    Builder wide;
    uint16_t n_steps = b->r->n_steps, n_params = b->r->n_params;
    builder_start(&wide, b->r, WEFT_F64, b->fma);
    b->r->n_steps = n_steps;
    b->r->n_params = n_params;
    wide.guard = b->guard;
    Angle far = reduce_far(&wide, convert(&wide, WEFT_F64, x), log_parts, quarter, true);
    V r = convert(b, WEFT_F32, far.r);
    V lo = convert(b, WEFT_F32, sub(&wide, far.r, convert(&wide, WEFT_F64, r)));
    return (Angle){ r, convert(b, WEFT_I32, far.n), lo };
}

/* All above 0, so that nothing of -0 taken away leaves -0. */
static const double *pi_parts(const Builder *b)
{
    static const double single[] = { 0x1.921fb4p1, 0x1.4442dp-23, 0x1.84698ap-47 };
    static const double twice[] = { 0x1.921fb54442d18p1, 0x1.1a62633145c06p-53, 0x1.c1cd129024e09p-106 };
    return b->wide ? twice : single;
}

/* The same for plain products: those of all parts but the last with n, of 12 bits at most, are exact, and so
 * is each difference until one is rounded to what sin needs. */
static const double *short_pi_parts(const Builder *b)
{
    static const double single[] = { 0x1.92p1, 0x1.fb4p-11, 0x1.444p-23, 0x1.68c234p-38 };
    static const double twice[] = { 0x1.921fb54442p1, 0x1.a308d31319p-40, 0x1.145c06e0e6895p-81 };
    return b->wide ? twice : single;
}

/* x - n pi. The first difference is exact. */
static V minus_pi(Builder *b, V x, V n)
{
    const double *part = b->fma ? pi_parts(b) : short_pi_parts(b);
    int parts = b->fma || b->wide ? 3 : 4;
    for (int i = 0; i < parts; i++) x = fmadd(b, n, num(b, -part[i]), x);
    return x;
}

/* a - n pi/2, with what r misses */
static Angle minus_half_pi(Builder *b, V a, V n)
{
    const double *part = pi_parts(b);
    V first = exact_fmadd(b, n, num(b, -0.5 * part[0]), a);
    Pair second = two_product(b, n, num(b, -0.5 * part[1]));
    Pair r = two_sum(b, first, second.hi);
    return (Angle){ .r = r.hi, .lo = add(b, r.lo, fmadd(b, n, num(b, -0.5 * part[2]), second.lo)) };
}

/* (-1)^n sin(r). At the crests the sum may round past 1, which no sine may; of -0 it is 0. */
static V sine_of(Builder *b, Angle angle)
{
    V r = with_sign(b, angle.r, shift_left(b, angle.n, whole(b, b->top)));
    V z = mul(b, r, r);
    V s = fmadd(b, mul(b, r, z), poly(b, poly_sin, z), r);
    s = not_below(b, not_above(b, s, 1), -1);
    return from_bits(b, either(b, to_bits(b, s), sign_bit(b, r)));
}

static const double per_pi = 0x1.45f306dc9c883p-2;

static Angle select_angle(Builder *b, V rare, Angle far, Angle near)
{
    return (Angle){ choose(b, rare, far.r, near.r), choose(b, rare, far.n, near.n), 0 };
}

V recipe_sin(Builder *b, V x)
{
    V shifted = fmadd(b, x, num(b, per_pi), num(b, rounder(b)));
    V n = plus(b, shifted, -rounder(b));
    Angle near = { .r = minus_pi(b, x, n), .n = to_bits(b, shifted) };
    V a = magnitude(b, x);
    V rare = guarded(b, greater(b, a, num(b, turn_limit(b))));
    Angle far = reduce_rare(b, a, 1, false);
    far.r = with_sign(b, far.r, sign_bit(b, x));
    unguarded(b);
    return sine_of(b, select_angle(b, rare, far, near));
}

V recipe_cos(Builder *b, V x)
{
    V a = magnitude(b, x);
    V shifted = plus(b, fmadd(b, a, num(b, per_pi), num(b, 0.5)), rounder(b));
    V n = plus(b, plus(b, shifted, -rounder(b)), -0.5);
    Angle near = { .r = minus_pi(b, a, n), .n = to_bits(b, shifted) };
    V rare = guarded(b, greater(b, a, num(b, turn_limit(b))));
    Angle far = reduce_rare(b, a, 1, true);
    unguarded(b);
    return sine_of(b, select_angle(b, rare, far, near));
}

/* tan(r + lo) = tan r + lo (1 + r^2 ..), or -1 / that for odd n */
static V tangent_of(Builder *b, Angle angle)
{
    V z = mul(b, angle.r, angle.r);
    V lo = fmadd(b, angle.lo, z, angle.lo);
    V t = add(b, angle.r, fmadd(b, mul(b, angle.r, z), poly(b, poly_tan, z), lo));
    V odd = unequal(b, both(b, angle.n, whole(b, 1)), whole(b, 0));
    return quotient(b, choose(b, odd, num(b, -1), t), choose(b, odd, t, num(b, 1)));
}

V recipe_tan(Builder *b, V x)
{
    V a = magnitude(b, x);
    V shifted = fmadd(b, a, num(b, 2 * per_pi), num(b, rounder(b)));
    V n = plus(b, shifted, -rounder(b));
    Angle near = minus_half_pi(b, a, n);
    near.n = to_bits(b, shifted);
    V rare = guarded(b, greater(b, a, num(b, turn_limit(b) / 2)));
    Angle far = reduce_rare(b, a, 2, false);
    unguarded(b);
    Angle angle = select_angle(b, rare, far, near);
    angle.lo = choose(b, rare, far.lo, near.lo);
    return with_sign(b, tangent_of(b, angle), sign_bit(b, x));
}

/* sin(pi x): the reduction is exact */
V sin_pi(Builder *b, V x)
{
    V n = round_even(b, x);
    V part = sub(b, x, n);
    V r = exact_fmadd(b, part, num(b, 0x1.921fb54442d18p1), by(b, part, 0x1.1a62633145c07p-53));
    V odd = unequal(b, by(b, n, 0.5), round_even(b, by(b, n, 0.5)));
    V z = mul(b, r, r);
    V s = fmadd(b, mul(b, r, z), poly(b, poly_sin, z), r);
    return choose(b, odd, negate(b, s), s);
}

V tan_pi(Builder *b, V x)
{
    V twice = add(b, x, x);
    V n = round_even(b, twice);
    V r = by(b, sub(b, twice, n), 0x1.921fb54442d18p0);
    V odd = unequal(b, by(b, n, 0.5), round_even(b, by(b, n, 0.5)));
    V z = mul(b, r, r);
    V t = fmadd(b, mul(b, r, z), poly(b, poly_tan, z), r);
    return quotient(b, choose(b, odd, num(b, -1), t), choose(b, odd, t, num(b, 1)));
}

/* z p(z) t + t = atan t, |t| <= tan(pi/8); turned is added in two parts. */
static V arc(Builder *b, V t, V turned_hi, V turned_lo)
{
    V z = mul(b, t, t);
    V rest = fmadd(b, mul(b, t, z), poly(b, poly_atan, z), turned_lo);
    return add(b, turned_hi, add(b, t, rest));
}

static double pi_high(const Builder *b) { return pi_parts(b)[0]; }
static double pi_low(const Builder *b) { return pi_parts(b)[1]; }

/* atan a = atan a, pi/4 + atan (a-1)/(a+1), pi/2 + atan -1/a, whichever quotient is small. */
V recipe_atan(Builder *b, V x)
{
    V a = magnitude(b, x);
    V steep = greater(b, a, num(b, 2.414213562373095));
    V mid = greater(b, a, num(b, 0.41421356237309503));
    V zero = num(b, 0), one = num(b, 1);
    V above = choose(b, steep, num(b, -1), choose(b, mid, plus(b, a, -1), a));
    V below = choose(b, steep, a, choose(b, mid, plus(b, a, 1), one));
    V hi = choose(b, steep, num(b, pi_high(b) / 2), choose(b, mid, num(b, pi_high(b) / 4), zero));
    V lo = choose(b, steep, num(b, pi_low(b) / 2), choose(b, mid, num(b, pi_low(b) / 4), zero));
    return with_sign(b, arc(b, quotient(b, above, below), hi, lo), sign_bit(b, x));
}

static V larger(Builder *b, V x, V y) { return builder_step(b, OP_MAX, b->t, x, y, 0, 0); }
static V smaller(Builder *b, V x, V y) { return builder_step(b, OP_MIN, b->t, x, y, 0, 0); }

/* The angle of the smaller over the larger of |y| and |x| lies in [0, pi/4]; reflections at the diagonal and
 * at the y axis turn into a sign and a multiple of pi/4. Far out both are scaled; two infinities stand for
 * the diagonal. */
V recipe_atan2(Builder *b, V y, V x)
{
    V ay = magnitude(b, y), ax = magnitude(b, x);
    V big = larger(b, ay, ax), small = smaller(b, ay, ax);
    V far = greater(b, big, num(b, b->wide ? 0x1p1020 : 0x1p120));
    V diagonal = equal(b, small, num(b, INFINITY));
    V lo = choose(b, diagonal, num(b, 1), choose(b, far, by(b, small, 0.125), small));
    V hi = choose(b, diagonal, num(b, 1), choose(b, far, by(b, big, 0.125), big));
    hi = choose(b, equal(b, hi, num(b, 0)), num(b, 1), hi);
    V mid = greater(b, lo, by(b, hi, 0.41421356237309503));
    V t = quotient(b, choose(b, mid, sub(b, lo, hi), lo), choose(b, mid, add(b, lo, hi), hi));
    V steep = greater(b, ay, ax), left = less(b, to_bits(b, x), whole(b, 0));
    V flip = builder_step(b, OP_XOR, WEFT_BOOL, steep, left, 0, 0);
    t = choose(b, flip, negate(b, t), t);
    /* of the half turn's quarters: +1 for the diagonal, then reflected */
    V quarters = choose(b, mid, num(b, 1), num(b, 0));
    quarters = choose(b, steep, sub(b, num(b, 2), quarters), quarters);
    quarters = choose(b, left, sub(b, num(b, 4), quarters), quarters);
    V turned = by(b, quarters, pi_high(b) / 4);
    V rest = exact_fmadd(b, quarters, num(b, pi_high(b) / 4), negate(b, turned));
    V low = fmadd(b, quarters, num(b, pi_low(b) / 4), rest);
    return with_sign(b, arc(b, t, turned, low), sign_bit(b, y));
}

/* s (1 + z p(z)): asin of s where z = s^2 */
static V asin_tail(Builder *b, V s, V z) { return mul(b, mul(b, s, z), poly(b, poly_asin, z)); }

/* asin a = pi/2 - 2 asin sqrt((1 - a) / 2) above 1/2 */
V recipe_asin(Builder *b, V x)
{
    V a = magnitude(b, x);
    V outer = greater(b, a, num(b, 0.5));
    V z = choose(b, outer, fmadd(b, a, num(b, -0.5), num(b, 0.5)), mul(b, a, a));
    V s = choose(b, outer, root(b, z), a);
    V tail = asin_tail(b, s, z);
    V half_pi = num(b, pi_high(b) / 2), minus_two = num(b, -2);
    V main = fmadd(b, s, minus_two, half_pi);
    V missed = fmadd(b, s, minus_two, sub(b, half_pi, main));
    V near_one = add(b, main, fmadd(b, tail, minus_two, plus(b, missed, pi_low(b) / 2)));
    return with_sign(b, choose(b, outer, near_one, add(b, s, tail)), sign_bit(b, x));
}

V recipe_acos(Builder *b, V x)
{
    V a = magnitude(b, x);
    V outer = greater(b, a, num(b, 0.5));
    V z = choose(b, outer, fmadd(b, a, num(b, -0.5), num(b, 0.5)), mul(b, a, a));
    V s = choose(b, outer, root(b, z), x);
    V tail = asin_tail(b, s, z);
    V small = add(b, s, tail);
    V left = sub(b, num(b, pi_high(b)), fmadd(b, small, num(b, 2), num(b, -pi_low(b))));
    V edge = choose(b, less(b, x, num(b, 0)), left, add(b, small, small));
    V inner = sub(b, num(b, pi_high(b) / 2), add(b, s, sub(b, tail, num(b, pi_low(b) / 2))));
    return choose(b, outer, edge, inner);
}
