/* test_short.c: weft/short.h: its names are the ops they stand for, leave other uses of the words alone, and
 * keep C's meaning for numbers. */
#include <criterion/criterion.h>
#include "weft.h"
#include "weft/short.h"

/* Words of short.h as names of other things. */
typedef struct Words {
    double sum, where, at;
} Words;

static weft_array *variable_names(weft_array *x)
{
    weft_array *sum = sum(x), *mean = mean(x, .axes = "", .where = gt(x, 0)), *add = add(sum, mean);
    Words w = { .where = 1, .at = 2 };
    w.sum = w.where + w.at;
    return add(add, w.sum);
}

static weft_array *long_names(weft_array *x)
{
    weft_array *total = weft_sum(x), *middle = weft_mean(x, .axes = "", .where = weft_gt(x, 0));
    return weft_add(weft_add(total, middle), 3);
}

static weft_array *formula(weft_array *x)
{
    weft_array *y = mul(0.5, x, add(1, erf(mul(x, 0.70710678118654752))));
    y = add(y, poly(x, 1, -2.5, x, 0.25), where(lt(x, 0), 0, sqrt(abs(x))), 1);
    y = add(y, pow(x, 2), pow(2.0, x), atan2(x, 1), hypot(1, x), exp(neg(square(x))), sin(0.5));
    y = add(y, maximum(x, 0, minimum(x, 1, 0.5)), clip(x, -1, 1), divide(x, 3), sub(1, x), lerp(x, 2, 0.25));
    return add(y, floor(x), round(x), log1p(abs(x)), greatest(x), least(x, .axes = "-1", .keep = true),
               mod(x, 2));
}

static weft_array *written_out(weft_array *x)
{
    weft_array *y = weft_mul(weft_mul(0.5, x), weft_add(1, weft_erf(weft_mul(x, 0.70710678118654752))));
    weft_array *p = weft_add(weft_mul(x, 0.25), x);
    p = weft_add(weft_mul(x, weft_add(weft_mul(x, p), -2.5)), 1);
    y = weft_add(y, p);
    y = weft_add(y, weft_where(weft_lt(x, 0), 0, weft_sqrt(weft_abs(x))));
    y = weft_add(y, 1);
    y = weft_add(weft_add(y, weft_pow(x, 2)), weft_pow(2.0, x));
    y = weft_add(weft_add(y, weft_atan2(x, 1)), weft_hypot(1, x));
    y = weft_add(y, weft_exp(weft_neg(weft_square(x))));
    y = weft_add(y, 0.479425538604203);
    y = weft_add(y, weft_maximum(weft_maximum(x, 0), weft_minimum(weft_minimum(x, 1), 0.5)));
    y = weft_add(weft_add(y, weft_clip(x, -1, 1)), weft_div(x, 3));
    y = weft_add(weft_add(y, weft_sub(1, x)), weft_lerp(x, 2, 0.25));
    y = weft_add(weft_add(y, weft_floor(x)), weft_round(x));
    y = weft_add(weft_add(y, weft_log1p(weft_abs(x))), weft_max(x));
    return weft_add(weft_add(y, weft_min(x, .axes = "-1", .keep = true)), weft_mod(x, 2));
}

static weft_array *eye_of(weft_array *x)
{
    (void)x;
    return weft_eye(NULL, WEFT_F64, 3);
}
static weft_array *sort_of(weft_array *x) { return weft_sort(weft_neg(x)); }

static bool same(weft_array *a, weft_array *b) { return a && b && weft_item(all(eq(a, b))) == 1; }

Test(short_names, are_the_ops)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_astype(weft_linspace(ctx, -2, 2, 9), WEFT_F64);
    cr_expect(same(formula(x), written_out(x)), "%s", weft_error(ctx));
    cr_expect(same(variable_names(x), long_names(x)), "%s", weft_error(ctx));
    cr_expect(same(einsum("i,j->ij", x, x), outer(x, x)));
    cr_expect(same(at(cumsum(x, 0), "1:"), at(cumsum(x, -1), "%d:%d", 1, WEFT_OPEN)));
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

