/* batch.h: a batch in pieces, for vmap within a limit of memory; batch.c. */
#ifndef WEFT_TRANSFORMS_BATCH_H
#define WEFT_TRANSFORMS_BATCH_H
#include "mapped.h"

/* A function's graph for one element, and its operands: mapped ones with the batch in front. */
typedef struct Pieces {
    const Function *f;
    Local *l;
    Arena *arena;
    Graph *g; /* of the running trace */
    const Graph *element;
    uint32_t n_leaves; /* its parameters that are leaves; the others are hidden */
    Ref *args;         /* [n_params] */
    bool *mapped;
} Pieces;

/* How many elements at once stay within `most` bytes of temporaries: 0 for all of them. False: not even one
 * does; error set. */
bool batch_fits(const Batch *, const Trace *in, size_t most, int64_t *chunk);
/* Element by element (chunk < 0), or chunk by chunk and the rest apart: the results of the whole batch as
 * values of the running trace. False: error set. */
bool batch_in_pieces(const Batch *, const Trace *in, const Flat *results, int64_t chunk, Ref *out);
#endif
