/* elementwise.c: one op on one part, vector or scalar alike. Ops that recipe.h has steps for go to recipes.c;
 * f16 and bf16 are computed in f32 and rounded once after each op. Integer edges (division by zero, shifts
 * past the width) are made explicit, for in LLVM they are undefined. */
#include "element.h"

LLVMValueRef select_part(Emitter *e, LLVMValueRef p, LLVMValueRef a, LLVMValueRef b)
{
    if (lanes_of(p) != lanes_of(a)) p = splat_shared(e, p, lanes_of(a));
    return LLVMBuildSelect(e->b, p, a, b, "");
}

LLVMValueRef op_compare(Emitter *e, CompareDir dir, DType t, LLVMValueRef a, LLVMValueRef b)
{
    static const LLVMRealPredicate real[] = { LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                              LLVMRealOLE, LLVMRealOGT, LLVMRealOGE };
    static const LLVMIntPredicate sint[] = { LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                             LLVMIntSLE, LLVMIntSGT, LLVMIntSGE };
    static const LLVMIntPredicate uint[] = { LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                             LLVMIntULE, LLVMIntUGT, LLVMIntUGE };
    if (dtype_is_float(t)) return LLVMBuildFCmp(e->b, real[dir], a, b, "");
    return LLVMBuildICmp(e->b, dtype_is_signed(t) ? sint[dir] : uint[dir], a, b, "");
}

/* The bits of a float as an int whose signed order is the total order: -NaN < -inf < ... < -0 < +0 < ... <
 * inf < NaN. */
static LLVMValueRef total_order_key(Emitter *e, LLVMValueRef a)
{
    LLVMValueRef bits = as_bits(e, a);
    uint32_t width = width_of(bits);
    LLVMValueRef sign = LLVMBuildAShr(e->b, bits, const_like(e, bits, width - 1), "");
    LLVMValueRef rest = LLVMBuildLShr(e->b, sign, const_like(e, bits, 1), "");
    return LLVMBuildXor(e->b, bits, rest, "");
}

static LLVMValueRef compare(Emitter *e, DType t, LLVMValueRef a, LLVMValueRef b, const int64_t *attr)
{
    CompareDir dir = (CompareDir)attr[0];
    if (attr[1] == ORDER_TOTAL && dtype_is_float(t))
        return op_compare(e, dir, WEFT_I64, total_order_key(e, a), total_order_key(e, b));
    return op_compare(e, dir, t, a, b);
}

/* ---- integers ---- */

static LLVMValueRef least_of(Emitter *e, LLVMValueRef like)
{
    return const_like(e, like, (uint64_t)1 << (width_of(like) - 1));
}

static LLVMValueRef all_ones(LLVMValueRef like) { return LLVMConstAllOnes(LLVMTypeOf(like)); }

/* A divisor that LLVM's division is defined for: 1 in place of 0 and in least / -1, whose quotient is least
 * and remainder 0 as for 1. */
static LLVMValueRef safe_divisor(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef is_zero)
{
    LLVMValueRef bad = is_zero;
    if (is_signed) {
        LLVMValueRef least = LLVMBuildICmp(e->b, LLVMIntEQ, a, least_of(e, a), "");
        LLVMValueRef minus = LLVMBuildICmp(e->b, LLVMIntEQ, b, all_ones(b), "");
        bad = LLVMBuildOr(e->b, bad, LLVMBuildAnd(e->b, least, minus, ""), "");
    }
    return LLVMBuildSelect(e->b, bad, const_like(e, b, 1), b, "");
}

/* No machine divides vectors of ints. Quotients of ints of up to 32 bits are exact by way of f64, of up to 16
 * bits by f32: the rounding error, relative 2^-53 (2^-24), is less than the distance 1/b of an inexact
 * quotient from the next integer. */
