/* test_random_gradients.c: derivatives of random samples by their parameters, against jax.random of JAX
 * 0.10.2 with key(7) and shapes 0.2, 0.9, 1, 2.5, 30: jax.grad(lambda a: jax.random.gamma(key, a).sum())(a),
 * and so on; of dirichlet the sum is weighted by 0, 1, 2, 3, 4. */
#include <math.h>
#include "tests/support/context_suite.h"

enum { N = 5 };
TestSuite(random_gradients, .init = open_context, .fini = close_context);

static weft_array *key(void) { return weft_key(NULL, 7); }
static weft_array *gamma_sum(weft_array *a) { return weft_sum(weft_random_gamma(key(), WEFT_F32, a)); }
static weft_array *loggamma_sum(weft_array *a) { return weft_sum(weft_random_loggamma(key(), WEFT_F32, a)); }
static weft_array *beta_sum(weft_array *a) { return weft_sum(weft_random_beta(key(), WEFT_F32, a, 2.0)); }
static weft_array *dirichlet_sum(weft_array *a)
{
    return weft_sum(weft_mul(weft_random_dirichlet(key(), WEFT_F32, a), weft_arange(NULL, 0.0, N, 1)));
}

typedef struct {
    const char *name;
    weft_unary *f;
    float want[N];
} Row;
static const Row table[] = {
    { "gamma", gamma_sum, { 3.73183795e-08f, 0.949570775f, 0.535521328f, 1.38794148f, 0.920046449f } },
    { "loggamma", loggamma_sum, { 107.459274f, 1.62189078f, 2.11854506f, 0.321080267f, 0.0365409926f } },
    { "beta", beta_sum, { 0.00245375652f, 0.288101941f, 0.229807854f, 0.144972533f, 0.00137039297f } },
    { "dirichlet",
      dirichlet_sum,
      { -4.65315342e-09f, -0.0871018916f, -0.0314711221f, -0.0358184241f, 0.00658157142f } },
};

static void compare(const Row *row, const char *how, const weft_array *got)
{
    cr_assert_not_null(got, "%s, %s: %s", row->name, how, weft_error(ctx));
    for (int i = 0; i < N; i++) {
        float x = weft_f32(got)[i], y = row->want[i];
        cr_expect(fabsf(x - y) <= 2e-5f * fabsf(y), "%s, %s, element %d: %.9g, and JAX gives %.9g", row->name,
                  how, i, (double)x, (double)y);
    }
}

Test(random_gradients, are_those_of_jax)
{
    float shape[N] = { 0.2f, 0.9f, 1, 2.5f, 30 };
    weft_array *a = weft_from(ctx, shape, N);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        weft_declare(ctx, table[i].f, weft_unary);
        weft_unary *g = weft_grad(ctx, weft_unary, table[i].f, "x"), *fast = weft_jit(ctx, g);
        compare(&table[i], "eager", g(a));
        compare(&table[i], "compiled", fast(a));
        weft_array *rows = weft_jit(ctx, weft_vmap(ctx, g, "0"))(weft_broadcast_to(a, 2, N));
        compare(&table[i], "in a batch", rows ? weft_at(rows, "1") : NULL);
    }
}

/* Forward mode agrees, and the samples are those that are drawn without a derivative. */
WEFT_SIGNATURE(jvp_fn, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
static weft_array *draw(weft_array *a) { return weft_random_gamma(key(), WEFT_F64, a); }

Test(random_gradients, forward_mode)
{
    weft_declare(ctx, draw, weft_unary);
    weft_array *a = weft_from(ctx, ((double[]){ 0.5, 2, 7 }), 3), *one = weft_ones_like(a), *dy;
    weft_array *y = weft_jvp(ctx, jvp_fn, draw, "x")(a, one, &dy), *plain = draw(a);
    cr_assert(y && plain && dy, "%s", weft_error(ctx));
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(weft_f64(y)[i], weft_f64(plain)[i]);
        cr_expect(weft_f64(dy)[i] > 0, "a sample of the same quantile grows with the shape");
    }
}
