/* train_digits.c: learns to read handwritten digits: one small network, then sixteen at once.
 *
 * Everything below is written for ONE network, and predict for ONE image. What makes a training program of it
 * are transforms, functions from functions: weft_value_and_grad adds the gradient, weft_scan makes an epoch
 * of a step, weft_vmap makes sixteen networks of one, weft_jit compiles all of that into one native loop.
 * Rows whose number divides by 5 are held out: the networks never see them, and are judged by them. Random
 * numbers come from keys, so each run gives the same bits.
 *
 *     train_digits [digits.csv [learned.png]]
 */
#include "digits.h"
#include "weft.h"
#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HIDDEN = 32, BATCH = 64, STEPS = TRAINED / BATCH, EPOCHS = 60, MODELS = 16 };

/* ---- the network: a described struct of arrays, so that it can be an argument, a result, a gradient ---- */

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer hidden, out;
} net;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, hidden, layer), WEFT_TREE(net, out, layer));
WEFT_OPT_STATE(net_state, net); /* what the optimizer remembers of a net */

WEFT_SIGNATURE(init_fn, void, (weft_array * key, WEFT_OUT net *m, WEFT_OUT net_state *s));
WEFT_SIGNATURE(predict_fn, weft_array *, (const net *m, weft_array *image));
WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *images, weft_array *labels));
WEFT_SIGNATURE(grad_fn, weft_array *,
               (const net *m, weft_array *images, weft_array *labels, WEFT_OUT net *gradient));
WEFT_SIGNATURE(step_fn, weft_array *,
               (net * m, net_state *s, weft_array *images, weft_array *labels, weft_array *rows));
WEFT_SIGNATURE(epoch_fn, weft_array *,
               (net * m, net_state *s, weft_array *key, weft_array *images, weft_array *labels));

static weft_optimizer optimizer(void)
{
    return weft_adam(.schedule =
                         weft_schedule_cosine(.rate = 0.02, .warmup = STEPS, .steps = EPOCHS * STEPS));
}

static layer random_layer(weft_array *key, int in, int out)
{
    return (layer){ weft_mul(weft_random_normal(key, WEFT_F32, in, out), sqrt(2.0 / in)),
                    weft_zeros(NULL, WEFT_F32, out) };
}

static void init(weft_array *key, net *m, net_state *s)
{
    weft_array *k[2];
    weft_random_keys(key, 2, k);
    *m = (net){ random_layer(k[0], PIXELS, HIDDEN), random_layer(k[1], HIDDEN, DIGITS) };
    weft_opt_init(NULL, optimizer(), net_state, m, s);
}

static weft_array *predict(const net *m, weft_array *image) /* f32[64] -> f32[10]: a score for each digit */
{
    weft_array *h = weft_relu(weft_add(weft_matmul(image, m->hidden.w), m->hidden.b));
    return weft_add(weft_matmul(h, m->out.w), m->out.b);
}

/* f32[n,64] -> f32[n,10]; NULL: this call's context */
static weft_array *scores(const net *m, weft_array *images)
{
    return weft_vmap(NULL, predict, "none, 0")(m, images);
}

/* how unlikely it finds the right digits */
static weft_array *loss(const net *m, weft_array *images, weft_array *labels)
{
    weft_array *right = weft_one_hot(labels, DIGITS);
    return weft_neg(weft_mean(weft_sum(weft_mul(right, weft_log_softmax(scores(m, images))), .axes = "-1")));
}

/* Learns from these rows: m and s are changed. */
static weft_array *step(net *m, net_state *s, weft_array *images, weft_array *labels, weft_array *rows)
{
    net gradient;
    weft_array *value = weft_value_and_grad(NULL, grad_fn, loss, "m")(m, weft_take(images, rows, 0),
                                                                      weft_take(labels, rows, 0), &gradient);
    weft_opt_update(NULL, optimizer(), net_state, m, &gradient, s);
    return value;
}

/* Once through all rows, in a new order. */
static weft_array *epoch(net *m, net_state *s, weft_array *key, weft_array *images, weft_array *labels)
{
    weft_array *order = weft_random_permutation(weft_random_fold_in(key, s->step), TRAINED);
    weft_array *batches = weft_reshape(weft_at(order, ":%d", STEPS * BATCH), STEPS, BATCH);
    return weft_scan(NULL, step, "carry, carry, none, none, 0")(m, s, images, labels, batches);
}

static weft_array *classify(const net *m, weft_array *images) /* i32[n] */
{
    return weft_argmax(scores(m, images), .axes = "-1");
}

/* ---- training: the epoch, called again and again ---- */

typedef struct {
    weft_array *train_x, *train_y, *test_x, *test_y;
} split;

/* Trains m, one network or n of them with a leading axis; curve[e * n + i] is network i's loss in epoch e.
 * All arrays of an epoch die in its scope, but for those that m and s keep. */
