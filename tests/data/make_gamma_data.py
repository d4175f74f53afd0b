#!/usr/bin/env python3
"""Writes gamma.txt, as make_ops_data.py writes ops.txt: polygamma below zero and the incomplete gamma functions of large a, by mpmath at 60
digits. What is after "+ " a name is an input, or what a row of tests/ops/test_gamma.c is divided by, so that its result ("= ") is 1.

Run with mpmath and numpy installed: python3 make_gamma_data.py > gamma.txt
"""
import numpy as np
from mpmath import mp, mpf
from data_lines import emit

mp.dps = 60
rng = np.random.default_rng(11)
exact = lambda values, like=np.float64: np.array([float(v) for v in values]).astype(like)


def put(name, values, like=np.float64, also=()):
    emit("+ true_" + name, exact(values, like))
    for row in (name, *also): emit("= " + row, np.ones(len(values), like))


def polygamma(n, x):
    """By the sum over all poles (x - floor(x) and one less, as zetas) less that above 0."""
    f, s = x - mp.floor(x), n + 1
    return (-1)**s * mp.factorial(n) * (mp.zeta(s, f) + (-1)**s * (mp.zeta(s, 1 - f) - mp.zeta(s, 1 - x)))


below = np.concatenate([-rng.uniform(0, 200, 20), -rng.uniform(0, 5, 10), [-6.94207725, -9.1, -20.7, -1e-3, -1e-12, -7.999, -8.0001, -199.7]])
below_32 = below[np.abs(below) > 1e-6].astype(np.float32)
emit("+ below", below)
emit("+ below_32", below_32)
also = {1: ["digamma_slope", "lgamma_second"], 2: ["digamma_second", "trigamma_slope"], 3: ["digamma_third"]}
for n in 1, 2, 3, 4, 12: put(f"polygamma_{n}", [polygamma(n, mpf(x)) for x in below], also=also.get(n, ()))
put("polygamma_1_32", [polygamma(1, mpf(float(x))) for x in below_32], np.float32, ["digamma_slope_32"])
above = below[below > -150]
emit("+ above", above)
put("gamma_second", [mp.gamma(mpf(x)) * ((mp.digamma(1 - mpf(x)) - mp.pi * mp.cot(mp.pi * mpf(x)))**2 + polygamma(1, mpf(x))) for x in above])

density = lambda a, x: mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def lower(a, x):
    """The integral up to x, from 18 sqrt(a) below a on: what is below is 1e-60 at most."""
    root, top = mp.sqrt(a), (x - a) / mp.sqrt(a)
    return mp.quad(lambda s: density(a, a + root * s) * root, mp.linspace(-18, top, 20))


def inputs(log_a, off, like):
    a = np.array(10.0**log_a).astype(like)
    return a, (a + off * np.sqrt(a)).astype(like)


a, x = inputs(np.concatenate([np.linspace(4, 15, 20), [4, 6, 8, 6]]), np.concatenate([rng.uniform(-8, 8, 20), [0, 0, 0, -1]]), np.float64)
a32, x32 = inputs(np.linspace(4, 7, 10), np.concatenate([rng.uniform(-5, 5, 8), [0, 0]]), np.float32)
for end, like, u, v in ("", np.float64, a, x), ("_32", np.float32, a32, x32):
    emit("+ large" + end, u)
    emit("+ near" + end, v)
    mp.dps = 60
    of = [(mpf(float(p)), mpf(float(q))) for p, q in zip(u, v)]
    values = [lower(p, q) for p, q in of]
    put("lower" + end, values, like)
    put("upper" + end, [1 - p for p in values], like)
    put("by_x" + end, [density(p, q) for p, q in of], like, ["upper_by_x" + end])
    steps = [(p, q, mp.sqrt(p) * mpf(10)**-6) for p, q in of]
    put("by_a" + end, [(lower(p - 2 * h, q) - 8 * lower(p - h, q) + 8 * lower(p + h, q) - lower(p + 2 * h, q)) / (12 * h) for p, q, h in steps], like, ["upper_by_a" + end])
    put("by_x_a" + end, [density(p, q) * (mp.log(q) - mp.digamma(p)) for p, q in of], like, ["by_a_x" + end])
