/* ops_factor.c: factorizations and systems (weft/linalg.h). */
#include "compiler/graph/matrix/matrix_call.h"
#include "ops_matrix.h"
#include "runtime/library/checks.h"
#include "runtime/ops/ops_body.h"
#include "runtime/memory/context.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- shared ---- */

bool matrix_options(const weft_factor *o, unsigned allowed)
{
    const struct {
        bool given;
        unsigned flag;
        const char *name;
    } option[] = {
        { o->upper, FACTOR_UPPER, ".upper" },       { o->transpose, FACTOR_TRANSPOSE, ".transpose" },
        { o->adjoint, FACTOR_ADJOINT, ".adjoint" }, { o->unit, FACTOR_UNIT, ".unit" },
        { o->full, FACTOR_FULL, ".full" },          { o->rcond != 0, FACTOR_RCOND, ".rcond" },
        { o->check, FACTOR_CHECK, ".check" },
    };
    enum { N_OPTIONS = sizeof option / sizeof *option };
    char known[99] = "";
    for (int i = 0; i < N_OPTIONS; i++)
        if (option[i].flag & allowed) {
            if (*known) strcat(known, ", ");
            strcat(known, option[i].name);
        }
    for (int i = 0; i < N_OPTIONS; i++)
        if (option[i].given && !(option[i].flag & allowed))
            return op_fail(WEFT_ARGUMENT, "the option %s does not apply here (%s%s)", option[i].name,
                           *known ? "allowed: " : "no option does", known);
    return true;
}

weft_array *matrix_in(weft_array *x)
{
    x = ops_inexact(x);
    if (!x) return NULL;
    Type t = array_type(x);
    if (t.rank < 2) return op_fail(WEFT_SHAPE, "%s is no matrix (two axes, or more in front)", TYPE_TEXT(t));
    if (dtype_is_narrow_float((DType)t.dtype))
        return op_fail(WEFT_DTYPE, "matrices of %s have no factors here (f32, f64, c64 or c128)",
                       dtype_name((DType)t.dtype));
    return x;
}

weft_array *matrix_square(weft_array *x)
{
    x = matrix_in(x);
    if (!x || matrix_rows_of(x) == matrix_columns_of(x)) return x;
    Type t = array_type(x);
    return op_fail(WEFT_SHAPE, "%s is not square (its last two axes are %lld and %lld)", TYPE_TEXT(t),
                   (long long)t.dim[t.rank - 2], (long long)t.dim[t.rank - 1]);
}

int64_t matrix_rows_of(const weft_array *x) { return array_type(x).dim[array_type(x).rank - 2]; }
int64_t matrix_columns_of(const weft_array *x) { return array_type(x).dim[array_type(x).rank - 1]; }

bool matrix_apply(Op op, weft_array *const *args, const int64_t *attr, int n_attr, weft_array **results)
{
    MatrixTypes types;
    Type of_args[2];
    int n_args = matrix_operands(op), n = matrix_results(op, attr);
    for (int i = 0; i < n; i++) results[i] = NULL;
    for (int i = 0; i < n_args; i++) {
        if (!args[i]) return false;
        of_args[i] = array_type(args[i]);
    }
    if (n == 1) return (results[0] = op_apply(op, args, n_args, attr, n_attr, NULL)) != NULL;
    matrix_types(op, attr, (uint32_t)n_attr, of_args, &types);
    NodeSpec given = { .results = types.type, .n_results = (uint32_t)n };
    return op_apply_all(op, args, n_args, attr, n_attr, &given, results, n);
}

weft_array *matrix_apply_one(Op op, weft_array *const *args, const int64_t *attr, int n_attr)
{
    weft_array *r = NULL;
    return matrix_apply(op, args, attr, n_attr, &r) ? r : NULL;
}

weft_array *matrix_by(weft_array *a, weft_array *b)
{
    return a && b ? weft_matmul_(weft_of_array(a), weft_of_array(b), NULL) : NULL;
}

weft_array *matrix_turned(weft_array *x)
{
    int64_t axes[WEFT_MAX_RANK];
    if (!x) return NULL;
    int rank = array_type(x).rank;
    for (int i = 0; i < rank; i++) axes[i] = i;
    axes[rank - 2] = rank - 1;
    axes[rank - 1] = rank - 2;
    return ops_transpose(x, axes);
}

weft_array *matrix_adjoint_of(weft_array *x)
{
    x = matrix_turned(x);
    return x && dtype_is_complex(ops_dtype(x)) ? weft_conj_(weft_of_array(x), NULL) : x;
}

