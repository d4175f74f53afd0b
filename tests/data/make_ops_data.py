#!/usr/bin/env python3
"""Writes ops.txt: inputs and what JAX and NumPy compute from them, one array a line: name, element type, sizes, ":" and the bytes in hex.

Run with jax 0.10.2 and numpy installed: python3 make_ops_data.py > ops.txt. The C side of each case is the row of the same name in tests/ops/test_ops_*.c.
"""
import sys
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax, nn
from jax.scipy import special as sp
from data_lines import emit

f32, f16, bf16, i32, U8, U32 = jnp.float32, jnp.float16, jnp.bfloat16, jnp.int32, jnp.uint8, jnp.uint32

rng = np.random.default_rng(7)
I = {
    "x": (rng.standard_normal((3, 4)) * 2).astype(np.float32),
    "y": (rng.standard_normal((3, 4)) * 2).astype(np.float32),
    "v4": rng.standard_normal(4).astype(np.float32),
    "c3": rng.standard_normal((3, 1)).astype(np.float32),
    "s": np.float32(1.5),
    "pos": (rng.random((3, 4)) * 5 + 0.1).astype(np.float32),
    "unit": (rng.random((3, 4)) * 1.98 - 0.99).astype(np.float32),
    "above": (rng.random((3, 4)) * 5 + 1.01).astype(np.float32),
    "special": np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 1e30, -1e30, 1e-30, 80, -80, 0.5, 1.5, 2.5, -0.5, -2.5, 3.7, -3.7], np.float32),
    "t": rng.standard_normal((2, 3, 4)).astype(np.float32),
    "w": rng.standard_normal((4, 5)).astype(np.float32),
    "q": rng.standard_normal((2, 4, 5)).astype(np.float32),
    "sq": rng.standard_normal((4, 4)).astype(np.float32),
    "p5": rng.standard_normal((5, 1, 4, 3)).astype(np.float32),
    "one3": rng.standard_normal((1, 3)).astype(np.float32),
    "e0": np.zeros((0, 3), np.float32),
    "i": np.array([[-7, 3, 0, 12], [100, -100, 5, -1], [2**31 - 1, -2**31, 6, 9]], np.int32),
    "j": np.array([[2, -3, 5, -4], [7, 7, -2, 3], [2, 3, 1, 4]], np.int32),
    "small": np.array([[1, 2, 0, 3], [4, 2, 5, 1], [0, 1, 2, 3]], np.int32),
    "a8": np.array([[-128, 127, 5, -6], [0, 1, -1, 100], [64, 2, -100, 9]], np.int8),
    "b8": np.array([3, -2, 7, 100], np.int8),
    "u8": np.array([[0, 255, 5, 6], [1, 2, 3, 128], [9, 17, 200, 250]], np.uint8),
    "u32": np.array([[0, 2**32 - 1, 5, 6], [1, 2, 3, 128], [9, 17, 2**31, 250]], np.uint32),
    "u16": np.array([1, 2, 60000, 4], np.uint16),
    "shift": np.array([[0, 1, 2, 31], [32, 33, 5, 7], [1, 1, 30, 3]], np.int32),
    "m": np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]], bool),
    "n": np.array([[1, 1, 0, 1], [0, 1, 1, 0], [0, 0, 0, 0]], bool),
    "m4": np.array([1, 0, 1, 1], bool),
    "idx": np.array([2, 0, -1, 1, 7], np.int32),
    "idx2": np.array([[0, 2], [-1, 5]], np.int32),
    "along": np.array([[0, 3, -1], [1, 9, 2], [2, 2, -7]], np.int32),
    "along1": np.array([[2, 0, 1, -1]], np.int32),
    "ids": np.array([[0, 2, 5], [-1, 1, 3]], np.int32),
    "ties": np.array([[1, 5, 5, 2], [np.nan, 3, np.nan, 9], [-1, -1, -7, -7]], np.float32),
    "infs": np.array([[-np.inf, -np.inf, -np.inf], [0, np.inf, 1], [1000, 1001, -np.inf]], np.float32),
    "big16": np.full((5000,), 30, np.float16),
}
I["h"] = I["x"].astype(np.float16)
I["g"] = I["y"].astype(np.float16)
I["b"] = np.asarray(jnp.asarray(I["x"]).astype(bf16))
I["d"] = rng.standard_normal((3, 4))
I["k64"] = np.array([[-7, 3, 0, 12], [2**40, -2**50, 5, -1], [1, 2, 6, 9]], np.int64)
I["keys"] = np.array([[2, -0.0, 7, 2, 0.0, -1], [np.nan, 3, np.inf, -np.inf, np.nan, 3], [5, 5, 1, 1, 3, 3]], np.float32)
I["second"] = np.array([[1, 2, 0, 0, 1, 5], [9, 8, 7, 6, 5, 4], [1, 0, 2, 1, 1, 0]], np.int32)
I["row"] = rng.standard_normal((2, 40)).astype(np.float32)
I["img"] = rng.standard_normal((2, 5, 6)).astype(np.float32)
I["asc"] = np.array([-2, -0.5, 0, 0, 1, 1, 3, np.nan], np.float32)
I["query"] = np.array([[-3, -0.5, 0, 0.25, 1], [2, 3, 9, np.nan, -np.inf]], np.float32)
I["vals"] = np.array([[3, 1, 1, 3], [2, 7, 3, 1]], np.int32)
I["segs"] = np.array([0, 2, 0], np.int32)
I["segs_out"] = np.array([1, -1, 5], np.int32)
I["cells"] = np.array([[0, 1], [2, -1], [0, 1], [9, 0], [1, -9]], np.int32)
I["u2"] = np.array([[10, 20], [30, 40]], np.float32)
I["at2"] = np.array([1, 2], np.int32)
I["photo"] = rng.standard_normal((2, 7, 6, 4)).astype(np.float32)
I["kernel"] = rng.standard_normal((3, 2, 4, 6)).astype(np.float32)
I["kernel2"] = rng.standard_normal((3, 2, 1, 8)).astype(np.float32)
I["pixels"] = rng.integers(-9, 9, (2, 5, 4, 3)).astype(np.int32)
I["filters"] = rng.integers(-9, 9, (3, 3, 3, 2)).astype(np.int32)

