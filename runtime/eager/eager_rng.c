/* eager_rng.c: RNG_BITS by counters: block number i of the bits is a hash of (key, counter + i).
 *
 * StableHLO leaves the bits to the implementation; these are those of JAX's lax.rng_bit_generator on a CPU,
 * new states included. The state's words of 64 bits are the key and the counter, low word first; words that
 * it lacks count as 0.
 *   three_fry  threefry2x32 (20 rounds) of the counter's low word gives two words of 32 bits a block. An
 *              element of 64 bits is one block. Of smaller elements a block gives two that are neighbours
 *              along the split axis: the first axis of even size, else the longest.
 *   philox     philox4x32 (10 rounds) of a counter of 128 bits gives four words of 32 bits a block, in
 *              row-major order. The key is the high half of the counter where that has one word only.
 * An element of less than 32 bits is the low bits of a word of its own.
 */
#include "eager_parts.h"

typedef struct Rng {
    uint64_t key, counter[2];
} Rng;

static inline uint32_t low(uint64_t x) { return (uint32_t)x; }
static inline uint32_t high(uint64_t x) { return (uint32_t)(x >> 32); }
static inline uint64_t join(uint32_t l, uint32_t h) { return (uint64_t)h << 32 | l; }
static inline uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

/* Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011), for both. */
static uint64_t threefry(uint64_t key, uint64_t counter)
{
    static const int turn[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    const uint32_t k[3] = { low(key), high(key), low(key) ^ high(key) ^ 0x1BD11BDAu };
    uint32_t x = low(counter) + k[0], y = high(counter) + k[1];
    for (uint32_t r = 0; r < 5; r++) {
        for (int i = 0; i < 4; i++) {
            x += y;
            y = rotate(y, turn[r % 2][i]) ^ x;
        }
        x += k[(r + 1) % 3];
        y += k[(r + 2) % 3] + r + 1;
    }
    return join(x, y);
}

static void philox(uint64_t key, const uint64_t counter[2], uint32_t out[4])
{
    uint32_t a = low(counter[0]), b = high(counter[0]), c = low(counter[1]), d = high(counter[1]),
             k = low(key), m = high(key);
    for (int r = 0; r < 10; r++, k += 0x9E3779B9u, m += 0xBB67AE85u) {
        uint64_t p = (uint64_t)0xD2511F53u * a, q = (uint64_t)0xCD9E8D57u * c;
        a = high(q) ^ b ^ k;
        b = low(q);
        c = high(p) ^ d ^ m;
        d = low(p);
    }
    memcpy(out, (uint32_t[]){ a, b, c, d }, 16);
}

static void store_bits(DType t, void *out, size_t i, uint64_t bits)
{
    scalar_store(t, (char *)out + i * dtype_bytes(t), t == WEFT_BOOL ? bits & 1 : bits);
}

/* Number of blocks taken. */
static uint64_t threefry_fill(const Rng *r, Type type, void *out)
{
    DType t = (DType)type.dtype;
    size_t n = eager_count(type), outer = 1, inner = 1, length = 1;
    if (dtype_bytes(t) == 8) {
        for (size_t i = 0; i < n; i++) store_bits(t, out, i, threefry(r->key, r->counter[0] + i));
        return n;
    }
    int split = -1;
    for (int i = 0; i < type.rank && (split < 0 || type.dim[split] % 2); i++)
        if (type.dim[i] % 2 == 0 || split < 0 || type.dim[i] > type.dim[split]) split = i;
    for (int i = 0; i < type.rank; i++)
        *(i < split ? &outer : i > split ? &inner : &length) *= (size_t)type.dim[i];
    size_t half = (length + 1) / 2, block = 0;
    for (size_t o = 0; o < outer; o++)
        for (size_t h = 0; h < half; h++)
            for (size_t i = 0; i < inner; i++, block++) {
                uint64_t bits = threefry(r->key, r->counter[0] + block);
                size_t at = (o * length + 2 * h) * inner + i;
                store_bits(t, out, at, low(bits));
                if (2 * h + 1 < length) store_bits(t, out, at + inner, high(bits));
            }
    return block;
}

static uint64_t philox_fill(const Rng *r, Type type, void *out)
{
    DType t = (DType)type.dtype;
    bool wide = dtype_bytes(t) == 8;
    size_t n = eager_count(type), each = wide ? 2 : 4;
    uint64_t counter[2] = { r->counter[0], r->counter[1] };
    for (size_t i = 0; i < n; i += each, counter[1] += ++counter[0] == 0) {
        uint32_t x[4];
        philox(r->key, counter, x);
        for (size_t k = 0; k < each && i + k < n; k++)
            store_bits(t, out, i + k, wide ? join(x[2 * k], x[2 * k + 1]) : x[k]);
    }
    return n / each + (n % each != 0);
}

enum { ALGORITHM_THREE_FRY = 1 };

void eager_rng_bits(const NodeSpec *spec, const void *state, const Type *out_types, void *const *outs)
{
    uint64_t word[3] = { 0 };
    size_t bytes = eager_bytes(out_types[0]), known = bytes < sizeof word ? bytes : sizeof word;
    eager_copy_bytes(word, state, known);
    Rng r = { word[0], { word[1], bytes < sizeof word ? word[0] : word[2] } };
    uint64_t blocks = spec->attr[0] == ALGORITHM_THREE_FRY ? threefry_fill(&r, out_types[1], outs[1])
                                                           : philox_fill(&r, out_types[1], outs[1]);
    word[1] += blocks;
    if (spec->attr[0] != ALGORITHM_THREE_FRY) word[2] += word[1] < blocks;
    eager_copy_bytes(outs[0], state, bytes);
    eager_copy_bytes(outs[0], word, known);
}
