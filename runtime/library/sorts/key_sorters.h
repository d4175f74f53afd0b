/* key_sorters.h: arrays of ints in ascending order, and how elements become such ints: what sort_row.h is
 * made of. Two ways: vectors (vector_sort.c) where the processor has them, else a radix sort (radix_sort.c).
 */
#ifndef WEFT_LIBRARY_KEY_SORTERS_H
#define WEFT_LIBRARY_KEY_SORTERS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an element's bits become an int of the same width: merge what is equal, turn the negatives around, flip
 * bits so that the wanted order is that of ints. */
typedef struct Coding {
    /* inf: a float's magnitudes above it are NaNs; all ones for other types */
    uint64_t sign, inf;
    uint64_t zero_kept, nan_kept, nan; /* what is left of a zero's bits, of a NaN's, and what those become */
    uint64_t minus;                    /* what a negative's magnitude is flipped by: all for floats */
    uint64_t flip;                     /* what all are flipped by, in the end */
    uint64_t last;                     /* an element that none comes behind, and that is merged with none */
} Coding;

/* Of ints that stay what they are. */
static const Coding uncoded = { .zero_kept = UINT64_MAX, .nan_kept = UINT64_MAX };

static inline bool coding_merges(const Coding *c) { return !c->zero_kept || !c->nan_kept; }

/* What is sorted. DOUBLES: ints in the order of the doubles with these bits, none of which is NaN or -0. AVX2
 * has a minimum of such, not of ints of 8 bytes. It would lose denormals where the processor takes them as
 * zeros, but weft does not compute in such an environment (floating.h). */
typedef enum KeyKind { INTS_4, INTS_8, DOUBLES } KeyKind;

/* Pairs of a code's bits and a position: (code & key) >> shift above `position` bits. */
typedef struct PairBits {
    int position, shift;
    uint64_t key;
} PairBits;

/* Sorters take n elements in a, and as many of b to work in; they return which of both has the result. That
 * is by the bits low .. low + bits, which decide: all others are equal, or lower ones that ascend already.
 * is_signed: is the highest bit a sign? counters: sort_counter_bytes(n) bytes.
 * sort_f64: DOUBLES; NULL where ints are as fast.
 * The others are NULL where there are no vectors; elements lie side by side; [KeyKind], or [1] of 8 bytes
 * instead of 4.
 * sort_row: the elements of in to out, in the order of their codes as signed ints; b has room for as many. It
 * returns whether the coding merged any: those are all alike in out. DOUBLES: NaNs are infinities there.
 * sort_columns: so, columns of n elements that lie `stride` apart, each beside the one before; work has room
 * for sort_column_bytes(n).
 * pick: those of n elements (of 4 or 8 bytes), or (without from) of the positions, whose key is `wanted` (0
 * or 1) to `to`, in order, at most `most` of them or a few more, of which there is room for `room`; returns
 * how many.
 * pack: the pairs of the first elements of from; returns of how many, nearly all of n.
 * differ: the bits in which the codes of 8 bytes differ.
 * read: the codes of elements; returns whether any were merged; key may be in.
 * deal: the n ints in a to n_limits + 1 parts, one after the other in a, in any order within; b has room for
 * as many. Part i has what is less than limits[i], which ascend, and not less than those before; it ends at
 * end[i].
 * sort_part: the n ints in b to a in order, decoded.
 * filter: the positions, as signed ints of the elements' size, of codes from limits[0] to limits[1]; to has
 * room for n. It returns how many; *below: how many codes are less.
 * before: so, of codes less than that of one element. */
typedef size_t PickFn(const uint8_t *key, int wanted, const void *from, size_t n, void *to, size_t most,
                      size_t room);
typedef struct KeySorters {
    bool is_signed;
    int32_t *(*sort_i32)(int32_t *a, int32_t *b, size_t n, int low, int bits, void *counters);
    int64_t *(*sort_i64)(int64_t *a, int64_t *b, size_t n, int low, int bits, void *counters);
    int64_t *(*sort_f64)(int64_t *a, int64_t *b, size_t n, int low, int bits, void *counters);
    bool (*sort_row[3])(const Coding *, const void *in, void *out, void *b, size_t n, void *counters);
    bool (*sort_columns[3])(const Coding *, const void *in, void *out, void *work, size_t n, size_t stride,
                            size_t columns);
    PickFn *pick[2];
    size_t (*pack[2])(const Coding *, const void *from, int64_t *pair, size_t n, PairBits);
    uint64_t (*differ)(const Coding *, const void *from, size_t n);
    bool (*read[3])(const Coding *, const void *in, void *key, size_t n);
    void (*deal[3])(void *a, void *b, size_t n, const void *limits, size_t n_limits, size_t *end);
    void (*sort_part[3])(const Coding *, void *b, void *a, size_t n, void *counters);
    size_t (*filter[2])(const Coding *, const void *from, size_t n, const void *limits, void *to,
                        size_t *below);
    size_t (*before[2])(const Coding *, const void *from, size_t n, const void *element, void *to);
} KeySorters;

static inline void *sort_ints(const KeySorters *s, KeyKind kind, void *a, void *b, size_t n, int low,
                              int bits, void *counters)
{
    if (kind == INTS_4) return s->sort_i32(a, b, n, low, bits, counters);
    return (kind == DOUBLES ? s->sort_f64 : s->sort_i64)(a, b, n, low, bits, counters);
}

/* The fastest on this processor with vectors of up to so many bytes. */
const KeySorters *key_sorters(int64_t vector_bytes);

extern const KeySorters radix_sorters;
#endif
