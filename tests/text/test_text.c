/* test_text.c: StableHLO text out and in: round trips, places and names, decompositions; and programs that
 * JAX printed, run and compared with JAX's own results. Golden files are test_golden.c's. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/text_suite.h"
#include "tests/graphs/control_programs.h"
#include "tests/support/enzyme.h"
#include "tests/graphs/graphs.h"
#include "runtime/eager/eager.h"

/* Round trips. */

Test(text, what_is_printed_parses_to_an_equal_graph)
{
    static const char *const patterns[] = { WEFT_SOURCE_DIR "/tests/golden/text/*.mlir",
                                            WEFT_SOURCE_DIR "/tests/golden/jax/*.mlir" };
    int parsed_funcs = 0;
    for (int k = 0; k < 2; k++) {
        size_t n;
        Source *sources = read_sources(patterns[k], &n);
        for (size_t i = 0; i < n; i++) {
            Arena a;
            Failure f = { 0 };
            arena_open(&a);
            const Parsed *p = text_parse(&a, sources[i].text, sources[i].n, sources[i].path, &f, NULL);
            for (uint32_t j = 0; p && j < p->n_funcs; j++, parsed_funcs++)
                check_round_trip(&a, graph_compact(&a, p->funcs[j].graph), sources[i].path);
            arena_free(&a);
        }
        free_sources(sources, n);
    }
    cr_expect(parsed_funcs > 60, "%d", parsed_funcs);
}

/* One graph with every op that takes its operands without attributes. */
Test(text, every_elementwise_op_round_trips)
{
    for (int t = 0; t < DTYPE_COUNT; t++)
        for (int op = 0; op < OP_COUNT; op++) {
            Arena a;
            arena_open(&a);
            Graph *g = graph_new(&a, op_info[op].name);
            int64_t dim[] = { 3, 2 };
            Ref args[3], r = REF_NONE;
            if (op_is_ew((Op)op) && op != OP_SELECT && op != OP_COMPARE && op != OP_REDUCE_PRECISION) {
                for (int k = 0; k < op_info[op].args; k++)
                    args[k] = build_param(g, (Type){ (uint8_t)t, 2, dim });
                r = graph_add_raw(g, &(NodeSpec){ .op = (Op)op,
                                                  .args = args,
                                                  .n_args = (uint32_t)op_info[op].args,
                                                  .dtype = (DType)t });
            }
            if (r != REF_NONE) {
                graph_set_outputs(g, &r, 1);
                check_round_trip(&a, g, op_info[op].text);
            }
            arena_free(&a);
        }
}

Test(text, random_graphs_round_trip)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Arena a;
        arena_open(&a);
        const Graph *g =
            random_graph(&a, seed, &(RandomOptions){ .nodes = 10 + (int)(seed % 40), .raw = seed % 2 });
        cr_assert(g);
        char what[32];
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        check_round_trip(&a, graph_compact(&a, g), what);
        arena_free(&a);
    }
}

Test(text, programs_with_control_flow_and_rules_round_trip)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        Arena a;
        arena_open(&a);
        if (control_programs[i].op != OP_FOREIGN)
            check_round_trip(&a, graph_compact(&a, control_programs[i].make(&a)), control_programs[i].name);
        arena_free(&a);
    }
}

/* An op without a value: known values k, tangents t; region: k, a cotangent. */
Test(text, a_backward_rule_round_trips)
{
    Arena a;
    arena_open(&a);
    Graph *rule = graph_new(&a, NULL), *g = graph_new(&a, "main");
    Ref k = build_param(rule, program_v), ct = build_param(rule, program_v),
        out[2] = { build_binary(rule, OP_MUL, k, ct), ct };
    graph_set_outputs(rule, out, 2);
    Ref args[] = { build_param(g, program_v), build_param(g, program_v), build_param(g, program_v) };
    cr_assert(build_backward(g, rule, args, 1, 2, out));
    graph_set_outputs(g, out, 1);
    check_round_trip(&a, graph_compact(&a, g), "backward");
    arena_free(&a);
}

/* The printed text is for reading only: the function that is called exists in this program alone. */
Test(text, a_foreign_function_prints_and_does_not_parse)
{
    Arena a;
    Failure f = { 0 };
    const char *reason = NULL;
    arena_open(&a);
    const char *text = graph_print(&a, graph_compact(&a, program_foreign(&a)), NULL);
    cr_expect(strstr(text, "stablehlo.custom_call @reversed(%arg0) {weft.foreign = array<i64: 3>} : "
                           "(tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)"),
              "%s", text);
    cr_expect_null(text_parse(&a, text, strlen(text), NULL, &f, &reason));
    cr_expect(reason && strcmp(reason, "custom_call to a function of the program") == 0, "%s", f.text);
    arena_free(&a);
}

