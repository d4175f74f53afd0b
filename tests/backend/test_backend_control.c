/* test_backend_control.c: machine code of programs with while loops, prefixes and steps, written by hand,
 * against the interpreter of programs. */
#include "compiler/graph/comparator.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>
#include <string.h>

static int64_t size_now; /* of the axis under test */
static int tile_now;
static DType type_now;
static Op op_now;

/* For sizes around the lanes of any machine, and tiles. */
static void check_sizes(void make(ProgramBuilder *, int lanes))
{
    static const int64_t sizes[] = { 1, 3, 4, 8, 15, 16, 17, 33, 64, 67 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (tile_now = 1; tile_now <= 4; tile_now *= 2) {
            size_now = sizes[i];
            code_check(make);
        }
}

static Val number(ProgramBuilder *b, double v) { return put_const(b, WEFT_F32, v); }

/* ---- while loops ---- */

/* Each lane on its own: while (x^2 < 40 && n < 20) x = x * 1.25 + d, n++. A tail's other lanes have x = d = 0
 * and would run on. */
static void make_lane_loops(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, size_now),
             d = program_buffer(b, BUF_INPUT, WEFT_F32, size_now);
    uint32_t y = program_buffer(b, BUF_OUTPUT, WEFT_F32, size_now),
             n = program_buffer(b, BUF_OUTPUT, WEFT_I32, size_now);
    Val i = put_loop(b, size_now, lanes, tile_now), zero = put_const(b, WEFT_I32, 0),
        one = put_const(b, WEFT_I32, 1);
    Val v = put_carry(b, put_load(b, x, AT(0, { i, 1 }))), count = put_carry(b, zero),
        by = put_load(b, d, AT(0, { i, 1 }));
    Val most = put_const(b, WEFT_I32, 20), limit = number(b, 40), grow = number(b, 1.25), w = put_while(b);
    put_test(b, put_binary(b, OP_AND, put_compare(b, CMP_LT, put_binary(b, OP_MUL, v, v), limit),
                           put_compare(b, CMP_LT, count, most)));
    put_set(b, v, put_binary(b, OP_ADD, put_binary(b, OP_MUL, v, grow), by));
    put_set(b, count, put_binary(b, OP_ADD, count, one));
    put_end(b, w);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, v));
    put_store(b, n, AT(0, { i, 1 }), put_total(b, count));
    put_end(b, i);
}
Test(backend_control, while_of_each_lane) { check_sizes(make_lane_loops); }

/* The same of other types: masks of lanes of all widths. */
static void make_typed_loops(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, type_now, size_now),
             y = program_buffer(b, BUF_OUTPUT, type_now, size_now);
    Val i = put_loop(b, size_now, lanes, 2), v = put_carry(b, put_load(b, x, AT(0, { i, 1 }))),
        limit = put_const(b, type_now, 50), one = put_const(b, type_now, 1);
    Val w = put_while(b);
    put_test(b, put_compare(b, CMP_LT, v, limit));
    put_set(b, v, put_binary(b, OP_ADD, v, one));
    put_end(b, w);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, v));
    put_end(b, i);
}
Test(backend_control, while_of_all_types)
{
    static const DType types[] = { WEFT_F64, WEFT_F16, WEFT_BF16, WEFT_I8, WEFT_I16, WEFT_I64, WEFT_U8 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        type_now = types[i];
        size_now = 37;
        code_check(make_typed_loops);
    }
}

/* Rows of unequal length: the loop's own index moves loads, which must not read past the buffer for lanes
 * that have left; folds of a reducer and stores count only the lanes inside; what stands before the test runs
 * once more. */
