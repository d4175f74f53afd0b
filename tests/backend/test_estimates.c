/* test_estimates.c: one over the root, in the default mode, in lanes and alone: within 1.5 ulp of what long
 * double has, and exact at the edges, on every target that runs here.
 */
#include "weft.h"
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "tests/graphs/graphs.h"

enum { MANY = 3000 };

static weft_array *one_over_root(weft_array *x) { return weft_rsqrt(x); }
/* f32 and f64 in one kernel: vectors of both have as many lanes */
static weft_array *of_both(weft_array *x)
{
    weft_array *single = weft_astype(weft_rsqrt(weft_astype(x, WEFT_F32)), WEFT_F64);
    return weft_where(weft_eq(x, 4), single, weft_rsqrt(x));
}

static const double edges[] = { 0.0,      -0.0,    INFINITY, -INFINITY,   NAN,        -1,         4,
                                0x1p-149, DBL_MIN, DBL_MAX,  0x1p-1074,   0x3p-1074,  -0x1p-1074, FLT_MIN,
                                FLT_MAX,  1,       0.25,     0x1.8p-1030, 0x1.fp+127, 1e-40 };
enum { EDGES = sizeof edges / sizeof *edges };

static double sample(unsigned i)
{
    if (i < EDGES) return edges[i];
    unsigned bits = i * 2654435761u;
    double fraction = 1 + (bits & 0xffffff) * 0x1p-24 + i * 0x1p-45;
    return ldexp(fraction, (int)(bits >> 24) - (i % 2 ? 128 : 100));
}

/* In units of the last place of a value with so many bits. */
static double error_of(double got, double x, int digits)
{
    if (x <= 0 || !isfinite(x)) {
        double want = x == 0 ? copysign(INFINITY, x) : x > 0 ? 0 : NAN;
        return isnan(want) ? isnan(got) ? 0 : INFINITY : got == want ? 0 : INFINITY;
    }
    long double want = 1 / sqrtl(x);
    int exponent;
    frexpl(want, &exponent);
    return isnan(got) ? INFINITY : (double)(fabsl(got - want) / ldexpl(1, exponent - digits));
}

static void check(weft_context *ctx, weft_unary *f, weft_dtype t, int n)
{
    static double x[MANY];
    for (int i = 0; i < n; i++) x[i] = t == WEFT_F32 ? (float)sample((unsigned)i) : sample((unsigned)i);
    weft_array *in = weft_astype(weft_from(ctx, x, n), t);
    const double *y = weft_data(weft_astype(f(in), WEFT_F64));
    cr_assert(y, "%s", weft_error(ctx));
    for (int i = 0; i < n; i++) {
        double error = error_of(y[i], x[i], t == WEFT_F32 ? 24 : 53);
        cr_expect(error <= 1.5, "%d of %d, type %d: %a of %a is %g ulp away", i, n, t, y[i], x[i], error);
    }
}

static void check_target(const char *target)
{
    static const int lengths[] = { EDGES, 1, 2, 5, 8, 16, 33, MANY };
    setenv("WEFT_TARGET", target, 1);
    weft_context *ctx = weft_open(NULL);
    weft_scope *s = weft_scope_open(ctx);
    weft_declare(ctx, one_over_root, weft_unary);
    weft_declare(ctx, of_both, weft_unary);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int t = 0; t < 2; t++)
            check(ctx, weft_jit(ctx, one_over_root), t ? WEFT_F64 : WEFT_F32, lengths[k]);
    check(ctx, weft_jit(ctx, of_both), WEFT_F64, MANY);
    weft_scope_close(s);
    weft_close(ctx);
}

Test(estimates, one_over_root)
{
    for (int k = 0; k < TARGETS; k++)
        if (target_runs_here(target_names[k])) check_target(target_names[k]);
}
