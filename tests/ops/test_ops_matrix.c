/* test_ops_matrix.c: what weft/linalg.h has, against JAX: eager, compiled in strict mode bit for bit, by
 * LAPACK and as if there were none; gradients; errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "runtime/exec/compile.h"
#include "runtime/library/lapack.h"
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"
#include "tests/support/matrix_parts.h"
#include "tests/support/ops_data.h"

static weft_array *r_size(weft_array *a, bool full) { return weft_abs(qr_r(a, full)); }
static weft_array *spd(weft_array *a)
{
    return weft_add(weft_matmul(a, weft_swapaxes(a, -1, -2)), weft_diag(weft_ones(NULL, WEFT_F64, 40), 0));
}

static weft_array *cubed(weft_array *x) { return weft_mul(x, weft_mul(x, x)); }
static weft_array *weighed(weft_array *x) { return weft_sum(weft_mul(x, IN(v))); }
static weft_array *of_cholesky(weft_array *x) { return weighed(squared(weft_cholesky(x))); }
static weft_array *of_solve(weft_array *x) { return weft_sum(weft_sin(weft_solve(x, IN(b)))); }
static weft_array *of_solve_b(weft_array *x) { return weft_sum(weft_sin(weft_solve(IN(a), x))); }
static weft_array *of_inv(weft_array *x) { return weft_sum(cubed(weft_inv(x))); }
static weft_array *of_det(weft_array *x) { return weft_sum(weft_det(x)); }
static weft_array *of_det_slopes(weft_array *x) { return weft_sum(squared(gradient(of_det, x))); }
static weft_array *of_slogdet(weft_array *x) { return weft_sum(weft_slogdet(x, NULL)); }
static weft_array *of_qr(weft_array *x) { return weighed(r_size(x, false)); }
static weft_array *of_eigh(weft_array *x) { return weighed(weft_eigvalsh(x)); }
static weft_array *of_eigh_v(weft_array *x) { return weighed(squared(eigh_v(x))); }
static weft_array *of_svd(weft_array *x) { return weighed(svd(x, false, 0)); }
static weft_array *of_svd_u(weft_array *x) { return weighed(squared(svd(x, false, 1))); }
static weft_array *of_expm(weft_array *x) { return weft_sum(weft_expm(x)); }
static weft_array *of_pinv(weft_array *x) { return weft_sum(cubed(weft_pinv(x))); }
static weft_array *of_pinv_slopes(weft_array *x) { return weft_sum(squared(gradient(of_pinv, x))); }
static weft_array *counted(int n) { return weft_astype(weft_arange(NULL, 0, n, 1), WEFT_F64); }
static weft_array *of_lstsq(weft_array *x) { return weft_sum(weft_lstsq(x, counted(3))); }
static weft_array *of_lstsq_tall(weft_array *x) { return weft_sum(squared(weft_lstsq(x, counted(18)))); }
static weft_array *of_lu(weft_array *x) { return weighed(squared(lu(x, false))); }
static weft_array *of_lu_wide(weft_array *x) { return weft_sum(cubed(lu(x, false))); }

static weft_array *schur_made(weft_array *a)
{
    weft_array *z = NULL, *t = weft_schur(a, &z);
    return weft_matmul(weft_matmul(z, t), turned(z));
}
static weft_array *schur_values(weft_array *a)
{
    return weft_sort(weft_abs(weft_eigvals(schur(a, false))), -1);
}

/* clang-format off */
#define MATRICES(R) \
    R(cholesky, 1e-13, weft_cholesky(IN(positive))) \
    R(cholesky_upper, 1e-13, weft_cholesky(IN(positive), .upper = true)) \
    R(cholesky32, 1e-5, weft_cholesky(IN(positive32))) \
    R(cholesky_not, 0, weft_cholesky(IN(negative))) \
    R(cholesky_big, 1e-12, weft_cholesky(spd(IN(big)))) \
    R(cholesky_ints, 1e-6, weft_cholesky(IN(ints))) \
    R(cholesky_none, 0, weft_cholesky(IN(none))) \
    R(triangular, 1e-11, weft_solve_triangular(IN(a), IN(b))) \
    R(triangular_upper, 1e-11, weft_solve_triangular(IN(a), IN(b), .upper = true)) \
    R(triangular_turned, 1e-11, weft_solve_triangular(IN(a), IN(b), .transpose = true, .unit = true)) \
    R(triangular_vector, 1e-11, weft_solve_triangular(part(IN(a), "0"), IN(v))) \
    R(lu, 1e-13, lu(IN(a), false)) \
    R(lu_tall, 1e-13, lu(IN(tall), false)) \
    R(lu_order, 0, lu(IN(tall), true)) \
    R(lu_singular, 0, lu(IN(singular), false)) \
    R(qr_q, 1e-13, weft_abs(weft_qr(IN(tall), NULL))) \
    R(qr_r, 1e-13, r_size(IN(tall), false)) \
    R(qr_full, 1e-13, weft_abs(part(weft_qr(IN(tall), NULL, .full = true), ":,:,:4"))) \
    R(qr_wide, 1e-13, r_size(turned(IN(tall)), false)) \
    R(qr_big, 1e-11, r_size(IN(big), false)) \
    R(eigh_w, 1e-13, weft_eigh(IN(positive), NULL)) \
    R(eigh_v, 1e-12, weft_abs(eigh_v(IN(positive)))) \
    R(eigvalsh, 1e-13, weft_eigvalsh(IN(a))) \
    R(eigh_big, 1e-12, weft_eigvalsh(IN(big))) \
    R(eigh_big_v, 1e-10, weft_abs(eigh_v(IN(big)))) \
    R(eigh_two, 1e-14, squared(eigh_v(IN(two)))) \
    R(eigh_nan, 0, weft_eigvalsh(IN(nan))) \
    R(hess_h, 1e-13, hess(IN(a), false)) \
    R(hess_q, 1e-13, hess(IN(a), true)) \
    R(hess_big, 1e-11, hess(IN(big), false)) \
    R(hess_big_q, 1e-11, hess(IN(big), true)) \
    R(hess32, 1e-5, hess(IN(a32), false)) \
    R(schur_made, 1e-13, schur_made(IN(a))) \
    R(schur_big, 1e-12, schur_made(IN(big))) \
    R(schur_values, 1e-12, schur_values(IN(a))) \
    R(schur_big_values, 1e-11, schur_values(IN(big))) \
    R(schur_nan, 0, schur(IN(nan), true)) \
    R(schur_none, 0, schur_made(IN(none))) \
    R(schur32, 1e-5, schur_made(IN(a32))) \
    R(svd_s, 1e-13, svd(IN(tall), false, 0)) \
    R(svd_u, 1e-12, weft_abs(svd(IN(tall), false, 1))) \
    R(svd_v, 1e-12, weft_abs(svd(IN(tall), false, 2))) \
    R(svd_wide, 1e-12, weft_abs(svd(turned(IN(tall)), false, 2))) \
    R(svd_full, 1e-12, weft_abs(part(svd(IN(tall), true, 1), ":,:,:4"))) \
    R(svd_big, 1e-12, weft_svd(IN(big), NULL, NULL)) \
    R(svd_poor, 1e-14, weft_svd(IN(poor), NULL, NULL)) \
    R(solve, 1e-11, weft_solve(IN(a), IN(b))) \
    R(solve32, 1e-3, weft_solve(IN(a32), IN(b32))) \
    R(solve_vector, 1e-11, weft_solve(part(IN(a), "0"), IN(v))) \
    R(solve_big, 1e-10, weft_solve(IN(big), part(IN(big), ":, :3"))) \
    R(solve_spread, 1e-11, weft_solve(IN(a), part(IN(b), "0"))) \
    R(inv, 1e-11, weft_inv(IN(a))) \
    R(inv_big, 1e-10, weft_inv(IN(big))) \
    R(det, 1e-12, weft_det(IN(a))) \
    R(det_singular, 1e-15, weft_det(IN(singular))) \
    R(det_big, 1e-11, weft_det(IN(big))) \
    R(slogdet, 1e-12, weft_slogdet(IN(a), NULL)) \
    R(slogdet_sign, 0, sign_of(IN(a))) \
    R(slogdet_none, 0, weft_slogdet(IN(none), NULL)) \
    R(lstsq, 1e-11, weft_lstsq(part(IN(tall), "0"), part(IN(tall), "1, :, 0"))) \
    R(lstsq_poor, 1e-13, weft_lstsq(IN(poor), counted(3))) \
    R(lstsq_several, 1e-11, weft_lstsq(part(IN(tall), "0"), part(IN(tall), "1, :, :2"))) \
    R(pinv, 1e-12, weft_pinv(IN(tall))) \
    R(pinv_wide, 1e-12, weft_pinv(turned(IN(tall)))) \
    R(pinv_poor, 1e-13, weft_pinv(IN(poor))) \
    R(rank, 0, weft_matrix_rank(IN(poor))) \
    R(rank_full, 0, weft_matrix_rank(IN(a))) \
    R(cond, 1e-11, weft_matrix_cond(IN(a))) \
    R(power_5, 1e-12, weft_matrix_power(IN(a), 5)) \
    R(power_0, 0, weft_matrix_power(IN(a), 0)) \
    R(power_minus, 1e-10, weft_matrix_power(IN(a), -2)) \
    R(expm, 1e-12, weft_expm(IN(a))) \
    R(expm_large, 1e-9, weft_expm(IN(large))) \
    R(expm_zero, 0, weft_expm(weft_zeros(NULL, WEFT_F64, 2, 2))) \
    R(norm_fro, 1e-13, weft_matrix_norm(IN(a), NULL)) \
    R(norm_nuc, 1e-13, weft_matrix_norm(IN(a), "nuc")) \
    R(norm_2, 1e-13, weft_matrix_norm(IN(a), "2")) \
    R(norm_minus_2, 1e-13, weft_matrix_norm(IN(a), "-2")) \
    R(norm_1, 1e-13, weft_matrix_norm(IN(a), "1")) \
    R(norm_minus_1, 1e-13, weft_matrix_norm(IN(a), "-1")) \
    R(norm_inf, 1e-13, weft_matrix_norm(IN(a), "inf")) \
    R(norm_minus_inf, 1e-13, weft_matrix_norm(IN(a), "-inf")) \
    R(trace, 1e-13, weft_trace(IN(tall))) \
    R(trace_1, 1e-13, weft_trace(IN(tall), 1)) \
    R(diagonal, 0, weft_diagonal(IN(tall), -1)) \
    R(diagonal_far, 0, weft_diagonal(IN(tall), 9)) \
    R(diag, 0, weft_diag(IN(v))) \
    R(diag_2, 0, weft_diag(IN(v), 2)) \
    R(diag_minus, 0, weft_diag(IN(v), -1)) \
    R(diag_of, 0, weft_diag(part(IN(tall), "0"), -2)) \
    R(kron, 1e-15, weft_kron(part(IN(a), "0"), part(IN(tall), "0"))) \
    R(kron_vector, 1e-15, weft_kron(IN(v), part(IN(a), "0"))) \
    R(cross, 1e-15, weft_cross(IN(v3), IN(w3))) \
    R(block_diag, 0, weft_block_diag(part(IN(a), "0"), part(IN(tall), "0"), IN(v))) \
    R(toeplitz, 0, weft_toeplitz(IN(v), IN(w))) \
    R(toeplitz_alone, 0, weft_toeplitz(IN(v), NULL)) \
    R(cov, 1e-13, weft_cov(part(IN(tall), "0"))) \
    R(cov_vector, 1e-13, weft_cov(IN(v))) \
    R(lstsq_tall, 1e-13, weft_lstsq(weft_reshape(IN(tall), 18, 4), counted(18))) \
    R(cov_row, 1e-13, weft_cov(weft_expand_dims(IN(v), 0))) \
    R(corrcoef, 1e-13, weft_corrcoef(part(IN(tall), "0"))) \
    R(polyfit, 1e-11, weft_polyfit(IN(points), IN(values), 3)) \
    R(polyval, 1e-13, weft_polyval(IN(v), IN(points)))

