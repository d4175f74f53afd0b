/* test_lanes.c: a while that goes on while any element asks for it becomes a loop of each element, and those
 * that only look like one stay: the same bits as before either way, by eager mode and compiled. */
#include "compiler/derive/jvp/jvp.h"
#include "compiler/graph/check.h"
#include "compiler/passes/simplify.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/support/graph_suite.h"
#include "runtime/exec/compile.h"
#include <criterion/criterion.h>

TestSuite(lanes, .init = open_arena, .fini = close_arena, .timeout = 300);

static const Type all_i = { WEFT_I32, 2, (const int64_t[]){ 5, 6 } },
                  all_f = { WEFT_F32, 2, (const int64_t[]){ 5, 6 } },
                  all_b = { WEFT_BOOL, 2, (const int64_t[]){ 5, 6 } },
                  row_f = { WEFT_F32, 1, (const int64_t[]){ 6 } };

/* while any(i < n and x < 50)
 *     i, x, s = where that holds: i + 1, x * 1.5 + |y|, s + i; elsewhere as they were
 * with i and s from 0; y is a row for all. */
typedef enum {
    AS_JAX_WRITES_IT,
    COUNTS_BY_THE_TEST,      /* i + (1 where the test holds) */
    ASKS_THE_OPPOSITE,       /* where the test's negation holds: as it was */
    TAKES_FLAGS,             /* the test is a carry, negated: has the element ended? */
    CHOOSES_TWICE,           /* where it holds (where it holds: the next; elsewhere 7) */
    TAKES_POSITIONS,         /* x + its row's number */
    AND_COUNTED,             /* and for at most four steps, by a carry of rank 0 */
    TAKES_COUNT,             /* the same, and s + that count */
    N_MATCHING,              /* what follows only looks alike */
    OTHER_TEST = N_MATCHING, /* the step asks for i < n alone */
    OTHER_LIMIT,             /* the step asks for x < 51 */
    NOT_KEPT,                /* x takes its next value everywhere */
    ZERO_ADDED,              /* x + (0 where the test does not hold): -0 would become 0 */
    REVERSED,                /* x from the other end of its row */
    SUMMED,                  /* x + its row's sum */
    OF_ONE_COLUMN,           /* any of column 0 alone */
    ANY_COLUMN_OF_ALL,       /* any of a row's, of all rows */
    ALL,                     /* all elements ask for it */
    GIVES_COUNT,             /* and counted, and the count is a result */
    TESTS_COUNT,             /* x < 2 + 40 * the count: what has ended may go on */
    COUNTS_ELEMENTS,         /* the count of steps is one of elements that ask */
    CHANGES_SHARED,          /* y, a row for all, grows, too */
    N_KINDS
} Kind;
static const char *const kind_text[N_KINDS] = {
    "as JAX writes it",
    "counts by the test",
    "asks the opposite",
    "takes flags",
    "chooses twice",
    "takes positions",
    "and counted",
    "takes count",
    "other test",
    "other limit",
    "not kept",
    "zero added",
    "reversed",
    "summed",
    "of one column",
    "any column of all",
    "all",
    "gives count",
    "tests count",
    "counts elements",
    "changes shared",
};

static bool counts(Kind kind)
{
    return kind == AND_COUNTED || kind == TAKES_COUNT || kind == GIVES_COUNT || kind == TESTS_COUNT ||
           kind == COUNTS_ELEMENTS;
}

static Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static Ref both(Graph *g, Ref a, Ref b) { return build_binary(g, OP_AND, a, b); }
static Ref fold_all(Graph *g, Op monoid, Ref x) { return build_reduce(g, monoid, x, (int64_t[]){ 0, 1 }, 2); }
static Ref number(Graph *g, Type t, double v)
{
    return program_spread(g, build_number(g, (DType)t.dtype, v), t);
}
static Ref row(Graph *g, Ref y) { return build_broadcast(g, y, all_f.dim, 2, (int64_t[]){ 1 }); }

#define P(k) g->params[k]

/* Parameters of the regions: n, then the carries: y, i, x, s, the flags of those that ended, the count. */
enum { N, Y, I, X, S, ENDED, COUNT, N_PARAMS };

static Graph *region(void) { return REGION(&arena, all_i, row_f, all_i, all_f, all_i, all_b, program_i); }

