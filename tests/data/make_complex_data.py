#!/usr/bin/env python3
"""Writes complex.txt: inputs and what JAX computes from them, in the form of ops.txt (make_ops_data.py).

Run with jax 0.10.2 and numpy installed: python3 make_complex_data.py > complex.txt. The C side of each case is the row of the same name in
tests/ops/test_ops_complex.c or tests/derive/test_grad_complex.c.
"""
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax
from data_lines import emit

jax.config.update("jax_enable_x64", True)
c64, c128, f32, f64 = jnp.complex64, jnp.complex128, jnp.float32, jnp.float64

rng = np.random.default_rng(17)


def draw(*shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


# Signed zeros on both sides of every cut, points on the unit circle, large and small ones.
sizes = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 3.0, -3.0, 1e-20, -1e-20, 1e15, -1e15]
grid = np.array([complex(x, y) for x in sizes for y in sizes]).reshape(14, 14)
for i, x in enumerate(sizes):           # a sum would lose signs of zeros
    for k, y in enumerate(sizes):
        grid[i, k] = complex(x, y)
moderate = np.array([[complex(x, y) for y in sizes[:12]] for x in sizes[:12]])

I = {
    "z": draw(3, 4).astype(np.complex64), "w": draw(3, 4).astype(np.complex64), "zd": draw(3, 4), "wd": draw(3, 4),
    "cut": grid.astype(np.complex64), "cutd": grid, "mod": moderate.astype(np.complex64), "modd": moderate,
    "x": rng.standard_normal((3, 4)).astype(np.float32), "y": rng.standard_normal((3, 4)).astype(np.float32), "xd": rng.standard_normal((3, 4)),
    "h": rng.standard_normal((3, 4)).astype(np.float16), "i": np.array([[-7, 3, 0, 12], [100, -100, 5, -1], [2, -2, 6, 9]], np.int32),
    "m": np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]], bool), "v": draw(4).astype(np.complex64), "s": np.complex64(1.5 - 2j),
    "t": draw(2, 3, 4).astype(np.complex64), "a": draw(4, 5).astype(np.complex64), "q": draw(2, 4, 5).astype(np.complex64),
    "ties": np.array([[1 + 2j, 1 - 2j, 0, 1 + 2j], [-1, 3j, -1 + 1j, 3j], [2, 2 - 1j, 1 + 9j, 0]], np.complex64),
    "idx": np.array([2, 0, 1], np.int32), "e0": np.zeros((0, 3), np.complex64),
    "near": (np.exp(1j * np.linspace(-3, 3, 12)) * (1 + 1e-6 * rng.standard_normal(12))).astype(np.complex64),
    "neard": np.exp(1j * np.linspace(-3, 3, 12)) * (1 + 1e-12 * rng.standard_normal(12)),
}
CASES = {}


def cases(**kw):
    CASES.update(kw)


ONE = dict(neg="jnp.negative", abs="jnp.abs", sign="jnp.sign", square="jnp.square", exp="jnp.exp", expm1="jnp.expm1", log="jnp.log", log1p="jnp.log1p", sqrt="jnp.sqrt", rsqrt="lax.rsqrt",
           sin="jnp.sin", cos="jnp.cos", tan="jnp.tan", sinh="jnp.sinh", cosh="jnp.cosh", tanh="jnp.tanh", asin="jnp.arcsin", acos="jnp.arccos", atan="jnp.arctan",
           asinh="jnp.arcsinh", acosh="jnp.arccosh", atanh="jnp.arctanh", sigmoid="lax.logistic", real="jnp.real", imag="jnp.imag", conj="jnp.conj", angle="jnp.angle",
           log2="jnp.log2", log10="jnp.log10", exp2="jnp.exp2", reciprocal="jnp.reciprocal")
CUTS = dict(abs="cut", log="cut", sqrt="cut", asin="cut", acos="cut", asinh="cut", acosh="cut", angle="cut", exp="mod", sinh="mod", cosh="mod", sin="mod", cos="mod", tanh="mod",
            expm1="mod", log1p="cut", conj="cut", square="mod")
for op, fn in ONE.items():
    CASES[op], CASES[op + "_c128"] = f"{fn}(z)", f"{fn}(zd)"
    if op in CUTS:
        CASES[op + "_cut"], CASES[op + "_cut_c128"] = f"{fn}({CUTS[op]})", f"{fn}({CUTS[op]}d)"
# XLA's own are off at zeros and far out: NumPy's, of the same points
for op, fn in dict(atan="arctan", atanh="arctanh").items():
    for kind in ("", "d"):
        at = np.where(np.isclose(np.abs(I["mod" + kind]), 1) & ((I["mod" + kind].real == 0) | (I["mod" + kind].imag == 0)), 0.25, I["mod" + kind]).astype(I["mod" + kind].dtype)
        I["off" + kind] = at
    CASES[op + "_cut"], CASES[op + "_cut_c128"] = f"np.{fn}(np.asarray(off))", f"np.{fn}(np.asarray(offd))"
