/* bands.c: rows of a sliding window across kernels.
 *
 * Kernels that run one after the other and hand arrays to each other row by row run BAND by band instead: B
 * rows of the first, B rows of the second, ..., then the next B rows of each (program.h: ROWS). An array
 * between them that nobody else reads becomes a window of rows, which stays in the caches. What each row
 * computes and in which order is the same.
 *
 * A PIECE is an outermost loop of a kernel. If piece q behind piece p touches row i + b of a buffer that p
 * touches at row i + a, and one of them stores, p must have done its iteration i + b - a before q does i. So p
 * leads: lead(p) >= lead(q) + max(b - a). Leads are found from the last piece to the first. What cannot be said
 * so (another order of axes, indices from data, sums over all rows) ends the run of kernels.
 *
 * A window holds what the pieces touch in one band. Rows that the next band reads again are moved to its
 * begin at the end of the band.
 */
#include "bands.h"
#include "cost.h"
#include "nest.h"
#include "row_form.h"

/* An outermost loop. */
typedef struct Piece {
    Kernel *kernel;
    Val loop;
    int64_t lead;
} Piece;

enum { NO_PIECE = UINT32_MAX }; /* the statements outside of loops */

/* What a piece does with a buffer. known: loaded and stored say all. */
typedef struct Touch {
    uint32_t buffer, piece;
    bool known, loads, stores;
    Rows loaded, stored;
} Touch;

/* A run of kernels: the steps first .. end - 1. */
typedef struct Run {
    Arena *arena;
    Program *program;
    const Target *target;
    uint32_t first, end;
    Piece piece[MAX_BAND_PIECES];
    uint32_t n_pieces;
    Touch touch[MAX_BAND_TOUCHES];
    uint32_t n_touches;
    Kernel kernel[MAX_BAND_KERNELS]; /* as they will be */
    int64_t row;     /* elements: loops over a whole array are two, one of rows of so many; 0: as they are */
    Layout *layout;  /* by buffer, in this run */
    uint32_t *users; /* by buffer: kernels that touch it, anywhere; more than there are if a step does */
    Window window[MAX_BAND_TOUCHES];
    uint32_t n_windows;
    int64_t rows, extent; /* of a band; of the longest piece */
} Run;

static const Stmt *loop_of(const Piece *p) { return &p->kernel->stmts[p->loop]; }
static int64_t step_of(const Piece *p) { return (int64_t)loop_of(p)->lanes * loop_of(p)->tile; }
static Kernel *kernel_at(Run *r, uint32_t step) { return &r->kernel[step - r->first]; }

static int64_t round_up(int64_t x, int64_t step)
{
    int64_t rest = x % step;
    return rest > 0 ? x - rest + step : x - rest;
}

/* ---- what pieces touch ---- */

/* The touch of the newest piece, or of what is outside of pieces; NULL: there are too many. */
static Touch *touch_of(Run *r, uint32_t buffer, uint32_t piece)
{
    for (uint32_t i = r->n_touches; i-- > 0 && r->touch[i].piece == piece;)
        if (r->touch[i].buffer == buffer) return &r->touch[i];
    if (r->n_touches == MAX_BAND_TOUCHES) return NULL;
    r->touch[r->n_touches] = (Touch){ .buffer = buffer, .piece = piece, .known = piece != NO_PIECE };
    return &r->touch[r->n_touches++];
}

static void widen(bool *any, Rows *all, Rows one)
{
    if (!*any || one.first < all->first) all->first = one.first;
    if (!*any || one.last > all->last) all->last = one.last;
    *any = true;
}

static bool note_access(Run *r, const Kernel *k, const Stmt *s, uint32_t piece)
{
    Touch *t = touch_of(r, s->buffer, piece);
    Rows rows = { 0, 0 };
    if (!t) return false;
    t->known = t->known && rows_of(k, s, r->piece[piece].loop, &r->program->buffers[s->buffer],
                                   r->layout[s->buffer], &rows);
    if (s->kind == ST_LOAD) widen(&t->loads, &t->loaded, rows);
    else widen(&t->stores, &t->stored, rows);
    return true;
}

