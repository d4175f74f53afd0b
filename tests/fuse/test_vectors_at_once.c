/* test_vectors_at_once.c: how many vectors of half a line, of 16 registers, a loop computes at once. */
#include "compiler/pipeline.h"
#include "tests/support/fuse_suite.h"

/* The least of all loops of a program of one kernel. */
static uint32_t vectors_at_once(const char *text)
{
    Arena a;
    Failure f = { 0 };
    Target narrow = wide;
    uint32_t least = UINT32_MAX;
    narrow.vector_bytes = 32, narrow.vector_registers = 16;
    arena_open(&a);
    const Graph *g = fuse_parsed(&a, text);
    const Program *p = pipeline_run(&(Pipeline){ .target = &narrow }, &a, g, &f);
    cr_assert(p, "%s", f.text);
    cr_assert_eq(p->n_kernels, 1);
    for (uint32_t i = 0; i < p->kernels[0].n_stmts; i++) {
        const Stmt *s = &p->kernels[0].stmts[i];
        if (s->kind == ST_LOOP && s->lanes > 1 && s->tile < least) least = s->tile;
    }
    fuse_compare(text, g);
    arena_free(&a);
    return least;
}

/* A step of Adam. It has as many values alive at once as leave room for one vector. */
Test(vectors_at_once, of_several_results)
{
    const char *step =
        "func.func @main(%p: tensor<100000xf32>, %g: tensor<100000xf32>, %m: tensor<100000xf32>,\n"
        "    %v: tensor<100000xf32>)\n"
        "    -> (tensor<100000xf32>, tensor<100000xf32>, tensor<100000xf32>) {\n"
        "  %a = stablehlo.constant dense<0.9> : tensor<100000xf32>\n"
        "  %b = stablehlo.constant dense<0.1> : tensor<100000xf32>\n"
        "  %0 = stablehlo.multiply %g, %b : tensor<100000xf32>\n"
        "  %1 = stablehlo.multiply %m, %a : tensor<100000xf32>\n"
        "  %2 = stablehlo.add %1, %0 : tensor<100000xf32>\n"
        "  %3 = stablehlo.multiply %g, %g : tensor<100000xf32>\n"
        "  %4 = stablehlo.multiply %3, %b : tensor<100000xf32>\n"
        "  %5 = stablehlo.multiply %v, %a : tensor<100000xf32>\n"
        "  %6 = stablehlo.add %5, %4 : tensor<100000xf32>\n"
        "  %7 = stablehlo.abs %6 : tensor<100000xf32>\n"
        "  %8 = stablehlo.sqrt %7 : tensor<100000xf32>\n"
        "  %9 = stablehlo.add %8, %b : tensor<100000xf32>\n"
        "  %10 = stablehlo.multiply %2, %b : tensor<100000xf32>\n"
        "  %11 = stablehlo.divide %10, %9 : tensor<100000xf32>\n"
        "  %12 = stablehlo.subtract %p, %11 : tensor<100000xf32>\n"
        "  return %12, %2, %6 : tensor<100000xf32>, tensor<100000xf32>, tensor<100000xf32>\n"
        "}\n";
    cr_expect_eq(vectors_at_once(step), 2);
}

/* Neighbours in a row, and those in the rows before and behind. */
Test(vectors_at_once, of_neighbours)
{
    const char *stencil =
        "func.func @main(%x: tensor<40x120xf64>) -> tensor<38x118xf64> {\n"
        "  %c = stablehlo.slice %x [1:39, 1:119] : (tensor<40x120xf64>) -> tensor<38x118xf64>\n"
        "  %n = stablehlo.slice %x [0:38, 1:119] : (tensor<40x120xf64>) -> tensor<38x118xf64>\n"
        "  %s = stablehlo.slice %x [2:40, 1:119] : (tensor<40x120xf64>) -> tensor<38x118xf64>\n"
        "  %w = stablehlo.slice %x [1:39, 0:118] : (tensor<40x120xf64>) -> tensor<38x118xf64>\n"
        "  %e = stablehlo.slice %x [1:39, 2:120] : (tensor<40x120xf64>) -> tensor<38x118xf64>\n"
        "  %0 = stablehlo.add %c, %c : tensor<38x118xf64>\n"
        "  %1 = stablehlo.add %n, %s : tensor<38x118xf64>\n"
        "  %2 = stablehlo.subtract %1, %0 : tensor<38x118xf64>\n"
        "  %3 = stablehlo.add %w, %e : tensor<38x118xf64>\n"
        "  %4 = stablehlo.subtract %3, %0 : tensor<38x118xf64>\n"
        "  %5 = stablehlo.multiply %2, %4 : tensor<38x118xf64>\n"
        "  %6 = stablehlo.add %5, %c : tensor<38x118xf64>\n"
        "  return %6 : tensor<38x118xf64>\n"
        "}\n";
    cr_expect_eq(vectors_at_once(stencil), 4);
}
