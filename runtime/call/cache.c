/* cache.c: see cache.h. */
#include "cache.h"
#include "compiler/passes/inline_rules.h"
#include "runtime/memory/stack.h"
#include <stdio.h>
#include <string.h>

/* LLVM goes deep; an 8 MiB stack's first half is plenty */
enum { FIRST_TABLE = 256, DEFAULT_ENTRIES = 1024, COMPILE_STACK = 4 << 20 };

Cache *cache_open(weft_context *ctx)
{
    Memory *m = &ctx->memory;
    Cache *c = memory_alloc(m, sizeof *c);
    if (!c) return NULL;
    c->ctx = ctx;
    c->table_size = c->programs_size = FIRST_TABLE;
    c->table = memory_alloc(m, c->table_size * sizeof *c->table);
    c->programs = memory_alloc(m, c->programs_size * sizeof *c->programs);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (c->table && c->programs) return c;
    cache_close(c);
    return NULL;
}

void cache_sizes(Cache *c, size_t *programs, size_t *code_bytes)
{
    pthread_mutex_lock(&c->lock);
    *programs = c->n_programs;
    *code_bytes = c->code_bytes;
    pthread_mutex_unlock(&c->lock);
}

/* ---- keys ---- */

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

uint64_t cache_hash(const Key *k)
{
    uint64_t h = mix(mix(k->donated, k->fn->serial), (uint64_t)(uintptr_t)k->hooks);
    for (uint32_t i = 0; i < k->n_in; i++) {
        const Type *t = &k->in[i];
        h = mix(h, (uint64_t)t->dtype << 8 | t->rank);
        for (int d = 0; d < t->rank; d++) h = mix(h, (uint64_t)t->dim[d]);
    }
    for (uint32_t i = 0; i < k->n_words; i++) h = mix(h, k->words[i]);
    return h;
}

bool key_equal(const Key *a, const Key *b)
{
    if (a->fn != b->fn || a->hooks != b->hooks || a->donated != b->donated || a->n_in != b->n_in ||
        a->n_words != b->n_words)
        return false;
    for (uint32_t i = 0; i < a->n_in; i++)
        if (!type_equal(a->in[i], b->in[i])) return false;
    for (uint32_t i = 0; i < a->n_words; i++)
        if (a->words[i] != b->words[i]) return false;
    return true;
}

static size_t key_bytes(const Key *k)
{
    size_t dims = 0;
    for (uint32_t i = 0; i < k->n_in; i++) dims += k->in[i].rank;
    return sizeof *k + (size_t)k->n_in * sizeof(Type) + ((size_t)k->n_words + dims) * sizeof(int64_t);
}

/* A deep copy into one block of key_bytes: the key, its types, its words, all dims. */
static Key *key_place(void *block, const Key *from)
{
    Key *k = block;
    *k = *from;
    k->in = (Type *)(k + 1);
    k->words = (uint64_t *)(k->in + k->n_in);
    int64_t *dim = (int64_t *)(k->words + k->n_words);
    if (k->n_words) memcpy(k->words, from->words, (size_t)k->n_words * sizeof *k->words);
    for (uint32_t i = 0; i < k->n_in; i++) {
        k->in[i] = from->in[i];
        k->in[i].dim = dim;
        if (k->in[i].rank) memcpy(dim, from->in[i].dim, k->in[i].rank * sizeof *dim);
        dim += k->in[i].rank;
    }
    return k;
}

Key *key_copy(Memory *m, const Key *from)
{
    void *block = memory_alloc(m, key_bytes(from));
    return block ? key_place(block, from) : NULL;
}

void key_free(Memory *m, Key *k)
{
    if (k) memory_free(m, k, key_bytes(k));
}

/* ---- entries; the lock is held where not said otherwise ---- */

static Entry **slot_of(Cache *c, uint64_t hash) { return &c->table[hash & (c->table_size - 1)]; }

