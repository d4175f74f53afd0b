/* test_recipe.c: every recipe keeps the builder's rules, hits its error bound on dense samples, and gets the
 * special values right.
 *
 * The references are those of tests/ulp, which also has the long runs.
 */
#include "runtime/eager/eager.h"
#include "tests/ulp/reference.h"
#include <criterion/criterion.h>

enum { CHUNK = 1024 };

static double evaluate(const Recipe *r, DType t, double x, double y)
{
    float fx = (float)x, fy = (float)y, fv;
    double value;
    const void *single[2] = { &fx, &fy }, *twice[2] = { &x, &y };
    eager_recipe(r, 1, t == WEFT_F32 ? single : twice, t == WEFT_F32 ? (void *)&fv : (void *)&value);
    return t == WEFT_F32 ? fv : value;
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

/* Bounds in ulps over the arguments sampled below: for f32, for f64. */
static const struct {
    Op op;
    double bound[2];
    double lo, hi;
} bounds[] = {
    { OP_EXP, { 1.0, 1.0 }, -110, 100 },   { OP_EXP2, { 1.0, 1.01 }, -160, 140 },
    { OP_EXPM1, { 1.6, 1.7 }, -110, 100 }, { OP_LOG, { 1.0, 1.0 }, 0, 100 },
    { OP_LOG2, { 1.0, 1.0 }, 0, 100 },     { OP_LOG10, { 1.0, 1.0 }, 0, 100 },
    { OP_LOG1P, { 1.7, 1.7 }, -1, 100 },   { OP_LOGISTIC, { 2.0, 2.0 }, -110, 100 },
    { OP_SIN, { 2.0, 2.0 }, -1e6, 1e6 },   { OP_COS, { 2.0, 2.0 }, -1e6, 1e6 },
    { OP_TAN, { 2.0, 2.0 }, -1e6, 1e6 },   { OP_TANH, { 2.0, 2.0 }, -12, 12 },
    { OP_SINH, { 2.0, 2.0 }, -92, 92 },    { OP_COSH, { 2.0, 2.0 }, -92, 92 },
    { OP_ASIN, { 2.0, 2.0 }, -1, 1 },      { OP_ACOS, { 2.0, 2.0 }, -1, 1 },
    { OP_ATAN, { 2.0, 2.0 }, -20, 20 },    { OP_ASINH, { 0.6, 1.0 }, -100, 100 },
    { OP_ACOSH, { 0.6, 1.0 }, 1, 100 },    { OP_ATANH, { 0.6, 1.0 }, -1, 1 },
    { OP_ERF, { 1.5, 1.5 }, -6, 6 },       { OP_ERFC, { 0.6, 2.0 }, -6, 27 },
    { OP_ERF_INV, { 2.0, 2.0 }, -1, 1 },   { OP_CBRT, { 1.0, 1.0 }, -1000, 1000 },
    { OP_RSQRT, { 1.6, 1.6 }, 0, 1000 },   { OP_LGAMMA, { 0.6, 4.0 }, 0, 1000 },
    { OP_DIGAMMA, { 0.6, 4.0 }, 0, 1000 }, { OP_BESSEL_I1E, { 0.6, 5.0 }, -100, 100 },
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* Half uniform over [lo, hi], half with every exponent down to the least. */
static double sample(int i, int n, double lo, double hi)
{
    double u = (i + 0.5) / n;
    if (i % 2) return lo + (hi - lo) * u;
    double size = ldexp(1 + fmod(u * 7919, 1), -(i % 140));
    double v = i % 4 && lo < 0 ? -size : size;
    return v < lo ? lo : v > hi ? hi : v;
}

/* fma: as on machines with a multiply-add, or as on those without, where half an ulp more is allowed. */
static void check_bound(Op op, DType t, bool fma, double bound, double lo, double hi, int n, Reference *ref)
{
    static Recipe recipe;
    cr_assert(recipe_make(op, t, NULL, fma, &recipe), "%s", op_info[op].name);
    for (int i = 0; i < n; i++) {
        double x = sample(i, n, lo, hi);
        if (t == WEFT_F32) x = (float)x;
        double error = reference_distance(ref, op, t, x, 0, evaluate(&recipe, t, x, 0));
        cr_assert(error <= bound + (fma ? 0 : 0.5), "%s %s%s: %.3f ulp at %a", op_info[op].name,
                  dtype_name(t), fma ? "" : " by products and sums", error, x);
    }
}

Test(recipe, unary_error_bounds)
{
    Reference ref;
    reference_init(&ref);
    for (int i = 0; i < BOUNDS; i++)
        for (int k = 0; k < 4; k++)
            check_bound(bounds[i].op, k % 2 ? WEFT_F64 : WEFT_F32, k < 2, bounds[i].bound[k % 2],
                        bounds[i].lo, bounds[i].hi, 1500, &ref);
    reference_clear(&ref);
}

Test(recipe, binary_error_bounds)
{
    static const struct {
        Op op;
        double bound[2];
    } pairs[] = { { OP_POW, { 0.6, 1.0 } }, { OP_ATAN2, { 2.0, 2.0 } }, { OP_REM, { 0, 0 } } };
    static Recipe recipe;
    Reference ref;
    reference_init(&ref);
    for (int k = 0; k < 12; k++) {
        int p = k / 2;
        DType t = p % 2 ? WEFT_F64 : WEFT_F32;
        Op op = pairs[p / 2].op;
        recipe_make(op, t, NULL, k % 2, &recipe);
        for (int i = 0; i < 2000; i++) {
            double x = sample(i, 2000, -50, 50), y = sample((i * 37 + 11) % 2000, 2000, -9, 9);
            if (t == WEFT_F32) x = (float)x, y = (float)y;
            double error = reference_distance(&ref, op, t, x, y, evaluate(&recipe, t, x, y));
            cr_assert(error <= pairs[p / 2].bound[p % 2], "%s %s: %.3f ulp at %a, %a", op_info[op].name,
                      dtype_name(t), error, x, y);
        }
    }
    reference_clear(&ref);
}

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 29;
}

/* Edges first, then any bits and moderate numbers in turn. */
static double base_sample(int i, DType t, uint64_t *state)
{
    static const double edges[] = { 0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    2,
                                    -2,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    0x1p-149,
                                    3.5,
                                    -0x1p-149,
                                    0x1p-1074,
                                    -0x1p-1074,
                                    0x1.fffffep127,
                                    -0x1.fffffep127,
                                    0x1p-1022,
                                    0x1p-1023,
                                    4,
                                    0x1p1023,
                                    0x1p-126,
                                    0x1p-37,
                                    0x1.fffffffffffffp1023,
                                    -0.3 };
    enum { EDGES = sizeof edges / sizeof *edges };
    uint64_t bits = random_bits(state);
    double x;
    if (i < EDGES) return t == WEFT_F32 ? (float)edges[i] : edges[i];
    if (i % 2) return ldexp(1 + (double)(bits >> 42) * 0x1p-22, (int)(bits % 80) - 40);
    if (t == WEFT_F32) bits = scalar_from_double(WEFT_F64, scalar_to_double(WEFT_F32, (uint32_t)bits));
    memcpy(&x, &bits, 8);
    return x;
}

/* A constant exponent has the same value as one that is not known. A zero, an infinity and NaN are C's, signs
 * included. What is missed by halves is itself rounded where the result is next to subnormal. */
static void power_is_right(Reference *ref, DType t, double y, bool fma)
{
    static Recipe constant, any;
    uint64_t state = 1;
    recipe_make(OP_POW, t, NULL, fma, &any);
    recipe_make_power(t, scalar_from_double(t, y), fma, &constant);
    if (t == WEFT_F32) y = (float)y;
    for (int i = 0; i < 2000; i++) {
        double x = base_sample(i, t, &state), got = evaluate(&constant, t, x, y);
        cr_assert(same(got, evaluate(&any, t, x, y)), "%s: %a ^ %g is %a or %a", dtype_name(t), x, y, got,
                  evaluate(&any, t, x, y));
        double want = pow(x, y), small = fabs(want) < 0x1p-960,
               halves = fabs(y) <= 4 && 2 * y == trunc(2 * y);
        double bound = (t == WEFT_F32 ? 0.501 : small || !halves ? 1.01 : 0.51) + (fma ? 0 : 0.5);
        double error = reference_distance(ref, OP_POW, t, x, y, got);
        if (t == WEFT_F32) want = (float)want;
        if (isnan(want) || isinf(want) || want == 0)
            cr_assert(same(got, want), "%s: %a ^ %g is %a", dtype_name(t), x, y, got);
        else cr_assert(error <= bound, "%s: %a ^ %g: %.3f ulp", dtype_name(t), x, y, error);
    }
}

Test(recipe, powers_by_a_constant)
{
    static const double by[] = { 1.3,      -2.2,      1 / 2.4,  5,      -5,  7,     16,    33,   -0.3,
                                 1e-9,     0x1p52,    -0x1p53,  0x1p60, 1e9, -1e30, 1e300, 4.5,  -1e300,
                                 INFINITY, -INFINITY, 0x1.8p51, -0.0,   NAN, 1001,  -999,  0.25, 0x1p-1074 };
    Reference ref;
    reference_init(&ref);
    for (int p = 0; p < 4; p++) {
        DType t = p % 2 ? WEFT_F64 : WEFT_F32;
        for (int halves = -10; halves <= 10; halves++) power_is_right(&ref, t, halves / 2.0, p < 2);
        for (size_t i = 0; i < sizeof by / sizeof *by; i++) power_is_right(&ref, t, by[i], p < 2);
    }
    reference_clear(&ref);
}

Test(recipe, zeta_and_polygamma)
{
    static Recipe recipe;
    Reference ref;
    reference_init(&ref);
    for (int p = 0; p < 8; p++) {
        bool fma = p < 4;
        DType t = p % 2 ? WEFT_F64 : WEFT_F32;
        Op op = p / 2 % 2 ? OP_POLYGAMMA : OP_ZETA;
        recipe_make(op, t, NULL, fma, &recipe);
        for (int i = 1; i <= 60; i++) {
            double x = op == OP_POLYGAMMA ? i % 8 : 1 + i * 0.25, y = (float)(0.1 * i * i);
            double error = reference_distance(&ref, op, t, x, y, evaluate(&recipe, t, x, y));
            cr_assert(error <= (t == WEFT_F64 ? 4 : 0.6) + (fma ? 0 : 0.5), "%s %s: %.3f ulp at %a, %a",
                      op_info[op].name, dtype_name(t), error, x, y);
        }
    }
    reference_clear(&ref);
}

/* Equal, or both NaN; zeros by sign. */
typedef struct Special {
    Op op;
    double x, value;
} Special;
static const Special *specials(int *n)
{
    static const Special list[] = {
        { OP_EXP, INFINITY, INFINITY },
        { OP_EXP, -INFINITY, 0 },
        { OP_EXP, NAN, NAN },
        { OP_EXP, 0, 1 },
        { OP_EXP, -0.0, 1 },
        { OP_EXP, 1e5, INFINITY },
        { OP_EXP, -1e5, 0 },
        { OP_EXP, 1e30, INFINITY },
        { OP_EXP, -1e30, 0 },
        { OP_EXP2, INFINITY, INFINITY },
        { OP_EXP2, -INFINITY, 0 },
        { OP_EXP2, NAN, NAN },
        { OP_EXP2, -0.0, 1 },
        { OP_EXP2, 1024, INFINITY },
        { OP_EXP2, 1e30, INFINITY },
        { OP_EXP2, -1e30, 0 },
        { OP_EXP2, -1080, 0 },
        { OP_LOG2, 0, -INFINITY },
        { OP_LOG2, -0.0, -INFINITY },
        { OP_LOG2, -1, NAN },
        { OP_LOG2, INFINITY, INFINITY },
        { OP_LOG2, 1, 0 },
        { OP_LOG2, NAN, NAN },
        { OP_LOG10, 0, -INFINITY },
        { OP_LOG10, -INFINITY, NAN },
        { OP_LOG10, INFINITY, INFINITY },
        { OP_LOG10, 1, 0 },
        { OP_EXPM1, -0.0, -0.0 },
        { OP_EXPM1, 0, 0 },
        { OP_EXPM1, INFINITY, INFINITY },
        { OP_EXPM1, -INFINITY, -1 },
        { OP_EXPM1, -1e5, -1 },
        { OP_LOG, 0, -INFINITY },
        { OP_LOG, -0.0, -INFINITY },
        { OP_LOG, -1, NAN },
        { OP_LOG, INFINITY, INFINITY },
        { OP_LOG, 1, 0 },
        { OP_LOG, -INFINITY, NAN },
        { OP_LOG, NAN, NAN },
        { OP_LOG1P, -0.0, -0.0 },
        { OP_LOG1P, 0, 0 },
        { OP_LOG1P, -1, -INFINITY },
        { OP_LOG1P, -2, NAN },
        { OP_LOG1P, INFINITY, INFINITY },
        { OP_LOGISTIC, INFINITY, 1 },
        { OP_LOGISTIC, -INFINITY, 0 },
        { OP_LOGISTIC, 0, 0.5 },
        { OP_LOGISTIC, NAN, NAN },
        { OP_LOGISTIC, 1e6, 1 },
        { OP_SIN, -0.0, -0.0 },
        { OP_SIN, 0, 0 },
        { OP_SIN, INFINITY, NAN },
        { OP_SIN, NAN, NAN },
        { OP_COS, -0.0, 1 },
        { OP_COS, -INFINITY, NAN },
        { OP_TAN, -0.0, -0.0 },
        { OP_TAN, INFINITY, NAN },
        { OP_TANH, -0.0, -0.0 },
        { OP_TANH, INFINITY, 1 },
        { OP_TANH, -INFINITY, -1 },
        { OP_TANH, NAN, NAN },
        { OP_SINH, -0.0, -0.0 },
        { OP_SINH, -INFINITY, -INFINITY },
        { OP_COSH, -INFINITY, INFINITY },
        { OP_COSH, 0, 1 },
        { OP_COSH, NAN, NAN },
        { OP_ASIN, -0.0, -0.0 },
        { OP_ASIN, 1.5, NAN },
        { OP_ACOS, 1, 0 },
        { OP_ACOS, -1.5, NAN },
        { OP_ATAN, -0.0, -0.0 },
        { OP_ATAN, NAN, NAN },
        { OP_ASINH, -0.0, -0.0 },
        { OP_ASINH, -INFINITY, -INFINITY },
        { OP_ASINH, NAN, NAN },
        { OP_ACOSH, 1, 0 },
        { OP_ACOSH, 0.5, NAN },
        { OP_ACOSH, INFINITY, INFINITY },
        { OP_ATANH, -0.0, -0.0 },
        { OP_ATANH, 1, INFINITY },
        { OP_ATANH, -1, -INFINITY },
        { OP_ATANH, 2, NAN },
        { OP_ERF, -0.0, -0.0 },
        { OP_ERF, INFINITY, 1 },
        { OP_ERF, -INFINITY, -1 },
        { OP_ERF, NAN, NAN },
        { OP_ERFC, INFINITY, 0 },
        { OP_ERFC, -INFINITY, 2 },
        { OP_ERFC, 0, 1 },
        { OP_ERFC, NAN, NAN },
        { OP_ERF_INV, -0.0, -0.0 },
        { OP_ERF_INV, 1, INFINITY },
        { OP_ERF_INV, -1, -INFINITY },
        { OP_ERF_INV, 1.5, NAN },
        { OP_ERF_INV, NAN, NAN },
        { OP_CBRT, -0.0, -0.0 },
        { OP_CBRT, -INFINITY, -INFINITY },
        { OP_CBRT, -27, -3 },
        { OP_CBRT, NAN, NAN },
        { OP_RSQRT, 0, INFINITY },
        { OP_RSQRT, -0.0, -INFINITY },
        { OP_RSQRT, INFINITY, 0 },
        { OP_RSQRT, -1, NAN },
        { OP_RSQRT, 4, 0.5 },
        { OP_LGAMMA, 1, 0 },
        { OP_LGAMMA, 2, 0 },
        { OP_LGAMMA, 0, INFINITY },
        { OP_LGAMMA, -3, INFINITY },
        { OP_LGAMMA, INFINITY, INFINITY },
        { OP_LGAMMA, -INFINITY, INFINITY },
        { OP_LGAMMA, NAN, NAN },
        { OP_DIGAMMA, 0, NAN },
        { OP_DIGAMMA, -2, NAN },
        { OP_DIGAMMA, INFINITY, INFINITY },
        { OP_DIGAMMA, -INFINITY, NAN },
        { OP_DIGAMMA, NAN, NAN },
        { OP_BESSEL_I1E, 0, 0 },
        { OP_BESSEL_I1E, -0.0, -0.0 },
        { OP_BESSEL_I1E, INFINITY, 0 },
        { OP_BESSEL_I1E, NAN, NAN },
        { OP_SIGN, -0.0, -0.0 },
        { OP_SIGN, 5, 1 },
        { OP_SIGN, -INFINITY, -1 },
        { OP_SIGN, NAN, NAN },
        { OP_ROUND_AFZ, 0.5, 1 },
        { OP_ROUND_AFZ, -2.5, -3 },
        { OP_ROUND_AFZ, -0.25, -0.0 },
        { OP_ROUND_AFZ, 0x1.fffffep-2, 0 },
        { OP_ROUND_AFZ, 8388609, 8388609 },
        { OP_ROUND_AFZ, INFINITY, INFINITY },
        { OP_ROUND_AFZ, NAN, NAN },
    };
    *n = sizeof list / sizeof *list;
    return list;
}

Test(recipe, special_values)
{
    static Recipe recipe;
    int n;
    const Special *list = specials(&n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            DType t = k % 2 ? WEFT_F64 : WEFT_F32;
            cr_assert(recipe_make(list[i].op, t, NULL, k < 2, &recipe));
            double got = evaluate(&recipe, t, list[i].x, 0);
            cr_expect(same(got, list[i].value), "%s %s(%a) is %a, not %a", op_info[list[i].op].name,
                      dtype_name(t), list[i].x, got, list[i].value);
        }
}

/* Subnormal arguments and results, range ends, and angles that need all of pi. */
Test(recipe, hard_arguments)
{
    static const struct {
        Op op;
        DType t;
        double x;
    } list[] = {
        { OP_EXP, WEFT_F32, -103.5 },
        { OP_EXP, WEFT_F32, -88 },
        { OP_EXP, WEFT_F32, 88.7228 },
        { OP_EXP, WEFT_F32, -87.3 },
        { OP_EXP, WEFT_F64, -745 },
        { OP_EXP, WEFT_F64, -709 },
        { OP_EXP, WEFT_F64, 709.7 },
        { OP_EXPM1, WEFT_F32, 88.7 },
        { OP_LOG, WEFT_F32, 0x1p-149 },
        { OP_LOG, WEFT_F64, 0x1p-1074 },
        { OP_LOG, WEFT_F32, 0x1.fffffep127 },
        { OP_LOG1P, WEFT_F32, 0x1.fffffep127 },
        { OP_LOG1P, WEFT_F32, 0x1p-149 },
        { OP_LOG1P, WEFT_F32, -0x1.fffffep-1 },
        { OP_LOGISTIC, WEFT_F32, -100 },
        { OP_LOGISTIC, WEFT_F64, -740 },
        { OP_SIN, WEFT_F32, 0x1.fffffep127 },
        { OP_COS, WEFT_F32, 0x1.fffffep127 },
        { OP_TAN, WEFT_F32, 0x1.fffffep127 },
        { OP_SIN, WEFT_F64, 0x1.6ac5b262ca1ffp+849 },
        { OP_COS, WEFT_F64, 0x1.6ac5b262ca1ffp+849 },
        { OP_TAN, WEFT_F64, 0x1.6ac5b262ca1ffp+849 },
        { OP_SIN, WEFT_F64, 0x1.921fb54442d18p+1 },
        { OP_COS, WEFT_F64, 0x1.921fb54442d18p+0 },
        { OP_TAN, WEFT_F64, 0x1.921fb54442d18p+0 },
        { OP_SIN, WEFT_F32, 0x1p-149 },
        { OP_TANH, WEFT_F32, 0x1p-149 },
        { OP_ERF, WEFT_F32, 0x1p-140 },
        { OP_SINH, WEFT_F32, 89.4 },
        { OP_COSH, WEFT_F32, -89.4 },
        { OP_SINH, WEFT_F64, 710.4 },
        { OP_CBRT, WEFT_F32, 0x1p-149 },
        { OP_CBRT, WEFT_F64, 0x1.8p-1070 },
        { OP_ERFC, WEFT_F32, 10.05 },
        { OP_ERFC, WEFT_F64, 27.2 },
        { OP_EXP2, WEFT_F32, -148.7 },
        { OP_EXP2, WEFT_F32, -149.9 },
        { OP_EXP2, WEFT_F32, 127.99999 },
        { OP_EXP2, WEFT_F64, -1073.7 },
        { OP_EXP2, WEFT_F64, 1023.9999999999999 },
        { OP_EXP2, WEFT_F64, -1022.5 },
        { OP_LOG2, WEFT_F32, 0x1p-149 },
        { OP_LOG2, WEFT_F64, 0x1.8p-1070 },
        { OP_LOG2, WEFT_F64, 0x1.fffffffffffffp-1 },
        { OP_LOG2, WEFT_F32, 0x1.000002p0 },
        { OP_LOG10, WEFT_F64, 0x1p-1074 },
        { OP_LOG10, WEFT_F32, 3e38 },
        { OP_LGAMMA, WEFT_F64, 0x1p-1074 },
        { OP_LGAMMA, WEFT_F64, -0x1p-1074 },
        { OP_LGAMMA, WEFT_F64, -1e-310 },
        { OP_LGAMMA, WEFT_F64, -2.3e-308 },
        { OP_LGAMMA, WEFT_F64, 0x1.8p-60 },
        { OP_LGAMMA, WEFT_F64, -0x1.8p-61 },
        { OP_LGAMMA, WEFT_F32, -0x1p-149 },
        { OP_RSQRT, WEFT_F32, 0x1p-149 },
        { OP_ASINH, WEFT_F64, 0x1p1023 },
        { OP_ACOSH, WEFT_F64, 0x1p1023 },
    };
    static Recipe recipe;
    Reference ref;
    reference_init(&ref);
    for (size_t k = 0; k < 2 * (sizeof list / sizeof *list); k++) {
        size_t i = k / 2;
        double x = list[i].t == WEFT_F32 ? (float)list[i].x : list[i].x;
        recipe_make(list[i].op, list[i].t, NULL, k % 2, &recipe);
        double got = evaluate(&recipe, list[i].t, x, 0);
        double error = reference_distance(&ref, list[i].op, list[i].t, x, 0, got);
        cr_expect(error <= 2, "%s %s(%a) is %a: %.3f ulp", op_info[list[i].op].name, dtype_name(list[i].t), x,
                  got, error);
    }
    reference_clear(&ref);
}

/* 2^n, also where that is subnormal, and the n it came from; log10 gives n for 10^n. */
Test(recipe, whole_powers_are_exact)
{
    static Recipe power, log2_recipe, log10_recipe;
    for (int k = 0; k < 2; k++) {
        DType t = k ? WEFT_F64 : WEFT_F32;
        recipe_make(OP_EXP2, t, NULL, true, &power);
        recipe_make(OP_LOG2, t, NULL, true, &log2_recipe);
        recipe_make(OP_LOG10, t, NULL, true, &log10_recipe);
        for (int n = k ? -1080 : -160; n <= (k ? 1030 : 135); n++) {
            double want = k ? ldexp(1, n) : (float)ldexp(1, n), got = evaluate(&power, t, n, 0);
            cr_expect(same(got, want), "2^%d is %a", n, got);
            if (want == 0 || isinf(want)) continue;
            got = evaluate(&log2_recipe, t, want, 0);
            cr_expect(got == n, "log2 of 2^%d is %a", n, got);
        }
        double ten = 1;
        for (int n = 0; n <= (k ? 22 : 10); n++, ten *= 10) {
            double got = evaluate(&log10_recipe, t, ten, 0);
            cr_expect(got == n, "log10 of 10^%d is %a", n, got);
        }
    }
}

Test(recipe, binary_special_values)
{
    static const double values[] = { 0,         -0.0, 1,     -1,       2,         -2,  0.5,
                                     -0.5,      3,    -3,    INFINITY, -INFINITY, NAN, 0x1p-149,
                                     -0x1p-149, 1e30, -1e30, 2.5,      1e-30 };
    enum { VALUES = sizeof values / sizeof *values };
    static Recipe power, angle, remainder_recipe;
    for (int k = 0; k < 2; k++) {
        DType t = k ? WEFT_F64 : WEFT_F32;
        recipe_make(OP_POW, t, NULL, true, &power);
        recipe_make(OP_ATAN2, t, NULL, true, &angle);
        recipe_make(OP_REM, t, NULL, true, &remainder_recipe);
        for (int i = 0; i < VALUES * VALUES; i++) {
            double x = values[i / VALUES], y = values[i % VALUES];
            if (!k) x = (float)x, y = (float)y;
            double p = k ? pow(x, y) : (float)pow(x, y), got = evaluate(&power, t, x, y);
            cr_expect(same(got, p) || fabs(got - p) <= fabs(p) * 1e-15, "pow(%a, %a) is %a, not %a", x, y,
                      got, p);
            double a = k ? atan2(x, y) : (float)atan2(x, y);
            got = evaluate(&angle, t, x, y);
            cr_expect(same(got, a) ||
                          fabs(got - a) <= fabs(a) * (k ? 3e-16 : 2.4e-7) + (k ? 0x1p-1074 : 0x1p-149),
                      "atan2(%a, %a) is %a, not %a", x, y, got, a);
            cr_expect(same(evaluate(&remainder_recipe, t, x, y), fmod(x, y)), "rem(%a, %a) is %a", x, y,
                      evaluate(&remainder_recipe, t, x, y));
        }
    }
}

Test(recipe, next_after)
{
    static const double values[] = { 0,        -0.0,      1,   -1, 0x1p-149, -0x1p-149, 0x1.fffffep127,
                                     INFINITY, -INFINITY, NAN, 2.5 };
    enum { VALUES = sizeof values / sizeof *values };
    static Recipe single, twice;
    recipe_make(OP_NEXT_AFTER, WEFT_F32, NULL, true, &single);
    recipe_make(OP_NEXT_AFTER, WEFT_F64, NULL, true, &twice);
    for (int i = 0; i < VALUES * VALUES; i++) {
        double x = values[i / VALUES], y = values[i % VALUES];
        cr_expect(same(evaluate(&single, WEFT_F32, x, y), nextafterf((float)x, (float)y)), "%a, %a", x, y);
        cr_expect(same(evaluate(&twice, WEFT_F64, x, y), nextafter(x, y)), "%a, %a", x, y);
    }
}

/* What StableHLO's reference gives: x ^ -y as 1 / (x ^ y) truncated, and -1 for 0. */
static int64_t slow_power(int64_t x, int64_t y)
{
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : x == 0 ? -1 : 0;
    uint64_t value = 1;
    for (int64_t i = 0; i < y; i++) value *= (uint64_t)x;
    return (int64_t)value;
}

Test(recipe, integer_power)
{
    static Recipe recipe, constant;
    for (DType t = WEFT_I8; t <= WEFT_U64; t++) {
        cr_assert(recipe_make(OP_POW, t, NULL, true, &recipe));
        for (int x = dtype_is_signed(t) ? -20 : 0; x < 20; x++)
            for (int y = dtype_is_signed(t) ? -5 : 0; y < 70; y++) {
                uint64_t a = scalar_from_i64(t, x), b = scalar_from_i64(t, y), got = 0, also = 0;
                const void *args[2] = { &a, &b };
                eager_recipe(&recipe, 1, args, &got);
                recipe_make_power(t, b, true, &constant);
                eager_recipe(&constant, 1, args, &also);
                cr_assert_eq(got, also);
                cr_assert(scalar_load(t, &got) == scalar_from_i64(t, slow_power(x, y)), "%s: %d ^ %d",
                          dtype_name(t), x, y);
            }
    }
}

static uint64_t convert_bits(const Recipe *r, uint64_t bits)
{
    uint64_t out = 0;
    const void *args[1] = { &bits };
    eager_recipe(r, 1, args, &out);
    return out;
}

Test(recipe, narrow_floats_widen)
{
    static Recipe half, brain, half64;
    cr_assert(recipe_make_convert(WEFT_F16, WEFT_F32, &half) &&
              recipe_make_convert(WEFT_BF16, WEFT_F32, &brain));
    cr_assert(recipe_make_convert(WEFT_F16, WEFT_F64, &half64));
    for (uint32_t i = 0; i < 65536; i++) {
        float h = f16_to_f32((uint16_t)i), b = bf16_to_f32((uint16_t)i);
        uint32_t hb, bb;
        memcpy(&hb, &h, 4);
        memcpy(&bb, &b, 4);
        cr_assert(convert_bits(&half, i) == hb, "f16 %x", i);
        cr_assert(convert_bits(&brain, i) == bb, "bf16 %x", i);
        uint64_t bits = convert_bits(&half64, i);
        double d;
        memcpy(&d, &bits, 8);
        cr_assert(same(d, h));
    }
}

Test(recipe, narrow_floats_round)
{
    static Recipe half, brain, half64, brain64;
    recipe_make_convert(WEFT_F32, WEFT_F16, &half);
    recipe_make_convert(WEFT_F32, WEFT_BF16, &brain);
    recipe_make_convert(WEFT_F64, WEFT_F16, &half64);
    recipe_make_convert(WEFT_F64, WEFT_BF16, &brain64);
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t bits = i * UINT32_C(21487);                         /* over all of them */
        if (i % 2) bits = (bits & 0xffffe000u) + 0x1000 + i % 3 - 1; /* at and beside ties */
        float f;
        memcpy(&f, &bits, 4);
        cr_assert(convert_bits(&half, bits) == f32_to_f16(f), "f16 of %x", bits);
        cr_assert(convert_bits(&brain, bits) == f32_to_bf16(f), "bf16 of %x", bits);
        double d = isnan(f) ? (double)f : (double)f * (1 + (double)(i % 5) * 0x1p-50);
        uint64_t wide;
        memcpy(&wide, &d, 8);
        cr_assert(convert_bits(&half64, wide) == f64_to_f16(d), "f16 of %a", d);
        cr_assert(convert_bits(&brain64, wide) == f64_to_bf16(d), "bf16 of %a", d);
    }
}

