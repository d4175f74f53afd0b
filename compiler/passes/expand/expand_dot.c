/* expand_dot.c: the sum of two products by one matrix is one product of a sum: x y + z y = (x + z) y. The
 * gradient of x x^T is one. In fast mode: x and z may cancel or overflow where the products do not. */
#include "expand.h"
#include "compiler/graph/attributes.h"
#include <string.h>

/* Below so many multiplications by each element of the sum that would be stored there is nothing to win. */
enum { LEAST_SHARED = 8 };

/* All axes of an operand: batch axes, summed ones, free ones. */
static void axes_in_order(const Node *dot, int side, int rank, int64_t *order)
{
    DotDims d = dot_dims(dot->attr);
    for (int i = 0; i < d.n_batch; i++) *order++ = d.batch[side][i];
    for (int i = 0; i < d.n_summed; i++) *order++ = d.summed[side][i];
    axes_without(axes_mask(d.batch[side], d.n_batch) | axes_mask(d.summed[side], d.n_summed), rank, order);
}

/* q's operand with its axes where p's operand has them. */
static Ref turned(Graph *g, const Node *p, const Node *q, int side)
{
    int rank = g->nodes[q->args[side]].rank;
    int64_t to[WEFT_MAX_RANK], from[WEFT_MAX_RANK], perm[WEFT_MAX_RANK];
    axes_in_order(p, side, rank, to);
    axes_in_order(q, side, rank, from);
    for (int i = 0; i < rank; i++) perm[to[i]] = from[i];
    return build_transpose(g, q->args[side], perm);
}

static bool same(const int64_t *a, const int64_t *b, int n) { return !memcmp(a, b, (size_t)n * sizeof *a); }

/* Is this side the same of both? */
static bool is_shared(const Node *p, const Node *q, int side)
{
    DotDims x = dot_dims(p->attr), y = dot_dims(q->attr);
    return p->args[side] == q->args[side] && x.n_batch == y.n_batch && x.n_summed == y.n_summed &&
           same(x.batch[side], y.batch[side], x.n_batch) && same(x.summed[side], y.summed[side], x.n_summed);
}

bool expand_sum_of_dots(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    Node dots[2] = { g->nodes[args[0]], g->nodes[args[1]] };
    const Node *p = &dots[0], *q = &dots[1];
    if (p->op != OP_DOT || q->op != OP_DOT || args[0] == args[1]) return false;
    int side = is_shared(p, q, 1) ? 0 : 1;
    DType t = (DType)g->nodes[p->args[side]].dtype;
    if (!is_shared(p, q, 1 - side) || !dtype_is_float(t) || dtype_bytes(t) < 4 || t != (DType)n->dtype ||
        t != (DType)g->nodes[q->args[side]].dtype ||
        dot_reads(p, side, graph_type(g, p->args[side])) < LEAST_SHARED)
        return false;
    Ref sides[2];
    sides[1 - side] = p->args[1 - side];
    NodeSpec spec = node_spec(p);
    spec.args = sides;
    sides[side] = build_binary(g, (Op)n->op, p->args[side], turned(g, p, q, side));
    *out = graph_add(g, &spec);
    return true;
}
