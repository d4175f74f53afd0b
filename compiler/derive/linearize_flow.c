/* linearize_flow.c: which values depend on a tangent: a forward pass, apart from building, so that it can be
 * done again.
 *
 * Regions are looked into, for what jvp makes carries values and tangents through one node. The carries of a
 * loop are brought to a fixpoint: a carry is linear if its start is, or if the body gives a linear value for
 * it. Marks only ever grow, and each region keeps its own from one time to the next, so a region is walked at
 * most once more than it has parameters, however deep it lies.
 */
#include "reverse_parts.h"

Flow *flow_new(Arena *a, const Graph *g)
{
    Flow *f = arena_alloc(a, sizeof *f);
    *f = (Flow){ .arena = a,
                 .graph = g,
                 .node = arena_alloc(a, g->n_nodes + 1),
                 .results = arena_alloc(a, (g->n_nodes + 1) * sizeof(bool *)),
                 .regions = arena_alloc(a, (g->n_nodes + 1) * sizeof(Flow **)) };
    return f;
}

/* Ops of which a result depends on some operands only; of all others each result depends on all. */
static bool looked_into(Op op)
{
    switch (op) {
    case OP_SCAN:
    case OP_WHILE:
    case OP_CASE:
    case OP_MAP:
    case OP_CHECKPOINT:
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP: return true;
    default:             return false;
    }
}

static void open_node(Flow *f, Ref r)
{
    const Node *n = graph_node(f->graph, r);
    if (f->results[r]) return;
    f->results[r] = arena_alloc(f->arena, n->n_results);
    if (!looked_into((Op)n->op)) return;
    f->regions[r] = arena_alloc(f->arena, n->n_regions * sizeof(Flow *));
    for (uint32_t i = 0; i < n->n_regions; i++) f->regions[r][i] = flow_new(f->arena, n->regions[i]);
}

static bool output_linear(const Flow *f, uint32_t i) { return f->node[f->graph->outputs[i]]; }

/* Adds the marks of a region's outputs to those of the node's results; true if that changed any. */
static bool add_outputs(const Flow *region, bool *results, uint32_t n)
{
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        grown |= output_linear(region, i) && !results[i];
        results[i] |= output_linear(region, i);
    }
    return grown;
}

/* A loop's carries stand at `first` among its operands, and are its first results. The body gives them after
 * the cond has seen them. */
static void flow_loop(const Flow *f, const Node *n, Flow **regions, bool *results, uint32_t first,
                      uint32_t n_carry)
{
    bool *params = arena_alloc(f->arena, n->n_args + 1);
    Flow *body = regions[n->op == OP_WHILE];
    for (uint32_t i = 0; i < n->n_args; i++) params[i] = f->node[n->args[i]];
    for (uint32_t i = 0; i < n_carry; i++) results[i] |= params[first + i];
    do {
        for (uint32_t i = 0; i < n_carry; i++) params[first + i] |= results[i];
        if (n->op == OP_WHILE) flow_update(regions[0], params);
        flow_update(body, params);
    } while (add_outputs(body, results, n_carry));
    add_outputs(body, results, n->n_results);
}

/* CASE has its index before what the regions take. */
static void flow_regions(const Flow *f, const Node *n, Flow **regions, bool *results)
{
    uint32_t skip = n->op == OP_CASE, n_taken = n->op == OP_CASE ? n->n_regions : 1;
    bool *params = arena_alloc(f->arena, n->n_args + 1);
    for (uint32_t i = skip; i < n->n_args; i++) params[i - skip] = f->node[n->args[i]];
    for (uint32_t k = 0; k < n_taken; k++) {
        flow_update(regions[k], params);
        add_outputs(regions[k], results, n->n_results);
    }
}