/* A fuller table is slower, not wrong: growth may be refused. */
static void grow_table(Cache *c)
{
    if (c->n_entries < c->table_size) return;
    size_t size = 2 * c->table_size;
    Entry **table = memory_alloc(&c->ctx->memory, size * sizeof *table);
    if (!table) return;
    for (size_t i = 0; i < c->table_size; i++) {
        for (Entry *e = c->table[i], *next; e; e = next) {
            next = e->chain;
            e->chain = table[e->key.hash & (size - 1)];
            table[e->key.hash & (size - 1)] = e;
        }
    }
    memory_free(&c->ctx->memory, c->table, c->table_size * sizeof *table);
    c->table = table;
    c->table_size = size;
}

static void use_unlink(Cache *c, Entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    e->newer = e->older = NULL;
}

static void use_link(Cache *c, Entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static void table_remove(Cache *c, Entry *e)
{
    Entry **s = slot_of(c, e->key.hash);
    while (*s != e) s = &(*s)->chain;
    *s = e->chain;
    e->chain = NULL;
    c->n_entries--;
    if (e->state != ENTRY_READY) return;
    use_unlink(c, e);
    c->entry_bytes -= e->bytes;
}

static void table_add(Cache *c, Entry *e)
{
    Entry **s = slot_of(c, e->key.hash);
    e->chain = *s;
    *s = e;
    c->n_entries++;
}

static Entry *entry_new(Cache *c, const Key *key)
{
    Memory *m = &c->ctx->memory;
    Entry *e = memory_alloc(m, sizeof *e);
    if (!e) return NULL;
    arena_init(&e->arena, &m->counted, &e->guard);
    arena_init(&e->graph_arena, &m->counted, &e->guard);
    if (setjmp(e->guard.env)) {
        arena_free(&e->arena);
        memory_free(m, e, sizeof *e);
        return NULL;
    }
    e->key = *key_place(arena_alloc(&e->arena, key_bytes(key)), key);
    e->pins = 1;
    e->builder = pthread_self();
    grow_table(c);
    table_add(c, e);
    return e;
}

static Entry *find_key(Cache *c, const Key *key)
{
    Entry *e = *slot_of(c, key->hash);
    while (e && !(e->key.hash == key->hash && key_equal(&e->key, key))) e = e->chain;
    return e;
}

static void use(Cache *c, Entry *e)
{
    e->pins++;
    if (e == c->newest) return;
    use_unlink(c, e);
    use_link(c, e);
}

Entry *cache_find_unhooked(Cache *c, const Key *key)
{
    Key plain = *key;
    plain.hooks = NULL;
    plain.hash = cache_hash(&plain);
    pthread_mutex_lock(&c->lock);
    Entry *e = find_key(c, &plain);
    if (e && (e->state != ENTRY_READY || e->hooked)) e = NULL;
    if (e) use(c, e);
    pthread_mutex_unlock(&c->lock);
    return e;
}

Entry *cache_get(Cache *c, const Key *key, bool *own)
{
    pthread_mutex_lock(&c->lock);
    Entry *e;
    int cancel;
    for (;;) {
        e = find_key(c, key);
        *own = e && e->state == ENTRY_BUILDING && pthread_equal(e->builder, pthread_self());
        if (!e || e->state == ENTRY_READY || *own) break;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* with the lock held */
        pthread_cond_wait(&c->changed, &c->lock);
        pthread_setcancelstate(cancel, NULL);
    }
    if (*own) {
        e = NULL;
    } else if (!e) {
        e = entry_new(c, key);
    } else {
        use(c, e);
    }
    pthread_mutex_unlock(&c->lock);
    return e;
}

/* ---- programs ---- */

static CachedProgram **program_slot(Cache *c, uint64_t hash)
{
    return &c->programs[hash & (c->programs_size - 1)];
}

static void program_remove(Cache *c, CachedProgram *p)
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

/* True: it went. */
static bool program_unuse(Cache *c, CachedProgram *p)
{
    pthread_mutex_lock(&c->lock);
    bool last = --p->users == 0;
    if (last) program_remove(c, p);
    pthread_mutex_unlock(&c->lock);
    if (!last) return false;
    Memory *m = &c->ctx->memory;
    if (p->code) code_free(p->code, &m->counted);
    arena_free(&p->arena);
    memory_free(m, p, sizeof *p);
    return true;
}

/* What is found is being built by another thread, or ready; users counts the caller. */
static CachedProgram *program_find(Cache *c, uint64_t hash, const Graph *graph, uint64_t donated)
{
    CachedProgram *p = *program_slot(c, hash);
    while (p && !(p->hash == hash && p->donated == donated && !p->failed && graph_equal(p->graph, graph)))
        p = p->chain;
    if (p) p->users++;
    return p;
}

/* t's arena goes to p with the graph in it. */
static CachedProgram *program_add(Cache *c, uint64_t hash, Graph *graph, uint64_t donated, Trace *t)
{
    CachedProgram *p = memory_alloc(&c->ctx->memory, sizeof *p);
    if (!p) return NULL;
    p->arena = t->arena;
    p->arena.guard = &p->guard;
    arena_init(&t->arena, p->arena.allocator, &t->guard);
    graph->arena = &p->arena;
    p->graph = graph;
    p->donated = donated;
    p->hash = hash;
    p->users = 1;
    p->chain = *program_slot(c, hash);
    *program_slot(c, hash) = p;
    c->n_programs++;
    return p;
}

static void count_compile(Cache *c, const Code *code)
{
    weft_context *ctx = c->ctx;
    ctx->counts.compiles += code->entry != NULL;
    ctx->counts.uncompiled += !code->entry;
    ctx->counts.kernels += code->n_kernels;
    ctx->counts.fused_bytes += code->fused_bytes;
    pthread_mutex_lock(&ctx->lock);
    weft_counters *s = &ctx->times;
    s->simplify_us += code->simplify_us, s->fuse_us += code->fuse_us, s->emit_us += code->emit_us;
    s->optimize_us += code->optimize_us, s->codegen_us += code->codegen_us, s->load_us += code->load_us;
    pthread_mutex_unlock(&ctx->lock);
}

/* The target text is asked of the back end once a context. */
static bool target_ready(weft_context *ctx, Failure *f)
{
    if (ctx->target_known) return true;
    Target target;
    const char *text = ctx->options.target ? ctx->options.target : "host";
    if (!compile_target(text, ctx->process, &target, f)) return false;
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->target_known) ctx->target = target;
    ctx->target_known = 1;
    pthread_mutex_unlock(&ctx->lock);
    return true;
}

