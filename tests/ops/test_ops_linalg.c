/* test_ops_linalg.c: products of arrays against JAX and NumPy. */
#include <criterion/criterion.h>
#include "tests/support/ops_data.h"

/* clang-format off */
#define PRODUCTS(R) \
    R(matmul, 2e-6, weft_matmul(IN(x), IN(w))) R(matmul_v, 2e-6, weft_matmul(IN(x), IN(v4))) \
    R(v_matmul, 2e-6, weft_matmul(IN(v4), IN(w))) R(v_v, 2e-6, weft_matmul(IN(v4), IN(v4))) \
    R(matmul_3d, 2e-6, weft_matmul(IN(t), IN(w))) \
    R(matmul_batch, 2e-6, weft_matmul(IN(t), IN(q))) \
    R(matmul_2_3, 2e-6, weft_matmul(IN(x), IN(q))) \
    R(matmul_stretch, 2e-6, weft_matmul(IN(p5), IN(t))) \
    R(matmul_v3, 2e-6, weft_matmul(IN(v4), IN(q))) R(matmul_3v, 2e-6, weft_matmul(IN(t), IN(v4))) \
    R(matmul_f16, 2e-3, weft_matmul(IN(h), weft_astype(IN(w), WEFT_F16))) \
    R(matmul_bf16, 1.6e-2, weft_matmul(IN(b), weft_astype(IN(w), WEFT_BF16))) \
    R(matmul_i8, 0, weft_matmul(IN(a8), IN(b8))) \
    R(matmul_types, 2e-6, weft_matmul(IN(small), IN(w))) \
    R(matmul_bool, 0, weft_matmul(IN(m), weft_transpose(IN(n)))) \
    R(matmul_one, 2e-6, weft_matmul(weft_ones(NULL, WEFT_F32, 1, 3, 4), IN(q))) \
    R(matmul_empty, 0, weft_matmul(weft_transpose(IN(e0)), IN(e0))) \
    R(matmul_f64, 1e-14, weft_matmul(IN(d), weft_transpose(IN(d)))) \
    R(dot, 2e-6, weft_dot(IN(x), IN(w))) R(dot_v, 2e-6, weft_dot(IN(t), IN(v4))) \
    R(dot_3d, 2e-6, weft_dot(IN(t), IN(q))) R(dot_scalar, 0, weft_dot(IN(x), 2.0)) \
    R(inner, 2e-6, weft_inner(IN(x), IN(y))) R(inner_3d, 2e-6, weft_inner(IN(t), IN(x))) \
    R(inner_v, 2e-6, weft_inner(IN(v4), IN(v4))) R(inner_scalar, 0, weft_inner(IN(s), IN(x))) \
    R(outer, 0, weft_outer(IN(v4), IN(c3))) R(outer_i, 0, weft_outer(IN(small), IN(b8))) \
    R(tensordot, 2e-6, weft_tensordot(IN(t), IN(q), "0,2", "0,1")) \
    R(tensordot_swap, 4e-6, weft_tensordot(IN(t), IN(t), "2,1", "-1,-2")) \
    R(tensordot_0, 0, weft_tensordot(IN(v4), IN(c3), "", ""))
/* clang-format on */

/* clang-format off */
#define EINSUMS(R) \
    R(einsum_matmul, 2e-6, weft_einsum("ij,jk->ik", IN(x), IN(w))) \
    R(einsum_implicit, 2e-6, weft_einsum("ij,jk", IN(x), IN(w))) \
    R(einsum_implicit_order, 0, weft_einsum("ba", IN(x))) \
    R(einsum_transpose, 0, weft_einsum("ijk->kij", IN(t))) \
    R(einsum_sum, 2e-6, weft_einsum("ij->", IN(x))) \
    R(einsum_rows, 2e-6, weft_einsum("ij->j", IN(x))) \
    R(einsum_trace, 2e-6, weft_einsum("ii", IN(sq))) \
    R(einsum_diag, 0, weft_einsum("ii->i", IN(sq))) \
    R(einsum_batch, 2e-6, weft_einsum("bij,bjk->bik", IN(t), IN(q))) \
    R(einsum_ellipsis, 2e-6, weft_einsum("...ij,...jk->...ik", IN(t), IN(w))) \
    R(einsum_ellipsis_stretch, 2e-6, weft_einsum("...ij,...jk", IN(p5), IN(t))) \
    R(einsum_outer, 0, weft_einsum("i,j->ij", IN(v4), IN(v4))) \
    R(einsum_elementwise, 0, weft_einsum("ij,ij->ij", IN(x), IN(y))) \
    R(einsum_dot_all, 2e-6, weft_einsum("ij,ij->", IN(x), IN(y))) \
    R(einsum_swap, 2e-6, weft_einsum("jk,ij->ik", IN(w), IN(x))) \
    R(einsum_three, 4e-6, weft_einsum("ij,jk,k->i", IN(x), IN(w), weft_at(IN(w), "0"))) \
    R(einsum_three_batch, 4e-6, weft_einsum("bij,bjk,bi->bk", IN(t), IN(q), weft_at(IN(t), "..., 0"))) \
    R(einsum_bilinear, 4e-6, weft_einsum("i,ij,j", IN(v4), IN(sq), IN(v4))) \
    R(einsum_one_stretch, 0, weft_einsum("ij,ij->ij", IN(x), IN(c3))) \
    R(einsum_spaces, 2e-6, weft_einsum(" i j , j k -> i k ", IN(x), IN(w))) \
    R(einsum_upper, 2e-6, weft_einsum("aB,Bc", IN(x), IN(w))) \
    R(einsum_alone, 2e-6, weft_einsum("ij,k->i", IN(x), IN(v4))) \
    R(einsum_diag2, 4e-6, weft_einsum("ii,ij->j", IN(sq), IN(sq))) \
    R(einsum_ellipsis_sum, 2e-6, weft_einsum("...i->...", IN(t))) \
    R(einsum_types, 2e-6, weft_einsum("ij,jk->ki", IN(small), IN(w))) \
    R(einsum_diag3, 0, weft_einsum("iii->i", weft_reshape(weft_arange(NULL, 0, 27, 1), 3, 3, 3))) \
    R(einsum_ellipsis_mid, 0, weft_einsum("i...j->j...i", IN(p5)))
/* clang-format on */

#define ROWS(R) PRODUCTS(R) EINSUMS(R)
OPS_SUITE(ops_linalg, ROWS)
