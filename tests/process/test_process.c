/* test_process.c: contexts that compile in a process of its own: the same code as without; and whatever
 * becomes of that process, this one goes on. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "compiler/pipeline.h"
#include "tests/support/heap.h"
#include "tests/support/graphs.h"
#include "tests/support/program_code.h"
#include "runtime/exec/compile.h"
#include "runtime/process/wire.h"
#include "weft.h"

/* ---- programs on the wire ---- */

static Program *fused(Arena *a, uint64_t seed, const Target *t)
{
    const Graph *g = random_graph(a, seed, &(RandomOptions){ .nodes = 25 });
    Program *p = pipeline_run(&(Pipeline){ .target = t, .mode = (NumericMode)(seed % 3) }, a, g, NULL);
    cr_assert(p);
    return p;
}

/* Pack and unpack give the same program, and the other process gives the same object. */
Test(process, makes_the_same_code)
{
    Arena arena;
    Memory memory;
    Target here, there;
    Failure f = { .code = WEFT_OK };
    arena_open(&arena);
    memory_init(&memory, &heap, 0, 0);
    CompilerProcess *p = process_new(&memory, 0, 0);
    cr_assert(process_target(p, "host", &there, &f), "%s", f.text);
    cr_assert(code_backend()->target("host", &here));
    cr_assert(!memcmp(&here, &there, sizeof here));
    for (uint64_t seed = 1; seed <= 40; seed++) {
        BackendOutput mine, other;
        size_t bytes;
        Program *program = fused(&arena, seed, &here);
        void *block = program_pack(&arena, program, &bytes);
        Program *back = program_unpack(block, bytes);
        cr_assert(back);
        cr_assert_str_eq(program_print(&arena, back), program_print(&arena, program));
        unsigned also = seed % 4 ? 0 : BACKEND_IR | BACKEND_ASM;
        cr_assert(code_backend()->compile(program, &here, also, &mine), "%s", mine.error);
        cr_assert(process_compile(p, &arena, program, &there, also, &other, &f), "%s", f.text);
        cr_assert(mine.object_bytes == other.object_bytes, "seed %d", (int)seed);
        cr_assert(!memcmp(mine.object, other.object, mine.object_bytes), "seed %d", (int)seed);
        if (also) cr_assert_str_eq(mine.ir, other.ir);
        if (also) cr_assert_str_eq(mine.assembly, other.assembly);
        backend_release(&mine);
        backend_release(&other);
        arena_free(&arena);
    }
    cr_assert(!process_target(p, "no such machine", &there, &f));
    process_free(&memory, p);
    memory_close(&memory);
}

/* Cut off anywhere or with any byte changed, a packed program is refused, or has pointers that stay
 * inside: the sanitizer would see it. */
Test(process, refuses_damaged_programs)
{
    Arena arena;
    Target t;
    size_t bytes, refused = 0;
    arena_open(&arena);
    cr_assert(code_backend()->target("host", &t));
    const char *block = program_pack(&arena, fused(&arena, 2, &t), &bytes);
    for (size_t n = 0; n < bytes; n++) {
        char *copy = aligned_alloc(16, (bytes + 15) & ~(size_t)15);
        memcpy(copy, block, n);
        cr_assert(!program_unpack(copy, n), "%zu bytes of %zu", n, bytes);
        memcpy(copy, block, bytes);
        copy[n] ^= 0x41;
        refused += !program_unpack(copy, bytes);
        free(copy);
    }
    cr_assert(refused > bytes / 50);
    arena_free(&arena);
}

/* ---- messages ---- */

/* Receives these bytes; the other end is closed behind them. */
static WireResult received(const char *bytes, size_t n)
{
    int pair[2];
    void *block;
    size_t size;
    cr_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    cr_assert(send(pair[1], bytes, n, 0) == (ssize_t)n);
    close(pair[1]);
    WireResult r = wire_receive(pair[0], &block, &size, INFINITY);
    cr_assert(!r == !!block);
    free(block);
    close(pair[0]);
    return r;
}

Test(process, refuses_damaged_messages)
{
    static const char text[] = "what is said";
    char message[256];
    int pair[2];
    cr_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    const MessagePart parts[] = { { text, 5 }, { NULL, 0 }, { text + 5, sizeof text - 5 } };
    cr_assert(!wire_send(pair[1], parts, 3, INFINITY));
    ssize_t n = recv(pair[0], message, sizeof message, 0);
    cr_assert(n > (ssize_t)sizeof text);
    cr_assert(received(message, (size_t)n) == WIRE_DONE);
    for (ssize_t i = 0; i < n; i++) {
        cr_assert(received(message, (size_t)i) == WIRE_CLOSED);
        for (int bit = 0; bit < 8; bit++) {
            message[i] ^= (char)(1 << bit);
            cr_assert(received(message, (size_t)n) == WIRE_DAMAGED, "byte %d", (int)i);
            message[i] ^= (char)(1 << bit);
        }
    }
    void *block;
    size_t size;
    cr_assert(wire_receive(pair[0], &block, &size, wire_deadline(0.02)) == WIRE_LATE);
    close(pair[0]);
    cr_assert(wire_send(pair[1], &(MessagePart){ text, 5 }, 1, INFINITY) == WIRE_CLOSED);
    close(pair[1]);
    cr_assert(wire_send(pair[1], &(MessagePart){ text, 5 }, 1, INFINITY) == WIRE_CLOSED);
}

