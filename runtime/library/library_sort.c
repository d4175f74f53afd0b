/* library_sort.c: radix sort, least digit first, on keys mapped to unsigned ints whose order is the wanted
 * one.
 *
 * A row is read into elements of one of four forms, sorted there, and written out:
 *   - one operand, which is the key: the keys alone (u32 or u64). The mapping is undone on the way out; where
 *     it merged values (zeros, NaNs), what was merged is taken again from the input, in its order there;
 *   - a key with what it carries: u64 of 32 bits key, 32 bits carried; or 64 and 64. Carried is the second
 *     operand's value if it is all there is and fits, else the position, by which all operands are fetched at
 *     the end. Several keys are sorted by one after the other, the last first.
 * Digits of 11 bits for long rows, 8 for shorter ones; digits that are the same in all keys are skipped; the
 * shortest rows are sorted by insertion.
 *
 * Where few of the positions are wanted, keys with positions are selected first. A few at an end of a row are
 * the best seen so far: a row is read in blocks, and few blocks have a key that is better. Others are found
 * by their keys' highest digits, counted: what lies in other buckets is dropped, the rest is sorted.
 */
#include "library_sort.h"
#include <string.h>

typedef struct KeyedElement {
    uint64_t key, carried;
} KeyedElement;

/* NAME(a, b, n, low, bits, counters): sorts a by the bits low .. low + bits of KEY(element), using b; returns
 * which of both has the result. C counts. */
#define DIGIT(x, KEY) ((size_t)(KEY(x) >> shift) & mask)
#define RADIX(NAME, T, C, KEY) \
    static T *NAME(T *a, T *b, size_t n, int low, int bits, void *counters) \
    { \
        int width = n < SORT_LONG_ROW ? 8 : SORT_DIGIT_BITS, passes = (bits + width - 1) / width; \
        size_t mask = ((size_t)1 << width) - 1; \
        C *count = counters; \
        memset(count, 0, ((size_t)passes << width) * sizeof *count); \
        for (size_t i = 0; i < n; i++) { \
            int shift = low; \
            for (int p = 0; p < passes; p++, shift += width) \
                count[((size_t)p << width) + DIGIT(a[i], KEY)]++; \
        } \
        for (int p = 0, shift = low; p < passes; p++, shift += width, count += mask + 1) { \
            if (count[DIGIT(a[0], KEY)] == n) continue; \
            C at = 0; \
            for (size_t d = 0; d <= mask; d++) { \
                C m = count[d]; \
                count[d] = at; \
                at += m; \
            } \
            for (size_t i = 0; i < n; i++) b[count[DIGIT(a[i], KEY)]++] = a[i]; \
            T *t = a; \
            a = b; \
            b = t; \
        } \
        return a; \
    }
#define INSERTION(NAME, T, KEY) \
    static void NAME(T *a, size_t n, int low) \
    { \
        for (size_t i = 1; i < n; i++) { \
            T x = a[i]; \
            size_t k = i; \
            for (; k > 0 && KEY(a[k - 1]) >> low > KEY(x) >> low; k--) a[k] = a[k - 1]; \
            a[k] = x; \
        } \
    }
