/* test_real.c: doubles first: weft_options.real, and that no digits of a double are lost in silence. */
#include <complex.h>
#include <criterion/criterion.h>
#include <string.h>
#include "compiler/graph/types/dtype.h"
#include "runtime/exec/compile.h"
#include "weft.h"

static weft_context *open_real(weft_dtype real) { return weft_open(&(weft_options){ .real = real }); }

enum { FLOATS = 18 };

/* What has no element type of its own, from ints and C numbers. i: i32[3]. */
static void make(weft_context *ctx, weft_array *i, weft_array **out)
{
    weft_array *made[FLOATS] = { weft_linspace(ctx, 0, 1, 11),
                                 weft_arange(ctx, 0, 1, 0.1),
                                 weft_scalar(ctx, 0.1),
                                 weft_one_hot(i, 4),
                                 weft_mul(i, 0.1),
                                 weft_add(1, 0.1),
                                 weft_sqrt(i),
                                 weft_exp(1),
                                 weft_mean(i),
                                 weft_div(i, 3),
                                 weft_add(weft_astype(i, WEFT_U64), i),
                                 weft_softmax(weft_gt(i, 1)),
                                 weft_where(weft_gt(i, 1), 0.1, 2),
                                 weft_logsumexp(i),
                                 weft_abs(weft_fft(i)),
                                 weft_abs(weft_rfft(i)),
                                 weft_abs(weft_rfftn(weft_gt(i, 1))),
                                 weft_irfft(i) };
    for (int k = 0; k < FLOATS; k++) out[k] = made[k];
}

Test(real, is_what_floats_without_a_type_are)
{
    static const weft_dtype asked[] = { WEFT_BOOL, WEFT_F32, WEFT_F64 };
    for (int k = 0; k < 3; k++) {
        weft_context *ctx = open_real(asked[k]);
        weft_array *made[FLOATS];
        make(ctx, weft_from(ctx, ((int32_t[]){ 1, 2, 3 }), 3), made);
        for (int i = 0; i < FLOATS; i++)
            cr_expect_eq(weft_dtype_of(made[i]), k == 2 ? WEFT_F64 : WEFT_F32, "%d of real %d: %s", i, k,
                         weft_error(ctx));
        weft_close(ctx);
    }
}

Test(real, has_all_digits)
{
    weft_context *ctx = open_real(WEFT_F64);
    cr_expect_eq(weft_f64(weft_linspace(ctx, 0, 1, 11))[3], 3.0 / 10);
    cr_expect_eq(weft_item(weft_scalar(ctx, 0.1)), 0.1);
    cr_expect_eq(weft_item(weft_add(0.1, 0.2)), 0.1 + 0.2);
    cr_expect_eq(weft_item(weft_mul(weft_full(ctx, WEFT_I32, 3), 0.1)), 3 * 0.1);
    cr_expect_eq(weft_item(weft_add(weft_astype(weft_scalar(ctx, 9007199254740993.0), WEFT_U64),
                                    weft_full(ctx, WEFT_I32, 1))),
                 9007199254740992.0);
    weft_close(ctx);
}

/* What says its type keeps it, and so does an f32 array beside C numbers. */
Test(real, leaves_written_types_alone)
{
    weft_context *ctx = open_real(WEFT_F64);
    weft_array *x = weft_ones(ctx, WEFT_F32, 2), *key = weft_key(ctx, 1);
    cr_expect_eq(weft_dtype_of(x), WEFT_F32);
    cr_expect_eq(weft_dtype_of(weft_mul(x, 0.1)), WEFT_F32);
    cr_expect_eq(weft_dtype_of(weft_sqrt(x)), WEFT_F32);
    cr_expect_eq(weft_dtype_of(weft_scalar_as(ctx, WEFT_F32, 0.1)), WEFT_F32);
    cr_expect_eq(weft_dtype_of(weft_random_normal(key, WEFT_F32, 2)), WEFT_F32);
    cr_expect_eq(weft_dtype_of(weft_add(x, weft_scalar(ctx, 0.1))), WEFT_F64, "arrays promote as ever");
    cr_expect_eq(weft_dtype_of(weft_mul(weft_full(ctx, WEFT_I32, 3), 2)), WEFT_I32);
    weft_close(ctx);
}

