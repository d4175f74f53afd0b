/* test_stablehlo.c: programs that others wrote, as functions (weft_load_stablehlo, weft_call). */
#include "weft.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* y = tanh(x w + b), s = sum(x) */
static const char text[] =
    "module @affine {\n"
    "  func.func public @main(%b: tensor<2xf32>, %w: tensor<3x2xf32>, %x: tensor<4x3xf32>)"
    " -> (tensor<4x2xf32>, tensor<f32>) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>)"
    " -> tensor<4x2xf32>\n"
    "    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>\n"
    "    %2 = stablehlo.add %0, %1 : tensor<4x2xf32>\n"
    "    %3 = stablehlo.tanh %2 : tensor<4x2xf32>\n"
    "    %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %4 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1]"
    " : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %3, %4 : tensor<4x2xf32>, tensor<f32>\n"
    "  }\n"
    "}\n";
static const char square[] = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                             "  %y = stablehlo.multiply %x, %x : tensor<3xf32>\n"
                             "  return %y : tensor<3xf32>\n"
                             "}\n";

typedef struct {
    weft_array *b, *w;
} dense;
WEFT_STRUCT(dense, WEFT_ARRAY(dense, b), WEFT_ARRAY(dense, w));
typedef struct {
    weft_array *y, *s;
} both;
WEFT_STRUCT(both, WEFT_ARRAY(both, y), WEFT_ARRAY(both, s));
WEFT_SIGNATURE(affine_fn, weft_array *, (const dense *p, weft_array *x, WEFT_OUT weft_array **s));
WEFT_SIGNATURE(affine_struct, void, (const dense *p, weft_array *x, WEFT_OUT both *r));
WEFT_SIGNATURE(affine_all, weft_array *,
               (const dense *p, weft_array *unused, weft_array *x, WEFT_OUT weft_array **s));

typedef struct World {
    weft_context *ctx;
    dense p;
    weft_array *x;
} World;

static World open_world(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, dense);
    weft_describe(ctx, both);
    return (World){ ctx,
                    { weft_linspace(ctx, 0, 1, 2), weft_reshape(weft_linspace(ctx, -1, 1, 6), 3, 2) },
                    weft_reshape(weft_linspace(ctx, -2, 2, 12), 4, 3) };
}

#define PARSE(ctx, sig, chars) weft_parse_stablehlo(ctx, sig, chars, strlen(chars), "a.mlir")

static void expect_close(const weft_array *a, const weft_array *b)
{
    cr_assert(a && b && weft_count(a) == weft_count(b), "%s", weft_error(NULL));
    for (int64_t i = 0; i < weft_count(a); i++)
        cr_expect(fabsf(weft_f32(a)[i] - weft_f32(b)[i]) < 1e-5f, "%lld: %g %g", (long long)i,
                  (double)weft_f32(a)[i], (double)weft_f32(b)[i]);
}

static weft_array *affine(const World *w, weft_array *x)
{
    return weft_tanh(weft_add(weft_matmul(x, w->p.w), w->p.b));
}

Test(stablehlo, eager_and_jit)
{
    World w = open_world();
    affine_fn *f = PARSE(w.ctx, affine_fn, text), *fast = weft_jit(w.ctx, f);
    weft_array *s = NULL, *t = NULL;
    expect_close(f(&w.p, w.x, &s), affine(&w, w.x));
    expect_close(fast(&w.p, w.x, &t), affine(&w, w.x));
    expect_close(s, weft_sum(w.x));
    expect_close(t, s);
    expect_close(fast(&w.p, w.x, NULL), affine(&w, w.x));
    cr_expect_eq(PARSE(w.ctx, affine_fn, text), f);
    cr_expect_eq(weft_stats(w.ctx).compiles, 1);
    cr_expect(!weft_error(w.ctx), "%s", weft_error(w.ctx));
    weft_close(w.ctx);
}

Test(stablehlo, structs_of_results)
{
    World w = open_world();
    both r;
    PARSE(w.ctx, affine_struct, text)(&w.p, w.x, &r);
    expect_close(r.y, affine(&w, w.x));
    expect_close(r.s, weft_sum(w.x));
    weft_close(w.ctx);
}

