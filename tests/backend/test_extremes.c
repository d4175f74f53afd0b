/* test_extremes.c: maxima and minima of zeros, infinities and NaN, of two, of many, with a constant, along
 * rows and columns: compiled they are eager's bit for bit, but for which NaN, on every target that runs here.
 */
#include "weft.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/graphs/graphs.h"

static weft_array *max_0(weft_array *x) { return weft_maximum(x, 0.0); }
static weft_array *max_minus(weft_array *x) { return weft_maximum(x, -0.0); }
static weft_array *max_1(weft_array *x) { return weft_maximum(x, 1.0); }
static weft_array *min_0(weft_array *x) { return weft_minimum(x, 0.0); }
static weft_array *min_minus(weft_array *x) { return weft_minimum(x, -0.0); }
static weft_array *between(weft_array *x) { return weft_clip(x, -0.0, 1.0); }
static weft_array *max_2(weft_array *x) { return weft_maximum(x, weft_flip(x, "0")); }
static weft_array *min_2(weft_array *x) { return weft_minimum(x, weft_flip(x, "0")); }
static weft_array *greatest(weft_array *x) { return weft_max(x, .axes = "-1"); }
static weft_array *least(weft_array *x) { return weft_min(x, .axes = "-1"); }
static weft_array *greatest_in_column(weft_array *x) { return weft_max(x, .axes = "0"); }
static weft_array *least_in_column(weft_array *x) { return weft_min(x, .axes = "0"); }
static weft_array *argmax(weft_array *x) { return weft_argmax(x, .axes = "-1"); }
static weft_array *argmin(weft_array *x) { return weft_argmin(x, .axes = "-1"); }
static weft_array *argmax_in_column(weft_array *x) { return weft_argmax(x, .axes = "0"); }
static weft_array *argmin_of_all(weft_array *x) { return weft_argmin(x); }
static weft_array *max_so_far(weft_array *x) { return weft_cummax(x, -1); }
static weft_array *max_of_3(weft_array *x) { return weft_reduce_window(x, WEFT_MAX, "3", .pad = "1"); }
static weft_array *min_of_9(weft_array *x) { return weft_reduce_window(x, WEFT_MIN, "3, 3", .pad = "1, 1"); }

static weft_array *row(weft_array *x, int i) { return weft_at(x, "%d", i); }

/* (0, 1), 2 and a constant: the constant is one of many */
static weft_array *max_of_rows(weft_array *x)
{
    return weft_maximum(weft_maximum(weft_maximum(row(x, 0), row(x, 1)), -0.0), row(x, 2));
}
/* one of them has another reader */
static weft_array *min_of_rows(weft_array *x)
{
    weft_array *two = weft_minimum(row(x, 0), row(x, 1)), *others = weft_minimum(row(x, 2), row(x, 3));
    return weft_minimum(weft_minimum(two, others), weft_maximum(two, row(x, 4)));
}

enum { ROWS = 6, LONGEST = 100, REPEATS = 20 };

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
    static const int lengths[] = { 1, 3, 5, 10, 16, 17, 33, LONGEST };
    unsigned seed = 1;
    weft_declare(ctx, f, weft_unary);
    weft_unary *fast = weft_jit(ctx, f);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            weft_scope *s = weft_scope_open(ctx);
            weft_array *x = random_rows(ctx, t, lengths[k], repeat, &seed);
            cr_expect(same(f(x), fast(x)), "%s of %d, type %d, %s", name, lengths[k], t,
                      getenv("WEFT_TARGET"));
            weft_scope_close(s);
        }
}

#define NAMED(F) { F, #F }
static const struct {
    weft_unary *f;
    const char *name;
} functions[] = { NAMED(max_0),
                  NAMED(max_minus),
                  NAMED(max_1),
                  NAMED(min_0),
                  NAMED(min_minus),
                  NAMED(between),
                  NAMED(max_2),
                  NAMED(min_2),
                  NAMED(greatest),
                  NAMED(least),
                  NAMED(greatest_in_column),
                  NAMED(least_in_column),
                  NAMED(argmax),
                  NAMED(argmin),
                  NAMED(argmax_in_column),
                  NAMED(argmin_of_all),
                  NAMED(max_so_far),
                  NAMED(max_of_3),
                  NAMED(min_of_9),
                  NAMED(max_of_rows),
                  NAMED(min_of_rows) };

static void check_all(weft_dtype t)
{
    for (int k = 0; k < TARGETS; k++) {
        if (!target_runs_here(target_names[k])) continue;
        setenv("WEFT_TARGET", target_names[k], 1);
        weft_context *ctx = weft_open(NULL);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            check(ctx, functions[i].f, functions[i].name, t);
        cr_assert(!weft_error(ctx), "%s: %s", target_names[k], weft_error(ctx));
        weft_close(ctx);
    }
}

Test(extremes, of_f32) { check_all(WEFT_F32); }
Test(extremes, of_f64) { check_all(WEFT_F64); }
Test(extremes, of_f16) { check_all(WEFT_F16); }
Test(extremes, of_bf16) { check_all(WEFT_BF16); }
