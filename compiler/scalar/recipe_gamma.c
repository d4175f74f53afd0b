/* recipe_gamma.c: lgamma, digamma, polygamma, Hurwitz zeta and the Bessel function i1e, all in F64; F32 goes
 * by way of it.
 *
 * lgamma and digamma: below 1/2 by reflection; near their zeros by polynomials that have the zeros as
 * factors; up to 8 or 10 by the recurrence downward, whose terms all have one sign; beyond by the asymptotic
 * series. Close to zeros on the negative axis the error is absolute, not relative: there the reflection
 * subtracts.
 */
#include "recipe_builder.h"

/* log gamma(z): (z - 1/2)(log z - 1) + (log(2 pi) - 1) / 2 + 1/(12 z) - ..., B_2k / (2k (2k-1)) in 1/z^2;
 * for z >= 8 nine terms, for F32 from 6 on seven. */
static V stirling(Builder *b, V z, V log_z, int terms)
{
    static const double c[] = { 0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                                -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10,
                                0x1.a41a41a41a41ap-8,   -0x1.e4286cb0f5398p-6, 0x1.6fe96381e0680p-3 };
    V y = quotient(b, num(b, 1), z);
    V rest = fmadd(b, horner(b, c, terms, 0, mul(b, y, y)), y, num(b, 0x1.acfe390c97d69p-2));
    return fmadd(b, plus(b, z, -0.5), plus(b, log_z, -1), rest);
}

/* value is of 1 - x where x < 1/2. */
static V lgamma_reflected(Builder *b, V x, V value)
{
    V a = magnitude(b, x);
    V reflected = guarded(b, less(b, x, num(b, 0.5)));
    /* Where |x| is tiny, gamma(x) is 1 / x, for the sine might be subnormal; |x| 2^200 is not. */
    V tiny = less(b, a, num(b, 0x1p-60)), least = less(b, a, num(b, 0x1p-900));
    V sine = choose(b, least, by(b, a, 0x1p200), choose(b, tiny, a, magnitude(b, sin_pi(b, x))));
    V log_pi = choose(b, least, num(b, 0x1.1542457337d43p+7),
                      choose(b, tiny, num(b, 0), num(b, 0x1.250d048e7a1bdp+0)));
    V other = sub(b, sub(b, log_pi, log_normal(b, sine)), value);
    other = choose(b, equal(b, sine, num(b, 0)), num(b, INFINITY), other);
    unguarded(b);
    value = choose(b, reflected, other, value);
    return choose(b, equal(b, a, num(b, INFINITY)), num(b, INFINITY), value);
}

/* Of z >= 1/2; from `far` on, which is whole, by so many terms of the series. */
static V lgamma_positive(Builder *b, V z, int far, int terms, const Poly one[2], const Poly two[2])
{
    V near = less(b, z, num(b, far));
    V w = z, product = num(b, 1); /* gamma(z) = product gamma(w), w < 3 */
    for (int k = 3; k < far; k++) {
        V down = plus(b, w, -1);
        V more = at_least(b, w, num(b, 3));
        product = choose(b, more, mul(b, product, down), product);
        w = choose(b, more, down, w);
    }
    V u = plus(b, z, -1);
    V near_one = plus(b, mul(b, u, poly(b, one, u)), 0); /* 0, not -0, at 1 */
    V near_two = mul(b, plus(b, w, -2), poly(b, two, plus(b, w, -2.25)));
    V log_of = log_normal(b, choose(b, near, product, z));
    V value = choose(b, near, add(b, log_of, near_two), stirling(b, z, log_of, terms));
    return choose(b, less(b, z, num(b, 1.5)), near_one, value);
}

V recipe_lgamma(Builder *b, V x)
{
    V z = choose(b, less(b, x, num(b, 0.5)), sub(b, num(b, 1), x), x);
    return lgamma_reflected(b, x, lgamma_positive(b, z, 8, 9, poly_lgamma_one, poly_lgamma_two));
}

/* F64 operands that were F32: the same in fewer steps. */
V recipe_lgamma_single(Builder *b, V x)
{
    V z = choose(b, less(b, x, num(b, 0.5)), sub(b, num(b, 1), x), x);
    return lgamma_reflected(b, x, lgamma_positive(b, z, 6, 7, poly_lgamma_one_low, poly_lgamma_two_low));
}

