/* test_traps.c: calls that look right to somebody who comes from NumPy or JAX, and compile: each is right, or
 * an error that says what is. What does not compile is in traps/traps.c. */
#include <math.h>
#include <string.h>
#include "tests/support/context_suite.h"

#ifdef __clang__ /* which warns of floating-point constants where ints stand; gcc says nothing */
#pragma clang diagnostic ignored "-Wliteral-conversion"
#endif

static weft_array *x, *ids, *key; /* f32[2,3] and i32[2,3]: 0 1 2, 3 4 5 */

static weft_array *inc(weft_array *a) { return weft_add(a, 1); }
static weft_array *sum(weft_array *a, weft_array *b) { return weft_add(a, b); }
static weft_array *undeclared(weft_array *a) { return a; }
static int least(int a, int b) { return a < b ? a : b; }

static void open(void)
{
    open_context();
    ids = weft_reshape(weft_arange(ctx, 0, 6, 1), 2, 3);
    x = weft_astype(ids, WEFT_F32);
    key = weft_key(ctx, 0);
    weft_declare(ctx, inc, weft_unary);
    weft_declare(ctx, sum, weft_binary);
}

TestSuite(traps, .init = open, .fini = close_context);

/* An error that has this text in it, and no result. */
static void expect_refused(int line, const char *call, const weft_array *result, const char *text)
{
    const char *error = weft_error(ctx);
    cr_expect(!result && error && strstr(error, text), "line %d: %s\n  gave %s", line, call,
              error ? error : "no error");
    weft_clear(ctx);
}

static void expect_fine(int line, const char *call, const weft_array *result)
{
    cr_expect(result && !weft_error(ctx), "line %d: %s\n  gave %s", line, call, weft_error(ctx));
    weft_clear(ctx);
}

#define WRONG(call, text) expect_refused(__LINE__, #call, (call), text)
#define FINE(call)        expect_fine(__LINE__, #call, (call))

Test(traps, options_that_an_op_does_not_have)
{
    weft_array *edges;
    WRONG(weft_sum(x, .ddof = 1), ".ddof does not apply");
    WRONG(weft_mean(x, .ord = 1), ".ord does not apply");
    WRONG(weft_norm(x, .ddof = 1), ".ddof does not apply");
    WRONG(weft_argmax(x, .ord = 1), ".ord does not apply");
    WRONG(weft_argmax(x, .where = ids), ".where is not taken");
    WRONG(weft_sort(x, -1, .reverse = true), "sorts have .descending");
    WRONG(weft_argsort(x, -1, .right = true), ".right does not apply");
    WRONG(weft_sort_by(x, ids, 0, .reverse = true), "sorts have .descending");
    WRONG(weft_cumsum(x, 0, .descending = true), "prefixes have .reverse");
    WRONG(weft_cumlogsumexp(x, 0, .right = true), ".right does not apply");
    WRONG(weft_searchsorted(weft_ravel(x), 1, .descending = true), ".descending does not apply");
    WRONG(weft_max_pool(x, "2", .inside = true), ".inside does not apply");
    WRONG(weft_bincount(ids, 4, .to = 3), ".from, .to does not apply");
    WRONG(weft_bincount(ids, 4, .edges = &edges), ".edges does not apply");
    WRONG(weft_random_permutation(key, 5, .p = x), ".p does not apply");
    WRONG(weft_random_choice(key, 5, .each = true), ".each does not apply");
    WRONG(weft_scan(ctx, inc, "carry", .count = 3)(x), ".count is no option");
    WRONG(weft_fori(ctx, inc, "carry", .length = 3)(x), ".length is no option");
    WRONG(weft_map(ctx, inc, "0", .chunk = 2)(x), ".chunk is no option");
}

