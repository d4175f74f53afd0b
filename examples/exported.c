/* exported.c: a network that JAX trained and exported (data/exported.py), used from C: for many images at
 * once, compiled, and trained on.
 *
 * The file holds what the network computes for ONE image, jax.export's serialize(). weft_load_stablehlo
 * makes it a C function; the weights come from an .npz. What JAX computed for 16 images is in there too,
 * and must come out.
 *
 *     exported [exported.jax [exported.npz]]
 */
#include "weft.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { IMAGES = 16, CLASSES = 10, STEPS = 20 };

/* JAX sorts a dictionary's keys: the weights in the order in which the program takes them. */
typedef struct {
    weft_array *b1, *b2, *w1, *w2;
} net;
WEFT_STRUCT(net, WEFT_ARRAY(net, b1), WEFT_ARRAY(net, b2), WEFT_ARRAY(net, w1), WEFT_ARRAY(net, w2));
WEFT_SIGNATURE(logits_fn, weft_array *, (const net *p, weft_array *image));
WEFT_SIGNATURE(loss_fn, weft_array *, (const net *p, weft_array *images, weft_array *labels));
WEFT_SIGNATURE(slope_fn, weft_array *,
               (const net *p, weft_array *images, weft_array *labels, WEFT_OUT net *d));

static logits_fn *all; /* what JAX exported, for a batch */

static weft_array *loss(const net *p, weft_array *images, weft_array *labels)
{
    weft_array *right = weft_one_hot(labels, CLASSES);
    return weft_div(weft_sum(weft_mul(weft_neg(right), weft_log_softmax(all(p, images)))), IMAGES);
}

static weft_array *step(weft_array *w, weft_array *d) { return weft_sub(w, weft_mul(d, 0.1)); }

/* A few steps of gradient descent on these images: the derivative goes through the exported program. */
static void train_on(weft_context *ctx, net p, weft_array *images, weft_array *labels)
{
    weft_declare(ctx, loss, loss_fn);
    slope_fn *slope = weft_jit(ctx, weft_value_and_grad(ctx, slope_fn, loss, "p"));
    for (int i = 0; i <= STEPS; i++) {
        net d, next;
        weft_array *value = slope(&p, images, labels, &d);
        if (i % STEPS == 0) printf("loss after %d steps: %.6f\n", i, weft_item(value));
        weft_tree_map2(ctx, net, step, &next, &p, &d);
        p = next;
    }
}

static float difference(weft_array *a, weft_array *b)
{
    return (float)weft_item(weft_max(weft_abs(weft_sub(a, b))));
}

int main(int argc, char **argv)
{
    const char *program = argc > 1 ? argv[1] : "exported.jax", *weights = argc > 2 ? argv[2] : "exported.npz";
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, net);
    net p = { .b1 = weft_load_npz(ctx, weights, "b1"),
              .b2 = weft_load_npz(ctx, weights, "b2"),
              .w1 = weft_load_npz(ctx, weights, "w1"),
              .w2 = weft_load_npz(ctx, weights, "w2") };
    weft_array *images = weft_load_npz(ctx, weights, "images"),
               *labels = weft_load_npz(ctx, weights, "labels"),
               *wanted = weft_load_npz(ctx, weights, "logits");
    all = weft_vmap(ctx, weft_load_stablehlo(ctx, logits_fn, program), "none, 0");
    weft_array *logits = weft_jit(ctx, all)(&p, images);
    float worst = logits ? difference(logits, wanted) : INFINITY;
    printf("%d images, %d right; the greatest difference from JAX's logits: %.2g\n", IMAGES,
           (int)weft_item(weft_sum(weft_eq(weft_argmax(logits, .axes = "1"), labels))), (double)worst);
    train_on(ctx, p, images, labels);
    bool good = !weft_error(ctx) && worst < 1e-4f;
    if (weft_error(ctx)) fprintf(stderr, "%s\n", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
