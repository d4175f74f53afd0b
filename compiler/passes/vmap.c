/* vmap.c: graph to graph batching, one rule per kind of op.
 *
 * First a forward pass marks what depends on a mapped parameter; then each node is copied as it is (not marked) or by the rule of its kind
 * (marked). Inside, the batch axis is always axis 0: parameters and outputs are transposed at the border, and those transposes are views that
 * fusion absorbs. Values that are not marked keep their shape until an op that needs operands of one shape meets a mapped one; there, and
 * only there, they are broadcast. A contraction never needs that: the batch axis of its one mapped operand is just another free axis.
 *
 * Marks are computed apart from building, so that a loop's carries can be brought to a fixpoint of marks before anything is built.
 */
#include "vmap.h"
#include "compiler/graph/infer.h"
#include <stdio.h>
#include <string.h>

enum { AXES = WEFT_MAX_RANK + 1 };

typedef struct Vmap {
    const Graph *src;
    Graph *dst;
    const bool *mapped;         /* by node of src: has the batch axis in front */
    Ref *map;                   /* src node to dst node */
    int64_t size;
} Vmap;

static const Node *source(const Vmap *v, Ref r) { return &v->src->nodes[r]; }
static bool arg_mapped(const Vmap *v, const Node *n, uint32_t i) { return v->mapped[n->args[i]]; }
static Ref  arg(const Vmap *v, const Node *n, uint32_t i) { return v->map[n->args[i]]; }

/* dim with the batch size in front. */
static void batch_dims(const Vmap *v, const int64_t *dim, int rank, int64_t *out)
{
    out[0] = v->size;
    if (rank) memcpy(out + 1, dim, (size_t)rank * sizeof *dim);
}

static void shift_axes(const int64_t *axes, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = axes[i] + 1;
}

/* Axis `from` of r goes to `to`, the others keep their order. */
static Ref move_axis(Graph *g, Ref r, int from, int to)
{
    if (r == REF_NONE || from == to) return r;
    int64_t perm[AXES];
    int rank = graph_node(g, r)->rank;
    for (int i = 0, other = 0; i < rank; i++) {
        if (other == from) other++;
        perm[i] = i == to ? from : other++;
    }
    return build_transpose(g, r, perm);
}

/* An unmapped value of shape dim repeated along a batch axis in place `axis`. */
static Ref repeat(const Vmap *v, Ref r, int axis)
{
    if (r == REF_NONE) return r;
    const Node *n = graph_node(v->dst, r);
    int64_t dim[AXES], axes[AXES];
    for (int i = 0; i < n->rank; i++) {
        axes[i] = i + (i >= axis);
        dim[axes[i]] = n->dim[i];
    }
    dim[axis] = v->size;
    if (n->op == OP_CONSTANT && n->attr[0])
        return build_splat(v->dst, (Type){ n->dtype, (uint8_t)(n->rank + 1), dim }, scalar_load((DType)n->dtype, n->data));
    return build_broadcast(v->dst, r, dim, n->rank + 1, axes);
}

static Ref batched_arg(const Vmap *v, const Node *n, uint32_t i)
{
    return arg_mapped(v, n, i) ? arg(v, n, i) : repeat(v, arg(v, n, i), 0);
}

/* A batch of scalars [size] against values of n's shape: one for each example's elements. */
static Ref spread_scalars(const Vmap *v, Ref scalars, const Node *n)
{
    if (n->rank == 0) return scalars;
    int64_t dim[AXES];
    batch_dims(v, n->dim, n->rank, dim);
    return build_broadcast(v->dst, scalars, dim, n->rank + 1, (int64_t[]){ 0 });
}

/* The node again over other operands; attributes as given. */
static Ref same_op(const Vmap *v, const Node *n, const Ref *args, const int64_t *attr, uint32_t n_attr, const int64_t *dim,
                   int rank)
{
    return graph_add(v->dst, &(NodeSpec){ .op = (Op)n->op, .args = args, .n_args = n->n_args, .attr = attr, .n_attr = n_attr,
                                          .dtype = (DType)n->dtype, .dim = dim, .rank = rank, .regions = n->regions, .n_regions = n->n_regions });
}

