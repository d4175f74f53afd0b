/* matrix_complex.c: matrix_complex.h for each type of parts. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "compiler/graph/matrix/matrix_call.h"
#include "matrix_kernels.h"

#define T       float
#define C       float _Complex
#define N(name) c64_##name
#define SQRT(x) sqrtf(x)
#include "matrix_complex.h"
#undef T
#undef C
#undef N
#undef SQRT

#define T       double
#define C       double _Complex
#define N(name) c128_##name
#define SQRT(x) sqrt(x)
#include "matrix_complex.h"

MatrixFn *matrix_complex(Op op, bool of_double)
{
#define EITHER(name) (of_double ? c128_##name : c64_##name)
    switch (op) {
    case OP_CHOLESKY:            return EITHER(cholesky);
    case OP_TRIANGULAR_SOLVE:    return EITHER(solve);
    case OP_LU:                  return EITHER(lu);
    case OP_QR:                  return EITHER(qr);
    case OP_GEQRF:               return EITHER(geqrf);
    case OP_HOUSEHOLDER_PRODUCT: return EITHER(ungqr);
    case OP_EIGH:                return EITHER(eigh);
    case OP_EIG:                 return EITHER(eig);
    case OP_GEHRD:               return EITHER(gehrd);
    case OP_SCHUR:               return EITHER(schur);
    case OP_SVD:                 return EITHER(svd);
    default:                     return NULL;
    }
}
