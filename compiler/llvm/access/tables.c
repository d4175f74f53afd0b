/* tables.c: what is looked up in a table that fits into registers: bytes by bytes (a brightness curve, a
 * palette, classes by label), elements of 4 or 8 bytes by their place in a short row (columns in another
 * order).
 *
 * A table of up to 256 bytes fits into registers, and shuffles of bytes look up as many at once as a vector
 * holds; as a gather, each is a load of its own. AVX-512's VBMI looks up among 128; without it a shuffle
 * knows 16, and the bits of the index that it does not know choose between the shuffles of all parts of the
 * table.
 *
 * Of a row of such elements AVX-512 looks up among two vectors at once, AVX2, of 4 bytes, among one.
 */
#include "compiler/graph/range.h"
#include "access.h"

enum { PART = 16, MOST = 256, MOST_OF_ROW = 9 /* vectors */ };

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

/* ---- short rows ---- */

/* The values that an int may have; false: it is none. */
static bool range_of(const Emitter *e, Val v, Range *r)
{
    const Stmt *s = &e->kernel->stmts[v];
    Range all, x, y, now;
    bool is_op = s->kind == ST_OP, one = is_op && s->op == OP_CONVERT,
         two = is_op && (s->op == OP_MAX || s->op == OP_MIN), known = false;
    if (!range_of_type((DType)s->dtype, &all)) return false;
    if (s->kind == ST_CONST) {
        int64_t number = scalar_to_i64((DType)s->dtype, s->imm);
        now = (Range){ number, number };
        known = true;
    } else if (one) known = range_of(e, s->args[0], &now);
    else if (two)
        known = range_of(e, s->args[0], &x) && range_of(e, s->args[1], &y) &&
                range_of_binary((Op)s->op, (DType)s->dtype, x, y, &now);
    *r = known && range_within(now, all) ? now : all;
    return true;
}

uint32_t row_table(const Emitter *e, const Address *a, const Buffer *b, uint32_t lanes, Val *index)
{
    uint32_t bytes = (uint32_t)dtype_bytes((DType)b->dtype);
    bool is_wide = e->has_avx512 && bytes >= 4 && lanes * bytes == 64,
         is_narrow = e->is_x86 && e->target->vector_bytes >= 32 && bytes == 4 && lanes == 8;
    if (!is_wide && !is_narrow) return 0;
    *index = VAL_NONE;
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Val of = a->terms[i].of;
        StmtKind kind = (StmtKind)e->kernel->stmts[of].kind;
        if (kind == ST_LOOP || kind == ST_COUNTER || axes_lanes(e, e->values[of].axes) == 1) continue;
        if (*index != VAL_NONE || a->terms[i].coef != 1) return 0;
        *index = of;
    }
    Range r;
    bool fits =
        *index != VAL_NONE && range_of(e, *index, &r) && r.low >= 0 && r.high < MOST_OF_ROW * (int64_t)lanes;
    return fits ? (uint32_t)r.high + 1 : 0;
}

/* ---- looking up ---- */

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
    LLVMTypeRef type = LLVMTypeOf(index), element = LLVMGetElementType(type);
    int last = (int)LLVMGetIntTypeWidth(element) - 1;
    LLVMValueRef up = splat(e, LLVMConstInt(element, (uint64_t)(last - bit), false), lanes_of(index)),
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

LLVMValueRef look_up_row(Emitter *e, LLVMValueRef row, uint32_t count, uint32_t bytes, LLVMValueRef index)
{
    static const char *const among_two[] = { "llvm.x86.avx512.vpermi2var.d.512",
                                             "llvm.x86.avx512.vpermi2var.q.512" };
    static const char *const among_one[] = { "llvm.x86.avx512.permvar.si.512",
                                             "llvm.x86.avx512.permvar.di.512" };
    uint32_t lanes = lanes_of(index), n = (count + lanes - 1) / lanes;
    int bit = lanes == 16 ? 4 : 3;
    bool is_wide = lanes * bytes == 64;
    LLVMValueRef part[MOST_OF_ROW];
    LLVMTypeRef type = type_lanes(LLVMIntTypeInContext(e->context, 8 * bytes), lanes);
    index = LLVMBuildIntCast2(e->b, index, type, true, "");
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef from = at_bytes(e, row, i * lanes * bytes);
        uint32_t live = count - i * lanes;
        if (live < lanes)
            part[i] = masked_read(e, "llvm.masked.load", type, from, bytes, const_mask(e, live, lanes));
        else LLVMSetAlignment(part[i] = LLVMBuildLoad2(e->b, type, from, ""), bytes);
    }
    if (is_wide && n > 1) {
        for (uint32_t i = 0; i < n; i += 2)
            part[i / 2] = intrinsic(e, among_two[bytes == 8], NULL, 0,
                                    (LLVMValueRef[]){ part[i], index, part[i + 1 < n ? i + 1 : i] }, 3);
        n = (n + 1) / 2;
        bit++;
    } else
        for (uint32_t i = 0; i < n; i++)
            part[i] = intrinsic(e, is_wide ? among_one[bytes == 8] : "llvm.x86.avx2.permd", NULL, 0,
                                (LLVMValueRef[]){ part[i], index }, 2);
    for (; n > 1; bit++, n = (n + 1) / 2)
        for (uint32_t i = 0; i < n; i += 2)
            part[i / 2] = i + 1 < n ? by_bit(e, index, bit, part[i], part[i + 1]) : part[i];
    return part[0];
}
