/* vmap.c: graph to graph batching, one rule per op; the elementwise ones share one.
 *
 * First a forward pass marks what depends on a mapped parameter (vmap_marks.c); then each node is copied as
 * it is (not marked) or by the rule of its kind (marked): what is elementwise or moves elements here, the
 * others in vmap_reduce.c, vmap_index.c, vmap_control.c and vmap_custom.c. Inside, the batch axis is always
 * axis 0: parameters and outputs are transposed at the border, and those transposes are views that fusion
 * absorbs. Values that are not marked keep their shape until an op that needs operands of one shape meets a
 * mapped one; there, and only there, they are broadcast. A contraction never needs that: the batch axis of
 * its one mapped operand is just another free axis.
 */
#include "compiler/graph/foreign_op.h"
#include "vmap_rules.h"
#include <stdio.h>

void vmap_dims(const Vmap *v, const int64_t *dim, int rank, int64_t *out)
{
    out[0] = v->size;
    if (rank) memcpy(out + 1, dim, (size_t)rank * sizeof *dim);
}

Type vmap_type(const Vmap *v, Type t) { return type_stacked(v->w.to->arena, t, v->size); }

void vmap_shift(const int64_t *axes, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = axes[i] + 1;
}

Ref vmap_repeat(const Vmap *v, Ref r, int axis)
{
    if (r == REF_NONE) return r;
    const Node *n = graph_node(v->w.to, r);
    int64_t dim[AXES], axes[AXES];
    for (int i = 0; i < n->rank; i++) {
        axes[i] = i + (i >= axis);
        dim[axes[i]] = n->dim[i];
    }
    dim[axis] = v->size;
    if (is_splat(n)) return build_filled(v->w.to, (Type){ n->dtype, (uint8_t)(n->rank + 1), dim }, n->data);
    return build_broadcast(v->w.to, r, dim, n->rank + 1, axes);
}

Ref vmap_batched(const Vmap *v, const Node *n, uint32_t i)
{
    return arg_mapped(v, n, i) ? arg(v, n, i) : vmap_repeat(v, arg(v, n, i), 0);
}

Ref *vmap_batched_all(const Vmap *v, const Node *n)
{
    Ref *args = arena_alloc(v->w.to->arena, n->n_args * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = vmap_batched(v, n, i);
    return args;
}

Ref vmap_spread(const Vmap *v, Ref scalars, Type one)
{
    if (one.rank == 0) return scalars;
    int64_t dim[AXES];
    vmap_dims(v, one.dim, one.rank, dim);
    return build_broadcast(v->w.to, scalars, dim, one.rank + 1, (int64_t[]){ 0 });
}

Ref vmap_same_op(const Vmap *v, const Node *n, const Ref *args, const int64_t *attr, uint32_t n_attr,
                 const int64_t *dim, int rank)
{
    return graph_add(v->w.to, &(NodeSpec){ .op = (Op)n->op,
                                           .args = args,
                                           .n_args = n->n_args,
                                           .attr = attr,
                                           .n_attr = n_attr,
                                           .dtype = (DType)n->dtype,
                                           .dim = dim,
                                           .rank = rank,
                                           .regions = n->regions,
                                           .n_regions = n->n_regions });
}

/* All operands get the batch axis, but for scalars that SELECT and CLAMP take beside whole shapes. */
bool vmap_ew(const Vmap *v, const Node *n, Ref *out)
{
    Ref args[3];
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool scalar =
            n->rank > 0 && source(v, n->args[i])->rank == 0 && (n->op == OP_SELECT || n->op == OP_CLAMP);
        if (!scalar) args[i] = vmap_batched(v, n, i);
        else args[i] = arg_mapped(v, n, i) ? vmap_spread(v, arg(v, n, i), node_type(n)) : arg(v, n, i);
    }
    return vmap_give(out, vmap_same_op(v, n, args, n->attr, n->n_attr, NULL, 0));
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
    return vmap_same_op(v, n, args, attr, n->n_attr + 3, NULL, 0);
}

/* PAD takes one filler only. With one per example: pad with zeros, and choose the filler where a mask, padded
 * alike, says so. */
static Ref pad_by_mask(const Vmap *v, const Node *n)
{
    Graph *g = v->w.to;
    const Node *a = source(v, n->args[0]);
    Type type = node_type(a), flags = { WEFT_BOOL, a->rank, a->dim };
    Ref zero = build_zeros(g, type_scalar(type.dtype)), no = build_zeros(g, type_scalar(WEFT_BOOL));
    Ref inside = vmap_same_op(v, n, (Ref[]){ build_splat(g, flags, 1), no }, n->attr, n->n_attr, NULL, 0);
    Ref padded =
        arg_mapped(v, n, 0)
            ? map_triples(v, n, (Ref[]){ arg(v, n, 0), zero }, (int64_t[]){ 0, 0, 0 })
            : vmap_repeat(v, vmap_same_op(v, n, (Ref[]){ arg(v, n, 0), zero }, n->attr, n->n_attr, NULL, 0),
                          0);
    Ref filler = vmap_spread(v, arg(v, n, 1), node_type(n));
    return build_select(g, vmap_repeat(v, inside, 0), padded, filler);
}

