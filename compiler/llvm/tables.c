/* tables.c: bytes by which bytes are looked up: a brightness curve, a palette, classes by label.
 *
 * A table of up to 256 bytes fits into registers, and shuffles of bytes look up as many at once as a vector
 * holds; as a gather, each is a load of its own. AVX-512's VBMI looks up among 128; without it a shuffle
 * knows 16, and the bits of the index that it does not know choose between the shuffles of all parts of the
 * table.
 */
#include "emit.h"

enum { PART = 16, MOST = 256 };

/* The bytes whose values are the places in the buffer that the address means; VAL_NONE: there are none. */
static Val byte_index(const Emitter *e, const Address *a)
{
    if (a->n_terms != 1 || a->offset || a->terms[0].coef != 1) return VAL_NONE;
    const Stmt *s = &e->kernel->stmts[a->terms[0].of];
    bool widens = s->kind == ST_OP && s->op == OP_CONVERT && dtype_bytes((DType)s->dtype) > 1;
    return widens && e->kernel->stmts[s->args[0]].dtype == WEFT_U8 ? s->args[0] : VAL_NONE;
}

Val table_index(const Emitter *e, const Address *a, const Buffer *b, uint32_t lanes)
{
    bool fits = dtype_bytes((DType)b->dtype) == 1 && b->count <= MOST && b->count % PART == 0 &&
                lanes >= 32 && lanes == e->target->vector_bytes;
    return fits && e->is_x86 ? byte_index(e, a) : VAL_NONE;
}

static LLVMValueRef load_bytes(Emitter *e, LLVMValueRef from, int64_t at, uint32_t n, uint32_t live)
{
    LLVMValueRef p = at_bytes(e, from, at);
    LLVMTypeRef type = type_lanes(e->i8, n);
    if (live < n) return masked_read(e, "llvm.masked.load", type, p, 1, const_mask(e, live, n));
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, p, "");
    LLVMSetAlignment(v, 1);
    return v;
}

/* Where bit `bit` of the index is set, b, else a. */
static LLVMValueRef by_bit(Emitter *e, LLVMValueRef index, int bit, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(index);
    LLVMValueRef up = splat(e, LLVMConstInt(e->i8, (uint64_t)(7 - bit), false), lanes_of(index)),
                 top = LLVMBuildShl(e->b, index, up, ""),
                 set = LLVMBuildICmp(e->b, LLVMIntSLT, top, LLVMConstNull(type), "");
    return LLVMBuildSelect(e->b, set, b, a, "");
}

/* By shuffles that look up among 64 bytes, or among 128. */
static LLVMValueRef look_up_wide(Emitter *e, LLVMValueRef table, int64_t count, LLVMValueRef index)
{
    LLVMValueRef part[4], half[2];
    for (int64_t i = 0; i < 4 && i * 64 < count; i++)
        part[i] = load_bytes(e, table, i * 64, 64, (uint32_t)(count - i * 64 < 64 ? count - i * 64 : 64));
    if (count <= 64)
        return intrinsic(e, "llvm.x86.avx512.permvar.qi.512", NULL, 0, (LLVMValueRef[]){ part[0], index }, 2);
    for (int64_t i = 0; i < 2 && i * 128 < count; i++) {
        LLVMValueRef second = i * 128 + 64 < count ? part[2 * i + 1] : part[2 * i];
        half[i] = intrinsic(e, "llvm.x86.avx512.vpermi2var.qi.512", NULL, 0,
                            (LLVMValueRef[]){ part[2 * i], index, second }, 3);
    }
    return count <= 128 ? half[0] : by_bit(e, index, 7, half[0], half[1]);
}

/* By shuffles that look up among 16 bytes. */
static LLVMValueRef look_up_narrow(Emitter *e, LLVMValueRef table, int64_t count, LLVMValueRef index)
{
    LLVMValueRef found[MOST / PART];
    uint32_t lanes = lanes_of(index), n = (uint32_t)(count / PART);
    LLVMValueRef low = splat(e, LLVMConstInt(e->i8, PART - 1, false), lanes),
                 in_part = LLVMBuildAnd(e->b, index, low, "");
    int lane[64];
    for (uint32_t i = 0; i < lanes; i++) lane[i] = (int)(i % PART);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef part = shuffle(e, load_bytes(e, table, i * PART, PART, PART), NULL, lane, lanes);
        found[i] = intrinsic(e, lanes == 64 ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b", NULL,
                             0, (LLVMValueRef[]){ part, in_part }, 2);
    }
    for (int bit = 4; n > 1; bit++, n = (n + 1) / 2)
        for (uint32_t i = 0; i < n; i += 2)
            found[i / 2] = i + 1 < n ? by_bit(e, index, bit, found[i], found[i + 1]) : found[i];
    return found[0];
}

LLVMValueRef look_up(Emitter *e, LLVMValueRef table, int64_t count, LLVMValueRef index)
{
    return e->has_vbmi ? look_up_wide(e, table, count, index) : look_up_narrow(e, table, count, index);
}
