/* jvp_index.c: forward rules of what takes positions from data, and of order. Positions are no floats, so
 * most are linear. */
#include "jvp_rules.h"

/* Of DYNAMIC_SLICE too: operand 0 is linear, the others are positions. */
void jvp_gather(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *args = rebuild_args(&v->w, n);
    (void)y;
    args[0] = darg(v, n, 0);
    *dy = jvp_same_op(v, n, args);
}

void jvp_update_slice(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *args = rebuild_args(&v->w, n);
    (void)y;
    if (darg(v, n, 0) == REF_NONE && darg(v, n, 1) == REF_NONE) return;
    for (uint32_t i = 0; i < 2; i++) args[i] = jvp_darg_or_zeros(v, n, i);
    *dy = jvp_same_op(v, n, args);
}

/* ---- scatter */

/* n's positions, other operand and updates, another region. */
static Ref scatter(const Jvp *v, const Node *n, Ref operand, Ref updates, const Graph *region)
{
    NodeSpec s = node_spec(n);
    s.args = (Ref[]){ operand, arg(v, n, 1), updates };
    s.regions = &region;
    return graph_add(v->w.to, &s);
}

static Ref scatter_add(const Jvp *v, const Node *n, Ref operand, Ref updates)
{
    return operand == REF_NONE
               ? REF_NONE
               : scatter(v, n, operand, updates,
                         build_reducer(v->w.to->arena, OP_ADD, (DType)graph_node(v->w.to, operand)->dtype));
}

/* What lies where the updates go, in their shape; any value in place of updates that are dropped. */
static Ref gather_back(const Jvp *v, const Node *n, Ref a)
{
    IndexDims d;
    int64_t sizes[WEFT_MAX_RANK];
    scatter_dims(n->attr, n->n_attr, &d);
    IndexDims from = gather_of_scatter(&d, arg_type(v, n, 0), arg_type(v, n, 2), sizes);
    return build_gather(v->w.to, &from, a, arg(v, n, 1));
}

/* Each update's number, from 1: the same in all of its window. */
static Ref update_numbers(const Jvp *v, const Node *n)
{
    IndexDims d;
    Type u = arg_type(v, n, 2);
    int64_t dim[WEFT_MAX_RANK], axes[WEFT_MAX_RANK], count = 1;
    int rank = 0;
    scatter_dims(n->attr, n->n_attr, &d);
    for (int i = 0; i < u.rank; i++) {
        bool window = false;
        for (int k = 0; k < d.n_window; k++) window |= d.window[k] == i;
        if (window) continue;
        axes[rank] = i;
        count *= dim[rank++] = u.dim[i];
    }
    DType t = count < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Ref numbers = build_iota(v->w.to, (Type){ (uint8_t)t, 1, &count }, 0);
    numbers = build_binary(v->w.to, OP_ADD, numbers, jvp_fill(v->w.to, numbers, 1));
    return build_broadcast(v->w.to, build_reshape(v->w.to, numbers, dim, rank), u.dim, u.rank, axes);
}

/* Updates that may overlap: the number of the one that stays is found for each place; the others' tangents,
 * and those of what is replaced, are left out of a sum, whose transpose is easy. */
static Ref replace_overlapping(const Jvp *v, const Node *n)
{
    Graph *g = v->w.to;
    Ref numbers = update_numbers(v, n);
    if (numbers == REF_NONE) return REF_NONE;
    DType t = (DType)graph_node(g, numbers)->dtype;
    Type operand = arg_type(v, n, 0);
    Ref none = build_zeros(g, (Type){ (uint8_t)t, operand.rank, operand.dim });
    Ref last = scatter(v, n, none, numbers, build_reducer(g->arena, OP_RESULT, t)),
        stays = build_compare(g, CMP_EQ, gather_back(v, n, last), numbers);
    Ref kept = jvp_darg_or_zeros(v, n, 0), updates = darg(v, n, 2);
    kept = build_select(g, build_compare(g, CMP_EQ, last, none), kept, jvp_fill(g, kept, 0));
    return updates == REF_NONE
               ? kept
               : scatter_add(v, n, kept, build_select(g, stays, updates, jvp_fill(g, updates, 0)));
}

/* Old times all updates there; by an update, which is alone at its place: old. */
static Ref scatter_product(const Jvp *v, const Node *n)
{
    Graph *g = v->w.to;
    Ref ones = jvp_fill(g, arg(v, n, 0), 1),
        t = build_binary(g, OP_MUL, darg(v, n, 0), scatter(v, n, ones, arg(v, n, 2), n->regions[0]));
    if (darg(v, n, 2) == REF_NONE) return t;
    Ref sum = scatter_add(v, n, jvp_fill(g, ones, 0), darg(v, n, 2));
    return jvp_add(g, t, build_binary(g, OP_MUL, arg(v, n, 0), sum));
}

