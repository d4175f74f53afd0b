# Writes tests/data/exported/: what jax.export's serialize() gives of one function, for one platform, for several,
# and with a symbolic shape; and .npz files. Needs jax and flatbuffers; run in the top folder.
import jax, jax.export, jax.numpy as jnp, numpy as np

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")      # no paths of this machine


def affine(p, unused, x):
    return jnp.tanh(x @ p["w"] + p["b"]), x.sum()


def type_of(*shape, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype)


p = {"w": type_of(3, 2), "b": type_of(2)}
for name, platforms in ("cpu", ["cpu"]), ("several", ["cuda", "cpu", "tpu"]):
    e = jax.export.export(jax.jit(affine), platforms=platforms)(p, type_of(5, dtype="int32"), type_of(4, 3))
    open(f"tests/data/exported/{name}.jax", "wb").write(e.serialize())
e = jax.export.export(jax.jit(jnp.sin))(type_of(*jax.export.symbolic_shape("n")))
open("tests/data/exported/symbolic.jax", "wb").write(e.serialize())

a, b, c = np.arange(6, dtype="f4").reshape(2, 3), np.int64(7), np.asfortranarray(np.eye(2, dtype=bool))
np.savez("tests/data/exported/three.npz", a=a, b=b, c=c)
np.savez_compressed("tests/data/exported/compressed.npz", a=np.zeros(100))
