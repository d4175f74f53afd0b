/* bands.c: rows of a sliding window across kernels.
 *
 * Kernels that run one after the other and hand arrays to each other row by row run BAND by band instead: B
 * rows of the first, B rows of the second, ..., then the next B rows of each (program.h: ROWS). An array
 * between them that nobody else reads becomes a window of rows, which stays in the caches. What each row
 * computes and in which order is the same.
 *
 * A PIECE is an outermost loop of a kernel. If piece q behind piece p touches row i + b of a buffer that p
 * touches at row i + a, and one of them stores, p must have done its iteration i + b - a before q does i. So
 * p leads: lead(p) >= lead(q) + max(b - a). Leads are found from the last piece to the first. What cannot be
 * said so (another order of axes, indices from data, sums over all rows) ends the run of kernels.
 *
 * A window holds what the pieces touch in one band. Rows that the next band reads again are moved to its
 * begin at the end of the band.
 *
 * For threads bands are set APART: each computes what it needs of the rows of the band before once more, its
 * HALO, so that bands may run in any order. What a band leaves for others to see it computes once.
 */
#include "bands.h"
#include "band_run.h"
#include "compiler/fuse/nest.h"
#include "compiler/fuse/threads/kernel_time.h"
#include "row_form.h"

static int64_t round_up(int64_t x, int64_t step)
{
    int64_t rest = x % step;
    return rest > 0 ? x - rest + step : x - rest;
}

/* ---- what pieces touch ---- */

/* The touch of the newest piece, or of what is outside of pieces; NULL: there are too many. */
static Touch *touch_of(BandRun *r, uint32_t buffer, uint32_t piece)
{
    for (uint32_t i = r->n_touches; i > 0 && r->touch[i - 1].piece == piece; i--)
        if (r->touch[i - 1].buffer == buffer) return &r->touch[i - 1];
    if (r->n_touches == r->max_touches) return NULL;
    r->touch[r->n_touches] =
        (Touch){ .buffer = buffer, .piece = piece, .before = r->touched[buffer], .known = piece != NO_PIECE };
    r->touched[buffer] = ++r->n_touches;
    if (piece != NO_PIECE) r->piece[piece].end = r->n_touches;
    return &r->touch[r->n_touches - 1];
}

/* So many touches are left. */
static void drop_touches(BandRun *r, uint32_t left)
{
    while (r->n_touches > left) {
        const Touch *t = &r->touch[--r->n_touches];
        r->touched[t->buffer] = t->before;
    }
}

static void widen(bool *any, RowSpan *all, RowSpan one)
{
    if (!*any || one.first < all->first) all->first = one.first;
    if (!*any || one.last > all->last) all->last = one.last;
    *any = true;
}

static bool note_access(BandRun *r, const Kernel *k, const Stmt *s, uint32_t piece)
{
    uint32_t buffer = r->memory[s->buffer];
    Touch *t = touch_of(r, buffer, piece);
    RowSpan rows = { 0, 0 };
    if (!t) return false;
    t->known = t->known &&
               rows_of(k, s, r->piece[piece].loop, 1, &r->program->buffers[buffer], r->layout[buffer], &rows);
    if (s->kind == ST_LOAD) widen(&t->loads, &t->loaded, rows);
    else widen(&t->stores, &t->stored, rows);
    return true;
}

/* Can it be loaded and stored by several pieces? Rows of a kernel, too, by its loops one after another. */
static bool is_shared(const BandRun *r, uint32_t buffer)
{
    uint8_t kind = r->program->buffers[r->memory[buffer]].kind;
    return kind == BUF_TEMP || kind == BUF_OUTPUT || kind == BUF_LOCAL;
}

static bool is_touched(const BandRun *r, uint32_t buffer) { return r->touched[buffer] > 0; }

/* A LOAD or STORE that stands in loops, and the outermost of these. */
typedef struct LoopAccess {
    Val stmt, outer;
    int depth;
} LoopAccess;

