/* test_optim_cxx17.cpp: optimizers and schedules from C++17: options by builders, states as described structs. */
#include <cmath>
#include <cstdio>
#include "weft.h"

struct vec { weft_array *p; };
WEFT_STRUCT(vec, WEFT_ARRAY(vec, p));
WEFT_OPT_STATE(vec_state, vec);

static weft_optimizer optimizer()
{
    return weft_adam(weft::optimizer().schedule(weft_schedule_cosine(weft::schedule().rate(0.5).warmup(2).steps(10))).clip_norm(1));
}

static weft_array *step(vec *p, vec_state *s)
{
    vec g = { weft_mul(p->p, 2) };
    weft_opt_update(nullptr, optimizer(), vec_state, p, &g, s);
    return weft_global_norm(nullptr, vec, &g);
}

int main()
{
    weft_context *ctx = weft_open(nullptr);
    weft_describe(ctx, vec_state);
    const float start[] = { 3, -4 };
    vec p = { weft_from(ctx, start, 2) };
    vec_state s;
    weft_opt_init(ctx, optimizer(), vec_state, &p, &s);
    double first = 0, norm = 0;
    for (int k = 0; k < 8; k++) {
        norm = weft_item(step(&p, &s));
        if (!k) first = norm;
    }
    bool good = std::fabs(first - 10) < 1e-5 && norm < 6 && weft_item(s.step) == 8;
    weft_opt_init(ctx, weft_sgd(weft::optimizer().rate(0.25).momentum(0.9).nesterov()), vec_state, &p, &s);
    weft_opt_init(ctx, weft_adamw(weft::optimizer().rate_array(weft_scalar(ctx, 1)).weight_decay(0.1).b1(0.8).b2(0.9).eps(1e-6)), vec_state, &p, &s);
    good = good && weft_opt_init(ctx, weft_adam(), vec_state, &p, &s) == WEFT_ARGUMENT && weft_clear(ctx) == WEFT_ARGUMENT;
    good = good && std::fabs(weft_item(weft_schedule_at(ctx, weft_schedule_linear(weft::schedule().rate(1).end(0).steps(4)), 1)) - 0.75) < 1e-6;
    if (!good) std::printf("first %g, last %g: %s\n", first, norm, weft_error(ctx) ? weft_error(ctx) : "no error");
    weft_close(ctx);
    return !good;
}
