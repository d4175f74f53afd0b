/* test_rules_bad.c: what a user can get wrong with rules, C functions and hooks: each case is one error that
 * says which function, which part, what was seen and what is allowed; it leaves nothing behind, and the
 * context works on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *count;
} layer;
typedef struct {
    layer l[2];
    int scale;
} net;
typedef struct {
    weft_array **v;
    int n;
    layer *extra;
} list;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, count));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_STATIC(net, scale));
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n), WEFT_POINTER(list, extra, layer));

WEFT_SIGNATURE(jvp_fn, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(forward_fn, weft_array *, (weft_array * x, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(power_fn, weft_array *, (weft_array * x, int n));
WEFT_SIGNATURE(power_jvp_fn, weft_array *,
               (weft_array * x, int64_t n, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(power_forward_fn, weft_array *, (weft_array * x, int n, WEFT_OUT weft_array **kept));
WEFT_SIGNATURE(net_fn, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(net_jvp_fn, weft_array *,
               (const net *m, weft_array *x, const net *dm, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(net_forward_fn, weft_array *, (const net *m, weft_array *x, WEFT_OUT net *kept));
WEFT_SIGNATURE(net_backward_fn, void,
               (const net *m, weft_array *dy, WEFT_OUT net *dm, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(step_fn, weft_array *, (layer * s, weft_array *x));
WEFT_SIGNATURE(list_fn, weft_array *, (const list *l));
WEFT_SIGNATURE(list_forward_fn, weft_array *, (const list *l, WEFT_OUT list *kept));
WEFT_SIGNATURE(list_backward_fn, void, (const list *l, weft_array *dy, WEFT_OUT list *dl));
WEFT_SIGNATURE(list_grad_fn, weft_array *, (const list *l));
WEFT_SIGNATURE(apply_vjp_fn, weft_array *,
               (const net *m, weft_array *x, weft_array *ct, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(five_fn, void, (weft_array * x, weft_array *y, WEFT_OUT weft_array **z));

static weft_array *cube(weft_array *x) { return weft_mul(x, weft_mul(x, x)); }
static weft_array *same_jvp(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = dx;
    return cube(x);
}
static weft_array *value_shape(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = dx;
    return weft_sum(x);
}
static weft_array *value_dtype(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = dx;
    return weft_astype(cube(x), WEFT_F64);
}
static weft_array *tangent_shape(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_sum(dx);
    return cube(x);
}
static weft_array *tangent_dtype(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_astype(dx, WEFT_F16);
    return cube(x);
}
static weft_array *tangent_null(weft_array *x, weft_array *dx, weft_array **dy)
{
    (void)dx;
    *dy = NULL;
    return cube(x);
}
static weft_array *tangent_wrong(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_add(dx, weft_zeros(NULL, WEFT_F32, 7));
    return cube(x);
}
static weft_array *keep(weft_array *x, weft_array **kept)
{
    *kept = x;
    return cube(x);
}
static weft_array *keep_sum(weft_array *x, weft_array **kept)
{
    *kept = x;
    return weft_sum(x);
}
static weft_array *back(weft_array *kept, weft_array *dy) { return weft_mul(kept, dy); }
static weft_array *back_sum(weft_array *kept, weft_array *dy) { return weft_sum(weft_mul(kept, dy)); }
static weft_array *power(weft_array *x, int n) { return weft_pow(x, n); }
static weft_array *power_jvp(weft_array *x, int64_t n, weft_array *dx, weft_array **dy)
{
    *dy = dx;
    return power(x, (int)n);
}
static weft_array *power_keep(weft_array *x, int n, weft_array **kept)
{
    *kept = x;
    return power(x, n);
}
static weft_array *apply(const net *m, weft_array *x) { return weft_mul(weft_add(m->l[0].w, m->l[1].w), x); }
static weft_array *apply_jvp(const net *m, weft_array *x, const net *dm, weft_array *dx, weft_array **dy)
{
    (void)dx;
    *dy = weft_mul(dm->l[0].w, x);
    return apply(m, x);
}
static weft_array *apply_keep(const net *m, weft_array *x, net *kept)
{
    *kept = *m;
    return apply(m, x);
}
static void apply_back(const net *m, weft_array *dy, net *dm, weft_array **dx)
{
    *dm = *m;
    dm->l[1].w = weft_sum(dy);
    *dx = dy;
}
static void apply_back_scale(const net *m, weft_array *dy, net *dm, weft_array **dx)
{
    *dm = *m;
    dm->scale++;
    *dx = dy;
}
static weft_array *step(layer *s, weft_array *x) { return s->w = weft_add(s->w, x); }
static weft_array *norm_of(const list *l) { return weft_sum(weft_square(l->v[0])); }
static weft_array *norm_keep(const list *l, list *kept)
{
    *kept = *l;
    return norm_of(l);
}
static void norm_back(const list *l, weft_array *dy, list *dl)
{
    (void)dy;
    *dl = *l;
    dl->n--;
}
static void five(weft_array *x, weft_array *y, weft_array **z) { *z = weft_add(x, y); }
static weft_array *undeclared(weft_array *x) { return x; }
static weft_array *batch_lost(weft_array *x) { return weft_sum(x); }
static weft_array *batch_shape(weft_array *x) { return weft_reshape(weft_concatenate(1, x, x), 2, -1); }
static weft_array *batch_dtype(weft_array *x) { return weft_astype(x, WEFT_F64); }
static weft_array *met;
static weft_array *batch_meets(weft_array *x) { return weft_add(x, met); }
static weft_array *integers(weft_array *x) { return weft_add(x, 1); }

static weft_unary *F;
static weft_array *use(weft_array *x) { return weft_sum(F(x)); }
static weft_array *use_1(weft_array *x) { return weft_sum(weft_grad(NULL, weft_unary, use, "")(x)); }
static weft_array *use_2(weft_array *x) { return weft_sum(weft_grad(NULL, weft_unary, use_1, "")(x)); }
static weft_array *use_3(weft_array *x) { return weft_sum(weft_grad(NULL, weft_unary, use_2, "")(x)); }
static weft_array *again(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(F(x), dx);
    return F(x);
}
static weft_array *scaled(weft_array *x) { return weft_mul(x, met); }
static weft_array *closes(weft_array *x)
{
    met = weft_mul(x, 3);
    return weft_sum(F(x));
}
static weft_array *closes_argument(weft_array *x)
{
    met = x;
    return weft_sum(F(x));
}
static weft_array *leaks(weft_array *x, weft_array *dx, weft_array **dy)
{
    met = dx;
    *dy = dx;
    return cube(x);
}
static weft_array *closes_mapped(weft_array *x) { return weft_sum(weft_vmap(NULL, closes, "0")(x)); }
static weft_array *around_batch(weft_array *x)
{
    met = weft_mul(x, 2);
    return weft_vmap(NULL, F, "0")(x);
}

static void declare_all(void)
{
    weft_describe(ctx, net);
    weft_describe(ctx, list);
#define DECLARE(f, sig) weft_declare(ctx, f, sig)
    DECLARE(cube, weft_unary);
    DECLARE(same_jvp, jvp_fn);
    DECLARE(value_shape, jvp_fn);
    DECLARE(value_dtype, jvp_fn);
    DECLARE(tangent_shape, jvp_fn);
    DECLARE(tangent_dtype, jvp_fn);
    DECLARE(tangent_null, jvp_fn);
    DECLARE(tangent_wrong, jvp_fn);
    DECLARE(keep, forward_fn);
    DECLARE(keep_sum, forward_fn);
    DECLARE(back, weft_binary);
    DECLARE(back_sum, weft_binary);
    DECLARE(power, power_fn);
    DECLARE(power_jvp, power_jvp_fn);
    DECLARE(power_keep, power_forward_fn);
    DECLARE(apply, net_fn);
    DECLARE(apply_jvp, net_jvp_fn);
    DECLARE(apply_keep, net_forward_fn);
    DECLARE(apply_back, net_backward_fn);
    DECLARE(apply_back_scale, net_backward_fn);
    DECLARE(step, step_fn);
    DECLARE(norm_of, list_fn);
    DECLARE(norm_keep, list_forward_fn);
    DECLARE(norm_back, list_backward_fn);
    DECLARE(five, five_fn);
    DECLARE(batch_lost, weft_unary);
    DECLARE(batch_shape, weft_unary);
    DECLARE(batch_dtype, weft_unary);
    DECLARE(batch_meets, weft_unary);
    DECLARE(integers, weft_unary);
    DECLARE(use, weft_unary);
    DECLARE(use_1, weft_unary);
    DECLARE(use_2, weft_unary);
    DECLARE(use_3, weft_unary);
    DECLARE(again, jvp_fn);
    DECLARE(scaled, weft_unary);
    DECLARE(closes, weft_unary);
    DECLARE(closes_argument, weft_unary);
    DECLARE(leaks, jvp_fn);
    DECLARE(around_batch, weft_unary);
    DECLARE(closes_mapped, weft_unary);
}

static void setup(void)
{
    open_context();
    declare_all();
}

TestSuite(rules_bad, .init = setup, .fini = close_context);

/* result: an array, which must be NULL. */
#define BAD(code, result, ...) REFUSED(code, (result) == NULL, __VA_ARGS__)
/* made: a function that cannot be made. */
#define UNMADE(made, ...) REFUSED(WEFT_ARGUMENT, ((void)(made), weft_error(ctx) != NULL), __VA_ARGS__)

