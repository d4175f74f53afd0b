/* test_narrow_ints.c: ints in 16 bits or 8 where more make no difference: random programs on bytes are the
 * same function; and what is narrow, and what must not be. */
#include "compiler/graph/check.h"
#include "compiler/passes/narrow_ints.h"
#include "compiler/passes/simplify.h"
#include "compiler/text/text.h"
#include "runtime/eager/eager.h"
#include "tests/support/graph_suite.h"
#include <criterion/criterion.h>
#include <string.h>

TestSuite(narrow_ints, .init = open_arena, .fini = close_arena, .timeout = 120);

/* ---- random programs ---- */

enum { ROWS = 5, COLUMNS = 7, POOL = 24, STEPS = 14, PROGRAMS = 3000 };
static const int64_t shape[] = { ROWS, COLUMNS };

static Type of(DType t) { return (Type){ t, 2, shape }; }

static Ref number(Graph *g, DType t, int64_t v) { return build_splat(g, of(t), scalar_from_i64(t, v)); }

static int64_t some_number(void)
{
    static const int64_t numbers[] = { 0,   1,   2,   3,     7,     9,     57,    128,
                                       255, 256, 300, 32767, 32768, 65535, 65538, 70000 };
    int64_t n = numbers[random_below(sizeof numbers / sizeof *numbers)];
    return random_below(3) ? n : -n;
}

/* The rows rolled or mirrored, with an edge, or with numbers around: of the shape as before. */
static Ref moved(Graph *g, Ref x, DType t)
{
    Ref first = build_slice_along(g, x, 0, 0, 1, 1), rest = build_slice_along(g, x, 0, 1, ROWS, 1);
    switch (random_below(4)) {
    case 0:  return build_concatenate(g, (Ref[]){ rest, first }, 2, 0);
    case 1:  return build_concatenate(g, (Ref[]){ first, build_slice_along(g, x, 0, 0, ROWS - 1, 1) }, 2, 0);
    case 2:  return build_reverse(g, x, (const int64_t[]){ 1 }, 1);
    default: {
        const int64_t low[] = { 1, 0 }, none[] = { 0, 0 };
        Ref filler = build_splat(g, type_scalar(t), scalar_from_i64(t, some_number()));
        return build_pad(g, build_slice_along(g, x, 0, 0, ROWS - 1, 1), filler, low, none, none);
    }
    }
}

static Ref random_step(Graph *g, DType t, const Ref *pool, uint32_t n)
{
    static const Op two[] = { OP_ADD, OP_SUB, OP_MUL, OP_MAX, OP_MIN, OP_AND, OP_OR, OP_XOR },
                    by_number[] = { OP_MUL,       OP_DIV, OP_REM, OP_SHL, OP_SHR_ARITH,
                                    OP_SHR_LOGIC, OP_ADD, OP_SUB, OP_MAX, OP_MIN };
    Ref x = pool[random_below(n)], y = pool[random_below(n)];
    switch (random_below(10)) {
    case 0:
    case 1:
    case 2: return build_binary(g, two[random_below(8)], x, y);
    case 3:
    case 4: {
        Op op = by_number[random_below(10)];
        bool shifts = op == OP_SHL || op == OP_SHR_ARITH || op == OP_SHR_LOGIC;
        return build_binary(g, op, x,
                            number(g, t, shifts && random_below(9) ? random_below(18) : some_number()));
    }
    case 5: return dtype_is_signed(t) ? build_unary(g, random_below(2) ? OP_ABS : OP_NEG, x) : x;
    case 6: return moved(g, x, t);
    case 7: {
        Ref low = build_splat(g, type_scalar(t), scalar_from_i64(t, random_below(2) ? 0 : -300)),
            high = build_splat(g, type_scalar(t), scalar_from_i64(t, random_below(2) ? 255 : 40000));
        return build_node(g, OP_CLAMP, (Ref[]){ low, x, high }, 3, NULL, 0);
    }
    case 8:  return build_select(g, build_compare(g, (CompareDir)random_below(6), x, y), x, y);
    default: {
        const int64_t axes[] = { 1 };
        Op op = random_below(3) ? OP_ADD : random_below(2) ? OP_MAX : OP_MIN;
        return build_broadcast(g, build_reduce(g, op, x, axes, 1), shape, 2, (const int64_t[]){ 0 });
    }
    }
}

