/* kernels.c: the loops of elementwise ops over bool, ints, f32 and f64: one expression per op, one
 * typed loop per op and type.
 *
 * In an expression x, y, z are the operands' elements. T, U and W are the types of each_type.h (ints are
 * computed in W so that nothing overflows into undefined behaviour: u16 * u16 in C is an int product), BITS
 * the width.
 */
#include <string.h>
#include <tgmath.h>
#include "each_type.h"
#include "kernels.h"

/* R_: the type of an expression's value, a T but for predicates, which give a bool. ELEMENTS declares x, y
 * and z, as many as there are operands. */
#define LOOP(NAME, T_, U_, W_, fn, ATTR, R_, ELEMENTS, ...) \
    ATTR static void fn##_##NAME(size_t n, const void *pa, const void *pb, const void *pc, void *po) \
    { \
        typedef T_ T; \
        typedef U_ U; \
        typedef W_ W; \
        enum { BITS = 8 * sizeof(T) }; \
        const T *restrict a = pa, *restrict b = pb, *restrict c = pc; \
        R_ *restrict out = po; \
        (void)b, (void)c, (void)sizeof(U), (void)sizeof(W), (void)BITS; \
        for (size_t i = 0; i < n; i++) { \
            ELEMENTS \
            out[i] = (R_)(__VA_ARGS__); \
        } \
    }
#define LOOP1(NAME, T_, U_, W_, fn, ATTR, R_, ...) \
    LOOP(NAME, T_, U_, W_, fn, ATTR, R_, T x = a[i];, __VA_ARGS__)
#define LOOP2(NAME, T_, U_, W_, fn, ATTR, R_, ...) \
    LOOP(NAME, T_, U_, W_, fn, ATTR, R_, T x = a[i]; T y = b[i];, __VA_ARGS__)
#define LOOP3(NAME, T_, U_, W_, fn, ATTR, R_, ...) \
    LOOP(NAME, T_, U_, W_, fn, ATTR, R_, T x = a[i]; T y = b[i]; T z = c[i];, __VA_ARGS__)
#define PLAIN
#define UNARY(TYPES, fn, ...)   TYPES(LOOP1, fn, PLAIN, T, __VA_ARGS__)
#define BINARY(TYPES, fn, ...)  TYPES(LOOP2, fn, PLAIN, T, __VA_ARGS__)
#define TERNARY(TYPES, fn, ...) TYPES(LOOP3, fn, PLAIN, T, __VA_ARGS__)
#define IS(TYPES, fn, ...)      TYPES(LOOP1, fn, PLAIN, uint8_t, __VA_ARGS__)

/* Floor, fma and the like are one instruction on any recent x86 and a library call on the oldest: both are
 * compiled, with the same results. */
