/* test_short_rows.c: rows that are not whole vectors are walked several as one, where something is read again
 * for each row; lanes go across rows of a few elements; and each element is right. */
#include "compiler/pipeline.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

/* Has the program for 16 lanes a loop with lanes over so many elements? */
static bool graph_has_lanes(Arena *a, const Graph *g, int64_t extent)
{
    Failure f = { 0 };
    bool found = false;
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, a, g, &f);
    cr_assert(p, "%s", f.text);
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            found |= s->kind == ST_LOOP && s->lanes > 1 && s->extent == extent;
        }
    return found;
}

static bool has_lanes(const char *text, int64_t extent)
{
    Arena a;
    arena_open(&a);
    bool found = graph_has_lanes(&a, fuse_parsed(&a, text), extent);
    arena_free(&a);
    return found;
}

/* The same values as eager mode's, interpreted and compiled; and a loop as long as wanted. */
static void check(const char *what, int64_t wanted, const char *text)
{
    Arena a;
    cr_expect(has_lanes(text, wanted), "%s: no loop of %lld", what, (long long)wanted);
    arena_open(&a);
    fuse_compare(what, fuse_parsed(&a, text));
    arena_free(&a);
}

/* x [rows, n] op something of [n], spread over the rows */
#define ADDS_ROW(ROWS, N, TYPE) \
    "func.func @main(%x: tensor<" #ROWS "x" #N "x" TYPE ">, %r: tensor<" #N "x" TYPE ">) -> tensor<" #ROWS \
    "x" #N "x" TYPE "> {\n" \
    " %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<" #N "x" TYPE ">) -> tensor<" #ROWS "x" #N \
    "x" TYPE ">\n" \
    " %y = stablehlo.add %x, %b : tensor<" #ROWS "x" #N "x" TYPE ">\n" \
    " return %y : tensor<" #ROWS "x" #N "x" TYPE ">\n}\n"

Test(short_rows, one_row_for_all)
{
    check("16 rows of 25", 400, ADDS_ROW(320, 25, "f32"));
    check("8 rows of 25", 200, ADDS_ROW(320, 25, "f64"));
    check("16 rows of 3", 48, ADDS_ROW(320, 3, "f32"));
    check("8 rows of 10", 80, ADDS_ROW(320, 10, "f32"));
    check("i8", 64 * 7, ADDS_ROW(1024, 7, "i8"));
}

Test(short_rows, rows_that_stay)
{
    check("whole vectors", 32, ADDS_ROW(320, 32, "f32"));
    check("nearly whole vectors", 255, ADDS_ROW(320, 255, "f32"));
    check("rows that 16 do not divide", 25, ADDS_ROW(321, 25, "f32"));
    check("few rows", 25, ADDS_ROW(64, 25, "f32"));
    check("a number for each row", 25,
          "func.func @main(%x: tensor<320x25xf32>, %r: tensor<25xf32>, %c: tensor<320xf32>)"
          " -> tensor<320x25xf32> {\n"
          " %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<25xf32>) -> tensor<320x25xf32>\n"
          " %d = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<320xf32>) -> tensor<320x25xf32>\n"
          " %y = stablehlo.add %x, %b : tensor<320x25xf32>\n"
          " %z = stablehlo.multiply %y, %d : tensor<320x25xf32>\n"
          " return %z : tensor<320x25xf32>\n}\n");
}

Test(short_rows, several_rows)
{
    check("mean and deviation", 208,
          "func.func @main(%x: tensor<20x16x13xf32>, %m: tensor<13xf32>, %s: tensor<1x13xf32>)"
          " -> tensor<20x16x13xf32> {\n"
          " %a = stablehlo.broadcast_in_dim %m, dims = [2] : (tensor<13xf32>) -> tensor<20x16x13xf32>\n"
          " %b = stablehlo.broadcast_in_dim %s, dims = [0, 2] : (tensor<1x13xf32>) -> tensor<20x16x13xf32>\n"
          " %c = stablehlo.subtract %x, %a : tensor<20x16x13xf32>\n"
          " %d = stablehlo.divide %c, %b : tensor<20x16x13xf32>\n"
          " return %d : tensor<20x16x13xf32>\n}\n");
    check("computed from a row", 208,
          "func.func @main(%x: tensor<320x13xf32>, %m: tensor<13xf32>) -> tensor<320x13xf32> {\n"
          " %e = stablehlo.negate %m : tensor<13xf32>\n"
          " %b = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<13xf32>) -> tensor<320x13xf32>\n"
          " %c = stablehlo.multiply %x, %b : tensor<320x13xf32>\n"
          " return %c : tensor<320x13xf32>\n}\n");
    check("the same row in another order", 13,
          "func.func @main(%x: tensor<320x13xf32>, %m: tensor<13xf32>) -> tensor<320x13xf32> {\n"
          " %r = stablehlo.reverse %m, dims = [0] : tensor<13xf32>\n"
          " %a = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<13xf32>) -> tensor<320x13xf32>\n"
          " %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<13xf32>) -> tensor<320x13xf32>\n"
          " %c = stablehlo.multiply %x, %a : tensor<320x13xf32>\n"
          " %d = stablehlo.add %c, %b : tensor<320x13xf32>\n"
          " return %d : tensor<320x13xf32>\n}\n");
}

