"""More of the bench's cases for peers.py: stencils and windows, images of bytes, pyhpc's equation of state, npbench's cases, as bench/cases_stencil.c, bench/cases_image.c and bench/cases_field.c have them.
Numba's functions are loops, as people write them for it; they are compiled at the first call.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.lib.stride_tricks import sliding_window_view

rng = np.random.RandomState(1)
u8 = lambda *s: rng.randint(0, 256, s, np.uint8)
f32 = lambda *s: np.asarray(rng.rand(*s), np.float32) - np.float32(0.5)
f64 = lambda *s: rng.rand(*s)
N = 512


def njit(f):
    import numba
    return numba.njit(fastmath=True)(f)


def repeat(n, step):
    """step n times: on JAX in a loop of its own, on NumPy in Python's"""
    return lambda *s: lax.fori_loop(0, n, lambda _, s: step(*s), s), lambda *s: [s := step(*s) for _ in range(n)][-1]


# ---- stencils of 512 x 512 ----

advect = lambda xp: lambda u: (u - np.float32(0.2) * ((u - xp.roll(u, 1, 1)) + (u - xp.roll(u, 1, 0))),)


def average(xp):
    def step(u):
        p = xp.pad(u, 1)
        return np.float32(0.25) * ((p[:-2, 1:-1] + p[2:, 1:-1]) + (p[1:-1, :-2] + p[1:-1, 2:])),
    return step


def laplacian9(u):
    side = (u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:])
    corner = (u[:-2, :-2] + u[:-2, 2:]) + (u[2:, :-2] + u[2:, 2:])
    return side * np.float32(4 / 6) + corner * np.float32(1 / 6) - u[1:-1, 1:-1] * np.float32(20 / 6)


def rope(xp):
    return lambda x, c, s: x * c + xp.concatenate([-x[..., 32:], x[..., :32]], -1) * s


