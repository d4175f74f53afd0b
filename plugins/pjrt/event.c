/* event.c: events. Most are ready from the beginning, and one object. */
#include <pthread.h>
#include <time.h>
#include "plugin.h"

typedef struct Waiter {
    struct Waiter *next;
    PJRT_Event_OnReadyCallback tell;
    void *user;
} Waiter;

struct PJRT_Event {
    atomic_int users;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool ready;
    PJRT_Error_Code code;
    char *text; /* of an error, or NULL */
    Waiter *waiters;
};

static PJRT_Event the_ready = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                .changed = PTHREAD_COND_INITIALIZER,
                                .ready = true };

PJRT_Event *event_ready(void) { return &the_ready; }

PJRT_Event *event_new(void)
{
    PJRT_Event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    atomic_init(&e->users, 2);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    return e;
}

PJRT_Event *event_hold(PJRT_Event *e)
{
    if (e != &the_ready) atomic_fetch_add(&e->users, 1);
    return e;
}

void event_drop(PJRT_Event *e)
{
    if (!e || e == &the_ready || atomic_fetch_sub(&e->users, 1) > 1) return;
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->changed);
    free(e->text);
    free(e);
}

static PJRT_Error *error_in(const PJRT_Event *e)
{
    if (e->code == PJRT_Error_Code_OK) return NULL;
    return error_new(e->code, "%s", e->text ? e->text : "");
}

void event_set(PJRT_Event *e, PJRT_Error_Code code, const char *text, size_t n)
{
    pthread_mutex_lock(&e->lock);
    e->ready = true;
    e->code = code;
    if (code != PJRT_Error_Code_OK) e->text = strndup(text ? text : "", n);
    Waiter *w = e->waiters;
    e->waiters = NULL;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    while (w) {
        Waiter *next = w->next;
        w->tell(error_in(e), w->user);
        free(w);
        w = next;
    }
    event_drop(e);
}

void event_fail(PJRT_Event *e, PJRT_Error *why)
{
    if (!why) {
        event_set(e, PJRT_Error_Code_OK, NULL, 0);
        return;
    }
    const char *text;
    PJRT_Error_Code code = error_read(why, &text);
    event_set(e, code, text, strlen(text));
    error_free(why);
}

PJRT_Error *event_wait(PJRT_Event *e)
{
    pthread_mutex_lock(&e->lock);
    while (!e->ready) pthread_cond_wait(&e->changed, &e->lock);
    pthread_mutex_unlock(&e->lock);
    return error_in(e);
}

PJRT_Error *event_wait_a_moment(PJRT_Event *e, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&e->lock);
    while (!e->ready && !pthread_cond_timedwait(&e->changed, &e->lock, &until)) {}
    bool ready = e->ready;
    pthread_mutex_unlock(&e->lock);
    return ready ? error_in(e) : NULL;
}

static PJRT_Error *event_destroy(PJRT_Event_Destroy_Args *a)
{
    event_drop(a->event);
    return NULL;
}

bool event_is_set(PJRT_Event *e)
{
    pthread_mutex_lock(&e->lock);
    bool ready = e->ready;
    pthread_mutex_unlock(&e->lock);
    return ready;
}

static PJRT_Error *event_is_ready(PJRT_Event_IsReady_Args *a)
{
    a->is_ready = event_is_set(a->event);
    return NULL;
}

static PJRT_Error *event_error(PJRT_Event_Error_Args *a) { return error_in(a->event); }

static PJRT_Error *event_await(PJRT_Event_Await_Args *a) { return event_wait(a->event); }

PJRT_Error *event_tell(PJRT_Event *e, PJRT_Event_OnReadyCallback tell, void *user)
{
    Waiter *w = e == &the_ready ? NULL : malloc(sizeof *w);
    if (e != &the_ready && !w) return error_no_memory();
    pthread_mutex_lock(&e->lock);
    bool ready = e->ready;
    if (!ready) {
        *w = (Waiter){ e->waiters, tell, user };
        e->waiters = w;
    }
    pthread_mutex_unlock(&e->lock);
    if (!ready) return NULL;
    free(w);
    tell(error_in(e), user);
    return NULL;
}

static PJRT_Error *event_on_ready(PJRT_Event_OnReady_Args *a)
{
    return event_tell(a->event, a->callback, a->user_arg);
}

static PJRT_Error *event_create(PJRT_Event_Create_Args *a)
{
    a->event = event_new();
    return a->event ? NULL : error_no_memory();
}

static PJRT_Error *event_set_by_caller(PJRT_Event_Set_Args *a)
{
    event_set(a->event, a->error_code, a->error_message, a->error_message_size);
    return NULL;
}

void api_add_events(PJRT_Api *api)
{
    api->PJRT_Event_Destroy = event_destroy;
    api->PJRT_Event_IsReady = event_is_ready;
    api->PJRT_Event_Error = event_error;
    api->PJRT_Event_Await = event_await;
    api->PJRT_Event_OnReady = event_on_ready;
    api->PJRT_Event_Create = event_create;
    api->PJRT_Event_Set = event_set_by_caller;
}
