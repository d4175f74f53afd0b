/* crowd.c: see crowd.h. Each task of a loop has a thread of its own, which lives as long as the loop: a
 * forked process has them all, and sanitizers see them end. */
#include "tests/support/crowd.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "runtime/team/team.h"

typedef struct Task {
    void (*run)(void *arg, int64_t i);
    void *arg;
    int64_t i;
    pthread_t id;
} Task;

static void *run_task(void *p)
{
    const Task *t = p;
    t->run(t->arg, t->i);
    return NULL;
}

static void thread_for_each(void *user, int64_t n, void (*run)(void *arg, int64_t i), void *arg)
{
    Task *task = calloc((size_t)n, sizeof *task);
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        task[i] = (Task){ .run = run, .arg = arg, .i = i };
        int status = pthread_create(&task[i].id, NULL, run_task, &task[i]);
        assert(status == 0), (void)status;
    }
    for (int64_t i = 0; i < n; i++) pthread_join(task[i].id, NULL);
    free(task);
}

Workers crowd(unsigned number)
{
    static const int threads[CROWDS] = { 2, 3, 7, 64 };
    static Team *team[CROWDS];
    unsigned k = number % CROWDS;
    if (!team[k]) team[k] = team_open(threads[k], thread_for_each, NULL);
    return team_workers(team[k], 0);
}
