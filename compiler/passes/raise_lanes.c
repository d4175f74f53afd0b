/* raise_lanes.c: a WHILE that goes on while any element asks for it is a MAP of a WHILE for one element (for
 * simplify: see control_edit.h). JAX's vmap makes such loops, where examples end at different times.
 *
 *   while any(p(x)) { x = select(p(x), f(x), x) }   ==>   map x: while p(x) { x = f(x) }
 *
 * Carries have the shape of p, and what is made of them is made element by element; what is made of
 * invariants alone is an operand of the MAP, so each element is on its own. Where p is false, the step
 * must give those carries as they were: then p stays false, and the element has ended. Both regions are
 * written for one element into one graph, where equal values are one node, so a select is found to ask for
 * p itself. Its nodes are then copied with p known: false, and every carry must come out as it went in;
 * true, and that is the step of the new loop.
 *
 * Carries of rank 0 are shared by all elements, such as a count of the steps that the test limits, too. Each
 * element gets its own, which is right as long as the element runs. So nobody may ask for their last values,
 * nor p for theirs, and what they become must not depend on any element: it would take a reduction.
 */
#include "compiler/graph/rebuild.h"
#include "control_edit.h"
#include <string.h>

/* Nodes of one element's test and step: as many as surely fit a kernel. */
enum { MOST_NODES = 256 };

typedef struct Lanes {
    Control *c;
    Type shape;      /* of p and of all carries but shared ones; its dtype is not looked at */
    RegionBuild one; /* both regions for one element: takes the carries, then operands of the MAP */
    Ref p, go;       /* in it: p, and the whole test */
    Ref *next;       /* in it: what the step gives */
} Lanes;

/* A region on its way to one element. */
typedef struct Element {
    Rebuild w; /* map: what each node that depends on a carry is in `one` */
    Lanes *l;
    Ref *around; /* what any other node is around the loop; REF_NONE: it depends on a carry */
} Element;

/* ---- both regions for one element */

/* An operand of the MAP: of rank 0, it is the same for all elements. */
static Ref spread(const Lanes *l, Ref around)
{
    if (graph_node(l->c->g, around)->rank) return around;
    return build_broadcast(l->c->g, around, l->shape.dim, l->shape.rank, NULL);
}

static Ref take_operand(Lanes *l, Ref around)
{
    Graph *g = l->c->g, *one = l->one.g;
    around = spread(l, around);
    const Node *n = graph_node(g, around);
    Type t = type_scalar(n->dtype);
    if (is_splat(n)) return build_filled(one, t, n->data);
    for (uint32_t i = l->c->s.n_carry; i < one->n_params; i++)
        if (l->one.args[i] == around) return one->params[i];
    return region_take(&l->one, t, around);
}

static Ref element_of(const Element *e, Ref r)
{
    return e->around[r] == REF_NONE ? e->w.map[r] : take_operand(e->l, e->around[r]);
}

/* What is not cheap has left the loop before, if it may. */
static bool may_leave(const Node *n)
{
    OpKind kind = op_kind((Op)n->op);
    return kind == OPKIND_LEAF || kind == OPKIND_EW || kind == OPKIND_SHAPE;
}

static bool build_fixed(Element *e, Ref r)
{
    if (may_leave(graph_node(e->w.from, r)))
        e->around[r] = graph_copy_node(e->l->c->g, e->w.from, r, e->around);
    return e->around[r] != REF_NONE;
}

/* An elementwise op, or the region of a MAP, over elements; or what all share, for each of them. */
static bool build_element(Element *e, const Node *n, Ref *out)
{
    Graph *one = e->w.to;
    NodeSpec spec = node_spec(n);
    Ref *args = graph_refs(one->arena, n->n_args);
    bool spreads = n->op == OP_BROADCAST && graph_node(e->w.from, n->args[0])->rank == 0;
    if (n->rank && !shape_equal(node_type(n), e->l->shape)) return false;
    if (!op_is_ew((Op)n->op) && n->op != OP_MAP && !spreads) return false;
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = element_of(e, n->args[i]);
    if (spreads) return *out = args[0], true;
    if (n->op == OP_MAP) return graph_inline(one, n->regions[0], args, out);
    spec.args = args;
    spec.rank = 0;
    *out = graph_add(one, &spec);
    return *out != REF_NONE;
}

