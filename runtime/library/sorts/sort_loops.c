/* sort_loops.c: see sort_loops.h. Each loop is written once, for all sizes of elements. */
#include "sort_loops.h"

Coding coding_of(DType t, uint64_t flags)
{
    uint64_t all = UINT64_MAX >> (64 - 8 * dtype_bytes(t)), top = (all >> 1) + 1;
    Coding c = { .sign = dtype_is_signed(t) ? top : 0,
                 .inf = all,
                 .zero_kept = all,
                 .nan_kept = all,
                 .flip = flags & SORT_DESCENDING ? all : 0 };
    c.last = c.flip ? c.sign : all ^ c.sign;
    c.flip ^= c.sign;
    if (!dtype_is_float(t)) return c;
    int mantissa = dtype_info[t].mantissa_bits;
    c.inf = (top - 1) & ~((UINT64_C(1) << mantissa) - 1);
    c.minus = top - 1;
    if (flags & SORT_ZEROS_EQUAL) c.zero_kept = 0;
    c.last = flags & SORT_DESCENDING ? all : top - 1;
    if (flags & SORT_NANS_EQUAL) {
        c.nan_kept = 0;
        c.nan = c.inf | (UINT64_C(1) << (mantissa - 1));
        c.last = flags & SORT_DESCENDING ? top | c.inf : c.nan;
    }
    return c;
}

Coding coding_as_double(const Coding *c)
{
    Coding d = *c;
    d.nan = c->inf;
    d.minus = 0;
    d.flip = c->flip & 1 ? c->sign : 0;
    d.last = d.flip | c->inf;
    return d;
}

Coding coding_raised(const Coding *c, int by)
{
    return (Coding){ .sign = c->sign << by,
                     .inf = c->inf << by,
                     .zero_kept = c->zero_kept << by,
                     .nan_kept = c->nan_kept << by,
                     .nan = c->nan << by,
                     .minus = c->minus << by,
                     .flip = c->flip << by,
                     .last = c->last << by };
}

/* The loops below are written once for element types T of 1, 2, 4 and 8 bytes; a row's elements lie `stride`
 * elements apart. */
#define U(T, x)         ((T)(x))
#define MAGNITUDE(T, x) U(T, (x) & U(T, ~c->sign))
#define IS_NAN(T, x)    (MAGNITUDE(T, x) > U(T, c->inf))
#define CANONICAL(T, x) \
    U(T, MAGNITUDE(T, x) == 0 ? (x) & c->zero_kept : IS_NAN(T, x) ? ((x) & c->nan_kept) | c->nan : (x))
#define NEGATIVE(T, x) U(T, 0 - U(T, ((x) & c->sign) != 0))
#define CODE(T, x)     U(T, (x) ^ (NEGATIVE(T, x) & c->minus) ^ c->flip)

/* Keys of type KEY from elements and back. read_keys says whether the mapping merged anything; restore takes
 * what was merged from the input, in its order there: zeros where some are, NaNs at their end of the row. */
#define KEYS(T, KEY) \
    static bool read_keys_##T(const Coding *c, const void *from, void *to, size_t n, size_t stride) \
    { \
        const T *in = from; \
        KEY *key = to; \
        T changed = 0; \
        for (size_t i = 0; i < n; i++) { \
            T x = in[i * stride], y = CANONICAL(T, x); \
            changed |= x ^ y; \
            key[i] = CODE(T, y); \
        } \
        return changed != 0; \
    } \
    static void write_keys_##T(const Coding *c, const void *from, void *to, size_t n, size_t stride) \
    { \
        const KEY *key = from; \
        T *out = to; \
        for (size_t i = 0; i < n; i++) { \
            T x = U(T, key[i] ^ c->flip); \
            out[i * stride] = U(T, x ^ (NEGATIVE(T, x) & c->minus)); \
        } \
    } \
    static void restore_##T(const Coding *coding, const void *from, void *to, size_t n, size_t stride) \
    { \
        const Coding kept = *coding, *c = &kept; \
        bool down = c->flip & 1; \
        ptrdiff_t step = down ? (ptrdiff_t)stride : -(ptrdiff_t)stride, zero = 0, nan = 0; \
        const T *in = (const T *)from + (down ? 0 : (n - 1) * stride); \
        T *out = (T *)to + (down ? 0 : (n - 1) * stride); \
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++) { \
            T x = in[i * step]; \
            if (MAGNITUDE(T, x) == 0 && !c->zero_kept) { \
                while (MAGNITUDE(T, out[zero * step]) != 0) zero++; \
                out[zero++ * step] = x; \
            } else if (IS_NAN(T, x) && !c->nan_kept) { \
                out[nan++ * step] = x; \
            } \
        } \
    }
