/* weft/linalg.h: matrices: factorizations, systems, what is made of them. Names and meaning are those of
 * jax.numpy.linalg and numpy.linalg.
 *
 *   A matrix is an array's last two axes; axes in front count matrices, each of which is treated alike.
 *   Types: f32, f64, c64 and c128 (of f16 and bf16 there are no factors: an error); ints and bools become
 *   f32. Of complex matrices a^T below is the adjoint, a^H, wherever a factor, a mean, or what is symmetric
 *   is meant (Hermitian, then), but not in .transpose; eigenvalues of weft_eigh, singular values, norms and
 *   weft_slogdet's logarithm are real.
 *
 *   Small real matrices, up to 32 x 32, are factored side by side, one in each lane of a vector: many of them
 *   take a fraction of the time that LAPACK takes one after the other (docs/linalg.md). Larger ones are
 *   LAPACK's in compiled code, where liblapack.so.3 is installed, except in strict mode; eager mode, and a
 *   machine without it, have weft's own code, which is slower. Signs of eigenvectors and singular vectors may
 *   differ between the two.
 *
 *   Derivatives are JAX's, in forward and reverse mode, of any order. Those of eigenvectors and singular
 *   vectors are not finite where values are equal, or 0.
 *
 *   What is not as it should be is NaN, as in JAX, not an error: the factor of a matrix that is not positive
 *   definite, eigenvalues, singular values and their vectors of one that holds NaN or inf; other factors of
 *   such a one are NaN where it comes in. The solution of a singular system is inf or NaN.
 *   With .check = true it is an error (WEFT_ARGUMENT), of weft_cholesky, weft_lu (of a singular matrix; one
 *   that is not square: of rank less than it could have), weft_solve_triangular, weft_solve, weft_inv,
 *   weft_eigh, weft_eigvalsh, weft_eig, weft_eigvals, weft_schur and weft_svd: it names the matrix and where
 *   the call stands. The program runs to its end, then the call of it fails, and gives nothing.
 *   Under weft_vmap each example is looked at, in branches that only other examples take, too; under
 *   weft_grad the value is. A plan (weft/run.h) gives NaN and no error.
 */
#ifndef WEFT_LINALG_H
#define WEFT_LINALG_H
#include "weft/ops.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Options, behind the other arguments: weft_cholesky(a, .upper = true). In C++17: weft_cholesky(a,
 * weft::factor().upper()). */
typedef struct weft_factor {
    bool upper;         /* the upper triangle in place of the lower one */
    bool transpose;     /* weft_solve_triangular: a^T x = b */
    bool adjoint;       /* weft_solve_triangular: a^H x = b */
    bool unit;          /* weft_solve_triangular: the diagonal of a counts as ones */
    bool full;          /* weft_qr, weft_svd: square q, u, v^T: bases of the whole space */
    /* singular values below the largest times this count as 0; 0: as JAX has it, 10 max(m, n) epsilon (for
     * weft_lstsq and weft_matrix_rank without the 10) */
    double rcond;
    /* what is said above to be NaN, or inf, is an error when the call runs, in compiled code too */
    bool check;
    int end_;
} weft_factor;

#define WEFT_LA1_(op) weft_array *op(weft_array *), *op##_(const weft_array *, weft_factor, const char *at);
#define WEFT_LA2_(op) weft_array *op(weft_array *, weft_array *), \
                                 *op##_(const weft_array *, const weft_array *, weft_factor, const char *at);

