/* recipe_exp.c: exp and its kin.
 *
 * x = n ln2 + r, |r| <= ln2 / 2. n comes from adding a number so large that its last mantissa bit weighs one:
 * the sum's low bits are n, and with the exponent bias in that number as well, n + bias: shifted up they are
 * the float 2^n. ln2 is subtracted in two parts by FMA; the first difference is exact, and enters exp(r) - 1
 * = r + r^2 p(r) as it is, beside the small second one.
 */
#include "recipe_builder.h"

Ln2 ln2_parts(const Builder *b)
{
    static const Ln2 parts[2][2] = {
        { { 0x1.62e4p-1, 0x1.7f7d1cp-20 }, { 0x1.62e42fef8p-1, 0x1.1cf79abc9e3b4p-36 } },
        { { 0x1.62e43p-1, -0x1.05c61p-29 }, { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 } },
    };
    return parts[b->fma][b->wide];
}

double exp_limit(const Builder *b) { return b->wide ? 708.0 : 87.25; }

static V power_of_two(Builder *b, V biased)
{
    return from_bits(b, shift_left(b, biased, whole(b, b->mantissa)));
}

/* shifted has n + bias in its low bits; first + second is r. */
static ExpParts exp_reduced(Builder *b, V shifted, V first, V second)
{
    V r = add(b, first, second);
    V q = add(b, first, fmadd(b, mul(b, r, r), poly(b, poly_exp, r), second));
    V biased = to_bits(b, shifted);
    return (ExpParts){ biased, power_of_two(b, biased), r, first, second, q };
}

static V near_ln2s(Builder *b, V x) /* n + bias in the low bits, n the nearest multiple of ln2 */
{
    return fmadd(b, x, num(b, 0x1.71547652b82fep0), num(b, rounder(b) + b->bias));
}

static V minus_ln2s(Builder *b, V x, V n) { return fmadd(b, n, num(b, -ln2_parts(b).hi), x); }

ExpParts exp_parts_of_half(Builder *b, V x)
{
    V shifted = near_ln2s(b, x), n = plus(b, shifted, -(rounder(b) + b->bias));
    return exp_reduced(b, shifted, minus_ln2s(b, x, n), by(b, n, -ln2_parts(b).lo));
}

/* Without multiply-adds a long polynomial costs more than a table: x = m ln2 / 128 + r, m = 128 n + j - 64
 * with j of 7 bits, and 1 + q = 2^((j - 64) / 128) exp(r). */
static ExpParts exp_by_table(Builder *b, V x)
{
    enum { LOG_SIZE = 7, SIZE = 1 << LOG_SIZE };
    double shift = 0x1.8p52 + SIZE * (b->bias + 0.5);
    V shifted = fmadd(b, x, num(b, SIZE * 0x1.71547652b82fep0), num(b, shift));
    V m = plus(b, shifted, -shift), bits = to_bits(b, shifted);
    V r = fmadd(b, m, num(b, -ln2_parts(b).lo / SIZE), fmadd(b, m, num(b, -ln2_parts(b).hi / SIZE), x));
    V p = fmadd(b, mul(b, r, r), poly(b, poly_exp_step, r), r);
    V root = lookup(b, WEFT_F64, TABLE_EXP, convert(b, WEFT_I32, both(b, bits, whole(b, SIZE - 1))));
    V field = both(b, shift_left(b, bits, whole(b, b->mantissa - LOG_SIZE)), whole(b, INT64_MIN >> 11));
    V n = shift_arith(b, add_whole(b, bits, -INT64_C(0x4338000000000000)), whole(b, LOG_SIZE));
    return (ExpParts){ .biased = add_whole(b, n, INT64_C(0x4338000000000000)),
                       .scale = from_bits(b, field),
                       .q = add(b, root, fmadd(b, root, p, p)) };
}

ExpParts exp_parts(Builder *b, V x)
{
    return b->wide && !b->fma ? exp_by_table(b, x) : exp_parts_of_half(b, x);
}

/* lo joins the second part of the remainder. */
static ExpParts exp_parts_of_pair(Builder *b, Pair x)
{
    V shifted = near_ln2s(b, x.hi), n = plus(b, shifted, -(rounder(b) + b->bias));
    return exp_reduced(b, shifted, minus_ln2s(b, x.hi, n), fmadd(b, n, num(b, -ln2_parts(b).lo), x.lo));
}

V exp_pair_normal(Builder *b, Pair x)
{
    ExpParts e = exp_parts_of_pair(b, x);
    return fmadd(b, e.scale, e.q, e.scale);
}

V exp_pair_times_normal(Builder *b, Pair x, Pair factor)
{
    ExpParts e = exp_parts_of_pair(b, x);
    Pair product = pair_product(b, fast_two_sum(b, num(b, 1), e.q), factor);
    return mul(b, e.scale, add(b, product.hi, product.lo));
}

/* 2^x: here x - n is exact, and its product with ln2 comes in two parts. */
static ExpParts exp2_parts(Builder *b, V x)
{
    double shift = rounder(b) + b->bias;
    V shifted = plus(b, x, shift);
    V f = sub(b, x, sub(b, shifted, num(b, shift)));
    Pair r = two_product(b, f, num(b, b->wide ? 0x1.62e42fefa39efp-1 : 0x1.62e43p-1));
    V second = fmadd(b, f, num(b, b->wide ? 0x1.abc9e3b39803fp-56 : -0x1.05c61p-29), r.lo);
    return exp_reduced(b, shifted, r.hi, second);
}