static weft_array *ramp(int n) { return weft_linspace(ctx, 1, n, n); }

/* ---- rules ---- */

Test(rules_bad, signatures)
{
    UNMADE(weft_custom_jvp(ctx, cube, cube), "weft_custom_jvp",
           "must be declared as  weft_array *cube(weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy)");
    UNMADE(weft_custom_jvp(ctx, apply, apply), "weft_array *apply(const net *m, weft_array *x, const net "
                                               "*dm, weft_array *dx, WEFT_OUT weft_array **dy)");
    UNMADE(weft_custom_jvp(ctx, power, power_jvp),
           "weft_array *power_jvp(weft_array *x, int n, weft_array *dx, WEFT_OUT weft_array **dy)");
    UNMADE(weft_custom_jvp(ctx, step, cube),
           "weft_array *cube(layer *s, weft_array *x, const layer *ds, weft_array *dx, WEFT_OUT weft_array "
           "**dy, WEFT_OUT layer *ds_out)");
    UNMADE(weft_custom_vjp(ctx, cube, power, back),
           "weft_array *power(weft_array *x, ... and WEFT_OUTs for all that the backward rule is to get)");
    UNMADE(weft_custom_vjp(ctx, cube, keep, cube), "weft_array *cube(weft_array *kept, weft_array *dy)");
    UNMADE(weft_custom_vjp(ctx, power, power_keep, back),
           "weft_array *back(int n, weft_array *kept, weft_array *dy)");
    UNMADE(weft_custom_vjp(ctx, apply, apply_keep, back),
           "void back(const net *kept, weft_array *dy, WEFT_OUT net *dm, WEFT_OUT weft_array **dx)");
    UNMADE(weft_custom_vmap(ctx, cube, back),
           "the rule must be declared as the function is:  weft_array *back(weft_array *x)");
    UNMADE(weft_custom_jvp(ctx, five, five), "weft_array *five(weft_array *x, weft_array *y, weft_array *dx, "
                                             "weft_array *dy, WEFT_OUT weft_array **dz)");
}

