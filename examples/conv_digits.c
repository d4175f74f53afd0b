/* conv_digits.c: a convolutional network learns to read handwritten digits.
 *
 * train_digits.c does it with one hidden layer, which has to learn each stroke at each place anew. Here a
 * stroke is learned once: two convolutions of 3 x 3, the better of each 2 x 2, one more convolution, one
 * layer. Each image is shown in other places, up to one pixel away: scores, shifts and all are written for
 * ONE image, and mapped. Rows whose number divides by 5 are held out, as there.
 *
 *     conv_digits [digits.csv]
 */
#include "digits.h"
#include "weft.h"
#include <math.h>
#include <stdio.h>

enum { BATCH = 48, STEPS = TRAINED / BATCH, EPOCHS = 30, FIRST = 16, SECOND = 32, LAST = 32 };

/* Weights w, of a convolution [3, 3, in, out], and what is added to each feature. */
typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer first, second, last, out;
} net;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, first, layer), WEFT_TREE(net, second, layer), WEFT_TREE(net, last, layer),
            WEFT_TREE(net, out, layer));
WEFT_OPT_STATE(net_state, net);

WEFT_SIGNATURE(init_fn, void, (weft_array * key, WEFT_OUT net *m, WEFT_OUT net_state *s));
WEFT_SIGNATURE(predict_fn, weft_array *, (const net *m, weft_array *image));
WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *images, weft_array *labels));
WEFT_SIGNATURE(grad_fn, weft_array *,
               (const net *m, weft_array *images, weft_array *labels, WEFT_OUT net *gradient));
WEFT_SIGNATURE(step_fn, weft_array *,
               (net * m, net_state *s, weft_array *key, weft_array *images, weft_array *labels,
                weft_array *rows));
WEFT_SIGNATURE(epoch_fn, weft_array *,
               (net * m, net_state *s, weft_array *key, weft_array *images, weft_array *labels));

static weft_optimizer optimizer(void)
{
    return weft_adam(.schedule =
                         weft_schedule_cosine(.rate = 0.004, .warmup = STEPS, .steps = EPOCHS * STEPS));
}

static layer convolution(weft_array *key, int in, int out)
{
    return (layer){ weft_mul(weft_random_normal(key, WEFT_F32, 3, 3, in, out), sqrt(2.0 / (9 * in))),
                    weft_zeros(NULL, WEFT_F32, out) };
}

static void init(weft_array *key, net *m, net_state *s)
{
    enum { IN = LAST * PIXELS / 4 };
    weft_array *k[4];
    weft_random_keys(key, 4, k);
    *m = (net){ convolution(k[0], 1, FIRST),
                convolution(k[1], FIRST, SECOND),
                convolution(k[2], SECOND, LAST),
                { weft_mul(weft_random_normal(k[3], WEFT_F32, IN, DIGITS), sqrt(1.0 / IN)),
                  weft_zeros(NULL, WEFT_F32, DIGITS) } };
    weft_opt_init(NULL, optimizer(), net_state, m, s);
}

static weft_array *features(const layer *l, weft_array *x)
{
    return weft_relu(weft_add(weft_conv(x, l->w, .pad = "same"), l->b));
}

static weft_array *predict(const net *m, weft_array *image) /* f32[8,8] -> f32[10]: a score for each digit */
{
    weft_array *x = features(&m->first, weft_expand_dims(image, -1));
    x = weft_max_pool(features(&m->second, x), "2, 2, 1");
    x = weft_ravel(features(&m->last, x));
    return weft_add(weft_matmul(x, m->out.w), m->out.b);
}

static weft_array *scores(const net *m, weft_array *images)
{
    return weft_vmap(NULL, predict, "none, 0")(m, images);
}

static weft_array *loss(const net *m, weft_array *images, weft_array *labels)
{
    weft_array *right = weft_one_hot(labels, DIGITS);
    return weft_neg(weft_mean(weft_sum(weft_mul(right, weft_log_softmax(scores(m, images))), .axes = "-1")));
}

/* An image, and where it is to lie: i32[2], 1 is where it was. */
static weft_array *shifted(weft_array *image, weft_array *to)
{
    return weft_dynamic_slice(weft_pad(image, 0, "1, 1"), to, SIDE, SIDE);
}

static weft_array *step(net *m, net_state *s, weft_array *key, weft_array *images, weft_array *labels,
                        weft_array *rows)
{
    net gradient;
    weft_array *to = weft_random_randint(weft_random_fold_in(key, s->step), WEFT_I32, 0, 3, BATCH, 2),
               *seen = weft_vmap(NULL, shifted, "0")(weft_take(images, rows, 0), to);
    weft_array *value =
        weft_value_and_grad(NULL, grad_fn, loss, "m")(m, seen, weft_take(labels, rows, 0), &gradient);
    weft_opt_update(NULL, optimizer(), net_state, m, &gradient, s);
    return value;
}

/* Once through the rows, in a new order; the mean loss. */
static weft_array *epoch(net *m, net_state *s, weft_array *key, weft_array *images, weft_array *labels)
{
    weft_array *k[2];
    weft_random_keys(key, 2, k);
    weft_array *order = weft_random_permutation(weft_random_fold_in(k[0], s->step), TRAINED),
               *batches = weft_reshape(weft_at(order, ":%d", STEPS * BATCH), STEPS, BATCH);
    step_fn *all = weft_scan(NULL, step, "carry, carry, none, none, none, 0");
    return weft_mean(all(m, s, k[1], images, labels, batches));
}

static weft_array *classify(const net *m, weft_array *images) /* i32[n] */
{
    return weft_argmax(scores(m, images), .axes = "-1");
}

int main(int argc, char **argv)
{
    static digits d;
    if (!read_digits(argc > 1 ? argv[1] : "examples/data/digits.csv", &d)) return 1;

    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, net_state);
    weft_declare(ctx, init, init_fn);
    weft_declare(ctx, predict, predict_fn);
    weft_declare(ctx, shifted, weft_binary);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, epoch, epoch_fn);
    weft_declare(ctx, classify, predict_fn);
    weft_array *images = weft_from(ctx, d.pixel[0], ROWS, SIDE, SIDE),
               *labels = weft_from(ctx, d.label, ROWS), *train_x = weft_at(images, "%d:", HELD_OUT),
               *train_y = weft_at(labels, "%d:", HELD_OUT), *test_x = weft_at(images, ":%d", HELD_OUT),
               *test_y = weft_at(labels, ":%d", HELD_OUT), *key[2];
    weft_random_keys(weft_key(ctx, 1), 2, key);
    net m;
    net_state s;
    weft_jit(ctx, init)(key[0], &m, &s);
    epoch_fn *learn = weft_jit(ctx, epoch);
    predict_fn *read = weft_jit(ctx, classify);

    double right = 0, begin = now(), first = 0;
    for (int e = 0; e < EPOCHS; e++) {
        weft_array *value = learn(&m, &s, key[1], train_x, train_y);
        weft_array *hits = weft_sum(weft_eq(read(&m, test_x), test_y));
        if (!value || !hits) return fprintf(stderr, "%s\n", weft_error(ctx)), 1;
        right = weft_item(hits);
        if (e == 0) first = now() - begin;
        if (e % 5 == 4)
            printf("epoch %2d  loss %.4f  %.1f %% of %d held-out digits right\n", e + 1, weft_item(value),
                   100 * right / HELD_OUT, HELD_OUT);
    }
    printf("%.0f ms for the first epoch, compiling included, %.0f ms for each other\n", first,
           (now() - begin - first) / (EPOCHS - 1));
    weft_close(ctx);
    return right < 0.99 * HELD_OUT;
}