weft_array *matrix_sum(weft_array *x, int axis, Op monoid)
{
    return x ? ops_reduce(monoid, x, &(AxisList){ 1, { array_type(x).rank + axis } }, false) : NULL;
}

weft_array *matrix_ones(const weft_array *like, int64_t rows, int64_t columns)
{
    int64_t dim[WEFT_MAX_RANK];
    if (!like) return NULL;
    Type t = array_type(like);
    memcpy(dim, t.dim, (size_t)t.rank * sizeof *dim);
    dim[t.rank - 2] = rows;
    dim[t.rank - 1] = columns;
    weft_array *i = ops_iota(WEFT_I32, dim, t.rank, t.rank - 2),
               *j = ops_iota(WEFT_I32, dim, t.rank, t.rank - 1);
    return ops_convert(ops_compare(CMP_EQ, i, j), (DType)t.dtype);
}

weft_array *matrix_symmetric_mean(weft_array *a)
{
    return ops_with(OP_MUL, ops_binary(OP_ADD, a, matrix_adjoint_of(a)), 0.5);
}

bool matrix_svd(weft_array *a, bool full, weft_array **s, weft_array **u, weft_array **vt)
{
    weft_array *r[3] = { NULL, NULL, NULL };
    bool good = matrix_apply(OP_SVD, &a, (int64_t[]){ full, u != NULL }, 2, r);
    *s = r[0];
    if (u) *u = r[1], *vt = r[2];
    return good;
}

/* ---- .check ---- */

/* bool [..], as it is; where one is true, of matrix number so, the call fails when it runs. */
static weft_array *seen(weft_array *wrong, const char *what)
{
    int64_t attr[2 + CHECK_NUMBERS] = { (int64_t)(intptr_t)&check_op, 1 }; /* it stays in loops, branches */
    char where[CHECK_TEXT] = "";
    if (!wrong) return NULL;
    if (array_is_traced(wrong))
        snprintf(where, sizeof where, "%s%s%s", thread.op.at ? thread.op.at : "", thread.op.at ? ": " : "",
                 thread.op.name ? thread.op.name : "");
    Type t = array_type(wrong);
    int n = check_numbers(attr + 2, type_count(t), where, what);
    return op_apply(OP_FOREIGN, &wrong, 1, attr, 2 + n, &(NodeSpec){ .results = &t, .n_results = 1 });
}

/* y of these matrices, NaN (of ints 0) where one is wrong: so its user waits for the check. */
static weft_array *behind(weft_array *y, weft_array *wrong)
{
    int64_t axes[WEFT_MAX_RANK];
    if (!y || !wrong) return NULL;
    Type t = array_type(y);
    for (int i = 0; i < t.rank; i++) axes[i] = i;
    double none = dtype_is_int((DType)t.dtype) ? 0 : NAN;
    return ops_select(ops_broadcast_axes(wrong, t.dim, t.rank, axes), ops_fill(y, none), y);
}

/* Is a number 0 or NaN? */
static weft_array *is_none(weft_array *x)
{
    weft_array *size = op_unary(OP_ABS, x), *good = ops_compare(CMP_GT, size, ops_fill(size, 0));
    return good ? op_unary(OP_NOT, good) : NULL;
}

/* Is a number on the diagonal 0 or NaN? bool [..] */
static weft_array *has_no_pivot(weft_array *a)
{
    return a ? matrix_sum(is_none(matrix_diagonal(a, 0)), -1, OP_OR) : NULL;
}

/* Is the first number of x NaN, which has so many axes of its own? NULL and no error: it has none. */
static weft_array *starts_nan(weft_array *x, int own)
{
    Type t = array_type(x);
    for (int i = t.rank - own; i < t.rank; i++)
        if (t.dim[i] == 0) return NULL;
    for (int i = t.rank - own; x && i < t.rank; i++) x = ops_slice_axis(x, i, 0, 1, 1);
    x = x ? ops_reshape(x, t.dim, t.rank - own) : NULL;
    if (x && dtype_is_complex(ops_dtype(x))) x = op_unary(OP_REAL, x);
    return x ? ops_compare(CMP_NE, x, x) : NULL;
}

/* The results, NULL those that nobody wants, of matrices that are wrong where the first one starts with
 * NaN. */
