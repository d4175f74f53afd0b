/* test_special.c: weft/special.h against SciPy and JAX (tests/data/special.txt, written by
 * make_special_data.py), op by op and compiled; derivatives against differences, second ones too; vmap. */
#include <criterion/criterion.h>
#include <math.h>
#include "runtime/exec/compile.h"
#include "tests/support/ops_data.h"

#define FIRST(x, n) weft_at(IN(x), ":" #n)
#define OF_X        weft_at(IN(x), "60:80")

/* The derivative of f, declared, by one of its arguments, element by element. */
#define OF(sig, f)       (weft_declare(NULL, f, sig), (f))
#define D1(f, x)         weft_vmap(NULL, weft_grad(NULL, weft_unary, OF(weft_unary, f), "x"), "0")(x)
#define D2(f, wrt, x, y) weft_vmap(NULL, weft_grad(NULL, weft_binary, OF(weft_binary, f), wrt), "0")(x, y)
#define D3(f, wrt, x, y, z) \
    weft_vmap(NULL, weft_grad(NULL, weft_ternary, OF(weft_ternary, f), wrt), "0")(x, y, z)

static weft_array *times(void) { return weft_mul(IN(a), IN(r)); }
static weft_array *all_sizes(void) { return weft_concatenate(0, IN(x), IN(large), IN(edges)); }
static weft_array *three(double a, double b, double c)
{
    weft_array *first = weft_scalar_as(NULL, WEFT_F64, a), *second = weft_scalar_as(NULL, WEFT_F64, b);
    return weft_stack_arrays(0, first, second, weft_scalar_as(NULL, WEFT_F64, c));
}

/* clang-format off */
#define GAMMAS(R) \
    R(gamma, 2e-13, (weft_gamma)(IN(gammas))) R(gamma_edges, 0, weft_gamma(IN(edges))) \
    R(gamma_32, 2e-7, weft_gamma(IN(a32))) \
    R(gamma_16, 1e-3, weft_gamma(IN(h))) R(beta, 1e-13, (weft_beta)(IN(a), IN(b))) \
    R(beta_signs, 1e-7, weft_beta(FIRST(gammas, 30), FIRST(a, 30))) \
    R(beta_32, 2e-7, weft_beta(IN(a32), IN(y32))) \
    R(betaln, 2e-14, (weft_betaln)(IN(a), IN(b))) \
    R(betaln_huge, 1e-12, weft_betaln(IN(huge), weft_flip(IN(huge)))) \
    R(betaln_far, 1e-11, weft_betaln(FIRST(a, 4), IN(huge))) \
    R(betaln_32, 2e-7, weft_betaln(IN(a32), IN(y32))) \
    R(gammainc, 2e-13, (weft_gammainc)(IN(a), times())) \
    R(gammaincc, 2e-13, (weft_gammaincc)(IN(a), times())) \
    R(gammainc_edges, 1e-15, weft_gammainc(IN(ab_edges), IN(x_edges))) \
    R(gammaincc_edges, 1e-15, weft_gammaincc(IN(ab_edges), IN(x_edges))) \
    R(gammainc_32, 2e-7, weft_gammainc(IN(a32), IN(y32))) \
    R(gammaincc_32, 2e-7, weft_gammaincc(IN(a32), IN(y32))) \
    R(betainc, 2e-13, weft_betainc(FIRST(a, 60), FIRST(b, 60), IN(unit))) \
    R(betainc_32, 2e-7, weft_betainc(IN(a32), IN(y32), IN(p32))) \
    R(betainc_edges, 1e-15, (weft_betainc)(IN(beta_a), IN(beta_b), IN(beta_x)))
