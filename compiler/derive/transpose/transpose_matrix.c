/* transpose_matrix.c: a triangular solve is linear in its right side: op(a) x = b gives b the solution of
 * op(a)^T for the cotangent of x; that of an adjoint is the conjugate. */
#include "compiler/graph/matrix/matrix_build.h"
#include "transpose_rules.h"

bool transpose_triangular_solve(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0)) return not_linear(t, "a solve by a matrix of tangents");
    MatrixSolve s = matrix_solve_of(n->attr);
    Ref a = known_arg(t, n, 0);
    if (s.transpose == 2) a = matrix_conjugate(t->dst, a);
    s.transpose = !s.transpose;
    return give_ct(t, n, 1, matrix_solve(t->dst, a, ct, s));
}
