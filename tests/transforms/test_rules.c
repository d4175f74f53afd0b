/* test_rules.c: rules of the user's own: derivatives, batches, C functions as ops, hooks. Rules here give ten
 * times what is true (and the like), so that a result says whether the rule made it. What a user can get
 * wrong is in test_rules_bad.c. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *b, *count;
} layer;
typedef struct {
    layer l[2];
    int scale;
} net;
typedef struct {
    weft_array **v;
    int n;
} list;
typedef struct {
    weft_array *h, *sum;
} state;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b), WEFT_ARRAY(layer, count));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_STATIC(net, scale));
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n));
WEFT_STRUCT(state, WEFT_ARRAY(state, h), WEFT_ARRAY(state, sum));

WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(unary_forward, weft_array *, (weft_array * x, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(power_fn, weft_array *, (weft_array * x, int n));
WEFT_SIGNATURE(power_jvp_fn, weft_array *, (weft_array * x, int n, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(power_forward_fn, weft_array *, (weft_array * x, int n, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(power_backward_fn, weft_array *, (int n, weft_array *kept, weft_array *dy));
WEFT_SIGNATURE(net_fn, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(net_jvp_fn, weft_array *,
               (const net *m, weft_array *x, const net *dm, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(net_forward_fn, weft_array *,
               (const net *m, weft_array *x, WEFT_OUT net *kept, WEFT_OUT weft_array **x_kept));
WEFT_SIGNATURE(net_backward_fn, weft_array *,
               (const net *m, weft_array *x, weft_array *dy, WEFT_OUT net *dm));
WEFT_SIGNATURE(net_grad_fn, weft_array *, (const net *m, weft_array *x, WEFT_OUT net *dm));
WEFT_SIGNATURE(backward_swapped, void,
               (const net *m, weft_array *x, weft_array *dy, WEFT_OUT net *dm, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(take_fn, weft_array *, (weft_array * x, weft_array *i));
WEFT_SIGNATURE(take_all, weft_array *,
               (weft_array * x, weft_array *i, weft_array *dx, weft_array *di, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(take_left, weft_array *,
               (weft_array * x, weft_array *i, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(take_forward_fn, weft_array *,
               (weft_array * x, weft_array *i, WEFT_OUT weft_array **shape, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(take_backward_fn, weft_array *, (weft_array * shape, weft_array *i, weft_array *dy));
WEFT_SIGNATURE(advance_fn, weft_array *, (state * s, weft_array *x));
WEFT_SIGNATURE(advance_jvp_fn, weft_array *,
               (state * s, weft_array *x, const state *ds, weft_array *dx, WEFT_OUT weft_array **dy,
                WEFT_OUT state *dnew));
WEFT_SIGNATURE(advance_forward_fn, weft_array *, (state * s, weft_array *x, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(advance_backward_fn, void,
               (weft_array * kept, weft_array *dy, const state *ds, WEFT_OUT state *dold,
                WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(advance_grad_fn, weft_array *, (state * s, weft_array *x, WEFT_OUT state *ds));
WEFT_SIGNATURE(best_fn, weft_array *, (weft_array * x, WEFT_OUT weft_array **place));
WEFT_SIGNATURE(best_jvp_fn, weft_array *,
               (weft_array * x, weft_array *dx, WEFT_OUT weft_array **place, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(list_fn, weft_array *, (const list *l));
WEFT_SIGNATURE(list_grad_fn, void, (const list *l, WEFT_OUT list *dl));
WEFT_SIGNATURE(jvp_of_unary, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(two_grads, weft_array *, (weft_array * x, weft_array *y, WEFT_OUT weft_array **dy));

/* ---- functions and rules ---- */

static weft_array *cube(weft_array *x) { return weft_mul(x, weft_mul(x, x)); }
static weft_array *cube_jvp(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(weft_mul(weft_square(x), 30), dx);
    return cube(x);
}
static weft_array *cube_forward(weft_array *x, weft_array **kept)
{
    *kept = weft_square(x);
    return cube(x);
}
static weft_array *cube_backward(weft_array *kept, weft_array *dy)
{
    return weft_mul(weft_mul(kept, 300), dy);
}

static weft_array *power(weft_array *x, int n) { return weft_pow(x, n); }
static weft_array *power_jvp(weft_array *x, int n, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(weft_mul(weft_pow(x, n - 1), 10 * n), dx);
    return power(x, n);
}
static weft_array *power_forward(weft_array *x, int n, weft_array **kept)
{
    *kept = x;
    return power(x, n);
}
static weft_array *power_backward(int n, weft_array *kept, weft_array *dy)
{
    return weft_mul(weft_mul(weft_pow(kept, n - 1), 100 * n), dy);
}

/* sum over layers of (x w + b), times the scale; count plays no part. */
static weft_array *apply(const net *m, weft_array *x)
{
    weft_array *y = weft_add(weft_mul(x, m->l[0].w), m->l[0].b);
    return weft_mul(weft_add(y, weft_add(weft_mul(x, m->l[1].w), m->l[1].b)), m->scale);
}
static weft_array *apply_jvp(const net *m, weft_array *x, const net *dm, weft_array *dx, weft_array **dy)
{
    cr_expect_eq(weft_dtype_of(dm->l[0].count), WEFT_I32, "zeros of its own type");
    weft_array *t =
        weft_add(weft_mul(dx, weft_add(m->l[0].w, m->l[1].w)), weft_mul(x, weft_add(dm->l[0].w, dm->l[1].w)));
    *dy = weft_mul(weft_add(t, weft_add(dm->l[0].b, dm->l[1].b)), 10 * m->scale);
    return apply(m, x);
}
static weft_array *apply_forward(const net *m, weft_array *x, net *kept, weft_array **x_kept)
{
    *kept = *m;
    *x_kept = x;
    return apply(m, x);
}
static weft_array *apply_backward(const net *m, weft_array *x, weft_array *dy, net *dm)
{
    weft_array *ct = weft_mul(dy, 10 * m->scale);
    *dm = *m;
    for (int i = 0; i < 2; i++) dm->l[i] = (layer){ weft_mul(ct, x), ct, m->l[i].count };
    return weft_mul(ct, weft_add(m->l[0].w, m->l[1].w));
}
/* The same results in another order are not the same: the first is the struct's. */
static void apply_backward_void(const net *m, weft_array *x, weft_array *dy, net *dm, weft_array **dx)
{
    *dx = apply_backward(m, x, dy, dm);
}

static weft_array *take(weft_array *x, weft_array *i) { return weft_take(x, i, 0); }
static weft_array *take_jvp_all(weft_array *x, weft_array *i, weft_array *dx, weft_array *di, weft_array **dy)
{
    *dy = weft_mul(weft_take(dx, i, 0), weft_add(weft_sum(di), 10));
    return take(x, i);
}
static weft_array *take_jvp_left(weft_array *x, weft_array *i, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(weft_take(dx, i, 0), 10);
    return take(x, i);
}
static weft_array *take_forward(weft_array *x, weft_array *i, weft_array **shape, weft_array **kept)
{
    *shape = weft_zeros_like(x);
    *kept = i;
    return take(x, i);
}
static weft_array *take_backward(weft_array *shape, weft_array *i, weft_array *dy)
{
    return weft_scatter(shape, i, 0, weft_mul(dy, 100), .with = WEFT_ADD);
}

static weft_array *best(weft_array *x, weft_array **place)
{
    *place = weft_argmax(x, .axes = "0");
    return weft_max(x);
}
static weft_array *best_jvp(weft_array *x, weft_array *dx, weft_array **place, weft_array **dy)
{
    *dy = weft_mul(weft_sum(dx), 10);
    return best(x, place);
}
static weft_array *best_value(weft_array *x);

/* h += x; sum += h^2; gives h. */
static weft_array *advance(state *s, weft_array *x)
{
    s->h = weft_add(s->h, x);
    s->sum = weft_add(s->sum, weft_square(s->h));
    return s->h;
}
static weft_array *advance_jvp(state *s, weft_array *x, const state *ds, weft_array *dx, weft_array **dy,
                               state *dnew)
{
    weft_array *y = advance(s, x);
    dnew->h = weft_add(ds->h, dx);
    dnew->sum = weft_add(ds->sum, weft_mul(weft_mul(y, 20), dnew->h));
    *dy = dnew->h;
    return y;
}
static weft_array *advance_forward(state *s, weft_array *x, weft_array **kept)
{
    return *kept = advance(s, x);
}
static void advance_backward(weft_array *kept, weft_array *dy, const state *ds, state *dold, weft_array **dx)
{
    *dx = weft_add(weft_add(dy, ds->h), weft_mul(weft_mul(kept, 20), ds->sum));
    *dold = (state){ *dx, ds->sum };
}

