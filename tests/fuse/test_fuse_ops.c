/* test_fuse_ops.c: fused programs of ops with rules of their own - dynamic slices, windows, prefixes,
 * scatters, sorts, control flow an element at a time, foreign functions, barriers - against eager mode,
 * through the interpreter of programs. */
#include "compiler/fuse/alias.h"
#include "compiler/graph/foreign_op.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/passes/simplify.h"
#include "compiler/vmap/vmap.h"
#include "tests/support/control_programs.h"
#include "tests/support/fuse_suite.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef REGION
#define REGION(parent, name, ...) \
    Graph *name = graph_new(parent->arena, #name); \
    for (size_t i_ = 0; i_ < sizeof(Type[]){ __VA_ARGS__ } / sizeof(Type); i_++) \
    build_param(name, (Type[]){ __VA_ARGS__ }[i_])
#define CHECK(name, ...) \
    do { \
        GIVES(name, __VA_ARGS__); \
        run(#name, name); \
        arena_free(&name##_arena); \
    } while (0)

static Ref add(Graph *g, Ref a, Ref b) { return build_binary(g, OP_ADD, a, b); }
static Ref mul(Graph *g, Ref a, Ref b) { return build_binary(g, OP_MUL, a, b); }
static Ref f(Graph *g, double v) { return build_number(g, WEFT_F32, v); }
static Ref n(Graph *g, int v) { return build_number(g, WEFT_I32, v); }
static Ref spread(Graph *g, Ref x, Type t) { return build_broadcast(g, x, t.dim, t.rank, NULL); }

/* Ints are near the ends of the small axes that they index. */
static void run(const char *what, Graph *g)
{
    Failure wrong = { 0 };
    cr_assert(g->failure.code == WEFT_OK, "%s: %s", what, g->failure.text);
    for (unsigned seed = 1; seed < 4; seed++) {
        Values in = fuse_inputs(g, seed, -3, 16), want = values_of_outputs(g);
        cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &wrong), "%s: %s", what,
                  wrong.text);
        for (int mode = MODE_STRICT; mode >= MODE_DEFAULT; mode--) {
            fuse_agrees(what, g, (NumericMode)mode, &in, &want);
            fuse_code_agrees(what, g, (NumericMode)mode, &in, &want);
        }
        values_free(&in), values_free(&want);
    }
}

/* ---- dynamic slices ---- */

Test(fuse_ops, dynamic_slices)
{
    GRAPH(slice);
    Ref x = build_param(slice, F32(5, 7)), i = build_param(slice, i32), j = build_param(slice, i32);
    Ref s = build_dynamic_slice(slice, mul(slice, x, x), (Ref[]){ i, j }, DIMS(2, 3));
    Ref rows = build_dynamic_slice(slice, x, (Ref[]){ add(slice, i, j), j }, DIMS(2, 7));
    CHECK(slice, s, build_reduce(slice, OP_ADD, s, DIMS(1), 1), build_unary(slice, OP_NEG, rows),
          build_dynamic_slice(slice, x, (Ref[]){ i, j }, DIMS(0, 7)));

    GRAPH(positions); /* the start is a fold, of a fold */
    x = build_param(positions, F32(9, 4));
    Ref best =
        graph_add(positions, &(NodeSpec){ .op = OP_ARGMAX,
                                          .args = (Ref[]){ build_reduce(positions, OP_ADD, x, DIMS(1), 1) },
                                          .n_args = 1,
                                          .attr = DIMS(0),
                                          .n_attr = 1,
                                          .dtype = WEFT_I32 });
    CHECK(positions, build_dynamic_slice(positions, build_unary(positions, OP_EXP, x),
                                         (Ref[]){ best, n(positions, 1) }, DIMS(1, 2)));
}

Test(fuse_ops, dynamic_updates)
{
    GRAPH(update);
    Ref x = build_param(update, F32(5, 7)), u = build_param(update, F32(2, 3)), i = build_param(update, i32),
        j = build_param(update, i32);
    Ref one = build_dynamic_update_slice(update, x, u, (Ref[]){ i, j }),
        two = build_dynamic_update_slice(update, one, build_unary(update, OP_NEG, u), (Ref[]){ j, i });
    CHECK(update, build_reduce(update, OP_ADD, one, DIMS(0), 1), two,
          build_dynamic_update_slice(update, x, mul(update, x, x), (Ref[]){ i, j }));

    GRAPH(fused);
    x = build_param(fused, F32(33)), u = build_param(fused, F32(5)), i = build_param(fused, i32);
    Ref empty = build_param(fused, F32(0));
    CHECK(fused, mul(fused, x, build_dynamic_update_slice(fused, x, u, &i)),
          build_dynamic_update_slice(fused, x, empty, &i));
}

/* ---- windows ---- */

static Graph *monoid(Graph *g, Op op, DType t)
{
    Graph *r = graph_new(g->arena, "monoid");
    build_param(r, (Type){ (uint8_t)t, 0, NULL });
    build_param(r, (Type){ (uint8_t)t, 0, NULL });
    GIVES(r, build_binary(r, op, r->params[0], r->params[1]));
    return r;
}

typedef struct Windows {
    int64_t size[2], stride[2], base[2], dilation[2], low[2], high[2];
} Windows;

static Ref window(Graph *g, Op op, Ref x, double start, const Windows *w)
{
    DType t = (DType)graph_type(g, x).dtype;
    return graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                     .args = (Ref[]){ x, build_number(g, t, start) },
                                     .n_args = 2,
                                     .attr = w->size,
                                     .n_attr = 12,
                                     .region = monoid(g, op, t) });
}

