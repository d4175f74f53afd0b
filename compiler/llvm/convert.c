/* convert.c: between element types, as dtype.c does for one scalar: ints wrap, floats truncate and saturate
 * to ints (NaN is 0), one rounding. */
#include "emit.h"

static LLVMValueRef by_recipe(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    Recipe *r = arena_alloc(e->arena, sizeof *r);
    LLVMValueRef out = LLVMGetPoison(type_of(e, to, lanes_of(a))), *params[1] = { &a };
    if (recipe_make_convert(from, to, r)) emit_recipe(e, r, params, 1, &out, false);
    else e->missing = op_info[OP_CONVERT].text;
    return out;
}

static LLVMValueRef widen_now(Emitter *e, LLVMValueRef bits, uint32_t kind)
{
    uint32_t lanes = lanes_of(bits);
    if ((kind & 0xff) == WEFT_BF16) {
        LLVMValueRef wide = LLVMBuildZExt(e->b, bits, type_lanes(e->i32, lanes), "");
        return as_float(e, LLVMBuildShl(e->b, wide, const_like(e, wide, 16), ""));
    }
    if (!e->target->f16c) return by_recipe(e, WEFT_F16, WEFT_F32, bits);
    LLVMValueRef half = LLVMBuildBitCast(e->b, bits, type_lanes(e->half, lanes), "");
    return LLVMBuildFPExt(e->b, half, type_lanes(e->f32, lanes), "");
}

enum { KIND_WIDEN = 0x100 };

LLVMValueRef widen(Emitter *e, DType from, LLVMValueRef bits)
{
    return derive(e, bits, KIND_WIDEN | (uint32_t)from, widen_now);
}

LLVMValueRef narrow(Emitter *e, DType to, LLVMValueRef a)
{
    if (to == WEFT_BF16 || !e->target->f16c) return by_recipe(e, WEFT_F32, to, a);
    LLVMValueRef half = LLVMBuildFPTrunc(e->b, a, type_lanes(e->half, lanes_of(a)), "");
    return LLVMBuildBitCast(e->b, half, type_lanes(e->i16, lanes_of(a)), "");
}

static LLVMValueRef int_to_float(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    LLVMTypeRef type = type_of(e, to, lanes_of(a));
    return dtype_is_signed(from) ? LLVMBuildSIToFP(e->b, a, type, "") : LLVMBuildUIToFP(e->b, a, type, "");
}

/* A 64-bit int as an f64 that rounds to 8 bits as the int itself would: what 53 bits cannot hold is kept as
 * an odd last bit. */
static LLVMValueRef sticky_double(Emitter *e, DType from, LLVMValueRef a)
{
    LLVMBuilderRef b = e->b;
    bool is_signed = dtype_is_signed(from);
    LLVMValueRef by = const_like(e, a, 11), low = LLVMBuildAnd(b, a, const_like(e, a, 0x7ff), "");
    LLVMValueRef lost = LLVMBuildICmp(b, LLVMIntNE, low, LLVMConstNull(LLVMTypeOf(a)), "");
    LLVMValueRef high = is_signed ? LLVMBuildAShr(b, a, by, "") : LLVMBuildLShr(b, a, by, "");
    LLVMValueRef odd = LLVMBuildOr(b, high, LLVMBuildZExt(b, lost, LLVMTypeOf(a), ""), "");
    LLVMValueRef large = int_to_float(e, WEFT_I64, WEFT_F64, odd);
    large = LLVMBuildFMul(b, large, const_like(e, large, scalar_from_double(WEFT_F64, 2048)), "");
    LLVMValueRef exact = int_to_float(e, from, WEFT_F64, a), size = float_abs(e, exact);
    LLVMValueRef small =
        LLVMBuildFCmp(b, LLVMRealOLT, size, const_like(e, size, scalar_from_double(WEFT_F64, 0x1p52)), "");
    return LLVMBuildSelect(b, small, exact, large, "");
}

static LLVMValueRef int_to_narrow(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    size_t bytes = dtype_bytes(from);
    if (bytes <= 2) return narrow(e, to, int_to_float(e, from, WEFT_F32, a));
    if (to == WEFT_F16) { /* beyond 2^20 all is infinity, and up to there f32 is exact */
        LLVMValueRef limit = const_like(e, a, 1 << 20);
        if (dtype_is_signed(from)) {
            a = intrinsic2(e, "llvm.smin", a, limit);
            a = intrinsic2(
                e, "llvm.smax", a,
                const_like(e, a, bytes == 4 ? UINT32_MAX - (1 << 20) + 1 : UINT64_MAX - (1 << 20) + 1));
        } else a = intrinsic2(e, "llvm.umin", a, limit);
        if (bytes == 8) a = LLVMBuildTrunc(e->b, a, type_lanes(e->i32, lanes_of(a)), "");
        return narrow(e, to, int_to_float(e, WEFT_I32, WEFT_F32, a));
    }
    return by_recipe(e, WEFT_F64, to,
                     bytes == 4 ? int_to_float(e, from, WEFT_F64, a) : sticky_double(e, from, a));
}

static LLVMValueRef bool_to(Emitter *e, DType to, LLVMValueRef a)
{
    LLVMTypeRef type = type_of(e, to, lanes_of(a));
    if (!dtype_is_float(to)) return LLVMBuildZExt(e->b, a, type, "");
    LLVMValueRef zero = LLVMConstNull(type), one = const_bits(e, to, scalar_from_double(to, 1), lanes_of(a));
    return LLVMBuildSelect(e->b, a, one, zero, "");
}

static LLVMValueRef to_bool(Emitter *e, DType from, LLVMValueRef a)
{
    if (dtype_is_narrow_float(from)) a = LLVMBuildAnd(e->b, a, const_like(e, a, 0x7fff), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
    if (from == WEFT_F32 || from == WEFT_F64) return LLVMBuildFCmp(e->b, LLVMRealUNE, a, zero, "");
    return LLVMBuildICmp(e->b, LLVMIntNE, a, zero, "");
}

static LLVMValueRef float_to_int(Emitter *e, DType to, LLVMValueRef a)
{
    LLVMTypeRef types[2] = { type_of(e, to, lanes_of(a)), LLVMTypeOf(a) };
    return intrinsic(e, dtype_is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &a, 1);
}

static LLVMValueRef float_to(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    if (!dtype_is_float(to)) return float_to_int(e, to, a);
    if (to == WEFT_F64) return LLVMBuildFPExt(e->b, a, type_of(e, to, lanes_of(a)), "");
    if (to == WEFT_F32) return LLVMBuildFPTrunc(e->b, a, type_of(e, to, lanes_of(a)), "");
    return from == WEFT_F32 ? narrow(e, to, a) : by_recipe(e, from, to, a);
}

LLVMValueRef convert_part(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    if (from == to) return a;
    if (from == WEFT_BOOL) return bool_to(e, to, a);
    if (to == WEFT_BOOL) return to_bool(e, from, a);
    if (dtype_is_narrow_float(from)) return convert_part(e, WEFT_F32, to, widen(e, from, a));
    if (dtype_is_float(from)) return float_to(e, from, to, a);
    if (dtype_is_narrow_float(to)) return int_to_narrow(e, from, to, a);
    if (dtype_is_float(to)) return int_to_float(e, from, to, a);
    return LLVMBuildIntCast2(e->b, a, type_of(e, to, lanes_of(a)), dtype_is_signed(from), "");
}
