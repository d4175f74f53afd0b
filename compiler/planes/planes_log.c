/* planes_log.c: what is made of a complex number's size: abs, division, square root, logarithms, powers. */
#include "planes_rules.h"

static const double INF = __builtin_inf();

static Ref max(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MAX, a, b); }
static Ref min(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MIN, a, b); }
static Ref either(Graph *g, Ref p, Ref q) { return build_binary(g, OP_OR, p, q); }
static Ref both(Graph *g, Ref p, Ref q) { return build_binary(g, OP_AND, p, q); }
static Ref is_infinite(Graph *g, Ref a) { return real_is(g, CMP_EQ, real_abs(g, a), INF); }

/* |x| and |y| in order, and their ratio, at most 1; 1 of two equals, infinities and zeros too. */
typedef struct Sizes {
    Ref great, small, ratio;
} Sizes;

static Sizes sizes(Graph *g, Ref x, Ref y)
{
    Ref a = real_abs(g, x), b = real_abs(g, y);
    Sizes s = { max(g, a, b), min(g, a, b), REF_NONE };
    s.ratio = build_select(g, build_compare(g, CMP_EQ, s.great, s.small), real_fill(g, a, 1),
                           real_div(g, s.small, s.great));
    return s;
}

/* inf where x or y is, even if the other is NaN */
static Ref or_infinite(Graph *g, Ref x, Ref y, Ref value)
{
    return build_select(g, either(g, is_infinite(g, x), is_infinite(g, y)), real_fill(g, value, INF), value);
}

static Ref fused(Graph *g, Ref a, Ref b, Ref c)
{
    return build_node(g, OP_FMA, (Ref[]){ a, b, c }, 3, NULL, 0);
}

/* sqrt(x^2 + y^2): the greater one, scaled to be in range, by the root of what the rounding left. */
static Ref hypot_of(Graph *g, Ref x, Ref y)
{
    Sizes s = sizes(g, x, y);
    Ref huge = real_is(g, CMP_GT, s.great, 0x1p500), tiny = real_is(g, CMP_LT, s.great, 0x1p-450);
    Ref one = real_fill(g, x, 1);
    Ref scale = build_select(g, huge, real_fill(g, x, 0x1p-600),
                             build_select(g, tiny, real_fill(g, x, 0x1p600), one));
    Ref back = build_select(g, huge, real_fill(g, x, 0x1p600),
                            build_select(g, tiny, real_fill(g, x, 0x1p-600), one));
    Ref a = real_mul(g, s.great, scale), b = real_mul(g, s.small, scale);
    return or_infinite(g, x, y, real_mul(g, real_sqrt(g, fused(g, a, a, real_mul(g, b, b))), back));
}

Pair planes_abs(Graph *g, const Pair *a) { return (Pair){ hypot_of(g, a->re, a->im), REF_NONE }; }

/* The same of f32, by twice as many lanes as f64 has: x >= y >= 0 are multiplied by the power of two that
 * brings x near 1, x^2 + y^2 = s + low in two numbers, and r = sqrt(s) takes one step of Newton's, so that
 * it is as if computed in f64 and rounded. */
static const uint64_t EXPONENT = 0x7f800000, SCALE_LIMIT = 0x7e000000, ONE_EXPONENT = 0x00800000;

Pair planes_abs_f32(Graph *g, const Pair *a)
{
    Ref p = real_abs(g, a->re), q = real_abs(g, a->im), less = build_compare(g, CMP_LT, p, q);
    Ref great = build_select(g, less, q, p), small = build_select(g, less, p, q);
    Ref bits = build_bitcast(g, great, WEFT_U32);
    if (bits == REF_NONE) return (Pair){ REF_NONE, REF_NONE };
    Type t = graph_type(g, bits);
    Ref most = build_splat(g, t, SCALE_LIMIT);
    bits = min(g, build_binary(g, OP_AND, bits, build_splat(g, t, EXPONENT)), most);
    Ref scale = real_sub(g, build_splat(g, t, SCALE_LIMIT + ONE_EXPONENT), bits),
        back = real_add(g, bits, build_splat(g, t, ONE_EXPONENT));
    scale = build_bitcast(g, scale, WEFT_F32);
    Ref x = real_mul(g, great, scale), y = real_mul(g, small, scale), square = real_mul(g, x, x);
    Ref s = fused(g, y, y, square), r = real_sqrt(g, s);
    Ref low = real_add(g, fused(g, y, y, real_sub(g, square, s)), fused(g, x, x, real_neg(g, square)));
    Ref rest = real_add(g, fused(g, real_neg(g, r), r, s), low), twice = real_add(g, r, r);
    twice = max(g, twice, real_fill(g, twice, 0x1p-60)); /* of 0 */
    r = real_mul(g, real_add(g, r, real_div(g, rest, twice)), build_bitcast(g, back, WEFT_F32));
    Ref infinite = either(g, real_is(g, CMP_EQ, p, INF), real_is(g, CMP_EQ, q, INF));
    return (Pair){ build_select(g, infinite, real_fill(g, r, INF), r), REF_NONE };
}

