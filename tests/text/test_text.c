/* test_text.c: StableHLO text in and out: round trips, error messages with their places, malformed text of
 * every kind, decimal numbers, and programs that JAX printed, run and compared with JAX's own results. Golden
 * files are test_golden.c's. */
#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/text/decimal.h"
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/control_programs.h"
#include "tests/support/enzyme.h"
#include "tests/support/graphs.h"
#include "runtime/eager/eager.h"

typedef struct Source {
    char *path, *text;
    size_t n;
} Source;

/* Every golden file, those that JAX printed too. */
static Source *read_sources(const char *pattern, size_t *count)
{
    glob_t found;
    cr_assert(glob(pattern, 0, NULL, &found) == 0, "%s", pattern);
    Source *sources = calloc(found.gl_pathc, sizeof *sources);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *f = fopen(found.gl_pathv[i], "rb");
        cr_assert(f, "%s", found.gl_pathv[i]);
        fseek(f, 0, SEEK_END);
        sources[i].n = (size_t)ftell(f);
        rewind(f);
        sources[i].text = calloc(sources[i].n + 1, 1);
        sources[i].path = strdup(found.gl_pathv[i]);
        cr_assert(fread(sources[i].text, 1, sources[i].n, f) == sources[i].n);
        fclose(f);
        char *split = strstr(sources[i].text, "// ----- becomes");
        if (split) *split = 0;
        sources[i].n = strlen(sources[i].text);
    }
    *count = found.gl_pathc;
    globfree(&found);
    return sources;
}

static void free_sources(Source *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(s[i].path);
        free(s[i].text);
    }
    free(s);
}

/* Round trips. */

static void check_round_trip(Arena *a, const Graph *g, const char *what)
{
    const PrintOptions options[] = { { false, 0 }, { true, 0 }, { false, 1 } };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        Failure f = { 0 };
        const char *text = graph_print(a, g, &options[i]);
        const Parsed *again = text_parse(a, text, strlen(text), NULL, &f, NULL);
        cr_assert(again, "%s: its print does not parse: %s\n%s", what, f.text, text);
        cr_assert(graph_equal(again->funcs[0].graph, g), "%s: printing and parsing changed the graph\n%s",
                  what, text);
        cr_assert_str_eq(graph_print(a, again->funcs[0].graph, &options[i]), text);
    }
}

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

/* The printed text is for reading: what is called lies in this program alone. */
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

/* Decimal. */

static void check_number(DType t, uint64_t bits)
{
    char text[DECIMAL_SIZE];
    uint64_t back = 0;
    decimal_print(text, t, bits);
    if (strncmp(text, "0x", 2) == 0) back = strtoull(text, NULL, 16);
    else cr_assert(decimal_parse(text, strlen(text), t, &back), "%s", text);
    cr_assert(back == bits, "%s: %s is %llx, not %llx", dtype_name(t), text, (unsigned long long)back,
              (unsigned long long)bits);
}

Test(decimal, numbers_print_so_that_they_read_back)
{
    uint64_t state = 1;
    for (uint32_t h = 0; h < 65536; h++) {
        check_number(WEFT_F16, h);
        check_number(WEFT_BF16, h);
    }
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        check_number(WEFT_F32, state >> 32);
        check_number(WEFT_F64, state ^ state >> 29);
    }
}

Test(decimal, reads_what_strtod_reads)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "0.1",
        "1e23",
        "8.5e-324",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.797693134862315907729e308",
        "1e400",
        "1e-400",
        "9007199254740993",
        "9007199254740992.999999999999",
        "9007199254740993.0000000000000000000000000000000001",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000001",
        "2.2250738585072011e-308",
        "00001.50",
        "1e+5",
        "1.e3",
        "5e-00003",
    };
    uint64_t bits, state = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert(decimal_parse(texts[i], strlen(texts[i]), WEFT_F64, &bits));
        cr_expect(bits == scalar_from_double(WEFT_F64, strtod(texts[i], NULL)), "%s", texts[i]);
        cr_assert(decimal_parse(texts[i], strlen(texts[i]), WEFT_F32, &bits));
        float v = strtof(texts[i], NULL);
        cr_expect(scalar_to_double(WEFT_F32, bits) == (double)v, "%s as f32", texts[i]);
    }
    for (int i = 0; i < 20000; i++) {
        char text[64];
        state = state * 6364136223846793005u + 1442695040888963407u;
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(state >> 40),
                 (unsigned long long)(state & 0xffffff), (int)(state >> 24 & 1023) - 512);
        cr_assert(decimal_parse(text, strlen(text), WEFT_F64, &bits));
        cr_assert(bits == scalar_from_double(WEFT_F64, strtod(text, NULL)), "%s", text);
    }
}