CASES = {}


def cases(**kw):
    CASES.update(kw)


# One float operand: f32, f16, and special values.
for op, fn, inp in [
        ("sqrt", "jnp.sqrt", "pos"), ("rsqrt", "lax.rsqrt", "pos"), ("cbrt", "jnp.cbrt", "x"), ("exp", "jnp.exp", "x"), ("exp2", "jnp.exp2", "x"),
        ("expm1", "jnp.expm1", "x"), ("log", "jnp.log", "pos"), ("log2", "jnp.log2", "pos"), ("log10", "jnp.log10", "pos"), ("log1p", "jnp.log1p", "pos"),
        ("sin", "jnp.sin", "x"), ("cos", "jnp.cos", "x"), ("tan", "jnp.tan", "unit"), ("asin", "jnp.arcsin", "unit"), ("acos", "jnp.arccos", "unit"),
        ("atan", "jnp.arctan", "x"), ("sinh", "jnp.sinh", "x"), ("cosh", "jnp.cosh", "x"), ("tanh", "jnp.tanh", "x"), ("asinh", "jnp.arcsinh", "x"),
        ("acosh", "jnp.arccosh", "above"), ("atanh", "jnp.arctanh", "unit"), ("erf", "sp.erf", "x"), ("erfc", "sp.erfc", "x"), ("erf_inv", "lax.erf_inv", "unit"),
        ("lgamma", "sp.gammaln", "above"), ("digamma", "sp.digamma", "above"), ("bessel_i1e", "sp.i1e", "x"), ("sigmoid", "nn.sigmoid", "x"),
        ("log_sigmoid", "nn.log_sigmoid", "x"), ("silu", "nn.silu", "x"), ("gelu", "nn.gelu", "x"), ("gelu_exact", "(lambda a: nn.gelu(a, approximate=False))", "x"),
        ("softplus", "nn.softplus", "x"), ("reciprocal", "jnp.reciprocal", "pos"), ("floor", "jnp.floor", "x"), ("ceil", "jnp.ceil", "x"), ("trunc", "jnp.trunc", "x"),
        ("round", "jnp.round", "x"), ("abs", "jnp.abs", "x"), ("neg", "jnp.negative", "x"), ("sign", "jnp.sign", "x"), ("square", "jnp.square", "x"), ("relu", "nn.relu", "x")]:
    CASES[op] = f"{fn}({inp})"
    CASES[f"{op}_f16"] = f"{fn}({inp}.astype(f16))"
    CASES[f"{op}_i32"] = f"{fn}(small.astype(f32))" if "lax." in fn or "sp." in fn or ("nn." in fn and op != "relu") else f"{fn}(small)"
    if op not in ("lgamma", "digamma"):
        CASES[f"{op}_special"] = f"{fn}(special)"
CASES["round_away"] = "lax.round(special)"
CASES["acosh_special"] = "jnp.arccosh(special)"

for op in ("isfinite", "isinf", "isposinf", "isneginf", "isnan"):
    CASES[op] = f"jnp.{op}(special)"
    CASES[f"{op}_i32"] = f"jnp.{op}(i)" if op in ("isfinite", "isinf", "isnan") else "jnp.zeros((3, 4), bool)"

cases(
    abs_u8="u8", abs_i8="jnp.abs(a8)", sign_u8="jnp.sign(u8)", sign_i8="jnp.sign(a8)", floor_bool="m", neg_u32="jnp.negative(u32)",
    exp_bf16="jnp.exp(b)", tanh_bf16="jnp.tanh(b)", exp_bool="jnp.exp(m.astype(f32))", exp_number="jnp.exp(jnp.float32(1.5))", exp_int="jnp.exp(jnp.float32(2))",
    not_i32="~i", not_bool="~m", not_u8="~u8", logical_not="jnp.logical_not(special)", logical_not_bool="~m", popcount="lax.population_count(i)",
    popcount_u8="lax.population_count(u8)", clz="lax.clz(i)", clz_i8="lax.clz(a8)",
    relu_int="nn.relu(i)", square_i8="jnp.square(a8)",
)

# Two operands.
for op in ("add", "multiply", "subtract", "divide", "maximum", "minimum", "arctan2", "hypot", "logaddexp", "mod", "floor_divide", "fmod"):
    CASES[op] = f"jnp.{op}(x, y)"
    CASES[f"{op}_broadcast"] = f"jnp.{op}(c3, v4)"
    CASES[f"{op}_f16"] = f"jnp.{op}(h, g)"
    if op in ("mod", "floor_divide", "fmod", "add", "multiply", "subtract", "divide", "maximum", "minimum"):
        CASES[f"{op}_i32"] = f"jnp.{op}(i, j)"
        CASES[f"{op}_u8"] = f"jnp.{op}(u8, u8[::-1] | 1)"
    CASES[f"{op}_special"] = f"jnp.{op}(special[:, None], special[None, :])"
