/* fuse_program.c: kernels and steps appended to a program, in order; and what is done once all are there. */
#include "fuse_state.h"
#include "compiler/fuse/memory/constants.h"
#include "compiler/fuse/loops/schedule.h"
#include "compiler/fuse/loops/serial.h"
#include "compiler/fuse/caches/bands.h"
#include "compiler/fuse/caches/column_folds.h"
#include "compiler/fuse/caches/streams.h"
#include "compiler/fuse/caches/transpose_panels.h"
#include "compiler/fuse/caches/turns.h"
#include "compiler/fuse/caches/update_places.h"
#include "compiler/fuse/threads/parallel.h"
#include "compiler/fuse/threads/parts.h"
#include "compiler/fuse/threads/prefix_parts.h"
#include <string.h>

void fuse_copy(Fusion *x, Type t, Place from, Place to, const char *name)
{
    int64_t count = type_count(t);
    if (count == 0 || to.kind == PLACE_NONE) return;
    Build b = {
        .arena = x->tries, .empty = arena_mark(x->tries), .program = x->program, .target = x->target
    };
    nest_init(&b.nest, b.arena);
    LoopShape s = { .extent = count,
                    .lanes = (uint16_t)(x->target->vector_bytes / dtype_bytes((DType)t.dtype)),
                    .tile = COPY_TILE,
                    .parallel = true };
    uint32_t block = 0;
    Address at = address_number(0);
    if (count > 1) {
        Val loop = nest_loop(&b.nest, 0, 0, s, false);
        at = address_of(b.arena, loop, 1);
        block = nest_body(&b.nest, loop);
    }
    Type flat = { t.dtype, 1, &count };
    point_store_to(&b, to, flat, &at, point_load_from(&b, from, flat, &at, VAL_NONE, block, 0), VAL_NONE,
                   block);
    Kernel k = { .name = name };
    nest_flatten(&b.nest, b.arena, &k);
    fuse_add_kernel(x, &k);
    arena_release(b.arena, b.empty);
}

BufferUses *fuse_uses(Fusion *x, uint32_t buffer)
{
    x->uses = arena_grow(x->arena, x->uses, x->cap_uses, &x->cap_uses, buffer + 1, sizeof *x->uses);
    return &x->uses[buffer];
}

static void note_kernel(Fusion *x, uint32_t buffer, uint32_t kernel)
{
    BufferUses *u = fuse_uses(x, buffer);
    struct KernelUse use = { kernel, u->kernels };
    if (!u->first) u->first = kernel + 1;
    if (u->last < kernel + 1) u->last = kernel + 1;
    if (!u->kernels || u->kernels->kernel != kernel) u->kernels = arena_copy(x->arena, &use, sizeof use);
}

static void note_step(Fusion *x, uint32_t buffer)
{
    BufferUses *u = fuse_uses(x, buffer);
    u->steps = true;
    if (!u->first) u->first = x->program->n_kernels + 1;
}

void fuse_add_step(Fusion *x, ProgramStep s)
{
    Program *p = x->program;
    for (uint32_t i = 0; s.kind == STEP_CALL && i < s.n_buffers; i++) note_step(x, s.buffers[i]);
    if (s.kind == STEP_SWAP) note_step(x, s.other);
    if (s.kind == STEP_SWAP || s.kind == STEP_TEST || s.kind == STEP_CASE) note_step(x, s.buffer);
    p->steps = arena_grow(x->arena, p->steps, p->n_steps, &p->cap_steps, p->n_steps + 1, sizeof *p->steps);
    if (s.kind == STEP_CALL) p->library |= 1u << s.function;
    p->steps[p->n_steps++] = s;
}

static void move_uses(Fusion *x, uint32_t from, uint32_t to)
{
    fuse_uses(x, to); /* makes room, as the next does, which may move it */
    BufferUses *f = fuse_uses(x, from), *t = &x->uses[to];
    struct KernelUse **end = &f->kernels;
    while (*end) end = &(*end)->next;
    *end = t->kernels;
    t->kernels = f->kernels;
    if (!t->first || (f->first && f->first < t->first)) t->first = f->first;
    if (t->last < f->last) t->last = f->last;
    t->steps |= f->steps;
    *f = (BufferUses){ 0 };
}

