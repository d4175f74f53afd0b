#!/usr/bin/env python3
"""Writes linalg_complex.txt: complex matrices and what JAX computes from them, in the form of ops.txt (make_ops_data.py).

Run with jax 0.10.2, numpy and scipy installed: python3 make_linalg_complex_data.py > linalg_complex.txt. The C side of each case is the row of
the same name in tests/ops/test_ops_matrix_complex.c. Where phases of vectors are free, what does not depend on them is compared."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl
import numpy as np
from data_lines import emit

jax.config.update("jax_enable_x64", True)

rng = np.random.default_rng(12)


def normal(*shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def H(x):
    return jnp.swapaxes(jnp.conj(x), -1, -2)


a = normal(3, 4, 4)
positive = a @ np.conj(a.transpose(0, 2, 1)) + np.eye(4)
I = {
    "a": a, "tall": normal(3, 6, 4), "big": normal(40, 40), "b": normal(3, 4, 2), "v": normal(4), "r": rng.standard_normal((4, 4)),
    "positive": positive, "negative": np.array([[1, 1j], [-1j, -1]]), "nan": np.array([[1, np.nan], [np.nan, 1j]]),
    "poor": np.outer([1, 2j, 3], [1, -1j]), "singular": np.array([[1, 2j], [2j, -4]]), "large": 30 * normal(3, 3),
    "a32": a.astype(np.complex64), "positive32": positive.astype(np.complex64), "b32": normal(3, 4, 2).astype(np.complex64),
    "none": np.zeros((2, 0, 0), complex), "huge": 1e200 * a[0], "few": np.zeros((2, 0, 3), complex),
    "equal": np.array([[2j, 0], [0, 2], [0, 0]]), "flat": np.array([[1, 2j, 3], [2, 4j, 6], [1j, 0, 1]]),
}
g = {k: jnp.asarray(v) for k, v in I.items()}
g.update(jnp=jnp, la=jnp.linalg, sl=sl, jax=jax, H=H, T=lambda x: jnp.swapaxes(x, -1, -2), grad=jax.grad, ll=jax.lax.linalg,
         sq=lambda z: jnp.abs(z)**2)
R = dict(
    cholesky="la.cholesky(positive)", cholesky_upper="H(la.cholesky(positive))", cholesky32="la.cholesky(positive32)",
    cholesky_not="la.cholesky(negative)", cholesky_big="la.cholesky(big @ H(big) + jnp.eye(40))", cholesky_none="la.cholesky(none)",
    triangular="ll.triangular_solve(a, b, left_side=True, lower=True)", triangular_upper="ll.triangular_solve(a, b, left_side=True, lower=False)",
    triangular_turned="ll.triangular_solve(a, b, left_side=True, lower=True, transpose_a=True, unit_diagonal=True)",
    triangular_adjoint="ll.triangular_solve(a, b, left_side=True, lower=True, transpose_a=True, conjugate_a=True)",
    triangular_adjoint_upper="ll.triangular_solve(a, b, left_side=True, lower=False, transpose_a=True, conjugate_a=True)",
    triangular_vector="sl.solve_triangular(a[0], v, lower=True)",
    lu="sl.lu_factor(a)[0]", lu_tall="ll.lu(tall)[0]", lu_order="ll.lu(tall)[2]", lu_singular="sl.lu_factor(singular)[0]",
    qr_q="la.qr(tall)[0]", qr_r="la.qr(tall)[1]", qr_full="la.qr(tall, mode='complete')[0]", qr_wide="la.qr(T(tall))[1]",
    qr_big="la.qr(big)[1]", eigh_w="la.eigh(positive)[0]", eigh_v="jnp.abs(la.eigh(positive)[1])", eigvalsh="la.eigvalsh(a)",
    eigh_big="la.eigh(big)[0]", eigh_big_v="jnp.abs(la.eigh(big)[1])", eigh_nan="la.eigh(nan)[0]", eigh_made="positive",
    eig_real="jnp.sort(la.eigvals(a).real)", eig_sizes="jnp.sort(jnp.abs(la.eigvals(a)))", eig_v="jnp.sort(jnp.abs(la.eig(a)[1]))",
    eig_v_sum="la.eig(a)[1].sum(-1)", eig_of_real="jnp.sort(la.eigvals(r).imag)", eig_big="jnp.sort(jnp.abs(la.eigvals(big)))",
    eig_big_v="la.eig(big)[1].sum(-1)", eig_nan="la.eigvals(nan)", eig_none="la.eigvals(none)", eig_made="a", eig_made_big="big",
    eig_huge="jnp.sort(jnp.abs(la.eigvals(a[0])))", eig_singular="jnp.array([0.0, 3.0])", eig32="jnp.sort(la.eigvals(a32).real)",
    hess_h="sl.hessenberg(a)", hess_q="sl.hessenberg(a, calc_q=True)[1]", hess_big="sl.hessenberg(big)", hess_big_q="sl.hessenberg(big, calc_q=True)[1]",
    hess32="sl.hessenberg(a32)", schur_made="a", schur_big="big", schur_values="jnp.sort(jnp.abs(la.eigvals(a)))", schur_nan="sl.schur(nan)[1]",
    schur_big_values="jnp.sort(jnp.abs(la.eigvals(big)))", schur_none="none", schur32="a32",
    svd_s="la.svd(tall, full_matrices=False)[1]", svd_u="jnp.abs(la.svd(tall, full_matrices=False)[0])",
    svd_v="jnp.abs(la.svd(tall, full_matrices=False)[2])", svd_wide="jnp.abs(la.svd(T(tall), full_matrices=False)[2])",
    svd_full="jnp.abs(la.svd(tall)[0][:, :, :4])", svd_big="la.svd(big, compute_uv=False)", svd_poor="la.svd(poor, compute_uv=False)",
    svd_made="tall", svd_made_wide="T(tall)", svd_unitary="jnp.broadcast_to(jnp.eye(6), (3, 6, 6)).astype(complex)", svd_huge="la.svd(a[0], compute_uv=False)",
    solve="la.solve(a, b)", solve32="la.solve(a32, b32)", solve_real="la.solve(r, v)", solve_big="la.solve(big, big[:, :3])", inv="la.inv(a)",
    inv_big="la.inv(big)", det="la.det(a)", det_big="la.det(big)", det_singular="la.det(singular)", slogdet="la.slogdet(a)[1]",
    slogdet_sign="la.slogdet(a)[0]", slogdet_singular="la.slogdet(jnp.zeros((2, 2), complex))[0]", slogdet_none="la.slogdet(none)[1]",
    lstsq="la.lstsq(tall[0], tall[1][:, 0])[0]", lstsq_poor="la.lstsq(poor, jnp.arange(3.0) + 0j)[0]", pinv="la.pinv(tall)", pinv_wide="la.pinv(T(tall))",
    pinv_poor="la.pinv(poor)", rank="la.matrix_rank(poor).astype(jnp.int32)", cond="la.cond(a)", power_5="la.matrix_power(a, 5)",
    power_minus="la.matrix_power(a, -2)", expm="sl.expm(a[0])", expm_large="sl.expm(large)", norm_fro="la.norm(a, 'fro', (1, 2))",
    norm_nuc="la.norm(a, 'nuc', (1, 2))", norm_2="la.norm(a, 2, (1, 2))", norm_1="la.norm(a, 1, (1, 2))", norm_minus_inf="la.norm(a, -jnp.inf, (1, 2))",
    cov="jnp.cov(tall[0])", corrcoef="jnp.corrcoef(tall[0])", corrcoef_none="jnp.corrcoef(nan)",
    trace="la.trace(tall)", kron="jnp.kron(a[0], tall[0])", qr_few="la.qr(few)[1]", svd_few="la.svd(few, full_matrices=False)[1]",
    grad_cholesky="grad(lambda x: (la.cholesky(x)**2 * v).sum().real)(positive)", grad_solve="grad(lambda x: jnp.sin(la.solve(x, b)).sum().real)(a)",
    grad_solve_b="grad(lambda x: jnp.sin(la.solve(a, x)).sum().real)(b)", grad_inv="grad(lambda x: (la.inv(x)**3).sum().real)(a)",
    grad_triangular="grad(lambda x: (ll.triangular_solve(x, b, left_side=True, lower=True, transpose_a=True, conjugate_a=True)**2).sum().real)(a)",
    grad_triangular_b="grad(lambda x: (ll.triangular_solve(a, x, left_side=True, lower=True, transpose_a=True, conjugate_a=True)**2).sum().real)(b)",
    grad_det="grad(lambda x: (la.det(x)**2).sum().imag)(a)", grad_slogdet="grad(lambda x: la.slogdet(x)[1].sum())(a)", grad_slogdet_sign="grad(lambda x: (la.slogdet(x)[0]**2).sum().imag)(a)",
    grad_qr="grad(lambda x: (la.qr(x)[1]**2 * v).sum().real)(tall)", grad_qr_q="grad(lambda x: (la.qr(x)[0]**2 * v).sum().real)(tall)",
    grad_eigh="grad(lambda x: (la.eigh(x)[0] * v.real).sum())(positive)", grad_eigh_v="grad(lambda x: (sq(la.eigh(x)[1]) * v.real).sum())(positive)",
    grad_eig="grad(lambda x: jnp.sin(la.eigvals(x)).sum().real)(a)",
    grad_eig_real="grad(lambda x: jnp.sin(la.eigvals(x)).sum().real)(r)",
    grad_eig_v="grad(lambda x: (ll.eig(x, compute_left_eigenvectors=False, enable_eigvec_derivs=True)[1]**3).sum().real)(a)",
    grad_svd="grad(lambda x: (la.svd(x, full_matrices=False)[1] * v.real).sum())(tall)",
    grad_svd_u="grad(lambda x: (sq(la.svd(x, full_matrices=False)[0]) * v.real).sum())(tall)",
    grad_svd_v="grad(lambda x: (sq(la.svd(x, full_matrices=False)[2]) * v.real).sum())(T(tall)[:, :, :4])",
    grad_svd_made="grad(lambda x: ((lambda u, s, vt: ((u * s[:, None, :]**2) @ vt)**2)(*la.svd(x, full_matrices=False))).sum().real)(tall)",
    grad_expm="grad(lambda x: sl.expm(x).sum().real)(a[0])", grad_pinv="grad(lambda x: (la.pinv(x)**3).sum().real)(tall)",
    grad_pinv_equal="grad(lambda x: (la.pinv(x)**3).sum().real)(equal)",
    grad_det_flat="grad(lambda x: la.det(x).imag)(flat)", grad_det_twice="grad(lambda x: sq(grad(lambda x: la.det(x).imag)(x)).sum())(flat)",
    grad_pinv_twice="grad(lambda x: (sq(grad(lambda x: (la.pinv(x)**3).sum().real)(x))).sum())(equal)",
    grad_lu="grad(lambda x: (ll.lu(x)[0]**2 * v).sum().real)(tall)",
)
for name, value in I.items():
    emit("+ " + name, value)
for name, text in R.items():
    emit("= " + name, eval(text, g))
