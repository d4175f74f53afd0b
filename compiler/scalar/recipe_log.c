/* recipe_log.c: log, log2, log10 and log1p, and the logarithm in double-double that pow and the inverse
 * hyperbolic functions take.
 *
 * x = 2^k m, m in [2/3, 4/3), f = m - 1 exact. F32: log(1 + f) = f - f^2/2 + f^3 p(f), without a division.
 * F64, where that p would be long: s = f / (2 + f), log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 p(s^2))). Both
 * keep f itself out of the rounding until the last sums.
 */
#include "recipe_builder.h"

static int64_t float_bits(const Builder *b, int64_t single, int64_t twice)
{
    return b->wide ? twice : single;
}

/* k of its bits, which stand where the exponent does. Shifting an i64 as signed and converting it take
 * AVX-512; of k + 1024, which is positive, shifting and adding to the bits of 2^52 do. */
static V exponent_of(Builder *b, V field)
{
    if (!b->wide) return convert(b, b->t, shift_arith(b, field, whole(b, b->mantissa)));
    V up = shift_logic(b, add_whole(b, field, INT64_C(1) << 62), whole(b, b->mantissa));
    return plus(b, from_bits(b, either(b, up, whole(b, INT64_C(0x4330000000000000)))), -(0x1p52 + 1024));
}

/* The field counts from 2/3. */
LogParts log_parts(Builder *b, V x)
{
    V bits = to_bits(b, x);
    V above = add_whole(b, bits, -float_bits(b, 0x3f2aaaab, INT64_C(0x3fe5555555555555)));
    V field = both(b, above, whole(b, -(INT64_C(1) << b->mantissa)));
    V f = plus(b, from_bits(b, sub(b, bits, field)), -1);
    return (LogParts){ f, exponent_of(b, field),
                       from_bits(b, sub(b, whole(b, (int64_t)b->bias << b->mantissa), field)) };
}

/* log(1 + f) - f */
static V log_tail(Builder *b, V f)
{
    if (!b->wide) return mul(b, mul(b, f, f), fmadd(b, f, poly(b, poly_log, f), num(b, -0.5)));
    V s = quotient(b, f, plus(b, f, 2));
    V z = mul(b, s, s);
    V half_square = mul(b, f, by(b, f, 0.5));
    V inner = fmadd(b, z, poly(b, poly_atanh, z), half_square);
    return fmadd(b, s, inner, negate(b, half_square));
}

static V log_finish(Builder *b, V f, V k)
{
    V low = fmadd(b, k, num(b, ln2_parts(b).lo), log_tail(b, f));
    return fmadd(b, k, num(b, ln2_parts(b).hi), add(b, f, low));
}

/* A constant in two parts. */
static Pair split(Builder *b, double hi, double lo)
{
    if (b->wide) return (Pair){ num(b, hi), num(b, lo) };
    return (Pair){ num(b, hi), num(b, hi - (double)(float)hi) };
}

/* k two + log(1 + f) e, where two and e are the logarithms of 2 and of e to the new base. The products with k
 * and f come in two parts, and the large ones are added first: all that is small together is off by much less
 * than an ulp. */
static V log_to_base(Builder *b, V f, V k, Pair two, Pair e)
{
    Pair first = two_product(b, f, e.hi);
    Pair power = two_product(b, k, two.hi);
    V rest = fmadd(b, f, e.lo, fmadd(b, log_tail(b, f), e.hi, first.lo));
    Pair sum = fast_two_sum(b, power.hi, first.hi);
    return add(b, sum.hi, add(b, sum.lo, add(b, fmadd(b, k, two.lo, power.lo), rest)));
}