/* ---- factorizations ----
 *   weft_cholesky(a)                   l, lower, with l l^T = a, of a symmetric matrix; .upper: u with
 *                                      u^T u = a. Of a the mean of it and its transpose counts, as in JAX
 *   weft_lu(a, &order)                 l, without its diagonal of ones, and u in one [m, n] array; order:
 *                                      i32[m], the rows of a in the order of those of l u
 *   weft_qr(a, &r)                     q [m, k] with orthonormal columns, r [k, n], upper, k = min(m, n);
 *                                      .full: q [m, m], r [m, n]. r may be NULL, or left out, as v below:
 *                                      weft_qr(a)
 *   weft_eigh(a, &v)                   w [n], the eigenvalues of a symmetric matrix, ascending, and v [n, n],
 *                                      eigenvectors as columns; v may be NULL. Of a as weft_cholesky
 *   weft_eigvalsh(a)                   w alone
 *   weft_eig(a, &v)                    w [n], the eigenvalues of any square matrix, in no order, and v
 *                                      [n, n], right eigenvectors as columns: a v = v w. Both are complex, of
 *                                      real matrices too: c64 of f32, c128 of f64. Each vector has length 1,
 *                                      and its largest number is real and positive. v may be NULL
 *   weft_eigvals(a)                    w alone
 *   weft_schur(a, &z)                  t [n, n] and z, with z t z^H = a and z^H z = I: t is upper triangular,
 *                                      with the eigenvalues on its diagonal; of a real matrix, whose t and z
 *                                      are real, two rows of t stand for each pair of complex eigenvalues,
 *                                      [p, b; c, p] with b c < 0. The complex form of a real one: that of
 *                                      weft_astype(a, WEFT_C128). z may be NULL. Without a derivative
 *   weft_hessenberg(a, &q)             h [n, n], zero below the diagonal under the main one, and q, with
 *                                      q h q^H = a and q^H q = I. q may be NULL. Without a derivative
 *   weft_svd(a, &u, &vt)               s [k], descending, u [m, k] and v^T [k, n], with u s v^T = a; .full:
 *                                      u [m, m], v^T [n, n]. With NULL, NULL: s alone
 */
WEFT_LA1_(weft_cholesky)
weft_array *weft_lu_(const weft_array *, weft_array **order, weft_factor, const char *at);
weft_array *weft_qr_(const weft_array *, weft_array **r, weft_factor, const char *at);
weft_array *weft_eigh_(const weft_array *, weft_array **v, weft_factor, const char *at);
WEFT_LA1_(weft_eigvalsh)
weft_array *weft_eig_(const weft_array *, weft_array **v, weft_factor, const char *at);
WEFT_LA1_(weft_eigvals)
weft_array *weft_schur_(const weft_array *, weft_array **z, weft_factor, const char *at);
weft_array *weft_hessenberg_(const weft_array *, weft_array **q, weft_factor, const char *at);
weft_array *weft_svd_(const weft_array *, weft_array **u, weft_array **vt, weft_factor, const char *at);

/* ---- systems ----
 *   weft_solve_triangular(a, b)        x with a x = b, of which only the lower triangle of a is read; .upper,
 *                                      .transpose, .adjoint, .unit. b: [n], or [.., n, k]
 *   weft_solve(a, b)                   x with a x = b, a square; b as above
 *   weft_inv(a)                        the inverse
 *   weft_det(a), weft_slogdet(a, &sign)
 *                                      the determinant; log |det a| and its sign: -1, 0 or 1; of complex ones
 *                                      det a / |det a|
 *   weft_lstsq(a, b)                   x [n] or [n, k] with the least |a x - b|, and of those the shortest;
 *                                      a: rank 2. .rcond
 *   weft_pinv(a)                       Moore and Penrose's inverse. .rcond
 *   weft_matrix_rank(a)                i32: how many singular values are not 0. .rcond
 *   weft_matrix_cond(a)                the largest singular value over the least
 */
WEFT_LA2_(weft_solve_triangular)
WEFT_LA2_(weft_solve)
WEFT_LA1_(weft_inv)
WEFT_LA1_(weft_det)
weft_array *weft_slogdet_(const weft_array *, weft_array **sign, const char *at);
WEFT_LA2_(weft_lstsq)
WEFT_LA1_(weft_pinv)
WEFT_LA1_(weft_matrix_rank)
WEFT_LA1_(weft_matrix_cond)

/* ---- functions of matrices ----
 *   weft_matrix_power(a, n)            a times itself; n < 0: of the inverse
 *   weft_expm(a)                       the exponential, by Pade's approximant of order 13, of f32 and c64 7,
 *                                      scaled and squared as often as the norm asks for, 16 times at most: of
 *                                      larger norms it loses digits
 *   weft_matrix_norm(a, "fro")         "fro" or NULL: root of the sum of squares; "nuc": sum of singular
 *                                      values; "2", "-2": the largest, the least of them; "1", "-1": of the
 *                                      columns' sums of |a|; "inf", "-inf": of the rows'. Norms of vectors:
 *                                      weft_norm
 *   weft_trace(a, k), weft_diagonal(a, k)
 *                                      diagonal number k (1: the one above the main one; not written, as in
 *                                      the next: the main one): its sum; [.., n]
 *   weft_diag(x, k)                    a matrix with the vector x as diagonal k, or diagonal k of a matrix
 */
