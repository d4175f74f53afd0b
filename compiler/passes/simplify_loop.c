/* simplify_loop.c: rules for the operands and results of SCAN and WHILE. Each looks at the operands and at
 * the body, and edits what it finds (control_edit.h); true: it found something. Steps are done in the same
 * order with the same operations, so every bit stays.
 */
#include "control_edit.h"
#include <string.h>

/* ---- what nobody needs */

/* Marks what node r needs, itself included; carries whose parameter is met bring their outputs along. */
typedef struct Reach {
    const Graph *body;
    bool *needed;
    Ref *stack;
    uint32_t n;
    const Control *c;
} Reach;

static void reach_push(Reach *x, Ref r)
{
    if (x->needed[r]) return;
    x->needed[r] = true;
    x->stack[x->n++] = r;
}

static void reach(Reach *x, Ref r)
{
    reach_push(x, r);
    while (x->n) {
        const Node *n = graph_node(x->body, x->stack[--x->n]);
        for (uint32_t i = 0; i < n->n_args; i++) reach_push(x, n->args[i]);
        if (n->op == OP_PARAMETER && control_role(x->c, (uint32_t)n->attr[0]) == ROLE_CARRY)
            reach_push(x, x->body->outputs[n->attr[0] - x->c->s.n_invariant]);
    }
}

/* By parameter: does a wanted output of this region need it, or a test? */
static void mark_needed(const Control *c, const Graph *region, const bool *wanted, bool *needed)
{
    Arena *a = c->g->arena;
    const Graph *cond = c->op == OP_WHILE ? c->regions[0] : NULL;
    const bool *tested = cond ? graph_reached(a, cond) : NULL;
    Reach x = { .body = region,
                .needed = arena_alloc(a, region->n_nodes),
                .stack = graph_refs(a, region->n_nodes),
                .c = c };
    for (uint32_t i = 0; cond && i < cond->n_params; i++)
        if (tested[cond->params[i]]) reach(&x, region->params[i]);
    for (uint32_t i = 0; i < region->n_outputs; i++)
        if (wanted[i])
            reach(&x, i < c->s.n_carry ? region->params[c->s.n_invariant + i] : region->outputs[i]);
    for (uint32_t i = 0; i < region->n_params; i++) needed[i] |= x.needed[region->params[i]];
}

/* Results without users, carries that feed only themselves, operands that no step or branch reads. */
bool control_drop_unneeded(Control *c)
{
    Arena *a = c->g->arena;
    bool *wanted = arena_alloc(a, control_n_outputs(c) + 1), *needed = arena_alloc(a, control_n_args(c) + 1);
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] != NOWHERE) wanted[c->at[i]] = true;
    for (uint32_t k = c->op == OP_WHILE; k < c->n_regions; k++) mark_needed(c, c->regions[k], wanted, needed);
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < control_n_args(c); i++)
        if (!needed[i]) e.role[i] = ROLE_GONE;
    for (uint32_t i = 0; i < control_n_outputs(c); i++)
        e.keep[i] = i < c->s.n_carry ? e.role[c->s.n_invariant + i] != ROLE_GONE : wanted[i];
    return edit_close(&e);
}

/* ---- what parameters are */

static bool same_splat(const Node *a, const Node *b)
{
    return is_splat(a) && is_splat(b) && node_bits(a) == node_bits(b);
}

/* A carry that never changes: the body hands it on, or gives the constant or the invariant it started
 * from. */
static bool never_changes(const Control *c, uint32_t carry)
{
    const Graph *body = control_body(c);
    Ref out = body->outputs[carry], start = c->args[c->s.n_invariant + carry];
    const Node *n = graph_node(body, out);
    if (out == body->params[c->s.n_invariant + carry]) return true;
    if (n->op == OP_PARAMETER)
        return control_role(c, (uint32_t)n->attr[0]) == ROLE_INVARIANT && c->args[n->attr[0]] == start;
    return same_splat(n, graph_node(c->g, start));
}

