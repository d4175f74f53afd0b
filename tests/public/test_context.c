/* Contexts, scopes, memory: what is freed when, what is counted, what one thread sees of another. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/support/heap.h"
#include "weft.h"

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

Test(context, opens_and_closes)
{
    weft_close(NULL);
    for (int i = 0; i < 3; i++) {
        weft_context *ctx = weft_open(NULL);
        cr_assert_not_null(ctx);
        cr_expect_null(weft_error(ctx));
        weft_close(ctx);
    }
    cr_expect_null(weft_open(&(weft_options){ .mode = (weft_mode)7 }));
    cr_expect_not_null(strstr(weft_error(NULL), "mode 7"));
    cr_expect_eq(weft_clear(NULL), WEFT_ARGUMENT);
}

/* Eager mode never opens LLVM, and neither does the check of the target. */
static bool is_mapped(const char *library)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, library) != NULL;
    if (maps) fclose(maps);
    return found;
}

Test(context, targets_of_other_machines_are_refused)
{
    static const char *const bad[] = {
        "z80",
        "AVX2",
        "avx2 ",
#ifdef __x86_64__
        "aarch64",
#else
        "sse2",
#endif
    };
    for (int by_variable = 0; by_variable < 2; by_variable++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            if (by_variable) setenv("WEFT_TARGET", bad[i], 1);
            cr_expect_null(weft_open(&(weft_options){ .target = by_variable ? NULL : bad[i] }), "%s", bad[i]);
            cr_expect_not_null(strstr(weft_error(NULL), bad[i]), "%s", weft_error(NULL));
            cr_expect_not_null(strstr(weft_error(NULL), "allowed are host, "), "%s", weft_error(NULL));
            cr_expect_eq(weft_clear(NULL), WEFT_ARGUMENT);
        }
    }
    unsetenv("WEFT_TARGET");
    static const char *const good[] = {
        "host",
        "",
#ifdef __x86_64__
        "sse2",
#else
        "aarch64",
#endif
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        weft_context *ctx = weft_open(&(weft_options){ .target = good[i] });
        cr_expect_not_null(ctx, "%s", weft_error(NULL));
        weft_close(ctx);
    }
    cr_expect_not(is_mapped("libLLVM"));
}

Test(context, null_means_the_innermost)
{
    weft_context *a = weft_open(NULL), *b = weft_open(NULL);
    weft_array *x = weft_from(NULL, six, 6); /* the last opened: b */
    cr_expect_eq(weft_stats(b).arrays, 1);
    weft_scope *s = weft_scope_open(a);
    weft_from(NULL, six, 6); /* the innermost scope's: a */
    cr_expect_eq(weft_stats(a).arrays, 1);
    cr_expect_null(weft_add(x, weft_from(a, six, 6)));
    cr_expect_not_null(strstr(weft_error(b), "another context"));
    weft_clear(b);
    weft_close(b);
    weft_scope_close(s);
    cr_expect_eq(weft_stats(NULL).arrays, 0, "a is what is left");
    weft_close(a);
    cr_expect_null(weft_from(NULL, six, 6));
    cr_expect_not_null(strstr(weft_error(NULL), "no context"));
}

Test(context, scopes_free)
{
    weft_context *ctx = weft_open(NULL);
    weft_array *outer = weft_from(ctx, six, 6);
    weft_scope *s = weft_scope_open(ctx), *t = weft_scope_open(ctx);
    weft_array *inner = weft_from(ctx, six, 2, 3), *kept = weft_from(ctx, six, 6),
               *lifted = weft_from(ctx, six, 6);
    cr_expect_eq(weft_keep(kept), kept);
    cr_expect_eq(weft_lift(lifted), lifted);
    weft_scope_close(t);
    cr_expect_null(weft_add(inner, 1), "it is gone");
    cr_expect_not_null(strstr(weft_error(ctx), "was freed"));
    weft_clear(ctx);
    cr_expect_eq(weft_f32(lifted)[5], 6);
    weft_scope_open(ctx); /* left open; closing the outer scope closes it */
    weft_from(ctx, six, 6);
    weft_scope_close(s);
    cr_expect_eq(weft_stats(ctx).arrays, 2);
    cr_expect_eq(weft_f32(kept)[5] + weft_f32(outer)[0], 7);
    weft_free(outer);
    weft_free(NULL);
    cr_expect_eq(weft_stats(ctx).arrays, 1);
    weft_close(ctx);
}