/* Matrices, transforms, complex numbers, special functions. */
static weft_array *longer_formula(weft_array *x, weft_array *image, weft_array *w)
{
    weft_array *r, *q = qr(x, &r), *a = add(matmul(x, transpose(x)), eye_of(x)), *v, *values = eigh(a, &v);
    weft_array *y = add(sum(matmul(q, r)), sum(values), det(a), sum(solve(a, x)), sum(inv(a)), trace(a, 0));
    y = add(y, sum(cholesky(a, .upper = true)), sum(square(abs(fft(x)))), sum(real(fft2(x))));
    y = add(y, sum(imag(ifft(fft(x, 0, .n = 5)))), sum(abs(conj(rfft(x)))), sum(irfft(rfft(x), -1, .n = 4)));
    y = add(y, sum(conv(image, w, .stride = "2")), sum(max_pool(x, "2,2")),
            sum(convolve(at(x, "0"), at(x, "1"), "full")));
    y = add(y, sum(gammainc(abs(x), 1.5)), sum(beta(2, abs(x))), sum(ndtr(x)), sum(j0(x)),
            sum(interp(x, at(x, "0"), at(x, "1"), .left = 7)));
    return add(y, sum(diag(at(x, "0"), 0)), matrix_norm(a, "nuc"), sum(abs(roots(at(x, "0")))),
               sum(sort_of(x)));
}

static weft_array *longer_written_out(weft_array *x, weft_array *image, weft_array *w)
{
    weft_array *r, *q = weft_qr(x, &r), *a = weft_add(weft_matmul(x, weft_transpose(x)), eye_of(x)), *v,
                   *values = weft_eigh(a, &v), *row = weft_at(x, "0"), *next = weft_at(x, "1");
    weft_array *term[] = { weft_sum(weft_matmul(q, r)),
                           weft_sum(values),
                           weft_det(a),
                           weft_sum(weft_solve(a, x)),
                           weft_sum(weft_inv(a)),
                           weft_trace(a, 0),
                           weft_sum(weft_cholesky(a, .upper = true)),
                           weft_sum(weft_square(weft_abs(weft_fft(x, -1)))),
                           weft_sum(weft_real(weft_fftn(x, "-2,-1"))),
                           weft_sum(weft_imag(weft_ifft(weft_fft(x, 0, .n = 5), -1))),
                           weft_sum(weft_abs(weft_conj(weft_rfft(x, -1)))),
                           weft_sum(weft_irfft(weft_rfft(x, -1), -1, .n = 4)),
                           weft_sum(weft_conv(image, w, .stride = "2")),
                           weft_sum(weft_max_pool(x, "2,2")),
                           weft_sum(weft_convolve(row, next, "full")),
                           weft_sum(weft_gammainc(weft_abs(x), 1.5)),
                           weft_sum(weft_beta(2, weft_abs(x))),
                           weft_sum(weft_ndtr(x)),
                           weft_sum(weft_j0(x)),
                           weft_sum(weft_interp(x, row, next, .left = 7)),
                           weft_sum(weft_diag(row, 0)),
                           weft_matrix_norm(a, "nuc"),
                           weft_sum(weft_abs(weft_roots(row))),
                           weft_sum(sort_of(x)) };
    weft_array *y = term[0];
    for (size_t i = 1; i < sizeof term / sizeof *term; i++) y = weft_add(y, term[i]);
    return y;
}

