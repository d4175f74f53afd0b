/* special.c: which ops have kernels of their own, and whose rules make them: see special.h. */
#include "special.h"
#include "point_parts.h"

/* An update of an array that has memory afterwards, or had it changed before: the rest of it is copied, or stays where it is. */
static bool keeps_the_rest(const Graph *g, Ref r)
{
    Op before = (Op)g->nodes[g->nodes[r].args[0]].op;
    for (uint32_t i = 0; i < g->n_outputs; i++) if (g->outputs[i] == r) return true;
    return before == OP_DYNAMIC_UPDATE_SLICE || before == OP_SCATTER;
}

bool is_special(const Graph *g, Ref r)
{
    switch ((Op)g->nodes[r].op) {
    case OP_WHILE: case OP_SCAN: return point_control(g, r);
    case OP_CUMULATIVE: case OP_SCATTER: case OP_SORT: return true;
    case OP_DYNAMIC_UPDATE_SLICE: return keeps_the_rest(g, r);
    default: return false;
    }
}

Special special_of(const Graph *g, Ref r)
{
    const Node *n = &g->nodes[r];
    switch ((Op)n->op) {
    case OP_DYNAMIC_UPDATE_SLICE: return (Special){ .n_kernels = 2 };
    case OP_SCATTER: return (Special){ .n_kernels = 2, .whole_results = n->n_results > 1 };
    case OP_SORT: return sort_special(g, r);
    default: return (Special){ .n_kernels = 1 };
    }
}

void special_kernel(Build *b, Ref r, const Special *s, uint32_t which)
{
    switch ((Op)node_of(b, r)->op) {
    case OP_WHILE: case OP_SCAN: control_kernel(b, r); break;
    case OP_CUMULATIVE: cumulative_kernel(b, r); break;
    case OP_SCATTER: scatter_kernel(b, r, which); break;
    case OP_DYNAMIC_UPDATE_SLICE: update_slice_kernel(b, r, which); break;
    case OP_SORT: sort_kernel(b, r, s); break;
    default: break;
    }
}

uint32_t special_calls(const Build *b, Ref r, const Special *s, uint32_t which, ProgramStep *calls)
{
    (void)which;
    return node_of(b, r)->op == OP_SORT ? sort_calls(b, r, s, calls) : 0;
}
