/* jvp_matrix.c: forward rules of factorizations: JAX's, but that only those elements count that an op
 * reads. */
#include "compiler/graph/matrix/matrix_build.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "jvp_rules.h"

/* a = l l^H:   dl = l phi(l^-1 da l^-H), where phi is the lower triangle with half of the diagonal. */
void jvp_cholesky(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    bool lower = n->attr[0];
    Ref da = matrix_symmetric(g, darg(v, n, 0), lower), l = lower ? *y : matrix_adjoint(g, *y);
    if (da == REF_NONE) return;
    Ref x = matrix_solve(g, l, da, (MatrixSolve){ .lower = true, .transpose = 2 });
    x = matrix_solve(g, l, x, (MatrixSolve){ .left = true, .lower = true });
    Type t = graph_type(g, x);
    Ref half = build_select(g, matrix_mask(g, t, CMP_EQ, 0), jvp_fill(g, x, 0.5), jvp_fill(g, x, 1));
    Ref dl = matrix_product(g, l, build_binary(g, OP_MUL, matrix_triangle(g, x, true, 0), half));
    *dy = lower ? dl : matrix_adjoint(g, dl);
}

/* op(a) x = b:   op(a) dx = db - op(da) x */
void jvp_triangular_solve(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    MatrixSolve s = matrix_solve_of(n->attr);
    Ref da = matrix_triangle(g, darg(v, n, 0), s.lower, s.unit ? -1 : 0), db = darg(v, n, 1);
    if (da != REF_NONE) {
        Ref product = s.left ? matrix_product_of(g, da, s.transpose, *y, 0)
                             : matrix_product_of(g, *y, 0, da, s.transpose);
        db = jvp_add(g, db, build_unary(g, OP_NEG, product));
    }
    if (db != REF_NONE) *dy = matrix_solve(g, arg(v, n, 0), db, s);
}

/* ---- lu, qr */

static Ref times(Graph *g, Ref a, Ref b)
{
    return a == REF_NONE || b == REF_NONE ? REF_NONE : build_binary(g, OP_MUL, a, b);
}
/* A real factor times what may be complex. */
static Ref real_times(Graph *g, Ref real, Ref b)
{
    return b == REF_NONE ? b : times(g, build_convert(g, real, (DType)graph_type(g, b).dtype), b);
}
static bool is_complex(const Graph *g, Ref a)
{
    return a != REF_NONE && dtype_is_complex((DType)graph_node(g, a)->dtype);
}
static Ref real_part(Graph *g, Ref a) { return is_complex(g, a) ? build_unary(g, OP_REAL, a) : a; }
static Ref plus(Graph *g, Ref a, Ref b) { return jvp_add(g, a, b); }
static Ref minus(Graph *g, Ref a, Ref b)
{
    return jvp_add(g, a, b == REF_NONE ? b : build_unary(g, OP_NEG, b));
}
static Ref identity_of(Graph *g, Ref like)
{
    return build_select(g, matrix_mask(g, graph_type(g, like), CMP_EQ, 0), jvp_fill(g, like, 1),
                        jvp_fill(g, like, 0));
}

/* Of a matrix [.., rows, columns]: its first k rows, or columns; the rest filled so that it is square, with
 * ones on the diagonal. */
static Ref squared(Graph *g, Ref a, int64_t k, bool columns)
{
    Type t = graph_type(g, a);
    int axis = t.rank - (columns ? 1 : 2);
    int64_t size = t.dim[t.rank - (columns ? 2 : 1)], low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 },
            inner[WEFT_MAX_RANK] = { 0 };
    a = build_slice_along(g, a, axis, 0, k, 1);
    high[axis] = size - k;
    a = build_pad(g, a, build_zeros(g, type_scalar(t.dtype)), low, high, inner);
    Type square = graph_type(g, a), index = { WEFT_I32, square.rank, square.dim };
    Ref beyond = build_compare(g, CMP_GE, build_iota(g, index, axis),
                               build_splat(g, index, scalar_from_i64(WEFT_I32, k)));
    Ref ones = build_binary(g, OP_AND, beyond, matrix_mask(g, square, CMP_EQ, 0));
    return build_select(g, ones, jvp_fill(g, a, 1), a);
}

