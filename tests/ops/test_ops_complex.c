/* test_ops_complex.c: ops on complex numbers against JAX: arithmetic, functions at their branch cuts,
 * promotion, reductions, products, moves, order; and C's complex numbers in and out. */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/ops_data.h"

#define BOTH(R, name, op, tolerance, tolerance_c128) \
    R(name, tolerance, weft_##op(IN(z))) \
    R(name##_c128, tolerance_c128, weft_##op(IN(zd)))
#define CUT(R, name, at, tolerance, tolerance_c128) \
    BOTH(R, name, name, tolerance, tolerance_c128) \
    R(name##_cut, tolerance, weft_##name(IN(at))) \
    R(name##_cut_c128, tolerance_c128, weft_##name(IN(at##d)))
#define TWO(R, name, op, tolerance, tolerance_c128) \
    R(name, tolerance, weft_##op(IN(z), IN(w))) \
    R(name##_c128, tolerance_c128, weft_##op(IN(zd), IN(wd)))
#define BACK weft_flip(IN(ties), "0")

/* clang-format off */
#define ONE_OPERAND(R) \
    BOTH(R, neg, neg, 0, 0) CUT(R, abs, cut, 3e-7, 4e-16) BOTH(R, sign, sign, 3e-7, 4e-16) \
    CUT(R, square, mod, 3e-7, 1e-15) CUT(R, exp, mod, 1e-6, 2e-15) CUT(R, expm1, mod, 1e-6, 2e-15) \
    CUT(R, log, cut, 1e-6, 2e-15) CUT(R, log1p, cut, 1e-6, 2e-15) CUT(R, sqrt, cut, 1e-6, 2e-15) \
    BOTH(R, rsqrt, rsqrt, 1e-6, 2e-15) CUT(R, sin, mod, 1e-6, 2e-15) CUT(R, cos, mod, 1e-6, 2e-15) \
    BOTH(R, tan, tan, 2e-6, 4e-15) CUT(R, sinh, mod, 1e-6, 2e-15) CUT(R, cosh, mod, 1e-6, 2e-15) \
    CUT(R, tanh, mod, 2e-6, 4e-15) CUT(R, asin, cut, 1e-6, 2e-15) CUT(R, acos, cut, 1e-6, 2e-15) \
    CUT(R, atan, off, 1e-6, 2e-15) CUT(R, asinh, cut, 1e-6, 2e-15) CUT(R, acosh, cut, 1e-6, 2e-15) \
    CUT(R, atanh, off, 1e-6, 2e-15) BOTH(R, sigmoid, sigmoid, 2e-6, 4e-15) BOTH(R, real, real, 0, 0) \
    BOTH(R, imag, imag, 0, 0) CUT(R, conj, cut, 0, 0) CUT(R, angle, cut, 1e-6, 2e-15) \
    BOTH(R, log2, log2, 1e-6, 2e-15) BOTH(R, log10, log10, 1e-6, 2e-15) BOTH(R, exp2, exp2, 1e-6, 2e-15) \
    BOTH(R, reciprocal, reciprocal, 1e-6, 2e-15) R(log_near, 1e-6, weft_log(IN(near))) \
    R(log_near_c128, 1e-15, weft_log(IN(neard))) R(round, 0, weft_round(weft_mul(IN(z), 10))) \
    R(isfinite, 0, weft_isfinite(weft_div(IN(z), IN(ties)))) \
    R(isnan, 0, weft_isnan(weft_div(IN(ties), IN(ties)))) R(isnan_sum, 0, weft_isnan(IN(z))) \
    R(isinf, 0, weft_isinf(weft_div(IN(ties), 0)))
#define TWO_OPERANDS(R) \
    TWO(R, add, add, 0, 0) TWO(R, subtract, sub, 0, 0) TWO(R, multiply, mul, 4e-7, 1e-15) \
    TWO(R, divide, div, 1e-6, 2e-15) TWO(R, power, pow, 4e-6, 1e-14) TWO(R, maximum, maximum, 0, 0) \
    TWO(R, minimum, minimum, 0, 0) TWO(R, atan2, atan2, 1e-6, 4e-15) \
    R(maximum_ties, 0, weft_maximum(IN(ties), BACK)) \
    R(minimum_ties, 0, weft_minimum(IN(ties), BACK)) R(equal, 0, weft_eq(IN(ties), BACK)) \
    R(not_equal, 0, weft_ne(IN(ties), BACK)) R(less, 0, weft_lt(IN(ties), BACK)) \
    R(less_equal, 0, weft_le(IN(ties), BACK)) R(greater, 0, weft_gt(IN(ties), BACK)) \
    R(greater_equal, 0, weft_ge(IN(ties), BACK)) R(make, 0, weft_complex(IN(x), IN(y))) \
    R(make_c128, 0, weft_complex(IN(xd), IN(x))) R(pow_2, 1e-6, weft_pow(IN(z), 2)) \
    R(pow_3, 1e-6, weft_pow(IN(z), 3)) R(pow_neg2, 2e-6, weft_pow(IN(z), -2)) \
    R(pow_0, 0, weft_pow(IN(z), 0)) R(pow_half, 2e-6, weft_pow(IN(z), 0.5))
#define PROMOTION(R) \
    R(add_f32, 0, weft_add(IN(z), IN(x))) R(add_f64, 0, weft_add(IN(z), IN(xd))) \
    R(add_f16, 0, weft_add(IN(z), IN(h))) R(add_i32, 0, weft_add(IN(z), IN(i))) \
    R(add_bool, 0, weft_add(IN(z), IN(m))) R(mul_number, 1e-6, weft_mul(IN(z), 2 - 1 * I)) \
    R(add_wide, 0, weft_add(IN(z), IN(zd))) R(mul_f32_number, 1e-6, weft_mul(IN(x), 2 - 1 * I)) \
    R(mul_f64_number, 0, weft_mul(IN(xd), 2 - 1 * I)) R(mul_i32_number, 0, weft_mul(IN(i), 2 - 1 * I)) \
    R(mul_bool_number, 0, weft_mul(IN(m), (float _Complex)(2 - 1 * I))) \
    R(mul_half, 0, weft_mul(IN(z), 0.5)) R(add_int, 0, weft_add(IN(z), 3)) \
    R(eq_number, 0, weft_eq(IN(ties), 1 + 2 * I)) R(where, 0, weft_where(IN(m), IN(z), IN(w))) \
    R(where_number, 0, weft_where(IN(m), IN(z), I)) R(where_real, 0, weft_where(IN(m), IN(x), IN(z))) \
    R(astype_c128, 0, weft_astype(IN(z), WEFT_C128)) R(astype_c64, 0, weft_astype(IN(x), WEFT_C64)) \
    R(astype_c64_i32, 0, weft_astype(IN(i), WEFT_C64)) R(astype_bool, 0, weft_astype(IN(ties), WEFT_BOOL)) \
    R(astype_f32, 0, weft_astype(IN(z), WEFT_F32))
#define FOLDS(R) \
    R(sum, 1e-6, weft_sum(IN(z))) R(sum_0, 1e-6, weft_sum(IN(t), .axes = "0")) \
    R(sum_keep, 1e-6, weft_sum(IN(t), .axes = "0,2", .keep = true)) \
    R(sum_c128, 1e-15, weft_sum(IN(zd), .axes = "1")) R(sum_empty, 0, weft_sum(IN(e0), .axes = "0")) \
    R(prod, 2e-6, weft_prod(IN(z))) R(prod_1, 1e-6, weft_prod(IN(t), .axes = "1")) \
    R(prod_last, 1e-6, weft_prod(IN(t), .axes = "2")) R(prod_empty, 0, weft_prod(IN(e0), .axes = "0")) \
    R(mean, 1e-6, weft_mean(IN(z))) R(mean_1, 1e-6, weft_mean(IN(t), .axes = "1")) \
    R(max, 0, weft_max(IN(ties))) R(max_1, 0, weft_max(IN(ties), .axes = "1")) \
    R(min_0, 0, weft_min(IN(ties), .axes = "0")) R(var, 1e-6, weft_var(IN(z))) \
    R(std, 1e-6, weft_std(IN(t), .axes = "1")) R(any, 0, weft_any(IN(ties), .axes = "0")) \
    R(all, 0, weft_all(IN(ties), .axes = "1")) R(norm, 1e-6, weft_norm(IN(z))) \
    R(norm_1, 1e-6, weft_norm(IN(z), .axes = "1")) R(cumsum, 1e-6, weft_cumsum(IN(z), 1)) \
    R(cumsum_0, 1e-6, weft_cumsum(IN(z), 0)) R(cumprod, 1e-6, weft_cumprod(IN(z), 1)) \
    R(cumprod_0, 1e-6, weft_cumprod(IN(z), 0)) R(matmul, 2e-6, weft_matmul(IN(z), IN(a))) \
    R(matmul_batch, 2e-6, weft_matmul(IN(t), IN(q))) R(matmul_real, 2e-6, weft_matmul(IN(x), IN(a))) \
    R(v_v, 2e-6, weft_matmul(IN(v), IN(v))) R(outer, 1e-6, weft_outer(IN(v), IN(v))) \
    R(einsum, 2e-6, weft_einsum("ij,kj->ik", IN(z), IN(w))) \
    R(tensordot, 4e-6, weft_tensordot(IN(t), IN(q), "0,2", "0,1"))
#define MOVES(R) \
    R(sort, 0, weft_sort(IN(ties), 1)) R(sort_0, 0, weft_sort(IN(ties), 0)) \
    R(argsort, 0, weft_argsort(IN(ties), 1)) R(reshape, 0, weft_reshape(IN(z), 2, 6)) \
    R(transpose, 0, weft_transpose(IN(t))) R(at, 0, weft_at(IN(t), "1, ::-1, 1:3")) \
    R(concatenate, 0, weft_concatenate(0, IN(z), IN(w))) R(stack, 0, weft_stack_arrays(-1, IN(z), IN(w))) \
    R(flip, 0, weft_flip(IN(z), "1")) R(roll, 0, weft_roll(IN(z), 1, 1)) R(tile, 0, weft_tile(IN(z), 2, 1)) \
    R(pad, 0, weft_pad(IN(z), I, "1:0, 0:2")) R(broadcast, 0, weft_broadcast_to(IN(v), 3, 4)) \
    R(take, 0, weft_take(IN(z), IN(idx), 0)) R(set, 0, weft_set(IN(z), "1", IN(v))) \
    R(set_add, 1e-6, weft_set_add(IN(z), ":, 1", 2 * I)) \
    R(scatter, 0, weft_scatter(IN(z), IN(idx), 0, IN(w))) \
    R(scatter_mul, 1e-6, weft_scatter(IN(z), IN(idx), 0, IN(w), .with = WEFT_MUL)) \
    R(zeros, 0, weft_zeros(NULL, WEFT_C128, 2)) R(ones, 0, weft_ones(NULL, WEFT_C64, 2)) \
    R(eye, 0, weft_eye(NULL, WEFT_C64, 2, 2)) R(tril, 0, weft_tril(IN(w), 0)) \
    R(full, 0, weft_full(NULL, WEFT_C64, 1 - 2 * I, 2, 3))
/* clang-format on */

#define ROWS(R) ONE_OPERAND(R) TWO_OPERANDS(R) PROMOTION(R) FOLDS(R) MOVES(R)
OPS_SUITE_OF("tests/data/complex.txt", ops_complex, ROWS)

Test(complex_numbers, go_in_and_come_out)
{
    weft_context *ctx = weft_open(NULL);
    float _Complex data[] = { 1 + 2 * I, -3 * I, 4 };
    double _Complex wide[] = { 1.5 - 0.25 * I };
    weft_array *z = weft_from(ctx, data, 3), *w = weft_from(ctx, wide, 1);
    cr_assert_eq(weft_dtype_of(z), WEFT_C64);
    cr_assert_eq(weft_dtype_of(w), WEFT_C128);
    const float _Complex *back = weft_c64(weft_mul(z, z));
    cr_assert_eq(crealf(back[0]), -3);
    cr_assert_eq(cimagf(back[0]), 4);
    cr_assert_eq(crealf(back[1]), -9);
    cr_assert_eq(cimag(*weft_c128(w)), -0.25);
    weft_array *s = weft_scalar(ctx, 2 - 1 * I);
    cr_assert_eq(weft_dtype_of(s), WEFT_C64);
    cr_assert_eq(cimagf(*weft_c64(s)), -1);
    cr_assert_eq(weft_dtype_of(weft_scalar_as(ctx, WEFT_C128, 1.0 * I)), WEFT_C128);
    cr_assert_eq(weft_dtype_of(weft_scalar(ctx, 2)), WEFT_F32);
#ifdef __GNUC__ /* where 1i is a complex int */
    back = weft_c64(weft_mul(weft_ones(ctx, WEFT_F32, 1), __extension__ 3i));
    cr_assert(crealf(back[0]) == 0 && cimagf(back[0]) == 3);
    back = weft_c64(weft_scalar(ctx, __extension__ 3i));
    cr_assert(crealf(back[0]) == 0 && cimagf(back[0]) == 3);
#endif
    weft_close(ctx);
}

static void expect_print(weft_array *a, const char *want)
{
    char text[1000];
    weft_format(a, text, sizeof text);
    cr_assert_str_eq(text, want);
}

/* As numpy.array2string and str say it. */
Test(complex_numbers, print_as_numpy_prints)
{
    weft_context *ctx = weft_open(NULL);
    float _Complex few[] = { 1 + 2 * I, -0.5f - 1.25f * I, 3 };
    expect_print(weft_from(ctx, few, 3), "[ 1. +2.j   -0.5-1.25j  3. +0.j  ]");
    float inf = INFINITY, nan = NAN;
    float odd[] = { nan, 1, inf, -inf, 1, nan };
    expect_print(weft_from_shape(ctx, WEFT_C64, odd, 1, (int64_t[]){ 3 }), "[nan +1.j inf-infj  1.+nanj]");
    double _Complex large[] = { 1e10 + 1e-3 * I, 2 };
    expect_print(weft_from(ctx, large, 2), "[1.e+10+0.001j 2.e+00+0.j   ]");
    float _Complex square[] = { 1, I, -1, -I };
    expect_print(weft_from(ctx, square, 2, 2), "[[ 1.+0.j  0.+1.j]\n [-1.+0.j -0.-1.j]]");
    expect_print(weft_scalar(ctx, 1 + 2 * I), "(1+2j)");
    expect_print(weft_scalar(ctx, 2.5 * I), "2.5j");
    expect_print(weft_scalar(ctx, -0.5 - 1e-9 * I), "(-0.5-1e-09j)");
    weft_close(ctx);
}

static weft_array *expm1_of(weft_array *z) { return weft_expm1(z); }
static weft_array *acos_of(weft_array *z) { return weft_acos(z); }
static weft_array *asinh_of(weft_array *z) { return weft_asinh(z); }
static weft_array *atanh_of(weft_array *z) { return weft_atanh(z); }

static void expect_near(const char *what, weft_array *got, double re, double im)
{
    double _Complex z = weft_c128(got)[0];
    bool near =
        fabs(creal(z) - re) <= 4e-16 * fabs(re) && (isnan(im) || fabs(cimag(z) - im) <= 4e-16 * fabs(im));
    cr_expect(near, "%s: %.17g%+.17gi, not %.17g%+.17gi", what, creal(z), cimag(z), re, im);
}

/* Where e^x is large and cos y nearly 0, and where squares underflow; by mpmath, of 40 digits. */
Test(complex_numbers, have_digits_far_out)
{
    static const struct {
        const char *what;
        weft_array *(*f)(weft_array *);
        double at[2], re, im; /* im NAN: not looked at */
    } points[] = {
        { "expm1", expm1_of, { 30, 1.5707963 }, 286341.98127048510452, NAN },
        { "expm1", expm1_of, { 30.6, 1e-9 }, 19472026244890.047033, NAN },
        { "expm1", expm1_of, { 38, 1.5707963 }, 853576396.05159257826, NAN },
        { "acos", acos_of, { 1, 1e-300 }, 1e-150, -1e-150 },
        { "asinh", asinh_of, { 1e-300, 1 }, 1e-150, 1.57079632679489662 },
        { "atanh", atanh_of, { 1, 5e-324 }, 372.56660955097060381, NAN },
    };
    weft_context *ctx = weft_open(NULL);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        weft_unary *f = points[i].f;
        weft_declare(ctx, f, weft_unary);
        weft_array *z = weft_from_shape(ctx, WEFT_C128, points[i].at, 0, NULL),
                   *r[2] = { f(z), weft_jit(ctx, f)(z) };
        for (int k = 0; k < 2; k++) expect_near(points[i].what, r[k], points[i].re, points[i].im);
    }
    weft_close(ctx);
}

Test(complex_numbers, come_back_from_files)
{
    weft_context *ctx = weft_open(NULL);
    const char *path = WEFT_BINARY_DIR "/complex.npy";
    double _Complex data[] = { 1 + 2 * I, -0.0 - 3 * I, 0.1 };
    cr_assert_eq(weft_save(weft_from(ctx, data, 3), path), WEFT_OK);
    weft_array *back = weft_load(ctx, path);
    cr_assert_eq(weft_dtype_of(back), WEFT_C128);
    cr_assert_eq(memcmp(weft_c128(back), data, sizeof data), 0);
    FILE *f = fopen(path, "wb"); /* the other byte order: parts are swapped, each for itself */
    char head[128] = "\x93NUMPY\x01\x00\x76";
    snprintf(head + 10, 118, "%-117s", "{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }");
    head[127] = '\n';
    fwrite(head, 1, 128, f);
    fwrite("\x3f\x80\x00\x00\xc0\x00\x00\x00", 1, 8, f);
    fclose(f);
    weft_array *swapped = weft_load(ctx, path);
    cr_assert(swapped, "%s", weft_error(ctx));
    cr_assert_eq(crealf(*weft_c64(swapped)), 1);
    cr_assert_eq(cimagf(*weft_c64(swapped)), -2);
    weft_close(ctx);
}

static void expect_error(weft_context *ctx, const weft_array *got, const char *part)
{
    cr_assert_null(got);
    cr_assert(weft_error(ctx) && strstr(weft_error(ctx), part), "%s, not %s", weft_error(ctx), part);
    weft_clear(ctx);
}

Test(complex_numbers, are_refused_where_they_have_no_meaning)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *z = weft_full(ctx, WEFT_C64, 1 + 2 * I, 3), *h = weft_ones(ctx, WEFT_F16, 3);
    const char *not_taken = "element type c64 is not taken";
    expect_error(ctx, weft_floor(z), "floor: element type c64 is not taken (allowed: floats)");
    expect_error(ctx, weft_rem(z, z), not_taken);
    expect_error(ctx, weft_erf(z), not_taken);
    expect_error(ctx, weft_and(z, z), not_taken);
    expect_error(ctx, weft_argmax(z, .axes = "0"), not_taken);
    expect_error(ctx, weft_scalar_as(ctx, WEFT_F32, 1.0 * I), "a complex number cannot be f32");
    expect_error(ctx, weft_set(h, "0", I), "f16");
    expect_error(ctx, weft_arange(ctx, 0, I, 1), "real numbers");
    expect_error(ctx, weft_complex(z, z), not_taken);
    cr_assert(isnan(weft_item(weft_at(z, "0"))));
    cr_assert(strstr(weft_error(ctx), "read it with weft_c64"));
    weft_clear(ctx);
    cr_assert_eq(weft_f32(z)[0], 0);
    cr_assert(strstr(weft_error(ctx), "read it with weft_c64"));
    weft_clear(ctx);
    weft_close(ctx);
}
