/* test_power.c: powers by constants that are multiples of 1/2 have the same bits op by op and compiled in
 * strict mode, in any float type, and so do their derivatives; in the other modes those by multiples of 1/4
 * are as near as their products, and at the edges what C's pow is. */
#include "tests/support/context_suite.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A few exponents at each end have no steps of their own. */
enum { MOST = 10 };

static weft_array *powers(weft_array *x)
{
    weft_array *all = NULL;
    for (int h = -MOST; h <= MOST; h++) {
        weft_array *p = weft_pow(x, h / 2.0);
        all = all ? weft_concatenate(0, all, p) : p;
    }
    return all;
}

static weft_array *sum_of_powers(weft_array *x) { return weft_sum(powers(x)); }
static weft_array *root_cubed(weft_array *x) { return weft_sum(weft_pow(x, 1.5)); }

static bool same(weft_array *a, weft_array *b)
{
    weft_array *both_nan = weft_logical_and(weft_isnan(a), weft_isnan(b));
    weft_array *equal = weft_logical_and(weft_eq(a, b), weft_eq(weft_reciprocal(a), weft_reciprocal(b)));
    return weft_item(weft_all(weft_logical_or(both_nan, equal))) != 0;
}

static const double bases[] = { 0,    -0.0, 1,     -1,     2,       -2,       3.3,
                                -0.7, 1e-3, 1e5,   1e-30,  1.5e300, INFINITY, -INFINITY,
                                NAN,  0.1,  7e-41, 5e-324, 65504,   1e-300,   -6e7,
                                9e-8, 1e38, -1e62, 4e-309, 3e18,    -0.998,   1.0001 };
enum { BASES = sizeof bases / sizeof *bases };

Test(power, compiled_is_eager_bit_for_bit)
{
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    need_backend();
    weft_declare(ctx, powers, weft_unary);
    for (weft_dtype t = WEFT_F16; t <= WEFT_F64; t++) {
        weft_array *x = weft_astype(weft_from(ctx, bases, BASES), t);
        cr_expect(same(powers(x), weft_jit(ctx, powers)(x)), "dtype %d", t);
    }
    close_context_without_error();
}

/* Multiples of 1/4: the small ones, then every seventh, to 17, which is no product any more. */
enum { SMALL = 12, EXPONENTS = 2 * (SMALL + 8) + 1 };
static double exponent(int i)
{
    int k = i - EXPONENTS / 2, beyond = abs(k) - SMALL;
    return (beyond <= 0 ? k : copysign(SMALL + 7 * beyond, k)) / 4.0;
}

static weft_array *powers_by_quarters(weft_array *x)
{
    weft_array *all = weft_pow(x, exponent(0));
    for (int i = 1; i < EXPONENTS; i++) all = weft_concatenate(0, all, weft_pow(x, exponent(i)));
    return all;
}

static double least_of(weft_dtype t)
{
    return t == WEFT_F64 ? 0x1p-1074 : t == WEFT_F32 ? 0x1p-149 : t == WEFT_F16 ? 0x1p-24 : 0x1p-133;
}

static double largest_of(weft_dtype t)
{
    return t == WEFT_F64 ? DBL_MAX : t == WEFT_F32 ? FLT_MAX : t == WEFT_F16 ? 65504 : 0x1.fep127;
}

/* Each product and root rounds once, the reciprocal once for each factor that it becomes; at the end the type
 * rounds, of a narrow one to fewer bits than it was computed with. */
static void expect_power(weft_dtype t, double x, double y, double got)
{
    double unit = t == WEFT_F64 ? 0x1p-53 : 0x1p-24, last = t == WEFT_F16    ? 0x1p-11
                                                            : t == WEFT_BF16 ? 0x1p-8
                                                                             : 0;
    double want = pow(x, y), relative = (2 * fabs(y) + 3) * unit + last,
           bound = fabs(want) * relative + 0.5 * least_of(t);
    if (isnan(want)) cr_expect(isnan(got), "%a ^ %g is %a", x, y, got);
    else if (fabs(want) > largest_of(t) * (1 + last) || want == 0)
        cr_expect(got == (want == 0 ? 0 : copysign(INFINITY, want)) && !signbit(got) == !signbit(want),
                  "dtype %d: %a ^ %g is %a", t, x, y, got);
    else cr_expect(fabs(got - want) <= bound, "dtype %d: %a ^ %g is %a, not %a", t, x, y, got, want);
}

Test(power, by_quarters_is_near_and_right_at_edges)
{
    weft_mode modes[] = { WEFT_MODE_DEFAULT, WEFT_MODE_FAST };
    for (int m = 0; m < 2; m++) {
        ctx = weft_open(&(weft_options){ .mode = modes[m] });
        need_backend();
        weft_declare(ctx, powers_by_quarters, weft_unary);
        for (weft_dtype t = WEFT_F16; t <= WEFT_F64; t++) {
            weft_array *x = weft_astype(weft_from(ctx, bases, BASES), t),
                       *y = weft_astype(weft_jit(ctx, powers_by_quarters)(x), WEFT_F64);
            const double *base = weft_data(weft_astype(x, WEFT_F64)), *value = weft_data(y);
            for (int i = 0; i < EXPONENTS * BASES; i++)
                expect_power(t, base[i % BASES], exponent(i / BASES), value[i]);
        }
        close_context_without_error();
    }
}

Test(power, an_array_of_the_exponent_is_the_same)
{
    ctx = weft_open(NULL);
    weft_array *x = weft_astype(weft_from(ctx, bases, BASES), WEFT_F32);
    for (int h = -MOST; h <= MOST; h++) {
        weft_array *y = weft_full(ctx, WEFT_F32, h / 2.0, BASES);
        cr_expect(same(weft_pow(x, h / 2.0), weft_pow(x, y)), "%g", h / 2.0);
    }
    close_context_without_error();
}

Test(power, derivatives)
{
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    need_backend();
    weft_declare(ctx, root_cubed, weft_unary);
    weft_declare(ctx, sum_of_powers, weft_unary);
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, root_cubed, "x"))(ARRAY(0, 4, 9)), 0, 3, 4.5);
    weft_unary *slope = weft_grad(ctx, weft_unary, sum_of_powers, "x");
    weft_array *x = ARRAY(0.5, 1, 2, 3.3, 100, -1);
    cr_expect(same(slope(x), weft_jit(ctx, slope)(x)));
    close_context_without_error();
}
