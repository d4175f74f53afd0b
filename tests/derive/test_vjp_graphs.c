/* test_vjp_graphs.c: what reverse mode makes: how graphs and memory grow, what checkpoints save, what is
 * refused, exact zeros, types. */
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/linearize/linearize.h"
#include "compiler/derive/transpose/transpose.h"
#include "compiler/derive/vjp.h"
#include "compiler/graph/check.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/pipeline.h"
#include "tests/derive/derive_cases.h"

TestSuite(vjp_graphs, .init = open_arena, .fini = close_arena, .timeout = 120);

/* ---- halves */

/* ---- sizes */

/* x = sin(x) * x + x, n times. */
static Graph *chain(int n)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, (Type){ WEFT_F64, 1, (int64_t[]){ 4 } });
    for (int i = 0; i < n; i++)
        x = build_binary(g, OP_ADD, build_binary(g, OP_MUL, build_unary(g, OP_SIN, x), x), x);
    Ref y = build_reduce(g, OP_ADD, x, (int64_t[]){ 0 }, 1);
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(vjp_graphs, chains_grow_linearly)
{
    Failure f = { 0 };
    uint32_t nodes[2];
    for (int k = 0; k < 2; k++) {
        const Graph *v = grad_graph(&arena, chain(1000 << k), (bool[]){ true }, 0, &f);
        cr_assert(v, "%s", f.text);
        nodes[k] = v->n_nodes;
    }
    cr_expect(nodes[1] < 2 * nodes[0] + 10 && nodes[1] < 2000 * 12, "%u and %u nodes", nodes[0], nodes[1]);
}

/* ---- memory */

static const Target machine = { .triple = "x86_64-unknown-linux-gnu",
                                .cpu = "x86-64-v3",
                                .vector_bytes = 32,
                                .vector_registers = 16,
                                .l1_bytes = 32768,
                                .l2_bytes = 1 << 20,
                                .fma = true,
                                .f16c = true };

static int64_t scratch_bytes(const Graph *g)
{
    Failure f = { 0 };
    const Program *p = pipeline_run(&(Pipeline){ .target = &machine }, &arena, g, &f);
    cr_assert(p, "%s", f.text);
    return p->scratch_bytes;
}

enum { STEPS = 1000, WIDTH = 64 };

/* (w, h): h = tanh(w h), STEPS times; the sum of the last. */
static Graph *recurrence(int64_t checkpoint)
{
    Type h = { WEFT_F64, 1, (int64_t[]){ WIDTH } }, w = { WEFT_F64, 2, (int64_t[]){ WIDTH, WIDTH } };
    Graph *body = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref last, wb = build_param(body, w), hb = build_param(body, h), args[2];
    Ref next = graph_add(body, &(NodeSpec){ .op = OP_DOT,
                                            .args = (Ref[]){ wb, hb },
                                            .n_args = 2,
                                            .attr = (int64_t[]){ 0, 1, 1, 0 },
                                            .n_attr = 4,
                                            .dtype = WEFT_F64 });
    next = build_unary(body, OP_TANH, next);
    graph_set_outputs(body, &next, 1);
    args[0] = build_param(g, w), args[1] = build_param(g, h);
    build_scan(
        g,
        (ScanShape){ .length = STEPS, .unroll = 1, .n_invariant = 1, .n_carry = 1, .checkpoint = checkpoint },
        body, args, &last);
    last = build_reduce(g, OP_ADD, last, (int64_t[]){ 0 }, 1);
    graph_set_outputs(g, &last, 1);
    return g;
}

static const Graph *gradient(const Graph *g, const bool *active)
{
    Failure f = { 0 };
    const Graph *v = grad_graph(&arena, g, active, 0, &f);
    cr_assert(v, "%s", f.text);
    sound("gradient", v);
    return v;
}

/* Every 32nd step: 31 starts and one chunk's steps are kept, instead of all steps; the numbers are the
 * same. */
Test(vjp_graphs, checkpoints_of_a_scan_save_memory)
{
    static const bool by[] = { true, true };
    const Graph *all = gradient(recurrence(0), by), *some = gradient(recurrence(32), by);
    int64_t more = scratch_bytes(all), less = scratch_bytes(some);
    cr_expect(8 * less < more, "%lld bytes with checkpoints, %lld without", (long long)less, (long long)more);
    const void *const *x = inputs_of(all, -0.2, 0.2);
    void **a = outputs_of(all), **b = outputs_of(some);
    const Graph *plain = inline_rules(&arena, some, NULL);
    eager_run(all, x, a), eager_run(plain, x, b);
    for (uint32_t i = 0; i < all->n_outputs; i++)
        same_floats("checkpoints", all, all->outputs[i], b[i], a[i]);
}