/* ---- through the public door ---- */

static weft_array *wave(weft_array *x)
{
    for (int i = 0; i < 6; i++) x = weft_add(weft_sin(x), weft_mul(x, 0.5));
    return x;
}

/* Numbers of a length that this context has not seen yet, under jit and op by op: strict mode gives the
 * same bits. */
static bool agrees(weft_context *ctx, int n)
{
    weft_scope *s = weft_scope_open(ctx);
    weft_array *x = weft_linspace(ctx, -3, 3, n), *a = weft_jit(ctx, wave)(x), *b = wave(x);
    bool same = a && !memcmp(weft_f32(a), weft_f32(b), (size_t)n * sizeof(float));
    weft_scope_close(s);
    return same;
}

static weft_context *opened(weft_options o)
{
    o.compile_apart = true;
    o.mode = WEFT_MODE_STRICT;
    weft_context *ctx = weft_open(&o);
    cr_assert(ctx, "%s", weft_error(NULL));
    weft_declare(ctx, wave, weft_unary);
    return ctx;
}

/* The process's state and the ticks of processor time that it has had; false: there is none of this name. */
static bool stat_of(int pid, const char *name, char *state, unsigned long *ticks)
{
    char path[64], found[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    int n = fscanf(file, "%*d (%63[^)]) %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", found, state, ticks);
    fclose(file);
    return n == 3 && !strcmp(found, name);
}

/* Was it started for that process? What is ending has no arguments any more, and its files open for a moment
 * still: whose it was cannot be told. */
static bool is_for(int pid, pid_t of, bool or_ending)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    size_t last = n ? n - 1 : 0;
    while (last && text[last - 1]) last--;
    return n ? atoi(text + last) == (int)of : or_ending;
}

/* A process that lives, of this name and started for that process, and the ticks of processor time that it
 * has had; 0: none. */
static pid_t process_for(pid_t of, const char *name, unsigned long *ticks, bool or_ending)
{
    DIR *folder = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *e; !found && (e = readdir(folder));) {
        int pid = atoi(e->d_name);
        char state;
        if (pid && stat_of(pid, name, &state, ticks) && state != 'Z' && is_for(pid, of, or_ending))
            found = pid;
    }
    closedir(folder);
    return found;
}

/* The one that compiles for this process, if there is one; and the one that watches over it. */
static pid_t compiler(void)
{
    unsigned long ticks;
    return process_for(getpid(), "weft-compile", &ticks, false);
}

static pid_t supervisor(void)
{
    unsigned long ticks;
    return process_for(getpid(), "weft-supervise", &ticks, false);
}

/* Never 0, which means all of this group. */
static void stop(pid_t pid, int number)
{
    cr_assert(pid > 0);
    kill(pid, number);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

static pid_t running(void)
{
    pid_t pid = compiler();
    /* the list of processes is read as it changes */
    for (int i = 0; !pid && i < 200; i++, sleep_ms(10)) pid = compiler();
    cr_assert(pid);
    return pid;
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

static bool is_gone(pid_t pid)
{
    char state;
    unsigned long ticks;
    return !stat_of(pid, "weft-compile", &state, &ticks) || state == 'Z';
}

/* Soon: both have been sent what ends them. */
static bool none_is_left(void)
{
    unsigned long ticks;
    bool any = true;
    for (int i = 0; i < 1000 && any; i++, sleep_ms(5))
        any = process_for(getpid(), "weft-compile", &ticks, true) ||
              process_for(getpid(), "weft-supervise", &ticks, true);
    return !any;
}

static bool goes(pid_t pid)
{
    for (int i = 0; i < 1000 && !is_gone(pid); i++) sleep_ms(5);
    return is_gone(pid);
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

/* It does not even say which machine it is on. It is started once for each compile, not in each call. */
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

/* ---- what programs do ---- */

static void *compile_some(void *ctx)
{
    for (int n = 0; n < 12; n++)
        if (!agrees(ctx, 30 + n)) return "it does not agree";
    return NULL;
}

Test(process, serves_threads_of_two_contexts)
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

Test(process, serves_forked_children)
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

/* What is there, what is not, what the other thread was building, and the end of it all. */
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
Test(process, serves_children_that_are_forked_in_a_compile)
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
Test(process, forks_while_locks_are_held)
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

Test(process, ends_when_its_parent_is_gone)
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
    for (int i = 0; i < 100; i++) x = weft_sin(weft_lgamma(weft_add(x, i)));
    return x;
}

/* Seconds of compiling; before, a child of its own may get hold of the socket, which weft is not told of. */
static void compile_for_long(bool with_child)
{
    weft_context *ctx = opened((weft_options){ .compile_seconds = 1e7 });
    weft_declare(ctx, large, weft_unary);
    if (!agrees(ctx, 50)) _exit(1);
    if (with_child && !syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)) {
        sleep_ms(60000);
        _exit(0);
    }
    weft_jit(ctx, large)(weft_ones(ctx, WEFT_F32, 100));
    _exit(0);
}

/* Not when the compile is done: at once. */
Test(process, ends_in_a_compile_when_its_parent_is_killed)
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

/* Files of other people's stand where the socket was. */
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

/* In the middle of a compile: what says nothing is not waited for. */
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

/* Where a program without standard streams prints to, there is nothing of weft's. */
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

/* Whoever waits for all children gets those of its own, each once; and the compiler is none of them. */
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

Test(process, lives_with_what_programs_do)
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
