/* loops.c: see loops.h. Compiled with -O3 -ffast-math -fopenmp-simd for each target: gcc vectorizes these
 * loops and calls its libmvec for exp, log, sin and tanh. On REAL: loops_f64.c is the same on f64. */
#include "loops.h"
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static inline REAL chain20(REAL x)
{
    REAL y = x;
    for (int j = 0; j < 5; j++) {
        y = y * K(1.0001) + x;
        REAL floor_ = -K(3.) + (REAL)j;
        y = (y > floor_ ? y : floor_) - K(0.5) * x;
    }
    return y;
}

/* share: PARALLEL_FOR or ALONE. */
#define ALONE
#define MAP(share, name, n, expression) \
    void C_LOOP(name)(const void *const *in, void *const *out) \
    { \
        IN(REAL, x, 0); \
        OUT(REAL, o, 0); \
        share for (size_t i = 0; i < (n); i++) o[i] = (expression); \
    }
MAP(ALONE, chain20_1k, 1024, chain20(x[i]))
MAP(PARALLEL_FOR, chain20_1M, 1000000, chain20(x[i]))

/* Complex numbers by their parts: with float _Complex each product would be a call, for infinities' sake. */
#ifndef WEFT_LOOPS_F64
void c_complex_madd_1M(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, a, 1);
    IN(float, b, 2);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (size_t i = 0; i < 2000000; i += 2) {
        float re = x[i], im = x[i + 1];
        for (int j = 0; j < 4; j++) {
            float next = re * a[i] - im * a[i + 1] + b[i];
            im = re * a[i + 1] + im * a[i] + b[i + 1];
            re = next;
        }
        o[i] = re;
        o[i + 1] = im;
    }
}

/* log(sum(exp(x))) of all elements so far of each row */
void c_cumlogsumexp_1000x300(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (size_t i = 0; i < 300000; i += 300) {
        float s = o[i] = x[i];
        for (size_t j = i + 1; j < i + 300; j++) {
            float most = s > x[j] ? s : x[j];
            o[j] = s = most + log1p(exp(-fabs(s - x[j])));
        }
    }
}

/* a / b * |b|, in double, where no square is out of range */
void c_complex_ratio_64k(const void *const *in, void *const *out)
{
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (size_t i = 0; i < 131072; i += 2) {
        double x = a[i], y = a[i + 1], u = b[i], v = b[i + 1], by = 1 / (u * u + v * v);
        float re = (float)((x * u + y * v) * by), im = (float)((y * u - x * v) * by);
        float size = (float)sqrt(u * u + v * v);
        o[i] = re * size;
        o[i + 1] = im * size;
    }
}

void c_complex_matmul_64(const void *const *in, void *const *out)
{
    enum { N = 64 };
    IN(float, a, 0);
    IN(float, b, 1);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < N; i++) {
        float re[N] = { 0 }, im[N] = { 0 };
        for (int k = 0; k < N; k++) {
            const float *row = b + (size_t)k * 2 * N;
            float x = a[(i * N + k) * 2], y = a[(i * N + k) * 2 + 1];
            for (int j = 0; j < N; j++) {
                re[j] += x * row[2 * j] - y * row[2 * j + 1];
                im[j] += x * row[2 * j + 1] + y * row[2 * j];
            }
        }
        for (int j = 0; j < N; j++) o[(i * N + j) * 2] = re[j], o[(i * N + j) * 2 + 1] = im[j];
    }
}
#endif

MAP(ALONE, exp_16k, 16384, exp(x[i]))
MAP(ALONE, log_16k, 16384, log(x[i]))
MAP(ALONE, sin_16k, 16384, sin(x[i]))
MAP(ALONE, tanh_16k, 16384, tanh(x[i]))
MAP(PARALLEL_FOR, exp_1M, 1000000, exp(x[i]))
MAP(PARALLEL_FOR, log_1M, 1000000, log(x[i]))
MAP(PARALLEL_FOR, sin_1M, 1000000, sin(x[i]))
MAP(PARALLEL_FOR, tanh_1M, 1000000, tanh(x[i]))
MAP(PARALLEL_FOR, gelu_1M, 1000000,
    K(0.5) * x[i] * (1 + tanh(K(0.7978845608) * (x[i] + K(0.044715) * x[i] * x[i] * x[i]))))

