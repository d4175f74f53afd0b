/* test_grad.c: derivatives as transforms: by what is differentiated, what the new functions take and give,
 * how they nest with the other transforms, and what they leave behind. Values of whole functions are in
 * test_grad_jax.c, what a user can get wrong in test_grad_bad.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    weft_array *count;
    int power;
    weft_array *memo;
} net;
typedef struct {
    weft_array **v;
    int n;
    layer *extra;
} list;
typedef struct {
    weft_array *h, *sum;
} state;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_ARRAY(net, count), WEFT_STATIC(net, power),
            WEFT_LAZY(net, memo));
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n), WEFT_POINTER(list, extra, layer));
WEFT_STRUCT(state, WEFT_ARRAY(state, h), WEFT_ARRAY(state, sum));

WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(loss_aux, weft_array *,
               (const net *m, weft_array *x, WEFT_OUT weft_array **pred, WEFT_OUT layer *first));
WEFT_SIGNATURE(net_grad, weft_array *, (const net *m, weft_array *x, WEFT_OUT net *dm));
WEFT_SIGNATURE(net_grad_alone, void, (const net *m, weft_array *x, WEFT_OUT net *dm));
WEFT_SIGNATURE(leaf_grad, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(layers_grad, void, (const net *m, weft_array *x, WEFT_OUT layer *a, WEFT_OUT layer *b));
WEFT_SIGNATURE(mixed_grad, weft_array *,
               (const net *m, weft_array *x, WEFT_OUT weft_array **dx, WEFT_OUT layer *dl,
                WEFT_OUT weft_array **dw));
WEFT_SIGNATURE(aux_grad, void,
               (const net *m, weft_array *x, WEFT_OUT net *dm, WEFT_OUT weft_array **pred,
                WEFT_OUT layer *first));
WEFT_SIGNATURE(aux_both, weft_array *,
               (const net *m, weft_array *x, WEFT_OUT weft_array **pred, WEFT_OUT layer *first,
                WEFT_OUT net *dm));
WEFT_SIGNATURE(list_fn, weft_array *, (const list *l));
WEFT_SIGNATURE(list_grad, void, (const list *l, WEFT_OUT list *dl));
WEFT_SIGNATURE(list_leaf, weft_array *, (const list *l, WEFT_OUT weft_array **dv));
WEFT_SIGNATURE(advance_fn, weft_array *, (state * s, weft_array *x));
WEFT_SIGNATURE(advance_grad, weft_array *,
               (state * s, weft_array *x, WEFT_OUT state *ds, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(advance_jvp, weft_array *,
               (state * s, weft_array *x, const state *ds, WEFT_OUT weft_array **dy, WEFT_OUT state *dnew));
WEFT_SIGNATURE(advance_vjp, weft_array *,
               (state * s, weft_array *x, weft_array *ct, const state *cts, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(power_fn, weft_array *, (weft_array * x, int power));
WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(unary_both, weft_array *, (weft_array * x, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(two_grads, void,
               (weft_array * x, weft_array *y, WEFT_OUT weft_array **dy, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(split_fn, void, (const layer *in, WEFT_OUT layer *out));
WEFT_SIGNATURE(split_transpose, void, (const layer *in, const layer *ct, WEFT_OUT layer *out));
WEFT_SIGNATURE(mixed_out, weft_array *, (weft_array * x, WEFT_OUT weft_array **order));
WEFT_SIGNATURE(mixed_jvp, weft_array *,
               (weft_array * x, weft_array *dx, WEFT_OUT weft_array **order, WEFT_OUT weft_array **dy,
                WEFT_OUT weft_array **d_order));

/* sum((x w + b)^power), and more; count is there to have no derivative. */
static weft_array *loss(const net *m, weft_array *x)
{
    weft_array *h = weft_tanh(weft_add(weft_matmul(x, m->l[0].w), m->l[0].b));
    return weft_sum(weft_pow(weft_add(weft_mul(h, m->l[1].w), m->l[1].b), m->power));
}
static weft_array *loss_more(const net *m, weft_array *x, weft_array **pred, layer *first)
{
    *pred = weft_matmul(x, m->l[0].w);
    *first = m->l[0];
    return loss(m, x);
}
static weft_array *list_norm(const list *l)
{
    weft_array *sum = weft_scalar(NULL, 0);
    for (int i = 0; i < l->n; i++) sum = weft_add(sum, weft_mul(weft_sum(weft_square(l->v[i])), i + 1));
    return l->extra ? weft_add(sum, weft_sum(weft_mul(l->extra->w, l->extra->b))) : sum;
}
static weft_array *advance(state *s, weft_array *x)
{
    s->h = weft_tanh(weft_add(s->h, x));
    s->sum = weft_add(s->sum, s->h);
    return weft_sum(weft_mul(s->h, s->sum));
}
static weft_array *power_sum(weft_array *x, int power) { return weft_sum(weft_pow(x, power)); }
static weft_array *wave(weft_array *x) { return weft_sum(weft_mul(weft_sin(x), x)); }
static weft_array *waves(weft_array *x) { return weft_mul(weft_sin(x), x); }
static weft_array *product(weft_array *x, weft_array *y) { return weft_sum(weft_mul(weft_mul(x, y), y)); }
static weft_array *step_down(weft_array *x, weft_array *rate)
{
    return weft_sub(x, weft_mul(rate, weft_grad(NULL, weft_unary, wave, "x")(x)));
}
static void split(const layer *in, layer *out)
{
    out->w = weft_mul(in->w, 2);
    out->b = weft_add(in->w, weft_mul(in->b, 3));
}
static weft_array *sorted(weft_array *x, weft_array **order)
{
    *order = weft_argsort(x, 0);
    return weft_square(weft_sort(x, 0));
}

