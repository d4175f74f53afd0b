/* planes_fft.c: FFT, IFFT, RFFT and IRFFT over the last axes: one axis after the other. An even number of
 * real numbers is half as many complex ones. */
#include "fft.h"
#include <string.h>

/* Axis `axis` of arrays of this shape. */
static FftLine line_of(Graph *g, DType part, Type t, int axis)
{
    FftLine l = { g, part, 1, t.dim[axis], 1, false };
    for (int i = 0; i < axis; i++) l.batch *= t.dim[i];
    for (int i = axis + 1; i < t.rank; i++) l.inner *= t.dim[i];
    return l;
}

Ref fft_seen(FftLine l, Ref plane)
{
    return plane == REF_NONE ? plane : build_reshape(l.g, plane, (int64_t[]){ l.batch, l.n, l.inner }, 3);
}

static Pair seen_pair(FftLine l, Pair x) { return (Pair){ fft_seen(l, x.re), fft_seen(l, x.im) }; }

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
    h.in_planes = true;
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
    return fft_seen(l, build_concatenate(g, both, 2, 2));
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

/* ---- the axes but the last ---- */

/* Bytes of a row of a block, at least: a line of the caches. Of both planes of a block, at most. Of a plane
 * that is cut into blocks. (512 x 512, complex f32: AVX2 855 -> 680 us, AVX-512 630 -> 510, SSE2 1590 ->
 * 1520; 128 x 128, AVX2: 28 -> 24.) Blocks so many bytes apart, or a multiple of that, drive each other
 * out of the caches where rows are read across them: fewer and larger ones (512 x 512, AVX2: 1.9 -> 1.2 ms,
 * 1024 x 1024 12.8 -> 10.2; but 480 x 480: 0.65 -> 0.9). */
enum {
    LEAST_BLOCK = 64,
    MOST_BLOCK = 1 << 16,
    LEAST_IN_BLOCKS = 1 << 16,
    BLOCKS_THAT_MEET = 1 << 15,
    MOST_MET_BLOCK = 1 << 18
};
/* Vectors go along the columns; of fewer, along rows. */
enum { LEAST_COLUMNS = 8 };

/* Columns of a block; 0: they are transformed all at once. A row of `last` numbers must be whole blocks. */
static int64_t columns_of_block(FftLine l, int64_t last)
{
    int64_t item = (int64_t)dtype_bytes(l.part), n = LEAST_BLOCK / item;
    if (l.n <= MAX_SHORT_FFT || last % n || l.inner == n || l.n * l.inner * item < LEAST_IN_BLOCKS) return 0;
    int64_t most = n * l.n * item % BLOCKS_THAT_MEET ? MOST_BLOCK : MOST_MET_BLOCK;
    while (last % (2 * n) == 0 && 2 * (2 * n) * l.n * item <= most) n *= 2;
    return n;
}

/* [batch, n, inner] as blocks of columns: [batch inner / columns, n, columns]. */
static Ref in_blocks(FftLine l, Ref plane, int64_t columns)
{
    if (plane == REF_NONE) return plane;
    int64_t blocks = l.inner / columns;
    Ref x = build_reshape(l.g, plane, (int64_t[]){ l.batch, l.n, blocks, columns }, 4);
    x = build_transpose(l.g, x, (int64_t[]){ 0, 2, 1, 3 });
    return build_reshape(l.g, x, (int64_t[]){ l.batch * blocks, l.n, columns }, 3);
}

static Ref in_rows(FftLine l, Ref plane, int64_t columns)
{
    Ref x = build_reshape(l.g, plane, (int64_t[]){ l.batch, l.inner / columns, l.n, columns }, 4);
    x = build_transpose(l.g, x, (int64_t[]){ 0, 2, 1, 3 });
    return build_reshape(l.g, x, (int64_t[]){ l.batch, l.n, l.inner }, 3);
}

/* Block by block: the stages of one run one after another in the caches. The result stays in blocks, which
 * the next axis reads; where the rows that its first stage reads are not whole blocks, it is put in order.
 * ends: no axis comes after it. */