static Ref in_range(Graph *g, double limit)
{
    return both(g, build_compare(g, CMP_LT, P(I), P(N)),
                build_compare(g, CMP_LT, P(X), number(g, all_f, limit)));
}

static Ref test_of(Graph *g, Kind kind)
{
    if (kind == TAKES_FLAGS) return build_unary(g, OP_NOT, P(ENDED));
    if (kind != TESTS_COUNT) return in_range(g, 50);
    Ref limit = program_spread(g, build_convert(g, P(COUNT), WEFT_F32), all_f);
    limit = add(g, build_binary(g, OP_MUL, limit, number(g, all_f, 40)), number(g, all_f, 2));
    return both(g, build_compare(g, CMP_LT, P(I), P(N)), build_compare(g, CMP_LT, P(X), limit));
}

static Ref whole_test(Graph *g, Kind kind)
{
    Ref p = test_of(g, kind), column, any;
    switch (kind) {
    case OF_ONE_COLUMN:
        column = build_slice(g, p, (int64_t[]){ 0, 0 }, (int64_t[]){ 5, 1 }, (int64_t[]){ 1, 1 });
        return fold_all(g, OP_OR, column);
    case ANY_COLUMN_OF_ALL:
        any = build_reduce(g, OP_OR, p, (int64_t[]){ 1 }, 1);
        return build_reduce(g, OP_AND, any, (int64_t[]){ 0 }, 1);
    case ALL: return fold_all(g, OP_AND, p);
    default:  break;
    }
    Ref some = fold_all(g, OP_OR, p);
    return counts(kind) ? both(g, program_less(g, P(COUNT), program_int(g, 4)), some) : some;
}

static Ref next_x(Graph *g, Kind kind)
{
    Ref x = kind == REVERSED ? build_reverse(g, P(X), (int64_t[]){ 1 }, 1) : P(X), sum;
    x = add(g, build_binary(g, OP_MUL, x, number(g, all_f, 1.5)), row(g, build_unary(g, OP_ABS, P(Y))));
    if (kind == TAKES_POSITIONS) x = add(g, x, build_iota(g, all_f, 0));
    if (kind != SUMMED) return x;
    sum = build_reduce(g, OP_ADD, P(X), (int64_t[]){ 1 }, 1);
    return add(g, x, build_broadcast(g, sum, all_f.dim, 2, (int64_t[]){ 0 }));
}

/* What the step asks for. */
static Ref step_test(Graph *g, Kind kind)
{
    if (kind == OTHER_TEST) return build_compare(g, CMP_LT, P(I), P(N));
    return kind == OTHER_LIMIT ? in_range(g, 51) : test_of(g, kind);
}

static Ref keep(Graph *g, Kind kind, Ref p, Ref next, Ref old)
{
    if (kind == ASKS_THE_OPPOSITE) return build_select(g, build_unary(g, OP_NOT, p), old, next);
    if (kind == CHOOSES_TWICE) next = build_select(g, p, next, number(g, graph_type(g, next), 7));
    return build_select(g, p, next, old);
}

static const Graph *step(Kind kind)
{
    Graph *g = region();
    Ref p = step_test(g, kind), i = add(g, P(I), number(g, all_i, 1)), x = next_x(g, kind), y = P(Y),
        ended = P(ENDED);
    if (kind == COUNTS_BY_THE_TEST) i = add(g, P(I), build_convert(g, p, WEFT_I32));
    else i = keep(g, kind, p, i, P(I));
    if (kind == TAKES_FLAGS)
        ended = keep(g, kind, p, build_compare(g, CMP_GE, x, number(g, all_f, 30)), P(ENDED));
    if (kind == TAKES_FLAGS) ended = build_binary(g, OP_OR, ended, build_compare(g, CMP_GE, i, P(N)));
    if (kind == ZERO_ADDED) x = add(g, P(X), build_select(g, p, x, number(g, all_f, 0)));
    else if (kind != NOT_KEPT) x = keep(g, kind, p, x, P(X));
    if (kind == CHANGES_SHARED) y = add(g, y, program_spread(g, build_number(g, WEFT_F32, 0.5), row_f));
    Ref s = kind == TAKES_COUNT ? program_spread(g, P(COUNT), all_i) : P(I), count = P(COUNT);
    s = keep(g, kind, p, add(g, P(S), s), P(S));
    if (kind == COUNTS_ELEMENTS) count = add(g, count, fold_all(g, OP_ADD, build_convert(g, p, WEFT_I32)));
    else if (counts(kind)) count = program_next(g, count);
    return OUTPUTS(g, y, i, x, s, ended, count);
}

