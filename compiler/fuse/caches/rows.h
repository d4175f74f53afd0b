/* rows.h: which rows of a buffer a statement touches. The ROW of an access is the index of the outermost loop
 * that it stands in, moved by a constant: element
 *     period * p + stride * (i + r) + rest,   0 <= rest < stride,
 * is in row i + r, for any p. A matrix that is walked along its first axis has one stride, the length of a
 * row, and no period; one that is walked along its last has stride 1, and the length of that axis as its
 * period. Where the loop goes over the elements of rows, so many iterations are one row. */
#ifndef WEFT_CACHES_ROWS_H
#define WEFT_CACHES_ROWS_H
#include "compiler/program/program.h"

typedef struct RowLayout {
    int64_t stride, period; /* period 0: none; stride 0: not known */
} RowLayout;

/* Of what an iteration touches: r, from first to last. */
typedef struct RowSpan {
    int64_t first, last;
} RowSpan;

/* The layout that a STORE in the outermost loop `loop` suggests, of which in_row iterations are a row; stride
 * 0: none. */
RowLayout rows_layout(const Kernel *, const Stmt *store, Val loop, int64_t in_row, int64_t count);
/* The rows that an access in the outermost loop touches. False: they are no such rows. Loop VAL_NONE, or one
 * of extent 1: the rows are what they are. */
bool rows_of(const Kernel *, const Stmt *, Val loop, int64_t in_row, const Buffer *, RowLayout, RowSpan *);

/* What holds the rows from `lo` on, as many as `rows`, in place of all; they move by `step` rows with each
 * count of a counter. */
typedef struct Window {
    uint32_t buffer;
    RowLayout layout;
    int64_t lo, rows, step;
    int64_t kept; /* rows that the next iteration reads again, */
    int64_t from; /* from this row of the window on, and `step` rows further before they are moved */
} Window;

/* The address of an access within the window. */
Address rows_in_window(Arena *, const Window *, Address, Val counter);
/* How many parts the layout has, one for each p; the elements of the window. */
int64_t rows_parts(const Buffer *, RowLayout);
int64_t rows_window_count(const Window *, const Buffer *);
#endif