#define SORTER(NAME, T, KEY) \
    RADIX(NAME##_radix, T, uint32_t, KEY) \
    RADIX(NAME##_radix_big, T, uint64_t, KEY) \
    INSERTION(NAME##_insertion, T, KEY) \
    static T *NAME(T *a, T *b, size_t n, int low, int bits, void *counters) \
    { \
        if (n <= SORT_SHORT_ROW) return NAME##_insertion(a, n, low), a; \
        return n <= UINT32_MAX ? NAME##_radix(a, b, n, low, bits, counters) \
                               : NAME##_radix_big(a, b, n, low, bits, counters); \
    }
#define ITSELF(x)  (x)
#define ITS_KEY(x) ((x).key)
SORTER(sort_u32, uint32_t, ITSELF)
SORTER(sort_u64, uint64_t, ITSELF)
SORTER(sort_pair, KeyedElement, ITS_KEY)

/* How a key's bits become an unsigned int of the same width: merge what is equal, turn the sign around,
 * perhaps the whole order. */
typedef struct Coding {
    /* inf: a float's magnitudes above it are NaNs; all ones for other types */
    uint64_t sign, inf;
    uint64_t zero_kept, nan_kept, nan; /* what is left of a zero's bits, of a NaN's, and what those become */
    uint64_t minus;                    /* what a negative's magnitude is flipped by: all for floats */
    uint64_t flip;                     /* for all: descending */
} Coding;

static Coding coding_of(DType t, uint64_t flags)
{
    uint64_t all = UINT64_MAX >> (64 - 8 * dtype_bytes(t)), top = (all >> 1) + 1;
    Coding c = { .sign = dtype_is_signed(t) ? top : 0,
                 .inf = all,
                 .zero_kept = all,
                 .nan_kept = all,
                 .flip = flags & SORT_DESCENDING ? all : 0 };
    if (!dtype_is_float(t)) return c;
    int mantissa = dtype_info[t].mantissa_bits;
    c.inf = (top - 1) & ~((UINT64_C(1) << mantissa) - 1);
    c.minus = top - 1;
    if (flags & SORT_ZEROS_EQUAL) c.zero_kept = 0;
    if (flags & SORT_NANS_EQUAL) c.nan_kept = 0, c.nan = c.inf | (UINT64_C(1) << (mantissa - 1));
    return c;
}

/* The loops below are written once for element types T of 1, 2, 4 and 8 bytes; a row's elements lie `stride`
 * elements apart. */
#define U(T, x)         ((T)(x))
#define MAGNITUDE(T, x) U(T, (x) & U(T, ~c->sign))
#define IS_NAN(T, x)    (MAGNITUDE(T, x) > U(T, c->inf))
#define CANONICAL(T, x) \
    U(T, MAGNITUDE(T, x) == 0 ? (x) & c->zero_kept : IS_NAN(T, x) ? ((x) & c->nan_kept) | c->nan : (x))
#define NEGATIVE(T, x) U(T, 0 - U(T, ((x) & c->sign) != 0))
#define CODE(T, x)     U(T, (x) ^ (NEGATIVE(T, x) & c->minus) ^ c->sign ^ c->flip)

/* Keys of type KEY from elements and back. read_keys says whether the mapping merged anything; restore takes
 * what was merged from the input, in its order there. */
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
            T x = U(T, key[i] ^ c->flip ^ c->sign); \
            out[i * stride] = U(T, x ^ (NEGATIVE(T, x) & c->minus)); \
        } \
    } \
    static void restore_##T(const Coding *c, const void *from, void *to, size_t n, size_t stride) \
    { \
        const T *in = from; \
        T *out = to; \
        size_t zero = 0, nan = 0; \
        for (size_t i = 0; i < n; i++) { \
            T x = in[i * stride]; \
            if (MAGNITUDE(T, x) == 0 && !c->zero_kept) { \
                while (MAGNITUDE(T, out[zero * stride]) != 0) zero++; \
                out[zero++ * stride] = x; \
            } else if (IS_NAN(T, x) && !c->nan_kept) { \
                while (!IS_NAN(T, out[nan * stride])) nan++; \
                out[nan++ * stride] = x; \
            } \
        } \
    }
KEYS(uint8_t, uint32_t)
KEYS(uint16_t, uint32_t)
KEYS(uint32_t, uint32_t)
KEYS(uint64_t, uint64_t)

/* A block of keys that lie side by side; gives the least. Compiled for recent processors, too. */
enum { KEYS_AT_ONCE = 32 };
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
static bool is_recent(void) { return __builtin_cpu_supports("avx2"); }
#else
#define BLOCKS_OF_KEYS(T, KEY) BLOCK_OF_KEYS(block_plain, , T, KEY)
#define BLOCK(T)               { block_plain_##T, block_plain_##T }
static bool is_recent(void) { return false; }
#endif
BLOCKS_OF_KEYS(uint8_t, uint32_t)
BLOCKS_OF_KEYS(uint16_t, uint32_t)
BLOCKS_OF_KEYS(uint32_t, uint32_t)
BLOCKS_OF_KEYS(uint64_t, uint64_t)

/* Pairs. carry puts elements where the carried go. take_keys sets the keys of pairs, of elements in order or
 * (by_position) where the carried say; give writes what is carried, or the elements there. */
#define PAIRS(T, S, PAIR, MAKE, CARRIED) \
    static void carry_##T##_##S(const void *from, void *to, size_t n, size_t stride) \
    { \
        const T *in = from; \
        PAIR *pair = to; \
        for (size_t i = 0; i < n; i++) pair[i] = MAKE(0, in[i * stride]); \
    } \
    static bool take_keys_##T##_##S(const Coding *c, const void *from, void *to, size_t n, size_t stride, \
                                    bool by_position) \
    { \
        const T *in = from; \
        PAIR *pair = to; \
        T changed = 0; \
        for (size_t i = 0; i < n; i++) { \
            T x = in[(by_position ? (size_t)CARRIED(pair[i]) : i) * stride], y = CANONICAL(T, x); \
            changed |= x ^ y; \
            pair[i] = MAKE(CODE(T, y), CARRIED(pair[i])); \
        } \
        return changed != 0; \
    } \
    static void give_##T##_##S(const void *from, const void *pairs, void *to, size_t n, size_t stride) \
    { \
        const T *in = from; \
        const PAIR *pair = pairs; \
        T *out = to; \
        if (in) \
            for (size_t i = 0; i < n; i++) out[i * stride] = in[(size_t)CARRIED(pair[i]) * stride]; \
        else \
            for (size_t i = 0; i < n; i++) out[i * stride] = (T)CARRIED(pair[i]); \
    }
