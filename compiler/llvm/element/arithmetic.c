/* arithmetic.c: float operations that not every machine has, or has with other edges: rounding to
 * integers, multiply-add (extremes.c: maximum and minimum). None of them may become a call into a library. */
#include "element.h"

static bool is_f32(const Emitter *e, LLVMValueRef v) { return type_element(LLVMTypeOf(v)) == e->f32; }

LLVMValueRef as_bits(Emitter *e, LLVMValueRef a)
{
    LLVMTypeRef t = type_element(LLVMTypeOf(a));
    if (t == e->i16) return a;
    return LLVMBuildBitCast(e->b, a, type_lanes(t == e->f32 ? e->i32 : e->i64, lanes_of(a)), "");
}

LLVMValueRef as_float(Emitter *e, LLVMValueRef bits)
{
    LLVMTypeRef t = type_element(LLVMTypeOf(bits));
    return LLVMBuildBitCast(e->b, bits, type_lanes(t == e->i32 ? e->f32 : e->f64, lanes_of(bits)), "");
}

LLVMValueRef float_abs(Emitter *e, LLVMValueRef a) { return intrinsic1(e, "llvm.fabs", a); }

/* LLVM 19's x86 back end makes all ones of a lane that it knows to be 0 in both operands, and of others
 * beside it. */
LLVMValueRef bits_and(Emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef hidden = a;
    if (width_of(a) > 1 && !e->has_avx512 && !LLVMIsConstant(a) && !LLVMIsConstant(b)) {
        hidden = opaque(e, a);
        if (hidden == a && lanes_of(a) > 1)
            return LLVMBuildSub(e->b, LLVMBuildAdd(e->b, a, b, ""), LLVMBuildOr(e->b, a, b, ""), "");
    }
    return LLVMBuildAnd(e->b, hidden, b, "");
}

/* ---- rounding ---- */

/* To nearest even by adding and taking away 2^23 (2^52), where the unit in the last place is 1. Numbers that
 * large are integers already. */
static LLVMValueRef round_by_magic(Emitter *e, LLVMValueRef a)
{
    LLVMValueRef magic = number_like(e, a, is_f32(e, a) ? 0x1p23 : 0x1p52);
    LLVMValueRef size = float_abs(e, a);
    LLVMValueRef r = LLVMBuildFSub(e->b, LLVMBuildFAdd(e->b, size, magic, ""), magic, "");
    r = intrinsic2(e, "llvm.copysign", r, a);
    LLVMValueRef is_small = LLVMBuildFCmp(e->b, LLVMRealOLT, size, magic, "");
    return LLVMBuildSelect(e->b, is_small, r, a, "");
}

LLVMValueRef float_round(Emitter *e, Op op, LLVMValueRef a)
{
    if (!e->is_x86 || e->has_sse41)
        return intrinsic1(e,
                          op == OP_FLOOR  ? "llvm.floor"
                          : op == OP_CEIL ? "llvm.ceil"
                                          : "llvm.roundeven",
                          a);
    LLVMValueRef r = round_by_magic(e, a);
    if (op == OP_ROUND_EVEN) return r;
    LLVMValueRef one = number_like(e, a, op == OP_FLOOR ? -1 : 1);
    LLVMValueRef past = LLVMBuildFCmp(e->b, op == OP_FLOOR ? LLVMRealOGT : LLVMRealOLT, r, a, "");
    r = LLVMBuildSelect(e->b, past, LLVMBuildFAdd(e->b, r, one, ""), r, "");
    return intrinsic2(e, "llvm.copysign", r, a);
}

/* ---- multiply-add ---- */

/* In f64 a product of f32 numbers is exact. The sum is rounded to odd (toward whichever neighbour is odd when
 * inexact), after which rounding to f32 is the only rounding that shows (Boldo and Melquiond, "Emulation of
 * FMA and correctly rounded sums"). */
static LLVMValueRef fma_by_f64(Emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMBuilderRef bu = e->b;
    LLVMTypeRef wide = type_lanes(e->f64, lanes_of(a)), type = LLVMTypeOf(a);
    LLVMValueRef p = LLVMBuildFMul(bu, LLVMBuildFPExt(bu, a, wide, ""), LLVMBuildFPExt(bu, b, wide, ""), "");
    LLVMValueRef d = LLVMBuildFPExt(bu, c, wide, ""), s = LLVMBuildFAdd(bu, p, d, "");
    LLVMValueRef dd = LLVMBuildFSub(bu, s, p, ""), pp = LLVMBuildFSub(bu, s, dd, "");
    LLVMValueRef error = LLVMBuildFAdd(bu, LLVMBuildFSub(bu, p, pp, ""), LLVMBuildFSub(bu, d, dd, ""), "");
    LLVMValueRef bits = as_bits(e, s), top = const_like(e, bits, 63);
    LLVMValueRef inexact = LLVMBuildFCmp(bu, LLVMRealONE, error, LLVMConstNull(wide), "");
    LLVMValueRef all = LLVMBuildSExt(bu, inexact, LLVMTypeOf(bits), "");
    /* 1 where the sum lies beyond the exact one: there it is the neighbour before, or already odd */
    LLVMValueRef past = LLVMBuildLShr(bu, LLVMBuildXor(bu, bits, as_bits(e, error), ""), top, "");
    LLVMValueRef before = LLVMBuildSub(bu, bits, LLVMBuildAnd(bu, past, all, ""), "");
    LLVMValueRef odd = LLVMBuildOr(bu, before, LLVMBuildLShr(bu, all, top, ""), "");
    return LLVMBuildFPTrunc(bu, as_float(e, odd), type, "");
}

LLVMValueRef float_fma(Emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    if (e->target->fma)
        return intrinsic(e, "llvm.fma", (LLVMTypeRef[]){ LLVMTypeOf(a) }, 1, (LLVMValueRef[]){ a, b, c }, 3);
    if (is_f32(e, a)) return fma_by_f64(e, a, b, c);
    return fma_by_ints(e, a, b, c);
}
