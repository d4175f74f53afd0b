/* Every public function, given for each of its parameters every value of that kind, the others being
 * right: an error or the right answer, never a crash or a hang; and where the value can't be right, an
 * error, in the context of the operands that are there. The functions come from the headers: a new one is
 * swept without a line here. Calls run in a child, many of them in one, which begins anew after a call
 * that took something of the world away, as weft_close does. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/api/api.h"
#include "tests/support/long_run.h"

/* Calls that need not give an error for a dead value, and why. */
static const struct {
    const char *function;
    ApiKind kind;
    const char *why;
} lenient[] = {
    { "weft_free", KIND_array, "what was freed stays so" },
    { "weft_error", KIND_context, "its answer is the error" },
    { "weft_print", KIND_array, "it prints that it was freed" },
    { "weft_format", KIND_array, "it writes that it was freed" },
    { "weft_tree_map_", KIND_fn, "functions on leaves need not be declared" },
    { "weft_plan_free", KIND_plan, "NULL: nothing" },
    { "weft_program_free", KIND_program, "NULL: nothing" },
    { "weft_block_free", KIND_context, "no memory: nothing" },
    { "weft_declare_", KIND_fn, "any function may be declared" },
    { "weft_forget_", KIND_fn, "what is not known need not be forgotten" },
};

enum { SECONDS = 20, AGAIN = 3, WRONG = 4 };

/* Shared by parent and child: the running call, and what was wrong with it. */
typedef struct Progress {
    int call;
    char text[400];
} Progress;
static Progress *progress;

static bool is_lenient(const char *function, ApiKind kind)
{
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++)
        if (lenient[i].kind == kind && !strcmp(lenient[i].function, function)) return true;
    return false;
}

/* Does another parameter say which context it is? A dead function's error is the current one's, for its
 * arguments cannot be read; and a list is perhaps not looked at. */
static bool has_operand(const ApiFunction *f, int varied)
{
    ApiKind v = f->kind[varied];
    if (v == KIND_fn) return false;
    for (int i = 0; i < f->n; i++) {
        ApiKind k = f->kind[i];
        bool list = k == KIND_list && v != KIND_count && v != KIND_context;
        bool handle = k == KIND_context || k == KIND_array || k == KIND_operand || k == KIND_key ||
                      k == KIND_scope || k == KIND_plan || k == KIND_program;
        if (i != varied && (list || handle)) return true;
    }
    return false;
}

/* Of a context, a scope, a plan, an array that is no more: its error is its own context's, or of none. */
static bool is_dead_handle(const ApiFunction *f, int varied, const ApiValue *v)
{
    ApiKind k = f->kind[varied];
    return v->nature == DEAD && ((k == KIND_context && v->context) || (k == KIND_scope && v->scope) ||
                                 (k == KIND_plan && v->plan) || (k == KIND_array && v->array));
}

static void check(const ApiWorld *w, const ApiFunction *f, int varied, const ApiValue *v, const ApiOutcome *o)
{
    const char *own = weft_error(w->ctx), *others = weft_error(w->other), *any = weft_error(NULL);
    bool failed = own || others || any || o->status != WEFT_OK;
    if (v->nature == DEAD && !failed && !is_lenient(f->name, f->kind[varied]))
        snprintf(progress->text, sizeof progress->text, "no error");
    if (v->nature != FOREIGN && others && (has_operand(f, varied) || is_dead_handle(f, varied, v)))
        snprintf(progress->text, sizeof progress->text, "the error is in another context: %.200s", others);
    if (progress->text[0]) _exit(WRONG);
    weft_clear(NULL), weft_clear(w->ctx), weft_clear(w->other);
}

static bool is_argument(const ApiFunction *f, const ApiValue *a, const weft_array *result)
{
    for (int i = 0; i < f->n; i++)
        if (f->kind[i] == KIND_array && a[i].array == result) return true;
    return false;
}

