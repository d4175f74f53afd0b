#!/usr/bin/env python3
"""Writes eager.bin beside this file: operands and expected results of ops, for tests/eager/test_eager.c.

Ints are computed with Python's integers, narrow floats by exact rounding of fractions, the rest with NumPy; dot_general, gather and
reduce_precision with JAX. Needs: pip install jax==0.10.2 numpy

Layout, little-endian: u32 arrays, then each: u8 dtype, u8 rank, u16 0, u32 dim[rank], elements;
u32 cases, then each: u8 length and name of the op, u8 operands, u16 array each, u16 of the result, u8 attributes, i32 each.
"""
import itertools, os, struct
from fractions import Fraction
import jax, jax.numpy as jnp
import ml_dtypes
import numpy as np

jax.config.update("jax_enable_x64", True)
np.seterr(all="ignore")
NAMES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]
NUMPY = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
TYPE = dict(zip(NAMES, NUMPY))
INTS, FLOATS = NAMES[1:9], NAMES[9:]
SIGNED, NARROW = NAMES[1:5], ["f16", "bf16"]
FORMAT = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
rng = np.random.default_rng(1)

arrays, index, cases = [], {}, []

def name_of(a):
    return next(n for n in NAMES if a.dtype == TYPE[n])

def put(a):
    a = np.ascontiguousarray(a).reshape(np.shape(a))
    key = struct.pack("<BBH", NAMES.index(name_of(a)), a.ndim, 0) + struct.pack(f"<{a.ndim}I", *a.shape) + a.tobytes()
    if key not in index:
        index[key] = len(arrays)
        arrays.append(key)
    return index[key]

def case(op, args, out, attr=()):
    cases.append(struct.pack("<B", len(op)) + op.encode() + struct.pack("<B", len(args)) + struct.pack(f"<{len(args)}H", *[put(a) for a in args])
                 + struct.pack("<HB", put(out), len(attr)) + struct.pack(f"<{len(attr)}i", *[int(a) for a in attr]))

def bits_of(t):
    return 8 * np.dtype(TYPE[t]).itemsize

def wrap(v, t):
    n = bits_of(t)
    v &= (1 << n) - 1
    return v - (1 << n) if t in SIGNED and v >> (n - 1) else v

def array(values, t, shape=None):
    a = np.array([wrap(v, t) for v in values], TYPE[t]) if t in INTS else np.array(values, TYPE[t])
    return a if shape is None else a.reshape(shape)

def round_to(x, t):
    """The float nearest to a Fraction, as bits."""
    e_bits, m_bits = FORMAT[t]
    bias = (1 << (e_bits - 1)) - 1
    sign, x = (1, -x) if x < 0 else (0, x)
    top = sign << (e_bits + m_bits)
    if x == 0:
        return top
    e = x.numerator.bit_length() - x.denominator.bit_length()
    e -= x < Fraction(2) ** e
    e = max(e, 1 - bias)
    q = x / Fraction(2) ** (e - m_bits)
    n = int(q)
    rest = q - n
    n += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1)
    return top | min(((e + bias - 1) << m_bits) + n, ((1 << e_bits) - 1) << m_bits)

UINT = {16: np.uint16, 32: np.uint32, 64: np.uint64}

def to_float(v, t):
    """One float of any type to another type, rounded once."""
    v = float(v)
    if v != v or abs(v) == float("inf") or v == 0:
        return np.array(v).astype(TYPE[t])[()]
    return np.array(round_to(Fraction(v), t), UINT[bits_of(t)]).view(TYPE[t])[()]

def floats(t):
    big, small = float(ml_dtypes.finfo(TYPE[t]).max), float(ml_dtypes.finfo(TYPE[t]).tiny)
    tiny = float(ml_dtypes.finfo(TYPE[t]).smallest_subnormal)
    v = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), big, -big, small, tiny, -tiny, 0.5, 1.5, -2.5, 0.1]
    return np.array(v, np.float64).astype(TYPE[t])

