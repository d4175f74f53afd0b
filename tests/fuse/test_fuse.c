/* test_fuse.c: fused programs against eager mode, through a slow interpreter of programs; and how many
 * kernels and how much memory they take. */
#include "tests/support/fuse_suite.h"
#include "runtime/exec/compile.h"
#include "runtime/eager/eager.h"
#include "tests/graphs/unrolled.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Ref reduce(Graph *g, Op op, Ref x, int axis)
{
    int64_t a = axis;
    return build_reduce(g, op, x, &a, 1);
}

/* x broadcast along one more axis, put at `axis`. */
static Ref along(Graph *g, Ref x, int axis, int64_t size)
{
    Type t = graph_type(g, x);
    int64_t dim[WEFT_MAX_RANK], axes[WEFT_MAX_RANK];
    for (int d = 0, k = 0; d <= t.rank; d++) {
        if (d == axis) {
            dim[d] = size;
            continue;
        }
        axes[k] = d;
        dim[d] = t.dim[k++];
    }
    return build_broadcast(g, x, dim, t.rank + 1, axes);
}

static Ref splat(Graph *g, Ref like, double v)
{
    Type t = graph_type(g, like);
    return build_splat(g, t, scalar_from_double((DType)t.dtype, v));
}

/* Fuses for both modes, runs, compares with eager; returns the number of kernels in default mode. */
static uint32_t run(const char *what, Graph *g)
{
    Failure f = { 0 };
    Arena plain;
    cr_assert(g->failure.code == WEFT_OK, "%s: %s", what, g->failure.text);
    Values in = fuse_inputs(g, 1, -32768, 1 << 16), want = values_of_outputs(g);
    arena_open(&plain);
    Graph *straight = unrolled(&plain, g);
    cr_assert(straight->failure.code == WEFT_OK, "%s, unrolled: %s", what, straight->failure.text);
    cr_assert(eager_graph(straight, (const void *const *)in.at, want.at, &heap, &f), "%s: %s", what, f.text);
    arena_free(&plain);
    fuse_agrees(what, g, MODE_STRICT, &in, &want);
    uint32_t kernels = fuse_agrees(what, g, MODE_DEFAULT, &in, &want);
    values_free(&in), values_free(&want);
    return kernels;
}

