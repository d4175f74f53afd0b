/* process.c: see process.h. */
#define _GNU_SOURCE /* clone */
#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "backend_open.h"
#include "wire.h"

enum { OF_PIDFD = 3 }; /* P_PIDFD, which older headers of the C library have not */

struct CompilerProcess {
    pthread_mutex_t lock; /* guards what follows; held from a question to its answer */
    size_t memory;
    double seconds;
    pid_t owner;            /* 0: none runs; else the process that started it */
    KeptFile socket;        /* our end */
    KeptFile process;       /* stands for it (pidfd_open); fd -1: before Linux 5.3 */
    _Atomic bool installed; /* one has run, and was of this build */
};

CompilerProcess *process_new(Memory *m, size_t memory, double seconds)
{
    CompilerProcess *p = memory_alloc(m, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->memory = memory ? memory : (size_t)2 << 30;
    p->seconds = seconds > 0 ? seconds : 60;
    p->socket.fd = p->process.fd = -1;
    return p;
}

/* ---- files ---- */

static void let_go(KeptFile *k)
{
    if (file_is_there(k)) close(k->fd);
    k->fd = -1;
}

/* In a program without standard streams one of them would be what it prints to. */
static int above_streams(int fd)
{
    if (fd > STDERR_FILENO || fd < 0) return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(fd);
    errno = error;
    return higher;
}

/* False: errno says why. */
static bool socket_pair(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return false;
    for (int i = 0; i < 2; i++) pair[i] = above_streams(pair[i]);
    if (pair[0] >= 0 && pair[1] >= 0) return true;
    int error = errno;
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0) close(pair[i]);
    errno = error;
    return false;
}

/* ---- starting ---- */

static bool start_failed(Failure *f, const char *path, int error)
{
    return fail(f, WEFT_COMPILER, "the compiler process %s cannot be started: %s", path, strerror(error));
}

typedef struct SpawnRequest {
    const CompilerProcess *process;
    const char *path;
    int socket, error;
    pid_t owner, pid;
    _Alignas(16) char stack[64 << 10];
} SpawnRequest;

/* A group of its own: what is typed at the terminal is not meant for it. No signal is blocked or ignored
 * there, and it gets nothing of the environment. */
static int spawn(SpawnRequest *s)
{
    char memory[32], seconds[32], owner[32];
    char *const arguments[] = { (char *)s->path, memory, seconds, owner, NULL };
    char *const environment[] = { NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    snprintf(memory, sizeof memory, "%zu", s->process->memory);
    snprintf(seconds, sizeof seconds, "%.0f", s->process->seconds);
    snprintf(owner, sizeof owner, "%d", (int)s->owner);
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    if ((error = posix_spawnattr_init(&how))) goto no_attributes;
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    if (!(error = posix_spawn_file_actions_adddup2(&files, s->socket, STDIN_FILENO)) &&
        !(error = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)) &&
        !(error = posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO)))
        error = posix_spawn(&s->pid, s->path, &files, &how, arguments, environment);
    posix_spawnattr_destroy(&how);
no_attributes:
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* By this name ThreadSanitizer does not see it, which takes it for a fork. */
#ifdef __GLIBC__
int __clone(int run(void *), void *stack, int flags, void *user, ...);
#else
#define __clone clone
#endif

static int spawn_and_leave(void *p)
{
    SpawnRequest *s = p;
    s->error = spawn(s);
    _exit(0);
}

/* The compiler process is not to be a child of the program's: whoever waits for all children would wait
 * for it, and whoever collects any child would collect it, and have its number given to another one. So a
 * process in between starts it and ends at once, on a stack of its own in this memory while this thread
 * stands still, as in posix_spawn. That one ends without a signal, so that only __WCLONE sees it. */
