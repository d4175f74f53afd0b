/* test_ops_matrix_complex.c: factors of complex matrices, against JAX: eager, compiled in strict mode bit for
 * bit, by LAPACK and as if there were none; gradients, vmap, both ways of a derivative; errors. */
#include <complex.h>
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

static weft_array *columns_times(weft_array *a, weft_array *w)
{
    return weft_mul(a, weft_expand_dims(w, -2));
}
static weft_array *eigh_made(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eigh(a, &v);
    return weft_matmul(columns_times(v, w), adjoint(v));
}
static weft_array *eig_v(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eig(a, &v);
    return second(w, v);
}
static weft_array *eig_made(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eig(a, &v);
    return weft_matmul(columns_times(v, w), weft_inv(v));
}
static weft_array *svd_made(weft_array *a, bool squared)
{
    weft_array *u = NULL, *vt = NULL, *s = weft_svd(a, &u, &vt);
    return weft_matmul(columns_times(u, squared ? weft_square(s) : s), vt);
}
static weft_array *svd_unitary(weft_array *a)
{
    weft_array *u = svd(a, true, 1);
    return weft_matmul(u, adjoint(u));
}
static weft_array *spd(weft_array *a)
{
    return weft_add(weft_matmul(a, adjoint(a)), weft_eye(NULL, WEFT_F64, weft_dim(a, 0)));
}

static weft_array *sizes(weft_array *x) { return weft_square(weft_abs(x)); }
static weft_array *total(weft_array *x) { return weft_real(weft_sum(x)); }
static weft_array *cubed(weft_array *x) { return total(weft_mul(x, weft_mul(x, x))); }
static weft_array *weighed(weft_array *x) { return total(weft_mul(x, IN(v))); }
static weft_array *weighed_real(weft_array *x) { return weft_sum(weft_mul(x, weft_real(IN(v)))); }
static weft_array *of_cholesky(weft_array *x) { return weighed(squared(weft_cholesky(x))); }
static weft_array *of_eig(weft_array *x) { return total(weft_sin(weft_eigvals(x))); }
static weft_array *of_eig_v(weft_array *x) { return cubed(eig_v(x)); }
static weft_array *of_solve(weft_array *x) { return total(weft_sin(weft_solve(x, IN(b)))); }
static weft_array *of_solve_b(weft_array *x) { return total(weft_sin(weft_solve(IN(a), x))); }
static weft_array *of_triangular(weft_array *x)
{
    return total(squared(weft_solve_triangular(x, IN(b), .adjoint = true)));
}
static weft_array *of_triangular_b(weft_array *x)
{
    return total(squared(weft_solve_triangular(IN(a), x, .adjoint = true)));
}
static weft_array *of_inv(weft_array *x) { return cubed(weft_inv(x)); }
static weft_array *of_det(weft_array *x) { return weft_imag(weft_sum(squared(weft_det(x)))); }
static weft_array *of_flat(weft_array *x) { return weft_imag(weft_det(x)); }
static weft_array *of_flat_slopes(weft_array *x)
{
    return weft_sum(weft_square(weft_abs(gradient(of_flat, x))));
}
static weft_array *of_slogdet(weft_array *x) { return weft_sum(weft_slogdet(x, NULL)); }
static weft_array *of_sign(weft_array *x)
{
    weft_array *sign;
    weft_slogdet(x, &sign);
    return weft_imag(weft_sum(squared(sign)));
}
static weft_array *of_qr(weft_array *x) { return weighed(squared(qr_r(x, false))); }
static weft_array *of_qr_q(weft_array *x) { return weighed(squared(weft_qr(x, NULL))); }
static weft_array *of_eigh(weft_array *x) { return weighed_real(weft_eigvalsh(x)); }
static weft_array *of_eigh_v(weft_array *x) { return weighed_real(sizes(eigh_v(x))); }
static weft_array *of_svd(weft_array *x) { return weighed_real(svd(x, false, 0)); }
static weft_array *of_svd_u(weft_array *x) { return weighed_real(sizes(svd(x, false, 1))); }
static weft_array *of_svd_v(weft_array *x) { return weighed_real(sizes(svd(x, false, 2))); }
static weft_array *of_svd_made(weft_array *x) { return total(squared(svd_made(x, true))); }
static weft_array *of_expm(weft_array *x) { return total(weft_expm(x)); }
static weft_array *of_pinv(weft_array *x) { return cubed(weft_pinv(x)); }
static weft_array *of_pinv_slopes(weft_array *x)
{
    return weft_sum(weft_square(weft_abs(gradient(of_pinv, x))));
}
static weft_array *of_lu(weft_array *x) { return weighed(squared(lu(x, false))); }