for op in ("eq", "ne", "lt", "le", "gt", "ge"):
    CASES[op] = f"lax.{op}(small, j)"
    CASES[f"{op}_special"] = f"lax.{op}(*jnp.broadcast_arrays(special[:, None], special[None, :]))"
    CASES[f"{op}_u32"] = f"lax.{op}(u32, jnp.full((3, 4), 128, U32))"

cases(
    add_bool="m | n", mul_bool="m & n", add_i32_f16="small + h", add_bf16_f16="b + h", add_bool_f32="m + x", add_u8_i8="jnp.add(u8, a8)", add_rank0="x + s",
    add_3d="t + x", add_i8_wrap="a8 + b8", mul_u32="u32 * u32", add_u32_i32_types="jnp.add(u16.astype(U8), b8)",
    number_i32_half="small * 0.5", number_f16="h * 2.0", number_bool="m + 1", number_i8="jnp.right_shift(a8, 1) + 1", number_left="1 - x", number_int_f32="x * 3",
    number_true="jnp.logical_or(m, True)", number_f32_div="1 / pos", number_bf16="b + 0.1", number_bool_f="m * 0.5", number_cmp="x > 0", number_max_nan="jnp.maximum(special, 0)",
    div_i32="small / j", div_bool="m / (n | True)",
    mod_py="jnp.mod(i, 7)", mod_neg="jnp.mod(x, -1.5)", rem_zero="lax.rem(small, jnp.zeros_like(small))",
    pow_f32="jnp.power(pos, y)", pow_sq="x ** 2", pow_cube="x ** 3", pow_13="x ** 13", pow_neg2="pos ** -2", pow_0="x ** 0", pow_half="pos ** 0.5", pow_ii="jnp.power(j, small)",
    pow_i3="small ** 3", pow_base="2.0 ** x", pow_f16="h ** 3",
    nextafter="jnp.nextafter(special, jnp.float32(0))", polygamma="sp.polygamma(2, above)", zeta="sp.zeta(above, pos)",
    and_i32="i & j", or_i32="i | j", xor_i32="i ^ j", and_bool="m & n", or_bool="m | n", xor_bool="m ^ n",
    shl="lax.shift_left(i, shift)", shr="lax.shift_right_arithmetic(i, shift)", shr_u32="lax.shift_right_logical(u32, shift.astype(U32))",
    shr_logic="lax.shift_right_logical(i, shift)", shr_arith_u32="lax.shift_right_arithmetic(u32, shift.astype(U32))",
    mulhi="lax.mulhi(i, j)", logical_and="jnp.logical_and(x > 0, small)", logical_or="jnp.logical_or(small, j)", logical_xor="jnp.logical_xor(m, small)",
    where="jnp.where(m, x, y)", where_number="jnp.where(m, x, 0)", where_broadcast="jnp.where(m4, c3, 1.5)", where_int="jnp.where(small, small, -1)",
    where_promote="jnp.where(m, h, x)", clip="jnp.clip(x, -1, 1)", clip_i32="jnp.clip(i, -5, 5)", clip_array="jnp.clip(x, -pos, v4)", clip_f="jnp.clip(small, 0.5, 2.5)",
    clip_special="jnp.clip(special, -2, 2)",
    astype_i32="jnp.array([0, 2147483647, -2147483648, 0, 0, 1, -1, 2147483647, -2147483648, 0, 80, -80, 0, 1, 2, 0, -2, 3, -3], i32)", astype_bool="special.astype(bool)",
    astype_f16="x.astype(f16)", astype_bf16="x.astype(bf16)", astype_u8="i.astype(U8)", astype_i8_f32="a8.astype(f32)", astype_back="b.astype(f32)", astype_number="jnp.full((), 2, i32)",
    bitcast_i32="lax.bitcast_convert_type(x, i32)", bitcast_u8="lax.bitcast_convert_type(x, U8)", bitcast_wide="lax.bitcast_convert_type(u8, U32)",
    reduce_precision="lax.reduce_precision(x, 8, 7)", reduce_precision_small="lax.reduce_precision(special, 5, 10)",
)

# Making arrays.
cases(
    zeros="jnp.zeros((2, 3), f32)", zeros_scalar="jnp.zeros((), i32)", ones="jnp.ones((3,), f16)", full="jnp.full((2, 2), 2.5, f32)", full_array="jnp.full((3, 4), v4)",
    full_bool="jnp.full((2,), True)", zeros_like="jnp.zeros_like(i)", ones_like="jnp.ones_like(h)", full_like="jnp.full_like(x, 7)", full_int="jnp.full((2,), 2, i32)",
    arange="jnp.arange(0, 10, 3)", arange_down="jnp.arange(5, -6, -2)", arange_f="np.arange(0, 1, 0.125).astype(np.float32)", arange_empty="jnp.arange(3, 3)",
    arange_f2="np.arange(1, 2.05, 0.1).astype(np.float32)", linspace="jnp.linspace(-3, 3, 8)", linspace_1="jnp.linspace(2, 5, 1)", linspace_0="jnp.linspace(2, 5, 0)",
    iota="lax.broadcasted_iota(i32, (2, 3), 1)", iota_f="lax.broadcasted_iota(f32, (3, 2), 0)", eye="jnp.eye(3)", eye_k="jnp.eye(3, 4, 1, dtype=i32)", eye_below="jnp.eye(4, 2, -1)",
    one_hot="nn.one_hot(ids, 4)", one_hot_number="nn.one_hot(2, 3)", tril="jnp.tril(sq)", tril_1="jnp.tril(x, 1)", triu="jnp.triu(t)", triu_neg="jnp.triu(sq, -1)", triu_far="jnp.triu(x, 9)",
    tril_nan="jnp.tril(jnp.full((3, 3), jnp.nan))",
)

