/* sort_pairs.c: rows in pairs, in i64: a key's bits above those of its position, so that no two are equal,
 * and the order is stable. A key that does not fit is sorted by its highest bits first; then each run of
 * equals by the next ones, and by the next key. All operands are fetched from their positions at the end. */
#include <stdatomic.h>
#include <string.h>
#include "sort_row.h"

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

void pairs_make(const Sort *s, const void *in, size_t k, int64_t *pair, size_t n, PairBits bits, bool again)
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

/* Sorts each run of equals by the lowest `left` bits of key k, and what follows. */
static void sort_equals(const Sort *s, const void *const *in, int64_t *a, int64_t *b, size_t n, size_t k,
                        int left)
{
    for (size_t i = 0, end; i < n; i = end) {
        int64_t key = a[i] >> s->position_bits;
        for (end = i + 1; end < n && a[end] >> s->position_bits == key;) end++;
        if (end - i == 1) continue;
        int64_t *sorted = pairs_sort(s, in, a + i, b + i, end - i, k, left, true);
        if (sorted != a + i) memcpy(a + i, sorted, (end - i) * sizeof *a);
    }
}

int64_t *pairs_sort(const Sort *s, const void *const *in, int64_t *a, int64_t *b, size_t n, size_t k,
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
    pairs_make(s, in[operand], k, a, n, bits, again);
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

void pairs_give(const Sort *s, const void *const *in, void *const *out, const int64_t *pair, size_t from,
                size_t n)
{
    for (size_t i = 0; i < s->n; i++) {
        bool counts =
            is_counting(s, i) || (n == s->length && is_wanted(s, i) && counts_up(s, i, in[i], 0, n));
        give_operand(s, i, in[i], out[i], pair, from, n, counts);
    }
}

/* ---- a row that is split ---- */

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
    pairs_make(s, in + from * s->stride * bytes_of(s, operand), 0, pair, n, p->bits, false);
    for (size_t i = 0; i < n; i++) pair[i] += (int64_t)from;
    for (size_t i = 0; i < s->n; i++)
        if (is_wanted(s, i) && !is_counting(s, i) &&
            !(atomic_load_explicit(p->no_count, memory_order_relaxed) >> i & 1) &&
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
    pairs_make(s, p->in[s->key[0]], 0, pair, n, p->bits, true);
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

void sort_pairs(const Sort *s, const void *const *in, void *const *out)
{
    int64_t *a = (int64_t *)s->half[0], *b = (int64_t *)s->half[1];
    if (s->crew) sort_pairs_split(s, in, out);
    else pairs_give(s, in, out, pairs_sort(s, in, a, b, s->length, 0, key_bits(s, 0), false), 0, s->length);
}
