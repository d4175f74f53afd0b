/* test_program.c: programs that others wrote (weft/program.h). */
#include "weft.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "module @affine {\n"
                           "  func.func public @main(%x: tensor<2x3xf32>, %b: tensor<3xf64>)"
                           " -> (tensor<2x3xf32>, tensor<i32>) {\n"
                           "    %c = stablehlo.convert %b : (tensor<3xf64>) -> tensor<3xf32>\n"
                           "    %d = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<3xf32>)"
                           " -> tensor<2x3xf32>\n"
                           "    %y = stablehlo.add %x, %d : tensor<2x3xf32>\n"
                           "    %n = stablehlo.constant dense<7> : tensor<i32>\n"
                           "    return %y, %n : tensor<2x3xf32>, tensor<i32>\n"
                           "  }\n"
                           "}\n";

static const float x[6] = { 1, 2, 3, 4, 5, 6 };
static const double b[3] = { 10, 20, 30 };

static void check_run(weft_context *ctx, const weft_program *p)
{
    float y[6] = { 0 };
    int32_t n = 0;
    size_t bytes = weft_program_scratch(p);
    void *scratch = weft_block(ctx, bytes);
    cr_expect_eq(weft_program_run(p, (const void *[]){ x, b }, (void *[]){ y, &n }, scratch), WEFT_OK, "%s",
                 weft_error(ctx));
    weft_block_free(ctx, scratch, bytes);
    for (int i = 0; i < 6; i++) cr_expect_eq(y[i], x[i] + (float)b[i % 3]);
    cr_expect_eq(n, 7);
}

Test(program, parse_and_run)
{
    weft_context *ctx = weft_open(NULL);
    weft_program *p = weft_program_parse(ctx, text, strlen(text), NULL);
    cr_assert(p, "%s", weft_error(ctx));
    cr_expect_str_eq(weft_program_name(p), "affine");
    cr_expect_eq(weft_program_count(p, false), 2);
    cr_expect_eq(weft_program_count(p, true), 2);
    weft_type in = weft_program_type(p, false, 1), out = weft_program_type(p, true, 0);
    cr_expect(in.dtype == WEFT_F64 && in.rank == 1 && in.shape[0] == 3);
    cr_expect(out.dtype == WEFT_F32 && out.rank == 2 && out.shape[0] == 2 && out.shape[1] == 3);
    weft_program_figures f = weft_program_cost(p);
    cr_expect(f.inputs == 48 && f.outputs == 28 && f.kernels > 0 && f.code > 0);
    check_run(ctx, p);
    weft_program_free(p);
    cr_expect_eq(weft_program_count(p, false), 0);
    cr_expect(strstr(weft_error(ctx), "freed"), "%s", weft_error(ctx));
    weft_close(ctx);
}

/* By hand: a contraction over 4, exp, a fold, a loop of ten steps and one without an end that is known. */
Test(program, cost)
{
    static const char costly[] =
        "func.func @main(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, "
        "tensor<f32>) {\n"
        "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x4xf32>, "
        "tensor<4x3xf32>) "
        "-> tensor<2x3xf32>\n"
        "  %e = stablehlo.exponential %d : tensor<2x3xf32>\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
        "  %w = stablehlo.while(%i = %z) : tensor<f32>\n"
        "  cond { %l = stablehlo.compare LT, %i, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "    stablehlo.return %l : tensor<i1> }\n"
        "  do { %m = stablehlo.sine %i : tensor<f32>\n"
        "    stablehlo.return %m : tensor<f32> }\n"
        "  return %e, %s, %w : tensor<2x3xf32>, tensor<3xf32>, tensor<f32> }\n";
    weft_context *ctx = weft_open(NULL);
    weft_program *p = weft_program_parse(ctx, costly, strlen(costly), NULL);
    cr_assert(p, "%s", weft_error(ctx));
    weft_program_figures f = weft_program_cost(p);
    cr_expect_eq(f.flops, 2 * 2 * 3 * 4 + 3 + 1, "%g", f.flops);
    cr_expect_eq(f.transcendentals, 2 * 3 + 1, "%g", f.transcendentals);
    cr_expect(f.open_ended);
    weft_close(ctx);
}

/* Five windows of two elements with three features, for each of four output features. */
Test(program, cost_of_a_convolution)
{
    static const char costly[] =
        "func.func @main(%x: tensor<1x6x3xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x5x4xf32> {\n"
        "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride "
        "= "
        "[1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x3xf32>, "
        "tensor<2x3x4xf32>) -> tensor<1x5x4xf32>\n"
        "  return %0 : tensor<1x5x4xf32> }\n";
    weft_context *ctx = weft_open(NULL);
    weft_program *p = weft_program_parse(ctx, costly, strlen(costly), NULL);
    cr_assert(p, "%s", weft_error(ctx));
    cr_expect_eq(weft_program_cost(p).flops, 2 * 5 * 2 * 3 * 4);
    weft_close(ctx);
}

