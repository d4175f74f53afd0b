/* test_ops_schur.c: Schur's and Hessenberg's forms and eigenvectors of real matrices: what must hold of any
 * result, eager, compiled, by LAPACK and as if there were none, under vmap; matrices that are hard. Against
 * JAX's numbers: test_ops_matrix.c, test_ops_matrix_complex.c. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compiler/graph/matrix/matrix_call.h"
#include "compiler/graph/types/dtype.h"
#include "runtime/library/lapack.h"
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"
#include "tests/support/matrix_parts.h"

static bool is_complex(weft_array *a) { return dtype_is_complex((DType)weft_dtype_of(a)); }
static weft_array *identity(weft_array *a)
{
    return weft_astype(weft_eye(NULL, WEFT_F64, (int)weft_dim(a, -1)), weft_dtype_of(a));
}
/* The largest part of x, over what is largest in a. */
static weft_array *largest(weft_array *x, weft_array *a)
{
    return weft_div(weft_max(weft_abs(x)), weft_add(weft_max(weft_abs(a)), 1e-300));
}

/* z t z^H against a, z^H z against I, what must be 0. */
static weft_array *errors(weft_array *a, weft_array *t, weft_array *z, weft_array *zero)
{
    weft_array *made = weft_sub(weft_matmul(weft_matmul(z, t), adjoint(z)), a),
               *unit = weft_sub(weft_matmul(adjoint(z), z), identity(a));
    return weft_stack_arrays(0, largest(made, a), weft_max(weft_abs(unit)), largest(zero, a));
}

static weft_array *schur_errors(weft_array *a)
{
    weft_array *z = NULL, *t = weft_schur(a, &z), *low = weft_tril(t, is_complex(a) ? -1 : -2);
    if (is_complex(a)) return errors(a, t, z, low);
    /* no two blocks touch; of each the diagonal is one number twice, and the other two have two signs */
    weft_array *below = weft_diagonal(t, -1), *above = weft_diagonal(t, 1), *main = weft_diagonal(t, 0);
    int64_t n = weft_dim(a, -1);
    if (n == 1) return errors(a, t, z, low);
    weft_array *is = weft_ne(below, 0), *gap = weft_sub(weft_at(main, "..., :-1"), weft_at(main, "..., 1:")),
               *wrong = weft_or(weft_ne(gap, 0), weft_ge(weft_mul(weft_sign(below), weft_sign(above)), 0));
    weft_array *bad = weft_sum(weft_and(is, wrong));
    if (n > 2) bad = weft_add(bad, weft_sum(weft_and(weft_at(is, "..., :-1"), weft_at(is, "..., 1:"))));
    weft_array *low_or_bad = weft_add(
        weft_abs(low), weft_mul(weft_astype(bad, weft_dtype_of(a)), weft_add(weft_max(weft_abs(a)), 1)));
    return errors(a, t, z, low_or_bad);
}

static weft_array *hessenberg_errors(weft_array *a)
{
    weft_array *q = NULL, *h = weft_hessenberg(a, &q);
    return errors(a, h, q, weft_tril(h, -2));
}

/* a v against v w, lengths against 1, the largest number of each vector against a positive one. */
static weft_array *eig_errors(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eig(a, &v),
               *off = weft_sub(weft_matmul(a, v), weft_mul(v, weft_expand_dims(w, -2)));
    weft_array *size = weft_abs(v), *length = weft_sum(weft_square(size), .axes = "-2"),
               *is_largest = weft_ge(size, weft_max(size, .axes = "-2", .keep = true)),
               *turn = weft_where(is_largest, weft_sub(size, weft_real(v)), INFINITY);
    return weft_stack_arrays(0, largest(off, a), weft_max(weft_abs(weft_sub(length, 1))),
                             weft_max(weft_min(turn, .axes = "-2")));
}

WEFT_SIGNATURE(both_vectors, weft_array *,
               (weft_array * a, WEFT_OUT weft_array **left, WEFT_OUT weft_array **right));

