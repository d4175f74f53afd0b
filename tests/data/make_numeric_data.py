#!/usr/bin/env python3
"""Writes numeric.txt: inputs and what NumPy, SciPy and JAX compute from them, one array a line, as make_ops_data.py writes ops.txt.

Run with jax 0.10.2, numpy and scipy installed: python3 make_numeric_data.py > numeric.txt. The C side of each case is the row of the same
name in tests/ops/test_numeric.c. NumPy computes in doubles what NumPy has; a case whose result is to be f32 says so. (NumPy 2 gives NaN for a quantile that is an infinity.)
"""
import sys
import numpy as np
import scipy.integrate
import jax
import jax.numpy as jnp
from data_lines import emit

jax.config.update("jax_enable_x64", True)
f32, f64, i32 = np.float32, np.float64, np.int32

rng = np.random.default_rng(18)
normal = rng.standard_normal
I = {
    "x": normal((3, 4)), "y": normal((3, 4)), "t": normal((2, 3, 4)), "v": normal(7), "w": rng.random((3, 4)) + 0.1, "w4": rng.random(4), "s": f64(0.3),
    "row": normal((2, 41)), "x32": normal((3, 5)).astype(f32), "h": normal((3, 5)).astype(np.float16), "unit": rng.random((3, 4)),
    "places": np.cumsum(rng.random(4) + 0.1), "places2": np.cumsum(rng.random((3, 4)) + 0.1, 1), "i": np.array([[-7, 3, 0, 12], [100, -100, 5, -1], [2**31 - 1, -2**31, 6, 9]], i32),
    "small": np.array([[1, 2, 0, 3], [4, 2, 5, 1], [0, 1, 2, 3]], i32), "u8": np.array([[0, 255, 5, 6], [1, 2, 3, 128]], np.uint8), "m": np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]], bool),
    "holes": np.array([[np.nan, 1, 5, 2, np.nan], [3, np.nan, np.nan, np.nan, np.nan], [np.nan] * 5, [4, -1, np.inf, 0, 2]]),
    "zholes": np.array([[1 + 2j, complex(np.nan, 0), 3, complex(1, np.nan)], [complex(np.nan, np.nan), -4j, 2 - 1j, 0.5j]]),
    "infs": np.array([[np.inf, 1, 5, -np.inf], [np.inf, np.inf, np.inf, 1], [-np.inf] * 4]),
    "xp": np.array([-1, 0, 0.5, 0.5, 2, 4.0]), "fp": np.array([3, -1, 2, 5, 0, 1.0]), "at": np.array([[-2, -1, -0.3, 0], [0.5, 0.7, 3.9, 4], [4.5, np.nan, np.inf, -np.inf]]),
    "angles": np.cumsum(normal((2, 30)) * 2.5, 1) % (2 * np.pi), "steps": np.array([0, np.pi, 2 * np.pi, np.pi, 0, -np.pi, 4, 9.5, -20]),
    "edges": np.array([-1, 0, 0.5, 2.0]), "q": np.array([[0, 0.25], [0.6, 1.0]]), "qs": f64(0.35), "qbad": np.array([-0.1, 0.5, 1.1, np.nan]),
    "special": np.array([0.0, -0.0, 1, -1, 0.5, 1e-3, 3e-3, 0.0033, -0.2, 7.25, 1e10, np.nan]), "signs": np.array([-2, -0.0, 0, 3, np.nan, np.inf]),
    "one": normal((2, 1)), "img": normal((5, 6, 2)), "img32": normal((4, 7)).astype(f32), "e0": np.zeros((0, 3)),
    "a3": normal(3), "b2": normal(2), "c4": normal(4), "mask": np.array([[1, 0, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 1, 1], [0, 0, 1, 1, 0]], bool), "big": normal(1001),
}
for name, a in I.items():
    emit("+ " + name, a)
locals().update(I)
J = {k: jnp.asarray(a) for k, a in I.items()}
CASES = {}


def cases(**kw):
    CASES.update(kw)