static bool train(weft_context *ctx, epoch_fn *f, const split *d, int n, net *m, net_state *s,
                  weft_array *key, float *curve)
{
    bool shown = isatty(STDOUT_FILENO), good = true;
    double begin = now();
    for (int e = 0; e < EPOCHS && good; e++) {
        weft_scope *scope = weft_scope_open(ctx);
        net next = *m;
        net_state next_s = *s;
        weft_array *losses = weft_mean(f(&next, &next_s, key, d->train_x, d->train_y), .axes = "-1");
        good = losses && weft_assign(&net_tree, m, &next) == WEFT_OK &&
               weft_assign(&net_state_tree, s, &next_s) == WEFT_OK;
        if (good) memcpy(curve + e * n, weft_f32(losses), (size_t)n * sizeof *curve);
        if (good && shown)
            printf("\repoch %d of %d, loss %.4f ", e + 1, EPOCHS, (double)curve[e * n]), fflush(stdout);
        weft_scope_close(scope);
    }
    if (shown) printf("\r%40s\r", "");
    if (good)
        printf("%2d network%s  %d epochs of %d steps in %.0f ms, compiling included\n", n,
               n > 1 ? "s:" : ": ", EPOCHS, STEPS, now() - begin);
    return good;
}

/* All the bits of a tree, in one number. */
static uint64_t checksum(const weft_tree *tree, void *structure)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (int i = 0; i < weft_leaf_count(tree); i++) {
        const weft_array *a = *weft_leaf(tree, structure, i);
        const unsigned char *byte = weft_data(a);
        for (int64_t k = 0; k < weft_count(a) * 4; k++) sum = (sum ^ byte[k]) * 1099511628211u;
    }
    return sum;
}

/* ---- the picture ---- */

enum { DOT = 6, CELL = SIDE * DOT, GAP = 12, PLOT = 560, HEIGHT = 260, PER_ROW = 5 };
typedef struct {
    unsigned char (*pixel)[3];
    int width, height;
} canvas;

static void dot(canvas *c, int x, int y, const unsigned char *color)
{
    if (x >= 0 && x < c->width && y >= 0 && y < c->height) memcpy(c->pixel[y * c->width + x], color, 3);
}

/* Losses from 10 down to 0.001 on a logarithmic scale, a line across each power of ten. */
static void plot(canvas *c, const float *curve, int n, const unsigned char *color)
{
    for (int i = 0; i < n; i++)
        for (int x = 0; x < PLOT; x++) {
            double at = (double)x / (PLOT - 1) * (EPOCHS - 1);
            int e = at < EPOCHS - 2 ? (int)at : EPOCHS - 2;
            double value = log10((double)curve[e * n + i]) * (e + 1 - at) +
                           log10((double)curve[(e + 1) * n + i]) * (at - e);
            int y = GAP + (int)((1 - value) / 4 * HEIGHT);
            dot(c, GAP + x, y, color);
            dot(c, GAP + x, y + 1, color);
        }
}

static void draw_digit(canvas *c, const float *pixel, int left, int top)
{
    for (int y = 0; y < CELL; y++)
        for (int x = 0; x < CELL; x++) {
            unsigned char shade = (unsigned char)(255 - 254 * pixel[y / DOT * SIDE + x / DOT]);
            dot(c, left + x, top + y, (unsigned char[]){ shade, shade, shade });
        }
}

/* A digit's mean image, to show what another one was taken for. */
static void mean_digit(const digits *d, int digit, float *mean)
{
    int n = 0;
    memset(mean, 0, PIXELS * sizeof *mean);
    for (int i = 0; i < ROWS; i++) {
        if (d->label[i] != digit) continue;
        for (int k = 0; k < PIXELS; k++) mean[k] += d->pixel[i][k];
        n++;
    }
    for (int k = 0; k < PIXELS; k++) mean[k] /= (float)n;
}