#define BESSELS(R) \
    R(i0, 2e-15, (weft_i0)(IN(x))) R(i1, 2e-15, weft_i1(IN(x))) R(j0, 4e-15, weft_j0(IN(x))) \
    R(j1, 1e-15, weft_j1(IN(x))) \
    R(i0e, 1e-15, weft_i0e(all_sizes())) R(i1e, 1e-15, weft_i1e(IN(x))) \
    R(j0_large, 1e-14, weft_j0(IN(large))) R(j1_large, 1e-14, weft_j1(IN(large))) \
    R(j0_edges, 1e-15, weft_j0(IN(edges))) R(j1_edges, 0, weft_j1(IN(edges))) \
    R(i0_edges, 1e-15, weft_i0(IN(edges))) R(i1_edges, 0, weft_i1(IN(edges))) \
    R(i0_32, 2e-7, weft_i0(IN(x32))) R(i0e_32, 1e-7, weft_i0e(IN(x32))) R(i1_32, 2e-7, weft_i1(IN(x32))) \
    R(j0_32, 1e-7, weft_j0(IN(x32))) \
    R(j1_32, 1e-7, weft_j1(IN(x32))) R(i0_16, 1e-3, weft_i0(IN(h)))
#define NORMAL(R) \
    R(ndtr, 2e-15, weft_ndtr(IN(x))) R(ndtr_edges, 0, weft_ndtr(IN(edges))) \
    R(ndtr_32, 1e-7, weft_ndtr(IN(x32))) \
    R(log_ndtr, 2e-14, weft_log_ndtr(IN(normal))) R(log_ndtr_edges, 1e-15, weft_log_ndtr(IN(edges))) \
    R(log_ndtr_32, 2e-7, weft_log_ndtr(IN(x32))) \
    R(ndtri, 2e-14, weft_ndtri(IN(p))) R(ndtri_edges, 0, weft_ndtri(IN(p_edges))) \
    R(ndtri_32, 2e-7, weft_ndtri(IN(p32))) \
    R(xlogy, 1e-15, (weft_xlogy)(IN(x_log), IN(y_log))) \
    R(xlog1py, 1e-15, weft_xlog1py(IN(x_log), IN(y_log))) R(entr, 1e-15, weft_entr(IN(entropy))) \
    R(entr_32, 2e-7, weft_entr(IN(a32))) R(logit, 4e-15, weft_logit(IN(unit))) \
    R(logit_edges, 0, weft_logit(IN(p_edges))) R(logit_32, 1e-6, weft_logit(IN(p32))) \
    R(expi, 4e-14, weft_expi(IN(xe))) \
    R(expi_edges, 0, weft_expi(IN(edges))) R(expi_32, 2e-7, weft_expi(IN(x32)))
#define ROWS(R) GAMMAS(R) BESSELS(R) NORMAL(R)

#define SLOPES(R) \
    R(d_gammainc_a, 1e-11, D2(weft_gammainc, "x", FIRST(a, 20), weft_at(times(), ":20"))) \
    R(d_gammainc_x, 1e-11, D2(weft_gammainc, "y", FIRST(a, 20), weft_at(times(), ":20"))) \
    R(d_gammaincc_a, 1e-11, D2(weft_gammaincc, "x", FIRST(a, 20), weft_at(times(), ":20"))) \
    R(d_betainc_x, 1e-11, D3(weft_betainc, "z", FIRST(a, 20), FIRST(b, 20), FIRST(unit, 20))) \
    R(d_ndtri, 1e-13, D1(weft_ndtri, FIRST(unit, 20))) \
    R(d_log_ndtr, 1e-6, D1(weft_log_ndtr, FIRST(normal, 20))) \
    R(d_i0, 1e-14, D1(weft_i0, OF_X)) R(d_i1, 1e-14, D1(weft_i1, OF_X)) R(d_i0e, 1e-14, D1(weft_i0e, OF_X)) \
    R(d_expi, 1e-14, D1(weft_expi, FIRST(xe, 20))) R(d_entr, 1e-14, D1(weft_entr, FIRST(unit, 20))) \
    R(d_xlogy_0, 1e-14, D2(weft_xlogy, "x", three(0, 1, 2), three(0.5, 3, 4))) \
    R(d_gamma, 1e-12, D1(weft_gamma, FIRST(gammas, 20))) \
    R(d_logit, 1e-14, D1(weft_logit, FIRST(unit, 20)))
/* clang-format on */

OPS_SUITE_OF("tests/data/special.txt", special, ROWS)

/* ---- derivatives ---- */

enum { SLOPES(OPS_NUMBER) SLOPE_COUNT };
static const OpsRow slope_rows[] = { SLOPES(OPS_ROW) };
static weft_array *compute_slope(weft_array *unused, int row)
{
    (void)unused;
    switch (row) {
        SLOPES(OPS_CASE) default : return NULL;
    }
}