Test(rules_bad, functions_that_are_not_there)
{
    UNMADE(weft_custom_jvp(ctx, undeclared, same_jvp), "weft_custom_jvp: the function is not declared");
    UNMADE(weft_custom_jvp(ctx, cube, undeclared), "weft_custom_jvp: function 2 of 2 is not declared");
    UNMADE(weft_custom_vjp(ctx, cube, keep, undeclared), "function 3 of 3 is not declared");
    UNMADE(weft_custom_vmap(ctx, cube, undeclared), "function 2 of 2 is not declared");
    UNMADE(weft_custom_jvp(ctx, cube, (weft_unary *)NULL), "function 2 of 2 is NULL");
    UNMADE(weft_custom_vjp(ctx, (weft_unary *)NULL, keep, back), "the function is NULL");
}

Test(rules_bad, what_rules_give)
{
    weft_array *x = ramp(3);
    BAD(WEFT_SHAPE, weft_custom_jvp(ctx, cube, value_shape)(x),
        "custom_jvp(cube, value_shape): rule value_shape: result return must be f32[3], as the function "
        "gives it, but it is f32");
    BAD(WEFT_DTYPE, weft_custom_jvp(ctx, cube, value_dtype)(x),
        "rule value_dtype: result return must be f32[3]", "but it is f64[3]");
    BAD(WEFT_SHAPE, weft_custom_jvp(ctx, cube, tangent_shape)(x),
        "rule tangent_shape: the tangent of result return must be f32[3], as the result is, but it is f32");
    BAD(WEFT_DTYPE, weft_custom_jvp(ctx, cube, tangent_dtype)(x),
        "the tangent of result return must be f32[3]", "but it is f16[3]");
    BAD(WEFT_ARGUMENT, weft_custom_jvp(ctx, cube, tangent_null)(x), "tangent_null", "result dy is NULL");
    BAD(WEFT_SHAPE, weft_custom_jvp(ctx, cube, tangent_wrong)(x), "weft_add", "f32[3]", "f32[7]",
        "in tangent_wrong");
    BAD(WEFT_SHAPE, weft_custom_vjp(ctx, cube, keep_sum, back)(x),
        "rule keep_sum: result return must be f32[3], as the function gives it");
    BAD(WEFT_SHAPE, weft_custom_vjp(ctx, cube, keep, back_sum)(x),
        "rule back_sum: the cotangent of argument x must be f32[3], as the argument is, but it is f32");
    BAD(WEFT_SHAPE, weft_jit(ctx, weft_custom_vjp(ctx, cube, keep, back_sum))(x),
        "the cotangent of argument x must be f32[3]");
    BAD(WEFT_SHAPE,
        weft_vmap(ctx, weft_custom_vjp(ctx, cube, keep, back_sum), "0")(weft_reshape(ramp(6), 2, 3)),
        "the cotangent of argument x must be f32[3]");
    BAD(WEFT_ARGUMENT, weft_custom_jvp(ctx, cube, same_jvp)(NULL), "argument x is NULL");
}

