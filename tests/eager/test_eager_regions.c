/* test_eager_regions.c: ops with regions, positions from data, prefixes, order and random bits, in eager
 * mode: against loops written out here, against values that JAX 0.10.2 printed, and with memory refused at
 * every call. */
#include <criterion/criterion.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/comparator.h"
#include "tests/support/graph_suite.h"
#include "runtime/eager/eager.h"

TestSuite(eager_regions, .init = open_arena, .fini = close_arena);

/* Runs g; then again with each allocation refused in turn: an error, and nothing held. */
static void run(const Graph *g, const void *const *in, void *const *out)
{
    Failure f = { .code = WEFT_OK };
    Counter counter = { 0 };
    Allocator allocator = { counter_resize, &counter };
    cr_assert(g->failure.code == WEFT_OK, "%s", g->failure.text);
    for (long k = 1; k < 40; k++) {
        counter = (Counter){ .fail_at = k };
        Failure refused = { .code = WEFT_OK };
        bool ok = eager_graph(g, in, out, &allocator, &refused);
        cr_assert(counter.live == 0, "%zu bytes held after call %ld was refused", counter.live, k);
        cr_assert(ok == (counter.calls < k), "call %ld of %ld", k, counter.calls);
        if (!ok) cr_assert(refused.code == WEFT_MEMORY);
    }
    counter = (Counter){ 0 };
    cr_assert(eager_graph(g, in, out, &allocator, &f), "%s", f.text);
    cr_assert(counter.live == 0);
}

static Type shape(DType t, int rank, const int64_t *dim) { return (Type){ (uint8_t)t, (uint8_t)rank, dim }; }
static Type scalar(DType t) { return shape(t, 0, NULL); }

/* A region of two scalars: op of them, or the second alone. */
static Graph *monoid(Op op, DType t)
{
    Graph *g = graph_new(&arena, NULL);
    Ref a = build_param(g, scalar(t)), b = build_param(g, scalar(t)),
        r = op == OP_RESULT ? b : build_binary(g, op, a, b);
    graph_set_outputs(g, &r, 1);
    return g;
}

static Graph *comparator(DType t, CompareDir dir, int n)
{
    Graph *g = graph_new(&arena, NULL);
    Ref p[16];
    for (int i = 0; i < 2 * n; i++) p[i] = build_param(g, scalar(t));
    Ref r = build_compare(g, dir, p[0], p[1]);
    graph_set_outputs(g, &r, 1);
    return g;
}

static float numbers[4096];
static uint32_t seed = 1;
static uint32_t next_number(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }
static float *fill(size_t n)
{
    for (size_t i = 0; i < n; i++) numbers[i] = (float)(int)(next_number() % 41 - 20) / 4;
    return numbers;
}

#define PARAM(g, t, ...) \
    build_param(g, shape(t, (int)(sizeof(int64_t[]){ __VA_ARGS__ } / 8), (int64_t[]){ __VA_ARGS__ }))

/* ---- control flow ---- */

