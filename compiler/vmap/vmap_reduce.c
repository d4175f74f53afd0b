/* vmap_reduce.c: batching rules of reductions and contractions. */
#include "compiler/graph/attributes.h"
#include "vmap_rules.h"

/* Reducer with a flag beside the values: "holds something". Nothing and x is x, so nothing is the neutral
 * start that the reducer may lack: (l, p) and (r, q) ==> (p ? q ? f(l, r) : l : r, p | q) */
static const Graph *optional_reducer(Arena *a, const Graph *f)
{
    uint32_t n = f->n_outputs, i;
    Graph *g = graph_new(a, f->name);
    Ref *in = arena_alloc(a, 2 * ((size_t)n + 1) * sizeof *in), *out = graph_refs(a, (size_t)n);
    Ref *pair = arena_alloc(a, 2 * (size_t)n * sizeof *pair);
    for (i = 0; i < 2 * (n + 1); i++)
        in[i] =
            build_param(g, i % (n + 1) == n ? type_scalar(WEFT_BOOL) : graph_type(f, f->params[i % (n + 1)]));
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
    Graph *g = v->w.to;
    const Node *a = source(v, n->args[i]);
    int64_t perm[AXES + 1] = { 0 }, dim[AXES + 1];
    uint32_t gone = axes_mask(n->attr, n->n_attr);
    int kept = 1, last = a->rank + 1 - (int)n->n_attr;
    for (int k = 0, end = last; k < a->rank; k++) perm[gone >> k & 1 ? end++ : kept++] = k + 1;
    dim[0] = v->size;
    dim[last] = 1;
    for (int k = 1; k <= a->rank; k++) {
        if (k < last) dim[k] = a->dim[perm[k] - 1];
        else dim[last] *= a->dim[perm[k] - 1];
    }
    Ref flat = build_reshape(g, build_transpose(g, vmap_batched(v, n, i), perm), dim, last + 1);
    dim[last] = 1;
    Ref start = build_broadcast(g, vmap_batched(v, n, n->n_args / 2 + i), dim, last + 1, (int64_t[]){ 0 });
    return build_concatenate(g, (Ref[]){ start, flat }, 2, last);
}

/* Start values that differ by example: they become the first elements of what is folded, and the fold starts
 * from nothing. */
static bool reduce_from_mapped_starts(const Vmap *v, const Node *n, Ref *out)
{
    Graph *g = v->w.to;
    uint32_t count = n->n_args / 2;
    Ref *args = arena_alloc(g->arena, 2 * ((size_t)count + 1) * sizeof *args);
    for (uint32_t i = 0; i < count; i++) {
        args[i] = start_before_elements(v, n, i);
        if (args[i] == REF_NONE) return false;
        args[count + 1 + i] = build_zeros(g, type_scalar(source(v, n->args[i])->dtype));
    }
    const Node *elements = graph_node(g, args[0]);
    int axis = elements->rank - 1;
    args[count] = build_splat(g, (Type){ WEFT_BOOL, elements->rank, elements->dim }, 1);
    args[2 * count + 1] = build_zeros(g, type_scalar(WEFT_BOOL));
    Ref r = graph_add(g, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                      .args = args,
                                      .n_args = 2 * (count + 1),
                                      .attr = (int64_t[]){ axis },
                                      .n_attr = 1,
                                      .region = optional_reducer(g->arena, n->region) });
    return build_results(v->w.to, r, count, out); /* all but the flag */
}

bool vmap_reduce_region(const Vmap *v, const Node *n, Ref *out)
{
    uint32_t count = n->n_args / 2;
    int64_t axes[AXES];
    if (vmap_any_mapped(v, n, count)) return reduce_from_mapped_starts(v, n, out);
    Ref *args = arena_alloc(v->w.to->arena, n->n_args * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = i < count ? vmap_batched(v, n, i) : arg(v, n, i);
    vmap_shift(n->attr, n->n_attr, axes);
    return build_results(v->w.to, vmap_same_op(v, n, args, axes, n->n_attr, NULL, 0), n->n_results, out);
}

bool vmap_reduce(const Vmap *v, const Node *n, Ref *out)
{
    int64_t attr[AXES + 1] = { n->attr[0] };
    Ref a = arg(v, n, 0);
    vmap_shift(n->attr + 1, n->n_attr - 1, attr + 1);
    return vmap_give(out, vmap_same_op(v, n, &a, attr, n->n_attr, NULL, 0));
}

bool vmap_arg_extreme(const Vmap *v, const Node *n, Ref *out)
{
    int64_t axis = n->attr[0] + 1;
    Ref a = arg(v, n, 0);
    return vmap_give(out, vmap_same_op(v, n, &a, &axis, 1, NULL, 0));
}

/* The axes of one operand in a DOT's lists. */
static uint32_t put_list(int64_t *to, const int64_t *axes, int64_t n, bool front, bool mapped)
{
    uint32_t used = 0;
    if (front) to[used++] = 0;
    for (int64_t i = 0; i < n; i++) to[used++] = axes[i] + mapped;
    return used;
}

/* Both mapped: one more batch axis in front. One mapped: its batch axis is its first free axis, and moves to
 * the front of the result; a vector on the right goes to the left, for then the batch is in front already. */
bool vmap_dot(const Vmap *v, const Node *n, Ref *out)
{
    DotDims d = dot_dims(n->attr);
    int64_t attr[2 + 4 * AXES], nb = d.n_batch, nc = d.n_summed;
    bool mapped[] = { arg_mapped(v, n, 0), arg_mapped(v, n, 1) }, both = mapped[0] && mapped[1];
    bool swapped = !mapped[0] && source(v, n->args[1])->rank == nb + nc;
    uint32_t used = 2, side[] = { swapped, !swapped };
    attr[0] = nb + both;
    attr[1] = nc;
    for (int k = 0; k < 2; k++) used += put_list(attr + used, d.batch[side[k]], nb, both, mapped[side[k]]);
    for (int k = 0; k < 2; k++) used += put_list(attr + used, d.summed[side[k]], nc, false, mapped[side[k]]);
    Ref r = vmap_same_op(v, n, (Ref[]){ arg(v, n, side[0]), arg(v, n, side[1]) }, attr, used, NULL, 0);
    if (both) return vmap_give(out, r);
    int left_free = source(v, n->args[0])->rank - (int)(nb + nc);
    return vmap_give(out, build_move_axis(v->w.to, r, (int)nb + (mapped[0] || swapped ? 0 : left_free), 0));
}
