/* ops_update.c: arrays with some elements changed: by text, by arrays of indices, at positions that are data.
 *
 * A text with steps of 1 is an update of a slice, which a loop does in place; other steps spread the new
 * values by pad and select. Indices that the caller wraps or clamps are prepared here; SCATTER itself drops
 * what lies outside.
 */
#include "ops_index.h"
#include <string.h>

static const Op update_op[] = {
    [WEFT_SET] = OP_RESULT, [WEFT_ADD] = OP_ADD, [WEFT_MUL] = OP_MUL, [WEFT_MIN] = OP_MIN, [WEFT_MAX] = OP_MAX
};

static bool check_combine(const char *what, weft_combine with)
{
    return (unsigned)with <= WEFT_MAX ||
           op_fail(WEFT_ARGUMENT, "%s is %d (WEFT_SET, WEFT_ADD, WEFT_MUL, WEFT_MIN, WEFT_MAX are known)",
                   what, (int)with);
}

/* v in x's element type, which must be able to hold it. */
static weft_array *fitting(weft_operand v, Type t)
{
    DType to = (DType)t.dtype;
    if (v.kind == WEFT_OPERAND_FLOAT_ && !dtype_is_inexact(to))
        return op_fail(WEFT_DTYPE, "the number %g does not go into %s (use weft_astype)", v.v.f,
                       TYPE_TEXT(t));
    if (v.kind == WEFT_OPERAND_ARRAY_ && ops_promote(to, ops_dtype(v.v.a)) != to)
        return op_fail(WEFT_DTYPE, "%s does not go into %s without loss (use weft_astype)",
                       TYPE_TEXT(array_type(v.v.a)), TYPE_TEXT(t));
    return ops_operand(v, to);
}

static weft_array *fitting_shape(weft_array *v, const int64_t *dim, int rank)
{
    if (!v || ops_fits(array_type(v), dim, rank)) return ops_broadcast(v, dim, rank);
    return op_fail(WEFT_SHAPE, "%s does not broadcast to the %s that is to be changed",
                   TYPE_TEXT(array_type(v)), TYPE_TEXT(ops_type(ops_dtype(v), dim, rank)));
}

/* ---- slices at positions that are data ---- */

static weft_array *constant_index(int64_t v) { return op_integer(v <= INT32_MAX ? WEFT_I32 : WEFT_I64, v); }

static weft_array *update_slice(weft_array *x, weft_array *update, weft_array *const *starts)
{
    weft_array *args[WEFT_MAX_RANK + 2] = { x, update };
    if (!x || !update) return NULL;
    int rank = array_type(x).rank;
    if (rank) memcpy(args + 2, starts, (size_t)rank * sizeof *args);
    return op_apply(OP_DYNAMIC_UPDATE_SLICE, args, rank + 2, NULL, 0, NULL);
}

static weft_array *cut_slice(weft_array *x, weft_array *const *starts, const int64_t *sizes)
{
    weft_array *args[WEFT_MAX_RANK + 1] = { x };
    int rank = array_type(x).rank;
    if (rank) memcpy(args + 1, starts, (size_t)rank * sizeof *args);
    return op_apply(OP_DYNAMIC_SLICE, args, rank + 1, sizes, rank, NULL);
}

/* All of one type, as DYNAMIC_SLICE wants them: a start of 64 bits makes all so. */
static bool unify_starts(weft_array **start, int n)
{
    bool wide = false, good = true;
    for (int i = 0; i < n; i++) wide |= start[i] && array_type(start[i]).dtype == WEFT_I64;
    for (int i = 0; i < n; i++)
        good &= (start[i] = start[i] ? ops_convert(start[i], wide ? WEFT_I64 : WEFT_I32) : NULL) != NULL;
    return good;
}

/* The numbers of one array of starts, one for each axis of t; from the end where they are negative. */
static bool read_starts(weft_operand starts, Type t, weft_array **out)
{
    weft_array *s = ops_value(starts);
    if (!s) return false;
    Type ts = array_type(s);
    if (!ops_int_ok(ts, "the starts must be integers")) return false;
    if (ts.rank == 0 && t.rank == 1) s = ops_reshape(s, (int64_t[]){ 1 }, 1);
    else if (ts.rank != 1 || ts.dim[0] != t.rank)
        return op_fail(WEFT_SHAPE, "the starts %s are not one for each of the %d axes of %s", TYPE_TEXT(ts),
                       t.rank, TYPE_TEXT(t));
    for (int i = 0; i < t.rank; i++)
        if (!(out[i] = index_wrapped(ops_reshape(ops_slice_axis(s, 0, i, i + 1, 1), NULL, 0), t.dim[i])))
            return false;
    return unify_starts(out, t.rank);
}

