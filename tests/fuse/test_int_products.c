/* test_int_products.c: products of matrices of small ints are made two at a time (expand_halves.c). Every bit
 * is eager mode's, which multiplies one after the other, in all modes and on each machine. */
#include "compiler/pipeline.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

/* Any bits; half of them the least or the greatest of their type. */
static void fill(Values *in)
{
    unsigned seed = 1;
    for (uint32_t k = 0; k < in->n; k++)
        for (int64_t i = 0; i < type_count(in->type[k]); i++) {
            int bits = dtype_bits((DType)in->type[k].dtype);
            seed = seed * 1664525u + 1013904223u;
            uint64_t v = seed >> 8, least = (uint64_t)1 << (bits - 1);
            if (seed >> 31) v = seed >> 30 & 1 ? least : least - 1;
            memcpy((char *)in->at[k] + i * bits / 8, &v, (size_t)bits / 8);
        }
}

static bool makes_two(const Graph *g, const Target *t)
{
    Arena a;
    Failure f = { 0 };
    bool found = false;
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = t }, &a, g, &f);
    cr_assert(p && program_check(p, &f), "%s", f.text);
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (Val v = 0; v < p->kernels[k].n_stmts; v++) {
            const Stmt *s = &p->kernels[k].stmts[v];
            found |= s->kind == ST_OP && s->op == OP_DOT_HALVES;
        }
    arena_free(&a);
    return found;
}

static void agrees(const char *what, const Graph *g, const Target *t, NumericMode mode, const Values *in,
                   const Values *want)
{
    Values got = fuse_run(what, g, t, mode, in);
    for (uint32_t k = 0; k < got.n; k++)
        for (int64_t i = 0; i < type_count(got.type[k]); i++) {
            double x = get(got.type[k], got.at[k], i), y = get(want->type[k], want->at[k], i);
            cr_assert(x == y, "%s for %s, mode %d: element %lld of %u is %.17g, not %.17g", what, t->cpu,
                      (int)mode, (long long)i, k, x, y);
        }
    values_free(&got);
}

static void check(const char *what, bool two, const char *text)
{
    static const char *const targets[] = { "host", "avx512", "avx2", "sse2" };
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Graph *g = fuse_parsed(&a, text);
    Values in = values_of_params(g), want = values_of_outputs(g);
    fill(&in);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &f), "%s: %s", what, f.text);
    for (int i = 0; i < 4; i++) {
        Target t;
        if (!fuse_runs(targets[i])) continue;
        cr_assert(compile_target(targets[i], NULL, &t, &f), "%s", f.text);
        cr_expect(makes_two(g, &t) == two, "%s for %s: two products at a time: %d", what, targets[i], !two);
        agrees(what, g, &t, MODE_STRICT, &in, &want);
        agrees(what, g, &t, MODE_DEFAULT, &in, &want);
    }
    fuse_agrees(what, g, MODE_DEFAULT, &in, &want);
    values_free(&in), values_free(&want);
    arena_free(&a);
}

/* left: "i8" or "i8 i32", which is made wider first. */
static void product(bool two, const char *left, const char *right, const char *result, int m, int n, int k,
                    bool turn_left, bool turn_right)
{
    char text[2048], what[128], one[2][8], other[2][8];
    for (int i = 0; i < 2; i++) {
        one[i][0] = other[i][0] = 0;
        sscanf(left, i ? "%*s %7s" : "%7s", one[i]);
        sscanf(right, i ? "%*s %7s" : "%7s", other[i]);
    }
    ConvertedProduct p = { { one[0], one[!!one[1][0]] },
                           { other[0], other[!!other[1][0]] },
                           result,
                           m,
                           n,
                           k,
                           turn_left,
                           turn_right };
    fuse_product_text(text, sizeof text, &p);
    snprintf(what, sizeof what, "%s by %s to %s, %d x %d x %d%s%s", left, right, result, m, n, k,
             turn_left ? ", left transposed" : "", turn_right ? ", right transposed" : "");
    check(what, two, text);
}

Test(int_products, types)
{
    static const char *const small[] = { "i8", "ui8", "i16", "i8 i32", "ui8 i16", "i16 i32" };
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            if ((i >= 3) == (k >= 3)) product(true, small[i], small[k], "i32", 20, 37, 31, false, false);
    product(true, "i8", "i8", "i8", 19, 33, 30, false, false);
    product(true, "i8", "i8", "i16", 19, 33, 30, false, false);
    product(true, "ui8", "ui8", "ui32", 19, 33, 30, false, false);
    product(true, "ui8 ui32", "ui8 ui32", "ui32", 19, 33, 30, false, false);
}

