/* test_foreign.c: C functions from elsewhere as ops: what they are called with, in batches, with rules. */
#include <math.h>
#include <stdlib.h>
#include "tests/support/context_suite.h"

WEFT_SIGNATURE(two_grads, weft_array *, (weft_array * x, weft_array *y, WEFT_OUT weft_array **dy));

static weft_array *no_b(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_neg(x);
}

static int runs; /* of the functions that count them */

static void smooth(const float *x, int64_t n, float width, float *out)
{
    runs++;
    for (int64_t i = 0; i < n; i++) out[i] = x[i] * width + (i ? x[i - 1] : 0);
}
WEFT_SIGNATURE(smooth_c, void, (const float *x, int64_t n, float width, float *out));

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}
static float median(float *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, compare_floats);
    return x[n / 2];
}
WEFT_SIGNATURE(median_c, float, (float *x, int n));
WEFT_SIGNATURE(median_fn, weft_array *, (weft_array * x, WEFT_OUT weft_array **sorted));

/* y = alpha a x + beta y, as BLAS says it. */
static void gemv(char trans, int m, int n, double alpha, const double *a, int lda, const double *x, int incx,
                 double beta, double *y, int incy)
{
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += (trans == 'T' ? a[i * lda + j] : a[j * lda + i]) * x[j * incx];
        y[i * incy] = alpha * sum + beta * y[i * incy];
    }
}
WEFT_SIGNATURE(gemv_c, void,
               (char trans, int m, int n, double alpha, const double *a, int lda, const double *x, int incx,
                double beta, double *y, int incy));
WEFT_SIGNATURE(gemv_fn, weft_array *,
               (double alpha, weft_array *a, weft_array *x, double beta, weft_array *y));

/* As Fortran passes things. */
static void outer_(const int *n, const float *x, void *user, float *y)
{
    for (int i = 0; i < *n; i++)
        for (int j = 0; j < *n; j++) y[i * *n + j] = x[i] * x[j] * *(const float *)user;
}
WEFT_SIGNATURE(outer_c, void, (const int *n, const float *x, void *user, float *y));

static bool any_above(const int16_t *x, size_t rows, size_t columns, int16_t limit, uint8_t *count,
                      int64_t *where)
{
    *count = 0;
    *where = -1;
    for (size_t i = 0; i < rows * columns; i++) {
        if (x[i] <= limit) continue;
        if (*where < 0) *where = (int64_t)i;
        ++*count;
    }
    return *count > 0;
}
WEFT_SIGNATURE(any_above_c, bool,
               (const int16_t *x, size_t rows, size_t columns, int16_t limit, uint8_t *count,
                int64_t *where));
WEFT_SIGNATURE(any_above_fn, weft_array *,
               (weft_array * x, int limit, WEFT_OUT weft_array **count, WEFT_OUT weft_array **where));

static void twins(const float *x, int n, float *y)
{
    for (int i = 0; i < n - 1; i++) y[2 * i] = x[i], y[2 * i + 1] = x[i + 1];
}
WEFT_SIGNATURE(twins_c, void, (const float *x, int n, float *y));
static double cbrt_of(double x)
{
    runs++;
    return cbrt(x);
}
WEFT_SIGNATURE(cbrt_c, double, (double x));

TestSuite(foreign, .init = open_context, .fini = close_context_without_error);

Test(foreign, c_functions_run_everywhere)
{
    weft_binary *op =
        weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]", .batch = WEFT_BATCH_LOOP);
    weft_array *x = ARRAY(1, 2, 3), *ten = weft_scalar(ctx, 10),
               *xx = weft_reshape(ARRAY(1, 2, 3, 6, 5, 4), 2, 3);
    BOTH
    {
        EXPECT(MAYBE_JIT(op)(x, ten), 10, 21, 32);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, op, "0, none"))(xx, ten), 10, 21, 32, 60, 56, 45);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, op, "1, none -> 1"))(weft_transpose(xx), ten), 10, 60, 21, 56, 32,
               45);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, op, "none, 0"))(x, ARRAY(10, 1)), 10, 21, 32, 1, 3, 5);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_vmap(ctx, op, "none, 0"), "0, none"))(xx, ARRAY(10, 1)), 10, 21,
               32, 1, 3, 5, 60, 56, 45, 6, 11, 9);
        EXPECT(MAYBE_JIT(op)(weft_zeros(ctx, WEFT_F32, 1), ten), 0);
        cr_expect_eq(weft_count(MAYBE_JIT(op)(weft_zeros(ctx, WEFT_F32, 0), ten)), 0);
    }
}

