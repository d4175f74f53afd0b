/* squares.c: a square of registers transposed: W vectors of W lanes in, W out, where out[t][l] = in[l][t].
 *
 * In two steps, as x86's shuffles want it. Within each 16 bytes, unpack low and high halves of two rows, in
 * units of 1, 2, 4 ... elements: after that a vector holds, in each of its 16-byte blocks, one column of p
 * rows. Then the blocks change places among the row groups. For 16 x 16 f32 that is 64 shuffles of one
 * instruction each, against 16 gathers of 16 loads each. LLVM looks long for what shuffles of shuffles could
 * be instead: it is kept from looking through the first step (32 x 10: 4.5 -> 2.2 ms of code generation, and
 * the same instructions).
 */
#include "access.h"

/* Per block of p elements: units of u elements of a and b in turn, from the low or the high half. */
static LLVMValueRef unpack(Emitter *e, LLVMValueRef a, LLVMValueRef b, uint32_t p, uint32_t u, bool high)
{
    uint32_t lanes = lanes_of(a);
    int lane[64];
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t unit = i % p / u, from = i / p * p + (high ? p / 2 : 0) + unit / 2 * u + i % u;
        lane[i] = (int)(unit % 2 ? from + lanes : from);
    }
    return shuffle(e, a, b, lane, lanes);
}

/* Rows become, block by block, columns: v[column within a block]. In place on p vectors. */
void transpose_blocks(Emitter *e, LLVMValueRef *v, uint32_t p)
{
    LLVMValueRef next[16];
    for (uint32_t u = 1; u < p; u *= 2) { /* v[g * u + c]: rows g u .. g u + u - 1, column set c of u */
        for (uint32_t g = 0; g < p / u; g += 2)
            for (uint32_t c = 0; c < u; c++)
                for (uint32_t h = 0; h < 2; h++)
                    next[g * u + 2 * c + h] = unpack(e, v[g * u + c], v[(g + 1) * u + c], p, u, h);
        for (uint32_t i = 0; i < p; i++) v[i] = next[i];
    }
}

/* Blocks i and j of a, then blocks i and j of b (of four each). */
static LLVMValueRef blocks_of_four(Emitter *e, LLVMValueRef a, LLVMValueRef b, uint32_t i, uint32_t j)
{
    uint32_t lanes = lanes_of(a), p = lanes / 4;
    uint32_t from[4] = { i * p, j * p, lanes + i * p, lanes + j * p };
    int lane[64];
    for (uint32_t k = 0; k < lanes; k++) lane[k] = (int)(from[k / p] + k % p);
    return shuffle(e, a, b, lane, lanes);
}

static LLVMValueRef blocks_of_two(Emitter *e, LLVMValueRef a, LLVMValueRef b, uint32_t i)
{
    uint32_t lanes = lanes_of(a), p = lanes / 2;
    int lane[64];
    for (uint32_t k = 0; k < lanes; k++) lane[k] = (int)((k < p ? 0 : lanes) + i * p + k % p);
    return shuffle(e, a, b, lane, lanes);
}

/* x[q]: rows of group q; out[m]: block m of all groups. */
static void exchange_blocks(Emitter *e, const LLVMValueRef *x, LLVMValueRef *out, uint32_t blocks)
{
    if (blocks == 1) out[0] = x[0];
    if (blocks == 2)
        for (uint32_t m = 0; m < 2; m++) out[m] = blocks_of_two(e, x[0], x[1], m);
    if (blocks == 4)
        for (uint32_t m = 0; m < 4; m += 2) {
            LLVMValueRef a = blocks_of_four(e, x[0], x[1], m, m + 1),
                         b = blocks_of_four(e, x[2], x[3], m, m + 1);
            out[m] = blocks_of_four(e, a, b, 0, 2);
            out[m + 1] = blocks_of_four(e, a, b, 1, 3);
        }
}

bool can_transpose(uint32_t lanes, uint32_t bytes)
{
    uint32_t size = lanes * bytes;
    return lanes >= 2 && lanes <= 64 && size <= 64 && (size <= 16 || size == 32 || size == 64) &&
           (lanes & (lanes - 1)) == 0;
}

void transpose_registers(Emitter *e, LLVMValueRef *v, uint32_t lanes, uint32_t bytes)
{
    uint32_t p = lanes * bytes < 16 ? lanes : 16 / bytes, blocks = lanes / p;
    LLVMValueRef out[64];
    for (uint32_t q = 0; q < blocks; q++) transpose_blocks(e, v + q * p, p);
    for (uint32_t i = 0; i < lanes && blocks > 1 && bytes >= 4; i++) v[i] = opaque(e, v[i]);
    for (uint32_t k = 0; k < p; k++) {
        LLVMValueRef x[4], y[4] = { NULL };
        for (uint32_t q = 0; q < blocks; q++) x[q] = v[q * p + k];
        exchange_blocks(e, x, y, blocks);
        for (uint32_t m = 0; m < blocks; m++) out[m * p + k] = y[m];
    }
    for (uint32_t i = 0; i < lanes; i++) v[i] = out[i];
}