static weft_unary *F, *V, *B; /* with a jvp, a vjp, a batching rule */
static weft_array *use_f(weft_array *x) { return weft_sum(F(x)); }
static weft_array *use_v(weft_array *x) { return weft_sum(V(x)); }
static weft_array *use_b(weft_array *x) { return weft_sum(B(x)); }

static weft_array *cube_batch(weft_array *x) { return weft_add(cube(x), 1000); }

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, list);
    weft_describe(ctx, state);
    weft_declare(ctx, cube, weft_unary);
    weft_declare(ctx, cube_jvp, unary_jvp);
    weft_declare(ctx, cube_forward, unary_forward);
    weft_declare(ctx, cube_backward, weft_binary);
    weft_declare(ctx, cube_batch, weft_unary);
    weft_declare(ctx, use_f, weft_unary);
    weft_declare(ctx, use_v, weft_unary);
    weft_declare(ctx, use_b, weft_unary);
    F = weft_custom_jvp(ctx, cube, cube_jvp);
    V = weft_custom_vjp(ctx, cube, cube_forward, cube_backward);
    B = weft_custom_vmap(ctx, cube, cube_batch);
}

TestSuite(rules, .init = setup, .fini = close_context_without_error);

/* ---- derivatives ---- */

Test(rules, a_rule_changes_derivatives_only)
{
    weft_array *x = ARRAY(1, 2, -3);
    BOTH
    {
        EXPECT(MAYBE_JIT(F)(x), 1, 8, -27);
        EXPECT(MAYBE_JIT(V)(x), 1, 8, -27);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, F, "0"))(x), 1, 8, -27);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, V, "0"))(x), 1, 8, -27);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, use_f, ""))(x), 30, 120, 270);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, use_v, ""))(x), 300, 1200, 2700);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_f, ""), "0"))(x), 30, 120, 270);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_v, ""), "0"))(x), 300, 1200, 2700);
    }
}

static weft_array *mapped_f(weft_array *x) { return weft_sum(weft_vmap(NULL, F, "0")(x)); }
static weft_array *mapped_v(weft_array *x) { return weft_sum(weft_vmap(NULL, V, "0")(x)); }

Test(rules, grad_of_what_is_mapped)
{
    weft_array *x = ARRAY(1, 2, -3);
    weft_declare(ctx, mapped_f, weft_unary);
    weft_declare(ctx, mapped_v, weft_unary);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, mapped_f, ""))(x), 30, 120, 270);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, mapped_v, ""))(x), 300, 1200, 2700);
    }
}

static weft_array *slope_f(weft_array *x) { return weft_sum(weft_grad(NULL, weft_unary, use_f, "")(x)); }
static weft_array *slope_v(weft_array *x) { return weft_sum(weft_grad(NULL, weft_unary, use_v, "")(x)); }

/* The derivative of what the rule computes. */
Test(rules, second_order)
{
    weft_array *x = ARRAY(1, 2, -3);
    weft_declare(ctx, slope_f, weft_unary);
    weft_declare(ctx, slope_v, weft_unary);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, slope_f, ""))(x), 60, 120, -180);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, slope_v, ""))(x), 600, 1200, -1800);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, slope_v, ""), "0"))(x), 600, 1200, -1800);
    }
    EXPECT(weft_hessian(ctx, weft_unary, use_f, "")(x), 60, 0, 0, 0, 120, 0, 0, 0, -180);
    EXPECT(weft_hessian(ctx, weft_unary, use_v, "")(x), 600, 0, 0, 0, 1200, 0, 0, 0, -1800);
}

Test(rules, forward_mode_of_a_jvp)
{
    weft_array *x = ARRAY(1, 2), *dx = ARRAY(1, 10), *dy;
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_jvp(ctx, jvp_of_unary, F, "x"))(x, dx, &dy), 1, 8);
        EXPECT(dy, 30, 1200);
    }
    EXPECT(weft_jacfwd(ctx, weft_unary, F, "")(x), 30, 0, 0, 120);
    EXPECT(weft_jacrev(ctx, weft_unary, V, "")(x), 300, 0, 0, 1200);
}

static power_fn *P, *PV;
static weft_array *use_p(weft_array *x, int n) { return weft_sum(P(x, n)); }
static weft_array *use_pv(weft_array *x, int n) { return weft_sum(PV(x, n)); }

Test(rules, static_numbers)
{
    weft_declare(ctx, power, power_fn);
    weft_declare(ctx, power_jvp, power_jvp_fn);
    weft_declare(ctx, power_forward, power_forward_fn);
    weft_declare(ctx, power_backward, power_backward_fn);
    weft_declare(ctx, use_p, power_fn);
    weft_declare(ctx, use_pv, power_fn);
    P = weft_custom_jvp(ctx, power, power_jvp);
    PV = weft_custom_vjp(ctx, power, power_forward, power_backward);
    weft_array *x = ARRAY(2, 3);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_grad(ctx, power_fn, use_p, ""))(x, 2), 40, 60);
        EXPECT(MAYBE_JIT(weft_grad(ctx, power_fn, use_p, ""))(x, 3), 120, 270);
        EXPECT(MAYBE_JIT(weft_grad(ctx, power_fn, use_pv, ""))(x, 3), 1200, 2700);
    }
}

static net_fn *N;
static weft_array *use_n(const net *m, weft_array *x) { return weft_sum(N(m, x)); }

static net a_net(void)
{
    weft_array *count = weft_scalar_as(ctx, WEFT_I32, 7);
    return (net){ .l = { { ARRAY(1, 2), ARRAY(3, 4), count }, { ARRAY(5, 6), ARRAY(7, 8), count } },
                  .scale = 2 };
}

static void check_net(int line)
{
    net m = a_net(), dm;
    weft_array *x = ARRAY(1, 10), *dx;
    net_grad_fn *grad = weft_grad(ctx, net_grad_fn, use_n, "x, m");
    EXPECT(N(&m, x), 32, 184);
    BOTH
    {
        dx = MAYBE_JIT(grad)(&m, x, &dm);
        expect_numbers(line, dx, 2, (double[]){ 120, 160 });
        expect_numbers(line, dm.l[0].w, 2, (double[]){ 20, 200 });
        expect_numbers(line, dm.l[1].b, 2, (double[]){ 20, 20 });
        cr_expect_eq(weft_dtype_of(dm.l[1].count), WEFT_I32);
        expect_numbers(line, dm.l[1].count, 1, (double[]){ 0 });
    }
}

Test(rules, structs_with_integers_and_numbers)
{
    weft_declare(ctx, apply, net_fn);
    weft_declare(ctx, apply_jvp, net_jvp_fn);
    weft_declare(ctx, apply_forward, net_forward_fn);
    weft_declare(ctx, use_n, net_fn);
    N = weft_custom_jvp(ctx, apply, apply_jvp);
    check_net(__LINE__);
}

/* The first result is a struct, so nothing is returned. */
Test(rules, reverse_rule_over_structs)
{
    weft_declare(ctx, apply, net_fn);
    weft_declare(ctx, apply_forward, net_forward_fn);
    weft_declare(ctx, apply_backward_void, backward_swapped);
    weft_declare(ctx, use_n, net_fn);
    N = weft_custom_vjp(ctx, apply, apply_forward, apply_backward_void);
    check_net(__LINE__);
}

static take_fn *T;
static weft_array *use_t(weft_array *x, weft_array *i) { return weft_sum(T(x, i)); }

Test(rules, integer_arguments_are_there_or_left_out)
{
    weft_declare(ctx, take, take_fn);
    weft_declare(ctx, take_jvp_all, take_all);
    weft_declare(ctx, take_jvp_left, take_left);
    weft_declare(ctx, take_forward, take_forward_fn);
    weft_declare(ctx, take_backward, take_backward_fn);
    weft_declare(ctx, use_t, take_fn);
    weft_array *x = ARRAY(5, 6, 7), *i = weft_from(ctx, ((int32_t[]){ 2, 0, 2 }), 3);
    take_fn *made[] = { weft_custom_jvp(ctx, take, take_jvp_all), weft_custom_jvp(ctx, take, take_jvp_left),
                        weft_custom_vjp(ctx, take, take_forward, take_backward) };
    for (int k = 0; k < 3; k++) {
        double ten = k == 2 ? 100 : 10;
        T = made[k];
        weft_forget(ctx, use_t);
        weft_declare(ctx, use_t, take_fn);
        BOTH
        {
            EXPECT(MAYBE_JIT(T)(x, i), 7, 5, 7);
            EXPECT(MAYBE_JIT(weft_grad(ctx, take_fn, use_t, ""))(x, i), ten, 0, 2 * ten);
        }
    }
}

