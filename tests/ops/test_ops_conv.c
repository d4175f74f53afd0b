/* test_ops_conv.c: weft_conv and weft_conv_transpose against JAX, their errors, one example against a batch,
 * and gradients against differences. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"
#include "tests/support/ops_data.h"
#include "runtime/exec/compile.h"

/* [2,7,6,4] and [3,2,4,6] as NCHW and OIHW, and in an order that nobody uses */
static weft_array *nchw(void) { return weft_transpose(IN(photo), "0,3,1,2"); }
static weft_array *oihw(void) { return weft_transpose(IN(kernel), "3,2,0,1"); }
static weft_array *chwn(void) { return weft_transpose(IN(photo), "3,1,2,0"); }
static weft_array *howi(void) { return weft_transpose(IN(kernel), "0,3,1,2"); }
static weft_array *bf16(weft_array *x) { return weft_astype(x, WEFT_BF16); }

/* clang-format off */
#define CONVOLUTIONS(R) \
    R(conv, 1e-5, weft_conv(IN(photo), IN(kernel))) \
    R(conv_same, 1e-5, weft_conv(IN(photo), IN(kernel), .stride = "2, 1", .pad = "same")) \
    R(conv_pad, 1e-5, weft_conv(IN(photo), IN(kernel), .stride = "1,2", .pad = "1:2, 0:-1", \
        .dilation = "2,1", \
        .base_dilation = "1,2")) \
    R(conv_same_dilated, 1e-5, weft_conv(IN(photo), IN(kernel), .stride = "2", .pad = "same", \
        .dilation = "2,3")) \
    R(conv_one, 1e-5, weft_conv(weft_at(IN(photo), "0"), IN(kernel), .pad = "same")) \
    R(conv_pointwise, 1e-5, weft_conv(IN(photo), weft_at(IN(kernel), ":1, :1"))) \
    R(conv_nchw, 1e-5, weft_conv(nchw(), oihw(), .pad = "same", .layout = "nchw,oihw->nchw")) \
    R(conv_mixed, 1e-5, weft_conv(chwn(), howi(), .stride = "2", .layout = "chwn, howi -> nchw")) \
    R(conv_groups, 1e-5, weft_conv(IN(photo), weft_at(IN(kernel), ":, :, :2"), .pad = "same", .groups = 2)) \
    R(conv_deep, 1e-5, weft_conv(IN(photo), weft_at(IN(kernel), ":, :, :1, :4"), .pad = "same", \
        .groups = 4)) \
    R(conv_deep_2, 1e-5, weft_conv(IN(photo), IN(kernel2), .stride = "2", .pad = "1, 1:0", .groups = 4)) \
    R(conv_1d, 1e-5, weft_conv(weft_at(IN(photo), "0"), weft_at(IN(kernel), "0"), .stride = "2", \
        .pad = "same")) \
    R(conv_3d, 1e-5, weft_conv(weft_expand_dims(IN(photo), -1), weft_expand_dims(IN(kernel), 3), \
        .pad = "same")) \
    R(conv_i32, 0, weft_conv(IN(pixels), IN(filters), .pad = "same")) \
    R(conv_bf16, 0, weft_conv(bf16(IN(photo)), bf16(IN(kernel)))) \
    R(conv_up, 1e-5, weft_conv_transpose(IN(photo), IN(kernel), .stride = "2", .pad = "same")) \
    R(conv_up_valid, 1e-5, weft_conv_transpose(IN(photo), IN(kernel), .stride = "3,2")) \
    R(conv_up_dilated, 1e-5, weft_conv_transpose(IN(photo), IN(kernel), .stride = "2,1", .pad = "same", \
        .dilation = "1,2")) \
    R(conv_up_pad, 1e-5, weft_conv_transpose(IN(photo), IN(kernel), .stride = "2,3", .pad = "1:0, 2:-1"))
/* clang-format on */
OPS_SUITE(ops_conv, CONVOLUTIONS)

static weft_array *as_defaults(weft_array *x)
{
    weft_array *w = weft_sin(weft_reshape(weft_arange(NULL, 0., 36, 1), 3, 3, 2, 2));
    return weft_conv(x, w, .stride = "2", .pad = "same");
}

static weft_array *apart(weft_array *x)
{
    weft_array *w = weft_mul(weft_sum(x), weft_sin(weft_reshape(weft_arange(NULL, 0., 18, 1), 3, 3, 1, 2)));
    return weft_conv(x, w, .pad = "1", .dilation = "2,1", .groups = 2);
}

static weft_array *upwards(weft_array *x)
{
    return weft_conv_transpose(x, weft_mul(weft_max(x), weft_ones(NULL, WEFT_F32, 2, 2, 2, 3)),
                               .stride = "2");
}

static void close(weft_array *a, weft_array *b, const char *what, int row)
{
    weft_array *far = weft_max(weft_abs(weft_sub(a, b)));
    cr_expect(far && weft_item(far) < 1e-4, "function %d, %s: %g", row, what, far ? weft_item(far) : NAN);
}