#define GRADIENTS(R) \
    R(grad_cholesky, 1e-11, gradient(of_cholesky, IN(positive))) \
    R(grad_solve, 1e-9, gradient(of_solve, IN(a))) \
    R(grad_solve_b, 1e-10, gradient(of_solve_b, IN(b))) \
    R(grad_inv, 1e-8, gradient(of_inv, IN(a))) \
    R(grad_det, 1e-11, gradient(of_det, IN(a))) \
    R(grad_det_flat, 1e-15, gradient(of_det, IN(flat))) \
    R(grad_det_twice, 1e-15, gradient(of_det_slopes, IN(flat))) \
    R(grad_slogdet, 1e-11, gradient(of_slogdet, IN(positive))) \
    R(grad_qr, 1e-11, gradient(of_qr, IN(tall))) \
    R(grad_eigh, 1e-12, gradient(of_eigh, IN(positive))) \
    R(grad_eigh_v, 1e-11, gradient(of_eigh_v, IN(positive))) \
    R(grad_svd, 1e-12, gradient(of_svd, IN(tall))) \
    R(grad_svd_u, 1e-11, gradient(of_svd_u, IN(tall))) \
    R(grad_expm, 1e-11, gradient(of_expm, part(IN(a), "0"))) \
    R(grad_pinv, 1e-10, gradient(of_pinv, IN(tall))) \
    R(grad_pinv_equal, 1e-13, gradient(of_pinv, IN(equal))) \
    R(grad_pinv_poor, 1e-13, gradient(of_pinv, IN(poorer))) \
    R(grad_pinv_twice, 1e-12, gradient(of_pinv_slopes, IN(equal))) \
    R(grad_lstsq_equal, 1e-15, gradient(of_lstsq, IN(equal))) \
    R(grad_lstsq_tall, 1e-12, gradient(of_lstsq_tall, weft_reshape(IN(tall), 18, 4))) \
    R(grad_lu, 1e-11, gradient(of_lu, IN(tall))) \
    R(grad_lu_wide, 1e-9, gradient(of_lu_wide, turned(IN(tall))))