Test(rules_bad, what_rules_give_in_structs)
{
    weft_array *x = ramp(3), *one = weft_scalar_as(ctx, WEFT_I32, 1), *v[] = { ramp(2), ramp(3) };
    net m = { .l = { { ramp(3), one }, { ramp(3), one } }, .scale = 1 };
    list l = { v, 2, NULL };
    BAD(WEFT_SHAPE, weft_custom_vjp(ctx, apply, apply_keep, apply_back)(&m, x),
        "rule apply_back: the cotangent of argument m.l[1].w must be f32[3], as the argument is, but it is "
        "f32");
    BAD(WEFT_TREE_MISMATCH, weft_custom_vjp(ctx, apply, apply_keep, apply_back_scale)(&m, x),
        "the cotangent of argument m must have the structure of the argument",
        "m.scale is 1 there and 2 here");
    BAD(WEFT_TREE_MISMATCH, weft_custom_vjp(ctx, norm_of, norm_keep, norm_back)(&l),
        "l.v is a list of 2 there and a list of 1 here, so the lengths do not match");
    BAD(WEFT_SHAPE, weft_custom_jvp(ctx, apply, apply_jvp)(&m, weft_ones(ctx, WEFT_F32, 4)), "weft_mul",
        "f32[3]", "f32[4]");
}

WEFT_SIGNATURE(take_fn, weft_array *, (weft_array * x, weft_array *i));
WEFT_SIGNATURE(take_jvp_fn, weft_array *,
               (weft_array * x, weft_array *i, weft_array *dx, WEFT_OUT weft_array **dy));
static weft_array *take(weft_array *x, weft_array *i) { return weft_mul(x, i); }
static weft_array *take_jvp(weft_array *x, weft_array *i, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(dx, i);
    return take(x, i);
}

/* The derivative of an argument may be left out if that is an array of integers. */
Test(rules_bad, what_is_left_out)
{
    weft_array *x = ramp(3), *i = weft_astype(x, WEFT_I32);
    weft_declare(ctx, take, take_fn);
    weft_declare(ctx, take_jvp, take_jvp_fn);
    take_fn *f = weft_custom_jvp(ctx, take, take_jvp);
    cr_expect_not_null(f(x, i));
    BAD(WEFT_ARGUMENT, f(x, x),
        "rule take_jvp: for these arguments (arrays of integers have no derivative) it must be declared as  "
        "weft_array *take_jvp(weft_array *x, weft_array *i, "
        "weft_array *dx, weft_array *di, WEFT_OUT weft_array **dy)");
    BAD(WEFT_ARGUMENT, f(i, i), "it must be declared as  weft_array *take_jvp(weft_array *x, weft_array *i)");
}

/* ---- derivatives of what has rules ---- */

Test(rules_bad, derivatives)
{
    weft_array *x = ramp(3), *dx = ramp(3), *dy = NULL;
    weft_unary *V = weft_custom_vjp(ctx, cube, keep, back);
    BAD(WEFT_ARGUMENT, weft_jvp(ctx, jvp_fn, V, "x")(x, dx, &dy), "jvp(custom_vjp(cube, keep, back))",
        "reverse");
    F = weft_custom_jvp(ctx, scaled, same_jvp);
    BAD(WEFT_ARGUMENT, weft_grad(ctx, weft_unary, closes, "")(x),
        "closes over a value that a derivative is taken by, made at ", "test_rules_bad.c",
        "make it an argument of both");
    BAD(WEFT_ARGUMENT, weft_grad(ctx, weft_unary, closes_argument, "")(x), "closes over a value",
        "argument x");
    BAD(WEFT_ARGUMENT, weft_grad(ctx, weft_unary, closes_mapped, "")(x), "closes over a value",
        "test_rules_bad.c");
    F = weft_custom_jvp(ctx, cube, again);
    BAD(WEFT_ARGUMENT, weft_grad(ctx, weft_unary, use_3, "")(x), "up to order 3");
    F = weft_custom_jvp(ctx, cube, leaks);
    F(x);
    BAD(WEFT_TRACED, weft_add(met, 1), "a traced value whose trace is over");
}

Test(rules_bad, batches)
{
    weft_array *x = weft_reshape(ramp(6), 2, 3);
    BAD(WEFT_SHAPE, weft_vmap(ctx, weft_custom_vmap(ctx, cube, batch_lost), "0")(x),
        "the batching rule batch_lost: result return must have the batch of 2 as its first axis, but it is "
        "f32");
    BAD(WEFT_SHAPE, weft_vmap(ctx, weft_custom_vmap(ctx, cube, batch_shape), "0")(x), "batching rule",
        "f32[2,6]", "f32[2,3]");
    BAD(WEFT_SHAPE, weft_vmap(ctx, weft_custom_vmap(ctx, cube, batch_dtype), "0")(x), "batching rule",
        "f64[2,3]", "f32[2,3]");
    F = weft_custom_vmap(ctx, cube, batch_meets);
    BAD(WEFT_TRACED, weft_jit(ctx, around_batch)(x),
        "the batching rule batch_meets uses a traced value from around it, made at ", "make it an argument");
}

/* ---- C functions ---- */