# Shapes.
cases(
    reshape="x.reshape(2, -1)", reshape_3="t.reshape(4, 3, 2)", reshape_0="s.reshape(())", reshape_1="s.reshape(1, 1)", ravel="t.ravel()", reshape_empty="e0.reshape(3, 0)",
    transpose="t.T", transpose_text="t.transpose(2, 0, 1)", permute="t.transpose(1, 2, 0)", permute_neg="t.transpose(-1, 0, 1)", moveaxis="jnp.moveaxis(t, 0, 2)",
    moveaxis_back="jnp.moveaxis(p5, -1, 1)", moveaxis_same="t", swapaxes="jnp.swapaxes(p5, 0, -1)", expand_0="x[None]", expand_end="jnp.expand_dims(x, -1)", expand_1="jnp.expand_dims(x, 1)",
    squeeze="p5.squeeze()", squeeze_text="p5.squeeze(1)", squeeze_all="s", broadcast_to="jnp.broadcast_to(c3, (2, 3, 4))", broadcast_scalar="jnp.broadcast_to(s, (2, 2))",
    concatenate="jnp.concatenate([x, y, x], 0)", concatenate_1="jnp.concatenate([x, c3], -1)", concatenate_types="jnp.concatenate([small, h], 0)", concatenate_one="x",
    stack="jnp.stack([x, y], 0)", stack_end="jnp.stack([x, y, x], -1)", stack_mid="jnp.stack([t, t], 1)", stack_scalars="jnp.stack([s, s])", split_0="jnp.split(x, 2, 1)[0]", split_1="jnp.split(x, 2, 1)[1]",
    tile="jnp.tile(x, (2, 3))", tile_front="jnp.tile(v4, (2, 1, 2))", tile_less="jnp.tile(t, 2)", tile_0="jnp.tile(x, (0, 1))", repeat="jnp.repeat(x, 3, 1)", repeat_0="jnp.repeat(x, 2, 0)", repeat_none="jnp.repeat(x, 0, 0)",
    roll="jnp.roll(x, 1, 1)", roll_neg="jnp.roll(x, -5, 0)", roll_0="x", roll_far="jnp.roll(t, 9, -1)", flip="jnp.flip(t)", flip_0="jnp.flip(t, 0)", flip_two="jnp.flip(t, (0, 2))",
    pad="jnp.pad(x, ((1, 2), (0, 1)))", pad_value="jnp.pad(i, 1, constant_values=-1)", pad_cut="lax.pad(x, jnp.float32(9), ((-1, 0, 0), (2, -1, 0)))",
    pad_between="lax.pad(x, jnp.float32(0.5), ((0, 0, 1), (1, 0, 2)))", pad_bool="jnp.pad(m, ((0, 0), (1, 1)), constant_values=True)",
)

# Indexing.
cases(
    at_1="t[1]", at_neg="t[-1]", at_slice="x[1:-1]", at_step="x[:, ::2]", at_back="x[::-1, ::-2]", at_mix="t[1, :, 1:3]", at_ellipsis="t[..., 0]", at_ellipsis_mid="p5[0, ..., 1]", at_new="x[None, :, None, 2]",
    at_clamp="x[-10:10, 5:]", at_empty="x[2:1]", at_all="x", at_scalar="x[1, 2]", at_three="p5[1:4:2, 0, ::-1, -2:]", at_new_end="v4[..., None]", at_back_from="v4[2::-1]", at_back_to="v4[:0:-1]",
    at_back_empty="v4[0:3:-1]", at_step_big="v4[::9]", at_format="t[1, 2:]", at_int_only_new="s[None]", at_trailing="t[0]",
    take="jnp.take(x, idx, 0)", take_1="jnp.take(x, idx2, 1)", take_number="jnp.take(x, 2, 1)", take_i32="jnp.take(i, idx, 0)", take_u8="jnp.take(u8, idx, 0)", take_bool="jnp.take(m, idx, 0)", take_3d="jnp.take(t, idx2, 1)",
    take_h="jnp.take(h, idx, -1)", take_u8_index="jnp.take(x, u8[:, 0] // 3, 0)", take_out="jnp.take(x, -9, 0)", take_none="jnp.take(x, idx[:0], 0)",
    along="jnp.take_along_axis(x, along, 1)", along_1="jnp.take_along_axis(x, along1, 0)", along_stretch="jnp.take_along_axis(c3, along, 1)", along_i8="jnp.take_along_axis(a8, along, 1)",
)

