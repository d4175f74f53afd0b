/* test_limits.c: at the edges of what a process has: small stacks, a full disk, few descriptors, foreign
 * locales, cancelled threads, the library unloaded; and very long, very wide, very many. A long run tries
 * the large numbers, which take minutes. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include "compiler/text/text.h"
#include "tests/support/heap.h"
#include "tests/support/long_run.h"
#include "weft.h"
#include "weft/linalg.h"

/* An empty folder, gone with its files in the end. */
typedef struct Folder {
    char path[64];
} Folder;

static Folder folder_make(void)
{
    Folder f = { "/tmp/weft_limits_XXXXXX" };
    cr_assert_not_null(mkdtemp(f.path));
    return f;
}

static int folder_files(const Folder *f)
{
    int n = 0;
    DIR *d = opendir(f->path);
    for (const struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void folder_remove(const Folder *f)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->path);
    cr_assert_eq(system(command), 0);
}

/* ---- stacks ---- */

/* Runs work(user) on a thread with so much stack. */
static void on_stack(int kilobytes, void *(*work)(void *), void *user)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    cr_assert_eq(pthread_attr_setstacksize(&attr, (size_t)kilobytes << 10), 0);
    cr_assert_eq(pthread_create(&thread, &attr, work, user), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static weft_array *deep(weft_array *x)
{
    for (int i = 0; i < 20; i++) x = weft_tanh(weft_add(weft_softmax(x), weft_mul(x, 0.5)));
    return x;
}

static weft_array *inc(weft_array *x) { return weft_add(x, 1); }

typedef struct OnThread {
    weft_context *ctx;
    weft_array *x;
    bool right, compiled, eager;
} OnThread;

/* A result, or an error that says why there is none. */
static bool right(weft_context *ctx, const weft_array *result)
{
    bool good = result || (weft_error(ctx) && strstr(weft_error(ctx), "KiB of stack left"));
    weft_clear(ctx);
    return good;
}

static void *first_compile(void *p)
{
    OnThread *o = p;
    weft_scope *s = weft_scope_open(o->ctx);
    weft_array *compiled = weft_jit(o->ctx, deep)(o->x);
    o->right = right(o->ctx, compiled);
    weft_array *eager = weft_tanh(o->x);
    o->right &= right(o->ctx, eager);
    o->compiled = compiled, o->eager = eager;
    weft_scope_close(s);
    return NULL;
}

/* A first call traces on the thread's own stack, or says that it is too small, and compiles on one of
 * weft's. */
Test(limits, first_compiles_on_small_stacks)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    static const int kilobytes[] = { 16, 24, 32, 48, 64, 96, 160, 256, 8192 };
    for (size_t i = 0; i < sizeof kilobytes / sizeof *kilobytes; i++) {
        weft_context *ctx = weft_open(NULL);
        weft_declare(ctx, deep, weft_unary);
        OnThread o = { .ctx = ctx, .x = weft_ones(ctx, WEFT_F32, 30, 7) };
        on_stack(kilobytes[i], first_compile, &o);
        cr_expect(o.right, "%d KiB", kilobytes[i]);
        cr_expect(kilobytes[i] < 64 || o.compiled, "%d KiB", kilobytes[i]);
        cr_expect(kilobytes[i] < 24 || o.eager, "%d KiB", kilobytes[i]);
        weft_close(ctx);
    }
}

static int steps;

static weft_array *spilling(weft_array *x, weft_array *y)
{
    for (int i = 0; i < steps; i++) x = weft_mul(weft_maximum(x, y), y);
    return weft_sum(x);
}

typedef weft_array *two_arrays(weft_array *, weft_array *);

/* Code that takes much of a stack, and its doors. */
typedef struct Spilling {
    weft_context *ctx;
    two_arrays *call;
    weft_plan *plan, *realtime;
    weft_array *x, *y;
    float *result;
    char *scratch;
    bool called, planned, realtime_ran, clear;
} Spilling;

static bool plan_runs(const Spilling *s, const weft_plan *plan)
{
    const void *in[2];
    void *out[1];
    weft_bind(plan, in, out, "x", (void *)weft_f32(s->x));
    weft_bind(plan, in, out, "y", (void *)weft_f32(s->y));
    weft_bind(plan, in, out, "return", s->result);
    return weft_run(plan, in, out, s->scratch) == WEFT_OK;
}

