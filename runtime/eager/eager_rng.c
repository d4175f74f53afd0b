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
#include "compiler/scalar/threefry.h"
#include "eager.h"

typedef struct RngState {
    uint64_t key, counter[2];
} RngState;

static inline uint32_t low(uint64_t x) { return (uint32_t)x; }
static inline uint32_t high(uint64_t x) { return (uint32_t)(x >> 32); }
static inline uint64_t join(uint32_t l, uint32_t h) { return (uint64_t)h << 32 | l; }

static uint64_t threefry(uint64_t key, uint64_t counter)
{
    const uint32_t k[2] = { low(key), high(key) };
    uint32_t x = low(counter), y = high(counter);
    threefry_words(k, &x, &y, 1);
    return join(x, y);
}

/* Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011). */
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
static uint64_t threefry_fill(const RngState *r, Type type, void *out)
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

static uint64_t philox_fill(const RngState *r, Type type, void *out)
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

bool eager_rng_bits(const EagerCall *c)
{
    bool three_fry = c->spec->attr[0] == ALGORITHM_THREE_FRY;
    uint64_t word[3] = { 0 };
    size_t bytes = eager_bytes(c->out_types[0]), known = bytes < sizeof word ? bytes : sizeof word;
    eager_copy_bytes(word, c->args[0], known);
    RngState r = { word[0], { word[1], bytes < sizeof word ? word[0] : word[2] } };
    uint64_t blocks = three_fry ? threefry_fill(&r, c->out_types[1], c->outs[1])
                                : philox_fill(&r, c->out_types[1], c->outs[1]);
    word[1] += blocks;
    if (!three_fry) word[2] += word[1] < blocks;
    eager_copy_bytes(c->outs[0], c->args[0], bytes);
    eager_copy_bytes(c->outs[0], word, known);
    return true;
}