static LLVMValueRef quotient(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t width = width_of(a), lanes = lanes_of(a);
    if (lanes == 1 || width == 64 || LLVMIsConstant(b))
        return is_signed ? LLVMBuildSDiv(e->b, a, b, "") : LLVMBuildUDiv(e->b, a, b, "");
    LLVMTypeRef wide = type_lanes(e->i32, lanes), real = type_lanes(width == 32 ? e->f64 : e->f32, lanes),
                type = LLVMTypeOf(a);
    bool as_signed = is_signed || width < 32;
    if (width < 32) {
        a = LLVMBuildIntCast2(e->b, a, wide, is_signed, "");
        b = LLVMBuildIntCast2(e->b, b, wide, is_signed, "");
    }
    LLVMValueRef x = as_signed ? LLVMBuildSIToFP(e->b, a, real, "") : LLVMBuildUIToFP(e->b, a, real, "");
    LLVMValueRef y = as_signed ? LLVMBuildSIToFP(e->b, b, real, "") : LLVMBuildUIToFP(e->b, b, real, "");
    LLVMValueRef q = LLVMBuildFDiv(e->b, x, y, "");
    q = as_signed ? LLVMBuildFPToSI(e->b, q, wide, "") : LLVMBuildFPToUI(e->b, q, wide, "");
    return width < 32 ? LLVMBuildTrunc(e->b, q, type, "") : q;
}

/* A constant other than 0 and -1, the same in all lanes: LLVM multiplies and shifts (i32 by 9, AVX-512: 86 ->
 * 35 us a quarter of a million). */
static bool is_plain_divisor(LLVMValueRef b)
{
    LLVMValueRef lane = constant_lane(b);
    return lane && LLVMIsAConstantInt(lane) && LLVMConstIntGetSExtValue(lane) != 0 &&
           LLVMConstIntGetSExtValue(lane) != -1;
}

static LLVMValueRef divide(Emitter *e, Op op, bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    if (is_plain_divisor(b)) {
        LLVMValueRef q = quotient(e, is_signed, a, b);
        return op == OP_DIV ? q : LLVMBuildSub(e->b, a, LLVMBuildMul(e->b, q, b, ""), "");
    }
    LLVMValueRef is_zero = LLVMBuildICmp(e->b, LLVMIntEQ, b, LLVMConstNull(LLVMTypeOf(b)), "");
    LLVMValueRef divisor = safe_divisor(e, is_signed, a, b, is_zero), q = quotient(e, is_signed, a, divisor);
    if (op == OP_DIV) return LLVMBuildSelect(e->b, is_zero, all_ones(b), q, "");
    LLVMValueRef rest = LLVMBuildSub(e->b, a, LLVMBuildMul(e->b, q, divisor, ""), "");
    return LLVMBuildSelect(e->b, is_zero, a, rest, "");
}

static LLVMValueRef plain_shift(Emitter *e, Op op, LLVMValueRef a, LLVMValueRef b)
{
    return op == OP_SHL         ? LLVMBuildShl(e->b, a, b, "")
           : op == OP_SHR_ARITH ? LLVMBuildAShr(e->b, a, b, "")
                                : LLVMBuildLShr(e->b, a, b, "");
}

/* A constant, the same in all lanes, that is below n. */
static bool is_constant_below(LLVMValueRef v, uint64_t n)
{
    LLVMValueRef lane = constant_lane(v);
    return lane && LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) < n;
}

static LLVMValueRef shift(Emitter *e, Op op, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t width = width_of(a);
    if (is_constant_below(b, width)) return plain_shift(e, op, a, b);
    if (op == OP_SHR_ARITH)
        return LLVMBuildAShr(e->b, a, intrinsic2(e, "llvm.umin", b, const_like(e, b, width - 1)), "");
    LLVMValueRef shifted = plain_shift(e, op, a, b);
    LLVMValueRef is_inside = LLVMBuildICmp(e->b, LLVMIntULT, b, const_like(e, b, width), "");
    return LLVMBuildSelect(e->b, is_inside, shifted, LLVMConstNull(LLVMTypeOf(a)), "");
}

