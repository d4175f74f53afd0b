/* test_kept.c: the bits of short sums do not depend on what else a program gives. A step that is computed
 * again for its derivative also gives what the derivative looks at. And a product that is used twice is one
 * number. */
#include "runtime/exec/compile.h"
#include "tests/graphs/graphs.h"
#include "fuse_words.h"
#include <stdio.h>

/* The sums of x along an axis, each where its terms were. */
static Ref sums_along(Graph *g, Ref x, int64_t axis)
{
    Type t = graph_type(g, x);
    return build_broadcast(g, build_reduce(g, OP_ADD, x, &axis, 1), t.dim, 2, DIMS(1 - axis));
}

static Ref product(Graph *g, Ref x, Ref y)
{
    NodeSpec dot = { .op = OP_DOT,
                     .args = (Ref[]){ x, y },
                     .n_args = 2,
                     .attr = DIMS(0, 1, 1, 0),
                     .n_attr = 4,
                     .dtype = WEFT_F32 };
    return graph_add(g, &dot);
}

/* Of values x and y, square matrices. */
static Ref any_of(Graph *g, Rng *r, Ref x, Ref y)
{
    switch (rng_below(r, 9)) {
    case 0:  return build_unary(g, OP_FLOOR, x);
    case 1:  return build_binary(g, OP_DIV, x, add(g, y, spread(g, f(g, 9), graph_type(g, y))));
    case 2:
    case 3:  return sums_along(g, x, rng_below(r, 2));
    case 4:
    case 5:  return product(g, x, y);
    case 6:  return build_binary(g, OP_SUB, x, y);
    default: return add(g, x, y);
    }
}

/* Sixteen values, each of one of the three before it and of any. The last is the output, or all are that are
 * not parameters. */
static void build(Graph *g, uint64_t seed, bool all)
{
    enum { VALUES = 16 };
    Rng r = { seed };
    Ref value[VALUES], out[VALUES];
    int64_t n = 2 + rng_below(&r, 7);
    value[0] = build_param(g, F32(n, n)), value[1] = build_param(g, F32(n, n));
    for (uint32_t k = 2; k < VALUES; k++) {
        uint32_t near = k - 1 - rng_below(&r, k < 3 ? k : 3), any = rng_below(&r, k);
        value[k] = any_of(g, &r, value[near], value[any]);
    }
    for (uint32_t k = 0; k < VALUES; k++) out[k] = value[VALUES - 1 - k];
    graph_set_outputs(g, out, all ? VALUES - 2 : 1);
}

/* The i-th target, if this machine has it. */
static bool runs_here(int i, Target *target)
{
    Failure wrong = { 0 };
    if (!target_runs_here(target_names[i])) return false;
    cr_assert(compile_target(target_names[i], NULL, target, &wrong), "%s", wrong.text);
    return true;
}

static void check(uint64_t seed)
{
    GRAPH(one);
    GRAPH(all);
    build(one, seed, false);
    build(all, seed, true);
    Values in = values_of_params(one);
    values_fill(&in, seed, true);
    for (int i = 0; i < TARGETS; i++) {
        char what[64];
        Target target;
        snprintf(what, sizeof what, "program %llu for %s", (unsigned long long)seed, target_names[i]);
        if (!runs_here(i, &target)) continue;
        Values want = fuse_run(what, one, &target, MODE_DEFAULT, &in),
               got = fuse_run(what, all, &target, MODE_DEFAULT, &in);
        int64_t at = first_difference(want.type[0], want.at[0], got.at[0], 0, 1), k = at < 0 ? 0 : at;
        cr_expect(at < 0, "%s: element %lld is %.9g, and %.9g where more is given", what, (long long)at,
                  ((float *)want.at[0])[k], ((float *)got.at[0])[k]);
        values_free(&want);
        values_free(&got);
    }
    values_free(&in);
    arena_free(&one_arena);
    arena_free(&all_arena);
}

Test(kept, sums)
{
    for (uint64_t seed = 1; seed <= 60; seed++) check(seed);
}

/* Sums of at most 8 terms in all, over these axes of x. */
static const struct Sum {
    int rank, n_axes;
    int64_t dim[4], axes[3];
} short_sums[] = {
    { 1, 1, { 7 }, { 0 } },
    { 1, 1, { 8 }, { 0 } },
    { 2, 2, { 2, 4 }, { 0, 1 } },
    { 2, 1, { 3, 8 }, { 1 } },
    { 2, 1, { 8, 3 }, { 0 } },
    { 3, 2, { 2, 3, 4 }, { 0, 2 } },
    { 3, 2, { 2, 64, 4 }, { 0, 2 } },
    { 3, 3, { 2, 2, 2 }, { 0, 1, 2 } },
    { 4, 3, { 2, 5, 2, 2 }, { 0, 2, 3 } },
};