Test(traps, options_out_of_range)
{
    WRONG(weft_norm(x, .ord = NAN), ".ord is NaN");
    WRONG(weft_histogram(x, 2, .from = NAN, .to = 1), "the range nan to 1");
    WRONG(weft_histogram(x, 2, .to = INFINITY), "the range 0 to inf");
    WRONG(weft_histogram(x, 2, .from = 3, .to = 1), "the range 3 to 1");
    WRONG(weft_histogram(x, 0), "0 bins (1 to 2147483645)");
    WRONG(weft_histogram(x, INT64_MAX), "9223372036854775807 bins (1 to 2147483645)");
    WRONG(weft_reduce_window(x, WEFT_ADD, "2", .stride = "9223372036854775807"),
          "stride 9223372036854775807 of axis 1 must be 1 to 1152921504606846975");
    WRONG(weft_reduce_window(x, WEFT_ADD, "2", .pad = "-9223372036854775807"),
          "must be -1152921504606846975 to 1152921504606846975");
    WRONG(weft_reduce_window(x, (weft_combine)9, "2"), "not by 9");
    WRONG(weft_vmap(ctx, inc, "0", .size = -4)(x), "the size of the batch is -4");
    WRONG(weft_scan(ctx, inc, "carry", .length = -5)(x), ".length is -5: steps, 0 or more");
    WRONG(weft_scan(ctx, inc, "carry", .length = 3, .unroll = -1)(x), ".unroll is -1");
    WRONG(weft_scan(ctx, inc, "carry", .length = 3, .checkpoint = -1)(x), ".checkpoint is -1");
    WRONG(weft_fori(ctx, inc, "carry", .count = INT64_MIN)(x),
          ".count is -9223372036854775808: steps, 0 or more");
    WRONG(weft_map(ctx, inc, "0", .batch = -1)(x), ".batch is -1");
    WRONG(weft_soft_vmap(ctx, inc, "0", .chunk = -1)(x), ".chunk is -1");
    WRONG(weft_soft_vmap(ctx, inc, "0", .batch_ndims = 33)(x), ".batch_ndims is 33: axes, 0 to 32");
    WRONG(weft_random_choice(key, 5, .axis = "3"), "axis 3 is out of range for i32[5] (-1 to 0)");
    WRONG(weft_random_choice(key, 5, .shape = weft_dims(7), .distinct = true),
          "7 draws without replacement from 5");
    WRONG(weft_arange(ctx, 0.0, 1e30, 1.0), "are more elements than 63 bits can count");
    WRONG(weft_arange(ctx, 0, 1, NAN), "is no number");
    WRONG(weft_arange(ctx, 0, 1, 0), "step must not be 0");
    WRONG(weft_linspace(ctx, 0, 1, -1), "-1 numbers");
    weft_schedule bad = weft_schedule_cosine(.rate = NAN, .steps = 10);
    WRONG(weft_schedule_at(ctx, bad, 1), ".rate");
}

Test(traps, floats_where_an_integer_is_wanted)
{
    WRONG(weft_var(x, .ddof = 0.9), "weft_var: .ddof is a floating-point number: it must be an integer");
    WRONG(weft_std(x, .axes = "0", .ddof = (1.)), ".ddof is a floating-point number");
    WRONG(weft_std(x, .ddof = -.5f), ".ddof is a floating-point number");
    WRONG(weft_scan(ctx, inc, "carry", .length = 3.5)(x), ".length is a floating-point number");
    WRONG(weft_scan(ctx, inc, "carry", .length = 3, .unroll = 0.5)(x), ".unroll is a floating-point");
    WRONG(weft_fori(ctx, inc, "carry", .count = 1e+1)(x), ".count is a floating-point number");
    WRONG(weft_fori(ctx, inc, "carry", .count = 0x1p2)(x), ".count is a floating-point number");
    WRONG(weft_map(ctx, inc, "0", .batch = 2.0)(x), ".batch is a floating-point number");
    WRONG(weft_soft_vmap(ctx, inc, "0", .chunk = 1.5)(x), ".chunk is a floating-point number");
    FINE(weft_var(x, .ddof = 0xE));
    FINE(weft_var(x, .ddof = 1.5 > weft_rank(x)));
    FINE(weft_std(x, .ddof = (int)1.5, .axes = "0"));
    FINE(weft_fori(ctx, inc, "carry", .count = 2 * (int64_t)1e0)(x));
}