Test(fuse_ops, windows)
{
    static const Windows cases[] = {
        { { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } },
        { { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 0, 0 } },
        { { 1, 5 }, { 1, 1 }, { 1, 1 }, { 1, 2 }, { 0, 4 }, { 0, -1 } },
        { { 5, 6 }, { 1, 2 }, { 1, 1 }, { 1, 1 }, { 4, 0 }, { 0, 5 } },
        { { 2, 3 }, { 1, 2 }, { 2, 3 }, { 2, 1 }, { -1, 2 }, { 1, 0 } },
        { { 1, 19 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 18 }, { 0, 0 } },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        GRAPH(windows);
        Ref x = build_param(windows, F32(6, 19)), m = build_param(windows, I32(6, 19));
        Ref sums = window(windows, OP_ADD, x, 0, &cases[k]),
            shifted = window(windows, OP_ADD, mul(windows, x, x), 2.5, &cases[k]);
        CHECK(windows, sums, shifted, window(windows, OP_MAX, m, -1e9, &cases[k]),
              window(windows, OP_MIN, window(windows, OP_MAX, x, 0.5, &cases[k]), 9, &cases[k]));
    }
}

/* Two operands: the least value and where it was, by a region with a select. */
Test(fuse_ops, windows_of_pairs)
{
    GRAPH(pairs);
    REGION(pairs, least, f32, i32, f32, i32);
    const Ref *p = least->params;
    Ref better = build_compare(least, CMP_LT, p[2], p[0]);
    GIVES(least, build_select(least, better, p[2], p[0]), build_select(least, better, p[3], p[1]));
    Ref x = build_param(pairs, F32(23)), at = build_iota(pairs, I32(23), 0);
    Ref node = graph_add(pairs, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                             .args = (Ref[]){ x, at, f(pairs, 1e9), n(pairs, -1) },
                                             .n_args = 4,
                                             .attr = DIMS(7, 2, 1, 1, 3, 3),
                                             .n_attr = 6,
                                             .region = least });
    CHECK(pairs, build_result(pairs, node, 0), build_result(pairs, node, 1));
}

/* ---- prefixes ---- */

Test(fuse_ops, prefixes)
{
    static const Op ops[] = { OP_ADD, OP_MUL, OP_MAX, OP_MIN };
    static const int64_t lengths[] = { 1, 2, 15, 16, 17, 63, 64, 65, 131 };
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int reverse = 0; reverse < 2; reverse++) {
            GRAPH(prefix);
            Ref x = build_param(prefix, F32(3, lengths[l])),
                k = build_param(prefix, TYPE(WEFT_I32, lengths[l], 5)),
                h = build_param(prefix, TYPE(WEFT_F16, lengths[l]));
            Op op = ops[l % 4];
            CHECK(prefix, build_cumulative(prefix, op, build_unary(prefix, OP_TANH, x), 1, reverse),
                  build_cumulative(prefix, op, x, 0, reverse),
                  build_unary(prefix, OP_NEG, build_cumulative(prefix, op, k, 0, reverse)),
                  build_cumulative(prefix, OP_ADD, h, 0, reverse));
        }
    GRAPH(middle);
    Ref x = build_param(middle, F32(2, 9, 4, 5)), sum = build_reduce(middle, OP_ADD, x, DIMS(3), 1);
    CHECK(middle, build_cumulative(middle, OP_ADD, x, 1, false), build_cumulative(middle, OP_MAX, x, 2, true),
          build_cumulative(middle, OP_ADD, sum, 2, false),
          build_cumulative(middle, OP_ADD, build_param(middle, F32(4, 0)), 1, false));
}

/* ---- scatter ---- */

static Ref scatter(Graph *g, Graph *region, const Ref *args, uint32_t count, const int64_t *attr,
                   uint32_t n_attr)
{
    return graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                     .args = args,
                                     .n_args = count,
                                     .attr = attr,
                                     .n_attr = n_attr,
                                     .region = region });
}

Test(fuse_ops, scatters)
{
    GRAPH(counts); /* a histogram: index_vector_dim behind the last */
    Ref x = build_param(counts, F32(9)), at = build_param(counts, I32(40)), u = build_param(counts, F32(40));
    Ref bins = scatter(counts, monoid(counts, OP_ADD, WEFT_F32), (Ref[]){ x, at, mul(counts, u, u) }, 3,
                       DIMS(0, 1, 0, 1, 1, 0, 0, 0, 0), 9);
    REGION(counts, last, f32, f32);
    GIVES(last, last->params[1]);
    Ref set = scatter(counts, last, (Ref[]){ build_splat(counts, F32(9), 0), at, u }, 3,
                      DIMS(0, 1, 0, 1, 1, 0, 0, 0, 0), 9);
    CHECK(counts, bins, build_unary(counts, OP_NEG, set));

    GRAPH(rows); /* segment sums of rows */
    x = build_param(rows, F32(8, 70)), at = build_param(rows, TYPE(WEFT_I64, 13, 1)),
    u = build_param(rows, F32(13, 70));
    CHECK(rows, scatter(rows, monoid(rows, OP_ADD, WEFT_F32), (Ref[]){ x, at, u }, 3,
                        DIMS(1, 1, 0, 1, 1, 0, 0, 1, 0, 0), 10));

    GRAPH(boxes); /* windows of 2 x 3, the window's axes around the position's */
    x = build_param(boxes, I32(6, 9)), at = build_param(boxes, TYPE(WEFT_U8, 2, 5)),
    u = build_param(boxes, I32(2, 5, 3));
    CHECK(boxes, scatter(boxes, monoid(boxes, OP_MAX, WEFT_I32), (Ref[]){ x, at, u }, 3,
                         DIMS(2, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1), 11));

    GRAPH(batches);
    x = build_param(batches, F32(4, 9)), at = build_param(batches, I32(4, 6, 1)),
    u = build_param(batches, F32(4, 6));
    CHECK(batches, scatter(batches, monoid(batches, OP_MUL, WEFT_F32), (Ref[]){ x, at, u }, 3,
                           DIMS(0, 1, 1, 1, 2, 0, 0, 1, 0, 0, 1), 11));

    GRAPH(pairs); /* two operands; of one only the other's result is used */
    REGION(pairs, both, f32, i32, f32, i32);
    const Ref *p = both->params;
    Ref better = build_compare(both, CMP_LT, p[2], p[0]);
    GIVES(both, build_select(both, better, p[2], p[0]), build_select(both, better, p[3], p[1]));
    x = build_param(pairs, F32(7)), at = build_param(pairs, I32(30)), u = build_param(pairs, F32(30));
    Ref node = scatter(pairs, both,
                       (Ref[]){ x, build_splat(pairs, I32(7), scalar_from_i64(WEFT_I32, -1)), at, u,
                                build_iota(pairs, I32(30), 0) },
                       5, DIMS(0, 1, 0, 1, 1, 0, 0, 0, 0), 9);
    CHECK(pairs, build_result(pairs, node, 1));
}

