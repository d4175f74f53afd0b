/* recipe_power.c: the cube root, and powers.
 *
 * pow(x, y) = exp(y log |x|) with sign and edges as in C's annex F. F64 carries the logarithm and its product
 * in double-double; for F32, plain F64 has 29 bits to spare.
 *
 * Where y is a small multiple of 1/2, the power is a product of roots and reciprocals instead, in a rare
 * path: cheaper and closer. It is all that is left where y is a constant.
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

/* ---- y is a multiple of 1/2: a base to the n-th by squaring ---- */

/* Of |y|. */
enum { MOST_HALVES = 8 };

/* The lo of a Pair that has none: the hi misses nothing, or too little to matter. */
enum { NO_LO = UINT16_MAX };

/* Unlike in pair_mul, hi is the rounded product of both hi's: 0, inf and NaN come out as IEEE's. */
static Pair chain(Builder *b, Pair x, Pair y, bool paired)
{
    if (!paired) return (Pair){ mul(b, x.hi, y.hi), NO_LO };
    Pair p = two_product(b, x.hi, y.hi);
    if (x.lo != NO_LO) p.lo = fmadd(b, x.lo, y.hi, p.lo);
    if (y.lo != NO_LO) p.lo = fmadd(b, x.hi, y.lo, p.lo);
    return p;
}

/* hi + lo; but hi where lo is no number or the sum is zero, whose sign hi has. */
static V chain_end(Builder *b, Pair p)
{
    if (p.lo == NO_LO) return p.hi;
    V sum = add(b, p.hi, p.lo);
    return choose(b, greater(b, magnitude(b, sum), num(b, 0)), sum, p.hi);
}

/* The root as pow has it: inf of -inf, and 0 of -0. */
static V pow_root(Builder *b, V x)
{
    return root(b, plus(b, choose(b, equal(b, x, num(b, -INFINITY)), num(b, INFINITY), x), 0));
}

/* What the rounded s = sqrt(x), r = 1 / x, r = 1 / s miss, from remainders that are exact. */
static V missed_by_root(Builder *b, V x, V s, V r)
{
    return mul(b, exact_fmsub_from(b, s, s, x), by(b, r, 0.5));
}
static V missed_by_reciprocal(Builder *b, V x, V r)
{
    return mul(b, r, exact_fmsub_from(b, r, x, num(b, 1)));
}
static V missed_by_both(Builder *b, V x, V r)
{
    Pair s = two_product(b, x, r);
    return mul(b, by(b, r, 0.5), fmsub_from(b, s.lo, r, exact_fmsub_from(b, s.hi, r, num(b, 1))));
}

static Pair choose_pair(Builder *b, V cond, Pair yes, Pair no)
{
    return (Pair){ choose(b, cond, yes.hi, no.hi), yes.lo == NO_LO ? NO_LO : choose(b, cond, yes.lo, no.lo) };
}

/* By squaring, and as one correctly rounded step where y is 2, 1/2 or -1. */
static V pow_any_halves(Builder *b, V x, V y, bool paired)
{
    V half = unequal(b, y, round_even(b, y)), down = less(b, y, num(b, 0));
    V s = choose(b, half, pow_root(b, x), x), r = quotient(b, num(b, 1), s);
    Pair base = { choose(b, down, r, s), NO_LO };
    if (paired)
        base.lo = choose(b, down, choose(b, half, missed_by_both(b, x, r), missed_by_reciprocal(b, x, r)),
                         choose(b, half, missed_by_root(b, x, s, r), num(b, 0)));
    V n = convert(b, b->it, magnitude(b, choose(b, half, add(b, y, y), y)));
    V zero = whole(b, 0), one = unequal(b, both(b, n, whole(b, 1)), zero),
      two = unequal(b, both(b, n, whole(b, 2)), zero), four = unequal(b, both(b, n, whole(b, 4)), zero);
    Pair square = chain(b, base, base, paired), fourth = chain(b, square, square, paired);
    Pair low = choose_pair(b, two, choose_pair(b, one, chain(b, base, square, paired), square), base);
    Pair all = choose_pair(b, either(b, one, two), chain(b, low, fourth, paired), fourth);
    Pair p = choose_pair(b, four, all, low);
    V one_step =
        either(b, equal(b, y, num(b, 2)), either(b, equal(b, y, num(b, 0.5)), equal(b, y, num(b, -1))));
    return choose(b, one_step, p.hi, chain_end(b, p));
}

