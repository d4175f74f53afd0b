/* jvp_factor.c: elementwise ops: each operand's tangent times the derivative by it.
 *
 * Factors reuse the result y where that is cheaper or better than the operand. Tangents are only multiplied,
 * divided and selected, so each rule is linear in them. Values at singular points are JAX's; where not, the
 * rule says so.
 */
#include "jvp_rules.h"
#include <assert.h>

/* With t the tangent of x: that of y = f(x). */
typedef Ref UnaryFactor(Graph *g, Ref t, Ref x, Ref y);
/* With ta and tb, of which one may be missing. */
typedef Ref BinaryFactor(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y);

static Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static Ref sub(Graph *g, Ref a, Ref b) { return build_binary(g, OP_SUB, a, b); }
static Ref mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static Ref quotient(Graph *g, Ref a, Ref b) { return build_binary(g, OP_DIV, a, b); }
static Ref neg(Graph *g, Ref a) { return build_unary(g, OP_NEG, a); }
static Ref fill(Graph *g, Ref like, double c) { return jvp_fill(g, like, c); }
static Ref scaled(Graph *g, double c, Ref a) { return mul(g, fill(g, a, c), a); }
static Ref plus_one(Graph *g, Ref a) { return add(g, a, fill(g, a, 1)); }
static Ref one_minus(Graph *g, Ref a) { return sub(g, fill(g, a, 1), a); }
static Ref squared(Graph *g, Ref a) { return mul(g, a, a); }
static Ref rsqrt(Graph *g, Ref a) { return build_unary(g, OP_RSQRT, a); }

static const double LN_2 = 0.69314718055994530942, LN_10 = 2.3025850929940456840;

/* The tangent of y = f(x) along t. */
#define ONE(name, tangent) \
    static Ref d_##name(Graph *g, Ref t, Ref x, Ref y) \
    { \
        (void)x, (void)y; \
        return tangent; \
    }

/* 1 from 0 on, also at -0; -1 below and at NaN */
ONE(abs_real,
    mul(g, t, build_select(g, build_compare(g, CMP_GE, x, fill(g, x, 0)), fill(g, x, 1), fill(g, x, -1))))

static Ref part(Graph *g, Op op, Ref z) { return build_unary(g, op, z); }

/* Of a complex number: the real part of t conj(x) / |x|, 0 at 0. */
static Ref d_abs_complex(Graph *g, Ref t, Ref x, Ref y)
{
    Ref zero = build_compare(g, CMP_EQ, y, fill(g, y, 0)), size = build_select(g, zero, fill(g, y, 1), y);
    Ref re = quotient(g, part(g, OP_REAL, x), size), im = quotient(g, part(g, OP_IMAG, x), size);
    return add(g, mul(g, part(g, OP_REAL, t), re), mul(g, part(g, OP_IMAG, t), im));
}

static Ref d_abs(Graph *g, Ref t, Ref x, Ref y)
{
    bool is_complex = dtype_is_complex((DType)graph_node(g, x)->dtype);
    return is_complex ? d_abs_complex(g, t, x, y) : d_abs_real(g, t, x, y);
}

/* 1 / 2y: inf at 0 */
ONE(sqrt, mul(g, t, quotient(g, fill(g, y, 0.5), y)))
/* -y / 2x */
ONE(rsqrt, mul(g, t, scaled(g, -0.5, quotient(g, y, x))))
/* 1 / 3y^2 */
ONE(cbrt, mul(g, t, quotient(g, fill(g, y, 1.0 / 3), squared(g, y))))
ONE(square, mul(g, t, add(g, x, x)))
ONE(exp, mul(g, t, y))
ONE(exp2, mul(g, t, scaled(g, LN_2, y)))
ONE(expm1, mul(g, t, plus_one(g, y)))
ONE(log, quotient(g, t, x))
ONE(log2, quotient(g, t, scaled(g, LN_2, x)))
ONE(log10, quotient(g, t, scaled(g, LN_10, x)))
ONE(log1p, quotient(g, t, plus_one(g, x)))
ONE(logistic, mul(g, t, mul(g, y, one_minus(g, y))))
ONE(sin, mul(g, t, build_unary(g, OP_COS, x)))
ONE(cos, mul(g, t, neg(g, build_unary(g, OP_SIN, x))))
/* 1 + y^2 */
ONE(tan, mul(g, t, plus_one(g, squared(g, y))))
/* 1 - y^2, which cancels where y is near 1, as (1 + y) (1 - y), which does not */
static Ref d_tanh(Graph *g, Ref t, Ref x, Ref y)
{
    (void)x;
    Ref less = one_minus(g, y); /* first: C compilers differ in the order of arguments */
    return mul(g, t, mul(g, plus_one(g, y), less));
}
ONE(asin, mul(g, t, rsqrt(g, one_minus(g, squared(g, x)))))
ONE(acos, mul(g, t, neg(g, rsqrt(g, one_minus(g, squared(g, x))))))
ONE(atan, quotient(g, t, plus_one(g, squared(g, x))))
ONE(sinh, mul(g, t, build_unary(g, OP_COSH, x)))
ONE(cosh, mul(g, t, build_unary(g, OP_SINH, x)))
ONE(asinh, mul(g, t, rsqrt(g, plus_one(g, squared(g, x)))))
/* Of complex numbers the roots of x - 1 and x + 1 apart: left of 0 that of their product is on the wrong
 * side of its cut, where JAX's is. */