/* ---- vmap and errors ---- */

/* A function for one example, over a batch of a batch. */
TestSuite(ops_conv_calls, .init = open_context, .fini = close_context);

Test(ops_conv_calls, vmap_agrees_with_a_loop)
{
    weft_unary *const functions[] = { as_defaults, apart, upwards };
    weft_array *x = weft_reshape(weft_sin(weft_mul(weft_arange(ctx, 0., 360, 1), 7.3)), 2, 3, 6, 5, 2);
    Failure none = { .code = WEFT_OK };
    for (int i = 0; i < 3; i++) {
        weft_declare_(ctx, (weft_fn)functions[i], "f", weft_unary_text, NULL);
        weft_unary *all = weft_vmap(ctx, weft_vmap(ctx, functions[i], "0"), "0");
        weft_array *got = all(x), *compiled = backend_get(&none) ? weft_jit(ctx, all)(x) : got;
        cr_assert(got && compiled, "%s", weft_error(ctx));
        close(got, compiled, "compiled", i);
        for (int b = 0; b < 6; b++)
            close(weft_at(got, "%d, %d", b / 3, b % 3), functions[i](weft_at(x, "%d, %d", b / 3, b % 3)),
                  "an example", i);
    }
}

Test(ops_conv_calls, bad_calls)
{
    weft_array *x = weft_ones(ctx, WEFT_F32, 2, 7, 6, 4), *w = weft_ones(ctx, WEFT_F32, 3, 3, 4, 5),
               *y = weft_transpose(x, "0,1,3,2"), *flat = weft_at(w, "0, 0");
#define BAD(code, message, ...) REFUSED_AT_ONCE(__FILE__, code, !(__VA_ARGS__), message)
    BAD(WEFT_SHAPE, "weft_conv: weights f32[3,3,4,5] take 4 input features, but f32[2,7,4,6] has 6",
        weft_conv(y, w));
    BAD(WEFT_SHAPE,
        "weft_conv: weights f32[4,5] for f32[2,7,6,4]: without .layout they are [spatial.., in, out], 1 to 3 "
        "spatial axes, and x is [examples, spatial.., features] or one example",
        weft_conv(x, flat));
    BAD(WEFT_ARGUMENT, "weft_conv: .stride \"1,0\": 0 of spatial axis 1 must be 1 to 1152921504606846975",
        weft_conv(x, w, .stride = "1,0", .pad = "same"));
    BAD(WEFT_ARGUMENT, "weft_conv: .stride \"1,2,3\" has more entries than the 2 spatial axes",
        weft_conv(x, w, .stride = "1,2,3"));
    BAD(WEFT_ARGUMENT,
        "weft_conv: .dilation \"\" has 0 entries for 2 spatial axes (one for each, or one for all)",
        weft_conv(x, w, .dilation = ""));
    BAD(WEFT_ARGUMENT,
        "weft_conv: .pad \"some\" cannot be read (\"valid\", \"same\", or entries like 1:2, separated by "
        "commas)",
        weft_conv(x, w, .pad = "some"));
    BAD(WEFT_SHAPE, "weft_conv: 3 feature groups do not divide 4 input features",
        weft_conv(x, w, .groups = 3));
    BAD(WEFT_ARGUMENT, "weft_conv: -1 feature groups and 1 batch groups (each must be 1 or more)",
        weft_conv(x, w, .groups = -1));
    BAD(WEFT_SHAPE,
        "weft_conv: .layout \"nwc,wio->nwc\" is not that of f32[2,7,6,4] and weights f32[3,3,4,5]",
        weft_conv(x, w, .layout = "nwc,wio->nwc"));
    BAD(WEFT_ARGUMENT,
        "weft_conv_transpose: the option .base_dilation (the stride is it) does not apply here",
        weft_conv_transpose(x, w, .base_dilation = "2"));
#define LAYOUT(text, why) \
    BAD(WEFT_ARGUMENT, \
        "weft_conv: .layout \"" text "\": " why " (letters of the axes of x, of the weights and of the " \
        "result, as in \"nhwc,hwio->nhwc\": n examples, c features, i and o features in and out)", \
        weft_conv(x, w, .layout = text))
    LAYOUT("nhwc", "there is no comma behind the letters of x");
    LAYOUT("nhhc,hwio->nhwc", "a letter stands twice in one array");
    LAYOUT("nhwk,hwio->nhwc", "x has no c");
    LAYOUT("nhwc,hwi->nhwc", "the weights have not i, o and the other letters of x");
    LAYOUT("nhic,hiio->nhwc", "a letter stands twice in one array");
    LAYOUT("nhoc,hwio->nhwc", "i and o are of the weights");
    LAYOUT("nhwc,hwio->hwc", "the result has not the letters of x");
    LAYOUT("nhwc,hwio->nhwc!", "it cannot be read");
}