static void make_ragged(ProgramBuilder *b, int lanes)
{
    enum { WIDTH = 64 };
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, size_now * WIDTH),
             length = program_buffer(b, BUF_INPUT, WEFT_I32, size_now);
    uint32_t sums = program_buffer(b, BUF_OUTPUT, WEFT_F32, 3 * size_now),
             copy = program_buffer(b, BUF_OUTPUT, WEFT_F32, (WIDTH + 1) * size_now);
    uint32_t all = program_buffer(b, BUF_OUTPUT, WEFT_F32, 1),
             fill = program_buffer(b, BUF_INPUT, WEFT_F32, 1);
    Val f = put_loop(b, (WIDTH + 1) * size_now, lanes, 1);
    put_store(b, copy, AT(0, { f, 1 }), put_load(b, fill, AT_ONLY(0)));
    put_end(b, f);
    Val total = put_reducer(b, OP_ADD, WEFT_F32), i = put_loop(b, size_now, lanes, tile_now),
        n = put_load(b, length, AT(0, { i, 1 })), one = number(b, 1);
    Val sum = put_carry(b, number(b, 0)), most = put_reducer(b, OP_MAX, WEFT_F32),
        tests = put_reducer(b, OP_ADD, WEFT_F32), w = put_while(b);
    put_store(b, copy, AT(0, { i, WIDTH + 1 }, { w, 1 }), one);
    put_fold(b, tests, one, VAL_NONE);
    put_test(b, put_compare(b, CMP_LT, put_index(b, WEFT_I32, AT(0, { w, 1 })), n));
    Val v = put_load(b, x, AT(0, { i, WIDTH }, { w, 1 }));
    put_set(b, sum, put_binary(b, OP_ADD, sum, v));
    put_fold(b, most, v, VAL_NONE);
    put_fold(b, total, v, VAL_NONE);
    put_store(b, copy, AT(0, { i, WIDTH + 1 }, { w, 1 }), v);
    put_end(b, w);
    put_store(b, sums, AT(0, { i, 3 }), put_total(b, sum));
    put_store(b, sums, AT(1, { i, 3 }), put_total(b, most));
    put_store(b, sums, AT(2, { i, 3 }), put_total(b, tests));
    put_end(b, i);
    put_store(b, all, AT_ONLY(0), put_total(b, total));
}
Test(backend_control, while_over_ragged_rows) { check_sizes(make_ragged); }

/* A while in a while, each of its lane's own length, and a counted loop with a sum in the inner one; the
 * chain follows indices that data gives. */
static void make_nested(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, 64),
             start = program_buffer(b, BUF_INPUT, WEFT_I32, size_now),
             next = program_buffer(b, BUF_INPUT, WEFT_I32, 64);
    uint32_t y = program_buffer(b, BUF_OUTPUT, WEFT_F32, size_now),
             n = program_buffer(b, BUF_OUTPUT, WEFT_I32, size_now);
    Val i = put_loop(b, size_now, lanes, tile_now), at = put_carry(b, put_load(b, start, AT(0, { i, 1 }))),
        sum = put_carry(b, number(b, 0));
    Val zero = put_const(b, WEFT_I32, 0), one = put_const(b, WEFT_I32, 1), few = put_const(b, WEFT_I32, 5),
        count = put_carry(b, zero), half = number(b, 0.5);
    Val w = put_while(b);
    put_test(b, put_binary(b, OP_AND, put_compare(b, CMP_GT, at, few), put_compare(b, CMP_LT, count, few)));
    Val left = put_carry(b, at), part = put_carry(b, sum), inner = put_while(b);
    put_test(b, put_compare(b, CMP_GT, left, few));
    Val r = put_reducer(b, OP_ADD, WEFT_F32), k = put_loop(b, 6, 1, 1);
    put_fold(b, r, put_binary(b, OP_MUL, put_load(b, x, AT(-6, { left, 1 }, { k, 1 })), half), VAL_NONE);
    put_end(b, k);
    put_set(b, part, put_binary(b, OP_ADD, part, put_total(b, r)));
    put_set(b, left, put_binary(b, OP_SUB, left, few));
    put_end(b, inner);
    put_set(b, sum, put_total(b, part));
    put_set(b, at, put_load(b, next, AT(0, { at, 1 })));
    put_set(b, count, put_binary(b, OP_ADD, count, one));
    put_end(b, w);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, sum));
    put_store(b, n, AT(0, { i, 1 }), put_total(b, count));
    put_end(b, i);
}
Test(backend_control, while_in_while) { check_sizes(make_nested); }

/* Steps in lanes: `alike` is one number for all of them; so is `late`, until what `apart` takes from memory
 * reaches it by way of `on`. */
static void make_alike(ProgramBuilder *b, int lanes)
{
    enum { STEPS = 5 };
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, size_now * STEPS),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, size_now * 4);
    Val one = number(b, 1), half = number(b, 0.5), i = put_loop(b, size_now, lanes, tile_now),
        carry[4] = { put_carry(b, half), put_carry(b, one), put_carry(b, one), put_carry(b, half) };
    Val alike = carry[0], late = carry[1], on = carry[2], apart = carry[3], step = put_loop(b, STEPS, 1, 1),
        by = put_binary(b, OP_DIV, half, put_binary(b, OP_ADD, alike, one));
    put_set(b, alike, by);
    put_set(b, late, put_binary(b, OP_ADD, on, by));
    put_set(b, on, apart);
    put_set(b, apart, put_binary(b, OP_MUL, put_load(b, x, AT(0, { i, STEPS }, { step, 1 })), by));
    put_end(b, step);
    for (int k = 0; k < 4; k++) put_store(b, y, AT(k, { i, 4 }), put_total(b, carry[k]));
    put_end(b, i);
}
Test(backend_control, carries_that_lanes_share) { check_sizes(make_alike); }

