/* load.c: LOADs. The stride over the lanes decides the instruction: 0 a scalar, 1 a vector, -1 a vector
 * reversed; a few elements, vectors that are shuffled; else a gather. */
#include "address.h"

static LLVMValueRef plain_load(Emitter *e, LLVMTypeRef type, LLVMValueRef from, uint32_t bytes)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, from, "");
    LLVMSetAlignment(v, bytes);
    return v;
}

static LLVMValueRef vector_load(Emitter *e, LLVMTypeRef type, LLVMValueRef from, uint32_t bytes,
                                LLVMValueRef mask)
{
    return mask ? masked_read(e, "llvm.masked.load", type, from, bytes, mask)
                : plain_load(e, type, from, bytes);
}

static LLVMValueRef zeros(Emitter *e)
{
    if (!e->zeros) e->zeros = private_constant(e, "weft_zeros", LLVMConstNull(LLVMArrayType2(e->i8, 64)));
    return e->zeros;
}

/* A scalar that may not be read is read from zeros instead: no branch. */
static LLVMValueRef load_scalar(Emitter *e, LLVMTypeRef type, LLVMValueRef from, uint32_t bytes,
                                LLVMValueRef mask)
{
    if (mask) from = LLVMBuildSelect(e->b, mask, from, zeros(e), "");
    return plain_load(e, type, from, bytes);
}

/* The mask that is the same for all lanes; NULL: there is none. */
static LLVMValueRef one_mask(Emitter *e, Val mask, Axes axes, uint32_t part)
{
    if (is_free(e, mask) || axes_lanes(e, value_of(e, mask)->axes) > 1) return NULL;
    const Value *v = value_of(e, mask);
    return v->part[part_project(e, axes, part, v->axes)];
}

/* Rows may begin at the lowest element that the body reads with the same indices, if it reads up to the end
 * of the load's row as well. Which element of its row that is; -1: the body does not. */
static int64_t element_of_read_row(const Emitter *e, const Stmt *s, int64_t length)
{
    Val lanes = e->loops[lane_depth(e)].stmt, end = plain_body_end(e, lanes);
    int64_t low = s->address.offset, high = low;
    for (Val v = lanes + 1; end != VAL_NONE && v < end; v++) {
        const Stmt *x = &e->kernel->stmts[v];
        if (x->kind != ST_LOAD || x->buffer != s->buffer || x->args[0] != VAL_NONE ||
            !address_moves_alike(x->address, s->address))
            continue;
        low = x->address.offset < low ? x->address.offset : low;
        high = x->address.offset > high ? x->address.offset : high;
    }
    int64_t number = (s->address.offset - low) % length;
    return s->address.offset - number + length <= high + 1 ? number : -1;
}

/* Lanes that are a row of memory apart, forwards or backwards: which element of its row each reads, if the
 * rows lie in the buffer as a whole; else -1. Then what reads other elements of the rows loads the same
 * vectors. */
static int64_t row_element(const Emitter *e, const Stmt *s, const AccessPlace *p, Axes axes, uint32_t part)
{
    uint32_t tile[MAX_LOOP_DEPTH], lanes = axes_lanes(e, axes);
    int64_t length = p->lane_stride < 0 ? -p->lane_stride : p->lane_stride, low = s->address.offset,
            high = low;
    if (!can_split_rows(e, length, lanes, p->bytes)) return -1;
    int64_t read = element_of_read_row(e, s, length);
    if (read >= 0) return read;
    int64_t at = p->offset + tile_offset(e, p->address, axes, part), number = (at % length + length) % length;
    part_tiles(e, axes, part, tile);
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        const Term *t = &s->address.terms[i];
        int d = 0;
        while (d < e->depth && e->loops[d].stmt != t->of) d++;
        if (d == e->depth || e->kernel->stmts[t->of].extent == EXTENT_WHILE) return -1;
        const OpenLoop *l = &e->loops[d];
        int64_t first = 0, last = e->kernel->stmts[t->of].extent - 1;
        if (l->is_fixed && l->lanes == 1) first = last = l->fixed;
        if (axes >> d & 1 && l->lanes == 1) {
            first += tile[d];
            last = l->is_fixed ? first : last - (l->tile - 1 - tile[d]);
        }
        low += t->coef * (t->coef > 0 ? first : last);
        high += t->coef * (t->coef > 0 ? last : first);
    }
    Stretch there = e->there[s->buffer];
    bool is_inside = low - number >= there.low && high - number + length <= there.high;
    return is_inside ? number : -1;
}

/* Do vectors of several rows share the places that data says? */
static bool shares_places(Emitter *e, const Address *a, uint32_t parts)
{
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Val of = a->terms[i].of;
        if (!is_loop(e, of) && axes_lanes(e, value_of(e, of)->axes) > 1 && value_of(e, of)->n == parts)
            return false;
    }
    return true;
}

