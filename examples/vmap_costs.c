/* vmap_costs.c: what vmap costs, in four experiments: calls saved, memory spent, loops that wait for their
 * slowest, branches that are all computed. Each compares weft_vmap with a C loop over compiled calls, or with
 * a batch in pieces; all compiled. docs/vmap.md discusses the figures. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "weft.h"

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

typedef weft_array *run_fn(weft_context *ctx, weft_unary *f, weft_array *x);

static weft_array *at_once(weft_context *ctx, weft_unary *f, weft_array *x)
{
    (void)ctx;
    return f(x);
}

/* One call for each row; rows are made beforehand, as a program that gets them one by one has them. */
static weft_array **rows;
static weft_array *row_by_row(weft_context *ctx, weft_unary *f, weft_array *x)
{
    weft_array *last = NULL;
    (void)ctx;
    for (int64_t i = 0; i < weft_dim(x, 0); i++) last = f(rows[i]);
    return last;
}

static void report(weft_context *ctx, const char *what, run_fn *run, weft_unary *f, weft_array *x)
{
    double ms[7];
    weft_plan *p = weft_compile(ctx, (weft_plan_options){ 0 }, run == row_by_row ? f(rows[0]) : f(x));
    for (int r = 0; r < 8; r++) {
        weft_scope *s = weft_scope_open(ctx);
        double t = now();
        run(ctx, f, x);
        if (r) ms[r - 1] = now() - t;
        weft_scope_close(s);
    }
    qsort(ms, 7, sizeof *ms, by_value);
    printf("  %-44s %9.3f ms %12zu bytes of temporaries\n", what, ms[3], p ? weft_plan_scratch(p) : 0);
    weft_plan_free(p);
}

static void take_rows(weft_context *ctx, weft_array *x)
{
    rows = realloc(rows, (size_t)weft_dim(x, 0) * sizeof *rows);
    for (int64_t i = 0; i < weft_dim(x, 0); i++)
        rows[i] = weft_take(x, weft_scalar_as(ctx, WEFT_I64, (double)i), 0);
}

static weft_array *norm(weft_array *x) { return weft_sqrt(weft_sum(weft_square(x))); }

/* Products of matrices that belong to the example: 16 KB each, and no way round having them in memory. */
static weft_array *wide(weft_array *x)
{
    weft_array *m = weft_tanh(weft_outer(x, x)), *m2 = weft_matmul(m, m), *m4 = weft_matmul(m2, m2);
    return weft_sum(weft_matmul(m4, x));
}

static weft_array *go_on(weft_array *x) { return weft_gt(x, 1); }
static weft_array *shrink(weft_array *x) { return weft_mul(x, 0.99); }
static weft_array *wait(weft_array *x) { return weft_while(NULL, go_on, shrink, "carry")(x); }

static weft_array *dear(weft_array *p, weft_array *x)
{
    (void)p;
    for (int i = 0; i < 20; i++) x = weft_sin(x);
    return x;
}
static weft_array *cheap(weft_array *p, weft_array *x)
{
    (void)p;
    return x;
}
static weft_array *choose(weft_array *x) { return weft_cond(NULL, dear, cheap)(weft_gt(x, 0.99), x); }

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, norm, weft_unary);
    weft_declare(ctx, wide, weft_unary);
    weft_declare(ctx, go_on, weft_unary);
    weft_declare(ctx, shrink, weft_unary);
    weft_declare(ctx, wait, weft_unary);
    weft_declare(ctx, dear, weft_binary);
    weft_declare(ctx, cheap, weft_binary);
    weft_declare(ctx, choose, weft_unary);

    printf("calls saved: the norms of 10,000 vectors of 8\n");
    weft_array *x = weft_reshape(weft_linspace(ctx, 0, 1, 80000), 10000, 8);
    take_rows(ctx, x);
    report(ctx, "a call for each", row_by_row, weft_jit(ctx, norm), x);
    report(ctx, "vmap", at_once, weft_jit(ctx, weft_vmap(ctx, norm, "0")), x);

    printf("memory spent: 2,000 times products of matrices of 64 x 64\n");
    x = weft_reshape(weft_linspace(ctx, -1, 1, 2000 * 64), 2000, 64);
    take_rows(ctx, x);
    report(ctx, "a call for each", row_by_row, weft_jit(ctx, wide), x);
    report(ctx, "vmap", at_once, weft_jit(ctx, weft_vmap(ctx, wide, "0")), x);
    report(ctx, "vmap, .max_bytes = 1 MB", at_once,
           weft_jit(ctx, weft_vmap(ctx, wide, "0", .max_bytes = 1 << 20)), x);
    report(ctx, "map, one by one in one program", at_once, weft_jit(ctx, weft_map(ctx, wide, "0")), x);

    printf("waiting for the slowest: loops of 1 to 500 steps, 16,384 of them\n");
    x = weft_exp(weft_mul(weft_linspace(ctx, 0, 1, 16384), 5));
    report(ctx, "sorted: neighbours take about as long", at_once, weft_jit(ctx, weft_vmap(ctx, wait, "0")),
           x);
    weft_array *mixed = weft_ravel(weft_transpose(weft_reshape(x, 128, 128)));
    report(ctx, "mixed: each vector waits for its slowest", at_once, weft_jit(ctx, weft_vmap(ctx, wait, "0")),
           mixed);
    take_rows(ctx, mixed);
    report(ctx, "a call for each", row_by_row, weft_jit(ctx, wait), mixed);

    printf("both branches: 20 sines for one element in a hundred, 10,000 elements\n");
    x = weft_linspace(ctx, 0, 1, 10000);
    report(ctx, "vmap: all are computed, then chosen", at_once, weft_jit(ctx, weft_vmap(ctx, choose, "0")),
           x);
    report(ctx, "map: a branch for each", at_once, weft_jit(ctx, weft_map(ctx, choose, "0")), x);
    bool good = !weft_error(ctx);
    if (!good) fprintf(stderr, "%s\n", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
    free(rows);
    return !good;
}
