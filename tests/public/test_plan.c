/* The raw door: plans, binding by name, running on raw memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"

static void setup(void)
{
    need_backend();
    open_context();
}

TestSuite(plan, .init = setup, .fini = close_context);

WEFT_SIGNATURE(affine_fn, weft_array *,
               (weft_array * x, weft_array *w, double by, WEFT_OUT weft_array **sum));
static weft_array *affine(weft_array *x, weft_array *w, double by, weft_array **sum)
{
    *sum = weft_sum(x);
    return weft_add(weft_mul(x, w), by);
}

static const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
static const weft_plan_options rt = { .realtime = true, .threads = 1 };

static weft_plan *make_plan(void)
{
    weft_declare(ctx, affine, affine_fn);
    weft_scope *s = weft_scope_open(ctx);
    weft_array *x = weft_from(ctx, ones, 8), *sum = x;
    weft_plan *p = weft_compile(ctx, rt, weft_jit(ctx, affine)(x, x, 0.5, &sum));
    cr_expect_null(sum, "it is not run");
    weft_scope_close(s);
    return p;
}

Test(plan, binds_by_name_and_runs)
{
    weft_plan *p = make_plan();
    cr_assert_not_null(p, "%s", weft_error(ctx));
    cr_expect_eq(weft_plan_count(p, false), 2);
    cr_expect_eq(weft_plan_count(p, true), 2);
    float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, w[8] = { 2, 2, 2, 2, 2, 2, 2, 2 }, y[8], sum;
    const void *in[2];
    void *out[2];
    cr_expect_eq(weft_bind(p, in, NULL, "w", w), WEFT_OK);
    cr_expect_eq(weft_bind(p, in, out, "x", x), WEFT_OK);
    cr_expect_eq(weft_bind(p, NULL, out, "sum", &sum), WEFT_OK);
    cr_expect_eq(weft_bind(p, in, out, "return", y), WEFT_OK);
    cr_expect(in[0] == x && in[1] == w && out[0] == y && out[1] == &sum);
    size_t bytes = weft_plan_scratch(p);
    void *scratch = bytes ? aligned_alloc(64, bytes) : NULL;
    cr_expect_eq(bytes % 64, 0);
    size_t held = weft_stats(ctx).bytes_in_use;
    for (int i = 0; i < 3; i++) {
        x[0] = (float)i;
        cr_expect_eq(weft_run(p, in, out, scratch), WEFT_OK);
        cr_expect_eq(y[0], 2 * (float)i + 0.5f);
        cr_expect_eq(y[7], 16.5f);
        cr_expect_eq(sum, 35 + (float)i);
    }
    cr_expect_eq(weft_stats(ctx).bytes_in_use, held);
    in[1] = NULL;
    cr_expect_null(weft_error(ctx));
    cr_expect_eq(weft_run(p, in, out, scratch), WEFT_ARGUMENT);
    cr_expect_str_eq(weft_error(ctx), "weft_run: in[1] is NULL");
    weft_clear(ctx);
    free(scratch);
    weft_plan_free(p);
    cr_expect_null(weft_error(ctx));
}

Test(plan, refuses_what_is_not_there)
{
    weft_plan *p = make_plan();
    const void *in[2] = { 0 };
    void *out[2] = { 0 };
    char bytes[64];
    cr_expect_eq(weft_bind(p, in, out, "z", bytes), WEFT_ARGUMENT);
    cr_expect_not_null(strstr(weft_error(ctx), "no 'z': it has x f32[8], w f32[8], return f32[8], sum f32"),
                       "%s", weft_error(ctx));
    weft_clear(ctx);
    cr_expect_eq(weft_bind(p, in, out, NULL, bytes), WEFT_ARGUMENT);
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_bind(p, in, out, "x", NULL), WEFT_ARGUMENT);
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_bind(p, NULL, out, "x", bytes), WEFT_ARGUMENT);
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_bind(p, in, NULL, "return", bytes), WEFT_ARGUMENT);
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_bind(p, in, out, "x", bytes + 1 + (((uintptr_t)bytes & 1) != 0)), WEFT_ARGUMENT);
    cr_expect_not_null(strstr(weft_error(ctx), "not aligned"));
    weft_clear(ctx);
    cr_expect_eq(weft_bind(NULL, in, out, "x", bytes), WEFT_ARGUMENT);
    cr_expect_eq(weft_run(NULL, in, (void *const *)out, NULL), WEFT_ARGUMENT);
    cr_expect_eq(weft_plan_scratch(NULL) + (size_t)weft_plan_count(NULL, true), 0);
    weft_plan_free(p);
    weft_plan_free(NULL);
}

static weft_array *twice(weft_array *x) { return weft_add(x, x); }

Test(plan, needs_one_call_of_a_jitted_function)
{
    weft_declare(ctx, twice, weft_unary);
    weft_unary *fast = weft_jit(ctx, twice), *all = weft_vmap(ctx, twice, "0");
    weft_array *x = weft_from(ctx, ones, 8);
    cr_expect_null(weft_compile(ctx, rt, all(x)));
    cr_expect_not_null(strstr(weft_error(ctx), "test_plan.c:"));
    cr_expect_not_null(strstr(weft_error(ctx), "not one of a function made by weft_jit"));
    weft_clear(ctx);
    cr_expect_null(weft_compile(ctx, rt, fast(fast(x))));
    cr_expect_not_null(strstr(weft_error(ctx), "contains another call"));
    weft_clear(ctx);
    cr_expect_null(weft_compile(ctx, rt, fast(NULL)));
    cr_expect_not_null(strstr(weft_error(ctx), "argument x is NULL"));
    weft_clear(ctx);
    cr_expect_null(weft_compile(ctx, (weft_plan_options){ .realtime = true, .threads = -1 }, fast(x)));
    cr_expect_not_null(strstr(weft_error(ctx), ".threads is -1"));
    weft_clear(ctx);
    cr_expect_null(weft_compile(ctx, (weft_plan_options){ .realtime = true, .threads = 8 }, fast(x)));
    cr_expect_not_null(
        strstr(weft_error(ctx), ".threads is 8: allowed are 0 and more, and for real time 0 or 1"));
    weft_clear(ctx);
    *weft_plan_begin_(ctx) = rt;
    weft_plan *p = weft_compile(ctx, rt, fast(all(x)));
    cr_expect_not_null(p, "%s", weft_error(ctx));
    cr_expect_not_null(fast(x), "calls run again");
    weft_plan_free(p);
}

static weft_array *a_global;
static weft_array *with_global(weft_array *x) { return weft_mul(weft_add(x, a_global), a_global); }

Test(plan, holds_hidden_operands_and_outlives_eviction)
{
    weft_context *small = weft_open(&(weft_options){ .cache_entries = 1 });
    weft_declare(small, with_global, weft_unary);
    weft_unary *fast = weft_jit(small, with_global);
    a_global = weft_scalar(small, 3);
    weft_plan *p = weft_compile(small, rt, fast(weft_from(small, ones, 8)));
    cr_assert_not_null(p, "%s", weft_error(small));
    for (int n = 1; n < 8; n++) cr_expect_not_null(fast(weft_from(small, ones, n)));
    weft_free(a_global);
    weft_forget(small, with_global);
    cr_expect_eq(weft_plan_count(p, false), 1);
    float x[8] = { 1, 2, 3 }, y[8];
    const void *in[1] = { x };
    void *out[1] = { y };
    void *scratch = aligned_alloc(64, weft_plan_scratch(p));
    cr_expect_eq(weft_run(p, in, out, scratch), WEFT_OK);
    cr_expect(y[0] == 12 && y[2] == 18 && y[7] == 9);
    free(scratch);
    weft_plan_free(p);
    weft_close(small);
}

typedef struct Runner {
    const weft_plan *plan;
    float first;
    int failures;
} Runner;

static void *run(void *arg)
{
    Runner *r = arg;
    float x[8] = { r->first }, y[8], sum;
    size_t bytes = weft_plan_scratch(r->plan);
    void *scratch = bytes ? aligned_alloc(64, bytes) : NULL;
    for (int i = 0; i < 10000; i++) {
        weft_run(r->plan, (const void *[]){ x, x }, (void *[]){ y, &sum }, scratch);
        r->failures += y[0] != r->first * r->first + 0.5f || sum != r->first;
    }
    free(scratch);
    return NULL;
}

Test(plan, runs_on_several_threads_at_once)
{
    weft_plan *p = make_plan();
    pthread_t thread[3];
    Runner r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = (Runner){ p, (float)(i + 1), 0 };
        pthread_create(&thread[i], NULL, run, &r[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        cr_expect_eq(r[i].failures, 0);
    }
    weft_plan_free(p);
}

/* ---- structs ---- */

