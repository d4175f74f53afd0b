/* test_graph_rules.c: what passes do with ops that have rules, barriers and foreign functions: inlined
 * everywhere before compiling, kept whole before; batches of rules against the rules of each example;
 * batching rules that the caller of vmap knows.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compiler/derive/vjp.h"
#include "compiler/graph/check.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/passes/simplify.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/support/graph_suite.h"
#include "tests/graphs/graphs.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"

TestSuite(graph_rules, .init = open_arena, .fini = close_arena);

/* How often an op stands in a graph and its regions. */
static int count(const Graph *g, Op op)
{
    int n = 0;
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *node = graph_node(g, r);
        n += node->op == op;
        for (uint32_t k = 0; k < node->n_regions; k++) n += count(node->regions[k], op);
    }
    return n;
}

static bool has_rules(const Graph *g)
{
    for (int op = OP_CUSTOM_JVP; op <= OP_BACKWARD; op++)
        if (count(g, (Op)op)) return true;
    return count(g, OP_STOP_GRADIENT) > 0;
}

/* What the rounding of a random program's result is measured by: its largest element, and 10 at least. */
static double scale_of(Type t, const void *data)
{
    double scale = 10;
    for (int64_t i = 0; i < type_count(t) && dtype_is_float((DType)t.dtype); i++) {
        size_t at = (size_t)i * dtype_bytes((DType)t.dtype);
        double v =
            fabs(scalar_to_double((DType)t.dtype, scalar_load((DType)t.dtype, (const char *)data + at)));
        if (isfinite(v) && v > scale) scale = v;
    }
    return scale;
}

enum { SCALE = 10, BY_LARGEST = 0 }; /* what a result's rounding is measured by */

/* Both give the same on random inputs, which the caller may look at. */
static Values compare(const char *what, const Graph *g, const Graph *other, double scale, uint64_t seed)
{
    Failure f = { 0 };
    Values in = values_of_params(g), want = values_of_outputs(g), got = values_of_outputs(other);
    values_fill(&in, seed, true);
    cr_assert(graph_check(other, &f), "%s: %s", what, f.text);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &f) &&
                  eager_graph(other, (const void *const *)in.at, got.at, &heap, &f),
              "%s", f.text);
    cr_assert_eq(want.n, got.n, "%s", what);
    for (uint32_t i = 0; i < want.n; i++)
        cr_expect_lt(first_difference(want.type[i], want.at[i], got.at[i], 1e-5,
                                      scale ? scale : scale_of(want.type[i], want.at[i])),
                     0, "%s: result %u", what, i);
    values_free(&want);
    values_free(&got);
    return in;
}

Test(graph_rules, are_inlined_in_regions_too)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        Failure f = { 0 };
        Graph *g = control_programs[i].make(&arena);
        const Graph *plain = inline_rules(&arena, g, &f);
        cr_assert(plain, "%s: %s", control_programs[i].name, f.text);
        cr_expect_not(has_rules(plain), "%s", control_programs[i].name);
        cr_expect(has_rules(g) ? plain != g : plain == g, "%s: the graph itself where there is nothing to do",
                  control_programs[i].name);
        Values in = compare(control_programs[i].name, g, plain, SCALE, i);
        values_free(&in);
    }
}

/* A rule whose own region holds a BACKWARD that region 0 lacks: it goes when the rule is inlined. */
static Graph *with_backward(bool in_the_rule)
{
    Graph *rule = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref known = build_param(rule, program_v), ct = build_param(rule, program_v),
        out = build_binary(rule, OP_MUL, known, ct);
    graph_set_outputs(rule, &out, 1);
    Graph *jvp = graph_new(&arena, NULL), *primal = graph_new(&arena, NULL);
    Ref x = build_param(jvp, program_v), t = build_param(jvp, program_v),
        both[2] = { build_unary(jvp, OP_NEG, x) };
    build_backward(jvp, rule, (Ref[]){ x, t }, 1, 1, &both[1]);
    graph_set_outputs(jvp, both, 2);
    out = build_unary(primal, OP_NEG, build_param(primal, program_v));
    graph_set_outputs(primal, &out, 1);
    x = build_param(g, program_v);
    g->loc = graph_loc(g, "user.c:12");
    if (in_the_rule) build_ruled(g, OP_CUSTOM_JVP, 0, (const Graph *[]){ primal, jvp }, 2, &x, 1, &out);
    else build_backward(g, rule, (Ref[]){ x, x }, 1, 1, &out);
    graph_set_outputs(g, &out, 1);
    return g;
}

