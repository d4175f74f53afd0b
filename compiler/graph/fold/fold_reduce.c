/* fold_reduce.c: rewrite rules of reductions and contractions.
 *
 * Sums and products of floats round at every step, so their elements stay in the order in which they were
 * asked for (runtime/eager/eager.h says which one that is, and that it depends on whether a kept axis follows
 * a reduced one). All other monoids are exact in any order.
 */
#include "compiler/graph/attributes.h"
#include "fold_rules.h"

static uint32_t reduced_axes(const Rewrite *w) { return axes_mask(w->spec->attr + 1, w->spec->n_attr - 1); }
static Op monoid_of(const Rewrite *w) { return (Op)w->spec->attr[0]; }

static Ref reduce_mask(Graph *g, Op monoid, Ref x, uint32_t mask)
{
    int64_t axes[WEFT_MAX_RANK];
    int n = 0;
    for (int i = 0; i < WEFT_MAX_RANK; i++)
        if (mask >> i & 1) axes[n++] = i;
    return build_reduce(g, monoid, x, axes, n);
}

/* x without the axes of size one that the mask names. */
static Ref drop_ones(Graph *g, Ref x, uint32_t mask)
{
    const Node *n = graph_node(g, x);
    int64_t dim[WEFT_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < n->rank; i++)
        if (!(mask >> i & 1)) dim[rank++] = n->dim[i];
    return build_reshape(g, x, dim, rank);
}

static uint32_t ones_of(const Node *n)
{
    uint32_t mask = 0;
    for (int i = 0; i < n->rank; i++) mask |= (uint32_t)(n->dim[i] == 1) << i;
    return mask;
}

/* fold of one ==> x      sum of one float ==> x + 0.0      fold of one complex number ==> start op x
 * Sums of floats begin at 0.0, and 0.0 + -0.0 is 0.0. Products of complex numbers begin at 1 + 0i: that times
 * inf has a NaN. Extremes of theirs begin at -inf + 0i, which is more than -inf - i. */
Ref fold_of_one(const Rewrite *w, Op monoid, Ref x)
{
    DType t = (DType)w->type.dtype;
    if (monoid == OP_ADD) return dtype_is_inexact(t) ? build_binary(w->g, OP_ADD, x, splat(w, 0)) : x;
    return dtype_is_complex(t) ? build_binary(w->g, monoid, splat(w, monoid_start(monoid, t)), x) : x;
}

/* reduce over axes of size one ==> reshape
 * Not sum(x) ==> x for floats: see fold_of_one. */
static Ref fold_reduce_ones(const Rewrite *w)
{
    uint32_t axes = reduced_axes(w);
    return axes & ~ones_of(w->a) ? REF_NONE : fold_of_one(w, monoid_of(w), drop_ones(w->g, w->x, axes));
}

/* Does a kept axis follow a reduced one? */
static bool is_strided(uint32_t reduced, int rank)
{
    uint32_t all = rank == 32 ? UINT32_MAX : ((uint32_t)1 << rank) - 1, lowest = reduced & (0 - reduced);
    return (all & ~reduced) > lowest;
}

static uint32_t without(uint32_t mask, uint32_t gone)
{
    uint32_t out = 0;
    for (int i = 0, k = 0; i < WEFT_MAX_RANK; i++)
        if (!(gone >> i & 1)) out |= (mask >> i & 1) << k++;
    return out;
}

/* reduce over axes of which some have size one ==> reduce over the others
 * Not for float sums where that changes whether a kept axis follows a reduced one, and so the order. */
static Ref fold_reduce_some_ones(const Rewrite *w)
{
    uint32_t axes = reduced_axes(w), gone = axes & ones_of(w->a), left = without(axes, gone);
    if (!gone) return REF_NONE;
    int rank = w->a->rank - __builtin_popcount(gone);
    if (!monoid_is_exact(monoid_of(w), (DType)w->type.dtype) &&
        is_strided(axes, w->a->rank) != is_strided(left, rank))
        return REF_NONE;
    return reduce_mask(w->g, monoid_of(w), drop_ones(w->g, w->x, gone), left);
}

