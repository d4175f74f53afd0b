/* bands.c: rows of a sliding window across kernels.
 *
 * Kernels that run one after the other and hand arrays to each other row by row run BAND by band instead: B
 * rows of the first, B rows of the second, ..., then the next B rows of each (program.h: ROWS). An array
 * between them that nobody else reads becomes a window of rows, which stays in the caches. What each row
 * computes and in which order is the same.
 *
 * A window holds what the pieces touch in one band. Rows that the next band reads again are moved to its
 * begin at the end of the band.
 *
 * For threads bands are set APART: each computes what it needs of the rows of the band before once more, its
 * HALO, so that bands may run in any order. What a band leaves for others to see it computes once.
 */
#include "bands.h"
#include "band_run.h"
#include "compiler/fuse/loops/nest.h"
#include "compiler/fuse/threads/kernel_time.h"

/* ---- windows ---- */

/* How many kernels of the run touch the buffer. */
static uint32_t users_in(const BandRun *r, uint32_t buffer)
{
    uint32_t n = 0;
    const Kernel *last = NULL;
    FOR_TOUCHES(t, r, buffer)
    {
        if (t->piece == NO_PIECE || r->piece[t->piece].kernel == last) continue;
        last = r->piece[t->piece].kernel;
        n++;
    }
    return n;
}

/* Is this the first touch of what nobody knows of but the run? */
static bool opens_window(const BandRun *r, const Touch *t)
{
    if (r->program->buffers[t->buffer].kind != BUF_TEMP || !t->stores || t->before) return false;
    FOR_TOUCHES(other, r, t->buffer)
    if (!other->known) return false;
    uint32_t users = users_in(r, t->buffer);
    return users > 1 && users == r->users[t->buffer];
}

/* In each band a piece touches rows below the end of the band's own rows plus this. A loop over one index
 * runs in one band, whose end is known. */
static int64_t rows_above(const BandRun *r, const BandPiece *p, RowSpan rows)
{
    if (loop_of(p)->extent > 1) return p->lead + rows.last;
    int64_t band = p->lead < 0 ? -p->lead / r->rows : 0;
    return rows.last + 1 - (band + 1) * r->rows;
}

/* The window for r->rows rows in each band. */
static Window window_of(const BandRun *r, uint32_t buffer)
{
    Window w = { .buffer = buffer, .layout = r->layout[buffer], .step = r->rows };
    int64_t lo = INT64_MAX, hi = INT64_MIN, stored = INT64_MIN, loaded = INT64_MAX;
    FOR_TOUCHES(t, r, buffer)
    {
        const BandPiece *p = &r->piece[t->piece];
        for (int side = 0; side < 2; side++) {
            if (!(side ? t->stores : t->loads)) continue;
            RowSpan rows = side ? t->stored : t->loaded;
            lo = min_i64(lo, min_i64(p->lead - p->halo, 0) + rows.first);
            hi = max_i64(hi, rows_above(r, p, rows));
        }
        if (t->stores) stored = max_i64(stored, rows_above(r, p, t->stored));
        if (t->loads) loaded = min_i64(loaded, p->lead + t->loaded.first);
    }
    w.lo = lo;
    w.rows = r->rows + hi - lo;
    w.kept = r->apart ? 0 : max_i64(stored - loaded, 0);
    w.from = loaded - lo;
    return w;
}

static void find_windows(BandRun *r, int64_t rows)
{
    r->n_windows = 0;
    r->rows = rows;
    for (uint32_t i = 0; i < r->n_touches; i++)
        if (opens_window(r, &r->touch[i])) r->window[r->n_windows++] = window_of(r, r->touch[i].buffer);
}

bool band_touches_window(BandRun *r, uint32_t step)
{
    for (uint32_t p = 0; p < r->n_pieces; p++)
        for (uint32_t i = r->piece[p].first; i < r->piece[p].end; i++)
            if (r->piece[p].kernel == kernel_at(r, step) && window_at(r, r->touch[i].buffer)) return true;
    return false;
}

/* ---- how many rows ---- */

static int64_t window_row_bytes(const BandRun *r, const Window *w)
{
    const Buffer *b = &r->program->buffers[w->buffer];
    return rows_parts(b, w->layout) * w->layout.stride * (int64_t)dtype_bytes((DType)b->dtype);
}

