/* test_walks.c: lanes that walk along rows of memory side by side, written by hand, against the interpreter
 * of programs; and that they do so without gathers. */
#include "compiler/backend.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>
#include <string.h>

typedef struct Case {
    DType type;
    int64_t rows, steps, apart; /* elements from the first load of a step to the last */
    int tile;
    bool down; /* from the last step to the first */
} Case;
static Case now;

/* y[i] = the last of c = c * 3 + x[i][j] - x[i][j + apart] ..., each step's also stored in z[j][i]. Rows are
 * as long as the steps read, so that the last ends where the array does. */
static void make_walk(ProgramBuilder *b, int lanes)
{
    int64_t row = now.steps + now.apart, far = now.rows * row;
    if (dtype_bytes(now.type) == 8) lanes = lanes > 1 ? lanes / 2 : 1;
    uint32_t x = program_buffer(b, BUF_INPUT, now.type, 2 * far),
             y = program_buffer(b, BUF_OUTPUT, now.type, now.rows),
             z = program_buffer(b, BUF_OUTPUT, now.type, now.rows * now.steps);
    Val three = put_const(b, now.type, 3), zero = put_const(b, now.type, 0),
        i = put_loop(b, now.rows, lanes, now.tile), c = put_carry(b, zero), j = put_loop(b, now.steps, 1, 1);
    int64_t step = now.down ? -1 : 1, first = now.down ? now.steps - 1 : 0;
    Val v = put_binary(b, OP_MUL, c, three);
    v = put_binary(b, OP_ADD, v, put_load(b, x, AT(first, { i, row }, { j, step })));
    v = put_binary(b, OP_SUB, v, put_load(b, x, AT(first + now.apart, { i, row }, { j, step })));
    v = put_binary(b, OP_ADD, v, put_load(b, x, AT(first + now.apart / 2, { i, row }, { j, step })));
    v = put_binary(b, OP_ADD, v, put_load(b, x, AT(first + far, { i, row }, { j, step })));
    put_store(b, z, AT(0, { i, 1 }, { j, now.rows }), v);
    put_set(b, c, v);
    put_end(b, j);
    put_store(b, y, AT(0, { i, 1 }), put_total(b, c));
    put_end(b, i);
}

/* z[j][i] = 3 x[i][j], nothing from step to step. */
static void make_turned(ProgramBuilder *b, int lanes)
{
    if (dtype_bytes(now.type) == 8) lanes = lanes > 1 ? lanes / 2 : 1;
    uint32_t x = program_buffer(b, BUF_INPUT, now.type, now.rows * now.steps),
             z = program_buffer(b, BUF_OUTPUT, now.type, now.rows * now.steps);
    Val three = put_const(b, now.type, 3), i = put_loop(b, now.rows, lanes, now.tile),
        j = put_loop(b, now.steps, 1, 1), v = put_load(b, x, AT(0, { i, now.steps }, { j, 1 }));
    put_store(b, z, AT(0, { i, 1 }, { j, now.rows }), put_binary(b, OP_MUL, v, three));
    put_end(b, j);
    put_end(b, i);
}

static void check_steps(DType type)
{
    static const int64_t steps[] = { 1, 7, 8, 16, 17, 18, 33, 70 };
    now.type = type;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (now.tile = 1; now.tile <= 4; now.tile += 3)
            for (now.apart = 0; now.apart <= 18; now.apart = 3 * now.apart + 2)
                for (int down = 0; down < 2; down++) {
                    now.steps = steps[s];
                    now.rows = 64 + (int64_t)s % 3; /* some are left over */
                    now.down = down;
                    code_check(make_walk);
                    if (!now.apart && !down) code_check(make_turned);
                }
}

Test(walks, f64) { check_steps(WEFT_F64); }
Test(walks, f32) { check_steps(WEFT_F32); }
Test(walks, i64) { check_steps(WEFT_I64); }
Test(walks, u8) { check_steps(WEFT_U8); }

/* Gathers and scatters in the code for 64 whole rows. */
static int gathers(const char *target_name, DType type, bool down)
{
    Arena *arena = code_arena();
    ProgramBuilder b;
    Target t;
    BackendOutput out;
    int n = 0;
    now = (Case){ .type = type, .rows = 64, .steps = 70, .apart = 2, .tile = 2, .down = down };
    program_begin(&b, arena, MODE_DEFAULT);
    make_walk(&b, code_lanes(target_name));
    cr_assert(code_backend()->target(target_name, &t));
    cr_assert(code_backend()->compile(b.program, &t, BACKEND_ASM, NULL, &out), "%s", out.error);
    for (const char *at = out.assembly; (at = strstr(at, "gather")); at++) n++;
    code_backend()->release(&out);
    arena_free(arena);
    return n;
}

Test(walks, no_gathers)
{
    for (int down = 0; down < 2; down++) {
        cr_expect(gathers("avx512", WEFT_F64, down) == 0);
        cr_expect(gathers("avx512", WEFT_F32, down) == 0);
        cr_expect(gathers("avx2", WEFT_F64, down) == 0);
        cr_expect(gathers("avx2", WEFT_I32, down) == 0);
    }
}
