/* recipe_erf.c: erf, erfc and the inverse of erf.
 *
 * Up to 1, erf(x) = x + x p(x^2); beyond, 1 - erfc, where erfc is exp of a polynomial (in F64 less a^2),
 * which has the relative error that 1 - erfc needs. erfc itself, in F64: erfc(a) = exp(-a^2) p(t) / (1 + 2a)
 * with t = (a - 2) / (a + 2), where p varies little, and a^2 exact in two parts.
 */
#include "recipe_builder.h"

static V erf_small(Builder *b, V x) { return fmadd(b, x, poly(b, poly_erf, mul(b, x, x)), x); }

/* p(t) / (1 + 2a), with what its last steps miss, so that little is added to the error of exp. */
static Pair erfc_factor(Builder *b, V a)
{
    V t = quotient(b, plus(b, a, -2), plus(b, a, 2));
    V rest = poly_rest(b, poly_erfc, t), first = num(b, poly_erfc[1].c[0]);
    V hi = fmadd(b, t, rest, first), lo = exact_fmadd(b, t, rest, sub(b, first, hi));
    V twice = add(b, a, a), below = plus(b, twice, 1), missed = sub(b, num(b, 1), sub(b, below, twice));
    V r = quotient(b, num(b, 1), below), q = mul(b, hi, r);
    return (Pair){ q, mul(b, fmsub_from(b, q, missed, add(b, exact_fmsub_from(b, q, below, hi), lo)), r) };
}

/* For x from F32, where F64 has bits to spare: exp(-a^2) u p(u) with u = 3 / (a + 3), down to 0. The value is a
 * normal F64 throughout, so that 2^n is a sum with its exponent. */
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

/* F64, a >= 1/2 */
static V erfc_large(Builder *b, V a)
{
    a = not_above(b, a, 28.0);
    Pair square = two_product(b, a, a), minus = { negate(b, square.hi), negate(b, square.lo) };
    Pair factor = erfc_factor(b, a);
    V usual = exp_pair_times_normal(b, minus, factor);
    V rare = guarded(b, greater(b, square.hi, num(b, exp_limit(b))));
    V far = exp_pair_times(b, minus, factor);
    unguarded(b);
    return choose(b, rare, far, usual);
}

V recipe_erf(Builder *b, V x)
{
    V a = magnitude(b, x);
    V tail = poly(b, poly_root_erfc, not_above(b, plus(b, a, -1), b->wide ? 4.95 : 3));
    V large = fmsub_from(b, tail, tail, num(b, 1));
    V value = choose(b, less(b, a, num(b, 1)), erf_small(b, a), large);
    return with_sign(b, value, sign_bit(b, x));
}

V recipe_erfc(Builder *b, V x)
{
    V a = magnitude(b, x);
    V tail = erfc_large(b, not_below(b, a, 0.5));
    V outer = choose(b, less(b, x, num(b, 0)), sub(b, num(b, 2), tail), tail);
    V inner = sub(b, num(b, 1), erf_small(b, x));
    return choose(b, less(b, a, num(b, 0.5)), inner, outer);
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
