/* vmap_marks.c: which values depend on a mapped parameter: a forward pass, apart from building, so that it can be done again.
 *
 * The carries of a loop are brought to a fixpoint: a carry is mapped if its start is, or if the body gives a mapped value for it. Marks only ever grow, and
 * each region keeps its own from one time to the next, so a region is walked at most once more than it has parameters, however deep it lies.
 */
#include "vmap_parts.h"

Marks *marks_new(Arena *a, const Graph *g)
{
    Marks *m = arena_alloc(a, sizeof *m);
    *m = (Marks){ .arena = a, .graph = g, .mapped = arena_alloc(a, g->n_nodes * sizeof(bool)), .inner = arena_alloc(a, g->n_nodes * sizeof(Inner *)) };
    return m;
}

static bool runs_on_arrays(Op op) { return op == OP_WHILE || op == OP_CASE || op == OP_SCAN; }

static Inner *inner_marks(Marks *m, Ref r)
{
    const Node *n = graph_node(m->graph, r);
    if (m->inner[r]) return m->inner[r];
    Inner *in = m->inner[r] = arena_alloc(m->arena, sizeof *in);
    in->results = arena_alloc(m->arena, n->n_results * sizeof *in->results);
    if (!runs_on_arrays((Op)n->op)) return in;
    in->regions = arena_alloc(m->arena, n->n_regions * sizeof *in->regions);
    for (uint32_t i = 0; i < n->n_regions; i++) in->regions[i] = marks_new(m->arena, n->regions[i]);
    return in;
}

static bool output_mapped(const Marks *m, uint32_t i) { return m->mapped[m->graph->outputs[i]]; }

/* Adds the marks of a region's outputs to those of the node's results; true if that changed any. */
static bool add_outputs(const Marks *region, bool *results, uint32_t n)
{
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        grown |= output_mapped(region, i) && !results[i];
        results[i] |= output_mapped(region, i);
    }
    return grown;
}

/* Of WHILE and SCAN: the marks that a region's parameters have before any step. */
static bool *loop_params(Marks *m, const Node *n)
{
    bool *params = arena_alloc(m->arena, n->n_args * sizeof *params);
    for (uint32_t i = 0; i < n->n_args; i++) params[i] = m->mapped[n->args[i]];
    return params;
}

/* Those of carries, after some steps. */
static void add_carries(bool *carries, const bool *results, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) carries[i] |= results[i];
}

static void mark_scan(Marks *m, const Node *n, Inner *in)
{
    ScanShape s = scan_shape(n->attr);
    bool *params = loop_params(m, n);
    do {
        add_carries(params + s.n_invariant, in->results, s.n_carry);
        marks_update(in->regions[0], params);
    } while (add_outputs(in->regions[0], in->results, s.n_carry));
    add_outputs(in->regions[0], in->results, n->n_results);
    for (uint32_t i = 0; i < s.n_carry; i++) in->results[i] |= m->mapped[n->args[s.n_invariant + i]];
}

/* Examples that end at different times keep their carries from then on: with a mapped predicate, all carries are mapped but those that never change. */
static bool add_kept(const Marks *body, bool *results, uint32_t n, uint32_t n_invariant)
{
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        if (results[i] || body->graph->outputs[i] == body->graph->params[n_invariant + i]) continue;
        grown = results[i] = true;
    }
    return grown;
}

static void mark_while(Marks *m, const Node *n, Inner *in)
{
    uint32_t n_invariant = (uint32_t)n->attr[0];
    Marks *cond = in->regions[0], *body = in->regions[1];
    bool grown, *params = loop_params(m, n);
    do {
        add_carries(params + n_invariant, in->results, n->n_results);
        marks_update(cond, params);
        marks_update(body, params);
        grown = add_outputs(body, in->results, n->n_results);
        if (output_mapped(cond, 0)) grown |= add_kept(body, in->results, n->n_results, n_invariant);
    } while (grown);
    for (uint32_t i = 0; i < n->n_results; i++) in->results[i] |= m->mapped[n->args[n_invariant + i]];
}

static void mark_case(Marks *m, const Node *n, Inner *in)
{
    bool *params = arena_alloc(m->arena, n->n_args * sizeof *params);
    for (uint32_t i = 1; i < n->n_args; i++) params[i - 1] = m->mapped[n->args[i]];
    for (uint32_t k = 0; k < n->n_regions; k++) {
        marks_update(in->regions[k], params);
        add_outputs(in->regions[k], in->results, n->n_results);
    }
    if (m->mapped[n->args[0]]) memset(in->results, true, n->n_results * sizeof *in->results);
}

static bool mark_inner(Marks *m, Ref r, bool any_arg)
{
    const Node *n = graph_node(m->graph, r);
    Inner *in = inner_marks(m, r);
    bool any = false;
    switch (n->op) {
    case OP_WHILE: mark_while(m, n, in); break;
    case OP_CASE:  mark_case(m, n, in); break;
    case OP_SCAN:  mark_scan(m, n, in); break;
    default:       memset(in->results, any_arg, n->n_results * sizeof *in->results);
    }
    for (uint32_t i = 0; i < n->n_results; i++) any |= in->results[i];
    return any;
}

static bool mark_node(Marks *m, Ref r)
{
    const Node *n = graph_node(m->graph, r);
    bool any = false;
    if (n->op == OP_RESULT) return m->inner[n->args[0]]->results[n->attr[0]];
    for (uint32_t k = 0; k < n->n_args && !any; k++) any = m->mapped[n->args[k]];
    return n->n_results > 1 || runs_on_arrays((Op)n->op) ? mark_inner(m, r, any) : any;
}

void marks_update(Marks *m, const bool *params)
{
    const Graph *g = m->graph;
    bool grown = !m->done;
    for (uint32_t i = 0; i < g->n_params; i++) {
        grown |= params[i] && !m->mapped[g->params[i]];
        m->mapped[g->params[i]] |= params[i];
    }
    if (!grown) return;
    m->done = true;
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op != OP_PARAMETER) m->mapped[r] = mark_node(m, r);
}
