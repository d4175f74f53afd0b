/* fold_shape.c: rewrite rules of the ops that move elements. All of them are exact for every type: bits go
 * from one place to another.
 *
 * What is broadcast is moved before it is broadcast; slices go inside whatever they can. No rule goes the
 * other way, so none undoes another.
 */
#include "fold_rules.h"
#include <string.h>

/* ---- shared */

static const int64_t *dims_of(const Rewrite *w) { return w->type.dim; }
static int rank_of(const Rewrite *w) { return w->type.rank; }

/* Is `to` the sizes `from` with ones put in? Then at[i] is where axis i went. */
static bool only_adds_ones(const int64_t *from, int n_from, const int64_t *to, int n_to, int64_t *at)
{
    int i = 0;
    for (int k = 0; k < n_to; k++) {
        if (i < n_from && from[i] == to[k]) at[i++] = k;
        else if (to[k] != 1) return false;
    }
    return i == n_from;
}

/* ---- broadcast */

static bool is_ascending(const int64_t *axes, int n)
{
    for (int i = 0; i < n; i++)
        if (axes[i] != i) return false;
    return true;
}

/* broadcast to the own shape ==> x      broadcast that only reorders ==> transpose */
static Ref fold_broadcast_none(const Rewrite *w)
{
    const int64_t *axes = w->spec->attr;
    int64_t perm[WEFT_MAX_RANK];
    if (w->a->rank != rank_of(w)) return REF_NONE;
    for (int i = 0; i < w->a->rank; i++) {
        if (w->a->dim[i] != dims_of(w)[axes[i]]) return REF_NONE;
        perm[axes[i]] = i;
    }
    return is_ascending(axes, w->a->rank) ? w->x : build_transpose(w->g, w->x, perm);
}

/* broadcast that only adds axes of size one ==> reshape
 * Not where axes change order. */
static Ref fold_broadcast_ones(const Rewrite *w)
{
    const int64_t *axes = w->spec->attr;
    int64_t elements = type_count(w->type);
    if (elements == 0 || elements != type_count(node_type(w->a))) return REF_NONE;
    for (int i = 0; i < w->a->rank; i++)
        if (w->a->dim[i] != dims_of(w)[axes[i]] || (i && axes[i] < axes[i - 1])) return REF_NONE;
    return build_reshape(w->g, w->x, dims_of(w), rank_of(w));
}

/* broadcast(broadcast(x)) ==> broadcast(x)
 * broadcast(transpose(x)) ==> broadcast(x)
 * broadcast(reshape of x that adds axes of size one) ==> broadcast(x) */
static Ref fold_broadcast_moved(const Rewrite *w)
{
    const int64_t *axes = w->spec->attr;
    Op by = (Op)w->a->op;
    if (by != OP_BROADCAST && by != OP_TRANSPOSE && by != OP_RESHAPE) return REF_NONE;
    const Node *inner = graph_node(w->g, w->a->args[0]);
    int64_t to[WEFT_MAX_RANK], at[WEFT_MAX_RANK];
    if (by == OP_RESHAPE && !only_adds_ones(inner->dim, inner->rank, w->a->dim, w->a->rank, at))
        return REF_NONE;
    for (int i = 0; i < inner->rank; i++) {
        if (by == OP_BROADCAST) to[i] = axes[w->a->attr[i]];
        else if (by == OP_RESHAPE) to[i] = axes[at[i]];
        else to[w->a->attr[i]] = axes[i];
    }
    return build_broadcast(w->g, w->a->args[0], dims_of(w), rank_of(w), to);
}

Ref fold_broadcast(const Rewrite *w)
{
    return FIRST_OF(w, fold_moved_splat, fold_broadcast_none, fold_broadcast_moved, fold_broadcast_ones);
}

/* ---- reshape */

/* reshape to the own shape ==> x      reshape(reshape(x)) ==> reshape(x) */
static Ref fold_reshape_again(const Rewrite *w)
{
    if (has_shape(w->a, w->type)) return w->x;
    return w->a->op == OP_RESHAPE ? build_reshape(w->g, w->a->args[0], dims_of(w), rank_of(w)) : REF_NONE;
}

/* reshape(constant) ==> constant of the new shape: the same bytes */
static Ref fold_reshape_constant(const Rewrite *w)
{
    return w->a->op == OP_CONSTANT ? build_constant(w->g, w->type, w->a->data) : REF_NONE;
}

