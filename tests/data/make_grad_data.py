#!/usr/bin/env python3
"""Writes grad.txt: inputs and the derivatives that JAX computes of whole functions of them, one array a line, as make_ops_data.py writes ops.txt.

Run with jax 0.10.2 and numpy installed: python3 make_grad_data.py > grad.txt. The C side of each case is the row of the same name in tests/derive/test_grad_jax.c.
"""
import math
import sys
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax, nn
from jax.scipy import special as sp
from data_lines import emit

jax.config.update("jax_enable_x64", True)
f16, f32, f64 = jnp.float16, jnp.float32, jnp.float64

rng = np.random.default_rng(11)
normal = rng.standard_normal
I = {
    "x": normal(5), "y": normal(5), "s": np.float64(0.7), "t": np.float64(-1.3), "pos": rng.random(5) * 4 + 0.2, "unit": rng.random(5) * 1.8 - 0.9,
    "m": normal((3, 4)), "n": normal((3, 4)), "X": normal((6, 4)), "W": normal((4, 3)), "b": normal(3), "w": normal(4), "target": normal(6),
    "sign": np.sign(normal(6)), "labels": np.array([0, 2, 1, 1, 2, 0], np.int32), "ids": np.array([[0, 2, 2], [4, 1, 0]], np.int32), "table": normal((5, 3)),
    "q": normal((4, 3)), "k": normal((5, 3)), "v": normal((5, 2)), "img": normal((2, 6, 6)), "kernel": normal((3, 3)),
    "xs": normal((7, 2)), "U": normal((3, 3)) * 0.5, "Wx": normal((2, 3)), "h0": normal(3),
    "ties": np.array([[1.0, 5, 5, 2], [3, 3, 3, 3], [-1, -7, -1, -7]]), "zeros": np.zeros(4), "withzero": np.array([1.5, 0.0, -2.0, 0.5]),
    "twozeros": np.array([0.0, 3.0, 0.0, 2.0]), "i3": np.array([2, 0, 3], np.int32), "far": np.array([2, 0, -1, 3, 7], np.int32), "groups": np.array([1, 0, 1, 1, 0], np.int32), "mask": np.array([1, 0, 1, 1, 0], bool), "hole": np.array([1.0, np.nan, 2.0, -1.0, np.inf]),
    "batch": normal((4, 5)), "one": np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), "x32": normal(6).astype(np.float32), "x16": normal(6).astype(np.float16),
    "A": normal((4, 4)) * 0.4, "B": normal((4, 4)), "weights": np.array([0.2, 0.5, 0.3]), "mu": normal(3), "sq": normal((3, 3)),
    "edge": np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]), "edge2": np.array([0.0, 1.0, 0.0, -1.0, np.inf, 1.0, 1.0]), "exponent": np.array([0.0, 0.5, 1.0, 2.0, 3.0, -1.0]),
    "minus_inf": np.full(3, -np.inf), "some_inf": np.array([-np.inf, 0.5, 1.0]), "same": np.full(4, 2.5), "repeats": np.array([2.0, 1.0, 2.0, 1.0, 3.0]),
}
for name, a in I.items():
    emit("+ " + name, a)
E = {k: jnp.asarray(a) for k, a in I.items()}
locals().update(E)


def case(name, value):
    emit("= " + name, value)


def grads(name, f, *args):
    """By each argument: name_0, name_1, ..."""
    for i, g in enumerate(jax.grad(f, argnums=tuple(range(len(args))))(*args)):
        case(f"{name}_{i}", g)


# Losses.
grads("mse", lambda w, c: jnp.mean((X @ w + c - target) ** 2), w, s)
grads("logistic", lambda w: jnp.mean(nn.softplus(-sign * (X @ w))), w)
grads("cross_entropy", lambda W, b: -jnp.mean(jnp.take_along_axis(nn.log_softmax(X @ W + b), labels[:, None], 1)), W, b)
grads("huber", lambda w: jnp.sum(jnp.where(jnp.abs(X @ w - target) < 1, 0.5 * (X @ w - target) ** 2, jnp.abs(X @ w - target) - 0.5)), w)
grads("hinge", lambda w: jnp.sum(jnp.maximum(0, 1 - sign * (X @ w))), w)
grads("gauss", lambda mean, log_scale: jnp.sum(-0.5 * ((x - mean) / jnp.exp(log_scale)) ** 2 - log_scale - 0.5 * math.log(2 * math.pi)), s, t)
grads("mixture", lambda mu, weights: jnp.sum(sp.logsumexp(-0.5 * (x[:, None] - mu) ** 2 + jnp.log(weights), axis=1)), mu, weights)
grads("ridge", lambda W: jnp.sum((X @ W) ** 2) + 0.1 * jnp.sum(W ** 2) + jnp.sum(jnp.abs(W)), W)

