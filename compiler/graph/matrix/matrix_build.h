/* matrix_build.h: what derivatives of factorizations are written in, over matrices in the last two axes. What
 * is made of REF_NONE is REF_NONE. */
#ifndef WEFT_GRAPH_MATRIX_BUILD_H
#define WEFT_GRAPH_MATRIX_BUILD_H
#include "compiler/graph/graph.h"

/* TRIANGULAR_SOLVE's attributes. */
typedef struct MatrixSolve {
    bool left, lower, unit;
    int transpose; /* 0 no, 1 transposed, 2 adjoint */
} MatrixSolve;
MatrixSolve matrix_solve_of(const int64_t *attr);
Ref matrix_solve(Graph *, Ref a, Ref b, MatrixSolve);

Ref matrix_product(Graph *, Ref a, Ref b);
/* op(a) op(b), of transposes as above. */
Ref matrix_product_of(Graph *, Ref a, int transpose_a, Ref b, int transpose_b);
Ref matrix_transpose(Graph *, Ref);
Ref matrix_adjoint(Graph *, Ref);
Ref matrix_conjugate(Graph *, Ref);
/* The rows of [.., m, n] in the order [.., m]. */
Ref matrix_rows(Graph *, Ref a, Ref order);
/* bool, of t's shape: where row + k compares so with column. */
Ref matrix_mask(Graph *, Type t, CompareDir, int64_t k);
/* The lower triangle up to diagonal number k, or the upper one from the same diagonal turned over on; zeros
 * elsewhere. */
Ref matrix_triangle(Graph *, Ref, bool lower, int64_t k);
/* What is its own adjoint and has this triangle; of its diagonal the real part. */
Ref matrix_symmetric(Graph *, Ref, bool lower);
#endif