/* Loss curves; below them each wrong digit (left) beside what it was taken for (right). */
static bool write_png(const char *path, const digits *d, const float *single, const float *curves,
                      const int *wrong, int n_wrong, const int32_t *taken_for)
{
    int pair = 2 * CELL + 4 + GAP, rows = (n_wrong + PER_ROW - 1) / PER_ROW;
    canvas c = { .width = PLOT + 2 * GAP, .height = HEIGHT + 2 * GAP + rows * (CELL + GAP) };
    c.pixel = malloc((size_t)c.width * (size_t)c.height * 3 + 1);
    memset(c.pixel, 255, (size_t)c.width * (size_t)c.height * 3);
    for (int i = 0; i <= 4; i++)
        for (int x = 0; x < PLOT; x++)
            dot(&c, GAP + x, GAP + i * HEIGHT / 4, (unsigned char[]){ 220, 220, 220 });
    plot(&c, curves, MODELS, (unsigned char[]){ 120, 160, 220 });
    plot(&c, single, 1, (unsigned char[]){ 200, 40, 40 });
    for (int w = 0; w < n_wrong; w++) {
        float mean[PIXELS];
        int left = GAP + w % PER_ROW * pair, top = HEIGHT + 2 * GAP + w / PER_ROW * (CELL + GAP);
        mean_digit(d, taken_for[wrong[w]], mean);
        draw_digit(&c, d->pixel[wrong[w]], left, top);
        draw_digit(&c, mean, left + CELL + 4, top);
    }
    png_image png = { .version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32)c.width,
                      .height = (png_uint_32)c.height,
                      .format = PNG_FORMAT_RGB };
    bool good = png_image_write_to_file(&png, path, 0, c.pixel, 0, NULL);
    if (!good) fprintf(stderr, "%s: %s\n", path, png.message);
    free(c.pixel);
    return good;
}

/* ---- one network, then sixteen ---- */

static double percent(double right) { return 100 * right / HELD_OUT; }

/* How many held-out rows each network has right; their vote, the digit that most of them see, in vote. */
static weft_array *judge(const split *d, const net *models, predict_fn *classify_all, weft_array **vote)
{
    weft_array *seen = classify_all(models, d->test_x); /* i32[models, rows] */
    *vote = weft_argmax(weft_sum(weft_one_hot(seen, DIGITS), .axes = "0"), .axes = "-1");
    return weft_sum(weft_eq(seen, d->test_y), .axes = "1");
}

int main(int argc, char **argv)
{
    static digits d;
    static float one_curve[EPOCHS], curves[EPOCHS * MODELS];
    static int wrong[HELD_OUT];
    const char *png = argc > 2 ? argv[2] : "learned.png";
    if (!read_digits(argc > 1 ? argv[1] : "examples/data/digits.csv", &d)) return 1;

    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, net_state);
    weft_declare(ctx, init, init_fn);
    weft_declare(ctx, predict, predict_fn);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, epoch, epoch_fn);
    weft_declare(ctx, classify, predict_fn);
    weft_array *x = weft_from(ctx, &d.pixel[0][0], ROWS, PIXELS), *y = weft_from(ctx, d.label, ROWS);
    split s = { weft_at(x, "%d:", HELD_OUT), weft_at(y, "%d:", HELD_OUT), weft_at(x, ":%d", HELD_OUT),
                weft_at(y, ":%d", HELD_OUT) };

    /* Two keys for each network: for its first weights and for the order of its rows. */
    weft_array *keys = weft_random_split(weft_key(ctx, 1), 2, MODELS), *weights = weft_at(keys, "0"),
               *orders = weft_at(keys, "1");
    net one, all;
    net_state one_state, all_state;
    init(weft_at(weights, "0"), &one, &one_state);
    bool good = train(ctx, weft_jit(ctx, epoch), &s, 1, &one, &one_state, weft_at(orders, "0"), one_curve);
    double one_right = good ? weft_item(weft_sum(weft_eq(classify(&one, s.test_x), s.test_y))) : 0;
    if (good)
        printf("             %.1f %% of %d held-out rows right, weights %016" PRIx64 "\n", percent(one_right),
               HELD_OUT, checksum(&net_tree, &one));

    /* The same functions, with a leading axis of 16 on all that is a network's own. */
    weft_array *vote = NULL, *right;
    weft_vmap(ctx, init, "0")(weights, &all, &all_state);
    good = good && train(ctx, weft_jit(ctx, weft_vmap(ctx, epoch, "0, 0, 0, none, none")), &s, MODELS, &all,
                         &all_state, orders, curves);
    right = judge(&s, &all, weft_jit(ctx, weft_vmap(ctx, classify, "0, none")), &vote);
    good = good && !weft_error(ctx);
    if (!good) {
        fprintf(stderr, "%s\n", weft_error(ctx));
        weft_clear(ctx);
        weft_close(ctx);
        return 1;
    }

    int n_wrong = 0;
    for (int i = 0; i < HELD_OUT; i++)
        if (weft_i32(vote)[i] != d.label[i]) wrong[n_wrong++] = i;
    double best = percent(weft_item(weft_max(right))), voted = percent(HELD_OUT - n_wrong);
    printf("             best %.1f %%, worst %.1f %%, their vote %.1f %% right, weights %016" PRIx64 "\n",
           best, percent(weft_item(weft_min(right))), voted, checksum(&net_tree, &all));
    good = write_png(png, &d, one_curve, curves, wrong, n_wrong, weft_i32(vote));
    if (good) printf("%s: losses, and the %d wrong ones, each beside what it was taken for\n", png, n_wrong);
    weft_close(ctx);
    return !(good && best >= 97 && voted >= 97);
}
