/* Programs on several threads: the same bits, whatever their number, and whoever runs the pieces. */
#include "tests/support/context_suite.h"
#include "tests/support/kept.h"
#include "weft/control.h"
#include "weft/grad.h"
#include "weft/random.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(threads, .init = need_backend);

/* ---- programs with large kernels of each kind ---- */

enum { N = 384 };

static weft_array *chain(weft_array *x) { return weft_mul(weft_tanh(x), weft_add(weft_exp(weft_neg(x)), 1)); }
static weft_array *product(weft_array *x) { return weft_relu(weft_matmul(x, weft_transpose(x))); }
static weft_array *rows(weft_array *x) { return weft_softmax(weft_matmul(x, x)); }
static weft_array *columns(weft_array *x) { return weft_sum(weft_mul(x, x), .axes = "0"); }
/* On one thread the sum stands in the kernel of the elements. */
static weft_array *beside(weft_array *x)
{
    return weft_add(weft_tanh(weft_sin(x)), weft_mul(weft_max(x), x));
}
static weft_array *turned(weft_array *x) { return weft_add(weft_transpose(x), x); }
static weft_array *ordered(weft_array *x) { return weft_sort(x, -1); }
static weft_array *running(weft_array *x) { return weft_cumsum(x, -1); }
static weft_array *total(weft_array *x) { return weft_sum(weft_square(weft_tanh(weft_matmul(x, x)))); }
static weft_array *descent(weft_array *x) { return weft_grad(NULL, weft_unary, total, "x")(x); }
static weft_array *smoothed(weft_array *x)
{
    for (int k = 0; k < 4; k++)
        x = weft_mul(weft_add(weft_add(weft_roll(x, 1, 0), weft_roll(x, -1, 0)),
                              weft_add(weft_roll(x, 1, 1), weft_roll(x, -1, 1))),
                     0.25);
    return x;
}
/* Rows that the second sum reads were the first one's, which begins anew in each piece. */
static weft_array *sum_of_5(weft_array *x)
{
    weft_array *sum = weft_at(x, ":-4");
    for (int k = 1; k < 5; k++) sum = weft_add(sum, weft_at(x, "%d:%d", k, (int)weft_dim(x, 0) - 4 + k));
    return weft_tanh(sum);
}
static weft_array *halos(weft_array *x) { return sum_of_5(sum_of_5(x)); }
static weft_array *step(weft_array *x) { return weft_tanh(weft_matmul(x, x)); }
static weft_array *steps(weft_array *x) { return weft_fori(NULL, step, "carry", .count = 5)(x); }
/* Two time levels, whose borders stay. */
static weft_array *inner_mean(weft_array *to, weft_array *x)
{
    weft_array *sides = weft_add(weft_add(weft_at(x, ":-2, 1:-1"), weft_at(x, "2:, 1:-1")),
                                 weft_add(weft_at(x, "1:-1, :-2"), weft_at(x, "1:-1, 2:")));
    return weft_set(to, "1:-1, 1:-1", weft_mul(weft_tanh(sides), 0.25));
}
static weft_array *level_step(weft_array *a, weft_array *b, weft_array **b_next)
{
    *b_next = inner_mean(b, a);
    return inner_mean(a, *b_next);
}
WEFT_SIGNATURE(pair_fn, weft_array *, (weft_array * a, weft_array *b, WEFT_OUT weft_array **b_next));
static weft_array *levels(weft_array *x)
{
    weft_array *b, *a = weft_fori(NULL, level_step, "carry", .count = 3)(x, weft_neg(x), &b);
    return weft_add(a, b);
}
static weft_array *nearest(weft_array *x)
{
    return weft_argmin(
        weft_sum(weft_square(weft_sub(weft_expand_dims(x, 1), weft_expand_dims(x, 0))), .axes = "-1"),
        .axes = "-1");
}

/* Convolutions of 9 images of 64 x 64 x 4: plain, with strides and holes, spread, each feature apart, of
 * ints, and a gradient by images and weights. */
static weft_array *images(weft_array *x) { return weft_reshape(x, 9, 64, 64, 4); }
static weft_array *weights(weft_array *x, int64_t n, int64_t in, int64_t out)
{
    return weft_reshape(weft_at(weft_ravel(x), ":%lld", (long long)(n * n * in * out)), n, n, in, out);
}
static weft_array *filtered(weft_array *x)
{
    return weft_conv(images(x), weights(x, 3, 4, 16), .pad = "same");
}
static weft_array *strided(weft_array *x)
{
    return weft_conv(images(x), weights(x, 5, 4, 8), .stride = "2, 3", .dilation = "2");
}
static weft_array *spread(weft_array *x)
{
    return weft_conv_transpose(images(x), weights(x, 3, 4, 5), .stride = "2", .pad = "same");
}
static weft_array *apart(weft_array *x)
{
    return weft_conv(images(x), weights(x, 3, 1, 8), .pad = "same", .groups = 4);
}
static weft_array *filtered_ints(weft_array *x)
{
    x = weft_astype(weft_mul(x, 20), WEFT_I8);
    return weft_astype(weft_conv(images(x), weights(x, 3, 4, 16)), WEFT_I32);
}
static weft_array *filter_energy(weft_array *x) { return weft_sum(weft_square(weft_tanh(filtered(x)))); }
static weft_array *filter_descent(weft_array *x)
{
    return weft_grad(NULL, weft_unary, filter_energy, "x")(x);
}