/* Four times four layers h = tanh(w h), each four of them a CHECKPOINT or not. */
static Graph *layers(bool checkpoint)
{
    Type m = { WEFT_F64, 2, (int64_t[]){ WIDTH, WIDTH } };
    Graph *block = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref w = build_param(block, m), h = build_param(block, m), args[2];
    for (int i = 0; i < 4; i++)
        h = build_unary(block, OP_TANH,
                        graph_add(block, &(NodeSpec){ .op = OP_DOT,
                                                      .args = (Ref[]){ w, h },
                                                      .n_args = 2,
                                                      .attr = (int64_t[]){ 0, 1, 1, 0 },
                                                      .n_attr = 4,
                                                      .dtype = WEFT_F64 }));
    graph_set_outputs(block, &h, 1);
    const Graph *region = block;
    args[0] = build_param(g, m), args[1] = build_param(g, m);
    for (int i = 0; i < 4; i++) {
        if (checkpoint) build_ruled(g, OP_CHECKPOINT, 0, &region, 1, args, 2, &h);
        else graph_inline(g, block, args, &h);
        args[1] = h;
    }
    Ref y = build_reduce(g, OP_ADD, args[1], (int64_t[]){ 0, 1 }, 2);
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(vjp_graphs, checkpoints_save_memory)
{
    static const bool by[] = { false, true };
    const Graph *all = gradient(layers(false), by), *some = gradient(layers(true), by),
                *plain = inline_rules(&arena, some, NULL);
    int64_t more = scratch_bytes(all), less = scratch_bytes(some);
    cr_expect(5 * less <= 3 * more, "%lld bytes with checkpoints, %lld without", (long long)less,
              (long long)more);
    const void *const *x = inputs_of(all, -0.2, 0.2);
    void **a = outputs_of(all), **b = outputs_of(some);
    eager_run(all, x, a), eager_run(plain, x, b);
    for (uint32_t i = 0; i < all->n_outputs; i++)
        same_floats("checkpoints", all, all->outputs[i], b[i], a[i]);
}

static const Type of_h = { WEFT_F64, 1, (const int64_t[]){ 3 } },
                  of_x = { WEFT_F64, 1, (const int64_t[]){ 4 } };

static Ref mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }

/* ---- what is refused */

static const char *refusal(const Graph *g, size_t most)
{
    static const bool on[MOST] = { true, true, true };
    static const bool given[] = { true };
    Failure f = { 0 };
    cr_expect_null(vjp_graph(&arena, g, on, given, most, &f));
    return arena_printf(&arena, "%s", f.text);
}

static void says(const char *text, const char *part)
{
    cr_expect(strstr(text, part), "'%s' does not say '%s'", text, part);
}

/* A function whose rule of derivatives is `rule`: (x, dx) -> (y, dy). */
typedef Ref RuleOf(Graph *g, Ref x, Ref dx);
static Ref rule_square(Graph *g, Ref x, Ref dx)
{
    (void)x;
    return mul(g, dx, dx);
}
static Ref rule_offset(Graph *g, Ref x, Ref dx) { return add(g, dx, x); }
static Ref rule_exp(Graph *g, Ref x, Ref dx)
{
    (void)x;
    return build_unary(g, OP_EXP, dx);
}
static Ref rule_branch(Graph *g, Ref x, Ref dx)
{
    return build_select(g, build_compare(g, CMP_GT, dx, x), dx, x);
}

static Graph *ruled_by(RuleOf *f)
{
    Graph *primal = graph_new(&arena, NULL), *rule = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref y = build_unary(primal, OP_SIN, build_param(primal, of_h));
    graph_set_outputs(primal, &y, 1);
    Ref x = build_param(rule, of_h), dx = build_param(rule, of_h),
        out[] = { build_unary(rule, OP_SIN, x), f(rule, x, dx) };
    graph_set_outputs(rule, out, 2);
    g->loc = graph_loc(g, "user.c:7");
    x = build_param(g, of_h);
    build_ruled(g, OP_CUSTOM_JVP, 0, (const Graph *[]){ primal, rule }, 2, &x, 1, &y);
    graph_set_outputs(g, &y, 1);
    return g;
}

Test(vjp_graphs, rules_that_are_not_linear_are_refused)
{
    says(refusal(ruled_by(rule_square), 0), "not linear");
    says(refusal(ruled_by(rule_offset), 0), "does not depend on what it must be linear in");
    says(refusal(ruled_by(rule_exp), 0), "stablehlo.exponential is not linear");
    says(refusal(ruled_by(rule_branch), 0), "not linear");
    says(refusal(ruled_by(rule_square), 0), "(user.c:7)");
}

Test(vjp_graphs, loops_without_an_end_say_what_to_use)
{
    Graph *cond = graph_new(&arena, NULL), *body = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Type f = { WEFT_F64, 0, NULL };
    Ref x = build_param(cond, f), y = build_compare(cond, CMP_LT, x, build_number(cond, WEFT_F64, 10));
    graph_set_outputs(cond, &y, 1);
    x = build_param(body, f), y = mul(body, x, x);
    graph_set_outputs(body, &y, 1);
    g->loc = graph_loc(g, "user.c:12");
    x = build_param(g, f);
    build_while(g, cond, body, &x, 0, 1, &y);
    graph_set_outputs(g, &y, 1);
    const char *text = refusal(g, 0);
    says(text, "(user.c:12)"), says(text, "weft_fori with .count"), says(text, "weft_scan"),
        says(text, "weft_jvp");
}