#define DONE(name, kernels, ...) \
    do { \
        Ref outs_[] = { __VA_ARGS__ }; \
        graph_set_outputs(name, outs_, sizeof outs_ / sizeof *outs_); \
        uint32_t n_ = run(#name, name); \
        cr_expect(n_ == (kernels), "%s: %u kernels, expected %u", #name, n_, (unsigned)(kernels)); \
        arena_free(&name##_arena); \
    } while (0)

Test(fuse, elementwise)
{
    GRAPH(chain);
    Ref x = build_param(chain, F32(37, 11)), y = x;
    for (int i = 0; i < 20; i++)
        y = build_binary(chain, i % 2 ? OP_ADD : OP_MUL, y, i % 3 ? x : splat(chain, x, 0.5));
    DONE(chain, 1, y);
    GRAPH(views);
    Ref a = build_param(views, F32(5, 7)), b = build_param(views, F32(7));
    Ref t = build_transpose(views, a, DIMS(1, 0));
    Ref s = build_slice(views, t, DIMS(1, 0), DIMS(7, 5), DIMS(2, 1));
    Ref r = build_reverse(views, along(views, b, 0, 3), DIMS(1), 1);
    DONE(views, 2,
         build_binary(
             views, OP_ADD, s,
             build_slice(views, build_reshape(views, a, DIMS(7, 5), 2), DIMS(0, 0), DIMS(3, 5), DIMS(1, 1))),
         r);
    GRAPH(padded);
    Ref c = build_param(padded, F32(4, 6)), z = build_number(padded, WEFT_F32, 9);
    Ref p = build_pad(padded, c, z, DIMS(1, -1), DIMS(2, 3), DIMS(2, 0));
    DONE(padded, 1, build_binary(padded, OP_ADD, p, p));
    GRAPH(joined);
    Ref d = build_param(joined, F32(4, 6)), e = build_param(joined, F32(4, 3));
    Ref q = build_concatenate(joined, (Ref[]){ d, e, d }, 3, 1);
    DONE(joined, 1, build_binary(joined, OP_MUL, q, q));
    /* Axes 0 to 2 become one loop; the last of them has size 1. */
    GRAPH(ones);
    Ref i = build_param(ones, F32(3, 2, 1)), k = build_broadcast(ones, i, DIMS(3, 2, 1, 1), 4, DIMS(0, 1, 2));
    DONE(ones, 1, build_binary(ones, OP_ADD, k, k));
    GRAPH(parts);
    Ref u = build_param(parts, F32(4, 6)), v = build_param(parts, F32(4, 3));
    DONE(parts, 1, build_concatenate(parts, (Ref[]){ u, build_unary(parts, OP_NEG, v), u }, 3, 1));
}

/* x of rank 2 or 3 with its first two axes mirrored at both ends by `by`, end by end. */
static Ref mirrored(Graph *g, Ref x, int64_t by)
{
    for (int axis = 0; axis < 2; axis++) {
        for (int end = 0; end < 2; end++) {
            Type t = graph_type(g, x);
            int64_t from[] = { 0, 0, 0 }, step[] = { 1, 1, 1 }, to[3];
            memcpy(to, t.dim, (size_t)t.rank * sizeof *to);
            from[axis] = end ? t.dim[axis] - 1 - by : 1;
            to[axis] = from[axis] + by;
            Ref part = build_reverse(g, build_slice(g, x, from, to, step), DIMS(axis), 1);
            x = build_concatenate(g, end ? (Ref[]){ x, part } : (Ref[]){ part, x }, 2, axis);
        }
    }
    return x;
}

static Ref sum_of_taps(Graph *g, Ref p, Type like, int64_t width)
{
    Ref sum = REF_NONE;
    for (int64_t k = 0; k < width * width; k++) {
        int64_t i = k / width, j = k % width;
        Ref tap = build_slice(g, p, DIMS(i, j, 0), DIMS(i + like.dim[0], j + like.dim[1], 3), DIMS(1, 1, 1));
        sum = k ? build_binary(g, OP_ADD, sum, tap) : tap;
    }
    return sum;
}

/* Where few taps ask which part of a concatenation they mean, the loops are cut; the pad is stored where many
 * do: its rows, then all of it. */
Test(fuse, taps_of_mirrored_edges)
{
    GRAPH(few);
    Ref x = build_param(few, F32(20, 41, 3));
    DONE(few, 1, sum_of_taps(few, mirrored(few, x, 1), graph_type(few, x), 3));
    GRAPH(many);
    Ref y = build_param(many, F32(20, 41, 3));
    DONE(many, 3, sum_of_taps(many, mirrored(many, y, 2), graph_type(many, y), 5));
    GRAPH(gray);
    Ref z = build_param(gray, F32(30, 41));
    DONE(gray, 3, sum_of_taps(gray, mirrored(gray, z, 2), graph_type(gray, z), 5));
}

static Ref softmax(Graph *g, Ref x)
{
    Type t = graph_type(g, x);
    Ref m = along(g, reduce(g, OP_MAX, x, t.rank - 1), t.rank - 1, t.dim[t.rank - 1]);
    Ref e = build_unary(g, OP_EXP, build_binary(g, OP_SUB, x, m));
    return build_binary(g, OP_DIV, e,
                        along(g, reduce(g, OP_ADD, e, t.rank - 1), t.rank - 1, t.dim[t.rank - 1]));
}

Test(fuse, rows)
{
    GRAPH(sums);
    Ref x = build_param(sums, F32(70, 33));
    DONE(sums, 1, reduce(sums, OP_ADD, x, 1), reduce(sums, OP_ADD, build_binary(sums, OP_MUL, x, x), 1));
    GRAPH(columns);
    Ref y = build_param(columns, F32(70, 33));
    DONE(columns, 1, reduce(columns, OP_ADD, y, 0));
    GRAPH(total);
    Ref z = build_param(total, F32(70, 33));
    DONE(total, 1, build_reduce(total, OP_ADD, z, DIMS(0, 1), 2));
    GRAPH(soft);
    DONE(soft, 1, softmax(soft, build_param(soft, F32(20, 100))));
    /* each exp is read from both ends, and computed once */
    GRAPH(mirrored);
    Ref soft1 = softmax(mirrored, build_param(mirrored, F32(100)));
    DONE(mirrored, 2, build_binary(mirrored, OP_MUL, soft1, build_reverse(mirrored, soft1, DIMS(0), 1)));
    /* the sum over all gets the lanes, so that rows of the softmax inside stand side by side */
    GRAPH(crossed);
    Ref most = reduce(crossed, OP_MAX, build_param(crossed, F32(2, 2, 4)), 1),
        above = along(crossed, reduce(crossed, OP_MAX, most, 1), 1, 4);
    Ref parts = reduce(crossed, OP_ADD,
                       build_unary(crossed, OP_EXP,
                                   build_binary(crossed, OP_SUB, build_unary(crossed, OP_SIN, most), above)),
                       1);
    DONE(crossed, 1, reduce(crossed, OP_ADD, parts, 0));
    GRAPH(turned);
    DONE(turned, 1, softmax(turned, build_transpose(turned, build_param(turned, F32(40, 20)), DIMS(1, 0))));
    GRAPH(loss);
    Ref w = build_param(loss, F32(90, 20));
    DONE(loss, 1,
         reduce(loss, OP_ADD,
                build_unary(loss, OP_LOG, reduce(loss, OP_ADD, build_unary(loss, OP_EXP, w), 1)), 0));
    GRAPH(norm);
    Ref v = build_param(norm, F32(20, 100)), n = splat(norm, reduce(norm, OP_ADD, v, 1), 100);
    Ref mean = build_binary(norm, OP_DIV, reduce(norm, OP_ADD, v, 1), n),
        c = build_binary(norm, OP_SUB, v, along(norm, mean, 1, 100));
    Ref var = build_binary(norm, OP_DIV, reduce(norm, OP_ADD, build_binary(norm, OP_MUL, c, c), 1), n);
    DONE(norm, 1, build_binary(norm, OP_DIV, c, along(norm, build_unary(norm, OP_SQRT, var), 1, 100)));
    GRAPH(pass);
    Ref l = build_param(pass, F32(1000)), sq = build_binary(pass, OP_MUL, l, l);
    DONE(pass, 1, reduce(pass, OP_ADD, sq, 0), build_binary(pass, OP_MUL, l, splat(pass, l, 2)));
}

static Ref dot(Graph *g, Ref a, Ref b, int left, int right)
{
    int64_t attr[4] = { 0, 1, left, right };
    return graph_add(g, &(NodeSpec){ .op = OP_DOT,
                                     .args = (Ref[]){ a, b },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = 4,
                                     .dtype = WEFT_F32 });
}

Test(fuse, contractions)
{
    GRAPH(product);
    Ref a = build_param(product, F32(19, 23)), b = build_param(product, F32(23, 41));
    DONE(product, 1,
         build_binary(product, OP_MAX, dot(product, a, b, 1, 0), build_splat(product, F32(19, 41), 0)));
    GRAPH(rows);
    Ref c = build_param(rows, F32(19, 23)), d = build_param(rows, F32(41, 23));
    DONE(rows, 2, dot(rows, c, d, 1, 1));
    /* Nothing to contract: the fold is in no loop. */
    GRAPH(outer);
    Ref o = build_param(outer, F32(9)), least = reduce(outer, OP_MIN, build_param(outer, F32(40)), 0);
    int64_t none[2] = { 0, 0 };
    DONE(outer, 1,
         graph_add(outer, &(NodeSpec){ .op = OP_DOT,
                                       .args = (Ref[]){ least, o },
                                       .n_args = 2,
                                       .attr = none,
                                       .n_attr = 2,
                                       .dtype = WEFT_F32 }));
    GRAPH(chain);
    Ref e = build_param(chain, F32(19, 23)), f = build_param(chain, F32(23, 41)),
        h = build_param(chain, F32(41, 10));
    DONE(chain, 2, dot(chain, dot(chain, e, f, 1, 0), h, 1, 0));
    GRAPH(nearest);
    Ref q = build_param(nearest, F32(37, 24)), r = build_param(nearest, F32(51, 24));
    Ref diff = build_binary(nearest, OP_SUB, along(nearest, q, 1, 51), along(nearest, r, 0, 37));
    Ref dist = reduce(nearest, OP_ADD, build_binary(nearest, OP_MUL, diff, diff), 2);
    int64_t axis = 1;
    Ref arg = graph_add(
        nearest,
        &(NodeSpec){
            .op = OP_ARGMIN, .args = &dist, .n_args = 1, .attr = &axis, .n_attr = 1, .dtype = WEFT_I32 });
    DONE(nearest, 2, arg);
    /* Two loops around a product that only the outer one moves. */
    GRAPH(repeated);
    Ref uu = build_param(repeated, F32(16)), ww = build_param(repeated, F32(4, 4, 16));
    DONE(repeated, 1,
         build_reduce(repeated, OP_ADD, along(repeated, dot(repeated, uu, ww, 0, 2), 1, 17), DIMS(0, 1), 2));
    GRAPH(pair);
    Ref left = build_param(pair, F32(31, 31)), right = build_param(pair, F32(4, 4, 31));
    DONE(pair, 2, dot(pair, left, right, 0, 2));
    /* One root walks two axes of a copied operand as one axis, so they must stay neighbours in the copy. */
    GRAPH(walked);
    Ref small = build_transpose(walked, build_param(walked, F32(5, 8, 5)), DIMS(2, 0, 1)),
        big = build_param(walked, F32(5, 64, 5, 8));
    Ref scaled = build_binary(walked, OP_MUL, along(walked, small, 1, 64), big);
    graph_set_outputs(walked,
                      (Ref[]){ build_unary(walked, OP_EXP, scaled), reduce(walked, OP_MAX, scaled, 2) }, 2);
    run("walked", walked);
    arena_free(&walked_arena);
    GRAPH(vector);
    Ref m = build_param(vector, F32(100, 70)), x = build_param(vector, F32(70));
    DONE(vector, 1, dot(vector, m, x, 1, 0));
    GRAPH(attention);
    Ref qq = build_param(attention, F32(33, 16)), kk = build_param(attention, F32(45, 16)),
        vv = build_param(attention, F32(45, 16));
    Ref sm = softmax(attention, dot(attention, qq, kk, 1, 1));
    graph_set_outputs(attention, (Ref[]){ dot(attention, sm, vv, 1, 0) }, 1);
    run("attention", attention);
    arena_free(&attention_arena);
}

/* acc * 0.5 - x: neither commutative nor associative; over two axes that do not collapse. */
Test(fuse, regions)
{
    GRAPH(reducer);
    Ref left = build_param(reducer, F32()), right = build_param(reducer, F32());
    Ref half = build_binary(reducer, OP_MUL, left, build_number(reducer, WEFT_F32, 0.5));
    graph_set_outputs(reducer, (Ref[]){ build_binary(reducer, OP_SUB, half, right) }, 1);
    GRAPH(fold);
    Ref x = build_param(fold, F32(5, 7, 6)), start = build_param(fold, F32());
    Ref r = graph_add(fold, &(NodeSpec){ .op = OP_REDUCE_REGION,
                                         .args = (Ref[]){ x, start },
                                         .n_args = 2,
                                         .attr = DIMS(0, 2),
                                         .n_attr = 2,
                                         .region = reducer });
    DONE(fold, 1, r);
    arena_free(&reducer_arena);
}

/* One element of a row of sums of sums, at the index of a maximum. */
Test(fuse, folds_at_an_index_that_a_fold_gives)
{
    GRAPH(late);
    Ref x = build_param(late, F32(5, 4, 6)), y = build_param(late, F32(5));
    int64_t axis = 0;
    Ref at = build_reshape(
        late,
        graph_add(
            late,
            &(NodeSpec){
                .op = OP_ARGMAX, .args = &y, .n_args = 1, .attr = &axis, .n_attr = 1, .dtype = WEFT_I32 }),
        DIMS(1), 1);
    Ref sums = build_unary(late, OP_EXP,
                           reduce(late, OP_MAX, build_unary(late, OP_SIN, reduce(late, OP_MAX, x, 2)), 1));
    /* No offset, axis 0 collapsed and mapped, whole index vector in axis 0. */
    Ref one = graph_add(late, &(NodeSpec){ .op = OP_GATHER,
                                           .args = (Ref[]){ sums, at },
                                           .n_args = 2,
                                           .attr = DIMS(0, 1, 0, 1, 0, 0, 0, 1),
                                           .n_attr = 8 });
    DONE(late, 1, one);
}

/* Neighbours of neighbours: each round would double the work of the one before it, were nothing kept. */
Test(fuse, stencils)
{
    GRAPH(heat);
    Ref u = build_param(heat, F32(60));
    for (int i = 0; i < 40; i++) {
        Ref first = build_slice(heat, u, DIMS(0), DIMS(1), DIMS(1)),
            rest = build_slice(heat, u, DIMS(1), DIMS(60), DIMS(1));
        u = build_binary(heat, OP_SUB, u,
                         build_binary(heat, OP_MUL, build_concatenate(heat, (Ref[]){ rest, first }, 2, 0),
                                      splat(heat, u, 0.5)));
    }
    graph_set_outputs(heat, &u, 1);
    cr_expect(run("heat", heat) <= 40);
    Arena arena;
    arena_open(&arena);
    Program *p = fuse(&arena, heat, &wide, MODE_DEFAULT, 0);
    uint32_t stmts = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++) stmts += p->kernels[k].n_stmts;
    cr_expect(stmts < 40 * 100, "%u statements", stmts);
    arena_free(&arena);
    arena_free(&heat_arena);
}

Test(fuse, outputs)
{
    /* Two outputs in one loop: the first reads elements at other indices that the second would only
     * compute later. */
    GRAPH(ahead);
    Ref w = build_param(ahead, F32(7)), l = build_unary(ahead, OP_LOGISTIC, w);
    Ref most = build_binary(ahead, OP_MAX, l, w);
    DONE(ahead, 2, l, most, build_reverse(ahead, l, DIMS(0), 1));
    /* In strict mode the sum of a row keeps its order inside a product of such sums, whether it is an
     * output or not. */
    GRAPH(nested);
    Ref sums = reduce(nested, OP_ADD, build_param(nested, F32(4, 127)), 1);
    DONE(nested, 1, reduce(nested, OP_MUL, sums, 0), sums);
    GRAPH(same);
    Ref x = build_param(same, F32(5, 3)), y = build_unary(same, OP_NEG, x), c = build_splat(same, F32(3), 0);
    DONE(same, 3, y, y, x, c);
    GRAPH(passing);
    Ref a = build_param(passing, F32(50)), b = build_unary(passing, OP_NEG, a),
        d = build_binary(passing, OP_MUL, b, a);
    DONE(passing, 1, b, d);
    GRAPH(cycle);
    Ref p = build_param(cycle, F32(50)), q = build_unary(cycle, OP_EXP, p), s = reduce(cycle, OP_ADD, q, 0);
    DONE(cycle, 1, q, build_binary(cycle, OP_DIV, q, along(cycle, s, 0, 50)));
    GRAPH(empty);
    Ref e = build_param(empty, F32(0, 3));
    graph_set_outputs(empty, (Ref[]){ reduce(empty, OP_ADD, e, 0), build_unary(empty, OP_NEG, e) }, 2);
    run("empty", empty);
    arena_free(&empty_arena);
}

/* ---- control flow ---- */

static Ref weights(Graph *g, Ref w, Ref h) { return build_unary(g, OP_TANH, dot(g, w, h, 1, 0)); }

/* h' = tanh(W h) + x, y = h' * 2: a product needs the old carry to the end. */
Test(fuse, scans)
{
    for (int reverse = 0; reverse < 2; reverse++)
        for (int64_t length = 0; length < 6; length++) {
            GRAPH(body);
            Ref w = build_param(body, F32(5, 5)), h = build_param(body, F32(5)),
                x = build_param(body, F32(5));
            Ref next = build_binary(body, OP_ADD, weights(body, w, h), x),
                y = build_binary(body, OP_MUL, next, splat(body, next, 2));
            graph_set_outputs(body, (Ref[]){ next, y, next }, 3);
            GRAPH(rnn);
            Ref a = build_param(rnn, F32(5, 5)), b = build_param(rnn, F32(5)),
                c = build_param(rnn, F32(length, 5)), out[3];
            build_scan(rnn, (ScanShape){ length, reverse, 1, 1, 1, 1, 0 }, body,
                       (Ref[]){ a, build_unary(rnn, OP_NEG, b), build_unary(rnn, OP_SQUARE, c) }, out);
            graph_set_outputs(rnn, (Ref[]){ out[0], build_unary(rnn, OP_NEG, out[1]), out[2], out[0] }, 4);
            run("rnn", rnn);
            arena_free(&rnn_arena);
            arena_free(&body_arena);
        }
}

/* Divisions of a program. */
static int divisions(Graph *g)
{
    Arena a;
    const Program *p = fused(&a, g);
    int n = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) {
            const Stmt *s = &p->kernels[k].stmts[v];
            n += s->kind == ST_OP && s->op == OP_DIV;
        }
    arena_free(&a);
    return n;
}

/* A solver's coefficients, c' = 3 / (c + e), beside its rows, x' = x / c: each step's are computed once, and
 * loaded by the rows, unless nobody wants all of them. `end`: the last e comes from another array, so that
 * the steps are two pieces. */
static int divisions_of_solver(bool reverse, bool end, uint32_t results)
{
    GRAPH(body);
    Ref c = build_param(body, F32()), x = build_param(body, F32(100)), e = build_param(body, F32()),
        next = build_binary(body, OP_DIV, build_number(body, WEFT_F32, 3), build_binary(body, OP_ADD, c, e));
    Ref row = build_binary(body, OP_DIV, x, along(body, next, 0, 100));
    graph_set_outputs(body, (Ref[]){ next, row, next }, results);
    GRAPH(solver);
    Ref start = build_param(solver, F32()), rows = build_param(solver, F32(100)), out[3],
        all = build_param(solver, F32(20));
    if (end) {
        Ref part[] = { build_param(solver, F32(19)), build_param(solver, F32(1)) };
        all = build_concatenate(solver, part, 2, 0);
    }
    build_scan(solver, (ScanShape){ 20, reverse, 1, 0, 2, 1, 0 }, body, (Ref[]){ start, rows, all }, out);
    graph_set_outputs(solver, out, results);
    run("solver", solver);
    int n = divisions(solver);
    arena_free(&solver_arena);
    arena_free(&body_arena);
    return n;
}
Test(fuse, coefficients)
{
    for (int reverse = 0; reverse < 2; reverse++)
        for (int end = 0; end < 2; end++)
            for (uint32_t results = 2; results < 4; results++) {
                int n = divisions_of_solver(reverse, end, results);
                cr_expect(end || n == 3 - (results == 3), "%d results: %d", results, n);
            }
}

/* Carries that change places, one that stays, one that is overwritten and one that starts from a constant;
 * some results are equal to other results. */
Test(fuse, carries)
{
    for (int64_t length = 1; length < 5; length++) {
        GRAPH(body);
        Ref a = build_param(body, F32(3)), b = build_param(body, F32(3)), same = build_param(body, F32(3)),
            n = build_param(body, F32());
        Ref more = build_binary(body, OP_ADD, n, build_number(body, WEFT_F32, 1));
        graph_set_outputs(body, (Ref[]){ b, build_binary(body, OP_ADD, a, b), same, more, a, more }, 6);
        GRAPH(turns);
        Ref p = build_param(turns, F32(3)), q = build_param(turns, F32(3)), out[6];
        build_scan(turns, (ScanShape){ length, false, 1, 0, 4, 0, 0 }, body,
                   (Ref[]){ p, q, p, build_number(turns, WEFT_F32, 7) }, out);
        graph_set_outputs(turns, (Ref[]){ out[0], out[1], out[2], out[3], out[4], out[5], p, out[2], out[4] },
                          9);
        run("turns", turns);
        arena_free(&turns_arena);
        arena_free(&body_arena);
    }
}

/* A condition on a sum; a body with a nested scan; zero iterations too. */
Test(fuse, whiles)
{
    for (int limit = 0; limit < 60; limit += 29) {
        GRAPH(inner);
        Ref s = build_param(inner, F32(4)), e = build_param(inner, F32());
        graph_set_outputs(
            inner,
            (Ref[]){ build_binary(inner, OP_ADD, s, along(inner, e, 0, 4)), reduce(inner, OP_MAX, s, 0) }, 2);
        GRAPH(cond);
        build_param(cond, F32(3));
        Ref c0 = build_param(cond, F32(4)), least = build_number(cond, WEFT_F32, limit);
        build_param(cond, F32(3));
        graph_set_outputs(cond,
                          (Ref[]){ build_compare(
                              cond, CMP_LT, reduce(cond, OP_ADD, build_unary(cond, OP_ABS, c0), 0), least) },
                          1);
        GRAPH(body);
        Ref inv = build_param(body, F32(3)), c1 = build_param(body, F32(4)), out[2];
        build_param(body, F32(3));
        build_scan(body, (ScanShape){ 3, true, 1, 0, 1, 1, 0 }, inner,
                   (Ref[]){ c1, build_unary(body, OP_ABS, inv) }, out);
        graph_set_outputs(body, (Ref[]){ build_binary(body, OP_ADD, out[0], splat(body, c1, 2)), out[1] }, 2);
        GRAPH(loop);
        Ref x = build_param(loop, F32(3)), y = build_param(loop, F32(4)), last[2];
        build_while(loop, cond, body, (Ref[]){ x, y, build_unary(loop, OP_EXP, x) }, 1, 2, last);
        graph_set_outputs(loop, (Ref[]){ last[0], build_unary(loop, OP_NEG, last[1]) }, 2);
        run("loop", loop);
        arena_free(&loop_arena);
        arena_free(&body_arena);
        arena_free(&cond_arena);
        arena_free(&inner_arena);
    }
}

/* Three branches, one of them a loop; every index, and those outside; inside a scan whose carry they
 * change. */
Test(fuse, cases)
{
    GRAPH(neg);
    Ref a0 = build_param(neg, F32(6));
    graph_set_outputs(neg, (Ref[]){ build_unary(neg, OP_NEG, a0), reduce(neg, OP_ADD, a0, 0) }, 2);
    GRAPH(keep);
    Ref a1 = build_param(keep, F32(6));
    graph_set_outputs(keep, (Ref[]){ a1, build_number(keep, WEFT_F32, 3) }, 2);
    GRAPH(inner);
    Ref s = build_param(inner, F32(6));
    graph_set_outputs(inner, (Ref[]){ build_reverse(inner, build_binary(inner, OP_ADD, s, s), DIMS(0), 1) },
                      1);
    GRAPH(turn);
    Ref a2 = build_param(turn, F32(6)), turned;
    build_scan(turn, (ScanShape){ 3, false, 1, 0, 1, 0, 0 }, inner, &a2, &turned);
    graph_set_outputs(turn, (Ref[]){ turned, reduce(turn, OP_MAX, turned, 0) }, 2);
    GRAPH(body);
    Ref c = build_param(body, F32(6)), i = build_param(body, (Type){ WEFT_I32, 0, NULL }), out[2];
    build_case(body, i, (const Graph *[]){ neg, keep, turn }, 3, &c, 1, out);
    graph_set_outputs(body, (Ref[]){ build_binary(body, OP_MUL, out[0], splat(body, out[0], 0.5)), out[1] },
                      2);
    GRAPH(choices);
    Ref x = build_param(choices, F32(6)), last[2],
        which = build_constant(choices, (Type){ WEFT_I32, 1, DIMS(6) }, (int32_t[]){ 0, 1, 2, -5, 3, 0 });
    build_scan(choices, (ScanShape){ 6, false, 1, 0, 1, 1, 0 }, body, (Ref[]){ x, which }, last);
    graph_set_outputs(choices, last, 2);
    run("choices", choices);
    arena_free(&choices_arena);
    arena_free(&body_arena);
    arena_free(&turn_arena);
    arena_free(&inner_arena);
    arena_free(&keep_arena);
    arena_free(&neg_arena);
}

/* ---- what an iteration costs ---- */

/* inside: kernels in step loops; most_stored: the most elements that one STORE there writes */
typedef struct Cost {
    uint32_t kernels, inside, swaps;
    size_t scratch;
    int64_t most_stored;
} Cost;

static Cost cost_of(Graph *g)
{
    Arena arena;
    arena_open(&arena);
    Program *p = fuse(&arena, g, &wide, MODE_DEFAULT, 0);
    Cost c = { .kernels = p->n_kernels, .scratch = p->scratch_bytes };
    int depth = 0;
    if (getenv("WEFT_SHOW")) printf("%s\n", program_print(&arena, p));
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        depth += s->kind == STEP_LOOP || s->kind == STEP_WHILE                  ? 1
                 : s->kind == STEP_END && p->steps[s->opened].kind != STEP_CASE ? -1
                                                                                : 0;
        c.swaps += s->kind == STEP_SWAP;
        c.inside += depth && s->kind == STEP_KERNEL;
        int64_t runs = 1;
        for (uint32_t k = 0; depth && s->kind == STEP_KERNEL && k < p->kernels[s->kernel].n_stmts; k++) {
            const Stmt *t = &p->kernels[s->kernel].stmts[k];
            if (t->kind == ST_LOOP) runs *= t->extent;
            if (t->kind == ST_END) runs /= p->kernels[s->kernel].stmts[t->args[0]].extent;
            if (t->kind == ST_STORE && runs > c.most_stored) c.most_stored = runs;
        }
    }
    arena_free(&arena);
    return c;
}

