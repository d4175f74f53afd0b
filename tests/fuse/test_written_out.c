/* test_written_out.c: loops of steps over a few elements: one kernel, whose carries are numbers, with the
 * values that eager mode has; in strict mode its bits. */
#include "compiler/pipeline.h"
#include "compiler/text/text.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

#define SCAN(ARGS, TYPES, RESULT, ATTRIBUTES) \
    "%0 = stablehlo.composite \"weft.scan\" " ARGS \
    " {composite_attributes = {body = @step, " ATTRIBUTES \
    ", reverse = false, unroll = 1 : i64}, decomposition = @step} : (" TYPES ") -> " RESULT "\n" \
    "return %0 : " RESULT "\n}\n"

/* c = BODY of c, T, and a, T, which differs from step to step. */
#define STEPS(T, XS, LENGTH, BODY) \
    "func.func @main(%c: " T ", %x: " XS ") -> " T \
    " {\n" SCAN("%c, %x", T ", " XS, T, \
                "carries = 1 : i64, invariants = 0 : i64, length = " LENGTH \
                " : i64") "func.func private @step(%c: " T ", %a: " T ") -> " T " {\n" BODY "}\n"

#define M3 "tensor<3x3xf32>"
static const char *const loops[] = {
    /* a product; odd and even numbers of steps */
    STEPS(M3, "tensor<7x3x3xf32>", "7",
          "%0 = stablehlo.dot_general %c, %a, contracting_dims = [1] x [0] : (" M3 ", " M3 ") -> " M3 "\n"
          "return %0 : " M3 "\n"),
    STEPS(M3, "tensor<8x3x3xf32>", "8",
          "%0 = stablehlo.dot_general %a, %c, contracting_dims = [0] x [1] : (" M3 ", " M3 ") -> " M3 "\n"
          "return %0 : " M3 "\n"),
    /* what is added is a product that is carried */
    STEPS(M3, "tensor<5x3x3xf32>", "5",
          "%0 = stablehlo.transpose %c, dims = [1, 0] : (" M3 ") -> " M3 "\n"
          "%1 = stablehlo.add %0, %a : " M3 "\n"
          "%2 = stablehlo.multiply %1, %c : " M3 "\n"
          "return %2 : " M3 "\n"),
    /* sums in halves, of more than one vector's order; a mask of indices */
    STEPS("tensor<6xf32>", "tensor<5x6xf32>", "5",
          "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "%k = stablehlo.constant dense<2> : tensor<6xi32>\n"
          "%h = stablehlo.constant dense<0.25> : tensor<6xf32>\n"
          "%0 = stablehlo.add %c, %a : tensor<6xf32>\n"
          "%1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : "
          "(tensor<6xf32>, tensor<f32>) -> tensor<f32>\n"
          "%2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<6xf32>\n"
          "%3 = stablehlo.iota dim = 0 : tensor<6xi32>\n"
          "%4 = stablehlo.compare LT, %3, %k, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>\n"
          "%5 = stablehlo.select %4, %2, %0 : tensor<6xi1>, tensor<6xf32>\n"
          "%6 = stablehlo.multiply %5, %h : tensor<6xf32>\n"
          "return %6 : tensor<6xf32>\n"),
    STEPS("tensor<2x2xi32>", "tensor<9x2x2xi32>", "9",
          "%0 = stablehlo.dot_general %c, %a, contracting_dims = [1] x [0] : "
          "(tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>\n"
          "return %0 : tensor<2x2xi32>\n"),
};

static void check(const char *text, NumericMode mode)
{
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Parsed *p = text_parse(&a, text, strlen(text), "test", &f, NULL);
    cr_assert(p, "%s\n%s", f.text, text);
    const Graph *g = p->funcs[0].graph;
    const Program *program = pipeline_run(&(Pipeline){ .target = &wide, .mode = mode }, &a, g, &f);
    cr_assert(program, "%s", f.text);
    for (uint32_t i = 0; i < program->n_steps; i++)
        cr_expect(program->steps[i].kind != STEP_LOOP, "%s", program_print(&a, program));
    fuse_compare("small carries", g);
    arena_free(&a);
}

Test(written_out, small_carries)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        check(loops[i], MODE_DEFAULT);
        check(loops[i], MODE_STRICT);
    }
}

