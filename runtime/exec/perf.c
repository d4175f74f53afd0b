/* perf.c: see perf.h. The dump has the format of the Linux tree (tools/perf/Documentation/
 * jitdump-specification.txt): a header, then a record for each function. perf learns where the dump is from a
 * mapping of it that may be executed. A forked child writes files of its own. */
#define _GNU_SOURCE /* gettid */
#include "perf.h"
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x4a695444, VERSION = 1, CODE_LOAD = 0, NAME_BYTES = 512 };
#if defined __x86_64__
enum { ELF_MACHINE = EM_X86_64 };
#else
enum { ELF_MACHINE = EM_AARCH64 };
#endif

typedef struct DumpHeader {
    uint32_t magic, version, header_bytes, machine, unused, pid;
    uint64_t time, flags;
} DumpHeader;

/* The function's name, with its NUL, and its code follow. */
typedef struct DumpRecord {
    uint32_t kind, bytes;
    uint64_t time;
    uint32_t pid, thread;
    uint64_t address, code_address, code_bytes, number;
} DumpRecord;

static struct {
    pthread_mutex_t lock;
    pid_t pid;       /* whose dump is begun; 0: none */
    uint64_t number; /* of functions, in all */
} perf = { .lock = PTHREAD_MUTEX_INITIALIZER };

pthread_mutex_t *perf_lock(void) { return &perf.lock; }

/* perf's own clock, if it is told so: perf record --clockid mono. */
static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Opens a file to add to; -1 if it is not this user's alone. */
static int open_own(const char *path, int flags)
{
    struct stat is;
    int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
    if (fd < 0) return -1;
    if (!fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_uid == geteuid() && is.st_nlink == 1 &&
        !(is.st_mode & 077))
        return fd;
    close(fd);
    return -1;
}

static void add_line(const char *name, const void *code, size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    int fd = open_own(path, O_CREAT);
    if (fd < 0) return;
    dprintf(fd, "%zx %zx %s\n", (size_t)(uintptr_t)code, bytes, name);
    close(fd);
}

/* The mapping stays: it is what perf sees. */
static bool begin_dump(const char *path)
{
    DumpHeader h = { MAGIC, VERSION, sizeof h, ELF_MACHINE, 0, (uint32_t)getpid(), nanoseconds(), 0 };
    unlink(path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool good = write(fd, &h, sizeof h) == sizeof h &&
                mmap(NULL, sizeof h, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED;
    close(fd);
    return good;
}

static void add_record(const char *name, const void *code, size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/jit-%d.dump", (int)getpid());
    if (perf.pid != getpid() && !begin_dump(path)) return;
    perf.pid = getpid();
    int fd = open_own(path, 0);
    if (fd < 0) return;
    uint64_t at = (uintptr_t)code;
    DumpRecord r = { CODE_LOAD,
                     (uint32_t)(sizeof r + strlen(name) + 1 + bytes),
                     nanoseconds(),
                     (uint32_t)perf.pid,
                     (uint32_t)gettid(),
                     at,
                     at,
                     bytes,
                     perf.number++ };
    const struct iovec parts[] = { { &r, sizeof r },
                                   { (void *)(uintptr_t)name, strlen(name) + 1 },
                                   { (void *)(uintptr_t)code, bytes } };
    if (writev(fd, parts, 3) < 0) perf.pid = 0; /* a new dump, with the next function */
    close(fd);
}

/* A line is a name's end. */
static void join_names(char *name, const char *program, const char *function)
{
    snprintf(name, NAME_BYTES, "%s:%s", program, function);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?';
}

void perf_add(const char *program, const char *function, const void *code, size_t bytes)
{
    char name[NAME_BYTES];
    join_names(name, program, function);
    pthread_mutex_lock(&perf.lock);
    add_line(name, code, bytes);
    add_record(name, code, bytes);
    pthread_mutex_unlock(&perf.lock);
}
