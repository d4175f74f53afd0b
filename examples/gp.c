/* gp.c: a Gaussian process reads handwritten digits, and says how sure it is.
 *
 * The scores of the ten digits are functions of the image, alike where images are alike: their covariance is
 * height exp(-|x - y|^2 / 2 width^2). How far that reaches, and how noisy labels are, is fitted: gradients of
 * the log likelihood go through the Cholesky factor of the covariance of all images. Then each new image has
 * a mean and a variance, from two solves by that factor.
 *
 *     gp [digits.csv]
 */
#include "weft.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { SEEN = 600, NEW = 400, PIXELS = 64, DIGITS = 10, STEPS = 40 };

/* logarithms, so that none is ever negative */
typedef struct {
    weft_array *height, *width, *noise;
} hyper;
WEFT_STRUCT(hyper, WEFT_ARRAY(hyper, height), WEFT_ARRAY(hyper, width), WEFT_ARRAY(hyper, noise));
WEFT_OPT_STATE(hyper_state, hyper);

WEFT_SIGNATURE(loss_fn, weft_array *, (const hyper *h, weft_array *x, weft_array *y));
WEFT_SIGNATURE(grad_fn, weft_array *,
               (const hyper *h, weft_array *x, weft_array *y, WEFT_OUT hyper *gradient));
WEFT_SIGNATURE(step_fn, weft_array *, (hyper * h, hyper_state *s, weft_array *x, weft_array *y));
WEFT_SIGNATURE(init_fn, void, (WEFT_OUT hyper * h, WEFT_OUT hyper_state *s));
WEFT_SIGNATURE(predict_fn, weft_array *,
               (const hyper *h, weft_array *x, weft_array *y, weft_array *at,
                WEFT_OUT weft_array **variance));

/* [n, m] of images [n, 64] and [m, 64] */
static weft_array *covariance(const hyper *h, weft_array *x, weft_array *y)
{
    weft_array *far = weft_add(weft_expand_dims(weft_sum(weft_square(x), .axes = "1"), 1),
                               weft_sum(weft_square(y), .axes = "1"));
    far = weft_sub(far, weft_mul(weft_matmul(x, weft_transpose(y)), 2));
    weft_array *scaled = weft_mul(far, weft_exp(weft_mul(h->width, -2)));
    return weft_mul(weft_exp(h->height), weft_exp(weft_mul(scaled, -0.5)));
}

/* l l^T is the covariance of the labels that were seen. */
static weft_array *factor(const hyper *h, weft_array *x)
{
    weft_array *noise = weft_mul(weft_eye(NULL, WEFT_F64, SEEN), weft_exp(h->noise));
    return weft_cholesky(weft_add(covariance(h, x, x), noise));
}

/* minus the log likelihood of a label, on average */
static weft_array *loss(const hyper *h, weft_array *x, weft_array *y)
{
    weft_array *l = factor(h, x), *white = weft_solve_triangular(l, y);
    weft_array *fit = weft_mul(weft_sum(weft_square(white)), 0.5),
               *volume = weft_mul(weft_sum(weft_log(weft_diagonal(l, 0))), DIGITS);
    return weft_add(weft_div(weft_add(fit, volume), SEEN * DIGITS), 0.5 * log(2 * 3.14159265358979));
}

static weft_optimizer optimizer(void) { return weft_adam(.rate = 0.15); }

static void init(hyper *h, hyper_state *s)
{
    *h = (hyper){ weft_full(NULL, WEFT_F64, 0), weft_full(NULL, WEFT_F64, 0), weft_full(NULL, WEFT_F64, -2) };
    weft_opt_init(NULL, optimizer(), hyper_state, h, s);
}

static weft_array *step(hyper *h, hyper_state *s, weft_array *x, weft_array *y)
{
    hyper gradient;
    weft_array *value = weft_value_and_grad(NULL, grad_fn, loss, "h")(h, x, y, &gradient);
    weft_opt_update(NULL, optimizer(), hyper_state, h, &gradient, s);
    return value;
}

