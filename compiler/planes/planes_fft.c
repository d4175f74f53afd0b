/* planes_fft.c: FFT, IFFT, RFFT and IRFFT over the last axes: one axis after the other. An even number of
 * real numbers is half as many complex ones. */
#include "fft.h"

/* Axis `axis` of arrays of this shape. */
static FftLine line_of(Graph *g, DType part, Type t, int axis)
{
    FftLine l = { g, part, 1, t.dim[axis], 1 };
    for (int i = 0; i < axis; i++) l.batch *= t.dim[i];
    for (int i = axis + 1; i < t.rank; i++) l.inner *= t.dim[i];
    return l;
}

static Ref seen(FftLine l, Ref plane)
{
    return plane == REF_NONE ? plane : build_reshape(l.g, plane, (int64_t[]){ l.batch, l.n, l.inner }, 3);
}

static Pair seen_pair(FftLine l, Pair x) { return (Pair){ seen(l, x.re), seen(l, x.im) }; }

static Pair shaped(Graph *g, Pair x, Type t)
{
    return (Pair){ build_reshape(g, x.re, t.dim, t.rank), build_reshape(g, x.im, t.dim, t.rank) };
}

static Ref along(FftLine l, Ref x, int64_t from, int64_t to, int64_t step)
{
    return build_slice_along(l.g, x, 1, from, to, step);
}

static Ref backwards(FftLine l, Ref x) { return build_reverse(l.g, x, (int64_t[]){ 1 }, 1); }

static Ref behind(FftLine l, Ref a, Ref b) { return build_concatenate(l.g, (Ref[]){ a, b }, 2, 1); }

/* exp(-2 pi i k / n) for k below count; conjugate: exp(2 pi i k / n) */
static Pair half_turns(FftLine l, int64_t count, int64_t n, bool conjugate)
{
    double *re = arena_alloc(l.g->arena, (size_t)count * sizeof *re + 1),
           *im = arena_alloc(l.g->arena, (size_t)count * sizeof *im + 1);
    for (int64_t k = 0; k < count; k++) {
        Root w = fft_root(k, n);
        re[k] = w.re, im[k] = conjugate ? -w.im : w.im;
    }
    l.n = count;
    return (Pair){ fft_numbers(l, re), fft_numbers(l, im) };
}

/* x of n = 2 h real numbers as h complex ones z, even indices and odd ones; Z their transform. Those of the
 * even ones are E = (Z[k] + conj Z[h - k]) / 2, of the odd ones O = (Z[k] - conj Z[h - k]) / 2i, and what is
 * wanted, for k = 0 .. h, is E + exp(-2 pi i k / n) O. */
static Pair of_even(FftLine l, Ref x)
{
    Graph *g = l.g;
    FftLine h = l;
    h.n = l.n / 2;
    Pair z = fft_along(h, (Pair){ along(l, x, 0, l.n, 2), along(l, x, 1, l.n, 2) }, 0.5);
    build_barrier(g, (Ref[]){ z.re, z.im }, 2, (Ref *)&z);
    Ref a = behind(h, z.re, along(h, z.re, 0, 1, 1)), b = behind(h, z.im, along(h, z.im, 0, 1, 1)),
        c = backwards(h, a), d = backwards(h, b);
    Pair even = { real_add(g, a, c), real_sub(g, b, d) }, odd = { real_add(g, b, d), real_sub(g, c, a) };
    Pair w = half_turns(l, h.n + 1, l.n, false);
    return fft_add(g, even, fft_mul(g, odd, w.re, w.im));
}

static Pair of_real(FftLine l, Ref x)
{
    if (l.n % 2 == 0) return of_even(l, x);
    Pair y = fft_along(l, (Pair){ x, REF_NONE }, 1);
    return (Pair){ along(l, y.re, 0, l.n / 2 + 1, 1), along(l, y.im, 0, l.n / 2 + 1, 1) };
}

/* The imaginary parts of the first number, and of the middle one of an even length, do not count. */
static Ref ends_cleared(FftLine l, Ref im)
{
    int64_t n = l.n / 2 + 1, low[] = { 0, 1, 0 }, high[] = { 0, l.n % 2 == 0, 0 }, none[3] = { 0 };
    Ref inner = along(l, im, 1, n - high[1], 1);
    return build_pad(l.g, inner, build_zeros(l.g, type_scalar((uint8_t)l.part)), low, high, none);
}