static void *call_door(void *p)
{
    Spilling *s = p;
    weft_array *g = s->call(s->x, s->y);
    s->called = g;
    s->clear = g || weft_error(s->ctx);
    if (g) weft_free(g);
    weft_clear(s->ctx);
    return NULL;
}

static void *plan_door(void *p)
{
    Spilling *s = p;
    s->planned = plan_runs(s, s->plan);
    weft_clear(s->ctx);
    return NULL;
}

static void *realtime_door(void *p)
{
    Spilling *s = p;
    s->realtime_ran = plan_runs(s, s->realtime);
    s->clear &= s->realtime_ran || weft_error(s->ctx);
    weft_clear(s->ctx);
    return NULL;
}

static void *through_doors(void *p)
{
    call_door(p);
    plan_door(p);
    return realtime_door(p);
}

/* A call and a plan have the stack that their code takes, of this thread or of another; a plan for real time
 * says that there is too little. */
Test(limits, code_that_spills_on_small_stacks)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    static const int lengths[] = { 10, 60, 100, 200 };
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        Spilling s = { .ctx = weft_open(NULL), .clear = true };
        steps = lengths[n];
        weft_declare(s.ctx, spilling, weft_binary);
        s.call = weft_jit(s.ctx, weft_grad(s.ctx, weft_binary, spilling, "y"));
        s.x = weft_ones(s.ctx, WEFT_F32, 1024);
        s.y = weft_ones(s.ctx, WEFT_F32, 1024);
        s.plan = weft_compile(s.ctx, (weft_plan_options){ .threads = 0 }, s.call(s.x, s.y));
        s.realtime = weft_compile(s.ctx, (weft_plan_options){ .realtime = true }, s.call(s.x, s.y));
        cr_assert(s.plan && s.realtime, "%s", weft_error(s.ctx));
        s.result = aligned_alloc(64, 4096);
        s.scratch = aligned_alloc(64, weft_plan_scratch(s.plan) + 64);
        for (int kilobytes = 16; kilobytes <= 64; kilobytes++) {
            on_stack(kilobytes, through_doors, &s);
            cr_expect(s.clear && s.planned, "%d steps, %d KiB", steps, kilobytes);
            cr_expect(kilobytes < 24 || s.called, "%d steps, %d KiB", steps, kilobytes);
            cr_expect(kilobytes < 60 || s.realtime_ran, "%d steps, %d KiB", steps, kilobytes);
        }
        free(s.result);
        free(s.scratch);
        weft_close(s.ctx);
    }
}

/* A pool whose threads have small stacks. */
typedef struct SmallTask {
    void (*task)(void *arg, int64_t i);
    void *arg;
    int64_t i;
} SmallTask;

static void *run_small_task(void *p)
{
    SmallTask *t = p;
    t->task(t->arg, t->i);
    return NULL;
}

static void small_pool(void *user, int64_t n, void (*task)(void *arg, int64_t i), void *arg)
{
    *(int *)user += (int)n;
    for (int64_t i = 0; i < n; i++) on_stack(16 + 8 * (int)i, run_small_task, &(SmallTask){ task, arg, i });
}

Test(limits, code_that_spills_in_a_pool_of_small_stacks)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    int tasks = 0;
    weft_context *ctx =
        weft_open(&(weft_options){ .threads = 4, .parallel_for = small_pool, .parallel_user = &tasks });
    steps = 100;
    weft_declare(ctx, spilling, weft_binary);
    two_arrays *g = weft_jit(ctx, weft_grad(ctx, weft_binary, spilling, "y"));
    weft_array *x = weft_ones(ctx, WEFT_F32, 200000), *y = weft_ones(ctx, WEFT_F32, 200000);
    cr_expect(g(x, y), "%s", weft_error(ctx));
    cr_expect_gt(tasks, 0);
    weft_close(ctx);
}

/* One op on this thread. */
typedef struct OneOp {
    weft_context *ctx;
    weft_array *x, *m, *key;
    int which;
    bool right;
} OneOp;
enum { ONE_OPS = 12 };

