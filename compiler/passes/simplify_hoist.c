/* simplify_hoist.c: what a loop computes anew in each step, though nothing of it changes, is computed once
 * before it, if it is not cheap where it stands.
 *
 * It is then computed even where the body would not have run. That may be work for nothing, but no op has
 * effects. Two ops stay inside: a WHILE, which might not end, where the body may not run; and a foreign
 * function that is to be called in each step.
 */
#include "control_edit.h"

/* Worth computing once and keeping, rather than again in each step. */
static bool is_heavy(const Node *n)
{
    switch (op_kind((Op)n->op)) {
    case OPKIND_EW:      return op_cost((Op)n->op, (DType)n->dtype) >= COST_TO_KEEP;
    case OPKIND_LEAF:
    case OPKIND_SHAPE:   return false;
    case OPKIND_OTHER:   return n->op != OP_RESULT && n->op != OP_BARRIER;
    case OPKIND_REDUCE:
    case OPKIND_DOT:
    case OPKIND_INDEX:
    case OPKIND_ALONG:
    case OPKIND_MATRIX:
    case OPKIND_CONTROL: return true;
    }
    return true;
}

/* How large a value may be that gets memory of its own: as what an L2 cache holds, from where a load is
 * faster than exp, and all operands together. */
static int64_t most_elements(const Control *c)
{
    int64_t n = 1 << 18;
    for (uint32_t i = 0; i < control_n_args(c); i++) {
        int64_t own = type_count(graph_type(c->g, c->args[i]));
        n = n > INT64_MAX - own ? INT64_MAX : n + own;
    }
    return n;
}

/* Does it hold a foreign function that is to be called in each step? */
static bool must_be_called(const Node *n)
{
    if (n->op == OP_FOREIGN) return n->attr[1] != 0;
    for (uint32_t k = 0; k < n->n_regions; k++)
        for (Ref r = 0; r < n->regions[k]->n_nodes; r++)
            if (must_be_called(graph_node(n->regions[k], r))) return true;
    return false;
}

/* By node of a region: does it depend on no carry and no input, is there work in it, and is it made of
 * operands? */
typedef struct Fixed {
    bool *is, *heavy, *of_operands;
} Fixed;

static Fixed fixed_nodes(const Control *c, const Graph *region, bool may_loop)
{
    Fixed f = { arena_alloc(c->g->arena, region->n_nodes), arena_alloc(c->g->arena, region->n_nodes),
                arena_alloc(c->g->arena, region->n_nodes) };
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        f.is[r] = n->op != OP_PARAMETER || control_role(c, (uint32_t)n->attr[0]) == ROLE_INVARIANT;
        f.heavy[r] = is_heavy(n);
        f.of_operands[r] = n->op == OP_PARAMETER;
        for (uint32_t i = 0; i < n->n_args; i++) {
            f.is[r] &= f.is[n->args[i]];
            f.heavy[r] |= f.heavy[n->args[i]];
            f.of_operands[r] |= f.of_operands[n->args[i]];
        }
        if ((!may_loop && node_holds(n, OP_WHILE, true)) || must_be_called(n)) f.is[r] = false;
    }
    return f;
}

/* Behind a view of something, that: views stay inside. */
static Ref behind_views(const Graph *region, Ref r)
{
    while (op_kind((Op)graph_node(region, r)->op) == OPKIND_SHAPE && graph_node(region, r)->n_args == 1)
        r = graph_node(region, r)->args[0];
    return r;
}

static bool take_out(const Graph *region, const Fixed *f, Ref r, int64_t most, bool *take)
{
    if (!f->is[r] || !f->heavy[r]) return false;
    r = behind_views(region, r);
    if (graph_node(region, r)->op == OP_PARAMETER || type_count(graph_type(region, r)) > most) return false;
    return take[r] = true;
}

