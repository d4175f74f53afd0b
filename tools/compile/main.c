/* weft-compile: the compiler back end as a process of its own. A context with compile_apart starts it
 * and asks it over a socket, which is its standard input (runtime/process/); it answers one question
 * after the other and ends when the other end is closed, or its parent has ended. It may run out of
 * memory or of time, or crash: the process that started it lives on. Its arguments are limits: of memory
 * in bytes, and of a compile in seconds.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/process/wire.h"

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

/* Ends the process in the middle of a compile, too, when nobody waits for it any more: the other end is
 * closed, or the parent is gone and left it open in a child of its own. PR_SET_PDEATHSIG would not do: it
 * comes as soon as the thread ends that happened to start this process. */
static void *watch(void *parent)
{
    struct pollfd p[] = { { .fd = STDIN_FILENO }, { .fd = *(int *)parent, .events = POLLIN } };
    int n;
    do n = poll(p, 2, -1);
    while (n < 0 && errno == EINTR);
    if (n > 0) _exit(0);
    return NULL;
}

/* Where the system refuses a thread, compiles come to their end first. */
static void start_watch(void)
{
    static int parent;
    pthread_t thread;
    pthread_attr_t how;
    parent = (int)syscall(SYS_pidfd_open, getppid(), 0);    /* before Linux 5.3 -1, which poll passes over */
    if (pthread_attr_init(&how)) return;
    pthread_attr_setstacksize(&how, 256 << 10);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &how, watch, &parent);
    pthread_attr_destroy(&how);
}

static void compile(const Backend *b, Question *q, size_t bytes, Answer *a, BackendOutput *out)
{
    Program *p = program_unpack(q + 1, bytes - sizeof *q);
    a->good = p && b->compile(p, &q->target, q->also, out);
    snprintf(a->error, sizeof a->error, "%s", p ? out->error : "the program came damaged");
    a->object_bytes = out->object_bytes;
    a->ir_bytes = out->ir ? strlen(out->ir) + 1 : 0;
    a->assembly_bytes = out->assembly ? strlen(out->assembly) + 1 : 0;
    a->emit_us = out->emit_us;
    a->optimize_us = out->optimize_us;
    a->codegen_us = out->codegen_us;
}

static WireResult answer(const Backend *b, Question *q, size_t bytes)
{
    Answer a = { .good = false };
    BackendOutput out = { .object = NULL };
    if (bytes > sizeof *q) compile(b, q, bytes, &a, &out);
    else a.good = b->target(q->name, &a.target);
    const Part parts[] = { { &a, sizeof a }, { out.object, a.object_bytes }, { out.ir, a.ir_bytes },
                           { out.assembly, a.assembly_bytes } };
    WireResult r = wire_send(STDIN_FILENO, parts, 4, INFINITY);
    backend_release(&out);
    return r;
}

int main(int argc, char **argv)
{
    int type = 0;
    socklen_t size = sizeof type;
    if (argc != 3 || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size)) {
        fputs("weft-compile is started by libweft, for a context with compile_apart\n", stderr);
        return 2;
    }
    syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0);   /* what else that process has open is its own */
    const Backend *b = weft_backend();
    start_watch();
    double seconds = strtod(argv[2], NULL);
    limit_memory(strtoull(argv[1], NULL, 10));
    volunteer();
    for (;; ) {
        void *question;
        size_t bytes;
        WireResult r = wire_receive(STDIN_FILENO, &question, &bytes, INFINITY);
        if (r == WIRE_OTHER_BUILD) wire_send(STDIN_FILENO, NULL, 0, INFINITY);  /* so that it sees so, too */
        if (r || bytes < sizeof(Question)) return r != WIRE_CLOSED;
        alarm(seconds < 1e6 ? (unsigned)seconds + 2 : 0);           /* if nobody is left who ends it */
        r = answer(b, question, bytes);
        alarm(0);
        free(question);
        if (r) return 0;
    }
}
