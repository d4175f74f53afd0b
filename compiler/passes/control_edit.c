/* control_edit.c: see control_edit.h. */
#include "control_edit.h"
#include <string.h>

Role control_role(const Control *c, uint32_t param)
{
    if (param < c->s.n_invariant) return ROLE_INVARIANT;
    return param < c->s.n_invariant + c->s.n_carry ? ROLE_CARRY : ROLE_INPUT;
}

void edit_open(Edit *e, Control *c)
{
    Arena *a = c->g->arena;
    uint32_t n = control_n_args(c);
    *e = (Edit){ .c = c,
                 .role = arena_alloc(a, (n + 1) * sizeof(Role)),
                 .arg = arena_copy(a, c->args, n * sizeof(Ref)),
                 .keep = arena_alloc(a, control_n_outputs(c) + 1),
                 .slice = graph_refs(a, control_n_outputs(c)) };
    for (uint32_t i = 0; i < n; i++) e->role[i] = control_role(c, i);
    memset(e->keep, true, control_n_outputs(c));
    memset(e->slice, 0xff, control_n_outputs(c) * sizeof *e->slice);
}

void edit_add(Edit *e, Extra x)
{
    e->extra = arena_grow(e->c->g->arena, e->extra, e->n_extra, &e->cap_extra, e->n_extra + 1, sizeof x);
    e->extra[e->n_extra++] = x;
}

Type control_type(const Control *c, Ref arg, Role role)
{
    Type t = graph_type(c->g, arg);
    if (c->op == OP_MAP) return type_scalar(t.dtype);
    return role == ROLE_INPUT ? type_unstacked(t) : t;
}

static bool is_changed(const Edit *e)
{
    const Control *c = e->c;
    for (uint32_t i = 0; i < control_n_args(c); i++)
        if (e->role[i] != control_role(c, i) || e->arg[i] != c->args[i]) return true;
    return e->n_extra || memchr(e->keep, false, control_n_outputs(c));
}

bool edit_params(Edit *e)
{
    Control *c = e->c;
    if (!is_changed(e)) return false;
    e->to = arena_alloc(c->g->arena, c->n_regions * sizeof *e->to);
    e->map = arena_alloc(c->g->arena, c->n_regions * sizeof *e->map);
    for (uint32_t k = 0; k < c->n_regions; k++) {
        const Graph *from = c->regions[k];
        e->to[k] = graph_new(c->g->arena, from->name);
        e->map[k] = graph_refs(c->g->arena, from->n_nodes);
        memset(e->map[k], 0xff, from->n_nodes * sizeof(Ref));
        for (Role role = ROLE_INVARIANT; role <= ROLE_INPUT; role++) {
            for (uint32_t i = 0; i < control_n_args(c); i++)
                if (e->role[i] == role)
                    e->map[k][from->params[i]] = build_param(e->to[k], control_type(c, e->arg[i], role));
            for (uint32_t i = 0; i < e->n_extra; i++) {
                Extra *x = &e->extra[i];
                if (x->role != role) continue;
                x->param[k & 1] = build_param(e->to[k], control_type(c, x->arg, role));
                if (x->region == k) e->map[k][x->node] = x->param[k & 1];
            }
        }
    }
    return true;
}

static bool is_test(const Edit *e, uint32_t k) { return e->c->op == OP_WHILE && k == 0; }

/* The node that output i of region k gives; REF_NONE: that output is gone. */
static Ref given(const Edit *e, uint32_t k, uint32_t i)
{
    Ref whole = e->c->regions[k]->outputs[i];
    if (is_test(e, k)) return whole;
    return !e->keep[i] ? REF_NONE : e->slice[i] != REF_NONE ? e->slice[i] : whole;
}

