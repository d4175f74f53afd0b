/* planes_dot.c: products of complex matrices. A complex matrix is a real one of twice as many rows and
 * columns, a + b i being ((a, b), (-b, a)). So a product is one real product, of one side as it lies in
 * memory, in turn, by the other one, which is written out before. Where there are few rows, that would be as
 * much work as the product: all parts of one side are multiplied by all parts of the other, in one real
 * product, too. Otherwise each of these four is one of planes, two if a side is real.
 *
 * Eager mode does the same: in strict mode, which of them it is to be depends on shapes where bits do. (The
 * second and the third have the same sums, and so has the first if a side is real: its other products are 0
 * or NaN.) */
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

/* As one real product; false: it is none. */
typedef bool Way(Graph *, const Node *, const Type *types, const Pair *args, Pair *out);

/* A complex matrix is a real one of twice as many rows and columns, a + b i being ((a, b), (-b, a)): one real
 * product of twice as many numbers in each sum and twice as many columns. The left side lies in memory as it
 * is needed, and so does the result. */
static bool doubled(Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    DotDims d = dot_dims(n->attr);
    Pair x = args[0], y = args[1];
    int columns = last_free(&d, 1, types[1].rank);
    Ref rows[2] = { in_turn_along(g, y.re, y.im, columns),
                    in_turn_along(g, real_neg(g, y.im), y.re, columns) };
    Ref l = in_turn_along(g, x.re, x.im, (int)d.summed[0][0]),
        r = in_turn_along(g, rows[0], rows[1], (int)d.summed[1][0]);
    if (!planes_lie_in_turn(g, l)) build_barrier(g, &l, 1, &l);
    build_barrier(g, &r, 1, &r);
    *out = planes_apart(g, product(g, n, l, r), node_type(n));
    return true;
}

/* The same of a left side in memory by a vector, both of whose columns lie along their sums, apart. */
static bool doubled_vector(Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    DotDims d = dot_dims(n->attr);
    Pair x = args[0], y = args[1];
    int summed = (int)d.summed[1][0];
    Ref rows = in_turn_along(g, x.re, x.im, types[0].rank - 1);
    Ref column[2] = { in_turn_along(g, y.re, real_neg(g, y.im), summed),
                      in_turn_along(g, y.im, y.re, summed) };
    if (!planes_lie_in_turn(g, rows)) return false;
    build_barrier(g, column, 2, column);
    *out = (Pair){ product(g, n, rows, column[0]), product(g, n, rows, column[1]) };
    return true;
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

/* A large left side that lies in turn along its last axis, by a few columns, is read as it lies, once: the
 * real product of all parts by all parts, in memory, of which each result takes four (1024 x 1024 transposed
 * by 2 and by 8 columns, c64, AVX-512, us: 246 -> 176, 2080 -> 760). Small ones are faster in planes, and so
 * are short sums, whose result is as large as the matrix (2 x 8 x 8 c64: 0.06 and 0.02 us; 8 x 8 by 8 x 1000:
 * 16 and 7). */
static bool crossed(Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    DotDims d = dot_dims(n->attr);
    Type result = node_type(n);
    int free[2] = { last_free(&d, 0, types[0].rank), last_free(&d, 1, types[1].rank) };
    Ref both[2], of[2][2];
    if (result.rank + 2 > WEFT_MAX_RANK || free[0] != types[0].rank - 1 ||
        !is_much_larger(types[0], types[1], result))
        return false;
    for (int side = 0; side < 2; side++)
        both[side] = in_turn_along(g, args[side].re, args[side].im, free[side]);
    if (!planes_lie_in_turn(g, both[0])) return false;
    if (!planes_lie_in_turn(g, both[1])) build_barrier(g, &both[1], 1, &both[1]);
    Ref all = product(g, n, both[0], both[1]);
    build_barrier(g, &all, 1, &all);
    int lead = types[0].rank - d.n_summed, rank = 0;
    int64_t dim[WEFT_MAX_RANK];
    for (int k = 0; k < result.rank; k++) {
        if (k == lead) dim[rank++] = 2;
        dim[rank++] = result.dim[k];
    }
    if (lead == result.rank) dim[rank++] = 2;
    dim[rank++] = 2;
    all = build_reshape(g, all, dim, rank);
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) of[p][q] = crossing(g, all, lead, p, q);
    *out = (Pair){ real_sub(g, of[0][0], of[1][1]), real_add(g, of[0][1], of[1][0]) };
    return true;
}

/* The same with the sides exchanged: their free axes are, too. */
static bool exchanged(Way *way, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    DotDims d = dot_dims(n->attr);
    int64_t attr[2 + 4 * WEFT_MAX_RANK] = { d.n_batch, d.n_summed }, *to = attr + 2;
    int64_t dim[WEFT_MAX_RANK], perm[WEFT_MAX_RANK];
    int left = types[0].rank - d.n_batch - d.n_summed;
    Node turned = *n;
    for (int side = 1; side >= 0; side--)
        for (int i = 0; i < d.n_batch; i++) *to++ = d.batch[side][i];
    for (int side = 1; side >= 0; side--)
        for (int i = 0; i < d.n_summed; i++) *to++ = d.summed[side][i];
    for (int k = 0; k < n->rank; k++) {
        perm[k] = k < d.n_batch ? k : k < d.n_batch + left ? n->rank - left + k - d.n_batch : k - left;
        dim[perm[k]] = n->dim[k];
    }
    turned.attr = attr, turned.dim = dim;
    if (!way(g, &turned, (Type[]){ types[1], types[0] }, (Pair[]){ args[1], args[0] }, out)) return false;
    out->re = build_transpose(g, out->re, perm);
    out->im = build_transpose(g, out->im, perm);
    return true;
}

