/* loops_stencil.c: neighbours as the best plain C we can write; see loops.h. Compiled like loops.c. */
#include "loops.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { N = 512, STEPS = 100 };

/* STEPS is even: the last step writes the output. */
typedef void Step(const float *R u, float *R v);
static inline void steps(const void *const *in, void *const *out, Step *step)
{
    static float other[N * N];
    PARALLEL
    for (int t = 0; t < STEPS; t++) step(!t ? in[0] : t % 2 ? other : out[0], t % 2 ? out[0] : other);
}

static inline void advect_row(const float *R u, const float *R above, float *R v)
{
    v[0] = u[0] - .2f * ((u[0] - u[N - 1]) + (u[0] - above[0]));
    for (int j = 1; j < N; j++) v[j] = u[j] - .2f * ((u[j] - u[j - 1]) + (u[j] - above[j]));
}
static void advect(const float *R u, float *R v)
{
    SHARED_FOR
    for (int i = 0; i < N; i++) advect_row(u + i * N, u + (i ? i - 1 : N - 1) * N, v + i * N);
}
void c_roll2d_512(const void *const *in, void *const *out) { steps(in, out, advect); }

static inline void average_row(const float *R above, const float *R u, const float *R below, float *R v)
{
    v[0] = .25f * (above[0] + below[0] + u[1]);
    for (int j = 1; j < N - 1; j++) v[j] = .25f * (above[j] + below[j] + (u[j - 1] + u[j + 1]));
    v[N - 1] = .25f * (above[N - 1] + below[N - 1] + u[N - 2]);
}
static void average(const float *R u, float *R v)
{
    static const float zero[N];
    SHARED_FOR
    for (int i = 0; i < N; i++) {
        const float *row = u + i * N;
        average_row(i ? row - N : zero, row, i < N - 1 ? row + N : zero, v + i * N);
    }
}
void c_pad_stencil_512(const void *const *in, void *const *out) { steps(in, out, average); }

void c_slice_stencil_512(const void *const *in, void *const *out)
{
    IN(float, u, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            const float *c = u + i * N + j;
            o[(i - 1) * (N - 2) + j - 1] = (c[-N] + c[N] + c[-1] + c[1]) * (4.f / 6) +
                                           (c[-N - 1] + c[-N + 1] + c[N - 1] + c[N + 1]) * (1.f / 6) -
                                           c[0] * (20.f / 6);
        }
}

static inline void rotate(const float *R x, const float *R c, const float *R s, float *R o)
{
    for (int i = 0; i < 32; i++) {
        o[i] = x[i] * c[i] - x[i + 32] * s[i];
        o[i + 32] = x[i + 32] * c[i + 32] + x[i] * s[i + 32];
    }
}
void c_concat_rope(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, cosine, 1);
    IN(float, sine, 2);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int h = 0; h < 16; h++)
        for (int p = 0; p < 1024; p++) {
            int at = (h * 1024 + p) * 64;
            rotate(x + at, cosine + p * 64, sine + p * 64, o + at);
        }
}

static inline const float *row(const float *x, int i) { return x + (i < 0 ? 0 : i >= N ? N - 1 : i) * N; }

/* A row of the blurred image, with a place more at each end. */
static void blur_row(const float *R x, int i, float *R b)
{
    float wide[N + 4], *v = wide + 2;
    const float *R p = row(x, i - 2), *R q = row(x, i - 1), *R r = row(x, i), *R s = row(x, i + 1),
                   *R t = row(x, i + 2);
    for (int j = 0; j < N; j++)
        v[j] = (p[j] + t[j]) * (1 / 16.f) + (q[j] + s[j]) * (4 / 16.f) + r[j] * (6 / 16.f);
    v[-2] = v[-1] = v[0];
    v[N] = v[N + 1] = v[N - 1];
    for (int j = 0; j < N; j++)
        b[j + 1] =
            (v[j - 2] + v[j + 2]) * (1 / 16.f) + (v[j - 1] + v[j + 1]) * (4 / 16.f) + v[j] * (6 / 16.f);
    b[0] = b[1];
    b[N + 1] = b[N];
}
/* Rows first to end; three rows of the blurred image are there at a time. */
static inline void blur_sobel(const float *R x, float *R o, int first, int end)
{
    float ring[3][N + 2];
    blur_row(x, first, ring[first % 3]);
    if (first) blur_row(x, first - 1, ring[(first + 2) % 3]);
    else memcpy(ring[2], ring[0], sizeof ring[0]);
    o += first * N;
    for (int i = first; i < end; i++, o += N) {
        const float *R a = ring[(i + 2) % 3], *R b = ring[i % 3];
        float *R c = ring[(i + 1) % 3];
        if (i < N - 1) blur_row(x, i + 1, c);
        else memcpy(c, b, sizeof ring[0]);
        for (int j = 0; j < N; j++) {
            float left = a[j] + 2 * b[j] + c[j], right = a[j + 2] + 2 * b[j + 2] + c[j + 2],
                  up = a[j] + 2 * a[j + 1] + a[j + 2], down = c[j] + 2 * c[j + 1] + c[j + 2];
            o[j] = sqrtf((right - left) * (right - left) + (down - up) * (down - up));
        }
    }
}

void c_blur_sobel_512(const void *const *in, void *const *out)
{
    PARALLEL_FOR
    for (size_t k = 0; k < THREADS; k++) blur_sobel(in[0], out[0], (int)BEGIN(k, N), (int)BEGIN(k + 1, N));
}

static inline float largest(float a, float b) { return a > b ? a : b; }

/* As one writes it, borders peeled; down the columns first and then along the rows takes 0.7 of the time. */
enum { H = 720, W = 1280 };
static inline void max_pool_row(const float *R a, const float *R x, const float *R b, float *R o)
{
    for (int j = 1; j < W - 1; j++) {
        float left = largest(largest(a[j - 1], x[j - 1]), b[j - 1]),
              right = largest(largest(a[j + 1], x[j + 1]), b[j + 1]);
        o[j] = largest(largest(left, right), largest(largest(a[j], x[j]), b[j]));
    }
    o[0] = largest(largest(largest(a[0], x[0]), b[0]), largest(largest(a[1], x[1]), b[1]));
    o[W - 1] = largest(largest(largest(a[W - 2], x[W - 2]), b[W - 2]),
                       largest(largest(a[W - 1], x[W - 1]), b[W - 1]));
}
void c_max_pool_720x1280(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H; i++) {
        const float *row = x + i * W;
        max_pool_row(i ? row - W : row, row, i < H - 1 ? row + W : row, o + i * W);
    }
}

void c_max_pool_images(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    enum { ROWS = 8 * 64, COLUMNS = 64, C = 32 };
    PARALLEL_FOR
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const float *R a = x + (i * 2 * 2 * COLUMNS + 2 * j) * C, *R b = a + 2 * COLUMNS * C;
            float *R to = o + (i * COLUMNS + j) * C;
            for (int c = 0; c < C; c++) to[c] = largest(largest(a[c], a[c + C]), largest(b[c], b[c + C]));
        }
}

void c_ravel_720x1280(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < 720 * 1280; i++) o[i] = x[i] * 3;
}

/* Blocks of results stay in registers while the taps pass by. */
void c_fir_64k_64(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    IN(float, tap, 1);
    OUT(float, o, 0);
    enum { B = 128 };
    PARALLEL_FOR
    for (int i = 0; i < 65536; i += B) {
        float s[B] = { 0 };
        for (int k = 0; k < 64; k++)
            for (int j = 0; j < B; j++) s[j] += tap[k] * x[i + k + j];
        memcpy(o + i, s, sizeof s);
    }
}
