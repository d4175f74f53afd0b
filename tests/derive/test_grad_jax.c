/* test_grad_jax.c: derivatives of whole functions against JAX's (tests/data/grad.txt, written by
 * make_grad_data.py): run op by op, and compiled. */
#include <criterion/criterion.h>
#include <math.h>
#include "tests/support/ops_data.h"

WEFT_SIGNATURE(step_fn, weft_array *,
               (weft_array * wx, weft_array *u, weft_array *h, weft_array *x, WEFT_OUT weft_array **y));
WEFT_SIGNATURE(two_fn, void,
               (weft_array * a, weft_array *b, WEFT_OUT weft_array **c, WEFT_OUT weft_array **d));
WEFT_SIGNATURE(jvp_fn, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(vjp_fn, weft_array *,
               (weft_array * x, weft_array *y, weft_array *ct, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(blocks_fn, weft_array *,
               (weft_array * x, weft_array *y, WEFT_OUT weft_array **b, WEFT_OUT weft_array **c,
                WEFT_OUT weft_array **d));
typedef struct {
    weft_array *a, *b;
} affine;
WEFT_STRUCT(affine, WEFT_ARRAY(affine, a), WEFT_ARRAY(affine, b));
WEFT_SIGNATURE(compose_fn, void, (const affine *x, const affine *y, WEFT_OUT affine *z));
WEFT_SIGNATURE(prefixes_fn, void, (const affine *x, WEFT_OUT affine *y));

/* f, declared, as an expression. */
#define OF(sig, f)      (weft_declare(NULL, f, sig), (f))
#define BY(sig, f, wrt) weft_grad(NULL, sig, OF(sig, f), wrt)
#define D(f)            BY(weft_unary, f, "x")
#define D2(f, wrt)      BY(weft_binary, f, wrt)
#define D3(f, wrt)      BY(weft_ternary, f, wrt)
typedef weft_array A;

/* ---- losses ---- */

static A *errors(A *w) { return weft_sub(weft_matmul(IN(X), w), IN(target)); }
static A *mse(A *x, A *y) { return weft_mean(weft_square(weft_add(errors(x), y))); }
static A *logistic(A *x)
{
    return weft_mean(weft_softplus(weft_mul(weft_neg(IN(sign)), weft_matmul(IN(X), x))));
}
static A *cross_entropy(A *x, A *y)
{
    A *logp = weft_log_softmax(weft_add(weft_matmul(IN(X), x), y));
    return weft_neg(weft_mean(weft_take_along_axis(logp, weft_expand_dims(IN(labels), 1), 1)));
}
static A *huber(A *x)
{
    A *e = errors(x), *size = weft_abs(e);
    return weft_sum(weft_where(weft_lt(size, 1), weft_mul(0.5, weft_square(e)), weft_sub(size, 0.5)));
}
static A *hinge(A *x)
{
    return weft_sum(weft_maximum(0, weft_sub(1, weft_mul(IN(sign), weft_matmul(IN(X), x)))));
}
static A *gauss(A *x, A *y)
{
    A *z = weft_div(weft_sub(IN(x), x), weft_exp(y));
    return weft_sum(
        weft_sub(weft_sub(weft_mul(-0.5, weft_square(z)), y), 0.5 * log(2 * 3.14159265358979323846)));
}
static A *mixture(A *x, A *y)
{
    A *d = weft_sub(weft_expand_dims(IN(x), 1), x);
    return weft_sum(weft_logsumexp(weft_add(weft_mul(-0.5, weft_square(d)), weft_log(y)), .axes = "1"));
}
static A *ridge(A *x)
{
    return weft_add(
        weft_add(weft_sum(weft_square(weft_matmul(IN(X), x))), weft_mul(0.1, weft_sum(weft_square(x)))),
        weft_sum(weft_abs(x)));
}

/* ---- layers ---- */

static A *layernorm(A *x, A *y, A *z)
{
    A *centered = weft_sub(x, weft_mean(x, .axes = "-1", .keep = true));
    A *scaled = weft_div(centered, weft_sqrt(weft_add(weft_var(x, .axes = "-1", .keep = true), 1e-5)));
    return weft_sum(weft_sin(weft_add(weft_mul(y, scaled), z)));
}
static A *attention(A *x, A *y, A *z)
{
    return weft_sum(
        weft_square(weft_matmul(weft_softmax(weft_div(weft_matmul(x, weft_transpose(y)), sqrt(3))), z)));
}
static A *embedding(A *x) { return weft_sum(weft_cos(weft_take(x, IN(ids), 0))); }
static A *max_pool(A *x) { return weft_sum(weft_square(weft_max_pool(x, "2,2"))); }
static A *avg_pool(A *x) { return weft_sum(weft_square(weft_avg_pool(x, "3,3", .stride = "1"))); }
static A *conv(A *x, A *y)
{
    A *sum = NULL;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A *part = weft_mul(weft_at(y, "%d,%d", i, j), weft_at(x, ":, %d:%d, %d:%d", i, i + 4, j, j + 4));
            sum = sum ? weft_add(sum, part) : part;
        }
    return weft_sum(weft_tanh(sum));
}
static A *rnn_step(A *wx, A *u, A *h, A *x, A **y)
{
    *y = weft_sum(h);
    return weft_tanh(weft_add(weft_matmul(x, wx), weft_matmul(h, u)));
}
static A *rnn(A *x, A *y, A *z)
{
    A *sums, *last = weft_scan(NULL, OF(step_fn, rnn_step), "none, none, carry, 0")(x, y, z, IN(xs), &sums);
    return weft_add(weft_sum(weft_square(last)), weft_sum(weft_sin(sums)));
}
static A *rnn_kept(A *wx, A *u, A *h, A *x, A **y)
{
    *y = h;
    return weft_tanh(weft_add(weft_matmul(x, wx), weft_matmul(h, u)));
}
static A *rnn_back(A *x)
{
    A *states;
    weft_scan(NULL, OF(step_fn, rnn_kept), "none, none, carry, 0", .reverse = true)(IN(Wx), x, IN(h0), IN(xs),
                                                                                    &states);
    return weft_sum(weft_square(states));
}
static A *rnn_every_third(A *x)
{
    A *states;
    weft_scan(NULL, OF(step_fn, rnn_kept), "none, none, carry, 0", .reverse = true,
              .checkpoint = 3)(IN(Wx), x, IN(h0), IN(xs), &states);
    return weft_sum(weft_square(states));
}
static A *gelu(A *x) { return weft_sum(weft_add(weft_mul(weft_gelu(x), weft_silu(x)), weft_gelu_exact(x))); }
static A *softmax_jac(A *x) { return weft_sum(weft_mul(weft_softmax(x), IN(y))); }

/* clang-format off */
#define LAYERS(R) \
    R(mse_0, 1e-12, D2(mse, "x")(IN(w), IN(s))) R(mse_1, 1e-12, D2(mse, "y")(IN(w), IN(s))) \
    R(logistic_0, 1e-12, D(logistic)(IN(w))) \
    R(cross_entropy_0, 1e-12, D2(cross_entropy, "x")(IN(W), IN(b))) \
    R(cross_entropy_1, 1e-12, D2(cross_entropy, "y")(IN(W), IN(b))) \
    R(huber_0, 1e-12, D(huber)(IN(w))) R(hinge_0, 1e-12, D(hinge)(IN(w))) \
    R(gauss_0, 1e-12, D2(gauss, "x")(IN(s), IN(t))) R(gauss_1, 1e-12, D2(gauss, "y")(IN(s), IN(t))) \
    R(mixture_0, 1e-12, D2(mixture, "x")(IN(mu), IN(weights))) \
    R(mixture_1, 1e-12, D2(mixture, "y")(IN(mu), IN(weights))) \
    R(ridge_0, 1e-12, D(ridge)(IN(W))) \
    R(layernorm_0, 1e-11, D3(layernorm, "x")(IN(m), IN(w), IN(w))) \
    R(layernorm_1, 1e-11, D3(layernorm, "y")(IN(m), IN(w), IN(w))) \
    R(layernorm_2, 1e-11, D3(layernorm, "z")(IN(m), IN(w), IN(w))) \
    R(attention_0, 1e-12, D3(attention, "x")(IN(q), IN(k), IN(v))) \
    R(attention_1, 1e-12, D3(attention, "y")(IN(q), IN(k), IN(v))) \
    R(attention_2, 1e-12, D3(attention, "z")(IN(q), IN(k), IN(v))) \
    R(embedding_0, 1e-12, D(embedding)(IN(table))) R(max_pool_0, 1e-12, D(max_pool)(IN(img))) \
    R(avg_pool_0, 1e-12, D(avg_pool)(IN(img))) \
    R(conv_0, 1e-12, D2(conv, "x")(IN(img), IN(kernel))) \
    R(conv_1, 1e-12, D2(conv, "y")(IN(img), IN(kernel))) \
    R(rnn_0, 1e-12, D3(rnn, "x")(IN(Wx), IN(U), IN(h0))) \
    R(rnn_1, 1e-12, D3(rnn, "y")(IN(Wx), IN(U), IN(h0))) \
    R(rnn_2, 1e-12, D3(rnn, "z")(IN(Wx), IN(U), IN(h0))) \
    R(rnn_back_0, 1e-12, D(rnn_back)(IN(U))) \
    R(rnn_third_0, 1e-12, D(rnn_every_third)(IN(U))) \
    R(gelu_0, 1e-11, D(gelu)(IN(x))) R(softmax_jac_0, 1e-12, D(softmax_jac)(IN(x)))
/* clang-format on */

/* ---- order, prefixes, indices ---- */

static A *sorted(A *x) { return weft_sum(weft_mul(weft_sort(x, 0), weft_arange(NULL, 0, 5, 1))); }
static A *sort_rows(A *x) { return weft_sum(weft_mul(weft_sort(x, 0), IN(y))); }
static A *top_k(A *x) { return weft_sum(weft_pow(weft_top_k(x, 3, NULL), 3)); }
static A *cumsum(A *x) { return weft_sum(weft_square(weft_cumsum(x, 0))); }
static A *cumprod(A *x) { return weft_sum(weft_mul(weft_cumprod(x, 0), IN(y))); }
static A *cumprod_zero(A *x) { return weft_sum(weft_mul(weft_cumprod(x, 0), IN(w))); }
static A *cummax(A *x) { return weft_sum(weft_mul(weft_cummax(x, 0), IN(y))); }
static A *cumlogsumexp(A *x) { return weft_sum(weft_mul(weft_cumlogsumexp(x, 0), IN(y))); }
static A *scatter_add(A *x, A *y)
{
    return weft_sum(weft_square(weft_scatter(x, IN(i3), 0, weft_at(y, ":3"), .with = WEFT_ADD)));
}
static A *scatter_set(A *x, A *y)
{
    return weft_sum(weft_square(weft_scatter(x, IN(i3), 0, weft_at(y, ":3"))));
}
static A *segments(A *x)
{
    static const int32_t ids[4] = { 1, 0, 1, 1 };
    return weft_sum(weft_square(weft_segment_sum(x, weft_from(NULL, ids, 4), 2)));
}
static A *dynamic(A *x)
{
    A *at = weft_at(IN(i3), "0"),
      *updated = weft_dynamic_update_slice(x, weft_square(weft_at(x, ":2")), weft_reshape(at, 1));
    return weft_sum(weft_mul(weft_dynamic_slice(x, weft_reshape(at, 1), 3), weft_at(updated, ":3")));
}
static A *padded(A *x) { return weft_sum(weft_pow(weft_at(weft_pad(x, 0, "1:2, 0:1"), "::2, 1:"), 3)); }
static A *rolled(A *x)
{
    return weft_sum(weft_mul(weft_roll(x, 2, 0), weft_concatenate(0, weft_at(x, "1:"), weft_at(x, ":1"))));
}
static A *einsum(A *x, A *y)
{
    return weft_add(weft_sum(weft_square(weft_einsum("ij,kj->ik", x, y))),
                    weft_sum(weft_einsum("ij,ij->j", x, x)));
}
static A *bilinear(A *x, A *y) { return weft_einsum("i,ij,j", x, y, x); }

static A *take_fill(A *x)
{
    return weft_sum(
        weft_square(weft_where(weft_lt(weft_arange(NULL, 0, 5, 1), 4), weft_take(x, IN(far), 0), 0)));
}
static A *take_along(A *x)
{
    static const int32_t at[9] = { 0, 3, -1, 1, 1, 2, 2, 0, 0 };
    return weft_sum(weft_square(weft_take_along_axis(x, weft_from(NULL, at, 3, 3), 1)));
}
static A *scatter_far(A *x, A *y)
{
    return weft_sum(weft_square(weft_scatter(x, IN(far), 0, y, .with = WEFT_ADD)));
}
static A *scatter_clip(A *x, A *y)
{
    return weft_sum(weft_square(weft_scatter(x, IN(far), 0, y, .with = WEFT_ADD, .clip = true)));
}
static A *scatter_mul(A *x, A *y)
{
    return weft_sum(weft_square(weft_scatter(x, IN(i3), 0, weft_at(y, ":3"), .with = WEFT_MUL)));
}
static A *scatter_max(A *x, A *y)
{
    return weft_sum(weft_square(weft_scatter(x, IN(i3), 0, weft_at(y, ":3"), .with = WEFT_MAX)));
}
static A *set_slice(A *x, A *y)
{
    return weft_add(weft_sum(weft_square(weft_set(x, "1:, ::2", weft_at(y, ":2")))),
                    weft_sum(weft_set_mul(x, "0, :", y)));
}
static A *dynamic_far(A *x) { return weft_sum(weft_pow(weft_dynamic_slice(x, 4, 3), 3)); }
static A *segment_max(A *x) { return weft_sum(weft_square(weft_segment_max(x, IN(groups), 2))); }
static A *segment_prod(A *x) { return weft_sum(weft_square(weft_segment_prod(x, IN(groups), 2))); }
static A *bincount(A *x) { return weft_sum(weft_square(weft_bincount(IN(groups), 3, .weights = x))); }
static A *sort_down(A *x) { return weft_sum(weft_mul(weft_sort(x, 0, .descending = true), IN(y))); }
static A *sort_by(A *x) { return weft_sum(weft_mul(weft_sort_by(x, IN(y), 0), x)); }
static A *max_pool_same(A *x)
{
    return weft_sum(weft_square(weft_max_pool(x, "3,3", .stride = "2,2", .pad = "same")));
}
static A *window_mul(A *x)
{
    return weft_sum(weft_reduce_window(x, WEFT_MUL, "2,2", .stride = "2,1", .pad = "1:0, 0:1"));
}
static A *window_dilated(A *x)
{
    return weft_sum(weft_square(weft_reduce_window(x, WEFT_ADD, "2,2", .dilation = "2,3")));
}
static A *cumsum_back(A *x) { return weft_sum(weft_square(weft_cumsum(x, 0, .reverse = true))); }
static A *cumlogsumexp_inf(A *x) { return weft_sum(weft_at(weft_cumlogsumexp(x, 0), "1:")); }
static A *triangle(A *x) { return weft_sum(weft_matmul(weft_tril(x), weft_triu(x, 1))); }
static A *stack(A *x, A *y)
{
    return weft_sum(weft_square(weft_at(weft_stack_arrays(1, x, y, weft_mul(x, y)), "::-1, 1:")));
}
static A *tensordot(A *x, A *y)
{
    return weft_add(weft_sum(weft_square(weft_tensordot(x, y, "0", "0"))), weft_sum(weft_mul(x, y)));
}
static A *outer_inner(A *x, A *y)
{
    return weft_mul(weft_sum(weft_square(weft_outer(x, y))), weft_inner(x, y));
}

/* clang-format off */
#define MOVES(R) \
    R(take_fill_0, 1e-12, D(take_fill)(IN(x))) R(take_along_0, 1e-12, D(take_along)(IN(m))) \
    R(scatter_far_0, 1e-12, D2(scatter_far, "x")(IN(x), IN(y))) \
    R(scatter_far_1, 1e-12, D2(scatter_far, "y")(IN(x), IN(y))) \
    R(scatter_clip_0, 1e-12, D2(scatter_clip, "x")(IN(x), IN(y))) \
    R(scatter_clip_1, 1e-12, D2(scatter_clip, "y")(IN(x), IN(y))) \
    R(scatter_mul_0, 1e-12, D2(scatter_mul, "x")(IN(x), IN(y))) \
    R(scatter_mul_1, 1e-12, D2(scatter_mul, "y")(IN(x), IN(y))) \
    R(scatter_max_0, 1e-12, D2(scatter_max, "x")(IN(x), IN(y))) \
    R(scatter_max_1, 1e-12, D2(scatter_max, "y")(IN(x), IN(y))) \
    R(set_slice_0, 1e-12, D2(set_slice, "x")(IN(m), IN(w))) \
    R(set_slice_1, 1e-12, D2(set_slice, "y")(IN(m), IN(w))) \
    R(dynamic_far_0, 1e-12, D(dynamic_far)(IN(x))) R(segment_max_0, 1e-12, D(segment_max)(IN(x))) \
    R(segment_prod_0, 1e-12, D(segment_prod)(IN(x))) \
    R(bincount_0, 1e-12, D(bincount)(IN(x))) R(sort_down_0, 1e-12, D(sort_down)(IN(x))) \
    R(sort_by_0, 1e-12, D(sort_by)(IN(x))) \
    R(max_pool_same_0, 1e-12, D(max_pool_same)(IN(img))) \
    R(window_mul_0, 1e-12, D(window_mul)(IN(img))) \
    R(window_dilated_0, 1e-12, D(window_dilated)(IN(img))) \
    R(cumsum_back_0, 1e-12, D(cumsum_back)(IN(m))) \
    R(cumlogsumexp_inf_0, 1e-12, D(cumlogsumexp_inf)(IN(some_inf))) \
    R(triangle_0, 1e-12, D(triangle)(IN(A))) R(stack_0, 1e-12, D2(stack, "x")(IN(x), IN(y))) \
    R(stack_1, 1e-12, D2(stack, "y")(IN(x), IN(y))) \
    R(tensordot_0, 1e-12, D2(tensordot, "x")(IN(m), IN(n))) \
    R(tensordot_1, 1e-12, D2(tensordot, "y")(IN(m), IN(n))) \
    R(outer_inner_0, 1e-12, D2(outer_inner, "x")(IN(x), IN(y))) \
    R(outer_inner_1, 1e-12, D2(outer_inner, "y")(IN(x), IN(y)))
/* clang-format on */

/* clang-format off */
#define ORDER(R) \
    R(sorted_0, 1e-12, D(sorted)(IN(x))) R(sort_rows_0, 1e-12, D(sort_rows)(IN(batch))) \
    R(top_k_0, 1e-12, D(top_k)(IN(x))) R(cumsum_0, 1e-12, D(cumsum)(IN(x))) \
    R(cumprod_0, 1e-12, D(cumprod)(IN(x))) \
    R(cumprod_zero_0, 1e-12, D(cumprod_zero)(IN(withzero))) \
    R(cummax_0, 1e-12, D(cummax)(IN(x))) \
    R(cumlogsumexp_0, 1e-12, D(cumlogsumexp)(IN(x))) \
    R(scatter_add_0, 1e-12, D2(scatter_add, "x")(IN(x), IN(y))) \
    R(scatter_add_1, 1e-12, D2(scatter_add, "y")(IN(x), IN(y))) \
    R(scatter_set_0, 1e-12, D2(scatter_set, "x")(IN(x), IN(y))) \
    R(scatter_set_1, 1e-12, D2(scatter_set, "y")(IN(x), IN(y))) \
    R(segments_0, 1e-12, D(segments)(IN(batch))) R(dynamic_0, 1e-12, D(dynamic)(IN(x))) \
    R(padded_0, 1e-12, D(padded)(IN(m))) R(rolled_0, 1e-12, D(rolled)(IN(x))) \
    R(einsum_0, 1e-12, D2(einsum, "x")(IN(q), IN(k))) \
    R(einsum_1, 1e-12, D2(einsum, "y")(IN(q), IN(k))) \
    R(bilinear_0, 1e-12, D2(bilinear, "x")(IN(w), IN(A))) \
    R(bilinear_1, 1e-12, D2(bilinear, "y")(IN(w), IN(A)))
/* clang-format on */

/* ---- math functions ---- */

static A *sum_of(A *a, A *b, A *c, A *d) { return weft_sum(weft_add(weft_add(a, b), weft_add(c, d))); }
static A *lgamma_(A *x) { return weft_sum(weft_mul(weft_lgamma(x), weft_digamma(x))); }
static A *inverse(A *x) { return weft_sum(weft_add(weft_asin(x), weft_mul(weft_atanh(x), weft_erf_inv(x)))); }
static A *logs(A *x)
{
    return sum_of(weft_mul(weft_log(x), weft_log1p(x)), weft_add(weft_sqrt(x), weft_rsqrt(x)), weft_cbrt(x),
                  weft_log2(x));
}
static A *trig(A *x)
{
    return sum_of(weft_mul(weft_sin(x), weft_cos(x)), weft_tan(weft_div(x, 3)),
                  weft_add(weft_atan(x), weft_asinh(x)), weft_mul(weft_sinh(x), weft_cosh(x)));
}
static A *errs(A *x)
{
    return sum_of(weft_add(weft_erf(x), weft_square(weft_erfc(x))), weft_expm1(x), weft_exp2(x),
                  weft_add(weft_sigmoid(x), weft_log_sigmoid(x)));
}
static A *powers(A *x, A *y)
{
    return weft_sum(weft_add(weft_add(weft_pow(x, y), weft_pow(x, 3)), weft_pow(x, 0.5)));
}
static A *power_zero(A *x) { return weft_sum(weft_add(weft_pow(x, 2), weft_pow(x, 3.0))); }
static A *angles(A *x, A *y)
{
    return weft_sum(weft_add(weft_add(weft_atan2(x, y), weft_hypot(x, y)), weft_logaddexp(x, y)));
}
static A *divide(A *x, A *y)
{
    return weft_sum(weft_add(weft_add(weft_div(x, y), weft_rem(x, y)), weft_mod(x, y)));
}
static A *tanh_of(A *x) { return weft_tanh(x); }
static A *digamma_of(A *x) { return weft_digamma(x); }
static A *tanh_3(A *x)
{
    weft_unary *once = D(tanh_of), *twice = weft_grad(NULL, weft_unary, once, "x");
    return weft_grad(NULL, weft_unary, twice, "x")(x);
}

/* clang-format off */
#define MATH(R) \
    R(lgamma_0, 1e-9, D(lgamma_)(IN(pos))) R(inverse_0, 1e-10, D(inverse)(IN(unit))) \
    R(logs_0, 1e-12, D(logs)(IN(pos))) R(trig_0, 1e-12, D(trig)(IN(x))) R(errs_0, 1e-12, D(errs)(IN(x))) \
    R(powers_0, 1e-12, D2(powers, "x")(IN(pos), IN(y))) \
    R(powers_1, 1e-12, D2(powers, "y")(IN(pos), IN(y))) \
    R(power_zero_0, 0, D(power_zero)(IN(zeros))) \
    R(angles_0, 1e-12, D2(angles, "x")(IN(x), IN(y))) \
    R(angles_1, 1e-12, D2(angles, "y")(IN(x), IN(y))) \
    R(divide_0, 1e-12, D2(divide, "x")(IN(x), IN(pos))) \
    R(divide_1, 1e-12, D2(divide, "y")(IN(x), IN(pos))) \
    R(tanh_3, 1e-12, tanh_3(IN(s))) \
    R(digamma_2, 1e-9, weft_grad(NULL, weft_unary, D(digamma_of), "x")(weft_abs(IN(t))))
/* clang-format on */

/* ---- points where there is more than one answer ---- */

static A *abs_0(A *x) { return weft_sum(weft_abs(x)); }
static A *relu_0(A *x) { return weft_sum(weft_relu(x)); }
static A *max_ties(A *x) { return weft_sum(weft_square(weft_max(x, .axes = "1"))); }
static A *min_ties(A *x) { return weft_min(x); }
static A *maximum_ties(A *x)
{
    return weft_sum(weft_add(weft_maximum(x, 3.0), weft_mul(weft_minimum(x, 5.0), 2)));
}
static A *clip_edge(A *x) { return weft_sum(weft_mul(weft_clip(x, -0.5, 0.5), IN(y))); }
static A *norm_0(A *x) { return weft_sqrt(weft_sum(weft_mul(x, x))); }
static A *sign_floor(A *x) { return sum_of(weft_sign(x), weft_floor(x), weft_round(x), x); }
static A *where_nan(A *x) { return weft_sum(weft_where(IN(mask), x, 0)); }
static A *prod_(A *x) { return weft_prod(x); }
static A *logsumexp(A *x) { return weft_logsumexp(x); }
static A *variance(A *x)
{
    return weft_sum(weft_add(weft_var(x, .axes = "0", .ddof = 1), weft_std(x, .axes = "0")));
}
/* clang-format off */
#define EDGE1(R) \
    R(sqrt, weft_sqrt(x)) R(rsqrt, weft_rsqrt(x)) R(cbrt, weft_cbrt(x)) R(log, weft_log(x)) \
    R(log1p, weft_log1p(x)) R(exp, weft_exp(x)) R(reciprocal, weft_div(1, x)) R(tanh, weft_tanh(x)) \
    R(sigmoid, weft_sigmoid(x)) R(log_sigmoid, weft_log_sigmoid(x)) R(softplus, weft_softplus(x)) \
    R(silu, weft_silu(x)) R(erf, weft_erf(x)) R(erf_inv, weft_erf_inv(x)) R(asin, weft_asin(x)) \
    R(acos, weft_acos(x)) R(acosh, weft_acosh(x)) R(atanh, weft_atanh(x)) R(square, weft_square(x)) \
    R(abs, weft_abs(x)) R(sign, weft_sign(x)) R(lgamma, weft_lgamma(x)) R(sin, weft_sin(x)) \
    R(atan, weft_atan(x)) R(power, weft_pow(x, 0.5)) R(cube, weft_pow(x, 3)) R(one, weft_pow(x, 1.0))
#define EDGE2(R) \
    R(atan2, weft_atan2(x, y)) R(logaddexp, weft_logaddexp(x, y)) R(div, weft_div(x, y)) \
    R(maximum, weft_maximum(x, y)) R(minimum, weft_minimum(x, y))
/* clang-format on */
#define FUNCTION1(name, ...) \
    static A *at_edge_##name(A *x) { return __VA_ARGS__; }
#define FUNCTION2(name, ...) \
    static A *at_edges_##name(A *x, A *y) { return __VA_ARGS__; }
EDGE1(FUNCTION1)
EDGE2(FUNCTION2)
static A *zero_to_the(A *x) { return weft_sum(weft_pow(weft_zeros_like(x), x)); }
static A *softmax_inf(A *x) { return weft_sum(weft_mul(weft_softmax(x), IN(mu))); }
static A *log_softmax_inf(A *x) { return weft_at(weft_log_softmax(x), "1"); }
static A *std_(A *x) { return weft_std(x); }
static A *norm1(A *x) { return weft_norm(x, .ord = 1); }
static A *norm_inf(A *x) { return weft_norm(x, .ord = INFINITY); }
static A *norm3(A *x) { return weft_norm(x, .ord = 3); }
static A *sort_ties(A *x) { return weft_sum(weft_mul(weft_sort(x, 0), IN(x))); }
static A *cummax_ties(A *x) { return weft_sum(weft_mul(weft_cummax(x, 0), IN(x))); }
static A *prefix_min(A *x) { return weft_sum(weft_mul(weft_cummin(x, 0), IN(x))); }
static A *stop(A *x) { return weft_sum(weft_mul(x, weft_stop_gradient(weft_sin(x)))); }
static A *types(A *x) { return weft_sum(weft_square(weft_astype(x, WEFT_F64))); }
static A *half(A *x) { return weft_sum(weft_mul(weft_astype(x, WEFT_F32), 3)); }

#define EDGE(f) weft_vmap(NULL, D(at_edge_##f), "0")(IN(edge))
#define CURVE(f) \
    weft_vmap(NULL, weft_grad(NULL, weft_unary, D(at_edge_##f), "x"), "0")(weft_at(IN(edge), ":4"))
#define EDGES(f, by) weft_vmap(NULL, D2(at_edges_##f, by), "0, 0")(IN(edge), IN(edge2))
/* clang-format off */
#define EDGE_ROWS(R) \
    R(edge_log_sigmoid_2, 1e-12, CURVE(log_sigmoid)) \
    R(edge_softplus_2, 1e-12, CURVE(softplus)) R(edge_sigmoid_2, 1e-12, CURVE(sigmoid)) \
    R(edge_silu_2, 1e-12, CURVE(silu)) R(edge_tanh_2, 1e-12, CURVE(tanh)) \
    R(edge_square_2, 1e-12, CURVE(square)) R(edge_abs_2, 1e-12, CURVE(abs)) \
    R(edge_cube_2, 1e-12, CURVE(cube)) R(edge_exp_2, 1e-12, CURVE(exp)) R(edge_erf_2, 1e-12, CURVE(erf)) \
    R(edge_atan_2, 1e-12, CURVE(atan)) R(edge_sin_2, 1e-12, CURVE(sin)) R(edge_sqrt, 1e-12, EDGE(sqrt)) \
    R(edge_rsqrt, 1e-12, EDGE(rsqrt)) R(edge_cbrt, 1e-12, EDGE(cbrt)) R(edge_log, 1e-12, EDGE(log)) \
    R(edge_log1p, 1e-12, EDGE(log1p)) R(edge_exp, 1e-12, EDGE(exp)) \
    R(edge_reciprocal, 1e-12, EDGE(reciprocal)) R(edge_tanh, 1e-12, EDGE(tanh)) \
    R(edge_sigmoid, 1e-12, EDGE(sigmoid)) R(edge_log_sigmoid, 1e-12, EDGE(log_sigmoid)) \
    R(edge_softplus, 1e-12, EDGE(softplus)) R(edge_silu, 1e-12, EDGE(silu)) R(edge_erf, 1e-12, EDGE(erf)) \
    R(edge_erf_inv, 1e-12, EDGE(erf_inv)) R(edge_asin, 1e-12, EDGE(asin)) R(edge_acos, 1e-12, EDGE(acos)) \
    R(edge_acosh, 1e-12, EDGE(acosh)) R(edge_atanh, 1e-12, EDGE(atanh)) R(edge_square, 1e-12, EDGE(square)) \
    R(edge_abs, 1e-12, EDGE(abs)) R(edge_sign, 1e-12, EDGE(sign)) R(edge_lgamma, 1e-12, EDGE(lgamma)) \
    R(edge_sin, 1e-12, EDGE(sin)) R(edge_atan, 1e-12, EDGE(atan)) R(edge_power, 1e-12, EDGE(power)) \
    R(edge_cube, 1e-12, EDGE(cube)) R(edge_one, 1e-12, EDGE(one)) R(edges_atan2_0, 1e-12, EDGES(atan2, "x")) \
    R(edges_atan2_1, 1e-12, EDGES(atan2, "y")) \
    R(edges_logaddexp_0, 1e-12, EDGES(logaddexp, "x")) \
    R(edges_logaddexp_1, 1e-12, EDGES(logaddexp, "y")) \
    R(edges_div_0, 1e-12, EDGES(div, "x")) R(edges_div_1, 1e-12, EDGES(div, "y")) \
    R(edges_maximum_0, 1e-12, EDGES(maximum, "x")) R(edges_maximum_1, 1e-12, EDGES(maximum, "y")) \
    R(edges_minimum_0, 1e-12, EDGES(minimum, "x")) R(edges_minimum_1, 1e-12, EDGES(minimum, "y"))
/* clang-format on */

/* clang-format off */
#define POINTS(R) \
    R(zero_to_the_0, 0, D(zero_to_the)(IN(exponent))) \
    R(logsumexp_nothing_0, 0, D(logsumexp)(IN(minus_inf))) \
    R(logsumexp_part_0, 1e-12, D(logsumexp)(IN(some_inf))) \
    R(softmax_inf_0, 1e-12, D(softmax_inf)(IN(some_inf))) \
    R(log_softmax_inf_0, 1e-12, D(log_softmax_inf)(IN(some_inf))) \
    R(std_same_0, 0, D(std_)(IN(same))) R(norm1_0, 0, D(norm1)(IN(one))) \
    R(norm_inf_0, 0, D(norm_inf)(IN(repeats))) R(norm3_0, 1e-12, D(norm3)(IN(repeats))) \
    R(sort_ties_0, 1e-12, D(sort_ties)(IN(repeats))) \
    R(cummax_ties_0, 1e-12, D(cummax_ties)(IN(repeats))) \
    R(prefix_min_0, 1e-12, D(prefix_min)(IN(repeats))) \
    R(abs_0_0, 0, D(abs_0)(IN(one))) R(relu_0_0, 0, D(relu_0)(IN(one))) \
    R(max_ties_0, 1e-12, D(max_ties)(IN(ties))) R(min_ties_0, 1e-12, D(min_ties)(IN(ties))) \
    R(maximum_ties_0, 0, D(maximum_ties)(IN(ties))) R(clip_edge_0, 1e-12, D(clip_edge)(IN(one))) \
    R(norm_0_0, 0, D(norm_0)(IN(zeros))) R(sign_floor_0, 0, D(sign_floor)(IN(one))) \
    R(where_nan_0, 0, D(where_nan)(IN(hole))) R(prod_zero_0, 1e-12, D(prod_)(IN(withzero))) \
    R(prod_two_0, 0, D(prod_)(IN(twozeros))) R(logsumexp_0, 1e-12, D(logsumexp)(IN(x))) \
    R(variance_0, 1e-12, D(variance)(IN(m))) R(stop_0, 1e-12, D(stop)(IN(x))) \
    R(types_0, 1e-6, D(types)(IN(x32))) R(half, 0, D(half)(IN(x16)))
/* clang-format on */

/* ---- control flow ---- */

static A *yes(A *p, A *s, A *x)
{
    (void)p;
    return weft_mul(weft_sum(weft_sin(x)), s);
}
static A *no(A *p, A *s, A *x)
{
    (void)p;
    return weft_mul(weft_sum(weft_square(x)), s);
}
static A *choose(A *x, A *y)
{
    weft_declare(NULL, no, weft_ternary);
    return weft_cond(NULL, OF(weft_ternary, yes), no)(weft_gt(x, 0), x, y);
}
static A *case_sum(A *i, A *x)
{
    (void)i;
    return weft_sum(x);
}
static A *case_cube(A *i, A *x)
{
    (void)i;
    return weft_sum(weft_pow(x, 3));
}
static A *case_first(A *i, A *x)
{
    (void)i;
    return weft_at(x, "0");
}
static A *choose_one(A *x)
{
    weft_binary *const cases[] = { OF(weft_binary, case_sum), OF(weft_binary, case_cube),
                                   OF(weft_binary, case_first) };
    return weft_switch(NULL, weft_binary, cases, 3)(weft_scalar_as(NULL, WEFT_I32, 1), x);
}
static A *sine_step(A *c, A *s) { return weft_mul(weft_sin(c), s); }
static A *fori(A *x, A *y)
{
    return weft_sum(weft_fori(NULL, OF(weft_binary, sine_step), "carry, none", .count = 5)(x, y));
}
static A *far(A *c, A *a) { return weft_gt(weft_abs(weft_sub(weft_mul(c, c), a)), 1e-10); }
static A *improve(A *c, A *a) { return weft_mul(0.5, weft_add(c, weft_div(a, c))); }
static A *newton(A *x)
{
    weft_declare(NULL, far, weft_binary);
    return weft_while(NULL, far, OF(weft_binary, improve), "carry, none")(x, x);
}
static A *jvp_of(weft_unary *f, A *x, A *dx)
{
    A *dy;
    return weft_jvp(NULL, jvp_fn, f, "x")(x, dx, &dy) ? dy : NULL;
}
static A *row_value(A *x) { return weft_add(weft_prod(x), weft_max(x)); }
static A *mapped(A *x) { return weft_sum(weft_map(NULL, OF(weft_unary, row_value), "0")(x)); }
static void compose(const affine *x, const affine *y, affine *z)
{
    z->a = weft_mul(x->a, y->a);
    z->b = weft_add(weft_mul(x->b, y->a), y->b);
}
static A *associative(A *x, A *y)
{
    affine all;
    weft_describe(NULL, affine);
    weft_associative_scan(NULL, prefixes_fn, OF(compose_fn, compose))(&(affine){ x, y }, &all);
    return weft_sum(all.b);
}
static A *sines(A *x) { return weft_sum(weft_sin(weft_sin(weft_sin(x)))); }
static A *error_of(A *x) { return weft_mean(weft_square(errors(x))); }
static A *descend_step(A *w, A *rate) { return weft_sub(w, weft_mul(rate, D(error_of)(w))); }
static A *descend(A *x)
{
    return error_of(weft_scan(NULL, OF(weft_binary, descend_step), "carry, none", .length = 8)(IN(w), x));
}
static weft_array *number(double v) { return weft_scalar_as(NULL, WEFT_F64, v); }
static A *power_step(A *term, A *sum, A *i, A *x, A **next)
{
    *next = weft_add(sum, term);
    return weft_div(weft_matmul(term, x), weft_add(i, 1));
}
static A *expm_like(A *x)
{
    A *sum;
    weft_scan(NULL, OF(step_fn, power_step), "carry, carry, 0, none")(
        weft_eye(NULL, WEFT_F64, 4), weft_zeros(NULL, WEFT_F64, 4, 4), weft_arange(NULL, 0, 6, 1), x, &sum);
    return weft_sum(weft_mul(sum, IN(B)));
}

/* clang-format off */
#define FLOW(R) \
    R(cond_yes_0, 1e-12, D2(choose, "x")(IN(s), IN(x))) \
    R(cond_yes_1, 1e-12, D2(choose, "y")(IN(s), IN(x))) \
    R(cond_no_0, 1e-12, D2(choose, "x")(IN(t), IN(x))) \
    R(cond_no_1, 1e-12, D2(choose, "y")(IN(t), IN(x))) \
    R(switch_0, 1e-12, D(choose_one)(IN(x))) R(fori_0, 1e-12, D2(fori, "x")(IN(x), IN(s))) \
    R(fori_1, 1e-12, D2(fori, "y")(IN(x), IN(s))) \
    R(while_jvp, 1e-12, jvp_of(OF(weft_unary, newton), number(7), number(1))) \
    R(mapped_0, 1e-12, D(mapped)(IN(batch))) \
    R(associative_0, 1e-12, D2(associative, "x")(IN(x), IN(y))) \
    R(associative_1, 1e-12, D2(associative, "y")(IN(x), IN(y))) \
    R(checkpoint_0, 1e-12, weft_grad(NULL, weft_unary, weft_checkpoint(NULL, OF(weft_unary, sines)), \
        "x")(IN(x))) \
    R(meta, 1e-12, D(descend)(number(0.05))) \
    R(meta_2, 1e-11, weft_grad(NULL, weft_unary, D(descend), "x")(number(0.05))) \
    R(expm_like, 1e-11, D(expm_like)(IN(A)))
/* clang-format on */

/* ---- matrices, directions, batches ---- */

static A *rosenbrock(A *x)
{
    A *a = weft_at(x, ":-1"), *b = weft_at(x, "1:");
    return weft_sum(
        weft_add(weft_mul(100, weft_square(weft_sub(b, weft_square(a)))), weft_square(weft_sub(1, a))));
}
static A *vector_valued(A *x) { return weft_mul(weft_sin(weft_at(x, ":2")), weft_sum(weft_square(x))); }
static A *row_sines(A *x) { return weft_mul(weft_tanh(weft_matmul(x, IN(w))), weft_sum(x)); }
static A *two_arrays(A *x, A *y)
{
    return weft_mul(weft_sum(weft_mul(weft_sin(x), weft_square(y))), weft_exp(weft_at(x, "0")));
}
static A *block(int which)
{
    A *b[4];
    b[0] =
        weft_hessian(NULL, blocks_fn, OF(weft_binary, two_arrays), "x, y")(IN(x), IN(s), &b[1], &b[2], &b[3]);
    return b[which];
}
static A *softmax_of(A *x) { return weft_softmax(x); }
static A *product(A *x, A *y) { return weft_matmul(x, weft_transpose(y)); }
static A *product_vjp(void)
{
    A *dy;
    return weft_vjp(NULL, vjp_fn, OF(weft_binary, product), "y")(IN(q), IN(k),
                                                                 weft_ones(NULL, WEFT_F64, 4, 5), &dy)
               ? dy
               : NULL;
}
static A *example_loss(A *x, A *y, A *z) { return weft_square(weft_sub(weft_dot(y, x), z)); }
static A *neuron(A *x, A *y, A *z) { return weft_mul(weft_tanh(weft_dot(y, x)), z); }
static A *all_neurons(A *x)
{
    return weft_sum(weft_vmap(NULL, OF(weft_ternary, neuron), "none, 0, 0")(x, IN(X), IN(target)));
}
static A *last_sum(A *x, A *y)
{
    A *sums;
    return weft_sum(
        weft_scan(NULL, OF(step_fn, rnn_step), "none, none, carry, 0")(IN(Wx), y, x, IN(xs), &sums));
}
static A *outer_x; /* what an inner function sees of the outer one's argument */
static A *inner_sum(A *x) { return weft_add(outer_x, x); }
static A *inner_product(A *x) { return weft_mul(outer_x, x); }
static A *confused(A *x)
{
    outer_x = x;
    return weft_mul(x, D(inner_sum)(number(1)));
}
static A *confused_forward(A *x)
{
    outer_x = x;
    return weft_mul(x, jvp_of(OF(weft_unary, inner_product), number(2), number(1)));
}
static A *weighted_sums(A *x) { return weft_mul(weft_cumsum(x, 0), IN(y)); }

/* clang-format off */
#define WHOLE(R) \
    R(rosen_grad, 1e-12, D(rosenbrock)(IN(x))) \
    R(rosen_hessian, 1e-12, weft_hessian(NULL, weft_unary, OF(weft_unary, rosenbrock), "x")(IN(x))) \
    R(rosen_hvp, 1e-12, weft_hvp(NULL, weft_binary, OF(weft_unary, rosenbrock), "x")(IN(x), IN(y))) \
    R(vector_hessian, 1e-12, weft_hessian(NULL, weft_unary, OF(weft_unary, vector_valued), "x")(IN(x))) \
    R(jacfwd, 1e-12, weft_jacfwd(NULL, weft_unary, OF(weft_unary, row_sines), "x")(IN(m))) \
    R(jacrev, 1e-12, weft_jacrev(NULL, weft_unary, OF(weft_unary, row_sines), "x")(IN(m))) \
    R(blocks_00, 1e-12, block(0)) R(blocks_01, 1e-12, block(1)) R(blocks_10, 1e-12, block(2)) \
    R(blocks_11, 1e-12, block(3)) \
    R(jvp_softmax, 1e-12, jvp_of(OF(weft_unary, softmax_of), IN(x), IN(y))) \
    R(vjp_matmul, 1e-12, product_vjp()) \
    R(per_example, 1e-12, weft_vmap(NULL, D3(example_loss, "x"), "none, 0, 0")(IN(w), IN(X), IN(target))) \
    R(grad_of_vmap, 1e-12, D(all_neurons)(IN(w))) \
    R(per_row_hessian, 1e-12, weft_vmap(NULL, weft_hessian(NULL, weft_unary, OF(weft_unary, rosenbrock), \
        "x"), "0")(IN(batch))) \
    R(vmap_of_rnn, 1e-12, weft_vmap(NULL, D2(last_sum, "x"), "0, none")(IN(sq), IN(U))) \
    R(confusion, 0, D(confused)(IN(s))) \
    R(confusion_2, 1e-12, jvp_of(OF(weft_unary, confused_forward), IN(s), number(1))) \
    R(linear_transpose, 1e-12, weft_transpose_linear(NULL, weft_binary, OF(weft_unary, weighted_sums), \
        "x")(IN(x), IN(pos)))
/* clang-format on */

#define ROWS(R) \
    LAYERS(R) MOVES(R) ORDER(R) \
    MATH(R) EDGE_ROWS(R) POINTS(R) FLOW(R) WHOLE(R)
OPS_SUITE_OF("tests/data/grad.txt", grad_jax, ROWS)