static void smooth(const float *x, int64_t n, float width, float *out)
{
    for (int64_t i = 0; i < n; i++) out[i] = x[i] * width;
}
WEFT_SIGNATURE(smooth_c, void, (const float *x, int64_t n, float width, float *out));
static void bytes(const float *x, int8_t n, float *y)
{
    for (int i = 0; i < n; i++) y[i] = x[i];
}
WEFT_SIGNATURE(bytes_c, void, (const float *x, int8_t n, float *y));
static void half_bits(const uint16_t *x, int n, uint16_t *y)
{
    for (int i = 0; i < n; i++) y[i] = x[i];
}
WEFT_SIGNATURE(half_bits_c, void, (const uint16_t *x, int n, uint16_t *y));
static int both(float *x, int n, const double *y, void *user)
{
    (void)x, (void)n, (void)y, (void)user;
    return 0;
}
WEFT_SIGNATURE(both_c, int, (float *x, int n, const double *y, void *user));
static void nested(float **x) { (void)x; }
WEFT_SIGNATURE(nested_c, void, (float **x));
static const float *gives(const float *x) { return x; }
WEFT_SIGNATURE(gives_c, const float *, (const float *x));
static void structs(const layer *x) { (void)x; }
WEFT_SIGNATURE(structs_c, void, (const layer *x));
WEFT_SIGNATURE(static_fn, weft_array *, (weft_array * x, double width));
WEFT_SIGNATURE(pointer_fn, weft_array *, (int x, weft_array *width));
WEFT_SIGNATURE(struct_fn, weft_array *, (const layer *x, weft_array *width));
WEFT_SIGNATURE(struct_out_fn, void, (weft_array * x, weft_array *width, WEFT_OUT layer *y));

static weft_binary *op;
static weft_array *use_op(weft_array *x) { return weft_sum(op(x, weft_scalar(NULL, 2))); }

Test(rules_bad, texts_of_c_functions)
{
#define SMOOTH(text, ...) \
    UNMADE(weft_foreign(ctx, weft_binary, smooth, smooth_c, text), "weft_foreign: smooth: ", __VA_ARGS__)
    SMOOTH("", "a parameter's name was expected");
    SMOOTH(NULL, "a parameter's name was expected");
    SMOOTH("x[n]", "\"-> results\" is missing");
    SMOOTH("x[n], width -> ", "a parameter's name was expected at the end");
    SMOOTH("x[n], width -> out[m]", "out[m]: size m is not known");
    SMOOTH("x[n], width -> out[n*", "a size was expected at the end");
    SMOOTH("x[n], width -> out[n", "a ']' is missing");
    SMOOTH("x[n], width -> out[(n]", "a ')' is missing");
    SMOOTH("q[n], width -> out[n]", "the function has no parameter q");
    SMOOTH("x[n], width, n -> out[n]", "the text names 3 arguments", "has 2");
    SMOOTH("x[n], width -> x[n]", "parameter x cannot be a result");
    SMOOTH("x[n], out[n], width -> out[n]", "the text names 3 arguments");
    SMOOTH("x[n] -> out[n]", "nothing says what parameter width is");
    SMOOTH("x[n], width -> out[n], return", "the function returns nothing");
    SMOOTH("x[n], width[2] -> out[n]", "parameter width is one number in C");
    SMOOTH("x[n], x[n] -> out[n]", "parameter x is named twice");
    SMOOTH("x[n], width -> out[n] and more", "unexpected \"and more\"");
    SMOOTH("x[n], width, width = 3 -> out[n]", "parameter width is named twice");
    SMOOTH("x[m], width -> out[m]", "nothing says what parameter n is");
    SMOOTH("x[m], width, n = k -> out[m]", "parameter n: size k is not known");
    SMOOTH("x[m], width, out = 3 -> out[m]", "parameter out is no number");
    SMOOTH("x[99999999999999999999], width, n = 3 -> out[1]", "a number is too large");
    UNMADE(weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]", .batch = 7),
           ".batch is 7", "WEFT_BATCH_LOOP");
    UNMADE(weft_foreign(ctx, weft_binary, both, both_c, "x[n], y -> return"),
           "parameter x is no pointer to const, so the function may write it");
    UNMADE(weft_foreign(ctx, weft_binary, both, both_c, "x[n], y[n], user -> x[n]"),
           "parameter user is a void *: it is .user");
    UNMADE(weft_foreign(ctx, weft_unary, both, both_c, "y[n] -> return"),
           "parameter x is no pointer to const, so it is a result, but the text does not name it");
    UNMADE(weft_foreign(ctx, weft_unary, nested, nested_c, "x -> x"),
           "nested: parameter 1: a pointer to pointers");
    UNMADE(weft_foreign(ctx, weft_unary, gives, gives_c, "x -> return"),
           "gives: the function returns a pointer");
    UNMADE(weft_foreign(ctx, weft_unary, structs, structs_c, "x -> return"),
           "parameter 1: 'layer' is no C number");
    UNMADE(weft_foreign(ctx, pointer_fn, smooth, smooth_c, "x[n], width -> out[n]"),
           "argument x of the signature is a number, but parameter x is a pointer");
    UNMADE(weft_foreign(ctx, struct_fn, smooth, smooth_c, "x[n], width -> out[n]"),
           "argument x of the signature is a struct");
    UNMADE(weft_foreign(ctx, struct_out_fn, smooth, smooth_c, "x[n], width -> out[n]"),
           "result y of the signature is a struct");
    UNMADE(weft_foreign(ctx, static_fn, bytes, bytes_c, "x[m], n -> y[m]"),
           "argument width of the signature is f64, but parameter n is i8");
    UNMADE(weft_foreign(ctx, weft_binary, (smooth_c *)NULL, smooth_c, "x[n], width -> out[n]"),
           "the function is NULL");
}

