/* open.c: weft_open acquires in order what each room keeps in a context; weft_close goes in reverse. */
#include "builtins.h"
#include "fork.h"
#include "runtime/call/cache.h"
#include "runtime/io/dlpack.h"
#include "runtime/memory/environment.h"
#include "runtime/process/process.h"
#include "runtime/team/team.h"
#include "runtime/transforms/rules/hooks.h"
#include <stdlib.h>

/* How many the options ask for, or WEFT_THREADS, or as many as there are cores. 0: an error is set. */
static int threads_wanted(const weft_options *o)
{
    const char *text = environment_text("WEFT_THREADS");
    long n = o->threads;
    if (!n && !text) return team_cores();
    if (!n) {
        char *end;
        n = strtol(text, &end, 10);
        if (*end || n < 1 || n > MAX_THREADS)
            return error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL,
                             "WEFT_THREADS is \"%s\": allowed are 1 to %d", text, MAX_THREADS),
                   0;
    }
    if (n >= 1 && n <= MAX_THREADS) return (int)n;
    error_set(NULL, WEFT_ARGUMENT, "weft_open", NULL, "threads %ld: allowed are 0 to %d", n, MAX_THREADS);
    return 0;
}

weft_context *weft_open(const weft_options *options)
{
    weft_options o = options ? *options : (weft_options){ 0 };
    int threads = threads_wanted(&o);
    weft_context *ctx = threads ? context_open(&o) : NULL;
    if (!ctx) return NULL;
    if (!(ctx->functions = functions_open(ctx, builtins))) goto no_functions;
    if (!(ctx->cache = cache_open(ctx))) goto no_cache;
    if (!(ctx->hooks = hooks_open(ctx))) goto no_hooks;
    if (o.compile_apart && !(ctx->process = process_new(&ctx->memory, o.compile_memory, o.compile_seconds)))
        goto no_process;
    if (threads > 1 && !(ctx->team = team_open(threads, o.parallel_for, o.parallel_user))) goto no_team;
    ctx->workers = team_workers(ctx->team, 0);
    if (!fork_watch(ctx)) goto no_watch;
    if (context_make_current(ctx)) return ctx;

    fork_unwatch(ctx);
no_watch:
    team_close(ctx->team);
no_team:
    process_free(&ctx->memory, ctx->process);
no_process:
    hooks_close(ctx->hooks);
no_hooks:
    cache_close(ctx->cache);
no_cache:
    functions_close(ctx->functions);
no_functions:
    error_memory(NULL, "weft_open", NULL);
    context_leave(ctx);
    context_dispose(ctx);
    return NULL;
}

void weft_close(weft_context *ctx)
{
    if (!ctx || !context_may_close(ctx)) return;
    fork_unwatch(ctx);
    context_leave(ctx);
    dlpack_close(ctx);
    plan_close(ctx);
    loaded_close(ctx);
    team_close(ctx->team);
    process_free(&ctx->memory, ctx->process);
    hooks_close(ctx->hooks);
    cache_close(ctx->cache);
    functions_close(ctx->functions);
    context_dispose(ctx);
}

weft_counters weft_stats(weft_context *ctx)
{
    Local *l = context_enter(ctx, "weft_stats", NULL);
    if (!l) return (weft_counters){ 0 };
    ctx = l->ctx;
    Counts *n = &ctx->counts;
    pthread_mutex_lock(&ctx->lock);
    weft_counters s = ctx->times;
    pthread_mutex_unlock(&ctx->lock);
    s.traces = n->traces, s.compiles = n->compiles, s.hits = n->hits, s.shared = n->shared,
    s.evictions = n->evictions;
    s.uncompiled = n->uncompiled;
    s.eager_ops = n->eager_ops, s.kernels = n->kernels, s.arrays = n->arrays, s.body_runs = n->body_runs,
    s.fused_bytes = n->fused_bytes;
    s.bytes_recycled = ctx->memory.recycled;
    s.bytes_in_use = ctx->memory.held - s.bytes_recycled;
    s.peak_bytes = ctx->memory.peak;
    cache_sizes(ctx->cache, &s.programs, &s.code_bytes);
    return s;
}
