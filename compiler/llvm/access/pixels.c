/* pixels.c: loads of neighbours from rows that lie far apart, one for each lane: colours of pixels that
 * something is computed of, points that are read across an array, or by their numbers. Each alone would be
 * gathered. A block of 16 bytes, four neighbours of 4 or two of 8, is one load of each lane instead, and as
 * many vectors of such loads are transposed, block by block.
 */
#include "access.h"

enum { BLOCK_BYTES = 16, MOST_IN_BLOCK = BLOCK_BYTES / 4 };

/* Elements of a block; 0: those of the load are too narrow, or there is no vector of them. */
static uint32_t in_block(const Emitter *e, const Stmt *load)
{
    size_t bytes = dtype_bytes((DType)e->program->buffers[load->buffer].dtype);
    return bytes == 4 || bytes == 8 ? (uint32_t)(BLOCK_BYTES / bytes) : 0;
}

/* Does data that is computed in the lanes say where each reads? */
static bool is_by_data(const Emitter *e, const Stmt *s, Val lanes)
{
    bool by_data = false;
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        Val of = s->address.terms[i].of;
        StmtKind kind = (StmtKind)e->kernel->stmts[of].kind;
        by_data |= of > lanes && kind != ST_LOOP && kind != ST_COUNTER;
    }
    return by_data;
}

static bool is_apart(const Emitter *e, const Stmt *s, Val lanes)
{
    if (s->kind != ST_LOAD || s->args[0] != VAL_NONE || !in_block(e, s)) return false;
    int64_t step = address_coefficient(s->address, lanes), apart = step < 0 ? -step : step;
    uint32_t n = e->kernel->stmts[lanes].lanes, bytes = BLOCK_BYTES / in_block(e, s);
    return is_by_data(e, s, lanes) ||
           (apart > 1 && !can_split_rows(e, apart, n, bytes) && !can_load_strided(e, apart, n, bytes));
}

/* Is the neighbour before this load's element in a block? */
static bool goes_on(const Emitter *e, const Stmt *s, Val from, Val end)
{
    const Stmt *stmts = e->kernel->stmts;
    for (Val v = from; v < end; v++)
        if (e->pixels[v] && stmts[v].buffer == s->buffer &&
            stmts[v].address.offset + 1 == s->address.offset &&
            address_moves_alike(stmts[v].address, s->address))
            return true;
    return false;
}

/* The loads of a block's neighbours from this load's element on; of four, three will do; of what data places,
 * what is left of longer pixels, too. */
static void find_block(Emitter *e, Val first, Val lanes, Val end)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[first];
    uint32_t most = in_block(e, s);
    Pixels p = { .first = first, .of = { VAL_NONE, VAL_NONE, VAL_NONE, VAL_NONE } };
    for (Val v = lanes + 1; v < end; v++) {
        int64_t by = stmts[v].address.offset - s->address.offset;
        if (stmts[v].kind != ST_LOAD || e->pixels[v] || e->moved[v] || e->alike[v] ||
            stmts[v].buffer != s->buffer || stmts[v].dtype != s->dtype || stmts[v].args[0] != VAL_NONE ||
            by < 0 || by >= most || !address_moves_alike(stmts[v].address, s->address) ||
            p.of[by] != VAL_NONE)
            continue;
        p.of[by] = v;
        if (v < p.first) p.first = v;
    }
    while (p.n < most && p.of[p.n] != VAL_NONE) p.n++;
    bool is_rest = is_by_data(e, s, lanes) && goes_on(e, s, lanes + 1, end);
    if (!is_rest && (p.n < 2 || p.n + 1 < most)) return;
    const Pixels *kept = arena_copy(e->arena, &p, sizeof p);
    for (uint32_t k = 0; k < p.n; k++) e->pixels[p.of[k]] = kept;
}

void find_pixels(Emitter *e)
{
    const Kernel *k = e->kernel;
    int whiles = 0;
    e->pixels = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Pixels *));
    for (Val v = 0; v < k->n_stmts && e->is_x86; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP) whiles += s->extent == EXTENT_WHILE || whiles > 0;
        if (s->kind == ST_END && whiles) whiles--;
        if (s->kind != ST_LOOP || s->lanes < MOST_IN_BLOCK || whiles) continue;
        Val end = plain_body_end(e, v);
        if (end == VAL_NONE) continue;
        for (Val x = v + 1; x < end; x++)
            if (!e->pixels[x] && !e->moved[x] && !e->alike[x] && is_apart(e, &k->stmts[x], v) &&
                !is_stored(e, k->stmts[x].buffer, v, end))
                find_block(e, x, v, end);
    }
}

