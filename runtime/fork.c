/* fork.c: see fork.h. */
#include "fork.h"
#include "runtime/call/cache.h"
#include "runtime/exec/closure.h"
#include "runtime/exec/perf.h"
#include "runtime/library/lapack.h"
#include "runtime/call/fn.h"
#include "runtime/transforms/rules/hooks.h"
#include "runtime/process/process.h"
#include "runtime/team/team.h"
#include "runtime/memory/reserve.h"

static struct {
    pthread_mutex_t lock;
    weft_context *first;
    bool registered;
} open_ones = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- locks ---- */

typedef int LockFn(pthread_mutex_t *);

/* Takes or releases every lock that is held for moments only, outer ones first; open_ones.lock is held. The
 * compiler process's lock and LAPACK's are left out: they are held as long as a compile or a call takes. */
static void each_lock(LockFn *what)
{
    for (weft_context *c = open_ones.first; c; c = c->next_open) {
        what(hooks_lock(c->hooks));
        what(functions_lock(c->functions));
        what(&c->cache->lock);
        what(&c->lock);
        what(&c->memory.lock);
    }
    what(closure_lock());
    what(perf_lock());
    what(reserve_lock());
}

static void before_fork(void)
{
    pthread_mutex_lock(&open_ones.lock);
    each_lock(pthread_mutex_lock);
}

static void in_parent(void)
{
    each_lock(pthread_mutex_unlock);
    pthread_mutex_unlock(&open_ones.lock);
}

/* ---- the child ---- */

/* The thread is not here, and its calls are over. What its scopes hold stays until the child ends: it may
 * have been in the middle of changing their lists, which no lock guards. */
static void leave_thread(Local *l)
{
    l->frame = NULL;
    l->trace = NULL;
    l->planning = NULL;
    l->scope = NULL;
    /* It was leaving, and nobody owns it: weft_close must not wait for it. */
    if (!l->thread) l->thread = &thread;
}

static void in_child(void)
{
    each_lock(pthread_mutex_unlock);
    for (weft_context *c = open_ones.first; c; c = c->next_open) {
        const Local *mine = pthread_getspecific(c->key);
        pthread_cond_init(&c->left, NULL);
        for (Local *l = c->locals; l; l = l->next)
            if (l != mine) leave_thread(l);
        cache_forked(c->cache);
        if (c->process) process_forked(c->process);
        if (c->team) team_forked(c->team);
    }
    lapack_forked();
    pthread_mutex_unlock(&open_ones.lock);
}

/* ---- contexts ---- */

/* The C library takes them back when the library is unloaded that registers them. */
static bool registered(void)
{
    if (!open_ones.registered) open_ones.registered = !pthread_atfork(before_fork, in_parent, in_child);
    return open_ones.registered;
}

bool fork_watch(weft_context *ctx)
{
    LOCK(&open_ones.lock);
    if (!registered()) return false;
    LIST_ADD(&open_ones.first, ctx, next_open, open_link);
    return true;
}

void fork_unwatch(weft_context *ctx)
{
    LOCK(&open_ones.lock);
    LIST_REMOVE(ctx, next_open, open_link);
}