/* Are lanes that are not neighbours a load each? Where places are computed, ten of them take a millisecond to
 * compile, so only where they are few, of one load and in a function. Without AVX-512, LLVM takes them apart
 * itself, after it has added all of a place in vectors; what several vectors share is better taken apart
 * first. */
enum { MOST_LANE_LOADS = 32, MOST_LANE_LOADS_IN_ALL = 160 };
static bool loads_lanes(Emitter *e, const AccessPlace *p, uint32_t lanes, uint32_t parts, LLVMValueRef mask)
{
    bool shared = !e->has_avx512 && p->indirect_lanes && shares_places(e, p->address, parts);
    if ((!e->gathers_slowly && !shared) || (mask && !LLVMIsConstant(mask))) return false;
    if (!p->indirect_lanes) return true;
    if (e->may_be_outside) return false;
    if (e->lane_loaded != e->function) e->lane_loaded = e->function, e->n_lane_loads = 0;
    if (lanes * parts > MOST_LANE_LOADS || e->n_lane_loads + lanes > MOST_LANE_LOADS_IN_ALL) return false;
    e->n_lane_loads += lanes;
    return true;
}

/* The first lanes that are read, if rows of those are loaded as whole vectors and under masks; else 0. */
static uint32_t live_rows(const Emitter *e, const Stmt *s, const AccessPlace *p, LLVMValueRef mask,
                          uint32_t lanes)
{
    if (!mask) return lanes;
    bool has_masks = e->has_avx512 || (p->bytes >= 4 && e->target->vector_bytes >= 32);
    return has_masks && s->args[0] == VAL_NONE && p->lane_stride > 0 ? first_lanes(mask) : 0;
}

/* Of `parts` vectors, number `part`. */
static LLVMValueRef load_part(Emitter *e, const Stmt *s, const AccessPlace *p, Axes axes, uint32_t parts,
                              uint32_t part)
{
    const Buffer *buffer = &e->program->buffers[s->buffer];
    uint32_t lanes = axes_lanes(e, axes);
    LLVMTypeRef element = type_in_memory(e, (DType)buffer->dtype, 1), type = type_lanes(element, lanes);
    LLVMValueRef from = part_place(e, p, axes, part),
                 mask = access_mask(e, s->args[0], is_always_inside(e, s), axes, part);
    if (lanes == 1) return load_scalar(e, type, from, p->bytes, mask);
    uint32_t live = p->indirect_lanes ? 0 : live_rows(e, s, p, mask, lanes);
    int64_t number = live ? row_element(e, s, p, axes, part) : -1;
    if (number >= 0) {
        bool backwards = p->lane_stride < 0;
        AccessPlace rows = *p;
        rows.offset += backwards ? p->lane_stride * (lanes - 1) - number : -number;
        LLVMValueRef v =
            load_of_rows(e, type, part_place(e, &rows, axes, part),
                         backwards ? -p->lane_stride : p->lane_stride, number, lanes, live, p->bytes);
        return backwards ? reversed(e, v) : v;
    }
    if (!mask && !p->indirect_lanes && can_load_strided(e, p->lane_stride, lanes, p->bytes))
        return load_strided(e, type, from, p->lane_stride, lanes, p->bytes);
    if (!mask && !p->indirect_lanes && can_load_strided(e, -p->lane_stride, lanes, p->bytes)) {
        from = at_bytes(e, from, p->lane_stride * (lanes - 1) * p->bytes);
        return reversed(e, load_strided(e, type, from, -p->lane_stride, lanes, p->bytes));
    }
    Val number_of = p->indirect_lanes ? table_index(e, p->address, buffer, lanes) : VAL_NONE;
    if (number_of != VAL_NONE) {
        LLVMValueRef found = look_up(e, from, buffer->count, operand(e, number_of, axes, part));
        return mask ? LLVMBuildSelect(e->b, mask, found, LLVMConstNull(type), "") : found;
    }
    bool is_row = p->indirect_lanes && !p->lane_stride && (!mask || LLVMIsConstant(mask));
    uint32_t in_row = is_row ? row_table(e, p->address, buffer, lanes, &number_of) : 0;
    if (in_row) {
        LLVMValueRef found = look_up_row(e, from, in_row, p->bytes, operand(e, number_of, axes, part));
        return LLVMBuildBitCast(e->b, found, type, "");
    }
    if (p->indirect_lanes || (p->lane_stride != 1 && p->lane_stride != -1)) {
        return (loads_lanes(e, p, lanes, parts, mask) ? lane_loads : gather)(
            e, element, from, lane_offsets(e, p, buffer, axes, part), p->bytes, mask);
    }
    if (p->lane_stride == -1) from = at_bytes(e, from, -(int64_t)(lanes - 1) * p->bytes);
    LLVMValueRef all = one_mask(e, s->args[0], axes, part);
    if (all) {
        from = LLVMBuildSelect(e->b, all, from, zeros(e), "");
        mask = access_mask(e, VAL_NONE, is_always_inside(e, s), axes, part);
    } else if (mask) from = beside_buffer(e, s, s->args[0], from, p->bytes, lanes);
    if (p->lane_stride == 1) return vector_load(e, type, from, p->bytes, mask);
    return reversed(e, vector_load(e, type, from, p->bytes, mask ? reversed(e, mask) : NULL));
}