/* All operands get the batch axis, but for scalars that SELECT and CLAMP take beside whole shapes. */
static Ref map_elementwise(const Vmap *v, const Node *n)
{
    Ref args[3];
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool scalar = n->rank > 0 && source(v, n->args[i])->rank == 0 && (n->op == OP_SELECT || n->op == OP_CLAMP);
        if (!scalar) args[i] = batched_arg(v, n, i);
        else args[i] = arg_mapped(v, n, i) ? spread_scalars(v, arg(v, n, i), n) : arg(v, n, i);
    }
    return same_op(v, n, args, n->attr, n->n_attr, NULL, 0);
}

/* SLICE and PAD hold three numbers per axis; the batch axis gets these. */
static Ref map_triples(const Vmap *v, const Node *n, const Ref *args, const int64_t front[3])
{
    int64_t attr[3 * AXES];
    uint32_t rank = n->n_attr / 3;
    for (uint32_t k = 0; k < 3; k++) {
        attr[k * (rank + 1)] = front[k];
        if (rank) memcpy(attr + k * (rank + 1) + 1, n->attr + k * rank, rank * sizeof *attr);
    }
    return same_op(v, n, args, attr, n->n_attr + 3, NULL, 0);
}

/* PAD takes one filler only. With one per example: pad with zeros, and choose the filler where a mask, padded alike, says so. */
static Ref pad_by_mask(const Vmap *v, const Node *n)
{
    Graph *g = v->dst;
    const Node *a = source(v, n->args[0]);
    Type type = node_type(a), flags = { WEFT_BOOL, a->rank, a->dim };
    Ref zero = build_splat(g, (Type){ type.dtype, 0, NULL }, 0), no = build_splat(g, (Type){ WEFT_BOOL, 0, NULL }, 0);
    Ref inside = same_op(v, n, (Ref[]){ build_splat(g, flags, 1), no }, n->attr, n->n_attr, NULL, 0);
    Ref padded = arg_mapped(v, n, 0) ? map_triples(v, n, (Ref[]){ arg(v, n, 0), zero }, (int64_t[]){ 0, 0, 0 })
                                     : repeat(v, same_op(v, n, (Ref[]){ arg(v, n, 0), zero }, n->attr, n->n_attr, NULL, 0), 0);
    return build_select(g, repeat(v, inside, 0), padded, spread_scalars(v, arg(v, n, 1), n));
}

static Ref map_pad(const Vmap *v, const Node *n)
{
    if (arg_mapped(v, n, 1)) return pad_by_mask(v, n);
    return map_triples(v, n, (Ref[]){ arg(v, n, 0), arg(v, n, 1) }, (int64_t[]){ 0, 0, 0 });
}

