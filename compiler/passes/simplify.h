/* simplify.h: the pass that makes a graph smaller without changing a bit of its results.
 *
 * Requires: any graph. Keeps: parameters and their numbers, outputs, types, every bit of every result in
 * every numeric mode (but a NaN's sign and payload). Afterwards: nothing is dead; no rule of fold.c applies;
 * nothing is computed on a broadcast shape that could be computed before the broadcast; what is used sliced
 * only is computed sliced. Regions are simplified too, and what is dead, the same in each step, known or
 * counted leaves them (simplify_control.c): loops whose steps can be counted are SCANs, what they read and
 * write step by step is an input or an output, branches that are known are there no more. Linear in the
 * graph. */
#ifndef WEFT_PASSES_SIMPLIFY_H
#define WEFT_PASSES_SIMPLIFY_H
#include "compiler/graph/graph.h"

Graph *simplify(Arena *, const Graph *);

/* The axes along which a value can vary, a bit each. axes: those of the nodes before it, by node; NULL: they
 * may vary along all of theirs. */
uint32_t varying_axes(const Graph *, const Node *, const uint32_t *axes);
#endif