/* Pixels and their few colours are one loop, also where pixels are padded, joined, cropped or looked at in
 * windows: what then decides is the index of an element. */
Test(short_rows, colours)
{
    check("padded", 150,
          "func.func @main(%x: tensor<9x50x3xf32>, %z: tensor<f32>) -> tensor<11x52x3xf32> {\n"
          " %y = stablehlo.pad %x, %z, low = [1, 1, 0], high = [1, 1, 0], interior = [0, 0, 0] :"
          " (tensor<9x50x3xf32>, tensor<f32>) -> tensor<11x52x3xf32>\n"
          " return %y : tensor<11x52x3xf32>\n}\n");
    check("padded below", 196,
          "func.func @main(%x: tensor<9x50x4xf32>, %z: tensor<f32>) -> tensor<7x51x4xf32> {\n"
          " %y = stablehlo.pad %x, %z, low = [-1, 2, 0], high = [-1, -1, 0], interior = [0, 0, 0] :"
          " (tensor<9x50x4xf32>, tensor<f32>) -> tensor<7x51x4xf32>\n"
          " return %y : tensor<7x51x4xf32>\n}\n");
    check("joined, its ends once more", 192,
          "func.func @main(%x: tensor<9x64x3xf32>) -> tensor<9x66x3xf32> {\n"
          " %a = stablehlo.slice %x [0:9, 0:1, 0:3] : (tensor<9x64x3xf32>) -> tensor<9x1x3xf32>\n"
          " %b = stablehlo.slice %x [0:9, 63:64, 0:3] : (tensor<9x64x3xf32>) -> tensor<9x1x3xf32>\n"
          " %y = stablehlo.concatenate %a, %x, %b, dim = 1 : (tensor<9x1x3xf32>, tensor<9x64x3xf32>,"
          " tensor<9x1x3xf32>) -> tensor<9x66x3xf32>\n"
          " %e = stablehlo.negate %y : tensor<9x66x3xf32>\n"
          " return %e : tensor<9x66x3xf32>\n}\n");
    for (int turn = 0; turn < 2; turn++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "func.func @main(%%x: tensor<9x40x4xf32>, %%r: tensor<%s>) -> tensor<9x41x4xf32> {\n"
            " %%b = %s\n"
            " %%y = stablehlo.concatenate %%x, %%b, dim = 1 : (tensor<9x40x4xf32>,"
            " tensor<9x1x4xf32>) -> tensor<9x41x4xf32>\n"
            " %%e = stablehlo.negate %%y : tensor<9x41x4xf32>\n"
            " return %%e : tensor<9x41x4xf32>\n}\n",
            turn ? "9x1x2x2xf32" : "1x4xf32",
            turn ? "stablehlo.reshape %r : (tensor<9x1x2x2xf32>) -> tensor<9x1x4xf32>"
                 : "stablehlo.broadcast_in_dim %r, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<9x1x4xf32>");
        check("one pixel behind, spread or reshaped", turn ? 40 : 160, text);
    }
    check("windows", 173,
          "func.func @main(%x: tensor<9x64x3xf32>, %z: tensor<f32>) -> tensor<9x64x3xf32> {\n"
          " %y = \"stablehlo.reduce_window\"(%x, %z) <{padding = dense<[[0, 0], [1, 1], [0, 0]]> :"
          " tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 1>}> ({\n"
          " ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
          "  %m = stablehlo.maximum %a, %b : tensor<f32>\n  stablehlo.return %m : tensor<f32>\n"
          " }) : (tensor<9x64x3xf32>, tensor<f32>) -> tensor<9x64x3xf32>\n"
          " return %y : tensor<9x64x3xf32>\n}\n");
    check("cropped, each image elsewhere", 68,
          "func.func @main(%x: tensor<64x32x3xf32>, %s: tensor<64x1xi32>, %z: tensor<f32>)"
          " -> tensor<64x32x3xf32> {\n"
          " %p = stablehlo.pad %x, %z, low = [0, 4, 0], high = [0, 4, 0], interior = [0, 0, 0] :"
          " (tensor<64x32x3xf32>, tensor<f32>) -> tensor<64x40x3xf32>\n"
          " %y = \"stablehlo.gather\"(%p, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],"
          " operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1],"
          " index_vector_dim = 1>, slice_sizes = array<i64: 1, 32, 3>}> :"
          " (tensor<64x40x3xf32>, tensor<64x1xi32>) -> tensor<64x32x3xf32>\n"
          " return %y : tensor<64x32x3xf32>\n}\n");
}

