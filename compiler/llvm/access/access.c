/* access.c: addresses, loads and stores.
 *
 * An address is a buffer's start, plus a pointer step for each machine loop that it depends on, made once per
 * iteration of that loop and shared by the accesses that move alike, plus a constant per part. Indirect
 * terms, which come from data, are added last. The stride over the lanes decides the instruction: 0 a scalar,
 * 1 a vector, -1 a vector reversed, else a gather or scatter.
 */
#include "access.h"

typedef struct AccessPlace {
    LLVMValueRef pointer; /* what is common to all parts; not yet moved by offset */
    int64_t offset;       /* elements */
    uint32_t bytes;       /* of an element */
    Axes axes;            /* of the address */
    int64_t lane_stride;
    bool indirect_lanes; /* an integer value among the terms varies with the lanes */
    const Address *address;
} AccessPlace;

/* base + coef * index of a loop, made once per iteration of that loop; or of a counter, made once. tag: the
 * loop's depth, or -1 - counter. */
typedef struct PlaceEntry {
    LLVMValueRef base, place;
    int64_t coef;
    int tag;
} PlaceEntry;

static LLVMValueRef step_bytes(Emitter *e, LLVMValueRef base, LLVMValueRef index, int64_t coef,
                               uint32_t bytes)
{
    LLVMTypeRef element = LLVMIntTypeInContext(e->context, 8 * bytes);
    if (coef != 1) index = LLVMBuildNSWMul(e->b, index, const_i64(e, coef), "");
    return LLVMBuildGEP2(e->b, element, base, &index, 1, "");
}

/* Loads and stores that a loop's body has itself, times the vectors of its tile. LLVM looks for the best way
 * to step from each address to the others, in the square of their number; where there are many, a register
 * for each buffer and numbers beside it are as good, and it does not see that the places are moved by a loop
 * (compiling fft_256x1000: 53 -> 37 ms, blur_sobel_512 in half the time; they run as fast). */
enum { MANY_PLACES = 8 };
static bool has_many_places(const Emitter *e, int depth)
{
    const OpenLoop *l = &e->loops[depth];
    uint32_t n = 0;
    for (Val v = l->stmt + 1; v < e->ends[l->stmt] && n < MANY_PLACES; v++) {
        StmtKind kind = (StmtKind)e->kernel->stmts[v].kind;
        if (kind == ST_LOOP) v = e->ends[v];
        if (kind == ST_LOAD || kind == ST_STORE) n += l->tile;
    }
    return n >= MANY_PLACES;
}

