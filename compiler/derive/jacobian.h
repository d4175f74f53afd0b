/* jacobian.h: whole derivatives, as arrays: a derivative in one direction, mapped over the directions of a
 * basis. What does not depend on the direction is computed once, for vmap leaves it unmapped. */
#ifndef WEFT_DERIVE_JACOBIAN_H
#define WEFT_DERIVE_JACOBIAN_H
#include "compiler/graph/graph.h"
#include "compiler/vmap/vmap.h"

/* g's parameters -> g's outputs, then for each active parameter, of a float type, the derivative of one float
 * output by it: shape is the output's, then the parameter's; of an output of rank 0 the gradient. Row by row,
 * in reverse. most, errors: as of vjp_graph; a rank over the limit is one too. caller: as of vmap_graph. */
Graph *jacrev_graph(Arena *, const Graph *g, uint32_t output, const bool *active, size_t most,
                    const VmapCaller *caller, Failure *f);
/* g's parameters -> g's outputs, then for each wanted output its derivative by each active parameter, shaped
 * so. Column by column, forward. */
Graph *jacfwd_graph(Arena *, const Graph *g, const bool *active, const bool *want, const VmapCaller *caller,
                    Failure *f);
#endif
