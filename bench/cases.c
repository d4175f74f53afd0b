/* cases.c: see cases.h. A case is a plain C function on arrays; the table below gives it shapes. */
#include "cases.h"

#define LAST .axes = "-1"

static weft_array *chain20(weft_array *x)
{
    weft_array *y = x;
    for (int j = 0; j < 5; j++) {
        y = weft_add(weft_mul(y, 1.0001), x);
        y = weft_sub(weft_maximum(y, -3.0 + j), weft_mul(x, 0.5));
    }
    return y;
}
static weft_array *chain320(weft_array *x)
{
    weft_array *y = x;
    for (int j = 0; j < 80; j++) {
        y = weft_add(weft_mul(y, 1.0001), x);
        y = weft_sub(weft_maximum(y, -3.0 + j), weft_mul(x, 0.5));
    }
    return y;
}
static weft_array *gelu(weft_array *x)
{
    weft_array *cube = weft_mul(weft_mul(x, x), x);
    return weft_mul(weft_mul(x, 0.5),
                    weft_add(weft_tanh(weft_mul(weft_add(x, weft_mul(cube, 0.044715)), 0.7978845608)), 1));
}
static weft_array *black_scholes(weft_array *s, weft_array *k, weft_array *t)
{
    const double r = 0.05, v = 0.2;
    weft_array *root = weft_mul(weft_sqrt(t), v),
               *d1 = weft_div(weft_add(weft_log(weft_div(s, k)), weft_mul(t, r + v * v / 2)), root),
               *d2 = weft_sub(d1, root);
    weft_array *n1 = weft_mul(weft_add(weft_erf(weft_mul(d1, 0.70710678)), 1), 0.5),
               *n2 = weft_mul(weft_add(weft_erf(weft_mul(d2, 0.70710678)), 1), 0.5);
    return weft_sub(weft_mul(s, n1), weft_mul(weft_mul(k, weft_exp(weft_mul(t, -r))), n2));
}
static weft_array *softmax(weft_array *x) { return weft_softmax(x, LAST); }
static weft_array *layernorm(weft_array *x, weft_array *g, weft_array *b)
{
    weft_array *c = weft_sub(x, weft_mean(x, LAST, .keep = true)),
               *v = weft_mean(weft_square(c), LAST, .keep = true);
    return weft_add(weft_mul(weft_mul(c, weft_rsqrt(weft_add(v, 1e-5))), g), b);
}
static weft_array *logsumexp(weft_array *x) { return weft_logsumexp(x, LAST); }
static weft_array *sum(weft_array *x) { return weft_sum(x); }
static weft_array *sum0(weft_array *x) { return weft_sum(x, .axes = "0"); }
static weft_array *sum1(weft_array *x) { return weft_sum(x, .axes = "1"); }
static weft_array *argmax_rows(weft_array *x) { return weft_argmax(x, .axes = "1"); }
static weft_array *transpose_add(weft_array *x, weft_array *y) { return weft_add(weft_transpose(x), y); }

static weft_array *distance(weft_array *q, weft_array *r) { return weft_sum(weft_square(weft_sub(q, r))); }
static weft_array *distances(weft_array *q, weft_array *r)
{
    return weft_vmap(NULL, distance, "none, 0")(q, r);
}
static weft_array *nearest(weft_array *q, weft_array *r) { return weft_argmin(distances(q, r)); }
static weft_array *pairwise_dist(weft_array *a, weft_array *b)
{
    return weft_vmap(NULL, distances, "0, none")(a, b);
}
static weft_array *pairwise_argmin(weft_array *a, weft_array *b)
{
    return weft_vmap(NULL, nearest, "0, none")(a, b);
}

