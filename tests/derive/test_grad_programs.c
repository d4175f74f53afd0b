/* test_grad_programs.c: programs of loops, branches, batches, orders and derivatives in each other: first and
 * second derivatives against central differences, reverse against forward against reverse over reverse, run
 * op by op, compiled, and as one row of a batch. */
#include <math.h>
#include <string.h>
#include "runtime/exec/compile.h"
#include "tests/support/context_suite.h"

typedef weft_array A;
typedef struct {
    A *a, *b;
} pair;
WEFT_STRUCT(pair, WEFT_ARRAY(pair, a), WEFT_ARRAY(pair, b));
WEFT_SIGNATURE(step_fn, weft_array *, (weft_array * h, weft_array *x, WEFT_OUT weft_array **y));
WEFT_SIGNATURE(choice_fn, weft_array *, (weft_array * p, weft_array *a, weft_array *b));
WEFT_SIGNATURE(before_fn, weft_array *, (const pair *x, const pair *y));
WEFT_SIGNATURE(sorted_fn, void, (const pair *x, WEFT_OUT pair *y));

#define OF(f, sig) (weft_declare(NULL, f, sig), (f))
#define D(f)       weft_grad(NULL, weft_unary, OF(f, weft_unary), "x")

/* ---- loops and branches ---- */

static A *up(A *p, A *h, A *x)
{
    (void)p;
    return weft_mul(weft_sin(h), x);
}
static A *down(A *p, A *h, A *x)
{
    (void)p;
    return weft_sub(h, weft_mul(x, x));
}
static A *choosing_step(A *h, A *x, A **y)
{
    weft_declare(NULL, down, choice_fn);
    A *r = weft_cond(NULL, OF(up, choice_fn), down)(weft_gt(weft_sum(h), 0), h, x);
    *y = weft_mul(r, h);
    return r;
}
static A *branch_in_loop(A *x)
{
    A *y, *rows = weft_reshape(weft_concatenate(0, x, weft_mul(x, x)), 2, -1);
    A *last = weft_scan(NULL, OF(choosing_step, step_fn), "carry, 0")(weft_mul(x, 0.3), rows, &y);
    return weft_add(weft_sum(last), weft_sum(weft_mul(y, y)));
}

static A *inner(A *h, A *x) { return weft_tanh(weft_add(h, weft_mul(x, 0.5))); }
static A *outer(A *h, A *x)
{
    return weft_scan(NULL, OF(inner, weft_binary), "carry, none", .length = 3)(h, x);
}
static A *loop_in_loop(A *x)
{
    return weft_sum(weft_square(weft_scan(NULL, OF(outer, weft_binary), "carry, 0")(weft_at(x, "0"), x)));
}
static A *kept_sparsely(A *x)
{
    return weft_sum(
        weft_fori(NULL, OF(inner, weft_binary), "carry, none", .count = 6, .checkpoint = 2)(x, weft_sin(x)));
}

static A *met;
static A *meeting_step(A *h, A *x) { return weft_add(weft_mul(h, met), x); }
static A *what_a_body_meets(A *x)
{
    met = weft_sin(weft_sum(x));
    return weft_scan(NULL, OF(meeting_step, weft_binary), "carry, 0")(weft_at(x, "1"), x);
}

static A *wave(A *p, A *x)
{
    (void)p;
    return weft_mul(x, weft_sin(x));
}
static A *growth(A *p, A *x)
{
    (void)p;
    return weft_exp(x);
}
static A *one(A *x)
{
    weft_declare(NULL, growth, weft_binary);
    return weft_cond(NULL, OF(wave, weft_binary), growth)(weft_gt(x, 0.7), x);
}
static A *row(A *x) { return weft_scan(NULL, OF(inner, weft_binary), "carry, 0")(weft_at(x, "0"), x); }
static A *batch_of_loops(A *x)
{
    return weft_sum(weft_square(weft_vmap(NULL, OF(row, weft_unary), "0")(weft_outer(x, x))));
}
static A *batch_of_branches(A *x) { return weft_sum(weft_vmap(NULL, OF(one, weft_unary), "0")(x)); }
static A *mapped(A *x) { return weft_sum(weft_map(NULL, OF(one, weft_unary), "0", .batch = 3)(x)); }
static A *in_chunks(A *x) { return weft_sum(weft_soft_vmap(NULL, OF(one, weft_unary), "0", .chunk = 3)(x)); }

