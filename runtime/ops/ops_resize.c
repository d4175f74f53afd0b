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
    int64_t step, phases; /* n / to in lowest terms */
    double wide, radius;  /* in elements: what 1 is to the kernel, and how far it reaches */
} Line;

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

static Line line_of(Method m, DType t, int64_t n, int64_t to)
{
    static const double radius[METHODS] = { 0.5, 1, 2, 3, 5 };
    double wide = m != NEAREST && n > to ? (double)n / (double)to : 1;
    int64_t d = common_divisor(n, to), taps = (int64_t)ceil(2 * radius[m] * wide);
    return (Line){ m, t, n, to, taps, n / d, to / d, wide, radius[m] * wide };
}

/* The middle of a result, where that of element i is i + 1/2. */
static double middle_of(Line l, int64_t o) { return ((double)o + 0.5) * (double)l.n / (double)l.to; }

/* As many results as there are phases are a block. Each block takes what the one before took, `step` elements
 * further: to the last bit, so no rounding moves one of them. */
static int64_t block_of(Line l, int64_t o) { return o < l.phases ? 0 : o / l.phases; }

/* May be none of the n. Nearest takes the one in whose part of the axis the result's middle lies. */
static int64_t tap_of(Line l, int64_t o, int64_t tap)
{
    int64_t block = block_of(l, o);
    double at = middle_of(l, o - block * l.phases);
    int64_t first = (int64_t)(l.method == NEAREST ? floor(at) : ceil(at - 0.5 - l.radius));
    return block * l.step + first + tap;
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
    int64_t i = tap_of(l, o, tap), block = block_of(l, o);
    double far = fabs(middle_of(l, o - block * l.phases) - 0.5 - (double)(i - block * l.step));
    return is_inside(l, i) ? kernel(l.method, far / l.wide) : 0;
}

/* ---- tables: of the results first, first + stride, .. `count` taps of each, from one of them on ---- */

typedef struct Taps {
    Line line;
    int64_t from, count, first, stride;
} Taps;

static Taps all_results(Line l, int64_t from, int64_t count) { return (Taps){ l, from, count, 0, 1 }; }