static Ref d_acosh(Graph *g, Ref t, Ref x, Ref y)
{
    (void)y;
    Ref one = fill(g, x, 1);
    if (!dtype_is_complex((DType)graph_node(g, x)->dtype))
        return mul(g, t, rsqrt(g, sub(g, squared(g, x), one)));
    return mul(g, mul(g, t, rsqrt(g, sub(g, x, one))), rsqrt(g, add(g, x, one)));
}
/* 1 / (1 + x) (1 - x), divided one after the other: the product would overflow early */
ONE(atanh, quotient(g, quotient(g, t, one_minus(g, x)), plus_one(g, x)))

static const double TWO_OVER_SQRT_PI = 1.1283791670955125739, HALF_SQRT_PI = 0.88622692545275801365;

static Ref gauss(Graph *g, double c, Ref x)
{
    return scaled(g, c, build_unary(g, OP_EXP, neg(g, squared(g, x))));
}
ONE(erf, mul(g, t, gauss(g, TWO_OVER_SQRT_PI, x)))
ONE(erfc, mul(g, t, gauss(g, -TWO_OVER_SQRT_PI, x)))
ONE(erf_inv, mul(g, t, scaled(g, HALF_SQRT_PI, build_unary(g, OP_EXP, squared(g, y)))))
ONE(lgamma, mul(g, t, build_unary(g, OP_DIGAMMA, x)))
ONE(digamma, mul(g, t, build_binary(g, OP_POLYGAMMA, fill(g, x, 1), x)))

/* exp(-a) I0(a) of 0 <= a <= 8 by Chebyshev polynomials of a / 4 - 1, and its product with sqrt(a) of a >= 8
 * by those of 16 / a - 1: interpolated at 80 nodes in 40 digits. */
static const double i0e_near[] = {
    0.67679527440947608,    -0.3046826723431984,     0.17162090152220878,    -0.094901097048047644,
    0.049305284239670708,   -0.023737414805899469,   0.010546460394594998,   -0.0043243099950505759,
    0.0016394756169413358,  -0.00057637557453858237, 0.00018850288509584166, -5.7541950100821037e-5,
    1.6448448070728897e-5,  -4.4167383584587506e-6,  1.1173875391201037e-6,  -2.6707938539406117e-7,
    6.0469950225419189e-8,  -1.300025009986248e-8,   2.6598237246823867e-9,  -5.1897956016352629e-10,
    9.6758090353732369e-11, -1.7268262914415557e-11, 2.9550526631296398e-12, -4.8564467831119295e-13,
    7.6761854986049356e-14, -1.1685332877993452e-14, 1.715391285555133e-15,  -2.4312798465479547e-16,
    3.3307945188222381e-17, -4.4153416464793394e-18
};
static const double i0e_far[] = { 0.80449041101410883,     0.0033691164782556941,   6.889758346916824e-5,
                                  2.8913705208347565e-6,   2.0489185894690637e-7,   2.2666689904981781e-8,
                                  3.3962320257083863e-9,   4.9406023882249696e-10,  1.1889147107846438e-11,
                                  -3.1499165279632414e-11, -1.3215811840447713e-11, -1.7941785315068061e-12,
                                  7.1801244513836662e-13,  3.8527783827421427e-13,  1.5400862175214098e-14,
                                  -4.1505693472872221e-14, -9.5548466988283076e-15, 3.8116806693526224e-15,
                                  1.7725601330565264e-15,  -3.4254856196772191e-16, -2.8276239805165835e-16,
                                  3.4612228676974611e-17,  4.46562142029676e-17,    -4.8305044859441821e-18,
                                  -7.233180487874754e-18 };

