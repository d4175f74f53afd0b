"""make_composed.py: tests/golden/jax/composed.mlir: batch normalization, compared with NumPy in f64, its derivative with
JAX's of the same formula; contractions over ragged groups, compared with one product for each group; einsum and
torch_index_select, compared with NumPy's."""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(3)
x, ct = rng.standard_normal((2, 4, 3, 2)).astype("f"), rng.standard_normal((2, 4, 3, 2)).astype("f")
scale, offset = (rng.standard_normal(3).astype("f") for _ in range(2))
EPSILON = 0.001


def moments(x):
    return x.mean((0, 1, 3)), ((x - x.mean((0, 1, 3), keepdims=True)) ** 2).mean((0, 1, 3))


def normalize(x, scale, offset, mean, variance):
    across = lambda a: a[:, None]
    return (x - across(mean)) / jnp.sqrt(across(variance) + EPSILON) * across(scale) + across(offset)


wide = [np.float64(a) for a in (x, scale, offset)]
mean, variance = moments(wide[0])
gradients = jax.vjp(lambda x, s, o: normalize(x, s, o, *moments(x)), *wide)[1](np.float64(ct))


def dense(a):
    return f'dense<"0x{np.ascontiguousarray(a, "f").tobytes().hex().upper()}"> : tensor<{"".join(f"{n}x" for n in a.shape)}f32>'


T, C, N = "tensor<2x4x3x2xf32>", "tensor<3xf32>", "{epsilon = 0.001 : f32, feature_index = 2 : i64}"
lines = ["// Made by tests/data/make_composed.py.", "func.func @check() {"]
for name, a in dict(x=x, ct=ct, scale=scale, offset=offset, mean=np.float32(mean), variance=np.float32(variance)).items():
    lines.append(f"  %{name} = stablehlo.constant {dense(a)}")
lines += [
    f'  %i = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {N} : ({T}, {C}, {C}, {C}, {C}) -> {T}',
    f'  %t:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {N} : ({T}, {C}, {C}) -> ({T}, {C}, {C})',
    f'  %g:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %ct) {N} : ({T}, {C}, {C}, {C}, {T}) -> ({T}, {C}, {C})',
]
# Rows in groups of 4, none and 3; and columns that are summed over.
GROUPS, OTHERS = np.array([4, 0, 3]), np.cumsum([0, 4, 0, 3])
rows, parts, right = (rng.standard_normal(s).astype("f") for s in ((2, 7, 5), (3, 2, 5, 6), (2, 7, 6)))
by_group = np.zeros((2, 7, 6))
over_group = np.zeros((3, 2, 5, 6))
for i, (a, b) in enumerate(zip(OTHERS, OTHERS[1:])):
    by_group[:, a:b] = np.einsum("bmk,bkn->bmn", np.float64(rows[:, a:b]), parts[i])
    over_group[i] = np.einsum("bkm,bkn->bmn", np.float64(rows[:, a:b]), right[:, a:b])
NUMBERS = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [{}], lhs_contracting_dimensions = [{}], rhs_contracting_dimensions = [{}], lhs_ragged_dimensions = [1], rhs_group_dimensions = [{}]"
lines += [f"  %groups = stablehlo.constant dense<{GROUPS.tolist()}> : tensor<3xi32>"]
for name, a in dict(rows=rows, parts=parts, right=right).items():
    lines.append(f"  %{name} = stablehlo.constant {dense(a)}")
for to, other, kind, numbers in (("d", "parts", "3x2x5x6", NUMBERS.format(1, 2, 2, 0)), ("e", "right", "2x7x6", NUMBERS.format(0, 1, 1, ""))):
    result = "2x7x6" if to == "d" else "3x2x5x6"
    lines.append(f'  %{to} = "chlo.ragged_dot"(%rows, %{other}, %groups) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}}'
                 f" : (tensor<2x7x5xf32>, tensor<{kind}xf32>, tensor<3xi32>) -> tensor<{result}xf32>")
SHAPES = {"a": (2, 3, 4), "c": (2, 4, 5), "o": (1, 4), "q": (3, 3, 2, 3)}
letters = {name: rng.standard_normal(shape).astype("f") for name, shape in SHAPES.items()}
picks = {"p": rng.integers(0, 3, 5), "pb": rng.integers(0, 3, (2, 3))}
kind = lambda a: f'tensor<{"".join(f"{n}x" for n in np.shape(a))}f32>'
for name, a in letters.items():
    lines.append(f"  %{name} = stablehlo.constant {dense(a)}")
for name, a in picks.items():
    lines.append(f"  %{name} = stablehlo.constant dense<{a.tolist()}> : tensor<{'x'.join(map(str, a.shape))}xi32>")
EINSUMS = ["ac:bij,bjk->bik", "ac:bij,bjk->kbi", "ac:bij,cjk->", "ac:bij,bjk->ik", "ao:bij,kj->bki",
           "ao:...j,...j->...", "ao:...ij,...j->...i", "ac:...ij,...jk->...ik", "aa: i...,ik... -> k...", "qq:iiji,llkm->jk", "aa:abc,abc->abc",
           "q:iiji->ij", "q:iiji->", "a:...k->k...", "a:abc->cb", "a:abc->cab"]
results = {}
for i, text in enumerate(EINSUMS):
    names, config = text.split(":")
    want = results[f"s{i}"] = np.einsum(config.replace(" ", ""), *(np.float64(letters[n]) for n in names))
    op = "einsum" if len(names) == 2 else "unary_einsum"
    lines.append(f'  %s{i} = stablehlo.{op} {", ".join("%" + n for n in names)}, config = "{config}"'
                 f' : ({", ".join(kind(letters[n]) for n in names)}) -> {kind(want)}')
for i, (name, axis, batch) in enumerate([("p", 1, 0), ("pb", 1, 0), ("pb", 1, 1), ("pb", 2, 1)]):
    a, at = letters["a"], picks[name]
    want = np.take(a, at, axis) if not batch else np.stack([np.take(x, k, axis - 1) for x, k in zip(a, at)])
    results[f"k{i}"] = want
    lines.append(f'  %k{i} = "stablehlo.torch_index_select"(%a, %{name}) {{dim = {axis} : i64, batch_dims = {batch} : i64}}'
                 f' : ({kind(a)}, tensor<{"x".join(map(str, at.shape))}xi32>) -> {kind(want)}')
y = normalize(*wide, mean, variance)
for got, want in {"i": y, "t#0": y, "t#1": mean, "t#2": variance, "g#0": gradients[0], "g#1": gradients[1], "g#2": gradients[2],
                  "d": by_group, "e": over_group, **results}.items():
    lines.append(f"  check.expect_almost_eq_const %{got}, {dense(np.asarray(want)).replace(' : ', ', tolerance = 1.0e-5 : ')}")
open("tests/golden/jax/composed.mlir", "w").write("\n".join(lines + ["  return", "}", ""]))
