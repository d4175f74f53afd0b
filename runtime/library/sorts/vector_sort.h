/* vector_sort.h: a sort of ints, or of doubles, in vectors, for one type and one set of instructions.
 * vector_sort.c includes it once for each, with
 *     ELEMENT, LANES, LANE_BITS   the type, elements of a vector, their logarithm
 *     OF_DOUBLES                  1: an int stands for the double with its bits; none is NaN or -0
 *     RADIX                       the radix sort of that type
 *     VECTOR(name), TARGET        its functions' names, and the attribute that they have
 *     INDICES(F, c)               F(0, c), F(1, c), .. for all lanes
 *     MOST_ROW_BITS               a network sorts up to 2^MOST_ROW_BITS vectors
 *     LOAD_I32(p)                 for i64: a vector of i32s, widened
 * and after the functions of one vector that OPS_512 or OPS_256 make.
 *
 * Few elements: Batcher's sorts. An element's place in the order has bits; the low ones are those of
 * its row (which vector), the others those of its lane. So most steps are a minimum and a maximum of two
 * rows, and only those across lanes need shuffles. In the end rows and lanes change places.
 * Columns: bitonic sorts of rows alone, a lane to each column.
 * Many: quicksort. A partition writes what is less than the pivot to the front of a, the rest to the front of
 * b, and reads one of both: nothing is written before it was read. So a part lies in a, where it will be in
 * the end, or anywhere in b. Where pivots were bad too often, the radix sort takes over. A long row that is
 * read from elsewhere is coded and dealt to quarters in one pass: past the caches, passes are what costs.
 */
#define INLINE TARGET static inline __attribute__((always_inline))
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* whose code gcc says it cannot unroll */
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
#define V VECTOR(lanes)

/* ---- codes ---- */

/* The bits of a Coding in each lane. */
typedef struct VECTOR(Codes) {
    V magnitude, inf, zero_kept, nan_kept, nan, minus, flip, last;
    bool merges;
} VECTOR(Codes);

INLINE VECTOR(Codes) VECTOR(codes)(const Coding *c)
{
    uint64_t magnitudes = (UINT64_C(1) << (8 * sizeof(ELEMENT) - 1)) - 1;
    return (VECTOR(Codes)){ .magnitude = VECTOR(splat)((ELEMENT)~c->sign),
                            .inf = VECTOR(splat)((ELEMENT)(c->inf & magnitudes)),
                            .zero_kept = VECTOR(splat)((ELEMENT)c->zero_kept),
                            .nan_kept = VECTOR(splat)((ELEMENT)c->nan_kept),
                            .nan = VECTOR(splat)((ELEMENT)c->nan),
                            .minus = VECTOR(splat)((ELEMENT)c->minus),
                            .flip = VECTOR(splat)((ELEMENT)c->flip),
                            .last = VECTOR(splat)((ELEMENT)c->last),
                            .merges = coding_merges(c) };
}

INLINE V VECTOR(negative)(V x) { return x >> (8 * (int)sizeof(ELEMENT) - 1); }

/* Notes in *changed what bits were merged. */
INLINE V VECTOR(merge)(const VECTOR(Codes) * c, V x, V *changed)
{
    V magnitude = x & c->magnitude, zero = magnitude == 0, nan = magnitude > c->inf;
    V y = x & (~zero | c->zero_kept);
    y = (y & (~nan | c->nan_kept)) | (nan & c->nan);
    if (OF_DOUBLES) y = VECTOR(min)(x & ~(x == ~c->magnitude), c->nan); /* of NaN and infinity: the latter */
    *changed |= x ^ y;
    return y;
}

INLINE V VECTOR(turn_negatives)(const VECTOR(Codes) * c, V x)
{
    return OF_DOUBLES ? x : x ^ (VECTOR(negative)(x) & c->minus);
}

INLINE V VECTOR(encode)(const VECTOR(Codes) * c, V x, V *changed)
{
    if (c->merges) x = VECTOR(merge)(c, x, changed);
    return VECTOR(turn_negatives)(c, x) ^ c->flip;
}

INLINE V VECTOR(decode)(const VECTOR(Codes) * c, V x) { return VECTOR(turn_negatives)(c, x ^ c->flip); }

/* Encodes n elements; returns whether any were merged. */
TARGET static bool VECTOR(read)(const VECTOR(Codes) * codes, const ELEMENT *in, ELEMENT *key, size_t n)
{
    VECTOR(Codes) c = *codes;
    V changed = VECTOR(splat)(0);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        VECTOR(store)(key + i, VECTOR(encode)(&c, VECTOR(load)(in + i), &changed));
    V rest = VECTOR(encode)(&c, VECTOR(load_first)(in + i, (int)(n - i), c.last), &changed);
    VECTOR(store_first)(key + i, rest, (int)(n - i));
    return !VECTOR(is_zero)(changed);
}

/* ---- networks ---- */

/* Lane i has lane i ^ c. */
#define CASE(c) \
    case c: return __builtin_shufflevector(v, v, INDICES(XORED, c));
INLINE V VECTOR(exchange)(V v, int c)
{
    switch (c) {
        CASE(1)
        CASE(2)
        CASE(3)
#if LANES > 4
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
#endif
#if LANES > 8
        CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
#endif
    }
    return v;
}
#undef CASE