/* digamma(z), z >= 10: log z - 1 / (2z) - B_2k / (2k) in 1/z^2 */
static V digamma_far(Builder *b, V z)
{
    static const double c[] = { 0x1.5555555555555p-4,  -0x1.1111111111111p-7, 0x1.0410410410410p-8,
                                -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8,  -0x1.5995995995996p-6,
                                0x1.5555555555555p-4,  -0x1.c5e5e5e5e5e5ep-2 };
    V y = quotient(b, num(b, 1), z);
    V square = mul(b, y, y);
    V rest = fmadd(b, y, num(b, 0.5), mul(b, square, horner(b, c, 8, 0, square)));
    return sub(b, log_normal(b, z), rest);
}

/* digamma(z) = digamma(w) + sum / product, 1 <= w < 2: the fractions 1/w + 1/(w+1) + ... brought together
 * need one division. */
static V digamma_near(Builder *b, V z)
{
    V below = less(b, z, num(b, 1));
    V w = choose(b, below, plus(b, z, 1), z);
    V sum = choose(b, below, num(b, -1), num(b, 0)), product = choose(b, below, z, num(b, 1));
    for (int k = 0; k < 8; k++) {
        V down = plus(b, w, -1);
        V more = at_least(b, w, num(b, 2));
        sum = choose(b, more, fmadd(b, sum, down, product), sum);
        product = choose(b, more, mul(b, product, down), product);
        w = choose(b, more, down, w);
    }
    V from_root = sub(b, sub(b, w, num(b, 0x1.762d86356be3fp+0)), num(b, 0x1.b86a722197829p-54));
    return fmadd(b, from_root, poly(b, poly_digamma, plus(b, w, -1.5)), quotient(b, sum, product));
}

V recipe_digamma(Builder *b, V x)
{
    V z = choose(b, less(b, x, num(b, 0.5)), sub(b, num(b, 1), x), x);
    V value = choose(b, less(b, z, num(b, 10)), digamma_near(b, z), digamma_far(b, z));
    V reflected = guarded(b, less(b, x, num(b, 0.5)));
    V other = sub(b, value, quotient(b, num(b, 0x1.921fb54442d18p1), tan_pi(b, x)));
    unguarded(b);
    value = choose(b, reflected, other, value);
    V pole = both(b, at_most(b, x, num(b, 0)), equal(b, x, round_down(b, x)));
    value = choose(b, pole, num(b, NAN), value);
    return choose(b, equal(b, x, num(b, INFINITY)), x, value);
}

static V is_even(Builder *b, V x)
{
    V half = by(b, x, 0.5);
    return equal(b, half, round_down(b, half));
}

static V is_odd(Builder *b, V x)
{
    V half = by(b, x, 0.5);
    return unequal(b, half, round_down(b, half));
}

/* (q + k)^-s, times e^more unless that is NULL; below zero, s is whole and gives the sign. exact: to an ulp,
 * else to what F32 needs. */
static V inverse_power(Builder *b, V q, double k, V s, const V *more, bool exact)
{
    Pair a = exact ? two_sum(b, q, num(b, k)) : (Pair){ plus(b, q, k), num(b, 0) };
    V size = not_below(b, magnitude(b, a.hi), 0x1p-1022);
    V minus_s = negate(b, s), below = less(b, a.hi, num(b, 0)), value;
    if (exact) {
        V lo = choose(b, below, negate(b, a.lo), a.lo);
        Pair log_of = pair_scale(b, log_pair(b, (Pair){ size, lo }), minus_s);
        if (more) {
            Pair sum = two_sum(b, log_of.hi, *more);
            log_of = (Pair){ sum.hi, add(b, sum.lo, log_of.lo) };
        }
        value = exp_pair(b, log_of);
    } else {
        V log_of = mul(b, minus_s, log_normal(b, size));
        value = exp_scaled(b, more ? add(b, log_of, *more) : log_of, 0);
    }
    return choose(b, both(b, below, is_odd(b, s)), negate(b, value), value);
}

/* sum over k >= 0 of (q + k)^-s, times e^more, by Euler and Maclaurin: seven terms, the integral of the rest,
 * and corrections B_2k / (2k)!. */
