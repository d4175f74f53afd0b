/* ops_order.c: order: sorts, positions in sorted arrays, distinct values. The comparator of a sort is what
 * JAX writes for the same keys, so that whatever recognises one recognises the other. */
#include "ops_index.h"
#include <math.h>

/* ---- comparators ---- */

typedef struct Keys {
    int n, n_keys;
    const DType *dtype;
    bool descending, total;
} Keys;

/* Zeros as one zero, NaNs as one NaN. */
static Ref one_of_each(Graph *g, Ref x, DType t)
{
    Ref zero = build_number(g, t, 0);
    Ref z = build_select(g, build_compare(g, CMP_EQ, x, zero), zero, x);
    return build_select(g, build_compare(g, CMP_NE, x, x), build_number(g, t, NAN), z);
}

static Ref compare_keys(Graph *g, CompareDir dir, Ref a, Ref b)
{
    if (!dtype_is_float((DType)graph_node(g, a)->dtype)) return build_compare(g, dir, a, b);
    return build_node(g, OP_COMPARE, (Ref[]){ a, b }, 2, (int64_t[]){ dir, ORDER_TOTAL }, 2);
}

/* x in front of y, or equal and the rest of the keys so. */
static Ref before_by(Graph *g, const Keys *k, CompareDir dir, Ref x, Ref y, Ref rest)
{
    DType t = (DType)graph_node(g, x)->dtype;
    if (dtype_is_float(t) && !k->total) x = one_of_each(g, x, t), y = one_of_each(g, y, t);
    Ref first = compare_keys(g, dir, x, y);
    if (rest == REF_NONE) return first;
    return build_binary(g, OP_OR, first, build_binary(g, OP_AND, compare_keys(g, CMP_EQ, x, y), rest));
}

/* Complex keys are two, the real part in front. */
static const Graph *build_comparator(Arena *a, const void *what)
{
    const Keys *k = what;
    Graph *g = graph_new(a, NULL);
    CompareDir dir = k->descending ? CMP_GT : CMP_LT;
    Ref *p = arena_alloc(a, 2 * (size_t)k->n * sizeof *p), before = REF_NONE;
    for (int i = 0; i < 2 * k->n; i++) p[i] = build_param(g, (Type){ (uint8_t)k->dtype[i / 2], 0, NULL });
    for (int i = k->n_keys; i-- > 0;) {
        Ref x = p[2 * i], y = p[2 * i + 1];
        bool pair = dtype_is_complex(k->dtype[i]);
        for (Op part = pair ? OP_IMAG : OP_REAL;; part = OP_REAL) {
            before = before_by(g, k, dir, pair ? build_unary(g, part, x) : x,
                               pair ? build_unary(g, part, y) : y, before);
            if (part == OP_REAL) break;
        }
    }
    graph_set_outputs(g, &before, 1);
    return g;
}

enum { MAX_SORTED = 64 };

/* Arrays in order along an axis, ascending or descending, stable: the first n_keys are compared, NaNs are
 * last (first if descending), -0 equals 0. total: by IEEE's total order instead. False: out has NULLs. */
static bool sort_arrays(weft_array *const *x, int n, int n_keys, int axis, bool descending, bool total,
                        weft_array **out)
{
    DType dtype[MAX_SORTED];
    for (int i = 0; i < n; i++) {
        out[i] = NULL;
        if (!x[i]) return false;
        dtype[i] = ops_dtype(x[i]);
    }
    return ops_apply_region(build_comparator, &(Keys){ n, n_keys, dtype, descending, total }, OP_SORT, x, n,
                            (int64_t[]){ axis, 1 }, 2, out, n);
}

/* ---- sorts ---- */

static weft_array *no_axes(Type t)
{
    return op_fail(WEFT_SHAPE, "%s has no axis to sort along", TYPE_TEXT(t));
}

static bool sort_axis(const weft_array *x, int axis, int *a)
{
    Type t = array_type(x);
    return t.rank ? ops_axis(axis, t.rank, t, a) : no_axes(t) != NULL;
}