/* Updates of a scatter are computed one by one, without lanes: there a position costs more to compute than to
 * load. So what is done to fixed positions, of scatters and of gathers among their updates, is taken out
 * however cheap it is, of views of it and of lists that are put together each part. Positions made of
 * constants alone are known better where they stand. Labels spread along the edges of a graph, 10 times: 142
 * -> 100 us. */
static bool mark_positions(const Control *c, const Graph *region, const Fixed *f, const bool *reached,
                           int64_t most, bool *take)
{
    bool *update = arena_alloc(c->g->arena, region->n_nodes + 1),
         *position = arena_alloc(c->g->arena, region->n_nodes + 1), found = false;
    for (Ref r = region->n_nodes; r-- > 0;) {
        const Node *n = graph_node(region, r);
        bool is_view = op_kind((Op)n->op) == OPKIND_SHAPE, scatter = n->op == OP_SCATTER,
             by_element = update[r] && (is_view || op_is_ew((Op)n->op) || n->op == OP_GATHER);
        int64_t count = type_count(node_type(n));
        if (f->is[r] && position[r] && f->of_operands[r] && op_is_ew((Op)n->op) && count > 1 && count <= most)
            found = take[r] = true;
        for (uint32_t i = 0; reached[r] && i < n->n_args; i++) {
            Ref x = n->args[i];
            if (f->is[r]) position[x] |= position[r] && is_view;
            else if (scatter ? i == n->n_args / 2 : by_element && n->op == OP_GATHER && i) position[x] = true;
            else update[x] |= by_element || (scatter && i > n->n_args / 2);
        }
    }
    return found;
}

/* The nodes to take out: fixed ones with work in them that something else uses. */
static bool mark_frontier(const Control *c, const Graph *region, const Fixed *f, bool *take)
{
    const bool *reached = graph_reached(c->g->arena, region);
    int64_t most = most_elements(c);
    bool found = mark_positions(c, region, f, reached, most, take);
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        for (uint32_t i = 0; reached[r] && !f->is[r] && i < n->n_args; i++)
            found |= take_out(region, f, n->args[i], most, take);
    }
    for (uint32_t i = 0; i < region->n_outputs; i++)
        found |= take_out(region, f, region->outputs[i], most, take);
    return found;
}

/* Copies of the nodes to take, among the loop's operands. */
static Ref *copy_out(const Control *c, const Graph *region, const bool *take)
{
    Ref *map = graph_refs(c->g->arena, region->n_nodes);
    bool *needed = arena_copy(c->g->arena, take, region->n_nodes);
    for (Ref r = region->n_nodes; r-- > 0;)
        for (uint32_t i = 0; needed[r] && i < graph_node(region, r)->n_args; i++)
            needed[graph_node(region, r)->args[i]] = true;
    for (uint32_t i = 0; i < region->n_params; i++) map[region->params[i]] = c->args[i];
    for (Ref r = 0; r < region->n_nodes; r++)
        if (needed[r] && graph_node(region, r)->op != OP_PARAMETER)
            map[r] = graph_copy_node(c->g, region, r, map);
    return map;
}

/* f(invariants) that is not cheap ==> an invariant */
bool loop_hoist(Control *c)
{
    Edit e;
    edit_open(&e, c);
    for (uint32_t k = 0; k < c->n_regions; k++) {
        const Graph *region = c->regions[k];
        bool *take = arena_alloc(c->g->arena, region->n_nodes + 1),
             sure = c->op == OP_SCAN ? c->s.length > 0 : k == 0;
        Fixed f = fixed_nodes(c, region, sure);
        if (!mark_frontier(c, region, &f, take)) continue;
        const Ref *outside = copy_out(c, region, take);
        for (Ref r = 0; r < region->n_nodes; r++)
            if (take[r])
                edit_add(&e, (Extra){ .role = ROLE_INVARIANT, .arg = outside[r], .region = k, .node = r });
    }
    return edit_close(&e);
}
