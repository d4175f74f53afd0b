/* parallel.c: see parallel.h.
 *
 * A kernel can be cut into pieces if each of its outermost loops is parallel, and nothing outside of them
 * reads what they store. Kernels that follow one another share their pieces, and no thread waits between
 * them, as long as each needs only rows that its own piece has stored: all that one of them stores and
 * another one touches is at the same row for both. So it is for several outermost loops of one kernel.
 *
 * The parts of a fold (parts.c) are iterations of a step loop already. If nothing but the fold connects the
 * rows of its loop, they are pieces.
 *
 * A loop whose kernels all fit so, at any of its iterations, is cut as a whole: a batch of recurrences is
 * split once, and each piece runs all steps of its rows. What its steps swap counts as one buffer.
 *
 * Bands (bands.c) whose windows hold nothing of the band before are pieces too, and their windows each
 * thread's own. The rows of a loop that leads are then counted from where it stands in the band.
 *
 * Where pieces begin depends on shapes alone, so what is computed does not depend on how many threads there
 * are.
 */
#include "parallel.h"
#include "compiler/fuse/memory/alias.h"
#include "compiler/fuse/caches/rows.h"
#include "compiler/program/step_list.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include "core_moves.h"
#include "kernel_time.h"
#include "loop_order.h"
#include <math.h>

#define NO_LOOP UINT32_MAX /* the statements outside of loops */

/* What an outermost loop does with a buffer. */
typedef struct PieceTouch {
    uint32_t buffer, loop; /* loop: its number in the run */
    bool stores;
    bool own;     /* each thread has its own: another loop finds only what its own piece has stored */
    bool by_rows; /* iteration i touches row i + shift, and no other */
    int64_t shift;
    int64_t first, last; /* elements; it touches none outside of these */
} PieceTouch;

/* Kernels that will be in one parallel loop. */
typedef struct PieceRun {
    Program *p;
    const Target *target;
    const double *runs;         /* by step */
    const uint32_t *memory;     /* by buffer: the output whose memory an input is, or itself; */
    const uint32_t *separately; /* so in kernels, */
    const uint32_t *together;   /* and in loops: those that are swapped are one, too */
    RowLayout *layout;          /* by buffer: as the run stores it; stride 0: it does not, or not by rows */
    uint32_t *in_run;           /* by buffer: number of the run that its layout is of */
    uint32_t number;
    uint32_t *first, *last; /* by buffer: the first step that touches it, and the last */
    PieceTouch touch[MAX_PIECE_TOUCHES];
    uint32_t n_touches, n_loops;
    bool has_parts;       /* it is the parts of a fold, whose loop is not parallel but for that */
    bool is_loop;         /* its kernels run again and again */
    int64_t extent, unit; /* of the longest loop; what a piece's rows are a multiple of */
    int64_t in_row;       /* of the kernel that is looked at: iterations for each row */
    CoreMoves *moves;
    double ns, moved_ns; /* moved_ns: of what comes from other cores */
} PieceRun;

/* ---- what can be cut ---- */

/* Are all outermost loops parallel, and is nothing else there that runs once only? */
static bool has_pieces(const Kernel *k)
{
    int depth = 0;
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_END) depth--;
        else if (s->kind == ST_LOOP) {
            if (depth++ == 0 && (!s->parallel || s->extent < 1)) return false;
        } else if (depth == 0 && !stmt_may_repeat(s)) return false;
    }
    return !k->rows;
}

/* Must one of the two loops wait for the other? Not if what they touch is apart, or each piece's own. A
 * loop that is parallel waits for none of its own iterations. */
static bool meet(const PieceRun *r, const PieceTouch *a, const PieceTouch *b)
{
    if (a->buffer != b->buffer || !(a->stores || b->stores)) return false;
    if (a->loop == b->loop && (a->own || (!r->has_parts && !r->is_loop))) return false;
    if (a->last < b->first || b->last < a->first) return false;
    return !(a->by_rows && b->by_rows && a->shift == b->shift);
}

/* The elements that an address may reach. */
static void find_reach(const Kernel *k, Address a, const Buffer *b, PieceTouch *t)
{
    t->first = t->last = a.offset;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *of = &k->stmts[a.terms[i].of];
        int64_t reach;
        bool known = of->kind == ST_LOOP && of->extent > 0 &&
                     !__builtin_mul_overflow(a.terms[i].coef, of->extent - 1, &reach);
        if (!known) {
            t->first = 0;
            t->last = b->count;
            return;
        }
        *(reach < 0 ? &t->first : &t->last) += reach;
    }
}

