/* queue.c: calls that run while the caller goes on: one after the other, as they came, on a thread that
 * starts with the first of them. So what a call reads has been computed when its turn comes, and memory that
 * it was given to write over has been read. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include "plugin.h"

enum { MOST = 32 }; /* calls in the queue; who adds more waits */

struct Queue {
    pthread_mutex_t lock;      /* guards what follows, and the changes of n */
    pthread_cond_t more, room; /* there is a call; there is one less, or none */
    Call *first, **end;
    atomic_int n; /* waiting and running */
    bool started, ending;
    pthread_t thread;
};

Queue *queue_new(void)
{
    cpu_set_t cores;
    if (!sched_getaffinity(0, sizeof cores, &cores) && CPU_COUNT(&cores) < 2) return NULL;
    Queue *q = calloc(1, sizeof *q);
    if (!q) return NULL;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->more, NULL);
    pthread_cond_init(&q->room, NULL);
    q->end = &q->first;
    return q;
}

bool queue_is_idle(const Queue *q) { return atomic_load(&q->n) == 0; }

/* The next call, without the lock; NULL: there will be none. */
static Call *next(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->ending) pthread_cond_wait(&q->more, &q->lock);
    Call *c = q->first;
    if (c && !(q->first = c->next)) q->end = &q->first;
    pthread_mutex_unlock(&q->lock);
    return c;
}

static void *work(void *queue)
{
    Queue *q = queue;
    for (Call *c; (c = next(q));) {
        PJRT_Error *e = call_run(c);
        pthread_mutex_lock(&q->lock);
        atomic_fetch_sub(&q->n, 1);
        pthread_cond_signal(&q->room);
        pthread_mutex_unlock(&q->lock);
        call_end(c, e);
    }
    return NULL;
}

bool queue_add(Queue *q, Call *c)
{
    pthread_mutex_lock(&q->lock);
    if (!q->started) q->started = !pthread_create(&q->thread, NULL, work, q);
    bool added = q->started && !pthread_equal(pthread_self(), q->thread);
    while (added && atomic_load(&q->n) >= MOST) pthread_cond_wait(&q->room, &q->lock);
    if (added) {
        atomic_fetch_add(&q->n, 1); /* first: who finds the queue idle may write over what c reads */
        *q->end = c;
        q->end = &c->next;
        call_queued(c);
        pthread_cond_signal(&q->more);
    }
    pthread_mutex_unlock(&q->lock);
    return added;
}

void queue_free(Queue *q)
{
    if (!q) return;
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
    if (q->started) pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->room);
    pthread_cond_destroy(&q->more);
    pthread_mutex_destroy(&q->lock);
    free(q);
}
