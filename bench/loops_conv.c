/* loops_conv.c: the convolutions of cases_transform.c. x is copied with its padding around it; then the sums
 * of some neighbours, two vectors of features each, stay in registers while the window passes by. */
#include "loops.h"

enum { MOST = 16 * 58 * 58 * 64, PLACES = VECTOR == 64 ? 14 : 4, LANES = VECTOR / sizeof(float) };
typedef float Lanes __attribute__((vector_size(VECTOR), aligned(4)));
static float room[MOST], turned[16 * 56 * 56 * 64];

/* x [n, size, size, in] with `pad` zeros around the two in the middle; PLANES: x is [n, in, size, size]. */
enum { PIXELS, PLANES };
static inline const float *padded(const float *R x, int order, int n, int size, int in, int pad)
{
    int wide = size + 2 * pad;
    PARALLEL_FOR
    for (int row = 0; row < n * wide; row++) {
        int i = row / wide, y = row % wide - pad;
        float *to = room + (size_t)row * wide * in;
        memset(to, 0, sizeof(float) * wide * in);
        if (y < 0 || y >= size) continue;
        const float *R from = x + (size_t)(i * size * in + (order == PLANES ? y : y * in)) * size;
        to += pad * in;
        if (order == PIXELS) memcpy(to, from, sizeof(float) * size * in);
        else
            for (int j = 0; j < size; j++)
                for (int c = 0; c < in; c++) to[j * in + c] = from[c * size * size + j];
    }
    return room;
}

/* x [n, wide, wide, in], w [k, k, in, out], o [n, size, size, out] */
static inline __attribute__((always_inline)) void conv(const float *R x, const float *R w, float *R o, int n,
                                                       int wide, int size, int in, int out, int k, int stride)
{
    PARALLEL_FOR
    for (int row = 0; row < n * size; row++) {
        const float *R image = x + (size_t)(row / size * wide + row % size * stride) * wide * in;
        for (int f = 0; f < out; f += 2 * LANES)
            for (int j = 0; j < size; j += PLACES) {
                Lanes s[PLACES][2] = { 0 };
                for (int y = 0; y < k; y++) {
                    const float *R from = image + (y * wide + j * stride) * in;
                    for (int l = 0; l < k * in; l++) {
                        const Lanes *v = (const Lanes *)(w + (size_t)(y * k * in + l) * out + f);
#pragma GCC unroll 14
                        for (int p = 0; p < PLACES; p++) {
                            s[p][0] += from[p * stride * in + l] * v[0];
                            s[p][1] += from[p * stride * in + l] * v[1];
                        }
                    }
                }
#pragma GCC unroll 14
                for (int p = 0; p < PLACES; p++) {
                    Lanes *to = (Lanes *)(o + (size_t)(row * size + j + p) * out + f);
                    to[0] = s[p][0], to[1] = s[p][1];
                }
            }
    }
}

/* By steps of 2 between the elements of x [28, 28, 64]: places of each rest by 2 see every other element of w
 * [4, 4, 64, 64], and no holes. */
void c_conv_up_1(const void *const *in, void *const *out)
{
    enum { SIZE = 28, C = 64 };
    static float weights[2][2][C][C];
    const float *x = padded(in[0], PIXELS, 1, SIZE, C, 1), *w = in[1];
    float *o = out[0];
    for (int r = 0; r < 4; r++) {
        int y = r / 2, z = r % 2;
        for (int k = 0; k < 4; k++)
            memcpy(weights[k / 2][k % 2], w + ((y + k / 2 * 2) * 4 + z + k % 2 * 2) * C * C,
                   sizeof(float) * C * C);
        conv(x + (y * (SIZE + 2) + z) * C, weights[0][0][0], turned, 1, SIZE + 2, SIZE, C, C, 2, 1);
        for (int i = 0; i < SIZE * SIZE; i++)
            memcpy(o + ((2 * (i / SIZE) + y) * 2 * SIZE + 2 * (i % SIZE) + z) * C, turned + i * C,
                   sizeof(float) * C);
    }
}

/* Each feature apart: w [3, 3, features]. */
static void depthwise(const float *R x, const float *R w, float *R o, int n)
{
    enum { SIZE = 56, WIDE = 58, C = 64 };
    x = padded(x, PIXELS, n, SIZE, C, 1);
    PARALLEL_FOR
    for (int row = 0; row < n * SIZE; row++)
        for (int j = 0; j < SIZE; j++) {
            const float *R from = x + (size_t)((row / SIZE * WIDE + row % SIZE) * WIDE + j) * C;
            float *R to = o + (size_t)(row * SIZE + j) * C;
            for (int c = 0; c < C; c++) {
                float s = 0;
                for (int t = 0; t < 9; t++) s += from[(t / 3 * WIDE + t % 3) * C + c] * w[t * C + c];
                to[c] = s;
            }
        }
}

/* Turned to [n, 56, 56, 64], convolved, and turned back. */
static void planes(const float *R x, const float *R w, float *R o, int n)
{
    enum { SIZE = 56, C = 64 };
    static float weights[9][C][C];
    for (int i = 0; i < 9 * C * C; i++) weights[i % 9][i / 9 % C][i / 9 / C] = w[i];
    conv(padded(x, PLANES, n, SIZE, C, 1), weights[0][0], turned, n, SIZE + 2, SIZE, C, C, 3, 1);
    PARALLEL_FOR
    for (int i = 0; i < n; i++)
        for (int y = 0; y < SIZE; y++)
            for (int c = 0; c < C; c++)
                for (int j = 0; j < SIZE; j++)
                    o[((i * C + c) * SIZE + y) * SIZE + j] = turned[((i * SIZE + y) * SIZE + j) * C + c];
}

#define CONV(name, ...) \
    void c_conv_##name(const void *const *in, void *const *out) \
    { \
        IN(float, x, 0); \
        IN(float, w, 1); \
        OUT(float, o, 0); \
        __VA_ARGS__; \
    }
CONV(3x3_1, conv(padded(x, PIXELS, 1, 56, 64, 1), w, o, 1, 58, 56, 64, 64, 3, 1))
CONV(3x3_16, conv(padded(x, PIXELS, 16, 56, 64, 1), w, o, 16, 58, 56, 64, 64, 3, 1))
CONV(7x7_1, conv(padded(x, PIXELS, 1, 224, 3, 3), w, o, 1, 230, 112, 3, 64, 7, 2))
CONV(7x7_16, conv(padded(x, PIXELS, 16, 224, 3, 3), w, o, 16, 230, 112, 3, 64, 7, 2))
CONV(depthwise_1, depthwise(x, w, o, 1))
CONV(depthwise_16, depthwise(x, w, o, 16))
CONV(1x1_1, conv(x, w, o, 1, 56, 56, 256, 64, 1, 1))
CONV(1x1_16, conv(x, w, o, 16, 56, 56, 256, 64, 1, 1))
CONV(nchw_1, planes(x, w, o, 1))
CONV(nchw_16, planes(x, w, o, 16))
