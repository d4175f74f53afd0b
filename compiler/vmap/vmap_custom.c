/* vmap_custom.c: batching what has rules: all its regions are mapped, so that derivatives taken later find
 * rules for the batch.
 *
 * Tangents are mapped where their values are. The backward rule of CUSTOM_VJP, and BACKWARD, give cotangents:
 * of an operand that all examples share, the sum over the examples. So that such a sum counts each example
 * once, all results, and with them all cotangents that come in, are mapped as soon as any operand is.
 */
#include "vmap_rules.h"

/* n flags alike. */
static bool *flags(const Vmap *v, uint32_t n, bool value)
{
    return memset(arena_alloc(v->w.to->arena, n + 1u), value, n + 1u);
}

/* The rule gives results and their tangents: mapped alike. */
static const Graph *map_jvp(const Vmap *v, const Node *n, bool guarded)
{
    bool *want = flags(v, 2 * n->n_results, false);
    uint32_t tangent = n->n_results;
    memcpy(want, flow_results(v->flow, n), n->n_results);
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_inexact((DType)node_result(n, i).dtype)) want[tangent++] = flow_results(v->flow, n)[i];
    return vmap_region(v, flow_region(v->flow, n, 1), guarded, want);
}

/* Which examples count is one more residual, the first. */
static const Graph *map_forward(const Vmap *v, const Node *n, bool guarded)
{
    uint32_t n_outputs = flow_region(v->flow, n, 1)->graph->n_outputs, n_residuals = n_outputs - n->n_results;
    bool *want = flags(v, n_outputs, false);
    memcpy(want, flow_results(v->flow, n), n->n_results);
    Graph *g = vmap_region(v, flow_region(v->flow, n, 1), guarded, want);
    if (!g || !guarded) return g;
    Ref *out = graph_refs(g->arena, n_outputs);
    memcpy(out, g->outputs, n->n_results * sizeof *out);
    out[n->n_results] = g->params[0];
    memcpy(out + n->n_results + 1, g->outputs + n->n_results, n_residuals * sizeof *out);
    graph_set_outputs(g, out, n_outputs + 1);
    return g;
}

/* The rule that m marks, of the node's operands from first on. A cotangent of one that is not mapped is
 * summed over the examples. */
static const Graph *map_backward(const Vmap *v, const Node *n, const Flow *m, uint32_t first, bool guarded)
{
    bool apart = flow_results(v->flow, n)[0];
    Graph *g = vmap_region(v, m, guarded, flags(v, m->graph->n_outputs, apart));
    if (!g || !apart) return g;
    Ref *out = arena_copy(g->arena, g->outputs, g->n_outputs * sizeof *out);
    for (uint32_t i = first, k = 0; i < n->n_args; i++) {
        if (!dtype_is_inexact((DType)graph_type(v->w.from, n->args[i]).dtype)) continue;
        if (!arg_mapped(v, n, i)) out[k] = build_reduce(g, OP_ADD, out[k], (int64_t[]){ 0 }, 1);
        k++;
    }
    graph_set_outputs(g, out, g->n_outputs);
    return g;
}

static bool gives(const Vmap *v, const Node *n, const Ref *out)
{
    for (uint32_t i = 0; i < n->n_results; i++) {
        Type want = vmap_type(v, node_result(n, i)), t;
        if (out[i] == REF_NONE) return false;
        t = graph_type(v->w.to, out[i]);
        if (type_equal(t, want)) continue;
        return fail(&v->w.to->failure, WEFT_SHAPE,
                    "result %u of the batching rule (weft_custom_vmap) is %s, not %s", (unsigned)i,
                    TYPE_TEXT(t), TYPE_TEXT(want));
    }
    return true;
}

/* By the user's rule, if there is a batch and somebody knows it; else it is what it computes. */
bool vmap_custom_vmap(const Vmap *v, const Node *n, Ref *out)
{
    bool mapped = flow_results(v->flow, n)[0];
    Ref *args = graph_refs(v->w.to->arena, n->n_args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = mapped ? vmap_batched(v, n, i) : arg(v, n, i);
    if (!mapped || !v->caller || !n->attr[0])
        return vmap_inline(v, flow_region(v->flow, n, 0), args, flow_results(v->flow, n), out);
    return v->caller->rule(v->caller->user, v->w.to, n->attr[0], v->size, args, n->n_args, out,
                           &v->w.to->failure) &&
           gives(v, n, out);
}

/* Its own operands, and in front, if the examples that count are known inside, those. */
typedef struct Operands {
    bool guarded;
    uint32_t n;
    Ref *args;
} Operands;

static Operands operands(const Vmap *v, const Node *n)
{
    bool guarded = vmap_guarded(v, n);
    Operands o = { guarded, n->n_args + guarded, arena_alloc(v->w.to->arena, (n->n_args + 2) * sizeof(Ref)) };
    o.args[0] = v->active;
    for (uint32_t i = 0; i < n->n_args; i++) o.args[i + guarded] = arg(v, n, i);
    return o;
}

/* What the node computes: region 0. */
static const Graph *map_primal(const Vmap *v, const Node *n, const Operands *o)
{
    return vmap_region(v, flow_region(v->flow, n, 0), o->guarded, flow_results(v->flow, n));
}

static bool build_mapped(const Vmap *v, const Node *n, const Graph *const *regions, const Operands *o,
                         Ref *out)
{
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!regions[k]) return false;
    return build_ruled(v->w.to, (Op)n->op, 0, regions, n->n_regions, o->args, o->n, out);
}

bool vmap_custom_jvp(const Vmap *v, const Node *n, Ref *out)
{
    Operands o = operands(v, n);
    const Graph *regions[2];
    regions[0] = map_primal(v, n, &o);
    regions[1] = map_jvp(v, n, o.guarded);
    return build_mapped(v, n, regions, &o, out);
}

bool vmap_custom_vjp(const Vmap *v, const Node *n, Ref *out)
{
    Operands o = operands(v, n);
    const Graph *regions[3];
    regions[0] = map_primal(v, n, &o);
    regions[1] = map_forward(v, n, o.guarded);
    regions[2] = map_backward(v, n, flow_region(v->flow, n, 2), 0, o.guarded);
    return build_mapped(v, n, regions, &o, out);
}

bool vmap_backward(const Vmap *v, const Node *n, Ref *out)
{
    Operands o = operands(v, n);
    uint32_t n_known = (uint32_t)n->attr[0];
    const Graph *region = map_backward(v, n, flow_region(v->flow, n, 0), n_known, o.guarded);
    n_known += o.guarded;
    return region && build_backward(v->w.to, region, o.args, n_known, o.n - n_known, out);
}
