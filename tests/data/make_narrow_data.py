"""make_narrow_data.py: floats of 8 bits and fewer, by ml_dtypes (0.6): tests/data/narrow.txt. A line is a type, how
many bits it has, then what its bytes are as f32 and what floats become, both as hex of f32: `x:byte`."""
import ml_dtypes
import numpy as np

TYPES = dict(f8E4M3FN="float8_e4m3fn", f8E5M2="float8_e5m2", f8E4M3="float8_e4m3", f8E3M4="float8_e3m4",
             f8E4M3FNUZ="float8_e4m3fnuz", f8E5M2FNUZ="float8_e5m2fnuz", f8E4M3B11FNUZ="float8_e4m3b11fnuz",
             f8E8M0FNU="float8_e8m0fnu", f6E2M3FN="float6_e2m3fn", f6E3M2FN="float6_e3m2fn", f4E2M1FN="float4_e2m1fn")


def floats(t, values):
    """Around each of the type's numbers and halfway between two, and some of every size."""
    v = np.unique(values[np.isfinite(values)]).astype(np.float64)
    half = np.concatenate([(v[1:] + v[:-1]) / 2, [v[-1] * 1.03, v[-1] * 1.5, v[-1] * 4]])
    near = half.astype(np.float32)
    random = np.random.default_rng(0).standard_normal(60) * np.exp2(np.arange(60) % 24 - 14.0)
    x = np.concatenate([v.astype(np.float32), near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf)),
                        random.astype(np.float32), np.float32([np.inf, -np.inf, 1e30, -1e30, 1e-30, 0.0, -0.0])])
    return x if t != "float8_e8m0fnu" else x[x >= np.float32(2.0**-126)]  # ml_dtypes is one off below


with open("tests/data/narrow.txt", "w") as out, np.errstate(all="ignore"):
    for name, ml in TYPES.items():
        t = np.dtype(getattr(ml_dtypes, ml))
        bits = ml_dtypes.finfo(t).bits
        values = np.arange(1 << bits).astype(np.uint8).view(t).astype(np.float32)
        x = floats(ml, values)
        became = x.astype(t).view(np.uint8) & ((1 << bits) - 1)
        print(name, bits, *(f"{v:x}" for v in values.view(np.uint32)), "|",
              *(f"{u:x}:{b:x}" for u, b in zip(x.view(np.uint32), became)), file=out)
