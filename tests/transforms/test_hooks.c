/* test_hooks.c: hooks on gradients: where they run, what they see, how they come and go. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include "tests/transforms/rules_sample.h"

WEFT_SIGNATURE(list_fn, weft_array *, (const list *l));
WEFT_SIGNATURE(list_grad_fn, void, (const list *l, WEFT_OUT list *dl));

static weft_array *met;

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

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, list);
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, plus_one, weft_unary);
    weft_declare(ctx, clip, weft_unary);
    weft_declare(ctx, squares, weft_unary);
    weft_declare(ctx, times_met, weft_unary);
}

TestSuite(hooks, .init = setup, .fini = close_context_without_error);

Test(hooks, a_hook_where_it_is_called)
{
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

/* Forward mode ignores hooks; forward over reverse differentiates what they compute. */
Test(hooks, hooks_and_forward_mode)
{
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

Test(hooks, hooks_nest_with_all)
{
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

Test(hooks, registered_hooks_come_and_go)
{
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
    /* a hook on the argument of the gradient function: no gradient goes back there */
    weft_hook_id third = weft_hook_add(ctx, fast, "x", halve);
    EXPECT(fast(x), 3, 5);
    weft_hook_id fourth = weft_hook_add(ctx, squares, "x", halve);
    EXPECT(fast(x), 1.5, 2.5); /* one more, then halved */
    weft_hook_remove(ctx, second);
    weft_hook_remove(ctx, third);
    weft_hook_remove(ctx, fourth);
    EXPECT(fast(x), 2, 4);
}

Test(hooks, hooks_see_one_example)
{
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
Test(hooks, hooks_on_what_examples_share)
{
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
Test(hooks, hooks_on_transforms)
{
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
Test(hooks, code_of_before_is_found_again)
{
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

Test(hooks, hooks_on_parts_of_structs)
{
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
Test(hooks, hooks_on_functions_inside_others)
{
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

Test(hooks, what_is_forgotten_takes_its_hooks_along)
{
    weft_array *x = ARRAY(1, 2);
    weft_unary *grad = weft_grad(ctx, weft_unary, squares, "");
    weft_hook_id id = weft_hook_add(ctx, squares, "x", halve);
    EXPECT(grad(x), 1, 2);
    weft_forget(ctx, halve);
    EXPECT(grad(x), 2, 4);
    cr_expect_eq(weft_hook_remove(ctx, id), WEFT_ARGUMENT);
    weft_clear(ctx);
}

/* Each call sees the hooks of one moment: the hook either runs in all of it or not at all. */
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

Test(hooks, hooks_and_threads)
{
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
Test(hooks, hooks_on_hooks)
{
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
