/* special.c: which ops have kernels of their own, and whose rules make them: see special.h. */
#include "special.h"
#include "compiler/fuse/point/point_parts.h"

static bool is_output(const Graph *g, Ref r)
{
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == r) return true;
    return false;
}

/* Updates behind each other, r the last of them: down to what is no update. At most `most`. */
static uint32_t updates_below(const Graph *g, Ref r, uint32_t most)
{
    uint32_t n = 0;
    for (; n < most && g->nodes[r].op == OP_DYNAMIC_UPDATE_SLICE; n++) r = g->nodes[r].args[0];
    return n;
}

/* An update of an array that has memory afterwards, or was changed often before: the rest of it is copied, or
 * stays where it is. */
static bool keeps_the_rest(const Graph *g, Ref r)
{
    return is_output(g, r) || g->nodes[g->nodes[r].args[0]].op == OP_SCATTER ||
           updates_below(g, r, MAX_SPECIAL_KERNELS) == MAX_SPECIAL_KERNELS;
}

uint32_t special_updates(const Graph *g, Ref r, Ref update[MAX_SPECIAL_KERNELS])
{
    uint32_t n = 0;
    bool several = g->nodes[r].n_results > 1;
    do update[n++] = r, r = g->nodes[r].args[0];
    while (!several && n < MAX_SPECIAL_KERNELS - 1 && g->nodes[r].op == OP_DYNAMIC_UPDATE_SLICE &&
           !is_special(g, r));
    return n;
}

bool is_special(const Graph *g, Ref r)
{
    switch ((Op)g->nodes[r].op) {
    case OP_WHILE:
    case OP_SCAN:                 return point_control(g, r);
    case OP_CUMULATIVE:
    case OP_SCATTER:
    case OP_SORT:                 return true;
    case OP_DYNAMIC_UPDATE_SLICE: return keeps_the_rest(g, r);
    default:                      return false;
    }
}

Special special_of(const Graph *g, Ref r)
{
    const Node *n = &g->nodes[r];
    switch ((Op)n->op) {
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_SCATTER:
        return (Special){ .n_kernels = 1 + special_updates(g, r, (Ref[MAX_SPECIAL_KERNELS]){ 0 }),
                          .whole_results = n->n_results > 1 };
    case OP_SORT: return sort_special(g, r);
    default:      return (Special){ .n_kernels = 1 };
    }
}

void special_kernel(Build *b, Ref r, const Special *s, uint32_t which)
{
    switch ((Op)node_of(b, r)->op) {
    case OP_WHILE:
    case OP_SCAN:                 control_kernel(b, r); break;
    case OP_CUMULATIVE:           cumulative_kernel(b, r); break;
    case OP_SCATTER:
    case OP_DYNAMIC_UPDATE_SLICE: updates_kernel(b, r, which); break;
    case OP_SORT:                 sort_kernel(b, r, s); break;
    default:                      break;
    }
}

uint32_t special_calls(const Build *b, Ref r, const Special *s, uint32_t which, ProgramStep *calls)
{
    (void)which;
    return node_of(b, r)->op == OP_SORT ? sort_calls(b, r, s, calls) : 0;
}