/* The upper 64 bits of an unsigned product, from products of 32-bit halves. */
static LLVMValueRef mulhi_u64(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef bu = e->b;
    LLVMValueRef low = const_like(e, a, UINT32_MAX), by = const_like(e, a, 32);
    LLVMValueRef al = LLVMBuildAnd(bu, a, low, ""), ah = LLVMBuildLShr(bu, a, by, "");
    LLVMValueRef bl = LLVMBuildAnd(bu, b, low, ""), bh = LLVMBuildLShr(bu, b, by, "");
    LLVMValueRef carry = LLVMBuildLShr(bu, LLVMBuildMul(bu, al, bl, ""), by, "");
    LLVMValueRef m1 = LLVMBuildAdd(bu, LLVMBuildMul(bu, ah, bl, ""), carry, "");
    LLVMValueRef m2 = LLVMBuildAdd(bu, LLVMBuildMul(bu, al, bh, ""), LLVMBuildAnd(bu, m1, low, ""), "");
    LLVMValueRef top = LLVMBuildAdd(bu, LLVMBuildMul(bu, ah, bh, ""), LLVMBuildLShr(bu, m1, by, ""), "");
    return LLVMBuildAdd(bu, top, LLVMBuildLShr(bu, m2, by, ""), "");
}

static LLVMValueRef mulhi(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t width = width_of(a), lanes = lanes_of(a);
    if (width < 64) {
        LLVMTypeRef wide = type_lanes(LLVMIntTypeInContext(e->context, 2 * width), lanes),
                    type = LLVMTypeOf(a);
        LLVMValueRef x = LLVMBuildIntCast2(e->b, a, wide, is_signed, ""),
                     y = LLVMBuildIntCast2(e->b, b, wide, is_signed, "");
        LLVMValueRef p = LLVMBuildMul(e->b, x, y, "");
        return LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, p, const_like(e, p, width), ""), type, "");
    }
    LLVMValueRef high = mulhi_u64(e, a, b);
    if (!is_signed) return high;
    LLVMValueRef sa = LLVMBuildAShr(e->b, a, const_like(e, a, 63), ""),
                 sb = LLVMBuildAShr(e->b, b, const_like(e, b, 63), "");
    high = LLVMBuildSub(e->b, high, bits_and(e, sa, b), "");
    return LLVMBuildSub(e->b, high, bits_and(e, sb, a), "");
}

static LLVMValueRef high_half(Emitter *e, LLVMValueRef a)
{
    return LLVMBuildAShr(e->b, a, const_like(e, a, width_of(a) / 2), "");
}

static LLVMValueRef low_half(Emitter *e, LLVMValueRef a)
{
    return high_half(e, LLVMBuildShl(e->b, a, const_like(e, a, width_of(a) / 2), ""));
}

/* x86 has an instruction for it, of 32 bits. */
static LLVMValueRef dot_halves(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t lanes = lanes_of(a), bits = lanes * width_of(a);
    if (e->is_x86 && width_of(a) == 32 && bits >= 128 && bits <= 8 * e->target->vector_bytes) {
        LLVMTypeRef halves = type_lanes(e->i16, 2 * lanes);
        const char *name = bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                           : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                         : "llvm.x86.sse2.pmadd.wd";
        LLVMValueRef both[] = { LLVMBuildBitCast(e->b, a, halves, ""),
                                LLVMBuildBitCast(e->b, b, halves, "") };
        return intrinsic(e, name, NULL, 0, both, 2);
    }
    return LLVMBuildAdd(e->b, LLVMBuildMul(e->b, low_half(e, a), low_half(e, b), ""),
                        LLVMBuildMul(e->b, high_half(e, a), high_half(e, b), ""), "");
}

static LLVMValueRef int_sign(Emitter *e, LLVMValueRef a)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
    LLVMValueRef up = LLVMBuildZExt(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, a, zero, ""), LLVMTypeOf(a), "");
    return LLVMBuildOr(e->b, up, LLVMBuildAShr(e->b, a, const_like(e, a, width_of(a) - 1), ""), "");
}

static LLVMValueRef with_false(Emitter *e, const char *name, LLVMValueRef a)
{
    return intrinsic(e, name, (LLVMTypeRef[]){ LLVMTypeOf(a) }, 1,
                     (LLVMValueRef[]){ a, LLVMConstInt(e->i1, 0, false) }, 2);
}