/* ---- control flow an element at a time ---- */

/* Escape times: a map over points with a while loop for each. */
static Graph *escape(Graph *g)
{
    Graph *map = graph_new(g->arena, "escape");
    REGION(map, cond, f32, f32, f32, f32, i32);
    Ref far =
        add(cond, mul(cond, cond->params[2], cond->params[2]), mul(cond, cond->params[3], cond->params[3]));
    GIVES(cond, build_binary(cond, OP_AND, build_compare(cond, CMP_LT, far, f(cond, 4)),
                             build_compare(cond, CMP_LT, cond->params[4], n(cond, 20))));
    REGION(map, body, f32, f32, f32, f32, i32);
    const Ref *p = body->params;
    Ref re = add(body, build_binary(body, OP_SUB, mul(body, p[2], p[2]), mul(body, p[3], p[3])), p[0]);
    Ref im = add(body, mul(body, mul(body, f(body, 2), p[2]), p[3]), p[1]);
    GIVES(body, re, im, add(body, p[4], n(body, 1)));
    Ref cr = build_param(map, f32), ci = build_param(map, f32), out[3];
    build_while(map, cond, body, (Ref[]){ cr, ci, f(map, 0), f(map, 0), n(map, 0) }, 2, 3, out);
    GIVES(map, out[2], out[0]);
    return map;
}

Test(fuse_ops, maps)
{
    GRAPH(points);
    Ref x = build_param(points, F32(7, 37)), y = build_param(points, F32(7, 37)), out[2];
    build_map(points, (Ref[]){ build_unary(points, OP_NEG, x), mul(points, y, x) }, 2, F32(7, 37),
              escape(points), out);
    CHECK(points, build_convert(points, out[0], WEFT_F32), out[1],
          build_reduce(points, OP_ADD, out[0], DIMS(1), 1));

    GRAPH(plain); /* its region folds, and a pad makes its elements masked */
    REGION(plain, region, f32, f32);
    Ref many = mul(region, build_iota(region, F32(5), 0), spread(region, region->params[0], F32(5)));
    GIVES(region, add(region, build_reduce(region, OP_ADD, many, DIMS(0), 1), region->params[1]));
    x = build_param(plain, F32(11)), y = build_param(plain, F32(11));
    Ref sums;
    build_map(plain, (Ref[]){ x, y }, 2, F32(11), region, &sums);
    Ref far[2];
    build_map(plain, (Ref[]){ x, y }, 2, F32(11), escape(plain), far);
    CHECK(plain, build_pad(plain, sums, f(plain, 7), DIMS(2), DIMS(-1), DIMS(1)),
          build_pad(plain, far[1], f(plain, 7), DIMS(2), DIMS(-1), DIMS(1)));
}

/* A biquad: two delays, slices in, slices out; scalars, a bank of them, and a bank behind a fused
 * producer. */
static Graph *biquad(Graph *g, Type t)
{
    Graph *r = graph_new(g->arena, "biquad");
    for (int i = 0; i < 5; i++) build_param(r, t);
    const Ref *p = r->params; /* b, a, s1, s2, x */
    Ref y = add(r, mul(r, p[0], p[4]), p[2]);
    GIVES(r, add(r, build_binary(r, OP_SUB, p[3], mul(r, p[1], y)), p[4]), mul(r, p[0], y), y);
    return r;
}

Test(fuse_ops, filters)
{
    for (int64_t length = 0; length < 6; length++)
        for (int reverse = 0; reverse < 2; reverse++) {
            GRAPH(scalar);
            Ref b = build_param(scalar, f32), x = build_param(scalar, F32(length)), out[3];
            build_scan(scalar, (ScanShape){ length, reverse, 1, 2, 2, 1, 0 }, biquad(scalar, f32),
                       (Ref[]){ b, f(scalar, 0.5), f(scalar, 0), f(scalar, 0), x }, out);
            CHECK(scalar, out[0], build_unary(scalar, OP_NEG, out[2]), out[2]);
            GRAPH(bank);
            b = build_param(bank, F32(3, 13));
            x = build_param(bank, F32(length, 13));
            Ref wide_x =
                build_broadcast(bank, build_unary(bank, OP_TANH, x), DIMS(length, 3, 13), 3, DIMS(0, 2));
            Ref zero = build_splat(bank, F32(3, 13), 0);
            build_scan(bank, (ScanShape){ length, reverse, 1, 2, 2, 1, 0 }, biquad(bank, F32(3, 13)),
                       (Ref[]){ b, mul(bank, b, b), zero, b, wide_x }, out);
            CHECK(bank, out[1], out[2]);
        }
}

/* Counters beside arrays, dynamic slices at the counter, views of what is not carried, loops in loops,
 * branches with loops in them. */