/* Not what decides about the colours themselves, or puts something between pixels; and rows that are padded
 * keep their own index. */
Test(short_rows, colours_at_other_axes)
{
    check("both axes, cut again", 144,
          "func.func @main(%x: tensor<9x50x3xf32>, %z: tensor<f32>) -> tensor<9x48x3xf32> {\n"
          " %y = stablehlo.pad %x, %z, low = [2, 2, 0], high = [2, 2, 0], interior = [0, 0, 0] :"
          " (tensor<9x50x3xf32>, tensor<f32>) -> tensor<13x54x3xf32>\n"
          " %s = stablehlo.slice %y [0:9, 3:51, 0:3] : (tensor<13x54x3xf32>) -> tensor<9x48x3xf32>\n"
          " %t = stablehlo.slice %y [4:13, 3:51, 0:3] : (tensor<13x54x3xf32>) -> tensor<9x48x3xf32>\n"
          " %u = stablehlo.add %s, %t : tensor<9x48x3xf32>\n"
          " return %u : tensor<9x48x3xf32>\n}\n");
    check("colours padded, too", 50,
          "func.func @main(%x: tensor<9x50x3xf32>, %z: tensor<f32>) -> tensor<9x52x5xf32> {\n"
          " %y = stablehlo.pad %x, %z, low = [0, 1, 1], high = [0, 1, 1], interior = [0, 0, 0] :"
          " (tensor<9x50x3xf32>, tensor<f32>) -> tensor<9x52x5xf32>\n"
          " return %y : tensor<9x52x5xf32>\n}\n");
    check("holes between pixels", 49,
          "func.func @main(%x: tensor<9x50x3xf32>, %z: tensor<f32>) -> tensor<9x99x3xf32> {\n"
          " %y = stablehlo.pad %x, %z, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 1, 0] :"
          " (tensor<9x50x3xf32>, tensor<f32>) -> tensor<9x99x3xf32>\n"
          " return %y : tensor<9x99x3xf32>\n}\n");
}

/* Rows of a stack, one for each step: the copy is made in each. */
Test(short_rows, in_a_loop)
{
    check("scan", 208,
          "func.func @main(%x: tensor<320x13xf32>, %m: tensor<5x13xf32>) -> tensor<320x13xf32> {\n"
          " %i = stablehlo.constant dense<0> : tensor<i32>\n"
          " %n = stablehlo.constant dense<5> : tensor<i32>\n"
          " %one = stablehlo.constant dense<1> : tensor<i32>\n"
          " %z = stablehlo.constant dense<0> : tensor<i32>\n"
          " %w:2 = stablehlo.while(%k = %i, %y = %x) : tensor<i32>, tensor<320x13xf32>\n"
          " cond {\n  %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "  stablehlo.return %t : tensor<i1>\n } do {\n"
          "  %s = stablehlo.dynamic_slice %m, %k, %z, sizes = [1, 13] : (tensor<5x13xf32>, tensor<i32>,"
          " tensor<i32>) -> tensor<1x13xf32>\n"
          "  %b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<1x13xf32>) -> tensor<320x13xf32>\n"
          "  %d = stablehlo.multiply %y, %b : tensor<320x13xf32>\n"
          "  %f = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "  %q = stablehlo.reduce(%y init: %f) applies stablehlo.maximum across dimensions = [0, 1] :"
          " (tensor<320x13xf32>, tensor<f32>) -> tensor<f32>\n"
          "  %u = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<f32>) -> tensor<320x13xf32>\n"
          "  %e = stablehlo.subtract %d, %u : tensor<320x13xf32>\n"
          "  %l = stablehlo.add %k, %one : tensor<i32>\n"
          "  stablehlo.return %l, %e : tensor<i32>, tensor<320x13xf32>\n }\n"
          " return %w#1 : tensor<320x13xf32>\n}\n");
}

