/* ensemble.c: four small networks. Each function below is written for one model and one image; weft adds both
 * batch axes.
 *
 * The networks and their data are those of a published example for JAX, so their losses are known: three
 * recipes for the random keys, each by a loop over the models and by one vmapped call.
 */
#include <math.h>
#include <stdio.h>
#include "weft.h"

enum { MODELS = 4, IN = 2, HIDDEN = 3, OUT = 4, IMAGES = 2 };

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    int uses;
} net;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_HIDDEN(net, uses));

WEFT_SIGNATURE(predict_fn, weft_array *, (const net *m, weft_array *image));
WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x, weft_array *y));

static weft_array *predict(const net *m, weft_array *image)
{
    weft_array *h = weft_relu(weft_add(weft_matmul(m->l[0].w, image), m->l[0].b));
    return weft_add(weft_matmul(m->l[1].w, h), m->l[1].b);
}

static weft_array *loss(const net *m, weft_array *x, weft_array *y)
{
    /* over the images; NULL: the context of this call */
    weft_array *z = weft_vmap(NULL, predict, "none, 0")(m, x);
    return weft_mean(weft_square(weft_sub(z, y)));
}

/* ---- random models ---- */

/* How many layer keys are split off a model's key (two are used), and which of the two halves of a layer's
 * key its b is drawn with (w: the first). */
typedef struct {
    const char *name;
    weft_random_layout layout;
    int layer_keys, b_half;
    float jax[MODELS];
} recipe;

static const recipe recipes[] = {
    { "the published figures", WEFT_LEGACY, 3, 0, { 3.762451f, 4.39846f, 4.1425314f, 6.045669f } },
    { "the published listing", WEFT_LEGACY, 2, 1, { 3.7168641f, 3.4359207f, 10.0728683f, 14.9068985f } },
    { "the listing, partitionable keys",
      WEFT_PARTITIONABLE,
      2,
      1,
      { 2.4479549f, 2.0220721f, 1.9547932f, 1.8261652f } },
};

static weft_random_key in_layout(const recipe *r, weft_array *key)
{
    return r->layout == WEFT_LEGACY ? weft_legacy(key) : weft_partitionable(key);
}

static layer random_layer(const recipe *r, weft_array *key, int in, int out)
{
    weft_array *half[2];
    weft_random_keys(in_layout(r, key), 2, half);
    layer l = { weft_random_normal(in_layout(r, half[0]), WEFT_F32, out, in),
                weft_random_normal(in_layout(r, half[r->b_half]), WEFT_F32, out) };
    return l;
}

static net random_net(const recipe *r, weft_array *key)
{
    weft_array *k[3];
    weft_random_keys(in_layout(r, key), r->layer_keys, k);
    return (net){ .l = { random_layer(r, k[0], IN, HIDDEN), random_layer(r, k[1], HIDDEN, OUT) } };
}

/* ---- the losses ---- */

/* Largest difference from JAX's. */
static double show(const char *how, const float *losses, const recipe *r)
{
    double worst = 0;
    for (int k = 0; k < MODELS; k++) {
        printf("%-10.7g ", (double)losses[k]);
        worst = fmax(worst, fabs((double)losses[k] - (double)r->jax[k]));
    }
    printf(" %s\n", how);
    return worst;
}

static double run(weft_context *ctx, const recipe *r, loss_fn *each)
{
    weft_array *pair[2], *model_key[MODELS], *data_key[2];
    weft_random_keys(in_layout(r, weft_key(ctx, 1)), 2, pair);
    weft_random_keys(in_layout(r, pair[1]), MODELS, model_key);
    weft_random_keys(in_layout(r, pair[0]), 2, data_key);
    weft_array *x = weft_random_normal(in_layout(r, data_key[0]), WEFT_F32, IMAGES, IN);
    weft_array *y = weft_random_normal(in_layout(r, data_key[1]), WEFT_F32, IMAGES, OUT);
    net models[MODELS], all = { .uses = 0 };
    float by_loop[MODELS];
    for (int k = 0; k < MODELS; k++) {
        models[k] = random_net(r, model_key[k]);
        by_loop[k] = (float)weft_item(loss(&models[k], x, y));
    }
    printf("%s:\n", r->name);
    double worst = show("by a loop", by_loop, r);
    weft_stack(ctx, net, models, MODELS, &all); /* an array of structs to one struct of stacked arrays */
    weft_array *losses = each(&all, x, y);
    if (!losses) return HUGE_VAL;
    worst = fmax(worst, show("by vmap", weft_f32(losses), r));

    if (r == recipes && !each(models, x, y)) { /* the easy mistake: C cannot tell net[4] from net */
        printf("\nthe list of models, not stacked, as expected:\n%s\n\n", weft_error(ctx));
        weft_clear(ctx);
    }
    return worst;
}

int main(void)
{
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, net);
    weft_declare(ctx, predict, predict_fn);
    weft_declare(ctx, loss, loss_fn);
    loss_fn *each = weft_jit(ctx, weft_vmap(ctx, loss, "0, none, none")); /* over the models */
    double worst = 0;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        worst = fmax(worst, run(ctx, &recipes[i], each));
    printf("largest difference from JAX's losses: %.2g\n", worst);
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    weft_close(ctx);
    return !(worst < 1e-4);
}