#define MAKE_NARROW(k, v) ((uint64_t)(k) << 32 | (uint32_t)(v))
#define CARRIED_NARROW(p) ((uint32_t)(p))
#define MAKE_WIDE(k, v)   ((KeyedElement){ (k), (v) })
#define CARRIED_WIDE(p)   ((p).carried)
#define BOTH_PAIRS(T) \
    PAIRS(T, narrow, uint64_t, MAKE_NARROW, CARRIED_NARROW) \
    PAIRS(T, wide, KeyedElement, MAKE_WIDE, CARRIED_WIDE)
BOTH_PAIRS(uint8_t)
BOTH_PAIRS(uint16_t)
BOTH_PAIRS(uint32_t)
BOTH_PAIRS(uint64_t)

typedef struct RowLoops {
    bool (*read_keys)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*write_keys)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*restore)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*carry[2])(const void *from, void *to, size_t n, size_t stride); /* [1]: wide pairs */
    bool (*take_keys[2])(const Coding *, const void *from, void *to, size_t n, size_t stride,
                         bool by_position);
    void (*give[2])(const void *from, const void *pairs, void *to, size_t n, size_t stride);
    uint64_t (*block[2])(const Coding *, const void *from, void *to); /* [1]: recent processors */
} RowLoops;
#define BOTH(f, T) { f##_##T##_narrow, f##_##T##_wide }
#define LOOPS(T) \
    { \
        read_keys_##T,      write_keys_##T, restore_##T, BOTH(carry, T), \
        BOTH(take_keys, T), BOTH(give, T),  BLOCK(T) \
    }
static const RowLoops loops_of_bytes[9] = {
    [1] = LOOPS(uint8_t), [2] = LOOPS(uint16_t), [4] = LOOPS(uint32_t), [8] = LOOPS(uint64_t)
};

/* One call, and how its rows are held. wide: elements have 64-bit keys; recent: so is the processor. */
typedef struct Sort {
    const int64_t *numbers, *dtype, *key;
    size_t n, n_keys, length, stride;
    bool wide, recent;
    void *counters;
    char *half[2];
} Sort;

static size_t bytes_of(const Sort *s, size_t operand) { return dtype_bytes((DType)s->dtype[operand]); }
static int key_bits(const Sort *s, size_t key) { return 8 * (int)bytes_of(s, (size_t)s->key[2 * key]); }
static Coding key_coding(const Sort *s, size_t key)
{
    return coding_of((DType)s->dtype[s->key[2 * key]], (uint64_t)s->key[2 * key + 1]);
}