static weft_array *dense_relu(weft_array *x, weft_array *w, weft_array *b)
{
    return weft_relu(weft_add(weft_matmul(x, w), b));
}
static weft_array *nbody(weft_array *p, weft_array *m)
{
    weft_array *d = weft_sub(weft_expand_dims(p, 0), weft_expand_dims(p, 1)),
               *r2 = weft_add(weft_sum(weft_square(d), LAST), 1e-3);
    weft_array *w = weft_div(weft_mul(m, weft_rsqrt(r2)), r2);
    return weft_sum(weft_mul(d, weft_expand_dims(w, 2)), .axes = "1");
}
static weft_array *gather_rows(weft_array *x, weft_array *at)
{
    return weft_sum(weft_take(x, at, 0), .axes = "0");
}
static weft_array *adam(weft_array *p, weft_array *g, weft_array *m, weft_array *v, weft_array **om,
                        weft_array **ov)
{
    *om = weft_add(weft_mul(m, 0.9), weft_mul(g, 0.1));
    *ov = weft_add(weft_mul(v, 0.999), weft_mul(weft_mul(g, g), 0.001));
    return weft_sub(p, weft_div(weft_mul(*om, 1e-3), weft_add(weft_sqrt(*ov), 1e-8)));
}

/* ---- loops ---- */

static weft_array *iir_step(weft_array *s, weft_array *x, weft_array **y)
{
    return *y = weft_add(weft_mul(s, 0.9), weft_mul(x, 0.1));
}
static weft_array *scan_step(weft_array *s) { return weft_add(weft_mul(s, 0.999), 1); }
static weft_array *scan_many(weft_array *s)
{
    return weft_fori(NULL, scan_step, "carry", .count = 1000000)(s);
}
static weft_array *rnn_step(weft_array *w, weft_array *h, weft_array *x, weft_array **y)
{
    return *y = weft_tanh(weft_add(weft_matmul(w, h), x));
}
static weft_array *jacobi_step(weft_array *x)
{
    weft_array *sum = weft_add(weft_add(weft_at(x, "1:-1, :-2"), weft_at(x, "1:-1, 2:")),
                               weft_add(weft_at(x, "2:, 1:-1"), weft_at(x, ":-2, 1:-1")));
    return weft_set(x, "1:-1, 1:-1", weft_mul(weft_add(sum, weft_at(x, "1:-1, 1:-1")), 0.2));
}
static weft_array *jacobi(weft_array *x) { return weft_fori(NULL, jacobi_step, "carry", .count = 100)(x); }

typedef struct {
    weft_array *a, *b, *n;
} orbit;
WEFT_STRUCT(orbit, WEFT_ARRAY(orbit, a), WEFT_ARRAY(orbit, b), WEFT_ARRAY(orbit, n));
static weft_array *orbit_inside(weft_array *x, weft_array *y, const orbit *z)
{
    (void)x, (void)y;
    return weft_logical_and(weft_le(weft_add(weft_mul(z->a, z->a), weft_mul(z->b, z->b)), 4),
                            weft_lt(z->n, 100));
}
static void orbit_step(weft_array *x, weft_array *y, orbit *z)
{
    weft_array *a = weft_add(weft_sub(weft_mul(z->a, z->a), weft_mul(z->b, z->b)), x);
    z->b = weft_add(weft_mul(weft_mul(z->a, 2), z->b), y);
    z->a = a;
    z->n = weft_add(z->n, 1);
}
static weft_array *escape(weft_array *x, weft_array *y)
{
    orbit z = { weft_zeros_like(x), weft_zeros_like(x), weft_zeros(NULL, WEFT_I32) };
    weft_while(NULL, orbit_inside, orbit_step, "none, none, carry")(x, weft_add(y, 0.5), &z);
    return z.n;
}
static weft_array *mandelbrot(weft_array *x, weft_array *y)
{
    return weft_vmap(NULL, weft_vmap(NULL, escape, "0, none"), "none, 0")(x, y);
}