/* The same pointer, of which it is not known where it comes from until addresses are chosen. */
static LLVMValueRef hidden(Emitter *e, LLVMValueRef pointer)
{
    return intrinsic1(e, "llvm.launder.invariant.group", pointer);
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
    LLVMBasicBlockRef now = block_now(e);
    LLVMPositionBuilderBefore(e->b, setup);
    LLVMValueRef place = step_bytes(e, base, index, coef, bytes);
    if (tag >= 0 && has_many_places(e, tag)) place = hidden(e, place);
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

static int64_t coef_of_depth(const Emitter *e, const Address *a, int d)
{
    return address_coefficient(*a, e->loops[d].stmt);
}

static bool is_loop(const Emitter *e, Val v) { return e->kernel->stmts[v].kind == ST_LOOP; }
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

static AccessPlace place_of(Emitter *e, const Stmt *s)
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
        if (e->loops[d].is_fixed) p.offset += coef * e->loops[d].fixed;
        else p.pointer = loop_place(e, p.pointer, d, coef, p.bytes);
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

LLVMValueRef at_bytes(Emitter *e, LLVMValueRef pointer, int64_t bytes)
{
    if (!bytes) return pointer;
    LLVMValueRef by = const_i64(e, bytes);
    return LLVMBuildGEP2(e->b, e->i8, pointer, &by, 1, "");
}

/* How far a part's first tile is from that of part 0, in the address's units. */
static int64_t tile_offset(const Emitter *e, const Address *a, Axes axes, uint32_t part)
{
    uint32_t tile[MAX_LOOP_DEPTH];
    int64_t offset = 0;
    part_tiles(e, axes, part, tile);
    for (int d = 0; d < e->depth; d++)
        if (axes >> d & 1) offset += coef_of_depth(e, a, d) * tile[d] * e->loops[d].lanes;
    return offset;
}

/* The address of a part's first lane, but for indirect terms that vary with the lanes. */
static LLVMValueRef part_place(Emitter *e, const AccessPlace *p, Axes axes, uint32_t part)
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
static LLVMValueRef lane_offsets(Emitter *e, const AccessPlace *p, const Buffer *buffer, Axes axes,
                                 uint32_t part)
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

/* The first lane alone, as a scalar. A masked store of one lane would do as well, but LLVM 22.1 makes of one
 * behind a truncation a store of the wide element. */
static void store_first(Emitter *e, LLVMValueRef value, LLVMValueRef to, uint32_t bytes)
{
    LLVMValueRef first = LLVMBuildExtractElement(e->b, value, LLVMConstInt(e->i32, 0, false), "");
    LLVMSetAlignment(LLVMBuildStore(e->b, first, to), bytes);
}

/* If only a few of 64 reversed bytes are used, LLVM 22's x86 back end moves the reversal to and fro
 * without end. The fence makes it think that all are used. */
static LLVMValueRef reversed(Emitter *e, LLVMValueRef v)
{
    int lane[64], n = (int)lanes_of(v);
    for (int i = 0; i < n; i++) lane[i] = n - 1 - i;
    LLVMValueRef turned = shuffle(e, v, NULL, lane, (uint32_t)n);
    return n == 64 && width_of(v) == 8 ? opaque(e, turned) : turned;
}

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

/* Is the address inside its buffer whether or not a lane has left the while loops around? It is if only
 * counted loops move it. */
static bool is_always_inside(const Emitter *e, const Stmt *s)
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
static LLVMValueRef beside_buffer(Emitter *e, const Stmt *s, Val mask, LLVMValueRef at, uint32_t bytes,
                                  uint32_t lanes)
{
    if (!may_stray(e, s, mask, lanes)) return at;
    int64_t last = e->program->buffers[s->buffer].count - 1;
    LLVMValueRef low = at_bytes(e, e->buffers[s->buffer], -(int64_t)(lanes - 1) * bytes),
                 high = at_bytes(e, e->buffers[s->buffer], last * bytes);
    at = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, at, low, ""), low, at, "");
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, at, high, ""), high, at, "");
}

/* Does the access's mask say nothing here? */
static bool is_free(const Emitter *e, Val mask)
{
    return mask == VAL_NONE || mask == e->holds || holds_inside(e, mask);
}

/* The lanes that an access is for, NULL: all. given: the access's own mask, or VAL_NONE. Lanes that have left
 * the while loops around need no mask if the address is inside all the same. */
static LLVMValueRef access_mask(Emitter *e, Val given, bool is_inside, Axes axes, uint32_t part)
{
    LLVMValueRef a = is_free(e, given) ? NULL : operand(e, given, axes, part);
    LLVMValueRef b = is_inside ? tail_mask(e, axes, part) : part_mask(e, axes, part);
    return !a ? b : !b ? a : LLVMBuildAnd(e->b, a, b, "");
}

/* The mask that is the same for all lanes; NULL: there is none. */
static LLVMValueRef one_mask(Emitter *e, Val mask, Axes axes, uint32_t part)
{
    if (is_free(e, mask) || axes_lanes(e, value_of(e, mask)->axes) > 1) return NULL;
    const Value *v = value_of(e, mask);
    return v->part[part_project(e, axes, part, v->axes)];
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
    bool is_inside = low >= number && high - number + length <= e->program->buffers[s->buffer].count;
    return is_inside ? number : -1;
}

