/* stack.c: see stack.h. */
#define _GNU_SOURCE                 /* pthread_getattr_np */
#include "stack.h"
#include <pthread.h>
#include <signal.h>

typedef struct Range { uintptr_t end, size; } Range;

static Range stack_range(void)
{
    pthread_attr_t attr;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr)) return (Range){ 0 };
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    return (Range){ (uintptr_t)low, size };
}

uintptr_t stack_end(void)
{
    return stack_range().end;
}

enum { STACK_OWN = 64 << 10 };      /* what the system and the thread-local variables take of a new stack, at most */

typedef struct Work { void (*work)(void *); void *user; } Work;

static void *run(void *p)
{
    const Work *w = p;
    w->work(w->user);
    return NULL;
}

/* The new thread takes no signals: handlers are the host's, and expect its threads. */
static bool start(pthread_t *thread, const pthread_attr_t *attr, Work *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(thread, attr, run, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

bool stack_call(size_t need, void (*work)(void *), void *user)
{
    Range r = stack_range();
    size_t left = stack_left(r.end);
    if (left >= need && left < r.size) return work(user), true;     /* else it is short, or not the thread's own, as that of a fiber */
    Work w = { work, user };
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr)) return false;
    bool started = !pthread_attr_setstacksize(&attr, need + STACK_OWN) && start(&thread, &attr, &w);
    pthread_attr_destroy(&attr);
    if (started) pthread_join(thread, NULL);
    return started;
}
