/* ops_quantile.c: what stands where in the order of the elements: quantiles, medians; and weighted means and
 * ranges.
 *
 * The axes become one row, which is sorted. Where q is a C number, its place in the row is known, and two
 * slices of the sorted row are read: what is compiled selects them and does not sort. NaNs stand last; those
 * that are passed over are counted off.
 */
#include "ops_compose.h"
#include <math.h>
#include <string.h>
#include "weft/numeric.h"

typedef enum { LINEAR, LOWER, HIGHER, NEAREST, MIDPOINT, METHODS } Method;

/* One call: the rows [.., n] of x, floats, and what is wanted of them. */
typedef struct Quantile {
    Type of; /* x */
    AxisList axes;
    bool keep, pass_nan;
    Method method;
    double scale; /* of q: 1, or 100 */
    weft_array *rows;
    int64_t n;
} Quantile;

static bool read_method(const weft_over *over, Quantile *k)
{
    static const char *const name[METHODS] = { "linear", "lower", "higher", "nearest", "midpoint" };
    if (!ops_is_text(over->axes, "axes", over->written_) ||
        !ops_is_text(over->method, "method", over->written_))
        return false;
    for (int i = 0; over->method && i < METHODS; i++)
        if (!strcmp(over->method, name[i])) return k->method = (Method)i, true;
    return !over->method ||
           op_fail(WEFT_ARGUMENT,
                   ".method \"%s\" is none of \"linear\", \"lower\", \"higher\", \"nearest\", \"midpoint\"",
                   over->method);
}

static bool no_stray(const weft_over *o)
{
    return ops_unused(o->where != NULL,
                      ".where (weft_nanmedian and weft_nanquantile pass over NaNs: use weft_where)") &&
           ops_unused(o->ddof, ".ddof") && ops_unused(o->ord != 0, ".ord") &&
           ops_unused(o->weights != NULL, ".weights");
}

/* The axes one behind the other at the end, as one. */
static weft_array *as_rows(weft_array *x, const AxisList *axes, int64_t n)
{
    Type t = array_type(x);
    int64_t perm[WEFT_MAX_RANK], dim[WEFT_MAX_RANK + 1];
    int kept = axes_without(axes_mask(axes->axis, axes->n), t.rank, perm);
    memcpy(perm + kept, axes->axis, (size_t)axes->n * sizeof *perm);
    for (int i = 0; i < kept; i++) dim[i] = t.dim[perm[i]];
    dim[kept] = n;
    return ops_reshape(ops_transpose(x, perm), dim, kept + 1);
}

static bool read_rows(weft_array *x, const weft_over *over, Quantile *k)
{
    Type t = k->of = array_type(x);
    if (!no_stray(over) || !read_method(over, k) || !ops_axes_ascending(over->axes, t, &k->axes))
        return false;
    k->keep = over->keep;
    k->n = 1;
    for (int i = 0; i < k->axes.n; i++) k->n *= t.dim[k->axes.axis[i]];
    if (k->n == 0) return op_fail(WEFT_SHAPE, "%s has no elements along the axes", TYPE_TEXT(t));
    x = ops_no_complex(x) ? ops_inexact(x) : NULL;
    return x && (k->rows = as_rows(x, &k->axes, k->n));
}

static weft_array *is_nan(weft_array *x) { return ops_compare(CMP_NE, x, x); }

/* A fold over the rows' last axis. */
static weft_array *fold_rows(Op monoid, weft_array *rows)
{
    if (!rows) return NULL;
    AxisList last = { 1, { array_type(rows).rank - 1 } };
    return ops_reduce(monoid, rows, &last, false);
}