static LLVMValueRef int_extreme(Emitter *e, bool max, bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    return intrinsic2(e, is_signed ? max ? "llvm.smax" : "llvm.smin" : max ? "llvm.umax" : "llvm.umin", a, b);
}

static LLVMValueRef int_op(Emitter *e, Op op, DType t, LLVMValueRef a, LLVMValueRef b)
{
    bool is_signed = dtype_is_signed(t);
    switch (op) {
    case OP_NEG:        return LLVMBuildNeg(e->b, a, "");
    case OP_ABS:        return is_signed ? with_false(e, "llvm.abs", a) : a;
    case OP_SIGN:       return int_sign(e, a);
    case OP_NOT:        return LLVMBuildNot(e->b, a, "");
    case OP_POPCNT:     return intrinsic1(e, "llvm.ctpop", a);
    case OP_CLZ:        return with_false(e, "llvm.ctlz", a);
    case OP_SQUARE:     return LLVMBuildMul(e->b, a, a, "");
    case OP_ADD:        return LLVMBuildAdd(e->b, a, b, "");
    case OP_SUB:        return LLVMBuildSub(e->b, a, b, "");
    case OP_MUL:        return LLVMBuildMul(e->b, a, b, "");
    case OP_DIV:
    case OP_REM:        return divide(e, op, is_signed, a, b);
    case OP_MAX:        return int_extreme(e, true, is_signed, a, b);
    case OP_MIN:        return int_extreme(e, false, is_signed, a, b);
    case OP_AND:        return bits_and(e, a, b);
    case OP_OR:         return LLVMBuildOr(e->b, a, b, "");
    case OP_XOR:        return LLVMBuildXor(e->b, a, b, "");
    case OP_SHL:
    case OP_SHR_ARITH:
    case OP_SHR_LOGIC:  return shift(e, op, a, b);
    case OP_MULHI:      return mulhi(e, is_signed, a, b);
    case OP_DOT_HALVES: return dot_halves(e, a, b);
    default:            return NULL;
    }
}

/* What the op is on bools, as an op on bits. */
static Op op_of_bools(Op op)
{
    return op == OP_ADD || op == OP_MAX ? OP_OR : op == OP_MUL || op == OP_MIN ? OP_AND : op;
}

/* ---- floats ---- */

static LLVMValueRef equals_inf(Emitter *e, LLVMRealPredicate how, LLVMValueRef a, double sign)
{
    return LLVMBuildFCmp(e->b, how, a, number_like(e, a, sign * __builtin_inf()), "");
}

/* LLVM 19 to 22 believe that a quotient is zero in a lane where both operands are. It is NaN, and they
 * drop the select that puts a zero in its place. */
static LLVMValueRef float_divide(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef q = LLVMBuildFDiv(e->b, a, b, "");
    return opaque(e, q);
}

static LLVMValueRef float_op(Emitter *e, Op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    switch (op) {
    case OP_NEG:        return LLVMBuildFNeg(e->b, a, "");
    case OP_ABS:        return float_abs(e, a);
    case OP_FLOOR:
    case OP_CEIL:
    case OP_ROUND_EVEN: return float_round(e, op, a);
    case OP_SQRT:       return intrinsic1(e, "llvm.sqrt", a);
    case OP_SQUARE:     return LLVMBuildFMul(e->b, a, a, "");
    case OP_IS_FINITE:  return equals_inf(e, LLVMRealONE, float_abs(e, a), 1);
    case OP_IS_INF:     return equals_inf(e, LLVMRealOEQ, float_abs(e, a), 1);
    case OP_IS_POS_INF: return equals_inf(e, LLVMRealOEQ, a, 1);
    case OP_IS_NEG_INF: return equals_inf(e, LLVMRealOEQ, a, -1);
    case OP_ADD:        return LLVMBuildFAdd(e->b, a, b, "");
    case OP_SUB:        return LLVMBuildFSub(e->b, a, b, "");
    case OP_MUL:        return LLVMBuildFMul(e->b, a, b, "");
    case OP_DIV:        return float_divide(e, a, b);
    case OP_MAX:        return float_max_min(e, true, a, b);
    case OP_MIN:        return float_max_min(e, false, a, b);
    case OP_FMA:        return float_fma(e, a, b, c);
    default:            return NULL;
    }
}