static weft_array *schur_made(weft_array *a)
{
    weft_array *z = NULL, *t = weft_schur(a, &z);
    return weft_matmul(weft_matmul(z, t), adjoint(z));
}
static weft_array *schur_values(weft_array *a)
{
    return weft_sort(weft_abs(weft_diagonal(schur(a, false), 0)), -1);
}

/* clang-format off */
#define MATRICES(R) \
    R(cholesky, 1e-13, weft_cholesky(IN(positive))) \
    R(cholesky_upper, 1e-13, weft_cholesky(IN(positive), .upper = true)) \
    R(cholesky32, 1e-5, weft_cholesky(IN(positive32))) \
    R(cholesky_not, 0, weft_cholesky(IN(negative))) \
    R(cholesky_big, 1e-12, weft_cholesky(spd(IN(big)))) \
    R(cholesky_none, 0, weft_cholesky(IN(none))) \
    R(triangular, 1e-11, weft_solve_triangular(IN(a), IN(b))) \
    R(triangular_upper, 1e-11, weft_solve_triangular(IN(a), IN(b), .upper = true)) \
    R(triangular_turned, 1e-11, weft_solve_triangular(IN(a), IN(b), .transpose = true, .unit = true)) \
    R(triangular_adjoint, 1e-11, weft_solve_triangular(IN(a), IN(b), .adjoint = true)) \
    R(triangular_adjoint_upper, 1e-11, weft_solve_triangular(IN(a), IN(b), .adjoint = true, .upper = true)) \
    R(triangular_vector, 1e-11, weft_solve_triangular(part(IN(a), "0"), IN(v))) \
    R(lu, 1e-13, lu(IN(a), false)) \
    R(lu_tall, 1e-13, lu(IN(tall), false)) \
    R(lu_order, 0, lu(IN(tall), true)) \
    R(lu_singular, 1e-15, lu(IN(singular), false)) \
    R(qr_q, 1e-13, weft_qr(IN(tall), NULL)) \
    R(qr_r, 1e-13, qr_r(IN(tall), false)) \
    R(qr_full, 1e-13, weft_qr(IN(tall), NULL, .full = true)) \
    R(qr_wide, 1e-13, qr_r(turned(IN(tall)), false)) \
    R(qr_big, 1e-11, qr_r(IN(big), false)) \
    R(qr_few, 0, qr_r(IN(few), false)) \
    R(eigh_w, 1e-13, weft_eigh(IN(positive), NULL)) \
    R(eigh_v, 1e-12, weft_abs(eigh_v(IN(positive)))) \
    R(eigvalsh, 1e-13, weft_eigvalsh(IN(a))) \
    R(eigh_big, 1e-12, weft_eigvalsh(IN(big))) \
    R(eigh_big_v, 1e-10, weft_abs(eigh_v(IN(big)))) \
    R(eigh_nan, 0, weft_eigvalsh(IN(nan))) \
    R(eigh_made, 1e-13, eigh_made(IN(positive))) \
    R(eig_real, 1e-12, weft_sort(weft_real(weft_eigvals(IN(a))), -1)) \
    R(eig_sizes, 1e-12, weft_sort(weft_abs(weft_eig(IN(a), NULL)), -1)) \
    R(eig_v, 1e-12, weft_sort(weft_abs(eig_v(IN(a))), -1)) \
    R(eig_v_sum, 1e-11, weft_sum(eig_v(IN(a)), .axes = "-1")) \
    R(eig_of_real, 1e-12, weft_sort(weft_imag(weft_eigvals(IN(r))), -1)) \
    R(eig_big, 1e-11, weft_sort(weft_abs(weft_eigvals(IN(big))), -1)) \
    R(eig_big_v, 1e-10, weft_sum(eig_v(IN(big)), .axes = "-1")) \
    R(eig_nan, 0, weft_eigvals(IN(nan))) \
    R(eig_none, 0, weft_eigvals(IN(none))) \
    R(eig_made, 1e-12, eig_made(IN(a))) \
    R(eig_made_big, 1e-10, eig_made(IN(big))) \
    R(eig_huge, 1e-12, weft_sort(weft_abs(weft_div(weft_eigvals(IN(huge)), 1e200)), -1)) \
    R(eig_singular, 1e-14, weft_sort(weft_abs(weft_eigvals(IN(singular))), -1)) \
    R(eig32, 1e-5, weft_sort(weft_real(weft_eigvals(IN(a32))), -1)) \
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
    R(svd_few, 0, svd(IN(few), false, 0)) \
    R(svd_made, 1e-13, svd_made(IN(tall), false)) \
    R(svd_made_wide, 1e-13, svd_made(turned(IN(tall)), false)) \
    R(svd_unitary, 1e-13, svd_unitary(IN(tall))) \
    R(svd_huge, 1e-13, weft_div(weft_svd(IN(huge), NULL, NULL), 1e200)) \
    R(solve, 1e-11, weft_solve(IN(a), IN(b))) \
    R(solve32, 1e-3, weft_solve(IN(a32), IN(b32))) \
    R(solve_real, 1e-11, weft_solve(IN(r), IN(v))) \
    R(solve_big, 1e-10, weft_solve(IN(big), part(IN(big), ":, :3"))) \
    R(inv, 1e-11, weft_inv(IN(a))) \
    R(inv_big, 1e-10, weft_inv(IN(big))) \
    R(det, 1e-12, weft_det(IN(a))) \
    R(det_big, 1e-11, weft_det(IN(big))) \
    R(det_singular, 1e-15, weft_det(IN(singular))) \
    R(slogdet, 1e-12, weft_slogdet(IN(a), NULL)) \
    R(slogdet_sign, 1e-13, sign_of(IN(a))) \
    R(slogdet_singular, 0, sign_of(weft_zeros(NULL, WEFT_C128, 2, 2))) \
    R(slogdet_none, 0, weft_slogdet(IN(none), NULL)) \
    R(lstsq, 1e-11, weft_lstsq(part(IN(tall), "0"), part(IN(tall), "1, :, 0"))) \
    R(lstsq_poor, 1e-13, weft_lstsq(IN(poor), weft_astype(weft_arange(NULL, 0, 3, 1), WEFT_F64))) \
    R(pinv, 1e-12, weft_pinv(IN(tall))) \
    R(pinv_wide, 1e-12, weft_pinv(turned(IN(tall)))) \
    R(pinv_poor, 1e-13, weft_pinv(IN(poor))) \
    R(rank, 0, weft_matrix_rank(IN(poor))) \
    R(cond, 1e-11, weft_matrix_cond(IN(a))) \
    R(power_5, 1e-12, weft_matrix_power(IN(a), 5)) \
    R(power_minus, 1e-10, weft_matrix_power(IN(a), -2)) \
    R(expm, 1e-12, weft_expm(part(IN(a), "0"))) \
    R(expm_large, 1e-9, weft_expm(IN(large))) \
    R(norm_fro, 1e-13, weft_matrix_norm(IN(a), NULL)) \
    R(norm_nuc, 1e-13, weft_matrix_norm(IN(a), "nuc")) \
    R(norm_2, 1e-13, weft_matrix_norm(IN(a), "2")) \
    R(norm_1, 1e-13, weft_matrix_norm(IN(a), "1")) \
    R(norm_minus_inf, 1e-13, weft_matrix_norm(IN(a), "-inf")) \
    R(cov, 1e-13, weft_cov(part(IN(tall), "0"))) \
    R(corrcoef, 1e-13, weft_corrcoef(part(IN(tall), "0"))) \
    R(corrcoef_none, 0, weft_corrcoef(IN(nan))) \
    R(trace, 1e-13, weft_trace(IN(tall), 0)) \
    R(kron, 1e-15, weft_kron(part(IN(a), "0"), part(IN(tall), "0")))