static void call_result(const ApiWorld *w, const ApiFunction *f, const ApiValue *a, const ApiValue *v,
                        ApiOutcome *o)
{
    if (o->fn && v->nature != ENDLESS && api_gives_unary(f)) o->array = ((weft_unary *)o->fn)(w->x);
    if (o->array && !is_argument(f, a, o->array)) weft_free(o->array);
    weft_clear(NULL), weft_clear(w->ctx), weft_clear(w->other);
}

/* A thread's stack, and how much of it has been used when weft is called; bytes 0: this thread's own. */
typedef struct Stack {
    int bytes, used;
} Stack;
/* One call on a thread of its own. */
typedef struct OnStack {
    const ApiWorld *w;
    const ApiFunction *f;
    const ApiValue *a, *v;
    ApiOutcome *o;
    Stack stack;
} OnStack;

static void *call_there(void *p)
{
    OnStack *s = p;
    volatile char callers[s->stack.used + 1];
    callers[s->stack.used] = 0;
    s->f->call(s->a, s->o);
    call_result(s->w, s->f, s->a, s->v, s->o);
    (void)callers[s->stack.used];
    return NULL;
}

static void call_on_stack(OnStack s)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, (size_t)s.stack.bytes) ||
        pthread_create(&thread, &attr, call_there, &s))
        _exit(WRONG);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

/* The child's part: the calls of f from number `first` on. On a small stack a right call may fail, too. */
static void run_calls(const ApiWorld *w, const ApiFunction *f, int first, Stack stack)
{
    int call = 0, n;
    for (int i = 0; i < f->n; i++) {
        const ApiValue *v = api_values(f->kind[i], &n);
        for (int k = 0; k < n; k++) {
            if (call++ < first || api_believed(f, f->kind[i], &v[k])) continue;
            ApiValue a[API_PARAMS];
            ApiOutcome o = { NULL, NULL, WEFT_OK };
            for (int p = 0, m; p < f->n; p++)
                a[p] = api_fresh(p == i ? v[k] : *api_values(f->kind[p], &m), f->kind[p], p);
            progress->call = call - 1;
            alarm(SECONDS);
            if (stack.bytes) call_on_stack((OnStack){ w, f, a, &v[k], &o, stack });
            else {
                f->call(a, &o);
                check(w, f, i, &v[k], &o);
                call_result(w, f, a, &v[k], &o);
            }
            if (!api_intact(w)) _exit(AGAIN);
        }
    }
    _exit(0);
}

static void describe(const ApiFunction *f, int call, char *text, size_t size)
{
    int n;
    for (int i = 0; i < f->n; i++, call -= n) {
        const ApiValue *v = api_values(f->kind[i], &n);
        if (call >= n) continue;
        snprintf(text, size, "%s, parameter %d: %.60s", f->name, i + 1, v[call].name);
        return;
    }
}

static int count_calls(const ApiFunction *f)
{
    int all = 0, n;
    for (int i = 0; i < f->n; i++) api_values(f->kind[i], &n), all += n;
    return all;
}

static int silent_fork(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child) return child;
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    api_no_files();
    return 0;
}

static void sweep(const ApiWorld *w, const ApiFunction *f, Stack stack)
{
    int all = count_calls(f);
    for (int next = 0; next < all;) {
        *progress = (Progress){ .call = next };
        pid_t child = silent_fork();
        if (!child) run_calls(w, f, next, stack);
        int status;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        char where[200] = "";
        describe(f, progress->call, where, sizeof where - 30);
        if (stack.bytes) snprintf(where + strlen(where), 30, ", stack %d - %d", stack.bytes, stack.used);
        const char *why = progress->text[0] ? progress->text : "it ended the process";
        if (WIFSIGNALED(status))
            cr_expect(false, "%s: signal %d (%d: it does not end)", where, WTERMSIG(status), SIGALRM);
        else cr_expect_eq(WEXITSTATUS(status), AGAIN, "%s: %s (%d)", where, why, WEXITSTATUS(status));
        next = progress->call + 1;
    }
}