void C_LOOP(black_scholes_1M)(const void *const *in, void *const *out)
{
    IN(REAL, s, 0);
    IN(REAL, k, 1);
    IN(REAL, t, 2);
    OUT(REAL, o, 0);
    const REAL r = K(0.05), v = K(0.2);
    PARALLEL_FOR
    for (size_t i = 0; i < 1000000; i++) {
        REAL root = v * sqrt(t[i]), d1 = (log(s[i] / k[i]) + (r + v * v / 2) * t[i]) / root, d2 = d1 - root;
        REAL n1 = K(0.5) * (1 + erf(d1 * K(0.70710678))), n2 = K(0.5) * (1 + erf(d2 * K(0.70710678)));
        o[i] = s[i] * n1 - k[i] * exp(-r * t[i]) * n2;
    }
}

static inline void softmax_row(const REAL *R x, REAL *R o, int n)
{
    REAL m = -REAL_MAX, s = 0;
    for (int j = 0; j < n; j++) m = fmax(m, x[j]);
    for (int j = 0; j < n; j++) {
        o[j] = exp(x[j] - m);
        s += o[j];
    }
    s = 1 / s;
    for (int j = 0; j < n; j++) o[j] *= s;
}
#define SOFTMAX(share, rows, n) \
    void C_LOOP(softmax_##rows##x##n)(const void *const *in, void *const *out) \
    { \
        IN(REAL, x, 0); \
        OUT(REAL, o, 0); \
        share for (int i = 0; i < rows; i++) softmax_row(x + i * n, o + i * n, n); \
    }
SOFTMAX(ALONE, 128, 128)
SOFTMAX(PARALLEL_FOR, 4096, 1000)

static inline void layernorm_row(const REAL *R x, const REAL *R g, const REAL *R b, REAL *R o, int n)
{
    REAL s = 0, v = 0;
    for (int j = 0; j < n; j++) s += x[j];
    s /= (REAL)n;
    for (int j = 0; j < n; j++) {
        REAL d = x[j] - s;
        v += d * d;
    }
    v = 1 / sqrt(v / (REAL)n + K(1e-5));
    for (int j = 0; j < n; j++) o[j] = (x[j] - s) * v * g[j] + b[j];
}
void C_LOOP(layernorm_4096x768)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    enum { N = 768 };
    PARALLEL_FOR
    for (int i = 0; i < 4096; i++) layernorm_row(x + i * N, in[1], in[2], o + i * N, N);
}

void C_LOOP(logsumexp_4096x1000)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    enum { N = 1000 };
    PARALLEL_FOR
    for (int i = 0; i < 4096; i++) {
        const REAL *R row = x + i * N;
        REAL m = -REAL_MAX, s = 0;
        for (int j = 0; j < N; j++) m = fmax(m, row[j]);
        for (int j = 0; j < N; j++) s += exp(row[j] - m);
        o[i] = m + log(s);
    }
}

void C_LOOP(sum_4M)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    REAL s = 0;
    PARALLEL_SUM(s)
    for (size_t i = 0; i < 4000000; i++) s += x[i];
    *o = s;
}

/* Each thread has columns of its own. */
void C_LOOP(sum_axis0_2000)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    PARALLEL_FOR
    for (size_t k = 0; k < THREADS; k++) {
        size_t begin = BEGIN(k, 2000), end = BEGIN(k + 1, 2000);
        memset(o + begin, 0, (end - begin) * sizeof *o);
        for (size_t i = 0; i < 2000; i++)
            for (size_t j = begin; j < end; j++) o[j] += x[i * 2000 + j];
    }
}

void C_LOOP(sum_axis1_2000)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 2000; i++) {
        REAL s = 0;
        for (int j = 0; j < 2000; j++) s += x[i * 2000 + j];
        o[i] = s;
    }
}

