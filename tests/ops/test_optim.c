/* test_optim.c: optimizers and schedules: against optax's numbers (tests/data/optim.txt, written by
 * make_optim_data.py), at once, compiled, in a scan and under vmap; trees of every kind; what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

typedef struct {
    weft_array *p;
} vec;
WEFT_STRUCT(vec, WEFT_ARRAY(vec, p));
WEFT_OPT_STATE(vec_state, vec);

enum { STEPS = 6, SIZE = 3, AT = 24, MODELS = 4 };

static void setup(void)
{
    open_context();
    weft_describe(ctx, vec_state);
}

TestSuite(optim, .init = setup, .fini = close_context_without_error);

/* ---- the cases of optim.txt ---- */

static bool read_case(const char *name, int n, double *value)
{
    FILE *f = fopen("tests/data/optim.txt", "r");
    cr_assert_not_null(f, "tests/data/optim.txt cannot be read");
    char word[64];
    bool found = false;
    while (!found && fscanf(f, "%63s", word) == 1) found = !strcmp(word, name);
    for (int i = 0; i < n && found; i++)
        cr_assert_eq(fscanf(f, "%lf", &value[i]), 1, "%s has less than %d numbers", name, n);
    fclose(f);
    cr_assert(found, "no case %s", name);
    return found;
}

#define COSINE weft_schedule_cosine(.rate = 0.2, .start = 0.01, .warmup = 3, .steps = 10, .end = 0.02)
/* clang-format off */
#define OPTIMIZERS(R) \
    R(sgd, weft_sgd(.rate = 0.1)) \
    R(momentum, weft_sgd(.rate = 0.1, .momentum = 0.9)) \
    R(nesterov, weft_sgd(.rate = 0.1, .momentum = 0.9, .nesterov = true)) \
    R(adam, weft_adam(.rate = 0.05)) \
    R(adam_b, weft_adam(.rate = 0.05, .b1 = 0.5, .b2 = 0.9, .eps = 1e-3, .eps_root = 1e-4)) \
    R(nadam, weft_adam(.rate = 0.05, .nesterov = true)) \
    R(adamw, weft_adamw(.rate = 0.05, .weight_decay = 0.1)) \
    R(adamw_default, weft_adamw(.rate = 0.05)) R(adam_cosine, weft_adam(.schedule = COSINE)) \
    R(clip, weft_sgd(.rate = 0.1, .clip_value = 0.5)) \
    R(clip_norm, weft_adam(.rate = 0.05, .clip_norm = 1)) \
    R(clip_both, weft_sgd(.rate = 0.1, .clip_value = 0.7, .clip_norm = 0.9)) \
    R(clip_not, weft_sgd(.rate = 0.1, .clip_norm = 100))
/* clang-format on */
#define NAME_OF(name, make) #name,
#define ROW_OF(name, make)  ROW_##name,
#define CASE_OF(name, make) \
    case ROW_##name: return make;
enum { OPTIMIZERS(ROW_OF) ROWS };
static const char *const row_name[] = { OPTIMIZERS(NAME_OF) };

/* optax has a schedule's rate in f32. */
static double tolerance_of(int row) { return row == ROW_adam_cosine ? 2e-7 : 1e-12; }

static weft_optimizer optimizer(int row)
{
    switch (row) {
        OPTIMIZERS(CASE_OF) default : return weft_adam(.rate = 1);
    }
}

/* make_optim_data.py's gradient(). */
static weft_array *gradient(weft_array *p, weft_array *step)
{
    static const double more[SIZE] = { 0.1, -3.0, 0.0 };
    weft_array *k = weft_add(weft_astype(step, weft_dtype_of(p)), 1);
    return weft_add(weft_sin(weft_mul(p, k)), weft_astype(weft_from(NULL, more, SIZE), weft_dtype_of(p)));
}

