/* matrix_call.c: see matrix_call.h. */
#include "matrix_call.h"
#include <string.h>

uint32_t matrix_attributes(Op op)
{
    switch (op) {
    case OP_CHOLESKY:
    case OP_EIGH:
    case OP_EIG:
    case OP_SCHUR:
    case OP_QR:               return 1;
    case OP_SVD:              return 2;
    case OP_TRIANGULAR_SOLVE: return 4;
    default:                  return 0;
    }
}

bool matrix_of_pairs(Op op, uint32_t n_attr) { return n_attr > matrix_attributes(op); }

Type matrix_pair_as_one(Type t)
{
    return (Type){ t.dtype == WEFT_F64 ? WEFT_C128 : WEFT_C64, (uint8_t)(t.rank - 1), t.dim };
}

void matrix_numbers(Op op, const int64_t *attr, uint32_t n_attr, const Type *args,
                    int64_t numbers[MATRIX_NUMBERS])
{
    Type a = args[0], b = op_info[op].args == 2 ? args[1] : a;
    bool pairs = matrix_of_pairs(op, n_attr);
    if (pairs) n_attr--;
    if (pairs && attr[n_attr] != MATRIX_OF_REAL) {
        a = matrix_pair_as_one(a);
        b = matrix_pair_as_one(b);
    }
    int64_t batch = 1;
    for (int i = 0; i + 2 < a.rank; i++) batch *= a.dim[i];
    memset(numbers, 0, MATRIX_NUMBERS * sizeof *numbers);
    numbers[MATRIX_OP] = op;
    numbers[MATRIX_DTYPE] = a.dtype;
    numbers[MATRIX_BATCH] = batch;
    numbers[MATRIX_ROWS] = a.dim[a.rank - 2];
    numbers[MATRIX_COLUMNS] = a.dim[a.rank - 1];
    if (op == OP_TRIANGULAR_SOLVE) numbers[MATRIX_OTHER] = b.dim[b.rank - (attr[0] ? 1 : 2)];
    if (op == OP_HOUSEHOLDER_PRODUCT) numbers[MATRIX_OTHER] = b.dim[b.rank - 1];
    numbers[MATRIX_VECTOR_BYTES] = INT64_MAX;
    numbers[MATRIX_THREADS] = 1;
    if (n_attr) memcpy(numbers + MATRIX_ATTR, attr, n_attr * sizeof *attr);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

int matrix_operands(Op op) { return op_info[op].args; }

int matrix_results(Op op, const int64_t *attr)
{
    switch (op) {
    case OP_LU:    return 3;
    case OP_SVD:   return attr[1] ? 3 : 1;
    case OP_EIG:   return 1 + !!(attr[0] & EIG_RIGHT) + !!(attr[0] & EIG_LEFT);
    case OP_SCHUR: return attr[0] ? 2 : 1;
    case OP_QR:
    case OP_GEQRF:
    case OP_GEHRD:
    case OP_EIGH:  return 2;
    default:       return 1;
    }
}

static int types_of(Op op, const int64_t *attr, const Type *args, MatrixTypes *to)
{
    Type a = args[0];
    int n = matrix_results(op, attr), rank = a.rank;
    int64_t rows = a.dim[rank - 2], columns = a.dim[rank - 1], k = least(rows, columns);
    bool full = (op == OP_QR || op == OP_SVD) && attr[0];
    for (int i = 0; i < n; i++) {
        memcpy(to->dim[i], a.dim, (size_t)rank * sizeof *a.dim);
        to->type[i] = (Type){ a.dtype, (uint8_t)rank, to->dim[i] };
    }
    /* results of one axis less hold their last size here */
    int64_t *last[3] = { to->dim[0] + rank - 2, to->dim[1] + rank - 2, to->dim[2] + rank - 2 };
    switch (op) {
    case OP_LU:
        last[1][0] = k;
        last[2][0] = rows;
        to->type[1].rank = to->type[2].rank = (uint8_t)(rank - 1);
        to->type[1].dtype = to->type[2].dtype = WEFT_I32;
        break;
    case OP_GEQRF:
    case OP_GEHRD:
    case OP_EIGH:
        last[1][0] = op == OP_GEHRD ? most(k - 1, 0) : k;
        to->type[1].rank = (uint8_t)(rank - 1);
        if (op == OP_EIGH) to->type[1].dtype = (uint8_t)dtype_part((DType)a.dtype);
        break;
    case OP_EIG:
        to->type[0].rank = (uint8_t)(rank - 1);
        for (int i = 0; i < n; i++) to->type[i].dtype = (uint8_t)dtype_complex((DType)a.dtype);
        break;
    case OP_QR: last[0][1] = last[1][0] = full ? rows : k; break;
    case OP_SVD:
        last[0][0] = k;
        to->type[0].rank = (uint8_t)(rank - 1);
        to->type[0].dtype = (uint8_t)dtype_part((DType)a.dtype);
        if (n == 1) break;
        last[1][1] = full ? rows : k;
        last[2][0] = full ? columns : k;
        break;
    case OP_TRIANGULAR_SOLVE: to->type[0] = args[1]; break;
    default:                  break;
    }
    return n;
}

int matrix_types(Op op, const int64_t *attr, uint32_t n_attr, const Type *args, MatrixTypes *to)
{
    Type ones[2];
    if (!matrix_of_pairs(op, n_attr)) return types_of(op, attr, args, to);
    bool real = attr[n_attr - 1] == MATRIX_OF_REAL;
    for (int i = 0; i < matrix_operands(op); i++) ones[i] = real ? args[i] : matrix_pair_as_one(args[i]);
    int n = types_of(op, attr, ones, to);
    for (int i = 0; i < n; i++) {
        Type *t = &to->type[i];
        if (!dtype_is_complex((DType)t->dtype)) continue;
        if (t->dim != to->dim[i]) memcpy(to->dim[i], t->dim, t->rank * sizeof *t->dim);
        to->dim[i][t->rank] = 2;
        *t = (Type){ (uint8_t)dtype_part((DType)t->dtype), (uint8_t)(t->rank + 1), to->dim[i] };
    }
    return n;
}

bool matrix_is_small(const int64_t *numbers)
{
    return most(most(numbers[MATRIX_ROWS], numbers[MATRIX_COLUMNS]), numbers[MATRIX_OTHER]) <= MATRIX_LANES;
}

bool matrix_rotates_in_lanes(const int64_t *n)
{
    static const int64_t most_rows[2][2] = { { EIGH_LANES, EIGH_LANES_F64 }, { SVD_LANES, SVD_LANES_F64 } };
    int64_t k = least(n[MATRIX_ROWS], n[MATRIX_COLUMNS]);
    bool pays = n[MATRIX_BATCH] >= k && k <= most_rows[n[MATRIX_OP] == OP_SVD][n[MATRIX_DTYPE] == WEFT_F64];
    return matrix_is_small(n) && (k <= ONE_SMALLEST || pays);
}

bool matrix_is_own(const int64_t *n)
{
    int64_t k = least(n[MATRIX_ROWS], n[MATRIX_COLUMNS]), longer = most(n[MATRIX_ROWS], n[MATRIX_COLUMNS]);
    bool svd = n[MATRIX_OP] == OP_SVD, full = svd && n[MATRIX_ATTR], values = svd && !n[MATRIX_ATTR + 1];
    if (matrix_is_small(n)) return n[MATRIX_OP] != OP_SCHUR || n[MATRIX_BATCH] > 1;
    if ((!svd && n[MATRIX_OP] != OP_EIGH) || dtype_is_complex((DType)n[MATRIX_DTYPE])) return false;
    if (values) return k <= ONE_OWN_VALUES && longer <= ONE_OWN_LONGER;
    return (full ? longer : k) <= ONE_OWN && longer <= ONE_OWN_LONGER;
}

/* Columns of q, or of the larger of u and v: what is tall has as few of them as it has itself, unless all are
 * wanted. */
static int64_t basis_columns(const int64_t *n)
{
    int64_t rows = n[MATRIX_ROWS], columns = n[MATRIX_COLUMNS], k = least(rows, columns);
    switch ((Op)n[MATRIX_OP]) {
    case OP_QR:  return n[MATRIX_ATTR] ? rows : k;
    case OP_SVD: return n[MATRIX_ATTR] ? most(rows, columns) : k;
    default:     return columns;
    }
}

/* Elements that weft's own code has in scratch for one matrix (matrix_lanes.h). */
static int64_t own_elements(const int64_t *n)
{
    int64_t rows = n[MATRIX_ROWS], columns = n[MATRIX_COLUMNS], a = rows * columns,
            longer = most(rows, columns), k = least(rows, columns), wide = basis_columns(n);
    switch ((Op)n[MATRIX_OP]) {
    case OP_TRIANGULAR_SOLVE:    return a + rows * n[MATRIX_OTHER];
    case OP_LU:                  return a + longer;
    case OP_GEQRF:               return a + 2 * longer;
    case OP_QR:
    case OP_HOUSEHOLDER_PRODUCT: return a + 2 * longer + rows * wide;
    case OP_GEHRD:               return longer;
    case OP_SCHUR:               return a + 2 * longer;
    case OP_EIG:                 return 4 * a + 4 * longer;
    case OP_EIGH:                return 3 * a + 85 * longer + 700; /* padded rows, rotations of some sweeps */
    case OP_SVD:                 return 3 * longer * wide + k * k + 140 * longer + 400;
    default:                     return a;
    }
}

int64_t matrix_leading(const int64_t *n, int64_t rows)
{
    int64_t bytes = (int64_t)dtype_bytes((DType)n[MATRIX_DTYPE]);
    return rows % (1024 / bytes) == 0 ? rows + 64 / bytes : rows;
}

/* The matrix, u and v^T. */
static int64_t svd_copies(const int64_t *n)
{
    int64_t rows = n[MATRIX_ROWS], columns = n[MATRIX_COLUMNS], k = least(rows, columns);
    bool full = n[MATRIX_ATTR], vectors = n[MATRIX_ATTR + 1];
    int64_t of_u = !vectors ? 1 : full ? rows : k, of_vt = !vectors ? 0 : full ? columns : k;
    return matrix_leading(n, columns) * (rows + of_vt) + matrix_leading(n, of_u) * rows;
}

/* Elements that LAPACK and BLAS want, copies of the matrix included; a complex one has room for two real
 * ones. */
static int64_t lapack_elements(const int64_t *n)
{
    int64_t rows = n[MATRIX_ROWS], columns = n[MATRIX_COLUMNS], k = least(rows, columns),
            longer = most(rows, columns), block = LAPACK_BLOCK * longer,
            more = dtype_is_complex((DType)n[MATRIX_DTYPE]) ? k * (3 * k + longer) + 8 * longer : 0;
    int64_t copy = matrix_leading(n, rows) * most(columns, basis_columns(n));
    switch ((Op)n[MATRIX_OP]) {
    case OP_CHOLESKY:            return copy;
    case OP_LU:                  return copy + longer;
    case OP_GEQRF:
    case OP_QR:
    case OP_HOUSEHOLDER_PRODUCT: return copy + block + 2 * longer;
    case OP_GEHRD:
    case OP_SCHUR:
    case OP_EIG:                 return 3 * copy + block + LAPACK_GEHRD + 5 * rows;
    case OP_EIGH:                return copy + 7 + 16 * rows + 2 * rows * rows + block + more;
    case OP_SVD:                 return svd_copies(n) + 5 * k * k + 32 * k + longer + 2 * block + more;
    default:                     return 0;
    }
}

static bool has_lanes(const int64_t *n)
{
    Op op = (Op)n[MATRIX_OP];
    return matrix_is_small(n) && !dtype_is_complex((DType)n[MATRIX_DTYPE]) && op != OP_GEHRD &&
           op != OP_SCHUR && op != OP_EIG;
}

int64_t matrix_thread_bytes(const int64_t *n)
{
    int64_t bytes = (int64_t)dtype_bytes((DType)n[MATRIX_DTYPE]), lanes = matrix_side_by_side(n),
            columns = n[MATRIX_OP] == OP_TRIANGULAR_SOLVE ? n[MATRIX_ROWS] * MATRIX_MOST_LANES : 0,
            all = most(most(own_elements(n) * lanes, columns), lanes == 1 ? lapack_elements(n) : 0) * bytes;
    return (all + MATRIX_ALIGN - 1) / MATRIX_ALIGN * MATRIX_ALIGN;
}

int64_t matrix_scratch_bytes(const int64_t *n)
{
    return n[MATRIX_THREADS] * matrix_thread_bytes(n) + MATRIX_ALIGN;
}

int64_t matrix_side_by_side(const int64_t *n) { return has_lanes(n) ? MATRIX_MOST_LANES : 1; }

int matrix_bytes(const int64_t *n, int64_t bytes[MATRIX_BUFFERS])
{
    Op op = (Op)n[MATRIX_OP];
    int n_in = matrix_operands(op);
    bool left = op == OP_TRIANGULAR_SOLVE && n[MATRIX_ATTR];
    int64_t a[] = { 1, n[MATRIX_ROWS], n[MATRIX_COLUMNS] },
            b[] = { 1, left ? n[MATRIX_ROWS] : n[MATRIX_OTHER], left ? n[MATRIX_OTHER] : n[MATRIX_ROWS] },
            tau[] = { 1, n[MATRIX_OTHER] };
    uint8_t t = (uint8_t)n[MATRIX_DTYPE];
    Type args[] = { { t, 3, a }, op == OP_HOUSEHOLDER_PRODUCT ? (Type){ t, 2, tau } : (Type){ t, 3, b } };
    MatrixTypes results;
    int n_out = matrix_types(op, n + MATRIX_ATTR, matrix_attributes(op), args, &results);
    for (int i = 0; i < n_in + n_out; i++) {
        Type of = i < n_in ? args[i] : results.type[i - n_in];
        bytes[i] = type_count(of) * (int64_t)dtype_bytes((DType)of.dtype);
    }
    return n_in + n_out;
}

/* ---- threads ---- */

/* What takes less stays with the caller. Scratch for so many threads at most, and not more of it than the
 * operands take, or LEAST_ROOM. */
enum { WORTH_THREADS_NS = 50000, MOST_THREADS = 64, LEAST_ROOM = 4 << 20 };
/* Multiply-adds, and elements that are turned into lanes and back, in a ns. */
enum { FLOPS = 4, ELEMENTS = 4 };

int64_t matrix_ns(const int64_t *n)
{
    int64_t rows = n[MATRIX_ROWS], columns = n[MATRIX_COLUMNS], k = least(rows, columns),
            all = rows * columns * k, flops = all;
    switch ((Op)n[MATRIX_OP]) {
    case OP_CHOLESKY:         flops = all / 6; break;
    case OP_TRIANGULAR_SOLVE: flops = rows * rows * n[MATRIX_OTHER] / 2; break;
    case OP_LU:               flops = all / 3; break;
    case OP_EIGH:
    case OP_SVD:
    case OP_SCHUR:
    case OP_EIG:              flops = 20 * all; break;
    default:                  break;
    }
    if (dtype_is_complex((DType)n[MATRIX_DTYPE])) flops *= 4;
    return n[MATRIX_BATCH] * (flops / FLOPS + (rows * columns + rows * n[MATRIX_OTHER]) / ELEMENTS);
}

void matrix_allow_threads(int64_t *n)
{
    int64_t bytes[MATRIX_BUFFERS], all = 0, side = matrix_side_by_side(n), batch = n[MATRIX_BATCH],
                                   groups = (batch + side - 1) / side;
    for (int i = matrix_bytes(n, bytes); i-- > 0;) all += bytes[i] * batch;
    int64_t rooms = most(all, LEAST_ROOM) / (matrix_thread_bytes(n) + 1),
            threads = least(least(groups, rooms), MOST_THREADS);
    n[MATRIX_THREADS] = matrix_ns(n) < WORTH_THREADS_NS || threads < 1 ? 1 : threads;
}

bool build_matrix(Graph *g, Op op, const Ref *args, const int64_t *attr, uint32_t n_attr, Ref *out)
{
    MatrixTypes results;
    Type types[2];
    int n_args = matrix_operands(op), n = matrix_results(op, attr);
    for (int i = 0; i < n; i++) out[i] = REF_NONE;
    for (int i = 0; i < n_args; i++) {
        if (args[i] == REF_NONE) return false;
        types[i] = graph_type(g, args[i]);
    }
    if (n == 1) return (out[0] = build_node(g, op, args, (uint32_t)n_args, attr, n_attr)) != REF_NONE;
    NodeSpec s = { .op = op, .args = args, .n_args = (uint32_t)n_args, .attr = attr, .n_attr = n_attr };
    bool pairs = matrix_of_pairs(op, n_attr) && attr[n_attr - 1] != MATRIX_OF_REAL;
    if (types[0].rank >= 2 + pairs) matrix_types(op, attr, n_attr, types, &results);
    else
        for (int i = 0; i < n; i++) results.type[i] = types[0]; /* the rule says what is wrong */
    return build_results(g, build_given(g, s, results.type, (uint32_t)n), (uint32_t)n, out);
}