INLINE void VECTOR(order)(V *a, V *b)
{
    V low = VECTOR(min)(*a, *b);
    *b = VECTOR(max)(*a, *b);
    *a = low;
}

/* The loops here count, so that compilers unroll them. */
/* Orders rows that are 2^(bits - 1) apart, then those at half of that, and so on; the last steps by 8 rows,
 * which registers hold. */
INLINE void VECTOR(order_rows)(V *v, int row_bits, int bits)
{
    UNROLL for (int k = bits - 1; k >= 3; k--)
        UNROLL for (int i = 0; i < 1 << row_bits; i++) if (!(i >> k & 1))
            VECTOR(order)(&v[i], &v[i + (1 << k)]);
    int few = row_bits < 3 ? row_bits : 3, last = bits < 3 ? bits : 3;
    UNROLL for (int g = 0; g < 1 << (row_bits - few); g++) UNROLL for (int k = last - 1; k >= 0; k--)
        UNROLL for (int i = g << few; i < (g + 1) << few; i++) if (!(i >> k & 1))
            VECTOR(order)(&v[i], &v[i + (1 << k)]);
}

/* Batcher's odd-even merge of rows that are sorted by 2^m: by twice as many. */
INLINE void VECTOR(merge_rows)(V *v, int row_bits, int m)
{
    UNROLL for (int k = m; k >= 0; k--) UNROLL for (int i = 0; i < 1 << row_bits; i++)
    {
        int to = i + (1 << k);
        if ((i >> k & 1) == (k < m) && to >> (m + 1) == i >> (m + 1)) VECTOR(order)(&v[i], &v[to]);
    }
}

/* Sorts each lane down its rows, first by 8 rows, which registers hold. */
INLINE void VECTOR(sort_rows)(V *v, int row_bits)
{
    int few = row_bits < 3 ? row_bits : 3;
    UNROLL for (int g = 0; g < 1 << (row_bits - few); g++) UNROLL for (int m = 0; m < few; m++)
        VECTOR(merge_rows)(v + (g << few), few, m);
    UNROLL for (int m = few; m < row_bits; m++) VECTOR(merge_rows)(v, row_bits, m);
}

/* The m-th bit of the order above those of rows, as a bit of lanes: such that the exchange of rows and lanes
 * puts all bits where they belong. */
#define LANE_BIT(m) (1 << (row_bits < LANE_BITS ? (row_bits + (m)) % LANE_BITS : (m)))

/* One step of merging sorted lanes by their bit m, of rows with their counterparts. */
INLINE void VECTOR(merge_pair)(V *x, V *y, int row_bits, int m)
{
    int bit = LANE_BIT(m), all = 0;
    UNROLL for (int k = 0; k <= m; k++) all |= LANE_BIT(k);
    V z = VECTOR(exchange)(*y, all), low = VECTOR(min)(*x, z), high = VECTOR(max)(*x, z);
    *x = VECTOR(blend)(low, high, bit);
    *y = VECTOR(exchange)(VECTOR(blend)(high, low, bit), all);
}

INLINE void VECTOR(order_within)(V *x, int row_bits, int m)
{
    UNROLL for (int k = m - 1; k >= 0; k--) *x =
        VECTOR(order_lanes)(*x, VECTOR(exchange)(*x, LANE_BIT(k)), LANE_BIT(k));
}

/* That step, and the first two of order_rows, for 8 rows at a time, which these steps bring together. */
INLINE void VECTOR(merge_by_eights)(V *v, int row_bits, int m)
{
    int low = row_bits - 2, others = (1 << low) - 1;
    UNROLL for (int g = 0; g < 1 << (row_bits - 3); g++)
    {
        V w[8];
        UNROLL for (int i = 0; i < 8; i++) w[i] = v[(i & 3) << low | (i < 4 ? g : others - g)];
        UNROLL for (int i = 0; i < 4; i++) VECTOR(merge_pair)(&w[i], &w[7 - i], row_bits, m);
        UNROLL for (int i = 0; i < 8; i++) VECTOR(order_within)(&w[i], row_bits, m);
        VECTOR(order_rows)(w, 3, 2);
        UNROLL for (int i = 0; i < 8; i++) v[(i & 3) << low | (i < 4 ? g : others - g)] = w[i];
    }
}

/* Merges the sorted lanes: two of them, four, and so on. */
INLINE void VECTOR(merge_lanes)(V *v, int row_bits)
{
    int rows = 1 << row_bits;
    UNROLL for (int m = 0; m < LANE_BITS; m++)
    {
        if (sizeof(V) == 32 && row_bits > 3) { /* AVX2 has 16 registers */
            VECTOR(merge_by_eights)(v, row_bits, m);
            VECTOR(order_rows)(v, row_bits, row_bits - 2);
        } else {
            UNROLL for (int i = 0; i < rows / 2; i++)
                VECTOR(merge_pair)(&v[i], &v[rows - 1 - i], row_bits, m);
            UNROLL for (int i = 0; i < rows; i++) VECTOR(order_within)(&v[i], row_bits, m);
            VECTOR(order_rows)(v, row_bits, row_bits);
        }
    }
}
#undef LANE_BIT

