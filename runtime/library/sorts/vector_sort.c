/* vector_sort.c: sorts of ints in vectors, with AVX-512 and with AVX2. Here is what each can do with one
 * vector; vector_sort.h makes sorts of it. */
#include "key_sorters.h"
#include <string.h>
#include "compiler/graph/comparator.h"
#if defined(__x86_64__)
#include <immintrin.h>

#define INDICES_4(F, c) F(0, c), F(1, c), F(2, c), F(3, c)
#define INDICES_8(F, c) INDICES_4(F, c), F(4, c), F(5, c), F(6, c), F(7, c)
#define INDICES_16(F, c) \
    INDICES_8(F, c), F(8, c), F(9, c), F(10, c), F(11, c), F(12, c), F(13, c), F(14, c), F(15, c)
#define ITSELF(i, c)           i
#define XORED(i, c)            (i) ^ (c)
#define FIRST_SWAPPED(i, bit)  (i) & (bit) ? LANES + ((i) ^ (bit)) : (i)
#define SECOND_SWAPPED(i, bit) (i) & (bit) ? LANES + (i) : (i) ^ (bit)
#define INLINE                 static inline __attribute__((always_inline))

/* load_first: n elements, as many as there are lanes at most, or less than none; then those of `rest`.
 * blend: lanes with `bit` from b, others from a. order_lanes: greater ones there, lesser ones elsewhere.
 * less: a mask of lanes. is_zero: are all bits? float_less: as less, of floats' bits; where one is NaN, too.
 * compress: the lanes of a mask first, in order; compress_rest: all others.
 * store_to: those of a mask, in order, up to the address; there is room for a whole vector. */