# XLA takes an imaginary -0 for 0 in these, and so is on the wrong side of the cut: NumPy's, too
for op, fn in dict(sqrt="sqrt", asin="arcsin", acos="arccos", asinh="arcsinh", acosh="arccosh", log1p="log1p").items():
    CASES[op + "_cut"], CASES[op + "_cut_c128"] = f"np.{fn}(np.asarray(cut))", f"np.{fn}(np.asarray(cutd))"
for op, fn in dict(add="jnp.add", subtract="jnp.subtract", multiply="jnp.multiply", divide="jnp.divide", power="jnp.power", maximum="jnp.maximum", minimum="jnp.minimum", atan2="lax.atan2").items():
    CASES[op], CASES[op + "_c128"] = f"{fn}(z, w)", f"{fn}(zd, wd)"
for op in ("maximum", "minimum"):
    CASES[op + "_ties"] = f"jnp.{op}(ties, ties[::-1])"
for op in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
    CASES[op] = f"jnp.{op}(ties, ties[::-1])"

cases(
    make="lax.complex(x, y)", make_c128="lax.complex(xd, x.astype(f64))", log_near="jnp.log(near)", log_near_c128="jnp.log(neard)",
    add_f32="z + x", add_f64="z + xd", add_f16="z + h", add_i32="z + i", add_bool="z + m", add_wide="z + zd", mul_number="z * (2 - 1j)", mul_f32_number="x * (2 - 1j)",
    mul_f64_number="xd * (2 - 1j)", mul_i32_number="i.astype(c64) * (2 - 1j)", mul_bool_number="m.astype(c64) * (2 - 1j)", mul_half="z * 0.5", add_int="z + 3",
    eq_number="ties == (1 + 2j)", where="jnp.where(m, z, w)", where_number="jnp.where(m, z, 1j)", where_real="jnp.where(m, x, z)",
    pow_2="z ** 2", pow_3="z ** 3", pow_neg2="z ** -2", pow_0="z ** 0", pow_half="z ** 0.5",
    astype_c128="z.astype(c128)", astype_c64="x.astype(c64)", astype_c64_i32="i.astype(c64)", astype_bool="ties.astype(bool)", astype_f32="jnp.real(z)",
    isfinite="jnp.isfinite(z / ties)", isnan="jnp.isnan(ties / ties)", isinf="jnp.isinf(ties / 0)", isnan_sum="jnp.isnan(z)",
    sum="jnp.sum(z)", sum_0="jnp.sum(t, axis=0)", sum_keep="jnp.sum(t, axis=(0, 2), keepdims=True)", sum_c128="jnp.sum(zd, axis=1)", sum_empty="jnp.sum(e0, axis=0)",
    prod="jnp.prod(z)", prod_1="jnp.prod(t, axis=1)", prod_last="jnp.prod(t, axis=2)", prod_empty="jnp.prod(e0, axis=0)", mean="jnp.mean(z)", mean_1="jnp.mean(t, axis=1)",
    max="jnp.max(ties)", max_1="jnp.max(ties, axis=1)", min_0="jnp.min(ties, axis=0)", var="jnp.var(z)", std="jnp.std(t, axis=1)", any="np.any(np.asarray(ties), axis=0)", all="np.all(np.asarray(ties), axis=1)",
    norm="jnp.linalg.norm(z)", norm_1="jnp.linalg.norm(z, axis=1)", cumsum="jnp.cumsum(z, axis=1)", cumsum_0="jnp.cumsum(z, axis=0)", cumprod="jnp.cumprod(z, axis=1)", cumprod_0="jnp.cumprod(z, axis=0)",
    matmul="z @ a", matmul_batch="t @ q", matmul_real="x @ a", v_v="v @ v", einsum="jnp.einsum('ij,kj->ik', z, w)", outer="jnp.outer(v, v)", tensordot="jnp.tensordot(t, q, ((0, 2), (0, 1)))",
    sort="jnp.sort(ties, axis=1)", sort_0="jnp.sort(ties, axis=0)", argsort="jnp.argsort(ties, axis=1).astype(jnp.int32)",
    reshape="z.reshape(2, 6)", transpose="t.T", at="t[1, ::-1, 1:3]", concatenate="jnp.concatenate([z, w], 0)", stack="jnp.stack([z, w], -1)", flip="jnp.flip(z, 1)", roll="jnp.roll(z, 1, 1)",
    tile="jnp.tile(z, (2, 1))", pad="jnp.pad(z, ((1, 0), (0, 2)), constant_values=1j)", broadcast="jnp.broadcast_to(v, (3, 4))", take="jnp.take(z, idx, 0)", take_out="jnp.take(z, jnp.array([0, 7]), 0)",
    set="z.at[1].set(v)", set_add="z.at[:, 1].add(2j)", scatter="z.at[idx].set(w)", scatter_add="z.at[jnp.array([1, 1, 0])].add(w)", scatter_mul="z.at[idx].mul(w)", full="jnp.full((2, 3), 1 - 2j, c64)",
    zeros="jnp.zeros((2,), c128)", ones="jnp.ones((2,), c64)", eye="jnp.eye(2, dtype=c64)", round="jnp.round(z * 10)", tril="jnp.tril(w)", arange="jnp.arange(4).astype(c64)",
)

