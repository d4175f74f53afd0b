/* test_short_rows.c: rows that are not whole vectors are walked several as one, where something is read again
 * for each row; and each element is right. */
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

static const Graph *parsed(Arena *a, const char *text)
{
    Failure f = { 0 };
    const Parsed *p = text_parse(a, text, strlen(text), "test", &f, NULL);
    cr_assert(p, "%s\n%s", f.text, text);
    return p->funcs[0].graph;
}

/* Has the program for 16 lanes a loop with lanes over so many elements? */
static bool has_lanes(const char *text, int64_t extent)
{
    Arena a;
    Failure f = { 0 };
    bool found = false;
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = &wide }, &a, parsed(&a, text), &f);
    cr_assert(p, "%s", f.text);
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++) {
            const Stmt *s = &p->kernels[k].stmts[i];
            found |= s->kind == ST_LOOP && s->lanes > 1 && s->extent == extent;
        }
    arena_free(&a);
    return found;
}

/* The same values as eager mode's, interpreted and compiled; and a loop as long as wanted. */
static void check(const char *what, int64_t wanted, const char *text)
{
    Arena a;
    cr_expect(has_lanes(text, wanted), "%s: no loop of %lld", what, (long long)wanted);
    arena_open(&a);
    fuse_compare(what, parsed(&a, text));
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
