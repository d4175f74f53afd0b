/* test_ops_fft.c: what weft/fft.h has, against NumPy: eager, and compiled in strict mode bit for bit; vmap
 * against a loop, derivatives against differences, errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "tests/support/context_suite.h"
#include "tests/support/ops_data.h"

/* clang-format off */
#define ALONG_ONE(R) \
    R(fft, 1e-14, weft_fft(IN(z))) R(fft_axis, 1e-14, weft_fft(IN(z), 0)) \
    R(fft_real, 1e-14, weft_fft(IN(x), 2)) \
    R(fft_f32, 2e-6, weft_fft(IN(x32), -1)) R(fft_c64, 2e-6, weft_fft(IN(z32), -1)) \
    R(fft_ints, 2e-6, weft_fft(IN(ints), 0)) R(fft_cut, 1e-14, weft_fft(IN(z), -1, .n = 4)) \
    R(fft_longer, 1e-14, weft_fft(IN(z), 1, .n = 9)) R(fft_prime, 1e-13, weft_fft(IN(prime), 0)) \
    R(fft_one, 0, weft_fft(IN(one), 0)) R(fft_none, 0, weft_fft(IN(none), 1)) \
    R(fft_ortho, 1e-14, weft_fft(IN(z), -1, .norm = "ortho")) \
    R(fft_forward, 1e-14, weft_fft(IN(z), -1, .norm = "forward")) \
    R(fft_backward, 1e-14, weft_fft(IN(z), -1, .norm = "backward")) \
    R(ifft, 1e-14, weft_ifft(IN(z), -1)) R(ifft_axis, 1e-14, weft_ifft(IN(z), 1)) \
    R(ifft_ortho, 1e-14, weft_ifft(IN(z), -1, .norm = "ortho")) \
    R(ifft_forward, 1e-14, weft_ifft(IN(z), -1, .norm = "forward")) \
    R(ifft_longer, 1e-14, weft_ifft(IN(z), -1, .n = 8)) \
    R(rfft, 1e-14, weft_rfft(IN(x), -1)) R(rfft_axis, 1e-14, weft_rfft(IN(x), 0)) \
    R(rfft_cut, 1e-14, weft_rfft(IN(x), -1, .n = 7)) R(rfft_longer, 1e-14, weft_rfft(IN(x), -1, .n = 16)) \
    R(rfft_f32, 2e-6, weft_rfft(IN(x32), -1)) R(rfft_ints, 2e-6, weft_rfft(IN(ints), -1)) \
    R(rfft_ortho, 1e-14, weft_rfft(IN(x), -1, .norm = "ortho")) R(rfft_one, 0, weft_rfft(IN(one), -1)) \
    R(irfft, 1e-14, weft_irfft(IN(z))) R(irfft_odd, 1e-14, weft_irfft(IN(z), -1, .n = 11)) \
    R(irfft_cut, 1e-14, weft_irfft(IN(z), -1, .n = 4)) \
    R(irfft_longer, 1e-14, weft_irfft(IN(z), -1, .n = 15)) \
    R(irfft_axis, 1e-14, weft_irfft(IN(z), 1)) R(irfft_real, 1e-14, weft_irfft(IN(x), -1)) \
    R(irfft_f32, 2e-6, weft_irfft(IN(z32), -1)) \
    R(irfft_ortho, 1e-14, weft_irfft(IN(z), -1, .norm = "ortho")) \
    R(irfft_forward, 1e-14, weft_irfft(IN(z), -1, .norm = "forward"))
