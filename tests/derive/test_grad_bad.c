/* test_grad_bad.c: what a user can get wrong with derivatives: each case gives NULL and one message, which
 * names the function and the leaf and says what to do, and leaves nothing behind; and derivatives bear an
 * allocator that refuses at any call. */
#include <limits.h>
#include <stdio.h>
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
} net;
typedef struct {
    weft_array **v;
    int n;
    layer *extra;
} list;
typedef struct {
    weft_array *h;
} state;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_ARRAY(net, count), WEFT_STATIC(net, power));
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n), WEFT_POINTER(list, extra, layer));
WEFT_STRUCT(state, WEFT_ARRAY(state, h));

WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x, int order));
WEFT_SIGNATURE(net_grad, weft_array *, (const net *m, weft_array *x, int order, WEFT_OUT net *dm));
WEFT_SIGNATURE(net_jvp, weft_array *,
               (const net *m, weft_array *x, int order, const net *dm, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(net_vjp, weft_array *,
               (const net *m, weft_array *x, int order, weft_array *ct, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(list_fn, weft_array *, (const list *l));
WEFT_SIGNATURE(list_jvp, weft_array *, (const list *l, const list *dl, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(list_leaf, weft_array *, (const list *l, WEFT_OUT weft_array **dv));
WEFT_SIGNATURE(loss_count, weft_array *, (const net *m, weft_array *x, int order, WEFT_OUT weft_array **d));
WEFT_SIGNATURE(layer_fn, void, (weft_array * x, WEFT_OUT layer *out));
WEFT_SIGNATURE(layer_vjp, void,
               (weft_array * x, const layer *ct, WEFT_OUT layer *out, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(state_fn, void, (state * s));
WEFT_SIGNATURE(state_sum, weft_array *, (state * s));
WEFT_SIGNATURE(number_fn, weft_array *, (int n));
WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(unary_vjp, weft_array *, (weft_array * x, weft_array *ct, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(unary_both, weft_array *, (weft_array * x, WEFT_OUT weft_array **dx));

static weft_array *loss(const net *m, weft_array *x, int order)
{
    return weft_pow(weft_sum(weft_matmul(x, m->l[0].w)), order);
}
static weft_array *list_sum(const list *l) { return weft_sum(l->v[0]); }
static void make_layer(weft_array *x, layer *out)
{
    out->w = x;
    out->b = weft_sum(x);
}
static void advance(state *s) { s->h = weft_mul(s->h, 2); }
static weft_array *total(state *s) { return weft_sum(s->h); }
static weft_array *ones_of(int n) { return weft_ones(NULL, WEFT_F32, n); }
static weft_array *square(weft_array *x) { return weft_mul(x, x); }
static weft_array *norm2(weft_array *x) { return weft_sum(weft_mul(x, x)); }
static weft_array *largest(weft_array *x) { return weft_argmax(x); }
static weft_array *count(weft_array *x) { return weft_sum(weft_gt(x, 0)); }
static weft_array *power(weft_array *x) { return weft_sum(weft_pow(x, 2.0)); }
static weft_array *wrong_inside(weft_array *x) { return weft_sum(weft_add(x, weft_ones(NULL, WEFT_F32, 7))); }
static weft_array *halving(weft_array *x) { return weft_mul(x, 0.5); }
static weft_array *large(weft_array *x) { return weft_gt(x, 1); }
static weft_array *halved(weft_array *x)
{
    weft_declare(NULL, halving, weft_unary);
    weft_declare(NULL, large, weft_unary);
    return weft_while(NULL, large, halving, "carry")(x);
}
static weft_array *grow_step(weft_array *h, weft_array *x) { return weft_sin(weft_mul(h, x)); }
static weft_array *long_scan(weft_array *x)
{
    weft_declare(NULL, grow_step, weft_binary);
    return weft_sum(weft_scan(NULL, grow_step, "carry, none", .length = 100000)(x, x));
}
static weft_array *deep(weft_array *x)
{
    return weft_reshape(weft_mul(x, x), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2);
}

static net m;
static weft_array *x, *ints, *one;

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_describe(ctx, list);
    weft_describe(ctx, state);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, list_sum, list_fn);
    weft_declare(ctx, make_layer, layer_fn);
    weft_declare(ctx, advance, state_fn);
    weft_declare(ctx, total, state_sum);
    weft_declare(ctx, ones_of, number_fn);
    weft_declare(ctx, square, weft_unary);
    weft_declare(ctx, norm2, weft_unary);
    weft_declare(ctx, largest, weft_unary);
    weft_declare(ctx, count, weft_unary);
    weft_declare(ctx, power, weft_unary);
    weft_declare(ctx, wrong_inside, weft_unary);
    weft_declare(ctx, halved, weft_unary);
    weft_declare(ctx, long_scan, weft_unary);
    weft_declare(ctx, deep, weft_unary);
    x = weft_ones(ctx, WEFT_F32, 3);
    one = weft_ones(ctx, WEFT_F32);
    ints = weft_ones(ctx, WEFT_I32, 3);
    m = (net){ .l = { { weft_ones(ctx, WEFT_F32, 3, 2), weft_ones(ctx, WEFT_F32, 2) }, { x, x } },
               .count = ints,
               .power = 1 };
}

TestSuite(grad_bad, .init = setup, .fini = close_context);

/* What is asked for, or called, is wrong. */
#define BAD(code, text, call) REFUSED(code, ((void)(call), weft_error(ctx) != NULL), text)

Test(grad_bad, what_is_differentiated_by)
{
    BAD(WEFT_ARGUMENT, "weft_grad: loss has no argument w; it has m, x", weft_grad(ctx, loss_fn, loss, "w"));
    BAD(WEFT_ARGUMENT, "there is no w2 in m.l[0]; it has w, b", weft_grad(ctx, loss_fn, loss, "m.l[0].w2"));
    BAD(WEFT_ARGUMENT, "there is no z in m; it has l, count", weft_grad(ctx, loss_fn, loss, "m.z"));
    BAD(WEFT_ARGUMENT, "order is no array: there is no derivative by it",
        weft_grad(ctx, loss_fn, loss, "order"));
    BAD(WEFT_ARGUMENT, "m.power is no array: there is no derivative by it",
        weft_grad(ctx, loss_fn, loss, "m.power"));
    BAD(WEFT_ARGUMENT, "m.l has no element 2: it is a list of 2", weft_grad(ctx, loss_fn, loss, "m.l[2].w"));
    BAD(WEFT_ARGUMENT, "m.l has no element 9223372036854775808: it is a list of 2",
        weft_grad(ctx, loss_fn, loss, "m.l[9223372036854775808].w"));
    BAD(WEFT_ARGUMENT, "m.l has no element -1", weft_grad(ctx, loss_fn, loss, "m.l[-1].w"));
    BAD(WEFT_ARGUMENT, "m.l is a list of 2: say which element, m.l[0]",
        weft_grad(ctx, loss_fn, loss, "m.l.w"));
    BAD(WEFT_ARGUMENT, "an index and ']' were expected behind 'm.l['",
        weft_grad(ctx, loss_fn, loss, "m.l[one]"));
    BAD(WEFT_ARGUMENT, "an index and ']' were expected behind 'm.l['",
        weft_grad(ctx, loss_fn, loss, "m.l[0"));
    BAD(WEFT_ARGUMENT, "x is no list: it has no element 0", weft_grad(ctx, loss_fn, loss, "x[0]"));
    BAD(WEFT_ARGUMENT, "m.l[0].w is no list: it has no element 3",
        weft_grad(ctx, loss_fn, loss, "m.l[0].w[3]"));
    BAD(WEFT_ARGUMENT, "m.l[0].w is an array: there is nothing in it",
        weft_grad(ctx, loss_fn, loss, "m.l[0].w.x"));
    BAD(WEFT_ARGUMENT, "a name was expected at the end", weft_grad(ctx, loss_fn, loss, "x,"));
    BAD(WEFT_ARGUMENT, "a name was expected at '.l'", weft_grad(ctx, loss_fn, loss, ".l"));
    BAD(WEFT_ARGUMENT, "a name was expected at the end", weft_grad(ctx, loss_fn, loss, "m."));
    BAD(WEFT_ARGUMENT, "',' was expected at 'm'", weft_grad(ctx, loss_fn, loss, "x m"));
    BAD(WEFT_ARGUMENT, "x is named twice", weft_grad(ctx, loss_fn, loss, "x, x"));
    BAD(WEFT_ARGUMENT, "m.l[0].b is part of m, which is named too",
        weft_grad(ctx, loss_fn, loss, "m, m.l[0].b"));
    BAD(WEFT_ARGUMENT, "m.l[1].b is part of m.l[1], which is named too",
        weft_grad(ctx, loss_fn, loss, "m.l[1].b, x, m.l"));
    BAD(WEFT_ARGUMENT,
        "l.v is a list whose length is known at run time: name its elements, l.v[0], or all that it is in",
        weft_grad(ctx, list_fn, list_sum, "l.v"));
    BAD(WEFT_ARGUMENT, "ones_of has no array among its arguments", weft_grad(ctx, number_fn, ones_of, ""));
}

Test(grad_bad, signatures)
{
    BAD(WEFT_ARGUMENT,
        "weft_value_and_grad: value_and_grad of loss must be of the type\n"
        "    WEFT_SIGNATURE(value_and_grad_of_loss, weft_array *, (const net *m, weft_array *x, int order, "
        "WEFT_OUT net *dm));\n"
        "but the one given is weft_array *(const net *m, weft_array *x, int order)",
        weft_value_and_grad(ctx, loss_fn, loss, "m"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(grad_of_loss, void, (const net *m, weft_array *x, int order, WEFT_OUT net *dm));",
        weft_grad(ctx, net_grad, loss, "m"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(grad_of_loss, weft_array *, (const net *m, weft_array *x, int order, WEFT_OUT "
        "weft_array **dm_l_1_b));",
        weft_grad(ctx, loss_fn, loss, "x, m.l[1].b"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(grad_of_loss, weft_array *, (const net *m, weft_array *x, int order));",
        weft_grad(ctx, weft_unary, loss, "x"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(jvp_of_loss, weft_array *, (const net *m, weft_array *x, int order, const net *dm, "
        "WEFT_OUT weft_array **dvalue));",
        weft_jvp(ctx, net_vjp, loss, "m"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(vjp_of_loss, weft_array *, (const net *m, weft_array *x, int order, weft_array "
        "*ct_value, WEFT_OUT net *ct_m));",
        weft_vjp(ctx, net_vjp, loss, "m"));
    BAD(WEFT_ARGUMENT, "WEFT_SIGNATURE(hvp_of_norm2, weft_array *, (weft_array *x, weft_array *v_x));",
        weft_hvp(ctx, weft_unary, norm2, "x"));
    BAD(WEFT_ARGUMENT, "WEFT_SIGNATURE(jacfwd_of_square, weft_array *, (weft_array *x));",
        weft_jacfwd(ctx, weft_binary, square, "x"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(vjp_of_make_layer, void, (weft_array *x, const layer *ct_out, WEFT_OUT layer *out, "
        "WEFT_OUT weft_array **ct_x));",
        weft_vjp(ctx, layer_fn, make_layer, "x"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(transpose_linear_of_square, weft_array *, (weft_array *x, weft_array *ct_value));",
        weft_transpose_linear(ctx, weft_unary, square, "x"));
    BAD(WEFT_ARGUMENT,
        "grad of make_layer: its first result is a struct, not an array; weft_jvp and weft_vjp can",
        weft_grad(ctx, weft_unary, make_layer, "x"));
    BAD(WEFT_ARGUMENT, "grad of advance: it has no result that is no in-out",
        weft_grad(ctx, state_fn, advance, "s"));
    BAD(WEFT_ARGUMENT,
        "transpose_linear of advance: it has an in-out struct; here arguments are const, and results "
        "WEFT_OUT",
        weft_transpose_linear(ctx, state_fn, advance, "s"));
    BAD(WEFT_ARGUMENT, "jacrev of loss: m is a struct net: name its arrays, each has a derivative of its own",
        weft_jacrev(ctx, loss_fn, loss, "m"));
    BAD(WEFT_ARGUMENT, "hessian of loss: m.l[0] is a struct layer",
        weft_hessian(ctx, loss_fn, loss, "x, m.l[0]"));
    BAD(WEFT_ARGUMENT, "the function is NULL", weft_grad(ctx, weft_unary, (weft_unary *)NULL, "x"));
    BAD(WEFT_ARGUMENT, "the function is not declared in this context",
        weft_grad(ctx, weft_unary, grow_step, "x"));
    BAD(WEFT_ARGUMENT, "the function is not declared in this context", weft_checkpoint(ctx, grow_step));
}

Test(grad_bad, types_and_shapes)
{
    net dm;
    weft_array *d;
    weft_array *bools = weft_gt(x, 0), *doubles = weft_astype(x, WEFT_F64),
               *many = weft_ones(ctx, WEFT_F32, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    weft_binary *hvp = weft_hvp(ctx, weft_binary, norm2, "x");
    BAD(WEFT_SHAPE,
        "grad(square): grad is only defined for scalar-output functions, but result return of square is "
        "f32[3]: sum it (weft_sum, weft_mean), or use weft_vjp or weft_jacrev",
        weft_grad(ctx, weft_unary, square, "x")(x));
    BAD(WEFT_SHAPE, "or use weft_hessian, or weft_jvp of its weft_jacrev",
        weft_hvp(ctx, weft_binary, square, "x")(x, x));
    BAD(WEFT_SHAPE, "hvp is only defined for scalar-output functions",
        weft_hvp(ctx, weft_binary, square, "x")(x, x));
    BAD(WEFT_DTYPE, "grad(norm2): grad requires real-valued inputs, that is floats, but argument x is i32[3]",
        weft_grad(ctx, weft_unary, norm2, "x")(ints));
    BAD(WEFT_DTYPE,
        "jacfwd(square): jacfwd requires real-valued inputs, that is floats, but argument x is bool[3]",
        weft_jacfwd(ctx, weft_unary, square, "x")(bools));
    BAD(WEFT_DTYPE,
        "grad(largest): grad requires real-valued outputs, that is floats, but result return of largest is "
        "i32",
        weft_grad(ctx, weft_unary, largest, "x")(x));
    BAD(WEFT_DTYPE, "jacrev(count): jacrev requires real-valued outputs",
        weft_jacrev(ctx, weft_unary, count, "x")(x));
    BAD(WEFT_DTYPE, "argument m.count is i32[3]",
        weft_value_and_grad(ctx, loss_count, loss, "m.count")(&m, x, 2, &d));
    BAD(WEFT_SHAPE, "jvp(norm2): tangent dx is f32, but must be f32[3], as x is",
        weft_jvp(ctx, unary_jvp, norm2, "x")(x, one, &d));
    BAD(WEFT_DTYPE, "tangent dx is i32[3], but must be f32[3], as x is",
        weft_jvp(ctx, unary_jvp, norm2, "x")(x, ints, &d));
    BAD(WEFT_SHAPE, "vjp(square): cotangent ct is f32, but must be f32[3], as return is",
        weft_vjp(ctx, unary_vjp, square, "x")(x, one, &d));
    BAD(WEFT_DTYPE, "cotangent ct is f64[3], but must be f32[3], as return is",
        weft_vjp(ctx, unary_vjp, square, "x")(x, doubles, &d));
    BAD(WEFT_SHAPE, "tangent y is f32, but must be f32[3], as x is", hvp(x, one));
    BAD(WEFT_ARGUMENT, "argument y is NULL", hvp(x, NULL));
    dm = m;
    dm.l[1].b = one;
    BAD(WEFT_SHAPE, "tangent dm.l[1].b is f32, but must be f32[3], as m.l[1].b is",
        weft_jvp(ctx, net_jvp, loss, "m")(&m, x, 2, &dm, &d));
    dm = m;
    dm.power = 2;
    BAD(WEFT_TREE_MISMATCH, "tangent dm must have the structure of m, but power is 2 in this and 1 in that",
        weft_jvp(ctx, net_jvp, loss, "m")(&m, x, 2, &dm, &d));
    BAD(WEFT_SHAPE, "has more than 32 axes", weft_jacrev(ctx, weft_unary, deep, "x")(many));
    BAD(WEFT_SHAPE, "has more than 32 axes", weft_jacfwd(ctx, weft_unary, deep, "x")(many));
    BAD(WEFT_SHAPE, "in wrong_inside", weft_grad(ctx, weft_unary, wrong_inside, "x")(x));
}

Test(grad_bad, structures)
{
    list l = { &x, 1, NULL }, longer = { (weft_array *[]){ x, x }, 2, NULL };
    layer ct = { x, x }, out;
    weft_array *d;
    BAD(WEFT_ARGUMENT, "l.v[1] is not there: l.v is a list of 1",
        weft_value_and_grad(ctx, list_leaf, list_sum, "l.v[1]")(&l, &d));
    BAD(WEFT_ARGUMENT, "l.extra.w is not there: l.extra is NULL",
        weft_value_and_grad(ctx, list_leaf, list_sum, "l.extra.w")(&l, &d));
    BAD(WEFT_TREE_MISMATCH,
        "tangent dl must have the structure of l, but v is a list of 2 in this and a list of 1 in that",
        weft_jvp(ctx, list_jvp, list_sum, "l")(&l, &longer, &d));
    BAD(WEFT_SHAPE, "cotangent ct.b is f32[3], but must be f32, as out.b is",
        (weft_vjp(ctx, layer_vjp, make_layer, "x")(x, &ct, &out, &d), 0));
}

Test(grad_bad, no_derivative)
{
    weft_array *five = weft_scalar(ctx, 5);
    BAD(WEFT_ARGUMENT, "weft_fori", weft_grad(ctx, weft_unary, halved, "x")(five));
    BAD(WEFT_ARGUMENT, "linear", weft_transpose_linear(ctx, weft_binary, square, "x")(x, x));
}

WEFT_SIGNATURE(linearized, weft_array *, (weft_array * x, WEFT_OUT weft_linear *at));
WEFT_SIGNATURE(linear_fn, weft_array *, (const weft_linear *at, weft_array *t));

Test(grad_bad, linearized)
{
    weft_linear at, none = { NULL, 0, 0 }, other = { NULL, 0, 123456 }, fewer;
    weft_linearize(ctx, linearized, norm2, "x")(x, &at);
    fewer = at;
    fewer.n = 0;
    weft_linear_jvp(ctx, linear_fn, norm2, "x")(&at, x);
    BAD(WEFT_ARGUMENT, "linear_jvp(norm2): argument at was not made by weft_linearize in this context",
        weft_linear_jvp(ctx, linear_fn, norm2, "x")(&none, x));
    BAD(WEFT_ARGUMENT, "argument at was not made by weft_linearize in this context",
        weft_linear_vjp(ctx, linear_fn, norm2, "x")(&other, x));
    BAD(WEFT_ARGUMENT, "linear_jvp(square): argument at is of another function than square",
        weft_linear_jvp(ctx, linear_fn, square, "x")(&at, x));
    BAD(WEFT_ARGUMENT, "argument at holds other residuals than norm2 has",
        weft_linear_jvp(ctx, linear_fn, norm2, "x")(&fewer, x));
    BAD(WEFT_SHAPE, "tangent t is f32, but must be f32[3], as x is",
        weft_linear_jvp(ctx, linear_fn, norm2, "x")(&at, one));
    BAD(WEFT_SHAPE, "cotangent t is f32[3], but must be f32, as return is",
        weft_linear_vjp(ctx, linear_fn, norm2, "x")(&at, x));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(linearize_of_norm2, weft_array *, (weft_array *x, WEFT_OUT weft_linear *linear));",
        weft_linearize(ctx, weft_unary, norm2, "x"));
    BAD(WEFT_ARGUMENT,
        "WEFT_SIGNATURE(linear_vjp_of_norm2, weft_array *, (const weft_linear *linear, weft_array "
        "*ct_value));",
        weft_linear_vjp(ctx, weft_unary, norm2, "x"));
}

Test(grad_bad, options)
{
    weft_declare(ctx, grow_step, weft_binary);
    BAD(WEFT_ARGUMENT, ".checkpoint is -1",
        weft_scan(ctx, grow_step, "carry, none", .length = 4, .checkpoint = -1));
    BAD(WEFT_ARGUMENT, ".checkpoint is -2",
        weft_fori(ctx, grow_step, "carry, none", .count = 4, .checkpoint = -2));
    BAD(WEFT_ARGUMENT, ".checkpoint needs .count", weft_fori(ctx, grow_step, "index, end", .checkpoint = 2));
    BAD(WEFT_ARGUMENT, ".checkpoint is no option of weft_map",
        weft_map(ctx, grow_step, "0", .checkpoint = 2));
}

/* A loop's residuals would pass the context's limit: which loop, and what helps. */
Test(grad_bad, memory)
{
    weft_context *small = weft_open(&(weft_options){ .memory_limit = 20 << 20 });
    weft_declare(small, long_scan, weft_unary);
    weft_array *v = weft_ones(small, WEFT_F32, 1000);
    weft_array *d = weft_grad(small, weft_unary, long_scan, "x")(v);
    const char *text = weft_error(small);
    cr_expect(!d && text && strstr(text, "grad(long_scan): ") && strstr(text, "checkpoint") &&
                  strstr(text, "test_grad_bad.c"),
              "%s", text);
    weft_clear(small);
    weft_close(small);
}

typedef weft_array *Derivative(weft_context *, weft_array *);
static weft_array *d_grad(weft_context *c, weft_array *a) { return weft_grad(c, weft_unary, norm2, "x")(a); }
static weft_array *d_jvp(weft_context *c, weft_array *a)
{
    weft_array *d;
    return weft_jvp(c, unary_jvp, square, "x")(a, a, &d) ? d : NULL;
}
static weft_array *d_vjp(weft_context *c, weft_array *a)
{
    weft_array *d;
    return weft_vjp(c, unary_vjp, square, "x")(a, a, &d) ? d : NULL;
}
static weft_array *d_hessian(weft_context *c, weft_array *a)
{
    return weft_hessian(c, weft_unary, norm2, "x")(a);
}
static weft_array *d_kept(weft_context *c, weft_array *a)
{
    return weft_grad(c, weft_unary, weft_checkpoint(c, norm2), "x")(a);
}

/* Each allocation fails once: NULL and an error each time, nothing left over, and with enough memory the
 * result. */
Test(grad_bad, every_allocation_fails_once)
{
    static Derivative *const derivative[] = { d_grad, d_jvp, d_vjp, d_hessian, d_kept };
    for (size_t k = 0; k < sizeof derivative / sizeof *derivative; k++)
        for (long n = 1, done = 0; !done; n++) {
            Counter c = { 0 };
            weft_context *tight =
                weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c, .recycle_bytes = 1 });
            weft_declare(tight, norm2, weft_unary);
            weft_declare(tight, square, weft_unary);
            weft_array *a = weft_ones(tight, WEFT_F32, 3);
            size_t arrays = weft_stats(tight).arrays;
            weft_scope *scope = weft_scope_open(tight);
            c.calls = 0, c.fail_at = n;
            weft_array *r = derivative[k](tight, a);
            done = c.calls < n;
            c.fail_at = 0;
            /* weft_explain does without */
            cr_assert(r ? !weft_error(tight) : !done && weft_error(tight),
                      "derivative %zu, allocation %ld: %s", k, n, weft_error(tight));
            cr_assert_eq(weft_clear(tight), r ? WEFT_OK : WEFT_MEMORY, "derivative %zu, allocation %ld", k,
                         n);
            weft_scope_close(scope);
            cr_assert_eq(weft_stats(tight).arrays, arrays, "derivative %zu, allocation %ld leaves arrays", k,
                         n);
            weft_close(tight);
        }
}
