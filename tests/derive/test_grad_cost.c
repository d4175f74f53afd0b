/* test_grad_cost.c: what derivatives cost: traces, compiles, arrays and memory. */
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer l[2];
    weft_array *count;
    int power;
    weft_array *memo;
} net;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_ARRAY(net, count), WEFT_STATIC(net, power),
            WEFT_LAZY(net, memo));

WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x));
WEFT_SIGNATURE(net_grad, weft_array *, (const net *m, weft_array *x, WEFT_OUT net *dm));

/* sum((x w + b)^power), and more; count is there to have no derivative. */
static weft_array *loss(const net *m, weft_array *x)
{
    weft_array *h = weft_tanh(weft_add(weft_matmul(x, m->l[0].w), m->l[0].b));
    return weft_sum(weft_pow(weft_add(weft_mul(h, m->l[1].w), m->l[1].b), m->power));
}
static weft_array *wave(weft_array *x) { return weft_sum(weft_mul(weft_sin(x), x)); }
static weft_array *step_down(weft_array *x, weft_array *rate)
{
    return weft_sub(x, weft_mul(rate, weft_grad(NULL, weft_unary, wave, "x")(x)));
}

static net model(void)
{
    return (net){ .l = { { weft_full(ctx, WEFT_F32, 0.5, 3, 2), weft_full(ctx, WEFT_F32, 0.1, 2) },
                         { weft_full(ctx, WEFT_F32, -0.7, 2), weft_full(ctx, WEFT_F32, 0.3, 2) } },
                  .count = weft_scalar_as(ctx, WEFT_I32, 7),
                  .power = 3 };
}

static weft_array *ramp(int64_t n) { return weft_linspace(ctx, 0.5, 2, n); }

#define CLOSE(a, b) expect_close(__LINE__, #a, (a), (b), 1e-5)

static weft_array *chain(weft_array *h, weft_array *x) { return weft_sin(weft_mul(h, x)); }

static void setup(void)
{
    open_context();
    weft_describe(ctx, net);
    weft_declare(ctx, loss, loss_fn);
    weft_declare(ctx, wave, weft_unary);
    weft_declare(ctx, step_down, weft_binary);
}

TestSuite(grad_cost, .init = setup, .fini = close_context_without_error);

Test(grad_cost, traced_once_compiled_once)
{
    net m = model(), dm;
    weft_array *x = weft_reshape(ramp(6), 2, 3);
    net_grad *fast = weft_jit(ctx, weft_value_and_grad(ctx, net_grad, loss, "m"));
    fast(&m, x, &dm);
    weft_counters before = weft_stats(ctx);
    for (int i = 0; i < 100; i++) {
        weft_scope *scope = weft_scope_open(ctx);
        fast(&m, x, &dm);
        weft_jit(ctx, weft_value_and_grad(ctx, net_grad, loss, "m"))(&m, x, &dm);
        weft_scope_close(scope);
    }
    weft_counters after = weft_stats(ctx);
    cr_expect(after.traces == before.traces && after.compiles == before.compiles &&
              after.hits == before.hits + 200);
    cr_expect(after.arrays == before.arrays && after.bytes_in_use == before.bytes_in_use);
    cr_expect(strstr(weft_explain(ctx), "value_and_grad(loss): compiled for m.l[0].w f32[3,2]"), "%s",
              weft_explain(ctx));
}

Test(grad_cost, a_thousand_steps_leave_nothing_behind)
{
    weft_array *rate = weft_scalar(ctx, 0.01);
    for (int compiled = 0; compiled < 2; compiled++) {
        weft_array *x = weft_keep(ramp(4));
        size_t arrays = 0, bytes = 0;
        for (int i = 0; i < 1000; i++) {
            weft_scope *scope = weft_scope_open(ctx);
            weft_array *next = weft_keep(MAYBE_JIT(step_down)(x, rate));
            weft_free(x);
            x = next;
            weft_scope_close(scope);
            if (i == 10) arrays = weft_stats(ctx).arrays, bytes = weft_stats(ctx).bytes_in_use;
        }
        cr_expect_eq(weft_stats(ctx).arrays, arrays);
        cr_expect_eq(weft_stats(ctx).bytes_in_use, bytes, "%zu bytes more",
                     weft_stats(ctx).bytes_in_use - bytes);
        weft_free(x);
    }
}

