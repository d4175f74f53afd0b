/* sort_partition.c: rows whose key is one bit: elements with the lesser one in order, then the others.
 * Nothing is compared, and no element's position is written down. */
#include <string.h>
#include "sort_row.h"

/* Bytes of 0 and 1 are added eight at a time, as often as a byte holds. */
static size_t count_ones(const uint8_t *key, size_t n)
{
    enum { AT_ONCE = 8, MOST = 255 };
    size_t i = 0, ones = 0;
    while (n - i >= AT_ONCE) {
        uint64_t sums = 0, eight;
        size_t words = (n - i) / AT_ONCE < MOST ? (n - i) / AT_ONCE : MOST;
        for (size_t w = 0; w < words; w++, i += AT_ONCE) {
            memcpy(&eight, key + i, sizeof eight);
            sums += eight;
        }
        for (; sums; sums >>= 8) ones += sums & 255;
    }
    for (; i < n; i++) ones += key[i];
    return ones;
}

static size_t count_first(const uint8_t *key, uint8_t first, size_t n, size_t stride)
{
    size_t ones = 0;
    if (stride == 1) ones = count_ones(key, n);
    else
        for (size_t i = 0; i < n; i++) ones += key[i * stride];
    return first ? ones : n - ones;
}

/* Of a row whose elements lie side by side, the wanted positions. */
static void pick(const Sort *s, const uint8_t *key, uint8_t first, size_t low, const char *in, char *out,
                 size_t bytes)
{
    size_t from = (size_t)s->numbers[SORT_FROM], to = (size_t)s->numbers[SORT_TO], n = s->length;
    PickFn *fn = s->sorters->pick[bytes == 8];
    if (from < low) fn(key, first, in, n, out, to < low ? to : low, n);
    if (to > low) fn(key, !first, in, n, out + low * bytes, to - low, n - low);
}

void sort_partition(const Sort *s, const void *const *in, void *const *out)
{
    uint8_t first = s->coding[0].flip & 1;
    const uint8_t *key = in[s->key[0]];
    size_t low = count_first(key, first, s->length, s->stride);
    for (size_t i = 0; i < s->n; i++) {
        size_t bytes = bytes_of(s, i);
        const void *from = is_counting(s, i) ? NULL : in[i];
        if (!is_wanted(s, i)) continue;
        if (s->stride == 1 && bytes >= 4 && s->sorters->pick[bytes == 8])
            pick(s, key, first, low, from, out[i], bytes);
        else loops_of_bytes[bytes].part(key, first, from, out[i], low, s->length, s->stride);
    }
}