/* One index: a plain loop around lanes and tiles, the test from a reduction over them; the test the same for
 * all lanes; a test that varies with a tile only. */
static void make_outer(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, size_now),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, size_now),
             rows = program_buffer(b, BUF_INPUT, WEFT_I32, 7);
    uint32_t z = program_buffer(b, BUF_OUTPUT, WEFT_F32, 7 * size_now),
             n = program_buffer(b, BUF_OUTPUT, WEFT_I32, 1);
    uint32_t row = program_buffer(b, BUF_TEMP, WEFT_F32, size_now);
    Val half = number(b, 0.5), zero = put_const(b, WEFT_I32, 0), one = put_const(b, WEFT_I32, 1),
        limit = number(b, 0.25);
    Val i = put_loop(b, size_now, lanes, tile_now);
    put_store(b, row, AT(0, { i, 1 }), put_load(b, x, AT(0, { i, 1 })));
    put_end(b, i);
    Val count = put_carry(b, zero), w = put_while(b), r = put_reducer(b, OP_MAX, WEFT_F32);
    i = put_loop(b, size_now, lanes, tile_now);
    put_fold(b, r, put_load(b, row, AT(0, { i, 1 })), VAL_NONE);
    put_end(b, i);
    put_test(b, put_compare(b, CMP_GT, put_total(b, r), limit));
    i = put_loop(b, size_now, lanes, tile_now);
    put_store(b, row, AT(0, { i, 1 }), put_binary(b, OP_MUL, put_load(b, row, AT(0, { i, 1 })), half));
    put_end(b, i);
    put_set(b, count, put_binary(b, OP_ADD, count, one));
    put_end(b, w);
    put_store(b, n, AT_ONLY(0), put_total(b, count));
    i = put_loop(b, size_now, lanes, tile_now);
    Val v = put_carry(b, put_load(b, row, AT(0, { i, 1 }))), steps = put_const(b, WEFT_I64, 4);
    w = put_while(b);
    put_test(b, put_compare(b, CMP_LT, put_index(b, WEFT_I64, AT(1, { w, 1 })), steps));
    put_set(b, v, put_binary(b, OP_ADD, v, half));
    put_end(b, w);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, v));
    put_end(b, i);
    Val p = put_loop(b, 7, 1, tile_now), left = put_load(b, rows, AT(0, { p, 1 }));
    i = put_loop(b, size_now, lanes, 1);
    v = put_carry(b, put_load(b, x, AT(0, { i, 1 })));
    w = put_while(b);
    put_test(b, put_compare(b, CMP_LT, put_index(b, WEFT_I32, AT(0, { w, 1 })), left));
    put_set(b, v, put_binary(b, OP_ADD, v, half));
    put_end(b, w);
    put_store(b, z, AT(0, { p, size_now }, { i, 1 }), put_total(b, v));
    put_end(b, i);
    put_end(b, p);
}
Test(backend_control, while_of_one_index) { check_sizes(make_outer); }

/* ---- prefixes ---- */

static void make_prefix(ProgramBuilder *b, int lanes)
{
    DType sum = dtype_is_narrow_float(type_now) ? WEFT_F32 : type_now;
    uint32_t x = program_buffer(b, BUF_INPUT, type_now, size_now),
             y = program_buffer(b, BUF_OUTPUT, sum, size_now),
             z = program_buffer(b, BUF_OUTPUT, sum, size_now);
    uint32_t last = program_buffer(b, BUF_OUTPUT, sum, 3),
             plain = program_buffer(b, BUF_OUTPUT, sum, size_now);
    Val r = put_reducer(b, op_now, sum), i = put_loop(b, size_now, PREFIX_LANES, tile_now);
    put_store(b, y, AT(0, { i, 1 }), put_prefix(b, r, put_load(b, x, AT(0, { i, 1 }))));
    put_end(b, i);
    put_store(b, last, AT_ONLY(0), put_total(b, r));
    r = put_reducer(b, op_now, sum);
    i = put_loop(b, size_now, PREFIX_LANES, tile_now);
    put_store(b, z, AT(size_now - 1, { i, -1 }),
              put_prefix(b, r, put_load(b, x, AT(size_now - 1, { i, -1 }))));
    put_end(b, i);
    put_store(b, last, AT_ONLY(1), put_total(b, r));
    r = put_reducer(b, op_now, sum);
    i = put_loop(b, size_now, 1, 1);
    put_store(b, plain, AT(0, { i, 1 }), put_prefix(b, r, put_load(b, x, AT(0, { i, 1 }))));
    put_end(b, i);
    put_store(b, last, AT_ONLY(2), put_total(b, r));
    (void)lanes;
}

