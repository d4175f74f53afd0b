/* taps.c: loads of one row at places a few elements apart: what a stencil, a blur or a filter reads. A vector
 * as wide as a line of the cache nearly always lies across two of them, and costs two loads. Instead, the
 * tiles' vectors are loaded once, one behind another, and those between them are shuffled out of two. Of
 * vectors half as wide, half lie across: then it pays where two shuffles make a vector, of 8-byte elements.
 * jacobi_1d, AVX-512: 1.20 -> 0.93 ms, AVX2: 1.12 -> 0.93; slice_stencil_512, AVX-512: 65 -> 45 us.
 */
#include "access.h"

enum { LINE_BYTES = 64, LEAST_BYTES = 4, MOST_TAPS = 64, MOST_VECTORS = 64 };

typedef struct Search {
    Emitter *e;
    Val lanes, end; /* the loop in lanes, which has no loops of its own */
} Search;

static bool is_tap(const Search *s, Val v)
{
    const Emitter *e = s->e;
    const Stmt *x = &e->kernel->stmts[v];
    return x->kind == ST_LOAD && x->args[0] == VAL_NONE && !e->taps[v] && !e->moved[v] && !e->alike[v] &&
           !e->pixels[v] && address_coefficient(x->address, s->lanes) == 1 && !has_data(e, x->address) &&
           !is_stored(e, x->buffer, s->lanes, s->end);
}

/* Do vectors of so many elements gain by it? */
static bool is_wide(uint32_t lanes, DType t)
{
    size_t bytes = dtype_bytes(t), all = lanes * bytes;
    return (all == LINE_BYTES && bytes >= LEAST_BYTES) || (all == LINE_BYTES / 2 && bytes == 8);
}

static int by_offset(const void *a, const void *b)
{
    int64_t x = ((const Tap *)a)->at, y = ((const Tap *)b)->at;
    return (x > y) - (x < y);
}

/* Do all the row's vectors that begin as this load's element begin on lines? As far as one can tell: arrays
 * do. */
static bool is_aligned(const Search *s, const Stmt *x, int64_t lanes)
{
    bool is_so = x->address.offset % lanes == 0;
    for (uint32_t i = 0; i < x->address.n_terms; i++)
        is_so &= x->address.terms[i].of == s->lanes || x->address.terms[i].coef % lanes == 0;
    return is_so;
}

/* Of the taps of a row, in their order, those from number `from` on that lie less than a vector apart. */
static uint32_t keep_taps(const Search *s, const Tap *all, uint32_t from, uint32_t n)
{
    Emitter *e = s->e;
    const Stmt *stmts = e->kernel->stmts;
    int64_t lanes = stmts[s->lanes].lanes;
    Taps t = { .first = all[from].of, .base = all[from].of };
    uint32_t to = from;
    do {
        if (all[to].of < t.first) t.first = all[to].of;
        if (is_aligned(s, &stmts[all[to].of], lanes)) t.base = all[to].of;
        to++;
    } while (to < n && all[to].at - all[to - 1].at < lanes);
    t.n = to - from;
    if (all[to - 1].at == all[from].at) return to;
    t.tap = arena_copy(e->arena, all + from, t.n * sizeof *t.tap);
    int64_t base = stmts[t.base].address.offset;
    for (uint32_t i = 0; i < t.n; i++) t.tap[i].at -= base;
    const Taps *kept = arena_copy(e->arena, &t, sizeof t);
    for (uint32_t i = 0; i < t.n; i++) e->taps[t.tap[i].of] = kept;
    return to;
}

static void find_row(const Search *s, Val first)
{
    const Stmt *stmts = s->e->kernel->stmts, *x = &stmts[first];
    Tap tap[MOST_TAPS];
    uint32_t n = 0, done = 0;
    for (Val v = first; v < s->end && n < MOST_TAPS; v++)
        if (stmts[v].buffer == x->buffer && stmts[v].kind == ST_LOAD && stmts[v].dtype == x->dtype &&
            address_moves_alike(stmts[v].address, x->address) && is_tap(s, v))
            tap[n++] = (Tap){ .of = v, .at = stmts[v].address.offset };
    qsort(tap, n, sizeof *tap, by_offset);
    while (done < n) done = keep_taps(s, tap, done, n);
}