static RowLayout *layout_of(PieceRun *r, uint32_t buffer)
{
    if (r->in_run[buffer] != r->number) {
        r->in_run[buffer] = r->number;
        r->layout[buffer] = (RowLayout){ 0 };
    }
    return &r->layout[buffer];
}

/* The statement as it is where the loops of steps begin: what is a whole number of periods further has the
 * same rows. */
static Stmt at_first_step(const PieceRun *r, const Kernel *k, const Stmt *s, RowLayout l)
{
    Stmt first = *s;
    Term *terms = arena_alloc(r->p->arena, (s->address.n_terms + 1) * sizeof *terms);
    first.address.terms = terms;
    first.address.n_terms = 0;
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        Term t = s->address.terms[i];
        bool again = k->stmts[t.of].kind == ST_COUNTER && l.period && t.coef % l.period == 0;
        if (!again) terms[first.address.n_terms++] = t;
    }
    return first;
}

/* Does each iteration touch one row of the buffer alone? */
static bool is_by_rows(const PieceRun *r, const Kernel *k, const Stmt *s, Val loop, uint32_t buffer,
                       RowSpan *rows)
{
    RowLayout l = r->layout[buffer];
    if (loop == VAL_NONE || k->stmts[loop].halo) return false;
    Stmt first = r->is_loop ? at_first_step(r, k, s, l) : *s;
    return rows_of(k, &first, loop, r->in_row, &r->p->buffers[buffer], l, rows) && rows->first == rows->last;
}

/* Of a window that each thread has its own of: its halos hold what a piece needs. */
static bool moves_with_band(const Kernel *k, Address a)
{
    for (uint32_t i = 0; i < a.n_terms; i++)
        if (k->stmts[a.terms[i].of].kind == ST_COUNTER) return true;
    return false;
}

/* Parts that hand on to each other what they have folded run in turn (prefix_parts.c). */
static bool is_loaded(const Kernel *k, uint32_t buffer)
{
    for (Val v = 0; v < k->n_stmts; v++)
        if (k->stmts[v].kind == ST_LOAD && k->stmts[v].buffer == buffer) return true;
    return false;
}

/* False: another piece may touch the same, and one of the two stores; or there are too many. */
static bool note_touch(PieceRun *r, const Kernel *k, const Stmt *s, Val loop)
{
    uint32_t buffer = r->memory[s->buffer];
    const Buffer *b = &r->p->buffers[buffer];
    PieceTouch t = { .buffer = buffer,
                     .loop = loop == VAL_NONE ? NO_LOOP : r->n_loops - 1,
                     .stores = s->kind == ST_STORE,
                     .own = b->kind == BUF_LOCAL };
    RowSpan rows = { 0, 0 };
    if (b->kind == BUF_CONST || (t.own && moves_with_band(k, s->address))) return true;
    if (loop == VAL_NONE && t.stores) return !is_loaded(k, s->buffer); /* what a part has folded */
    RowLayout *layout = layout_of(r, buffer);
    if (t.stores && loop != VAL_NONE && !layout->stride)
        *layout = rows_layout(k, s, loop, r->in_row, b->count);
    if (loop != VAL_NONE && k->stmts[loop].halo && t.stores && !t.own) return false;
    t.by_rows = is_by_rows(r, k, s, loop, buffer, &rows);
    if (r->is_loop && t.stores && !t.by_rows && !t.own) return false;
    t.shift = rows.first + (loop == VAL_NONE ? 0 : (int64_t)k->stmts[loop].imm);
    find_reach(k, s->address, b, &t);
    for (uint32_t i = 0; i < r->n_touches; i++)
        if (meet(r, &r->touch[i], &t)) return false;
    if (r->n_touches == MAX_PIECE_TOUCHES) return false;
    r->touch[r->n_touches++] = t;
    return true;
}

static bool note_kernel(PieceRun *r, const Kernel *k)
{
    int depth = 0;
    Val outer = VAL_NONE;
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_END && --depth == 0) outer = VAL_NONE;
        else if (s->kind == ST_LOOP && depth++ == 0) {
            int64_t step = (int64_t)s->lanes * s->tile;
            outer = i;
            r->n_loops++;
            r->extent = max_i64(r->extent, s->extent / r->in_row);
            step /= common_divisor(step, r->in_row);
            r->unit = r->unit / common_divisor(r->unit, step) * step;
        } else if (stmt_uses_buffer(s) && !note_touch(r, k, s, outer)) return false;
    }
    return true;
}