Test(context, loops_do_not_grow)
{
    Counter c = { 0 };
    weft_context *ctx = weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c });
    float *big = calloc(100000, sizeof *big);
    weft_array *x = weft_keep(weft_from(ctx, big, 100000));
    size_t after_first = 0;
    for (int i = 0; i < 20000; i++) {
        weft_scope *s = weft_scope_open(ctx);
        weft_array *y = weft_add(weft_mul(weft_from(ctx, six, 6), 2), 1);
        if (i < 50) y = weft_add(x, 1);
        cr_assert_not_null(y);
        weft_scope_close(s);
        if (i == 60) after_first = c.live;
    }
    cr_expect_eq(c.live, after_first, "%zu bytes, then %zu", after_first, c.live);
    cr_expect_gt(weft_stats(ctx).bytes_recycled, 100000 * sizeof(float));
    weft_close(ctx);
    cr_expect_eq(c.live, 0);
    free(big);
}

Test(context, memory_limit)
{
    weft_context *ctx = weft_open(&(weft_options){ .memory_limit = 1 << 20 });
    float *big = calloc(1 << 19, sizeof *big);
    cr_expect_null(weft_from(ctx, big, 1 << 19));
    cr_expect_not_null(strstr(weft_error(ctx), "limit 1048576"));
    cr_expect_eq(weft_clear(ctx), WEFT_MEMORY);
    for (int i = 0; i < 100; i++) { /* what is recycled in one size serves another */
        weft_array *a = weft_from(ctx, big, 100000 + 1000 * i);
        cr_assert_not_null(a, "%d: %s", i, weft_error(ctx));
        weft_free(a);
    }
    cr_expect_leq(weft_stats(ctx).peak_bytes, 1 << 20);
    weft_close(ctx);
    free(big);
}

static void *count_large(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)old_bytes;
    *(int *)user += !p && new_bytes > 1 << 18;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

/* Blocks of a size that is not used any more do not keep out those of one that is. */
Test(context, recycling_forgets_what_is_old)
{
    int large = 0;
    weft_context *ctx =
        weft_open(&(weft_options){ .resize = count_large, .resize_user = &large, .recycle_bytes = 1 << 20 });
    float *big = calloc(1 << 17, sizeof *big);
    weft_scope *s = weft_scope_open(ctx);
    for (int i = 0; i < 16; i++) weft_from(ctx, big, 1 << 14);
    weft_scope_close(s);
    for (int i = 0; i < 5; i++) weft_free(weft_from(ctx, big, 1 << 17));
    cr_expect_eq(large, 1, "%d blocks, for one", large);
    cr_expect_leq(weft_stats(ctx).bytes_recycled, 1 << 20);
    weft_close(ctx);
    free(big);
}

Test(context, recycling_is_bounded)
{
    weft_context *ctx = weft_open(&(weft_options){ .recycle_bytes = 1 << 20 });
    float *big = calloc(1 << 17, sizeof *big);
    weft_scope *s = weft_scope_open(ctx);
    for (int i = 0; i < 16; i++) weft_from(ctx, big, 1 << 17);
    weft_scope_close(s);
    cr_expect_leq(weft_stats(ctx).bytes_recycled, 1 << 20);
    weft_close(ctx);
    free(big);
}

static void note(void *user, weft_status code, const char *text)
{
    snprintf(user, 64, "%d %.40s", (int)code, text);
}

Test(context, errors_are_reported_once)
{
    char seen[64] = "";
    weft_context *ctx = weft_open(&(weft_options){ .on_error = note, .user = seen });
    cr_expect_null(weft_from_(ctx, WEFT_F32, NULL, 1, (int64_t[]){ 3 }, "demo.c:1"));
    cr_expect_str_eq(seen, "1 demo.c:1: weft_from: the data is NULL");
    cr_expect_null(weft_from_(ctx, WEFT_F32, six, 40, (int64_t[]){ 3 }, "demo.c:2"));
    cr_expect_not_null(strstr(weft_error(ctx), "demo.c:1"), "the first stays");
    cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
    cr_expect_eq(weft_clear(ctx), WEFT_OK);
    weft_close(ctx);
}

