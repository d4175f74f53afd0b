/* loops_train.c: values and gradients, and steps of training, derived by hand and written as the best plain C
 * we can; see loops.h. Compiled like loops.c. */
#include "loops.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The mean of gelu(x) t: its value, and its gradient by x, in one loop. */
void c_gelu_grad_1M(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, t, 1);
    OUT(float, value, 0);
    OUT(float, grad, 1);
    enum { N = 1000000 };
    float sum = 0;
    PARALLEL_SUM(sum)
    for (size_t i = 0; i < N; i++) {
        float v = x[i], u = tanhf(0.7978845608f * (v + 0.044715f * v * v * v));
        float half = 0.5f * (1 + u),
              slope = 0.5f * v * (1 - u * u) * 0.7978845608f * (1 + 3 * 0.044715f * v * v);
        sum += v * half * t[i];
        grad[i] = (half + slope) * t[i] * (1.0f / N);
    }
    *value = sum / N;
}

/* The mean of the squares of the valid elements. The gradient needs their number: a pass that sums and a pass
 * that writes. */
void c_masked_mean_grad_1M(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(uint8_t, mask, 1);
    OUT(float, value, 0);
    OUT(float, grad, 1);
    enum { N = 1000000 };
    float sum = 0;
    int32_t count = 0;
    PARALLEL_SUM(sum, count)
    for (size_t i = 0; i < N; i++) {
        sum += mask[i] ? x[i] * x[i] : 0;
        count += mask[i];
    }
    float scale = 2.0f / (float)(count > 1 ? count : 1);
    PARALLEL_FOR
    for (size_t i = 0; i < N; i++) grad[i] = mask[i] ? x[i] * scale : 0;
    *value = sum * scale * 0.5f;
}

/* ---- a perceptron 64-32-10 on a batch of 64 ---- */

/* rows of 10 are kept as rows of 16 */
enum { BATCH = 64, INPUTS = 64, HIDDEN = 32, OUTPUTS = 10, WIDE = 16 };

/* s[i][j] += left(i) * right[j]: 8 rows of sums stay in registers. */
#define MULTIPLY_ADD(s, left, right, n) \
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++) \
    { \
        const float a = left; \
        _Pragma("omp simd") for (size_t j = 0; j < n; j++) s[i][j] += a * (right)[j]; \
    }

/* h = relu(x w1 + b1), 8 rows at a time. */
static inline void forward(const float *R x, const float *R w1, const float *R b1, float *R h)
{
    for (size_t r = 0; r < BATCH; r += 8) {
        float s[8][HIDDEN] = { { 0 } };
        for (size_t k = 0; k < INPUTS; k++) MULTIPLY_ADD(s, x[(r + i) * INPUTS + k], w1 + k * HIDDEN, HIDDEN)
        for (size_t i = 0; i < 8; i++)
            for (size_t j = 0; j < HIDDEN; j++) {
                float v = s[i][j] + b1[j];
                h[(r + i) * HIDDEN + j] = v > 0 ? v : 0;
            }
    }
}

/* What the mean cross-entropy wants of the scores: (softmax(h w2 + b2) - y) / BATCH; y is one-hot. Columns
 * past the tenth: 0. */
