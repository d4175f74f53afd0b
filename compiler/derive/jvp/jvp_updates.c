/* jvp_updates.c: the forward rule of a SCATTER by any region, whose updates may meet: a scan over them, in
 * the order that the op promises, which is differentiated as any other.
 *
 * As a rule two windows are the same elements or share none. Then updates are sorted by their places, and the
 * scan carries one window, which begins anew where a place does: its work is linear. Where windows may share
 * a part, the scan carries the whole operands.
 */
#include "compiler/graph/attributes.h"
#include "compiler/vmap/vmap.h"
#include "jvp_rules.h"

/* One step's: a window of the operands, at a vector of positions that holds those of the batching axes
 * too. */
typedef struct UpdateWindow {
    IndexDims dims; /* its lists are these: */
    int64_t window[WEFT_MAX_RANK], gone[WEFT_MAX_RANK], map[WEFT_MAX_RANK], size[WEFT_MAX_RANK];
    int64_t kept[WEFT_MAX_RANK]; /* the window's own sizes */
} UpdateWindow;

static void find_window(UpdateWindow *w, const IndexDims *d, Type operand, Type updates)
{
    uint32_t gone = dropped_axes(d);
    IndexDims *to = &w->dims;
    *to = (IndexDims){ .unique = true,
                       .sorted = true,
                       .window = w->window,
                       .collapsed = w->gone,
                       .map = w->map,
                       .slice_sizes = w->size };
    for (int i = 0; i < operand.rank; i++) {
        w->size[i] = gone >> i & 1 ? operand.dim[i] > 0 : updates.dim[d->window[to->n_window]];
        if (gone >> i & 1) w->gone[to->n_collapsed++] = i;
        else {
            w->kept[to->n_window] = w->size[i];
            w->window[to->n_window] = to->n_window;
            to->n_window++;
        }
    }
    for (int i = 0; i < d->n_map; i++) w->map[to->n_map++] = d->map[i];
    for (int i = 0; i < d->n_batching; i++) w->map[to->n_map++] = d->operand_batching[i];
}

static Ref replace_window(Graph *g, const IndexDims *d, Ref a, Ref at, Ref update)
{
    const Graph *region = build_reducer(g->arena, OP_RESULT, (DType)graph_node(g, a)->dtype);
    return build_scatter(g, d, region, a, at, update);
}

/* The positions as vectors [steps, n_map]. */
static Ref position_vectors(Graph *g, const IndexDims *d, const UpdateWindow *w, Ref indices, int64_t steps)
{
    Type t = graph_type(g, indices);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK + 1];
    Ref column[WEFT_MAX_RANK + 1];
    int rank = 0;
    for (int i = 0; i < t.rank; i++)
        if (i != d->index_vector_dim) perm[rank++] = i;
    if (d->index_vector_dim < t.rank) perm[rank++] = d->index_vector_dim;
    Ref wide = build_convert(g, indices, WEFT_I64);
    column[0] = build_reshape(g, build_transpose(g, wide, perm), (int64_t[]){ steps, d->n_map }, 2);
    for (int i = 0; i < t.rank; i++) dim[i] = t.dim[i];
    if (d->index_vector_dim < t.rank) dim[d->index_vector_dim] = 1;
    for (int i = 0; i < d->n_batching; i++) {
        Ref own = build_iota(g, (Type){ WEFT_I64, t.rank, dim }, (int)d->indices_batching[i]);
        column[1 + i] = build_reshape(g, own, (int64_t[]){ steps, 1 }, 2);
    }
    return w->dims.n_map == d->n_map ? column[0] : build_concatenate(g, column, 1 + d->n_batching, 1);
}

/* [steps, window] of the updates. */
static Ref update_windows(Graph *g, const IndexDims *d, const UpdateWindow *w, Ref updates, int64_t steps)
{
    Type t = graph_type(g, updates);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK + 1] = { steps };
    int outer = axes_without(axes_mask(d->window, d->n_window), t.rank, perm);
    for (int i = 0; i < d->n_window; i++) perm[outer + i] = d->window[i];
    for (int i = 0; i < w->dims.n_window; i++) dim[1 + i] = w->kept[i];
    return build_reshape(g, build_transpose(g, updates, perm), dim, w->dims.n_window + 1);
}

/* ---- the operands as carries */

/* Carries: the operands; inputs: the positions, the updates. What is outside is read from inside, and dropped
 * again. */
