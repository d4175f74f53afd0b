/* loops_image.c: images as the best plain C we can write; see loops.h. Compiled like loops.c. */
#include "loops.h"
#include <stdbool.h>
#include <stdint.h>

enum { H = 720, W = 1280 };

/* A row of sums down the columns, with its edges; then sums along it. */
static inline void mean_row(const uint8_t *R a, const uint8_t *R x, const uint8_t *R b, uint8_t *R o)
{
    enum { C = 3 };
    int sum[(W + 2) * C];
    for (int j = 0; j < W * C; j++) sum[j + C] = a[j] + x[j] + b[j];
    for (int c = 0; c < C; c++) {
        sum[c] = sum[C + c];
        sum[(W + 1) * C + c] = sum[W * C + c];
    }
    for (int j = 0; j < W * C; j++) o[j] = (uint8_t)((sum[j] + sum[j + C] + sum[j + 2 * C]) * 57 >> 9);
}
void c_image_mean(const void *const *in, void *const *out)
{
    enum { ROW = W * 3 };
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H; i++) {
        const uint8_t *row = x + i * ROW;
        mean_row(i ? row - ROW : row, row, i < H - 1 ? row + ROW : row, o + i * ROW);
    }
}

/* Columns first to end of a row, of pixels that have left and right neighbours or not. */
static inline void blur_columns(const float *R a, const float *R x, const float *R b, float *R o, int first,
                                int end, bool left, bool right)
{
    enum { C = 3 };
    for (int j = first * C; j < end * C; j++) {
        float sum = a[j] + x[j] + b[j];
        if (left) sum += a[j - C] + x[j - C] + b[j - C];
        if (right) sum += a[j + C] + x[j + C] + b[j + C];
        o[j] = sum * (1.f / 9);
    }
}
void c_image_blur(const void *const *in, void *const *out)
{
    enum { ROW = W * 3 };
    static const float zero[ROW];
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H; i++) {
        const float *row = x + i * ROW, *a = i ? row - ROW : zero, *b = i < H - 1 ? row + ROW : zero;
        blur_columns(a, row, b, o + i * ROW, 0, 1, false, true);
        blur_columns(a, row, b, o + i * ROW, 1, W - 1, true, true);
        blur_columns(a, row, b, o + i * ROW, W - 1, W, true, false);
    }
}

/* Rows i - 2 to i + 2, mirrored at the edges: each with its ends, then sums of five by five. */
void c_image_blur5(const void *const *in, void *const *out)
{
    enum { C = 3, ROW = W * C, WIDE = (W + 4) * C };
    static float p[(H + 4) * WIDE];
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H + 4; i++) {
        int from = i < 2 ? 2 - i : i < H + 2 ? i - 2 : 2 * H - i;
        const float *row = x + from * ROW;
        float *to = p + i * WIDE;
        for (int c = 0; c < C; c++) {
            to[c] = row[2 * C + c], to[C + c] = row[C + c];
            to[(W + 2) * C + c] = row[(W - 2) * C + c], to[(W + 3) * C + c] = row[(W - 3) * C + c];
        }
        for (int j = 0; j < ROW; j++) to[2 * C + j] = row[j];
    }
    PARALLEL_FOR
    for (int i = 0; i < H; i++) {
        const float *a = p + i * WIDE, *b = a + WIDE, *c = b + WIDE, *d = c + WIDE, *e = d + WIDE;
        for (int j = 0; j < ROW; j++) {
            float sum = 0;
            for (int k = 0; k < 5 * C; k += C) sum += a[j + k] + b[j + k] + c[j + k] + d[j + k] + e[j + k];
            o[i * ROW + j] = sum * (1.f / 25);
        }
    }
}

void c_image_curve(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    IN(uint8_t, curve, 1);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H * W * 3; i++) o[i] = curve[x[i]];
}

void c_image_gray(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H * W; i++)
        o[i] = (uint8_t)((77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2]) >> 8);
}

void c_image_brighter(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H * W * 3; i++) o[i] = (uint8_t)(x[i] + 20 > 255 ? 255 : x[i] + 20);
}

void c_image_planes(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H * W; i++)
        for (int c = 0; c < 4; c++) o[c * H * W + i] = x[4 * i + c];
}

void c_image_half(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H / 2; i++)
        for (int j = 0; j < W / 2; j++) {
            const uint8_t *R a = x + (2 * i * W + 2 * j) * 4, *R b = a + W * 4;
            uint8_t *R to = o + (i * W / 2 + j) * 4;
            for (int c = 0; c < 4; c++) to[c] = (uint8_t)((a[c] + a[c + 4] + b[c] + b[c + 4] + 2) >> 2);
        }
}

void c_image_mirror(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            for (int c = 0; c < 4; c++) o[(i * W + j) * 4 + c] = x[(i * W + W - 1 - j) * 4 + c];
}

/* Columns first, in whole rows. */
void c_image_quarter(const void *const *in, void *const *out)
{
    enum { ROW = W * 3 };
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H / 4; i++) {
        const float *R a = x + 4 * i * ROW;
        float sum[ROW];
        for (int j = 0; j < ROW; j++) sum[j] = a[j] + a[j + ROW] + a[j + 2 * ROW] + a[j + 3 * ROW];
        for (int j = 0; j < W / 4; j++)
            for (int c = 0; c < 3; c++) {
                const float *R s = sum + 12 * j + c;
                o[(i * W / 4 + j) * 3 + c] = (s[0] + s[3] + s[6] + s[9]) * (1.f / 16);
            }
    }
}

