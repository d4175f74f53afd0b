/* test_process_host.c: compiler processes of programs that have threads, fork, are killed, or change what
 * a process shares with its children. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/support/compiler_process.h"
#include "weft.h"

static void *compile_some(void *ctx)
{
    for (int n = 0; n < 12; n++)
        if (!agrees(ctx, 30 + n)) return "it does not agree";
    return NULL;
}

Test(process_host, serves_threads_of_two_contexts)
{
    weft_context *ctx[2] = { opened((weft_options){ 0 }), opened((weft_options){ 0 }) };
    pthread_t thread[6];
    for (int i = 0; i < 6; i++) cr_assert(!pthread_create(&thread[i], NULL, compile_some, ctx[i % 2]));
    for (int i = 0; i < 6; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        cr_assert(!wrong);
    }
    for (int i = 0; i < 2; i++) {
        cr_assert(weft_stats(ctx[i]).compiles == 12 && !weft_stats(ctx[i]).uncompiled);
        weft_close(ctx[i]);
    }
    cr_assert(none_is_left());
}

/* In a child of the test's process. */
static pid_t start_child(int what(weft_context *), weft_context *ctx)
{
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) _exit(what(ctx));
    return pid;
}

static int end_child(pid_t pid)
{
    int status;
    cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "it crashed, or never came to its end");
    return WEXITSTATUS(status);
}

static int run_child(int what(weft_context *), weft_context *ctx)
{
    return end_child(start_child(what, ctx));
}

static int compile_and_leave(weft_context *ctx)
{
    if (!agrees(ctx, 50) || !agrees(ctx, 51)) return 1;
    if (!compiler()) return 2; /* of the child's own */
    weft_close(ctx);
    return none_is_left() ? 0 : 3;
}

Test(process_host, serves_forked_children)
{
    weft_context *ctx = opened((weft_options){ 0 });
    cr_assert(agrees(ctx, 10));
    pid_t pid = running();
    cr_assert(run_child(compile_and_leave, ctx) == 0);
    cr_assert(agrees(ctx, 11) && agrees(ctx, 50) && running() == pid && weft_stats(ctx).compiles == 3);
    weft_close(ctx);
}

/* Some tenths of a second of compiling. */
static weft_array *middling(weft_array *x)
{
    for (int i = 0; i < 20; i++) x = weft_sin(weft_lgamma(weft_add(x, i)));
    return x;
}

static void *compile_middling(void *p)
{
    weft_context *ctx = p;
    weft_jit(ctx, middling)(weft_ones(ctx, WEFT_F32, 100));
    return NULL;
}

static bool compiles_apart;

/* The child calls code that exists, code that does not, and code that another thread was building, and
 * closes the context. */
static int compile_in_a_fork(weft_context *ctx)
{
    alarm(60);
    if (!agrees(ctx, 50)) return 1;
    if (!compiles_apart) { /* a lock of LLVM's own may be held */
        weft_close(ctx);
        return weft_error(NULL) ? 5 : 0;
    }
    if (!agrees(ctx, 51)) return 6;
    weft_array *a = weft_jit(ctx, middling)(weft_ones(ctx, WEFT_F32, 100));
    if (!a || weft_stats(ctx).uncompiled) return 2;
    weft_close(ctx);
    if (weft_error(NULL)) return 3;
    return none_is_left() ? 0 : 4;
}

/* The threads that compile, and wait for that, are not in the child. */
Test(process_host, serves_children_that_are_forked_in_a_compile)
{
    for (int apart = 0; apart < 2; apart++) {
        compiles_apart = apart;
        weft_context *ctx = weft_open(&(weft_options){ .compile_apart = apart, .mode = WEFT_MODE_STRICT });
        pthread_t thread[2];
        weft_declare(ctx, wave, weft_unary);
        weft_declare(ctx, middling, weft_unary);
        cr_assert(agrees(ctx, 50), "%s", weft_error(ctx));
        for (int i = 0; i < 2; i++) cr_assert(!pthread_create(&thread[i], NULL, compile_middling, ctx));
        pid_t pid[4];
        for (int i = 0; i < 4; i++, sleep_ms(15)) pid[i] = start_child(compile_in_a_fork, ctx);
        for (int i = 0; i < 4; i++) cr_expect_eq(end_child(pid[i]), 0, "%d", apart);
        for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
        weft_close(ctx);
    }
}

