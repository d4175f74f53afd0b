/* row_form.h: a kernel rewritten so that all its outermost loops walk rows. */
#ifndef WEFT_CACHES_ROW_FORM_H
#define WEFT_CACHES_ROW_FORM_H
#include "rows.h"
/* The kernel becomes one that does the same; its old statements stay as they are. By buffer: layout, where
 * known; own: is it in no rows, and nobody waits for it? memory: the one whose memory it is; does: zeros
 * before and after. False: it is one already, or cannot be; it has not changed. */
bool row_form(Arena *, const Program *, const RowLayout *layout, const bool *own, const uint32_t *memory,
              uint8_t *does, Kernel *);
/* Outermost loops that walk an array from its first element to its last become two: rows of so many elements,
 * and these. */
void unfold_rows(Arena *, Kernel *, int64_t row);
/* Outermost loops that store single elements of rows, the first and last columns say, go row by row as the
 * loop over the rest of these rows does. */
void walk_columns(Arena *, Kernel *);
#endif
