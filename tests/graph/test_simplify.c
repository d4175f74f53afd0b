/* test_simplify.c: simplify of nodes with regions: the same bits as before, for every program with control
 * flow, mapped or not; and that each rule applies. */
#include "compiler/graph/check.h"
#include "compiler/passes/expand/expand.h"
#include "compiler/passes/simplify.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/support/graph_suite.h"
#include "runtime/eager/eager.h"
#include <criterion/criterion.h>
#include <math.h>

TestSuite(simplify_control, .init = open_arena, .fini = close_arena, .timeout = 60);

/* What a pass makes of g must be the same function. */
static const Graph *compare_after(const char *name, const Graph *g, const Graph *simple)
{
    Failure f = { 0 };
    cr_assert_eq(g->failure.code, WEFT_OK, "%s: %s", name, g->failure.text);
    cr_assert(graph_check(g, &f), "%s: %s", name, f.text);
    cr_assert_eq(simple->failure.code, WEFT_OK, "%s: %s", name, simple->failure.text);
    cr_assert(graph_check(simple, &f), "%s: %s", name, f.text);
    const void **in = arena_alloc(&arena, (g->n_params + 1) * sizeof *in);
    for (int round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < g->n_params; i++) in[i] = random_array(graph_type(g, g->params[i]));
        void **want = outputs_of(g), **got = outputs_of(simple);
        eager_run(g, in, want), eager_run(simple, in, got);
        for (uint32_t i = 0; i < g->n_outputs; i++)
            cr_assert_lt(differs_at(graph_type(g, g->outputs[i]), want[i], got[i]), 0, "%s: output %u", name,
                         i);
    }
    return simple;
}

static const Graph *compare(const char *name, const Graph *g)
{
    const Graph *simple = compare_after(name, g, simplify(&arena, g));
    compare_after(name, simple, expand(&arena, simple, true, false, true));
    return simple;
}

/* Compares the graph, then each result alone (so that the others are dead), then each subset of the
 * operands mapped. */
static void compare_all(const char *name, const Graph *g)
{
    int64_t in[8], out[8] = { 0 };
    compare(name, g);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        Graph *one = graph_compact(&arena, g);
        graph_set_outputs(one, &one->outputs[k], 1);
        compare(name, one);
    }
    for (uint32_t subset = 1; subset < 1u << g->n_params; subset++) {
        for (uint32_t i = 0; i < g->n_params; i++) in[i] = subset >> i & 1 ? 0 : VMAP_NONE;
        for (int64_t size = 0; size <= 2; size++)
            compare(name, vmap_graph(&arena, g, in, size, out, NULL, NULL));
    }
}

Test(simplify_control, programs_stay_the_same_function)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        compare_all(control_programs[i].name, control_programs[i].make(&arena));
        arena_free(&arena);
    }
}

/* ---- each rule */

#define P(k) g->params[k]

/* (w, x, xs): carries: dead ones that feed each other, one that never changes, one given again what it
 * started from; inputs: one unread, one equal; outputs: an input, an invariant, a constant, a number of the
 * step. */
Test(simplify_control, scans_keep_what_they_need)
{
    Type v = program_v, m = program_m;
    /* w; fixed, again, dead, dead, sum, count; xs, unread, xs */
    Graph *g = REGION(&arena, v, v, v, v, v, v, program_i, v, v, v), *body = g;
    OUTPUTS(g, P(1), P(0), P(4), P(3),
            build_binary(g, OP_ADD, P(5),
                         build_binary(g, OP_MUL, build_binary(g, OP_MUL, P(7), P(9)),
                                      build_binary(g, OP_ADD, P(1), P(2)))),
            program_next(g, P(6)), P(7), P(0), build_number(g, WEFT_F32, 2), P(6), P(9));
    g = REGION(&arena, v, v, m);
    Ref out[11];
    build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_invariant = 1, .n_carry = 6, .n_xs = 3 }, body,
               (Ref[]){ P(0), P(1), P(0), P(0), P(1), P(1), program_int(g, 5), P(2), P(2), P(2) }, out);
    OUTPUTS(g, out[0], out[1], out[4], out[5], out[6], out[7], out[8], out[9], out[10]);
    const Node *n = first_of_op(compare("scan", g), OP_SCAN);
    ScanShape s = scan_shape(n->attr);
    cr_expect_eq(s.n_carry, 1, "the sum");
    cr_expect_eq(s.n_invariant, 2, "w and what never changes");
    cr_expect_eq(s.n_xs, 2, "xs and the numbers of the steps");
    cr_expect_eq(n->n_results, 2, "the sum and the count");

    Graph *dead = REGION(&arena, v, v, m);
    build_scan(dead, (ScanShape){ .length = 4, .unroll = 1, .n_invariant = 1, .n_carry = 6, .n_xs = 3 }, body,
               (Ref[]){ dead->params[0], dead->params[1], dead->params[0], dead->params[0], dead->params[1],
                        dead->params[1], program_int(dead, 5), dead->params[2], dead->params[2],
                        dead->params[2] },
               out);
    OUTPUTS(dead, out[0], out[5], out[6]);
    cr_expect_null(first_of_op(compare("scan", dead), OP_SCAN), "nothing needs the loop");
}

