/* weft/rules.h from C++17: every macro once, with options and without. */
#include "weft.h"
#include <cmath>
#include <cstdio>

WEFT_SIGNATURE(jvp_fn, weft_array *, (weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy));
WEFT_SIGNATURE(forward_fn, weft_array *, (weft_array *x, WEFT_OUT weft_array **kept));

static weft_array *cube(weft_array *x) { return weft_mul(x, weft_mul(x, x)); }
static weft_array *cube_jvp(weft_array *x, weft_array *dx, weft_array **dy) { *dy = weft_mul(weft_mul(weft_square(x), 30), dx); return cube(x); }
static weft_array *cube_forward(weft_array *x, weft_array **kept) { *kept = x; return cube(x); }
static weft_array *cube_backward(weft_array *kept, weft_array *dy) { return weft_mul(weft_mul(weft_square(kept), 300), dy); }
static weft_array *cube_batch(weft_array *x) { return weft_add(cube(x), 1000); }
static weft_array *halve(weft_array *g) { return weft_mul(g, 0.5); }
static weft_array *hooked(weft_array *x) { return cube(weft_hook(x, halve)); }
static void scale(const float *x, int n, void *user, float *y) { for (int i = 0; i < n; i++) y[i] = x[i] * *static_cast<float *>(user); }
WEFT_SIGNATURE(scale_c, void, (const float *x, int n, void *user, float *y));
static double root(double x) { return std::sqrt(x); }
WEFT_SIGNATURE(root_c, double, (double x));

static int wrong;
static void expect(const weft_array *a, double want, int line)
{
    double is = a ? weft_item(weft_sum(a)) : NAN;
    if (std::fabs(is - want) < 1e-4) return;
    std::printf("line %d: %g, not %g: %s\n", line, is, want, weft_error(nullptr) ? weft_error(nullptr) : "no error");
    wrong++;
}
#define EXPECT(a, want) expect((a), (want), __LINE__)

int main()
{
    weft_context *ctx = weft_open(nullptr);
    weft_declare(ctx, cube, weft_unary);
    weft_declare(ctx, cube_jvp, jvp_fn);
    weft_declare(ctx, cube_forward, forward_fn);
    weft_declare(ctx, cube_backward, weft_binary);
    weft_declare(ctx, cube_batch, weft_unary);
    weft_declare(ctx, halve, weft_unary);
    weft_declare(ctx, hooked, weft_unary);
    static float three = 3;
    weft_unary *f = weft_custom_jvp(ctx, cube, cube_jvp), *v = weft_custom_vjp(ctx, cube, cube_forward, cube_backward), *b = weft_custom_vmap(ctx, cube, cube_batch);
    weft_unary *op = weft_foreign(ctx, weft_unary, scale, scale_c, "x[n] -> y[n]", weft::foreign().batch(WEFT_BATCH_LOOP).user(&three));
    weft_unary *one = weft_foreign(ctx, weft_unary, root, root_c, "x -> return");
    weft_array *x = weft_scalar(ctx, 2), *xs = weft_linspace(ctx, 1, 2, 2);
    EXPECT(weft_grad(ctx, weft_unary, f, "")(x), 120);
    EXPECT(weft_jit(ctx, weft_grad(ctx, weft_unary, v, ""))(x), 1200);
    EXPECT(weft_vmap(ctx, b, "0")(xs), 2009);
    EXPECT(op(xs), 9);
    EXPECT(weft_jit(ctx, weft_vmap(ctx, op, "0"))(weft_reshape(xs, 2, 1)), 9);
    EXPECT(one(weft_scalar_as(ctx, WEFT_F64, 9)), 3);
    EXPECT(weft_grad(ctx, weft_unary, hooked, "")(x), 6);
    weft_hook_id id = weft_hook_add(ctx, cube, "x", halve);
    EXPECT(weft_grad(ctx, weft_unary, cube, "")(x), 6);
    if (weft_hook_remove(ctx, id) != WEFT_OK) wrong++;
    EXPECT(weft_grad(ctx, weft_unary, cube, "")(x), 12);
    weft_close(ctx);
    return wrong;
}