static weft_array *cumsum(weft_array *x) { return weft_cumsum(x, 0); }
static weft_array *sort(weft_array *x) { return weft_sort(x, -1); }
static weft_array *uniform(weft_array *key) { return weft_random_uniform(key, WEFT_F32, 1000000); }
static weft_array *normal(weft_array *key) { return weft_random_normal(key, WEFT_F32, 1000000); }

/* ---- an ensemble of perceptrons ---- */

typedef struct {
    weft_array *w1, *b1, *w2, *b2;
} perceptron;
WEFT_STRUCT(perceptron, WEFT_ARRAY(perceptron, w1), WEFT_ARRAY(perceptron, b1), WEFT_ARRAY(perceptron, w2),
            WEFT_ARRAY(perceptron, b2));
static weft_array *predict(const perceptron *m, weft_array *x)
{
    return weft_add(weft_matmul(weft_relu(weft_add(weft_matmul(x, m->w1), m->b1)), m->w2), m->b2);
}
static weft_array *predict_batch(const perceptron *m, weft_array *x)
{
    return weft_vmap(NULL, predict, "none, 0")(m, x);
}

/* ---- values with gradients, and steps of training ---- */

WEFT_SIGNATURE(loss2_fn, weft_array *, (weft_array * x, weft_array *t));
WEFT_SIGNATURE(grad2_fn, weft_array *, (weft_array * x, weft_array *t, WEFT_OUT weft_array **dx));
WEFT_SIGNATURE(loss_fn, weft_array *, (const perceptron *m, weft_array *x, weft_array *y));
WEFT_SIGNATURE(gradient_fn, weft_array *,
               (const perceptron *m, weft_array *x, weft_array *y, WEFT_OUT perceptron *dm));
WEFT_SIGNATURE(sgd_fn, void, (perceptron * m, weft_array *x, weft_array *y));

static weft_array *gelu_loss(weft_array *x, weft_array *t) { return weft_mean(weft_mul(weft_gelu(x), t)); }
static weft_array *gelu_grad(weft_array *x, weft_array *t, weft_array **dx)
{
    return weft_value_and_grad(NULL, grad2_fn, gelu_loss, "x")(x, t, dx);
}
static weft_array *masked_loss(weft_array *x, weft_array *mask)
{
    return weft_mean(weft_square(x), .where = mask);
}
static weft_array *masked_mean_grad(weft_array *x, weft_array *mask, weft_array **dx)
{
    return weft_value_and_grad(NULL, grad2_fn, masked_loss, "x")(x, mask, dx);
}

static weft_array *cross_entropy(const perceptron *m, weft_array *x, weft_array *y)
{
    return weft_neg(weft_mean(weft_sum(weft_mul(weft_log_softmax(predict(m, x), LAST), y), LAST)));
}
static void sgd(perceptron *m, weft_array *x, weft_array *y)
{
    perceptron d;
    weft_value_and_grad(NULL, gradient_fn, cross_entropy, "m")(m, x, y, &d);
    m->w1 = weft_sub(m->w1, weft_mul(d.w1, 0.1));
    m->b1 = weft_sub(m->b1, weft_mul(d.b1, 0.1));
    m->w2 = weft_sub(m->w2, weft_mul(d.w2, 0.1));
    m->b2 = weft_sub(m->b2, weft_mul(d.b2, 0.1));
}
static void sgd_ensemble(perceptron *m, weft_array *x, weft_array *y)
{
    weft_vmap(NULL, sgd, "0, none, none")(m, x, y);
}
static void sgd_epoch(perceptron *m, weft_array *x, weft_array *y)
{
    weft_scan(NULL, sgd, "carry, 0, 0")(m, x, y);
}

