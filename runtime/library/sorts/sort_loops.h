/* sort_loops.h: how elements become ints whose order is the wanted one, and the loops over the elements of a
 * row, for elements of each size: what the other files sort with. */
#ifndef WEFT_LIBRARY_SORT_LOOPS_H
#define WEFT_LIBRARY_SORT_LOOPS_H
#include "compiler/graph/comparator.h"
#include "key_sorters.h"

/* Of keys of this type; flags: those of a SortKey. */
Coding coding_of(DType, uint64_t flags);
/* A double's code that is a double: with infinity for NaN, negated for a descending order. */
Coding coding_as_double(const Coding *);
/* That of elements which are the bits from `by` on of ints, for a coding of such elements. */
Coding coding_raised(const Coding *, int by);

/* Keys that lie side by side are coded so many at once. */
enum { KEYS_AT_ONCE = 32 };

/* A row's elements lie `stride` elements apart.
 * read_keys: codes of elements, as ints of 4 bytes at least; returns whether the coding merged any.
 * write_keys: back.
 * restore: writes what was merged again, from the input and in its order there: zeros where some are, NaNs at
 * their end of the row.
 * raise, lower: elements of 1 and 2 bytes as the highest bits of ints, and back; else NULL.
 * differ: the bits in which the codes of n elements do. pack: pairs of the elements from `first` on. Both
 * read the elements in order, or (again) where the pairs say.
 * counts_up: is each element its own position?
 * give: the elements in the pairs' positions, or (without from) the positions.
 * part: elements whose key is `first`, `low` of n, in order, then the others; or (without from) their
 * positions.
 * turn: n rows of elements that lie `stride` apart, and each row's first beside the next one's, become rows
 * `pitch` bytes apart; turn_back: back.
 * block: KEYS_AT_ONCE codes; returns the least. [1]: for recent processors, if this is one. */
typedef struct RowLoops {
    bool (*read_keys)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*write_keys)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*restore)(const Coding *, const void *from, void *to, size_t n, size_t stride);
    void (*raise)(const void *from, uint32_t *to, size_t n, size_t stride);
    void (*lower)(const uint32_t *from, void *to, size_t n, size_t stride);
    uint64_t (*differ)(const Coding *, const void *from, const int64_t *again, size_t n, size_t stride,
                       int position_bits);
    void (*pack)(const Coding *, const void *from, int64_t *pair, size_t first, size_t n, size_t stride,
                 PairBits, bool again);
    bool (*counts_up)(const void *from, size_t first, size_t end, size_t stride);
    void (*give)(const void *from, const int64_t *pair, void *to, size_t n, size_t stride, int position_bits);
    void (*part)(const uint8_t *key, uint8_t first, const void *from, void *to, size_t low, size_t n,
                 size_t stride);
    void (*turn)(const void *from, void *to, size_t n, size_t length, size_t stride, size_t pitch);
    void (*turn_back)(const void *from, void *to, size_t n, size_t length, size_t stride, size_t pitch);
    uint64_t (*block[2])(const Coding *, const void *from, void *to);
} RowLoops;
extern const RowLoops loops_of_bytes[9];
bool processor_is_recent(void);
#endif
