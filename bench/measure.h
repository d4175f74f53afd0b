/* measure.h: what the measuring programs share: a clock, medians, and the Python process whose JAX, NumPy and
 * Numba are measured in the same minutes. */
#ifndef WEFT_BENCH_MEASURE_H
#define WEFT_BENCH_MEASURE_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { MAX_REPEATS = 101 };
static const double REPEAT_SECONDS = 0.004; /* that one repeat of one implementation takes */

double now(void);                     /* in seconds */
double median(const double *, int n); /* n: at most MAX_REPEATS */
void pin(int threads);                /* this process to the first cores */

/* Limits weft, JAX, NumPy, Numba and OpenBLAS, in this process and in what it starts, to a target: all of
 * them are told by the environment. NULL: no limit. Gives the target's name, without a limit the machine's
 * best one; NULL if the machine does not run it, with a message. */
const char *target_choose(const char *name);

/* A process of bench/peers.py that runs a case when told to. One that dies of a case (XLA aborts on some
 * programs) is started anew, and the question that killed it has no answer. */
typedef struct Peers {
    FILE *to, *from;
    pid_t pid;
    const char *python, *mode;
    int threads;
} Peers;
/* mode: NULL, or "programs" for StableHLO files. */
bool peers_open(Peers *, const char *python, int threads, const char *mode);
bool peers_ask(Peers *, const char *question, double *answers, int n);
void peers_close(Peers *);
#endif