static int64_t longest_loop(const Kernel *k)
{
    int64_t extent = 1;
    for (Val i = 0, depth = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth++ == 0) extent = max_i64(extent, s->extent);
        if (s->kind == ST_END) depth--;
    }
    return extent;
}

/* Rows are what all kernels of a run have in common, so they should be about as many; or a kernel goes over
 * all of their elements. Its iterations for each row; 0: neither. */
static int64_t iterations_of_row(const PieceRun *r, const Kernel *k)
{
    int64_t longest = longest_loop(k);
    bool others = false;
    for (Val i = 0, depth = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth++ == 0) {
            if (s->extent == r->extent) return 1;
            others |= s->extent != longest;
        }
        if (s->kind == ST_END) depth--;
    }
    return r->is_loop && !others && longest % r->extent == 0 ? longest / r->extent : 0;
}

static void add_time(PieceRun *r, const Kernel *k)
{
    r->ns += stmts_ns(r->p, r->target, k, 0, k->n_stmts);
    r->moved_ns += core_moves_ns(r->moves, k);
}

static bool run_pays(const PieceRun *r, double runs)
{
    return threads_pay(r->target, r->ns - r->moved_ns, runs);
}

/* The next kernel joins the run. False: it cannot, and nothing has changed. */
static bool add_kernel(PieceRun *r, const Kernel *k)
{
    uint32_t touches = r->n_touches, loops = r->n_loops;
    int64_t extent = r->extent, unit = r->unit;
    r->in_row = r->n_loops || r->is_loop ? iterations_of_row(r, k) : 1;
    if (!has_pieces(k) || !r->in_row) return false;
    if (note_kernel(r, k) && r->extent / r->unit >= LEAST_PIECES) {
        add_time(r, k);
        return true;
    }
    r->n_touches = touches;
    r->n_loops = loops;
    r->extent = extent;
    r->unit = unit;
    return false;
}

/* ---- pieces ---- */

/* Rows of each of so many pieces, or of fewer. */
static int64_t rows_in_each(const PieceRun *r, int64_t pieces)
{
    int64_t units = (r->extent + r->unit - 1) / r->unit;
    return (units + pieces - 1) / pieces * r->unit;
}

/* What the busier one of two threads has of pieces of so many rows, the first half of which is one's. */
static int64_t rows_of_busier(const PieceRun *r, int64_t rows)
{
    int64_t first = (r->extent + rows - 1) / rows / 2 * rows;
    return max_i64(first, r->extent - first);
}

/* Of at most so many pieces, and half as many at least: as two threads share them best. */
static int64_t rows_of_piece(const PieceRun *r, double wanted)
{
    int64_t most = min_i64((r->extent + r->unit - 1) / r->unit,
                           max_i64(LEAST_PIECES, (int64_t)fmin(wanted, MOST_PIECES))),
            least = max_i64(LEAST_PIECES, most / 2), best = rows_in_each(r, most);
    for (int64_t pieces = most - 1; pieces >= least; pieces--) {
        int64_t rows = rows_in_each(r, pieces);
        if (rows_of_busier(r, rows) < rows_of_busier(r, best)) best = rows;
    }
    return best;
}

/* The steps first .. end - 1 in a parallel loop, in pieces of so many rows. */
static void append_pieces(PieceRun *r, StepList *l, uint32_t first, uint32_t end, int64_t rows)
{
    Program *p = r->p;
    uint32_t counter = p->n_counters++, opened = l->n;
    step_list_push(p->arena, l,
                   (ProgramStep){ .kind = STEP_LOOP,
                                  .parallel = true,
                                  .extent = (r->extent + rows - 1) / rows,
                                  .counter = counter,
                                  .cost = (int64_t)r->ns });
    for (uint32_t i = first; i < end; i++) {
        if (p->steps[i].kind == STEP_KERNEL) {
            Kernel *k = &p->kernels[p->steps[i].kernel];
            k->rows = rows * (r->is_loop ? iterations_of_row(r, k) : 1);
            k->counter = counter;
        }
        step_list_keep(l, p, i);
    }
    step_list_push(p->arena, l, (ProgramStep){ .kind = STEP_END, .opened = opened });
}

static void start_run(PieceRun *r, bool has_parts)
{
    r->number++;
    r->n_touches = r->n_loops = 0;
    r->extent = r->unit = r->in_row = 1;
    r->ns = r->moved_ns = 0;
    r->has_parts = has_parts;
    r->is_loop = false;
    r->memory = r->separately;
}