static best_fn *best_rule;
static weft_array *best_value(weft_array *x)
{
    weft_array *place;
    return best_rule(x, &place);
}

Test(rules, integer_results_are_left_out)
{
    weft_declare(ctx, best, best_fn);
    weft_declare(ctx, best_jvp, best_jvp_fn);
    weft_declare(ctx, best_value, weft_unary);
    best_rule = weft_custom_jvp(ctx, best, best_jvp);
    weft_array *place, *x = ARRAY(1, 5, 2);
    EXPECT(best_rule(x, &place), 5);
    EXPECT(place, 1);
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, best_value, ""))(x), 10, 10, 10);
}

static advance_fn *A;
static weft_array *use_a(state *s, weft_array *x)
{
    A(s, x);
    A(s, x);
    return s->sum;
}

Test(rules, inout_structs)
{
    weft_declare(ctx, advance, advance_fn);
    weft_declare(ctx, advance_jvp, advance_jvp_fn);
    weft_declare(ctx, advance_forward, advance_forward_fn);
    weft_declare(ctx, advance_backward, advance_backward_fn);
    advance_fn *made[] = { weft_custom_jvp(ctx, advance, advance_jvp),
                           weft_custom_vjp(ctx, advance, advance_forward, advance_backward) };
    for (int k = 0; k < 2; k++) {
        A = made[k];
        weft_declare(ctx, use_a, advance_fn);
        BOTH
        {
            state s = { weft_scalar(ctx, 1), weft_scalar(ctx, 0) }, ds;
            weft_array *dx =
                MAYBE_JIT(weft_grad(ctx, advance_grad_fn, use_a, "x, s"))(&s, weft_scalar(ctx, 2), &ds);
            EXPECT(s.h, 5);
            EXPECT(s.sum, 34);
            EXPECT(dx, 20 * 3 + 20 * 5 * 2); /* 10 x of 2 h1 + 2 h2 2 */
            EXPECT(ds.h, 20 * 3 + 20 * 5);
            EXPECT(ds.sum, 1);
        }
        weft_forget(ctx, use_a);
    }
}

/* ---- what they meet ---- */

static weft_array *met;
static weft_array *scaled(weft_array *x) { return weft_mul(x, met); }
static weft_array *scaled_jvp(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(weft_mul(dx, met), 10);
    return scaled(x);
}
static weft_array *scaled_forward(weft_array *x, weft_array **kept)
{
    *kept = x;
    return scaled(x);
}
static weft_array *scaled_backward(weft_array *kept, weft_array *dy)
{
    return weft_add(weft_mul(weft_mul(dy, met), 10), weft_mul(kept, 0));
}
static weft_unary *S;
static weft_array *use_s(weft_array *x) { return weft_sum(S(x)); }

Test(rules, concrete_arrays_met_are_constants)
{
    weft_declare(ctx, scaled, weft_unary);
    weft_declare(ctx, scaled_jvp, unary_jvp);
    weft_declare(ctx, scaled_forward, unary_forward);
    weft_declare(ctx, scaled_backward, weft_binary);
    weft_declare(ctx, use_s, weft_unary);
    weft_array *x = ARRAY(1, 2);
    weft_unary *made[] = { weft_custom_jvp(ctx, scaled, scaled_jvp),
                           weft_custom_vjp(ctx, scaled, scaled_forward, scaled_backward) };
    for (int k = 0; k < 2; k++) {
        S = made[k];
        weft_forget(ctx, use_s);
        weft_declare(ctx, use_s, weft_unary);
        BOTH
        {
            met = ARRAY(3, 4);
            EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, use_s, ""))(x), 30, 40);
            EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_s, ""), "0"))(
                       weft_reshape(ARRAY(1, 2, 5, 6), 2, 2)),
                   30, 40, 30, 40);
            met = ARRAY(5, 6);
            /* op by op they are looked at anew */
            if (!compiled) EXPECT(weft_grad(ctx, weft_unary, use_s, "")(x), 50, 60);
        }
    }
}

/* The rule multiplies by a value of the function around it, which is differentiated too, one order
 * further. */
static weft_array *times_cube(weft_array *x) { return cube(x); }
static weft_array *times_jvp(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(weft_mul(weft_square(x), met), dx);
    return cube(x);
}
static weft_unary *M;
static weft_array *meet(weft_array *x)
{
    met = weft_mul(x, 2);
    return weft_sum(M(x));
}
static weft_array *meet_slope(weft_array *x) { return weft_sum(weft_grad(NULL, weft_unary, meet, "")(x)); }

Test(rules, traced_values_that_a_rule_meets_are_operands)
{
    weft_declare(ctx, times_cube, weft_unary);
    weft_declare(ctx, times_jvp, unary_jvp);
    weft_declare(ctx, meet, weft_unary);
    weft_declare(ctx, meet_slope, weft_unary);
    M = weft_custom_jvp(ctx, times_cube, times_jvp);
    weft_array *x = ARRAY(1, 3);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, meet, ""))(x), 2, 54);       /* x^2 2x */
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, meet_slope, ""))(x), 6, 54); /* 6 x^2 */
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, meet, ""), "0"))(x), 2, 54);
    }
}

/* Without a derivative by it, a function may meet what it likes. */
static weft_array *meet_self(weft_array *x)
{
    met = weft_mul(x, 2);
    return weft_sum(S(x));
}
static weft_array *meet_stopped(weft_array *x)
{
    met = weft_stop_gradient(weft_mul(x, 2));
    return weft_sum(S(x));
}

Test(rules, traced_values_that_the_function_meets)
{
    weft_declare(ctx, scaled, weft_unary);
    weft_declare(ctx, scaled_jvp, unary_jvp);
    weft_declare(ctx, meet_self, weft_unary);
    weft_declare(ctx, meet_stopped, weft_unary);
    S = weft_custom_jvp(ctx, scaled, scaled_jvp);
    weft_array *x = ARRAY(1, 3);
    BOTH
    {
        EXPECT(MAYBE_JIT(meet_self)(x), 20);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, meet_self, "0"))(x), 2, 18);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, meet_stopped, ""))(x), 20, 60);
    }
}

/* A rule may call the new function: for derivatives of higher order it is there again. */
static weft_unary *E;
static weft_array *growth(weft_array *x) { return weft_exp(weft_stop_gradient(x)); }
static weft_array *growth_jvp(weft_array *x, weft_array *dx, weft_array **dy)
{
    weft_array *y = E(x);
    *dy = weft_mul(weft_mul(y, 2), dx);
    return y;
}
static weft_array *growth_forward(weft_array *x, weft_array **kept)
{
    *kept = x;
    return E(x);
}
static weft_array *growth_backward(weft_array *kept, weft_array *dy)
{
    return weft_mul(weft_mul(E(kept), 2), dy);
}
static weft_array *growth_1(weft_array *x) { return weft_grad(NULL, weft_unary, E, "")(x); }
static weft_array *growth_2(weft_array *x) { return weft_grad(NULL, weft_unary, growth_1, "")(x); }

Test(rules, a_rule_calls_the_function)
{
    weft_declare(ctx, growth, weft_unary);
    weft_declare(ctx, growth_jvp, unary_jvp);
    weft_declare(ctx, growth_forward, unary_forward);
    weft_declare(ctx, growth_backward, weft_binary);
    weft_unary *made[] = { weft_custom_jvp(ctx, growth, growth_jvp),
                           weft_custom_vjp(ctx, growth, growth_forward, growth_backward) };
    weft_array *zero = weft_scalar(ctx, 0);
    for (int k = 0; k < 2; k++) {
        E = made[k];
        weft_declare(ctx, growth_1, weft_unary);
        weft_declare(ctx, growth_2, weft_unary);
        BOTH
        {
            EXPECT(MAYBE_JIT(E)(zero), 1);
            EXPECT(MAYBE_JIT(growth_1)(zero), 2);
            EXPECT(MAYBE_JIT(growth_2)(zero), 4);
            EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, growth_2, ""))(zero), 8);
        }
        weft_forget(ctx, growth_1);
        weft_forget(ctx, growth_2);
    }
}

