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
    give_ct(t, n, 0, build_dynamic_update_slice(t->dst, build_zeros(t->dst, arg_type(t, n, 0)), ct, starts));
    return true;
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

/* ---- gather and scatter: what they say of axes, in the words of either */

typedef struct Places {
    int n_window, n_dropped, n_batching, n_map;
    int64_t vector_axis;
    const int64_t *window, *dropped, *operand_batching, *indices_batching, *map;
    int64_t size[AXES]; /* of the window, along each axis of the operand */
} Places;

static Places of_gather(const Node *n, int rank)
{
    GatherDims d;
    gather_dims(n->attr, n->n_attr, rank, &d);
    Places p = { d.n_offset,         d.n_collapsed, d.n_batching, d.n_map,
                 d.index_vector_dim, d.offset,      d.collapsed,  d.operand_batching,
                 d.indices_batching, d.map,         { 0 } };
    for (int i = 0; i < rank; i++) p.size[i] = d.slice_sizes[i];
    return p;
}

static Places of_scatter(const Node *n, Type operand, Type update)
{
    ScatterDims d;
    scatter_dims(n->attr, n->n_attr, &d);
    Places p = { d.n_update_window,  d.n_inserted,    d.n_batching, d.n_map,
                 d.index_vector_dim, d.update_window, d.inserted,   d.input_batching,
                 d.indices_batching, d.map,           { 0 } };
    uint32_t dropped = 0;
    for (int i = 0; i < d.n_inserted; i++) dropped |= (uint32_t)1 << d.inserted[i];
    for (int i = 0; i < d.n_batching; i++) dropped |= (uint32_t)1 << d.input_batching[i];
    for (int i = 0, k = 0; i < operand.rank; i++)
        p.size[i] = dropped >> i & 1 ? 1 : update.dim[d.update_window[k++]];
    return p;
}

static int64_t *put(int64_t *to, const int64_t *list, int n)
{
    for (int i = 0; i < n; i++) to[i] = list[i];
    return to + n;
}

static int64_t *put_places(int64_t *to, const Places *p)
{
    to = put(to, p->window, p->n_window);
    to = put(to, p->dropped, p->n_dropped);
    to = put(to, p->operand_batching, p->n_batching);
    to = put(to, p->indices_batching, p->n_batching);
    return put(to, p->map, p->n_map);
}

static Ref build_gather(Graph *g, const Places *p, Ref operand, Ref indices)
{
    int64_t attr[5 + 7 * AXES] = { p->n_window, p->n_dropped, p->n_batching, p->n_map, p->vector_axis };
    int64_t *to = put(put_places(attr + 5, p), p->size, graph_node(g, operand)->rank);
    return graph_add(g, &(NodeSpec){ .op = OP_GATHER,
                                     .args = (Ref[]){ operand, indices },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(to - attr) });
}

static Ref build_scatter(Graph *g, const Places *p, bool unique, Ref operand, Ref indices, Ref updates,
                         bool add)
{
    int64_t attr[7 + 6 * AXES] = { p->n_window,    p->n_dropped, p->n_batching, p->n_map,
                                   p->vector_axis, unique,       false };
    int64_t *to = put_places(attr + 7, p);
    if (operand == REF_NONE) return REF_NONE;
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = (Ref[]){ operand, indices, updates },
                                     .n_args = 3,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(to - attr),
                                     .region = build_reducer(g->arena, add ? OP_ADD : OP_RESULT,
                                                             (DType)graph_node(g, operand)->dtype) });
}

/* The last start at which the window lies inside, for each number of the index vectors: a constant of the
 * indices' type and shape. A type that cannot hold it holds no larger one either. */
static Ref last_starts(Graph *g, const Places *p, Type operand, Type indices)
{
    char data[AXES * 8];
    size_t bytes = dtype_bytes((DType)indices.dtype);
    int64_t most =
        dtype_bits((DType)indices.dtype) == 64
            ? INT64_MAX
            : ((int64_t)1 << (dtype_bits((DType)indices.dtype) - dtype_is_signed((DType)indices.dtype))) - 1;
    for (int k = 0; k < p->n_map; k++) {
        int64_t last = operand.dim[p->map[k]] - p->size[p->map[k]];
        scalar_store((DType)indices.dtype, data + (size_t)k * bytes,
                     scalar_from_i64((DType)indices.dtype, last < most ? last : most));
    }
    bool vector = p->vector_axis < indices.rank;
    int64_t count = p->n_map;
    Ref c = build_constant(g, (Type){ indices.dtype, vector, &count }, data);
    return build_broadcast(g, c, indices.dim, indices.rank, &p->vector_axis);
}