Test(fuse_ops, loops)
{
    GRAPH(powers); /* sum of w[i] * x^i, by a while loop on the counter alone */
    Type t = F32(6, 5);
    REGION(powers, cond, F32(4), t, i32, t, t);
    GIVES(cond, build_compare(cond, CMP_LT, cond->params[2], n(cond, 4)));
    REGION(powers, body, F32(4), t, i32, t, t);
    const Ref *p = body->params;
    Ref w = build_reshape(body, build_dynamic_slice(body, p[0], &p[2], DIMS(1)), NULL, 0);
    GIVES(body, add(body, p[2], n(body, 1)), add(body, p[3], mul(body, p[4], spread(body, w, t))),
          mul(body, p[4], build_transpose(body, build_reshape(body, p[1], DIMS(5, 6), 2), DIMS(1, 0))));
    Ref v = build_param(powers, F32(4)), x = build_param(powers, t), out[3];
    build_while(powers, cond, body, (Ref[]){ v, x, n(powers, 0), x, build_unary(powers, OP_EXP, x) }, 2, 3,
                out);
    CHECK(powers, out[0], out[1], mul(powers, out[1], x));

    GRAPH(nested); /* in each step a while loop per element, and one of two branches */
    REGION(nested, inner_cond, f32, f32);
    GIVES(inner_cond, build_compare(inner_cond, CMP_GT, inner_cond->params[1], inner_cond->params[0]));
    REGION(nested, inner_body, f32, f32);
    GIVES(inner_body, mul(inner_body, inner_body->params[1], f(inner_body, 0.5)));
    REGION(nested, down, f32, f32);
    Ref small;
    build_while(down, inner_cond, inner_body, down->params, 1, 1, &small);
    GIVES(down, small);
    Type s = F32(9);
    REGION(nested, even, s, s);
    Ref mapped;
    build_map(even, (Ref[]){ build_splat(even, s, scalar_from_double(WEFT_F32, 0.3)), even->params[0] }, 2, s,
              down, &mapped);
    GIVES(even, mapped);
    REGION(nested, odd, s, s);
    GIVES(odd, add(odd, odd->params[0], odd->params[1]));
    REGION(nested, step, s, i32, f32);
    Ref chosen, which = build_binary(step, OP_REM, step->params[1], n(step, 3));
    build_case(step, which, (const Graph *[]){ even, odd }, 2,
               (Ref[]){ step->params[0], spread(step, step->params[2], s) }, 2, &chosen);
    GIVES(step, chosen, add(step, step->params[1], n(step, 1)),
          build_convert(step, step->params[1], WEFT_F32), chosen);
    Ref start = build_param(nested, s), rate = build_param(nested, F32(7)), outs[4];
    build_scan(nested, (ScanShape){ 7, false, 1, 0, 2, 1, 0 }, step, (Ref[]){ start, n(nested, 0), rate },
               outs);
    CHECK(nested, outs[0], outs[1], outs[2], outs[3]);
}

/* Branches that are selected: each index, and those outside. */
Test(fuse_ops, branches)
{
    for (int k = -1; k < 4; k++) {
        GRAPH(branches);
        Type t = F32(4, 9);
        REGION(branches, first, t, f32);
        GIVES(first, build_unary(first, OP_NEG, first->params[0]), first->params[1]);
        REGION(branches, second, t, f32);
        GIVES(second, build_reverse(second, second->params[0], DIMS(0, 1), 2), f(second, 3));
        REGION(branches, third, t, f32);
        GIVES(third, mul(third, third->params[0], spread(third, third->params[1], t)),
              mul(third, third->params[1], third->params[1]));
        Ref x = build_param(branches, t), s = build_param(branches, f32),
            zero = build_convert(branches, mul(branches, s, f(branches, 0)), WEFT_I32), out[2];
        build_case(branches, add(branches, zero, n(branches, k)), (const Graph *[]){ first, second, third },
                   3, (Ref[]){ build_unary(branches, OP_EXP, x), s }, 2, out);
        CHECK(branches, out[0], out[1]);
    }
}

/* ---- sorts ---- */

static Ref magnitude(Graph *g, Ref x) { return build_unary(g, OP_ABS, x); }

/* Keys known to the library, a comparator that is not, and some that are no order: those give eager mode's
 * result too. */
Test(fuse_ops, sorts)
{
    static const int64_t shapes[][2] = { { 1, 1 }, { 3, 2 }, { 5, 17 }, { 33, 4 }, { 40, 1 }, { 0, 3 } };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int axis = 0; axis < 2; axis++)
            for (int order = 0; order < 2; order++) {
                GRAPH(sorts);
                REGION(sorts, before, f32, f32, i32, i32);
                const Ref *p = before->params;
                GIVES(before, order == 0 ? build_compare(before, CMP_LT, p[0], p[1])
                                         : build_compare(before, CMP_GT, magnitude(before, p[0]),
                                                         magnitude(before, p[1])));
                Type t = F32(shapes[k][0], shapes[k][1]);
                Ref x = build_param(sorts, t), out[2], more[2];
                Ref at = build_iota(sorts, (Type){ WEFT_I32, t.rank, t.dim }, axis);
                build_sort(sorts, (Ref[]){ x, at }, 2, axis, true, before, out);
                build_sort(sorts, (Ref[]){ mul(sorts, x, x), at }, 2, axis, true, before, more);
                CHECK(sorts, out[0], out[1], build_unary(sorts, OP_NEG, more[1]));
            }
}

Test(fuse_ops, no_orders)
{
    for (int which = 0; which < 3; which++) {
        GRAPH(disorder);
        REGION(disorder, any, i32, i32);
        const Ref *p = any->params;
        Ref yes = build_splat(any, (Type){ WEFT_BOOL, 0, NULL }, 1);
        GIVES(any, which == 0 ? yes : build_compare(any, which == 1 ? CMP_NE : CMP_LE, p[0], p[1]));
        Ref x = build_param(disorder, I32(37)), out;
        build_sort(disorder, &x, 1, 0, true, any, &out);
        GIVES(disorder, build_reduce(disorder, OP_ADD, out, DIMS(0), 1),
              build_reduce(disorder, OP_MAX, out, DIMS(0), 1));
        run("disorder", disorder);
        arena_free(&disorder_arena);
    }
}

/* ---- programs with control flow, as they are and as batches: each set of mapped parameters ---- */

