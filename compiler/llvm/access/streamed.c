/* streamed.c: stores of whole vectors that go past the caches, where they lie at multiples of their size:
 * only then has the machine an instruction for it. Weft's own arrays begin so, a caller's memory may not. So
 * the code looks when it runs: in a loop the answer is always the same. Vectors under a mask, at the end of a
 * loop, are stored plainly.
 */
#include "access.h"

bool can_stream(const Emitter *e, uint32_t lanes, uint32_t bytes)
{
    return e->is_x86 && lanes > 1 && lanes * bytes == e->target->vector_bytes;
}

/* Is each place a multiple of the vector's size? */
static LLVMValueRef all_aligned(Emitter *e, LLVMValueRef *to, uint32_t n)
{
    LLVMValueRef bits = NULL, low = const_i64(e, e->target->vector_bytes - 1);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef place = LLVMBuildPtrToInt(e->b, to[i], e->i64, "");
        bits = bits ? LLVMBuildOr(e->b, bits, place, "") : place;
    }
    return LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, bits, low, ""), const_i64(e, 0), "");
}

static void store_past(Emitter *e, LLVMValueRef value, LLVMValueRef to)
{
    LLVMValueRef store = LLVMBuildStore(e->b, value, to), one = LLVMConstInt(e->i32, 1, false);
    unsigned kind = LLVMGetMDKindIDInContext(e->context, "nontemporal", 11);
    LLVMMetadataRef node = LLVMValueAsMetadata(one);
    LLVMSetAlignment(store, e->target->vector_bytes);
    LLVMSetMetadata(store, kind, LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, &node, 1)));
}

void stream_vectors(Emitter *e, LLVMValueRef *value, LLVMValueRef *to, uint32_t n, uint32_t bytes, bool alike)
{
    if (!n) return;
    LLVMBasicBlockRef now = block_now(e), past = block_new(e, "past"), plain = block_new(e, "plain"),
                      after = block_new(e, "after");
    LLVMBuildCondBr(e->b, all_aligned(e, to, alike ? 1 : n), past, plain);
    block_go_on(e, past, now);
    for (uint32_t i = 0; i < n; i++) store_past(e, value[i], to[i]);
    LLVMBuildBr(e->b, after);
    block_go_on(e, plain, past);
    for (uint32_t i = 0; i < n; i++) dense_store(e, value[i], to[i], bytes, NULL);
    block_enter(e, after);
}

void stream_fence(Emitter *e, const Kernel *k)
{
    bool any = false;
    for (uint32_t i = 0; i < k->n_stmts; i++) any |= k->stmts[i].streamed;
    if (any && e->is_x86) intrinsic(e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}
