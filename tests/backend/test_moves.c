/* test_moves.c: pixels that are moved by lanes that go across them, written by hand, against the
 * interpreter of programs; and that they are moved as wholes. */
#include "compiler/backend.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>
#include <string.h>

/* Where the pixels come from: an image that is turned, flipped, copied, of which some are left out, two
 * beside each other from different rows, or some of a row by their numbers. */
typedef enum { TURNED, TURNED_BACK, FLIPPED, COPIED, EVERY_THIRD, TWO_ROWS, BY_NUMBER, WAYS } Way;
typedef struct Case {
    Way way;
    DType type;
    int64_t rows, pixels, colours;
    int tile;
    bool computed; /* something is computed of the colours */
} Case;
static Case now;

static void put_pixel(ProgramBuilder *b, uint32_t x, uint32_t y, int64_t from, Term fi, Term fj, int64_t to,
                      Term ti, Term tj)
{
    Val v[16];
    for (int64_t c = 0; c < now.colours; c++) v[c] = put_load(b, x, AT(from + c, fi, fj));
    for (int64_t c = 0; now.computed && c < now.colours; c++) v[c] = put_binary(b, OP_ADD, v[c], v[c]);
    for (int64_t c = now.colours; c-- > 0;) put_store(b, y, AT(to + c, ti, tj), v[c]);
}

/* A number between 0 and `most` from an input of ints, one for each index of the loop. */
static Val put_number(ProgramBuilder *b, uint32_t numbers, Val loop, int64_t most)
{
    Val any = put_binary(b, OP_AND, put_load(b, numbers, AT(0, { loop, 1 })), put_const(b, WEFT_I32, 255)),
        low = put_binary(b, OP_MAX, any, put_const(b, WEFT_I32, 0));
    return put_binary(b, OP_MIN, low, put_const(b, WEFT_I32, (double)most));
}

static void make_moves(ProgramBuilder *b, int lanes)
{
    int64_t c = now.colours, h = now.rows, w = now.pixels, size = (int64_t)dtype_bytes(now.type),
            apart = now.way == EVERY_THIRD ? 3 : 1, both = now.way == TWO_ROWS ? 2 : 1,
            count = h * w * c * both;
    if (lanes > 1) lanes = lanes * 4 / (int)size;
    if (now.tile > 4 && lanes > 16) lanes = 16;
    uint32_t x = program_buffer(b, BUF_INPUT, now.type, h * c * both * (apart * (w - 1) + 1)),
             y = program_buffer(b, BUF_OUTPUT, now.type, count),
             numbers = now.way == BY_NUMBER ? program_buffer(b, BUF_INPUT, WEFT_I32, w) : 0;
    Val i = put_loop(b, h, 1, now.tile), j = put_loop(b, w, lanes, 1);
    Term ti = { i, w * c * both }, tj = { j, c * both };
    switch (now.way) {
    case TURNED:      put_pixel(b, x, y, 0, (Term){ i, c }, (Term){ j, h * c }, 0, ti, tj); break;
    case TURNED_BACK: put_pixel(b, x, y, (h - 1) * c, (Term){ i, -c }, (Term){ j, h * c }, 0, ti, tj); break;
    case FLIPPED:     put_pixel(b, x, y, (w - 1) * c, (Term){ i, w * c }, (Term){ j, -c }, 0, ti, tj); break;
    case TWO_ROWS:
        put_pixel(b, x, y, 0, (Term){ i, 2 * w * c }, (Term){ j, c }, 0, ti, tj);
        put_pixel(b, x, y, w * c, (Term){ i, 2 * w * c }, (Term){ j, c }, c, ti, tj);
        break;
    case BY_NUMBER:
        put_pixel(b, x, y, 0, (Term){ i, w * c }, (Term){ put_number(b, numbers, j, w - 1), c }, 0, ti, tj);
        break;
    case COPIED:
    case EVERY_THIRD:
    case WAYS:
        put_pixel(b, x, y, 0, (Term){ i, c * (apart * (w - 1) + 1) }, (Term){ j, c * apart }, 0, ti, tj);
        break;
    }
    put_end(b, j);
    put_end(b, i);
}

static void check_moves(DType type, bool computed)
{
    static const int64_t pixels[] = { 1, 67 }, colours[] = { 2, 3, 5, 8 };
    for (int p = 0; p < 2; p++)
        for (int c = 0; c < 4; c++)
            for (int way = 0; way < WAYS; way++) {
                static const int tiles[] = { 1, 4, 8, 16 };
                int tile = tiles[(p + c + way) % 4];
                now = (Case){ (Way)way, type, tile + p % 3, pixels[p], colours[c], tile, computed };
                code_check(make_moves);
            }
}

/* Squares, of single elements too, that lie forwards and backwards. */
static void check_squares(DType type, int64_t colours)
{
    static const int tiles[] = { 4, 8, 16, 32 };
    for (int t = 0; t < 4; t++)
        for (int way = TURNED; way <= TURNED_BACK; way++) {
            now = (Case){ (Way)way, type, 3 * tiles[t] - 1, 83, colours, tiles[t], false };
            code_check(make_moves);
        }
}

Test(moves, squares_of_bytes)
{
    check_squares(WEFT_U8, 1);
    check_squares(WEFT_U8, 2);
    check_squares(WEFT_U8, 4);
}

