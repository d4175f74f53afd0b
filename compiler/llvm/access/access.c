/* access.c: what loads and stores have in common: masks, the forms that elements have in memory, and where a
 * square of registers is transposed. */
#include "address.h"

/* If only a few of 64 reversed bytes are used, LLVM 22's x86 back end moves the reversal to and fro
 * without end. The fence makes it think that all are used. */
LLVMValueRef reversed(Emitter *e, LLVMValueRef v)
{
    int lane[64], n = (int)lanes_of(v);
    for (int i = 0; i < n; i++) lane[i] = n - 1 - i;
    LLVMValueRef turned = shuffle(e, v, NULL, lane, (uint32_t)n);
    return n == 64 && width_of(v) == 8 ? opaque(e, turned) : turned;
}

/* Is the bool only asked to choose, or to become a number, of so many bytes? */
static bool only_chooses(const Emitter *e, Val at, uint32_t bytes)
{
    uint32_t uses = 0;
    for (Val i = at + 1; i < e->kernel->n_stmts && uses < e->uses[at]; i++) {
        const Stmt *s = &e->kernel->stmts[i];
        if (s->kind != ST_OP || s->args[0] != at || dtype_bytes((DType)s->dtype) != bytes) continue;
        uses += s->op == OP_SELECT || s->op == OP_CONVERT;
    }
    return uses == e->uses[at];
}

/* Without masks of its own the machine has a test as wide as what it chooses between: bools are made wide
 * before, once for all that asks. Where they are first joined with others, that is done of bytes (a choice by
 * five bools, f32, SSE2: 9.3 us, of wide ones 13.7). */
LLVMValueRef from_memory(Emitter *e, Val at, LLVMValueRef v)
{
    if (e->kernel->stmts[at].dtype != WEFT_BOOL) return v;
    uint32_t lanes = lanes_of(v), bytes = e->target->vector_bytes / lanes;
    if (lanes > 1 && bytes > 1 && bytes <= 8 && !e->has_avx512 && only_chooses(e, at, bytes))
        v = LLVMBuildZExt(e->b, v, type_lanes(LLVMIntTypeInContext(e->context, 8 * bytes), lanes), "");
    return LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

LLVMValueRef to_memory(Emitter *e, DType t, LLVMValueRef v)
{
    return t == WEFT_BOOL ? LLVMBuildZExt(e->b, v, type_lanes(e->i8, lanes_of(v)), "") : v;
}

bool is_stored(const Emitter *e, uint32_t buffer, Val from, Val to)
{
    const Stmt *stmts = e->kernel->stmts;
    for (Val v = from; v < to; v++)
        if (stmts[v].kind == ST_STORE && e->memory[stmts[v].buffer] == e->memory[buffer]) return true;
    return false;
}

bool is_free(const Emitter *e, Val mask)
{
    return mask == VAL_NONE || mask == e->holds || holds_inside(e, mask);
}

/* The lanes that an access is for, NULL: all. given: the access's own mask, or VAL_NONE. Lanes that have left
 * the while loops around need no mask if the address is inside all the same. */
LLVMValueRef access_mask(Emitter *e, Val given, bool is_inside, Axes axes, uint32_t part)
{
    LLVMValueRef a = is_free(e, given) ? NULL : operand(e, given, axes, part);
    LLVMValueRef b = is_inside ? tail_mask(e, axes, part) : part_mask(e, axes, part);
    return !a ? b : !b ? a : LLVMBuildAnd(e->b, a, b, "");
}

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
int square_depth(Emitter *e, const AccessPlace *p, Axes axes, bool is_masked)
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

/* The square whose first part this is; false if the part is inside another's. */
bool square_at(const Emitter *e, Axes axes, uint32_t first, int depth, Square *q)
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

void fetch_line(Emitter *e, LLVMValueRef at, bool to_write)
{
    LLVMValueRef how[4] = { at, LLVMConstInt(e->i32, to_write, false), LLVMConstInt(e->i32, 3, false),
                            LLVMConstInt(e->i32, 1, false) };
    intrinsic(e, "llvm.prefetch", (LLVMTypeRef[]){ e->ptr }, 1, how, 4);
}

bool is_large(const Emitter *e, uint32_t buffer)
{
    return buffer_bytes(&e->program->buffers[buffer]) > e->target->l2_bytes;
}
