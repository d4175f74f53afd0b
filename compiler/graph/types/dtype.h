/* dtype.h: element types: sizes, names, kinds, promotion, and the conversions of a single scalar. */
#ifndef WEFT_GRAPH_DTYPE_H
#define WEFT_GRAPH_DTYPE_H
#include "weft/types.h"

typedef weft_dtype DType;
typedef enum { KIND_BOOL, KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_COMPLEX } DKind;
enum { DTYPE_COUNT = WEFT_C128 + 1, REAL_DTYPE_COUNT = WEFT_C64 }; /* complex ones come last */

typedef struct {
    const char *name, *mlir, *npy;
    uint8_t bytes;
    uint8_t kind;
    uint8_t exponent_bits, mantissa_bits; /* 0 if it is no float */
} DTypeInfo;
extern const DTypeInfo dtype_info[DTYPE_COUNT]; /* constant; indexed by DType */

static inline size_t dtype_bytes(DType t) { return dtype_info[t].bytes; }
static inline DKind dtype_kind(DType t) { return (DKind)dtype_info[t].kind; }
static inline const char *dtype_name(DType t) { return dtype_info[t].name; }
static inline bool dtype_is_float(DType t) { return t >= WEFT_F16 && t <= WEFT_F64; }
static inline bool dtype_is_complex(DType t) { return t >= WEFT_C64; }
/* What has tangents: floats and complex numbers. */
static inline bool dtype_is_inexact(DType t) { return t >= WEFT_F16; }
static inline bool dtype_is_int(DType t) { return t >= WEFT_I8 && t <= WEFT_U64; }
static inline bool dtype_is_signed(DType t) { return (t >= WEFT_I8 && t <= WEFT_I64) || t >= WEFT_F16; }
/* A complex number is two of its parts, the real one first; another type is its own. */
static inline DType dtype_part(DType t) { return t == WEFT_C64 ? WEFT_F32 : t == WEFT_C128 ? WEFT_F64 : t; }
/* The complex type that holds every t: complex64, but for f64. */
static inline DType dtype_complex(DType t) { return dtype_part(t) == WEFT_F64 ? WEFT_C128 : WEFT_C64; }
/* What is added to a float's exponent before it is stored. */
static inline int dtype_bias(DType t) { return (1 << dtype_info[t].exponent_bits >> 1) - 1; }
double dtype_epsilon(DType t); /* the gap between 1 and the next float */
double dtype_tiny(DType t);    /* the least positive normal float */
/* f16 and bf16 are stored narrow and computed in f32, rounded once after each op. */
static inline bool dtype_is_narrow_float(DType t) { return t == WEFT_F16 || t == WEFT_BF16; }
static inline int dtype_bits(DType t) { return t == WEFT_BOOL ? 1 : 8 * (int)dtype_info[t].bytes; }

/* What arithmetic on t is done in: f32 for the narrow floats, else t itself. */
static inline DType compute_type(DType t) { return dtype_is_narrow_float(t) ? WEFT_F32 : t; }
/* The ints of t's width. */
static inline DType dtype_signed_twin(DType t)
{
    return (DType)(WEFT_I8 + __builtin_ctz(dtype_info[t].bytes));
}
static inline DType dtype_unsigned_twin(DType t)
{
    return (DType)(WEFT_U8 + __builtin_ctz(dtype_info[t].bytes));
}

/* JAX's promotion lattice for two strongly typed operands: i32 + f16 is f16, i64 + f32 is f32, u32 + i32 is
 * i64, u64 + i32 is f32 (weft's default float), f16 + bf16 is f32. */
DType dtype_promote(DType a, DType b);
/* A C number beside an array of type t: an int keeps t (a bool array becomes i32); a float keeps a float t,
 * makes f32 of the rest. A float keeps a complex t, too. */
DType dtype_promote_weak_int(DType t);
DType dtype_promote_weak_float(DType t);
DType dtype_promote_weak_complex(DType t); /* complex, of the width of t */

/* One scalar of any type as raw bits in the low bytes of a word: how attributes, constants and recipes hold
 * numbers. Of a complex type: the bits of the real part, of a number that has no other: what is loaded loses
 * its imaginary part, what is stored gets +0 for it. */
/* rounds to nearest even; ints: StableHLO convert (truncate, saturate, NaN -> 0) */
uint64_t scalar_from_double(DType t, double v);
uint64_t scalar_from_i64(DType t, int64_t v); /* ints wrap modulo 2^bits */
double scalar_to_double(DType t, uint64_t bits);
int64_t scalar_to_i64(DType t, uint64_t bits); /* floats truncate and saturate; u64 keeps its bits */
/* StableHLO convert, rounded once; but ints become f16 and bf16 by way of f32, as in JAX */
uint64_t scalar_convert(DType to, DType from, uint64_t bits);
uint64_t scalar_load(DType t, const void *p);
void scalar_store(DType t, void *p, uint64_t bits);
/* The element re + im i of a complex type; of others re. */
void scalar_from_parts(DType t, double re, double im, void *to);

/* Exact software conversions, round to nearest even, NaN stays NaN (quieted), the same on every machine. */
uint16_t f32_to_f16(float v);
float f16_to_f32(uint16_t h);
uint16_t f32_to_bf16(float v);
float bf16_to_f32(uint16_t h);
uint16_t f64_to_f16(double v); /* rounded once, not by way of f32 */
uint16_t f64_to_bf16(double v);
#endif
