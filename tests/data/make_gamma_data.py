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
# any order, between and halfway between poles, where sums over poles cancel
mp.dps = 200
many_n = np.array([13, 14, 15, 20, 23, 24, 25, 26, 30, 31, 40, 41, 57, 80, 100, 101, 130, 13, 14, 24, 25, 60, 61, 13, 23, 24, 25, 60], np.float64)
many_x = -np.concatenate([np.linspace(0.1, 20.4, 17) + 0.03, [0.5, 0.5, 1.5, 2.5, 3.5, 0.5, 3.001, 2.999, 9.0625, 7.5000001, 4.99]])
emit("+ many_n", many_n)
emit("+ many_x", many_x)
put("polygamma_many", [polygamma(int(n), mpf(float(x))) for n, x in zip(many_n, many_x)])
in_f32 = (many_n < 22) & (abs(many_x - np.round(many_x)) > 0.15)    # no values beyond f32
many_n32, many_x32 = many_n[in_f32].astype(np.float32), many_x[in_f32].astype(np.float32)
emit("+ many_n32", many_n32)
emit("+ many_x32", many_x32)
put("polygamma_many_32", [polygamma(int(n), mpf(float(x))) for n, x in zip(many_n32, many_x32)], np.float32)
mp.dps = 60
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


def beta_density(a, b, x):
    return mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b))


def beta_lower(a, b, x):
    """The integral up to x, from 18 deviations below the mean on: what is below is 1e-60 at most."""
    mean, root = a / (a + b), mp.sqrt(a * b / (a + b)**3)
    return mp.quad(lambda s: beta_density(a, b, mean + root * s) * root, mp.linspace(-18, (x - mean) / root, 20))


log_a = np.array([3, 3, 3.5, 4, 5, 6, 7, 7, 7, 8, 9, 10, 12, 15, 3, 6, 9, 5, 12, 4], float)
log_b = np.array([3, 3, 3.5, 4, 5, 6, 7, 7, 7, 8, 9, 10, 12, 15, 6, 3, 5, 9, 4, 9], float)
off = np.array([0, -5, 2, -1, 0.3, -3, 0, -0.1, 4, 1, 0, -2, 0, 0.5, -4, 0, 1, -1, 2, 0.1])
for end, like, keep in ("", np.float64, log_a < 20), ("_32", np.float32, (log_a < 9) & (log_b < 9)):
    a, b = np.round(10**log_a[keep]).astype(like), np.round(10**log_b[keep]).astype(like)
    p, q = a.astype(float), b.astype(float)
    x = (p / (p + q) + off[keep] * np.sqrt(p * q / (p + q)**3)).astype(like)
    for name, values in ("a", a), ("b", b), ("x", x): emit(f"+ beta_{name}{end}", values)
    of = [tuple(mpf(float(v)) for v in row) for row in zip(a, b, x)]
    put("betainc" + end, [beta_lower(*row) for row in of], like)
    put("betainc_by_x" + end, [beta_density(*row) for row in of], like)
    steps = [(*row, mp.sqrt(min(row[:2])) * mpf(10)**-6) for row in of]
    slope = lambda f, h: (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h)
    put("betainc_by_a" + end, [slope(lambda d: beta_lower(a + d, b, x), h) for a, b, x, h in steps], like)
    put("betainc_by_b" + end, [slope(lambda d: beta_lower(a, b + d, x), h) for a, b, x, h in steps], like)

# n! beyond f64, or a sum whose digits are; f32 goes by way of f64
mp.dps = 400
great = [(100, 5000), (150, 300), (171, 20), (180, 30), (171, 1000), (200, 100), (300, 200), (250, 90), (20, 1e15), (20, 1e16), (60, 1e5), (170, 66), (170, 70), (9, 3e31), (1000, 500), (1299, 400), (1100, 300), (171, 2.5)]
for end, like, keep in ("", np.float64, great), ("_32", np.float32, [(250, 90), (170, 66), (170, 70)]):
    n, x = np.array(keep).T.astype(like)
    emit("+ great_n" + end, n)
    emit("+ great_x" + end, x)
    put("polygamma_great" + end, [(-1)**(int(p) + 1) * mp.factorial(int(p)) * mp.zeta(int(p) + 1, mpf(float(q))) for p, q in zip(n, x)], like)
# so far from the mean that it is 0 or 1
far = np.array([(1e308, 1, 0.5, 0), (1, 1e308, 0.5, 1), (1e308, 1e308, 0.3, 0), (1e308, 1e308, 0.7, 1), (5, 1e308, 1e-200, 1), (1e308, 3, 1 - 2**-53, 0), (1e-3, 1e308, 1e-5, 1), (1e20, 2, 0.9, 0), (1e6, 1e7, 0.5, 1)])
for name, values in zip("abx", far.T): emit(f"+ far_{name}", values)
emit("= betainc_far", far[:, 3])
for by in "abx": emit(f"= betainc_far_by_{by}", np.zeros(len(far)))