static int every, recompute;
/* Neighbours meet, so a step waits for all of the step before. */
static weft_array *rolled(weft_array *h, weft_array *x) { return chain(weft_roll(h, 1, 0), weft_tanh(x)); }
static weft_array *long_loop(weft_array *x)
{
    weft_declare(NULL, rolled, weft_binary);
    return weft_sum(weft_scan(NULL, rolled, "carry, none", .length = 1024, .checkpoint = every)(x, x));
}
static weft_array *block(weft_array *x)
{
    for (int i = 0; i < 8; i++) x = weft_tanh(weft_matmul(x, x));
    return x;
}
static weft_array *four_blocks(weft_array *x)
{
    weft_declare(NULL, block, weft_unary);
    for (int i = 0; i < 4; i++) x = recompute ? weft_checkpoint(NULL, block)(x) : block(x);
    return weft_sum(x);
}

static size_t scratch_of(weft_unary *f, weft_array *x)
{
    weft_plan *p =
        weft_compile(ctx, (weft_plan_options){ 0 }, weft_jit(ctx, weft_grad(ctx, weft_unary, f, "x"))(x));
    size_t bytes = p ? weft_plan_scratch(p) : 0;
    weft_plan_free(p);
    return bytes;
}

/* Values that are computed again are not kept; the results are the same. */
Test(grad_cost, checkpoints_need_less_memory)
{
    weft_array *x = ramp(1000), *m = weft_full(ctx, WEFT_F32, 0.01, 64, 64), *loop[2], *blocks[2];
    size_t of_loop[2], of_blocks[2];
    for (int k = 0; k < 2; k++) {
        every = k ? 32 : 0, recompute = k;
        weft_declare(ctx, long_loop, weft_unary);
        weft_declare(ctx, four_blocks, weft_unary);
        of_loop[k] = scratch_of(long_loop, x);
        of_blocks[k] = scratch_of(four_blocks, m);
        loop[k] = weft_grad(ctx, weft_unary, long_loop, "x")(x);
        blocks[k] = weft_grad(ctx, weft_unary, four_blocks, "x")(m);
        weft_forget(ctx, long_loop);
        weft_forget(ctx, four_blocks);
    }
    cr_expect(of_loop[0] > 1000 * 1000 * sizeof(float) && of_loop[1] < of_loop[0] / 10, "%zu and %zu bytes",
              of_loop[0], of_loop[1]);
    cr_expect(of_blocks[1] < of_blocks[0] / 2, "%zu and %zu bytes", of_blocks[0], of_blocks[1]);
    CLOSE(loop[1], loop[0]);
    CLOSE(blocks[1], blocks[0]);
}

static weft_array *greatest_products(weft_array *x, weft_array *y)
{
    return weft_sum(weft_max(weft_einsum("ijk,nk->ijn", x, weft_broadcast_to(y, 16, 5)), .axes = "0,2"));
}
static weft_array *greatest_sums(weft_array *x, weft_array *y)
{
    weft_array *sums = weft_sum(weft_mul(weft_expand_dims(x, 2), y), .axes = "3");
    return weft_sum(weft_max(sums, .axes = "0,2"));
}

/* The sum that the maximum is compared with is computed once: summed in another order, it would equal the
 * maximum nowhere. */
Test(grad_cost, of_extremes_of_sums_that_several_kernels_need)
{
    static weft_binary *const functions[] = { greatest_products, greatest_sums };
    weft_array *x =
        weft_reshape(weft_mul(weft_sin(weft_mul(weft_arange(ctx, 0, 1200, 1), 7.7)), 30), 15, 16, 5);
    weft_array *one = weft_scalar(ctx, 8), *many = weft_sin(weft_reshape(weft_arange(ctx, 0, 80, 1), 16, 5));
    for (int i = 0; i < 4; i++) {
        weft_declare(ctx, functions[i / 2], weft_binary);
        weft_binary *slope = weft_grad(ctx, weft_binary, functions[i / 2], "x");
        weft_array *y = i % 2 ? many : one;
        CLOSE(weft_jit(ctx, slope)(x, y), slope(x, y));
    }
}
