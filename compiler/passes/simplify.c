/* simplify.c: rebuilds the graph node by node through graph_add, whose fold rules meet operands that have
 * become simpler, and moves work from big shapes to small ones on the way; again until nothing changes, a few
 * times at most.
 *
 * Two moves need to see more than a fold rule does:
 *   broadcast late   exp(broadcast(x)) ==> broadcast(exp(x)), for any elementwise op whose operands together
 *                    do not vary along some axis;
 *   slice early      slice(x + y) ==> slice(x) + slice(y), where the sum has no other use.
 * Nodes with regions have rules of their own: simplify_control.c.
 * Both moves give the same operations on the same elements, so every bit stays. Reductions of floats are left
 * where they are.
 */
#include "simplify.h"
#include "compiler/graph/rebuild.h"
#include "control_edit.h"
#include <string.h>

/* Each round is linear, and what one round opens the next one finds; real programs are done after two. */
enum { ROUNDS = 4 };

typedef struct Pass {
    Rebuild w;
    bool **used;  /* by node of several results: is this one used? */
    Ref *demand;  /* of an elementwise node: the SLICE through which alone it is used, REF_NONE otherwise */
    bool regions; /* simplify these too: in the first round */
} Pass;

/* ---- broadcast late */

/* Does the op work element by element on equal shapes? A bitcast between widths splits or joins an axis. */
static bool is_pointwise(const Graph *g, Op op, DType dtype, const Ref *args)
{
    return op_is_ew(op) &&
           (op != OP_BITCAST || dtype_bytes(dtype) == dtype_bytes((DType)graph_node(g, args[0])->dtype));
}

static uint32_t all_axes(int rank) { return rank ? UINT32_MAX >> (32 - rank) : 0; }

static uint32_t axes_of_operand(const Graph *g, Ref r, const uint32_t *axes)
{
    return axes ? axes[r] : all_axes(graph_node(g, r)->rank);
}

static uint32_t axes_of_broadcast(const Node *n, const Node *x, uint32_t axes)
{
    uint32_t moved = 0;
    for (int i = 0; i < x->rank; i++)
        if (axes >> i & 1 && x->dim[i] == n->dim[n->attr[i]]) moved |= (uint32_t)1 << n->attr[i];
    return moved;
}

static uint32_t axes_of_transpose(const Node *n, uint32_t axes)
{
    uint32_t moved = 0;
    for (int i = 0; i < n->rank; i++) moved |= (axes >> n->attr[i] & 1) << i;
    return moved;
}

static uint32_t axes_of_elements(const Graph *g, const Node *n, const uint32_t *axes)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n->n_args; i++) all |= axes_of_operand(g, n->args[i], axes);
    return all;
}

uint32_t varying_axes(const Graph *g, const Node *n, const uint32_t *axes)
{
    if (is_splat(n)) return 0;
    if (n->op == OP_IOTA) return (uint32_t)1 << n->attr[0];
    if (n->op == OP_BROADCAST)
        return axes_of_broadcast(n, graph_node(g, n->args[0]), axes_of_operand(g, n->args[0], axes));
    if (n->op == OP_TRANSPOSE) return axes_of_transpose(n, axes_of_operand(g, n->args[0], axes));
    if (n->op == OP_RESHAPE && axes && !axes[n->args[0]]) return 0;
    return is_pointwise(g, (Op)n->op, (DType)n->dtype, n->args) ? axes_of_elements(g, n, axes)
                                                                : all_axes(n->rank);
}

/* A shape without some of its axes. */
typedef struct Small {
    uint32_t axes;
    int rank;
    int64_t dim[WEFT_MAX_RANK];
} Small;

static int small_axis(const Small *s, int64_t axis)
{
    return __builtin_popcount(s->axes & (((uint32_t)1 << axis) - 1));
}

/* The operand of a broadcast, broadcast to the small shape instead. Axes of size one that the broadcast
 * stretched are gone. */
static Ref shrink_broadcast(Graph *g, const Node *n, const Small *s)
{
    const Node *x = graph_node(g, n->args[0]);
    int64_t dim[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < x->rank; i++) {
        if (x->dim[i] != n->dim[n->attr[i]]) continue;
        dim[rank] = x->dim[i];
        to[rank++] = small_axis(s, n->attr[i]);
    }
    return build_broadcast(g, build_reshape(g, n->args[0], dim, rank), s->dim, s->rank, to);
}

static Ref shrink(Graph *g, Ref r, const Small *s)
{
    const Node *n = graph_node(g, r);
    Type small = { n->dtype, (uint8_t)s->rank, s->dim };
    if (n->rank == 0) return r;
    switch (n->op) {
    case OP_CONSTANT: return build_filled(g, small, n->data);
    case OP_IOTA:     return build_iota(g, small, small_axis(s, n->attr[0]));
    default:          return shrink_broadcast(g, n, s);
    }
}

/* f(operands that do not vary along some axis) ==> broadcast(f(operands without it))
 * Not for axes of size one alone: nothing would get smaller. */
