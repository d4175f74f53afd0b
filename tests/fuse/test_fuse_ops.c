/* test_fuse_ops.c: fused programs of ops with regions - control flow an element at a time, or by steps -,
 * of foreign functions and barriers, against eager mode: by the interpreter of programs, and compiled. */
#include "compiler/fuse/memory/alias.h"
#include "compiler/graph/foreign_op.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/passes/simplify.h"
#include "compiler/vmap/vmap.h"
#include "tests/graphs/control_programs.h"
#include "tests/fuse/fuse_words.h"
#include "tests/support/long_run.h"
#include <math.h>
#include <string.h>

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

/* ---- programs with control flow, as they are and as batches: each set of mapped parameters ----
 * (Simplified or not: in a long run, both; else in turn.) */

Test(fuse_ops, control_programs, .timeout = 300)
{
    for (size_t i = 0; i < N_CONTROL_PROGRAMS; i++) {
        if (control_programs[i].op == OP_SELECT_AND_SCATTER || control_programs[i].op == OP_RNG_BITS)
            continue;
        GRAPH(whole);
        const Graph *program = inline_rules(&whole_arena, control_programs[i].make(&whole_arena), NULL);
        fuse_compare(control_programs[i].name, simplify(&whole_arena, program));
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
            bool simplified = (i + mapped) % 2;
            if (!simplified || long_run()) fuse_compare(control_programs[i].name, batch);
            if (simplified || long_run())
                fuse_compare(control_programs[i].name, simplify(&whole_arena, batch));
        }
        (void)whole;
        arena_free(&whole_arena);
    }
}

/* A map whose region sorts, so that no kernel can compute it element by element. */
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
static const ForeignOp weighing = { "weigh", weigh, false, false, &weighed };

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
    /* operands and results that are fused with their neighbours, that are parameters or outputs, that are
     * constant or indices, and that nobody uses */
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
        fuse_compare(reverse ? "reverse scan" : "scan", scan);
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
        GRAPH(body_of); /* in registers if the loop is in registers, else in memory */
        REGION(body_of, body, F32(40), F32(40), F32(40));
        Ref p[3], out[3];
        build_barrier(
            body, (Ref[]){ body->params[1], body->params[0], mul(body, body->params[1], body->params[2]) }, 3,
            p);
        Ref next = add(body, p[0], p[1]);
        if (!scalar)
            next = add(body, next, spread(body, build_reduce(body, OP_MAX, p[0], DIMS(0), 1), F32(40)));
        GIVES(body, next, p[2], p[0]);
        Ref w = build_param(body_of, F32(40)), h = build_param(body_of, F32(40)),
            xs = build_param(body_of, F32(4, 40));
        build_scan(body_of, (ScanShape){ 4, false, 1, 1, 1, 1, 0 }, body, (Ref[]){ w, h, xs }, out);
        GIVES(body_of, out[0], out[1], out[2]);
        Arena arena;
        Program *program = fused(&arena, body_of);
        cr_assert(steps_of_kind(program, STEP_LOOP) == !scalar, "%s", program_print(&arena, program));
        arena_free(&arena);
        fuse_compare(scalar ? "in registers" : "in memory", body_of);
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

/* Two segments of a chain whose values are needed again in reverse order. Computed again behind barriers,
 * the second segment uses the memory that the first has given back. */
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
        fuse_compare("chain", chain);
        arena_free(&chain_arena);
    }
    cr_assert(bytes[0] > SEGMENTS * LINKS * 4000 && bytes[1] < (SEGMENTS + LINKS + 3) * 4096,
              "%zu and %zu bytes", bytes[0], bytes[1]);
}

/* Running sums of running sums: each is written where the one before it lay, for it reads an element just
 * before it writes that; one that reads its operand's mirror image needs room beside it. */
Test(fuse, memory_in_turn)
{
    enum { SUMS = 5 };
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        GRAPH(sums);
        int64_t axis = 0;
        Ref x = build_param(sums, F32(1000));
        for (int i = 0; i < SUMS; i++) {
            if (mirrored) x = build_reverse(sums, x, &axis, 1);
            x = build_cumulative(sums, OP_ADD, mul(sums, x, spread(sums, f(sums, 0.5), F32(1000))), 0, false);
        }
        GIVES(sums, x);
        Arena arena;
        size_t bytes = fused(&arena, sums)->scratch_bytes;
        arena_free(&arena);
        cr_expect(bytes == (mirrored ? 2 : 1) * 4032, "mirrored %d: %zu bytes", mirrored, bytes);
        fuse_compare("sums", sums);
        arena_free(&sums_arena);
    }
}
