/* process.c: see process.h. */
#include "process.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/backend.h"
#include "wire.h"

struct CompilerProcess {
    pthread_mutex_t lock;           /* guards what follows; held from a question to its answer */
    size_t memory; double seconds;
    pid_t pid, owner;               /* 0: none runs; the process that started it */
    int socket;                     /* our end */
    ino_t inode;                    /* its: whoever closes all files of a process closes this one, too */
    _Atomic bool installed;         /* one has run, and was of this build */
};

CompilerProcess *process_new(Memory *m, size_t memory, double seconds)
{
    CompilerProcess *p = memory_alloc(m, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->memory = memory ? memory : (size_t)2 << 30;
    p->seconds = seconds > 0 ? seconds : 60;
    return p;
}

/* ---- starting ---- */

static bool start_failed(Failure *f, const char *path, int error)
{
    return fail(f, WEFT_COMPILER, "the compiler process %s cannot be started: %s", path, strerror(error));
}

/* A group of its own: what is typed at the terminal is not meant for it. No signal is blocked or ignored
 * there, and it gets nothing of the environment. */
static int spawn(const CompilerProcess *p, const char *path, int socket, pid_t *pid)
{
    char memory[32], seconds[32];
    char *const arguments[] = { (char *)path, memory, seconds, NULL }, *const environment[] = { NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    snprintf(memory, sizeof memory, "%zu", p->memory);
    snprintf(seconds, sizeof seconds, "%.0f", p->seconds);
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    if ((error = posix_spawnattr_init(&how))) goto no_attributes;
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    if (!(error = posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO)) &&
        !(error = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)) &&
        !(error = posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO)))
        error = posix_spawn(pid, path, &files, &how, arguments, environment);
    posix_spawnattr_destroy(&how);
no_attributes:
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static bool start(CompilerProcess *p, Failure *f)
{
    char path[PATH_MAX];
    int pair[2];
    struct stat s;
    Failure wrong = { 0 };
    if (!backend_neighbour("weft-compile", path, &wrong))
        return fail(f, WEFT_COMPILER, "the compiler process cannot be started: %s", wrong.text);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return start_failed(f, path, errno);
    int error = fstat(pair[0], &s) ? errno : spawn(p, path, pair[1], &p->pid);
    close(pair[1]);
    if (error) {
        close(pair[0]);
        p->pid = 0;
        return start_failed(f, path, error);
    }
    p->owner = getpid();
    p->socket = pair[0];
    p->inode = s.st_ino;
    return true;
}

/* ---- ending ---- */

static bool has_socket(const CompilerProcess *p)
{
    struct stat s;
    return !fstat(p->socket, &s) && S_ISSOCK(s.st_mode) && s.st_ino == p->inode;
}

/* Forgets the process, which another one may have started. */
static void leave(CompilerProcess *p)
{
    if (has_socket(p)) close(p->socket);
    p->pid = 0;
}

/* Puts an end to it and says how it ended, as wait does. Where the program has collected it itself, or
 * ignores SIGCHLD, that is not known: false. The number may then be another process's, so nothing is
 * sent to it. */
static bool end(CompilerProcess *p, int *status)
{
    pid_t got = waitpid(p->pid, status, WNOHANG);
    if (got == 0) {
        kill(p->pid, SIGKILL);      /* one that is ending already has its status */
        do got = waitpid(p->pid, status, 0);
        while (got < 0 && errno == EINTR);
    }
    bool known = got == p->pid;
    leave(p);
    return known;
}

void process_free(Memory *m, CompilerProcess *p)
{
    int status;
    if (!p) return;
    if (p->pid && p->owner == getpid()) end(p, &status);
    else if (p->pid) leave(p);
    pthread_mutex_destroy(&p->lock);
    memory_free(m, p, sizeof *p);
}

/* ---- asking ---- */

/* Between questions there is nothing to read but the end. */
static bool is_waiting(const CompilerProcess *p)
{
    return has_socket(p) && poll(&(struct pollfd){ .fd = p->socket, .events = POLLIN }, 1, 0) == 0;
}

static bool ready(CompilerProcess *p, Failure *f)
{
    int status;
    if (p->pid && p->owner != getpid()) leave(p);
    if (p->pid && !is_waiting(p)) end(p, &status);
    return p->pid || start(p, f);
}

