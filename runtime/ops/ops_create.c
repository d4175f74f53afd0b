/* ops_create.c: arrays out of nothing or of a shape: constants, ranges, identity matrices, one-hot rows,
 * triangles. */
#include "ops_compose.h"
#include <math.h>

static bool given_ok(weft_dtype t, const int64_t *dim, int rank)
{
    return ops_dtype_ok(t) && ops_dims_ok(t, dim, rank);
}

static weft_array *filled(weft_dtype t, double v, int rank, const int64_t *dim)
{
    return given_ok(t, dim, rank) ? ops_broadcast(op_number(t, v), dim, rank) : NULL;
}

OPS_ENTRY_IN(zeros, (weft_context * ctx, weft_dtype t, int rank, const int64_t *dim, const char *at),
             filled(t, 0, rank, dim))
OPS_ENTRY_IN(ones, (weft_context * ctx, weft_dtype t, int rank, const int64_t *dim, const char *at),
             filled(t, 1, rank, dim))

/* The value as type t, floats as astype takes them. */
static weft_array *stretched(weft_operand value, DType t, const int64_t *dim, int rank)
{
    return ops_stretch(ops_operand(value, t), dim, rank);
}

weft_array *weft_full_(weft_context *ctx, weft_dtype t, weft_operand value, int rank, const int64_t *dim,
                       const char *at)
{
    OpsCall call;
    bool good = ops_begin(&call, "weft_full", at, ctx, &value, 1);
    return ops_end(&call, good && given_ok(t, dim, rank) ? stretched(value, t, dim, rank) : NULL);
}

OPS_ENTRY(full_like, (weft_operand value), (value), (value))
{
    Type t = array_type(x);
    return stretched(value, (DType)t.dtype, t.dim, t.rank);
}

OPS_ENTRY_OF(zeros_like, (const weft_array *x, const char *at), (weft_of_array(x)),
             full_like(ops_in(x), weft_of_int(0)))
OPS_ENTRY_OF(ones_like, (const weft_array *x, const char *at), (weft_of_array(x)),
             full_like(ops_in(x), weft_of_int(1)))
weft_array *(weft_zeros_like)(weft_array *x) { return weft_zeros_like_(x, NULL); }
weft_array *(weft_ones_like)(weft_array *x) { return weft_ones_like_(x, NULL); }

/* ---- ranges ---- */

/* iota * step + start */
static weft_array *range(DType t, weft_operand start, weft_operand step, int64_t n)
{
    weft_array *i = ops_iota(t, &n, 1, 0);
    weft_array *by = ops_broadcast(ops_operand(step, t), &n, 1),
               *from = ops_broadcast(ops_operand(start, t), &n, 1);
    return op_binary(OP_ADD, op_binary(OP_MUL, i, by), from);
}

static int64_t count_ints(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop) return 0;
    uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t by = step > 0 ? (uint64_t)step : -(uint64_t)step;
    uint64_t n = span / by + (span % by != 0);
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static double number_value(weft_operand o)
{
    return o.kind == WEFT_OPERAND_FLOAT_  ? o.v.f
           : o.kind == WEFT_OPERAND_UINT_ ? (double)o.v.u
                                          : (double)o.v.i;
}

/* A C number as one of type t: NULL after op_fail if an int type does not hold it. */
static bool number_fits(DType t, weft_operand o)
{
    if (dtype_is_float(t) || o.kind != WEFT_OPERAND_FLOAT_) return true;
    return op_fail(WEFT_DTYPE, "start, stop and step of %s must be C ints: %.17g is none", dtype_name(t),
                   o.v.f);
}