Test(graph_rules, forward_mode_of_a_reverse_rule_is_an_error)
{
    Failure f = { 0 };
    cr_expect(inline_rules(&arena, with_backward(true), &f) && f.code == WEFT_OK);
    Graph *g = with_backward(false);
    cr_expect_null(inline_rules(&arena, g, &f));
    cr_expect_str_eq(f.text, "forward mode of a function that has only a reverse rule (weft_custom_vjp, "
                             "user.c:12): give it a weft_custom_jvp, or use reverse mode");
    cr_expect_eq(f.code, WEFT_ARGUMENT);
    f = (Failure){ 0 };
    cr_expect_null(compile_graph(g, &(CompileOptions){ .name = "rules" }, &heap, &f));
    cr_expect(f.code != WEFT_OK);
    graph_set_outputs(g, g->params, 1);
    f = (Failure){ 0 };
    cr_expect(inline_rules(&arena, g, &f) && f.code == WEFT_OK, "nobody needs it: %s", f.text);
}

Test(graph_rules, stop_gradient_of_what_has_no_derivative_is_that)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, program_v), i = build_param(g, program_i),
        stopped = build_unary(g, OP_STOP_GRADIENT, x);
    cr_expect_neq(stopped, x);
    cr_expect_eq(build_unary(g, OP_STOP_GRADIENT, stopped), stopped);
    cr_expect_eq(build_unary(g, OP_STOP_GRADIENT, i), i);
    Ref c = build_number(g, WEFT_F32, 2);
    cr_expect_eq(build_unary(g, OP_STOP_GRADIENT, c), c);
    /* A rewrite rule would fold this if it looked through the barrier. */
    Ref same = build_select(g, build_compare(g, CMP_LT, x, stopped), x, stopped);
    cr_expect_eq(graph_node(g, same)->op, OP_SELECT);
}

Test(graph_rules, simplify_keeps_them_whole)
{
    Graph *g = program_custom_jvp(&arena);
    graph_set_outputs(g, &g->outputs[1], 1);
    const Graph *s = simplify(&arena, g);
    cr_assert(first_of_op(s, OP_CUSTOM_JVP));
    cr_expect_eq(first_of_op(s, OP_CUSTOM_JVP)->n_results, 3, "the rule is for all results");
    Values in = compare("one result", g, s, SCALE, 1);
    values_free(&in);
    cr_expect_eq(simplify(&arena, inline_rules(&arena, g, NULL))->n_nodes, 5,
                 "x, w and i + 1: afterwards what is dead goes");
    graph_set_outputs(g, g->params, 1);
    cr_expect_null(first_of_op(simplify(&arena, g), OP_CUSTOM_JVP));
    Graph *b = program_barrier(&arena);
    cr_expect_eq(count(simplify(&arena, b), OP_BARRIER), 2);
    graph_set_outputs(b, b->params, 2);
    cr_expect_eq(count(simplify(&arena, b), OP_BARRIER), 0);
}

/* ---- foreign functions */

static int calls;
static void call_counted(const ForeignOp *op, const int64_t *numbers, const void *const *in, void *const *out)
{
    (void)op;
    (void)numbers;
    calls++;
    memcpy(out[0], in[0], 3 * sizeof(float));
}
static const ForeignOp counted = { "counted", call_counted, true, false, NULL },
                       alone = { "alone", call_counted, false, false, NULL };

static Ref call(Graph *g, const ForeignOp *op, int64_t serial, Ref x)
{
    Ref out;
    build_foreign(g, op, serial, NULL, 0, &x, 1, &program_v, 1, &out);
    return out;
}

static int count_calls(const Graph *g)
{
    Failure f = { 0 };
    Values in = values_of_params(g), out = values_of_outputs(g);
    values_fill(&in, 1, true);
    calls = 0;
    cr_assert(eager_graph(g, (const void *const *)in.at, out.at, &heap, &f), "%s", f.text);
    values_free(&in);
    values_free(&out);
    return calls;
}

