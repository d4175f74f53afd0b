/* comparator.h: which comparators of SORT are an order by keys, and how such a sort is told to
 * runtime/library/sorts/library_sort.c.
 *
 * Recognized is what JAX writes for lax.sort with any number of keys, and what weft's own sorts write: a
 * COMPARE LT or GT of one operand's two values, each either as it is or with zeros made one zero, NaNs made
 * one NaN; several of those in lexicographic order, lt(k) or (eq(k) and rest), or select(eq(k), rest, lt(k)).
 * The order of floats is IEEE's total order of what is compared (-NaN, -inf, .., -0, 0, .., inf, NaN); a
 * COMPARE LT of order FLOAT is no order where NaNs are, and stands for the one with equal zeros and with NaNs
 * last.
 * Whatever is not recognized runs the comparator itself, pair by pair.
 */
#ifndef WEFT_GRAPH_COMPARATOR_H
#define WEFT_GRAPH_COMPARATOR_H
#include "graph.h"

enum {
    SORT_DESCENDING = 1,
    SORT_ZEROS_EQUAL = 2, /* -0 and 0 are equal keys */
    SORT_NANS_EQUAL = 4   /* all NaNs are equal keys, greater than inf */
};
enum { SORT_MAX_KEYS = 16 };

typedef struct SortKey {
    uint32_t operand, flags;
} SortKey;
/* the first key decides first */
typedef struct SortOrder {
    uint32_t n_keys;
    SortKey key[SORT_MAX_KEYS];
} SortOrder;

/* False: no order by keys that this file knows. */
bool sort_recognize(const Graph *comparator, SortOrder *);

/* The positions of a row that are read of SORT r, wanted[0] .. wanted[1] - 1: those of slices, or all.
 * Returns which of its results are, a bit for each (of at most 64). */
int64_t sort_wanted(const Graph *, Ref r, int64_t wanted[2]);

/* The numbers of a call of LIBRARY_SORT. Operands (at most 64) are dense row-major arrays [outer, length,
 * inner] that are sorted along the middle axis:
 *     [n] [n_keys] [outer] [length] [inner] [from] [to] [wanted] [counting] [vector bytes] [threads]
 *     dtype [n]  then per key [operand] [flags]
 * Its buffers: n inputs, n outputs (none of them an input), scratch. It is stable. Of the outputs only those
 * whose bit of `wanted` is set, and of these only the positions from .. to - 1 of each row, need be written.
 * Operands whose bit of `counting` is set are ints that say their own position; they are not read.
 * It uses vectors of at most so many bytes, if the processor has them, and at most so many threads. */
enum {
    SORT_N,
    SORT_N_KEYS,
    SORT_OUTER,
    SORT_LENGTH,
    SORT_INNER,
    SORT_FROM,
    SORT_TO,
    SORT_WANTED,
    SORT_COUNTING,
    SORT_VECTOR_BYTES,
    SORT_THREADS,
    SORT_DTYPES,
    SORT_NUMBERS_MAX = SORT_DTYPES + 64 + 2 * SORT_MAX_KEYS
};
/* Writes them for operands of these types (of one shape), all positions of all wanted, vectors of any size,
 * one thread; returns how many. */
uint32_t sort_numbers(const SortOrder *, const Type *operands, uint32_t n, int axis,
                      int64_t numbers[SORT_NUMBERS_MAX]);
/* Without vectors, rows of up to SORT_SHORT_ROW elements are sorted by insertion, from SORT_LONG_ROW on by
 * digits of SORT_DIGIT_BITS, between by digits of 8 bits. */
enum { SORT_DIGIT_BITS = 11, SORT_SHORT_ROW = 32, SORT_LONG_ROW = 4096 };
/* Are fewer positions wanted than there are, so that others need not be sorted? */
bool sort_selects(const int64_t *numbers);
/* How long the call takes on one thread, about. */
int64_t sort_ns(const int64_t *numbers);
/* Lets a call that takes long have several threads: sets SORT_THREADS, by all other numbers. */
void sort_allow_threads(int64_t *numbers);
/* Into how many parts each row is split, for several threads; 1: it is one thread's. */
enum { SORT_MOST_PARTS = 64 };
int64_t sort_parts(const int64_t *numbers);
/* Is no more wanted than the one key? */
bool sort_wants_key_alone(const int64_t *numbers);
/* Is there one key, of one bit? Then the order is that of a partition. */
bool sort_is_partition(const int64_t *numbers);
/* Are rows columns of lanes, a line of the cache wide: short ones of which the key alone is wanted, and whose
 * elements lie apart? */
bool sort_has_columns(const int64_t *numbers);
int64_t sort_column_rows(int64_t length); /* so many vectors long */
int64_t sort_column_bytes(int64_t length);
/* Rows whose elements lie apart are turned, or columns, so many neighbours at a time; 1: they are sorted as
 * they lie. */
int64_t sort_turned(const int64_t *numbers);
/* How many bytes apart turned rows of operand i are: such that they do not meet in the L1 cache. */
int64_t sort_turned_bytes(const int64_t *numbers, int64_t i);
/* Bytes of scratch that a row needs: the counters of digits, then the columns, or what is turned, of each
 * operand one row more, and then elements twice (keys, or pairs of keys and positions). */
int64_t sort_row_bytes(const int64_t *numbers);
int64_t sort_half_bytes(const int64_t *numbers); /* of the elements once */
/* Bytes of scratch that a call with these numbers needs, 16-aligned: a row's for each thread; or of rows that
 * are split, the threads' counters, a table of the parts in each part, and the elements twice. */
int64_t sort_scratch_bytes(const int64_t *numbers);
int64_t sort_counter_bytes(int64_t length); /* of the counters alone */
#endif
