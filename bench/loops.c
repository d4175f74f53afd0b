/* loops.c: see loops.h. Compiled with -O3 -march=native -mprefer-vector-width=512 -ffast-math -fopenmp-simd:
 * gcc vectorizes these loops and calls its libmvec for exp, log, sin and tanh. Linked without -ffast-math. */
#include "loops.h"
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define R                  restrict
#define IN(type, name, k)  const type *R name = in[k]
#define OUT(type, name, k) type *R name = out[k]
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static inline void chain20(const float *R x, float *R o, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float y = x[i];
        for (int j = 0; j < 5; j++) {
            y = y * 1.0001f + x[i];
            float floor_ = -3.f + (float)j;
            y = (y > floor_ ? y : floor_) - 0.5f * x[i];
        }
        o[i] = y;
    }
}
void c_chain20_1M(const void *const *in, void *const *out) { chain20(in[0], out[0], 1000000); }
void c_chain20_1k(const void *const *in, void *const *out) { chain20(in[0], out[0], 1024); }

void c_add_8(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, y, 1);
    OUT(float, o, 0);
    for (int i = 0; i < 8; i++) o[i] = x[i] + y[i];
}

#define MAP(name, n, expression) \
    void c_##name(const void *const *in, void *const *out) \
    { \
        IN(float, x, 0); \
        OUT(float, o, 0); \
        for (size_t i = 0; i < (n); i++) o[i] = (expression); \
    }
MAP(exp_16k, 16384, expf(x[i]))
MAP(log_16k, 16384, logf(x[i]))
MAP(sin_16k, 16384, sinf(x[i]))
MAP(tanh_16k, 16384, tanhf(x[i]))
MAP(exp_1M, 1000000, expf(x[i]))
MAP(log_1M, 1000000, logf(x[i]))
MAP(sin_1M, 1000000, sinf(x[i]))
MAP(gelu_1M, 1000000, 0.5f * x[i] * (1 + tanhf(0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]))))

void c_black_scholes_1M(const void *const *in, void *const *out)
{
    IN(float, s, 0);
    IN(float, k, 1);
    IN(float, t, 2);
    OUT(float, o, 0);
    const float r = 0.05f, v = 0.2f;
    for (size_t i = 0; i < 1000000; i++) {
        float root = v * sqrtf(t[i]), d1 = (logf(s[i] / k[i]) + (r + v * v / 2) * t[i]) / root,
              d2 = d1 - root;
        float n1 = 0.5f * (1 + erff(d1 * 0.70710678f)), n2 = 0.5f * (1 + erff(d2 * 0.70710678f));
        o[i] = s[i] * n1 - k[i] * expf(-r * t[i]) * n2;
    }
}

static inline void softmax(const float *R x, float *R o, int rows, int n)
{
    for (int i = 0; i < rows; i++, x += n, o += n) {
        float m = -FLT_MAX, s = 0;
        for (int j = 0; j < n; j++) m = fmaxf(m, x[j]);
        for (int j = 0; j < n; j++) {
            o[j] = expf(x[j] - m);
            s += o[j];
        }
        s = 1 / s;
        for (int j = 0; j < n; j++) o[j] *= s;
    }
}
void c_softmax_4096x1000(const void *const *in, void *const *out) { softmax(in[0], out[0], 4096, 1000); }
void c_softmax_128x128(const void *const *in, void *const *out) { softmax(in[0], out[0], 128, 128); }

void c_layernorm_4096x768(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, g, 1);
    IN(float, b, 2);
    OUT(float, o, 0);
    enum { N = 768 };
    for (int i = 0; i < 4096; i++, x += N, o += N) {
        float s = 0, v = 0;
        for (int j = 0; j < N; j++) s += x[j];
        s /= N;
        for (int j = 0; j < N; j++) {
            float d = x[j] - s;
            v += d * d;
        }
        v = 1 / sqrtf(v / N + 1e-5f);
        for (int j = 0; j < N; j++) o[j] = (x[j] - s) * v * g[j] + b[j];
    }
}

void c_logsumexp_4096x1000(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    enum { N = 1000 };
    for (int i = 0; i < 4096; i++, x += N) {
        float m = -FLT_MAX, s = 0;
        for (int j = 0; j < N; j++) m = fmaxf(m, x[j]);
        for (int j = 0; j < N; j++) s += expf(x[j] - m);
        o[i] = m + logf(s);
    }
}

void c_sum_4M(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    float s = 0;
    for (size_t i = 0; i < 4000000; i++) s += x[i];
    *o = s;
}

void c_sum_axis0_2000(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    memset(o, 0, 2000 * sizeof *o);
    for (int i = 0; i < 2000; i++, x += 2000)
        for (int j = 0; j < 2000; j++) o[j] += x[j];
}

void c_sum_axis1_2000(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    for (int i = 0; i < 2000; i++, x += 2000) {
        float s = 0;
        for (int j = 0; j < 2000; j++) s += x[j];
        o[i] = s;
    }
}

void c_argmax_rows_4096x1000(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(int32_t, o, 0);
    enum { N = 1000 };
    for (int i = 0; i < 4096; i++, x += N) {
        float m = -FLT_MAX;
        int k = N;
        for (int j = 0; j < N; j++) m = fmaxf(m, x[j]);
        for (int j = 0; j < N; j++) {
            int c = x[j] == m ? j : N;
            k = c < k ? c : k;
        }
        o[i] = k;
    }
}