/* w, left and right vectors of matrices like a, as programs of JAX call LAPACK for them. */
static both_vectors *geev_of(weft_array *a, bool right)
{
    weft_dtype type = weft_dtype_of(a);
    bool complex = is_complex(a), of_double = dtype_part((DType)type) == WEFT_F64;
    const char *part = of_double ? "f64" : "f32";
    char text[1400], size[40], as_real[80], as_complex[80], w[60];
    int count = (int)weft_dim(a, 0), n = (int)weft_dim(a, 1);
    snprintf(size, sizeof size, "%dx%dx%d", count, n, n);
    snprintf(as_real, sizeof as_real, "tensor<%sx%s>", size, part);
    snprintf(as_complex, sizeof as_complex, "tensor<%sxcomplex<%s>>", size, part);
    snprintf(w, sizeof w, complex ? "tensor<%dx%dxcomplex<%s>>" : "tensor<%dx%dx%s>", count, n, part);
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: %s) -> (tensor<%dx%dxcomplex<%s>>, %s, %s) {\n"
        "  %%r:%d = stablehlo.custom_call @lapack_%cgeev_ffi(%%a) {mhlo.backend_config = "
        "{compute_left = 86 : ui8, compute_right = %d : ui8}} : (%s) -> (%s%s%s, %s, %s, tensor<%dxi32>)\n"
        "  %%w = %s : tensor<%dx%dxcomplex<%s>>\n"
        "  return %%w, %%r#%d, %%r#%d : tensor<%dx%dxcomplex<%s>>, %s, %s\n}\n",
        complex ? as_complex : as_real, count, n, part, as_complex, as_complex, 4 + !complex,
        complex     ? (of_double ? 'z' : 'c')
        : of_double ? 'd'
                    : 's',
        right ? 86 : 78, complex ? as_complex : as_real, w, complex ? "" : ", ", complex ? "" : w, as_complex,
        as_complex, count, complex ? "stablehlo.optimization_barrier %r#0" : "stablehlo.complex %r#0, %r#1",
        count, n, part, 1 + !complex, 2 + !complex, count, n, part, as_complex, as_complex);
    return weft_parse_stablehlo(ctx, both_vectors, text, strlen(text), "geev.mlir");
}

/* u^H a against w u^H, lengths against 1; of the left ones alone, which are the same, likewise. */
static weft_array *left_errors(weft_array *a)
{
    weft_array *u = NULL, *v = NULL, *alone = NULL, *none = NULL, *w = geev_of(a, true)(a, &u, &v),
               *of_alone = geev_of(a, false)(a, &alone, &none);
    weft_array *off = weft_sub(weft_matmul(adjoint(u), a), weft_mul(adjoint(u), weft_expand_dims(w, -1))),
               *right = weft_sub(weft_matmul(a, v), weft_mul(v, weft_expand_dims(w, -2))),
               *length = weft_sum(weft_square(weft_abs(u)), .axes = "-2"),
               *other = weft_add(weft_max(weft_abs(weft_sub(alone, u))),
                                 weft_max(weft_abs(weft_sub(of_alone, w))));
    return weft_stack_arrays(0, weft_add(largest(off, a), largest(right, a)),
                             weft_max(weft_abs(weft_sub(length, 1))),
                             weft_add(other, weft_max(weft_abs(none))));
}

/* [count, n, n] without an order, of eigenvalues of all kinds. */
static weft_array *sample(int count, int n, weft_dtype type)
{
    weft_array *i = weft_astype(weft_arange(ctx, 0, count * n * n, 1), WEFT_F64),
               *x = weft_sin(weft_mul(weft_mul(weft_add(i, 1), weft_add(i, 1)), 0.37)),
               *y = weft_cos(weft_mul(i, 2.9));
    if (type == WEFT_C64 || type == WEFT_C128) x = weft_complex(x, y);
    return weft_astype(weft_reshape(x, count, n, n), type);
}

static void expect_small(int line, const char *what, weft_array *errors, double tolerance)
{
    expect_close(line, what, errors, weft_zeros(ctx, weft_dtype_of(errors), 3), tolerance);
}

static void all_ways(weft_unary *f, const char *name, weft_dtype type, double tolerance)
{
    static const int size[] = { 1, 2, 3, 5, 8, 20, 33, 128 };
    char what[99];
    weft_unary *fast = weft_jit(ctx, f);
    for (int i = 0; i < 8; i++) {
        weft_array *a = sample(size[i] > 30 ? 2 : 5, size[i], type);
        snprintf(what, sizeof what, "%s of %s, %d", name, dtype_name((DType)type), size[i]);
        expect_small(__LINE__, what, f(a), tolerance * size[i]);
        if (!have_backend()) continue;
        expect_small(__LINE__, what, fast(a), tolerance * size[i]);
        lapack_forget(true);
        expect_small(__LINE__, what, fast(a), tolerance * size[i]);
        lapack_forget(false);
    }
}