Test(eager_regions, scan_carries_and_stacks)
{
    for (int reverse = 0; reverse < 2; reverse++)
        for (int64_t length = 0; length < 5; length++) {
            Graph *b = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
            Ref k = build_param(b, scalar(WEFT_F32)), c = build_param(b, scalar(WEFT_F32)),
                last = build_param(b, scalar(WEFT_F32));
            Ref x = PARAM(b, WEFT_F32, 2);
            Ref s = build_reduce(b, OP_ADD, x, (int64_t[]){ 0 }, 1),
                y = build_binary(b, OP_ADD, build_binary(b, OP_MUL, k, c), s);
            /* the second carry is the first's old value; one output is an input, one an invariant */
            graph_set_outputs(b, (Ref[]){ y, c, x, k }, 4);
            (void)last;
            Ref args[] = { build_param(g, scalar(WEFT_F32)), build_param(g, scalar(WEFT_F32)),
                           build_param(g, scalar(WEFT_F32)), PARAM(g, WEFT_F32, length, 2) },
                out[4];
            cr_assert(build_scan(g, (ScanShape){ length, reverse, 1, 1, 2, 1, 0 }, b, args, out), "%s",
                      g->failure.text);
            graph_set_outputs(g, out, 4);
            float xs[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, half = 0.5f, start = 3, old = 9, carry, second,
                  copied[8] = { 0 }, ks[4] = { 0 };
            run(g, (const void *[]){ &half, &start, &old, xs }, (void *[]){ &carry, &second, copied, ks });
            float want = 3, before = 9;
            for (int64_t i = 0; i < length; i++) {
                int64_t at = reverse ? length - 1 - i : i;
                before = want;
                want = 0.5f * want + (xs[2 * at] + xs[2 * at + 1]);
            }
            cr_assert(carry == want && second == before, "length %d: %g %g, not %g %g", (int)length, carry,
                      second, want, before);
            for (int64_t i = 0; i < length; i++)
                cr_assert(copied[2 * i] == xs[2 * i] && copied[2 * i + 1] == xs[2 * i + 1] && ks[i] == 0.5f);
        }
}

/* while i < n: i += 1, swap a and b */
Test(eager_regions, while_asks_each_time)
{
    Graph *cond = graph_new(&arena, NULL), *body = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
    Ref pc[4], pb[4], pg[4], out[3];
    for (int i = 0; i < 4; i++)
        pc[i] = build_param(cond, scalar(WEFT_I32)), pb[i] = build_param(body, scalar(WEFT_I32)),
        pg[i] = build_param(g, scalar(WEFT_I32));
    Ref less = build_compare(cond, CMP_LT, pc[1], pc[0]);
    graph_set_outputs(cond, &less, 1);
    graph_set_outputs(
        body, (Ref[]){ build_binary(body, OP_ADD, pb[1], build_number(body, WEFT_I32, 1)), pb[3], pb[2] }, 3);
    cr_assert(build_while(g, cond, body, pg, 1, 3, out), "%s", g->failure.text);
    graph_set_outputs(g, out, 3);
    for (int32_t n = -1; n < 5; n++) {
        int32_t i = 0, a = 10, b = 20, r[3];
        run(g, (const void *[]){ &n, &i, &a, &b }, (void *[]){ &r[0], &r[1], &r[2] });
        bool odd = n > 0 && n % 2;
        cr_assert(r[0] == (n > 0 ? n : 0) && r[1] == (odd ? 20 : 10) && r[2] == (odd ? 10 : 20),
                  "n %d: %d %d %d", n, r[0], r[1], r[2]);
    }
}

Test(eager_regions, case_takes_the_last_branch_for_any_other_index)
{
    Graph *g = graph_new(&arena, NULL);
    const Graph *branches[3];
    for (int k = 0; k < 3; k++) {
        Graph *b = graph_new(&arena, NULL);
        Ref x = PARAM(b, WEFT_F32, 3),
            r = build_binary(b, OP_ADD, x, build_splat(b, graph_type(b, x), scalar_from_double(WEFT_F32, k)));
        graph_set_outputs(b, (Ref[]){ r, x }, 2);
        branches[k] = b;
    }
    Ref index = build_param(g, scalar(WEFT_I32)), x = PARAM(g, WEFT_F32, 3), out[2];
    cr_assert(build_case(g, index, branches, 3, &x, 1, out), "%s", g->failure.text);
    graph_set_outputs(g, out, 2);
    for (int32_t i = -2; i < 5; i++) {
        float in[3] = { 1, 2, 3 }, r[3], same[3];
        run(g, (const void *[]){ &i, in }, (void *[]){ r, same });
        cr_assert(r[2] == 3 + (float)(i < 0 || i > 2 ? 2 : i) && same[1] == 2);
    }
}

/* Elementwise regions run on blocks, others element by element: here with a loop inside. */
Test(eager_regions, map_of_a_map_and_of_a_loop)
{
    for (int looped = 0; looped < 2; looped++) {
        Graph *inner = graph_new(&arena, NULL), *region = graph_new(&arena, NULL),
              *g = graph_new(&arena, NULL);
        Ref x = build_param(inner, scalar(WEFT_F32)), square = build_unary(inner, OP_SQUARE, x),
            a = build_param(region, scalar(WEFT_F32)), b = a;
        graph_set_outputs(inner, &square, 1);
        if (looped) cr_assert(build_scan(region, (ScanShape){ 2, false, 1, 0, 1, 0, 0 }, inner, &a, &b));
        Ref r = build_binary(region, OP_ADD, b, build_number(region, WEFT_F32, 1)),
            m = PARAM(g, WEFT_F32, 7, 99), out;
        graph_set_outputs(region, &r, 1);
        cr_assert(build_map(g, &m, 1, graph_type(g, m), region, &out), "%s", g->failure.text);
        graph_set_outputs(g, &out, 1);
        float got[693], *in = fill(693);
        run(g, (const void *[]){ in }, (void *[]){ got });
        for (int i = 0; i < 693; i++)
            cr_assert(got[i] == (looped ? in[i] * in[i] * (in[i] * in[i]) : in[i]) + 1);
    }
}

/* ---- positions from data ---- */

Test(eager_regions, dynamic_slices_clamp)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = PARAM(g, WEFT_F32, 5), i = build_param(g, scalar(WEFT_I64)), u = PARAM(g, WEFT_F32, 2);
    Ref s = build_dynamic_slice(g, x, &i, (int64_t[]){ 2 }), t = build_dynamic_update_slice(g, x, u, &i);
    graph_set_outputs(g, (Ref[]){ s, t }, 2);
    float in[] = { 0, 1, 2, 3, 4 }, update[] = { 8, 9 }, cut[2], all[5];
    for (int64_t at = -2; at < 8; at++) {
        int64_t p = at < 0 ? 0 : at > 3 ? 3 : at;
        run(g, (const void *[]){ in, &at, update }, (void *[]){ cut, all });
        cr_assert(cut[0] == (float)p && cut[1] == (float)(p + 1));
        for (int k = 0; k < 5; k++) cr_assert(all[k] == (k == p ? 8 : k == p + 1 ? 9 : (float)k));
    }
}