WEFT_SIGNATURE(iir_fn, weft_array *, (weft_array * s, weft_array *x, WEFT_OUT weft_array **y));
WEFT_SIGNATURE(rnn_fn, weft_array *, (weft_array * w, weft_array *h, weft_array *x, WEFT_OUT weft_array **y));
WEFT_SIGNATURE(inside_fn, weft_array *, (weft_array * x, weft_array *y, const orbit *z));
WEFT_SIGNATURE(orbit_fn, void, (weft_array * x, weft_array *y, orbit *z));
WEFT_SIGNATURE(predict_fn, weft_array *, (const perceptron *m, weft_array *x));
WEFT_SIGNATURE(ternary, weft_array *, (weft_array * x, weft_array *y, weft_array *z));
WEFT_SIGNATURE(adam_fn, weft_array *,
               (weft_array * p, weft_array *g, weft_array *m, weft_array *v, WEFT_OUT weft_array **om,
                WEFT_OUT weft_array **ov));

#define CALLS(f, sig, ...) \
    static void declare_##f(weft_context *ctx) { weft_declare(ctx, f, sig); } \
    CALL(f, sig, __VA_ARGS__)
#define BUILT_IN(f, sig, ...) \
    static void declare_##f(weft_context *ctx) { (void)ctx; } \
    CALL(f, sig, __VA_ARGS__)
CALLS(chain20, weft_unary, in[0])
CALLS(chain320, weft_unary, in[0])
CALLS(gelu, weft_unary, in[0])
CALLS(black_scholes, ternary, in[0], in[1], in[2])
CALLS(softmax, weft_unary, in[0])
CALLS(layernorm, ternary, in[0], in[1], in[2])
CALLS(logsumexp, weft_unary, in[0])
CALLS(sum, weft_unary, in[0])
CALLS(sum0, weft_unary, in[0])
CALLS(sum1, weft_unary, in[0])
CALLS(argmax_rows, weft_unary, in[0])
CALLS(transpose_add, weft_binary, in[0], in[1])
CALLS(dense_relu, ternary, in[0], in[1], in[2])
CALLS(nbody, weft_binary, in[0], in[1])
CALLS(gather_rows, weft_binary, in[0], in[1])
BUILT_IN(weft_exp, weft_unary, in[0])
BUILT_IN(weft_log, weft_unary, in[0])
BUILT_IN(weft_sin, weft_unary, in[0])
BUILT_IN(weft_tanh, weft_unary, in[0])
BUILT_IN(weft_add, weft_binary, in[0], in[1])
BUILT_IN(weft_matmul, weft_binary, in[0], in[1])

static void declare_pairwise(weft_context *ctx)
{
    weft_declare(ctx, distance, weft_binary);
    weft_declare(ctx, distances, weft_binary);
    weft_declare(ctx, nearest, weft_binary);
    weft_declare(ctx, pairwise_dist, weft_binary);
    weft_declare(ctx, pairwise_argmin, weft_binary);
}
static weft_array *call_pairwise_dist(weft_context *ctx, bool compiled, weft_array **in, weft_array **out)
{
    return out[0] = (compiled ? weft_jit(ctx, pairwise_dist) : pairwise_dist)(in[0], in[1]);
}
static weft_array *call_pairwise_argmin(weft_context *ctx, bool compiled, weft_array **in, weft_array **out)
{
    return out[0] = (compiled ? weft_jit(ctx, pairwise_argmin) : pairwise_argmin)(in[0], in[1]);
}
static void declare_adam(weft_context *ctx) { weft_declare(ctx, adam, adam_fn); }
static weft_array *call_adam(weft_context *ctx, bool compiled, weft_array **in, weft_array **out)
{
    return out[0] = (compiled ? weft_jit(ctx, adam) : adam)(in[0], in[1], in[2], in[3], &out[1], &out[2]);
}

