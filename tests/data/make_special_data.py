#!/usr/bin/env python3
"""Writes special.txt: inputs and what SciPy computes from them in doubles, one array a line, as make_ops_data.py writes ops.txt; with _jax
behind the name what JAX computes, where it differs at the edges or SciPy has no such function.

Run with jax 0.10.2, numpy and scipy installed: python3 make_special_data.py > special.txt. The C side of each case is the row of the same
name in tests/ops/test_special.c.
"""
import numpy as np
import scipy.special as sp
import jax
import jax.numpy as jnp
from jax.scipy import special as js
from data_lines import emit

jax.config.update("jax_enable_x64", True)

rng = np.random.default_rng(3)
signed = lambda most, n: np.concatenate([s * np.exp(rng.uniform(np.log(1e-3), np.log(most), n)) for s in (1, -1)])
edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
I = {
    "x": np.concatenate([signed(30, 40), rng.uniform(-12, 12, 40)]), "large": signed(1e4, 20), "edges": edges,
    "gammas": np.concatenate([rng.uniform(-5, 20, 60), np.array([100.5, 170.0, 171.5, 172.0, -170.25, 1e-300, -1e-5, -1, -7])]),
    "p": np.concatenate([rng.random(40), np.exp(-rng.uniform(0, 700, 40)), 1 - np.exp(-rng.uniform(0, 30, 20)), np.array([0.5, 0.13, 0.136, 0.87, 5e-324])]),
    "p_edges": np.array([0.0, 1.0, -0.1, 1.1, np.nan]), "unit": rng.random(60),
    "a": np.exp(rng.uniform(np.log(1e-2), np.log(300), 80)), "r": np.exp(rng.uniform(-1.5, 1, 80)), "b": np.exp(rng.uniform(np.log(1e-2), np.log(300), 80)),
    "huge": np.array([1e5, 3e6, 2e3, 1e9]), "ab_edges": np.array([0, 0, 1, 1, 2, np.inf, -1, 1, np.nan, 0]), "x_edges": np.array([0, 1, 0, np.inf, np.nan, 1, 1, -1, 1, np.inf]),
    "beta_a": np.array([0, 0, 1, 2, np.inf, 1, 2, 2, -1, 0.5]), "beta_b": np.array([1, 0, 0, np.inf, 2, 1, 2, 2, 1, np.nan]), "beta_x": np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0, 1, 1.1, 0.5, 0.5]),
    "xe": np.concatenate([rng.uniform(1e-3, 7, 40), rng.uniform(6, 80, 40), -np.exp(rng.uniform(-6, 5, 40)), np.array([0.37250741078136663, 0.3725074, 1, -1, 6, 12, 25, 60, 700, 720, -2, -5, -14, -700, -800])]),
    "x_log": np.array([0, 0, 0, 1, 2, 0.5, 0, np.nan, 3]), "y_log": np.array([0, np.inf, -1, 0, 3, 1e-300, np.nan, 1, 0.25]),
    "entropy": np.array([0.0, -0.0, 0.3, 1, 2.5, -1, 1e-310, np.nan, np.inf]),
    "x32": np.concatenate([signed(30, 20), rng.uniform(0, 12, 20)]).astype(np.float32), "p32": rng.random(40).astype(np.float32), "a32": np.exp(rng.uniform(-2, 5, 40)).astype(np.float32),
    "y32": np.exp(rng.uniform(-2, 5, 40)).astype(np.float32), "h": rng.uniform(0.1, 5, 20).astype(np.float16), "normal": np.concatenate([rng.uniform(-37, 8, 60), np.array([-20, -20.001, -19.999, 0, -1e3, -1e10])]),
}
for name, a in I.items():
    emit("+ " + name, a)