Test(rules_bad, calls_of_c_functions)
{
    op = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]");
    weft_unary *few = weft_foreign(ctx, weft_unary, bytes, bytes_c, "x[n] -> y[n]"),
               *less = weft_foreign(ctx, weft_unary, bytes, bytes_c, "x[n] -> y[n - 4]");
    weft_unary *huge = weft_foreign(ctx, weft_unary, bytes, bytes_c, "x[n] -> y[n * 4611686018427387904]"),
               *zero = weft_foreign(ctx, weft_unary, bytes, bytes_c, "x[n] -> y[1 / (n - 3)]");
    weft_unary *large =
        weft_foreign(ctx, weft_unary, bytes, bytes_c, "x[n] -> y[n * 1099511627776, 1048576]");
    weft_unary *vast = weft_foreign(ctx, weft_unary, bytes, bytes_c, "x[n] -> y[n * 1099511627776]"),
               *halves = weft_foreign(ctx, weft_unary, half_bits, half_bits_c, "x[n] -> y[n]");
    weft_binary *two = weft_foreign(ctx, weft_binary, both, both_c, "x[n], y[n] -> x[n]"),
                *other = weft_foreign(ctx, weft_binary, both, both_c, "x[n], y[n] -> x[n + 1]");
    weft_array *x = ramp(3), *d = weft_astype(ramp(3), WEFT_F64), *s = weft_scalar(ctx, 2);
    BAD(WEFT_DTYPE, op(d, s), "smooth: argument x[n] must be f32 of rank 1", "but it is f64[3]",
        "weft_astype", "in smooth made at ");
    BAD(WEFT_DTYPE, halves(weft_astype(x, WEFT_F16)), "argument x[n] must be u16 of rank 1",
        "weft_bitcast gives its bits as u16");
    BAD(WEFT_SHAPE, op(weft_reshape(x, 3, 1), s), "smooth: argument x[n] must be f32 of rank 1",
        "but it is f32[3,1]");
    BAD(WEFT_SHAPE, op(x, x), "argument width must be f32 of rank 0", "but it is f32[3]");
    BAD(WEFT_ARGUMENT, op(NULL, s), "argument x is NULL");
    BAD(WEFT_SHAPE, two(x, weft_astype(ramp(4), WEFT_F64)),
        "both: argument y[n] is f64[4]: axis 0 is 4, but n is 3");
    BAD(WEFT_SHAPE, other(x, d),
        "parameter x is argument and result, but goes in as f32[3] and would come out as f32[4]");
    BAD(WEFT_SHAPE, few(ramp(200)), "parameter n is i8 in C, too small for 200");
    BAD(WEFT_SHAPE, less(x), "result y[n - 4]: axis 0 would be -1");
    BAD(WEFT_SHAPE, huge(x), "a size is too large");
    BAD(WEFT_ARGUMENT, zero(x), "a size is divided by 0");
    BAD(WEFT_SHAPE, large(x), "bytes");
    BAD(WEFT_MEMORY, vast(x), "bytes: out of memory: f32[3298534883328] takes 13194139533312 bytes",
        "in bytes made at ");
    weft_declare(ctx, use_op, weft_unary);
    BAD(WEFT_ARGUMENT, weft_grad(ctx, weft_unary, use_op, "")(x),
        "smooth is a C function, whose derivative nobody knows", "weft_custom_vjp");
    BAD(WEFT_ARGUMENT, weft_vmap(ctx, op, "0, none")(weft_reshape(ramp(6), 2, 3), s),
        "the foreign function smooth takes one example only", ".batch = WEFT_BATCH_LOOP", "weft_custom_vmap");
    BAD(WEFT_ARGUMENT, weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n]")(x, s),
        "weft_foreign: smooth: \"-> results\" is missing");
}

/* A plan may call C functions; a plan for real time may not. */
Test(rules_bad, plans_for_real_time)
{
    weft_plan *plan = NULL;
    op = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]");
    weft_declare(ctx, use_op, weft_unary);
    weft_unary *fast = weft_jit(ctx, use_op);
    weft_array *x = ramp(3);
    cr_expect_eq(weft_item(fast(x)), 12);
    UNMADE(plan = weft_compile(ctx, (weft_plan_options){ .realtime = true }, fast(x)),
           "weft_compile: a plan for real time cannot call the C function smooth");
    cr_expect_null(plan);
    plan = weft_compile(ctx, (weft_plan_options){ .threads = 1 }, fast(x));
    cr_assert(plan, "%s", weft_error(ctx));
    float in[3] = { 1, 2, 3 }, out = 0;
    _Alignas(64) char scratch[4096];
    const void *from[1];
    void *to[1];
    cr_assert(weft_plan_scratch(plan) <= sizeof scratch);
    weft_bind(plan, from, to, "x", in);
    weft_bind(plan, from, to, "return", &out);
    cr_expect_eq(weft_run(plan, from, to, scratch), WEFT_OK);
    cr_expect_eq(out, 12);
    weft_plan_free(plan);
}