/* ---- in control flow ---- */

static weft_array *step_f(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, 0.5), F(x)); }
static weft_array *step_v(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, 0.5), V(x)); }
static weft_array *scan_f(weft_array *x)
{
    return weft_scan(NULL, step_f, "carry, 0")(weft_scalar(NULL, 0), x);
}
static weft_array *scan_v(weft_array *x)
{
    return weft_scan(NULL, step_v, "carry, 0")(weft_scalar(NULL, 0), x);
}
static weft_array *yes_f(weft_array *p, weft_array *x)
{
    (void)p;
    return F(x);
}
static weft_array *no_v(weft_array *p, weft_array *x)
{
    (void)p;
    return V(x);
}
static weft_array *choose(weft_array *p, weft_array *x)
{
    return weft_sum(weft_cond(NULL, yes_f, no_v)(p, x));
}

Test(rules, in_scans_and_branches)
{
    weft_declare(ctx, step_f, weft_binary);
    weft_declare(ctx, step_v, weft_binary);
    weft_declare(ctx, scan_f, weft_unary);
    weft_declare(ctx, scan_v, weft_unary);
    weft_declare(ctx, yes_f, weft_binary);
    weft_declare(ctx, no_v, weft_binary);
    weft_declare(ctx, choose, weft_binary);
    weft_array *x = ARRAY(1, 2, 3), *xx = weft_reshape(ARRAY(1, 2, 3, 1, 1, 1), 2, 3);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, scan_f, ""))(x), 7.5, 60, 270);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, scan_v, ""))(x), 75, 600, 2700);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, scan_v, ""), "0"))(xx), 75, 600, 2700, 75,
               150, 300);
        for (int yes = 0; yes < 2; yes++) {
            double ten = yes ? 10 : 100;
            EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, choose, "y"))(weft_scalar(ctx, yes), x), 3 * ten,
                   12 * ten, 27 * ten);
        }
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_binary, choose, "y"), "0"))(
                   ARRAY(1, 0), weft_reshape(ARRAY(1, 2, 1, 2), 2, 2)),
               30, 120, 300, 1200);
    }
}

/* ---- batches ---- */

static weft_array *step_b(weft_array *h, weft_array *x) { return weft_add(weft_mul(h, 0.5), B(x)); }
static weft_array *scan_b(weft_array *x)
{
    return weft_scan(NULL, step_b, "carry, 0")(weft_scalar(NULL, 0), x);
}
static weft_array *yes_b(weft_array *p, weft_array *x)
{
    (void)p;
    return B(x);
}
static weft_array *no_b(weft_array *p, weft_array *x)
{
    (void)p;
    return weft_neg(x);
}
static weft_array *choose_b(weft_array *p, weft_array *x) { return weft_cond(NULL, yes_b, no_b)(p, x); }
static weft_array *map_b(weft_array *x) { return weft_sum(weft_vmap(NULL, B, "0")(x)); }

Test(rules, a_batch_is_what_the_rule_says)
{
    weft_declare(ctx, step_b, weft_binary);
    weft_declare(ctx, scan_b, weft_unary);
    weft_declare(ctx, yes_b, weft_binary);
    weft_declare(ctx, no_b, weft_binary);
    weft_declare(ctx, choose_b, weft_binary);
    weft_declare(ctx, map_b, weft_unary);
    weft_array *x = ARRAY(1, 2), *xx = weft_reshape(ARRAY(1, 2, 3, 1), 2, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(B)(x), 1, 8);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, B, "0"))(x), 1001, 1008);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, B, "1 -> 1"))(xx), 1001, 1008, 1027, 1001);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_vmap(ctx, B, "0"), "0"))(xx), 1001, 1008, 1027, 1001);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, scan_b, "0"))(xx), 1508.5, 1514.5);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, choose_b, "0"))(ARRAY(1, 0), x), 1001, -2);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, B, "none", .size = 2))(x), 1, 8, 1, 8);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, map_b, ""))(x), 3, 12);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_b, ""), "0"))(x), 3, 12);
        EXPECT(MAYBE_JIT(weft_map(ctx, B, "0"))(x), 1, 8);
        EXPECT(MAYBE_JIT(weft_map(ctx, B, "0", .batch = 2))(x), 1001, 1008);
        EXPECT(MAYBE_JIT(weft_soft_vmap(ctx, B, "0", .chunk = 2))(x), 1001, 1008);
    }
}

static weft_array *apply_batch(const net *m, weft_array *x)
{
    cr_expect_eq(weft_rank(m->l[0].w), 2, "all arrays have the batch");
    cr_expect_eq(weft_rank(m->l[0].count), 1);
    return weft_add(apply(m, x), 1000);
}

Test(rules, batches_of_structs)
{
    weft_declare(ctx, apply, net_fn);
    weft_declare(ctx, apply_batch, net_fn);
    net_fn *f = weft_vmap(ctx, weft_custom_vmap(ctx, apply, apply_batch), "none, 0");
    net m = a_net();
    weft_array *xx = weft_reshape(ARRAY(1, 10, 2, 20), 2, 2);
    BOTH EXPECT(MAYBE_JIT(f)(&m, xx), 1032, 1184, 1044, 1344);
}

static weft_array *many; /* more than fits beside the graph */
static weft_array *shifted(weft_array *x) { return weft_add(x, weft_mean(many)); }
static weft_array *shifted_batch(weft_array *x)
{
    return weft_add(weft_add(weft_add(x, met), weft_mean(many)), 100);
}

Test(rules, arrays_that_a_batching_rule_meets)
{
    weft_declare(ctx, shifted, weft_unary);
    weft_declare(ctx, shifted_batch, weft_unary);
    weft_unary *f = weft_vmap(ctx, weft_custom_vmap(ctx, shifted, shifted_batch), "0");
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        weft_scope *scope = weft_scope_open(ctx);
        weft_unary *g = MAYBE_JIT(f);
        met = ARRAY(10, 20);
        many = weft_full(ctx, WEFT_F32, 0.5, 5000);
        EXPECT(g(x), 111.5, 122.5);
        if (compiled) {
            weft_free(met);
            weft_free(many);
            EXPECT(g(x), 111.5, 122.5); /* the code keeps them */
        }
        weft_scope_close(scope);
    }
}

static weft_unary *VB;
static weft_array *use_vb(weft_array *x) { return weft_sum(VB(x)); }

Test(rules, rules_around_rules)
{
    weft_declare(ctx, use_vb, weft_unary);
    VB = weft_custom_vjp(ctx, B, cube_forward, cube_backward);
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_vmap(ctx, VB, "0"))(x), 1001, 1008);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, use_vb, ""))(x), 300, 1200);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, use_vb, ""), "0"))(x), 300, 1200);
    }
}

Test(rules, the_same_question_gives_the_same_function)
{
    cr_expect_eq(F, weft_custom_jvp(ctx, cube, cube_jvp));
    cr_expect_eq(V, weft_custom_vjp(ctx, cube, cube_forward, cube_backward));
    cr_expect_eq(B, weft_custom_vmap(ctx, cube, cube_batch));
    weft_unary *f = weft_jit(ctx, weft_grad(ctx, weft_unary, use_f, ""));
    weft_array *x = ARRAY(1, 2);
    f(x);
    weft_counters before = weft_stats(ctx);
    f(x);
    weft_counters after = weft_stats(ctx);
    cr_expect_eq(after.traces, before.traces);
    cr_expect_eq(after.compiles, before.compiles);
    cr_expect_eq(after.hits, before.hits + 1);
}

/* A rule that nothing differentiates costs no code. */
Test(rules, forward_programs_share_the_code_of_the_function)
{
    weft_array *x = ARRAY(1, 2);
    weft_jit(ctx, cube)(x);
    weft_counters before = weft_stats(ctx);
    weft_jit(ctx, F)(x);
    weft_jit(ctx, V)(x);
    weft_jit(ctx, B)(x);
    weft_counters after = weft_stats(ctx);
    cr_expect_eq(after.compiles, before.compiles);
    cr_expect_eq(after.shared, before.shared + 3);
}

/* ---- C functions from elsewhere ---- */

static int runs; /* of the functions that count them */