/* v * n, wrapping, or v added to itself in the way of the monoid. */
static bool repeat(Op monoid, DType t, uint64_t v, uint64_t n, uint64_t *out)
{
    uint64_t bits = UINT64_MAX >> (64 - dtype_bits(t));
    *out = v;
    if (monoid_is_idempotent(monoid, t)) return true;
    if (dtype_is_inexact(t)) return false;
    if (monoid == OP_ADD) *out = v * n & bits;
    else if (monoid == OP_XOR) *out = n & 1 ? v : 0;
    else return false;
    return true;
}

/* reduce over no elements ==> the monoid's start
 * max(splat) ==> splat
 * ints: sum(splat of v) ==> n * v
 * Not sum(splat) of floats: each addition rounds. */
static Ref fold_reduce_splat(const Rewrite *w)
{
    int64_t n = 1;
    uint64_t bits;
    for (uint32_t i = 1; i < w->spec->n_attr; i++)
        if (__builtin_mul_overflow(n, w->a->dim[w->spec->attr[i]], &n)) return REF_NONE;
    if (n == 0) return splat(w, monoid_start(monoid_of(w), (DType)w->type.dtype));
    if (!is_splat(w->a) || !repeat(monoid_of(w), (DType)w->type.dtype, node_bits(w->a), (uint64_t)n, &bits))
        return REF_NONE;
    return splat(w, bits);
}

/* max(max(x, axes), others) ==> max(x, axes and others)
 * The same for every other exact monoid. */
static Ref fold_reduce_again(const Rewrite *w)
{
    if (w->a->op != OP_REDUCE || w->a->attr[0] != monoid_of(w) ||
        !monoid_is_exact(monoid_of(w), (DType)w->type.dtype))
        return REF_NONE;
    uint32_t inner = axes_mask(w->a->attr + 1, w->a->n_attr - 1), outer = reduced_axes(w), both = inner;
    int kept = 0;
    for (int i = 0; i < graph_node(w->g, w->a->args[0])->rank; i++)
        if (!(inner >> i & 1)) both |= (outer >> kept++ & 1) << i;
    return reduce_mask(w->g, monoid_of(w), w->a->args[0], both);
}

/* max(transpose(x)) ==> transpose(max(x)): work on what lies in memory
 * Not for float sums: the order. */
static Ref fold_reduce_of_transpose(const Rewrite *w)
{
    if (w->a->op != OP_TRANSPOSE || !monoid_is_exact(monoid_of(w), (DType)w->type.dtype)) return REF_NONE;
    const int64_t *perm = w->a->attr;
    uint32_t axes = reduced_axes(w), inner = 0, kept_below;
    int64_t left[WEFT_MAX_RANK];
    int n = 0;
    for (int i = 0; i < w->a->rank; i++) inner |= (axes >> i & 1) << perm[i];
    for (int i = 0; i < w->a->rank; i++) {
        if (axes >> i & 1) continue;
        kept_below = ~inner & (((uint32_t)1 << perm[i]) - 1);
        left[n++] = __builtin_popcount(kept_below);
    }
    return build_transpose(w->g, reduce_mask(w->g, monoid_of(w), w->a->args[0], inner), left);
}

/* An operand x is broadcast, and then reduced. own: the axes of x that are reduced; ones: those among its
 * axes of size one that were stretched first; to: where its other axes are in the result. */
typedef struct Spread {
    uint32_t own, ones;
    int n_kept;
    int64_t to[WEFT_MAX_RANK];
    bool ascending;
} Spread;

static Spread reduced_spread(const Node *broadcast, const Node *x, uint32_t axes)
{
    Spread s = { .ascending = true };
    const int64_t *attr = broadcast->attr;
    for (int i = 0; i < x->rank; i++) {
        bool reduced = axes >> attr[i] & 1, stretched = x->dim[i] != broadcast->dim[attr[i]];
        s.own |= (uint32_t)(reduced && !stretched) << i;
        s.ones |= (uint32_t)(reduced && stretched) << i;
        if (!reduced) s.to[s.n_kept++] = __builtin_popcount(~axes & (((uint32_t)1 << attr[i]) - 1));
        if (i && attr[i] < attr[i - 1]) s.ascending = false;
    }
    return s;
}

