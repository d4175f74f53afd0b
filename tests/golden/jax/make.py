"""Writes the files beside it: functions as JAX prints them, with inputs and JAX's own results as checks.

    python -m venv venv && venv/bin/pip install jax numpy && XLA_FLAGS=--xla_allow_excess_precision=false venv/bin/python make.py

Each file holds what jax.jit(f).lower(*args).as_text() printed, unchanged but for the module's last brace, and behind it a func @check
that calls @main on constants and compares with what JAX computed on its CPU backend; and, where JAX has a reverse mode of it and its text tells the same
derivatives, a func @check_vjp that compares those, of a random cotangent of each float result.
"""
import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np

HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(7)
NAMES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "int32": "i32", "int8": "i8", "uint8": "ui8", "uint32": "ui32", "bool": "i1"}


def f32(*shape):
    return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def i32(lo, hi, *shape):
    return jnp.asarray(rng.integers(lo, hi, shape), jnp.int32)


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layernorm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-5) * g + b


def mlp(x, w1, b1, w2, b2):
    return jax.nn.relu(x @ w1 + b1) @ w2 + b2


def argmaxes(x):
    return jnp.argmax(x, axis=1), jnp.argmin(x, axis=0)


def int_argmax(x):
    return jnp.argmax(x, axis=-1)


def gather_rows(x, i):
    return x[i], jnp.take(x, i, axis=1), jnp.take_along_axis(x, jnp.argmax(x, axis=1)[:, None], axis=1)


def distances(a, b):
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)


def einsum(a, b):
    return jnp.einsum("bij,bkj->bik", a, b)


def special(x):
    return jax.scipy.special.erf(x), jax.scipy.special.gammaln(jnp.abs(x) + 0.5), jnp.logaddexp(x, 1.0), jnp.sinh(x)


def slices(x):
    return x[1:-1, ::2], x[::-1], jnp.pad(x, ((1, 0), (2, 1))), jnp.concatenate([x, x * 2], axis=1), jnp.roll(x, 1, axis=0)


def reductions(x):
    return x.sum(), x.max(0), x.min(1), x.prod(1), jnp.any(x > 0, axis=0), jnp.all(x > -3), jax.nn.logsumexp(x, axis=1)


def integers(a, b):
    return a // b, a % b, a ^ b, jnp.left_shift(a, b & 7), jnp.clip(a, -5, 5), a.astype(jnp.float32) / 3


def narrow(x):
    h = x.astype(jnp.bfloat16)
    return h * h, -h, x.astype(jnp.float16).sum(-1), h.astype(jnp.float32)


def vmapped(w, x):
    return jax.vmap(lambda r: jnp.tanh(w @ r).argmax())(x)


def where(x):
    return jnp.where(x > 0, jnp.sqrt(jnp.abs(x)), jnp.float32(-1)), jnp.triu(x), jnp.sign(x), jnp.isnan(x / x)


def scalar_index(x, i):
    return jax.lax.dynamic_slice(x, (i, 1), (2, 3)), jax.lax.dynamic_index_in_dim(x, i, 0)


def scan_forward(c, xs, w):
    def body(c, x):
        h = jnp.tanh(x["a"] @ w + c)
        return h, (h.sum(), x["b"] + 1)
    return jax.lax.scan(body, c, xs)


def scan_reverse(c, xs):
    return jax.lax.scan(lambda c, x: (0.5 * c + x, c * x), c, xs, reverse=True)


def scan_nested(m):
    def row(c, x):
        c, partial = jax.lax.scan(lambda c, v: (c + v, c * v), c, x)
        return c * 0.5, partial
    return jax.lax.scan(row, jnp.float32(0), m)


def scan_lengths(x):
    steps = jax.lax.scan(lambda c, _: (c * 1.5 + 1, c), x, None, length=4)
    return steps, jax.lax.scan(lambda c, v: (c + v, v), x, jnp.zeros((0,)))


def scan_counts(xs):
    def body(i, v):
        x, total = v
        return x.at[i].multiply(2), total + x[i] * i.astype(jnp.float32)
    return jax.lax.fori_loop(0, xs.shape[0], body, (xs, jnp.float32(0)))