/* Random control flow: loops in branches in loops, over scalars and rows, with captures of every kind: in any
 * order, twice the same, constants, unused ones. */
static const int64_t row_size[] = { 3 };
static const Type control_types[] = { { WEFT_F32, 0, NULL }, { WEFT_F32, 1, row_size } };

static uint32_t roll(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

/* A value of g of that type: one of those there are, or a new constant. */
static Ref pick_value(Graph *g, Type t, uint64_t *state)
{
    for (int tries = 0; tries < 20 && g->n_nodes; tries++) {
        Ref r = roll(state, g->n_nodes);
        const Node *n = graph_node(g, r);
        if (n->n_results == 1 && n->dtype == t.dtype && n->rank == t.rank) return r;
    }
    return build_splat(g, t, scalar_from_double(WEFT_F32, roll(state, 5)));
}

static uint32_t pick_types(Type *t, uint32_t least, uint64_t *state)
{
    uint32_t n = least + roll(state, 4);
    for (uint32_t i = 0; i < n; i++) t[i] = control_types[roll(state, 2)];
    return n;
}

static void grow_control(Graph *g, int depth, uint64_t *state);

static const Graph *control_region(Graph *g, const Type *params, uint32_t n, const Type *outputs,
                                   uint32_t n_outputs, bool test, int depth, uint64_t *state)
{
    Graph *r = graph_new(g->arena, NULL);
    Ref out[32];
    for (uint32_t i = 0; i < n; i++) build_param(r, params[i]);
    grow_control(r, depth, state);
    for (uint32_t i = 0; i < n_outputs; i++) out[i] = pick_value(r, outputs[i], state);
    if (test)
        out[0] = build_compare(r, CMP_LT, pick_value(r, control_types[0], state),
                               pick_value(r, control_types[0], state));
    graph_set_outputs(r, out, test ? 1 : n_outputs);
    return graph_compact(g->arena, r);
}

static void add_control(Graph *g, int depth, uint64_t *state)
{
    Type in[32], out[32];
    Ref args[16], results[16];
    uint32_t n_invariant = pick_types(in, 0, state), n_carry = pick_types(in + n_invariant, 1, state),
             n = n_invariant + n_carry;
    for (uint32_t i = 0; i < n; i++) args[i] = pick_value(g, in[i], state);
    uint32_t kind = roll(state, 7), n_out = kind < 2 || kind > 4 ? pick_types(out, 1, state) : n_carry;
    if (kind == 0) {
        const Graph *branches[3];
        for (int k = 0; k < 3; k++)
            branches[k] = control_region(g, in, n, out, n_out, false, depth - 1, state);
        Ref index = build_convert(g, pick_value(g, control_types[0], state), WEFT_I32);
        build_case(g, index, branches, 1 + roll(state, 3), args, n, results);
    } else if (kind == 1) {
        Type scalars[16];
        for (uint32_t i = 0; i < n; i++) {
            args[i] = pick_value(g, control_types[1], state);
            scalars[i] = control_types[0];
        }
        for (uint32_t i = 0; i < n_out; i++) out[i] = control_types[0];
        build_map(g, args, n, control_types[1], control_region(g, scalars, n, out, n_out, false, 0, state),
                  results);
    } else if (kind == 2) {
        const Graph *cond = control_region(g, in, n, NULL, 0, true, depth - 1, state);
        build_while(g, cond, control_region(g, in, n, in + n_invariant, n_carry, false, depth - 1, state),
                    args, n_invariant, n_carry, results);
    } else if (kind == 4) {
        if (n) build_barrier(g, args, n, results);
    } else if (kind == 5) {
        const Graph *region = control_region(g, in, n, out, n_out, false, depth - 1, state);
        build_ruled(g, roll(state, 2) ? OP_CHECKPOINT : OP_CUSTOM_VMAP, 3, &region, 1, args, n, results);
    } else if (kind == 6) {
        memcpy(in + n, in, n * sizeof *in);
        memcpy(out + n_out, out, n_out * sizeof *out);
        const Graph *regions[] = { control_region(g, in, n, out, n_out, false, depth - 1, state),
                                   control_region(g, in, 2 * n, out, 2 * n_out, false, depth - 1, state) };
        build_ruled(g, OP_CUSTOM_JVP, 0, regions, 2, args, n, results);
    } else {
        ScanShape s = { .length = 3,
                        .reverse = roll(state, 2),
                        .unroll = 1 + roll(state, 2),
                        .n_invariant = n_invariant,
                        .n_carry = n_carry,
                        .n_xs = roll(state, 3) };
        uint32_t n_ys = roll(state, 3);
        for (uint32_t i = 0; i < s.n_xs; i++) {
            in[n + i] = control_types[0];
            args[n + i] = pick_value(g, control_types[1], state);
        }
        memcpy(out, in + n_invariant, n_carry * sizeof *out);
        for (uint32_t i = 0; i < n_ys; i++) out[n_carry + i] = control_types[roll(state, 2)];
        build_scan(g, s, control_region(g, in, n + s.n_xs, out, n_carry + n_ys, false, depth - 1, state),
                   args, results);
    }
    cr_assert(g->failure.code == WEFT_OK, "%s", g->failure.text);
}

static void grow_control(Graph *g, int depth, uint64_t *state)
{
    for (int i = 0; i < 5; i++) {
        Type t = control_types[roll(state, 2)];
        if (depth > 0 && roll(state, 2)) add_control(g, depth, state);
        else
            build_binary(g, roll(state, 2) ? OP_ADD : OP_ATAN2, pick_value(g, t, state),
                         pick_value(g, t, state));
    }
}

Test(text, random_control_flow_round_trips)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        Arena a;
        uint64_t state = seed;
        char what[32];
        Ref out[8];
        arena_open(&a);
        Graph *g = graph_new(&a, "main");
        for (int i = 0; i < 4; i++) build_param(g, control_types[i % 2]);
        grow_control(g, 1 + (int)(seed % 3), &state);
        for (int i = 0; i < 8; i++) out[i] = pick_value(g, control_types[i % 2], &state);
        graph_set_outputs(g, out, 8);
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        check_round_trip(&a, graph_compact(&a, g), what);
        arena_free(&a);
    }
}