static weft_array *positions(weft_array *x, int axis)
{
    Type t = array_type(x);
    return ops_iota(t.dim[axis] <= INT32_MAX ? WEFT_I32 : WEFT_I64, t.dim, t.rank, axis);
}

static bool options_good(const weft_order *o)
{
    return ops_unused(o->right, ".right") && ops_unused(o->reverse, ".reverse (sorts have .descending)");
}

/* The keys in order (which: 0), or x in the order of the keys (1). x may be NULL. */
static weft_array *sorted_by(weft_array *keys, weft_array *x, int axis, const weft_order *o, int which)
{
    weft_array *out[2];
    int n = x ? 2 : 1;
    return options_good(o) && sort_arrays((weft_array *[]){ keys, x }, n, 1, axis, o->descending, false, out)
               ? out[which]
               : NULL;
}

OPS_ENTRY(sort, (int axis, weft_order o), (), (axis, o))
{
    int a;
    return sort_axis(x, axis, &a) ? sorted_by(x, NULL, a, &o, 0) : NULL;
}

OPS_ENTRY(argsort, (int axis, weft_order o), (), (axis, o))
{
    int a;
    weft_array *p = sort_axis(x, axis, &a) ? positions(x, a) : NULL;
    return p ? sorted_by(x, p, a, &o, 1) : NULL;
}
weft_array *(weft_sort)(weft_array *x) { return weft_sort_(x, -1, (weft_order){ 0 }, NULL); }
weft_array *(weft_argsort)(weft_array *x) { return weft_argsort_(x, -1, (weft_order){ 0 }, NULL); }

static bool check_several(weft_array *const *x, int n)
{
    Type first = array_type(x[0]);
    if (first.rank == 0) return no_axes(first) != NULL;
    for (int i = 1; i < n; i++)
        if (!shape_equal(first, array_type(x[i])))
            return op_fail(WEFT_SHAPE,
                           "array %d is %s: what is sorted together has one shape, here that of %s", i,
                           TYPE_TEXT(array_type(x[i])), TYPE_TEXT(first));
    return true;
}

OPS_ENTRY(sort_by, (const weft_array *keys, int axis, weft_order o), (weft_of_array(keys)), (keys, axis, o))
{
    int a;
    Type t = array_type(keys);
    if (!check_several((weft_array *[]){ x, ops_in(keys) }, 2) || !ops_axis(axis, t.rank, t, &a)) return NULL;
    return sorted_by(ops_in(keys), x, a, &o, 1);
}

weft_array *(weft_sort_by)(weft_array *x, weft_array *keys)
{
    return weft_sort_by_(x, keys, -1, (weft_order){ 0 }, NULL);
}

static bool sort_several(const weft_array *const *in, int n, int n_keys, int axis, const weft_order *o,
                         weft_array **out)
{
    weft_array *x[MAX_SORTED];
    int a;
    for (int i = 0; i < n; i++) x[i] = ops_in(in[i]);
    Type t = array_type(x[0]);
    return check_several(x, n) && ops_axis(axis, t.rank, t, &a) && options_good(o) &&
           sort_arrays(x, n, n_keys, a, o->descending, false, out);
}

weft_status weft_sort_several_(const weft_array *const *in, int n, int n_keys, int axis, weft_array **out,
                               weft_order o, const char *at)
{
    OpsCall call;
    weft_array *sorted[MAX_SORTED] = { NULL };
    bool many = n >= 1 && n <= MAX_SORTED, sizes = many && n_keys >= 1 && n_keys <= n && n_keys <= 16;
    bool good = ops_begin_list(&call, "weft_sort_several", at, in, many ? n : 0);
    if (good && !out) good = op_fail(WEFT_ARGUMENT, "the results are NULL");
    if (good && !sizes)
        good = op_fail(WEFT_ARGUMENT, "%d keys of %d arrays (1 to 16 keys, 1 to %d arrays)", n_keys, n,
                       MAX_SORTED);
    good = good && sort_several(in, n, n_keys, axis, &o, sorted);
    for (int i = 0; out && i < n && i < MAX_SORTED; i++) good = ops_give(&call, &out[i], sorted[i], good);
    return ops_end_status(&call, good);
}

