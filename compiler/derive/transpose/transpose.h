/* transpose.h: a linear graph becomes its transpose: rules for the linear ops only, walked backwards. */
#ifndef WEFT_TRANSPOSE_TRANSPOSE_H
#define WEFT_TRANSPOSE_TRANSPOSE_H
#include "compiler/graph/graph.h"

/* g is linear in its parameters from n_known on, all of float types. The result's parameters: the known ones,
 * then a cotangent for each output; its outputs: a cotangent for each linear parameter. NULL and f set,
 * naming op and line: what is not linear, and an unbounded loop, which has no transpose. */
Graph *transpose_graph(Arena *, const Graph *g, uint32_t n_known, Failure *f);
#endif