static Ref map_concatenate(const Vmap *v, const Node *n)
{
    Ref *args = arena_alloc(v->dst->arena, n->n_args * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = batched_arg(v, n, i);
    return same_op(v, n, args, (int64_t[]){ n->attr[0] + 1 }, 1, NULL, 0);
}

static Ref map_shape(const Vmap *v, const Node *n)
{
    int64_t dim[AXES], attr[AXES] = { 0 };
    Ref a = arg(v, n, 0);
    switch (n->op) {
    case OP_SLICE:       return map_triples(v, n, &a, (int64_t[]){ 0, v->size, 1 });
    case OP_PAD:         return map_pad(v, n);
    case OP_CONCATENATE: return map_concatenate(v, n);
    case OP_REVERSE:
        shift_axes(n->attr, n->n_attr, attr);
        return same_op(v, n, &a, attr, n->n_attr, NULL, 0);
    case OP_RESHAPE:
        batch_dims(v, n->dim, n->rank, dim);
        return same_op(v, n, &a, NULL, 0, dim, n->rank + 1);
    default:                                                        /* BROADCAST TRANSPOSE: where each axis goes; the batch stays in front */
        batch_dims(v, n->dim, n->rank, dim);
        shift_axes(n->attr, n->n_attr, attr + 1);
        return same_op(v, n, &a, attr, n->n_attr + 1, dim, n->rank + 1);
    }
}

/* Reducer with a flag beside the values: "holds something". Nothing and x is x, so nothing is the neutral start that the reducer may lack:
 * (l, p) and (r, q)  ==>  (p ? q ? f(l, r) : l : r, p | q) */
static const Graph *optional_reducer(Arena *a, const Graph *f)
{
    uint32_t n = f->n_outputs, i;
    Graph *g = graph_new(a, f->name);
    Ref *in = arena_alloc(a, 2 * ((size_t)n + 1) * sizeof *in), *out = arena_alloc(a, ((size_t)n + 1) * sizeof *out);
    Ref *pair = arena_alloc(a, 2 * (size_t)n * sizeof *pair);
    for (i = 0; i < 2 * (n + 1); i++)
        in[i] = build_param(g, i % (n + 1) == n ? (Type){ WEFT_BOOL, 0, NULL } : graph_type(f, f->params[i % (n + 1)]));
    Ref p = in[n], q = in[2 * n + 1];
    for (i = 0; i < n; i++) pair[i] = in[i], pair[n + i] = in[n + 1 + i];
    graph_inline(g, f, pair, out);
    for (i = 0; i < n; i++) out[i] = build_select(g, p, build_select(g, q, out[i], pair[i]), pair[n + i]);
    out[n] = build_binary(g, OP_OR, p, q);
    graph_set_outputs(g, out, n + 1);
    return g;
}

/* The operand as [size, kept..., all reduced elements], with the example's own start value before them. */
static Ref start_before_elements(const Vmap *v, const Node *n, uint32_t i)
{
    Graph *g = v->dst;
    const Node *a = source(v, n->args[i]);
    int64_t perm[AXES + 1] = { 0 }, dim[AXES + 1];
    uint32_t gone = 0;
    int kept = 1, last = a->rank + 1 - (int)n->n_attr;
    for (uint32_t k = 0; k < n->n_attr; k++) gone |= (uint32_t)1 << n->attr[k];
    for (int k = 0, end = last; k < a->rank; k++) perm[gone >> k & 1 ? end++ : kept++] = k + 1;
    dim[0] = v->size;
    dim[last] = 1;
    for (int k = 1; k <= a->rank; k++) {
        if (k < last) dim[k] = a->dim[perm[k] - 1];
        else dim[last] *= a->dim[perm[k] - 1];
    }
    Ref flat = build_reshape(g, build_transpose(g, batched_arg(v, n, i), perm), dim, last + 1);
    dim[last] = 1;
    Ref start = build_broadcast(g, batched_arg(v, n, n->n_args / 2 + i), dim, last + 1, (int64_t[]){ 0 });
    return build_concatenate(g, (Ref[]){ start, flat }, 2, last);
}

/* Start values that differ by example: they become the first elements of what is folded, and the fold starts from nothing. */
static Ref reduce_from_mapped_starts(const Vmap *v, const Node *n)
{
    Graph *g = v->dst;
    uint32_t count = n->n_args / 2;
    Ref *args = arena_alloc(g->arena, 2 * ((size_t)count + 1) * sizeof *args);
    for (uint32_t i = 0; i < count; i++) {
        args[i] = start_before_elements(v, n, i);
        if (args[i] == REF_NONE) return REF_NONE;
        args[count + 1 + i] = build_splat(g, (Type){ source(v, n->args[i])->dtype, 0, NULL }, 0);
    }
    const Node *elements = graph_node(g, args[0]);
    int axis = elements->rank - 1;
    args[count] = build_splat(g, (Type){ WEFT_BOOL, elements->rank, elements->dim }, 1);
    args[2 * count + 1] = build_splat(g, (Type){ WEFT_BOOL, 0, NULL }, 0);
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_REGION, .args = args, .n_args = 2 * (count + 1), .attr = (int64_t[]){ axis },
                                      .n_attr = 1, .region = optional_reducer(g->arena, n->region) });
    return count == 1 ? build_result(g, r, 0) : r;      /* of several, RESULT nodes choose, and none chooses the flag */
}

