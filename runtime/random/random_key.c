/* random_key.c: keys, and the bits that they give in either layout; see weft/random.h.
 *
 * Threefry turns a key and a 64-bit counter, two words, into two words of bits.
 *   partitionable   element i of an array, whatever its shape, comes from the block of counter i: all is
 *                   elementwise in an iota
 *   legacy          the counters 0 .. n-1 (and a 0, if n is odd) are cut into halves; a block's counter is
 *                   word j of each half, and the halves of the result are laid end to end
 */
#include "random.h"
#include <string.h>
#include "compiler/scalar/threefry.h"
#include "runtime/memory/context.h"

/* Eagerly a loop over the elements: op by op the rounds are 120 arrays. */
static bool block_now(struct Local *l, const RandomKey *k, weft_array *x[2])
{
    uint32_t key[2], *out[2];
    for (int i = 0; i < 2; i++) {
        weft_array *copy = array_new(l, array_type(x[i]), thread.op.name, thread.op.at);
        if (!copy) return false;
        if (copy->count) memcpy(copy->data, x[i]->data, array_bytes(copy));
        memcpy(&key[i], k->word[i]->data, sizeof key[i]);
        x[i] = copy;
        out[i] = copy->data;
    }
    threefry_words(key, out[0], out[1], x[0]->count);
    return true;
}

static bool block_staged(Trace *t, const RandomKey *k, weft_array *x[2])
{
    Ref key[2], word[2], bits[2];
    if (setjmp(t->guard.env)) return error_memory(t->local, thread.op.name, thread.op.at);
    t->graph->loc = graph_loc(t->graph, thread.op.at);
    for (int i = 0; i < 2; i++) {
        key[i] = trace_ref(t, k->word[i]);
        word[i] = trace_ref(t, x[i]);
    }
    threefry_graph(t->graph, key, word, bits);
    for (int i = 0; i < 2; i++)
        if (!(x[i] = trace_handle(t, bits[i]))) return error_memory(t->local, thread.op.name, thread.op.at);
    return true;
}

/* x: two words of counters in, two words of bits out. */
static void block(const RandomKey *k, weft_array *x[2])
{
    struct Local *l = op_local();
    bool good = l && k->word[0] && k->word[1] && x[0] && x[1];
    if (good) good = l->trace ? block_staged(l->trace, k, x) : block_now(l, k, x);
    if (!good) x[0] = x[1] = NULL;
}

static weft_array *words(uint32_t v, int64_t n) { return ops_broadcast(op_integer(WEFT_U32, v), &n, 1); }

/* x[0], x[1]: the words of 0 .. n-1, high and low. */
static void count_up(int64_t n, weft_array *x[2])
{
    if (n <= (int64_t)1 << 32) {
        x[0] = words(0, n);
        x[1] = ops_iota(WEFT_U32, &n, 1, 0);
        return;
    }
    weft_array *i = ops_iota(WEFT_U64, &n, 1, 0);
    x[0] = ops_convert(ops_with(OP_SHR_LOGIC, i, 32), WEFT_U32);
    x[1] = ops_convert(i, WEFT_U32);
}

/* ---- the legacy layout ---- */

/* Word i comes from block j: j is i in the first half and i - half in the second. The counters of block j
 * are (j, j + half); if n is odd, the last of them is 0. Each block is computed twice, but in one pass
 * without a seam. */
static weft_array *hash_range(const RandomKey *k, int64_t n)
{
    if (n > UINT32_MAX)
        return op_fail(
            WEFT_SHAPE,
            "%lld words of bits; the legacy layout has at most 2^32 - 1 (the partitionable one more)",
            (long long)n);
    int64_t half = n / 2 + n % 2;
    weft_array *i = ops_iota(WEFT_U32, &n, 1, 0), *first = ops_compare_with(CMP_LT, i, (double)half);
    weft_array *x[2] = { ops_select(first, i, ops_with(OP_SUB, i, (double)half)), NULL };
    x[1] = ops_with(OP_ADD, x[0], (double)half);
    if (n % 2) x[1] = ops_select(ops_compare_with(CMP_EQ, x[0], (double)(half - 1)), words(0, n), x[1]);
    block(k, x);
    return ops_select(first, x[0], x[1]);
}

/* Word m of hash_range(k, 2 n) alone. */
static weft_array *hash_word(const RandomKey *k, int64_t m, int64_t n)
{
    int64_t j = m % n;
    weft_array *x[2] = { op_integer(WEFT_U32, j), op_integer(WEFT_U32, j + n) };
    block(k, x);
    return x[m / n];
}

/* The bytes of 32-bit words, the lowest first, as elements of `bits` bits. */
static weft_array *legacy_narrow(const RandomKey *k, DType t, int bits, int64_t n)
{
    int64_t many = 32 / bits, count = n / many + (n % many != 0), all = count * many;
    weft_array *parts = ops_reshape(ops_bitcast(hash_range(k, count), t), &all, 1);
    return all == n ? parts : ops_slice_axis(parts, 0, 0, n, 1);
}

