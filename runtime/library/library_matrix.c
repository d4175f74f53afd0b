/* library_matrix.c: which code does a factorization. Many small matrices are done in lanes, others one by
 * one; see matrix_lanes.h, matrix_one.h and lapack.h. */
#include "library_matrix.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "lapack.h"
#include "matrix_kernels.h"
#include <string.h>

typedef struct MatrixCall {
    const int64_t *numbers;
    const void *const *in;
    void *const *out;
    void *scratch;
} MatrixCall;

static void *aligned(void *scratch)
{
    return (void *)(((uintptr_t)scratch + MATRIX_ALIGN - 1) & ~(uintptr_t)(MATRIX_ALIGN - 1));
}

static MatrixCall call_of(void *const *buffers, const int64_t *numbers)
{
    Op op = (Op)numbers[MATRIX_OP];
    int n_in = matrix_operands(op), n_out = matrix_results(op, numbers + MATRIX_ATTR);
    return (MatrixCall){ .numbers = numbers,
                         .in = (const void *const *)buffers,
                         .out = buffers + n_in,
                         .scratch = aligned(buffers[n_in + n_out]) };
}

/* By all of the batch, so that no piece of it is done otherwise. */
static MatrixFn *own_code(const int64_t *n)
{
    Op op = (Op)n[MATRIX_OP];
    if (dtype_is_complex((DType)n[MATRIX_DTYPE])) return matrix_complex(op, n[MATRIX_DTYPE] == WEFT_C128);
    int double_ = n[MATRIX_DTYPE] == WEFT_F64;
    const MatrixSingle *single = matrix_single(double_);
    const MatrixKernels *lanes = matrix_kernels(n[MATRIX_VECTOR_BYTES], double_), *k = lanes;
    bool small = matrix_is_small(n);
    if (!small || n[MATRIX_BATCH] == 1) k = &single->any;
    switch (op) {
    case OP_CHOLESKY:            return small ? k->cholesky : single->cholesky_large;
    case OP_TRIANGULAR_SOLVE:    return k == lanes ? k->solve : lanes->solve_each;
    case OP_LU:                  return k->lu;
    case OP_QR:                  return k->qr;
    case OP_GEQRF:               return k->geqrf;
    case OP_HOUSEHOLDER_PRODUCT: return k->orgqr;
    case OP_EIGH:                return matrix_rotates_in_lanes(n) ? k->eigh : lanes->eigh_one;
    case OP_SVD:                 return matrix_rotates_in_lanes(n) ? k->svd : lanes->svd_one;
    case OP_GEHRD:
    case OP_SCHUR:
    case OP_EIG:                 return matrix_schur(op, double_);
    default:                     return NULL;
    }
}

/* ---- in pieces ---- */

enum { PIECE_NS = 10000, MOST_PIECES = 256 };

typedef struct Batch {
    const MatrixCall *call;
    MatrixFn *own;
    bool by_lapack;                      /* by own code what LAPACK cannot do */
    int64_t each, bytes[MATRIX_BUFFERS]; /* matrices of a piece; of one matrix, by buffer */
} Batch;

static void run(const Batch *b, const MatrixCall *c)
{
    if (!b->by_lapack || !lapack_does(c->numbers, c->in, c->out, c->scratch))
        b->own(c->numbers, c->in, c->out, c->scratch);
}

static void run_piece(const void *frame, int64_t piece, void *scratch)
{
    const Batch *b = frame;
    int64_t numbers[MATRIX_NUMBERS], first = piece * b->each, left;
    const void *in[MATRIX_BUFFERS];
    void *out[MATRIX_BUFFERS];
    memcpy(numbers, b->call->numbers, sizeof numbers);
    left = numbers[MATRIX_BATCH] - first;
    numbers[MATRIX_BATCH] = left < b->each ? left : b->each;
    int n_in = matrix_operands((Op)numbers[MATRIX_OP]),
        n_out = matrix_results((Op)numbers[MATRIX_OP], numbers + MATRIX_ATTR);
    for (int i = 0; i < n_in; i++) in[i] = (const char *)b->call->in[i] + first * b->bytes[i];
    for (int i = 0; i < n_out; i++) out[i] = (char *)b->call->out[i] + first * b->bytes[n_in + i];
    run(b, &(MatrixCall){ numbers, in, out, scratch });
}

static void call_in_pieces(Batch *b, const Workers *workers)
{
    const int64_t *n = b->call->numbers;
    int64_t ns = matrix_ns(n), side = matrix_side_by_side(n), pieces = ns / PIECE_NS;
    if (pieces > MOST_PIECES) pieces = MOST_PIECES;
    b->each = ((n[MATRIX_BATCH] + pieces - 1) / pieces + side - 1) / side * side;
    matrix_bytes(n, b->bytes);
    workers->run(workers, run_piece, b, b->call->scratch,
                 &(ParallelLoop){ (n[MATRIX_BATCH] + b->each - 1) / b->each, matrix_thread_bytes(n), ns });
}

static void call(void *const *buffers, const int64_t *numbers, const Workers *workers, bool by_lapack)
{
    MatrixCall c = call_of(buffers, numbers);
    Batch b = { .call = &c, .own = own_code(numbers), .by_lapack = by_lapack };
    Workers few = workers ? *workers : (Workers){ .most = 1 }; /* as many as have scratch */
    if (few.most > numbers[MATRIX_THREADS]) few.most = numbers[MATRIX_THREADS];
    if (few.most > 1 && !(by_lapack && lapack_takes_turns())) call_in_pieces(&b, &few);
    else run(&b, &c);
}

void library_matrix(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    call(buffers, numbers, workers, false);
}

void library_lapack(void *const *buffers, const int64_t *numbers, const Workers *workers)
{
    call(buffers, numbers, workers, true);
}
