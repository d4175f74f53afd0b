/* Promotion against JAX's lattice; the software conversions against a search for the nearest value. */
#include "compiler/graph/types/dtype.h"
#include "compiler/scalar/kernels.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* jax 0.10.2, dtypes.lattice_result_type of two arrays; its weak float (u64 beside a signed type) is the
 * default float here. */
#define BOOL WEFT_BOOL
#define I8   WEFT_I8
#define I16  WEFT_I16
#define I32  WEFT_I32
#define I64  WEFT_I64
#define U8   WEFT_U8
#define U16  WEFT_U16
#define U32  WEFT_U32
#define U64  WEFT_U64
#define F16  WEFT_F16
#define BF16 WEFT_BF16
#define F32  WEFT_F32
#define F64  WEFT_F64
#define C64  WEFT_C64
#define C128 WEFT_C128
static const DType lattice[DTYPE_COUNT][DTYPE_COUNT] = {
    { BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128 },
    { I8, I8, I16, I32, I64, I16, I32, I64, F32, F16, BF16, F32, F64, C64, C128 },
    { I16, I16, I16, I32, I64, I16, I32, I64, F32, F16, BF16, F32, F64, C64, C128 },
    { I32, I32, I32, I32, I64, I32, I32, I64, F32, F16, BF16, F32, F64, C64, C128 },
    { I64, I64, I64, I64, I64, I64, I64, I64, F32, F16, BF16, F32, F64, C64, C128 },
    { U8, I16, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128 },
    { U16, I32, I32, I32, I64, U16, U16, U32, U64, F16, BF16, F32, F64, C64, C128 },
    { U32, I64, I64, I64, I64, U32, U32, U32, U64, F16, BF16, F32, F64, C64, C128 },
    { U64, F32, F32, F32, F32, U64, U64, U64, U64, F16, BF16, F32, F64, C64, C128 },
    { F16, F16, F16, F16, F16, F16, F16, F16, F16, F16, F32, F32, F64, C64, C128 },
    { BF16, BF16, BF16, BF16, BF16, BF16, BF16, BF16, BF16, F32, BF16, F32, F64, C64, C128 },
    { F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F64, C64, C128 },
    { F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, C128, C128 },
    { C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C64, C128, C64, C128 },
    { C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128 },
};
static const DType beside_int[DTYPE_COUNT] = { I32, I8,  I16,  I32, I64, U8,  U16, U32,
                                               U64, F16, BF16, F32, F64, C64, C128 };
static const DType beside_float[DTYPE_COUNT] = { F32, F32, F32,  F32, F32, F32, F32, F32,
                                                 F32, F16, BF16, F32, F64, C64, C128 };

Test(dtype, promotion_is_jaxs)
{
    for (int a = 0; a < DTYPE_COUNT; a++) {
        for (int b = 0; b < DTYPE_COUNT; b++)
            cr_expect_eq(dtype_promote((DType)a, (DType)b), lattice[a][b], "%s + %s is %s, not %s",
                         dtype_name((DType)a), dtype_name((DType)b),
                         dtype_name(dtype_promote((DType)a, (DType)b)), dtype_name(lattice[a][b]));
        cr_expect_eq(dtype_promote_weak_int((DType)a), beside_int[a], "%s", dtype_name((DType)a));
        cr_expect_eq(dtype_promote_weak_float((DType)a), beside_float[a], "%s", dtype_name((DType)a));
    }
}

Test(dtype, predicates_agree_with_the_table)
{
    for (int k = 0; k < DTYPE_COUNT; k++) {
        DType t = (DType)k;
        DKind kind = dtype_kind(t);
        cr_expect_eq(dtype_is_float(t), kind == KIND_FLOAT);
        cr_expect_eq(dtype_is_int(t), kind == KIND_SIGNED || kind == KIND_UNSIGNED);
        cr_expect_eq(dtype_is_signed(t), kind == KIND_SIGNED || kind == KIND_FLOAT || kind == KIND_COMPLEX);
        cr_expect_eq(dtype_is_complex(t), kind == KIND_COMPLEX);
        cr_expect_eq(dtype_is_inexact(t), kind == KIND_FLOAT || kind == KIND_COMPLEX);
        cr_expect_eq(2 * dtype_bytes(dtype_part(t)) == dtype_bytes(t), kind == KIND_COMPLEX);
    }
}

