/* address.c: addresses, and numbers that are given as one.
 *
 * An address is a buffer's start, plus a pointer step for each machine loop that it depends on, made once per
 * iteration of that loop and shared by the accesses that move alike, plus a constant per part. In an
 * innermost loop what a pointer moves by is added up, where no address can hold the product. Indirect
 * terms, which come from data, are added last.
 */
#include "address.h"

/* base + coef * index of a loop, made once per iteration of that loop; or of a counter, made once. tag: the
 * loop's depth, or -1 - counter. */
typedef struct PlaceEntry {
    LLVMValueRef base, place;
    int64_t coef;
    int tag;
} PlaceEntry;

/* What machines multiply an index by in an address, for nothing. */
static bool is_scale(int64_t by) { return by == 1 || by == 2 || by == 4 || by == 8; }

/* by * index, added up from iteration to iteration: a product would be made in each. */
static LLVMValueRef scaled_index(Emitter *e, OpenLoop *l, int64_t by)
{
    for (const ScaledIndex *s = l->scaled; s; s = s->next)
        if (s->by == by) return s->value;
    LLVMBasicBlockRef now = block_now(e), head = LLVMGetInstructionParent(l->index);
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(l->before));
    LLVMValueRef from = LLVMBuildNSWMul(e->b, l->from, const_i64(e, by), "");
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(head));
    ScaledIndex *s = arena_alloc(e->arena, sizeof *s);
    *s = (ScaledIndex){ by, LLVMBuildPhi(e->b, e->i64, ""), l->scaled };
    LLVMAddIncoming(s->value, &from, &l->before, 1);
    LLVMPositionBuilderAtEnd(e->b, now);
    l->scaled = s;
    return s->value;
}

void scaled_indices_advance(Emitter *e, const OpenLoop *l, int64_t step)
{
    LLVMBasicBlockRef last = block_now(e);
    for (const ScaledIndex *s = l->scaled; s; s = s->next) {
        LLVMValueRef next = hidden(e, LLVMBuildNSWAdd(e->b, s->value, const_i64(e, step * s->by), ""));
        LLVMAddIncoming(s->value, &next, &last, 1);
    }
}

static LLVMValueRef step_bytes(Emitter *e, LLVMValueRef base, LLVMValueRef index, int64_t coef,
                               uint32_t bytes)
{
    LLVMTypeRef element = LLVMIntTypeInContext(e->context, 8 * bytes);
    if (coef != 1) index = LLVMBuildNSWMul(e->b, index, const_i64(e, coef), "");
    return LLVMBuildGEP2(e->b, element, base, &index, 1, "");
}

/* base moved by coef * index, made once, at the end of the setup where the index is known; tag tells indices
 * apart. */
static LLVMValueRef step_place(Emitter *e, LLVMValueRef base, int tag, LLVMValueRef index, LLVMValueRef setup,
                               int64_t coef, uint32_t bytes)
{
    int64_t key = coef * 16 + bytes;
    for (uint32_t i = e->n_places; i-- > 0;)
        if (e->places[i].base == base && e->places[i].tag == tag && e->places[i].coef == key)
            return e->places[i].place;
    bool is_scaled = tag >= 0 && e->loops[tag].before && !is_scale(coef * bytes);
    if (is_scaled) index = scaled_index(e, &e->loops[tag], coef * bytes);
    LLVMBasicBlockRef now = block_now(e);
    LLVMPositionBuilderBefore(e->b, setup);
    LLVMValueRef place =
        is_scaled ? step_bytes(e, base, index, 1, 1) : step_bytes(e, base, index, coef, bytes);
    LLVMPositionBuilderAtEnd(e->b, now);
    ARENA_PUSH(e->arena, e->places, e->n_places, e->cap_places) = (PlaceEntry){ base, place, key, tag };
    return place;
}

void forget_places(Emitter *e, int depth)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_places; i++)
        if (e->places[i].tag < depth) e->places[n++] = e->places[i];
    e->n_places = n;
}