/* x [rows, n] less the sums of its rows */
#define LESS_SUM(ROWS, N, TYPE) \
    "func.func @main(%x: tensor<" #ROWS "x" #N "x" TYPE ">) -> tensor<" #ROWS "x" #N "x" TYPE "> {\n" \
    " %z = stablehlo.constant dense<0.0> : tensor<" TYPE ">\n" \
    " %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<" #ROWS \
    "x" #N "x" TYPE ">, tensor<" TYPE ">) -> tensor<" #ROWS "x" TYPE ">\n" \
    " %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<" #ROWS "x" TYPE ">) -> tensor<" #ROWS "x" #N \
    "x" TYPE ">\n" \
    " %y = stablehlo.subtract %x, %b : tensor<" #ROWS "x" #N "x" TYPE ">\n" \
    " return %y : tensor<" #ROWS "x" #N "x" TYPE ">\n}\n"

Test(short_rows, lanes_across)
{
    check("2", 320, LESS_SUM(320, 2, "f32"));
    check("3", 333, LESS_SUM(333, 3, "f32"));
    check("4", 320, LESS_SUM(320, 4, "f32"));
    check("5", 65, LESS_SUM(65, 5, "f32"));
    check("6", 100, LESS_SUM(100, 6, "f32"));
    check("7", 100, LESS_SUM(100, 7, "f64"));
    check("8", 97, LESS_SUM(97, 8, "f32"));
    check("9", 97, LESS_SUM(97, 9, "f32"));
    check("9, of 8 bytes", 97, LESS_SUM(97, 9, "f64"));
    check("of 2 bytes", 97, LESS_SUM(97, 3, "f16"));
    check("long rows", 20, LESS_SUM(97, 20, "f32"));
    check("few rows", 3, LESS_SUM(7, 3, "f32"));
}

/* f(x [rows, 1] op y [1, n]), with y an argument, or the indices of the columns */
#define BESIDE(ROWS, N, TYPE, Y, OP, F) \
    "func.func @main(%x: tensor<" #ROWS "x" TYPE ">, %r: tensor<" #N "x" TYPE ">) -> tensor<" #ROWS "x" #N \
    "x" TYPE "> {\n" \
    " %i = stablehlo.iota dim = 0 : tensor<" #N "x" TYPE ">\n" \
    " %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<" #ROWS "x" TYPE ">) -> tensor<" #ROWS "x" #N \
    "x" TYPE ">\n" \
    " %b = stablehlo.broadcast_in_dim %" Y ", dims = [1] : (tensor<" #N "x" TYPE ">) -> tensor<" #ROWS \
    "x" #N "x" TYPE ">\n" \
    " %y = stablehlo." OP " %a, %b : tensor<" #ROWS "x" #N "x" TYPE ">\n" \
    " %z = stablehlo." F " %y : tensor<" #ROWS "x" #N "x" TYPE ">\n" \
    " return %z : tensor<" #ROWS "x" #N "x" TYPE ">\n}\n"

/* A math function fills vectors: rows of 6 would leave most of one idle. */
Test(short_rows, math_goes_across)
{
    check("6 of 16", 97, BESIDE(97, 6, "f32", "r", "multiply", "cosine"));
    check("9 of 16", 97, BESIDE(97, 9, "f32", "r", "multiply", "cosine"));
    check("6 of 8", 97, BESIDE(97, 6, "f64", "r", "multiply", "cosine"));
    check("7 of 8", 7, BESIDE(97, 7, "f64", "r", "multiply", "cosine"));
    check("12 of 16", 12, BESIDE(97, 12, "f32", "r", "multiply", "cosine"));
    check("few rows", 6, BESIDE(15, 6, "f32", "r", "multiply", "cosine"));
}

/* Does the program compute powers? */
static bool has_powers(const char *text)
{
    Arena a, of_text;
    bool found = false;
    arena_open(&of_text);
    const Program *p = fused(&a, fuse_parsed(&of_text, text));
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++)
            found |= p->kernels[k].stmts[i].kind == ST_OP && p->kernels[k].stmts[i].op == OP_POW;
    arena_free(&a);
    arena_free(&of_text);
    return found;
}

