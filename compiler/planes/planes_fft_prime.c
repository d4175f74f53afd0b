/* planes_fft_prime.c: Fourier transforms of an odd number of numbers as products with two matrices. With
 * u[j] = x[j] + x[n - j] and v[j] = x[j] - x[n - j], a of u times cosines and b of v times sines, y[k] and
 * y[n - k] are a[k] -+ i b[k], for k up to n / 2. (x[n] counts as 0, so u[0] is x[0].) */
#include "fft.h"
#include "compiler/graph/matrix/matrix_build.h"

/* scale times cos(2 pi k j / n), or sin: [batch, h, h] with h = n / 2 + 1 */
static Ref waves(FftLine l, bool sines, double scale)
{
    int64_t h = l.n / 2 + 1, dim[] = { l.batch, h, h };
    size_t item = dtype_bytes(l.part);
    char *data = arena_alloc(l.g->arena, (size_t)(h * h) * item);
    for (int64_t i = 0; i < h * h; i++) {
        Root w = fft_root(i / h * (i % h) % l.n, l.n);
        double v = scale * (sines ? -w.im : w.re);
        scalar_store(l.part, data + (size_t)i * item, scalar_from_double(l.part, v));
    }
    Ref all = build_constant(l.g, (Type){ (uint8_t)l.part, 2, dim + 1 }, data);
    return build_broadcast(l.g, all, dim, 3, (int64_t[]){ 1, 2 });
}

static Ref backwards(FftLine l, Ref x) { return build_reverse(l.g, x, (int64_t[]){ 1 }, 1); }

/* u and v of a plane. */
static void fold_plane(FftLine l, Ref x, Ref *u, Ref *v)
{
    static const int64_t first[] = { 0, 1, 0 }, none[3];
    int64_t h = l.n / 2 + 1;
    *u = *v = REF_NONE;
    if (x == REF_NONE) return;
    Ref front = build_slice_along(l.g, x, 1, 0, h, 1), back = build_slice_along(l.g, x, 1, h, l.n, 1);
    Ref zero = build_zeros(l.g, type_scalar((uint8_t)l.part));
    back = build_pad(l.g, backwards(l, back), zero, first, none, none);
    *u = real_add(l.g, front, back);
    *v = real_sub(l.g, front, back);
}

/* y[k] for k up to n / 2, and the others, which come in y[n - k] backwards. */
static Ref joined(FftLine l, Ref front, Ref back)
{
    back = backwards(l, build_slice_along(l.g, back, 1, 1, l.n / 2 + 1, 1));
    return build_concatenate(l.g, (Ref[]){ front, back }, 2, 1);
}

Pair fft_by_product(FftLine l, Pair x, double scale)
{
    Graph *g = l.g;
    uint32_t n = x.im == REF_NONE ? 2 : 4; /* u and v of each plane */
    Ref of[4], wave[] = { waves(l, false, scale), waves(l, true, scale) };
    fold_plane(l, x.re, &of[0], &of[1]);
    fold_plane(l, x.im, &of[2], &of[3]);
    build_barrier(g, of, n, of);
    for (uint32_t i = 0; i < n; i++) of[i] = matrix_product(g, wave[i % 2], of[i]);
    build_barrier(g, of, n, of);
    Pair a = { of[0], of[2] }, b = { of[1], of[3] }, front = fft_minus_i(g, a, b), back = fft_plus_i(g, a, b);
    return (Pair){ joined(l, front.re, back.re), joined(l, front.im, back.im) };
}
