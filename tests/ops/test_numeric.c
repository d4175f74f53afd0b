/* test_numeric.c: weft/numeric.h against NumPy, SciPy and JAX (tests/data/numeric.txt, written by
 * make_numeric_data.py): op by op, and compiled. */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/support/ops_data.h"

#define ALL(x) weft_at(x, "...")

/* Grid number k of a3, b2, c4. */
static weft_array *grid(const char *indexing, int k)
{
    weft_array *in[3] = { IN(a3), IN(b2), IN(c4) }, *out[3];
    return weft_meshgrid(in, 3, indexing, out) == WEFT_OK ? out[k] : NULL;
}

static weft_array *small_grid(weft_array *a, weft_array *b, const char *indexing)
{
    weft_array *in[2] = { a, b }, *out[2];
    return weft_meshgrid(in, b ? 2 : 1, indexing, out) == WEFT_OK ? out[0] : NULL;
}

static weft_array *two_points(double a, double b) { return weft_linspace_(NULL, a, b, 2, NULL); }
static weft_array *doubles(double a, double b) { return weft_astype(two_points(a, b), WEFT_F64); }
#define list_of(...) doubles_of((const double[]){ __VA_ARGS__ }, sizeof(double[]){ __VA_ARGS__ } / 8)
static weft_array *doubles_of(const double *list, size_t n) { return weft_from(NULL, list, (int64_t)n); }
static weft_array *ids4(void) { return weft_from(NULL, ((const int32_t[]){ 4, 0, 8, 7 }), 2, 2); }
static weft_array *rows_with_numbers(void)
{
    return weft_concatenate(0, weft_at(IN(holes), ":2"), weft_at(IN(holes), "3:"));
}