/* A 16-bit format, decoded by its definition. */
typedef struct Narrow {
    const char *name;
    int fraction_bits, bias;
    uint16_t (*from_f32)(float);
    uint16_t (*from_f64)(double);
    float (*to_f32)(uint16_t);
} Narrow;

static const Narrow narrow[] = {
    { "f16", 10, 15, f32_to_f16, f64_to_f16, f16_to_f32 },
    { "bf16", 7, 127, f32_to_bf16, f64_to_bf16, bf16_to_f32 },
};

static uint32_t infinity_of(const Narrow *n) { return 0x7fffu & ~((1u << n->fraction_bits) - 1); }

static double decode(const Narrow *n, uint32_t h)
{
    int exponent = (int)(h & 0x7fff) >> n->fraction_bits,
        fraction = (int)(h & ((1u << n->fraction_bits) - 1));
    double v = exponent ? ldexp(fraction + (1 << n->fraction_bits), exponent - n->bias - n->fraction_bits)
                        : ldexp(fraction, 1 - n->bias - n->fraction_bits);
    return h & 0x8000 ? -v : v;
}

/* Nearest, ties to the even one, by bisection over the positive values; "infinity" decodes to the next power
 * of two, where rounding puts it. */
static uint16_t nearest(const Narrow *n, double v)
{
    double m = fabs(v);
    uint32_t low = 0, high = infinity_of(n), sign = signbit(v) ? 0x8000 : 0;
    if (m >= decode(n, high)) return (uint16_t)(sign | high);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (decode(n, middle) <= m) low = middle;
        else high = middle;
    }
    double below = m - decode(n, low), above = decode(n, high) - m;
    bool up = above < below || (above == below && (high & 1) == 0);
    return (uint16_t)(sign | (up ? high : low));
}

Test(dtype, narrow_floats_widen_and_return)
{
    for (size_t k = 0; k < 2; k++) {
        const Narrow *n = &narrow[k];
        for (uint32_t h = 0; h <= 0xffff; h++) {
            float wide = n->to_f32((uint16_t)h);
            if ((h & 0x7fff) > infinity_of(n)) {
                uint32_t quiet = h | 1u << (n->fraction_bits - 1);
                cr_assert(isnan(wide), "%s %04x", n->name, h);
                cr_assert_eq(n->from_f32(wide), quiet, "%s NaN %04x", n->name, h);
                continue;
            }
            double want = (h & 0x7fff) == infinity_of(n) ? (h & 0x8000 ? -INFINITY : INFINITY) : decode(n, h);
            cr_assert(wide == want && !signbit(wide) == !signbit(want), "%s %04x", n->name, h);
            cr_assert_eq(n->from_f32(wide), h, "%s %04x", n->name, h);
            cr_assert_eq(n->from_f64(wide), h, "%s %04x", n->name, h);
        }
    }
}

/* Every boundary where rounding turns, the next double on each side of it, and where rounding by way of f32
 * would go wrong. */
Test(dtype, rounding_turns_where_it_should)
{
    for (size_t k = 0; k < 2; k++) {
        const Narrow *n = &narrow[k];
        for (uint32_t h = 0; h < infinity_of(n); h++) {
            double middle = (decode(n, h) + decode(n, h + 1)) / 2;
            double at[] = { middle, nextafter(middle, INFINITY), nextafter(middle, 0), middle * (1 + 0x1p-40),
                            middle * (1 - 0x1p-40) };
            for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
                cr_assert_eq(n->from_f64(at[i]), nearest(n, at[i]), "%s of %a", n->name, at[i]);
                cr_assert_eq(n->from_f64(-at[i]), nearest(n, -at[i]), "%s of %a", n->name, -at[i]);
            }
            float f[] = { (float)middle, nextafterf((float)middle, INFINITY), nextafterf((float)middle, 0) };
            for (size_t i = 0; i < 3; i++)
                cr_assert_eq(n->from_f32(f[i]), nearest(n, f[i]), "%s of %a", n->name, (double)f[i]);
        }
    }
}

