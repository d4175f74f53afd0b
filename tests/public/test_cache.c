/* The cache: what is traced and compiled when, limits, threads that ask at once, words about why. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/support/heap.h"
#include "runtime/exec/compile.h"
#include "weft.h"

static void need_backend(void)
{
    Failure f = { .code = WEFT_OK };
    if (!backend_get(&f)) cr_skip_test("no compiler back end");
}

TestSuite(cache, .init = need_backend);

static const float data[64] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static _Atomic int calls;

WEFT_SIGNATURE(image_fn, weft_array *, (weft_array * image));
static weft_array *predict(weft_array *image)
{
    calls++;
    return weft_add(weft_mul(image, 2), 1);
}
static weft_array *same(weft_array *x) { return weft_add(weft_mul(x, 2), 1); }

WEFT_SIGNATURE(scaled_fn, weft_array *, (weft_array * x, int n, double by));
static weft_array *scaled(weft_array *x, int n, double by) { return weft_mul(weft_add(x, n), by); }

Test(cache, one_trace_for_each_combination_of_types)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, predict, image_fn);
    image_fn *fast = weft_jit(ctx, predict);
    for (int i = 0; i < 10; i++) cr_expect_eq(weft_f32(fast(weft_from(ctx, data, 8)))[7], 17);
    weft_counters s = weft_stats(ctx);
    cr_expect_eq(calls, 1);
    cr_expect_eq(s.traces, 1);
    cr_expect_eq(s.compiles, 1);
    cr_expect_eq(s.hits, 9);
    cr_expect_eq(s.programs, 1);
    cr_expect(s.code_bytes > 0 && s.kernels == 1 && s.trace_us > 0 && s.codegen_us > 0);
    fast(weft_from(ctx, data, 4, 2));
    fast(weft_from(ctx, (const double *)(const void *)data, 8));
    fast(weft_from(ctx, data, 8));
    s = weft_stats(ctx);
    cr_expect_eq(s.traces, 3);
    cr_expect_eq(s.hits, 10);
    weft_close(ctx);
}

Test(cache, equal_graphs_share_code)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, predict, image_fn);
    weft_declare(ctx, same, weft_unary);
    weft_array *x = weft_from(ctx, data, 8);
    weft_jit(ctx, predict)(x);
    cr_expect_eq(weft_f32(weft_jit(ctx, same)(x))[1], 5);
    weft_counters s = weft_stats(ctx);
    cr_expect_eq(s.traces, 2);
    cr_expect_eq(s.compiles, 1);
    cr_expect_eq(s.shared, 1);
    cr_expect_not_null(strstr(weft_explain(ctx), "the code of an equal graph serves"));
    weft_forget(ctx, predict);
    cr_expect_eq(weft_f32(weft_jit(ctx, same)(x))[1], 5, "the other still has it");
    weft_close(ctx);
}

Test(cache, numbers_are_part_of_the_key)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, scaled, scaled_fn);
    scaled_fn *fast = weft_jit(ctx, scaled);
    weft_array *x = weft_from(ctx, data, 2);
    cr_expect_eq(weft_f32(fast(x, 1, 0.5))[1], 1.5);
    cr_expect_eq(weft_f32(fast(x, 2, 0.5))[1], 2);
    cr_expect_eq(weft_f32(fast(x, 1, 0.5))[1], 1.5);
    cr_expect_eq(weft_stats(ctx).compiles, 2);
    cr_expect_eq(weft_stats(ctx).hits, 1);
    cr_expect_not_null(strstr(weft_explain(ctx), "scaled: compiled again: number n 1 -> 2"), "%s",
                       weft_explain(ctx));
    weft_close(ctx);
}

Test(cache, explains)
{
    weft_context *ctx = weft_open(&(weft_options){ .cache_entries = 2 });
    weft_declare(ctx, predict, image_fn);
    image_fn *fast = weft_jit(ctx, predict);
    for (int n = 40; n < 44; n++) fast(weft_from(ctx, data, n));
    fast(weft_from(ctx, data, 43));
    fast(weft_from(ctx, data, 2, 4));
    const char *text = weft_explain(ctx);
    cr_expect_not_null(strstr(text, "predict: compiled for image f32[40] (trace"), "%s", text);
    cr_expect_not_null(strstr(text, "predict: compiled again: argument image f32[40] -> f32[41] (trace"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "f32[43] -> f32[2,4]"), "%s", text);
    weft_vmap(ctx, predict, "0")(weft_from(ctx, data, 2, 4));
    cr_expect_not_null(strstr(weft_explain(ctx), "vmap(predict): traced for image f32[2,4]"));
    weft_close(ctx);
}

Test(cache, the_least_recently_used_goes)
{
    weft_context *ctx = weft_open(&(weft_options){ .cache_entries = 3 });
    weft_declare(ctx, predict, image_fn);
    image_fn *fast = weft_jit(ctx, predict);
    for (int n = 1; n <= 3; n++) fast(weft_from(ctx, data, n));
    fast(weft_from(ctx, data, 1));
    fast(weft_from(ctx, data, 4)); /* 2 goes */
    weft_counters s = weft_stats(ctx);
    cr_expect_eq(s.evictions, 1);
    cr_expect_eq(s.programs, 3);
    fast(weft_from(ctx, data, 1));
    cr_expect_eq(weft_stats(ctx).compiles, s.compiles);
    fast(weft_from(ctx, data, 2));
    cr_expect_eq(weft_stats(ctx).compiles, s.compiles + 1);
    weft_close(ctx);
    ctx = weft_open(&(weft_options){ .cache_bytes = 1 });
    weft_declare(ctx, predict, image_fn);
    weft_declare(ctx, same, weft_unary);
    weft_array *x = weft_from(ctx, data, 8);
    cr_expect_not_null(weft_jit(ctx, predict)(x));
    cr_expect_not_null(weft_jit(ctx, same)(weft_from(ctx, data, 4)));
    cr_expect_eq(weft_stats(ctx).programs, 1, "the last alone, whatever the limit");
    cr_expect_not_null(weft_jit(ctx, predict)(x));
    cr_expect_not_null(strstr(weft_explain(ctx), "its code had been dropped"), "%s", weft_explain(ctx));
    weft_close(ctx);
}