/* reshape(broadcast(one element)) ==> broadcast(the element) */
static Ref fold_reshape_of_one(const Rewrite *w)
{
    if (w->a->op != OP_BROADCAST || type_count(node_type(graph_node(w->g, w->a->args[0]))) != 1)
        return REF_NONE;
    return build_broadcast(w->g, build_reshape(w->g, w->a->args[0], NULL, 0), dims_of(w), rank_of(w), NULL);
}

/* reshape(broadcast(x)) that adds ones ==> broadcast(x) to the new shape */
static Ref fold_reshape_of_broadcast(const Rewrite *w)
{
    int64_t at[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    if (w->a->op != OP_BROADCAST || !only_adds_ones(w->a->dim, w->a->rank, dims_of(w), rank_of(w), at))
        return REF_NONE;
    for (uint32_t i = 0; i < w->a->n_attr; i++) to[i] = at[w->a->attr[i]];
    return build_broadcast(w->g, w->a->args[0], dims_of(w), rank_of(w), to);
}

Ref fold_reshape(const Rewrite *w)
{
    return FIRST_OF(w, fold_moved_splat, fold_reshape_again, fold_reshape_constant, fold_reshape_of_one,
                    fold_reshape_of_broadcast);
}

/* ---- transpose */

/* transpose by the identity ==> x      transpose that moves only axes of size one ==> reshape */
static Ref fold_transpose_none(const Rewrite *w)
{
    const int64_t *perm = w->spec->attr;
    int64_t last = -1;
    if (is_ascending(perm, rank_of(w))) return w->x;
    for (int i = 0; i < rank_of(w); i++) {
        if (dims_of(w)[i] == 1) continue;
        if (perm[i] < last) return REF_NONE;
        last = perm[i];
    }
    return build_reshape(w->g, w->x, dims_of(w), rank_of(w));
}

/* transpose(transpose(x)) ==> transpose(x)
 * transpose(broadcast(x)) ==> broadcast(x)
 * transpose(iota) ==> iota */
static Ref fold_transpose_moved(const Rewrite *w)
{
    const int64_t *perm = w->spec->attr;
    int64_t axes[WEFT_MAX_RANK], place[WEFT_MAX_RANK];
    for (int i = 0; i < rank_of(w); i++) place[perm[i]] = i;
    switch (w->a->op) {
    case OP_IOTA: return build_iota(w->g, w->type, (int)place[w->a->attr[0]]);
    case OP_TRANSPOSE:
        for (int i = 0; i < rank_of(w); i++) axes[i] = w->a->attr[perm[i]];
        return build_transpose(w->g, w->a->args[0], axes);
    case OP_BROADCAST:
        for (uint32_t i = 0; i < w->a->n_attr; i++) axes[i] = place[w->a->attr[i]];
        return build_broadcast(w->g, w->a->args[0], dims_of(w), rank_of(w), axes);
    default: return REF_NONE;
    }
}

Ref fold_transpose(const Rewrite *w)
{
    return FIRST_OF(w, fold_moved_splat, fold_transpose_none, fold_transpose_moved, fold_moved_constants);
}

/* ---- slice */

typedef struct SliceAttr {
    const int64_t *start, *limit, *stride;
} SliceAttr;
static SliceAttr cut_of(const int64_t *attr, int rank)
{
    return (SliceAttr){ attr, attr + rank, attr + 2 * rank };
}

/* slice of everything ==> x
 * A slice lies within x, so one of the same sizes starts at 0 with stride 1. */
static Ref fold_slice_all(const Rewrite *w) { return has_shape(w->a, w->type) ? w->x : REF_NONE; }

/* slice(slice(x)) ==> slice(x) */
static Ref fold_slice_again(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (w->a->op != OP_SLICE) return REF_NONE;
    SliceAttr in = cut_of(w->a->attr, rank_of(w)), out = cut_of(w->spec->attr, rank_of(w));
    for (int i = 0; i < rank_of(w); i++) {
        int64_t n = dims_of(w)[i];
        start[i] = in.start[i] + (n ? out.start[i] * in.stride[i] : 0);
        stride[i] = n > 1 ? in.stride[i] * out.stride[i] : 1;
        limit[i] = n ? start[i] + (n - 1) * stride[i] + 1 : start[i];
    }
    return build_slice(w->g, w->a->args[0], start, limit, stride);
}

/* slice(transpose(x)) ==> transpose(slice(x)) */
static Ref fold_slice_of_transpose(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (w->a->op != OP_TRANSPOSE) return REF_NONE;
    SliceAttr out = cut_of(w->spec->attr, rank_of(w));
    for (int i = 0; i < rank_of(w); i++) {
        int64_t axis = w->a->attr[i];
        start[axis] = out.start[i], limit[axis] = out.limit[i], stride[axis] = out.stride[i];
    }
    return build_transpose(w->g, build_slice(w->g, w->a->args[0], start, limit, stride), w->a->attr);
}

/* slice(broadcast(x)) ==> broadcast(slice(x))
 * The slice cuts the axes that x has; the broadcast makes the others shorter. */
static Ref fold_slice_of_broadcast(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (w->a->op != OP_BROADCAST) return REF_NONE;
    const Node *inner = graph_node(w->g, w->a->args[0]);
    SliceAttr out = cut_of(w->spec->attr, rank_of(w));
    for (int i = 0; i < inner->rank; i++) {
        int64_t axis = w->a->attr[i];
        bool stretched = inner->dim[i] == 1;
        start[i] = stretched ? 0 : out.start[axis];
        limit[i] = stretched ? 1 : out.limit[axis];
        stride[i] = stretched ? 1 : out.stride[axis];
    }
    /* An axis of size one that is cut to nothing: the result has no elements, and any broadcast to it is
     * right. */
    return build_broadcast(w->g, build_slice(w->g, w->a->args[0], start, limit, stride), dims_of(w),
                           rank_of(w), w->a->attr);
}

/* slice(iota) ==> iota      where its own axis is whole */
static Ref fold_slice_of_iota(const Rewrite *w)
{
    if (w->a->op != OP_IOTA) return REF_NONE;
    int64_t axis = w->a->attr[0];
    bool is_whole = w->spec->attr[axis] == 0 && w->spec->attr[2 * rank_of(w) + axis] == 1;
    return is_whole ? build_iota(w->g, w->type, (int)axis) : REF_NONE;
}

/* slice(reverse(x)) ==> reverse(slice(x)) */
static Ref fold_slice_of_reverse(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (w->a->op != OP_REVERSE) return REF_NONE;
    SliceAttr out = cut_of(w->spec->attr, rank_of(w));
    for (int i = 0; i < rank_of(w); i++)
        start[i] = out.start[i], limit[i] = out.limit[i], stride[i] = out.stride[i];
    for (uint32_t k = 0; k < w->a->n_attr; k++) {
        int64_t i = w->a->attr[k], n = dims_of(w)[i];
        if (n == 0) continue;
        start[i] = w->a->dim[i] - 1 - (out.start[i] + (n - 1) * out.stride[i]);
        limit[i] = start[i] + (n - 1) * out.stride[i] + 1;
    }
    return build_reverse(w->g, build_slice(w->g, w->a->args[0], start, limit, stride), w->a->attr,
                         (int)w->a->n_attr);
}

/* slice(pad(x)) ==> slice(x)      where nothing of the padding is left
 * slice(pad(x, filler)) ==> filler, broadcast      where nothing of x is left
 * Not across interior padding. */
static Ref fold_slice_of_pad(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    if (w->a->op != OP_PAD || type_count(w->type) == 0) return REF_NONE;
    const Node *inner = graph_node(w->g, w->a->args[0]);
    const int64_t *low = w->a->attr, *interior = low + 2 * rank_of(w);
    SliceAttr out = cut_of(w->spec->attr, rank_of(w));
    bool inside = true, outside = false;
    for (int i = 0; i < rank_of(w); i++) {
        int64_t n = inner->dim[i], last = out.start[i] + (dims_of(w)[i] - 1) * out.stride[i];
        int64_t end = n ? n + (n - 1) * interior[i] : 0; /* x stands at low .. low + end */
        start[i] = out.start[i] - low[i], limit[i] = last - low[i] + 1, stride[i] = out.stride[i];
        outside = outside || last < low[i] || start[i] >= end;
        inside = inside && interior[i] == 0 && start[i] >= 0 && limit[i] <= n;
    }
    if (outside) return build_broadcast(w->g, w->a->args[1], dims_of(w), rank_of(w), NULL);
    return inside ? build_slice(w->g, w->a->args[0], start, limit, stride) : REF_NONE;
}

/* slice(concatenate(..., x, ...)) ==> slice(x)      where it takes from x only */
static Ref fold_slice_of_concatenate(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK];
    if (w->a->op != OP_CONCATENATE || type_count(w->type) == 0) return REF_NONE;
    SliceAttr out = cut_of(w->spec->attr, rank_of(w));
    int64_t axis = w->a->attr[0], last = out.start[axis] + (dims_of(w)[axis] - 1) * out.stride[axis],
            before = 0;
    for (uint32_t k = 0; k < w->a->n_args && before <= out.start[axis]; k++) {
        int64_t size = graph_node(w->g, w->a->args[k])->dim[axis];
        if (out.start[axis] >= before && last < before + size) {
            for (int i = 0; i < rank_of(w); i++) start[i] = out.start[i], limit[i] = out.limit[i];
            start[axis] -= before, limit[axis] = last - before + 1;
            return build_slice(w->g, w->a->args[k], start, limit, out.stride);
        }
        before += size;
    }
    return REF_NONE;
}

