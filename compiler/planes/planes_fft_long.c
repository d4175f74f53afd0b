/* planes_fft_long.c: Fourier transforms of any length: the radices, and the stages. See fft.h. */
#include "fft.h"

enum { MAX_STAGES = 64 };
/* Columns of a stage of a large prime: so few are rows; so many fill vectors and registers. */
enum { FEW_COLUMNS = 4, MANY_COLUMNS = 16 };
/* The largest such prime, with many columns, and with fewer. (AVX2, f32, by Bluestein's algorithm or so: 500
 * times 199: 890 or 510 us, 500 times 241: 470 or 720; 97 x 8: 6.0 or 4.5, 101 x 8: 4.7 or 6.3.) */
enum { MAX_PRODUCT = 200, MAX_PRODUCT_OF_FEW = 97 };

/* The first of these that divides n; 0: none does. */
static int first_of(const char *radices, int64_t n)
{
    for (; *radices; radices++)
        if (n % *radices == 0) return *radices;
    return 0;
}

/* Of two short transforms the shorter is as long as can be: 0 if there are no two. */
static int half_of(int64_t n)
{
    for (int r = 2; r <= MAX_SHORT_FFT; r++)
        if (n % r == 0 && n / r <= r) return n / r >= 2 ? r : 0;
    return 0;
}

/* The first radix r. Vectors go along the n / r elements of each of its parts, which should fill them, short
 * vectors and long ones. Its stage stores an element of each part behind one another: squares of 8 are what
 * shuffles transpose best. (256 times 1000: 10, 5, 5, 4 in AVX-512 263, AVX2 359, SSE2 655 us; 8, 5, 5, 5 in
 * 212, 247, 452.) */
static int first_radix(int64_t n)
{
    static const struct {
        int r, least; /* n / r, at least */
    } from[] = { { 8, 16 }, { 10, 32 }, { 9, 16 }, { 7, 16 }, { 6, 16 },
                 { 5, 16 }, { 4, 16 },  { 3, 16 }, { 5, 8 } };
    static const char any[] = { 13, 11, 10, 9, 7, 6, 5, 4, 3, 2, 0 };
    if (n % 8 == 0 && n / 8 < 10) return (int)(n / 8);
    if (n % 16 == 0 && n / 8 < 14) return 4;
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        if (n % from[i].r == 0 && n / from[i].r >= from[i].least) return from[i].r;
    int half = half_of(n);
    return half ? half : first_of(any, n);
}

int64_t fft_first_rows(int64_t n) { return n <= MAX_SHORT_FFT ? 1 : n / first_radix(n); }

static bool is_odd_power_of_two(int64_t n)
{
    bool odd = false;
    for (; n % 2 == 0; n /= 2) odd = !odd;
    return odd;
}

/* The next one, where `left` is to come behind stages of product s. The numbers of a stage of 4 stay in 16
 * registers: 4, 4, 4 are as fast as 8, 8 with 32 of them, and faster with 16. A larger one takes the place of
 * a stage of 2, once q is about as long as a vector. The last one is large where its planes are stored (256
 * times 1024 real numbers, AVX-512: 8, 4, 4, 4 in 205 us, 8, 4, 16 in 160, AVX2 both in 175); where its real
 * and imaginary parts are to be stored in turn, it makes them in turn only if it is 5 at most. */
static int next_radix(int64_t left, int64_t s, bool in_planes)
{
    static const char of_short[] = { 4, 3, 5, 7, 2, 13, 11, 0 },
                      of_long[] = { 4, 6, 10, 5, 7, 3, 2, 13, 11, 0 };
    if (in_planes && s >= 8 && (left == 16 || left == 10)) return (int)left;
    if (in_planes && s >= 8 && left % 50 == 0) return 5;
    if (s >= 8 && left % 8 == 0 && is_odd_power_of_two(left)) return 8;
    return first_of(s < 6 ? of_short : of_long, left);
}

/* Radices whose product is n, which has small factors, in the order of the stages; how many. The same for all
 * machines, as eager mode's are. Many columns that are stored as planes go through the caches at each
 * stage: few large ones (257 columns of 512, AVX2: 16, 8, 4 in 320 us, 8, 4, 16 in 430). */
static int small_radices(FftLine l, int *radix)
{
    int count = 0;
    bool few = l.in_planes && l.inner > 1 && l.n % 16 == 0;
    if (l.n <= MAX_SHORT_FFT) return radix[0] = (int)l.n, 1;
    for (int64_t left = l.n; left > 1; left /= radix[count++])
        radix[count] = count ? next_radix(left, l.n / left, l.in_planes) : few ? 16 : first_radix(left);
    return count;
}