Test(backend_control, prefixes_of_all_sizes)
{
    type_now = WEFT_F32;
    op_now = OP_ADD;
    code_full_bits = true;
    check_sizes(make_prefix);
}

Test(backend_control, prefixes_of_all_types)
{
    static const struct {
        Op op;
        DType t;
    } of[] = {
        { OP_ADD, WEFT_F64 }, { OP_MUL, WEFT_F32 },  { OP_MAX, WEFT_F32 }, { OP_MIN, WEFT_F64 },
        { OP_ADD, WEFT_I32 }, { OP_ADD, WEFT_I64 },  { OP_MUL, WEFT_U8 },  { OP_MAX, WEFT_I8 },
        { OP_ADD, WEFT_F16 }, { OP_MAX, WEFT_BF16 }, { OP_OR, WEFT_BOOL }, { OP_AND, WEFT_BOOL },
        { OP_MIN, WEFT_U16 },
    };
    code_full_bits = true;
    tile_now = 2;
    size_now = 75;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        op_now = of[i].op;
        type_now = of[i].t;
        code_check(make_prefix);
    }
}

/* Rows in a tile, each with its own carry; and rows in lanes, where a row's prefix is the plain one. */
static void make_row_prefixes(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 7 };
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, ROWS * size_now),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, ROWS * size_now);
    uint32_t z = program_buffer(b, BUF_OUTPUT, WEFT_F32, ROWS * size_now),
             total = program_buffer(b, BUF_OUTPUT, WEFT_F32, ROWS);
    Val i = put_loop(b, ROWS, 1, 2), r = put_reducer(b, OP_ADD, WEFT_F32),
        j = put_loop(b, size_now, PREFIX_LANES, tile_now);
    put_store(b, y, AT(0, { i, size_now }, { j, 1 }),
              put_prefix(b, r, put_load(b, x, AT(0, { i, size_now }, { j, 1 }))));
    put_end(b, j);
    put_store(b, total, AT(0, { i, 1 }), put_total(b, r));
    put_end(b, i);
    i = put_loop(b, ROWS, lanes, 1);
    r = put_reducer(b, OP_ADD, WEFT_F32);
    j = put_loop(b, size_now, 1, 1);
    put_store(b, z, AT(0, { i, size_now }, { j, 1 }),
              put_prefix(b, r, put_load(b, x, AT(0, { i, size_now }, { j, 1 }))));
    put_end(b, j);
    put_end(b, i);
}
Test(backend_control, prefixes_of_rows)
{
    code_full_bits = true;
    check_sizes(make_row_prefixes);
}

/* ---- steps ---- */

/* A kernel of one loop: to[...] = from[...] * scale. */
static void put_scaled(ProgramBuilder *b, int lanes, uint32_t to, uint32_t from, double scale)
{
    put_step_kernel(b, "scale");
    Val by = number(b, scale), i = put_loop(b, size_now, lanes, 2);
    put_store(b, to, AT(0, { i, 1 }), put_binary(b, OP_MUL, put_load(b, from, AT(0, { i, 1 })), by));
    put_end(b, i);
}

/* Two step loops inside each other; both counters move addresses; an inner loop of one step. */
static void make_counters(ProgramBuilder *b, int lanes)
{
    enum { OUTER = 3, INNER = 4 };
    int64_t n = size_now;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, OUTER * n),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, OUTER * INNER * n),
             z = program_buffer(b, BUF_OUTPUT, WEFT_I64, OUTER);
    uint32_t outer = put_step_loop(b, OUTER), inner = put_step_loop(b, INNER);
    put_step_kernel(b, "one");
    Val p = put_counter(b, 0), q = put_counter(b, 1), i = put_loop(b, n, lanes, 2);
    Val v = put_binary(b, OP_ADD, put_load(b, x, AT(0, { p, n }, { i, 1 })),
                       put_op(b, OP_CONVERT, WEFT_F32, q, VAL_NONE, VAL_NONE));
    put_store(b, y, AT(0, { p, INNER * n }, { q, n }, { i, 1 }), v);
    put_end(b, i);
    put_step_end(b, inner);
    uint32_t once = put_step_loop(b, 1);
    put_step_kernel(b, "two");
    Val c = put_counter(b, 0), d = put_counter(b, 2);
    put_store(b, z, AT(0, { c, 1 }), put_index(b, WEFT_I64, AT(5, { c, 7 }, { d, 100 })));
    put_step_end(b, once);
    put_step_end(b, outer);
}
Test(backend_control, step_loops_and_counters) { check_sizes(make_counters); }