/* carry that never changes ==> invariant */
bool loop_fix_carries(Control *c)
{
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        if (!never_changes(c, i)) continue;
        e.role[c->s.n_invariant + i] = ROLE_INVARIANT;
        e.keep[i] = false;
        control_settle(c, i, c->args[c->s.n_invariant + i]);
    }
    return edit_close(&e);
}

/* By item: the first with the same key. */
static uint32_t *first_of_equals(Arena *a, const uint64_t *keys, uint32_t n)
{
    uint32_t size = 4, *first = arena_alloc(a, (n + 1) * sizeof *first);
    while (size < 2 * n) size *= 2;
    uint32_t *table = arena_alloc(a, size * sizeof *table);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)((keys[i] * 0x9e3779b97f4a7c15u) >> 32) & (size - 1);
        while (table[at] && keys[table[at] - 1] != keys[i]) at = (at + 1) & (size - 1);
        if (!table[at]) table[at] = i + 1;
        first[i] = table[at] - 1;
    }
    return first;
}

/* By parameter: the first that always has the same value. Carries have if they start alike and the body gives
 * the same for both. */
static uint32_t *twins(const Control *c)
{
    Arena *a = c->g->arena;
    uint32_t n = control_n_args(c);
    uint64_t *keys = arena_alloc(a, (n + 1) * sizeof *keys);
    for (uint32_t i = 0; i < n; i++) {
        bool carry = control_role(c, i) == ROLE_CARRY;
        uint64_t how = carry ? control_body(c)->outputs[i - c->s.n_invariant] + UINT64_C(1)
                       : control_role(c, i) == ROLE_INPUT ? 0
                                                          : UINT32_MAX;
        keys[i] = how << 32 | c->args[i];
    }
    return first_of_equals(a, keys, n);
}

/* broadcast along the axis of steps ==> the same in each step: what is left of it is an invariant */
static bool is_same_each_step(const Node *n)
{
    if (n->op != OP_BROADCAST) return false;
    for (uint32_t i = 0; i < n->n_attr; i++)
        if (n->attr[i] == 0) return false;
    return true;
}

static Ref step_of_broadcast(Graph *g, const Node *n)
{
    int64_t axes[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < n->n_attr; i++) axes[i] = n->attr[i] - 1;
    return build_broadcast(g, n->args[0], n->dim + 1, n->rank - 1, axes);
}

/* Not the numbers of the steps, nor those of a MAP's elements. */
static bool can_sink(const Control *c, const Node *arg, Role role)
{
    bool numbers = arg->op == OP_IOTA && (c->op == OP_MAP || (role == ROLE_INPUT && arg->attr[0] == 0));
    return role != ROLE_CARRY && control_sinks(arg) && !numbers;
}

/* Equal operands are one; constants and iotas are made inside; inputs that are the same in each step are
 * invariants. */
bool loop_settle_params(Control *c)
{
    const uint32_t *first = twins(c);
    uint32_t n = control_n_args(c);
    const Node **sunk = arena_alloc(c->g->arena, (n + 1) * sizeof *sunk);
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < n; i++) {
        const Node *arg = graph_node(c->g, c->args[i]);
        Role role = e.role[i];
        if (first[i] != i) e.role[i] = ROLE_GONE;
        else if (can_sink(c, arg, role)) e.role[i] = ROLE_GONE, sunk[i] = arg;
        else if (role == ROLE_INPUT && is_same_each_step(arg))
            e.role[i] = ROLE_INVARIANT, e.arg[i] = step_of_broadcast(c->g, arg);
        if (role == ROLE_CARRY && first[i] != i) {
            for (uint32_t k = 0; k < c->n_results; k++)
                if (c->at[k] == i - c->s.n_invariant) c->at[k] = first[i] - c->s.n_invariant;
            e.keep[i - c->s.n_invariant] = false;
        }
    }
    if (!edit_params(&e)) return false;
    for (uint32_t k = 0; k < c->n_regions; k++)
        for (uint32_t i = 0; i < n; i++) {
            Ref *map = e.map[k], p = c->regions[k]->params[i];
            if (sunk[i])
                map[p] = control_sink(e.to[k], sunk[i], control_type(c, c->args[i], control_role(c, i)));
            else if (first[i] != i) map[p] = map[c->regions[k]->params[first[i]]];
        }
    return edit_close(&e);
}