# Derivatives: gradients of real functions, of which complex numbers have those of their real part less i times those of the other; vjps and jvps; jacobians of
# functions that are holomorphic.
GRADS = dict(
    abs="jnp.sum(jnp.abs(z) * x)", square="jnp.real(jnp.sum(z * z * w))", exp="jnp.imag(jnp.sum(jnp.exp(z) * w))", log="jnp.real(jnp.sum(jnp.log(z) * w))",
    sqrt="jnp.real(jnp.sum(jnp.sqrt(z) * w))", div="jnp.real(jnp.sum(w / z))", div_by="jnp.imag(jnp.sum(z / w))", conj="jnp.real(jnp.sum(jnp.conj(z) * w * z))",
    angle="jnp.sum(jnp.angle(z) * x)", parts="jnp.sum(jnp.real(z) * x + jnp.imag(z) ** 2 * y)", norm="jnp.linalg.norm(z)", matmul="jnp.real(jnp.sum((z @ a) ** 2))",
    sin="jnp.real(jnp.sum(jnp.sin(z) * w))", tanh="jnp.imag(jnp.sum(jnp.tanh(z) * w))", asin="jnp.real(jnp.sum(jnp.arcsin(z) * w))", atan="jnp.real(jnp.sum(jnp.arctan(z) * w))",
    power="jnp.real(jnp.sum(z ** w))", power_of="jnp.real(jnp.sum(w ** z))", prod="jnp.real(jnp.prod(z[0]))", cumsum="jnp.real(jnp.sum(jnp.cumsum(z, 1) ** 2))",
    where="jnp.real(jnp.sum(jnp.where(m, z * w, z * z)))", scatter="jnp.real(jnp.sum(w.at[idx].add(z * z) ** 2))", sort="jnp.real(jnp.sum(jnp.sort(z, axis=1) * w))",
    recip="jnp.real(jnp.sum(1 / (z * z)))", log1p="jnp.real(jnp.sum(jnp.log1p(z) * w))", cumprod="jnp.real(jnp.sum(jnp.cumprod(z, 1)))",
    atan2="jnp.real(jnp.sum(lax.atan2(z, w)))", cast="jnp.sum(jnp.real(z).astype(f32) * x)", max="jnp.abs(jnp.max(z))",
)
for name, text in GRADS.items():
    CASES["grad_" + name] = f"jax.grad(lambda z: {text})(z)"
CASES["grad_of_real"] = "jax.grad(lambda x: jnp.real(jnp.sum(jnp.exp(x * v) * w)))(x)"
CASES["grad_make"] = "jax.grad(lambda x: jnp.imag(jnp.sum(lax.complex(x, x * x) ** 2 * w)))(x)"
CASES["vjp_mul"] = "jax.vjp(lambda z: z * w, z)[1](v * jnp.ones((3, 4), c64))[0]"
CASES["jvp_exp"] = "jax.jvp(jnp.exp, (z,), (w,))[1]"
CASES["jvp_abs"] = "jax.jvp(jnp.abs, (z,), (w,))[1]"
CASES["jac_forward"] = "jax.jacfwd(lambda v: jnp.sin(v) * v[::-1], holomorphic=True)(v)"
CASES["jac_reverse"] = "jax.jacrev(lambda v: jnp.sin(v) * v[::-1], holomorphic=True)(v)"
CASES["grad_holomorphic"] = "jax.grad(lambda v: jnp.sum(jnp.sin(v) * v[::-1]), holomorphic=True)(v)"
CASES["grad_scan"] = "jax.grad(lambda z: jnp.real(jnp.sum(lax.scan(lambda c, x: (c * x + 1, c * c), z[0], z)[1])))(z)"

if __name__ == "__main__":
    scope = {k: jnp.asarray(v) for k, v in I.items()}
    for k, v in I.items():
        emit("+ " + k, v)
    scope.update(jax=jax, jnp=jnp, lax=lax, np=np, c64=c64, c128=c128, f32=f32, f64=f64)
    for k, v in CASES.items():
        emit("= " + k, eval(v, scope))