static inline void scores(const float *R h, const float *R w2, const float *R b2, const float *R y,
                          float *R d)
{
    float w[HIDDEN][WIDE] = { { 0 } }, b[WIDE];
    for (size_t j = 0; j < WIDE; j++) b[j] = -1e30f;
    for (size_t k = 0; k < HIDDEN; k++)
        for (size_t j = 0; j < OUTPUTS; j++) w[k][j] = w2[k * OUTPUTS + j];
    for (size_t j = 0; j < OUTPUTS; j++) b[j] = b2[j];
    for (size_t r = 0; r < BATCH; r += 8) {
        float s[8][WIDE] = { { 0 } };
        for (size_t k = 0; k < HIDDEN; k++) MULTIPLY_ADD(s, h[(r + i) * HIDDEN + k], w[k], WIDE)
        for (size_t i = 0; i < 8; i++)
            for (size_t j = 0; j < WIDE; j++) d[(r + i) * WIDE + j] = s[i][j] + b[j];
    }
    float t[OUTPUTS][BATCH], most[BATCH], sum[BATCH]; /* columns: rows of 64 fill vectors */
    for (size_t j = 0; j < OUTPUTS; j++)
        for (size_t r = 0; r < BATCH; r++) t[j][r] = d[r * WIDE + j];
    for (size_t r = 0; r < BATCH; r++) most[r] = t[0][r];
    for (size_t j = 1; j < OUTPUTS; j++)
        for (size_t r = 0; r < BATCH; r++) most[r] = t[j][r] > most[r] ? t[j][r] : most[r];
    for (size_t r = 0; r < BATCH; r++) sum[r] = 0;
    for (size_t j = 0; j < OUTPUTS; j++)
        for (size_t r = 0; r < BATCH; r++) {
            t[j][r] = expf(t[j][r] - most[r]);
            sum[r] += t[j][r];
        }
    for (size_t r = 0; r < BATCH; r++) sum[r] = 1 / (sum[r] * BATCH);
    for (size_t j = 0; j < OUTPUTS; j++)
        for (size_t r = 0; r < BATCH; r++)
            d[r * WIDE + j] = t[j][r] * sum[r] - y[r * OUTPUTS + j] * (1.0f / BATCH);
    for (size_t r = 0; r < BATCH; r++)
        for (size_t j = OUTPUTS; j < WIDE; j++) d[r * WIDE + j] = 0;
}

/* The hidden layer's share: (d w2^T) where h > 0. */
static inline void backward(const float *R d, const float *R w2, const float *R h, float *R dh)
{
    float w[OUTPUTS][HIDDEN];
    for (size_t k = 0; k < HIDDEN; k++)
        for (size_t j = 0; j < OUTPUTS; j++) w[j][k] = w2[k * OUTPUTS + j];
    for (size_t r = 0; r < BATCH; r += 8) {
        float s[8][HIDDEN] = { { 0 } };
        for (size_t k = 0; k < OUTPUTS; k++) MULTIPLY_ADD(s, d[(r + i) * WIDE + k], w[k], HIDDEN)
        for (size_t i = 0; i < 8; i++)
            for (size_t j = 0; j < HIDDEN; j++)
                dh[(r + i) * HIDDEN + j] = h[(r + i) * HIDDEN + j] > 0 ? s[i][j] : 0;
    }
}

/* to = from - 0.1 x^T d for one layer; d has rows of `wide`, of which the first n count. */
#define DESCENT(name, in, n, wide) \
    static inline void name(const float *R x, const float *R d, const float *w, const float *b, float *to_w, \
                            float *to_b) \
    { \
        float sum[wide] = { 0 }; \
        for (size_t i = 0; i < BATCH; i++) \
            for (size_t j = 0; j < wide; j++) sum[j] += d[i * wide + j]; \
        for (size_t j = 0; j < n; j++) to_b[j] = b[j] - 0.1f * sum[j]; \
        for (size_t r = 0; r < in; r += 8) { \
            float s[8][wide] = { { 0 } }; \
            for (size_t k = 0; k < BATCH; k++) MULTIPLY_ADD(s, x[k * in + r + i], d + k * wide, wide) \
            for (size_t k = 0; k < 8; k++) \
                for (size_t j = 0; j < n; j++) to_w[(r + k) * n + j] = w[(r + k) * n + j] - 0.1f * s[k][j]; \
        } \
    }
DESCENT(descent1, INPUTS, HIDDEN, HIDDEN)
DESCENT(descent2, HIDDEN, OUTPUTS, WIDE)

typedef struct {
    const float *w1, *b1, *w2, *b2;
} Weights;
typedef struct {
    float *w1, *b1, *w2, *b2;
} NewWeights;

/* One step of gradient descent; the new weights may be the old ones' memory. */
static void step(Weights p, NewWeights q, const float *x, const float *y)
{
    float h[BATCH * HIDDEN], d[BATCH * WIDE], dh[BATCH * HIDDEN];
    forward(x, p.w1, p.b1, h);
    scores(h, p.w2, p.b2, y, d);
    backward(d, p.w2, h, dh);
    descent1(x, dh, p.w1, p.b1, q.w1, q.b1);
    descent2(h, d, p.w2, p.b2, q.w2, q.b2);
}

