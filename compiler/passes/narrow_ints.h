/* narrow_ints.h: the pass that computes ints in 16 bits, or in 8, where more make no difference: what is made
 * of bytes and becomes bytes again.
 *
 * Requires: any graph. Keeps: parameters and their numbers, outputs, types, every bit of every result. Runs
 * behind simplify, whose folds it needs. Linear in the graph, but for a bounded number of sweeps. In regions
 * too. */
#ifndef WEFT_PASSES_NARROW_INTS_H
#define WEFT_PASSES_NARROW_INTS_H
#include "compiler/graph/graph.h"

/* g itself if there is nothing to narrow. */
const Graph *narrow_ints(Arena *, const Graph *g);
#endif
