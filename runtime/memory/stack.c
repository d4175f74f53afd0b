/* stack.c: see stack.h. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "stack.h"
#include "context.h"
#include <dlfcn.h>
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

/* what the system takes of a new stack, at most, */
enum { STACK_OWN = 64 << 10 };

/* beside the thread-local variables of whatever is loaded, which glibc has there, too, and has this function
 * for. (musl adds them to what is asked for.) Asked as weft is loaded: dlsym takes some KiB itself. */
static size_t thread_locals;

__attribute__((constructor)) static void ask_thread_locals(void)
{
    size_t (*least)(const pthread_attr_t *);
    pthread_attr_t attr;
    *(void **)&least = dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
    if (!least || pthread_attr_init(&attr)) return;
    thread_locals = least(&attr);
    pthread_attr_destroy(&attr);
}

typedef struct Work {
    void (*work)(void *);
    void *user;
    size_t need;
    uint32_t floating;
    bool has;
} Work;

/* A foreign function finds its caller's floating-point environment here, too. */
static void *run(void *p)
{
    Work *w = p;
    stack_ask();
    w->has = stack_left() >= w->need;
    thread.floating = w->floating;
    if (w->has) w->work(w->user);
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
    Work w = { work, user, need, thread.floating, false };
    pthread_attr_t attr;
    pthread_t other;
    if (pthread_attr_init(&attr)) return false;
    NO_CANCEL();
    size_t bytes = need + STACK_OWN + thread_locals;
    bool started = !pthread_attr_setstacksize(&attr, bytes) && start(&other, &attr, &w);
    pthread_attr_destroy(&attr);
    if (started) pthread_join(other, NULL);
    return w.has;
}