static bool check_results(bool check, int own, const char *what, weft_array **r, int n)
{
    weft_array *wrong = check ? starts_nan(r[0], own) : NULL;
    if (!wrong) return true;
    wrong = seen(wrong, what);
    for (int i = 0; i < n; i++)
        if (r[i] && !(r[i] = behind(r[i], wrong))) return false;
    return true;
}
static const char singular[] = "is singular, or holds NaN";
static const char no_values[] = "holds NaN or inf, or steps to its values do not end";

static double epsilon_of(const weft_array *a) { return dtype_epsilon(ops_dtype(a)); }

/* ---- factorizations ---- */

OPS_ENTRY(cholesky, (weft_factor o), (), (o))
{
    x = matrix_options(&o, FACTOR_UPPER | FACTOR_CHECK) ? matrix_square(x) : NULL;
    x = matrix_symmetric_mean(x);
    x = matrix_apply_one(OP_CHOLESKY, &x, (int64_t[]){ !o.upper }, 1);
    return x && check_results(o.check, 2, "is not positive definite", &x, 1) ? x : NULL;
}
weft_array *(weft_cholesky)(weft_array *a) { return weft_cholesky_(a, (weft_factor){ 0 }, NULL); }

/* factors in r[0], the order of the rows in r[2]; both wait for the check, since a user may have but one */
static bool lu(weft_array *x, weft_factor o, weft_array **r)
{
    x = matrix_options(&o, FACTOR_CHECK) ? matrix_in(x) : NULL;
    if (!matrix_apply(OP_LU, &x, NULL, 0, r)) return false;
    if (!o.check) return true;
    weft_array *wrong = seen(has_no_pivot(r[0]), singular);
    return (r[0] = behind(r[0], wrong)) && (r[2] = behind(r[2], wrong));
}

weft_array *weft_lu_(const weft_array *a, weft_array **order, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *r[3] = { NULL, NULL, NULL };
    bool good = ops_begin_on(&call, "weft_lu", at, a, NULL) && lu(ops_in(a), o, r);
    return ops_end(&call, ops_give(&call, order, r[2], good) ? r[0] : NULL);
}

weft_array *weft_qr_(const weft_array *a, weft_array **to, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *r[2] = { NULL, NULL }, *x;
    bool good = ops_begin_on(&call, "weft_qr", at, a, NULL) && matrix_options(&o, FACTOR_FULL) &&
                (x = matrix_in(ops_in(a))) && matrix_apply(OP_QR, &x, (int64_t[]){ o.full }, 1, r);
    return ops_end(&call, ops_give(&call, to, r[1], good) ? r[0] : NULL);
}

/* v in r[0], w in r[1] */
static bool eigh(weft_array *x, weft_factor o, weft_array **r)
{
    weft_array *values[2];
    x = matrix_options(&o, FACTOR_CHECK) ? matrix_symmetric_mean(matrix_square(x)) : NULL;
    if (!matrix_apply(OP_EIGH, &x, (int64_t[]){ 1 }, 1, r)) return false;
    values[0] = r[1], values[1] = r[0];
    if (!check_results(o.check, 1, no_values, values, 2)) return false;
    r[1] = values[0], r[0] = values[1];
    return true;
}

weft_array *weft_eigh_(const weft_array *a, weft_array **v, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *r[2] = { NULL, NULL };
    bool good = ops_begin_on(&call, "weft_eigh", at, a, NULL) && eigh(ops_in(a), o, r);
    return ops_end(&call, ops_give(&call, v, r[0], good) ? r[1] : NULL);
}

OPS_ENTRY(eigvalsh, (weft_factor o), (), (o))
{
    weft_array *r[2] = { NULL, NULL };
    return eigh(x, o, r) ? r[1] : NULL;
}
weft_array *(weft_eigvalsh)(weft_array *a) { return weft_eigvalsh_(a, (weft_factor){ 0 }, NULL); }

/* w in r[0], v in r[1] */
static bool eig(weft_array *x, weft_factor o, bool vectors, weft_array **r)
{
    x = matrix_options(&o, FACTOR_CHECK) ? matrix_square(x) : NULL;
    return matrix_apply(OP_EIG, &x, (int64_t[]){ vectors }, 1, r) &&
           check_results(o.check, 1, no_values, r, 1 + vectors);
}

weft_array *weft_eig_(const weft_array *a, weft_array **v, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *r[2] = { NULL, NULL };
    bool good = ops_begin_on(&call, "weft_eig", at, a, NULL) && eig(ops_in(a), o, v != NULL, r);
    return ops_end(&call, ops_give(&call, v, r[1], good) ? r[0] : NULL);
}

