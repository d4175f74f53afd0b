/* ops_matrix.c: functions of matrices, and matrices made of others (weft/linalg.h). */
#include "ops_matrix.h"
#include "runtime/ops/ops_body.h"
#include "runtime/ops/ops_index.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- diagonals ---- */

weft_array *matrix_diagonal(weft_array *x, int64_t k)
{
    if (!x) return NULL;
    Type t = array_type(x);
    if (t.rank < 2) return op_fail(WEFT_SHAPE, "%s is no matrix (two axes, or more in front)", TYPE_TEXT(t));
    int64_t m = t.dim[t.rank - 2], n = t.dim[t.rank - 1], dim[WEFT_MAX_RANK], count = 0;
    if (k >= 0 && k < n) count = m < n - k ? m : n - k;
    if (k < 0 && k > -m) count = m + k < n ? m + k : n;
    memcpy(dim, t.dim, (size_t)t.rank * sizeof *dim);
    dim[t.rank - 2] = m * n;
    x = ops_reshape(x, dim, t.rank - 1);
    int64_t start = count ? (k >= 0 ? k : -k * n) : 0, limit = count ? start + (count - 1) * (n + 1) + 1 : 0;
    return ops_slice_axis(x, t.rank - 2, start, limit, n + 1);
}

OPS_ENTRY(diagonal, (int64_t k), (), (k))
{
    return matrix_diagonal(x, k);
}

OPS_ENTRY(trace, (int64_t k), (), (k))
{
    weft_array *d = matrix_diagonal(x, k);
    if (!d) return NULL;
    char last[16];
    snprintf(last, sizeof last, "%d", array_type(d).rank - 1);
    return weft_sum_(d, (weft_over){ .axes = last }, NULL);
}

/* Rows and columns that are so far apart: k = column - row. */
static weft_array *diagonal_mask(const int64_t *dim, int rank, int64_t k)
{
    weft_array *i = ops_iota(WEFT_I64, dim, rank, rank - 2), *j = ops_iota(WEFT_I64, dim, rank, rank - 1);
    weft_array *shift = op_integer(WEFT_I64, k);
    return ops_compare(CMP_EQ, ops_binary(OP_SUB, j, i), shift);
}

static weft_array *zeros_like(const weft_array *x, int64_t n) { return ops_splat(ops_dtype(x), &n, 1, 0); }

OPS_ENTRY(diag, (int64_t k), (), (k))
{
    Type t = array_type(x);
    if (t.rank == 2) return matrix_diagonal(x, k);
    if (t.rank != 1) return op_fail(WEFT_SHAPE, "%s is neither a vector nor a matrix", TYPE_TEXT(t));
    int64_t far = k < 0 ? -k : k, n;
    if (k == INT64_MIN || __builtin_add_overflow(t.dim[0], far, &n)) n = -1;
    int64_t dim[] = { n, n };
    if (n < 0 || !ops_dims_ok((DType)t.dtype, dim, 2))
        return n < 0 ? op_fail(WEFT_SHAPE, "diagonal %lld of %s: more elements than there can be",
                               (long long)k, TYPE_TEXT(t))
                     : NULL;
    weft_array *gap = zeros_like(x, far),
               *row = ops_concatenate(k >= 0 ? (weft_array *[]){ gap, x } : (weft_array *[]){ x, gap }, 2, 0);
    return ops_select(diagonal_mask(dim, 2, k), ops_broadcast(row, dim, 2),
                      ops_splat(ops_dtype(x), dim, 2, 0));
}

/* ---- powers and norms ---- */

OPS_ENTRY(matrix_power, (int64_t n), (), (n))
{
    x = matrix_square(x);
    if (!x) return NULL;
    weft_array *one = matrix_ones(x, matrix_rows_of(x), matrix_rows_of(x)), *r = NULL;
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    if (n < 0) x = matrix_solved(x, one);
    for (; left && x; left >>= 1) {
        if (left & 1) r = r ? matrix_by(r, x) : x;
        if ((left & 1) && !r) return NULL;
        if (left > 1) x = matrix_by(x, x);
    }
    return left ? NULL : r ? r : n ? NULL : one;
}

/* exp(a) ~ (v + u) / (v - u), the odd and the even powers of Pade's approximant, of a / 2^s: of order 7 in
 * single precision, of order 13 in double, with norms of a / 2^s up to which they are as exact as the type
 * (Higham, The scaling and squaring method for the matrix exponential revisited, 2005). */
