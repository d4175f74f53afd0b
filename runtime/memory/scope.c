/* scope.c: who frees an array: a scope of a thread's stack of them, or the context, under its lock. */
#include "array.h"
#include "reserve.h"

static Reserve scopes = RESERVE_OF(weft_scope, sizeof(Home));

weft_scope *scope_new(void) { return reserve_take(&scopes); }

void scope_end(weft_scope **list, weft_scope *s)
{
    s->ctx = NULL;
    while (*list && *list != s) list = &(*list)->below;
    if (!*list) return;
    *list = s->below;
    if (!s->embedded) reserve_give(&scopes, s);
}

weft_scope *scope_top(weft_scope **list)
{
    while (*list && !(*list)->ctx) scope_end(list, *list);
    return *list;
}

static void list_add(weft_context *ctx, weft_scope *s, weft_array *a)
{
    if (!s) pthread_mutex_lock(&ctx->lock);
    a->owner = s;
    LIST_ADD(s ? &s->arrays : &ctx->kept, a, next, link);
    if (!s) pthread_mutex_unlock(&ctx->lock);
}

void scope_add(Local *l, weft_array *a) { list_add(l->ctx, l->scope, a); }

void scope_remove(weft_array *a)
{
    weft_context *ctx = a->ctx;
    bool shared = !a->owner;
    if (shared) pthread_mutex_lock(&ctx->lock);
    if (a->link) LIST_REMOVE(a, next, link);
    a->link = NULL;
    a->next = NULL;
    if (shared) pthread_mutex_unlock(&ctx->lock);
}

void scope_move(weft_array *a, weft_scope *to)
{
    scope_remove(a);
    list_add(a->ctx, to, a);
}

void scope_push(weft_scope *s, Local *l)
{
    *s =
        (weft_scope){ .ctx = l->ctx, .local = l, .outer = l->scope, .below = thread.scope, .embedded = true };
    l->scope = s;
    thread.scope = s;
}

static void close_one(weft_scope *s)
{
    Local *l = s->local;
    while (s->arrays) {
        weft_array *a = s->arrays;
        scope_remove(a);
        array_release(a);
    }
    l->scope = s->outer;
    scope_end(&thread.scope, s);
}

static bool is_open(const weft_scope *s)
{
    for (const weft_scope *o = s->local->scope; o; o = o->outer)
        if (o == s) return true;
    return false;
}

void scope_pop(weft_scope *s)
{
    while (s->local->scope != s) close_one(s->local->scope);
    close_one(s);
}

void callback_begin(Callback *c, const char *name, weft_context *ctx, Local *l)
{
    *c = (Callback){ .outer = thread.callback, .ctx = ctx, .name = name };
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel);
    if (l) scope_push(&c->scope, l);
    thread.callback = c;
}

void callback_end(Callback *c)
{
    thread.callback = c->outer;
    if (c->scope.ctx) scope_pop(&c->scope);
    pthread_setcancelstate(c->cancel, NULL);
}

weft_scope *weft_scope_open(weft_context *ctx)
{
    Local *l = context_enter(ctx, "weft_scope_open", NULL);
    if (!l) return NULL;
    weft_scope *s = scope_new();
    if (!s) return error_memory(l, "weft_scope_open", NULL), NULL;
    scope_push(s, l);
    s->embedded = false;
    s->home = context_home(l->ctx);
    return s;
}

/* Why it cannot be closed, or NULL. A function that is being called can close what it opened, not what its
 * caller did: an embedded scope stops it. */
static const char *why_open(const Local *l, const weft_scope *s)
{
    if (!s->ctx) return "the scope was closed already, or its context was";
    if (l != s->local || !is_open(s)) return "the scope is not open on this thread";
    for (const weft_scope *o = l->scope; o != s; o = o->outer)
        if (o->embedded) return "the scope was opened outside the running call";
    return NULL;
}

void weft_scope_close(weft_scope *s)
{
    if (!s) return;
    Local *l = s->ctx ? context_local(s->ctx) : context_blamed(s->home);
    if (s->ctx && !l) return;
    const char *why = why_open(l, s);
    if (why) error_set(l, WEFT_ARGUMENT, "weft_scope_close", NULL, "%s", why);
    else scope_pop(s);
}