#define ALONG_SEVERAL(R) \
    R(fftn, 1e-13, weft_fftn(IN(z))) R(fftn_axes, 1e-13, weft_fftn(IN(z), "2,0")) \
    R(fftn_four, 1e-13, weft_fftn(IN(four), NULL)) \
    R(fftn_ortho, 1e-13, weft_fftn(IN(z), NULL, .norm = "ortho")) \
    R(fftn_no_axes, 0, weft_fftn(IN(z), "")) R(ifftn, 1e-13, weft_ifftn(IN(z), NULL)) \
    R(ifftn_four, 1e-13, weft_ifftn(IN(four), NULL, .norm = "forward")) \
    R(rfftn, 1e-13, weft_rfftn(IN(x), NULL)) R(rfftn_axes, 1e-13, weft_rfftn(IN(x), "1,0")) \
    R(rfftn_four, 1e-13, weft_rfftn(IN(four), NULL)) R(irfftn, 1e-13, weft_irfftn(IN(z), NULL)) \
    R(irfftn_axes, 1e-13, weft_irfftn(IN(z), "2,1")) R(irfftn_odd, 1e-13, weft_irfftn(IN(z), "1,2", .n = 5)) \
    R(irfftn_four, 1e-13, weft_irfftn(IN(four), NULL, .n = 7)) \
    R(fft2, 1e-13, weft_fft2(IN(z))) R(fft2_axes, 1e-13, weft_fft2(IN(z), "0,1", .norm = "ortho")) \
    R(ifft2, 1e-13, weft_ifft2(IN(z))) \
    R(ifft2_forward, 1e-13, weft_ifft2(IN(z), "-2,-1", .norm = "forward")) \
    R(rfft2, 1e-13, weft_rfft2(IN(x))) R(irfft2, 1e-13, weft_irfft2(IN(z))) \
    R(irfft2_odd, 1e-13, weft_irfft2(IN(z), "-2,-1", .n = 9, .norm = 0))
/* clang-format on */
/* clang-format off */
#define FREQUENCIES(R) \
    R(freq, 1e-7, weft_fftfreq(NULL, 9, 0.25)) R(freq_even, 1e-7, weft_fftfreq(NULL, 8, 2)) \
    R(freq_as, 1e-15, weft_fftfreq_as(NULL, WEFT_F64, 9, 0.25)) \
    R(rfreq_as, 1e-15, weft_rfftfreq_as(NULL, WEFT_F64, 8, 2)) \
    R(freq_1, 0, weft_fftfreq(NULL, 1, 1)) R(freq_2, 0, weft_fftfreq(NULL, 2, 1)) \
    R(rfreq, 1e-7, weft_rfftfreq(NULL, 9, 0.25)) R(rfreq_even, 1e-7, weft_rfftfreq(NULL, 8, 2)) \
    R(shift, 0, weft_fftshift(IN(x))) R(shift_axis, 0, weft_fftshift(IN(x), "0")) \
    R(shift_back, 0, weft_ifftshift(IN(x), NULL)) R(shift_back_axes, 0, weft_ifftshift(IN(z), "-1,0")) \
    R(shift_none, 0, weft_fftshift(IN(none), NULL))