static const double pade_7[] = { 17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1 };
static const double pade_13[] = { 64764752532480000,
                                  32382376266240000,
                                  7771770303897600,
                                  1187353796428800,
                                  129060195264000,
                                  10559470521600,
                                  670442572800,
                                  33522128640,
                                  1323241920,
                                  40840800,
                                  960960,
                                  16380,
                                  182,
                                  1 };
static const double reach_7 = 3.925724783138660, reach_13 = 5.371920351148152;
enum { MOST_SQUARINGS = 16 };

/* The sum of pade[from], pade[from + 2] ... by the even powers from number `first` on. */
static weft_array *even_powers(weft_array *const *power, const double *pade, int first, int from)
{
    weft_array *sum = ops_with(OP_MUL, power[first], pade[from]);
    for (int i = first + 1; i < 4; i++) {
        from += 2;
        sum = ops_binary(OP_ADD, sum, ops_with(OP_MUL, power[i], pade[from]));
    }
    return sum;
}

static weft_array *powers_to_13(weft_array *const *power, int from)
{
    return ops_binary(OP_ADD, matrix_by(power[3], even_powers(power, pade_13, 1, from + 8)),
                      even_powers(power, pade_13, 0, from));
}

static weft_array *approximant(weft_array *a, int64_t n, bool is_single)
{
    weft_array *power[4] = { matrix_ones(a, n, n), matrix_by(a, a) };
    power[2] = matrix_by(power[1], power[1]);
    power[3] = matrix_by(power[2], power[1]);
    weft_array *odd = is_single ? even_powers(power, pade_7, 0, 1) : powers_to_13(power, 1),
               *v = is_single ? even_powers(power, pade_7, 0, 0) : powers_to_13(power, 0),
               *u = matrix_by(a, odd);
    return matrix_solved(ops_binary(OP_SUB, v, u), ops_binary(OP_ADD, v, u));
}

/* in: of which matrices, and a matrix each */
static void square_some(weft_array *const *in, weft_array **out, const void *unused)
{
    (void)unused;
    Type t = array_type(in[1]);
    if (t.rank == 2) {
        out[0] = matrix_by(in[1], in[1]);
        return;
    }
    weft_array *more = ops_stretch(in[0], t.dim, t.rank);
    weft_array *safe =
        ops_select(more, in[1], ops_fill(in[1], 0)); /* so that what is not chosen stays finite */
    out[0] = ops_select(more, matrix_by(safe, safe), in[1]);
}

static void leave(weft_array *const *in, weft_array **out, const void *unused)
{
    (void)unused;
    out[0] = in[1];
}

/* in: squarings of each matrix, the matrices, the number of the step */
static void squaring_step(weft_array *const *in, weft_array **out, const void *unused)
{
    int rank = array_type(in[0]).rank;
    weft_array *more = ops_compare(CMP_GT, in[0], ops_convert(in[2], ops_dtype(in[0]))), *any = more;
    if (!more) return;
    for (int i = 0; i < rank && any; i++) any = matrix_sum(any, -1, OP_OR);
    out[0] = ops_case(any, (weft_array *[]){ more, in[1] }, 2, square_some, leave, unused);
}

OPS_ENTRY(expm, (weft_factor o), (), (o))
{
    x = matrix_options(&o, 0) ? matrix_square(x) : NULL;
    if (!x) return NULL;
    Type t = array_type(x);
    int64_t n = t.dim[t.rank - 1];
    if (n == 0) return x;
    bool is_single = t.dtype == WEFT_F32 || t.dtype == WEFT_C64;
    weft_array *norm = matrix_sum(matrix_sum(op_unary(OP_ABS, x), -2, OP_ADD), -1, OP_MAX);
    norm = op_unary(OP_STOP_GRADIENT, norm);
    weft_array *times = op_unary(OP_LOG2, ops_with(OP_DIV, norm, is_single ? reach_7 : reach_13));
    times = ops_with(OP_MIN, ops_with(OP_MAX, op_unary(OP_CEIL, times), 0), MOST_SQUARINGS);
    times = ops_expand(ops_expand(times, t.rank - 2), t.rank - 1);
    weft_array *less = op_unary(OP_EXP2, op_unary(OP_NEG, times)),
               *a = ops_binary(OP_MUL, x, ops_convert(less, (DType)t.dtype)),
               *all[] = { times, approximant(a, n, is_single) };
    return ops_steps(MOST_SQUARINGS, all, 2, 1, squaring_step, NULL) ? all[1] : NULL;
}
weft_array *(weft_expm)(weft_array *a) { return weft_expm_(a, (weft_factor){ 0 }, NULL); }