static weft_array *one_op(const OneOp *o)
{
    switch (o->which) {
    case 0:  return weft_add(o->x, 1);
    case 1:  return weft_exp(o->x);
    case 2:  return weft_pow(o->x, o->x);
    case 3:  return weft_softmax(o->m);
    case 4:  return weft_einsum("ij,jk,kl->il", o->m, o->m, o->m);
    case 5:  return weft_tensordot(o->m, o->m, "0", "1");
    case 6:  return weft_sort(o->x, 0);
    case 7:  return weft_random_gamma(o->key, WEFT_F32, 0.5, 10);
    case 8:  return weft_random_dirichlet(o->key, WEFT_F32, o->x);
    case 9:  return weft_polygamma(2.0, o->x);
    case 10: return weft_reduce_window(o->m, WEFT_MAX, "2,2", .pad = "same");
    default: return weft_set(o->m, "1, 2:4", 3.0);
    }
}

static void *do_one_op(void *p)
{
    OneOp *o = p;
    weft_scope *s = weft_scope_open(o->ctx);
    o->right = right(o->ctx, one_op(o));
    weft_scope_close(s);
    return NULL;
}

static OneOp open_one_op(void)
{
    OneOp o = { .ctx = weft_open(NULL) };
    o.x = weft_linspace(o.ctx, 0.1, 0.9, 5);
    o.key = weft_key(o.ctx, 1);
    o.m = weft_random_uniform(o.key, WEFT_F32, 5, 5);
    return o;
}

/* Each op works, or says how much stack it wants, however much there is. */
Test(limits, ops_on_stacks_of_any_size)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    OneOp o = open_one_op();
    for (int kilobytes = 16; kilobytes <= 192; kilobytes += kilobytes < 40 ? 2 : 8)
        for (o.which = 0; o.which < ONE_OPS; o.which++) {
            on_stack(kilobytes, do_one_op, &o);
            cr_expect(o.right, "op %d on %d KiB", o.which, kilobytes);
        }
    weft_close(o.ctx);
}

static void *(*fiber_work)(void *);
static void *fiber_user;
static ucontext_t fiber, back;

static void fiber_main(void) { fiber_work(fiber_user); }

/* Runs work(user) on a stack that the program made itself. */
static void fiber_run(void *stack, size_t bytes, void *(*work)(void *), void *user)
{
    fiber_work = work;
    fiber_user = user;
    getcontext(&fiber);
    fiber.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = bytes };
    fiber.uc_link = &back;
    makecontext(&fiber, fiber_main, 0);
    swapcontext(&back, &fiber);
}

/* Nobody knows how much is left of a fiber's stack, so ops run on one of weft's. */
Test(limits, ops_on_a_fiber)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    enum { BYTES = 64 << 10 };
    void *stack = malloc(BYTES);
    OneOp o = open_one_op();
    for (o.which = 0; o.which < ONE_OPS; o.which++) {
        o.right = false;
        fiber_run(stack, BYTES, do_one_op, &o);
        cr_expect(o.right, "op %d", o.which);
    }
    weft_close(o.ctx);
    free(stack);
}

static void *load(void *p)
{
    OneOp *o = p;
    weft_scope *s = weft_scope_open(o->ctx);
    o->right = right(o->ctx, weft_load(o->ctx, "/tmp/weft_limits_load.npy"));
    weft_scope_close(s);
    return NULL;
}

/* Runs work(user) on a stack below which lies memory of the host's, as behind a guard page it may: a thread's
 * or a fiber's. How far below the stack was written. */
static size_t bytes_below(int kilobytes, bool is_fiber, void *(*work)(void *), void *user)
{
    enum { BELOW = 256 << 10 };
    size_t stack = (size_t)kilobytes << 10, changed = 0;
    char *memory = mmap(NULL, BELOW + stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    memset(memory, 7, BELOW);
    if (is_fiber) {
        fiber_run(memory + BELOW, stack, work, user);
    } else {
        pthread_attr_t attr;
        pthread_t thread;
        pthread_attr_init(&attr);
        cr_assert_eq(pthread_attr_setstack(&attr, memory + BELOW, stack), 0);
        cr_assert_eq(pthread_create(&thread, &attr, work, user), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&attr);
    }
    while (changed < BELOW && memory[changed] == 7) changed++;
    munmap(memory, BELOW + stack);
    return BELOW - changed;
}

Test(limits, load_stays_on_its_stack)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    OneOp o = open_one_op();
    cr_assert_eq(weft_save(o.m, "/tmp/weft_limits_load.npy"), WEFT_OK);
    cr_expect_eq(bytes_below(32, false, load, &o), 0);
    cr_expect(o.right);
    unlink("/tmp/weft_limits_load.npy");
    weft_close(o.ctx);
}