static LLVMValueRef loop_place(Emitter *e, LLVMValueRef base, int d, int64_t coef, uint32_t bytes)
{
    return step_place(e, base, d, e->loops[d].index, e->loops[d].setup, coef, bytes);
}

/* The same for a counter of the steps around the kernel: it is known ahead of all loops. */
static LLVMValueRef counter_place(Emitter *e, LLVMValueRef base, Val counter, int64_t coef, uint32_t bytes)
{
    int number = (int)e->kernel->stmts[counter].imm;
    return step_place(e, base, -1 - number, e->counters[number], e->start, coef, bytes);
}

int64_t coef_of_depth(const Emitter *e, const Address *a, int d)
{
    return address_coefficient(*a, e->loops[d].stmt);
}

bool is_loop(const Emitter *e, Val v) { return e->kernel->stmts[v].kind == ST_LOOP; }
static bool is_counter(const Emitter *e, Val v) { return e->kernel->stmts[v].kind == ST_COUNTER; }

static LLVMValueRef as_index(Emitter *e, LLVMValueRef v)
{
    return LLVMBuildSExt(e->b, v, type_lanes(e->i64, lanes_of(v)), "");
}

/* The axes of an address, or of a number given as one. */
static Axes address_axes(Emitter *e, const Address *a)
{
    Axes axes = 0, open = open_axes(e);
    for (int d = 0; d < e->depth; d++)
        if (open >> d & 1 && coef_of_depth(e, a, d)) axes |= (Axes)1 << d;
    for (uint32_t i = 0; i < a->n_terms; i++)
        if (!is_loop(e, a->terms[i].of)) axes |= value_of(e, a->terms[i].of)->axes;
    return axes;
}

AccessPlace place_of(Emitter *e, const Stmt *s)
{
    const Address *a = &s->address;
    int lane = lane_depth(e);
    AccessPlace p = {
        .pointer = e->buffers[s->buffer], .offset = a->offset, .address = a, .axes = address_axes(e, a)
    };
    p.bytes = (uint32_t)dtype_bytes((DType)e->program->buffers[s->buffer].dtype);
    for (uint32_t i = 0; i < a->n_terms; i++)
        if (is_counter(e, a->terms[i].of))
            p.pointer = counter_place(e, p.pointer, a->terms[i].of, a->terms[i].coef, p.bytes);
    for (int d = 0; d < e->depth; d++) {
        int64_t coef = coef_of_depth(e, a, d);
        if (!coef) continue;
        if (d == lane) p.lane_stride = coef;
        p.offset += coef * (e->loops[d].is_fixed ? e->loops[d].fixed : e->loops[d].ahead);
        if (!e->loops[d].is_fixed) p.pointer = loop_place(e, p.pointer, d, coef, p.bytes);
    }
    for (uint32_t i = 0; i < a->n_terms; i++) {
        if (is_loop(e, a->terms[i].of) || is_counter(e, a->terms[i].of)) continue;
        Value *v = value_of(e, a->terms[i].of);
        if (axes_lanes(e, v->axes) > 1) p.indirect_lanes = true;
        else if (!v->axes)
            p.pointer = step_bytes(e, p.pointer, as_index(e, v->part[0]), a->terms[i].coef, p.bytes);
    }
    return p;
}

LLVMValueRef place_by_loops(Emitter *e, uint32_t buffer, int64_t offset, const int64_t *by)
{
    LLVMValueRef at = e->buffers[buffer];
    for (int d = 0; d < e->depth; d++) {
        if (!by[d]) continue;
        offset += by[d] * (e->loops[d].is_fixed ? e->loops[d].fixed : e->loops[d].ahead);
        if (!e->loops[d].is_fixed) at = loop_place(e, at, d, by[d], 1);
    }
    return at_bytes(e, at, offset);
}

LLVMValueRef at_bytes(Emitter *e, LLVMValueRef pointer, int64_t bytes)
{
    if (!bytes) return pointer;
    LLVMValueRef by = const_i64(e, bytes);
    return LLVMBuildGEP2(e->b, e->i8, pointer, &by, 1, "");
}

