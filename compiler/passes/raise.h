/* raise.h: the pass that finds ops of weft's in what other programs write instead: a reduction by a region of
 * one monoid op is a REDUCE, one of values and their positions is an ARGMAX or an ARGMIN, a window over a
 * whole axis is a CUMULATIVE or a SCAN, a while that counts is a SCAN, with inputs and outputs where it reads
 * and writes slices, and sums of counts that are positions are a SORT. A product with a mask is a choice. In
 * regions too.
 *
 * It runs once, on a graph that was read from text, before any transform: sums and products, and folds over
 * the whole of an axis, may be taken in another order afterwards, so it says what function the text is. Loops
 * keep every bit; simplify has the same rules for them (raise_loop.c), whoever made them.
 *
 * Keeps: parameters and their numbers, outputs, types. */
#ifndef WEFT_PASSES_RAISE_H
#define WEFT_PASSES_RAISE_H
#include "compiler/graph/graph.h"

/* g itself if there is nothing to look at. */
const Graph *raise_graph(Arena *, const Graph *g);
#endif
