/* test_twins.c: what kernels share: those that differ only in where in an array they begin are one function,
 * and a math function that many short ones need stands there once. */
#include "compiler/graph/attributes.h"
#include "runtime/exec/compile.h"
#include "tests/support/fuse_suite.h"
#include "tests/graphs/graphs.h"
#include <stdio.h>
#include <stdlib.h>

/* What is computed of one slice: it has a kernel of its own. */
typedef Ref OfSlice(Graph *, Ref);

static Ref sums(Graph *g, Ref x) { return build_cumulative(g, OP_ADD, x, 0, false); }
static Ref sums_backwards(Graph *g, Ref x) { return build_cumulative(g, OP_ADD, x, 0, true); }

/* Columns of three: loads of whole rows, of more than the column's elements where there are more. */
static Ref pixels(Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    Ref rows = build_reshape(g, x, DIMS(t.dim[0] / 3, 3), 2);
    rows = build_transpose(g, rows, DIMS(1, 0));
    return build_cumulative(g, OP_MAX, build_unary(g, OP_NEG, rows), 1, false);
}

static Ref product(Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    int64_t n = t.dim[0] / 3;
    Ref a = build_reshape(g, x, DIMS(3, n), 2);
    return build_reduce(g, OP_ADD, build_unary(g, OP_EXP, build_unary(g, OP_SIN, a)), DIMS(0), 1);
}

/* Computes the same as strict mode, on every target; gives the bytes of its code. */
static size_t check_graph(Graph *g, const char *what)
{
    cr_assert(g->failure.code == WEFT_OK, "%s: %s", what, g->failure.text);
    char why[512] = "";
    Values in = values_of_params(g);
    values_fill(&in, 7, false);
    for (int i = 0; i < TARGETS; i++) {
        if (!target_runs_here(target_names[i])) continue;
        setenv("WEFT_TARGET", target_names[i], true);
        bool ok = graph_agrees(g, in.at, AGAINST_STRICT, 1, why, sizeof why);
        cr_expect(ok, "%s on %s: %s", what, target_names[i], why);
    }
    values_free(&in);
    Failure wrong = { 0 };
    Target wide_one; /* whatever this machine has: how long code is depends on it */
    bool known = compile_target(target_runs_here("sse2") ? "avx512" : "host", NULL, &wide_one, &wrong);
    cr_assert(known, "%s", wrong.text);
    Code *code = compile_graph(
        g, &(CompileOptions){ .mode = MODE_DEFAULT, .name = "slices", .target = &wide_one }, &heap, &wrong);
    cr_assert(code, "%s", wrong.text);
    size_t bytes = code->code_bytes;
    code_free(code, &heap);
    return bytes;
}

/* Of n slices, each `step` after the one before it, in this order or the other. */
static size_t check(const char *name, OfSlice *of, uint32_t n, int64_t length, int64_t step, bool backwards)
{
    GRAPH(g);
    char what[128];
    Ref x = build_param(g, F32(length + (int64_t)(n - 1) * step)), out[64];
    for (uint32_t i = 0; i < n; i++) {
        int64_t from = (int64_t)(backwards ? n - 1 - i : i) * step;
        out[i] = of(g, build_slice_along(g, x, 0, from, from + length, 1));
    }
    graph_set_outputs(g, out, n);
    snprintf(what, sizeof what, "%s of %lld, %lld apart", name, (long long)length, (long long)step);
    size_t bytes = check_graph(g, what);
    arena_free(&g_arena);
    return bytes;
}

Test(twins, slices_of_one_array)
{
    static const struct {
        const char *name;
        OfSlice *of;
    } cases[] = {
        { "sums", sums }, { "sums backwards", sums_backwards }, { "pixels", pixels }, { "product", product }
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int64_t length = 30; length < 150; length += 117)
            for (int64_t step = 1; step < 2 * length; step += length - 2) {
                bool backwards = step % 2 == 0;
                size_t one = check(cases[c].name, cases[c].of, 1, length, step, backwards),
                       many = check(cases[c].name, cases[c].of, 9, length, step, backwards);
                cr_expect(many < one + 8192, "%s of %lld: %zu bytes for one, %zu for 9", cases[c].name,
                          (long long)length, one, many);
            }
}

/* n short scans in a row, each with a factor of its own. */
static size_t check_scans(Op op, uint32_t n, int64_t length)
{
    GRAPH(g);
    Ref x = build_param(g, F32(length));
    for (uint32_t i = 0; i < n; i++) {
        Graph *body = graph_new(g->arena, NULL);
        Ref c = build_param(body, F32(length)), factor = build_number(body, WEFT_F32, 1 + i / 64.0);
        factor = build_broadcast(body, factor, DIMS(length), 1, NULL);
        GIVES(body, build_binary(body, OP_MUL, build_unary(body, op, c), factor));
        build_scan(g, (ScanShape){ .length = 5, .unroll = 1, .n_carry = 1 }, body, &x, &x);
    }
    GIVES(g, x);
    size_t bytes = check_graph(g, "scans");
    arena_free(&g_arena);
    return bytes;
}

Test(twins, short_scans)
{
    static const Op ops[] = { OP_SIN, OP_TANH };
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int64_t length = 64; length < 80; length += 9) {
            size_t one = check_scans(ops[k], 1, length), many = check_scans(ops[k], 16, length);
            cr_expect(many < 3 * one, "%s of %lld: %zu bytes for one, %zu for 16", op_info[ops[k]].name,
                      (long long)length, one, many);
        }
}