#define ALL(R) MATRICES(R) GRADIENTS(R)
/* clang-format on */

TestSuite(ops_matrix, .timeout = 200);
OPS_SUITE_OF("tests/data/linalg.txt", ops_matrix, ALL)

/* ---- LAPACK's and weft's own */

/* What does not depend on signs, of matrices that are large enough for LAPACK. */
static weft_array *large(weft_array *a)
{
    int64_t n = weft_dim(a, 0);
    weft_array *at = turned(a), *one = weft_eye(NULL, WEFT_F64, n), *p = weft_add(weft_matmul(a, at), one),
               *u = NULL, *vt = NULL, *s = weft_svd(weft_at(a, ":, :35"), &u, &vt), *q, *r = NULL, *v = NULL,
               *w;
    q = weft_qr(weft_at(a, ":, :35"), &r);
    w = weft_eigh(p, &v);
    weft_array *parts[] = { weft_cholesky(p),
                            weft_cholesky(p, .upper = true),
                            weft_astype(weft_isnan(weft_cholesky(weft_sub(p, weft_mul(one, 30)))), WEFT_F64),
                            weft_inv(a),
                            weft_solve_triangular(p, a),
                            weft_solve_triangular(p, a, .upper = true, .transpose = true),
                            weft_solve_triangular(p, a, .upper = true, .unit = true),
                            weft_matmul(weft_mul(u, s), vt),
                            weft_matmul(q, r),
                            weft_matmul(turned(q), q),
                            weft_abs(weft_qr(a, NULL, .full = true)),
                            weft_matmul(weft_mul(v, w), turned(v)),
                            weft_matmul(turned(v), v),
                            weft_broadcast_to(w, n, n),
                            lu(a, false) };
    enum { N_PARTS = sizeof parts / sizeof *parts };
    weft_array *flat[N_PARTS];
    for (int i = 0; i < N_PARTS; i++) flat[i] = weft_reshape(parts[i], -1);
    return weft_concatenate_(0, N_PARTS, (const weft_array *const *)flat, NULL);
}

