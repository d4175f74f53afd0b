/* Every public function, given for each of its parameters every value of that kind, the others being right: an error or the right answer, never a crash or a hang; and
 * where the value can't be right, an error, in the context of the operands that are there. The functions come from the headers: a new one is swept without a line here.
 * Calls run in a child, many of them in one, which begins anew after a call that took something of the world away, as weft_close does. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "api/api.h"

/* Calls that may do without an error where a value is dead, and why. */
static const struct { const char *function; ApiKind kind; const char *why; } lenient[] = {
    { "weft_free",          KIND_array,     "what was freed stays so" },
    { "weft_error",         KIND_context,   "its answer is the error" },
    { "weft_print",         KIND_array,     "it prints that it was freed" },
    { "weft_format",        KIND_array,     "it writes that it was freed" },
    { "weft_tree_map_",     KIND_fn,        "functions on leaves need not be declared" },
    { "weft_plan_free",     KIND_plan,      "NULL: nothing" },
    { "weft_declare_",      KIND_fn,        "any function may be declared" },
    { "weft_forget_",       KIND_fn,        "what is not known need not be forgotten" },
};

enum { SECONDS = 20, AGAIN = 3, WRONG = 4 };

/* What parent and child both see: the call that is running, and what was wrong with it. */
typedef struct Progress { int call; char text[400]; } Progress;
static Progress *progress;

static bool is_lenient(const char *function, ApiKind kind)
{
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++) if (lenient[i].kind == kind && !strcmp(lenient[i].function, function)) return true;
    return false;
}

/* Does another parameter say which context it is? A dead function's error is the current one's: its arguments cannot be read. */
static bool has_operand(const ApiFunction *f, int varied)
{
    if (f->kind[varied] == KIND_fn) return false;
    for (int i = 0; i < f->n; i++) {
        ApiKind k = f->kind[i];
        if (k == KIND_list && (f->kind[varied] == KIND_count || f->kind[varied] == KIND_context)) continue;     /* perhaps not looked at */
        if (i != varied && (k == KIND_context || k == KIND_array || k == KIND_operand || k == KIND_key || k == KIND_list || k == KIND_scope || k == KIND_plan)) return true;
    }
    return false;
}

/* The status that was wrong if the function returns none is weft_error's. */
static void check(const ApiWorld *w, const ApiFunction *f, int varied, const ApiValue *v, const ApiOutcome *o)
{
    const char *own = weft_error(w->ctx), *others = weft_error(w->other), *any = weft_error(NULL);
    bool failed = own || others || any || o->status != WEFT_OK;
    if (v->nature == DEAD && !failed && !is_lenient(f->name, f->kind[varied])) snprintf(progress->text, sizeof progress->text, "no error");
    if (v->nature != FOREIGN && others && has_operand(f, varied))
        snprintf(progress->text, sizeof progress->text, "the error is in another context: %.200s", others);
    if (progress->text[0]) _exit(WRONG);
    weft_clear(NULL), weft_clear(w->ctx), weft_clear(w->other);
}

static bool is_argument(const ApiFunction *f, const ApiValue *a, const weft_array *result)
{
    for (int i = 0; i < f->n; i++) if (f->kind[i] == KIND_array && a[i].array == result) return true;
    return false;
}

static void call_result(const ApiWorld *w, const ApiFunction *f, const ApiValue *a, const ApiValue *v, ApiOutcome *o)
{
    if (o->fn && v->nature != ENDLESS && api_gives_unary(f)) o->array = ((weft_unary *)o->fn)(w->x);
    if (o->array && !is_argument(f, a, o->array)) weft_free(o->array);
    weft_clear(NULL), weft_clear(w->ctx), weft_clear(w->other);
}

/* The calls of f from number `first` on; the child's part. */
static void run_calls(const ApiWorld *w, const ApiFunction *f, int first)
{
    int call = 0, n;
    for (int i = 0; i < f->n; i++) {
        const ApiValue *v = api_values(f->kind[i], &n);
        for (int k = 0; k < n; k++) {
            if (call++ < first || api_believed(f, f->kind[i], &v[k])) continue;
            ApiValue a[API_PARAMS];
            ApiOutcome o = { NULL, NULL, WEFT_OK };
            for (int p = 0, m; p < f->n; p++) a[p] = api_fresh(p == i ? v[k] : *api_values(f->kind[p], &m), f->kind[p], p);
            progress->call = call - 1;
            alarm(SECONDS);
            f->call(a, &o);
            check(w, f, i, &v[k], &o);
            call_result(w, f, a, &v[k], &o);
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
    return 0;
}

static void sweep(const ApiWorld *w, const ApiFunction *f)
{
    int all = count_calls(f);
    for (int next = 0; next < all; ) {
        *progress = (Progress){ .call = next };
        pid_t child = silent_fork();
        if (!child) run_calls(w, f, next);
        int status;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        char where[200] = "";
        describe(f, progress->call, where, sizeof where);
        if (WIFSIGNALED(status)) cr_expect(false, "%s: signal %d%s", where, WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ", it does not end" : "");
        else cr_expect_eq(WEXITSTATUS(status), AGAIN, "%s: %s (%d)", where, progress->text[0] ? progress->text : "it ended the process", WEXITSTATUS(status));
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
        sweep(&w, &api_functions[i]);
        calls += count_calls(&api_functions[i]);
    }
    cr_log_info("%d functions, %d calls", api_function_count, calls);
    cr_expect_gt(calls, 10000);
}