OPS_ENTRY(eigvals, (weft_factor o), (), (o))
{
    weft_array *r[2] = { NULL, NULL };
    return eig(x, o, false, r) ? r[0] : NULL;
}
weft_array *(weft_eigvals)(weft_array *a) { return weft_eigvals_(a, (weft_factor){ 0 }, NULL); }

weft_array *weft_schur_(const weft_array *a, weft_array **z, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *r[2] = { NULL, NULL }, *x;
    bool good = ops_begin_on(&call, "weft_schur", at, a, NULL) && matrix_options(&o, FACTOR_CHECK) &&
                (x = matrix_square(ops_in(a))) &&
                matrix_apply(OP_SCHUR, &x, (int64_t[]){ z != NULL }, 1, r) &&
                check_results(o.check, 2, no_values, r, 1 + (z != NULL));
    return ops_end(&call, ops_give(&call, z, r[1], good) ? r[0] : NULL);
}

static weft_array *rows_of(weft_array *x, int64_t from, int64_t to)
{
    return x ? ops_slice_axis(x, array_type(x).rank - 2, from, to, 1) : NULL;
}
static weft_array *columns_of(weft_array *x, int64_t from, int64_t to)
{
    return x ? ops_slice_axis(x, array_type(x).rank - 1, from, to, 1) : NULL;
}

/* The product of the reflections below the diagonal of h, behind a first row and column of I. */
static weft_array *hessenberg_q(weft_array *h, weft_array *tau)
{
    int64_t n = matrix_rows_of(h);
    int rank = array_type(h).rank;
    weft_array *eye = matrix_ones(h, n, n);
    if (n < 2) return eye;
    weft_array *args[] = { columns_of(rows_of(h, 1, n), 0, n - 1), tau },
               *q = matrix_apply_one(OP_HOUSEHOLDER_PRODUCT, args, NULL, 0),
               *below[] = { columns_of(rows_of(eye, 1, n), 0, 1), q };
    if (!below[0] || !q) return NULL;
    weft_array *all[] = { rows_of(eye, 0, 1), ops_concatenate(below, 2, rank - 1) };
    return all[0] && all[1] ? ops_concatenate(all, 2, rank - 2) : NULL;
}

weft_array *weft_hessenberg_(const weft_array *a, weft_array **q, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *r[2] = { NULL, NULL }, *x, *h = NULL, *of_q = NULL;
    bool good = ops_begin_on(&call, "weft_hessenberg", at, a, NULL) && matrix_options(&o, 0) &&
                (x = matrix_square(ops_in(a))) && matrix_apply(OP_GEHRD, &x, NULL, 0, r) &&
                (h = weft_triu_(r[0], -1, NULL)) && (!q || (of_q = hessenberg_q(r[0], r[1])));
    return ops_end(&call, ops_give(&call, q, of_q, good) ? h : NULL);
}

weft_array *weft_svd_(const weft_array *a, weft_array **u, weft_array **vt, weft_factor o, const char *at)
{
    OpsCall call;
    weft_array *s = NULL, *left = NULL, *right = NULL, *x;
    bool vectors = u || vt, good = ops_begin_on(&call, "weft_svd", at, a, NULL) &&
                                   matrix_options(&o, FACTOR_FULL | FACTOR_CHECK) &&
                                   (x = matrix_in(ops_in(a))) &&
                                   matrix_svd(x, o.full, &s, vectors ? &left : NULL, vectors ? &right : NULL);
    if (good) {
        weft_array *all[] = { s, left, right };
        good = check_results(o.check, 1, no_values, all, 3);
        s = all[0], left = all[1], right = all[2];
    }
    good = ops_give(&call, u, left, good);
    good = ops_give(&call, vt, right, good);
    return ops_end(&call, good ? s : NULL);
}

/* ---- systems ---- */

/* a, and b as matrices for it, both in one type, their leading axes broadcast; vector: b was one. */
typedef struct System {
    weft_array *a, *b;
    bool vector;
} System;

/* Do the axes in front of the matrices broadcast? */
static bool as_many(Type a, Type b)
{
    for (int i = 3; i <= a.rank && i <= b.rank; i++) {
        int64_t of_a = a.dim[a.rank - i], of_b = b.dim[b.rank - i];
        if (of_a != of_b && of_a != 1 && of_b != 1)
            return op_fail(WEFT_SHAPE,
                           "the matrices %s and the right sides %s do not broadcast: there are %lld against "
                           "%lld of them (axis %d from the end)",
                           TYPE_TEXT(a), TYPE_TEXT(b), (long long)of_a, (long long)of_b, -i);
    }
    return true;
}

