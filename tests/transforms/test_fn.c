/* Declaring functions, transforms in any order, what a traced function may do, and what it may not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

TestSuite(fn, .init = open_context, .fini = close_context);

static bool is(const weft_array *a, int n, const float *want)
{
    if (!a || weft_count(a) != n) return false;
    for (int i = 0; i < n; i++)
        if (weft_f32(a)[i] != want[i]) return false;
    return true;
}
#define IS(a, ...) is((a), (int)(sizeof(float[]){ __VA_ARGS__ } / sizeof(float)), (float[]){ __VA_ARGS__ })

/* ---- plain ones ---- */

static weft_array *dot(weft_array *x, weft_array *y) { return weft_sum(weft_mul(x, y)); }
static weft_array *twice(weft_array *x) { return weft_add(x, x); }

Test(fn, the_same_question_gives_the_same_pointer)
{
    cr_expect_eq(weft_declare(ctx, dot, weft_binary), WEFT_OK);
    cr_expect_eq(weft_declare(ctx, dot, weft_binary), WEFT_OK);
    weft_binary *v = weft_vmap(ctx, dot, "0, none");
    cr_expect_eq(v, weft_vmap(ctx, dot, "0, none"));
    cr_expect_neq(v, weft_vmap(ctx, dot, "none, 0"));
    cr_expect_eq(weft_jit(ctx, v), weft_jit(ctx, weft_vmap(ctx, dot, "0, none")));
    cr_expect_neq((weft_fn)weft_jit(ctx, dot), (weft_fn)weft_jit(ctx, v));
    for (int i = 0; i < 500; i++) { /* more closures than a page holds */
        char axes[256];
        snprintf(axes, sizeof axes, "0%*s", i % 200 + 1, "");
        cr_assert_not_null(weft_vmap(ctx, dot, axes));
    }
    cr_expect_null(weft_error(ctx));
}

Test(fn, vmap_outside_jit)
{
    weft_declare(ctx, dot, weft_binary);
    weft_array *m = weft_from(ctx, six, 2, 3), *v = weft_from(ctx, six, 3);
    cr_expect(IS(weft_vmap(ctx, dot, "0, none")(m, v), 14, 32));
    cr_expect(IS(weft_vmap(ctx, dot, "0")(m, m), 14, 77), "one entry stands for all");
    cr_expect(IS(weft_vmap(ctx, dot)(m, m), 14, 77), "as do none");
    cr_expect(IS(weft_map(ctx, dot)(m, m), 14, 77));
    cr_expect(IS(weft_soft_vmap(ctx, dot)(m, m), 14, 77));
    cr_expect(IS(weft_vmap(ctx, dot, "-1, none")(weft_from(ctx, six, 3, 2), v), 22, 28));
    cr_expect(IS(weft_vmap(ctx, weft_vmap(ctx, dot, "none, 0"), "0, none")(m, m), 14, 32, 32, 77),
              "all pairs");
    cr_expect_null(weft_error(ctx));
    uint64_t traces = weft_stats(ctx).traces;
    weft_vmap(ctx, dot, "0, none")(m, v);
    cr_expect_eq(weft_stats(ctx).traces, traces, "traced once for these shapes");
}

Test(fn, jit_and_vmap_in_any_order)
{
    need_backend();
    weft_declare(ctx, dot, weft_binary);
    weft_array *m = weft_from(ctx, six, 2, 3), *v = weft_from(ctx, six, 3);
    cr_expect(IS(weft_jit(ctx, dot)(v, v), 14));
    cr_expect(IS(weft_jit(ctx, weft_vmap(ctx, dot, "0, none"))(m, v), 14, 32));
    cr_expect(IS(weft_vmap(ctx, weft_jit(ctx, dot), "0, none")(m, v), 14, 32));
    weft_binary *pairs =
        weft_jit(ctx, weft_vmap(ctx, weft_jit(ctx, weft_vmap(ctx, dot, "none, 0")), "0, none"));
    cr_expect(IS(pairs(m, m), 14, 32, 32, 77));
    cr_expect_null(weft_error(ctx));
}

