/* prefix.c: running folds. In lanes: blocks of 16 elements are folded in registers by doubling distances;
 * lanes that have nothing at a distance combine with the identity, which changes no value (for float sums
 * that is -0). Only the carry goes from block to block, and with a tile the blocks of a step are folded
 * before it passes through them, so a step waits for one operation a block.
 */
#include "emit.h"
#include "element/element.h"

static uint64_t identity_bits(Op op, DType t)
{
    return op == OP_ADD && dtype_is_float(t) ? scalar_from_double(t, -0.0) : monoid_start(op, t);
}

static LLVMValueRef fold_block(Emitter *e, const Stmt *r, LLVMValueRef x)
{
    LLVMValueRef identity =
        const_bits(e, (DType)r->dtype, identity_bits((Op)r->op, (DType)r->dtype), PREFIX_LANES);
    for (int d = 1; d < PREFIX_LANES; d *= 2) {
        int lane[PREFIX_LANES];
        for (int i = 0; i < PREFIX_LANES; i++) lane[i] = i >= d ? i - d : PREFIX_LANES + i;
        x = fold_two(e, r, shuffle(e, x, identity, lane, PREFIX_LANES), x);
    }
    return x;
}

/* The reducer's next value; those that have left while loops keep theirs. */
static void take(Emitter *e, Variable *v, uint32_t before, LLVMValueRef next)
{
    LLVMValueRef in = v->active == e->active.number ? NULL : active_part(e, v->axes, before);
    v->now[before] = in ? select_part(e, in, next, v->now[before]) : next;
}

static void prefix_in_lanes(Emitter *e, const Stmt *s, const Stmt *r, Variable *v, Value *out)
{
    const OpenLoop *l = &e->loops[e->depth - 1];
    for (uint32_t i = 0; i < out->n; i++)
        out->part[i] = fold_block(e, r, operand_as(e, s->args[1], (DType)r->dtype, out->axes, i));
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t before = part_project(e, out->axes, i, v->axes),
                 last = l->live && i % l->tile == l->tile - 1 ? l->live : PREFIX_LANES;
        LLVMValueRef block = out->part[i], carry = v->now[before];
        LLVMValueRef whole = LLVMBuildExtractElement(e->b, block, LLVMConstInt(e->i32, last - 1, false), "");
        out->part[i] = fold_two(e, r, splat(e, carry, PREFIX_LANES), block);
        take(e, v, before, fold_two(e, r, carry, whole));
    }
}

void emit_prefix(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at], *r = &e->kernel->stmts[s->args[0]];
    Variable *v = variable_of(e, s->args[0]);
    Value *out = value_new(e, at, (DType)s->dtype, open_axes(e));
    if (e->loops[e->depth - 1].lanes > 1) prefix_in_lanes(e, s, r, v, out);
    else
        for (uint32_t i = 0; i < out->n; i++) {
            out->part[i] =
                fold_two(e, r, v->now[i], operand_as(e, s->args[1], (DType)r->dtype, out->axes, i));
            take(e, v, i, out->part[i]);
        }
    block_breathe(e, 6 * out->n);
}