static void lapack_and_own(int64_t n)
{
    open_context();
    need_backend();
    weft_array *angles = weft_mul(weft_astype(weft_arange(ctx, 0, n * n, 1), WEFT_F64), 1.7),
               *a = weft_mul(weft_reshape(weft_sin(weft_mul(angles, angles)), n, n), 2), *eager = large(a);
    weft_declare(ctx, large, weft_unary);
    weft_unary *fast = weft_jit(ctx, large);
    weft_array *compiled = fast(a);
    cr_assert(compiled && eager, "%s", weft_error(ctx));
    if (!lapack_is_open()) fprintf(stderr, "there is no LAPACK here\n");
    expect_close(__LINE__, "by LAPACK", compiled, eager, 1e-10);
    lapack_forget(true);
    expect_close(__LINE__, "by weft's own", fast(a), eager, 1e-12);
    lapack_forget(false);
    close_context_without_error();
}
Test(ops_matrix, lapack_and_own_agree) { lapack_and_own(40); }
/* LAPACK's copies have a leading dimension of their own. */
Test(ops_matrix, lapack_and_own_agree_on_a_power_of_two) { lapack_and_own(128); }

/* Rows of a less those of l u, over what is largest in each column. */
static weft_array *rows_less_lu(weft_array *a)
{
    weft_array *order = NULL, *f = weft_lu(a, &order),
               *largest = weft_max(weft_abs(a), .axes = "-2", .keep = true),
               *l = weft_add(weft_tril(f, -1), weft_matrix_power(f, 0)),
               *places = weft_broadcast_to(weft_expand_dims(order, -1), 2, 40, 40),
               *moved = weft_take_along_axis(a, places, -2);
    return weft_abs(weft_sub(weft_div(moved, largest), weft_matmul(l, weft_div(weft_triu(f), largest))));
}