/* The next of this kind behind at->stmt; it begins with VAL_NONE. False: there is none. */
static bool next_in_loops(const Kernel *k, StmtKind kind, LoopAccess *at)
{
    for (at->stmt++; at->stmt < k->n_stmts; at->stmt++) {
        const Stmt *s = &k->stmts[at->stmt];
        if (s->kind == ST_LOOP && at->depth++ == 0) at->outer = at->stmt;
        if (s->kind == ST_END) at->depth--;
        if (s->kind == kind && at->depth) return true;
    }
    return false;
}

/* Does the layout say more: longer rows, or parts that each have rows? */
static bool says_more(RowLayout a, RowLayout b)
{
    return a.stride > b.stride || (a.stride == b.stride && a.period && !b.period);
}

/* The layout of a buffer is that of the STORE that says most, and stays what it is once it is used. */
static void find_layouts(BandRun *r, const Kernel *k)
{
    for (LoopAccess at = { .stmt = VAL_NONE }; next_in_loops(k, ST_STORE, &at);) {
        const Stmt *s = &k->stmts[at.stmt];
        if (!is_shared(r, s->buffer) || is_touched(r, s->buffer)) continue;
        RowLayout l = rows_layout(k, s, at.outer, 1, r->program->buffers[s->buffer].count);
        if (says_more(l, r->layout[s->buffer])) r->layout[s->buffer] = l;
    }
}

static bool note_kernel(BandRun *r, Kernel *k)
{
    int depth = 0;
    if (k->rows) return false;
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_END) depth--;
        else if (s->kind == ST_LOOP && depth++ == 0) {
            if (r->n_pieces == r->max_pieces || s->extent < 1) return false;
            r->piece[r->n_pieces++] = (BandPiece){ .kernel = k,
                                                   .loop = i,
                                                   .step = (int64_t)s->lanes * s->tile,
                                                   .first = r->n_touches,
                                                   .end = r->n_touches };
        } else if (depth == 0 && !stmt_may_repeat(s)) return false;
        if (!stmt_uses_buffer(s) || !is_shared(r, s->buffer)) continue;
        if (!note_access(r, k, s, depth ? r->n_pieces - 1 : NO_PIECE)) return false;
    }
    return true;
}

/* Must one of them wait for the other? */
static bool meet(const Touch *a, const Touch *b)
{
    return a->buffer == b->buffer && a->piece != b->piece && (a->stores || b->stores);
}

/* Of an array that the run stores and the kernel loads, one of them row by row, the other from its first
 * element to its last: the length of the rows. stored: the run has rows. 0: there is none. */
static int64_t find_row(const BandRun *r, const Kernel *k, bool stored)
{
    for (LoopAccess at = { .stmt = VAL_NONE }; next_in_loops(k, ST_LOAD, &at);) {
        const Stmt *s = &k->stmts[at.stmt];
        if (!is_touched(r, s->buffer)) continue;
        RowLayout l = r->layout[s->buffer];
        int64_t loaded = address_coefficient(s->address, at.outer), row = stored ? l.stride : loaded;
        if ((stored ? loaded : l.stride) == 1 && !l.period && row > 1) return row;
    }
    return 0;
}

/* Is it known of all that must be in order with this touch which rows they touch? */
static bool may_follow(const BandRun *r, const Touch *t)
{
    for (const Touch *k = touch_numbered(r, t->before); k; k = touch_numbered(r, k->before))
        if (meet(k, t) && !(k->known && t->known)) return false;
    return true;
}

/* The next kernel joins the run. False: it cannot, and nothing has changed. */
static bool add_kernel(BandRun *r, uint32_t step)
{
    uint32_t pieces = r->n_pieces, touches = r->n_touches;
    Kernel *kernel = kernel_at(r, step);
    *kernel = r->program->kernels[r->program->steps[step].kernel];
    int64_t row = find_row(r, kernel, true);
    if (row || r->row) unfold_rows(r->arena, kernel, row ? row : r->row);
    walk_columns(r->arena, kernel);
    find_layouts(r, kernel);
    row_form(r->arena, r->program, r->layout, r->memory, r->does, kernel);
    bool fits = note_kernel(r, kernel) && r->n_pieces > pieces;
    for (uint32_t i = touches; fits && i < r->n_touches; i++) fits = may_follow(r, &r->touch[i]);
    if (fits) return true;
    r->n_pieces = pieces;
    drop_touches(r, touches);
    return false;
}