/* Can it be loaded and stored by several pieces? */
static bool is_shared(const Run *r, uint32_t buffer)
{
    uint8_t kind = r->program->buffers[buffer].kind;
    return kind == BUF_TEMP || kind == BUF_OUTPUT;
}

static bool is_touched(const Run *r, uint32_t buffer)
{
    for (uint32_t i = 0; i < r->n_touches; i++)
        if (r->touch[i].buffer == buffer) return true;
    return false;
}

/* The layout of a buffer is that of the STORE with the longest rows, and stays what it is once it is used. */
static void find_layouts(Run *r, const Kernel *k)
{
    Val outer = VAL_NONE;
    int depth = 0;
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth++ == 0) outer = i;
        if (s->kind == ST_END) depth--;
        if (s->kind != ST_STORE || !depth || !is_shared(r, s->buffer) || is_touched(r, s->buffer)) continue;
        Layout l = rows_layout(k, s, outer, r->program->buffers[s->buffer].count);
        if (l.stride > r->layout[s->buffer].stride) r->layout[s->buffer] = l;
    }
}

/* Outside of loops nothing may stand that runs once only. */
static bool may_repeat(const Stmt *s) { return s->kind <= ST_OP || s->kind == ST_COUNTER; }

static bool note_kernel(Run *r, Kernel *k)
{
    int depth = 0;
    if (k->rows) return false;
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_END) depth--;
        else if (s->kind == ST_LOOP && depth++ == 0) {
            if (r->n_pieces == MAX_BAND_PIECES || s->extent < 1) return false;
            r->piece[r->n_pieces++] = (Piece){ k, i, 0 };
        } else if (depth == 0 && !may_repeat(s)) return false;
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
static int64_t find_row(const Run *r, const Kernel *k, bool stored)
{
    Val outer = VAL_NONE;
    int depth = 0;
    for (Val i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth++ == 0) outer = i;
        if (s->kind == ST_END) depth--;
        if (s->kind != ST_LOAD || !depth || !is_touched(r, s->buffer)) continue;
        Layout l = r->layout[s->buffer];
        int64_t loaded = address_coefficient(s->address, outer), row = stored ? l.stride : loaded;
        if ((stored ? loaded : l.stride) == 1 && !l.period && row > 1) return row;
    }
    return 0;
}

/* The next kernel joins the run. False: it cannot, and nothing has changed. */
static bool add_kernel(Run *r, uint32_t step)
{
    uint32_t pieces = r->n_pieces, touches = r->n_touches;
    Kernel *kernel = kernel_at(r, step);
    *kernel = r->program->kernels[r->program->steps[step].kernel];
    int64_t row = find_row(r, kernel, true);
    if (row || r->row) unfold_rows(r->arena, kernel, row ? row : r->row);
    find_layouts(r, kernel);
    row_form(r->arena, r->program, r->layout, kernel);
    bool fits = note_kernel(r, kernel) && r->n_pieces > pieces;
    for (uint32_t i = touches; fits && i < r->n_touches; i++)
        for (uint32_t k = 0; k < i; k++)
            fits &= !meet(&r->touch[k], &r->touch[i]) || (r->touch[k].known && r->touch[i].known);
    if (fits) return true;
    r->n_pieces = pieces;
    r->n_touches = touches;
    return false;
}

/* ---- leads ---- */

static int64_t extent_of(const Run *r, const Touch *t) { return loop_of(&r->piece[t->piece])->extent; }