/* Windows of 2 along a row of 6, at given rows and columns: those not wholly inside are dropped; duplicates
 * meet in order. */
Test(eager_regions, scatter_of_windows)
{
    static const Op ops[] = { OP_ADD, OP_MUL, OP_MAX, OP_SUB, OP_RESULT };
    for (int k = 0; k < 5; k++) {
        Graph *g = graph_new(&arena, NULL);
        Ref x = PARAM(g, WEFT_F32, 4, 6), ix = PARAM(g, WEFT_I32, 5, 2), u = PARAM(g, WEFT_F32, 5, 2);
        int64_t attr[] = { 1, 1, 0, 2, 1, 0, 0, 1, 0, 0, 1 };
        Ref r = graph_add(g, &(NodeSpec){ .op = OP_SCATTER,
                                          .args = (Ref[]){ x, ix, u },
                                          .n_args = 3,
                                          .attr = attr,
                                          .n_attr = 11,
                                          .region = monoid(ops[k], WEFT_F32) });
        graph_set_outputs(g, &r, 1);
        int32_t at[10] = { 1, 2, 3, 5, 1, 3, -1, 0, 3, 4 };
        float in[24], want[24], got[24], update[10];
        memcpy(in, fill(24), sizeof in);
        memcpy(update, fill(10), sizeof update);
        memcpy(want, in, sizeof in);
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 2; j++) {
                int row = at[2 * i], col = at[2 * i + 1];
                if (row < 0 || row > 3 || col < 0 || col > 4) continue;
                float *to = &want[row * 6 + col + j], v = update[2 * i + j];
                *to = k == 0 ? *to + v : k == 1 ? *to * v : k == 2 ? fmaxf(*to, v) : k == 3 ? *to - v : v;
            }
        run(g, (const void *[]){ in, at, update }, (void *[]){ got });
        cr_assert(!memcmp(got, want, sizeof got), "op %d", k);
    }
}

/* ---- windows ---- */

static Ref window_op(Graph *g, Op op, const Ref *args, uint32_t n_args, const int64_t *attr, uint32_t n_attr,
                     const Graph *const *regions, uint32_t n_regions)
{
    return graph_add(g, &(NodeSpec){ .op = op,
                                     .args = args,
                                     .n_args = n_args,
                                     .attr = attr,
                                     .n_attr = n_attr,
                                     .regions = regions,
                                     .n_regions = n_regions });
}

