/* train.c: a small network learns the sine. Its loss is written for a batch, its gradient is asked for by
 * name, and a step of gradient descent is an ordinary function of it, compiled as one program.
 *
 * A thousand steps hold as many arrays as one: what a step makes lives in the step's scope, and weft_assign
 * keeps the new weights and frees the old.
 */
#include <math.h>
#include <stdio.h>
#include "weft.h"

enum { POINTS = 16, HIDDEN = 8, STEPS = 1000 };

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
} net;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer));

WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x, weft_array *y));
WEFT_SIGNATURE(grad_fn, weft_array *, (const net *m, weft_array *x, weft_array *y, WEFT_OUT net *dm));
WEFT_SIGNATURE(step_fn, weft_array *, (net * m, weft_array *x, weft_array *y, weft_array *rate));

static weft_array *loss(const net *m, weft_array *x, weft_array *y) /* x, y: [n, 1] */
{
    weft_array *h = weft_tanh(weft_add(weft_matmul(x, m->l[0].w), m->l[0].b));
    return weft_mean(weft_square(weft_sub(weft_add(weft_matmul(h, m->l[1].w), m->l[1].b), y)));
}

/* The weights go downhill; the loss at the old ones comes back. */
static weft_array *step(net *m, weft_array *x, weft_array *y, weft_array *rate)
{
    net dm;
    /* the same function each time it is asked for */
    weft_array *value = weft_value_and_grad(NULL, grad_fn, loss, "m")(m, x, y, &dm);
    if (!value) return NULL;
    for (int i = 0; i < weft_leaf_count(&net_tree); i++) {
        weft_array **p = weft_leaf(&net_tree, m, i), *g = *weft_leaf(&net_tree, &dm, i);
        *p = weft_sub(*p, weft_mul(rate, g));
    }
    return value;
}

static net first_guess(weft_context *ctx)
{
    float in[HIDDEN], out[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        in[i] = (float)i / HIDDEN * 2 - .9f;
        out[i] = .5f - (float)(i % 3) * .4f;
    }
    return (net){ .l = { { weft_from(ctx, in, 1, HIDDEN), weft_zeros(ctx, WEFT_F32, HIDDEN) },
                         { weft_from(ctx, out, HIDDEN, 1), weft_zeros(ctx, WEFT_F32, 1) } } };
}

/* The loss of the last step; NaN: an error. */
static double train(weft_context *ctx, net *m, weft_array *x, weft_array *y)
{
    step_fn *fast = weft_jit(ctx, step);
    double last = NAN;
    size_t arrays = weft_stats(ctx).arrays;
    for (int i = 0; i < STEPS; i++) {
        weft_scope *scope = weft_scope_open(ctx); /* owns all that this step makes */
        net next = *m;
        last = weft_item(fast(&next, x, y, weft_scalar(ctx, 0.1 / (1 + i * 0.001))));
        if (weft_assign(&net_tree, m, &next) != WEFT_OK) last = NAN;
        if (i % 250 == 0 || i == STEPS - 1) printf("step %4d  loss %.5f\n", i, last);
        weft_scope_close(scope);
    }
    printf("%zu traces, %zu programs; %zu arrays before, %zu behind\n", (size_t)weft_stats(ctx).traces,
           (size_t)weft_stats(ctx).compiles, arrays, weft_stats(ctx).arrays);
    return weft_stats(ctx).arrays == arrays ? last : NAN;
}

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, net);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, step, step_fn);

    weft_array *x = weft_reshape(weft_linspace(ctx, -2, 2, POINTS), POINTS, 1), *y = weft_sin(x);
    net m = first_guess(ctx);
    double last = train(ctx, &m, x, y);
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    weft_close(ctx);
    return !(last < 0.01);
}