static const Graph *update_body(const Jvp *v, const Node *n, const UpdateWindow *w, const Graph *region,
                                int64_t size)
{
    uint32_t count = n->n_results;
    Graph *g = graph_new(v->w.to->arena, NULL);
    Ref *arrays = jvp_refs(v, count), *args = jvp_refs(v, 2 * (size_t)count), *out = jvp_refs(v, count);
    for (uint32_t i = 0; i < count; i++) arrays[i] = build_param(g, arg_type(v, n, i));
    Ref at = build_param(g, (Type){ WEFT_I64, 1, (int64_t[]){ w->dims.n_map } });
    for (uint32_t i = 0; i < count; i++) {
        args[i] = build_reshape(g, build_gather(g, &w->dims, arrays[i], at), &size, 1);
        args[count + i] = build_reshape(
            g, build_param(g, (Type){ arg_type(v, n, i).dtype, (uint8_t)w->dims.n_window, w->kept }), &size,
            1);
    }
    graph_inline(g, region, args, out);
    for (uint32_t i = 0; i < count; i++)
        out[i] =
            replace_window(g, &w->dims, arrays[i], at, build_reshape(g, out[i], w->kept, w->dims.n_window));
    graph_set_outputs(g, out, count);
    return g;
}

static void carry_operands(const Jvp *v, const Node *n, Graph *g, const UpdateWindow *w, const Graph *region,
                           int64_t steps, int64_t size, const Ref *args, Ref *out)
{
    uint32_t count = n->n_results;
    build_scan(g, (ScanShape){ .length = steps, .unroll = 1, .n_carry = count, .n_xs = count + 1 },
               update_body(v, n, w, region, size), args, out);
}

/* ---- a window as carry */

/* Is a window at one position all that one at another position shares elements with? */
static bool are_apart(const UpdateWindow *w)
{
    bool apart = w->dims.n_map > 0;
    for (int i = 0; i < w->dims.n_map; i++) apart &= w->size[w->map[i]] == 1;
    return apart;
}

static const Graph *smaller_first(Arena *a, DType place, DType number)
{
    Graph *g = graph_new(a, NULL);
    Ref x = build_param(g, type_scalar(place)), y = build_param(g, type_scalar(place)), less;
    for (int i = 0; i < 2; i++) build_param(g, type_scalar(number));
    less = build_compare(g, CMP_LT, x, y);
    graph_set_outputs(g, &less, 1);
    return g;
}

/* The place of each position, a number: [steps]. The last number, `outside`, is that of all that lie
 * outside. */
static Ref place_numbers(Graph *g, const UpdateWindow *w, Type operand, Ref at, int64_t *outside)
{
    int64_t limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], n = w->dims.n_map, along = 1;
    Type t = graph_type(g, at), vector = { WEFT_I64, 1, &n };
    *outside = 1;
    for (int64_t i = n; i-- > 0; *outside *= limit[i]) {
        limit[i] = operand.dim[w->map[i]];
        stride[i] = *outside;
    }
    Ref limits = build_broadcast(g, build_constant(g, vector, limit), t.dim, 2, &along),
        strides = build_broadcast(g, build_constant(g, vector, stride), t.dim, 2, &along);
    Ref inside = build_binary(g, OP_AND, build_compare(g, CMP_GE, at, build_zeros(g, t)),
                              build_compare(g, CMP_LT, at, limits)),
        place = build_reduce(g, OP_ADD, build_binary(g, OP_MUL, at, strides), &along, 1);
    inside = build_reduce(g, OP_AND, inside, &along, 1);
    place = build_select(g, inside, place, build_splat(g, graph_type(g, place), (uint64_t)*outside));
    return *outside < INT32_MAX ? build_convert(g, place, WEFT_I32) : place;
}

/* [steps]: does the place differ from that of the step before (of the next one)? */
static Ref differs(Graph *g, Ref place, int64_t steps, bool from_next)
{
    Ref end = build_splat(g, (Type){ graph_node(g, place)->dtype, 1, (int64_t[]){ 1 } }, UINT64_MAX);
    Ref rest = build_slice_along(g, place, 0, from_next, steps - !from_next, 1),
        parts[] = { from_next ? rest : end, from_next ? end : rest };
    return build_compare(g, CMP_NE, place, build_concatenate(g, parts, 2, 0));
}

/* Carries: a window of each operand; inputs: whether its place is a new one, what the operand has there, the
 * update. */
