/* test_power.c: powers by constants that are multiples of 1/2 have the same bits op by op and compiled, in
 * any float type, and so do their derivatives. */
#include "compiler/scalar/recipe.h"
#include "tests/support/context_suite.h"
#include <math.h>

/* A few exponents at each end have no steps of their own. */
enum { MOST = POW_MOST_HALVES + 2 };

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

Test(power, compiled_is_eager_bit_for_bit)
{
    static const double bases[] = { 0,    -0.0, 1,     -1,     2,       -2,       3.3,
                                    -0.7, 1e-3, 1e5,   1e-30,  1.5e300, INFINITY, -INFINITY,
                                    NAN,  0.1,  7e-41, 5e-324, 65504,   1e-300 };
    weft_mode modes[] = { WEFT_MODE_STRICT, WEFT_MODE_DEFAULT };
    for (int m = 0; m < 2; m++) {
        ctx = weft_open(&(weft_options){ .mode = modes[m] });
        need_backend();
        weft_declare(ctx, powers, weft_unary);
        for (weft_dtype t = WEFT_F16; t <= WEFT_F64; t++) {
            weft_array *x = weft_astype(weft_from(ctx, bases, sizeof bases / sizeof *bases), t);
            cr_expect(same(powers(x), weft_jit(ctx, powers)(x)), "mode %d, dtype %d", m, t);
        }
        cr_expect_null(weft_error(ctx));
        weft_close(ctx);
    }
}

Test(power, an_array_of_the_exponent_is_the_same)
{
    float bases[] = { 0.0f, -0.0f, 2.7f, -3.1f, INFINITY, -INFINITY, 1e-40f, 3e38f };
    ctx = weft_open(NULL);
    weft_array *x = weft_from(ctx, bases, 8);
    for (int h = -MOST; h <= MOST; h++) {
        weft_array *y = weft_full(ctx, WEFT_F32, h / 2.0, 8);
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