static weft_array *square(weft_array *x) { return weft_reshape(x, 150, 150); }

static weft_array *eigenvalues(weft_array *x, weft_array *y)
{
    return weft_abs(weft_eigvals(square(weft_add(x, y))));
}

static weft_array *triangle(weft_array *x, weft_array *y)
{
    weft_array *m = square(weft_add(x, y));
    return weft_cholesky(
        weft_add(weft_matmul(m, weft_transpose(m)), weft_mul(150, weft_eye(NULL, WEFT_F32, 150))));
}

static weft_array *sorted(weft_array *x, weft_array *y) { return weft_sort(weft_add(x, y), 0); }

static weft_array *spilling_40(weft_array *x, weft_array *y)
{
    steps = 40;
    return spilling(x, y);
}

/* What the library's functions take of a stack counts, as what the code itself takes. (What a plan for real
 * time has on a fiber nobody knows.) */
Test(limits, code_and_its_library_stay_on_their_stacks)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    static two_arrays *const bodies[] = { eigenvalues, triangle, sorted, spilling_40 };
    for (int b = 0; b < 4; b++) {
        Spilling s = { .ctx = weft_open(NULL), .clear = true };
        weft_declare(s.ctx, bodies[b], weft_binary);
        s.call = bodies[b] == spilling_40 ? weft_jit(s.ctx, weft_grad(s.ctx, weft_binary, spilling_40, "y"))
                                          : weft_jit(s.ctx, bodies[b]);
        s.x = weft_astype(weft_sin(weft_mul(weft_arange(s.ctx, 0, 22500.0, 1), 12.9898)), WEFT_F32);
        s.y = weft_ones(s.ctx, WEFT_F32, 22500);
        s.plan = weft_compile(s.ctx, (weft_plan_options){ .threads = 0 }, s.call(s.x, s.y));
        s.realtime = weft_compile(s.ctx, (weft_plan_options){ .realtime = true }, s.call(s.x, s.y));
        cr_assert(s.plan && s.realtime, "%s", weft_error(s.ctx));
        s.result = aligned_alloc(64, 22528 * sizeof *s.result);
        s.scratch = aligned_alloc(64, weft_plan_scratch(s.plan) + 64);
        call_door(&s); /* all symbols are bound */
        for (int kilobytes = 16; kilobytes <= 64; kilobytes += 8)
            for (int is_fiber = 0; is_fiber < 2; is_fiber++) {
                cr_expect_eq(bytes_below(kilobytes, is_fiber, call_door, &s), 0, "call %d, %d KiB", b,
                             kilobytes);
                cr_expect((kilobytes < 24 && !is_fiber) || s.called, "call %d, %d KiB", b, kilobytes);
                cr_expect_eq(bytes_below(kilobytes, is_fiber, plan_door, &s), 0, "plan %d, %d KiB", b,
                             kilobytes);
                cr_expect(s.planned, "plan %d, %d KiB", b, kilobytes);
                if (is_fiber) continue;
                cr_expect_eq(bytes_below(kilobytes, false, realtime_door, &s), 0, "real time %d, %d KiB", b,
                             kilobytes);
                cr_expect(s.clear, "real time %d, %d KiB", b, kilobytes);
            }
        free(s.result);
        free(s.scratch);
        weft_close(s.ctx);
    }
}

static pthread_t caller;
static bool on_caller;

static void note_thread(const float *x, int64_t n, float *out)
{
    on_caller = pthread_equal(caller, pthread_self());
    memcpy(out, x, (size_t)n * sizeof *x);
}

WEFT_SIGNATURE(note_thread_c, void, (const float *x, int64_t n, float *out));

