/* kernels_convert.c: elements from one type to another. Every pair of bool, ints, f32 and f64 has a loop;
 * f16 and bf16 have loops from and to f32, and from f64 (so that those are rounded once); the rest goes by
 * way of f32 in small blocks, ints too. */
#include "each_type.h"
#include "kernels.h"
#include <string.h>

#define LOOP(FROM, S, TO, D, ...) \
    static void FROM##_to_##TO(size_t n, const void *pa, const void *pb, const void *pc, void *po) \
    { \
        const S *restrict a = pa; \
        D *restrict out = po; \
        (void)pb; \
        (void)pc; \
        for (size_t i = 0; i < n; i++) { \
            S x = a[i]; \
            out[i] = (D)(__VA_ARGS__); \
        } \
    }

/* The bounds are powers of two (or zero), so they are exact in both float types; casting is defined strictly
 * between them. */
#define SATURATE(x, D, LEAST, GREATEST, BOUND) \
    ((x) != (x) ? 0 : (x) >= (BOUND) ? (GREATEST) : (x) <= (LEAST) ? (LEAST) : (D)(x))
/* X for each int type: its least and its greatest value, and the power of two above. */
#define INT_BOUNDS(X, FROM, S) \
    X(FROM, S, I8, int8_t, INT8_MIN, INT8_MAX, 0x1p7) \
    X(FROM, S, I16, int16_t, INT16_MIN, INT16_MAX, 0x1p15) \
    X(FROM, S, I32, int32_t, INT32_MIN, INT32_MAX, 0x1p31) \
    X(FROM, S, I64, int64_t, INT64_MIN, INT64_MAX, 0x1p63) \
    X(FROM, S, U8, uint8_t, 0, UINT8_MAX, 0x1p8) \
    X(FROM, S, U16, uint16_t, 0, UINT16_MAX, 0x1p16) \
    X(FROM, S, U32, uint32_t, 0, UINT32_MAX, 0x1p32) \
    X(FROM, S, U64, uint64_t, 0, UINT64_MAX, 0x1p64)
#define SATURATING(FROM, S, TO, D, ...) LOOP(FROM, S, TO, D, SATURATE(x, D, __VA_ARGS__))
#define WRAPPING(FROM, S, TO, D, ...)   LOOP(FROM, S, TO, D, x)
#define TO_THE_REST(FROM, S) \
    LOOP(FROM, S, BOOL, uint8_t, x != 0) \
    LOOP(FROM, S, F32, float, x) \
    LOOP(FROM, S, F64, double, x)

#define FROM_INT(FROM, S, ...) \
    INT_BOUNDS(WRAPPING, FROM, S) \
    TO_THE_REST(FROM, S)
#define FROM_FLOAT(FROM, S, ...) \
    INT_BOUNDS(SATURATING, FROM, S) \
    TO_THE_REST(FROM, S)
BOOL_TYPE(FROM_INT, )
INT_TYPES(FROM_INT, )
FLOAT_TYPES(FROM_FLOAT, )
LOOP(F16, uint16_t, F32, float, f16_to_f32(x))
LOOP(BF16, uint16_t, F32, float, bf16_to_f32(x))
LOOP(F32, float, F16, uint16_t, f32_to_f16(x))
LOOP(F32, float, BF16, uint16_t, f32_to_bf16(x))
LOOP(F64, double, F16, uint16_t, f64_to_f16(x))
LOOP(F64, double, BF16, uint16_t, f64_to_bf16(x))

#define ROW(FROM)        B_(FROM##_to), S_(FROM##_to), U_(FROM##_to), F_(FROM##_to)
#define ENTRY(FROM, ...) [WEFT_##FROM] = { ROW(FROM) },
static ElementLoop *const kernels[DTYPE_COUNT][DTYPE_COUNT] = {
    [WEFT_F16] = { [WEFT_F32] = F16_to_F32 },
    [WEFT_BF16] = { [WEFT_F32] = BF16_to_F32 },
    [WEFT_F32] = { ROW(F32), [WEFT_F16] = F32_to_F16, [WEFT_BF16] = F32_to_BF16 },
    [WEFT_F64] = { ROW(F64), [WEFT_F16] = F64_to_F16, [WEFT_BF16] = F64_to_BF16 },
    BOOL_TYPE(ENTRY, ) INT_TYPES(ENTRY, )
};

ElementLoop *kernel_convert(DType from, DType to) { return kernels[from][to]; }

void kernel_run_convert(DType from, DType to, size_t n, const void *src, void *dst)
{
    enum { BLOCK = 256 };
    if (from == to) {
        if (n) memcpy(dst, src, n * dtype_bytes(to));
        return;
    }
    if (kernels[from][to]) {
        kernels[from][to](n, src, NULL, NULL, dst);
        return;
    }
    float wide[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t m = n - i < BLOCK ? n - i : BLOCK;
        kernels[from][WEFT_F32](m, (const char *)src + i * dtype_bytes(from), NULL, NULL, wide);
        kernels[WEFT_F32][to](m, wide, NULL, NULL, (char *)dst + i * dtype_bytes(to));
    }
}