Ref fold_slice(const Rewrite *w)
{
    return FIRST_OF(w, fold_slice_all, fold_moved_splat, fold_slice_again, fold_slice_of_transpose,
                    fold_slice_of_broadcast, fold_slice_of_iota, fold_slice_of_reverse, fold_slice_of_pad,
                    fold_slice_of_concatenate, fold_slice_of_gather, fold_moved_constants);
}

/* ---- reverse */

/* reverse(x) along axes of size one or none ==> x
 * reverse(reverse(x)) ==> reverse(x) along the axes that only one of them has */
static Ref fold_reverse_axes(const Rewrite *w)
{
    uint32_t twice = 0, now = 0;
    for (uint32_t i = 0; i < w->spec->n_attr; i++)
        now |= (uint32_t)(w->a->dim[w->spec->attr[i]] > 1) << w->spec->attr[i];
    if (w->a->op == OP_REVERSE) twice = axes_mask(w->a->attr, w->a->n_attr);
    if (!twice && (uint32_t)__builtin_popcount(now) == w->spec->n_attr && now) return REF_NONE;
    Ref x = twice ? w->a->args[0] : w->x;
    int64_t axes[WEFT_MAX_RANK];
    int n = 0;
    for (int i = 0; i < rank_of(w); i++)
        if ((now ^ twice) >> i & 1) axes[n++] = i;
    return n ? build_reverse(w->g, x, axes, n) : x;
}