/* broadcast(x) whose steps are broadcasts of x's steps */
static bool is_broadcast_of_steps(const Graph *g, const Node *n)
{
    return n->op == OP_BROADCAST && n->n_attr && n->attr[0] == 0 &&
           graph_node(g, n->args[0])->dim[0] == n->dim[0];
}

static bool sinks_broadcast(const Control *c, uint32_t param)
{
    const Node *arg = graph_node(c->g, c->args[param]);
    Role role = control_role(c, param);
    return role == ROLE_INVARIANT ? arg->op == OP_BROADCAST
                                  : role == ROLE_INPUT && is_broadcast_of_steps(c->g, arg);
}

/* A broadcast, or a step of it, made of its operand's. */
static Ref broadcast_inside(Graph *g, const Node *n, Ref x, int step)
{
    int64_t axes[WEFT_MAX_RANK];
    for (uint32_t i = step; i < n->n_attr; i++) axes[i - step] = n->attr[i] - step;
    return build_broadcast(g, x, n->dim + step, n->rank - step, axes);
}

/* invariant broadcast(x) ==> invariant x, broadcast inside; an input alike */
bool loop_sink_broadcasts(Control *c)
{
    uint32_t n = control_n_args(c);
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < n; i++)
        if (sinks_broadcast(c, i)) e.arg[i] = graph_node(c->g, c->args[i])->args[0];
    if (!edit_params(&e)) return false;
    for (uint32_t k = 0; k < c->n_regions; k++)
        for (uint32_t i = 0; i < n; i++) {
            Ref *p = &e.map[k][c->regions[k]->params[i]];
            if (sinks_broadcast(c, i))
                *p = broadcast_inside(e.to[k], graph_node(c->g, c->args[i]), *p,
                                      control_role(c, i) == ROLE_INPUT);
        }
    return edit_close(&e);
}

/* ---- what outputs are */

/* A value that is the same in each step, stacked. */
static Ref stacked(const Control *c, Ref r)
{
    const Node *n = graph_node(c->g, r);
    int64_t dim[WEFT_MAX_RANK + 1] = { c->s.length }, axes[WEFT_MAX_RANK];
    for (int i = 0; i < n->rank; i++) dim[i + 1] = n->dim[i], axes[i] = i + 1;
    return build_broadcast(c->g, r, dim, n->rank + 1, axes);
}

/* A stacked output that is an input, an invariant or a constant; else REF_NONE. */
static Ref known_output(const Control *c, Ref out)
{
    const Node *n = graph_node(control_body(c), out);
    if (control_sinks(n)) return stacked(c, control_sink(c->g, n, node_type(n)));
    if (n->op != OP_PARAMETER || control_role(c, (uint32_t)n->attr[0]) == ROLE_CARRY) return REF_NONE;
    Ref arg = c->args[n->attr[0]];
    return control_role(c, (uint32_t)n->attr[0]) == ROLE_INPUT ? arg : stacked(c, arg);
}

/* Outputs that are known without the loop leave it; equal ones become one. */
bool loop_settle_outputs(Control *c)
{
    const Graph *body = control_body(c);
    uint32_t n = control_n_outputs(c);
    uint64_t *keys = arena_alloc(c->g->arena, (n + 1) * sizeof *keys);
    for (uint32_t i = 0; i < n; i++) keys[i] = i < c->s.n_carry ? UINT64_C(1) << 32 | i : body->outputs[i];
    const uint32_t *first = first_of_equals(c->g->arena, keys, n);
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = c->s.n_carry; i < n; i++) {
        Ref value = known_output(c, body->outputs[i]);
        e.keep[i] = value == REF_NONE && first[i] == i;
        if (value != REF_NONE) control_settle(c, i, value);
        for (uint32_t k = 0; first[i] != i && k < c->n_results; k++)
            if (c->at[k] == i) c->at[k] = first[i];
    }
    return edit_close(&e);
}
