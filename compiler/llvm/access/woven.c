/* woven.c: STOREs whose elements lie between each other's: of a loop in lanes that stores x[2 i] and
 * x[2 i + 1], say. Each by itself would store every other element; together they are whole vectors. So all
 * but the last of them wait for it. They may, because nothing in between touches the same memory but loads of
 * other elements, and the body that they stand in has no loop, no test and no other end in between.
 *
 * Of what is changed in place, the elements that stay as they are would be stored where they came from. That
 * is left out, unless it makes whole vectors of what else is stored.
 */
#include "address.h"

/* How many elements one STORE stores for each lane: tiles inside of the lanes that are held in registers
 * whole, and that its address moves with. */
static int64_t stored_by_one(const Emitter *e, const Stmt *s, const Val *loop, int depth, Val lanes)
{
    int64_t n = 1;
    for (int d = depth; d > 0 && loop[d] != lanes; d--) {
        const Stmt *l = &e->kernel->stmts[loop[d]];
        if (address_coefficient(s->address, loop[d])) n *= l->tile == l->extent ? l->tile : 1;
    }
    return n;
}

/* The STOREs from `first` on, n in all, that belong together: into of[]. False: there are not so many. */
static bool find_woven(const Emitter *e, Val first, int64_t n, int64_t stride, Val *of)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[first];
    int64_t found = 1, low = s->address.offset, high = low;
    uint32_t memory = e->memory[s->buffer];
    of[0] = first;
    for (Val v = first + 1; found < n; v++) {
        const Stmt *x = &stmts[v];
        if (v == e->kernel->n_stmts || x->kind == ST_LOOP || x->kind == ST_END || x->kind == ST_TEST)
            return false;
        if (!stmt_uses_buffer(x) || e->memory[x->buffer] != memory) continue;
        bool is_other = !address_moves_alike(x->address, s->address);
        for (int64_t k = 0; k < found && !is_other; k++)
            if (x->address.offset == stmts[of[k]].address.offset) return false;
        if (x->kind == ST_LOAD) continue;
        int64_t at = x->address.offset;
        low = at < low ? at : low;
        high = at > high ? at : high;
        if (is_other || x->buffer != s->buffer || x->args[1] != VAL_NONE || high - low >= stride)
            return false;
        of[found++] = v;
    }
    return true;
}

bool is_idle_store(const Emitter *e, Val store)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[store], *from = &stmts[s->args[0]];
    uint32_t memory = e->memory[s->buffer];
    if (from->kind != ST_LOAD || from->buffer != s->buffer || from->args[0] != VAL_NONE ||
        s->args[1] != VAL_NONE || !address_equal(from->address, s->address))
        return false;
    for (Val v = s->args[0] + 1; v < store; v++) {
        const Stmt *x = &stmts[v];
        if (x->kind == ST_LOOP || x->kind == ST_END) return false;
        if (x->kind != ST_STORE || e->memory[x->buffer] != memory) continue;
        if (!e->woven[store] || e->woven[v] != e->woven[store]) return false;
    }
    return true;
}

void find_woven_stores(Emitter *e)
{
    const Kernel *k = e->kernel;
    Val loop[MAX_LOOP_DEPTH + 1], lanes[MAX_LOOP_DEPTH + 1] = { VAL_NONE };
    int depth = 0;
    e->woven = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof(Woven *));
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (s->kind == ST_LOOP) {
            loop[++depth] = v;
            lanes[depth] = s->lanes > 1 ? v : lanes[depth - 1];
        }
        if (s->kind == ST_END) depth--;
        if (s->kind != ST_STORE || s->args[1] != VAL_NONE || e->woven[v] || lanes[depth] == VAL_NONE)
            continue;
        int64_t stride = address_coefficient(s->address, lanes[depth]),
                each = stored_by_one(e, s, loop, depth, lanes[depth]);
        Woven w = { .n = (uint32_t)(stride / each), .stride = stride };
        if (stride < 2 || stride > MOST_WOVEN || stride % each || !find_woven(e, v, w.n, stride, w.of))
            continue;
        w.last = w.of[w.n - 1];
        for (uint32_t i = 0; i < w.n; i++) {
            if (k->stmts[w.of[i]].address.offset < k->stmts[w.of[0]].address.offset) {
                Val lower = w.of[i];
                w.of[i] = w.of[0];
                w.of[0] = lower;
            }
        }
        const Woven *kept = arena_copy(e->arena, &w, sizeof w);
        for (uint32_t i = 0; i < w.n; i++) e->woven[w.of[i]] = kept;
    }
}