/* Lanes with `bit` of *x and those without of *y change places. */
#define CASE(bit) \
    case bit: \
        *x = __builtin_shufflevector(p, q, INDICES(FIRST_SWAPPED, bit)); \
        *y = __builtin_shufflevector(p, q, INDICES(SECOND_SWAPPED, bit)); \
        break;
INLINE void VECTOR(swap_lanes)(V *x, V *y, int lane_bit)
{
    V p = *x, q = *y;
    switch (lane_bit) {
        CASE(1)
        CASE(2)
#if LANES > 4
        CASE(4)
#endif
#if LANES > 8
        CASE(8)
#endif
    }
}
#undef CASE

INLINE void VECTOR(rows_to_lanes)(V *v, int row_bits)
{
    int bits = row_bits < LANE_BITS ? row_bits : LANE_BITS;
    UNROLL for (int k = 0; k < bits; k++) UNROLL for (int i = 0; i < 1 << row_bits; i++) if (!(i >> k & 1))
        VECTOR(swap_lanes)(&v[i], &v[i | 1 << k], 1 << k);
}

/* Where there are more row bits than lane bits, rows come out of order: this is the one in place i. */
INLINE int VECTOR(row_in_place)(int i, int row_bits)
{
    int more = row_bits > LANE_BITS ? row_bits - LANE_BITS : 0;
    return i >> more | (i & ((1 << more) - 1)) << LANE_BITS;
}

/* Doubles: infinities. */
#define LEAST    ((ELEMENT)(OF_DOUBLES ? -(INT64_C(1) << 52) : sizeof(ELEMENT) == 4 ? INT32_MIN : INT64_MIN))
#define GREATEST ((ELEMENT)(OF_DOUBLES ? INT64_C(0x7ff) << 52 : sizeof(ELEMENT) == 4 ? INT32_MAX : INT64_MAX))

/* Sorts n ints, or (encodes) elements, and decodes them; returns whether any were merged. */
INLINE bool VECTOR(sort_few)(const VECTOR(Codes) * codes, const ELEMENT *from, ELEMENT *to, int n,
                             int row_bits, bool encodes)
{
    VECTOR(Codes) c = *codes;
    V v[1 << MOST_ROW_BITS], changed = VECTOR(splat)(0);
    V rest = encodes ? c.last : VECTOR(splat)(GREATEST);
    UNROLL for (int i = 0; i < 1 << row_bits; i++)
    {
        v[i] = VECTOR(load_first)(from + i * LANES, n - i * LANES, rest);
        if (encodes) v[i] = VECTOR(encode)(&c, v[i], &changed);
    }
    VECTOR(sort_rows)(v, row_bits);
    VECTOR(merge_lanes)(v, row_bits);
    VECTOR(rows_to_lanes)(v, row_bits);
    UNROLL for (int i = 0; i < 1 << row_bits; i++)
    {
        V x = VECTOR(decode)(&c, v[VECTOR(row_in_place)(i, row_bits)]);
        VECTOR(store_first)(to + i * LANES, x, n - i * LANES);
    }
    return !VECTOR(is_zero)(changed);
}
#define SORT_ROWS(ROW_BITS) \
    TARGET static __attribute__((noinline)) void VECTOR(sort_ints_##ROW_BITS)( \
        const VECTOR(Codes) * c, const ELEMENT *from, ELEMENT *to, int n) \
    { \
        VECTOR(sort_few)(c, from, to, n, ROW_BITS, false); \
    } \
    TARGET static __attribute__((noinline)) bool VECTOR(sort_elements_##ROW_BITS)( \
        const VECTOR(Codes) * c, const ELEMENT *from, ELEMENT *to, int n) \
    { \
        return VECTOR(sort_few)(c, from, to, n, ROW_BITS, true); \
    }
SORT_ROWS(1)
SORT_ROWS(2)
SORT_ROWS(3)
SORT_ROWS(4)
#if MOST_ROW_BITS > 4
SORT_ROWS(5)
#endif
#undef SORT_ROWS

/* These take at most LANES << MOST_ROW_BITS elements; to may be from. */
TARGET static void VECTOR(sort_ints)(const VECTOR(Codes) * c, const ELEMENT *from, ELEMENT *to, size_t n)
{
    if (n <= 2 * LANES) VECTOR(sort_ints_1)(c, from, to, (int)n);
    else if (n <= 4 * LANES) VECTOR(sort_ints_2)(c, from, to, (int)n);
    else if (n <= 8 * LANES) VECTOR(sort_ints_3)(c, from, to, (int)n);
#if MOST_ROW_BITS > 4
    else if (n > 16 * LANES) VECTOR(sort_ints_5)(c, from, to, (int)n);
#endif
    else VECTOR(sort_ints_4)(c, from, to, (int)n);
}
TARGET static bool VECTOR(sort_elements)(const VECTOR(Codes) * c, const ELEMENT *from, ELEMENT *to, size_t n)
{
    if (n <= 2 * LANES) return VECTOR(sort_elements_1)(c, from, to, (int)n);
    if (n <= 4 * LANES) return VECTOR(sort_elements_2)(c, from, to, (int)n);
    if (n <= 8 * LANES) return VECTOR(sort_elements_3)(c, from, to, (int)n);
#if MOST_ROW_BITS > 4
    if (n > 16 * LANES) return VECTOR(sort_elements_5)(c, from, to, (int)n);
#endif
    return VECTOR(sort_elements_4)(c, from, to, (int)n);
}