/* ---- derivatives in each other ---- */

static A *cubes(A *x) { return weft_sum(weft_pow(x, 3)); }
static A *scaled(A *x) { return weft_sum(weft_mul(weft_norm(x), weft_softmax(x))); }
static A *bent(A *x) { return weft_mul(weft_sin(x), weft_sum(weft_square(x))); }
static A *of_a_gradient(A *x) { return weft_sum(weft_sin(D(cubes)(x))); }
static A *of_columns(A *x)
{
    return weft_sum(weft_square(weft_jacfwd(NULL, weft_unary, OF(scaled, weft_unary), "")(x)));
}
static A *of_rows(A *x)
{
    return weft_sum(weft_sin(weft_jacrev(NULL, weft_unary, OF(bent, weft_unary), "")(x)));
}
static A *downhill(A *h, A *x) { return weft_sub(h, weft_mul(0.1, D(cubes)(weft_mul(h, x)))); }
static A *of_descent(A *x)
{
    return weft_sum(
        weft_square(weft_scan(NULL, OF(downhill, weft_binary), "carry, none", .length = 3)(x, weft_flip(x))));
}
static A *recomputed(A *x)
{
    return weft_mul(weft_checkpoint(NULL, OF(loop_in_loop, weft_unary))(x),
                    weft_checkpoint(NULL, OF(scaled, weft_unary))(x));
}

/* ---- order, indices, windows, masks ---- */

static A *before(const pair *x, const pair *y) { return weft_lt(x->a, y->a); }
static A *ordered(A *x)
{
    pair in = { weft_sin(weft_mul(x, 3)), weft_mul(x, x) }, out;
    weft_describe(NULL, pair);
    weft_sort_with(NULL, sorted_fn, OF(before, before_fn))(&in, &out);
    return weft_sum(weft_mul(out.b, weft_cumsum(out.a, 0)));
}
static A *greatest(A *x) { return weft_sum(weft_max(weft_outer(x, weft_flip(x)), .axes = "0")); }
static A *random_part(A *x)
{
    A *key = weft_key(NULL, 3);
    return weft_sum(weft_exp(weft_mul(x, weft_random_normal(key, WEFT_F64, 4))));
}
static A *copies(A *x)
{
    A *half[2];
    weft_split(x, 2, 0, half);
    return weft_sum(weft_mul(weft_repeat(half[0], 2, 0), weft_tile(half[1], 2)));
}
static A *masked(A *x)
{
    return weft_add(weft_logsumexp(weft_mul(x, 3), .where = weft_gt(x, 0.5)),
                    weft_mean(weft_div(1, x), .where = weft_gt(x, 0.5)));
}
static A *prefixes(A *x) { return weft_sum(weft_cumprod(weft_cumsum(weft_outer(x, x), 1), 0)); }
static A *windows(A *x) { return weft_sum(weft_reduce_window(weft_outer(x, x), WEFT_MUL, "2,2")); }
static A *places(A *x)
{
    A *base = weft_ones(NULL, WEFT_F64, 5), *at = weft_argsort(x, 0);
    return weft_add(weft_sum(weft_square(weft_scatter(base, at, 0, x, .with = WEFT_MUL))),
                    weft_prod(weft_add(x, weft_scatter(x, at, 0, weft_sin(x), .with = WEFT_MAX))));
}

/* clang-format off */
#define PROGRAMS(P) \
    P(branch_in_loop) P(loop_in_loop) P(kept_sparsely) P(what_a_body_meets) P(batch_of_loops) \
    P(batch_of_branches) P(mapped) P(in_chunks) P(of_a_gradient) P(of_columns) P(of_rows) P(of_descent) \
    P(recomputed) P(ordered) P(greatest) P(random_part) P(copies) P(masked) P(prefixes) P(windows) P(places)
/* clang-format on */
#define ROW(f) { #f, f },
static const struct {
    const char *name;
    weft_unary *f;
} programs[] = { PROGRAMS(ROW) };