/* Ops on the bits of a narrow float that need no arithmetic. */
static LLVMValueRef narrow_bits_op(Emitter *e, Op op, LLVMValueRef a)
{
    switch (op) {
    case OP_NEG: return LLVMBuildXor(e->b, a, sign_like(e, a), "");
    case OP_ABS: return LLVMBuildAnd(e->b, a, LLVMConstNot(sign_like(e, a)), "");
    default:     return NULL;
    }
}

/* The next narrow float from a toward b: one up or down in the bits, which are ordered like the
 * magnitudes. */
static LLVMValueRef narrow_next_after(Emitter *e, DType t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef bu = e->b;
    LLVMValueRef x = widen(e, t, a), y = widen(e, t, b), sign = sign_like(e, a), one = const_like(e, a, 1);
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x)),
                 nan = const_like(e, a, scalar_from_double(t, __builtin_nan("")));
    LLVMValueRef up = LLVMBuildFCmp(bu, LLVMRealOLT, x, y, ""),
                 positive = LLVMBuildFCmp(bu, LLVMRealOGT, x, zero, "");
    LLVMValueRef grows = LLVMBuildNot(bu, LLVMBuildXor(bu, up, positive, ""), "");
    LLVMValueRef next =
        LLVMBuildSelect(bu, grows, LLVMBuildAdd(bu, a, one, ""), LLVMBuildSub(bu, a, one, ""), "");
    LLVMValueRef least = LLVMBuildOr(bu, LLVMBuildAnd(bu, b, sign, ""), one, "");
    next = LLVMBuildSelect(bu, LLVMBuildFCmp(bu, LLVMRealOEQ, x, zero, ""), least, next, "");
    next = LLVMBuildSelect(bu, LLVMBuildFCmp(bu, LLVMRealOEQ, x, y, ""), b, next, "");
    return LLVMBuildSelect(bu, LLVMBuildFCmp(bu, LLVMRealUNO, x, y, ""), nan, next, "");
}

static LLVMValueRef narrow_op(Emitter *e, Op op, DType t, DType to, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef c, const int64_t *attr)
{
    LLVMValueRef bits = narrow_bits_op(e, op, a);
    if (bits) return bits;
    if (op == OP_COMPARE && attr[1] == ORDER_TOTAL) return compare(e, t, a, b, attr);
    LLVMValueRef wide = op_part(e, op, WEFT_F32, to == t ? WEFT_F32 : to, widen(e, t, a),
                                b ? widen(e, t, b) : NULL, c ? widen(e, t, c) : NULL, attr);
    return wide && to == t ? narrow(e, t, wide) : wide;
}

static LLVMValueRef bitcast(Emitter *e, DType t, DType to, LLVMValueRef a)
{
    if (t == WEFT_BOOL || to == WEFT_BOOL)
        return convert_part(e, t == WEFT_BOOL ? WEFT_BOOL : WEFT_U8, to == WEFT_BOOL ? WEFT_BOOL : WEFT_U8,
                            a);
    return LLVMBuildBitCast(e->b, a, type_of(e, to, lanes_of(a)), "");
}

/* Are the op's constants better taken from memory? Not where they are part of the instruction, as in
 * shifts, nor where the code depends on them: maximum, minimum, integer division. */
static bool takes_pooled(Op op)
{
    switch (op) {
    case OP_SHL:
    case OP_SHR_ARITH:
    case OP_SHR_LOGIC:
    case OP_MAX:
    case OP_MIN:
    case OP_CLAMP:
    case OP_CONVERT:
    case OP_BITCAST:
    case OP_DIV:
    case OP_REM:       return false;
    default:           return true;
    }
}

