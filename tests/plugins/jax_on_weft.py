"""JAX on weft, against JAX on its own CPU and against what JAX promises, in half a minute: what ./dev test
runs of JAX. jax.sh finds a Python that has it; nothing is downloaded."""
import ctypes
import os
import queue
import subprocess
import sys
import textwrap
import threading
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import io_callback, topologies
from jax.experimental.layout import Format, Layout, with_layout_constraint
from jax.sharding import NamedSharding, PartitionSpec, SingleDeviceSharding

WEFT, CPU = jax.devices("weft")[0], jax.devices("cpu")[0]


def numbers(*shape, dtype=np.float32, seed=0):
    return (np.random.default_rng(seed).standard_normal(shape) * 3).astype(dtype)


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def newton(x):
    return lax.while_loop(lambda y: jnp.abs(y * y - x) > 1e-5, lambda y: (y + x / y) / 2, x)


def restored(t, z):
    return z @ t @ jnp.conj(z.T)


def off_left(a):
    w, left = lax.linalg.eig(a, compute_left_eigenvectors=True, compute_right_eigenvectors=False)
    return jnp.abs(left.conj().T @ a - w[:, None] * left.conj().T), jnp.abs(left).sum(0).sort()


def network(p, x):
    for w, b in p:
        x = jnp.tanh(x @ w + b)
    return (x**2).mean()


PARAMETERS = [(numbers(8, 8, seed=i) / 8, numbers(8, seed=9 + i)) for i in range(3)]
X, Y, POSITIVE = numbers(6, 8), numbers(6, 8, seed=1), np.abs(numbers(40)) + 0.1
INTS = np.random.default_rng(2).integers(-50, 50, (6, 8)).astype(np.int32)
KEY = np.array([0, 7], np.uint32)
MATH = jnp.exp, jnp.log, jnp.sqrt, jnp.tanh, jnp.sin, lax.lgamma, lax.erf
INVERSE = jnp.arcsin, jnp.arccos, jnp.arctanh, lax.erf_inv
RED, ROWS = (lambda f: (lambda x: f(x, axis=-1))), numbers(7, 33)

