/* weft-threads [ROUNDS]: eight threads use weft at once, in three ways of sharing; each result is checked.
 *
 *   shared    one context: all call, compile, differentiate and map the same functions, and make errors
 *   apart     a context each
 *   changing  one context with room for three programs, so that code is dropped and compiled again all the
 *             time; one thread forgets a function and declares it anew, another adds and removes hooks,
 *             arrays pass from thread to thread
 *
 * Some of their arrays are so large that threads of weft's own compute with them.
 *
 * It is a plain program because ThreadSanitizer follows no threads into a process that was forked.
 * Exit status 1 if a result was wrong. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "weft.h"
#include "weft/control.h"
#include "weft/grad.h"
#include "weft/rules.h"

enum { THREADS = 8, LARGE = 200000 }; /* elements that threads of weft's own share */
typedef enum { SHARED, APART, CHANGING, WAYS } Way;
static const char *const way_name[WAYS] = { "shared", "apart", "changing" };

typedef struct Worker {
    Way way;
    int id, rounds;
    weft_context *ctx;
} Worker;

static pthread_barrier_t together;
static _Atomic int wrong;
static _Atomic(weft_array *) passed; /* an array on its way from one thread to whichever takes it */

static weft_array *wave(weft_array *x) { return weft_add(weft_mul(x, 2), weft_sin(x)); }
static weft_array *cell(weft_array *h, weft_array *x) { return weft_tanh(weft_add(weft_mul(h, 0.9), x)); }
static weft_array *loss(weft_array *x) { return weft_sum(weft_square(weft_tanh(x))); }
static weft_array *brief(weft_array *x) { return weft_sub(x, 1); }
static weft_array *halve(weft_array *gradient) { return weft_mul(gradient, 0.5); }

static void declare(weft_context *ctx)
{
    weft_declare(ctx, wave, weft_unary);
    weft_declare(ctx, cell, weft_binary);
    weft_declare(ctx, loss, weft_unary);
    weft_declare(ctx, brief, weft_unary);
    weft_declare(ctx, halve, weft_unary);
}

static void expect(const Worker *w, const char *what, const weft_array *got, double value)
{
    if (got && fabs(weft_f32(got)[0] - value) < 1e-5) return;
    const char *error = weft_error(w->ctx);
    fprintf(stderr, "%s, thread %d: %s: %s\n", way_name[w->way], w->id, what,
            error ? error : "a wrong value");
    weft_clear(w->ctx);
    atomic_fetch_add(&wrong, 1);
}

/* While another thread adds and removes the hook, a gradient is the function's own or half of it. */
static void expect_gradient(const Worker *w, const weft_array *got, double value)
{
    bool hooked = w->way == CHANGING && got && weft_f32(got)[0] < 0.75 * value;
    expect(w, "the gradient", got, hooked ? value / 2 : value);
}

static void compute(const Worker *w, int n)
{
    weft_context *ctx = w->ctx;
    weft_array *ones = weft_ones(ctx, WEFT_F32, n);
    expect(w, "jit", weft_jit(ctx, wave)(ones), 2 + sin(1));
    expect(w, "vmap", weft_vmap(ctx, wave, "0")(weft_ones(ctx, WEFT_F32, 4, n)), 2 + sin(1));
    weft_binary *scanned = weft_jit(ctx, weft_scan(ctx, cell, "carry, 0"));
    expect(w, "scan", scanned(weft_zeros(ctx, WEFT_F32, n), weft_ones(ctx, WEFT_F32, 2, n)),
           tanh(0.9 * tanh(1) + 1));
    double slope = 2 * tanh(1) * (1 - tanh(1) * tanh(1));
    expect_gradient(w, weft_jit(ctx, weft_grad(ctx, weft_unary, loss, ""))(ones), slope);
}

static void fail_once(const Worker *w)
{
    if (weft_add(weft_ones(w->ctx, WEFT_F32, 3), weft_ones(w->ctx, WEFT_F32, 4)) ||
        weft_clear(w->ctx) != WEFT_SHAPE)
        expect(w, "the error of two shapes", NULL, 0);
}

/* Puts an array of its own on its way, and ends the one that another thread left there. */
static void pass_on(const Worker *w)
{
    weft_array *came = atomic_exchange(&passed, weft_keep(weft_full(w->ctx, WEFT_F32, 3, 2)));
    if (!came) return;
    expect(w, "the array of another thread", came, 3);
    weft_free(came);
}

static void change(const Worker *w, int round)
{
    if (w->id == 0 && round % 4 == 3) {
        weft_forget(w->ctx, brief);
        weft_declare(w->ctx, brief, weft_unary);
    }
    if (w->id == 0)
        expect(w, "a function declared anew", weft_jit(w->ctx, brief)(weft_ones(w->ctx, WEFT_F32, 3)), 0);
    if (w->id == 1) {
        weft_hook_id id = weft_hook_add(w->ctx, loss, "x", halve);
        weft_hook_remove(w->ctx, id);
    }
    pass_on(w);
}

static void *work(void *p)
{
    Worker *w = p;
    if (w->way == APART) declare(w->ctx = weft_open(&(weft_options){ .cache_entries = 3, .threads = 2 }));
    pthread_barrier_wait(&together);
    for (int i = 0; i < w->rounds; i++) {
        weft_scope *s = weft_scope_open(w->ctx);
        compute(w, i % 4 ? 1 + i % 7 : LARGE);
        if (i % 5 == w->id % 5) fail_once(w);
        if (i % 11 == 3) weft_explain(w->ctx);
        if (w->way == CHANGING) change(w, i);
        weft_scope_close(s);
    }
    if (w->way == APART) weft_close(w->ctx);
    return NULL;
}

static void run(Way way, int rounds)
{
    pthread_t thread[THREADS];
    Worker worker[THREADS];
    weft_context *ctx = weft_open(&(weft_options){ .cache_entries = way == CHANGING ? 3 : 0, .threads = 3 });
    declare(ctx);
    for (int i = 0; i < THREADS; i++) {
        worker[i] = (Worker){ way, i, rounds, ctx };
        if (pthread_create(&thread[i], NULL, work, &worker[i])) exit(2);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    weft_counters n = weft_stats(ctx);
    printf("%-9s %d threads, %d rounds: %llu compiles, %llu hits, %llu evictions in the context they share\n",
           way_name[way], THREADS, rounds, (unsigned long long)n.compiles, (unsigned long long)n.hits,
           (unsigned long long)n.evictions);
    atomic_store(&passed, NULL);
    weft_close(ctx);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    pthread_barrier_init(&together, NULL, THREADS);
    for (int way = 0; way < WAYS; way++) run((Way)way, rounds);
    pthread_barrier_destroy(&together);
    return wrong != 0;
}