/* ---- leads ---- */

static int64_t extent_of(const BandRun *r, const Touch *t) { return loop_of(&r->piece[t->piece])->extent; }

/* *most becomes by how much the piece of a must lead that of b at least, for what these rows need. */
static void need_lead(const BandRun *r, const Touch *a, RowSpan earlier, const Touch *b, RowSpan later,
                      int64_t *most)
{
    bool apart =
        later.last + extent_of(r, b) <= earlier.first || earlier.last + extent_of(r, a) <= later.first;
    int64_t lead = r->piece[b->piece].lead + later.last - earlier.first;
    if (!apart && lead > *most) *most = lead;
}

static void need_order(const BandRun *r, const Touch *a, const Touch *b, int64_t *most)
{
    if (a->stores && b->loads) need_lead(r, a, a->stored, b, b->loaded, most);
    if (a->stores && b->stores) need_lead(r, a, a->stored, b, b->stored, most);
    if (a->loads && b->stores) need_lead(r, a, a->loaded, b, b->stored, most);
}

/* Of a piece that nothing waits for: row 0 of what it stores is in the first band. */
static int64_t free_lead(const BandRun *r, uint32_t p)
{
    int64_t lead = INT64_MAX;
    for (uint32_t i = r->piece[p].first; i < r->piece[p].end; i++)
        if (r->touch[i].known && r->touch[i].stores) lead = min_i64(lead, -r->touch[i].stored.last);
    return lead == INT64_MAX ? 0 : lead;
}

static void find_leads(BandRun *r)
{
    for (uint32_t p = r->n_pieces; p-- > 0;) {
        int64_t lead = INT64_MIN;
        for (uint32_t i = r->piece[p].first; i < r->piece[p].end; i++) {
            const Touch *a = &r->touch[i];
            FOR_TOUCHES(b, r, a->buffer)
            if (meet(a, b) && b->piece > p && b->piece != NO_PIECE) need_order(r, a, b, &lead);
        }
        if (lead == INT64_MIN) lead = free_lead(r, p);
        r->piece[p].lead = round_up(lead, r->piece[p].step);
    }
}

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

/* Bytes of one row of all that the run touches, windows and others, each buffer once. */
static double row_bytes(const BandRun *r)
{
    double bytes = 0;
    ArenaMark before = arena_mark(r->arena);
    bool *seen = arena_alloc(r->arena, r->program->n_buffers);
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        const Kernel *k = r->piece[p].kernel;
        for (Val i = 0; i < k->n_stmts; i++) {
            if (!stmt_uses_buffer(&k->stmts[i]) || seen[k->stmts[i].buffer]) continue;
            const Buffer *b = &r->program->buffers[k->stmts[i].buffer];
            seen[k->stmts[i].buffer] = true;
            if (b->kind != BUF_LOCAL) bytes += (double)buffer_bytes(b) / (double)r->extent;
        }
    }
    arena_release(r->arena, before);
    return bytes;
}

/* Rows that all loops take whole steps of. */
static int64_t rows_unit(const BandRun *r)
{
    int64_t unit = 1;
    for (uint32_t p = 0; p < r->n_pieces; p++)
        unit = unit / common_divisor(unit, r->piece[p].step) * r->piece[p].step;
    return unit;
}

/* Where so few long rows as loops take in one step are far more than the near cache holds, they take fewer
 * vectors at a time (a recurrence along 512 rows of 4000: 1.10 -> 0.62 ms). */