static bool system_of(weft_array *a, weft_array *b, bool square, System *s)
{
    *s = (System){ NULL, NULL, false };
    DType t = ops_common_dtype((weft_operand[]){ weft_of_array(a), weft_of_array(b) }, 2, RULE_INEXACT);
    a = ops_convert(a, t);
    a = square ? matrix_square(a) : matrix_in(a);
    b = ops_convert(b, t);
    if (!a || !b) return false;
    Type ta = array_type(a), tb = array_type(b);
    if (tb.rank == 0)
        return op_fail(WEFT_SHAPE, "the right side %s has no axis (a vector, or a matrix of several)",
                       TYPE_TEXT(tb));
    s->vector = tb.rank == 1;
    if (s->vector) b = ops_expand(b, 1);
    if (!b) return false;
    Type given = tb;
    tb = array_type(b);
    if (tb.dim[tb.rank - 2] != ta.dim[ta.rank - 2])
        return op_fail(WEFT_SHAPE, "the right side %s has %lld rows, not the %lld of %s", TYPE_TEXT(given),
                       (long long)tb.dim[tb.rank - 2], (long long)ta.dim[ta.rank - 2], TYPE_TEXT(ta));
    if (!as_many(ta, tb)) return false;
    Shape lead;
    Type leads[] = { { ta.dtype, (uint8_t)(ta.rank - 2), ta.dim },
                     { tb.dtype, (uint8_t)(tb.rank - 2), tb.dim } };
    if (!ops_common_shape(leads, 2, &lead)) return false;
    int rank = lead.rank + 2;
    if (!ops_rank_ok(rank)) return false;
    memcpy(lead.dim + lead.rank, ta.dim + ta.rank - 2, 2 * sizeof *ta.dim);
    s->a = ops_broadcast(a, lead.dim, rank);
    memcpy(lead.dim + lead.rank, tb.dim + tb.rank - 2, 2 * sizeof *tb.dim);
    s->b = ops_broadcast(b, lead.dim, rank);
    return s->a && s->b;
}

/* A vector again, if b was one. */
static weft_array *as_given(const System *s, weft_array *x)
{
    if (!x || !s->vector) return x;
    return ops_reshape(x, array_type(x).dim, array_type(x).rank - 1);
}

static weft_array *triangular(weft_array *a, weft_array *b, bool lower, bool unit, int transpose)
{
    return matrix_apply_one(OP_TRIANGULAR_SOLVE, (weft_array *[]){ a, b },
                            (int64_t[]){ 1, lower, unit, transpose }, 4);
}

OPS_ENTRY(solve_triangular, (const weft_array *b, weft_factor o), (weft_of_array(b)), (b, o))
{
    System s;
    if (!matrix_options(&o, FACTOR_UPPER | FACTOR_TRANSPOSE | FACTOR_ADJOINT | FACTOR_UNIT | FACTOR_CHECK))
        return NULL;
    if (o.transpose && o.adjoint) return op_fail(WEFT_ARGUMENT, ".transpose and .adjoint: one of the two");
    if (!system_of(x, ops_in(b), true, &s)) return NULL;
    weft_array *r = triangular(s.a, s.b, !o.upper, o.unit, o.adjoint ? 2 : o.transpose);
    if (o.check && !o.unit) r = behind(r, seen(has_no_pivot(s.a), singular));
    return as_given(&s, r);
}

/* Rows of b [.., n, k] in the order [.., n]. */
static weft_array *rows_in_order(weft_array *b, weft_array *order)
{
    if (!b || !order) return NULL;
    Type t = array_type(b);
    weft_array *places = ops_stretch(ops_expand(order, t.rank - 1), t.dim, t.rank);
    return places ? weft_take_along_axis_(b, places, t.rank - 2, NULL) : NULL;
}

static weft_array *solved(weft_array *a, weft_array *b, bool check)
{
    weft_array *r[3] = { NULL, NULL, NULL };
    if (!b || !matrix_apply(OP_LU, &a, NULL, 0, r)) return NULL;
    b = triangular(r[0], rows_in_order(b, r[2]), true, true, 0);
    b = triangular(r[0], b, false, false, 0);
    return check ? behind(b, seen(has_no_pivot(r[0]), singular)) : b;
}

weft_array *matrix_solved(weft_array *a, weft_array *b) { return solved(a, b, false); }

OPS_ENTRY(solve, (const weft_array *b, weft_factor o), (weft_of_array(b)), (b, o))
{
    System s;
    if (!matrix_options(&o, FACTOR_CHECK) || !system_of(x, ops_in(b), true, &s)) return NULL;
    return as_given(&s, solved(s.a, s.b, o.check));
}