/* *most becomes by how much the piece of a must lead that of b at least, for what these rows need. */
static void need_lead(const Run *r, const Touch *a, Rows earlier, const Touch *b, Rows later, int64_t *most)
{
    bool apart =
        later.last + extent_of(r, b) <= earlier.first || earlier.last + extent_of(r, a) <= later.first;
    int64_t lead = r->piece[b->piece].lead + later.last - earlier.first;
    if (!apart && lead > *most) *most = lead;
}

static void need_order(const Run *r, const Touch *a, const Touch *b, int64_t *most)
{
    if (a->stores && b->loads) need_lead(r, a, a->stored, b, b->loaded, most);
    if (a->stores && b->stores) need_lead(r, a, a->stored, b, b->stored, most);
    if (a->loads && b->stores) need_lead(r, a, a->loaded, b, b->stored, most);
}

/* Of a piece that nothing waits for: row 0 of what it stores is in the first band. */
static int64_t free_lead(const Run *r, uint32_t p)
{
    int64_t lead = INT64_MAX;
    for (uint32_t i = 0; i < r->n_touches; i++)
        if (r->touch[i].piece == p && r->touch[i].known && r->touch[i].stores)
            lead = -r->touch[i].stored.last < lead ? -r->touch[i].stored.last : lead;
    return lead == INT64_MAX ? 0 : lead;
}

static void find_leads(Run *r)
{
    for (uint32_t p = r->n_pieces; p-- > 0;) {
        int64_t lead = INT64_MIN;
        for (uint32_t i = 0; i < r->n_touches; i++)
            for (uint32_t k = 0; r->touch[i].piece == p && k < r->n_touches; k++) {
                const Touch *a = &r->touch[i], *b = &r->touch[k];
                if (meet(a, b) && b->piece > p && b->piece != NO_PIECE) need_order(r, a, b, &lead);
            }
        if (lead == INT64_MIN) lead = free_lead(r, p);
        r->piece[p].lead = round_up(lead, step_of(&r->piece[p]));
    }
}

/* ---- windows ---- */

/* How many kernels of the run touch the buffer. */
static uint32_t users_in(const Run *r, uint32_t buffer)
{
    uint32_t n = 0;
    const Kernel *last = NULL;
    for (uint32_t i = 0; i < r->n_touches; i++) {
        const Touch *t = &r->touch[i];
        if (t->buffer != buffer || t->piece == NO_PIECE || r->piece[t->piece].kernel == last) continue;
        last = r->piece[t->piece].kernel;
        n++;
    }
    return n;
}

/* Is this the first touch of what nobody knows of but the run? */
static bool opens_window(const Run *r, const Touch *t)
{
    if (r->program->buffers[t->buffer].kind != BUF_TEMP || !t->stores) return false;
    for (uint32_t i = 0; i < r->n_touches; i++)
        if (r->touch[i].buffer == t->buffer && (!r->touch[i].known || &r->touch[i] < t)) return false;
    uint32_t users = users_in(r, t->buffer);
    return users > 1 && users == r->users[t->buffer];
}

static int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

/* In each band a piece touches rows below the end of the band's own rows plus this. A loop over one index runs
 * in one band, whose end is known. */
static int64_t rows_above(const Run *r, const Piece *p, Rows rows)
{
    if (loop_of(p)->extent > 1) return p->lead + rows.last;
    int64_t band = p->lead < 0 ? -p->lead / r->rows : 0;
    return rows.last + 1 - (band + 1) * r->rows;
}

/* The window for r->rows rows in each band. */
static Window window_of(const Run *r, uint32_t buffer)
{
    Window w = { .buffer = buffer, .layout = r->layout[buffer], .step = r->rows };
    int64_t lo = INT64_MAX, hi = INT64_MIN, stored = INT64_MIN, loaded = INT64_MAX;
    for (uint32_t i = 0; i < r->n_touches; i++) {
        const Touch *t = &r->touch[i];
        if (t->buffer != buffer) continue;
        const Piece *p = &r->piece[t->piece];
        for (int side = 0; side < 2; side++) {
            if (!(side ? t->stores : t->loads)) continue;
            Rows rows = side ? t->stored : t->loaded;
            lo = min_i64(lo, min_i64(p->lead, 0) + rows.first);
            hi = max_i64(hi, rows_above(r, p, rows));
        }
        if (t->stores) stored = max_i64(stored, rows_above(r, p, t->stored));
        if (t->loads) loaded = min_i64(loaded, p->lead + t->loaded.first);
    }
    w.lo = lo;
    w.rows = r->rows + hi - lo;
    w.kept = max_i64(stored - loaded, 0);
    w.from = loaded - lo;
    return w;
}

