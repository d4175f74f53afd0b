"""Factors that JAX leaves to LAPACK on a CPU and that are no op of weft's: loops in JAX's own terms, which weft
compiles. Numbers and conventions are LAPACK's (sytrd, hetrd, geqp3)."""
import jax
import jax.numpy as jnp
from jax import lax


def _each(f, axes):
    """f of single arrays, whose first one has so many axes, of any number of them; whatever the user's program
    allows of types and ranks that differ."""

    def of_many(*args):
        g = f
        for _ in range(args[0].ndim - axes):
            g = jax.vmap(g)
        with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
            return g(*args)

    return of_many


def _reflection(x, at, below):
    """v, tau, beta with (I - tau v v^H)^H x = beta at `at`, 0 where `below` is; v is 1 there and 0 above."""
    real = jnp.finfo(x.dtype).dtype
    alpha, rest = x[at], jnp.where(below, x, 0)
    largest = jnp.max(jnp.abs(rest), initial=0)
    by = jnp.where(largest > 0, largest, 1).astype(real)
    size = by * jnp.sqrt(jnp.sum(jnp.abs(rest / by) ** 2))
    beta = -jnp.copysign(jnp.hypot(jnp.abs(alpha), size), alpha.real).astype(real)
    none = (size == 0) & (alpha.imag == 0)
    beta = jnp.where(none, alpha.real, beta)
    over = jnp.where(none, 1, beta)
    tau = jnp.where(none, 0, (over - alpha) / over)
    if jnp.iscomplexobj(x):
        tau = jnp.where(none, 0, lax.complex((over - alpha.real) / over, -alpha.imag / over))
    v = jnp.where(none, 0, rest / jnp.where(none, 1, alpha - beta))
    return v.at[at].set(1), tau.astype(x.dtype), beta


def _tridiagonal(a):
    """Of a Hermitian matrix, of which the lower triangle is read."""
    n = a.shape[0]
    row = jnp.arange(n)
    real = jnp.finfo(a.dtype).dtype
    low = jnp.tril(a, -1)
    full = low + low.T.conj() + jnp.diag(jnp.diagonal(a).real).astype(a.dtype)

    def step(i, state):
        full, out, e, taus = state
        v, tau, beta = _reflection(full[:, i], i + 1, row > i + 1)
        inside = jnp.where((row[:, None] > i) & (row[None, :] > i), full, 0)
        x = tau * (inside @ v)
        w = x - tau * jnp.vdot(x, v) * v / 2
        full = full - jnp.outer(v, w.conj()) - jnp.outer(w, v.conj())
        column = jnp.where(row == i + 1, beta.astype(a.dtype), v)
        out = out.at[:, i].set(jnp.where(row > i, column, out[:, i]))
        return full, out, e.at[i].set(beta), taus.at[i].set(tau)

    start = full, a, jnp.zeros(n - 1, real), jnp.zeros(n - 1, a.dtype)
    full, out, e, taus = lax.fori_loop(0, n - 1, step, start) if n > 1 else start
    d = jnp.diagonal(full).real
    return jnp.where(row[:, None] == row, d.astype(a.dtype), out), d, e, taus


def _tridiagonal_upper(a):
    """From the last column to the first: the same of all in reverse."""
    out, d, e, taus = _tridiagonal(a[::-1, ::-1])
    return out[::-1, ::-1], d[::-1], e[::-1], taus[::-1]


def tridiagonal(a, *, lower):
    return _each(_tridiagonal if lower else _tridiagonal_upper, 2)(a)


def _geqp3(a, given):
    """The column with most below row k is the next one; those that are given (not 0) stand in front."""
    m, n = a.shape
    rows, columns = jnp.arange(m), jnp.arange(n)
    order = jnp.argsort(given == 0, stable=True)
    fixed = jnp.sum(given != 0)
    by = jnp.max(jnp.abs(a), initial=0)
    by = jnp.where((by > 0) & (by < jnp.inf), by, 1)

    def step(k, state):
        a, order, taus = state
        rest = jnp.sum(jnp.abs(jnp.where(rows[:, None] >= k, a, 0) / by) ** 2, 0)
        best = jnp.argmax(jnp.where(columns >= k, rest, -1))
        pivot = jnp.where(k < fixed, k, best)
        places = jnp.where(columns == k, pivot, jnp.where(columns == pivot, k, columns))
        a, order = a[:, places], order[places]
        v, tau, beta = _reflection(a[:, k], k, rows > k)
        v = jnp.where(rows < k, 0, v)
        turned = a - jnp.outer(tau.conj() * v, v.conj() @ a)
        column = jnp.where(rows == k, beta.astype(a.dtype), jnp.where(rows > k, v, a[:, k]))
        a = jnp.where(columns > k, turned, jnp.where(columns == k, column[:, None], a))
        return a, order, taus.at[k].set(tau)

    start = a[:, order], order, jnp.zeros(min(m, n), a.dtype)
    a, order, taus = lax.fori_loop(0, min(m, n), step, start) if min(m, n) else start
    return a, (order + 1).astype(given.dtype), taus


def geqp3(a, given, *, use_magma):
    del use_magma
    return _each(_geqp3, 2)(a, given)