/* Model m of a stack. */
static Weights weights(const void *const *in, size_t m)
{
    IN(float, w1, 0);
    IN(float, b1, 1);
    IN(float, w2, 2);
    IN(float, b2, 3);
    return (Weights){ w1 + m * INPUTS * HIDDEN, b1 + m * HIDDEN, w2 + m * HIDDEN * OUTPUTS,
                      b2 + m * OUTPUTS };
}
static NewWeights new_weights(void *const *out, size_t m)
{
    OUT(float, w1, 0);
    OUT(float, b1, 1);
    OUT(float, w2, 2);
    OUT(float, b2, 3);
    return (NewWeights){ w1 + m * INPUTS * HIDDEN, b1 + m * HIDDEN, w2 + m * HIDDEN * OUTPUTS,
                         b2 + m * OUTPUTS };
}

void c_mlp_sgd_step(const void *const *in, void *const *out)
{
    step(weights(in, 0), new_weights(out, 0), in[4], in[5]);
}

void c_ensemble_sgd_step(const void *const *in, void *const *out)
{
    PARALLEL_FOR
    for (size_t m = 0; m < 16; m++) step(weights(in, m), new_weights(out, m), in[4], in[5]);
}

void c_mlp_epoch_scan(const void *const *in, void *const *out)
{
    IN(float, x, 4);
    IN(float, y, 5);
    Weights p = weights(in, 0);
    NewWeights q = new_weights(out, 0);
    for (size_t t = 0; t < 28; t++) {
        step(p, q, x + t * BATCH * INPUTS, y + t * BATCH * OUTPUTS);
        p = (Weights){ q.w1, q.b1, q.w2, q.b2 };
    }
}

/* ---- backwards through time ---- */

/* ys[t] = h = tanh(W h + x[t]); the mean square of all ys, and its gradient by W: all states and what reaches
 * them on the way back are kept, and the sum of outer products is one product of matrices at the end, 8 x 16
 * sums in registers. */
#define RNN_GRAD(n) \
    static float states_##n[1001][n], reached_##n[1000][n]; \
    void c_rnn##n##_1000_grad(const void *const *in, void *const *out) \
    { \
        IN(float, w, 0); \
        IN(float, x, 1); \
        OUT(float, value, 0); \
        OUT(float, grad, 1); \
        float back[n] = { 0 }, h[n] = { 0 }, sum = 0; \
        for (size_t t = 0; t < 1000; t++) { \
            float a[n]; \
            for (size_t i = 0; i < n; i++) { \
                a[i] = x[t * n + i]; \
                for (size_t j = 0; j < n; j++) a[i] += w[i * n + j] * h[j]; \
            } \
            for (size_t i = 0; i < n; i++) h[i] = tanhf(a[i]); \
            memcpy(states_##n[t + 1], h, sizeof h); \
        } \
        for (size_t t = 0; t < 1000; t++) \
            for (size_t i = 0; i < n; i++) sum += states_##n[t + 1][i] * states_##n[t + 1][i]; \
        *value = sum / (1000 * n); \
        for (size_t t = 1000; t-- > 0;) { \
            const float *R y = states_##n[t + 1]; \
            float d[n]; \
            for (size_t i = 0; i < n; i++) \
                d[i] = (back[i] + y[i] * (2.0f / (1000 * n))) * (1 - y[i] * y[i]); \
            for (size_t j = 0; j < n; j++) back[j] = 0; \
            for (size_t i = 0; i < n; i++) \
                for (size_t j = 0; j < n; j++) back[j] += d[i] * w[i * n + j]; \
            memcpy(reached_##n[t], d, sizeof d); \
        } \
        PARALLEL_FOR_IF(n > 16) \
        for (size_t r = 0; r < n; r += 8) \
            for (size_t c = 0; c < n; c += 16) { \
                float s[8][16] = { { 0 } }; \
                for (size_t t = 0; t < 1000; t++) \
                    MULTIPLY_ADD(s, reached_##n[t][r + i], states_##n[t] + c, 16) \
                for (size_t i = 0; i < 8; i++) \
                    for (size_t j = 0; j < 16; j++) grad[(r + i) * n + c + j] = s[i][j]; \
            } \
    }
RNN_GRAD(16)
RNN_GRAD(128)
