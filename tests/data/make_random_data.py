#!/usr/bin/env python3
"""Writes random.txt: what jax.random gives, one call a line:

    function layout seed dtype sizes parameters : the bytes of the result in hex

layout is new or old (jax_threefry_partitionable), sizes are like 2x3, with - for none, parameters are numbers separated by commas, or -. tests/ops/test_random_numbers.c reads the
lines and makes the same calls. Run with jax 0.10.2 on a CPU with FMA: python3 make_random_data.py > random.txt
"""
import numpy as np
import jax
import jax.numpy as jnp
from jax import random

F16, BF16, F32, F64 = "float16", "bfloat16", "float32", "float64"
SHORT = {F16: "f16", BF16: "bf16", F32: "f32", F64: "f64", "bool": "bool"}
SHORT.update({f"int{n}": f"i{n}" for n in (8, 16, 32, 64)})
SHORT.update({f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)})
SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (33,)]


def call(function, layout, seed, dtype, shape, parameters, compute):
    """compute(key, shape, dtype, parameters), with 64-bit types allowed where the dtype needs them."""
    wide = dtype in (F64, "int64", "uint64")
    jax.config.update("jax_enable_x64", wide)
    jax.config.update("jax_threefry_partitionable", layout == "new")
    result = np.asarray(compute(random.PRNGKey(seed), shape, dtype, *parameters))
    assert function in ("permutation", "choice", "choice_p", "choose", "choose_p", "categorical", "categorical_distinct") or result.dtype.name == dtype, (function, result.dtype, dtype)
    sizes = "x".join(map(str, shape)) or "-"
    numbers = ",".join(f"{p:.17g}" if isinstance(p, float) else str(p) for p in parameters) or "-"
    print(function, layout, seed, SHORT[result.dtype.name], sizes, numbers, ":", np.ascontiguousarray(result).tobytes().hex())


def both(*case):
    for layout in ("new", "old"):
        call(case[0], layout, *case[1:])



# ---- keys and bits ----
for seed in (0, 1, 42, 1701, 4294967295):
    both("split", seed, "uint32", (), (), lambda k, s, d: random.split(k))
    both("fold_in", seed, "uint32", (), (7,), lambda k, s, d, x: random.fold_in(k, x))
for n in (0, 1, 2, 3, 4, 5, 16):
    both("split", 42, "uint32", (n,), (), lambda k, s, d: random.split(k, s))
both("split", 3, "uint32", (2, 3), (), lambda k, s, d: random.split(k, s))
both("fold_in", 5, "uint32", (), (4294967295,), lambda k, s, d, x: random.fold_in(k, np.uint32(x)))
for dtype in ("uint8", "uint16", "uint32", "uint64"):
    for shape in SHAPES:
        both("bits", 1701, dtype, shape, (), lambda k, s, d: random.bits(k, s, jnp.dtype(d)))

# ---- ints and uniforms ----
for dtype in (F16, BF16, F32, F64):
    for seed, shape in ((0, ()), (1, (7,)), (2, (3, 5)), (3, (2, 3, 4)), (4, (0,)), (5, (101,))):
        both("uniform", seed, dtype, shape, (), lambda k, s, d: random.uniform(k, s, d))
    both("uniform_in", 6, dtype, (101,), (-1.5, 7.25), lambda k, s, d, a, b: random.uniform(k, s, d, a, b))
    both("uniform_in", 7, dtype, (101,), (0.1, 0.7), lambda k, s, d, a, b: random.uniform(k, s, d, a, b))
    both("uniform_in", 8, dtype, (11,), (2.0, -3.0), lambda k, s, d, a, b: random.uniform(k, s, d, a, b))
for dtype, low, high in (("int32", -10, 37), ("int32", 0, 2**31 - 1), ("int32", -2**31, 2**31 - 1), ("int32", 5, 5), ("int32", 9, 3), ("int32", 0, 6), ("int8", -128, 128),
                         ("int8", 0, 100), ("uint8", 0, 256), ("uint8", 3, 8), ("int16", -300, 300), ("uint16", 0, 65536), ("uint32", 0, 1000), ("uint32", 7, 4294967295),
                         ("int64", -10**15, 10**17), ("uint64", 0, 10**18)):
    value = lambda d, x: x if d[0] != "u" or x < 2**31 else np.uint32(x) if d == "uint32" else np.uint64(x)
    both("randint", 11, dtype, (61,), (low, high), lambda k, s, d, a, b: random.randint(k, s, value(d, a), value(d, b), jnp.dtype(d)))
for shape in ((), (5,), (3, 5)):
    both("randint", 12, "int32", shape, (0, 1000), lambda k, s, d, a, b: random.randint(k, s, a, b, d))
for p in (0.0, 0.3, 0.5, 1.0):
    both("bernoulli", 13, "bool", (67,), (p,), lambda k, s, d, p: random.bernoulli(k, p, s))