/* The means [m, 10], and the variance [m] that all ten have. */
static weft_array *predict(const hyper *h, weft_array *x, weft_array *y, weft_array *at,
                           weft_array **variance)
{
    weft_array *l = factor(h, x), *cross = weft_solve_triangular(l, covariance(h, x, at));
    *variance = weft_sub(weft_exp(h->height), weft_sum(weft_square(cross), .axes = "0"));
    return weft_matmul(weft_transpose(cross), weft_solve_triangular(l, y));
}

/* ---- data ---- */

typedef struct {
    double pixel[SEEN + NEW][PIXELS], label[SEEN + NEW][DIGITS];
    int digit[SEEN + NEW];
} digits;

/* Labels are 0.9, and -0.1 for the other digits: 0 on average. */
static bool read_digits(const char *path, digits *d)
{
    FILE *f = fopen(path, "r");
    bool good = f != NULL;
    if (!f) perror(path);
    for (int row = 0; row < SEEN + NEW && good; row++) {
        for (int k = 0; k < PIXELS && good; k++) good = fscanf(f, "%lf,", &d->pixel[row][k]) == 1;
        good = good && fscanf(f, "%d", &d->digit[row]) == 1;
        for (int k = 0; k < PIXELS; k++) d->pixel[row][k] /= 16;
        for (int k = 0; k < DIGITS; k++) d->label[row][k] = (k == d->digit[row]) - 0.1;
    }
    if (f) fclose(f);
    return good;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How many are right among the surer half and the other one. */
static void judge(const digits *d, const weft_array *chosen, const weft_array *variance,
                  const weft_array *middle)
{
    const int32_t *digit = weft_data(chosen);
    const double *v = weft_data(variance);
    int right[2] = { 0 }, n[2] = { 0 };
    for (int i = 0; i < NEW; i++) {
        int unsure = v[i] > weft_item(middle);
        n[unsure]++;
        right[unsure] += digit[i] == d->digit[SEEN + i];
    }
    printf("of %d new images %d are read right: %d of %d that it is surer of, %d of %d others\n", NEW,
           right[0] + right[1], right[0], n[0], right[1], n[1]);
}

int main(int argc, char **argv)
{
    static digits d;
    if (!read_digits(argc > 1 ? argv[1] : "examples/data/digits.csv", &d)) return 1;
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, hyper);
    weft_describe(ctx, hyper_state);
    weft_declare(ctx, init, init_fn);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, predict, predict_fn);
    weft_array *x = weft_from(ctx, d.pixel[0], SEEN, PIXELS), *y = weft_from(ctx, d.label[0], SEEN, DIGITS),
               *at = weft_from(ctx, d.pixel[SEEN], NEW, PIXELS), *variance, *value = NULL;
    hyper h;
    hyper_state s;
    weft_jit(ctx, init)(&h, &s);
    step_fn *fit = weft_jit(ctx, step);
    double start = now(), first = 0;
    for (int i = 0; i < STEPS; i++) {
        value = fit(&h, &s, x, y);
        if (i == 0) first = now() - start;
        if (value && i % 10 == 0) printf("step %2d  loss %.4f\n", i, weft_item(value));
    }
    if (!value) return fprintf(stderr, "%s\n", weft_error(ctx)), 1;
    printf("step %2d  loss %.4f   width %.2f, height %.3f, noise %.4f\n", STEPS, weft_item(value),
           exp(weft_item(h.width)), exp(weft_item(h.height)), exp(weft_item(h.noise)));
    printf("%.0f ms for the first step, %.1f ms for each other\n", 1e3 * first,
           1e3 * (now() - start - first) / (STEPS - 1));
    weft_array *mean = weft_jit(ctx, predict)(&h, x, y, at, &variance);
    if (!mean) return fprintf(stderr, "%s\n", weft_error(ctx)), 1;
    judge(&d, weft_argmax(mean, .axes = "1"), variance, weft_at(weft_sort(variance, 0), "%d", NEW / 2));
    weft_close(ctx);
    return 0;
}
