/* attributes.h: the attributes of GATHER, SCATTER and windows, unpacked and packed. */
#ifndef WEFT_GRAPH_ATTRIBUTES_H
#define WEFT_GRAPH_ATTRIBUTES_H
#include "graph.h"

/* GATHER's attribute vector, unpacked. False if its lengths do not add up. */
typedef struct GatherDims {
    int n_offset, n_collapsed, n_batching, n_map;
    int64_t index_vector_dim;
    const int64_t *offset, *collapsed, *operand_batching, *indices_batching, *map, *slice_sizes;
} GatherDims;
bool gather_dims(const int64_t *attr, uint32_t n_attr, int operand_rank, GatherDims *);

/* The same for SCATTER. */
typedef struct ScatterDims {
    int n_update_window, n_inserted, n_batching, n_map;
    int64_t index_vector_dim;
    bool unique, sorted;
    const int64_t *update_window, *inserted, *input_batching, *indices_batching, *map;
} ScatterDims;
bool scatter_dims(const int64_t *attr, uint32_t n_attr, ScatterDims *);

/* The same windows at the same positions, by the other op. sizes: room for the rank of the operand. */
ScatterDims scatter_of_gather(const GatherDims *);
GatherDims gather_of_scatter(const ScatterDims *, Type operand, Type updates, int64_t *sizes);

Ref build_gather(Graph *, const GatherDims *, Ref operand, Ref indices);
/* Of one operand. */
Ref build_scatter(Graph *, const ScatterDims *, const Graph *region, Ref operand, Ref indices, Ref updates);

/* Windows of REDUCE_WINDOW and SELECT_AND_SCATTER: [rank] each. */
typedef struct WindowDims {
    const int64_t *size, *stride, *base_dilation, *dilation, *low, *high;
} WindowDims;
WindowDims window_dims(Op, const int64_t *attr, int rank); /* dilations are NULL for SELECT_AND_SCATTER */
/* Number of windows along an axis of n elements. */
int64_t window_count(WindowDims, int axis, int64_t n);
#endif
