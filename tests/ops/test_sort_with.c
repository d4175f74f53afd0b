/* test_sort_with.c: elements in the order that a function says: arrays and structs, with numbers from
 * outside, run op by op, compiled and under vmap; and what a user can get wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

static weft_array *pivot, *table;
static bool compiles; /* without a back end all runs op by op */
#define JIT(f) (compiles ? weft_jit(ctx, f) : (f))

typedef struct {
    weft_array *name, *price, *picture;
} item;
WEFT_STRUCT(item, WEFT_ARRAY(item, name), WEFT_ARRAY(item, price), WEFT_ARRAY(item, picture));
WEFT_SIGNATURE(item_less, weft_array *, (const item *a, const item *b));
WEFT_SIGNATURE(items_fn, void, (const item *all, WEFT_OUT item *sorted));

static weft_array *smaller(weft_array *a, weft_array *b) { return weft_lt(weft_abs(a), weft_abs(b)); }
static weft_array *nearer(weft_array *a, weft_array *b)
{
    return weft_lt(weft_abs(weft_sub(a, pivot)), weft_abs(weft_sub(b, pivot)));
}
static weft_array *cheaper(const item *a, const item *b)
{
    return weft_logical_or(weft_lt(a->price, b->price),
                           weft_logical_and(weft_eq(a->price, b->price), weft_gt(a->name, b->name)));
}
static weft_array *prettier(const item *a, const item *b)
{
    return weft_lt(weft_sum(a->picture), weft_sum(b->picture));
}
static weft_array *always(weft_array *a, weft_array *b)
{
    (void)a;
    (void)b;
    return weft_full(NULL, WEFT_BOOL, 1);
}
static float lower(float a, float b) { return a < b; }
WEFT_SIGNATURE(lower_c, float, (float a, float b));
static weft_binary *called;
static weft_array *by_call(weft_array *a, weft_array *b) { return weft_ne(called(a, b), 0); }
static weft_array *by_table(weft_array *a, weft_array *b)
{
    return weft_lt(weft_take(table, a, 0), weft_take(table, b, 0));
}
static weft_array *two_of(weft_array *a, weft_array *b) { return weft_stack_arrays(0, a, b); }
static weft_array *alone(weft_array *a) { return a; }

static void setup(void)
{
    compiles = have_backend();
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    weft_describe(ctx, item);
    weft_declare(ctx, smaller, weft_binary);
    weft_declare(ctx, nearer, weft_binary);
    weft_declare(ctx, cheaper, item_less);
    weft_declare(ctx, prettier, item_less);
    weft_declare(ctx, always, weft_binary);
    weft_declare(ctx, by_call, weft_binary);
    weft_declare(ctx, by_table, weft_binary);
    weft_declare(ctx, two_of, weft_binary);
    weft_declare(ctx, alone, weft_unary);
}

TestSuite(sort_with, .init = setup, .fini = close_context);

static void expect(weft_array *got, const float *want, int n, const char *what)
{
    cr_assert(got, "%s: %s", what, weft_error(ctx));
    cr_expect(weft_count(got) == n && !memcmp(weft_data(got), want, (size_t)n * sizeof *want), "%s", what);
}

Test(sort_with, arrays_by_any_function)
{
    const float x[] = { 3, -1, 2, -3, 1, 0 }, by_size[] = { 0, -1, 1, 2, 3, -3 },
                to_pivot[] = { 3, 2, 1, 0, -1, -3 };
    weft_array *a = weft_from(ctx, x, 6);
    weft_unary *sorted = weft_sort_with(ctx, weft_unary, smaller),
               *near = weft_sort_with(ctx, weft_unary, nearer);
    pivot = weft_scalar(ctx, 3.5);
    expect(sorted(a), by_size, 6, "eager");
    expect(near(a), to_pivot, 6, "with a number from outside");
    expect(JIT(sorted)(a), by_size, 6, "compiled");
    expect(JIT(near)(a), to_pivot, 6, "compiled, with a number from outside");
    cr_expect_eq(weft_count(sorted(weft_zeros(ctx, WEFT_F32, 0))), 0);
}

Test(sort_with, structs_and_what_goes_along)
{
    const float name[] = { 1, 2, 3, 4 }, price[] = { 9, 5, 9, 1 }, names[] = { 4, 2, 3, 1 },
                pictures[] = { 6, 7, 2, 3, 4, 5, 0, 1 };
    item all = { weft_from(ctx, name, 4), weft_from(ctx, price, 4),
                 weft_reshape(weft_arange(ctx, 0.0, 8, 1), 4, 2) },
         out;
    items_fn *sorted = weft_sort_with(ctx, items_fn, cheaper), *fast = JIT(sorted);
    for (int i = 0; i < 2; i++) {
        (i ? fast : sorted)(&all, &out);
        expect(out.name, names, 4, "names");
        expect(out.picture, pictures, 8, "pictures");
    }
}

Test(sort_with, each_row_of_a_batch)
{
    weft_array *x = weft_reshape(weft_mul(weft_sin(weft_mul(weft_arange(ctx, 0, 21, 1), 7.3)), 3), 3, 7);
    weft_unary *sorted = weft_sort_with(ctx, weft_unary, smaller), *rows = weft_vmap(ctx, sorted, "0"),
               *fast = JIT(rows);
    weft_array *got = rows(x), *compiled = fast(x);
    cr_assert(got && compiled, "%s", weft_error(ctx));
    for (int i = 0; i < 3; i++) {
        weft_array *one = sorted(weft_at(x, "%d", i));
        expect(weft_at(got, "%d", i), weft_data(one), 7, "a row");
        expect(weft_at(compiled, "%d", i), weft_data(one), 7, "a row, compiled");
    }
}

#define BAD(code, text, call) REFUSED(code, !(call), text)

Test(sort_with, bad_input)
{
    weft_array *x = weft_arange(ctx, 0, 6, 1);
    item all = { x, x, weft_reshape(weft_arange(ctx, 0, 12, 1), 6, 2) }, out = { 0 };
    table = x;
    BAD(WEFT_ARGUMENT, "alone must take two arrays", weft_sort_with(ctx, weft_unary, alone)(x));
    BAD(WEFT_ARGUMENT, "the new function must take one array",
        weft_sort_with(ctx, weft_binary, smaller)(x, x));
    BAD(WEFT_SHAPE, "must give one bool, not i32[2]", weft_sort_with(ctx, weft_unary, two_of)(x));
    BAD(WEFT_SHAPE, "has no axis 1", weft_sort_with(ctx, weft_unary, smaller, .axis = 1)(x));
    BAD(WEFT_SHAPE, "it may look at numbers only", weft_sort_with(ctx, weft_unary, by_table)(x));
    BAD(WEFT_SHAPE, "whose elements are i32[2]: it may look at numbers only",
        (weft_sort_with(ctx, items_fn, prettier)(&all, &out), out.name));
    called = weft_foreign(ctx, weft_binary, lower, lower_c, "a, b -> return");
    BAD(WEFT_ARGUMENT,
        "the comparator calls the foreign function lower, which works on whole arrays: it must be of weft's "
        "own ops",
        weft_sort_with(ctx, weft_unary, by_call)(weft_astype(x, WEFT_F32)));
    weft_array *any = weft_sort_with(ctx, weft_unary, always)(x);
    cr_expect(any && weft_item(weft_sum(any)) == 15, "one that is no order gives some permutation");
}