/* Powers by the index of a short axis are products. */
Test(short_rows, powers_by_index)
{
    cr_expect(has_powers(BESIDE(97, 6, "f32", "r", "power", "negate")));
    cr_expect(!has_powers(BESIDE(97, 6, "f32", "i", "power", "negate")));
    cr_expect(!has_powers(BESIDE(97, 17, "f64", "i", "power", "negate")));
    cr_expect(has_powers(BESIDE(97, 18, "f64", "i", "power", "negate")), "x^17 is closer by its own steps");
    check("by 0 .. 5", 6, BESIDE(97, 6, "f32", "i", "power", "negate"));
    check("by 0 .. 16", 17, BESIDE(97, 17, "f32", "i", "power", "negate"));
    check("by 0 .. 16", 17, BESIDE(97, 17, "f64", "i", "power", "negate"));
    check("by 0 .. 5, f16", 97, BESIDE(97, 6, "f16", "i", "power", "negate"));
    check("a polynomial, its highest power first", 1000,
          "func.func @main(%x: tensor<1000xf32>, %c: tensor<5xf32>) -> tensor<1000xf32> {\n"
          " %n = stablehlo.constant dense<4.0> : tensor<5xf32>\n"
          " %i = stablehlo.iota dim = 0 : tensor<5xf32>\n"
          " %k = stablehlo.subtract %n, %i : tensor<5xf32>\n"
          " %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1000xf32>) -> tensor<1000x5xf32>\n"
          " %b = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<5xf32>) -> tensor<1000x5xf32>\n"
          " %p = stablehlo.power %a, %b : tensor<1000x5xf32>\n"
          " %z = stablehlo.dot_general %p, %c, contracting_dims = [1] x [0] :"
          " (tensor<1000x5xf32>, tensor<5xf32>) -> tensor<1000xf32>\n"
          " return %z : tensor<1000xf32>\n}\n");
}

Test(short_rows, lanes_across_matrices)
{
    check("products", 50,
          "func.func @main(%x: tensor<50x3x3xf32>, %y: tensor<50x3x3xf32>) -> tensor<50x3x3xf32> {\n"
          " %z = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] :"
          " (tensor<50x3x3xf32>, tensor<50x3x3xf32>) -> tensor<50x3x3xf32>\n"
          " return %z : tensor<50x3x3xf32>\n}\n");
    check("points", 97,
          "func.func @main(%x: tensor<97x3xf32>, %m: tensor<3x4xf32>) -> tensor<97x4xf32> {\n"
          " %z = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] :"
          " (tensor<97x3xf32>, tensor<3x4xf32>) -> tensor<97x4xf32>\n"
          " return %z : tensor<97x4xf32>\n}\n");
    check("largest", 97,
          "func.func @main(%x: tensor<97x5xf32>) -> tensor<97xf32> {\n"
          " %l = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          " %z = stablehlo.reduce(%x init: %l) applies stablehlo.maximum across dimensions = [1] :"
          " (tensor<97x5xf32>, tensor<f32>) -> tensor<97xf32>\n"
          " return %z : tensor<97xf32>\n}\n");
    check("pieces beside each other", 97,
          "func.func @main(%x: tensor<97x3xf32>, %y: tensor<97x2xf32>) -> tensor<97x5xf32> {\n"
          " %a = stablehlo.negate %x : tensor<97x3xf32>\n"
          " %z = stablehlo.concatenate %a, %y, dim = 1 :"
          " (tensor<97x3xf32>, tensor<97x2xf32>) -> tensor<97x5xf32>\n"
          " return %z : tensor<97x5xf32>\n}\n");
}

/* x [ROWS, SUM, FEW] times y [SUM, COLUMNS], with the few in the end: an image made wider or narrower. */
#define WIDENS(ROWS, SUM, COLUMNS, FEW, TYPE) \
    "func.func @main(%x: tensor<" #ROWS "x" #SUM "x" #FEW "x" TYPE ">, %y: tensor<" #SUM "x" #COLUMNS \
    "x" TYPE ">) -> tensor<" #ROWS "x" #COLUMNS "x" #FEW "x" TYPE "> {\n" \
    " %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<" #ROWS "x" #SUM "x" #FEW \
    "x" TYPE ">, tensor<" #SUM "x" #COLUMNS "x" TYPE ">) -> tensor<" #ROWS "x" #FEW "x" #COLUMNS "x" TYPE \
    ">\n" \
    " %t = stablehlo.transpose %z, dims = [0, 2, 1] : (tensor<" #ROWS "x" #FEW "x" #COLUMNS "x" TYPE \
    ">) -> tensor<" #ROWS "x" #COLUMNS "x" #FEW "x" TYPE ">\n" \
    " return %t : tensor<" #ROWS "x" #COLUMNS "x" #FEW "x" TYPE ">\n}\n"

