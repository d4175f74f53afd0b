/* expand_halves.c: products of matrices of ints of up to 16 bits, two at a time. Neighbours along what is
 * summed become the halves of a word, so that one instruction (DOT_HALVES) makes both their products and adds
 * them. What does not fit into 32 bits wraps, as it does in the sum of one after the other: every bit is the
 * same. (i8, AVX-512: 256 x 256 x 256 484 -> 148 us, 16 x 16 x 16 146 -> 53 ns; 4 x 512 by 512 x 512 31 -> 16
 * us.)
 *
 * Not u16, which no signed half holds, nor sums of 64 bits. */
#include "compiler/graph/attributes.h"
#include "expand.h"

/* Words are written before they are read: what few rows or columns read is read as it is. */
enum { LEAST_READS = 4 };

/* What the operand was before it was made wider, if that fits into a signed half; else NONE. */
static Ref in_half(const Graph *g, Ref x)
{
    const Node *n = &g->nodes[x];
    DType t = (DType)n->dtype;
    if (t == WEFT_I8 || t == WEFT_U8 || t == WEFT_I16) return x;
    bool is_wide = dtype_is_int(t) && dtype_bytes(t) >= 4;
    return n->op == OP_CONVERT && is_wide ? in_half(g, n->args[0]) : REF_NONE;
}

/* Words of elements 2 k and 2 k + 1 along an axis, in memory; behind the last there is 0. */
static Ref in_words(Graph *g, Ref x, int axis)
{
    Type t = graph_type(g, x);
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, n = t.dim[axis];
    high[axis] = n % 2;
    if (n % 2) x = build_pad(g, x, build_number(g, (DType)t.dtype, 0), none, high, none);
    Ref half[2];
    for (int i = 0; i < 2; i++)
        half[i] = build_convert(g, build_slice_along(g, x, axis, i, n + n % 2, 2), WEFT_I32);
    Type words = graph_type(g, half[0]);
    Ref low = build_binary(g, OP_AND, half[0], build_splat(g, words, 0xffff)),
        up = build_binary(g, OP_SHL, half[1], build_splat(g, words, 16)),
        word = build_binary(g, OP_OR, low, up);
    build_barrier(g, &word, 1, &word);
    return word;
}

/* An operand in the shape of all products: the axes of the result, then those that are summed. */
static Ref spread(Graph *g, const Node *dot, int side, Ref x, Type all)
{
    DotDims d = dot_dims(dot->attr);
    Type t = graph_type(g, x);
    int64_t axes[WEFT_MAX_RANK];
    int n_free = t.rank - d.n_batch - d.n_summed, next = side ? dot->rank - n_free : d.n_batch;
    for (int k = 0; k < t.rank; k++) axes[k] = -1;
    for (int i = 0; i < d.n_batch; i++) axes[d.batch[side][i]] = i;
    for (int i = 0; i < d.n_summed; i++) axes[d.summed[side][i]] = dot->rank + i;
    for (int k = 0; k < t.rank; k++)
        if (axes[k] < 0) axes[k] = next++;
    return build_broadcast(g, x, all.dim, all.rank, axes);
}

bool expand_dot_of_halves(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    DotDims d = dot_dims(n->attr);
    DType t = (DType)n->dtype;
    int last = d.n_summed - 1;
    int64_t dim[WEFT_MAX_RANK], summed[WEFT_MAX_RANK];
    Type all = { WEFT_I32, (uint8_t)(n->rank + d.n_summed), dim };
    Ref x[2] = { in_half(g, args[0]), in_half(g, args[1]) };
    if (x[0] == REF_NONE || x[1] == REF_NONE || !dtype_is_int(t) || dtype_bytes(t) > 4 || last < 0 ||
        n->rank + d.n_summed > WEFT_MAX_RANK || g->nodes[x[0]].dim[d.summed[0][last]] < 2)
        return false;
    for (int side = 0; side < 2; side++)
        if (dot_reads(n, side, graph_type(g, x[side])) < LEAST_READS) return false;
    for (int side = 0; side < 2; side++) x[side] = in_words(g, x[side], (int)d.summed[side][last]);
    for (int k = 0; k < n->rank; k++) dim[k] = n->dim[k];
    for (int i = 0; i < d.n_summed; i++) {
        summed[i] = n->rank + i;
        dim[summed[i]] = g->nodes[x[0]].dim[d.summed[0][i]];
    }
    for (int side = 0; side < 2; side++) x[side] = spread(g, n, side, x[side], all);
    Ref sum = build_reduce(g, OP_ADD, build_binary(g, OP_DOT_HALVES, x[0], x[1]), summed, d.n_summed);
    *out = build_convert(g, sum, t);
    return true;
}