static void smooth(const float *x, int64_t n, float width, float *out)
{
    runs++;
    for (int64_t i = 0; i < n; i++) out[i] = x[i] * width + (i ? x[i - 1] : 0);
}
WEFT_SIGNATURE(smooth_c, void, (const float *x, int64_t n, float width, float *out));

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}
static float median(float *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, compare_floats);
    return x[n / 2];
}
WEFT_SIGNATURE(median_c, float, (float *x, int n));
WEFT_SIGNATURE(median_fn, weft_array *, (weft_array * x, WEFT_OUT weft_array **sorted));

/* y = alpha a x + beta y, as BLAS says it. */
static void gemv(char trans, int m, int n, double alpha, const double *a, int lda, const double *x, int incx,
                 double beta, double *y, int incy)
{
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += (trans == 'T' ? a[i * lda + j] : a[j * lda + i]) * x[j * incx];
        y[i * incy] = alpha * sum + beta * y[i * incy];
    }
}
WEFT_SIGNATURE(gemv_c, void,
               (char trans, int m, int n, double alpha, const double *a, int lda, const double *x, int incx,
                double beta, double *y, int incy));
WEFT_SIGNATURE(gemv_fn, weft_array *,
               (double alpha, weft_array *a, weft_array *x, double beta, weft_array *y));

/* As Fortran passes things. */
static void outer_(const int *n, const float *x, void *user, float *y)
{
    for (int i = 0; i < *n; i++)
        for (int j = 0; j < *n; j++) y[i * *n + j] = x[i] * x[j] * *(const float *)user;
}
WEFT_SIGNATURE(outer_c, void, (const int *n, const float *x, void *user, float *y));

static bool any_above(const int16_t *x, size_t rows, size_t columns, int16_t limit, uint8_t *count,
                      int64_t *where)
{
    *count = 0;
    *where = -1;
    for (size_t i = 0; i < rows * columns; i++) {
        if (x[i] <= limit) continue;
        if (*where < 0) *where = (int64_t)i;
        ++*count;
    }
    return *count > 0;
}
WEFT_SIGNATURE(any_above_c, bool,
               (const int16_t *x, size_t rows, size_t columns, int16_t limit, uint8_t *count,
                int64_t *where));
WEFT_SIGNATURE(any_above_fn, weft_array *,
               (weft_array * x, int limit, WEFT_OUT weft_array **count, WEFT_OUT weft_array **where));

static void twins(const float *x, int n, float *y)
{
    for (int i = 0; i < n - 1; i++) y[2 * i] = x[i], y[2 * i + 1] = x[i + 1];
}
WEFT_SIGNATURE(twins_c, void, (const float *x, int n, float *y));
static double cbrt_of(double x)
{
    runs++;
    return cbrt(x);
}
WEFT_SIGNATURE(cbrt_c, double, (double x));

Test(rules, c_functions_run_everywhere)
{
    weft_binary *op =
        weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]", .batch = WEFT_BATCH_LOOP);
    weft_array *x = ARRAY(1, 2, 3), *ten = weft_scalar(ctx, 10),
               *xx = weft_reshape(ARRAY(1, 2, 3, 6, 5, 4), 2, 3);
    BOTH
    {
        EXPECT(MAYBE_JIT(op)(x, ten), 10, 21, 32);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, op, "0, none"))(xx, ten), 10, 21, 32, 60, 56, 45);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, op, "1, none -> 1"))(weft_transpose(xx), ten), 10, 60, 21, 56, 32,
               45);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, op, "none, 0"))(x, ARRAY(10, 1)), 10, 21, 32, 1, 3, 5);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_vmap(ctx, op, "none, 0"), "0, none"))(xx, ARRAY(10, 1)), 10, 21,
               32, 1, 3, 5, 60, 56, 45, 6, 11, 9);
        EXPECT(MAYBE_JIT(op)(weft_zeros(ctx, WEFT_F32, 1), ten), 0);
        cr_expect_eq(weft_count(MAYBE_JIT(op)(weft_zeros(ctx, WEFT_F32, 0), ten)), 0);
    }
}

static weft_binary *op;
static weft_array *around(weft_array *x)
{
    return weft_sum(weft_mul(op(weft_add(x, 1), weft_scalar(NULL, 2)), 10));
}
static weft_array *step_op(weft_array *h, weft_array *x) { return op(h, x); }
static weft_array *yes_op(weft_array *p, weft_array *x)
{
    (void)p;
    return op(x, weft_scalar(NULL, 2));
}
static weft_array *scan_op(weft_array *h, weft_array *x)
{
    return weft_scan(NULL, step_op, "carry, 0")(h, x);
}

Test(rules, c_functions_among_other_code)
{
    op = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]", .batch = WEFT_BATCH_LOOP);
    weft_declare(ctx, around, weft_unary);
    weft_declare(ctx, step_op, weft_binary);
    weft_declare(ctx, scan_op, weft_binary);
    weft_declare(ctx, yes_op, weft_binary);
    weft_declare(ctx, no_b, weft_binary);
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(around)(x), 120);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, around, "0"))(weft_reshape(ARRAY(1, 2, 3, 4), 2, 2)), 120, 220);
        EXPECT(MAYBE_JIT(scan_op)(x, ARRAY(1, 2, 3)), 6, 23);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, scan_op, "0, none"))(weft_reshape(ARRAY(1, 2, 1, 0), 2, 2),
                                                             ARRAY(1, 2, 3)),
               6, 23, 6, 11);
        EXPECT(MAYBE_JIT(weft_cond(ctx, yes_op, no_b))(weft_scalar(ctx, 1), x), 2, 5);
        EXPECT(MAYBE_JIT(weft_cond(ctx, yes_op, no_b))(weft_scalar(ctx, 0), x), -1, -2);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_cond(ctx, yes_op, no_b), "0, none"))(ARRAY(1, 0), x), 2, 5, -1,
               -2);
    }
}

Test(rules, c_functions_of_all_kinds)
{
    static float three = 3;
    weft_array *x = ARRAY(3, 1, 2), *sorted, *count, *where;
    median_fn *med =
        weft_foreign(ctx, median_fn, median, median_c, "x[n] -> return, x[n]", .batch = WEFT_BATCH_LOOP);
    gemv_fn *product =
        weft_foreign(ctx, gemv_fn, gemv, gemv_c,
                     "alpha, a[m, n], x[n], beta, y[m], trans = 'T', lda = n, incx = 1, incy = 1 -> y[m]");
    weft_unary *outer = weft_foreign(ctx, weft_unary, outer_, outer_c, "x[n] -> y[n, n]", .user = &three);
    any_above_fn *above = weft_foreign(ctx, any_above_fn, any_above, any_above_c,
                                       "x[rows, columns], limit -> return, count, where");
    weft_unary *pairs = weft_foreign(ctx, weft_unary, twins, twins_c, "x[n] -> y[(n - 1) * 2]");
    weft_unary *root =
        weft_foreign(ctx, weft_unary, cbrt_of, cbrt_c, "x -> return", .batch = WEFT_BATCH_LOOP);
    weft_array *a = weft_from(ctx, ((double[]){ 1, 2, 3, 4, 5, 6 }), 2, 3),
               *z = weft_from(ctx, ((double[]){ 1, 10, 100 }), 3),
               *y = weft_from(ctx, ((double[]){ 1, 2 }), 2);
    weft_array *short16 = weft_from(ctx, ((int16_t[]){ 1, -5, 7, 9, 3, 8 }), 2, 3),
               *cubes = weft_from(ctx, ((double[]){ 8, -27 }), 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(med)(x, &sorted), 2);
        EXPECT(sorted, 1, 2, 3);
        EXPECT(x, 3, 1, 2); /* the argument is as it was */
        EXPECT(MAYBE_JIT(weft_vmap(ctx, med, "0"))(weft_reshape(ARRAY(3, 1, 2, 9, 8, 7), 2, 3), &sorted), 2,
               8);
        EXPECT(sorted, 1, 2, 3, 7, 8, 9);
        EXPECT(MAYBE_JIT(product)(2, a, z, 10, y), 652, 1328);
        EXPECT(MAYBE_JIT(product)(1, a, z, 0, y), 321, 654);
        EXPECT(MAYBE_JIT(outer)(x), 27, 9, 18, 9, 3, 6, 18, 6, 12);
        weft_array *any = MAYBE_JIT(above)(short16, 6, &count, &where);
        cr_expect_eq(weft_dtype_of(any), WEFT_BOOL);
        cr_expect_eq(weft_dtype_of(count), WEFT_U8);
        cr_expect_eq(weft_dtype_of(where), WEFT_I64);
        EXPECT(any, 1);
        EXPECT(count, 3);
        EXPECT(where, 2);
        EXPECT(MAYBE_JIT(above)(short16, 60, &count, &where), 0);
        EXPECT(where, -1);
        EXPECT(MAYBE_JIT(pairs)(x), 3, 1, 1, 2);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, root, "0"))(cubes), 2, -3);
    }
}

