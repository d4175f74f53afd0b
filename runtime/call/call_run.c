/* call_run.c: a call on concrete arrays: the cache has an entry for these types and this structure, or one is
 * traced and compiled; then machine code runs (jit), or eager's kernels do (other transforms). */
#include "call.h"
#include "cache.h"
#include "runtime/eager/eager.h"
#include "runtime/exec/code_run.h"
#include "runtime/library/checks.h"

enum { STACK_SCRATCH = 4096, FEW_TYPES = 64 };

/* ---- keys ---- */

/* May its memory become a result's? It must be a block that no other argument, code or plan reads. */
static bool can_give(const Flat *in, uint32_t i)
{
    const weft_array *a = in->leaf[i];
    if (!a->donated || !a->capacity || a->release || a->refs != 1 || i >= 64) return false;
    for (uint32_t k = 0; k < in->n_leaves; k++)
        if (k != i && in->leaf[k] == a) return false;
    return true;
}

/* The function may have kept one of the donated arguments while it was traced. */
static bool still_given(const Flat *in, uint64_t given)
{
    for (uint32_t i = 0; given >> i && i < 64; i++)
        if (given >> i & 1 && !can_give(in, i)) return false;
    return true;
}

/* A plan's in-outs may be bound to one memory for both. */
static uint64_t inout_leaves(const Function *f, const Flat *in)
{
    const Signature *s = f->sig;
    uint64_t mask = 0;
    TreeRange range[s->in.fields + 1];
    if (s->plain_out || !tree_ranges(&s->in, in->memory, in->word, in->n_words, range)) return 0;
    for (size_t o = 0; o < s->out.fields; o++) {
        int i = s->in_of_out[o];
        for (uint32_t k = i < 0 ? 64 : range[i].leaf; i >= 0 && k < range[i + 1].leaf && k < 64; k++)
            mask |= UINT64_C(1) << k;
    }
    return mask;
}

/* The key of this call; it borrows the arguments' shapes and words. Written in place: a key that is returned
 * is read again in words that its stores have not reached, which takes 3 ns. */
static void key_of(const Function *f, const Local *l, const Flat *in, Type *types, CallKey *k)
{
    *k = (CallKey){ .fn = f,
                    .hooks = atomic_load_explicit(&f->ctx->hook_set, memory_order_acquire),
                    .n_in = in->n_leaves,
                    .n_words = in->n_words,
                    .in = types,
                    .words = in->word };
    for (uint32_t i = 0; i < k->n_in; i++) types[i] = array_own_type(in->leaf[i]);
    if (f->kind == FN_JIT) {
        for (uint32_t i = 0; i < k->n_in && i < 64; i++) k->donated |= (uint64_t)can_give(in, i) << i;
        if (l->planning) k->donated = inout_leaves(f, in);
    }
    k->hash = key_hash(k);
}

/* ---- entries ---- */

static bool compiling_allowed(const Function *f, Local *l, const char *reason)
{
    if (f->kind != FN_JIT || !l->ctx->forbid_compiling) return true;
    return error_set(l, WEFT_COMPILER, f->label, NULL,
                     "compiling is forbidden in this context, and there is no code for these arguments%s%s",
                     *reason ? ": " : "", reason);
}

/* A function may free one of its arguments by another name while it is traced. Until let_go_arguments has
 * looked for that, no handle may be used again for another array. */
static void hold_arguments(const Flat *in)
{
    for (uint32_t i = 0; i < in->n_leaves; i++) array_retain(in->leaf[i]);
}

static bool let_go_arguments(const Function *f, Local *l, const Flat *in)
{
    bool whole = true;
    for (uint32_t i = 0; i < in->n_leaves && whole; i++) {
        char path[TREE_PATH];
        whole = array_concrete(in->leaf[i]) ||
                error_set(l, WEFT_ARGUMENT, f->label, NULL,
                          "argument %s was freed by the function itself, which is called with it",
                          call_in_path(f, in, i, path, sizeof path));
    }
    for (uint32_t i = 0; i < in->n_leaves; i++) array_unretain(in->leaf[i]);
    return whole;
}

static void count_trace(weft_context *ctx, double us)
{
    LOCK(&ctx->lock);
    ctx->counts.traces++;
    ctx->times.trace_us += us;
}

