/* matrix_schur.c: matrix_schur.h for f32 and f64. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "compiler/graph/matrix/matrix_call.h"
#include "matrix_kernels.h"

#define T       float
#define N(name) f32_##name
#define SQRT(x) sqrtf(x)
#include "matrix_schur.h"
#undef T
#undef N
#undef SQRT

#define T       double
#define N(name) f64_##name
#define SQRT(x) sqrt(x)
#include "matrix_schur.h"

MatrixFn *matrix_schur(Op op, bool of_double)
{
#define EITHER(name) (of_double ? f64_##name : f32_##name)
    switch (op) {
    case OP_GEHRD: return EITHER(gehrd);
    case OP_SCHUR: return EITHER(schur);
    case OP_EIG:   return EITHER(eig);
    default:       return NULL;
    }
}

void matrix_put_vectors(bool of_double, const void *v, int64_t apart, const void *im, int64_t n, void *to)
{
    if (of_double) f64_put_vectors(v, apart, 1, im, n, to);
    else f32_put_vectors(v, apart, 1, im, n, to);
}
