/* expand_rng.c: RNG_BITS as arithmetic on counters: block number i of the bits is a hash of (key, counter +
 * i). Which bits go where is said at the head of runtime/eager/eager_rng.c, whose bits these are.
 *
 * All is done on words of 32 bits, for vectors have few instructions for 64.
 */
#include "expand.h"
#include "compiler/scalar/threefry.h"

enum { WORDS = 6, ALGORITHM_THREE_FRY = 1 }; /* of the state that count: key, counter, counter */

typedef struct Wide {
    Ref low, high;
} Wide; /* 64 bits, as u32 of one shape */

typedef struct Rng {
    Graph *g;
    Wide key, counter, above;
} Rng;

static Ref number(Graph *g, uint32_t v) { return build_splat(g, type_scalar(WEFT_U32), v); }
static Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static Ref xor_of(Graph *g, Ref a, Ref b) { return build_binary(g, OP_XOR, a, b); }

static Ref spread(Graph *g, Ref scalar, Ref like)
{
    if (scalar == REF_NONE || like == REF_NONE) return REF_NONE;
    Type t = graph_type(g, like);
    return build_broadcast(g, scalar, t.dim, t.rank, NULL);
}

static Ref high_word(Graph *g, Ref wide)
{
    if (wide == REF_NONE) return wide;
    Type t = graph_type(g, wide);
    return build_convert(g, build_binary(g, OP_SHR_LOGIC, wide, build_splat(g, t, 32)), WEFT_U32);
}
static Ref low_word(Graph *g, Ref wide) { return build_convert(g, wide, WEFT_U32); }

static Ref join(Graph *g, Wide w)
{
    Ref high = build_convert(g, w.high, WEFT_U64);
    if (high == REF_NONE) return high;
    high = build_binary(g, OP_SHL, high, build_splat(g, graph_type(g, high), 32));
    return build_binary(g, OP_OR, high, build_convert(g, w.low, WEFT_U64));
}

/* ---- the state */

static Ref element(Graph *g, Ref state, int64_t i)
{
    return build_reshape(g, build_slice(g, state, &i, (int64_t[]){ i + 1 }, (int64_t[]){ 1 }), NULL, 0);
}

static Wide state_word(Graph *g, Ref state, int64_t i)
{
    Type t = graph_type(g, state);
    if (t.dtype == WEFT_U32)
        return (Wide){ 2 * i < t.dim[0] ? element(g, state, 2 * i) : number(g, 0),
                       2 * i + 1 < t.dim[0] ? element(g, state, 2 * i + 1) : number(g, 0) };
    if (i >= t.dim[0]) return (Wide){ number(g, 0), number(g, 0) };
    Ref whole = element(g, state, i);
    return (Wide){ low_word(g, whole), high_word(g, whole) };
}

static Rng read_state(Graph *g, Ref state)
{
    Type t = graph_type(g, state);
    bool whole = t.dim[0] >= (t.dtype == WEFT_U32 ? WORDS : WORDS / 2);
    return (Rng){ g, state_word(g, state, 0), state_word(g, state, 1), state_word(g, state, whole ? 2 : 0) };
}

/* The state with `blocks` more counted; philox counts on into the next word. */
static Ref next_state(const Rng *r, Ref state, uint64_t blocks, bool carries)
{
    Graph *g = r->g;
    Type t = graph_type(g, state);
    Ref by = build_splat(g, type_scalar(WEFT_U64), blocks), parts[WORDS + 1];
    Ref words[3] = { join(g, r->key), add(g, join(g, r->counter), by), join(g, r->above) };
    if (carries)
        words[2] = add(g, words[2], build_convert(g, build_compare(g, CMP_LT, words[1], by), WEFT_U64));
    int per_word = t.dtype == WEFT_U32 ? 2 : 1, n = 0;
    for (; n < 3 * per_word && n < t.dim[0]; n++) {
        Ref w = words[n / per_word];
        parts[n] = build_reshape(g,
                                 per_word == 1 ? w
                                 : n % 2       ? high_word(g, w)
                                               : low_word(g, w),
                                 (int64_t[]){ 1 }, 1);
    }
    if (n == 0) return state;
    if (n < t.dim[0]) parts[n] = build_slice(g, state, (int64_t[]){ n }, t.dim, (int64_t[]){ 1 });
    return build_concatenate(g, parts, n + (n < t.dim[0]), 0);
}