static Sort sort_of(const int64_t *numbers, void *scratch)
{
    Sort s = { .numbers = numbers,
               .dtype = numbers + SORT_DTYPES,
               .n = (size_t)numbers[SORT_N],
               .n_keys = (size_t)numbers[SORT_N_KEYS],
               .length = (size_t)numbers[SORT_LENGTH],
               .stride = (size_t)numbers[SORT_INNER],
               .counters = scratch };
    s.recent = is_recent();
    s.key = s.dtype + s.n;
    s.wide = s.length > UINT32_MAX;
    for (size_t k = 0; k < s.n_keys; k++) s.wide |= key_bits(&s, k) > 32;
    int64_t counters = sort_counter_bytes(numbers[SORT_LENGTH]);
    s.half[0] = (char *)scratch + counters;
    s.half[1] = s.half[0] + (sort_scratch_bytes(numbers) - counters) / 2;
    return s;
}

static void sort_keys(const Sort *s, const void *in, void *out)
{
    Coding c = key_coding(s, 0);
    const RowLoops *loops = &loops_of_bytes[bytes_of(s, 0)];
    bool merged = loops->read_keys(&c, in, s->half[0], s->length, s->stride);
    void *sorted = s->wide ? (void *)sort_u64((uint64_t *)s->half[0], (uint64_t *)s->half[1], s->length, 0,
                                              key_bits(s, 0), s->counters)
                           : (void *)sort_u32((uint32_t *)s->half[0], (uint32_t *)s->half[1], s->length, 0,
                                              key_bits(s, 0), s->counters);
    loops->write_keys(&c, sorted, out, s->length, s->stride);
    if (merged) loops->restore(&c, in, out, s->length, s->stride);
}

static void number_positions(const Sort *s)
{
    uint64_t *narrow = (uint64_t *)s->half[0];
    KeyedElement *wide = (KeyedElement *)s->half[0];
    if (s->wide)
        for (size_t i = 0; i < s->length; i++) wide[i].carried = i;
    else
        for (size_t i = 0; i < s->length; i++) narrow[i] = i;
}

/* Sorts the pairs in half[0] by one key; half[0] has the result. */
static void sort_by(Sort *s, int bits)
{
    void *sorted = s->wide ? (void *)sort_pair((KeyedElement *)s->half[0], (KeyedElement *)s->half[1],
                                               s->length, 0, bits, s->counters)
                           : (void *)sort_u64((uint64_t *)s->half[0], (uint64_t *)s->half[1], s->length, 32,
                                              bits, s->counters);
    if (sorted == s->half[0]) return;
    s->half[1] = s->half[0];
    s->half[0] = sorted;
}

/* The keys alone, at the beginning of half[1], as sort_keys has them. */
static void extract_keys(const Sort *s, int bits)
{
    const uint64_t *narrow = (uint64_t *)s->half[0];
    const KeyedElement *wide = (KeyedElement *)s->half[0];
    uint64_t *to64 = (uint64_t *)s->half[1];
    uint32_t *to32 = (uint32_t *)s->half[1];
    if (bits == 64)
        for (size_t i = 0; i < s->length; i++) to64[i] = wide[i].key;
    else if (s->wide)
        for (size_t i = 0; i < s->length; i++) to32[i] = (uint32_t)wide[i].key;
    else
        for (size_t i = 0; i < s->length; i++) to32[i] = (uint32_t)(narrow[i] >> 32);
}

/* in, out: the operands' rows. */
static void sort_pairs(Sort s, const void *const *in, void *const *out)
{
    size_t first = (size_t)s.key[0], other = 1 - first;
    bool carry = s.n == 2 && s.n_keys == 1 && (s.wide || bytes_of(&s, other) <= 4), merged = false;
    if (carry) loops_of_bytes[bytes_of(&s, other)].carry[s.wide](in[other], s.half[0], s.length, s.stride);
    else number_positions(&s);
    for (size_t k = s.n_keys; k-- > 0;) {
        Coding c = key_coding(&s, k);
        size_t operand = (size_t)s.key[2 * k];
        merged = loops_of_bytes[bytes_of(&s, operand)].take_keys[s.wide](&c, in[operand], s.half[0], s.length,
                                                                         s.stride, k + 1 < s.n_keys);
        sort_by(&s, key_bits(&s, k));
    }
    for (size_t i = 0; i < s.n; i++) {
        const RowLoops *loops = &loops_of_bytes[bytes_of(&s, i)];
        if (i != first || s.n_keys > 1) {
            loops->give[s.wide](carry ? NULL : in[i], s.half[0], out[i], s.length, s.stride);
            continue;
        }
        Coding c = key_coding(&s, 0);
        extract_keys(&s, key_bits(&s, 0));
        loops->write_keys(&c, s.half[1], out[i], s.length, s.stride);
        if (merged) loops->restore(&c, in[i], out[i], s.length, s.stride);
    }
}

