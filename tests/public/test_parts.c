/* Folds of many elements into one number, or a few: strict mode has eager's bits, any number of threads the
 * same. */
#include "tests/support/context_suite.h"
#include "tests/support/kept.h"
#include "weft/control.h"
#include "weft/grad.h"
#include "weft/random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(parts, .init = need_backend);

/* ---- programs of x [n], n from 1 part and an element to many ---- */

static weft_array *sum(weft_array *x) { return weft_sum(x); }
static weft_array *product(weft_array *x) { return weft_prod(weft_add(1, weft_mul(x, 1e-4))); }
static weft_array *largest(weft_array *x) { return weft_max(x); }
static weft_array *largest_at(weft_array *x) { return weft_argmax(x); }
static weft_array *least_at(weft_array *x) { return weft_argmin(weft_abs(x)); }
static weft_array *narrow(weft_array *x) { return weft_sum(weft_astype(x, WEFT_BF16)); }
static weft_array *count(weft_array *x) { return weft_sum(weft_astype(weft_gt(x, 0), WEFT_I32)); }
static weft_array *some(weft_array *x) { return weft_any(weft_gt(x, 3)); }
static weft_array *two_at_once(weft_array *x)
{
    weft_array *m = weft_mean(x);
    return weft_add(weft_add(m, weft_sqrt(weft_mean(weft_square(weft_sub(x, m))))), weft_max(x));
}
static weft_array *share(weft_array *x) { return weft_softmax(x); }
static weft_array *unit(weft_array *x) { return weft_div(x, weft_sqrt(weft_sum(weft_square(x)))); }
static weft_array *loss(weft_array *x) { return weft_mean(weft_square(weft_sub(weft_tanh(x), 0.5))); }
static weft_array *slope(weft_array *x) { return weft_grad(NULL, weft_unary, loss, "x")(x); }
static weft_array *masked(weft_array *x) { return weft_mean(x, .where = weft_gt(x, 0)); }
static weft_array *step(weft_array *x) { return weft_sub(x, weft_mul(weft_mean(x), weft_tanh(x))); }
static weft_array *steps(weft_array *x) { return weft_fori(NULL, step, "carry", .count = 4)(x); }
static weft_array *ends(weft_array *x) /* loops that are cut at seams, and one fold of them */
{
    return weft_sum(weft_mul(weft_concatenate(0, weft_at(x, "5:"), weft_at(x, ":5")), x));
}
static weft_array *inner(weft_array *x) /* rows that do not lie behind each other */
{
    int64_t n = weft_dim(x, 0) / 100;
    weft_array *m = weft_reshape(weft_at(x, ":%d", (int)(n * 100)), n, 100);
    return weft_sum(weft_tanh(weft_at(m, "1:-1, 1:-1")));
}
static weft_array *each_scaled(weft_array *s) { return weft_mul(s, 2); }
static weft_array *scaled_after(weft_array *x) { return weft_add(each_scaled(weft_sum(x)), weft_at(x, "0")); }

/* Scatters of many elements into few: out of range some of them. */
static weft_array *places(weft_array *x) { return weft_astype(weft_mul(x, 40), WEFT_I32); }
static weft_array *counted(weft_array *x) { return weft_bincount(places(x), 100); }
static weft_array *weighed(weft_array *x) { return weft_bincount(places(x), 100, .weights = weft_exp(x)); }
static weft_array *weighed_whole(weft_array *x)
{
    return weft_bincount(places(x), 100, .weights = weft_round(weft_mul(x, 9)));
}
static weft_array *highest(weft_array *x)
{
    return weft_scatter(weft_arange(NULL, 0, 60, 1), places(x), 0, weft_astype(weft_mul(x, 99), WEFT_I32),
                        .with = WEFT_MAX);
}
static weft_array *highest_float(weft_array *x)
{
    return weft_scatter(weft_zeros(NULL, WEFT_F32, 60), places(x), 0, x, .with = WEFT_MAX);
}
static weft_array *on_a_plane(weft_array *x)
{
    weft_array *i = places(x),
               *at = weft_concatenate(1, weft_expand_dims(i, 1), weft_expand_dims(weft_add(i, 1), 1));
    return weft_scatter_at(weft_ones(NULL, WEFT_I32, 30, 40), at, 1, .with = WEFT_ADD);
}

