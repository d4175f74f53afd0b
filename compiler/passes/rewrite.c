/* rewrite.c: see rewrite.h. */
#include "rewrite.h"

static bool has_work(const Graph *g, const Replacement *w)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (w->replaces((Op)n->op)) return true;
        for (uint32_t k = 0; k < n->n_regions; k++)
            if (has_work(n->regions[k], w)) return true;
    }
    return false;
}

/* The node as it is, over rewritten regions. */
static bool copy_over_regions(Graph *to, const Node *n, const Ref *args, const Replacement *w, Ref *copy)
{
    NodeSpec spec = node_spec(n);
    const Graph **regions = arena_alloc(to->arena, n->n_regions * sizeof *regions);
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(regions[k] = rewrite(to->arena, n->regions[k], w))) return false;
    spec.args = args;
    spec.regions = regions;
    *copy = graph_add(to, &spec);
    return true;
}

/* map: what each node is in `to`; results: of nodes that were replaced, what each result is. */
static bool rewrite_node(Graph *to, const Graph *from, Ref r, Ref *map, Ref **results, const Replacement *w)
{
    const Node *n = graph_node(from, r);
    bool replaced = w->replaces((Op)n->op);
    if (n->op == OP_RESULT && results[n->args[0]]) {
        map[r] = results[n->args[0]][n->attr[0]];
        return true;
    }
    if (!replaced && !n->n_regions) {
        map[r] = graph_copy_node(to, from, r, map);
        return true;
    }
    Ref *args = arena_alloc(to->arena, (n->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = map[n->args[i]];
    to->loc = n->loc ? graph_loc(to, from->locs[n->loc]) : 0;
    if (!replaced) return copy_over_regions(to, n, args, w, &map[r]);
    results[r] = arena_alloc(to->arena, n->n_results * sizeof(Ref));
    if (!w->node(w, to, n, args, results[r])) return false;
    map[r] = results[r][0];
    return true;
}

const Graph *rewrite(Arena *a, const Graph *g, const Replacement *w)
{
    if (!has_work(g, w)) return g;
    Graph *to = graph_new(a, g->name);
    const bool *reached = graph_reached(a, g);
    Ref *map = arena_alloc(a, (g->n_nodes + 1) * sizeof *map),
        **results = arena_alloc(a, (g->n_nodes + 1) * sizeof *results);
    for (uint32_t i = 0; i < g->n_params; i++) map[g->params[i]] = graph_copy_node(to, g, g->params[i], map);
    for (Ref r = 0; r < g->n_nodes; r++)
        if (reached[r] && graph_node(g, r)->op != OP_PARAMETER && !rewrite_node(to, g, r, map, results, w))
            return NULL;
    Ref *outputs = arena_alloc(a, (g->n_outputs + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        outputs[i] = g->outputs[i] == REF_NONE ? REF_NONE : map[g->outputs[i]];
    graph_set_outputs(to, outputs, g->n_outputs);
    to->param_names = graph_copy_names(a, g);
    if (g->failure.code != WEFT_OK) to->failure = g->failure;
    return graph_compact(a, to);
}
