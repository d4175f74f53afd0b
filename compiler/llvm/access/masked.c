/* masked.c: vectors in memory of which some lanes count: loads and stores under a mask, gathers. */
#include "access.h"

LLVMValueRef all_lanes(Emitter *e, LLVMValueRef mask, uint32_t lanes)
{
    return mask ? mask : const_mask(e, lanes, lanes);
}

static void align_pointer(Emitter *e, LLVMValueRef call, unsigned argument, uint32_t bytes)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateEnumAttribute(e->context, kind, bytes));
}

/* Masked load of a vector, or gather if from is a vector of pointers. What is masked out is 0, and if the
 * mask is a constant, LLVM knows that. Where the machine has no masks of its own, LLVM 19's x86 back end
 * then goes wrong on lanes that are 0 in both operands of an "and", or that are compared: a fence hides the
 * zeros from it. */
LLVMValueRef masked_read(Emitter *e, const char *name, LLVMTypeRef type, LLVMValueRef from, uint32_t bytes,
                         LLVMValueRef mask)
{
    LLVMTypeRef types[2] = { type, LLVMTypeOf(from) };
    LLVMValueRef zero = LLVMConstNull(type), align = LLVMConstInt(e->i32, bytes, false);
    LLVMValueRef v = MASKED_HAS_ALIGN_OPERAND
                         ? intrinsic(e, name, types, 2, (LLVMValueRef[]){ from, align, mask, zero }, 4)
                         : intrinsic(e, name, types, 2, (LLVMValueRef[]){ from, mask, zero }, 3);
    if (!MASKED_HAS_ALIGN_OPERAND) align_pointer(e, v, 0, bytes);
    return LLVMIsConstant(mask) && !e->has_avx512 ? opaque(e, v) : v;
}

void masked_write(Emitter *e, const char *name, LLVMValueRef value, LLVMValueRef to, uint32_t bytes,
                  LLVMValueRef mask)
{
    LLVMTypeRef types[2] = { LLVMTypeOf(value), LLVMTypeOf(to) };
    LLVMValueRef align = LLVMConstInt(e->i32, bytes, false);
    if (MASKED_HAS_ALIGN_OPERAND) intrinsic(e, name, types, 2, (LLVMValueRef[]){ value, to, align, mask }, 4);
    else align_pointer(e, intrinsic(e, name, types, 2, (LLVMValueRef[]){ value, to, mask }, 3), 1, bytes);
}

/* The first `live` lanes, in vectors that get shorter: AVX2 stores under a mask in microcode. */
static void store_pieces(Emitter *e, LLVMValueRef value, LLVMValueRef to, uint32_t bytes, uint32_t live)
{
    uint32_t n = lanes_of(value);
    for (uint32_t done = 0; done < live; done += n) {
        int lane[64];
        while (n > live - done) n /= 2;
        for (uint32_t i = 0; i < n; i++) lane[i] = (int)(done + i);
        LLVMValueRef at = at_bytes(e, to, done * bytes),
                     piece = n == 1 ? LLVMBuildExtractElement(e->b, value, const_i64(e, done), "")
                                    : shuffle(e, value, NULL, lane, n);
        LLVMSetAlignment(LLVMBuildStore(e->b, piece, at), bytes);
    }
}

uint32_t first_lanes(LLVMValueRef mask)
{
    uint32_t lanes = lanes_of(mask), n = 0;
    if (!LLVMIsConstant(mask)) return 0;
    while (n < lanes && !LLVMIsNull(LLVMGetAggregateElement(mask, n))) n++;
    for (uint32_t i = n; i < lanes; i++)
        if (!LLVMIsNull(LLVMGetAggregateElement(mask, i))) return 0;
    return n;
}

void dense_store(Emitter *e, LLVMValueRef value, LLVMValueRef to, uint32_t bytes, LLVMValueRef mask)
{
    uint32_t live = mask && !e->has_avx512 ? first_lanes(mask) : 0;
    if (live) store_pieces(e, value, to, bytes, live);
    else if (mask) masked_write(e, "llvm.masked.store", value, to, bytes, mask);
    else LLVMSetAlignment(LLVMBuildStore(e->b, value, to), bytes);
}

LLVMValueRef lane_pointers(Emitter *e, LLVMValueRef base, LLVMValueRef offsets, uint32_t bytes)
{
    return LLVMBuildGEP2(e->b, LLVMIntTypeInContext(e->context, 8 * bytes), base, &offsets, 1, "");
}

LLVMValueRef lane_pointer(Emitter *e, LLVMValueRef base, LLVMValueRef offsets, uint32_t lane, uint32_t bytes)
{
    LLVMValueRef at = LLVMBuildExtractElement(e->b, offsets, LLVMConstInt(e->i32, lane, false), "");
    return LLVMBuildGEP2(e->b, LLVMIntTypeInContext(e->context, 8 * bytes), base, &at, 1, "");
}

LLVMValueRef lane_loads(Emitter *e, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef indices,
                        uint32_t bytes, LLVMValueRef mask)
{
    uint32_t lanes = lanes_of(indices);
    LLVMTypeRef type = type_lanes(element, lanes);
    LLVMValueRef out = mask ? LLVMConstNull(type) : LLVMGetPoison(type);
    for (uint32_t i = 0; i < lanes; i++) {
        if (mask && LLVMIsNull(LLVMGetAggregateElement(mask, i))) continue;
        LLVMValueRef v = LLVMBuildLoad2(e->b, element, lane_pointer(e, base, indices, i, bytes), "");
        LLVMSetAlignment(v, bytes);
        out = LLVMBuildInsertElement(e->b, out, v, LLVMConstInt(e->i32, i, false), "");
    }
    return out;
}

LLVMValueRef gather(Emitter *e, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef indices, uint32_t bytes,
                    LLVMValueRef mask)
{
    uint32_t lanes = lanes_of(indices);
    LLVMValueRef pointers = lane_pointers(e, base, indices, bytes);
    return masked_read(e, "llvm.masked.gather", type_lanes(element, lanes), pointers, bytes,
                       all_lanes(e, mask, lanes));
}
