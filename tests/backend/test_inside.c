/* test_inside.c: bodies of loops that read at indices which are data, all of them inside or some outside,
 * made at random, against the interpreter of programs; and that where they lie is asked once. */
#include "compiler/backend.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>

enum { INDICES = 3 };

typedef struct Case {
    DType type, index;
    int64_t extent, table; /* numbers in inputs are below 64 */
    int tile;
    uint64_t bits; /* what is odd about it */
} Case;
static Case now;

static bool odd(int bit) { return now.bits >> bit & 1; }

static Val counted_from_end(ProgramBuilder *b, Val x, int64_t n)
{
    Val test = put_compare(b, CMP_LT, x, put_const(b, now.index, 0)),
        other = put_binary(b, OP_ADD, x, put_const(b, now.index, (double)n));
    return put_op(b, OP_SELECT, now.index, test, other, x);
}

static Val kept_inside(ProgramBuilder *b, Val x, int64_t n)
{
    x = put_binary(b, OP_MAX, x, put_const(b, now.index, 0));
    return put_binary(b, OP_MIN, x, put_const(b, now.index, (double)(n - 1)));
}

static Val is_inside(ProgramBuilder *b, Val x, int64_t n)
{
    return put_op(b, OP_AND, WEFT_BOOL, put_compare(b, CMP_GE, x, put_const(b, now.index, 0)),
                  put_compare(b, CMP_LT, x, put_const(b, now.index, (double)n)), VAL_NONE);
}

/* An element of a table, or of row x of it, a number where that is outside. */
static Val put_lookup(ProgramBuilder *b, uint32_t table, Val x, int64_t row, int64_t column)
{
    int64_t n = now.table / row;
    if (odd(0)) x = counted_from_end(b, x, n);
    Val at = kept_inside(b, x, n), inside = is_inside(b, x, n);
    Val v = odd(1) ? put_load_masked(b, inside, table, AT(column, { at, row }))
                   : put_load(b, table, AT(column, { at, row }));
    return put_op(b, OP_SELECT, now.type, inside, v, put_const(b, now.type, -5));
}

/* Stores of what is looked up, and a sum of it. odd(2): from rows of three; odd(3): an index is a number plus
 * what was loaded, which is no plain load. */
static void make_lookups(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 3 };
    uint32_t table = program_buffer(b, BUF_INPUT, now.type, now.table), index[INDICES],
             to = program_buffer(b, BUF_OUTPUT, now.type, ROWS * now.extent),
             sums = program_buffer(b, BUF_OUTPUT, now.type, ROWS);
    for (int k = 0; k < INDICES; k++) index[k] = program_buffer(b, BUF_INPUT, now.index, now.extent + ROWS);
    if (lanes > 1 && dtype_bytes(now.type) == 8) lanes /= 2;
    if (odd(4)) lanes = 1;
    Val i = put_loop(b, ROWS, 1, 1), sum = put_reducer(b, OP_ADD, now.type),
        j = put_loop(b, now.extent, lanes, lanes == 1 ? 1 : now.tile), all = VAL_NONE;
    int64_t row = odd(2) ? 3 : 1;
    for (int k = 0; k < INDICES; k++) {
        Val x = k ? put_load(b, index[k], AT(0, { i, 1 }, { j, 1 })) : put_load(b, index[k], AT(1, { j, 1 }));
        if (odd(3) && k == 1) x = put_binary(b, OP_ADD, x, put_const(b, now.index, 1));
        for (int64_t c = 0; c < row; c++) {
            Val v = put_lookup(b, table, x, row, c);
            all = all == VAL_NONE ? v : put_binary(b, OP_ADD, all, v);
        }
    }
    put_store(b, to, AT(0, { i, now.extent }, { j, 1 }), all);
    if (odd(5)) put_fold(b, sum, all, VAL_NONE);
    put_end(b, j);
    put_store(b, sums, AT(0, { i, 1 }), put_total(b, sum));
    put_end(b, i);
}

/* Labels along edges: what is looked up at one index is added at the other, one after the other. */
static void make_edges(ProgramBuilder *b, int lanes)
{
    (void)lanes;
    uint32_t table = program_buffer(b, BUF_INPUT, now.type, now.table), index[2],
             to = program_buffer(b, BUF_OUTPUT, now.type, now.table);
    for (int k = 0; k < 2; k++) index[k] = program_buffer(b, BUF_INPUT, now.index, now.extent);
    Val all = put_loop(b, now.table, 1, 1);
    put_store(b, to, AT(0, { all, 1 }), put_const(b, now.type, 0));
    put_end(b, all);
    Val j = put_loop(b, now.extent, 1, 1), x[2], v[2];
    for (int k = 0; k < 2; k++) x[k] = put_load(b, index[k], AT(0, { j, 1 }));
    for (int k = 0; k < 2; k++) v[k] = put_lookup(b, table, x[k], 1, 0);
    for (int k = 0; k < 2; k++) {
        Val once = put_loop(b, 1, 1, 1), at = x[!k], inside = is_inside(b, at, now.table);
        Val old = put_load_masked(b, inside, to, AT(0, { at, 1 }));
        put_store_masked(b, inside, to, AT(0, { at, 1 }), put_binary(b, OP_ADD, old, v[k]));
        put_end(b, once);
    }
    put_end(b, j);
}

static void check(DType type, DType index)
{
    static const int64_t extents[] = { 64, 67, 5, 16, 300 }, tables[] = { 192, 63, 180, 20 };
    for (int k = 0; k < 60; k++) {
        now = (Case){ type, index, extents[k % 5], tables[code_random() % 4], 1 + k % 4, code_random() };
        code_check(make_lookups);
        code_check(make_edges);
    }
}

/* Negative numbers and very large ones; what is summed in another order would differ. */
static void check_any(DType type, DType index)
{
    code_full_bits = true;
    for (int k = 0; k < 20; k++) {
        now = (Case){ type, index, 16 + 17 * k, 192, 1 + k % 4, code_random() & ~(UINT64_C(1) << 5) };
        code_check(make_lookups);
    }
}

Test(inside, any_i32) { check_any(WEFT_F32, WEFT_I32); }
Test(inside, any_i64) { check_any(WEFT_F64, WEFT_I64); }
Test(inside, f32) { check(WEFT_F32, WEFT_I32); }
Test(inside, f64) { check(WEFT_F64, WEFT_I32); }
Test(inside, i32) { check(WEFT_I32, WEFT_I32); }
Test(inside, by_i64) { check(WEFT_F32, WEFT_I64); }

/* ---- the code ---- */

/* Three indices, one test and branch; and the limits stand in one version only. */
Test(inside, is_asked_once)
{
    static const char *const tests[] = { "\tkortest", "\tvtestps", "\tvptest", "\tvmovmskps" };
    static const char *const limits[] = { "\tvpmaxsd", "\tvpminsd" };
    static const char *const targets[] = { "avx512", "avx2" };
    for (int i = 0; i < 2; i++) {
        now = (Case){ WEFT_F32, WEFT_I32, 64 * 64, 192, 1, 1 };
        cr_expect_eq(code_count(targets[i], make_lookups, tests, 4), 1, "%s: %d", targets[i],
                     code_count(targets[i], make_lookups, tests, 4));
        cr_expect_eq(code_count(targets[i], make_lookups, limits, 2), 2 * INDICES, "%s", targets[i]);
    }
}