/* Sums over a short last axis, of rows that are gathered in lanes, are written out in eager mode's order. */
Test(written_out, sums_of_gathered_rows)
{
    for (int n = 2; n <= 9; n++) {
        char text[2048];
        Arena a;
        Failure f = { 0 };
        arena_open(&a);
        snprintf(
            text, sizeof text,
            "func.func @main(%%x: tensor<2x3x32x32x%dxf32>, %%i: tensor<2x3x2xui8>) -> tensor<32x2x3xf32> {\n"
            "%%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%%0 = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [4] : "
            "(tensor<2x3x32x32x%dxf32>, tensor<f32>) -> tensor<2x3x32x32xf32>\n"
            "%%1 = \"stablehlo.gather\"(%%0, %%i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], "
            "collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, "
            "1], "
            "start_index_map = [2, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 32>}> : "
            "(tensor<2x3x32x32xf32>, tensor<2x3x2xui8>) -> tensor<2x3x32xf32>\n"
            "%%2 = stablehlo.transpose %%1, dims = [2, 0, 1] : (tensor<2x3x32xf32>) -> tensor<32x2x3xf32>\n"
            "return %%2 : tensor<32x2x3xf32>\n}\n",
            n, n);
        const Parsed *p = text_parse(&a, text, strlen(text), "test", &f, NULL);
        cr_assert(p, "%s\n%s", f.text, text);
        fuse_compare("sums of gathered rows", p->funcs[0].graph);
        arena_free(&a);
    }
}

/* Each result is folded from one element of each part, squared. Along the first axis no part is chosen by an
 * index, and no concatenation is stored. */
Test(written_out, folds_of_parts)
{
    static const char *const folds[] = { "add", "multiply", "maximum", "minimum" };
    static const char *const starts[] = { "0.0", "1.0", "0xFF800000", "0x7F800000" };
    for (int k = 0; k < 8; k++)
        for (int n = 2; n <= 8; n += 3) {
            char text[4096], parts[512] = "", types[512] = "";
            int at = 0, axis = k / 4, used = 0, named = 0;
            const char *one = axis ? "tensor<100x1xf32>" : "tensor<1x100xf32>";
            at += snprintf(text, sizeof text,
                           "func.func @main(%%x: tensor<116xf32>) -> tensor<100xf32> {\n"
                           "%%z = stablehlo.constant dense<%s> : tensor<f32>\n",
                           starts[k % 4]);
            for (int i = 0; i < n; i++) {
                at += snprintf(text + at, sizeof text - (size_t)at,
                               "%%a%d = stablehlo.slice %%x [%d:%d] : (tensor<116xf32>) -> tensor<100xf32>\n"
                               "%%b%d = stablehlo.reshape %%a%d : (tensor<100xf32>) -> %s\n",
                               i, i, i + 100, i, i, one);
                named += snprintf(parts + named, sizeof parts - (size_t)named, "%s%%b%d", i ? ", " : "", i);
                used += snprintf(types + used, sizeof types - (size_t)used, "%s%s", i ? ", " : "", one);
            }
            snprintf(text + at, sizeof text - (size_t)at,
                     "%%0 = stablehlo.concatenate %s, dim = %d : (%s) -> tensor<%dx%dxf32>\n"
                     "%%1 = stablehlo.multiply %%0, %%0 : tensor<%dx%dxf32>\n"
                     "%%2 = stablehlo.reduce(%%1 init: %%z) applies stablehlo.%s across dimensions = [%d] : "
                     "(tensor<%dx%dxf32>, tensor<f32>) -> tensor<100xf32>\nreturn %%2 : tensor<100xf32>\n}\n",
                     parts, axis, types, axis ? 100 : n, axis ? n : 100, axis ? 100 : n, axis ? n : 100,
                     folds[k % 4], axis, axis ? 100 : n, axis ? n : 100);
            Arena a;
            Failure f = { 0 };
            arena_open(&a);
            const Parsed *p = text_parse(&a, text, strlen(text), "test", &f, NULL);
            cr_assert(p, "%s\n%s", f.text, text);
            const Graph *g = p->funcs[0].graph;
            const Program *program = pipeline_run(&(Pipeline){ .target = &wide }, &a, g, &f);
            cr_assert(program, "%s", f.text);
            const char *made = program_print(&a, program);
            cr_expect(axis || (program->n_kernels == 1 && !strstr(made, "select")), "%s", made);
            fuse_compare("folds of parts", g);
            arena_free(&a);
        }
}