static void find_windows(Run *r, int64_t rows)
{
    r->n_windows = 0;
    r->rows = rows;
    for (uint32_t i = 0; i < r->n_touches; i++)
        if (opens_window(r, &r->touch[i])) r->window[r->n_windows++] = window_of(r, r->touch[i].buffer);
}

/* The run is cut down to the kernels from the first to the last that touch a window. False: none does. */
static bool touches_window(Run *r, uint32_t step)
{
    for (uint32_t i = 0; i < r->n_touches; i++) {
        const Touch *t = &r->touch[i];
        if (t->piece == NO_PIECE || r->piece[t->piece].kernel != kernel_at(r, step)) continue;
        for (uint32_t w = 0; w < r->n_windows; w++)
            if (r->window[w].buffer == t->buffer) return true;
    }
    return false;
}

/* ---- how many rows ---- */

static int64_t bytes_of(const Buffer *b) { return b->count * (int64_t)dtype_bytes((DType)b->dtype); }

static const Window *window_at(const Run *r, uint32_t buffer)
{
    for (uint32_t i = 0; i < r->n_windows; i++)
        if (r->window[i].buffer == buffer) return &r->window[i];
    return NULL;
}

static int64_t window_row_bytes(const Run *r, const Window *w)
{
    const Buffer *b = &r->program->buffers[w->buffer];
    return rows_parts(b, w->layout) * w->layout.stride * (int64_t)dtype_bytes((DType)b->dtype);
}

/* Bytes of one row of all that the run touches, windows and others, each buffer once. */
static double row_bytes(const Run *r)
{
    double bytes = 0;
    bool *seen = arena_alloc(r->arena, r->program->n_buffers);
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        const Kernel *k = r->piece[p].kernel;
        for (Val i = 0; i < k->n_stmts; i++) {
            if (!stmt_uses_buffer(&k->stmts[i]) || seen[k->stmts[i].buffer]) continue;
            const Buffer *b = &r->program->buffers[k->stmts[i].buffer];
            seen[k->stmts[i].buffer] = true;
            if (b->kind != BUF_LOCAL) bytes += (double)bytes_of(b) / (double)r->extent;
        }
    }
    return bytes;
}

static int64_t greatest_divisor(int64_t a, int64_t b) { return b ? greatest_divisor(b, a % b) : a; }

/* The rows of a band: as many as stay in the near cache, at least as many as are kept for the next. False: it
 * does not pay. */
static bool choose_rows(Run *r)
{
    int64_t unit = 1, least = 1;
    double saved = 0, bytes, more = 0;
    r->extent = 0;
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        unit = unit / greatest_divisor(unit, step_of(&r->piece[p])) * step_of(&r->piece[p]);
        r->extent = max_i64(r->extent, loop_of(&r->piece[p])->extent);
    }
    bytes = row_bytes(r);
    for (uint32_t i = 0; i < r->n_windows; i++) {
        const Window *w = &r->window[i];
        least = max_i64(least, w->kept);
        saved += (double)bytes_of(&r->program->buffers[w->buffer]);
        more += (double)(w->rows * window_row_bytes(r, w));
    }
    double near = ((double)r->target->l2_bytes * BAND_PART - more) / bytes;
    find_windows(r, round_up(max_i64(least, near > 1 ? (int64_t)near : 1), unit));
    return saved > (double)r->target->l2_bytes * LEAST_BANDED && r->rows * LEAST_BANDS <= r->extent &&
           (double)r->rows * bytes + more <= (double)r->target->l2_bytes * MOST_BAND;
}