def while_newton(a):
    def newton(a):
        return jax.lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-3 * a, lambda x: 0.5 * (x + a / x), a)
    return newton(a[0]), jax.vmap(newton)(a)


def collatz(n):
    def step(s):
        n, k = s
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), k + 1
    return jax.vmap(lambda n: jax.lax.while_loop(lambda s: s[0] != 1, step, (n, jnp.int32(0)))[1])(n)


def cond(p, x, y):
    inner = lambda a: jax.lax.cond(a[0] > y[0], lambda: a * y, lambda: a - y)
    return jax.lax.cond(p, lambda: (x + 1, y), lambda: (inner(x), x)), jax.lax.cond(~p, inner, jnp.negative, x)


def switch(i, x):
    branches = [lambda v: v + 1, lambda v: v * v, lambda v: jnp.sin(v), lambda v: v]
    return jax.lax.switch(i, branches, x), jax.lax.switch(i + 7, branches, x), jax.lax.switch(i - 7, branches, x)


def map_batches(x):
    return jax.lax.map(lambda r: jnp.sort(r) * r.sum(), x, batch_size=3), jax.lax.map(jnp.argmax, x)


def cumulatives(x, i):
    return (jnp.cumsum(x, axis=0), jnp.cumprod(x, axis=1), jax.lax.cummax(x, axis=1, reverse=True), jax.lax.cummin(x, axis=0),
            jax.lax.cumlogsumexp(x, axis=1), jnp.cumsum(i), jax.lax.associative_scan(jnp.maximum, i, reverse=True))


def sorts(x, k):
    return (jnp.sort(x, axis=0), jnp.argsort(x, axis=1), *jax.lax.sort((k, x[0]), num_keys=2), jnp.sort(k, descending=True),
            *jax.lax.top_k(x, 3), jnp.searchsorted(jnp.sort(k), jnp.int32(3)), jnp.unique(k, size=5))


def scatters(x, i, v):
    return (x.at[i].set(v), x.at[i].add(v), x.at[:, 1].mul(2), x.at[i, 0].max(0.5), x.at[i[0], 1:3].min(v[0, 1:3]), x.at[i + 4].add(v, mode="drop"),
            x.at[i + 4].set(v, mode="clip"), jax.ops.segment_sum(v, i, num_segments=4), jnp.bincount(i, length=6))


def updates(x, u, i):
    return jax.lax.dynamic_update_slice(x, u, (i, 9)), jax.lax.dynamic_update_index_in_dim(x, u[0], i, 0), jax.lax.dynamic_slice(x, (-1, i), (2, 2))


def windows(x, y):
    pool = lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (2, 3), (1, 2), [(1, 0), (1, 1)])
    mean = jax.lax.reduce_window(x, 0.0, jax.lax.add, (2, 2), (2, 1), "SAME", base_dilation=(1, 2), window_dilation=(2, 1))
    return pool(x), mean, jax.vjp(pool, x)[1](y)[0]


def factorizations(a, b, x):
    a = a @ jnp.swapaxes(a, 1, 2) + jnp.eye(4)
    w, v = jnp.linalg.eigh(a)
    s = jnp.linalg.svd(x, full_matrices=False)[1]
    lower = jnp.linalg.cholesky(a)
    return lower, jax.scipy.linalg.solve_triangular(lower[0], b[0], trans=1, lower=True), jnp.linalg.solve(a, b), jnp.linalg.det(a), w, v**2, s


def reflections(x):
    q, r = jnp.linalg.qr(x)
    return jnp.abs(q), jnp.abs(r), jnp.abs(jnp.linalg.qr(x, mode='complete')[0][:, :, :3]), jnp.linalg.svd(x, compute_uv=False)


def complex_factorizations(re, im, b, x):
    """lapack_c*_ffi; results are parts."""
    z, parts = jax.lax.complex(re, im), lambda z: jnp.stack([z.real, z.imag])
    a = z @ jnp.conj(jnp.swapaxes(z, 1, 2)) + jnp.eye(4)
    w, v = jnp.linalg.eigh(a)
    lower, tall = jnp.linalg.cholesky(a), jax.lax.complex(x[0], x[1])
    return (parts(lower), parts(jax.scipy.linalg.solve_triangular(lower[0], b[0] + 0j, trans=2, lower=True)), parts(jnp.linalg.solve(z, b + 0j)),
            parts(jnp.linalg.det(z)), w, jnp.abs(v)**2, jnp.linalg.svd(tall, full_matrices=False)[1])