LLVMValueRef op_part(Emitter *e, Op op, DType t, DType to, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                     const int64_t *attr)
{
    if (e->pool.here && takes_pooled(op)) {
        a = pooled(e, a);
        b = pooled(e, b);
        c = pooled(e, c);
    }
    if (op == OP_CONVERT) return convert_part(e, t, to, a);
    if (op == OP_BITCAST) return bitcast(e, t, to, a);
    if (op == OP_SELECT) return select_part(e, a, b, c);
    if (dtype_is_narrow_float(t) && op == OP_NEXT_AFTER) return narrow_next_after(e, t, a, b);
    if (dtype_is_narrow_float(t)) return narrow_op(e, op, t, to, a, b, c, attr);
    if (op == OP_COMPARE) return compare(e, t, a, b, attr);
    if (op == OP_CLAMP)
        return op_part(e, OP_MIN, t, t, op_part(e, OP_MAX, t, t, b, a, NULL, attr), c, NULL, attr);
    if (dtype_is_float(t)) return float_op(e, op, a, b, c);
    return int_op(e, t == WEFT_BOOL ? op_of_bools(op) : op, t, a, b);
}

/* ---- statements ---- */

static void has_no_code(Emitter *e, const Stmt *s, Value *out)
{
    e->missing = op_info[s->op].text;
    for (uint32_t k = 0; k < out->n; k++)
        out->part[k] = LLVMGetPoison(type_of(e, s->dtype, axes_lanes(e, out->axes)));
}

static void op_by_recipe(Emitter *e, const Stmt *s, DType t, DType in, Value *out)
{
    const Recipe *r = recipe_for(e, e->kernel, s, in);
    LLVMValueRef *params[3];
    if (!r) {
        has_no_code(e, s, out);
        return;
    }
    for (uint32_t i = 0; i < r->n_params; i++) {
        params[i] = arena_alloc(e->arena, out->n * sizeof(LLVMValueRef));
        for (uint32_t k = 0; k < out->n; k++) {
            LLVMValueRef v = operand(e, s->args[i], out->axes, k);
            params[i][k] = in == t ? v : widen(e, t, v);
        }
    }
    emit_recipe(e, r, params, out->n, out->part, true);
    if (in != t && s->dtype == t)
        for (uint32_t k = 0; k < out->n; k++) out->part[k] = narrow(e, t, out->part[k]);
}

/* ---- both of two ---- */

/* Of two floats, one select by which is less gives one, and another gives the other. The first is a
 * minimum or a maximum of the machine, and so would be the second; but x ^ y ^ the first is it, too, by
 * AVX-512's one instruction that all units take, while those have half of them (Zen 4, medians of 3 x 3
 * f32: 652 -> 533 us). */

enum { LOOK_BACK = 256 }; /* statements */

static bool is_order_of(const Kernel *k, Val test, Val x, Val y)
{
    const Stmt *s = &k->stmts[test];
    return s->kind == ST_OP && s->op == OP_COMPARE && s->attr[0] != CMP_EQ && s->attr[0] != CMP_NE &&
           ((s->args[0] == x && s->args[1] == y) || (s->args[0] == y && s->args[1] == x));
}

/* The select of the other one, if it stands before `at` where no loop ends in between; or VAL_NONE */
static Val select_of_other(const Emitter *e, Val at)
{
    const Stmt *stmts = e->kernel->stmts, *s = &stmts[at];
    if (s->op != OP_SELECT || (s->dtype != WEFT_F32 && s->dtype != WEFT_F64) ||
        !is_order_of(e->kernel, s->args[0], s->args[1], s->args[2]))
        return VAL_NONE;
    for (Val v = at - 1; v > s->args[0] && at - v < LOOK_BACK; v--) {
        const Stmt *o = &stmts[v];
        if (o->kind == ST_LOOP || o->kind == ST_END || o->kind == ST_TEST) break;
        if (o->kind == ST_OP && o->op == OP_SELECT && o->args[0] == s->args[0] && o->args[1] == s->args[2] &&
            o->args[2] == s->args[1])
            return is_rarely_needed(e, v) ? VAL_NONE : v;
    }
    return VAL_NONE;
}