static weft_array *iir(weft_array *x)
{
    weft_array *y;
    weft_scan(NULL, iir_step, "carry, 0")(weft_zeros(NULL, WEFT_F32), x, &y);
    return y;
}
static weft_array *rnn(weft_array *w, weft_array *x)
{
    weft_array *y;
    weft_scan(NULL, rnn_step, "none, carry, 0")(w, weft_zeros(NULL, WEFT_F32, weft_dim(w, 0)), x, &y);
    return y;
}
static weft_array *ensemble(weft_array *x, weft_array *w1, weft_array *b1, weft_array *w2, weft_array *b2)
{
    perceptron all = { w1, b1, w2, b2 };
    return weft_vmap(NULL, predict_batch, "0, none")(&all, x);
}
WEFT_SIGNATURE(ensemble_fn, weft_array *,
               (weft_array * x, weft_array *w1, weft_array *b1, weft_array *w2, weft_array *b2));

WEFT_SIGNATURE(rnn_loss_fn, weft_array *, (weft_array * w, weft_array *x));
/* The mean square of all states of a recurrent network, by its weights. */
static weft_array *rnn_loss(weft_array *w, weft_array *x) { return weft_mean(weft_square(rnn(w, x))); }
static weft_array *rnn_grad(weft_array *w, weft_array *x, weft_array **dw)
{
    return weft_value_and_grad(NULL, grad2_fn, rnn_loss, "w")(w, x, dw);
}

/* What the cases' own transforms are made of. */
static void declare_parts(weft_context *ctx)
{
    weft_describe(ctx, orbit);
    weft_describe(ctx, perceptron);
    weft_declare(ctx, gelu_loss, loss2_fn);
    weft_declare(ctx, masked_loss, loss2_fn);
    weft_declare(ctx, cross_entropy, loss_fn);
    weft_declare(ctx, sgd, sgd_fn);
    weft_declare(ctx, iir_step, iir_fn);
    weft_declare(ctx, scan_step, weft_unary);
    weft_declare(ctx, rnn_step, rnn_fn);
    weft_declare(ctx, rnn_loss, rnn_loss_fn);
    weft_declare(ctx, jacobi_step, weft_unary);
    weft_declare(ctx, orbit_inside, inside_fn);
    weft_declare(ctx, orbit_step, orbit_fn);
    weft_declare(ctx, escape, weft_binary);
    weft_declare(ctx, predict, predict_fn);
    weft_declare(ctx, predict_batch, predict_fn);
}
#define LOOPS(f, sig, ...) \
    static void declare_##f(weft_context *ctx) \
    { \
        declare_parts(ctx); \
        weft_declare(ctx, f, sig); \
    } \
    CALL(f, sig, __VA_ARGS__)
LOOPS(iir, weft_unary, in[0])
LOOPS(scan_many, weft_unary, in[0])
LOOPS(rnn, weft_binary, in[0], in[1])
LOOPS(jacobi, weft_unary, in[0])
LOOPS(mandelbrot, weft_binary, in[0], in[1])
LOOPS(cumsum, weft_unary, in[0])
LOOPS(sort, weft_unary, in[0])
LOOPS(uniform, weft_unary, in[0])
LOOPS(normal, weft_unary, in[0])
#define GRADIENT(f) \
    static void declare_##f(weft_context *ctx) \
    { \
        declare_parts(ctx); \
        weft_declare(ctx, f, grad2_fn); \
    } \
    static weft_array *call_##f(weft_context *ctx, bool compiled, weft_array **in, weft_array **out) \
    { \
        return out[0] = (compiled ? weft_jit(ctx, f) : f)(in[0], in[1], &out[1]); \
    }
GRADIENT(gelu_grad)
GRADIENT(masked_mean_grad)
GRADIENT(rnn_grad)
#define TRAINING(f) \
    static void declare_##f(weft_context *ctx) \
    { \
        declare_parts(ctx); \
        weft_declare(ctx, f, sgd_fn); \
    } \
    static weft_array *call_##f(weft_context *ctx, bool compiled, weft_array **in, weft_array **out) \
    { \
        perceptron m = { in[0], in[1], in[2], in[3] }; \
        (compiled ? weft_jit(ctx, f) : f)(&m, in[4], in[5]); \
        return out[0] = m.w1, out[1] = m.b1, out[2] = m.w2, out[3] = m.b2, m.w1; \
    }