/* Shared among all that equal what is there in the end: the updates, and what was there before. */
static Ref scatter_extreme(const Jvp *v, const Node *n, Ref y)
{
    Graph *g = v->w.to;
    Ref x = arg(v, n, 0), u = arg(v, n, 2), du = darg(v, n, 2), zeros = jvp_fill(g, x, 0),
        one = jvp_fill(g, u, 1);
    Ref won = build_compare(g, CMP_EQ, u, gather_back(v, n, y)),
        kept = build_binary(g, OP_OR, build_compare(g, CMP_EQ, x, y), build_compare(g, CMP_NE, x, x));
    Ref count = scatter_add(v, n, build_select(g, kept, jvp_fill(g, x, 1), zeros),
                            build_select(g, won, one, jvp_fill(g, u, 0)));
    Ref sum = darg(v, n, 0) == REF_NONE ? zeros : build_select(g, kept, darg(v, n, 0), zeros);
    if (du != REF_NONE) sum = scatter_add(v, n, sum, build_select(g, won, du, jvp_fill(g, u, 0)));
    return build_binary(g, OP_DIV, sum, count);
}

void jvp_scatter(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    IndexDims d;
    scatter_dims(n->attr, n->n_attr, &d);
    Op kind = n->n_args == 3 ? region_monoid(n->regions[0]) : OP_COUNT;
    bool replaces = n->n_args == 3 && region_replaces(n->regions[0]);
    if (kind == OP_ADD || (replaces && d.unique))
        *dy = scatter(v, n, jvp_darg_or_zeros(v, n, 0), jvp_darg_or_zeros(v, n, 2), n->regions[0]);
    else if (replaces) *dy = replace_overlapping(v, n);
    else if (kind == OP_MAX || kind == OP_MIN) *dy = scatter_extreme(v, n, *y);
    else if (kind == OP_MUL && (d.unique || darg(v, n, 2) == REF_NONE)) *dy = scatter_product(v, n);
    else jvp_fold_updates(v, n, dy);
}

/* ---- order */

/* The comparator, over one more array that it does not look at. */
static const Graph *with_places(Arena *a, const Graph *comparator, DType t)
{
    Graph *g = graph_new(a, comparator->name);
    Ref *args = arena_alloc(a, comparator->n_params * sizeof *args), before;
    for (uint32_t i = 0; i < comparator->n_params; i++)
        args[i] = build_param(g, graph_type(comparator, comparator->params[i]));
    for (int i = 0; i < 2; i++) build_param(g, type_scalar(t));
    graph_inline(g, comparator, args, &before);
    graph_set_outputs(g, &before, 1);
    return g;
}

/* t's elements from these places along the axis. */
static Ref permuted(Graph *g, Ref t, Ref places, int axis)
{
    if (t == REF_NONE) return t;
    Type type = graph_type(g, t);
    int64_t at = axis, others[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK];
    axes_without((uint32_t)1 << axis, type.rank, others);
    for (int i = 0; i < type.rank; i++) sizes[i] = type.dim[i] > 0;
    IndexDims elements = { .n_collapsed = 1,
                           .n_batching = type.rank - 1,
                           .n_map = 1,
                           .index_vector_dim = type.rank,
                           .collapsed = &at,
                           .operand_batching = others,
                           .indices_batching = others,
                           .map = &at,
                           .slice_sizes = sizes };
    return build_gather(g, &elements, t, places);
}

/* Places are sorted along, and tangents taken from there: a sort of tangents would be linear too, but nobody
 * could see that. */
void jvp_sort(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Type shape = arg_type(v, n, 0);
    int axis = (int)n->attr[0];
    DType t = shape.dim[axis] < INT32_MAX ? WEFT_I32 : WEFT_I64;
    Ref *args = rebuild_args(&v->w, n), *sorted = jvp_refs(v, n->n_args + 1);
    args[n->n_args] = build_iota(v->w.to, (Type){ (uint8_t)t, shape.rank, shape.dim }, axis);
    if (!build_sort(v->w.to, args, n->n_args + 1, axis, n->attr[1],
                    with_places(v->w.to->arena, n->regions[0], t), sorted))
        return;
    for (uint32_t i = 0; i < n->n_args; i++) {
        y[i] = sorted[i];
        dy[i] = permuted(v->w.to, darg(v, n, i), sorted[n->n_args], axis);
    }
}
