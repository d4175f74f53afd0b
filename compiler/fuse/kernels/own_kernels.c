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

/* The last axis that an update does not fill; -1: there is none. */
static int gap_axis(Type t, Type update)
{
    int d = t.rank - 1;
    while (d >= 0 && update.dim[d] == t.dim[d]) d--;
    return d;
}

/* Elements in a row of which an update writes some, if these rows stand in others; else 0. */
static int64_t row_with_gaps(Type t, Type update)
{
    int64_t row = 1;
    int axis = gap_axis(t, update);
    for (int d = axis; d > 0 && d < t.rank; d++) row *= t.dim[d];
    return axis > 0 ? row : 0;
}

bool update_has_small_gaps(Type t, Type update)
{
    int64_t row = row_with_gaps(t, update);
    return row && row < SHORTEST_COPY;
}

/* Are these rows so short that they are written out? Then all of a row is stored at once. */
static bool gaps_are_written_out(Type t, Type update)
{
    int64_t row = row_with_gaps(t, update);
    return row && row <= MAX_SHORT_AXIS;
}

static bool has_known_starts(const Graph *g, const Node *update)
{
    for (uint32_t i = 2; i < update->n_args; i++)
        if (g->nodes[update->args[i]].op != OP_CONSTANT) return false;
    return true;
}

/* Elements that an update goes over: those between the ones that it writes, too, if they are stored at
 * once. */
static int64_t goes_over(Type t, Type update)
{
    int64_t count = type_count(update);
    int axis = gap_axis(t, update);
    return count && gaps_are_written_out(t, update) ? count / update.dim[axis] * t.dim[axis] : count;
}

/* Is it known which parts this update writes, and those just before it, and are they no small part together?
 * Then they are computed at points, in pieces: in one pass, and each part where it is written. Three time
 * levels of 200 x 200 x 25, last: 3.8 -> 1.3 ms; zeros by quadrants of 2048 x 2048. */
static bool are_known_and_large(const Graph *g, Ref r)
{
    Type t = graph_type(g, r);
    int64_t written = 0;
    for (const Node *n = &g->nodes[r]; n->op == OP_DYNAMIC_UPDATE_SLICE && has_known_starts(g, n);
         n = &g->nodes[n->args[0]]) {
        Type update = graph_type(g, n->args[1]);
        if (update_has_small_gaps(t, update) && !gaps_are_written_out(t, update)) return false;
        written += goes_over(t, update);
    }
    return written > type_count(t) / SMALL_PART;
}

/* Does an update write into memory? Its result is an output, or its operand has memory already or was updated
 * often before. The rest of the operand is copied there, or is there already. Else it is a choice at each
 * point. */
static bool writes_memory(const Graph *g, Ref r)
{
    return (is_output(g, r) && !are_known_and_large(g, r)) ||
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
#include "compiler/graph/matrix/matrix_cases.h"
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
    case OP_FFT:
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