static int spawn_apart(SpawnRequest *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* no handler of the program's runs in between */
    pid_t between = __clone(spawn_and_leave, s->stack + sizeof s->stack, CLONE_VM | CLONE_VFORK, s);
    int error = between < 0 ? errno : s->error;
    while (between > 0 && waitpid(between, NULL, __WCLONE) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Between questions there is nothing to read but the end. */
static bool is_waiting(const CompilerProcess *p)
{
    return file_is_there(&p->socket) &&
           poll(&(struct pollfd){ .fd = p->socket.fd, .events = POLLIN }, 1, 0) == 0;
}

/* Opens the file that stands for the process. If the socket is open still, so was the process when its number
 * was looked up, and the number was its own. */
static void know(CompilerProcess *p, pid_t pid)
{
    p->process = file_keep(pid > 0 ? above_streams((int)syscall(SYS_pidfd_open, pid, 0)) : -1);
    if (!is_waiting(p)) let_go(&p->process);
}

static bool start(CompilerProcess *p, Failure *f)
{
    char path[PATH_MAX];
    int pair[2];
    Failure wrong = { 0 };
    if (!backend_neighbour("weft-compile", path, &wrong))
        return fail(f, WEFT_COMPILER, "the compiler process cannot be started: %s", wrong.text);
    if (!socket_pair(pair)) return start_failed(f, path, errno);
    SpawnRequest s = { .process = p, .path = path, .socket = pair[1], .owner = getpid() };
    int error = spawn_apart(&s);
    close(pair[1]);
    if (error) {
        close(pair[0]);
        return start_failed(f, path, error);
    }
    p->socket = file_keep(pair[0]);
    know(p, s.pid);
    p->owner = s.owner;
    return true;
}

/* ---- ending ---- */

/* Forgets the process, which another one may have started. */
static void leave(CompilerProcess *p)
{
    let_go(&p->socket);
    let_go(&p->process);
    p->owner = 0;
}

/* False: it did not end. */
static bool ends_within(const KeptFile *process, int milliseconds)
{
    int n;
    do n = poll(&(struct pollfd){ .fd = process->fd, .events = POLLIN }, 1, milliseconds);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/* Puts an end to it: it sees that the socket closes, ends the one that compiles and goes itself. Where it
 * does not it is killed, by the file that stands for it: its number might be another one's. It is collected
 * where orphans come to this process, which is the first one of a container, say. */
static void end(CompilerProcess *p)
{
    siginfo_t unused;
    if (file_is_there(&p->socket)) shutdown(p->socket.fd, SHUT_RDWR); /* in children that have it, too */
    if (file_is_there(&p->process)) {
        if (!ends_within(&p->process, 1000)) syscall(SYS_pidfd_send_signal, p->process.fd, SIGKILL, NULL, 0);
        ends_within(&p->process, 1000);
        waitid((idtype_t)OF_PIDFD, (id_t)p->process.fd, &unused, WEXITED | WNOHANG);
    }
    leave(p);
}

void process_free(Memory *m, CompilerProcess *p)
{
    if (!p) return;
    if (p->owner == getpid()) end(p);
    else if (p->owner) leave(p);
    pthread_mutex_destroy(&p->lock);
    memory_free(m, p, sizeof *p);
}

/* Another thread may have held the lock, in the middle of a start, too. */
void process_forked(CompilerProcess *p)
{
    pthread_mutex_init(&p->lock, NULL);
    leave(p);
}

/* ---- asking ---- */

/* A process that was made without fork, by the system call, has not been told that it is another one. */
static bool ready(CompilerProcess *p, Failure *f)
{
    if (p->owner && p->owner != getpid()) leave(p);
    if (p->owner && !is_waiting(p)) end(p);
    return p->owner || start(p, f);
}

static bool is_text(const char *text, uint64_t bytes) { return !bytes || !text[bytes - 1]; }

/* Do the pieces fill what came, and do texts end? */
static bool is_whole(const Answer *a, size_t bytes)
{
    if (bytes < sizeof *a) return false;
    uint64_t left = bytes - sizeof *a, object = a->output.object_bytes;
    const char *ir = (const char *)(a + 1) + object, *assembly = ir + a->ir_bytes;
    const Target *t = &a->target;
    if (object > left || a->ir_bytes > left - object) return false;
    if (a->assembly_bytes != left - object - a->ir_bytes) return false;
    return is_text(ir, a->ir_bytes) && is_text(assembly, a->assembly_bytes) &&
           is_text(a->output.error, sizeof a->output.error) && is_text(t->triple, sizeof t->triple) &&
           is_text(t->cpu, sizeof t->cpu) && is_text(t->features, sizeof t->features);
}

/* Says why the process is of no use any more. */
static bool say(const CompilerProcess *p, WireResult why, Failure *f)
{
    static const char *const text[] = {
        [WIRE_CLOSED] = "the compiler process has ended",
        [WIRE_DAMAGED] = "the answer of the compiler process is damaged",
        [WIRE_OTHER_BUILD] = "the compiler process is of another build of weft: install both from one",
        [WIRE_MEMORY] = "no memory for what the compiler process answers"
    };
    if (why == WIRE_LATE)
        return fail(f, WEFT_COMPILER, "the compiler process did not answer within %g s (compile_seconds)",
                    p->seconds);
    return fail(f, why == WIRE_MEMORY ? WEFT_MEMORY : WEFT_COMPILER, "%s", text[why]);
}

static bool say_end(const CompilerProcess *p, int status, Failure *f)
{
    if (WIFSIGNALED(status))
        return fail(f, WEFT_COMPILER,
                    "the compiler process ended by signal %d (%s), as it does when memory runs "
                    "out (compile_memory is %zu bytes)",
                    WTERMSIG(status), strsignal(WTERMSIG(status)), p->memory);
    return fail(f, WEFT_COMPILER, "the compiler process ended with status %d", WEXITSTATUS(status));
}

/* The answer, which the caller frees. NULL: f says why, and the process is put an end to. */
static Answer *ask_locked(CompilerProcess *p, const MessagePart *parts, int n, Failure *f)
{
    void *block = NULL;
    size_t bytes = 0;
    if (!ready(p, f)) return NULL;
    double deadline = wire_deadline(p->seconds);
    WireResult r = wire_send(p->socket.fd, parts, n, deadline);
    /* A process that has ended may have answered before. */
    if (r != WIRE_LATE) r = wire_receive(p->socket.fd, &block, &bytes, deadline);
    if (r != WIRE_OTHER_BUILD) p->installed = true;
    if (!r && !is_whole(block, bytes)) r = WIRE_DAMAGED;
    Answer *a = block;
    if (!r && !a->ended) return a;
    if (r) say(p, r, f);
    else say_end(p, a->status, f);
    free(block);
    end(p);
    return NULL;
}

static Answer *ask(CompilerProcess *p, const MessagePart *parts, int n, Failure *f)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&p->lock);
    Answer *a = ask_locked(p, parts, n, f);
    pthread_mutex_unlock(&p->lock);
    pthread_setcancelstate(cancel, NULL);
    return a;
}

bool process_installed(const CompilerProcess *p) { return p->installed; }

bool process_target(CompilerProcess *p, const char *text, Target *t, Failure *f)
{
    Question q = { .also = 0 };
    snprintf(q.name, sizeof q.name, "%s", text);
    Answer *a = ask(p, &(MessagePart){ &q, sizeof q }, 1, f);
    if (!a) return false;
    bool good = a->good;
    *t = a->target;
    free(a);
    return good;
}

/* A piece of an answer as a block of its own; *at goes behind it. */
static void *piece(const char **at, uint64_t bytes)
{
    void *block = bytes ? malloc(bytes) : NULL;
    if (block) memcpy(block, *at, bytes);
    *at += bytes;
    return block;
}

static bool take_output(const Answer *a, BackendOutput *out)
{
    const char *at = (const char *)(a + 1);
    *out = a->output;
    out->object = piece(&at, out->object_bytes);
    out->ir = piece(&at, a->ir_bytes);
    out->assembly = piece(&at, a->assembly_bytes);
    if (!out->object) out->object_bytes = 0;
    if (a->good && !out->object) snprintf(out->error, sizeof out->error, "out of memory");
    return a->good && out->object;
}

bool process_compile(CompilerProcess *p, Arena *arena, const Program *program, const Target *t, unsigned also,
                     int64_t threads, BackendOutput *out, Failure *f)
{
    size_t bytes;
    Question q = { .target = *t, .also = also, .threads = threads };
    const void *block = program_pack(arena, program, &bytes);
    const MessagePart parts[] = { { &q, sizeof q }, { block, bytes } };
    Answer *a = ask(p, parts, 2, f);
    bool good = a && take_output(a, out);
    free(a);
    return good;
}