def ints(t):
    n = bits_of(t)
    return array([0, 1, -1, -3, 7, n - 1, n, 1 << (n - 1), (1 << (n - 1)) - 1, 0x5a5a5a5a5a5a5a5a], t)

def pairs(v):
    i, j = zip(*itertools.product(range(len(v)), repeat=2))
    return v[list(i)], v[list(j)]

def int_div(a, b, t):
    if b == 0: return -1
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q

def int_pow(a, b, t):
    if b >= 0: return pow(a, b, 1 << 64)
    return -1 if a == 0 else 1 if a == 1 else (1 if b % 2 == 0 else -1) if a == -1 else 0

def unsigned(v, t): return v & ((1 << bits_of(t)) - 1)
def low_half(v, t): return (v + (1 << bits_of(t) // 2 - 1)) % (1 << bits_of(t) // 2) - (1 << bits_of(t) // 2 - 1)
def signed(v, t):   return unsigned(v, t) - ((unsigned(v, t) >> (bits_of(t) - 1)) << bits_of(t))

INT_UNARY = {
    "NEG": lambda a, t: -a, "NOT": lambda a, t: ~a, "SQUARE": lambda a, t: a * a, "POPCNT": lambda a, t: unsigned(a, t).bit_count(),
    "CLZ": lambda a, t: bits_of(t) - unsigned(a, t).bit_length(), "ABS": lambda a, t: abs(a), "SIGN": lambda a, t: (a > 0) - (a < 0)}
INT_BINARY = {
    "ADD": lambda a, b, t: a + b, "SUB": lambda a, b, t: a - b, "MUL": lambda a, b, t: a * b, "DIV": int_div,
    "REM": lambda a, b, t: a if b == 0 else a - b * int_div(a, b, t), "POW": int_pow, "MAX": lambda a, b, t: max(a, b), "MIN": lambda a, b, t: min(a, b),
    "AND": lambda a, b, t: a & b, "OR": lambda a, b, t: a | b, "XOR": lambda a, b, t: a ^ b,
    "SHL": lambda a, b, t: unsigned(a, t) << unsigned(b, t) if unsigned(b, t) < bits_of(t) else 0,
    "SHR_LOGIC": lambda a, b, t: unsigned(a, t) >> min(unsigned(b, t), 64),
    "SHR_ARITH": lambda a, b, t: signed(a, t) >> min(unsigned(b, t), 64), "MULHI": lambda a, b, t: a * b >> bits_of(t),
    "DOT_HALVES": lambda a, b, t: low_half(a, t) * low_half(b, t) + (a >> bits_of(t) // 2) * (b >> bits_of(t) // 2)}
COMPARE = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]

def integers():
    for t in INTS:
        v = ints(t)
        for op, f in INT_UNARY.items():
            if op in ("ABS", "SIGN") and t not in SIGNED: continue
            case(op, [v], array([f(int(x), t) for x in v], t))
        a, b = pairs(v)
        for op, f in INT_BINARY.items():
            if op == "DOT_HALVES" and t not in SIGNED: continue
            case(op, [a, b], array([f(int(x), int(y), t) for x, y in zip(a, b)], t))
        for d in range(6):
            case("COMPARE", [a, b], COMPARE[d](a, b), [d, 2 if t in SIGNED else 3])
        case("CLAMP", [a, a[::-1], b], np.minimum(np.maximum(a[::-1], a), b))
        case("CLAMP", [v[2], v, v[5]], np.minimum(np.maximum(v, v[2]), v[5]))

def bools():
    v = np.array([False, True])
    a, b = pairs(v)
    case("NOT", [v], ~v)
    for op, f in {"ADD": np.logical_or, "MUL": np.logical_and, "MAX": np.logical_or, "MIN": np.logical_and,
                  "AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}.items():
        case(op, [a, b], f(a, b))
    for d in range(6):
        case("COMPARE", [a, b], COMPARE[d](a, b), [d, 3])

def fmax(a, b): return np.where(np.isnan(a), a, np.where(np.isnan(b), b, np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))))
def fmin(a, b): return -fmax(-a, -b)

def next_after(a, b, t):
    """Counted along the floats in order; -0 and 0 are one place, which is reached from below as -0, as in C."""
    if a != a or b != b: return np.array(float("nan"), TYPE[t])
    if a == b: return b
    u, n = UINT[bits_of(t)], bits_of(t)
    k = int(np.array(a, TYPE[t]).view(u))
    k = -(k ^ (1 << (n - 1))) if k >> (n - 1) else k
    below = k < 0
    k += 1 if b > a else -1
    return np.array(k if k > 0 or not (k or below) else -k | 1 << (n - 1), u).view(TYPE[t])

FLOAT_UNARY = {
    "NEG": np.negative, "ABS": np.abs, "SIGN": lambda x: np.where(np.isnan(x) | (x == 0), x, np.sign(x)), "FLOOR": np.floor, "CEIL": np.ceil,
    "ROUND_EVEN": np.rint, "SQRT": np.sqrt, "SQUARE": np.square,
    "ROUND_AFZ": lambda x: np.where(np.abs(x) < 1e6, np.copysign(np.floor(np.abs(x) + 0.5), x), x)}
FLOAT_BINARY = {"ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": np.divide, "REM": np.fmod, "MAX": fmax, "MIN": fmin}

def narrowed(x, t):
    """f16 and bf16 compute in f32 and round once."""
    return np.array([to_float(v, t) for v in np.ravel(x)], TYPE[t]).reshape(np.shape(x)) if t in NARROW else np.asarray(x).astype(TYPE[t])

def total_key(a):
    u = a.view({2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize])
    return np.where(u < 0, u ^ np.iinfo(u.dtype).max, u)

def real():
    for t in FLOATS:
        v = floats(t)
        wide = (lambda x: x.astype(np.float32)) if t in NARROW else (lambda x: x)
        for op, f in FLOAT_UNARY.items():
            case(op, [v], narrowed(f(wide(v)), t))
        case("IS_FINITE", [v], np.isfinite(wide(v)))
        case("IS_INF", [v], np.isinf(wide(v)))
        case("IS_POS_INF", [v], np.isposinf(wide(v)))
        case("IS_NEG_INF", [v], np.isneginf(wide(v)))
        a, b = pairs(v)
        for op, f in FLOAT_BINARY.items():
            case(op, [a, b], narrowed(f(wide(a), wide(b)), t))
        case("NEXT_AFTER", [a, b], np.array([next_after(x, y, t) for x, y in zip(a, b)], TYPE[t]))
        for d in range(6):
            case("COMPARE", [a, b], COMPARE[d](wide(a), wide(b)), [d, 0])
            case("COMPARE", [a, b], COMPARE[d](total_key(a), total_key(b)), [d, 1])
        case("CLAMP", [a, a[::-1], b], narrowed(fmin(fmax(wide(a[::-1]), wide(a)), wide(b)), t))
        case("CLAMP", [v[3], v, v[2]], narrowed(fmin(fmax(wide(v), wide(v[3])), wide(v[2])), t))
        for e, m in [(5, 10), (8, 7), (8, 23), (4, 3), (2, 1), (1, 0), (11, 52), (6, 9)]:
            x = np.concatenate([v, (rng.standard_normal(40) * 10.0 ** rng.integers(-6, 6, 40)).astype(TYPE[t])])
            if e <= FORMAT[t][0] and m <= FORMAT[t][1] and e > 1:
                case("REDUCE_PRECISION", [x], np.asarray(jax.lax.reduce_precision(jnp.asarray(x), e, m)), [e, m])

def select():
    p = rng.integers(0, 2, 23).astype(bool)
    for t in NAMES:
        a, b = (rng.integers(0, 2 if t == "bool" else 100, (2, 23)).astype(TYPE[t]))
        case("SELECT", [p, a, b], np.where(p, a, b))
        case("SELECT", [np.array(True), a, b], a)
        case("SELECT", [np.array(False), a, b], b)

def convert_one(x, s, t):
    if t == "bool": return bool(x != 0)
    if t in FLOATS:
        if s in FLOATS: return to_float(x, t)
        f = np.array([x], TYPE[s]).astype(np.float64 if t == "f64" else np.float32)[0]
        return to_float(f, t)
    if s in FLOATS:
        x = float(x)
        if x != x: return 0
        lo, hi = np.iinfo(TYPE[t]).min, np.iinfo(TYPE[t]).max
        return lo if x <= lo else hi if x >= hi else int(x)
    return wrap(int(x), t)

def convert():
    for s in NAMES:
        v = np.array([False, True]) if s == "bool" else ints(s) if s in INTS else floats(s)
        if s in FLOATS: v = np.concatenate([v, np.array([-0.5, 2.5, 3.75, 300.0, 127.9, -128.5, 255.5, -0.9, 65519.9, 2147483647.5, -3e9, 1e19, 9.3e18, 1.00390625, 1.01171875, 1 + 2**-8 + 2**-40, 2.0**-25, 6e-8]).astype(TYPE[s])])
        if bits_of(s) == 64 and s in INTS: v = np.concatenate([v, np.array([(1 << 24) + 1, (1 << 53) + 1, (1 << 40) + (1 << 32) + 1], TYPE[s])])
        for t in NAMES:
            case("CONVERT", [v], np.array([convert_one(x, s, t) for x in v], TYPE[t]))

def bitcast():
    for s, t in [("i32", "f32"), ("f64", "u64"), ("bf16", "i16"), ("u8", "i8")]:
        v = rng.integers(0, 100, (3, 5)).astype(TYPE[s])
        case("BITCAST", [v], v.view(TYPE[t]))
    v = rng.integers(0, 1 << 31, (2, 3)).astype(np.uint32)
    case("BITCAST", [v], v.view(np.uint8).reshape(2, 3, 4))
    case("BITCAST", [v.view(np.uint16).reshape(2, 3, 2)], v)

def values(shape, t):
    return rng.integers(0, 2 if t == "bool" else 100, shape).astype(TYPE[t])

SHAPES = [(), (1,), (7,), (0,), (3, 5), (2, 0, 3), (2, 3, 4), (1, 1, 3, 2)]

def pad_numpy(a, low, high, interior, fill):
    out = np.full([l + h + n + max(n - 1, 0) * i for n, l, h, i in zip(a.shape, low, high, interior)], fill, a.dtype)
    for at in np.ndindex(*a.shape):
        to = tuple(l + k * (i + 1) for k, l, i in zip(at, low, interior))
        if all(0 <= k < n for k, n in zip(to, out.shape)): out[to] = a[at]
    return out

def shapes():
    for t in ["bool", "i16", "f32", "f64"]:
        for s in SHAPES if t != "f64" else SHAPES[-2:]:
            a = values(s, t)
            n = len(s)
            perm = rng.permutation(n)
            case("TRANSPOSE", [a], np.transpose(a, perm), perm)
            case("RESHAPE", [a], a.reshape(-1))
            case("BROADCAST", [a], np.broadcast_to(a, (2,) + s), range(1, n + 1))
            if n: case("BROADCAST", [a.reshape(s + (1,))], np.broadcast_to(a.reshape(s + (1,)), s + (4,)), range(n + 1))
            start = [d // 3 for d in s]; step = [1 + k % 2 for k in range(n)]
            case("SLICE", [a], a[tuple(slice(b, d, k) for b, d, k in zip(start, s, step))], start + list(s) + step)
            case("REVERSE", [a], np.flip(a, tuple(range(0, n, 2))), range(0, n, 2))
            for low, high, interior in [(1, 2, 0), (-1, 1, 1), (2, -1, 2), (0, -2, 1), (-2, 0, 0)]:
                attr = [low] * n, [high] * n, [interior] * n
                if all(d + low + high + max(d - 1, 0) * interior >= 0 for d in s):
                    fill = values((), t)
                    case("PAD", [a, fill], pad_numpy(a, *attr, fill), sum(attr, []))
            for axis in range(n):
                b = values(s[:axis] + (2,) + s[axis + 1:], t)
                case("CONCATENATE", [a, b, a], np.concatenate([a, b, a], axis), [axis])
    for t in NAMES[1:]:
        for s in [(5,), (3, 4), (0, 2), (2, 3, 2)]:
            for axis in range(len(s)):
                case("IOTA", [], np.broadcast_to(np.arange(s[axis]).reshape([-1 if i == axis else 1 for i in range(len(s))]), s).astype(TYPE[t]), [axis])

REDUCE = {"ADD": np.add, "MUL": np.multiply, "MAX": np.maximum, "MIN": np.minimum, "AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor}
BOOL_REDUCE = {"ADD": np.logical_or, "MUL": np.logical_and, "MAX": np.logical_or, "MIN": np.logical_and, "AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}

def reduce_start(m, t):
    if t == "bool": return {"ADD": 0, "MUL": 1, "MAX": 0, "MIN": 1, "AND": 1, "OR": 0, "XOR": 0}[m]
    if t in FLOATS: return {"ADD": 0, "MUL": 1, "MAX": -np.inf, "MIN": np.inf}[m]
    i = np.iinfo(TYPE[t])
    return {"ADD": 0, "MUL": 1, "MAX": i.min, "MIN": i.max, "AND": -1 if t in SIGNED else i.max, "OR": 0, "XOR": 0}[m]

def reduce():
    for t in NAMES:
        for s, axes in [((), ()), ((7,), (0,)), ((0,), (0,)), ((4, 5), (1,)), ((4, 5), (0,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (1, 2)), ((3, 0, 2), (1,)), ((70,), (0,))]:
            a = rng.choice([1, 1, 2, -1] if t in SIGNED + FLOATS else [1, 0] if t == "bool" else [1, 1, 2, 3], s).astype(TYPE[t])
            for k, m in enumerate(REDUCE):
                if t in FLOATS and m in ("AND", "OR", "XOR"): continue
                w = a.astype(np.float32) if t in NARROW else a
                f = BOOL_REDUCE[m] if t == "bool" else REDUCE[m]
                r = f.reduce(w, axis=axes, initial=reduce_start(m, t), **({} if t == "bool" else {"dtype": w.dtype})) if axes else w
                case("REDUCE", [a], narrowed(r, t), [k, *axes])
        for s, axis in [((9,), 0), ((4, 5), 1), ((4, 5), 0), ((2, 3, 4), 1), ((0, 3), 1)]:
            a = values(s, t)
            if t in FLOATS and s == (4, 5): a[1, 2] = a[1, 4] = a[3, 2] = np.nan
            w = a.astype(np.float32) if t in NARROW else a
            case("ARGMAX", [a], np.argmax(w, axis).astype(np.int32), [axis])
            case("ARGMIN", [a], np.argmin(w, axis).astype(np.int64), [axis])

def dots():
    for t in NAMES:
        for (a, b, batch, contracting) in [((3,), (3,), ((), ()), ((0,), (0,))), ((2, 3), (3, 4), ((), ()), ((1,), (0,))), ((3, 2), (4, 3), ((), ()), ((0,), (1,))),
                                          ((2, 3, 4), (4, 2, 5), ((0,), (1,)), ((2,), (0,))), ((2, 3, 4), (4, 3, 2), ((), ()), ((1, 2), (1, 0))), ((2, 0), (0, 3), ((), ()), ((1,), (0,))),
                                          ((2,), (3,), ((), ()), ((), ())), ((5, 2, 3, 4), (3, 5, 4), ((3, 0), (2, 1)), ((2,), (0,)))]:
            x, y = (rng.integers(0, 2 if t == "bool" else 9, s).astype(TYPE[t]) for s in (a, b))
            wide = np.int64 if t in INTS else np.float64
            r = np.asarray(jax.lax.dot_general(jnp.asarray(x.astype(wide)), jnp.asarray(y.astype(wide)), (contracting, batch)))
            r = (r > 0) if t == "bool" else r.astype(TYPE[t])
            case("DOT", [x, y], r, [len(batch[0]), len(contracting[0]), *batch[0], *batch[1], *contracting[0], *contracting[1]])

def gather_spec(a, idx, offset, collapsed, a_batch, i_batch, start_map, ivd, sizes):
    """StableHLO's definition, index by index."""
    ishape = list(idx.shape) + ([1] if ivd == idx.ndim else [])
    idx = idx.reshape(ishape)
    batch_shape = [d for k, d in enumerate(ishape) if k != ivd]
    kept = [k for k in range(a.ndim) if k not in collapsed and k not in a_batch]
    rank = len(batch_shape) + len(offset)
    batch_dims = [d for d in range(rank) if d not in offset]
    shape = [0] * rank
    for d, k in zip(offset, kept): shape[d] = sizes[k]
    for d, n in zip(batch_dims, batch_shape): shape[d] = n
    out = np.zeros(shape, a.dtype)
    for at in np.ndindex(*shape):
        b = [at[d] for d in batch_dims]
        full = [0] * a.ndim
        for j, axis in enumerate(start_map):
            full[axis] = min(max(int(idx[tuple(b[:ivd] + [j] + b[ivd:])]), 0), a.shape[axis] - sizes[axis])
        for x, y in zip(a_batch, i_batch): full[x] = b[y - (ivd < y)]
        for d, k in zip(offset, kept): full[k] += at[d]
        out[at] = a[tuple(full)]
    return out

def gathers():
    for t, it in [("f32", "i32"), ("bool", "i64"), ("f64", "u8"), ("i16", "u64"), ("bf16", "i8")]:
        a = values((5, 4, 3), t)
        def one(a, idx, *g):
            offset, collapsed, a_batch, i_batch, start_map, ivd, sizes = g
            r = gather_spec(a, idx, *g)
            if ivd == idx.ndim - 1:
                d = jax.lax.GatherDimensionNumbers(offset, collapsed, start_map, a_batch, i_batch)
                j = jax.lax.gather(jnp.asarray(a), jnp.asarray(idx), d, sizes, mode="clip")
                assert np.array_equal(np.asarray(j), r)
            case("GATHER", [a, idx], r, [len(offset), len(collapsed), len(a_batch), len(start_map), ivd, *offset, *collapsed, *a_batch, *i_batch, *start_map, *sizes])
        idx = np.array([[0], [4], [100], [2]], TYPE[it])
        wild = np.array([[-1, 3], [2, -7], [4, 9]]).astype(TYPE[it])
        one(a, idx, (1, 2), (0,), (), (), (0,), 1, (1, 4, 3))
        one(a, idx.reshape(4), (0, 1), (0,), (), (), (0,), 1, (1, 2, 3))
        one(a, wild, (1,), (0, 1), (), (), (0, 1), 1, (1, 1, 2))
        one(a, wild.T.copy(), (0, 2), (2,), (), (), (2, 0), 0, (3, 2, 1))
        one(a, np.array([1, 2], TYPE[it]), (0, 1, 2), (), (), (), (1, 0), 0, (2, 3, 1))
        one(a, (values((3, 5, 1), it) % 5).astype(TYPE[it]), (), (1,), (0, 2), (1, 0), (1,), 2, (1, 1, 1))
        one(a, (values((3, 2), it) % 5).astype(TYPE[it]), (), (0, 1), (2,), (0,), (1, 0), 1, (1, 1, 1))
        one(a, np.zeros((0, 1), TYPE[it]), (1,), (0, 1), (), (), (0,), 1, (1, 1, 3))

for make in (integers, bools, real, select, convert, bitcast, shapes, reduce, dots, gathers):
    make()
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "eager.bin"), "wb") as f:
    f.write(struct.pack("<I", len(arrays)) + b"".join(arrays) + struct.pack("<I", len(cases)) + b"".join(cases))
print(f"{len(arrays)} arrays, {len(cases)} cases")