Test(fuse_ops, control_programs, .timeout = 300)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        if (control_programs[i].op == OP_SELECT_AND_SCATTER || control_programs[i].op == OP_RNG_BITS)
            continue;
        GRAPH(whole);
        const Graph *program = inline_rules(&whole_arena, control_programs[i].make(&whole_arena), NULL);
        run(control_programs[i].name, simplify(&whole_arena, program));
        for (unsigned mapped = 1; mapped < 1u << program->n_params;
             mapped += mapped < 15 || mapped + 1 == 1u << program->n_params
                           ? 1
                           : (1u << program->n_params) - 1 - mapped) {
            int64_t in[8], out[8];
            Failure wrong = { 0 };
            for (uint32_t k = 0; k < program->n_params; k++) in[k] = mapped >> k & 1 ? 0 : VMAP_NONE;
            for (uint32_t k = 0; k < program->n_outputs; k++) out[k] = 0;
            Graph *batch = vmap_graph(&whole_arena, program, in, 19, out, NULL, &wrong);
            cr_assert(batch, "%s: %s", control_programs[i].name, wrong.text);
            run(control_programs[i].name, batch);
            run(control_programs[i].name, simplify(&whole_arena, batch));
        }
        (void)whole;
        arena_free(&whole_arena);
    }
}

/* A map whose region an element cannot be computed with in a kernel: it sorts. */
Test(fuse_ops, maps_by_steps)
{
    GRAPH(steps);
    REGION(steps, region, f32, f32);
    REGION(region, less, f32, f32);
    GIVES(less, build_compare(less, CMP_LT, less->params[0], less->params[1]));
    Type t = F32(5);
    Ref x = add(region,
                mul(region, build_unary(region, OP_SIN, build_iota(region, t, 0)),
                    spread(region, region->params[0], t)),
                spread(region, region->params[1], t)),
        sorted;
    build_sort(region, &x, 1, 0, true, less, &sorted);
    GIVES(region, build_reshape(region, build_slice(region, sorted, DIMS(1), DIMS(2), DIMS(1)), NULL, 0),
          region->params[0]);
    Ref a = build_param(steps, F32(3, 4)), b = build_param(steps, F32(3, 4)), out[2];
    build_map(steps, (Ref[]){ mul(steps, a, b), b }, 2, F32(3, 4), region, out);
    CHECK(steps, out[0], out[1]);
}

/* ---- foreign functions ---- */

/* x, w -> x * w + numbers[1], the largest element of x; numbers[0]: how many elements */
static void weigh(const ForeignOp *op, const int64_t *numbers, const void *const *in, void *const *out)
{
    const float *x = in[0], *w = in[1];
    float *y = out[0], most = -INFINITY;
    ++*(int *)op->user;
    for (int64_t i = 0; i < numbers[0]; i++) {
        y[i] = x[i] * w[i] + (float)numbers[1];
        most = x[i] > most ? x[i] : most;
    }
    *(float *)out[1] = most;
}
static int weighed;
static const ForeignOp weighing = { "weigh", weigh, false, &weighed };

static void weigh_in(Graph *g, Ref x, Ref w, int64_t plus, Ref out[2])
{
    Type t = graph_type(g, x);
    build_foreign(g, &weighing, 0, (int64_t[]){ type_count(t), plus }, 2, (Ref[]){ x, w }, 2,
                  (Type[]){ t, f32 }, 2, out);
}

static int steps_of_kind(const Program *p, StepKind kind)
{
    int count = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) count += p->steps[i].kind == kind;
    return count;
}

Test(fuse_ops, foreign_functions)
{
    /* operands and results that are fused with what is around, that are parameters and outputs, one value for
     * all, indices, nobody's */
    GRAPH(between);
    Type t = F32(3, 7);
    Ref x = build_param(between, t), w = build_param(between, t), a[2], b[2], c[2];
    weigh_in(between, mul(between, x, x), w, 1, a);
    weigh_in(between, build_splat(between, t, scalar_from_double(WEFT_F32, 3)), build_iota(between, t, 1), 0,
             b);
    weigh_in(between, w, w, -2, c);
    CHECK(between, add(between, a[0], b[0]), a[1], c[0], c[0], b[1],
          mul(between, c[0], spread(between, a[1], t)));

    GRAPH(none);
    x = build_param(none, F32(0, 7));
    weigh_in(none, x, x, 1, a);
    CHECK(none, a[0], a[1]);

    GRAPH(shown);
    Arena arena;
    x = build_param(shown, F32(8)), w = build_param(shown, F32(8));
    weigh_in(shown, x, build_unary(shown, OP_NEG, w), 5, a);
    GIVES(shown, a[0]);
    Program *p = fused(&arena, shown);
    cr_assert(strstr(program_print(&arena, p), "call weigh(%in0, %temp3 -> %out0, %temp4) [8, 5]"), "%s",
              program_print(&arena, p));
    alias_outputs(p, 3);
    cr_assert(p->buffers[2].alias == 1,
              "the call writes while it reads the first parameter, but the second is over by then\n%s",
              program_print(&arena, p));
    arena_free(&arena);
    arena_free(&shown_arena);
}

Test(fuse_ops, foreign_functions_in_loops)
{
    for (int reverse = 0; reverse < 2; reverse++) {
        GRAPH(scan); /* slices and carries as they lie */
        Type t = F32(6);
        REGION(scan, body, t, t, f32, t);
        Ref a[2], b[2], out[5];
        weigh_in(body, body->params[3], body->params[0], 1, a);
        weigh_in(body, body->params[1], spread(body, build_unary(body, OP_SIN, body->params[2]), t), 0, b);
        GIVES(body, b[0], a[1], a[0], build_unary(body, OP_NEG, b[0]), a[0]);
        Ref w = build_param(scan, t), h = build_param(scan, t), xs = build_param(scan, F32(5, 6));
        build_scan(scan, (ScanShape){ 5, reverse, 1, 1, 2, 1, 0 }, body,
                   (Ref[]){ mul(scan, w, w), h, f(scan, 2), xs }, out);
        GIVES(scan, out[0], out[1], out[2], out[3], out[4]);
        Arena arena;
        Program *p = fused(&arena, scan);
        cr_assert(steps_of_kind(p, STEP_CALL) == 2 &&
                      strstr(program_print(&arena, p), reverse ? "-6 c0 + 24]" : "[6 c0]"),
                  "%s", program_print(&arena, p));
        arena_free(&arena);
        run(reverse ? "reverse scan" : "scan", scan);
        arena_free(&scan_arena);
    }

    GRAPH(loop);
    Type t = F32(4);
    REGION(loop, cond, i32, t);
    GIVES(cond, build_compare(cond, CMP_LT, cond->params[0], n(cond, 3)));
    REGION(loop, body, i32, t);
    Ref a[2], out[2];
    weigh_in(body, body->params[1], body->params[1], -1, a);
    GIVES(body, add(body, body->params[0], n(body, 1)), add(body, a[0], spread(body, a[1], t)));
    Ref x = build_param(loop, t);
    build_while(loop, cond, body, (Ref[]){ n(loop, 0), x }, 0, 2, out);
    CHECK(loop, out[0], out[1]);

    GRAPH(choice);
    REGION(choice, yes, t);
    weigh_in(yes, yes->params[0], yes->params[0], 2, a);
    GIVES(yes, a[0]);
    REGION(choice, no, t);
    GIVES(no, build_unary(no, OP_EXP, no->params[0]));
    x = build_param(choice, t);
    Ref which = build_param(choice, i32), chosen;
    build_case(choice, which, (const Graph *[]){ yes, no }, 2, &x, 1, &chosen);
    CHECK(choice, mul(choice, chosen, x));
}

