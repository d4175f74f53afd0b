/* ops_resize.c: arrays in other sizes, as jax.image.resize makes them: along each axis that changes, weighted
 * means of elements that lie in a row. */
#include "ops_index.h"
#include <math.h>
#include <string.h>

typedef enum { NEAREST, LINEAR, CUBIC, LANCZOS3, LANCZOS5, METHODS } Method;

/* Along one axis n elements become `to`. Each result is a weighted mean of `taps` elements in a row. Where
 * the row hangs over an end, elements from the other end stand there, and zero is taken for them: so none is
 * read more often than another, and gradients are as regular. */
typedef struct Line {
    Method method;
    DType type;
    int64_t n, to, taps;
    double wide, radius; /* in elements: what 1 is to the kernel, and how far it reaches */
} Line;

static Line line_of(Method m, DType t, int64_t n, int64_t to)
{
    static const double radius[METHODS] = { 0.5, 1, 2, 3, 5 };
    double wide = m != NEAREST && n > to ? (double)n / (double)to : 1;
    return (Line){ m, t, n, to, (int64_t)ceil(2 * radius[m] * wide), wide, radius[m] * wide };
}

/* The middle of a result, where that of element i is i + 1/2. */
static double middle_of(Line l, int64_t o) { return ((double)o + 0.5) * (double)l.n / (double)l.to; }

/* May be none of the n. Nearest takes the one in whose part of the axis the result's middle lies. */
static int64_t tap_of(Line l, int64_t o, int64_t tap)
{
    double at = middle_of(l, o);
    return (int64_t)(l.method == NEAREST ? floor(at) : ceil(at - 0.5 - l.radius)) + tap;
}

/* r sin(pi x) sin(pi x / r) / (pi x)^2 within the radius */
static double lanczos(double x, double r)
{
    if (x > r) return 0;
    return x > 1e-3 ? r * sin(M_PI * x) * sin(M_PI * x / r) / (M_PI * M_PI * x * x) : 1;
}

