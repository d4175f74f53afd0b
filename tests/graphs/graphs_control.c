/* graphs_control.c: makers of control flow and of what has rules: regions are random programs of their own,
 * whose outputs are made to fit what the op wants. */
#include <string.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "tests/graphs/graphs_parts.h"

/* A maker for a region inside m's program; its pool holds the parameters. */
static void enter(Maker *inner, Maker *m, const char *name)
{
    *inner = (Maker){ .g = graph_new(m->g->arena, name),
                      .rng = { rng_bits(&m->rng) },
                      .options = m->options,
                      .nesting = m->nesting + 1,
                      .closed = true,
                      .favours_pieces = m->favours_pieces };
    memcpy(inner->axis, m->axis, sizeof inner->axis);
}

static Ref param(Maker *inner, Type t)
{
    int64_t number = inner->g->n_params;
    Ref r = maker_put(inner, &(NodeSpec){ .op = OP_PARAMETER,
                                          .attr = &number,
                                          .n_attr = 1,
                                          .dtype = (DType)t.dtype,
                                          .dim = t.dim,
                                          .rank = t.rank });
    maker_keep(inner, r);
    return r;
}

static void some_steps(Maker *inner)
{
    if (inner->n_pool == 0) maker_keep(inner, maker_leaf(inner, WEFT_F32, &(Shape){ 0, { 0 } }));
    for (int i = 1 + (int)below(inner, 4); i > 0 && !inner->failed; i--) maker_keep(inner, make_step(inner));
}

/* The outputs that the types ask for, and the region. */
static const Graph *leave(Maker *inner, Maker *m, Ref *outputs, uint32_t n_made, const Type *want, uint32_t n)
{
    for (uint32_t i = n_made; i < n && !inner->failed; i++) {
        Shape s = { want[i].rank, { 0 } };
        for (int k = 0; k < s.rank; k++) s.dim[k] = want[i].dim[k];
        outputs[i] = maker_like(inner, (DType)want[i].dtype, &s);
    }
    if (inner->failed || inner->g->failure.code != WEFT_OK) {
        m->failed = true;
        fail(&m->g->failure, inner->g->failure.code, "in a region: %s", inner->g->failure.text);
    }
    graph_set_outputs(inner->g, outputs, n);
    return inner->g;
}

/* All results but the first go into the pool. */
static Ref take_results(Maker *m, Ref r, uint32_t n)
{
    if (r == REF_NONE || n == 1) return r;
    for (uint32_t i = 1; i < n; i++) maker_keep(m, maker_attr(m, OP_RESULT, r, (int64_t[]){ i }, 1));
    return maker_attr(m, OP_RESULT, r, (int64_t[]){ 0 }, 1);
}

static Ref put_given(Maker *m, NodeSpec s, const Type *results, uint32_t n)
{
    if (n == 1) s.dtype = (DType)results[0].dtype, s.dim = results[0].dim, s.rank = results[0].rank;
    else s.results = results, s.n_results = n;
    return maker_put(m, &s);
}

static Ref any_scalar(Maker *m, DType t)
{
    Shape one = { 0, { 0 } };
    return maker_like(m, t, &one);
}

static bool too_big(const Maker *m, Ref r)
{
    Shape s = shape_of(m, r);
    return shape_count(&s) > MAX_ELEMENTS / 8;
}

Ref make_map(Maker *m)
{
    Maker inner;
    Ref a = maker_any(m), args[3] = { a }, outputs[2];
    Shape s = shape_of(m, a);
    uint32_t n = 1 + below(m, 3), n_results = 1 + below(m, 2);
    if (m->nesting >= MAX_NESTING || too_big(m, a)) return a;
    for (uint32_t i = 1; i < n; i++) args[i] = maker_like(m, maker_dtype(m), &s);
    enter(&inner, m, "mapped");
    /* what is an array in there is small */
    inner.axis[0] = inner.axis[1] = inner.axis[2] = inner.axis[3] = 1;
    for (uint32_t i = 0; i < n; i++) param(&inner, (Type){ (uint8_t)dtype_of(m, args[i]), 0, NULL });
    some_steps(&inner);
    Type want[2], results[2];
    for (uint32_t i = 0; i < n_results; i++) {
        want[i] = (Type){ (uint8_t)maker_dtype(m), 0, NULL };
        results[i] = (Type){ want[i].dtype, (uint8_t)s.rank, s.dim };
    }
    const Graph *region = leave(&inner, m, outputs, 0, want, n_results);
    if (m->failed) return REF_NONE;
    return take_results(m,
                        put_given(m, (NodeSpec){ .op = OP_MAP, .args = args, .n_args = n, .region = region },
                                  results, n_results),
                        n_results);
}

