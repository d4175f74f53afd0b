/* weft-compile: the compiler back end as a process of its own. A context with compile_apart starts it
 * and asks it over a socket, which is its standard input (runtime/process/); it answers one question
 * after the other and ends when the other end is closed, or that program has ended. It may run out of
 * memory or of time, or crash: the process that started it lives on. Its arguments are limits, of memory
 * in bytes and of a compile in seconds, and the number of the program's process.
 *
 * It is two processes. One compiles. The other one, its parent, ends it when nobody waits for it any more,
 * and says over the socket how it ended, which the program cannot ask: it is not its child.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/process/wire.h"
#include "runtime/team/team.h"

extern BackendDoor weft_backend;

/* 0 where /proc is not mounted. */
static rlim_t address_space(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%llu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* LLVM is there already and does not count. */
static void limit_memory(rlim_t bytes)
{
    rlim_t here = address_space(), most = bytes < RLIM_INFINITY - here ? here + bytes : RLIM_INFINITY;
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r)) return;
    r.rlim_cur = r.rlim_max = most < r.rlim_max ? most : r.rlim_max;
    setrlimit(RLIMIT_AS, &r);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

/* When the machine runs out of memory, this process is to be ended first. */
static void volunteer(void)
{
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (!file) return;
    fputs("1000", file);
    fclose(file);
}

/* Waits until the other end is closed; or the program is gone, though a child of its own holds that end
 * open; or the compiling process has closed its end of the pipe. */
static void watch(int program, int pipe)
{
    struct pollfd p[] = { { .fd = STDIN_FILENO }, { .fd = program, .events = POLLIN }, { .fd = pipe } };
    int n;
    do n = poll(p, 3, -1);
    while (n < 0 && errno == EINTR);
}

static int supervise(pid_t pid, pid_t program, int pipe)
{
    Answer a = { .ended = true };
    watch((int)syscall(SYS_pidfd_open, program, 0), pipe); /* -1 before Linux 5.3: poll passes over it */
    kill(pid, SIGKILL);                                    /* one that is ending already has its status */
    while (waitpid(pid, &a.status, 0) < 0 && errno == EINTR) {}
    wire_send(STDIN_FILENO, &(MessagePart){ &a, sizeof a }, 1, wire_deadline(1));
    return 0;
}

/* The parent has one thread, so this comes when the process ends, and not before. */
static void go_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
}

/* Threads of this process, not of the one that asks. */
static Workers workers(int64_t most)
{
    static Team *team;
    int cores = team_cores();
    if (!team && most > 1 && cores > 1) team = team_open(cores, NULL, NULL);
    return team_workers(team, most < cores ? (int)most : cores);
}

static void compile(const Backend *b, Question *q, size_t bytes, Answer *a)
{
    Program *p = program_unpack(q + 1, bytes - sizeof *q);
    BackendOutput *out = &a->output;
    Workers w = workers(q->threads);
    a->good = p && b->compile(p, &q->target, q->also, &w, out);
    if (!p) snprintf(out->error, sizeof out->error, "the program came damaged");
    a->ir_bytes = out->ir ? strlen(out->ir) + 1 : 0;
    a->assembly_bytes = out->assembly ? strlen(out->assembly) + 1 : 0;
}

static WireResult answer(const Backend *b, Question *q, size_t bytes)
{
    Answer a = { .good = false };
    if (bytes > sizeof *q) compile(b, q, bytes, &a);
    else a.good = b->target(q->name, &a.target);
    const MessagePart parts[] = { { &a, sizeof a },
                                  { a.output.object, a.output.object_bytes },
                                  { a.output.ir, a.ir_bytes },
                                  { a.output.assembly, a.assembly_bytes } };
    WireResult r = wire_send(STDIN_FILENO, parts, 4, INFINITY);
    backend_release(&a.output);
    return r;
}

static int serve(rlim_t memory, double seconds)
{
    const Backend *b = weft_backend();
    limit_memory(memory);
    volunteer();
    for (;;) {
        void *question;
        size_t bytes;
        WireResult r = wire_receive(STDIN_FILENO, &question, &bytes, INFINITY);
        if (r == WIRE_OTHER_BUILD) wire_send(STDIN_FILENO, NULL, 0, INFINITY); /* so that it sees so, too */
        if (r || bytes < sizeof(Question)) return r != WIRE_CLOSED;
        alarm(seconds < 1e6 ? (unsigned)seconds + 2 : 0); /* if nobody is left who ends it */
        r = answer(b, question, bytes);
        alarm(0);
        free(question);
        if (r) return 0;
    }
}

int main(int argc, char **argv)
{
    int type = 0, ends[2];
    socklen_t size = sizeof type;
    if (argc != 4 || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size)) {
        fputs("weft-compile is started by libweft, for a context with compile_apart\n", stderr);
        return 2;
    }
    syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0); /* what else that process has open is its own */
    if (pipe(ends)) return 1;
    prctl(PR_SET_NAME, "weft-supervise"); /* before there are two of one name */
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) return 1;
    close(ends[!pid ? 0 : 1]);
    if (pid) return supervise(pid, atoi(argv[3]), ends[0]);
    go_with(parent);
    prctl(PR_SET_NAME, "weft-compile");
    return serve(strtoull(argv[1], NULL, 10), strtod(argv[2], NULL));
}
