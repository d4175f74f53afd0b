/* planes_arithmetic.c: elementwise ops over planes: arithmetic, comparisons, conversions, and which function
 * is computed in which type.
 *
 * Functions of complex<f32> are computed in f64 and rounded once. There squares of all f32 are in range and
 * nearly exact, so the formulas of planes_log.c and planes_inverse.c are good to the last bit; in f64 they
 * scale what could overflow, and hold sums that cancel in two numbers. Some have a formula for f32 that is as
 * good. */
#include "planes_rules.h"

Ref real_with_sign(Graph *g, Ref a, Ref s)
{
    if (a == REF_NONE || s == REF_NONE) return REF_NONE;
    DType t = (DType)graph_node(g, a)->dtype, bits = dtype_unsigned_twin(t);
    Ref sign = build_bitcast(g, s, bits);
    Type bits_type = graph_type(g, sign);
    Ref top = build_splat(g, bits_type, (uint64_t)1 << (dtype_bits(t) - 1));
    Ref whole = build_binary(g, OP_OR, build_bitcast(g, a, bits), build_binary(g, OP_AND, sign, top));
    return build_bitcast(g, whole, t);
}

Ref real_copysign(Graph *g, Ref a, Ref s) { return real_with_sign(g, real_abs(g, a), s); }

Pair pair_converted(Graph *g, Pair a, DType t)
{
    Pair to = { build_convert(g, a.re, t), a.im };
    if (a.im != REF_NONE) to.im = build_convert(g, a.im, t);
    return to;
}

Pair planes_mul(Graph *g, Pair a, Pair b)
{
    return (Pair){ real_sub(g, real_mul(g, a.re, b.re), real_mul(g, a.im, b.im)),
                   real_add(g, real_mul(g, a.re, b.im), real_mul(g, a.im, b.re)) };
}

Ref planes_before(Graph *g, CompareDir dir, Pair a, Pair b)
{
    return build_select(g, build_compare(g, CMP_EQ, a.re, b.re), build_compare(g, dir, a.im, b.im),
                        build_compare(g, dir, a.re, b.re));
}

static Pair mul(Graph *g, const Pair *a) { return planes_mul(g, a[0], a[1]); }

/* (x - y) (x + y), which is 0 for equal finite sizes though their sum may overflow */
static Pair square(Graph *g, const Pair *a)
{
    Ref less = real_sub(g, a->re, a->im), more = real_add(g, a->re, a->im), im = real_mul(g, a->re, a->im);
    Ref equal = build_compare(g, CMP_EQ, real_abs(g, a->re), real_abs(g, a->im));
    Ref zero = build_binary(g, OP_AND, equal, real_of(g, OP_IS_FINITE, a->re));
    Ref re = build_select(g, zero, real_fill(g, a->re, 0), real_mul(g, less, more));
    return (Pair){ re, real_add(g, im, im) };
}

static Pair real(Graph *g, const Pair *a) { return (void)g, (Pair){ a[0].re, REF_NONE }; }

static Pair imag(Graph *g, const Pair *a)
{
    return (Pair){ a[0].im != REF_NONE ? a[0].im : real_fill(g, a[0].re, 0), REF_NONE };
}

static Pair make(Graph *g, const Pair *a) { return (void)g, (Pair){ a[0].re, a[1].re }; }

/* By real, then by imaginary parts; a NaN is before nothing, so that the second is taken. */
static Pair extreme(Graph *g, CompareDir dir, const Pair *a)
{
    Ref first = planes_before(g, dir, a[0], a[1]);
    return (Pair){ build_select(g, first, a[0].re, a[1].re), build_select(g, first, a[0].im, a[1].im) };
}
static Pair max(Graph *g, const Pair *a) { return extreme(g, CMP_GT, a); }
static Pair min(Graph *g, const Pair *a) { return extreme(g, CMP_LT, a); }

/* a / |a|; 0 of 0 */
static Pair sign(Graph *g, const Pair *a)
{
    Ref size = planes_abs(g, a).re, zero = real_is(g, CMP_EQ, size, 0);
    Ref by = build_select(g, zero, real_fill(g, size, 1), size);
    return (Pair){ real_div(g, a->re, by), real_div(g, a->im, by) };
}

static Pair one_over(Graph *g, Pair a)
{
    return planes_divide(g, (Pair[]){ { real_fill(g, a.re, 1), real_fill(g, a.re, 0) }, a });
}

static Pair rsqrt(Graph *g, const Pair *a) { return one_over(g, planes_sqrt(g, a)); }

/* 1 / (1 + exp(-a)) */
static Pair logistic(Graph *g, const Pair *a)
{
    Pair minus = { real_neg(g, a->re), real_neg(g, a->im) }, e = planes_exp(g, &minus);
    return one_over(g, (Pair){ real_add(g, e.re, real_fill(g, e.re, 1)), e.im });
}

