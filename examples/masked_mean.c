/* masked_mean.c: the mean of the valid elements of an array, four ways, and the way that fails.
 *
 * Which elements are valid changes at every step, and what the others hold is garbage: padding, old data,
 * NaN. The mean must not see it, nor may its gradient, which is 1 / count at valid elements and exactly 0 at
 * the others; where nothing is valid both are 0. All ways are compared with finite differences, and a
 * thousand masks use one compiled program.
 */
#include <math.h>
#include <stdio.h>
#include "weft.h"
#include "weft/rules.h"

enum { N = 8, LONG = 1000, MASKS = 1000 };

WEFT_SIGNATURE(mean_fn, weft_array *, (weft_array * x, weft_array *valid));
WEFT_SIGNATURE(grad_fn, weft_array *, (weft_array * x, weft_array *valid, WEFT_OUT weft_array **dx));

static weft_array *count(weft_array *valid) { return weft_maximum(weft_count_nonzero(valid), 1); }

/* ---- the naive way: multiply by the mask. But NaN * 0 is NaN, and so is inf * 0. A loss of it, and all
 * gradients of that, are NaN for good. ---- */
static weft_array *naive(weft_array *x, weft_array *valid)
{
    return weft_div(weft_sum(weft_mul(x, valid)), count(valid));
}
static weft_array *naive_loss(weft_array *x, weft_array *valid) { return weft_square(naive(x, valid)); }

/* ---- 1: say it. ---- */
static weft_array *by_where(weft_array *x, weft_array *valid) { return weft_mean(x, .where = valid); }

/* ---- 2: choose before you compute. The gradient goes back through the choice: to the zeros, not to the
 * garbage. ---- */
static weft_array *by_select(weft_array *x, weft_array *valid)
{
    return weft_div(weft_sum(weft_where(valid, x, 0)), count(valid));
}

/* ---- 3: say what the gradient is. The value may be computed in any way that gives it, here by dividing by
 * the probability that an element is kept, 1 or 0. Left to itself that has the gradient 0 * (1 / 0) at
 * invalid elements. ---- */
static weft_array *weighted(weft_array *x, weft_array *valid)
{
    return weft_div(weft_sum(weft_where(valid, weft_div(x, valid), 0)), count(valid));
}
WEFT_SIGNATURE(forward_fn, weft_array *, (weft_array * x, weft_array *valid, WEFT_OUT weft_array **kept));
/* what backward is to know: the mask is enough */
static weft_array *forward(weft_array *x, weft_array *valid, weft_array **kept)
{
    *kept = valid;
    return weighted(x, valid);
}
WEFT_SIGNATURE(backward_fn, weft_array *, (weft_array * kept, weft_array *ct));
/* ct: the loss's derivative by the mean; a mask has none */
static weft_array *backward(weft_array *kept, weft_array *ct)
{
    return weft_where(kept, weft_div(ct, count(kept)), 0);
}
static weft_array *by_rule(weft_array *x, weft_array *valid)
{
    return weft_custom_vjp(NULL, weighted, forward, backward)(x, valid);
}

/* ---- 4: repair the gradient on its way back, and leave the program as it is. ---- */
static weft_array *no_nan(weft_array *gradient) { return weft_where(weft_isnan(gradient), 0, gradient); }
static weft_array *by_hook(weft_array *x, weft_array *valid) { return weighted(weft_hook(x, no_nan), valid); }

/* ---- what is checked ---- */

static const struct {
    const char *name;
    mean_fn *f;
} ways[] = {
    { ".where", by_where },
    { "select", by_select },
    { "custom_vjp", by_rule },
    { "hook", by_hook },
};
enum { WAYS = sizeof ways / sizeof *ways };
static int wrong;

static void expect(bool good, const char *what)
{
    if (good) return;
    printf("WRONG: %s\n", what);
    wrong++;
}

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-6 * fmax(1, fabs(b)); }

/* printf shows a NaN's sign, which means nothing */
static double plain_nan(double v) { return isnan(v) ? NAN : v; }

static void print_row(const char *name, double value, const double *slope)
{
    printf("%-12s %6.3f  ", name, plain_nan(value));
    for (int i = 0; i < N; i++) printf(" %6.3f", plain_nan(slope[i]));
    printf("\n");
}

/* The mean as plain C has it, with element i moved by step. */
static double plain_mean(const double *x, const bool *valid, int i, double step)
{
    double sum = 0;
    int n = 0;
    for (int k = 0; k < N; k++)
        if (valid[k]) sum += x[k] + (k == i ? step : 0), n++;
    return n ? sum / n : 0;
}