/* ---- hooks ---- */

static weft_array *halve(weft_array *g) { return weft_mul(g, 0.5); }
static weft_array *summed(weft_array *g) { return weft_sum(g); }
static weft_array *doubled(weft_array *g) { return weft_astype(g, WEFT_F64); }
static weft_array *nothing(weft_array *g)
{
    (void)g;
    return NULL;
}
static weft_array *squares(weft_array *x) { return weft_sum(weft_square(x)); }
static weft_unary *chosen;
static weft_array *hooked(weft_array *x) { return weft_sum(weft_square(weft_hook(x, chosen))); }

WEFT_SIGNATURE(linearized_fn, weft_array *, (weft_array * x, WEFT_OUT weft_linear *at));
WEFT_SIGNATURE(along_fn, weft_array *, (const weft_linear *at, weft_array *t));

/* Forward mode through the linear half meets the hook, of which it has no derivative. */
Test(rules_bad, hooks_in_forward_mode)
{
    weft_array *x = ramp(3);
    weft_linear at;
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, squares, weft_unary);
    weft_declare(ctx, hooked, weft_unary);
    chosen = halve;
    weft_linearize(ctx, linearized_fn, hooked, "x")(x, &at);
    BAD(WEFT_ARGUMENT, weft_linear_jvp(ctx, along_fn, hooked, "x")(&at, x),
        "forward mode through the hook halve at ", "test_rules_bad.c", "weft_hook_remove", "weft_jvp");
    weft_hook_add(ctx, squares, "x", halve);
    weft_linearize(ctx, linearized_fn, squares, "x")(x, &at);
    BAD(WEFT_ARGUMENT, weft_linear_jvp(ctx, along_fn, squares, "x")(&at, x),
        "forward mode through the hook halve on x of squares");
}

Test(rules_bad, hooks_where_they_are_called)
{
    weft_array *x = ramp(3);
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, summed, weft_unary);
    weft_declare(ctx, doubled, weft_unary);
    weft_declare(ctx, nothing, weft_unary);
    weft_unary *bad[] = { summed, doubled, nothing, undeclared };
    const char *word[] = { "hook summed at ", "hook doubled at ", "nothing", "the function is not declared" };
    const char *more[] = { "must be f32[3], as the array and the gradient it gets are, but it is f32",
                           "but it is f64[3]", "result return is NULL", "weft_hook" };
    weft_status code[] = { WEFT_SHAPE, WEFT_DTYPE, WEFT_ARGUMENT, WEFT_ARGUMENT };
    for (int i = 0; i < 4; i++) {
        weft_declare(ctx, hooked, weft_unary);
        chosen = bad[i];
        BAD(code[i], weft_grad(ctx, weft_unary, hooked, "")(x), word[i], more[i], "test_rules_bad.c");
        weft_forget(ctx, hooked);
    }
    weft_declare(ctx, hooked, weft_unary);
    chosen = halve;
    BAD(WEFT_DTYPE, weft_jit(ctx, hooked)(weft_from(ctx, ((int[]){ 1, 2 }), 2)), "hook halve at ",
        "the array is i32[2], and integers have no gradient");
    BAD(WEFT_ARGUMENT, weft_hook((weft_array *)NULL, halve), "weft_hook: x is NULL");
    BAD(WEFT_ARGUMENT, weft_hook(x, undeclared), "weft_hook: the function is not declared");
    BAD(WEFT_ARGUMENT, weft_hook_(x, (weft_fn)back, "here"),
        "here: weft_hook: a hook takes a gradient and gives one: it must be declared as  weft_array "
        "*back(weft_array *gradient)");
    weft_array *gone = ramp(2);
    weft_free(gone);
    BAD(WEFT_ARGUMENT, weft_hook(gone, halve), "x was freed");
}

#define NO_HOOK(id, ...) UNMADE((id) == 0 ? (void)0 : (void)weft_clear(ctx), __VA_ARGS__)