static Ref map_reduce_region(const Vmap *v, const Node *n)
{
    uint32_t count = n->n_args / 2;
    int64_t axes[AXES];
    for (uint32_t i = count; i < n->n_args; i++)
        if (arg_mapped(v, n, i)) return reduce_from_mapped_starts(v, n);
    Ref *args = arena_alloc(v->dst->arena, n->n_args * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = i < count ? batched_arg(v, n, i) : arg(v, n, i);
    shift_axes(n->attr, n->n_attr, axes);
    return same_op(v, n, args, axes, n->n_attr, NULL, 0);
}

static Ref map_reduce(const Vmap *v, const Node *n)
{
    int64_t attr[AXES + 1];
    Ref a = arg(v, n, 0);
    if (n->op == OP_REDUCE_REGION) return map_reduce_region(v, n);
    if (n->op != OP_REDUCE) return same_op(v, n, &a, (int64_t[]){ n->attr[0] + 1 }, 1, NULL, 0);
    attr[0] = n->attr[0];
    shift_axes(n->attr + 1, n->n_attr - 1, attr + 1);
    return same_op(v, n, &a, attr, n->n_attr, NULL, 0);
}

/* Both mapped: one more batch axis in front. One mapped: its batch axis is its first free axis, and moves to the front of the result. */
static Ref map_dot(const Vmap *v, const Node *n)
{
    int64_t attr[2 + 4 * AXES], nb = n->attr[0], nc = n->attr[1];
    bool left = arg_mapped(v, n, 0), right = arg_mapped(v, n, 1);
    const int64_t *from = n->attr + 2;
    uint32_t used = 2;
    for (int list = 0; list < 4; list++) {                          /* lhs batch, rhs batch, lhs contracting, rhs contracting */
        int64_t count = list < 2 ? nb : nc;
        if (list < 2 && left && right) attr[used++] = 0;
        for (int64_t i = 0; i < count; i++) attr[used++] = *from++ + (list & 1 ? right : left);
    }
    attr[0] = nb + (left && right);
    attr[1] = nc;
    Ref r = same_op(v, n, (Ref[]){ arg(v, n, 0), arg(v, n, 1) }, attr, used, NULL, 0);
    if (left && right) return r;
    int left_free = source(v, n->args[0])->rank - (int)(nb + nc);
    return move_axis(v->dst, r, (int)nb + (left ? 0 : left_free), 0);
}

static int64_t *put_axes(int64_t *to, bool lead, int64_t leading, const int64_t *axes, int n, bool shift)
{
    if (lead) *to++ = leading;
    for (int i = 0; i < n; i++) *to++ = axes[i] + shift;
    return to;
}

/* Both mapped: a pair of batching axes. The operand only: its batch axis is taken whole, as the first offset axis.
 * The indices only: their batch axis is one more axis of positions. */
static Ref map_gather(const Vmap *v, const Node *n)
{
    bool data = arg_mapped(v, n, 0), ix = arg_mapped(v, n, 1), both = data && ix;
    int rank = source(v, n->args[0])->rank;
    int64_t attr[5 + 8 * AXES], *to = attr + 5;
    GatherDims d;
    gather_dims(n->attr, n->n_attr, rank, &d);
    attr[0] = d.n_offset + (data && !ix);
    attr[1] = d.n_collapsed;
    attr[2] = d.n_batching + both;
    attr[3] = d.n_map;
    attr[4] = d.index_vector_dim + ix;
    to = put_axes(to, data && !ix, 0, d.offset, d.n_offset, true);
    to = put_axes(to, false, 0, d.collapsed, d.n_collapsed, data);
    to = put_axes(to, both, 0, d.operand_batching, d.n_batching, data);
    to = put_axes(to, both, 0, d.indices_batching, d.n_batching, ix);
    to = put_axes(to, false, 0, d.map, d.n_map, data);
    to = put_axes(to, data, both && v->size > 1 ? 1 : v->size, d.slice_sizes, rank, false);
    return same_op(v, n, (Ref[]){ arg(v, n, 0), arg(v, n, 1) }, attr, (uint32_t)(to - attr), NULL, 0);
}

static Ref map_other(const Vmap *v, const Node *n)
{
    return build_result(v->dst, arg(v, n, 0), (int)n->attr[0]);
}

static Ref map_node(const Vmap *v, Ref r)
{
    static Ref (*const rule[])(const Vmap *, const Node *) = {
        [OPKIND_EW] = map_elementwise, [OPKIND_SHAPE] = map_shape, [OPKIND_REDUCE] = map_reduce, [OPKIND_DOT] = map_dot, [OPKIND_INDEX] = map_gather,
        [OPKIND_OTHER] = map_other,
    };
    const Node *n = source(v, r);
    if (!v->mapped[r]) return graph_copy_node(v->dst, v->src, r, v->map);
    if (n->loc) v->dst->loc = graph_loc(v->dst, v->src->locs[n->loc]);
    Ref mapped = rule[op_kind((Op)n->op)](v, n);
    v->dst->loc = 0;
    return mapped;
}

/* What depends on a mapped parameter. mapped is set for the parameters already. */
static void mark(const Graph *g, bool *mapped)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        for (uint32_t k = 0; k < n->n_args && !mapped[i]; k++) mapped[i] = mapped[n->args[k]];
    }
}