Test(fn, weft_s_own_functions_are_declared)
{
    need_backend();
    weft_array *x = weft_from(ctx, six, 6);
    cr_expect(IS(weft_jit(ctx, weft_square)(x), 1, 4, 9, 16, 25, 36), "%s", weft_error(ctx));
    cr_expect(IS(weft_vmap(ctx, weft_add, "0, none")(x, weft_scalar(ctx, 1)), 2, 3, 4, 5, 6, 7));
    cr_expect_eq(weft_declare(ctx, weft_square, weft_unary), WEFT_OK);
}

/* ---- signatures ---- */

WEFT_SIGNATURE(split_fn, weft_array *,
               (weft_array * x, int n, double scale, bool flip, WEFT_OUT weft_array **rest,
                WEFT_OUT weft_array **sum));
static weft_array *split(weft_array *x, int n, double scale, bool flip, weft_array **rest, weft_array **sum)
{
    *rest = weft_mul(x, scale);
    *sum = weft_sum(x);
    return flip ? weft_sub(n, x) : weft_sub(x, n);
}

WEFT_SIGNATURE(outs_fn, void, (const weft_array *x, WEFT_OUT weft_array **a, WEFT_OUT weft_array **b));
static void outs(const weft_array *x, weft_array **a, weft_array **b)
{
    *a = weft_add(x, 1);
    *b = weft_add(x, 2);
}

WEFT_SIGNATURE(constant_fn, weft_array *, (void));
static weft_array *constant(void) { return weft_mul(weft_scalar_as(NULL, WEFT_F32, 3), 2); }

Test(fn, several_results_and_static_numbers)
{
    need_backend();
    weft_declare(ctx, split, split_fn);
    weft_declare(ctx, outs, outs_fn);
    weft_declare(ctx, constant, constant_fn);
    weft_array *x = weft_from(ctx, six, 3), *rest, *sum, *m = weft_from(ctx, six, 2, 3);
    split_fn *fast = weft_jit(ctx, split), *all = weft_vmap(ctx, split, "0 -> 1, 0, 0");
    cr_expect(IS(fast(x, 1, 2.5, false, &rest, &sum), 0, 1, 2));
    cr_expect(IS(rest, 2.5f, 5, 7.5f));
    cr_expect(IS(sum, 6));
    cr_expect(IS(fast(x, 1, 2.5, true, NULL, &sum), 0, -1, -2), "a result that nobody wants");
    cr_expect(IS(all(m, 1, 1, false, &rest, &sum), 0, 3, 1, 4, 2, 5), "the returned one is mapped to axis 1");
    cr_expect(IS(rest, 1, 2, 3, 4, 5, 6));
    cr_expect(IS(sum, 6, 15));
    weft_jit(ctx, outs)(x, &rest, &sum);
    cr_expect(IS(rest, 2, 3, 4) && IS(sum, 3, 4, 5));
    cr_expect(IS(weft_jit(ctx, constant)(), 6));
    cr_expect_null(weft_error(ctx));
    fast(NULL, 1, 1, false, &rest, &sum);
    cr_expect_null(rest);
    cr_expect_null(sum);
    cr_expect(error_has("jit(split): argument x is NULL"));
}

/* Each C number goes through libffi with its own width. */
WEFT_SIGNATURE(numbers_fn, weft_array *,
               (char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long g,
                unsigned long h, long long i, float j, double k, size_t l, int64_t m, uint8_t n, bool o,
                ptrdiff_t));
static weft_array *numbers(char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long g,
                           unsigned long h, long long i, float j, double k, size_t l, int64_t m, uint8_t n,
                           bool o, ptrdiff_t p)
{
    double sum = a + b + c + d + e + (double)f + (double)g + (double)h + (double)i + (double)j + k +
                 (double)l + (double)m + n + o + (double)p;
    return weft_scalar_as(NULL, WEFT_F64, sum);
}