static void *call_foreign(void *p)
{
    OneOp *o = p;
    weft_scope *s = weft_scope_open(o->ctx);
    caller = pthread_self();
    weft_unary *f = weft_foreign(o->ctx, weft_unary, note_thread, note_thread_c, "x[n] -> out[n]");
    weft_array *y = f(o->x);
    o->right = y && on_caller;
    weft_scope_close(s);
    return NULL;
}

/* A foreign function expects its caller's thread, whose thread-local variables it may read. */
Test(limits, foreign_functions_stay_on_their_thread)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    OneOp o = open_one_op();
    on_stack(64, call_foreign, &o);
    cr_expect(o.right);
    weft_close(o.ctx);
}

static weft_unary *noted;

static weft_array *noted_eigenvalues(weft_array *x, weft_array *y) { return eigenvalues(noted(x), y); }

/* It stays on its thread with all that is called beside it. */
Test(limits, foreign_functions_beside_the_library)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    Spilling s = { .ctx = weft_open(NULL), .clear = true };
    noted = weft_foreign(s.ctx, weft_unary, note_thread, note_thread_c, "x[n] -> out[n]");
    weft_declare(s.ctx, noted_eigenvalues, weft_binary);
    s.call = weft_jit(s.ctx, noted_eigenvalues);
    s.x = weft_astype(weft_sin(weft_mul(weft_arange(s.ctx, 0, 22500.0, 1), 12.9898)), WEFT_F32);
    s.y = weft_ones(s.ctx, WEFT_F32, 22500);
    call_door(&s);
    cr_expect(s.called);
    for (int kilobytes = 16; kilobytes <= 32; kilobytes += 2) {
        cr_expect_eq(bytes_below(kilobytes, false, call_door, &s), 0, "%d KiB", kilobytes);
        cr_expect(s.clear, "%d KiB", kilobytes);
    }
    weft_close(s.ctx);
}

/* ---- long, wide, many ---- */

static int length;

static weft_array *chain(weft_array *x)
{
    weft_array *y = x;
    for (int i = 0; i < length; i++) y = i & 1 ? weft_mul(y, 0.5) : weft_add(y, x);
    return y;
}

static weft_array *chain_loss(weft_array *x) { return weft_sum(chain(x)); }

Test(limits, long_chains)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, chain, weft_unary);
    weft_declare(ctx, chain_loss, weft_unary);
    weft_array *x = weft_ones(ctx, WEFT_F32, 4);
    length = rounds(20000, 1000000);
    weft_scope *s = weft_scope_open(ctx);
    cr_expect_float_eq(weft_f32(chain(x))[3], 1, 1e-5, "one by one");
    weft_scope_close(s);
    weft_array *gradient = weft_grad(ctx, weft_unary, chain_loss, "")(x);
    cr_expect(gradient && weft_f32(gradient)[0] > 0.99f, "gradient: %s", weft_error(ctx));
    length = rounds(2000, 1000000);
    weft_array *compiled = weft_jit(ctx, chain)(x);
    cr_expect(compiled && weft_f32(compiled)[3] > 0.99f, "compiled: %s", weft_error(ctx));
    weft_close(ctx);
}

typedef struct {
    weft_array **v;
    int n;
} many_leaves;
WEFT_STRUCT(many_leaves, WEFT_ARRAYS(many_leaves, v, n));
WEFT_SIGNATURE(leaves_fn, void, (many_leaves * b, weft_array *x));

static void add_to_all(many_leaves *b, weft_array *x)
{
    for (int i = 0; i < b->n; i++) b->v[i] = weft_add(b->v[i], x);
}

Test(limits, trees_of_many_leaves)
{
    weft_context *ctx = weft_open(NULL);
    int n = rounds(2000, 10000);
    weft_array *x = weft_ones(ctx, WEFT_F32, 4);
    many_leaves b = { calloc((size_t)n, sizeof *b.v), n };
    for (int i = 0; i < n; i++) b.v[i] = x;
    weft_describe(ctx, many_leaves);
    weft_declare(ctx, add_to_all, leaves_fn);
    weft_vmap(ctx, add_to_all, "0, 0")(&b, x);
    weft_jit(ctx, add_to_all)(&b, x);
    cr_assert_null(weft_error(ctx), "%s", weft_error(ctx));
    for (int i = 0; i < n; i++) cr_assert_eq(weft_f32(b.v[i])[0], 3);
    free(b.v);
    weft_close(ctx);
}

