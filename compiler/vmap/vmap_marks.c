/* vmap_marks.c: which values depend on a mapped parameter: what batching adds to graph/flow.h. */
#include "vmap_rules.h"

/* All CONTROL but MAP, whose region is of scalars. */
static bool runs_on_arrays(Op op) { return op_kind(op) == OPKIND_CONTROL && op != OP_MAP; }

/* Examples that end at different times keep their carries from then on: with a mapped predicate, all carries
 * are mapped but those that never change. */
static bool mark_kept(const Flow *body, bool *results, uint32_t n, uint32_t n_invariant)
{
    bool grown = false;
    for (uint32_t i = 0; i < n; i++) {
        if (results[i] || body->graph->outputs[i] == body->graph->params[n_invariant + i]) continue;
        grown = results[i] = true;
    }
    return grown;
}

/* A tangent is mapped where its value is: that of an operand, and that of a result, which so may become
 * mapped itself. */
static void mark_custom_jvp(const Flow *f, const Node *n, bool *results)
{
    Flow *rule = flow_region(f, n, 1);
    bool *params = flow_args(f, n, n->n_args);
    uint32_t tangent = n->n_args;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (dtype_is_float((DType)graph_type(f->graph, n->args[i]).dtype)) params[tangent++] = params[i];
    flow_update(rule, params);
    flow_add_outputs(rule, results, n->n_results);
    tangent = n->n_results;
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_float((DType)node_result(n, i).dtype)) results[i] |= flow_output(rule, tangent++);
}

/* Cotangents come for each example apart: all are mapped alike. */
static void mark_backward(Flow *backward, const bool *known, uint32_t n_known, bool any)
{
    uint32_t n = backward->graph->n_params;
    bool *params = arena_alloc(backward->arena, n + 1u);
    memcpy(params, known, n_known);
    memset(params + n_known, any, n - n_known);
    flow_update(backward, params);
}

static void mark_custom_vjp(const Flow *f, const Node *n, bool any)
{
    Flow *forward = flow_region(f, n, 1);
    flow_update(forward, flow_args(f, n, 0));
    mark_backward(flow_region(f, n, 2), flow_outputs(forward) + n->n_results,
                  forward->graph->n_outputs - n->n_results, any);
}

/* The rule takes every operand with the batch axis. */
static void mark_custom_vmap(const Flow *f, const Node *n, bool any)
{
    flow_update(flow_region(f, n, 0), memset(flow_args(f, n, 0), any, n->n_args + 1u));
}

static bool mark_more(Flow *f, const Node *n, bool any, bool *results)
{
    switch (n->op) {
    case OP_WHILE:
        return flow_output(flow_region(f, n, 0), 0) &&
               mark_kept(flow_region(f, n, 1), results, n->n_results, (uint32_t)n->attr[0]);
    case OP_CASE: any = flow_arg(f, n, 0); break;
    case OP_BACKWARD:
        mark_backward(flow_region(f, n, 0), flow_args(f, n, 0), (uint32_t)n->attr[0], any);
        break;
    case OP_CUSTOM_VJP:  mark_custom_vjp(f, n, any); break;
    case OP_CUSTOM_VMAP: mark_custom_vmap(f, n, any); break;
    case OP_CUSTOM_JVP:  mark_custom_jvp(f, n, results); return false;
    default:             return false; /* SCAN CHECKPOINT */
    }
    for (uint32_t i = 0; i < n->n_results; i++) results[i] |= any;
    return false;
}

const FlowRule vmap_flow = { .follows = runs_on_arrays, .more = mark_more };