weft_array *weft_matrix_power_(const weft_array *, int64_t n, const char *at);
WEFT_LA1_(weft_expm)
weft_array *weft_matrix_norm_(const weft_array *, const char *order, const char *at);
weft_array *weft_trace_(const weft_array *, int64_t k, const char *at);
weft_array *weft_diagonal_(const weft_array *, int64_t k, const char *at);
weft_array *weft_diag_(const weft_array *, int64_t k, const char *at);

/* ---- made of others ----
 *   weft_kron(a, b)                    each element of a times the whole of b; any ranks
 *   weft_cross(a, b)                   of vectors of 3 elements in the last axis; the other axes broadcast
 *   weft_block_diag(a, b, ...)         matrices (vectors: of one row) along the diagonal, zeros elsewhere
 *   weft_toeplitz(c, r)                [m, n]: element (i, j) is c[i - j], and r[j - i] above the diagonal;
 *                                      r NULL: c. r[0] is not looked at
 *   weft_cov(x), weft_corrcoef(x)      covariances, correlations of the rows of x [variables, observations],
 *                                      the sum of squares over observations less 1; a number if there is
 *                                      one row
 *   weft_polyfit(x, y, degree)         [degree + 1]: the polynomial with the least squares of distances from
 *                                      the points, the highest power first
 *   weft_polyval(p, x)                 its values at x, an array or a number
 *   weft_roots(p)                      [degree], complex: where they are 0, as eigenvalues of the companion
 *                                      matrix, the greatest |root| first. p: one axis. Zeros in front of the
 *                                      highest power that is not 0 leave that many roots NaN, the last ones
 *                                      (jax.numpy.roots, strip_zeros=False; numpy.roots gives fewer)
 */
WEFT_LA2_(weft_kron)
WEFT_LA2_(weft_cross)
weft_array *weft_block_diag_(int n, const weft_array *const *, const char *at);
weft_array *weft_toeplitz_(const weft_array *c, const weft_array *r, const char *at);
WEFT_LA1_(weft_cov)
WEFT_LA1_(weft_corrcoef)
weft_array *weft_polyfit_(const weft_array *x, const weft_array *y, int64_t degree, const char *at);
weft_array *weft_polyval(weft_array *p, weft_array *x),
           *weft_polyval_(const weft_array *p, weft_operand x, weft_factor, const char *at);
WEFT_LA1_(weft_roots)
#ifdef __cplusplus
}
namespace weft {
struct factor : weft_factor {
    factor() : weft_factor() {}
    factor &upper(bool yes = true)      { weft_factor::upper = yes; return *this; }
    factor &transpose(bool yes = true)  { weft_factor::transpose = yes; return *this; }
    factor &adjoint(bool yes = true)    { weft_factor::adjoint = yes; return *this; }
    factor &unit(bool yes = true)       { weft_factor::unit = yes; return *this; }
    factor &full(bool yes = true)       { weft_factor::full = yes; return *this; }
    factor &rcond(double r)             { weft_factor::rcond = r; return *this; }
    factor &check(bool yes = true)      { weft_factor::check = yes; return *this; }
};
}
#endif

