/* matrix_build.c: see matrix_build.h. */
#include "matrix_build.h"

MatrixSolve matrix_solve_of(const int64_t *attr)
{
    return (MatrixSolve){ attr[0] != 0, attr[1] != 0, attr[2] != 0, (int)attr[3] };
}

Ref matrix_solve(Graph *g, Ref a, Ref b, MatrixSolve s)
{
    return build_node(g, OP_TRIANGULAR_SOLVE, (Ref[]){ a, b }, 2,
                      (int64_t[]){ s.left, s.lower, s.unit, s.transpose }, 4);
}

Ref matrix_conjugate(Graph *g, Ref a)
{
    if (a == REF_NONE || !dtype_is_complex((DType)graph_type(g, a).dtype)) return a;
    Ref im = build_unary(g, OP_NEG, build_unary(g, OP_IMAG, a));
    return build_binary(g, OP_COMPLEX, build_unary(g, OP_REAL, a), im);
}

Ref matrix_product_of(Graph *g, Ref a, int transpose_a, Ref b, int transpose_b)
{
    if (a == REF_NONE || b == REF_NONE) return REF_NONE;
    Type t = graph_type(g, a);
    int64_t attr[2 + 4 * WEFT_MAX_RANK], batch = t.rank - 2;
    attr[0] = batch;
    attr[1] = 1;
    for (int64_t i = 0; i < batch; i++) attr[2 + i] = attr[2 + batch + i] = i;
    attr[2 + 2 * batch] = t.rank - (transpose_a ? 2 : 1);
    attr[3 + 2 * batch] = t.rank - (transpose_b ? 1 : 2);
    if (transpose_a == 2) a = matrix_conjugate(g, a);
    if (transpose_b == 2) b = matrix_conjugate(g, b);
    return build_typed(g, OP_DOT, (Ref[]){ a, b }, 2, attr, (uint32_t)(4 + 2 * batch), type_scalar(t.dtype));
}

Ref matrix_product(Graph *g, Ref a, Ref b) { return matrix_product_of(g, a, 0, b, 0); }

Ref matrix_transpose(Graph *g, Ref a)
{
    if (a == REF_NONE) return a;
    int rank = graph_type(g, a).rank;
    return build_move_axis(g, a, rank - 1, rank - 2);
}

Ref matrix_adjoint(Graph *g, Ref a) { return matrix_conjugate(g, matrix_transpose(g, a)); }

Ref matrix_rows(Graph *g, Ref a, Ref order)
{
    if (a == REF_NONE || order == REF_NONE) return REF_NONE;
    Type t = graph_type(g, a);
    int64_t batch = t.rank - 2, attr[5 + 5 * WEFT_MAX_RANK] = { 1, 1, batch, 1, batch + 1 }, *to = attr + 5;
    *to++ = batch + 1; /* offset_dims */
    *to++ = batch;     /* collapsed_slice_dims */
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < batch; i++) *to++ = i;
    *to++ = batch; /* start_index_map */
    for (int64_t i = 0; i <= batch; i++) *to++ = 1;
    *to++ = t.dim[t.rank - 1];
    return build_node(g, OP_GATHER, (Ref[]){ a, order }, 2, attr, (uint32_t)(to - attr));
}

Ref matrix_mask(Graph *g, Type t, CompareDir dir, int64_t k)
{
    Type index = { WEFT_I32, t.rank, t.dim };
    Ref row = build_iota(g, index, t.rank - 2), column = build_iota(g, index, t.rank - 1);
    if (k) row = build_binary(g, OP_ADD, row, build_splat(g, index, scalar_from_i64(WEFT_I32, k)));
    return build_compare(g, dir, row, column);
}

Ref matrix_triangle(Graph *g, Ref a, bool lower, int64_t k)
{
    if (a == REF_NONE) return a;
    Type t = graph_type(g, a);
    return build_select(g, matrix_mask(g, t, lower ? CMP_GE : CMP_LE, lower ? k : -k), a, build_zeros(g, t));
}

Ref matrix_symmetric(Graph *g, Ref a, bool lower)
{
    if (a == REF_NONE) return a;
    Type t = graph_type(g, a);
    Ref turned = matrix_adjoint(g, a),
        whole = build_select(g, matrix_mask(g, t, lower ? CMP_GE : CMP_LE, 0), a, turned);
    if (!dtype_is_complex((DType)t.dtype)) return whole;
    return build_select(g, matrix_mask(g, t, CMP_EQ, 0),
                        build_convert(g, build_unary(g, OP_REAL, a), (DType)t.dtype), whole);
}