static weft_binary *op;
static weft_array *around(weft_array *x)
{
    return weft_sum(weft_mul(op(weft_add(x, 1), weft_scalar(NULL, 2)), 10));
}
static weft_array *step_op(weft_array *h, weft_array *x) { return op(h, x); }
static weft_array *yes_op(weft_array *p, weft_array *x)
{
    (void)p;
    return op(x, weft_scalar(NULL, 2));
}
static weft_array *scan_op(weft_array *h, weft_array *x)
{
    return weft_scan(NULL, step_op, "carry, 0")(h, x);
}

Test(foreign, c_functions_among_other_code)
{
    op = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]", .batch = WEFT_BATCH_LOOP);
    weft_declare(ctx, around, weft_unary);
    weft_declare(ctx, step_op, weft_binary);
    weft_declare(ctx, scan_op, weft_binary);
    weft_declare(ctx, yes_op, weft_binary);
    weft_declare(ctx, no_b, weft_binary);
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(around)(x), 120);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, around, "0"))(weft_reshape(ARRAY(1, 2, 3, 4), 2, 2)), 120, 220);
        EXPECT(MAYBE_JIT(scan_op)(x, ARRAY(1, 2, 3)), 6, 23);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, scan_op, "0, none"))(weft_reshape(ARRAY(1, 2, 1, 0), 2, 2),
                                                             ARRAY(1, 2, 3)),
               6, 23, 6, 11);
        EXPECT(MAYBE_JIT(weft_cond(ctx, yes_op, no_b))(weft_scalar(ctx, 1), x), 2, 5);
        EXPECT(MAYBE_JIT(weft_cond(ctx, yes_op, no_b))(weft_scalar(ctx, 0), x), -1, -2);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_cond(ctx, yes_op, no_b), "0, none"))(ARRAY(1, 0), x), 2, 5, -1,
               -2);
    }
}