/* Pivots are subnormal where rank ends, in all columns, or in some: LAPACKs divide by them through their
 * inverse, inf, or not at all. */
Test(ops_matrix, lu_of_tiny_ones)
{
    open_context();
    need_backend();
    weft_declare(ctx, rows_less_lu, weft_unary);
    weft_array *i = weft_astype(weft_arange(ctx, 0, 3200, 1), WEFT_F64),
               *a = weft_reshape(weft_sin(weft_at(i, ":400")), 2, 40, 5), *poor = weft_matmul(a, turned(a)),
               *whole = weft_reshape(weft_sin(weft_square(i)), 2, 40, 40),
               *is_tiny = weft_lt(weft_at(i, ":40"), 20),
               *some = weft_where(is_tiny, weft_mul(whole, 1e-309), whole);
    weft_array *all[] = { weft_mul(poor, 1e-300),
                          weft_mul(weft_astype(poor, WEFT_F32), 1e-38),
                          weft_mul(weft_complex(poor, turned(poor)), 1e-300),
                          weft_mul(whole, 1e-308),
                          weft_mul(weft_astype(whole, WEFT_F32), 3e-39),
                          weft_mul(weft_complex(whole, turned(whole)), 1e-308),
                          weft_astype(weft_mul(weft_complex(whole, turned(whole)), 3e-39), WEFT_C64),
                          some };
    for (int k = 0; k < 8; k++) {
        bool is_single = k == 1 || k == 4 || k == 6;
        weft_array *none = weft_zeros(ctx, WEFT_F64, 2, 40, 40), *less = weft_jit(ctx, rows_less_lu)(all[k]);
        expect_close(__LINE__, "compiled", weft_astype(less, WEFT_F64), none, is_single ? 1e-5 : 1e-12);
    }
    close_context_without_error();
}

/* ---- shapes, types */

static weft_array *made_of_factors(weft_array *a)
{
    weft_array *r = NULL, *q = weft_qr(a, &r), *u = NULL, *vt = NULL, *s = weft_svd(a, &u, &vt);
    return weft_stack_arrays(0, weft_matmul(q, r), weft_matmul(weft_mul(u, s), vt));
}

/* Factors of a matrix as long as this take no square of its rows: 80 GB. Of real and complex ones, long and
 * wide. */