WEFT_SIGNATURE(step_fn, weft_array *, (vec * p, vec_state *s, int row));
static weft_array *step(vec *p, vec_state *s, int row)
{
    vec g = { gradient(p->p, s->step) };
    weft_opt_update(NULL, optimizer(row), vec_state, p, &g, s);
    return p->p;
}

WEFT_SIGNATURE(init_fn, void, (const vec *p, WEFT_OUT vec_state *s, int row));
static void init(const vec *p, vec_state *s, int row)
{
    weft_opt_init(NULL, optimizer(row), vec_state, p, s);
}

static const double start[SIZE] = { 1.0, -2.0, 0.5 };

static vec start_of(weft_dtype t) { return (vec){ weft_astype(weft_from(ctx, start, SIZE), t) }; }

static void expect_row(const char *what, const char *name, weft_array *got, const double *want,
                       double tolerance)
{
    const double *g = weft_f64(weft_astype(got, WEFT_F64));
    for (int64_t i = 0; i < weft_count(got); i++)
        cr_expect(fabs(g[i] - want[i]) <= tolerance * fmax(1, fabs(want[i])),
                  "%s %s: number %d is %.17g, not %.17g", what, name, (int)i, g[i], want[i]);
}

static void check_steps(const char *what, step_fn *f, int row, weft_dtype t, double tolerance)
{
    double want[STEPS * SIZE];
    read_case(row_name[row], STEPS * SIZE, want);
    vec p = start_of(t);
    vec_state s;
    cr_assert_eq((int)weft_opt_init(ctx, optimizer(row), vec_state, &p, &s), (int)WEFT_OK);
    for (int k = 0; k < STEPS; k++) {
        weft_array *now = f(&p, &s, row);
        cr_assert_not_null(now, "%s", weft_error(ctx));
        cr_expect_eq((int)weft_dtype_of(now), (int)t);
        expect_row(what, row_name[row], now, want + k * SIZE, tolerance);
    }
    cr_expect_eq(weft_item(s.step), STEPS);
}

Test(optim, as_optax)
{
    weft_declare(ctx, step, step_fn);
    for (int row = 0; row < ROWS; row++) {
        check_steps("at once, f64", step, row, WEFT_F64, tolerance_of(row));
        check_steps("at once, f32", step, row, WEFT_F32, 4e-5);
        if (!have_backend()) continue;
        check_steps("compiled, f64", weft_jit(ctx, step), row, WEFT_F64, tolerance_of(row));
        check_steps("compiled, f32", weft_jit(ctx, step), row, WEFT_F32, 4e-5);
    }
}

/* The state is a carry; one compile. */
Test(optim, in_a_scan)
{
    need_backend();
    weft_declare(ctx, step, step_fn);
    step_fn *all = weft_jit(ctx, weft_scan(ctx, step, "carry, carry", .length = STEPS));
    for (int row = 0; row < ROWS; row++) {
        double want[STEPS * SIZE];
        read_case(row_name[row], STEPS * SIZE, want);
        vec p = start_of(WEFT_F64);
        vec_state s;
        weft_opt_init(ctx, optimizer(row), vec_state, &p, &s);
        weft_array *path = all(&p, &s, row);
        cr_assert_not_null(path, "%s", weft_error(ctx));
        expect_row("scan", row_name[row], path, want, tolerance_of(row));
        expect_row("scan's last", row_name[row], p.p, want + (STEPS - 1) * SIZE, tolerance_of(row));
    }
}

