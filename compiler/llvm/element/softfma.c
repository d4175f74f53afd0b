/* softfma.c: the f64 multiply-add in integers, for machines without the instruction: a function of the
 * module, called lane by lane.
 *
 * The product of the significands has 106 bits. It and the addend's significand are put at the top of 128-bit
 * ints, the one of lower exponent is shifted right (what falls out stays as an odd last bit, far below any
 * rounding), they are added or subtracted, and the sum is rounded once. Zeros, infinities and NaN as factors
 * or addend need no care: there a * b + c in f64 is exact or as it should be.
 */
#include "element.h"

/* i64 with bit 52 set; value = significand * 2^exponent; i1 */
typedef struct Parts {
    LLVMValueRef significand, exponent, sign;
} Parts;

static LLVMValueRef k64(Emitter *e, int64_t v) { return const_i64(e, v); }

/* Subnormal numbers are scaled by 2^64 first, so that every significand has its top bit at 52. Zero gives
 * significand 0. */
static Parts take_apart(Emitter *e, LLVMValueRef x)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef scaled = LLVMBuildFMul(b, x, number_like(e, x, 0x1p64), "");
    LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealOLT, float_abs(e, x), number_like(e, x, 0x1p-1022), "");
    LLVMValueRef bits = as_bits(e, LLVMBuildSelect(b, tiny, scaled, x, ""));
    LLVMValueRef biased = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, k64(e, 52), ""), k64(e, 0x7ff), "");
    LLVMValueRef fraction = LLVMBuildAnd(b, bits, k64(e, ((int64_t)1 << 52) - 1), "");
    LLVMValueRef full = LLVMBuildOr(b, fraction, k64(e, (int64_t)1 << 52), "");
    LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, biased, k64(e, 0), "");
    LLVMValueRef bias = LLVMBuildSelect(b, tiny, k64(e, 1075 + 64), k64(e, 1075), "");
    return (Parts){ LLVMBuildSelect(b, is_zero, k64(e, 0), full, ""), LLVMBuildSub(b, biased, bias, ""),
                    LLVMBuildICmp(b, LLVMIntSLT, bits, k64(e, 0), "") };
}

/* v >> by for 0 <= by, any; bits that fall out make the last bit 1. */
static LLVMValueRef shift_sticky(Emitter *e, LLVMValueRef v, LLVMValueRef by)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef i128 = LLVMTypeOf(v);
    by = intrinsic2(e, "llvm.umin", by, k64(e, 127));
    LLVMValueRef wide = LLVMBuildZExt(b, by, i128, ""), q = LLVMBuildLShr(b, v, wide, "");
    LLVMValueRef lost = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildShl(b, q, wide, ""), v, "");
    return LLVMBuildOr(b, q, LLVMBuildZExt(b, lost, i128, ""), "");
}

/* sum * 2^exponent as bits of an f64, rounded to nearest even. sum > 0. */
static LLVMValueRef round_sum(Emitter *e, LLVMValueRef sum, LLVMValueRef exponent)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef i128 = LLVMTypeOf(sum);
    LLVMValueRef zeros =
        intrinsic(e, "llvm.ctlz", &i128, 1, (LLVMValueRef[]){ sum, LLVMConstInt(e->i1, 0, false) }, 2);
    LLVMValueRef lead = LLVMBuildTrunc(b, zeros, e->i64, "");
    sum = LLVMBuildShl(b, sum, zeros, ""); /* top bit at 127 */
    /* 2^top <= value < 2^(top + 1) */
    LLVMValueRef top = LLVMBuildAdd(b, exponent, LLVMBuildSub(b, k64(e, 127), lead, ""), "");
    LLVMValueRef under = intrinsic2(e, "llvm.smax", LLVMBuildSub(b, k64(e, -1022), top, ""), k64(e, 0));
    /* significand with two bits more */
    LLVMValueRef kept = shift_sticky(e, sum, LLVMBuildAdd(b, under, k64(e, 73), ""));
    LLVMValueRef q = LLVMBuildTrunc(b, kept, e->i64, "");
    LLVMValueRef rest = LLVMBuildAnd(b, q, k64(e, 3), "");
    q = LLVMBuildLShr(b, q, k64(e, 2), "");
    LLVMValueRef odd = LLVMBuildAnd(b, q, k64(e, 1), "");
    LLVMValueRef up = LLVMBuildICmp(b, LLVMIntUGT, LLVMBuildAdd(b, rest, odd, ""), k64(e, 2), "");
    q = LLVMBuildAdd(b, q, LLVMBuildZExt(b, up, e->i64, ""), "");
    LLVMValueRef biased = LLVMBuildAdd(b, top, k64(e, 1022), "");
    biased = intrinsic2(e, "llvm.smax", biased, k64(e, 0));
    LLVMValueRef bits = LLVMBuildAdd(b, q, LLVMBuildShl(b, biased, k64(e, 52), ""), "");
    LLVMValueRef over = LLVMBuildICmp(b, LLVMIntSGT, top, k64(e, 1023), "");
    return LLVMBuildSelect(b, over, k64(e, (int64_t)0x7ff << 52), bits, "");
}