/* max(broadcast(x)) ==> broadcast(max(x)) over the axes that x has, and so for every idempotent monoid
 * sum(broadcast(x)) ==> broadcast(sum(x))      where x has all axes that are reduced
 * Not sum over an axis that x does not have: each addition rounds. Nor float sums where a kept axis then no
 * longer follows a reduced one, or reduced axes change places: the order. An axis without elements went to
 * fold_reduce_splat. */
static Ref fold_reduce_of_broadcast(const Rewrite *w)
{
    Op monoid = monoid_of(w);
    DType t = (DType)w->type.dtype;
    if (w->a->op != OP_BROADCAST) return REF_NONE;
    const Node *x = graph_node(w->g, w->a->args[0]);
    uint32_t axes = reduced_axes(w);
    Spread s = reduced_spread(w->a, x, axes);
    bool all_own = __builtin_popcount(s.own) == __builtin_popcount(axes);
    if (all_own ? s.n_kept == w->type.rank : !monoid_is_idempotent(monoid, t)) return REF_NONE;
    if (!monoid_is_exact(monoid, t) &&
        (!s.ascending || is_strided(axes, w->a->rank) != is_strided(s.own, x->rank)))
        return REF_NONE;
    Ref small = reduce_mask(w->g, monoid, drop_ones(w->g, w->a->args[0], s.ones), without(s.own, s.ones));
    return build_broadcast(w->g, small, w->type.dim, w->type.rank, s.to);
}

/* argmax along an axis of size one, or of a splat ==> 0: the first of equals, and the first NaN */
static Ref fold_arg_of_equals(const Rewrite *w)
{
    return is_splat(w->a) || w->a->dim[w->spec->attr[0]] == 1
               ? splat(w, scalar_from_i64((DType)w->type.dtype, 0))
               : REF_NONE;
}

/* argmax(broadcast(x)) along an axis of x ==> broadcast(argmax(x))      along another ==> 0 */
static Ref fold_arg_of_broadcast(const Rewrite *w)
{
    if (w->a->op != OP_BROADCAST) return REF_NONE;
    Spread s = reduced_spread(w->a, graph_node(w->g, w->a->args[0]), (uint32_t)1 << w->spec->attr[0]);
    if (!s.own) return splat(w, scalar_from_i64((DType)w->type.dtype, 0));
    if (s.n_kept == w->type.rank) return REF_NONE;
    int64_t axis = __builtin_ctz(s.own);
    Ref small = build_typed(w->g, w->spec->op, w->a->args, 1, &axis, 1, type_scalar(w->spec->dtype));
    return build_broadcast(w->g, small, w->type.dim, w->type.rank, s.to);
}

Ref fold_reduce(const Rewrite *w)
{
    return FIRST_OF(w, fold_reduce_ones, fold_reduce_splat, fold_reduce_some_ones, fold_reduce_again,
                    fold_reduce_of_transpose, fold_reduce_of_broadcast);
}

Ref fold_arg_extreme(const Rewrite *w) { return FIRST_OF(w, fold_arg_of_equals, fold_arg_of_broadcast); }

/* ---- contractions */

/* x, which is operand `side` without its contracting axes, spread over the product's axes. */
static Ref spread(const Rewrite *w, const DotDims *d, int side, Ref x)
{
    const Node *n = side ? w->b : w->a;
    uint32_t gone = axes_mask(d->summed[side], d->n_summed);
    int64_t to[WEFT_MAX_RANK], place[WEFT_MAX_RANK], free = side ? w->a->rank - d->n_summed : d->n_batch;
    int k = 0;
    for (int i = 0; i < n->rank; i++) place[i] = -1;
    for (int64_t i = 0; i < d->n_batch; i++) place[d->batch[side][i]] = i;
    for (int i = 0; i < n->rank; i++)
        if (!(gone >> i & 1)) to[k++] = place[i] >= 0 ? place[i] : free++;
    return build_broadcast(w->g, x, w->type.dim, w->type.rank, to);
}

/* dot with contracting axes of size one, or none ==> product of broadcasts      floats: and + 0.0
 * Sums of floats begin at 0.0.
 * Not where the result has another type: the product would round in the operands' type. Not for f16 and bf16:
 * there the sum is rounded, once, and a product that is too small for the type would be -0 before it. */