Test(short_names, of_matrices_and_transforms_are_the_ops)
{
    weft_context *ctx = weft_open(&(weft_options){ .real = WEFT_F64 });
    weft_array *x = reshape(weft_linspace(ctx, 0.5, 2, 12), 3, 4), *image = reshape(x, 1, 3, 4, 1),
               *w = weft_ones(ctx, WEFT_F64, 2, 2, 1, 1), *wanted = longer_written_out(x, image, w);
    weft_array *got = longer_formula(x, image, w);
    cr_assert(wanted && got, "%s", weft_error(ctx));
    cr_expect_float_eq(weft_item(got), weft_item(wanted), 1e-12 * fabs(weft_item(wanted)));
    double complex z = conj(1 + 2 * I);
    cr_expect(creal(z) == 1 && cimag(z) == -2, "C's conj for C's numbers");
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

Test(short_names, of_c_are_c_s_for_numbers)
{
    double s = sin(0.5) + pow(2, 10) + hypot(3, 4.0f) + floor(2.5) + abs(-2.5) + abs(-3),
           twice[] = { exp(0), 2 };
    int i = abs(-7) % 4;
    cr_expect_eq(s, (sin)(0.5) + 1024 + 5 + 2 + 2.5 + 3);
    cr_expect_eq(twice[0] + i, 4);
    double (*f)(double) = cos;
    cr_expect_eq(f(0), 1);
}

/* A wrong operand is told with the line it stands on, once. */
Test(short_names, say_where_they_stand)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *a = weft_ones(ctx, WEFT_F32, 3), *b = weft_ones(ctx, WEFT_F32, 4);
    const int here = __LINE__ + 1;
    weft_array *none = mul(2, exp(add(a, b, 1)), poly(b, 1, 2));
    char line[300];
    cr_expect_null(none);
    snprintf(line, sizeof line, "%s:%d: weft_add: shapes f32[3] and f32[4] do not broadcast", __FILE__, here);
    cr_expect(strstr(weft_error(ctx), line), "%s", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
}

/* ---- slices with open ends, and loops that name few of their arguments ---- */

static weft_array *decay(weft_array *rate, weft_array *step, weft_array *h, weft_array *x)
{
    return add(h, mul(step, sub(x, mul(rate, h))));
}
WEFT_SIGNATURE(decay_fn, weft_array *, (weft_array * rate, weft_array *step, weft_array *h, weft_array *x));

Test(rest_of_the_roles, has_none)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, decay, decay_fn);
    weft_array *rate = weft_scalar(ctx, 0.5), *step = weft_scalar(ctx, 0.25), *h = weft_scalar(ctx, 1),
               *xs = weft_linspace(ctx, 0, 1, 7);
    weft_array *wanted = weft_scan(ctx, decay, "none, none, carry, 0")(rate, step, h, xs);
    cr_expect(same(weft_scan(ctx, decay, "..., carry, 0")(rate, step, h, xs), wanted), "%s", weft_error(ctx));
    cr_expect(same(weft_scan(ctx, decay, "none,...,carry, 0 -> none")(rate, step, h, xs), wanted), "%s",
              weft_error(ctx));
    cr_expect(same(weft_scan(ctx, decay, "none, none, ..., carry, 0")(rate, step, h, xs), wanted),
              "for none: %s", weft_error(ctx));
    cr_expect(same(weft_vmap(ctx, decay, "..., 0")(rate, step, h, xs),
                   weft_vmap(ctx, decay, "none, none, none, 0")(rate, step, h, xs)));
    cr_expect(same(weft_vmap(ctx, decay, "0, ...")(xs, step, h, h),
                   weft_vmap(ctx, decay, "0, none, none, none")(xs, step, h, h)));
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

Test(rest_of_the_roles, wrong_ones_are_refused)
{
    static const struct {
        const char *roles, *why;
    } bad[] = {
        { "..., ..., carry", "'...' is no axis" },
        { "none, none, none, ..., carry, 0", "5 axes for 4 array arguments" },
        { "... carry, 0", "unexpected 'carry" },
        { "..., wrong", "'wrong' is no axis" },
        { "..,carry,0", "axes for 4 array arguments" },
        { "....", "unexpected '.'" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weft_context *ctx = weft_open(NULL);
        weft_declare(ctx, decay, decay_fn);
        weft_scan(ctx, decay, bad[i].roles);
        cr_expect(weft_error(ctx) && strstr(weft_error(ctx), bad[i].why), "\"%s\": %s", bad[i].roles,
                  weft_error(ctx));
        weft_clear(ctx);
        weft_close(ctx);
    }
}

Test(open_ends, are_not_written)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_linspace(ctx, 0, 1, 7);
    int64_t from = 2, none = WEFT_OPEN;
    cr_expect(same(at(x, "%ld:%ld", from, none), at(x, "2:")));
    cr_expect(same(at(x, "%ld:%d:%d", none, 5, 2), at(x, ":5:2")));
    cr_expect(same(at(x, "%d:%d:%d", WEFT_OPEN, WEFT_OPEN, -1), flip(x)));
    cr_expect(same(weft_set(x, "%d:%d", 9, 4, WEFT_OPEN), weft_set(x, "4:", 9)));
    weft_array *none_there = at(x, "%d", WEFT_OPEN);
    cr_expect_null(none_there);
    cr_expect(strstr(weft_error(ctx), "has WEFT_OPEN where an index stands"), "%s", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
}