/* How far a part's first tile is from that of part 0, in the address's units. */
int64_t tile_offset(const Emitter *e, const Address *a, Axes axes, uint32_t part)
{
    uint32_t tile[MAX_LOOP_DEPTH];
    int64_t offset = 0;
    part_tiles(e, axes, part, tile);
    for (int d = 0; d < e->depth; d++)
        if (axes >> d & 1) offset += coef_of_depth(e, a, d) * tile[d] * e->loops[d].lanes;
    return offset;
}

/* The address of a part's first lane, but for indirect terms that vary with the lanes. */
LLVMValueRef part_place(Emitter *e, const AccessPlace *p, Axes axes, uint32_t part)
{
    LLVMValueRef pointer = p->pointer;
    for (uint32_t i = 0; i < p->address->n_terms; i++) {
        const Term *t = &p->address->terms[i];
        if (is_loop(e, t->of)) continue;
        Value *v = value_of(e, t->of);
        if (!v->axes || axes_lanes(e, v->axes) > 1) continue;
        LLVMValueRef index = as_index(e, v->part[part_project(e, axes, part, v->axes)]);
        pointer = step_bytes(e, pointer, index, t->coef, p->bytes);
    }
    return at_bytes(e, pointer, (p->offset + tile_offset(e, p->address, axes, part)) * p->bytes);
}

LLVMValueRef address_of_load(Emitter *e, const Stmt *s)
{
    AccessPlace p = place_of(e, s);
    return part_place(e, &p, p.axes, 0);
}

Axes axes_of_address(Emitter *e, const Stmt *s) { return address_axes(e, &s->address); }

LLVMValueRef address_of_part(Emitter *e, const Stmt *s, Axes axes, uint32_t part)
{
    AccessPlace p = place_of(e, s);
    return part_place(e, &p, axes, part);
}

static LLVMValueRef lane_numbers(LLVMTypeRef element, uint32_t lanes, int64_t coef)
{
    LLVMValueRef lane[64];
    for (uint32_t i = 0; i < lanes; i++) lane[i] = LLVMConstInt(element, (uint64_t)(coef * (int64_t)i), true);
    return LLVMConstVector(lane, lanes);
}

/* sum + coef * value, in the lanes of the part. */
static LLVMValueRef add_term(Emitter *e, LLVMValueRef sum, const Term *t, LLVMTypeRef element, Axes axes,
                             uint32_t part)
{
    uint32_t lanes = axes_lanes(e, axes);
    LLVMValueRef v = operand(e, t->of, axes, part);
    v = LLVMBuildIntCast2(e->b, v, type_lanes(element, lanes), true, "");
    v = LLVMBuildMul(e->b, v, splat(e, LLVMConstInt(element, (uint64_t)t->coef, true), lanes), "");
    return LLVMBuildAdd(e->b, sum, v, "");
}

/* Per lane, the elements to move by: stride * lane plus the indirect terms. As i32 where all of the buffer is
 * within its reach, since gathers by 32-bit indices take half the instructions. */
LLVMValueRef lane_offsets(Emitter *e, const AccessPlace *p, const Buffer *buffer, Axes axes, uint32_t part)
{
    bool is_small = buffer->count * p->bytes < INT32_MAX && p->lane_stride < INT32_MAX / 64 &&
                    p->lane_stride > INT32_MIN / 64;
    LLVMTypeRef element = is_small ? e->i32 : e->i64;
    LLVMValueRef sum = lane_numbers(element, axes_lanes(e, axes), p->lane_stride);
    for (uint32_t i = 0; i < p->address->n_terms; i++) {
        const Term *t = &p->address->terms[i];
        if (is_loop(e, t->of) || axes_lanes(e, value_of(e, t->of)->axes) == 1) continue;
        sum = add_term(e, sum, t, element, axes, part);
    }
    return sum;
}

LLVMValueRef offsets_by_data(Emitter *e, const Stmt *s, Axes axes, uint32_t part)
{
    AccessPlace p = place_of(e, s);
    return p.indirect_lanes ? lane_offsets(e, &p, &e->program->buffers[s->buffer], axes, part) : NULL;
}