static Pair columns_along(FftLine l, Pair x, double scale, bool back, int64_t last, bool ends)
{
    int64_t columns = columns_of_block(l, last);
    FftLine block = l;
    block.in_planes = l.in_planes && !columns;
    if (columns) {
        block.batch *= l.inner / columns;
        block.inner = columns;
        x = (Pair){ in_blocks(l, x.re, columns), in_blocks(l, x.im, columns) };
    }
    x = back ? fft_back_along(block, x, scale) : fft_along(block, x, scale);
    if (!ends) build_barrier(l.g, (Ref[]){ x.re, x.im }, 2, (Ref *)&x);
    if (columns) x = (Pair){ in_rows(l, x.re, columns), in_rows(l, x.im, columns) };
    if (!ends && columns && fft_first_rows(last) % columns)
        build_barrier(l.g, (Ref[]){ x.re, x.im }, 2, (Ref *)&x);
    return x;
}

/* One after the other; `ends`: the last axis is done already. */
static Pair other_axes(Graph *g, Pair x, Type t, int axes, bool back, bool ends)
{
    DType part = dtype_part((DType)t.dtype);
    for (int i = 2; i <= axes; i++) {
        FftLine l = line_of(g, part, t, t.rank - i);
        l.in_planes = true;
        double scale = back ? 1 / (double)l.n : 1;
        Pair y = columns_along(l, seen_pair(l, x), scale, back, t.dim[t.rank - 1], ends && i == axes);
        x = shaped(g, y, t);
    }
    return x;
}

/* The axis that a transpose has put last, all others in order; -1: the plane is none such. */
static int axis_put_last(const Graph *g, Ref plane)
{
    const Node *n = graph_node(g, plane);
    if (n->op != OP_TRANSPOSE) return -1;
    for (int i = 2; i < n->rank; i++)
        if (n->attr[i - 1] < n->attr[i - 2]) return -1;
    return (int)n->attr[n->rank - 1];
}

/* A transform along another axis, which a transpose has put last: along that axis where it was (512 x 512
 * along axis 0, AVX2: 2455 -> 700 us), with the same radices, for eager mode runs the transpose by itself. */
static bool planes_fft_transposed(Graph *g, Pair x, double scale, bool back, Pair *out)
{
    int axis = axis_put_last(g, x.re);
    if (axis < 0 || (x.im != REF_NONE && axis_put_last(g, x.im) != axis)) return false;
    const Node *n = graph_node(g, x.re);
    int64_t perm[WEFT_MAX_RANK];
    memcpy(perm, n->attr, n->rank * sizeof *perm);
    Pair from = { n->args[0], x.im == REF_NONE ? REF_NONE : graph_node(g, x.im)->args[0] };
    Type t = graph_type(g, from.re);
    FftLine l = line_of(g, (DType)t.dtype, t, axis);
    if (l.inner < LEAST_COLUMNS) return false;
    Pair y = columns_along(l, seen_pair(l, from), scale, back, t.dim[t.rank - 1], true);
    y = shaped(g, y, t);
    *out = (Pair){ build_transpose(g, y.re, perm), build_transpose(g, y.im, perm) };
    return true;
}

/* The last axis comes last, but where it becomes longer or shorter, of real numbers, first. */
bool planes_fft(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    (void)strict;
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
        x = other_axes(g, x, from, axes, true, false);
        l.n = n->attr[axes];
        FftLine half = l;
        half.n = from.dim[last];
        Ref y = to_real(l, seen_pair(half, x), 1 / (double)l.n);
        *out = (Pair){ build_reshape(g, y, to.dim, to.rank), REF_NONE };
        return true;
    }
    FftLine l = line_of(g, part, from, last);
    if (kind == FFT_OF_REAL) {
        *out = other_axes(g, shaped(g, of_real(l, fft_seen(l, x.re)), to), to, axes, false, true);
        return true;
    }
    if (axes == 1 &&
        planes_fft_transposed(g, x, kind == FFT_BACK ? 1 / (double)l.n : 1, kind == FFT_BACK, out))
        return true;
    x = seen_pair(l, other_axes(g, x, to, axes, kind == FFT_BACK, false));
    *out = shaped(g, kind == FFT_BACK ? fft_back_along(l, x, 1 / (double)l.n) : fft_along(l, x, 1), to);
    return true;
}