/* Four steps; each calls the function on an invariant and on the carry. */
static Graph *calls_in_a_loop(int64_t serial)
{
    Graph *body = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref x = build_param(body, program_v), c = build_param(body, program_v), out;
    out = build_binary(body, OP_ADD, call(body, &counted, serial, x),
                       call(body, &counted, serial ? serial + 1 : 0, c));
    graph_set_outputs(body, &out, 1);
    Ref args[] = { build_param(g, program_v), build_param(g, program_v) };
    build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_invariant = 1, .n_carry = 1 }, body, args, &out);
    graph_set_outputs(g, &out, 1);
    return g;
}

Test(graph_rules, foreign_functions_are_called_as_often_as_they_must)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_param(g, program_v);
    cr_expect_eq(call(g, &counted, 0, x), call(g, &counted, 0, x), "equal calls are one");
    cr_expect_neq(call(g, &counted, 1, x), call(g, &counted, 2, x), "but not those that must stay");
    graph_set_outputs(g, &x, 1);
    cr_expect_eq(count(simplify(&arena, g), OP_FOREIGN), 0, "nobody uses the results");
    cr_expect_eq(count_calls(calls_in_a_loop(0)), 8);
    cr_expect_eq(count_calls(simplify(&arena, calls_in_a_loop(0))), 5,
                 "what is the same in each step is called once");
    cr_expect_eq(count_calls(calls_in_a_loop(3)), 8);
    cr_expect_eq(count_calls(simplify(&arena, calls_in_a_loop(3))), 8);
}

Test(graph_rules, a_foreign_function_of_one_example_does_not_map)
{
    Failure f = { 0 };
    Graph *g = graph_new(&arena, NULL);
    g->loc = graph_loc(g, "user.c:7");
    Ref out = call(g, &alone, 0, build_param(g, program_v));
    graph_set_outputs(g, &out, 1);
    cr_expect_null(vmap_graph(&arena, g, (int64_t[]){ 0 }, 5, (int64_t[]){ 0 }, NULL, &f));
    cr_expect(strstr(f.text,
                     "mapping FOREIGN (user.c:7) over 5: the foreign function alone takes one example only"),
              "%s", f.text);
    cr_expect(vmap_graph(&arena, g, (int64_t[]){ VMAP_NONE }, 5, (int64_t[]){ 0 }, NULL, NULL),
              "but it may stand beside a batch");
}

/* ---- batches of rules */

enum { BATCH = 4 };

/* (operands, a cotangent of each float result) -> what the node's rules make of them: results, then
 * cotangents of its float operands. */
static Graph *through_rules(const Node *n, const Graph *of)
{
    Graph *g = graph_new(&arena, NULL);
    Ref args[8], kept[16], out[16], cotangents[8];
    uint32_t n_residuals = n->regions[1]->n_outputs - n->n_results;
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = build_param(g, graph_type(of, n->args[i]));
    graph_inline(g, n->regions[1], args, kept);
    memcpy(out, kept, n->n_results * sizeof *out);
    memmove(kept, kept + n->n_results, n_residuals * sizeof *kept);
    for (uint32_t i = n_residuals; i < n->regions[2]->n_params; i++)
        kept[i] = build_param(g, graph_type(n->regions[2], n->regions[2]->params[i]));
    graph_inline(g, n->regions[2], kept, cotangents);
    memcpy(out + n->n_results, cotangents, n->regions[2]->n_outputs * sizeof *out);
    graph_set_outputs(g, out, n->n_results + n->regions[2]->n_outputs);
    cr_assert_eq(g->failure.code, WEFT_OK, "%s", g->failure.text);
    return g;
}

/* Every set of mapped operands: the mapped node's rules give the results of each example, and cotangents: of
 * a mapped operand those of each example, of a shared one their sum. */
Test(graph_rules, a_reverse_rule_s_batch_sums_what_examples_share)
{
    Graph *g = program_custom_vjp(&arena);
    const Node *n = first_of_op(g, OP_CUSTOM_VJP);
    for (uint32_t subset = 1; subset < 8; subset++) {
        Failure f = { 0 };
        int64_t in[5], zeros[8] = { 0 };
        for (uint32_t i = 0; i < 5; i++) in[i] = i > 2 || subset >> i & 1 ? 0 : VMAP_NONE;
        const Graph *mapped = vmap_graph(&arena, g, in, BATCH, zeros, NULL, &f);
        cr_assert(mapped, "%s", f.text);
        const Graph *rules = through_rules(first_of_op(mapped, OP_CUSTOM_VJP), mapped);
        Graph *want = vmap_graph(&arena, through_rules(n, g), in, BATCH, zeros, NULL, &f);
        cr_assert(want, "%s", f.text);
        for (uint32_t i = 0; i < 2; i++)
            if (in[i] == VMAP_NONE)
                want->outputs[3 + i] = build_reduce(want, OP_ADD, want->outputs[3 + i], (int64_t[]){ 0 }, 1);
        char what[32];
        snprintf(what, sizeof what, "mapped: %u", (unsigned)subset);
        Values values = compare(what, want, rules, SCALE, subset);
        values_free(&values);
    }
}