/* Positions as GATHER takes them: inside. */
static Ref clamp_positions(Graph *g, const Places *p, Type operand, Ref indices)
{
    Type t = graph_type(g, indices);
    if (p->n_map == 0 || type_count(t) <= 0) return indices;
    Ref low = build_zeros(g, t), high = last_starts(g, p, operand, t);
    return graph_add(g, &(NodeSpec){ .op = OP_CLAMP, .args = (Ref[]){ low, indices, high }, .n_args = 3 });
}

bool transpose_gather(const Transpose *t, const Node *n, Ref ct)
{
    Type a = arg_type(t, n, 0);
    Places p = of_gather(n, a.rank);
    if (!check_positions_known(t, n, 1, 2)) return false;
    Ref at = clamp_positions(t->dst, &p, a, known_arg(t, n, 1));
    give_ct(t, n, 0, build_scatter(t->dst, &p, false, build_zeros(t->dst, a), at, ct, true));
    return true;
}

/* Which updates are inside: one flag for each index vector, spread over the updates' shape. */
static Ref updates_inside(const Transpose *t, const Places *p, Type operand, Type update, Ref indices)
{
    Graph *g = t->dst;
    Type ix = graph_type(g, indices);
    if (p->n_map == 0) return REF_NONE;
    Ref inside = build_binary(g, OP_AND, build_compare(g, CMP_GE, indices, build_zeros(g, ix)),
                              build_compare(g, CMP_LE, indices, last_starts(g, p, operand, ix)));
    if (p->vector_axis < ix.rank) inside = build_reduce(g, OP_AND, inside, &p->vector_axis, 1);
    int64_t axes[AXES];
    uint32_t window = 0;
    for (int k = 0; k < p->n_window; k++) window |= (uint32_t)1 << p->window[k];
    for (int i = 0, k = 0; i < update.rank; i++)
        if (!(window >> i & 1)) axes[k++] = i;
    return build_broadcast(g, inside, update.dim, update.rank, axes);
}

/* Where several updates meet, the last one stands: each element of the updates has a number, and those that
 * stand are found where they were put. */
static Ref updates_that_stand(const Transpose *t, const Places *p, Type operand, Type update, Ref indices)
{
    Graph *g = t->dst;
    DType number = type_count(update) < INT32_MAX ? WEFT_I32 : WEFT_I64;
    int64_t count = type_count(update);
    Ref own = build_iota(g, (Type){ (uint8_t)number, 1, &count }, 0);
    own = build_reshape(g,
                        build_binary(g, OP_ADD, own, build_splat(g, (Type){ (uint8_t)number, 1, &count }, 1)),
                        update.dim, update.rank);
    Ref put_there =
        build_scatter(g, p, false, build_zeros(g, (Type){ (uint8_t)number, operand.rank, operand.dim }),
                      indices, own, false);
    return build_compare(g, CMP_EQ, build_gather(g, p, put_there, indices), own);
}

bool transpose_scatter(const Transpose *t, const Node *n, Ref ct)
{
    bool add = n->n_args == 3 && region_monoid(n->region) == OP_ADD,
         replace = n->n_args == 3 && region_replaces(n->region);
    if (!add && !replace) return not_linear(t, "a scatter that neither adds nor replaces");
    if (!check_positions_known(t, n, 1, 2) || !must_be_zero(t, n, 0) || !must_be_zero(t, n, 2)) return false;
    Graph *g = t->dst;
    Type a = arg_type(t, n, 0), u = arg_type(t, n, 2);
    Places p = of_scatter(n, a, u);
    ScatterDims d;
    scatter_dims(n->attr, n->n_attr, &d);
    Ref at = known_arg(t, n, 1);
    if (is_linear(t, n, 0))
        give_ct(t, n, 0, add ? ct : build_scatter(g, &p, d.unique, ct, at, build_zeros(g, u), false));
    if (!is_linear(t, n, 2)) return true;
    if (type_count(u) == 0) return give_ct(t, n, 2, build_zeros(g, u)), true;
    Ref taken = build_gather(g, &p, ct, at);
    Ref stands = add || d.unique ? updates_inside(t, &p, a, u, at) : updates_that_stand(t, &p, a, u, at);
    give_ct(t, n, 2, stands == REF_NONE ? taken : build_select(g, stands, taken, build_zeros(g, u)));
    return true;
}