locals().update(I)
CASES = dict(
    gamma="sp.gamma(gammas)", gamma_edges="js.gamma(jnp.asarray(edges))", beta="sp.beta(a, b)", beta_signs="js.beta(jnp.asarray(gammas[:30]), jnp.asarray(a[:30]))", betaln="sp.betaln(a, b)", betaln_huge="sp.betaln(huge, huge[::-1])", betaln_far="sp.betaln(a[:4], huge)",
    gammainc="sp.gammainc(a, a * r)", gammaincc="sp.gammaincc(a, a * r)", gammainc_edges="js.gammainc(jnp.asarray(ab_edges), jnp.asarray(x_edges))", gammaincc_edges="js.gammaincc(jnp.asarray(ab_edges), jnp.asarray(x_edges))",
    betainc="sp.betainc(a[:60], b[:60], unit)", betainc_edges="js.betainc(jnp.asarray(beta_a), jnp.asarray(beta_b), jnp.asarray(beta_x))",
    i0="sp.i0(x)", i1="sp.i1(x)", j0="sp.j0(x)", j1="sp.j1(x)", ndtr="sp.ndtr(x)", log_ndtr="sp.log_ndtr(normal)", ndtri="sp.ndtri(p)", ndtri_edges="sp.ndtri(p_edges)",
    i0e="sp.i0e(np.concatenate([x, large, edges]))", i1e="sp.i1e(x)", j0_large="sp.j0(large)", j1_large="sp.j1(large)", j0_edges="np.array([1, 1, 0, 0, np.nan])", j1_edges="np.array([0, -0.0, 0, 0, np.nan])", i0_edges="sp.i0(edges)", i1_edges="sp.i1(edges)",
    ndtr_edges="sp.ndtr(edges)", log_ndtr_edges="sp.log_ndtr(edges)", xlogy="js.xlogy(jnp.asarray(x_log), jnp.asarray(y_log))", xlog1py="js.xlog1py(jnp.asarray(x_log), jnp.asarray(y_log))", entr="sp.entr(entropy)",
    logit="sp.logit(unit)", logit_edges="sp.logit(p_edges)", expi="sp.expi(xe)", expi_edges="sp.expi(edges)",
)
for f, of in dict(gamma="a32", i0="x32", i0e="x32", i1="x32", j0="x32", j1="x32", ndtr="x32", log_ndtr="x32", ndtri="p32", expi="x32", entr="a32", logit="p32").items():
    CASES[f + "_32"] = f"sp.{f}({of}.astype(float)).astype(np.float32)"
for f in ("gammainc", "gammaincc", "beta", "betaln"):
    CASES[f + "_32"] = f"sp.{f}(a32.astype(float), y32.astype(float)).astype(np.float32)"
CASES["betainc_32"] = "sp.betainc(a32.astype(float), y32.astype(float), p32.astype(float)).astype(np.float32)"
CASES["gamma_16"] = "sp.gamma(h.astype(float)).astype(np.float16)"
CASES["i0_16"] = "sp.i0(h.astype(float)).astype(np.float16)"
# Derivatives as JAX has them.
grad = lambda f, k, *args: np.asarray(jax.vmap(jax.grad(f, k))(*map(jnp.asarray, args)))
D = dict(
    d_gammainc_a=grad(js.gammainc, 0, a[:20], (a * r)[:20]), d_gammainc_x=grad(js.gammainc, 1, a[:20], (a * r)[:20]), d_gammaincc_a=grad(js.gammaincc, 0, a[:20], (a * r)[:20]), d_betainc_x=grad(js.betainc, 2, a[:20], b[:20], unit[:20]),
    d_ndtri=grad(js.ndtri, 0, unit[:20]), d_log_ndtr=grad(js.log_ndtr, 0, normal[:20]), d_i0=grad(js.i0, 0, x[60:80]), d_i1=grad(js.i1, 0, x[60:80]), d_i0e=grad(js.i0e, 0, x[60:80]), d_expi=grad(js.expi, 0, xe[:20]),
    d_entr=grad(js.entr, 0, unit[:20]), d_xlogy_0=grad(js.xlogy, 0, np.array([0.0, 1, 2]), np.array([0.5, 3, 4])), d_gamma=grad(js.gamma, 0, gammas[:20]), d_logit=grad(js.logit, 0, unit[:20]),
)
with np.errstate(all="ignore"):
    for name, text in CASES.items():
        emit("= " + name, eval(text))
for name, value in D.items():
    emit("= " + name, value)
