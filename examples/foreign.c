/* foreign.c: a C routine from elsewhere in a program that is mapped, differentiated and compiled: what does a
 * rod conduct, if one has only seen how warm it gets?
 *
 * Heat in a rod of CELLS cells, its ends kept at 0, is a tridiagonal system of equations: what flows into a
 * cell from its neighbours, k (T_next - T), is what is put in. The solver is plain C that weft knows nothing
 * of; a derivative rule beside it is three lines of algebra. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "weft.h"

enum { CELLS = 32, TESTS = 6, STEPS = 400 };

/* ---- from elsewhere: Thomas's algorithm. x holds the right-hand side, then the solution; lower[0] and
 * upper[n - 1] play no part ---- */

static int solve_tridiagonal(int n, const double *lower, const double *diagonal, const double *upper,
                             double *x)
{
    double *ratio = malloc((size_t)n * sizeof *ratio);
    if (!ratio) return 1;
    for (int i = 0; i < n; i++) {
        double pivot = diagonal[i] - (i ? lower[i] * ratio[i - 1] : 0);
        ratio[i] = upper[i] / pivot;
        x[i] = (x[i] - (i ? lower[i] * x[i - 1] : 0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--) x[i] -= ratio[i] * x[i + 1];
    free(ratio);
    return 0;
}

/* ---- as a function of arrays: its type once more, and which parameter is what (main) ---- */

WEFT_SIGNATURE(solve_c, int,
               (int n, const double *lower, const double *diagonal, const double *upper, double *x));
WEFT_SIGNATURE(solve_fn, weft_array *,
               (weft_array * lower, weft_array *diagonal, weft_array *upper, weft_array *right));

static solve_fn *solve_op, *solve; /* without and with derivatives */

/* ---- its derivative: if A x = r, then the cotangent of r solves the transposed system, and that of A is its
 * negative outer product with x ---- */

static weft_array *before(weft_array *x) { return weft_pad(x, 0, "1:-1"); } /* 0 x[0] x[1] ... */
static weft_array *after(weft_array *x) { return weft_pad(x, 0, "-1:1"); }  /* x[1] x[2] ... 0 */

WEFT_SIGNATURE(forward_fn, weft_array *,
               (weft_array * lower, weft_array *diagonal, weft_array *upper, weft_array *right,
                WEFT_OUT weft_array **l, WEFT_OUT weft_array **d, WEFT_OUT weft_array **u,
                WEFT_OUT weft_array **x));
WEFT_SIGNATURE(backward_fn, weft_array *,
               (weft_array * l, weft_array *d, weft_array *u, weft_array *x, weft_array *dx,
                WEFT_OUT weft_array **dd, WEFT_OUT weft_array **du, WEFT_OUT weft_array **dr));

static weft_array *forward(weft_array *lower, weft_array *diagonal, weft_array *upper, weft_array *right,
                           weft_array **l, weft_array **d, weft_array **u, weft_array **x)
{
    *l = lower, *d = diagonal, *u = upper;
    return *x = solve_op(lower, diagonal, upper, right);
}

static weft_array *backward(weft_array *l, weft_array *d, weft_array *u, weft_array *x, weft_array *dx,
                            weft_array **dd, weft_array **du, weft_array **dr)
{
    weft_array *minus = weft_neg(*dr = solve_op(before(u), d, after(l), dx));
    *dd = weft_mul(minus, x);
    *du = weft_mul(minus, after(x));
    return weft_mul(minus, before(x));
}

/* ---- the rod ---- */

typedef struct {
    weft_array *log_k;
} rod; /* [CELLS + 1]: between the cells, and to the ends */
WEFT_STRUCT(rod, WEFT_ARRAY(rod, log_k));
WEFT_OPT_STATE(rod_state, rod);

/* How warm the cells get, for one way to heat them. */
WEFT_SIGNATURE(warmth_fn, weft_array *, (const rod *r, weft_array *heat));
static weft_array *warmth(const rod *r, weft_array *heat)
{
    weft_array *k = weft_exp(r->log_k), *left = weft_at(k, ":-1"), *right = weft_at(k, "1:");
    return solve(weft_neg(left), weft_add(left, right), weft_neg(right), heat);
}

WEFT_SIGNATURE(loss_fn, weft_array *, (const rod *r, weft_array *heat, weft_array *seen));
static weft_array *loss(const rod *r, weft_array *heat, weft_array *seen)
{
    weft_array *wrong = weft_sub(weft_vmap(NULL, warmth, "none, 0")(r, heat), seen);
    return weft_mean(weft_square(wrong));
}

WEFT_SIGNATURE(gradient_fn, weft_array *,
               (const rod *r, weft_array *heat, weft_array *seen, WEFT_OUT rod *dr));
WEFT_SIGNATURE(step_fn, weft_array *, (rod * r, rod_state *s, weft_array *heat, weft_array *seen));
static weft_array *step(rod *r, rod_state *s, weft_array *heat, weft_array *seen)
{
    rod dr;
    weft_array *value = weft_value_and_grad(NULL, gradient_fn, loss, "r")(r, heat, seen, &dr);
    weft_opt_update(NULL, weft_adam(.rate = 0.03), rod_state, r, &dr, s);
    return value;
}

/* The derivative of the loss by one conductivity, by differences. */
static double difference(weft_array *log_k, int i, weft_array *heat, weft_array *seen)
{
    double value[2], h = 1e-5;
    for (int side = 0; side < 2; side++) {
        weft_array *shift = weft_set(weft_zeros_like(log_k), "%d", side ? h : -h, i);
        value[side] = weft_item(loss(&(rod){ weft_add(log_k, shift) }, heat, seen));
    }
    return (value[1] - value[0]) / (2 * h);
}

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, rod_state);
    weft_declare(ctx, forward, forward_fn);
    weft_declare(ctx, backward, backward_fn);
    weft_declare(ctx, warmth, warmth_fn);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, step, step_fn);
    solve_op = weft_foreign(ctx, solve_fn, solve_tridiagonal, solve_c,
                            "lower[n], diagonal[n], upper[n], x[n] -> x[n]", .batch = WEFT_BATCH_LOOP);
    solve = weft_custom_vjp(ctx, solve_op, forward, backward);

    double truth[CELLS + 1], heating[TESTS][CELLS] = { { 0 } };
    /* a part that conducts badly */
    for (int i = 0; i <= CELLS; i++) truth[i] = i > 8 && i < 16 ? -1 : 0.5 * sin(0.3 * i);
    for (int t = 0; t < TESTS; t++) heating[t][(2 * t + 1) * CELLS / (2 * TESTS)] = 1;
    weft_array *heat = weft_from(ctx, *heating, TESTS, CELLS), *real = weft_from(ctx, truth, CELLS + 1);
    weft_array *seen = weft_vmap(ctx, warmth, "none, 0")(&(rod){ real }, heat);

    rod r = { weft_zeros(ctx, WEFT_F64, CELLS + 1) }, dr;
    weft_value_and_grad(ctx, gradient_fn, loss, "r")(&r, heat, seen, &dr);
    double rule = weft_item(weft_at(dr.log_k, "12")), differences = difference(r.log_k, 12, heat, seen);
    printf("derivative by conductivity 12: %.6f by the rule, %.6f by differences\n", rule, differences);

    rod_state s;
    step_fn *fast = weft_jit(ctx, step);
    weft_opt_init(ctx, weft_adam(.rate = 0.03), rod_state, &r, &s);
    double first = 0, last = 0;
    for (int i = 0; i < STEPS; i++) {
        last = weft_item(fast(&r, &s, heat, seen));
        if (i == 0) first = last;
    }
    double off = weft_item(weft_max(weft_abs(weft_sub(r.log_k, real))));
    printf("loss %.3g, after %d steps %.3g; log of the conductivities off by %.3f at most; traced %d times\n",
           first, STEPS, last, off, (int)weft_stats(ctx).traces);
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    bool good = !weft_error(ctx) && last < 1e-3 * first && fabs(rule - differences) < 1e-4;
    weft_clear(ctx);
    weft_close(ctx);
    return !good;
}
