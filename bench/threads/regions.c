/* regions.c: what a parallel loop costs by itself, on 1 to N threads: awake, after a rest, and with more
 * threads than cores. Lines of JSON; speedup.py reads them.
 *
 *   weft-regions [THREADS]
 */
#include "../measure.h"
#include "runtime/team/team.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 31, LOOPS = 200, LOCAL_BYTES = 64, MANY_THREADS = 64 };

/* A piece that takes so many seconds on whichever core it runs. */
static void spin(const void *frame, int64_t piece, void *local)
{
    (void)piece, (void)local;
    double end = now() + *(const double *)frame;
    while (now() < end) {}
}

static void nothing(const void *frame, int64_t piece, void *local) { (void)frame, (void)piece, (void)local; }

static void rest(void) { nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); }

/* Microseconds of a loop of such pieces, the median; of as many loops one after another, or each after a
 * rest. */
static double loop_us(const Workers *w, PieceFn *fn, double piece_seconds, int64_t pieces, int loops,
                      bool rested)
{
    double us[REPEATS];
    char *local = calloc((size_t)w->most, LOCAL_BYTES);
    ParallelLoop loop = { pieces, LOCAL_BYTES, (int64_t)(piece_seconds * (double)pieces * 1e9) };
    for (int k = 0; k < REPEATS; k++) {
        if (rested) rest();
        double start = now();
        for (int i = 0; i < loops; i++) w->run(w, fn, &piece_seconds, local, &loop);
        us[k] = (now() - start) * 1e6 / loops;
    }
    free(local);
    return median(us, REPEATS);
}

/* Beyond the time of its longest piece: threads that do not wait for each other would add nothing. */
static double added_us(const Workers *w, double piece_us, bool rested)
{
    return loop_us(w, spin, piece_us / 1e6, w->most, rested ? 1 : LOOPS, rested) - piece_us;
}

static void measure(int threads)
{
    Team *t = team_open(threads, NULL, NULL);
    Workers w = team_workers(t, 0);
    loop_us(&w, spin, 1e-4, threads, 1, true);
    printf("{\"threads\": %d, \"empty_us\": %.3f, \"awake_us\": %.3f, \"asleep_us\": %.2f}\n", threads,
           loop_us(&w, nothing, 0, threads, LOOPS, false), added_us(&w, 10, false), added_us(&w, 500, true));
    team_close(t);
}

/* The same pieces, 200 of 20 us, on as many threads as there are cores, and on many more. */
static void measure_many(int cores)
{
    Team *few = team_open(cores, NULL, NULL), *many = team_open(MANY_THREADS, NULL, NULL);
    Workers w = team_workers(few, 0), v = team_workers(many, 0);
    double by_few = loop_us(&w, spin, 2e-5, LOOPS, 1, false),
           by_many = loop_us(&v, spin, 2e-5, LOOPS, 1, false);
    printf("{\"threads\": %d, \"cores\": %d, \"times\": %.3f}\n", MANY_THREADS, cores, by_many / by_few);
    team_close(few);
    team_close(many);
}

int main(int argc, char **argv)
{
    int cores = team_cores(), most = argc > 1 ? atoi(argv[1]) : cores;
    if (most < 2 || most > MAX_THREADS)
        return fprintf(stderr, "usage: weft-regions [THREADS], at least 2\n"), 2;
    for (int t = 2; t <= most; t++) measure(t);
    measure_many(cores);
    return 0;
}