static Ref broadcast_late(Graph *g, const NodeSpec *spec)
{
    const Node *like = NULL;
    Ref args[3];
    Small s = { 0 };
    for (uint32_t i = 0; i < spec->n_args; i++)
        if (spec->args[i] == REF_NONE) return REF_NONE;
    if (spec->n_args > 3 || !is_pointwise(g, spec->op, spec->dtype, spec->args)) return REF_NONE;
    for (uint32_t i = 0; i < spec->n_args; i++) {
        const Node *n = graph_node(g, spec->args[i]);
        s.axes |= varying_axes(g, n, NULL);
        if (n->rank) like = n;
    }
    if (!like) return REF_NONE;

    int64_t axes[WEFT_MAX_RANK];
    bool smaller = false;
    for (int i = 0; i < like->rank; i++) {
        if (s.axes >> i & 1) axes[s.rank] = i, s.dim[s.rank++] = like->dim[i];
        else smaller = smaller || like->dim[i] != 1;
    }
    if (!smaller) return REF_NONE;
    for (uint32_t i = 0; i < spec->n_args; i++) args[i] = shrink(g, spec->args[i], &s);
    NodeSpec small = *spec;
    small.args = args;
    return build_broadcast(g, graph_add(g, &small), like->dim, like->rank, axes);
}

/* ---- slice early */

/* user[i]: the one node that uses node i, REF_NONE: none, MANY: several, or an output. */
#define MANY (REF_NONE - 1)
static Ref *find_users(Arena *a, const Graph *g, const bool *reached)
{
    Ref *user = arena_alloc(a, g->n_nodes * sizeof *user);
    memset(user, 0xff, g->n_nodes * sizeof *user);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        for (uint32_t i = 0; reached[r] && i < n->n_args; i++) {
            Ref *u = &user[n->args[i]];
            *u = *u == REF_NONE || *u == r ? r : MANY;
        }
    }
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] != REF_NONE) user[g->outputs[i]] = MANY;
    return user;
}

static bool is_sliceable(const Graph *g, const Node *n)
{
    return n->rank && is_pointwise(g, (Op)n->op, (DType)n->dtype, n->args);
}

/* Users first: through a chain of elementwise nodes the slice at its end reaches them all. */
static Ref *find_demands(Arena *a, const Graph *g, const bool *reached)
{
    Ref *demand = arena_alloc(a, g->n_nodes * sizeof *demand);
    const Ref *user = find_users(a, g, reached);
    memset(demand, 0xff, g->n_nodes * sizeof *demand);
    for (Ref r = g->n_nodes; r-- > 0;) {
        const Node *n = graph_node(g, r);
        if (!reached[r] || user[r] >= MANY || !is_sliceable(g, n)) continue;
        const Node *u = graph_node(g, user[r]);
        if (u->op == OP_SLICE) demand[r] = user[r];
        else if (demand[user[r]] != REF_NONE && u->rank == n->rank) demand[r] = demand[user[r]];
    }
    return demand;
}

static Ref sliced(const Pass *p, Ref operand, Ref slice)
{
    const Node *n = graph_node(p->w.from, operand), *s = graph_node(p->w.from, slice);
    if (n->rank == 0 || p->demand[operand] == slice) return p->w.map[operand];
    return build_slice(p->w.to, p->w.map[operand], s->attr, s->attr + s->rank, s->attr + 2 * s->rank);
}

/* ---- the pass */

/* Which results of nodes of several anybody needs. */
static bool **find_used(Arena *a, const Graph *g, const bool *reached)
{
    bool **used = arena_alloc(a, g->n_nodes * sizeof *used);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (reached[r] && (n->n_results > 1 || n->n_regions)) used[r] = arena_alloc(a, n->n_results);
        if (used[r] && n->n_results == 1) used[r][0] = true;
        if (reached[r] && n->op == OP_RESULT) used[n->args[0]][n->attr[0]] = true;
    }
    return used;
}

static Ref simpler(const Pass *p, Ref r)
{
    const Node *n = graph_node(p->w.from, r);
    NodeSpec spec = node_spec(n);
    Ref *args = rebuild_args(&p->w, n);
    for (uint32_t i = 0; p->demand[r] != REF_NONE && i < n->n_args; i++)
        args[i] = sliced(p, n->args[i], p->demand[r]);
    spec.args = args;
    Ref moved = broadcast_late(p->w.to, &spec);
    return moved != REF_NONE ? moved : graph_add(p->w.to, &spec);
}

static bool rebuild(void *user, Ref r, Ref *out)
{
    const Pass *p = user;
    const Node *n = graph_node(p->w.from, r);
    if (p->used[r]) simplify_control(p->w.to, n, rebuild_args(&p->w, n), p->used[r], p->regions, out);
    else if (n->op == OP_SLICE && p->demand[n->args[0]] == r) *out = rebuild_arg(&p->w, n, 0);
    else *out = simpler(p, r);
    return true;
}

static Graph *run_round(Arena *a, const Graph *g, bool regions)
{
    const bool *reached = graph_reached(a, g);
    Pass p = { .w = rebuild_open(g, graph_new(a, g->name)),
               .used = find_used(a, g, reached),
               .demand = find_demands(a, g, reached),
               .regions = regions };
    rebuild_params(&p.w);
    rebuild_nodes(&p.w, rebuild, &p);
    return rebuild_close(&p.w);
}

Graph *simplify(Arena *a, const Graph *g)
{
    Graph *before = run_round(a, g, true), *after = before;
    for (int round = 1; round < ROUNDS; round++) {
        after = run_round(a, before, false);
        if (graph_equal(before, after)) break;
        before = after;
    }
    return graph_compact(a, after);
}
