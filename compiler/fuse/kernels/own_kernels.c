/* own_kernels.c: which ops have kernels of their own, and whose rules make them. */
#include "own_kernels.h"
#include <assert.h>

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

bool update_has_small_gaps(Type t, Type update)
{
    int64_t run = 1;
    int d = t.rank;
    while (d > 0 && update.dim[d - 1] == t.dim[d - 1]) run *= t.dim[--d];
    return d > 1 && run * t.dim[d - 1] < SHORTEST_COPY;
}

/* Is it known which part an update writes, and is that no small one? Then it is computed at points, in
 * pieces: in one pass, and each part where it is written. */
static bool is_known_and_large(const Graph *g, const Node *n)
{
    if (n->op != OP_DYNAMIC_UPDATE_SLICE) return false;
    for (uint32_t i = 2; i < n->n_args; i++)
        if (g->nodes[n->args[i]].op != OP_CONSTANT) return false;
    Type update = graph_type(g, n->args[1]);
    return type_count(update) > type_count(node_type(n)) / SMALL_PART &&
           !update_has_small_gaps(node_type(n), update);
}

/* Does an update write into memory? Its result is an output, or its operand has memory already or was updated
 * often before. The rest of the operand is copied there, or is there already. Else it is a choice at each
 * point. */
static bool writes_memory(const Graph *g, Ref r)
{
    return (is_output(g, r) && !is_known_and_large(g, &g->nodes[r])) ||
           g->nodes[g->nodes[r].args[0]].op == OP_SCATTER ||
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

/* The cases of the elementwise ops, from the table of ops. The switch has no default, so that the compiler
 * names each op of another kind that has no case. */
#define EW(NAME, ...) case OP_##NAME:
#define OP(NAME, ...)

bool has_own_kernels(const Graph *g, Ref r)
{
    switch ((Op)g->nodes[r].op) {
    case OP_WHILE:
    case OP_SCAN:                 return point_control(g, r);
    case OP_CUMULATIVE:
    case OP_SCATTER:
    case OP_SORT:                 return true;
    case OP_DYNAMIC_UPDATE_SLICE: return writes_memory(g, r);
#include "compiler/graph/ops.def"
    case OP_PARAMETER:
    case OP_CONSTANT:
    case OP_IOTA:
    case OP_BROADCAST:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_SLICE:
    case OP_REVERSE:
    case OP_PAD:
    case OP_CONCATENATE:
    case OP_REDUCE:
    case OP_ARGMAX:
    case OP_ARGMIN:
    case OP_REDUCE_REGION:
    case OP_DOT:
    case OP_CONVOLUTION:
    case OP_GATHER:
    case OP_DYNAMIC_SLICE:
    case OP_REDUCE_WINDOW:
    case OP_SELECT_AND_SCATTER:
    case OP_MAP:
    case OP_CASE:
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:
    case OP_BACKWARD:
    case OP_FOREIGN:
    case OP_BARRIER:
    case OP_RNG_BITS:
    case OP_RESULT:
    case OP_COUNT:              return false;
    }
    return false;
}

OwnKernels own_kernels_of(const Graph *g, const Target *target, Ref r, Buffer temps[MAX_OWN_TEMPS])
{
    Op op = (Op)g->nodes[r].op;
    if (op == OP_SORT) return sort_kernels(g, target, r, temps);
    bool chained = op == OP_DYNAMIC_UPDATE_SLICE || op == OP_SCATTER;
    uint32_t updates = chained ? own_kernels_updates(g, r, (Ref[MAX_OWN_KERNELS]){ 0 }) : 0;
    return (OwnKernels){ .n_kernels = 1 + updates };
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
    default:                      assert(0 && "it has no kernels of its own");
    }
}

bool own_kernel_call(const Build *b, Ref r, const OwnKernels *own, ProgramStep *call)
{
    return node_of(b, r)->op == OP_SORT && sort_call(b, r, own, call);
}