/* Every stride, dilation and padding of a few, along both axes, with a fold that is not commutative and whose
 * start counts. */
Test(eager_regions, windows)
{
    for (int c = 0; c < 200; c++) {
        int64_t attr[12], out_dim[2];
        for (int i = 0; i < 2; i++) {
            attr[i] = 1 + next_number() % 3, attr[2 + i] = 1 + next_number() % 3,
            attr[4 + i] = 1 + next_number() % 3, attr[6 + i] = 1 + next_number() % 2;
            attr[8 + i] = (int64_t)(next_number() % 5) - 1, attr[10 + i] = (int64_t)(next_number() % 5) - 1;
        }
        Graph *g = graph_new(&arena, NULL);
        const Graph *region = monoid(OP_SUB, WEFT_F32);
        Ref r = window_op(g, OP_REDUCE_WINDOW,
                          (Ref[]){ PARAM(g, WEFT_F32, 5, 4), build_param(g, scalar(WEFT_F32)) }, 2, attr, 12,
                          &region, 1);
        cr_assert(r != REF_NONE, "%s", g->failure.text);
        graph_set_outputs(g, &r, 1);
        for (int i = 0; i < 2; i++) out_dim[i] = graph_type(g, r).dim[i];
        float in[20], start = 2.5f, got[1024];
        memcpy(in, fill(20), sizeof in);
        cr_assert(out_dim[0] * out_dim[1] <= 1024);
        run(g, (const void *[]){ in, &start }, (void *[]){ got });
        for (int64_t y = 0; y < out_dim[0]; y++)
            for (int64_t x = 0; x < out_dim[1]; x++) {
                float want = start;
                for (int64_t i = 0; i < attr[0]; i++)
                    for (int64_t j = 0; j < attr[1]; j++) {
                        int64_t p = y * attr[2] + i * attr[6] - attr[8],
                                q = x * attr[3] + j * attr[7] - attr[9];
                        bool inside = p >= 0 && q >= 0 && p % attr[4] == 0 && q % attr[5] == 0 &&
                                      p / attr[4] < 5 && q / attr[5] < 4;
                        want -= inside ? in[p / attr[4] * 4 + q / attr[5]] : start;
                    }
                cr_assert(got[y * out_dim[1] + x] == want, "case %d", c);
            }
    }
}

/* The gradient of a max pool: 3 wide, 2 apart, one place of padding on both sides. */
Test(eager_regions, select_and_scatter)
{
    Graph *g = graph_new(&arena, NULL);
    const Graph *regions[] = { comparator(WEFT_F32, CMP_GE, 1), monoid(OP_ADD, WEFT_F32) };
    Ref r =
        window_op(g, OP_SELECT_AND_SCATTER,
                  (Ref[]){ PARAM(g, WEFT_F32, 6), PARAM(g, WEFT_F32, 3), build_param(g, scalar(WEFT_F32)) },
                  3, (int64_t[]){ 3, 2, 1, 1 }, 4, regions, 2);
    cr_assert(r != REF_NONE, "%s", g->failure.text);
    graph_set_outputs(g, &r, 1);
    float x[] = { 1, 5, 2, 2, 7, 7 }, source[] = { 10, 20, 30 }, start = 100, got[6],
          want[] = { 100, 130, 100, 100, 130, 100 };
    run(g, (const void *[]){ x, source, &start }, (void *[]){ got });
    cr_assert(!memcmp(got, want, sizeof want));
}

/* ---- prefixes ---- */

/* The order that eager.h lays down, element by element. */
static void prefix(float *x, int n, bool last, Op op)
{
    float carry = op == OP_ADD ? 0 : 1;
    for (int i = 0; i < n; i += last ? 16 : 1) {
        int m = !last ? 1 : n - i < 16 ? n - i : 16;
        for (int d = 1; d < m; d *= 2)
            for (int k = m; k-- > d;)
                x[i + k] = op == OP_ADD ? x[i + k - d] + x[i + k] : x[i + k - d] * x[i + k];
        for (int k = 0; k < m; k++) x[i + k] = op == OP_ADD ? carry + x[i + k] : carry * x[i + k];
        carry = x[i + m - 1];
    }
}

