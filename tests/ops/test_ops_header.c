/* test_ops_header.c: what the macros of weft/ops.h promise: nesting that compiles in linear time, addresses,
 * ownership, threads of NULLs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "weft.h"

/* Seconds that the compiler takes for an expression of `open` nested depth times around x, closed by `close`.
 * Negative: it failed. */
static double compile_seconds(const char *open, const char *close, int depth, const char *warnings)
{
    char path[] = "/tmp/weft_nest_XXXXXX", command[400];
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    FILE *f = fdopen(file, "w");
    fprintf(f, "#include \"weft.h\"\nweft_array *nest(weft_array *x);\nweft_array *nest(weft_array *x)\n{\n  "
               "  return ");
    for (int i = 0; i < depth; i++) fputs(open, f);
    fputs("x", f);
    for (int i = 0; i < depth; i++) fputs(close, f);
    fputs(";\n}\n", f);
    fclose(f);
    snprintf(command, sizeof command, "cc -x c -std=c11 -fsyntax-only -Iinclude -Werror %s %s", warnings,
             path);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    int status = system(command);
    clock_gettime(CLOCK_MONOTONIC, &b);
    remove(path);
    return status ? -1 : (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

#define WARNINGS "-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes"

/* Doubling per level would take 2^40 times as long. */
Test(ops_header, deep_nests_compile_in_linear_time)
{
    static const char *const nest[][2] = {
        { "weft_add(", ", 1)" },
        { "weft_mul(0.5, ", ")" },
        { "weft_tanh(", ")" },
        { "weft_where(x, ", ", 0)" },
        { "weft_sum(", ", .axes = \"\", .keep = true)" },
        { "weft_reshape(", ", -1)" },
        { "weft_concatenate(0, ", ")" },
        { "weft_einsum(\"i\", ", ")" },
        { "weft_transpose(", ")" },
        { "weft_at(", ", \":\")" },
        { "weft_take(", ", 0, 0)" },
        { "weft_clip(", ", 0, 1)" },
        { "weft_set(", ", \"0\", 1)" },
        { "weft_sort(", ", -1, .descending = true)" },
        { "weft_scatter(", ", 0, 0, 1, .with = WEFT_ADD)" },
        { "weft_max_pool(", ", \"2\")" },
        { "weft_cumsum(", ", 0)" },
        { "weft_where(", ", 1, 0)" },
    };
    if (system("cc --version > /dev/null 2>&1")) return;
    for (size_t i = 0; i < sizeof nest / sizeof *nest; i++) {
        double s = compile_seconds(nest[i][0], nest[i][1], 60, WARNINGS);
        cr_expect(s >= 0, "%s...%s does not compile without warnings", nest[i][0], nest[i][1]);
        cr_expect(s < 8, "%s...%s 60 deep: %.1f s", nest[i][0], nest[i][1], s);
    }
}

/* gcc names the line the expression starts at, clang the one it ends at. */
Test(ops_header, ops_are_functions_too)
{
    weft_context *ctx = weft_open(NULL);
    float data[3] = { 1, 2, 3 };
    weft_array *x = weft_from(ctx, data, 3);
    weft_unary *f = weft_square, *g = weft_sum;
    weft_binary *h = weft_add;
    cr_expect_eq(weft_item(g(h(f(x), x))), 20);
    cr_expect_eq(weft_item((weft_max)(x)), 3);
    cr_expect_null(h(x, NULL));
    cr_expect_str_eq(weft_error(ctx), "weft_add: operand 2 is NULL");
    weft_close(ctx);
}

/* A result is never the operand itself: freeing one leaves the other alone. */
Test(ops_header, results_are_new_arrays)
{
    weft_context *ctx = weft_open(NULL);
    float data[3] = { 1, 2, 3 };
    weft_array *x = weft_from(ctx, data, 3);
    weft_array *same[] = {
        weft_reshape(x, 3),
        weft_ravel(x),
        weft_astype(x, WEFT_F32),
        weft_squeeze(x),
        weft_at(x, ":"),
        weft_broadcast_to(x, 3),
        weft_transpose(x),
        weft_roll(x, 3, 0),
        weft_flip(x, ""),
        weft_sum(x, .axes = ""),
        weft_concatenate(0, x),
        weft_einsum("i->i", x),
        weft_pow(x, 1),
        weft_floor(weft_astype(x, WEFT_I32)),
        weft_full(ctx, WEFT_F32, x, 3),
        weft_moveaxis(x, 0, 0),
        weft_repeat(x, 1, 0),
        weft_clip(x, -9, 9),
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        cr_expect(same[i] && same[i] != x, "result %zu", i);
        weft_free(same[i]);
    }
    cr_expect_eq(weft_item(weft_sum(x)), 6);
    weft_close(ctx);
}

/* Temporaries of compositions die with the call. */
Test(ops_header, one_result_is_one_array)
{
    weft_context *ctx = weft_open(NULL);
    float data[6] = { 1, 2, 3, 4, 5, 6 };
    weft_array *x = weft_from(ctx, data, 2, 3);
    size_t before = weft_stats(ctx).arrays;
    weft_softmax(x), weft_gelu(x), weft_var(x), weft_einsum("ij,kj->ik", x, x), weft_take(x, 1, 0),
        weft_mul(x, 0.5), weft_linspace(ctx, 0, 1, 5);
    cr_expect_eq(weft_stats(ctx).arrays - before, 7);
    weft_close(ctx);
}

/* Which type an op of an array and a C number has. */
Test(ops_header, numbers_are_weak)
{
    static const weft_dtype with_int[] = { WEFT_I32,  WEFT_I8,  WEFT_I16, WEFT_I32, WEFT_I64,
                                           WEFT_U8,   WEFT_U16, WEFT_U32, WEFT_U64, WEFT_F16,
                                           WEFT_BF16, WEFT_F32, WEFT_F64 };
    static const weft_dtype with_float[] = { WEFT_F32,  WEFT_F32, WEFT_F32, WEFT_F32, WEFT_F32,
                                             WEFT_F32,  WEFT_F32, WEFT_F32, WEFT_F32, WEFT_F16,
                                             WEFT_BF16, WEFT_F32, WEFT_F64 };
    weft_context *ctx = weft_open(NULL);
    for (int t = WEFT_BOOL; t <= (int)WEFT_F64; t++) {
        weft_array *x = weft_ones(ctx, (weft_dtype)t, 2);
        cr_expect_eq(weft_dtype_of(weft_mul(x, 2)), with_int[t], "type %d with an int", t);
        cr_expect_eq(weft_dtype_of(weft_mul(0.5, x)), with_float[t], "type %d with a double", t);
        cr_expect_eq(weft_dtype_of(weft_mul(x, (bool)1)), (weft_dtype)t, "type %d with a bool", t);
        cr_expect_eq(weft_item(weft_sum(weft_mul(x, 2))), 4, "type %d", t);
    }
    cr_expect_eq(weft_dtype_of(weft_add(1, 2)), WEFT_I32);
    cr_expect_eq(weft_dtype_of(weft_add(1, 2.0f)), WEFT_F32);
    cr_expect_eq(weft_item(weft_add(weft_zeros(ctx, WEFT_U64), UINT64_MAX)), 18446744073709551615.0);
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

/* The context of an op without arrays: the one named, else the innermost scope's. */
Test(ops_header, constructors_find_their_context)
{
    weft_context *a = weft_open(NULL), *b = weft_open(NULL);
    size_t in_a = weft_stats(a).arrays, in_b = weft_stats(b).arrays;
    weft_zeros(a, WEFT_F32, 2);
    weft_linspace(NULL, 0, 1, 3);
    cr_expect_eq(weft_stats(a).arrays - in_a, 1);
    cr_expect_eq(weft_stats(b).arrays - in_b, 1, "NULL: the last one opened");
    weft_scope *s = weft_scope_open(a);
    weft_eye(NULL, WEFT_F32, 2);
    cr_expect_eq(weft_stats(a).arrays - in_a, 2, "NULL: the innermost scope's");
    weft_scope_close(s);
    weft_close(b);
    weft_close(a);
}
