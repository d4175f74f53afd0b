/* collapse.c: which adjacent axes of a result may be walked by one loop.
 *
 * Axes a and a + 1 of a node collapse if everything fused into it moves through its operands along both as
 * one row-major run; then the loop's index i stands for both, as the index pair (0, i): addresses come out
 * right, for the stride of a is the size of a + 1 times that of a + 1. What looks at the indices themselves
 * (iota, pad, gather, comparisons of positions) does not collapse.
 *
 * A result may be walked by the axes of a FINER shape, too, that of what a reshape below it merges: an image
 * put together of patches by rows of patches, rows in a patch, patches, elements of a patch's row. Then it is
 * asked of axes of that shape, and they hold down to the reshape.
 */
#include "compiler/graph/attributes.h"
#include "compiler/graph/infer/infer.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/point/point.h"

typedef struct Query {
    Ref node;
    int axis; /* of the node; ~axis: of the finer shape */
    struct Query *next;
} Query;
enum { SEEN_SLOTS = 64 };
typedef struct Collapse {
    const Build *b;
    Type finer;
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

static bool ask_all(Collapse *w, const Node *n, int64_t axis)
{
    for (uint32_t i = 0; i < n->n_args; i++)
        if (w->b->graph->nodes[n->args[i]].rank == n->rank) ask(w, n->args[i], axis);
    return true;
}

/* Is axis d so short that whatever looks at the index of the axis before it does so by elements (in_axis)?
 * The colours of an image that is padded. */
static bool is_short(const Node *n, int d) { return n->dim[d] <= MAX_SHORT_RUN; }

/* Result axes a and a + 1 of a reshape are part of one operand axis, or each is one of two neighbours. Where
 * a finer shape is walked they may also end and begin parts of these: elsewhere that would be right, too, but
 * a kernel whose loops have other axes than the next one's shares no rows with it (steps of Euler's equations
 * on 200 x 200: 200 -> 208 us). Before the first of them there may be axes of one element. */
static bool reshape_collapses(Collapse *w, const Node *n, Type from, int a)
{
    Type to = node_type(n);
    for (int i = 0, j = 0; i <= a + 1;) {
        int i0 = i, j0 = j;
        if (!next_axis_group(from, to, &j, &i)) return false;
        if (i0 <= a && a + 1 < i) return j - j0 == 1;
        if (i0 > a || i <= a) continue;
        bool parts = w->finer.rank > 0, alone = i - i0 == 1 && from.dim[j - 1] == to.dim[a],
             single = alone || ((parts || i - i0 == 1) && j - j0 == 1);
        i0 = i;
        j0 = j;
        if (!single || !next_axis_group(from, to, &j, &i) || !(parts || i - i0 == 1) || j - j0 != 1)
            return false;
        ask(w, n->args[0], j0 - 1);
        return true;
    }
    return false;
}

/* Result axes a and a + 1 of a fold over these axes are neighbours in the operand. */
static bool fold_collapses(Collapse *w, const Node *n, const int64_t *folded, int64_t n_folded, int rank,
                           int a)
{
    int out = 0, at[2] = { -1, -1 };
    for (int d = 0; d < rank; d++) {
        if (lists(folded, n_folded, d)) continue;
        if (out == a || out == a + 1) at[out - a] = d;
        out++;
    }
    if (at[0] < 0 || at[1] != at[0] + 1) return false;
    ask(w, n->args[0], at[0]);
    return true;
}

/* The operand's axis that result axis a of a dot comes from, -1 if from the other operand; batch axes are in
 * both. */
static int64_t dot_axis(const Graph *g, const Node *n, int side, int a)
{
    DotDims dims = dot_dims(n->attr);
    const int64_t *batch = dims.batch[side], *summed = dims.summed[side];
    int nb = dims.n_batch, nc = dims.n_summed;
    if (a < nb) return batch[a];
    int left_free = g->nodes[n->args[0]].rank - nb - nc, out = side ? nb + left_free : nb;
    for (int64_t d = 0; d < g->nodes[n->args[side]].rank; d++)
        if (!lists(batch, nb, d) && !lists(summed, nc, d) && out++ == a) return d;
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
static bool dynamic_collapses(Collapse *w, const Node *n, Type t, int a)
{
    if (n->attr[a + 1] != t.dim[a + 1]) return false;
    ask(w, n->args[0], a);
    return true;
}

/* Windows of one element where it is; or that stand beside each other along a, and a + 1 is short. */
static bool window_collapses(Collapse *w, const Node *n, Type t, int a)
{
    WindowDims d = window_dims(OP_REDUCE_WINDOW, n->attr, t.rank);
    for (int k = a; k <= a + 1; k++) {
        bool whole = d.size[k] == 1 && d.low[k] == 0 && d.high[k] == 0;
        if (d.stride[k] != 1 || d.base_dilation[k] != 1 || (!whole && (k > a || !is_short(n, a + 1))))
            return false;
    }
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

static bool transpose_collapses(Collapse *w, const Node *n, int a)
{
    if (n->attr[a + 1] != n->attr[a] + 1) return false;
    ask(w, n->args[0], n->attr[a]);
    return true;
}

static bool reverse_collapses(Collapse *w, const Node *n, int a)
{
    if (lists(n->attr, n->n_attr, a) || lists(n->attr, n->n_attr, a + 1)) return false;
    ask(w, n->args[0], a);
    return true;
}

static bool pad_collapses(Collapse *w, const Node *n, Type t, int a)
{
    for (int d = a; d <= a + 1; d++) {
        bool padded = n->attr[d] || n->attr[t.rank + d];
        if (n->attr[2 * t.rank + d] || (padded && (d > a || !is_short(n, a + 1)))) return false;
    }
    ask(w, n->args[0], a);
    return true;
}

/* Are neighbours along a from the parts in turn, as the rests of a reshape to wider rows are, is a + 1
 * written out, and are all parts together dear? Lanes along both would compute all of them, and choose (the
 * four rests of a 4 times wider image of 3 colours, AVX-512: 809 -> 419 us). With masks choosing costs less
 * than rows that no few vectors hold (8 times as wide: 10.7, and 13.7 us by rests). */
static bool takes_turns(const Collapse *w, Ref ref, int a)
{
    const Node *n = &w->b->graph->nodes[ref];
    return w->finer.rank > 0 && n->dim[a] == n->n_args && n->dim[a + 1] <= MAX_SHORT_AXIS &&
           w->b->plan[ref].round.cost >= COST_EXPENSIVE &&
           (n->dim[a] * n->dim[a + 1] <= MAX_SHORT_RUN || w->b->target->vector_bytes < 64);
}

static bool concatenation_collapses(Collapse *w, Ref ref, int a)
{
    const Node *n = &w->b->graph->nodes[ref];
    if (n->attr[0] == a + 1 || (n->attr[0] == a && (!is_short(n, a + 1) || takes_turns(w, ref, a))))
        return false;
    return ask_all(w, n, a);
}

/* Axes of the slices that are gathered, neighbours in the operand, the second of them whole and short. */
static bool gather_collapses(Collapse *w, const Node *n, Type t, int a)
{
    IndexDims g;
    int of[2] = { -1, -1 };
    gather_dims(n->attr, n->n_attr, t.rank, &g);
    for (int d = 0, o = 0; d < t.rank; d++) {
        if (lists(g.collapsed, g.n_collapsed, d) || lists(g.operand_batching, g.n_batching, d)) continue;
        int64_t out = g.window[o++];
        if (out == a || out == a + 1) of[out - a] = d;
    }
    if (of[0] < 0 || of[1] != of[0] + 1 || n->dim[a + 1] != t.dim[of[1]] || !is_short(n, a + 1)) return false;
    ask(w, n->args[0], of[0]);
    return true;
}

static bool is_leaf(const Collapse *w, Ref ref)
{
    Op op = (Op)w->b->graph->nodes[ref].op;
    const NodePlan *p = &w->b->plan[ref];
    return op == OP_PARAMETER || op == OP_CONSTANT ||
           (p->materialized && !p->in_passing && p->round.kernel != w->b->number);
}

/* The cases of the elementwise ops, from the table of ops. The switch has no default, so that the compiler
 * names each op of another kind that has no case. */
#define EW(NAME, ...) case OP_##NAME:
#define OP(NAME, ...)

/* One step: asks about the operands; false if the node itself keeps the axes apart. */
static bool step(Collapse *w, Ref ref, int a)
{
    const Node *n = &w->b->graph->nodes[ref];
    if (is_leaf(w, ref)) return true;
    Type t = n->n_args ? node_type(&w->b->graph->nodes[n->args[0]]) : (Type){ 0, 0, NULL };
    switch ((Op)n->op) {
#include "compiler/graph/ops.def"
        return (n->op != OP_BITCAST || t.rank == n->rank) && ask_all(w, n, a);
    case OP_IOTA:                 return n->attr[0] != a && n->attr[0] != a + 1;
    case OP_BROADCAST:            return broadcast_collapses(w, n, t, a);
    case OP_TRANSPOSE:            return transpose_collapses(w, n, a);
    case OP_SLICE:                return slice_collapses(w, n, t, a);
    case OP_REVERSE:              return reverse_collapses(w, n, a);
    case OP_PAD:                  return pad_collapses(w, n, t, a);
    case OP_CONCATENATE:          return concatenation_collapses(w, ref, a);
    case OP_RESHAPE:              return reshape_collapses(w, n, t, a);
    case OP_REDUCE:               return fold_collapses(w, n, n->attr + 1, n->n_attr - 1, t.rank, a);
    case OP_ARGMAX:
    case OP_ARGMIN:               return fold_collapses(w, n, n->attr, 1, t.rank, a);
    case OP_DOT:                  return dot_collapses(w, n, a);
    case OP_DYNAMIC_SLICE:        return dynamic_collapses(w, n, t, a);
    case OP_DYNAMIC_UPDATE_SLICE: return update_collapses(w, n, t, a);
    case OP_REDUCE_WINDOW:        return window_collapses(w, n, t, a);
    case OP_MAP:                  return ask_all(w, n, a);
    case OP_RESULT:               return result_collapses(w, n, a);
    case OP_GATHER:               return gather_collapses(w, n, t, a);
#include "compiler/graph/matrix/matrix_cases.h"
    case OP_PARAMETER:
    case OP_CONSTANT:
    case OP_REDUCE_REGION:
    case OP_SCATTER:
    case OP_CONVOLUTION:
    case OP_FFT:
    case OP_SELECT_AND_SCATTER:
    case OP_CUMULATIVE:
    case OP_SORT:
    case OP_WHILE:
    case OP_CASE:
    case OP_SCAN:
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP:
    case OP_CHECKPOINT:
    case OP_BACKWARD:
    case OP_FOREIGN:
    case OP_BARRIER:
    case OP_RNG_BITS:
    case OP_COUNT:              return false;
    }
    return false;
}

/* The same of an axis of the finer shape. Below an elementwise op the next axis must be another one of the
 * node, too: there the index is that of the node's axes, and a run within one of them would be divided. */
static bool finer_step(Collapse *w, Ref ref, int a)
{
    const Node *n = &w->b->graph->nodes[ref];
    if (type_count(node_type(n)) == 1 || is_leaf(w, ref)) return true;
    if (n->op == OP_RESHAPE && shape_equal(node_type(&w->b->graph->nodes[n->args[0]]), w->finer)) {
        ask(w, n->args[0], a);
        return true;
    }
    if (n->op == OP_BROADCAST) return type_count(node_type(&w->b->graph->nodes[n->args[0]])) == 1;
    return op_is_ew((Op)n->op) && n->op != OP_BITCAST && ask_all(w, n, ~a);
}

static bool all_collapse(Collapse *w)
{
    while (w->stack) {
        Query *q = w->stack;
        w->stack = q->next;
        if (!(q->axis < 0 ? finer_step(w, q->node, ~q->axis) : step(w, q->node, q->axis))) return false;
    }
    return true;
}

bool point_collapses(const Build *b, Ref n, int a)
{
    Collapse w = { .b = b };
    ask(&w, n, a);
    return all_collapse(&w);
}

bool point_collapses_finer(const Build *b, Ref n, Type finer, int a)
{
    Collapse w = { .b = b, .finer = finer };
    ask(&w, n, shape_equal(type_of(b, n), finer) ? a : ~a);
    return all_collapse(&w);
}

int point_run_axis(Type t, int first, int last)
{
    while (last > first && t.dim[last] == 1) last--;
    return last;
}
