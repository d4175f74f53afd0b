/* vmap_marks.c: which values depend on a mapped parameter: what batching adds to graph/flow.h. */
#include "vmap_rules.h"

/* All CONTROL but MAP, whose region is of scalars. */
static bool runs_on_arrays(Op op) { return op_kind(op) == OPKIND_CONTROL && op != OP_MAP; }

typedef bool MarkRule(Flow *, const Node *, bool any, bool *results);

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
static bool mark_custom_jvp(Flow *f, const Node *n, bool any, bool *results)
{
    (void)any;
    Flow *rule = flow_region(f, n, 1);
    bool *params = flow_args(f, n, n->n_args);
    uint32_t tangent = n->n_args;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (dtype_is_inexact((DType)graph_type(f->graph, n->args[i]).dtype)) params[tangent++] = params[i];
    flow_update(rule, params);
    flow_add_outputs(rule, results, n->n_results);
    tangent = n->n_results;
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_inexact((DType)node_result(n, i).dtype)) results[i] |= flow_output(rule, tangent++);
    return false;
}

/* Cotangents come for each example apart: all are mapped alike. */
static void mark_cotangents(Flow *backward, const bool *known, uint32_t n_known, bool any)
{
    uint32_t n = backward->graph->n_params;
    bool *params = arena_alloc(backward->arena, n + 1u);
    memcpy(params, known, n_known);
    memset(params + n_known, any, n - n_known);
    flow_update(backward, params);
}

static bool mark_results(const Node *n, bool any, bool *results)
{
    for (uint32_t i = 0; i < n->n_results; i++) results[i] |= any;
    return false;
}

static bool mark_custom_vjp(Flow *f, const Node *n, bool any, bool *results)
{
    Flow *forward = flow_region(f, n, 1);
    flow_update(forward, flow_args(f, n, 0));
    mark_cotangents(flow_region(f, n, 2), flow_outputs(forward) + n->n_results,
                    forward->graph->n_outputs - n->n_results, any);
    return mark_results(n, any, results);
}

static bool mark_backward(Flow *f, const Node *n, bool any, bool *results)
{
    mark_cotangents(flow_region(f, n, 0), flow_args(f, n, 0), (uint32_t)n->attr[0], any);
    return mark_results(n, any, results);
}

/* The rule takes every operand with the batch axis. */
static bool mark_custom_vmap(Flow *f, const Node *n, bool any, bool *results)
{
    flow_update(flow_region(f, n, 0), memset(flow_args(f, n, 0), any, n->n_args + 1u));
    return mark_results(n, any, results);
}

static bool mark_while(Flow *f, const Node *n, bool any, bool *results)
{
    (void)any;
    return flow_output(flow_region(f, n, 0), 0) &&
           mark_kept(flow_region(f, n, 1), results, n->n_results, (uint32_t)n->attr[0]);
}

/* With an index of each example, all results are mapped. */
static bool mark_case(Flow *f, const Node *n, bool any, bool *results)
{
    (void)any;
    return mark_results(n, flow_arg(f, n, 0), results);
}

/* These mark no more than what the region gives. */
#define mark_scan       NULL
#define mark_map        NULL
#define mark_checkpoint NULL

static MarkRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)
#define OP(NAME, text, args, kind, rule, ...) IF_CONTROL(kind, [OP_##NAME] = mark_##rule, )
#include "compiler/graph/ops.def"
};

static bool mark_more(Flow *f, const Node *n, bool any, bool *results)
{
    return rules[n->op] && rules[n->op](f, n, any, results);
}

const FlowRule vmap_flow = { .follows = runs_on_arrays, .more = mark_more };