/* An ensemble: states made under vmap, and by weft_stack; as by a loop. */
Test(optim, under_vmap)
{
    weft_declare(ctx, step, step_fn);
    weft_declare(ctx, init, init_fn);
    for (int row = 0; row < ROWS; row++) {
        vec models[MODELS], all;
        vec_state states[MODELS], stacked, mapped;
        for (int m = 0; m < MODELS; m++) {
            models[m].p = weft_mul(start_of(WEFT_F64).p, 1 + 0.25 * m);
            weft_opt_init(ctx, optimizer(row), vec_state, &models[m], &states[m]);
        }
        weft_stack(ctx, vec, models, MODELS, &all);
        weft_stack(ctx, vec_state, states, MODELS, &stacked);
        weft_vmap(ctx, init, "0")(&all, &mapped, row);
        cr_assert_eq((int)weft_check_structure(ctx, vec_state, &stacked, &mapped), (int)WEFT_OK);
        cr_expect_eq(weft_dim(mapped.step, 0), MODELS);
        for (int k = 0; k < STEPS; k++) {
            weft_array *together = weft_vmap(ctx, step, "0")(&all, &mapped, row);
            for (int m = 0; m < MODELS; m++) {
                step(&models[m], &states[m], row);
                expect_row("vmap", row_name[row], weft_take(together, weft_scalar_as(ctx, WEFT_I32, m), 0),
                           weft_f64(models[m].p), 1e-13);
            }
        }
    }
}

/* ---- schedules ---- */

static const int64_t boundary[] = { 3, 10, 11 };
static const double factor[] = { 0.5, 0.1, 3.0 };
static weft_array *own_rate(weft_array *t) { return weft_div(1, weft_add(t, 1)); }

Test(optim, schedules_as_optax)
{
    const struct {
        const char *name;
        weft_schedule s;
    } all[] = {
        { "s_constant", weft_schedule_constant(.rate = 0.3) },
        { "s_linear", weft_schedule_linear(.rate = 1, .end = 0.25, .steps = 10, .begin = 4) },
        { "s_exponential", weft_schedule_exponential(.rate = 0.5, .steps = 5, .decay = 0.8) },
        { "s_staircase",
          weft_schedule_exponential(.rate = 0.5, .steps = 5, .decay = 0.8, .begin = 3, .staircase = true) },
        { "s_bounded", weft_schedule_exponential(.rate = 0.5, .steps = 2, .decay = 0.8, .end = 0.1) },
        { "s_growing", weft_schedule_exponential(.rate = 0.5, .steps = 2, .decay = 1.3, .end = 2) },
        { "s_cosine", weft_schedule_cosine(.rate = 0.4, .steps = 15) },
        { "s_cosine_end", weft_schedule_cosine(.rate = 0.4, .steps = 15, .end = 0.1, .exponent = 1.5) },
        { "s_warmup",
          weft_schedule_cosine(.rate = 0.2, .start = 0.01, .warmup = 5, .steps = 20, .end = 0.02) },
        { "s_piecewise", weft_schedule_piecewise(.rate = 1, .n = 3, .at = boundary, .scale = factor) },
    };
    weft_array *steps = weft_arange(ctx, 0, AT, 1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double want[AT];
        read_case(all[i].name, AT, want);
        expect_row("schedule", all[i].name, weft_schedule_at(ctx, all[i].s, steps), want, 3e-7);
        expect_row("schedule", all[i].name, weft_schedule_at(ctx, all[i].s, 7), want + 7, 3e-7);
    }
    expect_row("schedule", "own", weft_schedule_at(ctx, weft_schedule_own(own_rate), 3), (double[]){ 0.25 },
               1e-7);
}

/* The count is data: a rate that changes at each step is compiled once. */
Test(optim, schedules_need_no_new_compile)
{
    need_backend();
    weft_declare(ctx, step, step_fn);
    step_fn *fast = weft_jit(ctx, step);
    vec p = start_of(WEFT_F32);
    vec_state s;
    weft_opt_init(ctx, optimizer(ROW_adam_cosine), vec_state, &p, &s);
    fast(&p, &s, ROW_adam_cosine);
    weft_forbid_compiling(ctx, true);
    for (int k = 0; k < 50; k++) cr_assert_not_null(fast(&p, &s, ROW_adam_cosine), "%s", weft_error(ctx));
    weft_counters c = weft_stats(ctx);
    cr_expect_eq(c.compiles, 1, "%d compiles", (int)c.compiles);
    cr_expect_eq(c.traces, 1);
}

