#!/usr/bin/env python3
"""Writes jvp.txt: derivatives as JAX has them in f64, at ordinary and at singular points, one case a line.

    point OP i a [b] : d      the derivative of the elementwise op by operand i at a (and b)
    array NAME n : x... : d   of a case of tests/derive/test_jvp.c: operands one after the other, then the Jacobian, row by row (a column for each element of operand 0)

Run with jax 0.10.2 installed: python3 make_jvp_data.py > jvp.txt
"""
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special as sp

jax.config.update("jax_enable_x64", True)
inf, nan = float("inf"), float("nan")

UNARY = dict(ABS=lax.abs, SQRT=lax.sqrt, RSQRT=lax.rsqrt, CBRT=lax.cbrt, EXP=lax.exp, EXPM1=lax.expm1, LOG=lax.log, LOG1P=lax.log1p, LOGISTIC=lax.logistic,
             SIN=lax.sin, COS=lax.cos, TAN=lax.tan, TANH=lax.tanh, ASIN=lax.asin, ACOS=lax.acos, ATAN=lax.atan, SINH=lax.sinh, COSH=lax.cosh,
             ASINH=lax.asinh, ACOSH=lax.acosh, ATANH=lax.atanh, ERF=lax.erf, ERFC=lax.erfc, ERF_INV=lax.erf_inv, LGAMMA=lax.lgamma, DIGAMMA=lax.digamma,
             BESSEL_I1E=lax.bessel_i1e, SQUARE=lax.square, NEG=lax.neg, SIGN=lax.sign, FLOOR=lax.floor, CEIL=lax.ceil,
             ROUND_EVEN=lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), ROUND_AFZ=lambda x: lax.round(x))
BINARY = dict(ADD=lax.add, SUB=lax.sub, MUL=lax.mul, DIV=lax.div, REM=lax.rem, POW=lax.pow, MAX=lax.max, MIN=lax.min, ATAN2=lax.atan2)
POINTS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 0.9999, 7.5, -20.0, 1e-300, 1e-8, 700.0, inf, -inf, nan]
PAIRS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, inf, -inf, nan]


def text(x):
    return " ".join(repr(float(v)) for v in np.ravel(np.asarray(x, np.float64)))


for name, f in UNARY.items():
    g = jax.grad(f)
    for x in POINTS:
        print("point", name, 0, text(x), ":", text(g(x)))
for name, f in BINARY.items():
    for i in (0, 1):
        g = jax.grad(f, i)
        for a in PAIRS:
            for b in PAIRS:
                print("point", name, i, text(a), text(b), ":", text(g(a, b)))

ties, zeros, one_nan = [3.0, 1.0, 3.0, 2.0, 3.0, 1.0], [2.0, 0.0, 3.0, 0.0, 5.0, -1.0], [1.0, nan, 3.0, nan, -inf, inf]
ARRAYS = dict(
    reduce_max=jnp.max, reduce_min=jnp.min, reduce_prod=jnp.prod, reduce_sum=jnp.sum,
    cummax=lax.cummax, cummin=lax.cummin, cumprod=lax.cumprod, cummax_reverse=lambda x: lax.cummax(x, reverse=True),
    cumprod_reverse=lambda x: lax.cumprod(x, reverse=True), sort=lambda x: lax.sort(x),
    window_max=lambda x: lax.reduce_window(x, -inf, lax.max, (3,), (1,), "SAME"), window_min=lambda x: lax.reduce_window(x, inf, lax.min, (3,), (2,), "VALID"),
    where=lambda x: jnp.where(x > 1, x * x, -x), clamp=lambda x: lax.clamp(1.0, x, 3.0),
    norm=lambda x: jnp.sqrt(jnp.sum(x * x)), relu=lambda x: lax.max(x, jnp.ones(6)),
    scatter_max=lambda x: jnp.full(3, 2.0).at[jnp.array([0, 1, 0, 1, 2, 2])].max(x),
    scatter_set=lambda x: jnp.full(3, 2.0).at[jnp.array([0, 1, 0, 1, 2, 7])].set(x, mode="drop"),
    scatter_add=lambda x: jnp.full(3, 2.0).at[jnp.array([0, 1, 0, 1, 2, 7])].add(x, mode="drop"),
    whole_softmax=lambda x: jax.nn.softmax(x), whole_logsumexp=jax.nn.logsumexp,
)
for name, f in ARRAYS.items():
    for x in (ties, zeros, [0.0] * 6, [1.0] * 6, one_nan, [0.3, -1.2, 2.5, 0.7, 1.1, -0.4]):
        x = np.array(x)
        print("array", name, len(x), ":", text(x), ":", text(jax.jacfwd(f)(x)))
