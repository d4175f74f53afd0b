/* infer_matrix.c: the type rules of factorizations. The last two axes are a matrix's, those in front count
 * matrices. */
#include "compiler/graph/matrix/matrix_call.h"
#include "infer_rules.h"
#include <string.h>

static bool check_matrices(const NodeSpec *s, Type t, Failure *f)
{
    if (!check_taken(s->op, (DType)t.dtype, f)) return false;
    return t.rank >= 2 || fail(f, WEFT_SHAPE, "%s is no matrix (two axes, or more in front)", TYPE_TEXT(t));
}

static bool check_square(const NodeSpec *s, Type t, Failure *f)
{
    if (!check_matrices(s, t, f)) return false;
    if (t.dim[t.rank - 2] == t.dim[t.rank - 1]) return true;
    return fail(f, WEFT_SHAPE, "%s is not square (its last two axes are %lld and %lld)", TYPE_TEXT(t),
                (long long)t.dim[t.rank - 2], (long long)t.dim[t.rank - 1]);
}

static bool take_cholesky(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    return check_n_attr(s, 1, f) && check_flag(s->attr[0], "lower", f) && check_square(s, a[0], f) &&
           finish_like(out, (DType)a[0].dtype, a[0], f);
}

/* As many matrices on the right as on the left, of as many rows, or columns, as those have. */
static bool check_sides(Type a, Type b, bool left, Failure *f)
{
    int64_t n = a.dim[a.rank - 1], there = b.rank < 2 ? -1 : b.dim[b.rank - (left ? 2 : 1)];
    if (b.rank != a.rank)
        return fail(f, WEFT_SHAPE, "%s and %s must have the same rank, 2 or more", TYPE_TEXT(a),
                    TYPE_TEXT(b));
    for (int i = 0; i + 2 < a.rank; i++)
        if (a.dim[i] != b.dim[i])
            return fail(f, WEFT_SHAPE, "%s and %s are not as many matrices (axis %d: %lld against %lld)",
                        TYPE_TEXT(a), TYPE_TEXT(b), i, (long long)a.dim[i], (long long)b.dim[i]);
    return there == n || fail(f, WEFT_SHAPE, "%s has %lld %s, not the %lld of %s", TYPE_TEXT(b),
                              (long long)there, left ? "rows" : "columns", (long long)n, TYPE_TEXT(a));
}

static bool take_triangular_solve(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    static const char *const flag[] = { "left_side", "lower", "unit_diagonal" };
    if (!check_n_attr(s, 4, f)) return false;
    for (int i = 0; i < 3; i++)
        if (!check_flag(s->attr[i], flag[i], f)) return false;
    if (s->attr[3] < 0 || s->attr[3] > 2)
        return fail(f, WEFT_ARGUMENT, "transpose_a %lld is not known (0 no, 1 transposed, 2 adjoint)",
                    (long long)s->attr[3]);
    if (a[0].dtype != a[1].dtype)
        return fail(f, WEFT_DTYPE, "operand element types %s and %s differ", dtype_name((DType)a[0].dtype),
                    dtype_name((DType)a[1].dtype));
    return check_square(s, a[0], f) && check_sides(a[0], a[1], s->attr[0], f) &&
           finish_like(out, (DType)a[1].dtype, a[1], f);
}

/* Of several results, whose types are given: are they what they must be? */
static bool finish_given(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    MatrixTypes want;
    int n = matrix_types(s->op, s->attr, s->n_attr, a, &want);
    if (n == 1) {
        memcpy(out->dim, want.dim[0], sizeof out->dim);
        return finish(out, (DType)want.type[0].dtype, want.type[0].rank, f);
    }
    if (s->n_results != (uint32_t)n)
        return fail(f, WEFT_ARGUMENT, "it has %d results, not %u", n, (unsigned)s->n_results);
    for (int i = 0; i < n; i++)
        if (!type_equal(s->results[i], want.type[i]))
            return fail(f, WEFT_SHAPE, "result %d of %s is %s, not %s", i, TYPE_TEXT(a[0]),
                        TYPE_TEXT(want.type[i]), TYPE_TEXT(s->results[i]));
    return finish_all(out, s->results, (uint32_t)n, f);
}