Test(stablehlo, lists)
{
    World w = open_world();
    weft_array *in[3] = { w.p.b, w.p.w, w.x }, *out[2] = { NULL, NULL };
    weft_nary *f = PARSE(w.ctx, weft_nary, text);
    for (int round = 0; round < 2; round++, f = weft_jit(w.ctx, f)) {
        cr_expect_eq(weft_call(w.ctx, f, in, 3, out, 2), 2, "%s", weft_error(w.ctx));
        expect_close(out[0], affine(&w, w.x));
        expect_close(out[1], weft_sum(w.x));
    }
    cr_expect_eq(weft_call(w.ctx, f, in, 3, out, 0), 2);
    cr_expect_eq(weft_call(w.ctx, f, in, 2, out, 2), -1);
    cr_expect(strstr(weft_error(w.ctx), "takes 3 arrays, and the arguments have 2"), "%s", weft_error(w.ctx));
    weft_clear(w.ctx);
    cr_expect_eq(weft_call(w.ctx, f, in, -1, out, 2), -1);
    cr_expect_eq(weft_clear(w.ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_call_(w.ctx, (weft_fn)(weft_tanh), in, 1, out, 2, NULL), -1);
    cr_expect(strstr(weft_error(w.ctx), "no weft_nary"), "%s", weft_error(w.ctx));
    weft_clear(w.ctx);
    in[1] = NULL;
    cr_expect_eq(weft_call(w.ctx, f, in, 3, out, 2), -1);
    weft_clear(w.ctx);
    weft_close(w.ctx);
}

/* A step that JAX exported: the weights go in and come out. */
static const char step_text[] =
    "func.func @main(%b: tensor<2xf32>, %w: tensor<3x2xf32>, %rate: tensor<f32>)"
    " -> (tensor<f32>, tensor<2xf32>, tensor<3x2xf32>) {\n"
    "  %0 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
    "  %1 = stablehlo.add %b, %0 : tensor<2xf32>\n"
    "  %2 = stablehlo.add %w, %w : tensor<3x2xf32>\n"
    "  %3 = stablehlo.negate %rate : tensor<f32>\n"
    "  return %3, %1, %2 : tensor<f32>, tensor<2xf32>, tensor<3x2xf32>\n"
    "}\n";
typedef struct {
    weft_arrays all;
    int uses;
} bag;
WEFT_STRUCT(bag, WEFT_TREE(bag, all, weft_arrays), WEFT_STATIC(bag, uses));
WEFT_SIGNATURE(step_fn, weft_array *, (dense * p, weft_array *rate));
WEFT_SIGNATURE(bag_fn, weft_array *, (bag * p, weft_array *rate));

Test(stablehlo, in_outs)
{
    World w = open_world();
    weft_describe(w.ctx, bag);
    weft_array *rate = weft_scalar(w.ctx, 0.5), *list[2] = { w.p.b, w.p.w };
    bag p = { { list, 2 }, 7 };
    step_fn *step = weft_jit(w.ctx, PARSE(w.ctx, step_fn, step_text));
    bag_fn *same = PARSE(w.ctx, bag_fn, step_text);
    weft_array *b = w.p.b;
    for (int i = 0; i < 2; i++) cr_expect_eq(weft_item(step(&w.p, rate)), -0.5, "%s", weft_error(w.ctx));
    cr_expect_eq(weft_item(same(&p, rate)), -0.5, "%s", weft_error(w.ctx));
    expect_close(w.p.b, weft_add(b, 1));
    expect_close(list[0], weft_add(b, 0.5));
    cr_expect(p.all.n == 2 && p.uses == 7);
    p.all.n = 1;
    cr_expect(!same(&p, rate) && strstr(weft_error(w.ctx), "takes 3 arrays, and the arguments have 2"), "%s",
              weft_error(w.ctx));
    weft_clear(w.ctx);
    weft_close(w.ctx);
}

Test(stablehlo, as_a_plan)
{
    World w = open_world();
    affine_fn *f = weft_jit(w.ctx, PARSE(w.ctx, affine_fn, text));
    weft_plan *plan = weft_compile(w.ctx, (weft_plan_options){ .realtime = true }, f(&w.p, w.x, NULL));
    cr_assert(plan, "%s", weft_error(w.ctx));
    cr_expect(weft_plan_count(plan, false) == 3 && weft_plan_count(plan, true) == 2);
    weft_close(w.ctx);
}

/* ---- with transforms ---- */

static World here;
static affine_fn *inner;
static weft_array *loss(const dense *p, weft_array *x)
{
    weft_array *s;
    weft_array *y = inner(p, x, &s);
    return weft_add(weft_sum(weft_square(y)), weft_mul(s, 0));
}
static weft_array *loss_by_hand(const dense *p, weft_array *x)
{
    return weft_sum(weft_square(weft_tanh(weft_add(weft_matmul(x, p->w), p->b))));
}
WEFT_SIGNATURE(loss_fn, weft_array *, (const dense *p, weft_array *x));
WEFT_SIGNATURE(slope_fn, void, (const dense *p, weft_array *x, WEFT_OUT dense *d));

Test(stablehlo, gradient_inside_a_function)
{
    here = open_world();
    weft_context *ctx = here.ctx;
    inner = PARSE(ctx, affine_fn, text);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, loss_by_hand, loss_fn);
    slope_fn *slope = weft_jit(ctx, weft_grad(ctx, slope_fn, loss, "p")),
             *wanted = weft_grad(ctx, slope_fn, loss_by_hand, "p");
    dense d, e;
    slope(&here.p, here.x, &d);
    wanted(&here.p, here.x, &e);
    cr_expect(!weft_error(ctx), "%s", weft_error(ctx));
    expect_close(d.w, e.w);
    expect_close(d.b, e.b);
    weft_close(ctx);
}