static void *close_it(void *scope)
{
    weft_scope_close(scope);
    return (void *)(uintptr_t)(weft_error(NULL) == NULL);
}

Test(context, scopes_are_closed_by_their_thread)
{
    weft_context *ctx = weft_open(NULL);
    weft_scope *s = weft_scope_open(ctx);
    weft_array *a = weft_from(ctx, six, 6);
    pthread_t other;
    pthread_create(&other, NULL, close_it, s);
    pthread_join(other, NULL);
    cr_expect_eq(weft_count(a), 6, "it is open still");
    cr_expect_null(weft_error(ctx), "the other thread's error");
    weft_scope_close(s);
    weft_close(ctx);
}

Test(context, there_are_not_endlessly_many)
{
    enum { MANY = 2000 };
    static weft_context *ctx[MANY];
    int n = 0;
    while (n < MANY && (ctx[n] = weft_open(NULL))) n++;
    cr_expect(n > 100 && n < MANY);
    cr_expect_not_null(strstr(weft_error(NULL), "too many contexts"));
    cr_expect_eq(weft_clear(NULL), WEFT_MEMORY);
    while (n-- > 0) weft_close(ctx[n]);
    ctx[0] = weft_open(NULL);
    cr_expect_not_null(ctx[0]);
    weft_close(ctx[0]);
}

static long resident_pages(void)
{
    long all, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return resident;
}

static weft_array *plus(weft_array *x) { return weft_add(x, 1); }

#ifdef WEFT_SANITIZED
enum { MORE_PAGES = 128 << 10 }; /* it keeps freed memory for a time */
#else
enum { MORE_PAGES = 64 };
#endif

Test(context, ten_thousand_do_not_grow)
{
    long after_hundred = 0;
    for (int i = 0; i < 10000; i++) {
        weft_context *ctx = weft_open(NULL);
        weft_declare(ctx, plus, weft_unary);
        cr_assert_not_null(weft_vmap(ctx, plus, "0")(weft_from(ctx, six, 6)));
        weft_scope_open(ctx);
        weft_close(ctx);
        if (i == 100) after_hundred = resident_pages();
    }
    cr_expect_leq(resident_pages(), after_hundred + MORE_PAGES, "%ld pages, then %ld", after_hundred,
                  resident_pages());
}

#define REFUSED(text, ...) \
    do { \
        (void)(__VA_ARGS__); \
        cr_expect(weft_error(NULL) && strstr(weft_error(NULL), text), "%s: %s", #__VA_ARGS__, \
                  weft_error(NULL)); \
        weft_clear(NULL); \
    } while (0)

/* Handles of a closed context are recognized as such, whether another context is open or not. */
Test(context, what_is_closed_says_so)
{
    for (int with_another = 0; with_another < 2; with_another++) {
        weft_context *another = with_another ? weft_open(NULL) : NULL, *ctx = weft_open(NULL);
        weft_declare(ctx, plus, weft_unary);
        weft_array *x = weft_from(ctx, six, 6);
        weft_unary *f = weft_vmap(ctx, plus, "0");
        weft_scope *s = weft_scope_open(ctx), *twice = weft_scope_open(ctx);
        weft_scope_close(twice);
        REFUSED("was closed already", (weft_scope_close(twice), 0));
        weft_close(ctx);
        REFUSED("the context is closed", weft_zeros(ctx, WEFT_F32, 2));
        REFUSED("the context is closed", weft_scope_open(ctx));
        REFUSED("the context is closed", weft_jit(ctx, plus));
        REFUSED("the context is closed", weft_stats(ctx).arrays);
        REFUSED("the context is closed already", (weft_close(ctx), 0));
        REFUSED("was freed", weft_add(x, 1));
        REFUSED("was freed", weft_f32(x));
        REFUSED("was freed", weft_keep(x));
        REFUSED("was freed", weft_rank(x));
        REFUSED("its context is closed", f(x));
        REFUSED("was closed already", (weft_scope_close(s), 0));
        weft_free(x);
        cr_expect_not_null(strstr(weft_error(ctx), "closed"));
        cr_expect_eq(weft_clear(ctx), WEFT_ARGUMENT);
        cr_expect_null(weft_error(NULL));
        weft_close(another);
    }
}

