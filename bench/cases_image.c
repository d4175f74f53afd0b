/* cases_image.c: images, [height, width, channels], as one writes them: bytes in i32, and bytes again in the
 * end. */
#include "cases.h"

/* The mean of 3 x 3 pixels, the edge repeated, as sum * 57 / 512. */
static weft_array *image_mean(weft_array *x)
{
    weft_array *p = weft_pad_with(weft_astype(x, WEFT_I32), "edge", "1, 1, 0"),
               *r = weft_add(weft_add(weft_at(p, ":-2"), weft_at(p, "1:-1")), weft_at(p, "2:"));
    r = weft_add(weft_add(weft_at(r, ":, :-2"), weft_at(r, ":, 1:-1")), weft_at(r, ":, 2:"));
    return weft_astype(weft_shr(weft_mul(r, 57), 9), WEFT_U8);
}

/* The same in floats, with zeros around, each pixel's nine slices summed. */
static weft_array *image_blur(weft_array *x)
{
    weft_array *p = weft_pad(x, 0, "1, 1, 0"), *sum = NULL;
    for (int k = 0; k < 9; k++) {
        weft_array *part = weft_at(p, "%d:%d, %d:%d", k / 3, 720 + k / 3, k % 3, 1280 + k % 3);
        sum = sum ? weft_add(sum, part) : part;
    }
    return weft_mul(sum, 1.0 / 9);
}

/* The mean of 5 x 5, the image mirrored at its edges. */
static weft_array *image_blur5(weft_array *x)
{
    weft_array *p = weft_pad_with(x, "reflect", "2, 2, 0"), *sum = NULL;
    for (int k = 0; k < 25; k++) {
        weft_array *part = weft_at(p, "%d:%d, %d:%d", k / 5, 720 + k / 5, k % 5, 1280 + k % 5);
        sum = sum ? weft_add(sum, part) : part;
    }
    return weft_mul(sum, 1.0 / 25);
}

/* Each byte by a curve of 256. */
static weft_array *image_curve(weft_array *x, weft_array *curve) { return weft_take(curve, x, 0); }

static weft_array *image_gray(weft_array *x)
{
    static const int weight[] = { 77, 150, 29 };
    weft_array *sum = NULL, *wide = weft_astype(x, WEFT_I32);
    for (int c = 0; c < 3; c++) {
        weft_array *part = weft_mul(weft_at(wide, "..., %d", c), weight[c]);
        sum = sum ? weft_add(sum, part) : part;
    }
    return weft_astype(weft_shr(sum, 8), WEFT_U8);
}

static weft_array *image_brighter(weft_array *x)
{
    return weft_astype(weft_clip(weft_add(weft_astype(x, WEFT_I32), 20), 0, 255), WEFT_U8);
}

static weft_array *image_planes(weft_array *x) { return weft_transpose(x, "2, 0, 1"); }

/* Means of 2 x 2 pixels. */
static weft_array *image_half(weft_array *x)
{
    weft_array *wide = weft_astype(x, WEFT_I32), *r = weft_add(weft_at(wide, "::2"), weft_at(wide, "1::2"));
    r = weft_add(weft_at(r, ":, ::2"), weft_at(r, ":, 1::2"));
    return weft_astype(weft_shr(weft_add(r, 2), 2), WEFT_U8);
}

static weft_array *image_mirror(weft_array *x) { return weft_flip(x, "1"); }

/* Means of 4 x 4 pixels, as one writes them in NumPy. */
static weft_array *image_quarter(weft_array *x)
{
    return weft_mean(weft_reshape(x, 180, 4, 320, 4, 3), .axes = "1, 3");
}

/* Weights of each row, and of each column, that an image is resized by, as jax.image.resize has them. */
static weft_array *image_resize(weft_array *x, weft_array *rows, weft_array *columns)
{
    return weft_einsum("hH,hwc,wW->HWc", rows, x, columns);
}

static weft_array *image_smaller(weft_array *x) { return weft_resize(x, "linear", 360, 640, 3); }
static weft_array *image_larger(weft_array *x) { return weft_resize(x, "cubic", 720, 1280, 3); }

/* A quarter of a turn to the left. */
static weft_array *image_turn(weft_array *x) { return weft_flip(weft_transpose(x, "1, 0, 2"), "0"); }

/* The channels of 2 x 2 pixels become one pixel's. */
static weft_array *image_blocks(weft_array *x)
{
    return weft_reshape(weft_transpose(weft_reshape(x, 360, 2, 640, 2, 3), "0, 2, 1, 3, 4"), 360, 640, 12);
}

void declare_images(weft_context *ctx)
{
    weft_declare(ctx, image_mean, weft_unary);
    weft_declare(ctx, image_blur, weft_unary);
    weft_declare(ctx, image_blur5, weft_unary);
    weft_declare(ctx, image_curve, weft_binary);
    weft_declare(ctx, image_gray, weft_unary);
    weft_declare(ctx, image_brighter, weft_unary);
    weft_declare(ctx, image_planes, weft_unary);
    weft_declare(ctx, image_half, weft_unary);
    weft_declare(ctx, image_mirror, weft_unary);
    weft_declare(ctx, image_quarter, weft_unary);
    weft_declare(ctx, image_resize, weft_ternary);
    weft_declare(ctx, image_smaller, weft_unary);
    weft_declare(ctx, image_larger, weft_unary);
    weft_declare(ctx, image_turn, weft_unary);
    weft_declare(ctx, image_blocks, weft_unary);
}
CALL(image_mean, weft_unary, in[0])
CALL(image_blur, weft_unary, in[0])
CALL(image_blur5, weft_unary, in[0])
CALL(image_curve, weft_binary, in[0], in[1])
CALL(image_gray, weft_unary, in[0])
CALL(image_brighter, weft_unary, in[0])
CALL(image_planes, weft_unary, in[0])
CALL(image_half, weft_unary, in[0])
CALL(image_mirror, weft_unary, in[0])
CALL(image_quarter, weft_unary, in[0])
CALL(image_resize, weft_ternary, in[0], in[1], in[2])
CALL(image_smaller, weft_unary, in[0])
CALL(image_larger, weft_unary, in[0])
CALL(image_turn, weft_unary, in[0])
CALL(image_blocks, weft_unary, in[0])