/* Each step sets one row of the result, chosen by the step's number and computed from a carry in memory.
 * Only that row is written, in place. */
Test(fuse, slices_are_set_in_place)
{
    GRAPH(body);
    Ref w = build_param(body, F32(8, 8)), i = build_param(body, (Type){ WEFT_I32, 0, NULL }),
        table = build_param(body, F32(50, 8)), h = build_param(body, F32(8));
    Ref zero = build_number(body, WEFT_I32, 0), next = weights(body, w, h);
    Ref row =
        build_reshape(body, build_dynamic_slice(body, table, (Ref[]){ i, zero }, DIMS(1, 8)), DIMS(8), 1);
    row = build_reshape(body, build_binary(body, OP_ADD, row, next), DIMS(1, 8), 2);
    graph_set_outputs(body,
                      (Ref[]){ build_binary(body, OP_ADD, i, build_number(body, WEFT_I32, 1)),
                               build_dynamic_update_slice(body, table, row, (Ref[]){ i, zero }), next },
                      3);
    GRAPH(loop);
    Ref out[3], a = build_param(loop, F32(8, 8)), b = build_param(loop, F32(50, 8)),
                c = build_param(loop, F32(8));
    build_scan(loop, (ScanShape){ 10, false, 1, 1, 3, 0, 0 }, body,
               (Ref[]){ a, build_number(loop, WEFT_I32, 3), b, c }, out);
    graph_set_outputs(loop, out + 1, 2);
    run("loop", loop);
    Cost cost = cost_of(loop);
    cr_expect(cost.most_stored <= 64, "%lld elements stored in a step", (long long)cost.most_stored);
    cr_expect(cost.swaps == 1 && cost.scratch <= 512, "%u swaps, %zu bytes", cost.swaps, cost.scratch);
    arena_free(&loop_arena);
    arena_free(&body_arena);
}

