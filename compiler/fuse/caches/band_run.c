/* band_run.c: what the kernels of a run touch, by rows, and by how much they must lead each other.
 *
 * A PIECE is an outermost loop of a kernel. If piece q behind piece p touches row i + b of a buffer that p
 * touches at row i + a, and one of them stores, p must have done its iteration i + b - a before q does i. So
 * p leads: lead(p) >= lead(q) + max(b - a). Leads are found from the last piece to the first. What cannot be
 * said so (another order of axes, indices from data, sums over all rows) ends the run of kernels.
 */
#include "band_run.h"
#include "row_form.h"

/* ---- what pieces touch ---- */

/* The touch of the newest piece, or of what is outside of pieces; NULL: there are too many. */
static Touch *touch_of(BandRun *r, uint32_t buffer, uint32_t piece)
{
    uint32_t last = r->touched[buffer];
    if (piece != NO_PIECE && last > r->piece[piece].first) return &r->touch[last - 1];
    for (uint32_t i = r->n_touches; piece == NO_PIECE && i > 0 && r->touch[i - 1].piece == piece; i--)
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
    return (kind == BUF_TEMP || kind == BUF_OUTPUT || kind == BUF_LOCAL) && !r->own[buffer];
}

static bool is_touched(const BandRun *r, uint32_t buffer) { return r->touched[r->memory[buffer]] > 0; }

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
        if (says_more(l, r->layout[s->buffer])) r->layout[s->buffer] = r->layout[r->memory[s->buffer]] = l;
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

int64_t band_find_row(const BandRun *r, const Kernel *k, bool stored)
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
        if (touches_meet(k, t) && !(k->known && t->known)) return false;
    return true;
}

/* Of an array whose edges the kernel stores row by row, and the rest from first to last: the length of the
 * rows. 0: there is none. */
static int64_t row_of_edges(const BandRun *r, const Kernel *k)
{
    for (LoopAccess at = { .stmt = VAL_NONE }; next_in_loops(k, ST_STORE, &at);) {
        const Stmt *s = &k->stmts[at.stmt];
        RowLayout l = r->layout[s->buffer];
        if (is_shared(r, s->buffer) && address_coefficient(s->address, at.outer) == 1 && l.stride > 1 &&
            !l.period)
            return l.stride;
    }
    return 0;
}

/* The next kernel joins the run. False: it cannot, and nothing has changed. */
static bool add_kernel(BandRun *r, uint32_t step)
{
    uint32_t pieces = r->n_pieces, touches = r->n_touches;
    Kernel *kernel = kernel_at(r, step);
    *kernel = r->program->kernels[r->program->steps[step].kernel];
    find_layouts(r, kernel); /* as its edges say; then, once its rows are loops, as these do */
    int64_t row = band_find_row(r, kernel, true);
    if (!row) row = row_of_edges(r, kernel);
    if (row || r->row) unfold_rows(r->arena, kernel, row ? row : r->row);
    walk_columns(r->arena, kernel);
    find_layouts(r, kernel);
    row_form(r->arena, r->program, r->layout, r->own, r->apart_memory, r->does, kernel);
    bool fits = note_kernel(r, kernel) && r->n_pieces > pieces;
    for (uint32_t i = touches; fits && i < r->n_touches; i++) fits = may_follow(r, &r->touch[i]);
    if (fits) return true;
    r->n_pieces = pieces;
    drop_touches(r, touches);
    return false;
}

/* What is loaded before it is stored, too, has the layout of the STORE. */
static void begin_layouts(BandRun *r, uint32_t first, uint32_t end)
{
    drop_touches(r, 0);
    for (uint32_t i = first; i < end && r->program->steps[i].kind == STEP_KERNEL; i++) {
        const Kernel *k = &r->program->kernels[r->program->steps[i].kernel];
        for (Val v = 0; v < k->n_stmts; v++)
            if (stmt_uses_buffer(&k->stmts[v]))
                r->layout[k->stmts[v].buffer] = r->layout[r->memory[k->stmts[v].buffer]] = (RowLayout){ 0 };
    }
    for (uint32_t i = first; i < end && r->program->steps[i].kind == STEP_KERNEL; i++)
        find_layouts(r, &r->program->kernels[r->program->steps[i].kernel]);
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

void band_need_order(const BandRun *r, const Touch *a, const Touch *b, int64_t *most)
{
    if (a->stores && b->loads) need_lead(r, a, a->stored, b, b->loaded, most);
    if (a->stores && b->stores) need_lead(r, a, a->stored, b, b->stored, most);
    if (a->loads && b->stores) need_lead(r, a, a->loaded, b, b->stored, most);
}

/* Of a piece that nothing waits for: row 0 of what it stores, or else of what it loads, is in the first
 * band. */
static int64_t free_lead(const BandRun *r, uint32_t p)
{
    int64_t stored = INT64_MAX, loaded = INT64_MAX;
    for (uint32_t i = r->piece[p].first; i < r->piece[p].end; i++) {
        const Touch *t = &r->touch[i];
        if (t->known && t->stores) stored = min_i64(stored, -t->stored.last);
        if (t->known && t->loads) loaded = min_i64(loaded, -t->loaded.last);
    }
    return stored < INT64_MAX ? stored : loaded < INT64_MAX ? loaded : 0;
}

static void find_leads(BandRun *r)
{
    for (uint32_t p = r->n_pieces; p-- > 0;) {
        int64_t lead = INT64_MIN;
        for (uint32_t i = r->piece[p].first; i < r->piece[p].end; i++) {
            const Touch *a = &r->touch[i];
            FOR_TOUCHES(b, r, a->buffer)
            if (touches_meet(a, b) && b->piece > p && b->piece != NO_PIECE) band_need_order(r, a, b, &lead);
        }
        if (lead == INT64_MIN) lead = free_lead(r, p);
        r->piece[p].lead = round_up_i64(lead, r->piece[p].step);
    }
}

void band_collect(BandRun *r, uint32_t first, uint32_t end, int64_t row)
{
    r->row = row;
    begin_layouts(r, first, end);
    r->n_pieces = 0;
    r->apart = false;
    r->first = r->end = first;
    while (r->end < end && r->program->steps[r->end].kind == STEP_KERNEL && add_kernel(r, r->end)) r->end++;
    find_leads(r);
}

/* ---- rows ---- */

double band_row_bytes(const BandRun *r)
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

int64_t band_rows_unit(const BandRun *r)
{
    int64_t unit = 1;
    for (uint32_t p = 0; p < r->n_pieces; p++)
        unit = unit / common_divisor(unit, r->piece[p].step) * r->piece[p].step;
    return unit;
}

int64_t band_count(const BandRun *r)
{
    int64_t most = 1;
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        int64_t rows = loop_of(&r->piece[p])->extent - r->piece[p].lead;
        most = max_i64(most, (rows + r->rows - 1) / r->rows);
    }
    return most;
}

/* ---- a new run ---- */

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
}

BandRun *band_run_new(Program *p, const Target *target, const uint32_t *memory)
{
    BandRun *r = arena_alloc(p->arena, sizeof *r);
    r->arena = p->arena;
    r->program = p;
    r->target = target;
    r->layout = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->layout);
    r->does = arena_alloc(p->arena, p->n_buffers + 1);
    r->touched = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->touched);
    r->own = arena_alloc(p->arena, p->n_buffers + 1);
    r->memory = memory;
    r->apart_memory = program_memories(p->arena, p);
    find_room(r);
    return r;
}
