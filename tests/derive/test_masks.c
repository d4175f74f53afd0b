/* test_masks.c: reductions under a mask. What is masked does not matter at all, whatever it holds: results,
 * first and second derivatives are those of the valid elements alone, and exactly 0 for the others; of
 * nothing they are defined. At once, compiled, under vmap, in a scan; and a mask is data: a thousand of them
 * are one compile. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/context_suite.h"

enum { N = 6, BATCH = 8 };

/* ---- functions of one row and its mask; by number, so that they are one function ---- */

/* clang-format off */
#define REDUCTIONS(R) \
    R(sum, weft_sum(x, .where = m), 0) R(prod, weft_prod(x, .where = m), 1) \
    R(mean, weft_mean(x, .where = m), 0) R(var, weft_var(x, .where = m), 0) \
    R(var_1, weft_var(x, .where = m, .ddof = 1), 0) R(std, weft_std(x, .where = m), 0) \
    R(std_1, weft_std(x, .where = m, .ddof = 1), 0) R(norm, weft_norm(x, .where = m), 0) \
    R(norm_1, weft_norm(x, .where = m, .ord = 1), 0) \
    R(norm_3, weft_norm(x, .where = m, .ord = 3), 0) \
    R(norm_half, weft_norm(x, .where = m, .ord = 0.5), 0) \
    R(norm_inf, weft_norm(x, .where = m, .ord = INFINITY), 0) \
    R(max, weft_max(x, .where = m), -INFINITY) R(min, weft_min(x, .where = m), INFINITY) \
    R(norm_least, weft_norm(x, .where = m, .ord = -INFINITY), INFINITY) \
    R(logsumexp, weft_logsumexp(x, .where = m), -INFINITY) \
    R(softmax, first_of(weft_softmax(x, .where = m), m), 0) \
    R(log_softmax, first_of(weft_log_softmax(x, .where = m), m), 0) \
    R(square_of_mean, weft_square(weft_sub(weft_mean(x, .where = m, .keep = true), 1)), 1)
/* clang-format on */

/* Element number 0 of those that are valid, or 0: in a row of them alone element number 0. */
static weft_array *first_of(weft_array *x, weft_array *m)
{
    if (!m) return weft_at(x, "0");
    weft_array *order = weft_where(m, weft_arange(NULL, 0, weft_dim(m, 0), 1), 1000);
    return weft_sum(weft_where(weft_logical_and(m, weft_eq(order, weft_min(order))), x, 0));
}

#define NUMBER(name, call, nothing) OP_##name,
#define CASE(name, call, nothing) \
    case OP_##name: return weft_sum(call);
#define NAME(name, call, nothing)    #name,
#define NOTHING(name, call, nothing) nothing,
enum { REDUCTIONS(NUMBER) OPS };
static const char *const op_name[] = { REDUCTIONS(NAME) };
static const double of_nothing[] = { REDUCTIONS(NOTHING) };

static weft_array *reduced(weft_array *x, weft_array *m, int op)
{
    switch (op) {
        REDUCTIONS(CASE) default : return NULL;
    }
}

