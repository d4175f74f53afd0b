/* core_moves.c: see core_moves.h.
 *
 * Threads have the same pieces from loop to loop, so that rows stay on their core, as long as all loops go
 * over an array alike. Where one goes over its rows and the next over its columns (a transpose, the stages of
 * a Fourier transform), half of it comes from the other core. A thread alone has an array in its own cache,
 * if it is small enough.
 *
 * How a loop goes over an array is told by its SPAN: the elements from where its first iteration accesses it
 * to where its last one does. Loops that access little of it, borders, are not counted.
 */
#include "core_moves.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include <math.h>

#define BORDER (1. / 32) /* of an array: what a loop accesses with one statement */

struct CoreMoves {
    const Program *program;
    const uint32_t *memory;
    int64_t most_bytes;
    int64_t *span;   /* by memory: of what stores it; 0: nothing does */
    bool *is_moved;  /* something goes over it otherwise than what stores it */
    uint32_t *met;   /* the last kernel that it was counted for */
    uint32_t number; /* of kernels */
    double bytes;
};

typedef void AccessFn(CoreMoves *, const Stmt *, int64_t span);

/* How often the innermost statements of an outermost loop run. */
static double runs_of(const Kernel *k, Val outer, Val end)
{
    double runs[MAX_LOOP_DEPTH + 1] = { 1 }, most = 0;
    int depth = 0;
    for (Val v = outer; v < end; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_END) depth--;
        if (s->kind != ST_LOOP) continue;
        if (depth == MAX_LOOP_DEPTH) break; /* the back end refuses such a kernel */
        runs[depth + 1] = runs[depth] * (s->extent == EXTENT_WHILE ? 1 : (double)s->extent);
        most = fmax(most, runs[++depth]);
    }
    return most;
}

static void each_access(CoreMoves *m, const Kernel *k, AccessFn *fn)
{
    for (Val outer = 0; outer < k->n_stmts; outer++) {
        const Stmt *l = &k->stmts[outer];
        if (l->kind != ST_LOOP) continue;
        Val end = loop_end(k, outer);
        double runs = runs_of(k, outer, end);
        for (Val v = outer; v < end; v++) {
            const Stmt *s = &k->stmts[v];
            int64_t step = address_coefficient(s->address, outer);
            if (stmt_uses_buffer(s) && runs >= BORDER * (double)m->program->buffers[s->buffer].count)
                fn(m, s, (step < 0 ? -step : step) * l->extent);
        }
        outer = end;
    }
}

static void note_store(CoreMoves *m, const Stmt *s, int64_t span)
{
    int64_t *of = &m->span[m->memory[s->buffer]];
    if (s->kind == ST_STORE) *of = max_i64(*of, max_i64(span, 1));
}

static bool is_other_way(const CoreMoves *m, const Stmt *s, int64_t span)
{
    int64_t stored = m->span[m->memory[s->buffer]];
    return stored && (stored > 2 * span || span > 2 * stored);
}

static bool is_small(const CoreMoves *m, const Stmt *s)
{
    const Buffer *b = &m->program->buffers[m->memory[s->buffer]];
    return b->kind != BUF_LOCAL && buffer_bytes(b) <= m->most_bytes;
}

static void note_load(CoreMoves *m, const Stmt *s, int64_t span)
{
    m->is_moved[m->memory[s->buffer]] |= s->kind == ST_LOAD && is_other_way(m, s, span) && is_small(m, s);
}

static void count(CoreMoves *m, const Stmt *s, int64_t span)
{
    uint32_t of = m->memory[s->buffer];
    bool counts = m->is_moved[of] && (s->kind == ST_STORE || is_other_way(m, s, span));
    if (!counts || m->met[of] == m->number) return;
    m->met[of] = m->number;
    m->bytes += (double)buffer_bytes(&m->program->buffers[of]);
}

CoreMoves *core_moves_new(Program *p, const Target *t, const uint32_t *memory)
{
    CoreMoves *m = arena_alloc(p->arena, sizeof *m);
    *m = (CoreMoves){ .program = p,
                      .memory = memory,
                      .most_bytes = (int64_t)(MOST_MOVED_PART * t->l2_bytes),
                      .span = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *m->span),
                      .is_moved = arena_alloc(p->arena, p->n_buffers + 1),
                      .met = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *m->met) };
    for (uint32_t i = 0; i < p->n_kernels; i++) each_access(m, &p->kernels[i], note_store);
    for (uint32_t i = 0; i < p->n_kernels; i++) each_access(m, &p->kernels[i], note_load);
    return m;
}

double core_moves_ns(CoreMoves *m, const Kernel *k)
{
    m->number++;
    m->bytes = 0;
    each_access(m, k, count);
    return m->bytes * NS_PER_MOVED_BYTE;
}
