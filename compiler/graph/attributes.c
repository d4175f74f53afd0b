/* attributes.c: see attributes.h; the layouts stand in ops.h. */
#include "attributes.h"
#include <string.h>

DotDims dot_dims(const int64_t *attr)
{
    int n_batch = (int)attr[0], n_summed = (int)attr[1];
    const int64_t *batch = attr + 2, *summed = batch + 2 * n_batch;
    return (DotDims){ n_batch, n_summed, { batch, batch + n_batch }, { summed, summed + n_summed } };
}

int64_t dot_reads(const Node *dot, int side, Type x)
{
    DotDims d = dot_dims(dot->attr);
    int64_t own = type_count(x);
    for (int i = 0; i < d.n_summed && own; i++) own /= x.dim[d.summed[side][i]];
    return own ? type_count(node_type(dot)) / own : 0;
}

/* head: how many numbers stand in front of the lists; n_sizes: behind them. */
static bool unpack(const int64_t *attr, uint32_t n_attr, uint32_t head, int n_sizes, IndexDims *d)
{
    if (n_attr < head) return false;
    int64_t rest =
        (int64_t)n_attr - head - n_sizes - attr[2]; /* batching axes are listed for both operands */
    for (int i = 0; i < 4; i++) {
        if (attr[i] < 0 || attr[i] > 2 * WEFT_MAX_RANK) return false;
        rest -= attr[i];
    }
    if (rest != 0) return false;
    *d = (IndexDims){ .n_window = (int)attr[0],
                      .n_collapsed = (int)attr[1],
                      .n_batching = (int)attr[2],
                      .n_map = (int)attr[3],
                      .index_vector_dim = attr[4],
                      .window = attr + head };
    d->collapsed = d->window + d->n_window;
    d->operand_batching = d->collapsed + d->n_collapsed;
    d->indices_batching = d->operand_batching + d->n_batching;
    d->map = d->indices_batching + d->n_batching;
    return true;
}

bool gather_dims(const int64_t *attr, uint32_t n_attr, int operand_rank, IndexDims *d)
{
    if (!unpack(attr, n_attr, 5, operand_rank, d)) return false;
    d->slice_sizes = d->map + d->n_map;
    return true;
}

bool scatter_dims(const int64_t *attr, uint32_t n_attr, IndexDims *d)
{
    if (!unpack(attr, n_attr, 7, 0, d)) return false;
    d->unique = attr[5];
    d->sorted = attr[6];
    return true;
}

uint32_t dropped_axes(const IndexDims *d)
{
    return axes_mask(d->collapsed, d->n_collapsed) | axes_mask(d->operand_batching, d->n_batching);
}

IndexDims gather_of_scatter(const IndexDims *d, Type operand, Type updates, int64_t *sizes)
{
    IndexDims gather = *d;
    uint32_t dropped = dropped_axes(d);
    for (int i = 0, k = 0; i < operand.rank; i++)
        sizes[i] = dropped >> i & 1 ? operand.dim[i] > 0 : updates.dim[d->window[k++]];
    gather.slice_sizes = sizes;
    gather.unique = gather.sorted = false;
    return gather;
}

static int64_t *put(int64_t *to, const int64_t *list, int n)
{
    if (n) memcpy(to, list, (size_t)n * sizeof *to);
    return to + n;
}

static int64_t *put_lists(int64_t *to, const IndexDims *d)
{
    to = put(to, d->window, d->n_window);
    to = put(to, d->collapsed, d->n_collapsed);
    to = put(to, d->operand_batching, d->n_batching);
    to = put(to, d->indices_batching, d->n_batching);
    return put(to, d->map, d->n_map);
}

enum { LISTED = 7 * (WEFT_MAX_RANK + 1) };

Ref build_gather(Graph *g, const IndexDims *d, Ref operand, Ref indices)
{
    int64_t attr[5 + LISTED] = { d->n_window, d->n_collapsed, d->n_batching, d->n_map, d->index_vector_dim };
    if (operand == REF_NONE) return REF_NONE;
    int64_t *to = put(put_lists(attr + 5, d), d->slice_sizes, graph_node(g, operand)->rank);
    return build_node(g, OP_GATHER, (Ref[]){ operand, indices }, 2, attr, (uint32_t)(to - attr));
}

