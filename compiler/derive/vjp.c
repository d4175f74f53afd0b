/* vjp.c: the pass: simplify, forward mode and partial evaluation as in linearize.c; then the known nodes as
 * they are and the linear ones transposed, in one graph. What the linear half needs of the known one is just
 * there: nothing is cut at the top. */
#include "compiler/derive/transpose/transpose_rules.h"

/* The cotangents of the split graph's outputs: none for g's own; of tangents, new parameters, or one if it is
 * the gradient that is asked for. */
static Ref *open_cotangents(Graph *dst, const Graph *g, const Graph *split, bool of_one)
{
    Ref *cts = graph_refs(dst->arena, split->n_outputs);
    for (uint32_t i = 0; i < split->n_outputs; i++) {
        Type t = graph_type(split, split->outputs[i]);
        cts[i] = i < g->n_outputs ? REF_NONE
                 : of_one         ? build_number(dst, (DType)t.dtype, 1)
                                  : build_param(dst, t);
    }
    return cts;
}

static void set_outputs(Graph *dst, const Graph *g, const Graph *split, const Ref *known, const Ref *cts)
{
    uint32_t n = g->n_outputs, n_tangents = split->n_params - g->n_params;
    Ref *out = graph_refs(dst->arena, (size_t)n + n_tangents);
    for (uint32_t i = 0; i < n; i++) out[i] = known[i];
    for (uint32_t i = 0; i < n_tangents; i++) {
        uint32_t p = g->n_params + i;
        out[n + i] = build_or_zeros(dst, cts[p], graph_type(split, split->params[p]));
    }
    graph_set_outputs(dst, out, n + n_tangents);
}

static Graph *reverse(Arena *a, const Graph *g, const bool *active, const bool *given, bool of_one,
                      size_t most, Failure *f)
{
    bool *linear;
    const Graph *split = split_jvp(a, g, active, given, most, &linear, f);
    if (!split) return NULL;
    Graph *dst = graph_new(a, g->name);
    Ref *params = graph_refs(a, split->n_params), *outputs = graph_refs(a, split->n_outputs);
    Ref *out = graph_refs(a, split->n_params);
    for (uint32_t i = 0; i < g->n_params; i++) params[i] = build_param(dst, graph_type(g, g->params[i]));
    Ref *cts = open_cotangents(dst, g, split, of_one);
    if (!transpose_inline(dst, (LinearRegion){ split, linear, false, most }, params, cts, outputs, out))
        return fail_as(f, &dst->failure), NULL;
    set_outputs(dst, g, split, outputs, out);
    graph_name_params(dst, g);
    return graph_compact(a, dst);
}

Graph *vjp_graph(Arena *a, const Graph *g, const bool *active, const bool *given, size_t most, Failure *f)
{
    return reverse(a, g, active, given, false, most, f);
}

Graph *grad_graph(Arena *a, const Graph *g, const bool *active, size_t most, Failure *f)
{
    if (g->failure.code != WEFT_OK) return fail_as(f, &g->failure), NULL;
    if (g->n_outputs == 0) return fail(f, WEFT_ARGUMENT, "a function without results has no gradient"), NULL;
    Type t = graph_type(g, g->outputs[0]);
    if (t.rank || !dtype_is_float((DType)t.dtype)) {
        fail(f, t.rank ? WEFT_SHAPE : WEFT_DTYPE, "a gradient is of one float; the result is %s%s",
             TYPE_TEXT(t), t.rank ? ": sum it, or ask for a vjp or a jacobian" : "");
        return NULL;
    }
    bool *given = arena_alloc(a, g->n_outputs);
    given[0] = true;
    return reverse(a, g, active, given, true, most, f);
}
