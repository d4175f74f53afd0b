/* layouts.h: parameters and results that lie in memory in another order of axes than row-major.
 *
 * An array whose axes lie in another order is a row-major one with its axes in that order. So each such
 * parameter and result becomes that, with a transposition between it and what the graph computes, which the
 * kernels that read or write it take in as an index.
 *
 * Keeps: the numbers of parameters and outputs, bytes of each, every bit of every result. */
#ifndef WEFT_PASSES_LAYOUTS_H
#define WEFT_PASSES_LAYOUTS_H
#include "compiler/graph/graph.h"

/* in, out: by parameter and by output, its axes from the one that varies fastest on; NULL: row-major. g
 * itself if all are. NULL: f set. */
const Graph *layouts_apply(Arena *, const Graph *g, const int64_t *const *in, const int64_t *const *out,
                           Failure *f);
#endif
