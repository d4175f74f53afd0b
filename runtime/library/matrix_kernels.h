/* matrix_kernels.h: weft's own factorizations: of many small matrices in lanes, of others one by one. */
#ifndef WEFT_LIBRARY_MATRIX_KERNELS_H
#define WEFT_LIBRARY_MATRIX_KERNELS_H
#include <stdbool.h>
#include <stdint.h>
#include "compiler/graph/graph.h"

/* A whole call, as compiler/graph/matrix/matrix_call.h says it. */
typedef void MatrixFn(const int64_t *numbers, const void *const *in, void *const *out, void *scratch);

typedef struct MatrixKernels {
    MatrixFn *cholesky, *solve;
    MatrixFn *solve_each; /* columns of b in lanes, one matrix after the other */
    MatrixFn *lu, *qr, *geqrf, *orgqr, *eigh, *svd;
    /* one matrix after the other, neighbours of a row in lanes (matrix_one.h) */
    MatrixFn *eigh_one, *svd_one;
} MatrixKernels;

/* Rows of numbers T that are shorter than the largest number by this factor are nothing to rotations of rows:
 * their squares would vanish beside those of the others, or the rotation's angle would. */
#define MATRIX_NOTHING(T) (sizeof(T) == 4 ? (T)1e-12 : (T)1e-135)

/* What numbers T of which none is larger are multiplied by before quotients are taken: those of subnormal
 * numbers have few digits. */
#define MATRIX_LOW(T)           (sizeof(T) == 4 ? (T)0x1p-103 : (T)0x1p-970)
#define MATRIX_LIFT(T, largest) ((largest) < MATRIX_LOW(T) ? (T)0x1p100 : (T)1)
/* Elements below Schur's diagonal that count as 0, of a matrix whose largest is 1: steps cannot make them
 * smaller beside diagonal ones that are as small. */
#define MATRIX_SPLITS(T) (MATRIX_LOW(T) * 0x1p17f)
/* May an element under the diagonal that is next to nothing beside its neighbours become 0 in a QR step's
 * matrix? By the sizes of it, of the one across the diagonal, of the last diagonal one and of its difference
 * from the one before, as Ahues and Tisseur do it, and LAPACK's lahqr: where the one across is large, it may
 * still move the eigenvalues. What is not more than `none` is nothing. */
static inline bool matrix_may_split(double low, double across, double last, double gap, double epsilon,
                                    double none)
{
    double most = across > low ? across : low, few = across > low ? low : across,
           large = gap > last ? gap : last, small = gap > last ? last : gap, all = large + most,
           moved = epsilon * small * (large / all);
    return low <= none || few * (most / all) <= (moved > none ? moved : none);
}

/* Kernels of vectors of so many bytes at most, of this machine; double_: of f64. */
const MatrixKernels *matrix_kernels(int64_t vector_bytes, int double_);
/* One matrix after the other: any, and what is for large ones. */
typedef struct MatrixSingle {
    MatrixKernels any;
    MatrixFn *cholesky_large;
} MatrixSingle;
const MatrixSingle *matrix_single(int double_);
/* Of complex matrices (matrix_complex.c), one after the other. */
MatrixFn *matrix_complex(Op, bool of_double);
/* Hessenberg's and Schur's forms and eigenvalues of real ones (matrix_schur.c), one after the other. */
MatrixFn *matrix_schur(Op, bool of_double);
/* Eigenvectors as LAPACK's geev has them, by columns, of eigenvalues with these imaginary parts, as complex
 * numbers [n, n]; each of length 1, its largest number real and positive. */
void matrix_put_vectors(bool of_double, const void *v, int64_t apart, const void *im, int64_t n, void *to);
#endif
