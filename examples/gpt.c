/* gpt.c: a small transformer, the architecture of GPT, learns to sort.
 *
 * It reads eight digits and a mark, and is to go on with the same digits in order: "3 1 4 1 5 9 2 6 |" -> "1
 * 1 2 3 4 5 6 9". Nobody tells it how; it only sees examples, which are drawn, sorted and learned from inside
 * one compiled program. The model is written for ONE sequence; weft_vmap makes the batch, weft_value_and_grad
 * the gradient, weft_scan two hundred steps of training in one call. Only what follows the mark counts: the
 * loss is a mean under a mask.
 *
 *     gpt [calls]
 */
#include "weft.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DIGITS = 10, MARK = DIGITS, TOKENS, N = 8, LENGTH = 2 * N, WIDTH = 48, HEADS = 4, LAYERS = 2 };
enum { BATCH = 64, STEPS = 200, CALLS = 3, TESTED = 500 };

/* ---- the model ---- */

typedef struct {
    weft_array *scale, *shift;
} norm;
typedef struct {
    norm before_attention, before_mlp;
    weft_array *qkv, *merge, *up, *up_shift, *down, *down_shift;
} block;
typedef struct {
    weft_array *token, *place;
    block layer[LAYERS];
    norm last;
} gpt;
WEFT_STRUCT(norm, WEFT_ARRAY(norm, scale), WEFT_ARRAY(norm, shift));
WEFT_STRUCT(block, WEFT_TREE(block, before_attention, norm), WEFT_TREE(block, before_mlp, norm),
            WEFT_ARRAY(block, qkv), WEFT_ARRAY(block, merge), WEFT_ARRAY(block, up),
            WEFT_ARRAY(block, up_shift), WEFT_ARRAY(block, down), WEFT_ARRAY(block, down_shift));
WEFT_STRUCT(gpt, WEFT_ARRAY(gpt, token), WEFT_ARRAY(gpt, place), WEFT_TREE(gpt, layer, block),
            WEFT_TREE(gpt, last, norm));
WEFT_OPT_STATE(gpt_state, gpt);

WEFT_SIGNATURE(model_fn, weft_array *, (const gpt *m, weft_array *tokens));
WEFT_SIGNATURE(grad_fn, weft_array *, (const gpt *m, weft_array *tokens, WEFT_OUT gpt *gradient));
WEFT_SIGNATURE(step_fn, weft_array *, (gpt * m, gpt_state *s, weft_array *key));
WEFT_SIGNATURE(extend_fn, weft_array *, (weft_array * i, const gpt *m, weft_array *tokens));

static weft_optimizer optimizer(void)
{
    return weft_adamw(.schedule = weft_schedule_cosine(.rate = 3e-3, .warmup = 50, .steps = CALLS * STEPS),
                      .weight_decay = 0.01, .clip_norm = 1);
}

static weft_array *layernorm(const norm *n, weft_array *x)
{
    weft_array *centered = weft_sub(x, weft_mean(x, .axes = "-1", .keep = true));
    weft_array *variance = weft_mean(weft_square(centered), .axes = "-1", .keep = true);
    return weft_add(weft_mul(weft_mul(centered, weft_rsqrt(weft_add(variance, 1e-5))), n->scale), n->shift);
}

/* Each place looks at those before it: f32[n, WIDTH] -> the same. */
static weft_array *attention(const block *b, weft_array *x)
{
    int n = (int)weft_dim(x, 0);
    weft_array *qkv = weft_reshape(weft_matmul(x, b->qkv), n, 3, HEADS, WIDTH / HEADS);
    weft_array *fit = weft_mul(weft_einsum("qhd,khd->hqk", weft_at(qkv, ":, 0"), weft_at(qkv, ":, 1")),
                               1 / sqrt(WIDTH / HEADS));
    weft_array *seen = weft_tril(weft_ones(NULL, WEFT_BOOL, n, n), 0);
    weft_array *weight = weft_softmax(weft_where(seen, fit, -INFINITY));
    return weft_matmul(weft_reshape(weft_einsum("hqk,khd->qhd", weight, weft_at(qkv, ":, 2")), n, WIDTH),
                       b->merge);
}

/* i32[n] -> f32[n, TOKENS]: at each place a score for each token that may follow. */
static weft_array *scores(const gpt *m, weft_array *tokens)
{
    weft_array *x =
        weft_add(weft_take(m->token, tokens, 0), weft_at(m->place, ":%d", (int)weft_dim(tokens, 0)));
    for (int i = 0; i < LAYERS; i++) {
        const block *b = &m->layer[i];
        x = weft_add(x, attention(b, layernorm(&b->before_attention, x)));
        weft_array *h = weft_gelu(weft_add(weft_matmul(layernorm(&b->before_mlp, x), b->up), b->up_shift));
        x = weft_add(x, weft_add(weft_matmul(h, b->down), b->down_shift));
    }
    return weft_matmul(layernorm(&m->last, x), weft_transpose(m->token));
}

/* How unlikely the right continuation is, a mean over the places behind the mark. */
static weft_array *loss(const gpt *m, weft_array *tokens)
{
    weft_array *given = weft_at(tokens, ":-1"), *next = weft_at(tokens, "1:");
    weft_array *likely =
        weft_sum(weft_mul(weft_log_softmax(scores(m, given)), weft_one_hot(next, TOKENS)), .axes = "-1");
    return weft_neg(weft_mean(likely, .where = weft_ge(weft_arange(NULL, 0, LENGTH, 1), N)));
}