WEFT_SIGNATURE(rated_fn, weft_array *, (vec * p, vec_state *s, weft_array *rate));
static weft_array *rated(vec *p, vec_state *s, weft_array *rate)
{
    vec g = { gradient(p->p, s->step) };
    weft_opt_update(NULL, weft_adam(.rate_array = rate), vec_state, p, &g, s);
    return p->p;
}

/* A rate for each model. */
Test(optim, rates_that_are_data)
{
    weft_declare(ctx, rated, rated_fn);
    const double rate[2] = { 0.05, 0 };
    vec one = start_of(WEFT_F64), both = { weft_stack_arrays(0, one.p, one.p) };
    vec_state s, states[2];
    for (int i = 0; i < 2; i++) weft_opt_init(ctx, weft_adam(.rate = 1), vec_state, &one, &states[i]);
    weft_stack(ctx, vec_state, states, 2, &s);
    weft_array *p = weft_vmap(ctx, rated, "0")(&both, &s, weft_from(ctx, rate, 2));
    double want[SIZE];
    read_case("adam", SIZE, want);
    expect_row("rate", "of one", weft_at(p, "0"), want, 1e-12);
    expect_row("rate", "of none", weft_at(p, "1"), start, 0);
}

/* Training is a function like any other: the final loss can be differentiated by the rate. */
WEFT_SIGNATURE(trained_fn, weft_array *, (weft_array * rate, bool adam));
static weft_array *trained(weft_array *rate, bool adam)
{
    weft_optimizer o =
        adam ? weft_adamw(.rate_array = rate, .clip_norm = 2) : weft_sgd(.rate_array = rate, .momentum = 0.5);
    vec p = { weft_from(NULL, start, SIZE) };
    vec_state s;
    weft_opt_init(NULL, o, vec_state, &p, &s);
    for (int k = 0; k < 4; k++) {
        vec g = { gradient(p.p, s.step) };
        weft_opt_update(NULL, o, vec_state, &p, &g, &s);
    }
    return weft_sum(weft_square(p.p));
}

static weft_array *no_step(weft_array *x)
{
    vec p = { x }, g = { weft_mul(x, 0) };
    vec_state s;
    weft_opt_init(NULL, weft_sgd(.rate = 1, .clip_norm = 1), vec_state, &p, &s);
    weft_opt_update(NULL, weft_sgd(.rate = 1, .clip_norm = 1), vec_state, &p, &g, &s);
    return p.p;
}

Test(optim, derivatives_go_through_updates)
{
    weft_declare(ctx, no_step, weft_unary);
    weft_declare(ctx, trained, trained_fn);
    trained_fn *slope = weft_grad(ctx, trained_fn, trained, "rate");
    for (int adam = 0; adam < 2; adam++) {
        double at = 0.05, h = 1e-5;
        double more = weft_item(trained(weft_scalar_as(ctx, WEFT_F64, at + h), adam)),
               less = weft_item(trained(weft_scalar_as(ctx, WEFT_F64, at - h), adam));
        cr_expect_float_eq(weft_item(slope(weft_scalar_as(ctx, WEFT_F64, at), adam)), (more - less) / (2 * h),
                           1e-6);
    }
    cr_expect_eq(weft_item(weft_grad(ctx, weft_unary, no_step, "x")(weft_scalar(ctx, 3))), 1,
                 "through the norm of no gradient at all");
}

/* ---- trees ---- */

typedef struct {
    weft_array *w, *b;
} layer;
typedef struct {
    layer *l;
    int n;
    weft_array *ids, *on, *half;
    layer *extra;
    weft_array *cached;
    int uses;
} model;
WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
WEFT_STRUCT(model, WEFT_TREES(model, l, layer, n), WEFT_ARRAY(model, ids), WEFT_ARRAY(model, on),
            WEFT_ARRAY(model, half), WEFT_POINTER(model, extra, layer), WEFT_LAZY(model, cached),
            WEFT_HIDDEN(model, uses));
WEFT_OPT_STATE(model_state, model);
WEFT_SIGNATURE(model_fn, weft_array *, (model * m, const model *g, model_state *s));