Test(ops_matrix, long_ones_take_little)
{
    open_context();
    weft_declare(ctx, made_of_factors, weft_unary);
    for (int kind = 0; kind < 4; kind++) {
        weft_array *i = weft_astype(weft_arange(ctx, 0, 200000, 1), WEFT_F64),
                   *a = weft_reshape(weft_sin(weft_mul(i, 0.7)), 100000, 2);
        if (kind & 1) a = weft_complex(a, weft_cos(weft_mul(a, 3)));
        if (kind & 2) a = turned(a);
        weft_array *both = weft_stack_arrays(0, a, a);
        expect_close(__LINE__, "eager", made_of_factors(a), both, 1e-10);
        if (!have_backend()) continue;
        expect_close(__LINE__, "compiled", weft_jit(ctx, made_of_factors)(a), both, 1e-10);
        lapack_forget(true);
        expect_close(__LINE__, "own", weft_jit(ctx, made_of_factors)(a), both, 1e-10);
        lapack_forget(false);
    }
    close_context_without_error();
}

Test(ops_matrix, what_is_refused)
{
    open_context();
    weft_array *square = weft_eye(ctx, WEFT_F32, 3), *wide = weft_ones(ctx, WEFT_F32, 2, 3),
               *v = weft_ones(ctx, WEFT_F32, 3), *one = weft_full(ctx, WEFT_F32, 1),
               *half = weft_astype(square, WEFT_F16), *many = weft_ones(ctx, WEFT_F64, 4, 3, 3),
               *other = weft_ones(ctx, WEFT_F64, 5, 3, 2);
    REFUSED(WEFT_SHAPE, !weft_cholesky(wide), "f32[2,3] is not square (its last two axes are 2 and 3)");
    REFUSED(WEFT_SHAPE, !weft_cholesky(v), "f32[3] is no matrix");
    REFUSED(WEFT_SHAPE, !weft_cholesky(one), "is no matrix");
    REFUSED(WEFT_DTYPE, !weft_cholesky(half), "f16");
    REFUSED(WEFT_DTYPE, !weft_svd(half, NULL, NULL), "f16");
    REFUSED(WEFT_ARGUMENT, !weft_cholesky(square, .full = true), ".full");
    REFUSED(WEFT_ARGUMENT, !weft_inv(square, .upper = true), ".upper");
    REFUSED(WEFT_ARGUMENT, !weft_solve(square, v, .unit = true), ".unit");
    REFUSED(WEFT_ARGUMENT, !weft_det(square, .rcond = 1), ".rcond");
    REFUSED(WEFT_ARGUMENT, !weft_svd(square, NULL, NULL, .transpose = true), ".transpose");
    REFUSED(WEFT_SHAPE, !weft_eigvalsh(wide), "is not square");
    REFUSED(WEFT_SHAPE, !weft_eigh(v, NULL), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_lu(v, NULL), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_qr(v, NULL), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_inv(wide), "is not square");
    REFUSED(WEFT_SHAPE, !weft_det(wide), "is not square");
    REFUSED(WEFT_SHAPE, !weft_slogdet(wide, NULL), "is not square");
    REFUSED(WEFT_SHAPE, !weft_pinv(v), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_matrix_rank(v), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_matrix_cond(weft_zeros(ctx, WEFT_F32, 0, 3)), "no singular values");
    REFUSED(WEFT_SHAPE, !weft_solve(wide, v), "is not square");
    REFUSED(WEFT_SHAPE, !weft_solve(square, one), "has no axis");
    REFUSED(WEFT_SHAPE, !weft_solve(square, weft_ones(ctx, WEFT_F32, 2)), "2 rows, not the 3");
    REFUSED(WEFT_SHAPE, !weft_solve(many, other), "4 against 5");
    REFUSED(WEFT_SHAPE, !weft_solve_triangular(square, weft_ones(ctx, WEFT_F32, 2, 3)), "2 rows, not the 3");
    REFUSED(WEFT_SHAPE, !weft_lstsq(wide, v), "3 rows, not the 2");
    REFUSED(WEFT_SHAPE, !weft_matrix_power(wide, 2), "is not square");
    REFUSED(WEFT_SHAPE, !weft_expm(wide), "is not square");
    REFUSED(WEFT_ARGUMENT, !weft_matrix_norm(square, "3"), "the order \"3\" is not known");
    REFUSED(WEFT_SHAPE, !weft_matrix_norm(v, "fro"), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_matrix_norm(weft_zeros(ctx, WEFT_F32, 0, 3), "2"), "has no elements");
    REFUSED(WEFT_SHAPE, !weft_trace(v, 0), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_diagonal(v, 0), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_diag(one, 0), "neither a vector nor a matrix");
    REFUSED(WEFT_SHAPE, !weft_diag(many, 0), "neither a vector nor a matrix");
    REFUSED(WEFT_SHAPE, !weft_diag(v, INT64_MIN), "more elements than there can be");
    REFUSED(WEFT_SHAPE, !weft_cross(v, weft_ones(ctx, WEFT_F32, 2)), "no vectors of 3 elements");
    REFUSED(WEFT_SHAPE, !weft_cross(v, one), "no vectors of 3 elements");
    REFUSED(WEFT_SHAPE, !weft_block_diag(square, many), "is no matrix (rank 2 at most)");
    REFUSED(WEFT_SHAPE, !weft_toeplitz(square, v), "must be vectors");
    REFUSED(WEFT_SHAPE, !weft_cov(many), "is not [variables, observations]");
    REFUSED(WEFT_SHAPE, !weft_cov(weft_zeros(ctx, WEFT_F32, 3, 0)), "has no observations");
    REFUSED(WEFT_SHAPE, !weft_polyval(square, v), "must be a vector");
    REFUSED(WEFT_SHAPE, !weft_polyfit(v, weft_ones(ctx, WEFT_F32, 2), 1), "equally many points");
    REFUSED(WEFT_ARGUMENT, !weft_polyfit(v, v, -1), "degree -1");
    REFUSED(WEFT_SHAPE, !weft_roots(square), "must be a vector");
    REFUSED(WEFT_SHAPE, !weft_roots(weft_zeros(ctx, WEFT_F32, 0)), "not an empty one");
    REFUSED(WEFT_SHAPE, !weft_roots(weft_ones(ctx, WEFT_F32, 1001)), "are more than 1000");
    REFUSED(WEFT_ARGUMENT, !weft_roots(v, .upper = true), "does not apply here");
    close_context_without_error();
}