/* ---- barriers ---- */

Test(fuse_ops, barriers)
{
    /* parameters, what is computed, one value for all, indices, constants; results as they are, and as
     * operands of all kinds */
    GRAPH(mixed);
    Type t = F32(3, 7);
    Ref x = build_param(mixed, t), y = build_unary(mixed, OP_EXP, x),
        total = build_reduce(mixed, OP_ADD, y, DIMS(0, 1), 2), b[6], c, d;
    float numbers[] = { 1, 2, 3, 5, 7, 11, 13 };
    build_barrier(mixed,
                  (Ref[]){ x, y, total, build_splat(mixed, t, scalar_from_double(WEFT_F32, 3)),
                           build_iota(mixed, t, 1), build_constant(mixed, F32(7), numbers) },
                  6, b);
    build_barrier(mixed, &b[0], 1, &c);
    build_barrier(mixed, (Ref[]){ b[1] }, 1, &d);
    Ref again = mul(mixed, build_unary(mixed, OP_EXP, b[0]), spread(mixed, b[2], t));
    CHECK(mixed, again, c, d, b[1], y, b[3], b[4], b[5], build_cumulative(mixed, OP_ADD, d, 1, false), b[2]);

    for (int scalar = 0; scalar < 2; scalar++) {
        GRAPH(body_of); /* in registers if the loop is, in memory else */
        REGION(body_of, body, F32(6), F32(6), F32(6));
        Ref p[3], out[3];
        build_barrier(
            body, (Ref[]){ body->params[1], body->params[0], mul(body, body->params[1], body->params[2]) }, 3,
            p);
        Ref next = add(body, p[0], p[1]);
        if (!scalar)
            next = add(body, next, spread(body, build_reduce(body, OP_MAX, p[0], DIMS(0), 1), F32(6)));
        GIVES(body, next, p[2], p[0]);
        Ref w = build_param(body_of, F32(6)), h = build_param(body_of, F32(6)),
            xs = build_param(body_of, F32(4, 6));
        build_scan(body_of, (ScanShape){ 4, false, 1, 1, 1, 1, 0 }, body, (Ref[]){ w, h, xs }, out);
        GIVES(body_of, out[0], out[1], out[2]);
        Arena arena;
        Program *program = fused(&arena, body_of);
        cr_assert(steps_of_kind(program, STEP_LOOP) == !scalar, "%s", program_print(&arena, program));
        arena_free(&arena);
        run(scalar ? "in registers" : "in memory", body_of);
        arena_free(&body_of_arena);
    }

    GRAPH(fixed); /* carries that a barrier hands on, and exchanges */
    Type v = F32(5);
    REGION(fixed, body, v, v, v);
    Ref p[3], out[3];
    build_barrier(body,
                  (Ref[]){ body->params[0], body->params[1],
                           build_cumulative(body, OP_ADD, body->params[2], 0, false) },
                  3, p);
    GIVES(body, p[1], p[0], add(body, p[2], p[0]));
    build_scan(fixed, (ScanShape){ 3, false, 1, 0, 3, 0, 0 }, body,
               (Ref[]){ build_param(fixed, v), build_param(fixed, v), build_param(fixed, v) }, out);
    CHECK(fixed, out[0], out[1], out[2]);
}

/* Two segments of a chain whose values are needed again from the last to the first: computed again behind a
 * barrier, one segment's take what the other's took. */
Test(fuse_ops, barriers_save_memory)
{
    enum { SEGMENTS = 4, LINKS = 6 };
    size_t bytes[2];
    for (int barrier = 0; barrier < 2; barrier++) {
        GRAPH(chain);
        Type t = F32(1000);
        Ref start[SEGMENTS + 1], link[LINKS + 1], b[2], ct;
        start[0] = build_param(chain, t);
        for (int s = 0; s < SEGMENTS; s++) {
            start[s + 1] = start[s];
            for (int k = 0; k < LINKS; k++)
                start[s + 1] =
                    build_cumulative(chain, OP_ADD, build_unary(chain, OP_SIN, start[s + 1]), 0, false);
        }
        ct = start[SEGMENTS];
        for (int s = SEGMENTS; s-- > 0;) {
            b[0] = start[s], b[1] = ct;
            if (barrier) build_barrier(chain, (Ref[]){ start[s], ct }, 2, b);
            link[0] = b[0], ct = b[1];
            for (int k = 0; k < LINKS; k++)
                link[k + 1] = build_cumulative(chain, OP_ADD, build_unary(chain, OP_SIN, link[k]), 0, false);
            for (int k = LINKS; k-- > 0;)
                ct = build_cumulative(chain, OP_ADD, mul(chain, ct, build_unary(chain, OP_COS, link[k])), 0,
                                      true);
        }
        GIVES(chain, ct);
        Arena arena;
        bytes[barrier] = fused(&arena, chain)->scratch_bytes;
        arena_free(&arena);
        run("chain", chain);
        arena_free(&chain_arena);
    }
    cr_assert(bytes[0] > SEGMENTS * LINKS * 4000 && bytes[1] < (SEGMENTS + LINKS + 3) * 4096,
              "%zu and %zu bytes", bytes[0], bytes[1]);
}

