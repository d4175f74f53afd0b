/* test_panels.c: large products read their operands from panels. For a machine with small caches products are
 * large early: each has the values of eager mode, in strict mode bit for bit. */
#include "compiler/pipeline.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/compile.h"
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

/* threads: strips for few rows, which they cannot share, are not all copied before. */
static Target small_caches(const char *name, bool threads)
{
    Target t;
    Failure f = { 0 };
    cr_assert(compile_target(name, NULL, &t, &f), "%s", f.text);
    t.l2_bytes = 1 << 15;
    if (!threads) t.parallel_ns = 0; /* of small products there are none for threads */
    return t;
}

/* How much memory of its own the program has: for copies in panels, for strips that a kernel copies, and for
 * the sums of a product that reads both sides from panels. */
static int count_own(const Graph *g, const Target *t)
{
    Arena a;
    Failure f = { 0 };
    int n = 0;
    arena_open(&a);
    const Program *p = pipeline_run(&(Pipeline){ .target = t }, &a, g, &f);
    cr_assert(p && program_check(p, &f), "%s", f.text);
    for (uint32_t i = 0; i < p->n_buffers; i++)
        n += p->buffers[i].kind == BUF_TEMP || p->buffers[i].kind == BUF_LOCAL;
    arena_free(&a);
    return n;
}

static void agrees(const char *what, const Graph *g, const Target *t, NumericMode mode, const Values *in,
                   const Values *want)
{
    Values got = fuse_run(what, g, t, mode, in);
    for (uint32_t k = 0; k < got.n; k++)
        for (int64_t i = 0; i < type_count(got.type[k]); i++) {
            double x = get(got.type[k], got.at[k], i), y = get(want->type[k], want->at[k], i);
            double far = x > y ? x - y : y - x,
                   most = mode == MODE_STRICT ? 0 : 1e-3 * (y < 0 ? 1 - y : 1 + y);
            cr_assert(far <= most, "%s for %s, mode %d: element %lld of %u is %.9g, not %.9g", what, t->cpu,
                      (int)mode, (long long)i, k, x, y);
        }
    values_free(&got);
}

enum { NO_PANELS, PANELS, PANELS_OF_BOTH_AND_SUMS = 3 };

/* On each of n targets that this machine runs: with panels, at least so many, or without; eager's bits in
 * strict mode. */
static void check_on(const char *const *targets, int n, int panels, const char *what, const char *text)
{
    Arena a;
    Failure f = { 0 };
    arena_open(&a);
    const Graph *g = fuse_parsed(&a, text);
    Values in = fuse_inputs(g, 1, -3, 16), want = values_of_outputs(g);
    cr_assert(eager_graph(g, (const void *const *)in.at, want.at, &heap, &f), "%s: %s", what, f.text);
    for (int i = 0; i < n; i++) {
        if (!fuse_runs(targets[i])) continue;
        Target t = small_caches(targets[i], panels == PANELS_OF_BOTH_AND_SUMS);
        int own = count_own(g, &t);
        cr_expect(panels ? own >= panels : !own, "%s: %d in memory of their own for %s\n%s", what, own,
                  targets[i], text);
        agrees(what, g, &t, MODE_STRICT, &in, &want);
        agrees(what, g, &t, MODE_DEFAULT, &in, &want);
    }
    values_free(&in), values_free(&want);
    arena_free(&a);
}

static const char *const all_targets[] = { "host", "avx2", "sse2" };
static void check(const char *what, const char *text) { check_on(all_targets, 3, PANELS, what, text); }

/* A product of such matrices, `left` and `right` transposed or not. */
static void product_on(const char *const *targets, int n_targets, int panels, const char *type, int m, int n,
                       int k, bool left, bool right)
{
    char text[1024], a[64], b[64], c[64], what[128];
    snprintf(a, sizeof a, "tensor<%dx%dx%s>", left ? k : m, left ? m : k, type);
    snprintf(b, sizeof b, "tensor<%dx%dx%s>", right ? n : k, right ? k : n, type);
    snprintf(c, sizeof c, "tensor<%dx%dx%s>", m, n, type);
    snprintf(text, sizeof text,
             "func.func @main(%%a: %s, %%b: %s) -> %s {\n"
             " %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [%d] x [%d] : (%s, %s) -> %s\n"
             " return %%0 : %s\n}\n",
             a, b, c, left ? 0 : 1, right ? 1 : 0, a, b, c, c);
    snprintf(what, sizeof what, "%s %d x %d x %d%s%s", type, m, n, k, left ? ", left transposed" : "",
             right ? ", right transposed" : "");
    check_on(targets, n_targets, panels, what, text);
}
static void product(const char *type, int m, int n, int k, bool left, bool right)
{
    product_on(all_targets, 3, PANELS, type, m, n, k, left, right);
}