static bool build_either(void *user, Ref r, Ref *out)
{
    Element *e = user;
    const Node *n = graph_node(e->w.from, r);
    bool fixed = true;
    for (uint32_t i = 0; i < n->n_args; i++) fixed = fixed && e->around[n->args[i]] != REF_NONE;
    return (fixed ? build_fixed(e, r) : build_element(e, n, out)) && e->w.to->n_nodes <= MOST_NODES;
}

/* The outputs of a region for one element. False: it does not work element by element. */
static bool build_outputs(Lanes *l, const Graph *region, Ref *out)
{
    Graph *one = l->one.g;
    Element e = { rebuild_open(region, one), l, graph_refs(one->arena, region->n_nodes) };
    uint32_t n_invariant = l->c->s.n_invariant;
    memset(e.around, 0xff, region->n_nodes * sizeof *e.around);
    for (uint32_t i = 0; i < region->n_params; i++) {
        if (i < n_invariant) e.around[region->params[i]] = l->c->args[i];
        else e.w.map[region->params[i]] = one->params[i - n_invariant];
    }
    if (!rebuild_nodes(&e.w, build_either, &e)) return false;
    for (uint32_t i = 0; i < region->n_outputs; i++) out[i] = element_of(&e, region->outputs[i]);
    return true;
}

/* ---- which loops */

/* p of any(p); REF_NONE: it is something else */
static Ref asked_of_any(const Graph *cond, Ref r)
{
    const Node *n = graph_node(cond, r);
    return n->op == OP_REDUCE && n->attr[0] == OP_OR && n->rank == 0 ? n->args[0] : REF_NONE;
}

/* any(p), or any(p) and q, either way round; q is p where there is none. */
static bool split_test(const Graph *cond, Ref pq[2])
{
    const Node *test = graph_node(cond, cond->outputs[0]);
    pq[0] = pq[1] = asked_of_any(cond, cond->outputs[0]);
    for (uint32_t i = 0; test->op == OP_AND && pq[0] == REF_NONE && i < 2; i++) {
        pq[0] = asked_of_any(cond, test->args[i]);
        pq[1] = test->args[1 - i];
    }
    return pq[0] != REF_NONE && graph_node(cond, pq[0])->rank;
}

static bool is_shared(const Control *c, uint32_t carry)
{
    return graph_node(c->g, c->args[c->s.n_invariant + carry])->rank == 0;
}

/* Carries have p's shape, or are shared and not asked for. */
static bool carries_fit(const Lanes *l)
{
    const Control *c = l->c;
    for (uint32_t i = 0; i < c->s.n_carry; i++)
        if (!is_shared(c, i) && !shape_equal(graph_type(c->g, c->args[c->s.n_invariant + i]), l->shape))
            return false;
    for (uint32_t k = 0; k < c->n_results; k++)
        if (c->at[k] != NOWHERE && is_shared(c, c->at[k])) return false;
    return true;
}

/* Does p, for one element, need no shared carry? */
static bool is_own(const Lanes *l)
{
    Graph asked = *l->one.g;
    asked.outputs = (Ref[]){ l->p };
    asked.n_outputs = 1;
    const bool *reached = graph_reached(asked.arena, &asked);
    for (uint32_t i = 0; i < l->c->s.n_carry; i++)
        if (is_shared(l->c, i) && reached[asked.params[i]]) return false;
    return true;
}

static bool open_lanes(Lanes *l)
{
    const Control *c = l->c;
    const Graph *body = c->regions[1];
    Graph cond = *c->regions[0];
    Ref pq[2], test[2];
    if (!split_test(&cond, pq)) return false;
    l->shape = graph_type(&cond, pq[0]);
    if (!carries_fit(l)) return false;
    l->one = region_begin(c->g, NULL, (size_t)c->s.n_carry + cond.n_nodes + body->n_nodes, 0);
    l->next = graph_refs(c->g->arena, c->s.n_carry);
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        Ref start = spread(l, c->args[c->s.n_invariant + i]);
        region_take(&l->one, type_scalar(graph_node(c->g, start)->dtype), start);
    }
    cond.outputs = pq;
    cond.n_outputs = 2;
    if (!build_outputs(l, &cond, test) || !build_outputs(l, body, l->next)) return false;
    l->p = test[0];
    l->go = build_binary(l->one.g, OP_AND, test[0], test[1]);
    return is_own(l);
}