/* ---- kernels that are the same ---- */

static size_t code_bytes(const Graph *g)
{
    Failure wrong = { 0 };
    Code *code = compile_graph(g, &(CompileOptions){ .mode = MODE_DEFAULT, .name = "twins" }, &heap, &wrong);
    cr_assert(code, "%s", wrong.text);
    size_t bytes = code->code_bytes;
    code_free(code, &heap);
    return bytes;
}

/* Leaves of a tree that are updated alike share one function; what differs in a number, a direction, a type
 * or in which operands are one does not. */
Test(fuse_ops, twins)
{
    GRAPH(alike);
    Type t = F32(21), half = TYPE(WEFT_F16, 21);
    Ref out[64], x = build_param(alike, t), y = build_param(alike, t), h = build_param(alike, half);
    uint32_t k = 0;
    for (int i = 0; i < 4; i++)
        out[k++] = build_cumulative(alike, OP_ADD, mul(alike, i & 1 ? x : y, i & 2 ? x : y), 0, false);
    for (int i = 0; i < 3; i++)
        out[k++] = build_cumulative(alike, OP_ADD,
                                    mul(alike, x, build_splat(alike, t, scalar_from_double(WEFT_F32, i + 2))),
                                    0, false);
    for (int d = CMP_EQ; d <= CMP_GE; d++)
        out[k++] = build_cumulative(alike, OP_ADD,
                                    build_convert(alike, build_compare(alike, (CompareDir)d, x, y), WEFT_F32),
                                    0, false);
    for (int i = 0; i < 2; i++)
        out[k++] = build_cumulative(alike, OP_ADD, build_convert(alike, i ? h : x, WEFT_F64), 0, i);
    for (int i = 4; i < 8; i += 3)
        out[k++] = build_cumulative(alike, OP_MAX,
                                    graph_add(alike, &(NodeSpec){ .op = OP_REDUCE_PRECISION,
                                                                  .args = &x,
                                                                  .n_args = 1,
                                                                  .attr = DIMS(i, 9),
                                                                  .n_attr = 2 }),
                                    0, false);
    graph_set_outputs(alike, out, k);
    run("alike", alike);
    arena_free(&alike_arena);

    size_t bytes[2];
    for (int many = 0; many < 2; many++) {
        GRAPH(leaves);
        for (k = 0; k < (many ? 64u : 1u); k++)
            out[k] = build_unary(leaves, OP_TANH, build_param(leaves, F32(100)));
        graph_set_outputs(leaves, out, k);
        bytes[many] = code_bytes(leaves);
        if (many) run("leaves", leaves);
        arena_free(&leaves_arena);
    }
    cr_assert(bytes[1] < bytes[0] + 4096, "%zu bytes for one leaf, %zu for 64", bytes[0], bytes[1]);
}

/* Leaves of several shapes, scaled by numbers that are dear: these are computed once. */
Test(fuse_ops, dear_numbers)
{
    GRAPH(leaves);
    Ref step = build_convert(leaves, build_param(leaves, i32), WEFT_F32), out[8];
    Ref rate = build_unary(leaves, OP_COS, mul(leaves, step, f(leaves, 0.1))),
        scale = build_binary(leaves, OP_DIV, rate,
                             build_unary(leaves, OP_EXPM1, add(leaves, step, f(leaves, 5))));
    for (int i = 0; i < 7; i++) {
        Type t = F32(7 * i + 3);
        Ref x = build_param(leaves, t);
        out[i] = build_cumulative(
            leaves, OP_ADD,
            mul(leaves, build_unary(leaves, OP_NEG, x), spread(leaves, i % 2 ? scale : rate, t)), 0, false);
    }
    out[7] = step;
    graph_set_outputs(leaves, out, 8);
    Arena arena;
    Program *p = fused(&arena, leaves);
    int dear = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            dear += s->kind == ST_OP && (s->op == OP_COS || s->op == OP_EXPM1 || s->op == OP_DIV);
        }
    cr_assert(dear == 3, "%d of 3\n%s", dear, program_print(&arena, p));
    arena_free(&arena);
    run("leaves", leaves);
    arena_free(&leaves_arena);
}

/* How many such ops stand in a loop with lanes, and how many in none. */
static int in_lanes(const Program *p, Op op, int *alone)
{
    int found = 0;
    *alone = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        int depth = 0, lanes = 0;
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            if (s->kind == ST_LOOP) {
                depth++;
                if (s->lanes > 1) lanes = depth;
            }
            if (s->kind == ST_END && lanes == depth--) lanes = 0;
            if (s->kind != ST_OP || s->op != op) continue;
            found += lanes > 0;
            *alone += !lanes;
        }
    }
    return found;
}

/* Functions of contractions with a vector: in lanes, but not where the contractions take far longer, nor
 * where rows go on with them. */