/* The map that BACKWARD stands for, of known k and tangent t: its region gives cotangents of t. */
Test(graph_rules, a_backward_rule_s_batch_sums_what_examples_share)
{
    Graph *rule = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref known = build_param(rule, program_v), ct = build_param(rule, program_v),
        out = build_binary(rule, OP_MUL, known, ct);
    graph_set_outputs(rule, &out, 1);
    Ref args[] = { build_param(g, program_v), build_param(g, program_v) };
    build_backward(g, rule, args, 1, 1, &out);
    graph_set_outputs(g, &out, 1);
    for (uint32_t subset = 1; subset < 4; subset++) {
        Failure f = { 0 };
        int64_t in[] = { subset & 1 ? 0 : VMAP_NONE, 0 }, zero = 0;
        const Graph *mapped =
            vmap_graph(&arena, g, (int64_t[]){ in[0], subset & 2 ? 0 : VMAP_NONE }, BATCH, &zero, NULL, &f);
        cr_assert(mapped && graph_check(mapped, &f), "%s", f.text);
        Graph *want = vmap_graph(&arena, rule, in, BATCH, &zero, NULL, &f);
        if (!(subset & 2))
            want->outputs[0] = build_reduce(want, OP_ADD, want->outputs[0], (int64_t[]){ 0 }, 1);
        Values values = compare("backward", want, first_of_op(mapped, OP_BACKWARD)->region, SCALE, subset);
        values_free(&values);
    }
}

/* Derivatives of a batch, through the mapped rules, against a batch of derivatives: gradients of what
 * examples share are sums. */
static bool compare_orders(const char *what, const Graph *g, double scale, uint32_t subset)
{
    Failure f = { 0 };
    bool active[8] = { false }, given[8] = { false };
    int64_t in[16] = { 0 }, zeros[16] = { 0 };
    uint32_t n = g->n_params, gradient = g->n_outputs;
    cr_assert(n <= 8 && gradient <= 8);
    for (uint32_t i = 0; i < n; i++) {
        active[i] = dtype_is_float((DType)graph_type(g, g->params[i]).dtype);
        in[i] = subset >> i & 1 ? 0 : VMAP_NONE;
    }
    for (uint32_t i = 0; i < gradient; i++)
        given[i] = dtype_is_float((DType)graph_type(g, g->outputs[i]).dtype);
    const Graph *derived = vjp_graph(&arena, g, active, given, 0, NULL),
                *mapped = vmap_graph(&arena, g, in, BATCH, zeros, NULL, &f);
    if (!derived) return false;
    cr_assert(mapped, "%s: %s", what, f.text);
    Graph *want = vmap_graph(&arena, derived, in, BATCH, zeros, NULL, &f);
    const Graph *got = vjp_graph(&arena, mapped, active, given, 0, &f);
    cr_assert(want && got, "%s: %s", what, f.text);
    for (uint32_t i = 0; i < n; i++) {
        if (!active[i]) continue;
        if (in[i] == VMAP_NONE)
            want->outputs[gradient] =
                build_reduce(want, OP_ADD, want->outputs[gradient], (int64_t[]){ 0 }, 1);
        gradient++;
    }
    Values values = compare(what, want, got, scale, subset + 17);
    values_free(&values);
    return true;
}

Test(graph_rules, derivatives_of_batches_are_batches_of_derivatives)
{
    int compared = 0;
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++)
        for (uint32_t subset = 1; control_programs[i].op != OP_FOREIGN &&
                                  subset < 1u << control_programs[i].make(&arena)->n_params;
             subset++)
            compared +=
                compare_orders(control_programs[i].name, control_programs[i].make(&arena), SCALE, subset);
    cr_expect_gt(compared, 50, "%d", compared);
}

/* Sums of f16 and bf16, those in regions too, are rounded elsewhere in the other order. */
static bool has_narrow(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (dtype_is_narrow_float((DType)n->dtype)) return true;
        for (uint32_t k = 0; k < n->n_regions; k++)
            if (has_narrow(n->regions[k])) return true;
    }
    return false;
}

