/* test_bad_matrix.c: what a user can get wrong in linear algebra, Fourier transforms, convolutions and
 * functions of complex numbers: each case gives NULL, one message with his file and line that says what was
 * seen and what is allowed, to the letter, and leaves nothing behind. See test_bad_input.c for other ops. */
#include <stdint.h>
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"

static weft_array *x, *z, *one, *none;                       /* f32[3,4] c64[3,4] f32, the failed value */
static weft_array *v, *v2, *v1, *v0;                         /* f32[3] f32[2] f32[1] f32[0] */
static weft_array *square, *wide, *many, *many_wide, *other; /* [3,3] [2,3] [4,3,3] [4,2,3] [5,3,2] */
static weft_array *half, *narrow, *empty, *flat;             /* f16[2,2] bf16[2,2] f32[0,3] f32[3,0] */
static weft_array *image, *w, *short_w;                      /* [2,8,8,4] [3,3,4,6] [3,3,5,6] */

static void setup(void)
{
    open_context();
    x = weft_zeros(ctx, WEFT_F32, 3, 4);
    z = weft_zeros(ctx, WEFT_C64, 3, 4);
    one = weft_scalar(ctx, 1.0f);
    v = weft_zeros(ctx, WEFT_F32, 3);
    v2 = weft_ones(ctx, WEFT_F32, 2);
    v1 = weft_ones(ctx, WEFT_F32, 1);
    v0 = weft_zeros(ctx, WEFT_F32, 0);
    square = weft_eye(ctx, WEFT_F32, 3);
    wide = weft_zeros(ctx, WEFT_F32, 2, 3);
    many = weft_zeros(ctx, WEFT_F32, 4, 3, 3);
    many_wide = weft_zeros(ctx, WEFT_F32, 4, 2, 3);
    other = weft_zeros(ctx, WEFT_F32, 5, 3, 2);
    half = weft_zeros(ctx, WEFT_F16, 2, 2);
    narrow = weft_zeros(ctx, WEFT_BF16, 2, 2);
    empty = weft_zeros(ctx, WEFT_F32, 0, 3);
    flat = weft_zeros(ctx, WEFT_F32, 3, 0);
    image = weft_zeros(ctx, WEFT_F32, 2, 8, 8, 4);
    w = weft_zeros(ctx, WEFT_F32, 3, 3, 4, 6);
    short_w = weft_zeros(ctx, WEFT_F32, 3, 3, 5, 6);
}

#define BAD(code, text, ...) REFUSED_AT_ONCE(__FILE__, code, !(__VA_ARGS__), text)

TestSuite(bad_matrix, .init = setup, .fini = close_context);