/* The cache's limits, in number and in bytes, bound what is kept, for compiled code and for functions that
 * run op by op. */
Test(limits, many_shapes)
{
    const weft_options options[] = { { .cache_entries = 50 }, { .cache_bytes = 200000 } };
    for (int k = 0; k < 2; k++) {
        weft_context *ctx = weft_open(&options[k]);
        weft_declare(ctx, inc, weft_unary);
        weft_unary *eager = weft_vmap(ctx, inc, "0"), *fast = weft_jit(ctx, inc);
        size_t early = 0;
        for (int i = 1, n = rounds(2000, 100000); i <= n; i++) {
            weft_scope *s = weft_scope_open(ctx);
            weft_array *x = weft_zeros(ctx, WEFT_F32, 1, 1, 1 + i % 1000, 1 + i / 1000);
            cr_assert_not_null(eager(x), "%s", weft_error(ctx));
            if (i % 20 == 0) cr_assert_not_null(fast(x), "%s", weft_error(ctx));
            weft_scope_close(s);
            if (i == 1000) early = weft_stats(ctx).bytes_in_use;
        }
        size_t late = weft_stats(ctx).bytes_in_use;
        cr_expect(late < early + early / 4, "%d: %zu bytes after 1000 shapes, %zu in the end", k, early,
                  late);
        weft_close(ctx);
    }
}

Test(limits, many_contexts)
{
    static weft_context *open[5000];
    int n = 0;
    while (n < 5000 && (open[n] = weft_open(NULL))) n++;
    cr_expect(n > 900 && n < 5000, "%d", n);
    cr_expect_not_null(strstr(weft_error(NULL), "too many contexts are open"));
    weft_clear(NULL);
    for (int i = 0; i < n; i++) weft_close(open[i]);
    for (int i = 0; i < 10000; i++) {
        weft_context *ctx = weft_open(NULL);
        cr_assert(ctx && weft_item(weft_ones(ctx, WEFT_F32)) == 1);
        weft_close(ctx);
    }
}

/* ---- files ---- */

static void limit(int what, rlim_t n)
{
    struct rlimit l;
    getrlimit(what, &l);
    l.rlim_cur = n;
    cr_assert_eq(setrlimit(what, &l), 0);
}

/* A disk that is full while a file is written: an error, the old file as it was, and nothing beside it. */
Test(limits, full_disk)
{
    Folder f = folder_make();
    char path[PATH_MAX], link_path[PATH_MAX];
    snprintf(path, sizeof path, "%s/a.npy", f.path);
    snprintf(link_path, sizeof link_path, "%s/link.npy", f.path);
    weft_context *ctx = weft_open(&(weft_options){ .dump_dir = f.path });
    weft_array *small = weft_ones(ctx, WEFT_F32, 3), *large = weft_ones(ctx, WEFT_F32, 100000);
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 8192);
    cr_expect_eq(weft_save(large, path), WEFT_IO);
    cr_expect_not_null(strstr(weft_error(ctx), "File too large"));
    cr_expect_eq(folder_files(&f), 0, "a half file is left");
    weft_clear(ctx);
    cr_expect_eq(weft_save(small, path), WEFT_OK, "%s", weft_error(ctx));
    cr_assert_eq(chmod(path, 0640), 0);
    cr_expect_eq(weft_save(large, path), WEFT_IO);
    weft_clear(ctx);
    cr_expect_eq(weft_count(weft_load(ctx, path)), 3, "the old file is there");
    cr_expect_eq(weft_save(large, "/dev/full"), WEFT_IO);
    cr_expect_not_null(strstr(weft_error(ctx), "/dev/full: No space left on device"));
    weft_clear(ctx);
    cr_assert_eq(symlink(path, link_path), 0);
    cr_expect_eq(weft_save(weft_ones(ctx, WEFT_F32, 5), link_path), WEFT_OK, "%s", weft_error(ctx));
    cr_expect_eq(weft_count(weft_load(ctx, path)), 5, "through a link");
    struct stat s;
    cr_expect(!stat(path, &s) && (s.st_mode & 0777) == 0640, "the mode stays");
    cr_expect_eq(folder_files(&f), 2);
    weft_declare(ctx, deep, weft_unary); /* dumps of more than the disk takes */
    limit(RLIMIT_FSIZE, 100);
    cr_expect_not_null(weft_jit(ctx, deep)(weft_ones(ctx, WEFT_F32, 3, 3)), "%s", weft_error(ctx));
    weft_close(ctx);
    folder_remove(&f);
}