/* What the outputs need of the region, except what is in the map already. */
static void copy_nodes(Edit *e, uint32_t k)
{
    const Graph *from = e->c->regions[k];
    Ref *map = e->map[k];
    bool *needed = arena_alloc(e->c->g->arena, from->n_nodes);
    for (uint32_t i = 0; i < from->n_outputs; i++)
        if (given(e, k, i) != REF_NONE) needed[given(e, k, i)] = true;
    for (Ref r = from->n_nodes; r-- > 0;)
        for (uint32_t i = 0; needed[r] && map[r] == REF_NONE && i < from->nodes[r].n_args; i++)
            needed[from->nodes[r].args[i]] = true;
    for (Ref r = 0; r < from->n_nodes; r++)
        if (needed[r] && map[r] == REF_NONE) map[r] = graph_copy_node(e->to[k], from, r, map);
}

static void set_outputs(Edit *e, uint32_t k, const uint32_t *number)
{
    Graph *to = e->to[k];
    const Graph *from = e->c->regions[k];
    Ref *out = graph_refs(to->arena, from->n_outputs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->n_outputs; i++) {
        if (given(e, k, i) == REF_NONE) continue;
        Type t = graph_type(from, given(e, k, i));
        Ref r = e->map[k][given(e, k, i)];
        if (!is_test(e, k) && e->slice[i] != REF_NONE) r = build_reshape(to, r, t.dim + 1, t.rank - 1);
        out[is_test(e, k) ? i : number[i]] = r;
        n++;
    }
    graph_set_outputs(to, out, n);
}

static bool is_stacked(const Edit *e, uint32_t i) { return i >= e->c->s.n_carry || e->slice[i] != REF_NONE; }

/* Carries, then what is stacked; each in their old order. */
static const uint32_t *renumber_outputs(Edit *e)
{
    Control *c = e->c;
    uint32_t *number = arena_alloc(c->g->arena, (control_n_outputs(c) + 1) * sizeof *number), n = 0;
    for (int stacked = 0; stacked < 2; stacked++)
        for (uint32_t i = 0; i < control_n_outputs(c); i++)
            if (is_stacked(e, i) == stacked) number[i] = e->keep[i] ? n++ : NOWHERE;
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] != NOWHERE) c->at[i] = number[c->at[i]];
    return number;
}

static void new_args(Edit *e)
{
    Control *c = e->c;
    uint32_t n = control_n_args(c), *count[] = { NULL, &c->s.n_invariant, &c->s.n_carry, &c->s.n_xs },
             used = 0;
    Ref *args = graph_refs(c->g->arena, n + e->n_extra);
    for (Role role = ROLE_INVARIANT; role <= ROLE_INPUT; role++) {
        uint32_t before = used;
        for (uint32_t i = 0; i < n; i++)
            if (e->role[i] == role) args[used++] = e->arg[i];
        for (uint32_t i = 0; i < e->n_extra; i++)
            if (e->extra[i].role == role) args[used++] = e->extra[i].arg;
        *count[role] = used - before;
    }
    c->args = args;
}

bool edit_close(Edit *e)
{
    Control *c = e->c;
    if (!e->to && !edit_params(e)) return false;
    const Graph **regions = arena_alloc(c->g->arena, c->n_regions * sizeof *regions);
    const uint32_t *number = renumber_outputs(e);
    for (uint32_t k = 0; k < c->n_regions; k++) {
        copy_nodes(e, k);
        set_outputs(e, k, number);
        regions[k] = e->to[k];
    }
    new_args(e);
    c->regions = regions;
    return true;
}

void control_settle(Control *c, uint32_t output, Ref value)
{
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] == output) c->at[i] = NOWHERE, c->out[i] = value;
}

bool control_sinks(const Node *n)
{
    return n->op == OP_IOTA || (n->op == OP_CONSTANT && (n->attr[0] || n->rank == 0));
}

Ref control_sink(Graph *to, const Node *n, Type t)
{
    return n->op == OP_CONSTANT ? build_filled(to, t, n->data)
                                : build_iota(to, t, (int)n->attr[0] - (n->rank - t.rank));
}
