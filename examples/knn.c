/* knn.c: which digit is it? Leave-one-out nearest neighbours on 1,797 handwritten digits.
 *
 * Two plain C functions say it all: the squared distance of ONE query and ONE reference, and the index of the
 * nearest reference for one query. weft_vmap twice makes them a program over all pairs, weft_jit compiles it:
 * one kernel, in which no 1,797 x 1,797 x 64 array is ever written.
 *
 *     knn [digits.csv [misclassified.png]]
 */
#include "weft.h"
#include <float.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { COUNT = 1797, PIXELS = 64, SIDE = 8, SOME = 200, REPEATS = 15 };

/* ---- the program ---- */

static weft_array *distance(weft_array *query, weft_array *reference) /* f32[64], f32[64] -> f32 */
{
    return weft_sum(weft_square(weft_sub(query, reference)));
}

/* f32[64], i32, f32[1797,64] -> i32 */
static weft_array *nearest(weft_array *query, weft_array *self, weft_array *references)
{
    weft_array *d = weft_vmap(NULL, distance, "none, 0")(query, references);
    weft_array *others = weft_ne(weft_arange(NULL, 0, COUNT, 1), self); /* leave one out: not itself */
    return weft_argmin(weft_where(others, d, INFINITY));
}
WEFT_SIGNATURE(nearest_fn, weft_array *, (weft_array * query, weft_array *self, weft_array *references));

/* The same loops by hand: the best plain C we know. */
static void nearest_by_hand(const float *restrict x, int32_t *restrict index)
{
    for (int i = 0; i < COUNT; i++) {
        float best = FLT_MAX;
        for (int j = 0; j < COUNT; j++) {
            float d = 0;
            for (int k = 0; k < PIXELS; k++) {
                float e = x[i * PIXELS + k] - x[j * PIXELS + k];
                d += e * e;
            }
            if (d < best && i != j) {
                best = d;
                index[i] = j;
            }
        }
    }
}

/* ---- data, clock, picture ---- */

static bool read_digits(const char *path, float *pixels, int *labels)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return false;
    }
    bool good = true;
    for (int i = 0; i < COUNT && good; i++) {
        for (int k = 0; k < PIXELS && good; k++) good = fscanf(f, "%f,", &pixels[i * PIXELS + k]) == 1;
        good = good && fscanf(f, "%d", &labels[i]) == 1;
    }
    fclose(f);
    if (!good) fprintf(stderr, "%s: not %d rows of %d pixels and a label\n", path, COUNT, PIXELS);
    return good;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v)
{
    qsort(v, REPEATS, sizeof *v, by_value);
    return v[REPEATS / 2];
}

/* Each wrong digit (left) beside its nearest neighbour (right), seven pairs a row, eight screen pixels a
 * dot. */
static bool write_png(const char *path, const float *pixels, const int *wrong, int n_wrong,
                      const int32_t *index)
{
    enum { DOT = 8, GAP = 16, PER_ROW = 7 };
    int cell = SIDE * DOT, pair = 2 * cell + 4 + GAP, rows = (n_wrong + PER_ROW - 1) / PER_ROW;
    int width = PER_ROW * pair + GAP, height = rows * (cell + GAP) + GAP;
    unsigned char *image = malloc((size_t)width * (size_t)height + 1);
    png_image png = { .version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32)width,
                      .height = (png_uint_32)height,
                      .format = PNG_FORMAT_GRAY };
    for (int i = 0; i < width * height; i++) image[i] = 255;
    for (int w = 0; w < n_wrong; w++)
        for (int side = 0; side < 2; side++) {
            const float *digit = pixels + PIXELS * (side ? index[wrong[w]] : wrong[w]);
            int left = GAP + w % PER_ROW * pair + side * (cell + 4), top = GAP + w / PER_ROW * (cell + GAP);
            for (int y = 0; y < cell; y++)
                for (int x = 0; x < cell; x++)
                    image[(top + y) * width + left + x] =
                        (unsigned char)(255 - 15.9f * digit[y / DOT * SIDE + x / DOT]);
        }
    bool good = png_image_write_to_file(&png, path, 0, image, 0, NULL);
    if (!good) fprintf(stderr, "%s: %s\n", path, png.message);
    free(image);
    return good;
}