/* clang-format on */
/* clang-format off */
#define SLIDES_OF(R, op, name, a, v, tolerance) \
    R(op##name##_full, tolerance, weft_##op(a, v, NULL)) \
    R(op##name##_same, tolerance, weft_##op(a, v, "same")) \
    R(op##name##_valid, tolerance, weft_##op(a, v, "valid"))
#define SLIDES(R, op) \
    SLIDES_OF(R, op, , IN(prime), weft_at(IN(z), "0, 0"), 1e-14) \
    SLIDES_OF(R, op, _even, weft_at(IN(x), "0, 0"), weft_at(IN(x), "1, 1, :4"), 1e-14) \
    SLIDES_OF(R, op, _short, weft_at(IN(x), "0, 0, :3"), IN(prime), 1e-14) \
    SLIDES_OF(R, op, _short_even, weft_at(IN(x), "0, 0, :4"), weft_at(IN(x), "1, 1"), 1e-14) \
    SLIDES_OF(R, op, _ints, IN(ints), weft_at(IN(ints), "2:5"), 0)
/* clang-format on */
#define ROWS(R) ALONG_ONE(R) ALONG_SEVERAL(R) FREQUENCIES(R) SLIDES(R, convolve) SLIDES(R, correlate)
OPS_SUITE_OF("tests/data/fft.txt", ops_fft, ROWS)

/* A signal of rank 1, as real parts and imaginary parts of what comes of it. */
static weft_array *parts(weft_array *z) { return weft_concatenate(-1, weft_real(z), weft_imag(z)); }
static weft_array *line(weft_array *x) { return parts(weft_fft(x, -1, .n = 9)); }
static weft_array *real_line(weft_array *x) { return parts(weft_rfft(x, -1, .norm = "ortho")); }
static weft_array *back(weft_array *x) { return weft_irfft(weft_complex(x, weft_sin(x)), -1, .n = 7); }
static weft_array *front(weft_array *x) { return parts(weft_ifft(x, 0)); }

static weft_unary *const lines[] = { line, real_line, back, front };
enum { LINES = sizeof lines / sizeof *lines, ROW_LENGTH = 6, N_ROWS = 3 };

static weft_array *signals(void)
{
    weft_array *x = weft_sin(weft_mul(weft_arange(ctx, 0, ROW_LENGTH * N_ROWS, 1), 1.7));
    return weft_reshape(weft_astype(x, WEFT_F64), N_ROWS, ROW_LENGTH);
}

Test(ops_fft, vmap_is_a_loop)
{
    open_context();
    weft_array *x = signals();
    for (int i = 0; i < LINES; i++) {
        weft_declare(ctx, lines[i], weft_unary);
        weft_unary *all = weft_vmap(ctx, lines[i], "0");
        weft_array *row[N_ROWS];
        for (int k = 0; k < N_ROWS; k++)
            row[k] = weft_expand_dims(lines[i](weft_take(x, weft_full(ctx, WEFT_I32, k), 0)), 0);
        weft_array *want = weft_concatenate(0, row[0], row[1], row[2]);
        expect_close(__LINE__, "vmap", all(x), want, 1e-14);
        if (have_backend()) expect_close(__LINE__, "vmap, compiled", weft_jit(ctx, all)(x), want, 1e-14);
    }
    close_context_without_error();
}

static weft_unary *of_line; /* under test */
static weft_array *loss(weft_array *x)
{
    weft_array *y = of_line(x);
    return weft_sum(weft_mul(weft_sin(y), weft_add(y, 1)));
}

Test(ops_fft, gradients_are_differences)
{
    enum { STEPS = 2 };
    static const double h = 1e-5;
    open_context();
    weft_array *x = weft_at(signals(), "1"), *one = weft_eye(ctx, WEFT_F64, ROW_LENGTH);
    for (int i = 0; i < LINES; i++) {
        of_line = lines[i];
        weft_declare(ctx, loss, weft_unary);
        weft_array *d = weft_grad(ctx, weft_unary, loss, "x")(x);
        cr_assert(d, "%s", weft_error(ctx));
        for (int64_t k = 0; k < ROW_LENGTH; k++) {
            weft_array *step = weft_mul(weft_take(one, k, 0), h);
            double up = weft_item(loss(weft_add(x, step))), down = weft_item(loss(weft_sub(x, step)));
            cr_expect_float_eq(weft_f64(d)[k], (up - down) / (2 * h), 1e-7, "line %d, element %d", i, (int)k);
        }
        weft_forget(ctx, loss);
    }
    close_context_without_error();
}

WEFT_SIGNATURE(along_fn, weft_array *, (weft_array * x, weft_array *v, WEFT_OUT weft_array **d));

/* Forward mode, along a direction. */
Test(ops_fft, tangents_are_differences)
{
    static const double h = 1e-5;
    open_context();
    weft_array *x = weft_at(signals(), "1"), *v = weft_at(signals(), "2"), *step = weft_mul(v, h);
    for (int i = 0; i < LINES; i++) {
        weft_array *d = NULL;
        weft_declare(ctx, lines[i], weft_unary);
        weft_jvp(ctx, along_fn, lines[i], "x")(x, v, &d);
        cr_assert(d, "%s", weft_error(ctx));
        weft_array *up = lines[i](weft_add(x, step)), *down = lines[i](weft_sub(x, step));
        expect_close(__LINE__, "jvp", d, weft_div(weft_sub(up, down), 2 * h), 1e-9);
    }
    close_context_without_error();
}

Test(ops_fft, there_and_back)
{
    open_context();
    weft_array *x = signals();
    expect_close(__LINE__, "ifft", weft_real(weft_ifft(weft_fft(x, 0), 0)), x, 1e-14);
    expect_close(__LINE__, "irfft", weft_irfft(weft_rfft(x, -1), -1), x, 1e-14);
    expect_close(__LINE__, "irfftn", weft_irfftn(weft_rfftn(x, "1,0"), "1,0", .n = N_ROWS), x, 1e-14);
    close_context_without_error();
}

static weft_array *each_row(weft_array *z) { return weft_fft(z, -1); }

/* Sums of products by definition, of n_rows rows of n numbers. */
static weft_array *summed(const double *z, int64_t n_rows, int64_t n)
{
    static const double turn = 6.283185307179586476925286766559;
    int64_t dim[] = { n_rows, n };
    double *y = calloc((size_t)(2 * n_rows * n), sizeof *y);
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++) {
                const double *x = z + 2 * (i * n + j);
                double angle = turn * (double)(j * k % n) / (double)n, c = cos(angle), s = sin(angle);
                y[2 * (i * n + k)] += x[0] * c + x[1] * s;
                y[2 * (i * n + k) + 1] += x[1] * c - x[0] * s;
            }
    weft_array *all = weft_from_shape(ctx, WEFT_C128, y, 2, dim);
    free(y);
    return all;
}

/* Each length has radices of its own. */
Test(ops_fft, lengths)
{
    static const int64_t compiled[] = { 16,  18,  24,  28,  30,  32,  36,  40,  48,   50,   56,
                                        60,  64,  72,  80,  96,  100, 112, 125, 128,  160,  200,
                                        243, 250, 256, 343, 360, 500, 512, 720, 1000, 1001, 1024,
                                        17,  34,  51,  68,  119, 136, 202, 211, 289,  323,  884 };
    enum { ROWS = 3, LONGEST = 1024, ALL = 130 };
    static double z[2 * ROWS * LONGEST];
    for (int i = 0; i < 2 * ROWS * LONGEST; i++) z[i] = sin(1.7 * i * i);
    open_context();
    weft_declare(ctx, each_row, weft_unary);
    for (int64_t n = 1; n <= ALL; n++) {
        int64_t dim[] = { ROWS, n };
        weft_scope *scope = weft_scope_open(ctx);
        weft_array *x = weft_from_shape(ctx, WEFT_C128, z, 2, dim);
        expect_close((int)n, "eager", parts(each_row(x)), parts(summed(z, ROWS, n)), 1e-12);
        weft_scope_close(scope);
    }
    for (size_t i = 0; have_backend() && i < sizeof compiled / sizeof *compiled; i++) {
        int64_t dim[] = { ROWS, compiled[i] };
        weft_array *x = weft_from_shape(ctx, WEFT_C128, z, 2, dim), *y = weft_jit(ctx, each_row)(x);
        expect_close((int)compiled[i], "compiled", parts(y), parts(summed(z, ROWS, compiled[i])), 1e-12);
    }
    close_context_without_error();
}

static weft_array *all_axes(weft_array *z) { return weft_fftn(z, NULL); }
static weft_array *all_axes_back(weft_array *z) { return weft_ifftn(z, NULL); }

static weft_array *first_axis(weft_array *z) { return weft_fft(z, 0); }
static weft_array *middle_axis(weft_array *z) { return weft_ifft(z, 1); }

/* What is compiled leaves the array as it lies; eager mode transposes it. In strict mode they are equal. */
Test(ops_fft, axes_where_they_are)
{
    static const int64_t shapes[][3] = {
        { 128, 16, 9 }, { 100, 2, 48 }, { 37, 64, 8 }, { 256, 128, 1 }, { 16, 24, 5 },
        { 34, 51, 5 },  { 151, 3, 40 }, { 97, 17, 1 }, { 2, 289, 9 },   { 9, 119, 2 },
    };
    if (!have_backend()) return;
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    weft_declare(ctx, first_axis, weft_unary);
    weft_declare(ctx, middle_axis, weft_unary);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int64_t count = shapes[i][0] * shapes[i][1] * shapes[i][2];
        weft_array *flat = weft_sin(weft_astype(weft_arange(ctx, 0, (double)count, 1), WEFT_F64)),
                   *real = weft_reshape(flat, shapes[i][0], shapes[i][1], shapes[i][2]),
                   *z = weft_complex(real, weft_cos(real));
        expect_close((int)i, "axis 0", parts(weft_jit(ctx, first_axis)(z)), parts(first_axis(z)), 0);
        expect_close((int)i, "axis 1", parts(weft_jit(ctx, middle_axis)(z)), parts(middle_axis(z)), 0);
    }
    close_context_without_error();
}

/* Large arrays are transformed in blocks of columns, which rows may be cut into or not. */
Test(ops_fft, blocks_of_columns)
{
    static const int64_t shapes[][3] = { { 1, 128, 128 }, { 1, 100, 200 }, { 1, 131, 128 }, { 1, 130, 90 },
                                         { 2, 64, 160 },  { 20, 24, 48 },  { 24, 1, 512 } };
    open_context();
    weft_declare(ctx, all_axes, weft_unary);
    weft_declare(ctx, all_axes_back, weft_unary);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int64_t count = shapes[i][0] * shapes[i][1] * shapes[i][2];
        weft_array *flat = weft_astype(weft_arange(ctx, 0, (double)count, 1), WEFT_F64),
                   *real =
                       weft_reshape(weft_sin(weft_mul(flat, flat)), shapes[i][0], shapes[i][1], shapes[i][2]),
                   *z = weft_complex(real, weft_cos(real)), *want = weft_fft(weft_fft(weft_fft(z, 2), 1), 0);
        expect_close((int)i, "eager", parts(weft_fftn(z, NULL)), parts(want), 1e-12);
        expect_close((int)i, "back, eager", parts(weft_ifftn(want, NULL)), parts(z), 1e-12);
        if (!have_backend()) continue;
        expect_close((int)i, "compiled", parts(weft_jit(ctx, all_axes)(z)), parts(want), 1e-12);
        expect_close((int)i, "back, compiled", parts(weft_jit(ctx, all_axes_back)(want)), parts(z), 1e-12);
    }
    close_context_without_error();
}

