/* collapse.c: which adjacent axes of a result may be walked by one loop.
 *
 * Axes a and a + 1 of a node collapse if everything fused into it moves through its operands along both as
 * one row-major run; then the loop's index i stands for both, as the index pair (0, i): addresses come out
 * right, for the stride of a is the size of a + 1 times that of a + 1. What looks at the indices themselves
 * (iota, pad, gather, comparisons of positions) does not collapse.
 */
#include "compiler/graph/infer/infer.h"
#include "compiler/fuse/point/point.h"

typedef struct Query {
    Ref node;
    int axis;
    struct Query *next;
} Query;
enum { SEEN_SLOTS = 64 };
typedef struct Collapse {
    const Build *b;
    Query *stack;
    Query *seen[SEEN_SLOTS];
} Collapse;

static void ask(Collapse *w, Ref n, int64_t axis)
{
    for (Query *q = w->seen[(n * 31u + (uint32_t)axis) % SEEN_SLOTS]; q; q = q->next)
        if (q->node == n && q->axis == (int)axis) return;
    Query *seen = arena_alloc(w->b->arena, 2 * sizeof *seen), *todo = seen + 1;
    Query **slot = &w->seen[(n * 31u + (uint32_t)axis) % SEEN_SLOTS];
    *seen = (Query){ n, (int)axis, *slot };
    *slot = seen;
    *todo = (Query){ n, (int)axis, w->stack };
    w->stack = todo;
}

/* Operand axes that hold result axes a and a + 1 of a reshape, if each is an axis of its own there. */
static bool reshape_axes(Type from, Type to, int a, int64_t *axis, bool *merged)
{
    int i = 0, j = 0;
    int64_t first = -1;
    *merged = false;
    while (i < to.rank || j < from.rank) {
        int i0 = i, j0 = j;
        int64_t p = i < to.rank ? to.dim[i++] : 1, q = j < from.rank ? from.dim[j++] : 1;
        while (p != q) {
            if (p < q && i < to.rank) p *= to.dim[i++];
            else if (j < from.rank) q *= from.dim[j++];
            else return false;
        }
        bool one = i - i0 == 1 && j - j0 == 1;
        if (i0 <= a && a + 1 < i) {
            *merged = j - j0 == 1;
            return *merged;
        }
        if (one && i0 == a) first = j0;
        if (one && i0 == a + 1) {
            *axis = first;
            return first >= 0 && j0 == first + 1;
        }
    }
    return false;
}

static bool kept_axes(const int64_t *reduced, int64_t n, int rank, int a, int64_t *axis)
{
    int64_t out = 0, at[2] = { -1, -1 };
    for (int64_t d = 0, k = 0; d < rank; d++) {
        if (k < n && reduced[k] == d) {
            k++;
            continue;
        }
        if (out == a) at[0] = d;
        if (out == a + 1) at[1] = d;
        out++;
    }
    *axis = at[0];
    return at[0] >= 0 && at[1] == at[0] + 1;
}

/* The operand's axis that result axis a of a dot comes from, -1 if from the other operand; batch axes are in
 * both. */
static int64_t dot_axis(const Graph *g, const Node *n, int side, int a)
{
    int64_t nb = n->attr[0], nc = n->attr[1];
    const int64_t *batch = n->attr + 2 + side * nb, *contract = n->attr + 2 + 2 * nb + side * nc;
    if (a < nb) return batch[a];
    int64_t left_free = g->nodes[n->args[0]].rank - nb - nc, out = side ? nb + left_free : nb;
    for (int64_t d = 0; d < g->nodes[n->args[side]].rank; d++)
        if (!lists(batch, nb, d) && !lists(contract, nc, d) && out++ == a) return d;
    return -1;
}

static bool dot_collapses(Collapse *w, const Node *n, int a)
{
    for (int side = 0; side < 2; side++) {
        int64_t x = dot_axis(w->b->graph, n, side, a), y = dot_axis(w->b->graph, n, side, a + 1);
        if (x < 0 && y < 0) continue;
        if (x < 0 || y != x + 1) return false;
        ask(w, n->args[side], x);
    }
    return true;
}

static bool slice_collapses(Collapse *w, const Node *n, Type t, int a)
{
    int r = t.rank;
    const int64_t *start = n->attr, *stride = n->attr + 2 * r;
    if (stride[a] != 1 || stride[a + 1] != 1 || start[a + 1] != 0 || n->dim[a + 1] != t.dim[a + 1])
        return false;
    ask(w, n->args[0], a);
    return true;
}

static bool broadcast_collapses(Collapse *w, const Node *n, Type t, int a)
{
    int64_t at[2] = { -1, -1 };
    for (int d = 0; d < t.rank; d++)
        for (int k = 0; k < 2; k++)
            if (n->attr[d] == a + k && t.dim[d] == n->dim[a + k]) at[k] = d;
    if (at[0] < 0 && at[1] < 0) return true;
    if (at[0] < 0 || at[1] != at[0] + 1) return false;
    ask(w, n->args[0], at[0]);
    return true;
}