/* What rows become, made of themselves: of the other end of each, of each other, of all of each. */
static Ref backwards(Graph *g, Ref w, Ref rows)
{
    (void)w;
    return build_reverse(g, rows, DIMS(1), 1);
}

static Ref turned(Graph *g, Ref w, Ref rows) { return dot(g, w, rows, 1, 0); }

static Ref exchanged(Graph *g, Ref w, Ref rows)
{
    (void)w;
    return build_binary(g, OP_SUB, build_unary(g, OP_NEG, rows), build_reverse(g, rows, DIMS(0), 1));
}

static Ref shares(Graph *g, Ref w, Ref rows)
{
    (void)w;
    Ref e = build_unary(g, OP_EXP, rows);
    return build_binary(g, OP_DIV, e, along(g, reduce(g, OP_ADD, e, 1), 1, 8));
}

/* Rows of a carry that are made of the elements that they replace: they are computed apart, and then written
 * in place. The other rows are not copied. */
Test(fuse, rows_are_made_of_themselves_in_place)
{
    static const struct {
        const char *what;
        Ref (*of)(Graph *, Ref w, Ref rows);
    } cases[] = {
        { "backwards", backwards }, { "turned", turned }, { "exchanged", exchanged }, { "shares", shares }
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        GRAPH(body);
        Ref w = build_param(body, F32(2, 2)), i = build_param(body, (Type){ WEFT_I32, 0, NULL }),
            table = build_param(body, F32(50, 8)), zero = build_number(body, WEFT_I32, 0);
        Ref rows = build_dynamic_slice(body, table, (Ref[]){ i, zero }, DIMS(2, 8));
        graph_set_outputs(body,
                          (Ref[]){ build_binary(body, OP_ADD, i, build_number(body, WEFT_I32, 1)),
                                   build_dynamic_update_slice(body, table, cases[k].of(body, w, rows),
                                                              (Ref[]){ i, zero }) },
                          2);
        GRAPH(loop);
        Ref out[2], a = build_param(loop, F32(2, 2)), b = build_param(loop, F32(50, 8));
        build_scan(loop, (ScanShape){ 10, false, 1, 1, 2, 0, 0 }, body,
                   (Ref[]){ a, build_number(loop, WEFT_I32, 3), b }, out);
        graph_set_outputs(loop, out + 1, 1);
        run(cases[k].what, loop);
        Cost cost = cost_of(loop);
        cr_expect(cost.most_stored <= 16, "%s: %lld elements stored in a step", cases[k].what,
                  (long long)cost.most_stored);
        cr_expect(cost.swaps == 0 && cost.scratch <= 256, "%s: %u swaps, %zu bytes", cases[k].what,
                  cost.swaps, cost.scratch);
        arena_free(&loop_arena);
        arena_free(&body_arena);
    }
}

