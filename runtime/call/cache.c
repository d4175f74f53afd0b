/* cache.c: see cache.h. */
#include "cache.h"
#include "compiler/passes/inline_rules.h"
#include "runtime/library/checks.h"

enum { FIRST_TABLE = 256, DEFAULT_ENTRIES = 1024 };

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
    LOCK(&c->lock);
    *programs = c->n_programs;
    *code_bytes = c->code_bytes;
}

/* ---- entries; the lock is held where not said otherwise ---- */

static CacheEntry **slot_of(Cache *c, uint64_t hash) { return &c->table[hash & (c->table_size - 1)]; }

/* A fuller table is slower, not wrong: growth may be refused. */
static void grow_table(Cache *c)
{
    if (c->n_entries < c->table_size) return;
    size_t size = 2 * c->table_size;
    CacheEntry **table = memory_alloc(&c->ctx->memory, size * sizeof *table);
    if (!table) return;
    for (size_t i = 0; i < c->table_size; i++) {
        for (CacheEntry *e = c->table[i], *next; e; e = next) {
            next = e->chain;
            e->chain = table[e->key.hash & (size - 1)];
            table[e->key.hash & (size - 1)] = e;
        }
    }
    memory_free(&c->ctx->memory, c->table, c->table_size * sizeof *table);
    c->table = table;
    c->table_size = size;
}

static void use_unlink(Cache *c, CacheEntry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    e->newer = e->older = NULL;
}