void fuse_rename_buffer(Fusion *x, uint32_t from, uint32_t to)
{
    Program *p = x->program;
    BufferUses of = *fuse_uses(x, from);
    if (from == to || !of.first) return;
    for (struct KernelUse *u = of.kernels; u; u = u->next)
        for (uint32_t i = 0; i < p->kernels[u->kernel].n_stmts; i++) {
            Stmt *s = &p->kernels[u->kernel].stmts[i];
            if (stmt_uses_buffer(s) && s->buffer == from) s->buffer = to;
        }
    move_uses(x, from, to);
    for (uint32_t i = 0; of.steps && i < p->n_steps; i++) {
        ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_SWAP && s->other == from) s->other = to;
        if ((s->kind == STEP_SWAP || s->kind == STEP_TEST || s->kind == STEP_CASE) && s->buffer == from)
            s->buffer = to;
        for (uint32_t b = 0; s->kind == STEP_CALL && b < s->n_buffers; b++)
            if (s->buffers[b] == from) ((uint32_t *)(uintptr_t)s->buffers)[b] = to;
    }
}

static Kernel copied(Arena *a, const Kernel *k)
{
    Kernel c = *k;
    c.name = arena_printf(a, "%s", k->name);
    c.stmts = arena_copy(a, k->stmts, k->n_stmts * sizeof *c.stmts);
    for (Stmt *s = c.stmts; s < c.stmts + c.n_stmts; s++) {
        if (s->attr) s->attr = arena_copy(a, s->attr, 2 * sizeof *s->attr);
        if (s->address.n_terms)
            s->address.terms = arena_copy(a, s->address.terms, s->address.n_terms * sizeof(Term));
    }
    return c;
}

void fuse_add_kernel(Fusion *x, const Kernel *k)
{
    Program *p = x->program;
    ARENA_PUSH(x->arena, p->kernels, p->n_kernels, p->cap_kernels) = copied(x->arena, k);
    for (uint32_t i = 0; i < k->n_stmts; i++)
        if (stmt_uses_buffer(&k->stmts[i])) note_kernel(x, k->stmts[i].buffer, p->n_kernels - 1);
    fuse_add_step(x, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels - 1 });
}

/* Has r memory of its own that one operand of one node reads, and nothing else? */
static bool is_spare(const GraphFusion *f, Ref r)
{
    const NodePlan *p = &f->plan[r];
    for (; p->is_view; p = &f->plan[r = f->g->nodes[r].args[0]])
        if (f->uses[r] > 1 || f->g->nodes[r].op == OP_SLICE) return false;
    return f->uses[r] == 1 && p->materialized && !p->round.n_also && !p->round.results &&
           f->g->nodes[r].op != OP_RESULT &&
           place_is_whole(f->program, p->round.place, graph_type(f->g, r)) &&
           f->program->buffers[p->round.place.buffer].kind == BUF_TEMP;
}

