/* planes_dot.c: products of complex matrices. A complex matrix is a real one of twice as many rows and
 * columns, a + b i being ((a, b), (-b, a)). So a product of many rows is one real product, of the left side
 * as it lies in memory, in turn, by that of the right side, which is written out before. Where there are few
 * rows, that would be as much work as the product: all parts of one side are multiplied by all parts of the
 * other, in one real product, too. Otherwise each of these four is one of planes.
 *
 * Eager mode does the same: which of them it is to be depends on shapes where bits do. (The second and the
 * third have the same sums.) */
#include "compiler/graph/attributes.h"
#include "planes_rules.h"
#include <string.h>

/* DOT or CONVOLUTION, of real numbers. */
static Ref product(Graph *g, const Node *n, Ref a, Ref b)
{
    NodeSpec s = node_spec(n);
    s.args = (Ref[]){ a, b };
    s.dtype = dtype_part((DType)n->dtype);
    return graph_add(g, &s);
}

/* a and b in turn behind each element of the axis; behind the last one if there is none (rank). */
static Ref in_turn_along(Graph *g, Ref a, Ref b, int axis)
{
    Type t = graph_type(g, a);
    int64_t dim[WEFT_MAX_RANK + 1];
    int at = axis < t.rank ? axis + 1 : axis, rank = 0;
    for (int d = 0; d <= t.rank; d++) {
        if (d == at) dim[rank++] = 1;
        if (d < t.rank) dim[rank++] = t.dim[d];
    }
    Ref both = build_concatenate(g, (Ref[]){ build_reshape(g, a, dim, rank), build_reshape(g, b, dim, rank) },
                                 2, at);
    if (axis == t.rank) return both;
    memcpy(dim, t.dim, t.rank * sizeof *dim);
    dim[axis] *= 2;
    return build_reshape(g, both, dim, t.rank);
}

/* The last axis of an operand that the result has, too; its rank: there is none. */
static int last_free(const DotDims *d, int side, int rank)
{
    uint32_t taken = axes_mask(d->batch[side], d->n_batch) | axes_mask(d->summed[side], d->n_summed);
    int k = rank - 1;
    while (k >= 0 && taken >> k & 1) k--;
    return k < 0 ? rank : k;
}

/* A complex matrix is a real one of twice as many rows and columns, a + b i being ((a, b), (-b, a)): one real
 * product of twice as many numbers in each sum and twice as many columns. The left side lies in memory as it
 * is needed, and so does the result. */
static Ref doubled_product(Graph *g, const Node *n, const DotDims *d, Pair x, Pair y)
{
    Type right = graph_type(g, y.re);
    int columns = last_free(d, 1, right.rank);
    Ref rows[2] = { in_turn_along(g, y.re, y.im, columns),
                    in_turn_along(g, real_neg(g, y.im), y.re, columns) };
    Ref l = in_turn_along(g, x.re, x.im, (int)d->summed[0][0]),
        r = in_turn_along(g, rows[0], rows[1], (int)d->summed[1][0]);
    if (!planes_lie_in_turn(g, l)) build_barrier(g, &l, 1, &l);
    build_barrier(g, &r, 1, &r);
    return product(g, n, l, r);
}

/* The same product with its sides exchanged: their free axes are, too. */
static Ref exchanged_product(Graph *g, const Node *n, const DotDims *d, Ref left, Ref right)
{
    int64_t attr[2 + 2 * WEFT_MAX_RANK], *to = attr;
    *to++ = d->n_batch;
    *to++ = d->n_summed;
    for (int side = 1; side >= 0; side--)
        for (int i = 0; i < d->n_batch; i++) *to++ = d->batch[side][i];
    for (int side = 1; side >= 0; side--)
        for (int i = 0; i < d->n_summed; i++) *to++ = d->summed[side][i];
    return build_typed(g, OP_DOT, (Ref[]){ right, left }, 2, attr, (uint32_t)(to - attr),
                       type_scalar(dtype_part((DType)n->dtype)));
}

/* Of all parts by all parts, those of these two parts, in the shape of the result. lead: its axes up to the
 * first parts. */
static Ref crossing(Graph *g, Ref all, int lead, int p, int q)
{
    int last = graph_node(g, all)->rank - 1;
    Ref one = build_slice_along(g, build_slice_along(g, all, lead, p, p + 1, 1), last, q, q + 1, 1);
    Type t = graph_type(g, one);
    int64_t dim[WEFT_MAX_RANK];
    int rank = 0;
    for (int k = 0; k < last; k++)
        if (k != lead) dim[rank++] = t.dim[k];
    return build_reshape(g, one, dim, rank);
}

static bool is_much_larger(Type matrix, Type other, Type result)
{
    enum { MUCH_LARGER = 8, LEAST_ELEMENTS = 1 << 14 };
    int64_t n = type_count(matrix);
    return n >= LEAST_ELEMENTS && n >= MUCH_LARGER * type_count(other) &&
           n >= MUCH_LARGER * type_count(result);
}