static const Graph *loop_counting(DType t, CompareDir dir, bool swapped, int64_t start, int64_t by,
                                  int64_t limit)
{
    Type i = { (uint8_t)t, 0, NULL };
    Graph *g = REGION(&arena, i, program_f), *cond = g;
    Ref end = build_splat(g, i, scalar_from_i64(t, limit));
    OUTPUTS(g, swapped ? build_compare(g, dir, end, P(0)) : build_compare(g, dir, P(0), end));
    Graph *body = g = REGION(&arena, i, program_f);
    OUTPUTS(g, build_binary(g, OP_ADD, P(0), build_splat(g, i, scalar_from_i64(t, by))),
            build_binary(g, OP_ADD, build_binary(g, OP_MUL, P(1), build_number(g, WEFT_F32, 0.5)),
                         build_convert(g, P(0), WEFT_F32)));
    g = REGION(&arena, program_f);
    Ref out[2];
    build_while(g, cond, body, (Ref[]){ build_splat(g, i, scalar_from_i64(t, start)), P(0) }, 0, 2, out);
    return OUTPUTS(g, out[0], out[1]);
}

Test(simplify_control, loops_that_count_are_scans)
{
    /* steps -1: stays a WHILE */
    static const struct {
        DType t;
        CompareDir dir;
        bool swapped;
        int64_t start, by, limit, steps;
    } row[] = {
        { WEFT_I32, CMP_LT, false, 0, 1, 10, 10 },    { WEFT_I32, CMP_LE, false, -3, 2, 4, 4 },
        { WEFT_I32, CMP_GT, true, 0, 3, 10, 4 },      { WEFT_I32, CMP_GT, false, 10, -1, 0, 10 },
        { WEFT_I64, CMP_GE, false, 10, -4, 0, 3 },    { WEFT_U8, CMP_LT, false, 250, 1, 255, 5 },
        { WEFT_U8, CMP_LE, false, 250, 1, 254, 5 },   { WEFT_U8, CMP_LT, false, 250, 3, 255, -1 },
        { WEFT_U8, CMP_GT, false, 3, -1, 0, 3 },      { WEFT_I8, CMP_LT, false, -128, 1, 127, 255 },
        { WEFT_I8, CMP_LT, false, 100, 13, 127, -1 }, { WEFT_I8, CMP_GT, false, 127, -1, -128, 255 },
        { WEFT_U8, CMP_GT, false, 5, -3, 0, -1 },     { WEFT_I32, CMP_NE, false, 0, 1, 5, -1 },
        { WEFT_U64, CMP_LT, false, 0, 1, 6, 6 },      { WEFT_I64, CMP_LT, false, 1, 1, 5, 4 },
        { WEFT_U16, CMP_LE, false, 0, 1, 3, 4 },
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const Graph *g =
            loop_counting(row[k].t, row[k].dir, row[k].swapped, row[k].start, row[k].by, row[k].limit);
        const Node *n = first_of_op(compare("counting", g), OP_SCAN);
        cr_expect_eq(n != NULL, row[k].steps >= 0, "row %zu", k);
        if (n) cr_expect_eq(n->attr[0], row[k].steps, "row %zu: %lld steps", k, (long long)n->attr[0]);
    }
    cr_expect_null(first_of_op(compare("none", loop_counting(WEFT_I32, CMP_LT, false, 10, -1, 10)), OP_SCAN),
                   "no steps");
    const Graph *once = compare("one", loop_counting(WEFT_I32, CMP_LT, false, 9, 1, 10));
    cr_expect(!first_of_op(once, OP_SCAN) && !first_of_op(once, OP_WHILE), "one step");
    Graph *endless = graph_compact(&arena, loop_counting(WEFT_I64, CMP_LT, false, 0, 1, INT64_MAX));
    cr_expect_not_null(first_of_op(simplify(&arena, endless), OP_SCAN),
                       "nor is memory needed for the numbers of its steps");
}