#define GRADIENTS(R) \
    R(grad_cholesky, 1e-11, gradient(of_cholesky, IN(positive))) \
    R(grad_solve, 1e-9, gradient(of_solve, IN(a))) \
    R(grad_solve_b, 1e-10, gradient(of_solve_b, IN(b))) \
    R(grad_triangular, 1e-9, gradient(of_triangular, IN(a))) \
    R(grad_triangular_b, 1e-9, gradient(of_triangular_b, IN(b))) \
    R(grad_inv, 1e-8, gradient(of_inv, IN(a))) \
    R(grad_det, 1e-11, gradient(of_det, IN(a))) \
    R(grad_det_flat, 1e-15, gradient(of_flat, IN(flat))) \
    R(grad_det_twice, 1e-15, gradient(of_flat_slopes, IN(flat))) \
    R(grad_slogdet, 1e-11, gradient(of_slogdet, IN(a))) \
    R(grad_slogdet_sign, 1e-11, gradient(of_sign, IN(a))) \
    R(grad_qr, 1e-11, gradient(of_qr, IN(tall))) \
    R(grad_qr_q, 1e-11, gradient(of_qr_q, IN(tall))) \
    R(grad_eigh, 1e-12, gradient(of_eigh, IN(positive))) \
    R(grad_eigh_v, 1e-11, gradient(of_eigh_v, IN(positive))) \
    R(grad_eig, 1e-10, gradient(of_eig, IN(a))) \
    R(grad_eig_real, 1e-10, gradient(of_eig, IN(r))) \
    R(grad_eig_v, 1e-9, gradient(of_eig_v, IN(a))) \
    R(grad_svd, 1e-12, gradient(of_svd, IN(tall))) \
    R(grad_svd_u, 1e-11, gradient(of_svd_u, IN(tall))) \
    R(grad_svd_v, 1e-11, gradient(of_svd_v, part(turned(IN(tall)), ":, :, :4"))) \
    R(grad_svd_made, 1e-10, gradient(of_svd_made, IN(tall))) \
    R(grad_expm, 1e-11, gradient(of_expm, part(IN(a), "0"))) \
    R(grad_pinv, 1e-10, gradient(of_pinv, IN(tall))) \
    R(grad_pinv_equal, 1e-13, gradient(of_pinv, IN(equal))) \
    R(grad_pinv_twice, 1e-12, gradient(of_pinv_slopes, IN(equal))) \
    R(grad_lu, 1e-11, gradient(of_lu, IN(tall)))