/* Half the draws of 2^20 with p = 0.1 as a double compare 52 bits, not 23. */
Test(real, is_what_chances_are_drawn_in)
{
    weft_context *wide = open_real(WEFT_F64), *narrow = open_real(WEFT_F32);
    const bool *a = weft_bool(weft_random_bernoulli(weft_key(wide, 3), 0.3, 1000)),
               *b = weft_bool(weft_random_bernoulli(weft_key(narrow, 3), 0.3, 1000));
    int differ = 0, n[2] = { 0, 0 };
    for (int i = 0; i < 1000; i++) differ += a[i] != b[i], n[0] += a[i], n[1] += b[i];
    cr_expect(differ > 100, "other bits are drawn: %d", differ);
    for (int k = 0; k < 2; k++) cr_expect(n[k] > 240 && n[k] < 360, "%d of 1000", n[k]);
    weft_close(narrow);
    weft_close(wide);
}

Test(real, another_type_is_refused)
{
    cr_expect_null(open_real(WEFT_F16));
    cr_expect_str_eq(weft_error(NULL),
                     "weft_open: real is element type 9: allowed are WEFT_F32 and WEFT_F64");
    cr_expect_eq(weft_clear(NULL), WEFT_ARGUMENT);
    cr_expect_null(open_real((weft_dtype)99));
    weft_clear(NULL);
}

/* ---- the same traced ---- */

static weft_array *formula(weft_array *i)
{
    return weft_add(weft_mul(i, 0.1), weft_mul(weft_linspace(NULL, 0, 1, 3), weft_scalar(NULL, 0.3)));
}

Test(real, eager_and_compiled_agree)
{
    Failure f = { .code = WEFT_OK };
    if (!backend_get(&f)) cr_skip_test("%s", f.text);
    for (int k = 0; k < 2; k++) {
        weft_context *ctx =
            weft_open(&(weft_options){ .real = k ? WEFT_F64 : WEFT_F32, .mode = WEFT_MODE_STRICT });
        weft_declare(ctx, formula, weft_unary);
        weft_array *i = weft_from(ctx, ((int32_t[]){ 1, 2, 3 }), 3), *eager = formula(i),
                   *compiled = weft_jit(ctx, formula)(i), *column = formula(weft_expand_dims(i, 1)),
                   *mapped = weft_vmap(ctx, formula, "0")(i);
        cr_assert(eager && compiled && column && mapped, "%s", weft_error(ctx));
        cr_expect_eq(weft_dtype_of(compiled), weft_dtype_of(eager));
        cr_expect_eq(weft_item(weft_all(weft_eq(compiled, eager))), 1);
        cr_expect_eq(weft_item(weft_all(weft_eq(mapped, column))), 1);
        if (k) cr_expect_eq(weft_f64(compiled)[2], 3 * 0.1 + 0.3);
        weft_close(ctx);
    }
}

/* ---- an f32 scalar of a double beside f64 ---- */

static weft_array *scaled(weft_array *x, weft_array *by) { return weft_mul(x, by); }
static weft_array *held;
static weft_array *scaled_by_held(weft_array *x) { return weft_mul(x, held); }
static weft_array *scaled_inside(weft_array *x) { return weft_mul(x, weft_scalar(NULL, 0.1)); }
static weft_array *scaled_by_spread(weft_array *x)
{
    return weft_mul(x, weft_broadcast_to(weft_reshape(weft_scalar(NULL, 0.1), 1), 2));
}