static net model(void)
{
    return (net){ .l = { { weft_full(ctx, WEFT_F32, 0.5, 3, 2), weft_full(ctx, WEFT_F32, 0.1, 2) },
                         { weft_full(ctx, WEFT_F32, -0.7, 2), weft_full(ctx, WEFT_F32, 0.3, 2) } },
                  .count = weft_scalar_as(ctx, WEFT_I32, 7),
                  .power = 3 };
}

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, list);
    weft_describe(ctx, state);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, loss_more, loss_aux);
    weft_declare(ctx, list_norm, list_fn);
    weft_declare(ctx, advance, advance_fn);
    weft_declare(ctx, power_sum, power_fn);
    weft_declare(ctx, wave, weft_unary);
    weft_declare(ctx, waves, weft_unary);
    weft_declare(ctx, product, weft_binary);
    weft_declare(ctx, step_down, weft_binary);
    weft_declare(ctx, split, split_fn);
    weft_declare(ctx, sorted, mixed_out);
}

TestSuite(grad, .init = setup, .fini = close_context_without_error);

static weft_array *ramp(int64_t n) { return weft_linspace(ctx, 0.5, 2, n); }

#define CLOSE(a, b) expect_close(__LINE__, #a, (a), (b), 1e-5)
#define NEAR(a, b)  expect_close(__LINE__, #a, (a), (b), 1e-2)

/* The derivative of loss by one leaf, by central differences. */
static weft_array *by_differences(const net *m, weft_array *x, int leaf)
{
    net moved = *m;
    weft_array **place = weft_leaf(&net_tree, &moved, leaf), *was = *place;
    int64_t n = weft_count(was), dim[2] = { weft_dim(was, 0), weft_dim(was, 1) };
    float *d = calloc((size_t)n, sizeof *d), *v = calloc((size_t)n, sizeof *v);
    for (int64_t i = 0; i < n; i++) {
        double at[2];
        for (int side = 0; side < 2; side++) {
            memcpy(v, weft_data(was), (size_t)n * sizeof *v);
            v[i] += side ? 5e-3f : -5e-3f;
            *place = weft_from_shape(ctx, WEFT_F32, v, weft_rank(was), dim);
            at[side] = weft_item(loss(&moved, x));
        }
        d[i] = (float)((at[1] - at[0]) / 1e-2);
    }
    weft_array *r = weft_from_shape(ctx, WEFT_F32, d, weft_rank(was), dim);
    free(d);
    free(v);
    return r;
}

/* ---- by what ---- */

/* A while that counts from a constant to a constant is a fori. */
WEFT_SIGNATURE(count_fn, void,
               (weft_array * i, weft_array *x, WEFT_OUT weft_array **next_i, WEFT_OUT weft_array **next_x));