/* Sorts, most of one long row: with zeros of both signs and NaNs, of other types, of many equals, of two
 * operands. */
static weft_array *long_row(weft_array *x) { return weft_sort(weft_ravel(weft_round(x)), 0); }
static weft_array *not_numbers(weft_array *x)
{
    return weft_sort(weft_ravel(weft_log(x)), 0, .descending = true);
}
static weft_array *sorted_as(weft_array *x, weft_dtype t)
{
    return weft_astype(weft_sort(weft_astype(weft_mul(weft_ravel(x), 20), t), 0), WEFT_F32);
}
static weft_array *halves(weft_array *x) { return sorted_as(x, WEFT_F16); }
static weft_array *bytes(weft_array *x) { return sorted_as(x, WEFT_U8); }
static weft_array *wide(weft_array *x) { return sorted_as(x, WEFT_I64); }
static weft_array *places(weft_array *x) { return weft_argsort(weft_ravel(weft_round(x)), 0); }
static weft_array *wide_places(weft_array *x)
{
    return weft_argsort(weft_astype(weft_ravel(x), WEFT_F64), 0);
}
static weft_array *by_other(weft_array *x)
{
    return weft_sort_by(weft_ravel(x), weft_ravel(weft_round(weft_transpose(x))), 0);
}
static weft_array *upright(weft_array *x) { return weft_sort(weft_reshape(x, N * N / 3, 3), 0); }
static weft_array *greatest(weft_array *x) { return weft_top_k(x, 5, NULL); }
static weft_array *row_places(weft_array *x) { return weft_argsort(weft_round(x), 0, .descending = true); }

#define SORTS(X) \
    X(long_row) \
    X(not_numbers) \
    X(halves) X(bytes) X(wide) X(places) X(wide_places) X(by_other) X(upright) X(greatest) X(row_places)
#define CONVOLUTIONS(X) \
    X(filtered) X(strided) X(spread) X(apart) X(filtered_ints) X(filter_energy) X(filter_descent)
#define SAMPLES(X) \
    SORTS(X) \
    CONVOLUTIONS(X) \
    X(chain) \
    X(product) \
    X(rows) \
    X(columns) \
    X(beside) \
    X(turned) X(ordered) X(running) X(total) X(descent) X(smoothed) X(halos) X(steps) X(levels) X(nearest)
#define COUNT(f) +1
enum { N_SAMPLES = 0 SAMPLES(COUNT) };

/* ---- the same bits ---- */

static void declare(weft_context *c)
{
    weft_declare(c, step, weft_unary);
    weft_declare(c, level_step, pair_fn);
#define DECLARE(f) weft_declare(c, f, weft_unary);
    SAMPLES(DECLARE)
}

/* Every sample, compiled, in this context. */
static void run_samples(weft_context *c, Kept *out)
{
    int n = 0;
    weft_scope *scope = weft_scope_open(c);
    weft_array *x = weft_random_normal(weft_key(c, 7), WEFT_F32, N, N);
#define RUN(f) out[n++] = keep(c, #f, weft_jit(c, f)(x));
    SAMPLES(RUN)
    weft_scope_close(scope);
}

static void run_with(const weft_options *o, Kept *out)
{
    weft_context *c = weft_open(o);
    cr_assert_not_null(c, "%s", weft_error(NULL));
    declare(c);
    run_samples(c, out);
    weft_close(c);
}

static void expect_same(const char *how, int threads, Kept *got, const Kept *want)
{
    for (int i = 0; i < N_SAMPLES; i++) {
        cr_expect(kept_same(&got[i], &want[i]), "%s, %s %d", want[i].name, how, threads);
        free(got[i].data);
    }
}

Test(threads, any_number_gives_the_same_bits)
{
    static const int threads[] = { 2, 3, 7, 64 };
    for (int mode = WEFT_MODE_DEFAULT; mode <= WEFT_MODE_FAST; mode++) {
        Kept one[N_SAMPLES], more[N_SAMPLES];
        run_with(&(weft_options){ .threads = 1, .mode = (weft_mode)mode }, one);
        for (int k = 0; k < 4; k++) {
            run_with(&(weft_options){ .threads = threads[k], .mode = (weft_mode)mode }, more);
            expect_same("threads", threads[k], more, one);
        }
        kept_free(one, N_SAMPLES);
    }
}

/* ---- a host's pool ---- */

static void in_turn(void *user, int64_t n, void (*task)(void *arg, int64_t i), void *arg)
{
    ++*(int *)user;
    for (int64_t i = n; i-- > 0;) task(arg, i);
}