Test(fn, numbers_of_every_c_type)
{
    need_backend();
    cr_assert_eq(weft_declare(ctx, numbers, numbers_fn), WEFT_OK, "%s", weft_error(ctx));
    weft_array *r = weft_jit(ctx, numbers)(-1, 200, -300, 60000, -70000, 4000000000u, -5000000000, 6, -7,
                                           0.5f, 0.25, 8, -9, 255, true, -11);
    cr_expect_eq(weft_item(r),
                 -1 + 200 - 300 + 60000 - 70000 + 4000000000.0 - 5000000000.0 + 6 - 7 + 0.75 + 8 - 9 + 255 +
                     1 - 11,
                 "%f", weft_item(r));
}

typedef struct Text {
    const char *text, *error;
} Text;

Test(fn, signatures_that_are_none)
{
    static const Text bad[] = {
        { "int (weft_array *x)", "returns weft_array * or void" },
        { "weft_array (weft_array *x)", "returns weft_array * or void" },
        { "void (weft_array *x)", "no result" },
        { "void (void)", "no result" },
        { "weft_array *(weft_array x)", "parameter 1: an array is a weft_array *" },
        { "weft_array *(weft_array ***x)", "parameter 1" },
        { "weft_array *(WEFT_OUT weft_array *x)", "WEFT_OUT of one array is a weft_array **" },
        { "weft_array *(const weft_array **x)", "neither argument nor result" },
        { "weft_array *(weft_array *x, net *m)", "parameter 2: struct net is not described" },
        { "weft_array *(const net *m)", "struct net is not described" },
        { "weft_array *(net m)", "passed by pointer" },
        { "weft_array *(int *n)", "passed by value" },
        { "weft_array *(WEFT_OUT int n)", "a result is an array" },
        { "weft_array *(const char *s)", "passed by value" },
        { "weft_array *(weft_array *x, weft_array *x)", "two parameters are called x" },
        { "weft_array *(weft_array *x", "ends too early" },
        { "weft_array *", "ends too early" },
        { "", "ends too early" },
        { "weft_array *(weft_array *x) extra", "unexpected" },
        { "weft_array *(weft_array *(*f)(void))", "unexpected" },
        { "weft_array *(weft_array *x,)", "parameter 2 has no type" },
        { "weft_array *(weft_array *x y)", "unexpected 'y'" },
        { "weft_array *(int n m)", "unexpected 'm'" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(weft_declare_(ctx, (weft_fn)twice, "f", bad[i].text, "demo.c:3"), WEFT_ARGUMENT, "%s",
                     bad[i].text);
        const char *error = weft_error(ctx);
        cr_expect(error && strstr(error, bad[i].error) && strstr(error, "demo.c:3: weft_declare: f: "),
                  "%s: %s", bad[i].text, error);
        weft_clear(ctx);
    }
    cr_expect_eq(weft_declare(ctx, twice, weft_unary), WEFT_OK);
    cr_expect_eq(
        weft_declare_(ctx, (weft_fn)twice, "twice", "weft_array *(weft_array *x, int n)", "demo.c:3"),
        WEFT_ARGUMENT);
    cr_expect(error_has("twice is declared already"));
    cr_expect_eq(weft_declare_(ctx, NULL, "f", "weft_array *(weft_array *x)", "demo.c:3"), WEFT_ARGUMENT);
    weft_clear(ctx);
}

Test(fn, axes_that_are_none)
{
    static const Text bad[] = {
        { "", "is no axis" },
        { "zero", "'zero' is no axis" },
        { "0, zero", "'zero' is no axis" },
        { "0 1", "unexpected '1'" },
        { "0, 0, 0", "3 axes for 2 array arguments" },
        { "none", "no argument is mapped" },
        { "none, none", "no argument is mapped" },
        { "0 ->", "is no axis" },
        { "0 -> 0, 0", "2 axes for 1 array result" },
        { "32", "at most 32" },
        { "-33", "at most 32" },
        { "0 -> x", "'x' is no axis" },
        { "0,", "is no axis" },
        { "99999999999999999999", "at most 32" },
    };
    weft_declare(ctx, dot, weft_binary);
    weft_array *x = weft_from(ctx, six, 2, 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weft_binary *f = weft_vmap(ctx, dot, bad[i].text);
        cr_expect(error_has(bad[i].error), "%s", bad[i].text);
        cr_assert_not_null(f, "a function that fails politely");
        cr_expect_null(f(x, x));
        cr_expect(error_has("cannot be called"));
        cr_expect_null(weft_jit(ctx, f)(x, x));
        cr_expect(error_has("cannot be called"));
        cr_expect_null(weft_vmap(ctx, f, "0")(x, x));
        cr_expect(error_has("cannot be called"));
        cr_expect_eq(weft_vmap(ctx, dot, bad[i].text), f);
        cr_expect(error_has(bad[i].error), "it is reported again");
    }
    weft_binary *f = weft_vmap(ctx, dot, NULL);
    weft_clear(ctx);
    cr_expect_null(f(x, x));
    weft_clear(ctx);
}

Test(fn, undeclared_ones)
{
    cr_expect_eq(weft_jit(ctx, twice), twice);
    cr_expect(error_has("is not declared"));
    weft_unary *all = weft_vmap(ctx, twice, "0");
    cr_expect(error_has("is not declared"));
    cr_assert(all, "unchecked callers must not jump to NULL");
    cr_expect_null(all(NULL));
    weft_unary *none = (weft_unary *)weft_jit_(ctx, NULL, "demo.c:1");
    cr_expect(error_has("demo.c:1: weft_jit: the function is NULL"));
    cr_assert(none);
    cr_expect_null(none(NULL));
    cr_expect_eq(weft_jit(ctx, all), all, "a transform of it is undeclared too");
    cr_expect(error_has("is not declared"));
}

/* ---- batches that do not fit ---- */

Test(fn, batch_sizes_that_differ)
{
    weft_declare(ctx, dot, weft_binary);
    weft_array *a = weft_from(ctx, six, 2, 3), *b = weft_from(ctx, six, 3, 2);
    cr_expect_null(weft_vmap(ctx, dot, "0")(a, b));
    cr_expect(error_has("vmap got inconsistent sizes for array axes to be mapped:\n"
                        "  * one axis had size 2: axis 0 of argument x of type f32[2,3];\n"
                        "  * one axis had size 3: axis 0 of argument y of type f32[3,2]"));
    cr_expect_null(weft_vmap(ctx, dot, "2, 0")(a, b));
    cr_expect(error_has("map argument x along axis 2, which implies that its rank should be at least 3, but "
                        "is only 2 (its type is f32[2,3])"));
    cr_expect_null(weft_vmap(ctx, dot, "0, -3")(a, b));
    cr_expect(error_has(
        "map argument y along axis -3, which implies that its rank should be at least 3, but is only 2"));
    cr_expect_null(weft_vmap(ctx, dot, "0 -> 1")(a, a));
    cr_expect(error_has("vmap(dot)"));
    cr_expect_null(weft_vmap(ctx, dot, "0 -> none")(a, a));
    cr_expect(error_has("vmap(dot)"));
    cr_expect(IS(weft_vmap(ctx, dot, "0")(a, a), 14, 77), "and works afterwards");
}

/* ---- what a traced function may do ---- */

static weft_array *a_global;
static weft_array *uses_global(weft_array *x) { return weft_mul(x, a_global); }

Test(fn, concrete_arrays_become_hidden_operands)
{
    need_backend();
    weft_declare(ctx, uses_global, weft_unary);
    a_global = weft_from(ctx, six, 3);
    weft_array *m = weft_from(ctx, six, 2, 3);
    weft_unary *fast = weft_jit(ctx, uses_global), *all = weft_vmap(ctx, uses_global, "0"),
               *both = weft_jit(ctx, all);
    cr_expect(IS(fast(a_global), 1, 4, 9));
    cr_expect(IS(all(m), 1, 4, 9, 4, 10, 18));
    cr_expect(IS(both(m), 1, 4, 9, 4, 10, 18));
    cr_expect_not_null(strstr(weft_explain(ctx), "uses_global: keeps f32[3], a concrete array it met"));
    weft_array *x = weft_from(ctx, six, 3);
    weft_free(a_global);
    cr_expect(IS(fast(x), 1, 4, 9), "the code keeps it");
    cr_expect(IS(both(m), 1, 4, 9, 4, 10, 18));
}

static weft_array *inner_uses_outer;
static weft_array *inner(weft_array *x) { return weft_add(x, inner_uses_outer); }
static weft_array *outer(weft_array *x, weft_array *y)
{
    inner_uses_outer = weft_mul(y, 10);
    return weft_vmap(NULL, inner, "0")(x);
}

Test(fn, an_inner_trace_uses_values_of_the_outer)
{
    weft_declare(ctx, inner, weft_unary);
    weft_declare(ctx, outer, weft_binary);
    weft_array *m = weft_from(ctx, six, 2, 3), *v = weft_from(ctx, six, 2);
    cr_expect(IS(weft_vmap(ctx, outer, "0, none")(m, weft_scalar(ctx, 1)), 11, 12, 13, 14, 15, 16), "%s",
              weft_error(ctx));
    cr_expect(IS(weft_vmap(ctx, outer, "1, 0 -> 1")(weft_from(ctx, six, 3, 2), v), 11, 22, 13, 24, 15, 26),
              "%s", weft_error(ctx));
    cr_expect_null(weft_add(inner_uses_outer, 1), "a traced value kept in a global");
    cr_expect(error_has("traced value whose trace is over"));
    cr_expect_eq(weft_rank(inner_uses_outer), 0);
    cr_expect(isnan(weft_item(inner_uses_outer)));
    weft_clear(ctx);
}

static weft_array *makes_arrays(weft_array *x)
{
    weft_array *c = weft_from(NULL, six, 3);
    weft_scope *s = weft_scope_open(NULL);
    weft_array *d = weft_lift(weft_add(c, x));
    weft_scope_open(NULL);
    weft_scope_close(s);
    return x == NULL ? c : d;
}
static weft_array *returns_new(weft_array *x)
{
    (void)x;
    return weft_from(NULL, six, 3);
}
static weft_array *identity(weft_array *x) { return x; }

Test(fn, temporaries_die_and_results_live)
{
    need_backend();
    weft_declare(ctx, makes_arrays, weft_unary);
    weft_declare(ctx, returns_new, weft_unary);
    weft_declare(ctx, identity, weft_unary);
    weft_array *x = weft_from(ctx, six, 3);
    cr_expect(IS(weft_jit(ctx, makes_arrays)(x), 2, 4, 6));
    cr_expect(IS(weft_jit(ctx, returns_new)(x), 1, 2, 3));
    cr_expect(IS(weft_jit(ctx, returns_new)(x), 1, 2, 3));
    weft_array *same = weft_jit(ctx, identity)(x);
    cr_expect(IS(same, 1, 2, 3) && same != x);
    cr_expect_null(weft_error(ctx));
    weft_scope *s = weft_scope_open(ctx);
    for (int i = 0; i < 10; i++) weft_jit(ctx, makes_arrays)(x);
    weft_scope_close(s);
    cr_expect_leq(weft_stats(ctx).arrays, 8);
}

static weft_array *branches(weft_array *x) { return weft_item(weft_sum(x)) > 0 ? weft_neg(x) : x; }
static weft_array *peeks(weft_array *x) { return weft_add(x, weft_f32(x)[weft_count(x) - 1]); }
static weft_array *keeps(weft_array *x) { return weft_keep(weft_add(x, 1)); }
static weft_array *nothing(weft_array *x)
{
    (void)x;
    return NULL;
}
static weft_array *ignores_error(weft_array *x)
{
    weft_matmul(x, weft_scalar(NULL, 1));
    return x;
}

Test(fn, what_a_traced_function_may_not_do)
{
    weft_unary *const bad[] = { branches, peeks, keeps, nothing, ignores_error };
    const char *const text[] = { "weft_item: the array is traced", "weft_f32: the array is traced",
                                 "weft_keep: the array is traced", "result return is NULL", "weft_matmul" };
    float data[2000] = { 0 };
    weft_array *x = weft_from(ctx, data, 1, 2000), *y = weft_from(ctx, six, 1, 6);
    for (int i = 0; i < 5; i++) {
        weft_declare(ctx, bad[i], weft_unary);
        weft_unary *f = weft_vmap(ctx, bad[i], "0");
        cr_expect_null(f(x));
        cr_expect(error_has(text[i]));
        cr_expect_null(f(y));
        cr_expect(error_has(text[i]));
    }
}

/* ---- recursion ---- */

WEFT_SIGNATURE(power_fn, weft_array *, (weft_array * x, int n));
static weft_array *power(weft_array *x, int n)
{
    return n == 0 ? weft_sub(x, x) : weft_add(x, weft_jit(NULL, power)(x, n - 1));
}
static weft_array *endless(weft_array *x) { return weft_add(x, weft_jit(NULL, endless)(x)); }
static weft_array *endless_mapped(weft_array *x)
{
    return weft_sum(weft_vmap(NULL, endless_mapped, "0")(weft_mul(x, weft_from(NULL, six, 2, 1))));
}

Test(fn, recursion_that_ends_and_that_does_not)
{
    need_backend();
    weft_declare(ctx, power, power_fn);
    weft_declare(ctx, endless, weft_unary);
    weft_declare(ctx, endless_mapped, weft_unary);
    weft_array *x = weft_from(ctx, six, 3);
    cr_expect(IS(weft_jit(ctx, power)(x, 5), 5, 10, 15), "%s", weft_error(ctx));
    cr_expect_null(weft_jit(ctx, endless)(x));
    cr_expect(error_has("it calls itself"));
    cr_expect_null(weft_jit(ctx, endless_mapped)(weft_scalar(ctx, 1)));
    weft_clear(ctx);
    cr_expect_null(weft_jit(ctx, power)(x, 100000));
    cr_expect(error_has("calls nest deeper than 200"));
    cr_expect(IS(weft_jit(ctx, power)(x, 3), 3, 6, 9), "and works afterwards");
}

/* ---- arguments that are none ---- */

Test(fn, arguments_that_are_none)
{
    weft_context *other = weft_open(NULL);
    weft_declare(ctx, dot, weft_binary);
    weft_binary *f = weft_vmap(ctx, dot, "0");
    weft_array *x = weft_from(ctx, six, 2, 3), *foreign = weft_from(other, six, 2, 3),
               *gone = weft_from(ctx, six, 2, 3);
    weft_free(gone);
    cr_expect_null(f(x, NULL));
    cr_expect(error_has("vmap(dot): argument y is NULL"));
    cr_expect_null(f(foreign, x));
    cr_expect(error_has("argument x is an array of another context"));
    cr_expect_null(f(x, gone));
    cr_expect(error_has("argument y was freed"));
    weft_close(other);
}

/* ---- donating ---- */

enum { BIG = 30000 };
WEFT_SIGNATURE(pair_fn, weft_array *, (weft_array * x, weft_array *y, WEFT_OUT weft_array **z));
static weft_array *reversed(weft_array *x) { return weft_flip(x); }
static weft_array *centred(weft_array *x) { return weft_sub(x, weft_mean(x)); }
static weft_array *smoothed(weft_array *x) { return weft_add(x, weft_roll(x, 1, 0)); }
static weft_array *soft(weft_array *x) { return weft_softmax(x); }
static weft_array *turned(weft_array *x) { return weft_ravel(weft_transpose(weft_reshape(x, 100, -1))); }
static weft_array *added(weft_array *x, weft_array *y) { return weft_add(x, y); }
static weft_array *pair(weft_array *x, weft_array *y, weft_array **z)
{
    *z = weft_sub(x, y);
    return weft_mul(x, weft_add(y, 1));
}

static weft_array *ramp(void)
{
    static float data[BIG];
    for (int i = 0; i < BIG; i++) data[i] = (float)(i * 7919 % 1000) / 1000;
    return weft_from(ctx, data, BIG);
}

static bool same_values(weft_array *a, weft_array *b)
{
    return a && b && weft_count(a) == weft_count(b) &&
           !memcmp(weft_f32(a), weft_f32(b), (size_t)weft_count(a) * sizeof(float));
}

/* In place where that is right, and right everywhere. */
Test(fn, donated_arguments_become_results)
{
    need_backend();
    weft_unary *const f[] = { twice, reversed, centred, smoothed, soft, turned };
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        weft_declare(ctx, f[i], weft_unary);
        weft_unary *fast = weft_jit(ctx, f[i]);
        weft_array *want = fast(ramp()), *x = ramp();
        const void *memory = weft_data(x);
        weft_array *y = fast(weft_donate(x));
        cr_expect(same_values(want, y), "function %zu: %s", i, weft_error(ctx));
        cr_expect_null(weft_neg(x), "it has ended");
        weft_clear(ctx);
        if (i == 0) cr_expect_eq(weft_data(y), memory);
    }
    weft_declare(ctx, pair, pair_fn);
    weft_array *z, *wanted_z, *want = weft_jit(ctx, pair)(ramp(), ramp(), &wanted_z);
    weft_array *y = weft_jit(ctx, pair)(weft_donate(ramp()), weft_donate(ramp()), &z);
    cr_expect(same_values(want, y) && same_values(wanted_z, z));
    cr_expect_null(weft_error(ctx));
}

