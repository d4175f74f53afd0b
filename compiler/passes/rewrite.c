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

/* The node as it is, over rewritten regions. */
static bool copy_over_regions(const Rewriting *x, const Node *n, Ref *out)
{
    NodeSpec spec = node_spec(n);
    const Graph **regions = arena_alloc(x->w.to->arena, n->n_regions * sizeof *regions);
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(regions[k] = rewrite(x->w.to->arena, n->regions[k], x->by))) return false;
    spec.args = rebuild_args(&x->w, n);
    spec.regions = regions;
    build_results(x->w.to, graph_add(x->w.to, &spec), n->n_results, out);
    return true;
}

static bool rewrite_node(void *user, Ref r, Ref *out)
{
    const Rewriting *x = user;
    const Node *n = graph_node(x->w.from, r);
    ReplaceRule *rule = x->by->rules[n->op];
    if (rule) return rule(x->by, x->w.to, n, rebuild_args(&x->w, n), out);
    if (n->n_regions) return copy_over_regions(x, n, out);
    rebuild_copy(&x->w, r, out);
    return true;
}

const Graph *rewrite(Arena *a, const Graph *g, const Replacement *by)
{
    if (!has_work(g, by)) return g;
    Rewriting x = { rebuild_open(g, graph_new(a, g->name)), by };
    rebuild_params(&x.w);
    return rebuild_nodes(&x.w, rewrite_node, &x) ? graph_compact(a, rebuild_close(&x.w)) : NULL;
}
