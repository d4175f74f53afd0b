/* stack.c: see stack.h. */
#define _GNU_SOURCE                 /* pthread_getattr_np */
#include "stack.h"
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

size_t stack_left(void)
{
    static _Thread_local uintptr_t end, size;       /* the system is asked once in a thread: it reads a file for the first one */
    char here;
    pthread_attr_t attr;
    if (!size && !pthread_getattr_np(pthread_self(), &attr)) {
        void *low;
        pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_destroy(&attr);
        end = (uintptr_t)low;
    }
    return (uintptr_t)&here - end < size ? (uintptr_t)&here - end : 0;
}

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
    if (stack_left() >= need) return work(user), true;
    Work w = { work, user };
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr)) return false;
    bool started = !pthread_attr_setstacksize(&attr, need) && start(&thread, &attr, &w);
    pthread_attr_destroy(&attr);
    if (started) pthread_join(thread, NULL);
    return started;
}
