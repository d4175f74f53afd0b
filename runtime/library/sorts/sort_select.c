/* sort_select.c: where few of a row's positions are wanted, they are selected first, and only they are
 * sorted. With vectors, by the best seen so far, round after round, or by limits that samples give. Without,
 * or where those were wrong: a few at an end of a row are the best seen so far: a row is read in blocks, and
 * few blocks have a key that is better. Others are found by their keys' highest digits, counted: what lies in
 * other buckets is dropped. */
#include <string.h>
#include "sort_row.h"

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
    pairs_make(s, in[s->key[0]], 0, a, s->length, bits, false);
    size_t n = keep_buckets(s, a, width - bits.shift, from, to);
    return pairs_sort(s, in, a, b, n, 0, width, true);
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
    return pairs_sort(s, in, pair, (int64_t *)s->half[1], n, 0, key_bits(s, 0), true);
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
    int64_t *best = pairs_sort(s, in, a, b, seen, 0, key_bits(s, 0), false);
    for (size_t n = 2 * seen; seen < s->length; seen += n, n = 2 * seen) {
        if (n > s->length - seen) n = s->length - seen;
        for (size_t i = 0; i < k; i++) a[i] = (int64_t)((uint64_t)best[i] & position);
        const char *last = keys + (size_t)a[k - 1] * bytes;
        size_t more = s->sorters->before[bytes == 8](&c, keys + seen * bytes, n, last, b);
        if (more > MOST_OF_ROUND * k) return NULL;
        for (size_t i = 0; i < more; i++) a[k + i] = (int64_t)seen + (bytes == 8 ? b[i] : ((int32_t *)b)[i]);
        best = pairs_sort(s, in, a, b, k + more, 0, key_bits(s, 0), true);
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

bool rather_sorts(const Sort *s) { return s->length < LEAST_PAIRED && has_vectors(s) && !rounds_pay(s); }

/* With vectors, few at the beginning are found by rounds; else a short row is sorted, and a longer one
 * sampled first. */
static const int64_t *select_by_vectors(const Sort *s, const void *const *in, size_t *from, size_t to)
{
    if (!has_vectors(s)) return NULL;
    const int64_t *few = rounds_pay(s) ? select_by_rounds(s, in, to) : NULL;
    if (few) return few;
    if (s->length >= LEAST_SAMPLED) return select_by_samples(s, in, from, to);
    return pairs_sort(s, in, (int64_t *)s->half[0], (int64_t *)s->half[1], s->length, 0, key_bits(s, 0),
                      false);
}

void sort_selected(const Sort *s, const void *const *in, void *const *out)
{
    size_t from = (size_t)s->numbers[SORT_FROM], to = (size_t)s->numbers[SORT_TO], end = s->length - from,
           at = from;
    bool last = end < to;
    if (to == from) return;
    const int64_t *pairs = select_by_vectors(s, in, &at, to);
    if (pairs) {
        pairs_give(s, in, out, pairs + at, from, to - from);
        return;
    }
    pairs = (int64_t *)s->half[0];
    if (!select_few(s, in[s->key[0]], last ? end : to, last)) pairs = select_by_digits(s, in, &at, to);
    else if (last) at = 0;
    pairs_give(s, in, out, pairs + at, from, to - from);
}
