/* cases.c: see cases.h. A case is a plain C function on arrays, of any element type; cases.def gives it
 * shapes. */
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
/* y = y a + b, four times */
static weft_array *complex_madd(weft_array *x, weft_array *a, weft_array *b)
{
    weft_array *y = x;
    for (int j = 0; j < 4; j++) y = weft_add(weft_mul(y, a), b);
    return y;
}
static weft_array *complex_ratio(weft_array *a, weft_array *b)
{
    return weft_mul(weft_div(a, b), weft_abs(b));
}
static weft_array *swiglu(weft_array *x, weft_array *a, weft_array *b)
{
    return weft_mul(weft_silu(weft_matmul(x, a)), weft_matmul(x, b));
}
/* log(sum(exp(x))) of all elements so far of each row, as jax.lax.cumlogsumexp is written out: windows over
 * the whole row. */
static const char running_logs_text[] =
    "func.func @main(%x: tensor<1000x300xf32>) -> tensor<1000x300xf32> {\n"
    " %c = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    " %y = \"stablehlo.reduce_window\"(%x, %c) <{padding = dense<[[0, 0], [299, 0]]> : tensor<2x2xi64>,"
    " window_dimensions = array<i64: 1, 300>}> ({\n"
    " ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "  %0 = stablehlo.maximum %a, %b : tensor<f32>\n"
    "  %1 = stablehlo.subtract %a, %b : tensor<f32>\n"
    "  %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "  %3 = stablehlo.add %a, %b : tensor<f32>\n"
    "  %4 = stablehlo.abs %1 : tensor<f32>\n"
    "  %5 = stablehlo.negate %4 : tensor<f32>\n"
    "  %6 = stablehlo.exponential %5 : tensor<f32>\n"
    "  %7 = stablehlo.log_plus_one %6 : tensor<f32>\n"
    "  %8 = stablehlo.add %0, %7 : tensor<f32>\n"
    "  %9 = stablehlo.select %2, %3, %8 : tensor<i1>, tensor<f32>\n"
    "  stablehlo.return %9 : tensor<f32>\n"
    " }) : (tensor<1000x300xf32>, tensor<f32>) -> tensor<1000x300xf32>\n"
    " return %y : tensor<1000x300xf32>\n}\n";
static weft_unary *running_logs;
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

/* l^-T l^-1 b, of a positive matrix made of any: its symmetric mean, and n on the diagonal */
static weft_array *positive_factor(weft_array *a)
{
    weft_array *n = weft_eye(NULL, weft_dtype_of(a), weft_dim(a, 0));
    return weft_cholesky(weft_add(a, weft_mul(n, (double)weft_dim(a, 0))));
}
static weft_array *solve_one(weft_array *a, weft_array *b)
{
    weft_array *l = positive_factor(a);
    return weft_solve_triangular(l, weft_solve_triangular(l, b), .transpose = true);
}
static weft_array *solve_positive(weft_array *a, weft_array *b)
{
    return weft_vmap(NULL, solve_one, "0, 0")(a, b);
}

/* What does not depend on the vectors' signs: a's square, of the symmetric mean, and u v^T. */
static weft_array *square_by_eigh(weft_array *a)
{
    weft_array *v = NULL, *w = weft_eigh(a, &v);
    return weft_matmul(weft_mul(v, weft_square(w)), weft_transpose(v));
}
static weft_array *polar_by_svd(weft_array *a)
{
    weft_array *u = NULL, *vt = NULL;
    weft_svd(a, &u, &vt);
    return weft_matmul(u, vt);
}

static weft_array *matmul_tn(weft_array *a, weft_array *b) { return weft_matmul(weft_transpose(a), b); }
static weft_array *matmul_nt(weft_array *a, weft_array *b) { return weft_matmul(a, weft_transpose(b)); }
/* An image by weights of its rows and of its columns. */
static weft_array *resized(weft_array *x, weft_array *rows, weft_array *columns)
{
    return weft_matmul(weft_matmul(weft_transpose(rows), x), columns);
}

static weft_array *gated_dense(weft_array *x, weft_array *gate, weft_array *w)
{
    return weft_mul(weft_silu(weft_matmul(x, gate)), weft_matmul(x, w));
}

