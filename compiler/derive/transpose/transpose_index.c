/* transpose_index.c: what takes elements at positions gives them back there. GATHER and DYNAMIC_SLICE clamp
 * positions, SCATTER drops what is outside: the transposes do the same to the same elements. */
#include "transpose_rules.h"

enum { AXES = WEFT_MAX_RANK };

static bool check_positions_known(const Transpose *t, const Node *n, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++)
        if (is_linear(t, n, i))
            return fail(&t->dst->failure, WEFT_ARGUMENT,
                        "positions that depend on a tangent are not linear, so they have no transpose");
    return true;
}

/* ---- dynamic slices: the update has the slice's size, so its start is clamped alike */

bool transpose_dynamic_slice(const Transpose *t, const Node *n, Ref ct)
{
    Ref starts[AXES];
    if (!check_positions_known(t, n, 1, n->n_args)) return false;
    for (uint32_t i = 1; i < n->n_args; i++) starts[i - 1] = known_arg(t, n, i);
    return give_ct(t, n, 0,
                   build_dynamic_update_slice(t->dst, build_zeros(t->dst, arg_type(t, n, 0)), ct, starts));
}

bool transpose_update_slice(const Transpose *t, const Node *n, Ref ct)
{
    Ref starts[AXES];
    Type update = arg_type(t, n, 1);
    if (!check_positions_known(t, n, 2, n->n_args) || !must_be_zero(t, n, 0) || !must_be_zero(t, n, 1))
        return false;
    for (uint32_t i = 2; i < n->n_args; i++) starts[i - 2] = known_arg(t, n, i);
    if (is_linear(t, n, 0))
        give_ct(t, n, 0, build_dynamic_update_slice(t->dst, ct, build_zeros(t->dst, update), starts));
    if (is_linear(t, n, 1)) give_ct(t, n, 1, build_dynamic_slice(t->dst, ct, starts, update.dim));
    return true;
}

/* ---- gather and scatter */

static Ref scatter_into_zeros(Graph *g, const IndexDims *d, Op combine, Type operand, Ref indices,
                              Ref updates)
{
    const Graph *region = build_reducer(g->arena, combine, (DType)operand.dtype);
    return build_scatter(g, d, region, build_zeros(g, operand), indices, updates);
}

/* The last start at which the window lies inside, for each number of the index vectors: a constant of the
 * indices' type and shape. A type that cannot hold it holds no larger one either. */
static Ref last_starts(Graph *g, const IndexDims *d, Type operand, Type indices)
{
    char data[AXES * 8];
    size_t bytes = dtype_bytes((DType)indices.dtype);
    int64_t most =
        dtype_bits((DType)indices.dtype) == 64
            ? INT64_MAX
            : ((int64_t)1 << (dtype_bits((DType)indices.dtype) - dtype_is_signed((DType)indices.dtype))) - 1;
    for (int k = 0; k < d->n_map; k++) {
        int64_t last = operand.dim[d->map[k]] - d->slice_sizes[d->map[k]];
        scalar_store((DType)indices.dtype, data + (size_t)k * bytes,
                     scalar_from_i64((DType)indices.dtype, last < most ? last : most));
    }
    bool vector = d->index_vector_dim < indices.rank;
    int64_t count = d->n_map;
    Ref c = build_constant(g, (Type){ indices.dtype, vector, &count }, data);
    return build_broadcast(g, c, indices.dim, indices.rank, &d->index_vector_dim);
}

/* Positions as GATHER takes them: inside. */
static Ref clamp_positions(Graph *g, const IndexDims *d, Type operand, Ref indices)
{
    Type t = graph_type(g, indices);
    if (d->n_map == 0 || type_count(t) <= 0) return indices;
    Ref low = build_zeros(g, t), high = last_starts(g, d, operand, t);
    return build_node(g, OP_CLAMP, (Ref[]){ low, indices, high }, 3, NULL, 0);
}

/* ---- positions that are constants: what was taken is taken back ----
 *
 * x[at] along one axis: element i of x gets the sum of the cotangents where `at` is i. The k-th of those of
 * each element are layer k, which is taken as the elements of x were: nothing is added up in memory. What is
 * left of elements that are taken more often than most is added. */

/* An axis of x, and the numbers of elements along it that are taken, inside. */
typedef struct Taken {
    int axis;
    int64_t elements, count;
    int64_t *element; /* [count] */
    int64_t *layer;   /* [count]: how often the element was taken before */
} Taken;

