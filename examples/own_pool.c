/* own_pool.c: weft's parallel loops on a job system of the program's own, as a game or an audio host has one.
 *
 * The pool is a queue of one kind of job, run by threads that wait for it. Whoever asks for a loop works too,
 * so that a pool whose threads are all busy only makes it slower.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "weft.h"

enum { HELPERS = 3, SIZE = 512 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t more, done;
    void (*task)(void *arg, int64_t i); /* of the loop that runs; NULL: none */
    void *arg;
    int64_t next, n, running;
    int64_t loops;
    bool stop;
} pool;

/* Runs what is left of the loop; the lock is held. */
static void work(pool *p)
{
    while (p->task && p->next < p->n) {
        int64_t i = p->next++;
        p->running++;
        void (*task)(void *, int64_t) = p->task;
        void *arg = p->arg;
        pthread_mutex_unlock(&p->lock);
        task(arg, i);
        pthread_mutex_lock(&p->lock);
        if (--p->running == 0 && p->next == p->n) pthread_cond_broadcast(&p->done);
    }
}

static void *helper(void *user)
{
    pool *p = user;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        work(p);
        if (!p->stop) pthread_cond_wait(&p->more, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* What weft calls. This program computes in one thread, so there is one loop at a time. */
static void run_loop(void *user, int64_t n, void (*task)(void *arg, int64_t i), void *arg)
{
    pool *p = user;
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->arg = arg;
    p->next = 0;
    p->n = n;
    p->loops++;
    pthread_cond_broadcast(&p->more);
    work(p);
    while (p->running) pthread_cond_wait(&p->done, &p->lock);
    p->task = NULL;
    pthread_mutex_unlock(&p->lock);
}

/* A layer: most of its time goes into the product. */
static weft_array *layer(weft_array *x, weft_array *w) { return weft_tanh(weft_matmul(x, w)); }

static weft_array *compute(weft_context *ctx)
{
    weft_declare(ctx, layer, weft_binary);
    weft_array *x = weft_reshape(weft_linspace(ctx, -1, 1, SIZE * SIZE), SIZE, SIZE);
    return weft_jit(ctx, layer)(x, weft_transpose(x));
}

int main(void)
{
    pool p = { .lock = PTHREAD_MUTEX_INITIALIZER,
               .more = PTHREAD_COND_INITIALIZER,
               .done = PTHREAD_COND_INITIALIZER };
    pthread_t id[HELPERS];
    for (int i = 0; i < HELPERS; i++)
        if (pthread_create(&id[i], NULL, helper, &p)) return 1;
    weft_context *alone = weft_open(&(weft_options){ .threads = 1 }),
                 *shared = weft_open(&(weft_options){
                     .threads = HELPERS + 1, .parallel_for = run_loop, .parallel_user = &p });
    if (!alone || !shared) return 1;
    weft_array *a = compute(alone), *b = compute(shared);
    bool good = a && b && !memcmp(weft_data(a), weft_data(b), sizeof(float) * SIZE * SIZE);
    if (a && b)
        printf("a layer of %d x %d, %lld loops on %d threads and this one: %s bits\n", SIZE, SIZE,
               (long long)p.loops, HELPERS, good ? "the same" : "OTHER");
    weft_close(shared);
    weft_close(alone);

    pthread_mutex_lock(&p.lock);
    p.stop = true;
    pthread_cond_broadcast(&p.more);
    pthread_mutex_unlock(&p.lock);
    for (int i = 0; i < HELPERS; i++) pthread_join(id[i], NULL);
    return good && p.loops ? 0 : 1;
}