/* A large matrix that lies in turn along its last axis, by a few vectors, is read as it lies, once: the real
 * product of all parts by all parts, in memory, of which each result takes four. So few rows go last: the
 * matrix's columns are summed row by row (1024 x 1024 c64, AVX-512, us: 2 rows 246, 176; 8 rows 2080, 760).
 * Small ones are faster in planes, and so are short sums, whose result is as large as the matrix (2 x 8 x 8
 * c64: 0.06 and 0.02 us; 8 x 8 by 8 x 1000: 16 and 7). False: no operand lies so. */
static bool crossed_product(Graph *g, const Node *n, const DotDims *d, const Type *types, const Pair *args,
                            Pair *out)
{
    enum { FEW_ROWS = 8, FEW_COLUMNS = 4 };
    Type result = node_type(n);
    Ref both[2];
    int64_t dim[WEFT_MAX_RANK + 2], perm[WEFT_MAX_RANK];
    int left = types[0].rank - d->n_batch - d->n_summed, right = types[1].rank - d->n_batch - d->n_summed;
    bool in_turn = false, exchanged = dot_reads(n, 1, types[1]) <= FEW_ROWS;
    if (result.rank + 2 > WEFT_MAX_RANK || (!exchanged && dot_reads(n, 0, types[0]) > FEW_COLUMNS))
        return false;
    for (int side = 0; side < 2; side++) {
        Type t = types[side];
        int free = last_free(d, side, t.rank);
        both[side] = in_turn_along(g, args[side].re, args[side].im, free);
        if (!planes_lie_in_turn(g, both[side])) build_barrier(g, &both[side], 1, &both[side]);
        else in_turn |= free == t.rank - 1 && is_much_larger(t, types[1 - side], result);
    }
    if (!in_turn) return false;
    Ref all = exchanged ? exchanged_product(g, n, d, both[0], both[1]) : product(g, n, both[0], both[1]);
    build_barrier(g, &all, 1, &all);
    int first = exchanged ? right : left, rank = 0, lead = d->n_batch + first;
    for (int k = 0; k < result.rank; k++) {
        int from = k < d->n_batch || !exchanged ? k : k < lead ? k + left : k - right;
        if (k == lead) dim[rank++] = 2;
        perm[from] = k;
        dim[rank++] = result.dim[from];
    }
    if (lead == result.rank) dim[rank++] = 2;
    dim[rank++] = 2;
    all = build_reshape(g, all, dim, rank);
    Ref of[2][2];
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) of[p][q] = build_transpose(g, crossing(g, all, lead, p, q), perm);
    out->re = real_sub(g, of[0][0], of[1][1]);
    out->im = real_add(g, of[0][1], of[1][0]);
    return true;
}

/* Are there so many rows, and columns, that writing out the right side pays? It becomes twice as large; the
 * result is to be no smaller than an eighth of that (AVX-512, us, all by all parts and written out: 64 x 1024
 * by 1024 x 1024 6.1 and 7.4 ms, 128 x 256 by 256 x 512 1405 and 1289). More columns pay for copying the left
 * side, too, if it is summed along another axis than its last (1000 x 1000 by 8: 625 and 1320). */
static bool pays_doubled(const Node *n, const DotDims *d, const Type *types)
{
    enum { LEAST_ROWS = 32, LEAST_COLUMNS = 8, LEAST_TURNED_COLUMNS = 32, MOST_DEPTH = 4 };
    int64_t rows = dot_reads(n, 1, types[1]), columns = dot_reads(n, 0, types[0]), summed = d->summed[0][0];
    return d->n_summed == 1 && rows >= LEAST_ROWS && types[0].dim[summed] <= MOST_DEPTH * rows &&
           columns >= (summed == types[0].rank - 1 ? LEAST_COLUMNS : LEAST_TURNED_COLUMNS);
}

/* What sums nothing, or has as many axes as there can be, is a product of planes; and batches, all of which
 * would be in memory at once (200 of 64 x 1000 by 1000 x 100, c64: 320 MB, no faster). */
static bool may_be_one(const Node *n, const Type *types)
{
    if (n->op != OP_DOT || types[0].rank == WEFT_MAX_RANK || types[1].rank == WEFT_MAX_RANK) return false;
    DotDims d = dot_dims(n->attr);
    int64_t batch = 1;
    for (int i = 0; i < d.n_batch; i++) batch *= types[0].dim[d.batch[0][i]];
    return d.n_summed > 0 && batch == 1;
}

bool planes_dot(Arena *a, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    Pair x = args[0], y = args[1];
    (void)a;
    if (may_be_one(n, types)) {
        DotDims d = dot_dims(n->attr);
        if (pays_doubled(n, &d, types)) {
            *out = planes_apart(g, doubled_product(g, n, &d, x, y), node_type(n));
            return true;
        }
        if (crossed_product(g, n, &d, types, args, out)) return true;
    }
    out->re = real_sub(g, product(g, n, x.re, y.re), product(g, n, x.im, y.im));
    out->im = real_add(g, product(g, n, x.re, y.im), product(g, n, x.im, y.re));
    return true;
}
