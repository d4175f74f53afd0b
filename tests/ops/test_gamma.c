/* test_gamma.c: polygamma below zero and beyond what n! reaches, the incomplete gamma functions of large
 * a, the incomplete beta function of large a and b and far from its mean, and what is derived of them,
 * relative to mpmath's values (tests/data/gamma.txt, by make_gamma_data.py); vmap, op by op and compiled.
 * */
#include <criterion/criterion.h>
#include "tests/support/ops_data.h"

#define OF(sig, f)    (weft_declare(NULL, f, sig), (f))
#define MAP1(f, x)    weft_vmap(NULL, f, "0")(x)
#define MAP2(f, x, y) weft_vmap(NULL, f, "0")(x, y)
#define SLOPE(f)      weft_grad(NULL, weft_unary, f, "x")
#define BY_X(f)       weft_grad(NULL, weft_binary, f, "y")
#define BY_A(f)       weft_grad(NULL, weft_binary, f, "x")
#define DIGAMMA       OF(weft_unary, weft_digamma)
#define LOWER         OF(weft_binary, weft_gammainc)
#define MINUS_UPPER   OF(weft_binary, minus_upper)

static weft_array *trigamma(weft_array *x) { return weft_polygamma(1, x); }
static weft_array *minus_upper(weft_array *a, weft_array *x) { return weft_neg(weft_gammaincc(a, x)); }

static weft_array *betainc(weft_array *a, weft_array *b, weft_array *x) { return weft_betainc(a, b, x); }
static weft_array *beta_by(const char *what, weft_array *a, weft_array *b, weft_array *x)
{
    return weft_vmap(NULL, weft_grad(NULL, weft_ternary, OF(weft_ternary, betainc), what), "0")(a, b, x);
}
static weft_array *betainc_by_a(weft_array *a, weft_array *b, weft_array *x) { return beta_by("x", a, b, x); }
static weft_array *betainc_by_b(weft_array *a, weft_array *b, weft_array *x) { return beta_by("y", a, b, x); }
static weft_array *betainc_by_x(weft_array *a, weft_array *b, weft_array *x) { return beta_by("z", a, b, x); }

/* clang-format off */
#define TRUE(of, x) weft_div(x, IN(true_##of))
#define BELOW(R) \
    R(polygamma_1, 1e-14, TRUE(polygamma_1, weft_polygamma(1, IN(below)))) \
    R(polygamma_2, 1e-13, TRUE(polygamma_2, weft_polygamma(2, IN(below)))) \
    R(polygamma_3, 1e-14, TRUE(polygamma_3, weft_polygamma(3, IN(below)))) \
    R(polygamma_4, 1e-13, TRUE(polygamma_4, weft_polygamma(4, IN(below)))) \
    R(polygamma_12, 1e-13, TRUE(polygamma_12, weft_polygamma(12, IN(below)))) \
    R(polygamma_many, 1e-13, TRUE(polygamma_many, weft_polygamma(IN(many_n), IN(many_x)))) \
    R(polygamma_many_32, 2e-7, \
      TRUE(polygamma_many_32, weft_polygamma(IN(many_n32), IN(many_x32)))) \
    R(polygamma_1_32, 2e-7, TRUE(polygamma_1_32, weft_polygamma(1, IN(below_32)))) \
    R(digamma_slope, 1e-14, TRUE(polygamma_1, MAP1(SLOPE(DIGAMMA), IN(below)))) \
    R(digamma_slope_32, 2e-7, TRUE(polygamma_1_32, MAP1(SLOPE(DIGAMMA), IN(below_32)))) \
    R(digamma_second, 1e-13, TRUE(polygamma_2, MAP1(SLOPE(SLOPE(DIGAMMA)), IN(below)))) \
    R(digamma_third, 1e-14, TRUE(polygamma_3, MAP1(SLOPE(SLOPE(SLOPE(DIGAMMA))), IN(below)))) \
    R(trigamma_slope, 1e-13, TRUE(polygamma_2, MAP1(SLOPE(OF(weft_unary, trigamma)), IN(below)))) \
    R(lgamma_second, 1e-14, TRUE(polygamma_1, MAP1(SLOPE(SLOPE(OF(weft_unary, weft_lgamma))), IN(below)))) \
    R(gamma_second, 1e-12, TRUE(gamma_second, MAP1(SLOPE(SLOPE(OF(weft_unary, weft_gamma))), IN(above))))
#define LARGE(R, end, tolerance) \
    R(lower##end, tolerance, TRUE(lower##end, weft_gammainc(IN(large##end), IN(near##end)))) \
    R(upper##end, tolerance, TRUE(upper##end, weft_gammaincc(IN(large##end), IN(near##end)))) \
    R(by_x##end, tolerance, TRUE(by_x##end, MAP2(BY_X(LOWER), IN(large##end), IN(near##end)))) \
    R(upper_by_x##end, tolerance, TRUE(by_x##end, MAP2(BY_X(MINUS_UPPER), IN(large##end), IN(near##end)))) \
    R(by_a##end, tolerance, TRUE(by_a##end, MAP2(BY_A(LOWER), IN(large##end), IN(near##end)))) \
    R(upper_by_a##end, tolerance, TRUE(by_a##end, MAP2(BY_A(MINUS_UPPER), IN(large##end), IN(near##end)))) \
    R(by_x_a##end, 3 * tolerance, TRUE(by_x_a##end, MAP2(BY_A(BY_X(LOWER)), IN(large##end), IN(near##end)))) \
    R(by_a_x##end, 3 * tolerance, TRUE(by_x_a##end, MAP2(BY_X(BY_A(LOWER)), IN(large##end), IN(near##end))))
#define OF_BETA(f, end) TRUE(f##end, f(IN(beta_a##end), IN(beta_b##end), IN(beta_x##end)))
#define BETA(R, end, tolerance) \
    R(betainc##end, tolerance, OF_BETA(betainc, end)) \
    R(betainc_by_x##end, tolerance, OF_BETA(betainc_by_x, end)) \
    R(betainc_by_a##end, 3 * tolerance, OF_BETA(betainc_by_a, end)) \
    R(betainc_by_b##end, 3 * tolerance, OF_BETA(betainc_by_b, end))
#define POLYGAMMA_GREAT(R, end, tolerance) \
    R(polygamma_great##end, tolerance, \
      TRUE(polygamma_great##end, weft_polygamma(IN(great_n##end), IN(great_x##end))))
#define FAR(f) f(IN(far_a), IN(far_b), IN(far_x))
#define BETA_FAR(R) \
    R(betainc_far, 1e-15, FAR(betainc)) \
    R(betainc_far_by_a, 1e-15, FAR(betainc_by_a)) \
    R(betainc_far_by_b, 1e-15, FAR(betainc_by_b)) \
    R(betainc_far_by_x, 1e-15, FAR(betainc_by_x))
#define GREAT(R) POLYGAMMA_GREAT(R, , 1e-12) POLYGAMMA_GREAT(R, _32, 2e-7) BETA_FAR(R)
#define ROWS(R) GREAT(R) BELOW(R) LARGE(R, , 1e-13) LARGE(R, _32, 2e-7) BETA(R, , 1e-13) BETA(R, _32, 2e-7)
/* clang-format on */

OPS_SUITE_OF("tests/data/gamma.txt", gamma, ROWS)