KEYS(uint8_t, uint32_t)
KEYS(uint16_t, uint32_t)
KEYS(uint32_t, uint32_t)
KEYS(uint64_t, uint64_t)

/* Elements of 1 and 2 bytes as the highest bits of ints: their codes are those of the ints, for a coding that
 * is as high. */
#define HEIGHT(T) (32 - 8 * (int)sizeof(T))
#define HIGH(T) \
    static void raise_##T(const void *from, uint32_t *to, size_t n, size_t stride) \
    { \
        const T *in = from; \
        for (size_t i = 0; i < n; i++) to[i] = (uint32_t)in[i * stride] << HEIGHT(T); \
    } \
    static void lower_##T(const uint32_t *from, void *to, size_t n, size_t stride) \
    { \
        T *out = to; \
        for (size_t i = 0; i < n; i++) out[i * stride] = (T)(from[i] >> HEIGHT(T)); \
    }
HIGH(uint8_t)
HIGH(uint16_t)

/* A block of keys that lie side by side; gives the least. Compiled for recent processors, too. */
#define BLOCK_OF_KEYS(NAME, ATTRIBUTE, T, KEY) \
    ATTRIBUTE static uint64_t NAME##_##T(const Coding *how, const void *from, void *to) \
    { \
        const Coding kept = *how, *c = &kept; \
        const T *restrict in = from; \
        KEY *restrict key = to, least = (KEY) - 1; \
        for (size_t i = 0; i < KEYS_AT_ONCE; i++) { \
            T y = CANONICAL(T, in[i]); \
            key[i] = CODE(T, y); \
            least = key[i] < least ? key[i] : least; \
        } \
        return least; \
    }
#if defined(__x86_64__)
#define BLOCKS_OF_KEYS(T, KEY) \
    BLOCK_OF_KEYS(block_plain, , T, KEY) \
    BLOCK_OF_KEYS(block_recent, __attribute__((target("avx2"))), T, KEY)
#define BLOCK(T) { block_plain_##T, block_recent_##T }
bool processor_is_recent(void) { return __builtin_cpu_supports("avx2"); }
#else
#define BLOCKS_OF_KEYS(T, KEY) BLOCK_OF_KEYS(block_plain, , T, KEY)
#define BLOCK(T)               { block_plain_##T, block_plain_##T }
bool processor_is_recent(void) { return false; }
#endif
BLOCKS_OF_KEYS(uint8_t, uint32_t)
BLOCKS_OF_KEYS(uint16_t, uint32_t)
BLOCKS_OF_KEYS(uint32_t, uint32_t)
BLOCKS_OF_KEYS(uint64_t, uint64_t)

/* Pairs. differ: the bits in which the codes of n elements do. pack: pairs of the elements from `first` on.
 * Both read the elements in order, or (again) where the pairs say. give writes the elements in the pairs'
 * positions, or (without in) the positions. */