Test(digits, a_scalar_meets_f64_as_the_double)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_ones(ctx, WEFT_F64, 2), *dt = weft_scalar(ctx, 0.1);
    cr_expect_eq(weft_dtype_of(dt), WEFT_F32);
    cr_expect_eq(weft_f64(weft_mul(x, dt))[0], 0.1);
    cr_expect_eq(weft_f64(weft_where(weft_gt(x, 2), x, dt))[1], 0.1);
    cr_expect_eq(weft_f64(weft_set(x, "0", dt))[0], 0.1);
    cr_expect_eq(weft_item(weft_astype(dt, WEFT_F64)), 0.1);
    cr_expect_eq(weft_f64(weft_concatenate(0, x, weft_reshape(weft_scalar(ctx, 0.5), 1)))[2], 0.5);
    weft_array *row = weft_reshape(dt, 1);
    cr_expect_eq(weft_f64(weft_concatenate(0, x, row))[2], 0.1, "moved");
    cr_expect_eq(weft_f64(weft_mul(x, weft_neg(weft_broadcast_to(row, 2))))[1], -0.1, "spread and negated");
    cr_expect_eq(weft_f64(weft_mul(x, weft_mul(row, 1)))[1], 0.1f, "computed with, as f32");
    weft_array *z = weft_mul(weft_ones(ctx, WEFT_C128, 2), dt);
    cr_expect_eq(weft_f64(weft_real(z))[1], 0.1, "complex doubles are doubles");
    cr_expect_eq(weft_item(weft_mul(dt, 1)), 0.1f, "f32 alone is f32");
    cr_expect_eq(weft_f64(weft_mul(x, weft_scalar_as(ctx, WEFT_F32, 0.1)))[0], (double)0.1f,
                 "f32, if that is said");
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

static double re(const weft_array *z, int i) { return creal(weft_c128(z)[i]); }
static double im(const weft_array *z, int i) { return cimag(weft_c128(z)[i]); }

Test(digits, so_does_a_complex_scalar_and_its_parts)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_ones(ctx, WEFT_F64, 2), *z = weft_ones(ctx, WEFT_C128, 2);
    weft_array *c = weft_scalar(ctx, 0.5 + 0.1 * I), *p = weft_mul(z, c), *q = weft_mul(x, weft_neg(c));
    cr_expect_eq(weft_dtype_of(c), WEFT_C64);
    cr_expect(re(p, 1) == 0.5 && im(p, 1) == 0.1, "%.17g", im(p, 1));
    cr_expect(re(q, 0) == -0.5 && im(q, 0) == -0.1, "%.17g, negated", im(q, 0));
    cr_expect_eq(im(weft_mul(weft_broadcast_to(weft_reshape(c, 1), 2), z), 1), 0.1, "moved and spread");
    cr_expect_eq(weft_f64(weft_mul(x, weft_imag(c)))[1], 0.1, "a part");
    cr_expect_eq(weft_f64(weft_mul(x, weft_real(weft_scalar(ctx, 0.1 + 2 * I))))[1], 0.1, "the other part");
    cr_expect_eq(weft_f64(weft_mul(x, weft_stop_gradient(weft_scalar(ctx, 0.1))))[0], 0.1);
    cr_expect_eq(weft_f64(weft_mul(x, weft_materialize(weft_scalar(ctx, 0.1))))[0], 0.1);
    cr_expect_eq(im(weft_mul(z, weft_mul(c, 1)), 0), 0.1f, "computed with, as c64");
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