/* A long product with a matrix that does not change: it is packed once, before the loop. The carry's two
 * buffers swap names, and the loop needs no kernel for its start. */
Test(fuse, invariants_leave_the_loop)
{
    GRAPH(body);
    Ref w = build_param(body, F32(48, 48)), h = build_param(body, F32(40, 48)),
        x = build_param(body, F32(48));
    Ref next = build_binary(body, OP_ADD,
                            build_unary(body, OP_TANH, dot(body, h, build_unary(body, OP_EXP, w), 1, 1)),
                            along(body, x, 0, 40));
    graph_set_outputs(body, &next, 1);
    GRAPH(loop);
    Ref a = build_param(loop, F32(48, 48)), b = build_param(loop, F32(40, 48)),
        c = build_param(loop, F32(5, 48)), out;
    build_scan(loop, (ScanShape){ 5, false, 1, 1, 1, 1, 0 }, body, (Ref[]){ a, b, c }, &out);
    graph_set_outputs(loop, &out, 1);
    run("loop", loop);
    Cost cost = cost_of(loop);
    cr_expect(cost.inside == 1 && cost.kernels >= 3, "%u of %u kernels in the loop", cost.inside,
              cost.kernels);
    arena_free(&loop_arena);
    arena_free(&body_arena);
}

