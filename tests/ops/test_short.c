/* test_short.c: weft/short.h: its names are the ops they stand for, leave other uses of the words alone, and
 * keep C's meaning for numbers. */
#include <criterion/criterion.h>
#include "weft.h"
#include "weft/short.h"

/* Words of short.h as names of other things. */
typedef struct Words {
    double sum, where, at;
} Words;

static weft_array *variable_names(weft_array *x)
{
    weft_array *sum = sum(x), *mean = mean(x, .axes = "", .where = gt(x, 0)), *add = add(sum, mean);
    Words w = { .where = 1, .at = 2 };
    w.sum = w.where + w.at;
    return add(add, w.sum);
}

static weft_array *long_names(weft_array *x)
{
    weft_array *total = weft_sum(x), *middle = weft_mean(x, .axes = "", .where = weft_gt(x, 0));
    return weft_add(weft_add(total, middle), 3);
}

static weft_array *formula(weft_array *x)
{
    weft_array *y = mul(0.5, x, add(1, erf(mul(x, 0.70710678118654752))));
    y = add(y, poly(x, 1, -2.5, x, 0.25), where(lt(x, 0), 0, sqrt(abs(x))), 1);
    y = add(y, pow(x, 2), pow(2.0, x), atan2(x, 1), hypot(1, x), exp(neg(square(x))), sin(0.5));
    y = add(y, maximum(x, 0, minimum(x, 1, 0.5)), clip(x, -1, 1), divide(x, 3), sub(1, x), lerp(x, 2, 0.25));
    return add(y, floor(x), round(x), log1p(abs(x)), greatest(x), least(x, .axes = "-1", .keep = true),
               mod(x, 2));
}

static weft_array *written_out(weft_array *x)
{
    weft_array *y = weft_mul(weft_mul(0.5, x), weft_add(1, weft_erf(weft_mul(x, 0.70710678118654752))));
    weft_array *p = weft_add(weft_mul(x, 0.25), x);
    p = weft_add(weft_mul(x, weft_add(weft_mul(x, p), -2.5)), 1);
    y = weft_add(y, p);
    y = weft_add(y, weft_where(weft_lt(x, 0), 0, weft_sqrt(weft_abs(x))));
    y = weft_add(y, 1);
    y = weft_add(weft_add(y, weft_pow(x, 2)), weft_pow(2.0, x));
    y = weft_add(weft_add(y, weft_atan2(x, 1)), weft_hypot(1, x));
    y = weft_add(y, weft_exp(weft_neg(weft_square(x))));
    y = weft_add(y, 0.479425538604203);
    y = weft_add(y, weft_maximum(weft_maximum(x, 0), weft_minimum(weft_minimum(x, 1), 0.5)));
    y = weft_add(weft_add(y, weft_clip(x, -1, 1)), weft_div(x, 3));
    y = weft_add(weft_add(y, weft_sub(1, x)), weft_lerp(x, 2, 0.25));
    y = weft_add(weft_add(y, weft_floor(x)), weft_round(x));
    y = weft_add(weft_add(y, weft_log1p(weft_abs(x))), weft_max(x));
    return weft_add(weft_add(y, weft_min(x, .axes = "-1", .keep = true)), weft_mod(x, 2));
}

static bool same(weft_array *a, weft_array *b) { return a && b && weft_item(all(eq(a, b))) == 1; }

Test(short_names, are_the_ops)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_astype(weft_linspace(ctx, -2, 2, 9), WEFT_F64);
    cr_expect(same(formula(x), written_out(x)), "%s", weft_error(ctx));
    cr_expect(same(variable_names(x), long_names(x)), "%s", weft_error(ctx));
    cr_expect(same(einsum("i,j->ij", x, x), outer(x, x)));
    cr_expect(same(at(cumsum(x, 0), "1:"), at(cumsum(x, -1), "%d:%d", 1, WEFT_OPEN)));
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

Test(short_names, of_c_are_c_s_for_numbers)
{
    double s = sin(0.5) + pow(2, 10) + hypot(3, 4.0f) + floor(2.5) + abs(-2.5) + abs(-3),
           twice[] = { exp(0), 2 };
    int i = abs(-7) % 4;
    cr_expect_eq(s, (sin)(0.5) + 1024 + 5 + 2 + 2.5 + 3);
    cr_expect_eq(twice[0] + i, 4);
    double (*f)(double) = cos;
    cr_expect_eq(f(0), 1);
}

