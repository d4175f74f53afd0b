"""dlpack_door.py: weft's DLPack functions through ctypes, as a binding would call them; sys.argv[1] is the library."""
import ctypes
import sys
from ctypes import c_char_p, c_int, c_void_p

weft = ctypes.CDLL(sys.argv[1])
python = ctypes.pythonapi


def declare(library, name, result, *args):
    f = getattr(library, name)
    f.restype, f.argtypes = result, args
    return f


weft_open = declare(weft, "weft_open", c_void_p, c_void_p)
weft_close = declare(weft, "weft_close", None, c_void_p)
weft_error = declare(weft, "weft_error", c_char_p, c_void_p)
weft_clear = declare(weft, "weft_clear", c_int, c_void_p)
weft_free = declare(weft, "weft_free", None, c_void_p)
weft_to_dlpack = declare(weft, "weft_to_dlpack_", c_void_p, c_void_p, c_char_p)
weft_from_dlpack = declare(weft, "weft_from_dlpack_", c_void_p, c_void_p, c_void_p, c_char_p)
weft_data = declare(weft, "weft_data_", c_void_p, c_void_p, c_char_p)
weft_neg = declare(weft, "weft_neg", c_void_p, c_void_p)
capsule_pointer = declare(python, "PyCapsule_GetPointer", c_void_p, ctypes.py_object, c_char_p)
capsule_rename = declare(python, "PyCapsule_SetName", c_int, ctypes.py_object, c_char_p)
capsule_new = declare(python, "PyCapsule_New", ctypes.py_object, c_void_p, c_char_p, c_void_p)
FRESH, USED = b"dltensor_versioned", b"used_dltensor_versioned"     # names are kept by address


def take(ctx, x):
    """A weft array of another library's: the tensor is weft's, whatever comes of it."""
    capsule = x.__dlpack__(max_version=(1, 0))
    tensor = capsule_pointer(capsule, FRESH)
    capsule_rename(capsule, USED)
    return weft_from_dlpack(ctx, tensor, b"take")


class Lent:
    """What from_dlpack takes: a weft array. The other library calls the tensor's deleter."""
    def __init__(self, a):
        self.a = a

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **options):
        return capsule_new(weft_to_dlpack(self.a, b"lend"), FRESH, None)