/* ---- blocks */

/* start + 0, 1, ... as wide numbers of this shape, in row-major order; wrapped: where that went round. */
static Wide count_from(Graph *g, Wide start, Type shape, Ref *wrapped)
{
    int64_t n = type_count(shape);
    bool narrow = n <= UINT32_MAX;
    Type flat = { (uint8_t)(narrow ? WEFT_U32 : WEFT_U64), 1, &n };
    Ref i = build_reshape(g, build_iota(g, flat, 0), shape.dim, shape.rank);
    Ref low = narrow ? i : low_word(g, i), sum = add(g, low, spread(g, start.low, i)),
        carry = build_convert(g, build_compare(g, CMP_LT, sum, low), WEFT_U32);
    Ref high = add(g, spread(g, start.high, i), carry), more = build_compare(g, CMP_LT, high, carry);
    if (!narrow) {
        Ref top = high_word(g, i), with = add(g, high, top);
        more = build_binary(g, OP_OR, more, build_compare(g, CMP_LT, with, top));
        high = with;
    }
    *wrapped = more;
    return (Wide){ sum, high };
}

static Wide threefry_blocks(const Rng *r, Type shape)
{
    Ref wrapped, out[2];
    Wide at = count_from(r->g, r->counter, shape, &wrapped);
    threefry_graph(r->g, (Ref[]){ spread(r->g, r->key.low, at.low), spread(r->g, r->key.high, at.low) },
                   (Ref[]){ at.low, at.high }, out);
    return (Wide){ out[0], out[1] };
}

/* Four words a block: the rounds of eager_rng.c. */
static void philox_blocks(const Rng *r, Type shape, Ref x[4])
{
    Graph *g = r->g;
    Ref wrapped;
    Wide at = count_from(g, r->counter, shape, &wrapped);
    Ref carry = build_convert(g, wrapped, WEFT_U32), k = r->key.low, m = r->key.high;
    Ref c = add(g, spread(g, r->above.low, at.low), carry),
        more = build_convert(g, build_compare(g, CMP_LT, c, carry), WEFT_U32);
    Ref d = add(g, spread(g, r->above.high, at.low), more);
    x[0] = at.low, x[1] = at.high, x[2] = c, x[3] = d;
    Ref mul_a = spread(g, number(g, 0xD2511F53u), at.low), mul_c = spread(g, number(g, 0xCD9E8D57u), at.low);
    for (int round = 0; round < 10; round++) {
        Ref ph = build_binary(g, OP_MULHI, mul_a, x[0]), pl = build_binary(g, OP_MUL, mul_a, x[0]);
        Ref qh = build_binary(g, OP_MULHI, mul_c, x[2]), ql = build_binary(g, OP_MUL, mul_c, x[2]);
        x[0] = xor_of(g, xor_of(g, qh, x[1]), spread(g, k, at.low));
        x[1] = ql;
        x[2] = xor_of(g, xor_of(g, ph, x[3]), spread(g, m, at.low));
        x[3] = pl;
        k = add(g, k, number(g, 0x9E3779B9u));
        m = add(g, m, number(g, 0xBB67AE85u));
    }
}

/* ---- elements */