Test(cache, compiling_can_be_forbidden)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, predict, image_fn);
    image_fn *fast = weft_jit(ctx, predict);
    weft_array *x = weft_from(ctx, data, 8);
    fast(x);
    weft_forbid_compiling(ctx, true);
    cr_expect_not_null(fast(x));
    cr_expect_null(fast(weft_from(ctx, data, 7)));
    cr_expect_not_null(strstr(weft_error(ctx), "jit(predict): compiling is forbidden"), "%s",
                       weft_error(ctx));
    cr_expect_not_null(strstr(weft_error(ctx), "f32[8] -> f32[7]"), "%s", weft_error(ctx));
    cr_expect_eq(weft_clear(ctx), WEFT_COMPILER);
    weft_forbid_compiling(ctx, false);
    cr_expect_not_null(fast(weft_from(ctx, data, 7)));
    weft_close(ctx);
}

/* With dump_dir each compile leaves its stages there. */
Test(cache, dumps_every_stage)
{
    char dir[] = "/tmp/weft-dump-XXXXXX", path[64], command[64];
    cr_assert_not_null(mkdtemp(dir));
    weft_context *ctx = weft_open(&(weft_options){ .dump_dir = dir });
    weft_declare(ctx, same, weft_unary);
    weft_jit(ctx, same)(weft_from(ctx, data, 8));
    weft_jit(ctx, same)(weft_from(ctx, data, 9));
    weft_close(ctx);
    static const char *const stage[] = { "graph.mlir", "simplified.mlir", "fused.txt", "ll", "s" };
    for (int i = 0; i < 10; i++) {
        snprintf(path, sizeof path, "%s/jit(same).%d.%s", dir, i / 5 + 1, stage[i % 5]);
        cr_expect_eq(access(path, R_OK), 0, "%s", path);
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}

static void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

/* Dumps are new files that only their owner can read. A file or link of the same name is removed, never
 * followed or written through; a folder is left alone. */
Test(cache, dumps_follow_nothing)
{
    char dir[] = "/tmp/weft-dump-XXXXXX", command[64], line[16] = "";
    cr_assert_not_null(mkdtemp(dir));
    cr_assert_eq(chdir(dir), 0);
    put_text("mine", "mine");
    cr_assert_eq(symlink("mine", "jit(same).1.ll"), 0);
    cr_assert_eq(symlink("nowhere", "jit(same).1.s"), 0);
    cr_assert_eq(link("mine", "jit(same).1.fused.txt"), 0);
    cr_assert_eq(mkdir("jit(same).1.graph.mlir", 0700), 0);
    put_text("jit(same).1.simplified.mlir", "old");
    umask(0);
    for (int run = 0; run < 2; run++) {
        weft_context *ctx = weft_open(&(weft_options){ .dump_dir = run ? "." : dir });
        weft_declare(ctx, same, weft_unary);
        cr_expect_not_null(weft_jit(ctx, same)(weft_from(ctx, data, 8)));
        weft_close(ctx);
        static const char *const stage[] = { "simplified.mlir", "fused.txt", "ll", "s" };
        for (int i = 0; i < 4; i++) {
            char path[64];
            struct stat s;
            snprintf(path, sizeof path, "jit(same).1.%s", stage[i]);
            cr_assert_eq(lstat(path, &s), 0, "%s", path);
            cr_expect(s.st_mode == (S_IFREG | 0600) && s.st_nlink == 1 && s.st_size > 10, "%s", path);
            put_text(path, "old");
        }
    }
    cr_assert(mkdir("real", 0700) == 0 && symlink("real", "instead") == 0);
    static const char *const instead[] = { "instead", "instead/", "instead//", "mine", "nowhere" };
    for (int i = 0; i < 5; i++) {
        weft_context *ctx = weft_open(&(weft_options){ .dump_dir = instead[i] });
        weft_declare(ctx, same, weft_unary);
        cr_expect_not_null(weft_jit(ctx, same)(weft_from(ctx, data, 8)));
        weft_close(ctx);
    }
    cr_expect_eq(rmdir("real"), 0, "a link in the folder's place is followed");
    FILE *f = fopen("mine", "r");
    cr_expect_str_eq(fgets(line, sizeof line, f), "mine");
    fclose(f);
    cr_expect_neq(access("nowhere", F_OK), 0);
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}

/* ---- threads ---- */

static weft_array *slow(weft_array *x)
{
    calls++;
    usleep(20000);
    return weft_add(x, 1);
}

static weft_array *one_more(weft_array *x) { return weft_add(x, 1); }

typedef struct Caller {
    weft_context *ctx;
    weft_unary *f;
    int n, failures;
} Caller;

static void *call(void *p)
{
    Caller *c = p;
    for (int i = 0; i < 50; i++) {
        weft_scope *s = weft_scope_open(c->ctx);
        weft_array *y = c->f(weft_from(c->ctx, data, c->n));
        c->failures += !y || weft_f32(y)[c->n - 1] != data[c->n - 1] + 1;
        weft_scope_close(s);
    }
    return NULL;
}

static void run_callers(Caller *c, int n)
{
    pthread_t thread[8];
    for (int i = 0; i < n; i++) pthread_create(&thread[i], NULL, call, &c[i]);
    for (int i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        cr_expect_eq(c[i].failures, 0);
    }
}

Test(cache, threads_that_ask_at_once_compile_once)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, slow, weft_unary);
    Caller c[4];
    for (int i = 0; i < 4; i++) c[i] = (Caller){ ctx, weft_jit(ctx, slow), 5, 0 };
    run_callers(c, 4);
    cr_expect_eq(calls, 1);
    cr_expect_eq(weft_stats(ctx).compiles, 1);
    cr_expect_eq(weft_stats(ctx).hits, 4 * 50 - 1);
    weft_close(ctx);
}