/* (n, x, y): at most eight steps */
static Graph *program(Kind kind)
{
    Graph *g = region(), *cond = g;
    Ref test = whole_test(g, kind), out[N_PARAMS], zero;
    graph_set_outputs(cond, &test, 1);
    g = REGION(&arena, all_i, all_f, row_f);
    zero = number(g, all_i, 0);
    Ref n = build_binary(g, OP_REM, P(0), number(g, all_i, 9));
    build_while(g, cond, step(kind),
                (Ref[]){ n, P(2), zero, P(1), zero, build_compare(g, CMP_LE, n, zero), program_int(g, 0) }, 1,
                N_PARAMS - 1, out);
    return OUTPUTS(g, out[0], out[1], out[2], out[3], kind == GIVES_COUNT ? out[5] : zero);
}

/* ---- comparing */

static const void **some_inputs(const Graph *g)
{
    const void **in = arena_alloc(&arena, (g->n_params + 1) * sizeof *in);
    for (uint32_t i = 0; i < g->n_params; i++) in[i] = random_array(graph_type(g, g->params[i]));
    return in;
}

static void same(const char *what, const Graph *g, void **want, void **got)
{
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        int64_t at = differs_at(t, want[i], got[i]);
        cr_assert(at < 0, "%s: output %u, element %lld: %g, not %g", what, i, (long long)at,
                  get(t, got[i], at), get(t, want[i], at));
    }
}

/* What simplify makes of g, which gives the same bits by eager mode and compiled. */
static const Graph *compare(const char *what, const Graph *g)
{
    Failure f = { 0 };
    const Graph *simple = simplify(&arena, g);
    cr_assert_eq(g->failure.code, WEFT_OK, "%s: %s", what, g->failure.text);
    cr_assert(graph_check(simple, &f), "%s: %s", what, f.text);
    Code *code = compile_graph(g, &(CompileOptions){ .mode = MODE_STRICT, .name = "lanes" }, &heap, &f);
    cr_assert(code, "%s: %s", what, f.text);
    char *scratch = arena_alloc(&arena, code->scratch_bytes + 128);
    for (int round = 0; round < 4; round++) {
        const void **in = some_inputs(g);
        void **want = outputs_of(g), **got = outputs_of(g), **compiled = outputs_of(g);
        eager_run(g, in, want), eager_run(simple, in, got);
        code->entry(in, compiled, (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63), code->consts,
                    &workers_alone);
        same(what, g, want, got), same(what, g, want, compiled);
    }
    code_free(code, &heap);
    return simple;
}

static const char *named(Kind kind, const char *how)
{
    return arena_printf(&arena, "%s%s", kind_text[kind], how);
}

/* ---- which loops */

Test(lanes, elements_that_end_each_on_its_own_are_a_map)
{
    for (Kind kind = 0; kind < N_KINDS; kind++) {
        const Graph *simple = compare(named(kind, ""), program(kind));
        cr_expect_eq(first_of_op(simple, OP_MAP) != NULL, kind < N_MATCHING, "%s", kind_text[kind]);
        cr_expect_eq(first_of_op(simple, OP_WHILE) == NULL, kind < N_MATCHING, "%s", kind_text[kind]);
        arena_free(&arena);
    }
}

/* In a scan whose carry is what the loop makes, and whose inputs say how often. */
Test(lanes, in_a_loop_too)
{
    Type steps = { WEFT_I32, 3, (int64_t[]){ 4, 5, 6 } };
    for (Kind kind = 0; kind < N_KINDS; kind++) {
        Graph *g = REGION(&arena, row_f, all_f, all_i), *body = g;
        Ref inner[5], out[2];
        graph_inline(g, program(kind), (Ref[]){ P(2), P(1), P(0) }, inner);
        OUTPUTS(g, build_unary(g, OP_SIN, inner[2]),
                kind == GIVES_COUNT ? program_spread(g, inner[4], all_i) : inner[1]);
        g = REGION(&arena, row_f, all_f, steps);
        build_scan(g, (ScanShape){ .length = 4, .unroll = 1, .n_invariant = 1, .n_carry = 1, .n_xs = 1 },
                   body, g->params, out);
        const Graph *simple = compare(named(kind, ", in a scan"), OUTPUTS(g, out[0], out[1]));
        cr_expect_eq(has_op(simple, OP_MAP), kind < N_MATCHING, "%s", kind_text[kind]);
        arena_free(&arena);
    }
}