/* A row of the narrow image, then so many pixels of it at once: sums for each colour stay in registers. */
void c_image_resize(const void *const *in, void *const *out)
{
    enum { NARROW = 160, WIDE = 320, LOW = 90, HIGH = 180, C = 3, PIXELS = 32 };
    IN(float, x, 0);
    IN(float, rows, 1);
    IN(float, columns, 2);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < HIGH; i++) {
        float t[NARROW * C] = { 0 };
        for (int k = 0; k < LOW; k++)
            for (int j = 0; j < NARROW * C; j++) t[j] += rows[k * HIGH + i] * x[k * NARROW * C + j];
        for (int begin = 0; begin < WIDE; begin += PIXELS) {
            float sum[C][PIXELS] = { 0 };
            for (int k = 0; k < NARROW; k++)
                for (int c = 0; c < C; c++)
                    for (int j = 0; j < PIXELS; j++)
                        sum[c][j] += t[k * C + c] * columns[k * WIDE + begin + j];
            for (int j = 0; j < PIXELS; j++)
                for (int c = 0; c < C; c++) o[(i * WIDE + begin + j) * C + c] = sum[c][j];
        }
    }
}

/* ---- resized: each element is a weighted mean of TAPS, as jax.image.resize has them ---- */

enum { TAPS = 4, ROW = W * 3 };

/* Of the results along an axis the first element, and the weights; outside they are 0 and any element's. */
static void put_taps(int n, int to, bool cubic, int (*at)[TAPS], float (*w)[TAPS])
{
    float step = (float)n / (float)to, wide = step > 1 ? step : 1;
    for (int i = 0; i < to; i++) {
        float middle = ((float)i + 0.5f) * step - 0.5f, sum = 0;
        int first = (int)ceil(middle - TAPS / 2);
        for (int k = 0; k < TAPS; k++) {
            float d = fabs(middle - (float)(first + k)) / wide, near = (1.5f * d - 2.5f) * d * d + 1,
                  far = ((-0.5f * d + 2.5f) * d - 4) * d + 2;
            bool inside = first + k >= 0 && first + k < n;
            at[i][k] = inside ? first + k : 0;
            w[i][k] = !inside ? 0 : !cubic ? fmax(1 - d, 0.f) : d < 1 ? near : d < 2 ? far : 0;
            sum += w[i][k];
        }
        for (int k = 0; k < TAPS; k++) w[i][k] /= sum;
    }
}

void c_image_smaller(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    int row[H / 2][TAPS], column[W / 2][TAPS];
    float by_row[H / 2][TAPS], by_column[W / 2][TAPS];
    put_taps(H, H / 2, false, row, by_row);
    put_taps(W, W / 2, false, column, by_column);
    PARALLEL_FOR
    for (int i = 0; i < H / 2; i++) {
        const float *a = x + row[i][0] * ROW, *b = x + row[i][1] * ROW, *c = x + row[i][2] * ROW,
                    *d = x + row[i][3] * ROW, *by = by_row[i];
        float sum[ROW];
        for (int j = 0; j < ROW; j++) sum[j] = by[0] * a[j] + by[1] * b[j] + by[2] * c[j] + by[3] * d[j];
        for (int j = 0; j < W / 2; j++)
            for (int k = 0; k < 3; k++) {
                float t = 0;
                for (int l = 0; l < TAPS; l++) t += by_column[j][l] * sum[3 * column[j][l] + k];
                o[(i * W / 2 + j) * 3 + k] = t;
            }
    }
}

/* Rows that are longer by then, then more of them. */
void c_image_larger(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    static float wide[H / 4 * ROW];
    int row[H][TAPS], column[W][TAPS];
    float by_row[H][TAPS], by_column[W][TAPS];
    put_taps(H / 4, H, true, row, by_row);
    put_taps(W / 4, W, true, column, by_column);
    PARALLEL_FOR
    for (int i = 0; i < H / 4; i++)
        for (int j = 0; j < W; j++)
            for (int k = 0; k < 3; k++) {
                float t = 0;
                for (int l = 0; l < TAPS; l++) t += by_column[j][l] * x[i * ROW / 4 + 3 * column[j][l] + k];
                wide[i * ROW + 3 * j + k] = t;
            }
    PARALLEL_FOR
    for (int i = 0; i < H; i++) {
        const float *R a = wide + row[i][0] * ROW, *R b = wide + row[i][1] * ROW,
                       *R c = wide + row[i][2] * ROW, *R d = wide + row[i][3] * ROW, *by = by_row[i];
        for (int j = 0; j < ROW; j++)
            o[i * ROW + j] = by[0] * a[j] + by[1] * b[j] + by[2] * c[j] + by[3] * d[j];
    }
}

void c_image_mirror_3(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            for (int c = 0; c < 3; c++) o[(i * W + j) * 3 + c] = x[(i * W + W - 1 - j) * 3 + c];
}

void c_image_turn(const void *const *in, void *const *out)
{
    IN(uint8_t, x, 0);
    OUT(uint8_t, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < W; i++)
        for (int j = 0; j < H; j++)
            for (int c = 0; c < 3; c++) o[(i * H + j) * 3 + c] = x[(j * W + W - 1 - i) * 3 + c];
}

void c_image_turn_f32(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < W / 2; i++)
        for (int j = 0; j < H / 2; j++)
            for (int c = 0; c < 4; c++)
                o[(i * (H / 2) + j) * 4 + c] = x[(j * (W / 2) + W / 2 - 1 - i) * 4 + c];
}

void c_image_blocks(const void *const *in, void *const *out)
{
    IN(float, x, 0);
    OUT(float, o, 0);
    PARALLEL_FOR
    for (int i = 0; i < H / 2; i++)
        for (int r = 0; r < 2; r++)
            for (int j = 0; j < W / 2; j++)
                for (int c = 0; c < 6; c++)
                    o[((i * W / 2 + j) * 2 + r) * 6 + c] = x[((2 * i + r) * W / 2 + j) * 6 + c];
}
