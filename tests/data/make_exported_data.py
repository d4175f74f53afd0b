# Writes tests/data/exported/: what jax.export's serialize() gives of one function, for one platform, for several,
# and with a symbolic shape; and .npz files. Needs jax and flatbuffers; run in the top folder.
import jax, jax.export, jax.numpy as jnp, ml_dtypes, numpy as np

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

# Of these types NumPy writes only how many bytes they have; int4's -3 is 13. The doubles are test_dump.c's @narrow.
x, y = np.array([1, -2, 3.5, 0.25]), np.array([1.5, -0.5])
typed = lambda x, y, i: dict(x=x.astype(ml_dtypes.float8_e4m3fn), y=y.astype(ml_dtypes.float8_e5m2), i=np.array(i).astype(ml_dtypes.int4))
np.savez("tests/data/exported/narrow.npz", **typed(x, y, [1, -3, 7]))
np.savez("tests/data/exported/narrow_doubled.npz", *typed(2 * x, 2 * y, [2, -6, -2]).values())