#define AVX512        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))
#define WITH_BIT(bit) ((bit) == 1 ? 0xaaaau : (bit) == 2 ? 0xccccu : (bit) == 4 ? 0xf0f0u : 0xff00u)
#define OPS_512(N, T, LANES, MASK, KIND, FLOATS, KIND_OF_FLOATS) \
    typedef T N##_lanes __attribute__((vector_size(64))); \
    AVX512 INLINE N##_lanes N##_load(const T *p) { return (N##_lanes)_mm512_loadu_si512(p); } \
    AVX512 INLINE void N##_store(T *p, N##_lanes v) { _mm512_storeu_si512(p, (__m512i)v); } \
    AVX512 INLINE N##_lanes N##_splat(T x) { return (N##_lanes)_mm512_set1_##KIND(x); } \
    AVX512 INLINE MASK N##_first(int n) \
    { \
        N##_lanes lane = { INDICES_##LANES(ITSELF, 0) }; \
        return _mm512_cmplt_##KIND##_mask((__m512i)lane, _mm512_set1_##KIND(n)); \
    } \
    AVX512 INLINE N##_lanes N##_load_first(const T *p, int n, N##_lanes rest) \
    { \
        return (N##_lanes)_mm512_mask_loadu_##KIND((__m512i)rest, N##_first(n), p); \
    } \
    AVX512 INLINE void N##_store_first(T *p, N##_lanes v, int n) \
    { \
        _mm512_mask_storeu_##KIND(p, N##_first(n), (__m512i)v); \
    } \
    AVX512 INLINE N##_lanes N##_min(N##_lanes a, N##_lanes b) \
    { \
        return (N##_lanes)_mm512_min_##KIND((__m512i)a, (__m512i)b); \
    } \
    AVX512 INLINE N##_lanes N##_max(N##_lanes a, N##_lanes b) \
    { \
        return (N##_lanes)_mm512_max_##KIND((__m512i)a, (__m512i)b); \
    } \
    AVX512 INLINE N##_lanes N##_blend(N##_lanes a, N##_lanes b, int bit) \
    { \
        return (N##_lanes)_mm512_mask_mov_##KIND((__m512i)a, (MASK)WITH_BIT(bit), (__m512i)b); \
    } \
    AVX512 INLINE N##_lanes N##_order_lanes(N##_lanes a, N##_lanes b, int bit) \
    { \
        return (N##_lanes)_mm512_mask_max_##KIND((__m512i)N##_min(a, b), (MASK)WITH_BIT(bit), (__m512i)a, \
                                                 (__m512i)b); \
    } \
    AVX512 INLINE unsigned N##_less(N##_lanes a, N##_lanes b) \
    { \
        return _mm512_cmplt_##KIND##_mask((__m512i)a, (__m512i)b); \
    } \
    AVX512 INLINE bool N##_is_zero(N##_lanes v) \
    { \
        N##_lanes zero = N##_splat(0); \
        return !(N##_less(zero, v) | N##_less(v, zero)); \
    } \
    AVX512 INLINE unsigned N##_float_less(N##_lanes a, N##_lanes b) \
    { \
        return _mm512_cmp_##KIND_OF_FLOATS##_mask((FLOATS)a, (FLOATS)b, _CMP_NGE_UQ); \
    } \
    AVX512 INLINE N##_lanes N##_compress(N##_lanes v, unsigned mask) \
    { \
        return (N##_lanes)_mm512_maskz_compress_##KIND((MASK)mask, (__m512i)v); \
    } \
    AVX512 INLINE N##_lanes N##_compress_rest(N##_lanes v, unsigned mask) \
    { \
        return (N##_lanes)_mm512_maskz_compress_##KIND(_knot_mask##LANES((MASK)mask), (__m512i)v); \
    } \
    AVX512 INLINE void N##_store_to(T *end, N##_lanes v, unsigned mask) \
    { \
        int count = __builtin_popcount(mask); \
        _mm512_mask_storeu_##KIND(end - count, (MASK)((1u << count) - 1), (__m512i)N##_compress(v, mask)); \
    }
OPS_512(i32x16, int32_t, 16, __mmask16, epi32, __m512, ps)
OPS_512(i64x8, int64_t, 8, __mmask8, epi64, __m512d, pd)

/* Which of 8 lanes come first for each mask, and then which do not, a byte each. */
#define LANE(mask, i) \
    ((uint64_t)(i) << 8 * ((mask) >> (i) & 1 ? __builtin_popcount((mask) & ((1u << (i)) - 1)) \
                                             : 7 - __builtin_popcount(~(mask) & 0xffu & ~0u << (i) << 1)))
#define COMPRESSED(mask) \
    LANE(mask, 0) | LANE(mask, 1) | LANE(mask, 2) | LANE(mask, 3) | LANE(mask, 4) | LANE(mask, 5) | \
        LANE(mask, 6) | LANE(mask, 7)
#define MASKS_4(m)  COMPRESSED(m), COMPRESSED((m) + 1), COMPRESSED((m) + 2), COMPRESSED((m) + 3)
#define MASKS_16(m) MASKS_4(m), MASKS_4((m) + 4), MASKS_4((m) + 8), MASKS_4((m) + 12)
#define MASKS_64(m) MASKS_16(m), MASKS_16((m) + 16), MASKS_16((m) + 32), MASKS_16((m) + 48)
static const uint64_t compressed_ps[256] = { MASKS_64(0u), MASKS_64(64u), MASKS_64(128u), MASKS_64(192u) };
/* The same for 4 lanes of two parts each. */
#define PARTS(mask) (((mask) & 1) * 3 | ((mask) & 2) * 6 | ((mask) & 4) * 12 | ((mask) & 8) * 24)
#define PARTS_4(mask) \
    COMPRESSED(PARTS(mask)), COMPRESSED(PARTS((mask) + 1)), COMPRESSED(PARTS((mask) + 2)), \
        COMPRESSED(PARTS((mask) + 3))
static const uint64_t compressed_pd[16] = { PARTS_4(0u), PARTS_4(4u), PARTS_4(8u), PARTS_4(12u) };

#define AVX2                      __attribute__((target("avx2,popcnt")))
#define BLEND_256(a, b, with_bit) (_mm256_blend_epi32((__m256i)(a), (__m256i)(b), with_bit))
#define OPS_256(N, T, LANES, KIND, SPLAT, FLOATS, KIND_OF_FLOATS, GREATER) \
    typedef T N##_lanes __attribute__((vector_size(32))); \
    AVX2 INLINE N##_lanes N##_load(const T *p) \
    { \
        return (N##_lanes)_mm256_loadu_si256((const __m256i *)(const void *)p); \
    } \
    AVX2 INLINE void N##_store(T *p, N##_lanes v) { _mm256_storeu_si256((__m256i *)(void *)p, (__m256i)v); } \
    AVX2 INLINE N##_lanes N##_splat(T x) { return (N##_lanes)SPLAT(x); } \
    AVX2 INLINE __m256i N##_first(int n) \
    { \
        N##_lanes lane = { INDICES_##LANES(ITSELF, 0) }; \
        return _mm256_cmpgt_##KIND(SPLAT(n), (__m256i)lane); \
    } \
    AVX2 INLINE N##_lanes N##_load_first(const T *p, int n, N##_lanes rest) \
    { \
        __m256i there = N##_first(n), v = _mm256_maskload_##KIND((const void *)p, there); \
        return (N##_lanes)_mm256_blendv_epi8((__m256i)rest, v, there); \
    } \
    AVX2 INLINE void N##_store_first(T *p, N##_lanes v, int n) \
    { \
        if (n >= LANES) N##_store(p, v); /* fast on all processors */ \
        else if (n > 0) _mm256_maskstore_##KIND((void *)p, N##_first(n), (__m256i)v); \
    } \
    AVX2 INLINE unsigned N##_less(N##_lanes a, N##_lanes b) \
    { \
        return (unsigned)_mm256_movemask_##KIND_OF_FLOATS((FLOATS)GREATER(b, a)); \
    } \
    AVX2 INLINE bool N##_is_zero(N##_lanes v) { return _mm256_testz_si256((__m256i)v, (__m256i)v); } \
    AVX2 INLINE N##_lanes N##_compress(N##_lanes v, unsigned mask) \
    { \
        __m128i bytes = _mm_cvtsi64_si128((long long)compressed_##KIND_OF_FLOATS[mask]); \
        return (N##_lanes)_mm256_permutevar8x32_epi32((__m256i)v, _mm256_cvtepu8_epi32(bytes)); \
    } \
    AVX2 INLINE N##_lanes N##_compress_rest(N##_lanes v, unsigned mask) \
    { \
        return N##_compress(v, mask ^ ((1u << LANES) - 1)); \
    } \
    AVX2 INLINE void N##_store_to(T *end, N##_lanes v, unsigned mask) \
    { \
        N##_store(end - LANES, N##_compress_rest(v, mask)); \
    }
#define GREATER_I32(a, b) _mm256_cmpgt_epi32((__m256i)(a), (__m256i)(b))
#define GREATER_I64(a, b) _mm256_cmpgt_epi64((__m256i)(a), (__m256i)(b))
#define GREATER_F64(a, b) _mm256_cmp_pd((__m256d)(a), (__m256d)(b), _CMP_GT_OQ)
OPS_256(i32x8, int32_t, 8, epi32, _mm256_set1_epi32, __m256, ps, GREATER_I32)
OPS_256(i64x4, int64_t, 4, epi64, _mm256_set1_epi64x, __m256d, pd, GREATER_I64)
OPS_256(f64x4, int64_t, 4, epi64, _mm256_set1_epi64x, __m256d, pd, GREATER_F64)

AVX2 INLINE unsigned i32x8_float_less(i32x8_lanes a, i32x8_lanes b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_NGE_UQ));
}
AVX2 INLINE unsigned i64x4_float_less(i64x4_lanes a, i64x4_lanes b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_NGE_UQ));
}

AVX2 INLINE i32x8_lanes i32x8_min(i32x8_lanes a, i32x8_lanes b)
{
    return (i32x8_lanes)_mm256_min_epi32((__m256i)a, (__m256i)b);
}
AVX2 INLINE i32x8_lanes i32x8_max(i32x8_lanes a, i32x8_lanes b)
{
    return (i32x8_lanes)_mm256_max_epi32((__m256i)a, (__m256i)b);
}
AVX2 INLINE i32x8_lanes i32x8_blend(i32x8_lanes a, i32x8_lanes b, int bit)
{
    return (i32x8_lanes)(bit == 1   ? BLEND_256(a, b, 0xaa)
                         : bit == 2 ? BLEND_256(a, b, 0xcc)
                                    : BLEND_256(a, b, 0xf0));
}
AVX2 INLINE i32x8_lanes i32x8_order_lanes(i32x8_lanes a, i32x8_lanes b, int bit)
{
    return i32x8_blend(i32x8_min(a, b), i32x8_max(a, b), bit);
}
AVX2 INLINE i64x4_lanes i64x4_min(i64x4_lanes a, i64x4_lanes b)
{
    return (i64x4_lanes)_mm256_blendv_pd((__m256d)a, (__m256d)b,
                                         (__m256d)_mm256_cmpgt_epi64((__m256i)a, (__m256i)b));
}
AVX2 INLINE i64x4_lanes i64x4_max(i64x4_lanes a, i64x4_lanes b)
{
    return (i64x4_lanes)_mm256_blendv_pd((__m256d)b, (__m256d)a,
                                         (__m256d)_mm256_cmpgt_epi64((__m256i)a, (__m256i)b));
}
AVX2 INLINE i64x4_lanes i64x4_blend(i64x4_lanes a, i64x4_lanes b, int bit)
{
    return (i64x4_lanes)(bit == 1 ? BLEND_256(a, b, 0xcc) : BLEND_256(a, b, 0xf0));
}
AVX2 INLINE i64x4_lanes i64x4_order_lanes(i64x4_lanes a, i64x4_lanes b, int bit)
{
    return i64x4_blend(i64x4_min(a, b), i64x4_max(a, b), bit);
}
/* AVX2 compares i64s, and then blends them; it has the minimum of doubles. */
AVX2 INLINE f64x4_lanes f64x4_min(f64x4_lanes a, f64x4_lanes b)
{
    return (f64x4_lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
}
AVX2 INLINE f64x4_lanes f64x4_max(f64x4_lanes a, f64x4_lanes b)
{
    return (f64x4_lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
}
AVX2 INLINE f64x4_lanes f64x4_blend(f64x4_lanes a, f64x4_lanes b, int bit) { return i64x4_blend(a, b, bit); }
AVX2 INLINE f64x4_lanes f64x4_order_lanes(f64x4_lanes a, f64x4_lanes b, int bit)
{
    return f64x4_blend(f64x4_min(a, b), f64x4_max(a, b), bit);
}
#undef INLINE

#define ELEMENT       int32_t
#define RADIX         radix_sorters.sort_i32
#define OF_DOUBLES    0
#define LANES         16
#define LANE_BITS     4
#define VECTOR(name)  i32x16_##name
#define TARGET        AVX512
#define INDICES       INDICES_16
#define MOST_ROW_BITS 4
#include "vector_sort.h"

#define ELEMENT       int64_t
#define RADIX         radix_sorters.sort_i64
#define LOAD_I32(p)   ((i64x8_lanes)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(p))))
#define OF_DOUBLES    0
#define LANES         8
#define LANE_BITS     3
#define VECTOR(name)  i64x8_##name
#define TARGET        AVX512
#define INDICES       INDICES_8
#define MOST_ROW_BITS 5
#include "vector_sort.h"

#define ELEMENT       int32_t
#define RADIX         radix_sorters.sort_i32
#define OF_DOUBLES    0
#define LANES         8
#define LANE_BITS     3
#define VECTOR(name)  i32x8_##name
#define TARGET        AVX2
#define INDICES       INDICES_8
#define MOST_ROW_BITS 4
#include "vector_sort.h"

#define ELEMENT       int64_t
#define RADIX         radix_sorters.sort_i64
#define LOAD_I32(p)   ((i64x4_lanes)_mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(p))))
#define OF_DOUBLES    0
#define LANES         4
#define LANE_BITS     2
#define VECTOR(name)  i64x4_##name
#define TARGET        AVX2
#define INDICES       INDICES_4
#define MOST_ROW_BITS 5
#include "vector_sort.h"

#define ELEMENT       int64_t
#define RADIX         radix_sorters.sort_i64
#define OF_DOUBLES    1
#define LANES         4
#define LANE_BITS     2
#define VECTOR(name)  f64x4_##name
#define TARGET        AVX2
#define INDICES       INDICES_4
#define MOST_ROW_BITS 5
#include "vector_sort.h"

static const KeySorters avx512_sorters = { true,
                                           i32x16_sort,
                                           i64x8_sort,
                                           NULL,
                                           { i32x16_sort_row, i64x8_sort_row },
                                           { i32x16_sort_columns, i64x8_sort_columns },
                                           { i32x16_pick, i64x8_pick },
                                           { i64x8_pack_32, i64x8_pack_64 },
                                           i64x8_differ,
                                           { i32x16_read_row, i64x8_read_row },
                                           { i32x16_deal, i64x8_deal },
                                           { i32x16_sort_part, i64x8_sort_part },
                                           { i32x16_filter, i64x8_filter },
                                           { i32x16_before, i64x8_before } };
static const KeySorters avx2_sorters = { true,
                                         i32x8_sort,
                                         i64x4_sort,
                                         f64x4_sort,
                                         { i32x8_sort_row, i64x4_sort_row, f64x4_sort_row },
                                         { i32x8_sort_columns, i64x4_sort_columns, f64x4_sort_columns },
                                         { i32x8_pick, i64x4_pick },
                                         { i64x4_pack_32, i64x4_pack_64 },
                                         i64x4_differ,
                                         { i32x8_read_row, i64x4_read_row, i64x4_read_row },
                                         { i32x8_deal, i64x4_deal, f64x4_deal },
                                         { i32x8_sort_part, i64x4_sort_part, f64x4_sort_part },
                                         { i32x8_filter, i64x4_filter },
                                         { i32x8_before, i64x4_before } };

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const KeySorters *key_sorters(int64_t vector_bytes)
{
    if (vector_bytes >= 64 && has_avx512()) return &avx512_sorters;
    return vector_bytes >= 32 && __builtin_cpu_supports("avx2") ? &avx2_sorters : &radix_sorters;
}
#else
const KeySorters *key_sorters(int64_t vector_bytes)
{
    (void)vector_bytes;
    return &radix_sorters;
}
#endif