/* Lanes go along the columns, whose weights are neighbours, not along the sum, which reads both across. */
Test(short_rows, contractions_across)
{
    check("3 colours", 52, WIDENS(9, 31, 52, 3, "f32"));
    check("2 colours", 100, WIDENS(4, 40, 100, 2, "f32"));
    check("5 colours", 33, WIDENS(7, 20, 33, 5, "f32"));
    check("8 colours", 40, WIDENS(5, 30, 40, 8, "f32"));
    check("f64", 45, WIDENS(9, 31, 45, 3, "f64"));
    check("f16", 40, WIDENS(9, 31, 40, 3, "f16"));
    check("one row", 50, WIDENS(1, 31, 50, 3, "f32"));
    check("lanes that 8 colours fill", 8, WIDENS(5, 30, 40, 8, "f64"));
    check("few columns", 31, WIDENS(9, 31, 7, 3, "f32"));
    check("weights that are turned first", 52,
          "func.func @main(%x: tensor<9x31x3xf32>, %y: tensor<52x31xf32>) -> tensor<9x52x3xf32> {\n"
          " %z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] :"
          " (tensor<9x31x3xf32>, tensor<52x31xf32>) -> tensor<9x3x52xf32>\n"
          " %t = stablehlo.transpose %z, dims = [0, 2, 1] : (tensor<9x3x52xf32>) -> tensor<9x52x3xf32>\n"
          " return %t : tensor<9x52x3xf32>\n}\n");
    check("few right sides of a transposed matrix", 50,
          "func.func @main(%x: tensor<31x50xf32>, %y: tensor<31x3xf32>) -> tensor<50x3xf32> {\n"
          " %z = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] :"
          " (tensor<31x50xf32>, tensor<31x3xf32>) -> tensor<50x3xf32>\n"
          " return %z : tensor<50x3xf32>\n}\n");
}

/* Folds of blocks of SIDE x SIDE pixels of FEW numbers. */
#define FOLDS_BLOCKS(OP, START, SIDE, FEW, TYPE) \
    "func.func @main(%x: tensor<9x" #SIDE "x40x" #SIDE "x" #FEW "x" TYPE ">) -> tensor<9x40x" #FEW "x" TYPE \
    "> {\n" \
    " %z = stablehlo.constant dense<" START "> : tensor<" TYPE ">\n" \
    " %y = stablehlo.reduce(%x init: %z) applies stablehlo." OP \
    " across dimensions = [1, 3] : (tensor<9x" #SIDE "x40x" #SIDE "x" #FEW "x" TYPE ">, tensor<" TYPE \
    ">) -> tensor<9x40x" #FEW "x" TYPE ">\n" \
    " return %y : tensor<9x40x" #FEW "x" TYPE ">\n}\n"

/* The columns of large blocks are folded first, in lanes along whole rows of the image; in small ones, and
 * where sums would round twice, lanes go across the blocks, or along pixels of more numbers. */
Test(short_rows, blocks)
{
    check("4 x 4 x 3", 480, FOLDS_BLOCKS("add", "0.0", 4, 3, "f32"));
    check("4 x 4 x 3, then across", 360, FOLDS_BLOCKS("add", "0.0", 4, 3, "f32"));
    check("8 x 8 x 1, greatest", 320, FOLDS_BLOCKS("maximum", "0xFF800000", 8, 1, "f32"));
    check("5 x 5 x 2", 400, FOLDS_BLOCKS("add", "0.0", 5, 2, "f32"));
    check("2 x 2 x 3", 40, FOLDS_BLOCKS("add", "0.0", 2, 3, "f32"));
    check("f16", 40, FOLDS_BLOCKS("add", "0.0", 4, 3, "f16"));
    check("4 x 4 x 4", 4, FOLDS_BLOCKS("add", "0.0", 4, 4, "f32"));
    cr_expect(!has_lanes(FOLDS_BLOCKS("add", "0.0", 4, 4, "f32"), 640), "4 x 4 x 4: columns first");
    cr_expect(!has_lanes(FOLDS_BLOCKS("add", "0.0", 2, 3, "f32"), 240), "2 x 2 x 3: columns first");
}