/* while i < 4: acc += x[at]; y[at] = acc; with at = i, or 3 - i */
static const Graph *loop_over_slices(DType t, bool read_back, bool write_back)
{
    Type i = { (uint8_t)t, 0, NULL }, v = program_v, m = program_m,
         row = { v.dtype, 2, (int64_t[]){ 1, v.dim[0] } };
    Graph *g = REGION(&arena, m, i, v, m), *cond = g;
    OUTPUTS(g, build_compare(g, CMP_LT, P(1), build_splat(g, i, (uint64_t)m.dim[0])));
    Graph *body = g = REGION(&arena, m, i, v, m);
    Ref zero = build_splat(g, i, 0),
        back = build_binary(g, OP_SUB, build_splat(g, i, (uint64_t)m.dim[0] - 1), P(1)),
        slice =
            build_node(g, OP_DYNAMIC_SLICE, (Ref[]){ P(0), read_back ? back : P(1), zero }, 3, row.dim, 2),
        sum = build_binary(g, OP_ADD, P(2), build_reshape(g, slice, v.dim, 1)),
        update[] = { P(3), build_reshape(g, sum, row.dim, 2), write_back ? back : P(1), zero };
    OUTPUTS(g, build_binary(g, OP_ADD, P(1), build_splat(g, i, 1)), sum,
            build_node(g, OP_DYNAMIC_UPDATE_SLICE, update, 4, NULL, 0));
    g = REGION(&arena, m, v, m);
    Ref out[3];
    build_while(g, cond, body, (Ref[]){ P(0), build_splat(g, i, 0), P(1), P(2) }, 1, 3, out);
    return OUTPUTS(g, out[0], out[1], out[2]);
}

Test(simplify_control, slices_at_the_step_are_inputs_and_outputs)
{
    static const DType types[] = { WEFT_I32, WEFT_I64, WEFT_U8, WEFT_I8 };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int way = 0; way < 4; way++) {
            bool read_back = way & 1, write_back = way >> 1;
            const Graph *simple = compare("slices", loop_over_slices(types[k], read_back, write_back));
            const Node *n = first_of_op(simple, OP_SCAN);
            cr_assert_not_null(n);
            ScanShape s = scan_shape(n->attr);
            bool both = read_back == write_back;
            cr_expect_eq(s.n_carry, 1, "the sum; what is written is an output");
            cr_expect_eq(s.n_invariant, !both, "what is read the other way");
            cr_expect_eq(s.n_xs, 1, "what is read, or the numbers of the steps");
            cr_expect_eq(s.reverse, write_back);
            cr_expect_eq(first_of_op(n->region, OP_DYNAMIC_SLICE) == NULL, both);
            cr_expect_null(first_of_op(n->region, OP_DYNAMIC_UPDATE_SLICE));
        }
}

/* The ranks of what a loop of carries only, and its slices, gives. */
static void expect_ranks(const char *name, const Graph *simple, int n, const int *rank)
{
    const Node *loop = first_of_op(simple, OP_SCAN);
    cr_assert(loop && loop->n_results == (uint32_t)n, "%s", name);
    for (int i = 0; i < n; i++)
        cr_expect_eq(node_result(loop, i).rank, rank[i], "%s: result %d has rank %d", name, i,
                     node_result(loop, i).rank);
}

/* What is equal along an axis is carried and stacked without it. */
Test(simplify_control, carries_are_as_small_as_they_vary)
{
    expect_ranks("alike", compare("alike", program_scan_alike(&arena)), 4, (int[]){ 0, 1, 1, 1 });
    expect_ranks("rows", compare("rows", program_scan_rows(&arena)), 3, (int[]){ 1, 0, 2 });
}

/* Expensive invariants are computed once, before the loop; cheap ones stay. */
Test(simplify_control, heavy_work_is_done_before_the_loop)
{
    Type v = program_v;
    Graph *g = REGION(&arena, v, v, v), *body = g;
    Ref fixed = build_binary(g, OP_ADD, build_unary(g, OP_EXP, P(0)), P(1));
    OUTPUTS(g, build_binary(g, OP_ADD, build_binary(g, OP_MUL, P(2), build_binary(g, OP_ADD, P(1), P(0))),
                            fixed));
    g = REGION(&arena, v, v, v);
    Ref out;
    build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_invariant = 2, .n_carry = 1 }, body, g->params,
               &out);
    const Graph *simple = compare("hoist", OUTPUTS(g, out));
    cr_expect_not_null(first_of_op(simple, OP_EXP));
    const Node *n = first_of_op(simple, OP_SCAN);
    cr_assert_not_null(n);
    cr_expect_null(first_of_op(n->region, OP_EXP));
    cr_expect_eq(scan_shape(n->attr).n_invariant, 3);
}