Test(program, no_back_end)
{
    setenv("WEFT_BACKEND", "/nonexistent/libweft-llvm.so", 1);
    weft_context *ctx = weft_open(NULL);
    cr_expect(!weft_program_parse(ctx, text, strlen(text), NULL));
    cr_expect(strstr(weft_error(ctx), "back end"), "%s", weft_error(ctx));
    cr_expect_eq(weft_clear(ctx), WEFT_COMPILER);
    weft_close(ctx);
}

Test(program, files)
{
    char path[] = "/tmp/weft-program-XXXXXX";
    int fd = mkstemp(path);
    weft_context *ctx = weft_open(NULL);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    weft_program *p = weft_program_load(ctx, path);
    cr_assert(p, "%s", weft_error(ctx));
    check_run(ctx, p);
    unlink(path);
    cr_expect(!weft_program_load(ctx, path) && strstr(weft_error(ctx), "cannot be opened"), "%s",
              weft_error(ctx));
    weft_clear(ctx);
    cr_expect(!weft_program_load(ctx, "/") && strstr(weft_error(ctx), "read"), "%s", weft_error(ctx));
    weft_close(ctx);
}

static void refuse(weft_context *ctx, const char *what, weft_status status, const char *wanted)
{
    cr_expect(!weft_program_parse(ctx, what, strlen(what), "a.mlir"), "%s", what);
    cr_expect(weft_error(ctx) && strstr(weft_error(ctx), wanted), "%s", weft_error(ctx));
    weft_status is = weft_clear(ctx);
    cr_expect_eq(is, status, "%s: %d", what, is);
}

Test(program, what_it_does_not_take)
{
    weft_context *ctx = weft_open(NULL);
    refuse(ctx, "", WEFT_IO, "a.mlir:1:1: the text has no func");
    refuse(ctx, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %y : tensor<2xf32> }", WEFT_IO,
           "a.mlir:1:62");
    refuse(ctx, "func.func @a() { return }\nfunc.func @b() { return }", WEFT_ARGUMENT, "2 others");
    refuse(ctx, "func.func @main(%x: tensor<?xf32>) { return }", WEFT_ARGUMENT, "dynamic");
    weft_program *p = weft_program_parse(ctx, text, strlen(text), NULL);
    cr_expect_eq(weft_program_run(p, NULL, NULL, NULL), WEFT_ARGUMENT);
    cr_expect(strstr(weft_error(ctx), "2 pointers"), "%s", weft_error(ctx));
    weft_close(ctx);
}

/* Axes in another order in memory: the program's types are as it says them, the bytes as it asks. */
Test(program, layouts)
{
    static const char turned[] =
        "func.func @main(%x: tensor<2x3x4xf32> {mhlo.layout_mode = \"{0,2,1}\"}, %y: tensor<4x3xf32>) ->"
        " (tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"}, tensor<2x3x4xf32>) {\n"
        " %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [1], contracting_dims = [2] x [0] :"
        " (tensor<2x3x4xf32>, tensor<4x3xf32>) -> tensor<3x2xf32>\n"
        " %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>\n"
        " return %1, %x : tensor<2x3xf32>, tensor<2x3x4xf32>\n}\n";
    float in[24], by[12], product[6], same[24], scratch[4096];
    weft_context *ctx = weft_open(NULL);
    weft_program *p = weft_program_parse(ctx, turned, strlen(turned), NULL);
    cr_assert(p, "%s", weft_error(ctx));
    const int64_t *order = weft_program_layout(p, false, 0), *out = weft_program_layout(p, true, 0);
    cr_assert(order && out && order[0] == 0 && order[1] == 2 && order[2] == 1 && out[0] == 0);
    cr_expect(!weft_program_layout(p, false, 1) && !weft_program_layout(p, true, 1));
    cr_expect(weft_program_type(p, false, 0).shape[2] == 4 && weft_program_type(p, true, 0).shape[0] == 2);
    for (int i = 0; i < 24; i++) in[i] = (float)i;
    for (int i = 0; i < 12; i++) by[i] = (float)i;
    cr_assert(weft_program_scratch(p) <= sizeof scratch - 64);
    void *aligned = (void *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    cr_expect(!weft_program_run(p, (const void *[]){ in, by }, (void *[]){ product, same }, aligned));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += in[i + 2 * k + 8 * j] * by[3 * k + j];
                cr_expect_eq(same[12 * i + 4 * j + k], in[i + 2 * k + 8 * j]);
            }
            cr_expect_eq(product[i + 2 * j], sum);
        }
    cr_expect(!weft_program_layout(p, true, 2) && strstr(weft_error(ctx), "there is no result 2"));
    weft_clear(ctx);
    weft_program_free(p);
    weft_close(ctx);
}