/* Short columns are summed by several independent accumulators; the remainder of the loop feeds the first. */
Test(fuse, sums_beside_each_other)
{
    for (int64_t rows = 3; rows < 14; rows += 1 + rows % 4)
        for (int64_t columns = 5; columns < 50; columns += 6) {
            GRAPH(sums);
            Ref x = build_param(sums, F32(rows, columns));
            Ref s = reduce(sums, OP_ADD,
                           build_binary(sums, OP_MUL, x, build_iota(sums, F32(rows, columns), 0)), 0);
            graph_set_outputs(sums, &s, 1);
            float in[17 * 70], out[70];
            for (int i = 0; i < rows * columns; i++) in[i] = (float)(i % 64);
            Failure f = { 0 };
            Code *code = compile_graph(sums, &(CompileOptions){ .mode = MODE_DEFAULT }, &heap, &f);
            cr_assert(code, "%s", f.text);
            void *scratch = aligned_alloc(64, (code->scratch_bytes + 64) & ~(size_t)63);
            code->entry((const void *[]){ in }, (void *[]){ out }, scratch, code->consts, &workers_alone);
            for (int64_t j = 0; j < columns; j++) {
                float want = 0;
                for (int64_t i = 0; i < rows; i++) want += in[i * columns + j] * (float)i;
                cr_assert(out[j] == want, "%lld x %lld, %lld: %g, not %g", (long long)rows,
                          (long long)columns, (long long)j, out[j], want);
            }
            free(scratch);
            code_free(code, &heap);
            arena_free(&sums_arena);
        }
}

