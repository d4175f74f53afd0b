/* radix_sort.c: stable sorts, least digit first: digits of 11 bits for long arrays, 8 for shorter ones;
 * digits that are the same in all keys are skipped; the shortest arrays are sorted by insertion. */
#include <string.h>
#include "compiler/graph/comparator.h"
#include "key_sorters.h"

/* C counts. */
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
#define SORTER(NAME, T, KEY) \
    RADIX(NAME##_long, T, uint32_t, KEY) \
    RADIX(NAME##_longest, T, uint64_t, KEY) \
    static T *NAME##_short(T *a, size_t n) \
    { \
        for (size_t i = 1; i < n; i++) { \
            T x = a[i]; \
            size_t k = i; \
            for (; k > 0 && KEY(a[k - 1]) > KEY(x); k--) a[k] = a[k - 1]; \
            a[k] = x; \
        } \
        return a; \
    } \
    static T *NAME(T *a, T *b, size_t n, int low, int bits, void *counters) \
    { \
        if (n <= SORT_SHORT_ROW) return NAME##_short(a, n); \
        return n <= UINT32_MAX ? NAME##_long(a, b, n, low, bits, counters) \
                               : NAME##_longest(a, b, n, low, bits, counters); \
    }
#define UNSIGNED_32(x) ((uint32_t)(x))
#define UNSIGNED_64(x) ((uint64_t)(x))
SORTER(radix_i32, int32_t, UNSIGNED_32)
SORTER(radix_i64, int64_t, UNSIGNED_64)

const KeySorters radix_sorters = { .is_signed = false, .sort_i32 = radix_i32, .sort_i64 = radix_i64 };