static model a_model(layer *l, double scale)
{
    for (int i = 0; i < 2; i++)
        l[i] = (layer){ weft_full(ctx, WEFT_F32, scale * (i + 1), 2, 3), weft_full(ctx, WEFT_F32, scale, 3) };
    return (model){ .l = l,
                    .n = 2,
                    .ids = weft_arange(ctx, 0, 4, 1),
                    .on = weft_gt(weft_arange(ctx, 0, 4, 1), 1),
                    .half = weft_full(ctx, WEFT_F16, scale, 2) };
}

static weft_array *adam_step(model *m, const model *g, model_state *s)
{
    weft_opt_update(NULL, weft_adam(.rate = 0.125, .clip_norm = 1), model_state, m, g, s);
    return weft_global_norm(NULL, model, g);
}

static void check_model(model_fn *f)
{
    layer parts[2], slopes[2];
    model m = a_model(parts, 1), g = a_model(slopes, 3);
    m.uses = 5;
    m.cached = m.ids;
    weft_array *ids = m.ids, *on = m.on;
    model_state s;
    cr_assert_eq((int)weft_opt_init(ctx, weft_adam(.rate = 0.125), model_state, &m, &s), (int)WEFT_OK, "%s",
                 weft_error(ctx));
    cr_expect(weft_dtype_of(s.m.half) == WEFT_F32 && weft_dim(s.v.l[1].w, 1) == 3 && weft_rank(s.m.ids) == 0);
    weft_array *norm = f(&m, &g, &s);
    cr_assert_not_null(norm, "%s", weft_error(ctx));
    cr_expect_float_eq(weft_item(norm), sqrt(6 * 9 + 6 * 36 + 6 * 9 + 2 * 9), 1e-5);
    cr_expect_null(m.cached, "a lazy field is computed anew");
    cr_expect_eq(m.uses, 5);
    cr_expect(weft_dtype_of(m.half) == WEFT_F16);
    /* a first step of adam is the rate, whatever the gradient */
    cr_expect_float_eq(weft_item(weft_max(m.half)), 0.875, 1e-3);
    cr_expect_float_eq(weft_item(weft_max(m.l[1].w)), 2 - 0.125, 1e-5);
    cr_expect_eq(weft_item(weft_sum(weft_ne(m.ids, ids))), 0, "integers are left alone");
    cr_expect_eq(weft_item(weft_sum(weft_xor(m.on, on))), 0, "bools too");
    cr_expect_eq(weft_item(s.step), 1);
}

Test(optim, trees_of_every_kind)
{
    weft_describe(ctx, model_state);
    weft_declare(ctx, adam_step, model_fn);
    check_model(adam_step);
    if (have_backend()) check_model(weft_jit(ctx, adam_step));
}

/* The loop of the header's comment: nothing grows. */
Test(optim, memory_does_not_grow)
{
    need_backend();
    weft_declare(ctx, step, step_fn);
    step_fn *fast = weft_jit(ctx, step);
    vec p = start_of(WEFT_F32);
    vec_state s;
    weft_opt_init(ctx, optimizer(ROW_adamw), vec_state, &p, &s);
    size_t arrays = 0;
    for (int k = 0; k < 300; k++) {
        weft_scope *scope = weft_scope_open(ctx);
        vec next = p;
        vec_state next_s = s;
        fast(&next, &next_s, ROW_adamw);
        cr_assert_eq((int)weft_assign(&vec_tree, &p, &next), (int)WEFT_OK);
        cr_assert_eq((int)weft_assign(&vec_state_tree, &s, &next_s), (int)WEFT_OK);
        weft_scope_close(scope);
        if (k == 5) arrays = weft_stats(ctx).arrays;
    }
    cr_expect_eq(weft_stats(ctx).arrays, arrays);
    cr_expect_eq(weft_item(s.step), 300);
}