# Layers.
def layernorm(x, g, c):
    return g * (x - jnp.mean(x, -1, keepdims=True)) / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-5) + c
grads("layernorm", lambda m, g, c: jnp.sum(jnp.sin(layernorm(m, g, c))), m, w, w)
grads("attention", lambda q, k, v: jnp.sum((nn.softmax(q @ k.T / math.sqrt(3)) @ v) ** 2), q, k, v)
grads("embedding", lambda table: jnp.sum(jnp.cos(jnp.take(table, ids, 0))), table)
grads("max_pool", lambda img: jnp.sum(lax.reduce_window(img, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "VALID") ** 2), img)
grads("avg_pool", lambda img: jnp.sum((lax.reduce_window(img, 0.0, lax.add, (1, 3, 3), (1, 1, 1), "VALID") / 9) ** 2), img)
def windows(img, kernel):
    return sum(kernel[i, j] * img[:, i:i + 4, j:j + 4] for i in range(3) for j in range(3))
grads("conv", lambda img, kernel: jnp.sum(jnp.tanh(windows(img, kernel))), img, kernel)
def rnn(Wx, U, h0):
    return lax.scan(lambda h, x: (jnp.tanh(x @ Wx + h @ U), jnp.sum(h)), h0, xs)
grads("rnn", lambda Wx, U, h0: jnp.sum(rnn(Wx, U, h0)[0] ** 2) + jnp.sum(jnp.sin(rnn(Wx, U, h0)[1])), Wx, U, h0)
for back in "rnn_back", "rnn_third":
    grads(back, lambda U: jnp.sum(lax.scan(lambda h, x: (jnp.tanh(x @ Wx + h @ U), h), h0, xs, reverse=True)[1] ** 2), U)
grads("gelu", lambda x: jnp.sum(nn.gelu(x) * nn.silu(x) + nn.gelu(x, approximate=False)), x)
grads("softmax_jac", lambda x: jnp.sum(nn.softmax(x) * y), x)

# Order, prefixes, indices.
grads("sorted", lambda x: jnp.sum(jnp.sort(x) * jnp.arange(5.0)), x)
grads("sort_rows", lambda batch: jnp.sum(jnp.sort(batch, axis=0) * y), batch)
grads("top_k", lambda x: jnp.sum(lax.top_k(x, 3)[0] ** 3), x)
grads("cumsum", lambda x: jnp.sum(jnp.cumsum(x) ** 2), x)
grads("cumprod", lambda x: jnp.sum(jnp.cumprod(x) * y), x)
grads("cumprod_zero", lambda v: jnp.sum(jnp.cumprod(v) * w), withzero)
grads("cummax", lambda x: jnp.sum(lax.cummax(x) * y), x)
grads("cumlogsumexp", lambda x: jnp.sum(lax.cumlogsumexp(x) * y), x)
grads("scatter_add", lambda x, y: jnp.sum(x.at[i3].add(y[:3]) ** 2), x, y)
grads("scatter_set", lambda x, y: jnp.sum(x.at[i3].set(y[:3]) ** 2), x, y)
grads("segments", lambda batch: jnp.sum(jax.ops.segment_sum(batch, jnp.array([1, 0, 1, 1]), 2) ** 2), batch)
grads("dynamic", lambda x: jnp.sum(lax.dynamic_slice(x, (i3[0],), (3,)) * lax.dynamic_update_slice(x, x[:2] ** 2, (i3[0],))[:3]), x)
grads("padded", lambda m: jnp.sum(jnp.pad(m, ((1, 2), (0, 1)))[::2, 1:] ** 3), m)
grads("rolled", lambda x: jnp.sum(jnp.roll(x, 2) * jnp.concatenate([x[1:], x[:1]])), x)
grads("einsum", lambda q, k: jnp.sum(jnp.einsum("ij,kj->ik", q, k) ** 2) + jnp.sum(jnp.einsum("ij,ij->j", q, q)), q, k)
grads("bilinear", lambda w, A: jnp.einsum("i,ij,j", w, A, w), w, A)