def eigenvectors(x, re, im):
    """lapack_{s,c}geev_ffi; what does not depend on the order, or on signs."""
    eig = lambda a: jax.lax.linalg.eig(a, compute_left_eigenvectors=False, enable_eigvec_derivs=True)
    z, parts = jax.lax.complex(re, im), lambda z: jnp.stack([z.real, z.imag])
    w, v = eig(x)
    of_z, vectors = eig(z)
    return (jnp.abs(w).sum(-1), jnp.abs(v).sum(-1), parts((of_z**2).sum(-1)), parts((of_z[:, None] * vectors).sum(-1)),
            parts(jnp.sin(jnp.linalg.eigvals(z)).sum(-1)), jnp.cos(jnp.linalg.eigvals(x)).sum(-1).real)


def forms(x, re, im):
    """lapack_{s,c}{gees,gehrd}_ffi; of Schur's form what does not depend on the order of eigenvalues."""
    z, parts = jax.lax.complex(re, im), lambda z: jnp.stack([z.real, z.imag])
    t, v = jax.lax.linalg.schur(x)
    of_z, u = jax.lax.linalg.schur(z)
    turned = lambda a: jnp.swapaxes(a, 1, 2)
    h, q = jax.scipy.linalg.hessenberg(z, calc_q=True)
    (alone,) = jax.lax.linalg.schur(x, compute_schur_vectors=False)
    return (v @ t @ turned(v), jnp.tril(t, -2), jnp.trace(alone, axis1=1, axis2=2), parts(u @ of_z @ jnp.conj(turned(u))),
            jnp.sort(jnp.abs(jnp.diagonal(of_z, axis1=1, axis2=2))), *jax.scipy.linalg.hessenberg(x, calc_q=True), parts(h), parts(q))


def complex_reflections(x):
    return tuple(jnp.stack([z.real, z.imag]) for z in jnp.linalg.qr(jax.lax.complex(x[0], x[1])))


def tridiagonal_systems(d, b):
    """lapack_{s,c}gtsv_ffi, with rows exchanged."""
    solve = jax.lax.linalg.tridiagonal_solve
    z = solve(*jax.lax.complex(d[:, 0], d[:, 1]), jax.lax.complex(b[0], b[1]))
    return solve(*d, b), solve(d[0, 0], 4 + d[1, 0], d[2, 0], b[0]), jnp.stack([z.real, z.imag])


def perturbed_systems(d, b, c):
    """tridiagonal_solve_perturbed_ffi; how long a solution is where a pivot is 0 nobody promises. The last one has rows without a pivot."""
    solve = lambda d, b: jax.lax.linalg.tridiagonal_solve(*d, b, perturb_singular=True)
    unit = lambda x: x / jnp.max(jnp.abs(x), axis=-2, keepdims=True)
    singular = jax.lax.linalg.tridiagonal_solve(*(c * d[:, 0]), b[0])
    return solve(d, b), unit(solve(c * d, b)), unit(solve(jnp.zeros_like(d).at[1, 0, 2].set(-0.0).at[2, 1].set(1), b)), singular


def reflected(x, re, im, c, d):
    """lapack_{sormqr,cunmqr}_ffi, of both sides."""
    z, parts, product = jax.lax.complex(re, im), lambda z: jnp.stack([z.real, z.imag]), jax.lax.linalg.ormqr
    (h, taus), (hz, tz) = (jnp.linalg.qr(a, mode="raw") for a in (x, z))
    sides = [(left, adjoint) for left in (True, False) for adjoint in (True, False)]
    turned = lambda a: jnp.swapaxes(a, -1, -2)
    return (*[product(turned(h), taus, c if left else d, left=left, transpose=t) for left, t in sides],
            *[parts(product(turned(hz), tz, (c if left else d) + 1j, left=left, transpose=t)) for left, t in sides])


def singular_by_qr(x):
    """lapack_sgesvd_ffi"""
    u, s, v = jax.lax.linalg.svd(x, full_matrices=False, algorithm=jax.lax.linalg.SvdAlgorithm.QR)
    return jnp.abs(u), s, jnp.abs(v), *jax.lax.linalg.svd(x, compute_uv=False, algorithm=jax.lax.linalg.SvdAlgorithm.QR)[None]