cases(
    diff="np.diff(x)", diff_0="np.diff(x, 1, 0)", diff_2="np.diff(t, 2, 1)", diff_all="np.diff(x, 4)", diff_more="np.diff(x, 1, 0)[:0]", diff_none="x", diff_i32="np.diff(i, 1, 0)", diff_u8="np.diff(u8)",
    diff_bool="np.diff(m)", diff_f16="np.diff(h)",
    gradient="np.gradient(x, axis=1)", gradient_0="np.gradient(x, 0.25, axis=0)", gradient_places="np.gradient(x, places, axis=1)", gradient_2="np.gradient(x[:, :2], 0.5, axis=1)",
    gradient_i32="np.gradient(small, axis=1).astype(f32)", gradient_mid="np.gradient(t, 2, axis=1)",
    trapezoid="np.trapezoid(x, axis=1)", trapezoid_dx="np.trapezoid(t, dx=0.25, axis=1)", trapezoid_x="np.trapezoid(x, places, axis=1)", trapezoid_xs="np.trapezoid(x, places2, axis=-1)",
    trapezoid_one="np.trapezoid(one, axis=1)", trapezoid_i32="np.trapezoid(small, axis=0).astype(f32)", trapezoid_none="np.trapezoid(e0, axis=0)", trapezoid_none_x="np.trapezoid(e0.T, places[:0], axis=1)",
    cumulative="scipy.integrate.cumulative_trapezoid(x, axis=1)", cumulative_x="scipy.integrate.cumulative_trapezoid(x, places, axis=1)", cumulative_0="scipy.integrate.cumulative_trapezoid(t, dx=0.5, axis=1)",
    interp="np.interp(at, xp, fp)", interp_number="np.interp(1.25, xp, fp)", interp_one="np.interp([0.0, 5.0], [1.0], [7.0])", interp_v="np.interp(v, np.array([-1.0, 1.0]), np.array([2.0, 3.0]))",
    interp_jax="jnp.interp(J['x'], J['places'], J['c4'])", interp_left="np.interp(at, xp, fp, left=-7)", interp_right="np.interp(at, xp, fp, right=np.nan)",
    interp_left_right="np.interp(at, xp, fp, left=0, right=9)", interp_beyond="jnp.interp(at, xp, fp, left='extrapolate', right='extrapolate')", interp_period="np.interp(at[:2], edges, fp[:4], period=1.75)",
    interp_period_jax="jnp.interp(J['x'], J['places'], J['c4'], period=-0.75)", interp_period_degrees="np.interp([-180.0, -10, 0, 355, 370, 725], [190.0, -190, 350, -350], [5.0, 10, 3, 4], period=360)",
    interp_complex="np.interp(at[:2] * 2, xp, fp + 1j * fp[::-1], left=3, right=1)", interp_period_one="np.interp([0.25, 7.0], [1.0], [7.0], period=2)",
    arange_as="np.arange(0, 1, 0.1)", arange_as_i8="np.arange(-100, 127, 2, np.int8)", arange_as_u8="np.arange(250, 300, 3, np.int32)[:2].astype(np.uint8)", arange_as_f16="np.arange(0, 5).astype(np.float16)",
    arange_as_i64="np.arange(7, -9, -4, np.int64)", one_hot_as="np.eye(4)[small % 4]", one_hot_as_bool="np.eye(4, dtype=bool)[small % 4]", one_hot_as_i8="np.eye(9, dtype=np.int8)[[[4, 0], [8, 7]]]",
    unwrap="np.unwrap(angles)", unwrap_steps="np.unwrap(steps)", unwrap_0="np.unwrap(angles * 2, axis=0)", unwrap_one="np.unwrap(one)",
    digitize="np.digitize(at[:2], edges).astype(i32)", digitize_right="np.digitize(at[:2], edges, right=True).astype(i32)", digitize_down="np.digitize(at[:2], edges[::-1]).astype(i32)",
    digitize_down_right="np.digitize(at[:2], edges[::-1], right=True).astype(i32)", digitize_i32="np.digitize(small, np.array([1, 3])).astype(i32)", digitize_number="np.digitize(0.5, edges).astype(i32)",
    sinc="np.sinc(special)", sinc_32="np.sinc(x32)", heaviside="np.heaviside(signs, 0.5)", heaviside_v="np.heaviside(signs, np.array([1, 2, 3, 4, 5, 6.0]))", lerp="x + unit * (y - x)", lerp_end="y", lerp_beyond="x + 1.5 * (y - x)",
)
cases(
    median="np.median(x)", median_0="np.median(x, 0)", median_1="np.median(t, (0, 2))", median_keep="np.median(t, 1, keepdims=True)", median_nan="np.median(holes, 1)", median_odd="np.median(v)",
    median_i32="np.median(small, 1).astype(f32)", median_32="np.median(x32, 1)", median_f16="np.median(h, 1)", median_infs="np.median(infs, 1)", median_row="np.median(row, 1)", median_big="np.median(big)",
    quantile="np.quantile(x, 0.3)", quantile_0="np.quantile(x, 0.9, 0)", quantile_end="np.quantile(x, 1.0, 1)", quantile_start="np.quantile(x, 0.0, 1)", quantile_q="np.quantile(x, q, 1)", quantile_s="np.quantile(t, qs, (0, 2))",
    quantile_keep="np.quantile(t, q, (0, 2), keepdims=True)", quantile_all="np.quantile(x, q)", quantile_row="np.quantile(row, q, 1)",
    quantile_bad="np.array([np.nan, np.median(v), np.nan, np.nan])", percentile="np.percentile(x, 37.5, 1)", percentile_q="np.percentile(x, q * 100, 0)",
    percentile_int="np.percentile(v, 25)", nanpercentile="np.nanpercentile(holes, 60, 1)",
    nanmedian="np.nanmedian(holes, 1)", nanmedian_all="np.nanmedian(holes)", nanquantile="np.nanquantile(holes, 0.4, 0)", nanquantile_q="np.where(np.isnan(z := np.nanquantile(holes, q, 1)) & ~np.isnan(holes).all(1), np.inf, z)", nanmedian_no="np.nanmedian(x, 0)",
    average="np.average(x)", average_w="np.average(x, weights=w)", average_1="np.average(x, 1, w4)", average_01="np.average(x, (0, 1), w)", average_keep="np.average(x, 1, w4, keepdims=True)", average_i32="np.average(small, 0, small + 1).astype(f32)",
    ptp="np.ptp(x)", ptp_1="np.ptp(t, 1)", ptp_i32="np.ptp(small, 0)", ptp_nan="np.ptp(holes, 1)", ptp_u8="np.ptp(u8, 1)",
)
for how in ("lower", "higher", "nearest", "midpoint", "linear"):
    cases(**{f"quantile_{how}": f"np.quantile(x, 0.3, 1, method='{how}')", f"quantile_{how}_q": f"np.quantile(x, q, 1, method='{how}')", f"nanquantile_{how}": f"np.nanquantile(holes, 0.3, 1, method='{how}')"})