static V zeta_sum(Builder *b, V s, V q, const V *more, bool exact)
{
    static const double c[] = { 0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63,
                                0x1.0b132d7c6ad06p-68,  -0x1.b0f72d59f1c16p-74 };
    V first = inverse_power(b, q, 0, s, more, exact);
    V sum = num(b, 0);
    for (int k = 6; k >= 1; k--) sum = add(b, sum, inverse_power(b, q, k, s, more, exact));
    V a = plus(b, q, 7), y = quotient(b, num(b, 1), a);
    V s1 = plus(b, s, -1);
    V integral = inverse_power(b, q, 7, s1, more, exact);
    V term = mul(b, integral, y);
    V bounded = not_above(b, s, 1300), square = mul(b, y, y); /* there term is 0 already */
    V tail = quotient(b, integral, s1);
    tail = fmadd(b, term, num(b, 0.5), tail);
    V factor = mul(b, mul(b, term, bounded), y);
    V corrections = mul(b, factor, num(b, c[0]));
    for (int k = 1; k < 14; k++) {
        V rising = mul(b, plus(b, bounded, 2 * k - 1), plus(b, bounded, 2 * k));
        factor = mul(b, factor, mul(b, rising, square));
        corrections = fmadd(b, factor, num(b, c[k]), corrections);
    }
    V all = add(b, first, add(b, sum, add(b, tail, corrections)));
    return more ? choose(b, equal(b, first, num(b, INFINITY)), first, all) : all; /* corrections: inf - inf */
}

/* q at or below zero: poles at whole q (inf for even s, where both sides agree); elsewhere whole s only. */
static V zeta_edges(Builder *b, V s, V q, V value)
{
    V zero = num(b, 0), one = num(b, 1), inf = num(b, INFINITY), nan = num(b, NAN);
    V even = is_even(b, s);
    V whole_s = equal(b, s, round_down(b, s)), whole_q = equal(b, q, round_down(b, q));
    V left = choose(b, whole_q, choose(b, even, inf, nan), choose(b, whole_s, value, nan));
    value = choose(b, equal(b, q, inf), zero, value);
    value = choose(b, at_most(b, q, zero), left, value);
    value = choose(b, greater(b, s, one), value, choose(b, equal(b, s, one), inf, nan));
    return choose(b, equal(b, q, q), value, q);
}

static V zeta(Builder *b, V s, V q, const V *more, bool exact)
{
    return zeta_edges(b, s, q, zeta_sum(b, not_above(b, s, 0x1p65), q, more, exact));
}

/* The sum over all whole k of (x + k)^-s, s = 2, 3, ... For small s by recurrence: a_j of s = j + 1 are the
 * Taylor coefficients, but for signs, of pi cot(pi x) = a_0, whose derivative is -pi^2 - a_0^2; so
 * j a_j = (pi^2 if j = 1) + a_0 a_(j-1) + a_1 a_(j-2) + ... + a_(j-1) a_0.
 * Beyond, the four nearest k do: the next term is 3^-s times the first at most, those after it 5^-s, so the
 * second pair need not be exact. Where terms cancel, at x = 1/2 and odd s, they do so in each pair. */
static V all_powers(Builder *b, V s, V x, bool exact)
{
    enum { MOST = 24 };
    int most = exact ? MOST : 13;
    V off = sub(b, x, round_even(b, x)), size = magnitude(b, off);
    V near = add(b, inverse_power(b, size, 0, s, NULL, exact), inverse_power(b, size, -1, s, NULL, exact));
    V far = add(b, inverse_power(b, size, 1, s, NULL, false), inverse_power(b, size, -2, s, NULL, false));
    V sum = add(b, near, far), mirrored = both(b, less(b, off, num(b, 0)), is_odd(b, s));
    V value = choose(b, mirrored, negate(b, sum), sum);
    V a[MOST] = { quotient(b, num(b, 0x1.921fb54442d18p1), tan_pi(b, x)) }, twice[MOST];
    for (int j = 1; j < most; j++) {
        twice[j - 1] = by(b, a[j - 1], 2);
        sum = num(b, j == 1 ? 0x1.3bd3cc9be45dep3 : 0);
        for (int i = 0; i < j / 2; i++) sum = fmadd(b, a[i], twice[j - 1 - i], sum);
        if (j % 2) sum = fmadd(b, a[j / 2], a[j / 2], sum);
        a[j] = by(b, sum, 1.0 / j);
        value = choose(b, equal(b, s, num(b, j + 1)), a[j], value);
    }
    return value;
}

