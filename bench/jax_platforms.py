"""A few calls through JAX on one platform: what docs/jax.md shows, in microseconds.

    env/bin/python bench/jax_platforms.py weft         or cpu; env has the wheel that ./dev wheel makes

For one thread: WEFT_THREADS=1, for the CPU XLA_FLAGS=--xla_cpu_multi_thread_eigen=false, both under taskset.
"""
import os
import statistics
import sys
import time

os.environ["JAX_PLATFORMS"] = sys.argv[1]
import jax
import jax.numpy as jnp
import numpy as np


def median_us(f, calls, rounds=9):
    f()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            f()
        times.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(times)


def measure(what, f, *args, calls):
    jitted = jax.jit(f)
    print(f"{what:40} {median_us(lambda: jax.block_until_ready(jitted(*args)), calls):12.1f}", flush=True)


def perceptron(layers, x):
    for w, b in layers:
        x = jnp.tanh(x @ w + b)
    return (x**2).mean()


def runge_kutta(y, _):
    return y + 0.1 * jnp.sin(y + 0.05 * jnp.sin(y)), None


key = jax.random.key(0)
host = np.random.rand(1024, 1024).astype(np.float32)
square = jnp.asarray(host)
layers = [(jax.random.normal(key, (64, 64)), jnp.zeros(64)) for _ in range(4)]
batch = jax.random.normal(key, (256, 64))
few, add_one = jnp.arange(16.0), jax.jit(lambda x: x + 1)

measure("a call on 16 floats", lambda x: x + 1, few, calls=2000)
measure("30 arrays in, 30 out", lambda *a: [x + 1 for x in a], *[jnp.arange(16.0) + i for i in range(30)], calls=300)
print(f"{'a call and np.asarray':40} {median_us(lambda: np.asarray(add_one(few)), 1000):12.1f}")
print(f"{'device_put of 4 MB':40} {median_us(lambda: jax.device_put(host).block_until_ready(), 20):12.1f}")
measure("one added to 1,048,576", lambda x: x + 1, square, calls=50)
measure("four layers of 64, with gradient", jax.value_and_grad(perceptron), layers, batch, calls=100)
measure("a scan of 1,000 steps on 1,000", lambda y: jax.lax.scan(runge_kutta, y, None, length=1000)[0], jnp.ones(1000), calls=5)
measure("mean of 1,000,000 normal deviates", lambda k: jax.random.normal(k, (1000000,)).mean(), key, calls=10)
measure("sort of 100,000", jnp.sort, jax.random.normal(key, (100000,)), calls=10)
measure("softmax of 1,024 rows of 1,024", lambda x: jax.nn.softmax(x, -1), square, calls=30)

lowered = jax.jit(jax.value_and_grad(lambda p, x: perceptron(p, x) + 1)).lower(layers, batch)
start = time.perf_counter()
lowered.compile()
print(f"{'compile of four layers, with gradient':40} {(time.perf_counter() - start) * 1e6:12.1f}")