/* Is the address inside its buffer whether or not a lane has left the while loops around? It is if only
 * counted loops move it. */
bool is_always_inside(const Emitter *e, const Stmt *s)
{
    const Stmt *stmts = e->kernel->stmts;
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        const Stmt *of = &stmts[s->address.terms[i].of];
        if (of->kind == ST_LOOP ? of->extent == EXTENT_WHILE : of->kind != ST_COUNTER) return false;
    }
    return true;
}

/* May a masked vector lie where the buffer has no memory, farther off than its own length? */
static bool may_stray(const Emitter *e, const Stmt *s, Val mask, uint32_t lanes)
{
    int64_t low = s->address.offset, high = low, count = e->program->buffers[s->buffer].count;
    if (mask == VAL_NONE && is_always_inside(e, s)) return false;
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        const Stmt *of = &e->kernel->stmts[s->address.terms[i].of];
        int64_t reach;
        if (of->kind != ST_LOOP || of->extent == EXTENT_WHILE ||
            __builtin_mul_overflow(s->address.terms[i].coef, of->extent - 1, &reach) ||
            __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
            return true;
    }
    return low <= -(int64_t)lanes || high >= count + (int64_t)lanes;
}

/* The place of a masked vector, moved to the buffer where it lies off it altogether: no lane of it counts
 * then. A masked load where there is no memory reads nothing, but takes a hundred times as long. */
LLVMValueRef beside_buffer(Emitter *e, const Stmt *s, Val mask, LLVMValueRef at, uint32_t bytes,
                           uint32_t lanes)
{
    if (!may_stray(e, s, mask, lanes)) return at;
    int64_t last = e->program->buffers[s->buffer].count - 1;
    LLVMValueRef low = at_bytes(e, e->buffers[s->buffer], -(int64_t)(lanes - 1) * bytes),
                 high = at_bytes(e, e->buffers[s->buffer], last * bytes);
    at = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, at, low, ""), low, at, "");
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, at, high, ""), high, at, "");
}

/* A number that an address describes: offset + coef * index + ... in the integer type asked for. */
static LLVMValueRef index_part(Emitter *e, const Stmt *s, Axes axes, uint32_t part, LLVMValueRef common)
{
    uint32_t lanes = axes_lanes(e, axes);
    int64_t offset = tile_offset(e, &s->address, axes, part);
    LLVMTypeRef element = LLVMTypeOf(common);
    LLVMValueRef sum = LLVMBuildAdd(e->b, common, LLVMConstInt(element, (uint64_t)offset, true), "");
    if (lanes > 1) {
        int64_t coef = coef_of_depth(e, &s->address, lane_depth(e));
        sum = LLVMBuildAdd(e->b, splat(e, sum, lanes), lane_numbers(element, lanes, coef), "");
    }
    for (uint32_t i = 0; i < s->address.n_terms; i++) {
        const Term *t = &s->address.terms[i];
        if (!is_loop(e, t->of)) sum = add_term(e, sum, t, element, axes, part);
    }
    return sum;
}

void emit_index(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    LLVMTypeRef element = type_of(e, s->dtype, 1);
    LLVMValueRef common = LLVMConstInt(element, (uint64_t)s->address.offset, true);
    for (int d = 0; d < e->depth; d++) {
        int64_t coef = coef_of_depth(e, &s->address, d);
        if (!coef) continue;
        LLVMValueRef index = LLVMBuildIntCast2(e->b, e->loops[d].index, element, true, "");
        if (e->loops[d].ahead)
            index = LLVMBuildAdd(e->b, index, LLVMConstInt(element, (uint64_t)e->loops[d].ahead, true), "");
        index = LLVMBuildMul(e->b, index, LLVMConstInt(element, (uint64_t)coef, true), "");
        common = LLVMBuildAdd(e->b, common, index, "");
    }
    Value *v = value_new(e, at, s->dtype, address_axes(e, &s->address));
    for (uint32_t i = 0; i < v->n; i++) v->part[i] = index_part(e, s, v->axes, i, common);
}