bool vmap_pad(const Vmap *v, const Node *n, Ref *out)
{
    Ref args[] = { arg(v, n, 0), arg(v, n, 1) };
    return vmap_give(out, arg_mapped(v, n, 1) ? pad_by_mask(v, n)
                                              : map_triples(v, n, args, (int64_t[]){ 0, 0, 0 }));
}

bool vmap_slice(const Vmap *v, const Node *n, Ref *out)
{
    Ref a = arg(v, n, 0);
    return vmap_give(out, map_triples(v, n, &a, (int64_t[]){ 0, v->size, 1 }));
}

bool vmap_concatenate(const Vmap *v, const Node *n, Ref *out)
{
    int64_t axis = n->attr[0] + 1;
    return vmap_give(out, vmap_same_op(v, n, vmap_batched_all(v, n), &axis, 1, NULL, 0));
}

bool vmap_reverse(const Vmap *v, const Node *n, Ref *out)
{
    int64_t axes[AXES];
    Ref a = arg(v, n, 0);
    vmap_shift(n->attr, n->n_attr, axes);
    return vmap_give(out, vmap_same_op(v, n, &a, axes, n->n_attr, NULL, 0));
}

bool vmap_reshape(const Vmap *v, const Node *n, Ref *out)
{
    int64_t dim[AXES];
    Ref a = arg(v, n, 0);
    vmap_dims(v, n->dim, n->rank, dim);
    return vmap_give(out, vmap_same_op(v, n, &a, NULL, 0, dim, n->rank + 1));
}

/* BROADCAST and TRANSPOSE say where each axis goes; the batch stays in front. */
static bool map_axes(const Vmap *v, const Node *n, Ref *out)
{
    int64_t dim[AXES], attr[AXES] = { 0 };
    Ref a = arg(v, n, 0);
    vmap_dims(v, n->dim, n->rank, dim);
    vmap_shift(n->attr, n->n_attr, attr + 1);
    return vmap_give(out, vmap_same_op(v, n, &a, attr, n->n_attr + 1, dim, n->rank + 1));
}

bool vmap_foreign(const Vmap *v, const Node *n, Ref *out)
{
    const ForeignOp *op = foreign_op(n->attr);
    if (op->batches) return vmap_by_scan(v, n, out);
    return fail(&v->w.to->failure, WEFT_ARGUMENT,
                "the foreign function %s takes one example only: let it be called for each of a batch "
                "(.batch = WEFT_BATCH_LOOP), or give it a batching rule "
                "(weft_custom_vmap)",
                op->name);
}

bool vmap_barrier(const Vmap *v, const Node *n, Ref *out)
{
    return build_barrier(v->w.to, rebuild_args(&v->w, n), n->n_args, out);
}

/* Never mapped: leaves have no operands, and the walk itself finds which result a RESULT is. */
#define vmap_leaf                NULL
#define vmap_result              NULL
#define vmap_broadcast           map_axes
#define vmap_transpose           map_axes
#define vmap_rng_bits            vmap_expanded
#define vmap_scan                vmap_regions
#define vmap_checkpoint          vmap_regions
#define vmap_cholesky            vmap_matrices
#define vmap_lu                  vmap_matrices
#define vmap_qr                  vmap_matrices
#define vmap_geqrf               vmap_matrices
#define vmap_householder_product vmap_matrices
#define vmap_gehrd               vmap_matrices
#define vmap_eigh                vmap_matrices
#define vmap_eig                 vmap_matrices
#define vmap_schur               vmap_matrices
#define vmap_svd                 vmap_matrices

static VmapRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = vmap_ew,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = vmap_##rule,
#include "compiler/graph/ops.def"
};

/* Says at which op and line of the source graph. */
static bool refuse(const Vmap *v, Ref r)
{
    char size[64];
    snprintf(size, sizeof size, " over %lld", (long long)v->size);
    return rebuild_refuse(&v->w, r, "mapping", size);
}

/* As it is, where no operand has anything of the batch (the results may have nothing even if one has); but
 * a loop that some examples only need must know of them. */
static bool map_node(void *user, Ref r, Ref *out)
{
    const Vmap *v = user;
    const Node *n = source(v, r);
    if (vmap_any_mapped(v, n, 0) || vmap_guarded(v, n) ? rules[n->op](v, n, out)
                                                       : rebuild_copy(&v->w, r, out))
        return true;
    return refuse(v, r);
}

static Vmap vmap_of(Graph *to, const Flow *flow, int64_t size, const VmapCaller *caller, Ref active)
{
    return (Vmap){ rebuild_open(flow->graph, to), flow, caller, size, active };
}

