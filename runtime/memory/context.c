/* context.c: opening and closing, each thread's part, counters. */
#include "context.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "array.h"
#include "environment.h"
#include "floating.h"
#include "reserve.h"
#include "stack.h"

_Thread_local Thread thread = { .floating = FLOATING_DEFAULT };

/* A context's own memory: also when it is closed one can ask it whether it is. */
static Reserve contexts = RESERVE_OF(weft_context, 0);
/* A thread that ends may come for its Local when weft_close has ended that already. */
static Reserve locals = RESERVE_OF(Local, sizeof(_Atomic(const Thread *)));

/* Its thread, when that ends, and weft_close both want to end it: the first one does. Another thread's Local
 * that lies in the same place now is not taken for one's own. */
static bool local_take(Local *l, const Thread *of)
{
    return of && atomic_compare_exchange_strong(&l->thread, &of, NULL);
}

/* What it holds, but not its own memory. */
static void local_empty(Local *l)
{
    Memory *m = &l->ctx->memory;
    if (l->opened) scope_end(&thread.opened, l->opened);
    if (thread.op.local == l) thread.op.local = NULL;
    memory_free(m, l->report, l->report_bytes);
    memory_discharge(m, sizeof *l);
}

static void give_spare(Local *l)
{
    weft_context *ctx = l->ctx;
    for (weft_array *a = l->spare, *next; a; a = next) {
        next = a->next;
        a->next = ctx->spare;
        ctx->spare = a;
    }
}

/* A thread ends: its scopes close, its spare handles go to the context. weft_close waits until it is
 * unlinked; from then on the context may be gone. */
static void local_leave(void *p)
{
    Local *l = p;
    if (!local_take(l, &thread)) return;
    weft_context *ctx = l->ctx;
    while (l->scope) scope_pop(l->scope);
    if (l->planning) l->give_up(l);
    local_empty(l);
    pthread_mutex_lock(&ctx->lock);
    LIST_REMOVE(l, next, link);
    give_spare(l);
    pthread_cond_broadcast(&ctx->left);
    pthread_mutex_unlock(&ctx->lock);
    reserve_give(&locals, l);
}

static void local_end(Local *l)
{
    LIST_REMOVE(l, next, link);
    local_empty(l);
    l->thread = NULL;
    reserve_give(&locals, l);
}

static Local *local_new(weft_context *ctx)
{
    Local *l = reserve_charge(&locals, &ctx->memory);
    if (!l) return NULL;
    l->ctx = ctx;
    stack_ask();
    if (pthread_setspecific(ctx->key, l)) {
        memory_discharge(&ctx->memory, sizeof *l);
        reserve_give(&locals, l);
        return NULL;
    }
    l->thread = &thread;
    LOCK(&ctx->lock);
    LIST_ADD(&ctx->locals, l, next, link);
    return l;
}

static bool any_leaving(const weft_context *ctx)
{
    const Local *l = ctx->locals;
    while (l && l->closing) l = l->next;
    return l != NULL;
}

/* From now on none of them is its thread's: those that are leaving have left. */
static void take_locals(weft_context *ctx)
{
    NO_CANCEL();
    LOCK(&ctx->lock);
    for (Local *l = ctx->locals; l; l = l->next) l->closing = local_take(l, l->thread);
    while (any_leaving(ctx)) pthread_cond_wait(&ctx->left, &ctx->lock);
}

static Local *current(void)
{
    weft_scope *s = scope_top(&thread.scope);
    if (!s) s = scope_top(&thread.opened);
    return s ? s->local : NULL;
}

Local *context_local(weft_context *ctx)
{
    const weft_scope *s = thread.scope;
    if (s && s->ctx && (!ctx || s->ctx == ctx)) return s->local;
    if (!ctx) return current();
    if (!ctx->open) return NULL;
    Local *l = pthread_getspecific(ctx->key);
    return l ? l : local_new(ctx);
}

Home context_home(weft_context *ctx) { return (Home){ ctx, ctx->serial }; }

