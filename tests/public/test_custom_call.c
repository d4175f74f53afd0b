/* test_custom_call.c: functions of the host's that programs call (weft_custom_call_on). */
#include "weft.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was called, in order: "name(config) first operand; ". */
typedef struct Notes {
    char text[400];
    int begun, ended, calls;
} Notes;

static bool note(const weft_custom_call *c, char *error, size_t room)
{
    Notes *n = c->user;
    size_t used = strlen(n->text);
    float x = c->n_in ? *(const float *)c->in[0] : 0;
    n->calls++;
    snprintf(n->text + used, sizeof n->text - used, "%s(%s) %g; ", c->name, c->config, (double)x);
    for (int i = 0; i < c->n_out; i++) *(float *)c->out[i] = 2 * x;
    if (strcmp(c->config, "fails") != 0) return true;
    snprintf(error, room, "%g is no good", (double)x);
    return false;
}

static bool begin(weft_custom_call *c, char *error, size_t room)
{
    Notes *n = c->user;
    c->state = n;
    if (!strcmp(c->config, "refused")) return snprintf(error, room, "not this one"), false;
    n->begun++;
    return true;
}

static void end(weft_custom_call *c) { ((Notes *)c->state)->ended++; }

#define HEAD "func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
#define CALL(config, results, types) \
    results "stablehlo.custom_call @note(%x) {backend_config = \"" config "\"} : (tensor<f32>) -> " types "\n"
#define COUNT \
    "%z = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n" \
    "%n = stablehlo.constant dense<4> : tensor<i32>\n" \
    "%r:2 = stablehlo.while(%i = %z, %c = %x) : tensor<i32>, tensor<f32>\n" \
    "cond { %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
    "stablehlo.return %p : tensor<i1> } do {\n"

static const struct {
    const char *text, *called;
    float gives;
} programs[] = {
    { HEAD CALL("a", "%0 = ", "tensor<f32>") "return %0 : tensor<f32> }", "note(a) 1; ", 2 },
    /* as JAX writes it */
    { HEAD "%0 = stablehlo.custom_call @note(%x) {backend_config = \"j\", mhlo.backend_config = {}, "
           "operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>]} : "
           "(tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32> }",
      "note(j) 1; ", 2 },
    /* twice the same, for what it does alone */
    { HEAD CALL("b", "", "()") CALL("b", "", "()") "return %x : tensor<f32> }", "note(b) 1; note(b) 1; ", 1 },
    /* in a loop, in a func that it calls, in one of two branches there, and behind it */
    { HEAD COUNT
      "%k = func.call @step(%i, %c) : (tensor<i32>, tensor<f32>) -> tensor<f32>\n"
      "%j = stablehlo.add %i, %one : tensor<i32>\n"
      "stablehlo.return %j, %k : tensor<i32>, tensor<f32> }\n" CALL(
          "end", "",
          "()") "return %r#1 : tensor<f32> }\n"
                "func.func private @step(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {\n" CALL(
                    "in", "",
                    "()") "%h = stablehlo.constant dense<3.0> : tensor<f32>\n"
                          "%p = stablehlo.compare GT, %x, %h : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                          "\"stablehlo.if\"(%p) ({\n" CALL(
                              "big", "",
                              "()") "stablehlo.return }, { stablehlo.return })"
                                    " : (tensor<i1>) -> ()\n"
                                    "%k = stablehlo.add %x, %x : tensor<f32>\nreturn %k : tensor<f32> }",
      "note(in) 1; note(in) 2; note(in) 4; note(big) 4; note(in) 8; note(big) 8; note(end) 1; ", 16 },
    /* in a condition: asked five times */
    { HEAD "%z = stablehlo.constant dense<16.0> : tensor<f32>\n"
           "%r = stablehlo.while(%c = %x) : tensor<f32>\n"
           "cond { %d = stablehlo.custom_call @note(%c) : (tensor<f32>) -> tensor<f32>\n"
           "%p = stablehlo.compare LE, %d, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
           "stablehlo.return %p : tensor<i1> } do { %e = stablehlo.add %c, %c : tensor<f32>\n"
           "stablehlo.return %e : tensor<f32> }\nreturn %r : tensor<f32> }",
      "note() 1; note() 2; note() 4; note() 8; note() 16; ", 16 },
};

