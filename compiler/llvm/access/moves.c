/* moves.c: elements that are only moved, where lanes go across short rows: the colours of pixels that are
 * turned, flipped or put elsewhere. Their STOREs come in runs of neighbours whose values are LOADs of
 * neighbours. Each by itself would be gathered from every pixel; a run of 12 bytes is one load and one store.
 * So the LOADs of a run do nothing, its STOREs wait for the last of them, and then the runs of all lanes are
 * moved, one after the other.
 *
 * Where the pixels lie backwards, one behind another, as many as a register holds are loaded and reversed
 * together. Where a tile goes along the pixels that lanes go across, squares of pixels are transposed in
 * registers, as single elements are.
 *
 * Where data says which pixel each lane reads (rows of a table by their numbers, windows that begin where
 * they like), the run of each lane has a place of its own.
 *
 * A run that is narrower than a register may be moved with what lies behind it, if that is in the buffer and
 * the next run is stored there afterwards.
 */
#include "access.h"
#include <stdlib.h>

enum { SHORT_RUN_BYTES = 16, FETCHED_APART = 512, MOST_PLACES = 32 /* said by data, in one loop's body */ };

typedef struct Place {
    LLVMValueRef from, to; /* of the first lane */
    LLVMValueRef offsets;  /* of what is read, in elements from `from` on, by lane; NULL: from_step apart */
    int64_t from_step, to_step; /* bytes from one lane to the next */
    int64_t along;              /* and of what is read, from one tile of a square to the next */
    uint32_t lanes;
    int64_t bytes;          /* of a run */
    int64_t before, behind; /* bytes that are in the buffer before and behind what any of the lanes reads */
} Place;

/* ---- finding ---- */

typedef struct Stored {
    uint32_t memory;
    int64_t offset;
    Val store;
} Stored;

/* What stands in a body without loops, from one of its statements on. */
typedef struct Body {
    Val first, end, lanes; /* the loop in lanes that it is the body of */
    Stored *stored;        /* its stores, sorted: there may be thousands of them */
    uint32_t n_stored, capacity;
} Body;

static int compare_stored(const void *x, const void *y)
{
    const Stored *a = x, *b = y;
    if (a->memory != b->memory) return a->memory < b->memory ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->store < b->store ? -1 : a->store > b->store;
}

/* The first of the stores into this memory at the offset or behind it. */
static const Stored *find_stored(const Body *b, uint32_t memory, int64_t offset)
{
    uint32_t low = 0, high = b->n_stored;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const Stored *s = &b->stored[middle];
        if (s->memory < memory || (s->memory == memory && s->offset < offset)) low = middle + 1;
        else high = middle;
    }
    return low < b->n_stored && b->stored[low].memory == memory ? &b->stored[low] : NULL;
}

/* May the loads wait for the last store in the body, and may the stores? */
static bool may_wait(const Emitter *e, const Body *b)
{
    const Stmt *stmts = e->kernel->stmts;
    for (uint32_t i = 1; i < b->n_stored; i++) {
        const Stmt *x = &stmts[b->stored[i - 1].store], *y = &stmts[b->stored[i].store];
        if (b->stored[i - 1].memory == b->stored[i].memory &&
            (x->buffer != y->buffer || !address_moves_alike(x->address, y->address)))
            return false;
    }
    for (Val v = b->first; v < b->end; v++)
        if (stmt_uses_buffer(&stmts[v]) && stmts[v].kind != ST_STORE &&
            find_stored(b, e->memory[stmts[v].buffer], INT64_MIN))
            return false;
    return true;
}

static bool is_moved(const Emitter *e, const Body *b, Val store)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[store];
    if (s->kind != ST_STORE || s->args[1] != VAL_NONE) return false;
    const Stmt *l = &stmts[s->args[0]];
    return l->kind == ST_LOAD && l->args[0] == VAL_NONE && s->args[0] >= b->first &&
           e->uses[s->args[0]] == 1 &&
           e->program->buffers[l->buffer].dtype == e->program->buffers[s->buffer].dtype &&
           l->dtype == e->program->buffers[l->buffer].dtype;
}