/* What memory a program wants, in both forms of the text. */
Test(program, memory)
{
    static const char step[] =
        "func.func @main(%x: tensor<4xf32> {mhlo.memory_kind = \"pinned_host\"}, %y: tensor<4xf32>) ->"
        " (tensor<4xf32>, tensor<4xf32> {mhlo.memory_kind = \"device\"}) {\n"
        " return %x, %y : tensor<4xf32>, tensor<4xf32>\n}\n";
    static const char generic[] =
        "\"func.func\"() <{arg_attrs = [{mhlo.memory_kind = \"pinned_host\"}, {}], sym_name = \"main\","
        " res_attrs = [{}, {mhlo.memory_kind = \"device\"}],"
        " function_type = (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)}> ({\n"
        "^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):\n"
        " \"func.return\"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> ()\n}) : () -> ()\n";
    static const char *const texts[] = { step, generic };
    weft_context *ctx = weft_open(NULL);
    for (int i = 0; i < 2; i++) {
        weft_program *p = weft_program_parse(ctx, texts[i], strlen(texts[i]), NULL);
        cr_assert(p, "%s", weft_error(ctx));
        cr_expect_str_eq(weft_program_memory(p, false, 0), "pinned_host");
        cr_expect_str_eq(weft_program_memory(p, false, 1), "");
        cr_expect_str_eq(weft_program_memory(p, true, 0), "");
        cr_expect_str_eq(weft_program_memory(p, true, 1), "device");
        cr_expect_str_eq(weft_program_memory(p, true, 2), "");
        cr_expect(strstr(weft_error(ctx), "weft_program_memory: there is no result 2: the program has 2"),
                  "%s", weft_error(ctx));
        weft_clear(ctx);
    }
    weft_close(ctx);
}

/* What is donated may be computed over. */
Test(program, donated)
{
    static const char step[] =
        "func.func @main(%x: tensor<4xf32> {jax.buffer_donor = true}, %y: tensor<4xf32>,"
        " %z: tensor<4xf32> {jax.buffer_donor = false, tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n"
        " %a = stablehlo.add %x, %y : tensor<4xf32>\n return %a : tensor<4xf32>\n}\n";
    static const char generic[] =
        "\"func.func\"() <{arg_attrs = [{jax.buffer_donor = true}, {}], sym_name = \"main\","
        " function_type = (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>}> ({\n"
        "^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):\n"
        " %a = \"stablehlo.add\"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
        " \"func.return\"(%a) : (tensor<4xf32>) -> ()\n}) : () -> ()\n";
    weft_context *ctx = weft_open(NULL);
    weft_program *p = weft_program_parse(ctx, step, strlen(step), NULL),
                 *q = weft_program_parse(ctx, generic, strlen(generic), NULL);
    cr_assert(p && q, "%s", weft_error(ctx));
    cr_expect(weft_program_donated(p, 0) && !weft_program_donated(p, 1) && weft_program_donated(p, 2));
    cr_expect(weft_program_donated(q, 0) && !weft_program_donated(q, 1));
    cr_expect_eq(weft_program_donor(p, 0), 0);
    cr_expect_eq(weft_program_donor(q, 0), 0);
    float one[4] = { 1, 2, 3, 4 }, two[4] = { 5, 5, 5, 5 };
    cr_expect_eq(weft_program_run(p, (const void *[]){ one, two, two }, (void *[]){ one }, NULL), WEFT_OK);
    for (int i = 0; i < 4; i++) cr_expect_eq(one[i], (float)i + 6);
    weft_close(ctx);
}

static void *run_often(void *of)
{
    void **w = of;
    for (int i = 0; i < 200; i++) check_run(w[0], w[1]);
    weft_program *own = weft_program_parse((weft_context *)w[0], text, strlen(text), NULL);
    check_run(w[0], own);
    weft_program_free(own);
    return NULL;
}

Test(program, threads)
{
    weft_context *ctx = weft_open(NULL);
    void *w[] = { ctx, weft_program_parse(ctx, text, strlen(text), NULL) };
    pthread_t t[4];
    for (int i = 0; i < 4; i++) cr_assert(!pthread_create(&t[i], NULL, run_often, w));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    weft_close(ctx);
}