/* The rows of a part's lanes. */
typedef struct Rows {
    LLVMValueRef from, offsets; /* of each, in elements; NULL: `step` apart */
    int64_t step;               /* bytes from one to the next */
    int64_t behind;             /* bytes in the buffer behind the pixels */
    uint32_t n, live;
    uint32_t block, bytes; /* elements of a block, bytes of an element */
} Rows;

static LLVMValueRef joined(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    int lane[64], n = 2 * (int)lanes_of(a);
    for (int i = 0; i < n; i++) lane[i] = i;
    return shuffle(e, a, b, lane, (uint32_t)n);
}

static LLVMValueRef load_at(Emitter *e, const Rows *r, uint32_t n, LLVMValueRef from)
{
    LLVMTypeRef type = type_lanes(LLVMIntTypeInContext(e->context, 8 * r->bytes), n);
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, from, "");
    LLVMSetAlignment(v, r->bytes);
    return v;
}

/* The block of a lane; one of three elements is read with a fourth, if that is there, or under a mask (pairs
 * of 20,000 points, AVX2: 27.7 -> 24.6 us; SSE2 has no such loads). */
static LLVMValueRef block_of_row(Emitter *e, const Rows *r, uint32_t lane)
{
    if (lane >= r->live) lane = r->live - 1;
    int64_t apart = r->step > 0 ? r->step : -r->step,
            behind = r->behind + (r->step > 0 ? r->live - 1 - lane : lane) * apart;
    LLVMValueRef at = r->offsets ? lane_pointer(e, r->from, r->offsets, lane, r->bytes)
                                 : at_bytes(e, r->from, lane * r->step);
    if (r->n == r->block || (!r->offsets && behind >= r->bytes)) return load_at(e, r, r->block, at);
    if (r->n == 3 && e->target->vector_bytes >= 32) {
        LLVMTypeRef type = type_lanes(LLVMIntTypeInContext(e->context, 8 * r->bytes), r->block);
        return masked_read(e, "llvm.masked.load", type, at, r->bytes, const_mask(e, 3, r->block));
    }
    LLVMValueRef some = load_at(e, r, r->n < 2 ? 1 : 2, at);
    if (r->n == 1) {
        LLVMTypeRef type = type_lanes(LLVMTypeOf(some), r->block);
        return LLVMBuildInsertElement(e->b, LLVMGetPoison(type), some, const_i64(e, 0), "");
    }
    some = shuffle(e, some, NULL, (int[]){ 0, 1, 0, 1 }, r->block);
    if (r->n == 2) return some;
    return LLVMBuildInsertElement(e->b, some, load_at(e, r, 1, at_bytes(e, at, 2 * r->bytes)),
                                  const_i64(e, 2), "");
}

/* Those of every lane that is as many as a block has elements behind the one before, from `first` on, n in
 * all, behind each other in one vector. */
static LLVMValueRef blocks_of_rows(Emitter *e, const Rows *r, uint32_t first, uint32_t n)
{
    if (n == 1) return block_of_row(e, r, first);
    LLVMValueRef low = blocks_of_rows(e, r, first, n / 2);
    return joined(e, low, blocks_of_rows(e, r, first + n / 2 * r->block, n / 2));
}

void load_pixels(Emitter *e, const Pixels *p, Axes axes, uint32_t part, LLVMValueRef out[4])
{
    const Stmt *s = &e->kernel->stmts[p->of[0]];
    const OpenLoop *lane = &e->loops[lane_depth(e)];
    uint32_t tile[MAX_LOOP_DEPTH];
    int64_t before;
    uint32_t block = in_block(e, s), bytes = BLOCK_BYTES / block;
    part_tiles(e, axes, part, tile);
    Rows r = { .from = address_of_part(e, s, axes, part),
               .offsets = offsets_by_data(e, s, axes, part),
               .step = address_coefficient(s->address, lane->stmt) * bytes,
               .n = p->n,
               .block = block,
               .bytes = bytes,
               .live = lane->live && tile[lane_depth(e)] == lane->tile - 1 ? lane->live : lane->lanes };
    room_around(e, s, axes, part, r.live, p->n, &before, &r.behind);
    r.behind *= bytes;
    for (uint32_t j = 0; j < block; j++) out[j] = blocks_of_rows(e, &r, j, lane->lanes / block);
    transpose_blocks(e, out, block);
}
