// test_grad_cxx17.cpp: derivatives from C++17.
#include "weft.h"
#include <cmath>
#include <cstdio>
#include <cstring>

static int failures;

static void expect(bool good, int line)
{
    if (good) return;
    std::printf("line %d: %s\n", line, weft_error(nullptr) ? weft_error(nullptr) : "wrong result");
    failures++;
}
#define EXPECT(e) expect((e), __LINE__)

struct layer { weft_array *w, *b; };
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_SIGNATURE(loss_fn, weft_array *, (const layer *m, weft_array *x));
WEFT_SIGNATURE(grad_fn, weft_array *, (const layer *m, weft_array *x, WEFT_OUT layer *dm));
WEFT_SIGNATURE(jvp_fn, weft_array *, (weft_array *x, weft_array *dx, WEFT_OUT weft_array **dy));

static weft_array *loss(const layer *m, weft_array *x) { return weft_sum(weft_square(weft_add(weft_mul(m->w, x), m->b))); }
static weft_array *cube(weft_array *x) { return weft_sum(weft_mul(weft_mul(x, x), x)); }
static weft_array *step(weft_array *h, weft_array *x) { return weft_mul(h, x); }
static weft_array *product(weft_array *x)
{
    return weft_scan(nullptr, step, "carry, 0", weft::control().checkpoint(2))(weft_ones(nullptr, WEFT_F32), x);
}

int main()
{
    weft_context *ctx = weft_open(nullptr);
    weft_describe(ctx, layer);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, cube, weft_unary);
    weft_declare(ctx, step, weft_binary);
    weft_declare(ctx, product, weft_unary);
    const float data[] = { 1, 2, 3 };
    weft_array *x = weft_from(ctx, data, 3), *dy;
    layer m = { x, x }, dm;
    weft_array *value = weft_jit(ctx, weft_value_and_grad(ctx, grad_fn, loss, "m"))(&m, x, &dm);
    EXPECT(weft_item(value) == 4 + 36 + 144 && weft_f32(dm.w)[2] == 72 && weft_f32(dm.b)[1] == 12);
    EXPECT(weft_f32(weft_grad(ctx, weft_unary, cube, "x")(x))[2] == 27);
    EXPECT(weft_f32(weft_hessian(ctx, weft_unary, cube, "")(x))[8] == 18);
    EXPECT(weft_jvp(ctx, jvp_fn, cube, "x")(x, x, &dy) && weft_item(dy) == 3 * 36);
    EXPECT(weft_f32(weft_grad(ctx, weft_unary, product, "x")(x))[0] == 6);
    EXPECT(weft_f32(weft_grad(ctx, weft_unary, weft_checkpoint(ctx, cube), "x")(x))[0] == 3);
    EXPECT(weft_item(weft_stop_gradient(2.5)) == 2.5);
    weft_grad(ctx, loss_fn, loss, "m");
    EXPECT(weft_error(ctx) && std::strstr(weft_error(ctx), "WEFT_SIGNATURE(grad_of_loss, void, (const layer *m, weft_array *x, WEFT_OUT layer *dm));"));
    weft_clear(ctx);
    weft_close(ctx);
    return failures != 0;
}