static weft_context *open_with(Notes *n)
{
    *n = (Notes){ .begun = 0 };
    weft_context *ctx = weft_open(NULL);
    cr_assert_eq(weft_custom_call_on(
                     ctx, "note", &(weft_custom_fn){ .call = note, .begin = begin, .end = end, .user = n }),
                 WEFT_OK);
    return ctx;
}

static weft_status run(weft_context *ctx, const char *text, float *y)
{
    float x = 1;
    weft_program *p = weft_program_parse(ctx, text, strlen(text), NULL);
    cr_assert(p, "%s", weft_error(ctx));
    cr_expect_eq(weft_program_count(p, true), y != NULL);
    void *scratch = weft_block(ctx, weft_program_scratch(p));
    weft_status s = weft_program_run(p, (const void *[]){ &x }, (void *[]){ y }, scratch);
    weft_block_free(ctx, scratch, weft_program_scratch(p));
    weft_program_free(p);
    return s;
}

Test(custom_call, in_order_and_once)
{
    Notes n;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        weft_context *ctx = open_with(&n);
        float y = 0;
        cr_expect_eq(run(ctx, programs[i].text, &y), WEFT_OK, "%s", weft_error(ctx));
        cr_expect_str_eq(n.text, programs[i].called);
        cr_expect_eq(y, programs[i].gives);
        cr_expect(n.begun && n.begun == n.ended);
        weft_close(ctx);
    }
}

/* Op by op and compiled. */
Test(custom_call, as_a_function)
{
    Notes n;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        weft_context *ctx = open_with(&n);
        weft_unary *f = weft_parse_stablehlo(ctx, weft_unary, programs[i].text, strlen(programs[i].text),
                                             NULL),
                   *g = weft_jit(ctx, f);
        for (int jit = 0; jit < 3; jit++) {
            n.text[0] = 0;
            const float *y = weft_data((jit ? g : f)(weft_scalar(ctx, 1.0f)));
            cr_assert(y, "%s", weft_error(ctx));
            cr_expect_str_eq(n.text, programs[i].called);
            cr_expect_eq(*y, programs[i].gives);
        }
        weft_close(ctx);
        cr_expect_eq(n.begun, n.ended);
    }
}

Test(custom_call, without_results)
{
    Notes n;
    weft_context *ctx = open_with(&n);
    cr_expect_eq(run(ctx, "func.func @main(%x: tensor<f32>) {\n" CALL("a", "", "()") "return }", NULL),
                 WEFT_OK);
    cr_expect_str_eq(n.text, "note(a) 1; ");
    weft_close(ctx);
}

/* The loop would have no end. */
Test(custom_call, failure_ends_it)
{
    static const char text[] = HEAD
        "%t = stablehlo.constant dense<true> : tensor<i1>\n%r = stablehlo.while(%c = %x) : tensor<f32>\n"
        "cond { stablehlo.return %t : tensor<i1> } do {\n"
        "%k = stablehlo.custom_call @note(%c) {backend_config = \"fails\"} : (tensor<f32>) -> tensor<f32>\n"
        "stablehlo.return %k : tensor<f32> }\n" CALL("not made", "", "()") "return %r : tensor<f32> }";
    Notes n;
    weft_context *ctx = open_with(&n);
    float y;
    cr_expect_eq(run(ctx, text, &y), WEFT_ARGUMENT);
    cr_expect(strstr(weft_error(ctx), "note: 1 is no good"), "%s", weft_error(ctx));
    cr_expect_str_eq(n.text, "note(fails) 1; ");
    weft_clear(ctx);
    weft_unary *f = weft_parse_stablehlo(ctx, weft_unary, text, sizeof text - 1, NULL);
    weft_unary *both[] = { f, weft_jit(ctx, f) };
    for (int i = 0; i < 2; i++) {
        cr_expect_null(both[i](weft_scalar(ctx, 1.0f)));
        cr_expect(strstr(weft_error(ctx), "note: 1 is no good"), "%s", weft_error(ctx));
        weft_clear(ctx);
    }
    cr_expect_eq(n.calls, 3);
    weft_close(ctx);
}