bool has_data(const Emitter *e, Address a)
{
    for (uint32_t i = 0; i < a.n_terms; i++) {
        StmtKind kind = (StmtKind)e->kernel->stmts[a.terms[i].of].kind;
        if (kind != ST_LOOP && kind != ST_COUNTER) return true;
    }
    return false;
}

/* Does it pay to move runs of so many bytes, their elements so far apart from lane to lane? What lies near is
 * shuffled out of vectors, and into them. */
static bool run_pays(const Emitter *e, int64_t n, int64_t step, int64_t to, uint32_t lanes, uint32_t bytes)
{
    int64_t apart = step < 0 ? -step : step;
    bool is_near = can_split_rows(e, apart, lanes, bytes) || can_load_strided(e, apart, lanes, bytes),
         is_flip = step == -n && to == n && !(e->has_avx512 && bytes >= 4);
    return !is_near || is_flip || (step == n && to == n) || n * bytes >= SHORT_RUN_BYTES;
}

/* Is store b that of the element `by` behind store a's, and so are their loads? */
static bool is_behind(const Emitter *e, Val a, Val b, int64_t by)
{
    const Stmt *stmts = e->kernel->stmts, *x = &stmts[a], *y = &stmts[b], *from = &stmts[x->args[0]],
               *to = &stmts[y->args[0]];
    return x->buffer == y->buffer && from->buffer == to->buffer &&
           address_moves_alike(x->address, y->address) && address_moves_alike(from->address, to->address) &&
           x->address.offset + by == y->address.offset && from->address.offset + by == to->address.offset;
}

static Val find_behind(const Emitter *e, const Body *b, Val store, int64_t by)
{
    const Stmt *s = &e->kernel->stmts[store];
    uint32_t memory = e->memory[s->buffer];
    int64_t offset = s->address.offset + by;
    const Stored *x = find_stored(b, memory, offset), *end = b->stored + b->n_stored;
    for (; x && x < end && x->memory == memory && x->offset == offset; x++)
        if (is_behind(e, store, x->store, by)) return x->store;
    return VAL_NONE;
}

/* The run that begins with this store; false: it does not pay. */
static bool find_run(const Emitter *e, const Body *b, Val first, Moved *m)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[first], *l = &stmts[s->args[0]];
    *m = (Moved){ .n = 0 };
    for (Val v = first; v != VAL_NONE && m->n < MOST_MOVED; v = find_behind(e, b, first, m->n)) {
        if (!m->n || v > m->last) m->last = v;
        m->of[m->n++] = v;
    }
    int64_t step = address_coefficient(l->address, b->lanes), to = address_coefficient(s->address, b->lanes);
    if (m->n < 2 || m->n == MOST_MOVED || !to) return false;
    if (has_data(e, l->address)) return stmts[b->lanes].lanes * stmts[b->lanes].tile <= MOST_PLACES;
    return step && run_pays(e, m->n, step, to, stmts[b->lanes].lanes, (uint32_t)dtype_bytes((DType)l->dtype));
}

/* Everything that the body stores is moved in runs, or nothing is: what else is stored beside them is better
 * stored together with them. */
static void find_runs(Emitter *e, Body *b)
{
    const Stmt *stmts = e->kernel->stmts;
    Moved *runs = NULL;
    uint32_t n = 0, capacity = 0, moved = 0;
    for (Val v = b->first; v < b->end; v++) {
        if (stmts[v].kind != ST_STORE) continue;
        if (!is_moved(e, b, v) || has_data(e, stmts[v].address)) return;
        ARENA_PUSH(e->arena, b->stored, b->n_stored, b->capacity) =
            (Stored){ e->memory[stmts[v].buffer], stmts[v].address.offset, v };
    }
    if (!b->n_stored) return;
    qsort(b->stored, b->n_stored, sizeof *b->stored, compare_stored);
    if (!may_wait(e, b)) return;
    for (Val v = b->first; v < b->end; v++) {
        if (stmts[v].kind != ST_STORE || find_behind(e, b, v, -1) != VAL_NONE) continue;
        runs = arena_grow(e->arena, runs, n, &capacity, n + 1, sizeof *runs);
        if (!find_run(e, b, v, &runs[n])) return;
        moved += runs[n++].n;
    }
    if (moved != b->n_stored) return;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < runs[k].n; i++)
            e->moved[runs[k].of[i]] = e->moved[stmts[runs[k].of[i]].args[0]] = &runs[k];
}