/* ---- the runs, measured ---- */

static void print_times(weft_context *ctx, double eager, double first, double weft, double hand)
{
    weft_counters s = weft_stats(ctx);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("eager mode     %10.2f ms   (%d queries took %.2f ms; scaled to %d)\n", eager * COUNT / SOME, SOME,
           eager, COUNT);
    printf("weft, 1st call %10.2f ms   (tracing, compiling and running)\n", first);
    printf("weft           %10.2f ms a call\n", weft);
    printf("C by hand      %10.2f ms a call\n", hand);
    printf("weft is %.2f x as fast as the C loops, %.0f x as fast as eager mode\n", hand / weft,
           eager * COUNT / SOME / weft);
    printf("never written: %.0f MB of intermediates a call; peak memory %.0f MB of weft's (eager's %d "
           "queries included), %.0f MB of the process\n",
           (double)s.fused_bytes / 1e6, (double)s.peak_bytes / 1e6, SOME, (double)usage.ru_maxrss / 1e3);
    printf("kernels %llu, traces %llu, compiles %llu, cache hits %llu\n", (unsigned long long)s.kernels,
           (unsigned long long)s.traces, (unsigned long long)s.compiles, (unsigned long long)s.hits);
}

static weft_array *measure(weft_context *ctx, nearest_fn *all, weft_array *x, const float *pixels,
                           int32_t *by_hand)
{
    nearest_fn *fast = weft_jit(ctx, all);
    weft_array *self = weft_keep(weft_arange(ctx, 0, COUNT, 1));
    double weft[REPEATS], hand[REPEATS], t = now();
    weft_array *index = weft_keep(fast(x, self, x));
    double first = now() - t;
    for (int r = 0; r < REPEATS; r++) {
        weft_scope *s = weft_scope_open(ctx);
        t = now();
        fast(x, self, x);
        weft[r] = now() - t;
        weft_scope_close(s);
        t = now();
        nearest_by_hand(pixels, by_hand);
        hand[r] = now() - t;
    }
    weft_scope *s = weft_scope_open(ctx);
    t = now();
    all(weft_at(x, ":200"), weft_at(self, ":200"), x);
    double eager = now() - t;
    weft_scope_close(s);
    if (index) print_times(ctx, eager, first, median(weft), median(hand));
    return index;
}

int main(int argc, char **argv)
{
    static float pixels[COUNT * PIXELS];
    static int labels[COUNT], wrong[COUNT];
    static int32_t by_hand[COUNT];
    const char *png = argc > 2 ? argv[2] : "misclassified.png";
    if (!read_digits(argc > 1 ? argv[1] : "examples/data/digits.csv", pixels, labels)) return 1;

    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, distance, weft_binary);
    weft_declare(ctx, nearest, nearest_fn);
    nearest_fn *all = weft_vmap(ctx, nearest, "0, 0, none");
    weft_array *x = weft_keep(weft_from(ctx, pixels, COUNT, PIXELS)),
               *index = measure(ctx, all, x, pixels, by_hand);
    if (!index) {
        fprintf(stderr, "%s\n", weft_error(ctx));
        weft_clear(ctx);
        weft_close(ctx);
        return 1;
    }

    int n_wrong = 0, differ = 0;
    for (int i = 0; i < COUNT; i++) {
        differ += weft_i32(index)[i] != by_hand[i];
        if (labels[weft_i32(index)[i]] != labels[i]) wrong[n_wrong++] = i;
    }
    printf("%d of %d digits right (%.2f %%); %d differ from the C loops\n", COUNT - n_wrong, COUNT,
           100.0 * (COUNT - n_wrong) / COUNT, differ);
    bool good = write_png(png, pixels, wrong, n_wrong, weft_i32(index));
    if (good) printf("%s: the %d wrong ones, each beside its nearest neighbour\n", png, n_wrong);
    weft_close(ctx);
    return !good || differ || n_wrong != 21;
}
