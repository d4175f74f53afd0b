"""How the files of numbers are written that tests/support/ops_data.h reads: an array a line, its name, its element type, its sizes, ":" and its bytes in hex."""
import numpy as np

NAMES = {"bool": "bool", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}
NAMES.update({f"int{n}": f"i{n}" for n in (8, 16, 32, 64)})
NAMES.update({f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)})


def emit(name, a):
    a = np.asarray(a)
    print(name, NAMES[a.dtype.name], *a.shape, ":", np.ascontiguousarray(a).tobytes().hex())
