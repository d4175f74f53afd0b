/* host.c: functions that programs call by name (weft_custom_call_on), of whoever loaded the plugin. PJRT's
 * interface has no way to say them for a platform of one's own.
 *
 * A call's config says which of the caller's things it is about. The caller asks for those that no program
 * has any more when it suits: nothing here calls back when a program goes, which may be while Python ends. */
#include <pthread.h>
#include <stdio.h>
#include "plugin.h"

#define DOOR __attribute__((visibility("default")))

typedef bool CallFn(const weft_custom_call *, char *error, size_t room);
typedef struct Host {
    char *name;
    CallFn *call;
    struct Host *next;
} Host;
/* How many calls in programs have this config. */
typedef struct Config {
    size_t calls;
    struct Config *next;
    char text[];
} Config;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Host *first, **end = &first; /* for as long as the process lives */
static Config *configs;

static bool begin_call(weft_custom_call *c, char *error, size_t room)
{
    size_t length = strlen(c->config) + 1;
    pthread_mutex_lock(&lock);
    Config *of = configs;
    while (of && strcmp(of->text, c->config) != 0) of = of->next;
    if (!of && (of = calloc(1, sizeof *of + length))) {
        memcpy(of->text, c->config, length);
        of->next = configs;
        configs = of;
    }
    if (of) of->calls++;
    pthread_mutex_unlock(&lock);
    c->state = of;
    if (!of) snprintf(error, room, "no memory left");
    return of != NULL;
}

static void end_call(weft_custom_call *c)
{
    Config *of = c->state;
    pthread_mutex_lock(&lock);
    of->calls--;
    pthread_mutex_unlock(&lock);
}

/* For all clients that are made from now on. call must stay. False: no memory. */
DOOR bool weft_pjrt_custom_call_on(const char *name, CallFn *call);
DOOR bool weft_pjrt_custom_call_on(const char *name, CallFn *call)
{
    Host *h = malloc(sizeof *h);
    char *copy = strdup(name);
    if (!h || !copy) {
        free(h);
        free(copy);
        return false;
    }
    *h = (Host){ copy, call, NULL };
    pthread_mutex_lock(&lock);
    *end = h;
    end = &h->next;
    pthread_mutex_unlock(&lock);
    return true;
}

/* One config that programs had and none has any more, each given once; false: there is none. */
DOOR bool weft_pjrt_forgotten(char *config, size_t room);
DOOR bool weft_pjrt_forgotten(char *config, size_t room)
{
    pthread_mutex_lock(&lock);
    Config **at = &configs;
    while (*at && (*at)->calls) at = &(*at)->next;
    Config *found = *at;
    if (found) *at = found->next;
    pthread_mutex_unlock(&lock);
    if (found) snprintf(config, room, "%s", found->text);
    free(found);
    return found != NULL;
}

static atomic_int calls;

void hosts_called(int more) { atomic_fetch_add(&calls, more); }

/* Does a call wait for these functions, or run one? Python must not end before. */
DOOR bool weft_pjrt_calls_host(void);
DOOR bool weft_pjrt_calls_host(void) { return atomic_load(&calls) > 0; }

void hosts_add(weft_context *ctx)
{
    pthread_mutex_lock(&lock);
    for (const Host *h = first; h; h = h->next) {
        weft_custom_fn f = { .call = h->call, .begin = begin_call, .end = end_call };
        weft_custom_call_on(ctx, h->name, &f);
    }
    pthread_mutex_unlock(&lock);
}
