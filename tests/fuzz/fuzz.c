/* weft-fuzz [N] [OPTION...]: N random programs, each run every way (graphs.h) and compared with eager mode.
 *
 *     --seed S        from number S on, which is 1 where not given
 *     --seconds T     not N, but as many as T seconds allow
 *     --target NAME   compiled for this one; or else for those that this machine can run, in turn
 *     --cache BYTES   for an L2 cache of so many bytes; or else, every other time, for a very small one
 *     --only WAY      only this way
 *     --nodes K       of about so many ops
 *     --keep FOLDER   writes failing programs there
 *     --print         shows the programs instead of running them
 *     --no-fork       all in this process: for a debugger
 *
 * weft-fuzz FILE.mlir...: the same for programs that were kept (tests/found).
 *
 * Each program runs in a process of its own, so that a crash is a failure like any other. Failing programs
 * are made small and printed with their inputs, as a file that can be kept. Exit status 1 if any failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime/exec/compile.h"
#include "tests/graphs/graphs.h"

typedef struct Options {
    uint64_t n, seed, seconds;
    int nodes, only;
    uint64_t cache;
    const char *target;
    char **files;
    bool here, print;
} Options;

static int usage(void)
{
    fprintf(stderr,
            "usage: weft-fuzz [N] [--seconds T] [--seed S] [--target NAME] [--cache BYTES] [--nodes K] "
            "[--only WAY] [--keep FOLDER] [--print] [--no-fork]\n       weft-fuzz [--target NAME] [--cache "
            "BYTES] [--only WAY] "
            "FILE.mlir...\nWAY is one of");
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
    uint64_t nodes = 0;
    for (char **a = argv + 1; *a; a++) {
        if (!strcmp(*a, "--no-fork")) o->here = true;
        else if (!strcmp(*a, "--print")) o->print = true;
        else if (!strcmp(*a, "--seed")) {
            if (!read_number(*++a, &o->seed)) return false;
        } else if (!strcmp(*a, "--seconds")) {
            if (!read_number(*++a, &o->seconds)) return false;
        } else if (!strcmp(*a, "--cache")) {
            if (!read_number(*++a, &o->cache) || o->cache > UINT32_MAX) return false;
        } else if (!strcmp(*a, "--only")) {
            if (!read_way(*++a, &o->only)) return false;
        } else if (!strcmp(*a, "--target")) o->target = *++a;
        else if (!strcmp(*a, "--keep")) random_graphs_kept = *++a;
        else if (!strcmp(*a, "--nodes")) {
            if (!read_number(*++a, &nodes) || nodes > 100) return false;
        } else if (strstr(*a, ".mlir")) o->files = o->files ? o->files : a;
        else if (!read_number(*a, &o->n)) return false;
        if (!*a) return false;
    }
    o->nodes = (int)nodes;
    return true;
}

/* Sizes differ from seed to seed: most errors show in small programs, some need many ops. */
static int nodes_of(const Options *o, uint64_t seed)
{
    return o->nodes ? o->nodes : seed % 10 == 9 ? 40 : 3 + (int)(seed % 15);
}

static uint32_t cache_of(const Options *o, uint64_t seed)
{
    return o->cache ? (uint32_t)o->cache : seed % 2 ? 64u << seed / 2 % 5 : 0;
}

static bool run_ways(const Options *o, uint64_t seed, bool apart)
{
    bool ok = true;
    for (int way = 0; way < AGAINST_COUNT; way++)
        if (o->only < 0 || o->only == way)
            ok &= random_graph_agrees(seed, nodes_of(o, seed), (Against)way, apart);
    return ok;
}

/* One process for all ways. If it ends before its time each way is run again, so that what crashes is made
 * small as well. */
static bool run(const Options *o, uint64_t seed)
{
    int status = 0;
    setenv("WEFT_TARGET", o->target ? o->target : target_in_turn(seed), 1);
    random_graphs_cache = cache_of(o, seed);
    random_graphs_parallel = seed / 3 % 2;
    fflush(NULL);
    pid_t child = o->here ? -1 : fork();
    if (child < 0) return run_ways(o, seed, false);
    if (child == 0) {
        alarm(120);
        _exit(run_ways(o, seed, false) ? 0 : 1);
    }
    if (waitpid(child, &status, 0) < 0) return false;
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status) == 0;
    fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, strsignal(WTERMSIG(status)));
    run_ways(o, seed, true);
    return false;
}

static bool run_file(const Options *o, const char *path)
{
    bool ok = true;
    for (int way = 0; way < AGAINST_COUNT; way++) {
        char why[600];
        if ((o->only >= 0 && o->only != way) || graph_case_agrees(path, (Against)way, why, sizeof why))
            continue;
        fprintf(stderr, "%s, %s: %s\n", path, against_text[way], why);
        ok = false;
    }
    return ok;
}

static int run_files(const Options *o)
{
    uint64_t n = 0, failed = 0;
    if (o->target) setenv("WEFT_TARGET", o->target, 1);
    random_graphs_cache = (uint32_t)o->cache;
    for (char **path = o->files; *path && strstr(*path, ".mlir"); path++, n++) failed += !run_file(o, *path);
    printf("%" PRIu64 " files, %" PRIu64 " failed\n", n, failed);
    return failed ? 1 : 0;
}

static bool goes_on(const Options *o, uint64_t done, time_t start)
{
    return o->seconds ? (uint64_t)(time(NULL) - start) < o->seconds : done < o->n;
}

int main(int argc, char **argv)
{
    (void)argc;
    Options o = { .n = 1000, .seed = 1, .only = -1 };
    uint64_t failed = 0, seed;
    Failure none;
    if (!read_options(argv, &o)) return usage();
    if (o.files) return run_files(&o);
    for (seed = o.seed; o.print && seed < o.seed + o.n; seed++)
        random_graph_print(seed, nodes_of(&o, seed), o.only >= 0 ? (Against)o.only : AGAINST_SIMPLIFIED);
    if (o.print) return 0;
    backend_get(&none); /* once, not in each process */
    time_t start = time(NULL);
    for (seed = o.seed; goes_on(&o, seed - o.seed, start); seed++) {
        if (run(&o, seed)) continue;
        fprintf(stderr, "again: weft-fuzz 1 --seed %" PRIu64 " --target %s --cache %u%s%s\n\n", seed,
                getenv("WEFT_TARGET"), random_graphs_cache, o.only >= 0 ? " --only " : "",
                o.only >= 0 ? against_text[o.only] : "");
        failed++;
    }
    printf("%" PRIu64 " programs, seeds %" PRIu64 " to %" PRIu64 ", %s, %s, %ld s: %" PRIu64 " failed\n",
           seed - o.seed, o.seed, seed - 1, o.only >= 0 ? against_text[o.only] : "every way",
           o.target ? o.target : "targets in turn", (long)(time(NULL) - start), failed);
    return failed ? 1 : 0;
}
