# Trains a small network on digits.csv with JAX, and exports it: exported.jax is what it computes for ONE image, as
# jax.export's serialize() writes it; exported.npz has its weights, 16 images, and what JAX makes of these.
# Needs jax and flatbuffers; run in this folder.
import jax, jax.export, jax.numpy as jnp, numpy as np

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")      # no paths of this machine


def logits(p, image):
    h = jax.nn.relu(image @ p["w1"] + p["b1"])
    return h @ p["w2"] + p["b2"]


def loss(p, images, labels):
    z = jax.vmap(logits, (None, 0))(p, images)
    return -jax.nn.log_softmax(z)[jnp.arange(len(labels)), labels].mean()


data = np.loadtxt("digits.csv", delimiter=",", dtype="f4")
images, labels = data[:, :-1] / 16, data[:, -1].astype("i4")
k1, k2 = jax.random.split(jax.random.key(0))
p = {"b1": jnp.zeros(24), "b2": jnp.zeros(10),
     "w1": jax.random.normal(k1, (64, 24)) / 8, "w2": jax.random.normal(k2, (24, 10)) / 5}
step = jax.jit(lambda p: jax.tree.map(lambda w, g: w - 0.5 * g, p, jax.grad(loss)(p, images[16:], labels[16:])))
for _ in range(400):
    p = step(p)

exported = jax.export.export(jax.jit(logits), platforms=["cpu"])(p, jax.ShapeDtypeStruct((64,), "float32"))
open("exported.jax", "wb").write(exported.serialize())
few, wanted = images[:16], jax.vmap(logits, (None, 0))(p, images[:16])
np.savez("exported.npz", images=few, labels=labels[:16], logits=wanted, **p)
print("loss", loss(p, few, labels[:16]), "right", (wanted.argmax(1) == labels[:16]).sum(), "of 16")
