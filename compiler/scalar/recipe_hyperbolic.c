/* recipe_hyperbolic.c: sinh, cosh, tanh and their inverses.
 *
 * |x| = n ln2 + r. With S = sinh r, 1 + c = cosh r, A = (2^n + 2^-n) / 2, B = (2^n - 2^-n) / 2:
 *   sinh |x| = B + (B c + A S)      cosh x = A + (A c + B S)
 * A and B are exact or nearly so, and what is added to them is small, so neither cancels; no division.
 */
#include "recipe_builder.h"

typedef struct HyperbolicParts {
    V a, a_lo, b, s, c;
} HyperbolicParts; /* a_lo: what a misses */

static HyperbolicParts hyperbolic_parts(Builder *b, V x)
{
    ExpParts e = exp_parts_of_half(b, x);
    V z = mul(b, e.r, e.r);
    V s = add(b, e.first, fmadd(b, mul(b, e.r, z), poly(b, poly_sinh, z), e.second));
    V c = mul(b, z, fmadd(b, z, poly(b, poly_cosh, z), num(b, 0.5)));
    V field = shift_left(b, e.biased, whole(b, b->mantissa));
    V up = from_bits(b, add_whole(b, field, -(INT64_C(1) << b->mantissa)));
    V down = from_bits(b, sub(b, whole(b, (int64_t)(2 * b->bias - 1) << b->mantissa), field));
    V a = add(b, up, down);
    return (HyperbolicParts){ a, sub(b, down, sub(b, a, up)), sub(b, up, down), s, c };
}

/* b and a s may have opposite signs and be of a size: they meet in one rounding. */
static V sinh_of(Builder *b, HyperbolicParts h) { return fmadd(b, h.b, h.c, fmadd(b, h.a, h.s, h.b)); }
static V cosh_of(Builder *b, HyperbolicParts h)
{
    return add(b, h.a, fmadd(b, h.a, h.c, fmadd(b, h.b, h.s, h.a_lo)));
}

V recipe_sinh(Builder *b, V x)
{
    V a = magnitude(b, x);
    V usual = sinh_of(b, hyperbolic_parts(b, a));
    V rare = guarded(b, greater(b, a, num(b, exp_limit(b) - 1)));
    V far = exp_scaled(b, a, 1);
    unguarded(b);
    return with_sign(b, choose(b, rare, far, usual), sign_bit(b, x));
}

V recipe_cosh(Builder *b, V x)
{
    V a = magnitude(b, x);
    V usual = cosh_of(b, hyperbolic_parts(b, a));
    V rare = guarded(b, greater(b, a, num(b, exp_limit(b) - 1)));
    V far = exp_scaled(b, a, 1);
    unguarded(b);
    return choose(b, rare, far, usual);
}

/* |x| = n ln2 / 2 + r and scale = 2^n, from where n stands in the bits of a sum. One part of ln2 will do, if
 * it is not a short one: its error grows with n, what r means to tanh shrinks as 2^-n. */
static V half_ln2_rest(Builder *b, V a, V n)
{
    V r = fmadd(b, n, num(b, -0.5 * ln2_parts(b).hi), a);
    return b->fma ? r : fmadd(b, n, num(b, -0.5 * ln2_parts(b).lo), r);
}
static V scale_of_sum(Builder *b, V shifted)
{
    return from_bits(b, shift_left(b, to_bits(b, shifted), whole(b, b->mantissa)));
}

/* 1 - q, q = 1 / sum, sum = (exp(2a) + 1) / 2 and exp(2a) = scale (1 + 2 (r + bend)), made good by what the
 * sum and the quotient miss: near 0, where q is 1, that is all of it. */