Test(digits, so_do_values_that_a_trace_meets)
{
    Failure f = { .code = WEFT_OK };
    if (!backend_get(&f)) cr_skip_test("%s", f.text);
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, scaled_by_held, weft_unary);
    weft_declare(ctx, scaled_inside, weft_unary);
    weft_array *x = weft_ones(ctx, WEFT_F64, 2);
    held = weft_scalar(ctx, 0.1);
    cr_expect_eq(weft_f64(weft_jit(ctx, scaled_by_held)(x))[0], 0.1);
    cr_expect_eq(weft_f64(weft_vmap(ctx, scaled_by_held, "0")(x))[0], 0.1);
    cr_expect_eq(weft_f64(weft_jit(ctx, scaled_inside)(x))[1], 0.1);
    weft_declare(ctx, scaled_by_spread, weft_unary);
    cr_expect_eq(weft_f64(weft_jit(ctx, scaled_by_spread)(x))[1], 0.1);
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

#define REFUSED(call) \
    do { \
        cr_expect_null(call); \
        cr_expect(weft_error(ctx) && strstr(weft_error(ctx), "say which is meant"), "%s", weft_error(ctx)); \
        cr_expect_eq(weft_clear(ctx), WEFT_DTYPE); \
    } while (0)

Test(digits, beside_f64_in_a_call_it_is_refused)
{
    Failure f = { .code = WEFT_OK };
    if (!backend_get(&f)) cr_skip_test("%s", f.text);
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, scaled, weft_binary);
    weft_binary *fast = weft_jit(ctx, scaled), *mapped = weft_vmap(ctx, scaled, "0, none");
    weft_array *x = weft_ones(ctx, WEFT_F64, 2), *y = weft_ones(ctx, WEFT_F32, 2);
    REFUSED(fast(x, weft_scalar(ctx, 0.1)));
    REFUSED(mapped(x, weft_scalar(ctx, 1e300)));
    REFUSED(fast(weft_scalar(ctx, 1.1), x));
    cr_expect_eq(weft_f64(fast(x, weft_scalar(ctx, 0.5)))[0], 0.5, "f32 holds it");
    cr_expect_eq(weft_f64(fast(x, weft_scalar_as(ctx, WEFT_F64, 0.1)))[0], 0.1);
    cr_expect_eq(weft_f64(fast(x, weft_scalar_as(ctx, WEFT_F32, 0.1)))[0], (double)0.1f);
    cr_expect_eq(weft_f32(fast(y, weft_scalar(ctx, 0.1)))[0], 0.1f, "no f64 is near");
    weft_array *z = weft_ones(ctx, WEFT_C128, 2), *c = weft_scalar(ctx, 0.5 + 0.1 * I);
    cr_expect_eq(re(fast(z, weft_real(c)), 0), 0.5, "f32 holds this part: %s", weft_error(ctx));
    cr_expect_eq(im(fast(z, weft_scalar_as(ctx, WEFT_C128, 0.5 + 0.1 * I)), 0), 0.1);
    cr_expect_null(fast(z, c));
    cr_expect(
        strstr(weft_error(ctx), "is c64, which cannot hold the 0.5+0.10000000000000001i that weft_scalar") &&
            strstr(weft_error(ctx), "weft_scalar_as(ctx, WEFT_C128, v) or (ctx, WEFT_C64, v)"),
        "%s", weft_error(ctx));
    weft_clear(ctx);
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}

/* ---- an f32 scalar that meets f64 inside of a traced function ---- */

static weft_array *wide_inside(weft_array *by)
{
    return weft_mul(weft_linspace_as(NULL, WEFT_F64, 0, 1, 3), by);
}
static weft_array *wide_when_complex(weft_array *by) { return weft_mul(weft_ones(NULL, WEFT_C128, 3), by); }
static weft_array *wide_by_name(weft_array *by) { return weft_astype(by, WEFT_F64); }
static weft_array *wide_when_spread(weft_array *by)
{
    return weft_mul(weft_ones(NULL, WEFT_F64, 3), weft_broadcast_to(weft_reshape(by, 1), 3));
}
static weft_array *wide_in_a_map(weft_array *x, weft_array *by)
{
    return weft_vmap(NULL, scaled, "0, none")(weft_astype(x, WEFT_F64), by);
}
static weft_array *wide_in_a_loop(weft_array *x, weft_array *by)
{
    weft_array *first = weft_zeros(NULL, WEFT_F64);
    return weft_scan(NULL, scaled, "carry, none", .length = 2)(weft_add(first, weft_sum(x)), by);
}
static weft_array *of_a_constant(weft_array *x) { return wide_in_a_map(x, weft_scalar(NULL, 0.1)); }
static weft_array *wide_slope(weft_array *x, weft_array *by)
{
    return weft_grad(NULL, weft_binary, wide_in_a_loop, "x")(x, by);
}
static weft_array *narrow_inside(weft_array *x, weft_array *by) { return weft_add(weft_ndtr(by), x); }