void C_LOOP(argmax_rows_4096x1000)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(int32_t, o, 0);
    enum { N = 1000 };
    PARALLEL_FOR
    for (int i = 0; i < 4096; i++) {
        const REAL *R row = x + i * N;
        REAL m = -REAL_MAX;
        int k = N;
        for (int j = 0; j < N; j++) m = fmax(m, row[j]);
        for (int j = 0; j < N; j++) {
            int c = row[j] == m ? j : N;
            k = c < k ? c : k;
        }
        o[i] = k;
    }
}

void C_LOOP(transpose_add_2048)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    IN(REAL, y, 1);
    OUT(REAL, o, 0);
    enum { N = 2048, T = 16 };
    PARALLEL_FOR
    for (int ii = 0; ii < N; ii += T)
        for (int jj = 0; jj < N; jj += T) {
            REAL t[T][T];
            for (int j = 0; j < T; j++)
                for (int i = 0; i < T; i++) t[j][i] = x[(size_t)(jj + j) * N + ii + i];
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++)
                    o[(size_t)(ii + i) * N + jj + j] = t[j][i] + y[(size_t)(ii + i) * N + jj + j];
        }
}

/* l l^T x = b of 8 x 8 */
static inline void solve_8x8(const REAL *R a, const REAL *R b, REAL *R x)
{
    REAL l[8][8];
    for (int j = 0; j < 8; j++)
        for (int i = j; i < 8; i++) {
            REAL s = K(0.5) * (a[i * 8 + j] + a[j * 8 + i]) + (i == j ? 8 : 0);
            for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
        }
    for (int i = 0; i < 8; i++) {
        REAL s = b[i];
        for (int k = 0; k < i; k++) s -= l[i][k] * x[k];
        x[i] = s / l[i][i];
    }
    for (int i = 8; i-- > 0;) {
        REAL s = x[i];
        for (int k = i + 1; k < 8; k++) s -= l[k][i] * x[k];
        x[i] = s / l[i][i];
    }
}
void C_LOOP(solve_10k_8x8)(const void *const *in, void *const *out)
{
    IN(REAL, a, 0);
    IN(REAL, b, 1);
    OUT(REAL, x, 0);
    PARALLEL_FOR
    for (int i = 0; i < 10000; i++) solve_8x8(a + (size_t)i * 64, b + (size_t)i * 8, x + (size_t)i * 8);
}

static inline REAL distance(const REAL *R a, const REAL *R b)
{
    REAL s = 0;
    for (int k = 0; k < 64; k++) {
        REAL d = a[k] - b[k];
        s += d * d;
    }
    return s;
}
void C_LOOP(pairwise_dist)(const void *const *in, void *const *out)
{
    IN(REAL, a, 0);
    IN(REAL, b, 1);
    OUT(REAL, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 1797; i++)
        for (int j = 0; j < 1797; j++) o[(size_t)i * 1797 + j] = distance(a + i * 64, b + j * 64);
}
void C_LOOP(pairwise_argmin)(const void *const *in, void *const *out)
{
    IN(REAL, a, 0);
    IN(REAL, b, 1);
    OUT(int32_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 1797; i++) {
        REAL best = REAL_MAX;
        int at = 0;
        for (int j = 0; j < 1797; j++) {
            REAL s = distance(a + i * 64, b + j * 64);
            if (s < best) {
                best = s;
                at = j;
            }
        }
        o[i] = at;
    }
}

/* c[m,n] = a[m,k] b[k,n], where an element of a is ai after the one above and ak after the one before, b's
 * likewise. Tiles of c are held in registers while KB rows of b, which are put side by side first, pass by;
 * each thread has strips of its own.
 * Kept apart: with the sizes known gcc 12 unrolls the tile out of its registers. */