/* Are lanes that are not neighbours a load each? Where places are computed, ten of them take a millisecond to
 * compile, so only where they are few, of one load and in a function. */
enum { MOST_LANE_LOADS = 32, MOST_LANE_LOADS_IN_ALL = 160 };
static bool loads_lanes(Emitter *e, const AccessPlace *p, uint32_t lanes, uint32_t parts, LLVMValueRef mask)
{
    if (!e->gathers_slowly || (mask && !LLVMIsConstant(mask))) return false;
    if (!p->indirect_lanes) return true;
    if (e->may_be_outside) return false;
    if (e->lane_loaded != e->function) e->lane_loaded = e->function, e->n_lane_loads = 0;
    if (lanes * parts > MOST_LANE_LOADS || e->n_lane_loads + lanes > MOST_LANE_LOADS_IN_ALL) return false;
    e->n_lane_loads += lanes;
    return true;
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
    int64_t number = mask || p->indirect_lanes ? -1 : row_element(e, s, p, axes, part);
    if (number >= 0) {
        bool backwards = p->lane_stride < 0;
        AccessPlace rows = *p;
        rows.offset += backwards ? p->lane_stride * (lanes - 1) - number : -number;
        LLVMValueRef v = load_of_rows(e, type, part_place(e, &rows, axes, part),
                                      backwards ? -p->lane_stride : p->lane_stride, number, lanes, p->bytes);
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

LLVMValueRef from_memory(Emitter *e, DType t, LLVMValueRef v)
{
    return t == WEFT_BOOL ? LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

LLVMValueRef to_memory(Emitter *e, DType t, LLVMValueRef v)
{
    return t == WEFT_BOOL ? LLVMBuildZExt(e->b, v, type_lanes(e->i8, lanes_of(v)), "") : v;
}

/* ---- squares ---- */

/* Where neighbours in memory are neighbours of a tile instead of neighbouring lanes, vectors along the tile
 * are read or written, and the square of registers is transposed. */

enum { SQUARE_LEAST_TILE = 4 }; /* with fewer vectors wanted, gathers cost less */

/* Does the address move along a tile by more than the loop's own term? */
static bool is_indirect_along(Emitter *e, const Address *a, int depth)
{
    for (uint32_t i = 0; i < a->n_terms; i++)
        if (!is_loop(e, a->terms[i].of) && value_of(e, a->terms[i].of)->axes >> depth & 1) return true;
    return false;
}

/* The depth of the tile loop along which squares are read or written, or -1 if there is none. */
static int square_depth(Emitter *e, const AccessPlace *p, Axes axes, bool is_masked)
{
    int lane = lane_depth(e);
    if (is_masked || p->indirect_lanes || lane < 0 || !(axes >> lane & 1) ||
        (p->lane_stride >= -1 && p->lane_stride <= 1))
        return -1;
    if (!can_transpose(e->loops[lane].lanes, p->bytes)) return -1;
    for (int d = 0; d < e->depth; d++)
        if (d != lane && (axes >> d & 1) && e->loops[d].tile >= SQUARE_LEAST_TILE &&
            (coef_of_depth(e, p->address, d) == 1 || coef_of_depth(e, p->address, d) == -1) &&
            !is_indirect_along(e, p->address, d))
            return d;
    return -1;
}

/* Where the parts of one square are: part numbers along the tile, and how many rows (lanes) count. */
typedef struct Square {
    uint32_t part[64], n, rows;
} Square;

/* The square whose first part this is; false if the part is inside another's. */
static bool square_at(const Emitter *e, Axes axes, uint32_t first, int depth, Square *q)
{
    uint32_t tile[MAX_LOOP_DEPTH], lanes = axes_lanes(e, axes);
    const OpenLoop *lane = &e->loops[lane_depth(e)], *along = &e->loops[depth];
    part_tiles(e, axes, first, tile);
    if (tile[depth] % lanes) return false;
    uint32_t left = along->tile - tile[depth], step = part_step(e, axes, depth);
    q->n = left < lanes ? left : lanes;
    for (uint32_t t = 0; t < q->n; t++) q->part[t] = first + t * step;
    q->rows = lane->live && tile[lane_depth(e)] == lane->tile - 1 ? lane->live : lanes;
    return true;
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

static void load_squares(Emitter *e, const Stmt *s, const AccessPlace *p, Value *out, int depth)
{
    DType t = (DType)s->dtype;
    LLVMTypeRef type = type_in_memory(e, t, axes_lanes(e, out->axes));
    for (uint32_t i = 0; i < out->n; i++) {
        Square q;
        if (!square_at(e, out->axes, i, depth, &q)) continue;
        load_square(e, p, type, out->axes, &q, coef_of_depth(e, p->address, depth) < 0, out);
        for (uint32_t k = 0; k < q.n; k++) out->part[q.part[k]] = from_memory(e, t, out->part[q.part[k]]);
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

bool is_stored(const Emitter *e, uint32_t buffer, Val from, Val to)
{
    const Stmt *stmts = e->kernel->stmts;
    for (Val v = from; v < to; v++)
        if (stmts[v].kind == ST_STORE &&
            program_memory(e->program, stmts[v].buffer) == program_memory(e->program, buffer))
            return true;
    return false;
}

void emit_load(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    if (e->moved[at] || load_alike(e, at) || (e->pixels[at] && emit_pixels(e, at)) || load_taps(e, at))
        return;
    AccessPlace p = place_of(e, s);
    Axes axes = p.axes | (s->args[0] == VAL_NONE ? 0 : value_of(e, s->args[0])->axes);
    Value *v = value_new(e, at, s->dtype, axes);
    if (load_walked(e, s, type_in_memory(e, (DType)s->dtype, axes_lanes(e, axes)), v)) {
        for (uint32_t i = 0; i < v->n; i++) v->part[i] = from_memory(e, s->dtype, v->part[i]);
        return;
    }
    bool rows = p.bytes < 4 && can_split_rows(e, p.lane_stride, axes_lanes(e, axes), p.bytes);
    int square =
        rows ? -1
             : square_depth(e, &p, axes,
                            !is_free(e, s->args[0]) || (e->active.axes & axes && !is_always_inside(e, s)));
    if (square >= 0) {
        load_squares(e, s, &p, v, square);
        return;
    }
    for (uint32_t i = 0; i < v->n; i++)
        v->part[i] = from_memory(e, s->dtype, load_part(e, s, &p, axes, v->n, i));
    block_breathe(e, v->n);
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

/* ---- rows ---- */

/* The stores of all elements of rows that lie one behind another: one of each element, where they stand
 * together. */
typedef struct RowStores {
    Val store[MOST_ROW];
    int64_t first; /* of the elements, as an offset */
    Val last;      /* of the stores */
} RowStores;

static bool is_row_mate(const Stmt *a, const Stmt *b)
{
    if (b->kind != ST_STORE || b->buffer != a->buffer || b->args[1] != VAL_NONE) return false;
    Address moved = b->address;
    moved.offset = a->address.offset;
    return address_equal(a->address, moved);
}

/* Is the load one of an element of the rows that is not yet stored there? */
static bool reads_before(const Stmt *load, Val at, const Stmt *store, const RowStores *r, int64_t length)
{
    Address moved = load->address;
    moved.offset = store->address.offset;
    int64_t number = (load->address.offset - r->first) % length;
    return address_equal(store->address, moved) && r->store[number < 0 ? number + length : number] > at;
}

/* Does `at` belong to such stores, that may all wait for the last? */
static bool find_row_stores(const Emitter *e, Val at, const AccessPlace *p, RowStores *r)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[at];
    int64_t length = p->lane_stride, n = 0;
    Val begin = at, first = VAL_NONE;
    if (s->args[1] != VAL_NONE || p->indirect_lanes || length < 2 || length > MOST_ROW) return false;
    while (begin && stmts[begin - 1].kind != ST_LOOP && stmts[begin - 1].kind != ST_END) begin--;
    r->first = s->address.offset - (s->address.offset % length + length) % length;
    for (int64_t k = 0; k < length; k++) r->store[k] = VAL_NONE;
    for (Val v = begin; v < e->kernel->n_stmts && stmts[v].kind != ST_LOOP && stmts[v].kind != ST_END; v++) {
        int64_t number = stmts[v].address.offset - r->first;
        if (!is_row_mate(s, &stmts[v]) || number < 0 || number >= length) continue;
        if (r->store[number] != VAL_NONE || e->varies[stmts[v].args[0]] & ~p->axes & open_axes(e))
            return false;
        if (first == VAL_NONE) first = v;
        r->store[number] = r->last = v;
        n++;
    }
    uint32_t memory = program_memory(e->program, s->buffer);
    for (Val v = first; n == length && v < r->last; v++)
        if (stmts[v].kind == ST_LOAD && program_memory(e->program, stmts[v].buffer) == memory &&
            !reads_before(&stmts[v], v, s, r, length))
            return false;
    return n == length;
}

/* Stores whole rows where the last of their elements is stored. False: each element is stored by itself. */
static bool store_in_rows(Emitter *e, Val at, const AccessPlace *p)
{
    uint32_t lanes = axes_lanes(e, p->axes), n = parts_of(e, p->axes);
    DType t = (DType)e->program->buffers[e->kernel->stmts[at].buffer].dtype;
    RowStores r = { .last = VAL_NONE };
    if (!can_split_rows(e, p->lane_stride, lanes, p->bytes) || !find_row_stores(e, at, p, &r)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (access_mask(e, VAL_NONE, false, p->axes, i)) return false;
    for (uint32_t i = 0; i < n && at == r.last; i++) {
        LLVMValueRef element[MOST_ROW];
        AccessPlace rows = *p;
        rows.offset += r.first - e->kernel->stmts[at].address.offset;
        for (int64_t k = 0; k < p->lane_stride; k++)
            element[k] = to_memory(e, t, operand(e, e->kernel->stmts[r.store[k]].args[0], p->axes, i));
        store_rows(e, element, part_place(e, &rows, p->axes, i), p->lane_stride, lanes, p->bytes);
        block_breathe(e, (uint32_t)(p->lane_stride * p->lane_stride));
    }
    return true;
}

static Axes store_axes(Emitter *e, const Stmt *s, const AccessPlace *p)
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

static bool store_together(Emitter *e, const Woven *w)
{
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

void emit_store(Emitter *e, Val at)
{
    const Woven *w = e->woven[at];
    if (e->moved[at]) {
        if (at == e->moved[at]->last) store_moved(e, e->moved[at]);
        return;
    }
    const Woven alone = { .n = 1, .of = { at } };
    if (store_alike(e, at)) return;
    if (w && at != w->last) return;
    if (w && !changes_few(e, w) && store_together(e, w)) return;
    AccessPlace p = place_of(e, &e->kernel->stmts[at]);
    if (!w && store_in_rows(e, at, &p)) return;
    if (!w) w = &alone;
    for (uint32_t i = 0; i < w->n; i++)
        if (!is_idle_store(e, w->of[i])) store_by_itself(e, &e->kernel->stmts[w->of[i]]);
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
        index = LLVMBuildMul(e->b, index, LLVMConstInt(element, (uint64_t)coef, true), "");
        common = LLVMBuildAdd(e->b, common, index, "");
    }
    Value *v = value_new(e, at, s->dtype, address_axes(e, &s->address));
    for (uint32_t i = 0; i < v->n; i++) v->part[i] = index_part(e, s, v->axes, i, common);
}
