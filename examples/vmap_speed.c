/* vmap_speed.c: four functions written for one example, run on a batch in five ways: a C loop over examples
 * in eager mode, a C loop over compiled calls, the batched program written by hand, vmap in eager mode, and
 * vmap compiled. What each takes in time and in memory, as a table and as a plot (vmap_speed.svg).
 *
 * Memory is what a call needs beside its arguments: results, and temporaries (of compiled programs: their
 * scratch; in eager mode: the most that lived at once). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "weft.h"

enum { ONE_EAGER, ONE_COMPILED, BY_HAND, VMAP_EAGER, VMAP_COMPILED, WAYS, FUNCTIONS = 4, REPEATS = 5 };
static const char *const way_name[WAYS] = { "loop, eager", "loop, compiled", "by hand, compiled",
                                            "vmap, eager", "vmap, compiled" };

WEFT_SIGNATURE(score_fn, weft_array *, (weft_array * x, weft_array *p, weft_array *q));

/* ---- the functions: for one example, and for a batch by hand ---- */

static weft_array *standardize(weft_array *x, weft_array *scale, weft_array *shift)
{
    weft_array *c = weft_sub(x, weft_mean(x));
    weft_array *z = weft_div(c, weft_sqrt(weft_add(weft_mean(weft_square(c)), 1e-5)));
    return weft_tanh(weft_add(weft_mul(z, scale), shift));
}
static weft_array *standardize_all(weft_array *x, weft_array *scale, weft_array *shift)
{
    weft_array *c = weft_sub(x, weft_mean(x, .axes = "1", .keep = true));
    weft_array *z =
        weft_div(c, weft_sqrt(weft_add(weft_mean(weft_square(c), .axes = "1", .keep = true), 1e-5)));
    return weft_tanh(weft_add(weft_mul(z, scale), shift));
}

static weft_array *perceptron(weft_array *x, weft_array *w, weft_array *v)
{
    return weft_matmul(v, weft_relu(weft_matmul(w, x)));
}
static weft_array *perceptron_all(weft_array *x, weft_array *w, weft_array *v)
{
    return weft_matmul(weft_relu(weft_matmul(x, weft_transpose(w))), weft_transpose(v));
}

static weft_array *nearest(weft_array *x, weft_array *points, weft_array *weight)
{
    return weft_min(weft_sum(weft_mul(weft_square(weft_sub(points, x)), weight), .axes = "1"));
}
static weft_array *nearest_all(weft_array *x, weft_array *points, weft_array *weight)
{
    weft_array *d = weft_sub(weft_expand_dims(points, 0), weft_expand_dims(x, 1));
    return weft_min(weft_sum(weft_mul(weft_square(d), weight), .axes = "2"), .axes = "1");
}

static weft_array *entropy(weft_array *x, weft_array *scale, weft_array *shift)
{
    weft_array *p = weft_softmax(weft_add(weft_mul(x, scale), shift));
    return weft_neg(weft_sum(weft_mul(p, weft_log(weft_add(p, 1e-9)))));
}
static weft_array *entropy_all(weft_array *x, weft_array *scale, weft_array *shift)
{
    weft_array *p = weft_softmax(weft_add(weft_mul(x, scale), shift), .axes = "1");
    return weft_neg(weft_sum(weft_mul(p, weft_log(weft_add(p, 1e-9))), .axes = "1"));
}

typedef struct {
    const char *name;
    score_fn *one, *all;
    int64_t batch, width, p[2], q[2];
    int p_rank, q_rank;
} function;
static const function functions[FUNCTIONS] = {
    { "standardize", standardize, standardize_all, 4096, 256, { 256 }, { 256 }, 1, 1 },
    { "perceptron", perceptron, perceptron_all, 4096, 64, { 32, 64 }, { 10, 32 }, 2, 2 },
    { "nearest", nearest, nearest_all, 1000, 16, { 500, 16 }, { 16 }, 2, 1 },
    { "entropy", entropy, entropy_all, 2000, 100, { 100 }, { 100 }, 1, 1 },
};

/* ---- measuring ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static weft_array *filled(weft_context *ctx, int rank, const int64_t *dim)
{
    static float v[1 << 21];
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= dim[d];
    for (int64_t i = 0; i < n; i++) v[i] = (float)((i * 7919 + 13) % 1000) / 1000 - 0.4f;
    return weft_keep(weft_from_shape(ctx, WEFT_F32, v, rank, dim));
}

/* The batch, one example after the other; the first result, to compare. */
static weft_array *in_a_loop(score_fn *f, const function *g, weft_array *const *rows, weft_array *p,
                             weft_array *q)
{
    weft_array *last = NULL;
    for (int64_t i = 0; i < g->batch; i++) last = f(rows[i], p, q);
    return last;
}

typedef struct {
    double ms, bytes;
} cost;

static double bytes_of(const weft_array *a)
{
    double n = 4;
    for (int d = 0; d < weft_rank(a); d++) n *= (double)weft_dim(a, d);
    return n;
}

