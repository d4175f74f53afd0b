/* test_products_parts.c: products that are made of others: of narrow floats as products of f32
 * (expand_wide.c), of complex matrices as real ones (planes_dot.c), and sums of complex columns. In strict
 * mode they have eager mode's bits, on each machine. */
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include "tests/support/fuse_suite.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers that make a difference beside 0 in some places. */
static void put_special(Values *in)
{
    static const double special[] = { INFINITY, -0.0, NAN, FLT_MAX, -INFINITY, 0, -FLT_MAX };
    enum { SPECIAL = sizeof special / sizeof *special, EVERY = 61 };
    for (uint32_t k = 0; k < in->n; k++) {
        DType part = dtype_part((DType)in->type[k].dtype);
        int64_t n = type_count(in->type[k]) * (dtype_is_complex((DType)in->type[k].dtype) ? 2 : 1);
        for (int64_t i = 7, j = k; i < n; i += EVERY, j++) {
            if (part == WEFT_F32) ((float *)in->at[k])[i] = (float)special[j % SPECIAL];
            if (part == WEFT_F64) ((double *)in->at[k])[i] = special[j % SPECIAL];
        }
    }
}

static void check_values(const char *what, const char *text, bool with_special)
{
    static const char *const targets[] = { "host", "avx512", "avx2", "sse2" };
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Graph *g = fuse_parsed(&a, text);
    Values in = fuse_inputs(g, 1, 0, 8), want = values_of_outputs(g);
    if (with_special) put_special(&in);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &f), "%s: %s", what, f.text);
    for (int i = 0; i < 4; i++) {
        if (!fuse_runs(targets[i])) continue;
        fuse_target = targets[i];
        fuse_code_agrees(what, g, MODE_STRICT, &in, &want);
        if (dtype_is_float((DType)want.type[0].dtype)) fuse_code_agrees(what, g, MODE_DEFAULT, &in, &want);
    }
    fuse_target = "host";
    values_free(&in), values_free(&want);
    arena_free(&a);
}

static void check(const char *what, const char *text) { check_values(what, text, false); }

/* m x k by k x n, in a batch. 2 of turn: the right side is transposed, 1: the left one. computed: the
 * operands are not as they lie in memory. */
static void product(const char *type, const char *result, int batch, int m, int n, int k, int turn,
                    bool computed)
{
    char text[2048], a[64], b[64], c[64], what[128];
    snprintf(a, sizeof a, "tensor<%dx%dx%dx%s>", batch, turn & 1 ? k : m, turn & 1 ? m : k, type);
    snprintf(b, sizeof b, "tensor<%dx%dx%dx%s>", batch, turn & 2 ? n : k, turn & 2 ? k : n, type);
    snprintf(c, sizeof c, "tensor<%dx%dx%dx%s>", batch, m, n, result);
    snprintf(what, sizeof what, "%s to %s, %d of %d x %d x %d, %d%s", type, result, batch, m, n, k, turn,
             computed ? ", computed" : "");
    snprintf(text, sizeof text,
             "func.func @main(%%a: %s, %%b: %s) -> %s {\n"
             " %%x = stablehlo.multiply %%a, %%a : %s\n"
             " %%y = stablehlo.multiply %%b, %%b : %s\n"
             " %%0 = stablehlo.dot_general %s, %s, batching_dims = [0] x [0], contracting_dims = [%d] x [%d]"
             " : (%s, %s) -> %s\n"
             " return %%0 : %s\n}\n",
             a, b, c, a, b, computed ? "%x" : "%a", computed ? "%y" : "%b", turn & 1 ? 1 : 2,
             turn & 2 ? 2 : 1, a, b, c, c);
    check(what, text);
}

static const int sizes[][3] = { { 1, 1, 9 },     { 1, 70, 64 },    { 3, 40, 33 },   { 70, 1, 33 },
                                { 9, 90, 200 },  { 32, 8, 128 },   { 33, 9, 131 },  { 70, 66, 65 },
                                { 5, 300, 40 },  { 130, 272, 64 }, { 100, 3, 20 },  { 2, 200, 100 },
                                { 200, 3, 100 }, { 9, 200, 70 },   { 20, 160, 100 } };

Test(products_parts, narrow)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int turn = 0; turn < 4; turn++) {
            product("bf16", turn & 1 ? "f32" : "bf16", 1, sizes[i][0], sizes[i][1], sizes[i][2], turn, i & 1);
            product("f16", turn & 1 ? "f16" : "f32", 1, sizes[i][0], sizes[i][1], sizes[i][2], turn,
                    !(i & 1));
        }
    product("bf16", "bf16", 3, 70, 66, 65, 0, false);
    product("bf16", "f64", 1, 9, 90, 200, 0, false);
    product("f16", "f64", 1, 70, 66, 65, 2, true);
}

Test(products_parts, complex)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int turn = 0; turn < 4; turn++)
            for (int computed = 0; computed < 2; computed++)
                product(computed ? "complex<f64>" : "complex<f32>",
                        computed ? "complex<f64>" : "complex<f32>", 1, sizes[i][0], sizes[i][1], sizes[i][2],
                        turn, computed ^ (turn == 3));
    product("complex<f32>", "complex<f32>", 3, 70, 66, 65, 0, false);
    product("complex<f32>", "complex<f32>", 3, 2, 66, 65, 0, false);
    product("complex<f64>", "complex<f64>", 5, 16, 16, 16, 0, true);
    product("complex<f32>", "complex<f32>", 3, 12, 150, 40, 2, false);
    product("complex<f32>", "complex<f32>", 5, 40, 1, 50, 0, false);
    product("complex<f64>", "complex<f64>", 5, 1, 40, 50, 2, false);
    product("complex<f32>", "complex<f32>", 3, 66, 2, 65, 1, false);
}