Ref make_case(Maker *m)
{
    Ref args[4] = { any_scalar(m, WEFT_I32) }, outputs[2];
    uint32_t n = 1 + below(m, 3), n_branches = 1 + below(m, 3), n_results = 1 + below(m, 2);
    const Graph *branches[3];
    Type want[2];
    if (m->nesting >= MAX_NESTING) return args[0];
    for (uint32_t i = 1; i <= n; i++) args[i] = maker_any(m);
    for (uint32_t i = 0; i < n_results; i++) {
        Ref like = maker_any(m);
        want[i] = type_of(m, too_big(m, like) ? args[0] : like);
    }
    for (uint32_t k = 0; k < n_branches && !m->failed; k++) {
        Maker inner;
        enter(&inner, m, "branch");
        for (uint32_t i = 1; i <= n; i++) param(&inner, type_of(m, args[i]));
        some_steps(&inner);
        branches[k] = leave(&inner, m, outputs, 0, want, n_results);
    }
    if (m->failed) return REF_NONE;
    NodeSpec spec = {
        .op = OP_CASE, .args = args, .n_args = n + 1, .regions = branches, .n_regions = n_branches
    };
    return take_results(m, put_given(m, spec, want, n_results), n_results);
}

/* while i < limit and (perhaps) some value says so: at most 5 steps, for limit is clamped. Operands:
 * invariants, of which the last is the limit; i; carries. */
Ref make_while(Maker *m)
{
    Maker cond, body;
    Ref args[8], outputs[4];
    uint32_t n_invariant = below(m, 3), n_carry = 1 + below(m, 3), n = 0;
    if (m->nesting >= MAX_NESTING) return maker_any(m);
    for (uint32_t i = 0; i < n_invariant; i++) args[n++] = maker_any(m);
    Ref limit = any_scalar(m, WEFT_I32), low = build_number(m->g, WEFT_I32, 0),
        high = build_number(m->g, WEFT_I32, 5);
    args[n++] = maker_put(m, &(NodeSpec){ .op = OP_CLAMP, .args = (Ref[]){ low, limit, high }, .n_args = 3 });
    n_invariant++;
    args[n++] = chance(m, 80) ? low : any_scalar(m, WEFT_I32);
    if (args[n - 1] != low)
        args[n - 1] = maker_put(
            m, &(NodeSpec){ .op = OP_CLAMP, .args = (Ref[]){ low, args[n - 1], high }, .n_args = 3 });
    for (uint32_t i = 1; i < n_carry; i++) {
        args[n] = maker_any(m);
        if (too_big(m, args[n])) return args[n];
        n++;
    }
    enter(&cond, m, "cond");
    enter(&body, m, "body");
    for (uint32_t i = 0; i < n; i++) param(&cond, type_of(m, args[i])), param(&body, type_of(m, args[i]));
    Ref test = maker_compare(&cond, CMP_LT, ORDER_SIGNED, cond.g->params[n_invariant],
                             cond.g->params[n_invariant - 1]);
    if (!m->options.smooth && chance(m, 40)) {
        some_steps(&cond);
        test = maker_binary(&cond, OP_AND, test, any_scalar(&cond, WEFT_BOOL));
    }
    const Graph *regions[2] = { leave(&cond, m, &test, 1, NULL, 1), NULL };
    some_steps(&body);
    outputs[0] = maker_binary(&body, OP_ADD, body.g->params[n_invariant], build_number(body.g, WEFT_I32, 1));
    Type want[4];
    for (uint32_t i = 0; i < n_carry; i++) want[i] = type_of(m, args[n_invariant + i]);
    regions[1] = leave(&body, m, outputs, 1, want, n_carry);
    if (m->failed) return REF_NONE;
    int64_t attr[] = { n_invariant };
    Ref r = maker_put(m, &(NodeSpec){ .op = OP_WHILE,
                                      .args = args,
                                      .n_args = n,
                                      .attr = attr,
                                      .n_attr = 1,
                                      .regions = regions,
                                      .n_regions = 2 });
    return take_results(m, r, n_carry);
}