typedef struct {
    weft_array *b[2];
    int order;
} filter;
typedef struct {
    weft_array *z1, *z2;
} memory;
WEFT_STRUCT(filter, WEFT_ARRAY(filter, b), WEFT_STATIC(filter, order));
WEFT_STRUCT(memory, WEFT_ARRAY(memory, z1), WEFT_ARRAY(memory, z2));
WEFT_SIGNATURE(tick_fn, weft_array *, (const filter *c, memory *s, weft_array *x));

/* In-outs that can be computed in place, that swap, that are read until the end, and that do not change. */
static weft_array *in_place(const filter *c, memory *s, weft_array *x)
{
    s->z1 = weft_add(weft_mul(s->z1, c->b[0]), x);
    s->z2 = weft_sub(s->z2, c->b[1]);
    return weft_mul(s->z1, 2);
}
static weft_array *swaps(const filter *c, memory *s, weft_array *x)
{
    weft_array *z = s->z1;
    s->z1 = weft_add(s->z2, c->b[0]);
    s->z2 = weft_add(z, x);
    return weft_add(z, c->b[1]);
}
static weft_array *reads_on(const filter *c, memory *s, weft_array *x)
{
    s->z1 = weft_add(weft_flip(s->z1), weft_sum(s->z2));
    s->z2 = weft_roll(s->z2, 3, 0);
    return weft_mul(weft_add(x, c->b[0]), c->b[1]);
}
static weft_array *stays(const filter *c, memory *s, weft_array *x)
{
    s->z1 = weft_sub(x, s->z1);
    return weft_add(c->b[0], c->b[1]);
}

