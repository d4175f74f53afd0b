/* team.h: the threads of a context, which run the pieces of parallel loops (program.h: PARALLEL STEPS) with
 * the thread that called.
 *
 * They are started by the first loop that wants them. A thread that finds nothing more to do looks out for
 * the next loop for some 50 us, for in a program they follow each other closely; then it sleeps. Pieces are
 * dealt out evenly and in order, so that the same rows come to the same core from loop to loop; whoever has
 * done its own takes from the others. The caller never waits for a thread that has no piece in hand: one
 * that is late, or that the system does not let run, misses the loop.
 *
 * One loop at a time has the team: a caller that finds it taken runs its pieces alone.
 */
#ifndef WEFT_TEAM_TEAM_H
#define WEFT_TEAM_TEAM_H
#include "compiler/program/program.h"

typedef struct Team Team;

enum { MAX_THREADS = 256 };

/* Runs all pieces in the caller, in order. */
extern const Workers workers_alone;
bool workers_are_hosts(const Workers *); /* of the host's own pool */
size_t workers_seats(const Workers *);   /* what they take of the stack that hands pieces to them */

/* How many threads this process may have on a core of their own: its affinity, its cgroup's quota. At least
 * 1. */
int team_cores(void);

/* A host's own pool (weft_options.parallel_for). */
typedef void HostPool(void *user, int64_t n, void (*task)(void *arg, int64_t i), void *arg);

/* Of so many threads, the caller's included, 2 to MAX_THREADS. pool NULL: threads of its own. NULL: out of
 * memory. */
Team *team_open(int threads, HostPool *pool, void *user);
/* NULL: nothing. No loop is running. */
void team_close(Team *);
/* In a forked child: the threads are not there. */
void team_forked(Team *);
/* So many threads of it at most; 0: all. Team NULL: the caller alone. */
Workers team_workers(Team *, int most);
#endif
