/* cases_stencil.c: neighbours: stencils by rolls, pads and slices, windows, and what is put end to end.
 * cases.def gives the functions shapes. */
#include "cases.h"

/* One step of u_t + u_x + u_y = 0, upwind, around the ends. */
static weft_array *advect_step(weft_array *u)
{
    weft_array *x = weft_sub(u, weft_roll(u, 1, 1)), *y = weft_sub(u, weft_roll(u, 1, 0));
    return weft_sub(u, weft_mul(weft_add(x, y), 0.2));
}
static weft_array *roll2d(weft_array *u) { return weft_fori(NULL, advect_step, "carry", .count = 100)(u); }

/* Jacobi's mean of four neighbours; around the field is zero. */
static weft_array *pad_step(weft_array *u)
{
    weft_array *p = weft_pad(u, 0, "1"), *rows = weft_add(weft_at(p, ":-2, 1:-1"), weft_at(p, "2:, 1:-1"));
    return weft_mul(weft_add(rows, weft_add(weft_at(p, "1:-1, :-2"), weft_at(p, "1:-1, 2:"))), 0.25);
}
static weft_array *pad_stencil(weft_array *u) { return weft_fori(NULL, pad_step, "carry", .count = 100)(u); }

/* The nine-point Laplacian of the interior, once. */
static weft_array *slice_stencil(weft_array *u)
{
    weft_array *side = weft_add(weft_add(weft_at(u, ":-2, 1:-1"), weft_at(u, "2:, 1:-1")),
                                weft_add(weft_at(u, "1:-1, :-2"), weft_at(u, "1:-1, 2:"))),
               *corner = weft_add(weft_add(weft_at(u, ":-2, :-2"), weft_at(u, ":-2, 2:")),
                                  weft_add(weft_at(u, "2:, :-2"), weft_at(u, "2:, 2:")));
    return weft_sub(weft_add(weft_mul(side, 4.0 / 6), weft_mul(corner, 1.0 / 6)),
                    weft_mul(weft_at(u, "1:-1, 1:-1"), 20.0 / 6));
}

/* Rotary position embedding, halves apart: x [heads, positions, 64], angles [positions, 64]. */
static weft_array *concat_rope(weft_array *x, weft_array *cosine, weft_array *sine)
{
    weft_array *turned = weft_concatenate(2, weft_neg(weft_at(x, "..., 32:")), weft_at(x, "..., :32"));
    return weft_add(weft_mul(x, cosine), weft_mul(turned, sine));
}

/* n more places at both ends of the axis, which repeat the edge. */
static weft_array *edge(weft_array *x, int axis, int n)
{
    weft_array *first = weft_at(x, axis ? ":, :1" : ":1"), *last = weft_at(x, axis ? ":, -1:" : "-1:");
    return weft_concatenate(axis, weft_repeat(first, n, axis), x, weft_repeat(last, n, axis));
}
static weft_array *shifted(weft_array *x, int axis, int from, int64_t size)
{
    return axis ? weft_at(x, ":, %d:%d", from, from + (int)size)
                : weft_at(x, "%d:%d", from, from + (int)size);
}
/* An odd number of taps along an axis, the edge clamped. */
static weft_array *filter(weft_array *x, int axis, int n, const double *tap)
{
    weft_array *wide = edge(x, axis, n / 2), *sum = NULL;
    for (int k = 0; k < n; k++) {
        if (tap[k] == 0) continue;
        weft_array *term = weft_mul(shifted(wide, axis, k, weft_dim(x, axis)), tap[k]);
        sum = sum ? weft_add(sum, term) : term;
    }
    return sum;
}
static weft_array *blur_sobel(weft_array *x)
{
    static const double blur[] = { 1 / 16., 4 / 16., 6 / 16., 4 / 16., 1 / 16. }, smooth[] = { 1, 2, 1 },
                        slope[] = { -1, 0, 1 };
    weft_array *b = filter(filter(x, 0, 5, blur), 1, 5, blur),
               *gx = filter(filter(b, 0, 3, smooth), 1, 3, slope),
               *gy = filter(filter(b, 0, 3, slope), 1, 3, smooth);
    return weft_sqrt(weft_add(weft_square(gx), weft_square(gy)));
}

/* The largest of 3 x 3 neighbours; of 2 x 2 places of images [n, height, width, channels], which are half as
 * large then. */
static weft_array *max_3x3(weft_array *x)
{
    return weft_max_pool(x, "3, 3", .stride = "1, 1", .pad = "same");
}
static weft_array *max_2x2(weft_array *x) { return weft_max_pool(x, "1, 2, 2, 1", .stride = "1, 2, 2, 1"); }

static weft_array *ravel(weft_array *x) { return weft_mul(weft_ravel(x), 3); }

/* y[i] = sum of tap[k] x[i + k]: each tap is a step that adds its multiple of x. */
WEFT_SIGNATURE(fir_fn, weft_array *, (weft_array * x, weft_array *k, weft_array *y, weft_array *tap));
static weft_array *fir_step(weft_array *x, weft_array *k, weft_array *y, weft_array *tap)
{
    return weft_add(y, weft_mul(weft_dynamic_slice_axis(x, k, 65536, 0), tap));
}
static weft_array *fir(weft_array *x, weft_array *taps)
{
    weft_array *k = weft_arange(NULL, 0, 64, 1), *y = weft_zeros(NULL, WEFT_F32, 65536);
    return weft_scan(NULL, fir_step, "none, 0, carry, 0")(x, k, y, taps);
}

WEFT_SIGNATURE(rope_fn, weft_array *, (weft_array * x, weft_array *cosine, weft_array *sine));
void declare_stencils(weft_context *ctx)
{
    weft_declare(ctx, advect_step, weft_unary);
    weft_declare(ctx, roll2d, weft_unary);
    weft_declare(ctx, pad_step, weft_unary);
    weft_declare(ctx, pad_stencil, weft_unary);
    weft_declare(ctx, slice_stencil, weft_unary);
    weft_declare(ctx, concat_rope, rope_fn);
    weft_declare(ctx, blur_sobel, weft_unary);
    weft_declare(ctx, max_3x3, weft_unary);
    weft_declare(ctx, max_2x2, weft_unary);
    weft_declare(ctx, ravel, weft_unary);
    weft_declare(ctx, fir_step, fir_fn);
    weft_declare(ctx, fir, weft_binary);
}
CALL(roll2d, weft_unary, in[0])
CALL(pad_stencil, weft_unary, in[0])
CALL(slice_stencil, weft_unary, in[0])
CALL(concat_rope, rope_fn, in[0], in[1], in[2])
CALL(blur_sobel, weft_unary, in[0])
CALL(max_3x3, weft_unary, in[0])
CALL(max_2x2, weft_unary, in[0])
CALL(ravel, weft_unary, in[0])
CALL(fir, weft_binary, in[0], in[1])