/* Where so few long rows as loops take in one step are far more than the near cache holds, they take fewer
 * vectors at a time (a recurrence along 512 rows of 4000: 1.10 -> 0.62 ms). */
static int64_t narrow_steps(BandRun *r, double near)
{
    int64_t unit = band_rows_unit(r);
    while ((double)unit > MOST_STEP * near) {
        int64_t before = unit;
        for (uint32_t p = 0; p < r->n_pieces; p++) {
            const Stmt *l = loop_of(&r->piece[p]);
            if (l->lanes > 1 && r->piece[p].step % (2 * l->lanes) == 0) r->piece[p].step /= 2;
        }
        unit = band_rows_unit(r);
        if (unit == before) break;
    }
    return unit;
}

/* The rows of a band: as many as stay in the nearest cache, if a row needs none of the row before; else as
 * many as stay in the near cache, more where many are moved for the next, and at least as many as are kept
 * for it. False: it does not pay. */
static bool choose_rows(BandRun *r)
{
    int64_t least = 1, moved = 0;
    double saved = 0, bytes, more = 0, l2 = (double)r->target->l2_bytes;
    r->extent = 0;
    for (uint32_t p = 0; p < r->n_pieces; p++) r->extent = max_i64(r->extent, loop_of(&r->piece[p])->extent);
    bytes = band_row_bytes(r);
    for (uint32_t i = 0; i < r->n_windows; i++) {
        const Window *w = &r->window[i];
        least = max_i64(least, w->kept);
        moved += w->kept;
        saved += (double)buffer_bytes(&r->program->buffers[w->buffer]);
        more += (double)(w->rows * window_row_bytes(r, w));
    }
    int64_t near = (int64_t)((l2 * BAND_PART - more) / bytes), most = (int64_t)((l2 - more) / bytes),
            paid = MOVES_PAID * moved, rows = max_i64(near, paid < most ? paid : most);
    near = max_i64(near, 1);
    if (!moved) rows = min_i64(rows, (int64_t)(r->target->l1_bytes * BAND_PART / bytes));
    find_windows(r, round_up_i64(max_i64(least, rows), narrow_steps(r, (double)near)));
    return saved > l2 * LEAST_BANDED && r->rows * LEAST_BANDS <= r->extent &&
           (double)r->rows * bytes + more <= l2 * MOST_BAND;
}

/* ---- bands apart ---- */

/* Piece p begins early enough for the rows that later pieces of the band load. False: that cannot be said;
 * it hands on what is no window, or changes what a window holds. */
static bool find_halo(BandRun *r, uint32_t p)
{
    BandPiece *piece = &r->piece[p];
    int64_t low = piece->lead;
    bool shows = false;
    for (uint32_t i = piece->first; i < piece->end; i++) {
        const Touch *a = &r->touch[i];
        const Window *w = window_at(r, a->buffer);
        shows |= a->stores && !w;
        if (w && a->stores && a->loads) return false;
        FOR_TOUCHES(b, r, a->buffer)
        {
            if (!touches_meet(a, b) || b->piece < p || (!a->loads && !b->loads)) continue;
            if (!w || !a->stores || b->stores) return false;
            const BandPiece *later = &r->piece[b->piece];
            low = min_i64(low, later->lead - later->halo + b->loaded.first - a->stored.last);
        }
    }
    piece->halo = round_up_i64(piece->lead - low, piece->step);
    return loop_of(piece)->parallel && !(shows && piece->halo);
}

/* Do threads gain more than halos cost? */
static bool halos_pay(const BandRun *r)
{
    double ns = 0, more = 0;
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        const BandPiece *piece = &r->piece[p];
        if (piece->halo > r->rows) return false;
        double all =
            stmts_arithmetic_ns(piece->kernel, piece->loop, loop_end(piece->kernel, piece->loop) + 1);
        ns += all;
        more += all * (double)piece->halo / (double)r->rows;
    }
    return ns >= r->target->parallel_ns && more <= ns * MOST_HALO;
}

static void set_apart(BandRun *r)
{
    r->apart = r->target->parallel_ns > 0;
    for (uint32_t p = r->n_pieces; p-- > 0;) r->apart = r->apart && find_halo(r, p);
    r->apart = r->apart && halos_pay(r);
    for (uint32_t p = 0; p < r->n_pieces && !r->apart; p++) r->piece[p].halo = 0;
    find_windows(r, r->rows);
}