/* ---- the greatest ---- */

static weft_array *top_k(weft_array *x, int64_t k, weft_array **indices)
{
    Type t = array_type(x);
    weft_array *out[2];
    if (t.rank == 0) return no_axes(t);
    int last = t.rank - 1;
    if (k < 0 || k > t.dim[last])
        return op_fail(WEFT_ARGUMENT, "%lld of the %lld elements of a row of %s", (long long)k,
                       (long long)t.dim[last], TYPE_TEXT(t));
    if (!sort_arrays((weft_array *[]){ x, positions(x, last) }, 2, 1, last, true, true, out)) return NULL;
    *indices = ops_slice_axis(out[1], last, 0, k, 1);
    return ops_slice_axis(out[0], last, 0, k, 1);
}

weft_array *weft_top_k_(const weft_array *x, int64_t k, weft_array **indices, const char *at)
{
    OpsCall call;
    weft_array *places = NULL,
               *r = ops_begin_on(&call, "weft_top_k", at, x, NULL) ? top_k(ops_in(x), k, &places) : NULL;
    return ops_end(&call, ops_give(&call, indices, places, r) ? r : NULL);
}

/* ---- places in a sorted array ---- */

static bool has_nan(const weft_array *x) { return x && dtype_is_inexact(ops_dtype(x)); }
static weft_array *is_nan(weft_array *x) { return ops_compare(CMP_NE, x, x); }

/* Does element a stand before where v goes? NaNs are last. Left: a < v, right: a <= v. */
static weft_array *stands_before(weft_array *a, weft_array *v, bool right)
{
    weft_array *less = ops_compare(right ? CMP_LE : CMP_LT, a, v);
    if (!has_nan(v)) return less;
    weft_array *nan = is_nan(v);
    return op_binary(OP_OR, less, right ? nan : op_binary(OP_AND, nan, op_unary(OP_NOT, is_nan(a))));
}

/* Sorted arrays of up to so many bytes are looked at as a whole (1M of f32 among 16: AVX-512 1700 -> 500 us,
 * AVX2 3700 -> 360; among 64: 2280 -> 1900, 2570 -> 1360). */
enum { LOOKED_AT_BYTES = 256 };

/* How many are: true along axis 0, as a number of this type. */
static weft_array *count_true(weft_array *x, DType index)
{
    return ops_reduce(OP_ADD, ops_convert(x, index), &(AxisList){ 1, { 0 } }, false);
}

static weft_array *counted_before(weft_array *sorted, weft_array *v, DType index, bool right)
{
    Type t = array_type(v);
    int64_t first = 0, n = array_type(sorted).dim[0], dim[WEFT_MAX_RANK] = { n }, axes[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) dim[i + 1] = t.dim[i], axes[i] = i + 1;
    weft_array *a = ops_broadcast_axes(sorted, dim, t.rank + 1, &first),
               *b = ops_broadcast_axes(v, dim, t.rank + 1, axes);
    weft_array *count = count_true(ops_compare(right ? CMP_LE : CMP_LT, a, b), index);
    if (!has_nan(v)) return count;
    weft_array *numbers =
        right ? op_integer(index, n) : count_true(ops_compare(CMP_EQ, sorted, sorted), index);
    return ops_select(is_nan(v), ops_broadcast(numbers, t.dim, t.rank), count);
}

/* How many elements stand before v: of many, the bits of that number from the highest down, all queries at
 * once. */
weft_array *ops_searchsorted(weft_array *sorted, weft_array *v, bool right)
{
    weft_operand o[] = { weft_of_array(sorted), weft_of_array(v) };
    if (!sorted || !v) return NULL;
    DType common = ops_common_dtype(o, 2, RULE_SAME);
    sorted = ops_convert(sorted, common);
    v = ops_convert(v, common);
    if (!sorted || !v) return NULL;
    Type t = array_type(v);
    int64_t n = array_type(sorted).dim[0], step = 1;
    DType index = n <= INT32_MAX ? WEFT_I32 : WEFT_I64;
    if (n > 0 && n * (int64_t)dtype_bytes(common) <= LOOKED_AT_BYTES && t.rank < WEFT_MAX_RANK)
        return counted_before(sorted, v, index, right);
    weft_array *at = ops_splat(index, t.dim, t.rank, 0);
    while (step <= n / 2) step *= 2;
    for (; n > 0 && step > 0; step /= 2) {
        weft_array *next = ops_with(OP_ADD, at, (double)step);
        weft_array *before = stands_before(index_gather(sorted, ops_with(OP_SUB, next, 1), 0), v, right);
        before = before ? op_binary(OP_AND, before, ops_compare_with(CMP_LE, next, (double)n)) : NULL;
        at = ops_select(before, next, at);
    }
    return at;
}

