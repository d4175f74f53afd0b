/* transpose_dot.c: a contraction is linear in either operand; the cotangent of one is the contraction of the
 * result's cotangent with the other over the axes that are the other's alone. Of the two orders in which that
 * can be written, the one whose result needs no transpose. */
#include "compiler/graph/attributes.h"
#include "transpose_rules.h"

enum { AXES = WEFT_MAX_RANK };

/* An operand of a DOT: its axes by role. */
typedef struct DotOperand {
    int rank, nb, nc, nf;
    const int64_t *batch, *sum;
    int64_t free[AXES];
} DotOperand;

static DotOperand side_of(const Transpose *t, const Node *n, uint32_t i)
{
    DotDims d = dot_dims(n->attr);
    int nb = d.n_batch, nc = d.n_summed;
    DotOperand s = { .rank = transpose_node(t, n->args[i])->rank,
                     .nb = nb,
                     .nc = nc,
                     .batch = d.batch[i],
                     .sum = d.summed[i] };
    s.nf = axes_without(axes_mask(s.batch, nb) | axes_mask(s.sum, nc), s.rank, s.free);
    return s;
}

/* The contraction gives the other operand's contracting axes in ascending order. Each of them stands for the
 * axis of this operand with the same number in the lists. */
static void put_sum_axes(const DotOperand *self, const DotOperand *other, int first, int64_t *perm)
{
    for (int k = 0; k < self->nc; k++) {
        int place = first;
        for (int j = 0; j < self->nc; j++) place += other->sum[j] < other->sum[k];
        perm[self->sum[k]] = place;
    }
}

/* perm[axis of the operand]: where the contraction has it. Batch axes come first, then the free axes of the
 * cotangent and of the other operand, or those of the other operand first. */
static bool place_axes(const DotOperand *self, const DotOperand *other, bool other_first, int64_t *perm)
{
    for (int k = 0; k < self->nb; k++) perm[self->batch[k]] = k;
    for (int k = 0; k < self->nf; k++) perm[self->free[k]] = self->nb + (other_first ? self->nc : 0) + k;
    put_sum_axes(self, other, self->nb + (other_first ? 0 : self->nf), perm);
    for (int k = 0; k < self->rank; k++)
        if (perm[k] != k) return false;
    return true;
}

/* A list of both operands' axes, the left's first. */
static int64_t *put_lists(int64_t *to, const int64_t *left, const int64_t *right, int n)
{
    for (int k = 0; k < n; k++) to[k] = left[k], to[n + k] = right[k];
    return to + 2 * n;
}

static Ref contract(const Transpose *t, Ref ct, Ref known, const DotOperand *self, const DotOperand *other,
                    uint32_t i, bool other_first)
{
    int64_t attr[2 + 4 * AXES] = { self->nb, other->nf }, *to = attr + 2, batch[AXES], sum[AXES];
    for (int k = 0; k < self->nb; k++) batch[k] = k;
    /* the other's free axes in the result */
    for (int k = 0; k < other->nf; k++) sum[k] = self->nb + (i == 0 ? self->nf : 0) + k;
    to = other_first ? put_lists(to, other->batch, batch, self->nb)
                     : put_lists(to, batch, other->batch, self->nb);
    to =
        other_first ? put_lists(to, other->free, sum, other->nf) : put_lists(to, sum, other->free, other->nf);
    Ref args[] = { other_first ? known : ct, other_first ? ct : known };
    return build_typed(t->dst, OP_DOT, args, 2, attr, (uint32_t)(to - attr),
                       type_scalar(graph_node(t->dst, ct)->dtype));
}

bool transpose_dot(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0) && is_linear(t, n, 1)) return not_linear(t, "a product of two tangents");
    uint32_t i = is_linear(t, n, 1);
    DotOperand self = side_of(t, n, i), other = side_of(t, n, 1 - i);
    int64_t perm[AXES];
    bool other_first = !place_axes(&self, &other, false, perm) && place_axes(&self, &other, true, perm);
    if (!other_first) place_axes(&self, &other, false, perm);
    /* sums may be of a wider type */
    Ref known = build_convert(t->dst, known_arg(t, n, 1 - i), (DType)n->dtype);
    Ref r = build_transpose(t->dst, contract(t, ct, known, &self, &other, i, other_first), perm);
    return give_ct(t, n, i, build_convert(t->dst, r, (DType)transpose_node(t, n->args[i])->dtype));
}