/* Bits to elements of t, as memory would hold them; a bool is the lowest bit. */
static Ref as_type(Graph *g, Ref bits, DType t)
{
    if (bits == REF_NONE) return bits;
    Type from = graph_type(g, bits);
    if (t == WEFT_BOOL) {
        Ref one = build_binary(g, OP_AND, bits, build_splat(g, from, 1));
        return build_compare(g, CMP_NE, one, build_zeros(g, from));
    }
    return build_bitcast(g, build_convert(g, bits, dtype_unsigned_twin(t)), t);
}

/* Parts of one shape [outer, n, inner] side by side: element i of part k comes to stand at i * parts + k of
 * the middle axis, of which `length` are kept. */
static Ref interleave(Graph *g, const Ref *part, int n_parts, int64_t length)
{
    Ref column[4];
    if (part[0] == REF_NONE) return REF_NONE;
    const int64_t *dim = graph_type(g, part[0]).dim, wide[] = { dim[0], dim[1], 1, dim[2] },
                  whole[] = { dim[0], dim[1] * n_parts, dim[2] };
    for (int k = 0; k < n_parts; k++) column[k] = build_reshape(g, part[k], wide, 4);
    Ref all = build_reshape(g, build_concatenate(g, column, n_parts, 2), whole, 3);
    return build_slice(g, all, (int64_t[]){ 0, 0, 0 }, (int64_t[]){ dim[0], length, dim[2] },
                       (int64_t[]){ 1, 1, 1 });
}

/* The axis whose neighbours share a block: the first of even size, else the longest. */
static int split_axis(Type t)
{
    int split = -1;
    for (int i = 0; i < t.rank && (split < 0 || t.dim[split] % 2); i++)
        if (t.dim[i] % 2 == 0 || split < 0 || t.dim[i] > t.dim[split]) split = i;
    return split;
}

static Ref threefry_bits(const Rng *r, Type t, uint64_t *blocks)
{
    int64_t n = type_count(t), dim[3] = { 1, 1, 1 };
    int split = split_axis(t);
    if (dtype_bytes((DType)t.dtype) == 8) {
        *blocks = (uint64_t)n;
        return join(r->g, threefry_blocks(r, (Type){ WEFT_U32, 1, &n }));
    }
    for (int i = 0; i < t.rank; i++) dim[i < split ? 0 : i > split ? 2 : 1] *= t.dim[i];
    int64_t length = dim[1];
    dim[1] = (length + 1) / 2;
    *blocks = (uint64_t)(dim[0] * dim[1] * dim[2]);
    Wide w = threefry_blocks(r, (Type){ WEFT_U32, 3, dim });
    return interleave(r->g, (Ref[]){ w.low, w.high }, 2, length);
}

static Ref philox_bits(const Rng *r, Type t, uint64_t *blocks)
{
    bool wide = dtype_bytes((DType)t.dtype) == 8;
    int64_t n = type_count(t), each = wide ? 2 : 4, dim[] = { 1, n / each + (n % each != 0), 1 };
    Ref x[4];
    *blocks = (uint64_t)dim[1];
    philox_blocks(r, (Type){ WEFT_U32, 3, dim }, x);
    if (wide) x[0] = join(r->g, (Wide){ x[0], x[1] }), x[1] = join(r->g, (Wide){ x[2], x[3] });
    return interleave(r->g, x, (int)each, n);
}

bool expand_rng(Graph *g, const Node *n, Ref state, Ref out[2])
{
    bool three_fry = n->attr[0] == ALGORITHM_THREE_FRY;
    Type t = n->results[1];
    uint64_t blocks = 0;
    Rng r = read_state(g, state);
    Ref bits = type_count(t) == 0 ? build_zeros(g, t)
               : three_fry        ? threefry_bits(&r, t, &blocks)
                                  : philox_bits(&r, t, &blocks);
    if (type_count(t)) bits = build_reshape(g, as_type(g, bits, (DType)t.dtype), t.dim, t.rank);
    out[1] = bits;
    out[0] = next_state(&r, state, blocks, !three_fry);
    return out[0] != REF_NONE && out[1] != REF_NONE;
}
