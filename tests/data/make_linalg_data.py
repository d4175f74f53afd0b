#!/usr/bin/env python3
"""Writes linalg.txt: inputs and what JAX computes from them, in the form of ops.txt (make_ops_data.py).

Run with jax 0.10.2 and numpy installed: python3 make_linalg_data.py > linalg.txt. The C side of each case is the row of the same name in
tests/ops/test_ops_matrix.c. Where signs of vectors are free, what does not depend on them is compared."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl
import numpy as np
from data_lines import emit

jax.config.update("jax_enable_x64", True)

rng = np.random.default_rng(11)
normal = rng.standard_normal
a = normal((3, 4, 4))
I = {
    "a": a, "tall": normal((3, 6, 4)), "big": normal((40, 40)), "b": normal((3, 4, 2)), "v": normal(4), "w": normal(4),
    "positive": a @ a.transpose(0, 2, 1) + np.eye(4), "two": np.diag([1.0, 2, 3, 4]), "singular": np.array([[1.0, 2], [2, 4]]),
    "negative": np.diag([1.0, -1.0]), "nan": np.array([[1.0, np.nan], [np.nan, 1]]), "poor": np.outer([1.0, 2, 3], [1.0, -1]),
    "points": np.linspace(-1, 2, 12), "values": normal(12), "large": 30 * normal((3, 3)), "v3": normal((2, 3)), "w3": normal((2, 3)),
    "a32": a.astype(np.float32), "positive32": (a @ a.transpose(0, 2, 1) + np.eye(4)).astype(np.float32), "b32": normal((3, 4, 2)).astype(np.float32),
    "ints": np.array([[4, 1], [1, 3]], np.int32), "none": np.zeros((2, 0, 0)),
    "equal": np.array([[2.0, 0], [0, 2], [0, 0]]), "flat": np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]),
    "poorer": np.outer([1.0, 2, 3, 1], [1.0, -1, 2]),
}
g = {k: jnp.asarray(v) for k, v in I.items()}
g.update(jnp=jnp, la=jnp.linalg, sl=sl, jax=jax, T=lambda x: jnp.swapaxes(x, -1, -2), grad=jax.grad)
R = dict(
    cholesky="la.cholesky(positive)", cholesky_upper="T(la.cholesky(positive))", cholesky32="la.cholesky(positive32)",
    cholesky_not="la.cholesky(negative)", cholesky_big="la.cholesky(big @ big.T + jnp.eye(40))",
    cholesky_ints="la.cholesky(ints.astype(jnp.float32))", cholesky_none="la.cholesky(none)",
    triangular="jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True)",
    triangular_upper="jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=False)",
    triangular_turned="jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True, transpose_a=True, unit_diagonal=True)",
    triangular_vector="sl.solve_triangular(a[0], v, lower=True)",
    lu="sl.lu_factor(a)[0]", lu_tall="jax.lax.linalg.lu(tall)[0]", lu_order="jax.lax.linalg.lu(tall)[2]", lu_singular="sl.lu_factor(singular)[0]",
    qr_q="jnp.abs(la.qr(tall)[0])", qr_r="jnp.abs(la.qr(tall)[1])", qr_full="jnp.abs(la.qr(tall, mode='complete')[0][:, :, :4])",
    qr_wide="jnp.abs(la.qr(T(tall))[1])", qr_big="jnp.abs(la.qr(big)[1])",
    eigh_w="la.eigh(positive)[0]", eigh_v="jnp.abs(la.eigh(positive)[1])", eigvalsh="la.eigvalsh(a)", eigh_big="la.eigh(big)[0]", eigh_two="la.eigh(two)[1]**2",
    eigh_big_v="jnp.abs(la.eigh(big)[1])", eigh_nan="la.eigh(nan)[0]",
    hess_h="sl.hessenberg(a)", hess_q="sl.hessenberg(a, calc_q=True)[1]", hess_big="sl.hessenberg(big)", hess_big_q="sl.hessenberg(big, calc_q=True)[1]",
    hess32="sl.hessenberg(a32)", schur_made="a", schur_big="big", schur_values="jnp.sort(jnp.abs(la.eigvals(a)))", schur_nan="sl.schur(nan)[1]",
    schur_big_values="jnp.sort(jnp.abs(la.eigvals(big)))", schur_none="none", schur32="a32",
    svd_s="la.svd(tall, full_matrices=False)[1]", svd_u="jnp.abs(la.svd(tall, full_matrices=False)[0])", svd_v="jnp.abs(la.svd(tall, full_matrices=False)[2])",
    svd_wide="jnp.abs(la.svd(T(tall), full_matrices=False)[2])", svd_full="jnp.abs(la.svd(tall)[0][:, :, :4])", svd_big="la.svd(big, compute_uv=False)",
    svd_poor="la.svd(poor, compute_uv=False)",
    solve="la.solve(a, b)", solve32="la.solve(a32, b32)", solve_vector="la.solve(a[0], v)", solve_big="la.solve(big, big[:, :3])",
    solve_spread="la.solve(a, b[0])", inv="la.inv(a)", inv_big="la.inv(big)", det="la.det(a)", det_singular="la.det(singular)", det_big="la.det(big)",
    slogdet="la.slogdet(a)[1]", slogdet_sign="la.slogdet(a)[0]", slogdet_none="la.slogdet(none)[1]",
    lstsq="la.lstsq(tall[0], tall[1][:, 0])[0]", lstsq_poor="la.lstsq(poor, jnp.arange(3.0))[0]",
    lstsq_several="la.lstsq(tall[0], tall[1][:, :2])[0]",
    pinv="la.pinv(tall)", pinv_wide="la.pinv(T(tall))", pinv_poor="la.pinv(poor)",
    rank="la.matrix_rank(poor).astype(jnp.int32)", rank_full="la.matrix_rank(a).astype(jnp.int32)", cond="la.cond(a)",
    power_5="la.matrix_power(a, 5)", power_0="la.matrix_power(a, 0)", power_minus="la.matrix_power(a, -2)",
    expm="sl.expm(a)", expm_large="sl.expm(large)", expm_zero="sl.expm(jnp.zeros((2, 2)))",
    norm_fro="la.norm(a, 'fro', (1, 2))", norm_nuc="la.norm(a, 'nuc', (1, 2))", norm_2="la.norm(a, 2, (1, 2))", norm_minus_2="la.norm(a, -2, (1, 2))",
    norm_1="la.norm(a, 1, (1, 2))", norm_minus_1="la.norm(a, -1, (1, 2))", norm_inf="la.norm(a, jnp.inf, (1, 2))", norm_minus_inf="la.norm(a, -jnp.inf, (1, 2))",
    trace="la.trace(tall)", trace_1="la.trace(tall, offset=1)", diagonal="la.diagonal(tall, offset=-1)", diagonal_far="la.diagonal(tall, offset=9)",
    diag="jnp.diag(v)", diag_2="jnp.diag(v, 2)", diag_minus="jnp.diag(v, -1)", diag_of="jnp.diag(tall[0], -2)",
    kron="jnp.kron(a[0], tall[0])", kron_vector="jnp.kron(v, a[0])", cross="jnp.cross(v3, w3)", block_diag="sl.block_diag(a[0], tall[0], v)",
    toeplitz="sl.toeplitz(v, w)", toeplitz_alone="sl.toeplitz(v)", cov="jnp.cov(tall[0])", cov_vector="jnp.cov(v)", cov_row="jnp.cov(v[None])", lstsq_tall="la.lstsq(tall.reshape(18, 4), jnp.arange(18.0))[0]", corrcoef="jnp.corrcoef(tall[0])",
    polyfit="jnp.polyfit(points, values, 3)", polyval="jnp.polyval(v, points)",
    grad_cholesky="grad(lambda x: (la.cholesky(x)**2 * v).sum())(positive)", grad_solve="grad(lambda x: jnp.sin(la.solve(x, b)).sum())(a)",
    grad_solve_b="grad(lambda x: jnp.sin(la.solve(a, x)).sum())(b)", grad_inv="grad(lambda x: (la.inv(x)**3).sum())(a)",
    grad_det="grad(lambda x: la.det(x).sum())(a)", grad_slogdet="grad(lambda x: la.slogdet(x)[1].sum())(positive)",
    grad_qr="grad(lambda x: (jnp.abs(la.qr(x)[1]) * v).sum())(tall)", grad_eigh="grad(lambda x: (la.eigh(x)[0] * v).sum())(positive)",
    grad_eigh_v="grad(lambda x: (la.eigh(x)[1]**2 * v).sum())(positive)", grad_svd="grad(lambda x: (la.svd(x, full_matrices=False)[1] * v).sum())(tall)",
    grad_svd_u="grad(lambda x: (la.svd(x, full_matrices=False)[0]**2 * v).sum())(tall)", grad_expm="grad(lambda x: sl.expm(x).sum())(a[0])",
    grad_pinv="grad(lambda x: (la.pinv(x)**3).sum())(tall)", grad_lu="grad(lambda x: (jax.lax.linalg.lu(x)[0]**2 * v).sum())(tall)",
    grad_pinv_equal="grad(lambda x: (la.pinv(x)**3).sum())(equal)", grad_pinv_poor="grad(lambda x: (la.pinv(x)**3).sum())(poorer)",
    grad_det_flat="grad(la.det)(flat)", grad_det_twice="grad(lambda x: (grad(la.det)(x)**2).sum())(flat)",
    grad_pinv_twice="grad(lambda x: (grad(lambda x: (la.pinv(x)**3).sum())(x)**2).sum())(equal)",
    grad_lstsq_equal="grad(lambda x: (la.pinv(x) @ jnp.arange(3.0)).sum())(equal)", grad_lstsq_tall="grad(lambda x: (la.lstsq(x, jnp.arange(18.0))[0]**2).sum())(tall.reshape(18, 4))",
    grad_lu_wide="grad(lambda x: (jax.lax.linalg.lu(x)[0]**3).sum())(T(tall))",
)
for name, value in I.items():
    emit("+ " + name, value)
for name, text in R.items():
    emit("= " + name, eval(text, g))