Test(limits, twelve_descriptors)
{
    Folder f = folder_make();
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/a.npy", f.path);
    limit(RLIMIT_NOFILE, 12);
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, deep, weft_unary);
    weft_array *x = weft_ones(ctx, WEFT_F32, 3, 3);
    cr_expect_not_null(weft_jit(ctx, deep)(x), "%s", weft_error(ctx));
    cr_expect_eq(weft_save(x, path), WEFT_OK, "%s", weft_error(ctx));
    int n = 0, taken[12];
    while (n < 12 && (taken[n] = open("/dev/null", O_RDONLY)) >= 0) n++;
    cr_expect_null(weft_load(ctx, path));
    cr_expect_not_null(strstr(weft_error(ctx), "Too many open files"));
    weft_clear(ctx);
    cr_expect_eq(weft_save(x, path), WEFT_IO);
    weft_clear(ctx);
    weft_declare(ctx, inc, weft_unary);
    cr_expect_not_null(weft_jit(ctx, inc)(x), "%s", weft_error(ctx));
    weft_close(ctx);
    while (n) close(taken[--n]);
    folder_remove(&f);
}

/* ---- a locale whose numbers have commas ---- */

Test(limits, decimal_commas)
{
    Folder f = folder_make();
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", f.path);
    if (system(command) >= 0) setenv("LOCPATH", f.path, 1);
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        folder_remove(&f);
        cr_skip_test("there is no locale de_DE here, and none can be made");
    }
    char text[64], half[16];
    snprintf(half, sizeof half, "%.1f", 0.5);
    cr_assert_str_eq(half, "0,5");
    weft_context *ctx = weft_open(NULL);
    weft_array *x = weft_from(ctx, ((float[]){ 0.5f, -1.25f, 1e10f }), 3);
    weft_format(x, text, sizeof text);
    cr_expect_str_eq(text, "[ 5.00e-01 -1.25e+00  1.00e+10]");
    weft_format(weft_at(x, "0:2"), text, sizeof text);
    cr_expect_str_eq(text, "[ 0.5  -1.25]");
    snprintf(half, sizeof half, "%.1f", 0.5);
    cr_expect_str_eq(half, "0,5", "the locale is as it was");
    weft_declare(ctx, deep, weft_unary);
    cr_expect_not_null(weft_jit(ctx, deep)(weft_ones(ctx, WEFT_F32, 3, 3)), "%s", weft_error(ctx));

    static const char program[] =
        "func.func @main(%arg0: tensor<f32>) -> tensor<f32> {\n  %cst = stablehlo.constant "
        "dense<2.500000e-01> : tensor<f32>\n"
        "  %0 = stablehlo.multiply %arg0, %cst : tensor<f32>\n  return %0 : tensor<f32>\n}\n";
    Arena arena;
    Failure failure = { .code = WEFT_OK };
    arena_open(&arena);
    const Parsed *p = text_parse(&arena, program, sizeof program - 1, NULL, &failure, NULL);
    cr_assert_not_null(p, "%s", failure.text);
    cr_expect_not_null(strstr(graph_print(&arena, p->funcs[0].graph, NULL), "dense<2.500000e-01>"));
    arena_free(&arena);
    weft_close(ctx);
    folder_remove(&f);
}

/* ---- threads ---- */

static void *calls_for_ever(void *p)
{
    weft_context *ctx = p;
    weft_unary *fast = weft_jit(ctx, deep);
    for (int i = 0;; i++) {
        weft_scope *s = weft_scope_open(ctx);
        char text[64];
        weft_format(fast(weft_ones(ctx, WEFT_F32, 1 + i % 3, 1 + i / 3)), text, sizeof text);
        weft_scope_close(s);
        pthread_testcancel();
    }
    return NULL;
}