#define ALL(R) MATRICES(R) GRADIENTS(R)
/* clang-format on */

TestSuite(ops_matrix_complex, .timeout = 200);
OPS_SUITE_OF("tests/data/linalg_complex.txt", ops_matrix_complex, ALL)

/* ---- LAPACK's and weft's own */

/* What does not depend on phases, of matrices that are large enough for LAPACK. */
static weft_array *large(weft_array *a)
{
    weft_array *p = spd(a), *tall = part(a, ":, :35"), *q, *r = NULL, *not = weft_sub(p, weft_mul(p, 2));
    q = weft_qr(tall, &r);
    weft_array *parts[] = { weft_cholesky(p),
                            weft_cholesky(p, .upper = true),
                            weft_astype(weft_isnan(weft_real(weft_cholesky(not))), WEFT_C128),
                            weft_inv(a),
                            weft_solve_triangular(p, a),
                            weft_solve_triangular(p, a, .upper = true, .transpose = true),
                            weft_solve_triangular(p, a, .adjoint = true),
                            weft_solve_triangular(p, a, .upper = true, .adjoint = true),
                            weft_solve_triangular(p, a, .upper = true, .unit = true),
                            q,
                            r,
                            weft_qr(a, NULL, .full = true),
                            svd_made(tall, false),
                            svd_made(turned(tall), false),
                            svd_unitary(tall),
                            weft_astype(weft_svd(tall, NULL, NULL), WEFT_C128),
                            eigh_made(p),
                            eig_made(a),
                            weft_astype(weft_sort(weft_abs(weft_eigvals(a)), -1), WEFT_C128),
                            weft_matmul(adjoint(eigh_v(p)), eigh_v(p)),
                            lu(a, false),
                            lu(tall, false) };
    enum { N_PARTS = sizeof parts / sizeof *parts };
    weft_array *flat[N_PARTS];
    for (int i = 0; i < N_PARTS; i++) flat[i] = weft_reshape(parts[i], -1);
    return weft_concatenate_(0, N_PARTS, (const weft_array *const *)flat, NULL);
}