def convolutions(x, w, w2, s, v):
    """Padded and strided; dilated both ways; in feature groups, mapped weights; in batch groups; mapped operands; both mapped."""
    conv = jax.lax.conv_general_dilated
    nhwc = ("NHWC", "HWIO", "NHWC")
    one = lambda x, w: conv(x[None], w, (1, 1), "SAME", dimension_numbers=nhwc)[0]
    return (conv(x, w, (2, 1), "SAME", dimension_numbers=nhwc), conv(x, w, (1, 2), [(1, -1), (0, 2)], (1, 2), (2, 1), ("NHWC", "HWIO", "NCHW")),
            conv(x, w2, (2, 1), [(1, 0), (0, 1)], dimension_numbers=nhwc, feature_group_count=2),
            conv(s, v, (2,), [(1, 1)], batch_group_count=2), jax.vmap(one, (None, 0))(x[0], jnp.stack([w, 2 * w])),
            jax.vmap(one)(jnp.stack([x[0], x[1] + 1]), jnp.stack([w, 2 * w])), conv(jnp.int32(3 * s), jnp.int32(2 * v), (1,), "VALID"))


def keys(k):
    a, b = jax.random.split(jax.random.wrap_key_data(k))
    return jax.random.uniform(a, (5,)), jax.random.bits(b, (3,)), jax.random.randint(jax.random.fold_in(a, 3), (4,), 0, 100)


def precision(x):
    return jax.lax.reduce_precision(x, 5, 10), jax.lax.optimization_barrier(x), jax.lax.nextafter(x, x + 1), jax.lax.erf_inv(x / 9), jax.lax.digamma(x + 9)


@jax.checkpoint
def twice_tanh(x, w):
    return jnp.tanh(jnp.tanh(x @ w) @ w)


def checkpoints(x, w):
    step = jax.checkpoint(lambda c, r: (jnp.sin(c * r), c.sum()))
    loss = lambda x, w: twice_tanh(x, w).sum() + sum(o.sum() for o in jax.lax.scan(step, w[0], x)) + jax.checkpoint(lambda x: jnp.exp(twice_tanh(x, x.T @ x / 9).sum()))(x)
    return loss(x, w), jax.grad(loss, (0, 1))(x, w)


@jax.custom_jvp
def softplus(x):
    return jnp.log1p(jnp.exp(x))


@softplus.defjvp
def softplus_jvp(x, t):
    return softplus(*x), t[0] * jax.nn.sigmoid(x[0])


@jax.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, ct: (jnp.clip(ct, -0.1, 0.1),))


def custom_rules(x, t):
    f = lambda x: (clipped(softplus(x)) * jax.lax.stop_gradient(x)).sum()
    return f(x), jax.grad(f)(x), jax.jvp(softplus, (x,), (t,)), jax.vmap(jax.vmap(jax.hessian(softplus)))(x)


def four_bits(i, x):
    a, b, w = i.astype(jnp.int4), i[::-1].astype(jnp.int4), i.astype(jnp.uint4)
    pairs = jax.lax.bitcast_convert_type(i.astype(jnp.int8), jnp.int4)
    wide = [a + b, a - b, a * b, -a, ~a, a // 3, w % 5, w // jnp.maximum(w, 1), w << 1, a >> 1, a & b, a | b,
            a ^ b, jnp.minimum(a, b), jnp.clip(a, -2, 3), jax.lax.shift_right_logical(a, jnp.full_like(a, 1)), jax.lax.population_count(w),
            jax.lax.clz(w), x.astype(jnp.int4), x.astype(jnp.uint4), jax.lax.bitcast_convert_type(pairs, jnp.int8), pairs[:, 1],
            jnp.sort(a), jnp.where(a > b, a, b), jax.lax.bitcast_convert_type(a, jnp.uint4), i.astype(jnp.int2) + 1, jnp.cumsum(w, dtype=jnp.uint4)]
    return jnp.stack([y.astype(jnp.int32) for y in wide]), a.max().astype(jnp.int32), (a < b), jnp.einsum(
        "i,j->ij", a, b, preferred_element_type=jnp.int32)