static weft_array *batch_loss(const gpt *m, weft_array *tokens)
{
    return weft_mean(weft_vmap(NULL, loss, "none, 0")(m, tokens));
}

/* ---- examples: drawn and sorted where they are needed ---- */

static weft_array *draw(weft_array *key, int n) /* i32[n, LENGTH + 1] */
{
    weft_array *digits = weft_random_randint(key, WEFT_I32, 0, DIGITS, n, N),
               *mark = weft_full(NULL, WEFT_I32, MARK, n, 1);
    return weft_concatenate(1, digits, mark, weft_sort(digits, 1));
}

/* ---- training ---- */

static weft_array *step(gpt *m, gpt_state *s, weft_array *key)
{
    gpt gradient;
    weft_array *value = weft_value_and_grad(NULL, grad_fn, batch_loss, "m")(
        m, draw(weft_random_fold_in(key, s->step), BATCH), &gradient);
    weft_opt_update(NULL, optimizer(), gpt_state, m, &gradient, s);
    return value;
}

static weft_array *weights(weft_array *key, int number, int rows, int columns)
{
    return weft_mul(weft_random_normal(weft_random_fold_in(key, number), WEFT_F32, rows, columns),
                    1 / sqrt(rows));
}

static norm plain_norm(weft_context *ctx)
{
    return (norm){ weft_ones(ctx, WEFT_F32, WIDTH), weft_zeros(ctx, WEFT_F32, WIDTH) };
}

static gpt init(weft_context *ctx, weft_array *key)
{
    gpt m = { .token = weights(key, 0, TOKENS, WIDTH),
              .place = weights(key, 1, LENGTH, WIDTH),
              .last = plain_norm(ctx) };
    for (int i = 0; i < LAYERS; i++)
        m.layer[i] = (block){ plain_norm(ctx),
                              plain_norm(ctx),
                              weights(key, 4 * i + 2, WIDTH, 3 * WIDTH),
                              weights(key, 4 * i + 3, WIDTH, WIDTH),
                              weights(key, 4 * i + 4, WIDTH, 4 * WIDTH),
                              weft_zeros(ctx, WEFT_F32, 4 * WIDTH),
                              weights(key, 4 * i + 5, 4 * WIDTH, WIDTH),
                              weft_zeros(ctx, WEFT_F32, WIDTH) };
    return m;
}

/* ---- using it: digits and mark in, one more token in each turn ---- */

static weft_array *likeliest(const gpt *m, weft_array *tokens)
{
    return weft_argmax(scores(m, tokens), .axes = "-1");
}

/* token i + 1 follows from those up to i */
static weft_array *extend(weft_array *i, const gpt *m, weft_array *tokens)
{
    return weft_where(weft_eq(weft_arange(NULL, 0, LENGTH, 1), weft_add(i, 1)),
                      weft_take(likeliest(m, tokens), i, 0), tokens);
}

static weft_array *sorted(const gpt *m, weft_array *digits) /* i32[N] -> i32[N] */
{
    weft_array *tokens = weft_concatenate(0, digits, weft_full(NULL, WEFT_I32, MARK, LENGTH - N));
    extend_fn *more = weft_fori(NULL, extend, "index, none, carry", .count = N - 1);
    return weft_at(likeliest(m, more(weft_scalar_as(NULL, WEFT_I32, N), m, tokens)), "%d:", N);
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : CALLS;
    weft_context *ctx = weft_open(NULL);
    weft_describe(ctx, gpt_state);
    weft_declare(ctx, loss, model_fn);
    weft_declare(ctx, batch_loss, model_fn);
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, extend, extend_fn);
    weft_declare(ctx, sorted, model_fn);
    gpt m = init(ctx, weft_key(ctx, 1));
    gpt_state s;
    weft_opt_init(ctx, optimizer(), gpt_state, &m, &s);

    step_fn *train = weft_jit(ctx, weft_scan(ctx, step, "carry, carry, none", .length = STEPS));
    double begin = now();
    for (int call = 0; call < calls; call++) {
        weft_array *losses = train(&m, &s, weft_key(ctx, 2));
        if (losses)
            printf("%5d steps: loss %.4f\n", (call + 1) * STEPS,
                   weft_item(weft_mean(weft_at(losses, "-20:"))));
    }
    double seconds = now() - begin;

    model_fn *all = weft_jit(ctx, weft_vmap(ctx, sorted, "none, 0"));
    weft_array *asked = weft_at(draw(weft_key(ctx, 3), TESTED), ":, :%d", N), *answer = all(&m, asked);
    weft_array *right = weft_sum(weft_all(weft_eq(answer, weft_sort(asked, 1)), .axes = "1"));
    for (int row = 0; row < 3 && answer; row++) {
        for (int i = 0; i < N; i++) printf("%d ", (int)weft_i32(asked)[row * N + i]);
        printf("->");
        for (int i = 0; i < N; i++) printf(" %d", (int)weft_i32(answer)[row * N + i]);
        printf("\n");
    }
    double share = weft_item(right) / TESTED;
    printf("%.1f %% of %d new sequences sorted without a mistake; %d steps in %.1f s, compiling included\n",
           100 * share, TESTED, calls * STEPS, seconds);
    weft_close(ctx);
    return argc < 2 && !(share > 0.95);
}