/* Traces and compiles what e is for. */
static bool build(Function *f, Local *l, const Flat *in, CacheEntry *e)
{
    Cache *c = l->ctx->cache;
    char reason[512];
    bool shared = false;
    explain_reason(c, &e->key, reason, sizeof reason);
    if (!compiling_allowed(f, l, reason) || error_stack(l, STACK_TRACE, f->label, NULL)) return false;
    double start = context_now_us();
    Trace t;
    CLEANUP(flat_close) Flat out;
    flat_open(&out, &l->ctx->memory);
    l->hooks = e->key.hooks;
    l->hooked = false;
    bool good = call_ends(f, l, in) && call_trace(f, l, e->key.in, in, &t, &out);
    e->hooked = l->hooked;
    l->hooks = NULL;
    double trace_us = context_now_us() - start;
    if (good) {
        count_trace(l->ctx, trace_us);
        good = cache_build(c, l, e, &t, &out, &shared);
        trace_free(&t);
    }
    if (good) explain_built(c, e, reason, trace_us, e->program ? e->program->code : NULL, shared);
    return good;
}

static CacheEntry *get_entry(Function *f, Local *l, const Flat *in, const CallKey *key)
{
    Cache *c = l->ctx->cache;
    bool own;
    CacheEntry *e = cache_get(c, key, &own);
    if (!e) {
        if (!own) return error_memory(l, f->label, NULL), NULL;
        error_set(l, WEFT_ARGUMENT, f->label, NULL, "it is called while this thread is compiling it");
        return NULL;
    }
    if (e->state == ENTRY_READY) {
        atomic_fetch_add_explicit(&l->ctx->counts.hits, 1, memory_order_relaxed);
        return e;
    }
    NO_CANCEL(); /* else others would wait for this entry for ever */
    hold_arguments(in);
    bool good = build(f, l, in, e), whole = let_go_arguments(f, l, in);
    if (good) cache_ready(c, e);
    else cache_fail(c, e);
    if (good && whole) return e;
    if (good) cache_unpin(e);
    return NULL;
}

/* ---- room ---- */

/* Room for n items of size bytes each: `few` if that is enough. NULL: out of memory, error set. */
static void *room_for(Local *l, const Function *f, uint32_t n, size_t size, void *few)
{
    if (n <= FEW_TYPES) return few;
    void *p = memory_alloc(&l->ctx->memory, n * size);
    if (!p) error_memory(l, f->label, NULL);
    return p;
}

static void room_end(Local *l, void *p, uint32_t n, size_t size, const void *few)
{
    if (p && p != few) memory_free(&l->ctx->memory, p, n * size);
}

/* Inlined, as run_entry is: a call of small arrays takes 100 ns, of which 2 are these two calls. */
__attribute__((always_inline)) static inline CacheEntry *find_entry(Function *f, Local *l, const Flat *in)
{
    Type few[FEW_TYPES], *types = room_for(l, f, in->n_leaves, sizeof *types, few);
    if (!types) return NULL;
    CacheEntry *e;
    for (;;) {
        CallKey key;
        key_of(f, l, in, types, &key);
        e = get_entry(f, l, in, &key);
        if (!e || l->planning || still_given(in, key.donated)) break;
        cache_unpin(e); /* its code would write over an argument that is still needed */
    }
    room_end(l, types, in->n_leaves, sizeof *types, few);
    return e;
}

/* ---- running ---- */

/* What a check of the program's found (library/checks.h). */
static bool complain(Local *l)
{
    char words[CHECK_WORDS];
    return error_set(l, WEFT_ARGUMENT, NULL, NULL, "%s", check_words(words));
}

static bool complain_short(Local *l, const CacheEntry *e)
{
    return error_set(l, WEFT_MEMORY, e->key.fn->label, NULL, CODE_SHORT, e->program->code->piece_stack >> 10);
}

/* Not inlined: its caller, which reports that a stack is too short, has no room for the scratch. */
__attribute__((noinline)) static bool run_code(Local *l, const CacheEntry *e, const void *const *in,
                                               void *const *out)
{
    const Code *code = e->program->code;
    const Workers *w = &code->workers;
    size_t bytes = code_scratch(code, w), capacity;
    if (bytes <= STACK_SCRATCH) {
        _Alignas(64) char scratch[STACK_SCRATCH];
        return code_run(code, in, out, scratch, w, false) || complain_short(l, e);
    }
    void *scratch = memory_block(&l->ctx->memory, bytes, &capacity);
    if (!scratch) return error_memory(l, e->key.fn->label, NULL);
    bool ran = code_run(code, in, out, scratch, w, false);
    memory_block_free(&l->ctx->memory, scratch, capacity);
    return ran || complain_short(l, e);
}

static bool run_graph(Local *l, const CacheEntry *e, const void *const *in, void *const *out)
{
    Failure f = { .code = WEFT_OK };
    check_complaint.numbers = NULL;
    if (eager_graph(e->graph, in, out, context_allocator(l->ctx), &f)) return true;
    return check_complaint.numbers ? complain(l) : error_failure(l, e->key.fn->label, NULL, "", &f);
}

static void end_donated(const Flat *in)
{
    for (uint32_t i = 0; i < in->n_leaves; i++)
        if (in->leaf[i]->donated) weft_free(in->leaf[i]);
}