/* The way back of of_even: Z = E + i O from E = (X[k] + conj X[h - k]) / 2 and O = exp(2 pi i k / n)
 * (X[k] - conj X[h - k]) / 2. */
static Ref to_even(FftLine l, Pair x, double scale)
{
    Graph *g = l.g;
    FftLine h = l;
    h.n = l.n / 2;
    Ref a = along(l, x.re, 0, h.n, 1), b = along(l, x.im, 0, h.n, 1),
        c = backwards(l, along(l, x.re, 1, h.n + 1, 1)), d = backwards(l, along(l, x.im, 1, h.n + 1, 1));
    Pair even = { real_add(g, a, c), real_sub(g, b, d) }, odd = { real_sub(g, a, c), real_add(g, b, d) };
    Pair w = half_turns(l, h.n, l.n, true);
    odd = fft_mul(g, odd, w.re, w.im);
    Pair z = { real_sub(g, even.re, odd.im), real_add(g, even.im, odd.re) };
    z = fft_back_along(h, z, scale);
    int64_t dim[] = { l.batch, h.n, 1, l.inner };
    Ref both[] = { build_reshape(g, z.re, dim, 4), build_reshape(g, z.im, dim, 4) };
    return seen(l, build_concatenate(g, both, 2, 2));
}

static Ref to_real(FftLine l, Pair x, double scale)
{
    x.im = ends_cleared(l, x.im);
    if (l.n % 2 == 0) return to_even(l, x, scale);
    if (l.n == 1) return fft_scale(l.g, scale, x).re;
    int64_t n = l.n / 2 + 1;
    Ref re = backwards(l, along(l, x.re, 1, n, 1)), im = real_neg(l.g, backwards(l, along(l, x.im, 1, n, 1)));
    return fft_back_along(l, (Pair){ behind(l, x.re, re), behind(l, x.im, im) }, scale).re;
}

/* The axes but the last, one after the other. */
static Pair other_axes(Graph *g, Pair x, Type t, int axes, bool back)
{
    DType part = dtype_part((DType)t.dtype);
    for (int i = 2; i <= axes; i++) {
        FftLine l = line_of(g, part, t, t.rank - i);
        Pair y =
            back ? fft_back_along(l, seen_pair(l, x), 1 / (double)l.n) : fft_along(l, seen_pair(l, x), 1);
        x = shaped(g, y, t);
    }
    return x;
}

/* The last axis is the first on the way forwards and the last on the way back. */
bool planes_fft(Arena *a, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)a;
    FftKind kind = (FftKind)n->attr[0];
    int axes = (int)n->n_attr - 1, last = n->rank - 1;
    Type from = types[0], to = node_type(n);
    DType part = dtype_part((DType)to.dtype);
    Pair x = args[0];
    if (type_count(from) == 0 || type_count(to) == 0) {
        Type plane = { (uint8_t)part, to.rank, to.dim };
        *out = (Pair){ build_zeros(g, plane), kind == FFT_TO_REAL ? REF_NONE : build_zeros(g, plane) };
        return true;
    }
    if (kind == FFT_TO_REAL) {
        FftLine l = line_of(g, part, to, last);
        x = other_axes(g, x, from, axes, true);
        l.n = n->attr[axes];
        FftLine half = l;
        half.n = from.dim[last];
        Ref y = to_real(l, seen_pair(half, x), 1 / (double)l.n);
        *out = (Pair){ build_reshape(g, y, to.dim, to.rank), REF_NONE };
        return true;
    }
    FftLine l = line_of(g, part, from, last);
    x = seen_pair(l, x);
    Pair y = kind == FFT_OF_REAL ? of_real(l, x.re)
             : kind == FFT_BACK  ? fft_back_along(l, x, 1 / (double)l.n)
                                 : fft_along(l, x, 1);
    *out = other_axes(g, shaped(g, y, to), to, axes, kind == FFT_BACK);
    return true;
}