Test(bad_matrix, factorizations)
{
    BAD(WEFT_ARGUMENT, "weft_hessenberg: the option .check does not apply here (no option does)",
        weft_hessenberg(square, NULL, .check = true));
    BAD(WEFT_ARGUMENT, "weft_qr: the option .check does not apply here (allowed: .full)",
        weft_qr(square, NULL, .check = true));
    BAD(WEFT_SHAPE, "weft_cholesky: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_cholesky(wide));
    BAD(WEFT_SHAPE, "weft_cholesky: f32[3] is no matrix (two axes, or more in front)", weft_cholesky(v));
    BAD(WEFT_SHAPE, "weft_cholesky: f32 is no matrix (two axes, or more in front)", weft_cholesky(one));
    BAD(WEFT_DTYPE, "weft_cholesky: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_cholesky(half));
    BAD(WEFT_DTYPE, "weft_cholesky: matrices of bf16 have no factors here (f32, f64, c64 or c128)",
        weft_cholesky(narrow));
    BAD(WEFT_ARGUMENT, "weft_cholesky: operand 1 is NULL", weft_cholesky(none));
    BAD(WEFT_ARGUMENT, "weft_cholesky: the option .full does not apply here (allowed: .upper, .check)",
        weft_cholesky(square, .full = true));
    BAD(WEFT_ARGUMENT, "weft_cholesky: the option .rcond does not apply here (allowed: .upper, .check)",
        weft_cholesky(square, .rcond = 1e-3));
    BAD(WEFT_SHAPE, "weft_lu: f32[3] is no matrix (two axes, or more in front)", weft_lu(v, NULL));
    BAD(WEFT_DTYPE, "weft_lu: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_lu(half, NULL));
    BAD(WEFT_ARGUMENT, "weft_lu: operand 1 is NULL", weft_lu(none, NULL));
    BAD(WEFT_ARGUMENT, "weft_lu: the option .rcond does not apply here (allowed: .check)",
        weft_lu(square, NULL, .rcond = 1));
    BAD(WEFT_SHAPE, "weft_qr: f32[3] is no matrix (two axes, or more in front)", weft_qr(v, NULL));
    BAD(WEFT_DTYPE, "weft_qr: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_qr(half, NULL));
    BAD(WEFT_ARGUMENT, "weft_qr: the option .upper does not apply here (allowed: .full)",
        weft_qr(square, NULL, .upper = true));
    BAD(WEFT_ARGUMENT, "weft_qr: operand 1 is NULL", weft_qr(none, NULL));
    BAD(WEFT_SHAPE, "weft_eigh: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_eigh(wide, NULL));
    BAD(WEFT_SHAPE, "weft_eigh: f32[3] is no matrix (two axes, or more in front)", weft_eigh(v, NULL));
    BAD(WEFT_DTYPE, "weft_eigh: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_eigh(half, NULL));
    BAD(WEFT_ARGUMENT, "weft_eigh: the option .full does not apply here (allowed: .check)",
        weft_eigh(square, NULL, .full = true));
    BAD(WEFT_SHAPE, "weft_eigvalsh: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_eigvalsh(wide));
    BAD(WEFT_ARGUMENT, "weft_eigvalsh: the option .unit does not apply here (allowed: .check)",
        weft_eigvalsh(square, .unit = true));
    BAD(WEFT_SHAPE, "weft_eig: f32[2,3] is not square (its last two axes are 2 and 3)", weft_eig(wide, NULL));
    BAD(WEFT_SHAPE, "weft_eig: f32[3] is no matrix (two axes, or more in front)", weft_eig(v, NULL));
    BAD(WEFT_DTYPE, "weft_eig: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_eig(half, NULL));
    BAD(WEFT_ARGUMENT, "weft_eig: operand 1 is NULL", weft_eig(none, NULL));
    BAD(WEFT_ARGUMENT, "weft_eig: the option .upper does not apply here (allowed: .check)",
        weft_eig(square, NULL, .upper = true));
    BAD(WEFT_SHAPE, "weft_eigvals: f32[4,2,3] is not square (its last two axes are 2 and 3)",
        weft_eigvals(many_wide));
    BAD(WEFT_ARGUMENT, "weft_eigvals: the option .adjoint does not apply here (allowed: .check)",
        weft_eigvals(square, .adjoint = true));
    BAD(WEFT_SHAPE, "weft_schur: f32[4,2,3] is not square (its last two axes are 2 and 3)",
        weft_schur(many_wide, NULL));
    BAD(WEFT_ARGUMENT, "weft_schur: the option .rcond does not apply here (allowed: .check)",
        weft_schur(square, NULL, .rcond = 1));
    BAD(WEFT_SHAPE, "weft_hessenberg: f32[4,2,3] is not square (its last two axes are 2 and 3)",
        weft_hessenberg(many_wide, NULL));
    BAD(WEFT_ARGUMENT, "weft_hessenberg: the option .unit does not apply here (no option does)",
        weft_hessenberg(square, NULL, .unit = true));
    BAD(WEFT_SHAPE, "weft_svd: f32[3] is no matrix (two axes, or more in front)", weft_svd(v, NULL, NULL));
    BAD(WEFT_DTYPE, "weft_svd: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_svd(half, NULL, NULL));
    BAD(WEFT_ARGUMENT, "weft_svd: the option .transpose does not apply here (allowed: .full, .check)",
        weft_svd(square, NULL, NULL, .transpose = true));
    BAD(WEFT_ARGUMENT, "weft_svd: operand 1 is NULL", weft_svd(none, NULL, NULL));
}

Test(bad_matrix, systems)
{
    BAD(WEFT_ARGUMENT, "weft_det: the option .check does not apply here (no option does)",
        weft_det(square, .check = true));
    BAD(WEFT_SHAPE, "weft_solve_triangular: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_solve_triangular(wide, v));
    BAD(WEFT_SHAPE,
        "weft_solve_triangular: the right side f32 has no axis (a vector, or a matrix of several)",
        weft_solve_triangular(square, one));
    BAD(WEFT_SHAPE, "weft_solve_triangular: the right side f32[2] has 2 rows, not the 3 of f32[3,3]",
        weft_solve_triangular(square, v2));
    BAD(WEFT_SHAPE, "weft_solve_triangular: the right side f32[2,3] has 2 rows, not the 3 of f32[3,3]",
        weft_solve_triangular(square, wide));
    BAD(WEFT_SHAPE,
        "weft_solve_triangular: the matrices f32[4,3,3] and the right sides f32[5,3,2] do not "
        "broadcast: there are 4 against 5 of them (axis -3 from the end)",
        weft_solve_triangular(many, other));
    BAD(WEFT_ARGUMENT, "weft_solve_triangular: .transpose and .adjoint: one of the two",
        weft_solve_triangular(square, v, .transpose = true, .adjoint = true));
    BAD(WEFT_ARGUMENT,
        "weft_solve_triangular: the option .full does not apply here (allowed: .upper, .transpose, "
        ".adjoint, .unit, .check)",
        weft_solve_triangular(square, v, .full = true));
    BAD(WEFT_ARGUMENT, "weft_solve_triangular: operand 2 is NULL", weft_solve_triangular(square, none));
    BAD(WEFT_DTYPE, "weft_solve_triangular: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_solve_triangular(half, half));
    BAD(WEFT_SHAPE, "weft_solve: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_solve(wide, v));
    BAD(WEFT_SHAPE, "weft_solve: f32[3] is no matrix (two axes, or more in front)", weft_solve(v, v));
    BAD(WEFT_SHAPE, "weft_solve: the right side f32 has no axis (a vector, or a matrix of several)",
        weft_solve(square, one));
    BAD(WEFT_SHAPE, "weft_solve: the right side f32[2] has 2 rows, not the 3 of f32[3,3]",
        weft_solve(square, v2));
    BAD(WEFT_SHAPE,
        "weft_solve: the matrices f32[4,3,3] and the right sides f32[5,3,2] do not broadcast: there "
        "are 4 against 5 of them (axis -3 from the end)",
        weft_solve(many, other));
    BAD(WEFT_ARGUMENT, "weft_solve: the option .unit does not apply here (allowed: .check)",
        weft_solve(square, v, .unit = true));
    BAD(WEFT_ARGUMENT, "weft_solve: operand 1 is NULL", weft_solve(none, v));
    BAD(WEFT_SHAPE, "weft_inv: f32[2,3] is not square (its last two axes are 2 and 3)", weft_inv(wide));
    BAD(WEFT_SHAPE, "weft_inv: f32[3] is no matrix (two axes, or more in front)", weft_inv(v));
    BAD(WEFT_ARGUMENT, "weft_inv: the option .upper does not apply here (allowed: .check)",
        weft_inv(square, .upper = true));
    BAD(WEFT_SHAPE, "weft_det: f32[2,3] is not square (its last two axes are 2 and 3)", weft_det(wide));
    BAD(WEFT_SHAPE, "weft_det: f32 is no matrix (two axes, or more in front)", weft_det(one));
    BAD(WEFT_ARGUMENT, "weft_det: the option .rcond does not apply here (no option does)",
        weft_det(square, .rcond = 1));
    BAD(WEFT_SHAPE, "weft_slogdet: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_slogdet(wide, NULL));
    BAD(WEFT_DTYPE, "weft_slogdet: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_slogdet(half, NULL));
    BAD(WEFT_SHAPE, "weft_lstsq: f32[3] is no matrix (two axes, or more in front)", weft_lstsq(v, v));
    BAD(WEFT_SHAPE, "weft_lstsq: the right side f32[3] has 3 rows, not the 2 of f32[2,3]",
        weft_lstsq(wide, v));
    BAD(WEFT_ARGUMENT, "weft_lstsq: the option .upper does not apply here (allowed: .rcond)",
        weft_lstsq(square, v, .upper = true));
    BAD(WEFT_SHAPE, "weft_pinv: f32[3] is no matrix (two axes, or more in front)", weft_pinv(v));
    BAD(WEFT_ARGUMENT, "weft_pinv: the option .full does not apply here (allowed: .rcond)",
        weft_pinv(square, .full = true));
    BAD(WEFT_SHAPE, "weft_matrix_rank: f32[3] is no matrix (two axes, or more in front)",
        weft_matrix_rank(v));
    BAD(WEFT_DTYPE, "weft_matrix_rank: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_matrix_rank(half));
    BAD(WEFT_SHAPE, "weft_matrix_cond: f32[0,3] has no singular values", weft_matrix_cond(empty));
    BAD(WEFT_SHAPE, "weft_matrix_cond: f32[3] is no matrix (two axes, or more in front)",
        weft_matrix_cond(v));
}

Test(bad_matrix, functions_of_matrices)
{
    BAD(WEFT_SHAPE, "weft_matrix_power: f32[2,3] is not square (its last two axes are 2 and 3)",
        weft_matrix_power(wide, 2));
    BAD(WEFT_SHAPE, "weft_matrix_power: f32[3] is no matrix (two axes, or more in front)",
        weft_matrix_power(v, 0));
    BAD(WEFT_DTYPE, "weft_matrix_power: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_matrix_power(half, -1));
    BAD(WEFT_SHAPE, "weft_expm: f32[2,3] is not square (its last two axes are 2 and 3)", weft_expm(wide));
    BAD(WEFT_DTYPE, "weft_expm: matrices of f16 have no factors here (f32, f64, c64 or c128)",
        weft_expm(half));
    BAD(WEFT_ARGUMENT, "weft_expm: the option .upper does not apply here (no option does)",
        weft_expm(square, .upper = true));
    BAD(WEFT_ARGUMENT, "weft_matrix_norm: the order \"3\" is not known (fro nuc 2 -2 1 -1 inf -inf)",
        weft_matrix_norm(square, "3"));
    BAD(WEFT_ARGUMENT, "weft_matrix_norm: the order \"Fro\" is not known (fro nuc 2 -2 1 -1 inf -inf)",
        weft_matrix_norm(square, "Fro"));
    BAD(WEFT_SHAPE, "weft_matrix_norm: f32[3] is no matrix (two axes, or more in front)",
        weft_matrix_norm(v, "fro"));
    BAD(WEFT_SHAPE, "weft_matrix_norm: f32[0,3] has no elements", weft_matrix_norm(empty, "2"));
    BAD(WEFT_SHAPE, "weft_trace: f32[3] is no matrix (two axes, or more in front)", weft_trace(v, 0));
    BAD(WEFT_SHAPE, "weft_diagonal: f32[3] is no matrix (two axes, or more in front)", weft_diagonal(v, 0));
    BAD(WEFT_SHAPE, "weft_diagonal: f32 is no matrix (two axes, or more in front)", weft_diagonal(one, 1));
    BAD(WEFT_SHAPE, "weft_diag: f32 is neither a vector nor a matrix", weft_diag(one, 0));
    BAD(WEFT_SHAPE, "weft_diag: f32[4,3,3] is neither a vector nor a matrix", weft_diag(many, 0));
    BAD(WEFT_SHAPE, "weft_diag: diagonal 9223372036854775807 of f32[3]: more elements than there can be",
        weft_diag(v, INT64_MAX));
    BAD(WEFT_ARGUMENT, "weft_kron: operand 1 is NULL", weft_kron(none, square));
    BAD(WEFT_SHAPE, "weft_cross: f32[2] are no vectors of 3 elements in the last axis", weft_cross(v, v2));
    BAD(WEFT_SHAPE, "weft_cross: f32 are no vectors of 3 elements in the last axis", weft_cross(v, one));
    BAD(WEFT_SHAPE, "weft_cross: shapes f32[3,3] and f32[2,3] do not broadcast (axis 0: 3 against 2)",
        weft_cross(square, wide));
    BAD(WEFT_SHAPE, "weft_block_diag: f32[4,3,3] is no matrix (rank 2 at most)",
        weft_block_diag(square, many));
    BAD(WEFT_SHAPE, "weft_toeplitz: f32[3,3] and f32[3] must be vectors", weft_toeplitz(square, v));
    BAD(WEFT_SHAPE, "weft_toeplitz: f32[3] and f32[3,3] must be vectors", weft_toeplitz(v, square));
    BAD(WEFT_SHAPE, "weft_cov: f32[4,3,3] is not [variables, observations] or [observations]",
        weft_cov(many));
    BAD(WEFT_SHAPE, "weft_cov: f32[3,0] has no observations", weft_cov(flat));
    BAD(WEFT_SHAPE, "weft_corrcoef: f32[4,3,3] is not [variables, observations] or [observations]",
        weft_corrcoef(many));
    BAD(WEFT_SHAPE, "weft_polyfit: f32[3] and f32[2] must be vectors of equally many points",
        weft_polyfit(v, v2, 1));
    BAD(WEFT_ARGUMENT, "weft_polyfit: degree -1 (0 to 999)", weft_polyfit(v, v, -1));
    BAD(WEFT_SHAPE, "weft_polyfit: f32[3,3] and f32[3] must be vectors of equally many points",
        weft_polyfit(square, v, 1));
    BAD(WEFT_SHAPE, "weft_polyval: the coefficients f32[3,3] must be a vector of at most 1000",
        weft_polyval(square, v));
    BAD(WEFT_ARGUMENT, "weft_polyval: operand 1 is NULL", weft_polyval(none, v));
}

Test(bad_matrix, fourier_transforms)
{
    BAD(WEFT_ARGUMENT, "weft_fft: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_fft(x, 2));
    BAD(WEFT_ARGUMENT, "weft_fft: axis -3 is out of range for f32[3,4] (-2 to 1)", weft_fft(x, -3));
    BAD(WEFT_ARGUMENT, "weft_fft: axis -1 is out of range: f32 has no axes", weft_fft(one, -1));
    BAD(WEFT_ARGUMENT, "weft_fft: a transform of length -2 along axis 1 of f32[3,4] (1 or more)",
        weft_fft(x, -1, .n = -2));
    BAD(WEFT_SHAPE, "weft_fft: c64[3,9223372036854775807] has more bytes than 63 bits can count",
        weft_fft(x, -1, .n = INT64_MAX));
    BAD(WEFT_SHAPE, "weft_fft: a transform of length 0 along axis 1 of f32[3,0] (1 or more)",
        weft_fft(flat, -1));
    BAD(WEFT_ARGUMENT, "weft_fft: the norm \"orto\" is not known (\"backward\", \"ortho\", \"forward\")",
        weft_fft(x, -1, .norm = "orto"));
    BAD(WEFT_ARGUMENT, "weft_fft: operand 1 is NULL", weft_fft(none, -1));
    BAD(WEFT_ARGUMENT, "weft_ifft: axis 7 is out of range for f32[3,4] (-2 to 1)", weft_ifft(x, 7));
    BAD(WEFT_SHAPE, "weft_ifft: a transform of length 0 along axis 1 of f32[3,0] (1 or more)",
        weft_ifft(flat, 1));
    BAD(WEFT_ARGUMENT, "weft_ifft: the norm \"\" is not known (\"backward\", \"ortho\", \"forward\")",
        weft_ifft(x, 0, .norm = ""));
    BAD(WEFT_DTYPE,
        "weft_rfft: c64[3,4] is complex; this is a transform of real numbers (weft_fft takes both)",
        weft_rfft(z, -1));
    BAD(WEFT_SHAPE, "weft_rfft: a transform of length 0 along axis 1 of f32[3,0] (1 or more)",
        weft_rfft(flat, 1));
    BAD(WEFT_ARGUMENT, "weft_rfft: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_rfft(x, 2));
    BAD(WEFT_SHAPE, "weft_irfft: a transform of length 0 along axis 1 of f32[3,0] (1 or more)",
        weft_irfft(flat, 1));
    BAD(WEFT_SHAPE,
        "weft_irfft: axis 0 of f32[1] has one number, which would give 0 (2 or more; or .n says how "
        "many)",
        weft_irfft(v1, -1));
    BAD(WEFT_ARGUMENT, "weft_irfft: a transform of length -3 along axis 0 of f32[3,4] (1 or more)",
        weft_irfft(x, 0, .n = -3));
    BAD(WEFT_ARGUMENT, "weft_fftn: axis 5 is out of range for f32[3,4] (-2 to 1)", weft_fftn(x, "0,5"));
    BAD(WEFT_ARGUMENT, "weft_fftn: axes \"0,0\" name axis 0 of f32[3,4] twice", weft_fftn(x, "0,0"));
    BAD(WEFT_ARGUMENT, "weft_fftn: axes \"a\" are not a list of numbers like \"0,-1\"", weft_fftn(x, "a"));
    BAD(WEFT_ARGUMENT, "weft_fftn: .n is the length of an axis, and none is named", weft_fftn(x, "", .n = 3));
    BAD(WEFT_SHAPE, "weft_fftn: a transform of length 0 along axis 1 of f32[3,0] (1 or more)",
        weft_fftn(flat, NULL));
    BAD(WEFT_ARGUMENT, "weft_ifftn: axes \"1,1\" name axis 1 of f32[3,4] twice", weft_ifftn(x, "1,1"));
    BAD(WEFT_DTYPE,
        "weft_rfftn: c64[3,4] is complex; this is a transform of real numbers (weft_fft takes both)",
        weft_rfftn(z, NULL));
    BAD(WEFT_ARGUMENT, "weft_rfftn: no axis: numbers become complex, or real, along one", weft_rfftn(x, ""));
    BAD(WEFT_ARGUMENT, "weft_rfftn: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_rfftn(x, "2"));
    BAD(WEFT_ARGUMENT, "weft_irfftn: no axis: numbers become complex, or real, along one",
        weft_irfftn(x, ""));
    BAD(WEFT_ARGUMENT, "weft_irfftn: axis 3 is out of range for f32[3,4] (-2 to 1)", weft_irfftn(x, "0,3"));
    BAD(WEFT_ARGUMENT, "weft_fftfreq: frequencies of 0 samples (1 or more)", weft_fftfreq(ctx, 0, 1));
    BAD(WEFT_ARGUMENT, "weft_fftfreq: frequencies of -1 samples (1 or more)", weft_fftfreq(ctx, -1, 1));
    BAD(WEFT_ARGUMENT, "weft_rfftfreq: frequencies of -3 samples (1 or more)", weft_rfftfreq(ctx, -3, 1));
    BAD(WEFT_ARGUMENT, "weft_fftshift: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_fftshift(x, "2"));
    BAD(WEFT_ARGUMENT, "weft_fftshift: axes \"0,0\" name axis 0 of f32[3,4] twice", weft_fftshift(x, "0,0"));
    BAD(WEFT_ARGUMENT, "weft_ifftshift: axes \"x\" are not a list of numbers like \"0,-1\"",
        weft_ifftshift(x, "x"));
    BAD(WEFT_ARGUMENT, "weft_ifftshift: operand 1 is NULL", weft_ifftshift(none, NULL));
    BAD(WEFT_SHAPE, "weft_convolve: f32[3,4] and f32[3] must be vectors", weft_convolve(x, v, "full"));
    BAD(WEFT_SHAPE, "weft_convolve: f32[3] and f32 must be vectors", weft_convolve(v, one, "full"));
    BAD(WEFT_ARGUMENT, "weft_convolve: the mode \"all\" is not known (\"full\", \"same\", \"valid\")",
        weft_convolve(v, v, "all"));
    BAD(WEFT_SHAPE, "weft_convolve: f32[3] and f32[0]: a vector has no elements", weft_convolve(v, v0, NULL));
    BAD(WEFT_SHAPE, "weft_correlate: f32[0] and f32[3]: a vector has no elements",
        weft_correlate(v0, v, NULL));
    BAD(WEFT_SHAPE, "weft_correlate: f32[3] and f32[3,4] must be vectors", weft_correlate(v, x, "valid"));
    BAD(WEFT_ARGUMENT, "weft_correlate: the mode \"SAME\" is not known (\"full\", \"same\", \"valid\")",
        weft_correlate(v, v, "SAME"));
    BAD(WEFT_ARGUMENT, "weft_correlate: operand 1 is NULL", weft_correlate(none, v, "same"));
}

Test(bad_matrix, convolutions)
{
    BAD(WEFT_SHAPE, "weft_conv: weights f32[3,3,5,6] take 5 input features, but f32[2,8,8,4] has 4",
        weft_conv(image, short_w));
    BAD(WEFT_SHAPE,
        "weft_conv: weights f32[3] for f32[2,8,8,4]: without .layout they are [spatial.., in, out], "
        "1 to 3 spatial axes, and x is [examples, spatial.., features] or one example",
        weft_conv(image, v));
    BAD(WEFT_SHAPE,
        "weft_conv: weights f32[3,3,4,6] for f32[3]: without .layout they are [spatial.., in, out], "
        "1 to 3 spatial axes, and x is [examples, spatial.., features] or one example",
        weft_conv(v, w));
    BAD(WEFT_ARGUMENT, "weft_conv: .stride \"0\": 0 of spatial axis 0 must be 1 to 1152921504606846975",
        weft_conv(image, w, .stride = "0"));
    BAD(WEFT_ARGUMENT, "weft_conv: .stride \"1,2,3\" has more entries than the 2 spatial axes",
        weft_conv(image, w, .stride = "1,2,3"));
    BAD(WEFT_ARGUMENT, "weft_conv: .stride \"a\" cannot be read (numbers separated by commas)",
        weft_conv(image, w, .stride = "a"));
    BAD(WEFT_ARGUMENT,
        "weft_conv: .pad \"sam\" cannot be read (\"valid\", \"same\", or entries like 1:2, separated "
        "by commas)",
        weft_conv(image, w, .pad = "sam"));
    BAD(WEFT_ARGUMENT, "weft_conv: .pad \"1:2,3:4,5:6\" has more entries than the 2 spatial axes",
        weft_conv(image, w, .pad = "1:2,3:4,5:6"));
    BAD(WEFT_ARGUMENT, "weft_conv: .dilation \"0\": 0 of spatial axis 0 must be 1 to 1152921504606846975",
        weft_conv(image, w, .dilation = "0"));
    BAD(WEFT_ARGUMENT,
        "weft_conv: .base_dilation \"-1\": -1 of spatial axis 0 must be 1 to 1152921504606846975",
        weft_conv(image, w, .base_dilation = "-1"));
    BAD(WEFT_SHAPE, "weft_conv: 3 feature groups do not divide 4 input features",
        weft_conv(image, w, .groups = 3));
    BAD(WEFT_ARGUMENT, "weft_conv: -1 feature groups and 1 batch groups (each must be 1 or more)",
        weft_conv(image, w, .groups = -1));
    BAD(WEFT_ARGUMENT,
        "weft_conv: .layout \"NHWC\": there is no comma behind the letters of x (letters of the axes "
        "of x, of the weights and of the result, as in \"nhwc,hwio->nhwc\": n examples, c features, "
        "i and o features in and out)",
        weft_conv(image, w, .layout = "NHWC"));
    BAD(WEFT_ARGUMENT, "weft_conv: operand 2 is NULL", weft_conv(image, none));
    BAD(WEFT_SHAPE, "weft_conv_transpose: weights f32[3,3,5,6] take 5 input features, but f32[2,8,8,4] has 4",
        weft_conv_transpose(image, short_w));
    BAD(WEFT_ARGUMENT,
        "weft_conv_transpose: .stride \"0\": 0 of spatial axis 0 must be 1 to 1152921504606846975",
        weft_conv_transpose(image, w, .stride = "0"));
    BAD(WEFT_ARGUMENT,
        "weft_conv_transpose: .pad \"same,\" cannot be read (\"valid\", \"same\", or entries like "
        "1:2, separated by commas)",
        weft_conv_transpose(image, w, .pad = "same,"));
    BAD(WEFT_SHAPE,
        "weft_conv_transpose: weights f32[3,3,4,6] for f32[3]: without .layout they are [spatial.., "
        "in, out], 1 to 3 spatial axes, and x is [examples, spatial.., features] or one example",
        weft_conv_transpose(v, w));
    BAD(WEFT_ARGUMENT, "weft_conv_transpose: operand 1 is NULL", weft_conv_transpose(none, w));
}

Test(bad_matrix, complex_numbers)
{
    BAD(WEFT_DTYPE, "weft_complex: element type c64 is not taken (allowed: floats)", weft_complex(z, x));
    BAD(WEFT_DTYPE, "weft_complex: element type c64 is not taken (allowed: floats)", weft_complex(x, z));
    BAD(WEFT_SHAPE, "weft_complex: shapes f32[3,4] and f32[3] do not broadcast (axis 1: 4 against 3)",
        weft_complex(x, v));
    BAD(WEFT_ARGUMENT, "weft_complex: operand 1 is NULL", weft_complex(none, 1));
    BAD(WEFT_ARGUMENT, "weft_real: operand 1 is NULL", weft_real(none));
    BAD(WEFT_ARGUMENT, "weft_imag: operand 1 is NULL", weft_imag(none));
    BAD(WEFT_ARGUMENT, "weft_conj: operand 1 is NULL", weft_conj(none));
    BAD(WEFT_ARGUMENT, "weft_angle: operand 1 is NULL", weft_angle(none));
    BAD(WEFT_DTYPE, "weft_floor: element type c64 is not taken (allowed: floats)", weft_floor(z));
    BAD(WEFT_DTYPE, "weft_ceil: element type c64 is not taken (allowed: floats)", weft_ceil(z));
    BAD(WEFT_DTYPE,
        "weft_mod: element type c64 is not taken (allowed: signed integers, unsigned integers, "
        "floats)",
        weft_mod(z, 2));
    BAD(WEFT_DTYPE,
        "weft_and: element type c64 is not taken (allowed: bool, signed integers, unsigned integers)",
        weft_and(z, z));
    BAD(WEFT_DTYPE,
        "weft_not: element type c64 is not taken (allowed: bool, signed integers, unsigned integers)",
        weft_not(z));
    BAD(WEFT_DTYPE, "weft_erf: element type c64 is not taken (allowed: floats)", weft_erf(z));
    BAD(WEFT_DTYPE, "weft_lgamma: element type c64 is not taken (allowed: floats)", weft_lgamma(z));
    BAD(WEFT_DTYPE,
        "weft_argmax: element type c64 is not taken (allowed: bool, signed integers, unsigned "
        "integers, floats)",
        weft_argmax(z));
    BAD(WEFT_DTYPE, "weft_trunc: element type c64 is not taken (allowed: floats)", weft_trunc(z));
}