/* ---- the program is changed ---- */

/* The kernel reads a counter, in its first statement. */
static void prepend_counter(const Run *r, Kernel *k, uint32_t counter)
{
    Stmt *stmts = arena_alloc(r->arena, (k->n_stmts + 1) * sizeof *stmts);
    stmts[0] = (Stmt){ .kind = ST_COUNTER,
                       .dtype = WEFT_I64,
                       .lanes = 1,
                       .tile = 1,
                       .args = { VAL_NONE, VAL_NONE, VAL_NONE },
                       .imm = counter };
    for (Val i = 0; i < k->n_stmts; i++) {
        Stmt *s = &stmts[i + 1];
        *s = k->stmts[i];
        for (int a = 0; a < 3; a++) s->args[a] += s->args[a] != VAL_NONE;
        Term *terms = arena_copy(r->arena, s->address.terms, s->address.n_terms * sizeof *terms);
        for (uint32_t t = 0; t < s->address.n_terms; t++) terms[t].of++;
        s->address.terms = terms;
    }
    k->stmts = stmts;
    k->n_stmts++;
}

static void use_windows(const Run *r, Kernel *k)
{
    for (Val i = 0; i < k->n_stmts; i++) {
        Stmt *s = &k->stmts[i];
        const Window *w = stmt_uses_buffer(s) ? window_at(r, s->buffer) : NULL;
        if (w) s->address = rows_in_window(r->arena, w, s->address, 0);
    }
}

static void change_kernels(Run *r, uint32_t counter)
{
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        Kernel *k = r->piece[p].kernel;
        k->stmts[r->piece[p].loop].imm = (uint64_t)r->piece[p].lead;
        k->counter = counter;
        k->rows = r->rows;
    }
    for (uint32_t i = r->first; i < r->end; i++) {
        Kernel *k = kernel_at(r, i);
        if (touches_window(r, i)) {
            prepend_counter(r, k, counter);
            use_windows(r, k);
        }
        r->program->kernels[r->program->steps[i].kernel] = *k;
    }
}

/* What the next band reads again moves to where that expects it. */
static void move_rows(const Run *r, Nest *n, const Window *w)
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
static bool make_moves(const Run *r, Kernel *k)
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
    if (any) nest_flatten(&n, k);
    return any;
}

static int64_t bands_of(const Run *r)
{
    int64_t most = 1;
    for (uint32_t p = 0; p < r->n_pieces; p++) {
        int64_t rows = loop_of(&r->piece[p])->extent - r->piece[p].lead;
        most = max_i64(most, (rows + r->rows - 1) / r->rows);
    }
    return most;
}

/* The new list of steps. */
typedef struct StepList {
    ProgramStep *steps;
    uint32_t n, capacity;
} StepList;

static void push_step(Arena *a, StepList *l, ProgramStep s)
{
    ARENA_PUSH(a, l->steps, l->n, l->capacity) = s;
}