void find_moved_runs(Emitter *e)
{
    const Kernel *k = e->kernel;
    int whiles = 0;
    e->moved = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Moved *));
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP) whiles += s->extent == EXTENT_WHILE || whiles > 0;
        if (s->kind == ST_END && whiles) whiles--;
        if (s->kind != ST_LOOP || s->lanes < 4 || whiles) continue;
        Body b = { .first = v + 1, .end = plain_body_end(e, v), .lanes = v };
        if (b.end == VAL_NONE) continue;
        find_runs(e, &b);
    }
}

/* ---- moving ---- */

static LLVMTypeRef bytes_type(const Emitter *e, int64_t bytes)
{
    return bytes <= 8 ? LLVMIntTypeInContext(e->context, (unsigned)(8 * bytes))
                      : type_lanes(e->i8, (uint32_t)bytes);
}

static void move_bytes(Emitter *e, LLVMValueRef from, LLVMValueRef to, int64_t bytes)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, bytes_type(e, bytes), from, "");
    LLVMSetAlignment(v, 1);
    LLVMSetAlignment(LLVMBuildStore(e->b, v, to), 1);
}

/* The largest power of two that is not larger. */
static int64_t power_below(int64_t n)
{
    int64_t p = 1;
    while (2 * p <= n) p *= 2;
    return p;
}

/* Exactly so many bytes: whole registers, then narrower ones. */
static void move_exactly(Emitter *e, LLVMValueRef from, LLVMValueRef to, int64_t bytes)
{
    int64_t most = e->target->vector_bytes;
    for (int64_t at = 0; at < bytes;) {
        int64_t left = bytes - at, size = left >= most ? most : power_below(left);
        if (at >= 2 * size && left > size && left < 2 * size) { /* two that overlap instead of three */
            size *= 2;
            at = bytes - size;
        }
        move_bytes(e, at_bytes(e, from, at), at_bytes(e, to, at), size);
        at += size;
    }
}

static void move_run(Emitter *e, const Place *p, uint32_t lane)
{
    int64_t wide = power_below(2 * p->bytes - 1), spill = wide - p->bytes, most = e->target->vector_bytes;
    LLVMValueRef from = at_bytes(e, p->from, lane * p->from_step), to = at_bytes(e, p->to, lane * p->to_step);
    int64_t behind = p->behind + (p->from_step > 0 ? p->lanes - 1 - lane : lane) *
                                     (p->from_step > 0 ? p->from_step : -p->from_step);
    bool covered = p->to_step == p->bytes && spill <= (int64_t)(p->lanes - 1 - lane) * p->bytes;
    if (spill && wide <= most && covered && spill <= behind) move_bytes(e, from, to, wide);
    else move_exactly(e, from, to, p->bytes);
}

/* Pixels that lie backwards: as many as fit into a register at once. */
static LLVMValueRef reversed_pixels(Emitter *e, LLVMValueRef v, int64_t skip, int64_t pixels, int64_t bytes,
                                    int64_t unit)
{
    int lane[64];
    int64_t n = lanes_of(v), each = bytes / unit;
    for (int64_t i = 0; i < n; i++) {
        int64_t pixel = i / each;
        lane[i] = pixel < pixels ? (int)(skip + (pixels - 1 - pixel) * each + i % each) : (int)i;
    }
    return shuffle(e, v, NULL, lane, (uint32_t)n);
}