def along(xp, x, axis, taps):
    p = xp.pad(x, [(len(taps) // 2,) * 2 if a == axis else (0, 0) for a in range(2)], mode="edge")
    cut = lambda k: p[k:k + N] if axis == 0 else p[:, k:k + N]
    return sum(np.float32(t) * cut(k) for k, t in enumerate(taps) if t)


def blur_sobel(xp):
    def f(x):
        blur = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
        b = along(xp, along(xp, x, 0, blur), 1, blur)
        gx = along(xp, along(xp, b, 0, [1, 2, 1]), 1, [-1, 0, 1])
        gy = along(xp, along(xp, b, 0, [-1, 0, 1]), 1, [1, 2, 1])
        return xp.sqrt(gx * gx + gy * gy)
    return f


def largest(window, strides, padding):
    return lambda x: lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)


def numpy_max_3x3(x):
    p = np.pad(x, 1, constant_values=-np.inf)
    p = np.maximum(np.maximum(p[:-2], p[1:-1]), p[2:])
    return np.maximum(np.maximum(p[:, :-2], p[:, 1:-1]), p[:, 2:])


def image_blur5(xp):
    def f(x):
        p = xp.pad(x, ((2, 2), (2, 2), (0, 0)), mode="reflect")
        return sum(p[i:i + 720, j:j + 1280] for i in range(5) for j in range(5)) * np.float32(1 / 25)
    return f


def image_blur(xp):
    def f(x):
        p = xp.pad(x, ((1, 1), (1, 1), (0, 0)))
        return sum(p[i:i + 720, j:j + 1280] for i in range(3) for j in range(3)) * np.float32(1 / 9)
    return f


def image_mean(xp):
    def f(x):
        p = xp.pad(x.astype(xp.int32), ((1, 1), (1, 1), (0, 0)), "edge")
        r = p[:-2] + p[1:-1] + p[2:]
        return ((r[:, :-2] + r[:, 1:-1] + r[:, 2:]) * 57 >> 9).astype(xp.uint8)
    return f


def image_gray(xp):
    def f(x):
        x = x.astype(xp.int32)
        return (x[..., 0] * 77 + x[..., 1] * 150 + x[..., 2] * 29 >> 8).astype(xp.uint8)
    return f


def image_half(xp):
    def f(x):
        x = x.astype(xp.int32)
        r = x[::2] + x[1::2]
        return (r[:, ::2] + r[:, 1::2] + 2 >> 2).astype(xp.uint8)
    return f


blocks = lambda x: x.reshape(360, 2, 640, 2, 3).transpose(0, 2, 1, 3, 4).reshape(360, 640, 12)
brighter = lambda xp: lambda x: xp.clip(x.astype(xp.int32) + 20, 0, 255).astype(xp.uint8)


def fir(x, taps):
    step = lambda y, k_tap: (y + k_tap[1] * lax.dynamic_slice(x, (k_tap[0],), (65536,)), None)
    return lax.scan(step, jnp.zeros(65536, jnp.float32), (jnp.arange(64), taps))[0]


def numba_advect():
    @njit
    def steps(u):
        a, b = u.copy(), np.empty_like(u)
        for _ in range(100):
            for i in range(N):
                for j in range(N):
                    b[i, j] = a[i, j] - np.float32(0.2) * ((a[i, j] - a[i, j - 1]) + (a[i, j] - a[i - 1, j]))
            a, b = b, a
        return a
    return steps


def numba_average():
    @njit
    def steps(u):
        a, b = np.zeros((N + 2, N + 2), np.float32), np.zeros((N + 2, N + 2), np.float32)
        a[1:-1, 1:-1] = u
        for _ in range(100):
            for i in range(1, N + 1):
                for j in range(1, N + 1):
                    b[i, j] = np.float32(0.25) * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
            a, b = b, a
        return a[1:-1, 1:-1].copy()
    return steps


def numba_laplacian9():
    @njit
    def f(u):
        o = np.empty((N - 2, N - 2), np.float32)
        for i in range(N - 2):
            for j in range(N - 2):
                side = u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2]
                corner = u[i, j] + u[i, j + 2] + u[i + 2, j] + u[i + 2, j + 2]
                o[i, j] = side * np.float32(4 / 6) + corner * np.float32(1 / 6) - u[i + 1, j + 1] * np.float32(20 / 6)
        return o
    return f


def numba_fir():
    @njit
    def f(x, taps):
        y = np.empty(65536, np.float32)
        for i in range(65536):
            s = np.float32(0)
            for k in range(64):
                s += taps[k] * x[i + k]
            y[i] = s
        return y
    return f


# ---- the equation of state: cases_field.c has the formula ----

def enthalpy_by_temperature(xp, compiled=lambda f: f):
    """Values with their derivatives by temperature are pairs."""
    plus = compiled(lambda a, b: (a[0] + b[0], a[1] + b[1]))
    minus = compiled(lambda a, b: (a[0] - b[0], a[1] - b[1]))
    times = compiled(lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]))
    scaled = compiled(lambda a, s: (a[0] * s, a[1] * s))
    sqrt, log = xp.sqrt, xp.log

    @compiled
    def inverse(a):
        v = 1 / a[0]
        return v, -v * v * a[1]

    @compiled
    def log_above(a):
        x = 1 + a[0]
        return log(x), a[1] / x

    @compiled
    def poly(t, c0, c1, c2, c3, c4):
        return c0 + t * (c1 + t * (c2 + t * (c3 + t * c4))), c1 + t * (2 * c2 + t * (3 * c3 + t * (4 * c4)))

    @compiled
    def f(s, t, p):
        q = sqrt(s)
        r0 = plus(poly(t, 9.998420897506056e+2, 2.839940833161907, -3.147759265588511e-2, 1.181805545074306e-3, 0.0), scaled(
            plus(poly(t, -6.698001071123802, -2.986498947203215e-2, 2.327859407479162e-4, 0.0, 0.0),
                 scaled(poly(t, -3.988822378968490e-2, 5.095422573880500e-4, -1.426984671633621e-5, 1.645039373682922e-7, 0.0), q)), s))
        r1 = scaled(plus(poly(t, -2.233269627352527e-2, -3.436090079851880e-4, 3.726050720345733e-6, 0.0, 0.0),
                         scaled(poly(t, -1.806789763745328e-4, 6.876837219536232e-7, 0.0, 0.0, 0.0), s)), 0.5)
        r2 = poly(t, -3.087032500374211e-7 + 1.550932729220080e-10 * s, -1.988366587925593e-8, -1.061519070296458e-11, 0.0, 0.0)
        s0 = plus(poly(t, 1.0, 2.775927747785646e-3, -2.349607444135925e-5, 1.119513357486743e-6, 6.743689325042773e-10), scaled(
            plus(poly(t, -7.521448093615448e-3 + 5.419326551148740e-6 * s, -2.764306979894411e-5, 1.262937315098546e-7, 9.527875081696435e-10, -1.811147201949891e-11),
                 scaled(poly(t, -3.303308871386421e-5, 3.801564588876298e-7, -7.672876869259043e-9, -4.634182341116144e-11, 2.681097235569143e-12), q)), s))
        s1 = plus(poly(t, -2.742185394906099e-5, -3.212746477974189e-7, 3.191413910561627e-9, -1.931012931541776e-12, 0.0),
                  scaled(poly(t, -1.105097577149576e-7, 6.211426728363857e-10, 0.0, 0.0, 0.0), s))
        s2 = poly(t, -1.119011592875110e-10, -1.941660213148725e-11 + 1.119522344879478e-14 * s, -1.864826425365600e-14, 0.0, 0.0)
        s3 = poly(t, -1.200507748551599e-15, 6.057902487546866e-17, 0.0, 0.0, 0.0)
        i, square = inverse(r2), minus(times(r1, r1), times(r0, r2))
        r1_i, root = times(r1, i), sqrt(square[0])
        d = root, 0.5 * square[1] / root
        n = plus(s0, times(times(minus(scaled(times(s3, r1_i), 2.0), s2), r0), i))
        m = plus(s1, times(minus(minus(scaled(times(times(s3, r1), r1_i), 4.0), times(s3, r0)), scaled(times(s2, r1), 2.0)), i))
        r2_p = scaled(r2, p)
        log1 = log_above(times(scaled(plus(scaled(r1, 2.0), r2_p), p), inverse(r0)))
        log2 = log_above(scaled(times(times(r2_p, d), inverse(times(minus(r1, d), plus(plus(r1, d), r2_p)))), 2.0))
        part = times(scaled(minus(n, times(m, r1_i)), 0.5), inverse(d))
        direct = scaled(times(plus(minus(s2, scaled(times(s3, r1_i), 2.0)), scaled(s3, 0.5 * p)), i), p)
        return 1e4 * plus(plus(direct, times(scaled(times(m, i), 0.5), log1)), times(part, log2))[1]
    return f