/* Run op by op, an update leaves nothing behind but its results. */
Test(optim, temporaries_die)
{
    vec p = start_of(WEFT_F32), g = start_of(WEFT_F32);
    vec_state s;
    size_t arrays = weft_stats(ctx).arrays;
    weft_opt_init(ctx, optimizer(ROW_adam_cosine), vec_state, &p, &s);
    cr_expect_eq(weft_stats(ctx).arrays, arrays + 3);
    weft_opt_update(ctx, weft_adam(.schedule = COSINE, .clip_norm = 1, .clip_value = 1, .weight_decay = 0.1),
                    vec_state, &p, &g, &s);
    cr_expect_eq(weft_stats(ctx).arrays, arrays + 3 + 4, "%d", (int)(weft_stats(ctx).arrays - arrays));
}

/* A leaf's update is one pass over its memory; the other kernel counts. */
WEFT_SIGNATURE(big_fn, void, (vec * p, const vec *g, vec_state *s));
static void big_step(vec *p, const vec *g, vec_state *s)
{
    weft_opt_update(NULL, weft_adam(.rate = 1e-3), vec_state, p, g, s);
}

Test(optim, adam_is_one_pass)
{
    need_backend();
    weft_declare(ctx, big_step, big_fn);
    vec p = { weft_zeros(ctx, WEFT_F32, 4096) }, g = { weft_ones(ctx, WEFT_F32, 4096) };
    vec_state s;
    weft_opt_init(ctx, weft_adam(.rate = 1e-3), vec_state, &p, &s);
    weft_jit(ctx, big_step)(&p, &g, &s);
    cr_expect_eq(weft_stats(ctx).kernels, 2, "%d kernels", (int)weft_stats(ctx).kernels);
    cr_expect_float_eq(weft_item(weft_max(p.p)), -1e-3, 1e-8);
}

/* The step count stays at the greatest int, and a zero gradient moves nothing. */
Test(optim, limits)
{
    vec p = start_of(WEFT_F32), g = { weft_zeros(ctx, WEFT_F32, SIZE) }, before = p;
    vec_state s;
    weft_opt_init(ctx, weft_adam(.rate = 0.1), vec_state, &p, &s);
    s.step = weft_scalar_as(ctx, WEFT_I32, INT32_MAX);
    weft_opt_update(ctx, weft_adam(.rate = 0.1, .clip_norm = 1), vec_state, &p, &g, &s);
    cr_expect_eq(weft_item(s.step), INT32_MAX);
    cr_expect_eq(weft_item(weft_sum(weft_ne(p.p, before.p))), 0);
}

/* ---- what is refused ---- */

static void refused(int line, weft_status is, weft_status status, const char *text)
{
    const char *error = weft_error(ctx);
    cr_expect_eq((int)is, (int)status, "line %d: status %d", line, (int)is);
    cr_expect(error && strstr(error, text), "line %d: wanted '%s' in: %s", line, text,
              error ? error : "(none)");
    weft_clear(ctx);
}
#define BAD(status, text, call) \
    do { \
        weft_status is_ = (call); \
        refused(__LINE__, is_, status, text); \
    } while (0)
#define BAD_UPDATE(status, text, ...) \
    BAD(status, text, weft_opt_update(ctx, (__VA_ARGS__), vec_state, &p, &g, &s))