/* The sum, or with y the products' sum. The axes before these are kept, and of a product batches. */
static Ref short_sum(Graph *g, const struct Sum *s, Ref x, Ref y, int before)
{
    int64_t axes[3], attr[2 + 4 * 5] = { 0 }, *to = attr + 2;
    for (int i = 0; i < s->n_axes; i++) axes[i] = s->axes[i] + before;
    if (y == REF_NONE) return build_reduce(g, OP_ADD, x, axes, s->n_axes);
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < s->rank + before; d++) {
            bool summed = false;
            for (int i = 0; i < s->n_axes; i++) summed |= axes[i] == d;
            if (!summed) *to++ = d;
        }
    attr[0] = (to - attr - 2) / 2;
    attr[1] = s->n_axes;
    for (int i = 0; i < 2 * s->n_axes; i++) *to++ = axes[i % s->n_axes];
    return build_typed(g, OP_DOT, (Ref[]){ x, y }, 2, attr, (uint32_t)(to - attr), f32);
}

/* The sums of the rows of x, or of x and y, which are steps of a loop; and all at once. */
static void check_in_loop(const struct Sum *s, bool product)
{
    enum { STEPS = 5 };
    GRAPH(g);
    int64_t dim[5] = { STEPS };
    memcpy(dim + 1, s->dim, sizeof s->dim);
    Type row = { WEFT_F32, (uint8_t)s->rank, dim + 1 }, all = { WEFT_F32, (uint8_t)(s->rank + 1), dim };
    REGION(g, step, f32, row, row);
    GIVES(step, 0, short_sum(step, s, 1, product ? 2 : REF_NONE, 0));
    Ref x = build_param(g, all), y = build_param(g, all), out[2];
    build_scan(g, (ScanShape){ STEPS, false, 1, 0, 1, 2, 0 }, step, (Ref[]){ f(g, 0), x, y }, out);
    GIVES(g, out[1], short_sum(g, s, x, product ? y : REF_NONE, 1));
    Values in = values_of_params(g);
    values_fill(&in, 5, true);
    for (int i = 0; i < TARGETS; i++) {
        Target target;
        if (!runs_here(i, &target)) continue;
        Values got = fuse_run("in a loop", g, &target, MODE_DEFAULT, &in);
        int64_t at = first_difference(got.type[0], got.at[1], got.at[0], 0, 1);
        cr_expect(at < 0, "sum %d, product %d, %s: element %lld differs", (int)(s - short_sums), product,
                  target_names[i], (long long)at);
        values_free(&got);
    }
    values_free(&in);
    arena_free(&g_arena);
}

Test(kept, sums_in_loops)
{
    for (size_t i = 0; i < 2 * (sizeof short_sums / sizeof *short_sums); i++)
        check_in_loop(&short_sums[i / 2], i % 2);
}

/* p = x y, p - floor(p), and sqrt(1 - p) where p <= 1: never less than nothing, nor NaN. */
Test(kept, products)
{
    enum { N = 4000 };
    GRAPH(g);
    Ref x = build_param(g, F32(N)), y = build_param(g, F32(N)), p = mul(g, x, y);
    Ref one = spread(g, f(g, 1), F32(N)), zero = spread(g, f(g, 0), F32(N));
    Ref root = build_unary(g, OP_SQRT, build_binary(g, OP_SUB, one, p));
    GIVES(g, build_binary(g, OP_SUB, p, build_unary(g, OP_FLOOR, p)),
          build_select(g, build_compare(g, CMP_LE, p, one), root, zero));
    Values in = values_of_params(g);
    for (int i = 0; i < N; i++) {
        ((float *)in.at[0])[i] = (float)(i + 1);
        ((float *)in.at[1])[i] = 1 / (float)(i + 1);
    }
    for (int i = 0; i < TARGETS; i++) {
        Target target;
        if (!runs_here(i, &target)) continue;
        Values got = fuse_run("fraction", g, &target, MODE_DEFAULT, &in);
        for (int k = 0; k < N; k++) {
            float part = ((float *)got.at[0])[k], size = ((float *)got.at[1])[k];
            cr_assert(part >= 0 && part < 1 && size >= 0, "%s: %d: %g, %g", target_names[i], k, part, size);
        }
        values_free(&got);
    }
    values_free(&in);
    arena_free(&g_arena);
}
