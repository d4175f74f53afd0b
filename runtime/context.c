/* context.c: opening and closing, each thread's part, counters. */
#include "context.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "array.h"
#include "cache.h"
#include "environment.h"
#include "floating.h"
#include "fn.h"
#include "hooks.h"
#include "plan.h"

_Thread_local Thread thread = { .floating = FLOATING_DEFAULT };

static void local_unlink(Local *l)
{
    *l->link = l->next;
    if (l->next) l->next->link = l->link;
}

static void local_free(Local *l)
{
    if (l->planning) plan_give_up(l);
    Memory *m = &l->ctx->memory;
    for (Local **o = &thread.opened; *o; o = &(*o)->older) {
        if (*o != l) continue;
        *o = l->older;
        break;
    }
    if (thread.op_local == l) thread.op_local = NULL;
    memory_free(m, l->report, l->report_bytes);
    memory_free(m, l, sizeof *l);
}

/* A thread ends: its scopes close, its spare handles go to the context. */
static void local_leave(void *p)
{
    Local *l = p;
    weft_context *ctx = l->ctx;
    while (l->scope) scope_pop(l->scope);
    pthread_mutex_lock(&ctx->lock);
    local_unlink(l);
    for (weft_array *a = l->spare, *next; a; a = next) {
        next = a->next;
        a->next = ctx->spare;
        ctx->spare = a;
    }
    pthread_mutex_unlock(&ctx->lock);
    local_free(l);
}

static Local *local_new(weft_context *ctx)
{
    Local *l = memory_alloc(&ctx->memory, sizeof *l);
    if (!l) return NULL;
    l->ctx = ctx;
    if (pthread_setspecific(ctx->key, l)) {
        memory_free(&ctx->memory, l, sizeof *l);
        return NULL;
    }
    pthread_mutex_lock(&ctx->lock);
    l->next = ctx->locals;
    l->link = &ctx->locals;
    if (l->next) l->next->link = &l->next;
    ctx->locals = l;
    pthread_mutex_unlock(&ctx->lock);
    return l;
}

Local *context_local(weft_context *ctx)
{
    if (!ctx) return thread.scope ? thread.scope->local : thread.opened;
    if (thread.scope && thread.scope->local->ctx == ctx) return thread.scope->local;
    Local *l = pthread_getspecific(ctx->key);
    return l ? l : local_new(ctx);
}

Local *context_enter(weft_context *ctx, const char *who, const char *at)
{
    Local *l = context_local(ctx);
    if (!l && ctx) error_memory(NULL, who, at);
    else if (!l) error_set(NULL, WEFT_ARGUMENT, who, at, "there is no context: open one with weft_open");
    return l;
}

NumericMode context_mode(const weft_context *ctx)
{
    return (NumericMode)ctx->options.mode;
}
_Static_assert((int)MODE_STRICT == (int)WEFT_MODE_STRICT && (int)MODE_FAST == (int)WEFT_MODE_FAST, "the public mode is the compiler's");

double context_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- opening: acquire in order, release in reverse ---- */

static bool options_valid(const weft_options *o)
{
    if ((unsigned)o->mode <= WEFT_MODE_FAST) return true;
    error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL, "mode %d: allowed are WEFT_MODE_DEFAULT, _STRICT and _FAST", (int)o->mode);
    return false;
}

static bool copy_text(Memory *m, const char **text, const char *variable)
{
    const char *value = *text ? *text : environment_text(variable);
    *text = NULL;
    if (!value || !*value) return true;
    return (*text = memory_text(m, value)) != NULL;
}

static weft_context *context_alloc(const weft_options *o)
{
    Memory memory;
    Allocator hook = { o->resize, o->resize_user };
    memory_init(&memory, &hook, o->memory_limit, o->recycle_bytes);
    weft_context *ctx = memory_alloc(&memory, sizeof *ctx);
    memory_close(&memory);
    if (!ctx) return NULL;
    memory_init(&ctx->memory, &hook, o->memory_limit, o->recycle_bytes);
    atomic_store(&ctx->memory.held, sizeof *ctx);
    return ctx;
}

static void context_dispose(weft_context *ctx)
{
    memory_close(&ctx->memory);
    Allocator hook = ctx->memory.hook;
    hook.resize(hook.user, ctx, sizeof *ctx, 0);
}