def eight_bits(x, i):
    results = []
    for t in jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3, jnp.float8_e3m4, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz, jnp.float8_e4m3b11fnuz:
        a, b = x.astype(t), x[::-1].astype(t)
        wide = [a, a + b, a * b, a / b, -a, jnp.maximum(a, b), jnp.where(a < b, a, b), a[:, ::-1], i.astype(t), jnp.sqrt(jnp.abs(a))]
        results += [jnp.stack([y.astype(jnp.float32) for y in wide]), jax.lax.bitcast_convert_type(a, jnp.uint8).astype(jnp.int32),
                    jnp.dot(a, b.T, preferred_element_type=jnp.float32), a.max().astype(jnp.float32)]
    scale = jnp.abs(x).astype(jnp.float8_e8m0fnu)
    return *results, scale.astype(jnp.float32), x.astype(jnp.float4_e2m1fn).astype(jnp.float32)


CASES = [
    (softmax, [f32(4, 10)]), (layernorm, [f32(3, 16), f32(16), f32(16)]), (mlp, [f32(5, 4), f32(4, 8), f32(8), f32(8, 3), f32(3)]),
    (argmaxes, [f32(6, 5).at[2, 3].set(jnp.nan)]), (int_argmax, [i32(-3, 3, 4, 9)]), (gather_rows, [f32(5, 4), i32(0, 4, 3)]),
    (distances, [f32(4, 6), f32(3, 6)]), (einsum, [f32(2, 3, 4), f32(2, 5, 4)]), (special, [f32(2, 9)]), (slices, [f32(4, 6)]),
    (reductions, [f32(3, 7)]), (integers, [i32(-50, 50, 12), i32(1, 9, 12)]), (narrow, [f32(3, 8)]), (vmapped, [f32(4, 3), f32(6, 3)]),
    (where, [f32(4, 4)]), (scalar_index, [f32(6, 5), jnp.int32(3)]),
    (scan_forward, [f32(3), {"a": f32(5, 2), "b": f32(5)}, f32(2, 3)]), (scan_reverse, [jnp.float32(1), f32(6)]), (scan_nested, [f32(3, 4)]),
    (scan_lengths, [jnp.float32(2)]), (scan_counts, [f32(5)]), (while_newton, [jnp.abs(f32(4)) + 1]), (collatz, [i32(1, 30, 7)]),
    (cond, [jnp.bool_(False), f32(3), f32(3)]), (switch, [jnp.int32(1), f32(4)]), (map_batches, [f32(7, 4)]),
    (cumulatives, [f32(4, 5), i32(-9, 9, 8)]), (sorts, [f32(5, 6).at[1, 2].set(jnp.nan), i32(0, 4, 6)]),
    (scatters, [f32(5, 4), jnp.asarray([1, 3, 1], jnp.int32), f32(3, 4)]), (updates, [f32(4, 5), f32(1, 5), jnp.int32(2)]),
    (windows, [f32(5, 6), f32(5, 3)]), (keys, [jnp.asarray([1, 42], jnp.uint32)]), (precision, [f32(6)]),
    (checkpoints, [f32(4, 4), f32(4, 4)]), (custom_rules, [f32(3, 2), f32(3, 2)]),
    (convolutions, [f32(2, 6, 5, 4), f32(3, 2, 4, 6), f32(3, 2, 2, 6), f32(4, 3, 7), f32(6, 3, 2)]),
    (four_bits, [i32(-9, 20, 16), 5 * f32(16)]), (eight_bits, [3 * f32(4, 6), i32(-40, 40, 4, 6)]),
    (factorizations, [f32(2, 4, 4), f32(2, 4, 3), f32(2, 5, 3)]), (reflections, [f32(2, 5, 3)]),
    (complex_factorizations, [f32(2, 4, 4), f32(2, 4, 4), f32(2, 4, 3), f32(2, 5, 3)]), (complex_reflections, [f32(2, 5, 3)]),
    (eigenvectors, [f32(2, 4, 4), f32(2, 4, 4), f32(2, 4, 4)]), (forms, [f32(2, 4, 4), f32(2, 4, 4), f32(2, 4, 4)]),
    (tridiagonal_systems, [f32(3, 2, 7), f32(2, 7, 3)]), (perturbed_systems, [f32(3, 2, 7), f32(2, 7, 3), jnp.ones(7).at[3:5].set(0)]),
    (reflected, [f32(2, 5, 3), f32(2, 5, 3), f32(2, 5, 3), f32(2, 5, 4), f32(2, 4, 5)]), (singular_by_qr, [f32(2, 5, 3)]),
]