static weft_unary *one_root;
static weft_array *two_calls(weft_array *x) { return weft_add(one_root(x), one_root(x)); }
static weft_array *no_use(weft_array *x)
{
    one_root(x);
    return weft_mul(x, 2);
}

/* Pure functions are called once where one would do, and not where nobody uses what they give. */
Test(rules, pure_calls_may_become_one)
{
    weft_array *x = weft_scalar_as(ctx, WEFT_F64, 8);
    for (int impure = 0; impure < 2; impure++) {
        one_root = weft_foreign(ctx, weft_unary, cbrt_of, cbrt_c, "x -> return", .impure = impure);
        weft_declare(ctx, two_calls, weft_unary);
        weft_declare(ctx, no_use, weft_unary);
        weft_unary *twice = weft_jit(ctx, two_calls), *never = weft_jit(ctx, no_use);
        runs = 0;
        EXPECT(twice(x), 4);
        cr_expect_eq(runs, impure ? 2 : 1, "%d runs", runs);
        EXPECT(twice(x), 4);
        cr_expect_eq(runs, impure ? 4 : 2, "%d runs", runs);
        runs = 0;
        EXPECT(never(x), 16);
        if (!impure) cr_expect_eq(runs, 0);
        weft_forget(ctx, two_calls);
        weft_forget(ctx, no_use);
    }
}

/* smooth is linear in x: its transpose, by ops. */
static weft_binary *smooth_op;
WEFT_SIGNATURE(smooth_forward_fn, weft_array *,
               (weft_array * x, weft_array *width, WEFT_OUT weft_array **kept,
                WEFT_OUT weft_array **kept_width));
WEFT_SIGNATURE(smooth_backward_fn, weft_array *,
               (weft_array * x, weft_array *width, weft_array *dy, WEFT_OUT weft_array **dwidth));
static weft_array *smooth_forward(weft_array *x, weft_array *width, weft_array **kept,
                                  weft_array **kept_width)
{
    *kept = x, *kept_width = width;
    return smooth_op(x, width);
}
static weft_array *smooth_backward(weft_array *x, weft_array *width, weft_array *dy, weft_array **dwidth)
{
    *dwidth = weft_sum(weft_mul(x, dy));
    return weft_add(weft_mul(dy, width), weft_pad(dy, 0, "-1:1"));
}
static weft_array *smooth_batch(weft_array *x, weft_array *width)
{
    return weft_add(weft_add(weft_mul(x, weft_expand_dims(width, 1)), weft_pad(x, 0, "0:0, 1:-1")), 100);
}
static weft_binary *smooth_ruled;
static weft_array *smooth_loss(weft_array *x, weft_array *width)
{
    return weft_sum(weft_square(smooth_ruled(x, width)));
}

static weft_array *smooth_slope(weft_array *x, weft_array *width)
{
    return weft_sum(weft_grad(NULL, weft_binary, smooth_loss, "x")(x, width));
}

Test(rules, c_functions_with_rules)
{
    weft_declare(ctx, smooth_forward, smooth_forward_fn);
    weft_declare(ctx, smooth_backward, smooth_backward_fn);
    weft_declare(ctx, smooth_batch, weft_binary);
    weft_declare(ctx, smooth_loss, weft_binary);
    weft_declare(ctx, smooth_slope, weft_binary);
    weft_binary *bare = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]");
    smooth_op = weft_custom_vmap(ctx, bare, smooth_batch);
    smooth_ruled = weft_custom_vjp(ctx, smooth_op, smooth_forward, smooth_backward);
    weft_array *x = ARRAY(1, 2, 3), *width = weft_scalar(ctx, 10), *dw;
    two_grads *grads = weft_grad(ctx, two_grads, smooth_loss, "x, y");
    weft_array *xx = weft_reshape(ARRAY(1, 2, 3, 6, 5, 4), 2, 3);
    BOTH
    {
        /* y = 10, 21, 32: dx = 2 (10 y_i + y_i+1), dwidth = 2 sum x y */
        EXPECT(MAYBE_JIT(grads)(x, width, &dw), 242, 484, 640);
        EXPECT(dw, 2 * (10 + 42 + 96));
        EXPECT(MAYBE_JIT(weft_vmap(ctx, smooth_ruled, "0, none"))(xx, width), 110, 121, 132, 160, 156, 145);
    }
    /* the rule calls it again, so that orders go on */
    smooth_op = smooth_ruled = weft_custom_vjp(ctx, bare, smooth_forward, smooth_backward);
    weft_forget(ctx, smooth_loss);
    weft_forget(ctx, smooth_slope);
    weft_declare(ctx, smooth_loss, weft_binary);
    weft_declare(ctx, smooth_slope, weft_binary);
    /* J'J by ones, doubled */
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, smooth_slope, "x"))(x, width), 222, 242, 220);
}

/* ---- hooks ---- */

static weft_array *halve(weft_array *g) { return weft_mul(g, 0.5); }
static weft_array *plus_one(weft_array *g) { return weft_add(g, 1); }
static weft_array *clip(weft_array *g)
{
    return weft_div(g, weft_maximum(weft_sqrt(weft_sum(weft_square(g))), 1));
}
static weft_array *squares(weft_array *x) { return weft_sum(weft_square(x)); }
static weft_array *hooked(weft_array *x)
{
    return weft_add(weft_sum(weft_square(weft_hook(x, halve))), weft_sum(x));
}
static weft_array *hooked_twice(weft_array *x)
{
    return weft_sum(weft_square(weft_hook(weft_hook(x, plus_one), halve)));
}
static weft_array *hooked_inside(weft_array *x)
{
    return weft_sum(weft_mul(weft_hook(weft_sin(x), plus_one), 3));
}
static weft_array *hooked_cubed(weft_array *x) { return weft_sum(cube(weft_hook(x, halve))); }
static weft_array *hooked_slope(weft_array *x)
{
    return weft_sum(weft_grad(NULL, weft_unary, hooked_cubed, "")(x));
}
static weft_array *times_met(weft_array *g) { return weft_mul(g, met); }
static weft_array *hooked_met(weft_array *x)
{
    met = weft_add(x, 1);
    return weft_sum(weft_square(weft_hook(x, times_met)));
}
static weft_array *step_hooked(weft_array *h, weft_array *x)
{
    return weft_add(weft_mul(weft_hook(h, halve), 0.5), x);
}
static weft_array *scan_hooked(weft_array *h, weft_array *x)
{
    return weft_scan(NULL, step_hooked, "carry, 0")(h, x);
}

static void declare_hooks(void)
{
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, plus_one, weft_unary);
    weft_declare(ctx, clip, weft_unary);
    weft_declare(ctx, squares, weft_unary);
    weft_declare(ctx, times_met, weft_unary);
}

Test(rules, a_hook_where_it_is_called)
{
    declare_hooks();
    weft_declare(ctx, hooked, weft_unary);
    weft_declare(ctx, hooked_twice, weft_unary);
    weft_declare(ctx, hooked_inside, weft_unary);
    weft_array *x = ARRAY(1, 2);
    cr_expect_eq(weft_hook(x, halve), x, "nothing runs, so there is nothing to go through");
    BOTH
    {
        EXPECT(MAYBE_JIT(hooked)(x), 8);
        /* what does not come from it stays */
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, hooked, ""))(x), 2, 3);
        /* the inner one is the nearer */
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, hooked_twice, ""))(x), 2, 3);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, hooked_inside, ""))(x), 4 * cos(1), 4 * cos(2));
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, hooked, ""), "0"))(x), 2, 3);
        EXPECT(MAYBE_JIT(weft_vmap(ctx, hooked, "0"))(x), 2, 6);
    }
}

static weft_array *tangent_of_squares(weft_array *x)
{
    weft_array *dy;
    weft_jvp(NULL, jvp_of_unary, squares, "x")(x, x, &dy);
    return dy;
}
static weft_array *slope_of_hooked(weft_array *x)
{
    return weft_sum(weft_grad(NULL, weft_unary, hooked, "")(x));
}