/* ---- the macros ---- */
#define WEFT_CALL_LA1_(f, ...) \
    f(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define WEFT_CALL_LA2_(f, a, ...) \
    f(WEFT_AN_ARRAY_(a), WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define WEFT_CALL_LAV_(f, ...) \
    WEFT_CALL_LAV2_(f, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_((weft_array **)0, __VA_ARGS__))
#define WEFT_CALL_LAV2_(f, a, ...) \
    f((WEFT_IS_NO_OPTION_(WEFT_STR_(WEFT_FIRST_(__VA_ARGS__))), WEFT_AN_ARRAY_(a)), \
      WEFT_FIRST_(__VA_ARGS__), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define weft_cholesky(...)              WEFT_CALL_LA1_(weft_cholesky_, __VA_ARGS__)
#define weft_lu(a, ...) \
    weft_lu_(WEFT_AN_ARRAY_(a), WEFT_FIRST_(__VA_ARGS__), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define weft_qr(...)                    WEFT_CALL_LAV_(weft_qr_, __VA_ARGS__)
#define weft_eigh(...)                  WEFT_CALL_LAV_(weft_eigh_, __VA_ARGS__)
#define weft_eigvalsh(...)              WEFT_CALL_LA1_(weft_eigvalsh_, __VA_ARGS__)
#define weft_eig(...)                   WEFT_CALL_LAV_(weft_eig_, __VA_ARGS__)
#define weft_eigvals(...)               WEFT_CALL_LA1_(weft_eigvals_, __VA_ARGS__)
#define weft_schur(a, ...) \
    weft_schur_(WEFT_AN_ARRAY_(a), WEFT_FIRST_(__VA_ARGS__), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define weft_hessenberg(a, ...) \
    weft_hessenberg_(WEFT_AN_ARRAY_(a), WEFT_FIRST_(__VA_ARGS__), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define weft_svd(a, u, ...) \
    weft_svd_(WEFT_AN_ARRAY_(a), (u), WEFT_FIRST_(__VA_ARGS__), WEFT_WITH_(factor, __VA_ARGS__), WEFT_HERE)
#define weft_solve_triangular(a, ...)   WEFT_CALL_LA2_(weft_solve_triangular_, a, __VA_ARGS__)
#define weft_solve(a, ...)              WEFT_CALL_LA2_(weft_solve_, a, __VA_ARGS__)
#define weft_inv(...)                   WEFT_CALL_LA1_(weft_inv_, __VA_ARGS__)
#define weft_det(...)                   WEFT_CALL_LA1_(weft_det_, __VA_ARGS__)
#define weft_slogdet(a, sign)           weft_slogdet_(WEFT_AN_ARRAY_(a), (sign), WEFT_HERE)
#define weft_lstsq(a, ...)              WEFT_CALL_LA2_(weft_lstsq_, a, __VA_ARGS__)
#define weft_pinv(...)                  WEFT_CALL_LA1_(weft_pinv_, __VA_ARGS__)
#define weft_matrix_rank(...)           WEFT_CALL_LA1_(weft_matrix_rank_, __VA_ARGS__)
#define weft_matrix_cond(...)           WEFT_CALL_LA1_(weft_matrix_cond_, __VA_ARGS__)
#define weft_matrix_power(a, n)         weft_matrix_power_(WEFT_AN_ARRAY_(a), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_expm(...)                  WEFT_CALL_LA1_(weft_expm_, __VA_ARGS__)
#define weft_matrix_norm(a, order)      weft_matrix_norm_(WEFT_AN_ARRAY_(a), WEFT_A_TEXT_(order), WEFT_HERE)
#define WEFT_CALLK_(f, ...) \
    f(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_AN_INT_(WEFT_SECOND_(__VA_ARGS__, 0, )), \
      WEFT_HERE2_(__VA_ARGS__))
#define weft_trace(...)                 WEFT_CALLK_(weft_trace_, __VA_ARGS__)
#define weft_diagonal(...)              WEFT_CALLK_(weft_diagonal_, __VA_ARGS__)
#define weft_diag(...)                  WEFT_CALLK_(weft_diag_, __VA_ARGS__)
#define weft_kron(a, ...)               WEFT_CALL_LA2_(weft_kron_, a, __VA_ARGS__)
#define weft_cross(a, ...)              WEFT_CALL_LA2_(weft_cross_, a, __VA_ARGS__)
#define weft_block_diag(...)            weft_block_diag_(WEFT_LIST_(__VA_ARGS__), WEFT_HERE)
#define weft_toeplitz(c, r)             weft_toeplitz_(WEFT_AN_ARRAY_(c), (r), WEFT_HERE)
#define weft_cov(...)                   WEFT_CALL_LA1_(weft_cov_, __VA_ARGS__)
#define weft_corrcoef(...)              WEFT_CALL_LA1_(weft_corrcoef_, __VA_ARGS__)
#define weft_polyfit(x, y, degree) \
    weft_polyfit_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(y), WEFT_AN_INT_(degree), WEFT_HERE)
#define weft_polyval(p, ...) \
    weft_polyval_(WEFT_AN_ARRAY_(p), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_WITH_(factor, __VA_ARGS__), \
                  WEFT_HERE)
#define weft_roots(...)                 WEFT_CALL_LA1_(weft_roots_, __VA_ARGS__)
#endif