Test(threads, a_hosts_pool_gives_the_same_bits)
{
    Kept one[N_SAMPLES], more[N_SAMPLES];
    int calls = 0;
    run_with(&(weft_options){ .threads = 1 }, one);
    run_with(&(weft_options){ .threads = 5, .parallel_for = in_turn, .parallel_user = &calls }, more);
    expect_same("pool of", 5, more, one);
    cr_expect(calls > N_SAMPLES / 2, "it was called %d times", calls);
    kept_free(one, N_SAMPLES);
}

/* ---- several callers, forks ---- */

typedef struct Caller {
    weft_context *ctx;
    const Kept *want;
} Caller;

static void *call(void *p)
{
    const Caller *c = p;
    for (int i = 0; i < 3; i++) {
        Kept got[N_SAMPLES];
        run_samples(c->ctx, got);
        expect_same("a caller of", 8, got, c->want);
    }
    return NULL;
}

Test(threads, eight_callers_share_a_context)
{
    Kept one[N_SAMPLES];
    run_with(&(weft_options){ .threads = 1 }, one);
    weft_context *c = weft_open(&(weft_options){ .threads = 3 });
    pthread_t id[8];
    Caller caller = { c, one };
    declare(c);
    for (int i = 0; i < 8; i++) cr_assert_eq(pthread_create(&id[i], NULL, call, &caller), 0);
    for (int i = 0; i < 8; i++) pthread_join(id[i], NULL);
    weft_close(c);
    kept_free(one, N_SAMPLES);
}

static void *call_for_ever(void *p)
{
    weft_context *c = p;
    for (;;) {
        weft_scope *scope = weft_scope_open(c);
        weft_array *x = weft_random_normal(weft_key(c, 7), WEFT_F32, N, N);
        weft_data(weft_jit(c, steps)(weft_jit(c, smoothed)(x)));
        weft_scope_close(scope);
        pthread_testcancel();
    }
    return NULL;
}

/* Whoever is cancelled in the middle of a loop leaves the team to the others. */
Test(threads, cancelled_callers)
{
    Kept one[N_SAMPLES], then[N_SAMPLES];
    run_with(&(weft_options){ .threads = 1 }, one);
    weft_context *c = weft_open(&(weft_options){ .threads = 3 });
    declare(c);
    for (int round = 0; round < 20; round++) {
        pthread_t id[2];
        for (int i = 0; i < 2; i++) cr_assert_eq(pthread_create(&id[i], NULL, call_for_ever, c), 0);
        usleep((useconds_t)(2000 * round));
        for (int i = 0; i < 2; i++) pthread_cancel(id[i]);
        for (int i = 0; i < 2; i++) pthread_join(id[i], NULL);
    }
    run_samples(c, then);
    expect_same("after cancelled callers of", 3, then, one);
    weft_close(c);
    kept_free(one, N_SAMPLES);
}

Test(threads, a_forked_child_computes_on)
{
    Kept one[N_SAMPLES], got[N_SAMPLES];
    weft_context *c = weft_open(&(weft_options){ .threads = 3 });
    declare(c);
    run_samples(c, one);
    pid_t child = fork();
    if (child == 0) {
        run_samples(c, got);
        int same = 1;
        for (int i = 0; i < N_SAMPLES; i++) same &= !memcmp(got[i].data, one[i].data, (size_t)one[i].bytes);
        weft_close(c);
        _exit(same ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    run_samples(c, got);
    expect_same("after a fork", 3, got, one);
    weft_close(c);
    kept_free(one, N_SAMPLES);
}

/* ---- plans, options ---- */

Test(threads, plans_have_as_many_as_they_say)
{
    for (int threads = 0; threads < 4; threads++) {
        weft_context *c = weft_open(&(weft_options){ .threads = 3 });
        declare(c);
        weft_array *x = weft_random_normal(weft_key(c, 7), WEFT_F32, N, N), *y = weft_jit(c, product)(x);
        weft_plan *p = weft_compile(c, (weft_plan_options){ .threads = threads }, weft_jit(c, product)(x));
        cr_assert_not_null(p, "%s", weft_error(c));
        size_t bytes = weft_plan_scratch(p);
        void *scratch = bytes ? aligned_alloc(64, bytes) : NULL;
        float *out = malloc(sizeof *out * N * N);
        cr_expect_eq(weft_run(p, (const void *[]){ weft_data(x) }, (void *[]){ out }, scratch), WEFT_OK);
        cr_expect(!memcmp(out, weft_data(y), sizeof *out * N * N), "%d threads", threads);
        free(out);
        free(scratch);
        weft_close(c);
    }
}

Test(threads, their_number_is_checked)
{
    cr_expect_null(weft_open(&(weft_options){ .threads = -1 }));
    cr_expect_not_null(strstr(weft_error(NULL), "threads -1: allowed are 0 to 256"));
    cr_expect_null(weft_open(&(weft_options){ .threads = 257 }));
    weft_clear(NULL);
    setenv("WEFT_THREADS", "two", 1);
    cr_expect_null(weft_open(NULL));
    cr_expect_not_null(strstr(weft_error(NULL), "WEFT_THREADS is \"two\": allowed are 1 to 256"));
    weft_clear(NULL);
    setenv("WEFT_THREADS", "2", 1);
    weft_context *c = weft_open(NULL);
    cr_expect_not_null(c);
    weft_close(c);
}
