"""dlpack_torch.py LIBRARY: tensors between weft and PyTorch by DLPack. Ends with 77 where there is no PyTorch that knows
versioned tensors (2.9 and later)."""
import gc, sys, weakref

try:
    import torch
    torch.zeros(1).__dlpack__(max_version=(1, 0))
except (ImportError, TypeError):
    sys.exit(77)

from dlpack_door import Lent, take, weft_clear, weft_close, weft_error, weft_free, weft_neg, weft_open


def check_there_and_back(ctx, x):
    a = take(ctx, x)
    assert a, weft_error(ctx)
    y = torch.from_dlpack(Lent(a))
    assert y.dtype == x.dtype and y.shape == x.shape and torch.equal(x, y), (x, y)
    shares = x.numel() and x.is_contiguous()
    assert not x.numel() or (x.data_ptr() == y.data_ptr()) == bool(shares), (x.shape, x.stride())
    weft_free(a)
    assert torch.equal(x, y)            # PyTorch still has it


def check_all(ctx):
    types = (torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float16, torch.bfloat16,
             torch.float32, torch.float64)
    for t in types:
        x = torch.arange(120).reshape(4, 5, 6).to(t)
        for v in x, x[1], x[:, ::2], x.permute(2, 0, 1), x[:, :, 3], x[:, :1].expand(4, 5, 6), x[:0], x[2, 3, 4]:
            check_there_and_back(ctx, v)


def check_lifetimes(ctx):
    x = torch.arange(1000.0)
    gone = weakref.ref(x.untyped_storage())
    a = take(ctx, x)
    y = torch.from_dlpack(Lent(weft_neg(a)))
    x += 1                              # one memory: weft sees it
    z = torch.from_dlpack(Lent(weft_neg(a)))
    assert y[999] == -999 and z[999] == -1000
    weft_free(a)
    del x
    gc.collect()
    assert gone() is None
    again = torch.from_dlpack(Lent(weft_neg(take(ctx, z))))
    del z
    gc.collect()
    assert again[999] == 1000


def check_errors(ctx):
    x = torch.ones(3).to(torch.float8_e4m3fn)
    assert not take(ctx, x) and b"type code 10" in weft_error(ctx), weft_error(ctx)
    weft_clear(ctx)


ctx = weft_open(None)
check_all(ctx)
check_lifetimes(ctx)
check_errors(ctx)
assert not weft_error(ctx), weft_error(ctx)
weft_close(ctx)
