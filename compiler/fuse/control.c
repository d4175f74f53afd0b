/* control.c: control flow as steps: see control.h.
 *
 * A region is a closed graph, so it is fused like any other graph, with its parameters and outputs bound to memory that is there already: an invariant is the
 * operand's memory, a carry the carry's, a slice of an input the part of it that the step counter chooses; an output is the next value of a carry, or a
 * slice of a stacked result. Its kernels and steps stand between LOOP and END; nothing is moved or allocated per iteration.
 *
 * A carry has two buffers, one read and one written in an iteration, which change names at its end; in the end the value is in the result's memory, for
 * names are as before after an even number of changes.
 */
#include "control.h"
#include <string.h>

typedef struct Carry {
    Type type;
    Place init, result;
    Place now, next;                    /* of an iteration */
    bool fixed;                         /* each iteration hands it on as it is */
} Carry;

bool is_control(const Graph *g, Ref r)
{
    Op op = (Op)g->nodes[r].op;
    return (op == OP_SCAN || op == OP_WHILE || op == OP_CASE) && !point_control(g, r);
}

/* ---- steps ---- */

static uint32_t open_step(Fusion *x, ProgramStep s)
{
    fuse_add_step(x, s);
    return x->program->n_steps - 1;
}

static void close_step(Fusion *x, StepKind kind, uint32_t opened)
{
    fuse_add_step(x, (ProgramStep){ .kind = (uint8_t)kind, .opened = opened });
}

/* ---- carries ---- */

/* Has the place a buffer for itself, that names may be exchanged with? */
static bool is_own_buffer(const Program *p, Place x, Type t)
{
    if (x.kind != PLACE_BUFFER || x.base.n_terms || x.base.offset) return false;
    const Buffer *b = &p->buffers[x.buffer];
    return b->count == type_count(t) && (b->kind == BUF_OUTPUT || b->kind == BUF_TEMP);
}

/* Buffers of a carry that changes `runs` times (-1: nobody knows), and its start in the first of them. */
static void open_carry(Fusion *x, Carry *c, int64_t runs)
{
    if (c->fixed) {
        c->now = c->init;
        c->next = (Place){ .kind = PLACE_NONE };
        return;
    }
    Place own = runs >= 0 && is_own_buffer(x->program, c->result, c->type) ? c->result : place_temporary(x->arena, x->program, c->type);
    Place other = place_temporary(x->arena, x->program, c->type);
    c->now = runs % 2 == 1 ? other : own;
    c->next = runs % 2 == 1 ? own : other;
    fuse_copy(x, c->type, c->init, c->now, "start");
}

static void swap(Fusion *x, const Carry *c)
{
    if (!c->fixed && type_count(c->type) > 0) fuse_add_step(x, (ProgramStep){ .kind = STEP_SWAP, .buffer = c->now.buffer, .other = c->next.buffer });
}

static void close_carry(Fusion *x, const Carry *c, int64_t runs)
{
    if (c->fixed) { fuse_copy(x, c->type, c->init, c->result, "copy"); return; }
    if (runs % 2 == 1) swap(x, c);
    bool there = c->result.kind == PLACE_BUFFER && (c->result.buffer == c->now.buffer || c->result.buffer == c->next.buffer);
    if (!there) fuse_copy(x, c->type, c->now, c->result, "copy");
}

static Carry *carries_of(Fusion *x, const Graph *g, const Node *n, uint32_t first, uint32_t count, const Graph *body, const Place *args, const Place *results)
{
    Carry *c = arena_alloc(x->arena, (count + 1) * sizeof *c);
    for (uint32_t i = 0; i < count; i++)
        c[i] = (Carry){ .type = graph_type(g, n->args[first + i]), .init = args[first + i], .result = results[i],
                        .fixed = body->outputs[i] == body->params[first + i] };
    return c;
}

/* ---- scans ---- */

/* One slice of a stacked array, chosen by a counter. */
static Place slice_of(Arena *a, Place whole, Type slice, const ScanShape *s, uint32_t counter)
{
    int64_t count = type_count(slice);
    if (whole.kind != PLACE_BUFFER) return whole;
    whole.base = address_add(a, whole.base, address_of(a, counter, s->reverse ? -count : count));
    if (s->reverse) whole.base.offset += (s->length - 1) * count;
    return whole;
}