Test(fn, donated_arguments_that_are_needed_still)
{
    need_backend();
    weft_declare(ctx, added, weft_binary);
    weft_binary *fast = weft_jit(ctx, added);
    weft_array *x = ramp(), *want = fast(ramp(), ramp());
    cr_expect(same_values(fast(weft_donate(x), x), want), "the same twice");
    float mine[BIG] = { 1 };
    weft_array *borrowed = weft_borrow(ctx, WEFT_F32, mine, 1, ((int64_t[]){ BIG }), NULL, NULL);
    cr_expect_not_null(fast(weft_donate(borrowed), ramp()));
    cr_expect_eq(mine[0], 1, "borrowed memory is not written");
    x = weft_donate(ramp());
    weft_declare(ctx, nothing, weft_unary);
    cr_expect_null(weft_jit(ctx, nothing)(x));
    weft_clear(ctx);
    cr_expect_eq(weft_count(x), BIG, "a call that fails leaves it alone");
    weft_array *kept = weft_vmap(ctx, added, "0, none")(x, weft_scalar(ctx, 1));
    cr_expect_eq(weft_count(kept), BIG);
    cr_expect_null(weft_neg(x), "outside jit it ends as well");
    weft_clear(ctx);
    cr_expect(same_values(want, fast(ramp(), ramp())));
}