typedef struct Job {
    weft_context *ctx;
    const CachedProgram *program;
    const char *label;
    Failure *failure;
    Code *code;
} Job;

static void do_compile(void *user)
{
    Job *job = user;
    weft_context *ctx = job->ctx;
    char name[200];
    /* a dump for each compile */
    snprintf(name, sizeof name, "%s.%llu", job->label, (unsigned long long)ctx->counts.compiles + 1);
    CompileOptions options = { .mode = context_mode(ctx),
                               .target = &ctx->target,
                               .dump_dir = ctx->options.dump_dir,
                               .name = name,
                               .donated = job->program->donated,
                               .process = ctx->process,
                               .code_or_fail = ctx->options.compile_or_fail };
    job->code = target_ready(ctx, job->failure)
                    ? compile_graph(job->program->graph, &options, context_allocator(ctx), job->failure)
                    : compile_without_target(&options, context_allocator(ctx), job->failure);
}

static Code *compile(Cache *c, const CachedProgram *p, const char *label, Failure *f)
{
    Job job = { c->ctx, p, label, f, NULL };
    if (!stack_call(COMPILE_STACK, do_compile, &job)) fail(f, WEFT_COMPILER, STACK_NONE, COMPILE_STACK >> 10);
    return job.code;
}

/* Compiles what program_add put there, or waits for the thread that does. */
static bool program_finish(Cache *c, CachedProgram *p, bool mine, const char *name, Failure *f)
{
    if (mine) {
        Code *code = compile(c, p, name, f);
        if (code) count_compile(c, code);
        pthread_mutex_lock(&c->lock);
        p->code = code;
        p->failed = !code;
        if (code) {
            c->code_bytes += code->code_bytes;
            c->graph_bytes += p->arena.bytes;
        }
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
        return code != NULL;
    }
    pthread_mutex_lock(&c->lock);
    while (!p->code && !p->failed) pthread_cond_wait(&c->changed, &c->lock);
    bool failed = p->failed;
    pthread_mutex_unlock(&c->lock);
    if (!failed) c->ctx->counts.shared++;
    return failed ? fail(f, WEFT_COMPILER, "another thread could not compile the same program") : true;
}

