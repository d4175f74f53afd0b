/* jvp_marks.c: what has a tangent: a forward pass, apart from building, so that it can be done again.
 *
 * A value is active if it is of a float type and an op with a derivative makes it of an active one. The
 * carries of a loop are brought to a fixpoint: a carry is active if its start is, or if the body gives an
 * active value for it. Marks only ever grow, and each region keeps its own from one time to the next.
 */
#include "jvp_parts.h"

Activity *activity_new(Arena *a, const Graph *g)
{
    Activity *m = arena_alloc(a, sizeof *m);
    *m = (Activity){ .arena = a,
                     .graph = g,
                     .active = arena_alloc(a, g->n_nodes * sizeof(bool)),
                     .inner = arena_alloc(a, g->n_nodes * sizeof(Inner *)) };
    return m;
}

static bool runs_regions(Op op)
{
    return op == OP_WHILE || op == OP_CASE || op == OP_SCAN || op == OP_MAP || op == OP_CUSTOM_VMAP ||
           op == OP_CHECKPOINT;
}

static Inner *inner_marks(Activity *m, Ref r)
{
    const Node *n = graph_node(m->graph, r);
    if (m->inner[r]) return m->inner[r];
    Inner *in = m->inner[r] = arena_alloc(m->arena, sizeof *in);
    in->results = arena_alloc(m->arena, n->n_results * sizeof *in->results);
    if (!runs_regions((Op)n->op)) return in;
    in->regions = arena_alloc(m->arena, n->n_regions * sizeof *in->regions);
    for (uint32_t i = 0; i < n->n_regions; i++) in->regions[i] = activity_new(m->arena, n->regions[i]);
    return in;
}

/* Adds the marks of a region's outputs to those of the node's results; true if that changed any. */
static bool add_outputs(const Activity *region, bool *results, uint32_t n)
{
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        bool active = region->active[region->graph->outputs[i]];
        grown |= active && !results[i];
        results[i] |= active;
    }
    return grown;
}

static void add(bool *to, const bool *marks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) to[i] |= marks[i];
}

/* SCAN and WHILE: body with its carries behind n_invariant others. */
static void mark_loop(Activity *body, bool *params, bool *results, uint32_t n_invariant, uint32_t n_carry)
{
    do {
        add(params + n_invariant, results, n_carry);
        activity_update(body, params);
    } while (add_outputs(body, results, n_carry));
    add(results, params + n_invariant, n_carry);
}

static void mark_regions(Activity *m, const Node *n, Inner *in)
{
    bool *params = arena_alloc(m->arena, n->n_args * sizeof *params),
         *given = n->op == OP_CASE ? params + 1 : params;
    for (uint32_t i = 0; i < n->n_args; i++) params[i] = m->active[n->args[i]];
    if (n->op == OP_WHILE) {
        mark_loop(in->regions[1], params, in->results, (uint32_t)n->attr[0], n->n_results);
        return;
    }
    ScanShape s = n->op == OP_SCAN ? scan_shape(n->attr) : (ScanShape){ 0 };
    if (n->op == OP_SCAN) mark_loop(in->regions[0], params, in->results, s.n_invariant, s.n_carry);
    for (uint32_t k = 0; k < n->n_regions; k++) {
        activity_update(in->regions[k], given);
        add_outputs(in->regions[k], in->results, n->n_results);
    }
}

static bool any_active(const Activity *m, const Node *n, uint32_t first)
{
    for (uint32_t i = first; i < n->n_args; i++)
        if (m->active[n->args[i]]) return true;
    return false;
}

static bool mark_results(Activity *m, Ref r)
{
    const Node *n = graph_node(m->graph, r);
    Inner *in = inner_marks(m, r);
    bool any = false;
    if (in->regions) mark_regions(m, n, in);
    for (uint32_t i = 0; i < n->n_results; i++) {
        bool own = n->op == OP_SORT || n->op == OP_BARRIER; /* result i is of operand i */
        if (!in->regions) in->results[i] = own ? m->active[n->args[i]] : any_active(m, n, 0);
        in->results[i] &= dtype_is_float((DType)node_result(n, i).dtype);
        any |= in->results[i];
    }
    return any;
}

static bool mark_node(Activity *m, Ref r)
{
    const Node *n = graph_node(m->graph, r);
    if (n->op == OP_RESULT) return m->inner[n->args[0]]->results[n->attr[0]];
    if (jvp_is_constant((Op)n->op)) {
        if (n->n_results > 1) inner_marks(m, r);
        return false;
    }
    if (n->n_results > 1 || runs_regions((Op)n->op)) return mark_results(m, r);
    /* the operand of that only chooses */
    return dtype_is_float((DType)n->dtype) && any_active(m, n, n->op == OP_SELECT_AND_SCATTER);
}

void activity_update(Activity *m, const bool *params)
{
    const Graph *g = m->graph;
    bool grown = !m->done;
    for (uint32_t i = 0; i < g->n_params; i++) {
        bool active = params[i] && dtype_is_float((DType)graph_type(g, g->params[i]).dtype);
        grown |= active && !m->active[g->params[i]];
        m->active[g->params[i]] |= active;
    }
    if (!grown) return;
    m->done = true;
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op != OP_PARAMETER) m->active[r] = mark_node(m, r);
}
