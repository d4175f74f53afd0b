/* recipe_power.c: the cube root, and powers.
 *
 * pow(x, y) = exp(y log |x|) with sign and edges as in C's annex F. F64 carries the logarithm and its product
 * in double-double; for F32, plain F64 has 29 bits to spare.
 */
#include "recipe_builder.h"

/* a = 2^3q v, 1/3 <= v < 8/3: r = v^(-1/3) from a polynomial on [2/3, 4/3) and a factor, in F64 with a Newton
 * step r += r (1 - v r^3) / 3; then y = v r^2 with a step of its own, whose quotient by 3 y^2 is a product by
 * r^2 / 3. */
static V cbrt_normal(Builder *b, V a)
{
    LogParts p = log_parts(b, a);
    double shift = (b->wide ? 0x1.8p52 : 0x1.8p23) + b->bias;
    V shifted = fmadd(b, p.k, num(b, 1.0 / 3), num(b, shift));
    V over = fmadd(b, plus(b, shifted, -shift), num(b, -3), p.k); /* -1, 0 or 1 */
    V up = greater(b, over, num(b, 0)), down = less(b, over, num(b, 0));
    V m = plus(b, p.f, 1);
    V v = mul(b, m, choose(b, up, num(b, 2), choose(b, down, num(b, 0.5), num(b, 1))));
    V factor =
        choose(b, up, num(b, 0.7937005259840998), choose(b, down, num(b, 1.2599210498948732), num(b, 1)));
    V r = mul(b, poly(b, poly_rcbrt, p.f), factor);
    if (b->wide) {
        V rest = fmsub_from(b, mul(b, v, r), mul(b, r, r), num(b, 1));
        r = fmadd(b, r, by(b, rest, 1.0 / 3), r);
    }
    V square = mul(b, r, r);
    V y = mul(b, v, square);
    V excess = fmadd(b, mul(b, y, y), y, negate(b, v));
    y = fmsub_from(b, excess, by(b, square, 1.0 / 3), y);
    return mul(b, y, from_bits(b, shift_left(b, to_bits(b, shifted), whole(b, b->mantissa))));
}

V recipe_cbrt(Builder *b, V x)
{
    V a = magnitude(b, x);
    V usual = with_sign(b, cbrt_normal(b, a), sign_bit(b, x));
    V rare = guarded(b, unusual(b, a));
    V subnormal = by(b, cbrt_normal(b, by(b, a, b->wide ? 0x1p54 : 0x1p24)), b->wide ? 0x1p-18 : 0x1p-8);
    V edge = both(b, greater(b, a, num(b, 0)), less(b, a, num(b, INFINITY)));
    V far = choose(b, edge, with_sign(b, subnormal, sign_bit(b, x)), x);
    unguarded(b);
    return choose(b, rare, far, usual);
}

/* What |x|^y is at 0, inf and for infinite y: inf or 0 by which side of 1 |x| lies and the sign of y; sign
 * and NaN for x below zero. */
static V pow_edges(Builder *b, V x, V y, V value)
{
    V a = magnitude(b, x), zero = num(b, 0), one = num(b, 1), inf = num(b, INFINITY);
    V grows = equal(b, convert(b, b->it, less(b, a, one)), convert(b, b->it, less(b, y, zero)));
    V limit = choose(b, equal(b, a, one), one, choose(b, grows, inf, zero));
    V extreme = either(b, equal(b, a, zero), either(b, equal(b, a, inf), equal(b, magnitude(b, y), inf)));
    value = choose(b, extreme, limit, value);
    V half = by(b, y, 0.5);
    V is_whole = equal(b, y, round_even(b, y));
    V odd = both(b, is_whole, unequal(b, half, round_even(b, half)));
    V signed_value = choose(b, odd, with_sign(b, value, sign_bit(b, x)), value);
    V undefined = both(b, both(b, less(b, x, zero), less(b, a, inf)), invert(b, is_whole));
    value = choose(b, undefined, num(b, NAN), signed_value);
    V ordered = both(b, equal(b, x, x), equal(b, y, y));
    value = choose(b, ordered, value, add(b, x, y));
    return choose(b, either(b, equal(b, x, one), equal(b, y, zero)), one, value);
}

/* F64 */
V recipe_pow(Builder *b, V x, V y)
{
    V a = magnitude(b, x);
    V tiny = less(b, a, num(b, 0x1p-1022));
    Pair l = log_pair(b, (Pair){ choose(b, tiny, by(b, a, 0x1p54), a), num(b, 0) });
    Pair less54 = pair_add(b, l, (Pair){ num(b, -0x1.2b708872320e2p5), num(b, 0x1.570da7e077bcbp-50) });
    l = (Pair){ choose(b, tiny, less54.hi, l.hi), choose(b, tiny, less54.lo, l.lo) };
    V bounded = not_below(b, not_above(b, y, 0x1p65), -0x1p65); /* beyond, any x but 1 gives 0 or inf */
    return pow_edges(b, x, y, exp_pair(b, pair_scale(b, l, bounded)));
}

/* F64 operands that were F32: no subnormals, and plain products do. */
V recipe_pow_single(Builder *b, V x, V y)
{
    return pow_edges(b, x, y, exp_scaled(b, mul(b, y, log_normal(b, magnitude(b, x))), 0));
}