/* A side of real numbers that became complex ones; real: 1 the left one, 2 the right one, 3 both. */
static void by_real(const char *part, int m, int n, int k, int turn, int real)
{
    char text[2048], complex[32], what[96];
    snprintf(complex, sizeof complex, "complex<%s>", part);
    snprintf(what, sizeof what, "%s, %d x %d x %d, %d, %d real", part, m, n, k, turn, real);
    ConvertedProduct p = { { real & 1 ? part : complex, complex },
                           { real & 2 ? part : complex, complex },
                           complex,
                           m,
                           n,
                           k,
                           turn & 1,
                           turn & 2 };
    fuse_product_text(text, sizeof text, &p);
    check_values(what, text, false);
    check_values(what, text, true);
}

Test(products_parts, complex_by_real)
{
    static const int by[][3] = { { 1, 70, 64 },  { 70, 1, 33 },  { 9, 90, 200 },
                                 { 33, 9, 131 }, { 70, 66, 65 }, { 2, 200, 100 } };
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        for (int turn = 0; turn < 4; turn++)
            for (int real = 1; real < 4; real++)
                by_real((turn + real) & 1 ? "f32" : "f64", by[i][0], by[i][1], by[i][2], turn, real);
}

/* Vectors, several summed axes, and as many axes as there can be. */
Test(products_parts, axes)
{
    check("a vector by a matrix",
          "func.func @main(%a: tensor<60xcomplex<f32>>, %b: tensor<60x50xcomplex<f32>>)"
          " -> tensor<50xcomplex<f32>> {\n %0 = stablehlo.dot_general %a, %b,"
          " contracting_dims = [0] x [0] : (tensor<60xcomplex<f32>>,"
          " tensor<60x50xcomplex<f32>>) -> tensor<50xcomplex<f32>>\n"
          " return %0 : tensor<50xcomplex<f32>>\n}\n");
    check("a matrix by a vector",
          "func.func @main(%a: tensor<60x50xcomplex<f32>>, %b: tensor<60xcomplex<f32>>)"
          " -> tensor<50xcomplex<f32>> {\n %0 = stablehlo.dot_general %a, %b,"
          " contracting_dims = [0] x [0] : (tensor<60x50xcomplex<f32>>,"
          " tensor<60xcomplex<f32>>) -> tensor<50xcomplex<f32>>\n"
          " return %0 : tensor<50xcomplex<f32>>\n}\n");
    check("two summed axes",
          "func.func @main(%a: tensor<4x5x6xcomplex<f32>>, %b: tensor<6x30x5x7xcomplex<f32>>)"
          " -> tensor<4x30x7xcomplex<f32>> {\n %0 = stablehlo.dot_general %a, %b,"
          " contracting_dims = [1, 2] x [2, 0] : (tensor<4x5x6xcomplex<f32>>,"
          " tensor<6x30x5x7xcomplex<f32>>) -> tensor<4x30x7xcomplex<f32>>\n"
          " return %0 : tensor<4x30x7xcomplex<f32>>\n}\n");
    char ones[61] = "", text[1024];
    for (int i = 0; i < 30; i++) strcat(ones, "1x");
    snprintf(text, sizeof text,
             "func.func @main(%%a: tensor<%s40x20xcomplex<f32>>, %%b: tensor<20x40xcomplex<f32>>)"
             " -> tensor<%s40x40xcomplex<f32>> {\n %%0 = stablehlo.dot_general %%a, %%b,"
             " contracting_dims = [31] x [0] : (tensor<%s40x20xcomplex<f32>>,"
             " tensor<20x40xcomplex<f32>>) -> tensor<%s40x40xcomplex<f32>>\n"
             " return %%0 : tensor<%s40x40xcomplex<f32>>\n}\n",
             ones, ones, ones, ones, ones);
    check("32 axes", text);
}

static void sum(const char *type, const char *result, const char *axes)
{
    char text[1024];
    snprintf(text, sizeof text,
             "func.func @main(%%a: tensor<30x70x9x%s>) -> (tensor<%sx%s>, tensor<%sx%s>) {\n"
             " %%z = stablehlo.constant dense<(0.0,0.0)> : tensor<%s>\n"
             " %%b = stablehlo.multiply %%a, %%a : tensor<30x70x9x%s>\n"
             " %%0 = stablehlo.reduce(%%a init: %%z) applies stablehlo.add across dimensions = [%s]"
             " : (tensor<30x70x9x%s>, tensor<%s>) -> tensor<%sx%s>\n"
             " %%1 = stablehlo.reduce(%%b init: %%z) applies stablehlo.add across dimensions = [%s]"
             " : (tensor<30x70x9x%s>, tensor<%s>) -> tensor<%sx%s>\n"
             " return %%0, %%1 : tensor<%sx%s>, tensor<%sx%s>\n}\n",
             type, result, type, result, type, type, type, axes, type, type, result, type, axes, type, type,
             result, type, result, type, result, type);
    check(axes, text);
}

Test(products_parts, sums_of_columns)
{
    for (int i = 0; i < 2; i++) {
        const char *type = i ? "complex<f64>" : "complex<f32>";
        sum(type, "70x9", "0");
        sum(type, "30x9", "1");
        sum(type, "30x70", "2");
        sum(type, "9", "0, 1");
        sum(type, "70", "0, 2");
    }
}