/* Of a format without mantissa, too. */
Test(recipe, reduce_precision_of_nan_is_nan)
{
    static Recipe r;
    for (int mantissa = 0; mantissa < 3; mantissa++) {
        recipe_make(OP_REDUCE_PRECISION, WEFT_F32, (const int64_t[]){ 8, mantissa }, true, &r);
        cr_expect(isnan(evaluate(&r, WEFT_F32, NAN, 0)) && isnan(evaluate(&r, WEFT_F32, -NAN, 0)), "m%d",
                  mantissa);
        cr_expect_eq(evaluate(&r, WEFT_F32, -INFINITY, 0), -INFINITY, "m%d", mantissa);
    }
}

/* To f16's and bf16's formats reduce_precision is conversion there and back, but that it has no
 * subnormals. */
Test(recipe, reduce_precision)
{
    static Recipe brain, half;
    recipe_make(OP_REDUCE_PRECISION, WEFT_F32, (const int64_t[]){ 8, 7 }, true, &brain);
    recipe_make(OP_REDUCE_PRECISION, WEFT_F32, (const int64_t[]){ 5, 10 }, true, &half);
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t bits = i * UINT32_C(42949);
        float f;
        memcpy(&f, &bits, 4);
        cr_assert(same(evaluate(&brain, WEFT_F32, f, 0), bf16_to_f32(f32_to_bf16(f))), "%a", f);
        float narrow = f16_to_f32(f32_to_f16(f));
        if (fabsf(narrow) <= 0x1p-14f) narrow = fabsf(f) < 0x1.ffep-15f ? copysignf(0, f) : narrow;
        if (fabsf(f) >= 0x1p-14f || fabsf(f) < 0x1.ff8p-15f)
            cr_assert(same(evaluate(&half, WEFT_F32, f, 0), narrow), "%a: %a", f,
                      evaluate(&half, WEFT_F32, f, 0));
    }
}