/* clang-format off */
#define ALONG(R) \
    R(diff, 0, weft_diff(IN(x))) R(diff_0, 0, weft_diff(IN(x), 1, 0)) \
    R(diff_2, 0, weft_diff(IN(t), 2, 1)) \
    R(diff_all, 0, weft_diff(IN(x), 4, 1)) R(diff_more, 0, weft_diff(IN(x), 9, 0)) \
    R(diff_none, 0, weft_diff(IN(x), 0, 0)) R(diff_i32, 0, weft_diff(IN(i), 1, 0)) \
    R(diff_u8, 0, weft_diff(IN(u8), 1, 1)) R(diff_bool, 0, weft_diff(IN(m), 1, 1)) \
    R(diff_f16, 0, weft_diff(IN(h), 1, 1)) \
    R(gradient, 1e-15, weft_gradient(IN(x))) R(gradient_0, 1e-15, weft_gradient(IN(x), 0.25, 0)) \
    R(gradient_places, 4e-15, weft_gradient(IN(x), IN(places), 1)) \
    R(gradient_2, 1e-15, weft_gradient(weft_at(IN(x), ":, :2"), 0.5, 1)) \
    R(gradient_i32, 0, weft_gradient(IN(small), 1, 1)) R(gradient_mid, 1e-15, weft_gradient(IN(t), 2, -2)) \
    R(trapezoid, 1e-15, weft_trapezoid(IN(x))) R(trapezoid_dx, 1e-15, weft_trapezoid(IN(t), 0.25, 1)) \
    R(trapezoid_x, 1e-15, weft_trapezoid(IN(x), IN(places), 1)) \
    R(trapezoid_xs, 1e-15, weft_trapezoid(IN(x), IN(places2))) \
    R(trapezoid_one, 0, weft_trapezoid(IN(one), 1, 1)) R(trapezoid_i32, 0, weft_trapezoid(IN(small), 1, 0)) \
    R(trapezoid_none, 0, weft_trapezoid(IN(e0), 1, 0)) \
    R(trapezoid_none_x, 0, weft_trapezoid(weft_transpose(IN(e0)), weft_at(IN(places), ":0"))) \
    R(cumulative, 1e-15, weft_cumulative_trapezoid(IN(x))) \
    R(cumulative_x, 1e-15, weft_cumulative_trapezoid(IN(x), IN(places), 1)) \
    R(cumulative_0, 1e-15, weft_cumulative_trapezoid(IN(t), 0.5, 1)) \
    R(interp, 1e-15, weft_interp(IN(at), IN(xp), IN(fp))) \
    R(interp_number, 1e-15, weft_interp(1.25, IN(xp), IN(fp))) \
    R(interp_one, 0, \
      weft_interp(doubles(0, 5), weft_full(NULL, WEFT_F64, 1, 1), weft_full(NULL, WEFT_F64, 7, 1))) \
    R(interp_v, 1e-15, weft_interp(IN(v), doubles(-1, 1), doubles(2, 3))) \
    R(interp_jax, 1e-15, weft_interp(IN(x), IN(places), IN(c4))) \
    R(interp_left, 1e-15, weft_interp(IN(at), IN(xp), IN(fp), .left = -7)) \
    R(interp_right, 1e-15, weft_interp(IN(at), IN(xp), IN(fp), .right = NAN)) \
    R(interp_left_right, 1e-15, weft_interp(IN(at), IN(xp), IN(fp), .left = 0, .right = 9)) \
    R(interp_beyond, 2e-15, weft_interp(IN(at), IN(xp), IN(fp), .extrapolate = true)) \
    R(interp_period, 4e-15, \
      weft_interp(weft_at(IN(at), ":2"), IN(edges), weft_at(IN(fp), ":4"), .period = 1.75)) \
    R(interp_period_jax, 4e-15, weft_interp(IN(x), IN(places), IN(c4), .period = -0.75)) \
    R(interp_period_degrees, 1e-14, \
      weft_interp(list_of(-180, -10, 0, 355, 370, 725), list_of(190, -190, 350, -350), list_of(5, 10, 3, 4), \
                  .period = 360)) \
    R(interp_complex, 1e-15, \
      weft_interp(weft_mul(weft_at(IN(at), ":2"), 2), IN(xp), weft_complex(IN(fp), weft_flip(IN(fp))), \
                  .left = 3, .right = 1)) \
    R(interp_period_one, 1e-15, \
      weft_interp(doubles(0.25, 7), weft_full(NULL, WEFT_F64, 1, 1), weft_full(NULL, WEFT_F64, 7, 1), \
                  .period = 2)) \
    R(arange_as, 0, weft_arange_as(NULL, WEFT_F64, 0, 1, 0.1)) \
    R(arange_as_i8, 0, weft_arange_as(NULL, WEFT_I8, -100, 127, 2)) \
    R(arange_as_u8, 0, weft_arange_as(NULL, WEFT_U8, 250, 256, 3)) \
    R(arange_as_f16, 0, weft_arange_as(NULL, WEFT_F16, 0, 5, 1)) \
    R(arange_as_i64, 0, weft_arange_as(NULL, WEFT_I64, 7, -9, -4)) \
    R(one_hot_as, 0, weft_one_hot_as(WEFT_F64, weft_mod(IN(small), 4), 4)) \
    R(one_hot_as_bool, 0, weft_one_hot_as(WEFT_BOOL, weft_mod(IN(small), 4), 4)) \
    R(one_hot_as_i8, 0, weft_one_hot_as(WEFT_I8, ids4(), 9)) \
    R(unwrap, 1e-14, weft_unwrap(IN(angles))) R(unwrap_steps, 1e-14, (weft_unwrap)(IN(steps))) \
    R(unwrap_0, 1e-14, weft_unwrap(weft_mul(IN(angles), 2), 0)) R(unwrap_one, 0, weft_unwrap(IN(one), 1)) \
    R(digitize, 0, weft_digitize(weft_at(IN(at), ":2"), IN(edges))) \
    R(digitize_right, 0, weft_digitize(weft_at(IN(at), ":2"), IN(edges), .right = true)) \
    R(digitize_down, 0, weft_digitize(weft_at(IN(at), ":2"), weft_flip(IN(edges)))) \
    R(digitize_down_right, 0, weft_digitize(weft_at(IN(at), ":2"), weft_flip(IN(edges)), .right = true)) \
    R(digitize_i32, 0, weft_digitize(IN(small), weft_arange(NULL, 1, 4, 2))) \
    R(digitize_number, 0, weft_digitize(0.5, IN(edges))) \
    R(sinc, 2e-15, weft_sinc(IN(special))) R(sinc_32, 1e-6, (weft_sinc)(IN(x32))) \
    R(heaviside, 0, weft_heaviside(IN(signs), 0.5)) \
    R(heaviside_v, 0, weft_heaviside(IN(signs), weft_arange(NULL, 1, 7, 1))) \
    R(lerp, 1e-15, weft_lerp(IN(x), IN(y), IN(unit))) R(lerp_end, 0, weft_lerp(IN(x), IN(y), 1)) \
    R(lerp_beyond, 1e-15, weft_lerp(IN(x), IN(y), 1.5))