Test(cache, threads_under_a_tight_limit)
{
    weft_context *ctx = weft_open(&(weft_options){ .cache_entries = 1 });
    weft_declare(ctx, one_more, weft_unary);
    Caller c[4];
    for (int i = 0; i < 4; i++)
        c[i] = (Caller){ ctx, i % 2 ? weft_jit(ctx, one_more) : weft_vmap(ctx, one_more, "0"), 4 + i, 0 };
    run_callers(c, 4);
    weft_jit(ctx, one_more)(weft_from(ctx, data, 3)); /* until now each may have been in use */
    cr_expect_gt(weft_stats(ctx).evictions, 0);
    cr_expect_eq(weft_stats(ctx).programs, 1);
    weft_close(ctx);
}

static weft_array *sometimes(weft_array *x)
{
    if (calls++ == 0) {
        usleep(20000);
        return NULL;
    }
    return weft_add(x, 1);
}

static void *call_once(void *p)
{
    Caller *c = p;
    c->failures = c->f(weft_from(c->ctx, data, 3)) == NULL;
    weft_clear(c->ctx);
    return NULL;
}

Test(cache, who_waited_for_a_failure_tries_itself)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, sometimes, weft_unary);
    pthread_t thread[3];
    Caller c[3];
    int failures = 0;
    for (int i = 0; i < 3; i++) {
        c[i] = (Caller){ ctx, weft_jit(ctx, sometimes), 3, 0 };
        pthread_create(&thread[i], NULL, call_once, &c[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        failures += c[i].failures;
    }
    cr_expect_eq(failures, 1);
    cr_expect_eq(calls, 2);
    weft_close(ctx);
}

/* ---- memory ---- */

static weft_array *a_global;
static weft_array *body(weft_array *x) { return weft_sum(weft_mul(weft_add(x, a_global), 2)); }

/* vmap and jit, first call and second; the result, if there is one, must be right. */
static bool exercise(weft_context *ctx, bool compiled)
{
    weft_scope *s = weft_scope_open(ctx);
    bool good = weft_declare(ctx, body, weft_unary) == WEFT_OK;
    a_global = weft_from(ctx, data, 40);
    weft_array *x = weft_from(ctx, data, 1, 40);
    weft_unary *f = good ? weft_vmap(ctx, body, "0") : NULL;
    if (f && compiled) f = weft_jit(ctx, f);
    for (int i = 0; i < 2 && good; i++) {
        weft_array *y = f ? f(x) : NULL;
        good = y != NULL;
        if (y) cr_assert_eq(weft_item(y), 144);
    }
    weft_scope_close(s);
    return good;
}

static void fail_every_allocation(bool compiled)
{
    bool finished = false;
    for (long n = 1; n < 2000 && !finished; n++) {
        Counter c = { 0 };
        weft_context *ctx = weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c });
        c.calls = 0, c.fail_at = n;
        bool good = exercise(ctx, compiled);
        finished = good && c.calls < n;
        cr_expect(good || weft_clear(ctx) == WEFT_MEMORY, "allocation %ld: %s", n, weft_error(ctx));
        weft_clear(ctx);
        c.fail_at = 0;
        cr_expect(exercise(ctx, compiled), "after allocation %ld: %s", n, weft_error(ctx));
        weft_close(ctx);
        cr_assert_eq(c.live, 0, "allocation %ld leaks %zu bytes", n, c.live);
    }
    cr_expect(finished);
}