/* ---- columns ---- */

/* A lane to each column: rows are ordered by Batcher's bitonic sort, eight at a time, which registers hold.
 * Behind the last row there are some that none comes behind. */

/* The first three steps of merging blocks of 4 `eighth` rows: by twice as many. */
INLINE void VECTOR(merge_far)(V *row, size_t n, size_t eighth)
{
    for (size_t i = 0; i + 4 * eighth < n; i += 8 * eighth)
        for (size_t g = 0; g < eighth; g++) {
            V w[8], *low = row + i + g, *high = row + i + eighth - 1 - g;
            UNROLL for (size_t k = 0; k < 8; k++) w[k] = (k < 4 ? low : high)[k * eighth];
            UNROLL for (int k = 0; k < 4; k++) VECTOR(order)(&w[k], &w[7 - k]);
            VECTOR(order_rows)(w, 3, 2);
            UNROLL for (size_t k = 0; k < 8; k++)(k < 4 ? low : high)[k * eighth] = w[k];
        }
}

/* The steps that follow: rows that are 2^(bits - 1) times so far apart, and so on. */
INLINE void VECTOR(merge_near)(V *row, size_t n, size_t apart, int bits)
{
    for (size_t i = 0; i < n; i += 8 * apart)
        for (size_t g = i; g < i + apart && g < n; g++) {
            V w[8];
            UNROLL for (size_t k = 0; k < 8; k++) w[k] = row[g + k * apart];
            VECTOR(order_rows)(w, 3, bits);
            UNROLL for (size_t k = 0; k < 8; k++) row[g + k * apart] = w[k];
        }
}

TARGET static void VECTOR(merge_columns)(V *row, size_t n)
{
    for (int m = 3; n > (size_t)1 << m; m++) {
        int left = m - 2;
        VECTOR(merge_far)(row, n, (size_t)1 << left);
        for (; left >= 3; left -= 3) VECTOR(merge_near)(row, n, (size_t)1 << (left - 3), 3);
        if (left == 2) VECTOR(merge_near)(row, n, 1, 2);
        if (left == 1) VECTOR(merge_near)(row, n, 1, 1);
    }
}

TARGET static bool VECTOR(sort_columns)(const Coding *coding, const void *from, void *to, void *work,
                                        size_t n, size_t stride, size_t columns)
{
    VECTOR(Codes) c = VECTOR(codes)(coding);
    V *row = (V *)(((uintptr_t)work + sizeof(V) - 1) & ~(uintptr_t)(sizeof(V) - 1));
    V changed = VECTOR(splat)(0), none = VECTOR(splat)(GREATEST);
    for (size_t j = 0; j < columns; j += LANES) {
        const ELEMENT *in = (const ELEMENT *)from + j;
        ELEMENT *out = (ELEMENT *)to + j;
        int lanes = columns - j < LANES ? (int)(columns - j) : LANES;
        size_t i = 0;
        for (; i < n; i++) {
            V x = VECTOR(load_first)(in + i * stride, lanes, c.last);
            row[i] = VECTOR(encode)(&c, x, &changed);
            if (i % 8 == 7) VECTOR(sort_rows)(row + i - 7, 3);
        }
        for (size_t end = (size_t)sort_column_rows((int64_t)n); i < end; i++) {
            row[i] = none;
            if (i % 8 == 7 && i - n < 8) VECTOR(sort_rows)(row + i - 7, 3);
        }
        VECTOR(merge_columns)(row, n);
        for (i = 0; i < n; i++) VECTOR(store_first)(out + i * stride, VECTOR(decode)(&c, row[i]), lanes);
    }
    return !VECTOR(is_zero)(changed);
}

/* ---- quicksort ---- */

/* Moves what is less than the pivot, or (or_equal) not greater, to low, the rest to high; one of both is
 * `from`. Returns how many are low. Whole vectors are stored: what they write too much is written again, or
 * was read already. */
