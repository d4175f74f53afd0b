/* stack.c: see stack.h. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "stack.h"
#include "context.h"
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

/* what the system and the thread-local variables take of a new stack, at most */
enum { STACK_OWN = 64 << 10 };

typedef struct Work {
    void (*work)(void *);
    void *user;
    uint32_t floating;
} Work;

/* A foreign function finds its caller's floating-point environment here, too. */
static void *run(void *p)
{
    const Work *w = p;
    thread.floating = w->floating;
    w->work(w->user);
    return NULL;
}

/* The new thread takes no signals: handlers are the host's, and expect its threads. */
static bool start(pthread_t *id, const pthread_attr_t *attr, Work *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(id, attr, run, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* What is worked on stands on this stack, so that this thread cannot be cancelled while it waits. */
bool stack_call(size_t need, void (*work)(void *), void *user)
{
    stack_ask();
    if (stack_has(need)) return work(user), true;
    Work w = { work, user, thread.floating };
    pthread_attr_t attr;
    pthread_t other;
    if (pthread_attr_init(&attr)) return false;
    NO_CANCEL();
    bool started = !pthread_attr_setstacksize(&attr, need + STACK_OWN) && start(&other, &attr, &w);
    pthread_attr_destroy(&attr);
    if (started) pthread_join(other, NULL);
    return started;
}