/* i < limit and (perhaps) a carry is not above where it started: the same in the test and in the step. */
static Ref asks_for_step(Maker *inner, uint32_t n, uint32_t other)
{
    const Ref *p = inner->g->params;
    Ref test = maker_compare(inner, CMP_LT, ORDER_SIGNED, p[n], p[0]);
    if (other == 0) return test;
    CompareOrder order = compare_order(dtype_of(inner, p[other]));
    CompareDir dir = dtype_is_complex(dtype_of(inner, p[other])) ? CMP_EQ : CMP_LE;
    return maker_binary(inner, OP_AND, test, maker_compare(inner, dir, order, p[n + other], p[other]));
}

/* A value like this carry, most often made element by element. */
static Ref next_like(Maker *inner, Ref carry)
{
    Shape s = shape_of(inner, carry);
    DType t = dtype_of(inner, carry);
    Ref next = maker_like(inner, t, &s);
    if (t == WEFT_BOOL || chance(inner, 25)) return next;
    return maker_binary(inner, chance(inner, 50) ? OP_ADD : OP_SUB, carry, chance(inner, 50) ? next : carry);
}

/* while any element asks for a step, those that ask take one, at most 5 each; now and then others do, too.
 * Operands: the limits and where carries start, as invariants; i; the other carries. */
Ref make_while_any(Maker *m)
{
    Maker cond, body;
    Ref like = maker_any(m), args[8], outputs[4];
    Shape s = shape_of(m, like);
    int64_t axes[RANK];
    uint32_t n = 1 + below(m, 4), other = !m->options.smooth && chance(m, 50) ? below(m, n) : 0;
    if (m->nesting >= MAX_NESTING || s.rank == 0 || too_big(m, like)) return like;
    for (int i = 0; i < s.rank; i++) axes[i] = i;
    Ref limit = maker_like(m, WEFT_I32, &s), five = build_number(m->g, WEFT_I32, 5);
    args[0] = maker_put(m, &(NodeSpec){ .op = OP_CLAMP,
                                        .args = (Ref[]){ build_number(m->g, WEFT_I32, 0), limit, five },
                                        .n_args = 3 });
    args[n] = build_zeros(m->g, type_of(m, args[0]));
    for (uint32_t i = 1; i < n; i++) args[i] = args[n + i] = maker_like(m, maker_dtype(m), &s);
    enter(&cond, m, "cond");
    enter(&body, m, "body");
    for (uint32_t i = 0; i < 2 * n; i++) param(&cond, type_of(m, args[i])), param(&body, type_of(m, args[i]));
    Ref any = maker_reduce(&cond, OP_OR, asks_for_step(&cond, n, other), axes, s.rank),
        p = asks_for_step(&body, n, other);
    if (chance(m, 40)) some_steps(&body);
    for (uint32_t i = 0; i < n; i++) {
        Ref old = body.g->params[n + i],
            next = i ? next_like(&body, old)
                     : maker_binary(&body, OP_ADD, old, build_splat(body.g, type_of(&body, old), 1));
        outputs[i] =
            i && chance(m, 10)
                ? next
                : maker_put(&body,
                            &(NodeSpec){ .op = OP_SELECT, .args = (Ref[]){ p, next, old }, .n_args = 3 });
    }
    Type want[4];
    for (uint32_t i = 0; i < n; i++) want[i] = type_of(m, args[n + i]);
    const Graph *regions[] = { leave(&cond, m, &any, 1, NULL, 1), leave(&body, m, outputs, n, want, n) };
    if (m->failed) return REF_NONE;
    Ref r = maker_put(m, &(NodeSpec){ .op = OP_WHILE,
                                      .args = args,
                                      .n_args = 2 * n,
                                      .attr = (int64_t[]){ n },
                                      .n_attr = 1,
                                      .regions = regions,
                                      .n_regions = 2 });
    return take_results(m, r, n);
}