/* Into 0..rank-1, or -1. */
static int normal_axis(int64_t axis, int rank)
{
    if (axis < 0) axis += rank;
    return axis < 0 || axis >= rank ? -1 : (int)axis;
}

static bool map_param(const Vmap *v, uint32_t i, int64_t in_axis, Failure *f)
{
    Ref p = v->src->params[i];
    Type t = graph_type(v->src, p);
    if (in_axis == VMAP_NONE) return (v->map[p] = build_param(v->dst, t)) != REF_NONE;
    int axis = normal_axis(in_axis, t.rank + 1);
    if (axis < 0)
        return fail(f, WEFT_ARGUMENT, "in axis %lld of argument %u is out of range for a batch of %s (%d to %d)",
                    (long long)in_axis, (unsigned)i, type_text((char[128]){0}, 128, t), -t.rank - 1, t.rank);
    int64_t dim[AXES];
    for (int k = 0, from = 0; k <= t.rank; k++) dim[k] = k == axis ? v->size : t.dim[from++];
    Ref whole = build_param(v->dst, (Type){ t.dtype, (uint8_t)(t.rank + 1), dim });
    return (v->map[p] = move_axis(v->dst, whole, axis, 0)) != REF_NONE;
}

static bool map_output(const Vmap *v, uint32_t i, int64_t out_axis, Ref *out, Failure *f)
{
    Ref r = v->src->outputs[i];
    bool mapped = v->mapped[r];
    if (out_axis == VMAP_NONE) {
        if (mapped)
            return fail(f, WEFT_ARGUMENT, "output %u depends on a mapped argument, so it needs an out axis (not none)",
                        (unsigned)i);
        *out = v->map[r];
        return true;
    }
    int rank = source(v, r)->rank + 1, axis = normal_axis(out_axis, rank);
    if (axis < 0)
        return fail(f, WEFT_ARGUMENT, "out axis %lld of output %u is out of range for a batch of %s (%d to %d)",
                    (long long)out_axis, (unsigned)i,
                              type_text((char[128]){0}, 128, graph_type(v->src, r)), -rank, rank - 1);
    *out = mapped ? move_axis(v->dst, v->map[r], 0, axis) : repeat(v, v->map[r], axis);
    return *out != REF_NONE;
}

/* A constructor refused: says at which op and line of the source graph. */
static Graph *refuse(const Vmap *v, Ref r, Failure *f)
{
    const Node *n = source(v, r);
    const char *at = n->loc ? v->src->locs[n->loc] : NULL;
    fail(f, v->dst->failure.code, "mapping %s%s%s%s over %lld: %s", op_info[n->op].name, at ? " (" : "", at ? at : "",
         at ? ")" : "", (long long)v->size,
         v->dst->failure.text);
    return NULL;
}

static bool *mark_from(Arena *a, const Graph *g, const int64_t *in_axes)
{
    bool *mapped = arena_alloc(a, g->n_nodes * sizeof *mapped);
    for (uint32_t i = 0; i < g->n_params; i++) mapped[g->params[i]] = in_axes[i] != VMAP_NONE;
    mark(g, mapped);
    return mapped;
}

Graph *vmap_graph(Arena *a, const Graph *g, const int64_t *in_axes, int64_t size, const int64_t *out_axes, Failure *f)
{
    if (g->failure.code != WEFT_OK) {
        fail(f, g->failure.code, "%s", g->failure.text);
        return NULL;
    }
    if (size < 0) {
        fail(f, WEFT_ARGUMENT, "a batch of size %lld", (long long)size);
        return NULL;
    }
    Vmap v = { .src = g, .dst = graph_new(a, g->name), .mapped = mark_from(a, g, in_axes),
               .map = arena_alloc(a, g->n_nodes * sizeof(Ref)), .size = size };
    const bool *reached = graph_reached(a, g);
    for (uint32_t i = 0; i < g->n_params; i++)
        if (!map_param(&v, i, in_axes[i], f)) return refuse(&v, g->params[i], f);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (reached[i] && g->nodes[i].op != OP_PARAMETER && (v.map[i] = map_node(&v, i)) == REF_NONE) return refuse(&v, i, f);

    Ref *outputs = arena_alloc(a, g->n_outputs * sizeof *outputs);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (!map_output(&v, i, out_axes[i], &outputs[i], f)) return refuse(&v, g->outputs[i], f);
    graph_set_outputs(v.dst, outputs, g->n_outputs);
    v.dst->param_names = graph_copy_names(a, g);
    return v.dst;
}