static weft_array *arange(const weft_operand *o, DType t)
{
    for (int i = 0; i < 3; i++)
        if (o[i].kind == WEFT_OPERAND_ARRAY_)
            return op_fail(WEFT_ARGUMENT,
                           "start, stop and step must be C numbers: the length depends on them");
    for (int i = 0; i < 3; i++)
        if (o[i].kind == WEFT_OPERAND_COMPLEX_)
            return op_fail(WEFT_DTYPE,
                           "start, stop and step must be real numbers: the length depends on them");
    for (int i = 0; i < 3; i++)
        if (!number_fits(t, o[i])) return NULL;
    double start = number_value(o[0]), stop = number_value(o[1]), step = number_value(o[2]);
    if (step == 0) return op_fail(WEFT_ARGUMENT, "step must not be 0");
    double n = ceil((stop - start) / step);
    if (isnan(n))
        return op_fail(WEFT_ARGUMENT, "the length from %g to %g by %g is no number", start, stop, step);
    if (n >= 0x1p63)
        return op_fail(WEFT_ARGUMENT, "from %g to %g by %g are more elements than 63 bits can count", start,
                       stop, step);
    int64_t count = dtype_is_int(t) ? count_ints(o[0].v.i, o[1].v.i, o[2].v.i) : n > 0 ? (int64_t)n : 0;
    if (!ops_dims_ok(t, &count, 1)) return NULL;
    bool holds_last =
        !dtype_is_int(t) || count == 0 || ops_operand(weft_of_int(o[0].v.i + (count - 1) * o[2].v.i), t);
    return holds_last ? range(t, o[0], o[2], count) : NULL;
}

weft_array *weft_arange_(weft_context *ctx, weft_operand start, weft_operand stop, weft_operand step,
                         const char *at)
{
    OpsCall call;
    weft_operand o[3] = { start, stop, step };
    bool good = ops_begin(&call, "weft_arange", at, ctx, o, 3);
    return ops_end(&call, good ? arange(o, ops_common_dtype(o, 3, RULE_NUMERIC)) : NULL);
}

weft_array *weft_arange_as_(weft_context *ctx, weft_dtype t, weft_operand start, weft_operand stop,
                            weft_operand step, const char *at)
{
    OpsCall call;
    weft_operand o[3] = { start, stop, step };
    bool good = ops_begin(&call, "weft_arange_as", at, ctx, o, 3) && ops_dtype_ok(t);
    if (good && !dtype_is_int((DType)t) && !dtype_is_float((DType)t))
        good =
            op_fail(WEFT_DTYPE, "element type %s is not taken (allowed: ints, floats)", dtype_name((DType)t));
    return ops_end(&call, good ? arange(o, (DType)t) : NULL);
}

/* from (1 - t) + to t, which is exact at both ends. */
static weft_array *linspace(DType type, double from, double to, int64_t n)
{
    if (!ops_float_ok(type)) return NULL;
    if (n < 0) return op_fail(WEFT_ARGUMENT, "%lld numbers cannot be made (0 or more)", (long long)n);
    weft_array *t = ops_with(OP_DIV, ops_iota(type, &n, 1, 0), n > 1 ? (double)(n - 1) : 1);
    return op_binary(OP_ADD, ops_with(OP_MUL, ops_from(OP_SUB, 1, t), from), ops_with(OP_MUL, t, to));
}

OPS_ENTRY_IN(linspace, (weft_context * ctx, double from, double to, int64_t n, const char *at),
             linspace(ops_real(), from, to, n))
OPS_ENTRY_IN(linspace_as,
             (weft_context * ctx, weft_dtype t, double from, double to, int64_t n, const char *at),
             linspace((DType)t, from, to, n))

static weft_array *iota(weft_dtype t, int axis, int rank, const int64_t *dim)
{
    int place;
    bool good = given_ok(t, dim, rank) && ops_axis(axis, rank, ops_type(t, dim, rank), &place);
    return good ? ops_iota(t, dim, rank, place) : NULL;
}

OPS_ENTRY_IN(iota, (weft_context * ctx, weft_dtype t, int axis, int rank, const int64_t *dim, const char *at),
             iota(t, axis, rank, dim))

/* ---- diagonals ---- */

