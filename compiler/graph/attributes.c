/* attributes.c: see attributes.h; the layouts stand in ops.h. */
#include "attributes.h"
#include <string.h>

bool gather_dims(const int64_t *attr, uint32_t n_attr, int operand_rank, GatherDims *d)
{
    if (n_attr < 5) return false;
    int64_t rest = (int64_t)n_attr - 5 - operand_rank;
    for (int i = 0; i < 4; i++) {
        if (attr[i] < 0 || attr[i] > 2 * WEFT_MAX_RANK) return false;
        rest -= attr[i];
    }
    if (rest != attr[2]) return false; /* the batching axes are listed for both operands */
    d->n_offset = (int)attr[0];
    d->n_collapsed = (int)attr[1];
    d->n_batching = (int)attr[2];
    d->n_map = (int)attr[3];
    d->index_vector_dim = attr[4];
    d->offset = attr + 5;
    d->collapsed = d->offset + d->n_offset;
    d->operand_batching = d->collapsed + d->n_collapsed;
    d->indices_batching = d->operand_batching + d->n_batching;
    d->map = d->indices_batching + d->n_batching;
    d->slice_sizes = d->map + d->n_map;
    return true;
}

bool scatter_dims(const int64_t *attr, uint32_t n_attr, ScatterDims *d)
{
    if (n_attr < 7) return false;
    int64_t rest = (int64_t)n_attr - 7 - attr[2]; /* batching axes are listed for both operands */
    for (int i = 0; i < 4; i++) {
        if (attr[i] < 0 || attr[i] > WEFT_MAX_RANK) return false;
        rest -= attr[i];
    }
    if (rest != 0) return false;
    d->n_update_window = (int)attr[0];
    d->n_inserted = (int)attr[1];
    d->n_batching = (int)attr[2];
    d->n_map = (int)attr[3];
    d->index_vector_dim = attr[4];
    d->unique = attr[5];
    d->sorted = attr[6];
    d->update_window = attr + 7;
    d->inserted = d->update_window + d->n_update_window;
    d->input_batching = d->inserted + d->n_inserted;
    d->indices_batching = d->input_batching + d->n_batching;
    d->map = d->indices_batching + d->n_batching;
    return true;
}

ScatterDims scatter_of_gather(const GatherDims *d)
{
    return (ScatterDims){ .n_update_window = d->n_offset,
                          .n_inserted = d->n_collapsed,
                          .n_batching = d->n_batching,
                          .n_map = d->n_map,
                          .index_vector_dim = d->index_vector_dim,
                          .update_window = d->offset,
                          .inserted = d->collapsed,
                          .input_batching = d->operand_batching,
                          .indices_batching = d->indices_batching,
                          .map = d->map };
}

GatherDims gather_of_scatter(const ScatterDims *d, Type operand, Type updates, int64_t *sizes)
{
    uint32_t dropped = axes_mask(d->inserted, d->n_inserted) | axes_mask(d->input_batching, d->n_batching);
    for (int i = 0, k = 0; i < operand.rank; i++)
        sizes[i] = dropped >> i & 1 ? operand.dim[i] > 0 : updates.dim[d->update_window[k++]];
    return (GatherDims){ .n_offset = d->n_update_window,
                         .n_collapsed = d->n_inserted,
                         .n_batching = d->n_batching,
                         .n_map = d->n_map,
                         .index_vector_dim = d->index_vector_dim,
                         .offset = d->update_window,
                         .collapsed = d->inserted,
                         .operand_batching = d->input_batching,
                         .indices_batching = d->indices_batching,
                         .map = d->map,
                         .slice_sizes = sizes };
}

static int64_t *put(int64_t *to, const int64_t *list, int n)
{
    if (n) memcpy(to, list, (size_t)n * sizeof *to);
    return to + n;
}

/* The lists that both ops have. */
static int64_t *put_lists(int64_t *to, const ScatterDims *d)
{
    to = put(to, d->update_window, d->n_update_window);
    to = put(to, d->inserted, d->n_inserted);
    to = put(to, d->input_batching, d->n_batching);
    to = put(to, d->indices_batching, d->n_batching);
    return put(to, d->map, d->n_map);
}

enum { LISTED = 7 * (WEFT_MAX_RANK + 1) };

Ref build_gather(Graph *g, const GatherDims *d, Ref operand, Ref indices)
{
    int64_t attr[5 + LISTED] = { d->n_offset, d->n_collapsed, d->n_batching, d->n_map, d->index_vector_dim };
    ScatterDims lists = scatter_of_gather(d);
    if (operand == REF_NONE) return REF_NONE;
    int64_t *to = put(put_lists(attr + 5, &lists), d->slice_sizes, graph_node(g, operand)->rank);
    return graph_add(g, &(NodeSpec){ .op = OP_GATHER,
                                     .args = (Ref[]){ operand, indices },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(to - attr) });
}

Ref build_scatter(Graph *g, const ScatterDims *d, const Graph *region, Ref operand, Ref indices, Ref updates)
{
    int64_t attr[7 + LISTED] = { d->n_update_window,  d->n_inserted, d->n_batching, d->n_map,
                                 d->index_vector_dim, d->unique,     d->sorted };
    int64_t *to = put_lists(attr + 7, d);
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = (Ref[]){ operand, indices, updates },
                                     .n_args = 3,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(to - attr),
                                     .region = region });
}

WindowDims window_dims(Op op, const int64_t *attr, int rank)
{
    const int64_t *p[6];
    for (int i = 0; i < 6; i++) p[i] = attr + i * rank;
    if (op == OP_SELECT_AND_SCATTER) return (WindowDims){ p[0], p[1], NULL, NULL, p[2], p[3] };
    return (WindowDims){ p[0], p[1], p[2], p[3], p[4], p[5] };
}

/* Dilated sizes saturate far above any real one, so that they cannot overflow. */
static int64_t dilated(int64_t n, int64_t by)
{
    int64_t wide;
    if (n == 0) return 0;
    return __builtin_mul_overflow(n - 1, by, &wide) || wide == INT64_MAX ? INT64_MAX / 4 : wide + 1;
}

int64_t window_count(WindowDims w, int axis, int64_t n)
{
    int64_t base = dilated(n, w.base_dilation ? w.base_dilation[axis] : 1) + w.low[axis] + w.high[axis];
    int64_t window = dilated(w.size[axis], w.dilation ? w.dilation[axis] : 1);
    return base <= 0 || window > base ? 0 : (base - window) / w.stride[axis] + 1;
}

ScanShape scan_shape(const int64_t *attr)
{
    return (ScanShape){ .length = attr[0],
                        .reverse = attr[1],
                        .unroll = attr[2],
                        .n_invariant = (uint32_t)attr[3],
                        .n_carry = (uint32_t)attr[4],
                        .n_xs = (uint32_t)attr[5],
                        .checkpoint = attr[6] };
}