/* One way's result against plain C's and its finite differences. */
static void check(weft_array *value, weft_array *dx, double mean, const double *slope, const bool *valid)
{
    expect(close_to(weft_item(value), mean), "the value");
    for (int i = 0; i < N; i++)
        expect(valid[i] ? close_to(weft_f64(dx)[i], slope[i]) : weft_f64(dx)[i] == 0, "the gradient");
}

static void check_ways(weft_context *ctx, const char *title, const double *x, const bool *valid)
{
    weft_array *array = weft_from(ctx, x, N), *mask = weft_from(ctx, valid, N), *dx;
    double mean = plain_mean(x, valid, 0, 0), slope[N];
    for (int i = 0; i < N; i++)
        slope[i] = (plain_mean(x, valid, i, 1e-3) - plain_mean(x, valid, i, -1e-3)) / 2e-3;
    printf("%s\n", title);
    print_row("differences", mean, slope);
    for (int w = 0; w < WAYS; w++) {
        grad_fn *both = weft_value_and_grad(ctx, grad_fn, ways[w].f, "x");
        weft_array *value = both(array, mask, &dx); /* op by op */
        check(value, dx, mean, slope, valid);
        value = weft_jit(ctx, both)(array, mask, &dx); /* compiled */
        check(value, dx, mean, slope, valid);
        print_row(ways[w].name, weft_item(value), weft_f64(dx));
    }
}

/* Ever new masks on one compiled program: nothing is traced or compiled again, nor may it be. */
static void check_many(weft_context *ctx)
{
    static float x[LONG];
    static bool valid[LONG];
    grad_fn *both = weft_jit(ctx, weft_value_and_grad(ctx, grad_fn, by_where, "x"));
    for (int i = 0; i < LONG; i++) x[i] = i % 7 ? (float)(i % 13) : NAN;
    weft_array *array = weft_from(ctx, x, LONG), *dx;
    weft_counters first = weft_stats(ctx);
    for (int k = 0; k < MASKS; k++) {
        weft_scope *s = weft_scope_open(ctx);
        double sum = 0;
        int n = 0;
        for (int i = 0; i < LONG; i++)
            if ((valid[i] = i % 7 && (i * 31 + k * 17) % 101 < k % 101)) sum += (double)x[i], n++;
        weft_array *value = both(array, weft_from(ctx, valid, LONG), &dx);
        expect(value && close_to(weft_item(value), n ? sum / n : 0), "the mean under one of many masks");
        int same = 0;
        for (int i = 0; i < LONG && value; i++) same += weft_f32(dx)[i] == (valid[i] ? 1 / (float)n : 0);
        expect(same == LONG, "the gradient under one of many masks");
        if (!k) weft_forbid_compiling(ctx, true); /* from now on to compile would be an error */
        weft_scope_close(s);
    }
    weft_counters last = weft_stats(ctx);
    int traces = (int)(last.traces - first.traces), compiles = (int)(last.compiles - first.compiles),
        kernels = (int)(last.kernels - first.kernels);
    printf("%d masks: %d trace, %d compile, %d kernel%s for the mean and its gradient\n", MASKS, traces,
           compiles, kernels, kernels == 1 ? "" : "s");
    expect(traces == 1 && compiles == 1, "one trace and one compile for all masks");
}

int main(void)
{
    static const double clean[N] = { 4, -2, 7, 1, 0.5, 3, -6, 8 },
                        dirty[N] = { 4, NAN, 7, INFINITY, 0.5, 3, -INFINITY, 8 };
    static const bool some[N] = { true, false, true, false, true, true, false, false },
                      all[N] = { 1, 1, 1, 1, 1, 1, 1, 1 }, none[N] = { false };
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, naive_loss, mean_fn);
    weft_declare(ctx, by_where, mean_fn);
    weft_declare(ctx, by_select, mean_fn);
    weft_declare(ctx, by_rule, mean_fn);
    weft_declare(ctx, by_hook, mean_fn);
    weft_declare(ctx, weighted, mean_fn);
    weft_declare(ctx, forward, forward_fn);
    weft_declare(ctx, backward, backward_fn);
    weft_declare(ctx, no_nan, weft_unary);

    weft_array *dx, *value = weft_value_and_grad(ctx, grad_fn, naive_loss, "x")(weft_from(ctx, dirty, N),
                                                                                weft_from(ctx, some, N), &dx);
    printf("way            mean    its gradient\nnot like this: a loss of the mean, each element times 0 or "
           "1\n");
    print_row("naive", weft_item(value), weft_f64(dx));
    expect(isnan(weft_item(value)) && isnan(weft_f64(dx)[0]), "the naive way should fail");
    check_ways(ctx, "NaN and inf where the mask is false", dirty, some);
    check_ways(ctx, "all valid", clean, all);
    check_ways(ctx, "nothing valid", dirty, none);
    check_many(ctx);
    if (weft_error(ctx)) expect(false, weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
    return wrong != 0;
}