static Ref random_end(Graph *g, Ref x, Ref y)
{
    static const DType ends[] = { WEFT_U8, WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_BOOL, WEFT_F32 };
    if (random_below(8) == 0) return build_compare(g, (CompareDir)random_below(6), x, y);
    if (random_below(8) == 0) return x;
    return build_convert(g, x, ends[random_below(7)]);
}

static const Graph *random_program(void)
{
    static const DType narrow[] = { WEFT_U8, WEFT_U8, WEFT_I8, WEFT_I16, WEFT_U16, WEFT_BOOL },
                       wide[] = { WEFT_I32, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64 };
    Graph *g = graph_new(&arena, NULL);
    DType t = wide[random_below(5)];
    Ref pool[POOL];
    uint32_t n = 0;
    while (n < 3) pool[n++] = build_convert(g, build_param(g, of(narrow[random_below(6)])), t);
    if (!random_below(6)) pool[n++] = build_param(g, of(t));
    for (int i = 0; i < STEPS; i++, n++) pool[n] = random_step(g, t, pool, n);
    graph_set_outputs(
        g, (Ref[]){ random_end(g, pool[n - 1], pool[n - 2]), random_end(g, pool[n - 3], pool[n - 1]) }, 2);
    return g;
}

static uint32_t count_narrow(const Graph *g)
{
    uint32_t n = 0;
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *x = graph_node(g, r);
        n += op_is_ew((Op)x->op) && x->op != OP_CONVERT && (x->dtype == WEFT_I16 || x->dtype == WEFT_U16);
    }
    return n;
}

Test(narrow_ints, programs_stay_the_same_function)
{
    uint32_t narrowed = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        ArenaMark before = arena_mark(&arena);
        Failure f = { 0 };
        const Graph *g = random_program();
        cr_assert_eq(g->failure.code, WEFT_OK, "%s", g->failure.text);
        const Graph *simple = simplify(&arena, g), *small = narrow_ints(&arena, simple);
        cr_assert(graph_check(small, &f), "program %d: %s", i, f.text);
        const void *in[8];
        for (uint32_t k = 0; k < g->n_params; k++) in[k] = random_array(graph_type(g, g->params[k]));
        void **want = outputs_of(g), **got = outputs_of(small);
        eager_run(g, in, want), eager_run(small, in, got);
        for (uint32_t k = 0; k < g->n_outputs; k++)
            cr_assert_lt(differs_at(graph_type(g, g->outputs[k]), want[k], got[k]), 0,
                         "program %d, output %u\n%s\nbecame\n%s", i, k, graph_print(&arena, simple, NULL),
                         graph_print(&arena, small, NULL));
        narrowed += count_narrow(small) > count_narrow(simple);
        arena_release(&arena, before);
    }
    cr_expect_gt(narrowed, PROGRAMS / 20);
}

/* ---- what is narrow ---- */

static Graph *two_bytes(Ref *x, Ref *y)
{
    Graph *g = graph_new(&arena, NULL);
    *x = build_convert(g, build_param(g, of(WEFT_U8)), WEFT_I32);
    *y = build_convert(g, build_param(g, of(WEFT_U8)), WEFT_I32);
    return g;
}

static const Graph *narrowed_with(Graph *g, Ref output)
{
    graph_set_outputs(g, &output, 1);
    return narrow_ints(&arena, g);
}

static bool holds_type(const Graph *g, DType t)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (graph_node(g, r)->dtype == t) return true;
    return false;
}

