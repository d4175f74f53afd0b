/* planes_exp.c: exp and what is made of it. Values at infinities and zeros are those of StableHLO's files of
 * samples. */
#include "planes_rules.h"

/* Above this exp(x), or exp(|x|) / 2, is out of the range of f64; the square of exp(x / 2), multiplied in
 * turn with what is small, is not. */
static const double GREATEST_EXPONENT = 709;

static Ref is_finite(Graph *g, Ref a) { return real_of(g, OP_IS_FINITE, a); }
static Ref both(Graph *g, Ref p, Ref q) { return build_binary(g, OP_AND, p, q); }
static Ref negated(Graph *g, Ref p) { return build_unary(g, OP_NOT, p); }

/* a b, where 0 times anything is that 0 */
static Ref zero_wins(Graph *g, Ref zero, Ref product)
{
    return build_select(g, real_is(g, CMP_EQ, zero, 0), zero, product);
}

Pair planes_exp(Graph *g, const Pair *a)
{
    Ref x = a->re, y = a->im, big = real_is(g, CMP_GT, x, GREATEST_EXPONENT), one = real_fill(g, x, 1);
    Ref e = real_of(g, OP_EXP, build_select(g, big, real_scale(g, 0.5, x), x)),
        again = build_select(g, big, e, one);
    Ref re = real_mul(g, real_mul(g, e, real_of(g, OP_COS, y)), again);
    Ref im = real_mul(g, real_mul(g, e, real_of(g, OP_SIN, y)), again);
    return (Pair){ re, zero_wins(g, y, im) };
}

/* re: expm1(x) cos y + (cos y - 1) */
Pair planes_expm1(Graph *g, const Pair *a)
{
    Ref half_sine = real_of(g, OP_SIN, real_scale(g, 0.5, a->im)), e = real_of(g, OP_EXPM1, a->re);
    Ref less = real_scale(g, -2, real_mul(g, half_sine, half_sine));
    Ref re = real_add(g, real_mul(g, e, real_of(g, OP_COS, a->im)), less);
    Pair whole = planes_exp(g, a);
    Ref near = real_is(g, CMP_LT, a->re, GREATEST_EXPONENT); /* beyond, 1 is nothing, whatever cos y is */
    Ref finite = is_finite(g, a->im);
    Ref at_minus_inf = both(g, negated(g, finite), real_is(g, CMP_EQ, a->re, -__builtin_inf()));
    re = build_select(g, at_minus_inf, real_fill(g, re, -1), build_select(g, near, re, whole.re));
    return (Pair){ zero_wins(g, real_add(g, real_abs(g, a->re), real_abs(g, a->im)), re), whole.im };
}

/* sinh(p) and cosh(p), each times what is given, in turn with exp(|p| / 2) where they would overflow. */
static Ref times_sinh(Graph *g, Ref p, Ref factor)
{
    Ref big = real_is(g, CMP_GT, real_abs(g, p), GREATEST_EXPONENT);
    Ref e = real_of(g, OP_EXP, real_scale(g, 0.5, build_select(g, big, real_abs(g, p), real_fill(g, p, 0))));
    Ref far = real_mul(g, real_mul(g, real_copysign(g, real_scale(g, 0.5, e), p), factor), e);
    return build_select(g, big, far, real_mul(g, real_of(g, OP_SINH, p), factor));
}

static Ref times_cosh(Graph *g, Ref p, Ref factor)
{
    Ref big = real_is(g, CMP_GT, real_abs(g, p), GREATEST_EXPONENT);
    Ref e = real_of(g, OP_EXP, real_scale(g, 0.5, build_select(g, big, real_abs(g, p), real_fill(g, p, 0))));
    Ref far = real_mul(g, real_mul(g, real_scale(g, 0.5, e), factor), e);
    return build_select(g, big, far, real_mul(g, real_of(g, OP_COSH, p), factor));
}

/* sinh p cos q, cosh p sin q */
static Pair sinh_of(Graph *g, Ref p, Ref q)
{
    return (Pair){ zero_wins(g, p, times_sinh(g, p, real_of(g, OP_COS, q))),
                   zero_wins(g, q, times_cosh(g, p, real_of(g, OP_SIN, q))) };
}

/* cosh p cos q, sinh p sin q */
static Pair cosh_of(Graph *g, Ref p, Ref q)
{
    Ref im = times_sinh(g, p, real_of(g, OP_SIN, q));
    Ref zero = build_binary(g, OP_OR, real_is(g, CMP_EQ, p, 0), real_is(g, CMP_EQ, q, 0));
    Ref signed_zero = real_copysign(
        g, real_fill(g, p, 0),
        real_mul(g, real_copysign(g, real_fill(g, p, 1), p), real_copysign(g, real_fill(g, q, 1), q)));
    return (Pair){ times_cosh(g, p, real_of(g, OP_COS, q)), build_select(g, zero, signed_zero, im) };
}

Pair planes_sinh(Graph *g, const Pair *a) { return sinh_of(g, a->re, a->im); }
Pair planes_cosh(Graph *g, const Pair *a) { return cosh_of(g, a->re, a->im); }

/* sin z = -i sinh iz */
Pair planes_sin(Graph *g, const Pair *a)
{
    Pair s = sinh_of(g, a->im, a->re);
    return (Pair){ s.im, s.re };
}

/* cos z = cosh iz */
Pair planes_cos(Graph *g, const Pair *a)
{
    Pair c = cosh_of(g, a->im, a->re);
    return (Pair){ c.re, real_neg(g, c.im) };
}

/* tanh(p + iq) after Kahan: with t = tan q, s = sinh p, b = 1 + t^2: (b s sqrt(1 + s^2) + i t) / (1 + b s^2).
 * Far out (|p| > 20) it is 1 and 4 t / b exp(-2 |p|), for t / b is sin q cos q. */
static Pair tanh_of(Graph *g, Ref p, Ref q)
{
    Ref size = real_abs(g, p), one = real_fill(g, p, 1), far = real_is(g, CMP_GT, size, 20);
    Ref t = real_of(g, OP_TAN, q), s = real_of(g, OP_SINH, build_select(g, far, one, p));
    Ref b = real_add(g, one, real_mul(g, t, t)), s2 = real_mul(g, s, s);
    Ref by = real_add(g, one, real_mul(g, b, s2)), root = real_sqrt(g, real_add(g, one, s2));
    Ref re = real_div(g, real_mul(g, real_mul(g, b, root), s), by);
    Ref tail = real_scale(g, 4, real_of(g, OP_EXP, real_scale(g, -2, size)));
    Ref im = real_div(g, build_select(g, far, real_mul(g, t, tail), t), build_select(g, far, b, by));
    Ref infinite = real_is(g, CMP_EQ, size, __builtin_inf()); /* whatever q is */
    im = build_select(g, both(g, infinite, negated(g, is_finite(g, q))), real_fill(g, q, 0), im);
    return (Pair){ build_select(g, far, real_copysign(g, one, p), zero_wins(g, p, re)), zero_wins(g, q, im) };
}

Pair planes_tanh(Graph *g, const Pair *a) { return tanh_of(g, a->re, a->im); }

/* tan z = -i tanh iz */
Pair planes_tan(Graph *g, const Pair *a)
{
    Pair t = tanh_of(g, a->im, a->re);
    return (Pair){ t.im, t.re };
}
