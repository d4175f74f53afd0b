/* check.c: verifies the invariants that graph.h lists, one loop over the nodes; regions are graphs of their
 * own and checked as such. */
#include "check.h"
#include "compiler/graph/infer/infer.h"
#include <string.h>

enum { TYPES_AT_ONCE = 256 };

static bool blame(const Graph *g, Ref r, Failure *f, const char *what)
{
    return fail(f, WEFT_ARGUMENT, "node %u (%s): %s", (unsigned)r, op_info[g->nodes[r].op].name, what);
}

static bool check_operand(const Graph *g, Ref r, Ref arg, Failure *f)
{
    const Node *n = &g->nodes[r];
    if (arg >= r)
        return fail(f, WEFT_ARGUMENT, "node %u (%s): operand %u does not come before it", (unsigned)r,
                    op_info[n->op].name, (unsigned)arg);
    if (n->op == OP_RESULT && g->nodes[arg].n_results < 2)
        return blame(g, r, f, "result of a node that has one only");
    if (n->op != OP_RESULT && g->nodes[arg].n_results > 1)
        return blame(g, r, f, "uses several results as one");
    if (n->op == OP_RESULT && (n->attr[0] < 0 || n->attr[0] >= g->nodes[arg].n_results))
        return blame(g, r, f, "no such result");
    return true;
}

/* The type that the operand has for this user. */
static Type operand_type(const Graph *g, const Node *user, Ref arg)
{
    const Node *n = &g->nodes[arg];
    return user->op == OP_RESULT ? n->results[user->attr[0]] : node_type(n);
}

/* A concatenation of more operands than fit on the stack: each against the first, and the sum of their
 * sizes. */
static bool check_long_concatenation(const Graph *g, Ref r, Failure *f)
{
    const Node *n = &g->nodes[r];
    if (n->op != OP_CONCATENATE || n->n_attr != 1) return blame(g, r, f, "too many operands");
    if (n->rank != g->nodes[n->args[0]].rank) return blame(g, r, f, "type is not what its rule says");
    int64_t axis = n->attr[0], sum = 0;
    for (uint32_t i = 0; i < n->n_args; i++) {
        NodeSpec s = { .op = OP_CONCATENATE, .n_args = 2, .attr = n->attr, .n_attr = 1 };
        Type pair[] = { graph_type(g, n->args[0]), graph_type(g, n->args[i]) };
        Inferred t;
        Failure broken = { 0 };
        if (!infer(&s, pair, &t, &broken)) return blame(g, r, f, broken.text);
        sum += pair[1].dim[axis];
        t.dim[axis] = n->dim[axis];
        if (!type_equal(t.type[0], node_type(n))) return blame(g, r, f, "type is not what its rule says");
    }
    return sum == n->dim[axis] || blame(g, r, f, "size is not the sum of its operands'");
}

static bool check_type(const Graph *g, Ref r, Failure *f)
{
    const Node *n = &g->nodes[r];
    Type types[TYPES_AT_ONCE];
    if (n->n_args > TYPES_AT_ONCE)
        return op_kind((Op)n->op) == OPKIND_CONTROL || check_long_concatenation(g, r, f);
    for (uint32_t i = 0; i < n->n_args; i++) types[i] = operand_type(g, n, n->args[i]);
    NodeSpec s = node_spec(n);
    Inferred t;
    Failure broken = { 0 };
    if (!infer(&s, types, &t, &broken)) return blame(g, r, f, broken.text);
    if ((uint32_t)t.n_results != n->n_results) return blame(g, r, f, "wrong number of results");
    for (int i = 0; i < t.n_results; i++)
        if (!type_equal(t.type[i], n->n_results > 1 ? n->results[i] : node_type(n)))
            return blame(g, r, f, "type is not what its rule says");
    return t.n_results == 1 || type_equal(t.type[0], node_type(n)) ||
           blame(g, r, f, "first result's type is not the node's");
}

static bool check_node(const Graph *g, Ref r, Failure *f)
{
    const Node *n = &g->nodes[r];
    if (n->op >= OP_COUNT) return fail(f, WEFT_ARGUMENT, "node %u: no op has number %d", (unsigned)r, n->op);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (!check_operand(g, r, n->args[i], f)) return false;
    if (!check_type(g, r, f)) return false;
    if (n->op == OP_PARAMETER && (n->attr[0] >= g->n_params || g->params[n->attr[0]] != r))
        return blame(g, r, f, "is not the parameter of its number");
    if (n->loc && n->loc >= g->n_locs) return blame(g, r, f, "source place is not in the table");
    if (graph_find(g, r) != r) return blame(g, r, f, "an equal node exists");
    for (uint32_t i = 0; i < n->n_regions; i++) {
        Failure inside = { 0 };
        if (!graph_check(n->regions[i], &inside)) return blame(g, r, f, inside.text);
    }
    return true;
}

static bool check_refs(const Graph *g, const Ref *refs, uint32_t n, const char *what, Failure *f)
{
    for (uint32_t i = 0; i < n; i++) {
        if (refs[i] >= g->n_nodes)
            return fail(f, WEFT_ARGUMENT, "%s %u is node %u of %u", what, (unsigned)i, (unsigned)refs[i],
                        (unsigned)g->n_nodes);
        if (g->nodes[refs[i]].n_results > 1)
            return fail(f, WEFT_ARGUMENT, "%s %u has several results", what, (unsigned)i);
    }
    return true;
}

bool graph_check(const Graph *g, Failure *f)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (!check_node(g, r, f)) return false;
    if (!check_refs(g, g->params, g->n_params, "parameter", f) ||
        !check_refs(g, g->outputs, g->n_outputs, "output", f))
        return false;
    for (uint32_t i = 0; i < g->n_params; i++) {
        const Node *n = &g->nodes[g->params[i]];
        if (n->op != OP_PARAMETER || n->attr[0] != i)
            return fail(f, WEFT_ARGUMENT, "parameter %u is another node", (unsigned)i);
    }
    return true;
}