static void *close_context(void *ctx)
{
    weft_close(ctx);
    return NULL;
}

/* Another thread closes the context that this one opened, with a scope open. */
Test(context, may_be_closed_by_another_thread)
{
    weft_context *mine = weft_open(NULL);
    for (int i = 0; i < 100; i++) {
        weft_context *ctx = weft_open(NULL);
        weft_scope *outer = weft_scope_open(mine), *s = weft_scope_open(ctx);
        weft_array *x = weft_from(NULL, six, 6);
        pthread_t other;
        pthread_create(&other, NULL, close_context, ctx);
        pthread_join(other, NULL);
        weft_array *y = weft_from(NULL, six, 6); /* of `mine`, whose scope is now the innermost */
        cr_expect_eq(weft_stats(mine).arrays, 1);
        cr_expect_eq(weft_item(weft_sum(y)), 21);
        REFUSED("was freed", weft_neg(x));
        REFUSED("was closed already", (weft_scope_close(s), 0));
        weft_scope_close(outer);
    }
    weft_close(mine);
    REFUSED("no context", weft_from(NULL, six, 6));
}

typedef struct Ending {
    weft_context *ctx;
    sem_t done;
    bool scope_open;
    _Atomic bool let_go;
} Ending;

static void *posts_and_ends(void *p)
{
    Ending *e = p;
    weft_scope *s = weft_scope_open(e->ctx);
    for (int i = 0; i < 2000; i++) weft_ones(e->ctx, WEFT_F32, i % 2 ? 4 : 100);
    if (!e->scope_open) weft_scope_close(s);
    sem_post(&e->done);
    return NULL;
}

/* A thread has said that it is done, and is ending, when another closes the context: what is the thread's is
 * freed by one of the two. */
Test(context, is_closed_while_a_thread_ends)
{
    Ending e = { .ctx = NULL };
    sem_init(&e.done, 0, 0);
    for (int i = 0; i < 400; i++) {
        pthread_t thread;
        e.ctx = weft_open(NULL);
        e.scope_open = i % 2;
        cr_assert_eq(pthread_create(&thread, NULL, posts_and_ends, &e), 0);
        sem_wait(&e.done);
        usleep((useconds_t)(i % 7 * 20));
        weft_close(e.ctx);
        pthread_join(thread, NULL);
    }
    sem_destroy(&e.done);
}

static void lets_go_slowly(void *user, void *data)
{
    Ending *e = user;
    (void)data;
    sem_post(&e->done);
    usleep(20000);
    e->let_go = true;
}

static void *ends_slowly(void *p)
{
    static float data[4];
    Ending *e = p;
    weft_scope_open(e->ctx);
    weft_borrow(e->ctx, WEFT_F32, data, 1, ((int64_t[]){ 4 }), lets_go_slowly, e);
    return NULL;
}

Test(context, waits_for_a_thread_that_ends)
{
    Ending e = { .ctx = weft_open(NULL) };
    pthread_t thread;
    sem_init(&e.done, 0, 0);
    cr_assert_eq(pthread_create(&thread, NULL, ends_slowly, &e), 0);
    sem_wait(&e.done);
    weft_close(e.ctx);
    cr_expect(e.let_go);
    pthread_join(thread, NULL);
    sem_destroy(&e.done);
}

static pthread_key_t closing_key;

static void *closes_as_it_ends(void *ctx)
{
    weft_scope_open(ctx);
    weft_from(ctx, six, 6);
    pthread_setspecific(closing_key, ctx);
    return NULL;
}

static void close_by_key(void *ctx) { weft_close(ctx); }