static void *products_for_ever(void *ctx)
{
    weft_scope *s = weft_scope_open(ctx);
    weft_array *x = weft_ones(ctx, WEFT_F32, 90, 90);
    for (;;) {
        weft_free(weft_matmul(x, x));
        pthread_testcancel();
    }
    weft_scope_close(s);
    return NULL;
}

/* The op runs on another thread's stack, but its operands stand on this one's. */
Test(limits, cancelled_on_a_small_stack)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    weft_context *ctx = weft_open(NULL);
    size_t before = weft_stats(ctx).arrays;
    for (int round = 0; round < 20; round++) {
        pthread_t thread;
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        cr_assert_eq(pthread_attr_setstacksize(&attr, 32 << 10), 0);
        cr_assert_eq(pthread_create(&thread, &attr, products_for_ever, ctx), 0);
        usleep((useconds_t)(round * 300));
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    cr_expect_eq(weft_stats(ctx).arrays, before);
    weft_close(ctx);
}

/* Threads that are cancelled while they trace, compile and wait for one another leave no lock held, no entry
 * unfinished and no array behind. */
Test(limits, cancelled_threads)
{
    weft_context *ctx = weft_open(NULL);
    weft_declare(ctx, deep, weft_unary);
    size_t before = weft_stats(ctx).arrays;
    for (int round = 0; round < 20; round++) {
        pthread_t thread[3];
        for (int i = 0; i < 3; i++) cr_assert_eq(pthread_create(&thread[i], NULL, calls_for_ever, ctx), 0);
        usleep((useconds_t)(round * 700));
        for (int i = 0; i < 3; i++) pthread_cancel(thread[i]);
        for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    }
    cr_expect_eq(weft_stats(ctx).arrays, before);
    cr_expect_not_null(weft_jit(ctx, deep)(weft_ones(ctx, WEFT_F32, 1, 1)), "%s", weft_error(ctx));
    weft_close(ctx);
}

/* ---- the library, unloaded ---- */

#ifdef WEFT_SANITIZED
enum { ALONE = 0 }; /* the shared library is not built so */
#else
enum { ALONE = 1 };
#endif

static struct {
    weft_context *(*open)(const weft_options *);
    void (*close)(weft_context *);
    weft_scope *(*scope_open)(weft_context *);
    void (*scope_close)(weft_scope *);
    weft_array *(*scalar)(weft_context *, double, const char *at), *(*add)(weft_array *, weft_array *);
    double (*item)(const weft_array *, const char *at);
} loaded;

static _Atomic int turns;

static void *adds_for_ever(void *unused)
{
    (void)unused;
    weft_context *ctx = loaded.open(NULL);
    double sum = 0;
    for (int i = 0; i < 200000; i++, turns++) {
        weft_scope *s = loaded.scope_open(ctx);
        weft_array *x = loaded.scalar(ctx, 1, "");
        sum += loaded.item(loaded.add(x, x), "");
        loaded.scope_close(s);
    }
    loaded.close(ctx);
    return sum == 400000 ? ctx : NULL;
}

/* dlclose while a thread runs in it: it stays, and the thread goes on. */
Test(limits, unloaded_under_a_running_thread)
{
    void *library = ALONE ? dlopen(WEFT_BINARY_DIR "/libweft.so", RTLD_NOW | RTLD_LOCAL) : NULL, *good;
    if (!library) cr_skip_test("there is no shared library to load");
    static const char *const names[] = { "weft_open",    "weft_close", "weft_scope_open", "weft_scope_close",
                                         "weft_scalar_", "weft_add",   "weft_item_" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *symbol = dlsym(library, names[i]);
        cr_assert_not_null(symbol, "%s", names[i]);
        memcpy((char *)&loaded + i * sizeof symbol, &symbol, sizeof symbol);
    }
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, adds_for_ever, NULL), 0);
    while (turns < 1000) usleep(100);
    cr_expect_eq(dlclose(library), 0);
    pthread_join(thread, &good);
    cr_expect_not_null(good);
}