/* p a = l u:   x = l^-1 p da u^-1 is strictly lower l^-1 dl and upper du u^-1 */
void jvp_lu(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    Type t = arg_type(v, n, 0);
    int64_t rows = t.dim[t.rank - 2], columns = t.dim[t.rank - 1], k = rows < columns ? rows : columns;
    Ref da = matrix_rows(g, darg(v, n, 0), y[2]);
    if (da == REF_NONE) return;
    Ref l = squared(g, matrix_triangle(g, y[0], true, -1), k, true),
        u = squared(g, matrix_triangle(g, y[0], false, 0), k, false);
    l = build_select(g, matrix_mask(g, graph_type(g, l), CMP_EQ, 0), jvp_fill(g, l, 1), l);
    Ref x = matrix_solve(g, l, da, (MatrixSolve){ .left = true, .lower = true, .unit = true });
    x = matrix_solve(g, u, x, (MatrixSolve){ 0 });
    dy[0] = plus(g, matrix_product(g, l, matrix_triangle(g, x, true, -1)),
                 matrix_product(g, matrix_triangle(g, x, false, 0), u));
}

/* q r = a of as many columns as q has:   x = da r^-1,  s = skew from the lower triangle of q^H x, with the
 * imaginary part of its diagonal,
 *     dq = q (s - q^H x) + x,   dr = (q^H x - s) r */
void jvp_qr(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    Type t = arg_type(v, n, 0);
    int64_t rows = t.dim[t.rank - 2], columns = t.dim[t.rank - 1];
    Ref da = darg(v, n, 0);
    if (rows < columns || (n->attr[0] && rows != columns)) {
        fail(&g->failure, WEFT_ARGUMENT,
             "of %s: the derivative of q and r is known for matrices with at least as many rows as columns, "
             "and "
             "without full_matrices",
             TYPE_TEXT(t));
        return;
    }
    if (da == REF_NONE) return;
    Ref x = matrix_solve(g, y[1], da, (MatrixSolve){ 0 }), qx = matrix_product_of(g, y[0], 2, x, 0);
    Ref low = matrix_triangle(g, qx, true, -1), s = minus(g, low, matrix_adjoint(g, low));
    if (is_complex(g, qx)) {
        Ref real = build_convert(g, real_part(g, qx), (DType)t.dtype);
        Ref kept = build_select(g, matrix_mask(g, graph_type(g, qx), CMP_EQ, 0), minus(g, qx, real),
                                jvp_fill(g, qx, 0));
        s = plus(g, s, kept);
    }
    dy[0] = plus(g, matrix_product(g, y[0], minus(g, s, qx)), x);
    dy[1] = matrix_product(g, minus(g, qx, s), y[1]);
}

void jvp_reflections(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y, (void)dy;
    fail(&v->w.to->failure, WEFT_ARGUMENT,
         n->op == OP_GEHRD
             ? "there is none of Hessenberg's form, nor has JAX one (weft_qr, weft_eig have one)"
             : "there is none of single reflections (weft_qr has one)");
}

void jvp_schur(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)n, (void)y, (void)dy;
    fail(&v->w.to->failure, WEFT_ARGUMENT,
         "there is none of Schur's form, nor has JAX one (weft_eig and weft_eigh have one)");
}

/* ---- eigh, svd */

/* [.., n] as rows, or columns, of [.., n, n] */
static Ref spread(Graph *g, Ref w, Type square, bool along_rows)
{
    int64_t axes[WEFT_MAX_RANK];
    for (int i = 0; i + 1 < square.rank; i++) axes[i] = i;
    if (along_rows) axes[square.rank - 2] = square.rank - 1;
    return build_broadcast(g, w, square.dim, square.rank, axes);
}

/* The diagonal of [.., n, n] */
static Ref diagonal(Graph *g, Ref a)
{
    if (a == REF_NONE) return a;
    Type t = graph_type(g, a);
    Ref kept = build_select(g, matrix_mask(g, t, CMP_EQ, 0), a, build_zeros(g, t));
    return build_reduce(g, OP_ADD, kept, (int64_t[]){ t.rank - 1 }, 1);
}

