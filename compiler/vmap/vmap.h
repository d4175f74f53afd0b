/* vmap.h: a graph for one example becomes a graph for a batch of them. */
#ifndef WEFT_VMAP_VMAP_H
#define WEFT_VMAP_VMAP_H
#include "compiler/graph/graph.h"

#define VMAP_NONE \
    INT64_MIN /* as an axis: this argument is the same for the whole batch; this output must be */

/* Who asks for the map: what a CUSTOM_VMAP is for a batch is known to it alone. rule is handed the number
 * that stands in the node, all operands with a leading batch axis of this size (also those that are the same
 * for all examples), and builds in dst all results with a leading batch axis; vmap checks their types. dst
 * may be a region that is being built. False: the Failure says why. Some examples may be ones whose values
 * nobody wants (of a branch that others take). */
typedef struct VmapCaller {
    bool (*rule)(void *user, Graph *dst, int64_t rule, int64_t size, const Ref *args, uint32_t n_args,
                 Ref *results, Failure *);
    void *user;
} VmapCaller;

/* in_axes: for each parameter, where the batch axis lies in the mapped argument (rank + 1 axes; negative
 * counts from the end), or VMAP_NONE. out_axes: for each output, where it is to lie; an output that does not
 * depend on a mapped argument is repeated along it. size: of the batch axis. caller: NULL: a CUSTOM_VMAP is
 * mapped as what it computes, as one without a rule always is. NULL and f set when an axis is out of range,
 * an output of out axis VMAP_NONE is mapped, or a rank exceeds the limit. */
Graph *vmap_graph(Arena *, const Graph *g, const int64_t *in_axes, int64_t size, const int64_t *out_axes,
                  const VmapCaller *caller, Failure *f);
/* All parameters and outputs have the batch axis in front. */
Graph *vmap_leading(Arena *, const Graph *g, int64_t size, Failure *f);
/* For each output: does it depend on a mapped parameter, so that it needs an out axis? */
bool *vmap_mapped_outputs(Arena *, const Graph *g, const int64_t *in_axes);
#endif
