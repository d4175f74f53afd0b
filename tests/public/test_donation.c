/* test_donation.c: a gradient whose kernels run in bands gives the same bits when an operand's memory is
 * given up: what the edges of one result are made of is not overwritten by those of another. */
#include "tests/support/context_suite.h"
#include <string.h>

TestSuite(donation, .init = open_context, .fini = close_context);

enum { ROWS = 703, COLUMNS = 403, STAGES = 7 };

WEFT_SIGNATURE(step_fn, weft_array *, (weft_array * s, weft_array *x, WEFT_OUT weft_array **out));
WEFT_SIGNATURE(grad_fn, weft_array *, (weft_array * x, weft_array *y, WEFT_OUT weft_array **dy));

static weft_array *damp(weft_array *s, weft_array *x, weft_array **out)
{
    return *out = weft_add(weft_mul(s, 0.5), weft_mul(x, 0.75));
}
static weft_array *rise(weft_array *s, weft_array *x, weft_array **out)
{
    weft_array *next = weft_maximum(weft_mul(s, 0.5), x);
    *out = weft_sub(next, s);
    return next;
}
static weft_array *spill(weft_array *u, weft_array *by)
{
    return weft_set_add(u, ":, 1:", weft_mul(weft_at(by, ":, :-1"), 0.1));
}

static int second, third; /* which stages the loss looks at besides the last */
static weft_array *loss(weft_array *x, weft_array *y)
{
    weft_array *v[STAGES] = { x, y, weft_erfc(x) };
    weft_scan(NULL, damp, "carry, 1 -> none, 1", .reverse = true)(weft_at(x, ":, 0"), y, &v[3]);
    v[4] = weft_sub(weft_roll(y, -1, 0), weft_mul(v[2], 0.25));
    v[5] = weft_fori(NULL, spill, "carry, none", .count = 4)(v[4], v[3]);
    weft_scan(NULL, rise, "carry, 0")(weft_at(v[4], "0"), v[3], &v[6]);
    weft_array *r = weft_add(v[6], weft_mul(v[5], 0.5));
    if (third) r = weft_add(r, v[third - 1]);
    weft_array *waves = weft_mul(r, weft_cos(weft_add(x, y)));
    return weft_add(weft_sum(waves), weft_sum(weft_mul(v[second], v[second])));
}

static weft_array *waves(double speed)
{
    weft_array *i = weft_astype(weft_linspace(ctx, 0, 1000, ROWS * COLUMNS), WEFT_F64);
    return weft_reshape(weft_sin(weft_mul(i, speed)), ROWS, COLUMNS);
}

static void expect_same(const weft_array *a, const weft_array *b, const char *what)
{
    cr_assert(a && b, "%s", weft_error(ctx));
    cr_expect(memcmp(weft_data(a), weft_data(b), sizeof(double) * ROWS * COLUMNS) == 0,
              "%s, stages %d and %d", what, second, third - 1);
}

Test(donation, in_bands)
{
    need_backend();
    weft_declare(ctx, damp, step_fn);
    weft_declare(ctx, rise, step_fn);
    weft_declare(ctx, spill, weft_binary);
    for (third = 1; third < 3; third++)
        for (second = 3; second < STAGES; second++) {
            weft_declare(ctx, loss, weft_binary);
            weft_array *x = waves(37), *y = waves(11), *dy, *given_dy;
            grad_fn *g = weft_jit(ctx, weft_grad(ctx, grad_fn, loss, "x, y"));
            weft_array *dx = g(x, y, &dy), *given_dx = g(weft_donate(waves(37)), y, &given_dy);
            expect_same(given_dx, dx, "dx");
            expect_same(given_dy, dy, "dy");
            weft_forget(ctx, loss);
        }
}