/* x of this type, along one axis, whose place the axes of the positions take. */
static bool takes_along_axis(const IndexDims *d, Type x, const Node *at)
{
    if (at->op != OP_CONSTANT || at->attr[0] || type_count(node_type(at)) == 0 || type_count(x) == 0 ||
        d->n_map != 1 || d->n_batching || d->n_collapsed != 1 || d->collapsed[0] != d->map[0] ||
        d->index_vector_dim < at->rank)
        return false;
    for (int i = 0; i < x.rank; i++)
        if (d->slice_sizes[i] != (i == d->map[0] ? 1 : x.dim[i])) return false;
    for (int i = 0; i < d->n_window; i++)
        if (d->window[i] != i + (i < d->map[0] ? 0 : at->rank)) return false;
    return true;
}

static Taken what_is_taken(Arena *a, const IndexDims *d, Type x, const Node *at)
{
    Taken t = { (int)d->map[0], x.dim[d->map[0]], type_count(node_type(at)), NULL, NULL };
    size_t bytes = (size_t)t.count * sizeof(int64_t);
    int64_t *times = arena_alloc(a, (size_t)t.elements * sizeof(int64_t));
    t.element = arena_alloc(a, bytes), t.layer = arena_alloc(a, bytes);
    for (int64_t k = 0; k < t.count; k++) {
        int64_t i = scalar_to_i64((DType)at->dtype, node_element(at, k));
        t.element[k] = i < 0 ? 0 : i < t.elements ? i : t.elements - 1;
        t.layer[k] = times[t.element[k]]++;
    }
    return t;
}

/* What it costs to add in memory, of what it costs to take. The layers at most, which are written out. */
enum { ADDED = 8, MOST_LAYERS = 12 };

/* How many layers are taken; 0: to add is cheaper. */
static int64_t layers_of(Arena *a, const Taken *t)
{
    int64_t *size = arena_alloc(a, (size_t)t->count * sizeof *size), rest = t->count, least = ADDED * rest,
            best = 0;
    for (int64_t k = 0; k < t->count; k++) size[t->layer[k]]++;
    for (int64_t n = 1; rest > 0 && n <= MOST_LAYERS; n++) {
        rest -= size[n - 1];
        if (n * t->elements + ADDED * rest < least) least = n * t->elements + ADDED * rest, best = n;
    }
    return best;
}

static Ref index_table(Graph *g, const int64_t *numbers, int64_t n, int64_t most)
{
    DType index = most <= INT32_MAX ? WEFT_I32 : WEFT_I64;
    char *data = graph_elements(g, (size_t)n * dtype_bytes(index));
    for (int64_t i = 0; i < n; i++)
        scalar_store(index, data + (size_t)i * dtype_bytes(index), scalar_from_i64(index, numbers[i]));
    return build_constant(g, (Type){ (uint8_t)index, 1, &n }, data);
}

/* The attributes of taking elements along one axis of an array. */
static IndexDims along_axis(Type x, int axis, int64_t room[3 * AXES])
{
    int64_t *sizes = room, *window = room + AXES, *at = room + 2 * AXES;
    IndexDims d = { .n_window = x.rank - 1,
                    .n_collapsed = 1,
                    .n_map = 1,
                    .index_vector_dim = 1,
                    .window = window,
                    .collapsed = at,
                    .map = at,
                    .slice_sizes = sizes };
    for (int i = 0; i < x.rank; i++) sizes[i] = i == axis ? 1 : x.dim[i];
    axes_without(1u << axis, x.rank, window);
    *at = axis;
    return d;
}

static Ref take(Graph *g, Ref x, int axis, Ref at)
{
    int64_t room[3 * AXES];
    IndexDims d = along_axis(graph_type(g, x), axis, room);
    return build_gather(g, &d, x, at);
}

/* One layer: of each element of x, or zero where it has none. */
static Ref taken_layer(Graph *g, const Taken *t, int64_t layer, Type x, Ref ct)
{
    int64_t *from = arena_alloc(g->arena, (size_t)t->elements * sizeof *from), along = t->axis, some = 0;
    char *has = graph_elements(g, (size_t)t->elements);
    for (int64_t k = 0; k < t->count; k++)
        if (t->layer[k] == layer) from[t->element[k]] = k, has[t->element[k]] = 1, some++;
    Ref r = take(g, ct, t->axis, index_table(g, from, t->elements, t->count));
    if (some == t->elements) return r;
    Ref flags = build_constant(g, (Type){ WEFT_BOOL, 1, &t->elements }, has);
    return build_select(g, build_broadcast(g, flags, x.dim, x.rank, &along), r, build_zeros(g, x));
}