OPS_ENTRY(matrix_norm, (const char *order), (), (order))
{
    static const char *const names[] = { "fro", "nuc", "2", "-2", "1", "-1", "inf", "-inf" };
    int which = 0, n = sizeof names / sizeof *names;
    while (order && which < n && strcmp(order, names[which]) != 0) which++;
    if (which == n)
        return op_fail(WEFT_ARGUMENT, "the order \"%.20s\" is not known (fro nuc 2 -2 1 -1 inf -inf)", order);
    weft_array *s = NULL;
    x = ops_inexact(x);
    if (!x) return NULL;
    if (array_type(x).rank < 2) return matrix_in(x);
    if (which == 0)
        return op_unary(
            OP_SQRT, matrix_sum(matrix_sum(op_unary(OP_SQUARE,
                                                    dtype_is_complex(ops_dtype(x)) ? op_unary(OP_ABS, x) : x),
                                           -1, OP_ADD),
                                -1, OP_ADD));
    if (matrix_rows_of(x) == 0 || matrix_columns_of(x) == 0)
        return op_fail(WEFT_SHAPE, "%s has no elements", TYPE_TEXT(array_type(x)));
    if (which >= 4) {
        weft_array *sums = matrix_sum(op_unary(OP_ABS, x), which < 6 ? -2 : -1, OP_ADD);
        return matrix_sum(sums, -1, which % 2 ? OP_MIN : OP_MAX);
    }
    x = matrix_in(x);
    if (!x || !matrix_svd(x, false, &s, NULL, NULL)) return NULL;
    return matrix_sum(s, -1, which == 1 ? OP_ADD : which == 2 ? OP_MAX : OP_MIN);
}

/* ---- made of others ---- */

static bool in_one_type(weft_array **a, weft_array **b)
{
    DType t = ops_common_dtype((weft_operand[]){ weft_of_array(*a), weft_of_array(*b) }, 2, RULE_SAME);
    *a = ops_convert(*a, t);
    *b = ops_convert(*b, t);
    return *a && *b;
}

/* With axes of 1 in between: a [2, 3] as [2, 1, 3, 1], b as [1, 2, 1, 3]. */
static weft_array *spaced(weft_array *x, int rank, bool behind)
{
    int64_t dim[2 * WEFT_MAX_RANK];
    Type t = array_type(x);
    for (int i = 0; i < rank; i++) {
        int own = i - (rank - t.rank);
        dim[2 * i + !behind] = own < 0 ? 1 : t.dim[own];
        dim[2 * i + behind] = 1;
    }
    return ops_reshape(x, dim, 2 * rank);
}

OPS_ENTRY(kron, (const weft_array *b, weft_factor o), (weft_of_array(b)), (b, o))
{
    weft_array *y = ops_in(b);
    int64_t dim[WEFT_MAX_RANK];
    if (!matrix_options(&o, 0) || !in_one_type(&x, &y)) return NULL;
    int rank = array_type(x).rank > array_type(y).rank ? array_type(x).rank : array_type(y).rank;
    if (!ops_rank_ok(2 * (int64_t)rank)) return NULL;
    weft_array *r = ops_binary(OP_MUL, spaced(x, rank, true), spaced(y, rank, false));
    if (!r) return NULL;
    for (int i = 0; i < rank; i++) dim[i] = array_type(r).dim[2 * i] * array_type(r).dim[2 * i + 1];
    return ops_reshape(r, dim, rank);
}

OPS_ENTRY(cross, (const weft_array *b, weft_factor o), (weft_of_array(b)), (b, o))
{
    weft_array *y = ops_in(b), *part[2][3], *out[3];
    if (!matrix_options(&o, 0) || !in_one_type(&x, &y)) return NULL;
    for (int k = 0; k < 2; k++) {
        weft_array *v = k ? y : x;
        Type t = array_type(v);
        if (t.rank == 0 || t.dim[t.rank - 1] != 3)
            return op_fail(WEFT_SHAPE, "%s are no vectors of 3 elements in the last axis", TYPE_TEXT(t));
        for (int i = 0; i < 3; i++) part[k][i] = ops_slice_axis(v, t.rank - 1, i, i + 1, 1);
    }
    Shape common;
    if (!ops_common_shape((Type[]){ array_type(x), array_type(y) }, 2, &common)) return NULL;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = ops_binary(OP_SUB, ops_binary(OP_MUL, part[0][j], part[1][k]),
                            ops_binary(OP_MUL, part[0][k], part[1][j]));
        if (!out[i]) return NULL;
    }
    return ops_concatenate(out, 3, array_type(out[0]).rank - 1);
}