INLINE size_t VECTOR(partition)(const ELEMENT *from, ELEMENT *low, ELEMENT *high, size_t n, ELEMENT pivot,
                                bool or_equal)
{
    enum { AT_ONCE = 4, ALL = (1 << LANES) - 1 };
    V p = VECTOR(splat)(pivot);
    ELEMENT *first = low;
    size_t i = 0;
    for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES) {
        V v[AT_ONCE];
        unsigned mask[AT_ONCE];
        UNROLL for (int k = 0; k < AT_ONCE; k++)
        {
            v[k] = VECTOR(load)(from + i + k * LANES);
            mask[k] = or_equal ? VECTOR(less)(p, v[k]) ^ ALL : VECTOR(less)(v[k], p);
        }
        UNROLL for (int k = 0; k < AT_ONCE; k++)
        {
            int count = __builtin_popcount(mask[k]);
            VECTOR(store)(low, VECTOR(compress)(v[k], mask[k]));
            VECTOR(store)(high, VECTOR(compress_rest)(v[k], mask[k]));
            low += count;
            high += LANES - count;
        }
    }
    for (; i < n; i += LANES) {
        int left = n - i < LANES ? (int)(n - i) : LANES;
        unsigned there = (1u << left) - 1;
        V v = VECTOR(load_first)(from + i, left, p);
        unsigned mask = there & (or_equal ? ~VECTOR(less)(p, v) : VECTOR(less)(v, p));
        int count = __builtin_popcount(mask);
        VECTOR(store_first)(low, VECTOR(compress)(v, mask), count);
        VECTOR(store_first)(high, VECTOR(compress)(v, mask ^ there), left - count);
        low += count;
        high += left - count;
    }
    return (size_t)(low - first);
}
TARGET static __attribute__((noinline)) size_t VECTOR(part_less)(const ELEMENT *from, ELEMENT *low,
                                                                 ELEMENT *high, size_t n, ELEMENT pivot)
{
    return VECTOR(partition)(from, low, high, n, pivot, false);
}
TARGET static __attribute__((noinline)) size_t VECTOR(part_equal)(const ELEMENT *from, ELEMENT *low,
                                                                  ELEMENT *high, size_t n, ELEMENT pivot)
{
    return VECTOR(partition)(from, low, high, n, pivot, true);
}

#define FEW_SAMPLES 16
#define SAMPLES     (LANES << 3 < 64 ? LANES << 3 : 64)
#define QUARTERED   4096 /* the shortest row that sort_quarters takes */

/* Elements at equal distances, in order. */
INLINE void VECTOR(samples)(const VECTOR(Codes) * c, const ELEMENT *from, size_t n, ELEMENT *sample, size_t m)
{
    for (size_t i = 0, step = n / m; i < m; i++) sample[i] = from[i * step + step / 2];
    VECTOR(Codes) none = VECTOR(codes)(&uncoded);
    V changed = VECTOR(splat)(0);
    if (c)
        for (size_t i = 0; i < m; i += LANES)
            VECTOR(store)(sample + i, VECTOR(encode)(c, VECTOR(load)(sample + i), &changed));
    VECTOR(sort_ints)(&none, sample, sample, m);
}

/* About the median. */
TARGET static ELEMENT VECTOR(pivot)(const ELEMENT *a, size_t n)
{
    enum { LONG = 2048 };
    ELEMENT sample[SAMPLES];
    size_t m = n < LONG ? FEW_SAMPLES : SAMPLES;
    VECTOR(samples)(NULL, a, n, sample, m);
    return sample[m / 2];
}

/* Doubles' bits as ints in their order, and back. */
static inline ELEMENT VECTOR(turned)(ELEMENT x) { return OF_DOUBLES && x < 0 ? x ^ (ELEMENT)INT64_MAX : x; }

/* The part [n] of a that `from` has, which is a or b, in order; not decoded. */
static void VECTOR(sort_by_digits)(const ELEMENT *from, ELEMENT *a, ELEMENT *b, size_t n, void *counters)
{
    ELEMENT *part = from == a ? a : b, sign = sizeof *a == 4 ? INT32_MIN : (ELEMENT)INT64_MIN;
    for (size_t i = 0; i < n; i++) part[i] = VECTOR(turned)(part[i]) ^ sign;
    const ELEMENT *sorted = RADIX(part, from == a ? b : a, n, 0, 8 * sizeof *a, counters);
    for (size_t i = 0; i < n; i++) a[i] = VECTOR(turned)(sorted[i] ^ sign);
}

/* The n ints in `from`, which is a or b or lies behind a, go to a in order, decoded. None is less than
 * `least`. */
TARGET static void VECTOR(quicksort)(const VECTOR(Codes) * c, const ELEMENT *from, ELEMENT *a, ELEMENT *b,
                                     size_t n, ELEMENT least, int depth, void *counters)
{
    while (n > LANES << MOST_ROW_BITS) {
        V pivot = VECTOR(splat)(VECTOR(pivot)(from, n)), value = VECTOR(decode)(c, pivot);
        if (depth-- == 0) {
            VECTOR(sort_by_digits)(from, a, b, n, counters);
            for (size_t i = 0; i < n; i += LANES) {
                int left = n - i < LANES ? (int)(n - i) : LANES;
                VECTOR(store_first)(a + i, VECTOR(decode)(c, VECTOR(load_first)(a + i, left, value)), left);
            }
            return;
        }
        size_t low = 0;
        if (pivot[0] != least) {
            low = VECTOR(part_less)(from, a, b, n, pivot[0]);
            if (low == 0) from = b;
        }
        if (low == 0) { /* the pivot is the least */
            low = VECTOR(part_equal)(from, a, b, n, pivot[0]);
            for (size_t i = 0; i < low; i++) a[i] = value[0];
        } else {
            VECTOR(quicksort)(c, a, a, b + (n - low), low, least, depth, counters);
        }
        n -= low;
        a += low;
        from = b;
        least = pivot[0];
    }
    VECTOR(sort_ints)(c, from, a, n);
}

static int VECTOR(depth)(size_t n)
{
    int depth = 0;
    for (; n > 0; n /= 2) depth += 2;
    return depth;
}