static int64_t large_part(int64_t n)
{
    for (int p; (p = first_of((const char[]){ 2, 3, 5, 7, 11, 13, 0 }, n)) != 0;) n /= p;
    return n;
}

/* By the columns of all lines, wherever they are: eager mode has them elsewhere where it transposes. */
static int max_product(FftLine l, int64_t p)
{
    return l.batch * (l.n / p) * l.inner < MANY_COLUMNS ? MAX_PRODUCT_OF_FEW : MAX_PRODUCT;
}

/* The large ones, which are primes, come last, where nothing is put in another order. 0: one is too large. */
static int radices_of(FftLine l, int *radix)
{
    int64_t left = large_part(l.n);
    FftLine small = l;
    small.n /= left;
    small.in_planes |= left > 1;
    int count = small.n > 1 || left == 1 ? small_radices(small, radix) : 0;
    for (int p = MAX_SHORT_FFT + 1; left > 1; p += 2) {
        if (p > max_product(l, p)) return 0;
        for (; left % p == 0; left /= p) radix[count++] = p;
    }
    return count;
}

/* Part k of axis 1, of r. */
static Ref part_of(FftLine l, Ref plane, int64_t r, int64_t m, int64_t q, int64_t k)
{
    if (plane == REF_NONE) return plane;
    Ref view = build_reshape(l.g, plane, (int64_t[]){ l.batch, r, m, q }, 4);
    return build_reshape(l.g, build_slice_along(l.g, view, 1, k, k + 1, 1), (int64_t[]){ l.batch, m, q }, 3);
}

/* exp(-2 pi i k p / n) for p below m, along axis 1. */
static Pair turns(FftLine l, int64_t k, int64_t n, int64_t m, int64_t q)
{
    int64_t along = 1, dim[] = { l.batch, m, q };
    size_t item = dtype_bytes(l.part);
    char *data[2];
    Ref plane[2];
    for (int i = 0; i < 2; i++) data[i] = arena_alloc(l.g->arena, (size_t)m * item + 1);
    for (int64_t p = 0; p < m; p++) {
        Root w = fft_root(k * p % n, n);
        scalar_store(l.part, data[0] + (size_t)p * item, scalar_from_double(l.part, w.re));
        scalar_store(l.part, data[1] + (size_t)p * item, scalar_from_double(l.part, w.im));
    }
    for (int i = 0; i < 2; i++)
        plane[i] = build_broadcast(l.g, build_constant(l.g, (Type){ (uint8_t)l.part, 1, &m }, data[i]), dim,
                                   3, &along);
    return (Pair){ plane[0], plane[1] };
}

static Ref parts_together(FftLine l, const Ref *parts, int r, int64_t m, int64_t q)
{
    Ref each[MAX_SHORT_FFT];
    for (int k = 0; k < r; k++) each[k] = build_reshape(l.g, parts[k], (int64_t[]){ l.batch, m, 1, q }, 4);
    return build_concatenate(l.g, each, r, 2);
}

/* n = r m s, and stages of product s are done. */
static Pair stage(FftLine l, Pair x, int r, int64_t s, double scale)
{
    int64_t m = l.n / (r * s), q = s * l.inner;
    Pair in[MAX_SHORT_FFT], out[MAX_SHORT_FFT], y;
    Ref re[MAX_SHORT_FFT], im[MAX_SHORT_FFT];
    for (int k = 0; k < r; k++) in[k] = (Pair){ part_of(l, x.re, r, m, q, k), part_of(l, x.im, r, m, q, k) };
    fft_short(l.g, in, out, r);
    for (int k = 0; k < r; k++) {
        if (k && m > 1) {
            Pair w = turns(l, k, r * m, m, q);
            out[k] = fft_mul(l.g, out[k], w.re, w.im);
        }
        out[k] = fft_scale(l.g, scale, out[k]);
        re[k] = out[k].re;
        im[k] = out[k].im == REF_NONE ? real_fill(l.g, out[k].re, 0) : out[k].im;
    }
    y = (Pair){ parts_together(l, re, r, m, q), parts_together(l, im, r, m, q) };
    int64_t dim[] = { l.batch, l.n, l.inner };
    if (m > 1) build_barrier(l.g, (Ref[]){ y.re, y.im }, 2, (Ref *)&y);
    return (Pair){ build_reshape(l.g, y.re, dim, 3), build_reshape(l.g, y.im, dim, 3) };
}