weft_context *weft_open(const weft_options *options)
{
    static _Atomic uint64_t serials;
    weft_options o = options ? *options : (weft_options){ 0 };
    if (!options_valid(&o)) return NULL;
    weft_context *ctx = context_alloc(&o);
    if (!ctx) goto no_context;
    ctx->options = o;
    ctx->options.dump_dir = ctx->options.target = NULL;
    ctx->serial = atomic_fetch_add(&serials, 1) + 1;
    ctx->next_serial = 1;
    ctx->forbid_compiling = o.forbid_compiling;
    ctx->stale_end = &ctx->stale;
    pthread_mutex_init(&ctx->lock, NULL);
    if (pthread_key_create(&ctx->key, local_leave)) {
        error_set(NULL, WEFT_MEMORY, "weft_open", NULL, "too many contexts are open: each needs a thread key of the process (%d in all)", PTHREAD_KEYS_MAX);
        goto no_key;
    }
    ctx->options.dump_dir = o.dump_dir;
    if (!copy_text(&ctx->memory, &ctx->options.dump_dir, "WEFT_DUMP")) goto no_texts;
    ctx->options.target = o.target;
    if (!copy_text(&ctx->memory, &ctx->options.target, "WEFT_TARGET")) goto no_texts;
    if (!(ctx->functions = functions_open(ctx))) goto no_texts;
    if (!(ctx->cache = cache_open(ctx))) goto no_cache;
    if (!(ctx->hooks = hooks_open(ctx))) goto no_hooks;
    Local *l = context_local(ctx);
    if (!l) goto no_local;
    l->older = thread.opened;
    thread.opened = l;
    thread.error = WEFT_OK;
    return ctx;

no_local:
    hooks_close(ctx->hooks);
no_hooks:
    cache_close(ctx->cache);
no_cache:
    functions_close(ctx->functions);
no_texts:
    memory_text_free(&ctx->memory, ctx->options.target);
    memory_text_free(&ctx->memory, ctx->options.dump_dir);
    pthread_key_delete(ctx->key);
    error_memory(NULL, "weft_open", NULL);
no_key:
    pthread_mutex_destroy(&ctx->lock);
    context_dispose(ctx);
    return NULL;
no_context:
    error_memory(NULL, "weft_open", NULL);
    return NULL;
}

/* An error that nobody asked for must not vanish. */
static void print_unread(const Local *l)
{
    if (l->error != WEFT_OK && !l->error_read && !l->ctx->options.on_error) fprintf(stderr, "weft: %s\n", l->error_text);
}

void weft_close(weft_context *ctx)
{
    if (!ctx) return;
    pthread_key_delete(ctx->key);
    for (Local *l = ctx->locals; l; l = l->next) {
        print_unread(l);
        while (l->scope) scope_pop(l->scope);
    }
    cache_close(ctx->cache);
    hooks_close(ctx->hooks);
    functions_close(ctx->functions);
    array_close(ctx);
    while (ctx->locals) {
        Local *l = ctx->locals;
        local_unlink(l);
        local_free(l);
    }
    memory_text_free(&ctx->memory, ctx->options.dump_dir);
    memory_text_free(&ctx->memory, ctx->options.target);
    pthread_mutex_destroy(&ctx->lock);
    context_dispose(ctx);
}

void weft_forbid_compiling(weft_context *ctx, bool yes)
{
    Local *l = context_enter(ctx, "weft_forbid_compiling", NULL);
    if (l) l->ctx->forbid_compiling = yes;
}

weft_counters weft_stats(weft_context *ctx)
{
    Local *l = context_local(ctx);
    if (!l) return (weft_counters){ 0 };
    ctx = l->ctx;
    Counts *n = &ctx->counts;
    pthread_mutex_lock(&ctx->lock);
    weft_counters s = ctx->times;
    pthread_mutex_unlock(&ctx->lock);
    s.traces = n->traces, s.compiles = n->compiles, s.hits = n->hits, s.shared = n->shared, s.evictions = n->evictions;
    s.eager_ops = n->eager_ops, s.kernels = n->kernels, s.arrays = n->arrays, s.body_runs = n->body_runs, s.fused_bytes = n->fused_bytes;
    s.bytes_recycled = ctx->memory.recycled;
    s.bytes_in_use = ctx->memory.held - s.bytes_recycled;
    s.peak_bytes = ctx->memory.peak;
    cache_sizes(ctx->cache, &s.programs, &s.code_bytes);
    return s;
}
