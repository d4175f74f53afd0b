/* eager_graph.c: a graph, node by node, in its own order. Each value gets memory when it is computed and
 * loses it after its last use; an output's value is computed in the caller's memory straight away. */
#include "eager.h"

/* Per node. last_use 0: nobody needs it. A node of several results has an array of pointers as its memory;
 * RESULT nodes take theirs out of it. */
typedef struct NodeValue {
    void *memory;
    uint32_t last_use;
    bool owned;
} NodeValue;

typedef struct GraphRun {
    const Graph *g;
    NodeValue *values;
    Type *types; /* of the operands of the node that runs, and their memory */
    const void **args;
    const Allocator *allocator;
    Failure *failure;
} GraphRun;

static void mark_uses(const Graph *g, NodeValue *values)
{
    for (uint32_t k = 0; k < g->n_outputs; k++) values[g->outputs[k]].last_use = g->n_nodes;
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        const Node *n = &g->nodes[i];
        if (!values[i].last_use) continue;
        for (uint32_t k = 0; k < n->n_args; k++)
            if (!values[n->args[k]].last_use) values[n->args[k]].last_use = i;
    }
}

static void release(const GraphRun *run, Ref r)
{
    NodeValue *v = &run->values[r];
    const Node *n = &run->g->nodes[r];
    if (!v->owned) return;
    v->owned = false;
    if (n->n_results > 1) {
        void **results = v->memory;
        for (uint32_t i = 0; i < n->n_results; i++)
            eager_drop(run->allocator, results[i], eager_bytes(n->results[i]));
        eager_drop(run->allocator, results, n->n_results * sizeof *results);
    } else {
        eager_drop(run->allocator, v->memory, eager_bytes(node_type(n)));
    }
}

static bool own(const GraphRun *run, Ref r, size_t bytes)
{
    NodeValue *v = &run->values[r];
    v->memory = eager_take(run->allocator, bytes, run->failure);
    return v->owned = v->memory != NULL;
}

static bool own_results(const GraphRun *run, Ref r)
{
    const Node *n = &run->g->nodes[r];
    if (!own(run, r, n->n_results * sizeof(void *))) return false;
    void **results = memset(run->values[r].memory, 0, n->n_results * sizeof(void *));
    for (uint32_t i = 0; i < n->n_results; i++)
        if (!(results[i] = eager_take(run->allocator, eager_bytes(n->results[i]), run->failure)))
            return false;
    return true;
}

static void take_result(const GraphRun *run, Ref r)
{
    const Node *n = &run->g->nodes[r];
    void **results = run->values[n->args[0]].memory;
    run->values[r] = (NodeValue){ results[n->attr[0]], run->values[r].last_use, true };
    results[n->attr[0]] = NULL;
}

static bool run_node(const GraphRun *run, Ref r)
{
    const Node *n = &run->g->nodes[r];
    if (n->op == OP_RESULT) {
        take_result(run, r);
        return true;
    }
    NodeSpec spec = node_spec(n);
    Type type = node_type(n);
    for (uint32_t k = 0; k < n->n_args; k++) {
        run->types[k] = graph_type(run->g, n->args[k]);
        run->args[k] = run->values[n->args[k]].memory;
    }
    NodeValue *v = &run->values[r];
    bool several = n->n_results > 1;
    if (several ? !own_results(run, r) : !v->memory && !own(run, r, eager_bytes(type))) return false;
    return eager_op(&spec, run->types, run->args, several ? n->results : &type,
                    several ? v->memory : &v->memory, run->allocator, run->failure);
}

/* Parameters are the caller's memory, constants the graph's (unless they must be spread), and what is
 * computed for an output goes there. */
static void bind(const GraphRun *run, const void *const *inputs, void *const *outputs)
{
    const Graph *g = run->g;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (n->op == OP_PARAMETER) run->values[i].memory = (void *)inputs[n->attr[0]];
        if (n->op == OP_CONSTANT && !n->attr[0]) run->values[i].memory = (void *)n->data;
    }
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        NodeValue *v = &run->values[g->outputs[k]];
        if (!v->memory && g->nodes[g->outputs[k]].op != OP_RESULT) v->memory = outputs[k];
    }
}

static bool run_all(const GraphRun *run)
{
    const Graph *g = run->g;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        bool given = n->op == OP_PARAMETER || (n->op == OP_CONSTANT && !n->attr[0]);
        if (!run->values[i].last_use || given) continue;
        if (!run_node(run, i)) return false;
        for (uint32_t k = 0; k < n->n_args; k++)
            if (run->values[n->args[k]].last_use == i) release(run, n->args[k]);
    }
    return true;
}

bool eager_graph(const Graph *g, const void *const *inputs, void *const *outputs, const Allocator *allocator,
                 Failure *f)
{
    uint32_t n_args = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i].n_args > n_args) n_args = g->nodes[i].n_args;
    size_t bytes = g->n_nodes * sizeof(NodeValue) + n_args * (sizeof(Type) + sizeof(void *));
    GraphRun run = {
        .g = g, .values = eager_take(allocator, bytes, f), .allocator = allocator, .failure = f
    };
    if (!run.values) return false;
    run.types = (Type *)(run.values + g->n_nodes);
    run.args = (const void **)(run.types + n_args);
    memset(run.values, 0, bytes);
    mark_uses(g, run.values);
    bind(&run, inputs, outputs);
    bool ok = run_all(&run);
    for (uint32_t k = 0; ok && k < g->n_outputs; k++) {
        const void *value = run.values[g->outputs[k]].memory;
        if (value != outputs[k])
            eager_copy_bytes(outputs[k], value, eager_bytes(graph_type(g, g->outputs[k])));
    }
    for (uint32_t i = 0; i < g->n_nodes; i++) release(&run, i);
    eager_drop(allocator, run.values, bytes);
    return ok;
}