static weft_array *below_ten(weft_array *i, weft_array *x)
{
    (void)x;
    return weft_lt(i, 10);
}
static void sine_step(weft_array *i, weft_array *x, weft_array **next_i, weft_array **next_x)
{
    *next_i = weft_add(i, 1), *next_x = weft_sin(x);
}
static weft_array *counted(weft_array *x)
{
    weft_array *y = NULL;
    weft_while(NULL, below_ten, sine_step, "carry")(weft_zeros(NULL, WEFT_I32), x, NULL, &y);
    return y;
}

Test(grad, through_a_while_that_counts)
{
    weft_declare(ctx, below_ten, weft_binary);
    weft_declare(ctx, sine_step, count_fn);
    weft_declare(ctx, counted, weft_unary);
    weft_unary *g = weft_grad(ctx, weft_unary, counted, "x");
    double x = 0.7, slope = 1;
    for (int i = 0; i < 10; i++) slope *= cos(x), x = sin(x);
    for (int compiled = 0; compiled < 2; compiled++) {
        weft_array *got = (compiled ? weft_jit(ctx, g) : g)(weft_scalar_as(ctx, WEFT_F64, 0.7));
        cr_assert_not_null(got, "%s", weft_error(ctx));
        cr_expect(fabs(weft_item(got) - slope) < 1e-12, "%g, not %g", weft_item(got), slope);
    }
}

Test(grad, by_a_struct)
{
    net m = model(), dm;
    weft_array *x = weft_reshape(ramp(6), 2, 3);
    BOTH
    {
        weft_array *value = MAYBE_JIT(weft_value_and_grad(ctx, net_grad, loss, "m"))(&m, x, &dm);
        CLOSE(value, loss(&m, x));
        for (int i = 0; i < 4; i++) NEAR(*weft_leaf(&net_tree, &dm, i), by_differences(&m, x, i));
        cr_expect_eq(dm.power, 3);
        cr_expect_null(dm.memo);
        cr_expect(weft_dtype_of(dm.count) == WEFT_I32 && weft_rank(dm.count) == 0 &&
                  weft_item(dm.count) == 0);
        memset(&dm, 0, sizeof dm);
        MAYBE_JIT(weft_grad(ctx, net_grad_alone, loss, ""))(&m, x, &dm);
        NEAR(dm.l[1].b, by_differences(&m, x, 3));
    }
}

Test(grad, by_leaves_and_lists)
{
    net m = model();
    weft_array *x = weft_reshape(ramp(6), 2, 3), *dx, *dw;
    layer a, b;
    net all;
    weft_grad(ctx, net_grad_alone, loss, "m")(&m, x, &all);
    BOTH
    {
        CLOSE(MAYBE_JIT(weft_grad(ctx, leaf_grad, loss, "m.l[0].w"))(&m, x), all.l[0].w);
        CLOSE(MAYBE_JIT(weft_grad(ctx, leaf_grad, loss, " m . l [ 1 ] . b "))(&m, x), all.l[1].b);
        MAYBE_JIT(weft_grad(ctx, layers_grad, loss, "m.l"))(&m, x, &a, &b);
        CLOSE(a.b, all.l[0].b);
        CLOSE(b.w, all.l[1].w);
        CLOSE(
            MAYBE_JIT(weft_value_and_grad(ctx, mixed_grad, loss, "x, m.l[1], m.l[0].w"))(&m, x, &dx, &b, &dw),
            loss(&m, x));
        CLOSE(dw, all.l[0].w);
        CLOSE(b.b, all.l[1].b);
        cr_expect(weft_rank(dx) == 2 && weft_dim(dx, 1) == 3);
    }
}

Test(grad, by_several_arguments_in_the_order_asked)
{
    weft_array *x = ramp(3), *y = weft_mul(x, 2), *dx, *dy;
    BOTH
    {
        MAYBE_JIT(weft_grad(ctx, two_grads, product, "y, x"))(x, y, &dy, &dx);
        CLOSE(dx, weft_mul(y, y));
        CLOSE(dy, weft_mul(weft_mul(x, y), 2));
        MAYBE_JIT(weft_grad(ctx, two_grads, product, "y, x"))(x, y, NULL, &dx);
    }
}

WEFT_SIGNATURE(lists_fn, weft_array *, (const list *empty, const list *full));
WEFT_SIGNATURE(lists_grad, void, (const list *empty, const list *full, WEFT_OUT list *a, WEFT_OUT list *b));
static weft_array *lists_norm(const list *empty, const list *full)
{
    return weft_add(list_norm(empty), list_norm(full));
}

