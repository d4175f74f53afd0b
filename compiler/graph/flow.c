/* flow.c: see flow.h. */
#include "flow.h"
#include <string.h>

/* Nothing is marked. */
static Flow *flow_new(Arena *a, const Graph *g, const FlowRule *rule)
{
    size_t n = g->n_nodes + 1u;
    Flow *f = arena_alloc(a, sizeof *f);
    *f = (Flow){ .rule = rule,
                 .arena = a,
                 .graph = g,
                 .node = arena_alloc(a, n),
                 .results = arena_alloc(a, n * sizeof *f->results),
                 .regions = arena_alloc(a, n * sizeof *f->regions) };
    return f;
}

bool *flow_args(const Flow *f, const Node *n, uint32_t more)
{
    bool *args = arena_alloc(f->arena, (size_t)n->n_args + more + 1);
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = flow_arg(f, n, i);
    return args;
}

bool *flow_outputs(const Flow *f)
{
    bool *outputs = arena_alloc(f->arena, f->graph->n_outputs + 1u);
    for (uint32_t i = 0; i < f->graph->n_outputs; i++) outputs[i] = flow_output(f, i);
    return outputs;
}

bool flow_add_outputs(const Flow *region, bool *results, uint32_t n)
{
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        grown |= flow_output(region, i) && !results[i];
        results[i] |= flow_output(region, i);
    }
    return grown;
}

static bool *open_node(Flow *f, Ref r, bool follows)
{
    const Node *n = graph_node(f->graph, r);
    if (f->results[r]) return f->results[r];
    f->results[r] = arena_alloc(f->arena, n->n_results);
    if (!follows) return f->results[r];
    f->regions[r] = arena_alloc(f->arena, n->n_regions * sizeof(Flow *));
    for (uint32_t k = 0; k < n->n_regions; k++) f->regions[r][k] = flow_new(f->arena, n->regions[k], f->rule);
    return f->results[r];
}

/* SCAN and WHILE: the carries are operands first .. first + n_carry - 1, and the first results. */
static void mark_loop(Flow *f, const Node *n, bool any, bool *results, uint32_t first, uint32_t n_carry)
{
    bool *params = flow_args(f, n, 0), grown;
    Flow *body = flow_region(f, n, n->n_regions - 1u);
    for (uint32_t i = 0; i < n_carry; i++) results[i] |= params[first + i];
    do {
        for (uint32_t i = 0; i < n_carry; i++) params[first + i] |= results[i];
        if (n->op == OP_WHILE) flow_update(flow_region(f, n, 0), params);
        flow_update(body, params);
        grown = flow_add_outputs(body, results, n_carry);
        if (f->rule->more) grown |= f->rule->more(f, n, any, results);
    } while (grown);
    flow_add_outputs(body, results, n->n_results);
}

/* The regions of CASE take all operands but the first, the index. Of any other op the first region takes the
 * operands and gives the results, except for BACKWARD, whose region takes cotangents. */
static void mark_regions(Flow *f, const Node *n, bool any, bool *results)
{
    uint32_t taken = n->op == OP_CASE ? n->n_regions : n->op != OP_BACKWARD;
    const bool *params = flow_args(f, n, 0) + (n->op == OP_CASE);
    for (uint32_t k = 0; k < taken; k++) {
        flow_update(flow_region(f, n, k), params);
        flow_add_outputs(flow_region(f, n, k), results, n->n_results);
    }
    if (f->rule->more) f->rule->more(f, n, any, results);
}

static void mark_followed(Flow *f, const Node *n, bool any, bool *results)
{
    ScanShape s = control_shape(n);
    if (n->op == OP_SCAN || n->op == OP_WHILE) mark_loop(f, n, any, results, s.n_invariant, s.n_carry);
    else mark_regions(f, n, any, results);
}

static bool of_its_operands(const Flow *f, const Node *n, uint32_t result)
{
    if (n->op == OP_BARRIER) return flow_arg(f, n, result);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (flow_arg(f, n, i) && (!f->rule->depends || f->rule->depends(n, result, i))) return true;
    return false;
}

static bool mark_node(Flow *f, Ref r)
{
    const Node *n = graph_node(f->graph, r);
    if (n->op == OP_RESULT) return f->results[n->args[0]][n->attr[0]];
    bool follows = f->rule->follows((Op)n->op), any = false, one = false;
    bool *results = follows || n->n_results > 1 ? open_node(f, r, follows) : &one;
    for (uint32_t i = 0; i < n->n_args && !any; i++) any = flow_arg(f, n, i);
    if (follows) mark_followed(f, n, any, results);
    else
        for (uint32_t i = 0; any && i < n->n_results; i++) results[i] = of_its_operands(f, n, i);
    any = false;
    for (uint32_t i = 0; i < n->n_results; i++) {
        results[i] &= !f->rule->floats || dtype_is_inexact((DType)node_result(n, i).dtype);
        any |= results[i];
    }
    return any;
}

void flow_update(Flow *f, const bool *params)
{
    const Graph *g = f->graph;
    bool grown = !f->done;
    for (uint32_t i = 0; i < g->n_params; i++) {
        Ref p = g->params[i];
        bool marked = params[i] && (!f->rule->floats || dtype_is_inexact((DType)graph_type(g, p).dtype));
        grown |= marked && !f->node[p];
        f->node[p] |= marked;
    }
    if (!grown) return;
    f->done = true;
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op != OP_PARAMETER) f->node[r] = mark_node(f, r);
}

Flow *flow_from(Arena *a, const Graph *g, const FlowRule *rule, const bool *params)
{
    Flow *f = flow_new(a, g, rule);
    flow_update(f, params);
    return f;
}