Test(special, derivatives_agree_with_jax)
{
    ops_data_file("tests/data/special.txt");
    ops_data_check(slope_rows, SLOPE_COUNT, compute_slope);
}

static double value_of(weft_unary *f, weft_context *ctx, double x)
{
    weft_scope *s = weft_scope_open(ctx);
    double v = weft_item(f(weft_scalar_as(ctx, WEFT_F64, x)));
    weft_scope_close(s);
    return v;
}

/* Richardson's: central differences of h and h / 2. */
static double difference(weft_unary *f, weft_context *ctx, double x)
{
    double h = 1e-3 * fmax(fabs(x), 0.1), d[2];
    for (int k = 0; k < 2; k++, h /= 2) d[k] = (value_of(f, ctx, x + h) - value_of(f, ctx, x - h)) / (2 * h);
    return (4 * d[1] - d[0]) / 3;
}

static weft_array *inc_of_a(weft_array *a) { return weft_gammainc(a, 2.5); }
static weft_array *incc_of_x(weft_array *x) { return weft_gammaincc(3.25, x); }
static weft_array *beta_of_a(weft_array *a) { return weft_betainc(a, 2.5, 0.3); }
static weft_array *beta_of_b(weft_array *b) { return weft_betainc(1.5, b, 0.8); }
static weft_array *beta_half_of_a(weft_array *a) { return weft_betainc(a, 2.5, 0.5); }
static weft_array *betaln_10(weft_array *a) { return weft_betaln(a, 10); }
static weft_array *beta_of_x(weft_array *x) { return weft_betainc(1.5, 3, weft_sigmoid(x)); }
static weft_array *betas(weft_array *a) { return weft_add(weft_betaln(a, 12.5), weft_beta(2.5, a)); }
static weft_array *ndtri_inside(weft_array *x) { return weft_ndtri(weft_mul(x, 0.1)); }
static weft_array *logit_inside(weft_array *x) { return weft_logit(weft_mul(x, 0.1)); }
static weft_array *log_ndtr_low(weft_array *x) { return weft_log_ndtr(weft_mul(x, -3)); }
static weft_array *logs(weft_array *x) { return weft_add(weft_xlogy(x, weft_exp(x)), weft_xlog1py(2, x)); }

/* clang-format off */
#define EACH(F) \
    F(weft_gamma) F(weft_i0) F(weft_i0e) F(weft_i1) F(weft_i1e) F(weft_j0) F(weft_j1) F(weft_ndtr) \
    F(weft_log_ndtr) F(weft_expi) F(weft_entr) F(inc_of_a) F(incc_of_x) F(beta_of_a) F(beta_of_b) \
    F(beta_of_x) F(betas) F(ndtri_inside) F(logit_inside) F(log_ndtr_low) F(logs) F(weft_sinc)
/* clang-format on */

static const struct {
    const char *name;
    weft_unary *f;
} each[] = {
#define ENTRY(f) { #f, f },
    EACH(ENTRY)
};
enum { FUNCTIONS = sizeof each / sizeof *each };
static const double points[] = { 0.35, 0.9, 1.7, 3.2, 7.3, 9.1 };

Test(special, derivatives_agree_with_differences)
{
    weft_context *ctx = weft_open(NULL);
    for (int i = 0; i < FUNCTIONS; i++) {
        weft_declare(ctx, each[i].f, weft_unary);
        weft_unary *slope = weft_grad(ctx, weft_unary, each[i].f, "x"),
                   *second = weft_grad(ctx, weft_unary, slope, "x");
        for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
            double x = points[k], got = value_of(slope, ctx, x), want = difference(each[i].f, ctx, x);
            cr_expect(fabs(got - want) <= 1e-8 * fmax(1, fabs(want)),
                      "%s at %g: %.12g, by differences %.12g: %s", each[i].name, x, got, want,
                      weft_error(ctx));
            got = value_of(second, ctx, x), want = difference(slope, ctx, x);
            cr_expect(fabs(got - want) <= 1e-7 * fmax(1, fabs(want)),
                      "%s'' at %g: %.12g, by differences %.12g: %s", each[i].name, x, got, want,
                      weft_error(ctx));
            weft_clear(ctx);
        }
    }
    weft_close(ctx);
}