Test(doors, every_parameter_of_every_function)
{
    ApiWorld w;
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(progress != MAP_FAILED);
    api_open(&w);
    cr_assert(api_intact(&w));
    int calls = 0;
    for (int i = 0; i < api_function_count; i++) {
        sweep(&w, &api_functions[i], (Stack){ 0, 0 });
        calls += count_calls(&api_functions[i]);
    }
    cr_log_info("%d functions, %d calls", api_function_count, calls);
    cr_expect_gt(calls, 10000);
}

/* Each of these calls works on a small stack too, or says that it is one. */
Test(doors, every_function_on_small_stacks)
{
#ifdef WEFT_SANITIZED
    cr_skip_test("frames are several times as large");
#endif
    static const Stack stack[] = { { 16 << 10, 3000 }, { 16 << 10, 0 }, { 20 << 10, 0 }, { 32 << 10, 0 } };
    ApiWorld w;
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(progress != MAP_FAILED);
    api_open(&w);
    size_t step = long_run() ? 1 : 2;
    for (size_t k = 0; k < sizeof stack / sizeof *stack; k += step)
        for (int i = 0; i < api_function_count; i++) sweep(&w, &api_functions[i], stack[k]);
}

/* Functions of arrays that have as many axes as are allowed, and one less. */
/* clang-format off */
#define DEEP(X) \
    X(expand, weft_expand_dims(x, 0)) X(expand_last, weft_expand_dims(x, -1)) \
    X(outer, weft_tensordot(x, x, "", "")) X(dot, weft_tensordot(x, x, "0", "1")) \
    X(matmul, weft_matmul(x, x)) X(inner, weft_inner(x, x)) X(dot_last, weft_dot(x, x)) \
    X(by_vector, weft_matmul(x, weft_at(weft_ravel(x), ":1"))) \
    X(stack, weft_stack_arrays(0, x, x)) X(join, weft_concatenate(-1, x, x)) \
    X(take, weft_take(x, weft_zeros(NULL, WEFT_I32, 1, 1), 0)) \
    X(take_one, weft_take(x, 0, -1)) \
    X(along, weft_take_along_axis(x, weft_zeros_like(weft_astype(x, WEFT_I32)), 3)) \
    X(none, weft_at(x, "None")) X(part, weft_at(x, "0, ..., None")) X(softmax, weft_softmax(x)) \
    X(mean, weft_mean(x, .axes = "0,-1")) X(var, weft_var(x, .axes = "-1", .keep = true)) \
    X(norm, weft_norm(x)) \
    X(one_hot, weft_one_hot(weft_astype(x, WEFT_I32), 2)) \
    X(sort, weft_sort(x, 0)) X(sort_last, weft_sort(x, -1)) X(argsort, weft_argsort(x, 0)) \
    X(tile, weft_tile(x, 2)) X(repeat, weft_repeat(x, 2, 0)) X(repeat_last, weft_repeat(x, 2, -1)) \
    X(roll, weft_roll(x, 1, -1)) X(flip, weft_flip(x)) X(pad, weft_pad(x, 0, "1:1:1")) X(tril, weft_tril(x)) \
    X(scatter, weft_scatter(x, weft_zeros(NULL, WEFT_I32, 1, 1), 0, 1)) \
    X(scatter_at, weft_scatter_at(x, weft_zeros(NULL, WEFT_I32, 1, 1), 1)) \
    X(set, weft_set(x, "0", 1)) X(set_some, weft_set(x, "::2", 1)) \
    X(slice, weft_dynamic_slice_axis(x, 0, 1, 0)) \
    X(update, weft_dynamic_update_axis(x, weft_at(x, "0"), 0, 0)) \
    X(cumsum, weft_cumsum(x, 0)) X(cumlogsumexp, weft_cumlogsumexp(x, -1)) \
    X(window, weft_reduce_window(x, WEFT_ADD, "1,1", .pad = "1:1")) \
    X(pool, weft_max_pool(x, "1,1")) X(top_k, weft_top_k(x, 1, NULL)) X(unique, weft_unique(x, 2)) \
    X(search, weft_searchsorted(weft_ones(NULL, WEFT_F32, 3), x)) \
    X(lse, weft_logsumexp(x, .axes = "0")) \
    X(segment, weft_segment_sum(x, weft_zeros(NULL, WEFT_I32, 1), 3)) \
    X(histogram, weft_histogram(x, 3)) X(bits, weft_bitcast(x, WEFT_I8)) X(wide, weft_bitcast(x, WEFT_F64)) \
    X(einsum, weft_einsum("...,...->...", x, x)) X(transpose, weft_transpose(x)) \
    X(move, weft_moveaxis(x, 0, -1)) X(squeeze, weft_squeeze(x)) \
    X(broadcast, weft_broadcast_to_(x, WEFT_MAX_RANK, twos, NULL)) \
    X(argmax, weft_argmax(x, .axes = "-1")) X(clip, weft_clip(x, 0, 1)) \
    X(shuffled, weft_random_permutation(weft_key(NULL, 1), x)) \
    X(chosen, weft_random_choice(weft_key(NULL, 1), x, .shape = weft_dims(2, 2))) \
    X(category, weft_random_categorical(weft_key(NULL, 1), x)) \
    X(dirichlet, weft_random_dirichlet(weft_key(NULL, 1), WEFT_F32, x)) \
    X(gamma, weft_random_gamma(weft_key(NULL, 1), WEFT_F32, x)) \
    X(normal, weft_random_normal_(weft_random_key_(weft_key(NULL, 1)), WEFT_F32, WEFT_MAX_RANK, twos, NULL))
