/* turns.c: see turns.h.
 *
 * A loop that changes arrays from their first row to their last in each TURN, as the steps of a stencil do,
 * reads and writes them once a turn. Where the caches do not hold them, T turns go together: a band of B rows
 * in the first turn, then one in the second that is so far behind that it needs nothing the first has not
 * done, and so on; then the next band in each. What a turn leaves for the next is read while it is in the
 * caches. What each row computes and in which order is the same.
 *
 *     loop c0 : 100 { kernel ... }
 *
 *     loop c1 : 25 {
 *       bands c2 : 103 {
 *         bands c3 : 4 {
 *           c4 = 1 c2 + -1 c3          the band of this turn
 *           c5 = 4 c1 + 1 c3           which was c0
 *           kernel rows 8 c4 { ... } } } }
 *
 * The pieces of a turn lead each other (band_run.c), by no more than 0 rows: so a band below the first has no
 * rows, nor has one behind the last. A turn is `behind` bands behind the one before it, as many as the
 * largest of its pieces' leads over those of the turn before asks for. Arrays that are exchanged after each
 * turn count as one, and are so again after each band; what is left of the turns is a second such loop.
 */
#include "turns.h"
#include "band_run.h"
#include "compiler/fuse/memory/alias.h"
#include "compiler/fuse/threads/kernel_time.h"
#include "turn_numbers.h"
#include <stdlib.h>
#include <string.h>

typedef struct Turns {
    BandRun *r;
    StepList list;
    uint32_t loop, swaps, end; /* steps: the LOOP, behind its kernels, its END */
    const bool *numbers;       /* by buffer: turn_numbers.h */
    uint32_t *loads, *stores;  /* by memory: how many in the loop */
    /* turns; of them, one thread's; what turns of threads are a multiple of; bands from one to the next */
    int64_t together, each, unit, behind;
} Turns;

/* ---- which loops ---- */

static const ProgramStep *step_at(const Turns *t, uint32_t i) { return &t->r->program->steps[i]; }

/* Kernels, and then swaps, of each buffer at most one, so that two turns of them change nothing. */
static bool is_plain(Turns *t)
{
    const Program *p = t->r->program;
    const ProgramStep *s = step_at(t, t->loop);
    uint32_t i = t->loop + 1;
    if (s->kind != STEP_LOOP || s->bands || s->parallel || s->extent < LEAST_TURNS) return false;
    while (i < p->n_steps && p->steps[i].kind == STEP_KERNEL) i++;
    t->swaps = i;
    for (; i < p->n_steps && p->steps[i].kind == STEP_SWAP; i++)
        for (uint32_t k = t->swaps; k < i; k++) {
            const ProgramStep *a = step_at(t, k), *b = step_at(t, i);
            if (a->buffer == b->buffer || a->buffer == b->other || a->other == b->buffer ||
                a->other == b->other)
                return false;
        }
    t->end = i;
    return i < p->n_steps && p->steps[i].kind == STEP_END && t->swaps > t->loop + 1 &&
           t->swaps - t->loop <= MAX_BAND_KERNELS;
}

/* Does the turn's counter move the address further than it reaches otherwise? */
static bool moves_apart(const Turns *t, const Kernel *k, Address a)
{
    int64_t reach = 0, by = 0;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *of = &k->stmts[a.terms[i].of];
        int64_t coef = llabs(a.terms[i].coef);
        if (of->kind == ST_COUNTER && of->imm == step_at(t, t->loop)->counter) by = coef;
        else if (of->kind != ST_LOOP || of->extent < 1) return false;
        else reach += coef * (of->extent - 1);
    }
    return reach < by;
}

/* Counts LOADs and STOREs of each memory. */
static void count_accesses(Turns *t)
{
    const Program *p = t->r->program;
    memset(t->loads, 0, p->n_buffers * sizeof *t->loads);
    memset(t->stores, 0, p->n_buffers * sizeof *t->stores);
    for (uint32_t i = t->loop + 1; i < t->swaps; i++) {
        const Kernel *k = &p->kernels[p->steps[i].kernel];
        for (Val v = 0; v < k->n_stmts; v++) {
            const Stmt *s = &k->stmts[v];
            if (s->kind == ST_LOAD) t->loads[t->r->memory[s->buffer]]++;
            if (s->kind == ST_STORE) t->stores[t->r->memory[s->buffer]]++;
        }
    }
}

/* Whatever nobody waits for: what the loop does not store; what only one STORE touches, each turn elsewhere,
 * as a scan's outputs; its numbers. */