for op in ("sum", "prod", "max", "min", "mean", "var", "std"):
    cases(**{f"nan{op}_z": f"np.nan{op}(zholes, 1)"})
    cases(**{f"nan{op}": f"np.nan{op}(holes)", f"nan{op}_1": f"np.nan{op}(holes, 1)", f"nan{op}_0": f"np.nan{op}(holes, 0, keepdims=True)"})
cases(
    nanvar_ddof="np.nanvar(holes, 1, ddof=1)", nanstd_ddof="np.nanstd(x, 0, ddof=2)", nansum_i32="np.nansum(small, 1).astype(i32)", nanmean_where="np.nanmean(holes, 1, where=mask)", nansum_where="np.nansum(holes, 1, where=mask)",
    nanmax_f16="np.nanmax(h, 1)", nanargmax="np.nanargmax(holes[[0, 1, 3]], 1).astype(i32)", nanargmin="np.nanargmin(holes[[0, 1, 3]], 1).astype(i32)", nanargmax_all="np.nanargmax(holes).astype(i32)", nanargmax_none="i32(-1)",
)
cases(
    grid_0="np.meshgrid(a3, b2, c4, indexing='ij')[0]", grid_1="np.meshgrid(a3, b2, c4, indexing='ij')[1]", grid_2="np.meshgrid(a3, b2, c4, indexing='ij')[2]",
    grid_xy_0="np.meshgrid(a3, b2, c4)[0]", grid_xy_1="np.meshgrid(a3, b2, c4)[1]", grid_xy_2="np.meshgrid(a3, b2, c4)[2]", grid_one="np.meshgrid(a3)[0]", grid_scalar="np.meshgrid(s, b2, indexing='ij')[0]",
)
for how in ("edge", "reflect", "symmetric", "wrap"):
    cases(**{f"pad_{how}": f"np.pad(x, ((1, 2), (0, 3)), '{how}')", f"pad_{how}_far": f"np.pad(a3, (11, 8), '{how}')", f"pad_{how}_one": f"np.pad(one, ((0, 0), (3, 2)), '{how}')", f"pad_{how}_all": f"np.pad(small, 2, '{how}')",
             f"pad_{how}_most": f"np.pad(b2, (150, 101), '{how}')"})
cases(pad_none="x", pad_bool="np.pad(m, 1, 'edge')")
for how in ("nearest", "linear", "cubic", "lanczos3", "lanczos5"):
    cases(**{f"resize_{how}": f"jax.image.resize(J['img'], (8, 9, 2), '{how}')", f"resize_{how}_down": f"jax.image.resize(J['img'], (2, 4, 2), '{how}')", f"resize_{how}_32": f"jax.image.resize(J['img32'], (9, 3), '{how}')"})
cases(resize_same="img", resize_empty="img[:0]", resize_i32="jax.image.resize(jnp.asarray(small).astype(f32), (6, 2), 'linear')", resize_f16="jax.image.resize(J['h'], (6, 2), 'linear')", resize_nearest_i32="jax.image.resize(jnp.asarray(small), (6, 3), 'nearest')")

with np.errstate(all="ignore"):
    import warnings
    warnings.simplefilter("ignore")
    for name, text in CASES.items():
        try:
            emit("= " + name, eval(text))
        except Exception as e:
            sys.exit(f"{name}: {text}: {e}")