/* A wave carries two steps: the memory of the older takes the next one. Then three carries that rotate,
 * one of them computed from a neighbour, and two that change places. */
Test(fuse, carries_go_round)
{
    for (int64_t length = 1; length < 6; length++) {
        GRAPH(body);
        Ref u = build_param(body, F32(40)), v = build_param(body, F32(40)), one = splat(body, v, 0.25);
        Ref around =
            build_binary(body, OP_ADD,
                         build_concatenate(body,
                                           (Ref[]){ build_slice(body, v, DIMS(1), DIMS(40), DIMS(1)),
                                                    build_slice(body, v, DIMS(0), DIMS(1), DIMS(1)) },
                                           2, 0),
                         v);
        graph_set_outputs(
            body, (Ref[]){ v, build_binary(body, OP_SUB, build_binary(body, OP_MUL, around, one), u) }, 2);
        GRAPH(wave);
        Ref p = build_param(wave, F32(40)), q = build_param(wave, F32(40)), out[4];
        build_scan(wave, (ScanShape){ length, false, 1, 0, 2, 0, 0 }, body, (Ref[]){ p, q }, out);
        graph_set_outputs(wave, out, 2);
        run("wave", wave);
        Cost cost = cost_of(wave);
        cr_expect(cost.inside == 1 && cost.swaps == 1 && cost.scratch == 2 * 192,
                  "%u kernels, %u swaps, %zu bytes", cost.inside, cost.swaps, cost.scratch);
        GRAPH(rest);
        Ref a = build_param(rest, F32(9)), b = build_param(rest, F32(9)), c = build_param(rest, F32(9)),
            d = build_param(rest, F32(9));
        (void)a;
        graph_set_outputs(rest, (Ref[]){ b, c, build_reverse(rest, b, DIMS(0), 1), d }, 4);
        GRAPH(round);
        Ref in[4];
        for (int i = 0; i < 4; i++) in[i] = build_param(round, F32(9));
        build_scan(round, (ScanShape){ length, false, 1, 0, 4, 0, 0 }, rest, in, out);
        graph_set_outputs(round, out, 4);
        run("round", round);
        arena_free(&round_arena);
        arena_free(&rest_arena);
        arena_free(&wave_arena);
        arena_free(&body_arena);
    }
}

/* Of an unsigned number with its top bit an arithmetic shift is another large one, which a limit is for. */
Test(fuse, shifts_fill_with_the_top_bit)
{
    for (int right = 1; right < 16; right += 7) {
        GRAPH(limited);
        Type t = { WEFT_U16, 1, DIMS(40) };
        Ref x = build_unary(limited, OP_NOT, build_param(limited, t)),
            high = build_binary(limited, OP_SHR_ARITH, x, build_splat(limited, t, (uint64_t)right));
        GIVES(limited, build_binary(limited, OP_MIN, high, build_splat(limited, t, 65535u >> right)));
        run("limited", limited);
        arena_free(&limited_arena);
    }
}