TARGET static ELEMENT *VECTOR(sort)(ELEMENT *a, ELEMENT *b, size_t n, int low, int bits, void *counters)
{
    VECTOR(Codes) none = VECTOR(codes)(&uncoded);
    (void)low, (void)bits;
    VECTOR(quicksort)(&none, a, a, b, n, LEAST, VECTOR(depth)(n), counters);
    return a;
}

/* Where it begins, and where it ends, what is dealt to one array from both ends. */
typedef struct VECTOR(Ends) {
    ELEMENT *low, *high;
} VECTOR(Ends);

/* Encodes n elements; returns whether any were merged. Those less than the first of three pivots go to the
 * front of a, those less than the second to its end, those less than the third to the front of b, the rest
 * to its end. Whole vectors are stored while there is room between front and end for what they write too
 * much. */
TARGET static bool VECTOR(deal_quarters)(const VECTOR(Codes) * codes, const ELEMENT *in, size_t n,
                                         const ELEMENT *pivot, VECTOR(Ends) * of_a, VECTOR(Ends) * of_b)
{
    enum { ALL = (1 << LANES) - 1 };
    VECTOR(Codes) c = *codes;
    VECTOR(Ends) a = *of_a, b = *of_b;
    V changed = VECTOR(splat)(0), first = VECTOR(splat)(pivot[0]), second = VECTOR(splat)(pivot[1]),
      third = VECTOR(splat)(pivot[2]);
    size_t i = 0;
    for (; i + 3 * LANES <= n; i += LANES) {
        V x = VECTOR(encode)(&c, VECTOR(load)(in + i), &changed);
        unsigned one = VECTOR(less)(x, first), two = VECTOR(less)(x, second), three = VECTOR(less)(x, third);
        VECTOR(store)(a.low, VECTOR(compress)(x, one));
        VECTOR(store_to)(a.high, x, two ^ one);
        VECTOR(store)(b.low, VECTOR(compress)(x, three ^ two));
        VECTOR(store_to)(b.high, x, three ^ ALL);
        a.low += __builtin_popcount(one);
        a.high -= __builtin_popcount(two ^ one);
        b.low += __builtin_popcount(three ^ two);
        b.high -= __builtin_popcount(three ^ ALL);
    }
    for (; i < n; i++) {
        V x = VECTOR(encode)(&c, VECTOR(splat)(in[i]), &changed);
        unsigned one = VECTOR(less)(x, first), two = VECTOR(less)(x, second), three = VECTOR(less)(x, third);
        *(one ? a.low++ : two ? --a.high : three ? b.low++ : --b.high) = x[0];
    }
    *of_a = a;
    *of_b = b;
    return !VECTOR(is_zero)(changed);
}

/* The first passes of a long row in one: quarters, the third and the fourth of them in b. */
TARGET static bool VECTOR(sort_quarters)(const VECTOR(Codes) * c, const ELEMENT *in, ELEMENT *a, ELEMENT *b,
                                         size_t n, void *counters)
{
    ELEMENT sample[SAMPLES];
    VECTOR(samples)(c, in, n, sample, SAMPLES);
    ELEMENT pivot[] = { sample[SAMPLES / 4], sample[SAMPLES / 2], sample[SAMPLES / 4 * 3] };
    VECTOR(Ends) of_a = { a, a + n }, of_b = { b, b + n };
    bool merged = VECTOR(deal_quarters)(c, in, n, pivot, &of_a, &of_b);
    size_t first = (size_t)(of_a.low - a), second = (size_t)(a + n - of_a.high),
           third = (size_t)(of_b.low - b), fourth = (size_t)(b + n - of_b.high);
    int depth = VECTOR(depth)(n); /* so great that what begins behind a is dealt to a and b before it is 0 */
    VECTOR(quicksort)(c, a, a, of_b.low, first, LEAST, depth, counters);
    VECTOR(quicksort)(c, of_a.high, a + first, of_b.low, second, pivot[0], depth, counters);
    VECTOR(quicksort)(c, b, a + first + second, b, third, pivot[1], depth, counters);
    VECTOR(quicksort)(c, of_b.high, a + n - fourth, of_b.high, fourth, pivot[2], depth, counters);
    return merged;
}

TARGET static bool VECTOR(sort_row)(const Coding *coding, const void *in, void *out, void *b, size_t n,
                                    void *counters)
{
    VECTOR(Codes) c = VECTOR(codes)(coding);
    if (n <= LANES << MOST_ROW_BITS) return VECTOR(sort_elements)(&c, in, out, n);
    if (in != out && n >= QUARTERED) return VECTOR(sort_quarters)(&c, in, out, b, n, counters);
    bool merged = VECTOR(read)(&c, in, out, n);
    VECTOR(quicksort)(&c, out, out, b, n, LEAST, VECTOR(depth)(n), counters);
    return merged;
}

/* ---- one row by several threads ---- */