static weft_array *met, *freed;

static weft_array *added_backwards(weft_array *x) { return weft_add(x, weft_flip(met)); }

Test(fn, donated_arrays_that_the_function_met)
{
    need_backend();
    weft_declare(ctx, added_backwards, weft_unary);
    weft_unary *fast = weft_jit(ctx, added_backwards);
    met = ramp();
    weft_array *want = weft_add(met, weft_flip(met)), *copy = weft_keep(weft_neg(weft_neg(met)));
    cr_expect(same_values(fast(weft_donate(met)), want), "code does not write where it reads");
    cr_expect(same_values(fast(weft_donate(copy)), want), "the array that it met is whole");
    cr_expect_null(weft_error(ctx));
}

static weft_array *lends_a_variable(weft_array *x)
{
    float one[64];
    for (int i = 0; i < 64; i++) one[i] = 1;
    return weft_add(x, weft_sum(weft_borrow(NULL, WEFT_F32, one, 1, ((int64_t[]){ 64 }), NULL, NULL)));
}

static weft_array *adds_met(weft_array *x) { return weft_add(x, met); }

Test(fn, lent_memory_that_a_function_met)
{
    need_backend();
    weft_declare(ctx, lends_a_variable, weft_unary);
    weft_array *x = weft_from(ctx, six, 3);
    cr_expect(IS(lends_a_variable(x), 65, 66, 67));
    cr_expect(IS(weft_vmap(ctx, lends_a_variable, "0")(x), 65, 66, 67), "a variable of the function");
    cr_expect(IS(weft_jit(ctx, lends_a_variable)(x), 65, 66, 67));

    float *mine = malloc(3 * sizeof *mine);
    for (int i = 0; i < 3; i++) mine[i] = 10;
    met = weft_borrow(ctx, WEFT_F32, mine, 1, ((int64_t[]){ 3 }), NULL, NULL);
    weft_declare(ctx, adds_met, weft_unary);
    weft_unary *fast = weft_jit(ctx, adds_met);
    cr_expect(IS(fast(x), 11, 12, 13));
    for (int i = 0; i < 3; i++) mine[i] = 20;
    cr_expect(IS(fast(x), 21, 22, 23), "while it is lent what it holds counts");
    weft_free(met);
    for (int i = 0; i < 3; i++) mine[i] = 30;
    free(mine);
    cr_expect(IS(fast(x), 21, 22, 23), "freed it is the caller's again, and the function has a copy");
    cr_expect_null(weft_error(ctx));
}