# What is called, and on what: alike on both platforms.
ALIKE = {
    "arithmetic": (lambda x, y: x * y - x / (1 + y**2), X, Y),
    "broadcast": (lambda x, y: x[:, None] + y[None], X, Y),
    "integers": (lambda i: (i // 7, i % 7, i >> 2, lax.population_count(i), jnp.sign(i)), INTS),
    "math": (lambda x: [f(x) for f in MATH], POSITIVE),
    "inverse": (lambda x: [f(jnp.tanh(x) * 0.9) for f in INVERSE], X),
    "halves": (lambda x: (x.astype(jnp.bfloat16) * 2).astype(jnp.float16) + 1, X),
    "doubles": (lambda x: jnp.float32(x) / 3, numbers(9, dtype=np.float64)),
    "select": (lambda x, y: jnp.where(x > y, x, jnp.clip(y, -1, 1)), X, Y),
    "sum": (RED(jnp.sum), ROWS),
    "deviation": (RED(jnp.std), ROWS),
    "extremes": (lambda x: (x.max(-1), x.argmin(-1), jnp.median(x), x.any()), ROWS),
    "prefixes": (lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0)), ROWS),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 3)), ROWS),
    "unique": (lambda i: jnp.unique(i, size=20, fill_value=0), INTS),
    "product": (lambda x, y: x @ y.T, X, Y),
    "einsum": (lambda x, y: jnp.einsum("ij,ik->jk", x, y), X, Y),
    "windows": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (1, 2), "SAME"), X),
    "shapes": (lambda x: jnp.concatenate([x.T.reshape(4, 12), jnp.pad(x, 1)[:4, :6]], 1)[::-1], X),
    "gather": (lambda x, i: x[i % 6, :3], X, INTS[0]),
    "scatter": (lambda x, i: x.at[i % 6].add(1.0).at[0, 1:3].set(7), X, INTS[0]),
    "slices": (lambda x, i: lax.dynamic_update_slice(x, x[:2] * 2, (i[0], i[1])), X, INTS[0]),
    "gradient": (jax.grad(rosenbrock), numbers(20)),
    "hessian": (jax.hessian(rosenbrock), numbers(6)),
    "network": (jax.value_and_grad(network), PARAMETERS, X),
    "vmap": (jax.vmap(newton), POSITIVE),
    "while": (newton, np.float32(7)),
    "scan": (lambda x: lax.scan(lambda c, r: (0.9 * c + r, jnp.sin(c)), jnp.zeros(8), x), X),
    "scan backwards": (jax.grad(lambda x: lax.scan(lambda c, r: (jnp.sin(c) + r, 0), x[0], x)[0].sum()), X),
    "cond": (lambda x, i: lax.cond(i[0] > 0, jnp.sin, jnp.cos, x), X, INTS[0]),
    "switch": (lambda x: [lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x) for i in range(3)], X),
    "fori": (lambda x: lax.fori_loop(0, 10, lambda i, y: 0.9 * y + jnp.sin(i + x), x), X),
    "random": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (100,)), KEY),
    "shuffle": (lambda k: jax.random.permutation(jax.random.wrap_key_data(k), 50), KEY),
    "softmax": (lambda x: jax.nn.log_softmax(jax.nn.gelu(x)), X),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), X),
    "custom jvp": (jax.grad(lambda x: jax.nn.relu(x).sum()), X),
    "nothing": (lambda x: (x, x[:0]), X),
    "interp": (lambda x, y: jnp.interp(x, jnp.sort(y), y), numbers(9), numbers(12)),
    "solve": (lambda x: (jnp.linalg.solve(x.T @ x + jnp.eye(8), x[0]), jnp.linalg.slogdet(x.T @ x + jnp.eye(8))), X),
    "factors": (lambda x: (jnp.linalg.cholesky(x @ x.T), jnp.linalg.qr(x), jnp.linalg.eigh(x @ x.T)[0], jnp.linalg.svdvals(x)), X),
    "forms": (lambda x: (*jax.scipy.linalg.hessenberg(x[:, :6], calc_q=True), restored(*lax.linalg.schur(x[:, :6])), restored(*lax.linalg.schur(x[:, :6] + 0j)).real), X),
    "forms by SciPy's LAPACK": (lambda x: [lax.linalg.schur(x[:n, :n] + i * x.T[:n, :n]) for n in (5, 100) for i in (0, 1j)], numbers(100, 100)),
    "eigenvalues": (lambda x: (jnp.sort(jnp.abs(jnp.linalg.eigvals(x[:, :6]))), jnp.abs(jnp.linalg.eig(x[:, :6])[1]).sum(0).sort()), X),
    "left eigenvectors": (lambda x: off_left(x[:, :6]), X),
    "tridiagonal": (lambda x: [lax.linalg.tridiagonal(x[:, :6] + 0j * x[0, 0], lower=low) for low in (True, False)], X),
    "tridiagonal systems": (lambda d, b: [lax.linalg.tridiagonal_solve(d[0], d[1].at[0].set(0), d[2], b.T, perturb_singular=p) for p in (False, True)], numbers(3, 8), X),
    "systems at once": (jax.vmap(lambda d, b: lax.linalg.tridiagonal_solve(d[0] + 1j, d[1], d[2], b)), numbers(5, 3, 8) + 0j, numbers(5, 8, 2) + 0j),
    "nothing to solve": (lambda d, b: (lax.linalg.tridiagonal_solve(d[0], d[0], d[0], b), lax.linalg.tridiagonal_solve(d[0, :0], d[0, :0], d[0, :0], b[:0])), numbers(1, 1), numbers(1, 2)),
    "reflections": (lambda x, y: [*jax.scipy.linalg.qr_multiply(x.T, y, "right"), *jax.scipy.linalg.qr_multiply(x.T + 1j, y, "left", conjugate=True)], X, Y),
    "pivoted": (lambda x: (*jax.scipy.linalg.qr(x, pivoting=True), *jax.scipy.linalg.qr(x.T + 1j, pivoting=True)), X),
    "gradient of eigenvalues": (jax.grad(lambda x: jnp.linalg.eigh(x @ x.T)[0].max()), X),
    "segments": (lambda x, i: jax.ops.segment_sum(x.ravel(), i.ravel() % 5, 5), X, INTS),
}


class Alike(unittest.TestCase):
    """Each of ALIKE, jitted."""