/* Programs of steps are checked three times: as they are; long, when addresses stand on the stack; and so
 * long that lists of steps are functions of their own. */
static int n_more;

static void check_steps(void make(ProgramBuilder *, int lanes))
{
    static const int more[] = { 0, 40, 300 };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        n_more = more[i];
        check_sizes(make);
    }
}

/* Steps that do nothing. */
static void lengthen(ProgramBuilder *b, uint32_t p, uint32_t q)
{
    for (int i = 0; i < n_more; i++) put_step_swap(b, p, q);
}

/* Two carries: one goes from iteration to iteration by a swap of temporaries, the other lives in an output
 * that is swapped, an odd number of times. A kernel inside reads a neighbour of what the one before wrote:
 * swapped names are not one memory. */
static void make_swaps(ProgramBuilder *b, int lanes)
{
    int64_t n = size_now;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, n), y = program_buffer(b, BUF_OUTPUT, WEFT_F32, n),
             z = program_buffer(b, BUF_OUTPUT, WEFT_F32, n);
    uint32_t now = program_buffer(b, BUF_TEMP, WEFT_F32, n), next = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             other = program_buffer(b, BUF_TEMP, WEFT_F32, n);
    put_scaled(b, lanes, now, x, 1);
    put_scaled(b, lanes, other, x, 0.5);
    lengthen(b, now, other);
    uint32_t loop = put_step_loop(b, 7);
    put_step_kernel(b, "step");
    Val half = number(b, 0.5), i = put_loop(b, n, lanes, 2),
        v = put_binary(b, OP_ADD, put_load(b, now, AT(n - 1, { i, -1 })),
                       put_load(b, other, AT(0, { i, 1 })));
    put_store(b, next, AT(0, { i, 1 }), put_binary(b, OP_MUL, v, half));
    put_store(b, z, AT(0, { i, 1 }),
              put_binary(b, OP_SUB, put_load(b, now, AT(0, { i, 1 })), put_load(b, other, AT(0, { i, 1 }))));
    put_end(b, i);
    put_step_swap(b, now, next);
    put_step_swap(b, z, other);
    put_step_end(b, loop);
    put_scaled(b, lanes, y, now, 1);
    put_step_swap(b, other, z);
    put_scaled(b, lanes, z, other, 1);
}
Test(backend_control, swaps) { check_steps(make_swaps); }

/* Pieces of a loop that swaps, an odd number of times in an even one, inside another loop: what the names
 * mean there goes on behind the pieces and into the next iteration. */
static void make_swaps_in_pieces(ProgramBuilder *b, int lanes)
{
    int64_t n = size_now;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, n), y = program_buffer(b, BUF_OUTPUT, WEFT_F32, n),
             z = program_buffer(b, BUF_OUTPUT, WEFT_F32, n);
    uint32_t now = program_buffer(b, BUF_TEMP, WEFT_F32, n), next = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             last = program_buffer(b, BUF_TEMP, WEFT_F32, n);
    int64_t step = 2 * lanes, pieces = (n + step - 1) / step;
    put_scaled(b, lanes, now, x, 1);
    put_scaled(b, lanes, next, x, -1);
    put_scaled(b, lanes, last, x, 3);
    lengthen(b, now, last);
    uint32_t outer = put_step_loop(b, 2), all = put_step_loop(b, pieces), inner, other;
    b->program->steps[all].parallel = true;
    inner = put_step_loop(b, 3);
    put_step_kernel(b, "piece");
    b->kernel->rows = step;
    b->kernel->counter = b->program->steps[all].counter;
    Val half = number(b, 0.5), one = number(b, 1), i = put_loop(b, n, lanes, 2);
    b->kernel->stmts[i].parallel = true;
    put_store(b, next, AT(0, { i, 1 }),
              put_binary(b, OP_ADD, put_binary(b, OP_MUL, put_load(b, now, AT(0, { i, 1 })), half), one));
    put_end(b, i);
    put_step_swap(b, now, next);
    other = put_step_loop(b, 5);
    put_step_swap(b, next, last);
    put_step_end(b, other);
    put_step_end(b, inner);
    put_step_end(b, all);
    put_scaled(b, lanes, z, last, 2);
    put_step_end(b, outer);
    put_scaled(b, lanes, y, now, 1);
}
Test(backend_control, swaps_in_pieces) { check_steps(make_swaps_in_pieces); }