Test(narrow_ints, means_of_bytes_are_narrow)
{
    Ref x, y;
    Graph *g = two_bytes(&x, &y);
    Ref sum = build_binary(g, OP_ADD, build_binary(g, OP_ADD, x, y), number(g, WEFT_I32, 1));
    Ref mean = build_binary(g, OP_SHR_ARITH, sum, number(g, WEFT_I32, 1));
    cr_expect(!holds_type(narrowed_with(g, build_convert(g, mean, WEFT_U8)), WEFT_I32));
}

/* 77 + 150 + 29 is 256: the sum is below 2^16, but not below 2^15. */
Test(narrow_ints, weights_fit_unsigned)
{
    Ref x, y;
    Graph *g = two_bytes(&x, &y);
    Ref sum = build_binary(g, OP_ADD, build_binary(g, OP_MUL, x, number(g, WEFT_I32, 106)),
                           build_binary(g, OP_MUL, y, number(g, WEFT_I32, 150)));
    Ref gray = build_binary(g, OP_SHR_ARITH, sum, number(g, WEFT_I32, 8));
    const Graph *n = narrowed_with(g, build_convert(g, gray, WEFT_U8));
    cr_expect(!holds_type(n, WEFT_I32) && holds_type(n, WEFT_U16));
}

Test(narrow_ints, what_does_not_fit_stays)
{
    Ref x, y;
    Graph *g = two_bytes(&x, &y);
    Ref product = build_binary(g, OP_MUL, build_binary(g, OP_ADD, x, y), number(g, WEFT_I32, 300)),
        high = build_binary(g, OP_SHR_ARITH, product, number(g, WEFT_I32, 9));
    cr_expect_eq(count_narrow(narrowed_with(g, build_convert(g, high, WEFT_U8))), 0);
}

static bool holds_op(const Graph *g, Op op)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (graph_node(g, r)->op == op) return true;
    return false;
}

/* A mean by the inverse of a number, (sum * 57) >> 9, and other numbers. A product is an upper half if the
 * sum and the number fit into 16 bits, shifted to the left by what the shift lacks to 16, together. */
Test(narrow_ints, upper_bits_of_products_are_upper_halves)
{
    static const int64_t by[] = { 57, 129, 300, 7282, 32767, 43691, 65535, 65538, -57 };
    static const DType wide[] = { WEFT_I32, WEFT_U32, WEFT_I64 };
    int halves = 0, narrow = 0;
    for (int k = 0; k < 9 * 3 * 2; k++)
        for (int shift = 0; shift <= 24; shift++) {
            ArenaMark before = arena_mark(&arena);
            DType t = wide[k / 9 % 3];
            if (t == WEFT_U32 && by[k % 9] < 0) continue;
            Graph *g = graph_new(&arena, NULL);
            Ref x = build_convert(g, build_param(g, of(WEFT_U8)), t),
                y = build_convert(g, build_param(g, of(WEFT_U8)), t),
                sum = build_binary(g, OP_ADD, build_binary(g, OP_ADD, x, y), number(g, t, 1));
            if (k >= 27) sum = build_binary(g, OP_MUL, sum, number(g, t, 100));
            Ref product = build_binary(g, OP_MUL, sum, number(g, t, by[k % 9])),
                high = build_binary(g, t == WEFT_U32 ? OP_SHR_LOGIC : OP_SHR_ARITH, product,
                                    number(g, t, shift));
            const Graph *n = narrowed_with(g, build_convert(g, high, WEFT_U16));
            const void *in[] = { random_array(of(WEFT_U8)), random_array(of(WEFT_U8)) };
            void **want = outputs_of(g), **got = outputs_of(n);
            eager_run(g, in, want), eager_run(n, in, got);
            cr_expect_lt(differs_at(of(WEFT_U16), want[0], got[0]), 0, "by %d >> %d", (int)by[k % 9], shift);
            halves += holds_op(n, OP_MULHI);
            narrow += holds_op(n, OP_MULHI) && holds_type(n, t);
            if (k == 2 && shift == 9) cr_expect(holds_op(n, OP_MULHI) && !holds_type(n, t));
            if (k == 2 && shift == 1) cr_expect(!holds_op(n, OP_MULHI)); /* 511 * 300 << 15 is too much */
            arena_release(&arena, before);
        }
    cr_expect_gt(halves, 300);
    cr_expect_eq(narrow, 0);
}