static void lapack_and_own(DType t, int64_t n, double tolerance)
{
    open_context();
    need_backend();
    weft_array *angles = weft_mul(weft_astype(weft_arange(ctx, 0, n * n, 1), WEFT_F64), 1.7),
               *grid = weft_reshape(weft_mul(angles, angles), n, n),
               *a = weft_astype(weft_mul(weft_complex(weft_sin(grid), weft_cos(weft_mul(grid, 3))), 2), t),
               *eager = large(a);
    weft_declare(ctx, large, weft_unary);
    weft_unary *fast = weft_jit(ctx, large);
    weft_array *compiled = fast(a);
    cr_assert(compiled && eager, "%s", weft_error(ctx));
    if (!lapack_is_open()) fprintf(stderr, "there is no LAPACK here\n");
    expect_close(__LINE__, "by LAPACK, real parts", weft_real(compiled), weft_real(eager), tolerance);
    expect_close(__LINE__, "by LAPACK, imaginary", weft_imag(compiled), weft_imag(eager), tolerance);
    lapack_forget(true);
    compiled = fast(a);
    lapack_forget(false);
    expect_close(__LINE__, "by weft's own, real parts", weft_real(compiled), weft_real(eager), tolerance);
    expect_close(__LINE__, "by weft's own, imaginary", weft_imag(compiled), weft_imag(eager), tolerance);
    close_context_without_error();
}
Test(ops_matrix_complex, lapack_and_own_agree) { lapack_and_own(WEFT_C128, 40, 1e-10); }
Test(ops_matrix_complex, lapack_and_own_agree_in_single) { lapack_and_own(WEFT_C64, 40, 0.1); }
/* LAPACK's copies have a leading dimension of their own. */
Test(ops_matrix_complex, lapack_and_own_agree_on_a_power_of_two) { lapack_and_own(WEFT_C128, 64, 1e-10); }

static weft_array *bits(weft_array *x) { return weft_reshape(weft_bitcast(weft_real(x), WEFT_I64), -1); }

static weft_array *factors_of_what_is_not_finite(weft_array *a)
{
    weft_array *u = NULL, *vt = NULL, *s = weft_svd(a, &u, &vt), *v = NULL, *w = weft_eigh(a, &v);
    return weft_concatenate(0, bits(s), bits(u), bits(vt), bits(w), bits(v), bits(weft_svd(a, NULL, NULL)),
                            bits(eig_v(a)), bits(eig_v(weft_triu(a, 0))));
}

/* One element is inf or NaN: each number of each factor is NaN, and the same one. */
Test(ops_matrix_complex, not_finite)
{
    open_context();
    weft_declare(ctx, factors_of_what_is_not_finite, weft_unary);
    weft_array *nan = weft_bitcast(weft_full(ctx, WEFT_F64, NAN), WEFT_I64);
    for (int kind = 0; kind < 4; kind++) {
        weft_array *i = weft_arange(ctx, 0, 1600, 1),
                   *a = weft_where(weft_eq(i, 206), weft_full(ctx, WEFT_F64, kind & 1 ? -NAN : INFINITY),
                                   weft_sin(weft_astype(weft_mul(i, i), WEFT_F64)));
        a = weft_reshape(a, 40, 40);
        a = weft_complex(weft_add(a, turned(a)), weft_sub(a, turned(a)));
        if (kind & 2) a = part(a, ":20, :20");
        EXPECT(weft_all(weft_eq(factors_of_what_is_not_finite(a), nan)), 1);
        if (!have_backend()) continue;
        EXPECT(weft_all(weft_eq(weft_jit(ctx, factors_of_what_is_not_finite)(a), nan)), 1);
        lapack_forget(true);
        EXPECT(weft_all(weft_eq(weft_jit(ctx, factors_of_what_is_not_finite)(a), nan)), 1);
        lapack_forget(false);
    }
    close_context_without_error();
}

/* ---- transforms */

/* Of one matrix: each op once. */
static weft_array *each_op(weft_array *x)
{
    weft_array *p = weft_add(weft_matmul(x, adjoint(x)), weft_eye(NULL, WEFT_F64, 4)), *l = weft_cholesky(p),
               *y = weft_matmul(l, weft_inv(x));
    y = weft_add(y, weft_solve_triangular(l, x, .adjoint = true));
    y = weft_add(y, weft_matmul(weft_qr(x, NULL), adjoint(lu(x, false))));
    y = weft_add(y, eig_made(x));
    y = weft_add(y, weft_mul(eigh_made(p), svd_made(x, true)));
    return weft_add(total(squared(y)), weft_sum(svd(x, false, 0)));
}