static void scan_steps(Fusion *x, const Graph *g, const Node *n, const Place *args, const Place *results)
{
    ScanShape s = scan_shape(n->attr);
    const Graph *body = n->region;
    uint32_t kept = s.n_invariant + s.n_carry, counter = s.length ? x->program->n_counters++ : 0;
    Carry *c = carries_of(x, g, n, s.n_invariant, s.n_carry, body, args, results);
    Place *in = arena_alloc(x->arena, (n->n_args + 1) * sizeof *in), *out = arena_alloc(x->arena, (body->n_outputs + 1) * sizeof *out);
    double runs = x->runs;
    if (s.length == 0) {
        for (uint32_t i = 0; i < s.n_carry; i++) fuse_copy(x, c[i].type, c[i].init, c[i].result, "copy");
        return;
    }
    for (uint32_t i = 0; i < s.n_carry; i++) open_carry(x, &c[i], s.length);
    for (uint32_t i = 0; i < n->n_args; i++)
        in[i] = i < s.n_invariant ? args[i] : i < kept ? c[i - s.n_invariant].now : slice_of(x->arena, args[i], graph_type(body, body->params[i]), &s, counter);
    for (uint32_t i = 0; i < body->n_outputs; i++)
        out[i] = i < s.n_carry ? c[i].next : slice_of(x->arena, results[i], graph_type(body, body->outputs[i]), &s, counter);
    uint32_t loop = open_step(x, (ProgramStep){ .kind = STEP_LOOP, .extent = s.length, .counter = counter });
    x->runs = runs * (double)s.length;
    fuse_graph(x, body, in, out);
    x->runs = runs;
    for (uint32_t i = 0; i < s.n_carry; i++) swap(x, &c[i]);
    close_step(x, STEP_END, loop);
    for (uint32_t i = 0; i < s.n_carry; i++) close_carry(x, &c[i], s.length);
}

/* ---- while ---- */

static void while_steps(Fusion *x, const Graph *g, const Node *n, const Place *args, const Place *results)
{
    const Graph *cond = n->regions[0], *body = n->regions[1];
    uint32_t n_invariant = (uint32_t)n->attr[0], n_carry = n->n_args - n_invariant, counter = x->program->n_counters++;
    Carry *c = carries_of(x, g, n, n_invariant, n_carry, body, args, results);
    Place *in = arena_alloc(x->arena, (n->n_args + 1) * sizeof *in), *out = arena_alloc(x->arena, (n_carry + 1) * sizeof *out);
    Place test = place_temporary(x->arena, x->program, (Type){ WEFT_BOOL, 0, NULL });
    for (uint32_t i = 0; i < n_carry; i++) open_carry(x, &c[i], -1);
    for (uint32_t i = 0; i < n->n_args; i++) in[i] = i < n_invariant ? args[i] : c[i - n_invariant].now;
    for (uint32_t i = 0; i < n_carry; i++) out[i] = c[i].next;
    uint32_t loop = open_step(x, (ProgramStep){ .kind = STEP_WHILE, .counter = counter });
    fuse_graph(x, cond, in, &test);
    fuse_add_step(x, (ProgramStep){ .kind = STEP_TEST, .buffer = test.buffer, .opened = loop });
    fuse_graph(x, body, in, out);
    for (uint32_t i = 0; i < n_carry; i++) swap(x, &c[i]);
    close_step(x, STEP_END, loop);
    for (uint32_t i = 0; i < n_carry; i++) close_carry(x, &c[i], -1);
}

/* ---- case ---- */

static void case_steps(Fusion *x, const Node *n, const Place *args, const Place *results)
{
    Type index = { WEFT_I32, 0, NULL };
    Place chosen = place_temporary(x->arena, x->program, index);
    fuse_copy(x, index, args[0], chosen, "branch");
    uint32_t opened = open_step(x, (ProgramStep){ .kind = STEP_CASE, .buffer = chosen.buffer, .extent = n->n_regions });
    for (uint32_t i = 0; i < n->n_regions; i++) {
        close_step(x, STEP_BRANCH, opened);
        fuse_graph(x, n->regions[i], args + 1, results);
    }
    close_step(x, STEP_END, opened);
}

void control_steps(Fusion *x, const Graph *g, Ref r, const Place *args, const Place *results)
{
    const Node *n = &g->nodes[r];
    switch ((Op)n->op) {
    case OP_SCAN:  scan_steps(x, g, n, args, results); break;
    case OP_WHILE: while_steps(x, g, n, args, results); break;
    default:       case_steps(x, n, args, results);
    }
}