static int64_t narrow_steps(BandRun *r, double near)
{
    int64_t unit = rows_unit(r);
    while ((double)unit > MOST_STEP * near) {
        int64_t before = unit;
        for (uint32_t p = 0; p < r->n_pieces; p++) {
            const Stmt *l = loop_of(&r->piece[p]);
            if (l->lanes > 1 && r->piece[p].step % (2 * l->lanes) == 0) r->piece[p].step /= 2;
        }
        unit = rows_unit(r);
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
    bytes = row_bytes(r);
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
    find_windows(r, round_up(max_i64(least, rows), narrow_steps(r, (double)near)));
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
            if (!meet(a, b) || b->piece < p || (!a->loads && !b->loads)) continue;
            if (!w || !a->stores || b->stores) return false;
            const BandPiece *later = &r->piece[b->piece];
            low = min_i64(low, later->lead - later->halo + b->loaded.first - a->stored.last);
        }
    }
    piece->halo = round_up(piece->lead - low, piece->step);
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

/* What is loaded before it is stored, too, has the layout of the STORE. */
static void begin_layouts(BandRun *r, uint32_t first, uint32_t end)
{
    drop_touches(r, 0);
    for (uint32_t i = first; i < end && r->program->steps[i].kind == STEP_KERNEL; i++) {
        const Kernel *k = &r->program->kernels[r->program->steps[i].kernel];
        for (Val v = 0; v < k->n_stmts; v++)
            if (stmt_uses_buffer(&k->stmts[v])) r->layout[k->stmts[v].buffer] = (RowLayout){ 0 };
    }
    for (uint32_t i = first; i < end && r->program->steps[i].kind == STEP_KERNEL; i++)
        find_layouts(r, &r->program->kernels[r->program->steps[i].kernel]);
}

/* The kernels from step `first` on, as many as can run in bands, up to `end`. */
static void collect(BandRun *r, uint32_t first, uint32_t end, int64_t row)
{
    r->row = row;
    begin_layouts(r, first, end);
    r->n_pieces = 0;
    r->apart = false;
    r->first = r->end = first;
    while (r->end < end && r->program->steps[r->end].kind == STEP_KERNEL && add_kernel(r, r->end)) r->end++;
    find_leads(r);
    find_windows(r, 1);
}

/* The length of the rows in which the kernel behind the run reads an array that the run stores as one long
 * row; 0: it does not. */
static int64_t row_wanted(const BandRun *r)
{
    const ProgramStep *s = &r->program->steps[r->end];
    if (r->end == r->program->n_steps || s->kind != STEP_KERNEL) return 0;
    return find_row(r, &r->program->kernels[s->kernel], false);
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

/* Room for what any run may have. */
static void find_room(BandRun *r)
{
    const Program *p = r->program;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            r->max_pieces += 2 * (p->kernels[k].stmts[i].kind == ST_LOOP); /* edges become loops */
            r->max_touches += stmt_uses_buffer(&p->kernels[k].stmts[i]);
        }
    if (r->max_pieces > MAX_BAND_PIECES) r->max_pieces = MAX_BAND_PIECES;
    if (r->max_touches > MAX_BAND_TOUCHES) r->max_touches = MAX_BAND_TOUCHES;
    r->piece = arena_alloc(r->arena, (r->max_pieces + 1) * sizeof *r->piece);
    r->touch = arena_alloc(r->arena, (r->max_touches + 1) * sizeof *r->touch);
    r->window = arena_alloc(r->arena, (r->max_touches + 1) * sizeof *r->window);
}

void bands_make(Program *p, const Target *target)
{
    if (p->n_kernels < 2 || !has_large_temporary(p, target)) return;
    BandRun *r = arena_alloc(p->arena, sizeof *r);
    StepList l = step_list_new(p);
    r->arena = p->arena;
    r->program = p;
    r->target = target;
    r->layout = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->layout);
    r->users = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->users);
    r->does = arena_alloc(p->arena, p->n_buffers + 1);
    r->touched = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->touched);
    r->memory = program_memories(p);
    find_room(r);
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