OPS_ENTRY(searchsorted, (weft_operand value, weft_order o), (value), (value, o))
{
    weft_array *v = ops_value(value);
    if (!v || !ops_unused(o.descending, ".descending") || !ops_unused(o.reverse, ".reverse")) return NULL;
    Type t = array_type(x);
    if (t.rank != 1) return op_fail(WEFT_SHAPE, "the sorted array %s does not have one axis", TYPE_TEXT(t));
    return ops_searchsorted(x, v, o.right);
}

weft_array *(weft_searchsorted)(weft_array *sorted, weft_array *v)
{
    return weft_searchsorted_(sorted, weft_of_array(v), (weft_order){ 0 }, NULL);
}

/* ---- distinct values ---- */

/* A sorted row and where its elements came from; group: the number of the group of equals; first: is it its
 * group's first? */
typedef struct EqualGroups {
    weft_array *sorted, *from, *group, *first;
    int64_t n;
} EqualGroups;

static bool find_groups(weft_array *x, EqualGroups *s)
{
    weft_array *out[2];
    s->n = type_count(array_type(x));
    weft_array *flat = ops_reshape(x, &s->n, 1);
    if (!flat || !sort_arrays((weft_array *[]){ flat, positions(flat, 0) }, 2, 1, 0, false, false, out))
        return false;
    s->sorted = out[0];
    s->from = out[1];
    weft_array *before = ops_slice_axis(s->sorted, 0, 0, s->n - 1, 1),
               *after = ops_slice_axis(s->sorted, 0, 1, s->n, 1);
    weft_array *differ = ops_compare(CMP_NE, before, after);
    if (has_nan(before))
        differ =
            op_binary(OP_AND, differ, op_unary(OP_NOT, op_binary(OP_AND, is_nan(before), is_nan(after))));
    s->first =
        differ
            ? ops_concatenate((weft_array *[]){ ops_splat(WEFT_BOOL, (int64_t[]){ 1 }, 1, 1), differ }, 2, 0)
            : NULL;
    s->group =
        s->first
            ? ops_with(OP_SUB, ops_cumulative(OP_ADD, ops_convert(s->first, ops_dtype(s->from)), 0, false), 1)
            : NULL;
    return s->group != NULL;
}

/* The filler where there is no group, else the value of each group's first. */
static weft_array *firsts(const EqualGroups *s, weft_array *value, weft_array *filler, int64_t size)
{
    weft_array *at = ops_select(s->first, s->group, ops_fill(s->group, (double)size));
    return ops_scatter(ops_broadcast(filler, &size, 1), at, 0, value, OP_RESULT);
}

static weft_array *first_of(weft_array *x) { return ops_reshape(ops_slice_axis(x, 0, 0, 1, 1), NULL, 0); }

static weft_array *fill_of(const weft_array *fill, weft_array *x)
{
    Type t = array_type(fill);
    if (t.rank) return op_fail(WEFT_SHAPE, ".fill is %s, not one number", TYPE_TEXT(t));
    return ops_convert(ops_in(fill), ops_dtype(x));
}

typedef struct Unique {
    weft_array *values, *indices, *inverse, *counts;
} Unique;