/* What C makes of a && b where an array stands, with a warning at most. */
static weft_array *both(const weft_array *a, const weft_array *b) { return (weft_array *)(intptr_t)(a && b); }

Test(traps, numbers_where_an_array_is_wanted)
{
    WRONG(weft_sum(x, .where = both(x, ids)),
          "weft_sum: operand 2 is the number 1, no array: a && b, !a and a > b are ints in C");
    WRONG(weft_mul(both(x, ids), 2), "operand 1 is the number 1");
    WRONG(weft_mul(x, both(x, ids)), "operand 2 is the number 1");
    WRONG(weft_exp(both(x, ids)), "operand 1 is the number 1");
    WRONG(weft_where(both(x, ids), x, 0), "operand 1 is the number 1");
    WRONG(weft_concatenate(0, x, both(x, ids)), "operand 2 is the number 1");
    WRONG(weft_random_choice(key, 5, .p = both(x, ids)), "is the number 1");
    WRONG(weft_random_normal(both(key, x), WEFT_F32, 3), "is the number 1");
    WRONG(weft_histogram(x, 3, .weights = both(x, ids)), "operand 2 is the number 1");
    WRONG(weft_unique(x, 3, .fill = both(x, ids)), "operand 2 is the number 1");
    WRONG(weft_jit(ctx, inc)(both(x, ids)), "argument x is the number 1");
    WRONG(weft_keep(both(x, ids)), "the array is the number 1");
    WRONG((weft_free(both(x, ids)), weft_donate(both(x, ids))), "the array is the number 1");
    cr_expect(weft_rank(both(x, ids)) == 0 && weft_error(ctx));
    weft_clear(ctx);
    cr_expect(weft_f32(both(x, ids))[0] == 0 && weft_error(ctx));
    weft_clear(ctx);
    char text[64];
    weft_format(both(x, ids), text, sizeof text);
    cr_expect_str_eq(text, "a number, no array");
}

