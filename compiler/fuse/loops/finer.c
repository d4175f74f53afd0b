/* finer.c: blocks put in another order: pixels out of channels, an image out of patches, windows merged.
 *
 *     reshape (transpose (reshape x : 14x14x16x16x3) : 14x16x14x16x3) : 224x224x3
 *
 * Walked by the result's own axes, the index of each must be divided, and lanes go across the blocks. By the
 * axes of what the reshape merges nothing is divided, and the last two are one run of 48 neighbours, here and
 * there: these get the lanes (224 x 224 x 3 of 16 x 16 x 3, AVX-512: 83 -> 12 us). Only the loops change: the
 * order of the elements is the same.
 */
#include "finer.h"

/* Axes of more than one element. */
static int long_axes(Type t)
{
    int n = 0;
    for (int d = 0; d < t.rank; d++) n += t.dim[d] > 1;
    return n;
}

/* Is each axis of `coarse` a product of neighbours in `fine`, and are these more? */
static bool refines(Type fine, Type coarse)
{
    if (long_axes(fine) <= long_axes(coarse) || type_count(fine) != type_count(coarse)) return false;
    for (int i = 0, j = 0; i < coarse.rank; i++) {
        int64_t n = 1;
        while (n < coarse.dim[i] && j < fine.rank) n *= fine.dim[j++];
        if (n != coarse.dim[i]) return false;
    }
    return true;
}

static bool is_loaded(const Build *b, Ref n)
{
    OpKind kind = op_kind((Op)node_of(b, n)->op);
    return kind == OPKIND_LEAF || b->plan[n].materialized;
}

bool finer_shape(const Build *b, Ref root, Type *finer)
{
    Ref stack[MAX_SEARCHED] = { root };
    const Type t = type_of(b, root);
    for (int n = 1, searched = 0; n && searched < MAX_SEARCHED; searched++) {
        Ref r = stack[--n];
        const Node *x = node_of(b, r);
        if (r != root && is_loaded(b, r)) continue;
        if (x->op == OP_RESHAPE && !is_loaded(b, x->args[0]) && refines(type_of(b, x->args[0]), t)) {
            *finer = type_of(b, x->args[0]);
            return true;
        }
        for (uint32_t i = 0; op_is_ew((Op)x->op) && i < x->n_args && n < MAX_SEARCHED; i++)
            if (shape_equal(type_of(b, x->args[i]), t)) stack[n++] = x->args[i];
    }
    return false;
}

/* Neighbours that the innermost loop walks. */
static int64_t run_of(const Walk *w)
{
    int64_t run = 1;
    for (int d = w->shape.rank; d-- > 0;) {
        run *= w->shape.dim[d];
        if (run > 1 && !(d > 0 && w->joined[d - 1])) break;
    }
    return run;
}

/* Below an elementwise op an axis that is joined to the next ends one of the node's own. */
static bool ends_axis(Type fine, Type coarse, int a)
{
    int64_t n = 1;
    for (int i = 0, j = 0; i < coarse.rank; i++, n = 1) {
        while (n < coarse.dim[i]) n *= fine.dim[j++];
        if (j == a + 1) return true;
    }
    return false;
}

/* Are the result's rows, shorter than most vectors, made of several of the finer shape's? If the indices of
 * rows have to be divided, too, there is nothing to lose (4 x 4 patches in rows of 16, 512 x 512 f32: 144 ->
 * 48 us). Else what is computed of each element has to be little, for vectors are not full then (blocks of 2
 * x 2 pixels to channels, 128 x 128 x 3 f32, AVX-512: 48 -> 8 us). */
static bool has_short_rows(const Build *b, Ref root, const Walk *own, const Walk *finer)
{
    int64_t row = run_of(own), rest = type_count(own->shape) / row,
            bytes = row * (int64_t)dtype_bytes((DType)own->shape.dtype);
    Type before = own->shape, parts = finer->shape;
    if ((row > MAX_SHORT_RUN && bytes > SHORT_RUN_BYTES) || run_of(finer) >= row) return false;
    while (before.rank && type_count(before) != rest) before.rank--;
    while (parts.rank && type_count(parts) != rest) parts.rank--;
    return long_axes(parts) > long_axes(before) ||
           (long_axes(parts) == long_axes(before) && b->plan[root].round.cost < COST_EXPENSIVE);
}

Walk walk_of(const Build *b, Ref root)
{
    Walk own = { .of = root, .shape = type_of(b, root) }, finer = own;
    join_axes(b, root, 0, own.joined);
    if (b->n_roots > 1 || !finer_shape(b, root, &finer.shape)) return own;
    bool is_reshape = node_of(b, root)->op == OP_RESHAPE;
    if (is_reshape) finer.of = node_of(b, root)->args[0];
    for (int d = 0; d + 1 < finer.shape.rank; d++)
        finer.joined[d] = (is_reshape || ends_axis(finer.shape, own.shape, d)) &&
                          point_collapses_finer(b, finer.of, finer.shape, d);
    int64_t run = run_of(&finer);
    bool is_longer = run > run_of(&own) && 2 * run >= b->schedule.lanes;
    return is_longer || has_short_rows(b, root, &own, &finer) ? finer : own;
}

const Address *walk_index(Build *b, const Walk *w, Type t, const Address *at)
{
    if (shape_equal(t, w->shape)) return at;
    Address *to = new_index(b, t.rank);
    reshape_index(b, t, w->shape, at, to);
    return to;
}