/* Windows of SIDE x SIDE of 29 x 64 pixels of 3 numbers, by steps of STEP. */
#define WINDOWS(OP, START, SIDE, STEP, SIZE) \
    "func.func @main(%x: tensor<29x64x3xf32>) -> tensor<" SIZE "x3xf32> {\n" \
    " %z = stablehlo.constant dense<" START "> : tensor<f32>\n" \
    " %y = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: " #SIDE ", " #SIDE \
    ", 1>, window_strides = array<i64: " #STEP ", " #STEP ", 1>}> ({\n" \
    " ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" \
    "  %m = stablehlo." OP " %a, %b : tensor<f32>\n  stablehlo.return %m : tensor<f32>\n" \
    " }) : (tensor<29x64x3xf32>, tensor<f32>) -> tensor<" SIZE "x3xf32>\n" \
    " return %y : tensor<" SIZE "x3xf32>\n}\n"

Test(short_rows, windows_by_steps)
{
    check("sums of 7 x 7 by 2", 192, WINDOWS("add", "0.0", 7, 2, "12x29"));
    check("sums of 5 x 5 by 3", 192, WINDOWS("add", "0.0", 5, 3, "9x20"));
    check("sums of 4 x 4 beside each other", 192, WINDOWS("add", "0.0", 4, 4, "7x16"));
    check("greatest of 4 x 4 beside each other", 192, WINDOWS("maximum", "0xFF800000", 4, 4, "7x16"));
    check("sums of 3 x 3 by 2", 31, WINDOWS("add", "0.0", 3, 2, "14x31"));
}

/* Lanes stay on the results' axis where several loops store results: parts of a concatenation, statistics of
 * columns that need each other. */
Test(short_rows, several_results)
{
    static const char spread[] =
        "func.func @main(%x: tensor<300x208xf32>) -> (tensor<208xf32>, tensor<208xf32>) {\n"
        " %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        " %n = stablehlo.constant dense<300.0> : tensor<208xf32>\n"
        " %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] :"
        " (tensor<300x208xf32>, tensor<f32>) -> tensor<208xf32>\n"
        " %m = stablehlo.divide %s, %n : tensor<208xf32>\n"
        " %b = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<208xf32>) -> tensor<300x208xf32>\n"
        " %d = stablehlo.subtract %x, %b : tensor<300x208xf32>\n"
        " %q = stablehlo.multiply %d, %d : tensor<300x208xf32>\n"
        " %v = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] :"
        " (tensor<300x208xf32>, tensor<f32>) -> tensor<208xf32>\n"
        " return %m, %v : tensor<208xf32>, tensor<208xf32>\n}\n";
    check("a sum over a short axis, in both parts of a stack", 208,
          "func.func @main(%x: tensor<2x200x208xf32>) -> tensor<2x200x208xf32> {\n"
          " %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
          " %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] :"
          " (tensor<2x200x208xf32>, tensor<f32>) -> tensor<200x208xf32>\n"
          " %r = stablehlo.reshape %s : (tensor<200x208xf32>) -> tensor<1x200x208xf32>\n"
          " %a = stablehlo.slice %x [0:1, 0:200, 0:208] : (tensor<2x200x208xf32>) -> tensor<1x200x208xf32>\n"
          " %b = stablehlo.slice %x [1:2, 0:200, 0:208] : (tensor<2x200x208xf32>) -> tensor<1x200x208xf32>\n"
          " %c = stablehlo.divide %a, %r : tensor<1x200x208xf32>\n"
          " %d = stablehlo.subtract %b, %r : tensor<1x200x208xf32>\n"
          " %y = stablehlo.concatenate %c, %d, dim = 0 : (tensor<1x200x208xf32>, tensor<1x200x208xf32>)"
          " -> tensor<2x200x208xf32>\n"
          " return %y : tensor<2x200x208xf32>\n}\n");
    check("mean and squares of columns", 208, spread);
    cr_expect(!has_lanes(spread, 300), "lanes go down the columns");
}

/* Blocks of SIDE x SIDE pixels of DEEP numbers, put together to images; then OP of each number and 2. */
#define MERGES_BLOCKS(N, SIDE, DEEP, LAST, SIZE, TYPE) \
    "func.func @main(%x: tensor<" #N "x" LAST "x" TYPE ">) -> tensor<" SIZE "x" #DEEP "x" TYPE "> {\n" \
    " %0 = stablehlo.reshape %x : (tensor<" #N "x" LAST "x" TYPE ">) -> tensor<4x5x" #SIDE "x" #SIDE \
    "x" #DEEP "x" TYPE ">\n" \
    " %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3, 4] : (tensor<4x5x" #SIDE "x" #SIDE "x" #DEEP "x" TYPE \
    ">) -> tensor<4x" #SIDE "x5x" #SIDE "x" #DEEP "x" TYPE ">\n" \
    " %2 = stablehlo.reshape %1 : (tensor<4x" #SIDE "x5x" #SIDE "x" #DEEP "x" TYPE ">) -> tensor<" SIZE \
    "x" #DEEP "x" TYPE ">\n"