/* The n ints in `from`, which is a or b, to parts in a; first: where that begins for who wants the ends. */
static void VECTOR(deal_from)(const ELEMENT *from, ELEMENT *a, ELEMENT *b, size_t n, const ELEMENT *limits,
                              size_t n_limits, size_t first, size_t *end)
{
    if (n_limits == 0) {
        if (from != a) memcpy(a, from, n * sizeof *a);
        *end = first + n;
        return;
    }
    size_t half = n_limits / 2, low = VECTOR(part_less)(from, a, b, n, limits[half]);
    VECTOR(deal_from)(a, a, b + (n - low), low, limits, half, first, end);
    VECTOR(deal_from)(b, a + low, b, n - low, limits + half + 1, n_limits - half - 1, first + low,
                      end + half + 1);
}
static void VECTOR(deal)(void *a, void *b, size_t n, const void *limits, size_t n_limits, size_t *end)
{
    VECTOR(deal_from)(a, a, b, n, limits, n_limits, 0, end);
}

TARGET static void VECTOR(sort_part)(const Coding *coding, void *b, void *a, size_t n, void *counters)
{
    VECTOR(Codes) c = VECTOR(codes)(coding);
    VECTOR(quicksort)(&c, b, a, b, n, LEAST, VECTOR(depth)(n), counters);
}

#if !OF_DOUBLES
TARGET static bool VECTOR(read_row)(const Coding *coding, const void *in, void *key, size_t n)
{
    VECTOR(Codes) c = VECTOR(codes)(coding);
    return VECTOR(read)(&c, in, key, n);
}

/* ---- partition ---- */

/* A mask of the lanes whose key is 0. */
INLINE unsigned VECTOR(zeros)(const uint8_t *key)
{
    int32_t four;
    memcpy(&four, key, sizeof four);
    __m128i keys = LANES == 16  ? _mm_loadu_si128((const __m128i *)(const void *)key)
                   : LANES == 8 ? _mm_loadl_epi64((const __m128i *)(const void *)key)
                                : _mm_cvtsi32_si128(four);
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(keys, _mm_setzero_si128())) & ((1u << LANES) - 1);
}

/* Whole vectors are stored where there is room: what they write too much is written again, or not wanted. */
TARGET static size_t VECTOR(pick)(const uint8_t *key, int wanted, const void *from, size_t n, void *to,
                                  size_t most, size_t room)
{
    const ELEMENT *in = from;
    ELEMENT *out = to;
    V at = { INDICES(ITSELF, 0) };
    unsigned others = wanted ? (1u << LANES) - 1 : 0;
    size_t i = 0, count = 0;
    for (; i + LANES <= n && count < most && count + LANES <= room; i += LANES, at += LANES) {
        unsigned mask = VECTOR(zeros)(key + i) ^ others;
        VECTOR(store)(out + count, VECTOR(compress)(in ? VECTOR(load)(in + i) : at, mask));
        count += (size_t)__builtin_popcount(mask);
    }
    for (; i < n && count < most; i++)
        if (key[i] == wanted) out[count++] = in ? in[i] : (ELEMENT)i;
    return count;
}

/* ---- selection ---- */

/* The positions of codes from limits[0] to limits[1] to `to`, in order; returns how many. *below: how many
 * are less. */
TARGET static size_t VECTOR(filter)(const Coding *coding, const void *from, size_t n, const void *limits,
                                    void *to, size_t *below)
{
    enum { ALL = (1 << LANES) - 1 };
    VECTOR(Codes) c = VECTOR(codes)(coding);
    const ELEMENT *in = from, *limit = limits;
    ELEMENT *out = to;
    V low = VECTOR(splat)(limit[0]), high = VECTOR(splat)(limit[1]), changed = low,
      at = { INDICES(ITSELF, 0) };
    size_t count = 0;
    *below = 0;
    for (size_t i = 0; i < n; i += LANES, at += LANES) {
        int left = n - i < LANES ? (int)(n - i) : LANES;
        V x = left == LANES ? VECTOR(load)(in + i) : VECTOR(load_first)(in + i, left, c.last);
        V code = VECTOR(encode)(&c, x, &changed);
        unsigned there = ALL >> (LANES - left), less = VECTOR(less)(code, low) & there;
        unsigned within = there & ~less & ~VECTOR(less)(high, code);
        *below += (size_t)__builtin_popcount(less);
        if (!within) continue;
        VECTOR(store_first)(out + count, VECTOR(compress)(at, within), __builtin_popcount(within));
        count += (size_t)__builtin_popcount(within);
    }
    return count;
}

/* Where a float is less than the result, or is NaN (down: greater, or NaN), its code may be less than that of
 * e; elsewhere it is not. Both may be compared with denormals as zeros. */
INLINE ELEMENT VECTOR(screen)(const Coding *c, ELEMENT e, bool down)
{
    uint64_t least_normal = c->inf & (0 - c->inf), sign = down ? c->sign : 0;
    bool is_normal = ((uint64_t)e & (c->inf | (least_normal - 1))) >= least_normal;
    return is_normal ? e : (ELEMENT)(least_normal | sign);
}