enum { LONG = 200 };
static void fill(float *to, int n, int seed)
{
    for (int i = 0; i < n; i++) to[i] = (float)((i * 37 + seed * 101) % 19) - 9;
}

static void bind_struct(weft_plan *p, const void **in, void **out, float (*at)[LONG])
{
    static const char *const path[] = { "c.b[0]", "c.b[1]", "s.z1", "s.z2", "x", "return" };
    for (int i = 0; i < 6; i++)
        cr_expect_eq(weft_bind(p, in, out, path[i], at[i]), WEFT_OK, "%s", weft_error(ctx));
}

Test(plan, in_outs_in_one_memory)
{
    tick_fn *const f[] = { in_place, swaps, reads_on, stays };
    weft_describe(ctx, filter);
    weft_describe(ctx, memory);
    for (size_t k = 0; k < sizeof f / sizeof *f; k++) {
        float at[6][LONG];
        weft_array *a[5];
        for (int i = 0; i < 5; i++) fill(at[i], LONG, i), a[i] = weft_from(ctx, at[i], LONG);
        weft_declare(ctx, f[k], tick_fn);
        filter c = { { a[0], a[1] }, 2 };
        memory s = { a[2], a[3] }, want = s;
        weft_array *y = NULL;
        for (int round = 0; round < 3; round++) y = f[k](&c, &want, a[4]);
        weft_plan *p = weft_compile(ctx, rt, weft_jit(ctx, f[k])(&c, &s, a[4]));
        cr_assert_not_null(p, "%s", weft_error(ctx));
        cr_expect_eq(weft_plan_count(p, false), 5);
        cr_expect_eq(weft_plan_count(p, true), 3);
        const void *in[5];
        void *out[3], *scratch = weft_plan_scratch(p) ? aligned_alloc(64, weft_plan_scratch(p)) : NULL;
        bind_struct(p, in, out, at);
        cr_expect(in[2] == at[2] && out[1] == at[2] && out[0] == at[5], "the place of an in-out is both");
        for (int round = 0; round < 3; round++) cr_expect_eq(weft_run(p, in, out, scratch), WEFT_OK);
        cr_expect(!memcmp(at[5], weft_f32(y), sizeof at[5]), "function %zu", k);
        cr_expect(!memcmp(at[2], weft_f32(want.z1), sizeof at[2]), "function %zu", k);
        cr_expect(!memcmp(at[3], weft_f32(want.z2), sizeof at[3]), "function %zu", k);
        float apart[LONG];
        fill(at[2], LONG, 2);
        cr_expect_eq(weft_bind(p, NULL, out, "s.z1", apart), WEFT_OK);
        weft_run(p, in, out, scratch);
        cr_expect(out[1] == apart && in[2] == at[2] && at[2][1] == (float)((37 + 202) % 19) - 9);
        free(scratch);
        weft_plan_free(p);
    }
}

