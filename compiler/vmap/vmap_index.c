/* vmap_index.c: batching rules of what takes positions from data, and of what works along axes.
 *
 * Positions that differ by example turn a dynamic slice into a gather, and its update into a scatter, whose
 * first axis goes along with that of the positions.
 */
#include "vmap_rules.h"

static int64_t *put_axes(int64_t *to, bool lead, int64_t leading, const int64_t *axes, int n, bool shift)
{
    if (lead) *to++ = leading;
    for (int i = 0; i < n; i++) *to++ = axes[i] + shift;
    return to;
}

/* Both mapped: a pair of batching axes. The operand only: its batch axis is taken whole, as the first offset
 * axis. The indices only: their batch axis is one more axis of positions. */
bool vmap_gather(const Vmap *v, const Node *n, Ref *out)
{
    bool data = arg_mapped(v, n, 0), ix = arg_mapped(v, n, 1), both = data && ix;
    int rank = source(v, n->args[0])->rank;
    int64_t attr[5 + 8 * AXES], *to = attr + 5;
    IndexDims d;
    gather_dims(n->attr, n->n_attr, rank, &d);
    attr[0] = d.n_window + (data && !ix);
    attr[1] = d.n_collapsed;
    attr[2] = d.n_batching + both;
    attr[3] = d.n_map;
    attr[4] = d.index_vector_dim + ix;
    to = put_axes(to, data && !ix, 0, d.window, d.n_window, true);
    to = put_axes(to, false, 0, d.collapsed, d.n_collapsed, data);
    to = put_axes(to, both, 0, d.operand_batching, d.n_batching, data);
    to = put_axes(to, both, 0, d.indices_batching, d.n_batching, ix);
    to = put_axes(to, false, 0, d.map, d.n_map, data);
    to = put_axes(to, data, both && v->size > 1 ? 1 : v->size, d.slice_sizes, rank, false);
    Ref args[] = { arg(v, n, 0), arg(v, n, 1) };
    return vmap_give(out, vmap_same_op(v, n, args, attr, (uint32_t)(to - attr), NULL, 0));
}

/* ---- dynamic slices: those axes that are not taken whole have a position */

typedef struct Starts {
    int n;
    int64_t axis[WEFT_MAX_RANK];
} Starts;

static Starts moving_axes(const int64_t *dim, const int64_t *sizes, int rank)
{
    Starts s = { 0 };
    for (int i = 0; i < rank; i++)
        if (sizes[i] != dim[i]) s.axis[s.n++] = i;
    return s;
}

/* Index vectors [size, n] of positions [size]; [size] of one. */
static Ref stack_starts(const Vmap *v, const Ref *starts, int n)
{
    Ref column[WEFT_MAX_RANK];
    if (n == 1) return starts[0];
    for (int i = 0; i < n; i++) column[i] = build_reshape(v->w.to, starts[i], (int64_t[]){ v->size, 1 }, 2);
    return build_concatenate(v->w.to, column, n, 1);
}

static int64_t *put_range(int64_t *to, int n)
{
    for (int i = 0; i < n; i++) *to++ = i + 1;
    return to;
}

static Ref gather_slices(const Vmap *v, const Node *n)
{
    bool data = arg_mapped(v, n, 0);
    const Node *a = source(v, n->args[0]);
    Starts s = moving_axes(a->dim, n->attr, a->rank);
    Ref starts[WEFT_MAX_RANK];
    if (s.n == 0) return vmap_batched(v, n, 0);
    for (int i = 0; i < s.n; i++) starts[i] = vmap_batched(v, n, 1 + (uint32_t)s.axis[i]);
    int64_t attr[5 + 3 * AXES] = { a->rank, 0, data, s.n, 1 }, *to = put_range(attr + 5, a->rank);
    to = put_axes(to, data, 0, NULL, 0, false);
    to = put_axes(to, data, 0, s.axis, s.n, data);
    to = put_axes(to, data, v->size > 1 ? 1 : v->size, n->attr, a->rank, false);
    Ref args[] = { arg(v, n, 0), stack_starts(v, starts, s.n) };
    return build_node(v->w.to, OP_GATHER, args, 2, attr, (uint32_t)(to - attr));
}

/* The positions of another rank: one more in front, at 0. */
static const Ref *starts_from_zero(const Vmap *v, const Node *n, uint32_t first)
{
    Ref *starts = graph_refs(v->w.to->arena, n->n_args - first);
    DType t = n->n_args > first ? (DType)source(v, n->args[first])->dtype : WEFT_I32;
    starts[0] = build_zeros(v->w.to, type_scalar(t));
    for (uint32_t i = first; i < n->n_args; i++) starts[i - first + 1] = arg(v, n, i);
    return starts;
}

bool vmap_dynamic_slice(const Vmap *v, const Node *n, Ref *out)
{
    int64_t sizes[AXES];
    if (vmap_any_mapped(v, n, 1)) return vmap_give(out, gather_slices(v, n));
    vmap_dims(v, n->attr, (int)n->n_attr, sizes);
    return vmap_give(out, build_dynamic_slice(v->w.to, arg(v, n, 0), starts_from_zero(v, n, 1), sizes));
}

/* clamp(0, start, limit): a scatter drops what is outside, a dynamic slice moves it inside. Limits beyond the
 * type are none. */
static Ref clamp_start(const Vmap *v, Ref start, int64_t limit)
{
    if (start == REF_NONE) return start;
    DType t = (DType)graph_node(v->w.to, start)->dtype;
    uint64_t most = UINT64_MAX >> (64 - dtype_bits(t) + dtype_is_signed(t)),
             high = (uint64_t)limit < most ? (uint64_t)limit : most;
    Type scalar = type_scalar(t);
    Ref args[] = { build_zeros(v->w.to, scalar), start, build_splat(v->w.to, scalar, high) };
    return build_node(v->w.to, OP_CLAMP, args, 3, NULL, 0);
}