/* Is the step loop that opens here the parts of a fold, and are they pieces that pay? */
static bool parts_pay(PieceRun *r, uint32_t at)
{
    const Program *p = r->p;
    const ProgramStep *s = &p->steps[at];
    if (s->kind != STEP_LOOP || s->bands || s[1].kind != STEP_KERNEL || s[2].kind != STEP_END) return false;
    const Kernel *k = &p->kernels[s[1].kernel];
    start_run(r, true);
    if (!k->rows || k->counter != s->counter || !note_kernel(r, k)) return false;
    add_time(r, k);
    return run_pays(r, r->runs[at]);
}

/* ---- bands ---- */

static void note_step(PieceRun *r, uint32_t buffer, uint32_t step)
{
    if (r->first[buffer] > step) r->first[buffer] = step;
    if (r->last[buffer] < step) r->last[buffer] = step;
}

/* Which steps touch each buffer. */
static void note_steps(PieceRun *r)
{
    const Program *p = r->p;
    for (uint32_t b = 0; b < p->n_buffers; b++) r->first[b] = UINT32_MAX;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        const Kernel *k = s->kind == STEP_KERNEL ? &p->kernels[s->kernel] : NULL;
        for (uint32_t v = 0; k && v < k->n_stmts; v++)
            if (stmt_uses_buffer(&k->stmts[v])) note_step(r, k->stmts[v].buffer, i);
        for (uint32_t b = 0; b < s->n_buffers; b++) note_step(r, s->buffers[b], i);
        if (s->kind == STEP_SWAP) note_step(r, s->other, i);
        if (s->kind == STEP_SWAP || s->kind == STEP_TEST || s->kind == STEP_CASE) note_step(r, s->buffer, i);
    }
}

static bool all_parallel(const Kernel *k)
{
    int depth = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP && depth++ == 0 && !s->parallel) return false;
        if (s->kind == ST_END) depth--;
    }
    return true;
}

/* What moves with the band is a window. Sets the kind of a kernel's, if nothing outside of these steps
 * touches them. */
static bool set_windows(PieceRun *r, const Kernel *k, uint32_t counter, uint32_t first, uint32_t end,
                        BufferKind kind)
{
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (!stmt_uses_buffer(s) || !address_counts(k, s->address, counter)) continue;
        Buffer *b = &r->p->buffers[s->buffer];
        if ((b->kind != BUF_TEMP && b->kind != BUF_LOCAL) || r->first[s->buffer] < first ||
            r->last[s->buffer] > end)
            return false;
        b->kind = (uint8_t)kind;
    }
    return true;
}

/* Are the bands of the step loop that opens here pieces that pay? If so their windows are LOCAL now. */
static bool bands_pay(PieceRun *r, uint32_t at)
{
    Program *p = r->p;
    const ProgramStep *s = &p->steps[at];
    uint32_t end = at + 1;
    bool apart = s->kind == STEP_LOOP && s->bands;
    start_run(r, false);
    for (; apart && p->steps[end].kind == STEP_KERNEL; end++) {
        const Kernel *k = &p->kernels[p->steps[end].kernel];
        apart = k->rows && k->counter == s->counter && all_parallel(k);
        add_time(r, k);
    }
    if (!apart || p->steps[end].kind != STEP_END || !run_pays(r, r->runs[at])) return false;
    for (uint32_t i = at + 1; i < end && apart; i++)
        apart = set_windows(r, &p->kernels[p->steps[i].kernel], s->counter, at, end, BUF_LOCAL);
    for (uint32_t i = at + 1; i < end && apart; i++) apart = note_kernel(r, &p->kernels[p->steps[i].kernel]);
    for (uint32_t i = at + 1; i < end && !apart; i++)
        set_windows(r, &p->kernels[p->steps[i].kernel], s->counter, at, end, BUF_TEMP);
    return apart;
}

/* ---- loops ---- */

/* The rows that kernels of the run store, before any of them is looked at. */
static void note_layouts(PieceRun *r, const Kernel *k)
{
    Val outer = VAL_NONE;
    r->in_row = iterations_of_row(r, k);
    for (Val v = 0, depth = 0; r->in_row && v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_END && --depth == 0) outer = VAL_NONE;
        if (s->kind == ST_LOOP && depth++ == 0) outer = v;
        if (s->kind != ST_STORE || outer == VAL_NONE) continue;
        RowLayout *layout = layout_of(r, r->memory[s->buffer]);
        if (!layout->stride) *layout = rows_layout(k, s, outer, r->in_row, r->p->buffers[s->buffer].count);
    }
}

/* The end of the loop of steps that opens here if it may be cut as a whole, into at most so many pieces: it
 * holds kernels, swaps and such loops. 0: it may not, or it does not pay. */