static LLVMValueRef other_of(Emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef one)
{
    LLVMValueRef both = LLVMBuildXor(e->b, as_bits(e, x), as_bits(e, y), "");
    return as_float(e, LLVMBuildXor(e->b, both, as_bits(e, one), ""));
}

static bool emit_other(Emitter *e, Val at, Axes axes)
{
    const Stmt *s = &e->kernel->stmts[at];
    Val one = e->has_avx512 && axes_lanes(e, axes) > 1 ? select_of_other(e, at) : VAL_NONE;
    if (one == VAL_NONE) return false;
    Value *out = value_new(e, at, s->dtype, axes);
    for (uint32_t k = 0; k < out->n; k++)
        out->part[k] = other_of(e, operand(e, s->args[1], axes, k), operand(e, s->args[2], axes, k),
                                operand(e, one, axes, k));
    block_breathe(e, out->n);
    return true;
}

/* On the bits of a format, as eager mode and XLA: a subnormal f16 would be treated as the normal number
 * that it is in f32. */
static bool is_about_format(Op op) { return op == OP_NEXT_AFTER || op == OP_REDUCE_PRECISION; }

static bool is_from_f32(const Emitter *e, Val v)
{
    const Stmt *s = &e->kernel->stmts[v];
    return s->kind == ST_OP && s->op == OP_CONVERT && e->kernel->stmts[s->args[0]].dtype == WEFT_F32;
}

/* A multiply-add whose product is exact is a product and a sum: of numbers that f32 holds, in f64. Machines
 * without the instruction would compute it in ints (65,536 quotients and sizes of complex<f32>, SSE2: 4.6 ->
 * 0.74 ms). */
static bool is_exact_product(const Emitter *e, const Stmt *s)
{
    return s->op == OP_FMA && s->dtype == WEFT_F64 && !e->target->fma && is_from_f32(e, s->args[0]) &&
           is_from_f32(e, s->args[1]);
}

/* Vectors side by side share a constant that is loaded, on machines whose instructions do not write over
 * what they read (320 sums, products and sines by turns, AVX-512: 0.94 of the time and 0.82 of that to
 * compile; eos, AVX2: 0.97; SSE2: 1.04). It takes a register for as long; more than two vectors have none to
 * spare where there are 16 (gelu_grad_1M, AVX2: 1.05). */
static bool shares_constants(const Emitter *e, const Value *of)
{
    return e->target->vector_bytes > 16 && (of->n <= 2 || e->has_avx512);
}

void emit_op(Emitter *e, Val at)
{
    const Stmt *s = &e->kernel->stmts[at];
    int n_args = op_info[s->op].args;
    Axes axes = 0;
    if (emit_rare_choice(e, at)) return;
    for (int i = 0; i < n_args; i++) axes |= value_of(e, s->args[i])->axes;
    DType t = (DType)value_of(e, s->args[s->op == OP_SELECT ? 1 : 0])->dtype,
          in = is_about_format((Op)s->op) ? t : compute_type(t);
    if (emit_extreme_of_many(e, at, axes) || emit_other(e, at, axes) || emit_quotient(e, at, axes)) return;
    Value *out = value_new(e, at, s->dtype, axes);
    if (recipe_exists((Op)s->op, in)) {
        op_by_recipe(e, s, t, in, out);
        return;
    }
    if (shares_constants(e, out)) pool_share(e);
    for (uint32_t k = 0; k < out->n; k++) {
        LLVMValueRef arg[3] = { NULL, NULL, NULL };
        for (int i = 0; i < n_args; i++) arg[i] = operand(e, s->args[i], axes, k);
        if (is_exact_product(e, s))
            out->part[k] = LLVMBuildFAdd(e->b, LLVMBuildFMul(e->b, arg[0], arg[1], ""), arg[2], "");
        else out->part[k] = op_part(e, (Op)s->op, t, (DType)s->dtype, arg[0], arg[1], arg[2], s->attr);
    }
    pool_unshare(e);
    if (out->n && !out->part[0]) has_no_code(e, s, out);
    block_breathe(e, out->n);
}