enum { MOST_BLOCKS = 64 };

static weft_array *block_diag(const weft_array *const *list, int n)
{
    weft_operand operands[MOST_BLOCKS];
    weft_array *rows[MOST_BLOCKS];
    int64_t columns = 0, before = 0;
    if (n < 1 || n > MOST_BLOCKS) return op_fail(WEFT_ARGUMENT, "%d blocks (1 to %d)", n, MOST_BLOCKS);
    for (int i = 0; i < n; i++) operands[i] = weft_of_array(list[i]);
    DType t = ops_common_dtype(operands, n, RULE_SAME);
    for (int i = 0; i < n; i++) {
        rows[i] = ops_convert(ops_in(list[i]), t);
        if (!rows[i]) return NULL;
        int rank = array_type(rows[i]).rank;
        if (rank > 2)
            return op_fail(WEFT_SHAPE, "%s is no matrix (rank 2 at most)", TYPE_TEXT(array_type(rows[i])));
        while (rows[i] && rank++ < 2) rows[i] = ops_expand(rows[i], 0);
        if (!rows[i] || __builtin_add_overflow(columns, matrix_columns_of(rows[i]), &columns)) return NULL;
    }
    for (int i = 0; i < n; i++) {
        int64_t own = matrix_columns_of(rows[i]), left[] = { matrix_rows_of(rows[i]), before },
                right[] = { left[0], columns - before - own };
        if (!ops_dims_ok(t, (int64_t[]){ left[0], columns }, 2)) return NULL;
        rows[i] = ops_concatenate(
            (weft_array *[]){ ops_splat(t, left, 2, 0), rows[i], ops_splat(t, right, 2, 0) }, 3, 1);
        before += own;
    }
    return ops_concatenate(rows, n, 0);
}

weft_array *weft_block_diag_(int n, const weft_array *const *list, const char *at)
{
    OpsCall call;
    n = ops_list_length(list, n);
    bool good = ops_begin_list(&call, "weft_block_diag", at, list, n);
    return ops_end(&call, good ? block_diag(list, n) : NULL);
}

static weft_array *toeplitz(weft_array *c, weft_array *r)
{
    if (!in_one_type(&c, &r)) return NULL;
    Type tc = array_type(c), tr = array_type(r);
    if (tc.rank != 1 || tr.rank != 1)
        return op_fail(WEFT_SHAPE, "%s and %s must be vectors", TYPE_TEXT(tc), TYPE_TEXT(tr));
    int64_t m = tc.dim[0], n = tr.dim[0], dim[] = { m, n };
    if (!ops_dims_ok((DType)tc.dtype, dim, 2)) return NULL;
    if (m == 0 || n == 0) return ops_splat((DType)tc.dtype, dim, 2, 0);
    /* r backwards without its first, then c: element (i, j) is number i - j + n - 1 */
    weft_array *tail = weft_flip_(ops_slice_axis(r, 0, 1, n, 1), NULL, NULL),
               *all = ops_concatenate((weft_array *[]){ tail, c }, 2, 0);
    weft_array *i = ops_iota(WEFT_I64, dim, 2, 0), *j = ops_iota(WEFT_I64, dim, 2, 1),
               *place = ops_binary(OP_ADD, ops_binary(OP_SUB, i, j), op_integer(WEFT_I64, n - 1));
    return all && place ? weft_take_(all, weft_of_array(place), 0, NULL) : NULL;
}

weft_array *weft_toeplitz_(const weft_array *c, const weft_array *r, const char *at)
{
    OpsCall call;
    bool good = ops_begin_on(&call, "weft_toeplitz", at, c, r);
    return ops_end(&call, good ? toeplitz(ops_in(c), ops_in(r ? r : c)) : NULL);
}

/* ---- statistics ---- */

static weft_array *covariances(weft_array *x)
{
    x = ops_inexact(x);
    if (!x) return NULL;
    Type t = array_type(x);
    if (t.rank < 1 || t.rank > 2)
        return op_fail(WEFT_SHAPE, "%s is not [variables, observations] or [observations]", TYPE_TEXT(t));
    if (t.rank == 1) x = ops_expand(x, 0);
    int64_t n = t.dim[t.rank - 1];
    bool one = t.rank == 1 || t.dim[0] == 1;
    if (n < 1) return op_fail(WEFT_SHAPE, "%s has no observations", TYPE_TEXT(t));
    x = ops_binary(OP_SUB, x, x ? weft_mean_(x, (weft_over){ .axes = "1", .keep = true }, NULL) : NULL);
    x = ops_with(OP_DIV, matrix_by(x, matrix_adjoint_of(x)), (double)(n - 1));
    return x && one ? ops_reshape(x, NULL, 0) : x;
}

