/* streams.c: see streams.h.
 *
 * A plain store reads the line that it writes first, and drives another line out of the caches. Past the
 * last cache that is a third of a copy's traffic. Streamed are stores of a kernel
 *
 *   - that touches more memory than the last cache holds, and writes an array of half of that or more: what
 *     a smaller kernel writes is still in the caches when somebody reads it. Half of both will do for what
 *     is turned: lines that are written a few in each of many rows come and go one by one. Kernels that run
 *     band by band count as one, and need less, as what they hand on is in the caches, too;
 *   - into a buffer that no kernel or call of the program reads, and that shares no memory with an input: of
 *     what is updated in place the line is there already;
 *   - in whole vectors that lie at multiples of their size, if the buffer does;
 *   - outside of loops of steps, whose next iteration may write the same memory again.
 */
#include "streams.h"
#include "compiler/fuse/cost.h"

typedef struct Streams {
    Program *p;
    const Target *target;
    bool *is_kept;  /* by buffer: read, or known by several names */
    uint32_t *seen; /* by buffer: 1 + the step where it was last found to be touched */
} Streams;

static void note_step(Streams *x, const ProgramStep *s)
{
    if (s->kind == STEP_SWAP) x->is_kept[s->buffer] = x->is_kept[s->other] = true;
    for (uint32_t i = 0; s->kind == STEP_CALL && i < s->n_buffers; i++) x->is_kept[s->buffers[i]] = true;
    if (s->kind == STEP_TEST || s->kind == STEP_CASE) x->is_kept[s->buffer] = true;
}

static void find_kept(Streams *x)
{
    const Program *p = x->p;
    for (uint32_t b = 0; b < p->n_buffers; b++)
        x->is_kept[b] = p->buffers[b].kind == BUF_LOCAL || p->buffers[b].alias >= 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++)
            if (p->kernels[k].stmts[i].kind == ST_LOAD) x->is_kept[p->kernels[k].stmts[i].buffer] = true;
    for (uint32_t i = 0; i < p->n_steps; i++) note_step(x, &p->steps[i]);
}

/* What a step touches, each buffer once: a kernel, or a loop with all that is in it. */
static double touched(Streams *x, uint32_t step)
{
    const Program *p = x->p;
    double bytes = 0;
    uint32_t i = step, depth = 0;
    do {
        const ProgramStep *s = &p->steps[i++];
        depth += step_opens(s);
        depth -= s->kind == STEP_END;
        const Kernel *k = s->kind == STEP_KERNEL ? &p->kernels[s->kernel] : NULL;
        for (uint32_t v = 0; k && v < k->n_stmts; v++) {
            if (!stmt_uses_buffer(&k->stmts[v]) || x->seen[k->stmts[v].buffer] == step + 1) continue;
            x->seen[k->stmts[v].buffer] = step + 1;
            bytes += (double)buffer_bytes(&p->buffers[k->stmts[v].buffer]);
        }
    } while (depth);
    return bytes;
}

/* Do whole vectors of the STORE, in lanes or in squares, lie at multiples of their size? */
static bool is_aligned(const Streams *x, const Kernel *k, const Stmt *s)
{
    int64_t whole = x->target->vector_bytes / (int64_t)dtype_bytes((DType)x->p->buffers[s->buffer].dtype);
    bool aligned = s->address.offset % whole == 0;
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        Term t = s->address.terms[i];
        const Stmt *of = &k->stmts[t.of];
        bool steps = of->kind == ST_LOOP && t.coef == 1 && (int64_t)of->lanes * of->tile % whole == 0;
        aligned &= (of->kind == ST_LOOP || of->kind == ST_COUNTER) && (steps || t.coef % whole == 0);
    }
    return aligned;
}

/* Does a body store at several places, of each less than a line at once? Lines that wait to be filled
 * drive each other out of the few places for them (gradient of the maxima of 3 x 3 by steps of 2 over 8 x
 * 112 x 112 x 64 f32, AVX2: 11 ms, stored plainly 6). */