/* value, or the power by halves where y is such an exponent. */
static V unless_halves(Builder *b, V x, V y, V value, bool paired)
{
    V twice = add(b, y, y), small = at_most(b, magnitude(b, y), num(b, 0.5 * MOST_HALVES));
    V is_halves = both(b, both(b, equal(b, twice, round_even(b, twice)), unequal(b, y, num(b, 0))), small);
    V rare = guarded(b, is_halves);
    V by_halves = pow_any_halves(b, x, y, paired);
    unguarded(b);
    return choose(b, rare, by_halves, value);
}

/* ---- any y ---- */

/* Of a positive x: no edge, nor is x or 2^n in the power subnormal. */
static V is_far(Builder *b, V x, V product)
{
    return either(b, unusual(b, x), invert(b, less(b, magnitude(b, product), num(b, exp_limit(b)))));
}

/* F64, |x|^y of any x but 0, inf and NaN. */
static V pow_far(Builder *b, V a, V y)
{
    V tiny = less(b, a, num(b, 0x1p-1022));
    Pair l = log_pair_of(b, choose(b, tiny, by(b, a, 0x1p54), a));
    Pair less54 = pair_add(b, l, (Pair){ num(b, -0x1.2b708872320e2p5), num(b, 0x1.570da7e077bcbp-50) });
    l = choose_pair(b, tiny, less54, l);
    V bounded = not_below(b, not_above(b, y, 0x1p65), -0x1p65); /* beyond, any x but 1 gives 0 or inf */
    return exp_pair(b, pair_scale(b, l, bounded));
}

/* F64. The power is computed again only where it is far; zeros, which are frequent, stand for 1 until their
 * edge is put in place, and a negative x costs its sign. */
V recipe_pow(Builder *b, V x, V y)
{
    V size = magnitude(b, x), one = num(b, 1), zero = num(b, 0);
    V a = choose(b, equal(b, size, zero), one, size);
    Pair l = log_pair_of(b, a), product = two_product(b, l.hi, y);
    V usual = exp_pair_normal(b, (Pair){ product.hi, fmadd(b, l.lo, y, product.lo) });
    V far = guarded(b, is_far(b, a, product.hi));
    V again = pow_edges(b, a, y, pow_far(b, a, y));
    unguarded(b);
    V value = choose(b, far, again, usual);
    V rare = guarded(b, invert(b, greater(b, x, zero)));
    V edge = pow_edges(b, x, y, value);
    unguarded(b);
    return unless_halves(b, x, y, choose(b, rare, edge, value), true);
}

/* F64 operands that were F32: no subnormals, plain products do, and a far power is 0 or inf. */
V recipe_pow_single(Builder *b, V x, V y)
{
    V product = mul(b, y, log_normal(b, magnitude(b, x)));
    ExpParts e = exp_parts(b, product);
    V usual = fmadd(b, e.scale, e.q, e.scale);
    V rare = guarded(b, is_far(b, x, product));
    V limit = choose(b, greater(b, product, num(b, 0)), num(b, INFINITY), num(b, 0));
    V near = less(b, magnitude(b, product), num(b, exp_limit(b)));
    V edge = pow_edges(b, x, y, choose(b, near, usual, limit));
    unguarded(b);
    return unless_halves(b, x, y, choose(b, rare, edge, usual), false);
}