/* bool [n, m]: row + k dir column. */
static weft_array *diagonal_mask(int64_t n, int64_t m, int64_t k, CompareDir dir)
{
    int64_t dim[2] = { n, m };
    weft_array *row = ops_iota(WEFT_I32, dim, 2, 0), *column = ops_iota(WEFT_I32, dim, 2, 1);
    return ops_compare(dir, ops_with(OP_ADD, row, (double)k), column);
}

/* No diagonal beyond the corner differs from the corner's. */
static int64_t clamp_diagonal(int64_t k, int64_t n, int64_t m) { return k < -n ? -n : k > m ? m : k; }

static weft_array *eye(DType t, int given, const int64_t *n_m_k)
{
    if (!n_m_k) return op_fail(WEFT_ARGUMENT, "the list of numbers is NULL");
    if (given < 1 || given > 3)
        return op_fail(WEFT_ARGUMENT, "%d numbers after the element type (1 to 3: rows, columns, diagonal)",
                       given);
    int64_t dim[2] = { n_m_k[0], given > 1 ? n_m_k[1] : n_m_k[0] }, k = given > 2 ? n_m_k[2] : 0;
    if (!given_ok(t, dim, 2)) return NULL;
    return ops_convert(diagonal_mask(dim[0], dim[1], clamp_diagonal(k, dim[0], dim[1]), CMP_EQ), t);
}

OPS_ENTRY_IN(eye, (weft_context * ctx, weft_dtype t, int given, const int64_t *n_m_k, const char *at),
             eye(t, given, n_m_k))

/* ids[.., None] == iota */
static weft_array *one_hot(DType type, weft_array *ids, int64_t n)
{
    if (!ids || !ops_dtype_ok(type)) return NULL;
    Type t = array_type(ids);
    if (!ops_int_ok(t, "the indices must be integers")) return NULL;
    if (n < 0) return op_fail(WEFT_ARGUMENT, "%lld classes (0 or more)", (long long)n);
    if (!ops_rank_ok(t.rank + 1)) return NULL;
    int64_t dim[WEFT_MAX_RANK + 1];
    for (int i = 0; i < t.rank; i++) dim[i] = t.dim[i];
    dim[t.rank] = n;
    DType index =
        dtype_bits((DType)t.dtype) < 32 || (t.dtype == WEFT_I32 && n <= INT32_MAX) ? WEFT_I32 : WEFT_I64;
    weft_array *classes = ops_iota(index, dim, t.rank + 1, t.rank);
    return ops_convert(ops_compare(CMP_EQ, ops_convert(ops_expand(ids, t.rank), index), classes), type);
}

OPS_ENTRY_OF(one_hot, (weft_operand ids, int64_t n, const char *at), (ids),
             one_hot(ops_real(), ops_value(ids), n))
OPS_ENTRY_OF(one_hot_as, (weft_dtype t, weft_operand ids, int64_t n, const char *at), (ids),
             one_hot((DType)t, ops_value(ids), n))

static weft_array *triangle(weft_array *x, int64_t k, CompareDir dir)
{
    Type t = array_type(x);
    if (t.rank < 2) return op_fail(WEFT_SHAPE, "%s has no last two axes (rank 2 or more)", TYPE_TEXT(t));
    int64_t n = t.dim[t.rank - 2], m = t.dim[t.rank - 1];
    weft_array *mask = diagonal_mask(n, m, clamp_diagonal(k, n, m), dir);
    return ops_select(mask, x, ops_fill(x, 0));
}

OPS_ENTRY(tril, (int64_t k), (), (k))
{
    return triangle(x, k, CMP_GE);
}
OPS_ENTRY(triu, (int64_t k), (), (k))
{
    return triangle(x, k, CMP_LE);
}

weft_array *(weft_tril)(weft_array *x) { return weft_tril_(x, 0, NULL); }
weft_array *(weft_triu)(weft_array *x) { return weft_triu_(x, 0, NULL); }
