/* weft-fuzz [N] [--seed S] [--nodes K] [--only WAY] [--print]: N random programs from seed S on, each run every way (graphs.h) and compared with eager mode.
 *
 * Each program runs in a process of its own, so that a crash is a failure like any other. Failing programs are made small and printed;
 * `--seed S` with N = 1 runs one again; --print shows the programs instead of running them. Exit status 1 if any failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/graphs.h"

typedef struct Options { uint64_t n, seed; int nodes; int only; bool here, print; } Options;

static int usage(void)
{
    fprintf(stderr, "usage: weft-fuzz [N] [--seed S] [--nodes K] [--only WAY] [--print] [--no-fork]\nWAY is one of");
    for (int i = 0; i < AGAINST_COUNT; i++) fprintf(stderr, " %s", against_text[i]);
    fprintf(stderr, "\n");
    return 2;
}

static bool read_number(const char *text, uint64_t *v)
{
    char *end;
    *v = text ? strtoull(text, &end, 0) : 0;
    return text && *text && !*end;
}

static bool read_way(const char *text, int *way)
{
    for (int i = 0; text && i < AGAINST_COUNT; i++) {
        if (strcmp(text, against_text[i])) continue;
        *way = i;
        return true;
    }
    return false;
}

static bool read_options(char **argv, Options *o)
{
    uint64_t nodes;
    for (char **a = argv + 1; *a; a++) {
        if (!strcmp(*a, "--no-fork")) o->here = true;
        else if (!strcmp(*a, "--print")) o->print = true;
        else if (!strcmp(*a, "--seed")) { if (!read_number(*++a, &o->seed)) return false; }
        else if (!strcmp(*a, "--only")) { if (!read_way(*++a, &o->only)) return false; }
        else if (!strcmp(*a, "--nodes")) {
            if (!read_number(*++a, &nodes) || nodes > 100) return false;
            o->nodes = (int)nodes;
        } else if (!read_number(*a, &o->n)) return false;
        if (!*a) return false;
    }
    return true;
}

/* Sizes differ from seed to seed: most errors show in small programs, some need many ops. */
static int nodes_of(const Options *o, uint64_t seed) { return o->nodes ? o->nodes : seed % 10 == 9 ? 40 : 3 + (int)(seed % 15); }

static bool run_here(const Options *o, uint64_t seed)
{
    bool ok = true;
    for (int way = 0; way < AGAINST_COUNT; way++)
        if (o->only < 0 || o->only == way) ok &= random_graph_agrees(seed, nodes_of(o, seed), (Against)way);
    return ok;
}

static bool run_apart(const Options *o, uint64_t seed)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return run_here(o, seed);
    if (child == 0) {
        alarm(120);
        _exit(run_here(o, seed) ? 0 : 1);
    }
    if (waitpid(child, &status, 0) < 0) return false;
    if (WIFSIGNALED(status)) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, strsignal(WTERMSIG(status)));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    Options o = { .n = 1000, .seed = 1, .only = -1 };
    uint64_t failed = 0;
    if (!read_options(argv, &o)) return usage();
    for (uint64_t i = 0; o.print && i < o.n; i++) random_graph_print(o.seed + i, nodes_of(&o, o.seed + i), o.only >= 0 ? (Against)o.only : AGAINST_SIMPLIFIED);
    if (o.print) return 0;
    for (uint64_t i = 0; i < o.n; i++) {
        if (o.here ? run_here(&o, o.seed + i) : run_apart(&o, o.seed + i)) continue;
        fprintf(stderr, "again: weft-fuzz 1 --seed %llu%s%s\n\n", (unsigned long long)(o.seed + i), o.only >= 0 ? " --only " : "", o.only >= 0 ? against_text[o.only] : "");
        failed++;
    }
    printf("%llu programs, %llu failed\n", (unsigned long long)o.n, (unsigned long long)failed);
    return failed ? 1 : 0;
}
