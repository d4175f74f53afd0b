/* strided.c: vectors whose lanes lie a few elements apart: whole vectors are loaded and shuffled together,
 * or shuffled apart and stored under masks, which costs less than to gather and scatter. Nothing outside
 * the span of the lanes is touched, but where whole rows are there to be read, or are all stored. */
#include "access.h"
#include "compiler/llvm/element/element.h"

/* Bytes of vectors that rows are split into: narrower ones have too few rows. */
enum { LEAST_SPLIT = 32, LEAST_SPLIT_NARROW = 16, LONGEST_SQUARE = 8 };
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
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, at_bytes(e, from, element * bytes), "");
    LLVMSetAlignment(v, bytes);
    return v;
}

/* Of narrow elements two or four apart, each is the lowest part of a wider integer, which LLVM knows how to
 * make narrow, while it spells out shuffles of bytes. Those of the second half are the highest parts, so that
 * the last lane is the last that is read. */
static bool are_parts(int64_t stride, uint32_t bytes) { return bytes * stride <= 4 && stride != 3; }

static LLVMValueRef load_parts(Emitter *e, LLVMTypeRef type, LLVMValueRef from, int64_t stride,
                               uint32_t lanes, uint32_t bytes)
{
    uint32_t bits = 8 * bytes, half = lanes / 2;
    LLVMTypeRef wide = type_lanes(bits * stride == 16 ? e->i16 : e->i32, half),
                narrow = type_lanes(bits == 8 ? e->i8 : e->i16, half);
    LLVMValueRef low = load_at(e, wide, from, 0, bytes),
                 high = load_at(e, wide, from, stride * half - (stride - 1), bytes);
    int lane[64];
    high = LLVMBuildLShr(e->b, high, const_like(e, high, bits * (uint64_t)(stride - 1)), "");
    for (uint32_t l = 0; l < lanes; l++) lane[l] = (int)l;
    LLVMValueRef v = shuffle(e, LLVMBuildTrunc(e->b, low, narrow, ""), LLVMBuildTrunc(e->b, high, narrow, ""),
                             lane, lanes);
    return LLVMBuildBitCast(e->b, v, type, "");
}

/* Lane l is element stride * l. Vector k is loaded from element k * lanes on, the last so that it ends
 * with the last lane; lanes that it has are shuffled in behind those that are there. */