#if defined(__x86_64__)
#define RECENT    __attribute__((target("avx2,fma")))
#define IS_RECENT (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define RECENT
#define IS_RECENT false
#endif
#define FLOATS(LOOP, fn, ...) \
    FLOAT_TYPES(LOOP, fn, PLAIN, T, __VA_ARGS__) \
    FLOAT_TYPES(LOOP, fn##_recent, RECENT, T, __VA_ARGS__)

static inline uint32_t popcnt(uint64_t x) { return (uint32_t)__builtin_popcountll(x); }
static inline uint32_t clz(uint64_t x, int bits)
{
    return x ? (uint32_t)(__builtin_clzll(x) - (64 - bits)) : (uint32_t)bits;
}

/* a^b by squaring, wrapping; b < 0 is 1 / a^-b in ints, and 1/0 is -1. */
static inline uint64_t power(uint64_t a, uint64_t b, bool negative)
{
    if (negative) return a == 0 ? UINT64_MAX : a == 1 ? 1 : a == UINT64_MAX ? (b & 1 ? a : 1) : 0;
    uint64_t r = 1;
    for (; b; b >>= 1, a *= a)
        if (b & 1) r *= a;
    return r;
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

UNARY(INT_TYPES, neg, (W)0 - (W)x)
UNARY(SIGNED_TYPES, abs, x < 0 ? (W)0 - (W)x : (W)x)
UNARY(SIGNED_TYPES, sign, (x > 0) - (x < 0))
UNARY(INT_TYPES, not, ~x)
UNARY(INT_TYPES, popcnt, popcnt((U)x))
UNARY(INT_TYPES, clz, clz((U)x, BITS))
UNARY(INT_TYPES, square, (W)x *(W)x)
BINARY(INT_TYPES, add, (W)x + (W)y)
BINARY(INT_TYPES, sub, (W)x - (W)y)
BINARY(INT_TYPES, mul, (W)x *(W)y)
BINARY(SIGNED_TYPES, div, y == 0 ? (T)-1 : y == -1 ? (T)((W)0 - (W)x) : (T)(x / y))
BINARY(SIGNED_TYPES, rem, y == 0 ? x : y == -1 ? (T)0 : (T)(x % y))
BINARY(UNSIGNED_TYPES, div, y == 0 ? (T)-1 : (T)(x / y))
BINARY(UNSIGNED_TYPES, rem, y == 0 ? x : (T)(x % y))
BINARY(SIGNED_TYPES, pow, power((uint64_t)(int64_t)x, (uint64_t)(int64_t)y, y < 0))
BINARY(UNSIGNED_TYPES, pow, power(x, y, false))
BINARY(INT_TYPES, max, x > y ? x : y)
BINARY(INT_TYPES, min, x < y ? x : y)
BINARY(INT_TYPES, and, x &y)
BINARY(INT_TYPES, or, x | y)
BINARY(INT_TYPES, xor, x ^ y)
BINARY(INT_TYPES, shl, (U)y < BITS ? (W)x << ((U)y & (BITS - 1)) : 0)
BINARY(INT_TYPES, shr_logic, (U)y < BITS ? (W)(U)x >> ((U)y & (BITS - 1)) : 0)
/* Also on unsigned elements the top bit is the sign; it is spread first. Up to 32 bits stay in 32, which
 * every vector unit can shift. */
static inline int64_t sign_extend(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
static inline int32_t sign_extend_32(uint32_t x, int bits)
{
    return (int32_t)(x << (32 - bits)) >> (32 - bits);
}
#define LAST_SHIFT(y) ((U)(y) < BITS ? (U)(y) : (U)(BITS - 1))
BINARY(INT_TYPES, shr_arith,
       sizeof(W) == 4
           ? (W)(sign_extend_32((uint32_t)(U)x, sizeof(W) == 4 ? BITS : 32) >> (LAST_SHIFT(y) & 31))
           : (W)(sign_extend((U)x, BITS) >> LAST_SHIFT(y)))
BINARY(SIGNED_TYPES, mulhi, (Wide)x *(Wide)y >> BITS)
BINARY(UNSIGNED_TYPES, mulhi, (UWide)x *(UWide)y >> BITS)
#define LOW_HALF(x)  sign_extend((uint64_t)(x), BITS / 2)
#define HIGH_HALF(x) ((int64_t)(x) >> BITS / 2)
BINARY(SIGNED_TYPES, dot_halves,
       (uint64_t)(LOW_HALF(x) * LOW_HALF(y)) + (uint64_t)(HIGH_HALF(x) * HIGH_HALF(y)))
TERNARY(INT_TYPES, clamp, y < x ? (x < z ? x : z) : (y < z ? y : z))

UNARY(BOOL_TYPE, not, !x)
BINARY(BOOL_TYPE, and, x &y)
BINARY(BOOL_TYPE, or, x | y)
BINARY(BOOL_TYPE, xor, x ^ y)
TERNARY(BOOL_TYPE, clamp, (y | x) & z)

/* NaN if either is; of equal operands the sign bit decides, which tells -0 from 0. */
#define EXTREMES(NAME, T, U_, W_, ...) \
    static inline T max_of_##NAME(T x, T y) \
    { \
        return x > y || x != x ? x : y > x || y != y ? y : signbit(x) ? y : x; \
    } \
    static inline T min_of_##NAME(T x, T y) \
    { \
        return x < y || x != x ? x : y < x || y != y ? y : signbit(x) ? x : y; \
    }
FLOAT_TYPES(EXTREMES, )
#define FMAX(x, y) _Generic((x), float: max_of_F32, double: max_of_F64)(x, y)
#define FMIN(x, y) _Generic((x), float: min_of_F32, double: min_of_F64)(x, y)

UNARY(FLOAT_TYPES, neg, -x)
UNARY(FLOAT_TYPES, abs, fabs(x))
UNARY(FLOAT_TYPES, sign, x > 0 ? (T)1 : x < 0 ? (T)-1 : x)
UNARY(FLOAT_TYPES, round_afz, round(x))
UNARY(FLOAT_TYPES, square, x *x)
FLOATS(LOOP1, floor, floor(x))
FLOATS(LOOP1, ceil, ceil(x))
FLOATS(LOOP1, round_even, rint(x))
FLOATS(LOOP1, sqrt, sqrt(x))
FLOATS(LOOP3, fma, fma(x, y, z))
BINARY(FLOAT_TYPES, add, x + y)
BINARY(FLOAT_TYPES, sub, x - y)
BINARY(FLOAT_TYPES, mul, x *y)
BINARY(FLOAT_TYPES, div, x / y)
BINARY(FLOAT_TYPES, rem, fmod(x, y))
BINARY(FLOAT_TYPES, max, FMAX(x, y))
BINARY(FLOAT_TYPES, min, FMIN(x, y))
TERNARY(FLOAT_TYPES, clamp, FMIN(FMAX(y, x), z))
IS(FLOAT_TYPES, is_finite, x - x == 0)
IS(FLOAT_TYPES, is_inf, x == (T)INFINITY || x == -(T)INFINITY)
IS(FLOAT_TYPES, is_pos_inf, x == (T)INFINITY)
IS(FLOAT_TYPES, is_neg_inf, x == -(T)INFINITY)

/* Along the integers that order the floats of a format. */
static uint64_t next_after(DType t, uint64_t a, uint64_t b)
{
    DTypeInfo f = dtype_info[t];
    uint64_t top = UINT64_C(1) << (f.exponent_bits + f.mantissa_bits), abs_a = a & ~top, abs_b = b & ~top;
    uint64_t inf = ((UINT64_C(1) << f.exponent_bits) - 1) << f.mantissa_bits;
    if (abs_a > inf || abs_b > inf) return inf | UINT64_C(1) << (f.mantissa_bits - 1);
    if (a == b || (abs_a == 0 && abs_b == 0)) return b;
    if (abs_a == 0) return (b & top) | 1;
    bool away = (a & top) == (b & top) && abs_b > abs_a;
    return away ? a + 1 : a - 1;
}
#define NEXT_AFTER(NAME, U_) LOOP2(NAME, U_, U_, U_, next_after, PLAIN, T, next_after(WEFT_##NAME, x, y))
NEXT_AFTER(F16, uint16_t)
NEXT_AFTER(BF16, uint16_t)
NEXT_AFTER(F32, uint32_t)
NEXT_AFTER(F64, uint64_t)

static ElementLoop *const kernels[OP_COUNT][DTYPE_COUNT] = {
    [OP_NEG] = { S_(neg), U_(neg), F_(neg) },
    [OP_ABS] = { S_(abs), F_(abs) },
    [OP_SIGN] = { S_(sign), F_(sign) },
    [OP_NOT] = { B_(not), S_(not), U_(not) },
    [OP_POPCNT] = { S_(popcnt), U_(popcnt) },
    [OP_CLZ] = { S_(clz), U_(clz) },
    [OP_SQUARE] = { S_(square), U_(square), F_(square) },
    [OP_FLOOR] = { F_(floor) },
    [OP_CEIL] = { F_(ceil) },
    [OP_ROUND_AFZ] = { F_(round_afz) },
    [OP_ROUND_EVEN] = { F_(round_even) },
    [OP_SQRT] = { F_(sqrt) },
    [OP_FMA] = { F_(fma) },
    [OP_IS_FINITE] = { F_(is_finite) },
    [OP_IS_INF] = { F_(is_inf) },
    [OP_IS_POS_INF] = { F_(is_pos_inf) },
    [OP_IS_NEG_INF] = { F_(is_neg_inf) },
    [OP_ADD] = { B_(or), S_(add), U_(add), F_(add) },
    [OP_SUB] = { S_(sub), U_(sub), F_(sub) },
    [OP_MUL] = { B_(and), S_(mul), U_(mul), F_(mul) },
    [OP_DIV] = { S_(div), U_(div), F_(div) },
    [OP_REM] = { S_(rem), U_(rem), F_(rem) },
    [OP_POW] = { S_(pow), U_(pow) },
    [OP_MAX] = { B_(or), S_(max), U_(max), F_(max) },
    [OP_MIN] = { B_(and), S_(min), U_(min), F_(min) },
    [OP_AND] = { B_(and), S_(and), U_(and) },
    [OP_OR] = { B_(or), S_(or), U_(or) },
    [OP_XOR] = { B_(xor), S_(xor), U_(xor) },
    [OP_SHL] = { S_(shl), U_(shl) },
    [OP_SHR_ARITH] = { S_(shr_arith), U_(shr_arith) },
    [OP_SHR_LOGIC] = { S_(shr_logic), U_(shr_logic) },
    [OP_MULHI] = { S_(mulhi), U_(mulhi) },
    [OP_DOT_HALVES] = { S_(dot_halves) },
    [OP_NEXT_AFTER] = { [WEFT_F16] = next_after_F16, [WEFT_BF16] = next_after_BF16, F_(next_after) },
    [OP_CLAMP] = { B_(clamp), S_(clamp), U_(clamp), F_(clamp) },
};

static ElementLoop *const recent[OP_COUNT][DTYPE_COUNT] = {
    [OP_FLOOR] = { F_(floor_recent) },
    [OP_CEIL] = { F_(ceil_recent) },
    [OP_ROUND_EVEN] = { F_(round_even_recent) },
    [OP_SQRT] = { F_(sqrt_recent) },
    [OP_FMA] = { F_(fma_recent) },
};

/* IEEE's total order is that of sign and magnitude: flipping the magnitude of negative numbers makes it the
 * order of signed ints. */
static inline int64_t total_key(uint64_t bits, int width)
{
    int64_t s = sign_extend(bits, width);
    return s < 0 ? s ^ INT64_MAX : s;
}

#define PREDICATE(TYPES, fn, ...) TYPES(LOOP2, fn, PLAIN, uint8_t, __VA_ARGS__)
#define BITS_TYPES(X, ...) \
    X(T16, uint16_t, uint16_t, uint32_t, __VA_ARGS__) \
    X(T32, uint32_t, uint32_t, uint32_t, __VA_ARGS__) X(T64, uint64_t, uint64_t, uint64_t, __VA_ARGS__)
#define ORDER(fn, OP_) \
    PREDICATE(BOOL_TYPE, fn, x OP_ y) \
    PREDICATE(INT_TYPES, fn, x OP_ y) \
    PREDICATE(FLOAT_TYPES, fn, x OP_ y) \
    PREDICATE(BITS_TYPES, fn, total_key(x, BITS) OP_ total_key(y, BITS))
ORDER(eq, ==)
ORDER(ne, !=)
ORDER(lt, <)
ORDER(le, <=)
ORDER(gt, >)
ORDER(ge, >=)

static ElementLoop *kernel_compare(CompareDir dir, CompareOrder order, DType t)
{
#define DIRECTIONS(M, ...) \
    { [CMP_EQ] = M(eq, __VA_ARGS__), [CMP_NE] = M(ne, __VA_ARGS__), [CMP_LT] = M(lt, __VA_ARGS__), \
      [CMP_LE] = M(le, __VA_ARGS__), [CMP_GT] = M(gt, __VA_ARGS__), [CMP_GE] = M(ge, __VA_ARGS__) }
#define ALL_TYPES(fn, ...) { B_(fn), S_(fn), U_(fn), F_(fn) }
#define PICK(fn, NAME)     fn##_##NAME
    static ElementLoop *const by_type[6][DTYPE_COUNT] = DIRECTIONS(ALL_TYPES, 0);
    static ElementLoop *const total16[6] = DIRECTIONS(PICK, T16), *const total32[6] = DIRECTIONS(PICK, T32),
                              *const total64[6] = DIRECTIONS(PICK, T64);
    if (order != ORDER_TOTAL || !dtype_is_float(t)) return by_type[dir][t];
    return dtype_bytes(t) == 2 ? total16[dir] : dtype_bytes(t) == 4 ? total32[dir] : total64[dir];
}

#define SELECT(BYTES, U_) \
    static void select_##BYTES(size_t n, const void *pa, const void *pb, const void *pc, void *po) \
    { \
        const uint8_t *restrict p = pa; \
        const U_ *restrict t = pb, *restrict f = pc; \
        U_ *restrict out = po; \
        for (size_t i = 0; i < n; i++) out[i] = p[i] ? t[i] : f[i]; \
    }
SELECT(1, uint8_t)
SELECT(2, uint16_t)
SELECT(4, uint32_t)
SELECT(8, uint64_t)

static ElementLoop *kernel_select(size_t bytes)
{
    return bytes == 1 ? select_1 : bytes == 2 ? select_2 : bytes == 4 ? select_4 : select_8;
}

DType kernel_type(Op op, DType t, const int64_t *attr)
{
    bool by_bits = op == OP_SELECT || op == OP_NEXT_AFTER || op == OP_REDUCE_PRECISION ||
                   (op == OP_COMPARE && attr[1] == ORDER_TOTAL);
    return by_bits ? t : compute_type(t);
}

ElementLoop *kernel_of(Op op, DType t, const int64_t *attr)
{
    if (op == OP_SELECT) return kernel_select(dtype_bytes(t));
    if (op == OP_COMPARE) return kernel_compare((CompareDir)attr[0], (CompareOrder)attr[1], t);
    return recent[op][t] && IS_RECENT ? recent[op][t] : kernels[op][t];
}