def numba_eos():
    point = enthalpy_by_temperature(np, njit)

    @njit
    def f(s, t, p):
        o = np.empty_like(s)
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                for k in range(s.shape[2]):
                    o[i, j, k] = point(s[i, j, k], t[i, j, k], p[0, 0, k])
        return o
    return f


sea = lambda: [0.01 + 9.99 * f64(200, 200, 25), 32 * f64(200, 200, 25) - 12, 1000 * f64(1, 1, 25)]


# ---- npbench ----

def hdiff(xp):
    def f(u, coefficient):
        lap = 4 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        limited = lambda flux, slope: xp.where(flux * slope > 0, 0, flux)
        x = limited(lap[1:, 1:-1] - lap[:-1, 1:-1], u[2:-1, 2:-2] - u[1:-2, 2:-2])
        y = limited(lap[1:-1, 1:] - lap[1:-1, :-1], u[2:-2, 2:-1] - u[2:-2, 1:-2])
        return u[2:-2, 2:-2] - coefficient * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])
    return f


def numba_hdiff():
    @njit
    def lap(u, i, j, k):
        return 4 * u[i, j, k] - (u[i + 1, j, k] + u[i - 1, j, k] + u[i, j + 1, k] + u[i, j - 1, k])

    @njit
    def f(u, coefficient):
        o = np.empty_like(coefficient)
        for i in range(2, u.shape[0] - 2):
            for j in range(2, u.shape[1] - 2):
                for k in range(u.shape[2]):
                    here = lap(u, i, j, k)
                    x1, x0 = lap(u, i + 1, j, k) - here, here - lap(u, i - 1, j, k)
                    y1, y0 = lap(u, i, j + 1, k) - here, here - lap(u, i, j - 1, k)
                    x1 = 0 if x1 * (u[i + 1, j, k] - u[i, j, k]) > 0 else x1
                    x0 = 0 if x0 * (u[i, j, k] - u[i - 1, j, k]) > 0 else x0
                    y1 = 0 if y1 * (u[i, j + 1, k] - u[i, j, k]) > 0 else y1
                    y0 = 0 if y0 * (u[i, j, k] - u[i, j - 1, k]) > 0 else y0
                    o[i - 2, j - 2, k] = u[i, j, k] - coefficient[i - 2, j - 2, k] * (x1 - x0 + y1 - y0)
        return o
    return f