/* Between the elements below and above the place; part: how far it is above the lower one. */
static weft_array *between(const Quantile *k, weft_array *low, weft_array *high, weft_array *part)
{
    if (k->method != LINEAR && k->method != MIDPOINT) return low;
    if (!low || !high || !part) return NULL;
    if (k->method == MIDPOINT)
        part = ops_with(OP_MUL, ops_convert(ops_compare_with(CMP_GT, part, 0), ops_dtype(part)), 0.5);
    weft_array *rest = ops_from(OP_SUB, 1, part), *same = ops_compare(CMP_EQ, low, high);
    weft_array *mixed = ops_binary(OP_ADD, ops_binary(OP_MUL, low, rest), ops_binary(OP_MUL, high, part));
    if (!mixed) return NULL;
    Type t = array_type(mixed);
    /* two equal numbers are that number; their parts of the gradient are as those of others */
    weft_array *step = ops_binary(OP_MUL, ops_binary(OP_SUB, high, low), part);
    mixed = ops_select(same, ops_binary(OP_ADD, low, step), mixed);
    /* equal infinities; and an infinity above that does not count */
    weft_array *infinite = ops_binary(OP_AND, same, op_unary(OP_NOT, op_unary(OP_IS_FINITE, low)));
    weft_array *alone = ops_binary(OP_OR, infinite, ops_compare_with(CMP_EQ, part, 0));
    return ops_select(alone, ops_broadcast(low, t.dim, t.rank), mixed);
}

/* ---- a place that is known ---- */

static double rounded_place(Method m, double at)
{
    return m == HIGHER ? ceil(at) : m == NEAREST ? nearbyint(at) : floor(at);
}

static weft_array *element(weft_array *sorted, double i)
{
    Type t = array_type(sorted);
    return ops_reshape(ops_slice_axis(sorted, t.rank - 1, (int64_t)i, (int64_t)i + 1, 1), t.dim, t.rank - 1);
}

static weft_array *at_number(const Quantile *k, weft_array *sorted, double q)
{
    double at = q * (double)(k->n - 1), low = rounded_place(k->method, at), part = at - low;
    weft_array *a = element(sorted, low);
    if (!a || part <= 0) return a;
    return between(k, a, element(sorted, low + 1), op_number(ops_dtype(a), part));
}

/* ---- a place that is data ---- */

/* The greatest place of each row, as floats that hold it: f64 where the rows are. */
static weft_array *last_place(const Quantile *k, DType t)
{
    if (!k->pass_nan) return op_number(t, (double)k->n - 1);
    weft_array *counted = fold_rows(
        OP_ADD, ops_convert(op_unary(OP_NOT, is_nan(k->rows)), k->n <= INT32_MAX ? WEFT_I32 : WEFT_I64));
    return ops_with(OP_SUB, ops_convert(counted, t), 1);
}

static weft_array *place_by(Method m, weft_array *at)
{
    return op_unary(m == HIGHER ? OP_CEIL : m == NEAREST ? OP_ROUND_EVEN : OP_FLOOR, at);
}

/* sorted at places [q.., rows..] that are whole floats: one row after the other is looked up. */
static weft_array *elements(const Quantile *k, weft_array *sorted, weft_array *at)
{
    if (!sorted || !at) return NULL;
    Type row = array_type(sorted), t = array_type(at);
    int64_t dim[WEFT_MAX_RANK + 1];
    int extra = t.rank + 1 - row.rank;
    if (!ops_rank_ok(t.rank + 1)) return NULL;
    at = ops_convert(ops_with(OP_MIN, ops_with(OP_MAX, at, 0), (double)k->n - 1),
                     k->n <= INT32_MAX ? WEFT_I32 : WEFT_I64);
    for (int i = 0; i <= t.rank; i++) dim[i] = i < extra ? 1 : row.dim[i - extra];
    weft_array *all = ops_reshape(sorted, dim, t.rank + 1), *place = ops_expand(at, t.rank);
    weft_array *r = all && place ? weft_take_along_axis_(all, place, t.rank, NULL) : NULL;
    return ops_reshape(r, t.dim, t.rank);
}

/* q [q..] as [q.., 1, ..], one 1 for each axis of the rows but the last. */
static weft_array *over_rows(weft_array *q, Type row)
{
    Type t = array_type(q);
    int64_t dim[2 * WEFT_MAX_RANK];
    if (!ops_rank_ok(t.rank + row.rank - 1)) return NULL;
    for (int i = 0; i < t.rank + row.rank - 1; i++) dim[i] = i < t.rank ? t.dim[i] : 1;
    return ops_reshape(q, dim, t.rank + row.rank - 1);
}

