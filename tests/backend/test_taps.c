/* test_taps.c: loads of neighbours along a row, made at random, against the interpreter of programs; and that
 * a stencil loads each vector once. */
#include "compiler/backend.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>

enum { MOST_TAPS = 12, ROWS = 3 };
typedef struct Case {
    DType type;
    int64_t row, length; /* elements from one row to the next, and that are stored of each */
    int64_t tap[MOST_TAPS], n;
    int tile, rows_tile;
    uint64_t bits; /* what is odd about it */
} Case;
static Case now;

static bool odd(int bit) { return now.bits >> bit & 1; }

/* A sum of products of taps. odd(0): every third is of another array; odd(1): of the row behind; odd(2): one
 * is read twice; odd(3): what is stored first is where another tap is read; odd(4): only some lanes of
 * one. */
static void make_taps(ProgramBuilder *b, int lanes)
{
    int64_t bytes = (int64_t)dtype_bytes(now.type), most = 0;
    for (int64_t t = 0; t < now.n; t++)
        if (now.tap[t] > most) most = now.tap[t];
    if (lanes > 1) lanes = (int)(lanes * 4 / bytes);
    int64_t count = ROWS * now.row + now.length + most;
    uint32_t x = program_buffer(b, BUF_INPUT, now.type, count),
             y = program_buffer(b, BUF_INPUT, now.type, count),
             z = program_buffer(b, BUF_OUTPUT, now.type, count);
    Val i = put_loop(b, ROWS, 1, now.rows_tile), j = put_loop(b, now.length, lanes, now.tile), sum = VAL_NONE;
    if (odd(3)) put_store(b, z, AT(0, { i, now.row }, { j, 1 }), put_const(b, now.type, 3));
    for (int64_t t = 0; t < now.n; t++) {
        uint32_t from = odd(3) && t == 1 ? z : odd(0) && t % 3 == 2 ? y : x;
        int64_t at = from == z ? 0 : now.tap[t] + (odd(1) && t % 3 == 1 ? now.row : 0);
        Val v;
        if (odd(4) && t == 2 && from != z) {
            Val mask = put_compare(b, CMP_GT, sum, put_const(b, now.type, 1));
            v = put_load_masked(b, mask, from, AT(at, { i, now.row }, { j, 1 }));
        } else v = put_load(b, from, AT(at, { i, now.row }, { j, 1 }));
        v = put_binary(b, OP_MUL, v, put_const(b, now.type, 2 + (double)t));
        sum = t == 0 ? v : put_binary(b, OP_ADD, sum, v);
        if (odd(2) && t == 1)
            sum = put_binary(b, OP_SUB, sum, put_load(b, x, AT(now.tap[0], { i, now.row }, { j, 1 })));
    }
    put_store(b, z, AT(0, { i, now.row }, { j, 1 }), sum);
    put_end(b, j);
    put_end(b, i);
}

static int64_t below(int64_t n) { return (int64_t)(code_random() % (uint64_t)n); }

static void check(DType type)
{
    static const int64_t spans[] = { 3, 5, 9, 17, 40 };
    for (int k = 0; k < 60; k++) {
        now = (Case){ .type = type, .length = 1 + below(150), .tile = 1 + (int)below(5) };
        now.row = now.length + (k % 3 ? below(20) : -now.length % 16 + 16);
        now.n = 1 + below(MOST_TAPS);
        for (int64_t t = 0; t < now.n; t++) now.tap[t] = below(spans[k % 5]);
        now.rows_tile = k % 4 ? 1 : 1 + (int)below(3);
        now.bits = k % 2 ? 0 : code_random() & code_random();
        code_check(make_taps);
    }
}

Test(taps, i16) { check(WEFT_I16); }
Test(taps, i32) { check(WEFT_I32); }
Test(taps, f32) { check(WEFT_F32); }
Test(taps, f64) { check(WEFT_F64); }

/* ---- the code ---- */

/* Three taps of four vectors in each row, the middle ones on lines of the cache: of the others all but one on
 * either side are shuffled. */
Test(taps, loaded_once)
{
    static const char *const words[] = { "\tvalign" };
    static const DType types[] = { WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64 };
    for (int t = 0; t < 4; t++) {
        now = (Case){ .type = types[t], .row = 64, .tap = { 15, 16, 17 }, .n = 3, .tile = 4, .rows_tile = 1 };
        now.length = 4 * 64 / (int64_t)dtype_bytes(types[t]);
        int shuffles = code_count("avx512", make_taps, words, 1);
        cr_expect_eq(shuffles, ROWS * 6, "%s: %d", dtype_name(types[t]), shuffles);
    }
}