# Reductions.
for op in ("sum", "prod", "max", "min", "mean", "var", "std"):
    CASES[op] = f"jnp.{op}(x)"
    CASES[f"{op}_0"] = f"jnp.{op}(t, axis=0)"
    CASES[f"{op}_keep"] = f"jnp.{op}(t, axis=(0, 2), keepdims=True)"
    CASES[f"{op}_i32"] = f"jnp.{op}(small, axis=1)"
    CASES[f"{op}_f16"] = f"jnp.{op}(h, axis=-1)"
    CASES[f"{op}_nan"] = f"jnp.{op}(ties, axis=1)"
    CASES[f"{op}_scalar"] = f"jnp.{op}(s)"
    extra = ", initial=-jnp.inf" if op == "max" else ", initial=jnp.inf" if op == "min" else ""
    CASES[f"{op}_where"] = f"jnp.{op}(x, axis=1, where=m{extra})"
    CASES[f"{op}_where4"] = f"jnp.{op}(x, where=m4, keepdims=True{extra})"
    if op in ("sum", "prod", "mean"):
        CASES[f"{op}_empty"] = f"jnp.{op}(e0, axis=0)"
cases(
    sum_i8="jnp.sum(a8)", sum_u8="jnp.sum(u8, axis=0)", sum_bool="jnp.sum(m, axis=1)", sum_big16="jnp.sum(big16)", sum_none="x", sum_bf16="jnp.sum(b, axis=0)", prod_i8="jnp.prod(b8)", max_bool="jnp.max(m, axis=0)",
    min_u8="jnp.min(u8, axis=1)", max_i8="jnp.max(a8, axis=0)", max_empty_ok="jnp.max(e0, axis=1)", mean_big16="jnp.mean(big16)", mean_bool="jnp.mean(m, axis=1)", mean_u8="jnp.mean(u8)",
    any="jnp.any(m, axis=1)", any_f="jnp.any(special != special)", all="jnp.all(m, axis=0)", all_i="jnp.all(small, axis=1)", any_where="jnp.any(m, axis=1, where=n)", all_where="jnp.all(m, axis=1, where=n)",
    var_ddof="jnp.var(x, axis=0, ddof=1)", std_ddof="jnp.std(t, axis=(1, 2), ddof=2)", var_ddof_all="jnp.var(c3, axis=1, ddof=1)", var_where_ddof="jnp.nan_to_num(jnp.var(x, axis=1, where=m, ddof=1))",
    norm="jnp.linalg.norm(x)", norm_axis="jnp.linalg.norm(x, axis=1)", norm_1="jnp.linalg.norm(x, 1, axis=0)", norm_inf="jnp.linalg.norm(x, jnp.inf, axis=1, keepdims=True)", norm_ninf="jnp.linalg.norm(x, -jnp.inf, axis=1)",
    norm_3="jnp.linalg.norm(x, 3, axis=1)", norm_i32="jnp.linalg.norm(small.astype(f32), axis=1)", norm_all3="jnp.sqrt(jnp.sum(t * t))",
    logsumexp="sp.logsumexp(x)", logsumexp_1="sp.logsumexp(t, axis=1, keepdims=True)", logsumexp_infs="sp.logsumexp(infs, axis=1)", logsumexp_where="sp.logsumexp(x, axis=1, where=m)", logsumexp_i32="sp.logsumexp(small, axis=0)",
    argmax="jnp.argmax(x)", argmax_1="jnp.argmax(x, axis=1)", argmax_ties="jnp.argmax(ties, axis=1)", argmin_ties="jnp.argmin(ties, axis=1)", argmin_0="jnp.argmin(t, axis=0)", argmax_keep="jnp.argmax(t, axis=-1, keepdims=True)",
    argmin_keep_all="jnp.argmin(x, keepdims=True)", argmax_bool="jnp.argmax(m, axis=0)", argmin_u8="jnp.argmin(u8)", count_nonzero="jnp.count_nonzero(small, axis=1)", count_nonzero_all="jnp.count_nonzero(special)",
    softmax="nn.softmax(x)", softmax_0="nn.softmax(t, axis=0)", softmax_two="nn.softmax(t, axis=(0, 2))", softmax_infs="nn.softmax(infs)", softmax_where="nn.softmax(x, where=m)", softmax_f16="nn.softmax(h)",
    softmax_i32="nn.softmax(small.astype(f32))", log_softmax="nn.log_softmax(x)", log_softmax_0="nn.log_softmax(t, axis=0)", log_softmax_infs="nn.log_softmax(infs)", log_softmax_where="nn.log_softmax(x, where=m)",
)

