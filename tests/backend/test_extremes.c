/* test_extremes.c: maxima and minima of zeros, infinities and NaN, with a constant and along rows: compiled
 * they are eager's bit for bit, but for which NaN. */
#include "weft.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static weft_array *max_0(weft_array *x) { return weft_maximum(x, 0.0); }
static weft_array *max_minus(weft_array *x) { return weft_maximum(x, -0.0); }
static weft_array *max_1(weft_array *x) { return weft_maximum(x, 1.0); }
static weft_array *min_0(weft_array *x) { return weft_minimum(x, 0.0); }
static weft_array *min_minus(weft_array *x) { return weft_minimum(x, -0.0); }
static weft_array *greatest(weft_array *x) { return weft_max(x, .axes = "-1"); }
static weft_array *least(weft_array *x) { return weft_min(x, .axes = "-1"); }

enum { ROWS = 4, LONGEST = 100, REPEATS = 40 };

static bool same(weft_array *a, weft_array *b)
{
    weft_array *x = weft_astype(a, WEFT_F64), *y = weft_astype(b, WEFT_F64);
    const double *u = weft_data(x), *v = weft_data(y);
    for (int64_t i = 0; i < weft_count(x); i++)
        if (!(isnan(u[i]) && isnan(v[i])) && memcmp(&u[i], &v[i], sizeof *u)) return false;
    return true;
}

/* Mostly zeros of both signs; NaN in a third of the arrays. */
static weft_array *random_rows(weft_context *ctx, weft_dtype t, int n, int repeat, unsigned *seed)
{
    static const float values[] = { -0.f, 0.f, -1, 1, INFINITY, -INFINITY, NAN };
    float x[ROWS * LONGEST];
    for (int i = 0; i < ROWS * n; i++) {
        *seed = *seed * 1103515245 + 12345;
        x[i] = values[(*seed >> 16) % (repeat % 3 == 0 ? 2 : repeat % 3 == 1 ? 6 : 7)];
    }
    return weft_astype(weft_from(ctx, x, ROWS, n), t);
}

static void check(weft_context *ctx, weft_unary *f, const char *name, weft_dtype t)
{
    static const int lengths[] = { 1, 2, 3, 5, 8, 10, 15, 16, 17, 31, 33, 64, LONGEST };
    unsigned seed = 1;
    weft_declare(ctx, f, weft_unary);
    weft_unary *fast = weft_jit(ctx, f);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            weft_scope *s = weft_scope_open(ctx);
            weft_array *x = random_rows(ctx, t, lengths[k], repeat, &seed);
            cr_expect(same(f(x), fast(x)), "%s of %d, type %d", name, lengths[k], t);
            weft_scope_close(s);
        }
}

Test(extremes, zeros_infinities_and_nan)
{
    weft_context *ctx = weft_open(NULL);
    static const struct {
        weft_unary *f;
        const char *name;
    } functions[] = { { max_0, "max_0" }, { max_minus, "max_minus" }, { max_1, "max_1" },
                      { min_0, "min_0" }, { min_minus, "min_minus" }, { greatest, "greatest" },
                      { least, "least" } };
    static const weft_dtype types[] = { WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16 };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            check(ctx, functions[i].f, functions[i].name, types[t]);
    cr_assert(!weft_error(ctx), "%s", weft_error(ctx));
    weft_close(ctx);
}