Test(simplify_control, cases_that_are_known_are_branches)
{
    for (int index = -1; index <= 3; index++) {
        Graph *g = graph_new(&arena, NULL);
        Ref x = build_param(g, program_v), y = build_param(g, program_f), out[2],
            args[] = { program_int(g, index), x, y };
        graph_inline(g, program_case(&arena), args, out);
        graph_set_outputs(g, out, 2);
        cr_expect_null(first_of_op(compare("case", g), OP_CASE), "index %d", index);
    }
    Graph *g = graph_compact(&arena, program_case(&arena));
    graph_set_outputs(g, &g->outputs[1], 1);
    const Node *n = first_of_op(compare("case", g), OP_CASE);
    cr_expect_eq(n->n_args, 2, "x is not needed any more");
    cr_expect_eq(n->n_results, 1);
}

Test(simplify_control, maps_of_elementwise_ops_are_those)
{
    cr_expect_null(first_of_op(compare("map", program_map(&arena)), OP_MAP));
    Graph *g = program_while_scalar(&arena),
          *mapped = vmap_graph(&arena, g, (int64_t[]){ 0, 0 }, 3, (int64_t[]){ 0, 0 }, NULL, NULL);
    const Node *n = first_of_op(compare("map of while", mapped), OP_MAP);
    cr_assert_not_null(n);
    cr_expect_eq(n->n_args, 2, "constants are inside");
}

/* Rows by the first operand, where that is equal by the last. */
static const Graph *order_of(const Type *of, uint32_t n)
{
    Graph *g = graph_new(&arena, NULL);
    Ref *p = graph_refs(&arena, 2 * (size_t)n);
    for (uint32_t i = 0; i < 2 * n; i++) p[i] = build_param(g, type_scalar(of[i / 2].dtype));
    Ref last = build_compare(g, CMP_GT, p[2 * n - 2], p[2 * n - 1]);
    Ref before =
        build_select(g, build_compare(g, CMP_EQ, p[0], p[1]), last, build_compare(g, CMP_LT, p[0], p[1]));
    graph_set_outputs(g, &before, 1);
    return g;
}

Test(simplify_control, sorts_take_an_operand_once)
{
    Type key = { WEFT_I32, 2, (int64_t[]){ 3, 7 } }, of[] = { key, key, key, key };
    for (uint32_t same = 0; same < 3; same++) {
        Graph *g = graph_new(&arena, NULL);
        Ref x = build_param(g, key), i = build_iota(g, key, 1), y = build_param(g, key), out[4],
            args[][4] = { { x, i, i, y }, { x, y, i, y }, { x, x, x, x } };
        cr_assert(build_sort(g, args[same], 4, 1, true, order_of(of, 4), out));
        graph_set_outputs(g, out, 4);
        const Node *n = first_of_op(compare("sort", g), OP_SORT);
        cr_assert_not_null(n);
        cr_expect_eq(n->n_args, same == 2 ? 1 : 3, "%u: %u operands", same, n->n_args);
    }
}