static bool take_factors(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    static const char *const flag[] = { "full_matrices", "compute_uv" };
    int n = s->op == OP_SVD ? 2 : s->op == OP_QR;
    if (!check_n_attr(s, n, f)) return false;
    for (int i = 0; i < n; i++)
        if (!check_flag(s->attr[i], flag[i], f)) return false;
    return check_matrices(s, a[0], f) && finish_given(s, a, out, f);
}

static bool take_eigh(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    return check_n_attr(s, 1, f) && check_flag(s->attr[0], "lower", f) && check_square(s, a[0], f) &&
           finish_given(s, a, out, f);
}

static bool take_eig(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    bool flag = s->op != OP_GEHRD;
    if (!check_n_attr(s, flag, f)) return false;
    if (s->op == OP_EIG && (s->attr[0] < 0 || s->attr[0] > (EIG_RIGHT | EIG_LEFT)))
        return fail(f, WEFT_ARGUMENT, "vectors %lld are not known (0 none, 1 right, 2 left, 3 both)",
                    (long long)s->attr[0]);
    return (s->op != OP_SCHUR || check_flag(s->attr[0], "compute_v", f)) && check_square(s, a[0], f) &&
           finish_given(s, a, out, f);
}

static bool take_householder_product(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    Type q = a[0], tau = a[1];
    if (!check_n_attr(s, 0, f) || !check_matrices(s, q, f)) return false;
    int64_t rows = q.dim[q.rank - 2], columns = q.dim[q.rank - 1];
    if (q.dtype != tau.dtype)
        return fail(f, WEFT_DTYPE, "operand element types %s and %s differ", dtype_name((DType)q.dtype),
                    dtype_name((DType)tau.dtype));
    if (rows < columns) return fail(f, WEFT_SHAPE, "%s has more columns than rows", TYPE_TEXT(q));
    bool fits = tau.rank == q.rank - 1 && tau.dim[tau.rank - 1] <= columns;
    for (int i = 0; fits && i + 2 < q.rank; i++) fits = q.dim[i] == tau.dim[i];
    if (!fits)
        return fail(f, WEFT_SHAPE,
                    "%s are no factors for the reflections in %s: one axis less, the last at most %lld",
                    TYPE_TEXT(tau), TYPE_TEXT(q), (long long)columns);
    return finish_like(out, (DType)q.dtype, q, f);
}

/* Of pairs: what is said of complex numbers, and then as pairs. */
static bool take_pairs(InferRule *rule, const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    Type ones[2];
    MatrixTypes results;
    NodeSpec own = *s;
    own.n_attr = matrix_attributes(s->op);
    int64_t pairs = s->attr[own.n_attr];
    if (pairs != MATRIX_OF_PAIRS && (pairs != MATRIX_OF_REAL || s->op != OP_EIG))
        return fail(f, WEFT_ARGUMENT, "it is 1 that says of pairs, and 2 of eigenvalues of real matrices");
    for (int i = 0; i < matrix_operands(s->op); i++) {
        if (pairs == MATRIX_OF_REAL) {
            ones[i] = a[i];
            continue;
        }
        bool fits = a[i].rank > 2 && a[i].dim[a[i].rank - 1] == 2 && a[i].dtype == a[0].dtype;
        if (!fits || (a[i].dtype != WEFT_F32 && a[i].dtype != WEFT_F64))
            return fail(f, WEFT_SHAPE, "%s are no pairs of f32 or f64 (rank 3 or more, the last axis of 2)",
                        TYPE_TEXT(a[i]));
        ones[i] = matrix_pair_as_one(a[i]);
    }
    if (s->n_results > 1) {
        own.n_results = (uint32_t)matrix_types(s->op, s->attr, own.n_attr, ones, &results);
        own.results = results.type;
    }
    return rule(&own, ones, out, f) && finish_given(s, a, out, f);
}

#define PAIRS_TOO(name) \
    bool infer_##name(const NodeSpec *s, const Type *a, Inferred *out, Failure *f) \
    { \
        bool pairs = s->n_attr == matrix_attributes(s->op) + 1; \
        return pairs ? take_pairs(take_##name, s, a, out, f) : take_##name(s, a, out, f); \
    }
PAIRS_TOO(cholesky)
PAIRS_TOO(triangular_solve)
PAIRS_TOO(factors)
PAIRS_TOO(eigh)
PAIRS_TOO(eig)
PAIRS_TOO(householder_product)