static const Graph *window_body(const Jvp *v, const Node *n, const Graph *region, int64_t size)
{
    uint32_t count = n->n_results;
    Graph *g = graph_new(v->w.to->arena, NULL);
    Ref *args = jvp_refs(v, 2 * (size_t)count), *out = jvp_refs(v, 2 * (size_t)count);
    for (uint32_t i = 0; i < count; i++)
        args[i] = build_param(g, (Type){ arg_type(v, n, i).dtype, 1, &size });
    Ref begins = build_broadcast(g, build_param(g, type_scalar(WEFT_BOOL)), &size, 1, NULL);
    for (uint32_t i = 0; i < count; i++)
        args[i] = build_select(g, begins, build_param(g, graph_type(g, args[i])), args[i]);
    for (uint32_t i = 0; i < count; i++) args[count + i] = build_param(g, graph_type(g, args[i]));
    graph_inline(g, region, args, out);
    memcpy(out + count, out, count * sizeof *out);
    graph_set_outputs(g, out, 2 * count);
    return g;
}

/* args: the operands, the position vectors, [steps, window] of the updates. What the last update of each
 * place leaves is put there. */
static void carry_window(const Jvp *v, const Node *n, Graph *g, const UpdateWindow *w, const Graph *region,
                         int64_t steps, int64_t size, const Ref *args, Ref *out)
{
    uint32_t count = n->n_results;
    int64_t outside, flat[] = { steps, size }, window[WEFT_MAX_RANK], zero = 0;
    IndexDims d = w->dims;
    d.index_vector_dim = 1;
    d.sorted = false;
    d.window = window;
    for (int i = 0; i < d.n_window; i++) window[i] = i + 1;
    Ref sorted[2], place = place_numbers(g, w, arg_type(v, n, 0), args[count], &outside);
    DType t = (DType)graph_node(g, place)->dtype, number = steps < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Ref numbered[] = { place, build_iota(g, (Type){ (uint8_t)number, 1, &steps }, 0) };
    if (!build_sort(g, numbered, 2, 0, true, smaller_first(g->arena, t, number), sorted)) return;
    place = sorted[0];
    Ref at = build_take(g, args[count], 0, sorted[1]), *xs = jvp_refs(v, 3 * (size_t)count + 1),
        *ys = jvp_refs(v, 2 * (size_t)count);
    xs[count] = differs(g, place, steps, false);
    for (uint32_t i = 0; i < count; i++) {
        xs[i] = build_zeros(g, (Type){ arg_type(v, n, i).dtype, 1, &size });
        xs[count + 1 + i] = build_reshape(g, build_gather(g, &d, args[i], at), flat, 2);
        xs[2 * count + 1 + i] = build_reshape(g, build_take(g, args[count + 1 + i], 0, sorted[1]), flat, 2);
    }
    build_scan(g, (ScanShape){ .length = steps, .unroll = 1, .n_carry = count, .n_xs = 2 * count + 1 },
               window_body(v, n, region, size), xs, ys);
    Ref last = build_broadcast(g, differs(g, place, steps, true), graph_type(g, at).dim, 2, &zero),
        to = build_select(g, last, at, build_splat(g, graph_type(g, at), UINT64_MAX));
    for (uint32_t i = 0; i < count; i++) {
        Type u = graph_type(g, args[count + 1 + i]);
        out[i] = replace_window(g, &d, args[i], to, build_reshape(g, ys[count + i], u.dim, u.rank));
    }
}

void jvp_fold_updates(const Jvp *v, const Node *n, Ref *dy)
{
    uint32_t count = n->n_results;
    Type updates = arg_type(v, n, count + 1);
    IndexDims d;
    scatter_dims(n->attr, n->n_attr, &d);
    UpdateWindow w;
    find_window(&w, &d, arg_type(v, n, 0), updates);
    int64_t size = 1, steps = 1;
    for (int i = 0; i < w.dims.n_window; i++) size *= w.kept[i];
    for (int i = 0, at = 0; i < updates.rank; i++) {
        if (at < d.n_window && d.window[at] == i) at++;
        else steps *= updates.dim[i];
    }
    const Graph *region = vmap_leading(v->w.to->arena, n->regions[0], size, &v->w.to->failure);
    if (!region) return;
    Graph *g = jvp_open_same(v, n);
    Ref *args = jvp_refs(v, n->n_args), *out = jvp_refs(v, count);
    for (uint32_t i = 0; i < count; i++) args[i] = g->params[i];
    args[count] = position_vectors(g, &d, &w, g->params[count], steps);
    for (uint32_t i = 0; i < count; i++)
        args[count + 1 + i] = update_windows(g, &d, &w, g->params[count + 1 + i], steps);
    (steps > 0 && are_apart(&w) ? carry_window : carry_operands)(v, n, g, &w, region, steps, size, args, out);
    graph_set_outputs(g, out, count);
    jvp_expanded(v, n, g, dy);
}