# Products.
cases(
    matmul="x @ w", matmul_v="x @ v4", v_matmul="v4 @ w", v_v="v4 @ v4", matmul_3d="t @ w", matmul_batch="t @ q", matmul_2_3="x @ q", matmul_stretch="jnp.matmul(p5, t)", matmul_v3="jnp.matmul(v4, q)", matmul_3v="jnp.matmul(t, v4)",
    matmul_f16="h @ w.astype(f16)", matmul_bf16="b @ w.astype(bf16)", matmul_i8="a8 @ b8", matmul_types="small @ w", matmul_bool="m @ n.T", matmul_one="jnp.matmul(jnp.ones((1, 3, 4)), q)", matmul_empty="e0.T @ e0",
    dot="jnp.dot(x, w)", dot_v="jnp.dot(t, v4)", dot_3d="jnp.dot(t, q)", dot_scalar="jnp.dot(x, 2.0)", inner="jnp.inner(x, y)", inner_3d="jnp.inner(t, x)", inner_v="jnp.inner(v4, v4)", inner_scalar="jnp.inner(s, x)",
    outer="jnp.outer(v4, c3)", outer_i="jnp.outer(small, b8)", tensordot="jnp.tensordot(t, q, ((0, 2), (0, 1)))", tensordot_swap="jnp.tensordot(t, t, ((2, 1), (2, 1)))", tensordot_0="jnp.tensordot(v4, c3, 0)",
    einsum_matmul="jnp.einsum('ij,jk->ik', x, w)", einsum_implicit="jnp.einsum('ij,jk', x, w)", einsum_implicit_order="jnp.einsum('ba', x)", einsum_transpose="jnp.einsum('ijk->kij', t)", einsum_sum="jnp.einsum('ij->', x)", einsum_rows="jnp.einsum('ij->j', x)",
    einsum_trace="jnp.einsum('ii', sq)", einsum_diag="jnp.einsum('ii->i', sq)", einsum_batch="jnp.einsum('bij,bjk->bik', t, q)", einsum_ellipsis="jnp.einsum('...ij,...jk->...ik', t, w)", einsum_ellipsis_stretch="jnp.einsum('...ij,...jk', p5, t)",
    einsum_outer="jnp.einsum('i,j->ij', v4, v4)", einsum_elementwise="jnp.einsum('ij,ij->ij', x, y)", einsum_dot_all="jnp.einsum('ij,ij->', x, y)", einsum_swap="jnp.einsum('jk,ij->ik', w, x)", einsum_three="jnp.einsum('ij,jk,k->i', x, w, w[0])",
    einsum_three_batch="jnp.einsum('bij,bjk,bi->bk', t, q, t[:, :, 0])", einsum_bilinear="jnp.einsum('i,ij,j', v4, sq, v4)", einsum_one_stretch="np.einsum('ij,ij->ij', np.asarray(x), np.asarray(c3))", einsum_spaces="jnp.einsum(' i j , j k -> i k ', x, w)",
    einsum_upper="jnp.einsum('aB,Bc', x, w)", einsum_alone="jnp.einsum('ij,k->i', x, v4)", einsum_diag2="jnp.einsum('ii,ij->j', sq, sq)", einsum_ellipsis_sum="jnp.einsum('...i->...', t)", einsum_types="jnp.einsum('ij,jk->ki', small, w)",
    einsum_diag3="jnp.einsum('iii->i', jnp.arange(27).reshape(3, 3, 3))", einsum_ellipsis_mid="jnp.einsum('i...j->j...i', p5)",
)

# Changing elements.
cases(
    set="x.at[1:].set(7)", set_int="x.at[1].set(v4)", set_column="x.at[:, -1].set(jnp.arange(3.0))", set_step="x.at[::2, 1::2].set(-1.5)", set_back="x.at[::-1, 2].set(jnp.arange(3.0))", set_all="x.at[...].set(v4)",
    set_none="x.at[2:1].set(9)", set_add="x.at[0:2, 1:3].add(u2)", set_mul="t.at[:, 1].mul(t[:, 0])", set_min="x.at[:, ::3].min(0.25)", set_max="i.at[1].max(7)", set_bool="m.at[0].set(False)", set_f16="h.at[1:2, 1:].set(2)",
    set_scalar="s * 0 + 3", set_new="x.at[None, 0, :, None].set(v4[None, :, None])", set_back_step="jnp.arange(10).at[8:1:-3].set(jnp.array([1, 2, 3]))", set_i8="a8.at[:, 1].add(b8[:3])", set_format="t.at[1, 2:].set(0)",
    scatter="x.at[idx].set(jnp.arange(20.0).reshape(5, 4))", scatter_add="x.at[idx[:2]].add(1)", scatter_add_twice="v4.at[jnp.array([1, 1, -1])].add(jnp.array([1.0, 2, 4]))", scatter_axis="x.at[:, idx].add(2)", scatter_clip="x.at[idx].add(1, mode='clip')",
    scatter_mul="x.at[:, idx2].mul(3)", scatter_max="small.at[segs].max(small[::-1])", scatter_min="small.at[segs].min(small[::-1])", scatter_number="x.at[2].set(5)", scatter_u8="v4.at[jnp.array([3, 0], U8)].set(9)",
    scatter_at="x.at[cells[:, 0], cells[:, 1]].add(jnp.arange(1.0, 6))", scatter_at_clip="x.at[cells[:, 0], cells[:, 1]].add(jnp.arange(1.0, 6), mode='clip')", scatter_at_rows="t.at[cells[:3, 1], cells[:3, 0]].set(v4)", scatter_at_first="x.at[segs].mul(2)",
    dynamic_slice="lax.dynamic_slice(x, (1, 2), (2, 2))", dynamic_slice_clamped="lax.dynamic_slice(x, (9, -1), (2, 3))", dynamic_slice_far="lax.dynamic_slice(v4, (-9,), (2,))", dynamic_slice_axis="lax.dynamic_slice_in_dim(t, 2, 2, 1)",
    dynamic_update="lax.dynamic_update_slice(x, u2, (1, 2))", dynamic_update_clamped="lax.dynamic_update_slice(x, u2, (7, -1))", dynamic_update_axis="lax.dynamic_update_slice_in_dim(x, c3, 2, 1)", dynamic_update_index="lax.dynamic_update_index_in_dim(x, v4, 1, 0)",
)