grads("take_fill", lambda x: jnp.sum(jnp.where(jnp.arange(5) < 4, jnp.take(x, far), 0) ** 2), x)
grads("take_along", lambda m: jnp.sum(jnp.take_along_axis(m, jnp.array([[0, 3, -1], [1, 1, 2], [2, 0, 0]]), 1) ** 2), m)
grads("scatter_far", lambda x, y: jnp.sum(x.at[far].add(y) ** 2), x, y)
grads("scatter_clip", lambda x, y: jnp.sum(x.at[far].add(y, mode="clip") ** 2), x, y)
grads("scatter_mul", lambda x, y: jnp.sum(x.at[i3].mul(y[:3], unique_indices=True) ** 2), x, y)
grads("scatter_max", lambda x, y: jnp.sum(x.at[i3].set(jnp.maximum(x[i3], y[:3])) ** 2), x, y)
grads("set_slice", lambda m, w: jnp.sum(m.at[1:, ::2].set(w[:2]) ** 2) + jnp.sum(m.at[0, :].mul(w)), m, w)
grads("dynamic_far", lambda x: jnp.sum(lax.dynamic_slice(x, (4,), (3,)) ** 3), x)
grads("segment_max", lambda x: jnp.max(x[jnp.array([1, 4])]) ** 2 + jnp.max(x[jnp.array([0, 2, 3])]) ** 2, x)
grads("segment_prod", lambda x: (x[1] * x[4]) ** 2 + (x[0] * x[2] * x[3]) ** 2, x)
grads("bincount", lambda x: jnp.sum(jnp.bincount(groups, weights=x, length=3) ** 2), x)
grads("sort_down", lambda x: jnp.sum(jnp.sort(x, descending=True) * y), x)
grads("sort_by", lambda x: jnp.sum(lax.sort((y, x), num_keys=1)[1] * x), x)
grads("max_pool_same", lambda img: jnp.sum(lax.reduce_window(img, -jnp.inf, lax.max, (1, 3, 3), (1, 2, 2), "SAME") ** 2), img)
def products_of_windows(img):                       # JAX has no reverse mode for a window of products
    p = jnp.pad(img, ((0, 0), (1, 0), (0, 1)), constant_values=1)
    return p[:, 0:6:2, :6] * p[:, 1:7:2, :6] * p[:, 0:6:2, 1:7] * p[:, 1:7:2, 1:7]
grads("window_mul", lambda img: jnp.sum(products_of_windows(img)), img)
grads("window_dilated", lambda img: jnp.sum(lax.reduce_window(img, 0.0, lax.add, (1, 2, 2), (1, 1, 1), "VALID", window_dilation=(1, 2, 3)) ** 2), img)
grads("cumsum_back", lambda m: jnp.sum(lax.cumsum(m, axis=0, reverse=True) ** 2), m)
grads("cumlogsumexp_inf", lambda v: jnp.sum(lax.cumlogsumexp(v)[1:]), some_inf)
grads("triangle", lambda A: jnp.sum(jnp.tril(A) @ jnp.triu(A, 1)), A)
grads("stack", lambda x, y: jnp.sum(jnp.stack([x, y, x * y], 1)[::-1, 1:] ** 2), x, y)
grads("tensordot", lambda m, n: jnp.sum(jnp.tensordot(m, n, ((0,), (0,))) ** 2) + jnp.vdot(m, n), m, n)
grads("outer_inner", lambda x, y: jnp.sum(jnp.outer(x, y) ** 2) * jnp.inner(x, y), x, y)

# Math functions.
grads("lgamma", lambda pos: jnp.sum(sp.gammaln(pos) * sp.digamma(pos)), pos)
grads("inverse", lambda unit: jnp.sum(jnp.arcsin(unit) + jnp.arctanh(unit) * sp.erfinv(unit)), unit)
grads("logs", lambda pos: jnp.sum(jnp.log(pos) * jnp.log1p(pos) + jnp.sqrt(pos) + lax.rsqrt(pos) + jnp.cbrt(pos) + jnp.log2(pos)), pos)
grads("trig", lambda x: jnp.sum(jnp.sin(x) * jnp.cos(x) + jnp.tan(x / 3) + jnp.arctan(x) + jnp.arcsinh(x) + jnp.sinh(x) * jnp.cosh(x)), x)
grads("errs", lambda x: jnp.sum(sp.erf(x) + sp.erfc(x) ** 2 + jnp.expm1(x) + jnp.exp2(x) + nn.sigmoid(x) + nn.log_sigmoid(x)), x)
grads("powers", lambda pos, y: jnp.sum(pos ** y + pos ** 3 + pos ** 0.5), pos, y)
grads("power_zero", lambda v: jnp.sum(v ** 2 + v ** 3.0), zeros)
grads("angles", lambda x, y: jnp.sum(jnp.arctan2(x, y) + jnp.hypot(x, y) + jnp.logaddexp(x, y)), x, y)
grads("divide", lambda x, pos: jnp.sum(x / pos + jnp.fmod(x, pos) + jnp.mod(x, pos)), x, pos)
case("tanh_3", jax.grad(jax.grad(jax.grad(jnp.tanh)))(s))
case("digamma_2", jax.grad(jax.grad(sp.digamma))(jnp.abs(t)))