/* A tie in f16 that a detour by f64 or f32 would round twice. */
Test(decimal, rounds_once)
{
    uint64_t bits;
    static const char text[] = "1.00048828125000000000000000000000000000000001";
    cr_assert(decimal_parse(text, sizeof text - 1, WEFT_F16, &bits));
    cr_expect(bits == 0x3c01);
    cr_assert(decimal_parse("1.00048828125", 13, WEFT_F16, &bits));
    cr_expect(bits == 0x3c00);
}

Test(decimal, refuses_what_is_no_number)
{
    static const char *const texts[] = { "",      "-",  ".",    "e5",  "1e", "1e+",
                                         "1.2.3", "1x", "0x10", "nan", " 1", "1 " };
    uint64_t bits;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(!decimal_parse(texts[i], strlen(texts[i]), WEFT_F64, &bits), "'%s'", texts[i]);
}

/* Messages. */

typedef struct BadText {
    const char *body, *message;
} BadText;

/* Bodies stand in a func with %x: tensor<2x3xf32> and %i: tensor<4xi32>; their first line is line 2. */
static const BadText bad_bodies[] = {
    { "  %0 = stablehlo.sine %y : tensor<2x3xf32>", "2:23: %y is not defined here" },
    { "  %0 = stablehlo.sin %x : tensor<2x3xf32>", "2:8: no op is called `stablehlo.sin`" },
    { "  %0 = stablehlo.sine %x", "3:3: saw `return`, wanted `:` and the op's types" },
    { "  %0 = stablehlo.sine %x : tensor<2x3xf32", "wanted `>` behind the tensor type" },
    { "  %0 = stablehlo.sine %x : tensor<2x4xf32>",
      "2:8: stablehlo.sine: operand 0 is f32[2,3], the text gives f32[2,4]" },
    { "  %0 = stablehlo.sine %x, %x : tensor<2x3xf32>", "2:8: stablehlo.sine takes 1 operand, saw 2" },
    { "  %0 = stablehlo.sine %i : tensor<4xi32>", "2:8: stablehlo.sine: " },
    { "  %0 = stablehlo.add %x, %i : tensor<2x3xf32>",
      "2:8: stablehlo.add: operand 1 is i32[4], the text gives f32[2,3]" },
    { "  %0 = \"stablehlo.add\"(%x, %i) : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x3xf32>",
      "2:8: stablehlo.add: operand types f32[2,3] and i32[4] differ" },
    { "  %x = stablehlo.sine %x : tensor<2x3xf32>", "%x is defined twice" },
    { "  %0 = stablehlo.sine %x#1 : tensor<2x3xf32>", "2:23: %x has 1 result, no number 1" },
    { "  %0:2 = stablehlo.sine %x : tensor<2x3xf32>",
      "2:10: stablehlo.sine has 1 results, not as many as are named" },
    { "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "result 0 is f32[3,2], the text gives f32[2,3]" },
    { "  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
      "2:8: stablehlo.transpose: " },
    { "  %0 = stablehlo.transpose %x : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:8: stablehlo.transpose needs the attribute dims" },
    { "  %0 = stablehlo.transpose %x, dims = [1, 0], dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:47: attribute dims is given twice" },
    { "  %0 = stablehlo.transpose %x, dmis = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "has no attribute dmis; it has: dims permutation" },
    { "  %0 = stablehlo.transpose %x, dims = [1, a] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:43: wanted an integer here" },
    { "  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>", "2:8: stablehlo.reshape: " },
    { "  %0 = stablehlo.slice %x [0:1, 2:9] : (tensor<2x3xf32>) -> tensor<1x7xf32>",
      "2:8: stablehlo.slice: " },
    { "  %0 = stablehlo.slice %x [0:1] : (tensor<2x3xf32>) -> tensor<1xf32>", "2:8: stablehlo.slice: " },
    { "  %0 = stablehlo.slice %x [0 1] : (tensor<2x3xf32>) -> tensor<1xf32>",
      "2:30: saw `1`, wanted `:` and the range's end" },
    { "  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>",
      "2:38: a list of 2 where axis 0 of the type has 3" },
    { "  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<3xi32>",
      "2:43: more than the 3 elements of the type" },
    { "  %0 = stablehlo.constant dense<[[1], [2]]> : tensor<2xi32>",
      "2:34: lists nested deeper than the rank, 1" },
    { "  %0 = stablehlo.constant dense<300> : tensor<i8>", "2:33: 300 does not fit i8" },
    { "  %0 = stablehlo.constant dense<-1> : tensor<ui8>", "2:34: -1 does not fit ui8" },
    { "  %0 = stablehlo.constant dense<99999999999999999999> : tensor<ui64>",
      "an integer that does not fit 64 bits" },
    { "  %0 = stablehlo.constant dense<true> : tensor<f32>", "true and false are elements of i1 only" },
    { "  %0 = stablehlo.constant dense<1.5> : tensor<i32>", "2:33: saw 1.5, wanted an integer" },
    { "  %0 = stablehlo.constant dense<0x1FFFFFFFF> : tensor<f32>", "a hex number that does not fit f32" },
    { "  %0 = stablehlo.constant dense<\"0x0000\"> : tensor<2xf32>",
      "2 bytes of hex for 2 elements of 4 bytes" },
    { "  %0 = stablehlo.constant dense<\"0x00000g00\"> : tensor<f32>", "no hex digit" },
    { "  %0 = stablehlo.constant dense<> : tensor<2xf32>", "dense<> for a type of 2 elements" },
    { "  %0 = stablehlo.constant dense<[[[]]]> : tensor<9000000000x9000000000xf32>",
      "a tensor that has more bytes than 63 bits can count" },
    { "  %0 = stablehlo.constant dense<1> : tensor<99999999999999999999xf32>",
      "a dimension that does not fit 64 bits" },
    { "  %0 = stablehlo.constant dense<1> : "
      "tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>",
      "a tensor of more than 32 axes" },
    { "  %0 = stablehlo.constant dense<1> : tensor<2xfloat>", "`float` is no element type; known are i1" },
    { "  %0 = stablehlo.iota dim = 2 : tensor<2x3xf32>", "2:8: stablehlo.iota: " },
    { "  %0 = stablehlo.iota : tensor<2x3xf32>", "2:8: stablehlo.iota needs the attribute dim" },
    { "  %0 = stablehlo.compare LTE, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
      "2:26: the direction of a comparison is one of EQ NE LT LE GT GE" },
    { "  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<2x3xf32>", "wanted a format like e5m10" },
    { "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "wanted two lists, as in [1] x [0]" },
    { "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [1] : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<3x2xf32>",
      "2:8: stablehlo.dot_general: " },
    { "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0, 1] x [1] : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<3x2xf32>",
      "as many axes of the left operand as of the right" },
    { "  %0 = stablehlo.reduce(%x init: %x) applies stablehlo.add across dimensions = [1] : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
      "stablehlo.reduce: " },
    { "  %0 = stablehlo.reduce(%x, %x) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, "
      "tensor<f32>) -> tensor<2xf32>",
      "wanted `init:` and the start value" },
    { "  %0 = call @g(%x) : (tensor<2x3xf32>) -> tensor<f32>", "2:8: there is no func @g" },
    { "  %0 = call @h(%x) : (tensor<2x3xf32>) -> tensor<f32>",
      "2:8: @h has 0 parameters and 0 results, the call 1 and 1" },
    { "  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32>", "3:3: saw `return`, wanted `cond`" },
    { "  %0 = stablehlo.while(%a = %x, %b = %i) : tensor<2x3xf32>",
      "2:8: stablehlo.while carries 2 values and has 1 types" },
    { "  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32> cond {\n  stablehlo.return %a : tensor<2x3xf32>\n  "
      "} do {\n  stablehlo.return %a : tensor<2x3xf32>\n  }",
      "2:8: stablehlo.while: output 0 of the condition is f32[2,3], not bool" },
    { "  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32> cond {\n  %p = stablehlo.constant dense<true> : "
      "tensor<i1>\n  stablehlo.return %p : tensor<i1>\n  } do {\n  stablehlo.return %i : tensor<4xi32>\n  }",
      "2:8: stablehlo.while: output 0 of the body is i32[4], not f32[2,3]" },
    { "  %0 = \"stablehlo.while\"(%x) ({\n  ^bb0(%a: tensor<2x3xf32>):\n  stablehlo.return %a : "
      "tensor<2x3xf32>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "stablehlo.while has 2 regions, the text gives 1" },
    { "  %0 = \"stablehlo.case\"(%i) ({\n  stablehlo.return %x : tensor<2x3xf32>\n  }) : (tensor<4xi32>) -> "
      "tensor<2x3xf32>",
      "the index must be i32[], not i32[4]" },
    { "  %0 = \"stablehlo.case\"(%i) : (tensor<4xi32>) -> tensor<2x3xf32>", "needs at least one branch" },
    { "  %0 = \"stablehlo.if\"(%i) ({\n  stablehlo.return %x : tensor<2x3xf32>\n  }, {\n  stablehlo.return "
      "%x : tensor<2x3xf32>\n  }) : (tensor<4xi32>) -> tensor<2x3xf32>",
      "the predicate is tensor<i1>" },
    { "  %0 = \"stablehlo.map\"(%x) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  stablehlo.return %a : "
      "tensor<f32>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "the region must take 1 scalars" },
    { "  %0 = \"stablehlo.sort\"(%x) <{dimension = 2 : i64}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n "
      " %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n  stablehlo.return %p "
      ": tensor<i1>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "2:8: stablehlo.sort: axis 2" },
    { "  %0 = \"stablehlo.sort\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "stablehlo.sort needs a region" },
    { "  %0 = stablehlo.dynamic_slice %x, sizes = [1, 1] : (tensor<2x3xf32>) -> tensor<1x1xf32>",
      "2:8: stablehlo.dynamic_slice: " },
    { "  %0 = \"stablehlo.scatter\"(%x, %i, %x) : (tensor<2x3xf32>, tensor<4xi32>, tensor<2x3xf32>) -> "
      "tensor<2x3xf32>",
      "needs the attribute scatter_dimension_numbers" },
    { "  %0 = \"stablehlo.reduce_window\"(%x, %x) <{window_dimensions = array<i64: 1>}> ({\n  ^bb0(%a: "
      "tensor<f32>, %b: tensor<f32>):\n  stablehlo.return %a : tensor<f32>\n  }) : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<2x3xf32>",
      "window_dimensions lists 1 numbers for 2 axes" },
    { "  %0:2 = chlo.top_k(%x, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)",
      "gives two results of the greatest 4 of an axis" },
    { "  %0:2 = stablehlo.rng_bit_generator %i, algorithm = MERSENNE : (tensor<4xi32>) -> (tensor<4xi32>, "
      "tensor<4xi32>)",
      "the algorithm is one of DEFAULT THREE_FRY PHILOX" },
    { "  %0 = chlo.scan(%x) inits() dimension=5 {\n  ^bb0(%a: tensor<3xf32>):\n  stablehlo.return %a : "
      "tensor<3xf32>\n  } : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "axis 5 of a value of rank 2" },
    { "  %0 = stablehlo.composite \"weft.scan\" %x {composite_attributes = {body = @h}} : (tensor<2x3xf32>) "
      "-> tensor<2x3xf32>",
      "needs the attribute length" },
    { "  %0 = stablehlo.composite \"weft.scan\" %x {decomposition = @h} : (tensor<2x3xf32>) -> "
      "tensor<2x3xf32>",
      "does not say which func" },
    { "  %0 = stablehlo.sine %x : tensor<2x3xf32> $", "a character that means nothing here (code 36)" },
    { "  %0 = \"stablehlo.sine(%x) : tensor<2x3xf32>", "2:8: a string without its closing quote" },
    { "  %0 = \"stablehlo.sine\"(%x) {a = [1} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
      "2:36: saw `}`, wanted `,` or `]`" },
    { "  return %x : tensor<2x3xf32>", "3:3: an op behind the return" },
};

static const BadText bad_texts[] = {
    { "", "1:1: the text has no func" },
    { "module {\n}\n", "1:1: the text has no func" },
    { "func.func @f() {\n  return\n", "`{` is never closed" },
    { "func.func @f() {\n}\n", "a region must end with a return" },
    { "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n", "4:1: two funcs are called @f" },
    { "func.func @f() -> tensor<f32> {\n  return\n}\n", "1:1: the func returns 0 values and declares 1" },
    { "func.func @f(%x: tensor<f32>) -> tensor<i32> {\n  return %x : tensor<f32>\n}\n",
      "value 0 that the func returns is of another type than declared" },
    { "func.func f() {\n  return\n}\n", "1:11: saw `f`, wanted a name like @f" },
    { "%0 = stablehlo.constant dense<1> : tensor<i32>\n",
      "1:6: stablehlo.constant stands outside of a function" },
    { "func.func @f(%x: f32) {\n  return\n}\n", "1:18: saw `f32`, wanted a type like tensor<2x3xf32>" },
    { "func.func @f(%x: tensor<f32>, %x: tensor<f32>) {\n  return\n}\n", "1:31: %x is defined twice" },
    { "} ", "1:1: saw `}`, wanted an op" },
};

static void check_message(const char *text, const char *message)
{
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    arena_open(&a);
    cr_expect(!text_parse(&a, text, strlen(text), "bad.mlir", &f, &unsupported),
              "parses, but should say: %s\n%s", message, text);
    cr_expect(f.code == WEFT_IO && !unsupported, "%d", f.code);
    cr_expect(strstr(f.text, message), "says: %s\nshould say: %s\n%s", f.text, message, text);
    arena_free(&a);
}

Test(text, says_what_is_wrong_and_where)
{
    for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++)
        check_message(bad_texts[i].body, bad_texts[i].message);
    for (size_t i = 0; i < sizeof bad_bodies / sizeof *bad_bodies; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "func.func @f(%%x: tensor<2x3xf32>, %%i: tensor<4xi32>) {\n%s\n  return\n}\nfunc.func @h() "
                 "{\n  return\n}\n",
                 bad_bodies[i].body);
        check_message(text, bad_bodies[i].message);
    }
}

/* Well-formed, and not for weft: a reason fit for counting. */
Test(text, says_what_it_does_not_support)
{
    static const BadText cases[] = {
        { "  %0 = stablehlo.fft %x, type = FFT, length = [3] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
          "fft (stablehlo.fft)" },
        { "  %0 = stablehlo.constant dense<(1.0,2.0)> : tensor<complex<f32>>", "complex types" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<?x3xi8>", "dynamic shapes" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xi4>",
          "integers of 2, 4 and other widths" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xf8E4M3FN>",
          "floats of 8 bits and fewer" },
        { "  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.1:-30>>",
          "quantized types" },
        { "  %0 = stablehlo.custom_call @lapack_sgesdd(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
          "custom_call @lapack_sgesdd" },
        { "  %0 = arith.addf %x, %x : tensor<2x3xf32>", "ops of the dialect arith" },
        { "  %0 = call @f(%x, %i) : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<f32>", "recursive calls" },
        { "  %0 = stablehlo.create_token : !stablehlo.token",
          "infeed, outfeed, send, recv (stablehlo.create_token)" },
        { "  %0 = stablehlo.dynamic_pad %x, %x, %i, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, "
          "tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x3xf32>",
          "dynamic shapes (stablehlo.dynamic_pad)" },
        { "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %k = stablehlo.slice %x [0:1, 0:1] : "
          "(tensor<2x3xf32>) -> tensor<1x1xf32>\n"
          "  %s = stablehlo.reshape %k : (tensor<1x1xf32>) -> tensor<f32>\n"
          "  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) "
          "-> tensor<f32>\n"
          "   reducer(%a: tensor<f32>, %b: tensor<f32>) {\n  %1 = stablehlo.add %a, %s : tensor<f32>\n  "
          "stablehlo.return %1 : tensor<f32>\n  }",
          "values from outside of a region that folds or compares elements" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        Arena a;
        Failure f = { 0 };
        const char *unsupported = NULL;
        snprintf(text, sizeof text,
                 "func.func @f(%%x: tensor<2x3xf32>, %%i: tensor<4xi32>) {\n%s\n  return\n}\n",
                 cases[i].body);
        arena_open(&a);
        cr_expect(!text_parse(&a, text, strlen(text), NULL, &f, &unsupported));
        cr_expect(f.code == WEFT_ARGUMENT && unsupported && strcmp(unsupported, cases[i].message) == 0,
                  "%s: %s", f.text, unsupported ? unsupported : "-");
        arena_free(&a);
    }
}

/* Texts that nobody meant. */

/* Parses a copy that ends where the memory ends, so that a sanitizer sees any step past it. */
static void parse_anything(const char *text, size_t n)
{
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    arena_open(&a);
    const Parsed *p = text_parse(&a, copy, n, "x", &f, &unsupported);
    if (!p) cr_assert(f.text[0] && f.code == (unsupported ? WEFT_ARGUMENT : WEFT_IO), "%s", f.text);
    for (uint32_t i = 0; p && i < p->n_funcs; i++)
        check_round_trip(&a, graph_compact(&a, p->funcs[i].graph), "a mutated text");
    arena_free(&a);
    free(copy);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void mutate(char *text, size_t *n, uint64_t *random)
{
    static const char letters[] = "()[]{}<>%@#!^:,=-\"x0919.eE \nA\x80";
    size_t at = next_random(random) % *n, from = next_random(random) % *n, span = next_random(random) % 24;
    switch (next_random(random) % 5) {
    case 0: text[at] = letters[next_random(random) % (sizeof letters - 1)]; break;
    case 1: text[at] = (char)(text[at] ^ 1 << next_random(random) % 8); break;
    case 2: text[at] = text[from]; break;
    case 3:
        if (at + span < *n && from + span < *n) memmove(text + at, text + from, span);
        break;
    default:
        if (at + span < *n) {
            memmove(text + at, text + at + span, *n - at - span);
            *n -= span;
        }
    }
}

Test(text, truncated_and_mutated_files_do_no_harm)
{
    uint64_t random = 1;
    static const char *const patterns[] = { WEFT_SOURCE_DIR "/tests/golden/text/*.mlir",
                                            WEFT_SOURCE_DIR "/tests/golden/jax/*.mlir" };
    for (int k = 0; k < 2; k++) {
        size_t n_sources;
        Source *s = read_sources(patterns[k], &n_sources);
        for (size_t i = 0; i < n_sources; i++) {
            char *copy = malloc(s[i].n);
            for (int round = 0; round < 40 && s[i].n > 2; round++) {
                size_t n = s[i].n;
                parse_anything(s[i].text, next_random(&random) % n);
                memcpy(copy, s[i].text, n);
                for (uint32_t times = 1 + next_random(&random) % 4; times > 0 && n > 2; times--)
                    mutate(copy, &n, &random);
                parse_anything(copy, n);
            }
            free(copy);
        }
        free_sources(s, n_sources);
    }
}

/* Each text repeats a part so often that a parser which recurses for it would run out of stack. */
Test(text, depth_is_limited)
{
    static const struct {
        const char *head, *part;
    } cases[] = {
        { "func.func @f() {\n  %0 = stablehlo.constant dense<", "[" },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "[" },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "{a = " },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "#x<a = " },
        { "func.func @f() {\n  %0 = \"stablehlo.sine\"() {a = ", "dense<" },
        { "func.func @f() {\n", "\"stablehlo.reduce\"() ({" },
        { "func.func @f() {\n loc", "(" },
        { "", "module {" },
        { "module attributes ", "{a = {" },
        { "func.func @f(%x: tensor<", "1x" },
        { "func.func @f(%x: ", "tuple<" },
    };
    enum { TIMES = 200000 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t head = strlen(cases[i].head), part = strlen(cases[i].part);
        char *text = malloc(head + part * TIMES + 1);
        memcpy(text, cases[i].head, head);
        for (size_t k = 0; k < TIMES; k++) memcpy(text + head + k * part, cases[i].part, part);
        parse_anything(text, head + part * TIMES);
        free(text);
    }
}

/* f0 calls f1 twice, which calls f2 twice, ...: a short text for 2^60 ops, all different. */
Test(text, calls_that_double_are_refused)
{
    static const char step[] = "func.func @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %%0 = stablehlo.sine %%x : tensor<f32>\n"
                               "  %%1 = call @f%d(%%0) : (tensor<f32>) -> tensor<f32>\n"
                               "  %%2 = call @f%d(%%1) : (tensor<f32>) -> tensor<f32>\n"
                               "  return %%2 : tensor<f32>\n}\n";
    static const char last[] = "func.func @f60(%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %0 = stablehlo.cosine %x : tensor<f32>\n"
                               "  return %0 : tensor<f32>\n}\n";
    char text[16384];
    size_t n = 0;
    for (int i = 0; i < 60; i++) n += (size_t)snprintf(text + n, sizeof text - n, step, i, i + 1, i + 1);
    memcpy(text + n, last, sizeof last);
    n += sizeof last - 1;
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    arena_open(&a);
    cr_expect(!text_parse_with(&a, &enzyme, text, n, NULL, &f, &unsupported));
    cr_expect(unsupported && strstr(unsupported, "expands to more"), "%s", f.text);
    arena_free(&a);
}

/* A text of n times `each`, which may say %u: its number, between head and tail. */
static char *repeated(const char *head, const char *each, unsigned n, const char *tail)
{
    size_t size = strlen(head) + n * (strlen(each) + 40) + strlen(tail) + 1, used = 0;
    char *text = malloc(size);
    used += (size_t)snprintf(text, size, "%s", head);
    for (unsigned i = 0; i < n; i++) used += (size_t)snprintf(text + used, size - used, each, i, i, i, i);
    snprintf(text + used, size - used, "%s", tail);
    return text;
}

/* However much there is of something, it costs what its length says. Names looked up one after the other took
 * minutes. */
Test(text, much_of_one_thing_is_read_or_refused_in_linear_time)
{
    static const char id[] = "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n";
    static const char end[] = "  return %a : tensor<f32>\n}\n";
    static const struct {
        const char *head, *each;
        unsigned n;
        const char *tail, *says;
    } cases[] = {
        { id, "  %%%u = stablehlo.tanh %%a : tensor<f32> loc(#loc%u)\n#loc%u = loc(\"f.c\":%u:0)\n", 50000,
          end, NULL },
        { "", "func.func private @f%u(%%a: tensor<f32>) -> tensor<f32> {\n  return %%a : tensor<f32>\n}\n",
          50000,
          "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
          "  %0 = call @f49999(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
          NULL },
        { "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.tanh %a {b = 1", ", a%u = %u",
          100000, "} : tensor<f32>\n  return %0 : tensor<f32>\n}\n", "more than 1000 attributes" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena a;
        Failure f = { 0 };
        char *text = repeated(cases[i].head, cases[i].each, cases[i].n, cases[i].tail);
        arena_open(&a);
        const Parsed *p = text_parse(&a, text, strlen(text), NULL, &f, NULL);
        if (cases[i].says) cr_expect(!p && strstr(f.text, cases[i].says), "case %zu: %s", i, f.text);
        else cr_expect(p, "case %zu: %s", i, f.text);
        arena_free(&a);
        free(text);
    }
}

/* Each branch of an op is handed what all branches capture. */
Test(text, captures_times_branches_are_limited)
{
    enum { BRANCHES = 200, VALUES = 20000 };
    char *values = repeated("func.func @main(%i: tensor<i32>, %a: tensor<f32>) -> tensor<f32> {\n",
                            "  %%v%u = stablehlo.tanh %%a : tensor<f32>\n", VALUES, "");
    char *uses =
        repeated("  %c = \"stablehlo.case\"(%i) ({\n", "  %%w%u = stablehlo.sine %%v%u : tensor<f32>\n",
                 VALUES, "  stablehlo.return %a : tensor<f32>\n }");
    char *branches = repeated("", ", { stablehlo.return %%a : tensor<f32> }", BRANCHES,
                              ") : (tensor<i32>) -> tensor<f32>\n  return %c : tensor<f32>\n}\n");
    char *text = malloc(strlen(values) + strlen(uses) + strlen(branches) + 1);
    Arena a;
    Failure f = { 0 };
    sprintf(text, "%s%s%s", values, uses, branches);
    arena_open(&a);
    cr_expect(!text_parse(&a, text, strlen(text), NULL, &f, NULL));
    cr_expect(strstr(f.text, "expands to more than"), "%s", f.text);
    arena_free(&a);
    free(values);
    free(uses);
    free(branches);
    free(text);
}

/* The derivative of the derivative of ...: each is several times as long as the one before. */
Test(text, derivatives_of_derivatives_are_limited)
{
    static const char step[] = "func.func @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
                               "  %%c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                               "  %%0 = enzyme.autodiff @f%d(%%x, %%c) {activity = [#enzyme<activity "
                               "enzyme_active>], ret_activity = [#enzyme<activity enzyme_activenoneed>]}"
                               " : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
                               "  return %%0 : tensor<f32>\n}\n";
    static const char last[] =
        "func.func @f60(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.sine %x : tensor<f32>\n  %1 = stablehlo.exponential %0 : tensor<f32>\n"
        "  %2 = stablehlo.tanh %1 : tensor<f32>\n  %3 = stablehlo.multiply %2, %0 : tensor<f32>\n"
        "  return %3 : tensor<f32>\n}\n";
    char text[32768];
    size_t n = 0;
    for (int i = 0; i < 60; i++) n += (size_t)snprintf(text + n, sizeof text - n, step, i, i + 1);
    memcpy(text + n, last, sizeof last);
    n += sizeof last - 1;
    Arena a;
    Failure f = { 0 };
    const char *unsupported = NULL;
    arena_open(&a);
    cr_expect(!text_parse_with(&a, &enzyme, text, n, NULL, &f, &unsupported));
    cr_expect(unsupported && strstr(unsupported, "expands to more"), "%s", f.text);
    arena_free(&a);
}

/* f0 loops over f1, which loops over f2, ...: depth that no text of nested braces could have; and once more
 * with two loops in each. */
Test(text, loops_in_calls_of_loops_are_limited)
{
    static const char step[] =
        "func.func @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
        "  %%0 = stablehlo.while(%%a = %%x) : tensor<f32> cond {\n"
        "    %%p = stablehlo.compare LT, %%a, %%x : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    stablehlo.return %%p : tensor<i1>\n  } do {\n"
        "    %%1 = func.call @f%d(%%a) : (tensor<f32>) -> tensor<f32>\n"
        "    %%2 = stablehlo.sine %%1 : tensor<f32>\n"
        "    %%3 = func.call @f%d(%%2) : (tensor<f32>) -> tensor<f32>\n"
        "    stablehlo.return %%%d : tensor<f32>\n  }\n"
        "  return %%0 : tensor<f32>\n}\n";
    static const char last[] =
        "func.func @last(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
    static const struct {
        int levels, calls;
        const char *says;
    } cases[] = { { 1000, 1, "loops nested deeper" }, { 60, 2, "expands to more" } };
    for (int k = 0; k < 2; k++) {
        char *text = malloc(1 << 20);
        size_t n = 0;
        for (int i = 0; i < cases[k].levels; i++) {
            char one[1024], *second;
            snprintf(one, sizeof one, step, i, i + 1, i + 1, cases[k].calls == 2 ? 3 : 2);
            if (cases[k].calls == 1 && (second = strstr(one, "    %3 = ")))
                memmove(second, strchr(second, '\n') + 1, strlen(strchr(second, '\n')));
            n += (size_t)sprintf(text + n, "%s", one);
        }
        n += (size_t)sprintf(text + n, "func.func @f%d%s", cases[k].levels, last + strlen("func.func @last"));
        Arena a;
        Failure f = { 0 };
        const char *unsupported = NULL;
        arena_open(&a);
        cr_expect(!text_parse_with(&a, &enzyme, text, n, NULL, &f, &unsupported));
        cr_expect(unsupported && strstr(unsupported, cases[k].says), "%s", f.text);
        arena_free(&a);
        free(text);
    }
}

/* Memory. */

static bool parses_within(Counter *c, const Source *s)
{
    Allocator allocator = { counter_resize, c };
    Arena a;
    Guard guard;
    Failure f = { 0 };
    volatile bool done = false;
    arena_init(&a, &allocator, &guard);
    if (setjmp(guard.env) == 0) {
        const Parsed *p = text_parse_with(&a, &enzyme, s->text, s->n, NULL, &f, NULL);
        if (p) graph_print(&a, p->funcs[0].graph, NULL);
        done = true;
    }
    arena_free(&a);
    return done;
}

Test(text, each_refused_allocation_is_survived)
{
    size_t n;
    Source *s = read_sources(WEFT_SOURCE_DIR "/tests/golden/jax/reductions.mlir", &n);
    for (long k = 1;; k++) {
        Counter c = { .fail_at = k };
        bool done = parses_within(&c, s);
        cr_assert(c.live == 0, "%zu bytes are left when call %ld fails", c.live, k);
        if (done) {
            cr_expect(k > 1);
            break;
        }
    }
    free_sources(s, n);
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
