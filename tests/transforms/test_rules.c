/* test_rules.c: rules of the user's own for derivatives and batches. Rules here give ten times what is
 * true (and the like), so that a result says whether the rule made it. What a user can get wrong is in
 * test_rules_bad.c. */
#include "tests/transforms/cube_rules.h"

typedef struct {
    weft_array *h, *sum;
} state;
WEFT_STRUCT(state, WEFT_ARRAY(state, h), WEFT_ARRAY(state, sum));

WEFT_SIGNATURE(power_fn, weft_array *, (weft_array * x, int n));
WEFT_SIGNATURE(power_jvp_fn, weft_array *, (weft_array * x, int n, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(power_forward_fn, weft_array *, (weft_array * x, int n, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(power_backward_fn, weft_array *, (int n, weft_array *kept, weft_array *dy));
WEFT_SIGNATURE(net_jvp_fn, weft_array *,
               (const net *m, weft_array *x, const net *dm, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(net_forward_fn, weft_array *,
               (const net *m, weft_array *x, WEFT_OUT net *kept, WEFT_OUT weft_array **x_kept));
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

/* ---- functions and rules ---- */

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
/* The results stand in another order, so their signature differs: the first one is the struct's. */
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

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, list);
    weft_describe(ctx, state);
    make_cube_rules();
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

/* A function may meet any value that no derivative is taken by. */
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

/* A rule costs no code where nothing is differentiated. */
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
