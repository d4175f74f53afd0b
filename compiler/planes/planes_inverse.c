/* planes_inverse.c: inverse sines, cosines and tangents, after T. E. Hull, T. F. Fairgrieve, P. T. P. Tang,
 * "Implementing the complex arcsine and arccosine functions using exception handling", ACM TOMS 23 (1997).
 *
 * With x and y the sizes of the parts, r and s the distances of (x, y) from -1 and 1, and a = (r + s) / 2,
 * the real part of asin is that of b = x / a, the imaginary one arcosh(a). Where b is near 1 or a is, sums
 * are ordered so that nothing cancels. Out of [0x1p-500, 0x1p500] squares leave f64: there the limits are
 * taken. */
#include "planes_rules.h"

static const double LN_2 = 0.69314718055994530942, HALF_PI = 1.5707963267948966192,
                    PI = 3.1415926535897932385, B_CROSSOVER = 0.6417, A_CROSSOVER = 1.5, FAR = 0x1p500,
                    TINY = 0x1p-500, INF = __builtin_inf();

static Ref both(Graph *g, Ref p, Ref q) { return build_binary(g, OP_AND, p, q); }
static Ref fused(Graph *g, Ref a, Ref b, Ref c)
{
    return build_node(g, OP_FMA, (Ref[]){ a, b, c }, 3, NULL, 0);
}
static Ref size_of(Graph *g, Ref x, Ref y) { return real_sqrt(g, fused(g, x, x, real_mul(g, y, y))); }
static Ref angle(Graph *g, Ref y, Ref x) { return build_binary(g, OP_ATAN2, y, x); }

/* asin and acos of x + iy for x, y >= 0, and the imaginary part of asin. */
typedef struct Arc {
    Ref sine, cosine, height;
} Arc;

/* The parts of |z|, moved into the range in which squares are. */
static Arc arc_near(Graph *g, Ref x, Ref y)
{
    Ref one = real_fill(g, x, 1), y2 = real_mul(g, y, y), x1 = real_add(g, x, one);
    Ref r = size_of(g, x1, y),
        s = build_select(g, real_is(g, CMP_EQ, x, 1), y, size_of(g, real_sub(g, x, one), y));
    Ref a = real_scale(g, 0.5, real_add(g, r, s)), b = real_div(g, x, a), ax = real_add(g, a, x);
    Ref inside = real_is(g, CMP_LE, x, 1), over_r = real_div(g, y2, real_add(g, r, x1));
    Ref gap = real_abs(g, real_sub(g, one, x)), near_s = real_add(g, s, gap);
    Ref on_one = real_is(g, CMP_EQ, near_s, 0); /* z is 1 */
    Ref over_s = real_div(g, y2, build_select(g, on_one, one, near_s));

    /* sqrt(a^2 - x^2), by what it has of (r + s)^2 - 4 x^2 */
    Ref left = real_sqrt(g, real_mul(g, real_scale(g, 0.5, ax), real_add(g, over_r, near_s)));
    Ref inner = real_add(g, real_div(g, ax, real_add(g, r, x1)),
                         real_div(g, ax, build_select(g, on_one, one, near_s)));
    Ref right = real_mul(g, y, real_sqrt(g, real_scale(g, 0.5, inner)));
    Ref leg = build_select(g, inside, left, right), plain = real_is(g, CMP_LE, b, B_CROSSOVER);
    Arc arc = { build_select(g, plain, real_of(g, OP_ASIN, b), angle(g, x, leg)),
                build_select(g, plain, real_of(g, OP_ACOS, b), angle(g, leg, x)), REF_NONE };

    /* a - 1, and log(a + sqrt(a^2 - 1)) */
    Ref below = real_is(g, CMP_LT, x, 1);
    Ref less = real_scale(g, 0.5, real_add(g, over_r, build_select(g, below, over_s, near_s)));
    Ref low = real_of(g, OP_LOG1P, real_add(g, less, real_sqrt(g, real_mul(g, less, real_add(g, a, one)))));
    Ref high = real_of(g, OP_LOG, real_add(g, a, real_sqrt(g, real_sub(g, real_mul(g, a, a), one))));
    arc.height = build_select(g, real_is(g, CMP_LE, a, A_CROSSOVER), low, high);
    /* y^2 is 0 where y is not: the height is y / sqrt(1 - x^2) */
    Ref flat = both(g, below, real_is(g, CMP_LT, y, TINY));
    Ref slope =
        real_sqrt(g, real_mul(g, real_sub(g, one, build_select(g, below, x, real_fill(g, x, 0))), x1));
    arc.height = build_select(g, flat, real_div(g, y, slope), arc.height);
    return arc;
}

