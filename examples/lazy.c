/* lazy.c: a distribution whose covariance is computed when it is first wanted, and then kept in its struct.
 *
 * Such a field is no part of the tree (WEFT_LAZY): touched or not, the distribution has the same leaves and
 * finds the same compiled code, and a function that changes the other fields leaves NULL in it, so that it
 * can never be stale.
 */
#include <math.h>
#include <stdio.h>
#include "weft.h"

enum { DIMS = 3, STEPS = 10 };

/* a multivariate normal; tril: lower triangular, tril * its transpose is the covariance */
typedef struct {
    weft_array *mean, *tril, *cov;
} mvn;
WEFT_STRUCT(mvn, WEFT_ARRAY(mvn, mean), WEFT_ARRAY(mvn, tril), WEFT_LAZY(mvn, cov));

static weft_array *covariance(mvn *d)
{
    if (!d->cov) d->cov = weft_matmul(d->tril, weft_transpose(d->tril));
    return d->cov;
}

static weft_array *total_variance(const mvn *d)
{
    mvn own = *d; /* of one call: where this is traced, its cov is NULL */
    return weft_sum(weft_mul(covariance(&own), weft_eye(NULL, WEFT_F32, DIMS)));
}

/* log of the density at x: solves tril z = x - mean row by row. */
WEFT_SIGNATURE(log_prob_fn, weft_array *, (const mvn *d, weft_array *x));
static weft_array *log_prob(const mvn *d, weft_array *x)
{
    weft_array *z[DIMS], *sum = weft_full(NULL, WEFT_F32, -0.5 * DIMS * log(2 * 3.14159265358979323846));
    for (int i = 0; i < DIMS; i++) {
        weft_array *row = weft_take(d->tril, i, 0),
                   *rest = weft_sub(weft_take(x, i, 0), weft_take(d->mean, i, 0));
        for (int k = 0; k < i; k++) rest = weft_sub(rest, weft_mul(weft_take(row, k, 0), z[k]));
        weft_array *scale = weft_take(row, i, 0);
        z[i] = weft_div(rest, scale);
        sum = weft_sub(sum, weft_add(weft_mul(weft_square(z[i]), 0.5), weft_log(scale)));
    }
    return sum;
}

/* One step of a scan: the carry is the distribution itself. */
WEFT_SIGNATURE(track_fn, weft_array *, (mvn * d, weft_array *x));
static weft_array *track(mvn *d, weft_array *x)
{
    weft_array *before = log_prob(d, x);
    d->mean = weft_add(d->mean, weft_mul(weft_sub(x, d->mean), 0.5));
    d->tril = weft_mul(d->tril, 0.9);
    return before;
}

WEFT_SIGNATURE(wide_fn, weft_array *, (const mvn *d));
static weft_array *wide(const mvn *d) { return weft_gt(total_variance(d), 1); }
WEFT_SIGNATURE(narrow_fn, void, (mvn * d));
static void narrow(mvn *d) { d->tril = weft_mul(d->tril, 0.5); }

static void counters(weft_context *ctx, const char *when)
{
    weft_counters c = weft_stats(ctx);
    printf("%-34s traced %llu, compiled %llu, found in the cache %llu\n", when, (unsigned long long)c.traces,
           (unsigned long long)c.compiles, (unsigned long long)c.hits);
}

/* Calls f on a distribution that was not touched, and on one whose covariance has been computed: the second
 * finds the first one's code. */
#define BOTH_WAYS(what, call) \
    do { \
        mvn d = fresh; \
        call; \
        counters(ctx, what ", untouched:"); \
        uint64_t traces = weft_stats(ctx).traces; \
        d = fresh; \
        covariance(&d); \
        same &= weft_leaf_count_of(&mvn_tree, &d) == 2; \
        call; \
        counters(ctx, what ", covariance computed:"); \
        same &= weft_stats(ctx).traces == traces; \
        variance = (double)weft_item(total_variance(&d)); \
        printf("  total variance now %.5f, kept from before: %s\n", variance, d.cov ? "yes" : "no"); \
    } while (0)

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, mvn);
    weft_declare(ctx, log_prob, log_prob_fn);
    weft_declare(ctx, track, track_fn);
    weft_declare(ctx, wide, wide_fn);
    weft_declare(ctx, narrow, narrow_fn);
    log_prob_fn *density = weft_jit(ctx, log_prob);
    track_fn *over_time = weft_jit(ctx, weft_scan(ctx, track, "carry, 0"));
    narrow_fn *until_narrow = weft_jit(ctx, weft_while(ctx, wide, narrow, "carry"));

    const float tril[DIMS][DIMS] = { { 2, 0, 0 }, { 0.5f, 1, 0 }, { -1, 0.25f, 3 } },
                mean[DIMS] = { 1, -1, 0 };
    mvn fresh = { weft_from(ctx, mean, DIMS), weft_from(ctx, *tril, DIMS, DIMS), NULL };
    weft_array *x = weft_zeros(ctx, WEFT_F32, DIMS), *xs = weft_ones(ctx, WEFT_F32, STEPS, DIMS);
    double variance, before = 4 + 1.25 + 10.0625;
    bool same = true;

    BOTH_WAYS("density", density(&d, x)); /* const mvn *: nothing is changed, so the covariance stays */
    same &= fabs(variance - before) < 1e-4;
    BOTH_WAYS("scan", over_time(&d, xs)); /* mvn *: it went with the old tril */
    same &= fabs(variance - before * pow(0.81, STEPS)) < 1e-4;
    BOTH_WAYS("while", until_narrow(&d));
    same &= variance <= 1;
    printf("log density at 0: %.6f\n", weft_item(density(&fresh, x)));
    printf("%s\n", same ? "touched or not, it is the same tree" : "it differs");
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    same &= !weft_error(ctx);
    weft_close(ctx);
    return !same;
}