static _Atomic bool enough;

static void *use_locks(void *p)
{
    weft_context *ctx = p;
    for (int i = 0; !enough; i++) {
        weft_scope *s = weft_scope_open(ctx);
        weft_array *x = weft_ones(ctx, WEFT_F32, 1 + i % 1000);
        weft_free(weft_keep(weft_jit(ctx, wave)(weft_ones(ctx, WEFT_F32, 50))));
        weft_free(wave(x));
        weft_scope_close(s);
        if (i % 16 == 0) weft_close(weft_open(NULL));
    }
    return NULL;
}

static int use_a_fork(weft_context *ctx)
{
    alarm(60);
    if (!agrees(ctx, 50)) return 1;
    weft_close(weft_open(NULL));
    weft_close(ctx);
    return weft_error(NULL) ? 2 : 0;
}

/* Whichever lock the other threads hold: in the child it is free, and the parent goes on. */
Test(process_host, forks_while_locks_are_held)
{
    pthread_t thread[3];
    weft_context *ctx = opened((weft_options){ 0 });
    for (int i = 0; i < 3; i++) cr_assert(!pthread_create(&thread[i], NULL, use_locks, ctx));
    for (int i = 0; i < 100; i++) cr_assert(run_child(use_a_fork, ctx) == 0, "%d", i);
    enough = true;
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    cr_assert(!weft_error(ctx), "%s", weft_error(ctx));
    weft_close(ctx);
}

static int report;

static int compile_and_crash(weft_context *ctx)
{
    if (!agrees(ctx, 50)) return 1;
    pid_t pid = compiler();
    return write(report, &pid, sizeof pid) == sizeof pid ? 0 : 1;
}

Test(process_host, ends_when_its_parent_is_gone)
{
    int pipes[2];
    pid_t pid = 0;
    weft_context *ctx = opened((weft_options){ 0 });
    cr_assert(!pipe(pipes));
    report = pipes[1];
    cr_assert(run_child(compile_and_crash, ctx) == 0);
    cr_assert(read(pipes[0], &pid, sizeof pid) == sizeof pid && pid);
    cr_assert(goes(pid));
    weft_close(ctx);
}

static weft_array *large(weft_array *x)
{
    for (int i = 0; i < 1000; i++) x = weft_sin(weft_tanh(weft_add(x, i)));
    return x;
}

/* Kernels that differ by their constants, so that each is a function. */
static weft_array *larger(weft_array *x)
{
    for (int i = 0; i < 3000; i++) x = weft_add(weft_mul(x, weft_sum(weft_mul(x, i + 0.1))), i);
    return x;
}

/* Seconds of compiling; before, a child of its own may get hold of the socket, which weft is not told of. */
static void compile_for_long(bool with_child)
{
    weft_context *ctx = opened((weft_options){ .compile_seconds = 1e7 });
    weft_declare(ctx, larger, weft_unary);
    if (!agrees(ctx, 50)) _exit(1);
    if (with_child && !syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)) {
        sleep_ms(60000);
        _exit(0);
    }
    weft_jit(ctx, larger)(weft_ones(ctx, WEFT_F32, 100));
    _exit(0);
}

/* Not when the compile is done: at once. */
Test(process_host, ends_in_a_compile_when_its_parent_is_killed)
{
    for (int with_child = 0; with_child < 2; with_child++) {
        unsigned long ticks = 0;
        fflush(NULL);
        pid_t parent = fork(), pid = 0;
        if (!parent) {
            setpgid(0, 0);
            compile_for_long(with_child);
        }
        for (int i = 0; i < 4000 && (!pid || ticks < 50); i++, sleep_ms(5))
            pid = process_for(parent, "weft-compile", &ticks, false);
        cr_assert(pid && ticks >= 50 && !is_gone(pid));
        kill(parent, SIGKILL);
        for (int i = 0; i < 200 && !is_gone(pid); i++) sleep_ms(5);
        cr_expect(is_gone(pid), "%d", with_child);
        kill(-parent, SIGKILL);
        kill(pid, SIGKILL);
        waitpid(parent, NULL, 0);
    }
}