/* A wrong operand is told with the line it stands on, once. */
Test(short_names, say_where_they_stand)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *a = weft_ones(ctx, WEFT_F32, 3), *b = weft_ones(ctx, WEFT_F32, 4);
    const int here = __LINE__ + 1;
    weft_array *none = mul(2, exp(add(a, b, 1)), poly(b, 1, 2));
    char line[300];
    cr_expect_null(none);
    snprintf(line, sizeof line, "%s:%d: weft_add: shapes f32[3] and f32[4] do not broadcast", __FILE__, here);
    cr_expect(strstr(weft_error(ctx), line), "%s", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
}

/* ---- slices with open ends, and loops that name few of their arguments ---- */

static weft_array *decay(weft_array *rate, weft_array *step, weft_array *h, weft_array *x)
{
    return add(h, mul(step, sub(x, mul(rate, h))));
}
WEFT_SIGNATURE(decay_fn, weft_array *, (weft_array * rate, weft_array *step, weft_array *h, weft_array *x));

Test(rest_of_the_roles, has_none)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, decay, decay_fn);
    weft_array *rate = weft_scalar(ctx, 0.5), *step = weft_scalar(ctx, 0.25), *h = weft_scalar(ctx, 1),
               *xs = weft_linspace(ctx, 0, 1, 7);
    weft_array *wanted = weft_scan(ctx, decay, "none, none, carry, 0")(rate, step, h, xs);
    cr_expect(same(weft_scan(ctx, decay, "..., carry, 0")(rate, step, h, xs), wanted), "%s", weft_error(ctx));
    cr_expect(same(weft_scan(ctx, decay, "none,...,carry, 0 -> none")(rate, step, h, xs), wanted), "%s",
              weft_error(ctx));
    cr_expect(same(weft_scan(ctx, decay, "none, none, ..., carry, 0")(rate, step, h, xs), wanted),
              "for none: %s", weft_error(ctx));
    cr_expect(same(weft_vmap(ctx, decay, "..., 0")(rate, step, h, xs),
                   weft_vmap(ctx, decay, "none, none, none, 0")(rate, step, h, xs)));
    cr_expect(same(weft_vmap(ctx, decay, "0, ...")(xs, step, h, h),
                   weft_vmap(ctx, decay, "0, none, none, none")(xs, step, h, h)));
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

Test(rest_of_the_roles, wrong_ones_are_refused)
{
    static const struct {
        const char *roles, *why;
    } bad[] = {
        { "..., ..., carry", "'...' is no axis" },
        { "none, none, none, ..., carry, 0", "5 axes for 4 array arguments" },
        { "... carry, 0", "unexpected 'carry" },
        { "..., wrong", "'wrong' is no axis" },
        { "..,carry,0", "axes for 4 array arguments" },
        { "....", "unexpected '.'" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weft_context *ctx = weft_open(NULL);
        weft_declare(ctx, decay, decay_fn);
        weft_scan(ctx, decay, bad[i].roles);
        cr_expect(weft_error(ctx) && strstr(weft_error(ctx), bad[i].why), "\"%s\": %s", bad[i].roles,
                  weft_error(ctx));
        weft_clear(ctx);
        weft_close(ctx);
    }
}

Test(open_ends, are_not_written)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_linspace(ctx, 0, 1, 7);
    int64_t from = 2, none = WEFT_OPEN;
    cr_expect(same(at(x, "%ld:%ld", from, none), at(x, "2:")));
    cr_expect(same(at(x, "%ld:%d:%d", none, 5, 2), at(x, ":5:2")));
    cr_expect(same(at(x, "%d:%d:%d", WEFT_OPEN, WEFT_OPEN, -1), flip(x)));
    cr_expect(same(weft_set(x, "%d:%d", 9, 4, WEFT_OPEN), weft_set(x, "4:", 9)));
    weft_array *none_there = at(x, "%d", WEFT_OPEN);
    cr_expect_null(none_there);
    cr_expect(strstr(weft_error(ctx), "has WEFT_OPEN where an index stands"), "%s", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
}