TestSuite(ops_schur, .init = open_context, .fini = close_context_without_error, .timeout = 120);

Test(ops_schur, forms_are_of_the_matrix)
{
    weft_declare(ctx, schur_errors, weft_unary);
    weft_declare(ctx, hessenberg_errors, weft_unary);
    weft_declare(ctx, eig_errors, weft_unary);
    weft_declare(ctx, left_errors, weft_unary);
    static const struct {
        weft_dtype type;
        double tolerance;
    } kind[] = { { WEFT_F32, 2e-6 }, { WEFT_F64, 4e-15 }, { WEFT_C64, 2e-6 }, { WEFT_C128, 4e-15 } };
    for (int i = 0; i < 4; i++) {
        all_ways(schur_errors, "schur", kind[i].type, kind[i].tolerance);
        all_ways(hessenberg_errors, "hessenberg", kind[i].type, kind[i].tolerance);
        all_ways(eig_errors, "eig", kind[i].type, kind[i].tolerance);
        all_ways(left_errors, "left vectors", kind[i].type, kind[i].tolerance * 4);
    }
}

/* Steps that go in a circle without another shift; blocks that are equal, or alone; no basis of vectors. */
Test(ops_schur, hard_matrices)
{
    weft_array *eye = weft_eye(ctx, WEFT_F64, 8), *ones = weft_ones(ctx, WEFT_F64, 8, 8),
               *turn = weft_from(ctx, ((double[]){ 0, 1, -1, 0 }), 2, 2),
               *i = weft_astype(weft_arange(ctx, 0, 64, 1), WEFT_F64);
    weft_array *hard[] = { weft_roll(eye, 1, 0),
                           weft_roll(weft_eye(ctx, WEFT_F64, 33), 1, 0),
                           weft_tril(weft_triu(ones, 0), 1),
                           ones,
                           eye,
                           weft_zeros(ctx, WEFT_F64, 3, 3),
                           weft_kron(weft_eye(ctx, WEFT_F64, 4), turn),
                           weft_block_diag(turn, weft_mul(turn, 3), turn),
                           weft_triu(ones, 0),
                           weft_tril(ones, 0),
                           weft_mul(weft_reshape(weft_sin(weft_square(i)), 8, 8), 1e200),
                           weft_mul(weft_reshape(weft_sin(weft_square(i)), 8, 8), 1e-200),
                           weft_from(ctx, ((double[]){ 1, 1, -1e-30, 1 }), 2, 2),
                           weft_from(ctx, ((double[]){ 1, 1e-9, -1e-9, 1 }), 2, 2),
                           weft_from(ctx, ((double[]){ 2, 3, 0.5, 1 }), 2, 2) };
    for (unsigned k = 0; k < sizeof hard / sizeof *hard; k++) {
        char what[40];
        snprintf(what, sizeof what, "hard matrix %u", k);
        expect_small(__LINE__, what, schur_errors(hard[k]), 1e-13);
        expect_small(__LINE__, what, hessenberg_errors(hard[k]), 1e-13);
        expect_small(__LINE__, what, eig_errors(hard[k]), 1e-13);
        expect_small(__LINE__, what, left_errors(weft_expand_dims(hard[k], 0)), 1e-13);
    }
}

/* Beyond about 1e12 and 1e-12 (1e138 and 1e-138 of doubles) geev brings a matrix nearer to 1, and eigenvalues
 * back; SciPy 1.17.1's leaves them. With LD_PRELOAD=.../libscipy_openblas-*.so this test is of that one. */