Local *context_blamed(Home h)
{
    if (h.ctx && h.ctx->open && h.ctx->serial == h.serial) return context_local(h.ctx);
    Local *l = current();
    return l && l->frame ? l : NULL;
}

Local *context_enter(weft_context *ctx, const char *who, const char *at)
{
    Local *l = context_local(ctx);
    if (at) thread.last_at = at;
    if (!l && ctx && !ctx->open)
        error_set(context_blamed(NOBODYS), WEFT_ARGUMENT, who, at, "the context is closed");
    else if (!l && ctx) error_memory(NULL, who, at);
    else if (!l) error_set(NULL, WEFT_ARGUMENT, who, at, "there is no context: open one with weft_open");
    return l;
}

void weft_here_(const char *at) { thread.last_at = at; }

weft_dtype context_real(const weft_context *ctx) { return ctx->options.real ? ctx->options.real : WEFT_F32; }
NumericMode context_mode(const weft_context *ctx) { return (NumericMode)ctx->options.mode; }
_Static_assert((int)MODE_STRICT == (int)WEFT_MODE_STRICT && (int)MODE_FAST == (int)WEFT_MODE_FAST,
               "the public mode is the compiler's");

double context_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- opening: acquire in order, release in reverse ---- */

/* An option for a compiler in a process of its own, where there is none; NULL: all is well. */
static const char *stray_option(const weft_options *o)
{
    if (o->compile_apart) return NULL;
    if (o->compile_or_fail) return "compile_or_fail";
    if (o->compile_memory) return "compile_memory";
    return o->compile_seconds != 0 ? "compile_seconds" : NULL;
}

static bool options_valid(const weft_options *o)
{
    if ((unsigned)o->mode > WEFT_MODE_FAST)
        error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL,
                  "mode %d: allowed are WEFT_MODE_DEFAULT, _STRICT and _FAST", (int)o->mode);
    else if (o->real && o->real != WEFT_F32 && o->real != WEFT_F64)
        error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL,
                  "real is element type %d: allowed are WEFT_F32 and WEFT_F64", (int)o->real);
    else if (!(o->compile_seconds >= 0))
        error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL, "compile_seconds %g: must be at least 0",
                  o->compile_seconds);
    else if (stray_option(o))
        error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL,
                  "%s needs compile_apart: a compiler in this process has no limits", stray_option(o));
    else return true;
    return false;
}

/* What WEFT_TARGET and .target may say here: LLVM is not asked, which eager mode never opens. */
static bool target_runs(const char *name)
{
    if (!strcmp(name, "host")) return true;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (!strcmp(name, "avx512")) return __builtin_cpu_supports("x86-64-v4");
    if (!strcmp(name, "avx2")) return __builtin_cpu_supports("x86-64-v3");
    return !strcmp(name, "sse2");
#else
    return !strcmp(name, "aarch64");
#endif
}

static bool target_valid(const char *name)
{
    static const char *const all[] = { "host", "avx512", "avx2", "sse2", "aarch64" };
    char list[64] = "";
    if (!name || target_runs(name)) return true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (target_runs(all[i]))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", all[i]);
    return error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL,
                     "this machine does not run the target \"%s\" (.target or WEFT_TARGET): allowed are %s",
                     name, list);
}

/* What the option says, or else the environment; NULL: neither. False: out of memory. */
static bool copy_text(Memory *m, const char *option, const char *variable, const char **text)
{
    const char *value = option ? option : environment_text(variable);
    return !value || !*value || (*text = memory_text(m, value));
}

static weft_context *context_alloc(const weft_options *o)
{
    weft_context *ctx = reserve_take(&contexts);
    if (ctx)
        memory_init(&ctx->memory, &(Allocator){ o->resize, o->resize_user }, o->memory_limit,
                    o->recycle_bytes);
    return ctx;
}

bool context_make_current(weft_context *ctx)
{
    Local *l = context_local(ctx);
    if (!l || !(l->opened = scope_new())) return false;
    *l->opened = (weft_scope){ .ctx = ctx, .local = l, .below = thread.opened };
    thread.opened = l->opened;
    thread.error = WEFT_OK;
    return true;
}