/* The steps of a node. */
static void emit_steps(GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    Place *args = arena_alloc(f->arena, (n->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) {
        int64_t start;
        args[i] = fuse_operand_place(f, fuse_viewed(f, n->args[i], &start));
        if (start) args[i].base = address_shift(args[i].base, start);
        args[i].spare = is_spare(f, n->args[i]);
    }
    steps_append(f->fusion, f->g, r, args, f->plan[r].round.results);
}

/* What is computed whole lies at one place; here it is copied to the others. */
static void emit_also(GraphFusion *f, Ref whole)
{
    Ref end = f->g->nodes[whole].n_results > 1 ? f->g->n_nodes : whole + 1;
    for (Ref r = whole; r < end; r++) {
        const NodeRound *now = &f->plan[r].round;
        if (!f->used[r] ||
            (r != whole && !(f->g->nodes[r].op == OP_RESULT && f->g->nodes[r].args[0] == whole)))
            continue;
        for (uint32_t i = 0; i < now->n_also; i++)
            fuse_copy(f->fusion, graph_type(f->g, r), now->place, now->also[i], "copy");
    }
}

static void emit_made(GraphFusion *f, const Made *m)
{
    if (m->steps != REF_NONE) emit_steps(f, m->steps);
    else fuse_add_kernel(f->fusion, &m->kernel);
    if (m->call) fuse_add_step(f->fusion, *m->call);
    if (m->n_stores && fuse_is_whole(f, m->stores[0])) emit_also(f, m->stores[0]);
}

/* Outputs that are inputs or constants: copies. */
static void copy_outputs(GraphFusion *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = point_behind_barriers(f->g, f->g->outputs[i]);
        const Node *n = &f->g->nodes[r];
        if (n->op == OP_CONSTANT || n->op == OP_PARAMETER)
            fuse_copy(f->fusion, node_type(n), fuse_operand_place(f, r), f->outs[i], "copy");
    }
}

/* Kernels were made from last to first, so the reverse is nearly the order. */
void fuse_emit_all(GraphFusion *f)
{
    uint8_t *state = arena_alloc(f->arena, f->round.n_made + 1);
    uint32_t *stack = arena_alloc(f->arena, (f->round.n_made + 1) * sizeof *stack);
    for (uint32_t start = f->round.n_made; start-- > 0;) {
        uint32_t top = 0;
        if (state[start]) continue;
        stack[top++] = start;
        while (top) {
            uint32_t k = stack[top - 1], before = UINT32_MAX;
            const Made *m = &f->round.made[k];
            state[k] = 1;
            for (uint32_t i = 0; i < m->n_loads && before == UINT32_MAX; i++) {
                uint32_t by = f->plan[m->loads[i]].round.kernel;
                if (by && by - 1 != k && !state[by - 1]) before = by - 1;
            }
            for (uint32_t i = 0; i < MAX_PACKED; i++)
                if (m->packing[i] && !state[m->packing[i] - 1]) before = m->packing[i] - 1;
            if (m->previous && !state[m->previous - 1]) before = m->previous - 1;
            if (before != UINT32_MAX) {
                stack[top++] = before;
                continue;
            }
            top--;
            emit_made(f, m);
        }
    }
    copy_outputs(f);
}

/* ---- all there ---- */

static void drop_empty(Program *p)
{
    uint32_t n = 0, *map = arena_alloc(p->arena, (p->n_steps + 1) * sizeof *map);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        ProgramStep s = p->steps[i];
        map[i] = n;
        if (s.kind == STEP_KERNEL && p->kernels[s.kernel].n_stmts == 0) continue;
        if (step_has_opened(&s)) s.opened = map[s.opened];
        p->steps[n++] = s;
    }
    p->n_steps = n;
}

/* Kernels in the order of their steps. */
static void number_kernels(Program *p)
{
    uint32_t n = 0;
    Kernel *kernels = arena_alloc(p->arena, (p->n_kernels + 1) * sizeof *kernels);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (p->steps[i].kind != STEP_KERNEL) continue;
        kernels[n] = p->kernels[p->steps[i].kernel];
        kernels[n].name = arena_printf(p->arena, "k%u_%s", n, kernels[n].name);
        p->steps[i].kernel = n++;
    }
    p->kernels = kernels;
    p->n_kernels = p->cap_kernels = n;
}

void fuse_finish(Program *p, const Target *target)
{
    drop_empty(p);
    serial_make(p);
    turns_make(p, target);
    bands_make(p, target);
    parts_make(p, target);
    prefix_parts_make(p, target);
    update_places_make(p, target);
    number_kernels(p);
    panels_make(p, target);
    column_folds_make(p, target);
    streams_choose(p, target);
    parallel_make(p, target);
    constants_gather(p);
    schedule_kernels(p, target);
}