/* Sixteen pixels of three bytes, from byte `skip` on, where no shuffle takes bytes out of all of a register:
 * four of them into each of its quarters, last ones first; turned there; and together again. LLVM would
 * make one shuffle of these, and then a dozen. */
static LLVMValueRef reversed_threes(Emitter *e, LLVMValueRef v, int64_t skip)
{
    int apart[16], turned[64], together[16];
    LLVMTypeRef words = LLVMTypeOf(v), bytes = type_lanes(e->i8, 64);
    for (int i = 0; i < 16; i++) {
        apart[i] = i % 4 < 3 ? (int)skip / 4 + 3 * (3 - i / 4) + i % 4 : i;
        together[i] = i < 12 ? i / 3 * 4 + i % 3 : i;
    }
    for (int i = 0; i < 64; i++)
        turned[i] = i % 16 < 12 ? i / 16 * 16 + 3 * (3 - i % 16 / 3) + i % 16 % 3 : i;
    v = opaque(e, shuffle(e, v, NULL, apart, 16));
    v = opaque(e, shuffle(e, LLVMBuildBitCast(e->b, v, bytes, ""), NULL, turned, 64));
    return shuffle(e, LLVMBuildBitCast(e->b, v, words, ""), NULL, together, 16);
}

static uint32_t move_backwards(Emitter *e, const Place *p, int64_t unit, uint32_t first)
{
    /* narrower parts are shuffled by 16 bytes */
    bool is_whole = unit >= 4 || (unit == 2 && e->has_avx512) || e->has_vbmi,
         threes = !is_whole && e->has_avx512 && p->bytes == 3 && p->lanes - first >= 16;
    int64_t size = is_whole || threes ? e->target->vector_bytes : 16, pixels = threes ? 16 : size / p->bytes,
            skip = 0, useful = pixels * p->bytes;
    if (pixels > (int64_t)(p->lanes - first)) pixels = p->lanes - first, useful = pixels * p->bytes;
    if (pixels < 2 || (unit < 4 && !e->has_sse41)) return 0;
    int64_t spill = size - useful, behind = p->behind + first * p->bytes,
            before = p->before + (p->lanes - first - pixels) * p->bytes;
    if (spill > behind && spill > before) return 0;
    if (spill > behind) skip = spill;
    if (threes) unit = 4;
    LLVMTypeRef type =
        type_lanes(LLVMIntTypeInContext(e->context, (unsigned)(8 * unit)), (uint32_t)(size / unit));
    LLVMValueRef from = at_bytes(e, p->from, (first + pixels - 1) * p->from_step - skip),
                 to = at_bytes(e, p->to, first * p->to_step), v = LLVMBuildLoad2(e->b, type, from, "");
    LLVMSetAlignment(v, 1);
    v = threes ? reversed_threes(e, v, skip) : reversed_pixels(e, v, skip / unit, pixels, p->bytes, unit);
    bool covered = spill <= (int64_t)(p->lanes - first - pixels) * p->bytes;
    dense_store(e, v, to, (uint32_t)unit,
                covered ? NULL : const_mask(e, (uint32_t)(useful / unit), (uint32_t)(size / unit)));
    return (uint32_t)pixels;
}

/* The parts of elements that a shuffle moves: as wide as the runs allow. */
static int64_t unit_of(int64_t run, uint32_t bytes)
{
    int64_t unit = bytes;
    while (unit < 8 && run % (2 * unit) == 0) unit *= 2;
    return unit;
}

static void move_lanes(Emitter *e, const Place *p, uint32_t element)
{
    int64_t unit = unit_of(p->bytes, element);
    if (p->offsets) {
        for (uint32_t lane = 0; lane < p->lanes; lane++)
            move_exactly(e, lane_pointer(e, p->from, p->offsets, lane, element),
                         at_bytes(e, p->to, lane * p->to_step), p->bytes);
        return;
    }
    if (p->from_step == p->bytes && p->to_step == p->bytes) {
        move_exactly(e, p->from, p->to, p->bytes * p->lanes);
        return;
    }
    for (uint32_t lane = 0; lane < p->lanes;) {
        uint32_t n = 0;
        if (p->from_step == -p->bytes && p->to_step == p->bytes) n = move_backwards(e, p, unit, lane);
        if (!n) move_run(e, p, lane);
        lane += n ? n : 1;
    }
}