#define POSITION(pair, position_bits) ((size_t)((pair) & ((INT64_C(1) << (position_bits)) - 1)))
#define ELEMENT_CODE(T, x)            CODE(T, CANONICAL(T, x))
#define PAIRS(T) \
    static uint64_t differ_##T(const Coding *c, const void *from, const int64_t *again, size_t n, \
                               size_t stride, int position_bits) \
    { \
        const T *in = from; \
        T all = 0, first = ELEMENT_CODE(T, in[again ? POSITION(again[0], position_bits) * stride : 0]); \
        for (size_t i = 0; i < n; i++) \
            all |= first ^ ELEMENT_CODE(T, in[(again ? POSITION(again[i], position_bits) : i) * stride]); \
        return all; \
    } \
    static void pack_##T(const Coding *coding, const void *from, int64_t *pair, size_t first, size_t n, \
                         size_t stride, PairBits bits, bool again) \
    { \
        const Coding kept = *coding, *c = &kept; \
        const T *in = from; \
        for (size_t i = first; i < n; i++) { \
            size_t at = again ? POSITION(pair[i], bits.position) : i; \
            uint64_t key = (ELEMENT_CODE(T, in[at * stride]) & bits.key) >> bits.shift; \
            pair[i] = (int64_t)(key << bits.position | at); \
        } \
    } \
    static bool counts_up_##T(const void *from, size_t first, size_t end, size_t stride) \
    { \
        const T *in = from; \
        size_t i = first; \
        while (i < end && in[i * stride] == (T)i) i++; \
        return i == end; \
    } \
    static void give_##T(const void *from, const int64_t *pair, void *to, size_t n, size_t stride, \
                         int position_bits) \
    { \
        const T *in = from; \
        T *out = to; \
        if (in) \
            for (size_t i = 0; i < n; i++) out[i * stride] = in[POSITION(pair[i], position_bits) * stride]; \
        else \
            for (size_t i = 0; i < n; i++) out[i * stride] = (T)POSITION(pair[i], position_bits); \
    }
PAIRS(uint8_t)
PAIRS(uint16_t)
PAIRS(uint32_t)
PAIRS(uint64_t)

/* Both halves at once, without a branch. */
#define PARTS(T) \
    static void part_##T(const uint8_t *key, uint8_t first, const void *from, void *to, size_t low, \
                         size_t n, size_t stride) \
    { \
        const T *in = from; \
        T *out = to; \
        size_t next = 0; \
        for (size_t i = 0; i < n; i++) { \
            bool is_first = key[i * stride] == first; \
            out[(is_first ? next : low + i - next) * stride] = in ? in[i * stride] : (T)i; \
            next += is_first; \
        } \
    }
PARTS(uint8_t)
PARTS(uint16_t)
PARTS(uint32_t)
PARTS(uint64_t)

/* Turns n rows of elements that lie `stride` apart, and each row's first beside the next one's, into rows
 * `pitch` bytes apart; and back. A few elements at a time, so that the lines of all rows stay in the L1
 * cache. */
enum { TURNED_AT_ONCE = 8 };
#define TURNS(T) \
    static void turn_##T(const void *from, void *to, size_t n, size_t length, size_t stride, size_t pitch) \
    { \
        const T *restrict in = from; \
        for (size_t i = 0; i < length; i += TURNED_AT_ONCE) { \
            size_t end = length - i < TURNED_AT_ONCE ? length : i + TURNED_AT_ONCE; \
            for (size_t row = 0; row < n; row++) { \
                T *restrict out = (T *)(void *)((char *)to + row * pitch); \
                for (size_t k = i; k < end; k++) out[k] = in[k * stride + row]; \
            } \
        } \
    } \
    static void turn_back_##T(const void *from, void *to, size_t n, size_t length, size_t stride, \
                              size_t pitch) \
    { \
        T *restrict out = to; \
        for (size_t i = 0; i < length; i++) \
            for (size_t row = 0; row < n; row++) \
                out[i * stride + row] = ((const T *)(const void *)((const char *)from + row * pitch))[i]; \
    }
TURNS(uint8_t)
TURNS(uint16_t)
TURNS(uint32_t)
TURNS(uint64_t)

#define LOOPS(T) \
    .read_keys = read_keys_##T, .write_keys = write_keys_##T, .restore = restore_##T, .differ = differ_##T, \
    .pack = pack_##T, .counts_up = counts_up_##T, .give = give_##T, .part = part_##T, .turn = turn_##T, \
    .turn_back = turn_back_##T, .block = BLOCK(T)
const RowLoops loops_of_bytes[9] = {
    [1] = { LOOPS(uint8_t), .raise = raise_uint8_t, .lower = lower_uint8_t },
    [2] = { LOOPS(uint16_t), .raise = raise_uint16_t, .lower = lower_uint16_t },
    [4] = { LOOPS(uint32_t) },
    [8] = { LOOPS(uint64_t) },
};