LLVMValueRef load_strided(Emitter *e, LLVMTypeRef type, LLVMValueRef from, int64_t stride, uint32_t lanes,
                          uint32_t bytes)
{
    if (are_parts(stride, bytes)) return load_parts(e, type, from, stride, lanes, bytes);
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

/* ---- whole rows ---- */

/* Narrow pairs are parts of wider integers (are_parts). */
bool can_split_rows(const Emitter *e, int64_t stride, uint32_t lanes, uint32_t bytes)
{
    bool fits = bytes >= 4 ? e->is_x86 && lanes * bytes >= LEAST_SPLIT
                           : e->has_sse41 && lanes * bytes >= LEAST_SPLIT_NARROW && stride > 2;
    return fits && lanes >= 4 && stride >= 2 && stride <= MOST_ROW;
}

/* Element `number` of each row, of rows of an odd length. Their vectors have it in different lanes each:
 * merged into one vector, it is there once for each row, and is put into the rows' order. */
static LLVMValueRef merged(Emitter *e, LLVMValueRef *vector, int64_t length, int64_t number, uint32_t lanes)
{
    LLVMValueRef v = vector[0];
    int lane[64];
    if (length == 1) return v;
    for (int64_t k = 1; k < length; k++) {
        for (int64_t q = 0; q < lanes; q++)
            lane[q] = (int)((k * lanes + q) % length == number ? lanes + q : q);
        v = shuffle(e, v, vector[k], lane, lanes);
    }
    for (int64_t l = 0; l < lanes; l++) lane[l] = (int)((length * l + number) % lanes);
    return shuffle(e, v, NULL, lane, lanes);
}

/* Rows of an even length are read as twice as many of half of it: in turn, they have the first and the second
 * half of a row. */
static LLVMValueRef picked(Emitter *e, LLVMValueRef *vector, int64_t length, int64_t number, uint32_t lanes)
{
    int64_t half = length / 2;
    int lane[64];
    if (length % 2) return merged(e, vector, length, number, lanes);
    LLVMValueRef low = picked(e, vector, half, number % half, lanes),
                 high = picked(e, vector + half, half, number % half, lanes);
    for (uint32_t l = 0; l < lanes; l++) lane[l] = (int)(2 * l + (number >= half));
    return shuffle(e, low, high, lane, lanes);
}

/* Rows that are as long as a vector has lanes are a square: two or three shuffles a vector (250,000 rows of 4
 * f64 sorted, AVX2: 584 -> 464 us). LLVM makes one of all that are equal. */
static bool is_square(int64_t length, uint32_t lanes, uint32_t bytes)
{
    return length == lanes && length <= LONGEST_SQUARE && can_transpose(lanes, bytes);
}

/* Rows of four bytes, pixels and their planes: the bytes of each 16 are sorted by their number, which is a
 * square of four words then, and the words of the result by their rows. Four shuffles for each vector, where
 * halves (picked) take eight (planes of 720 x 1280 pixels, AVX2: 109 -> 93 us). */
static bool are_words(const Emitter *e, int64_t length, uint32_t lanes, uint32_t bytes)
{
    return e->is_x86 && length == 4 && bytes == 1 && lanes >= 32;
}

static LLVMValueRef picked_of_words(Emitter *e, LLVMTypeRef type, LLVMValueRef *vector, int64_t number,
                                    uint32_t lanes)
{
    LLVMTypeRef words = type_lanes(e->i32, lanes / 4);
    int lane[64];
    for (uint32_t i = 0; i < lanes; i++) lane[i] = (int)(i / 16 * 16 + i % 4 * 4 + i % 16 / 4);
    for (int k = 0; k < 4; k++)
        vector[k] = LLVMBuildBitCast(e->b, shuffle(e, vector[k], NULL, lane, lanes), words, "");
    transpose_blocks(e, vector, 4);
    uint32_t blocks = lanes / 16;
    for (uint32_t i = 0; i < lanes / 4; i++) lane[i] = (int)(i % blocks * 4 + i / blocks);
    return LLVMBuildBitCast(e->b, shuffle(e, vector[number], NULL, lane, lanes / 4), type, "");
}

/* The vector from this element on, of rows that have `end` elements in all. */
static LLVMValueRef load_before(Emitter *e, LLVMTypeRef type, LLVMValueRef rows, int64_t element, int64_t end,
                                uint32_t bytes)
{
    uint32_t lanes = LLVMGetVectorSize(type);
    if (element + lanes <= end) return load_at(e, type, rows, element, bytes);
    if (element >= end) return LLVMConstNull(type);
    return masked_read(e, "llvm.masked.load", type, at_bytes(e, rows, element * bytes), bytes,
                       const_mask(e, (uint32_t)(end - element), lanes));
}

LLVMValueRef load_of_rows(Emitter *e, LLVMTypeRef type, LLVMValueRef rows, int64_t length, int64_t number,
                          uint32_t lanes, uint32_t live, uint32_t bytes)
{
    LLVMValueRef vector[MOST_ROW];
    for (int64_t k = 0; k < length; k++)
        vector[k] = load_before(e, type, rows, k * lanes, length * live, bytes);
    if (are_words(e, length, lanes, bytes)) return picked_of_words(e, type, vector, number, lanes);
    if (!is_square(length, lanes, bytes)) return picked(e, vector, length, number, lanes);
    transpose_registers(e, vector, lanes, bytes);
    return vector[number];
}

/* Each vector of the result takes what it needs from one after the other. */
static void join_one_by_one(Emitter *e, const LLVMValueRef *element, int64_t length, uint32_t lanes,
                            LLVMValueRef *out)
{
    for (int64_t k = 0; k < length; k++) {
        out[k] = element[0];
        for (int64_t n = 1; n < length; n++) {
            int lane[64];
            for (int64_t i = 0; i < lanes; i++) {
                int64_t from = (k * lanes + i) % length, at = (k * lanes + i) / length;
                lane[i] = (int)(from == n ? lanes + at : n > 1 || from > 1 ? i : at);
            }
            out[k] = shuffle(e, out[k], element[n], lane, lanes);
        }
    }
}

/* The way back, for an odd length: element[n] has that element of each row; the vectors of the rows one after
 * another. Each element goes to the lane that it has in all of them, once, and the rest is blends. LLVM is
 * kept from looking through the first step, as in squares.c. (3 planes of 4096 sums as rows, AVX2:
 * f32 0.89 -> 0.63 us, i16 0.74 -> 0.48; 7 planes 4.3 -> 2.4, compiled in 5.3 instead of 12.8 ms. Without an
 * instruction that blends, one by one is faster: SSE2, i8: 1.05 or 1.7.) */
static void join(Emitter *e, const LLVMValueRef *element, int64_t length, uint32_t lanes, LLVMValueRef *out)
{
    LLVMValueRef turned[MOST_ROW] = { element[0] };
    int lane[64];
    if (e->is_x86 && !e->has_sse41) {
        join_one_by_one(e, element, length, lanes, out);
        return;
    }
    for (int64_t n = 0; n < length && length > 1; n++) {
        for (int64_t l = 0; l < lanes; l++) lane[(length * l + n) % lanes] = (int)l;
        turned[n] = opaque(e, shuffle(e, element[n], NULL, lane, lanes));
    }
    for (int64_t k = 0; k < length; k++) {
        out[k] = turned[0];
        for (int64_t n = 1; n < length; n++) {
            for (int64_t q = 0; q < lanes; q++)
                lane[q] = (int)((k * lanes + q) % length == n ? lanes + q : q);
            out[k] = shuffle(e, out[k], turned[n], lane, lanes);
        }
    }
}

static void join_halves(Emitter *e, const LLVMValueRef *element, int64_t length, uint32_t lanes,
                        LLVMValueRef *out)
{
    int64_t half = length / 2;
    LLVMValueRef low[MOST_ROW], high[MOST_ROW];
    int lane[2][64];
    if (length % 2) {
        join(e, element, length, lanes, out);
        return;
    }
    for (uint32_t l = 0; l < lanes; l++)
        for (uint32_t h = 0; h < 2; h++) lane[h][l] = (int)((l + h * lanes) / 2 + (l % 2 ? lanes : 0));
    for (int64_t n = 0; n < half; n++) {
        low[n] = shuffle(e, element[n], element[n + half], lane[0], lanes);
        high[n] = shuffle(e, element[n], element[n + half], lane[1], lanes);
    }
    join_halves(e, low, half, lanes, out);
    join_halves(e, high, half, lanes, out + half);
}

void store_rows(Emitter *e, const LLVMValueRef *element, LLVMValueRef to, int64_t length, uint32_t lanes,
                uint32_t bytes)
{
    LLVMValueRef out[MOST_ROW];
    bool square = is_square(length, lanes, bytes);
    for (int64_t k = 0; k < length && square; k++) out[k] = element[k];
    if (square) transpose_registers(e, out, lanes, bytes);
    else join_halves(e, element, length, lanes, out);
    for (int64_t k = 0; k < length; k++)
        dense_store(e, out[k], at_bytes(e, to, k * lanes * bytes), bytes, NULL);
}

/* ---- single elements ---- */

/* The lane that element e of the span is, or -1. */
static int lane_at(int64_t element, int64_t stride, uint32_t lanes)
{
    return element % stride == 0 && element / stride < lanes ? (int)(element / stride) : -1;
}

void store_strided(Emitter *e, LLVMValueRef value, LLVMValueRef to, int64_t stride, uint32_t lanes,
                   uint32_t bytes)
{
    for (int64_t k = 0; k < stride; k++) {
        LLVMValueRef mask[64];
        int lane[64];
        for (uint32_t p = 0; p < lanes; p++) {
            int l = lane_at(k * lanes + p, stride, lanes);
            mask[p] = LLVMConstInt(e->i1, l >= 0, false);
            lane[p] = l < 0 ? 0 : l;
        }
        dense_store(e, shuffle(e, value, NULL, lane, lanes), at_bytes(e, to, k * lanes * bytes), bytes,
                    LLVMConstVector(mask, lanes));
    }
}

/* The sequences a0 a1 ... and b0 b1 ..., each in n vectors, as one: a0 b0 a1 b1 ... in 2 n vectors. */
static void weave_two(Emitter *e, LLVMValueRef *a, LLVMValueRef *b, uint32_t n, uint32_t lanes,
                      LLVMValueRef *out)
{
    for (uint32_t k = 0; k < 2 * n; k++) {
        int lane[64];
        for (uint32_t i = 0; i < lanes; i++) lane[i] = (int)((k % 2 * lanes + i) / 2 + i % 2 * lanes);
        out[k] = shuffle(e, a[k / 2], b[k / 2], lane, lanes);
    }
}

/* LLVM is kept from looking through halves, as in squares.c. */
void weave(Emitter *e, LLVMValueRef *v, uint32_t n, uint32_t bytes)
{
    LLVMValueRef half[2][MOST_WOVEN], out[MOST_WOVEN];
    uint32_t lanes = lanes_of(v[0]);
    if (n == 1) return;
    if (is_square(n, lanes, bytes)) {
        transpose_registers(e, v, lanes, bytes);
        return;
    }
    if (n % 2) join(e, v, n, lanes, out);
    else {
        for (uint32_t i = 0; i < n; i++) half[i % 2][i / 2] = v[i];
        weave(e, half[0], n / 2, bytes);
        weave(e, half[1], n / 2, bytes);
        for (uint32_t i = 0; i < n && n > 2 && bytes >= 4; i++)
            half[i % 2][i / 2] = opaque(e, half[i % 2][i / 2]);
        weave_two(e, half[0], half[1], n / 2, lanes, out);
    }
    for (uint32_t i = 0; i < n; i++) v[i] = out[i];
}
