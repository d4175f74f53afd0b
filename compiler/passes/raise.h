/* raise.h: finds ops of weft's in what other programs write instead: a while over slices is a SCAN, a window
 * over a whole axis is a CUMULATIVE, a reduction of values and their positions is an ARGMAX or an ARGMIN.
 *
 * The parser raises each node when it has made it, so parsed graphs are raised already; new nodes are not
 * folded if the graph is raw. Loops that count but need not use slices become scans in simplify
 * (loop_count), whoever made them, and a loop whose elements end at different times becomes a MAP there
 * (loop_run_in_lanes). In text the mark {weft.region} keeps an op as it is written. A graph has no place for
 * that mark, so the printer writes it wherever raising would change the node.
 */
#ifndef WEFT_PASSES_RAISE_H
#define WEFT_PASSES_RAISE_H
#include "compiler/graph/graph.h"

/* Does the node look like one to be raised? Of a reduction, only its region is looked at. */
bool raise_applies(Arena *, const Graph *, const Node *);
/* Changes those results of a node just added that are another op's; out holds one reference for each. */
void raise_node(Graph *, Ref node, Ref *out);

bool raise_is_scalar(const Graph *, Ref, uint64_t bits); /* a constant of rank 0 with these bits */
/* The constant of rank 0 that a value is, through broadcasts to rank 0 such as JAX writes; or NULL. */
const Node *raise_constant(const Graph *, Ref);
/* The reducer that JAX writes for argmax (CMP_GT) and argmin (CMP_LT). */
Graph *raise_arg_reducer(Arena *, Type value, Type index, CompareDir, bool nan_test);

/* raise_loop.c: of a WHILE */
bool raise_is_scan(Arena *, const Graph *, const Node *);
bool raise_to_scan(Graph *, const Node *, Ref *out); /* false: it is no scan */
#endif