# ---- one formula of a uniform ----
for name in ("normal", "exponential", "gumbel", "laplace", "cauchy"):
    for dtype in (F16, BF16, F32, F64):
        both(name, 21, dtype, (401,), (), lambda k, s, d: getattr(random, name)(k, s, d))
        both(name, 22, dtype, (3, 5), (), lambda k, s, d: getattr(random, name)(k, s, d))
        both(name, 23, dtype, (), (), lambda k, s, d: getattr(random, name)(k, s, d))
for dtype in (F32, F64):
    for low, high in ((-2.0, 2.0), (0.5, 3.0), (-1.0, 0.25)):
        both("truncated_normal", 24, dtype, (401,), (low, high), lambda k, s, d, a, b: random.truncated_normal(k, a, b, s, d))

# ---- by rejection ----
for dtype in (F32, F64):
    for a in (0.1, 0.5, 1.0, 3.5, 100.0):
        both("gamma", 31, dtype, (301,), (a,), lambda k, s, d, a: random.gamma(k, a, s, d))
        both("loggamma", 32, dtype, (101,), (a,), lambda k, s, d, a: random.loggamma(k, a, s, d))
    both("gamma", 33, dtype, (), (2.0,), lambda k, s, d, a: random.gamma(k, a, s, d))
    both("gamma", 34, dtype, (3, 5), (2.0,), lambda k, s, d, a: random.gamma(k, a, s, d))
    for a, b in ((0.5, 0.5), (2.0, 5.0), (1.0, 1.0)):
        both("beta", 35, dtype, (301,), (a, b), lambda k, s, d, a, b: random.beta(k, a, b, s, d))
    both("dirichlet", 36, dtype, (101,), (0.5, 1.0, 4.0), lambda k, s, d, *a: random.dirichlet(k, np.array(a), s, d))
for rate in (0.0, 0.5, 4.0, 9.9, 10.0, 50.0, 1e4):
    both("poisson", 37, "int32", (301,), (rate,), lambda k, s, d, r: random.poisson(k, r, s, d))
both("poisson", 38, "int32", (), (3.0,), lambda k, s, d, r: random.poisson(k, r, s, d))
both("poisson", 39, "int64", (51,), (3.0,), lambda k, s, d, r: random.poisson(k, r, s, d))

# ---- order ----
# permutation: sizes are those of an arange that is shuffled along an axis; parameters: axis, independent. Sizes "-": of the number 10.
both("permutation", 41, "int32", (), (0, 0), lambda k, s, d, axis, each: random.permutation(k, 10))
for shape, axis, each in (((0,), 0, 0), ((1,), 0, 0), ((7,), 0, 0), ((1000,), 0, 0), ((3000,), 0, 0), ((5, 3), 0, 0), ((5, 3), 1, 0), ((5, 3), 0, 1), ((5, 3), 1, 1), ((2, 3, 4), 1, 0),
                          ((2, 3, 4), -1, 1)):
    both("permutation", 42, "int32", shape, (axis, each), lambda k, s, d, axis, each:
         random.permutation(k, np.arange(np.prod(s), dtype=np.int32).reshape(s), axis, independent=bool(each)))
# choice from the number n: equally likely, and with p = 1, 2, ..., n; choose: each at most once.
for shape in ((), (5,), (3, 2)):
    both("choice", 43, "int32", shape, (11,), lambda k, s, d, n: random.choice(k, n, s))
    both("choice_p", 44, "int32", shape, (11,), lambda k, s, d, n: random.choice(k, n, s, p=np.arange(1, n + 1, dtype=np.float32)))
    both("choose", 45, "int32", shape, (11,), lambda k, s, d, n: random.choice(k, n, s, replace=False))
    both("choose_p", 46, "int32", shape, (11,), lambda k, s, d, n: random.choice(k, n, s, replace=False, p=np.arange(1, n + 1, dtype=np.float32)))
# categorical: parameters: axis, then the sizes of the logits, which are (i % 5) / 2 over the flat index i.
logits = lambda sizes: (np.arange(np.prod(sizes)) % 5 / 2).astype(np.float32).reshape(sizes)
for shape, axis, sizes in (((), -1, (7,)), ((40,), -1, (7,)), ((3,), -1, (3, 7)), ((7,), 0, (3, 7)), ((5, 3), -1, (3, 7)), ((2, 2, 4), 1, (2, 5, 4))):
    both("categorical", 47, "int32", shape, (axis, *sizes), lambda k, s, d, axis, *sizes: random.categorical(k, logits(sizes), axis, s))
for shape, axis, sizes in (((4,), -1, (7,)), ((2, 3), -1, (3, 7)), ((3, 2, 4), 1, (2, 5, 4))):
    both("categorical_distinct", 48, "int32", shape, (axis, *sizes), lambda k, s, d, axis, *sizes: random.categorical(k, logits(sizes), axis, s, replace=False))