OPS_ENTRY(cov, (weft_factor o), (), (o))
{
    return matrix_options(&o, 0) ? covariances(x) : NULL;
}
weft_array *(weft_cov)(weft_array *x) { return weft_cov_(x, (weft_factor){ 0 }, NULL); }

static weft_array *within_one(weft_array *x) { return ops_with(OP_MIN, ops_with(OP_MAX, x, -1), 1); }

OPS_ENTRY(corrcoef, (weft_factor o), (), (o))
{
    weft_array *c = matrix_options(&o, 0) ? covariances(x) : NULL;
    if (!c) return NULL;
    if (array_type(c).rank == 0) return ops_binary(OP_DIV, c, c);
    weft_array *d = op_unary(OP_SQRT, matrix_diagonal(c, 0));
    if (!d) return NULL;
    c = ops_binary(OP_DIV, ops_binary(OP_DIV, c, ops_expand(d, 1)), ops_expand(d, 0));
    if (!c || !dtype_is_complex(ops_dtype(c))) return within_one(c);
    weft_array *re = within_one(op_unary(OP_REAL, c)), *im = within_one(op_unary(OP_IMAG, c));
    return op_binary(OP_COMPLEX, re, im);
}
weft_array *(weft_corrcoef)(weft_array *x) { return weft_corrcoef_(x, (weft_factor){ 0 }, NULL); }

enum { MOST_COEFFICIENTS = 1000 };

static weft_array *horner(weft_array *p, weft_operand at)
{
    DType dtype = ops_common_dtype((weft_operand[]){ weft_of_array(p), at }, 2, RULE_SAME);
    weft_array *x = ops_operand(at, dtype);
    p = ops_convert(p, dtype);
    if (!p || !x) return NULL;
    Type t = array_type(p);
    if (t.rank != 1 || t.dim[0] > MOST_COEFFICIENTS)
        return op_fail(WEFT_SHAPE, "the coefficients %s must be a vector of at most %d", TYPE_TEXT(t),
                       MOST_COEFFICIENTS);
    weft_array *y = ops_fill(x, 0);
    for (int64_t i = 0; i < t.dim[0]; i++) {
        weft_array *c = ops_reshape(ops_slice_axis(p, 0, i, i + 1, 1), NULL, 0);
        y = i ? ops_binary(OP_ADD, ops_binary(OP_MUL, y, x), c) : ops_binary(OP_ADD, y, c);
    }
    return y;
}

OPS_ENTRY(polyval, (weft_operand at_x, weft_factor o), (at_x), (at_x, o))
{
    return matrix_options(&o, 0) ? horner(x, at_x) : NULL;
}

/* Columns of powers, each over its length, so that none counts for more. */
static weft_array *polyfit(weft_array *x, weft_array *y, int64_t degree)
{
    weft_array *powers[MOST_COEFFICIENTS];
    x = ops_inexact(x);
    if (!x || !in_one_type(&x, &y)) return NULL;
    Type t = array_type(x);
    int64_t n = t.rank == 1 ? t.dim[0] : 0;
    if (t.rank != 1 || !type_equal(t, array_type(y)) || n == 0)
        return op_fail(WEFT_SHAPE, "%s and %s must be vectors of equally many points", TYPE_TEXT(t),
                       TYPE_TEXT(array_type(y)));
    if (degree < 0 || degree >= MOST_COEFFICIENTS)
        return op_fail(WEFT_ARGUMENT, "degree %lld (0 to %d)", (long long)degree, MOST_COEFFICIENTS - 1);
    weft_array *column = ops_expand(ops_fill(x, 1), 1);
    for (int64_t i = degree; i >= 0; i--) {
        powers[i] = column;
        column = ops_binary(OP_MUL, column, ops_expand(x, 1));
        if (!column) return NULL;
    }
    weft_array *a = ops_concatenate(powers, (int)degree + 1, 1),
               *length = op_unary(OP_SQRT, matrix_sum(a ? op_unary(OP_SQUARE, a) : NULL, -2, OP_ADD));
    a = ops_binary(OP_DIV, a, length);
    weft_factor o = { .rcond = (double)n * dtype_epsilon((DType)t.dtype) };
    return a ? ops_binary(OP_DIV, weft_lstsq_(a, y, o, NULL), length) : NULL;
}