/* The start along one axis, 0 along the others. */
static bool start_along(weft_operand start, Type t, int axis, weft_array **out, int *a)
{
    weft_array *s = ops_value(start);
    if (!s || !ops_axis(axis, t.rank, t, a)) return false;
    Type ts = array_type(s);
    if (ts.rank) return op_fail(WEFT_SHAPE, "the start %s is not one number", TYPE_TEXT(ts));
    if (!ops_int_ok(ts, "the start must be an integer")) return false;
    for (int i = 0; i < t.rank; i++) out[i] = i == *a ? index_wrapped(s, t.dim[i]) : constant_index(0);
    return unify_starts(out, t.rank);
}

OPS_ENTRY(dynamic_slice, (weft_operand starts, int n, const int64_t *sizes), (starts), (starts, n, sizes))
{
    Type t = array_type(x);
    weft_array *start[WEFT_MAX_RANK];
    if (n != t.rank) return op_fail(WEFT_ARGUMENT, "%d sizes for the %d axes of %s", n, t.rank, TYPE_TEXT(t));
    if (!ops_sizes_ok(sizes, n)) return NULL;
    return read_starts(starts, t, start) ? cut_slice(x, start, sizes) : NULL;
}

OPS_ENTRY(dynamic_slice_axis, (weft_operand start, int64_t size, int axis), (start), (start, size, axis))
{
    Type t = array_type(x);
    weft_array *starts[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK];
    int a;
    if (!start_along(start, t, axis, starts, &a)) return NULL;
    for (int i = 0; i < t.rank; i++) sizes[i] = i == a ? size : t.dim[i];
    return cut_slice(x, starts, sizes);
}

OPS_ENTRY(dynamic_update_slice, (weft_operand update, weft_operand starts), (update, starts),
          (update, starts))
{
    Type t = array_type(x);
    weft_array *start[WEFT_MAX_RANK], *u = fitting(update, t);
    return u && read_starts(starts, t, start) ? update_slice(x, u, start) : NULL;
}

OPS_ENTRY(dynamic_update_axis, (weft_operand update, weft_operand start, int axis), (update, start),
          (update, start, axis))
{
    Type t = array_type(x);
    weft_array *starts[WEFT_MAX_RANK], *u = fitting(update, t);
    int a;
    if (!u || !start_along(start, t, axis, starts, &a)) return NULL;
    if (array_type(u).rank == t.rank - 1) u = ops_expand(u, a);
    return update_slice(x, u, starts);
}

/* ---- by text ---- */

typedef struct Taken {
    int64_t n[WEFT_MAX_RANK];
    bool none, unit_strides, whole;
} Taken;

/* Elements that the cut takes along each axis of x. */
static Taken taken_by(Type t, const IndexCut *c)
{
    Taken k = { .none = false, .unit_strides = true, .whole = true };
    for (int i = 0; i < t.rank; i++) {
        int64_t start = c->attr[i], limit = c->attr[t.rank + i], stride = c->attr[2 * t.rank + i];
        k.n[i] = limit > start ? (limit - start - 1) / stride + 1 : 0;
        k.none |= k.n[i] == 0;
        k.unit_strides &= stride == 1 || k.n[i] == 1;
        k.whole &= k.n[i] == t.dim[i];
    }
    return k;
}

/* v spread to x's shape, each element where the cut took it from. */
static weft_array *spread(weft_array *v, Type t, const IndexCut *c, const Taken *k)
{
    int64_t attr[3 * WEFT_MAX_RANK];
    if (!v) return NULL;
    for (int i = 0; i < t.rank; i++) {
        int64_t stride = c->attr[2 * t.rank + i];
        attr[i] = c->attr[i];
        attr[t.rank + i] = t.dim[i] - c->attr[i] - ((k->n[i] - 1) * stride + 1);
        attr[2 * t.rank + i] = stride - 1;
    }
    return op_apply(OP_PAD, (weft_array *[]){ v, op_integer(ops_dtype(v), 0) }, 2, attr, 3 * t.rank, NULL);
}

/* x with v, which has the shape of the cut, where the cut is. */
static weft_array *put_back(weft_array *x, weft_array *v, const IndexCut *c)
{
    if (!v) return NULL;
    Type t = array_type(x);
    Taken k = taken_by(t, c);
    if (k.none) return x;
    v = ops_reshape(v, k.n, t.rank);
    if (c->backwards.n) v = op_apply(OP_REVERSE, &v, 1, c->backwards.axis, c->backwards.n, NULL);
    if (k.whole) return v;
    if (!k.unit_strides)
        return ops_select(spread(ops_splat(WEFT_BOOL, k.n, t.rank, 1), t, c, &k), spread(v, t, c, &k), x);
    weft_array *starts[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) starts[i] = constant_index(c->attr[i]);
    return unify_starts(starts, t.rank) ? update_slice(x, v, starts) : NULL;
}