static CachedProgram *program_get(Cache *c, Local *l, const Key *key, Graph *graph, Trace *t, bool *shared)
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
    if (!p || f.code == WEFT_MEMORY) error_memory(l, name, NULL);
    else error_set(l, f.code, name, NULL, "%s", f.text);
    if (p) program_unuse(c, p);
    return NULL;
}

/* ---- building an entry ---- */

/* The trace's graph without what no output needs and without rules: programs that differ in those only share
 * one code. NULL and an error: a rule is missing, or memory. */
static Graph *finished(Local *l, const Function *fn, Trace *t)
{
    Failure f = { .code = WEFT_OK };
    if (setjmp(t->guard.env)) return error_memory(l, fn->label, NULL), NULL;
    const Graph *g = inline_rules(&t->arena, t->graph, &f);
    if (!g) return error_set(l, f.code, fn->label, NULL, "%s", f.text), NULL;
    return graph_compact(&t->arena, g);
}

static bool copy_results(Entry *e, const Graph *g, Trace *t, const Flat *out)
{
    if (setjmp(e->guard.env)) return false;
    e->n_out = g->n_outputs;
    e->out = arena_alloc(&e->arena, (g->n_outputs + 1) * sizeof *e->out);
    e->n_out_words = out->n_words;
    e->out_words = arena_copy(&e->arena, out->word, out->n_words * sizeof *out->word);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        e->out[i] = graph_type(g, g->outputs[i]);
        e->out[i].dim = arena_copy(&e->arena, e->out[i].dim, e->out[i].rank * sizeof(int64_t));
    }
    e->hidden = arena_copy(&e->arena, t->hidden, t->n_hidden * sizeof *t->hidden);
    return true;
}

bool cache_build(Cache *c, Local *l, Entry *e, Trace *t, const Flat *out, bool *shared)
{
    const Function *fn = e->key.fn;
    Graph *g = finished(l, fn, t);
    if (!g) return false;
    if (!copy_results(e, g, t, out)) {
        error_memory(l, fn->label, NULL);
        return false;
    }
    e->n_hidden = t->n_hidden;
    e->body_runs = t->body_runs;
    t->n_hidden = 0;
    if (fn->kind == FN_JIT) {
        e->program = program_get(c, l, &e->key, g, t, shared);
        if (!e->program) return false;
        if (!e->program->code->entry) e->graph = e->program->graph;
    } else {
        e->graph_arena = t->arena;
        e->graph_arena.guard = &e->guard;
        arena_init(&t->arena, e->graph_arena.allocator, &t->guard);
        g->arena = &e->graph_arena;
        e->graph = g;
    }
    e->bytes = sizeof *e + e->arena.bytes + e->graph_arena.bytes;
    return true;
}

/* True: a program went with it. */
static bool entry_free(Cache *c, Entry *e)
{
    for (uint32_t i = 0; i < e->n_hidden; i++) array_unretain(e->hidden[i]);
    bool last = e->program && program_unuse(c, e->program);
    arena_free(&e->graph_arena);
    arena_free(&e->arena);
    memory_free(&c->ctx->memory, e, sizeof *e);
    return last;
}