/* Composites: does the decomposition, which other tools run, compute what the op does? */

static void **make_arrays(Arena *a, const Graph *g, const Ref *refs, uint32_t n, uint64_t *state)
{
    void **at = arena_alloc(a, (n + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++) {
        Type t = graph_type(g, refs[i]);
        size_t width = dtype_bytes((DType)t.dtype), count = (size_t)type_count(t);
        at[i] = arena_alloc(a, count * width + 1);
        for (size_t k = 0; k < count && state; k++)
            scalar_store((DType)t.dtype, (char *)at[i] + k * width,
                         scalar_from_double((DType)t.dtype, roll(state, 9) - 4.0));
    }
    return at;
}

/* The func of the printed text that is called by this name, against g itself. Small whole numbers are summed
 * exactly in any order. */
static void check_decomposition(Arena *a, const Graph *g, const char *name, uint64_t *state)
{
    Failure f = { 0 };
    const char *text = graph_print(a, g, NULL);
    const Parsed *p = text_parse(a, text, strlen(text), NULL, &f, NULL);
    const Graph *other = NULL;
    cr_assert(p, "%s\n%s", f.text, text);
    for (uint32_t i = 0; i < p->n_funcs; i++)
        if (strcmp(p->funcs[i].name, name) == 0) other = p->funcs[i].graph;
    cr_assert(other && other->n_outputs == g->n_outputs, "no func @%s in\n%s", name, text);
    const void *const *in = (const void *const *)make_arrays(a, g, g->params, g->n_params, state);
    void **out = make_arrays(a, g, g->outputs, g->n_outputs, NULL),
         **again = make_arrays(a, g, g->outputs, g->n_outputs, NULL);
    cr_assert(eager_graph(g, in, out, &heap, &f) && eager_graph(other, in, again, &heap, &f), "%s\n%s",
              f.text, text);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        cr_assert(memcmp(out[i], again[i], (size_t)type_count(t) * dtype_bytes((DType)t.dtype)) == 0,
                  "result %u of @%s differs in\n%s", i, name, text);
    }
}