/* Forward mode goes past hooks; forward over reverse differentiates what they compute. */
Test(rules, hooks_and_forward_mode)
{
    declare_hooks();
    weft_declare(ctx, hooked, weft_unary);
    weft_declare(ctx, hooked_inside, weft_unary);
    weft_declare(ctx, tangent_of_squares, weft_unary);
    weft_declare(ctx, slope_of_hooked, weft_unary);
    weft_array *x = ARRAY(1, 2), *dx = ARRAY(1, 10), *dy;
    weft_hook_id id = weft_hook_add(ctx, squares, "x", halve);
    BOTH
    {
        MAYBE_JIT(weft_jvp(ctx, jvp_of_unary, hooked, "x"))(x, dx, &dy);
        EXPECT(dy, 53);
        MAYBE_JIT(weft_jvp(ctx, jvp_of_unary, squares, "x"))(x, dx, &dy);
        EXPECT(dy, 42);
        EXPECT(MAYBE_JIT(weft_jacfwd(ctx, weft_unary, hooked, ""))(x), 3, 5);
        EXPECT(MAYBE_JIT(weft_hessian(ctx, weft_unary, hooked, ""))(x), 1, 0, 0, 1);
        /* of what has no hooks */
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, tangent_of_squares, ""))(x), 4, 8);
        MAYBE_JIT(weft_jvp(ctx, jvp_of_unary, slope_of_hooked, "x"))(x, dx, &dy);
        EXPECT(dy, 11);
    }
    weft_hook_remove(ctx, id);
}

Test(rules, hooks_nest_with_all)
{
    declare_hooks();
    weft_declare(ctx, hooked_cubed, weft_unary);
    weft_declare(ctx, hooked_slope, weft_unary);
    weft_declare(ctx, hooked_met, weft_unary);
    weft_declare(ctx, step_hooked, weft_binary);
    weft_declare(ctx, scan_hooked, weft_binary);
    weft_array *x = ARRAY(1, 2);
    BOTH
    {
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, hooked_slope, ""))(x), 3, 6); /* of x^2 3/2 */
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_unary, hooked_met, ""))(x), 4, 12);  /* 2 x (x + 1) */
        EXPECT(MAYBE_JIT(weft_vmap(ctx, weft_grad(ctx, weft_unary, hooked_met, ""), "0"))(x), 4, 12);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, scan_hooked, "x"))(weft_scalar(ctx, 0), ARRAY(1, 2, 3)),
               1. / 64);
        EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, scan_hooked, "y"))(weft_scalar(ctx, 0), ARRAY(1, 2, 3)),
               1. / 16, 1. / 4, 1);
    }
}

Test(rules, registered_hooks_come_and_go)
{
    declare_hooks();
    weft_array *x = ARRAY(1, 2);
    weft_unary *grad = weft_grad(ctx, weft_unary, squares, ""), *each = weft_vmap(ctx, grad, "0"),
               *fast = weft_jit(ctx, grad);
    for (weft_unary **f = (weft_unary *[]){ grad, each, fast, NULL }; *f; f++) EXPECT((*f)(x), 2, 4);
    weft_hook_id first = weft_hook_add(ctx, squares, "x", halve);
    for (weft_unary **f = (weft_unary *[]){ grad, each, fast, NULL }; *f; f++) EXPECT((*f)(x), 1, 2);
    weft_hook_id second = weft_hook_add(ctx, squares, "", plus_one);
    /* halved, then one more */
    for (weft_unary **f = (weft_unary *[]){ grad, each, fast, NULL }; *f; f++) EXPECT((*f)(x), 2, 3);
    cr_expect_eq(weft_hook_remove(ctx, first), WEFT_OK);
    EXPECT(fast(x), 3, 5);
    /* of the gradient's own argument: nothing goes back there */
    weft_hook_id third = weft_hook_add(ctx, fast, "x", halve);
    EXPECT(fast(x), 3, 5);
    weft_hook_id fourth = weft_hook_add(ctx, squares, "x", halve);
    EXPECT(fast(x), 1.5, 2.5); /* one more, then halved */
    weft_hook_remove(ctx, second);
    weft_hook_remove(ctx, third);
    weft_hook_remove(ctx, fourth);
    EXPECT(fast(x), 2, 4);
}

Test(rules, hooks_see_one_example)
{
    declare_hooks();
    weft_array *xx = weft_reshape(ARRAY(3, 4, 0, 0.25), 2, 2);
    weft_unary *grad = weft_vmap(ctx, weft_grad(ctx, weft_unary, squares, ""), "0");
    weft_hook_id id = weft_hook_add(ctx, squares, "x", clip);
    BOTH EXPECT(MAYBE_JIT(grad)(xx), 0.6, 0.8, 0, 0.5);
    weft_hook_remove(ctx, id);
    BOTH EXPECT(MAYBE_JIT(grad)(xx), 6, 8, 0, 0.5);
}

static weft_array *sample_loss(weft_array *w, weft_array *x) { return weft_mul(weft_sum(weft_mul(w, x)), 3); }
static weft_array *batch_loss(weft_array *w, weft_array *xs)
{
    return weft_sum(weft_vmap(NULL, sample_loss, "none, 0")(w, xs));
}

static weft_array *sum_of_grads(weft_array *w, weft_array *xs)
{
    return weft_sum(weft_vmap(NULL, weft_grad(NULL, weft_binary, sample_loss, "x"), "none, 0")(w, xs),
                    .axes = "0");
}

/* What all examples share has one gradient, the sum; inside of vmap each example has its own: clipping by
 * example, as differential privacy wants it. */
Test(rules, hooks_on_what_examples_share)
{
    declare_hooks();
    weft_declare(ctx, sample_loss, weft_binary);
    weft_declare(ctx, batch_loss, weft_binary);
    weft_declare(ctx, sum_of_grads, weft_binary);
    weft_array *w = ARRAY(1, 1), *xs = weft_reshape(ARRAY(3, 4, 0, 0.1), 2, 2);
    weft_binary *grad = weft_grad(ctx, weft_binary, batch_loss, "x");
    double length = sqrt(81 + 12.3 * 12.3);
    BOTH EXPECT(MAYBE_JIT(grad)(w, xs), 9, 12.3);
    weft_hook_id id = weft_hook_add(ctx, sample_loss, "x", clip);
    BOTH
    {
        EXPECT(MAYBE_JIT(grad)(w, xs), 9 / length, 12.3 / length);
        EXPECT(MAYBE_JIT(sum_of_grads)(w, xs), 0.6, 0.8 + 0.3);
    }
    weft_hook_remove(ctx, id);
    id = weft_hook_add(ctx, sample_loss, "y", clip);
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, batch_loss, "y"))(w, xs), sqrt(0.5), sqrt(0.5),
                sqrt(0.5), sqrt(0.5));
    weft_hook_remove(ctx, id);
}

static weft_array *sum_mapped(weft_array *xx) { return weft_sum(weft_vmap(NULL, squares, "0")(xx)); }

/* A transform is a function as well: its arguments have the batch. */
Test(rules, hooks_on_transforms)
{
    declare_hooks();
    weft_declare(ctx, sum_mapped, weft_unary);
    weft_array *xx = weft_reshape(ARRAY(3, 0, 0, 4), 2, 2);
    weft_unary *grad = weft_grad(ctx, weft_unary, sum_mapped, "");
    weft_hook_id id = weft_hook_add(ctx, weft_jit(ctx, weft_vmap(ctx, squares, "0")), "x", clip);
    BOTH EXPECT(MAYBE_JIT(grad)(xx), 0.6, 0, 0, 0.8);
    weft_hook_remove(ctx, id);
    id = weft_hook_add(ctx, squares, "x", clip);
    BOTH EXPECT(MAYBE_JIT(grad)(xx), 1, 0, 0, 1);
    weft_hook_remove(ctx, id);
    BOTH EXPECT(MAYBE_JIT(grad)(xx), 6, 0, 0, 8);
}