/* The key that closes it is made before the context's, or after: its destructor runs first, or last. */
Test(context, is_closed_as_a_thread_ends)
{
    for (int late = 0; late < 2; late++) {
        Counter c = { 0 };
        weft_context *ctx = NULL;
        pthread_t thread;
        weft_options o = { .resize = counter_resize, .resize_user = &c };
        if (late) ctx = weft_open(&o);
        cr_assert_eq(pthread_key_create(&closing_key, close_by_key), 0);
        if (!late) ctx = weft_open(&o);
        cr_assert_eq(pthread_create(&thread, NULL, closes_as_it_ends, ctx), 0);
        pthread_join(thread, NULL);
        cr_expect_eq(c.live, 0);
        REFUSED("is closed", weft_ones(ctx, WEFT_F32, 2));
        pthread_key_delete(closing_key);
    }
}

static weft_context *running;

static weft_array *closes(weft_array *x)
{
    weft_close(running);
    return weft_add(x, 1);
}

Test(context, is_not_closed_by_what_runs_in_it)
{
    weft_context *ctx = running = weft_open(NULL);
    weft_declare(ctx, closes, weft_unary);
    cr_expect_null(weft_vmap(ctx, closes, "0")(weft_from(ctx, six, 6)));
    cr_expect_not_null(strstr(weft_error(ctx), "a function of the context is running"));
    weft_clear(ctx);
    weft_close(ctx);
}

/* What a callback may try, once. */
typedef enum { CLOSE, CLOSE_SCOPE, OPEN_SCOPES, FREE_OTHERS, COMPUTE, DEEDS } Deed;
typedef struct Caller {
    weft_context *ctx;
    weft_scope *inner, *outer;
    weft_array *x, *y;
    Deed deed;
    int calls;
} Caller;

static void do_deed(Caller *c)
{
    if (c->calls++) return;
    if (c->deed == CLOSE) weft_close(c->ctx);
    if (c->deed == CLOSE_SCOPE) weft_scope_close(c->inner), weft_scope_close(c->outer);
    if (c->deed == OPEN_SCOPES)
        for (int i = 0; i < 3; i++) weft_scope_open(c->ctx), weft_from(c->ctx, six, 6);
    if (c->deed == FREE_OTHERS) weft_free(c->x), weft_free(c->y);
    if (c->deed == COMPUTE)
        for (int i = 0; i < 100; i++) weft_add(weft_from(c->ctx, six, 3, 2), c->y);
}

static void on_error(void *user, weft_status code, const char *text)
{
    (void)code, (void)text, do_deed(user);
}
static void on_release(void *user, void *data) { (void)data, do_deed(user); }

/* What makes the callback run: an op's error, weft_free, weft_scope_close, weft_close, or the cache that
 * drops what code read. */
enum { BY_ERROR, BY_FREE, BY_SCOPE, BY_CLOSE, BY_FORGET, WAYS };

static weft_array *captured;
static weft_array *captures(weft_array *x) { return weft_add(x, captured); }

static void provoke(Caller *c, int way)
{
    if (way == BY_ERROR) cr_expect_null(weft_matmul(c->y, c->x));
    if (way == BY_FREE) weft_free(c->x);
    if (way == BY_SCOPE) weft_scope_close(c->inner);
    if (way != BY_FORGET) return;
    captured = c->x;
    weft_declare(c->ctx, captures, weft_unary);
    weft_jit(c->ctx, captures)(c->y);
    weft_free(c->x);
    weft_forget(c->ctx, captures);
}

static void check_refusal(const Caller *c)
{
    static const char *const says[DEEDS] = { [CLOSE] =
                                                 "a function of the context is running: an array's release",
                                             [CLOSE_SCOPE] =
                                                 "the scope was opened outside the running call" };
    const char *why = weft_error(c->ctx);
    if (says[c->deed]) cr_expect(why && strstr(why, says[c->deed]), "%s", why);
    else cr_expect_null(why, "%s", why);
}

/* The context is as good as before. */
static void check_whole(Caller *c, int way)
{
    cr_expect_eq(c->calls, 1, "%d by %d: %d", c->deed, way, c->calls);
    weft_clear(c->ctx);
    if (way != BY_SCOPE) weft_scope_close(c->inner);
    cr_expect_eq(weft_item(weft_sum(weft_from(c->ctx, six, 6))), 21);
    weft_scope_close(c->outer);
    cr_expect_eq(weft_stats(c->ctx).arrays, 0, "%d by %d: %zu", c->deed, way, weft_stats(c->ctx).arrays);
    cr_expect_null(weft_error(c->ctx), "%d by %d: %s", c->deed, way, weft_error(c->ctx));
}

