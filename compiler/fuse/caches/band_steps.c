/* band_steps.c: the steps and kernels of a run that goes band by band (bands.c): kernels get rows, addresses
 * in windows, and a kernel that moves rows stands at the end of each band. */
#include "band_run.h"
#include "compiler/fuse/loops/nest.h"
#include <string.h>

void kernel_prepend(Arena *arena, Kernel *k, const Stmt *first, uint32_t n)
{
    Stmt *stmts = arena_alloc(arena, (k->n_stmts + n) * sizeof *stmts);
    memcpy(stmts, first, n * sizeof *stmts);
    for (Val i = 0; i < k->n_stmts; i++) {
        Stmt *s = &stmts[i + n];
        *s = k->stmts[i];
        for (int a = 0; a < 3; a++) s->args[a] += s->args[a] == VAL_NONE ? 0 : n;
        Term *terms = arena_copy(arena, s->address.terms, s->address.n_terms * sizeof *terms);
        for (uint32_t t = 0; t < s->address.n_terms; t++) terms[t].of += n;
        s->address.terms = terms;
    }
    k->stmts = stmts;
    k->n_stmts += n;
}

static void use_windows(const BandRun *r, Kernel *k)
{
    for (Val i = 0; i < k->n_stmts; i++) {
        Stmt *s = &k->stmts[i];
        const Window *w = stmt_uses_buffer(s) ? window_at(r, s->buffer) : NULL;
        if (w) s->address = rows_in_window(r->arena, w, s->address, 0);
    }
}

static void change_kernels(BandRun *r, uint32_t counter)
{
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        Kernel *k = r->piece[p].kernel;
        k->stmts[r->piece[p].loop].imm = (uint64_t)r->piece[p].lead;
        k->stmts[r->piece[p].loop].halo = (uint32_t)r->piece[p].halo;
        k->counter = counter;
        k->rows = r->rows;
    }
    for (uint32_t i = r->first; i < r->end; i++) {
        Kernel *k = kernel_at(r, i);
        if (band_touches_window(r, i)) {
            Stmt count = stmt_new(ST_COUNTER, WEFT_I64);
            count.imm = counter;
            kernel_prepend(r->arena, k, &count, 1);
            use_windows(r, k);
        }
        r->program->kernels[r->program->steps[i].kernel] = *k;
    }
}

/* What the next band reads again moves to where that expects it. */
static void move_rows(const BandRun *r, Nest *n, const Window *w)
{
    const Buffer *b = &r->program->buffers[w->buffer];
    int64_t stride = w->layout.stride, part = w->rows * stride, parts = rows_parts(b, w->layout);
    DType t = (DType)b->dtype;
    LoopShape rows = { .extent = w->kept * stride,
                       .lanes = (uint16_t)(r->target->vector_bytes / dtype_bytes(t)),
                       .tile = COPY_TILE },
              around = { .extent = parts, .lanes = 1, .tile = 1 };
    Val outer = parts > 1 ? nest_loop(n, 0, 0, around, true) : VAL_NONE;
    uint32_t block = parts > 1 ? nest_body(n, outer) : 0;
    Val inner = nest_loop(n, block, 0, rows, true);
    Address to = address_shift(address_of(r->arena, inner, 1), w->from * stride);
    block = nest_body(n, inner);
    if (parts > 1) to = address_add(r->arena, to, address_of(r->arena, outer, part));
    Val value = nest_load(n, t, w->buffer, address_shift(to, w->step * stride), VAL_NONE, block, 0);
    nest_store(n, block, w->buffer, to, value, VAL_NONE);
}

/* The kernel at the end of a band. False: there is nothing to move. */
static bool make_moves(const BandRun *r, Kernel *k)
{
    bool any = false;
    Nest n;
    nest_init(&n, r->arena);
    for (uint32_t i = 0; i < r->n_windows; i++) {
        if (!r->window[i].kept) continue;
        move_rows(r, &n, &r->window[i]);
        any = true;
    }
    *k = (Kernel){ .name = "rows_kept" };
    if (any) nest_flatten(&n, r->arena, k);
    return any;
}

void band_append(BandRun *r, StepList *l)
{
    Program *p = r->program;
    uint32_t counter = p->n_counters++, opened = l->n;
    Kernel moves;
    bool any = make_moves(r, &moves);
    step_list_push(
        r->arena, l,
        (ProgramStep){ .kind = STEP_LOOP, .extent = band_count(r), .counter = counter, .bands = true });
    change_kernels(r, counter);
    for (uint32_t i = r->first; i < r->end; i++) step_list_push(r->arena, l, p->steps[i]);
    for (uint32_t i = 0; i < r->n_windows; i++) {
        Buffer *b = &p->buffers[r->window[i].buffer];
        b->count = rows_window_count(&r->window[i], b);
    }
    if (any) {
        step_list_push(r->arena, l, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels });
        ARENA_PUSH(r->arena, p->kernels, p->n_kernels, p->cap_kernels) = moves;
    }
    step_list_push(r->arena, l, (ProgramStep){ .kind = STEP_END, .opened = opened });
}