static weft_array *set_text(weft_array *x, weft_operand value, const char *text, weft_combine with)
{
    Type t = array_type(x);
    IndexCut c;
    weft_array *v = fitting(value, t);
    if (!v || !index_cut(t, text, &c)) return NULL;
    v = fitting_shape(v, c.shape.dim, c.shape.rank);
    return put_back(x, with == WEFT_SET ? v : op_binary(update_op[with], index_cut_out(x, &c), v), &c);
}

weft_array *weft_set_(weft_combine with, const weft_array *x, weft_operand v, const char *text, int n,
                      const int64_t *numbers, const char *at)
{
    static const char *const names[] = { "weft_set", "weft_set_add", "weft_set_mul", "weft_set_min",
                                         "weft_set_max" };
    OpsCall call;
    char whole[INDEX_TEXT];
    weft_operand o[] = { weft_of_array(x), v };
    bool good = ops_begin(&call, names[(unsigned)with <= WEFT_MAX ? with : WEFT_SET], at, NULL, o, 2) &&
                check_combine("the first argument", with) && index_text(whole, text, n, numbers);
    return ops_end(&call, good ? set_text(ops_in(x), v, whole, with) : NULL);
}

/* ---- by arrays of indices ---- */

static weft_array *apply_scatter(weft_array *x, weft_array *indices, weft_array *v, const AttrList *attr,
                                 Op op)
{
    if (!x || !indices || !v) return NULL;
    return ops_apply_monoid(op, OP_SCATTER, (weft_array *[]){ x, indices, v }, 3, attr->v, attr->n);
}

weft_array *ops_scatter(weft_array *x, weft_array *indices, int a, weft_array *v, Op op)
{
    if (!x || !indices || !v) return NULL;
    AttrList attr = index_attr(array_type(x).rank, a, 1, array_type(indices).rank, 2);
    return apply_scatter(x, indices, v, &attr, op);
}

/* From the end if negative, inside if clamped; else what lies outside stays there. */
static weft_array *prepared(weft_array *indices, int64_t n, bool clip)
{
    indices = index_wrapped(indices, n);
    if (!indices || !clip) return indices;
    weft_array *last = index_fill(indices, n - 1);
    return op_binary(OP_MIN, ops_with(OP_MAX, indices, 0), last);
}

OPS_ENTRY(scatter, (weft_operand positions, int axis, weft_operand value, weft_update u), (positions, value),
          (positions, axis, value, u))
{
    Type t = array_type(x);
    Shape s;
    int a;
    weft_array *indices = ops_value(positions), *v = fitting(value, t);
    if (!v || !indices || !check_combine(".with", u.with) || !ops_axis(axis, t.rank, t, &a) ||
        !index_shape(t, array_type(indices), a, &s))
        return NULL;
    v = fitting_shape(v, s.dim, s.rank);
    return ops_scatter(x, prepared(indices, t.dim[a], u.clip), a, v, update_op[u.with]);
}

/* Index vectors for the first k axes: each position prepared with its own axis's size. */
static weft_array *prepared_vectors(weft_array *indices, Type t, int k, bool clip)
{
    weft_array *part[WEFT_MAX_RANK];
    int last = array_type(indices).rank - 1;
    if (k == 0) return ops_convert(indices, WEFT_I32);
    for (int i = 0; i < k; i++)
        if (!(part[i] = prepared(ops_slice_axis(indices, last, i, i + 1, 1), t.dim[i], clip))) return NULL;
    return unify_starts(part, k) ? ops_concatenate(part, k, last) : NULL;
}

OPS_ENTRY(scatter_at, (const weft_array *indices, weft_operand value, weft_update u),
          (weft_of_array(indices), value), (indices, value, u))
{
    Type t = array_type(x), ti = array_type(indices);
    weft_array *v = fitting(value, t);
    if (!v || !check_combine(".with", u.with)) return NULL;
    if (!ops_int_ok(ti, "the indices must be integers")) return NULL;
    if (ti.rank == 0) return op_fail(WEFT_SHAPE, "the indices %s have no axis of positions", TYPE_TEXT(ti));
    int q = ti.rank - 1;
    if (ti.dim[q] > t.rank)
        return op_fail(WEFT_SHAPE, "the indices %s are positions along %lld axes, but %s has %d",
                       TYPE_TEXT(ti), (long long)ti.dim[q], TYPE_TEXT(t), t.rank);
    int k = (int)ti.dim[q], rank = q + t.rank - k;
    int64_t dim[WEFT_MAX_RANK];
    if (!ops_rank_ok(rank)) return NULL;
    for (int i = 0; i < rank; i++) dim[i] = i < q ? ti.dim[i] : t.dim[i - q + k];
    AttrList attr = index_attr(t.rank, 0, k, q, 2);
    return apply_scatter(x, prepared_vectors(ops_in(indices), t, k, u.clip), fitting_shape(v, dim, rank),
                         &attr, update_op[u.with]);
}