static uint32_t find_loop(PieceRun *r, uint32_t at, double *most)
{
    const Program *p = r->p;
    double runs = 1, ns = 0, calls = 0;
    uint32_t end = at;
    start_run(r, false);
    r->is_loop = true;
    r->memory = r->together;
    for (int depth = 0; end == at || depth > 0; end++) {
        const ProgramStep *s = &p->steps[end], *opened = &p->steps[s->opened];
        if (s->kind == STEP_KERNEL) {
            int64_t extent = longest_loop(&p->kernels[s->kernel]);
            if (calls++ == 0 || extent < r->extent) r->extent = extent;
        } else if (s->kind == STEP_LOOP && !s->bands && !s->parallel && s->extent > 0) depth++;
        else if (s->kind == STEP_END && opened->kind == STEP_LOOP) depth--;
        else if (s->kind != STEP_SWAP) return 0;
    }
    for (uint32_t i = at; i < end; i++)
        if (p->steps[i].kind == STEP_KERNEL) note_layouts(r, &p->kernels[p->steps[i].kernel]);
    calls = 0;
    for (uint32_t i = at; i < end; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_LOOP) runs *= (double)s->extent;
        if (s->kind == STEP_END) runs /= (double)p->steps[s->opened].extent;
        if (s->kind != STEP_KERNEL) continue;
        double before = r->ns;
        if (!add_kernel(r, &p->kernels[s->kernel])) return 0;
        ns += (r->ns - before) * runs;
        calls += runs;
    }
    r->ns = ns;
    *most = ns / (r->target->parallel_ns * fmax(LEAST_PIECE, calls * LEAST_CALL));
    return ns >= r->target->parallel_ns && *most >= LEAST_PIECES ? end : 0;
}

/* ---- the program ---- */

/* Of the run that begins with this step; 0: it is not cut. */
static double most_pieces(const PieceRun *r, uint32_t first)
{
    double least = r->target->parallel_ns * LEAST_PIECE;
    if (!run_pays(r, r->runs[first])) return 0;
    return r->ns / (r->ns < r->target->parallel_ns ? least * AWAKE_PART : least);
}

/* The end of the run that begins with this step. */
static uint32_t find_run(PieceRun *r, uint32_t first)
{
    uint32_t end = first;
    start_run(r, false);
    while (end < r->p->n_steps && r->p->steps[end].kind == STEP_KERNEL &&
           add_kernel(r, &r->p->kernels[r->p->steps[end].kernel]))
        end++;
    return end;
}

static PieceRun *run_new(Program *p, const Target *target)
{
    PieceRun *r = arena_alloc(p->arena, sizeof *r);
    const uint32_t *memory = program_memories(p->arena, p);
    *r = (PieceRun){ .p = p,
                     .target = target,
                     .runs = step_runs(p),
                     .separately = memory,
                     .together = alias_swapped(p, memory),
                     .layout = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->layout),
                     .in_run = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->in_run),
                     .first = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->first),
                     .last = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->last) };
    r->moves = core_moves_new(p, target, r->together);
    note_steps(r);
    return r;
}

static void order_loops(Program *p, const Target *target)
{
    const uint32_t *memory = program_memories(p->arena, p);
    const double *runs = step_runs(p);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Kernel *k = p->steps[i].kind == STEP_KERNEL ? &p->kernels[p->steps[i].kernel] : NULL;
        if (k && threads_pay(target, stmts_ns(p, target, k, 0, k->n_stmts), runs[i]))
            longer_loop_first(p->arena, memory, k);
    }
}

void parallel_make(Program *p, const Target *target)
{
    if (!target->parallel_ns) return;
    order_loops(p, target);
    PieceRun *r = run_new(p, target);
    StepList l = step_list_new(p);
    for (uint32_t i = 0; i < p->n_steps;) {
        if (parts_pay(r, i) || bands_pay(r, i)) {
            p->steps[i].parallel = true;
            p->steps[i].bands = false;
            p->steps[i].cost = (int64_t)r->ns;
        }
        double most;
        uint32_t end = p->steps[i].kind == STEP_LOOP ? find_loop(r, i, &most) : 0;
        if (!end) {
            end = find_run(r, i);
            most = most_pieces(r, i);
        }
        if (end > i && most > 0) append_pieces(r, &l, i, end, rows_of_piece(r, most));
        else
            for (end += end == i; i < end; i++) step_list_keep(&l, p, i);
        i = end;
    }
    step_list_end(&l, p);
}