typedef REAL Vector __attribute__((vector_size(VECTOR)));
enum { KB = 256, TILE_I = VECTOR == 64 ? 8 : 4, TILE_J = 2 * sizeof(Vector) / sizeof(REAL) };
APART static void tile(const REAL *R a, size_t ai, size_t ak, Vector (*R b)[2], REAL *R c, size_t n, size_t k,
                       int first)
{
    Vector s[TILE_I][2] = { { { 0 } } };
    for (size_t p = 0; p < k; p++)
#pragma GCC unroll 8
        for (size_t i = 0; i < TILE_I; i++) {
            REAL x = a[i * ai + p * ak];
            s[i][0] += x * b[p][0];
            s[i][1] += x * b[p][1];
        }
    for (size_t i = 0; i < TILE_I; i++)
        for (size_t j = 0; j < 2; j++) {
            Vector *to = (Vector *)(c + i * n) + j;
            *to = first ? s[i][j] : *to + s[i][j];
        }
}
static void product(const REAL *R a, size_t ai, size_t ak, const REAL *R b, size_t bk, size_t bj, REAL *R c,
                    size_t m, size_t n, size_t k)
{
    for (size_t kk = 0; kk < k; kk += KB) {
        size_t rows = k - kk < KB ? k - kk : KB;
        PARALLEL_FOR_IF(m * n * k >= 1 << 20)
        for (size_t j = 0; j < n; j += TILE_J) {
            OWN Vector strip[KB][2];
            for (size_t p = 0; p < rows; p++)
                for (size_t q = 0; q < TILE_J; q++) ((REAL *)strip[p])[q] = b[(kk + p) * bk + (j + q) * bj];
            for (size_t i = 0; i < m; i += TILE_I)
                tile(a + i * ai + kk * ak, ai, ak, strip, c + i * n + j, n, rows, kk == 0);
        }
    }
}
static void matmul(const REAL *R a, const REAL *R b, REAL *R c, size_t m, size_t n, size_t k)
{
    product(a, k, 1, b, n, 1, c, m, n, k);
}
#define MATMUL(n) \
    void C_LOOP(matmul_##n)(const void *const *in, void *const *out) \
    { \
        matmul(in[0], in[1], out[0], n, n, n); \
    }
MATMUL(64)
MATMUL(128)
MATMUL(256)
MATMUL(512)
MATMUL(1024)
MATMUL(2048)
MATMUL(4096)
void C_LOOP(matmul_tn_512)(const void *const *in, void *const *out)
{
    product(in[0], 1, 512, in[1], 512, 1, out[0], 512, 512, 512);
}
void C_LOOP(matmul_nt_512)(const void *const *in, void *const *out)
{
    product(in[0], 512, 1, in[1], 1, 512, out[0], 512, 512, 512);
}
void C_LOOP(bmm_16x128x128)(const void *const *in, void *const *out)
{
    IN(REAL, a, 0);
    IN(REAL, b, 1);
    OUT(REAL, o, 0);
    enum { N = 128, ONE = N * N };
    PARALLEL_FOR
    for (int i = 0; i < 16; i++) matmul(a + i * ONE, b + i * ONE, o + i * ONE, N, N, N);
}
void C_LOOP(dense_relu)(const void *const *in, void *const *out)
{
    IN(REAL, bias, 2);
    OUT(REAL, o, 0);
    matmul(in[0], in[1], o, 256, 128, 784);
    PARALLEL_FOR
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 128; j++) {
            REAL v = o[i * 128 + j] + bias[j];
            o[i * 128 + j] = v > 0 ? v : 0;
        }
}

void C_LOOP(gated_dense)(const void *const *in, void *const *out)
{
    enum { M = 128, N = 256, K = 96 };
    static REAL gate[M * N];
    OUT(REAL, o, 0);
    matmul(in[0], in[1], gate, M, N, K);
    matmul(in[0], in[2], o, M, N, K);
    PARALLEL_FOR
    for (int i = 0; i < M * N; i++) o[i] *= gate[i] / (1 + exp(-gate[i]));
}

void C_LOOP(resized_200)(const void *const *in, void *const *out)
{
    enum { SIZE = 200, WIDE = 224, LARGE = 384 };
    static REAL x[SIZE * WIDE], high[LARGE * WIDE]; /* rows of whole tiles */
    IN(REAL, given, 0);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) x[i * WIDE + j] = given[i * SIZE + j];
    product(in[1], 1, LARGE, x, WIDE, 1, high, LARGE, WIDE, SIZE);
    product(high, WIDE, 1, in[2], LARGE, 1, out[0], LARGE, LARGE, SIZE);
}

