/* jvp_marks.c: what has a tangent: what forward mode adds to graph/flow.h. A value has one if it is of a
 * float type and an op with a derivative makes it of one that has. */
#include "jvp_rules.h"

static bool runs_regions(Op op)
{
    return op == OP_WHILE || op == OP_CASE || op == OP_SCAN || op == OP_MAP || op == OP_CUSTOM_VMAP ||
           op == OP_CHECKPOINT;
}

static bool has_derivative(const Node *n, uint32_t result, uint32_t operand)
{
    if (jvp_is_constant((Op)n->op)) return false;
    if (n->op == OP_SORT) return result == operand;
    return n->op != OP_SELECT_AND_SCATTER || operand > 0; /* the first only chooses */
}

const FlowRule jvp_flow = { .follows = runs_regions, .depends = has_derivative, .floats = true };
