/* programs.c: machine code found by its graph. Two threads that ask for one program compile it once. */
#include <stdio.h>
#include "cache.h"
#include "runtime/memory/stack.h"

enum { COMPILE_STACK = 4 << 20 }; /* LLVM goes deep; an 8 MiB stack's first half is plenty */

static CachedProgram **program_slot(Cache *c, uint64_t hash)
{
    return &c->programs[hash & (c->programs_size - 1)];
}

void program_remove(Cache *c, CachedProgram *p)
{
    CachedProgram **s = program_slot(c, p->hash);
    while (*s && *s != p) s = &(*s)->chain;
    if (!*s) return;
    *s = p->chain;
    c->n_programs--;
    if (!p->code) return;
    c->code_bytes -= p->code->code_bytes;
    c->graph_bytes -= p->arena.bytes;
}

bool program_unuse(Cache *c, CachedProgram *p)
{
    {
        LOCK(&c->lock);
        if (--p->users) return false;
        program_remove(c, p);
    }
    Memory *m = &c->ctx->memory;
    if (p->code) code_free(p->code, &m->counted);
    arena_free(&p->arena);
    memory_free(m, p, sizeof *p);
    return true;
}

/* It is ready, or another thread is building it. The caller becomes one of its users. */
static CachedProgram *program_find(Cache *c, uint64_t hash, const Graph *graph, uint64_t donated)
{
    CachedProgram *p = *program_slot(c, hash);
    while (p && !(p->hash == hash && p->donated == donated && !p->failed && graph_equal(p->graph, graph)))
        p = p->chain;
    if (p) p->users++;
    return p;
}

/* The program takes the trace's arena, with the graph in it. */
static CachedProgram *program_add(Cache *c, uint64_t hash, Graph *graph, uint64_t donated, Trace *t)
{
    CachedProgram *p = memory_alloc(&c->ctx->memory, sizeof *p);
    if (!p) return NULL;
    trace_give(t, graph, &p->arena, &p->guard);
    p->graph = graph;
    p->donated = donated;
    p->hash = hash;
    p->users = 1;
    p->chain = *program_slot(c, hash);
    *program_slot(c, hash) = p;
    c->n_programs++;
    return p;
}

static void count_compile(weft_context *ctx, const Code *code)
{
    ctx->counts.compiles += code->entry != NULL;
    ctx->counts.uncompiled += !code->entry;
    ctx->counts.kernels += code->n_kernels;
    ctx->counts.fused_bytes += code->fused_bytes;
    LOCK(&ctx->lock);
    weft_counters *s = &ctx->times;
    s->simplify_us += code->simplify_us, s->fuse_us += code->fuse_us, s->emit_us += code->emit_us;
    s->codegen_us += code->codegen_us, s->load_us += code->load_us;
}

/* The target text is asked of the back end once a context. */
static bool target_ready(weft_context *ctx, Failure *f)
{
    if (ctx->target_known) return true;
    Target target;
    const char *text = ctx->options.target ? ctx->options.target : "host";
    if (!compile_target(text, ctx->process, &target, f)) return false;
    if (ctx->workers.most == 1) target.parallel_ns = 0;
    target.threads = ctx->workers.most;
    LOCK(&ctx->lock);
    if (!ctx->target_known) ctx->target = target;
    ctx->target_known = 1;
    return true;
}

typedef struct CompileJob {
    weft_context *ctx;
    const Graph *graph;
    uint64_t donated;
    const char *label;
    Failure *failure;
    Code *code;
} CompileJob;

/* A host's pool may have small stacks. */
static Workers compile_workers(const weft_context *ctx)
{
    return ctx->options.parallel_for ? workers_alone : ctx->workers;
}

static void do_compile(void *user)
{
    CompileJob *job = user;
    weft_context *ctx = job->ctx;
    char name[200];
    /* a dump for each compile */
    snprintf(name, sizeof name, "%s.%llu", job->label, (unsigned long long)ctx->counts.compiles + 1);
    CompileOptions options = { .mode = context_mode(ctx),
                               .target = &ctx->target,
                               .dump_dir = ctx->options.dump_dir,
                               .name = name,
                               .perf = ctx->perf,
                               .donated = job->donated,
                               .process = ctx->process,
                               .workers = compile_workers(ctx),
                               .code_or_fail = ctx->options.compile_or_fail };
    job->code = target_ready(ctx, job->failure)
                    ? compile_graph(job->graph, &options, context_allocator(ctx), job->failure)
                    : compile_without_target(&options, context_allocator(ctx), job->failure);
}

Code *program_compile(weft_context *ctx, const Graph *g, uint64_t donated, const char *label, Failure *f)
{
    CompileJob job = { ctx, g, donated, label, f, NULL };
    if (!stack_call(COMPILE_STACK, do_compile, &job)) fail(f, WEFT_COMPILER, STACK_NONE, COMPILE_STACK >> 10);
    if (!job.code) return NULL;
    job.code->workers = ctx->workers;
    job.code->workers.stack = job.code->piece_stack;
    count_compile(ctx, job.code);
    return job.code;
}

/* Compiles what program_add put there, or waits for the thread that does. */
static bool program_finish(Cache *c, CachedProgram *p, bool mine, const char *name, Failure *f)
{
    if (mine) {
        Code *code = program_compile(c->ctx, p->graph, p->donated, name, f);
        LOCK(&c->lock);
        p->code = code;
        p->failed = !code;
        if (code) {
            c->code_bytes += code->code_bytes;
            c->graph_bytes += p->arena.bytes;
        }
        pthread_cond_broadcast(&c->changed);
        return code != NULL;
    }
    LOCK(&c->lock);
    while (!p->code && !p->failed) pthread_cond_wait(&c->changed, &c->lock);
    if (p->failed) return fail(f, WEFT_COMPILER, "another thread could not compile the same program");
    c->ctx->counts.shared++;
    return true;
}

CachedProgram *program_get(Cache *c, Local *l, const CallKey *key, Graph *graph, Trace *t, bool *shared)
{
    uint64_t hash = graph_hash(graph);
    const char *name = key->fn->label;
    Failure f = { .code = WEFT_OK };
    pthread_mutex_lock(&c->lock);
    CachedProgram *p = program_find(c, hash, graph, key->donated);
    *shared = p != NULL;
    if (!p) p = program_add(c, hash, graph, key->donated, t);
    pthread_mutex_unlock(&c->lock);
    if (p && program_finish(c, p, !*shared, name, &f)) return p;
    if (!p) return error_memory(l, name, NULL), NULL;
    error_failure(l, name, NULL, "", &f);
    program_unuse(c, p);
    return NULL;
}