Test(ops_schur, far_from_one)
{
    static const struct {
        weft_dtype type;
        double power, tolerance;
    } kind[] = {
        { WEFT_F32, 30, 8e-5 }, { WEFT_F64, 290, 2e-13 }, { WEFT_C64, 30, 8e-5 }, { WEFT_C128, 290, 2e-13 }
    };
    weft_declare(ctx, eig_errors, weft_unary);
    weft_declare(ctx, left_errors, weft_unary);
    for (int i = 0; i < 4; i++) {
        double far = pow(10, kind[i].power), tolerance = kind[i].tolerance;
        weft_array *scales = weft_from(ctx, ((double[]){ far, 1, 1 / far }), 3, 1, 1),
                   *a = weft_mul(sample(3, 40, kind[i].type), weft_astype(scales, kind[i].type)),
                   *zeros = weft_zeros(ctx, WEFT_F64, 3, 3);
        weft_unary *each = weft_vmap(ctx, eig_errors, "0");
        expect_close(__LINE__, "eager", weft_astype(each(a), WEFT_F64), zeros, tolerance);
        if (!have_backend()) continue;
        weft_unary *fast = weft_jit(ctx, each);
        expect_close(__LINE__, "by LAPACK", weft_astype(fast(a), WEFT_F64), zeros, tolerance);
        lapack_forget(true);
        expect_close(__LINE__, "by weft's own", weft_astype(fast(a), WEFT_F64), zeros, tolerance);
        lapack_forget(false);
        for (int k = 0; k < 3; k++)
            expect_small(__LINE__, "left vectors",
                         weft_jit(ctx, left_errors)(weft_expand_dims(weft_take(a, k, 0), 0)), tolerance);
    }
}

/* What is next to nothing beside the diagonal, across which stands much; of two eigenvalues as near to the
 * last element, LAPACK has the one with a negative imaginary part last. */
Test(ops_schur, eigenvalues_of_two_rows)
{
    static const double rows[][4] = { { 1, 1e6, 1e-7, 1 }, { 0.75, -0.5, 0.25, 1 } };
    static const double want[][2][2] = { { { 1.31622777, 0.68377223 }, { 0, 0 } },
                                         { { 0.875, 0.875 }, { 0.33071891, -0.33071891 } } };
    static const weft_dtype types[] = { WEFT_F32, WEFT_C64 };
    for (int i = 0; i < 2; i++)
        for (int t = 0; t < 2; t++) {
            weft_array *w = weft_eigvals(weft_astype(weft_from(ctx, rows[i], 2, 2), types[t]));
            EXPECT(i ? weft_real(w) : weft_flip(weft_sort(weft_real(w))), want[i][0][0], want[i][0][1]);
            EXPECT(weft_imag(w), want[i][1][0], want[i][1][1]);
        }
}

/* One matrix that is not finite, and its neighbours. */
Test(ops_schur, nan_stays_where_it_is)
{
    weft_array *a = sample(3, 4, WEFT_F64), *nan = weft_full(ctx, WEFT_F64, NAN, 4, 4),
               *one = weft_at(a, "1:2"), *mixed = weft_concatenate(0, one, weft_expand_dims(nan, 0), one);
    weft_array *z = NULL, *t = weft_schur(mixed, &z), *v = NULL, *w = weft_eig(mixed, &v);
    weft_array *left = NULL, *right = NULL;
    cr_assert(geev_of(mixed, true)(mixed, &left, &right));
    weft_array *of[] = { t, z, weft_real(v), weft_expand_dims(weft_imag(w), 1), weft_imag(left) };
    for (int i = 0; i < 5; i++) {
        weft_array *is = weft_isnan(of[i]);
        EXPECT(weft_astype(weft_all(weft_at(is, "1")), WEFT_F32), 1);
        EXPECT(weft_astype(weft_any(weft_at(is, "::2")), WEFT_F32), 0);
    }
}

static weft_array *form(weft_array *a) { return weft_schur(a, NULL); }
static weft_array *reduced(weft_array *a) { return weft_hessenberg(a, NULL); }
static weft_array *vectors(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eig(a, &v);
    return weft_mul(v, weft_expand_dims(w, -2));
}

Test(ops_schur, vmap_is_one_by_one)
{
    weft_declare(ctx, form, weft_unary);
    weft_declare(ctx, reduced, weft_unary);
    weft_declare(ctx, vectors, weft_unary);
    static weft_unary *const each[] = { form, reduced, vectors };
    for (int k = 0; k < 3; k++)
        for (int compiled = 0; compiled < 1 + have_backend(); compiled++) {
            weft_unary *f = weft_vmap(ctx, each[k], "0");
            weft_array *a = sample(3, 6, WEFT_F64), *all = (compiled ? weft_jit(ctx, f) : f)(a);
            for (int i = 0; i < 3; i++)
                expect_close(__LINE__, "one of three", weft_take(all, i, 0), each[k](weft_take(a, i, 0)),
                             1e-13);
        }
}