static weft_array *dense_relu(weft_array *x, weft_array *w, weft_array *b)
{
    return weft_relu(weft_add(weft_matmul(x, w), b));
}
static weft_array *nbody(weft_array *p, weft_array *m)
{
    weft_array *d = weft_sub(weft_expand_dims(p, 0), weft_expand_dims(p, 1)),
               *r2 = weft_add(weft_sum(weft_square(d), LAST), 1e-3);
    weft_array *w = weft_div(m, weft_mul(weft_sqrt(r2), r2));
    return weft_sum(weft_mul(d, weft_expand_dims(w, 2)), .axes = "1");
}
static weft_array *gather_rows(weft_array *x, weft_array *at)
{
    return weft_sum(weft_take(x, at, 0), .axes = "0");
}
static weft_array *column(weft_array *x) { return weft_mul(weft_at(x, ":, 7"), 2); }
/* Columns in another order. */
static weft_array *columns(weft_array *x, weft_array *at) { return weft_mul(weft_take(x, at, 1), 2); }
/* Squared distances of pairs of points. */
static weft_array *pairs(weft_array *x, weft_array *i, weft_array *j)
{
    weft_array *d = weft_sub(weft_take(x, i, 0), weft_take(x, j, 0));
    return weft_sum(weft_mul(d, d), .axes = "1");
}
static weft_array *powers(weft_array *x, weft_array *p) { return weft_pow(weft_expand_dims(x, 1), p); }
static weft_array *vander(weft_array *x) { return powers(x, weft_arange(NULL, 0, 6, 1)); }
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
/* Each node takes the least label of its neighbours. */
static weft_array *labels_step(weft_array *label, weft_array *a, weft_array *b)
{
    weft_array *there = weft_scatter(label, a, 0, weft_take(label, b, 0), .with = WEFT_MIN);
    return weft_scatter(there, b, 0, weft_take(label, a, 0), .with = WEFT_MIN);
}
static weft_array *labels(weft_array *label, weft_array *a, weft_array *b)
{
    return weft_fori(NULL, labels_step, "carry, none, none", .count = 10)(label, a, b);
}

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

CALL(chain20, weft_unary, in[0])
CALL(complex_madd, weft_ternary, in[0], in[1], in[2])
CALL(complex_ratio, weft_binary, in[0], in[1])
CALL(swiglu, weft_ternary, in[0], in[1], in[2])
CALL(running_logs, weft_unary, in[0])
CALL(chain320, weft_unary, in[0])
CALL(gelu, weft_unary, in[0])
CALL(black_scholes, ternary, in[0], in[1], in[2])
CALL(softmax, weft_unary, in[0])
CALL(layernorm, ternary, in[0], in[1], in[2])
CALL(logsumexp, weft_unary, in[0])
CALL(sum, weft_unary, in[0])
CALL(sum0, weft_unary, in[0])
CALL(sum1, weft_unary, in[0])
CALL(argmax_rows, weft_unary, in[0])
CALL(transpose_add, weft_binary, in[0], in[1])
CALL(dense_relu, ternary, in[0], in[1], in[2])
CALL(gated_dense, ternary, in[0], in[1], in[2])
CALL(resized, ternary, in[0], in[1], in[2])
CALL(nbody, weft_binary, in[0], in[1])
CALL(gather_rows, weft_binary, in[0], in[1])
CALL(column, weft_unary, in[0])
CALL(columns, weft_binary, in[0], in[1])
CALL(pairs, weft_ternary, in[0], in[1], in[2])
CALL(powers, weft_binary, in[0], in[1])
CALL(vander, weft_unary, in[0])
CALL(weft_exp, weft_unary, in[0])
CALL(weft_log, weft_unary, in[0])
CALL(weft_sin, weft_unary, in[0])
CALL(weft_tanh, weft_unary, in[0])
CALL(weft_add, weft_binary, in[0], in[1])
CALL(weft_matmul, weft_binary, in[0], in[1])
CALL(matmul_tn, weft_binary, in[0], in[1])
CALL(matmul_nt, weft_binary, in[0], in[1])
CALL(positive_factor, weft_unary, in[0])
CALL(solve_positive, weft_binary, in[0], in[1])
CALL(square_by_eigh, weft_unary, in[0])
CALL(polar_by_svd, weft_unary, in[0])

CALL(pairwise_dist, weft_binary, in[0], in[1])
CALL(pairwise_argmin, weft_binary, in[0], in[1])
CALL(adam, adam_fn, in[0], in[1], in[2], in[3], &out[1], &out[2])

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

CALL(iir, weft_unary, in[0])
CALL(scan_many, weft_unary, in[0])
CALL(rnn, weft_binary, in[0], in[1])
CALL(jacobi, weft_unary, in[0])
CALL(mandelbrot, weft_binary, in[0], in[1])
CALL(labels, ternary, in[0], in[1], in[2])
CALL(cumsum, weft_unary, in[0])
CALL(sort, weft_unary, in[0])
CALL(uniform, weft_unary, in[0])
CALL(normal, weft_unary, in[0])
CALL(gelu_grad, grad2_fn, in[0], in[1], &out[1])
CALL(masked_mean_grad, grad2_fn, in[0], in[1], &out[1])
CALL(rnn_grad, grad2_fn, in[0], in[1], &out[1])
#define TRAINING(f) \
    weft_array *call_##f(weft_context *ctx, bool compiled, weft_array **in, weft_array **out) \
    { \
        perceptron m = { in[0], in[1], in[2], in[3] }; \
        (compiled ? weft_jit(ctx, f) : f)(&m, in[4], in[5]); \
        return out[0] = m.w1, out[1] = m.b1, out[2] = m.w2, out[3] = m.b2, m.w1; \
    }