static Ref fold_dot_outer(const Rewrite *w)
{
    DotDims d = dot_dims(w->spec->attr);
    if (w->a->dtype != w->type.dtype || w->b->dtype != w->type.dtype ||
        dtype_is_narrow_float((DType)w->type.dtype))
        return REF_NONE;
    for (int64_t i = 0; i < d.n_summed; i++)
        if (w->a->dim[d.summed[0][i]] != 1) return REF_NONE;
    Ref x = spread(w, &d, 0, drop_ones(w->g, w->x, axes_mask(d.summed[0], d.n_summed))),
        y = spread(w, &d, 1, drop_ones(w->g, w->y, axes_mask(d.summed[1], d.n_summed)));
    Ref product = build_binary(w->g, OP_MUL, x, y);
    return dtype_is_inexact((DType)w->type.dtype) ? build_binary(w->g, OP_ADD, product, splat(w, 0))
                                                  : product;
}

/* dot over no elements ==> 0 */
static Ref fold_dot_empty(const Rewrite *w)
{
    DotDims d = dot_dims(w->spec->attr);
    for (int64_t i = 0; i < d.n_summed; i++)
        if (w->a->dim[d.summed[0][i]] == 0) return splat(w, 0);
    return REF_NONE;
}

/* dot(x, zeros) ==> broadcast(sum(x * 0))
 * Sums begin at 0.0, so these are 0.0 or NaN in whatever order: planes of what is real, by complex numbers.
 * Not ==> 0: wrong for inf and nan. */
static Ref fold_dot_of_zeros(const Rewrite *w)
{
    DotDims d = dot_dims(w->spec->attr);
    for (int side = 0; side < 2; side++) {
        const Node *zeros = side ? w->a : w->b;
        if (!is_number(zeros, 0) && !is_number(zeros, -0.0)) continue;
        Ref x = build_convert(w->g, side ? w->y : w->x, (DType)w->type.dtype),
            none = build_binary(w->g, OP_MUL, x, build_zeros(w->g, graph_type(w->g, x)));
        return spread(w, &d, side, reduce_mask(w->g, OP_ADD, none, axes_mask(d.summed[side], d.n_summed)));
    }
    return REF_NONE;
}

/* The list of axes as they were before the transpose. */
static void untranspose(const int64_t *perm, const int64_t *axes, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = perm[axes[i]];
}

/* Do the axes that are in no list keep their order under the transpose? */
static bool free_in_order(const Node *transpose, const DotDims *d, int side)
{
    uint32_t taken = axes_mask(d->batch[side], d->n_batch) | axes_mask(d->summed[side], d->n_summed);
    int64_t last = -1;
    for (int i = 0; i < transpose->rank; i++) {
        if (taken >> i & 1) continue;
        if (transpose->attr[i] < last) return false;
        last = transpose->attr[i];
    }
    return true;
}

/* dot(transpose(x), y) ==> dot(x, y) along other axes, and on the other side
 * Not where the free axes change order: they are the result's. */
static Ref fold_dot_of_transpose(const Rewrite *w)
{
    DotDims d = dot_dims(w->spec->attr);
    int64_t attr[2 + 4 * WEFT_MAX_RANK];
    Ref args[2] = { w->x, w->y };
    bool moved = false;
    for (uint32_t i = 0; i < w->spec->n_attr; i++) attr[i] = w->spec->attr[i];
    for (int side = 0; side < 2; side++) {
        const Node *n = side ? w->b : w->a;
        if (n->op != OP_TRANSPOSE || !free_in_order(n, &d, side)) continue;
        untranspose(n->attr, d.batch[side], d.n_batch, attr + (d.batch[side] - w->spec->attr));
        untranspose(n->attr, d.summed[side], d.n_summed, attr + (d.summed[side] - w->spec->attr));
        args[side] = n->args[0];
        moved = true;
    }
    return moved ? build_typed(w->g, OP_DOT, args, 2, attr, w->spec->n_attr, type_scalar(w->spec->dtype))
                 : REF_NONE;
}

Ref fold_dot(const Rewrite *w)
{
    return FIRST_OF(w, fold_dot_empty, fold_dot_outer, fold_dot_of_transpose, fold_dot_of_zeros);
}