# Points where there is more than one answer.
grads("abs_0", lambda v: jnp.sum(jnp.abs(v)), one)
grads("relu_0", lambda v: jnp.sum(nn.relu(v)), one)
grads("max_ties", lambda v: jnp.sum(jnp.max(v, axis=1) ** 2), ties)
grads("min_ties", lambda v: jnp.min(v), ties)
grads("maximum_ties", lambda v: jnp.sum(jnp.maximum(v, 3.0) + jnp.minimum(v, 5.0) * 2), ties)
grads("clip_edge", lambda v: jnp.sum(jnp.clip(v, -0.5, 0.5) * y), one)
grads("norm_0", lambda v: jnp.sqrt(jnp.sum(v * v)), zeros)
grads("sign_floor", lambda v: jnp.sum(jnp.sign(v) + jnp.floor(v) + jnp.round(v) + v), one)
grads("where_nan", lambda v: jnp.sum(jnp.where(mask, v, 0)), hole)
grads("prod_zero", lambda v: jnp.prod(v), withzero)
grads("prod_two", lambda v: jnp.prod(v), twozeros)
grads("logsumexp", lambda x: sp.logsumexp(x), x)
grads("variance", lambda m: jnp.sum(jnp.var(m, axis=0, ddof=1) + jnp.std(m, axis=0)), m)
for edge_name, edge_f in dict(
        sqrt=jnp.sqrt, rsqrt=lax.rsqrt, cbrt=jnp.cbrt, log=jnp.log, log1p=jnp.log1p, exp=jnp.exp, reciprocal=lambda v: 1 / v, tanh=jnp.tanh, sigmoid=nn.sigmoid, log_sigmoid=nn.log_sigmoid,
        softplus=nn.softplus, silu=nn.silu, erf=sp.erf, erf_inv=sp.erfinv, asin=jnp.arcsin, acos=jnp.arccos, acosh=jnp.arccosh, atanh=jnp.arctanh, square=jnp.square, abs=jnp.abs, sign=jnp.sign,
        lgamma=sp.gammaln, sin=jnp.sin, atan=jnp.arctan, power=lambda v: v ** 0.5, cube=lambda v: v ** 3, one=lambda v: v ** 1.0).items():
    case("edge_" + edge_name, jax.vmap(jax.grad(edge_f))(edge))
    if edge_name in ("softplus", "log_sigmoid", "sigmoid", "silu", "tanh", "square", "abs", "cube", "exp", "erf", "atan", "sin"):
        case(f"edge_{edge_name}_2", jax.vmap(jax.grad(jax.grad(edge_f)))(edge[:4]))
for edge_name, edge_f in dict(atan2=jnp.arctan2, logaddexp=jnp.logaddexp, div=jnp.divide, maximum=jnp.maximum, minimum=jnp.minimum).items():
    for by in range(2):
        case(f"edges_{edge_name}_{by}", jax.vmap(jax.grad(edge_f, by))(edge, edge2))
grads("zero_to_the", lambda v: jnp.sum(0.0 ** v), exponent)
grads("logsumexp_nothing", sp.logsumexp, minus_inf)
grads("logsumexp_part", sp.logsumexp, some_inf)
grads("softmax_inf", lambda v: jnp.sum(nn.softmax(v) * mu), some_inf)
grads("log_softmax_inf", lambda v: nn.log_softmax(v)[1], some_inf)
grads("std_same", jnp.std, same)
grads("norm1", lambda v: jnp.linalg.norm(v, 1), one)
grads("norm_inf", lambda v: jnp.linalg.norm(v, jnp.inf), repeats)
grads("norm3", lambda v: jnp.linalg.norm(v, 3), repeats)
grads("sort_ties", lambda v: jnp.sum(jnp.sort(v) * x), repeats)
grads("cummax_ties", lambda v: jnp.sum(lax.cummax(v) * x), repeats)
grads("prefix_min", lambda v: jnp.sum(lax.cummin(v) * x), repeats)
grads("stop", lambda x: jnp.sum(x * lax.stop_gradient(jnp.sin(x))), x)
grads("types", lambda x: jnp.sum(x.astype(f64) ** 2), x32)
case("half", jax.grad(lambda x: jnp.sum(x.astype(f32) * 3).astype(f32))(x16))