/* By mpmath, of 60 digits: near 0, where one piece of a function ends, and where a sum does. */
static const struct {
    const char *name;
    weft_unary *f;
    int order;
    double x, want;
} far_slopes[] = {
#define OF_F(f, order, x, want) { #f, f, order, x, want },
#define AT(f, order, x, want)   OF_F(weft_##f, order, x, want)
    /* clang-format off */
    AT(j0, 2, 0, -0.5) AT(j0, 2, 8, -0.14232126378081458) AT(j0, 3, -8, -0.24876031190692402)
    AT(j0, 3, 1e-6, 3.7499999999994792e-7) AT(j0, 4, 0, 0.375) AT(j1, 2, 8, -0.24876031190692402)
    AT(j1, 2, 1e-300, -3.75e-301) AT(j1, 2, 1e-8, -3.75e-9) AT(j1, 3, 0, -0.375)
    AT(i0, 2, 8, 377.57997362398476) AT(i0, 3, 0, 0) AT(i0, 3, 1e-10, 3.75e-11) AT(i0, 4, 0, 0.375)
    AT(i1, 2, 8, 358.92365784178952) AT(i1, 2, -8, -358.92365784178952) AT(i1, 2, 1e-15, 3.75e-16)
    AT(i1, 3, 4, 7.6263498831498753) AT(i0e, 2, 8, 0.0018107654667169925)
    AT(i0e, 3, 1e-8, -2.4999999562500004) AT(i1e, 2, 1e-15, -0.99999999999999811)
    AT(i1e, 2, 8, 0.001220026378160809) AT(bessel_i1e, 3, 1e-6, 1.8749965000032813)
    AT(log_ndtr, 2, -20, -0.99753673838494783) OF_F(betaln_10, 2, 10, 0.053895512746482626)
    OF_F(beta_half_of_a, 1, 2, -0.21381619302623209) OF_F(beta_half_of_a, 2, 2, 0.031863986978726449)
    OF_F(beta_half_of_a, 1, 1, -0.21663906826080165) OF_F(beta_half_of_a, 2, 1, -0.037612151933771483)
    /* clang-format on */
};

Test(special, derivatives_of_derivatives_near_0_and_between_pieces)
{
    weft_context *ctx = weft_open(NULL);
    for (size_t i = 0; i < sizeof far_slopes / sizeof *far_slopes; i++) {
        weft_unary *d = far_slopes[i].f;
        weft_declare(ctx, d, weft_unary);
        for (int k = 0; k < far_slopes[i].order; k++) d = weft_grad(ctx, weft_unary, d, "x");
        double got = value_of(d, ctx, far_slopes[i].x), want = far_slopes[i].want;
        cr_expect(fabs(got - want) <= 1e-11 * fabs(want), "%s^(%d)(%g) = %.17g, not %.17g: %s",
                  far_slopes[i].name, far_slopes[i].order, far_slopes[i].x, got, want, weft_error(ctx));
        weft_clear(ctx);
    }
    weft_close(ctx);
}

/* ---- vmap, and code ---- */

Test(special, mapped_and_compiled_as_one_by_one)
{
    Failure failure = { .code = WEFT_OK };
    if (!backend_get(&failure)) cr_skip_test("%s", failure.text);
    weft_context *ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    weft_array *x = weft_from(ctx, points, sizeof points / sizeof *points);
    for (int i = 0; i < FUNCTIONS; i++) {
        weft_declare(ctx, each[i].f, weft_unary);
        weft_unary *slope = weft_grad(ctx, weft_unary, each[i].f, "x"), *of[2] = { each[i].f, slope };
        for (int k = 0; k < 2; k++) {
            weft_array *fast = weft_jit(ctx, weft_vmap(ctx, of[k], "0"))(x);
            for (size_t p = 0; fast && p < sizeof points / sizeof *points; p++)
                cr_expect_eq(weft_f64(fast)[p], value_of(of[k], ctx, points[p]), "%s %d at %g", each[i].name,
                             k, points[p]);
            cr_expect(fast, "%s: %s", each[i].name, weft_error(ctx));
            weft_clear(ctx);
        }
    }
    weft_close(ctx);
}