Test(traps, options_of_contexts)
{
    static const struct {
        weft_options given;
        const char *text;
    } bad[] = {
        { { .mode = (weft_mode)7 }, "weft_open: mode 7: allowed are WEFT_MODE_DEFAULT, _STRICT and _FAST" },
        { { .compile_seconds = -1, .compile_apart = true },
          "weft_open: compile_seconds -1: must be at least 0" },
        { { .compile_seconds = 3 },
          "weft_open: compile_seconds needs compile_apart: a compiler in this process has no limits" },
        { { .compile_memory = 8 << 20 },
          "weft_open: compile_memory needs compile_apart: a compiler in this process has no limits" },
        { { .compile_or_fail = true },
          "weft_open: compile_or_fail needs compile_apart: a compiler in this process has no limits" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_null(weft_open(&bad[i].given), "%s", bad[i].text);
        cr_expect_str_eq(weft_error(NULL) ? weft_error(NULL) : "no error", bad[i].text);
        weft_clear(NULL);
    }
}

Test(traps, texts)
{
    WRONG(weft_at(x, "[0]"), "cannot be read");
    WRONG(weft_at(x, "0.5"), "cannot be read");
    WRONG(weft_at(x, "%d", 7), "index 7 is out of range for axis 0");
    WRONG(weft_at(x, "%d"), "weft_at: index \"%d\" wants 1 number, one for each %, and has 0");
    WRONG(weft_at(x, "0", 1), "wants 0 numbers, one for each %, and has 1");
    WRONG(weft_at(x, "%s", 1), "index \"%s\" has another % than those of integers");
    WRONG(weft_at(x, "%"), "has another % than those of integers");
    WRONG(weft_at(x, "%zu", (size_t)-1), "the number 18446744073709551615 does not fit in an int64");
    WRONG(weft_set(x, "%d", 9.0), "weft_set: index \"%d\" wants 1 number, one for each %, and has 0");
    WRONG(weft_set_add(x, "%d, %d", 9.0, 1),
          "weft_set_add: index \"%d, %d\" wants 2 numbers, one for each %, and has 1");
    WRONG(weft_set(x, "%s", 9.0, 1), "has another % than those of integers");
    WRONG(weft_set(x, "%n", 9.0, 1), "has another % than those of integers");
    WRONG(weft_set(x, "%*d", 9.0, 1), "has another % than those of integers");
    WRONG(weft_sum(x, .axes = "(0, 1)"), "are not a list of numbers like \"0,-1\"");
    WRONG(weft_sum(x, .axes = "0 1"), "are not a list of numbers");
    WRONG(weft_sum(x, .axes = "rows"), "are not a list of numbers");
    WRONG(weft_sum(x, .axes = "2"), "axis 2 is out of range for f32[2,3] (-2 to 1)");
    WRONG(weft_sum(x, .axes = "0,-2"), "name axis 0 of f32[2,3] twice");
    WRONG(weft_sum(x, .keep = true, .axes = 0),
          "weft_sum: .axes = 0 is no text: write .axes = \"0\", or leave it out");
    /* clang-format off */
    WRONG(weft_max(x, .keep = true, .axes=(0)), ".axes = 0 is no text");
    WRONG(weft_min(x, .axes=0), ".axes = 0 is no text");
    /* clang-format on */
    WRONG(weft_prod(weft_add(x, x), .axes = 0), ".axes = 0 is no text");
    WRONG(weft_mean(x, .axes = NULL), ".axes = 0 is no text");
    WRONG(weft_std(x, .ddof = 1, .axes = (const char *)0), ".axes = 0 is no text");
    WRONG(weft_norm(x, .axes = (const char *)1), "weft_norm: .axes = 1 is no text: write .axes = \"1\"");
    WRONG(weft_any(x, .axes = (const char *)-1), ".axes = -1 is no text: write .axes = \"-1\"");
    WRONG(weft_argmax(x, .keep = true, .axes = 0), "weft_argmax: .axes = 0 is no text");
    WRONG(weft_argmin(x, .axes = (const char *)1), "weft_argmin: .axes = 1 is no text");
    WRONG(weft_softmax(x, .where = NULL, .axes = 0), "weft_softmax: .axes = 0 is no text");
    WRONG(weft_log_softmax(weft_mul(x, weft_sum(x, .axes = "0")), .axes = NULL),
          "weft_log_softmax: .axes = 0 is no text");
    WRONG(weft_random_permutation(key, x, .each = true, .axis = 0),
          "weft_random_permutation: .axis = 0 is no text");
    WRONG(weft_random_choice(key, x, .axis = (const char *)1), "weft_random_choice: .axis = 1 is no text");
    WRONG(weft_random_categorical(key, x, .axis = NULL), "weft_random_categorical: .axis = 0 is no text");
    WRONG(weft_max_pool(x, "2", .pad = 0), "weft_max_pool: .pad = 0 is no text");
    WRONG(weft_min_pool(x, "2", .pad = "same", .stride = 0), "weft_min_pool: .stride = 0 is no text");
    WRONG(weft_avg_pool(x, "2", .stride = (const char *)2), ".stride = 2 is no text: write .stride = \"2\"");
    WRONG(weft_reduce_window(x, WEFT_ADD, "2", .dilation = 0),
          "weft_reduce_window: .dilation = 0 is no text");
    WRONG(weft_reduce_window(x, WEFT_ADD, "2", .base_dilation = (const char *)2),
          ".base_dilation = 2 is no text");
    WRONG(weft_transpose(x, "(1, 0)"), "are not a list of numbers");
    WRONG(weft_transpose(x, "1"), "all 2, each once");
    WRONG(weft_pad(x, 0, "(1,2),(0,0)"), "are not like");
    WRONG(weft_einsum("ij", x, x), "has 1 terms for 2 operands");
    WRONG(weft_einsum("ij,jk", x, x), "axis 'j' has size 3 and 2");
    WRONG(weft_vmap(ctx, inc, "")(x), "'' is no axis");
    WRONG(weft_vmap(ctx, inc, "0, 0")(x), "2 axes for 1 array argument");
    WRONG(weft_vmap(ctx, inc, NULL)(x), "no axis");
    WRONG(weft_fori(ctx, inc, "cary", .count = 3)(x), "cary");
    WRONG(weft_grad(ctx, weft_unary, inc, "y")(x), "has no argument y");
    WRONG(weft_load(ctx, "no/such.npy"), "No such file");
}

Test(traps, functions)
{
    WRONG(weft_jit(ctx, undeclared)(x) == x ? NULL : x, "not declared");
    WRONG(weft_vmap(ctx, undeclared, "0")(x), "not declared");
    WRONG(weft_jit(ctx, sum)(x, NULL), "argument y is NULL");
    WRONG(weft_grad(ctx, weft_unary, inc, "x")(x), "scalar-output functions");
    WRONG(weft_scan(ctx, inc, "carry")(x), "needs .length");
    WRONG(weft_fori(ctx, inc, "carry")(x), "nothing says when it ends");
    WRONG(weft_fori(ctx, inc, "carry", .checkpoint = 2)(x), ".checkpoint needs .count");
    WRONG(weft_fori(ctx, inc, "carry", .checkpoint = strlen(".count = 3") > 100)(x),
          "nothing says when it ends");
    WRONG(weft_fori(ctx, inc, "carry", .checkpoint = strlen("\", .count = ") > 100)(x),
          "nothing says when it ends");
    WRONG(weft_fori(ctx, inc, "carry",
                    .checkpoint = least(0, (weft_control){ .axis = 0, .count = 0 }.count))(x),
          "nothing says when it ends");
    WRONG(
        weft_scan(ctx, inc, "carry", .unroll = least('"', 1), .checkpoint = strlen(", .length = '") > 99)(x),
        "needs .length");
}

Test(traps, values)
{
    WRONG(weft_take(x, 1.5, 0), "must be integers");
    WRONG(weft_one_hot(x, 3), "must be integers");
    WRONG(weft_pow(ids, -1), "negative power");
    WRONG(weft_add(weft_zeros(ctx, WEFT_I32, 2), 3000000000), "3000000000");
    WRONG(weft_full(ctx, WEFT_I8, 300, 2), "does not fit in i8");
    WRONG(weft_set(ids, "0", 0.5), "does not go into i32[2,3]");
    WRONG(weft_set(ids, "0", x), "without loss");
    WRONG(weft_key(ctx, 1.5), "must be an integer");
    WRONG(weft_random_uniform(x, WEFT_F32, 3), "a key is a u32[2]");
    WRONG(weft_random_uniform(key, WEFT_I32, 3), "not i32");
    WRONG(weft_random_randint(key, WEFT_F32, 0, 9, 3), "the numbers are ints");
    WRONG(weft_reshape(x, 4, -1), "cannot become [4,-1]");
    WRONG(weft_concatenate(0, x, NULL), "operand 2 is NULL");
    WRONG(weft_sum(NULL), "NULL");
    cr_expect_null(weft_f32(ids) == NULL ? ids : NULL, "readable zeros");
    cr_expect_not_null(strstr(weft_error(ctx), "read it with weft_i32"));
}

/* What a newcomer may write, and what means just what it says. */
Test(traps, no_traps)
{
    FINE(weft_sum(x));
    FINE(weft_sum(x, .axes = "0", .keep = true));
    FINE(weft_sum(x, .where = weft_gt(x, weft_mean(x, .axes = "1", .keep = true)), .axes = "-1"));
    const char *none = NULL;
    FINE(weft_sum(x, .axes = none));
    FINE(weft_sum(x, .keep = true, .axes = weft_rank(x) > 2 ? "0" : NULL));
    FINE(weft_softmax(x, .where = NULL));
    FINE(weft_sum_(x, (weft_over){ .axes = NULL }, NULL));
    FINE(weft_random_permutation(key, x, .axis = none));
    FINE(weft_max_pool(x, "2", .stride = none, .pad = "same"));
    FINE(weft_sum(weft_max(weft_mul(x, strlen(".axes = 0, ") ? 1 : 2), .axes = ""), .axes = none));
    FINE(weft_zeros(ctx, WEFT_F32));
    FINE(weft_zeros(ctx, weft_dtype_of(x), weft_dim(x, 0), 4));
    FINE(weft_zeros(NULL, true ? WEFT_F32 : WEFT_F64, 2u, (size_t)3));
    int n = 2;
    FINE(weft_zeros(ctx, WEFT_F32, (n), 3));
    FINE(weft_zeros(ctx, WEFT_F32, (n + 1) * 2, (int64_t)n));
    FINE(weft_zeros(ctx, WEFT_F32, (int64_t)n, (least(n, 3))));
    FINE(weft_zeros(ctx, WEFT_F32, (least(n, 3)), (least)(n, 3)));
    FINE(weft_zeros(ctx, WEFT_F32, (least)(n, 3)));
    FINE(weft_at(x, "%d, %u:%zu", (int64_t)1, (short)0, (size_t)2));
    FINE(weft_set(x, "%ld, %lld", 9.0, n - 1, -1L));
    FINE(weft_transpose(x, NULL));
    FINE(weft_flip(x, (const char *)"1"));
    FINE(weft_take(x, true, (short)0));
    FINE(weft_random_choice(key, 5, .shape = { 2, (const int64_t[]){ 3, 4 } }));
    int64_t size[] = { 3, 4 };
    weft_array *two = weft_scalar(ctx, 2);
    FINE(weft_random_choice(key, 5, .p = NULL, .shape = { (int)weft_item(two), size }));
    FINE(weft_zeros(ctx, weft_rank(x) > 1 ? WEFT_F16 : weft_dtype_of(x), 2));
    cr_expect_eq(weft_count(weft_soft_vmap(ctx, inc, "0", .batch_ndims = 0)(x)), 6);
}

/* Loops of no steps: carries come back as they went in, and stacked results are empty. */
Test(traps, no_steps)
{
    int n = 0;
    weft_unary *loop[] = { weft_fori(ctx, inc, "carry", .count = 0),
                           weft_fori(ctx, inc, "carry", .count = n, .checkpoint = 2),
                           weft_fori(ctx, inc, "carry", .checkpoint = least(2, '"'), .count = 0),
                           weft_scan(ctx, inc, "carry", .length = n),
                           weft_jit(ctx, weft_fori(ctx, inc, "carry", .count = n)) };
    for (size_t i = 0; i < sizeof loop / sizeof *loop; i++) {
        weft_array *r = loop[i](x);
        cr_expect(r && !memcmp(weft_f32(r), weft_f32(x), 6 * sizeof(float)), "loop %zu: %s", i,
                  weft_error(ctx));
    }
    weft_array *ys = weft_scan(ctx, inc, "none", .length = 0)(x);
    cr_expect(weft_rank(ys) == 3 && weft_dim(ys, 0) == 0 && weft_dim(ys, 2) == 3, "%s", weft_error(ctx));
    WRONG(weft_scan(ctx, sum, "carry, 0", .length = 0)(weft_at(x, "0"), x),
          "disagrees with leading axis sizes [2]");
    cr_expect_not_null(weft_scan(ctx, sum, "carry, 0", .reverse = true)(weft_at(x, "0"), x));
}