static double kernel(Method m, double x)
{
    if (m == LINEAR) return x < 1 ? 1 - x : 0;
    if (m != CUBIC) return lanczos(x, m == LANCZOS3 ? 3 : 5);
    /* Keys, a = -1/2 */
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

static bool is_inside(Line l, int64_t i) { return i >= 0 && i < l.n; }

static double weight_of(Line l, int64_t o, int64_t tap)
{
    int64_t i = tap_of(l, o, tap);
    return is_inside(l, i) ? kernel(l.method, fabs(middle_of(l, o) - 0.5 - (double)i) / l.wide) : 0;
}

/* ---- tables: of `count` taps of each result, from one of them on ---- */

typedef struct Taps {
    Line line;
    int64_t from, count;
} Taps;

static void put_positions(const void *user, void *data)
{
    const Taps *t = user;
    DType index = t->line.n <= INT32_MAX ? WEFT_I32 : WEFT_I64;
    char *to = data;
    for (int64_t o = 0; o < t->line.to; o++)
        for (int64_t k = t->from; k < t->from + t->count; k++, to += dtype_bytes(index)) {
            int64_t i = tap_of(t->line, o, k) % t->line.n;
            scalar_store(index, to, scalar_from_i64(index, i < 0 ? i + t->line.n : i));
        }
}

/* Their sum over all taps is 1. */
static void put_weights(const void *user, void *data)
{
    const Taps *t = user;
    const Line l = t->line;
    char *to = data;
    for (int64_t o = 0; o < l.to; o++) {
        double sum = 0;
        for (int64_t k = 0; k < l.taps; k++) sum += weight_of(l, o, k);
        for (int64_t k = t->from; k < t->from + t->count; k++, to += dtype_bytes(l.type))
            scalar_store(l.type, to, scalar_from_double(l.type, weight_of(l, o, k) / sum));
    }
}

static void put_inside(const void *user, void *data)
{
    const Taps *t = user;
    bool *to = data;
    for (int64_t o = 0; o < t->line.to; o++)
        for (int64_t k = t->from; k < t->from + t->count; k++)
            *to++ = is_inside(t->line, tap_of(t->line, o, k));
}

/* Do none of the rows hang over an end with these taps? */
static bool all_inside(Taps t)
{
    Line l = t.line;
    return is_inside(l, tap_of(l, 0, t.from)) && is_inside(l, tap_of(l, l.to - 1, t.from + t.count - 1));
}

static weft_array *positions(Taps t, const int64_t *dim, int rank)
{
    return op_table(ops_type(t.line.n <= INT32_MAX ? WEFT_I32 : WEFT_I64, dim, rank), put_positions, &t);
}

/* The elements at axis a that these taps take, times their weights: [to] stands at a, or if there are several
 * taps [to, count]. */
static weft_array *weighted(Taps t, weft_array *x, int a)
{
    int64_t dim[] = { t.line.to, t.count }, axes[] = { a, a + 1 };
    int rank = t.count > 1 ? 2 : 1;
    weft_array *part = index_gather(x, positions(t, dim, rank), a);
    weft_array *w = part ? op_table(ops_type(t.line.type, dim, rank), put_weights, &t) : NULL;
    if (!w) return NULL;
    Type all = array_type(part);
    if (!all_inside(t)) {
        weft_array *inside = op_table(ops_type(WEFT_BOOL, dim, rank), put_inside, &t);
        part = ops_select(ops_broadcast_axes(inside, all.dim, all.rank, axes), part, ops_fill(part, 0));
    }
    return ops_binary(OP_MUL, part, ops_broadcast_axes(w, all.dim, all.rank, axes));
}

/* Up to so many taps are written out. */
enum { WRITTEN_OUT = 12 };

static weft_array *resized(Line l, weft_array *x, int a)
{
    weft_array *sum = NULL;
    if (l.method == NEAREST) return index_gather(x, positions((Taps){ l, 0, 1 }, &l.to, 1), a);
    if (l.taps > WRITTEN_OUT)
        return ops_reduce(OP_ADD, weighted((Taps){ l, 0, l.taps }, x, a), &(AxisList){ 1, { a + 1 } }, false);
    for (int64_t k = 0; k < l.taps; k++) {
        weft_array *part = weighted((Taps){ l, k, 1 }, x, a);
        sum = sum ? ops_binary(OP_ADD, sum, part) : part;
    }
    return sum;
}

static bool read_method(const char *text, Method *m)
{
    static const char *const name[METHODS] = { "nearest", "linear", "cubic", "lanczos3", "lanczos5" };
    for (int i = 0; text && i < METHODS; i++)
        if (!strcmp(text, name[i])) return *m = (Method)i, true;
    return op_fail(
        WEFT_ARGUMENT,
        "the method \"%s\" is none of \"nearest\", \"linear\", \"cubic\", \"lanczos3\", \"lanczos5\"",
        text ? text : "NULL");
}

static bool sizes_fit(Type t, const int64_t *dim, int rank)
{
    if (rank != t.rank)
        return op_fail(WEFT_ARGUMENT, "%d sizes for the %d axes of %s", rank, t.rank, TYPE_TEXT(t));
    if (!ops_dims_ok((DType)t.dtype, dim, rank)) return false;
    for (int i = 0; i < rank; i++)
        if (t.dim[i] == 0 && dim[i] > 0)
            return op_fail(WEFT_SHAPE, "axis %d of %s has no elements, of which %lld could be made", i,
                           TYPE_TEXT(t), (long long)dim[i]);
    return true;
}

/* The next axis to be resized; -1: none is left. First those that shrink, from the first on, then those that
 * grow, from the last on: the last axis is the dearest, for vectors go along it. */
static int next_axis(Type t, const int64_t *dim)
{
    for (int i = 0; i < t.rank; i++)
        if (dim[i] < t.dim[i]) return i;
    for (int i = t.rank - 1; i >= 0; i--)
        if (dim[i] > t.dim[i]) return i;
    return -1;
}

OPS_ENTRY(resize, (const char *method, int rank, const int64_t *dim), (), (method, rank, dim))
{
    Type t = array_type(x);
    Method m = LINEAR;
    if (!read_method(method, &m) || !sizes_fit(t, dim, rank)) return NULL;
    DType own = m == NEAREST ? (DType)t.dtype : ops_weak_float((DType)t.dtype),
          inner = m == NEAREST ? own : compute_type(own);
    x = ops_convert(x, inner);
    for (int i; x && (i = next_axis(array_type(x), dim)) >= 0;)
        x = dim[i] ? resized(line_of(m, inner, t.dim[i], dim[i]), x, i) : ops_slice_axis(x, i, 0, 0, 1);
    return ops_convert(x, own);
}