static Ref scatter_slices(const Vmap *v, const Node *n)
{
    const Node *a = source(v, n->args[0]), *u = source(v, n->args[1]);
    Starts s = moving_axes(a->dim, u->dim, a->rank);
    Ref starts[WEFT_MAX_RANK];
    if (s.n == 0) return vmap_batched(v, n, 1);
    for (int i = 0; i < s.n; i++)
        starts[i] = clamp_start(v, vmap_batched(v, n, 2 + (uint32_t)s.axis[i]),
                                a->dim[s.axis[i]] - u->dim[s.axis[i]]);
    int64_t attr[7 + 3 * AXES] = { a->rank, 0, 1, s.n, 1, true, false }, *to = put_range(attr + 7, a->rank);
    to = put_axes(to, true, 0, NULL, 0, false);
    to = put_axes(to, true, 0, s.axis, s.n, true);
    Ref args[] = { vmap_batched(v, n, 0), stack_starts(v, starts, s.n), vmap_batched(v, n, 1) };
    return graph_add(v->w.to,
                     &(NodeSpec){ .op = OP_SCATTER,
                                  .args = args,
                                  .n_args = 3,
                                  .attr = attr,
                                  .n_attr = (uint32_t)(to - attr),
                                  .region = build_reducer(v->w.to->arena, OP_RESULT, (DType)a->dtype) });
}

bool vmap_update_slice(const Vmap *v, const Node *n, Ref *out)
{
    if (vmap_any_mapped(v, n, 2)) return vmap_give(out, scatter_slices(v, n));
    return vmap_give(out, build_dynamic_update_slice(v->w.to, vmap_batched(v, n, 0), vmap_batched(v, n, 1),
                                                     starts_from_zero(v, n, 2)));
}

/* ---- scatter */

/* Mapped positions: one more pair of batching axes. Else the batch is one more axis of the windows. */
bool vmap_scatter(const Vmap *v, const Node *n, Ref *out)
{
    uint32_t count = (n->n_args - 1) / 2;
    bool ix = arg_mapped(v, n, count);
    Ref *args = vmap_batched_all(v, n);
    int64_t attr[7 + 6 * AXES], *to = attr + 7;
    IndexDims d;
    scatter_dims(n->attr, n->n_attr, &d);
    memcpy(attr, n->attr, 7 * sizeof *attr);
    attr[0] += !ix;
    attr[2] += ix;
    attr[4] += ix;
    to = put_axes(to, !ix, 0, d.window, d.n_window, true);
    to = put_axes(to, false, 0, d.collapsed, d.n_collapsed, true);
    to = put_axes(to, ix, 0, d.operand_batching, d.n_batching, true);
    to = put_axes(to, ix, 0, d.indices_batching, d.n_batching, ix);
    to = put_axes(to, false, 0, d.map, d.n_map, true);
    if (!ix) args[count] = arg(v, n, count);
    return build_results(v->w.to, vmap_same_op(v, n, args, attr, (uint32_t)(to - attr), NULL, 0), count, out);
}

/* ---- along axes */

/* The batch axis has windows of one element: `front` is what each of the lists says of it. The first n_arrays
 * operands have the batch axis. */
static bool map_window(const Vmap *v, const Node *n, const int64_t *front, uint32_t n_lists,
                       uint32_t n_arrays, Ref *out)
{
    uint32_t rank = source(v, n->args[0])->rank;
    int64_t attr[6 * AXES];
    for (uint32_t k = 0; k < n_lists; k++)
        put_axes(attr + k * (rank + 1), true, front[k], n->attr + k * rank, (int)rank, false);
    Ref *args = vmap_batched_all(v, n);
    for (uint32_t i = n_arrays; i < n->n_args; i++) args[i] = arg(v, n, i);
    Ref r = vmap_same_op(v, n, args, attr, n_lists * (rank + 1), NULL, 0);
    return build_results(v->w.to, r, n->n_results, out);
}

/* Start values that differ by example have no such form. */
bool vmap_reduce_window(const Vmap *v, const Node *n, Ref *out)
{
    static const int64_t front[] = { 1, 1, 1, 1, 0, 0 };
    return vmap_any_mapped(v, n, n->n_args / 2) ? vmap_by_scan(v, n, out)
                                                : map_window(v, n, front, 6, n->n_args / 2, out);
}

bool vmap_select_and_scatter(const Vmap *v, const Node *n, Ref *out)
{
    static const int64_t front[] = { 1, 1, 0, 0 };
    return vmap_any_mapped(v, n, 2) ? vmap_expanded(v, n, out) : map_window(v, n, front, 4, 2, out);
}

bool vmap_sort(const Vmap *v, const Node *n, Ref *out)
{
    int64_t attr[] = { n->attr[0] + 1, n->attr[1] };
    Ref r = vmap_same_op(v, n, vmap_batched_all(v, n), attr, 2, NULL, 0);
    return build_results(v->w.to, r, n->n_results, out);
}

bool vmap_cumulative(const Vmap *v, const Node *n, Ref *out)
{
    int64_t attr[] = { n->attr[0], n->attr[1] + 1, n->attr[2] };
    return vmap_give(out, vmap_same_op(v, n, vmap_batched_all(v, n), attr, 3, NULL, 0));
}

bool vmap_fft(const Vmap *v, const Node *n, Ref *out)
{
    return vmap_give(out, vmap_same_op(v, n, vmap_batched_all(v, n), n->attr, n->n_attr, NULL, 0));
}