static weft_array *first_root(weft_array *p) { return weft_real(weft_at(weft_roots(p), "0")); }
static weft_array *all_roots(weft_array *p) { return weft_roots(p); }
static weft_array *numbers(size_t n, const double *list) { return weft_from(ctx, list, (int64_t)n); }
#define LIST(...) numbers(sizeof(double[]){ __VA_ARGS__ } / sizeof(double), (const double[]){ __VA_ARGS__ })

/* Roots of p by weft_roots, sums of which do not depend on order. */
static void expect_roots(weft_array *p, weft_array *wanted, int missing)
{
    weft_array *r = weft_roots(p), *compiled = weft_jit(ctx, all_roots)(p);
    cr_assert(r && compiled, "%s", weft_error(ctx));
    weft_array *there = weft_logical_not(weft_isnan(weft_real(r)));
    cr_expect_eq(weft_item(weft_sum(weft_not(there))), missing);
    weft_array *power = weft_ones(ctx, WEFT_C128), *of = weft_ones(ctx, WEFT_C128);
    for (int k = 1; k <= 4; k++) {
        power = weft_mul(power, r);
        of = weft_mul(of, wanted);
        weft_array *distance = weft_sub(weft_sum(power, .where = there), weft_sum(of));
        cr_expect(weft_item(weft_abs(distance)) < 1e-11, "power %d", k);
        weft_array *other = weft_sub(weft_sum(weft_pow(compiled, k), .where = there), weft_sum(of));
        cr_expect(weft_item(weft_abs(other)) < 1e-11, "compiled, power %d: %g", k,
                  weft_item(weft_abs(other)));
    }
}

/* Each of a batch is squared as often as it has to be, alone or not, in either precision, and by its gradient
 * too. */