void find_taps(Emitter *e)
{
    const Kernel *k = e->kernel;
    e->taps = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Taps *));
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *x = &k->stmts[v];
        Search s = { .e = e, .lanes = v, .end = x->kind == ST_LOOP ? plain_body_end(e, v) : VAL_NONE };
        if (s.end == VAL_NONE || x->lanes < 2 || x->extent == EXTENT_WHILE || e->inside[v]) continue;
        for (Val at = v + 1; at < s.end; at++)
            if (is_wide(x->lanes, (DType)k->stmts[at].dtype) && is_tap(&s, at)) find_row(&s, at);
    }
}

/* ---- emitting ---- */

/* Vectors of a row, in their order, none of which begins behind the end of the one before. */
typedef struct Row {
    LLVMTypeRef type, ints;
    LLVMValueRef from, vector[MOST_VECTORS]; /* NULL: not loaded yet */
    int64_t at[MOST_VECTORS];                /* elements behind the base, in the first tile */
    uint32_t n, lanes, bytes;
} Row;

/* All that the places from low, at most 0, to high need. */
static void set_places(Row *r, int64_t low, int64_t high)
{
    for (int64_t at = low; at < 0 && r->n < MOST_VECTORS; at += r->lanes) r->at[r->n++] = at;
    for (int64_t at = 0; at < high && r->n < MOST_VECTORS; at += r->lanes) r->at[r->n++] = at;
    if (r->n < MOST_VECTORS) r->at[r->n++] = high;
}

/* As ints: LLVM shuffles these by VALIGN, floats by a permutation that takes a register. */
static LLVMValueRef vector_number(Emitter *e, Row *r, uint32_t number)
{
    LLVMValueRef *v = &r->vector[number];
    if (*v) return *v;
    *v = LLVMBuildLoad2(e->b, r->ints, at_bytes(e, r->from, r->at[number] * r->bytes), "");
    LLVMSetAlignment(*v, r->bytes);
    return *v;
}

static LLVMValueRef vector_at(Emitter *e, Row *r, int64_t at)
{
    int lane[64];
    uint32_t i = r->n - 1;
    while (r->at[i] > at) i--;
    LLVMValueRef low = vector_number(e, r, i);
    if (r->at[i] == at) return LLVMBuildBitCast(e->b, low, r->type, "");
    for (int64_t l = 0; l < r->lanes; l++) {
        int64_t place = at + l;
        bool is_low = place < r->at[i] + r->lanes;
        lane[l] = (int)(is_low ? place - r->at[i] : place - r->at[i + 1] + r->lanes);
    }
    LLVMValueRef between = shuffle(e, low, vector_number(e, r, i + 1), lane, r->lanes);
    return LLVMBuildBitCast(e->b, between, r->type, "");
}

bool load_taps(Emitter *e, Val at)
{
    const Taps *t = e->taps[at];
    int d = lane_depth(e);
    if (!t || d < 0 || e->loops[d].live || e->active.axes) return false;
    const Stmt *s = &e->kernel->stmts[t->base];
    Axes axes = axes_of_address(e, s);
    const OpenLoop *lane = &e->loops[d];
    Row made = { .lanes = lane->lanes, .bytes = (uint32_t)dtype_bytes((DType)s->dtype) };
    int64_t last = (int64_t)(lane->tile - 1) * lane->lanes;
    made.type = type_in_memory(e, (DType)s->dtype, made.lanes);
    made.ints = type_lanes(LLVMIntTypeInContext(e->context, 8 * made.bytes), made.lanes);
    set_places(&made, t->tap[0].at, t->tap[t->n - 1].at + last);
    if (made.n == MOST_VECTORS || made.n >= t->n * lane->tile) return false;
    if (at != t->first) return true;
    for (uint32_t i = 0; i < t->n; i++) value_new(e, t->tap[i].of, (DType)s->dtype, axes);
    for (uint32_t part = 0, n = parts_of(e, axes), step = part_step(e, axes, d); part < n; part++) {
        uint32_t tile[MAX_LOOP_DEPTH];
        part_tiles(e, axes, part, tile);
        if (tile[d]) continue;
        Row r = made;
        r.from = address_of_part(e, s, axes, part);
        for (uint32_t k = 0; k < lane->tile; k++)
            for (uint32_t i = 0; i < t->n; i++)
                e->values[t->tap[i].of].part[part + k * step] =
                    vector_at(e, &r, t->tap[i].at + (int64_t)k * r.lanes);
        block_breathe(e, r.n + t->n * lane->tile);
    }
    return true;
}