static void try_callback(Deed deed, int way)
{
    float data[6] = { 1, 2, 3, 4, 5, 6 };
    Counter count = { 0 };
    Caller c = { .deed = deed };
    weft_options o = { .resize = counter_resize, .resize_user = &count, .user = &c };
    if (way == BY_ERROR) o.on_error = on_error;
    c.ctx = weft_open(&o);
    c.outer = weft_scope_open(c.ctx);
    c.y = weft_from(c.ctx, six, 3, 2);
    c.inner = weft_scope_open(c.ctx);
    c.x =
        weft_borrow(c.ctx, WEFT_F32, data, 2, ((int64_t[]){ 3, 2 }), way == BY_ERROR ? NULL : on_release, &c);
    provoke(&c, way);
    if (way != BY_CLOSE && way != BY_ERROR) check_refusal(&c);
    if (way != BY_CLOSE) check_whole(&c, way);
    weft_close(c.ctx);
    cr_expect_eq(c.calls, 1);
    cr_expect_eq(count.live, 0, "%d by %d", deed, way);
    weft_clear(NULL);
}

/* A callback runs in the context: it closes neither that nor a scope around it, and all is well
 * afterwards. */
Test(context, is_not_closed_by_callbacks)
{
    for (int deed = 0; deed < DEEDS; deed++)
        for (int way = 0; way < WAYS; way++) try_callback((Deed)deed, way);
}

