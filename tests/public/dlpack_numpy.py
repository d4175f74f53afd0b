"""dlpack_numpy.py LIBRARY: arrays between weft and NumPy by DLPack, as a binding would do it, through ctypes.
Ends with 77 where there is no NumPy that knows versioned tensors (2.1 and later)."""
import gc, sys, weakref

try:
    import numpy as np
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        raise ImportError
except ImportError:
    sys.exit(77)

from dlpack_door import Lent, take, weft_clear, weft_close, weft_error, weft_free, weft_neg, weft_open


def check_there_and_back(ctx, x):
    a = take(ctx, x)
    assert a, weft_error(ctx)
    y = np.from_dlpack(Lent(a))
    assert y.dtype == x.dtype and y.shape == x.shape and np.array_equal(x, y), (x, y)
    assert not x.size or not y.flags.writeable          # of an empty one NumPy makes an array of its own
    shares = x.size and x.flags.c_contiguous and x.flags.aligned
    assert not x.size or np.shares_memory(x, y) == bool(shares), (x.shape, x.strides)
    weft_free(a)
    assert np.array_equal(x, y)         # NumPy still has it


def check_all(ctx):
    types = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
    for t in types:
        x = np.arange(120).reshape(4, 5, 6).astype(t)
        views = [x, x[1], x[:, ::2], x[::-1], x.T, x[:, :, 3], np.broadcast_to(x[:, :1], x.shape), x[:0],
                 x[2, 3, 4, ...], np.asfortranarray(x)]
        for v in views:
            check_there_and_back(ctx, v)


def check_lifetimes(ctx):
    class Watched(np.ndarray):
        pass
    x = np.arange(1000.0).view(Watched)
    gone = weakref.ref(x)
    a = take(ctx, x)
    del x
    gc.collect()
    assert gone() is not None           # weft has it
    y = np.from_dlpack(Lent(weft_neg(a)))
    weft_free(a)
    gc.collect()
    assert gone() is None
    z = np.from_dlpack(Lent(weft_neg(take(ctx, y))))
    del y
    gc.collect()
    assert z[999] == 999


def check_errors(ctx):
    x = np.ones((1,) * 33)
    assert not take(ctx, x) and b"rank 33" in weft_error(ctx), weft_error(ctx)
    weft_clear(ctx)
    assert sys.getrefcount(x) == 2      # and it was given back


ctx = weft_open(None)
check_all(ctx)
check_lifetimes(ctx)
check_errors(ctx)
assert not weft_error(ctx), weft_error(ctx)
weft_close(ctx)
