/* queue.c: calls that run while the caller goes on. Those that call nothing of the host's run on one thread,
 * in the order in which they came, but that they overtake what waits for the host. Of those that do, each has
 * a thread, for its functions may wait for other calls; calls of one program run one after the other, for
 * what they print is read in order.
 *
 * A call stays in the list until it has ended: none writes over memory that an earlier one holds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include "plugin.h"

enum { MOST = 32 }; /* calls in the queue; who adds more waits */

struct Queue {
    pthread_mutex_t lock;   /* guards what follows, and the changes of n */
    pthread_cond_t changed; /* there is a call more or less */
    Call *first, **end;     /* waiting and running */
    atomic_int n;           /* how many */
    int n_of_host;          /* those of them that call the host's functions */
    bool has_cores, ending;
    int n_threads; /* the first runs what calls nothing of the host's */
    pthread_t thread[1 + MOST];
};

static _Thread_local bool is_ours; /* a thread of a queue */

Queue *queue_new(void)
{
    cpu_set_t cores;
    Queue *q = calloc(1, sizeof *q);
    if (!q) return NULL;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->end = &q->first;
    q->has_cores = sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) > 1;
    return q;
}

bool queue_wants(const Queue *q, const Shared *s)
{
    return q && (s->calls_host || (q->has_cores && !(s->quick && !atomic_load(&q->n))));
}

static bool holds(const Call *c, const Block *b)
{
    for (size_t i = 0; i < c->of->n_in + c->of->n_out; i++)
        if (c->in[i] == b) return true;
    return false;
}

/* Does c write over memory that the earlier call holds? */
static bool writes_over(const Call *c, const Call *earlier)
{
    for (size_t i = 0; i < c->of->n_out; i++)
        if (c->of->out[i].donor >= 0 && c->out[i] == c->in[c->of->out[i].donor] && holds(earlier, c->out[i]))
            return true;
    return false;
}

static bool is_computed(const Call *c)
{
    for (size_t i = 0; i < c->of->n_in; i++)
        if (c->after[i] && !event_is_set(c->after[i])) return false;
    return true;
}

static bool may_run(const Queue *q, const Call *c)
{
    if (c->runs || !is_computed(c)) return false;
    for (const Call *e = q->first; e != c; e = e->next)
        if ((c->of->calls_host && e->of == c->of) || writes_over(c, e)) return false;
    return true;
}

/* The next call of the host's or of the others; NULL: there will be none. */
static Call *next(Queue *q, bool of_host)
{
    for (;; pthread_cond_wait(&q->changed, &q->lock)) {
        for (Call *c = q->first; c; c = c->next)
            if (c->of->calls_host == of_host && may_run(q, c)) {
                c->runs = true;
                return c;
            }
        if (q->ending && !q->first) return NULL;
    }
}

static void count(Queue *q, const Call *c, int more)
{
    atomic_fetch_add(&q->n, more);
    if (!c->of->calls_host) return;
    q->n_of_host += more;
    hosts_called(more);
}

static void take_out(Queue *q, Call *c)
{
    Call **at = &q->first;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    if (!c->next) q->end = at;
    count(q, c, -1);
}

static void work(Queue *q, bool of_host)
{
    is_ours = true;
    pthread_mutex_lock(&q->lock);
    for (Call *c; (c = next(q, of_host));) {
        pthread_mutex_unlock(&q->lock);
        PJRT_Error *e = call_run(c);
        pthread_mutex_lock(&q->lock);
        take_out(q, c);
        pthread_mutex_unlock(&q->lock);
        call_end(c, e);
        pthread_mutex_lock(&q->lock);
        pthread_cond_broadcast(&q->changed); /* what waits for its results may run now */
    }
    pthread_mutex_unlock(&q->lock);
}

static void *work_alone(void *q) { return work(q, false), NULL; }
static void *work_with_host(void *q) { return work(q, true), NULL; }

/* A thread for each call of the host's in the list, and one for all others. */
static bool has_threads(Queue *q, const Call *c)
{
    int wanted = 1 + (c->of->calls_host ? q->n_of_host + 1 : 0);
    while (q->n_threads < wanted) {
        void *(*start)(void *) = q->n_threads ? work_with_host : work_alone;
        if (pthread_create(&q->thread[q->n_threads], NULL, start, q)) return false;
        q->n_threads++;
    }
    return true;
}

bool queue_add(Queue *q, Call *c)
{
    pthread_mutex_lock(&q->lock);
    while (!is_ours && atomic_load(&q->n) >= MOST) pthread_cond_wait(&q->changed, &q->lock);
    bool added = atomic_load(&q->n) < MOST && has_threads(q, c);
    if (added) {
        count(q, c, 1); /* first: who finds the queue idle may write over what c reads */
        *q->end = c;
        q->end = &c->next;
        call_queued(c);
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return added;
}

static bool writes_over_some(const Queue *q, const Call *c)
{
    for (const Call *e = q->first; e; e = e->next)
        if (writes_over(c, e)) return true;
    return false;
}

void queue_pass(Queue *q, const Call *c)
{
    if (!q || !atomic_load(&q->n)) return;
    pthread_mutex_lock(&q->lock);
    while (writes_over_some(q, c)) pthread_cond_wait(&q->changed, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

void queue_look(Queue *q)
{
    pthread_mutex_lock(&q->lock);
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void queue_free(Queue *q)
{
    if (!q) return;
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    for (int i = 0; i < q->n_threads; i++) pthread_join(q->thread[i], NULL);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q);
}