INLINE size_t VECTOR(before_in)(const Coding *coding, const ELEMENT *in, size_t n, ELEMENT e, ELEMENT *out,
                                bool floats, bool down)
{
    enum { AT_ONCE = 4 };
    VECTOR(Codes) c = VECTOR(codes)(coding);
    V changed = VECTOR(splat)(0), at = { INDICES(ITSELF, 0) },
      limit = VECTOR(encode)(&c, VECTOR(splat)(e), &changed),
      screen = VECTOR(splat)(VECTOR(screen)(coding, e, down));
    size_t count = 0, i = 0;
    for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES) {
        V x[AT_ONCE];
        unsigned maybe = !floats;
        UNROLL for (int k = 0; k < AT_ONCE; k++)
        {
            x[k] = VECTOR(load)(in + i + k * LANES);
            if (floats) maybe |= down ? VECTOR(float_less)(screen, x[k]) : VECTOR(float_less)(x[k], screen);
        }
        if (!maybe) continue;
        UNROLL for (int k = 0; k < AT_ONCE; k++)
        {
            unsigned less = VECTOR(less)(VECTOR(encode)(&c, x[k], &changed), limit);
            V position = at + VECTOR(splat)((ELEMENT)(i + k * LANES));
            VECTOR(store)(out + count, VECTOR(compress)(position, less));
            count += (size_t)__builtin_popcount(less);
        }
    }
    for (; i < n; i += LANES) {
        int left = n - i < LANES ? (int)(n - i) : LANES, found;
        V code = VECTOR(encode)(&c, VECTOR(load_first)(in + i, left, c.last), &changed);
        unsigned less = VECTOR(less)(code, limit) & ((1u << left) - 1);
        found = __builtin_popcount(less);
        VECTOR(store_first)(out + count, VECTOR(compress)(at + VECTOR(splat)((ELEMENT)i), less), found);
        count += (size_t)found;
    }
    return count;
}

/* The positions of codes less than that of an element to `to`, in order; returns how many. Floats are
 * compared as such first: few are less. */
TARGET static size_t VECTOR(before)(const Coding *c, const void *from, size_t n, const void *element,
                                    void *to)
{
    ELEMENT e = *(const ELEMENT *)element;
    if (!c->minus) return VECTOR(before_in)(c, from, n, e, to, false, false);
    if (c->flip & 1) return VECTOR(before_in)(c, from, n, e, to, true, true);
    return VECTOR(before_in)(c, from, n, e, to, true, false);
}
#endif

#ifdef LOAD_I32
/* ---- pairs ---- */

TARGET static uint64_t VECTOR(differ)(const Coding *coding, const void *from, size_t n)
{
    VECTOR(Codes) c = VECTOR(codes)(coding);
    const ELEMENT *in = from;
    V first = VECTOR(splat)(in[0]), all = VECTOR(splat)(0), changed = all;
    first = VECTOR(encode)(&c, first, &changed);
    for (size_t i = 0; i < n; i += LANES) {
        int left = n - i < LANES ? (int)(n - i) : LANES;
        V x = VECTOR(load_first)(in + i, left, VECTOR(splat)(in[0]));
        all |= VECTOR(encode)(&c, x, &changed) ^ first;
    }
    ELEMENT bits = 0;
    for (int i = 0; i < LANES; i++) bits |= all[i];
    return (uint64_t)bits;
}

INLINE size_t VECTOR(pack)(const Coding *coding, const void *from, ELEMENT *pair, size_t n, PairBits bits,
                           bool narrow)
{
    typedef uint64_t Unsigned __attribute__((vector_size(sizeof(V))));
    VECTOR(Codes) c = VECTOR(codes)(coding);
    V changed = VECTOR(splat)(0), at = { INDICES(ITSELF, 0) }, kept = VECTOR(splat)((ELEMENT)bits.key);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES, at += LANES) {
        V x = narrow ? LOAD_I32((const int32_t *)from + i) : VECTOR(load)((const ELEMENT *)from + i);
        Unsigned key = (Unsigned)(VECTOR(encode)(&c, x, &changed) & kept);
        VECTOR(store)(pair + i, (V)(key >> bits.shift << bits.position) | at);
    }
    return i;
}
TARGET static size_t VECTOR(pack_64)(const Coding *c, const void *from, int64_t *pair, size_t n,
                                     PairBits bits)
{
    return VECTOR(pack)(c, from, pair, n, bits, false);
}
/* Elements are sign-extended, and so are the bits of their coding that they meet. */
TARGET static size_t VECTOR(pack_32)(const Coding *c, const void *from, int64_t *pair, size_t n,
                                     PairBits bits)
{
    Coding wide = { .sign = ~(UINT32_MAX & ~c->sign),
                    .inf = c->inf,
                    .zero_kept = (uint64_t)(int32_t)c->zero_kept,
                    .nan_kept = (uint64_t)(int32_t)c->nan_kept,
                    .nan = c->nan,
                    .minus = c->minus,
                    .flip = c->flip };
    return VECTOR(pack)(&wide, from, pair, n, bits, true);
}
#undef LOAD_I32
#endif

#undef INLINE
#undef UNROLL
#undef V
#undef ELEMENT
#undef OF_DOUBLES
#undef RADIX
#undef LANES
#undef LANE_BITS
#undef VECTOR
#undef TARGET
#undef INDICES
#undef MOST_ROW_BITS
#undef LEAST
#undef FEW_SAMPLES
#undef SAMPLES
#undef QUARTERED
#undef GREATEST