weft_array *weft_polyfit_(const weft_array *x, const weft_array *y, int64_t degree, const char *at)
{
    OpsCall call;
    bool good =
        ops_begin(&call, "weft_polyfit", at, NULL, (weft_operand[]){ weft_of_array(x), weft_of_array(y) }, 2);
    return ops_end(&call, good ? polyfit(ops_in(x), ops_in(y), degree) : NULL);
}

/* Zeros in front of p, as many as *zeros says, put behind it: a polynomial of the same degree with as many
 * more roots at 0. Of zeros alone: ones. */
static weft_array *zeros_behind(weft_array *p, weft_array **zeros)
{
    int64_t n = array_type(p).dim[0];
    weft_array *zero = ops_compare_with(CMP_EQ, p, 0);
    weft_array *leading = ops_cumulative(OP_MIN, ops_convert(zero, WEFT_I32), 0, false);
    *zeros = ops_reduce(OP_ADD, leading, &(AxisList){ 1, { 0 } }, false);
    weft_array *from = ops_binary(OP_ADD, ops_iota(WEFT_I32, &n, 1, 0), *zeros);
    if (!from) return NULL;
    from = ops_select(ops_compare_with(CMP_GE, from, (double)n), ops_with(OP_SUB, from, (double)n), from);
    return ops_select(ops_compare_with(CMP_EQ, *zeros, (double)n), ops_fill(p, 1), index_gather(p, from, 0));
}

/* The companion matrix: the coefficients over the first one, with the other sign, above a diagonal of
 * ones. */
static weft_array *companion(weft_array *p, int64_t degree)
{
    if (!p) return NULL;
    weft_array *first = ops_slice_axis(p, 0, 0, 1, 1), *rest = ops_slice_axis(p, 0, 1, degree + 1, 1);
    weft_array *row = ops_expand(op_unary(OP_NEG, ops_binary(OP_DIV, rest, first)), 0);
    weft_array *below = row && degree > 1 ? matrix_ones(row, degree - 1, degree) : NULL;
    return degree == 1 || !row ? row : ops_concatenate((weft_array *[]){ row, below }, 2, 0);
}

/* The roots that zeros_behind added are 0, so they are among the least. */
static weft_array *roots_of(weft_array *p)
{
    p = ops_inexact(p);
    if (!p) return NULL;
    Type t = array_type(p);
    if (t.rank != 1 || t.dim[0] < 1)
        return op_fail(WEFT_SHAPE, "the coefficients %s must be a vector, not an empty one", TYPE_TEXT(t));
    if (t.dim[0] > MOST_COEFFICIENTS)
        return op_fail(WEFT_SHAPE, "the coefficients %s are more than %d", TYPE_TEXT(t), MOST_COEFFICIENTS);
    int64_t degree = t.dim[0] - 1;
    if (degree == 0) return ops_splat(dtype_promote_weak_complex((DType)t.dtype), &degree, 1, 0);
    weft_array *zeros, *a = companion(zeros_behind(p, &zeros), degree);
    weft_array *r = a ? weft_eigvals_(a, (weft_factor){ 0 }, NULL) : NULL;
    r = r ? weft_sort_by_(r, op_unary(OP_ABS, r), 0, (weft_order){ .descending = true }, NULL) : NULL;
    if (!r) return NULL;
    weft_array *left = ops_from(OP_SUB, (double)degree, zeros);
    weft_array *there = ops_compare(CMP_LT, ops_iota(WEFT_I32, &degree, 1, 0), left);
    return ops_select(there, r, ops_fill(r, NAN));
}

OPS_ENTRY(roots, (weft_factor o), (), (o))
{
    return matrix_options(&o, 0) ? roots_of(x) : NULL;
}
weft_array *(weft_roots)(weft_array *p) { return weft_roots_(p, (weft_factor){ 0 }, NULL); }

#define OF_TWO(name) \
    weft_array *(weft_##name)(weft_array * a, weft_array * b) \
    { \
        return weft_##name##_(a, b, (weft_factor){ 0 }, NULL); \
    }
OF_TWO(kron)
OF_TWO(cross)
weft_array *(weft_polyval)(weft_array *p, weft_array *x)
{
    return weft_polyval_(p, weft_of_array(x), (weft_factor){ 0 }, NULL);
}