TRAINING(sgd)
TRAINING(sgd_ensemble)
TRAINING(sgd_epoch)
CALL(ensemble, ensemble_fn, in[0], in[1], in[2], in[3], in[4])

static void declare_plain(weft_context *ctx)
{
    weft_declare(ctx, chain20, weft_unary);
    weft_declare(ctx, complex_madd, weft_ternary);
    weft_declare(ctx, complex_ratio, weft_binary);
    weft_declare(ctx, swiglu, weft_ternary);
    running_logs = weft_parse_stablehlo(ctx, weft_unary, running_logs_text, sizeof running_logs_text - 1,
                                        "running_logs.mlir");
    weft_declare(ctx, chain320, weft_unary);
    weft_declare(ctx, gelu, weft_unary);
    weft_declare(ctx, black_scholes, ternary);
    weft_declare(ctx, softmax, weft_unary);
    weft_declare(ctx, layernorm, ternary);
    weft_declare(ctx, logsumexp, weft_unary);
    weft_declare(ctx, sum, weft_unary);
    weft_declare(ctx, sum0, weft_unary);
    weft_declare(ctx, sum1, weft_unary);
    weft_declare(ctx, argmax_rows, weft_unary);
    weft_declare(ctx, transpose_add, weft_binary);
    weft_declare(ctx, distance, weft_binary);
    weft_declare(ctx, distances, weft_binary);
    weft_declare(ctx, nearest, weft_binary);
    weft_declare(ctx, pairwise_dist, weft_binary);
    weft_declare(ctx, pairwise_argmin, weft_binary);
    weft_declare(ctx, positive_factor, weft_unary);
    weft_declare(ctx, square_by_eigh, weft_unary);
    weft_declare(ctx, polar_by_svd, weft_unary);
    weft_declare(ctx, solve_one, weft_binary);
    weft_declare(ctx, solve_positive, weft_binary);
    weft_declare(ctx, matmul_tn, weft_binary);
    weft_declare(ctx, matmul_nt, weft_binary);
    weft_declare(ctx, dense_relu, ternary);
    weft_declare(ctx, gated_dense, ternary);
    weft_declare(ctx, resized, ternary);
    weft_declare(ctx, nbody, weft_binary);
    weft_declare(ctx, gather_rows, weft_binary);
    weft_declare(ctx, column, weft_unary);
    weft_declare(ctx, columns, weft_binary);
    weft_declare(ctx, pairs, weft_ternary);
    weft_declare(ctx, powers, weft_binary);
    weft_declare(ctx, vander, weft_unary);
    weft_declare(ctx, adam, adam_fn);
    weft_declare(ctx, cumsum, weft_unary);
    weft_declare(ctx, sort, weft_unary);
    weft_declare(ctx, uniform, weft_unary);
    weft_declare(ctx, normal, weft_unary);
}
static void declare_loops(weft_context *ctx)
{
    weft_describe(ctx, orbit);
    weft_declare(ctx, iir_step, iir_fn);
    weft_declare(ctx, iir, weft_unary);
    weft_declare(ctx, scan_step, weft_unary);
    weft_declare(ctx, scan_many, weft_unary);
    weft_declare(ctx, rnn_step, rnn_fn);
    weft_declare(ctx, rnn, weft_binary);
    weft_declare(ctx, jacobi_step, weft_unary);
    weft_declare(ctx, jacobi, weft_unary);
    weft_declare(ctx, labels_step, ternary);
    weft_declare(ctx, labels, ternary);
    weft_declare(ctx, orbit_inside, inside_fn);
    weft_declare(ctx, orbit_step, orbit_fn);
    weft_declare(ctx, escape, weft_binary);
    weft_declare(ctx, mandelbrot, weft_binary);
}
static void declare_training(weft_context *ctx)
{
    weft_describe(ctx, perceptron);
    weft_declare(ctx, predict, predict_fn);
    weft_declare(ctx, predict_batch, predict_fn);
    weft_declare(ctx, ensemble, ensemble_fn);
    weft_declare(ctx, gelu_loss, loss2_fn);
    weft_declare(ctx, gelu_grad, grad2_fn);
    weft_declare(ctx, masked_loss, loss2_fn);
    weft_declare(ctx, masked_mean_grad, grad2_fn);
    weft_declare(ctx, rnn_loss, rnn_loss_fn);
    weft_declare(ctx, rnn_grad, grad2_fn);
    weft_declare(ctx, cross_entropy, loss_fn);
    weft_declare(ctx, sgd, sgd_fn);
    weft_declare(ctx, sgd_ensemble, sgd_fn);
    weft_declare(ctx, sgd_epoch, sgd_fn);
}

void declare_cases(weft_context *ctx)
{
    declare_plain(ctx);
    declare_loops(ctx);
    declare_training(ctx);
    declare_stencils(ctx);
    declare_images(ctx);
    declare_field(ctx);
    declare_order(ctx);
    declare_transforms(ctx);
}