static void find_own(Turns *t)
{
    const Program *p = t->r->program;
    count_accesses(t);
    for (uint32_t b = 0; b < p->n_buffers; b++) t->r->own[b] = t->numbers[b] || !t->stores[t->r->memory[b]];
    for (uint32_t i = t->loop + 1; i < t->swaps; i++) {
        const Kernel *k = &p->kernels[p->steps[i].kernel];
        for (Val v = 0; v < k->n_stmts; v++) {
            const Stmt *s = &k->stmts[v];
            if (s->kind != ST_STORE) continue;
            uint32_t m = t->r->memory[s->buffer];
            t->r->own[s->buffer] |= t->stores[m] == 1 && !t->loads[m] && moves_apart(t, k, s->address);
        }
    }
    for (uint32_t i = t->swaps; i < t->end; i++)
        t->r->own[step_at(t, i)->buffer] = t->r->own[step_at(t, i)->other] = false;
}

/* By how much all pieces of a turn must lead those of the next, with the leads they have; -1: that cannot be
 * said. What is LOCAL does not outlive a row. */
static int64_t find_skew(const BandRun *r)
{
    int64_t skew = 0;
    for (uint32_t i = 0; i < r->n_touches; i++) {
        const Touch *a = &r->touch[i];
        int64_t most = INT64_MIN;
        if (r->program->buffers[a->buffer].kind == BUF_LOCAL) continue;
        FOR_TOUCHES(b, r, a->buffer)
        {
            if (!a->stores && !b->stores) continue;
            if (!a->known || !b->known) return -1;
            band_need_order(r, a, b, &most);
        }
        if (most > INT64_MIN) skew = max_i64(skew, most - r->piece[a->piece].lead);
    }
    return skew;
}

/* No lead is above 0, and the largest is as near to it as may be. What waits for nothing but numbers is in
 * the first band. */
static void lower_leads(BandRun *r)
{
    int64_t most = INT64_MIN;
    for (uint32_t p = 0; p < r->n_pieces; p++) most = max_i64(most, r->piece[p].lead);
    most = round_up_i64(most, band_rows_unit(r));
    for (uint32_t p = 0; p < r->n_pieces; p++)
        r->piece[p].lead -= r->piece[p].first < r->piece[p].end ? most : r->piece[p].lead;
}

/* The work of a band in each of so many turns, in ns. */
static double band_ns(const Turns *t, int64_t turns)
{
    const BandRun *r = t->r;
    double ns = 0;
    for (uint32_t i = r->first; i < r->end; i++) {
        const Kernel *k = &r->kernel[i - r->first];
        ns += stmts_arithmetic_ns(k, 0, k->n_stmts);
    }
    return ns * (double)r->rows / (double)r->extent * (double)turns;
}

/* Do threads share the turns? If they do, there are as many for each, of most turns, and a band is as long as
 * pays for several, unless the bands in which not all have work would be too many. */
static bool share(Turns *t)
{
    BandRun *r = t->r;
    int64_t all = step_at(t, t->loop)->extent, step = band_rows_unit(r);
    t->unit = r->target->threads * t->each;
    t->together = min_i64(t->together, all) / t->unit * t->unit;
    if (!t->together || (double)(all % t->together % t->unit) > (double)all * MOST_ALONE) return false;
    double longer = r->target->parallel_ns / band_ns(t, t->together),
           most = (double)r->extent / (double)(t->behind * t->together * LEAST_FULL) / (double)r->rows;
    if (longer > most) longer = most;
    if (longer > 1) r->rows = (int64_t)((double)r->rows * longer) / step * step;
    return threads_pay(r->target, band_ns(t, t->together), (double)r->extent / (double)r->rows);
}

/* Groups of about as many turns; of an even number, if arrays are exchanged after each. */
static int64_t even_groups(const Turns *t)
{
    int64_t all = step_at(t, t->loop)->extent, groups = (all + t->together - 1) / t->together,
            turns = (all + groups - 1) / groups, unit = t->swaps < t->end ? 2 : 1;
    return min_i64(round_up_i64(turns, unit), all / unit * unit);
}

/* How many rows, of how many turns. False: it does not pay. If a row needs none but itself, all turns are
 * done with those that the near cache holds; else the last cache holds a band of each turn beside the
 * rest. */