static void check_prefix(DType t, Op monoid, int axis, bool reverse, int64_t length, uint64_t *state)
{
    Arena a;
    arena_open(&a);
    Graph *g = graph_new(&a, "main");
    Ref x = build_param(g, (Type){ (uint8_t)t, 2, (int64_t[]){ axis ? 2 : length, axis ? length : 2 } });
    Ref out = build_cumulative(g, monoid, x, axis, reverse);
    graph_set_outputs(g, &out, 1);
    if (graph_node(g, out)->op == OP_CUMULATIVE) check_decomposition(&a, g, "weft.cumulative_0", state);
    arena_free(&a);
}

Test(text, decompositions_compute_what_the_ops_do)
{
    static const Op monoids[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN };
    static const DType types[] = { WEFT_F32, WEFT_I32, WEFT_U8, WEFT_BOOL };
    uint64_t state = 1;
    for (int k = 0; k < 64; k++)
        for (int64_t length = 0; length < 6; length++)
            check_prefix(types[k % 4], monoids[k / 4 % 4], k / 16 % 2, k / 32, length, &state);
    for (int k = 0; k < 60; k++) {
        Arena a;
        arena_open(&a);
        int64_t length = k % 5, dim[] = { length, 3 };
        Type types_in[] = {
            control_types[1], control_types[0], control_types[1], { WEFT_F32, 1, dim }, { WEFT_F32, 2, dim }
        };
        Type params[] = { control_types[1], control_types[0], control_types[1], control_types[0],
                          control_types[1] };
        Type outputs[] = { control_types[0], control_types[1], control_types[1], control_types[0] };
        Graph *g = graph_new(&a, "main");
        Ref args[5], out[4];
        for (int i = 0; i < 5; i++) args[i] = build_param(g, types_in[i]);
        const Graph *body = control_region(g, params, 5, outputs, 4, false, 0, &state);
        cr_assert(build_scan(
            g,
            (ScanShape){
                .length = length, .reverse = k % 2, .unroll = 1, .n_invariant = 1, .n_carry = 2, .n_xs = 2 },
            body, args, out));
        graph_set_outputs(g, out, 4);
        check_decomposition(&a, graph_compact(&a, g), "weft.scan_0", &state);
        arena_free(&a);
    }
}

/* Loops in loops, 12 deep: each level's text is there once for its body and once for its decomposition, not
 * 2^12 times. */
Test(text, nested_loops_do_not_double_the_text)
{
    Arena a;
    arena_open(&a);
    const Graph *body = NULL;
    for (int level = 0; level < 12; level++) {
        Graph *g = graph_new(&a, "main");
        Ref c = build_param(g, control_types[0]), out = REF_NONE;
        if (!body) out = build_binary(g, OP_ATAN2, c, c);
        else
            cr_assert(
                build_scan(g, (ScanShape){ .length = 2 + level, .unroll = 1, .n_carry = 1 }, body, &c, &out));
        graph_set_outputs(g, &out, 1);
        body = g;
    }
    check_round_trip(&a, body, "nested loops");
    cr_expect(strlen(graph_print(&a, body, NULL)) < 40000, "%zu", strlen(graph_print(&a, body, NULL)));
    arena_free(&a);
}

Test(text, places_and_names_in_regions_are_kept)
{
    static const char text[] =
        "func.func @f(%x: tensor<3xf32>) -> tensor<f32> {\n"
        "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
        "  %0 = stablehlo.while(%i = %c) : tensor<f32> cond {\n"
        "    %p = stablehlo.compare LT, %i, %c : (tensor<f32>, tensor<f32>) -> tensor<i1> "
        "loc(\"cond.c\":3:1)\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.sine %i : tensor<f32> loc(#body)\n"
        "    stablehlo.return %j : tensor<f32>\n"
        "  } loc(\"loop.c\":5:1)\n"
        "  %1 = stablehlo.composite \"weft.scan\" %0, %x {composite_attributes = {body = @step, carries = 1 "
        ": i64, invariants = 0 : i64, length = 3 : i64, reverse = false, "
        "unroll = 1 : i64}} : (tensor<f32>, tensor<3xf32>) -> tensor<f32> loc(\"scan.c\":6:1)\n"
        "  return %1 : tensor<f32>\n"
        "}\n"
        "func.func private @step(%carry: tensor<f32>, %slice: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.atan2 %carry, %slice : tensor<f32> loc(\"step.c\":8:1)\n"
        "  return %0 : tensor<f32>\n"
        "}\n"
        "#body = loc(\"body.c\":4:1)\n";
    static const char *const kept[] = { "loc(\"cond.c\":3:0)", "loc(\"body.c\":4:0)", "} loc(\"loop.c\":5:0)",
                                        "-> tensor<f32> loc(\"scan.c\":6:0)",
                                        "atan2 %carry, %slice : tensor<f32> loc(\"step.c\":8:0)" };
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Parsed *p = text_parse(&a, text, sizeof text - 1, NULL, &f, NULL);
    cr_assert(p, "%s", f.text);
    const char *out = graph_print(&a, p->funcs[0].graph, &(PrintOptions){ .locs = true });
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        cr_expect(strstr(out, kept[i]), "%s is not in\n%s", kept[i], out);
    arena_free(&a);
}