static void use_link(Cache *c, CacheEntry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static void table_remove(Cache *c, CacheEntry *e)
{
    CacheEntry **s = slot_of(c, e->key.hash);
    while (*s != e) s = &(*s)->chain;
    *s = e->chain;
    e->chain = NULL;
    c->n_entries--;
    if (e->state != ENTRY_READY) return;
    use_unlink(c, e);
    c->entry_bytes -= e->bytes;
}

static void table_add(Cache *c, CacheEntry *e)
{
    CacheEntry **s = slot_of(c, e->key.hash);
    e->chain = *s;
    *s = e;
    c->n_entries++;
}

static CacheEntry *entry_new(Cache *c, const CallKey *key)
{
    Memory *m = &c->ctx->memory;
    CacheEntry *e = memory_alloc(m, sizeof *e);
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

static CacheEntry *find_key(Cache *c, const CallKey *key)
{
    CacheEntry *e = *slot_of(c, key->hash);
    while (e && !(e->key.hash == key->hash && key_equal(&e->key, key))) e = e->chain;
    return e;
}

static void use(Cache *c, CacheEntry *e)
{
    e->pins++;
    if (e == c->newest) return;
    use_unlink(c, e);
    use_link(c, e);
}

/* The entry for the key, or for the key without its hooks if it is READY and no hooks matter to it. */
static CacheEntry *find_entry(Cache *c, const CallKey *key)
{
    CallKey plain = *key;
    plain.hooks = NULL;
    if (key->hooks) plain.hash = key_hash(&plain);
    CacheEntry *e = key->hooks ? find_key(c, &plain) : NULL;
    return e && e->state == ENTRY_READY && !e->hooked ? e : find_key(c, key);
}

CacheEntry *cache_get(Cache *c, const CallKey *key, bool *own)
{
    LOCK(&c->lock);
    for (;;) {
        CacheEntry *e = find_entry(c, key);
        *own = e && e->state == ENTRY_BUILDING && pthread_equal(e->builder, pthread_self());
        if (*own) return NULL;
        if (!e) return entry_new(c, key);
        if (e->state == ENTRY_READY) {
            use(c, e);
            return e;
        }
        NO_CANCEL();
        pthread_cond_wait(&c->changed, &c->lock);
    }
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

static bool copy_results(CacheEntry *e, const Graph *g, Trace *t, const Flat *out)
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

bool cache_build(Cache *c, Local *l, CacheEntry *e, Trace *t, const Flat *out, bool *shared)
{
    const Function *fn = e->key.fn;
    Graph *g = finished(l, fn, t);
    if (!g) return false;
    if (!copy_results(e, g, t, out)) return error_memory(l, fn->label, NULL);
    e->n_hidden = t->n_hidden;
    e->body_runs = t->body_runs;
    e->widened = t->widened;
    t->n_hidden = 0;
    if (fn->kind == FN_JIT) {
        e->program = program_get(c, l, &e->key, g, t, shared);
        if (!e->program) return false;
        if (!e->program->code->entry) e->graph = e->program->graph;
        e->checks = !e->graph && check_is_in(e->program->graph);
    } else {
        trace_give(t, g, &e->graph_arena, &e->guard);
        e->graph = g;
    }
    e->bytes = sizeof *e + e->arena.bytes + e->graph_arena.bytes;
    return true;
}

/* True: a program went with it. */
static bool entry_free(Cache *c, CacheEntry *e)
{
    for (uint32_t i = 0; i < e->n_hidden; i++) array_unretain(e->hidden[i]);
    bool last = e->program && program_unuse(c, e->program);
    arena_free(&e->graph_arena);
    arena_free(&e->arena);
    memory_free(&c->ctx->memory, e, sizeof *e);
    return last;
}

/* Takes e out of the table. True: nobody runs it, and the caller frees it. */
static bool entry_drop(Cache *c, CacheEntry *e)
{
    table_remove(c, e);
    return (atomic_fetch_or(&e->pins, ENTRY_DEAD) & ~ENTRY_DEAD) == 0;
}

void cache_unpin(CacheEntry *e)
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

/* Takes the least recently used entry that nobody runs out of the table, if a limit is passed; else NULL. */
static CacheEntry *drop_oldest(Cache *c)
{
    LOCK(&c->lock);
    CacheEntry *e = over_limit(c) ? c->oldest : NULL;
    while (e && e->pins) e = e->newer;
    return e && entry_drop(c, e) ? e : NULL;
}

/* An entry to which no hooks matter serves under any set of hooks. A thread that waited for it under its old
 * key makes another entry, which shares the code. */
static void drop_hooks(Cache *c, CacheEntry *e)
{
    if (e->hooked || !e->key.hooks) return;
    table_remove(c, e);
    e->key.hooks = NULL;
    e->key.hash = key_hash(&e->key);
    table_add(c, e);
}

void cache_ready(Cache *c, CacheEntry *e)
{
    {
        LOCK(&c->lock);
        drop_hooks(c, e);
        e->state = ENTRY_READY;
        use_link(c, e);
        c->entry_bytes += e->bytes;
        pthread_cond_broadcast(&c->changed);
    }
    for (CacheEntry *old; (old = drop_oldest(c));)
        if (entry_free(c, old)) c->ctx->counts.evictions++;
}

void cache_fail(Cache *c, CacheEntry *e)
{
    {
        LOCK(&c->lock);
        table_remove(c, e);
        pthread_cond_broadcast(&c->changed);
    }
    entry_free(c, e);
}

void cache_forget(Cache *c, Function *fn)
{
    CacheEntry *gone = NULL;
    pthread_mutex_lock(&c->lock);
    for (CacheEntry *e = c->oldest, *newer; e; e = newer) {
        newer = e->newer;
        if (e->key.fn != fn || !entry_drop(c, e)) continue;
        e->chain = gone;
        gone = e;
    }
    key_free(&c->ctx->memory, fn->last);
    fn->last = NULL;
    pthread_mutex_unlock(&c->lock);
    for (CacheEntry *next; gone; gone = next) {
        next = gone->chain;
        entry_free(c, gone);
    }
}

/* The threads that were building entries are not in the child: the entries go. Their memory is left alone,
 * for it may have been in the middle of a change. */
void cache_forked(Cache *c)
{
    pthread_cond_init(&c->changed, NULL); /* destroying it would wait for threads that are not here */
    for (size_t i = 0; i < c->table_size; i++) {
        for (CacheEntry *e = c->table[i], *next; e; e = next) {
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
        CacheEntry *e = c->oldest;
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