static void put_positions(const void *user, void *data)
{
    const Taps *t = user;
    DType index = t->line.n <= INT32_MAX ? WEFT_I32 : WEFT_I64;
    char *to = data;
    for (int64_t o = t->first; o < t->line.to; o += t->stride)
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
    for (int64_t o = t->first; o < l.to; o += t->stride) {
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
    for (int64_t o = t->first; o < t->line.to; o += t->stride)
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

/* x times the weights of these taps, [results, count] or, of a single tap, [results], which stand at a. */
static weft_array *by_weights(Taps t, weft_array *x, int a)
{
    if (!x) return NULL;
    int64_t dim[] = { (t.line.to - t.first + t.stride - 1) / t.stride, t.count }, axes[] = { a, a + 1 };
    Type all = array_type(x);
    weft_array *w = op_table(ops_type(t.line.type, dim, t.count > 1 ? 2 : 1), put_weights, &t);
    return ops_binary(OP_MUL, x, ops_broadcast_axes(w, all.dim, all.rank, axes));
}

/* The elements at axis a that these taps take, times their weights: [to] stands at a, or if there are several
 * taps [to, count]. */
static weft_array *weighted(Taps t, weft_array *x, int a)
{
    int64_t dim[] = { t.line.to, t.count }, axes[] = { a, a + 1 };
    int rank = t.count > 1 ? 2 : 1;
    weft_array *part = index_gather(x, positions(t, dim, rank), a);
    if (part && !all_inside(t)) {
        Type all = array_type(part);
        weft_array *inside = op_table(ops_type(WEFT_BOOL, dim, rank), put_inside, &t);
        part = ops_select(ops_broadcast_axes(inside, all.dim, all.rank, axes), part, ops_fill(part, 0));
    }
    return by_weights(t, part, a);
}

/* Up to so many taps are written out, and so many results beside each other, if those behind them go on as
 * they do, and all of a row, with what its elements hold, are no fewer than this: steps along short rows
 * leave vectors half empty. */
enum { WRITTEN_OUT = 12, MOST_PHASES = 4, LONG_ROW = 64 };

static bool has_phases(Line l, const weft_array *x, int a)
{
    Type t = array_type(x);
    int64_t row = l.to;
    for (int i = a + 1; i < t.rank; i++) row *= t.dim[i];
    return l.taps <= WRITTEN_OUT && l.phases <= MOST_PHASES && row >= LONG_ROW &&
           (l.phases == 1 || t.rank < WEFT_MAX_RANK);
}

/* The k-th of some terms after the sum of those before. */
static weft_array *with_term(weft_array *sum, int64_t k, weft_array *term)
{
    return k == 0 ? term : sum && term ? ops_binary(OP_ADD, sum, term) : NULL;
}

static weft_array *padded(weft_array *x, int a, int64_t low, int64_t high)
{
    Type t = array_type(x);
    int64_t attr[3 * WEFT_MAX_RANK] = { 0 };
    attr[a] = low;
    attr[t.rank + a] = high;
    return op_apply(OP_PAD, (weft_array *[]){ x, op_number((DType)t.dtype, 0) }, 2, attr, 3 * t.rank, NULL);
}

/* A tap of every so many results is a slice with steps: no table says where it reads, and vectors are loaded
 * (180 x 320 x 3 to 720 x 1280 x 3, cubic, AVX-512: 1190 -> 430 us; 512 x 512 to 1024 x 1024: 890 -> 210). */
static weft_array *in_phases(Line l, weft_array *x, int a)
{
    int64_t blocks = l.to / l.phases, low = -tap_of(l, 0, 0),
            high = tap_of(l, l.to - 1, l.taps - 1) - (l.n - 1);
    if (low < 0) low = 0;
    x = padded(x, a, low, high > 0 ? high : 0);
    weft_array *phase[MOST_PHASES] = { NULL };
    for (int64_t r = 0; x && r < l.phases; r++) {
        for (int64_t k = 0; k < l.taps; k++) {
            int64_t begin = low + tap_of(l, r, k);
            weft_array *part = ops_slice_axis(x, a, begin, begin + (blocks - 1) * l.step + 1, l.step);
            phase[r] = with_term(phase[r], k, by_weights((Taps){ l, k, 1, r, l.phases }, part, a));
        }
        if (phase[r] && l.phases > 1) phase[r] = ops_expand(phase[r], a + 1);
        if (!phase[r]) return NULL;
    }
    if (!x || l.phases == 1) return phase[0];
    weft_array *all = ops_concatenate(phase, (int)l.phases, a + 1);
    if (!all) return NULL;
    Type t = array_type(x);
    int64_t dim[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) dim[i] = i == a ? l.to : t.dim[i];
    return ops_reshape(all, dim, t.rank);
}

static weft_array *resized(Line l, weft_array *x, int a)
{
    weft_array *sum = NULL;
    if (l.method == NEAREST) return index_gather(x, positions(all_results(l, 0, 1), &l.to, 1), a);
    if (has_phases(l, x, a)) return in_phases(l, x, a);
    if (l.taps > WRITTEN_OUT)
        return ops_reduce(OP_ADD, weighted(all_results(l, 0, l.taps), x, a), &(AxisList){ 1, { a + 1 } },
                          false);
    for (int64_t k = 0; k < l.taps; k++) sum = with_term(sum, k, weighted(all_results(l, k, 1), x, a));
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
    bool is_made = false;
    for (int i; x && (i = next_axis(array_type(x), dim)) >= 0; is_made = m != NEAREST) {
        /* Each of its elements is read by several taps of the next axis. */
        if (is_made && !(x = op_apply(OP_BARRIER, &x, 1, NULL, 0, NULL))) return NULL;
        x = dim[i] ? resized(line_of(m, inner, t.dim[i], dim[i]), x, i) : ops_slice_axis(x, i, 0, 0, 1);
    }
    return ops_convert(x, own);
}
