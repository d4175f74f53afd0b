/* vmap.h: a graph for one example becomes a graph for a batch of them. */
#ifndef WEFT_COMPILER_VMAP_H
#define WEFT_COMPILER_VMAP_H
#include "compiler/graph/graph.h"

#define VMAP_NONE INT64_MIN     /* as an axis: this argument is the same for the whole batch; this output must be */

/* in_axes: for each parameter, where the batch axis lies in the mapped argument (rank + 1 axes; negative counts from the end), or VMAP_NONE.
 * out_axes: for each output, where it is to lie; an output that does not depend on a mapped argument is repeated along it.
 * size: of the batch axis. NULL and f set when an axis is out of range, an output of out axis VMAP_NONE is mapped, or a rank exceeds the limit. */
Graph *vmap_graph(Arena *, const Graph *g, const int64_t *in_axes, int64_t size, const int64_t *out_axes, Failure *f);
/* For each output: does it depend on a mapped parameter, so that it needs an out axis? */
bool *vmap_mapped_outputs(Arena *, const Graph *g, const int64_t *in_axes);
#endif