Ref build_take(Graph *g, Ref x, int axis, Ref positions)
{
    if (x == REF_NONE) return REF_NONE;
    Type t = graph_type(g, x);
    int64_t at = axis, others[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK];
    axes_without((uint32_t)1 << axis, t.rank, others);
    for (int d = 0; d < t.rank; d++) sizes[d] = d == axis ? 1 : t.dim[d];
    IndexDims slices = { .n_window = t.rank - 1,
                         .n_collapsed = 1,
                         .n_map = 1,
                         .index_vector_dim = 1,
                         .window = others,
                         .collapsed = &at,
                         .map = &at,
                         .slice_sizes = sizes };
    return build_gather(g, &slices, x, positions);
}

Ref build_scatter(Graph *g, const IndexDims *d, const Graph *region, Ref operand, Ref indices, Ref updates)
{
    int64_t attr[7 + LISTED] = { d->n_window,         d->n_collapsed, d->n_batching, d->n_map,
                                 d->index_vector_dim, d->unique,      d->sorted };
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

int64_t dilated(int64_t n, int64_t by)
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

/* The lists of CONVOLUTION behind those of axes, in the order in which a node holds them. */
enum { N_CONV_LISTS = 6 };
static void conv_lists(ConvDims *d, int64_t *list[N_CONV_LISTS])
{
    int64_t *const all[] = { d->stride, d->low, d->high, d->base_dilation, d->dilation, d->reverse };
    memcpy(list, all, sizeof all);
}

bool conv_dims(const int64_t *attr, uint32_t n_attr, int rank, ConvDims *d)
{
    int64_t *list[N_CONV_LISTS];
    size_t r = (size_t)rank, s = r - 2;
    if (rank < 2 || n_attr != 2 + 3 * r + N_CONV_LISTS * s) return false;
    d->spatial = (int)s;
    d->feature_groups = attr[0];
    d->batch_groups = attr[1];
    memcpy(d->lhs, attr + 2, r * sizeof *attr);
    memcpy(d->rhs, attr + 2 + r, r * sizeof *attr);
    memcpy(d->out, attr + 2 + 2 * r, r * sizeof *attr);
    conv_lists(d, list);
    for (size_t i = 0; s && i < N_CONV_LISTS; i++)
        memcpy(list[i], attr + 2 + 3 * r + i * s, s * sizeof *attr);
    return true;
}

uint32_t conv_attr(const ConvDims *d, int64_t attr[CONV_ATTR])
{
    int64_t *list[N_CONV_LISTS], *to = attr;
    conv_lists((ConvDims *)d, list);
    *to++ = d->feature_groups;
    *to++ = d->batch_groups;
    to = put(to, d->lhs, d->spatial + 2);
    to = put(to, d->rhs, d->spatial + 2);
    to = put(to, d->out, d->spatial + 2);
    for (int i = 0; i < N_CONV_LISTS; i++) to = put(to, list[i], d->spatial);
    return (uint32_t)(to - attr);
}

int64_t conv_count(const ConvDims *d, int i, Type lhs, Type rhs)
{
    WindowDims w = { &rhs.dim[d->rhs[2 + i]], &d->stride[i], &d->base_dilation[i],
                     &d->dilation[i],         &d->low[i],    &d->high[i] };
    return window_count(w, 0, lhs.dim[d->lhs[2 + i]]);
}

Ref build_conv(Graph *g, const ConvDims *d, Ref lhs, Ref rhs, DType t)
{
    int64_t attr[CONV_ATTR];
    return build_typed(g, OP_CONVOLUTION, (Ref[]){ lhs, rhs }, 2, attr, conv_attr(d, attr), type_scalar(t));
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

ScanShape control_shape(const Node *n)
{
    if (n->op == OP_SCAN) return scan_shape(n->attr);
    if (n->op == OP_WHILE) return (ScanShape){ .n_invariant = (uint32_t)n->attr[0], .n_carry = n->n_results };
    return (ScanShape){ .n_invariant = n->n_args - (n->op == OP_CASE) };
}
