/* strided.c: vectors whose lanes lie a few elements apart: whole vectors are loaded and shuffled together,
 * or shuffled apart and stored under masks, which costs less than to gather and scatter. Nothing outside
 * the span of the lanes is touched. */
#include "emit.h"

enum { MOST_LOADED = 8, MOST_LOADED_FEW = 4, MOST_STORED = 4 };

bool can_load_strided(const Emitter *e, int64_t stride, uint32_t lanes, uint32_t bytes)
{
    int64_t most = e->has_avx512 && bytes >= 4 ? MOST_LOADED : MOST_LOADED_FEW;
    return stride >= 2 && stride <= most && lanes >= 4 && stride <= lanes;
}

bool can_store_strided(const Emitter *e, int64_t stride, uint32_t lanes, uint32_t bytes)
{
    return e->has_avx512 && bytes >= 4 && stride >= 2 && stride <= MOST_STORED && lanes >= 4;
}

static LLVMValueRef load_at(Emitter *e, LLVMTypeRef type, LLVMValueRef from, int64_t element, uint32_t bytes)
{
    LLVMValueRef by = const_i64(e, element * bytes);
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, LLVMBuildGEP2(e->b, e->i8, from, &by, 1, ""), "");
    LLVMSetAlignment(v, bytes);
    return v;
}

/* Lane l is element stride * l. Vector k is loaded from element k * lanes on, the last so that it ends
 * with the last lane; lanes that it has are shuffled in behind those that are there. */
LLVMValueRef load_strided(Emitter *e, LLVMTypeRef type, LLVMValueRef from, int64_t stride, uint32_t lanes,
                          uint32_t bytes)
{
    LLVMValueRef v = load_at(e, type, from, 0, bytes);
    int64_t last = stride * (lanes - 1) + 1 - lanes;
    for (int64_t k = 1; k < stride; k++) {
        int64_t first = k == stride - 1 ? last : k * lanes;
        int lane[64];
        for (int64_t l = 0; l < lanes; l++) {
            int64_t element = stride * l;
            bool before = element < k * lanes, now = !before && element < (k + 1) * lanes;
            lane[l] = before ? (int)(k == 1 ? element : l) : now ? (int)(lanes + element - first) : 0;
        }
        v = shuffle(e, v, load_at(e, type, from, first, bytes), lane, lanes);
    }
    return v;
}

/* The lane that element e of the span is, or -1. */
static int lane_at(int64_t element, int64_t stride, uint32_t lanes)
{
    return element % stride == 0 && element / stride < lanes ? (int)(element / stride) : -1;
}

void store_strided(Emitter *e, LLVMValueRef value, LLVMValueRef to, int64_t stride, uint32_t lanes,
                   uint32_t bytes)
{
    for (int64_t k = 0; k < stride; k++) {
        LLVMValueRef mask[64], by = const_i64(e, k * lanes * bytes);
        int lane[64];
        for (uint32_t p = 0; p < lanes; p++) {
            int l = lane_at(k * lanes + p, stride, lanes);
            mask[p] = LLVMConstInt(e->i1, l >= 0, false);
            lane[p] = l < 0 ? 0 : l;
        }
        dense_store(e, shuffle(e, value, NULL, lane, lanes), LLVMBuildGEP2(e->b, e->i8, to, &by, 1, ""),
                    bytes, LLVMConstVector(mask, lanes));
    }
}