TRAINING(sgd)
TRAINING(sgd_ensemble)
TRAINING(sgd_epoch)
LOOPS(ensemble, ensemble_fn, in[0], in[1], in[2], in[3], in[4])

#define V(n) \
    { \
        WEFT_F32, FILL_UNIT, 1, { n } \
    }
#define M(n, m) \
    { \
        WEFT_F32, FILL_UNIT, 2, { n, m } \
    }
#define C(n, m) \
    { \
        WEFT_F32, FILL_CENTRED, 2, { n, m } \
    }
#define T(a, b, c) \
    { \
        WEFT_F32, FILL_CENTRED, 3, { a, b, c } \
    }
#define P(n) \
    { \
        WEFT_F32, FILL_POSITIVE, 1, { n } \
    }
#define PIXELS { WEFT_F32, FILL_PIXEL, 2, { 1797, 64 } }
#define I(n) \
    { \
        WEFT_I32, FILL_INDEX, 1, { n } \
    }
#define SCALAR { WEFT_F32, FILL_UNIT, 0, { 0 } }
#define SMALL(n, m) \
    { \
        WEFT_F32, FILL_SMALL, 2, { n, m } \
    }
#define RAMP(n) \
    { \
        WEFT_F32, FILL_RAMP, 1, { n } \
    }
#define KEY { WEFT_U32, FILL_INDEX, 1, { 2 } }
#define CENTRED(n) \
    { \
        WEFT_F32, FILL_CENTRED, 1, { n } \
    }
#define MASK(n) \
    { \
        WEFT_BOOL, FILL_MASK, 1, { n } \
    }
#define LABELS(...) { WEFT_F32, FILL_ONE_HOT, __VA_ARGS__ }
#define IMAGES(n)   { WEFT_F32, FILL_UNIT, 3, { n, 64, 64 } }
#define NET         C(64, 32), CENTRED(32), C(32, 10), CENTRED(10)
#define NETS        T(16, 64, 32), C(16, 32), T(16, 32, 10), C(16, 10)

