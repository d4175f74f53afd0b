/* expand_power.c: powers by a constant, x^y for 4 y whole, as products, roots and a reciprocal. */
#include "expand.h"
#include <math.h>
#include <stdlib.h>

/* 4 y; 0: y is 0, or the power stays what it is. */
static int quarters_of(const Node *n, const Node *y)
{
    double four = dtype_is_float((DType)n->dtype) && is_splat(y)
                      ? 4 * scalar_to_double((DType)y->dtype, node_bits(y))
                      : 0;
    return fabs(four) <= 4 * MOST_POWER && four == trunc(four) ? (int)four : 0;
}

/* x^n by squaring, n > 0. The squares are shared between powers of one x. */
static Ref whole_power(Graph *g, Ref x, int n)
{
    Ref all = REF_NONE;
    for (; n; n /= 2) {
        if (n % 2) all = all == REF_NONE ? x : build_binary(g, OP_MUL, all, x);
        if (n > 1) x = build_binary(g, OP_MUL, x, x);
    }
    return all;
}

/* x^(q/4), 0 < q < 4 */
static Ref root_power(Graph *g, Ref x, int q)
{
    Ref root = build_unary(g, OP_SQRT, x);
    if (q == 2) return root;
    Ref fourth = build_unary(g, OP_SQRT, root);
    return q == 1 ? fourth : build_binary(g, OP_MUL, root, fourth);
}

/* What has the same power by a fraction, and whose root does: 0 of -0, inf of -inf. */
static Ref base_of_fraction(Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    Ref inf = build_splat(g, t, scalar_from_double((DType)t.dtype, INFINITY)),
        least = build_splat(g, t, scalar_from_double((DType)t.dtype, -INFINITY));
    Ref same = build_select(g, build_compare(g, CMP_EQ, x, least), inf, x);
    return build_binary(g, OP_ADD, same, build_zeros(g, t));
}

static Ref reciprocal(Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    return build_binary(g, OP_DIV, build_splat(g, t, scalar_from_double((DType)t.dtype, 1)), x);
}

/* All that is computed on the way lies between 1 and the result, or the result is 0 or inf: so nothing
 * overflows or goes subnormal that the result would not.
 * Not 1 / x^5: x^5 overflows while x^-5 is a subnormal number. Not sqrt(1 / x) for x^(-1/2): 1 / x overflows
 * for a subnormal x. */
static Ref quarter_power(Graph *g, Ref x, int quarters)
{
    bool down = quarters < 0;
    int n = abs(quarters) / 4, rest = abs(quarters) % 4;
    if (rest) x = base_of_fraction(g, x);
    if (!n) return down ? reciprocal(g, root_power(g, x, rest)) : root_power(g, x, rest);
    if (down) x = reciprocal(g, x);
    Ref whole = whole_power(g, x, n);
    return rest ? build_binary(g, OP_MUL, whole, root_power(g, x, rest)) : whole;
}

bool expand_power(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    int quarters = quarters_of(n, graph_node(g, args[1]));
    if (!quarters) return false;
    Ref x = build_convert(g, args[0], compute_type((DType)n->dtype));
    *out = build_convert(g, quarter_power(g, x, quarters), (DType)n->dtype);
    return true;
}
