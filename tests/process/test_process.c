/* test_process.c: contexts that compile in a process of its own: the same code as without; and whatever
 * becomes of that process, this one goes on. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/support/compiler_process.h"
#include "weft.h"

/* ---- through the public door ---- */

static pid_t supervisor(void)
{
    unsigned long ticks;
    return process_for(getpid(), "weft-supervise", &ticks, false);
}

/* The result is never 0, which kill() takes for the whole process group. */
static void stop(pid_t pid, int number)
{
    cr_assert(pid > 0);
    kill(pid, number);
}

/* Compiles for lengths from *n on until a process waits for more: one that was killed may have looked
 * alive still. */
static pid_t waiting(weft_context *ctx, int *n)
{
    pid_t pid;
    do cr_assert(agrees(ctx, ++*n), "%s", weft_error(ctx));
    while (!(pid = compiler()));
    return pid;
}

static size_t count_in(const char *path, const char *word)
{
    char line[4096];
    size_t n = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) n += strstr(line, word) != NULL;
    if (file) fclose(file);
    return n;
}

Test(process, serves_many_compiles)
{
    char path[64], byte;
    setenv("WEFT_SECRET", "not to be passed on", 1);
    int file = open("/dev/null", O_RDONLY);
    weft_context *ctx = opened((weft_options){ 0 });
    cr_assert(!compiler(), "it is started by the first compile");
    cr_assert(agrees(ctx, 100), "%s", weft_error(ctx));
    pid_t pid = running();
    for (int n = 1; n < 30; n++) cr_assert(agrees(ctx, n), "%s", weft_error(ctx));
    cr_assert(running() == pid);
    cr_assert(weft_stats(ctx).compiles == 30 && !weft_stats(ctx).uncompiled);
    cr_assert(!count_in("/proc/self/maps", "LLVM") && !count_in("/proc/self/maps", "weft-llvm"));
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int environment = open(path, O_RDONLY);
    cr_assert(environment >= 0 && read(environment, &byte, 1) == 0);
    close(environment);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, file);
    cr_assert(access(path, F_OK), "it has our files");
    weft_close(ctx);
    cr_assert(none_is_left(), "it outlives its context");
}

Test(process, dies_between_compiles)
{
    static const int signals[] = { SIGKILL, SIGTERM, SIGSEGV };
    weft_context *ctx = opened((weft_options){ 0 });
    for (int i = 0; i < 3; i++) {
        cr_assert(agrees(ctx, 10 + i), "%s", weft_error(ctx));
        kill(running(), signals[i]);
        cr_assert(none_is_left());
        cr_assert(agrees(ctx, 20 + i), "%s", weft_error(ctx));
        stop(supervisor(), signals[i]);
        cr_assert(none_is_left());
    }
    cr_assert(agrees(ctx, 30) && !weft_stats(ctx).uncompiled, "an end between compiles harms none");
    cr_assert(getpgid(running()) != getpgrp(), "what is typed at a terminal ends it");
    weft_close(ctx);
}

typedef struct Killer {
    pid_t pid;
    long us;
} Killer;

static void *kill_later(void *p)
{
    const Killer *k = p;
    nanosleep(&(struct timespec){ .tv_nsec = k->us * 1000 }, NULL);
    kill(k->pid, SIGKILL);
    return NULL;
}

Test(process, dies_during_compiles)
{
    int n = 1000;
    weft_context *ctx = opened((weft_options){ 0 });
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        Killer k = { waiting(ctx, &n), 500 * i };
        cr_assert(!pthread_create(&thread, NULL, kill_later, &k));
        cr_assert(agrees(ctx, 100 + i), "%s", weft_error(ctx));
        pthread_join(thread, NULL);
    }
    cr_assert(weft_stats(ctx).uncompiled > 0, "%d", (int)weft_stats(ctx).uncompiled);
    const char *why = weft_explain(ctx);
    cr_assert(strstr(why, "it runs op by op: the compiler process ended by signal 9"), "%s", why);
    weft_close(ctx);
}

Test(process, hangs)
{
    int n = 10;
    weft_context *ctx = opened((weft_options){ .compile_seconds = 1.5 });
    pid_t pid = waiting(ctx, &n);
    kill(pid, SIGSTOP);
    cr_assert(agrees(ctx, ++n), "%s", weft_error(ctx));
    cr_assert(weft_stats(ctx).uncompiled);
    cr_assert(strstr(weft_explain(ctx), "did not answer within 1.5 s"), "%s", weft_explain(ctx));
    cr_assert(goes(pid));
    cr_assert(agrees(ctx, n), "%s", weft_error(ctx));
    kill(waiting(ctx, &n), SIGSTOP);
    stop(supervisor(), SIGSTOP);
    weft_close(ctx);
    cr_assert(none_is_left());
}

/* However little memory the process gets: a right answer. */
Test(process, runs_out_of_memory)
{
    uint64_t compiled = 0, not = 0;
    for (int kib = 64; kib <= 65536; kib *= 2) {
        weft_context *ctx = opened((weft_options){ .compile_memory = (size_t)kib << 10 });
        cr_assert(agrees(ctx, 64), "%d KiB: %s", kib, weft_error(ctx));
        compiled += weft_stats(ctx).compiles;
        not += weft_stats(ctx).uncompiled;
        weft_close(ctx);
    }
    cr_assert(compiled && not, "%d compiled, %d not", (int)compiled, (int)not);
}

/* ---- compiler processes that do not do as they should: tests/process/damaged.c ---- */