/* 1 / gap off the diagonal, where gap is 0, and so is the result; inf where two values are equal. */
static Ref one_over(Graph *g, Ref gap, Ref eye)
{
    return build_binary(g, OP_SUB,
                        build_binary(g, OP_DIV, jvp_fill(g, eye, 1), build_binary(g, OP_ADD, eye, gap)), eye);
}

/* a v = v w:   x = v^H da v,   dw its diagonal,   dv = v (f x), f = 1 / (w_j - w_i) off the diagonal */
void jvp_eigh(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    Type t = arg_type(v, n, 0);
    Ref da = matrix_symmetric(g, darg(v, n, 0), n->attr[0]);
    if (da == REF_NONE) return;
    Ref x = matrix_product_of(g, y[0], 2, matrix_product(g, da, y[0]), 0),
        eye = identity_of(g, real_part(g, da));
    t.dtype = graph_type(g, eye).dtype;
    Ref gap = build_binary(g, OP_SUB, spread(g, y[1], t, true), spread(g, y[1], t, false));
    Ref f = one_over(g, gap, eye);
    dy[1] = real_part(g, diagonal(g, x));
    dy[0] = matrix_product(g, y[0], real_times(g, f, x));
}

/* a^-1 b */
static Ref solved(Graph *g, Ref a, Ref b)
{
    Ref lu[3];
    if (!build_matrix(g, OP_LU, &a, NULL, 0, lu)) return REF_NONE;
    b = matrix_solve(g, lu[0], matrix_rows(g, b, lu[2]), (MatrixSolve){ true, true, true, 0 });
    return matrix_solve(g, lu[0], b, (MatrixSolve){ .left = true });
}

static Ref column_sums(Graph *g, Ref a)
{
    return build_reduce(g, OP_ADD, a, (int64_t[]){ graph_type(g, a).rank - 2 }, 1);
}

/* 1 where a column's number is its largest. */
static Ref largest(Graph *g, Ref v)
{
    Ref size = build_unary(g, OP_ABS, v);
    Type t = graph_type(g, size), index = { WEFT_I32, t.rank, t.dim };
    Ref at = build_typed(g, OP_ARGMAX, &size, 1, (int64_t[]){ t.rank - 2 }, 1, type_scalar(WEFT_I32));
    Ref is = build_compare(g, CMP_EQ, build_iota(g, index, t.rank - 2), spread(g, at, index, true));
    return build_convert(g, is, (DType)graph_type(g, v).dtype);
}

/* a v = v w:   x = v^-1 da v,   dw its diagonal,   u = v (f x), f = 1 / (w_j - w_i) off the diagonal,
 *     dv = u + v c
 * where each c keeps a column's length 1 and its largest number real. */
void jvp_eig(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    Type t = arg_type(v, n, 0);
    Ref da = darg(v, n, 0), all[2] = { y[0], REF_NONE };
    if (da == REF_NONE) return;
    t.dtype = (uint8_t)dtype_complex((DType)t.dtype);
    da = build_convert(g, da, (DType)t.dtype);
    if (n->attr[0] & EIG_LEFT) {
        fail(&g->failure, WEFT_ARGUMENT,
             "there is none of left eigenvectors (weft_eig has one, of right ones)");
        return;
    }
    if (n->n_results > 1) all[1] = y[1];
    else if (!build_matrix(g, OP_EIG, (Ref[]){ arg(v, n, 0) }, (int64_t[]){ 1 }, 1, all)) return;
    Ref x = matrix_product(g, solved(g, all[1], da), all[1]);
    dy[0] = diagonal(g, x);
    if (n->n_results == 1 || x == REF_NONE) return;
    Ref w = all[0], vectors = all[1], eye = identity_of(g, vectors),
        gap = build_binary(g, OP_SUB, spread(g, w, t, true), spread(g, w, t, false));
    Ref f = one_over(g, gap, eye), u = matrix_product(g, vectors, times(g, f, x)),
        where = largest(g, vectors);
    Ref along = real_part(g, column_sums(g, times(g, matrix_conjugate(g, vectors), u))),
        turn = build_binary(g, OP_DIV, build_unary(g, OP_IMAG, column_sums(g, times(g, where, u))),
                            real_part(g, column_sums(g, times(g, where, vectors))));
    Ref c = build_binary(g, OP_COMPLEX, along, turn);
    dy[1] = minus(g, u, times(g, vectors, spread(g, c, t, true)));
}

