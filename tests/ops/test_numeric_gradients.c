/* test_numeric_gradients.c: weft/numeric.h: derivatives against differences, vmap against a loop over
 * rows, and compiled code against both. */
#include <criterion/criterion.h>
#include <math.h>
#include "runtime/exec/compile.h"
#include "weft.h"

enum { ROWS = 3, N = 6 };
/* No ties, and nothing within a difference of a place where a derivative jumps. */
static const double rows[ROWS][N] = { { 0.31, -1.22, 2.57, 0.84, -0.43, 1.91 },
                                      { 1.13, 0.27, -0.68, 3.05, 2.36, -1.74 },
                                      { -2.41, 1.62, 0.93, -0.16, 0.52, 2.18 } };

static weft_array *ramp(double from, double to, int64_t n)
{
    return weft_astype(weft_linspace(NULL, from, to, n), WEFT_F64);
}
static weft_array *squares(weft_array *x) { return weft_add(weft_square(x), 0.1); }
static weft_array *matrix(weft_array *x) { return weft_reshape(x, 2, 3); }
static weft_array *uneven(void) { return weft_square(ramp(1, 2, N)); }
static weft_array *with_hole(weft_array *x) { return weft_set(x, "2", NAN); }

#define EACH(F) \
    F(diff, weft_diff(x, 2, 0)) \
    F(gradient, weft_gradient(squares(x), 0.5, 0)) \
    F(gradient_places, weft_gradient(x, uneven(), 0)) \
    F(gradient_by_places, weft_gradient(squares(ramp(1, 2, N)), weft_cumsum(squares(x), 0), 0)) \
    F(trapezoid, weft_trapezoid(squares(x), weft_cumsum(squares(x), 0), 0)) \
    F(cumulative, weft_cumulative_trapezoid(squares(x), uneven(), 0)) \
    F(interp, weft_interp(x, ramp(-3, 4, 5), squares(ramp(1, 2, 5)))) \
    F(interp_beyond, weft_interp(x, ramp(-1, 1, 5), squares(ramp(1, 2, 5)), .extrapolate = true)) \
    F(interp_left, weft_interp(squares(x), ramp(0.3, 1, 5), squares(ramp(1, 2, 5)), .left = 2)) \
    F(interp_period, weft_interp(x, ramp(-3, 4, 5), squares(ramp(1, 2, 5)), .period = 2.3)) \
    F(interp_period_values, weft_interp(ramp(-0.9, 6.1, 4), ramp(-1, 6, N), x, .period = 2.3)) \
    F(interp_values, weft_interp(ramp(-0.9, 6.1, 4), ramp(-1, 6, N), x)) \
    F(unwrap, weft_unwrap(weft_mul(x, 3), 0)) \
    F(sinc, weft_sinc(weft_mul(x, 0.1))) \
    F(heaviside, weft_mul(x, weft_heaviside(x, 0.5))) \
    F(lerp, weft_lerp(x, squares(x), weft_mul(x, 0.3))) \
    F(median, weft_median(x)) \
    F(median_rows, weft_median(matrix(x), .axes = "1", .keep = true)) \
    F(quantile, weft_quantile(x, 0.35)) \
    F(quantiles, weft_quantile(matrix(x), ramp(0.1, 0.9, 4), .axes = "1")) \
    F(quantile_of_q, weft_quantile(ramp(1, 9, N), weft_sigmoid(weft_mul(x, 0.37)))) \
    F(nanmedian, weft_nanmedian(with_hole(x))) \
    F(nanmean, weft_nanmean(with_hole(x))) \
    F(nanvar, weft_nanvar(with_hole(x), .ddof = 1)) \
    F(nanmax, weft_nanmax(with_hole(x))) \
    F(average, weft_average(x, .weights = squares(x))) \
    F(ptp, weft_ptp(x)) \
    F(pad_edge, weft_square(weft_pad_with(x, "edge", "2:1"))) \
    F(pad_reflect, weft_square(weft_pad_with(x, "reflect", "7:9"))) \
    F(pad_symmetric, weft_square(weft_pad_with(matrix(x), "symmetric", "1:2"))) \
    F(pad_wrap, weft_square(weft_pad_with(matrix(x), "wrap", "1:0, 4:2"))) \
    F(pad_far, weft_square(weft_pad_with(x, "wrap", "300:200"))) \
    F(resize_nearest, weft_square(weft_resize(matrix(x), "nearest", 3, 2))) \
    F(resize_linear, weft_square(weft_resize(matrix(x), "linear", 4, 2))) \
    F(resize_cubic, weft_square(weft_resize(matrix(x), "cubic", 4, 5))) \
    F(resize_lanczos, weft_square(weft_resize(x, "lanczos3", 9))) \
    F(resize_far, weft_square(weft_resize(matrix(x), "cubic", 600, 2))) \
    F(resize_there_and_back, weft_square(weft_resize(weft_resize(x, "linear", 700), "lanczos5", 5)))

#define FUNCTION(name, ...) \
    static weft_array *name(weft_array *x) { return __VA_ARGS__; }
EACH(FUNCTION)

/* A number of it, in which each element counts otherwise. */
#define NUMBER(name, ...) \
    static weft_array *number_##name(weft_array *x) \
    { \
        weft_array *y = weft_ravel(name(x)); \
        return weft_sum(weft_mul(y, weft_sin(ramp(1, 4, weft_count(y))))); \
    }