static bool fills_by_turns(const Kernel *k, Val loop, int64_t line)
{
    int places = 0;
    if (k->stmts[loop].lanes <= 1 || (int64_t)k->stmts[loop].lanes * k->stmts[loop].tile >= line)
        return false;
    for (uint32_t i = 0; i < k->n_stmts; i++)
        places += k->stmts[i].kind == ST_STORE && address_coefficient(k->stmts[i].address, loop) == 1;
    return places > 1;
}

/* A line of which some vectors are streamed and others stored plainly, as where rows are cut for their
 * padding, or end in a masked vector, goes to memory twice. That costs as much as is saved on MANY_LINES
 * others: of shorter runs, streamed are those that fill their lines, or that follow each other without a
 * gap. */
static bool fills_lines(const Streams *x, const Kernel *k, const Stmt *s)
{
    int64_t bytes = (int64_t)dtype_bytes((DType)x->p->buffers[s->buffer].dtype), line = LINE_BYTES / bytes,
            run = 1;
    bool whole = s->address.offset % line == 0, follow = false;
    if (x->target->vector_bytes >= LINE_BYTES) return true;
    for (uint32_t i = 0; i < s->address.n_terms; i++)
        if (s->address.terms[i].coef == 1) {
            if (fills_by_turns(k, s->address.terms[i].of, line)) return false;
            run = k->stmts[s->address.terms[i].of].extent;
        }
    if (run >= MANY_LINES * line) return true;
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        int64_t coef = s->address.terms[i].coef;
        follow |= coef == run && run * bytes % x->target->vector_bytes == 0;
        whole &= coef == 1 || coef % line == 0;
    }
    return follow || (whole && run % line == 0);
}

/* Do lanes of a LOAD lie in lines of their own, as those of a transpose do? */
static bool reads_across(const Streams *x, const Kernel *k)
{
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind != ST_LOAD) continue;
        int64_t bytes = (int64_t)dtype_bytes((DType)x->p->buffers[s->buffer].dtype);
        for (uint32_t t = 0; t < s->address.n_terms; t++) {
            const Stmt *of = &k->stmts[s->address.terms[t].of];
            if (of->kind == ST_LOOP && of->lanes > 1 && s->address.terms[t].coef * bytes >= LINE_BYTES)
                return true;
        }
    }
    return false;
}

/* bytes: that it touches, with what runs with it band by band. */
static void mark_stores(Streams *x, Kernel *k, double bytes, bool in_bands)
{
    double cache = x->target->l3_bytes;
    if (in_bands) cache *= STREAMED_IN_BANDS;
    if (x->target->vector_bytes >= LEAST_TURNED && reads_across(x, k)) cache *= STREAMED_TURNED;
    if (bytes <= cache) return;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        Stmt *s = &k->stmts[i];
        if (s->kind == ST_STORE && !x->is_kept[s->buffer] && is_aligned(x, k, s) && fills_lines(x, k, s))
            s->streamed = (double)buffer_bytes(&x->p->buffers[s->buffer]) >= cache * LEAST_STREAMED;
    }
}

void streams_choose(Program *p, const Target *target)
{
    Streams x = { .p = p,
                  .target = target,
                  .is_kept = arena_alloc(p->arena, p->n_buffers * sizeof *x.is_kept + 1),
                  .seen = arena_alloc(p->arena, p->n_buffers * sizeof *x.seen + 1) };
    uint32_t loops = 0, bands = 0; /* open now */
    double bytes = 0;
    if (!target->l3_bytes) return;
    find_kept(&x);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i], *of = s->kind == STEP_END ? &p->steps[s->opened] : s;
        if (!loops && !bands && (of->bands || s->kind == STEP_KERNEL)) bytes = touched(&x, i);
        if (s->kind == STEP_KERNEL && !loops) mark_stores(&x, &p->kernels[s->kernel], bytes, bands > 0);
        if (of->kind != STEP_LOOP && of->kind != STEP_WHILE) continue;
        *(of->bands ? &bands : &loops) += s->kind == STEP_END ? -1 : 1;
    }
}
