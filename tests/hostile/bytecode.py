"""Makes the files of tests/hostile/bytecode: what jax.export and JAX's plugins send, in several versions of VHLO.

    python tests/hostile/bytecode.py        with jax 0.10.2
"""
import os

import jax
import jax.numpy as jnp
from jax import export, lax
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bytecode")


def gather(x, i):
    return jnp.take(x, i, axis=0) @ x.T


def loop(x):
    return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))


def scattered(x, i):
    return x.at[i].add(2.0), jnp.sort(x), jnp.pad(x[::-1], 1), lax.top_k(x, 2)


def bools(x):
    return jnp.where(jnp.array([True, False, True]), x, 0), jnp.array([True, True]), x > 1


def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "SAME"), lax.cond(x[0, 0] > 0, lambda a: a, lambda a: -a, x)


F, I = jnp.ones((4, 3)), jnp.arange(2)
PROGRAMS = {
    "gather": (gather, (F, I)),
    "loop": (loop, (F,)),
    "scattered": (scattered, (F[:, 0], I)),
    "bools": (bools, (F[0],)),
    "pooled": (pooled, (F,)),
    "random": (lambda k: jax.random.normal(k, (3,)), (jax.random.PRNGKey(0),)),
    "donated": (jax.jit(lambda x, y: x + y, donate_argnums=0), (F, F)),
}

for name, (f, args) in PROGRAMS.items():
    exported = export.export(f if hasattr(f, "lower") else jax.jit(f))(*args)
    with open(f"{HERE}/{name}.mlirbc", "wb") as to:
        to.write(exported.mlir_module_serialized)
for version in "0.9.0", "1.0.0", "1.13.7":
    with mlir.make_ir_context():
        module = str(jax.jit(gather).lower(F, I).compiler_ir())
        with open(f"{HERE}/gather_{version}.mlirbc", "wb") as to:
            to.write(hlo.serialize_portable_artifact_str(module, version))