/* One way of one function; the last example's result goes to result. */
static cost measure(const function *g, int way, float *result)
{
    weft_context *ctx = weft_open(NULL);
    const int64_t whole[2] = { g->batch, g->width };
    weft_array *x = filled(ctx, 2, whole), *p = filled(ctx, g->p_rank, g->p),
               *q = filled(ctx, g->q_rank, g->q), **rows = malloc((size_t)g->batch * sizeof *rows);
    bool alone = way == ONE_EAGER || way == ONE_COMPILED,
         compiled = way == ONE_COMPILED || way == BY_HAND || way == VMAP_COMPILED;
    for (int64_t i = 0; i < g->batch; i++)
        rows[i] = alone ? weft_keep(weft_from_shape(ctx, WEFT_F32, weft_f32(x) + i * g->width, 1, &g->width))
                        : NULL;
    weft_declare(ctx, g->one, score_fn);
    weft_declare(ctx, g->all, score_fn);
    score_fn *f = way == BY_HAND                              ? g->all
                  : way == VMAP_EAGER || way == VMAP_COMPILED ? weft_vmap(ctx, g->one, "0, none, none")
                                                              : g->one;
    if (compiled) f = weft_jit(ctx, f);

    double ms[REPEATS], bytes = 0;
    uint64_t before = weft_stats(ctx).bytes_in_use;
    for (int r = 0; r <= REPEATS; r++) { /* the first traces and compiles */
        weft_scope *s = weft_scope_open(ctx);
        double t = now();
        weft_array *y = alone ? in_a_loop(f, g, rows, p, q) : f(x, p, q);
        if (r) ms[r - 1] = now() - t;
        if (y && compiled) bytes = bytes_of(y) * (double)(alone ? g->batch : 1);
        if (y) *result = weft_f32(y)[alone ? 0 : (g->batch - 1) * (weft_rank(y) > 1 ? weft_dim(y, 1) : 1)];
        weft_scope_close(s);
    }
    if (!compiled) bytes = (double)(weft_stats(ctx).peak_bytes - before);
    else {
        weft_plan *plan = weft_compile(ctx, (weft_plan_options){ 0 }, alone ? f(rows[0], p, q) : f(x, p, q));
        bytes += plan ? (double)weft_plan_scratch(plan) : 0;
        weft_plan_free(plan);
    }
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx)), *result = NAN;
    weft_clear(ctx);
    weft_close(ctx);
    free(rows);
    qsort(ms, REPEATS, sizeof *ms, by_value);
    return (cost){ ms[REPEATS / 2], bytes };
}

/* ---- the plot: times as bars on a logarithmic axis ---- */

static void write_svg(const char *path, cost c[FUNCTIONS][WAYS])
{
    static const char *const color[WAYS] = { "#bbbbbb", "#7f9fbf", "#3f6f9f", "#e0b070", "#c05020" };
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        return;
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n",
            FUNCTIONS * 110 + 20);
    for (int k = 0; k < FUNCTIONS; k++) {
        fprintf(f, "<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s, a batch of %lld</text>\n", 20 + 110 * k,
                functions[k].name, (long long)functions[k].batch);
        for (int w = 0; w < WAYS; w++) {
            double width = 75 * (log10(c[k][w].ms) + 3);
            int y = 28 + 110 * k + 15 * w;
            fprintf(f,
                    "<text x=\"20\" y=\"%d\">%s</text><rect x=\"140\" y=\"%d\" width=\"%.0f\" height=\"12\" "
                    "fill=\"%s\"/>",
                    y + 10, way_name[w], y, width > 2 ? width : 2, color[w]);
            fprintf(f, "<text x=\"%.0f\" y=\"%d\">%.3g ms, %.3g MB</text>\n", 146 + (width > 2 ? width : 2),
                    y + 10, c[k][w].ms, c[k][w].bytes / 1e6);
        }
    }
    fputs("</svg>\n", f);
    fclose(f);
}

int main(int argc, char **argv)
{
    static cost c[FUNCTIONS][WAYS];
    int wrong = 0;
    printf("%-12s %-18s %10s %10s\n", "function", "way", "ms", "MB");
    for (int k = 0; k < FUNCTIONS; k++) {
        float result[WAYS];
        for (int w = 0; w < WAYS; w++) {
            c[k][w] = measure(&functions[k], w, &result[w]);
            printf("%-12s %-18s %10.3f %10.3f\n", functions[k].name, way_name[w], c[k][w].ms,
                   c[k][w].bytes / 1e6);
            wrong += !(fabsf(result[w] - result[0]) <= 1e-4f * (1 + fabsf(result[0])));
        }
        printf("%-12s vmap against by hand: %.2f x the time, %.2f x the memory\n", functions[k].name,
               c[k][VMAP_COMPILED].ms / c[k][BY_HAND].ms, c[k][VMAP_COMPILED].bytes / c[k][BY_HAND].bytes);
    }
    write_svg(argc > 1 ? argv[1] : "vmap_speed.svg", c);
    if (wrong) fprintf(stderr, "%d results differ\n", wrong);
    return wrong != 0;
}