/* Of an unsigned product with its top bit an arithmetic shift is none. */
Test(narrow_ints, shifts_fill_with_the_top_bit)
{
    Graph *g = graph_new(&arena, NULL);
    Ref x = build_convert(g, build_param(g, of(WEFT_U16)), WEFT_U32),
        product = build_binary(g, OP_MUL, x, number(g, WEFT_U32, 40000)),
        high = build_binary(g, OP_SHR_ARITH, product, number(g, WEFT_U32, 24)),
        least = build_binary(g, OP_MIN, high, number(g, WEFT_U32, 200));
    const Graph *n = narrowed_with(g, build_convert(g, least, WEFT_U8));
    const uint16_t in[ROWS * COLUMNS] = { 65535, 53688, 53687, 5000 };
    const uint8_t want[] = { 200, 200, 127, 11 };
    void **got = outputs_of(n);
    eager_run(n, (const void *[]){ in }, got);
    cr_expect_arr_eq(got[0], want, sizeof want);
}

/* A brighter image and a darker one: what is limited first is never more than a byte. */
Test(narrow_ints, limits_go_before_sums)
{
    static const int64_t by[] = { 20, -20, 255, -1 };
    for (int k = 0; k < 8; k++) {
        Ref x, y, sum;
        Graph *g = two_bytes(&x, &y);
        if (k % 2) sum = build_binary(g, OP_SUB, x, number(g, WEFT_I32, -by[k / 2]));
        else sum = build_binary(g, OP_ADD, x, number(g, WEFT_I32, by[k / 2]));
        Ref low = build_binary(g, OP_MAX, sum, number(g, WEFT_I32, 0));
        Ref both = build_binary(g, OP_MIN, low, number(g, WEFT_I32, 255));
        const Graph *n = narrowed_with(g, build_convert(g, both, WEFT_U8));
        cr_expect(!holds_type(n, WEFT_I32) && !holds_type(n, WEFT_I16) && !holds_type(n, WEFT_U16), "by %d",
                  (int)by[k / 2]);
    }
}

/* By 65,538 bits nothing is left, by its low 16 bits' 2 much would be. */
Test(narrow_ints, shifts_by_more_than_there_are_stay)
{
    Ref x, y;
    Graph *g = two_bytes(&x, &y);
    Ref none = build_binary(g, OP_SHR_LOGIC, build_binary(g, OP_ADD, x, y), number(g, WEFT_I32, 65538));
    cr_expect_eq(count_narrow(narrowed_with(g, build_convert(g, none, WEFT_U8))), 0);
}

/* One op is not worth a conversion; two are. */
Test(narrow_ints, some_steps_are_narrow_before_they_are_widened)
{
    for (int steps = 1; steps <= 2; steps++) {
        Ref x, y;
        Graph *g = two_bytes(&x, &y);
        Ref sum = build_binary(g, OP_ADD, x, y);
        if (steps == 2) sum = build_binary(g, OP_ADD, sum, x);
        cr_expect_eq(count_narrow(narrowed_with(g, build_convert(g, sum, WEFT_F32))), steps == 2 ? 2 : 0);
    }
}

Test(narrow_ints, bytes_are_joined_before_they_are_widened)
{
    Ref x, y;
    Graph *g = two_bytes(&x, &y);
    Ref both = build_concatenate(g, (Ref[]){ build_slice_along(g, x, 0, 0, 1, 1), y }, 2, 0);
    Ref last = build_slice_along(g, both, 0, 1, ROWS + 1, 1);
    const Graph *n = narrowed_with(g, build_unary(g, OP_NEG, build_binary(g, OP_MUL, last, last)));
    for (Ref r = 0; r < n->n_nodes; r++)
        if (graph_node(n, r)->op == OP_CONCATENATE) cr_expect_eq(graph_node(n, r)->dtype, WEFT_U8);
}