/* 1 / x, 0 where that is 0 */
static Ref inverse(Graph *g, Ref x)
{
    Ref one = jvp_fill(g, x, 1), zero = jvp_fill(g, x, 0), is_zero = build_compare(g, CMP_EQ, x, zero);
    return build_select(g, is_zero, zero, build_binary(g, OP_DIV, one, build_select(g, is_zero, one, x)));
}

/* What da adds to the basis u beyond its columns: (da v - u u^T da v) / s */
static Ref beyond(Graph *g, Ref u, Ref dav, Ref s_columns)
{
    Ref inside = matrix_product(g, u, matrix_product_of(g, u, 2, dav, 0));
    Type t = graph_type(g, dav);
    s_columns = build_convert(g, s_columns, (DType)t.dtype);
    return build_binary(g, OP_DIV, minus(g, dav, inside), spread(g, s_columns, t, true));
}

/* u s v^H = a:   x = u^H da v,   ds its diagonal; with f = 1 / (s_j^2 - s_i^2) off the diagonal
 *     du = u (f (x s + s x^H) + d),   dv = v (f (s x + x^H s))
 * where d is the imaginary part of the diagonal of x, over s: which phases u and v have is free, and u takes
 * all. */
void jvp_svd(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    Type t = arg_type(v, n, 0);
    int64_t rows = t.dim[t.rank - 2], columns = t.dim[t.rank - 1];
    Ref da = darg(v, n, 0), all[3] = { y[0], REF_NONE, REF_NONE };
    if (da == REF_NONE) return;
    if (n->n_results > 1 && n->attr[0] && rows != columns) {
        fail(&g->failure, WEFT_ARGUMENT, "of %s: there is none of the rows and columns that .full adds",
             TYPE_TEXT(t));
        return;
    }
    if (n->n_results > 1) memcpy(all, y, sizeof all);
    else if (!build_matrix(g, OP_SVD, (Ref[]){ arg(v, n, 0) }, (int64_t[]){ 0, 1 }, 2, all)) return;
    Ref u = all[1], w = matrix_adjoint(g, all[2]), dav = matrix_product(g, da, w),
        x = matrix_product_of(g, u, 2, dav, 0);
    dy[0] = real_part(g, diagonal(g, x));
    if (n->n_results == 1 || x == REF_NONE) return;
    Type square = graph_type(g, x);
    square.dtype = graph_type(g, y[0]).dtype;
    Ref row = spread(g, y[0], square, true), column = spread(g, y[0], square, false);
    Ref eye = identity_of(g, row), gap = build_binary(g, OP_MUL, build_binary(g, OP_ADD, row, column),
                                                      build_binary(g, OP_SUB, row, column));
    Ref f = one_over(g, gap, eye);
    Ref xs = real_times(g, row, x), sx = real_times(g, column, x);
    Ref inside = real_times(g, f, plus(g, xs, matrix_adjoint(g, xs)));
    if (is_complex(g, x)) {
        Ref skew = minus(g, x, build_convert(g, real_part(g, x), (DType)t.dtype));
        inside = plus(g, inside, real_times(g, times(g, eye, inverse(g, row)), skew));
    }
    dy[1] = matrix_product(g, u, inside);
    Ref dw = matrix_product(g, w, real_times(g, f, plus(g, sx, matrix_adjoint(g, sx))));
    if (rows > columns) dy[1] = plus(g, dy[1], beyond(g, u, dav, y[0]));
    if (rows < columns) dw = plus(g, dw, beyond(g, w, matrix_product_of(g, da, 2, u, 0), y[0]));
    dy[2] = matrix_adjoint(g, dw);
}
