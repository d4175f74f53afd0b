/* batch.h: what vmap, map and soft_vmap share: the leaves of a call along whose axes there is a batch, and a
 * batch in pieces. In a Staging, axis is where the batch is (VMAP_NONE: the leaf is not mapped), type is the
 * type in one example, length the size of the batch. */
#ifndef WEFT_TRANSFORMS_BATCH_H
#define WEFT_TRANSFORMS_BATCH_H
#include "staging.h"

/* Reads the options' text into f->data. NULL: failure set. For prepare. */
const AxesText *batch_parse(Function *f, Arena *, Failure *);
/* The axes that it says, counted from the front. False: error set. */
bool batch_axes(Staging *);
/* The size that all mapped leaves agree on, and the one given unless it is 0. False: error set. */
bool batch_size(Staging *, int64_t given);
/* Traces the function on one example. False: error set. */
bool batch_trace(Staging *);
/* Of each result: what is said behind "->"; of an in-out its argument's; else 0. False: f set. */
bool batch_result_axes(const Staging *, int64_t *axes, Failure *f);

/* How many elements at once stay within `most` bytes of temporaries: 0 for all of them. False: not even one
 * does; error set. */
bool batch_fits(const Staging *, size_t most, int64_t *chunk);
/* Element by element (chunk < 0), or chunk by chunk and the rest apart: appends the results of the whole
 * batch. False: error set. */
bool batch_in_pieces(const Staging *, int64_t chunk, Flat *out);
#endif
