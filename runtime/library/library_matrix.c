/* library_matrix.c: which code does a factorization. Many small matrices are done in lanes, others one by
 * one; see matrix_lanes.h, matrix_one.h and lapack.h. */
#include "library_matrix.h"
#include "compiler/graph/matrix_call.h"
#include "lapack.h"
#include "matrix_kernels.h"

typedef struct MatrixCall {
    const int64_t *numbers;
    const void *const *in;
    void *const *out;
    void *scratch;
} MatrixCall;

static MatrixCall call_of(void *const *buffers, const int64_t *numbers)
{
    Op op = (Op)numbers[MATRIX_OP];
    int n_in = matrix_operands(op), n_out = matrix_results(op, numbers + MATRIX_ATTR);
    uintptr_t scratch = (uintptr_t)buffers[n_in + n_out];
    return (MatrixCall){ .numbers = numbers,
                         .in = (const void *const *)buffers,
                         .out = buffers + n_in,
                         .scratch = (void *)((scratch + MATRIX_ALIGN - 1) & ~(uintptr_t)(MATRIX_ALIGN - 1)) };
}

static void call_own(const MatrixCall *c)
{
    const int64_t *n = c->numbers;
    if (dtype_is_complex((DType)n[MATRIX_DTYPE])) {
        matrix_complex((Op)n[MATRIX_OP], n[MATRIX_DTYPE] == WEFT_C128)(n, c->in, c->out, c->scratch);
        return;
    }
    int double_ = n[MATRIX_DTYPE] == WEFT_F64;
    const MatrixSingle *single = matrix_single(double_);
    const MatrixKernels *lanes = matrix_kernels(n[MATRIX_VECTOR_BYTES], double_), *k = lanes;
    MatrixFn *f = NULL;
    bool small = matrix_is_small(n);
    if (!small || n[MATRIX_BATCH] == 1) k = &single->any;
    switch ((Op)n[MATRIX_OP]) {
    case OP_CHOLESKY:            f = small ? k->cholesky : single->cholesky_large; break;
    case OP_TRIANGULAR_SOLVE:    f = k == lanes ? k->solve : lanes->solve_each; break;
    case OP_LU:                  f = k->lu; break;
    case OP_QR:                  f = k->qr; break;
    case OP_GEQRF:               f = k->geqrf; break;
    case OP_HOUSEHOLDER_PRODUCT: f = k->orgqr; break;
    case OP_EIGH:                f = matrix_rotates_in_lanes(n) ? k->eigh : lanes->eigh_one; break;
    case OP_SVD:                 f = matrix_rotates_in_lanes(n) ? k->svd : lanes->svd_one; break;
    case OP_GEHRD:
    case OP_SCHUR:
    case OP_EIG:                 f = matrix_schur((Op)n[MATRIX_OP], double_); break;
    default:                     return;
    }
    f(n, c->in, c->out, c->scratch);
}

void library_matrix(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    (void)workers;
    MatrixCall c = call_of(buffers, numbers);
    call_own(&c);
}

void library_lapack(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    (void)workers;
    MatrixCall c = call_of(buffers, numbers);
    if (!lapack_does(numbers, c.in, c.out, c.scratch)) call_own(&c);
}
