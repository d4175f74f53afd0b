/* convert.c: between element types, as dtype.c does for one scalar: ints wrap, floats truncate and saturate
 * to ints (NaN is 0), one rounding, but for ints to f16 and bf16, which go by way of f32. */
#include "element.h"
#include <math.h>

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
    if ((kind & 0xff) != WEFT_F16 || !e->target->f16c)
        return by_recipe(e, (DType)(kind & 0xff), WEFT_F32, bits);
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
    if (to != WEFT_F16 || !e->target->f16c) return by_recipe(e, WEFT_F32, to, a);
    LLVMValueRef half = LLVMBuildFPTrunc(e->b, a, type_lanes(e->half, lanes_of(a)), "");
    return LLVMBuildBitCast(e->b, half, type_lanes(e->i16, lanes_of(a)), "");
}

static LLVMValueRef int_to_float(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    LLVMTypeRef type = type_of(e, to, lanes_of(a));
    return dtype_is_signed(from) ? LLVMBuildSIToFP(e->b, a, type, "") : LLVMBuildUIToFP(e->b, a, type, "");
}

static LLVMValueRef int_to_narrow(Emitter *e, DType from, DType to, LLVMValueRef a)
{
    size_t bytes = dtype_bytes(from);
    if (bytes >= 4 && to == WEFT_F16) { /* beyond 2^20 all is infinity, and fewer bits are converted faster */
        LLVMValueRef limit = const_like(e, a, 1 << 20);
        if (dtype_is_signed(from)) {
            a = intrinsic2(e, "llvm.smin", a, limit);
            a = intrinsic2(
                e, "llvm.smax", a,
                const_like(e, a, bytes == 4 ? UINT32_MAX - (1 << 20) + 1 : UINT64_MAX - (1 << 20) + 1));
        } else a = intrinsic2(e, "llvm.umin", a, limit);
        if (bytes == 8) a = LLVMBuildTrunc(e->b, a, type_lanes(e->i32, lanes_of(a)), "");
        from = WEFT_I32;
    }
    return narrow(e, to, int_to_float(e, from, WEFT_F32, a));
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
    if (dtype_is_narrow_float(from)) a = LLVMBuildAnd(e->b, a, LLVMConstNot(sign_like(e, a)), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
    if (from == WEFT_F32 || from == WEFT_F64) return LLVMBuildFCmp(e->b, LLVMRealUNE, a, zero, "");
    return LLVMBuildICmp(e->b, LLVMIntNE, a, zero, "");
}

/* The float that is 2 to the n, or less: negative. */
static LLVMValueRef power_of_two(Emitter *e, LLVMValueRef like, int n, bool is_negative)
{
    double x = ldexp(is_negative ? -1 : 1, n);
    return splat(e, LLVMConstReal(type_element(LLVMTypeOf(like)), x), lanes_of(like));
}

/* Toward zero; NaN is 0, and what is out of range the nearest that is in it. LLVM's own saturating conversion
 * would go lane by lane. What fptosi makes of numbers out of range is not chosen. */
static LLVMValueRef saturated(Emitter *e, DType to, LLVMValueRef a)
{
    LLVMTypeRef type = type_of(e, to, lanes_of(a));
    bool is_signed = dtype_is_signed(to);
    int bits = (int)dtype_bits(to) - is_signed;
    uint64_t most = UINT64_MAX >> (64 - bits);
    LLVMValueRef zero = LLVMConstNull(type),
                 v = is_signed ? LLVMBuildFPToSI(e->b, a, type, "") : LLVMBuildFPToUI(e->b, a, type, "");
    LLVMValueRef above = LLVMBuildFCmp(e->b, LLVMRealOGE, a, power_of_two(e, a, bits, false), ""),
                 below = is_signed ? LLVMBuildFCmp(e->b, LLVMRealOLT, a, power_of_two(e, a, bits, true), "")
                                   : LLVMBuildFCmp(e->b, LLVMRealOLE, a, power_of_two(e, a, 0, true), "");
    v = LLVMBuildSelect(e->b, above, const_like(e, zero, most), v, "");
    v = LLVMBuildSelect(e->b, below, is_signed ? const_like(e, zero, ~most) : zero, v, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, a, a, ""), zero, v, "");
}

/* The same of a double as an int of 32 bits, whose limits are doubles, too: cut before it is converted, in
 * lanes of 64 bits, where a comparison of doubles needs no other width (5 instructions instead of 13 with
 * AVX2). */
static LLVMValueRef cut(Emitter *e, DType to, LLVMValueRef a)
{
    LLVMTypeRef type = type_of(e, to, lanes_of(a)), element = type_element(LLVMTypeOf(a));
    bool is_signed = dtype_is_signed(to);
    LLVMValueRef least = splat(e, LLVMConstReal(element, is_signed ? INT32_MIN : 0), lanes_of(a)),
                 most = splat(e, LLVMConstReal(element, is_signed ? INT32_MAX : UINT32_MAX), lanes_of(a));
    a = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealORD, a, a, ""), a, LLVMConstNull(LLVMTypeOf(a)),
                        "");
    a = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, a, most, ""), a, most, "");
    a = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, a, least, ""), a, least, "");
    return is_signed ? LLVMBuildFPToSI(e->b, a, type, "") : LLVMBuildFPToUI(e->b, a, type, "");
}

/* Narrow ints by way of i32, whose range is clamped there. */
static LLVMValueRef float_to_int(Emitter *e, DType to, LLVMValueRef a)
{
    bool is_double = type_element(LLVMTypeOf(a)) == type_of(e, WEFT_F64, 1);
    if (dtype_bits(to) >= 32) return is_double && dtype_bits(to) == 32 ? cut(e, to, a) : saturated(e, to, a);
    LLVMValueRef v = is_double ? cut(e, WEFT_I32, a) : saturated(e, WEFT_I32, a);
    bool is_signed = dtype_is_signed(to);
    int64_t most = (INT64_C(1) << (dtype_bits(to) - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    v = intrinsic2(e, "llvm.smin", v, const_like(e, v, (uint64_t)most));
    v = intrinsic2(e, "llvm.smax", v, const_like(e, v, (uint64_t)least & UINT32_MAX));
    return LLVMBuildTrunc(e->b, v, type_of(e, to, lanes_of(a)), "");
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