static bool flow_several(Flow *f, Ref r, bool any_arg)
{
    const Node *n = graph_node(f->graph, r);
    open_node(f, r);
    bool *results = f->results[r], any = false;
    if (n->op == OP_SCAN)
        flow_loop(f, n, f->regions[r], results, scan_shape(n->attr).n_invariant, scan_shape(n->attr).n_carry);
    else if (n->op == OP_WHILE) flow_loop(f, n, f->regions[r], results, (uint32_t)n->attr[0], n->n_results);
    else if (looked_into((Op)n->op)) flow_regions(f, n, f->regions[r], results);
    for (uint32_t i = 0; i < n->n_results; i++) {
        if (n->op == OP_BARRIER) results[i] = f->node[n->args[i]];
        else if (!looked_into((Op)n->op)) results[i] = any_arg;
        any |= results[i];
    }
    return any;
}

static bool flow_node(Flow *f, Ref r)
{
    const Node *n = graph_node(f->graph, r);
    bool any = false;
    if (n->op == OP_RESULT) return f->results[n->args[0]][n->attr[0]];
    for (uint32_t k = 0; k < n->n_args && !any; k++) any = f->node[n->args[k]];
    return n->n_results > 1 || looked_into((Op)n->op) ? flow_several(f, r, any) : any;
}

void flow_update(Flow *f, const bool *params)
{
    const Graph *g = f->graph;
    bool grown = !f->done;
    for (uint32_t i = 0; i < g->n_params; i++) {
        grown |= params[i] && !f->node[g->params[i]];
        f->node[g->params[i]] |= params[i];
    }
    if (!grown) return;
    f->done = true;
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op != OP_PARAMETER) f->node[r] = flow_node(f, r);
}

bool *linear_nodes(Arena *a, const Graph *g, const bool *linear_params)
{
    bool *linear = arena_alloc(a, g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_params; i++) linear[g->params[i]] = linear_params[i];
    for (Ref r = 0; r < g->n_nodes; r++)
        for (uint32_t k = 0; k < g->nodes[r].n_args; k++) linear[r] |= linear[g->nodes[r].args[k]];
    return linear;
}

/* ---- zeros */

static bool is_zero_constant(const Node *n)
{
    int64_t count = n->attr[0] ? 1 : type_count(node_type(n));
    size_t bytes = dtype_bytes((DType)n->dtype);
    for (int64_t i = 0; i < count; i++)
        if (scalar_to_double((DType)n->dtype,
                             scalar_load((DType)n->dtype, (const char *)n->data + (size_t)i * bytes)) != 0)
            return false;
    return true;
}

/* A product is zero if a factor is, a sum if all terms are. */
static bool null_node(const Node *n, const bool *null, bool inside)
{
    switch (n->op) {
    case OP_PARAMETER:            return inside;
    case OP_CONSTANT:             return is_zero_constant(n);
    case OP_MUL:
    case OP_DOT:                  return null[n->args[0]] || null[n->args[1]];
    case OP_DIV:
    case OP_GATHER:
    case OP_DYNAMIC_SLICE:        return null[n->args[0]];
    case OP_FMA:                  return (null[n->args[0]] || null[n->args[1]]) && null[n->args[2]];
    case OP_SELECT:               return null[n->args[1]] && null[n->args[2]];
    case OP_SCATTER:              return null[n->args[0]] && null[n->args[n->n_args - 1]];
    case OP_DYNAMIC_UPDATE_SLICE: return null[n->args[0]] && null[n->args[1]];
    case OP_REDUCE:               return n->attr[0] == OP_ADD && null[n->args[0]];
    case OP_ADD:
    case OP_SUB:
    case OP_PAD:
    case OP_CONCATENATE:
        for (uint32_t i = 0; i < n->n_args; i++)
            if (!null[n->args[i]]) return false;
        return true;
    case OP_NEG:
    case OP_CONVERT:
    case OP_REDUCE_PRECISION:
    case OP_BROADCAST:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_SLICE:
    case OP_REVERSE:
    case OP_CUMULATIVE:       return null[n->args[0]];
    default:                  return n->n_regions || n->op == OP_RESULT;
    }
}

bool *null_nodes(Arena *a, const Graph *g, bool inside)
{
    bool *null = arena_alloc(a, g->n_nodes + 1);
    for (Ref r = 0; r < g->n_nodes; r++) null[r] = null_node(&g->nodes[r], null, inside);
    return null;
}