static bool choose(Turns *t)
{
    BandRun *r = t->r;
    int64_t skew = find_skew(r), all = step_at(t, t->loop)->extent, exchanged = t->swaps < t->end ? 2 : 1;
    bool threads = r->target->threads > 1;
    r->extent = 0;
    for (uint32_t p = 0; p < r->n_pieces; p++) r->extent = max_i64(r->extent, loop_of(&r->piece[p])->extent);
    double bytes = band_row_bytes(r), l3 = r->target->l3_bytes,
           least = r->target->l2_bytes * (skew ? LEAST_BAND : BAND_PART);
    if (skew < 0 || (!skew && threads) || bytes * (double)r->extent < l3 * LEAST_TURNED_BYTES) return false;
    r->rows = round_up_i64(max_i64(skew, (int64_t)(least / bytes) + 1), band_rows_unit(r));
    t->behind = skew ? 1 + threads : 0;
    t->together = skew ? min_i64((int64_t)(l3 * TURNS_PART / (bytes * (double)r->rows)), MOST_TURNS) : all;
    t->together -= t->together % exchanged;
    if (t->together < 1 || r->rows * LEAST_BANDS > r->extent) return false;
    t->each = threads ? exchanged : t->together;
    if (threads) return share(t);
    t->together = t->each = even_groups(t);
    t->unit = 1;
    return t->together > 1 || t->swaps - t->loop > 2;
}

/* ---- the new loops ---- */

static uint32_t append_loop(Turns *t, int64_t extent, bool bands)
{
    Program *p = t->r->program;
    step_list_push(
        p->arena, &t->list,
        (ProgramStep){ .kind = STEP_LOOP, .extent = extent, .counter = p->n_counters++, .bands = bands });
    return t->list.n - 1;
}

static void append_end(Turns *t, uint32_t opened)
{
    step_list_push(t->r->arena, &t->list, (ProgramStep){ .kind = STEP_END, .opened = opened });
}

static void append_swaps(Turns *t)
{
    for (uint32_t i = t->swaps; i < t->end; i++) step_list_push(t->r->arena, &t->list, *step_at(t, i));
}

/* A sum of the counters of loops, VAL_NONE: none; the new counter. */
static uint32_t append_count(Turns *t, const Term loops[3], int64_t plus)
{
    Program *p = t->r->program;
    Term terms[3];
    Address at = { plus, 0, NULL };
    for (int i = 0; i < 3; i++)
        if (loops[i].of != VAL_NONE)
            terms[at.n_terms++] = (Term){ t->list.steps[loops[i].of].counter, loops[i].coef };
    at.terms = arena_copy(p->arena, terms, sizeof terms);
    ProgramStep s = { .kind = STEP_COUNT, .counter = p->n_counters++ };
    s.at = arena_copy(p->arena, &at, sizeof at);
    step_list_push(p->arena, &t->list, s);
    return s.counter;
}

/* The kernel in the place of that of the step; again: a copy. Its turn is another counter now. */
static void append_kernel(Turns *t, Kernel k, uint32_t step, bool again, uint32_t turn)
{
    Program *p = t->r->program;
    ProgramStep s = *step_at(t, step);
    k.stmts = arena_copy(p->arena, k.stmts, k.n_stmts * sizeof *k.stmts);
    for (Val v = 0; v < k.n_stmts; v++)
        if (k.stmts[v].kind == ST_COUNTER && k.stmts[v].imm == step_at(t, t->loop)->counter)
            k.stmts[v].imm = turn;
    for (uint32_t i = 0; i < t->r->n_pieces && k.rows; i++)
        if (t->r->piece[i].kernel == kernel_at(t->r, step))
            k.stmts[t->r->piece[i].loop].imm = (uint64_t)t->r->piece[i].lead;
    if (again) {
        s.kernel = p->n_kernels;
        ARENA_PUSH(p->arena, p->kernels, p->n_kernels, p->cap_kernels) = k;
    } else p->kernels[s.kernel] = k;
    step_list_push(p->arena, &t->list, s);
}

static void append_rows(Turns *t, uint32_t step, bool again, uint32_t band, uint32_t turn)
{
    Kernel k = *kernel_at(t->r, step);
    k.rows = t->r->rows;
    k.counter = band;
    append_kernel(t, k, step, again, turn);
}

/* The turns of a group, of which threads take so many `each`. */
static void append_band(Turns *t, int64_t together, int64_t each, uint32_t groups, uint32_t bands,
                        int64_t before, bool again)
{
    uint32_t piece = VAL_NONE, turns = VAL_NONE;
    if (each < together) {
        piece = append_loop(t, together / each, false);
        t->list.steps[piece].parallel = true;
        t->list.steps[piece].cost = (int64_t)band_ns(t, together);
    }
    if (each > 1) turns = append_loop(t, each, true);
    uint32_t band = append_count(
                 t, (Term[]){ { bands, 1 }, { piece, -t->behind * each }, { turns, -t->behind } }, 0),
             turn = append_count(t, (Term[]){ { groups, together }, { piece, each }, { turns, 1 } }, before);
    for (uint32_t i = t->loop + 1; i < t->swaps; i++) append_rows(t, i, again, band, turn);
    append_swaps(t);
    if (each > 1) append_end(t, turns);
    if (each < together) append_end(t, piece);
}