Test(ops_matrix_complex, vmap_is_one_by_one)
{
    open_context();
    weft_declare(ctx, each_op, weft_unary);
    weft_array *all = weft_mul(
                   weft_complex(weft_reshape(weft_sin(weft_mul(weft_arange(ctx, 0, 48, 1), 1.3)), 3, 4, 4),
                                weft_reshape(weft_cos(weft_mul(weft_arange(ctx, 0, 48, 1), 2.9)), 3, 4, 4)),
                   weft_scalar(ctx, 2.0)),
               *mapped = weft_vmap(ctx, each_op, "0")(weft_astype(all, WEFT_C128));
    all = weft_astype(all, WEFT_C128);
    for (int i = 0; i < 3; i++) {
        weft_array *one = weft_take(all, i, 0);
        expect_close(__LINE__, "one of three", weft_take(mapped, i, 0), each_op(one), 1e-12);
    }
    close_context_without_error();
}

WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));

/* Along a direction: forward mode, the gradient, and a difference quotient. */
Test(ops_matrix_complex, both_modes_and_a_quotient_agree)
{
    open_context();
    weft_declare(ctx, each_op, weft_unary);
    weft_array *i = weft_astype(weft_arange(ctx, 0, 16, 1), WEFT_F64),
               *x = weft_reshape(weft_complex(weft_sin(weft_add(weft_mul(i, 1.3), 0.4)),
                                              weft_cos(weft_mul(weft_mul(i, i), 2.9))),
                                 4, 4),
               *d = weft_reshape(weft_complex(weft_cos(weft_mul(i, 0.7)), weft_sin(weft_mul(i, 5.1))), 4, 4),
               *forward = NULL;
    weft_jvp(ctx, unary_jvp, each_op, "x")(x, d, &forward);
    /* JAX's gradient is that of the parts, conjugate */
    weft_array *backward = total(weft_mul(weft_grad(ctx, weft_unary, each_op, "x")(x), d)),
               *quotient = weft_div(
                   weft_sub(each_op(weft_add(x, weft_mul(d, 1e-6))), each_op(weft_sub(x, weft_mul(d, 1e-6)))),
                   2e-6);
    weft_array *scale = weft_abs(quotient);
    expect_close(__LINE__, "forward and backward", weft_div(forward, scale), weft_div(backward, scale), 1e-9);
    expect_close(__LINE__, "forward and quotient", weft_div(forward, scale), weft_div(quotient, scale), 1e-5);
    close_context_without_error();
}

/* ---- shapes, types, what has no factor */

Test(ops_matrix_complex, what_is_refused)
{
    open_context();
    weft_array *square = weft_astype(weft_eye(ctx, WEFT_F32, 3), WEFT_C64),
               *wide = weft_zeros(ctx, WEFT_C64, 2, 3), *v = weft_zeros(ctx, WEFT_C64, 3),
               *other = weft_zeros(ctx, WEFT_C128, 5, 3, 2), *many = weft_zeros(ctx, WEFT_C128, 4, 3, 3);
    REFUSED(WEFT_SHAPE, !weft_cholesky(wide), "c64[2,3] is not square (its last two axes are 2 and 3)");
    REFUSED(WEFT_SHAPE, !weft_cholesky(v), "c64[3] is no matrix");
    REFUSED(WEFT_SHAPE, !weft_lu(v, NULL), "is no matrix");
    REFUSED(WEFT_SHAPE, !weft_eigvalsh(wide), "is not square");
    REFUSED(WEFT_SHAPE, !weft_eig(wide, NULL), "is not square");
    REFUSED(WEFT_SHAPE, !weft_eigvals(v), "is no matrix");
    REFUSED(WEFT_ARGUMENT, !weft_eigvals(square, .upper = true), ".upper");
    REFUSED(WEFT_DTYPE, !weft_eigvals(weft_zeros(ctx, WEFT_F16, 2, 2)), "have no factors here");
    REFUSED(WEFT_SHAPE, !weft_solve(square, weft_zeros(ctx, WEFT_C64, 2)), "2 rows, not the 3");
    REFUSED(WEFT_SHAPE, !weft_solve(many, other), "4 against 5");
    REFUSED(WEFT_ARGUMENT, !weft_solve_triangular(square, v, .transpose = true, .adjoint = true), ".adjoint");
    REFUSED(WEFT_ARGUMENT, !weft_cholesky(square, .adjoint = true), ".adjoint");
    REFUSED(WEFT_SHAPE, !weft_matrix_norm(weft_zeros(ctx, WEFT_C64, 0, 3), "2"), "has no elements");
    REFUSED(WEFT_SHAPE, !weft_expm(wide), "is not square");
    close_context_without_error();
}