def alike(f, args):
    def test(self):
        ours, theirs = (jax.jit(f)(*jax.device_put(args, d)) for d in (WEFT, CPU))
        for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
            self.assertEqual((a.dtype, a.shape, a.devices()), (b.dtype, b.shape, {WEFT}))
            # A second derivative of four terms in f32 has lost this much on either side.
            wide = np.complex128 if np.iscomplexobj(b) else np.float64
            a, b = np.asarray(a, wide), np.asarray(b, wide)
            np.testing.assert_allclose(a, b, rtol=3e-4, atol=3e-5)

    return test


LATER = ("reflections", "tridiagonal systems") if jax.__version_info__ < (0, 10) else ()  # what 0.9 has no words for
for name, (f, *args) in ALIKE.items():
    if name not in LATER:
        setattr(Alike, "test " + name, alike(f, args))


class Platform(unittest.TestCase):
    def test_default(self):
        self.assertEqual(jnp.zeros(3).devices(), {WEFT})
        self.assertIn("weft", WEFT.client.platform_version)

    def test_to_and_fro(self):
        for dtype in "bool int8 uint8 int16 uint16 int32 uint32 float16 bfloat16 float32".split():
            x = np.asarray(numbers(3, 4), dtype=jnp.dtype(dtype))
            for view in (x, x.T, x[:, ::2]):
                np.testing.assert_array_equal(np.asarray(jax.device_put(view, WEFT)), view)

    def test_results_are_not_copied(self):
        x = jax.jit(lambda x: x + 1)(jnp.zeros(1000))
        self.assertEqual(np.asarray(x).ctypes.data, x.unsafe_buffer_pointer())

    def test_donated(self):
        f = jax.jit(lambda x: x * 2, donate_argnums=0)
        x = jnp.ones(1000).block_until_ready()
        at = x.unsafe_buffer_pointer()
        y = f(x)
        self.assertTrue(x.is_deleted())
        self.assertEqual(y.unsafe_buffer_pointer(), at)
        z = jnp.ones(3)
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "argument 0 is donated, and"):
            jax.jit(lambda a, b: a + b, donate_argnums=0)(z, z).block_until_ready()

    def test_masked(self):
        """What a mask leaves out may be inf or NaN: XLA makes a choice of a product with a mask, of a broadcast one not."""
        x = np.array([np.inf, np.nan, -2, 3], np.float32)
        np.testing.assert_array_equal(jax.jit(lambda x: x * (x < 5))(x), [0, 0, -2, 3])
        np.testing.assert_array_equal(jax.jit(lambda x, m: x * m[:, None])(x[None], np.array([False])), [[np.nan, np.nan, 0, 0]])

    def test_calls_in_order(self):
        f = jax.jit(lambda x: lax.fori_loop(0, 2000, lambda i, y: y * 0.999 + 1, x), donate_argnums=0)
        x, y = jnp.zeros(500), np.zeros(500, np.float32)
        for _ in range(40):
            x = f(x)
        g = jax.jit(lambda x: x.sum())(x)
        self.assertAlmostEqual(float(g) / 500, 1000, delta=0.2)

    def test_threads(self):
        f, failed = jax.jit(lambda x: jnp.sin(x).sum()), []

        def work(seed):
            for i in range(20):
                x = numbers(100 + i, seed=seed)
                if abs(float(f(jax.device_put(x, WEFT))) - np.sin(x).sum()) > 1e-3:
                    failed.append((seed, i))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])

    def test_memories(self):
        kinds = ["device", "pinned_host", "unpinned_host"]
        self.assertEqual([m.kind for m in WEFT.addressable_memories()], kinds)
        self.assertEqual(WEFT.default_memory().kind, "device")
        value = numbers(3, 4)
        x = jax.device_put(value, WEFT)
        self.assertEqual(x.sharding.memory_kind, "device")

        def check(y, kind, times=1):
            self.assertEqual((y.devices(), y.sharding.memory_kind), ({WEFT}, kind))
            np.testing.assert_array_equal(y, times * value)

        for kind in kinds:
            there = SingleDeviceSharding(WEFT, memory_kind=kind)
            check(jax.device_put(x, there), kind)
            y = jax.device_put(value, there)
            check(y, kind)
            check(jax.device_put(y, SingleDeviceSharding(WEFT)), "device")
            check(jax.jit(lambda x: x * 2, out_shardings=there)(x), kind, 2)
            check(jax.jit(lambda x: x * 2, in_shardings=there, out_shardings=there, donate_argnums=0)(y), kind, 2)
            self.assertTrue(y.is_deleted())
        for space, kind in (jax.memory.Space.Host, "pinned_host"), (jax.memory.Space.Device, "device"):
            check(jax.device_put(x, space), kind)
            check(jax.jit(lambda x: jax.device_put(x * 2, space))(x), kind, 2)
            check(jax.jit(lambda x: jax.device_put(x, space) * 2)(x), kind, 2)
            check(jax.jit(lambda x: jax.device_put(x, jax.memory.Space.Device) * 2)(jax.device_put(x, space)), "device", 2)
        compiled = jax.jit(lambda x: (x, x), out_shardings=(SingleDeviceSharding(WEFT), there)).lower(x).compile()
        self.assertEqual([s.memory_kind for s in compiled.output_shardings], ["device", "unpinned_host"])

    def test_offloaded(self):
        def f(x):
            y = checkpoint_name(jnp.sin(x), "y")
            return jnp.sum(jnp.cos(y) * y)

        policy = jax.checkpoint_policies.save_and_offload_only_these_names(
            names_which_can_be_saved=[], names_which_can_be_offloaded=["y"], offload_src="device", offload_dst="pinned_host")
        x = jax.device_put(numbers(20), WEFT)
        np.testing.assert_allclose(jax.jit(jax.grad(jax.checkpoint(f, policy=policy)))(x), jax.grad(f)(x), rtol=1e-5, atol=1e-6)

    def test_layouts(self):
        x, here = jax.device_put(numbers(2, 3, 4), WEFT), SingleDeviceSharding(WEFT)
        rows, auto = Format(Layout((0, 1, 2)), here), Format(Layout.AUTO, here)

        def orders(formats):
            return [f.layout.major_to_minor for f in jax.tree.leaves(formats)]

        def twice(x):
            return x * 2, x.sum(), x[0]

        self.assertEqual(orders(x.format), [(0, 1, 2)])
        for f in (jax.jit(twice), jax.jit(twice, in_shardings=auto, out_shardings=auto),
                  jax.jit(twice, in_shardings=rows, out_shardings=(rows, here, here))):
            compiled = f.lower(jax.ShapeDtypeStruct(x.shape, x.dtype)).compile()
            self.assertEqual(orders(compiled.input_formats), [(0, 1, 2)])
            self.assertEqual(orders(compiled.output_formats), [(0, 1, 2), (), (0, 1)])
            np.testing.assert_array_equal(compiled(x)[0], 2 * np.asarray(x))
        np.testing.assert_array_equal(jax.device_put(x, rows), x)

    def test_other_layouts(self):
        value, here = numbers(2, 3, 4), SingleDeviceSharding(WEFT)

        def format(*order):
            return Format(Layout(order), here)

        def check(y, value, order):
            self.assertEqual(y.format.layout.major_to_minor, order)
            np.testing.assert_array_equal(y, value)
            lies = np.ascontiguousarray(np.transpose(value, order)).tobytes()
            self.assertEqual(ctypes.string_at(y.unsafe_buffer_pointer(), len(lies)), lies)

        f = jax.jit(lambda x: x * 2)
        for order in (0, 1, 2), (2, 1, 0), (2, 0, 1), (0, 2, 1):
            for host in value, np.asfortranarray(value), jax.device_put(value, WEFT):
                x = jax.device_put(host, format(*order))
                check(x, value, order)
            check(f(x), 2 * value, (0, 1, 2))  # one function, arguments that lie otherwise
            check(x[0], value[0], (0, 1))
            check(jax.jit(lambda x: x + 1, in_shardings=format(*order), out_shardings=format(1, 0, 2))(x), value + 1, (1, 0, 2))
            check(jax.jit(lambda x: x, out_shardings=format(*order))(x), value, order)
            check(jax.device_put(x, format(1, 2, 0)), value, (1, 2, 0))
            check(jax.device_put(x, SingleDeviceSharding(WEFT, memory_kind="pinned_host")), value, order)
            check(jax.jit(jax.grad(lambda x: (x @ x[0].T).sum()))(x), np.asarray(jax.grad(lambda x: (x @ x[0].T).sum())(value)), (0, 1, 2))
            for other in format(*order), format(1, 2, 0), here:  # over the argument's memory, or not
                y = jax.device_put(value, format(*order))
                z = jax.jit(lambda x: x + 1, donate_argnums=0, out_shardings=other)(y)
                self.assertTrue(y.is_deleted())
                np.testing.assert_array_equal(z, value + 1)
            np.testing.assert_array_equal(np.asarray(x.copy()), value)
        few = jax.device_put(jnp.arange(-3, 3, dtype=jnp.int4).reshape(2, 3), format(1, 0))
        np.testing.assert_array_equal(few, np.arange(-3, 3).reshape(2, 3))
        self.assertEqual(few.format.layout.major_to_minor, (1, 0))
        check(jax.device_put(np.ones((3, 1), np.float32), format(1, 0)), np.ones((3, 1), np.float32), (1, 0))
        turned = jax.jit(lambda x: with_layout_constraint(x, Layout((2, 1, 0))) + 1)
        np.testing.assert_array_equal(turned(value), value + 1)

    def test_layouts_of_compiled(self):
        here, columns = SingleDeviceSharding(WEFT), Format(Layout((2, 1, 0)), SingleDeviceSharding(WEFT))
        x = jax.device_put(numbers(2, 3, 4), WEFT)
        compiled = jax.jit(lambda x: x + 1, in_shardings=columns, out_shardings=Format(Layout((1, 2, 0)), here)).lower(
            jax.ShapeDtypeStruct(x.shape, x.dtype)).compile()
        self.assertEqual(compiled.input_formats[0][0].layout.major_to_minor, (2, 1, 0))
        self.assertEqual(compiled.output_formats.layout.major_to_minor, (1, 2, 0))
        for y in compiled(jax.device_put(x, columns)), compiled(np.asarray(x)):
            np.testing.assert_array_equal(y, x + 1)
        with self.assertRaisesRegex(ValueError, "disagree with the layouts"):
            compiled(x)
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "not supported: result 0 in layout .*T"):
            jax.device_put(x, Format(Layout((0, 1, 2), ((2, 2),)), here))

    def test_topology(self):
        from jax.experimental.serialize_executable import deserialize_and_load, serialize

        topology = topologies.get_topology_desc(platform="weft")
        device = topology.devices[0]
        self.assertEqual([m.kind for m in device.addressable_memories()], ["device", "pinned_host", "unpinned_host"])
        self.assertEqual(device.default_memory().kind, "device")
        one = NamedSharding(topologies.make_mesh(topology, (1,), ("x",)), PartitionSpec())
        f = jax.jit(lambda x: jnp.exp(x) * 2, in_shardings=one, out_shardings=one)
        compiled = f.lower(jax.ShapeDtypeStruct((5,), np.float32)).compile()
        self.assertEqual(compiled.cost_analysis()["transcendentals"], 5)
        self.assertEqual(compiled.output_formats.layout.major_to_minor, (0,))
        pinned = jax.jit(lambda x: x + 1, out_shardings=one.with_memory_kind("pinned_host"))
        pinned = pinned.lower(jax.ShapeDtypeStruct((5,), np.float32, sharding=one)).compile()
        self.assertEqual(pinned.output_shardings.memory_kind, "pinned_host")
        x = numbers(5)
        np.testing.assert_allclose(deserialize_and_load(*serialize(compiled), backend="weft")(x), 2 * np.exp(x), rtol=1e-6)
        for wrong, says in ((("8x8",), {}), "no topology 8x8"), (((), {"chips": 2}), "no option chips"):
            with self.assertRaisesRegex(jax.errors.JaxRuntimeError, says):
                topologies.get_topology_desc(*wrong[0], platform="weft", **wrong[1])

    def test_not_supported(self):
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "No such compile option: 'no'"):
            jax.jit(lambda x: x + 1, compiler_options={"no": "1"})(jnp.zeros(3))

    def test_options_of_xla(self):
        text, count, flag = "xla_dump_to", "xla_dump_max_hlo_modules", "xla_embed_ir_in_executable"
        add = jax.jit(lambda x: x + 1).lower(1.0)
        for name, value in ((text, "/tmp"), (count, 2), (count, "-2"), (count, " +3\n"), (flag, True), (flag, "False"), ("xla_other", 0.5)):
            add.compile(compiler_options={name: value})
        bad = (text, 1, "string"), (count, "2.0", "int32"), (count, "", "int32"), (count, 2.5, "int32"), (flag, "1", "bool")
        for name, value, kind in (*bad, (count, "99999999999", "int32"), (count, 1 << 40, "int32"), (flag, 2, "bool"), (flag, "true", "bool")):
            with self.assertRaisesRegex(jax.errors.JaxRuntimeError, f"While setting option {name}, .* is not a valid {kind} value."):
                add.compile(compiler_options={name: value})

    def test_factors_far_from_one(self):
        """SciPy's geev leaves eigenvalues scaled, on JAX's own CPU too, and its getrf columns below tiny pivots undivided."""
        a = numbers(40, 40)
        for i in 0, 1j:
            near = a + i * a.T
            for far in 1e-30, 1e30:
                w, v = jnp.linalg.eig(near * np.float32(far))
                np.testing.assert_allclose(near @ v, w / np.float32(far) * v, atol=1e-3)
            p, l, u = jax.scipy.linalg.lu(near * np.float32(1e-39))
            np.testing.assert_allclose(p @ l @ (np.asarray(u) * np.float64(1e39)), near, atol=1e-3)

    def test_one_device(self):
        x = np.arange(4.0, dtype="f")[None]
        spread = jax.pmap(lambda x: lax.psum(x, "i") + lax.all_gather(x, "i")[0] + lax.axis_index("i"), axis_name="i")
        np.testing.assert_array_equal(spread(x), 2 * x)
        for pairs, times in ([(0, 0)], 1), ([], 0):
            sent = jax.pmap(lambda x: lax.ppermute(x, "i", pairs), axis_name="i")
            np.testing.assert_array_equal(sent(x), times * x)

    def test_few_bits(self):
        for t in "int2 int4 uint4 float8_e4m3fn float8_e5m2 float8_e3m4 float8_e4m3b11fnuz float4_e2m1fn".split():
            x = np.arange(-3, 4).astype(t) if t[0] != "u" else np.arange(7).astype(t)
            on_weft = jax.device_put(x, WEFT)
            np.testing.assert_array_equal(np.asarray(on_weft), x)
            y = jax.jit(lambda x: (x + x, x[::-1], x.astype("float32") * 2))(on_weft)
            self.assertEqual(y[0].dtype, x.dtype)
            np.testing.assert_array_equal(np.asarray(y[0]).astype("f"), (x.astype("f") * 2).astype("i4" if t[-4:-1] == "int" else t).astype(t).astype("f"))
            np.testing.assert_array_equal(np.asarray(y[1]), x[::-1])
            np.testing.assert_array_equal(y[2], x.astype("f") * 2)

    def test_callbacks(self):
        """Python functions in programs: with results, for what they do, in order, in loops and branches."""
        seen = []

        def note(*x):
            seen.append(tuple(np.asarray(v).item() for v in x))

        def steps(x):
            def step(i, c):
                jax.debug.callback(note, i, c, ordered=True)
                return c * 2

            y = lax.fori_loop(0, 3, step, x)
            return lax.cond(y > 4, lambda v: (jax.debug.callback(note, v, ordered=True), v)[1], lambda v: v, y)

        for x, big in (1, [(8,)]), (0.5, []):
            seen.clear()
            self.assertEqual(jax.jit(steps)(np.float32(x)), 8 * x)
            jax.effects_barrier()
            self.assertEqual(seen, [(i, x * 2**i) for i in range(3)] + big)
        seen.clear()
        jax.jit(lambda x: jax.debug.callback(note, x))(2)  # no result
        jax.effects_barrier()
        self.assertEqual(seen, [(2,)])

        def sine(x):
            return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")

        x = numbers(5)
        for f in sine, jax.vmap(sine), lambda x: lax.map(sine, x):
            np.testing.assert_array_equal(jax.jit(f)(x), np.sin(x))
        for t in "bool int8 uint16 float16 bfloat16 complex64 int4 float8_e4m3fn float4_e2m1fn".split():
            given = jax.device_put(np.arange(3).astype(t), WEFT)
            taken = jax.jit(lambda x: jax.pure_callback(lambda x: np.asarray(x)[::-1], x, x))(given)
            np.testing.assert_array_equal(np.asarray(taken), np.asarray(given)[::-1])

    def test_callback_fails(self):
        def fails(x):
            raise ValueError("not today")

        def often(x):
            return lax.while_loop(lambda c: c > 0, lambda c: jax.pure_callback(fails, c, c) + 1, x)

        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "(?s)ValueError: not today.*raise ValueError"):
            jax.jit(often)(np.float32(1)).block_until_ready()

    def test_callback_fails_with_many_words(self):
        for more in range(4):

            def fails(x):
                raise ValueError("a" * more + "\0é" * 600)

            with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "ValueError: a*\\?é"):
                jax.jit(lambda x: jax.pure_callback(fails, x, x))(np.float32(1)).block_until_ready()

    def test_callback_waits(self):
        """For what another thread computes meanwhile, and the same one later."""
        given = queue.Queue()
        make = jax.jit(lambda i: jnp.sin(i) + jnp.ones((300, 300)) @ jnp.ones((300, 300)))

        def give():
            for i in range(3):
                given.put(np.asarray(make(np.float32(i))))

        def take(total, _):
            x = io_callback(given.get, jax.ShapeDtypeStruct((300, 300), np.float32), ordered=True)
            return total + x[0, 0], None

        train = jax.jit(lambda x: lax.scan(take, x, length=3)[0])
        for in_thread in True, False:
            total = train(np.float32(0))
            if in_thread:
                threading.Thread(target=give).start()
            else:
                give()
            np.testing.assert_allclose(total, 900 + np.sin([0, 1, 2]).sum(), rtol=1e-6)

    def test_callback_reads_what_is_donated(self):
        """To a later call, which does not write over it before."""
        may = threading.Event()
        late = jax.jit(lambda x: jax.pure_callback(lambda x: (may.wait(), x)[1], x, x) * 0 + x)
        for _ in range(5):
            x = jax.device_put(numbers(1000), WEFT)
            y = late(x)
            z = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
            may.set()
            np.testing.assert_array_equal(z, numbers(1000) + 1)
            np.testing.assert_array_equal(y, numbers(1000))
            may.clear()

    def test_move_does_not_wait(self):
        """For what computes the array: a function that waits for what comes after the move."""
        may = threading.Event()
        rescue = threading.Timer(30, may.set)
        rescue.start()
        x = jax.device_put(numbers(1000), WEFT)
        y = jax.jit(lambda x: jax.pure_callback(lambda x: (may.wait(), np.asarray(x) + 1)[1], x, x))(x)
        z = jax.device_put(y, SingleDeviceSharding(WEFT, memory_kind="pinned_host"))
        self.assertFalse(may.is_set())
        rescue.cancel()
        may.set()
        np.testing.assert_array_equal(z, numbers(1000) + 1)

    def test_callback_at_the_end(self):
        """Of the process, which waits for calls that nobody looked at."""
        done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
            import jax, jax.numpy as jnp
            f = jax.jit(lambda x: jax.pure_callback(lambda v: (print("called"), v)[1], x, x @ x))
            f(jnp.eye(500))
            """)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "called\n"), done.stderr)

    def test_tokens(self):
        """They come out of programs and go into others, and are no arrays; what is ordered by them stays so."""
        seen = []

        def note(x):
            seen.append(x.item())
            return x

        @jax.jit
        def step(token, x):
            x = io_callback(note, x, x, ordered=True)
            jax.debug.callback(note, x + 0.5, ordered=True)
            return token, x + 1

        token, x = lax.create_token(), np.float32(0)
        for _ in range(4):
            token, x = step(token, x)
            with self.assertRaisesRegex(RuntimeError, "token-shape buffer"):
                np.asarray(token._buf)
        token.block_until_ready()
        np.testing.assert_array_equal(lax.scan(lambda c, _: (step(token, c)[1], None), x, length=4)[0], 8)
        jax.effects_barrier()
        self.assertEqual(seen, list(np.arange(0, 8, 0.5)))
        done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
            import jax
            f = jax.jit(lambda i: jax.debug.print("{i}", i=i, ordered=True))
            for i in range(20): f(i)
            jax.effects_barrier()
            """)], capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), [str(i) for i in range(20)], done.stderr)

    def test_callback_of_a_key(self):
        seen = []
        jax.jit(lambda k: jax.debug.callback(seen.append, k))(jax.random.key(5))
        jax.effects_barrier()
        np.testing.assert_array_equal(jax.random.key_data(seen[0]) if seen[0].ndim == 0 else seen[0], [0, 5])

    def test_rules_that_come_later(self):
        """With a module that is imported when JAX has its platforms."""
        jax.devices()
        from jax.experimental.sparse.linalg import spsolve

        a = np.diag(numbers(4) + 3) + np.eye(4, k=1, dtype="f")
        rows = np.array([0, 2, 4, 6, 7], "i4")
        solve = jax.jit(lambda data, b: spsolve(data, np.nonzero(a)[1].astype("i4"), rows, b))
        b = numbers(4, seed=1)
        np.testing.assert_allclose(solve(a[a != 0], b), np.linalg.solve(a, b), rtol=1e-5)

    def test_callbacks_go(self):
        """A function is kept for as long as a program has it; a call that waits has its program."""
        from jax_plugins.weft import callbacks

        before = len(callbacks.known)
        for i in range(20):
            x = np.full(1000, i, "f")
            big = jax.jit(lambda x: jnp.sort(jax.pure_callback(lambda x: x + 1, x, jnp.cumsum(x))))(x)
            np.testing.assert_allclose(big, np.cumsum(x) + 1)
            jax.clear_caches()
        self.assertLess(len(callbacks.known), before + 10)

    def test_weft_in_a_callback(self):
        def inside(x):
            return np.asarray(jnp.exp(jax.device_put(np.asarray(x), WEFT)))

        x = numbers(1000)
        y = jax.jit(lambda x: jax.pure_callback(inside, x, jnp.sort(x)))(jax.device_put(x, WEFT))
        np.testing.assert_allclose(y, np.exp(np.sort(x)), rtol=1e-6)

    def test_figures(self):
        x, y = np.zeros((8, 16), "f"), np.zeros((16, 4), "f")
        lowered = jax.jit(lambda x, y: jnp.exp(x @ y)).lower(x, y)
        compiled = lowered.compile()
        memory = compiled.memory_analysis()
        for cost in compiled.cost_analysis(), lowered.cost_analysis():
            self.assertEqual((cost["flops"], cost["transcendentals"]), (2 * 8 * 16 * 4, 32))
        self.assertEqual((memory.argument_size_in_bytes, memory.output_size_in_bytes), (4 * 192, 4 * 32))
        before = WEFT.memory_stats()["bytes_in_use"]
        held = jnp.zeros(1 << 20).block_until_ready()
        self.assertGreaterEqual(WEFT.memory_stats()["bytes_in_use"], before + held.nbytes)

    def test_figures_without_a_cpu(self):
        done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
            import jax, jax.numpy as jnp
            print(jax.default_backend(), jax.jit(lambda x: x @ x).lower(jnp.zeros((4, 4))).cost_analysis()["flops"])
        """)], env={**os.environ, "JAX_PLATFORMS": "weft"}, capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), ("weft 128.0\n", 0), done.stderr)

    def test_branch_for_a_cpu(self):
        branches = {"cpu": jnp.sin, "tpu": jnp.cos}
        for own, gives in ({}, np.sin), ({"weft": jnp.exp}, np.exp), ({"default": jnp.exp}, np.exp):
            both = jax.vmap(lambda x: lax.platform_dependent(x, **branches, **own))
            for call in both, jax.jit(both):
                np.testing.assert_allclose(call(jax.device_put(X, WEFT)), gives(X), rtol=1e-5)

    def test_text(self):
        compiled = jax.jit(lambda key: jax.random.bits(key, (3,)) + 1).lower(jax.random.key(0)).compile()
        self.assertRegex(compiled.as_text(), r"(?s)HloModule .*ROOT .* = u32\[3\]\S* add\(")

    def test_stored(self):
        from jax.experimental.serialize_executable import deserialize_and_load, serialize

        compiled = jax.jit(lambda x: jnp.cumsum(x) * 2).lower(np.zeros(9, "f")).compile()
        again = deserialize_and_load(*serialize(compiled), backend="weft")
        x = jax.device_put(numbers(9), WEFT)
        np.testing.assert_array_equal(again(x), compiled(x))

    def test_exported(self):
        exported = jax.export.export(jax.jit(newton), platforms=["cpu", "weft"])(np.float32(2))
        self.assertAlmostEqual(float(exported.call(jax.device_put(np.float32(2), WEFT))), 2**0.5, places=5)


if __name__ == "__main__":
    unittest.main()