/* ---- selection ---- */

/* So many positions at an end are found in one pass, for a row of n if k <= FEW_ALWAYS or k^2 <= n; and not
 * where keys come in such an order that for each of them so many are moved. */
enum { FEW = 128, FEW_ALWAYS = 32, MOST_MOVES = 8 };

/* The least keys of a row so far, or the greatest, with their positions: ascending, ties as they come. */
typedef struct Best {
    size_t k, have;
    size_t moves; /* how much taking one in has moved others */
    Coding coding;
    bool last; /* blocks come from the end, and are gone through backwards */
    uint64_t narrow[FEW];
    KeyedElement wide[FEW];
} Best;

/* NAME: takes in a block of keys. NAME_digits: drops the pairs in buckets that hold no wanted position;
 * returns how many stay, and *from is the first wanted one's position among them. */
#define SELECTION(NAME, PAIR, KEY, MAKE, KEY_OF, BEST) \
    static void NAME(Best *b, const KEY *key, size_t n, size_t at) \
    { \
        PAIR *best = b->BEST; \
        size_t k = b->k; \
        for (size_t i = 0; i < n; i++) { \
            size_t e = b->last ? n - 1 - i : i; \
            if (b->have == k && key[e] >= (KEY)KEY_OF(best[k - 1])) continue; \
            size_t end = b->have < k ? b->have++ : k - 1, to = end; \
            for (; to > 0 && (KEY)KEY_OF(best[to - 1]) > key[e]; to--) best[to] = best[to - 1]; \
            best[to] = MAKE(key[e], at + e); \
            b->moves += end - to; \
        } \
    } \
    static size_t NAME##_digits(PAIR *a, size_t n, int bits, size_t *from, size_t to, uint64_t *count) \
    { \
        int width = n < SORT_LONG_ROW ? 8 : SORT_DIGIT_BITS - 1; \
        for (size_t first = 0, last = 0; bits > 0 && first == last && n > SORT_SHORT_ROW;) { \
            int shift = bits > width ? bits - width : 0; \
            size_t mask = ((size_t)1 << (bits - shift)) - 1, below = 0, kept = 0; \
            memset(count, 0, (mask + 1) * sizeof *count); \
            for (size_t i = 0; i < n; i++) count[(size_t)(KEY_OF(a[i]) >> shift) & mask]++; \
            for (first = 0; below + count[first] <= *from; first++) below += count[first]; \
            size_t end = below + count[first]; \
            for (last = first; end < to; last++) end += count[last + 1]; \
            for (size_t i = 0; i < n; i++) { \
                size_t digit = (size_t)(KEY_OF(a[i]) >> shift) & mask; \
                a[kept] = a[i]; \
                kept += digit >= first && digit <= last; \
            } \
            *from -= below; \
            to -= below; \
            n = kept; \
            bits = shift; \
        } \
        return n; \
    }
#define KEY_OF_NARROW(p) ((p) >> 32)
SELECTION(least_narrow, uint64_t, uint32_t, MAKE_NARROW, KEY_OF_NARROW, narrow)
SELECTION(least_wide, KeyedElement, uint64_t, MAKE_WIDE, ITS_KEY, wide)

/* Takes in n keys of the row `in`, from position `at` on. */
static void take_block(const Sort *s, Best *b, const void *in, size_t at, size_t n)
{
    size_t bytes = bytes_of(s, (size_t)s->key[0]);
    const RowLoops *loops = &loops_of_bytes[bytes];
    const char *from = (const char *)in + at * s->stride * bytes;
    uint64_t keys[KEYS_AT_ONCE], least = 0;
    if (n == KEYS_AT_ONCE && s->stride == 1) least = loops->block[s->recent](&b->coding, from, keys);
    else loops->read_keys(&b->coding, from, keys, n, s->stride);
    bool full = b->have == b->k;
    if (bytes == 8) {
        if (full && least >= b->wide[b->k - 1].key) return;
        least_wide(b, keys, n, at);
    } else {
        if (full && least >= KEY_OF_NARROW(b->narrow[b->k - 1])) return;
        least_narrow(b, (const uint32_t *)keys, n, at);
    }
}

