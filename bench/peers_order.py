"""The cases of cases_order.c in JAX and NumPy."""
import numpy as np
import jax.numpy as jnp
from jax import lax

rng = np.random.RandomState(0)
centred = lambda *s: np.asarray(rng.rand(*s) - 0.5, np.float32)
unit = lambda *s: np.asarray(rng.rand(*s), np.float32)
places = lambda: np.asarray(rng.randint(0, 10000, 1000000), np.int32)
near = lambda xp, x: xp.stack([x[k // 3:k // 3 + 720, k % 3:k % 3 + 1280] for k in range(9)], -1)
ramp = lambda: np.linspace(-2, 1, 1000000, dtype=np.float32)

CASES = {
    "sort_i32_1M": (lambda: [places()], jnp.sort, np.sort),
    "sort_rows_1000x100": (lambda: [centred(1000, 100)], jnp.sort, np.sort),
    "sort_rows_100x1000": (lambda: [centred(100, 1000)], jnp.sort, np.sort),
    "sort_rows_250000x4": (lambda: [centred(250000, 4)], jnp.sort, np.sort),
    "median_720x1280": (lambda: [centred(722, 1282)], lambda x: jnp.sort(near(jnp, x))[..., 4], lambda x: np.sort(near(np, x))[..., 4]),
    "argsort_1M": (lambda: [centred(1000000)], jnp.argsort, np.argsort),
    "top_10_1000x1000": (lambda: [centred(1000, 1000)], lambda x: lax.top_k(x, 10)[0], lambda x: -np.sort(np.partition(-x, 9)[:, :10])),
    "bincount_1M": (lambda: [places()], lambda x: jnp.bincount(x, length=10000), lambda x: np.bincount(x, minlength=10000)),
    "deposit_200k": (lambda: [unit(200000), unit(200000), unit(200000)], lambda x, y, w: jnp.zeros((1000, 2000), np.float32).at[(x * 1000).astype(int), (y * 2000).astype(int)].add(w), None),
    "histogram_1M": (lambda: [centred(1000000)], lambda x: jnp.histogram(x, 256, (-1, 1))[0], lambda x: np.histogram(x, 256, (-1, 1))[0]),
    "interp_1M": (lambda: [centred(1000000), np.linspace(-2, 1, 64, dtype=np.float32), centred(64)], jnp.interp, np.interp),
    "searchsorted_1M": (lambda: [ramp(), centred(1000000)], jnp.searchsorted, np.searchsorted),
}