Test(grad, by_run_time_lists_and_pointers)
{
    weft_array *v[3] = { ramp(2), ramp(3), ramp(4) }, *dv;
    layer extra = { ramp(2), weft_mul(ramp(2), 3) };
    list l = { v, 3, &extra }, dl, empty;
    weft_declare(ctx, lists_norm, lists_fn);
    BOTH
    {
        MAYBE_JIT(weft_grad(ctx, list_grad, list_norm, "l"))(&l, &dl);
        cr_assert_eq(dl.n, 3);
        for (int i = 0; i < 3; i++) CLOSE(dl.v[i], weft_mul(v[i], 2 * (i + 1)));
        CLOSE(dl.extra->w, extra.b);
        CLOSE(dl.extra->b, extra.w);
        MAYBE_JIT(weft_value_and_grad(ctx, list_leaf, list_norm, "l.v[2]"))(&l, &dv);
        CLOSE(dv, weft_mul(v[2], 6));
        MAYBE_JIT(weft_value_and_grad(ctx, list_leaf, list_norm, "l.extra.b"))(&l, &dv);
        CLOSE(dv, extra.w);
        l.extra = NULL;
        MAYBE_JIT(weft_grad(ctx, list_grad, list_norm, "l"))(&l, &dl);
        cr_expect_null(dl.extra);
        l.n = 0;
        MAYBE_JIT(weft_grad(ctx, lists_grad, lists_norm, "empty, full"))(&l, &(list){ v, 3, NULL }, &empty,
                                                                         &dl);
        cr_expect(empty.n == 0 && dl.n == 3);
        CLOSE(dl.v[1], weft_mul(v[1], 4));
        l.n = 3;
        l.extra = &extra;
    }
}

/* ---- what the new functions take and give ---- */

Test(grad, auxiliary_results_pass_through)
{
    net m = model(), dm;
    layer first;
    weft_array *x = weft_reshape(ramp(6), 2, 3), *pred;
    BOTH
    {
        memset(&first, 0, sizeof first);
        MAYBE_JIT(weft_grad(ctx, aux_grad, loss_more, "m"))(&m, x, &dm, &pred, &first);
        CLOSE(pred, weft_matmul(x, m.l[0].w));
        CLOSE(first.b, m.l[0].b);
        NEAR(dm.l[0].w, by_differences(&m, x, 0));
        CLOSE(MAYBE_JIT(weft_value_and_grad(ctx, aux_both, loss_more, "m"))(&m, x, &pred, &first, &dm),
              loss(&m, x));
        CLOSE(first.w, m.l[0].w);
        NEAR(dm.l[1].w, by_differences(&m, x, 2));
        MAYBE_JIT(weft_value_and_grad(ctx, aux_both, loss_more, "m"))(&m, x, NULL, NULL, &dm);
    }
}

/* The derivative is by the incoming value; the new one is auxiliary. */
Test(grad, in_outs)
{
    weft_array *x = ramp(3), *h = weft_mul(x, 0.2), *sum = weft_mul(x, -0.4), *one = weft_ones(ctx, WEFT_F32),
               *zero = weft_zeros(ctx, WEFT_F32, 3), *dy, *dx, *dx2;
    weft_array *t = weft_tanh(weft_add(h, x)), *slope = weft_sub(1, weft_mul(t, t));
    BOTH
    {
        state s = { h, sum }, ds, dnew;
        weft_array *value =
            MAYBE_JIT(weft_value_and_grad(ctx, advance_grad, advance, "s, x"))(&s, x, &ds, &dx);
        CLOSE(s.h, t);
        CLOSE(s.sum, weft_add(sum, t));
        CLOSE(value, weft_sum(weft_mul(t, weft_add(sum, t))));
        CLOSE(ds.sum, t);
        CLOSE(ds.h, weft_mul(slope, weft_add(sum, weft_mul(t, 2))));
        CLOSE(dx, ds.h);
        s = (state){ h, sum };
        MAYBE_JIT(weft_jvp(ctx, advance_jvp, advance, "s"))(&s, x, &(state){ zero, weft_ones_like(zero) },
                                                            &dy, &dnew);
        CLOSE(dy, weft_sum(t));
        CLOSE(dnew.h, zero);
        CLOSE(dnew.sum, weft_ones_like(zero));
        CLOSE(s.h, t);
        s = (state){ h, sum };
        MAYBE_JIT(weft_vjp(ctx, advance_vjp, advance, "x"))(&s, x, one, &(state){ zero, zero }, &dx2);
        CLOSE(dx2, dx);
        s = (state){ h, sum };
        MAYBE_JIT(weft_vjp(ctx, advance_vjp, advance, "x"))(&s, x, weft_zeros(ctx, WEFT_F32),
                                                            &(state){ zero, weft_ones_like(zero) }, &dx2);
        CLOSE(dx2, slope);
    }
}