/* ---- code ---- */

/* Do data that varies with a tile or lanes move the address? */
static bool moves_by_data(Emitter *e, const Address *a)
{
    for (uint32_t i = 0; i < a->n_terms; i++)
        if (!is_loop(e, a->terms[i].of) && value_of(e, a->terms[i].of)->axes) return true;
    return false;
}

/* What a group of STOREs stores, by tile of the lane loop, and in each by place. False: whole vectors it does
 * not fill, at the end of another tile, say. */
static bool find_woven_parts(Emitter *e, const Woven *w, const AccessPlace *p, Axes axes, LLVMValueRef *v)
{
    const Stmt *stmts = e->kernel->stmts, *first = &stmts[w->of[0]];
    DType t = (DType)e->program->buffers[first->buffer].dtype;
    const OpenLoop *lane = &e->loops[lane_depth(e)];
    uint32_t parts = parts_of(e, axes), filled = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const Stmt *s = &stmts[w->of[i]];
        if (store_axes(e, s, p) != axes) return false;
        for (uint32_t q = 0; q < parts; q++) {
            int64_t at = s->address.offset - first->address.offset + tile_offset(e, p->address, axes, q),
                    step = at / (w->stride * lane->lanes), place = at % (w->stride * lane->lanes);
            if (at < 0 || place >= w->stride || step >= lane->tile || v[step * w->stride + place])
                return false;
            v[step * w->stride + place] = to_memory(e, t, operand(e, s->args[0], axes, q));
            filled++;
        }
    }
    return filled == w->stride * lane->tile;
}

/* Of one tile of the lane loop; of the last one some lanes may not count. */
static void store_woven_tile(Emitter *e, const Woven *w, uint32_t bytes, LLVMValueRef *v, LLVMValueRef to,
                             uint32_t live)
{
    uint32_t lanes = lanes_of(v[0]), n = (uint32_t)w->stride;
    weave(e, v, n, bytes);
    for (uint32_t i = 0; i < n && i * lanes < live * n; i++) {
        uint32_t count = live * n - i * lanes < lanes ? live * n - i * lanes : lanes;
        LLVMValueRef at = at_bytes(e, to, (int64_t)i * lanes * bytes);
        if (count == 1) store_first(e, v[i], at, bytes);
        else dense_store(e, v[i], at, bytes, count < lanes ? const_mask(e, count, lanes) : NULL);
    }
}

/* Is so little of the whole changed that it is better stored under masks? */
static bool changes_few(const Emitter *e, const Woven *w)
{
    const Buffer *b = &e->program->buffers[e->kernel->stmts[w->of[0]].buffer];
    uint32_t idle = 0, bytes = (uint32_t)dtype_bytes((DType)b->dtype);
    int lane = lane_depth(e);
    for (uint32_t i = 0; i < w->n; i++) idle += is_idle_store(e, w->of[i]);
    return idle == w->n || (idle && idle + 1 == w->n && lane >= 0 &&
                            can_store_strided(e, w->stride, e->loops[lane].lanes, bytes));
}

bool store_woven(Emitter *e, const Woven *w)
{
    if (changes_few(e, w)) return false;
    const Stmt *first = &e->kernel->stmts[w->of[0]];
    AccessPlace p = place_of(e, first);
    Axes axes = store_axes(e, first, &p);
    if (axes_lanes(e, axes) == 1 || moves_by_data(e, p.address) || e->active.axes & axes) return false;
    const OpenLoop *lane = &e->loops[lane_depth(e)];
    LLVMValueRef *v = arena_alloc(e->arena, (size_t)(w->stride * lane->tile) * sizeof *v);
    if (!find_woven_parts(e, w, &p, axes, v)) return false;
    LLVMValueRef to = part_place(e, &p, axes, 0);
    for (uint32_t t = 0; t < lane->tile; t++)
        store_woven_tile(e, w, p.bytes, v + t * w->stride,
                         at_bytes(e, to, (int64_t)t * w->stride * lane->lanes * p.bytes),
                         lane->live && t == lane->tile - 1 ? lane->live : lane->lanes);
    block_breathe(e, 2 * (uint32_t)w->stride * lane->tile);
    return true;
}