weft_context *context_open(const weft_options *o)
{
    static _Atomic uint64_t serials;
    if (!options_valid(o)) return NULL;
    weft_context *ctx = context_alloc(o);
    if (!ctx) goto no_context;
    ctx->options = *o;
    ctx->options.dump_dir = ctx->options.target = NULL;
    ctx->serial = atomic_fetch_add(&serials, 1) + 1;
    ctx->next_serial = 1;
    ctx->open = true;
    ctx->forbid_compiling = o->forbid_compiling;
    const char *perf = environment_text("WEFT_PERF");
    ctx->perf = perf && strcmp(perf, "0");
    ctx->stale_end = &ctx->stale;
    pthread_mutex_init(&ctx->lock, NULL);
    pthread_cond_init(&ctx->left, NULL);
    if (pthread_key_create(&ctx->key, local_leave)) {
        error_set(NULL, WEFT_MEMORY, "weft_open", NULL,
                  "too many contexts are open: each needs a thread key of the process (%d in all)",
                  PTHREAD_KEYS_MAX);
        goto no_key;
    }
    if (!copy_text(&ctx->memory, o->dump_dir, "WEFT_DUMP", &ctx->options.dump_dir)) goto no_texts;
    if (!copy_text(&ctx->memory, o->target, "WEFT_TARGET", &ctx->options.target)) goto no_texts;
    if (target_valid(ctx->options.target)) return ctx;
    goto bad_target;

no_texts:
    error_memory(NULL, "weft_open", NULL);
bad_target:
    pthread_key_delete(ctx->key);
no_key:
    context_dispose(ctx);
    return NULL;
no_context:
    error_memory(NULL, "weft_open", NULL);
    return NULL;
}

/* An error that nobody asked for must not vanish. */
static void print_unread(const Local *l)
{
    if (l->error != WEFT_OK && !l->error_read && !l->ctx->options.on_error)
        fprintf(stderr, "weft: %s\n", l->error_text);
}

/* A call on any thread, or what this one is in the midst of. */
static const char *running_in(weft_context *ctx)
{
    const char *label = NULL;
    for (const Callback *c = thread.callback; c; c = c->outer)
        if (c->ctx == ctx) return c->name;
    if (thread.op.depth && thread.op.local && thread.op.local->ctx == ctx) return thread.op.name;
    LOCK(&ctx->lock);
    for (const Local *l = ctx->locals; l; l = l->next)
        if (l->frame) label = l->frame->label;
    return label;
}

bool context_may_close(weft_context *ctx)
{
    const char *running = ctx->open ? running_in(ctx) : NULL;
    if (running)
        return error_set(context_local(ctx), WEFT_ARGUMENT, "weft_close", NULL,
                         "a function of the context is running: %s", running);
    return atomic_exchange(&ctx->open, false) ||
           error_set(context_blamed(NOBODYS), WEFT_ARGUMENT, "weft_close", NULL,
                     "the context is closed already");
}

void context_leave(weft_context *ctx)
{
    pthread_key_delete(ctx->key);
    take_locals(ctx);
    for (Local *l = ctx->locals; l; l = l->next) {
        print_unread(l);
        while (l->scope) scope_pop(l->scope);
    }
}

void context_dispose(weft_context *ctx)
{
    array_close(ctx);
    while (ctx->locals) local_end(ctx->locals);
    memory_text_free(&ctx->memory, ctx->options.dump_dir);
    memory_text_free(&ctx->memory, ctx->options.target);
    pthread_cond_destroy(&ctx->left);
    pthread_mutex_destroy(&ctx->lock);
    memory_close(&ctx->memory);
    reserve_give(&contexts, ctx);
}

void weft_forbid_compiling(weft_context *ctx, bool yes)
{
    Local *l = context_enter(ctx, "weft_forbid_compiling", NULL);
    if (l) l->ctx->forbid_compiling = yes;
}