/* The tiles lie forwards, or backwards: then the last one is the first in memory. */
static void load_square(Emitter *e, const AccessPlace *p, LLVMTypeRef type, Axes axes, const Square *q,
                        bool backwards, Value *out)
{
    uint32_t lanes = axes_lanes(e, axes);
    LLVMValueRef row[64], from = part_place(e, p, axes, q->part[backwards ? q->n - 1 : 0]),
                          mask = q->n < lanes ? const_mask(e, q->n, lanes) : NULL;
    for (uint32_t l = 0; l < lanes; l++)
        row[l] = l < q->rows ? vector_load(e, type, at_bytes(e, from, (int64_t)l * p->lane_stride * p->bytes),
                                           p->bytes, mask)
                             : LLVMConstNull(type);
    transpose_registers(e, row, lanes, p->bytes);
    for (uint32_t t = 0; t < q->n; t++) out->part[q->part[backwards ? q->n - 1 - t : t]] = row[t];
}

static void load_squares(Emitter *e, Val at, const AccessPlace *p, Value *out, int depth)
{
    LLVMTypeRef type = type_in_memory(e, (DType)e->kernel->stmts[at].dtype, axes_lanes(e, out->axes));
    for (uint32_t i = 0; i < out->n; i++) {
        Square q;
        if (!square_at(e, out->axes, i, depth, &q)) continue;
        load_square(e, p, type, out->axes, &q, coef_of_depth(e, p->address, depth) < 0, out);
        for (uint32_t k = 0; k < q.n; k++) out->part[q.part[k]] = from_memory(e, at, out->part[q.part[k]]);
    }
    block_breathe(e, 2 * out->n);
}

/* The loads of all neighbours, where the first of them stands. False: lanes do not go across, or squares do
 * it. */
static bool emit_pixels(Emitter *e, Val at)
{
    const Pixels *p = e->pixels[at];
    const Stmt *s = &e->kernel->stmts[at];
    AccessPlace place = place_of(e, s);
    uint32_t lanes = axes_lanes(e, place.axes);
    if (lanes < 4 || square_depth(e, &place, place.axes, false) >= 0) return false;
    if (at != p->first) return true;
    for (uint32_t k = 0; k < p->n; k++) value_new(e, p->of[k], e->kernel->stmts[p->of[k]].dtype, place.axes);
    for (uint32_t i = 0; i < parts_of(e, place.axes); i++) {
        LLVMValueRef v[4];
        load_pixels(e, p, place.axes, i, v);
        for (uint32_t k = 0; k < p->n; k++)
            e->values[p->of[k]].part[i] =
                LLVMBuildBitCast(e->b, v[k], type_in_memory(e, (DType)s->dtype, lanes), "");
        block_breathe(e, 2 * lanes);
    }
    return true;
}

void emit_load(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    if (e->fetches_ahead[at]) fetch_ahead(e, s);
    fetch_next_panel(e, s);
    if (e->moved[at] || load_alike(e, at) || (e->pixels[at] && emit_pixels(e, at)) || load_taps(e, at))
        return;
    AccessPlace p = place_of(e, s);
    Axes axes = p.axes | (s->args[0] == VAL_NONE ? 0 : value_of(e, s->args[0])->axes);
    Value *v = value_new(e, at, s->dtype, axes);
    if (load_walked(e, s, type_in_memory(e, (DType)s->dtype, axes_lanes(e, axes)), v)) {
        for (uint32_t i = 0; i < v->n; i++) v->part[i] = from_memory(e, at, v->part[i]);
        return;
    }
    bool rows = p.bytes < 4 && can_split_rows(e, p.lane_stride, axes_lanes(e, axes), p.bytes);
    int square =
        rows ? -1
             : square_depth(e, &p, axes,
                            !is_free(e, s->args[0]) || (e->active.axes & axes && !is_always_inside(e, s)));
    if (square >= 0) {
        load_squares(e, at, &p, v, square);
        return;
    }
    for (uint32_t i = 0; i < v->n; i++) v->part[i] = from_memory(e, at, load_part(e, s, &p, axes, v->n, i));
    block_breathe(e, v->n);
}
