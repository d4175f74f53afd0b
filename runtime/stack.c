/* stack.c: see stack.h. */
#define _GNU_SOURCE                 /* pthread_getattr_np */
#include "stack.h"
#include <pthread.h>
#include <signal.h>

_Thread_local Stack stack_here;

void stack_ask(void)
{
    pthread_attr_t attr;
    void *low = NULL;
    if (stack_here.size) return;
    stack_here.size = SIZE_MAX;
    if (pthread_getattr_np(pthread_self(), &attr)) return;
    pthread_attr_getstack(&attr, &low, &stack_here.size);
    pthread_attr_destroy(&attr);
    stack_here.end = (uintptr_t)low;
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
    stack_ask();
    if (stack_has(need)) return work(user), true;
    Work w = { work, user };
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr)) return false;
    bool started = !pthread_attr_setstacksize(&attr, need + STACK_OWN) && start(&thread, &attr, &w);
    pthread_attr_destroy(&attr);
    if (started) pthread_join(thread, NULL);
    return started;
}
