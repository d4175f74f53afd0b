/* measure.c: see measure.h. */
#define _GNU_SOURCE
#include "measure.h"
#include "weft.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double median(const double *v, int n)
{
    double copy[MAX_REPEATS];
    memcpy(copy, v, (size_t)n * sizeof *v);
    qsort(copy, (size_t)n, sizeof *copy, by_value);
    return copy[n / 2];
}

void pin(int threads)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < threads; i++) CPU_SET(i, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* What each is called elsewhere. XLA's fusions of products look at the processor alone, so that they are
 * switched off where there is a limit; then oneDNN makes the products, which takes one. XLA has no SSE2:
 * SSE4.2 comes next. OpenBLAS is told the target without a limit, too: it does not know every processor. */
#define XLA(isa) "--xla_cpu_max_isa=" isa " --xla_cpu_experimental_ynn_fusion_type="
static const struct {
    const char *name, *openblas, *xla, *onednn, *numpy, *numba;
} targets[] = {
    { "avx512", "SkylakeX", NULL, NULL, NULL, NULL },
    { "avx2", "Haswell", XLA("AVX2"), "AVX2", "X86_V4 AVX512_ICL AVX512_SPR", "x86-64-v3" },
    { "sse2", "Nehalem", XLA("SSE4_2"), "SSE41", "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "nehalem" },
    { "aarch64", NULL, NULL, NULL, NULL, NULL },
};
enum { TARGETS = sizeof targets / sizeof *targets };

static void set(const char *variable, const char *value)
{
    if (value) setenv(variable, value, 1);
}

static bool target_runs(const char *name)
{
    weft_context *ctx = weft_open(&(weft_options){ .target = name });
    weft_close(ctx);
    return ctx != NULL;
}

static int target_index(const char *name)
{
    for (int i = 0; i < TARGETS; i++)
        if (name ? !strcmp(name, targets[i].name) : target_runs(targets[i].name)) return i;
    return -1;
}

const char *target_choose(const char *name)
{
    int i = target_index(name);
    weft_clear(NULL);
    if (i < 0 || (name && !target_runs(name))) {
        fprintf(stderr, "%s\n", i < 0 ? "targets are avx512, avx2, sse2 and aarch64" : weft_error(NULL));
        return NULL;
    }
    set("OPENBLAS_CORETYPE", targets[i].openblas);
    if (!name) return targets[i].name;
    set("WEFT_TARGET", name);
    set("XLA_FLAGS", targets[i].xla);
    set("ONEDNN_MAX_CPU_ISA", targets[i].onednn);
    set("NPY_DISABLE_CPU_FEATURES", targets[i].numpy);
    set("NUMBA_CPU_NAME", targets[i].numba);
    set("NUMBA_CPU_FEATURES", targets[i].numba ? "" : NULL);
    return name;
}

static bool peers_start(Peers *p)
{
    int to[2], from[2];
    char count[16];
    if (pipe(to)) return false;
    if (pipe(from)) return close(to[0]), close(to[1]), false;
    snprintf(count, sizeof count, "%d", p->threads);
    p->pid = fork();
    if (p->pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execlp(p->python, p->python, WEFT_SOURCE_DIR "/bench/peers.py", count, p->mode, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    p->to = fdopen(to[1], "w");
    p->from = fdopen(from[0], "r");
    return p->pid > 0 && p->to && p->from;
}

bool peers_open(Peers *p, const char *python, int threads, const char *mode)
{
    signal(SIGPIPE, SIG_IGN); /* a peer that died is seen by what fflush returns */
    *p = (Peers){ .python = python, .threads = threads, .mode = mode };
    return peers_start(p);
}

bool peers_ask(Peers *p, const char *question, double *answer, int n)
{
    char line[4096], *end = line;
    fprintf(p->to, "%s\n", question);
    if (fflush(p->to) || !fgets(line, sizeof line, p->from)) {
        peers_close(p);
        if (!peers_start(p)) {
            perror(p->python);
            exit(1);
        }
        return false;
    }
    for (int i = 0; i < n; i++) answer[i] = strtod(end, &end);
    return true;
}

void peers_close(Peers *p)
{
    fclose(p->to);
    fclose(p->from);
    waitpid(p->pid, NULL, 0);
}