Test(rules_bad, registered_hooks)
{
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, summed, weft_unary);
    weft_declare(ctx, squares, weft_unary);
    NO_HOOK(weft_hook_add(ctx, squares, "z", halve), "weft_hook_add: squares has no argument z; it has x");
    NO_HOOK(weft_hook_add(ctx, squares, "x.w", halve), "x is an array: there is nothing in it");
    NO_HOOK(weft_hook_add(ctx, squares, "x[1]", halve), "x is no list");
    NO_HOOK(weft_hook_add(ctx, squares, "x,", halve), "a name was expected at the end");
    NO_HOOK(weft_hook_add(ctx, apply, "m.l[2].w", halve), "m.l has no element 2: it is a list of 2");
    NO_HOOK(weft_hook_add(ctx, apply, "m.l[0].v", halve), "there is no v in m.l[0]; it has w, count");
    NO_HOOK(weft_hook_add(ctx, apply, "m.scale", halve), "m.scale is no array");
    NO_HOOK(weft_hook_add(ctx, power, "n", halve), "n is no array");
    NO_HOOK(weft_hook_add(ctx, undeclared, "x", halve), "weft_hook_add: function 2 of 2 is not declared");
    NO_HOOK(weft_hook_add(ctx, squares, "x", undeclared), "weft_hook_add: the function is not declared");
    NO_HOOK(weft_hook_add(ctx, squares, "x", (weft_unary *)NULL), "the function is NULL");
    NO_HOOK(weft_hook_add_(ctx, (weft_fn)squares, "x", (weft_fn)back, "here"),
            "it must be declared as  weft_array *back(weft_array *gradient)");
    UNMADE(weft_hook_remove(ctx, 0), "weft_hook_remove: no hook has the number 0");
    weft_hook_id id = weft_hook_add(ctx, squares, "x", halve);
    cr_expect_eq(weft_hook_remove(ctx, id), WEFT_OK);
    UNMADE(weft_hook_remove(ctx, id), "it was removed already");
    UNMADE(weft_hook_remove(ctx, 12345), "no hook has the number 12345");
}

Test(rules_bad, calls_under_registered_hooks)
{
    weft_array *x = ramp(3), *one = weft_scalar_as(ctx, WEFT_I32, 1), *v[] = { ramp(2) }, *dx;
    list l = { v, 1, NULL };
    net m = { .l = { { ramp(3), one }, { ramp(3), one } }, .scale = 1 };
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, summed, weft_unary);
    weft_declare(ctx, squares, weft_unary);
    weft_hook_id id = weft_hook_add(ctx, squares, "x", summed);
    BAD(WEFT_SHAPE, weft_grad(ctx, weft_unary, squares, "")(x),
        "hook summed on x of squares: the gradient that it gives must be f32[3]", "but it is f32");
    BAD(WEFT_SHAPE, weft_jit(ctx, weft_grad(ctx, weft_unary, squares, ""))(x), "hook summed on x of squares");
    weft_hook_remove(ctx, id);
    id = weft_hook_add(ctx, norm_of, "l.v[2]", halve);
    BAD(WEFT_ARGUMENT, weft_grad(ctx, list_grad_fn, norm_of, "l.v[0]")(&l),
        "hook halve on l.v[2] of norm_of: l.v[2] is not there: l.v is a list of 1");
    weft_hook_remove(ctx, id);
    id = weft_hook_add(ctx, norm_of, "l.extra.w", halve);
    BAD(WEFT_ARGUMENT, weft_grad(ctx, list_grad_fn, norm_of, "l.v[0]")(&l),
        "l.extra.w is not there: l.extra is NULL");
    weft_hook_remove(ctx, id);
    id = weft_hook_add(ctx, apply, "m.l[0].count", halve);
    BAD(WEFT_DTYPE, weft_vjp(ctx, apply_vjp_fn, apply, "x")(&m, x, x, &dx),
        "hook halve on m.l[0].count of apply: the array is i32, and integers have no gradient");
    weft_hook_remove(ctx, id);
    cr_expect_eq(weft_item(weft_sum(weft_jit(ctx, apply)(&m, x))), 28);
}

/* ---- out of memory ---- */

static weft_array *batch_of_cubes(weft_array *x) { return weft_add(cube(x), met); }

static bool exercise(void)
{
    weft_array *x = ramp(3), *one = weft_scalar_as(ctx, WEFT_I32, 1);
    net m = { .l = { { x, one }, { x, one } }, .scale = 1 };
    met = ramp(3);
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, squares, weft_unary);
    weft_declare(ctx, batch_of_cubes, weft_unary);
    F = weft_custom_jvp(ctx, cube, same_jvp);
    weft_grad(ctx, weft_unary, use, "")(x);
    F = weft_custom_vmap(ctx, weft_custom_vjp(ctx, cube, keep, back), batch_of_cubes);
    weft_vmap(ctx, F, "0")(weft_reshape(ramp(6), 2, 3));
    weft_custom_jvp(ctx, apply, apply_jvp)(&m, x);
    op = weft_foreign(ctx, weft_binary, smooth, smooth_c, "x[n], width -> out[n]", .batch = WEFT_BATCH_LOOP);
    weft_vmap(ctx, op, "0, none")(weft_reshape(x, 3, 1), weft_scalar(ctx, 2));
    weft_hook_id id = weft_hook_add(ctx, squares, "x", halve);
    weft_grad(ctx, weft_unary, squares, "")(x);
    if (id) weft_hook_remove(ctx, id);
    return !weft_error(ctx);
}

Test(rules_bad, every_allocation_may_fail, .timeout = 200)
{
    every_allocation_may_fail(20000, declare_all, exercise);
}