Test(optim, bad_options)
{
    vec p = start_of(WEFT_F32), g = p, before = p;
    vec_state s;
    weft_opt_init(ctx, weft_adam(.rate = 1), vec_state, &p, &s);
    BAD_UPDATE(WEFT_ARGUMENT, "weft_opt_update: weft_adam: none of .rate, .schedule and .rate_array",
               weft_adam());
    BAD_UPDATE(WEFT_ARGUMENT, "weft_sgd: more than one of .rate, .schedule and .rate_array",
               weft_sgd(.rate = 1, .rate_array = p.p));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_adam: .rate is nan", weft_adam(.rate = NAN));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_adam: .b1 must be at least 0 and less than 1: it is 1",
               weft_adam(.rate = 1, .b1 = 1));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_adamw: .b2 must be at least 0 and less than 1: it is -0.5",
               weft_adamw(.rate = 1, .b2 = -0.5));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_adam: .eps must be a number, not negative: it is -1",
               weft_adam(.rate = 1, .eps = -1));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_adam: .clip_norm must be a number, not negative: it is nan",
               weft_adam(.rate = 1, .clip_norm = NAN));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_adam does not take .momentum", weft_adam(.rate = 1, .momentum = 0.9));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_sgd does not take .b1", weft_sgd(.rate = 1, .b1 = 0.9));
    BAD_UPDATE(WEFT_ARGUMENT, "weft_sgd: .nesterov needs .momentum", weft_sgd(.rate = 1, .nesterov = true));
    BAD_UPDATE(WEFT_SHAPE, "weft_sgd: .rate_array must be one float of rank 0, not f32[3]",
               weft_sgd(.rate_array = p.p));
    BAD_UPDATE(WEFT_ARGUMENT, "no optimizer: make one by weft_sgd(...)", (weft_optimizer){ .rate = 1 });
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: .steps must be positive, not 0",
               weft_sgd(.schedule = weft_schedule_linear(.rate = 1)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: .decay must be positive, not 0",
               weft_sgd(.schedule = weft_schedule_exponential(.rate = 1, .steps = 3)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: .steps = 10 is all of it, so it must be more than .warmup = 10",
               weft_sgd(.schedule = weft_schedule_cosine(.rate = 1, .steps = 10, .warmup = 10)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: .at[1] is 3 behind 3: they must ascend",
               weft_sgd(.schedule = weft_schedule_piecewise(.rate = 1, .n = 2, .at = (int64_t[]){ 3, 3 },
                                                            .scale = factor)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: .at and .scale must be lists of .n = 2 numbers",
               weft_sgd(.schedule = weft_schedule_piecewise(.rate = 1, .n = 2)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: weft_schedule_cosine: no .rate",
               weft_sgd(.schedule = weft_schedule_cosine(.steps = 10)));
    BAD_UPDATE(
        WEFT_ARGUMENT, ".schedule: weft_schedule_piecewise: no .rate",
        weft_sgd(.schedule = weft_schedule_piecewise(.n = 2, .at = (int64_t[]){ 3, 4 }, .scale = factor)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: weft_schedule_linear does not take .decay",
               weft_sgd(.schedule = weft_schedule_linear(.rate = 1, .steps = 3, .decay = 0.5)));
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: weft_schedule_constant does not take .steps",
               weft_sgd(.schedule = weft_schedule_constant(.rate = 1, .steps = 3)));
    BAD(WEFT_ARGUMENT, "weft_schedule_at: weft_schedule_cosine does not take .begin",
        weft_schedule_at(ctx, weft_schedule_cosine(.rate = 1, .steps = 3, .begin = 1), 3) ? WEFT_OK
                                                                                          : WEFT_ARGUMENT);
    cr_expect(weft_schedule_at(ctx, weft_schedule_linear(.end = 1, .steps = 3), 3), "from 0 up to .end");
    BAD_UPDATE(WEFT_ARGUMENT, ".schedule: .rate is inf",
               weft_sgd(.schedule = weft_schedule_constant(.rate = INFINITY)));
    BAD(WEFT_ARGUMENT, "weft_schedule_at: no schedule: make one by",
        weft_schedule_at(ctx, (weft_schedule){ .kind_ = 0 }, 3) ? WEFT_OK : WEFT_ARGUMENT);
    BAD(WEFT_DTYPE, "weft_schedule_at: a step is an integer, not f32",
        weft_schedule_at(ctx, weft_schedule_constant(.rate = 1), 0.5) ? WEFT_OK : WEFT_DTYPE);
    cr_expect_eq(p.p, before.p, "nothing is changed");
    vec_state none;
    BAD(WEFT_ARGUMENT, "weft_opt_init: weft_adam: none of",
        weft_opt_init(ctx, weft_adam(), vec_state, &p, &none));
    cr_expect(!none.step && !none.m.p && !none.v.p, "the state is empty");
}

static weft_array *no_rate(weft_array *t)
{
    (void)t;
    return NULL;
}
static weft_array *many_rates(weft_array *t) { return weft_reshape(t, 1); }

Test(optim, bad_trees)
{
    vec p = start_of(WEFT_F32), g = p;
    vec_state s, small;
    weft_opt_init(ctx, weft_adam(.rate = 1), vec_state, &p, &s);
    weft_opt_init(ctx, weft_sgd(.rate = 1), vec_state, &p, &small);
    g.p = weft_zeros(ctx, WEFT_F32, 4);
    BAD_UPDATE(WEFT_SHAPE,
               "weft_opt_update: leaf p: the gradient is f32[4], for a parameter f32[3] it must be f32[3]",
               weft_adam(.rate = 1));
    g.p = weft_zeros(ctx, WEFT_I32, 3);
    BAD_UPDATE(WEFT_DTYPE, "leaf p: the gradient is i32[3], for a parameter f32[3] it must be f32[3]",
               weft_adam(.rate = 1));
    g.p = NULL;
    BAD_UPDATE(WEFT_ARGUMENT, "leaf p of the gradients is NULL", weft_adam(.rate = 1));
    g = p;
    BAD(WEFT_SHAPE, "leaf p: the state's m is f32, for a parameter f32[3] it must be f32[3]",
        weft_opt_update(ctx, weft_adam(.rate = 1), vec_state, &p, &g, &small));
    s.step = weft_scalar(ctx, 0);
    BAD_UPDATE(WEFT_SHAPE, "the state's step is f32, not i32 of rank 0", weft_adam(.rate = 1));
    s.step = small.step;
    s.v.p = NULL;
    BAD_UPDATE(WEFT_ARGUMENT, "leaf v.p of the state is NULL", weft_adam(.rate = 1));
    BAD_UPDATE(WEFT_ARGUMENT, "leaf v.p of the state is NULL", weft_sgd(.rate = 1));
    s.v.p = p.p;
    BAD_UPDATE(WEFT_ARGUMENT, "the schedule's function gave NULL",
               weft_sgd(.schedule = weft_schedule_own(no_rate)));
    BAD_UPDATE(WEFT_SHAPE, "the schedule's function gave i32[1] for a step i32",
               weft_sgd(.schedule = weft_schedule_own(many_rates)));
    BAD(WEFT_ARGUMENT, "the state's description was not made by WEFT_OPT_STATE",
        weft_opt_update_(ctx, weft_sgd(.rate = 1), &vec_tree, &p, &g, &s, NULL));
    BAD(WEFT_ARGUMENT, "a struct's address is NULL",
        weft_opt_update_(ctx, weft_sgd(.rate = 1), &vec_state_tree, &p, NULL, &s, NULL));

    layer parts[2], slopes[2];
    model m = a_model(parts, 1), d = a_model(slopes, 1);
    model_state ms;
    weft_opt_init(ctx, weft_adam(.rate = 1), model_state, &m, &ms);
    d.n = 1;
    BAD(WEFT_TREE_MISMATCH, "l is a list of 2 in the parameters but a list of 1 in the gradients",
        weft_opt_update(ctx, weft_adam(.rate = 1), model_state, &m, &d, &ms));
    d.n = m.n = 1;
    BAD(WEFT_TREE_MISMATCH, "l is a list of 1 in the parameters but a list of 2 in the state",
        weft_opt_update(ctx, weft_adam(.rate = 1), model_state, &m, &d, &ms));
    m.n = d.n = 2;
    slopes[1].w = weft_zeros(ctx, WEFT_F32, 3, 2);
    BAD(WEFT_SHAPE, "leaf l[1].w: the gradient is f32[3,2]",
        weft_opt_update(ctx, weft_adam(.rate = 1), model_state, &m, &d, &ms));
}