# Order.
cases(
    sort="jnp.sort(keys)", sort_0="jnp.sort(x, axis=0)", sort_down="jnp.sort(keys, descending=True)", sort_i32="jnp.sort(i, axis=1)", sort_u8="jnp.sort(u8, axis=0, descending=True)", sort_bool="jnp.sort(m, axis=1)", sort_f16="jnp.sort(h)", sort_bf16="jnp.sort(b, axis=0)",
    sort_middle="jnp.sort(t, axis=1)", argsort="jnp.argsort(keys)", argsort_down="jnp.argsort(keys, descending=True)", argsort_0="jnp.argsort(t, axis=0)", sort_empty="jnp.sort(e0, axis=0)", sort_row="jnp.sort(row)", argsort_row="jnp.argsort(row)",
    sort_by="lax.sort((keys, second), num_keys=1)[1]", sort_two="lax.sort((second, keys), num_keys=2)[0]", sort_two_1="lax.sort((second, keys), num_keys=2)[1]", top_k="lax.top_k(keys, 3)[0]", top_k_at="lax.top_k(keys, 3)[1]", top_k_i="lax.top_k(small, 4)[1]", top_k_0="lax.top_k(x, 0)[0]",
    searchsorted="jnp.searchsorted(asc, query)", searchsorted_right="jnp.searchsorted(asc, query, side='right')", searchsorted_types="jnp.searchsorted(jnp.arange(5), x)", searchsorted_number="jnp.searchsorted(asc, 1)", searchsorted_empty="jnp.searchsorted(asc[:0], query)",
    unique="jnp.unique(vals, size=6)", unique_at="jnp.unique(vals, size=6, return_index=True)[1]", unique_inverse="jnp.unique(vals, size=6, return_inverse=True)[1]", unique_counts="jnp.unique(vals, size=6, return_counts=True)[1]",
    unique_fewer="jnp.unique(vals, size=2)", unique_fewer_counts="jnp.unique(vals, size=2, return_counts=True)[1]", unique_fill="jnp.unique(vals, size=6, fill_value=-1)", unique_nan="jnp.unique(keys, size=12)", unique_empty="jnp.unique(e0, size=2, fill_value=4)",
    nonzero="jnp.flatnonzero(m, size=8)", nonzero_fewer="jnp.flatnonzero(x, size=5)", nonzero_more="jnp.flatnonzero(small, size=20, fill_value=-1)", nonzero_none="jnp.flatnonzero(x, size=0)", nonzero_empty="jnp.flatnonzero(e0, size=3)",
    nonzero_count="jnp.int32(jnp.count_nonzero(small))", masked="row.ravel()[jnp.flatnonzero(row > 0, size=row.size)]",
)

# Convolutions.
def conv(x, w, stride=1, pad="VALID", layout=("NHWC", "HWIO", "NHWC"), groups=1, **o):
    n = x.ndim - 2
    return lax.conv_general_dilated(x, w, (stride,) * n if isinstance(stride, int) else stride, pad, dimension_numbers=layout, feature_group_count=groups, **o)


def conv_up(x, w, stride, pad, **o):
    return lax.conv_transpose(x, w, stride, pad, dimension_numbers=("NHWC", "HWIO", "NHWC"), **o)


cases(
    conv="conv(photo, kernel)", conv_same="conv(photo, kernel, (2, 1), 'SAME')", conv_pad="conv(photo, kernel, (1, 2), ((1, 2), (0, -1)), rhs_dilation=(2, 1), lhs_dilation=(1, 2))",
    conv_same_dilated="conv(photo, kernel, 2, 'SAME', rhs_dilation=(2, 3))", conv_one="conv(photo[:1], kernel, 1, 'SAME')[0]", conv_pointwise="conv(photo, kernel[:1, :1])",
    conv_nchw="conv(photo.transpose(0, 3, 1, 2), kernel.transpose(3, 2, 0, 1), 1, 'SAME', ('NCHW', 'OIHW', 'NCHW'))", conv_mixed="conv(photo.transpose(3, 1, 2, 0), kernel.transpose(0, 3, 1, 2), 2, 'VALID', ('CHWN', 'HOWI', 'NCHW'))",
    conv_groups="conv(photo, kernel[:, :, :2], 1, 'SAME', groups=2)", conv_deep="conv(photo, kernel[:, :, :1, :4], 1, 'SAME', groups=4)", conv_deep_2="conv(photo, kernel2[:, :, :1], 2, ((1, 1), (1, 0)), groups=4)",
    conv_1d="conv(photo[0], kernel[0], 2, 'SAME', ('NWC', 'WIO', 'NWC'))", conv_3d="conv(photo[..., None], kernel[:, :, :, None], 1, 'SAME', ('NDHWC', 'DHWIO', 'NDHWC'))",
    conv_i32="conv(pixels, filters, 1, 'SAME')", conv_bf16="conv(photo.astype(bf16).astype(f32), kernel.astype(bf16).astype(f32)).astype(bf16)",
    conv_up="conv_up(photo, kernel, (2, 2), 'SAME')", conv_up_valid="conv_up(photo, kernel, (3, 2), 'VALID')", conv_up_dilated="conv_up(photo, kernel, (2, 1), 'SAME', rhs_dilation=(1, 2))", conv_up_pad="conv_up(photo, kernel, (2, 3), ((1, 0), (2, -1)))",
)