OPS_ENTRY(inv, (weft_factor o), (), (o))
{
    x = matrix_options(&o, FACTOR_CHECK) ? matrix_square(x) : NULL;
    return x ? solved(x, matrix_ones(x, matrix_rows_of(x), matrix_rows_of(x)), o.check) : NULL;
}
weft_array *(weft_inv)(weft_array *a) { return weft_inv_(a, (weft_factor){ 0 }, NULL); }

/* The diagonal of u, and 1 or -1 by how many rows were exchanged. */
static bool pivots(weft_array *x, weft_array **diagonal, weft_array **sign)
{
    weft_array *r[3] = { NULL, NULL, NULL };
    if (!x || !matrix_apply(OP_LU, &x, NULL, 0, r)) return false;
    Type t = array_type(r[1]);
    weft_array *moved = ops_convert(ops_compare(CMP_NE, r[1], ops_iota(WEFT_I32, t.dim, t.rank, t.rank - 1)),
                                    WEFT_I32),
               *count = matrix_sum(moved, -1, OP_ADD), *odd = ops_with(OP_REM, count, 2);
    *diagonal = matrix_diagonal(r[0], 0);
    *sign = ops_convert(ops_from(OP_SUB, 1, ops_with(OP_MUL, odd, 2)), ops_dtype(x));
    return *diagonal && *sign;
}

static void det_value(weft_array *const *in, weft_array **out, const void *data)
{
    weft_array *d, *sign;
    (void)data;
    if (pivots(in[0], &d, &sign)) out[0] = ops_binary(OP_MUL, sign, matrix_sum(d, -1, OP_MUL));
}

/* Element (i, j) of each matrix */
static weft_array *element(weft_array *x, int64_t i, int64_t j)
{
    x = rows_of(columns_of(x, j, j + 1), i, i + 1);
    return x ? ops_reshape(x, array_type(x).dim, array_type(x).rank - 2) : NULL;
}

/* What da's element (i, j) counts, of up to 3 x 3. Of three rows the sign is that of the order. */
static weft_array *cofactor(weft_array *a, int n, int i, int j)
{
    if (n == 2) {
        weft_array *x = element(a, !i, !j);
        return i == j ? x : op_unary(OP_NEG, x);
    }
    int down = (i + 1) % 3, right = (j + 1) % 3, up = (i + 2) % 3, left = (j + 2) % 3;
    weft_array *x = ops_binary(OP_MUL, element(a, down, right), element(a, up, left)),
               *y = ops_binary(OP_MUL, element(a, down, left), element(a, up, right));
    return ops_binary(OP_SUB, x, y);
}

enum { COFACTORS = 3 };

/* By cofactors, which singular matrices have, too. */
static void det_tangent(weft_array *const *in, weft_array **out, const void *data)
{
    int n = (int)matrix_rows_of(in[0]);
    (void)data;
    for (int k = 0; k < n * n; k++) {
        weft_array *da = element(in[1], k / n, k % n);
        if (n > 1) da = ops_binary(OP_MUL, da, cofactor(in[0], n, k / n, k % n));
        out[0] = k ? ops_binary(OP_ADD, out[0], da) : da;
    }
}

OPS_ENTRY(det, (weft_factor o), (), (o))
{
    weft_array *r = NULL;
    x = matrix_options(&o, 0) ? matrix_square(x) : NULL;
    if (!x) return NULL;
    int64_t n = matrix_rows_of(x);
    if (n > 0 && n <= COFACTORS)
        return ops_ruled(&x, 1, &(OpsRuled){ .value = det_value, .tangent = det_tangent });
    return det_value(&x, &r, NULL), r;
}
weft_array *(weft_det)(weft_array *a) { return weft_det_(a, (weft_factor){ 0 }, NULL); }

/* d / |d|, by ops whose derivatives turn it: that of OP_SIGN is 0. */
static weft_array *direction(weft_array *d)
{
    if (!d || !dtype_is_complex(ops_dtype(d))) return op_unary(OP_SIGN, d);
    weft_array *is_zero = ops_compare(CMP_EQ, d, ops_fill(d, 0)),
               *safe = ops_select(is_zero, ops_fill(d, 1), d);
    weft_array *unit = ops_binary(OP_DIV, safe, ops_convert(op_unary(OP_ABS, safe), ops_dtype(d)));
    return ops_select(is_zero, ops_fill(d, 0), unit);
}