/* REF_NONE: it is better added, or the positions are no such constants. */
static Ref taken_back(Graph *g, const IndexDims *d, Type x, Ref positions, Ref ct)
{
    const Node *at = graph_node(g, positions);
    if (!takes_along_axis(d, x, at)) return REF_NONE;
    Taken t = what_is_taken(g->arena, d, x, at);
    int64_t layers = layers_of(g->arena, &t), dim[AXES], room[3 * AXES];
    if (layers == 0) return REF_NONE;
    for (int i = 0; i < x.rank; i++) dim[i] = i == t.axis ? t.count : x.dim[i];
    ct = build_reshape(g, ct, dim, x.rank);
    Ref sum = taken_layer(g, &t, 0, x, ct);
    for (int64_t k = 1; k < layers; k++) sum = build_binary(g, OP_ADD, sum, taken_layer(g, &t, k, x, ct));
    int64_t rest = 0;
    for (int64_t k = 0; k < t.count; k++)
        if (t.layer[k] >= layers) t.element[rest] = t.element[k], t.layer[rest++] = k;
    if (rest == 0) return sum;
    Ref added = take(g, ct, t.axis, index_table(g, t.layer, rest, t.count));
    IndexDims along = along_axis(x, t.axis, room);
    return build_scatter(g, &along, build_reducer(g->arena, OP_ADD, (DType)x.dtype), sum,
                         index_table(g, t.element, rest, t.elements), added);
}

bool transpose_gather(const Transpose *t, const Node *n, Ref ct)
{
    Type a = arg_type(t, n, 0);
    IndexDims d;
    if (!check_positions_known(t, n, 1, 2)) return false;
    gather_dims(n->attr, n->n_attr, a.rank, &d);
    Ref back = taken_back(t->dst, &d, a, known_arg(t, n, 1), ct);
    if (back != REF_NONE) return give_ct(t, n, 0, back);
    Ref at = clamp_positions(t->dst, &d, a, known_arg(t, n, 1));
    return give_ct(t, n, 0, scatter_into_zeros(t->dst, &d, OP_ADD, a, at, ct));
}

/* Which updates are inside: one flag for each index vector, spread over the updates' shape. */
static Ref updates_inside(const Transpose *t, const IndexDims *d, Type operand, Type update, Ref indices)
{
    Graph *g = t->dst;
    Type ix = graph_type(g, indices);
    if (d->n_map == 0) return REF_NONE;
    Ref inside = build_binary(g, OP_AND, build_compare(g, CMP_GE, indices, build_zeros(g, ix)),
                              build_compare(g, CMP_LE, indices, last_starts(g, d, operand, ix)));
    if (d->index_vector_dim < ix.rank) inside = build_reduce(g, OP_AND, inside, &d->index_vector_dim, 1);
    int64_t axes[AXES];
    axes_without(axes_mask(d->window, d->n_window), update.rank, axes);
    return build_broadcast(g, inside, update.dim, update.rank, axes);
}

/* Where several updates meet, the last one stands: each element of the updates has a number, and those that
 * stand are found where they were put. */
static Ref updates_that_stand(const Transpose *t, const IndexDims *d, Type operand, Type update, Ref indices)
{
    Graph *g = t->dst;
    DType number = type_count(update) < INT32_MAX ? WEFT_I32 : WEFT_I64;
    int64_t count = type_count(update);
    Ref own = build_iota(g, (Type){ (uint8_t)number, 1, &count }, 0);
    own = build_reshape(g,
                        build_binary(g, OP_ADD, own, build_splat(g, (Type){ (uint8_t)number, 1, &count }, 1)),
                        update.dim, update.rank);
    operand.dtype = (uint8_t)number;
    Ref put_there = scatter_into_zeros(g, d, OP_RESULT, operand, indices, own);
    return build_compare(g, CMP_EQ, build_gather(g, d, put_there, indices), own);
}

bool transpose_scatter(const Transpose *t, const Node *n, Ref ct)
{
    bool add = n->n_args == 3 && region_monoid(n->region) == OP_ADD,
         replace = n->n_args == 3 && region_replaces(n->region);
    if (!add && !replace) return not_linear(t, "a scatter that neither adds nor replaces");
    if (!check_positions_known(t, n, 1, 2) || !must_be_zero(t, n, 0) || !must_be_zero(t, n, 2)) return false;
    Graph *g = t->dst;
    Type a = arg_type(t, n, 0), u = arg_type(t, n, 2);
    IndexDims d;
    int64_t sizes[AXES];
    scatter_dims(n->attr, n->n_attr, &d);
    d.sorted = false;
    IndexDims from = gather_of_scatter(&d, a, u, sizes);
    Ref at = known_arg(t, n, 1);
    if (is_linear(t, n, 0))
        give_ct(t, n, 0, add ? ct : build_scatter(g, &d, n->region, ct, at, build_zeros(g, u)));
    if (!is_linear(t, n, 2)) return true;
    if (type_count(u) == 0) return give_ct(t, n, 2, build_zeros(g, u));
    Ref taken = build_gather(g, &from, ct, at);
    Ref stands =
        add || d.unique ? updates_inside(t, &from, a, u, at) : updates_that_stand(t, &from, a, u, at);
    return give_ct(t, n, 2, stands == REF_NONE ? taken : build_select(g, stands, taken, build_zeros(g, u)));
}
