/* store.c: STOREs. Those that others complete to whole vectors are stored together, where the last of them
 * stands; the others by their stride, as LOADs are loaded. */
#include "address.h"

/* The first lane alone, as a scalar. A masked store of one lane would do as well, but LLVM 22.1 makes of one
 * behind a truncation a store of the wide element. */
void store_first(Emitter *e, LLVMValueRef value, LLVMValueRef to, uint32_t bytes)
{
    LLVMValueRef first = LLVMBuildExtractElement(e->b, value, LLVMConstInt(e->i32, 0, false), "");
    LLVMSetAlignment(LLVMBuildStore(e->b, first, to), bytes);
}

static void store_part(Emitter *e, const Stmt *s, const AccessPlace *p, Axes axes, uint32_t part)
{
    const Buffer *buffer = &e->program->buffers[s->buffer];
    uint32_t lanes = axes_lanes(e, axes);
    LLVMValueRef value = to_memory(e, (DType)buffer->dtype, operand(e, s->args[0], axes, part));
    LLVMValueRef to = part_place(e, p, axes, part), mask = access_mask(e, s->args[1], false, axes, part);
    bool is_dense = p->lane_stride == 1 || p->lane_stride == -1;
    if (!mask && !p->indirect_lanes && can_store_strided(e, p->lane_stride, lanes, p->bytes)) {
        store_strided(e, value, to, p->lane_stride, lanes, p->bytes);
        return;
    }
    if (lanes > 1 && (p->indirect_lanes || !is_dense)) {
        LLVMValueRef pointers = lane_pointers(e, to, lane_offsets(e, p, buffer, axes, part), p->bytes);
        masked_write(e, "llvm.masked.scatter", value, pointers, p->bytes, all_lanes(e, mask, lanes));
        return;
    }
    if (lanes > 1 && mask == const_mask(e, 1, lanes)) {
        store_first(e, value, to, p->bytes);
        return;
    }
    if (lanes > 1 && p->lane_stride == -1) {
        value = reversed(e, value);
        to = at_bytes(e, to, -(int64_t)(lanes - 1) * p->bytes);
        if (mask) mask = reversed(e, mask);
    }
    if (mask && lanes > 1) to = beside_buffer(e, s, s->args[1], to, p->bytes, lanes);
    LLVMBasicBlockRef after = mask && lanes == 1 ? when_begin(e, mask) : NULL;
    dense_store(e, value, to, p->bytes, after ? NULL : mask);
    if (after) block_enter(e, after);
}

/* The parts that are whole vectors go past the caches together. */
static void stream_parts(Emitter *e, const Stmt *s, const AccessPlace *p, Axes axes)
{
    DType t = (DType)e->program->buffers[s->buffer].dtype;
    uint32_t lanes = axes_lanes(e, axes), parts = parts_of(e, axes), n = 0;
    LLVMValueRef *value = arena_alloc(e->arena, 2 * parts * sizeof *value), *to = value + parts;
    bool alike = true;
    for (uint32_t i = 0; i < parts; i++) {
        if (access_mask(e, s->args[1], false, axes, i)) {
            store_part(e, s, p, axes, i);
            continue;
        }
        alike &= tile_offset(e, p->address, axes, i) % lanes == 0;
        value[n] = to_memory(e, t, operand(e, s->args[0], axes, i));
        to[n++] = part_place(e, p, axes, i);
    }
    stream_vectors(e, value, to, n, p->bytes, alike);
}

static void store_squares(Emitter *e, const Stmt *s, const AccessPlace *p, Axes axes, int depth)
{
    DType t = (DType)e->program->buffers[s->buffer].dtype;
    uint32_t lanes = axes_lanes(e, axes), n = parts_of(e, axes);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef row[64], at[64];
        Square q;
        if (!square_at(e, axes, i, depth, &q)) continue;
        for (uint32_t k = 0; k < lanes; k++)
            row[k] = k < q.n ? to_memory(e, t, operand(e, s->args[0], axes, q.part[k]))
                             : LLVMConstNull(type_in_memory(e, t, lanes));
        transpose_registers(e, row, lanes, p->bytes);
        LLVMValueRef to = part_place(e, p, axes, i), mask = q.n < lanes ? const_mask(e, q.n, lanes) : NULL;
        for (uint32_t l = 0; l < q.rows; l++) at[l] = at_bytes(e, to, (int64_t)l * p->lane_stride * p->bytes);
        if (s->streamed && !mask && can_stream(e, lanes, p->bytes)) {
            stream_vectors(e, row, at, q.rows, p->bytes, p->lane_stride % lanes == 0);
            continue;
        }
        for (uint32_t l = 0; l < q.rows; l++)
            if (q.n == 1) store_first(e, row[l], at[l], p->bytes);
            else dense_store(e, row[l], at[l], p->bytes, mask);
    }
    block_breathe(e, 2 * n);
}

Axes store_axes(Emitter *e, const Stmt *s, const AccessPlace *p)
{
    return p->axes | value_of(e, s->args[0])->axes |
           (s->args[1] == VAL_NONE ? 0 : value_of(e, s->args[1])->axes);
}

static void store_by_itself(Emitter *e, const Stmt *s)
{
    AccessPlace p = place_of(e, s);
    Axes axes = store_axes(e, s, &p);
    uint32_t n = parts_of(e, axes);
    int square = square_depth(e, &p, axes, !is_free(e, s->args[1]) || e->active.axes & axes);
    if (square >= 0 && coef_of_depth(e, p.address, square) > 0) {
        store_squares(e, s, &p, axes, square);
        return;
    }
    if (s->streamed && p.lane_stride == 1 && can_stream(e, axes_lanes(e, axes), p.bytes))
        stream_parts(e, s, &p, axes);
    else
        for (uint32_t i = 0; i < n; i++) store_part(e, s, &p, axes, i);
    block_breathe(e, n);
}

void emit_fetch(Emitter *e, Val at)
{
    AccessPlace p = place_of(e, &e->kernel->stmts[at]);
    fetch_line(e, part_place(e, &p, p.axes, 0), true);
}

/* Those that belong together wait for the last of them. */
void emit_store(Emitter *e, Val at)
{
    const Stmt *stmts = e->kernel->stmts;
    const Moved *moved = e->moved[at];
    const Woven *w = e->woven[at], alone = { .n = 1, .of = { at } };
    if (moved) {
        if (at == moved->last) store_moved(e, moved);
        return;
    }
    if (store_alike(e, at) || (w && (at != w->last || store_woven(e, w)))) return;
    AccessPlace p = place_of(e, &stmts[at]);
    if (!w && store_in_rows(e, at, &p)) return;
    if (!w) w = &alone;
    for (uint32_t i = 0; i < w->n; i++)
        if (!is_idle_store(e, w->of[i])) store_by_itself(e, &stmts[w->of[i]]);
}