/* One matrix has the signs and phases of the LAPACK that is there, whatever its size; of several small ones
 * weft's own code does each. */
Test(ops_schur, a_matrix_alone_is_lapacks)
{
    static const DType types[] = { WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128 };
    for (int i = 0; i < 4; i++)
        for (int64_t batch = 1; batch < 3; batch++) {
            int64_t numbers[MATRIX_NUMBERS], dim[] = { batch, 4, 4 }, vectors = 1;
            Type type = { (uint8_t)types[i], 3, dim };
            matrix_numbers(OP_SCHUR, &vectors, 1, &type, numbers);
            cr_expect_eq(matrix_is_own(numbers), batch > 1, "%lld of %s", (long long)batch,
                         dtype_name(types[i]));
        }
    if (!have_backend()) return;
    weft_declare(ctx, schur_errors, weft_unary);
    weft_declare(ctx, form, weft_unary);
    for (int n = 1; n < 34; n += 8)
        for (int complex = 0; complex < 2; complex++) {
            weft_array *a = weft_at(sample(1, n, complex ? WEFT_C128 : WEFT_F64), "0");
            expect_small(__LINE__, "one matrix", weft_jit(ctx, schur_errors)(a), 1e-13);
        }
    weft_array *none = weft_jit(ctx, form)(weft_full(ctx, WEFT_F64, NAN, 4, 4));
    EXPECT(weft_astype(weft_all(weft_isnan(none)), WEFT_F32), 1);
}

static weft_array *sum_of_form(weft_array *a) { return weft_sum(weft_schur(a, NULL)); }
static weft_array *sum_of_reduced(weft_array *a) { return weft_sum(weft_hessenberg(a, NULL)); }
static weft_array *sum_of_left(weft_array *a)
{
    weft_array *left = NULL, *right = NULL;
    a = weft_expand_dims(a, 0);
    return geev_of(a, true)(a, &left, &right) ? weft_sum(weft_real(left)) : NULL;
}

Test(ops_schur, what_is_refused)
{
    weft_array *square = weft_eye(ctx, WEFT_F32, 3), *wide = weft_zeros(ctx, WEFT_F32, 2, 3),
               *v = weft_zeros(ctx, WEFT_F32, 3), *half = weft_zeros(ctx, WEFT_F16, 2, 2), *z = NULL;
    REFUSED(WEFT_SHAPE, !weft_schur(wide, &z), "test_ops_schur.c:", "weft_schur", "f32[2,3] is not square");
    REFUSED(WEFT_SHAPE, !weft_schur(v, NULL), "weft_schur: f32[3] is no matrix");
    REFUSED(WEFT_DTYPE, !weft_schur(half, NULL), "weft_schur: matrices of f16", "f32, f64, c64 or c128");
    REFUSED(WEFT_ARGUMENT, !weft_schur(square, NULL, .upper = true),
            "weft_schur: the option .upper does not apply");
    REFUSED(WEFT_ARGUMENT, !weft_schur((weft_array *)NULL, NULL), "weft_schur: operand 1 is NULL");
    REFUSED(WEFT_SHAPE, !weft_hessenberg(wide, &z), "weft_hessenberg: f32[2,3] is not square");
    REFUSED(WEFT_SHAPE, !weft_hessenberg(v, NULL), "weft_hessenberg: f32[3] is no matrix");
    REFUSED(WEFT_DTYPE, !weft_hessenberg(half, NULL), "weft_hessenberg: matrices of f16");
    REFUSED(WEFT_ARGUMENT, !weft_hessenberg(square, NULL, .full = true),
            "weft_hessenberg: the option .full does not apply");
    weft_declare(ctx, sum_of_form, weft_unary);
    weft_declare(ctx, sum_of_reduced, weft_unary);
    REFUSED(WEFT_ARGUMENT, !weft_grad(ctx, weft_unary, sum_of_form, "x")(square),
            "there is none of Schur's form");
    REFUSED(WEFT_ARGUMENT, !weft_grad(ctx, weft_unary, sum_of_reduced, "x")(square),
            "there is none of Hessenberg's form");
    weft_declare(ctx, sum_of_left, weft_unary);
    REFUSED(WEFT_ARGUMENT, !weft_grad(ctx, weft_unary, sum_of_left, "x")(square),
            "there is none of left eigenvectors");
}