weft_array *weft_slogdet_(const weft_array *a, weft_array **to, const char *at)
{
    OpsCall call;
    weft_array *d, *sign = NULL, *log = NULL;
    bool good =
        ops_begin_on(&call, "weft_slogdet", at, a, NULL) && pivots(matrix_square(ops_in(a)), &d, &sign);
    if (good) {
        sign = ops_binary(OP_MUL, sign, matrix_sum(direction(d), -1, OP_MUL));
        log = matrix_sum(op_unary(OP_LOG, op_unary(OP_ABS, d)), -1, OP_ADD);
    }
    return ops_end(&call, ops_give(&call, to, sign, good && log) ? log : NULL);
}

/* 1 / s, and 0 where s counts as 0. */
static weft_array *inverse_of(weft_array *s, double rcond)
{
    if (!s) return NULL;
    int last = array_type(s).rank - 1;
    AxisList along = { 1, { last } };
    if (array_type(s).dim[last] == 0) return s;
    weft_array *most = ops_reduce(OP_MAX, s, &along, true),
               *counts = ops_compare(CMP_GT, s, ops_with(OP_MUL, most, rcond));
    weft_array *safe = ops_select(counts, s, ops_fill(s, INFINITY));
    return ops_from(OP_DIV, 1, safe);
}

static double rcond_of(const weft_array *a, weft_factor o, double times)
{
    int64_t m = matrix_rows_of(a), n = matrix_columns_of(a);
    return o.rcond > 0 ? o.rcond : times * (double)(m > n ? m : n) * epsilon_of(a);
}

/* Of so many times as many rows as columns the singular values are those of r of a = q r. */
enum { TALL = 2 };

static bool is_tall(const weft_array *a)
{
    return matrix_columns_of(a) > 0 && matrix_rows_of(a) >= TALL * matrix_columns_of(a);
}

/* v (u^H b / s) */
static weft_array *least_squares(weft_array *a, weft_array *b, double rcond)
{
    weft_array *s, *u, *vt, *qr[2];
    if (!a || !b) return NULL;
    if (is_tall(a)) {
        if (!matrix_apply(OP_QR, &a, (int64_t[]){ false }, 1, qr)) return NULL;
        return least_squares(qr[1], matrix_by(matrix_adjoint_of(qr[0]), b), rcond);
    }
    if (!matrix_svd(a, false, &s, &u, &vt)) return NULL;
    weft_array *inverse = ops_convert(inverse_of(s, rcond), ops_dtype(a)),
               *x = matrix_by(matrix_adjoint_of(u), b);
    if (!inverse) return NULL;
    return matrix_by(matrix_adjoint_of(vt),
                     ops_binary(OP_MUL, x, ops_expand(inverse, array_type(inverse).rank)));
}

/* of a and b; data: rcond */
static void lstsq_value(weft_array *const *in, weft_array **out, const void *data)
{
    out[0] = least_squares(in[0], in[1], *(const double *)data);
}

/* v 1/s u^H */
static weft_array *pseudo_inverse(weft_array *a, double rcond)
{
    weft_array *s, *u, *vt, *inverse, *qr[2];
    if (!a) return NULL;
    if (is_tall(a)) {
        if (!matrix_apply(OP_QR, &a, (int64_t[]){ false }, 1, qr)) return NULL;
        return matrix_by(pseudo_inverse(qr[1], rcond), matrix_adjoint_of(qr[0]));
    }
    if (!matrix_svd(a, false, &s, &u, &vt) || !(inverse = ops_convert(inverse_of(s, rcond), ops_dtype(a))))
        return NULL;
    return matrix_by(matrix_adjoint_of(vt),
                     ops_binary(OP_MUL, matrix_adjoint_of(u), ops_expand(inverse, array_type(inverse).rank)));
}

/* data: rcond */
static void pinv_value(weft_array *const *in, weft_array **out, const void *data)
{
    weft_array *a = in[0];
    bool turned = matrix_rows_of(a) < matrix_columns_of(a);
    weft_array *p = pseudo_inverse(turned ? matrix_adjoint_of(a) : a, *(const double *)data);
    out[0] = turned ? matrix_adjoint_of(p) : p;
}

/* b - a a' b, or b - b a a' */
static weft_array *beyond(weft_array *a, weft_array *b, weft_array *c, bool left)
{
    return ops_binary(OP_SUB, b, left ? matrix_by(a, matrix_by(c, b)) : matrix_by(matrix_by(b, a), c));
}