/* An error belongs to the context of whatever operand is there, not to the one opened last. */
Test(context, errors_go_to_the_operands)
{
    weft_context *ctx = weft_open(NULL), *last = weft_open(NULL);
    weft_array *x = weft_from(ctx, six, 6), *none = NULL, *freed = weft_from(ctx, six, 6);
    weft_free(freed);
#define GOES_TO_CTX(...) \
    do { \
        (void)(__VA_ARGS__); \
        cr_expect_not_null(weft_error(ctx), "%s", #__VA_ARGS__); \
        cr_expect_null(weft_error(last), "%s", #__VA_ARGS__); \
        weft_clear(ctx), weft_clear(last); \
    } while (0)
    GOES_TO_CTX(weft_add(none, x));
    GOES_TO_CTX(weft_add(x, none));
    GOES_TO_CTX(weft_matmul(none, x));
    GOES_TO_CTX(weft_where(none, none, x));
    GOES_TO_CTX(weft_concatenate(0, none, x));
    GOES_TO_CTX(weft_take(none, x, 0));
    GOES_TO_CTX(weft_scatter(none, x, 0, 1));
    GOES_TO_CTX(weft_sort_by(none, x, 0));
    GOES_TO_CTX(weft_einsum("i,i->i", none, x));
    GOES_TO_CTX(weft_sum(none, .where = x));
    GOES_TO_CTX(weft_add(freed, x));
    GOES_TO_CTX(weft_bincount(none, 3, .weights = x));
    weft_context *closed = weft_open(NULL);
    weft_array *orphan = weft_from(closed, six, 6);
    weft_scope *orphan_scope = weft_scope_open(closed), *scope = weft_scope_open(ctx);
    weft_close(closed);
    weft_scope_close(scope);
    GOES_TO_CTX(weft_add(orphan, x));
    GOES_TO_CTX(weft_add(weft_neg(orphan), x));
    weft_clear(NULL);
    GOES_TO_CTX((weft_scope_close(scope), 0));
    weft_declare(ctx, plus, weft_unary);
    weft_unary *forgotten = weft_vmap(ctx, plus, "0");
    weft_forget(ctx, plus);
    GOES_TO_CTX(forgotten(x));
    for (int i = 0; i < 3;
         i++) { /* its memory may belong to others by then, and they are not blamed either */
#define GOES_NOWHERE(...) \
    do { \
        (void)(__VA_ARGS__); \
        cr_expect(!weft_error(ctx) && !weft_error(last) && weft_error(NULL), "%s", #__VA_ARGS__); \
        weft_clear(NULL); \
    } while (0)
        GOES_NOWHERE((weft_scope_close(orphan_scope), 0));
        if (i == 0) GOES_NOWHERE(weft_zeros(closed, WEFT_F32, 2));
        if (i == 0) GOES_NOWHERE((weft_close(closed), 0));
        if (i == 0) GOES_NOWHERE(weft_sum(weft_neg(orphan)));
        for (int k = 0; k < 40; k++) weft_close(weft_open(NULL));
    }
    weft_close(last);
    weft_close(ctx);
}

static weft_scope *dead_scope;
static weft_array *closes_again(weft_array *x)
{
    weft_scope_close(dead_scope);
    return weft_add(x, 1);
}

/* Or to the running call, which must not go on as if nothing had been. */
Test(context, errors_go_to_the_running_call)
{
    weft_context *ctx = weft_open(NULL), *closed = weft_open(NULL);
    dead_scope = weft_scope_open(closed);
    weft_close(closed);
    weft_declare(ctx, closes_again, weft_unary);
    cr_expect_null(weft_vmap(ctx, closes_again, "0")(weft_from(ctx, six, 6)));
    cr_expect(weft_error(ctx) && strstr(weft_error(ctx), "was closed already"), "%s", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
}

typedef struct Worker {
    weft_context *ctx;
    weft_array *shared;
    int failures;
} Worker;

static void *work(void *p)
{
    Worker *w = p;
    w->failures += weft_error(w->ctx) != NULL;
    for (int i = 0; i < 200; i++) {
        weft_scope *s = weft_scope_open(w->ctx);
        weft_array *y = weft_sum(weft_add(w->shared, i));
        w->failures += weft_item(y) != 21 + 6 * i;
        weft_scope_close(s);
    }
    weft_from(w->ctx, six, 6); /* the context's: outlives the thread */
    weft_scope_open(w->ctx);   /* left open: closes with the thread */
    weft_from(w->ctx, six, 6);
    weft_add(w->shared, (weft_array *)NULL); /* this thread's error */
    w->failures += weft_error(w->ctx) == NULL;
    return NULL;
}

Test(context, threads_share_it)
{
    Counter c = { 0 };
    weft_context *ctx = weft_open(NULL);
    pthread_t thread[4];
    Worker worker[4];
    weft_array *shared = weft_from(ctx, six, 6);
    for (int i = 0; i < 4; i++) {
        worker[i] = (Worker){ ctx, shared, 0 };
        pthread_create(&thread[i], NULL, work, &worker[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        cr_expect_eq(worker[i].failures, 0);
    }
    cr_expect_null(weft_error(ctx));
    cr_expect_eq(weft_stats(ctx).arrays, 1 + 4);
    weft_close(ctx);
    cr_expect_eq(c.live, 0);
}

/* Every allocation of opening, making arrays and running ops refused once. */
Test(context, every_allocation_may_fail)
{
    bool finished = false;
    for (long n = 1; n < 500 && !finished; n++) {
        Counter c = { .fail_at = n };
        weft_context *ctx = weft_open(&(weft_options){ .resize = counter_resize, .resize_user = &c });
        if (ctx) {
            float many[100] = { 0 };
            weft_scope *s = weft_scope_open(ctx);
            weft_array *a = weft_from(ctx, many, 100), *b = weft_from(ctx, many, 1, 1, 1, 1, 100);
            weft_array *r = weft_sum(weft_add(a, b));
            cr_expect(r || weft_clear(ctx) == WEFT_MEMORY, "allocation %ld", n);
            weft_scope_close(s);
            weft_clear(ctx);
            finished = c.calls < n;
            c.fail_at = 0;
            cr_expect_eq(weft_item(weft_sum(weft_from(ctx, six, 6))), 21, "allocation %ld: %s", n,
                         weft_error(ctx));
        } else {
            cr_expect_eq(weft_clear(NULL), WEFT_MEMORY);
        }
        weft_close(ctx);
        cr_expect_eq(c.live, 0, "allocation %ld leaks %zu bytes", n, c.live);
    }
    cr_expect(finished);
}
