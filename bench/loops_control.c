/* loops_control.c: a call, loops and recurrences as the best plain C we can write; see loops.h. Compiled like
 * loops.c. */
#include "loops.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void c_call_add_8(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, y, 1);
    OUT(float, o, 0);
    for (int i = 0; i < 8; i++) o[i] = x[i] + y[i];
}

/* One pole: what one step needs of the one before is the whole of its time. */
void c_iir_100k(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, y, 0);
    float s = 0;
    for (size_t t = 0; t < 100000; t++) {
        s = 0.9f * s + 0.1f * x[t];
        y[t] = s;
    }
}

void c_scan_1M(const void *const *in, void *const *out)
{
    IN(float, start, 0);
    OUT(float, end, 0);
    float s = *start;
    for (size_t t = 0; t < 1000000; t++) s = s * 0.999f + 1.0f;
    *end = s;
}

/* h = tanh(W h + x), W as (out, in). */
#define RNN(n) \
    void c_rnn##n##_1000(const void *const *in, void *const *out) \
    { \
        IN(float, w, 0); \
        IN(float, x, 1); \
        OUT(float, ys, 0); \
        float h[n] = { 0 }; \
        for (size_t t = 0; t < 1000; t++) { \
            float a[n]; \
            for (size_t i = 0; i < n; i++) { \
                a[i] = x[t * n + i]; \
                for (size_t j = 0; j < n; j++) a[i] += w[i * n + j] * h[j]; \
            } \
            for (size_t i = 0; i < n; i++) h[i] = tanhf(a[i]); \
            memcpy(ys + t * n, h, sizeof h); \
        } \
    }
RNN(16)
RNN(128)

/* 16 points side by side; the block is done when all of them are. */
void c_mandelbrot_512(const void *const *in, void *const *out)
{
    IN(float, xs, 0);
    IN(float, ys, 1);
    OUT(int32_t, counts, 0);
    enum { LANES = 16 };
    PARALLEL_FOR_UNEVEN
    for (size_t r = 0; r < 512; r++) {
        const float y = ys[r] + 0.5f;
        for (size_t c = 0; c < 512; c += LANES) {
            float a[LANES], b[LANES];
            int32_t n[LANES], alive = LANES;
            for (int i = 0; i < LANES; i++) a[i] = b[i] = 0, n[i] = 0;
            for (int step = 0; step < 100 && alive; step++) {
                alive = 0;
                for (int i = 0; i < LANES; i++) {
                    float aa = a[i] * a[i], bb = b[i] * b[i];
                    int go = aa + bb <= 4.0f;
                    float next_b = 2.0f * a[i] * b[i] + y, next_a = aa - bb + xs[c + i];
                    a[i] = go ? next_a : a[i];
                    b[i] = go ? next_b : b[i];
                    n[i] += go;
                    alive += go;
                }
            }
            for (int i = 0; i < LANES; i++) counts[r * 512 + c + i] = n[i];
        }
    }
}

void c_jacobi2d_256_100(const void *const *in, void *const *out)
{
    enum { N = 256 };
    static float other[N * N];
    memcpy(out[0], in[0], sizeof other);
    memcpy(other, in[0], sizeof other);
    PARALLEL
    for (int step = 0; step < 100; step++) {
        const float *R x = step % 2 ? other : out[0];
        float *R y = step % 2 ? out[0] : other;
        SHARED_FOR
        for (size_t i = 1; i < N - 1; i++)
            for (size_t j = 1; j < N - 1; j++)
                y[i * N + j] = 0.2f * (x[i * N + j] + x[i * N + j - 1] + x[i * N + j + 1] +
                                       x[(i + 1) * N + j] + x[(i - 1) * N + j]);
    }
}

/* Both directions of an edge at once, from the labels of the step before. */
void c_labels_10k(const void *const *in, void *const *out)
{
    enum { NODES = 10000, EDGES = 50000 };
    IN(int32_t, a, 1);
    IN(int32_t, b, 2);
    static int32_t before[NODES];
    int32_t *R label = out[0];
    memcpy(label, in[0], sizeof before);
    for (int step = 0; step < 10; step++) {
        memcpy(before, label, sizeof before);
        for (size_t i = 0; i < EDGES; i++) {
            int32_t x = before[a[i]], y = before[b[i]];
            label[a[i]] = y < label[a[i]] ? y : label[a[i]];
            label[b[i]] = x < label[b[i]] ? x : label[b[i]];
        }
    }
}

/* 16 perceptrons 64-32-10, each on the same batch of 64; weights as (in, out). */
void c_ensemble_mlp(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, w1, 1);
    IN(float, b1, 2);
    IN(float, w2, 3);
    IN(float, b2, 4);
    OUT(float, o, 0);
    enum { MODELS = 16, BATCH = 64, INPUTS = 64, HIDDEN = 32, OUTPUTS = 10 };
    PARALLEL_FOR
    for (size_t m = 0; m < MODELS; m++)
        for (size_t k = 0; k < BATCH; k++) {
            float h[HIDDEN], z[OUTPUTS];
            for (size_t j = 0; j < HIDDEN; j++) h[j] = b1[m * HIDDEN + j];
            for (size_t i = 0; i < INPUTS; i++)
                for (size_t j = 0; j < HIDDEN; j++)
                    h[j] += x[k * INPUTS + i] * w1[(m * INPUTS + i) * HIDDEN + j];
            for (size_t j = 0; j < HIDDEN; j++) h[j] = h[j] > 0 ? h[j] : 0;
            for (size_t j = 0; j < OUTPUTS; j++) z[j] = b2[m * OUTPUTS + j];
            for (size_t i = 0; i < HIDDEN; i++)
                for (size_t j = 0; j < OUTPUTS; j++) z[j] += h[i] * w2[(m * HIDDEN + i) * OUTPUTS + j];
            for (size_t j = 0; j < OUTPUTS; j++) o[(m * BATCH + k) * OUTPUTS + j] = z[j];
        }
}