Test(eager_regions, prefixes)
{
    static const int lengths[] = { 0, 1, 2, 3, 15, 16, 17, 33, 100 };
    static const Op ops[] = { OP_ADD, OP_MUL };
    for (int c = 0; c < 9 * 2 * 2 * 2 * 2; c++) {
        int n = lengths[c / 16];
        Op op = ops[c & 1];
        bool reverse = c >> 1 & 1, last = c >> 2 & 1, narrow = c >> 3 & 1;
        int64_t dim[2] = { last ? 3 : n, last ? n : 3 };
        DType t = narrow ? WEFT_BF16 : WEFT_F32;
        Graph *g = graph_new(&arena, NULL);
        Ref x = build_param(g, shape(t, 2, dim)), r = build_cumulative(g, op, x, last, reverse);
        graph_set_outputs(g, &r, 1);
        float in[300], got[300];
        uint16_t in16[300], got16[300];
        for (int i = 0; i < 3 * n; i++) {
            in[i] = 1 + (float)(int)(next_number() % 2001 - 1000) / 3000;
            in16[i] = f32_to_bf16(in[i]);
            if (narrow) in[i] = bf16_to_f32(in16[i]);
        }
        run(g, (const void *[]){ narrow ? (void *)in16 : in }, (void *[]){ narrow ? (void *)got16 : got });
        for (int row = 0; row < 3; row++) {
            float line[100];
            for (int i = 0; i < n; i++) line[reverse ? n - 1 - i : i] = in[last ? row * n + i : i * 3 + row];
            prefix(line, n, last, op);
            for (int i = 0; i < n; i++) {
                float want = line[reverse ? n - 1 - i : i];
                int at = last ? row * n + i : i * 3 + row;
                cr_assert(narrow ? got16[at] == f32_to_bf16(want) : got[at] == want, "case %d, row %d, %d", c,
                          row, i);
            }
        }
    }
}

/* ---- order ---- */

/* What JAX writes for a float key: zeros are one zero, NaNs one NaN. */
static Ref canonical(Graph *g, Ref x, DType t)
{
    Ref zero = build_number(g, t, 0), z = build_select(g, build_compare(g, CMP_EQ, x, zero), zero, x);
    return build_select(g, build_compare(g, CMP_NE, x, x), build_number(g, t, NAN), z);
}

static Ref compare_total(Graph *g, CompareDir dir, Ref a, Ref b)
{
    return graph_add(g, &(NodeSpec){ .op = OP_COMPARE,
                                     .args = (Ref[]){ a, b },
                                     .n_args = 2,
                                     .attr = (int64_t[]){ dir, ORDER_TOTAL },
                                     .n_attr = 2 });
}

Test(eager_regions, comparators_that_are_orders)
{
    SortOrder o;
    Graph *g = graph_new(&arena, NULL);
    Ref p[6];
    for (int i = 0; i < 6; i++) p[i] = build_param(g, scalar(i < 2 ? WEFT_F32 : WEFT_I32));
    Ref a = canonical(g, p[0], WEFT_F32), b = canonical(g, p[1], WEFT_F32);
    Ref first = compare_total(g, CMP_LT, a, b), second = build_compare(g, CMP_GT, p[4], p[5]);
    Ref r = build_binary(g, OP_OR, first, build_binary(g, OP_AND, compare_total(g, CMP_EQ, a, b), second));
    graph_set_outputs(g, &r, 1);
    cr_assert(sort_recognize(g, &o) && o.n_keys == 2);
    cr_assert(o.key[0].operand == 0 && o.key[0].flags == (SORT_ZEROS_EQUAL | SORT_NANS_EQUAL));
    cr_assert(o.key[1].operand == 2 && o.key[1].flags == SORT_DESCENDING);
    r = build_select(g, build_compare(g, CMP_EQ, p[2], p[3]), first, build_compare(g, CMP_GT, p[3], p[2]));
    graph_set_outputs(g, &r, 1);
    cr_assert(sort_recognize(g, &o) && o.n_keys == 2 && o.key[0].operand == 1 && o.key[0].flags == 0 &&
              o.key[1].operand == 0);
    const Ref no[] = { build_compare(g, CMP_LE, p[2], p[3]), build_compare(g, CMP_LT, p[2], p[4]),
                       build_compare(g, CMP_LT, build_unary(g, OP_NEG, p[2]), p[3]),
                       compare_total(g, CMP_LT, a, p[1]), build_binary(g, OP_OR, first, second) };
    for (int i = 0; i < 5; i++) {
        graph_set_outputs(g, &no[i], 1);
        cr_assert(!sort_recognize(g, &o), "%d", i);
    }
}