static LLVMValueRef exact_path(Emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMBuilderRef b = e->b;
    LLVMTypeRef i128 = LLVMIntTypeInContext(e->context, 128);
    Parts a = take_apart(e, x), c = take_apart(e, y), d = take_apart(e, z);
    LLVMValueRef product = LLVMBuildMul(b, LLVMBuildZExt(b, a.significand, i128, ""),
                                        LLVMBuildZExt(b, c.significand, i128, ""), "");
    product = LLVMBuildShl(b, product, LLVMConstInt(i128, 19, false), ""); /* top bit at 123 or 124 */
    /* at 123 */
    LLVMValueRef addend =
        LLVMBuildShl(b, LLVMBuildZExt(b, d.significand, i128, ""), LLVMConstInt(i128, 71, false), "");
    LLVMValueRef pe = LLVMBuildSub(b, LLVMBuildAdd(b, a.exponent, c.exponent, ""), k64(e, 19), "");
    LLVMValueRef de = LLVMBuildSub(b, d.exponent, k64(e, 71), "");
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, d.significand, k64(e, 0), "");
    de = LLVMBuildSelect(b, none, pe, de, "");
    LLVMValueRef exponent = intrinsic2(e, "llvm.smax", pe, de);
    product = shift_sticky(e, product, LLVMBuildSub(b, exponent, pe, ""));
    addend = shift_sticky(e, addend, LLVMBuildSub(b, exponent, de, ""));
    LLVMValueRef sign = LLVMBuildXor(b, a.sign, c.sign, ""), opposite = LLVMBuildXor(b, sign, d.sign, "");
    LLVMValueRef sum =
        LLVMBuildAdd(b, product, LLVMBuildSelect(b, opposite, LLVMBuildNeg(b, addend, ""), addend, ""), "");
    LLVMValueRef flips = LLVMBuildICmp(b, LLVMIntSLT, sum, LLVMConstNull(i128), "");
    LLVMValueRef gone = LLVMBuildICmp(b, LLVMIntEQ, sum, LLVMConstNull(i128), "");
    LLVMValueRef size = LLVMBuildSelect(b, flips, LLVMBuildNeg(b, sum, ""), sum, "");
    LLVMValueRef bits = round_sum(e, size, exponent);
    LLVMValueRef negative = LLVMBuildZExt(b, LLVMBuildXor(b, sign, flips, ""), e->i64, "");
    bits = LLVMBuildOr(b, bits, LLVMBuildShl(b, negative, k64(e, 63), ""), "");
    return LLVMBuildSelect(b, gone, LLVMConstNull(e->f64), LLVMBuildBitCast(b, bits, e->f64, ""), "");
}

static LLVMValueRef make_function(Emitter *e)
{
    LLVMTypeRef type = LLVMFunctionType(e->f64, (LLVMTypeRef[]){ e->f64, e->f64, e->f64 }, 3, false);
    LLVMValueRef f = LLVMAddFunction(e->module, "weft_fma64", type);
    LLVMBasicBlockRef before = block_now(e);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    function_attributes(e, f);
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
    LLVMValueRef x = LLVMGetParam(f, 0), y = LLVMGetParam(f, 1), z = LLVMGetParam(f, 2);
    LLVMValueRef plain = LLVMBuildFAdd(e->b, LLVMBuildFMul(e->b, x, y, ""), z, "");
    LLVMValueRef exact = exact_path(e, x, y, z);
    LLVMValueRef inf = number_like(e, x, __builtin_inf()), zero = LLVMConstNull(e->f64);
    LLVMValueRef easy = LLVMBuildOr(e->b, LLVMBuildFCmp(e->b, LLVMRealUEQ, x, zero, ""),
                                    LLVMBuildFCmp(e->b, LLVMRealUEQ, y, zero, ""), "");
    LLVMValueRef all[3] = { x, y, z };
    for (int i = 0; i < 3; i++)
        easy = LLVMBuildOr(e->b, easy, LLVMBuildFCmp(e->b, LLVMRealUEQ, float_abs(e, all[i]), inf, ""), "");
    LLVMBuildRet(e->b, LLVMBuildSelect(e->b, easy, plain, exact, ""));
    LLVMPositionBuilderAtEnd(e->b, before);
    return f;
}

LLVMValueRef fma_by_ints(Emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    uint32_t lanes = lanes_of(a);
    if (!e->fma64) e->fma64 = make_function(e);
    LLVMTypeRef type = LLVMGlobalGetValueType(e->fma64);
    if (lanes == 1) return LLVMBuildCall2(e->b, type, e->fma64, (LLVMValueRef[]){ a, b, c }, 3, "");
    LLVMValueRef out = LLVMGetPoison(LLVMTypeOf(a));
    for (uint32_t i = 0; i < lanes; i++) {
        LLVMValueRef at = LLVMConstInt(e->i32, i, false);
        LLVMValueRef args[3] = { LLVMBuildExtractElement(e->b, a, at, ""),
                                 LLVMBuildExtractElement(e->b, b, at, ""),
                                 LLVMBuildExtractElement(e->b, c, at, "") };
        out = LLVMBuildInsertElement(e->b, out, LLVMBuildCall2(e->b, type, e->fma64, args, 3, ""), at, "");
    }
    return out;
}
