/* weft-fuzz-api SECONDS [SEED]: random walks over the public functions, with values right and wrong, dead
 * and alive, and with what earlier calls gave, inside traced functions too. Each walk is a child; one that
 * dies, hangs or is stopped by a sanitizer is printed, seed and calls, and the program exits with 1. With
 * the same SEED the walks are the same; the first has that number. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/api/api.h"

enum { CALLS = 300, POOL = 32, HANGS_AFTER = 60, DEPTH = 2, CALLS_INSIDE = 6 };

static uint64_t state;
static bool tells; /* each call, before it is made */
static struct {
    weft_array *array[POOL];
    weft_fn fn[POOL];
} pool;

static uint32_t rnd(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* A function that was declared with another type is called with wrong arguments; weft cannot find that
 * out. */
static bool is_left_out(const ApiFunction *f) { return !strcmp(f->name, "weft_declare_"); }

static ApiValue choose(const ApiFunction *f, int i)
{
    ApiKind kind = f->kind[i];
    int n;
    const ApiValue *v = api_values(kind, &n);
    ApiValue chosen;
    do chosen = v[rnd(3) ? rnd((uint32_t)n) : 0];
    while (api_believed(f, kind, &chosen));
    weft_array *a = pool.array[rnd(POOL)];
    weft_fn fn = pool.fn[rnd(POOL)];
    if (a && rnd(2) && kind == KIND_array) chosen = (ApiValue){ "a result", GOOD, .array = a };
    if (a && rnd(2) && kind == KIND_operand)
        chosen = (ApiValue){ "a result", GOOD, .operand = weft_of_array(a) };
    if (fn && rnd(2) && kind == KIND_fn) chosen = (ApiValue){ "a function made", GOOD, .fn = fn };
    return api_fresh(chosen, kind, i);
}

static weft_array *one_call(weft_array *argument)
{
    const ApiFunction *f = &api_functions[rnd((uint32_t)api_function_count)];
    ApiValue a[API_PARAMS];
    ApiOutcome o = { NULL, NULL, WEFT_OK };
    bool ends = true;
    if (is_left_out(f)) return NULL;
    for (int i = 0; i < f->n; i++) a[i] = choose(f, i), ends = ends && a[i].nature != ENDLESS;
    if (tells) {
        printf("%s(", f->name);
        for (int i = 0; i < f->n; i++) printf("%s%.60s", i ? ", " : "", a[i].name);
        printf(")\n");
        fflush(stdout);
    }
    f->call(a, &o);
    if (o.fn && ends && api_gives_unary(f)) {
        pool.fn[rnd(POOL)] = o.fn;
        o.array = ((weft_unary *)o.fn)(argument);
    }
    if (o.array) pool.array[rnd(POOL)] = o.array;
    if (!rnd(3)) weft_clear(NULL);
    return o.array;
}

/* A traced function that walks, too. */
static weft_array *inside(weft_array *x)
{
    static int depth;
    weft_array *last = x;
    if (depth == DEPTH) return x;
    depth++;
    pool.array[rnd(POOL)] = x;
    for (int i = 0; i < CALLS_INSIDE; i++) {
        weft_array *y = one_call(x);
        if (y) last = y;
    }
    depth--;
    return last;
}

static void walk(const ApiWorld *w, uint64_t seed)
{
    state = seed * 7919 + 13;
    alarm(HANGS_AFTER);
    weft_declare(w->ctx, inside, weft_unary);
    pool.fn[0] = (weft_fn)inside;
    pool.fn[1] = (weft_fn)weft_jit(w->ctx, inside);
    for (int i = 0; i < CALLS; i++) {
        int n;
        one_call(rnd(2) ? w->x : api_values(KIND_array, &n)[rnd((uint32_t)n)].array);
        if (!rnd(3)) weft_clear(w->ctx), weft_clear(w->other);
    }
    _exit(0);
}

static int run(const ApiWorld *w, uint64_t seed)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        int null = open("/dev/null", O_WRONLY);
        if (!tells) dup2(null, 1), dup2(null, 2);
        api_no_files();
        walk(w, seed);
    }
    waitpid(child, &status, 0);
    return status;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL), seed = first;
    ApiWorld w;
    struct timespec start, now;
    api_open(&w);
    api_values(KIND_array, &(int){ 0 });
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        int status = run(&w, seed);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            tells = true;
            run(&w, seed);
            printf("seed %llu: %s %d, at the last of these calls\n", (unsigned long long)seed,
                   WIFSIGNALED(status) ? "signal" : "exit",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            return 1;
        }
        seed++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9 < seconds);
    printf("%llu walks of %d calls, from seed %llu: nothing found\n", (unsigned long long)(seed - first),
           CALLS, (unsigned long long)first);
    return 0;
}