Test(ops_matrix, exponentials_of_a_batch)
{
    static const double scales[] = { 0, 1e-3, 1, 3, 11 };
    enum { N = sizeof scales / sizeof *scales };
    double in[N][9];
    for (int i = 0; i < 9 * N; i++) in[i / 9][i % 9] = scales[i / 9] * sin(i + 1);
    weft_array *all = weft_from(ctx, in[0], N, 3, 3), *single = weft_astype(all, WEFT_F32);
    weft_unary *const fast = weft_jit(ctx, weft_expm);
    weft_array *ways[] = { weft_expm(all), fast(all), weft_vmap(ctx, weft_expm, "0")(all),
                           weft_astype(weft_expm(single), WEFT_F64), gradient(of_expm, all) };
    for (int w = 0; w < 5; w++)
        for (int i = 0; i < N; i++) {
            weft_array *one = weft_from(ctx, in[i], 3, 3),
                       *want = w < 4 ? weft_expm(one) : gradient(of_expm, one);
            const double *x = weft_data(want), *y = weft_data(weft_at(ways[w], "%d", i));
            cr_assert(x && y, "%s", weft_error(ctx));
            double size = 0;
            for (int k = 0; k < 9; k++) size = fmax(size, fabs(x[k]));
            for (int k = 0; k < 9; k++)
                cr_expect(fabs(x[k] - y[k]) <= (w == 3 ? 1e-4 : 1e-12) * size, "way %d, scale %g: %g, not %g",
                          w, scales[i], y[k], x[k]);
        }
}

Test(ops_matrix, roots_of_polynomials)
{
    open_context();
    weft_declare(ctx, first_root, weft_unary);
    weft_declare(ctx, all_roots, weft_unary);
    expect_roots(LIST(1, -6, 11, -6), LIST(1, 2, 3), 0);
    expect_roots(LIST(3.2, 2, 1), weft_complex(-0.3125, LIST(0.46351240544347894, -0.46351240544347894)), 0);
    expect_roots(LIST(0, 0, 2, -3), LIST(1.5), 2);
    expect_roots(LIST(0, 1, -1, 0, 0), LIST(1, 0, 0), 1);
    expect_roots(LIST(0, 0, 0), LIST(0), 2);
    expect_roots(LIST(5, 0), LIST(0), 0);
    cr_expect_eq(weft_count(weft_roots(LIST(7))), 0);
    cr_expect_eq(weft_dtype_of(weft_roots(weft_ones(ctx, WEFT_F32, 3))), WEFT_C64);
    /* the greatest root is 3: its derivative by coefficient k is -3^(3-k) / p'(3), p' = 3 x^2 - 12 x + 11 */
    weft_array *slope = weft_grad(ctx, weft_unary, first_root, "x")(LIST(1, -6, 11, -6));
    cr_assert(slope, "%s", weft_error(ctx));
    for (int k = 0; k < 4; k++) cr_expect_float_eq(weft_f64(slope)[k], -pow(3, 3 - k) / 2, 1e-10, "%d", k);
    close_context_without_error();
}

/* A matrix without a factor is NaN, and so are not its neighbours. */
Test(ops_matrix, one_bad_matrix_among_good_ones)
{
    open_context();
    weft_array *good = weft_mul(weft_eye(ctx, WEFT_F32, 3), 4), *bad = weft_neg(good),
               *both = weft_concatenate(0, weft_expand_dims(good, 0), weft_expand_dims(bad, 0),
                                        weft_expand_dims(good, 0)),
               *l = weft_cholesky(both);
    EXPECT(weft_at(l, "0"), 2, 0, 0, 0, 2, 0, 0, 0, 2);
    EXPECT(weft_astype(weft_isnan(weft_at(l, "1")), WEFT_F32), 1, 0, 0, 1, 1, 0, 1, 1, 1);
    EXPECT(weft_at(l, "2"), 2, 0, 0, 0, 2, 0, 0, 0, 2);
    weft_array *singular = weft_solve(weft_zeros(ctx, WEFT_F32, 2, 2), weft_ones(ctx, WEFT_F32, 2));
    cr_expect(!isfinite(weft_item(weft_at(singular, "1"))));
    close_context_without_error();
}
