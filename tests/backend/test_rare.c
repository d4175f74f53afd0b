/* test_rare.c: choices that are hardly ever made, in bodies made at random, against the interpreter of
 * programs; and that what only they need stands behind a branch. */
#include "compiler/backend.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>
#include <math.h>

enum { OPS = 90 };

static DType type;
static uint64_t seed;
static int tile;
static int64_t extent;

static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* NaN where its operand is small; rarely, or often. */
static Val with_nans(ProgramBuilder *b, Val x)
{
    Val limit = put_const(b, type, below(2) ? -2 : 1);
    return put_op(b, OP_SELECT, type, put_compare(b, CMP_LT, x, limit), put_const(b, type, NAN), x);
}

static Val of_nan(ProgramBuilder *b, Val x, Val y)
{
    Val first = put_compare(b, CMP_NE, x, x), other = put_compare(b, below(2) ? CMP_NE : CMP_LT, y, y);
    uint64_t way = below(4);
    return way == 0   ? put_op(b, OP_AND, WEFT_BOOL, first, other, VAL_NONE)
           : way == 1 ? put_op(b, OP_OR, WEFT_BOOL, first, other, VAL_NONE)
                      : first;
}

/* given: no NaN, whose bits depend on the machine. */
static Val some_op(ProgramBuilder *b, Val given, Val x, Val y, Val z)
{
    static const Op binary[] = { OP_ADD, OP_SUB, OP_MUL, OP_MAX }, unary[] = { OP_NEG, OP_ABS };
    DType bits = type == WEFT_F32 ? WEFT_U32 : WEFT_U64;
    switch (below(8)) {
    case 0: return put_op(b, OP_SELECT, type, of_nan(b, x, y), y, z);
    case 1: return put_op(b, OP_SELECT, type, put_compare(b, CMP_LT, x, y), x, z);
    case 2: return put_unary(b, unary[below(2)], x);
    case 3:
        x = put_binary(b, OP_AND, put_op(b, OP_BITCAST, bits, given, VAL_NONE, VAL_NONE),
                       put_const(b, bits, 0x3fff0000));
        return put_op(b, OP_BITCAST, type, x, VAL_NONE, VAL_NONE);
    default: return put_binary(b, binary[below(4)], x, y);
    }
}

/* Most operands are of the newest values, so that long stretches lead to one choice; what is stored is what
 * choices give. A part of it is in a loop around the lanes. */
static void make_body(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 3 };
    Val v[OPS];
    uint32_t n = 0, x = program_buffer(b, BUF_INPUT, type, ROWS * extent),
             y = program_buffer(b, BUF_INPUT, type, ROWS),
             z = program_buffer(b, BUF_OUTPUT, type, ROWS * extent),
             w = program_buffer(b, BUF_OUTPUT, type, ROWS * extent);
    uint64_t start = seed;
    if (lanes > 1 && type == WEFT_F64) lanes /= 2;
    Val i = put_loop(b, ROWS, 1, 1);
    v[n++] = put_load(b, y, AT(0, { i, 1 }));
    v[n++] = with_nans(b, v[0]);
    Val j = put_loop(b, extent, lanes, tile);
    v[n++] = put_load(b, x, AT(0, { i, extent }, { j, 1 }));
    v[n++] = with_nans(b, v[2]);
    Val usual = put_binary(b, OP_MUL, v[2], v[0]), test = of_nan(b, v[3], v[2]);
    while (n < OPS) {
        Val of[3];
        for (int k = 0; k < 3; k++) of[k] = v[below(5) ? n - 1 - below(n < 6 ? n : 6) : below(n)];
        v[n++] = some_op(b, v[2], of[0], of[1], of[2]);
    }
    Val one = put_op(b, OP_SELECT, type, test, v[OPS - 1], usual),
        other = put_op(b, OP_SELECT, type, below(2) ? test : of_nan(b, v[3], v[1]), v[OPS - 9], v[3]);
    put_store(b, z, AT(0, { i, extent }, { j, 1 }), one);
    put_store(b, w, AT(0, { i, extent }, { j, 1 }), below(3) ? other : v[below(OPS)]);
    put_end(b, j);
    put_end(b, i);
    seed = start; /* the next target gets the same */
}

static void check(DType t)
{
    static const int64_t extents[] = { 64, 67, 5, 1 };
    type = t;
    for (int k = 0; k < 60; k++) {
        seed = code_random();
        tile = 1 + k % 3;
        extent = extents[k % 4];
        code_check(make_body);
    }
}

Test(rare, f32) { check(WEFT_F32); }
Test(rare, f64) { check(WEFT_F64); }

/* ---- the code ---- */

/* What is chosen where x is NaN takes twelve quotients, what is chosen elsewhere one. */
static void make_long_choice(ProgramBuilder *b, int lanes)
{
    uint32_t x = program_buffer(b, BUF_INPUT, WEFT_F32, 4096),
             y = program_buffer(b, BUF_INPUT, WEFT_F32, 4096),
             z = program_buffer(b, BUF_OUTPUT, WEFT_F32, 4096);
    Val i = put_loop(b, 4096, lanes, 1), v = put_load(b, x, AT(0, { i, 1 })),
        u = put_load(b, y, AT(0, { i, 1 })), usual = put_binary(b, OP_DIV, v, u), rare = u;
    for (int k = 0; k < 12; k++) rare = put_binary(b, OP_DIV, put_const(b, WEFT_F32, k + 2), rare);
    put_store(b, z, AT(0, { i, 1 }),
              put_op(b, OP_SELECT, WEFT_F32, put_compare(b, CMP_NE, usual, usual), rare, usual));
    put_end(b, i);
}

Test(rare, is_a_call)
{
    static const char *const call[] = { "\tcallq\tweft_rare", "\tbl\tweft_rare" };
    for (int i = 0; i < CODE_TARGETS; i++)
        if (code_lanes(code_targets[i]) > 1)
            cr_expect_geq(code_count(code_targets[i], make_long_choice, call, 2), 1, "%s", code_targets[i]);
}