/* (-1)^(n+1) n! times the sum over k >= 0 of (x + k)^-s, s = n + 1, which is zeta(s, x); for x < 0 the sum
 * over all k less (-1)^s zeta(s, 1 - x), for zeta itself, as JAX's, is wrong between poles. Where x > 0 and
 * n! is beyond F64, or the sum is so small that its digits are, log n! goes into its powers. */
static V polygamma(Builder *b, V n, V x, bool exact)
{
    V in_table = both(b, at_least(b, n, num(b, 0)), at_most(b, n, num(b, 170)));
    V factorial =
        lookup(b, WEFT_F64, TABLE_FACTORIALS, convert(b, WEFT_I32, choose(b, in_table, n, num(b, 171))));
    V s = plus(b, n, 1), even = is_even(b, n);
    V reflected = both(b, less(b, x, num(b, 0)), unequal(b, x, round_down(b, x)));
    V log_size = log_normal(b, not_below(b, not_above(b, x, 0x1p1023), 0x1p-1022));
    V beyond = either(b, greater(b, n, num(b, 170)), greater(b, mul(b, s, log_size), num(b, 690)));
    V inside =
        both(b, greater(b, x, num(b, 0)), both(b, at_least(b, n, num(b, 8)), less(b, n, num(b, 1300))));
    beyond = guarded(b, both(b, beyond, inside));
    V log_factorial = stirling(b, s, log_normal(b, s), 9);
    unguarded(b);
    V more = choose(b, beyond, log_factorial, num(b, 0));
    factorial = choose(b, beyond, num(b, 1), factorial);
    V sum = zeta(b, s, choose(b, reflected, sub(b, num(b, 1), x), x), &more, exact);
    guarded(b, reflected);
    V other = add(b, all_powers(b, s, x, exact), choose(b, even, sum, negate(b, sum)));
    unguarded(b);
    V value = mul(b, factorial, choose(b, reflected, other, sum));
    value = choose(b, even, negate(b, value), value);
    V defined = both(b, greater(b, n, num(b, 0)), equal(b, n, round_down(b, n)));
    value = choose(b, defined, value, num(b, NAN));
    return choose(b, equal(b, n, num(b, 0)), recipe_digamma(b, x), value);
}

V recipe_zeta(Builder *b, V s, V q) { return zeta(b, s, q, NULL, true); }
V recipe_zeta_single(Builder *b, V s, V q) { return zeta(b, s, q, NULL, false); }
V recipe_polygamma(Builder *b, V n, V x) { return polygamma(b, n, x, true); }
V recipe_polygamma_single(Builder *b, V n, V x) { return polygamma(b, n, x, false); }

/* Horner's rule, with what the steps miss carried along. */
static V compensated(Builder *b, const Poly *p, V x)
{
    V sum = num(b, p->c[p->n - 1]), missed = num(b, 0);
    for (int i = p->n - 2; i >= 0; i--) {
        Pair product = two_product(b, sum, x), next = two_sum(b, product.hi, num(b, p->c[i]));
        missed = fmadd(b, missed, x, add(b, product.lo, next.lo));
        sum = next.hi;
    }
    return add(b, sum, missed);
}

/* Towards 8 the sum cancels, which multiply-adds in one chain bear and plain products do not. */
static V near_i1e(Builder *b, V a)
{
    V x = fmadd(b, not_above(b, a, 8), num(b, 0.25), num(b, -1));
    const Poly *p = &poly_i1e[1];
    return mul(b, a, b->fma ? horner(b, p->c, p->n, 0, x) : compensated(b, p, x));
}

/* a p(a / 4 - 1) up to 8, p(16 / a - 1) / sqrt(a) beyond */
V recipe_bessel_i1e(Builder *b, V x)
{
    V a = magnitude(b, x);
    V near_by = less(b, a, num(b, 8));
    V near = near_i1e(b, a);
    V outer = not_below(b, a, 8);
    V far = quotient(b, poly(b, poly_i1e_far, plus(b, quotient(b, num(b, 16), outer), -1)), root(b, outer));
    return with_sign(b, choose(b, near_by, near, far), sign_bit(b, x));
}