bool vmap_inline(const Vmap *outer, const Flow *m, const Ref *args, const bool *want, Ref *out)
{
    const Graph *g = m->graph;
    Vmap v = vmap_of(outer->w.to, m, outer->size, outer->caller, outer->active);
    for (uint32_t i = 0; i < g->n_params; i++)
        if ((v.w.map[g->params[i]] = args[i]) == REF_NONE) return false;
    if (!rebuild_nodes(&v.w, map_node, &v)) return false;
    bool whole = true;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Ref r = g->outputs[i];
        out[i] = want && want[i] && !m->node[r] ? vmap_repeat(&v, v.w.map[r], 0) : v.w.map[r];
        whole = whole && out[i] != REF_NONE;
    }
    return whole;
}

/* Into 0..rank-1, or -1. */
static int normal_axis(int64_t axis, int rank)
{
    if (axis < 0) axis += rank;
    return axis < 0 || axis >= rank ? -1 : (int)axis;
}

static bool map_param(const Vmap *v, uint32_t i, int64_t in_axis, Failure *f)
{
    Ref p = v->w.from->params[i];
    Type t = graph_type(v->w.from, p);
    if (in_axis == VMAP_NONE) return (v->w.map[p] = build_param(v->w.to, t)) != REF_NONE;
    int axis = normal_axis(in_axis, t.rank + 1);
    if (axis < 0)
        return fail(f, WEFT_ARGUMENT,
                    "in axis %lld of argument %u is out of range for a batch of %s (%d to %d)",
                    (long long)in_axis, (unsigned)i, TYPE_TEXT(t), -t.rank - 1, t.rank);
    int64_t dim[AXES];
    for (int k = 0, from = 0; k <= t.rank; k++) dim[k] = k == axis ? v->size : t.dim[from++];
    Ref whole = build_param(v->w.to, (Type){ t.dtype, (uint8_t)(t.rank + 1), dim });
    return (v->w.map[p] = build_move_axis(v->w.to, whole, axis, 0)) != REF_NONE;
}

static bool map_output(const Vmap *v, uint32_t i, int64_t out_axis, Ref *out, Failure *f)
{
    Ref r = v->w.from->outputs[i];
    bool mapped = v->flow->node[r];
    if (out_axis == VMAP_NONE) {
        if (mapped)
            return fail(f, WEFT_ARGUMENT,
                        "output %u depends on a mapped argument, so it needs an out axis (not none)",
                        (unsigned)i);
        *out = v->w.map[r];
        return true;
    }
    int rank = source(v, r)->rank + 1, axis = normal_axis(out_axis, rank);
    if (axis < 0)
        return fail(f, WEFT_ARGUMENT,
                    "out axis %lld of output %u is out of range for a batch of %s (%d to %d)",
                    (long long)out_axis, (unsigned)i, TYPE_TEXT(graph_type(v->w.from, r)), -rank, rank - 1);
    *out = mapped ? build_move_axis(v->w.to, v->w.map[r], 0, axis) : vmap_repeat(v, v->w.map[r], axis);
    return *out != REF_NONE;
}

static const Flow *mark_from(Arena *a, const Graph *g, const int64_t *in_axes)
{
    bool *params = arena_alloc(a, g->n_params + 1u);
    for (uint32_t i = 0; i < g->n_params; i++) params[i] = in_axes[i] != VMAP_NONE;
    return flow_from(a, g, &vmap_flow, params);
}

bool *vmap_mapped_outputs(Arena *a, const Graph *g, const int64_t *in_axes)
{
    return flow_outputs(mark_from(a, g, in_axes));
}

/* Parameters, nodes, outputs. False: f or the new graph's failure says why. */
static bool map_all(Vmap *v, const int64_t *in_axes, const int64_t *out_axes, Failure *f)
{
    const Graph *g = v->w.from;
    for (uint32_t i = 0; i < g->n_params; i++)
        if (!map_param(v, i, in_axes[i], f)) return refuse(v, g->params[i]);
    if (!rebuild_nodes(&v->w, map_node, v)) return false;
    Ref *outputs = arena_alloc(v->w.to->arena, g->n_outputs * sizeof *outputs);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (!map_output(v, i, out_axes[i], &outputs[i], f)) return refuse(v, g->outputs[i]);
    graph_set_outputs(v->w.to, outputs, g->n_outputs);
    return true;
}

Graph *vmap_graph(Arena *a, const Graph *g, const int64_t *in_axes, int64_t size, const int64_t *out_axes,
                  const VmapCaller *caller, Failure *f)
{
    if (g->failure.code != WEFT_OK) return fail_as(f, &g->failure), NULL;
    if (size < 0) {
        fail(f, WEFT_ARGUMENT, "a batch of size %lld", (long long)size);
        return NULL;
    }
    Vmap v = vmap_of(graph_new(a, g->name), mark_from(a, g, in_axes), size, caller, REF_NONE);
    if (!map_all(&v, in_axes, out_axes, f)) return fail_as(f, &v.w.to->failure), NULL;
    v.w.to->param_names = graph_copy_names(a, g);
    return v.w.to;
}

Graph *vmap_leading(Arena *a, const Graph *g, int64_t size, Failure *f)
{
    int64_t *front = arena_alloc(a, (g->n_params + g->n_outputs + 1u) * sizeof *front);
    return vmap_graph(a, g, front, size, front, NULL, f);
}