# Control flow.
def choose(s, x):
    return lax.cond(s > 0, lambda x: jnp.sum(jnp.sin(x) * s), lambda x: jnp.sum(x ** 2) * s, x)
grads("cond_yes", choose, s, x)
grads("cond_no", choose, t, x)
grads("switch", lambda x: lax.switch(1, [jnp.sum, lambda x: jnp.sum(x ** 3), lambda x: x[0]], x), x)
grads("fori", lambda x, s: jnp.sum(lax.fori_loop(0, 5, lambda i, c: jnp.sin(c) * s, x)), x, s)
def newton(a):
    return lax.while_loop(lambda c: jnp.abs(c * c - a) > 1e-10, lambda c: 0.5 * (c + a / c), a)
case("while_jvp", jax.jvp(newton, (jnp.float64(7.0),), (jnp.float64(1.0),))[1])
grads("mapped", lambda batch: jnp.sum(lax.map(lambda r: jnp.prod(r) + jnp.max(r), batch)), batch)
def compose(a, b):
    return a[0] * b[0], a[1] * b[0] + b[1]
grads("associative", lambda x, y: jnp.sum(lax.associative_scan(compose, (x, y))[1]), x, y)
grads("checkpoint", jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(jnp.sin(x))))), x)
def descend(rate):
    def step(w, _):
        return w - rate * jax.grad(lambda w: jnp.mean((X @ w - target) ** 2))(w), None
    return jnp.mean((X @ lax.scan(step, w, None, length=8)[0] - target) ** 2)
case("meta", jax.grad(descend)(jnp.float64(0.05)))
case("meta_2", jax.grad(jax.grad(descend))(jnp.float64(0.05)))

# Whole matrices, directions, batches.
def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
case("rosen_grad", jax.grad(rosenbrock)(x))
case("rosen_hessian", jax.hessian(rosenbrock)(x))
case("rosen_hvp", jax.jvp(jax.grad(rosenbrock), (x,), (y,))[1])
case("vector_hessian", jax.hessian(lambda x: jnp.sin(x[:2]) * jnp.sum(x ** 2))(x))
case("jacfwd", jax.jacfwd(lambda m: jnp.tanh(m @ w) * jnp.sum(m))(m))
case("jacrev", jax.jacrev(lambda m: jnp.tanh(m @ w) * jnp.sum(m))(m))
blocks = jax.hessian(lambda x, s: jnp.sum(jnp.sin(x) * s ** 2) * jnp.exp(x[0]), argnums=(0, 1))(x, s)
for row in range(2):
    for column in range(2):
        case(f"blocks_{row}{column}", blocks[row][column])
case("jvp_softmax", jax.jvp(nn.softmax, (x,), (y,))[1])
case("vjp_matmul", jax.vjp(lambda q, k: q @ k.T, q, k)[1](jnp.ones((4, 5)))[1])
case("per_example", jax.vmap(jax.grad(lambda w, x, y: (jnp.dot(x, w) - y) ** 2), (None, 0, 0))(w, X, target))
case("grad_of_vmap", jax.grad(lambda w: jnp.sum(jax.vmap(lambda x, y: jnp.tanh(jnp.dot(x, w)) * y)(X, target)))(w))
case("per_row_hessian", jax.vmap(jax.hessian(rosenbrock))(batch))
case("vmap_of_rnn", jax.vmap(jax.grad(lambda h0, U: jnp.sum(rnn(Wx, U, h0)[0])), (0, None))(sq, U))
case("confusion", jax.grad(lambda x: x * jax.grad(lambda y: x + y)(1.0))(s))
case("confusion_2", jax.jvp(lambda x: x * jax.jvp(lambda y: x * y, (2.0,), (1.0,))[1], (s,), (1.0,))[1])
case("linear_transpose", jax.linear_transpose(lambda x: jnp.cumsum(x) * y, x)(pos)[0])
case("expm_like", jax.grad(lambda A: jnp.sum(lax.fori_loop(0, 6, lambda i, c: (c[0] @ A / (i + 1.0), c[1] + c[0]), (jnp.eye(4), jnp.zeros((4, 4))))[1] * B))(A))
