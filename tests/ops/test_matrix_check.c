/* test_matrix_check.c: .check: a matrix that has no factor, no inverse or no values is an error of the call
 * that runs, with the place of the op, eager and compiled, under vmap and in derivatives; what is good stays
 * as it is without it. */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"

static weft_array *good, *bad, *singular, *not_finite;

static void setup(void)
{
    static const double numbers[3][2][2] = { { { 4, 2 }, { 2, 3 } },
                                             { { 1, 2 }, { 2, 1 } },
                                             { { 1, 2 }, { 2, 4 } } };
    open_context();
    good = weft_from(ctx, numbers[0][0], 2, 2);
    bad = weft_from(ctx, numbers[1][0], 2, 2);
    singular = weft_from(ctx, numbers[2][0], 2, 2);
    not_finite = weft_full(ctx, WEFT_F64, NAN, 2, 2);
}

static weft_array *second(weft_array *first, weft_array *r) { return first ? r : NULL; }
static weft_array *cholesky(weft_array *a) { return weft_cholesky(a, .check = true); }
static weft_array *upper(weft_array *a) { return weft_cholesky(a, .upper = true, .check = true); }
static weft_array *lu(weft_array *a) { return weft_lu(a, NULL, .check = true); }
static weft_array *lu_order(weft_array *a)
{
    weft_array *order = NULL, *factors = weft_lu(a, &order, .check = true);
    return second(factors, weft_astype(order, WEFT_F64));
}
static weft_array *wide_lu(weft_array *a) { return weft_lu(weft_concatenate(-1, a, a), NULL, .check = true); }
static weft_array *inv(weft_array *a) { return weft_inv(a, .check = true); }
static weft_array *solve(weft_array *a) { return weft_solve(a, weft_ones(NULL, WEFT_F64, 2), .check = true); }
static weft_array *triangular(weft_array *a)
{
    return weft_solve_triangular(weft_sub(a, 1), weft_ones(NULL, WEFT_F64, 2), .check = true);
}
static weft_array *eigh(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eigh(a, &v, .check = true);
    return second(w, v);
}
static weft_array *eigvalsh(weft_array *a) { return weft_eigvalsh(a, .check = true); }
static weft_array *eig(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eig(a, &v, .check = true);
    return second(w, weft_real(v));
}
static weft_array *eigvals(weft_array *a) { return weft_real(weft_eigvals(a, .check = true)); }
static weft_array *schur(weft_array *a)
{
    weft_array *z = NULL, *t = weft_schur(a, &z, .check = true);
    return second(t, z);
}
static weft_array *svd(weft_array *a)
{
    weft_array *u = NULL, *vt = NULL, *s = weft_svd(a, &u, &vt, .check = true);
    return second(s, vt);
}
static weft_array *complex_cholesky(weft_array *a)
{
    return weft_real(weft_cholesky(weft_complex(a, 0), .check = true));
}

#define EACH(DO) \
    DO(cholesky, bad, "weft_cholesky: the matrix is not positive definite") \
    DO(upper, bad, "weft_cholesky: the matrix is not positive definite") \
    DO(complex_cholesky, bad, "weft_cholesky: the matrix is not positive definite") \
    DO(lu, singular, "weft_lu: the matrix is singular, or holds NaN") \
    DO(lu, not_finite, "weft_lu: the matrix is singular, or holds NaN") \
    DO(lu_order, singular, "weft_lu: the matrix is singular, or holds NaN") \
    DO(wide_lu, singular, "weft_lu: the matrix is singular, or holds NaN") \
    DO(inv, singular, "weft_inv: the matrix is singular, or holds NaN") \
    DO(solve, singular, "weft_solve: the matrix is singular, or holds NaN") \
    DO(triangular, singular, "weft_solve_triangular: the matrix is singular, or holds NaN") \
    DO(eigh, not_finite, "weft_eigh: the matrix holds NaN or inf") \
    DO(eigvalsh, not_finite, "weft_eigvalsh: the matrix holds NaN or inf") \
    DO(eig, not_finite, "weft_eig: the matrix holds NaN or inf") \
    DO(eigvals, not_finite, "weft_eigvals: the matrix holds NaN or inf") \
    DO(schur, not_finite, "weft_schur: the matrix holds NaN or inf") \
    DO(svd, not_finite, "weft_svd: the matrix holds NaN or inf")

TestSuite(matrix_check, .init = setup, .fini = close_context_without_error);