def literal(a):
    a = np.asarray(a)
    shape = "".join(f"{d}x" for d in a.shape)
    raw = a.view(np.uint16) if a.dtype.name == "bfloat16" else a
    return f'dense<"0x{np.ascontiguousarray(raw).tobytes().hex().upper()}"> : tensor<{shape}{NAMES[a.dtype.name]}>'


def is_float(a):
    return jnp.issubdtype(a.dtype, jnp.floating)


def vjp(f, args):
    """Cotangents of the float results, and JAX's of the float arguments; None where it has none."""
    leaves, tree = jax.tree.flatten(args)

    def of_floats(*floats):
        it = iter(floats)
        return jax.tree.leaves(f(*jax.tree.unflatten(tree, [next(it) if is_float(a) else a for a in leaves])))

    pick = np.random.default_rng(11)
    try:
        results, back = jax.vjp(of_floats, *[a for a in leaves if is_float(a)])
        cts = [jnp.asarray(pick.standard_normal(r.shape), r.dtype) if is_float(r) else np.zeros(r.shape, jax.dtypes.float0) for r in results]
        return [ct for ct, r in zip(cts, results) if is_float(r)], back(cts)
    except (ValueError, NotImplementedError):
        return None


def check(lines, results, tolerance):
    for i, r in enumerate(results):
        exact, t = not is_float(np.asarray(r)), type_of(r)
        lines += [f"    %e{i} = stablehlo.constant {literal(r)}"]
        lines += [f"    check.expect_{'eq' if exact else 'almost_eq'} %r#{i}, %e{i}{'' if exact else f', tolerance = {tolerance(r)}'} : {t}, {t}"]
    lines += ["    return", "  }"]


def type_of(a):
    return re.search(r"tensor<.*$", literal(a)).group()


def check_vjp(args, results, cts, gradients):
    given = list(args) + cts
    activity = lambda values: ", ".join(f"#enzyme<activity enzyme_{kind}>" for kind in values)
    lines = ["  func.func @check_vjp() {"] + [f"    %a{i} = stablehlo.constant {literal(a)}" for i, a in enumerate(given)]
    lines += [f"    %r:{len(gradients)} = enzyme.autodiff @main({', '.join(f'%a{i}' for i in range(len(given)))}) {{activity = ["
              f"{activity('active' if is_float(a) else 'const' for a in args)}], ret_activity = [{activity('activenoneed' if is_float(r) else 'constnoneed' for r in results)}]}}"
              f" : ({', '.join(map(type_of, given))}) -> ({', '.join(map(type_of, gradients))})"]
    check(lines, gradients, lambda g: f"{2e-5 * max(1.0, float(np.max(np.abs(np.asarray(g, np.float64)), initial=0))):.1e}")
    return lines


def main():
    for f, args in CASES:
        lowered = jax.jit(f).lower(*args)
        results = jax.tree.leaves(jax.jit(f)(*args))
        derivatives = None if f in (custom_rules, four_bits, eight_bits, reflections, complex_reflections, perturbed_systems) else vjp(f, args)
        args = jax.tree.leaves(args)
        body = lowered.as_text().rstrip()
        assert body.endswith("}")
        types, outs = [type_of(a) for a in args], [type_of(r) for r in results]
        lines = [body[:-1].rstrip(), "  func.func @check() {"]
        lines += [f"    %a{i} = stablehlo.constant {literal(a)}" for i, a in enumerate(args)]
        lines += [f"    %r:{len(outs)} = call @main({', '.join(f'%a{i}' for i in range(len(args)))}) : ({', '.join(types)}) -> ({', '.join(outs)})"]
        check(lines, results, lambda r: "2.0e-5")
        if derivatives and derivatives[1]:
            lines += check_vjp(args, results, *derivatives)
        (HERE / f"{f.__name__}.mlir").write_text("\n".join(lines + ["}", ""]))


main()