Test(stablehlo, vmap_and_jvp)
{
    weft_context *ctx = weft_open(NULL);
    weft_unary *f = PARSE(ctx, weft_unary, square);
    weft_array *x = weft_reshape(weft_linspace(ctx, 0, 5, 6), 2, 3);
    expect_close(weft_vmap(ctx, f, "0")(x), weft_square(x));
    expect_close(weft_jit(ctx, weft_vmap(ctx, f, "1 -> 1"))(weft_transpose(x)),
                 weft_transpose(weft_square(x)));
    weft_nary *g = weft_jit(ctx, weft_vmap(ctx, PARSE(ctx, weft_nary, square), "0"));
    weft_array *y = NULL;
    cr_expect_eq(weft_call(ctx, g, &x, 1, &y, 1), 1, "%s", weft_error(ctx));
    expect_close(y, weft_square(x));
    cr_expect(!weft_error(ctx), "%s", weft_error(ctx));
    weft_close(ctx);
}

/* ---- files ---- */

static void check_exported(const char *path)
{
    World w = open_world();
    affine_all *f = weft_jit(w.ctx, weft_load_stablehlo(w.ctx, affine_all, path));
    weft_array *s = NULL;
    expect_close(f(&w.p, weft_zeros(w.ctx, WEFT_I32, 5), w.x, &s), affine(&w, w.x));
    expect_close(s, weft_sum(w.x));
    weft_array *in[4] = { w.p.b, w.p.w, NULL, w.x }, *out[2];
    in[2] = weft_ones(w.ctx, WEFT_F64, 1); /* main does not take it */
    weft_nary *g = weft_load_stablehlo(w.ctx, weft_nary, path);
    cr_expect_eq(weft_call(w.ctx, g, in, 4, out, 2), 2, "%s", weft_error(w.ctx));
    expect_close(out[0], affine(&w, w.x));
    in[3] = w.p.b;
    cr_expect_eq(weft_call(w.ctx, g, in, 4, out, 2), -1);
    cr_expect(strstr(weft_error(w.ctx), "argument x.array[3] is f32[2], but the program"), "%s",
              weft_error(w.ctx));
    cr_expect_eq(weft_clear(w.ctx), WEFT_SHAPE);
    weft_close(w.ctx);
}

Test(stablehlo, exported_by_jax) { check_exported("tests/data/exported/cpu.jax"); }
Test(stablehlo, exported_for_several_platforms) { check_exported("tests/data/exported/several.jax"); }

Test(stablehlo, the_raw_door_reads_it_too)
{
    weft_context *ctx = weft_open(NULL);
    weft_program *p = weft_program_load(ctx, "tests/data/exported/cpu.jax");
    cr_assert(p, "%s", weft_error(ctx));
    cr_expect_eq(weft_program_count(p, false), 3);
    weft_close(ctx);
}

