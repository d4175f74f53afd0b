"""Python functions that programs call: jax.pure_callback, io_callback, jax.debug.print and their like.

A program names a function by a number. It stands in a table for as long as there is a program with it; numbers
begin at random, so that a program that another process stored finds none.
"""
import atexit
import ctypes
import inspect
import itertools
import math
import random
import time
import traceback

import numpy as np

NAME = "weft_python"


class CustomCall(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("config", ctypes.c_char_p),
        ("n_in", ctypes.c_int),
        ("n_out", ctypes.c_int),
        ("in_type", ctypes.c_void_p),
        ("out_type", ctypes.c_void_p),
        ("inputs", ctypes.POINTER(ctypes.c_void_p)),
        ("outputs", ctypes.POINTER(ctypes.c_void_p)),
        ("user", ctypes.c_void_p),
        ("state", ctypes.c_void_p),
    ]


CustomFn = ctypes.CFUNCTYPE(
    ctypes.c_bool, ctypes.POINTER(CustomCall), ctypes.c_void_p, ctypes.c_size_t
)


class Place:
    """Of an array that a program gives or takes: of a random key, of its numbers."""

    def __init__(self, aval):
        from jax._src import core

        aval = core.physical_aval(aval)
        self.shape, self.dtype = aval.shape, np.dtype(aval.dtype)
        self.memory = ctypes.c_char * (math.prod(self.shape) * self.dtype.itemsize)

    def at(self, address):
        return np.ndarray(self.shape, self.dtype, self.memory.from_address(address))


class Callback:
    """A Python function of arrays, and the types of what it takes and gives."""

    def __init__(self, function, in_avals, out_avals):
        from jax._src import dtypes

        self.function, self.canonical = function, dtypes.canonicalize_value
        self.inputs = [Place(aval) for aval in in_avals]
        self.outputs = [Place(aval) for aval in out_avals]

    def run(self, inputs, outputs):
        results = self.function(*[place.at(inputs[i]).copy() for i, place in enumerate(self.inputs)])
        if len(results) != len(self.outputs):
            raise RuntimeError(
                "Mismatched number of outputs from callback. "
                f"Expected: {len(self.outputs)}, Actual: {len(results)}"
            )
        for i, (result, place) in enumerate(zip(results, self.outputs)):
            result = self.canonical(np.asarray(result))
            for what in "shape", "dtype":
                expected, actual = getattr(place, what), getattr(result, what)
                if actual != expected:
                    raise RuntimeError(
                        f"Incorrect output {what} for return value #{i}: Expected: {expected}, Actual: {actual}"
                    )
            place.at(outputs[i])[...] = result


numbers = itertools.count(random.SystemRandom().getrandbits(62))
known = {}


@CustomFn
def call(custom_call, error, room):
    try:
        c = custom_call.contents
        callback = known.get(int(c.config))
        if callback is None:
            raise RuntimeError("the program's Python function is not of this process, or is gone")
        callback.run(c.inputs, c.outputs)
        return True
    except BaseException as e:  # C has no other way to hear of it
        text = words(e, room - 1) + b"\0"
        ctypes.memmove(error, text, len(text))
        return False


def words(e, room):
    """What it says, and as much of the end of where it comes from as there is room for."""

    def readable(text):
        return text.strip().encode(errors="replace").replace(b"\0", b"?")

    def whole(text):  # without the characters of which a part was cut off
        return text.decode(errors="ignore").encode()

    what = whole(readable("".join(traceback.format_exception_only(e)))[: room // 2]) + b"\n"
    where = readable("".join(traceback.format_tb(e.__traceback__)))
    return what + whole(where[-(room - len(what)) :])


def forget():
    """Of functions that no program has any more."""
    config = ctypes.create_string_buffer(32)
    while plugin.weft_pjrt_forgotten(config, ctypes.c_size_t(len(config))):
        known.pop(int(config.value), None)


def wait():
    """Until no call needs Python: one that began before Python ended could not get in any more."""
    while plugin.weft_pjrt_calls_host():
        time.sleep(0.001)


def emit(mlir, ctx, function, token, operands, operand_avals, result_avals, has_side_effect, sharding=None, **more):
    """The call of a function; as JAX's emit_python_callback. There is one device: partitioned or not is the same."""
    forget()
    callback = Callback(function, operand_avals, result_avals)
    number = next(numbers)
    known[number] = callback
    tokens = [token] if token else []
    types = [mlir.ir.RankedTensorType.get(p.shape, mlir.dtype_to_ir_type(p.dtype)) for p in callback.outputs]
    op = mlir.custom_call(
        NAME,
        result_types=[t.type for t in tokens] + types,
        operands=tokens + list(operands),
        backend_config=str(number),
        has_side_effect=has_side_effect,
    )
    if sharding is not None:
        of_module = [ctx.module_context] if "ctx" in inspect.signature(mlir.set_sharding).parameters else []
        mlir.set_sharding(*of_module, op, with_token(sharding) if token and result_avals else sharding)  # ctx: since 0.10
    results = list(op.results)
    return results[len(tokens) :], results[0] if token else None, None


def with_token(sharding):
    """The sharding of results that a token stands before."""
    from jax._src.callback import SdyArray, SdyArrayList

    if not isinstance(sharding, SdyArrayList):
        return sharding
    token = SdyArray(mesh_shape=(), dim_shardings=(), logical_device_ids=sharding.shardings[0].logical_device_ids)
    return SdyArrayList((token, *sharding.shardings))


def register(mlir, library):
    """Lets programs of the plugin in that library call Python, and JAX know that they can."""
    import jax.interpreters.mlir as public
    from jax._src import callback

    global plugin
    plugin = ctypes.CDLL(library)
    plugin.weft_pjrt_forgotten.restype = ctypes.c_bool
    plugin.weft_pjrt_custom_call_on.restype = ctypes.c_bool
    plugin.weft_pjrt_calls_host.restype = ctypes.c_bool
    if not plugin.weft_pjrt_custom_call_on(NAME.encode(), call):
        raise MemoryError
    others = callback.emit_python_callback

    def emit_python_callback(ctx, *operands, **more):
        if tuple(ctx.module_context.platforms) == ("weft",):
            return emit(mlir, ctx, *operands, **more)
        return others(ctx, *operands, **more)

    atexit.register(wait)
    callback.emit_python_callback = public.emit_python_callback = emit_python_callback