/* While steps: the test's buffer is written before the TEST, which stands between kernels; what was swapped
 * so far counts behind the loop. */
static void make_step_while(ProgramBuilder *b, int lanes)
{
    int64_t n = size_now;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, n), y = program_buffer(b, BUF_OUTPUT, WEFT_F32, n),
             count = program_buffer(b, BUF_OUTPUT, WEFT_I64, 1);
    uint32_t now = program_buffer(b, BUF_TEMP, WEFT_F32, n), next = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             more = program_buffer(b, BUF_TEMP, WEFT_BOOL, 1);
    put_scaled(b, lanes, now, x, 1);
    lengthen(b, now, next);
    uint32_t loop = put_step_loop(b, EXTENT_WHILE);
    put_step_kernel(b, "test");
    Val r = put_reducer(b, OP_MAX, WEFT_F32), limit = number(b, 0.3), times = put_counter(b, 0),
        i = put_loop(b, n, lanes, 1);
    put_fold(b, r, put_load(b, now, AT(0, { i, 1 })), VAL_NONE);
    put_end(b, i);
    put_store(b, count, AT_ONLY(0), times);
    put_store(b, more, AT_ONLY(0), put_compare(b, CMP_GT, put_total(b, r), limit));
    put_step_test(b, loop, more);
    put_scaled(b, lanes, next, now, 0.5);
    put_step_swap(b, now, next);
    put_step_end(b, loop);
    put_scaled(b, lanes, y, now, 1);
}
Test(backend_control, step_while) { check_steps(make_step_while); }

/* Branches that data chooses, in a loop: numbers out of range take the last; one branch swaps, one has a loop
 * of its own, one does nothing. */
static void make_cases(ProgramBuilder *b, int lanes)
{
    int64_t n = size_now;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, n), y = program_buffer(b, BUF_OUTPUT, WEFT_F32, n),
             z = program_buffer(b, BUF_OUTPUT, WEFT_F32, n);
    uint32_t p = program_buffer(b, BUF_TEMP, WEFT_F32, n), q = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             which = program_buffer(b, BUF_TEMP, WEFT_I32, 1);
    put_scaled(b, lanes, p, x, 1);
    put_scaled(b, lanes, q, x, -1);
    lengthen(b, p, q);
    uint32_t loop = put_step_loop(b, 8);
    put_step_kernel(b, "which");
    put_store(b, which, AT_ONLY(0), put_index(b, WEFT_I32, AT(-2, { put_counter(b, 0), 1 })));
    uint32_t cases = put_step_case(b, which, 4);
    put_step_branch(b, cases);
    put_step_swap(b, p, q);
    put_step_branch(b, cases);
    put_step_branch(b, cases);
    uint32_t inner = put_step_loop(b, 2);
    put_scaled(b, lanes, p, p, 3);
    put_step_end(b, inner);
    put_step_branch(b, cases);
    put_scaled(b, lanes, q, p, 0.25);
    put_step_swap(b, p, q);
    put_step_end(b, cases);
    put_step_end(b, loop);
    put_scaled(b, lanes, y, p, 1);
    put_scaled(b, lanes, z, q, 1);
}
Test(backend_control, step_cases) { check_steps(make_cases); }

/* A loop of so many steps that they are cut: parts of the list need its counter, names that others swapped,
 * and a loop inside. Kernels read from places that differ by no number. */