static V tanh_made_good(Builder *b, V a)
{
    double shift = rounder(b) + b->bias;
    V near = not_above(b, a, 20), one = num(b, 1), half = num(b, 0.5);
    V shifted = fmadd(b, near, num(b, 0x1.71547652b82fep1), num(b, shift));
    V r = half_ln2_rest(b, near, plus(b, shifted, -shift)), scale = scale_of_sum(b, shifted);
    V first = fmadd(b, scale, half, half), bend = mul(b, mul(b, r, r), poly(b, poly_exp_twice, r));
    V sum = fmadd(b, scale, add(b, r, bend), first);
    V missed = fmadd(b, scale, bend, fmadd(b, scale, r, sub(b, first, sum)));
    V q = quotient(b, one, sum);
    V rest = fmsub_from(b, q, missed, exact_fmsub_from(b, q, sum, one));
    return fmsub_from(b, rest, q, sub(b, one, q));
}

/* With t = tanh r, an odd polynomial, and exp(2r) = (1 + t) / (1 - t):
 *   tanh a = 1 - (1 - t) / ((scale + 1) / 2 + t (scale - 1) / 2)
 * r is in [0.20, 0.55), but a itself up to 0.55, where n is 0: there 1 - q would lose digits, and with 0 for
 * each 1 it is t. Half as many multiplications as with two polynomials to choose from (16k, us: AVX-512
 * 5.7 -> 4.3, AVX2 7.0 -> 6.4). */
static V tanh_by_sum(Builder *b, V a)
{
    double shift = rounder(b) + b->bias - 1; /* scale / 2 */
    V near = not_above(b, a, 10), from = plus(b, near, -0.3767);
    V shifted = not_below(b, fmadd(b, from, num(b, 0x1.71547652b82fep1), num(b, shift)), shift);
    V n = plus(b, shifted, -shift);
    V r = half_ln2_rest(b, near, n);
    V z = mul(b, r, r);
    V t = fmadd(b, mul(b, r, z), poly(b, poly_tanh, z), r);
    V scale = scale_of_sum(b, shifted), one = not_above(b, n, 1);
    V sum = fmadd(b, t, plus(b, scale, -0.5), plus(b, scale, 0.5));
    return sub(b, one, quotient(b, sub(b, one, t), sum));
}

/* Beyond 10, in F64 20, the value is 1. */
V recipe_tanh(Builder *b, V x)
{
    V a = magnitude(b, x), value = b->wide ? tanh_made_good(b, a) : tanh_by_sum(b, a);
    return with_sign(b, value, sign_bit(b, x));
}

/* sqrt of a pair: the root of hi and one Newton step for the rest. */
static Pair pair_root(Builder *b, Pair x)
{
    V s = root(b, x.hi);
    V rest = add(b, exact_fmsub_from(b, s, s, x.hi), x.lo);
    V lo = choose(b, equal(b, s, num(b, 0)), s, quotient(b, rest, add(b, s, s)));
    return fast_two_sum(b, s, lo);
}

static V rounded_log(Builder *b, Pair x)
{
    Pair y = log_pair(b, x);
    return add(b, y.hi, y.lo);
}

/* log(a + sqrt(a^2 + 1)); far out log(2 a), close in a (1 - a^2 / 6). */
V recipe_asinh(Builder *b, V x)
{
    V a = magnitude(b, x);
    V far = greater(b, a, num(b, 0x1p28));
    V close = less(b, a, num(b, 0x1p-26));
    V mid = choose(b, far, num(b, 1), a);
    Pair square = two_product(b, mid, mid);
    Pair under = two_sum(b, square.hi, num(b, 1));
    under.lo = add(b, under.lo, square.lo);
    Pair s = pair_root(b, under);
    Pair sum = two_sum(b, s.hi, mid);
    sum = fast_two_sum(b, sum.hi, add(b, sum.lo, s.lo));
    V half = choose(b, far, by(b, a, 0.5), num(b, 1));
    Pair of = { choose(b, far, half, sum.hi), choose(b, far, num(b, 0), sum.lo) };
    Pair y = log_pair(b, of);
    V two_more = choose(b, far, num(b, 0x1.62e42fefa39efp0), num(b, 0));
    V value = add(b, add(b, y.hi, two_more), y.lo);
    value = choose(b, close, a, value);
    value = choose(b, less(b, a, num(b, INFINITY)), value, a);
    return with_sign(b, value, sign_bit(b, x));
}