/* Running folds. */
static weft_array *running(weft_array *x) { return weft_cumsum(x, -1); }
static weft_array *running_back(weft_array *x) { return weft_cumsum(x, -1, .reverse = true); }
static weft_array *running_most(weft_array *x) { return weft_cummax(x, -1); }
static weft_array *running_whole(weft_array *x) { return weft_cumsum(places(x), -1); }
static weft_array *running_narrow(weft_array *x) { return weft_cumsum(weft_astype(x, WEFT_BF16), -1); }
static weft_array *running_made(weft_array *x)
{
    return weft_cumprod(weft_add(1, weft_mul(weft_tanh(x), 1e-3)), -1);
}
static weft_array *running_share(weft_array *x)
{
    weft_array *sums = weft_cumsum(weft_square(x), -1);
    return weft_div(weft_mul(sums, weft_cumsum(x, -1)), weft_at(sums, "-1"));
}
static weft_array *running_step(weft_array *x) { return weft_mul(weft_cumsum(weft_mul(x, 1e-3), -1), 0.5); }
static weft_array *running_steps(weft_array *x)
{
    return weft_fori(NULL, running_step, "carry", .count = 3)(x);
}

/* clang-format off */
#define SAMPLES(X) \
    X(sum) X(product) X(largest) X(largest_at) X(least_at) X(narrow) X(count) X(some) X(two_at_once) \
    X(share) X(unit) X(loss) X(slope) X(masked) X(steps) X(ends) X(inner) X(scaled_after) \
    X(counted) X(weighed) X(weighed_whole) X(highest) X(highest_float) X(on_a_plane) \
    X(running) X(running_back) X(running_most) X(running_whole) X(running_narrow) X(running_made) \
    X(running_share) X(running_steps)
/* clang-format on */
#define COUNT_ONE(f) +1
enum { N_SAMPLES = 0 SAMPLES(COUNT_ONE) };

/* ---- what each gives ---- */

static const int64_t sizes[] = { 65536, 65537, 100000, 98304, 1000003 };
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static weft_array *numbers(weft_context *c, int64_t n)
{
    weft_array *x = weft_random_normal(weft_key(c, 11), WEFT_F32, n);
    /* the largest twice, in two parts; zeros of both signs at the end */
    return weft_concatenate(0, weft_at(x, ":-4"), weft_full(c, WEFT_F32, 9, 1),
                            weft_full(c, WEFT_F32, -0.0, 2), weft_full(c, WEFT_F32, 9, 1));
}