/* A slice from a start that is data: the start is added to axis a alone if the next is taken whole. */
static bool dynamic_collapses(Collapse *w, const Node *n, const int64_t *sizes, Type t, int a)
{
    if (sizes[a + 1] != t.dim[a + 1]) return false;
    ask(w, n->args[0], a);
    return true;
}

/* Windows of one element where it is. */
static bool window_collapses(Collapse *w, const Node *n, Type t, int a)
{
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, t.rank);
    for (int k = a; k <= a + 1; k++)
        if (d.size[k] != 1 || d.stride[k] != 1 || d.base_dilation[k] != 1 || d.low[k] || d.high[k])
            return false;
    for (uint32_t i = 0; i < n->n_args / 2; i++) ask(w, n->args[i], a);
    return true;
}

/* An update that is as large as its operand along both axes. */
static bool update_collapses(Collapse *w, const Node *n, Type t, int a)
{
    Type update = node_type(&w->b->graph->nodes[n->args[1]]);
    if (update.dim[a] != t.dim[a] || update.dim[a + 1] != t.dim[a + 1]) return false;
    ask(w, n->args[0], a);
    ask(w, n->args[1], a);
    return true;
}

static bool result_collapses(Collapse *w, const Node *n, int a)
{
    Op of = (Op)w->b->graph->nodes[n->args[0]].op;
    if (of != OP_MAP && of != OP_REDUCE_WINDOW) return false;
    ask(w, n->args[0], a);
    return true;
}

static bool ask_all(Collapse *w, const Node *n, int64_t axis)
{
    for (uint32_t i = 0; i < n->n_args; i++)
        if (w->b->graph->nodes[n->args[i]].rank == n->rank) ask(w, n->args[i], axis);
    return true;
}

/* One step: asks about the operands; false if n itself keeps the axes apart. */
static bool step(Collapse *w, Ref ref, int a)
{
    const Node *n = &w->b->graph->nodes[ref];
    const NodePlan *p = &w->b->plan[ref];
    int64_t axis;
    bool merged;
    if (n->op == OP_PARAMETER || n->op == OP_CONSTANT ||
        (p->materialized && !p->in_passing && p->round.kernel != w->b->number))
        return true;
    Type t = n->n_args ? node_type(&w->b->graph->nodes[n->args[0]]) : (Type){ 0, 0, NULL };
    switch ((Op)n->op) {
    case OP_IOTA:      return n->attr[0] != a && n->attr[0] != a + 1;
    case OP_BROADCAST: return broadcast_collapses(w, n, t, a);
    case OP_TRANSPOSE:
        if (n->attr[a + 1] != n->attr[a] + 1) return false;
        ask(w, n->args[0], n->attr[a]);
        return true;
    case OP_SLICE: return slice_collapses(w, n, t, a);
    case OP_REVERSE:
        if (lists(n->attr, n->n_attr, a) || lists(n->attr, n->n_attr, a + 1)) return false;
        ask(w, n->args[0], a);
        return true;
    case OP_PAD:
        for (int d = a; d <= a + 1; d++)
            if (n->attr[d] || n->attr[t.rank + d] || n->attr[2 * t.rank + d]) return false;
        ask(w, n->args[0], a);
        return true;
    case OP_CONCATENATE: return n->attr[0] != a && n->attr[0] != a + 1 && ask_all(w, n, a);
    case OP_RESHAPE:
        if (!reshape_axes(t, node_type(n), a, &axis, &merged)) return false;
        if (!merged) ask(w, n->args[0], axis);
        return true;
    case OP_REDUCE:
        if (!kept_axes(n->attr + 1, n->n_attr - 1, t.rank, a, &axis)) return false;
        ask(w, n->args[0], axis);
        return true;
    case OP_ARGMAX:
    case OP_ARGMIN:
        if (!kept_axes(n->attr, 1, t.rank, a, &axis)) return false;
        ask(w, n->args[0], axis);
        return true;
    case OP_DOT:                  return dot_collapses(w, n, a);
    case OP_BITCAST:              return t.rank == n->rank && ask_all(w, n, a);
    case OP_DYNAMIC_SLICE:        return dynamic_collapses(w, n, n->attr, t, a);
    case OP_DYNAMIC_UPDATE_SLICE: return update_collapses(w, n, t, a);
    case OP_REDUCE_WINDOW:        return window_collapses(w, n, t, a);
    case OP_MAP:                  return ask_all(w, n, a);
    case OP_RESULT:               return result_collapses(w, n, a);
    default:                      return op_is_ew((Op)n->op) && ask_all(w, n, a);
    }
}

bool point_collapses(const Build *b, Ref n, int a)
{
    Collapse w = { .b = b };
    ask(&w, n, a);
    while (w.stack) {
        Query *q = w.stack;
        w.stack = q->next;
        if (!step(&w, q->node, q->axis)) return false;
    }
    return true;
}

int point_run_axis(Type t, int first, int last)
{
    while (last > first && t.dim[last] == 1) last--;
    return last;
}