/* What does not fit into a half, or a sum into 32 bits; and what is read too rarely. */
Test(int_products, one_at_a_time)
{
    product(false, "ui16", "i8", "i32", 20, 37, 31, false, false);
    product(false, "i32", "i32", "i32", 20, 37, 31, false, false);
    product(false, "i8", "i32", "i32", 20, 37, 31, false, false);
    product(false, "i16", "i16", "i64", 20, 37, 31, false, false);
    product(false, "ui16 i32", "ui16 i32", "i32", 20, 37, 31, false, false);
    product(false, "i32 i16", "ui16", "i32", 20, 37, 31, false, false);
    product(false, "i8", "i8", "i32", 3, 64, 64, false, false);
    product(false, "i8", "i8", "i32", 64, 3, 64, false, false);
    product(false, "i8", "i8", "i32", 64, 64, 1, false, false);
}

Test(int_products, sizes)
{
    static const int sizes[][3] = { { 4, 4, 2 },    { 8, 8, 3 },    { 16, 16, 16 },   { 64, 64, 65 },
                                    { 33, 7, 129 }, { 5, 300, 40 }, { 256, 272, 64 }, { 129, 1024, 67 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 4; k++)
            product(true, k & 1 ? "i16" : "i8", "i8", "i32", sizes[i][0], sizes[i][1], sizes[i][2], k & 1,
                    k & 2);
}

Test(int_products, batches_and_axes)
{
    check("a batch in the middle", true,
          "func.func @main(%a: tensor<13x3x17xi8>, %b: tensor<20x3x17xi8>) -> tensor<3x13x20xi32> {\n"
          " %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [2] x [2] : "
          "(tensor<13x3x17xi8>, tensor<20x3x17xi8>) -> tensor<3x13x20xi32>\n"
          " return %0 : tensor<3x13x20xi32>\n}\n");
    check("two axes are summed", true,
          "func.func @main(%a: tensor<5x9x3x4xi8>, %b: tensor<3x6x9x7xi8>) -> tensor<5x4x6x7xi32> {\n"
          " %0 = stablehlo.dot_general %a, %b, contracting_dims = [2, 1] x [0, 2] : "
          "(tensor<5x9x3x4xi8>, tensor<3x6x9x7xi8>) -> tensor<5x4x6x7xi32>\n"
          " return %0 : tensor<5x4x6x7xi32>\n}\n");
    check("nothing is summed", false,
          "func.func @main(%a: tensor<5x9xi8>, %b: tensor<7xi8>) -> tensor<5x9x7xi32> {\n"
          " %0 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : "
          "(tensor<5x9xi8>, tensor<7xi8>) -> tensor<5x9x7xi32>\n"
          " return %0 : tensor<5x9x7xi32>\n}\n");
}

/* Folded, compared, computed before: a kernel of its own all the same. */
Test(int_products, in_use)
{
    check("the greatest of each column", true,
          "func.func @main(%a: tensor<40x70xi8>, %b: tensor<70x65xi8>) -> tensor<65xi32> {\n"
          " %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<40x70xi8>, "
          "tensor<70x65xi8>) -> tensor<40x65xi32>\n"
          " %z = stablehlo.constant dense<-2147483648> : tensor<i32>\n"
          " %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.maximum across dimensions = [0] : "
          "(tensor<40x65xi32>, tensor<i32>) -> tensor<65xi32>\n"
          " return %1 : tensor<65xi32>\n}\n");
    check("two layers", true,
          "func.func @main(%a: tensor<40x70xi8>, %b: tensor<70x65xi8>, %c: tensor<65x33xi8>) -> "
          "tensor<40x33xi32> {\n"
          " %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<40x70xi8>, "
          "tensor<70x65xi8>) -> tensor<40x65xi32>\n"
          " %s = stablehlo.constant dense<9> : tensor<40x65xi32>\n"
          " %1 = stablehlo.shift_right_arithmetic %0, %s : tensor<40x65xi32>\n"
          " %2 = stablehlo.convert %1 : (tensor<40x65xi32>) -> tensor<40x65xi8>\n"
          " %3 = stablehlo.dot_general %2, %c, contracting_dims = [1] x [0] : (tensor<40x65xi8>, "
          "tensor<65x33xi8>) -> tensor<40x33xi32>\n"
          " return %3 : tensor<40x33xi32>\n}\n");
}
