/* rewrite.c: see rewrite.h. */
#include "rewrite.h"
#include "compiler/graph/rebuild.h"

static bool has_work(const Graph *g, const Replacement *w)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (w->rules[n->op]) return true;
        for (uint32_t k = 0; k < n->n_regions; k++)
            if (has_work(n->regions[k], w)) return true;
    }
    return false;
}

typedef struct Rewriting {
    Rebuild w;
    const Replacement *by;
} Rewriting;

const Graph **rewrite_regions(const Replacement *by, Arena *a, const Node *n)
{
    const Graph **regions = arena_alloc(a, (n->n_regions + 1u) * sizeof *regions);
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(regions[k] = rewrite(a, n->regions[k], by))) return NULL;
    return regions;
}

bool rewrite_keep(const Replacement *by, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    NodeSpec spec = node_spec(n);
    spec.args = args;
    spec.regions = rewrite_regions(by, to->arena, n);
    return spec.regions && (build_results(to, graph_add(to, &spec), n->n_results, out), true);
}

static bool rewrite_node(void *user, Ref r, Ref *out)
{
    const Rewriting *x = user;
    const Node *n = graph_node(x->w.from, r);
    ReplaceRule *rule = x->by->rules[n->op];
    if (!rule && n->n_regions) rule = rewrite_keep;
    if (rule) return rule(x->by, x->w.to, n, rebuild_args(&x->w, n), out);
    rebuild_copy(&x->w, r, out);
    return true;
}

static const uint32_t *count_uses(Arena *a, const Graph *g)
{
    uint32_t *uses = arena_alloc(a, (g->n_nodes + 1) * sizeof *uses);
    for (Ref r = 0; r < g->n_nodes; r++)
        for (uint32_t i = 0; i < g->nodes[r].n_args; i++) uses[g->nodes[r].args[i]]++;
    for (uint32_t i = 0; i < g->n_outputs; i++) uses[g->outputs[i]]++;
    return uses;
}

const Graph *rewrite(Arena *a, const Graph *g, const Replacement *by)
{
    if (!has_work(g, by)) return g;
    Replacement here = *by;
    here.from = g;
    if (by->counts_uses) here.uses = count_uses(a, g);
    Rewriting x = { rebuild_open(g, graph_new(a, g->name)), &here };
    rebuild_params(&x.w);
    return rebuild_nodes(&x.w, rewrite_node, &x) ? graph_compact(a, rebuild_close(&x.w)) : NULL;
}