Test(ops_fft, what_is_refused)
{
    open_context();
    weft_array *x = weft_ones(ctx, WEFT_F32, 3, 4), *z = weft_astype(x, WEFT_C64),
               *none = weft_zeros(ctx, WEFT_F32, 3, 0), *scalar = weft_full(ctx, WEFT_F32, 1);
    REFUSED(WEFT_SHAPE, !weft_fft(none, -1), "length 0 along axis 1 of f32[3,0]");
    REFUSED(WEFT_SHAPE, !weft_irfft(none, -1), "length 0 along axis 1");
    REFUSED(WEFT_SHAPE, !weft_irfft(weft_ones(ctx, WEFT_F32, 1), -1), "axis 0 of f32[1] has one number");
    REFUSED(WEFT_SHAPE, !weft_fftn(none, NULL), "length 0 along axis 1");
    REFUSED(WEFT_ARGUMENT, !weft_fft(x, -1, .n = -2), "length -2 along axis 1");
    REFUSED(WEFT_DTYPE, !weft_rfft(z, -1), "c64[3,4] is complex", "weft_fft");
    REFUSED(WEFT_DTYPE, !weft_rfftn(z, NULL), "c64[3,4] is complex");
    REFUSED(WEFT_ARGUMENT, !weft_fft(x, -1, .norm = "orto"), "the norm \"orto\"", "\"forward\"");
    REFUSED(WEFT_ARGUMENT, !weft_ifft(x, 2), "axis 2");
    REFUSED(WEFT_ARGUMENT, !weft_fftn(x, "0,5"), "axis 5");
    REFUSED(WEFT_ARGUMENT, !weft_rfftn(x, ""), "no axis");
    REFUSED(WEFT_ARGUMENT, !weft_fftn(x, "", .n = 3), "none is named");
    REFUSED(WEFT_ARGUMENT, !weft_fft(scalar, -1), "axis -1");
    weft_array *v = weft_ones(ctx, WEFT_F32, 3), *empty = weft_zeros(ctx, WEFT_F32, 0);
    REFUSED(WEFT_SHAPE, !weft_convolve(x, v, "full"), "f32[3,4] and f32[3] must be vectors");
    REFUSED(WEFT_SHAPE, !weft_correlate(v, empty, NULL), "f32[0]", "no elements");
    REFUSED(WEFT_ARGUMENT, !weft_convolve(v, v, "all"), "the mode \"all\"", "\"valid\"");
    REFUSED(WEFT_ARGUMENT, !weft_fftfreq(ctx, 0, 1), "0 samples");
    REFUSED(WEFT_DTYPE, !weft_fftfreq_as(ctx, WEFT_I32, 4, 1),
            "weft_fftfreq_as: the element type must be a float's");
    REFUSED(WEFT_DTYPE, !weft_rfftfreq_as(ctx, WEFT_C128, 4, 1), "the element type must be a float's");
    REFUSED(WEFT_ARGUMENT, !weft_rfftfreq_as(ctx, WEFT_F64, 0, 1), "0 samples");
    REFUSED(WEFT_ARGUMENT, !weft_fft2(weft_ones(ctx, WEFT_F32, 4)), "axis -2 is out of range");
    REFUSED(WEFT_ARGUMENT, !weft_rfftfreq(ctx, -3, 1), "-3 samples");
    REFUSED(WEFT_ARGUMENT, !weft_fftshift(x, "2"), "axis 2");
    close_context_without_error();
}