/* By keys and by asking: |a| < |b| is not recognized; a <= b and "always" are no orders, and still give
 * permutations. */
Test(eager_regions, sort_asks_any_comparator)
{
    for (int kind = 0; kind < 4; kind++) {
        Graph *c = graph_new(&arena, NULL), *g = graph_new(&arena, NULL);
        Ref p[4], out[2];
        for (int i = 0; i < 4; i++) p[i] = build_param(c, scalar(i < 2 ? WEFT_F32 : WEFT_I32));
        Ref r = kind == 0 ? build_compare(c, CMP_LT, p[0], p[1])
                : kind == 1
                    ? build_compare(c, CMP_LT, build_unary(c, OP_ABS, p[0]), build_unary(c, OP_ABS, p[1]))
                : kind == 2 ? build_compare(c, CMP_LE, p[0], p[1])
                            : build_splat(c, scalar(WEFT_BOOL), 1);
        graph_set_outputs(c, &r, 1);
        Ref args[] = { PARAM(g, WEFT_F32, 3, 50, 2), PARAM(g, WEFT_I32, 3, 50, 2) };
        cr_assert(build_sort(g, args, 2, 1, true, c, out), "%s", g->failure.text);
        graph_set_outputs(g, out, 2);
        float in[300], x[300];
        int32_t place[300], at[300];
        memcpy(in, fill(300), sizeof in);
        for (int i = 0; i < 300; i++) place[i] = i;
        run(g, (const void *[]){ in, place }, (void *[]){ x, at });
        bool seen[300] = { false };
        for (int i = 0; i < 300; i++) {
            cr_assert(!seen[at[i]] && x[i] == in[at[i]] && at[i] % 2 == i % 2 && at[i] / 100 == i / 100);
            seen[at[i]] = true;
            if (i % 100 < 2 || kind > 1) continue;
            float before = kind ? fabsf(x[i - 2]) : x[i - 2], now = kind ? fabsf(x[i]) : x[i];
            cr_assert(before < now || (before == now && at[i - 2] < at[i]), "kind %d, %d", kind, i);
        }
    }
}

/* ---- random bits: lax.rng_bit_generator(key, shape, dtype, algorithm) on a CPU ---- */

