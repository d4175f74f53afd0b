/* planes_fold.c: reductions and prefixes of complex numbers. Sums are sums of planes. Products
 * and extremes are folds by a region over both planes. */
#include "planes_rules.h"

/* The region (left, right) -> left op right over pairs. */
static const Graph *reducer(Arena *a, Op monoid, DType part)
{
    Graph *g = graph_new(a, NULL);
    Type t = type_scalar(part);
    Pair x, y, z;
    x.re = build_param(g, t), x.im = build_param(g, t);
    y.re = build_param(g, t), y.im = build_param(g, t);
    if (monoid == OP_MUL) z = planes_mul(g, x, y);
    else {
        Ref before = planes_before(g, monoid == OP_MAX ? CMP_GT : CMP_LT, x, y);
        z = (Pair){ build_select(g, before, x.re, y.re), build_select(g, before, x.im, y.im) };
    }
    graph_set_outputs(g, (Ref[]){ z.re, z.im }, 2);
    return g;
}

static bool plane_sums(Graph *g, const Node *n, Pair x, Pair *out)
{
    NodeSpec s = node_spec(n);
    s.args = &x.re;
    out->re = graph_add(g, &s);
    s.args = &x.im;
    out->im = graph_add(g, &s);
    return true;
}

/* Sums of columns of what lies in turn are sums of twice as many columns. Not along the last axis, whose
 * parts would lie apart. */
static bool sums_in_turn(Graph *g, const Node *n, Type t, Pair x, Pair *out)
{
    NodeSpec s = node_spec(n);
    if (n->attr[n->n_attr - 1] == t.rank - 1 || t.rank == WEFT_MAX_RANK) return false;
    Ref both = planes_together(g, x);
    if (!planes_lie_in_turn(g, both)) return false;
    s.args = &both;
    s.dtype = dtype_part(s.dtype);
    *out = planes_apart(g, graph_add(g, &s), node_type(n));
    return true;
}

static Pair start_of(Graph *g, Op monoid, DType part)
{
    return (Pair){ build_splat(g, type_scalar(part), monoid_start(monoid, part)),
                   build_zeros(g, type_scalar(part)) };
}

bool planes_reduce(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    Arena *a = g->arena;
    Op monoid = (Op)n->attr[0];
    DType part = dtype_part((DType)types[0].dtype);
    if (monoid == OP_ADD) return sums_in_turn(g, n, types[0], args[0], out) || plane_sums(g, n, args[0], out);
    Pair start = start_of(g, monoid, part);
    NodeSpec s = { .op = OP_REDUCE_REGION,
                   .args = (Ref[]){ args[0].re, args[0].im, start.re, start.im },
                   .n_args = 4,
                   .attr = n->attr + 1,
                   .n_attr = n->n_attr - 1,
                   .region = reducer(a, monoid, part) };
    Ref parts[2];
    build_results(g, graph_add(g, &s), 2, parts);
    *out = (Pair){ parts[0], parts[1] };
    return true;
}

/* A scan along the axis: what was folded so far is the carry, and what each step gives. */
bool planes_cumulative(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
    Arena *a = g->arena;
    Op monoid = (Op)n->attr[0];
    int axis = (int)n->attr[1];
    Type t = types[0], part = { (uint8_t)dtype_part((DType)t.dtype), t.rank, t.dim };
    if (monoid == OP_ADD) return plane_sums(g, n, args[0], out);
    Ref x[] = { build_move_axis(g, args[0].re, axis, 0), build_move_axis(g, args[0].im, axis, 0) };
    Type step = type_unstacked(graph_type(g, x[0]));
    Graph *body = graph_new(a, NULL);
    Pair carry, now, next;
    carry.re = build_param(body, step), carry.im = build_param(body, step);
    now.re = build_param(body, step), now.im = build_param(body, step);
    if (monoid == OP_MUL) next = planes_mul(body, carry, now);
    else {
        Ref before = planes_before(body, monoid == OP_MAX ? CMP_GT : CMP_LT, carry, now);
        next = (Pair){ build_select(body, before, carry.re, now.re),
                       build_select(body, before, carry.im, now.im) };
    }
    graph_set_outputs(body, (Ref[]){ next.re, next.im, next.re, next.im }, 4);
    ScanShape s = { .length = part.dim[axis], .reverse = n->attr[2], .unroll = 1, .n_carry = 2, .n_xs = 2 };
    Ref first[] = { build_splat(g, step, monoid_start(monoid, (DType)part.dtype)), build_zeros(g, step), x[0],
                    x[1] },
        all[4];
    build_scan(g, s, body, first, all);
    *out = (Pair){ build_move_axis(g, all[2], 0, axis), build_move_axis(g, all[3], 0, axis) };
    return true;
}