def placed(x, where, value):
    """x with the value there: a new array in JAX, x itself in NumPy"""
    if isinstance(x, np.ndarray):
        x[where] = value
        return x
    return x.at[where].set(value)


def line(a, b):
    b = placed(b, np.s_[1:-1], 0.33333 * (a[:-2] + a[1:-1] + a[2:]))
    return placed(a, np.s_[1:-1], 0.33333 * (b[:-2] + b[1:-1] + b[2:])), b


def box(to, x):
    c = x[1:-1, 1:-1, 1:-1]
    bend = lambda low, high: 0.125 * (high - 2 * c + low)
    return placed(to, np.s_[1:-1, 1:-1, 1:-1], bend(x[:-2, 1:-1, 1:-1], x[2:, 1:-1, 1:-1]) + bend(x[1:-1, :-2, 1:-1], x[1:-1, 2:, 1:-1])
                  + bend(x[1:-1, 1:-1, :-2], x[1:-1, 1:-1, 2:]) + c)


def heat(a, b):
    b = box(b, a)
    return box(a, b), b


def maxwell(ex, ey, hz, source):
    ey = placed(placed(ey, np.s_[1:], ey[1:] - 0.5 * (hz[1:] - hz[:-1])), 0, source)
    ex = placed(ex, np.s_[:, 1:], ex[:, 1:] - 0.5 * (hz[:, 1:] - hz[:, :-1]))
    turn = (ex[:-1, 1:] - ex[:-1, :-1]) + (ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, placed(hz, np.s_[:-1, :-1], hz[:-1, :-1] - 0.7 * turn)


def fdtd_2d(ex, ey, hz, source):
    return lax.scan(lambda w, s: (maxwell(*w, s), None), (ex, ey, hz), source)[0]


def numpy_fdtd_2d(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for s in source:
        ex, ey, hz = maxwell(ex, ey, hz, s)
    return ex, ey, hz


def on_copies(f):
    return lambda *args: f(*[a.copy() for a in args])


def numba_line():
    @njit
    def f(a, b):
        a, b = a.copy(), b.copy()
        for _ in range(100):
            for i in range(1, a.size - 1):
                b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
            for i in range(1, a.size - 1):
                a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
        return a, b
    return f


def numba_heat():
    @njit
    def box(x, y):
        for i in range(1, x.shape[0] - 1):
            for j in range(1, x.shape[1] - 1):
                for k in range(1, x.shape[2] - 1):
                    c = x[i, j, k]
                    y[i, j, k] = (0.125 * (x[i + 1, j, k] - 2 * c + x[i - 1, j, k]) + 0.125 * (x[i, j + 1, k] - 2 * c + x[i, j - 1, k])
                                  + 0.125 * (x[i, j, k + 1] - 2 * c + x[i, j, k - 1]) + c)

    @njit
    def f(a, b):
        a, b = a.copy(), b.copy()
        for _ in range(5):
            box(a, b)
            box(b, a)
        return a, b
    return f


def numba_fdtd_2d():
    @njit
    def f(ex, ey, hz, source):
        ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
        n, m = ex.shape
        for s in source:
            for j in range(m):
                ey[0, j] = s
            for i in range(1, n):
                for j in range(m):
                    ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
            for i in range(n):
                for j in range(1, m):
                    ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
            for i in range(n - 1):
                for j in range(m - 1):
                    hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
        return ex, ey, hz
    return f


DTR = 3 / 20


def vadv_system(xp, stage, u, w, u_pos, u_tens):
    """(a, b, c, d): what multiplies the level below, the level, the level above, and the right side"""
    wind = 0.125 * (w[1:, :, 1:] + w[:-1, :, 1:])
    step = wind * (u[..., 1:] - u[..., :-1])
    below = lambda x: xp.pad(x, ((0, 0), (0, 0), (1, 0)))
    above = lambda x: xp.pad(x, ((0, 0), (0, 0), (0, 1)))
    a, c = -below(wind), above(wind)
    return a, DTR - a - c, c, DTR * u_pos + u_tens + stage - (below(step) + above(step))


def vadv(stage, u, w, u_pos, u_tens):
    rows = [jnp.moveaxis(x, 2, 0) for x in vadv_system(jnp, stage, u, w, u_pos, u_tens)]

    def down(s, row):
        a, b, c, d = row
        by = 1 / (b - s[0] * a)
        s = c * by, (d - s[1] * a) * by
        return s, s

    def up(x, row):
        x = row[1] - row[0] * x
        return x, x
    zero = jnp.zeros_like(u[..., 0])
    x = lax.scan(up, zero, lax.scan(down, (zero, zero), rows)[1], reverse=True)[1]
    return DTR * (jnp.moveaxis(x, 0, 2) - u_pos)


def numpy_vadv(stage, u, w, u_pos, u_tens):
    a, b, c, d = vadv_system(np, stage, u, w, u_pos, u_tens)
    for k in range(u.shape[2]):
        by = 1 / (b[..., k] - (c[..., k - 1] * a[..., k] if k else 0))
        d[..., k] = (d[..., k] - (d[..., k - 1] * a[..., k] if k else 0)) * by
        c[..., k] *= by
    for k in range(u.shape[2] - 2, -1, -1):
        d[..., k] -= c[..., k] * d[..., k + 1]
    return DTR * (d - u_pos)


def numba_vadv():
    @njit
    def f(stage, u, w, u_pos, u_tens):
        levels = u.shape[2]
        o, cs, ds = np.empty_like(u), np.empty(levels), np.empty(levels)
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                c = d = a = 0.0
                for k in range(levels):
                    top = k == levels - 1
                    wind = 0.0 if top else 0.125 * (w[i + 1, j, k + 1] + w[i, j, k + 1])
                    rhs = DTR * u_pos[i, j, k] + u_tens[i, j, k] + stage[i, j, k]
                    if k:
                        rhs -= a * (u[i, j, k - 1] - u[i, j, k])
                    if not top:
                        rhs -= wind * (u[i, j, k + 1] - u[i, j, k])
                    by = 1 / (DTR - a - wind - c * a)
                    c, d = wind * by, (rhs - d * a) * by
                    cs[k], ds[k], a = c, d, -wind
                x = 0.0
                for k in range(levels - 1, -1, -1):
                    x = ds[k] - cs[k] * x
                    o[i, j, k] = DTR * (x - u_pos[i, j, k])
        return o
    return f


A_X, A_Y = -200 * 200 / 100, -200 * 200 / 200


def adi_step(u):
    def half(u, a, b):
        def down(s, d):
            under = a * s[0] + 1 - 2 * a
            s = -a / under, (d - a * s[1]) / under
            return s, s

        def up(x, row):
            x = row[0] * x + row[1]
            return x, x
        one = jnp.ones(198)
        d = (1 + 2 * b) * u[:, 1:-1] - b * (u[:, :-2] + u[:, 2:])
        return lax.scan(up, one, lax.scan(down, (0 * one, one), d)[1], reverse=True)[1]
    around = lambda x: jnp.pad(x.T, ((0, 0), (1, 1)), constant_values=1)
    return u.at[1:-1].set(around(half(around(half(u[1:-1], A_X, A_Y)), A_Y, A_X))),


def adi_sweep(u, a, b, p, q, v):
    """v's rows from u's: systems along axis 0; coefficients once a row, as all systems have the same"""
    n = u.shape[0]
    p[0] = 0
    for i in range(n):
        q[0, i] = v[0, i] = v[n - 1, i] = 1
    for j in range(1, n - 1):
        by = 1 / (a * p[j - 1] + 1 - 2 * a)
        p[j] = -a * by
        for i in range(1, n - 1):
            q[j, i] = ((1 + 2 * b) * u[j, i] - b * (u[j, i - 1] + u[j, i + 1]) - a * q[j - 1, i]) * by
    for j in range(n - 2, 0, -1):
        for i in range(1, n - 1):
            v[j, i] = p[j] * v[j + 1, i] + q[j, i]


def numba_adi():
    sweep = njit(adi_sweep)

    @njit
    def f(u):
        u, n = u.copy(), u.shape[0]
        p, q, v, w = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
        for _ in range(10):
            sweep(u, A_X, A_Y, p, q, v)
            v[:] = v.T.copy()
            sweep(v, A_Y, A_X, p, q, w)
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    u[i, j] = w[j, i]
                u[i, 0] = u[i, n - 1] = 1
        return u
    return f


def numpy_adi(u):
    def half(u, a, b):
        n = u.shape[0]
        p, q, v = np.zeros(n), np.ones((n, n - 2)), np.ones((n, n - 2))
        d = (1 + 2 * b) * u[:, 1:-1] - b * (u[:, :-2] + u[:, 2:])
        for j in range(1, n - 1):
            by = 1 / (a * p[j - 1] + 1 - 2 * a)
            p[j], q[j] = -a * by, (d[j] - a * q[j - 1]) * by
        for j in range(n - 2, 0, -1):
            v[j] = p[j] * v[j + 1] + q[j]
        return v
    u = u.copy()
    for _ in range(10):
        v = np.pad(half(u, A_X, A_Y)[1:-1].T, ((1, 1), (1, 1)), constant_values=1)
        u[1:-1] = np.pad(half(v, A_Y, A_X)[1:-1].T, ((0, 0), (1, 1)), constant_values=1)
    return u


def arc_distance(xp):
    def f(theta1, phi1, theta2, phi2):
        h = xp.sin((theta2 - theta1) / 2) ** 2 + xp.cos(theta1) * xp.cos(theta2) * xp.sin((phi2 - phi1) / 2) ** 2
        return 2 * xp.arctan2(xp.sqrt(h), xp.sqrt(1 - h))
    return f


def numba_arc_distance():
    @njit
    def f(theta1, phi1, theta2, phi2):
        o = np.empty_like(theta1)
        for i in range(o.size):
            s, r = np.sin((theta2[i] - theta1[i]) / 2), np.sin((phi2[i] - phi1[i]) / 2)
            h = s * s + np.cos(theta1[i]) * np.cos(theta2[i]) * r * r
            o[i] = 2 * np.arctan2(np.sqrt(h), np.sqrt(1 - h))
        return o
    return f


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def conv2d(x, weights, bias):
    return lax.conv_general_dilated(x, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias


def numpy_conv2d(x, weights, bias):
    return np.tensordot(sliding_window_view(x, (10, 10), (1, 2)), weights, ((4, 5, 3), (0, 1, 2))) + bias


def numba_conv2d():
    @njit
    def f(x, weights, bias):
        o = np.empty((8, 119, 119, 8), np.float32)
        for n in range(8):
            for i in range(119):
                for j in range(119):
                    s = bias.copy()
                    for k in range(10):
                        for l in range(10):
                            for c in range(3):
                                for d in range(8):
                                    s[d] += x[n, i + k, j + l, c] * weights[k, l, c, d]
                    o[n, i, j] = s
        return o
    return f


field = lambda: [f32(N, N)]
roll, roll_numpy = repeat(100, advect(jnp))[0], repeat(100, advect(np))[1]
pad, pad_numpy = repeat(100, average(jnp))[0], repeat(100, average(np))[1]

# as peers.py's; and what makes Numba's function
CASES = {
    "roll2d_512": (field, roll, roll_numpy, numba_advect),
    "pad_stencil_512": (field, pad, pad_numpy, numba_average),
    "slice_stencil_512": (field, laplacian9, laplacian9, numba_laplacian9),
    "concat_rope": (lambda: [f32(16, 1024, 64), f32(1024, 64), f32(1024, 64)], rope(jnp), rope(np)),
    "blur_sobel_512": (field, blur_sobel(jnp), blur_sobel(np)),
    "max_pool_720x1280": (lambda: [f32(720, 1280)], largest((3, 3), (1, 1), "SAME"), numpy_max_3x3),
    "max_pool_images": (lambda: [f32(8, 128, 128, 32)], largest((1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
                        lambda x: x.reshape(8, 64, 2, 64, 2, 32).max((2, 4))),
    "ravel_720x1280": (lambda: [f32(720, 1280)], lambda x: x.ravel() * np.float32(3), lambda x: x.ravel() * np.float32(3)),
    "fir_64k_64": (lambda: [f32(65536 + 63), f32(64)], fir, lambda x, taps: np.convolve(x, taps[::-1], "valid"), numba_fir),
    "image_blur": (lambda: [f32(720, 1280, 3)], image_blur(jnp), image_blur(np)),
    "image_blur5": (lambda: [f32(720, 1280, 3)], image_blur5(jnp), image_blur5(np)),
    "image_mean": (lambda: [u8(720, 1280, 3)], image_mean(jnp), image_mean(np)),
    "image_curve": (lambda: [u8(720, 1280, 3), u8(256)], lambda x, curve: curve[x], lambda x, curve: curve[x]),
    "image_gray": (lambda: [u8(720, 1280, 3)], image_gray(jnp), image_gray(np)),
    "image_brighter": (lambda: [u8(720, 1280, 3)], brighter(jnp), brighter(np)),
    "image_planes": (lambda: [u8(720, 1280, 4)], lambda x: x.transpose(2, 0, 1), lambda x: np.ascontiguousarray(x.transpose(2, 0, 1))),
    "image_half": (lambda: [u8(720, 1280, 4)], image_half(jnp), image_half(np)),
    "image_mirror": (lambda: [u8(720, 1280, 4)], lambda x: x[:, ::-1], lambda x: np.ascontiguousarray(x[:, ::-1])),
    "image_quarter": (lambda: [f32(720, 1280, 3)], lambda x: x.reshape(180, 4, 320, 4, 3).mean((1, 3)),
                     lambda x: x.reshape(180, 4, 320, 4, 3).mean((1, 3))),
    "image_resize": (lambda: [f32(90, 160, 3), f32(90, 180), f32(160, 320)],
                     lambda x, r, c: jnp.einsum("hH,hwc,wW->HWc", r, x, c, precision="highest"),
                     lambda x, r, c: np.einsum("hH,hwc,wW->HWc", r, x, c, optimize=True)),
    "image_smaller": (lambda: [f32(720, 1280, 3)], lambda x: jax.image.resize(x, (360, 640, 3), "linear", precision="highest"), None),
    "image_larger": (lambda: [f32(180, 320, 3)], lambda x: jax.image.resize(x, (720, 1280, 3), "cubic", precision="highest"), None),
    "image_mirror_3": (lambda: [u8(720, 1280, 3)], lambda x: x[:, ::-1], lambda x: np.ascontiguousarray(x[:, ::-1])),
    "image_turn": (lambda: [u8(720, 1280, 3)], jnp.rot90, lambda x: np.ascontiguousarray(np.rot90(x))),
    "image_turn_f32": (lambda: [f32(360, 640, 4)], jnp.rot90, lambda x: np.ascontiguousarray(np.rot90(x))),
    "image_blocks": (lambda: [f32(720, 1280, 3)], blocks, blocks),
    "eos": (sea, enthalpy_by_temperature(jnp), enthalpy_by_temperature(np), numba_eos),
    "hdiff": (lambda: [f64(260, 260, 160), f64(256, 256, 160)], hdiff(jnp), hdiff(np), numba_hdiff),
    "jacobi_1d": (lambda: [f64(32000), f64(32000)], repeat(100, line)[0], on_copies(repeat(100, line)[1]), numba_line),
    "heat_3d": (lambda: [f64(120, 120, 120), f64(120, 120, 120)], repeat(5, heat)[0], on_copies(repeat(5, heat)[1]), numba_heat),
    "fdtd_2d": (lambda: [f64(1000, 1200), f64(1000, 1200), f64(1000, 1200), f64(10)], fdtd_2d, numpy_fdtd_2d, numba_fdtd_2d),
    "vadv": (lambda: [f64(180, 180, 160), f64(180, 180, 160), 0.1 * f64(181, 180, 160), f64(180, 180, 160), f64(180, 180, 160)], vadv, numpy_vadv, numba_vadv),
    "adi": (lambda: [f64(200, 200)], repeat(10, adi_step)[0], numpy_adi, numba_adi),
    "arc_distance": (lambda: [f64(1000000) for _ in range(4)], arc_distance(jnp), arc_distance(np), numba_arc_distance),
    "softmax_32x8x256x256": (lambda: [f32(32, 8, 256, 256)], lambda x: jax.nn.softmax(x, -1), softmax),
    "conv2d": (lambda: [f32(8, 128, 128, 3), f32(10, 10, 3, 8), f32(8)], conv2d, numpy_conv2d, numba_conv2d),
}