void c_transpose_add_2048(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, y, 1);
    OUT(float, o, 0);
    enum { N = 2048, T = 16 };
    for (int ii = 0; ii < N; ii += T)
        for (int jj = 0; jj < N; jj += T) {
            float t[T][T];
            for (int j = 0; j < T; j++)
                for (int i = 0; i < T; i++) t[j][i] = x[(size_t)(jj + j) * N + ii + i];
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++)
                    o[(size_t)(ii + i) * N + jj + j] = t[j][i] + y[(size_t)(ii + i) * N + jj + j];
        }
}

static inline float distance(const float *R a, const float *R b)
{
    float s = 0;
    for (int k = 0; k < 64; k++) {
        float d = a[k] - b[k];
        s += d * d;
    }
    return s;
}
void c_pairwise_dist(const void *const *in, void *const *out)
{
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, o, 0);
    for (int i = 0; i < 1797; i++)
        for (int j = 0; j < 1797; j++) o[(size_t)i * 1797 + j] = distance(a + i * 64, b + j * 64);
}
void c_pairwise_argmin(const void *const *in, void *const *out)
{
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(int32_t, o, 0);
    for (int i = 0; i < 1797; i++) {
        float best = FLT_MAX;
        int at = 0;
        for (int j = 0; j < 1797; j++) {
            float s = distance(a + i * 64, b + j * 64);
            if (s < best) {
                best = s;
                at = j;
            }
        }
        o[i] = at;
    }
}

/* c[m,n] = a[m,k] b[k,n], in tiles of 8 rows by 32 columns held in registers. Kept apart: with the sizes
 * known gcc 12 unrolls it out of its registers. */
APART static void matmul(const float *R a, const float *R b, float *R c, int m, int n, int k)
{
    enum { I = 8, J = 32 };
    for (int jj = 0; jj < n; jj += J)
        for (int ii = 0; ii < m; ii += I) {
            float s[I][J] = { { 0 } };
            for (int p = 0; p < k; p++)
                for (int i = 0; i < I; i++)
                    for (int j = 0; j < J; j++)
                        s[i][j] += a[(size_t)(ii + i) * k + p] * b[(size_t)p * n + jj + j];
            for (int i = 0; i < I; i++)
                for (int j = 0; j < J; j++) c[(size_t)(ii + i) * n + jj + j] = s[i][j];
        }
}
void c_matmul_512(const void *const *in, void *const *out) { matmul(in[0], in[1], out[0], 512, 512, 512); }
void c_matmul_64(const void *const *in, void *const *out) { matmul(in[0], in[1], out[0], 64, 64, 64); }
void c_dense_relu(const void *const *in, void *const *out)
{
    IN(float, bias, 2);
    OUT(float, o, 0);
    matmul(in[0], in[1], o, 256, 128, 784);
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 128; j++) {
            float v = o[i * 128 + j] + bias[j];
            o[i * 128 + j] = v > 0 ? v : 0;
        }
}

void c_matvec_1024(const void *const *in, void *const *out)
{
    IN(float, a, 0);
    IN(float, x, 1);
    OUT(float, o, 0);
    for (int i = 0; i < 1024; i += 4) {
        float s[4] = { 0 };
        for (int k = 0; k < 1024; k++)
            for (int r = 0; r < 4; r++) s[r] += a[(i + r) * 1024 + k] * x[k];
        for (int r = 0; r < 4; r++) o[i + r] = s[r];
    }
}

void c_bmm_1000x16x16(const void *const *in, void *const *out)
{
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, o, 0);
    for (int q = 0; q < 1000; q++, a += 256, b += 256, o += 256)
        for (int ii = 0; ii < 16; ii += 8) {
            float s[8][16] = { { 0 } };
            for (int k = 0; k < 16; k++)
                for (int i = 0; i < 8; i++)
                    for (int j = 0; j < 16; j++) s[i][j] += a[(ii + i) * 16 + k] * b[k * 16 + j];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 16; j++) o[(ii + i) * 16 + j] = s[i][j];
        }
}

void c_nbody_1024(const void *const *in, void *const *out)
{
    IN(float, p, 0);
    IN(float, m, 1);
    OUT(float, o, 0);
    enum { N = 1024 };
    for (int i = 0; i < N; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            float dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1],
                  dz = p[3 * j + 2] - p[3 * i + 2];
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f, w = m[j] / (sqrtf(r2) * r2);
            ax += dx * w;
            ay += dy * w;
            az += dz * w;
        }
        o[3 * i] = ax;
        o[3 * i + 1] = ay;
        o[3 * i + 2] = az;
    }
}

/* In blocks: seven streams at once are more than the prefetcher follows. */
APART static void adam(const float *R p, const float *R g, const float *R m, const float *R v, float *R op,
                       float *R om, float *R ov)
{
    enum { B = 64 };
    for (size_t k = 0; k < 1000000; k += B) {
        for (size_t i = k; i < k + B; i++) om[i] = .9f * m[i] + .1f * g[i];
        for (size_t i = k; i < k + B; i++) ov[i] = .999f * v[i] + .001f * g[i] * g[i];
        for (size_t i = k; i < k + B; i++) op[i] = p[i] - 1e-3f * om[i] / (sqrtf(ov[i]) + 1e-8f);
    }
}
void c_adam_1M(const void *const *in, void *const *out)
{
    adam(in[0], in[1], in[2], in[3], out[0], out[1], out[2]);
}

void c_gather_rows(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(int32_t, at, 1);
    OUT(float, o, 0);
    float s[64] = { 0 };
    for (int i = 0; i < 100000; i++) {
        const float *r = x + (size_t)at[i] * 64;
        for (int j = 0; j < 64; j++) s[j] += r[j];
    }
    memcpy(o, s, sizeof s);
}