# Prefixes, windows, counts. Tolerances are for another order of additions.
cases(
    cumsum="jnp.cumsum(row, axis=1)", cumsum_0="jnp.cumsum(t, axis=0)", cumsum_back="lax.cumsum(row, axis=1, reverse=True)", cumsum_i8="jnp.cumsum(a8, axis=1)", cumsum_bool="jnp.cumsum(m, axis=0)", cumsum_f16="jnp.cumsum(h.astype(f32), axis=1).astype(f16)", cumprod="jnp.cumprod(x, axis=1)",
    cumprod_back="lax.cumprod(x, axis=0, reverse=True)", cummax="lax.cummax(row, axis=1)", cummax_nan="lax.cummax(ties, axis=1)", cummin="lax.cummin(i, axis=0)", cummin_back="lax.cummin(row, axis=1, reverse=True)", cumlogsumexp="lax.cumlogsumexp(row, axis=1)",
    cumlogsumexp_infs="lax.cumlogsumexp(infs, axis=1)", cumlogsumexp_back="lax.cumlogsumexp(x, axis=0, reverse=True)", cumsum_empty="jnp.cumsum(e0, axis=0)",
    window_sum="lax.reduce_window(img, 0.0, lax.add, (1, 2, 3), (1, 1, 1), 'VALID')", window_max="lax.reduce_window(img, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), 'SAME')", window_pad="lax.reduce_window(img, 1.0, lax.mul, (1, 2, 2), (1, 1, 2), ((0, 0), (1, 0), (2, 1)))",
    window_dilated="lax.reduce_window(img, jnp.inf, lax.min, (1, 2, 2), (1, 1, 1), 'VALID', window_dilation=(1, 2, 3))", window_base="lax.reduce_window(img, 0.0, lax.add, (1, 3, 3), (1, 2, 1), ((0, 0), (1, 1), (0, 0)), base_dilation=(1, 2, 1))",
    window_i32="lax.reduce_window(i, 0, lax.add, (1, 2), (1, 1), 'VALID')", window_same_back="lax.reduce_window(row, 0.0, lax.add, (1, 4), (1, 3), 'SAME')", max_pool="lax.reduce_window(img, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), 'VALID')", min_pool="lax.reduce_window(img, jnp.inf, lax.min, (1, 3, 3), (1, 1, 1), 'VALID')",
    avg_pool="lax.reduce_window(img, 0.0, lax.add, (1, 2, 2), (1, 2, 2), 'VALID') / 4", avg_pool_inside="lax.reduce_window(img, 0.0, lax.add, (1, 3, 3), (1, 3, 3), 'SAME') / lax.reduce_window(jnp.ones_like(img), 0.0, lax.add, (1, 3, 3), (1, 3, 3), 'SAME')",
    segment_sum="jax.ops.segment_sum(x, segs, 4)", segment_prod="jax.ops.segment_prod(x, segs, 3)", segment_max="jax.ops.segment_max(x, segs, 4)", segment_min="jax.ops.segment_min(small, segs, 4)", segment_out="jax.ops.segment_sum(x, segs_out, 3)",
    bincount="jnp.bincount(small.ravel(), length=5)", bincount_out="jnp.bincount(j.ravel(), length=4)", bincount_weights="jnp.bincount(small.ravel(), weights=x.ravel(), length=6)", bincount_u8="jnp.bincount(u8.ravel(), length=10)",
    histogram="jnp.histogram(row, bins=7)[0]", histogram_edges="jnp.histogram(row, bins=7)[1]", histogram_range="jnp.histogram(x, bins=4, range=(-1, 1))[0]", histogram_weights="jnp.histogram(x, bins=4, range=(-1.1, 1), weights=y)[0]", histogram_i="jnp.histogram(small, bins=5)[0]", histogram_flat="jnp.histogram(small * 0 + 2, bins=2)[1]",
)

# 64-bit types, which JAX has in a mode of its own.
WIDE = dict(
    exp_f64="jnp.exp(d)", add_f64_f32="d + x", add_i64_i32="k64 + i", add_u32_i32="u32 + i", mean_f64="jnp.mean(d, axis=0)", softmax_f64="nn.softmax(d)", matmul_f64="d @ d.T", tanh_f64="jnp.tanh(d)", erf_f64="sp.erf(d)",
    sum_i64="jnp.sum(k64, axis=1)", max_i64="jnp.max(k64)", number_f64="d * 0.1", floor_div_i64="k64 // 7", gelu_f64="nn.gelu(d)", astype_i64_f64="k64.astype(jnp.float64)", take_f64="jnp.take(d, idx, 0)",
    logsumexp_f64="sp.logsumexp(d, axis=1)", pow_f64="d ** 3", add_f64_bf16="d + b", log1p_f64="jnp.log1p(jnp.abs(d))", var_f64="jnp.var(d, axis=1)", where_i64="jnp.where(m, k64, 5)", sort_f64="jnp.sort(d, axis=0)", sort_i64="jnp.sort(k64, axis=1)", argsort_i64="jnp.argsort(k64, axis=1, descending=True).astype(i32)", cumsum_f64="jnp.cumsum(d, axis=1)", scatter_f64="d.at[idx].add(1.5)",
)


def evaluate(table):
    env = dict(conv=conv, conv_up=conv_up, jax=jax, jnp=jnp, np=np, lax=lax, nn=nn, sp=sp, f32=f32, f16=f16, bf16=bf16, i32=i32, U8=U8, U32=U32)
    env.update({k: jnp.asarray(v) for k, v in I.items() if k not in ("d", "k64") or table is WIDE})
    for name, text in table.items():
        e = dict(env)
        try:
            emit("= " + name, eval(text, e))
        except Exception as error:
            print(f"{name}: {text}: {error}", file=sys.stderr)
            failed.append(name)


failed = []
for name, a in I.items():
    emit("+ " + name, a)
evaluate(CASES)
with jax.enable_x64(True):
    evaluate(WIDE)
sys.exit(1 if failed else 0)