Test(fuse_ops, functions_of_folds)
{
    for (int long_sums = 0; long_sums < 2; long_sums++) {
        GRAPH(cell);
        int64_t size = long_sums ? 1600 : 48;
        Ref w = build_param(cell, F32(32, size)), h = build_param(cell, F32(size)),
            c = build_param(cell, F32(32));
        int64_t dims[] = { 0, 1, 1, 0 };
        Ref z = add(cell,
                    graph_add(cell, &(NodeSpec){ .op = OP_DOT,
                                                 .args = (Ref[]){ w, h },
                                                 .n_args = 2,
                                                 .attr = dims,
                                                 .n_attr = 4,
                                                 .dtype = WEFT_F32 }),
                    c);
        Ref gate = build_unary(cell, OP_TANH, build_slice(cell, z, DIMS(0), DIMS(16), DIMS(1))),
            other = build_unary(cell, OP_SIN,
                                build_unary(cell, OP_NEG, build_slice(cell, z, DIMS(16), DIMS(32), DIMS(1))));
        GIVES(cell, mul(cell, gate, other));
        Arena arena;
        Program *p = fused(&arena, cell);
        int alone, lanes = in_lanes(p, OP_TANH, &alone);
        cr_assert(lanes == !long_sums && alone == long_sums && p->n_kernels == (long_sums ? 1 : 2), "%s",
                  program_print(&arena, p));
        arena_free(&arena);
        run("cell", cell);
        arena_free(&cell_arena);
    }
    /* two matrices: both packed if they stay in the L1 cache, in front of the loop */
    for (int large = 0; large < 2; large++) {
        GRAPH(network);
        Type t = F32(large ? 160 : 24), square = F32(large ? 160 : 24, large ? 160 : 24);
        REGION(network, body, square, square, t, t);
        int64_t dims[] = { 0, 1, 1, 0 };
        Ref z[2], out[2];
        for (int i = 0; i < 2; i++)
            z[i] = graph_add(body, &(NodeSpec){ .op = OP_DOT,
                                                .args = (Ref[]){ body->params[i], body->params[2 + i] },
                                                .n_args = 2,
                                                .attr = dims,
                                                .n_attr = 4,
                                                .dtype = WEFT_F32 });
        Ref next = build_unary(body, OP_TANH, add(body, z[0], z[1])),
            scale = build_splat(network, square, scalar_from_double(WEFT_F32, 0.1));
        GIVES(body, next, next);
        Ref w = mul(network, build_param(network, square), scale),
            u = mul(network, build_param(network, square), scale);
        build_scan(
            network, (ScanShape){ 9, false, 1, 2, 1, 1, 0 }, body,
            (Ref[]){ w, u, build_param(network, t), build_param(network, large ? F32(9, 160) : F32(9, 24)) },
            out);
        GIVES(network, out[0], out[1]);
        Arena arena;
        Program *p = fused(&arena, network);
        int alone, packs = 0;
        for (uint32_t i = 0; i < p->n_steps && p->steps[i].kind != STEP_LOOP; i++)
            packs += p->steps[i].kind == STEP_KERNEL && strstr(p->kernels[p->steps[i].kernel].name, "_pack_");
        cr_assert(packs == (large ? 0 : 2) && in_lanes(p, OP_TANH, &alone) == 1 && !alone, "%d packed\n%s",
                  packs, program_print(&arena, p));
        arena_free(&arena);
        run("network", network);
        arena_free(&network_arena);
    }
    GRAPH(rows);
    Ref x = build_param(rows, F32(40, 20)), e = build_unary(rows, OP_EXP, x);
    Ref total = build_unary(rows, OP_LOG, build_reduce(rows, OP_ADD, e, DIMS(1), 1));
    GIVES(rows, build_binary(rows, OP_SUB, x, build_broadcast(rows, total, DIMS(40, 20), 2, DIMS(0))));
    Arena arena;
    Program *p = fused(&arena, rows);
    cr_assert(p->n_kernels == 1, "%s", program_print(&arena, p));
    arena_free(&arena);
    run("rows", rows);
    arena_free(&rows_arena);
}

/* ---- every element type ---- */

Test(fuse_ops, types)
{
    for (int t = 0; t < DTYPE_COUNT; t++) {
        GRAPH(types);
        Type v = { (uint8_t)t, 2, DIMS(5, 19) }, scalar = { (uint8_t)t, 0, NULL };
        Ref x = build_param(types, v), u = build_param(types, (Type){ (uint8_t)t, 2, DIMS(3, 19) }),
            at = build_param(types, I32(3)), i = build_param(types, i32);
        static const Windows w = { { 2, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 0 }, { 0, 2 } };
        Ref row = scatter(types, monoid(types, OP_MAX, (DType)t), (Ref[]){ x, at, u }, 3,
                          DIMS(1, 1, 0, 1, 1, 0, 0, 1, 0, 0), 10),
            sorted;
        REGION(types, less, scalar, scalar);
        GIVES(less, build_compare(less, CMP_LT, less->params[0], less->params[1]));
        build_sort(types, &x, 1, 1, true, less, &sorted);
        Graph *body = graph_new(types->arena, "body");
        Type line = { (uint8_t)t, 1, DIMS(19) };
        build_param(body, line), build_param(body, line);
        GIVES(body,
              build_binary(body, OP_MIN, build_binary(body, OP_MAX, body->params[0], body->params[1]),
                           build_splat(body, line, scalar_from_i64((DType)t, 1))),
              body->params[0]);
        Ref out[2];
        build_scan(types, (ScanShape){ 5, true, 1, 0, 1, 1, 0 }, body,
                   (Ref[]){ build_splat(types, line, scalar_from_i64((DType)t, 0)), x }, out);
        CHECK(types, build_cumulative(types, OP_ADD, x, 1, false),
              build_cumulative(types, OP_MAX, x, 1, true), build_cumulative(types, OP_ADD, x, 0, false), row,
              sorted, window(types, OP_MAX, x, 1, &w),
              build_dynamic_update_slice(types, x, u, (Ref[]){ i, i }),
              build_dynamic_slice(types, x, (Ref[]){ i, i }, DIMS(2, 3)), out[0], out[1]);
    }
}

/* A region of 100,000 ops after one another. */
Test(fuse_ops, long_region)
{
    GRAPH(chain);
    REGION(chain, region, f32, f32);
    Ref x = region->params[0];
    for (int i = 0; i < 100000; i++)
        x = build_binary(region, i % 2 ? OP_MAX : OP_MIN, x,
                         build_binary(region, OP_SUB, region->params[1], f(region, i % 1000)));
    GIVES(region, x);
    Ref a = build_param(chain, F32(3)), r = graph_add(chain, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                                                          .args = (Ref[]){ a, f(chain, 0) },
                                                                          .n_args = 2,
                                                                          .attr = DIMS(0),
                                                                          .n_attr = 1,
                                                                          .region = region });
    GIVES(chain, r);
    Arena arena;
    arena_open(&arena);
    cr_assert(fuse(&arena, chain, &wide, MODE_DEFAULT)->n_kernels == 1);
    arena_free(&arena);
    arena_free(&chain_arena);
}
