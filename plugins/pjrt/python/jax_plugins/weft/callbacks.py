"""Python functions that programs call: jax.pure_callback, io_callback, jax.debug.print and their like.

A program names a function by a number. It stands in a table for as long as there is a program with it; numbers
begin at random, so that a program that another process stored finds none.
"""
import atexit
import ctypes
import itertools
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


class Callback:
    """A Python function of arrays, and the types of what it takes and gives."""

    def __init__(self, function, in_avals, out_avals):
        self.function = function
        self.inputs = [shape_and_type(aval) for aval in in_avals]
        self.outputs = [shape_and_type(aval) for aval in out_avals]

    def run(self, inputs, outputs):
        args = [view(inputs[i], *of).copy() for i, of in enumerate(self.inputs)]
        results = self.function(*args)
        if len(results) != len(self.outputs):
            raise RuntimeError(
                "Mismatched number of outputs from callback. "
                f"Expected: {len(self.outputs)}, Actual: {len(results)}"
            )
        for i, (result, (shape, dtype)) in enumerate(zip(results, self.outputs)):
            result = canonical(np.asarray(result))
            if result.shape != shape:
                raise RuntimeError(
                    f"Incorrect output shape for return value #{i}: Expected: {shape}, Actual: {result.shape}"
                )
            if result.dtype != dtype:
                raise RuntimeError(
                    f"Incorrect output dtype for return value #{i}: Expected: {dtype}, Actual: {result.dtype}"
                )
            view(outputs[i], shape, dtype)[...] = result


def shape_and_type(aval):
    """Of the array itself, which of a random key are its numbers."""
    from jax._src import core

    aval = core.physical_aval(aval)
    return aval.shape, np.dtype(aval.dtype)


def canonical(x):
    from jax._src import dtypes

    return dtypes.canonicalize_value(x)


def view(address, shape, dtype):
    count = int(np.prod(shape, dtype=np.int64))
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(memory, dtype, count).reshape(shape)


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
    types = [mlir.ir.RankedTensorType.get(shape, mlir.dtype_to_ir_type(dtype)) for shape, dtype in callback.outputs]
    op = mlir.custom_call(
        NAME,
        result_types=[t.type for t in tokens] + types,
        operands=tokens + list(operands),
        backend_config=str(number),
        has_side_effect=has_side_effect,
    )
    if sharding is not None:
        mlir.set_sharding(ctx.module_context, op, with_token(sharding) if token and result_avals else sharding)
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