/* -p da p + p p^H da^H (I - a p) + (I - p a) da^H p^H p, for matrices of one rank (Golub and Pereyra): it has
 * no difference of singular values, as the derivatives of their vectors have. */
static void pinv_tangent(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *a = in[0], *da = matrix_adjoint_of(in[1]), *p = in[2], *turned = matrix_adjoint_of(p);
    weft_array *rows = beyond(a, matrix_by(matrix_by(p, turned), da), p, false),
               *columns = beyond(p, matrix_by(da, matrix_by(turned, p)), a, true);
    out[0] = ops_binary(OP_SUB, ops_binary(OP_ADD, rows, columns), matrix_by(matrix_by(p, in[1]), p));
}

OPS_ENTRY(pinv, (weft_factor o), (), (o))
{
    x = matrix_options(&o, FACTOR_RCOND) ? matrix_in(x) : NULL;
    if (!x) return NULL;
    double rcond = rcond_of(x, o, 10);
    return ops_ruled(&x, 1, &(OpsRuled){ .value = pinv_value, .tangent = pinv_tangent, .data = &rcond });
}
weft_array *(weft_pinv)(weft_array *a) { return weft_pinv_(a, (weft_factor){ 0 }, NULL); }

/* Of x = p b, with p the pseudo-inverse of a: p db, and what p's tangent is, times b. */
static void lstsq_tangent(weft_array *const *in, weft_array **out, const void *data)
{
    weft_array *a = in[0], *b = in[1], *da = matrix_adjoint_of(in[2]), *x = in[4], *p = NULL;
    pinv_value(&a, &p, data);
    weft_array *turned = matrix_adjoint_of(p), *rest = ops_binary(OP_SUB, b, matrix_by(a, x));
    weft_array *rows = matrix_by(matrix_by(p, turned), matrix_by(da, rest)),
               *columns = beyond(p, matrix_by(da, matrix_by(turned, x)), a, true),
               *change = ops_binary(OP_SUB, in[3], matrix_by(in[2], x));
    out[0] = ops_binary(OP_ADD, ops_binary(OP_ADD, rows, columns), matrix_by(p, change));
}

OPS_ENTRY(lstsq, (const weft_array *b, weft_factor o), (weft_of_array(b)), (b, o))
{
    System s;
    if (!matrix_options(&o, FACTOR_RCOND) || !system_of(x, ops_in(b), false, &s)) return NULL;
    double rcond = rcond_of(s.a, o, 1);
    weft_array *in[] = { s.a, s.b };
    return as_given(
        &s, ops_ruled(in, 2, &(OpsRuled){ .value = lstsq_value, .tangent = lstsq_tangent, .data = &rcond }));
}

OPS_ENTRY(matrix_rank, (weft_factor o), (), (o))
{
    weft_array *s;
    x = matrix_options(&o, FACTOR_RCOND) ? matrix_in(x) : NULL;
    if (!x || !matrix_svd(x, false, &s, NULL, NULL)) return NULL;
    weft_array *counts = ops_compare_with(CMP_GT, inverse_of(s, rcond_of(x, o, 1)), 0);
    return matrix_sum(ops_convert(counts, WEFT_I32), -1, OP_ADD);
}
weft_array *(weft_matrix_rank)(weft_array *a) { return weft_matrix_rank_(a, (weft_factor){ 0 }, NULL); }

OPS_ENTRY(matrix_cond, (weft_factor o), (), (o))
{
    weft_array *s;
    x = matrix_options(&o, 0) ? matrix_in(x) : NULL;
    if (!x || !matrix_svd(x, false, &s, NULL, NULL)) return NULL;
    Type t = array_type(s);
    int64_t n = t.dim[t.rank - 1];
    if (n == 0) return op_fail(WEFT_SHAPE, "%s has no singular values", TYPE_TEXT(array_type(x)));
    weft_array *ends = ops_binary(OP_DIV, ops_slice_axis(s, t.rank - 1, 0, 1, 1),
                                  ops_slice_axis(s, t.rank - 1, n - 1, n, 1));
    return ops_reshape(ends, t.dim, t.rank - 1);
}
weft_array *(weft_matrix_cond)(weft_array *a) { return weft_matrix_cond_(a, (weft_factor){ 0 }, NULL); }

#define OF_TWO(name) \
    weft_array *(weft_##name)(weft_array * a, weft_array * b) \
    { \
        return weft_##name##_(a, b, (weft_factor){ 0 }, NULL); \
    }
OF_TWO(solve_triangular)
OF_TWO(solve)
OF_TWO(lstsq)