/* JAX's tokens: what orders calls, and goes through main as arrays without elements. */
Test(custom_call, tokens)
{
    static const char text[] =
        "func.func public @main(%t: !stablehlo.token, %x: tensor<f32>, %u: !stablehlo.token)"
        " -> (!stablehlo.token, tensor<f32>, !stablehlo.token) {\n"
        "%0:2 = stablehlo.custom_call @note(%u, %x) : (!stablehlo.token, tensor<f32>)"
        " -> (!stablehlo.token, tensor<f32>)\n"
        "return %0#0, %0#1, %t : !stablehlo.token, tensor<f32>, !stablehlo.token }";
    Notes n;
    weft_context *ctx = open_with(&n);
    weft_program *p = weft_program_parse(ctx, text, sizeof text - 1, NULL);
    cr_assert(p, "%s", weft_error(ctx));
    for (int output = 0; output < 2; output++) {
        weft_type t = weft_program_type(p, output, 0), v = weft_program_type(p, output, 1);
        cr_expect_eq(weft_program_count(p, output), 3);
        cr_expect(t.dtype == WEFT_BOOL && t.rank == 1 && t.shape[0] == 0);
        cr_assert(t.element);
        cr_expect_str_eq(t.element, "token");
        cr_expect(v.dtype == WEFT_F32 && v.rank == 0 && !v.element);
    }
    float x = 3, y;
    char none[3];
    void *scratch = weft_block(ctx, weft_program_scratch(p));
    cr_expect_eq(weft_program_run(p, (const void *[]){ none, &x, none + 1 }, (void *[]){ none, &y, none + 1 },
                                  scratch),
                 WEFT_OK);
    cr_expect_eq(y, 6);
    cr_expect_str_eq(n.text, "note() 3; ");
    weft_block_free(ctx, scratch, weft_program_scratch(p));
    weft_close(ctx);
    cr_expect(n.begun == 1 && n.ended == 1);
}

/* Funcs in front of main whose tokens are spread before its own. */
Test(custom_call, tokens_of_private_funcs)
{
    enum { FUNCS = 40, NUMBERS = 30, MOST_TEXT = 1 << 18 };
    char *text = malloc(MOST_TEXT);
    size_t n = 0;
#define SAY(...) n += (size_t)snprintf(text + n, MOST_TEXT - n, __VA_ARGS__)
    for (int f = 0; f < FUNCS; f++) {
        SAY("func.func private @f%d(%%t: !stablehlo.token", f);
        for (int k = 0; k < NUMBERS; k++) SAY(", %%x%d: tensor<f32>", k);
        SAY(") -> (tensor<f32>, !stablehlo.token) {\nreturn %%x%d, %%t : tensor<f32>, !stablehlo.token }\n",
            f % NUMBERS);
    }
    SAY("func.func public @main(%%t: !stablehlo.token, %%x: tensor<f32>) -> (!stablehlo.token, tensor<f32>) "
        "{\n"
        "%%r:2 = func.call @f%d(%%t",
        FUNCS - 1);
    for (int k = 0; k < NUMBERS; k++) SAY(", %%x");
    SAY(") : (!stablehlo.token");
    for (int k = 0; k < NUMBERS; k++) SAY(", tensor<f32>");
    SAY(") -> (tensor<f32>, !stablehlo.token)\nreturn %%r#1, %%r#0 : !stablehlo.token, tensor<f32> }");
#undef SAY
    cr_assert_lt(n, MOST_TEXT);
    Notes notes;
    weft_context *ctx = open_with(&notes);
    weft_program *p = weft_program_parse(ctx, text, n, NULL);
    cr_assert(p, "%s", weft_error(ctx));
    float x = 3, y = 0;
    char none[2];
    void *scratch = weft_block(ctx, weft_program_scratch(p));
    cr_expect_eq(weft_program_run(p, (const void *[]){ none, &x }, (void *[]){ none + 1, &y }, scratch),
                 WEFT_OK);
    cr_expect_eq(y, 3);
    weft_block_free(ctx, scratch, weft_program_scratch(p));
    weft_close(ctx);
    free(text);
}