Ref fold_reverse(const Rewrite *w)
{
    return FIRST_OF(w, fold_moved_splat, fold_reverse_axes, fold_moved_constants);
}

/* ---- pad */

/* pad by nothing ==> x      pad that only cuts ==> slice */
static Ref fold_pad_none(const Rewrite *w)
{
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    const int64_t *low = w->spec->attr, *high = low + rank_of(w), *interior = high + rank_of(w);
    for (int i = 0; i < rank_of(w); i++) {
        if (low[i] > 0 || high[i] > 0 || (interior[i] && w->a->dim[i] > 1)) return REF_NONE;
        start[i] = -low[i], limit[i] = w->a->dim[i] + high[i], stride[i] = 1;
        if (start[i] > limit[i]) return REF_NONE;
    }
    return build_slice(w->g, w->x, start, limit, stride);
}

/* pad(splat of v, v) ==> splat      pad(no elements, v) ==> v, broadcast */
static Ref fold_pad_filler(const Rewrite *w)
{
    if (is_splat(w->a) && is_bits(w->b, node_bits(w->a))) return splat(w, node_bits(w->a));
    return type_count(node_type(w->a)) == 0 ? build_broadcast(w->g, w->y, dims_of(w), rank_of(w), NULL)
                                            : REF_NONE;
}

/* pad(pad(x, v), v) ==> pad(x, v)
 * Not where one cuts what the other adds at the same end, nor where the outer one pads between elements. */
static Ref fold_pad_again(const Rewrite *w)
{
    int64_t attr[3 * WEFT_MAX_RANK];
    int rank = rank_of(w);
    if (w->a->op != OP_PAD || w->a->args[1] != w->y) return REF_NONE;
    for (int i = 0; i < 2 * rank; i++) {
        int64_t in = w->a->attr[i], out = w->spec->attr[i];
        if (in < 0 || out < 0 || __builtin_add_overflow(in, out, &attr[i])) return REF_NONE;
    }
    for (int i = 2 * rank; i < 3 * rank; i++) {
        if (w->spec->attr[i]) return REF_NONE;
        attr[i] = w->a->attr[i];
    }
    return build_pad(w->g, w->a->args[0], w->y, attr, attr + rank, attr + 2 * rank);
}