void C_LOOP(matvec_1024)(const void *const *in, void *const *out)
{
    IN(REAL, a, 0);
    IN(REAL, x, 1);
    OUT(REAL, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 1024; i += 4) {
        REAL s[4] = { 0 };
        for (int k = 0; k < 1024; k++)
            for (int r = 0; r < 4; r++) s[r] += a[(i + r) * 1024 + k] * x[k];
        for (int r = 0; r < 4; r++) o[i + r] = s[r];
    }
}

/* Small products: the tile is a vector wide, or two. */
void C_LOOP(bmm_1000x16x16)(const void *const *in, void *const *out)
{
    IN(REAL, a, 0);
    IN(Vector, b, 1);
    OUT(Vector, o, 0);
    enum { WIDE = 16 * sizeof(REAL) / sizeof(Vector), W = WIDE > 1 ? 2 : 1, ROWS = TILE_I };
    PARALLEL_FOR
    for (size_t i = 0; i < 1000 * 16; i += ROWS)
        for (size_t j = 0; j < WIDE; j += W) {
            const Vector *right = b + i / 16 * 16 * WIDE + j;
            Vector s[ROWS][W] = { { { 0 } } };
            for (size_t k = 0; k < 16; k++)
#pragma GCC unroll 8
                for (size_t r = 0; r < ROWS; r++)
#pragma GCC unroll 2
                    for (size_t q = 0; q < W; q++) s[r][q] += a[(i + r) * 16 + k] * right[k * WIDE + q];
            for (size_t r = 0; r < ROWS; r++)
                for (size_t q = 0; q < W; q++) o[(i + r) * WIDE + j + q] = s[r][q];
        }
}

void C_LOOP(nbody_1024)(const void *const *in, void *const *out)
{
    IN(REAL, p, 0);
    IN(REAL, m, 1);
    OUT(REAL, o, 0);
    enum { N = 1024 };
    PARALLEL_FOR
    for (int i = 0; i < N; i++) {
        REAL ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            REAL dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1], dz = p[3 * j + 2] - p[3 * i + 2];
            REAL r2 = dx * dx + dy * dy + dz * dz + K(1e-3), w = m[j] / (sqrt(r2) * r2);
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
APART static void adam(const REAL *R p, const REAL *R g, const REAL *R m, const REAL *R v, REAL *R op,
                       REAL *R om, REAL *R ov, size_t n)
{
    enum { B = 64 };
    for (size_t k = 0; k < n; k += B) {
        for (size_t i = k; i < k + B; i++) om[i] = K(.9) * m[i] + K(.1) * g[i];
        for (size_t i = k; i < k + B; i++) ov[i] = K(.999) * v[i] + K(.001) * g[i] * g[i];
        for (size_t i = k; i < k + B; i++) op[i] = p[i] - K(1e-3) * om[i] / (sqrt(ov[i]) + K(1e-8));
    }
}
void C_LOOP(adam_1M)(const void *const *in, void *const *out)
{
    IN(REAL, p, 0);
    IN(REAL, g, 1);
    IN(REAL, m, 2);
    IN(REAL, v, 3);
    OUT(REAL, op, 0);
    OUT(REAL, om, 1);
    OUT(REAL, ov, 2);
    PARALLEL_FOR
    for (size_t k = 0; k < THREADS; k++) {
        size_t at = BEGIN(k, 1000000 / 64) * 64, n = BEGIN(k + 1, 1000000 / 64) * 64 - at;
        adam(p + at, g + at, m + at, v + at, op + at, om + at, ov + at, n);
    }
}

void C_LOOP(gather_rows)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    IN(int32_t, at, 1);
    OUT(REAL, o, 0);
    memset(o, 0, 64 * sizeof *o);
    PARALLEL
    {
        REAL s[64] = { 0 };
        SHARED_FOR
        for (int i = 0; i < 100000; i++) {
            const REAL *r = x + (size_t)at[i] * 64;
            for (int j = 0; j < 64; j++) s[j] += r[j];
        }
        ONE_BY_ONE
        for (int j = 0; j < 64; j++) o[j] += s[j];
    }
}

