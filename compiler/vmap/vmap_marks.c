/* vmap_marks.c: which values depend on a mapped parameter: a forward pass, apart from building, so that it
 * can be done again.
 *
 * The carries of a loop are brought to a fixpoint: a carry is mapped if its start is, or if the body gives a
 * mapped value for it. Marks only ever grow, and each region keeps its own from one time to the next, so a
 * region is walked at most once more than it has parameters, however deep it lies.
 */
#include "vmap_parts.h"

Marks *marks_new(Arena *a, const Graph *g)
{
    Marks *m = arena_alloc(a, sizeof *m);
    *m = (Marks){ .arena = a,
                  .graph = g,
                  .mapped = arena_alloc(a, g->n_nodes * sizeof(bool)),
                  .inner = arena_alloc(a, g->n_nodes * sizeof(Inner *)) };
    return m;
}

/* All CONTROL but MAP, whose region is of scalars. */
static bool runs_on_arrays(Op op) { return op_kind(op) == OPKIND_CONTROL && op != OP_MAP; }

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

/* The marks of the operands: of WHILE and SCAN those that a region's parameters have before any step. */
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

/* Examples that end at different times keep their carries from then on: with a mapped predicate, all carries
 * are mapped but those that never change. */
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

/* Room for the marks of a rule's parameters: these, then one for each tangent or cotangent. */
static bool *rule_params(Marks *m, const bool *front, uint32_t n_front, uint32_t n_floats)
{
    bool *params = arena_alloc(m->arena, (size_t)n_front + n_floats + 1);
    if (n_front) memcpy(params, front, n_front);
    return params;
}

/* A tangent is mapped where its value is: that of an operand, and that of a result, which so may become
 * mapped itself. */
static void mark_custom_jvp(Marks *m, const Node *n, Inner *in, const bool *args)
{
    bool *params = rule_params(m, args, n->n_args, n->n_args);
    uint32_t tangent = n->n_args;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (dtype_is_float((DType)graph_type(m->graph, n->args[i]).dtype)) params[tangent++] = args[i];
    marks_update(in->regions[1], params);
    add_outputs(in->regions[1], in->results, n->n_results);
    tangent = n->n_results;
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_float((DType)node_result(n, i).dtype))
            in->results[i] |= output_mapped(in->regions[1], tangent++);
}

/* Cotangents come for each example apart: all results are mapped alike. */
static void mark_backward(Marks *m, Marks *backward, const bool *known, uint32_t n_known, bool any)
{
    uint32_t n_cotangents = backward->graph->n_params - n_known;
    bool *params = rule_params(m, known, n_known, n_cotangents);
    memset(params + n_known, any, n_cotangents);
    marks_update(backward, params);
}

static void mark_ruled(Marks *m, const Node *n, Inner *in, bool any)
{
    bool *args = loop_params(m, n), apart = n->op != OP_CHECKPOINT && n->op != OP_CUSTOM_JVP;
    if (apart) memset(in->results, any, n->n_results);
    if (n->op == OP_CUSTOM_VMAP) memset(args, any, n->n_args);
    if (n->op == OP_BACKWARD) {
        mark_backward(m, in->regions[0], args, (uint32_t)n->attr[0], any);
        return;
    }
    marks_update(in->regions[0], args);
    if (!apart) add_outputs(in->regions[0], in->results, n->n_results);
    if (n->op == OP_CUSTOM_JVP) mark_custom_jvp(m, n, in, args);
    if (n->op != OP_CUSTOM_VJP) return;
    Marks *forward = in->regions[1];
    uint32_t n_residuals = forward->graph->n_outputs - n->n_results;
    bool *residuals = arena_alloc(m->arena, n_residuals + 1);
    marks_update(forward, args);
    for (uint32_t i = 0; i < n_residuals; i++) residuals[i] = output_mapped(forward, n->n_results + i);
    mark_backward(m, in->regions[2], residuals, n_residuals, any);
}

static void mark_barrier(const Marks *m, const Node *n, Inner *in)
{
    for (uint32_t i = 0; i < n->n_args; i++) in->results[i] = m->mapped[n->args[i]];
}

static bool mark_inner(Marks *m, Ref r, bool any_arg)
{
    const Node *n = graph_node(m->graph, r);
    Inner *in = inner_marks(m, r);
    bool any = false;
    switch (n->op) {
    case OP_WHILE:       mark_while(m, n, in); break;
    case OP_CASE:        mark_case(m, n, in); break;
    case OP_SCAN:        mark_scan(m, n, in); break;
    case OP_BARRIER:     mark_barrier(m, n, in); break;
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:
    case OP_BACKWARD:    mark_ruled(m, n, in, any_arg); break;
    default:             memset(in->results, any_arg, n->n_results * sizeof *in->results);
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