/* Two numbers whose sum is exact: of a sum, of a product. */
typedef struct Double {
    Ref high, low;
} Double;

static Double two_sum(Graph *g, Ref a, Ref b)
{
    Ref s = real_add(g, a, b), c = real_sub(g, s, a);
    return (Double){ s, real_add(g, real_sub(g, a, real_sub(g, s, c)), real_sub(g, b, c)) };
}

static Double two_product(Graph *g, Ref a, Ref b)
{
    Ref p = real_mul(g, a, b);
    return (Double){ p, fused(g, a, b, real_neg(g, p)) };
}

/* log(|z|) where |z|^2 - 1 is u (u + 2) + v^2, for u = greater part - 1: half of log1p of that, in two
 * numbers, since it cancels where |z| is near 1. */
static Ref half_log1p(Graph *g, Ref u, Ref v)
{
    Ref two = real_fill(g, u, 2);
    Double t = two_sum(g, u, two), p = two_product(g, u, t.high), q = two_product(g, v, v),
           s = two_sum(g, p.high, q.high);
    Ref low = real_add(g, real_add(g, p.low, real_mul(g, u, t.low)), real_add(g, q.low, s.low));
    return real_scale(g, 0.5, real_of(g, OP_LOG1P, real_add(g, s.high, low)));
}

/* log(great) + log1p(ratio^2) / 2 */
static Ref log_far(Graph *g, Sizes s)
{
    Ref tail = real_of(g, OP_LOG1P, real_mul(g, s.ratio, s.ratio));
    return real_add(g, real_of(g, OP_LOG, s.great), real_scale(g, 0.5, tail));
}

static Ref log_size(Graph *g, Ref x, Ref y)
{
    Sizes s = sizes(g, x, y);
    Ref near = both(g, real_is(g, CMP_GT, s.great, 0.5), real_is(g, CMP_LT, s.great, 2));
    Ref one = real_fill(g, x, 1), great = build_select(g, near, s.great, one);
    Ref close = half_log1p(g, real_sub(g, great, one), build_select(g, near, s.small, one));
    return or_infinite(g, x, y, build_select(g, near, close, log_far(g, s)));
}

static Ref angle(Graph *g, Ref x, Ref y) { return build_binary(g, OP_ATAN2, y, x); }

Pair planes_log(Graph *g, const Pair *a)
{
    return (Pair){ log_size(g, a->re, a->im), angle(g, a->re, a->im) };
}

/* |1 + z|^2 - 1 is x (x + 2) + y^2, which loses nothing where z is small; where 1 + z is small, it is
 * exact. */
Pair planes_log1p(Graph *g, const Pair *a)
{
    Ref one = real_fill(g, a->re, 1), x = real_add(g, a->re, one),
        size = max(g, real_abs(g, a->re), real_abs(g, a->im));
    Ref off = max(g, real_abs(g, x), real_abs(g, a->im));
    Ref near = both(g, real_is(g, CMP_LT, size, 4), real_is(g, CMP_GT, off, 0.5)),
        zero = real_fill(g, a->re, 0);
    Ref close = half_log1p(g, build_select(g, near, a->re, zero), build_select(g, near, a->im, zero));
    return (Pair){ build_select(g, near, close, log_size(g, x, a->im)), angle(g, x, a->im) };
}

/* sqrt((|x| + |z|) / 2), of z scaled into range, is the real part w of the root or, where x is negative, the
 * imaginary one; the other is y / 2w (Kahan). Infinities and zeros as C11, Annex G. */