static bool is_text(const char *text, uint64_t bytes) { return !bytes || !text[bytes - 1]; }

/* Do the pieces fill what came, and do texts end? */
static bool is_whole(const Answer *a, size_t bytes)
{
    if (bytes < sizeof *a) return false;
    const char *ir = (const char *)(a + 1) + a->object_bytes, *assembly = ir + a->ir_bytes;
    const Target *t = &a->target;
    uint64_t left = bytes - sizeof *a;
    if (a->object_bytes > left || a->ir_bytes > left - a->object_bytes) return false;
    if (a->assembly_bytes != left - a->object_bytes - a->ir_bytes) return false;
    return is_text(ir, a->ir_bytes) && is_text(assembly, a->assembly_bytes) &&
           is_text(a->error, sizeof a->error) && is_text(t->triple, sizeof t->triple) &&
           is_text(t->cpu, sizeof t->cpu) && is_text(t->features, sizeof t->features);
}

/* It is of no use any more: f says why. */
static bool lose(CompilerProcess *p, WireResult why, Failure *f)
{
    int status = 0;
    bool known = end(p, &status);
    if (why == WIRE_MEMORY) return fail(f, WEFT_MEMORY, "no memory for what the compiler process answers");
    if (why == WIRE_DAMAGED) return fail(f, WEFT_COMPILER, "the answer of the compiler process is damaged");
    if (why == WIRE_OTHER_BUILD)
        return fail(f, WEFT_COMPILER, "the compiler process is of another build of weft: install both from one");
    if (why == WIRE_LATE)
        return fail(f, WEFT_COMPILER, "the compiler process did not answer within %g s (compile_seconds)",
                    p->seconds);
    if (known && WIFSIGNALED(status))
        return fail(f, WEFT_COMPILER, "the compiler process ended by signal %d (%s), as it does when memory runs "
                    "out (compile_memory is %zu bytes)", WTERMSIG(status), strsignal(WTERMSIG(status)), p->memory);
    if (known)
        return fail(f, WEFT_COMPILER, "the compiler process ended with status %d", WEXITSTATUS(status));
    return fail(f, WEFT_COMPILER, "the compiler process has ended");
}

/* The answer, which the caller frees. NULL: f says why. */
static Answer *ask_locked(CompilerProcess *p, const Part *parts, int n, Failure *f)
{
    void *answer;
    size_t bytes = 0;
    if (!ready(p, f)) return NULL;
    double deadline = wire_deadline(p->seconds);
    WireResult r = wire_send(p->socket, parts, n, deadline);
    if (r != WIRE_LATE) r = wire_receive(p->socket, &answer, &bytes, deadline);     /* the last words of one, too */
    if (r != WIRE_OTHER_BUILD) p->installed = true;
    if (!r && is_whole(answer, bytes)) return answer;
    if (!r) free(answer);
    lose(p, r ? r : WIRE_DAMAGED, f);
    return NULL;
}

static Answer *ask(CompilerProcess *p, const Part *parts, int n, Failure *f)
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
    Answer *a = ask(p, &(Part){ &q, sizeof q }, 1, f);
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
    out->object = piece(&at, a->object_bytes);
    out->ir = piece(&at, a->ir_bytes);
    out->assembly = piece(&at, a->assembly_bytes);
    out->object_bytes = out->object ? a->object_bytes : 0;
    out->emit_us = a->emit_us;
    out->optimize_us = a->optimize_us;
    out->codegen_us = a->codegen_us;
    snprintf(out->error, sizeof out->error, "%s", a->good && !out->object ? "out of memory" : a->error);
    return a->good && out->object;
}

bool process_compile(CompilerProcess *p, Arena *arena, const Program *program, const Target *t, unsigned also,
                     BackendOutput *out, Failure *f)
{
    size_t bytes;
    Question q = { .target = *t, .also = also };
    const void *block = program_pack(arena, program, &bytes);
    const Part parts[] = { { &q, sizeof q }, { block, bytes } };
    Answer *a = ask(p, parts, 2, f);
    bool good = a && take_output(a, out);
    free(a);
    return good;
}
