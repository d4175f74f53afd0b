/* mandelbrot.c: a while loop for ONE point, and vmap makes it an image.
 *
 * Where points leave the loop after different numbers of steps, the compiled loop goes on for a vector of
 * points until the last of them is done, under a mask. Writes mandelbrot.png (or the file given) and compares
 * with plain C. */
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "weft.h"

enum { SIZE = 512, LIMIT = 100 };

typedef struct {
    weft_array *re, *im, *steps;
} orbit;
WEFT_STRUCT(orbit, WEFT_ARRAY(orbit, re), WEFT_ARRAY(orbit, im), WEFT_ARRAY(orbit, steps));

WEFT_SIGNATURE(inside_fn, weft_array *, (weft_array * x, weft_array *y, const orbit *z));
WEFT_SIGNATURE(step_fn, void, (weft_array * x, weft_array *y, orbit *z));

static weft_array *inside(weft_array *x, weft_array *y, const orbit *z)
{
    (void)x, (void)y;
    weft_array *near = weft_le(weft_add(weft_mul(z->re, z->re), weft_mul(z->im, z->im)), 4);
    return weft_logical_and(near, weft_lt(z->steps, LIMIT));
}

static void step(weft_array *x, weft_array *y, orbit *z)
{
    weft_array *re = weft_add(weft_sub(weft_mul(z->re, z->re), weft_mul(z->im, z->im)), x);
    z->im = weft_add(weft_mul(weft_mul(z->re, z->im), 2), y);
    z->re = re;
    z->steps = weft_add(z->steps, 1);
}

/* Steps until the orbit of one point leaves the circle. */
static weft_array *escape(weft_array *x, weft_array *y)
{
    orbit z = { weft_zeros_like(x), weft_zeros_like(x), weft_zeros(NULL, WEFT_I32) };
    step_fn *loop = weft_while(NULL, inside, step, "none, none, carry");
    loop(x, y, &z);
    return z.steps;
}

static int escape_by_hand(float x, float y)
{
    float re = 0, im = 0;
    int n = 0;
    for (; n < LIMIT && re * re + im * im <= 4; n++) {
        float next = re * re - im * im + x;
        im = re * im * 2 + y;
        re = next;
    }
    return n;
}

static bool write_png(const char *path, const int32_t *steps)
{
    static uint8_t pixel[SIZE * SIZE];
    png_image png = {
        .version = PNG_IMAGE_VERSION, .width = SIZE, .height = SIZE, .format = PNG_FORMAT_GRAY
    };
    for (int i = 0; i < SIZE * SIZE; i++) pixel[i] = (uint8_t)(255 - 255 * steps[i] / LIMIT);
    return png_image_write_to_file(&png, path, 0, pixel, 0, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "mandelbrot.png";
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, orbit);
    weft_declare(ctx, inside, inside_fn);
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, escape, weft_binary);
    weft_binary *row = weft_vmap(ctx, escape, "0, none");               /* one axis of the image ... */
    weft_binary *image = weft_jit(ctx, weft_vmap(ctx, row, "none, 0")); /* ... and the other */

    weft_array *x = weft_linspace(ctx, -2.2, 0.8, SIZE), *y = weft_linspace(ctx, -1.5, 1.5, SIZE);
    weft_array *steps = image(x, y);
    if (!steps) {
        fprintf(stderr, "%s\n", weft_error(ctx));
        weft_clear(ctx);
        weft_close(ctx);
        return 1;
    }
    double t = now();
    image(x, y);
    double weft_ms = now() - t;

    static int32_t by_hand[SIZE * SIZE];
    t = now();
    for (int i = 0; i < SIZE * SIZE; i++)
        by_hand[i] = escape_by_hand(weft_f32(x)[i % SIZE], weft_f32(y)[i / SIZE]);
    double c_ms = now() - t;

    /* Compiled code may fuse a multiply with an add and round once: a point on the very edge can leave a step
     * earlier or later. */
    int differ = 0;
    for (int i = 0; i < SIZE * SIZE; i++) differ += weft_i32(steps)[i] != by_hand[i];
    printf("%d x %d points, at most %d steps: %.1f ms; point by point in C %.1f ms; %d points differ\n", SIZE,
           SIZE, LIMIT, weft_ms, c_ms, differ);
    bool good = write_png(path, weft_i32(steps));
    if (good) printf("%s written\n", path);
    weft_close(ctx);
    return !good || differ > SIZE * SIZE / 100;
}