static Pair scaled(Graph *g, double v, Pair a)
{
    return (Pair){ real_scale(g, v, a.re), real_scale(g, v, a.im) };
}

/* exp(log(a) / 3); 0 of 0 */
static Pair cbrt_(Graph *g, const Pair *a)
{
    Ref third = real_fill(g, a->re, 1.0 / 3);
    return planes_power(g, (Pair[]){ *a, { third, real_fill(g, a->re, 0) } });
}

static const double LN_2 = 0.69314718055994530942, LN_10 = 2.3025850929940456840;
static Pair log2_(Graph *g, const Pair *a) { return scaled(g, 1 / LN_2, planes_log(g, a)); }
static Pair log10_(Graph *g, const Pair *a) { return scaled(g, 1 / LN_10, planes_log(g, a)); }
static Pair exp2_(Graph *g, const Pair *a)
{
    Pair x = scaled(g, LN_2, *a);
    return planes_exp(g, &x);
}

/* in_f64: of complex<f32>, too, if it is not among those below */
/* clang-format off */
static const struct {
    ElementPlanes *of;
    bool in_f64;
} elements[OP_COUNT] = {
    [OP_MUL] = { mul, false },              [OP_SQUARE] = { square, false },
    [OP_REAL] = { real, false },            [OP_IMAG] = { imag, false },
    [OP_COMPLEX] = { make, false },         [OP_MAX] = { max, false },
    [OP_MIN] = { min, false },              [OP_SIGN] = { sign, true },
    [OP_DIV] = { planes_divide, true },     [OP_ABS] = { planes_abs, true },
    [OP_SQRT] = { planes_sqrt, true },      [OP_RSQRT] = { rsqrt, true },
    [OP_CBRT] = { cbrt_, true },            [OP_POW] = { planes_power, true },
    [OP_ATAN2] = { planes_atan2, true },
    [OP_EXP] = { planes_exp, true },        [OP_EXP2] = { exp2_, true },
    [OP_EXPM1] = { planes_expm1, true },    [OP_LOGISTIC] = { logistic, true },
    [OP_LOG] = { planes_log, true },        [OP_LOG2] = { log2_, true },
    [OP_LOG10] = { log10_, true },          [OP_LOG1P] = { planes_log1p, true },
    [OP_SIN] = { planes_sin, true },        [OP_COS] = { planes_cos, true },
    [OP_TAN] = { planes_tan, true },        [OP_SINH] = { planes_sinh, true },
    [OP_COSH] = { planes_cosh, true },      [OP_TANH] = { planes_tanh, true },
    [OP_ASIN] = { planes_asin, true },      [OP_ACOS] = { planes_acos, true },
    [OP_ATAN] = { planes_atan, true },      [OP_ASINH] = { planes_asinh, true },
    [OP_ACOSH] = { planes_acosh, true },    [OP_ATANH] = { planes_atanh, true },
};
/* clang-format on */

/* Formulas of complex<f32>. */
static ElementPlanes *const elements_f32[OP_COUNT] = {
    [OP_DIV] = planes_divide_f32, [OP_ABS] = planes_abs_f32
};

/* To bool: is it not 0? Otherwise a real number is the real part. */
static Pair convert(Graph *g, Pair a, DType from, DType to)
{
    if (to == WEFT_BOOL && dtype_is_complex(from)) {
        Ref re = real_is(g, CMP_NE, a.re, 0), im = real_is(g, CMP_NE, a.im, 0);
        return (Pair){ build_binary(g, OP_OR, re, im), REF_NONE };
    }
    Pair p = pair_converted(g, a, dtype_part(to));
    if (!dtype_is_complex(to)) p.im = REF_NONE;
    else if (p.im == REF_NONE) p.im = real_fill(g, p.re, 0);
    return p;
}

static Pair compare(Graph *g, const Node *n, const Pair *a)
{
    CompareDir dir = (CompareDir)n->attr[0];
    Ref re = build_compare(g, dir, a[0].re, a[1].re), im = build_compare(g, dir, a[0].im, a[1].im);
    return (Pair){ build_binary(g, dir == CMP_EQ ? OP_AND : OP_OR, re, im), REF_NONE };
}

bool planes_elementwise(Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    DType t = (DType)types[0].dtype;
    ElementPlanes *of = elements[n->op].of;
    bool wide = elements[n->op].in_f64 && t == WEFT_C64;
    if (t == WEFT_C64 && elements_f32[n->op]) of = elements_f32[n->op], wide = false;
    Pair a[3] = { args[0] };
    if (n->op == OP_CONVERT) return *out = convert(g, a[0], t, (DType)n->dtype), true;
    if (n->op == OP_COMPARE) return *out = compare(g, n, args), true;
    if (!of) return false;
    for (uint32_t i = 0; i < n->n_args; i++) a[i] = wide ? pair_converted(g, args[i], WEFT_F64) : args[i];
    *out = of(g, a);
    if (wide) *out = pair_converted(g, *out, WEFT_F32);
    return true;
}