/* Random bits of every width, shape, state and algorithm as arithmetic: those of eager mode. */
Test(simplify_control, random_bits_are_arithmetic)
{
    const Type shapes[] = { { WEFT_U32, 0, NULL },
                            { WEFT_U32, 1, (const int64_t[]){ 7 } },
                            { WEFT_U32, 2, (const int64_t[]){ 3, 4 } },
                            { WEFT_U32, 3, (const int64_t[]){ 3, 5, 3 } },
                            { WEFT_U32, 2, (const int64_t[]){ 4, 0 } } };
    static const DType types[] = { WEFT_U8, WEFT_U16, WEFT_U32, WEFT_U64, WEFT_I32, WEFT_BOOL };
    static const struct {
        DType t;
        int64_t n;
    } states[] = { { WEFT_U64, 2 }, { WEFT_U64, 3 }, { WEFT_U32, 4 },
                   { WEFT_U32, 6 }, { WEFT_U64, 4 }, { WEFT_U32, 2 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            for (size_t j = 0; j < sizeof states / sizeof *states; j++)
                for (int64_t algorithm = 0; algorithm <= 2; algorithm++)
                    for (int edge = 0; edge < 2; edge++) {
                        Type bits = { (uint8_t)types[k], shapes[s].rank, shapes[s].dim },
                             state = { (uint8_t)states[j].t, 1, &states[j].n };
                        Graph *g = graph_new(&arena, NULL);
                        Ref x = build_param(g, state);
                        /* counters that wrap */
                        if (edge)
                            x = build_unary(g, OP_NOT, build_binary(g, OP_AND, x, build_splat(g, state, 1)));
                        Ref r = graph_add(g, &(NodeSpec){ .op = OP_RNG_BITS,
                                                          .args = &x,
                                                          .n_args = 1,
                                                          .attr = &algorithm,
                                                          .n_attr = 1,
                                                          .results = (Type[]){ state, bits },
                                                          .n_results = 2 });
                        OUTPUTS(g, build_result(g, r, 0), build_result(g, r, 1));
                        const Graph *expanded = expand(&arena, g, true, false, true);
                        cr_expect(expanded != g && !first_of_op(expanded, OP_RNG_BITS));
                        compare_after("random bits", g, expanded);
                    }
}

/* Is there a SCATTER of so many parts, of so many updates each? 0: there is none. */
static void expect_parts(const Graph *g, int64_t parts, int64_t each)
{
    int64_t found[2] = { 0 };
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op == OP_SCATTER && g->nodes[r].rank == 2)
            memcpy(found, graph_type(g, g->nodes[r].args[2]).dim, sizeof found);
    cr_expect(found[0] == parts && found[1] == each, "%lld parts of %lld, not %lld of %lld",
              (long long)found[0], (long long)found[1], (long long)parts, (long long)each);
}

/* Sums of ints, whose order is no matter; those of floats stay in strict mode. Parts whose updates
 * would lie 4096 bytes apart leave some over. */
Test(simplify_control, scatters_into_few_elements_are_in_parts)
{
    static const struct {
        int64_t updates, parts, each;
    } cases[] = { { 1000, 0, 0 },      { 1500, 4, 375 },     { 4096, 4, 1008 },
                  { 70001, 4, 17500 }, { 230000, 4, 57500 }, { 300000, 8, 37500 } };
    static const DType types[] = { WEFT_I32, WEFT_F32 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2; k++) {
            const int64_t attr[] = { 0, 1, 0, 1, 1, 0, 0, 0, 0 }, *n = &cases[i].updates, few = 9;
            Graph *g = graph_new(&arena, NULL);
            Type list = { WEFT_I32, 1, n };
            Ref ten = build_splat(g, list, 10),
                at = build_node(g, OP_REM, (Ref[]){ build_param(g, list), ten }, 2, NULL, 0);
            Ref args[] = { build_param(g, (Type){ (uint8_t)types[k], 1, &few }), at,
                           build_param(g, (Type){ (uint8_t)types[k], 1, n }) };
            OUTPUTS(g, graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                                 .args = args,
                                                 .n_args = 3,
                                                 .attr = attr,
                                                 .n_attr = 9,
                                                 .region = build_reducer(&arena, OP_ADD, types[k]) }));
            const Graph *strict = expand(&arena, g, true, false, true);
            expect_parts(expand(&arena, g, false, false, true), cases[i].parts, cases[i].each);
            expect_parts(strict, k ? 0 : cases[i].parts, k ? 0 : cases[i].each);
            if (k == 0) compare_after("scatter", g, strict);
            const float x[9] = { -0.0f, 0.0f, -0.0f, 1, -INFINITY, 2, -0.0f, -0.0f, 3 };
            const void *in[] = { random_array(list), x, random_array(list) };
            memset((void *)(uintptr_t)in[0], -1, (size_t)*n * sizeof(int32_t)); /* nothing gets anything */
            void **out = outputs_of(g);
            eager_run(expand(&arena, g, false, false, true), in, out);
            cr_expect(memcmp(out[0], x, sizeof x) == 0);
            arena_free(&arena);
        }
}

Test(simplify_control, nests_are_linear)
{
    Graph *g = REGION(&arena, program_v, program_v);
    OUTPUTS(g, build_unary(g, OP_SIN, build_binary(g, OP_ADD, P(0), P(1))));
    for (int depth = 0; depth < 24; depth++) {
        Graph *outer = REGION(&arena, program_v, program_v);
        Ref out;
        build_scan(outer, (ScanShape){ .length = 2, .unroll = 1, .n_invariant = 1, .n_carry = 1 }, g,
                   outer->params, &out);
        g = OUTPUTS(outer, build_binary(outer, OP_ADD, out, outer->params[0]));
    }
    const Graph *simple = simplify(&arena, g);
    cr_expect_not_null(first_of_op(simple, OP_SCAN));
}
