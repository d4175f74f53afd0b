/* sort_row.h: one row in order, the ways there are: sort_keys.c, sort_pairs.c, sort_select.c,
 * sort_partition.c. */
#ifndef WEFT_LIBRARY_SORT_ROW_H
#define WEFT_LIBRARY_SORT_ROW_H
#include "sort_loops.h"
#include "split_sort.h"

/* One call, and how its rows are held. */
typedef struct Sort {
    const int64_t *numbers, *dtype, *key;
    size_t n, n_keys, length, stride;
    size_t turned; /* so many rows at a time, or columns */
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

static inline size_t bytes_of(const Sort *s, size_t operand) { return dtype_bytes((DType)s->dtype[operand]); }
static inline int key_bits(const Sort *s, size_t key)
{
    return 8 * (int)bytes_of(s, (size_t)s->key[2 * key]);
}
static inline bool is_wanted(const Sort *s, size_t operand) { return s->numbers[SORT_WANTED] >> operand & 1; }
/* Does the operand say its own position? */
static inline bool is_counting(const Sort *s, size_t operand)
{
    return s->numbers[SORT_COUNTING] >> operand & 1;
}

/* Sorts the one key, if nothing else is wanted, and writes it out. */
void sort_keys(const Sort *, const void *in, void *out);
/* So n rows that begin side by side, which are columns. */
void sort_columns(const Sort *, const void *in, void *out, size_t n);

/* Pairs have so many bits: as doubles, they are in the same order, and none is NaN. */
enum { PAIR_BITS = 62 };
/* Sorts the row and writes what is wanted of its operands. */
void sort_pairs(const Sort *, const void *const *in, void *const *out);
/* Pairs of n elements' codes by key k and their positions: of the first n, or (again) of those that the pairs
 * have the positions of. */
void pairs_make(const Sort *, const void *in, size_t k, int64_t *pair, size_t n, PairBits, bool again);
/* Sorts the pairs in a by the lowest `left` bits of key k, and then what follows; without `again`, the row as
 * it is. Returns which of a and b has the result. */
int64_t *pairs_sort(const Sort *, const void *const *in, int64_t *a, int64_t *b, size_t n, size_t k, int left,
                    bool again);
/* Writes what is wanted of the operands in the pairs' positions, to the positions from .. from + n - 1. */
void pairs_give(const Sort *, const void *const *in, void *const *out, const int64_t *pair, size_t from,
                size_t n);

/* Sorts a row whose key is one bit, and writes what is wanted of its operands. */
void sort_partition(const Sort *, const void *const *in, void *const *out);

/* Writes what is wanted of the operands, at the wanted positions only. */
void sort_selected(const Sort *, const void *const *in, void *const *out);
/* Keys alone are sorted in a shorter time than it takes to make pairs, and to select of these. */
bool rather_sorts(const Sort *);
#endif