void room_around(const Emitter *e, const Stmt *load, Axes axes, uint32_t part, int64_t lanes, int64_t n,
                 int64_t *before, int64_t *behind)
{
    uint32_t tile[MAX_LOOP_DEPTH];
    int64_t low = load->address.offset, high = low + n;
    *before = *behind = 0;
    part_tiles(e, axes, part, tile);
    for (uint32_t i = 0; i < load->address.n_terms; i++) {
        const Term *t = &load->address.terms[i];
        int d = 0;
        while (d < e->depth && e->loops[d].stmt != t->of) d++;
        if (d == e->depth) return;
        const OpenLoop *l = &e->loops[d];
        int64_t step = (int64_t)l->lanes * l->tile, extent = e->kernel->stmts[t->of].extent,
                own = axes >> d & 1 ? (int64_t)tile[d] * l->lanes : 0, first = own,
                last = own + (extent >= step ? (l->overlaps ? extent : extent / step * step) - step : 0);
        if (l->is_fixed) first = last = l->fixed + own;
        if (d == e->depth - 1) last += lanes - 1;
        low += t->coef * (t->coef > 0 ? first : last);
        high += t->coef * (t->coef > 0 ? last : first);
    }
    Stretch there = e->there[load->buffer];
    *before = low > there.low ? low - there.low : 0;
    *behind = there.high > high ? there.high - high : 0;
}

/* The depth of the tile that goes along pixels of so many bytes that lanes go across, if squares of them fill
 * registers; else -1. n: elements of a pixel. */
static int square_tile(const Emitter *e, const Stmt *load, const Stmt *store, Axes axes, int64_t n,
                       int64_t bytes)
{
    Val lanes = e->loops[e->depth - 1].stmt;
    if ((bytes != 2 && bytes != 4 && bytes != 8) || address_coefficient(store->address, lanes) != n ||
        has_data(e, load->address))
        return -1;
    for (int d = 0; d < e->depth - 1; d++) {
        int64_t along = address_coefficient(load->address, e->loops[d].stmt);
        if ((axes >> d & 1) && (along == n || along == -n) && e->loops[d].lanes == 1 &&
            e->loops[d].tile >= 4 && can_transpose(e->loops[d].tile, (uint32_t)bytes))
            return d;
    }
    return -1;
}

/* As many lanes as there are tiles, from lane `first` on: the pixels of all tiles. */
static void move_square(Emitter *e, const Place *tiles, uint32_t n, uint32_t first)
{
    int64_t bytes = tiles[0].bytes;
    bool backwards = tiles[0].along < 0;
    LLVMTypeRef type = type_lanes(LLVMIntTypeInContext(e->context, (unsigned)(8 * bytes)), n);
    LLVMValueRef row[64];
    for (uint32_t l = 0; l < n; l++) {
        LLVMValueRef from = tiles[backwards ? n - 1 : 0].from;
        row[l] = LLVMBuildLoad2(e->b, type, at_bytes(e, from, (first + l) * tiles[0].from_step), "");
        LLVMSetAlignment(row[l], 1);
    }
    transpose_registers(e, row, n, (uint32_t)bytes);
    for (uint32_t t = 0; t < n; t++) {
        const Place *p = &tiles[backwards ? n - 1 - t : t];
        LLVMSetAlignment(LLVMBuildStore(e->b, row[t], at_bytes(e, p->to, first * p->to_step)), 1);
    }
}