/* n groups of so many turns, behind `before` that are done. again: kernels are copies. */
static void append_groups(Turns *t, int64_t together, int64_t n, int64_t before, bool again)
{
    bool odd = together % 2;
    int64_t each = together % t->each ? together : min_i64(t->each, together);
    uint32_t groups = append_loop(t, n, false),
             bands = append_loop(t, band_count(t->r) + t->behind * (together - 1), true);
    append_band(t, together, each, groups, bands, before, again);
    if (odd) append_swaps(t);
    append_end(t, bands);
    if (odd) append_swaps(t);
    append_end(t, groups);
}

/* The last n turns, as they were. */
static void append_rest(Turns *t, const Kernel *kernels, int64_t n)
{
    uint32_t loop = append_loop(t, n, false),
             turn = append_count(t, (Term[]){ { loop, 1 }, { VAL_NONE, 0 }, { VAL_NONE, 0 } },
                                 step_at(t, t->loop)->extent - n);
    for (uint32_t i = t->loop + 1; i < t->swaps; i++)
        append_kernel(t, kernels[i - t->loop - 1], i, true, turn);
    append_swaps(t);
    append_end(t, loop);
}

/* Groups; a smaller one; and what is no part for each thread. */
static void append_all(Turns *t)
{
    const Program *p = t->r->program;
    uint32_t n = t->swaps - t->loop - 1;
    Kernel *kernels = arena_alloc(p->arena, n * sizeof *kernels);
    for (uint32_t i = 0; i < n; i++) kernels[i] = p->kernels[step_at(t, t->loop + 1 + i)->kernel];
    int64_t all = step_at(t, t->loop)->extent, rest = all % t->together, last = rest % t->unit;
    append_groups(t, t->together, all / t->together, 0, false);
    if (rest > last) append_groups(t, rest - last, 1, all - rest, true);
    if (last) append_rest(t, kernels, last);
}

/* The length of the rows that a kernel stores; 0: none does. */
static int64_t row_stored(const Turns *t)
{
    const Program *p = t->r->program;
    for (uint32_t i = t->loop + 1; i < t->swaps; i++) {
        const Kernel *k = &p->kernels[p->steps[i].kernel];
        for (Val v = 0; v < k->n_stmts; v++) {
            RowLayout l = k->stmts[v].kind == ST_STORE ? t->r->layout[k->stmts[v].buffer] : (RowLayout){ 0 };
            if (l.stride > 1 && !l.period) return l.stride;
        }
    }
    return 0;
}

/* Do the turns of the loop at this step go together? */
static bool find_turns(Turns *t, uint32_t loop)
{
    t->loop = loop;
    if (!is_plain(t)) return false;
    find_own(t);
    band_collect(t->r, loop + 1, t->swaps, 0);
    if (t->r->end < t->swaps) band_collect(t->r, loop + 1, t->swaps, row_stored(t));
    if (t->r->end < t->swaps) return false;
    lower_leads(t->r);
    return choose(t);
}

/* ---- the program ---- */

/* Is there a loop, and as much as the last cache does not hold? */
static bool may_pay(const Program *p, const Target *target)
{
    double bytes = 0;
    bool loops = false;
    for (uint32_t i = 0; i < p->n_steps; i++) loops |= p->steps[i].kind == STEP_LOOP;
    for (uint32_t i = 0; i < p->n_buffers && loops; i++) bytes += (double)buffer_bytes(&p->buffers[i]);
    return target->l3_bytes && bytes >= target->l3_bytes * LEAST_TURNED_BYTES;
}

void turns_make(Program *p, const Target *target)
{
    if (!may_pay(p, target)) return;
    const bool *numbers = turn_numbers_make(p);
    const uint32_t *memory = alias_swapped(p, program_memories(p->arena, p));
    Turns t = { .r = band_run_new(p, target, memory), .list = step_list_new(p), .numbers = numbers };
    t.loads = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *t.loads);
    t.stores = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *t.stores);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        ArenaMark before = arena_mark(p->arena);
        if (find_turns(&t, i)) {
            append_all(&t);
            i = t.end;
            continue;
        }
        arena_release(p->arena, before);
        step_list_keep(&t.list, p, i);
    }
    step_list_end(&t.list, p);
}