static void run(const weft_options *o, int64_t n, bool compiled, Kept *out)
{
    weft_context *c = weft_open(o);
    cr_assert_not_null(c, "%s", weft_error(NULL));
    int k = 0;
    weft_declare(c, step, weft_unary);
    weft_declare(c, running_step, weft_unary);
#define DECLARE(f) weft_declare(c, f, weft_unary);
    SAMPLES(DECLARE)
    weft_array *x = numbers(c, n);
#define RUN(f) \
    { \
        weft_array *y = compiled ? weft_jit(c, f)(x) : f(x); \
        out[k++] = keep(c, #f, y); \
    }
    SAMPLES(RUN)
    weft_close(c);
}

static void expect_same(const char *what, int64_t n, Kept *got, const Kept *want)
{
    for (int i = 0; i < N_SAMPLES; i++)
        cr_expect(kept_same(&got[i], &want[i]), "%s of %lld: %s", want[i].name, (long long)n, what);
}

Test(parts, strict_mode_has_eagers_bits_on_any_number_of_threads)
{
    for (int k = 0; k < N_SIZES; k++) {
        Kept eager[N_SAMPLES], one[N_SAMPLES], two[N_SAMPLES];
        run(&(weft_options){ .threads = 1 }, sizes[k], false, eager);
        run(&(weft_options){ .threads = 1, .mode = WEFT_MODE_STRICT }, sizes[k], true, one);
        expect_same("eager and strict", sizes[k], one, eager);
        run(&(weft_options){ .threads = 2, .mode = WEFT_MODE_STRICT }, sizes[k], true, two);
        expect_same("eager and strict on two threads", sizes[k], two, eager);
        kept_free(eager, N_SAMPLES), kept_free(one, N_SAMPLES), kept_free(two, N_SAMPLES);
    }
}

static void check_threads(weft_mode mode, int64_t n)
{
    static const int threads[] = { 2, 3, 64 };
    Kept one[N_SAMPLES], more[N_SAMPLES];
    run(&(weft_options){ .threads = 1, .mode = mode }, n, true, one);
    for (int t = 0; t < 3; t++) {
        run(&(weft_options){ .threads = threads[t], .mode = mode }, n, true, more);
        expect_same("one thread and more", n, more, one);
        kept_free(more, N_SAMPLES);
    }
    kept_free(one, N_SAMPLES);
}

Test(parts, other_modes_have_the_same_bits_on_any_number_of_threads)
{
    for (int k = 0; k < N_SIZES; k++) check_threads(WEFT_MODE_DEFAULT, sizes[k]);
    check_threads(WEFT_MODE_FAST, sizes[2]);
}

/* ---- what is right ---- */

Test(parts, a_nan_and_the_first_of_equal_ones_are_found_in_any_part)
{
    static const int64_t at[] = { 0, 32767, 32768, 150000, 199999 };
    weft_context *c = weft_open(&(weft_options){ .threads = 2 });
    weft_declare(c, largest_at, weft_unary);
    weft_declare(c, largest, weft_unary);
    float *x = calloc(200000, sizeof *x);
    for (int k = 0; k < 5; k++) {
        weft_scope *s = weft_scope_open(c);
        x[at[k]] = k % 2 ? NAN : 7;
        for (int more = k + 1; more < 5; more++) x[at[more]] = x[at[k]];
        weft_array *a = weft_from(c, x, 200000), *i = weft_jit(c, largest_at)(a),
                   *m = weft_jit(c, largest)(a);
        cr_expect_eq(*(const int32_t *)weft_data(i), at[k], "%d", k);
        cr_expect(k % 2 ? isnan(*(const float *)weft_data(m)) : *(const float *)weft_data(m) == 7, "%d", k);
        memset(x, 0, 200000 * sizeof *x);
        weft_scope_close(s);
    }
    free(x);
    weft_close(c);
}

/* Where order cannot matter, default mode gives what eager mode does. */
Test(parts, scatters_in_parts_are_right)
{
    weft_unary *const f[] = { counted, weighed_whole, highest, highest_float, on_a_plane };
    for (size_t k = 0; k < sizeof f / sizeof *f; k++) {
        weft_context *c = weft_open(&(weft_options){ .threads = 2 });
        weft_declare(c, f[k], weft_unary);
        weft_array *x = numbers(c, 1000003);
        Kept eager = keep(c, "eager", f[k](x)), compiled = keep(c, "compiled", weft_jit(c, f[k])(x));
        cr_expect(kept_same(&eager, &compiled), "scatter %zu", k);
        kept_free(&eager, 1), kept_free(&compiled, 1);
        weft_close(c);
    }
}

static weft_array *waves(weft_array *scale)
{
    return weft_sum(weft_sin(weft_mul(weft_astype(weft_arange(NULL, 0, 70001, 1), WEFT_F32), scale)));
}
static weft_array *each(weft_array *x)
{
    return weft_add(weft_map(NULL, loss, "0")(x), weft_map(NULL, waves, "0")(weft_at(x, ":, 0")));
}

Test(parts, a_map_over_long_rows_has_eagers_bits)
{
    weft_context *c = weft_open(&(weft_options){ .threads = 2, .mode = WEFT_MODE_STRICT });
    weft_declare(c, loss, weft_unary);
    weft_declare(c, waves, weft_unary);
    weft_declare(c, each, weft_unary);
    weft_array *x = weft_random_normal(weft_key(c, 3), WEFT_F32, 3, 70001), *y = weft_jit(c, each)(x);
    cr_assert_not_null(y, "%s", weft_error(c));
    for (int i = 0; i < 3; i++) {
        weft_array *row = weft_at(x, "%d", i), *want = weft_add(loss(row), waves(weft_at(row, "0")));
        cr_expect_eq(((const float *)weft_data(y))[i], *(const float *)weft_data(want), "row %d", i);
    }
    weft_close(c);
}