static bool unique_of_nothing(weft_array *x, int64_t size, const weft_uniques *u, Unique *r)
{
    Type t = array_type(x);
    if (!u->fill && size)
        return op_fail(WEFT_ARGUMENT, "%s has no elements: .fill must say what the %lld values are",
                       TYPE_TEXT(t), (long long)size);
    r->values = u->fill ? ops_broadcast(fill_of(u->fill, x), &size, 1) : ops_reshape(x, &size, 1);
    r->indices = r->counts = ops_splat(WEFT_I32, &size, 1, 0);
    r->inverse = ops_splat(WEFT_I32, t.dim, t.rank, 0);
    return r->values != NULL;
}

static bool unique(weft_array *x, int64_t size, const weft_uniques *u, Unique *r)
{
    EqualGroups s;
    Type t = array_type(x);
    if (size < 0) return op_fail(WEFT_ARGUMENT, "size is %lld", (long long)size);
    if (type_count(t) == 0) return unique_of_nothing(x, size, u, r);
    if (!find_groups(x, &s)) return false;
    DType index = ops_dtype(s.group);
    r->values = firsts(&s, s.sorted, u->fill ? fill_of(u->fill, x) : first_of(s.sorted), size);
    if (u->indices) r->indices = firsts(&s, s.from, first_of(s.from), size);
    if (u->counts)
        r->counts = ops_scatter(ops_splat(index, &size, 1, 0), s.group, 0, ops_fill(s.group, 1), OP_ADD);
    if (u->inverse)
        r->inverse =
            ops_reshape(ops_scatter(ops_fill(s.group, 0), s.from, 0, s.group, OP_RESULT), t.dim, t.rank);
    return r->values && (!u->indices || r->indices) && (!u->counts || r->counts) &&
           (!u->inverse || r->inverse);
}

weft_array *weft_unique_(const weft_array *x, int64_t size, weft_uniques u, const char *at)
{
    OpsCall call;
    Unique r = { .values = NULL };
    bool good = ops_begin_on(&call, "weft_unique", at, x, u.fill) && unique(ops_in(x), size, &u, &r);
    good = ops_give(&call, u.indices, r.indices, good);
    good = ops_give(&call, u.inverse, r.inverse, good);
    good = ops_give(&call, u.counts, r.counts, good);
    return ops_end(&call, good ? r.values : NULL);
}

/* ---- what is not 0 ---- */

typedef struct Nonzero {
    weft_array *at, *count;
} Nonzero;

/* Positions in the order of their bits, the set ones first: a sort by one bit is a partition. */
static bool flatnonzero(weft_array *x, int64_t size, const weft_positions *o, Nonzero *r)
{
    weft_array *out[2];
    int64_t n = type_count(array_type(x));
    if (size < 0) return op_fail(WEFT_ARGUMENT, "size is %lld", (long long)size);
    weft_array *set = ops_nonzero(ops_reshape(x, &n, 1)), *at = set ? positions(set, 0) : NULL;
    if (!at || (o->fill && !ops_int_ok(array_type(o->fill), ".fill must be an int"))) return false;
    weft_array *missing = ops_splat(ops_dtype(at), &size, 1, 0);
    if (o->fill) missing = ops_broadcast(fill_of(o->fill, at), &size, 1);
    if (!missing || !sort_arrays((weft_array *[]){ set, at }, 2, 1, 0, true, false, out)) return false;
    r->count = ops_reduce(OP_ADD, ops_convert(set, ops_dtype(at)), &(AxisList){ .n = 1 }, false);
    int64_t more = size - n;
    at = more > 0 ? ops_concatenate((weft_array *[]){ out[1], ops_slice_axis(missing, 0, 0, more, 1) }, 2, 0)
                  : ops_slice_axis(out[1], 0, 0, size, 1);
    weft_array *is_there = ops_compare(CMP_LT, positions(missing, 0), r->count);
    r->at = ops_select(is_there, at, missing);
    return r->at && r->count;
}

weft_array *weft_flatnonzero_(const weft_array *x, int64_t size, weft_positions o, const char *at)
{
    OpsCall call;
    Nonzero r = { .at = NULL };
    bool good =
        ops_begin_on(&call, "weft_flatnonzero", at, x, o.fill) && flatnonzero(ops_in(x), size, &o, &r);
    good = ops_give(&call, o.count, r.count, good);
    return ops_end(&call, good ? r.at : NULL);
}