static Place place_of_part(Emitter *e, const Moved *m, Axes axes, uint32_t part, int along)
{
    const Stmt *store = &e->kernel->stmts[m->of[0]], *load = &e->kernel->stmts[store->args[0]];
    const OpenLoop *lane = &e->loops[e->depth - 1]; /* of one lane, perhaps */
    int64_t bytes = (int64_t)dtype_bytes((DType)load->dtype);
    uint32_t tile[MAX_LOOP_DEPTH];
    part_tiles(e, axes, part, tile);
    bool is_last = tile[e->depth - 1] == lane->tile - 1;
    Place p = { .from = address_of_part(e, load, axes, part),
                .to = address_of_part(e, store, axes, part),
                .offsets = offsets_by_data(e, load, axes, part),
                .from_step = address_coefficient(load->address, lane->stmt) * bytes,
                .to_step = address_coefficient(store->address, lane->stmt) * bytes,
                .along = along < 0 ? 0 : address_coefficient(load->address, e->loops[along].stmt) * bytes,
                .lanes = lane->live && is_last ? lane->live : lane->lanes,
                .bytes = m->n * bytes };
    room_around(e, load, axes, part, p.lanes, m->n, &p.before, &p.behind);
    p.before *= bytes;
    p.behind *= bytes;
    return p;
}

/* Those of the lanes that are not `done`. */
static void move_rest(Emitter *e, Place p, uint32_t done, uint32_t element)
{
    if (done == p.lanes) return;
    p.from = at_bytes(e, p.from, done * p.from_step);
    p.to = at_bytes(e, p.to, done * p.to_step);
    *(p.from_step > 0 ? &p.before : &p.behind) += done * (p.from_step > 0 ? p.from_step : -p.from_step);
    p.lanes -= done;
    move_lanes(e, &p, element);
}

/* Fetches what the next lanes need, of arrays that the cache does not hold: each lane reads another line,
 * which the machine does not foresee, and each tile writes one, of which its queue of stores holds few. */
static void fetch_next(Emitter *e, const Stmt *load, const Stmt *store, const Place *p, bool is_first)
{
    int64_t step = p->from_step < 0 ? -p->from_step : p->from_step;
    bool reads = is_first && step >= FETCHED_APART && is_large(e, load->buffer);
    for (uint32_t l = 0; reads && l < p->lanes; l++)
        fetch_line(e, at_bytes(e, p->from, (p->lanes + l) * p->from_step), false);
    if (is_large(e, store->buffer)) fetch_line(e, at_bytes(e, p->to, 2 * p->lanes * p->to_step), true);
}

void store_moved(Emitter *e, const Moved *m)
{
    const Stmt *store = &e->kernel->stmts[m->of[0]], *load = &e->kernel->stmts[store->args[0]];
    Axes axes = axes_of_address(e, store) | axes_of_address(e, load);
    uint32_t bytes = (uint32_t)dtype_bytes((DType)load->dtype), parts = parts_of(e, axes);
    int along = square_tile(e, load, store, axes, m->n, (int64_t)m->n * bytes);
    uint32_t n = along < 0 ? 1 : e->loops[along].tile, apart = 1; /* parts of a square */
    bool fetches = n == 1 && parts > 1 && !e->loops[e->depth - 1].is_fixed && !has_data(e, load->address);
    for (int d = e->depth - 1; d > along && along >= 0; d--)
        if (axes >> d & 1) apart *= e->loops[d].tile;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t tile[MAX_LOOP_DEPTH], done = 0;
        Place p[64];
        part_tiles(e, axes, i, tile);
        if (along >= 0 && tile[along]) continue;
        for (uint32_t t = 0; t < n; t++) p[t] = place_of_part(e, m, axes, i + t * apart, along);
        if (fetches) fetch_next(e, load, store, &p[0], i == 0);
        for (; n > 1 && done + n <= p[0].lanes; done += n) {
            move_square(e, p, n, done);
            block_breathe(e, n * n);
        }
        for (uint32_t t = 0; t < n; t++) {
            move_rest(e, p[t], done, bytes);
            block_breathe(e, 2 * (p[t].lanes - done));
        }
    }
}
