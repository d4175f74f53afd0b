/* transpose_shape.c: what moves elements moves them back; sums are broadcast, broadcasts summed. */
#include "transpose_rules.h"

enum { AXES = WEFT_MAX_RANK };

/* Back to the operand's axes: sums over those that it does not have, or that it stretched. */
bool transpose_broadcast(const Transpose *t, const Node *n, Ref ct)
{
    Type a = arg_type(t, n, 0);
    int64_t axes[AXES];
    bool kept[AXES] = { false };
    int gone = 0;
    for (int i = 0; i < a.rank; i++) kept[n->attr[i]] = a.dim[i] == n->dim[n->attr[i]];
    for (int i = 0; i < n->rank; i++)
        if (!kept[i]) axes[gone++] = i;
    if (gone) ct = build_reduce(t->dst, OP_ADD, ct, axes, gone);
    int64_t perm[AXES];
    int rank = 0;
    for (int i = 0; i < a.rank; i++) { /* the place among the kept axes */
        if (!kept[n->attr[i]]) continue;
        perm[rank] = 0;
        for (int k = 0; k < n->attr[i]; k++) perm[rank] += kept[k];
        rank++;
    }
    return give_ct(t, n, 0, build_reshape(t->dst, build_transpose(t->dst, ct, perm), a.dim, a.rank));
}

bool transpose_reshape(const Transpose *t, const Node *n, Ref ct)
{
    Type a = arg_type(t, n, 0);
    return give_ct(t, n, 0, build_reshape(t->dst, ct, a.dim, a.rank));
}

bool transpose_transpose(const Transpose *t, const Node *n, Ref ct)
{
    int64_t back[AXES];
    for (int i = 0; i < n->rank; i++) back[n->attr[i]] = i;
    return give_ct(t, n, 0, build_transpose(t->dst, ct, back));
}

static Ref zero_of(const Transpose *t, const Node *n) { return build_zeros(t->dst, type_scalar(n->dtype)); }

bool transpose_slice(const Transpose *t, const Node *n, Ref ct)
{
    Type a = arg_type(t, n, 0);
    const int64_t *start = n->attr, *stride = n->attr + 2 * n->rank;
    int64_t high[AXES], between[AXES];
    for (int i = 0; i < n->rank; i++) {
        int64_t end = n->dim[i] ? start[i] + (n->dim[i] - 1) * stride[i] + 1 : start[i];
        between[i] = stride[i] - 1;
        high[i] = a.dim[i] - end;
    }
    return give_ct(t, n, 0, build_pad(t->dst, ct, zero_of(t, n), start, high, between));
}

/* The elements that came from the operand: what was cut off is put back as zeros, what was put between is
 * stepped over. */
static Ref unpad(const Transpose *t, const Node *n, Ref ct)
{
    Type a = arg_type(t, n, 0);
    const int64_t *low = n->attr, *high = low + n->rank, *interior = high + n->rank;
    int64_t back_low[AXES], back_high[AXES], start[AXES], limit[AXES], stride[AXES], none[AXES] = { 0 };
    for (int i = 0; i < n->rank; i++) {
        if (a.dim[i] == 0) return build_zeros(t->dst, a);
        back_low[i] = low[i] < 0 ? -low[i] : 0;
        back_high[i] = high[i] < 0 ? -high[i] : 0;
        start[i] = low[i] > 0 ? low[i] : 0;
        limit[i] = start[i] + (a.dim[i] - 1) * (interior[i] + 1) + 1;
        stride[i] = interior[i] + 1;
    }
    return build_slice(t->dst, build_pad(t->dst, ct, zero_of(t, n), back_low, back_high, none), start, limit,
                       stride);
}

/* The sum over where the filler stands: chosen by a mask that is padded alike, for a difference of sums would
 * not be exact. */
static Ref sum_of_filler(const Transpose *t, const Node *n, Ref ct)
{
    Graph *g = t->dst;
    Type a = arg_type(t, n, 0);
    Ref inside = build_zeros(g, (Type){ WEFT_BOOL, a.rank, a.dim }),
        outside = build_splat(g, type_scalar(WEFT_BOOL), 1);
    Ref mask = same_op(t, n, (Ref[]){ inside, outside }, 2);
    int64_t axes[AXES];
    for (int i = 0; i < n->rank; i++) axes[i] = i;
    return build_reduce(g, OP_ADD, build_select(g, mask, ct, build_zeros(g, node_type(n))), axes, n->rank);
}

bool transpose_pad(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0)) give_ct(t, n, 0, unpad(t, n, ct));
    if (is_linear(t, n, 1)) give_ct(t, n, 1, sum_of_filler(t, n, ct));
    return must_be_zero(t, n, 0) && must_be_zero(t, n, 1);
}

bool transpose_concatenate(const Transpose *t, const Node *n, Ref ct)
{
    int64_t end = 0;
    for (uint32_t k = 0; k < n->n_args; k++) {
        int64_t start = end;
        if (!must_be_zero(t, n, k)) return false;
        end += arg_type(t, n, k).dim[n->attr[0]];
        if (is_linear(t, n, k))
            give_ct(t, n, k, build_slice_along(t->dst, ct, (int)n->attr[0], start, end, 1));
    }
    return true;
}

/* Each element goes into one sum. */
bool transpose_reduce(const Transpose *t, const Node *n, Ref ct)
{
    if (n->op != OP_REDUCE || n->attr[0] != OP_ADD) return not_linear(t, "a reduction that is no sum");
    Type a = arg_type(t, n, 0);
    int64_t axes[AXES];
    axes_without(axes_mask(n->attr + 1, n->n_attr - 1), a.rank, axes);
    return give_ct(t, n, 0, build_broadcast(t->dst, ct, a.dim, a.rank, axes));
}