Test(vjp_graphs, residuals_have_a_limit)
{
    const char *text = refusal(recurrence(0), 500000);
    says(text, "SCAN"), says(text, "512000 bytes"), says(text, "500000"), says(text, ".checkpoint = k"),
        says(text, "weft_checkpoint");
    static const bool on[] = { true, true }, given[] = { true };
    Failure f = { 0 };
    cr_expect_not_null(vjp_graph(&arena, recurrence(0), on, given, 512000, &f), "%s", f.text);
    cr_expect_not_null(vjp_graph(&arena, recurrence(32), on, given, 50000, &f), "%s", f.text);
}

Test(vjp_graphs, gradients_are_of_one_float)
{
    static const bool on[] = { true };
    Failure f = { 0 };
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, of_h);
    graph_set_outputs(g, &x, 1);
    cr_expect_null(grad_graph(&arena, g, on, 0, &f));
    says(f.text, "f64[3]");
    f = (Failure){ 0 };
    x = build_convert(g, build_reduce(g, OP_ADD, x, (int64_t[]){ 0 }, 1), WEFT_I32);
    graph_set_outputs(g, &x, 1);
    cr_expect_null(grad_graph(&arena, g, on, 0, &f));
    says(f.text, "i32");
}

/* ---- exact zeros: where(mask, log(x), 0) has none but zeros where the mask is false, whatever x is there */

Test(vjp_graphs, masked_sides_get_exact_zeros)
{
    static const bool by[] = { true, false };
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, of_x), mask = build_param(g, (Type){ WEFT_BOOL, 1, of_x.dim }),
        zero = build_splat(g, of_x, 0);
    Ref safe = build_select(g, mask, x, build_splat(g, of_x, scalar_from_double(WEFT_F64, 1)));
    Ref y = build_reduce(g, OP_ADD, build_select(g, mask, build_unary(g, OP_LOG, safe), zero),
                         (int64_t[]){ 0 }, 1);
    graph_set_outputs(g, &y, 1);
    const double in[] = { 2, NAN, INFINITY, -1 };
    const uint8_t valid[] = { 1, 0, 0, 0 };
    const Graph *v = gradient(g, by);
    void **out = outputs_of(v);
    eager_run(v, (const void *[]){ in, valid }, out);
    const double *d = out[1];
    cr_expect(d[0] == 0.5 && d[1] == 0 && d[2] == 0 && d[3] == 0, "%g %g %g %g", d[0], d[1], d[2], d[3]);
}

/* ---- sums of a wider type than what is summed */

Test(vjp_graphs, cotangents_have_the_types_of_what_they_are_of)
{
    static const bool on[] = { true, true }, given[] = { true };
    Failure f = { 0 };
    Graph *g = graph_new(&arena, NULL);
    Ref a = build_param(g, (Type){ WEFT_BF16, 2, (int64_t[]){ 2, 3 } }),
        b = build_param(g, (Type){ WEFT_BF16, 2, (int64_t[]){ 3, 2 } });
    Ref y = graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                      .args = (Ref[]){ a, b },
                                      .n_args = 2,
                                      .attr = (int64_t[]){ 0, 1, 1, 0 },
                                      .n_attr = 4,
                                      .dtype = WEFT_F32 });
    graph_set_outputs(g, &y, 1);
    const Graph *v = vjp_graph(&arena, g, on, given, 0, &f);
    cr_assert(v, "%s", f.text);
    sound("wider", v);
    cr_expect_eq(graph_type(v, v->params[2]).dtype, WEFT_F32);
    cr_expect_eq(graph_type(v, v->outputs[1]).dtype, WEFT_BF16);
    cr_expect_eq(graph_type(v, v->outputs[2]).dtype, WEFT_BF16);
}

/* sum(x^4 / 24) by way of a loop and of products: its fourth derivative is 1. */
Test(vjp_graphs, fourth_derivatives)
{
    static const bool on[] = { true };
    Failure f = { 0 };
    Type s = { WEFT_F64, 0, NULL };
    Graph *body = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref x = build_param(body, s), p = build_param(body, s);
    p = mul(body, p, x);
    graph_set_outputs(body, &p, 1);
    x = build_param(g, s);
    build_scan(g, (ScanShape){ .length = 3, .unroll = 1, .n_invariant = 1, .n_carry = 1, .checkpoint = 2 },
               body, (Ref[]){ x, build_binary(g, OP_DIV, x, build_number(g, WEFT_F64, 24)) }, &p);
    graph_set_outputs(g, &p, 1);
    const Graph *d = g;
    for (int k = 0; k < 4; k++) {
        Graph *v = grad_graph(&arena, d, on, 0, &f);
        cr_assert(v, "%s", f.text);
        graph_set_outputs(v, &v->outputs[1], 1);
        d = graph_compact(&arena, v);
        sound("fourth", d);
    }
    const double at = 0.7;
    void **out = outputs_of(d);
    eager_run(inline_rules(&arena, d, &f), (const void *[]){ &at }, out);
    cr_expect(fabs(*(double *)out[0] - 1) < 1e-12, "%.15g", *(double *)out[0]);
}