static weft_array *grows(const filter *c, memory *s, weft_array *x)
{
    s->z1 = weft_concatenate(0, s->z1, x);
    return c->b[0];
}

Test(plan, paths_of_structs)
{
    weft_describe(ctx, filter);
    weft_describe(ctx, memory);
    weft_declare(ctx, grows, tick_fn);
    weft_array *x = weft_from(ctx, ones, 4);
    filter c = { { x, x }, 2 };
    memory s = { x, x };
    weft_plan *p = weft_compile(ctx, rt, weft_jit(ctx, grows)(&c, &s, x));
    cr_assert_not_null(p, "%s", weft_error(ctx));
    const void *in[5];
    void *out[3];
    float place[8];
    cr_expect_eq(weft_bind(p, in, out, "c.b", place), WEFT_ARGUMENT);
    cr_expect(strstr(weft_error(ctx),
                     "the plan has no 'c.b': it has c.b[0] f32[4], c.b[1] f32[4], s.z1 f32[4], "
                     "s.z2 f32[4], x f32[4], return f32[4], s.z1 f32[8], s.z2 f32[4]"),
              "%s", weft_error(ctx));
    weft_clear(ctx);
    cr_expect_eq(weft_bind(p, in, out, "s.z1", place), WEFT_ARGUMENT);
    cr_expect(strstr(weft_error(ctx), "'s.z1' changes its type"));
    weft_clear(ctx);
    cr_expect_eq(weft_bind(p, in, NULL, "s.z1", place), WEFT_OK);
    cr_expect_eq(weft_bind(p, NULL, out, "s.z1", place), WEFT_OK);
    weft_plan_free(p);
    weft_context *last = weft_open(NULL);
    weft_plan_free(p);
    cr_expect_eq(weft_plan_scratch(p), 0);
    cr_expect(weft_error(ctx) && !weft_error(last), "the error of a plan that was freed is its context's");
    weft_clear(ctx);
    weft_close(last);
}

static weft_array *twice_used(weft_array *x) { return weft_mul(weft_add(x, 1), weft_add(x, 1)); }
static weft_array *kept(weft_array *x)
{
    weft_array *y = weft_materialize(weft_add(x, 1));
    return weft_mul(y, y);
}

static bool is_close(weft_array *x, weft_array *y)
{
    return weft_item(weft_max(weft_abs(weft_sub(x, y)))) < 1e-6;
}

/* What is materialized has memory in a plan; values, batches and derivatives are those of what it was. */
Test(plan, materialize)
{
    static weft_array *(*const functions[])(weft_array *) = { twice_used, kept };
    weft_array *x = weft_linspace(ctx, 0, 1, 1000), *want = twice_used(x);
    for (int k = 0; k < 2; k++) {
        weft_unary *f = functions[k];
        weft_declare(ctx, f, weft_unary);
        weft_plan *p = weft_compile(ctx, rt, weft_jit(ctx, f)(x));
        cr_assert_not_null(p, "%s", weft_error(ctx));
        cr_expect_eq(weft_plan_scratch(p) >= 4000, k == 1);
        weft_plan_free(p);
        cr_expect(is_close(f(x), want) && is_close(weft_jit(ctx, f)(x), want));
        cr_expect(is_close(weft_jit(ctx, weft_vmap(ctx, f, "0"))(x), want));
        weft_array *slope = weft_jit(ctx, weft_vmap(ctx, weft_grad(ctx, weft_unary, f, "x"), "0"))(x);
        cr_expect(is_close(slope, weft_mul(weft_add(x, 1), 2)));
    }
}