/* Up to 6 steps, or as many as an axis of the program is long. */
Ref make_scan(Maker *m)
{
    Maker body;
    Ref args[8], outputs[4];
    uint32_t n_invariant = below(m, 3), n_carry = below(m, 3), n_xs = below(m, 3), n_ys = below(m, 3), n = 0;
    int64_t length = chance(m, 50) ? below(m, 7) : m->axis[1 + below(m, 3)];
    if (m->nesting >= MAX_NESTING || length > 33) return maker_any(m);
    if (n_carry + n_ys == 0) n_carry = 1;
    for (uint32_t i = 0; i < n_invariant + n_carry; i++) {
        args[n] = maker_any(m);
        if (too_big(m, args[n])) return args[n];
        n++;
    }
    Type slice[8], results[4], want[4];
    Shape stacked[8];
    for (uint32_t i = 0; i < n; i++) slice[i] = type_of(m, args[i]);
    for (uint32_t i = 0; i < n_xs; i++, n++) {
        Shape s = maker_shape(m);
        if (s.rank >= RANK - 1 || shape_count(&s) * length > MAX_ELEMENTS / 8) s.rank = 0;
        stacked[i] = (Shape){ s.rank + 1, { length } };
        memcpy(stacked[i].dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim);
        args[n] = maker_like(m, maker_dtype(m), &stacked[i]);
        slice[n] = (Type){ (uint8_t)dtype_of(m, args[n]), (uint8_t)s.rank, stacked[i].dim + 1 };
    }
    enter(&body, m, "step");
    for (uint32_t i = 0; i < n; i++) param(&body, slice[i]);
    some_steps(&body);
    for (uint32_t i = 0; i < n_carry; i++) results[i] = want[i] = slice[n_invariant + i];
    for (uint32_t i = 0; i < n_ys; i++) {
        Shape s = maker_shape(m);
        if (s.rank >= RANK - 1 || shape_count(&s) * length > MAX_ELEMENTS / 8) s.rank = 0;
        stacked[4 + i] = (Shape){ s.rank + 1, { length } };
        memcpy(stacked[4 + i].dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim);
        uint8_t t = (uint8_t)maker_dtype(m);
        want[n_carry + i] = (Type){ t, (uint8_t)s.rank, stacked[4 + i].dim + 1 };
        results[n_carry + i] = (Type){ t, (uint8_t)stacked[4 + i].rank, stacked[4 + i].dim };
    }
    const Graph *region = leave(&body, m, outputs, 0, want, n_carry + n_ys);
    if (m->failed) return REF_NONE;
    int64_t attr[] = { length, chance(m, 30), 1 + below(m, 3), n_invariant, n_carry, n_xs, 0 };
    Ref r = put_given(
        m,
        (NodeSpec){ .op = OP_SCAN, .args = args, .n_args = n, .attr = attr, .n_attr = 7, .region = region },
        results, n_carry + n_ys);
    return take_results(m, r, n_carry + n_ys);
}

/* A carry of which each step reads and sets parts, at places that go with the step. */
Ref make_updating_scan(Maker *m)
{
    Maker body;
    int axis;
    Ref a = maker_with_axis(m, 2, &axis), args[2] = { a }, outputs[2];
    Shape s = shape_of(m, a);
    int64_t length = 1 + below(m, 9);
    if (m->nesting >= MAX_NESTING || too_big(m, a)) return a;
    args[1] = maker_put(m, &(NodeSpec){ .op = OP_IOTA,
                                        .attr = (int64_t[]){ 0 },
                                        .n_attr = 1,
                                        .dtype = WEFT_I32,
                                        .dim = &length,
                                        .rank = 1 });
    enter(&body, m, "step");
    Type want[2] = { type_of(m, a), type_of(m, a) }, results[2] = { want[0], want[0] };
    Ref carry = param(&body, want[0]), counter = param(&body, (Type){ WEFT_I32, 0, NULL });
    bool elements = chance(m, 50);
    for (uint32_t i = 1 + below(m, 3); i > 0; i--)
        carry =
            elements ? maker_update_element(&body, carry, counter) : maker_update_part(&body, carry, counter);
    Shape stacked = { s.rank + 1, { length } };
    memcpy(stacked.dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim);
    results[1] = (Type){ want[0].dtype, (uint8_t)stacked.rank, stacked.dim };
    outputs[0] = outputs[1] = carry;
    uint32_t n = s.rank < RANK && chance(m, 30) ? 2 : 1;
    const Graph *region = leave(&body, m, outputs, n, want, n);
    if (m->failed) return REF_NONE;
    int64_t attr[] = { length, chance(m, 30), 1 + below(m, 3), 0, 1, 1, 0 };
    Ref r = put_given(
        m,
        (NodeSpec){ .op = OP_SCAN, .args = args, .n_args = 2, .attr = attr, .n_attr = 7, .region = region },
        results, n);
    return take_results(m, r, n);
}

