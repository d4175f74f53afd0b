/* eager_gather.c: for each position of the index array, one slice of the operand is copied as a box into its
 * place in the result. */
#include "compiler/graph/infer/infer.h"
#include "eager_parts.h"

int64_t eager_load_index(DType t, const void *p)
{
    uint64_t bits = scalar_load(t, p);
    if (t == WEFT_U64) return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    return scalar_to_i64(t, bits);
}

static int64_t clamp(int64_t v, int64_t high) { return v < 0 ? 0 : v > high ? high : v; }

/* Where the loops over index positions and over one slice go. */
typedef struct Walk {
    int batch_rank;
    int64_t batch_dim[WEFT_MAX_RANK], batch_out[WEFT_MAX_RANK], batch_index[WEFT_MAX_RANK];
    int64_t batch_operand[WEFT_MAX_RANK]; /* of a batching axis: the operand's stride; else 0 */
    int slice_rank;
    int64_t slice_dim[WEFT_MAX_RANK], slice_out[WEFT_MAX_RANK], slice_operand[WEFT_MAX_RANK];
} Walk;

/* The result's axes are the offset ones, which take the operand's axes that are neither collapsed nor
 * batching, and all others, which take the index array's axes without the index vector. Both in order. */
static Walk gather_walk(const GatherDims *g, Type operand, Type indices, Type out)
{
    Walk w = { .batch_rank = 0 };
    int64_t to[WEFT_MAX_RANK], from[WEFT_MAX_RANK], index[WEFT_MAX_RANK];
    eager_strides(out, to);
    eager_strides(operand, from);
    eager_strides(indices, index);
    for (int i = 0, axis = 0; i < out.rank; i++) {
        if (eager_contains(g->offset, g->n_offset, i)) continue;
        if (axis == g->index_vector_dim) axis++;
        int k = w.batch_rank++;
        w.batch_dim[k] = out.dim[i];
        w.batch_out[k] = to[i];
        w.batch_index[k] = index[axis];
        w.batch_operand[k] = 0;
        for (int b = 0; b < g->n_batching; b++)
            if (g->indices_batching[b] == axis) w.batch_operand[k] = from[g->operand_batching[b]];
        axis++;
    }
    for (int axis = 0; axis < operand.rank; axis++) {
        if (eager_contains(g->collapsed, g->n_collapsed, axis) ||
            eager_contains(g->operand_batching, g->n_batching, axis))
            continue;
        int k = w.slice_rank++;
        w.slice_dim[k] = g->slice_sizes[axis];
        w.slice_out[k] = to[g->offset[k]];
        w.slice_operand[k] = from[axis];
    }
    return w;
}

void eager_gather(const NodeSpec *spec, const Type *arg_types, const void *const *args, Type out_type,
                  void *out_memory)
{
    if (eager_count(out_type) == 0) return;
    Type operand = arg_types[0], indices = arg_types[1];
    GatherDims g;
    if (!gather_dims(spec->attr, spec->n_attr, operand.rank, &g)) return;
    Walk w = gather_walk(&g, operand, indices, out_type);
    int64_t from[WEFT_MAX_RANK], index_stride[WEFT_MAX_RANK], at[WEFT_MAX_RANK] = { 0 };
    eager_strides(operand, from);
    eager_strides(indices, index_stride);
    /* index_vector_dim may be one past the last axis: then each index is a vector of one. */
    int64_t vector_stride = g.index_vector_dim < indices.rank ? index_stride[g.index_vector_dim] : 0;
    const char *src = args[0], *index = args[1];
    char *out = out_memory;
    for (;;) {
        const char *slice = src;
        for (int i = 0; i < g.n_map; i++) {
            int64_t axis = g.map[i];
            slice += from[axis] * clamp(eager_load_index((DType)indices.dtype, index + i * vector_stride),
                                        operand.dim[axis] - g.slice_sizes[axis]);
        }
        eager_copy_box(dtype_bytes((DType)operand.dtype), w.slice_rank, w.slice_dim, out, w.slice_out, slice,
                       w.slice_operand);
        int k = w.batch_rank - 1;
        for (; k >= 0; k--) {
            out += w.batch_out[k];
            index += w.batch_index[k];
            src += w.batch_operand[k];
            if (++at[k] < w.batch_dim[k]) break;
            out -= w.batch_out[k] * w.batch_dim[k];
            index -= w.batch_index[k] * w.batch_dim[k];
            src -= w.batch_operand[k] * w.batch_dim[k];
            at[k] = 0;
        }
        if (k < 0) return;
    }
}