Test(grad, static_numbers)
{
    weft_array *x = ramp(4);
    BOTH for (int p = 2; p < 5; p++)
        CLOSE(MAYBE_JIT(weft_grad(ctx, power_fn, power_sum, "x"))(x, p), weft_mul(weft_pow(x, p - 1), p));
}

Test(grad, vjp_and_transpose_of_structs)
{
    layer in = { ramp(3), ramp(3) }, ct = { weft_ones(ctx, WEFT_F32, 3), ramp(3) }, d;
    BOTH
    {
        MAYBE_JIT(weft_transpose_linear(ctx, split_transpose, split, "in"))(&in, &ct, &d);
        CLOSE(d.w, weft_add(2, ramp(3)));
        CLOSE(d.b, weft_mul(ramp(3), 3));
    }
}

/* The tangent of integers is zeros of their type; a cotangent of them is not looked at. */
Test(grad, results_that_are_integers)
{
    static const float data[4] = { 3, 1, 4, -2 };
    weft_array *x = weft_from(ctx, data, 4), *order, *dy, *d_order;
    BOTH
    {
        MAYBE_JIT(weft_jvp(ctx, mixed_jvp, sorted, "x"))(x, weft_ones_like(x), &order, &dy, &d_order);
        CLOSE(dy, weft_mul(2, weft_sort(x, 0)));
        cr_expect(weft_dtype_of(d_order) == WEFT_I32 && weft_item(weft_max(weft_abs(d_order))) == 0);
    }
}

WEFT_SIGNATURE(net_hvp, void, (const net *m, weft_array *x, const net *v, WEFT_OUT net *hv));
WEFT_SIGNATURE(aux_hvp, void,
               (const net *m, weft_array *x, weft_array *v, const layer *vl, WEFT_OUT weft_array **hx,
                WEFT_OUT layer *hl, WEFT_OUT weft_array **pred, WEFT_OUT layer *first));
WEFT_SIGNATURE(two_jacobians, weft_array *,
               (weft_array * x, weft_array *y, WEFT_OUT weft_array **jy, WEFT_OUT weft_array **rows));

static weft_array *rows_of(weft_array *x, weft_array *y, weft_array **rows)
{
    *rows = weft_argmax(y, .axes = "1");
    return weft_matmul(y, weft_square(x));
}
WEFT_SIGNATURE(rows_fn, weft_array *, (weft_array * x, weft_array *y, WEFT_OUT weft_array **rows));

/* Of an array and of parts of a struct, with auxiliary results; against differences of the gradient. */
Test(grad, hessian_vector_products)
{
    net m = model(), v = m, hv, plus, minus, at;
    layer vl = m.l[1], hl, first;
    weft_array *x = weft_reshape(ramp(6), 2, 3), *hx, *pred;
    net_grad_alone *slope = weft_grad(ctx, net_grad_alone, loss, "m");
    double h = 1e-2;
    at = m;
    for (int i = 0; i < 4; i++) *weft_leaf(&net_tree, &at, i) = weft_mul(*weft_leaf(&net_tree, &m, i), 1 + h);
    slope(&at, x, &plus);
    for (int i = 0; i < 4; i++) *weft_leaf(&net_tree, &at, i) = weft_mul(*weft_leaf(&net_tree, &m, i), 1 - h);
    slope(&at, x, &minus);
    BOTH
    {
        MAYBE_JIT(weft_hvp(ctx, net_hvp, loss, "m"))(&m, x, &v, &hv);
        for (int i = 0; i < 4; i++)
            NEAR(
                *weft_leaf(&net_tree, &hv, i),
                weft_div(weft_sub(*weft_leaf(&net_tree, &plus, i), *weft_leaf(&net_tree, &minus, i)), 2 * h));
        cr_expect(hv.power == 3 && weft_item(hv.count) == 0);
        MAYBE_JIT(weft_hvp(ctx, aux_hvp, loss_more, "x, m.l[1]"))(&m, x, weft_zeros_like(x), &vl, &hx, &hl,
                                                                  &pred, &first);
        CLOSE(pred, weft_matmul(x, m.l[0].w));
        CLOSE(first.w, m.l[0].w);
        cr_expect(weft_rank(hx) == 2 && weft_rank(hl.w) == 1);
    }
}