/* ---- p known */

/* Writes into map what follows for other values where p is known to hold, or not to. */
static void assume(const Graph *one, Ref p, bool holds, Graph *to, Ref *map)
{
    const Node *n = graph_node(one, p);
    if (map[p] != REF_NONE) return;
    map[p] = build_splat(to, type_scalar(WEFT_BOOL), holds);
    if (n->op == OP_NOT) assume(one, n->args[0], !holds, to, map);
    for (uint32_t i = 0; n->op == (holds ? OP_AND : OP_OR) && i < 2; i++)
        assume(one, n->args[i], holds, to, map);
}

/* Parameter i of the new regions: operands of the MAP come first, then the carries. */
static uint32_t old_number(const Lanes *l, uint32_t i)
{
    uint32_t n_carry = l->c->s.n_carry, n_operands = l->one.g->n_params - n_carry;
    return i < n_operands ? n_carry + i : i - n_operands;
}

typedef enum { FALSE, TRUE, OPEN } Known;

/* A region with all of `one` where p is as known; map: what each node is there. */
static Graph *copy_where(const Lanes *l, Known p, Ref *map)
{
    const Graph *one = l->one.g;
    Graph *to = graph_new(one->arena, NULL);
    memset(map, 0xff, one->n_nodes * sizeof *map);
    if (p == FALSE) assume(one, l->p, false, to, map);
    if (p == TRUE) assume(one, l->go, true, to, map);
    for (uint32_t i = 0; i < one->n_params; i++) {
        Ref old = one->params[old_number(l, i)], param = build_param(to, graph_type(one, old));
        if (map[old] == REF_NONE) map[old] = param;
    }
    for (Ref r = 0; r < one->n_nodes; r++)
        if (map[r] == REF_NONE) map[r] = graph_copy_node(to, one, r, map);
    return to;
}

/* Does an element for which p is false stay as it is? */
static bool stays_ended(const Lanes *l)
{
    Ref *map = graph_refs(l->one.g->arena, l->one.g->n_nodes);
    copy_where(l, FALSE, map);
    for (uint32_t i = 0; i < l->c->s.n_carry; i++)
        if (!is_shared(l->c, i) && map[l->next[i]] != map[l->one.g->params[i]]) return false;
    return true;
}

static const Graph *region_where(const Lanes *l, Known p, const Ref *outputs, uint32_t n)
{
    Arena *a = l->one.g->arena;
    Ref *map = graph_refs(a, l->one.g->n_nodes), *out = graph_refs(a, n);
    Graph *to = copy_where(l, p, map);
    for (uint32_t i = 0; i < n; i++) out[i] = map[outputs[i]];
    graph_set_outputs(to, out, n);
    return graph_compact(a, to);
}

bool loop_run_in_lanes(Control *c)
{
    Lanes l = { .c = c };
    if (!open_lanes(&l) || !stays_ended(&l)) return false;
    uint32_t n = l.one.g->n_params, n_carry = c->s.n_carry;
    RegionBuild map = region_begin(c->g, NULL, n, n_carry);
    for (uint32_t i = 0; i < n; i++) {
        Ref old = l.one.g->params[old_number(&l, i)];
        region_take(&map, graph_type(l.one.g, old), l.one.args[old_number(&l, i)]);
    }
    build_while(map.g, region_where(&l, OPEN, &l.go, 1), region_where(&l, TRUE, l.next, n_carry),
                map.g->params, n - n_carry, n_carry, map.out);
    map.n_out = n_carry;
    const Graph **region = arena_alloc(c->g->arena, sizeof *region);
    if (!(*region = region_end(&map, c->g))) return false;
    *c = (Control){ .g = c->g,
                    .op = OP_MAP,
                    .s = { .n_invariant = n },
                    .shape = l.shape,
                    .regions = region,
                    .n_regions = 1,
                    .args = map.args,
                    .n_results = c->n_results,
                    .out = c->out,
                    .at = c->at };
    return true;
}
