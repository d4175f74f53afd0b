/* measure.c: see measure.h. */
#define _GNU_SOURCE
#include "measure.h"
#include <sched.h>
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

bool peers_open(Peers *p, const char *python, int threads, const char *mode)
{
    int to[2], from[2];
    char count[16];
    if (pipe(to) || pipe(from)) return false;
    snprintf(count, sizeof count, "%d", threads);
    p->pid = fork();
    if (p->pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execlp(python, python, WEFT_SOURCE_DIR "/bench/peers.py", count, mode, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    p->to = fdopen(to[1], "w");
    p->from = fdopen(from[0], "r");
    return p->pid > 0 && p->to && p->from;
}

bool peers_ask(Peers *p, const char *question, double *answer, int n)
{
    char line[4096], *end = line;
    fprintf(p->to, "%s\n", question);
    if (fflush(p->to) || !fgets(line, sizeof line, p->from)) return false;
    for (int i = 0; i < n; i++) answer[i] = strtod(end, &end);
    return true;
}

void peers_close(Peers *p)
{
    fclose(p->to);
    fclose(p->from);
    waitpid(p->pid, NULL, 0);
}