void C_LOOP(column_20k_of_40)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 20000; i++) o[i] = 2 * x[i * 40 + 7];
}

void C_LOOP(columns_3000x17)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    IN(int, at, 1);
    OUT(REAL, o, 0);
    for (int i = 0; i < 3000; i++)
        for (int j = 0; j < 32; j++) o[i * 32 + j] = 2 * x[i * 17 + at[j]];
}

void C_LOOP(pairs_20k)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    IN(int, i, 1);
    IN(int, j, 2);
    OUT(REAL, o, 0);
    for (int k = 0; k < 20000; k++) {
        REAL sum = 0;
        for (int c = 0; c < 3; c++) {
            REAL d = x[i[k] * 3 + c] - x[j[k] * 3 + c];
            sum += d * d;
        }
        o[k] = sum;
    }
}

void C_LOOP(vander_30000x6)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, o, 0);
    for (int i = 0; i < 30000; i++) {
        REAL power = 1;
        for (int j = 0; j < 6; j++, power *= x[i]) o[i * 6 + j] = power;
    }
}

void C_LOOP(powers_3000x6)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    IN(REAL, p, 1);
    OUT(REAL, o, 0);
    for (int i = 0; i < 3000; i++)
        for (int j = 0; j < 6; j++) o[i * 6 + j] = pow(x[i], p[j]);
}

void C_LOOP(cumsum_1M)(const void *const *in, void *const *out)
{
    IN(REAL, x, 0);
    OUT(REAL, y, 0);
    REAL s = 0;
    for (size_t i = 0; i < 1000000; i++) y[i] = s += x[i];
}

/* By the width of the bins, and a step aside where an edge says so. */
void C_LOOP(histogram_1M)(const void *const *in, void *const *out)
{
    enum { BINS = 256 };
    IN(REAL, x, 0);
    OUT(REAL, y, 0);
    REAL edge[BINS + 1];
    int count[BINS] = { 0 };
    for (int k = 0; k <= BINS; k++) edge[k] = (REAL)k * 2 / BINS - 1;
    for (size_t i = 0; i < 1000000; i++) {
        if (!(x[i] >= -1 && x[i] <= 1)) continue;
        int k = (int)((x[i] + 1) * (BINS / 2));
        k = k < BINS ? k : BINS - 1;
        k -= x[i] < edge[k];
        k += k < BINS - 1 && x[i] >= edge[k + 1];
        count[k]++;
    }
    for (int k = 0; k < BINS; k++) y[k] = (REAL)count[k];
}

void C_LOOP(interp_1M)(const void *const *in, void *const *out)
{
    enum { KNOTS = 64 };
    IN(REAL, x, 0);
    IN(REAL, at, 1);
    IN(REAL, f, 2);
    OUT(REAL, y, 0);
    PARALLEL_FOR
    for (size_t i = 0; i < 1000000; i++) {
        int k = 0;
        for (int step = KNOTS / 2; step; step /= 2) k += at[k + step] <= x[i] ? step : 0;
        k = k < KNOTS - 1 ? k : KNOTS - 2;
        REAL part = (x[i] - at[k]) / (at[k + 1] - at[k]);
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        y[i] = f[k] + part * (f[k + 1] - f[k]);
    }
}

void C_LOOP(swiglu_128x256)(const void *const *in, void *const *out)
{
    enum { N = 256 };
    IN(REAL, x, 0);
    IN(REAL, a, 1);
    IN(REAL, b, 2);
    OUT(REAL, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 128; i++) {
        REAL s[N] = { 0 }, t[N] = { 0 };
        for (int k = 0; k < N; k++) {
            REAL v = x[i * N + k];
            for (int j = 0; j < N; j++) {
                s[j] += v * a[k * N + j];
                t[j] += v * b[k * N + j];
            }
        }
        for (int j = 0; j < N; j++) o[i * N + j] = s[j] / (1 + exp(-s[j])) * t[j];
    }
}