/* At, below and above whole tiles and panels. */
Test(panels, sizes)
{
    static const int sizes[][3] = { { 128, 256, 64 },  { 136, 288, 80 },  { 129, 259, 65 }, { 135, 271, 67 },
                                    { 191, 257, 129 }, { 144, 289, 127 }, { 265, 320, 71 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        product(i % 2 ? "f64" : "f32", sizes[i][0], sizes[i][1], sizes[i][2], false, i % 3 == 1);
}

Test(panels, transposed)
{
    for (int i = 0; i < 4; i++) {
        product("f32", 133, 278, 70, i & 1, i & 2);
        product("f64", 128, 256, 64, i & 1, i & 2);
    }
}

/* Few columns, which reach their rows across memory. */
Test(panels, few_columns)
{
    product("f32", 200, 128, 96, true, false);
    product("f64", 131, 133, 70, true, true);
}

/* Few columns, whose rows lie in one piece: from panels only with 16 registers. */
Test(panels, few_columns_in_rows)
{
    static const char *const few[] = { "avx2", "sse2" }, *const many[] = { "avx512" };
    product_on(few, 2, PANELS, "f64", 131, 133, 301, false, false);
    product_on(few, 2, PANELS, "f32", 131, 133, 301, false, false);
    product_on(few, 2, PANELS, "f32", 262, 40, 256, false, false);
    product_on(many, 1, NO_PANELS, "f64", 131, 133, 101, false, false);
    product_on(many, 1, NO_PANELS, "f32", 262, 40, 256, false, false);
}

/* Rows that the cache does not hold come from panels, in tiles of 12 or fewer, with 32 registers. */
Test(panels, many_registers)
{
    static const char *const many[] = { "avx512" };
    product_on(many, 1, PANELS_OF_BOTH_AND_SUMS, "f64", 300, 272, 130, false, false);
    product_on(many, 1, PANELS_OF_BOTH_AND_SUMS, "f64", 133, 301, 700, false, true);
    product_on(many, 1, PANELS_OF_BOTH_AND_SUMS, "f32", 145, 291, 1300, true, false);
}

/* Few rows, which read long columns. */
Test(panels, few_rows)
{
    product("f32", 33, 270, 300, false, false);
    product("f32", 100, 129, 259, true, false);
    product("f64", 37, 260, 257, false, true);
}

/* So many rows that strips are all copied before; and few columns, so far that rows are copied too. */
Test(panels, many_rows)
{
    static const char *const few[] = { "avx2", "sse2" };
    product_on(few, 2, PANELS, "f32", 700, 131, 97, false, false);
    product("f64", 600, 140, 70, true, true);
    product_on(few, 2, PANELS, "f32", 301, 60, 90, true, false);
}

/* Sums so long that a strip is more than the cache holds. */
Test(panels, longest_sums)
{
    static const char *const few[] = { "avx2", "sse2" };
    product_on(few, 2, PANELS_OF_BOTH_AND_SUMS, "f32", 37, 53, 1100, false, false);
    product_on(few, 2, PANELS_OF_BOTH_AND_SUMS, "f64", 41, 50, 900, true, false);
    product_on(few, 2, PANELS_OF_BOTH_AND_SUMS, "f32", 33, 73, 1300, false, true);
    product("f32", 67, 100, 1100, true, false);
    product("f64", 35, 97, 1000, false, false);
}

/* What a loop reads again and again is copied once, before it. */
Test(panels, in_a_loop)
{
    check("20 products with one matrix",
          "func.func @main(%h: tensor<40x260xf32>, %w: tensor<260x260xf32>) -> tensor<40x260xf32> {\n"
          " %c = stablehlo.constant dense<0> : tensor<i32>\n"
          " %s = stablehlo.constant dense<1.0e-3> : tensor<40x260xf32>\n"
          " %r:2 = stablehlo.while(%i = %c, %x = %h) : tensor<i32>, tensor<40x260xf32>\n"
          "  cond {\n"
          "   %n = stablehlo.constant dense<20> : tensor<i32>\n"
          "   %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "   stablehlo.return %p : tensor<i1>\n"
          "  } do {\n"
          "   %one = stablehlo.constant dense<1> : tensor<i32>\n"
          "   %j = stablehlo.add %i, %one : tensor<i32>\n"
          "   %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<40x260xf32>, "
          "tensor<260x260xf32>) -> tensor<40x260xf32>\n"
          "   %e = stablehlo.multiply %d, %s : tensor<40x260xf32>\n"
          "   stablehlo.return %j, %e : tensor<i32>, tensor<40x260xf32>\n"
          "  }\n"
          " return %r#1 : tensor<40x260xf32>\n}\n");
}

/* Products that share their left side share its loads; with 16 registers each right side has panels. */
Test(panels, of_several_products)
{
    static const char *const few[] = { "avx2", "sse2" }, *const many[] = { "avx512" };
    static const int sizes[][3] = { { 128, 256, 64 }, { 131, 77, 80 }, { 259, 64, 129 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char x[64], w[64], y[64], text[1024];
        snprintf(x, sizeof x, "tensor<%dx%dxf32>", sizes[i][0], sizes[i][2]);
        snprintf(w, sizeof w, "tensor<%dx%dxf32>", sizes[i][2], sizes[i][1]);
        snprintf(y, sizeof y, "tensor<%dx%dxf32>", sizes[i][0], sizes[i][1]);
        snprintf(text, sizeof text,
                 "func.func @main(%%x: %s, %%v: %s, %%w: %s) -> %s {\n"
                 " %%0 = stablehlo.dot_general %%x, %%v, contracting_dims = [1] x [0] : (%s, %s) -> %s\n"
                 " %%1 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (%s, %s) -> %s\n"
                 " %%2 = stablehlo.maximum %%0, %%1 : %s\n"
                 " return %%2 : %s\n}\n",
                 x, w, w, y, x, w, y, x, w, y, y, y);
        check_on(few, 2, PANELS, "the larger of two products", text);
        check_on(many, 1, NO_PANELS, "the larger of two products", text);
    }
}

/* Sums in parts, whole ones and not; of what is left of rows and of a part, a single element. */
Test(panels, long_sums)
{
    product("f64", 129, 257, 1025, false, false);
    product("f32", 145, 193, 545, false, true);
    product("f64", 105, 97, 1041, false, true);
    product("f32", 128, 257, 2048, false, false);
    product("f32", 131, 128, 1025, true, true);
    product("f32", 131, 259, 1537, false, true);
    product("f64", 130, 140, 1100, true, false);
}

Test(panels, result_is_used_and_operands_are_computed)
{
    check("bias and relu",
          "func.func @main(%a: tensor<133x90xf32>, %b: tensor<90x260xf32>, %c: tensor<260xf32>) -> "
          "tensor<133x260xf32> {\n"
          " %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<133x90xf32>, "
          "tensor<90x260xf32>) -> tensor<133x260xf32>\n"
          " %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<260xf32>) -> tensor<133x260xf32>\n"
          " %2 = stablehlo.add %0, %1 : tensor<133x260xf32>\n"
          " %z = stablehlo.constant dense<0.0> : tensor<133x260xf32>\n"
          " %3 = stablehlo.maximum %2, %z : tensor<133x260xf32>\n"
          " return %3 : tensor<133x260xf32>\n}\n");
    check("a computed operand, used again",
          "func.func @main(%a: tensor<260x260xf32>, %b: tensor<260x260xf32>) -> (tensor<260x260xf32>, "
          "tensor<260x260xf32>) {\n"
          " %0 = stablehlo.add %a, %b : tensor<260x260xf32>\n"
          " %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<260x260xf32>, "
          "tensor<260x260xf32>) -> tensor<260x260xf32>\n"
          " %2 = stablehlo.add %0, %1 : tensor<260x260xf32>\n"
          " return %2, %0 : tensor<260x260xf32>, tensor<260x260xf32>\n}\n");
    check("a matrix times itself, transposed",
          "func.func @main(%a: tensor<260x130xf32>) -> tensor<260x260xf32> {\n"
          " %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<260x130xf32>, "
          "tensor<260x130xf32>) -> tensor<260x260xf32>\n"
          " %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<260x260xf32>) -> tensor<260x260xf32>\n"
          " return %1 : tensor<260x260xf32>\n}\n");
}

Test(panels, batches)
{
    check("a batch",
          "func.func @main(%a: tensor<3x130x72xf32>, %b: tensor<3x72x265xf32>) -> tensor<3x130x265xf32> {\n"
          " %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
          "(tensor<3x130x72xf32>, tensor<3x72x265xf32>) -> tensor<3x130x265xf32>\n"
          " return %0 : tensor<3x130x265xf32>\n}\n");
    check("rows of two axes",
          "func.func @main(%a: tensor<4x40x96xf32>, %b: tensor<260x96xf32>) -> tensor<4x40x260xf32> {\n"
          " %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [1] : (tensor<4x40x96xf32>, "
          "tensor<260x96xf32>) -> tensor<4x40x260xf32>\n"
          " return %0 : tensor<4x40x260xf32>\n}\n");
    check("the batch axis in the middle",
          "func.func @main(%a: tensor<130x2x80xf32>, %b: tensor<280x2x80xf32>) -> tensor<2x130x280xf32> {\n"
          " %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [2] x [2] : "
          "(tensor<130x2x80xf32>, tensor<280x2x80xf32>) -> tensor<2x130x280xf32>\n"
          " return %0 : tensor<2x130x280xf32>\n}\n");
}
