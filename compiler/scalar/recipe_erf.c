/* recipe_erf.c: erf, erfc and the inverse of erf.
 *
 * Up to 1, erf(x) = x + x p(x^2); beyond, 1 - p(x - 1)^2, where p is the root of erfc: its square, which a
 * multiply-add subtracts, has few terms to approximate. erfc(a) = exp(-a^2) p(u) / (1 + 9/8 a) with
 * u = 1 / (a + 3), where p varies little, and a^2 exact in two parts; F32's has F64's bits to spare.
 */
#include "recipe_builder.h"

static V erf_small(Builder *b, V x) { return fmadd(b, x, poly(b, poly_erf, mul(b, x, x)), x); }

/* For x from F32: exp(-a^2) u p(u) with u = 3 / (a + 3). It is a normal F64 as far as F32 has a value, so
 * 2^n is added to its exponent. */
V recipe_erfc_single(Builder *b, V x)
{
    V a = not_above(b, magnitude(b, x), 10.1);
    V u = quotient(b, num(b, 3), plus(b, a, 3));
    V square = mul(b, a, a);
    V shifted = fmadd(b, square, num(b, -0x1.71547652b82fep0), num(b, rounder(b)));
    V n = plus(b, shifted, -rounder(b));
    V rest = fmadd(b, n, num(b, 0x1.62e42fefa39efp-1), square);
    V m = mul(b, mul(b, poly(b, poly_erfc_down, u), u), poly(b, poly_exp_down, rest));
    V field = shift_left(b, to_bits(b, shifted), whole(b, b->mantissa));
    V tail = from_bits(b, add(b, to_bits(b, m), field));
    return choose(b, less(b, x, num(b, 0)), sub(b, num(b, 2), tail), tail);
}

V recipe_erf(Builder *b, V x)
{
    V a = magnitude(b, x);
    V tail = poly(b, poly_root_erfc, not_above(b, plus(b, a, -1), b->wide ? 4.95 : 3));
    V large = fmsub_from(b, tail, tail, num(b, 1));
    V value = choose(b, less(b, a, num(b, 1)), erf_small(b, a), large);
    return with_sign(b, value, sign_bit(b, x));
}

/* F64: p(u - 3/16) / (1 + 9/8 a), with what its last steps and p's first coefficient miss, so that little is
 * added to the error of exp. One division makes both quotients. */
static Pair erfc_factor(Builder *b, V a)
{
    V above = plus(b, a, 3), below = fmadd(b, a, num(b, 1.125), num(b, 1));
    V missed = exact_fmadd(b, a, num(b, 1.125), sub(b, num(b, 1), below));
    V inverse = quotient(b, num(b, 1), mul(b, above, below)), r = mul(b, above, inverse);
    V v = fmadd(b, below, inverse, num(b, -0.1875));
    V rest = poly_rest(b, poly_erfc, v), first = num(b, poly_erfc[1].c[0]);
    V hi = fmadd(b, v, rest, first), lo = exact_fmadd(b, v, rest, sub(b, first, hi)), q = mul(b, hi, r);
    lo = plus(b, lo, -0x1.e2e355432650dp-56);
    return (Pair){ q, mul(b, fmsub_from(b, q, missed, add(b, exact_fmsub_from(b, q, below, hi), lo)), r) };
}

V recipe_erfc(Builder *b, V x)
{
    V a = not_above(b, magnitude(b, x), 28.0);
    Pair square = two_product(b, a, a), minus = { negate(b, square.hi), negate(b, square.lo) };
    Pair factor = erfc_factor(b, a);
    V usual = exp_pair_times_normal(b, minus, factor);
    V rare = guarded(b, greater(b, square.hi, num(b, exp_limit(b))));
    V far = exp_pair_times(b, minus, factor);
    unguarded(b);
    V tail = choose(b, rare, far, usual);
    return choose(b, less(b, x, num(b, 0)), sub(b, num(b, 2), tail), tail);
}

/* x + x p(w) or x p(sqrt(w)), w = -log(1 - x^2), in pieces (after M. Giles, "Approximating the erfinv
 * function"). */
V recipe_erf_inv(Builder *b, V x)
{
    V a = magnitude(b, x), one = num(b, 1);
    V w = negate(b, log_normal(b, mul(b, sub(b, one, a), add(b, one, a))));
    V s = root(b, w);
    double split = b->wide ? 6.25 : 5;
    V near = fmadd(b, a, poly(b, poly_erf_inv, plus(b, w, -split / 2)), a);
    V far = poly(b, poly_erf_inv_mid, plus(b, s, b->wide ? -3.25 : -3));
    if (b->wide) far = choose(b, less(b, w, num(b, 16)), far, poly(b, poly_erf_inv_far, plus(b, s, -5)));
    V value = choose(b, less(b, w, num(b, split)), near, mul(b, a, far));
    V edge = choose(b, equal(b, a, one), num(b, INFINITY), num(b, NAN));
    return with_sign(b, choose(b, less(b, a, one), value, edge), sign_bit(b, x));
}