/* A step that has such a loop in it: then both run in each element. */
Test(lanes, a_loop_in_the_step)
{
    Graph *inner = REGION(&arena, all_i, all_f), *g = inner; /* k, z: while k > 0, z = z / 2 + k */
    OUTPUTS(g, fold_all(g, OP_OR, build_compare(g, CMP_GT, P(0), number(g, all_i, 0))));
    Graph *inner_body = g = REGION(&arena, all_i, all_f);
    Ref p = build_compare(g, CMP_GT, P(0), number(g, all_i, 0)),
        z = add(g, build_binary(g, OP_MUL, P(1), number(g, all_f, 0.5)), build_convert(g, P(0), WEFT_F32));
    OUTPUTS(g, build_select(g, p, build_binary(g, OP_SUB, P(0), number(g, all_i, 1)), P(0)),
            build_select(g, p, z, P(1)));
    Graph *cond = g = REGION(&arena, all_i, all_f);
    OUTPUTS(g, fold_all(g, OP_OR, build_compare(g, CMP_GT, P(0), number(g, all_i, 0))));
    Graph *body = g = REGION(&arena, all_i, all_f);
    Ref out[2];
    p = build_compare(g, CMP_GT, P(0), number(g, all_i, 0));
    build_while(g, inner, inner_body, (Ref[]){ P(0), P(1) }, 0, 2, out);
    OUTPUTS(g, build_select(g, p, build_binary(g, OP_SUB, P(0), number(g, all_i, 2)), P(0)),
            build_select(g, p, add(g, out[1], number(g, all_f, 1)), P(1)));
    g = REGION(&arena, all_i, all_f);
    build_while(g, cond, body, (Ref[]){ build_binary(g, OP_REM, P(0), number(g, all_i, 9)), P(1) }, 0, 2,
                out);
    const Graph *simple = compare("a loop in the step", OUTPUTS(g, out[0], out[1]));
    const Node *map = first_of_op(simple, OP_MAP);
    cr_assert_not_null(map);
    const Node *outer = first_of_op(map->region, OP_WHILE);
    cr_assert_not_null(outer);
    cr_expect_not_null(first_of_op(outer->regions[1], OP_WHILE));
}

/* ---- batches and derivatives, before and after */

Test(lanes, mapped)
{
    for (Kind kind = 0; kind < N_KINDS; kind++)
        for (int after = 0; after < 2; after++)
            for (uint32_t subset = 1; subset < 8; subset++) {
                int64_t in[3], out[5] = { 0 };
                const Graph *g = after ? simplify(&arena, program(kind)) : program(kind);
                for (uint32_t i = 0; i < 3; i++) in[i] = subset >> i & 1 ? 0 : VMAP_NONE;
                compare(named(kind, after ? ", then mapped" : ", mapped"),
                        vmap_graph(&arena, g, in, 3, out, NULL, NULL));
                arena_free(&arena);
            }
}

/* The tangents of the loop over arrays are those of the loop of each element. */
Test(lanes, derived)
{
    static const bool active[] = { false, true, true }, want[] = { true, false, true, false, false };
    for (Kind kind = 0; kind < N_KINDS; kind++) {
        const Graph *g = program(kind), *d = jvp_graph(&arena, g, active, want, NULL),
                    *after = jvp_graph(&arena, simplify(&arena, g), active, want, NULL);
        cr_assert(d && after, "%s", kind_text[kind]);
        const Graph *simple = compare(named(kind, ", derived"), d);
        cr_expect_eq(first_of_op(simple, OP_MAP) != NULL, kind < N_MATCHING, "%s", kind_text[kind]);
        compare(named(kind, ", then derived"), after);
        for (int round = 0; round < 4; round++) {
            const void **in = some_inputs(d);
            void **before = outputs_of(d), **got = outputs_of(d);
            eager_run(d, in, before), eager_run(after, in, got);
            same(named(kind, ", derived before and after"), d, before, got);
        }
        arena_free(&arena);
    }
}