/* The positions of the first k of a row in order, or the last, to half[0] in order. False: it would take
 * long. */
static bool select_few(const Sort *s, const void *in, size_t k, bool last)
{
    size_t bytes = bytes_of(s, (size_t)s->key[0]), blocks = (s->length + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE;
    Best b;
    b.k = k, b.have = b.moves = 0, b.last = last, b.coding = key_coding(s, 0);
    if (k > FEW || (k > FEW_ALWAYS && k * k > s->length)) return false;
    if (last) b.coding.flip ^= UINT64_MAX >> (64 - 8 * bytes);
    for (size_t i = 0; i < blocks; i++) {
        size_t at = (last ? blocks - 1 - i : i) * KEYS_AT_ONCE, left = s->length - at;
        take_block(s, &b, in, at, left < KEYS_AT_ONCE ? left : KEYS_AT_ONCE);
        if (b.moves > MOST_MOVES * s->length) return false;
    }
    for (size_t i = 0; i < k; i++) {
        size_t to = last ? k - 1 - i : i, position = bytes == 8 ? b.wide[i].carried : (uint32_t)b.narrow[i];
        if (s->wide) ((KeyedElement *)s->half[0])[to].carried = position;
        else ((uint64_t *)s->half[0])[to] = position;
    }
    return true;
}

/* The pairs of positions *from .. to - 1 of the row in order, and perhaps more, to half[0] in order; *from is
 * the first wanted one's position among them. */
static void select_by_digits(Sort *s, const void *in, size_t *from, size_t to)
{
    Coding c = key_coding(s, 0);
    int bits = key_bits(s, 0);
    number_positions(s);
    loops_of_bytes[bits / 8].take_keys[s->wide](&c, in, s->half[0], s->length, s->stride, false);
    s->length = s->wide
                    ? least_wide_digits((KeyedElement *)s->half[0], s->length, bits, from, to, s->counters)
                    : least_narrow_digits((uint64_t *)s->half[0], s->length, bits, from, to, s->counters);
    sort_by(s, bits);
}

/* in, out: the operands' rows. */
static void select_pairs(Sort s, const void *const *in, void *const *out)
{
    size_t from = (size_t)s.numbers[SORT_FROM], to = (size_t)s.numbers[SORT_TO], wanted = to - from,
           end = s.length - from, at = from, pair = s.wide ? sizeof(KeyedElement) : sizeof(uint64_t);
    const void *keys = in[s.key[0]];
    bool last = end < to;
    if (wanted == 0) return;
    if (!select_few(&s, keys, last ? end : to, last)) select_by_digits(&s, keys, &at, to);
    else if (last) at = 0;
    for (size_t i = 0; i < s.n; i++)
        loops_of_bytes[bytes_of(&s, i)].give[s.wide](in[i], s.half[0] + at * pair,
                                                     (char *)out[i] + from * s.stride * bytes_of(&s, i),
                                                     wanted, s.stride);
}

enum { MAX_OPERANDS = 64 };

void library_sort(void *const *buffers, const int64_t *numbers)
{
    size_t n = (size_t)numbers[SORT_N], length = (size_t)numbers[SORT_LENGTH],
           inner = (size_t)numbers[SORT_INNER];
    if (n > MAX_OPERANDS || length == 0) return;
    Sort s = sort_of(numbers, buffers[2 * n]);
    bool selects = sort_selects(numbers);
    for (size_t row = 0; row < (size_t)numbers[SORT_OUTER] * inner; row++) {
        const void *in[MAX_OPERANDS];
        void *out[MAX_OPERANDS];
        size_t at = row / inner * length * inner + row % inner;
        for (size_t i = 0; i < n; i++) {
            in[i] = (const char *)buffers[i] + at * bytes_of(&s, i);
            out[i] = (char *)buffers[n + i] + at * bytes_of(&s, i);
        }
        if (selects) select_pairs(s, in, out);
        else if (n == 1) sort_keys(&s, in[0], out[0]);
        else sort_pairs(s, in, out);
    }
}