/* The call fails, says where the op stands, and the next one works. */
static void all_ways(int line, weft_unary *f, weft_array *wrong, const char *text)
{
    for (int compiled = 0; compiled < 1 + have_backend(); compiled++) {
        weft_unary *g = compiled ? weft_jit(ctx, f) : f, *mapped = weft_vmap(ctx, f, "0");
        weft_array *right = g(good), *three = weft_stack_arrays(0, good, wrong, good);
        cr_assert(right, "line %d: %s", line, weft_error(ctx));
        cr_assert(!g(wrong), "line %d", line);
        cr_expect(strncmp(weft_error(ctx), __FILE__ ":", sizeof __FILE__) == 0, "line %d: %s", line,
                  weft_error(ctx));
        cr_expect(error_has(text), "line %d", line);
        if (compiled) mapped = weft_jit(ctx, mapped);
        cr_expect(!mapped(three), "line %d", line);
        cr_expect(error_has(text), "line %d", line);
        expect_close(line, "as before", g(good), right, 0);
        three = weft_stack_arrays(0, good, good);
        expect_close(line, "of both", weft_at(mapped(three), "1"), right, 1e-14);
    }
}

Test(matrix_check, what_is_wrong_is_an_error)
{
#define DECLARED(f, wrong, text) \
    weft_declare(ctx, f, weft_unary); \
    all_ways(__LINE__, f, wrong, text);
    EACH(DECLARED)
}

static weft_array *plain(weft_array *a) { return weft_cholesky(a); }
static weft_array *total(weft_array *a) { return weft_sum(weft_square(weft_cholesky(a, .check = true))); }
static weft_array *plain_total(weft_array *a) { return weft_sum(weft_square(weft_cholesky(a))); }

/* Which of several; none of none. */
Test(matrix_check, batches)
{
    weft_declare(ctx, cholesky, weft_unary);
    weft_declare(ctx, plain, weft_unary);
    BOTH
    {
        if (compiled && !have_backend()) break;
        weft_array *three = weft_stack_arrays(0, good, good, bad), *none = weft_zeros(ctx, WEFT_F64, 3, 0, 0),
                   *no_batch = weft_zeros(ctx, WEFT_F64, 0, 2, 2);
        cr_expect(!MAYBE_JIT(cholesky)(three));
        cr_expect(error_has("weft_cholesky: matrix 2 of 3 (from 0) is not positive definite"));
        three = weft_stack_arrays(0, good, good, good);
        expect_close(__LINE__, "good ones", MAYBE_JIT(cholesky)(three), MAYBE_JIT(plain)(three), 0);
        cr_expect(MAYBE_JIT(cholesky)(none) && MAYBE_JIT(cholesky)(no_batch), "%s", weft_error(ctx));
    }
}

Test(matrix_check, derivatives)
{
    weft_declare(ctx, total, weft_unary);
    weft_declare(ctx, plain_total, weft_unary);
    weft_unary *g = weft_grad(ctx, weft_unary, total, "x"),
               *want = weft_grad(ctx, weft_unary, plain_total, "x");
    BOTH
    {
        if (compiled && !have_backend()) break;
        expect_close(__LINE__, "gradient", MAYBE_JIT(g)(good), MAYBE_JIT(want)(good), 0);
        cr_expect(!MAYBE_JIT(g)(bad));
        cr_expect(error_has("weft_cholesky: the matrix is not positive definite"));
    }
}

/* In a branch, and in steps of a loop, that are not run nothing is looked at. */
static weft_array *branch_of(weft_array *is_good, weft_array *a)
{
    (void)is_good;
    return weft_cholesky(a, .check = true);
}
static weft_array *other_of(weft_array *is_good, weft_array *a)
{
    (void)is_good;
    return a;
}
static weft_array *either(weft_array *a)
{
    weft_array *is_good = weft_gt(weft_at(a, "0, 0"), 2);
    return weft_cond(NULL, branch_of, other_of)(is_good, a);
}

Test(matrix_check, branches)
{
    weft_declare(ctx, branch_of, weft_binary);
    weft_declare(ctx, other_of, weft_binary);
    weft_declare(ctx, either, weft_unary);
    BOTH
    {
        if (compiled && !have_backend()) break;
        expect_close(__LINE__, "not taken", MAYBE_JIT(either)(bad), bad, 0);
        cr_expect(MAYBE_JIT(either)(good), "%s", weft_error(ctx));
        cr_expect(!MAYBE_JIT(either)(weft_mul(bad, 3)));
        cr_expect(error_has("is not positive definite"));
    }
}

/* An array that was given away is gone then, too. */
Test(matrix_check, donated)
{
    need_backend();
    weft_declare(ctx, cholesky, weft_unary);
    weft_array *mine = weft_add(bad, 0);
    cr_expect(!weft_jit(ctx, cholesky)(weft_donate(mine)));
    cr_expect(error_has("is not positive definite"));
    cr_expect(weft_jit(ctx, cholesky)(good), "%s", weft_error(ctx));
}