/* ---- runs ---- */

static void count_user(uint32_t *users, const Program *p, uint32_t kernel, uint32_t *last)
{
    const Kernel *k = &p->kernels[kernel];
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (!stmt_uses_buffer(s) || last[s->buffer] == kernel + 1) continue;
        last[s->buffer] = kernel + 1;
        users[s->buffer]++;
    }
}

/* Steps that are no kernels use a buffer as if all kernels did, and one more. */
static void count_users(BandRun *r)
{
    const Program *p = r->program;
    uint32_t *last = arena_alloc(r->arena, (p->n_buffers + 1) * sizeof *last);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_KERNEL) count_user(r->users, p, s->kernel, last);
        if (s->kind == STEP_SWAP) r->users[s->other] += p->n_kernels + 1;
        if (s->kind == STEP_SWAP || s->kind == STEP_TEST || s->kind == STEP_CASE)
            r->users[s->buffer] += p->n_kernels + 1;
        for (uint32_t b = 0; s->kind == STEP_CALL && b < s->n_buffers; b++)
            r->users[s->buffers[b]] += p->n_kernels + 1;
    }
}

/* The kernels from step `first` on, as many as can run in bands, up to `end`. */
static void collect(BandRun *r, uint32_t first, uint32_t end, int64_t row)
{
    band_collect(r, first, end, row);
    find_windows(r, 1);
}

/* The length of the rows in which the kernel behind the run reads an array that the run stores as one long
 * row; 0: it does not. */
static int64_t row_wanted(const BandRun *r)
{
    const ProgramStep *s = &r->program->steps[r->end];
    if (r->end == r->program->n_steps || s->kind != STEP_KERNEL) return 0;
    return band_find_row(r, &r->program->kernels[s->kernel], false);
}

/* Does a run of bands begin with this step? */
static bool try_run(BandRun *r, uint32_t first)
{
    uint32_t most = (uint32_t)min_i64(first + MAX_BAND_KERNELS, r->program->n_steps);
    collect(r, first, most, 0);
    int64_t row = r->end > first ? row_wanted(r) : 0;
    uint32_t windows = r->n_windows;
    if (row) {
        collect(r, first, most, row);
        if (r->n_windows <= windows) collect(r, first, most, 0);
    }
    if (!r->n_windows || !band_touches_window(r, first)) return false;
    uint32_t end = r->end;
    while (!band_touches_window(r, end - 1)) end--;
    if (end < r->end) collect(r, first, end, r->row);
    if (!choose_rows(r)) return false;
    set_apart(r);
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        Stmt *l = &r->piece[p].kernel->stmts[r->piece[p].loop];
        l->tile = (uint16_t)(r->piece[p].step / l->lanes);
    }
    return true;
}

/* The same; a run that is none leaves no memory behind. */
static bool find_run(BandRun *r, uint32_t first)
{
    ArenaMark before = arena_mark(r->arena);
    bool found = try_run(r, first);
    if (!found) arena_release(r->arena, before);
    return found;
}

/* Is there an array that is worth it? */
static bool has_large_temporary(const Program *p, const Target *t)
{
    double bytes = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_TEMP) bytes += (double)buffer_bytes(&p->buffers[i]);
    return bytes > (double)t->l2_bytes * LEAST_BANDED;
}

void bands_make(Program *p, const Target *target)
{
    if (p->n_kernels < 2 || !has_large_temporary(p, target)) return;
    BandRun *r = band_run_new(p, target, program_memories(p->arena, p));
    StepList l = step_list_new(p);
    r->users = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->users);
    r->window = arena_alloc(p->arena, (r->max_touches + 1) * sizeof *r->window);
    count_users(r);
    for (uint32_t i = 0, look = 0; i < p->n_steps;) {
        bool looks = p->steps[i].kind == STEP_KERNEL && i >= look;
        if (looks && find_run(r, i)) {
            band_append(r, &l);
            i = r->end;
            continue;
        }
        if (looks) look = i + 1 + (r->end - i) / SHORTER_RUN; /* else time would grow with the square */
        step_list_keep(&l, p, i++);
    }
    step_list_end(&l, p);
}
