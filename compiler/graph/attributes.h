/* attributes.h: the attributes of DOT, GATHER, SCATTER, windows and CONVOLUTION, unpacked and packed. */
#ifndef WEFT_GRAPH_ATTRIBUTES_H
#define WEFT_GRAPH_ATTRIBUTES_H
#include "graph.h"

/* DOT: the axes of the left operand, [0], and of the right one, [1], in pairs. All others are free: the
 * result has the batch axes, then the left's free ones, then the right's. */
typedef struct DotDims {
    int n_batch, n_summed;
    const int64_t *batch[2], *summed[2];
} DotDims;
DotDims dot_dims(const int64_t *attr);
/* How often a DOT reads each element of the operand on this side. */
int64_t dot_reads(const Node *dot, int side, Type operand);

/* The attribute vector of GATHER or SCATTER, unpacked: where index vectors stand, and how windows of the
 * operand lie in the result (GATHER) or in the updates (SCATTER). */
typedef struct IndexDims {
    int n_window, n_collapsed, n_batching, n_map;
    int64_t index_vector_dim;
    bool unique, sorted; /* SCATTER */
    /* offset_dims or update_window_dims; collapsed_slice_dims or inserted_window_dims; ... */
    const int64_t *window, *collapsed, *operand_batching, *indices_batching, *map;
    const int64_t *slice_sizes; /* GATHER */
} IndexDims;
/* False if its lengths do not add up. */
bool gather_dims(const int64_t *attr, uint32_t n_attr, int operand_rank, IndexDims *);
bool scatter_dims(const int64_t *attr, uint32_t n_attr, IndexDims *);

/* The GATHER of the same windows at the same positions. sizes: room for the rank of the operand. */
IndexDims gather_of_scatter(const IndexDims *, Type operand, Type updates, int64_t *sizes);
/* The axes of the operand that windows do not have. */
uint32_t dropped_axes(const IndexDims *);

Ref build_gather(Graph *, const IndexDims *, Ref operand, Ref indices);
/* The slices of x at these positions, a vector, along an axis. */
Ref build_take(Graph *, Ref x, int axis, Ref positions);
/* Of one operand. */
Ref build_scatter(Graph *, const IndexDims *, const Graph *region, Ref operand, Ref indices, Ref updates);

/* Windows of REDUCE_WINDOW and SELECT_AND_SCATTER: [rank] each. */
typedef struct WindowDims {
    const int64_t *size, *stride, *base_dilation, *dilation, *low, *high;
} WindowDims;
WindowDims window_dims(Op, const int64_t *attr, int rank); /* dilations are NULL for SELECT_AND_SCATTER */
/* Number of windows along an axis of n elements. */
int64_t window_count(WindowDims, int axis, int64_t n);

/* How far n elements reach with by - 1 holes between them; far above any real size where that overflows. */
int64_t dilated(int64_t n, int64_t by);

/* CONVOLUTION: which axes are what, and how windows lie along the spatial axes: [spatial] each. */
typedef struct ConvDims {
    int spatial; /* how many: the rank less 2 */
    int64_t feature_groups, batch_groups;
    /* Of operand and result: the batch, the features, spatial axes. Of the weights: input features, output
     * features, spatial axes. */
    int64_t lhs[WEFT_MAX_RANK], rhs[WEFT_MAX_RANK], out[WEFT_MAX_RANK];
    int64_t stride[WEFT_MAX_RANK], low[WEFT_MAX_RANK], high[WEFT_MAX_RANK];
    int64_t base_dilation[WEFT_MAX_RANK], dilation[WEFT_MAX_RANK], reverse[WEFT_MAX_RANK];
} ConvDims;
enum { CONV_ATTR = 2 + 9 * WEFT_MAX_RANK };
/* False if there are not as many numbers as this rank needs. */
bool conv_dims(const int64_t *attr, uint32_t n_attr, int rank, ConvDims *);
/* How many numbers attr then has. */
uint32_t conv_attr(const ConvDims *, int64_t attr[CONV_ATTR]);
/* Number of windows along spatial axis i. */
int64_t conv_count(const ConvDims *, int i, Type lhs, Type rhs);
/* t: of the sums and the result. */
Ref build_conv(Graph *, const ConvDims *, Ref lhs, Ref rhs, DType t);
#endif