Pair planes_sqrt(Graph *g, const Pair *a)
{
    Ref x = a->re, y = a->im, one = real_fill(g, x, 1), great = max(g, real_abs(g, x), real_abs(g, y));
    Ref huge = real_is(g, CMP_GT, great, 0x1p500), tiny = real_is(g, CMP_LT, great, 0x1p-450);
    Ref scale = build_select(g, huge, real_fill(g, x, 0x1p-600),
                             build_select(g, tiny, real_fill(g, x, 0x1p600), one));
    Ref back = build_select(g, huge, real_fill(g, x, 0x1p300),
                            build_select(g, tiny, real_fill(g, x, 0x1p-300), one));
    Ref u = real_mul(g, real_abs(g, x), scale), v = real_mul(g, real_abs(g, y), scale);
    Ref size = real_sqrt(g, fused(g, u, u, real_mul(g, v, v)));
    Ref w = real_sqrt(g, real_scale(g, 0.5, real_add(g, u, size)));
    Ref zero = real_is(g, CMP_EQ, great, 0);
    w = real_mul(g, w, back);
    Ref other = real_div(g, real_abs(g, y), build_select(g, zero, one, real_add(g, w, w)));
    Ref right = real_is(g, CMP_GE, x, 0), re = build_select(g, right, w, other),
        im = real_copysign(g, build_select(g, right, other, w), y);
    /* x infinite: the other part is 0; y infinite: both are */
    Ref along = both(g, is_infinite(g, x), real_of(g, OP_IS_FINITE, y));
    Ref none = real_fill(g, x, 0), inf = real_fill(g, x, INF);
    re = build_select(g, along, build_select(g, right, inf, none), re);
    im = build_select(g, along, real_copysign(g, build_select(g, right, none, inf), y), im);
    Ref steep = is_infinite(g, y);
    return (Pair){ build_select(g, steep, inf, re), build_select(g, steep, y, im) };
}

/* 1 for an infinity and 0 for other numbers, with their signs */
static Ref infinity_flag(Graph *g, Ref a)
{
    Ref size = build_select(g, is_infinite(g, a), real_fill(g, a, 1), real_fill(g, a, 0));
    return real_with_sign(g, size, a);
}

/* Of what is multiplied by 0 afterwards: sums of two are in range then. */
static Ref quarter(Graph *g, Ref a) { return real_scale(g, 0.25, a); }

/* What a quotient is that came out as NaN though it has a value (C11, Annex G): over 0, of and by
 * infinities. */
static Pair recovered(Graph *g, Pair a, Pair b, Pair q)
{
    Ref nan = both(g, build_compare(g, CMP_NE, q.re, q.re), build_compare(g, CMP_NE, q.im, q.im));
    Ref zero = both(g, real_is(g, CMP_EQ, b.re, 0), real_is(g, CMP_EQ, b.im, 0));
    Ref a_infinite = either(g, is_infinite(g, a.re), is_infinite(g, a.im));
    Ref b_infinite = either(g, is_infinite(g, b.re), is_infinite(g, b.im));
    Ref inf = real_copysign(g, real_fill(g, b.re, INF), b.re);
    Pair flag_a = { infinity_flag(g, a.re), infinity_flag(g, a.im) };
    Pair flag_b = { infinity_flag(g, b.re), infinity_flag(g, b.im) };
    Pair u = { build_select(g, a_infinite, flag_a.re, quarter(g, a.re)),
               build_select(g, a_infinite, flag_a.im, quarter(g, a.im)) };
    Pair v = { build_select(g, b_infinite, flag_b.re, b.re), build_select(g, b_infinite, flag_b.im, b.im) };
    Ref scale = build_select(g, a_infinite, real_fill(g, b.re, INF), real_fill(g, b.re, 0));
    Ref re = real_add(g, real_mul(g, u.re, v.re), real_mul(g, u.im, v.im)),
        im = real_sub(g, real_mul(g, u.im, v.re), real_mul(g, u.re, v.im));
    Ref one_infinite = build_compare(g, CMP_NE, a_infinite, b_infinite);
    Pair r = { build_select(g, one_infinite, real_mul(g, scale, re), q.re),
               build_select(g, one_infinite, real_mul(g, scale, im), q.im) };
    r = (Pair){ build_select(g, zero, real_mul(g, inf, a.re), r.re),
                build_select(g, zero, real_mul(g, inf, a.im), r.im) };
    return (Pair){ build_select(g, nan, r.re, q.re), build_select(g, nan, r.im, q.im) };
}