/* Files of the program's own stand where the socket was. */
static int compile_without_files(weft_context *ctx)
{
    if (!agrees(ctx, 60)) return 1;
    for (int i = 0; i < 1024; i++) close(i);
    if (!agrees(ctx, 61)) return 2;
    for (int i = 0; i < 1024; i++) close(i);
    for (int i = 0; i < 20; i++)
        if (open("/dev/null", O_RDWR) != i) return 3;
    if (!agrees(ctx, 62)) return 4;
    for (int i = 0; i < 20; i++)
        if (fcntl(i, F_GETFD) < 0) return 5;
    weft_close(ctx);
    return none_is_left() ? 0 : 6;
}

static void *steal_files(void *unused)
{
    sleep_ms(100);
    for (int i = 3; i < 1024; i++) close(i);
    for (int pair[2] = { 0 }; pair[0] < 20;)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) break;
    return unused;
}

/* In the middle of a compile: nobody waits for a process that does not answer. */
static int compile_while_files_go(weft_context *ctx)
{
    pthread_t thread;
    struct timespec from, to;
    weft_declare(ctx, large, weft_unary);
    if (!agrees(ctx, 64) || pthread_create(&thread, NULL, steal_files, NULL)) return 1;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!weft_jit(ctx, large)(weft_ones(ctx, WEFT_F32, 100))) return 2;
    clock_gettime(CLOCK_MONOTONIC, &to);
    pthread_join(thread, NULL);
    if (!weft_stats(ctx).uncompiled || to.tv_sec - from.tv_sec > 20) return 3;
    weft_close(ctx);
    for (int i = 3; i < 20; i++)
        if (fcntl(i, F_GETFD) < 0) return 4;
    return none_is_left() ? 0 : 5;
}

/* In a program without standard streams, no file of weft's gets their numbers. */
static int compile_without_streams(weft_context *ctx)
{
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < 3; i++) close(i);
    if (!agrees(ctx, 63) || weft_stats(ctx).uncompiled) return 1;
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) >= 0) return 2;
    if (!compiler()) return 3;
    weft_close(ctx);
    return 0;
}

static int compile_without_children(weft_context *ctx)
{
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < 3; i++) {
        if (!agrees(ctx, 70 + i)) return 1;
        pid_t pid = compiler();
        if (pid) kill(pid, SIGKILL);
    }
    weft_close(ctx);
    return 0;
}

static volatile sig_atomic_t ends_seen;
static void see_end(int number) { ends_seen += number == SIGCHLD; }

/* A program that waits for all its children meets each of its own once, and never the compiler. */
static int wait_for_all(weft_context *ctx)
{
    signal(SIGCHLD, see_end);
    if (!agrees(ctx, 80)) return 1;
    if (wait(NULL) > 0 || errno != ECHILD || ends_seen) return 2;
    for (int i = 0; i < 2; i++)
        if (!fork()) _exit(0);
    int n = 0;
    for (pid_t got; (got = wait(NULL)) > 0 || errno == EINTR;) n += got > 0;
    if (n != 2) return 3;
    pid_t pid = compiler();
    if (!pid || kill(pid, SIGKILL) || !none_is_left()) return 4;
    if (wait(NULL) > 0 || errno != ECHILD) return 5;
    if (!agrees(ctx, 81) || !compiler()) return 6;
    weft_close(ctx);
    return ends_seen > 2 ? 7 : 0;
}

/* Orphans come to it, as to the first process of a container: what was started is collected. */
static int compile_as_reaper(weft_context *ctx)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1)) return 1;
    if (!agrees(ctx, 90)) return 2;
    weft_close(ctx);
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 3;
}

Test(process_host, lives_with_what_programs_do)
{
    weft_context *ctx = opened((weft_options){ 0 });
    cr_expect_eq(run_child(compile_without_files, ctx), 0);
    cr_expect_eq(run_child(compile_while_files_go, ctx), 0);
    cr_expect_eq(run_child(compile_without_streams, ctx), 0);
    cr_expect_eq(run_child(compile_without_children, ctx), 0);
    cr_expect_eq(run_child(wait_for_all, ctx), 0);
#ifndef WEFT_SANITIZED /* there the compiler takes longer to end than it is waited for */
    cr_expect_eq(run_child(compile_as_reaper, ctx), 0);
#else
    (void)compile_as_reaper;
#endif
    weft_close(ctx);
    cr_assert(!weft_open(&(weft_options){ .compile_seconds = NAN }));
    cr_assert(strstr(weft_error(NULL), "compile_seconds"));
}
