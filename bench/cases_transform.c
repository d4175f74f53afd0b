/* cases_transform.c: Fourier transforms and convolutions. cases.def gives the functions shapes. */
#include "cases.h"

static weft_array *fourier(weft_array *x) { return weft_fft(x, -1); }
static weft_array *fourier_each(weft_array *x) { return weft_vmap(NULL, fourier, "0")(x); }
static weft_array *fourier_2d(weft_array *x) { return weft_fftn(x, "-2, -1"); }

/* x [examples, height, width, features], w [height, width, in, out] */
static weft_array *conv_same(weft_array *x, weft_array *w) { return weft_conv(x, w, .pad = "same"); }
static weft_array *conv_up(weft_array *x, weft_array *w)
{
    return weft_conv_transpose(x, w, .stride = "2", .pad = "same");
}
static weft_array *conv_half(weft_array *x, weft_array *w)
{
    return weft_conv(x, w, .stride = "2", .pad = "3");
}
static weft_array *conv_depthwise(weft_array *x, weft_array *w)
{
    return weft_conv(x, w, .pad = "same", .groups = 64);
}
static weft_array *conv_nchw(weft_array *x, weft_array *w)
{
    return weft_conv(x, w, .pad = "same", .layout = "nchw,oihw->nchw");
}

void declare_transforms(weft_context *ctx)
{
    weft_declare(ctx, fourier, weft_unary);
    weft_declare(ctx, fourier_each, weft_unary);
    weft_declare(ctx, fourier_2d, weft_unary);
    weft_declare(ctx, conv_same, weft_binary);
    weft_declare(ctx, conv_up, weft_binary);
    weft_declare(ctx, conv_half, weft_binary);
    weft_declare(ctx, conv_depthwise, weft_binary);
    weft_declare(ctx, conv_nchw, weft_binary);
}
CALL(fourier, weft_unary, in[0])
CALL(fourier_each, weft_unary, in[0])
CALL(fourier_2d, weft_unary, in[0])
CALL(conv_same, weft_binary, in[0], in[1])
CALL(conv_up, weft_binary, in[0], in[1])
CALL(conv_half, weft_binary, in[0], in[1])
CALL(conv_depthwise, weft_binary, in[0], in[1])
CALL(conv_nchw, weft_binary, in[0], in[1])
