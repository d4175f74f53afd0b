/* eager_gather.c: for each position of the index array, one slice of the operand is copied as a box into its
 * place in the result. */
#include "compiler/graph/infer/infer.h"
#include "eager.h"

int64_t eager_load_index(DType t, const void *p)
{
    uint64_t bits = scalar_load(t, p);
    if (t == WEFT_U64) return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    return scalar_to_i64(t, bits);
}

int64_t eager_load_clamped(DType t, const void *p, int64_t high)
{
    int64_t v = eager_load_index(t, p);
    return v < 0 ? 0 : v > high ? high : v;
}

enum { IN_RESULT, IN_OPERAND, IN_INDICES }; /* offsets of the odometer, in bytes */

/* batch: the positions of the index array. slice: the box that is copied for each. */
typedef struct GatherWalk {
    Odometer batch;
    int slice_rank;
    int64_t slice_dim[WEFT_MAX_RANK], slice_result[WEFT_MAX_RANK], slice_operand[WEFT_MAX_RANK];
} GatherWalk;

/* The result's axes are the offset ones, which take the operand's axes that are neither collapsed nor
 * batching, and all others, which take the index array's axes without the index vector. Both in order. */
static GatherWalk gather_walk(const IndexDims *g, Type operand, Type indices, Type out)
{
    GatherWalk w = { .slice_rank = 0 };
    Odometer *batch = &w.batch;
    int64_t to[WEFT_MAX_RANK], from[WEFT_MAX_RANK], index[WEFT_MAX_RANK];
    eager_strides(out, to);
    eager_strides(operand, from);
    eager_strides(indices, index);
    for (int i = 0, axis = 0; i < out.rank; i++) {
        if (eager_contains(g->window, g->n_window, i)) continue;
        if (axis == g->index_vector_dim) axis++;
        int k = batch->rank++;
        batch->dim[k] = out.dim[i];
        batch->stride[IN_RESULT][k] = to[i];
        batch->stride[IN_INDICES][k] = index[axis];
        for (int b = 0; b < g->n_batching; b++)
            if (g->indices_batching[b] == axis) batch->stride[IN_OPERAND][k] = from[g->operand_batching[b]];
        axis++;
    }
    for (int axis = 0; axis < operand.rank; axis++) {
        if (eager_contains(g->collapsed, g->n_collapsed, axis) ||
            eager_contains(g->operand_batching, g->n_batching, axis))
            continue;
        int k = w.slice_rank++;
        w.slice_dim[k] = g->slice_sizes[axis];
        w.slice_result[k] = to[g->window[k]];
        w.slice_operand[k] = from[axis];
    }
    return w;
}

bool eager_gather(const EagerCall *c)
{
    Type operand = c->arg_types[0], indices = c->arg_types[1];
    IndexDims g;
    if (!gather_dims(c->spec->attr, c->spec->n_attr, operand.rank, &g)) return true;
    GatherWalk w = gather_walk(&g, operand, indices, c->out_types[0]);
    int64_t from[WEFT_MAX_RANK], index_stride[WEFT_MAX_RANK];
    eager_strides(operand, from);
    eager_strides(indices, index_stride);
    /* index_vector_dim may be one past the last axis: then each index is a vector of one. */
    int64_t vector_stride = g.index_vector_dim < indices.rank ? index_stride[g.index_vector_dim] : 0;
    do {
        const char *slice = (const char *)c->args[0] + w.batch.offset[IN_OPERAND],
                   *index = (const char *)c->args[1] + w.batch.offset[IN_INDICES];
        for (int i = 0; i < g.n_map; i++, index += vector_stride) {
            int64_t axis = g.map[i], high = operand.dim[axis] - g.slice_sizes[axis];
            slice += from[axis] * eager_load_clamped((DType)indices.dtype, index, high);
        }
        eager_copy_box(dtype_bytes((DType)operand.dtype), w.slice_rank, w.slice_dim,
                       (char *)c->outs[0] + w.batch.offset[IN_RESULT], w.slice_result, slice,
                       w.slice_operand);
    } while (odometer_next(&w.batch));
    return true;
}
