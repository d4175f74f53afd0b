/* library_sort.c: rows are read as ints whose order is the wanted one, sorted as such (key_sorters.h), and
 * written out.
 *
 *   - Only the key is wanted, and there is one: its codes alone. The coding is undone on the way out; where
 *     it merged values (zeros, NaNs), what was merged is taken again from the input, in its order there.
 *   - Else pairs, in i64: a key's bits above those of its position, so that no two are equal, and the order
 *     is stable. A key that does not fit is sorted by its highest bits first; then each run of equals by the
 *     next ones, and by the next key. All operands are fetched from their positions at the end.
 *
 * Where few of the positions are wanted, they are selected first, and only they are sorted. With vectors, by
 * the best seen so far, round after round, or by limits that samples give. Without, or where those were
 * wrong: a few at an end of a row are the best seen so far: a row is read in blocks, and few blocks have a
 * key that is better. Others are found by their keys' highest digits, counted: what lies in other buckets is
 * dropped.
 *
 * Rows whose elements lie apart are turned, a line of the cache wide: else each would read all those lines
 * again.
 *
 * Several threads take rows in turn, each in scratch of its own; or all of them one row after the other,
 * which is split (split_sort.h).
 */
#include "library_sort.h"
#include <stdatomic.h>
#include <string.h>
#include "key_sorters.h"
#include "split_sort.h"

static Coding coding_of(DType t, uint64_t flags)
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