static weft_array *at_array(const Quantile *k, weft_array *sorted, weft_array *q)
{
    if (!sorted || !q) return NULL;
    Type row = array_type(sorted), tq = array_type(q);
    DType own = ops_dtype(sorted), t = compute_type(own);
    int64_t dim[2 * WEFT_MAX_RANK];
    q = over_rows(ops_convert(q, t), row);
    weft_array *top = last_place(k, t), *at = ops_binary(OP_MUL, q, top);
    if (!at) return NULL;
    for (int i = 0; i < tq.rank + row.rank - 1; i++) dim[i] = i < tq.rank ? tq.dim[i] : row.dim[i - tq.rank];
    at = ops_broadcast(at, dim, tq.rank + row.rank - 1);
    weft_array *low = place_by(k->method, at), *part = ops_convert(ops_binary(OP_SUB, at, low), own);
    weft_array *a = elements(k, sorted, low), *b = elements(k, sorted, ops_with(OP_ADD, low, 1));
    /* beyond what is counted stand NaNs, which do not count where nothing of them is taken */
    b = part && b ? ops_select(ops_compare_with(CMP_GT, part, 0), b, a) : NULL;
    weft_array *r = between(k, a, b, part);
    weft_array *inside = op_binary(OP_AND, ops_compare_with(CMP_GE, q, 0), ops_compare_with(CMP_LE, q, 1));
    return r ? ops_select(ops_broadcast(inside, dim, tq.rank + row.rank - 1), r, ops_fill(r, NAN)) : NULL;
}

/* ---- the whole ---- */

static weft_array *sorted_rows(const Quantile *k) { return weft_sort_(k->rows, -1, (weft_order){ 0 }, NULL); }

/* A row with a NaN has no quantiles, unless NaNs are passed over. */
static weft_array *without_nan(const Quantile *k, weft_array *r)
{
    if (!r || k->pass_nan) return r;
    return ops_select(ops_broadcast(fold_rows(OP_OR, is_nan(k->rows)), array_type(r).dim, array_type(r).rank),
                      ops_fill(r, NAN), r);
}

/* [q.., rows..] with the axes that were folded in place again, as 1s. */
static weft_array *with_axes(const Quantile *k, weft_array *r)
{
    if (!r || !k->keep) return r;
    Type t = array_type(r);
    int extra = t.rank - (k->of.rank - k->axes.n);
    int64_t dim[2 * WEFT_MAX_RANK];
    uint64_t folded = axes_mask(k->axes.axis, k->axes.n);
    if (!ops_rank_ok(extra + k->of.rank)) return NULL;
    for (int i = 0; i < extra; i++) dim[i] = t.dim[i];
    for (int i = 0; i < k->of.rank; i++) dim[extra + i] = folded >> i & 1 ? 1 : k->of.dim[i];
    return ops_reshape(r, dim, extra + k->of.rank);
}

static bool number_good(double q, double scale)
{
    return (q >= 0 && q <= scale) || op_fail(WEFT_ARGUMENT, "q is %.17g: it must be in 0 .. %g", q, scale);
}

static double number_of(weft_operand q)
{
    return q.kind == WEFT_OPERAND_FLOAT_  ? q.v.f
           : q.kind == WEFT_OPERAND_UINT_ ? (double)q.v.u
                                          : (double)q.v.i;
}

static weft_array *quantile_of(weft_array *x, weft_operand q, const weft_over *over, bool pass_nan,
                               double scale)
{
    Quantile k = { .pass_nan = pass_nan, .scale = scale };
    bool number = q.kind != WEFT_OPERAND_ARRAY_;
    if ((number && !number_good(number_of(q), scale)) || !read_rows(x, over, &k)) return NULL;
    weft_array *sorted = sorted_rows(&k);
    if (!sorted) return NULL;
    weft_array *r;
    if (number && !pass_nan) r = at_number(&k, sorted, number_of(q) / scale);
    else {
        weft_array *place =
            number ? op_number(compute_type(ops_dtype(sorted)), number_of(q)) : ops_inexact(ops_in(q.v.a));
        if (place && scale != 1) place = ops_with(OP_DIV, place, scale);
        r = at_array(&k, sorted, place);
    }
    return with_axes(&k, without_nan(&k, r));
}