static weft_array *joined(weft_array *const x[2])
{
    weft_array *high = ops_with(OP_SHL, ops_convert(x[0], WEFT_U64), 32);
    return ops_binary(OP_OR, high, ops_convert(x[1], WEFT_U64));
}

static weft_array *legacy_bits(const RandomKey *k, DType t, int64_t n)
{
    int bits = dtype_bits(t);
    if (bits < 32) return legacy_narrow(k, t, bits, n);
    if (bits == 32) return hash_range(k, n);
    if (n > UINT32_MAX / 2) return hash_range(k, INT64_MAX);
    weft_array *x[2] = { ops_iota(WEFT_U32, &n, 1, 0), NULL };
    x[1] = ops_with(OP_ADD, x[0], (double)n);
    block(k, x);
    return joined(x);
}

static weft_array *partitionable_bits(const RandomKey *k, DType t, int64_t n)
{
    weft_array *x[2];
    count_up(n, x);
    block(k, x);
    return t == WEFT_U64 ? joined(x) : ops_convert(ops_binary(OP_XOR, x[0], x[1]), t);
}

/* One element, from words of rank 0: a loop for one element draws so. Both layouts begin with the counter
 * (0, 0); for 64 bits the legacy one begins with (0, 1). */
static weft_array *scalar_bits(const RandomKey *k, DType t)
{
    weft_array *x[2] = { op_integer(WEFT_U32, 0), op_integer(WEFT_U32, k->legacy && t == WEFT_U64) };
    block(k, x);
    if (t == WEFT_U64) return joined(x);
    return ops_convert(k->legacy ? x[0] : ops_binary(OP_XOR, x[0], x[1]), t);
}

weft_array *random_bits(const RandomKey *k, Type type)
{
    DType t = (DType)type.dtype;
    if (type.rank == 0) return scalar_bits(k, t);
    int64_t n = type_count(type);
    return ops_reshape(k->legacy ? legacy_bits(k, t, n) : partitionable_bits(k, t, n), type.dim, type.rank);
}

/* ---- keys ---- */

static weft_array *pick_word(weft_array *key, int i)
{
    return ops_reshape(ops_slice_axis(key, 0, i, i + 1, 1), NULL, 0);
}

static bool take_key(weft_random_key key, RandomKey *out)
{
    Type t = array_type(key.key);
    if (t.dtype != WEFT_U32 || t.rank == 0 || t.dim[t.rank - 1] != 2)
        return op_fail(t.dtype == WEFT_U32 ? WEFT_SHAPE : WEFT_DTYPE,
                       "a key is a u32[2], as weft_key makes them, not %s", TYPE_TEXT(t));
    if (t.rank > 1)
        return op_fail(
            WEFT_SHAPE,
            "%s is many keys, and this takes one, a u32[2]: weft_vmap maps over keys, weft_at picks one",
            TYPE_TEXT(t));
    if (key.layout < WEFT_LAYOUT_OF_CONTEXT || key.layout > WEFT_LEGACY)
        return op_fail(WEFT_ARGUMENT, "%d is no layout", key.layout);
    for (int i = 0; i < 2; i++) out->word[i] = pick_word(ops_in(key.key), i);
    out->legacy = key.layout == WEFT_LAYOUT_OF_CONTEXT ? op_local()->ctx->options.legacy_random
                                                       : key.layout == WEFT_LEGACY;
    return out->word[0] && out->word[1];
}

bool random_begin(OpsCall *call, const char *name, const char *at, weft_random_key key, const weft_operand *o,
                  int n, RandomKey *out)
{
    weft_operand all[4] = { weft_of_array(key.key) };
    for (int i = 0; i < n; i++) all[i + 1] = o[i];
    return ops_begin(call, name, at, NULL, all, n + 1) && take_key(key, out);
}

RandomKey random_subkey(const RandomKey *k, int64_t i, int64_t n)
{
    RandomKey sub = { .legacy = k->legacy };
    if (k->legacy) {
        for (int w = 0; w < 2; w++) sub.word[w] = hash_word(k, 2 * i + w, n);
        return sub;
    }
    sub.word[0] = op_integer(WEFT_U32, i >> 32);
    sub.word[1] = op_integer(WEFT_U32, i & UINT32_MAX);
    block(k, sub.word);
    return sub;
}

weft_array *random_split(const RandomKey *k, int64_t n)
{
    if (n > INT64_MAX / 16) return op_fail(WEFT_SHAPE, "%lld keys are too many", (long long)n);
    int64_t pairs[2] = { n, 2 };
    if (k->legacy) return ops_reshape(hash_range(k, 2 * n), pairs, 2);
    weft_array *x[2];
    count_up(n, x);
    block(k, x);
    return ops_concatenate((weft_array *[]){ ops_expand(x[0], 1), ops_expand(x[1], 1) }, 2, 1);
}