typedef struct Way {
    const char *name, *says;
} Way;
static const Way ways[] = {
    { "exits", "ended with status 3" },
    { "cut", "the compiler process has ended" },
    { "changed", "the answer of the compiler process is damaged" },
    { "lies", "the compiled object is malformed" },
};

/* The back end is looked for in a folder of this name, and the compiler process beside it. That is this
 * program; "": the one that does as the folder is named; NULL: none. */
static void look_in(const char *name, const char *program)
{
    char path[4096], from[4096];
    snprintf(path, sizeof path, "%s/tests/process-%d", WEFT_BINARY_DIR, (int)getpid());
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/tests/process-%d/%s", WEFT_BINARY_DIR, (int)getpid(), name);
    mkdir(path, 0700);
    strcat(path, "/weft-compile");
    snprintf(from, sizeof from, "%s/tests/damaged", WEFT_BINARY_DIR);
    cr_assert(!program || !(*program ? symlink(program, path) : link(from, path)), "%s", path);
    strcpy(strrchr(path, '/'), "/libweft-llvm.so");
    setenv("WEFT_BACKEND", path, 1);
}

static void look_back(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/process-%d/%s/weft-compile", WEFT_BINARY_DIR, (int)getpid(), name);
    remove(path);
    for (int i = 0; i < 2; i++) {
        *strrchr(path, '/') = '\0';
        remove(path);
    }
    unsetenv("WEFT_BACKEND");
}

Test(process, gives_nonsense)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        look_in(ways[i].name, "");
        weft_context *ctx = opened((weft_options){ 0 });
        for (int n = 1; n < 3; n++) cr_assert(agrees(ctx, n), "%s: %s", ways[i].name, weft_error(ctx));
        cr_assert(weft_stats(ctx).uncompiled == 2 && !weft_stats(ctx).compiles);
        cr_assert(strstr(weft_explain(ctx), ways[i].says), "%s", weft_explain(ctx));
        weft_close(ctx);

        ctx = opened((weft_options){ .compile_or_fail = true });
        cr_assert(!agrees(ctx, 2));
        cr_assert(strstr(weft_error(ctx), ways[i].says), "%s", weft_error(ctx));
        cr_assert(weft_clear(ctx) == WEFT_COMPILER);
        weft_close(ctx);
        look_back(ways[i].name);
    }
}

Test(process, has_no_code_for_a_plan)
{
    look_in("exits", "");
    weft_context *ctx = opened((weft_options){ 0 });
    weft_array *x = weft_ones(ctx, WEFT_F32, 5);
    for (int i = 0; i < 2; i++) {
        weft_plan_options o = { .realtime = true };
        cr_assert(!weft_compile(ctx, o, weft_jit(ctx, wave)(x)));
        const char *why = weft_error(ctx);
        cr_assert(strstr(why, "no code to run: the compiler process ended with status 3"), "%s", why);
        cr_assert(weft_clear(ctx) == WEFT_COMPILER);
        cr_assert(agrees(ctx, 5), "%s", weft_error(ctx));
    }
    weft_close(ctx);
    look_back("exits");
}

Test(process, is_not_there)
{
    look_in("missing", NULL);
    weft_context *ctx = opened((weft_options){ 0 });
    cr_assert(!agrees(ctx, 2));
    const char *why = weft_error(ctx);
    cr_assert(strstr(why, "cannot be started: "), "%s", why);
    cr_assert(strstr(why, "/missing/weft-compile: No such file"), "%s", why);
    cr_assert(weft_clear(ctx) == WEFT_COMPILER);
    look_back("missing");
    cr_assert(agrees(ctx, 2), "the next one is tried anew: %s", weft_error(ctx));
    weft_close(ctx);
    look_in("stranger", "");
    ctx = opened((weft_options){ 0 });
    cr_assert(!agrees(ctx, 2));
    cr_assert(strstr(weft_error(ctx), "of another build of weft"), "%s", weft_error(ctx));
    weft_clear(ctx);
    weft_close(ctx);
    look_back("stranger");
}

/* The process does not even say which machine it is on. It is started once for each compile, not for each
 * call. */
typedef struct Start {
    const char *name, *program;
    double seconds;
    const char *says;
} Start;
static const Start starts[] = {
    { "other", "/bin/true", 0, "the compiler process has ended" },
    { "worse", "/bin/false", 0, "the compiler process has ended" },
    { "sleeps", "", 0.3, "the compiler process did not answer within 0.3 s" },
    { "honest", "", 1e-6, "the compiler process did not answer within 1e-06 s" },
};

Test(process, never_answers)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const Start *s = &starts[i];
        look_in(s->name, s->program);
        weft_context *ctx = opened((weft_options){ .compile_seconds = s->seconds });
        for (int n = 0; n < 6; n++) cr_assert(agrees(ctx, 3 + n % 2), "%s: %s", s->name, weft_error(ctx));
        weft_counters c = weft_stats(ctx);
        cr_assert(c.uncompiled == 2 && c.compiles == 0 && c.hits == 4, "%s: %d", s->name, (int)c.uncompiled);
        cr_assert(strstr(weft_explain(ctx), s->says), "%s", weft_explain(ctx));
        weft_close(ctx);

        ctx = opened((weft_options){ .compile_seconds = s->seconds, .compile_or_fail = true });
        cr_assert(!agrees(ctx, 2) && strstr(weft_error(ctx), s->says), "%s", weft_error(ctx));
        cr_assert(weft_clear(ctx) == WEFT_COMPILER);
        weft_close(ctx);
        look_back(s->name);
    }
}
