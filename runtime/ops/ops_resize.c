/* ops_resize.c: arrays in other sizes, as jax.image.resize makes them: along each axis that changes a product
 * with a matrix of weights, which is computed from indices where it is used. */
#include "ops_index.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "weft/numeric.h"

typedef enum { NEAREST, LINEAR, CUBIC, LANCZOS3, LANCZOS5, METHODS } Method;

/* Choices between two expressions at x < at. */
static weft_array *below(weft_array *x, double at, weft_array *yes, weft_array *no)
{
    return ops_select(ops_compare_with(CMP_LT, x, at), yes, no);
}

static weft_array *cubic_of(weft_array *x, double a, double b, double c, double d)
{
    weft_array *r = ops_with(OP_ADD, ops_with(OP_MUL, x, a), b);
    r = ops_with(OP_ADD, ops_binary(OP_MUL, r, x), c);
    return ops_with(OP_ADD, ops_binary(OP_MUL, r, x), d);
}

/* Keys, a = -1/2 */
static weft_array *keys(weft_array *x)
{
    weft_array *far = cubic_of(x, -0.5, 2.5, -4, 2);
    return far ? below(x, 1, cubic_of(x, 1.5, -2.5, 0, 1), below(x, 2, far, ops_fill(x, 0))) : NULL;
}

/* r sin(pi x) sin(pi x / r) / (pi x)^2 within the radius */
static weft_array *lanczos(weft_array *x, double radius)
{
    weft_array *p = ops_with(OP_MUL, x, M_PI), *near = ops_compare_with(CMP_LE, x, 1e-3);
    weft_array *sines =
        ops_binary(OP_MUL, op_unary(OP_SIN, p), op_unary(OP_SIN, ops_with(OP_DIV, p, radius)));
    weft_array *square = near && p ? ops_select(near, ops_fill(p, 1), op_unary(OP_SQUARE, p)) : NULL;
    weft_array *y = ops_with(OP_MUL, ops_binary(OP_DIV, sines, square), radius);
    if (!y) return NULL;
    return ops_select(ops_compare_with(CMP_GT, x, radius), ops_fill(y, 0),
                      ops_select(near, ops_fill(y, 1), y));
}

static weft_array *kernel(Method m, weft_array *x)
{
    if (m == LINEAR) return ops_with(OP_MAX, ops_from(OP_SUB, 1, x), 0);
    return m == CUBIC ? keys(x) : lanczos(x, m == LANCZOS3 ? 3 : 5);
}

/* [n, to]: what each of the n elements adds to each of the results. */
static weft_array *weights(Method m, DType t, int64_t n, int64_t to)
{
    double inverse = (double)n / (double)to, wide = inverse > 1 ? inverse : 1;
    int64_t dim[2] = { n, to };
    AxisList of = { 1, { 0 } };
    weft_array *at =
        ops_with(OP_SUB, ops_with(OP_MUL, ops_with(OP_ADD, ops_iota(t, dim, 2, 1), 0.5), inverse), 0.5);
    weft_array *off = op_unary(OP_ABS, ops_binary(OP_SUB, at, ops_iota(t, dim, 2, 0)));
    weft_array *w = kernel(m, ops_with(OP_DIV, off, wide)), *sum = ops_reduce(OP_ADD, w, &of, true);
    return sum ? ops_binary(OP_DIV, w, sum) : NULL;
}

/* x with its axis a multiplied by the matrix. */
static weft_array *product(weft_array *x, weft_array *w, int a)
{
    int rank = array_type(x).rank;
    char axis[12];
    snprintf(axis, sizeof axis, "%d", a);
    weft_array *r = w ? weft_tensordot_(weft_of_array(x), weft_of_array(w), axis, "0", NULL) : NULL;
    return r ? weft_moveaxis_(r, rank - 1, a, NULL) : NULL;
}

/* The element in whose part of the axis the middle of each result lies. */
static weft_array *nearest(weft_array *x, int a, int64_t n, int64_t to)
{
    weft_array *i = ops_iota(WEFT_F64, &to, 1, 0);
    weft_array *at = ops_with(OP_DIV, ops_with(OP_MUL, ops_with(OP_ADD, i, 0.5), (double)n), (double)to);
    return index_gather(x, ops_convert(op_unary(OP_FLOOR, at), n <= INT32_MAX ? WEFT_I32 : WEFT_I64), a);
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

OPS_ENTRY(resize, (const char *method, int rank, const int64_t *dim), (), (method, rank, dim))
{
    Type t = array_type(x);
    Method m = LINEAR;
    if (!read_method(method, &m) || !sizes_fit(t, dim, rank)) return NULL;
    DType own = m == NEAREST ? (DType)t.dtype : ops_weak_float((DType)t.dtype),
          inner = m == NEAREST ? own : compute_type(own);
    x = ops_convert(x, inner);
    for (int i = 0; x && i < rank; i++) {
        if (t.dim[i] == dim[i]) continue;
        if (dim[i] == 0) x = ops_slice_axis(x, i, 0, 0, 1);
        else
            x = m == NEAREST ? nearest(x, i, t.dim[i], dim[i])
                             : product(x, weights(m, inner, t.dim[i], dim[i]), i);
    }
    return ops_convert(x, own);
}
