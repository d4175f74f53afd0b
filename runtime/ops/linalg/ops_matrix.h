/* ops_matrix.h: what the public functions of matrices share. As in ops_compose.h NULL is a failed value, and
 * what is made of it is NULL. */
#ifndef WEFT_OPS_OPS_MATRIX_H
#define WEFT_OPS_OPS_MATRIX_H
#include "runtime/ops/ops_compose.h"
#include "weft/linalg.h"

/* Options that a function has; another one that is given is an error. */
enum {
    FACTOR_UPPER = 1,
    FACTOR_TRANSPOSE = 2,
    FACTOR_UNIT = 4,
    FACTOR_FULL = 8,
    FACTOR_RCOND = 16,
    FACTOR_ADJOINT = 32,
    FACTOR_CHECK = 64
};
bool matrix_options(const weft_factor *, unsigned allowed);

/* x in a type that has factors; NULL after op_fail: it is no matrix, or not square. */
weft_array *matrix_in(weft_array *);
weft_array *matrix_square(weft_array *);
int64_t matrix_rows_of(const weft_array *);
int64_t matrix_columns_of(const weft_array *);

/* The op's results; false: it failed. */
bool matrix_apply(Op, weft_array *const *args, const int64_t *attr, int n_attr, weft_array **results);
weft_array *matrix_apply_one(Op, weft_array *const *args, const int64_t *attr, int n_attr);
weft_array *matrix_by(weft_array *a, weft_array *b);       /* the product of matrices */
weft_array *matrix_turned(weft_array *);                   /* the last two axes exchanged */
weft_array *matrix_sum(weft_array *, int axis, Op monoid); /* axis: -1, -2; a fold along it */
weft_array *matrix_ones(const weft_array *like, int64_t rows, int64_t columns); /* I, in its type */
weft_array *matrix_diagonal(weft_array *, int64_t k);
weft_array *matrix_adjoint_of(weft_array *); /* turned, and conjugate */
/* mean of a and its adjoint */
weft_array *matrix_symmetric_mean(weft_array *);
/* s alone if u is NULL */
bool matrix_svd(weft_array *a, bool full, weft_array **s, weft_array **u, weft_array **vt);
weft_array *matrix_solved(weft_array *a, weft_array *b); /* both matrices */
#endif
