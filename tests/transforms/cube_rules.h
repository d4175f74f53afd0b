/* cube_rules.h: for suites of rules: x^3 with rules that give 10 times what is true of a derivative, or 1000
 * more in a batch, so that a result says whether the rule made it. */
#ifndef WEFT_TESTS_CUBE_RULES_H
#define WEFT_TESTS_CUBE_RULES_H
#include "tests/transforms/rules_sample.h"

WEFT_SIGNATURE(unary_jvp, weft_array *, (weft_array * x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(unary_forward, weft_array *, (weft_array * x, WEFT_OUT weft_array **kept));

static weft_array *cube_jvp(weft_array *x, weft_array *dx, weft_array **dy)
{
    *dy = weft_mul(weft_mul(weft_square(x), 30), dx);
    return cube(x);
}
static weft_array *cube_forward(weft_array *x, weft_array **kept)
{
    *kept = weft_square(x);
    return cube(x);
}
static weft_array *cube_backward(weft_array *kept, weft_array *dy)
{
    return weft_mul(weft_mul(kept, 300), dy);
}
static weft_array *cube_batch(weft_array *x) { return weft_add(cube(x), 1000); }

static weft_unary *F, *V, *B; /* with a jvp, a vjp, a batching rule */
static weft_array *use_f(weft_array *x) { return weft_sum(F(x)); }
static weft_array *use_v(weft_array *x) { return weft_sum(V(x)); }
static weft_array *use_b(weft_array *x) { return weft_sum(B(x)); }

static void make_cube_rules(void)
{
    weft_declare(ctx, cube, weft_unary);
    weft_declare(ctx, cube_jvp, unary_jvp);
    weft_declare(ctx, cube_forward, unary_forward);
    weft_declare(ctx, cube_backward, weft_binary);
    weft_declare(ctx, cube_batch, weft_unary);
    weft_declare(ctx, use_f, weft_unary);
    weft_declare(ctx, use_v, weft_unary);
    weft_declare(ctx, use_b, weft_unary);
    F = weft_custom_jvp(ctx, cube, cube_jvp);
    V = weft_custom_vjp(ctx, cube, cube_forward, cube_backward);
    B = weft_custom_vmap(ctx, cube, cube_batch);
}
#endif