EACH(NUMBER)

static const struct {
    const char *name;
    weft_unary *f, *number;
} each[] = {
#define ENTRY(name, ...) { #name, name, number_##name },
    EACH(ENTRY)
};
enum { FUNCTIONS = sizeof each / sizeof *each };

static double number_at(weft_unary *f, weft_context *ctx, const double *x, int k, double by)
{
    double moved[N];
    for (int i = 0; i < N; i++) moved[i] = x[i] + (i == k ? by : 0);
    weft_scope *s = weft_scope_open(ctx);
    double v = weft_item(f(weft_from(ctx, moved, N)));
    weft_scope_close(s);
    return v;
}

static double difference(weft_unary *f, weft_context *ctx, const double *x, int k)
{
    double h = 1e-4, d[2];
    for (int i = 0; i < 2; i++, h /= 2)
        d[i] = (number_at(f, ctx, x, k, h) - number_at(f, ctx, x, k, -h)) / (2 * h);
    return (4 * d[1] - d[0]) / 3;
}

Test(numeric_gradients, agree_with_differences)
{
    weft_context *ctx = weft_open(NULL);
    for (int f = 0; f < FUNCTIONS; f++) {
        weft_declare(ctx, each[f].number, weft_unary);
        weft_unary *grad = weft_grad(ctx, weft_unary, each[f].number, "x");
        for (int r = 0; r < ROWS; r++) {
            weft_scope *s = weft_scope_open(ctx);
            weft_array *g = grad(weft_from(ctx, rows[r], N));
            for (int k = 0; g && k < N; k++) {
                double got = weft_f64(g)[k], want = difference(each[f].number, ctx, rows[r], k);
                cr_expect(fabs(got - want) <= 1e-8 * fmax(1, fabs(want)),
                          "%s, row %d by %d: %.12g, by differences %.12g", each[f].name, r, k, got, want);
            }
            cr_expect(g, "%s: %s", each[f].name, weft_error(ctx));
            weft_clear(ctx);
            weft_scope_close(s);
        }
    }
    weft_close(ctx);
}

static void expect_row(weft_array *all, weft_array *one, int r, const char *name)
{
    weft_array *row = weft_at(all, "%d", r);
    bool same = row && one && weft_count(row) == weft_count(one);
    for (int64_t i = 0; same && i < weft_count(one); i++) {
        double a = weft_f64(row)[i], b = weft_f64(one)[i];
        same = a == b || (isnan(a) && isnan(b));
    }
    cr_expect(same, "%s, row %d", name, r);
}

/* Strict mode: the same bits. */
Test(numeric_gradients, mapped_and_compiled_as_row_by_row)
{
    Failure failure = { .code = WEFT_OK };
    if (!backend_get(&failure)) cr_skip_test("%s", failure.text);
    weft_context *ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    weft_array *x = weft_from(ctx, &rows[0][0], ROWS, N);
    for (int f = 0; f < FUNCTIONS; f++) {
        weft_declare(ctx, each[f].f, weft_unary);
        weft_declare(ctx, each[f].number, weft_unary);
        weft_unary *of[2] = { each[f].f, weft_grad(ctx, weft_unary, each[f].number, "x") };
        weft_array *all[2] = { weft_jit(ctx, weft_vmap(ctx, of[0], "0"))(x),
                               weft_jit(ctx, weft_vmap(ctx, of[1], "0"))(x) };
        for (int r = 0; all[0] && all[1] && r < ROWS; r++) {
            weft_array *row = weft_from(ctx, rows[r], N);
            expect_row(all[0], of[0](row), r, each[f].name);
            weft_array *slope = weft_at(all[1], "%d", r), *one = of[1](row);
            cr_expect(slope && one && weft_item(weft_max(weft_abs(weft_sub(slope, one)))) <= 1e-12,
                      "%s', row %d", each[f].name, r);
        }
        cr_expect(all[0] && all[1], "%s: %s", each[f].name, weft_error(ctx));
        weft_clear(ctx);
    }
    weft_close(ctx);
}

/* ---- tables of a derivative, which those of a trace within another must outlive ---- */

enum { LONG = 1999 };
static weft_array *grown(weft_array *x, weft_array *c)
{
    return weft_sum(weft_mul(weft_resize(x, "linear", LONG), c));
}

Test(numeric_gradients, tables_outlive_their_trace)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, grown, weft_binary);
    weft_binary *g = weft_grad(ctx, weft_binary, grown, "x");
    weft_array *x = weft_ones(ctx, WEFT_F32, 1, 2), *c = weft_ones(ctx, WEFT_F32, 1, LONG);
    weft_binary *by[] = { weft_vmap(ctx, g, "0, 0"), weft_jit(ctx, weft_vmap(ctx, g, "0, 0")),
                          weft_vmap(ctx, weft_jit(ctx, g), "0, 0"), weft_jit(ctx, weft_map(ctx, g, "0, 0")) };
    for (int k = 0; k < 4; k++) {
        weft_array *d = by[k](x, c);
        cr_assert(d, "%s", weft_error(ctx));
        for (int i = 0; i < 2; i++)
            cr_expect_float_eq(weft_f32(d)[i], LONG / 2.0, 1e-2, "%d: %g", k, weft_f32(d)[i]);
    }
    weft_close(ctx);
}