/* c[0] / 2 + the sum of c[k] T_k(x), by Clenshaw's recurrence */
static Ref chebyshev(Graph *g, const double *c, int n, Ref x)
{
    Ref twice = add(g, x, x), next = fill(g, x, 0), after = next;
    for (int k = n - 1; k > 0; k--) {
        Ref here = add(g, sub(g, mul(g, twice, next), after), fill(g, x, c[k]));
        after = next;
        next = here;
    }
    return add(g, sub(g, mul(g, x, next), after), fill(g, x, c[0] / 2));
}

/* Of f64; each half only sees what it is for, so that the derivative of the half not taken is no NaN. */
static Ref bessel_i0e(Graph *g, Ref a)
{
    Ref eight = fill(g, a, 8), is_far = build_compare(g, CMP_GT, a, eight);
    Ref near = build_select(g, is_far, eight, a), far = build_select(g, is_far, a, eight);
    near = chebyshev(g, i0e_near, sizeof i0e_near / sizeof *i0e_near,
                     sub(g, scaled(g, 0.25, near), fill(g, a, 1)));
    Ref series = chebyshev(g, i0e_far, sizeof i0e_far / sizeof *i0e_far,
                           sub(g, quotient(g, fill(g, a, 16), far), fill(g, a, 1)));
    return build_select(g, is_far, mul(g, series, rsqrt(g, far)), near);
}

/* exp(-|x|) I1(x) / x for |x| < 4: exp(-|x|) / 2 times the sum of (x^2 / 4)^k / (k! (k + 1)!) */
static Ref i1e_over_x(Graph *g, Ref x)
{
    Ref y = scaled(g, 0.25, squared(g, x)), sum = fill(g, x, 1);
    for (int k = 20; k >= 1; k--) sum = plus_one(g, scaled(g, 1.0 / (k * (k + 1)), mul(g, y, sum)));
    return scaled(g, 0.5, mul(g, sum, build_unary(g, OP_EXP, neg(g, build_unary(g, OP_ABS, x)))));
}

/* i0e(x) - y sign x - y / x, in f64. Near 0 the derivative of y / x would cancel: there it is a series. */
static Ref d_bessel_i1e(Graph *g, Ref t, Ref x, Ref y)
{
    DType type = (DType)graph_node(g, x)->dtype;
    Ref wide = build_convert(g, x, WEFT_F64), a = build_unary(g, OP_ABS, wide);
    Ref near = build_compare(g, CMP_LT, a, fill(g, a, 4)), value = build_convert(g, y, WEFT_F64);
    Ref over_x = build_select(g, near, i1e_over_x(g, build_select(g, near, wide, fill(g, a, 0))),
                              quotient(g, value, build_select(g, near, fill(g, a, 1), wide)));
    Ref slope = sub(g, bessel_i0e(g, a), mul(g, value, build_unary(g, OP_SIGN, wide)));
    return mul(g, t, build_convert(g, sub(g, slope, over_x), type));
}

/* ---- two operands */

/* (da - y db) / b */
static Ref d_div(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    (void)a;
    Ref right = neg(g, mul(g, tb, y));
    return quotient(
        g, ta == REF_NONE || right == REF_NONE ? jvp_add(g, ta, right) : sub(g, ta, mul(g, tb, y)), b);
}

/* da - trunc(a / b) db */
static Ref d_rem(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    (void)y;
    if (tb == REF_NONE) return ta;
    Ref ratio = quotient(g, a, b), whole = build_unary(g, OP_FLOOR, build_unary(g, OP_ABS, ratio));
    return jvp_add(g, ta, mul(g, tb, neg(g, mul(g, build_unary(g, OP_SIGN, ratio), whole))));
}

/* by a: b a^(b-1), but 0 where b is 0, whatever a is; by b: y log a, but 0 where a is 0. JAX does the first
 * for integer exponents only, which have no type of their own here. */
static Ref d_pow(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    Ref by_a = REF_NONE, by_b = REF_NONE;
    if (ta != REF_NONE) {
        Ref slope = mul(g, b, build_binary(g, OP_POW, a, sub(g, b, fill(g, b, 1))));
        by_a = mul(g, ta, build_select(g, build_compare(g, CMP_EQ, b, fill(g, b, 0)), fill(g, b, 0), slope));
    }
    if (tb != REF_NONE) {
        Ref base = build_select(g, build_compare(g, CMP_EQ, a, fill(g, a, 0)), fill(g, a, 1), a);
        by_b = mul(g, tb, mul(g, build_unary(g, OP_LOG, base), y));
    }
    return jvp_add(g, by_a, by_b);
}