static void make_long_list(ProgramBuilder *b, int lanes)
{
    enum { RUNS = 3, KERNELS = 400, ROWS = 11 };
    int64_t n = size_now;
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, (ROWS + RUNS) * n),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, n), now = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             next = program_buffer(b, BUF_TEMP, WEFT_F32, n);
    put_scaled(b, lanes, now, x, 1);
    uint32_t loop = put_step_loop(b, RUNS);
    for (int k = 0; k < KERNELS; k++) {
        bool inside = k % 150 == 70;
        uint32_t inner = inside ? put_step_loop(b, 2) : 0;
        put_step_kernel(b, "add");
        Val half = number(b, inside ? 0.25 : 0.5), c = put_counter(b, 0),
            d = inside ? put_counter(b, b->program->steps[inner].counter) : c, i = put_loop(b, n, lanes, 2);
        Val v = put_binary(b, OP_MUL, put_load(b, now, AT(n - 1, { i, -1 })), half);
        int64_t from = (k * k % ROWS) * n;
        v = put_binary(b, OP_ADD, v,
                       inside ? put_load(b, x, AT(from, { c, n }, { d, n / 2 }, { i, 1 }))
                              : put_load(b, x, AT(from, { c, n }, { i, 1 })));
        put_store(b, next, AT(0, { i, 1 }), v);
        put_end(b, i);
        put_step_swap(b, now, next);
        if (inside) put_step_end(b, inner);
    }
    put_step_end(b, loop);
    put_scaled(b, lanes, y, now, 1);
}
Test(backend_control, long_list)
{
    code_full_bits = true;
    for (size_now = 1; size_now < 40; size_now += 18) {
        tile_now = 2;
        code_check(make_long_list);
    }
    int lists = code_count("avx2", make_long_list, (const char *[]){ "weft_steps" }, 1);
    cr_expect_geq(lists, 8, "%d", lists);
}

/* A library function in a loop: rows are sorted one by one. */
static void make_sorts(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 3 };
    int64_t n = size_now, numbers[SORT_NUMBERS_MAX] = { 0 };
    Type type = { WEFT_F32, 1, &n };
    SortOrder order = { .n_keys = 1, .key = { { 0, 0 } } };
    uint32_t count = sort_numbers(&order, &type, 1, 0, numbers);
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, ROWS * n),
             y = program_buffer(b, BUF_OUTPUT, WEFT_F32, ROWS * n);
    uint32_t row = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             sorted = program_buffer(b, BUF_TEMP, WEFT_F32, n),
             room = program_buffer(b, BUF_TEMP, WEFT_U8, sort_scratch_bytes(numbers));
    uint32_t loop = put_step_loop(b, ROWS);
    put_step_kernel(b, "take");
    Val c = put_counter(b, 0), i = put_loop(b, n, lanes, 1);
    put_store(b, row, AT(0, { i, 1 }), put_load(b, x, AT(0, { c, n }, { i, 1 })));
    put_end(b, i);
    put_step_call(b, LIBRARY_SORT, (uint32_t[]){ row, sorted, room }, 3, numbers, count);
    put_step_kernel(b, "give");
    c = put_counter(b, 0);
    i = put_loop(b, n, lanes, 1);
    put_store(b, y, AT(0, { c, n }, { i, 1 }), put_load(b, sorted, AT(0, { i, 1 })));
    put_end(b, i);
    put_step_end(b, loop);
}
Test(backend_control, library_calls) { check_sizes(make_sorts); }

/* ---- rules ---- */

static const char *broken_rule(void make(ProgramBuilder *))
{
    static Failure f;
    ProgramBuilder b;
    Arena *arena = code_arena();
    program_begin(&b, arena, MODE_DEFAULT);
    make(&b);
    f = (Failure){ 0 };
    bool fine = program_check(b.program, &f);
    arena_free(arena);
    return fine ? "none" : f.text;
}

static void put_while_of(ProgramBuilder *b, int tests, bool set_first)
{
    Val zero = put_const(b, WEFT_I32, 0), c = put_carry(b, zero), w = put_while(b),
        p = put_compare(b, CMP_LT, c, zero);
    if (set_first) put_set(b, c, zero);
    for (int i = 0; i < tests; i++) put_test(b, p);
    put_end(b, w);
}
static void no_test(ProgramBuilder *b) { put_while_of(b, 0, false); }
static void two_tests(ProgramBuilder *b) { put_while_of(b, 2, false); }
static void set_before_test(ProgramBuilder *b) { put_while_of(b, 1, true); }
static void test_of_counted_loop(ProgramBuilder *b)
{
    Val p = put_const(b, WEFT_BOOL, 1), i = put_loop(b, 3, 1, 1);
    put_test(b, p);
    put_end(b, i);
}
static void prefix_of_eight(ProgramBuilder *b)
{
    Val one = put_const(b, WEFT_F32, 1), r = put_reducer(b, OP_ADD, WEFT_F32), i = put_loop(b, 64, 8, 1);
    put_prefix(b, r, one);
    put_end(b, i);
}
static void prefix_through_tile(ProgramBuilder *b)
{
    Val one = put_const(b, WEFT_F32, 1), r = put_reducer(b, OP_ADD, WEFT_F32), i = put_loop(b, 8, 1, 4),
        j = put_loop(b, 64, PREFIX_LANES, 1);
    put_prefix(b, r, one);
    put_end(b, j);
    put_end(b, i);
}
static void loops_too_deep(ProgramBuilder *b)
{
    Val loop[MAX_LOOP_DEPTH + 1];
    for (int d = 0; d <= MAX_LOOP_DEPTH; d++) loop[d] = put_loop(b, 2, 1, 1);
    for (int d = MAX_LOOP_DEPTH; d >= 0; d--) put_end(b, loop[d]);
}
static void no_such_counter(ProgramBuilder *b) { put_counter(b, 0); }