static void expect_eigenvectors(int line, weft_array *a)
{
    weft_array *v = NULL, *w = weft_eig(a, &v), *off = weft_sub(weft_matmul(a, v), columns_times(v, w));
    expect_close(line, "a v - v w", weft_max(weft_abs(off)), weft_zeros(ctx, WEFT_F64), 1e-12);
    expect_close(line, "lengths", weft_max(weft_abs(weft_sub(weft_sum(sizes(v), .axes = "-2"), 1))),
                 weft_zeros(ctx, WEFT_F64), 1e-12);
}

/* Steps that go in a circle without another shift; no basis of vectors; equal eigenvalues; a large one. */
Test(ops_matrix_complex, eigenvectors_of_what_is_hard)
{
    open_context();
    weft_array *eye = weft_eye(ctx, WEFT_C128, 8), *ones = weft_ones(ctx, WEFT_C128, 8, 8),
               *i = weft_astype(weft_arange(ctx, 0, 22500, 1), WEFT_F64);
    expect_eigenvectors(__LINE__, weft_roll(eye, 1, 0));
    expect_eigenvectors(__LINE__, weft_tril(weft_triu(ones, 0), 1));
    expect_eigenvectors(__LINE__, ones);
    expect_eigenvectors(__LINE__, eye);
    expect_eigenvectors(__LINE__, weft_zeros(ctx, WEFT_C128, 3, 3));
    expect_eigenvectors(__LINE__, weft_astype(weft_reshape(weft_sin(weft_square(i)), 150, 150), WEFT_C128));
    close_context_without_error();
}

static void expect_made(int line, weft_array *a, weft_array *q, weft_array *made)
{
    weft_array *off = weft_sub(weft_matmul(adjoint(q), q), weft_eye(ctx, WEFT_F32, weft_dim(q, 1))),
               *none = weft_zeros(ctx, WEFT_F64);
    double limit = weft_dtype_of(weft_real(a)) == WEFT_F32 ? 1e-4 : 1e-12;
    expect_close(line, "q^H q", weft_max(weft_abs(off)), none, limit);
    expect_close(line, "what is made of it", weft_max(weft_abs(weft_sub(made, a))), none, limit);
}

/* What elimination leaves of rows that are others' multiples becomes so short that squares of it are 0, and
 * then has few digits: no vector comes of that. */
Test(ops_matrix_complex, poor_rank)
{
    static const weft_dtype types[] = { WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128 };
    open_context();
    for (int i = 0; i < 4; i++)
        for (int n = 12; n < 80; n += 21) {
            weft_array *a = weft_ones(ctx, types[i], n, n), *u = NULL, *vt = NULL, *s = weft_svd(a, &u, &vt),
                       *z = NULL, *t = weft_schur(a, &z), *r = NULL, *q = weft_qr(a, &r),
                       *x = weft_cos(weft_square(weft_astype(weft_arange(ctx, 0, 2 * n, 1), WEFT_F64)));
            expect_made(__LINE__, a, u, weft_matmul(columns_times(u, s), vt));
            expect_made(__LINE__, a, z, weft_matmul(weft_matmul(z, t), adjoint(z)));
            expect_made(__LINE__, a, q, weft_matmul(q, r));
            x = weft_astype(weft_reshape(weft_complex(x, weft_sin(x)), n, 2), types[i | 2]);
            a = weft_matmul(x, adjoint(x));
            expect_made(__LINE__, a, eigh_v(a), eigh_made(a));
        }
    close_context_without_error();
}

/* A matrix without a factor is NaN, and its neighbours are not. */
Test(ops_matrix_complex, one_bad_matrix_among_good_ones)
{
    open_context();
    weft_array *good = weft_astype(weft_mul(weft_eye(ctx, WEFT_F32, 2), 4), WEFT_C64),
               *both = weft_concatenate(0, weft_expand_dims(weft_neg(good), 0), weft_expand_dims(good, 0)),
               *l = weft_cholesky(both);
    EXPECT(weft_astype(weft_isnan(weft_real(weft_at(l, "0"))), WEFT_F32), 1, 0, 1, 1);
    EXPECT(weft_astype(weft_isnan(weft_imag(weft_at(l, "0"))), WEFT_F32), 1, 0, 1, 1);
    EXPECT(weft_real(weft_at(l, "1")), 2, 0, 0, 2);
    close_context_without_error();
}
