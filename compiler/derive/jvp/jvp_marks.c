/* jvp_marks.c: what has a tangent: what forward mode adds to graph/flow.h. A value has one if it is of a
 * float type and an op with a derivative makes it of one that has. */
#include "jvp_rules.h"

/* Are regions derived themselves? Of the others, a rule of the user's says what their tangents are. */
#define derived_map         true
#define derived_while       true
#define derived_case        true
#define derived_scan        true
#define derived_custom_jvp  false
#define derived_custom_vjp  false
#define derived_custom_vmap true
#define derived_checkpoint  true
#define derived_backward    false

static const bool derived[OP_COUNT] = {
#define EW(NAME, ...)
#define OP(NAME, text, args, kind, rule, ...) IF_CONTROL(kind, [OP_##NAME] = derived_##rule, )
#include "compiler/graph/ops.def"
};

static bool derives_regions(Op op) { return derived[op]; }

static bool has_derivative(const Node *n, uint32_t result, uint32_t operand)
{
    if (jvp_is_constant((Op)n->op)) return false;
    if (n->op == OP_SORT) return result == operand;
    return n->op != OP_SELECT_AND_SCATTER || operand > 0; /* the first only chooses */
}

const FlowRule jvp_flow = { .follows = derives_regions, .depends = has_derivative, .floats = true };