/* Smith's method: numerator and denominator are divided by the greater part of the denominator. */
Pair planes_divide(Graph *g, const Pair *args)
{
    Pair a = args[0], b = args[1];
    Ref wide = build_compare(g, CMP_GE, real_abs(g, b.re), real_abs(g, b.im));
    Ref p = build_select(g, wide, b.re, b.im), q = build_select(g, wide, b.im, b.re); /* |p| >= |q| */
    Ref r = real_div(g, q, p), by = fused(g, q, r, p);
    Ref u = build_select(g, wide, a.re, a.im), v = build_select(g, wide, a.im, a.re);
    Ref re = real_div(g, fused(g, v, r, u), by), im = real_div(g, fused(g, real_neg(g, u), r, v), by);
    im = build_select(g, wide, im, real_neg(g, im));
    return recovered(g, a, b, (Pair){ re, im });
}

/* Of f32: in f64 all products are exact and all squares in range, so the quotient by |b|^2 is good to the
 * last bit. What is recovered is infinities, zeros and signs, for which f32 will do. */
Pair planes_divide_f32(Graph *g, const Pair *args)
{
    Pair a = pair_converted(g, args[0], WEFT_F64), b = pair_converted(g, args[1], WEFT_F64);
    Ref size = fused(g, b.re, b.re, real_mul(g, b.im, b.im)), by = real_div(g, real_fill(g, size, 1), size);
    Ref re = fused(g, a.re, b.re, real_mul(g, a.im, b.im)),
        im = fused(g, a.im, b.re, real_neg(g, real_mul(g, a.re, b.im)));
    Pair q = { real_mul(g, re, by), real_mul(g, im, by) };
    return recovered(g, args[0], args[1], pair_converted(g, q, WEFT_F32));
}

/* |a|^c exp(-d t) at the angle c t + d log |a|, for b = c + di and t the angle of a. 0 to the b: 1 if b is 0,
 * 0 if c is positive. */
Pair planes_power(Graph *g, const Pair *args)
{
    Pair a = args[0], b = args[1], log_a = planes_log(g, &a);
    Ref size = build_binary(g, OP_POW, hypot_of(g, a.re, a.im), b.re);
    size = real_mul(g, size, real_of(g, OP_EXP, real_neg(g, real_mul(g, b.im, log_a.im))));
    Ref turn = real_add(g, real_mul(g, b.re, log_a.im), real_mul(g, b.im, log_a.re));
    Pair r = { real_mul(g, size, real_of(g, OP_COS, turn)), real_mul(g, size, real_of(g, OP_SIN, turn)) };
    Ref one = real_fill(g, size, 1), none = real_fill(g, size, 0);
    Ref of_zero = both(g, real_is(g, CMP_EQ, a.re, 0), real_is(g, CMP_EQ, a.im, 0));
    Ref vanishes = both(g, of_zero, real_is(g, CMP_GT, b.re, 0));
    Ref by_zero = both(g, real_is(g, CMP_EQ, b.re, 0), real_is(g, CMP_EQ, b.im, 0));
    r = (Pair){ build_select(g, vanishes, none, r.re), build_select(g, vanishes, none, r.im) };
    return (Pair){ build_select(g, by_zero, one, r.re), build_select(g, by_zero, none, r.im) };
}

/* Of y and x: -i log((x + iy) / sqrt(x^2 + y^2)), as XLA has it; of real ones their angle. */
Pair planes_atan2(Graph *g, const Pair *args)
{
    Pair y = args[0], x = args[1], p = { real_sub(g, x.re, y.im), real_add(g, x.im, y.re) };
    Pair xx = planes_mul(g, x, x), yy = planes_mul(g, y, y),
         square = { real_add(g, xx.re, yy.re), real_add(g, xx.im, yy.im) };
    Pair by[2] = { p, planes_sqrt(g, &square) }, unit = planes_divide(g, by), log = planes_log(g, &unit);
    return (Pair){ log.im, real_neg(g, log.re) };
}
