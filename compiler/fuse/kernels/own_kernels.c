/* own_kernels.c: which ops have kernels of their own, and whose rules make them. */
#include "own_kernels.h"

static bool is_output(const Graph *g, Ref r)
{
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == r) return true;
    return false;
}

/* How many DYNAMIC_UPDATE_SLICEs stand one behind the other, r the last; it stops counting at `most`. */
static uint32_t updates_below(const Graph *g, Ref r, uint32_t most)
{
    uint32_t n = 0;
    for (; n < most && g->nodes[r].op == OP_DYNAMIC_UPDATE_SLICE; n++) r = g->nodes[r].args[0];
    return n;
}

/* Does an update write into memory? Its result is an output, or its operand has memory already or was updated
 * often before. The rest of the operand is copied there, or is there already. Else it is a choice at each
 * point. */
static bool writes_memory(const Graph *g, Ref r)
{
    return is_output(g, r) || g->nodes[g->nodes[r].args[0]].op == OP_SCATTER ||
           updates_below(g, r, MAX_OWN_KERNELS) == MAX_OWN_KERNELS;
}

uint32_t own_kernels_updates(const Graph *g, Ref r, Ref update[MAX_OWN_KERNELS])
{
    uint32_t n = 0;
    bool several = g->nodes[r].n_results > 1;
    do update[n++] = r, r = g->nodes[r].args[0];
    while (!several && n < MAX_OWN_KERNELS - 1 && g->nodes[r].op == OP_DYNAMIC_UPDATE_SLICE &&
           !has_own_kernels(g, r));
    return n;
}

bool has_own_kernels(const Graph *g, Ref r)
{
    switch ((Op)g->nodes[r].op) {
    case OP_WHILE:
    case OP_SCAN:                 return point_control(g, r);
    case OP_CUMULATIVE:
    case OP_SCATTER:
    case OP_SORT:                 return true;
    case OP_DYNAMIC_UPDATE_SLICE: return writes_memory(g, r);
    default:                      return false;
    }
}

OwnKernels own_kernels_of(const Graph *g, Ref r, Buffer temps[MAX_OWN_TEMPS])
{
    switch ((Op)g->nodes[r].op) {
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_SCATTER:
        return (OwnKernels){ .n_kernels = 1 + own_kernels_updates(g, r, (Ref[MAX_OWN_KERNELS]){ 0 }) };
    case OP_SORT: return sort_kernels(g, r, temps);
    default:      return (OwnKernels){ .n_kernels = 1 };
    }
}

bool own_kernels_need_buffers(const Graph *g, Ref r)
{
    const Node *n = &g->nodes[r];
    return n->op == OP_SORT || (n->op == OP_SCATTER && n->n_results > 1);
}

void own_kernel(Build *b, Ref r, const OwnKernels *own, uint32_t which)
{
    switch ((Op)node_of(b, r)->op) {
    case OP_WHILE:
    case OP_SCAN:                 control_kernel(b, r); break;
    case OP_CUMULATIVE:           cumulative_kernel(b, r); break;
    case OP_SCATTER:
    case OP_DYNAMIC_UPDATE_SLICE: updates_kernel(b, r, which); break;
    case OP_SORT:                 sort_kernel(b, r, own); break;
    default:                      break;
    }
}

bool own_kernel_call(const Build *b, Ref r, const OwnKernels *own, ProgramStep *call)
{
    return node_of(b, r)->op == OP_SORT && sort_call(b, r, own, call);
}
