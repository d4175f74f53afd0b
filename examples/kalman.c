/* kalman.c: a Kalman filter as a scan over time, written for one step of one track; vmap runs it on many
 * tracks.
 *
 * State: position and speed. A measurement sees the position with noise. */
#include <math.h>
#include <stdio.h>
#include "weft.h"

enum { TRACKS = 100, STEPS = 200 };

typedef struct {
    weft_array *mean, *cov;
} belief; /* [2] and [2,2] */
typedef struct {
    weft_array *motion, *drift, *noise;
} model; /* [2,2], [2,2] and one number */
WEFT_STRUCT(belief, WEFT_ARRAY(belief, mean), WEFT_ARRAY(belief, cov));
WEFT_STRUCT(model, WEFT_ARRAY(model, motion), WEFT_ARRAY(model, drift), WEFT_ARRAY(model, noise));

/* One step: predict, then correct by measurement z. Returns the filtered position. */
WEFT_SIGNATURE(filter_fn, weft_array *, (const model *m, belief *b, weft_array *z));
static weft_array *filter(const model *m, belief *b, weft_array *z)
{
    weft_array *mean = weft_matmul(m->motion, b->mean);
    weft_array *cov =
        weft_add(weft_matmul(weft_matmul(m->motion, b->cov), weft_transpose(m->motion)), m->drift);
    weft_array *column = weft_at(cov, ":, 0"); /* of what the measurement sees: the position */
    weft_array *gain = weft_div(column, weft_add(weft_at(cov, "0, 0"), m->noise));
    b->mean = weft_add(mean, weft_mul(gain, weft_sub(z, weft_at(mean, "0"))));
    b->cov = weft_sub(cov, weft_outer(gain, weft_at(cov, "0, :")));
    return weft_at(b->mean, "0");
}

static float noise(void)
{
    static unsigned s = 1;
    float sum = 0;
    for (int i = 0; i < 12; i++) s = s * 1664525u + 1013904223u, sum += (float)(s >> 8) / (1 << 24);
    return sum - 6; /* about normal */
}

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, belief);
    weft_describe(ctx, model);
    weft_declare(ctx, filter, filter_fn);
    filter_fn *track = weft_scan(ctx, filter, "none, carry, 0"); /* all steps of one track ... */
    /* ... of all tracks: they share the first covariance */
    filter_fn *tracks = weft_jit(ctx, weft_vmap(ctx, track, "none, {mean: 0, cov: none}, 0"));

    static float truth[TRACKS][STEPS], seen[TRACKS][STEPS];
    for (int k = 0; k < TRACKS; k++)
        for (int t = 0; t < STEPS; t++) {
            truth[k][t] = 0.1f * (float)(k + 1) * (float)t / STEPS + sinf((float)t * 0.05f);
            seen[k][t] = truth[k][t] + 0.5f * noise();
        }
    const float motion[2][2] = { { 1, 1 }, { 0, 1 } }, drift[2][2] = { { 1e-5f, 0 }, { 0, 1e-4f } },
                start[TRACKS][2] = { { 0 } }, wide[2][2] = { { 1, 0 }, { 0, 1 } };
    model m = { weft_from(ctx, *motion, 2, 2), weft_from(ctx, *drift, 2, 2), weft_scalar(ctx, 0.25) };
    belief b = { weft_from(ctx, *start, TRACKS, 2), weft_from(ctx, *wide, 2, 2) };
    weft_array *filtered = tracks(&m, &b, weft_from(ctx, *seen, TRACKS, STEPS));
    if (!filtered) {
        fprintf(stderr, "%s\n", weft_error(ctx));
        weft_clear(ctx);
        weft_close(ctx);
        return 1;
    }

    double before = 0, after = 0;
    for (int k = 0; k < TRACKS; k++)
        for (int t = 0; t < STEPS; t++) {
            before += pow(seen[k][t] - truth[k][t], 2);
            after += pow(weft_f32(filtered)[k * STEPS + t] - truth[k][t], 2);
        }
    before = sqrt(before / (TRACKS * STEPS));
    after = sqrt(after / (TRACKS * STEPS));
    printf("%d tracks of %d steps: error of the measurements %.3f, of the filter %.3f\n", TRACKS, STEPS,
           before, after);
    printf("the covariances, batched or not: "), weft_print(weft_at(b.cov, "0"));
    weft_close(ctx);
    return !(after < 0.6 * before);
}