/* ---- the check ---- */

enum { N = 4 };
static const double point[N] = { 0.31, 0.82, 1.13, 0.64 };

static void close_to(const char *name, const char *what, const A *got, const double *want, int64_t n,
                     double tolerance)
{
    if (!got || weft_count(got) != n) {
        cr_expect_fail("%s, %s: %s", name, what, weft_error(ctx) ? weft_error(ctx) : "another shape");
        weft_clear(ctx);
        return;
    }
    const double *x = weft_f64(got);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(x[i] - want[i]) <= tolerance * (1 + fabs(want[i])))) {
            cr_expect_fail("%s, %s: element %lld is %.15g, not %.15g", name, what, (long long)i, x[i],
                           want[i]);
            return;
        }
}

/* What f gives when coordinate i is moved to both sides: its derivative by it, [n] numbers every N places. */
static void difference(weft_unary *f, int i, int64_t n, double *to)
{
    double moved[N], side[2][N] = { { 0 } };
    for (int s = 0; s < 2; s++) {
        memcpy(moved, point, sizeof moved);
        moved[i] += s ? 1e-6 : -1e-6;
        A *r = f(weft_from(ctx, moved, N));
        if (r) memcpy(side[s], weft_f64(r), (size_t)n * sizeof(double));
    }
    for (int64_t k = 0; k < n; k++) to[k * N + i] = (side[1][k] - side[0][k]) / 2e-6;
}

static void check(const char *name, weft_unary *f, bool compile)
{
    double slope[N], curve[N * N];
    A *x = weft_from(ctx, point, N);
    weft_declare(ctx, f, weft_unary);
    weft_unary *g = weft_grad(ctx, weft_unary, f, "x"), *h = weft_hessian(ctx, weft_unary, f, "x");
    for (int i = 0; i < N; i++) {
        difference(f, i, 1, slope);
        difference(g, i, N, curve);
    }
    A *first = g(x), *second = h(x);
    close_to(name, "gradient", first, slope, N, 1e-7);
    close_to(name, "hessian", second, curve, N * N, 1e-7);
    if (!first || !second) return;
    close_to(name, "forward", weft_jacfwd(ctx, weft_unary, f, "x")(x), weft_f64(first), N, 1e-13);
    close_to(name, "rows of the gradient", weft_jacrev(ctx, weft_unary, g, "x")(x), weft_f64(second), N * N,
             1e-13);
    close_to(name, "in a batch", weft_at(weft_vmap(ctx, g, "0")(weft_stack_arrays(0, weft_flip(x), x)), "1"),
             weft_f64(first), N, 1e-13);
    if (!compile) return;
    close_to(name, "gradient, compiled", weft_jit(ctx, g)(x), weft_f64(first), N, 1e-13);
    close_to(name, "hessian, compiled", weft_jit(ctx, h)(x), weft_f64(second), N * N, 1e-13);
}

Test(grad_programs, first_and_second_derivatives)
{
    bool compile = have_backend();
    open_context();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check(programs[i].name, programs[i].f, compile);
    close_context_without_error();
}

/* Strict: compiled and op by op agree bit for bit. */
Test(grad_programs, strict)
{
    need_backend();
    ctx = weft_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    A *x = weft_from(ctx, point, N);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        weft_declare(ctx, programs[i].f, weft_unary);
        weft_unary *g = weft_grad(ctx, weft_unary, programs[i].f, "x"),
                   *h = weft_hessian(ctx, weft_unary, programs[i].f, "x");
        A *first = g(x), *second = h(x), *fast = weft_jit(ctx, g)(x), *fast_second = weft_jit(ctx, h)(x);
        cr_assert(first && second && fast && fast_second, "%s: %s", programs[i].name, weft_error(ctx));
        cr_expect(!memcmp(weft_f64(first), weft_f64(fast), N * sizeof(double)), "%s: gradients differ",
                  programs[i].name);
        cr_expect(!memcmp(weft_f64(second), weft_f64(fast_second), N * N * sizeof(double)),
                  "%s: hessians differ", programs[i].name);
    }
    weft_close(ctx);
}