static weft_array *frees_its_argument(weft_array *x)
{
    weft_array *y = weft_add(x, 1);
    weft_free(freed);
    freed = NULL;
    return y;
}

Test(fn, an_argument_that_the_function_frees)
{
    need_backend();
    weft_declare(ctx, frees_its_argument, weft_unary);
    cr_expect_null(weft_vmap(ctx, frees_its_argument, "0")(freed = ramp()));
    cr_expect(error_has("argument x was freed by the function itself"));
    cr_expect_null(weft_jit(ctx, frees_its_argument)(freed = ramp()));
    cr_expect(error_has("argument x was freed by the function itself"));
    cr_expect_eq(weft_stats(ctx).arrays, 0);
}

Test(fn, donating_in_a_loop_takes_one_block)
{
    need_backend();
    weft_declare(ctx, twice, weft_unary);
    weft_unary *fast = weft_jit(ctx, twice);
    weft_array *x = fast(weft_donate(ramp()));
    size_t peak = weft_stats(ctx).peak_bytes;
    for (int i = 0; i < 100; i++) cr_assert_not_null(x = fast(weft_donate(x)));
    cr_expect_eq(weft_stats(ctx).arrays, 1);
    cr_expect_eq(weft_stats(ctx).peak_bytes, peak);
    fast(x);
    cr_expect_not_null(strstr(weft_explain(ctx), "compiled again: argument x not donated"), "%s",
                       weft_explain(ctx));
}

/* ---- forgetting ---- */

Test(fn, forgotten_functions_may_be_declared_anew)
{
    weft_declare(ctx, twice, weft_unary);
    weft_unary *v = weft_vmap(ctx, twice, "0");
    weft_array *x = weft_from(ctx, six, 6);
    cr_expect_not_null(v(x));
    weft_forget(ctx, twice);
    cr_expect_null(weft_vmap(ctx, twice, "0")(x));
    cr_expect(error_has("not declared"));
    weft_declare(ctx, twice, weft_unary);
    cr_expect_neq(weft_vmap(ctx, twice, "0"), v);
    cr_expect_not_null(weft_vmap(ctx, twice, "0")(x));
    weft_forget(ctx, dot);
}