/* A file with other contents is another function. */
Test(stablehlo, files_change)
{
    char path[] = "/tmp/weft-stablehlo-XXXXXX";
    int fd = mkstemp(path);
    weft_context *ctx = weft_open(NULL);
    cr_assert(fd >= 0 && write(fd, square, strlen(square)) == (ssize_t)strlen(square));
    weft_unary *f = weft_load_stablehlo(ctx, weft_unary, path);
    cr_expect_eq(weft_load_stablehlo(ctx, weft_unary, path), f);
    cr_assert(write(fd, "// end", 6) == 6);
    close(fd);
    cr_expect_neq(weft_load_stablehlo(ctx, weft_unary, path), f);
    unlink(path);
    expect_close(f(weft_ones(ctx, WEFT_F32, 3)), weft_ones(ctx, WEFT_F32, 3));
    weft_forget(ctx, f);
    cr_expect(!f(weft_ones(ctx, WEFT_F32, 3)) && strstr(weft_error(ctx), "weft_forget"), "%s",
              weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
}

/* ---- what is refused ---- */

static void expect_error(weft_context *ctx, weft_status status, const char *wanted)
{
    const char *error = weft_error(ctx);
    cr_expect(error && strstr(error, wanted), "%s, not %s", error, wanted);
    cr_expect_eq(weft_clear(ctx), status, "%s", wanted);
}

WEFT_SIGNATURE(with_number, weft_array *, (weft_array * x, int order));
WEFT_SIGNATURE(two_lists, void, (weft_array * x, WEFT_OUT weft_arrays *a, WEFT_OUT weft_arrays *b));

Test(stablehlo, what_it_does_not_take)
{
    World w = open_world();
    weft_context *ctx = w.ctx;
    weft_unary *f = PARSE(ctx, weft_unary, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n oops");
    expect_error(ctx, WEFT_IO, "a.mlir:2:");
    cr_expect(!f(w.x));
    weft_clear(ctx);
    PARSE(ctx, weft_unary, text);
    expect_error(ctx, WEFT_ARGUMENT,
                 "the program (a.mlir) takes 3 arrays, and weft_array *(weft_array *x) 1");
    PARSE(ctx, weft_ternary, text);
    expect_error(ctx, WEFT_ARGUMENT, "gives 2 arrays");
    PARSE(ctx, with_number, square);
    expect_error(ctx, WEFT_ARGUMENT, "argument order of the signature is a number");
    PARSE(ctx, two_lists, square);
    expect_error(ctx, WEFT_ARGUMENT, "how many arrays result b");
    PARSE(ctx, weft_unary,
          "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }");
    expect_error(ctx, WEFT_ARGUMENT, "dynamic");
    weft_load_stablehlo(ctx, weft_unary, "tests/data/exported/symbolic.jax");
    expect_error(ctx, WEFT_ARGUMENT, "symbolic.jax");
    weft_load_stablehlo(ctx, weft_unary, "nowhere.jax");
    expect_error(ctx, WEFT_IO, "nowhere.jax cannot be opened");
    weft_load_stablehlo_(ctx, weft_unary_text, NULL, NULL);
    expect_error(ctx, WEFT_ARGUMENT, "the path is NULL");
    weft_parse_stablehlo_(ctx, NULL, "", 0, NULL, NULL);
    expect_error(ctx, WEFT_ARGUMENT, "the signature is NULL");
    weft_close(ctx);
}

Test(stablehlo, arguments_of_other_types)
{
    weft_context *ctx = weft_open(NULL);
    weft_unary *f = PARSE(ctx, weft_unary, square);
    f(weft_ones(ctx, WEFT_F64, 3));
    expect_error(ctx, WEFT_DTYPE,
                 "argument x is f64[3], but the program (a.mlir) takes f32[3] there (weft_astype");
    weft_jit(ctx, f)(weft_ones(ctx, WEFT_F32, 4));
    expect_error(ctx, WEFT_SHAPE, "argument x is f32[4], but the program (a.mlir) takes f32[3] there");
    f(NULL);
    expect_error(ctx, WEFT_ARGUMENT, "x");
    weft_close(ctx);
}

/* Any damage to what jax.export wrote is an error, or a program. */
Test(stablehlo, damaged_files)
{
    char bytes[1 << 12];
    FILE *file = fopen("tests/data/exported/several.jax", "rb");
    cr_assert(file);
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    weft_context *ctx = weft_open(&(weft_options){ .memory_limit = 512 << 20 });
    for (size_t i = 0; i < n; i++) {
        char was = bytes[i];
        bytes[i] ^= (char)(i % 2 ? 0xff : 1 << i % 7);
        weft_parse_stablehlo(ctx, weft_nary, bytes, n, NULL);
        bytes[i] = was;
        weft_clear(ctx);
        weft_parse_stablehlo(ctx, weft_nary, bytes, i, NULL);
        weft_clear(ctx);
    }
    weft_nary *f = weft_parse_stablehlo(ctx, weft_nary, bytes, n, NULL);
    weft_array *in[1] = { NULL };
    cr_expect_eq(weft_call(ctx, f, in, 0, NULL, 0), -1);
    expect_error(ctx, WEFT_ARGUMENT, "takes 4 arrays");
    weft_close(ctx);
}