/* log(2 |z|), at the angle of z */
static Arc arc_far(Graph *g, Ref x, Ref y)
{
    Ref great = build_binary(g, OP_MAX, x, y), small = build_binary(g, OP_MIN, x, y);
    Ref ratio = build_select(g, build_compare(g, CMP_EQ, great, small), real_fill(g, x, 1),
                             real_div(g, small, great));
    Ref tail = real_scale(g, 0.5, real_of(g, OP_LOG1P, real_mul(g, ratio, ratio)));
    Ref height = real_add(g, real_add(g, real_fill(g, x, LN_2), real_of(g, OP_LOG, great)), tail);
    Ref infinite = build_binary(g, OP_OR, real_is(g, CMP_EQ, x, INF), real_is(g, CMP_EQ, y, INF));
    return (Arc){ angle(g, x, y), angle(g, y, x), build_select(g, infinite, real_fill(g, x, INF), height) };
}

static Arc arc_of(Graph *g, const Pair *a)
{
    Ref x = real_abs(g, a->re), y = real_abs(g, a->im);
    Ref far = build_binary(g, OP_OR, real_is(g, CMP_GT, x, FAR), real_is(g, CMP_GT, y, FAR));
    Ref one = real_fill(g, x, 1);
    Arc near = arc_near(g, build_select(g, far, one, x), build_select(g, far, one, y)),
        beyond = arc_far(g, x, y);
    return (Arc){ build_select(g, far, beyond.sine, near.sine),
                  build_select(g, far, beyond.cosine, near.cosine),
                  build_select(g, far, beyond.height, near.height) };
}

static Pair asin_of(Graph *g, Pair a)
{
    Arc arc = arc_of(g, &a);
    return (Pair){ real_copysign(g, arc.sine, a.re), real_copysign(g, arc.height, a.im) };
}

Pair planes_asin(Graph *g, const Pair *a) { return asin_of(g, *a); }

/* On the left pi - acos(-z); below the axis the height is positive. */
Pair planes_acos(Graph *g, const Pair *a)
{
    Arc arc = arc_of(g, a);
    Ref left = real_is(g, CMP_LT, a->re, 0),
        below = real_is(g, CMP_LT, real_copysign(g, real_fill(g, a->im, 1), a->im), 0);
    Ref re = build_select(g, left, real_sub(g, real_fill(g, a->re, PI), arc.cosine), arc.cosine);
    return (Pair){ re, build_select(g, below, arc.height, real_neg(g, arc.height)) };
}

/* asinh z = i asin(-iz) */
Pair planes_asinh(Graph *g, const Pair *a)
{
    Pair r = asin_of(g, (Pair){ real_neg(g, a->im), a->re });
    return (Pair){ r.im, real_neg(g, r.re) };
}

/* acosh z is i acos z or its negative, whichever has a real part that is not negative. */
Pair planes_acosh(Graph *g, const Pair *a)
{
    Pair r = planes_acos(g, a);
    return (Pair){ real_abs(g, r.im), real_copysign(g, r.re, a->im) };
}

/* log1p(4 x / ((1 - x)^2 + y^2)) / 4 and atan2(2 y, (1 - x) (1 + x) - y^2) / 2 (Kahan). Far out x / |z|^2 and
 * half a turn less. */
static Pair atanh_of(Graph *g, Pair z)
{
    Ref x = real_abs(g, z.re), y = real_abs(g, z.im), one = real_fill(g, x, 1);
    Ref great = build_binary(g, OP_MAX, x, y), far = real_is(g, CMP_GT, great, FAR);
    Ref u = build_select(g, far, one, x), v = build_select(g, far, one, y);
    Ref gap = real_sub(g, one, u), y2 = real_mul(g, v, v);
    Ref square = fused(g, gap, gap, y2);
    Ref re = real_scale(g, 0.25, real_of(g, OP_LOG1P, real_div(g, real_scale(g, 4, u), square)));
    /* over 1, so near that y^2 is 0 */
    Ref close = both(g, real_is(g, CMP_EQ, u, 1), real_is(g, CMP_LT, v, TINY));
    re = build_select(g, close, real_scale(g, 0.5, real_sub(g, real_fill(g, v, LN_2), real_of(g, OP_LOG, v))),
                      re);
    Ref im = real_scale(g, 0.5,
                        angle(g, real_add(g, v, v), real_sub(g, real_mul(g, gap, real_add(g, one, u)), y2)));
    Ref ratio = real_div(g, build_binary(g, OP_MIN, x, y), great), part = real_div(g, x, great);
    Ref distant = real_div(g, real_div(g, part, great), real_add(g, one, real_mul(g, ratio, ratio)));
    distant = build_select(g, real_is(g, CMP_EQ, great, INF), real_fill(g, x, 0), distant);
    re = build_select(g, far, distant, re);
    im = build_select(g, far, real_fill(g, y, HALF_PI), im);
    return (Pair){ real_copysign(g, re, z.re), real_copysign(g, im, z.im) };
}

Pair planes_atanh(Graph *g, const Pair *a) { return atanh_of(g, *a); }

/* atan z = -i atanh(iz) */
Pair planes_atan(Graph *g, const Pair *a)
{
    Pair r = atanh_of(g, (Pair){ real_neg(g, a->im), a->re });
    return (Pair){ r.im, real_neg(g, r.re) };
}