Test(digits, beside_f64_inside_of_a_call_it_is_refused)
{
    Failure f = { .code = WEFT_OK };
    if (!backend_get(&f)) cr_skip_test("%s", f.text);
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, scaled, weft_binary);
    weft_declare(ctx, wide_inside, weft_unary);
    weft_declare(ctx, wide_by_name, weft_unary);
    weft_declare(ctx, wide_when_spread, weft_unary);
    weft_declare(ctx, wide_when_complex, weft_unary);
    REFUSED(weft_jit(ctx, wide_when_complex)(weft_scalar(ctx, 0.1 + 0.1 * I)));
    cr_expect_not_null(weft_jit(ctx, wide_when_complex)(weft_scalar(ctx, 0.5 + 2 * I)), "%s",
                       weft_error(ctx));
    weft_declare(ctx, of_a_constant, weft_unary);
    weft_declare(ctx, wide_in_a_map, weft_binary);
    weft_declare(ctx, wide_in_a_loop, weft_binary);
    weft_declare(ctx, wide_slope, weft_binary);
    weft_declare(ctx, narrow_inside, weft_binary);
    weft_array *y = weft_ones(ctx, WEFT_F32, 2), *half = weft_scalar(ctx, 0.5);
    weft_unary *one[] = { wide_inside, wide_by_name, wide_when_spread };
    weft_binary *two[] = { wide_in_a_map, wide_in_a_loop, wide_slope };
    for (int i = 0; i < 3; i++) {
        weft_unary *fast = weft_jit(ctx, one[i]);
        REFUSED(fast(weft_scalar(ctx, 0.1)));
        cr_expect_eq(weft_item(weft_max(fast(half))), 0.5, "%s", weft_error(ctx));
        REFUSED(fast(weft_scalar(ctx, 0.1))); /* of what is in the cache by now */
        cr_expect_eq(weft_item(weft_max(fast(weft_scalar_as(ctx, WEFT_F32, 0.1)))), (double)0.1f);
        cr_expect_eq(weft_item(weft_max(fast(weft_scalar_as(ctx, WEFT_F64, 0.1)))), 0.1);
        cr_expect_eq(weft_item(weft_max(one[i](weft_scalar(ctx, 0.1)))), 0.1, "op by op");
    }
    for (int i = 0; i < 3; i++) {
        weft_binary *fast = weft_jit(ctx, two[i]);
        cr_expect_not_null(fast(y, half), "%s", weft_error(ctx));
        REFUSED(fast(y, weft_scalar(ctx, 0.1)));
        cr_expect_not_null(fast(y, weft_scalar_as(ctx, WEFT_F64, 0.1)), "%s", weft_error(ctx));
    }
    REFUSED(weft_jit(ctx, of_a_constant)(y));
    weft_binary *fast = weft_jit(ctx, narrow_inside);
    weft_array *near = fast(y, weft_scalar(ctx, 0.1));
    cr_assert(near, "computing in f64 promotes nothing: %s", weft_error(ctx));
    cr_expect_eq(weft_f32(near)[0], weft_f32(narrow_inside(y, weft_scalar(ctx, 0.1)))[0]);
    cr_expect_null(weft_error(ctx));
    weft_close(ctx);
}