/* Of a program that may find something wrong, when its code has written over what was donated. Not inlined:
 * the others need no room for the words. */
__attribute__((noinline)) static bool run_checked(Local *l, const CacheEntry *e, const Flat *flat,
                                                  const void *const *in, void *const *out)
{
    Failure f, *outer = run_failure;
    f.code = WEFT_OK;
    check_complaint.numbers = NULL;
    run_failure = &f;
    bool good = run_code(l, e, in, out);
    run_failure = outer;
    if (!good || (!check_complaint.numbers && f.code == WEFT_OK)) return good;
    end_donated(flat);
    return check_complaint.numbers ? complain(l) : error_failure(l, e->key.fn->label, NULL, "", &f);
}

/* The donated argument that lends its memory to result number o, or NULL. */
static weft_array *giver(const CacheEntry *e, const Flat *in, uint32_t o)
{
    int i = e->program && o < 64 ? e->program->code->alias[o] : -1;
    return i < 0 ? NULL : in->leaf[i];
}

/* A result with memory of its own, or one that gets a donated argument's after the run. */
static bool make_result(const Function *f, Local *l, const CacheEntry *e, const Flat *in, Flat *out,
                        void **memory)
{
    uint32_t o = out->n_leaves;
    weft_array *from = giver(e, in, o),
               *a = from ? array_head(l, e->out[o]) : array_new(l, e->out[o], f->label, NULL);
    if (!a && from) error_memory(l, f->label, NULL);
    if (!a) return false;
    *memory = from ? from->data : a->data;
    if (flat_leaf(out, a)) return true;
    weft_free(a);
    return error_memory(l, f->label, NULL);
}

static bool run_on(const Function *f, Local *l, const CacheEntry *e, const Flat *in, Flat *out,
                   const void **from, void **to)
{
    uint32_t n = in->n_leaves;
    for (uint32_t i = 0; i < n; i++) from[i] = in->leaf[i]->data;
    for (uint32_t i = 0; i < e->n_hidden; i++)
        if (!(from[n + i] = e->hidden[i]->data))
            return error_set(l, WEFT_MEMORY, f->label, NULL,
                             "it met an array in memory that was lent (weft_borrow), which was freed when "
                             "there was no memory for a copy");
    if (!flat_words(out, e->out_words, e->n_out_words)) return error_memory(l, f->label, NULL);
    for (uint32_t o = 0; o < e->n_out; o++)
        if (!make_result(f, l, e, in, out, &to[o])) return false;
    if (!(e->graph    ? run_graph(l, e, from, to)
          : e->checks ? run_checked(l, e, in, from, to)
                      : run_code(l, e, from, to)))
        return false;
    if (e->body_runs)
        atomic_fetch_add_explicit(&l->ctx->counts.body_runs, e->body_runs, memory_order_relaxed);
    for (uint32_t o = 0; o < e->n_out; o++)
        if (giver(e, in, o)) array_move(l, out->leaf[o], giver(e, in, o));
    end_donated(in);
    return true;
}

__attribute__((always_inline)) static inline bool run_entry(const Function *f, Local *l, const CacheEntry *e,
                                                            const Flat *in, Flat *out)
{
    uint32_t n_from = in->n_leaves + e->n_hidden;
    const void *few_from[FEW_TYPES], **from = room_for(l, f, n_from, sizeof *from, few_from);
    void *few_to[FEW_TYPES], **to = from ? room_for(l, f, e->n_out, sizeof *to, few_to) : NULL;
    bool good = to && run_on(f, l, e, in, out, from, to);
    if (!good)
        while (out->n_leaves) weft_free(out->leaf[--out->n_leaves]);
    room_end(l, to, e->n_out, sizeof *to, few_to);
    room_end(l, from, n_from, sizeof *from, few_from);
    return good;
}

static bool digits_kept(const Function *f, Local *l, const CacheEntry *e, const Flat *in)
{
    for (uint32_t i = 0; i < in->n_leaves && i < 64 && e->widened >> i; i++)
        if (e->widened >> i & 1 && !call_keeps_digits(f, l, in, i, UINT32_MAX)) return false;
    return true;
}

bool call_run(Function *f, Local *l, const Flat *in, Flat *out)
{
    CacheEntry *e = find_entry(f, l, in);
    if (!e) return false;
    if (l->planning && f->kind == FN_JIT) {
        l->planning->entry = e;
        return false;
    }
    /* What runs op by op looks anew at the values that it meets in each call; code keeps them. */
    bool good = digits_kept(f, l, e, in) && run_entry(f, l, e, in, out),
         again = f->kind != FN_JIT && e->n_hidden;
    cache_unpin(e);
    if (again) cache_forget(l->ctx->cache, f);
    return good;
}