Test(moves, squares_of_floats)
{
    check_squares(WEFT_F32, 1);
    check_squares(WEFT_F32, 2);
    check_squares(WEFT_F64, 1);
}

Test(moves, f32) { check_moves(WEFT_F32, false); }
Test(moves, f64) { check_moves(WEFT_F64, false); }
Test(moves, computed_f32) { check_moves(WEFT_F32, true); }
Test(moves, computed_i32) { check_moves(WEFT_I32, true); }
Test(moves, u8) { check_moves(WEFT_U8, false); }

/* Loads of single elements, by gathers or into vectors, in the code. */
static int loads_of_one(const char *target_name, void make(ProgramBuilder *, int lanes))
{
    static const char *const words[] = { "gather", "pinsr", "insertps", "movss", "scatter", "unpck" };
    size_t n_words = now.computed ? 5 : 6; /* blocks are transposed */
    return code_count(target_name, make, words, n_words);
}

/* In that for 256 pixels. */
static int single_loads(const char *target_name, Way way, DType type, int64_t colours, bool computed)
{
    now = (Case){ way, type, 31, 256, colours, 1, computed };
    return loads_of_one(target_name, make_moves);
}

Test(moves, whole_pixels)
{
    static const char *const targets[] = { "avx512", "avx2" };
    static const DType types[] = { WEFT_U8, WEFT_BF16, WEFT_F32, WEFT_F64 };
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 4; t++)
            for (int64_t c = 2; c <= 5; c++)
                for (int way = TURNED; way <= FLIPPED; way++) {
                    if (way == FLIPPED && types[t] != WEFT_U8) continue;
                    int n = single_loads(targets[k], (Way)way, types[t], c, false);
                    cr_expect(n == 0, "%s, %s of %d, way %d: %d", targets[k], dtype_name(types[t]), (int)c,
                              way, n);
                }
}

/* Pixels of three bytes that lie backwards: sixteen at once, though AVX-512 without VBMI has no shuffle
 * of the bytes of a register. */
Test(moves, threes_are_turned_together)
{
    static const char *const words[] = { "vpshufb" };
    now = (Case){ FLIPPED, WEFT_U8, 31, 256, 3, 1, false };
    cr_expect_eq(code_count("avx512", make_moves, words, 1), 4);
    for (now.pixels = 1; now.pixels < 300; now.pixels += 15) code_check(make_moves);
}

/* What is computed of pixels of 4 colours is loaded as wholes, too. */
Test(moves, whole_pixels_computed)
{
    static const char *const targets[] = { "avx512", "avx2" };
    for (int k = 0; k < 2; k++)
        for (int way = TURNED; way <= TURNED_BACK; way++) {
            int n = single_loads(targets[k], (Way)way, WEFT_F32, 4, true);
            cr_expect(n == 0, "%s, way %d: %d", targets[k], way, n);
        }
}

/* So is what data says where it lies. */
Test(moves, whole_pixels_by_number)
{
    static const char *const targets[] = { "avx512", "avx2" };
    for (int k = 0; k < 2; k++)
        for (int64_t c = 2; c <= 8; c *= 2) {
            cr_expect_eq(single_loads(targets[k], BY_NUMBER, WEFT_F32, c, false), 0, "%s, %d", targets[k],
                         (int)c);
            if (c >= 4)
                cr_expect_eq(single_loads(targets[k], BY_NUMBER, WEFT_F32, c, true), 0, "%s", targets[k]);
        }
}

/* ---- elements of a short row by their numbers ---- */

static int64_t row_length, taken;

static void make_rows(ProgramBuilder *b, int lanes)
{
    enum { ROWS = 5 };
    uint32_t x = program_buffer(b, BUF_INPUT, now.type, ROWS * row_length),
             numbers = program_buffer(b, BUF_INPUT, WEFT_I32, taken),
             y = program_buffer(b, BUF_OUTPUT, now.type, ROWS * taken);
    Val i = put_loop(b, ROWS, 1, 1), j = put_loop(b, taken, lanes, lanes > 1 ? 2 : 1),
        at = put_number(b, numbers, j, row_length - 1);
    put_store(b, y, AT(0, { i, taken }, { j, 1 }), put_load(b, x, AT(0, { i, row_length }, { at, 1 })));
    put_end(b, j);
    put_end(b, i);
}

Test(moves, short_rows)
{
    static const int64_t lengths[] = { 1, 7, 8, 16, 17, 30, 64, 72, 73, 100, 144, 145, 300 };
    static const DType types[] = { WEFT_F32, WEFT_I32, WEFT_F64, WEFT_U8 };
    for (int t = 0; t < 4; t++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            now.type = types[t];
            taken = 61;
            row_length = lengths[l];
            code_check(make_rows);
        }
}

/* Rows that fit into registers are not gathered from. */
Test(moves, short_rows_in_registers)
{
    static const struct {
        const char *target;
        int64_t length;
        bool gathers;
    } rows[] = {
        { "avx512", 144, false }, { "avx512", 145, true }, { "avx2", 72, false }, { "avx2", 73, true }
    };
    now.type = WEFT_F32;
    taken = 64;
    for (int k = 0; k < 4; k++) {
        row_length = rows[k].length;
        int n = loads_of_one(rows[k].target, make_rows);
        cr_expect((n > 0) == rows[k].gathers, "%s, %d: %d", rows[k].target, (int)row_length, n);
    }
}