Ref fold_pad(const Rewrite *w) { return FIRST_OF(w, fold_pad_none, fold_pad_filler, fold_pad_again); }

/* ---- concatenate */

/* concatenate(x) ==> x      concatenate(x, nothing, y) ==> concatenate(x, y) */
static Ref fold_concatenate_empty(const Rewrite *w)
{
    enum { LOOKED_AT = 64 };
    const NodeSpec *s = w->spec;
    int64_t axis = s->attr[0];
    Ref some[LOOKED_AT];
    int n = 0;
    if (s->n_args == 1) return w->x;
    if (s->n_args > LOOKED_AT || dims_of(w)[axis] == 0) return REF_NONE;
    for (uint32_t i = 0; i < s->n_args; i++)
        if (graph_node(w->g, s->args[i])->dim[axis]) some[n++] = s->args[i];
    return (uint32_t)n < s->n_args ? build_concatenate(w->g, some, n, (int)axis) : REF_NONE;
}

/* concatenate(splats of v) ==> splat of v */
static Ref fold_concatenate_splats(const Rewrite *w)
{
    if (!is_splat(w->a)) return REF_NONE;
    for (uint32_t i = 1; i < w->spec->n_args; i++)
        if (!is_bits(graph_node(w->g, w->spec->args[i]), node_bits(w->a))) return REF_NONE;
    return splat(w, node_bits(w->a));
}

/* Is n a slice of the same x that begins at `from` on the axis, and equal to `like` on all others? */
static bool continues(const Node *n, const Node *like, int64_t axis, int64_t from)
{
    if (n->op != OP_SLICE || n->args[0] != like->args[0] || n->attr[axis] != from) return false;
    for (int64_t i = 0; i < n->n_attr; i++)
        if (i % n->rank != axis && n->attr[i] != like->attr[i]) return false;
    return n->attr[2 * n->rank + axis] == 1;
}

/* concatenate(x[0:2], x[2:5]) ==> x[0:5] */
static Ref fold_concatenate_slices(const Rewrite *w)
{
    const NodeSpec *s = w->spec;
    int64_t axis = s->attr[0], limit[WEFT_MAX_RANK];
    if (w->a->op != OP_SLICE) return REF_NONE;
    SliceAttr first = cut_of(w->a->attr, rank_of(w));
    int64_t end = first.start[axis];
    for (uint32_t i = 0; i < s->n_args; i++) {
        const Node *n = graph_node(w->g, s->args[i]);
        if (!continues(n, w->a, axis, end)) return REF_NONE;
        end = cut_of(n->attr, n->rank).limit[axis];
    }
    for (int i = 0; i < rank_of(w); i++) limit[i] = i == axis ? end : first.limit[i];
    return build_slice(w->g, w->a->args[0], first.start, limit, first.stride);
}

/* concatenate(concatenate(x, y), z) ==> concatenate(x, y, z)      along the same axis: an edge that is padded
 * end by end. Few operands: what grows by one at each step of a long program stays linear in its steps. */
static Ref fold_concatenate_again(const Rewrite *w)
{
    enum { MOST = 8 };
    const NodeSpec *s = w->spec;
    Ref all[MOST];
    int n = 0;
    if (s->n_args > MOST) return REF_NONE;
    for (uint32_t i = 0; i < s->n_args; i++) {
        const Node *x = graph_node(w->g, s->args[i]);
        bool joined = x->op == OP_CONCATENATE && x->attr[0] == s->attr[0];
        int more = joined ? (int)x->n_args : 1;
        if (n + more > MOST) return REF_NONE;
        memcpy(all + n, joined ? x->args : &s->args[i], (size_t)more * sizeof *all);
        n += more;
    }
    return n > (int)s->n_args ? build_concatenate(w->g, all, n, (int)s->attr[0]) : REF_NONE;
}

Ref fold_concatenate(const Rewrite *w)
{
    return FIRST_OF(w, fold_concatenate_empty, fold_concatenate_splats, fold_concatenate_slices,
                    fold_moved_constants, fold_concatenate_again);
}