/* A loop of two pieces, in it a kernel of so many rows of 128 each; what it folds goes to element `coef`
 * times the piece, unless that is less than 0. */
static void put_pieces(ProgramBuilder *b, int64_t rows, int64_t coef)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, 128), y = program_buffer(b, BUF_OUTPUT, WEFT_F32, 2);
    uint32_t pieces = put_step_loop(b, 2);
    b->program->steps[pieces].parallel = true;
    put_step_kernel(b, "part");
    b->kernel->rows = rows;
    Val c = put_counter(b, 0), r = put_reducer(b, OP_ADD, WEFT_F32), i = put_loop(b, 128, 16, 1);
    put_fold(b, r, put_load(b, x, AT(0, { i, 1 })), VAL_NONE);
    put_end(b, i);
    Val sum = put_total(b, r);
    if (coef >= 0) put_store(b, y, AT(0, { c, coef }), sum);
    else put_carry(b, sum);
    put_step_end(b, pieces);
}
static void pieces(ProgramBuilder *b) { put_pieces(b, 64, 1); }
static void piece_of_all(ProgramBuilder *b) { put_pieces(b, 0, 1); }
static void rows_between_steps(ProgramBuilder *b) { put_pieces(b, 72, 1); }
static void pieces_at_one_place(ProgramBuilder *b) { put_pieces(b, 64, 0); }
static void carry_of_a_piece(ProgramBuilder *b) { put_pieces(b, 64, -1); }
static void pieces_in_pieces(ProgramBuilder *b)
{
    uint32_t outer = put_step_loop(b, 2);
    b->program->steps[outer].parallel = true;
    uint32_t inner = put_step_loop(b, 2);
    b->program->steps[inner].parallel = true;
}
static void swap_in_a_piece(ProgramBuilder *b)
{
    uint32_t p = program_buffer(b, BUF_TEMP, WEFT_F32, 2), q = program_buffer(b, BUF_TEMP, WEFT_F32, 2);
    uint32_t loop = put_step_loop(b, 2);
    b->program->steps[loop].parallel = true;
    put_step_swap(b, p, q);
}
static void call_in_a_piece(ProgramBuilder *b)
{
    uint32_t outer = put_step_loop(b, 2);
    b->program->steps[outer].parallel = true;
    put_step_call(b, LIBRARY_SORT, NULL, 0, NULL, 0);
}

Test(backend_control, rules)
{
    static const struct {
        void (*make)(ProgramBuilder *);
        const char *rule;
    } of[] = {
        { no_test, "without its one test" },
        { two_tests, "without its one test" },
        { set_before_test, "a set before the test" },
        { test_of_counted_loop, "a test outside" },
        { prefix_of_eight, "other lanes than its blocks" },
        { prefix_through_tile, "a prefix through lanes" },
        { no_such_counter, "a counter that is not there" },
        { loops_too_deep, "too many loops inside each other" },
        { pieces, "none" },
        { piece_of_all, "without rows of its own" },
        { rows_between_steps, "between two steps of a loop" },
        { pieces_at_one_place, "does this once in each run" },
        { carry_of_a_piece, "does this once in each run" },
        { pieces_in_pieces, "a piece is kernels" },
        { swap_in_a_piece, "a piece is kernels" },
        { call_in_a_piece, "a piece is kernels" },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const char *said = broken_rule(of[i].make);
        cr_expect(strstr(said, of[i].rule), "not \"%s\" but \"%s\"", of[i].rule, said);
    }
}

/* What is not checked must not be more than the emitter's tables hold. */
Test(backend_control, loops_too_deep)
{
    ProgramBuilder b;
    Target t;
    BackendOutput out;
    Arena *arena = code_arena();
    program_begin(&b, arena, MODE_DEFAULT);
    loops_too_deep(&b);
    cr_assert(code_backend()->target("avx2", &t));
    cr_expect_not(code_backend()->compile(b.program, &t, 0, NULL, &out));
    cr_expect(strstr(out.error, "too many loops inside each other: k0"), "%s", out.error);
    arena_free(arena);
}