Test(foreign, c_functions_of_all_kinds)
{
    static float three = 3;
    weft_array *x = ARRAY(3, 1, 2), *sorted, *count, *where;
    median_fn *med =
        weft_foreign(ctx, median_fn, median, median_c, "x[n] -> return, x[n]", .batch = WEFT_BATCH_LOOP);
    gemv_fn *product =
        weft_foreign(ctx, gemv_fn, gemv, gemv_c,
                     "alpha, a[m, n], x[n], beta, y[m], trans = 'T', lda = n, incx = 1, incy = 1 -> y[m]");
    weft_unary *outer = weft_foreign(ctx, weft_unary, outer_, outer_c, "x[n] -> y[n, n]", .user = &three);
    any_above_fn *above = weft_foreign(ctx, any_above_fn, any_above, any_above_c,
                                       "x[rows, columns], limit -> return, count, where");
    weft_unary *pairs = weft_foreign(ctx, weft_unary, twins, twins_c, "x[n] -> y[(n - 1) * 2]");
    weft_unary *root =
        weft_foreign(ctx, weft_unary, cbrt_of, cbrt_c, "x -> return", .batch = WEFT_BATCH_LOOP);
    weft_array *a = weft_from(ctx, ((double[]){ 1, 2, 3, 4, 5, 6 }), 2, 3),
               *z = weft_from(ctx, ((double[]){ 1, 10, 100 }), 3),
               *y = weft_from(ctx, ((double[]){ 1, 2 }), 2);
    weft_array *short16 = weft_from(ctx, ((int16_t[]){ 1, -5, 7, 9, 3, 8 }), 2, 3),
               *cubes = weft_from(ctx, ((double[]){ 8, -27 }), 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(med)(x, &sorted), 2);
        EXPECT(sorted, 1, 2, 3);
        EXPECT(x, 3, 1, 2); /* the argument is as it was */
        EXPECT(MAYBE_JIT(weft_vmap(ctx, med, "0"))(weft_reshape(ARRAY(3, 1, 2, 9, 8, 7), 2, 3), &sorted), 2,
               8);
        EXPECT(sorted, 1, 2, 3, 7, 8, 9);
        EXPECT(MAYBE_JIT(product)(2, a, z, 10, y), 652, 1328);
        EXPECT(MAYBE_JIT(product)(1, a, z, 0, y), 321, 654);
        EXPECT(MAYBE_JIT(outer)(x), 27, 9, 18, 9, 3, 6, 18, 6, 12);
        weft_array *any = MAYBE_JIT(above)(short16, 6, &count, &where);
        cr_expect_eq(weft_dtype_of(any), WEFT_BOOL);
        cr_expect_eq(weft_dtype_of(count), WEFT_U8);
        cr_expect_eq(weft_dtype_of(where), WEFT_I64);
        EXPECT(any, 1);
        EXPECT(count, 3);
        EXPECT(where, 2);
        EXPECT(MAYBE_JIT(above)(short16, 60, &count, &where), 0);
        EXPECT(where, -1);
        EXPECT(MAYBE_JIT(pairs)(x), 3, 1, 1, 2);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, root, "0"))(cubes), 2, -3);
    }
}

static weft_unary *one_root;
static weft_array *two_calls(weft_array *x) { return weft_add(one_root(x), one_root(x)); }
static weft_array *no_use(weft_array *x)
{
    one_root(x);
    return weft_mul(x, 2);
}

/* Equal calls of a pure function become one, and a call whose results nobody uses is dropped. */
Test(foreign, pure_calls_may_become_one)
{
    weft_array *x = weft_scalar_as(ctx, WEFT_F64, 8);
    for (int impure = 0; impure < 2; impure++) {
        one_root = weft_foreign(ctx, weft_unary, cbrt_of, cbrt_c, "x -> return", .impure = impure);
        weft_declare(ctx, two_calls, weft_unary);
        weft_declare(ctx, no_use, weft_unary);
        weft_unary *twice = weft_jit(ctx, two_calls), *never = weft_jit(ctx, no_use);
        runs = 0;
        EXPECT(twice(x), 4);
        cr_expect_eq(runs, impure ? 2 : 1, "%d runs", runs);
        EXPECT(twice(x), 4);
        cr_expect_eq(runs, impure ? 4 : 2, "%d runs", runs);
        runs = 0;
        EXPECT(never(x), 16);
        if (!impure) cr_expect_eq(runs, 0);
        weft_forget(ctx, two_calls);
        weft_forget(ctx, no_use);
    }
}

/* smooth is linear in x: its transpose, by ops. */
static weft_binary *smooth_op;
WEFT_SIGNATURE(smooth_forward_fn, weft_array *,
               (weft_array * x, weft_array *width, WEFT_OUT weft_array **kept,
                WEFT_OUT weft_array **kept_width));
WEFT_SIGNATURE(smooth_backward_fn, weft_array *,
               (weft_array * x, weft_array *width, weft_array *dy, WEFT_OUT weft_array **dwidth));
