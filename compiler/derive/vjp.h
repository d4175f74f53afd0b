/* vjp.h: reverse mode: linearize, then transpose, in one graph again. */
#ifndef WEFT_DERIVE_VJP_H
#define WEFT_DERIVE_VJP_H
#include "compiler/graph/graph.h"

/* active: as of jvp_graph. given[i]: output i, of a float type, has a cotangent; others count as zero. The
 * result's parameters: g's, then a cotangent for each given one; its outputs: g's, then a cotangent for each
 * active parameter, zeros if nothing given depends on it. most: as of linearize_graph. NULL: f set. */
Graph *vjp_graph(Arena *, const Graph *g, const bool *active, const bool *given, size_t most, Failure *f);
/* The gradient of output 0, a float of rank 0: its cotangent is 1. g's parameters -> g's outputs, then a
 * gradient for each active parameter. */
Graph *grad_graph(Arena *, const Graph *g, const bool *active, size_t most, Failure *f);
#endif
