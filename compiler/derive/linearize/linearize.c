/* linearize.c: the pass: forward mode, partial evaluation (linearize_split.c), and the cut into halves
 * (linearize_cut.c). */
#include "compiler/passes/simplify.h"
#include "compiler/derive/jvp/jvp.h"
#include "linearize.h"
#include "linearize_split.h"

static bool check_floats(const Graph *g, const Ref *refs, const bool *asked, uint32_t n, const char *what,
                         Failure *f)
{
    for (uint32_t i = 0; i < n; i++) {
        Type t = graph_type(g, refs[i]);
        if (asked[i] && !dtype_is_inexact((DType)t.dtype))
            return fail(f, WEFT_DTYPE, "%s %u is %s: only floats have derivatives", what, (unsigned)i,
                        TYPE_TEXT(t));
    }
    return true;
}

Graph *split_jvp(Arena *a, const Graph *g, const bool *active, const bool *want, size_t most, bool **linear,
                 Failure *f)
{
    if (g->failure.code != WEFT_OK) return fail_as(f, &g->failure), NULL;
    if (!check_floats(g, g->params, active, g->n_params, "parameter", f) ||
        !check_floats(g, g->outputs, want, g->n_outputs, "output", f))
        return NULL;
    const Graph *pushed = jvp_graph(a, simplify(a, g), active, want, f);
    if (!pushed) return NULL;
    *linear = arena_alloc(a, pushed->n_params + 1);
    for (uint32_t i = g->n_params; i < pushed->n_params; i++) (*linear)[i] = true;
    return split_graph(a, pushed, *linear, most, f);
}

/* g's parameters -> g's outputs, then residuals */
static Graph *known_half(Arena *a, const Graph *g, const GraphCut *cut)
{
    const Graph *split = cut->graph;
    Graph *known = graph_new(a, g->name);
    uint32_t n = g->n_outputs;
    Ref *map = graph_refs(a, split->n_nodes), *outputs = graph_refs(a, (size_t)n + cut->n_kept);
    for (uint32_t i = 0; i < g->n_params; i++)
        map[split->params[i]] = build_param(known, graph_type(split, split->params[i]));
    memcpy(outputs, split->outputs, n * sizeof *outputs);
    memcpy(outputs + n, cut->kept, cut->n_kept * sizeof *outputs);
    copy_known(known, split, map, outputs, n + cut->n_kept);
    for (uint32_t i = 0; i < n + cut->n_kept; i++) outputs[i] = map[outputs[i]];
    graph_set_outputs(known, outputs, n + cut->n_kept);
    known->param_names = graph_copy_names(a, g);
    return graph_compact(a, known);
}

/* residuals, tangents -> tangents */
static Graph *linear_half(Arena *a, const Graph *g, const GraphCut *cut)
{
    const Graph *split = cut->graph;
    Graph *linear = graph_new(a, g->name);
    uint32_t n = split->n_outputs - g->n_outputs;
    Ref *map = graph_refs(a, split->n_nodes), *out = graph_refs(a, n);
    for (uint32_t i = 0; i < cut->n_kept; i++)
        map[cut->kept[i]] = build_param(linear, graph_type(split, cut->kept[i]));
    for (uint32_t i = g->n_params; i < split->n_params; i++)
        map[split->params[i]] = build_param(linear, graph_type(split, split->params[i]));
    if (copy_linear(linear, cut, false, map, split->outputs + g->n_outputs, n, out))
        graph_set_outputs(linear, out, n);
    return linear;
}

bool linearize_graph(Arena *a, const Graph *g, const bool *active, const bool *want, size_t most,
                     Linearized *out, Failure *f)
{
    bool *linear;
    const Graph *split = split_jvp(a, g, active, want, most, &linear, f);
    if (!split) return false;
    GraphCut cut = cut_graph(a, split, linear_nodes(a, split, linear), NULL);
    Graph *half = linear_half(a, g, &cut);
    if (half->failure.code != WEFT_OK) return fail_as(f, &half->failure);
    *out = (Linearized){ .known = known_half(a, g, &cut),
                         .linear = graph_compact(a, half),
                         .n_residuals = cut.n_kept };
    return true;
}