Test(dtype, any_float_rounds_to_the_nearest)
{
    for (uint64_t b = 0; b < 0x7f800000; b += 4099) {
        uint32_t bits = (uint32_t)b;
        float v;
        memcpy(&v, &bits, sizeof v);
        for (size_t k = 0; k < 2; k++)
            cr_assert_eq(narrow[k].from_f32(v), nearest(&narrow[k], v), "%s of %a", narrow[k].name,
                         (double)v);
    }
}

/* f64 to f32: the machine's own conversion rounds to nearest even, and is the independent method. */
Test(dtype, doubles_round_to_f32_as_the_machine_does)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 2000000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t bits = i & 1 ? x
                              : (x & 0x800fffffffffffffu) |
                                    ((uint64_t)(1023 - 155 + (int)(x >> 52 & 0xff) * 290 / 255) << 52);
        if (i % 5 == 0) bits &= ~(uint64_t)0x1fffffff, bits |= 0x10000000; /* ties */
        double v;
        memcpy(&v, &bits, sizeof v);
        if (isnan(v)) continue;
        float want = (float)v;
        uint32_t want_bits;
        memcpy(&want_bits, &want, sizeof want);
        cr_assert_eq(scalar_from_double(F32, v), want_bits, "%a", v);
    }
    cr_assert(isnan(scalar_to_double(F32, scalar_from_double(F32, NAN))));
}

typedef struct {
    DType to;
    double v;
    uint64_t bits;
} FromDouble;
static const FromDouble from_double[] = {
    { BOOL, 0.0, 0 },
    { BOOL, -0.0, 0 },
    { BOOL, 0.5, 1 },
    { BOOL, NAN, 1 },
    { I8, 127.9, 127 },
    { I8, 128, 127 },
    { I8, -128.9, 0x80 },
    { I8, -1e9, 0x80 },
    { I8, NAN, 0 },
    { I8, -0.9, 0 },
    { I8, INFINITY, 127 },
    { I16, 40000, 32767 },
    { I32, 2147483647.5, 2147483647 },
    { I32, -3e9, 0x80000000 },
    { I32, -INFINITY, 0x80000000 },
    { I64, 9.3e18, INT64_MAX },
    { I64, -9.3e18, (uint64_t)INT64_MIN },
    { I64, 0x1p62, (uint64_t)1 << 62 },
    { I64, -1.5, UINT64_MAX },
    { U8, 255.99, 255 },
    { U8, 256, 255 },
    { U8, -1, 0 },
    { U8, -0.5, 0 },
    { U16, 65536, 65535 },
    { U32, 5e9, UINT32_MAX },
    { U64, 1.9e19, UINT64_MAX },
    { U64, 0x1p63, (uint64_t)1 << 63 },
    { U64, NAN, 0 },
    { U64, -INFINITY, 0 },
    { F16, 65519.99, 0x7bff },
    { F16, 65520, 0x7c00 },
    { F16, -0.0, 0x8000 },
    { F16, 1, 0x3c00 },
    { F16, 0x1p-25, 0 },
    { F16, 0x1.8p-25, 1 },
    { BF16, 1, 0x3f80 },
    { BF16, 1e39, 0x7f80 },
    { F32, 1, 0x3f800000 },
    { F64, 1, 0x3ff0000000000000 },
};

