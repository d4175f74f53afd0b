/* test_alike.c: lanes that go across pixels where about the same is computed of each colour, made at random,
 * against the interpreter of programs; and that what is the same is not shuffled apart. */
#include "compiler/backend.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>

typedef struct Case {
    DType type;
    int64_t colours, step; /* elements from one pixel that is read to the next */
    int64_t pixels, taps;
    int tile;
    uint64_t bits; /* what is odd about it */
} Case;
static Case now;

static bool odd(int bit) { return now.bits >> bit & 1; }

/* Element `colour` of each pixel: neighbours, each times a number, or the greater of two. */
static Val put_colour(ProgramBuilder *b, uint32_t x, Val i, Val j, int64_t row, int64_t lowest,
                      int64_t colour, Val *kept)
{
    Val two = put_const(b, now.type, 2), sum = VAL_NONE;
    for (int64_t t = 0; t < now.taps; t++) {
        int64_t other = odd(0) && t == 1 && colour == 1 ? 0 : colour;
        Val v = put_load(b, x, AT(lowest + t + other, { i, row }, { j, now.step }));
        if (t == 0 && colour == 0) *kept = v;
        if (odd(1) && t == 1 && colour) v = put_binary(b, OP_ADD, v, *kept);
        if (t == 1) v = put_binary(b, OP_MUL, v, two);
        sum = t == 0 ? v : put_binary(b, t % 2 ? OP_ADD : OP_MAX, sum, v);
    }
    if (odd(2)) sum = put_binary(b, OP_ADD, sum, sum);
    if (odd(3) && colour == 1) sum = put_binary(b, OP_SUB, sum, two);
    return sum;
}

/* Two images of the same; of odd(4) the second is of what the first stores, times two, of odd(5) it is
 * written over what is read. */
static void make_pixels(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 3 };
    int64_t n = now.colours, apart = now.step < 0 ? -now.step : now.step,
            bytes = (int64_t)dtype_bytes(now.type);
    int64_t row = apart * (now.pixels - 1) + n + now.taps - 1, to = n * now.pixels;
    int64_t lowest = now.step < 0 ? apart * (now.pixels - 1) : 0;
    if (lanes > 1) lanes = lanes * 4 / (int)bytes;
    uint32_t x = program_buffer(b, BUF_INPUT, now.type, ROWS * row),
             y = program_buffer(b, BUF_OUTPUT, now.type, ROWS * to),
             z = program_buffer(b, BUF_OUTPUT, now.type, ROWS * to);
    Val i = put_loop(b, ROWS, 1, 1), j = put_loop(b, now.pixels, lanes, now.tile), v[8], kept = VAL_NONE;
    for (int64_t c = 0; c < n; c++) v[c] = put_colour(b, x, i, j, row, lowest, c, &kept);
    for (int64_t c = n; c-- > 0;) put_store(b, y, AT(c, { i, to }, { j, n }), v[c]);
    for (int64_t c = 0; odd(4) && c < n; c++) v[c] = put_binary(b, OP_ADD, v[c], v[c]);
    for (int64_t c = 0; c < n; c++) {
        int64_t at = odd(5) ? n - 1 - c : c;
        put_store(b, z, AT(at, { i, to }, { j, n }), v[c]);
    }
    put_end(b, j);
    put_end(b, i);
}

static void check(DType type)
{
    static const int64_t steps[] = { 1, 2, 3, 4, 5 }, pixels[] = { 64, 67, 129 };
    now.type = type;
    for (int64_t n = 2; n <= 8; n += n < 4 ? 1 : 4)
        for (int s = 0; s < 5; s++)
            for (int way = 0; way < 2; way++) {
                now.colours = n;
                now.step = ((n + s + way) % 2 ? -1 : 1) * (steps[s] * n + (way == 1 && s == 1));
                now.pixels = pixels[(n + s + way) % 3];
                now.taps = 1 + (int64_t)(code_random() % 6);
                now.tile = 1 + (int)(code_random() % 2);
                now.bits = way == 0 ? 0 : code_random() & code_random();
                code_check(make_pixels);
            }
}

Test(alike, u8) { check(WEFT_U8); }
Test(alike, i16) { check(WEFT_I16); }
Test(alike, f32) { check(WEFT_F32); }
Test(alike, f64) { check(WEFT_F64); }

/* ---- the code ---- */

static int shuffles(const char *target_name)
{
    static const char *const words[] = { "\tvperm",   "\tvpshuf",  "\tvunpck", "\tvpunpck",
                                         "\tvpblend", "\tvpalign", "\tvshuf",  "\tvpmov",
                                         "\tvpack",   "\tvinsert", "\tvpsr",   "\tvextract" };
    return code_count(target_name, make_pixels, words, sizeof words / sizeof *words);
}

/* Pixels that are loaded and stored in order are whole vectors; every second one takes one shuffle a vector,
 * of which there are as many as colours. */
Test(alike, whole_vectors)
{
    static const char *const targets[] = { "avx512", "avx2" };
    static const DType types[] = { WEFT_U8, WEFT_F32, WEFT_F64 };
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 3; t++) {
            now = (Case){ types[t], 4, 4, 128, 1, 1, 1 << 2 };
            cr_expect_eq(shuffles(targets[k]), 0, "%s, %s: %d", targets[k], dtype_name(types[t]),
                         shuffles(targets[k]));
            now.step = 8;
            cr_expect_leq(shuffles(targets[k]), 8 * 4, "%s, %s: %d", targets[k], dtype_name(types[t]),
                          shuffles(targets[k]));
        }
}