/* m 2^(n - less) by two factors, each a normal number; only the last product rounds. */
static V scale_twice(Builder *b, V m, V biased, int less)
{
    int64_t shift_bits = (b->wide ? INT64_C(0x4338000000000000) : INT64_C(0x4b400000)) + b->bias + less;
    V n = add_whole(b, biased, -shift_bits);
    V half = shift_arith(b, n, whole(b, 1));
    V first = power_of_two(b, add_whole(b, half, b->bias));
    V second = power_of_two(b, add_whole(b, sub(b, n, half), b->bias));
    return mul(b, mul(b, m, first), second);
}

/* exp is 0 from here on downwards. */
static double exp_lowest(const Builder *b) { return b->wide ? -746.0 : -104.0; }

/* Within these bounds the clamped argument gives 0 or inf by itself. */
static V exp_clamped(Builder *b, V x, int less)
{
    double slack = 0.6931471805599453 * less;
    x = not_above(b, x, (b->wide ? 710.0 : 89.0) + slack);
    return not_below(b, x, exp_lowest(b));
}

/* Below the lowest a product of 0: one that rounds to 0 takes some processors 150 cycles, and -inf, which
 * masks put there, is common. */
V exp_scaled(Builder *b, V x, int under)
{
    ExpParts e = exp_parts(b, exp_clamped(b, x, under));
    V m = choose(b, less(b, x, num(b, exp_lowest(b))), num(b, 0), plus(b, e.q, 1));
    return scale_twice(b, m, e.biased, under);
}

/* exp(hi + lo) = exp(hi) (1 + lo); the clamp drops lo where the value is 0 or inf. */
static ExpParts exp_pair_parts(Builder *b, Pair x)
{
    V hi = exp_clamped(b, x.hi, 0);
    V lo = choose(b, equal(b, hi, x.hi), x.lo, num(b, 0));
    ExpParts e = exp_parts(b, hi);
    e.q = add(b, e.q, fmadd(b, lo, e.q, lo));
    return e;
}

V exp_pair(Builder *b, Pair x)
{
    ExpParts e = exp_pair_parts(b, x);
    return scale_twice(b, plus(b, e.q, 1), e.biased, 0);
}

/* 2^n (1 + q) factor: the product of 1 + q keeps its rest, so that scaling rounds once. */
V exp_pair_times(Builder *b, Pair x, Pair factor)
{
    ExpParts e = exp_pair_parts(b, x);
    Pair product = pair_mul(b, fast_two_sum(b, num(b, 1), e.q), factor);
    return scale_twice(b, product.hi, e.biased, 0);
}

V recipe_exp(Builder *b, V x)
{
    ExpParts e = exp_parts(b, x);
    V usual = fmadd(b, e.scale, e.q, e.scale);
    V rare = guarded(b, greater(b, magnitude(b, x), num(b, exp_limit(b))));
    V far = exp_scaled(b, x, 0);
    unguarded(b);
    return choose(b, rare, far, usual);
}

/* f is 0 at a whole number, so that q is 0 and the value 2^n. */
V recipe_exp2(Builder *b, V x)
{
    double lowest = b->wide ? -1076.0 : -151.0, highest = b->wide ? 1025.0 : 129.0;
    ExpParts e = exp2_parts(b, x);
    V usual = fmadd(b, e.scale, e.q, e.scale);
    V rare = guarded(b, greater(b, magnitude(b, x), num(b, b->wide ? 1022.0 : 126.0)));
    e = exp2_parts(b, not_below(b, not_above(b, x, highest), lowest));
    V m = choose(b, less(b, x, num(b, lowest)), num(b, 0), plus(b, e.q, 1));
    V far = scale_twice(b, m, e.biased, 0);
    unguarded(b);
    return choose(b, rare, far, usual);
}

/* 2^n (1 + q) - 1 = 2^n q + (2^n - 1), by a q of full relative accuracy. The sign is x's, which the sum loses
 * for -0 only. */
V recipe_expm1(Builder *b, V x)
{
    ExpParts e = exp_parts_of_half(b, x);
    V value = fmadd(b, e.scale, e.q, plus(b, e.scale, -1));
    V usual = from_bits(b, either(b, to_bits(b, value), sign_bit(b, x)));
    V rare = guarded(b, greater(b, magnitude(b, x), num(b, exp_limit(b))));
    V far = choose(b, less(b, x, num(b, 0)), num(b, -1), exp_scaled(b, x, 0));
    unguarded(b);
    return choose(b, rare, far, usual);
}

/* 1 / (2^n (1 + q) + 1) for -x = n ln2 + log(1 + q): the sum rounds once. 2^n + 1 is exact up to the place
 * where the 1 is half an ulp; just there the numerator makes up for it. Far out the value is 1, or exp(x). */
V recipe_logistic(Builder *b, V x)
{
    ExpParts e = exp_parts(b, negate(b, x));
    double lost = b->wide ? 0x1p53 : 0x1p24;
    V above = choose(b, equal(b, e.scale, num(b, lost)), num(b, 1 - 1 / lost), num(b, 1));
    V usual = quotient(b, above, fmadd(b, e.scale, e.q, plus(b, e.scale, 1)));
    V rare = guarded(b, greater(b, magnitude(b, x), num(b, exp_limit(b))));
    V far = choose(b, less(b, x, num(b, 0)), exp_scaled(b, x, 0), num(b, 1));
    unguarded(b);
    return choose(b, rare, far, usual);
}