/* Out of the table; true: nobody runs it, and the caller frees it. */
static bool entry_drop(Cache *c, Entry *e)
{
    table_remove(c, e);
    return (atomic_fetch_or(&e->pins, ENTRY_DEAD) & ~ENTRY_DEAD) == 0;
}

void cache_unpin(Entry *e)
{
    Cache *c = e->key.fn->ctx->cache;
    if (atomic_fetch_sub(&e->pins, 1) == (ENTRY_DEAD | 1)) entry_free(c, e);
}

static bool over_limit(const Cache *c)
{
    const weft_options *o = &c->ctx->options;
    size_t entries = o->cache_entries ? o->cache_entries : DEFAULT_ENTRIES;
    size_t bytes = o->cache_bytes ? o->cache_bytes : (size_t)256 << 20;
    return c->n_entries > entries || c->code_bytes + c->entry_bytes + c->graph_bytes > bytes;
}

/* The least recently used that nobody runs goes, until the limits hold. */
static void evict(Cache *c)
{
    for (;;) {
        pthread_mutex_lock(&c->lock);
        Entry *e = over_limit(c) ? c->oldest : NULL;
        while (e && e->pins) e = e->newer;
        if (e && !entry_drop(c, e)) e = NULL;
        pthread_mutex_unlock(&c->lock);
        if (!e) return;
        if (entry_free(c, e)) c->ctx->counts.evictions++;
    }
}

/* Where no hooks matter it is the same under any. Whoever waited for it under its old key makes one more, of
 * the same code. */
static void drop_hooks(Cache *c, Entry *e)
{
    if (e->hooked || !e->key.hooks) return;
    table_remove(c, e);
    e->key.hooks = NULL;
    e->key.hash = cache_hash(&e->key);
    table_add(c, e);
}

void cache_ready(Cache *c, Entry *e)
{
    pthread_mutex_lock(&c->lock);
    drop_hooks(c, e);
    e->state = ENTRY_READY;
    use_link(c, e);
    c->entry_bytes += e->bytes;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    evict(c);
}

void cache_fail(Cache *c, Entry *e)
{
    pthread_mutex_lock(&c->lock);
    table_remove(c, e);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    entry_free(c, e);
}

void cache_forget(Cache *c, Function *fn)
{
    Entry *gone = NULL;
    pthread_mutex_lock(&c->lock);
    for (Entry *e = c->oldest, *newer; e; e = newer) {
        newer = e->newer;
        if (e->key.fn != fn || !entry_drop(c, e)) continue;
        e->chain = gone;
        gone = e;
    }
    Key *last = fn->last;
    fn->last = NULL;
    pthread_mutex_unlock(&c->lock);
    key_free(&c->ctx->memory, last);
    for (Entry *next; gone; gone = next) {
        next = gone->chain;
        entry_free(c, gone);
    }
}

/* Nobody builds it here. What it took so far is left alone: it may have been in the middle of a change. */
void cache_forked(Cache *c)
{
    pthread_cond_init(&c->changed, NULL); /* it would wait for the threads that waited for it */
    for (size_t i = 0; i < c->table_size; i++) {
        for (Entry *e = c->table[i], *next; e; e = next) {
            next = e->chain;
            if (e->state == ENTRY_BUILDING && !pthread_equal(e->builder, pthread_self())) table_remove(c, e);
        }
    }
    for (size_t i = 0; i < c->programs_size; i++) {
        for (CachedProgram *p = c->programs[i], *next; p; p = next) {
            next = p->chain;
            if (!p->code) program_remove(c, p);
        }
    }
}

void cache_close(Cache *c)
{
    Memory *m = &c->ctx->memory;
    while (c->oldest) {
        Entry *e = c->oldest;
        table_remove(c, e);
        entry_free(c, e);
    }
    explain_close(c);
    if (c->table) memory_free(m, c->table, c->table_size * sizeof *c->table);
    if (c->programs) memory_free(m, c->programs, c->programs_size * sizeof *c->programs);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    memory_free(m, c, sizeof *c);
}
