/* infer.h: the type rule of every op: what operand types and attributes are allowed, and the result's type.
 * Used by graph_add and by eager mode alike, so both refuse the same programs in the same words. */
#ifndef WEFT_INFER_INFER_H
#define WEFT_INFER_INFER_H
#include "compiler/graph/graph.h"

enum { INFER_MAX_RESULTS = 64 };
typedef struct Inferred {
    int n_results;
    const Type *type; /* [n_results]: own, or the spec's where results are given */
    /* dims point into dim[] for the first result, into the arguments' for further ones of equal shape */
    Type own[INFER_MAX_RESULTS];
    int64_t dim[WEFT_MAX_RANK];
} Inferred;

/* args: types of the operands. spec->args is not looked at. False and f set if the rule is broken.
 * Messages say what was seen and what is allowed; the caller adds place and public function name. */
bool infer(const NodeSpec *spec, const Type *args, Inferred *out, Failure *f);
/* Is `mask` (BSUF letters of ops.def) satisfied by t? */
bool infer_takes(Op op, DType t);

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
/* Windows of REDUCE_WINDOW and SELECT_AND_SCATTER: [rank] each. */
typedef struct WindowDims {
    const int64_t *size, *stride, *base_dilation, *dilation, *low, *high;
} WindowDims;
WindowDims window_dims(Op, const int64_t *attr, int rank); /* dilations are NULL for SELECT_AND_SCATTER */
/* Number of windows along an axis of n elements. */
int64_t window_count(WindowDims, int axis, int64_t n);
#endif
