/* expand_dot.c: the sum of two products by one matrix is one product of a sum: x y + z y = (x + z) y. The
 * gradient of x x^T is one. In fast mode: x and z may cancel or overflow where the products do not. */
#include "expand.h"

/* Below so many multiplications by each element of the sum that would be stored there is nothing to win. */
enum { LEAST_SHARED = 8 };

/* The axes that an operand of a dot has in the list 0, batch axes, or 1, summed ones. */
static const int64_t *axes_of(const Node *dot, int side, int list, int64_t *n)
{
    int64_t nb = dot->attr[0], nc = dot->attr[1];
    *n = list ? nc : nb;
    return dot->attr + 2 + (list ? 2 * nb + side * nc : side * nb);
}

/* All axes of an operand: batch axes, summed ones, free ones. */
static void axes_in_order(const Node *dot, int side, int rank, int64_t *order)
{
    bool taken[WEFT_MAX_RANK] = { false };
    int at = 0;
    for (int list = 0; list < 2; list++) {
        int64_t n;
        const int64_t *axes = axes_of(dot, side, list, &n);
        for (int64_t i = 0; i < n; i++) taken[order[at++] = axes[i]] = true;
    }
    for (int d = 0; d < rank; d++)
        if (!taken[d]) order[at++] = d;
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

/* Is this side the same of both? */
static bool is_shared(const Node *p, const Node *q, int side)
{
    if (p->args[side] != q->args[side]) return false;
    for (int list = 0; list < 2; list++) {
        int64_t n, m;
        const int64_t *a = axes_of(p, side, list, &n), *b = axes_of(q, side, list, &m);
        if (n != m) return false;
        for (int64_t i = 0; i < n; i++)
            if (a[i] != b[i]) return false;
    }
    return true;
}

/* How often a product reads each element of this side's operand. */
static int64_t reads_of(const Graph *g, const Node *dot, int side)
{
    const Node *x = &g->nodes[dot->args[side]];
    int64_t n = type_count(node_type(dot)), own = type_count(node_type(x)), n_summed;
    const int64_t *summed = axes_of(dot, side, 1, &n_summed);
    for (int64_t i = 0; i < n_summed && own; i++) own /= x->dim[summed[i]];
    return own ? n / own : 0;
}

bool expand_sum_of_dots(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    Node dots[2] = { g->nodes[args[0]], g->nodes[args[1]] };
    const Node *p = &dots[0], *q = &dots[1];
    if (p->op != OP_DOT || q->op != OP_DOT || args[0] == args[1]) return false;
    int side = is_shared(p, q, 1) ? 0 : 1;
    DType t = (DType)g->nodes[p->args[side]].dtype;
    if (!is_shared(p, q, 1 - side) || !dtype_is_float(t) || dtype_bytes(t) < 4 || t != (DType)n->dtype ||
        t != (DType)g->nodes[q->args[side]].dtype || reads_of(g, p, side) < LEAST_SHARED)
        return false;
    Ref sides[2];
    sides[1 - side] = p->args[1 - side];
    NodeSpec spec = node_spec(p);
    spec.args = sides;
    sides[side] = build_binary(g, (Op)n->op, p->args[side], turned(g, p, q, side));
    *out = graph_add(g, &spec);
    return true;
}