static V log2_finish(Builder *b, V f, V k)
{
    return log_to_base(b, f, k, split(b, 1, 0), split(b, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
}

static V log10_finish(Builder *b, V f, V k)
{
    return log_to_base(b, f, k, split(b, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59),
                       split(b, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
}

V log_normal(Builder *b, V x)
{
    LogParts p = log_parts(b, x);
    return log_finish(b, p.f, p.k);
}

/* x outside [least normal, limit): zero, subnormal, negative, large, inf and NaN. For F32 with AVX one
 * unsigned comparison of bits is cheapest; of i64, and in SSE2, there is none. */
static V outside(Builder *b, V x, double limit)
{
    if (b->wide || !b->fma) {
        V least = num(b, b->wide ? 0x1p-1022 : 0x1p-126);
        return either(b, invert(b, at_least(b, x, least)), invert(b, less(b, x, num(b, limit))));
    }
    uint64_t least_bits = scalar_from_double(b->t, 0x1p-126);
    V above = add_whole(b, to_bits(b, x), -(int64_t)least_bits);
    return at_least(b, bitcast(b, b->ut, above), bits_of(b, scalar_from_double(b->t, limit) - least_bits));
}

V unusual(Builder *b, V x) { return outside(b, x, INFINITY); }

/* What log gives for arguments that have no logarithm of their own; value elsewhere. */
static V log_edges(Builder *b, V x, double pole, V value)
{
    value = choose(b, equal(b, x, num(b, pole)), num(b, -INFINITY), value);
    value = choose(b, less(b, x, num(b, pole)), num(b, NAN), value);
    return choose(b, less(b, x, num(b, INFINITY)), value, x);
}

/* The logarithm of any x, to the base that finish is for. */
static V log_whole(Builder *b, V x, V finish(Builder *, V f, V k))
{
    LogParts p = log_parts(b, x);
    V usual = finish(b, p.f, p.k);
    V rare = guarded(b, unusual(b, x));
    p = log_parts(b, by(b, x, b->wide ? 0x1p54 : 0x1p24));
    V subnormal = finish(b, p.f, plus(b, p.k, b->wide ? -54 : -24));
    V edge = log_edges(b, x, 0, subnormal);
    unguarded(b);
    return choose(b, rare, edge, usual);
}

V recipe_log(Builder *b, V x) { return log_whole(b, x, log_finish); }
V recipe_log2(Builder *b, V x) { return log_whole(b, x, log2_finish); }
V recipe_log10(Builder *b, V x) { return log_whole(b, x, log10_finish); }

/* 1 + x is rounded, but with 2^k from it, f = 2^-k x + (2^-k - 1) is as good as exact. The sign is x's, which
 * only -0 would lose. */
V recipe_log1p(Builder *b, V x)
{
    V u = plus(b, x, 1);
    LogParts p = log_parts(b, u);
    V f = fmadd(b, x, p.scale, plus(b, p.scale, -1));
    V usual = from_bits(b, either(b, to_bits(b, log_finish(b, f, p.k)), sign_bit(b, x)));
    V rare = guarded(b, outside(b, u, b->wide ? 0x1p1021 : 0x1p125));
    V edge = log_edges(b, x, -1, log_normal(b, x));
    unguarded(b);
    return choose(b, rare, edge, usual);
}

/* k ln2 + log(1 + f): of 2 atanh(s), s = f / (2 + f), the terms s, s^3 and s^5 in double-double; the rest
 * weighs less than 2^-16 of the sum. The pairs' parts may overlap by some bits, which does no harm in
 * sums. */
static Pair log_pair_finish(Builder *b, Pair f, V k)
{
    Pair below = fast_two_sum(b, num(b, 2), f.hi);
    below.lo = add(b, below.lo, f.lo);
    V r = quotient(b, num(b, 1), below.hi), hi = mul(b, f.hi, r);
    V rest = fmsub_from(b, hi, below.lo, add(b, exact_fmsub_from(b, hi, below.hi, f.hi), f.lo));
    Pair s = { hi, mul(b, rest, r) };
    Pair z = pair_product(b, s, s);
    Pair fifth = fast_two_sum(b, num(b, 0x1.999999999999ap-2), mul(b, z.hi, poly(b, poly_atanh7, z.hi)));
    fifth.lo = plus(b, fifth.lo, -0x1.999999999999ap-56);
    Pair inner = pair_product(b, z, fifth);
    Pair third = fast_two_sum(b, num(b, 0x1.5555555555555p-1), inner.hi);
    third.lo = add(b, third.lo, plus(b, inner.lo, 0x1.5555555555555p-55));
    Pair tail = pair_product(b, pair_product(b, s, z), third);
    Pair log1f = fast_two_sum(b, add(b, s.hi, s.hi), tail.hi);
    log1f.lo = add(b, log1f.lo, fmadd(b, s.lo, num(b, 2), tail.lo));
    Pair sum = fast_two_sum(b, by(b, k, 0x1.62e42fefa3800p-1), log1f.hi);
    return (Pair){ sum.hi, add(b, sum.lo, fmadd(b, k, num(b, 0x1.ef35793c76730p-45), log1f.lo)) };
}

Pair log_pair(Builder *b, Pair x)
{
    LogParts p = log_parts(b, x.hi);
    /* 2^-k is no normal number there */
    V scale = choose(b, greater(b, p.k, num(b, 1022)), num(b, 0), p.scale);
    return log_pair_finish(b, fast_two_sum(b, p.f, mul(b, x.lo, scale)), p.k);
}

Pair log_pair_of(Builder *b, V x)
{
    LogParts p = log_parts(b, x);
    return log_pair_finish(b, (Pair){ p.f, num(b, 0) }, p.k);
}