Test(eager_regions, random_bits_are_those_of_jax)
{
    static const struct {
        int algorithm;
        DType t;
        int rank;
        int64_t dim[2];
        uint64_t next;
        uint64_t bits[9];
    } cases[] = {
        { 1,
          WEFT_U32,
          1,
          { 6 },
          6,
          { 0x5df433ec, 0x8617198e, 0x2c24a8a8, 0x9094fa5e, 0x91386643, 0x59491919 } },
        { 1, WEFT_U32, 1, { 5 }, 6, { 0x5df433ec, 0x8617198e, 0x2c24a8a8, 0x9094fa5e, 0x91386643 } },
        { 1,
          WEFT_U32,
          2,
          { 3, 2 },
          6,
          { 0x5df433ec, 0x8617198e, 0x2c24a8a8, 0x9094fa5e, 0x91386643, 0x59491919 } },
        { 1,
          WEFT_U32,
          2,
          { 2, 3 },
          6,
          { 0x5df433ec, 0x2c24a8a8, 0x91386643, 0x8617198e, 0x9094fa5e, 0x59491919 } },
        { 1,
          WEFT_U32,
          2,
          { 3, 3 },
          9,
          { 0x5df433ec, 0x2c24a8a8, 0x91386643, 0x8617198e, 0x9094fa5e, 0x59491919, 0x4f97fb5b, 0xed54bb55,
            0xe339716a } },
        { 1, WEFT_U8, 1, { 6 }, 6, { 0xec, 0x8e, 0xa8, 0x5e, 0x43, 0x19 } },
        { 1, WEFT_U16, 1, { 5 }, 6, { 0x33ec, 0x198e, 0xa8a8, 0xfa5e, 0x6643 } },
        { 1, WEFT_U64, 1, { 3 }, 6, { 0x8617198e5df433ec, 0x9094fa5e2c24a8a8, 0x5949191991386643 } },
        { 1, WEFT_U32, 0, { 0 }, 4, { 0x5df433ec } },
        { 1, WEFT_U32, 1, { 0 }, 3, { 0 } },
        { 2,
          WEFT_U32,
          1,
          { 6 },
          5,
          { 0x1e8fe864, 0x4d5e0bd7, 0x4b87c9be, 0x2d689201, 0x5273487b, 0x61c05696 } },
        { 0,
          WEFT_U32,
          2,
          { 3, 3 },
          6,
          { 0x1e8fe864, 0x4d5e0bd7, 0x4b87c9be, 0x2d689201, 0x5273487b, 0x61c05696, 0xa4486574, 0x806fd7ef,
            0x9a2c32b7 } },
        { 2, WEFT_U16, 1, { 5 }, 5, { 0xe864, 0xbd7, 0xc9be, 0x9201, 0x487b } },
        { 2,
          WEFT_U64,
          2,
          { 2, 2 },
          5,
          { 0x4d5e0bd71e8fe864, 0x2d6892014b87c9be, 0x61c056965273487b, 0x806fd7efa4486574 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Graph *g = graph_new(&arena, NULL);
        Ref state = PARAM(g, WEFT_U32, 4);
        Type results[] = { graph_type(g, state), shape(cases[c].t, cases[c].rank, cases[c].dim) };
        Ref r = graph_add(g, &(NodeSpec){ .op = OP_RNG_BITS,
                                          .args = &state,
                                          .n_args = 1,
                                          .attr = (int64_t[]){ cases[c].algorithm },
                                          .n_attr = 1,
                                          .results = results,
                                          .n_results = 2 });
        cr_assert(r != REF_NONE, "%s", g->failure.text);
        graph_set_outputs(g, (Ref[]){ build_result(g, r, 0), build_result(g, r, 1) }, 2);
        uint32_t key[4] = { 1, 2, 3, 4 }, next[4];
        char bits[128];
        run(g, (const void *[]){ key }, (void *[]){ next, bits });
        cr_assert(next[0] == 1 && next[1] == 2 && next[2] == cases[c].next && next[3] == 4, "case %zu: %u", c,
                  next[2]);
        for (int64_t i = 0; i < type_count(results[1]); i++)
            cr_assert(scalar_load(cases[c].t, bits + (size_t)i * dtype_bytes(cases[c].t)) == cases[c].bits[i],
                      "case %zu, %d", c, (int)i);
    }
    uint64_t state[2] = { UINT64_C(2) << 32 | 1, UINT64_MAX }, next[2];
    uint32_t bits[8];
    Graph *g = graph_new(&arena, NULL);
    Ref s = PARAM(g, WEFT_U64, 2);
    Ref r = graph_add(
        g, &(NodeSpec){ .op = OP_RNG_BITS,
                        .args = &s,
                        .n_args = 1,
                        .attr = (int64_t[]){ 2 },
                        .n_attr = 1,
                        .results = (Type[]){ graph_type(g, s), shape(WEFT_U32, 1, (int64_t[]){ 8 }) },
                        .n_results = 2 });
    graph_set_outputs(g, (Ref[]){ build_result(g, r, 0), build_result(g, r, 1) }, 2);
    run(g, (const void *[]){ state }, (void *[]){ next, bits });
    cr_assert(next[0] == state[0] && next[1] == 1 && bits[0] == 0x3427fc20 && bits[4] == 0x409ecd8 &&
              bits[7] == 0x7a268988);
}