#define AND_DOUBLES(SIZE, DEEP, TYPE) \
    " %3 = stablehlo.add %2, %2 : tensor<" SIZE "x" #DEEP "x" TYPE ">\n" \
    " return %3 : tensor<" SIZE "x" #DEEP "x" TYPE ">\n}\n"
#define AND_NO_MORE(SIZE, DEEP, TYPE) " return %2 : tensor<" SIZE "x" #DEEP "x" TYPE ">\n}\n"

/* A block's row has the lanes. */
Test(short_rows, merged_blocks)
{
    check("16 x 16 x 3", 48, MERGES_BLOCKS(20, 16, 3, "768", "64x80", "f32") AND_NO_MORE("64x80", 3, "f32"));
    check("5 x 5 x 3", 15, MERGES_BLOCKS(20, 5, 3, "75", "20x25", "f32") AND_NO_MORE("20x25", 3, "f32"));
    check("its double", 15, MERGES_BLOCKS(20, 5, 3, "75", "20x25", "f32") AND_DOUBLES("20x25", 3, "f32"));
    check("f64", 24, MERGES_BLOCKS(20, 8, 3, "192", "32x40", "f64") AND_DOUBLES("32x40", 3, "f64"));
    check("25 in one", 15, MERGES_BLOCKS(20, 5, 3, "25x3", "20x25", "f32") AND_DOUBLES("20x25", 3, "f32"));
}

/* Which of the 9 pixels of each block is the greatest: the blocks' axes are folded, not what a reshape makes
 * of them. Of 4 colours, lanes go across pixels. */
Test(short_rows, greatest_of_blocks)
{
    static const int64_t colours[] = { 1, 4, 20 }, lanes[] = { 40, 40, 20 }, axis = 3;
    for (int k = 0; k < 3; k++) {
        GRAPH(g);
        int64_t c = colours[k];
        Ref x = build_param(g, F32(12, 3, 40, 3, c)),
            blocks = build_transpose(g, x, (const int64_t[]){ 0, 2, 4, 1, 3 }),
            rows = build_reshape(g, blocks, (const int64_t[]){ 12, 40, c, 9 }, 4);
        GIVES(g, graph_add(g, &(NodeSpec){ .op = OP_ARGMAX,
                                           .args = &rows,
                                           .n_args = 1,
                                           .attr = &axis,
                                           .n_attr = 1,
                                           .dtype = WEFT_I32 }));
        cr_expect(graph_has_lanes(&g_arena, g, lanes[k]), "%d colours", (int)c);
        fuse_compare("greatest of blocks", g);
        arena_free(&g_arena);
    }
}

/* Folds of few folds, and of many that do not read neighbours, leave the lanes along the result: pixels
 * repeated along two axes have such a gradient. */
Test(short_rows, folds_of_folds)
{
    static const struct {
        int64_t dim[6], inner, outer, lanes;
    } all[] = {
        { { 3, 6, 2, 5, 2, 37 }, 4, 2, 37 },  { { 2, 3, 7, 2, 21, 2 }, 5, 3, 21 },
        { { 1, 5, 4, 40, 4, 3 }, 4, 2, 40 },  { { 1, 1, 3, 50, 3, 37 }, 4, 3, 37 },
        { { 1, 1, 3, 300, 40, 8 }, 4, 3, 8 }, { { 1, 1, 2, 3, 40, 37 }, 4, 3, 37 },
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int t = 0; t < 3; t++) {
            GRAPH(g);
            Type type = { t == 1 ? WEFT_F64 : WEFT_F32, 6, all[k].dim };
            Op outer = t == 2 ? OP_MAX : OP_ADD;
            Ref inner = build_reduce(g, OP_ADD, build_param(g, type), &all[k].inner, 1);
            GIVES(g, build_reduce(g, outer, build_unary(g, OP_ABS, inner), &all[k].outer, 1));
            cr_expect(graph_has_lanes(&g_arena, g, all[k].lanes), "%zu: no %d", k, (int)all[k].lanes);
            fuse_compare("folds of folds", g);
            arena_free(&g_arena);
        }
}