/* The last one given for a name holds, also before LAPACK's. */
Test(custom_call, replaced)
{
    Notes n, m = { .begun = 0 };
    weft_context *ctx = open_with(&n);
    float y;
    cr_expect_eq(weft_custom_call_on(ctx, "note", &(weft_custom_fn){ .call = note, .user = &m }), WEFT_OK);
    cr_expect_eq(run(ctx, programs[0].text, &y), WEFT_OK);
    cr_expect(n.calls == 0 && m.calls == 1);
    cr_expect_eq(weft_custom_call_on(ctx, "Sharding", &(weft_custom_fn){ .call = note, .user = &m }),
                 WEFT_OK);
    cr_expect_eq(run(ctx,
                     HEAD "%0 = stablehlo.custom_call @Sharding(%x) : (tensor<f32>) -> tensor<f32>\n"
                          "return %0 : tensor<f32> }",
                     &y),
                 WEFT_OK);
    cr_expect_eq(m.calls, 2);
    weft_close(ctx);
}

Test(custom_call, refused)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        { HEAD CALL("refused", "%0 = ", "tensor<f32>") "return %0 : tensor<f32> }",
          "2:6: custom_call @note: not this one" },
        { HEAD "%0 = stablehlo.custom_call @note(%x) {mhlo.backend_config = {a = 1 : i32}} : (tensor<f32>)"
               " -> tensor<f32>\nreturn %0 : tensor<f32> }",
          "not supported: a backend_config that is no string (custom_call @note)" },
        { "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
          "%0 = stablehlo.custom_call @note(%x) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], "
          "result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
          "return %0 : tensor<3x2xf32> }",
          "2:6: not supported: a layout that is not row-major (custom_call @note)" },
        { "func.func @main(%v: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {\n"
          "%r = stablehlo.reduce(%v init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>)"
          " -> tensor<f32> reducer(%x: tensor<f32>, %b: tensor<f32>) {\n" CALL(
              "a", "%k = ", "tensor<f32>") "stablehlo.return %k : tensor<f32> }\nreturn %r : tensor<f32> }",
          "2:6: not supported: calls of the host's functions in stablehlo.reduce" },
    };
    Notes n;
    weft_context *ctx = open_with(&n);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_null(weft_program_parse(ctx, bad[i].text, strlen(bad[i].text), NULL));
        cr_expect(strstr(weft_error(ctx), bad[i].says), "%s", weft_error(ctx));
        weft_clear(ctx);
    }
    cr_expect_eq(n.begun, n.ended);
    cr_expect_eq(weft_custom_call_on(ctx, "", &(weft_custom_fn){ .call = note }), WEFT_ARGUMENT);
    weft_clear(ctx);
    cr_expect_eq(weft_custom_call_on(ctx, "f", NULL), WEFT_ARGUMENT);
    weft_clear(ctx);
    cr_expect_eq(weft_custom_call_on(ctx, "f", &(weft_custom_fn){ .user = &n }), WEFT_ARGUMENT);
    weft_clear(ctx);
    weft_close(ctx);
}