Test(graph_rules, derivatives_of_batches_of_random_programs)
{
    int compared = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const Graph *g =
            random_graph(&arena, seed, &(RandomOptions){ .nodes = 4 + (int)(seed % 12), .smooth = true });
        if (g->n_params == 0 || g->n_params > 8 || !has_rules(g) || has_narrow(g)) continue;
        char what[32];
        snprintf(what, sizeof what, "seed %d", (int)seed);
        for (uint32_t subset = 1; subset < 4; subset++)
            compared +=
                compare_orders(what, graph_compact(&arena, g), BY_LARGEST, subset == 3 ? UINT32_MAX : subset);
        close_arena();
        open_arena();
    }
    cr_expect_gt(compared, 20, "%d", compared);
}

/* ---- batching rules of the caller's */

typedef struct Known {
    int64_t rule, size;
    uint32_t n_args;
    int asked;
    int gives;
} Known;

/* The function gives x * w, i + 1 and 3; a rule gives other values, so that a result says who made it. */
static bool my_rule(void *user, Graph *dst, int64_t rule, int64_t size, const Ref *args, uint32_t n_args,
                    Ref *results, Failure *f)
{
    Known *k = user;
    k->rule = rule, k->size = size, k->n_args = n_args, k->asked++;
    if (k->gives == 0) return fail(f, WEFT_ARGUMENT, "no rule today");
    results[0] = build_binary(dst, OP_SUB, args[0], args[1]);
    results[1] = args[2];
    results[2] = build_splat(dst, (Type){ WEFT_F32, 1, &size }, 0);
    if (k->gives == 2) results[2] = results[0];
    return true;
}

Test(graph_rules, batching_rules_are_asked_of_the_caller)
{
    Failure f = { 0 };
    Known k = { .gives = 1 };
    const VmapCaller caller = { my_rule, &k };
    Graph *g = program_custom_vmap(&arena), *outer = graph_new(&arena, NULL);
    int64_t zeros[3] = { 0 }, none[] = { VMAP_NONE, VMAP_NONE, VMAP_NONE };
    Graph *mapped = vmap_graph(&arena, g, (int64_t[]){ 0, VMAP_NONE, VMAP_NONE }, 5, zeros, &caller, &f);
    cr_assert(mapped && graph_check(mapped, &f), "%s", f.text);
    cr_expect(k.rule == 7 && k.size == 5 && k.n_args == 3 && k.asked == 1);
    cr_expect(count(mapped, OP_SUB) == 1 && count(mapped, OP_MUL) == 0 && !has_rules(mapped));
    cr_expect(vmap_graph(&arena, g, none, 5, zeros, &caller, &f) && k.asked == 1,
              "nothing is mapped: no batch, no rule");
    cr_expect(vmap_graph(&arena, mapped, zeros, 2, zeros, &caller, &f) && k.asked == 1,
              "the rule's own batch is mapped like any code");

    Ref args[3], out[3];
    for (uint32_t i = 0; i < 3; i++) args[i] = build_param(outer, graph_type(g, g->params[i]));
    const Graph *branches[] = { g, program_primal(&arena) };
    build_case(outer, args[2], branches, 2, args, 3, out);
    graph_set_outputs(outer, out, 3);
    mapped = vmap_graph(&arena, outer, (int64_t[]){ 0, VMAP_NONE, VMAP_NONE }, 5, zeros, &caller, &f);
    cr_assert(mapped && graph_check(mapped, &f), "%s", f.text);
    cr_expect(k.asked == 2 && !has_rules(mapped), "in a region");
    cr_expect(vmap_graph(&arena, outer, zeros, 5, zeros, &caller, &f) && k.asked == 3,
              "in a branch that some examples take");

    k.gives = 2;
    cr_expect_null(vmap_graph(&arena, g, zeros, 5, zeros, &caller, &f));
    cr_expect(strstr(f.text, "result 2 of the batching rule (weft_custom_vmap) is f32[5,3], not f32[5]"),
              "%s", f.text);
    k.gives = 0;
    f = (Failure){ 0 };
    cr_expect_null(vmap_graph(&arena, g, zeros, 5, zeros, &caller, &f));
    cr_expect(strstr(f.text, "no rule today"), "%s", f.text);
}