/* Functions are traced anew under other hooks; code is not made twice. */
Test(rules, code_of_before_is_found_again)
{
    declare_hooks();
    weft_array *x = ARRAY(1, 2);
    weft_unary *forward = weft_jit(ctx, squares),
               *grad = weft_jit(ctx, weft_grad(ctx, weft_unary, squares, ""));
    weft_array *plain = forward(x);
    grad(x);
    weft_counters start = weft_stats(ctx);
    weft_hook_id id = weft_hook_add(ctx, squares, "x", halve);
    weft_forbid_compiling(ctx, true);
    cr_expect_eq(weft_item(forward(x)), weft_item(plain), "what only goes forwards is not looked at again");
    weft_forbid_compiling(ctx, false);
    weft_counters now = weft_stats(ctx);
    cr_expect_eq(now.traces, start.traces);
    cr_expect_eq(now.hits, start.hits + 1);
    grad(x);
    cr_expect_eq(weft_stats(ctx).compiles, start.compiles + 1);
    cr_expect_not_null(strstr(weft_explain(ctx), "hooks on gradients were added or removed"), "%s",
                       weft_explain(ctx));
    weft_array *three = ARRAY(1, 2, 3);
    forward(three); /* for the first time, and there is a hook */
    weft_forbid_compiling(ctx, true);
    now = weft_stats(ctx);
    for (int i = 0; i < 3; i++) {
        EXPECT(grad(x), 1, 2);
        weft_hook_remove(ctx, id);
        EXPECT(grad(x), 2, 4);
        cr_expect_eq(weft_item(forward(x)), weft_item(plain));
        EXPECT(forward(three), 14);
        id = weft_hook_add(ctx, squares, "x", halve); /* the same again is the same */
    }
    cr_expect_eq(weft_stats(ctx).traces, now.traces);
    cr_expect_eq(weft_stats(ctx).hits, now.hits + 12);
}

static weft_array *apply_sum(const net *m, weft_array *x) { return weft_sum(apply(m, x)); }
static weft_array *norm_of(const list *l)
{
    weft_array *sum = weft_scalar(NULL, 0);
    for (int i = 0; i < l->n; i++) sum = weft_add(sum, weft_sum(weft_square(l->v[i])));
    return sum;
}

Test(rules, hooks_on_parts_of_structs)
{
    declare_hooks();
    weft_declare(ctx, apply_sum, net_fn);
    weft_declare(ctx, norm_of, list_fn);
    net m = a_net(), dm;
    weft_array *x = ARRAY(1, 10), *v[] = { ARRAY(1, 2), ARRAY(3) };
    list l = { v, 2 }, dl;
    net_grad_fn *grad = weft_grad(ctx, net_grad_fn, apply_sum, "x, m");
    weft_hook_id ids[] = { weft_hook_add(ctx, apply_sum, "m.l[0].w", halve),
                           weft_hook_add(ctx, apply_sum, "m.l[1]", plus_one),
                           weft_hook_add(ctx, apply_sum, "x, m.l[0].b", plus_one),
                           weft_hook_add(ctx, norm_of, "l.v[1]", halve) };
    BOTH
    {
        EXPECT(MAYBE_JIT(grad)(&m, x, &dm), 13, 17);
        EXPECT(dm.l[0].w, 1, 10);
        EXPECT(dm.l[0].b, 3, 3);
        EXPECT(dm.l[1].w, 3, 21);
        EXPECT(dm.l[1].b, 3, 3);
        EXPECT(dm.l[1].count, 0);
        MAYBE_JIT(weft_grad(ctx, list_grad_fn, norm_of, ""))(&l, &dl);
        EXPECT(dl.v[0], 2, 4);
        EXPECT(dl.v[1], 3);
    }
    for (int i = 0; i < 4; i++) cr_expect_eq(weft_hook_remove(ctx, ids[i]), WEFT_OK);
    EXPECT(grad(&m, x, &dm), 12, 16);
}

static weft_array *step_squares(weft_array *h, weft_array *x)
{
    return weft_add(h, weft_jit(NULL, squares)(x));
}
static weft_array *scan_squares(weft_array *h, weft_array *x)
{
    return weft_scan(NULL, step_squares, "carry, 0")(h, x);
}

/* Wherever weft traces a call of it. */
Test(rules, hooks_on_functions_inside_others)
{
    declare_hooks();
    weft_declare(ctx, step_squares, weft_binary);
    weft_declare(ctx, scan_squares, weft_binary);
    weft_array *xx = weft_reshape(ARRAY(3, 4, 0, 0.25), 2, 2);
    weft_hook_id id = weft_hook_add(ctx, squares, "x", clip);
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, scan_squares, "y"))(weft_scalar(ctx, 0), xx), 0.6, 0.8,
                0, 0.5);
    weft_hook_remove(ctx, id);
    BOTH EXPECT(MAYBE_JIT(weft_grad(ctx, weft_binary, scan_squares, "y"))(weft_scalar(ctx, 0), xx), 6, 8, 0,
                0.5);
}

Test(rules, what_is_forgotten_takes_its_hooks_along)
{
    declare_hooks();
    weft_array *x = ARRAY(1, 2);
    weft_unary *grad = weft_grad(ctx, weft_unary, squares, "");
    weft_hook_id id = weft_hook_add(ctx, squares, "x", halve);
    EXPECT(grad(x), 1, 2);
    weft_forget(ctx, halve);
    EXPECT(grad(x), 2, 4);
    cr_expect_eq(weft_hook_remove(ctx, id), WEFT_ARGUMENT);
    weft_clear(ctx);
}

/* Each thread's calls see the hooks of the moment, whole. */
static void *call_often(void *f)
{
    weft_array *x = ARRAY(1, 2);
    for (int i = 0; i < 200; i++) {
        weft_scope *scope = weft_scope_open(ctx);
        double first = weft_f32(((weft_unary *)(weft_fn) * (weft_fn *)f)(x))[0];
        cr_expect(first == 2 || first == 1, "%g", first);
        weft_scope_close(scope);
    }
    return NULL;
}

Test(rules, hooks_and_threads)
{
    declare_hooks();
    weft_fn grad = (weft_fn)weft_jit(ctx, weft_grad(ctx, weft_unary, squares, ""));
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, call_often, &grad);
    for (int i = 0; i < 200; i++) weft_hook_remove(ctx, weft_hook_add(ctx, squares, "x", halve));
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    cr_expect(weft_stats(ctx).compiles <= 2);
}

static weft_array *tripled(weft_array *g) { return weft_mul(weft_jit(NULL, halve)(g), 6); }
static weft_array *slope_of_squares(weft_array *x)
{
    return weft_sum(weft_grad(NULL, weft_unary, squares, "")(x));
}

/* The gradient of a gradient goes back through what the hook computes, and so through the hooks of that. */
Test(rules, hooks_on_hooks)
{
    declare_hooks();
    weft_declare(ctx, tripled, weft_unary);
    weft_declare(ctx, slope_of_squares, weft_unary);
    weft_array *x = ARRAY(1, 2);
    weft_hook_id ids[] = { weft_hook_add(ctx, squares, "x", tripled),
                           weft_hook_add(ctx, halve, "x", plus_one), weft_hook_add(ctx, halve, "x", halve) };
    EXPECT(weft_grad(ctx, weft_unary, squares, "")(x), 6, 12);
    /* 6 halved, one more, halved: 2 */
    EXPECT(weft_grad(ctx, weft_unary, slope_of_squares, "")(x), 2 * 2, 2 * 2);
    for (int i = 0; i < 3; i++) weft_hook_remove(ctx, ids[i]);
    EXPECT(weft_grad(ctx, weft_unary, slope_of_squares, "")(x), 2, 2);
}

static void reversed(const float *x, int n, float *y)
{
    for (int i = 0; i < n; i++) y[i] = x[n - 1 - i];
}
WEFT_SIGNATURE(reversed_c, void, (const float *x, int n, float *y));
static weft_unary *reverse_op;
static weft_array *around_reverse(weft_array *x) { return weft_add(reverse_op(weft_mul(x, 2)), 1); }

/* Memory that is given away is not both operand and result. */
Test(rules, donated_arguments_of_c_functions)
{
    weft_declare(ctx, around_reverse, weft_unary);
    reverse_op = weft_foreign(ctx, weft_unary, reversed, reversed_c, "x[n] -> y[n]");
    median_fn *med = weft_foreign(ctx, median_fn, median, median_c, "x[n] -> return, x[n]");
    weft_array *sorted;
    weft_array *x = weft_linspace(ctx, 0, 999, 1000), *y = weft_linspace(ctx, 0, 999, 1000),
               *z = weft_flip(weft_linspace(ctx, 0, 999, 1000), "0");
    weft_array *a = weft_jit(ctx, reverse_op)(weft_donate(x)),
               *b = weft_jit(ctx, around_reverse)(weft_donate(y));
    weft_jit(ctx, med)(weft_donate(z), &sorted);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(weft_f32(a)[i], 999 - i);
        cr_assert_eq(weft_f32(b)[i], 2 * (999 - i) + 1);
        cr_assert_eq(weft_f32(sorted)[i], i);
    }
}