/* Operands come before their use, guards are earlier booleans, and a guarded value leaves its guard only
 * through a select on it. */
static void check_rules(const Recipe *r, const char *name)
{
    for (int i = 0; i < r->n_steps; i++) {
        const RecipeStep *s = &r->step[i];
        int n = s->op == STEP_LOOKUP ? 1 : op_info[s->op].args;
        if (s->guard)
            cr_assert(s->guard <= i && r->step[s->guard - 1].dtype == WEFT_BOOL, "%s step %d", name, i);
        for (int k = 0; k < n; k++) {
            cr_assert(s->arg[k] < i, "%s step %d", name, i);
            uint16_t g = r->step[s->arg[k]].guard;
            bool chosen = s->op == OP_SELECT && k == 1 && s->arg[0] + 1 == g;
            cr_assert(!g || g == s->guard || chosen, "%s step %d uses a guarded value", name, i);
        }
    }
}

Test(recipe, rules)
{
    static Recipe recipe;
    const int64_t attr[2] = { 5, 10 };
    for (int op = 0; op < OP_COUNT; op++)
        for (DType t = WEFT_BOOL; t <= WEFT_F64; t++) {
            cr_expect(recipe_make((Op)op, t, attr, true, &recipe) == recipe_exists((Op)op, t));
            if (!recipe_exists((Op)op, t)) continue;
            check_rules(&recipe, op_info[op].name);
            cr_expect(recipe.step[recipe.n_steps - 1].dtype == t);
            cr_expect(recipe.n_params == op_info[op].args);
        }
}
