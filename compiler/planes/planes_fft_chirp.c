/* planes_fft_chirp.c: Fourier transforms of lengths with a large prime factor (Bluestein, 1968). Since
 * j k = (j^2 + k^2 - (k - j)^2) / 2, the transform is x times a chirp, exp(-pi i j^2 / n), convolved with
 * the conjugate of the chirp, times the chirp: a convolution that transforms of a good length m >= 2 n - 1
 * do. The chirp's own transform is a constant. */
#include "fft.h"

/* exp(-pi i j^2 / n), j below n: there are fewer than 2^32 numbers */
static Root chirp(int64_t j, int64_t n)
{
    return fft_root((int64_t)((uint64_t)j * (uint64_t)j % (uint64_t)(2 * n)), 2 * n);
}

/* The least length from `least` on that is 16 times powers of 2, 3 and 5. */
static int64_t good_length(int64_t least)
{
    int64_t best = 16;
    while (best < least) best *= 2;
    for (int64_t five = 16; five < best; five *= 5)
        for (int64_t n = five; n < best; n *= 3) {
            int64_t of = n;
            while (of < least) of *= 2;
            if (of < best) best = of;
        }
    return best;
}

/* y = the transform of every step-th of x, n in all; total: the number of roots. */
static void transform(const Root *x, Root *y, int64_t n, int64_t step, const Root *roots, int64_t total)
{
    int p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5;
    int64_t m = n / p;
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    for (int k = 0; k < p; k++) transform(x + k * step, y + k * m, m, step * p, roots, total);
    for (int64_t j = 0; j < m; j++) {
        Root sum[5] = { { 0, 0 } };
        for (int q = 0; q < p; q++)
            for (int k = 0; k < p; k++) {
                Root w = roots[(j + q * m) * k % n * (total / n)], v = y[k * m + j];
                sum[q].re += v.re * w.re - v.im * w.im;
                sum[q].im += v.re * w.im + v.im * w.re;
            }
        for (int q = 0; q < p; q++) y[q * m + j] = sum[q];
    }
}

/* The transform of length m of the conjugate chirp, which is even around 0. */
static Root *chirp_transformed(Arena *a, int64_t n, int64_t m)
{
    Root *roots = arena_alloc(a, (size_t)m * sizeof *roots), *x = arena_alloc(a, (size_t)m * sizeof *x),
         *y = arena_alloc(a, (size_t)m * sizeof *y);
    for (int64_t j = 0; j < m; j++) roots[j] = fft_root(j, m), x[j] = (Root){ 0, 0 };
    for (int64_t j = 0; j < n; j++) {
        Root w = chirp(j, n);
        x[j] = x[j ? m - j : 0] = (Root){ w.re, -w.im };
    }
    transform(x, y, m, 1, roots, m);
    return y;
}

static Pair multiplied(FftLine l, Pair x, const Root *by)
{
    double *part[2];
    for (int i = 0; i < 2; i++) part[i] = arena_alloc(l.g->arena, (size_t)l.n * sizeof(double) + 1);
    for (int64_t j = 0; j < l.n; j++) part[0][j] = by[j].re, part[1][j] = by[j].im;
    return fft_mul(l.g, x, fft_numbers(l, part[0]), fft_numbers(l, part[1]));
}

Ref fft_numbers(FftLine l, const double *v)
{
    int64_t along = 1, dim[] = { l.batch, l.n, l.inner };
    size_t item = dtype_bytes(l.part);
    char *data = arena_alloc(l.g->arena, (size_t)l.n * item + 1);
    for (int64_t j = 0; j < l.n; j++)
        scalar_store(l.part, data + (size_t)j * item, scalar_from_double(l.part, v[j]));
    return build_broadcast(l.g, build_constant(l.g, (Type){ (uint8_t)l.part, 1, &l.n }, data), dim, 3,
                           &along);
}

static Ref padded(FftLine l, Ref x, int64_t to)
{
    static const int64_t none[3];
    Ref zero = build_zeros(l.g, type_scalar((uint8_t)l.part));
    return build_pad(l.g, x, zero, none, (int64_t[]){ 0, to - l.n, 0 }, none);
}

Pair fft_by_chirp(FftLine l, Pair x, double scale)
{
    FftLine whole = l;
    whole.n = good_length(2 * l.n - 1);
    Root *w = arena_alloc(l.g->arena, (size_t)l.n * sizeof *w);
    for (int64_t j = 0; j < l.n; j++) w[j] = chirp(j, l.n);
    x = multiplied(l, x, w);
    x = fft_along(whole, (Pair){ padded(l, x.re, whole.n), padded(l, x.im, whole.n) }, 1);
    x = multiplied(whole, x, chirp_transformed(l.g->arena, l.n, whole.n));
    x = fft_back_along(whole, x, scale / (double)whole.n);
    x = (Pair){ build_slice_along(l.g, x.re, 1, 0, l.n, 1), build_slice_along(l.g, x.im, 1, 0, l.n, 1) };
    return multiplied(l, x, w);
}