const Case bench_cases[] = {
    { "chain20_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(chain20), c_chain20_1M, 1e-6, false },
    { "sum_4M", { V(4000000) }, 1, { SCALAR }, 1, USES(sum), c_sum_4M, 1e-4, false },
    { "exp_16k", { V(16384) }, 1, { V(16384) }, 1, USES(weft_exp), c_exp_16k, 1e-6, false },
    { "log_16k", { P(16384) }, 1, { V(16384) }, 1, USES(weft_log), c_log_16k, 1e-6, false },
    { "sin_16k", { V(16384) }, 1, { V(16384) }, 1, USES(weft_sin), c_sin_16k, 1e-6, false },
    { "tanh_16k", { V(16384) }, 1, { V(16384) }, 1, USES(weft_tanh), c_tanh_16k, 1e-6, false },
    { "softmax_4096x1000",
      { M(4096, 1000) },
      1,
      { M(4096, 1000) },
      1,
      USES(softmax),
      c_softmax_4096x1000,
      1e-5,
      false },
    { "layernorm_4096x768",
      { M(4096, 768), V(768), V(768) },
      3,
      { M(4096, 768) },
      1,
      USES(layernorm),
      c_layernorm_4096x768,
      1e-4,
      false },
    { "logsumexp_4096x1000",
      { M(4096, 1000) },
      1,
      { V(4096) },
      1,
      USES(logsumexp),
      c_logsumexp_4096x1000,
      1e-5,
      false },
    { "pairwise_argmin",
      { PIXELS, PIXELS },
      2,
      { { WEFT_I32, FILL_UNIT, 1, { 1797 } } },
      1,
      declare_pairwise,
      call_pairwise_argmin,
      c_pairwise_argmin,
      0,
      false },
    { "chain20_1k", { V(1024) }, 1, { V(1024) }, 1, USES(chain20), c_chain20_1k, 1e-6, false },
    { "call_add_8", { V(8), V(8) }, 2, { V(8) }, 1, USES(weft_add), c_add_8, 0, true },

    { "chain320_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(chain320), NULL, 0, false },
    { "exp_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(weft_exp), c_exp_1M, 1e-6, false },
    { "log_1M", { P(1000000) }, 1, { V(1000000) }, 1, USES(weft_log), c_log_1M, 1e-6, false },
    { "sin_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(weft_sin), c_sin_1M, 1e-6, false },
    { "gelu_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(gelu), c_gelu_1M, 1e-5, false },
    { "black_scholes_1M",
      { P(1000000), P(1000000), P(1000000) },
      3,
      { V(1000000) },
      1,
      USES(black_scholes),
      c_black_scholes_1M,
      1e-5,
      false },
    { "softmax_128x128",
      { M(128, 128) },
      1,
      { M(128, 128) },
      1,
      USES(softmax),
      c_softmax_128x128,
      1e-5,
      false },
    { "sum_axis0_2000", { M(2000, 2000) }, 1, { V(2000) }, 1, USES(sum0), c_sum_axis0_2000, 1e-5, false },
    { "sum_axis1_2000", { M(2000, 2000) }, 1, { V(2000) }, 1, USES(sum1), c_sum_axis1_2000, 1e-5, false },
    { "argmax_rows_4096x1000",
      { M(4096, 1000) },
      1,
      { { WEFT_I32, FILL_UNIT, 1, { 4096 } } },
      1,
      USES(argmax_rows),
      c_argmax_rows_4096x1000,
      0,
      false },
    { "transpose_add_2048",
      { M(2048, 2048), M(2048, 2048) },
      2,
      { M(2048, 2048) },
      1,
      USES(transpose_add),
      c_transpose_add_2048,
      0,
      false },
    { "pairwise_dist",
      { PIXELS, PIXELS },
      2,
      { M(1797, 1797) },
      1,
      declare_pairwise,
      call_pairwise_dist,
      c_pairwise_dist,
      1e-6,
      false },
    { "matmul_512",
      { C(512, 512), C(512, 512) },
      2,
      { M(512, 512) },
      1,
      USES(weft_matmul),
      c_matmul_512,
      1e-4,
      false },
    { "matmul_64",
      { C(64, 64), C(64, 64) },
      2,
      { M(64, 64) },
      1,
      USES(weft_matmul),
      c_matmul_64,
      1e-4,
      false },
    { "matvec_1024",
      { C(1024, 1024), V(1024) },
      2,
      { V(1024) },
      1,
      USES(weft_matmul),
      c_matvec_1024,
      1e-4,
      false },
    { "dense_relu",
      { C(256, 784), C(784, 128), V(128) },
      3,
      { M(256, 128) },
      1,
      USES(dense_relu),
      c_dense_relu,
      1e-4,
      false },
    { "bmm_1000x16x16",
      { T(1000, 16, 16), T(1000, 16, 16) },
      2,
      { T(1000, 16, 16) },
      1,
      USES(weft_matmul),
      c_bmm_1000x16x16,
      1e-4,
      false },
    { "nbody_1024", { M(1024, 3), V(1024) }, 2, { M(1024, 3) }, 1, USES(nbody), c_nbody_1024, 1e-3, false },
    { "adam_1M",
      { V(1000000), V(1000000), V(1000000), V(1000000) },
      4,
      { V(1000000), V(1000000), V(1000000) },
      3,
      USES(adam),
      c_adam_1M,
      1e-5,
      false },
    { "iir_100k", { V(100000) }, 1, { V(100000) }, 1, USES(iir), c_iir_100k, 1e-5, false },
    { "scan_1M", { SCALAR }, 1, { SCALAR }, 1, USES(scan_many), c_scan_1M, 1e-5, false },
    { "rnn16_1000", { C(16, 16), M(1000, 16) }, 2, { M(1000, 16) }, 1, USES(rnn), c_rnn16_1000, 1e-4, false },
    { "rnn128_1000",
      { SMALL(128, 128), M(1000, 128) },
      2,
      { M(1000, 128) },
      1,
      USES(rnn),
      c_rnn128_1000,
      1e-3,
      false },
    { "mandelbrot_512",
      { RAMP(512), RAMP(512) },
      2,
      { { WEFT_I32, FILL_UNIT, 2, { 512, 512 } } },
      1,
      USES(mandelbrot),
      c_mandelbrot_512,
      1,
      false },
    { "jacobi2d_256_100",
      { M(256, 256) },
      1,
      { M(256, 256) },
      1,
      USES(jacobi),
      c_jacobi2d_256_100,
      1e-5,
      false },
    { "cumsum_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(cumsum), c_cumsum_1M, 1e-3, false },
    { "sort_1M", { V(1000000) }, 1, { V(1000000) }, 1, USES(sort), c_sort_1M, 0, false },
    { "random_uniform_1M", { KEY }, 1, { V(1000000) }, 1, USES(uniform), NULL, 0, false },
    { "random_normal_1M", { KEY }, 1, { V(1000000) }, 1, USES(normal), NULL, 0, false },
    { "ensemble_mlp",
      { M(64, 64), T(16, 64, 32), C(16, 32), T(16, 32, 10), C(16, 10) },
      5,
      { { WEFT_F32, FILL_UNIT, 3, { 16, 64, 10 } } },
      1,
      USES(ensemble),
      c_ensemble_mlp,
      1e-4,
      false },
    { "gelu_grad_1M",
      { CENTRED(1000000), CENTRED(1000000) },
      2,
      { SCALAR, V(1000000) },
      2,
      USES(gelu_grad),
      c_gelu_grad_1M,
      1e-5,
      false },
    { "masked_mean_grad_1M",
      { V(1000000), MASK(1000000) },
      2,
      { SCALAR, V(1000000) },
      2,
      USES(masked_mean_grad),
      c_masked_mean_grad_1M,
      1e-5,
      false },
    { "mlp_sgd_step",
      { NET, M(64, 64), LABELS(2, { 64, 10 }) },
      6,
      { NET },
      4,
      USES(sgd),
      c_mlp_sgd_step,
      1e-5,
      false },
    { "ensemble_sgd_step",
      { NETS, M(64, 64), LABELS(2, { 64, 10 }) },
      6,
      { NETS },
      4,
      USES(sgd_ensemble),
      c_ensemble_sgd_step,
      1e-5,
      false },
    { "mlp_epoch_scan",
      { NET, IMAGES(28), LABELS(3, { 28, 64, 10 }) },
      6,
      { NET },
      4,
      USES(sgd_epoch),
      c_mlp_epoch_scan,
      1e-4,
      false },
    { "rnn16_1000_grad",
      { C(16, 16), M(1000, 16) },
      2,
      { SCALAR, C(16, 16) },
      2,
      USES(rnn_grad),
      c_rnn16_1000_grad,
      1e-4,
      false },
    { "rnn128_1000_grad",
      { SMALL(128, 128), M(1000, 128) },
      2,
      { SCALAR, C(128, 128) },
      2,
      USES(rnn_grad),
      c_rnn128_1000_grad,
      1e-3,
      false },
    { "gather_rows",
      { M(10000, 64), I(100000) },
      2,
      { V(64) },
      1,
      USES(gather_rows),
      c_gather_rows,
      1e-3,
      false },
};
const int n_bench_cases = sizeof bench_cases / sizeof *bench_cases;