weft_array *weft_random_split_(weft_random_key key, int rank, const int64_t *dim, const char *at)
{
    OpsCall call;
    RandomKey k;
    int64_t two = 2, all[WEFT_MAX_RANK + 1];
    if (!random_begin(&call, "weft_random_split", at, key, NULL, 0, &k)) return ops_end(&call, NULL);
    if (rank == 0) rank = 1, dim = &two;
    if (!ops_sizes_ok(dim, rank) || !ops_rank_ok(rank + 1)) return ops_end(&call, NULL);
    for (int i = 0; i < rank; i++) all[i] = dim[i];
    all[rank] = 2;
    if (!ops_dims_ok(WEFT_U32, all, rank + 1)) return ops_end(&call, NULL);
    int64_t n = type_count(ops_type(WEFT_U32, dim, rank));
    return ops_end(&call, ops_reshape(random_split(&k, n), all, rank + 1));
}

weft_status weft_random_keys_(weft_random_key key, int n, weft_array **keys, const char *at)
{
    OpsCall call;
    RandomKey k;
    int64_t two = 2;
    bool good = random_begin(&call, "weft_random_keys", at, key, NULL, 0, &k);
    if (good && n < 0) good = op_fail(WEFT_ARGUMENT, "%d keys (0 or more)", n);
    if (good && n && !keys) good = op_fail(WEFT_ARGUMENT, "keys is NULL");
    weft_array *all = good ? random_split(&k, n) : NULL;
    good = all != NULL;
    for (int i = 0; i < n && good; i++) {
        keys[i] = ops_keep(&call, ops_reshape(ops_slice_axis(all, 0, i, i + 1, 1), &two, 1));
        good = keys[i] != NULL;
    }
    if (!good && keys)
        for (int i = 0; i < n; i++) keys[i] = NULL;
    return ops_end_status(&call, good);
}

/* ---- from ints ---- */

static weft_array *stacked(weft_array *first, weft_array *second)
{
    return ops_concatenate((weft_array *[]){ ops_expand(first, 0), ops_expand(second, 0) }, 2, 0);
}

static weft_array *high_word(weft_array *seed)
{
    DType t = (DType)array_type(seed).dtype;
    if (dtype_bits(t) < 64) return op_integer(WEFT_U32, 0);
    return ops_convert(ops_with(OP_SHR_LOGIC, seed, 32), WEFT_U32);
}

weft_array *random_int(weft_operand o, const char *what)
{
    if (o.kind == WEFT_OPERAND_FLOAT_)
        return op_fail(WEFT_DTYPE, "%s must be an integer, not %g", what, o.v.f);
    if (o.kind == WEFT_OPERAND_UINT_) return op_integer(WEFT_U64, (int64_t)o.v.u);
    if (o.kind != WEFT_OPERAND_ARRAY_) return op_integer(WEFT_I64, o.v.i);
    Type t = array_type(o.v.a);
    if (dtype_is_int((DType)t.dtype)) return ops_in(o.v.a);
    return op_fail(WEFT_DTYPE, "%s must be an integer, not %s", what, TYPE_TEXT(t));
}

/* One int of rank 0. A C number has 32 bits if it fits, else 64. */
static weft_array *int_scalar(weft_operand o, const char *what)
{
    bool is_signed = o.kind == WEFT_OPERAND_INT_ || o.kind == WEFT_OPERAND_BOOL_;
    if (is_signed && o.v.i >= INT32_MIN && o.v.i <= UINT32_MAX)
        return op_integer(WEFT_U32, o.v.i & UINT32_MAX);
    weft_array *x = random_int(o, what);
    if (!x || array_type(x).rank == 0) return x;
    return op_fail(WEFT_SHAPE, "%s must have rank 0, not %s: weft_vmap maps over several", what,
                   TYPE_TEXT(array_type(x)));
}

weft_array *weft_key_(weft_context *ctx, weft_operand seed, const char *at)
{
    OpsCall call;
    bool good = ops_begin(&call, "weft_key", at, ctx, &seed, 1);
    weft_array *s = good ? int_scalar(seed, "the seed") : NULL;
    if (!s) return ops_end(&call, NULL);
    return ops_end(&call, stacked(high_word(s), ops_convert(s, WEFT_U32)));
}

/* The block of counter (0, data): JAX's hash of the key of an int, in both layouts. */
weft_array *weft_random_fold_in_(weft_random_key key, weft_operand data, const char *at)
{
    OpsCall call;
    RandomKey k;
    weft_array *d = random_begin(&call, "weft_random_fold_in", at, key, &data, 1, &k)
                        ? int_scalar(data, "the data")
                        : NULL;
    if (!d) return ops_end(&call, NULL);
    weft_array *x[2] = { op_integer(WEFT_U32, 0), ops_convert(d, WEFT_U32) };
    block(&k, x);
    return ops_end(&call, stacked(x[0], x[1]));
}

weft_array *weft_random_bits_(weft_random_key key, weft_dtype t, int rank, const int64_t *dim, const char *at)
{
    OpsCall call;
    RandomKey k;
    bool good = random_begin(&call, "weft_random_bits", at, key, NULL, 0, &k) && random_int_ok(t, dim, rank);
    if (good && dtype_is_signed(t))
        good = op_fail(WEFT_DTYPE, "bits are u8, u16, u32 or u64, not %s", dtype_name(t));
    return ops_end(&call, good ? random_bits(&k, ops_type(t, dim, rank)) : NULL);
}