Test(text, places_are_printed_and_read)
{
    static const char text[] =
        "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.sine %x : tensor<f32> loc(\"demo.c\":42:7)\n"
        "  %1 = stablehlo.cosine %0 : tensor<f32> loc(#loc1)\n"
        "  %2 = stablehlo.negate %1 : tensor<f32> loc(callsite(\"sub \\22x\\22.c\":7:1 at \"main.c\":9:1))\n"
        "  return %2 : tensor<f32>\n"
        "}\n"
        "#loc1 = loc(\"add\"(#loc2))\n"
        "#loc2 = loc(\"other.c\":9:1)\n";
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Parsed *p = text_parse(&a, text, sizeof text - 1, "f.mlir", &f, NULL);
    cr_assert(p, "%s", f.text);
    const char *out = graph_print(&a, p->funcs[0].graph, &(PrintOptions){ .locs = true });
    cr_expect(strstr(out, "sine %x : tensor<f32> loc(\"demo.c\":42:0)"), "%s", out);
    cr_expect(strstr(out, "loc(\"other.c\":9:0)"), "%s", out);
    cr_expect(strstr(out, "loc(\"sub \\22x\\22.c\":7:0)"), "%s", out);
    arena_free(&a);
}

/* JAX's programs. */

static double element(Type t, const void *data, int64_t i)
{
    DType d = (DType)t.dtype;
    return scalar_to_double(d, scalar_load(d, (const char *)data + (size_t)i * dtype_bytes(d)));
}

static void run_checks(Arena *a, const ParsedFunc *func, const char *path)
{
    Graph *g = arena_copy(a, func->graph, sizeof *g);
    Failure f = { 0 };
    uint32_t n = 2 * func->n_checks;
    Ref *refs = arena_alloc(a, n * sizeof *refs);
    void **out = arena_alloc(a, n * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        refs[i] = i % 2 ? func->checks[i / 2].expected : func->checks[i / 2].actual;
        Type t = graph_type(g, refs[i]);
        out[i] = arena_alloc(a, (size_t)type_count(t) * dtype_bytes((DType)t.dtype) + 1);
    }
    graph_set_outputs(g, refs, n);
    cr_assert(eager_graph(g, NULL, out, &heap, &f), "%s: %s", path, f.text);
    for (uint32_t k = 0; k < func->n_checks; k++) {
        Type t = graph_type(g, refs[2 * k]);
        for (int64_t i = 0; i < type_count(t); i++) {
            double is = element(t, out[2 * k], i), should = element(t, out[2 * k + 1], i);
            bool close = is == should || (isnan(is) && isnan(should)) ||
                         fabs(is - should) <= func->checks[k].tolerance;
            cr_assert(close, "%s:%d: element %lld is %.9g, JAX has %.9g", path, func->checks[k].line,
                      (long long)i, is, should);
        }
    }
}

Test(text, programs_that_jax_printed_give_jax_s_numbers)
{
    size_t n;
    int checks = 0;
    Source *s = read_sources(WEFT_SOURCE_DIR "/tests/golden/jax/*.mlir", &n);
    for (size_t i = 0; i < n; i++) {
        Arena a;
        Failure f = { 0 };
        arena_open(&a);
        const Parsed *p = text_parse_with(&a, &enzyme, s[i].text, s[i].n, s[i].path, &f, NULL);
        cr_assert(p, "%s: %s", s[i].path, f.text);
        for (uint32_t k = 0; k < p->n_funcs; k++) {
            if (p->funcs[k].n_checks) run_checks(&a, &p->funcs[k], s[i].path);
            checks += (int)p->funcs[k].n_checks;
        }
        arena_free(&a);
    }
    cr_expect(n >= 10 && checks >= 30, "%zu files, %d checks", n, checks);
    free_sources(s, n);
}