Test(grad, jacobians_by_several_arrays)
{
    weft_declare(ctx, rows_of, rows_fn);
    weft_array *x = ramp(3), *y = weft_reshape(ramp(6), 2, 3), *jy, *rows;
    BOTH for (int forward = 0; forward < 2; forward++)
    {
        two_jacobians *j = forward ? weft_jacfwd(ctx, two_jacobians, rows_of, "x, y")
                                   : weft_jacrev(ctx, two_jacobians, rows_of, "x, y");
        CLOSE(MAYBE_JIT(j)(x, y, &jy, &rows), weft_mul(weft_mul(y, x), 2));
        CLOSE(jy, weft_einsum("ik,j->ikj", weft_eye(ctx, WEFT_F32, 2), weft_square(x)));
        CLOSE(rows, weft_argmax(y, .axes = "1"));
    }
}

/* ---- linearize ---- */

WEFT_SIGNATURE(linearized, weft_array *, (const net *m, weft_array *x, WEFT_OUT weft_linear *at));
WEFT_SIGNATURE(linear_forward, void,
               (const weft_linear *at, const net *dm, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(linear_back, void,
               (const weft_linear *at, weft_array *ct, WEFT_OUT net *dm, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(linearized_1, weft_array *, (weft_array * x, WEFT_OUT weft_linear *at));
WEFT_SIGNATURE(linear_1, weft_array *, (const weft_linear *at, weft_array *t));
WEFT_SIGNATURE(direct_jvp, weft_array *,
               (const net *m, weft_array *x, const net *dm, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(direct_grad, weft_array *,
               (const net *m, weft_array *x, WEFT_OUT net *dm, WEFT_OUT weft_array **dx));

static weft_array *chain(weft_array *h, weft_array *x) { return weft_sin(weft_mul(h, x)); }
static weft_array *chained(weft_array *x) { return weft_scan(NULL, chain, "carry, none", .length = 6)(x, x); }

Test(grad, linearized_once_applied_often)
{
    net m = model(), dm = m, back, want;
    weft_array *x = weft_reshape(ramp(6), 2, 3), *dx, *want_dx, *dy, *want_dy;
    weft_linear at;
    weft_jvp(ctx, direct_jvp, loss, "m, x")(&m, x, &dm, x, &want_dy);
    weft_value_and_grad(ctx, direct_grad, loss, "m, x")(&m, x, &want, &want_dx);
    BOTH
    {
        CLOSE(MAYBE_JIT(weft_linearize(ctx, linearized, loss, "m, x"))(&m, x, &at), loss(&m, x));
        linear_forward *forward = MAYBE_JIT(weft_linear_jvp(ctx, linear_forward, loss, "m,x"));
        linear_back *reverse = MAYBE_JIT(weft_linear_vjp(ctx, linear_back, loss, " m, x"));
        forward(&at, &dm, x, &dy);
        CLOSE(dy, want_dy);
        reverse(&at, weft_scalar(ctx, 1), &back, &dx);
        CLOSE(dx, want_dx);
        for (int i = 0; i < 4; i++) CLOSE(*weft_leaf(&net_tree, &back, i), *weft_leaf(&net_tree, &want, i));
        cr_expect(back.power == 3 && weft_dtype_of(back.count) == WEFT_I32);
        weft_counters before = weft_stats(ctx);
        for (int i = 0; i < 10; i++) forward(&at, &dm, x, &dy), reverse(&at, weft_scalar(ctx, 1), &back, &dx);
        cr_expect_eq(weft_stats(ctx).traces, before.traces);
    }
}

static weft_array *apply(const weft_linear *at, weft_array *t)
{
    return weft_linear_jvp(NULL, linear_1, chained, "x")(at, t);
}

/* Data like any: mapped, carried through a loop, seen by a derivative. */
Test(grad, linearized_is_data)
{
    weft_declare(ctx, chain, weft_binary);
    weft_declare(ctx, chained, weft_unary);
    weft_declare(ctx, apply, linear_1);
    weft_array *x = ramp(3), *rows = weft_reshape(ramp(12), 4, 3), *dy;
    BOTH
    {
        weft_linear at;
        MAYBE_JIT(weft_linearize(ctx, linearized_1, chained, "x"))(x, &at);
        weft_array *j = weft_jacfwd(ctx, weft_unary, chained, "x")(x);
        CLOSE(MAYBE_JIT(weft_linear_jvp(ctx, linear_1, chained, "x"))(&at, x), weft_matmul(j, x));
        CLOSE(MAYBE_JIT(weft_linear_vjp(ctx, linear_1, chained, "x"))(&at, x), weft_matmul(x, j));
        CLOSE(MAYBE_JIT(weft_scan(ctx, apply, "none, carry", .length = 3))(&at, x),
              weft_matmul(j, weft_matmul(j, weft_matmul(j, x))));
        CLOSE(MAYBE_JIT(weft_vmap(ctx, apply, "none, 0"))(&at, rows),
              weft_transpose(weft_matmul(j, weft_transpose(rows))));
        CLOSE(MAYBE_JIT(weft_jacrev(ctx, linear_1, apply, "t"))(&at, x), j);
        MAYBE_JIT(weft_vmap(ctx, weft_linearize(ctx, linearized_1, chained, "x"), "0"))(rows, &at);
        weft_array *each = MAYBE_JIT(weft_vmap(ctx, apply, "0, 0"))(&at, rows);
        weft_jvp(ctx, unary_jvp, chained, "x")(weft_at(rows, "2"), weft_at(rows, "2"), &dy);
        CLOSE(weft_at(each, "2"), dy);
    }
}

/* ---- nesting ---- */

Test(grad, nests_with_the_other_transforms)
{
    weft_array *x = ramp(5), *rows = weft_reshape(ramp(20), 4, 5),
               *first = weft_add(weft_mul(weft_cos(x), x), weft_sin(x));
    weft_unary *d = weft_grad(ctx, weft_unary, wave, "x"), *fast = weft_jit(ctx, wave);
    BOTH
    {
        CLOSE(MAYBE_JIT(weft_grad(ctx, weft_unary, fast, "x"))(x), first);
        CLOSE(weft_at(MAYBE_JIT(weft_vmap(ctx, d, "0"))(weft_stack_arrays(0, x, x)), "1"), first);
        CLOSE(MAYBE_JIT(weft_map(ctx, d, "0"))(rows),
              weft_add(weft_mul(weft_cos(rows), rows), weft_sin(rows)));
        CLOSE(MAYBE_JIT(weft_grad(ctx, weft_unary, weft_checkpoint(ctx, wave), "x"))(x), first);
        weft_array *y = x;
        for (int i = 0; i < 3; i++) y = step_down(y, weft_scalar(ctx, 0.1));
        CLOSE(MAYBE_JIT(weft_scan(ctx, step_down, "carry, none", .length = 3))(x, weft_scalar(ctx, 0.1)), y);
        /* x^2 sin x + ... : the diagonal of the hessian of an elementwise function */
        weft_array *second = weft_sub(weft_mul(2, weft_cos(x)), weft_mul(weft_sin(x), x));
        CLOSE(MAYBE_JIT(weft_hvp(ctx, weft_binary, wave, "x"))(x, weft_ones_like(x)), second);
        CLOSE(weft_sum(MAYBE_JIT(weft_hessian(ctx, weft_unary, wave, "x"))(x), .axes = "0"), second);
        CLOSE(weft_sum(MAYBE_JIT(weft_jacfwd(ctx, weft_unary, d, "x"))(x), .axes = "0"), second);
        CLOSE(weft_sum(MAYBE_JIT(weft_jacrev(ctx, weft_unary, d, "x"))(x), .axes = "1"), second);
    }
}

static weft_array *seen; /* a global that functions meet */
static weft_array *weighted(weft_array *x) { return weft_sum(weft_mul(x, weft_square(seen))); }
static weft_array *inner(weft_array *y) { return weft_sum(weft_mul(weft_mul(y, y), seen)); }
/* The gradient of inner at 3 is 6 x: by x it is 6. */
static weft_array *outer(weft_array *x)
{
    seen = x;
    return weft_sum(weft_grad(NULL, weft_unary, inner, "")(weft_full_like(x, 3)));
}

Test(grad, what_a_function_meets_is_constant_unless_an_outer_derivative_sees_it)
{
    weft_array *x = ramp(3), *value, *dx;
    weft_declare(ctx, weighted, weft_unary);
    weft_declare(ctx, inner, weft_unary);
    weft_declare(ctx, outer, weft_unary);
    weft_unary *d = weft_grad(ctx, weft_unary, weighted, "x");
    seen = ramp(3);
    CLOSE(d(x), weft_square(seen));
    seen = weft_mul(ramp(3), 2);
    CLOSE(d(x), weft_square(seen)); /* op by op: of its time */
    BOTH
    {
        value = MAYBE_JIT(weft_value_and_grad(ctx, unary_both, outer, "x"))(x, &dx);
        CLOSE(value, weft_mul(weft_sum(x), 6));
        CLOSE(dx, weft_full(ctx, WEFT_F32, 6, 3));
    }
}

/* ---- types, shapes ---- */

Test(grad, element_types_stay)
{
    const weft_dtype types[] = { WEFT_F16, WEFT_BF16, WEFT_F32, WEFT_F64 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        weft_array *x = weft_astype(ramp(3), types[i]), *d;
        BOTH
        {
            d = MAYBE_JIT(weft_grad(ctx, weft_unary, wave, "x"))(x);
            cr_expect_eq(weft_dtype_of(d), types[i]);
            expect_close(__LINE__, "of a type", d,
                         weft_add(weft_mul(weft_cos(ramp(3)), ramp(3)), weft_sin(ramp(3))),
                         i == 1   ? 2e-2
                         : i == 0 ? 2e-3
                                  : 1e-5);
        }
    }
}

Test(grad, empty_arrays)
{
    weft_array *x = weft_zeros(ctx, WEFT_F32, 0);
    BOTH
    {
        cr_expect_eq(weft_count(MAYBE_JIT(weft_grad(ctx, weft_unary, wave, "x"))(x)), 0);
        cr_expect_eq(weft_rank(MAYBE_JIT(weft_hessian(ctx, weft_unary, wave, "x"))(x)), 2);
        cr_expect_eq(weft_rank(MAYBE_JIT(weft_jacfwd(ctx, weft_unary, waves, "x"))(x)), 2);
        cr_expect_eq(weft_rank(MAYBE_JIT(weft_jacrev(ctx, weft_unary, waves, "x"))(x)), 2);
    }
}

static weft_array *constant(weft_array *x)
{
    (void)x;
    return weft_scalar(NULL, 3);
}
static weft_array *stopped(weft_array *x)
{
    return weft_sum(weft_add(weft_stop_gradient(weft_mul(x, x)), x));
}

Test(grad, of_what_does_not_depend_on_it)
{
    weft_declare(ctx, constant, weft_unary);
    weft_declare(ctx, stopped, weft_unary);
    weft_array *x = ramp(3);
    BOTH
    {
        CLOSE(MAYBE_JIT(weft_grad(ctx, weft_unary, constant, "x"))(x), weft_zeros_like(x));
        CLOSE(MAYBE_JIT(weft_grad(ctx, weft_unary, stopped, "x"))(x), weft_ones_like(x));
    }
}

Test(grad, stop_gradient_is_the_identity)
{
    for (int t = WEFT_BOOL; t <= (int)WEFT_F64; t++) {
        static const float data[5] = { -2, -0.5, 0, 1, 300 };
        weft_array *x = weft_astype(weft_from(ctx, data, 5), (weft_dtype)t);
        BOTH
        {
            weft_unary *f = weft_stop_gradient;
            weft_array *y = MAYBE_JIT(f)(x);
            cr_assert(y && weft_dtype_of(y) == (weft_dtype)t);
            cr_expect(weft_item(weft_all(weft_eq(x, y))) == 1);
        }
    }
    cr_expect_eq(weft_item(weft_stop_gradient(2.5)), 2.5);
}