/* Elements that `doubled` stores before: this side is written out, twice as large, and so is the other one if
 * it does not lie in memory as it is needed. Strict mode goes by shapes. */
static double copied(bool strict, Graph *g, const DotDims *d, const Type *types, const Pair *args, int side)
{
    Type other = types[1 - side];
    Pair x = args[1 - side];
    int summed = (int)d->summed[1 - side][0];
    bool copies = summed != other.rank - 1;
    if (!strict && !copies) copies = !planes_lie_in_turn(g, in_turn_along(g, x.re, x.im, summed));
    return 2.0 * (double)(type_count(types[side]) + (copies ? type_count(other) : 0));
}

static int64_t batch_of(const DotDims *d, Type t)
{
    int64_t n = 1;
    for (int i = 0; i < d->n_batch; i++) n *= t.dim[d->batch[0][i]];
    return n;
}

/* Is there so much to do that writing out this side pays? It is to be used often, and the result no smaller
 * than an eighth of it, unless it is the right one, no batch, and planes of it would be turned, too (AVX-512,
 * c64, us, in planes and written out: 64 x 1024 by 1024 x 64 302 and 312, by 64 x 1024 transposed 509 and
 * 403; in batches of 32, AVX2, 16 x 16 x 16 17.9 and 11.0, but of 64 x 1000 by 1000 x 100, which all would be
 * in memory at once, 22.8 and 25.9 ms). */
static bool pays_doubled(const Node *n, const DotDims *d, const Type *types, int side, double copies)
{
    enum { LEAST_COLUMNS = 2, LEAST_DEPTH = 4, MOST_DEPTH = 4, LEAST_USES = 8 };
    int64_t depth = types[side].dim[d->summed[side][0]], rows = dot_reads(n, side, types[side]);
    bool turned = side == 1 && d->summed[1][0] == types[1].rank - 1 && batch_of(d, types[0]) == 1;
    return dot_reads(n, 1 - side, types[1 - side]) >= LEAST_COLUMNS && depth >= LEAST_DEPTH &&
           (double)depth * (double)type_count(node_type(n)) >= LEAST_USES * copies &&
           (depth <= MOST_DEPTH * rows || turned);
}

/* Is this side a vector whose columns stay in the first cache beside a matrix that is read as it lies, in
 * parts that would be shuffled? Sums are others than those of planes, so it is not for strict mode. (c64,
 * AVX-512, us: 64 x 64 0.79 -> 0.39, 1000 x 1000 123 -> 120; c128 1000 x 1000 290 -> 330.) */
static bool pays_vector(const Node *n, const DotDims *d, const Type *types, int side)
{
    enum { LEAST_ROWS = 16, MOST_BYTES = 24 << 10 };
    int64_t depth = types[side].dim[d->summed[side][0]];
    return dot_reads(n, 1 - side, types[1 - side]) == 1 && dot_reads(n, side, types[side]) >= LEAST_ROWS &&
           d->summed[1 - side][0] == types[1 - side].rank - 1 &&
           depth <= MOST_BYTES / (2 * (int64_t)dtype_bytes((DType)n->dtype));
}

/* A real number that became a complex one. */
static bool is_real(const Graph *g, Pair x)
{
    const Node *im = graph_node(g, x.im);
    return is_splat(im) && scalar_to_double((DType)im->dtype, node_bits(im)) == 0;
}

/* The way, with this side on the right. */
static bool with_right(int side, Way *way, Graph *g, const Node *n, const Type *types, const Pair *args,
                       Pair *out)
{
    return side ? way(g, n, types, args, out) : exchanged(way, g, n, types, args, out);
}

/* What sums one axis, of sides that are not real. The side that needs fewer copies is written out; if it is
 * the left one the result has to be turned. */
static bool doubled_side(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    DotDims d = dot_dims(n->attr);
    if (d.n_summed != 1 || is_real(g, args[0]) || is_real(g, args[1])) return false;
    for (int side = 1; side >= 0 && !strict; side--)
        if (pays_vector(n, &d, types, side) && with_right(side, doubled_vector, g, n, types, args, out))
            return true;
    double copies[2] = { copied(strict, g, &d, types, args, 0) + (double)type_count(node_type(n)),
                         copied(strict, g, &d, types, args, 1) };
    int first = copies[0] < copies[1] ? 0 : 1;
    for (int i = 0; i < 2; i++) {
        int side = i ? 1 - first : first;
        if (pays_doubled(n, &d, types, side, copies[side]))
            return with_right(side, doubled, g, n, types, args, out);
    }
    return false;
}

static bool crossed_side(Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    enum { FEW = 16 };
    DotDims d = dot_dims(n->attr);
    int side = dot_reads(n, 1, types[1]) <= FEW ? 0 : 1;
    return batch_of(&d, types[0]) == 1 && dot_reads(n, 1 - side, types[1 - side]) <= FEW &&
           with_right(side, crossed, g, n, types, args, out);
}

bool planes_dot(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    Pair x = args[0], y = args[1];
    /* What sums nothing, or has as many axes as there can be, is a product of planes. */
    bool may_be_one = n->op == OP_DOT && types[0].rank < WEFT_MAX_RANK && types[1].rank < WEFT_MAX_RANK &&
                      dot_dims(n->attr).n_summed > 0;
    if (may_be_one && doubled_side(strict, g, n, types, args, out)) return true;
    if (may_be_one && crossed_side(g, n, types, args, out)) return true;
    out->re = real_sub(g, product(g, n, x.re, y.re), product(g, n, x.im, y.im));
    out->im = real_add(g, product(g, n, x.re, y.im), product(g, n, x.im, y.re));
    return true;
}