/* The tangent goes where the value came from, half of it to each of two equals. */
static Ref to_extreme(Graph *g, Ref t, Ref own, Ref other, Ref y)
{
    if (t == REF_NONE) return t;
    Ref share = build_select(g, build_compare(g, CMP_EQ, other, y), fill(g, y, 0.5), fill(g, y, 1));
    return build_select(g, build_compare(g, CMP_EQ, own, y), mul(g, t, share), fill(g, y, 0));
}

static Ref d_extreme(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    return jvp_add(g, to_extreme(g, ta, a, b, y), to_extreme(g, tb, b, a, y));
}

/* (b da - a db) / (a^2 + b^2) */
static Ref d_atan2(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    (void)y;
    Ref norm = add(g, squared(g, a), squared(g, b));
    return jvp_add(g, mul(g, ta, quotient(g, b, norm)), mul(g, tb, quotient(g, neg(g, a), norm)));
}

static Ref without(Graph *g, const char *what)
{
    fail(&g->failure, WEFT_ARGUMENT,
         "there is none by its first operand, %s; stop_gradient it, or give a rule with custom_jvp", what);
    return REF_NONE;
}

static Ref d_polygamma(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    (void)y;
    if (ta != REF_NONE) return without(g, "the order");
    return mul(g, tb, build_binary(g, OP_POLYGAMMA, plus_one(g, a), b));
}

/* by b: -a zeta(a + 1, b) */
static Ref d_zeta(Graph *g, Ref ta, Ref tb, Ref a, Ref b, Ref y)
{
    (void)y;
    if (ta != REF_NONE) return without(g, "the exponent");
    return mul(g, tb, mul(g, neg(g, a), build_binary(g, OP_ZETA, plus_one(g, a), b)));
}

/* clang-format off */
static const struct {
    UnaryFactor *one;
    BinaryFactor *two;
} factors[OP_COUNT] = {
    [OP_ABS] = { d_abs, NULL },         [OP_SQRT] = { d_sqrt, NULL },
    [OP_RSQRT] = { d_rsqrt, NULL },     [OP_CBRT] = { d_cbrt, NULL },
    [OP_EXP2] = { d_exp2, NULL },       [OP_LOG2] = { d_log2, NULL },
    [OP_LOG10] = { d_log10, NULL },     [OP_EXP] = { d_exp, NULL },
    [OP_EXPM1] = { d_expm1, NULL },     [OP_LOG] = { d_log, NULL },
    [OP_LOG1P] = { d_log1p, NULL },     [OP_LOGISTIC] = { d_logistic, NULL },
    [OP_SIN] = { d_sin, NULL },         [OP_COS] = { d_cos, NULL },
    [OP_TAN] = { d_tan, NULL },         [OP_TANH] = { d_tanh, NULL },
    [OP_ASIN] = { d_asin, NULL },       [OP_ACOS] = { d_acos, NULL },
    [OP_ATAN] = { d_atan, NULL },       [OP_SINH] = { d_sinh, NULL },
    [OP_COSH] = { d_cosh, NULL },       [OP_ASINH] = { d_asinh, NULL },
    [OP_ACOSH] = { d_acosh, NULL },     [OP_ATANH] = { d_atanh, NULL },
    [OP_ERF] = { d_erf, NULL },         [OP_ERFC] = { d_erfc, NULL },
    [OP_ERF_INV] = { d_erf_inv, NULL }, [OP_LGAMMA] = { d_lgamma, NULL },
    [OP_DIGAMMA] = { d_digamma, NULL }, [OP_BESSEL_I1E] = { d_bessel_i1e, NULL },
    [OP_SQUARE] = { d_square, NULL },   [OP_DIV] = { NULL, d_div },
    [OP_REM] = { NULL, d_rem },         [OP_POW] = { NULL, d_pow },
    [OP_MAX] = { NULL, d_extreme },     [OP_MIN] = { NULL, d_extreme },
    [OP_ATAN2] = { NULL, d_atan2 },     [OP_POLYGAMMA] = { NULL, d_polygamma },
    [OP_ZETA] = { NULL, d_zeta },
};
/* clang-format on */

void jvp_factor(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref t = darg(v, n, 0), x = arg(v, n, 0);
    assert((n->n_args == 2 ? factors[n->op].two != NULL : factors[n->op].one != NULL) && "it has a factor");
    if (n->n_args == 2) *dy = factors[n->op].two(v->w.to, t, darg(v, n, 1), x, arg(v, n, 1), *y);
    else if (t != REF_NONE) *dy = factors[n->op].one(v->w.to, t, x, *y);
}