static void append_bands(Run *r, StepList *l)
{
    Program *p = r->program;
    uint32_t counter = p->n_counters++, opened = l->n;
    Kernel moves;
    bool any = make_moves(r, &moves);
    push_step(r->arena, l,
              (ProgramStep){ .kind = STEP_LOOP, .extent = bands_of(r), .counter = counter, .bands = true });
    change_kernels(r, counter);
    for (uint32_t i = r->first; i < r->end; i++) push_step(r->arena, l, p->steps[i]);
    for (uint32_t i = 0; i < r->n_windows; i++) {
        Buffer *b = &p->buffers[r->window[i].buffer];
        b->count = rows_window_count(&r->window[i], b);
    }
    if (any) {
        push_step(r->arena, l, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels });
        ARENA_PUSH(r->arena, p->kernels, p->n_kernels, p->cap_kernels) = moves;
    }
    push_step(r->arena, l, (ProgramStep){ .kind = STEP_END, .opened = opened });
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
static void count_users(Run *r)
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
static void begin_layouts(Run *r, uint32_t first, uint32_t end)
{
    r->n_touches = 0;
    for (uint32_t i = first; i < end && r->program->steps[i].kind == STEP_KERNEL; i++) {
        const Kernel *k = &r->program->kernels[r->program->steps[i].kernel];
        for (Val v = 0; v < k->n_stmts; v++)
            if (stmt_uses_buffer(&k->stmts[v])) r->layout[k->stmts[v].buffer] = (Layout){ 0 };
    }
    for (uint32_t i = first; i < end && r->program->steps[i].kind == STEP_KERNEL; i++)
        find_layouts(r, &r->program->kernels[r->program->steps[i].kernel]);
}

/* The kernels from step `first` on, as many as can run in bands, up to `end`. */
static void collect(Run *r, uint32_t first, uint32_t end, int64_t row)
{
    r->row = row;
    begin_layouts(r, first, end);
    r->n_pieces = r->n_touches = 0;
    r->first = r->end = first;
    while (r->end < end && r->program->steps[r->end].kind == STEP_KERNEL && add_kernel(r, r->end)) r->end++;
    find_leads(r);
    find_windows(r, 1);
}

/* The length of the rows in which the kernel behind the run reads an array that the run stores as one long
 * row; 0: it does not. */
static int64_t row_wanted(const Run *r)
{
    const ProgramStep *s = &r->program->steps[r->end];
    if (r->end == r->program->n_steps || s->kind != STEP_KERNEL) return 0;
    return find_row(r, &r->program->kernels[s->kernel], false);
}

/* Does a run of bands begin with this step? */
static bool find_run(Run *r, uint32_t first)
{
    uint32_t most = (uint32_t)min_i64(first + MAX_BAND_KERNELS, r->program->n_steps);
    collect(r, first, most, 0);
    int64_t row = r->end > first ? row_wanted(r) : 0;
    uint32_t windows = r->n_windows;
    if (row) {
        collect(r, first, most, row);
        if (r->n_windows <= windows) collect(r, first, most, 0);
    }
    if (!r->n_windows || !touches_window(r, first)) return false;
    uint32_t end = r->end;
    while (!touches_window(r, end - 1)) end--;
    if (end < r->end) collect(r, first, end, r->row);
    return choose_rows(r);
}

/* Is there an array that is worth it? */
static bool has_large_temporary(const Program *p, const Target *t)
{
    double bytes = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUF_TEMP) bytes += (double)bytes_of(&p->buffers[i]);
    return bytes > (double)t->l2_bytes * LEAST_BANDED;
}

void bands_make(Program *p, const Target *target)
{
    if (!has_large_temporary(p, target)) return;
    Run *r = arena_alloc(p->arena, sizeof *r);
    StepList l = { 0 };
    r->arena = p->arena;
    r->program = p;
    r->target = target;
    r->layout = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->layout);
    r->users = arena_alloc(p->arena, (p->n_buffers + 1) * sizeof *r->users);
    uint32_t *map = arena_alloc(p->arena, (p->n_steps + 1) * sizeof *map);
    count_users(r);
    for (uint32_t i = 0; i < p->n_steps;) {
        if (p->steps[i].kind == STEP_KERNEL && find_run(r, i)) {
            append_bands(r, &l);
            i = r->end;
            continue;
        }
        ProgramStep s = p->steps[i];
        map[i] = l.n;
        if (step_has_opened(&s)) s.opened = map[s.opened];
        push_step(p->arena, &l, s);
        i++;
    }
    p->steps = l.steps;
    p->n_steps = l.n;
    p->cap_steps = l.capacity;
}