WEFT_SIGNATURE(masked_fn, weft_array *, (weft_array * x, weft_array *m, int op));
WEFT_SIGNATURE(masked_grad, weft_array *, (weft_array * x, weft_array *m, int op, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(plain_fn, weft_array *, (weft_array * x, int op));
WEFT_SIGNATURE(plain_grad, weft_array *, (weft_array * x, int op, WEFT_OUT weft_array **dx));
static weft_array *masked(weft_array *x, weft_array *m, int op) { return reduced(x, m, op); }
static weft_array *plain(weft_array *x, int op) { return reduced(x, NULL, op); }

static void setup(void)
{
    open_context();
    weft_declare(ctx, masked, masked_fn);
    weft_declare(ctx, plain, plain_fn);
}

TestSuite(masks, .init = setup, .fini = close_context_without_error);

/* ---- rows: which elements are valid, and what the others hold ---- */

static const double row[N] = { 0.5, -1.25, 2, 0.75, -0.5, 1.5 };
static const unsigned patterns[BATCH] = { 0, 0x3f, 0x01, 0x20, 0x2c, 0x15, 0x3e, 0x12 };
static const double poisons[] = { NAN, INFINITY, -INFINITY, 0, 6e4 };

typedef struct Case {
    weft_array *x, *m, *valid;
    int at[N], n;
} Case; /* valid: the valid elements alone */

static Case a_case(weft_dtype t, unsigned pattern, double poison)
{
    Case c = { .n = 0 };
    double x[N], valid[N];
    bool m[N];
    for (int i = 0; i < N; i++) {
        m[i] = pattern >> i & 1;
        x[i] = m[i] ? row[i] : poison;
        if (m[i]) valid[c.n] = row[i], c.at[c.n++] = i;
    }
    c.x = weft_astype(weft_from(ctx, x, N), t);
    c.m = weft_from(ctx, m, N);
    c.valid = weft_astype(weft_from(ctx, valid, c.n), t);
    return c;
}

static bool close_to(double got, double want, double tolerance)
{
    return (isnan(got) && isnan(want)) || got == want || fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static double tolerance_of(weft_dtype t)
{
    return t == WEFT_F64 ? 1e-12 : t == WEFT_F32 ? 1e-5 : t == WEFT_F16 ? 4e-3 : 3e-2;
}

/* got [N, ...]: rows of valid elements as want's, the others 0. width: elements in a row of got; 1 for
 * gradients, N for second derivatives. */
static void expect_only_valid(const char *what, const Case *c, weft_array *got, weft_array *want,
                              double tolerance)
{
    const double *g = weft_f64(weft_astype(got, WEFT_F64)),
                 *w = want ? weft_f64(weft_astype(want, WEFT_F64)) : NULL;
    int64_t width = weft_rank(got) == 2 ? N : 1;
    double full[N * N] = { 0 };
    for (int i = 0; i < c->n && w; i++)
        for (int k = 0; k < (width > 1 ? c->n : 1); k++)
            full[c->at[i] * width + (width > 1 ? c->at[k] : 0)] = width > 1 ? w[i * c->n + k] : w[i];
    for (int i = 0; i < N * width; i++)
        cr_expect(close_to(g[i], full[i], tolerance), "%s: element %d is %.17g, not %.17g", what, i, g[i],
                  full[i]);
}

static void check_case(masked_grad *f, plain_grad *alone, weft_dtype t, unsigned pattern, double poison,
                       int op, const char *how)
{
    char what[160];
    snprintf(what, sizeof what, "%s, %s, pattern %02x, %g, type %d", op_name[op], how, pattern, poison, t);
    weft_scope *s = weft_scope_open(ctx);
    Case c = a_case(t, pattern, poison);
    bool enough = c.n > (op == OP_var_1 || op == OP_std_1);
    weft_array *dx = NULL, *want_dx = NULL, *value = f(c.x, c.m, op, &dx),
               *want = enough ? alone(c.valid, op, &want_dx) : NULL;
    cr_assert_not_null(dx, "%s: %s", what, weft_error(ctx));
    cr_expect_eq((int)weft_dtype_of(dx), (int)t);
    double expected = enough ? weft_item(want) : of_nothing[op];
    cr_expect(close_to(weft_item(value), expected, tolerance_of(t)), "%s: %.17g, not %.17g", what,
              weft_item(value), expected);
    expect_only_valid(what, &c, dx, want_dx, tolerance_of(t));
    weft_scope_close(s);
}

static void check_all(masked_grad *f, plain_grad *alone, weft_dtype t, const char *how)
{
    for (int op = 0; op < OPS; op++)
        for (int i = 0; i < BATCH; i++)
            for (size_t k = 0; k < sizeof poisons / sizeof *poisons; k++)
                check_case(f, alone, t, patterns[i], poisons[k], op, how);
}

Test(masks, values_and_gradients_at_once)
{
    static const weft_dtype types[] = { WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64 };
    masked_grad *f = weft_value_and_grad(ctx, masked_grad, masked, "x");
    plain_grad *alone = weft_value_and_grad(ctx, plain_grad, plain, "x");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) check_all(f, alone, types[t], "at once");
}

Test(masks, values_and_gradients_compiled)
{
    static const weft_dtype types[] = { WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64 };
    if (!have_backend()) cr_skip_test("no compiler back end");
    masked_grad *f = weft_jit(ctx, weft_value_and_grad(ctx, masked_grad, masked, "x"));
    plain_grad *alone = weft_value_and_grad(ctx, plain_grad, plain, "x");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) check_all(f, alone, types[t], "compiled");
}

/* Eight masks over one row, and over eight rows. */
static void check_batch(masked_grad *all, masked_grad *one, bool many_rows, int op)
{
    Case c[BATCH];
    const weft_array *m[BATCH], *x[BATCH];
    for (int i = 0; i < BATCH; i++)
        c[i] = a_case(WEFT_F32, patterns[i], many_rows ? NAN : 0), m[i] = c[i].m, x[i] = c[i].x;
    weft_array *same = weft_astype(weft_from(ctx, row, N), WEFT_F32), *dxs, *dx;
    weft_array *values = all(many_rows ? weft_stack_arrays_(0, BATCH, x, NULL) : same,
                             weft_stack_arrays_(0, BATCH, m, NULL), op, &dxs);
    cr_assert_not_null(values, "%s: %s", op_name[op], weft_error(ctx));
    for (int i = 0; i < BATCH; i++) {
        weft_array *value = one(many_rows ? c[i].x : same, c[i].m, op, &dx);
        cr_expect(close_to((double)weft_f32(values)[i], weft_item(value), 1e-5),
                  "%s of mask %d under vmap: %g", op_name[op], i, (double)weft_f32(values)[i]);
        for (int k = 0; k < N; k++)
            cr_expect(close_to((double)weft_f32(dxs)[i * N + k], (double)weft_f32(dx)[k], 1e-5),
                      "%s: gradient %d of mask %d is %g, not %g", op_name[op], k, i,
                      (double)weft_f32(dxs)[i * N + k], (double)weft_f32(dx)[k]);
    }
}

Test(masks, under_vmap)
{
    masked_grad *one = weft_value_and_grad(ctx, masked_grad, masked, "x"),
                *masks = weft_vmap(ctx, one, "none, 0"), *both = weft_vmap(ctx, one, "0, 0");
    for (int op = 0; op < OPS; op++) {
        check_batch(masks, one, false, op);
        check_batch(both, one, true, op);
        if (!have_backend()) continue;
        check_batch(weft_jit(ctx, masks), one, false, op);
        check_batch(weft_jit(ctx, both), one, true, op);
    }
}

/* The root of a variance of 0 has none. */
Test(masks, second_order)
{
    masked_fn *f = weft_hessian(ctx, masked_fn, masked, "x");
    plain_fn *alone = weft_hessian(ctx, plain_fn, plain, "x");
    for (int op = 0; op < OPS; op++)
        for (int i = 0; i < BATCH; i++)
            for (size_t k = 0; k < sizeof poisons / sizeof *poisons; k++) {
                char what[120];
                snprintf(what, sizeof what, "second derivative of %s, pattern %02x, %g", op_name[op],
                         patterns[i], poisons[k]);
                weft_scope *s = weft_scope_open(ctx);
                Case c = a_case(WEFT_F64, patterns[i], poisons[k]);
                weft_array *h = f(c.x, c.m, op);
                cr_assert_not_null(h, "%s: %s", what, weft_error(ctx));
                if (op != OP_std || c.n != 1)
                    expect_only_valid(what, &c, h, c.n ? alone(c.valid, op) : NULL, 1e-10);
                weft_scope_close(s);
            }
}

/* ---- in a scan: a mask for each step, one of them empty ---- */

WEFT_SIGNATURE(scanned_fn, weft_array *, (weft_array * x, weft_array *masks));
WEFT_SIGNATURE(scanned_grad, weft_array *, (weft_array * x, weft_array *masks, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(scan_step_fn, weft_array *, (weft_array * sum, weft_array *x, weft_array *m));
static weft_array *scan_step(weft_array *sum, weft_array *x, weft_array *m)
{
    return weft_add(weft_mul(sum, 0.5), weft_mean(x, .where = m));
}
static weft_array *scanned(weft_array *x, weft_array *masks)
{
    return weft_scan(NULL, scan_step, "carry, none, 0")(weft_zeros_like(weft_at(x, "0")), x, masks);
}

static void check_scan(scanned_grad *f, weft_array *masks, const double *x, const double *want)
{
    weft_array *dx, *value = f(weft_from(ctx, x, N), masks, &dx);
    cr_assert_not_null(value, "%s", weft_error(ctx));
    for (int i = 0; i < N; i++)
        cr_expect(close_to(weft_f64(dx)[i], want[i], 1e-12), "element %d is %g, not %g", i, weft_f64(dx)[i],
                  want[i]);
}

Test(masks, in_a_scan)
{
    double x[N], want[N] = { 0 };
    bool m[BATCH][N];
    memcpy(x, row, sizeof x);
    x[1] = NAN, x[3] = INFINITY;
    for (int i = 0; i < BATCH; i++) {
        int n = 0;
        for (int k = 0; k < N; k++) n += m[i][k] = (patterns[i] >> k & 1) && k != 1 && k != 3;
        for (int k = 0; k < N; k++) want[k] = want[k] * 0.5 + (m[i][k] ? 1.0 / n : 0);
    }
    weft_declare(ctx, scan_step, scan_step_fn);
    weft_declare(ctx, scanned, scanned_fn);
    weft_array *masks = weft_from(ctx, &m[0][0], BATCH, N);
    scanned_grad *f = weft_value_and_grad(ctx, scanned_grad, scanned, "x");
    check_scan(f, masks, x, want);
    if (have_backend()) check_scan(weft_jit(ctx, f), masks, x, want);
}

/* ---- a mask is data ---- */

WEFT_SIGNATURE(mean_fn, weft_array *, (weft_array * x, weft_array *m));
WEFT_SIGNATURE(mean_grad, weft_array *, (weft_array * x, weft_array *m, WEFT_OUT weft_array **dx));
static weft_array *mean(weft_array *x, weft_array *m) { return weft_mean(x, .where = m); }

Test(masks, a_thousand_masks_one_compile)
{
    enum { LONG = 257 };
    if (!have_backend()) cr_skip_test("no compiler back end");
    weft_declare(ctx, mean, mean_fn);
    mean_grad *f = weft_jit(ctx, weft_value_and_grad(ctx, mean_grad, mean, "x"));
    float x[LONG];
    bool m[LONG] = { false };
    for (int i = 0; i < LONG; i++) x[i] = i % 5 ? (float)(i % 17) - 8 : NAN;
    weft_array *array = weft_from(ctx, x, LONG), *dx;
    cr_assert_not_null(f(array, weft_from(ctx, m, LONG), &dx), "%s", weft_error(ctx));
    weft_counters before = weft_stats(ctx);
    weft_forbid_compiling(ctx, true);
    uint32_t random = 1;
    for (int k = 0; k < 1000; k++) {
        weft_scope *s = weft_scope_open(ctx);
        double sum = 0;
        int n = 0;
        for (int i = 0; i < LONG; i++) {
            random = random * 1664525u + 1013904223u;
            m[i] = i % 5 && (random >> 16) % 1000 < (uint32_t)k;
            if (m[i]) sum += (double)x[i], n++;
        }
        weft_array *value = f(array, weft_from(ctx, m, LONG), &dx);
        cr_assert_not_null(value, "%s", weft_error(ctx));
        cr_expect(close_to(weft_item(value), n ? sum / n : 0, 1e-5));
        for (int i = 0; i < LONG; i++) cr_assert_eq(weft_f32(dx)[i], m[i] ? (float)(1.0 / n) : 0);
        weft_scope_close(s);
    }
    weft_counters after = weft_stats(ctx);
    cr_expect_eq(after.traces, before.traces);
    cr_expect_eq(after.compiles, before.compiles);
    cr_expect_eq(after.hits, before.hits + 1000);
}

/* One pass that reads and one that writes; of more elements they are kernels of their own, with what folds
 * the parts between them. */
Test(masks, a_mean_and_its_gradient_are_one_kernel)
{
    if (!have_backend()) cr_skip_test("no compiler back end");
    weft_declare(ctx, mean, mean_fn);
    weft_array *x = weft_ones(ctx, WEFT_F32, 60000), *dx;
    cr_expect_eq(
        weft_item(weft_jit(ctx, weft_value_and_grad(ctx, mean_grad, mean, "x"))(x, weft_gt(x, 0), &dx)), 1);
    cr_expect_eq(weft_stats(ctx).kernels, 1, "%d kernels", (int)weft_stats(ctx).kernels);
}

/* Counts are ints: f16 and f32 would stop at 2048 and 2^24. */
Test(masks, counts_do_not_saturate)
{
    enum { MANY = 1 << 12, MORE = (1 << 24) + 4 };
    weft_array *h = weft_mean(weft_ones(ctx, WEFT_F16, MANY), .where = weft_full(ctx, WEFT_BOOL, true, MANY));
    cr_expect_eq(weft_item(h), 1);
    weft_array *x = weft_full(ctx, WEFT_F32, 1, MORE), *m = weft_full(ctx, WEFT_BOOL, true, MORE);
    cr_expect_float_eq(weft_item(weft_mean(x, .where = m)), 1, 1e-6);
    cr_expect_eq(weft_item(weft_count_nonzero(m)), MORE);
}
