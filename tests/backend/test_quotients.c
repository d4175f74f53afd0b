/* test_quotients.c: quotients by one number that lanes share are those of the machine, bit for bit, at edges
 * and elsewhere, on every target that runs here.
 */
#include "weft.h"
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "tests/graphs/graphs.h"

enum { MANY = 4000, DIVISORS = 400 };

static weft_array *by_one(weft_array *x, weft_array *s) { return weft_div(x, s); }
static weft_array *by_its_sum(weft_array *x) { return weft_div(x, weft_sum(x)); }

static const double edges[] = { 0.0,         -0.0,
                                INFINITY,    -INFINITY,
                                NAN,         1,
                                -1,          3,
                                DBL_MIN,     DBL_MAX,
                                -DBL_MAX,    1e-300,
                                10,          255,
                                0x1p-1074,   -0x3p-1074,
                                0x1p-900,    0x1p-901,
                                0x1p60,      7,
                                0x1p-60,     0x1.8p60,
                                0x1p-61,     -0x1.8p-850,
                                0x1.8p1023,  1 + DBL_EPSILON,
                                0x1.5p-1022, 2 - DBL_EPSILON };
enum { EDGES = sizeof edges / sizeof *edges };

/* Edges, then numbers of many sizes, most of them of a usual one; all ones or all zeros at the end of
                                some. */
static double sample(unsigned i)
{
    if (i < EDGES) return edges[i];
    uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 29;
    bits *= 0xbf58476d1ce4e5b9u;
    double fraction = 1 + (double)(bits >> 12) * 0x1p-52;
    if (i % 5 == 0) fraction = 2 - (double)(bits >> 58) * 0x1p-52;
    return ldexp(i % 3 ? fraction : -fraction, i % 7 ? (int)(bits & 15) : (int)(bits % 2040) - 1020);
}

static void expect_quotients(weft_array *got, const double *x, double s, const char *target)
{
    const double *q = weft_data(got);
    cr_assert(q);
    for (int i = 0; i < MANY; i++) {
        double want = x[i] / s;
        bool same = isnan(want) ? isnan(q[i]) : q[i] == want && signbit(q[i]) == signbit(want);
        cr_expect(same, "%s: %a / %a is %a, not %a", target, x[i], s, want, q[i]);
    }
}

static void check_target(const char *target, bool strict)
{
    static double x[MANY];
    setenv("WEFT_TARGET", target, 1);
    weft_context *ctx = weft_open(&(weft_options){ .mode = strict ? WEFT_MODE_STRICT : WEFT_MODE_DEFAULT });
    weft_declare(ctx, by_one, weft_binary);
    weft_declare(ctx, by_its_sum, weft_unary);
    weft_binary *divide = weft_jit(ctx, by_one);
    for (unsigned i = 0; i < MANY; i++) x[i] = sample(i);
    for (unsigned k = 0; k < DIVISORS; k++) {
        weft_scope *scope = weft_scope_open(ctx);
        double s = sample(k);
        expect_quotients(divide(weft_from(ctx, x, MANY), weft_from_shape(ctx, WEFT_F64, &s, 0, NULL)), x, s,
                         target);
        weft_scope_close(scope);
    }
    for (unsigned i = 0; i < MANY; i++) x[i] = i % 100; /* whose sum is exact */
    weft_scope *scope = weft_scope_open(ctx);
    expect_quotients((weft_jit(ctx, by_its_sum))(weft_from(ctx, x, MANY)), x, MANY / 2 * 99., target);
    weft_scope_close(scope);
    weft_close(ctx);
}

Test(quotients, by_one_number)
{
    for (int k = 0; k < TARGETS; k++)
        for (int strict = 0; strict < 2 && target_runs_here(target_names[k]); strict++)
            check_target(target_names[k], strict);
}