/* log(x + sqrt((x - 1)(x + 1))) */
V recipe_acosh(Builder *b, V x)
{
    V far = greater(b, x, num(b, 0x1p28));
    V mid = choose(b, far, num(b, 2), x);
    Pair square = two_product(b, mid, mid);
    Pair under = two_sum(b, square.hi, num(b, -1));
    under = fast_two_sum(b, under.hi, add(b, under.lo, square.lo));
    Pair s = pair_root(b, under);
    Pair sum = two_sum(b, mid, s.hi);
    sum = fast_two_sum(b, sum.hi, add(b, sum.lo, s.lo));
    Pair of = { choose(b, far, x, sum.hi), choose(b, far, num(b, 0), sum.lo) };
    Pair y = log_pair(b, of);
    V two_more = choose(b, far, num(b, 0x1.62e42fefa39efp-1), num(b, 0));
    V value = add(b, add(b, y.hi, two_more), y.lo);
    value = choose(b, less(b, x, num(b, 1)), num(b, NAN), value);
    return choose(b, less(b, x, num(b, INFINITY)), value, x);
}

/* log((1 + a) / (1 - a)) / 2 */
V recipe_atanh(Builder *b, V x)
{
    V a = magnitude(b, x);
    V inside = less(b, a, num(b, 1));
    V mid = choose(b, inside, a, num(b, 0));
    Pair ratio = pair_quotient(b, two_sum(b, num(b, 1), mid), two_sum(b, num(b, 1), negate(b, mid)));
    V value = by(b, rounded_log(b, ratio), 0.5);
    value = choose(b, less(b, a, num(b, 0x1p-28)), a, value);
    V edge = choose(b, equal(b, a, num(b, 1)), num(b, INFINITY), num(b, NAN));
    return with_sign(b, choose(b, inside, value, edge), sign_bit(b, x));
}

/* F64 operands that were F32: no pairs, for the digits that plain sums lose are beyond F32's. Where a is
 * small, where they would not be, two terms of the series do. */
static V odd_single(Builder *b, V a, double third, V value)
{
    V series = fmadd(b, mul(b, a, by(b, a, third)), a, a);
    return choose(b, less(b, a, num(b, 0x1p-12)), series, value);
}

V recipe_asinh_single(Builder *b, V x)
{
    V a = magnitude(b, x), one = num(b, 1), inside = less(b, a, num(b, INFINITY)),
      mid = choose(b, inside, a, one);
    V value = log_normal(b, add(b, mid, root(b, fmadd(b, mid, mid, one))));
    return with_sign(b, choose(b, inside, odd_single(b, a, -1.0 / 6, value), a), sign_bit(b, x));
}

V recipe_acosh_single(Builder *b, V x)
{
    V inside = both(b, at_least(b, x, num(b, 1)), less(b, x, num(b, INFINITY)));
    V mid = choose(b, inside, x, num(b, 1));
    V value = log_normal(b, add(b, mid, root(b, mul(b, plus(b, mid, -1), plus(b, mid, 1)))));
    value = choose(b, inside, value, x);
    return choose(b, less(b, x, num(b, 1)), num(b, NAN), value);
}

V recipe_atanh_single(Builder *b, V x)
{
    V a = magnitude(b, x), one = num(b, 1), inside = less(b, a, one), mid = choose(b, inside, a, num(b, 0));
    V value = by(b, log_normal(b, quotient(b, plus(b, mid, 1), sub(b, one, mid))), 0.5);
    V edge = choose(b, equal(b, a, one), num(b, INFINITY), num(b, NAN));
    return with_sign(b, choose(b, inside, odd_single(b, a, 1.0 / 3, value), edge), sign_bit(b, x));
}