/* clang-format on */

static const int64_t twos[WEFT_MAX_RANK] = { 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
#define X(name, value) \
    static weft_array *deep_##name(weft_array *x) \
    { \
        (void)x; \
        return value; \
    }
DEEP(X)
#undef X
static const struct {
    const char *name;
    weft_unary *f;
} deep[] = {
#define X(name, value) { #name, deep_##name },
    DEEP(X)
#undef X
};

static double sum_of(weft_array *x) { return x ? weft_item(weft_sum(weft_astype(x, WEFT_F64))) : -1; }

/* An error or the right answer, eagerly, compiled, mapped over one axis and over a new one, and in
 * reverse. */
Test(doors, thirty_two_axes)
{
    weft_context *ctx = weft_open(NULL);
    int64_t ones[WEFT_MAX_RANK];
    for (int i = 0; i < WEFT_MAX_RANK; i++) ones[i] = 1;
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
        weft_declare_(ctx, (weft_fn)deep[i].f, deep[i].name, weft_unary_text, NULL);
    for (int rank = WEFT_MAX_RANK - 1; rank <= WEFT_MAX_RANK; rank++) {
        for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
            weft_scope *s = weft_scope_open(ctx);
            weft_array *x = weft_ones_(ctx, WEFT_F32, rank, ones, NULL);
            double now = sum_of(deep[i].f(x));
            cr_expect((now == -1) == (weft_clear(ctx) != WEFT_OK), "%s of rank %d", deep[i].name, rank);
            double compiled = sum_of(weft_jit(ctx, deep[i].f)(x));
            cr_expect((compiled == -1) == (weft_clear(ctx) != WEFT_OK), "jit %s of rank %d", deep[i].name,
                      rank);
            cr_expect_float_eq(now, compiled, 1e-5 * (now < 0 ? -now : now), "%s of rank %d: %g, compiled %g",
                               deep[i].name, rank, now, compiled);
            weft_vmap(ctx, deep[i].f, "0")(x);
            weft_clear(ctx);
            weft_vmap(ctx, deep[i].f, "none", .size = 2)(x);
            weft_clear(ctx);
            weft_vjp(ctx, weft_binary, deep[i].f, "")(x, x);
            weft_clear(ctx);
            weft_scope_close(s);
        }
    }
    weft_close(ctx);
}