Test(cache, every_allocation_of_vmap_may_fail) { fail_every_allocation(false); }

Test(cache, every_allocation_of_jit_may_fail, .timeout = 120) { fail_every_allocation(true); }

Test(cache, a_million_calls_do_not_grow)
{
    Counter c = { 0 };
    weft_context *ctx = weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c });
    weft_declare(ctx, same, weft_unary);
    weft_unary *fast = weft_jit(ctx, same);
    weft_array *x = weft_from(ctx, data, 40);
    size_t after_first = 0;
    for (int i = 0; i < 1000000; i++) {
        weft_scope *s = weft_scope_open(ctx);
        fast(x);
        weft_scope_close(s);
        if (i == 10) after_first = c.live;
    }
    cr_expect_eq(c.live, after_first);
    cr_expect_eq(weft_stats(ctx).hits, 999999);
    weft_close(ctx);
    cr_expect_eq(c.live, 0);
}

/* What is kept for shapes and numbers that are gone is bounded: entries and programs are dropped, and the
 * handles of finished traces are used again. */
static void run_numbers(weft_context *ctx, scaled_fn *f, weft_array *x, int from, int to)
{
    for (int n = from; n < to; n++) {
        weft_scope *s = weft_scope_open(ctx);
        cr_assert_not_null(f(x, n, 0.5), "%s", weft_error(ctx));
        weft_scope_close(s);
    }
}

Test(cache, a_thousand_numbers_do_not_grow, .timeout = 120)
{
    weft_context *ctx = weft_open(&(weft_options){ .cache_entries = 3 });
    weft_declare(ctx, scaled, scaled_fn);
    weft_array *x = weft_from(ctx, data, 40);
    scaled_fn *fast = weft_jit(ctx, scaled), *all = weft_vmap(ctx, scaled, "0");
    run_numbers(ctx, fast, x, 0, 1000);
    run_numbers(ctx, all, x, 0, 1000);
    size_t before = weft_stats(ctx).bytes_in_use;
    run_numbers(ctx, fast, x, 1000, 1500);
    run_numbers(ctx, all, x, 1000, 3000);
    cr_expect_leq(weft_stats(ctx).bytes_in_use, before + 20000, "%zu -> %zu", before,
                  weft_stats(ctx).bytes_in_use);
    cr_expect_leq(weft_stats(ctx).evictions, weft_stats(ctx).compiles);
    weft_close(ctx);
}