typedef struct {
    DType to, from;
    uint64_t bits, want;
} Convert;
static const Convert conversions[] = {
    { I8, I32, 300, 44 },
    { U8, I8, 0xff, 0xff },
    { I32, I8, 0xff, 0xffffffff },
    { U64, I8, 0xff, UINT64_MAX },
    { I64, U32, 0xffffffff, 0xffffffff },
    { BOOL, I64, 256, 1 },
    { I32, BOOL, 1, 1 },
    { F32, BOOL, 1, 0x3f800000 },
    { F32, U64, UINT64_MAX, 0x5f800000 },
    { F64, U64, UINT64_MAX, 0x43f0000000000000 },
    { F64, I64, UINT64_MAX, 0xbff0000000000000 },
    { U64, F32, 0x5f800000, UINT64_MAX },
    { I64, F64, 0x43e0000000000000, INT64_MAX },
    /* 2^24 + 2 + 1 is a tie of f32 neighbours; with f64's help there is no second rounding */
    { F32, I64, 16777219, 0x4b800002 },
    { F32, I32, 0xfeffffff, 0xcb800000 },
    /* halfway between bf16 neighbours, and a last bit that f32 loses */
    { BF16, I64, ((uint64_t)1 << 62) + ((uint64_t)1 << 54), 0x5e80 },
    { BF16, I64, ((uint64_t)1 << 62) + ((uint64_t)1 << 54) + 1, 0x5e80 },
    { BF16, U64, ((uint64_t)1 << 63) + ((uint64_t)1 << 55) + 1, 0x5f00 },
    { F16, I64, (uint64_t)INT64_MIN, 0xfc00 },
    { F16, U64, 65519, 0x7bff },
    { F32, F32, 0x80000000, 0x80000000 },
    { F16, BF16, 0x3f80, 0x3c00 },
    { BF16, F16, 0x7c00, 0x7f80 },
};

Test(dtype, scalars_convert_as_stablehlo_says)
{
    for (size_t i = 0; i < sizeof from_double / sizeof *from_double; i++) {
        const FromDouble *c = &from_double[i];
        cr_expect_eq(scalar_from_double(c->to, c->v), c->bits, "%s of %g: %llx", dtype_name(c->to), c->v,
                     (unsigned long long)scalar_from_double(c->to, c->v));
    }
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const Convert *c = &conversions[i];
        uint64_t got = scalar_convert(c->to, c->from, c->bits);
        cr_expect_eq(got, c->want, "%s to %s of %llx: %llx", dtype_name(c->from), dtype_name(c->to),
                     (unsigned long long)c->bits, (unsigned long long)got);
    }
}

/* Eager mode's loops give what scalar_convert does. */
static void check_loop(DType to, DType from, uint64_t bits)
{
    unsigned char src[8], dst[8];
    scalar_store(from, src, bits);
    kernel_run_convert(from, to, 1, src, dst);
    uint64_t got = scalar_load(to, dst), want = scalar_convert(to, from, scalar_load(from, src));
    cr_expect_eq(got, want, "%s to %s of %llx: %llx, not %llx", dtype_name(from), dtype_name(to),
                 (unsigned long long)bits, (unsigned long long)got, (unsigned long long)want);
}

Test(dtype, loops_convert_as_scalars_do)
{
    enum { TIMES = 2000 };
    uint64_t r = 1;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        check_loop(conversions[i].to, conversions[i].from, conversions[i].bits);
    for (int to = 0; to < (int)WEFT_C64; to++) /* complex numbers have no loops of their own */
        for (int from = 0; from < (int)WEFT_C64; from++)
            for (int k = 0; k < TIMES; k++) {
                r = r * 6364136223846793005u + 1442695040888963407u;
                uint64_t bits = r >> (k % 64); /* of all sizes */
                check_loop((DType)to, (DType)from, from == BOOL ? bits & 1 : bits);
            }
}

Test(dtype, scalars_load_what_was_stored)
{
    for (int k = 0; k < DTYPE_COUNT; k++) {
        unsigned char room[18];
        memset(room, 0x55, sizeof room);
        uint64_t bits = scalar_from_double((DType)k, 1);
        scalar_store((DType)k, room + 1, bits);
        cr_expect_eq(scalar_load((DType)k, room + 1), bits);
        cr_expect_eq(room[0], 0x55);
        cr_expect_eq(room[1 + dtype_bytes((DType)k)], 0x55);
        cr_expect_eq(scalar_to_double((DType)k, bits), 1.0);
        cr_expect_eq(scalar_to_i64((DType)k, bits), 1);
    }
}