/* [a, b, c] as [b, a, c], or as [a, c, b] */
static Ref exchanged(Graph *g, Ref plane, int64_t a, int64_t b, int64_t c, bool last)
{
    static const int64_t perm[][3] = { { 1, 0, 2 }, { 0, 2, 1 } };
    if (plane == REF_NONE) return plane;
    return build_transpose(g, build_reshape(g, plane, (int64_t[]){ a, b, c }, 3), perm[last]);
}

/* [batch, r, m, q] times exp(-2 pi i k p / (r m)), as [batch, m, r, q] */
static Pair turned_stage(FftLine l, Pair x, int64_t r, int64_t m, int64_t q)
{
    FftLine all = { l.g, l.part, l.batch, r * m, q, true };
    double *re = arena_alloc(l.g->arena, (size_t)(r * m) * sizeof *re),
           *im = arena_alloc(l.g->arena, (size_t)(r * m) * sizeof *im);
    for (int64_t i = 0; i < r * m; i++) {
        Root w = fft_root(i / m * (i % m), r * m);
        re[i] = w.re, im[i] = w.im;
    }
    x = (Pair){ fft_seen(all, x.re), fft_seen(all, x.im) };
    x = fft_mul(l.g, x, fft_numbers(all, re), fft_numbers(all, im));
    Ref y[] = { x.re, x.im };
    for (int i = 0; i < 2; i++) {
        y[i] = build_reshape(l.g, y[i], (int64_t[]){ l.batch, r, m, q }, 4);
        y[i] = build_transpose(l.g, y[i], (int64_t[]){ 0, 2, 1, 3 });
    }
    build_barrier(l.g, y, 2, y);
    return (Pair){ y[0], y[1] };
}

/* n = r m s, and stages of product s are done. Few columns are rows; if there are many, but few in each of
 * the arrays, they are columns of one. */
static Pair large_stage(FftLine l, Pair x, int r, int64_t s, double scale)
{
    Graph *g = l.g;
    int64_t b = l.batch, m = l.n / (r * s), c = m * s * l.inner, all = b * c;
    FftLine rows = { g, l.part, all, r, 1, true }, one = { g, l.part, 1, r, all, true },
            each = { g, l.part, b, r, c, true };
    if (c > 1 && all <= FEW_COLUMNS) {
        x = (Pair){ exchanged(g, x.re, b, r, c, true), exchanged(g, x.im, b, r, c, true) };
        x = fft_by_product(rows, (Pair){ fft_seen(rows, x.re), fft_seen(rows, x.im) }, scale);
        x = (Pair){ exchanged(g, x.re, b, c, r, true), exchanged(g, x.im, b, c, r, true) };
    } else if (c > 1 && c < MANY_COLUMNS && b > 1) {
        x = (Pair){ exchanged(g, x.re, b, r, c, false), exchanged(g, x.im, b, r, c, false) };
        x = fft_by_product(one, (Pair){ fft_seen(one, x.re), fft_seen(one, x.im) }, scale);
        x = (Pair){ exchanged(g, x.re, r, b, c, false), exchanged(g, x.im, r, b, c, false) };
    } else x = fft_by_product(each, (Pair){ fft_seen(each, x.re), fft_seen(each, x.im) }, scale);
    if (m > 1) x = turned_stage(l, x, r, m, s * l.inner);
    return (Pair){ fft_seen(l, x.re), fft_seen(l, x.im) };
}

Pair fft_along(FftLine l, Pair x, double scale)
{
    int radix[MAX_STAGES], n = radices_of(l, radix);
    int64_t s = 1;
    if (n == 0) return fft_by_chirp(l, x, scale);
    for (int i = 0; i < n; s *= radix[i++]) {
        double by = i == n - 1 ? scale : 1;
        x = radix[i] > MAX_SHORT_FFT ? large_stage(l, x, radix[i], s, by) : stage(l, x, radix[i], s, by);
    }
    return x;
}

/* With real and imaginary parts exchanged, before and after, the way back is the way forwards. */
Pair fft_back_along(FftLine l, Pair x, double scale)
{
    if (x.im == REF_NONE) x.im = real_fill(l.g, x.re, 0);
    Pair y = fft_along(l, (Pair){ x.im, x.re }, scale);
    return (Pair){ y.im, y.re };
}