#define METHODS(R, m) \
    R(quantile_##m, 1e-15, weft_quantile(IN(x), 0.3, .axes = "1", .method = #m)) \
    R(quantile_##m##_q, 1e-15, weft_quantile(IN(x), IN(q), .axes = "1", .method = #m)) \
    R(nanquantile_##m, 1e-15, weft_nanquantile(IN(holes), 0.3, .axes = "1", .method = #m))

#define QUANTILES(R) \
    R(median, 1e-15, weft_median(IN(x))) R(median_0, 1e-15, weft_median(IN(x), .axes = "0")) \
    R(median_1, 1e-15, weft_median(IN(t), .axes = "0,2")) \
    R(median_keep, 1e-15, weft_median(IN(t), .axes = "1", .keep = true)) \
    R(median_nan, 0, weft_median(IN(holes), .axes = "1")) R(median_odd, 0, (weft_median)(IN(v))) \
    R(median_i32, 0, weft_median(IN(small), .axes = "1")) R(median_32, 0, weft_median(IN(x32), .axes = "1")) \
    R(median_f16, 0, weft_median(IN(h), .axes = "1")) R(median_infs, 0, weft_median(IN(infs), .axes = "1")) \
    R(median_row, 0, weft_median(IN(row), .axes = "1")) R(median_big, 0, weft_median(IN(big))) \
    R(quantile, 1e-15, weft_quantile(IN(x), 0.3)) \
    R(quantile_0, 1e-15, weft_quantile(IN(x), 0.9, .axes = "0")) \
    R(quantile_end, 0, weft_quantile(IN(x), 1, .axes = "1")) \
    R(quantile_start, 0, weft_quantile(IN(x), 0, .axes = "1")) \
    R(quantile_q, 1e-15, weft_quantile(IN(x), IN(q), .axes = "1")) \
    R(quantile_s, 1e-15, weft_quantile(IN(t), IN(qs), .axes = "0,2")) \
    R(quantile_keep, 1e-15, weft_quantile(IN(t), IN(q), .axes = "0,2", .keep = true)) \
    R(quantile_all, 1e-15, weft_quantile(IN(x), IN(q))) \
    R(quantile_row, 1e-15, weft_quantile(IN(row), IN(q), .axes = "1")) \
    R(quantile_bad, 0, weft_quantile(IN(v), IN(qbad))) \
    R(percentile, 1e-15, weft_percentile(IN(x), 37.5, .axes = "1")) \
    R(percentile_q, 2e-15, weft_percentile(IN(x), weft_mul(IN(q), 100), .axes = "0")) \
    R(percentile_int, 1e-15, weft_percentile(IN(v), 25)) \
    R(nanpercentile, 2e-15, weft_nanpercentile(IN(holes), 60, .axes = "1")) \
    R(nanmedian, 1e-15, weft_nanmedian(IN(holes), .axes = "1")) \
    R(nanmedian_all, 1e-15, (weft_nanmedian)(IN(holes))) \
    R(nanquantile, 1e-15, weft_nanquantile(IN(holes), 0.4, .axes = "0")) \
    R(nanquantile_q, 1e-15, weft_nanquantile(IN(holes), IN(q), .axes = "1")) \
    R(nanmedian_no, 1e-15, weft_nanmedian(IN(x), .axes = "0")) \
    R(average, 1e-15, (weft_average)(IN(x))) R(average_w, 1e-15, weft_average(IN(x), .weights = IN(w))) \
    R(average_1, 1e-15, weft_average(IN(x), .axes = "1", .weights = IN(w4))) \
    R(average_01, 1e-15, weft_average(IN(x), .axes = "0,1", .weights = IN(w))) \
    R(average_keep, 1e-15, weft_average(IN(x), .axes = "1", .keep = true, .weights = IN(w4))) \
    R(average_i32, 1e-6, weft_average(IN(small), .axes = "0", .weights = weft_add(IN(small), 1))) \
    R(ptp, 0, (weft_ptp)(IN(x))) R(ptp_1, 0, weft_ptp(IN(t), .axes = "1")) \
    R(ptp_i32, 0, weft_ptp(IN(small), .axes = "0")) \
    R(ptp_nan, 0, weft_ptp(IN(holes), .axes = "1")) R(ptp_u8, 0, weft_ptp(IN(u8), .axes = "1")) \
    METHODS(R, lower) METHODS(R, higher) METHODS(R, nearest) METHODS(R, midpoint) METHODS(R, linear)

#define NAN_FORM(R, f) \
    R(nan##f, 1e-14, (weft_nan##f)(IN(holes))) R(nan##f##_1, 1e-14, weft_nan##f(IN(holes), .axes = "1")) \
    R(nan##f##_0, 1e-14, weft_nan##f(IN(holes), .axes = "0", .keep = true)) \
    R(nan##f##_z, 1e-14, weft_nan##f(IN(zholes), .axes = "1"))
#define NANS(R) \
    NAN_FORM(R, sum) NAN_FORM(R, prod) NAN_FORM(R, max) NAN_FORM(R, min) NAN_FORM(R, mean) NAN_FORM(R, var) \
    NAN_FORM(R, std) \
    R(nanvar_ddof, 1e-14, weft_nanvar(IN(holes), .axes = "1", .ddof = 1)) \
    R(nanstd_ddof, 1e-14, weft_nanstd(IN(x), .axes = "0", .ddof = 2)) \
    R(nansum_i32, 0, weft_nansum(IN(small), .axes = "1")) \
    R(nanmean_where, 1e-14, weft_nanmean(IN(holes), .axes = "1", .where = IN(mask))) \
    R(nansum_where, 1e-14, weft_nansum(IN(holes), .axes = "1", .where = IN(mask))) \
    R(nanmax_f16, 0, weft_nanmax(IN(h), .axes = "1")) \
    R(nanargmax, 0, weft_nanargmax(rows_with_numbers(), .axes = "1")) \
    R(nanargmin, 0, weft_nanargmin(rows_with_numbers(), .axes = "1")) \
    R(nanargmax_all, 0, (weft_nanargmax)(IN(holes))) \
    R(nanargmax_none, 0, weft_nanargmax(weft_at(IN(holes), "2")))

#define PADDED(R, m) \
    R(pad_##m, 0, weft_pad_with(IN(x), #m, "1:2, 0:3")) \
    R(pad_##m##_far, 0, weft_pad_with(IN(a3), #m, "11:8")) \
    R(pad_##m##_one, 0, weft_pad_with(IN(one), #m, "0, 3:2")) \
    R(pad_##m##_all, 0, weft_pad_with(IN(small), #m, "2")) \
    R(pad_##m##_most, 0, weft_pad_with(IN(b2), #m, "150:101"))
#define RESIZED(R, m, tolerance) \
    R(resize_##m, tolerance, weft_resize(IN(img), #m, 8, 9, 2)) \
    R(resize_##m##_down, tolerance, weft_resize(IN(img), #m, 2, 4, 2)) \
    R(resize_##m##_32, 1e-5, weft_resize(IN(img32), #m, 9, 3))
#define SHAPES(R) \
    R(grid_0, 0, grid("ij", 0)) R(grid_1, 0, grid("ij", 1)) R(grid_2, 0, grid("ij", 2)) \
    R(grid_xy_0, 0, grid("xy", 0)) \
    R(grid_xy_1, 0, grid("xy", 1)) R(grid_xy_2, 0, grid("xy", 2)) \
    R(grid_one, 0, small_grid(IN(a3), NULL, "xy")) \
    R(grid_scalar, 0, small_grid(IN(s), IN(b2), "ij")) \
    PADDED(R, edge) PADDED(R, reflect) PADDED(R, symmetric) PADDED(R, wrap) \
    R(pad_none, 0, weft_pad_with(IN(x), "wrap", "0")) \
    R(pad_bool, 0, weft_pad_with(IN(m), "edge", "1")) \
    RESIZED(R, nearest, 0) RESIZED(R, linear, 1e-6) RESIZED(R, cubic, 2e-6) RESIZED(R, lanczos3, 2e-6) \
    RESIZED(R, lanczos5, 2e-6) \
    R(resize_same, 0, weft_resize(IN(img), "cubic", 5, 6, 2)) \
    R(resize_empty, 0, weft_resize(IN(img), "linear", 0, 6, 2)) \
    R(resize_i32, 1e-6, weft_resize(IN(small), "linear", 6, 2)) \
    R(resize_f16, 2e-3, weft_resize(IN(h), "linear", 6, 2)) \
    R(resize_nearest_i32, 0, weft_resize(IN(small), "nearest", 6, 3))

#define ROWS(R) ALONG(R) QUANTILES(R) NANS(R) SHAPES(R)
/* clang-format on */

OPS_SUITE_OF("tests/data/numeric.txt", numeric, ROWS)

Test(linspace, of_a_type)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_linspace_as(ctx, WEFT_F64, 0, 0.3, 4);
    cr_assert(x && weft_dtype_of(x) == WEFT_F64, "%s", weft_error(ctx));
    for (int i = 0; i < 4; i++) cr_expect_float_eq(weft_f64(x)[i], 0.1 * i, 1e-16);
    cr_expect_eq(weft_dtype_of(weft_linspace_as(ctx, WEFT_F16, 0, 1, 3)), WEFT_F16);
    weft_close(ctx);
}

/* It does not come in at the other end. */
Test(resize, keeps_nan_among_its_neighbours)
{
    static const char *const method[] = { "linear", "cubic", "lanczos3", "lanczos5" };
    weft_context *ctx = weft_open(NULL);
    double data[40] = { 0 };
    data[39] = NAN;
    for (int m = 0; m < 4; m++)
        for (int n = 20; n <= 80; n += 60) {
            weft_array *y = weft_resize(weft_from(ctx, data, 40), method[m], n);
            cr_assert(y, "%s", weft_error(ctx));
            for (int i = 0; i < n / 2; i++) cr_expect(weft_f64(y)[i] == 0, "%s, %d of %d", method[m], i, n);
            cr_expect(isnan(weft_f64(y)[n - 1]));
        }
    weft_close(ctx);
}

static double triangle(double x) { return x < 1 ? 1 - x : 0; }
static double keys(double x)
{
    return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

/* Sizes whose quotient is one of small numbers, and others; of 5 / 3 and 7 / 3 some taps lie at the very end
 * of the kernel. */
Test(resize, is_the_sum_over_all_elements)
{
    enum { MOST = 160, ROW = 64 }; /* long rows are made in another way */
    static const int sizes[][2] = { { 40, 24 }, { 24, 40 },  { 21, 9 },  { 9, 21 },  { 40, 60 }, { 60, 40 },
                                    { 40, 20 }, { 40, 160 }, { 30, 31 }, { 5, 2 },   { 2, 6 },   { 6, 1 },
                                    { 1, 4 },   { 35, 21 },  { 90, 30 }, { 150, 70 } };
    weft_context *ctx = weft_open(NULL);
    double x[MOST];
    for (int i = 0; i < MOST; i++) x[i] = cos(i * i + 1.0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int cubic = 0; cubic < 2; cubic++) {
            int n = sizes[s][0], to = sizes[s][1];
            double wide = n > to ? (double)n / to : 1;
            const char *method = cubic ? "cubic" : "linear";
            weft_array *line = weft_from(ctx, x, n), *y = weft_resize(line, method, to),
                       *band = weft_mul(weft_reshape(line, n, 1), weft_ones(ctx, WEFT_F64, 1, ROW)),
                       *z = weft_resize(band, method, to, ROW);
            cr_assert(y && z, "%s", weft_error(ctx));
            for (int o = 0; o < to; o++) {
                double sum = 0, all = 0;
                for (int i = 0; i < n; i++) {
                    double d = fabs((o + 0.5) * n / to - 0.5 - i) / wide, w = cubic ? keys(d) : triangle(d);
                    sum += w * x[i];
                    all += w;
                }
                cr_expect_float_eq(weft_f64(y)[o], sum / all, 1e-13, "%d to %d, %s: %d", n, to, method, o);
                for (int k = 0; k < ROW; k += 21)
                    cr_expect_float_eq(weft_f64(z)[o * ROW + k], sum / all, 1e-13, "%d to %d, %s: %d, %d", n,
                                       to, method, o, k);
            }
        }
    weft_close(ctx);
}

Test(resize, where_memory_is_refused)
{
    for (size_t limit = 64 << 10; limit <= 1600 << 10; limit += 16 << 10) {
        weft_context *ctx = weft_open(&(weft_options){ .memory_limit = limit });
        weft_array *x = weft_ones(ctx, WEFT_F32, 100, 100), *y = x ? weft_resize(x, "linear", 50, 150) : NULL;
        if (y) cr_expect_float_eq(weft_f32(y)[7499], 1, 1e-6, "%zu", limit);
        else cr_expect(weft_error(ctx), "%zu", limit);
        weft_close(ctx);
    }
}

Test(resize, of_as_many_axes_as_there_may_be)
{
    weft_context *ctx = weft_open(NULL);
    float x[64] = { 1 };
    int64_t from[32], to[32];
    for (int i = 0; i < 32; i++) from[i] = to[i] = 1;
    from[31] = 64, to[31] = 128;
    weft_array *y = weft_resize_(weft_from_shape(ctx, WEFT_F32, x, 32, from), "linear", 32, to, "here:1");
    cr_assert(y, "%s", weft_error(ctx));
    cr_expect_eq(weft_f32(y)[1], 0.75f);
    weft_close(ctx);
}

static weft_array *lower_part(weft_array *x) { return weft_quantile(x, 0.3); }

/* Of equal neighbours each has its part, as others have: sorted 2, 2, 5, 9 the place is 0.9. */
Test(quantile, gradient_at_ties)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, lower_part, weft_unary);
    const double data[] = { 5, 2, 9, 2 }, want[] = { 0, 0.1, 0, 0.9 };
    weft_array *x = weft_from(ctx, data, 4), *inf = weft_mul(weft_ones(ctx, WEFT_F64, 3), INFINITY);
    weft_array *g = weft_grad(ctx, weft_unary, lower_part, "x")(x);
    cr_assert(g, "%s", weft_error(ctx));
    for (int i = 0; i < 4; i++) cr_expect_float_eq(weft_f64(g)[i], want[i], 1e-15);
    cr_expect_eq(weft_f64(lower_part(x))[0], 2);
    cr_expect(isinf(weft_f64(lower_part(inf))[0]));
    weft_close(ctx);
}

/* weft's own functions need no declaration, whatever header they are in. */
Test(builtins, of_all_headers)
{
    weft_unary *const one[] = { weft_rfft, weft_median, weft_cov, weft_expm, weft_gamma, weft_nansum };
    weft_context *ctx = weft_open(NULL);
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        cr_expect(weft_vmap(ctx, one[i], "0") != one[i], "%zu: %s", i, weft_error(ctx));
    cr_expect(weft_vmap(ctx, weft_kron, "0, none") != weft_kron, "%s", weft_error(ctx));
    weft_close(ctx);
}

/* Left to right it would make 16 MB. */
Test(einsum, cheapest_pair_first)
{
    weft_context *ctx = weft_open(&(weft_options){ .memory_limit = 2 << 20 });
    weft_array *x = weft_ones(ctx, WEFT_F32, 2000, 2), *y = weft_ones(ctx, WEFT_F32, 2, 2000);
    weft_array *r = weft_einsum("ij,jk,kl->il", x, y, x);
    cr_assert(r, "%s", weft_error(ctx));
    for (int i = 0; i < 4000; i += 371) cr_expect_eq(weft_f32(r)[i], 4000);
    weft_close(ctx);
}