/* The forward rule that differentiation gives; NULL where it has none. */
static const Graph *forward_rule(Maker *m, const Graph *primal)
{
    bool active[8], want[4];
    for (uint32_t i = 0; i < primal->n_params; i++)
        active[i] = dtype_is_inexact((DType)graph_type(primal, primal->params[i]).dtype);
    for (uint32_t i = 0; i < primal->n_outputs; i++)
        want[i] = dtype_is_inexact((DType)graph_type(primal, primal->outputs[i]).dtype);
    return jvp_graph(m->g->arena, primal, active, want, NULL);
}

/* The reverse rule that differentiation gives: forward keeps the operands. False where it has none, or there
 * is nothing to derive. */
static bool reverse_rule(Maker *m, const Graph *primal, const Graph *rules[2])
{
    bool active[8], given[4];
    uint32_t n_active = 0, n_given = 0;
    for (uint32_t i = 0; i < primal->n_params; i++)
        n_active += active[i] = dtype_is_inexact((DType)graph_type(primal, primal->params[i]).dtype);
    for (uint32_t i = 0; i < primal->n_outputs; i++)
        n_given += given[i] = dtype_is_inexact((DType)graph_type(primal, primal->outputs[i]).dtype);
    Graph *backward = n_active && n_given ? vjp_graph(m->g->arena, primal, active, given, 0, NULL) : NULL;
    if (!backward) return false;
    Graph *forward = graph_compact(m->g->arena, primal);
    Ref out[16];
    for (uint32_t i = 0; i < primal->n_outputs; i++) out[i] = forward->outputs[i];
    for (uint32_t i = 0; i < primal->n_params; i++) out[primal->n_outputs + i] = forward->params[i];
    graph_set_outputs(forward, out, primal->n_outputs + primal->n_params);
    graph_set_outputs(backward, backward->outputs + primal->n_outputs, n_active);
    rules[0] = forward, rules[1] = backward;
    return true;
}

/* A program of its own that derivatives compute again, or have a rule for, or batches might. */
Ref make_ruled(Maker *m)
{
    Maker inner;
    Ref args[3], outputs[2];
    Type want[2];
    uint32_t n = 1 + below(m, 3), n_results = 1 + below(m, 2);
    if (m->nesting >= MAX_NESTING) return maker_any(m);
    enter(&inner, m, "ruled");
    for (uint32_t i = 0; i < n; i++) {
        args[i] = maker_any(m);
        param(&inner, type_of(m, args[i]));
    }
    some_steps(&inner);
    for (uint32_t i = 0; i < n_results; i++) {
        Ref like = maker_any(m);
        want[i] = type_of(m, too_big(m, like) ? args[0] : like);
    }
    const Graph *regions[3] = { leave(&inner, m, outputs, 0, want, n_results) };
    if (m->failed) return REF_NONE;
    int64_t attr = 0;
    NodeSpec s = { .op = chance(m, 50) ? OP_CHECKPOINT : OP_CUSTOM_VMAP,
                   .args = args,
                   .n_args = n,
                   .attr = &attr,
                   .regions = regions,
                   .n_regions = 1 };
    s.n_attr = s.op == OP_CUSTOM_VMAP;
    if (chance(m, 50) && (regions[1] = forward_rule(m, regions[0])))
        s.op = OP_CUSTOM_JVP, s.n_attr = 0, s.n_regions = 2;
    else if (chance(m, 50) && reverse_rule(m, regions[0], regions + 1))
        s.op = OP_CUSTOM_VJP, s.n_attr = 0, s.n_regions = 3;
    return take_results(m, put_given(m, s, want, n_results), n_results);
}

Ref make_barrier(Maker *m)
{
    Ref args[3];
    uint32_t n = 1 + below(m, 3);
    for (uint32_t i = 0; i < n; i++) args[i] = maker_any(m);
    return take_results(m, maker_put(m, &(NodeSpec){ .op = OP_BARRIER, .args = args, .n_args = n }), n);
}