#define QUANTILE(name, pass_nan, scale) \
    OPS_ENTRY(name, (weft_operand q, weft_over over), (q), (q, over)) \
    { \
        return quantile_of(x, q, &over, pass_nan, scale); \
    }
QUANTILE(quantile, false, 1)
QUANTILE(percentile, false, 100)
QUANTILE(nanquantile, true, 1)
QUANTILE(nanpercentile, true, 100)

#define OVER_AXES(name, composition) \
    OPS_ENTRY(name, (weft_over over), (), (over)) \
    { \
        return ops_is_text(over.axes, "axes", over.written_) ? composition : NULL; \
    } \
    weft_array *(weft_##name)(weft_array * x) { return weft_##name##_(x, (weft_over){ .axes = NULL }, NULL); }

static weft_array *median_of(weft_array *x, const weft_over *over, bool pass_nan)
{
    return ops_unused(over->method != NULL, ".method") ? quantile_of(x, weft_of_float(0.5), over, pass_nan, 1)
                                                       : NULL;
}

OVER_AXES(median, median_of(x, &over, false))
OVER_AXES(nanmedian, median_of(x, &over, true))

/* ---- ranges and means ---- */

static weft_array *range(weft_array *x, weft_over over)
{
    weft_array *most = weft_max_(x, over, NULL), *least = weft_min_(x, over, NULL);
    return most && least ? op_binary(OP_SUB, most, least) : NULL;
}

OVER_AXES(ptp, range(x, over))

/* The weights in x's shape, or along its one axis. */
static weft_array *weights_of(weft_array *x, const weft_over *over)
{
    Type t = array_type(x), w = array_type(over->weights);
    AxisList axes;
    int64_t dim[WEFT_MAX_RANK];
    if (shape_equal(t, w)) return ops_in(over->weights);
    if (!ops_axes_ascending(over->axes, t, &axes)) return NULL;
    for (int i = 0; i < t.rank; i++) dim[i] = axes.n == 1 && i == axes.axis[0] ? t.dim[i] : 1;
    if (axes.n == 1 && w.rank == 1 && w.dim[0] == t.dim[axes.axis[0]])
        return ops_reshape(ops_in(over->weights), dim, t.rank);
    return op_fail(WEFT_SHAPE,
                   ".weights %s are neither of the shape of %s nor one for each element along one axis",
                   TYPE_TEXT(w), TYPE_TEXT(t));
}

static weft_array *average(weft_array *x, weft_over over)
{
    if (!ops_unused(over.method != NULL, ".method")) return NULL;
    if (!over.weights) return weft_mean_(x, over, NULL);
    weft_array *w = weights_of(x, &over);
    over.weights = NULL;
    if (!w) return NULL;
    const weft_operand both[2] = { weft_of_array(x), weft_of_array(w) };
    weft_array *of[2];
    if (!ops_unify(both, 2, RULE_INEXACT, of)) return NULL;
    return ops_binary(OP_DIV, weft_sum_(op_binary(OP_MUL, of[0], of[1]), over, NULL),
                      weft_sum_(of[1], over, NULL));
}

weft_array *weft_average_(const weft_array *x, weft_over over, const char *at)
{
    OpsCall call;
    bool good = ops_begin_on(&call, "weft_average", at, x, over.weights) &&
                ops_is_text(over.axes, "axes", over.written_) &&
                ops_unused(over.where != NULL, ".where (weights of 0 leave elements out)");
    return ops_end(&call, good ? average(ops_in(x), over) : NULL);
}

weft_array *(weft_average)(weft_array *x) { return weft_average_(x, (weft_over){ .axes = NULL }, NULL); }