/* A double's code that is a double: with infinity for NaN, negated for a descending order. */
static Coding coding_as_double(const Coding *c)
{
    Coding d = *c;
    d.nan = c->inf;
    d.minus = 0;
    d.flip = c->flip & 1 ? c->sign : 0;
    d.last = d.flip | c->inf;
    return d;
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

static Coding coding_raised(const Coding *c, int by)
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

typedef struct RowLoops {
    bool (*read_keys)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*write_keys)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*restore)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    uint64_t (*differ)(const Coding *, const void *from, const int64_t *again, size_t n, size_t stride,
                       int position_bits);
    void (*pack)(const Coding *, const void *from, int64_t *pair, size_t first, size_t n, size_t stride,
                 PairBits, bool again);
    bool (*counts_up)(const void *from, size_t first, size_t end, size_t stride);
    void (*give)(const void *from, const int64_t *pair, void *to, size_t n, size_t stride, int position_bits);
    void (*turn)(const void *from, void *to, size_t n, size_t length, size_t stride, size_t pitch);
    void (*turn_back)(const void *from, void *to, size_t n, size_t length, size_t stride, size_t pitch);
    uint64_t (*block[2])(const Coding *, const void *from, void *to); /* [1]: recent processors */
} RowLoops;
#define LOOPS(T) \
    { read_keys_##T, write_keys_##T, restore_##T, differ_##T,    pack_##T, \
      counts_up_##T, give_##T,       turn_##T,    turn_back_##T, BLOCK(T) }
static const RowLoops loops_of_bytes[9] = {
    [1] = LOOPS(uint8_t), [2] = LOOPS(uint16_t), [4] = LOOPS(uint32_t), [8] = LOOPS(uint64_t)
};

/* One call, and how its rows are held. */
typedef struct Sort {
    const int64_t *numbers, *dtype, *key;
    size_t n, n_keys, length, stride;
    size_t turned; /* so many rows at a time */
    int position_bits;
    bool recent;
    const KeySorters *sorters;
    KeyKind key_kind, pair_kind; /* of the first key's codes, if these are sorted alone; of pairs */
    Coding coding[SORT_MAX_KEYS];
    void *counters;
    char *turned_rows, *half[2];
    const Crew *crew; /* of a row that is split; else NULL */
    size_t parts;
    size_t *table;
} Sort;

static size_t bytes_of(const Sort *s, size_t operand) { return dtype_bytes((DType)s->dtype[operand]); }
static int key_bits(const Sort *s, size_t key) { return 8 * (int)bytes_of(s, (size_t)s->key[2 * key]); }
static bool is_wanted(const Sort *s, size_t operand) { return s->numbers[SORT_WANTED] >> operand & 1; }

/* The counters of digits come first, then what is turned, the elements last. */
static void use_scratch(Sort *s, void *scratch, int64_t bytes)
{
    int64_t half = sort_half_bytes(s->numbers);
    s->counters = scratch;
    s->turned_rows = (char *)scratch + sort_counter_bytes(s->numbers[SORT_LENGTH]);
    s->half[0] = (char *)scratch + bytes - 2 * half;
    s->half[1] = s->half[0] + half;
}

static Sort sort_of(const int64_t *numbers, void *scratch)
{
    Sort s = { .numbers = numbers,
               .dtype = numbers + SORT_DTYPES,
               .n = (size_t)numbers[SORT_N],
               .n_keys = (size_t)numbers[SORT_N_KEYS],
               .length = (size_t)numbers[SORT_LENGTH],
               .stride = (size_t)numbers[SORT_INNER],
               .turned = (size_t)sort_turned(numbers),
               .recent = is_recent(),
               .sorters = key_sorters(numbers[SORT_VECTOR_BYTES]) };
    s.key = s.dtype + s.n;
    while (s.position_bits < 62 && (s.length - 1) >> s.position_bits) s.position_bits++;
    for (size_t k = 0; k < s.n_keys; k++)
        s.coding[k] = coding_of((DType)s.dtype[s.key[2 * k]], (uint64_t)s.key[2 * k + 1]);
    bool merges = !s.coding[0].zero_kept && !s.coding[0].nan_kept;
    s.pair_kind = s.sorters->sort_f64 ? DOUBLES : INTS_8;
    s.key_kind = key_bits(&s, 0) < 64 ? INTS_4 : merges ? s.pair_kind : INTS_8;
    use_scratch(&s, scratch, sort_scratch_bytes(numbers));
    return s;
}

/* ---- keys alone ---- */

static bool only_key_is_wanted(const Sort *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (is_wanted(s, i) && (int64_t)i != s->key[0]) return false;
    return s->n_keys == 1;
}

/* Elements of 1 and 2 bytes in vectors of ints. */
static bool sort_small(const Sort *s, const Coding *c, const void *in, void *out, size_t bytes)
{
    uint32_t *a = (uint32_t *)s->half[0];
    size_t n = s->length;
    Coding high = coding_raised(c, 32 - 8 * (int)bytes);
    (bytes == 1 ? raise_uint8_t : raise_uint16_t)(in, a, n, s->stride);
    bool merged = s->sorters->sort_row[0](&high, a, a, s->half[1], n, s->counters);
    (bytes == 1 ? lower_uint8_t : lower_uint16_t)(a, out, n, s->stride);
    return merged;
}

static bool sort_codes(const Sort *s, const Coding *c, const void *in, void *out)
{
    size_t bytes = (size_t)key_bits(s, 0) / 8, n = s->length;
    const RowLoops *loops = &loops_of_bytes[bytes];
    void *a = s->half[0], *b = s->half[1];
    bool in_vectors = s->sorters->sort_row[s->key_kind];
    if (in_vectors && bytes < 4) return sort_small(s, c, in, out, bytes);
    if (in_vectors && s->stride == 1) return s->sorters->sort_row[s->key_kind](c, in, out, a, n, s->counters);
    bool merged = loops->read_keys(c, in, a, n, s->stride);
    void *sorted = sort_ints(s->sorters, s->key_kind, a, b, n, 0, 8 * (int)bytes, s->counters);
    loops->write_keys(c, sorted, out, n, s->stride);
    return merged;
}

/* Of ints that stay what they are. */
static const Coding uncoded = { .zero_kept = UINT64_MAX, .nan_kept = UINT64_MAX };

/* The same row, split. */
typedef struct KeySplit {
    const Sort *sort;
    const Coding *coding, *high; /* high: that of ints of 4 bytes at least */
    const char *in, *codes;
    char *out;
} KeySplit;

/* Codes of n elements, `stride` elements apart. */
static bool read_codes(const KeySplit *p, const void *in, void *to, size_t n, size_t stride)
{
    const Sort *s = p->sort;
    size_t bytes = (size_t)key_bits(s, 0) / 8;
    if (bytes < 4) {
        (bytes == 1 ? raise_uint8_t : raise_uint16_t)(in, to, n, stride);
        return s->sorters->read[0](p->high, to, to, n);
    }
    if (stride == 1) return s->sorters->read[s->key_kind](p->coding, in, to, n);
    return loops_of_bytes[bytes].read_keys(p->coding, in, to, n, stride);
}

static bool read_chunk_of_keys(const void *of, size_t from, size_t n, void *to)
{
    const KeySplit *p = of;
    size_t stride = p->sort->stride;
    return read_codes(p, p->in + from * stride * bytes_of(p->sort, (size_t)p->sort->key[0]), to, n, stride);
}

static void sample_keys(const void *of, size_t n, void *to)
{
    const KeySplit *p = of;
    read_codes(p, p->in, to, n, p->sort->length / n * p->sort->stride);
}

static void write_part_of_keys(const void *of, size_t from, size_t n, void *counters)
{
    const KeySplit *p = of;
    size_t bytes = bytes_of(p->sort, (size_t)p->sort->key[0]), stride = p->sort->stride;
    const void *codes = p->codes + from * (bytes == 8 ? 8 : 4);
    char *out = p->out + from * stride * bytes;
    (void)counters;
    if (bytes < 4) (bytes == 1 ? lower_uint8_t : lower_uint16_t)(codes, out, n, stride);
    else loops_of_bytes[bytes].write_keys(p->coding, codes, out, n, stride);
}

static bool sort_codes_split(const Sort *s, const Coding *c, const void *in, void *out)
{
    size_t bytes = (size_t)key_bits(s, 0) / 8;
    Coding high = bytes < 4 ? coding_raised(c, 32 - 8 * (int)bytes) : *c;
    bool here = bytes >= 4 && s->stride == 1;
    void *a = here ? out : s->half[0], *b = here ? s->half[0] : s->half[1];
    KeySplit p = { .sort = s, .coding = c, .high = &high, .in = in, .codes = a, .out = out };
    return split_sort(&(SplitSort){ .sorters = s->sorters,
                                    .coding = here || bytes < 4 ? &high : &uncoded,
                                    .kind = s->key_kind,
                                    .n = s->length,
                                    .parts = s->parts,
                                    .a = a,
                                    .b = b,
                                    .table = s->table,
                                    .read = read_chunk_of_keys,
                                    .sample = sample_keys,
                                    .done = here ? NULL : write_part_of_keys,
                                    .of = &p },
                      s->crew);
}

static void sort_keys(const Sort *s, const void *in, void *out)
{
    Coding c = s->coding[0];
    size_t bytes = (size_t)key_bits(s, 0) / 8;
    if (s->key_kind == DOUBLES) c = coding_as_double(&c);
    else if (s->sorters->is_signed) c.flip ^= UINT64_C(1) << (8 * bytes - 1);
    bool merged = s->crew ? sort_codes_split(s, &c, in, out) : sort_codes(s, &c, in, out);
    if (merged) loops_of_bytes[bytes].restore(&s->coding[0], in, out, s->length, s->stride);
}

/* ---- pairs ---- */

/* They have so many bits: as doubles, they are in the same order, and none is NaN. */
enum { PAIR_BITS = 62 };

/* How these pairs' codes by key k differ, of n elements of the row, or (again) those of the pairs. Negatives
 * are not turned around for that: where signs differ, their bit says so, and the lowest bits of whole numbers
 * are zero on both sides. */
static uint64_t codes_differ(const Sort *s, const void *in, size_t k, const int64_t *again, size_t n,
                             size_t stride)
{
    Coding c = s->coding[k];
    size_t bytes = (size_t)key_bits(s, k) / 8;
    c.minus = 0;
    if (!again && stride == 1 && bytes == 8 && s->sorters->differ) return s->sorters->differ(&c, in, n);
    return loops_of_bytes[bytes].differ(&c, in, again, n, stride, s->position_bits);
}

static void make_pairs(const Sort *s, const void *in, size_t k, int64_t *pair, size_t n, PairBits bits,
                       bool again)
{
    const Coding *c = &s->coding[k];
    size_t bytes = (size_t)key_bits(s, k) / 8, first = 0;
    if (!again && s->stride == 1 && bytes >= 4 && s->sorters->pack[bytes == 8])
        first = s->sorters->pack[bytes == 8](c, in, pair, n, bits);
    loops_of_bytes[bytes].pack(c, in, pair, first, n, s->stride, bits, again);
}

static int width_of(uint64_t bits)
{
    int n = 0;
    while (n < 64 && bits >> n) n++;
    return n;
}

static uint64_t low_bits(uint64_t bits, int n) { return bits & ((UINT64_C(1) << n) - 1); }

static int64_t *sort_run(const Sort *s, const void *const *in, int64_t *a, int64_t *b, size_t n, size_t k,
                         int left, bool again);

/* Sorts each run of equals by the lowest `left` bits of key k, and what follows. */
static void sort_equals(const Sort *s, const void *const *in, int64_t *a, int64_t *b, size_t n, size_t k,
                        int left)
{
    for (size_t i = 0, end; i < n; i = end) {
        int64_t key = a[i] >> s->position_bits;
        for (end = i + 1; end < n && a[end] >> s->position_bits == key;) end++;
        if (end - i == 1) continue;
        int64_t *sorted = sort_run(s, in, a + i, b + i, end - i, k, left, true);
        if (sorted != a + i) memcpy(a + i, sorted, (end - i) * sizeof *a);
    }
}

/* Sorts the pairs in a by the lowest `left` bits of key k, and then what follows; without `again`, the row as
 * it is. Returns which of a and b has the result. */
static int64_t *sort_run(const Sort *s, const void *const *in, int64_t *a, int64_t *b, size_t n, size_t k,
                         int left, bool again)
{
    size_t operand = (size_t)s->key[2 * k];
    int room = PAIR_BITS - s->position_bits;
    PairBits bits = { .position = s->position_bits };
    uint64_t differ = UINT64_MAX;
    if (left > room && left == key_bits(s, k)) {
        differ = codes_differ(s, in[operand], k, again ? a : NULL, n, s->stride);
        left = width_of(differ);
    }
    if (left > room) bits.shift = left - room;
    bits.key = left ? UINT64_MAX >> (64 - left) : 0;
    make_pairs(s, in[operand], k, a, n, bits, again);
    if (left) {
        int64_t *sorted =
            sort_ints(s->sorters, s->pair_kind, a, b, n, s->position_bits, left - bits.shift, s->counters);
        if (sorted != a) b = a;
        a = sorted;
    }
    int more = width_of(low_bits(differ, bits.shift));
    if (more) sort_equals(s, in, a, b, n, k, more);
    else if (k + 1 < s->n_keys) sort_equals(s, in, a, b, n, k + 1, key_bits(s, k + 1));
    return a;
}

/* Writes operand i, if it is wanted, in the pairs' positions. */
static void give_operand(const Sort *s, size_t i, const void *in, void *out, const int64_t *pair, size_t from,
                         size_t n, bool counts)
{
    size_t bytes = bytes_of(s, i);
    if (is_wanted(s, i))
        loops_of_bytes[bytes].give(counts ? NULL : in, pair, (char *)out + from * s->stride * bytes, n,
                                   s->stride, s->position_bits);
}

static bool counts_up(const Sort *s, size_t i, const void *in, size_t first, size_t end)
{
    return loops_of_bytes[bytes_of(s, i)].counts_up(in, first, end, s->stride);
}

/* Writes what is wanted of the operands in the pairs' positions. */
static void give(const Sort *s, const void *const *in, void *const *out, const int64_t *pair, size_t from,
                 size_t n)
{
    for (size_t i = 0; i < s->n; i++) {
        bool counts = n == s->length && is_wanted(s, i) && counts_up(s, i, in[i], 0, n);
        give_operand(s, i, in[i], out[i], pair, from, n, counts);
    }
}

/* ---- pairs of a row that is split ---- */

enum { MAX_OPERANDS = 64 };

typedef struct PairSplit {
    const Sort *sort;
    const void *const *in;
    void *const *out;
    PairBits bits;
    int more; /* so many lower bits of the first key differ, too */
    int64_t *a, *b;
    _Atomic uint64_t *differ;   /* so far */
    _Atomic uint64_t *no_count; /* bits of the operands that do not count up */
} PairSplit;

static size_t part_start(const Sort *s, size_t i) { return s->length / s->parts * i; }
static size_t part_end(const Sort *s, size_t i)
{
    return i + 1 < s->parts ? part_start(s, i + 1) : s->length;
}

/* How the codes of one chunk differ, from one another and from the row's first. */
static void differ_in_chunk(const void *frame, int64_t chunk, void *counters)
{
    const PairSplit *p = frame;
    const Sort *s = p->sort;
    size_t from = part_start(s, (size_t)chunk), operand = (size_t)s->key[0];
    const char *in = p->in[operand], *at = in + from * s->stride * bytes_of(s, operand);
    (void)counters;
    uint64_t all = codes_differ(s, at, 0, NULL, part_end(s, (size_t)chunk) - from, s->stride);
    if (from) all |= codes_differ(s, in, 0, NULL, 2, from * s->stride);
    atomic_fetch_or_explicit(p->differ, all, memory_order_relaxed);
}

static bool read_chunk_of_pairs(const void *of, size_t from, size_t n, void *to)
{
    const PairSplit *p = of;
    const Sort *s = p->sort;
    int64_t *pair = to;
    size_t operand = (size_t)s->key[0];
    const char *in = p->in[operand];
    make_pairs(s, in + from * s->stride * bytes_of(s, operand), 0, pair, n, p->bits, false);
    for (size_t i = 0; i < n; i++) pair[i] += (int64_t)from;
    for (size_t i = 0; i < s->n; i++)
        if (is_wanted(s, i) && !(atomic_load_explicit(p->no_count, memory_order_relaxed) >> i & 1) &&
            !counts_up(s, i, p->in[i], from, from + n))
            atomic_fetch_or_explicit(p->no_count, UINT64_C(1) << i, memory_order_relaxed);
    return false;
}

/* Is what follows to be decided where these bits are equal? */
static bool has_more(const PairSplit *p) { return p->more || p->sort->n_keys > 1; }

/* Runs of equals that are sorted again are not cut by limits. */
static void sample_pairs(const void *of, size_t n, void *to)
{
    const PairSplit *p = of;
    const Sort *s = p->sort;
    int64_t *pair = to;
    size_t step = s->length / n;
    for (size_t i = 0; i < n; i++) pair[i] = (int64_t)(i * step);
    make_pairs(s, p->in[s->key[0]], 0, pair, n, p->bits, true);
    for (size_t i = 0; i < n && has_more(p); i++)
        pair[i] = (int64_t)((uint64_t)pair[i] >> s->position_bits << s->position_bits);
}

static void finish_part_of_pairs(const void *of, size_t from, size_t n, void *counters)
{
    const PairSplit *p = of;
    Sort s = *p->sort;
    s.counters = counters;
    int left = p->more ? p->more : has_more(p) ? key_bits(&s, 1) : 0;
    if (left) sort_equals(&s, p->in, p->a + from, p->b + from, n, p->more ? 0 : 1, left);
    uint64_t no_count = atomic_load_explicit(p->no_count, memory_order_relaxed);
    for (size_t i = 0; i < s.n; i++)
        give_operand(&s, i, p->in[i], p->out[i], p->a + from, from, n, !(no_count >> i & 1));
}

static void sort_pairs_split(const Sort *s, const void *const *in, void *const *out)
{
    _Atomic uint64_t differ = 0, no_count = 0;
    PairSplit p = { .sort = s,
                    .in = in,
                    .out = out,
                    .bits = { .position = s->position_bits },
                    .a = (int64_t *)s->half[0],
                    .b = (int64_t *)s->half[1],
                    .differ = &differ,
                    .no_count = &no_count };
    int left = key_bits(s, 0), room = PAIR_BITS - s->position_bits;
    if (left > room) {
        crew_run(s->crew, differ_in_chunk, &p, s->parts);
        left = width_of(differ);
    }
    if (left > room) p.bits.shift = left - room;
    p.more = width_of(low_bits(differ, p.bits.shift));
    p.bits.key = left ? UINT64_MAX >> (64 - left) : 0;
    split_sort(&(SplitSort){ .sorters = s->sorters,
                             .coding = &uncoded,
                             .kind = s->pair_kind,
                             .n = s->length,
                             .parts = s->parts,
                             .a = p.a,
                             .b = p.b,
                             .table = s->table,
                             .read = read_chunk_of_pairs,
                             .sample = sample_pairs,
                             .done = finish_part_of_pairs,
                             .of = &p },
               s->crew);
}

static void sort_pairs(const Sort *s, const void *const *in, void *const *out)
{
    int64_t *a = (int64_t *)s->half[0], *b = (int64_t *)s->half[1];
    if (s->crew) sort_pairs_split(s, in, out);
    else give(s, in, out, sort_run(s, in, a, b, s->length, 0, key_bits(s, 0), false), 0, s->length);
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
    uint64_t key[FEW];
    size_t position[FEW];
} Best;

static void take_key(Best *b, uint64_t key, size_t position)
{
    if (b->have == b->k && key >= b->key[b->k - 1]) return;
    size_t end = b->have < b->k ? b->have++ : b->k - 1, to = end;
    for (; to > 0 && b->key[to - 1] > key; to--) {
        b->key[to] = b->key[to - 1];
        b->position[to] = b->position[to - 1];
    }
    b->key[to] = key;
    b->position[to] = position;
    b->moves += end - to;
}

/* Takes in n keys of the row `in`, from position `at` on. */
static void take_block(const Sort *s, Best *b, const void *in, size_t at, size_t n)
{
    size_t bytes = bytes_of(s, (size_t)s->key[0]);
    const RowLoops *loops = &loops_of_bytes[bytes];
    const char *from = (const char *)in + at * s->stride * bytes;
    uint64_t keys[KEYS_AT_ONCE], least = 0;
    if (n == KEYS_AT_ONCE && s->stride == 1) least = loops->block[s->recent](&b->coding, from, keys);
    else loops->read_keys(&b->coding, from, keys, n, s->stride);
    if (b->have == b->k && least >= b->key[b->k - 1]) return;
    for (size_t i = 0; i < n; i++) {
        size_t e = b->last ? n - 1 - i : i;
        take_key(b, bytes == 8 ? keys[e] : ((const uint32_t *)keys)[e], at + e);
    }
}

/* The positions of the first k of a row in order, or the last, to half[0] in order. False: it would take
 * long. */
static bool select_few(const Sort *s, const void *in, size_t k, bool last)
{
    size_t bytes = bytes_of(s, (size_t)s->key[0]), blocks = (s->length + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE;
    Best b;
    b.k = k, b.have = b.moves = 0, b.last = last, b.coding = s->coding[0];
    if (k > FEW || (k > FEW_ALWAYS && k * k > s->length)) return false;
    if (last) b.coding.flip ^= UINT64_MAX >> (64 - 8 * bytes);
    for (size_t i = 0; i < blocks; i++) {
        size_t at = (last ? blocks - 1 - i : i) * KEYS_AT_ONCE, left = s->length - at;
        take_block(s, &b, in, at, left < KEYS_AT_ONCE ? left : KEYS_AT_ONCE);
        if (b.moves > MOST_MOVES * s->length) return false;
    }
    for (size_t i = 0; i < k; i++) ((int64_t *)s->half[0])[last ? k - 1 - i : i] = (int64_t)b.position[i];
    return true;
}

/* Drops the pairs in buckets that hold no wanted position, by `bits` bits above those of positions; returns
 * how many stay, and *from is the first wanted one's position among them. */
static size_t keep_buckets(const Sort *s, int64_t *a, int bits, size_t *from, size_t to)
{
    uint64_t *count = s->counters;
    size_t n = s->length;
    int width = n < SORT_LONG_ROW ? 8 : SORT_DIGIT_BITS - 1;
    for (size_t first = 0, last = 0; bits > 0 && first == last && n > SORT_SHORT_ROW;) {
        int low = bits > width ? bits - width : 0, shift = s->position_bits + low;
        size_t mask = ((size_t)1 << (bits - low)) - 1, below = 0, kept = 0;
        memset(count, 0, (mask + 1) * sizeof *count);
        for (size_t i = 0; i < n; i++) count[(size_t)(a[i] >> shift) & mask]++;
        for (first = 0; below + count[first] <= *from; first++) below += count[first];
        size_t end = below + count[first];
        for (last = first; end < to; last++) end += count[last + 1];
        for (size_t i = 0; i < n; i++) {
            size_t digit = (size_t)(a[i] >> shift) & mask;
            a[kept] = a[i];
            kept += digit >= first && digit <= last;
        }
        *from -= below;
        to -= below;
        n = kept;
        bits = low;
    }
    return n;
}

/* The pairs of positions *from .. to - 1 of the row in order, and perhaps more; *from is the place of the
 * first wanted one among them. */
static int64_t *select_by_digits(const Sort *s, const void *const *in, size_t *from, size_t to)
{
    int64_t *a = (int64_t *)s->half[0], *b = (int64_t *)s->half[1];
    int width = key_bits(s, 0), room = PAIR_BITS - s->position_bits;
    PairBits bits = { .position = s->position_bits,
                      .shift = width > room ? width - room : 0,
                      .key = UINT64_MAX };
    make_pairs(s, in[s->key[0]], 0, a, s->length, bits, false);
    size_t n = keep_buckets(s, a, width - bits.shift, from, to);
    return sort_run(s, in, a, b, n, 0, width, true);
}

/* Samples of a row: one of each SAMPLED elements, but so many at least and at most. Rows of fewer than
 * LEAST_SAMPLED elements are rather sorted. */
enum { SAMPLED = 256, LEAST_SAMPLES = 64, MOST_SAMPLES = 4096, LEAST_SAMPLED = 512 };
/* So many times as many as are wanted are sorted first; a round leaves so many times as many at most; and it
 * pays for rows that are so many times as long, more for such as would be sampled. */
enum { FIRST_ROUND = 4, MOST_OF_ROUND = 8, ROUNDS_PAY = 16, ROUNDS_PAY_LONG = 64 };
/* Of shorter rows no pairs are made if only keys are wanted (medians). */
enum { LEAST_PAIRED = 1025 };

/* How far a sample's place may be off: three standard deviations of how many of the samples are below. */
static size_t slack(size_t place, size_t samples)
{
    double variance = (double)place * (double)(samples - place) / (double)samples;
    size_t deviation = 1;
    while ((double)(deviation * deviation) < variance) deviation++;
    return 3 * deviation;
}

/* Between which codes the positions from .. to - 1 of the row lie, most probably: two ints of the key's
 * size. */
static void guess_limits(const Sort *s, const Coding *c, const void *in, size_t from, size_t to, void *limits)
{
    size_t bytes = (size_t)key_bits(s, 0) / 8, m = s->length / SAMPLED;
    m = m < LEAST_SAMPLES ? LEAST_SAMPLES : m > MOST_SAMPLES ? MOST_SAMPLES : m;
    void *a = s->half[0], *b = s->half[1];
    loops_of_bytes[bytes].read_keys(c, in, a, m, s->length / m);
    char *sorted =
        sort_ints(s->sorters, bytes == 8 ? INTS_8 : INTS_4, a, b, m, 0, 8 * (int)bytes, s->counters);
    size_t low = from * m / s->length, high = to * m / s->length;
    size_t least = slack(low, m), most = high + slack(high, m);
    int64_t wide[2] = { INT64_MIN, INT64_MAX };
    int32_t narrow[2] = { INT32_MIN, INT32_MAX };
    memcpy(limits, bytes == 8 ? (void *)wide : (void *)narrow, 2 * bytes);
    if (low >= least) memcpy(limits, sorted + (low - least) * bytes, bytes);
    if (most < m) memcpy((char *)limits + bytes, sorted + most * bytes, bytes);
}

/* As select_by_digits, of what lies between limits that samples give. NULL: that would be wrong, or much. */
static int64_t *select_by_samples(const Sort *s, const void *const *in, size_t *from, size_t to)
{
    Coding c = s->coding[0];
    const void *keys = in[s->key[0]];
    size_t bytes = (size_t)key_bits(s, 0) / 8, below;
    int64_t limits[2], *pair = (int64_t *)s->half[0];
    c.flip ^= UINT64_C(1) << (8 * bytes - 1);
    guess_limits(s, &c, keys, *from, to, limits);
    size_t n = s->sorters->filter[bytes == 8](&c, keys, s->length, limits, s->half[1], &below);
    if (below > *from || below + n < to || n > s->length / 2) return NULL;
    for (size_t i = 0; i < n; i++)
        pair[i] = bytes == 8 ? ((int64_t *)s->half[1])[i] : ((int32_t *)s->half[1])[i];
    *from -= below;
    return sort_run(s, in, pair, (int64_t *)s->half[1], n, 0, key_bits(s, 0), true);
}

/* The first k pairs of the row in order, and perhaps more, by rounds: of what follows what has been seen,
 * twice as much, only what is less than the k-th so far stays, some 2 k (of one key: equals come later), and
 * is sorted with those. NULL: it is much more, for the row descends. */
static const int64_t *select_by_rounds(const Sort *s, const void *const *in, size_t k)
{
    Coding c = s->coding[0];
    size_t bytes = (size_t)key_bits(s, 0) / 8, seen = FIRST_ROUND * k;
    const char *keys = in[s->key[0]];
    int64_t *a = (int64_t *)s->half[0], *b = (int64_t *)s->half[1];
    uint64_t position = (UINT64_C(1) << s->position_bits) - 1;
    c.flip ^= UINT64_C(1) << (8 * bytes - 1);
    if (seen < LEAST_SAMPLES) seen = LEAST_SAMPLES;
    if (seen > s->length) seen = s->length;
    int64_t *best = sort_run(s, in, a, b, seen, 0, key_bits(s, 0), false);
    for (size_t n = 2 * seen; seen < s->length; seen += n, n = 2 * seen) {
        if (n > s->length - seen) n = s->length - seen;
        for (size_t i = 0; i < k; i++) a[i] = (int64_t)((uint64_t)best[i] & position);
        const char *last = keys + (size_t)a[k - 1] * bytes;
        size_t more = s->sorters->before[bytes == 8](&c, keys + seen * bytes, n, last, b);
        if (more > MOST_OF_ROUND * k) return NULL;
        for (size_t i = 0; i < more; i++) a[k + i] = (int64_t)seen + (bytes == 8 ? b[i] : ((int32_t *)b)[i]);
        best = sort_run(s, in, a, b, k + more, 0, key_bits(s, 0), true);
    }
    return best;
}

static bool has_vectors(const Sort *s)
{
    int bits = key_bits(s, 0);
    return s->stride == 1 && bits >= 32 && s->length <= INT32_MAX && s->sorters->filter[bits == 64];
}

static bool rounds_pay(const Sort *s)
{
    size_t pays = s->length < LEAST_SAMPLED ? ROUNDS_PAY : ROUNDS_PAY_LONG;
    return s->n_keys == 1 && pays * (size_t)s->numbers[SORT_TO] <= s->length;
}

/* Keys alone are sorted in a shorter time than it takes to make pairs, and to select of these. */
static bool rather_sorts(const Sort *s)
{
    return s->length < LEAST_PAIRED && has_vectors(s) && !rounds_pay(s);
}

/* With vectors, few at the beginning are found by rounds; else a short row is sorted, and a longer one
 * sampled first. */
static const int64_t *select_by_vectors(const Sort *s, const void *const *in, size_t *from, size_t to)
{
    if (!has_vectors(s)) return NULL;
    const int64_t *few = rounds_pay(s) ? select_by_rounds(s, in, to) : NULL;
    if (few) return few;
    if (s->length >= LEAST_SAMPLED) return select_by_samples(s, in, from, to);
    return sort_run(s, in, (int64_t *)s->half[0], (int64_t *)s->half[1], s->length, 0, key_bits(s, 0), false);
}

static void select_pairs(const Sort *s, const void *const *in, void *const *out)
{
    size_t from = (size_t)s->numbers[SORT_FROM], to = (size_t)s->numbers[SORT_TO], end = s->length - from,
           at = from;
    bool last = end < to;
    if (to == from) return;
    const int64_t *pairs = select_by_vectors(s, in, &at, to);
    if (pairs) {
        give(s, in, out, pairs + at, from, to - from);
        return;
    }
    pairs = (int64_t *)s->half[0];
    if (!select_few(s, in[s->key[0]], last ? end : to, last)) pairs = select_by_digits(s, in, &at, to);
    else if (last) at = 0;
    give(s, in, out, pairs + at, from, to - from);
}

/* ---- rows ---- */

typedef enum { KEYS_ALONE, IN_PAIRS, SELECTED } HowToSort;

static HowToSort how_to_sort(const Sort *s)
{
    bool only_key = only_key_is_wanted(s);
    if (sort_selects(s->numbers) && !(only_key && rather_sorts(s))) return SELECTED;
    return only_key ? KEYS_ALONE : IN_PAIRS;
}

static void sort_row(const Sort *s, HowToSort how, const void *const *in, void *const *out)
{
    switch (how) {
    case KEYS_ALONE: sort_keys(s, in[s->key[0]], out[s->key[0]]); return;
    case IN_PAIRS:   sort_pairs(s, in, out); return;
    case SELECTED:   select_pairs(s, in, out); return;
    }
}

/* Turns operand i of n rows that begin side by side, or (back) what is wanted of it. */
static void turn(const Sort *s, size_t i, char *turned, void *there, size_t n, bool back)
{
    const RowLoops *loops = &loops_of_bytes[bytes_of(s, i)];
    size_t pitch = (size_t)sort_turned_bytes(s->numbers, (int64_t)i), from = (size_t)s->numbers[SORT_FROM];
    if (!back) loops->turn(there, turned, n, s->length, s->stride, pitch);
    else
        loops->turn_back(turned + from * bytes_of(s, i), (char *)there + from * s->stride * bytes_of(s, i), n,
                         (size_t)s->numbers[SORT_TO] - from, s->stride, pitch);
}

/* n rows that begin side by side. Each is sorted to one row more, and put back where it was. */
static void sort_turned_rows(const Sort *s, HowToSort how, const void *const *in, void *const *out, size_t n)
{
    char *turned[MAX_OPERANDS + 1] = { s->turned_rows };
    Sort one = *s;
    one.stride = 1;
    for (size_t i = 0; i < s->n; i++) {
        turned[i + 1] = turned[i] + (s->turned + 1) * (size_t)sort_turned_bytes(s->numbers, (int64_t)i);
        turn(s, i, turned[i], (void *)in[i], n, false);
    }
    for (size_t row = 0; row < n; row++) {
        void *from[MAX_OPERANDS], *to[MAX_OPERANDS];
        for (size_t i = 0; i < s->n; i++) {
            size_t pitch = (size_t)sort_turned_bytes(s->numbers, (int64_t)i);
            from[i] = turned[i] + row * pitch;
            to[i] = turned[i + 1] - pitch;
        }
        sort_row(&one, how, (const void *const *)from, to);
        for (size_t i = 0; i < s->n; i++) {
            size_t first = (size_t)s->numbers[SORT_FROM] * bytes_of(s, i),
                   end = (size_t)s->numbers[SORT_TO] * bytes_of(s, i);
            if (is_wanted(s, i)) memcpy((char *)from[i] + first, (char *)to[i] + first, end - first);
        }
    }
    for (size_t i = 0; i < s->n; i++)
        if (is_wanted(s, i)) turn(s, i, turned[i], out[i], n, true);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void sort_rows(const Sort *s, void *const *buffers, size_t first, size_t end)
{
    HowToSort how = how_to_sort(s);
    for (size_t row = first, n; row < end; row += n) {
        const void *in[MAX_OPERANDS];
        void *out[MAX_OPERANDS];
        size_t at = row / s->stride * s->length * s->stride + row % s->stride;
        for (size_t i = 0; i < s->n; i++) {
            in[i] = (const char *)buffers[i] + at * bytes_of(s, i);
            out[i] = (char *)buffers[s->n + i] + at * bytes_of(s, i);
        }
        n = least(s->turned, least(end - row, s->stride - row % s->stride));
        if (n > 1) sort_turned_rows(s, how, in, out, n);
        else sort_row(s, how, in, out);
    }
}

/* Rows are dealt to pieces of LEAST_PIECE_NS or more. */
enum { LEAST_PIECES = 2, MOST_PIECES = 256, LEAST_PIECE_NS = 5000 };

typedef struct RowPieces {
    const Sort *sort;
    void *const *buffers;
    size_t rows, pieces;
} RowPieces;

static void sort_piece(const void *frame, int64_t piece, void *scratch)
{
    const RowPieces *r = frame;
    Sort s = *r->sort;
    size_t i = (size_t)piece, blocks = (r->rows + s.turned - 1) / s.turned;
    use_scratch(&s, scratch, sort_row_bytes(s.numbers));
    sort_rows(&s, r->buffers, blocks * i / r->pieces * s.turned,
              least(blocks * (i + 1) / r->pieces * s.turned, r->rows));
}

static void sort_in_pieces(const Sort *s, void *const *buffers, size_t rows, const Workers *workers)
{
    size_t ns = (size_t)sort_ns(s->numbers), pieces = ns / LEAST_PIECE_NS;
    if (pieces < LEAST_PIECES) pieces = LEAST_PIECES;
    if (pieces > MOST_PIECES) pieces = MOST_PIECES;
    pieces = least(pieces, (rows + s->turned - 1) / s->turned);
    workers->run(workers, sort_piece, &(RowPieces){ s, buffers, rows, pieces }, s->counters,
                 &(ParallelLoop){ (int64_t)pieces, sort_row_bytes(s->numbers), (int64_t)ns });
}

static void sort_split(Sort *s, void *const *buffers, size_t rows, const Workers *workers)
{
    Crew crew = { .workers = *workers,
                  .counters = s->counters,
                  .counter_bytes = sort_counter_bytes((int64_t)s->length),
                  .ns = sort_ns(s->numbers) };
    s->crew = &crew;
    s->parts = (size_t)sort_parts(s->numbers);
    s->table = (size_t *)(void *)((char *)s->counters + s->numbers[SORT_THREADS] * crew.counter_bytes);
    sort_rows(s, buffers, 0, rows);
}

void library_sort(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    size_t n = (size_t)numbers[SORT_N], rows = (size_t)(numbers[SORT_OUTER] * numbers[SORT_INNER]);
    if (n > MAX_OPERANDS || numbers[SORT_LENGTH] == 0) return;
    Sort s = sort_of(numbers, buffers[2 * n]);
    Workers few = workers ? *workers : (Workers){ .most = 1 }; /* as many as have scratch */
    if (few.most > numbers[SORT_THREADS]) few.most = numbers[SORT_THREADS];
    if (few.most > 1 && sort_parts(numbers) == 1) sort_in_pieces(&s, buffers, rows, &few);
    else if (few.most > 1 && s.sorters->deal[0]) sort_split(&s, buffers, rows, &few);
    else sort_rows(&s, buffers, 0, rows);
}