static weft_array *smooth_forward(weft_array *x, weft_array *width, weft_array **kept,
                                  weft_array **kept_width)
{
    *kept = x, *kept_width = width;
    return smooth_op(x, width);
}
static weft_array *smooth_backward(weft_array *x, weft_array *width, weft_array *dy, weft_array **dwidth)
{
    *dwidth = weft_sum(weft_mul(x, dy));
    return weft_add(weft_mul(dy, width), weft_pad(dy, 0, "-1:1"));
}
static weft_array *smooth_batch(weft_array *x, weft_array *width)
{
    return weft_add(weft_add(weft_mul(x, weft_expand_dims(width, 1)), weft_pad(x, 0, "0:0, 1:-1")), 100);
}
static weft_binary *smooth_ruled;
static weft_array *smooth_loss(weft_array *x, weft_array *width)
{
    return weft_sum(weft_square(smooth_ruled(x, width)));
}

static weft_array *smooth_slope(weft_array *x, weft_array *width)
{
    return weft_sum(weft_grad(NULL, weft_binary, smooth_loss, "x")(x, width));
}

Test(foreign, c_functions_with_rules)
{
    weft_declare(ctx, smooth_forward, smooth_forward_fn);
    weft_declare(ctx, smooth_backward, smooth_backward_fn);
    weft_declare(ctx, smooth_batch, weft_binary);
    weft_declare(ctx, smooth_loss, weft_binary);
    weft_declare(ctx, smooth_slope, weft_binary);
    weft_binary *bare = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]");
    smooth_op = weft_custom_vmap(ctx, bare, smooth_batch);
    smooth_ruled = weft_custom_vjp(ctx, smooth_op, smooth_forward, smooth_backward);
    weft_array *x = ARRAY(1, 2, 3), *width = weft_scalar(ctx, 10), *dw;
    two_grads *grads = weft_grad(ctx, two_grads, smooth_loss, "x, y");
    weft_array *xx = weft_reshape(ARRAY(1, 2, 3, 6, 5, 4), 2, 3);
    BOTH
    {
        /* y = 10, 21, 32: dx = 2 (10 y_i + y_i+1), dwidth = 2 sum x y */
        EXPECT(MAYBE_JIT(grads)(x, width, &dw), 242, 484, 640);
        EXPECT(dw, 2 * (10 + 42 + 96));
        EXPECT(MAYBE_JIT(weft_vmap(ctx, smooth_ruled, "0, none"))(xx, width), 110, 121, 132, 160, 156, 145);
    }
    /* the rule calls it again, so that orders go on */
    smooth_op = smooth_ruled = weft_custom_vjp(ctx, bare, smooth_forward, smooth_backward);
    weft_forget(ctx, smooth_loss);
    weft_forget(ctx, smooth_slope);
    weft_declare(ctx, smooth_loss, weft_binary);
    weft_declare(ctx, smooth_slope, weft_binary);
    /* J'J by ones, doubled */
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, smooth_slope, "x"))(x, width), 222, 242, 220);
}

static void reversed(const float *x, int n, float *y)
{
    for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
}
WEFT_SIGNATURE(reversed_c, void, (const float *x, int n, float *y));
static weft_unary *reverse_op;
static weft_array *around_reverse(weft_array *x) { return weft_add(reverse_op(weft_mul(x, 2)), 1); }

/* Memory that is given away is not both operand and result. */
Test(foreign, donated_arguments_of_c_functions)
{
    weft_declare(ctx, around_reverse, weft_unary);
    reverse_op = weft_foreign(ctx, weft_unary, reversed, reversed_c, "x[n] -> y[n]");
    median_fn *med = weft_foreign(ctx, median_fn, median, median_c, "x[n] -> return, x[n]");
    weft_array *sorted;
    weft_array *x = weft_linspace(ctx, 0, 999, 1000), *y = weft_linspace(ctx, 0, 999, 1000),
               *z = weft_flip(weft_linspace(ctx, 0, 999, 1000), "0");
    weft_array *a = weft_jit(ctx, reverse_op)(weft_donate(x)),
               *b = weft_jit(ctx, around_reverse)(weft_donate(y));
    weft_jit(ctx, med)(weft_donate(z), &sorted);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(weft_f32(a)[i], 999 - i);
        cr_assert_eq(weft_f32(b)[i], 2 * (999 - i) + 1);
        cr_assert_eq(weft_f32(sorted)[i], i);
    }
}
