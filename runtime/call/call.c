/* call.c: what happens when a function that weft made is called.
 *
 *   closure -> leaves and words -> inside a trace: staged into it: the user's function is called with traced
 *   arrays; a transform follows its rule
 *                               -> otherwise:       the cache has an entry for these types and this structure, or traces and compiles one; then machine code (jit)
 *                                                   or eager's kernels (other transforms) run it
 *
 * User code runs in a scope of its own, and with no lock held.
 */
#include "call.h"
#include <stdio.h>
#include <string.h>
#include "cache.h"
#include "runtime/memory/floating.h"
#include "runtime/eager/eager.h"
#include "runtime/trace/op.h"
#include "plan.h"
#include "runtime/memory/stack.h"
#include "runtime/tree/tree_memory.h"

enum { MAX_DEPTH = 200, STACK_SCRATCH = 4096, FEW_TYPES = 64 };

/* ---- words for messages ---- */

char *call_in_path(const Function *f, const Flat *in, uint32_t leaf, char *buf, size_t size)
{
    return tree_leaf_path(&f->sig->in, in->word, in->n_words, leaf, buf, size);
}

char *call_out_path(const Function *f, const Flat *out, uint32_t leaf, char *buf, size_t size)
{
    return tree_leaf_path(&f->sig->out, out->word, out->n_words, leaf, buf, size);
}

static bool fail_with(Local *l, const Function *f, const Failure *failure, const char *what)
{
    if (failure->code == WEFT_MEMORY) error_memory(l, f->label, NULL);
    else error_set(l, failure->code, f->label, NULL, "%s%s", what, failure->text);
    return false;
}

static bool fail_memory(Local *l, const Function *f)
{
    error_memory(l, f->label, NULL);
    return false;
}

/* op_check in f's name; kind is "argument" or "result". */
static bool check_leaf(const Function *f, Local *l, weft_array *a, const char *kind, const char *path)
{
    char what[TREE_PATH + 16];
    snprintf(what, sizeof what, "%s %s", kind, path);
    op_begin(f->label, NULL);
    thread.op_local = l;
    bool good = op_check(a, what);
    op_end();
    return good;
}

/* ---- checking arguments ---- */

static bool arguments_good(const Function *f, Local *l, const Flat *in)
{
    for (uint32_t i = 0; i < in->n_leaves; i++) {
        weft_array *a = in->leaf[i];
        if (array_is_address(a) && a->state == ARRAY_CONCRETE && a->ctx == l->ctx) continue;
        char path[TREE_PATH];
        if (!check_leaf(f, l, a, "argument", call_in_path(f, in, i, path, sizeof path))) return false;
    }
    return true;
}

/* ---- the chain of calls ---- */

static bool same_arguments(const Flat *a, const Flat *b)
{
    if (a->n_words != b->n_words || a->n_leaves != b->n_leaves ||
        (a->n_words && memcmp(a->word, b->word, a->n_words * sizeof *a->word)))
        return false;
    for (uint32_t i = 0; i < a->n_leaves; i++)
        if (!type_equal(array_type(a->leaf[i]), array_type(b->leaf[i]))) return false;
    return true;
}

void frame_push(Frame *frame, const Function *f, const Flat *args, Local *l)
{
    *frame = (Frame){
        .outer = l->frame, .fn = f, .name = f->name, .label = f->label, .made_at = f->at, .args = args
    };
    l->frame = frame;
}

void frame_pop(const Frame *frame, Local *l) { l->frame = frame->outer; }

/* A function that is traced on what it is being traced on already will never end. Its frame is the innermost,
 * and gets its arguments now. */
static bool ends(const Function *f, Local *l, const Flat *in)
{
    int depth = 0;
    const Function *own = f;
    while (own->kind == FN_JIT) own = own->base;
    for (const Frame *o = l->frame->outer; o; o = o->outer, depth++) {
        if (o->fn != f || own->nests || !o->args || !same_arguments(o->args, in)) continue;
        error_set(
            l, WEFT_ARGUMENT, f->label, NULL,
            "it calls itself with arguments of the same types and the same numbers, which would never end");
        return false;
    }
    l->frame->args = in;
    if (depth < MAX_DEPTH) return true;
    error_set(l, WEFT_ARGUMENT, f->label, NULL, "calls nest deeper than %d", MAX_DEPTH);
    return false;
}

/* ---- staging a user's function ---- */

/* The structs that a user's function is called with, while it is traced. */
typedef struct Copies {
    Arena arena;
    Guard guard;
    Slot in[SIGNATURE_MAX_PARAMS], out[SIGNATURE_MAX_PARAMS + 1];
    TreeRoom room;
} Copies;

static void *take_from_arena(void *arena, size_t bytes)
{
    Arena *a = arena;
    if (setjmp(a->guard->env)) return NULL;
    return arena_alloc(a, bytes);
}

/* Copies of the arguments with these leaves; results are empty structs, in-outs the arguments' copies. */
static bool make_copies(const Signature *s, Local *l, const Flat *in, Copies *c, Failure *f)
{
    arena_init(&c->arena, context_allocator(l->ctx), &c->guard);
    c->room = (TreeRoom){ take_from_arena, &c->arena };
    memset(c->in, 0, s->in.bytes);
    memset(c->out, 0, s->out.bytes);
    Walk w;
    WalkEvent event;
    walk_build(&w, &l->ctx->memory, &s->in, c->in, in->word, in->n_words, &c->room);
    while ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)
        if (event == WALK_LEAF) *w.place = in->leaf[w.leaves - 1];
    if (event == WALK_BAD) *f = w.failure;
    walk_end(&w);
    for (int i = 0; i < s->n_params && event == WALK_END; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_INOUT) c->out[p->out] = c->in[p->in];
        if (p->kind == PARAM_OUT_TREE &&
            !(c->out[p->out].structure = take_from_arena(&c->arena, p->tree->bytes)))
            return fail(f, WEFT_MEMORY, "out of memory");
    }
    return event == WALK_END;
}

static void call_user(const Function *f, Copies *c)
{
    const Signature *s = f->sig;
    void *values[s->n_params + 1], *places[s->n_params + 1];
    ffi_arg returned = 0;
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        values[i] = p->kind == PARAM_OUT        ? (void *)&places[i]
                    : p->kind == PARAM_OUT_TREE ? (void *)&c->out[p->out]
                                                : (void *)&c->in[p->in];
        if (p->kind == PARAM_OUT) places[i] = &c->out[p->out].array;
    }
    floating_leave(thread.floating);
    ffi_call((ffi_cif *)(uintptr_t)&s->cif, f->address, &returned, values);
    floating_enter();
    if (s->returns) c->out[0].array = (weft_array *)(uintptr_t)returned;
}

bool call_check_inouts(const Function *f, Local *l, const Flat *in, const Flat *out)
{
    const Signature *s = f->sig;
    if (s->plain_out) return true;
    TreeRange from[s->in.fields + 1], to[s->out.fields + 1];
    if (!tree_ranges(&s->in, in->memory, in->word, in->n_words, from) ||
        !tree_ranges(&s->out, out->memory, out->word, out->n_words, to))
        return fail_memory(l, f);
    for (size_t o = 0; o < s->out.fields; o++) {
        int i = s->in_of_out[o];
        if (i < 0) continue;
        weft_tree part = { .name = "in-out", .bytes = s->in.bytes, .fields = 1, .field = &s->in.field[i] };
        TreeDifference d;
        if (!tree_difference(&part, in->word + from[i].word, from[i + 1].word - from[i].word,
                             out->word + to[o].word, to[o + 1].word - to[o].word, &d))
            continue;
        error_set(l, WEFT_TREE_MISMATCH, f->label, NULL,
                  "an in-out struct must keep its structure, but %s is %s in the argument and %s in the "
                  "result, so %s",
                  d.path, d.a, d.b, d.why);
        return false;
    }
    return true;
}

bool call_results(const Function *f, Local *l, const Ref *refs, uint32_t n, Flat *out)
{
    for (uint32_t i = 0; i < n; i++) {
        weft_array *a = trace_handle(l->trace, refs[i]);
        if (!a || !flat_leaf(out, a)) return fail_memory(l, f);
    }
    return true;
}

/* Handles of t in place of values from outside it. False: out of memory. */
static bool belong_to(Trace *t, weft_array **leaf, uint32_t n)
{
    if (setjmp(t->guard.env)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!(leaf[i] = trace_handle(t, trace_ref(t, leaf[i])))) return false;
    return true;
}

/* What the user's function gave, as values of the running trace: a concrete array of the call's scope would
 * die with it. */
static bool take_results(const Function *f, Local *l, const Flat *in, Copies *c, Flat *out)
{
    Trace *t = l->trace;
    uint32_t first = out->n_leaves;
    Failure failure = { .code = WEFT_OK };
    if (!flat_read(out, &f->sig->out, c->out, &failure)) return fail_with(l, f, &failure, "result ");
    for (uint32_t i = first; i < out->n_leaves; i++) {
        weft_array *a = out->leaf[i];
        if (array_is_address(a) && a->state == ARRAY_TRACED && a->trace == t->serial) continue;
        char path[TREE_PATH];
        if (!check_leaf(f, l, a, "result", call_out_path(f, out, i - first, path, sizeof path))) return false;
    }
    return call_check_inouts(f, l, in, out) &&
           (belong_to(t, out->leaf + first, out->n_leaves - first) || fail_memory(l, f));
}

/* The user's function on traced arrays: a scope of its own, no op running, and whatever it did wrong makes
 * the call fail. */
static bool stage_user(const Function *f, Local *l, const Flat *in, Flat *out)
{
    uint32_t failures = l->failures;
    Trace *t = l->trace;
    int depth = thread.op_depth;
    const char *name = thread.op_name, *at = thread.op_at, *last = thread.last_at;
    Local *op = thread.op_local;
    uint32_t floating = thread.op_floating;
    weft_scope scope;
    Copies copies;
    Failure failure = { .code = WEFT_OK };
    bool good = make_copies(f->sig, l, in, &copies, &failure);
    if (!good) fail_with(l, f, &failure, "argument ");
    scope_push(&scope, l);
    thread.op_depth = 0;
    l->traced++;
    if (good) call_user(f, &copies);
    good = good && l->trace == t && l->failures <= failures && take_results(f, l, in, &copies, out);
    thread.op_depth = depth, thread.op_name = name, thread.op_at = at, thread.op_local = op;
    thread.op_floating = floating;
    thread.last_at = last;
    scope_pop(&scope);
    arena_free(&copies.arena);
    return good;
}

static bool fail_unmade(const Function *f, Local *l)
{
    error_set(l, WEFT_ARGUMENT, f->label, NULL, "cannot be called, for it could not be made from \"%s\": %s",
              f->text, f->failure);
    return false;
}

static bool stage_bare(const Function *f, Local *l, const Flat *in, Flat *out)
{
    return f->kind == FN_TRANSFORM ? f->rule->stage(f, l, in, out)
           : f->kind == FN_USER    ? stage_user(f, l, in, out)
                                   : fail_unmade(f, l);
}

/* ---- hooks on the gradients of a function's arguments ---- */

/* A hook whose own function is hooked would never end. */
static bool is_running(const Function *f, const Local *l)
{
    const Frame *o = l->frame;
    while (o && o->fn != f) o = o->outer;
    return o != NULL;
}

static bool is_hooked(const Function *f, const HookSet *set)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->hook[i]->bases[1] == f && !set->hook[i]->forgotten) return true;
    return false;
}

/* The hook that was registered first is the first that the gradient meets, so it is put around last. */
static bool wrap(const Function *f, Local *l, const Flat *in, Flat *wrapped)
{
    const HookSet *set = l->hooks;
    bool good = flat_words(wrapped, in->word, in->n_words);
    for (uint32_t i = 0; i < in->n_leaves && good; i++) good = flat_leaf(wrapped, in->leaf[i]);
    if (!good) return fail_memory(l, f);
    for (uint32_t k = set->n; k-- > 0;) {
        const Function *hook = set->hook[k];
        if (hook->bases[1] != f || hook->forgotten || is_running(hook, l)) continue;
        if (!set->wrap(hook, l, in, wrapped)) return false;
    }
    return true;
}

bool call_stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    while (f->kind == FN_JIT) f = f->base;
    l->hooked |= l->reverse;
    if (!l->reverse || !l->hooks || !is_hooked(f, l->hooks)) return stage_bare(f, l, in, out);
    Flat wrapped;
    flat_open(&wrapped, &l->ctx->memory);
    bool good = wrap(f, l, in, &wrapped) && stage_bare(f, l, &wrapped, out);
    flat_close(&wrapped);
    return good;
}

/* ---- tracing apart ---- */

/* A parameter for each leaf, named by its path. */
static bool add_params(const Function *f, Local *l, const Type *types, const Flat *like, Trace *t,
                       Flat *inner)
{
    Walk w;
    WalkEvent event;
    bool good = flat_words(inner, like->word, like->n_words) || fail_memory(l, f);
    walk_words(&w, &l->ctx->memory, &f->sig->in, like->word, like->n_words);
    while (good && ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD)) {
        if (event != WALK_LEAF) continue;
        char path[TREE_PATH];
        weft_array *a = trace_param(t, types[w.leaves - 1], walk_path(&w, path, sizeof path));
        good = a && (flat_leaf(inner, a) || fail_memory(l, f));
    }
    walk_end(&w);
    return good && (inner->n_leaves == like->n_leaves || fail_memory(l, f));
}

static bool set_outputs(const Function *f, Local *l, Trace *t, const Flat *out, uint32_t first)
{
    if (setjmp(t->guard.env)) return fail_memory(l, f);
    uint32_t n = out->n_leaves - first;
    Ref *refs = arena_alloc(&t->arena, (n + 1) * sizeof *refs);
    for (uint32_t i = 0; i < n; i++) refs[i] = out->leaf[first + i]->ref;
    graph_set_outputs(t->graph, refs, n);
    return true;
}

bool call_trace(const Function *f, Local *l, const Type *types, const Flat *like, Trace *t, Flat *out)
{
    if (!trace_begin(t, l, f->label)) return false;
    uint32_t first = out->n_leaves;
    Flat inner;
    flat_open(&inner, &l->ctx->memory);
    bool good = add_params(f, l, types, like, t, &inner) && call_stage(f, l, &inner, out) &&
                set_outputs(f, l, t, out, first);
    flat_close(&inner);
    trace_end(t);
    if (!good) trace_free(t);
    return good;
}

/* ---- running what the cache has ---- */

/* Room for n items of size bytes each, on the caller's stack if they are few. NULL: out of memory, error
 * set. */
static void *room_for(Local *l, const Function *f, uint32_t n, size_t size, void *few)
{
    if (n <= FEW_TYPES) return few;
    void *p = memory_alloc(&l->ctx->memory, n * size);
    if (!p) fail_memory(l, f);
    return p;
}

static void room_end(Local *l, void *p, uint32_t n, size_t size, const void *few)
{
    if (p && p != few) memory_free(&l->ctx->memory, p, n * size);
}

/* May the argument's memory become a result's? It must be a block of the array's own that no other argument,
 * code or plan reads. */
static bool can_give(const Flat *in, uint32_t i)
{
    const weft_array *a = in->leaf[i];
    if (!a->donated || !a->capacity || a->release || a->refs != 1 || i >= 64) return false;
    for (uint32_t k = 0; k < in->n_leaves; k++)
        if (k != i && in->leaf[k] == a) return false;
    return true;
}

/* May those of them that could be when this key was made? The function may have kept one while it was
 * traced. */
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

/* A key over the arguments as they are: it borrows their shapes. */
static Key key_of(const Function *f, const Local *l, const Flat *in, Type *types)
{
    Key k = { .fn = f,
              .hooks = atomic_load_explicit(&f->ctx->hook_set, memory_order_acquire),
              .n_in = in->n_leaves,
              .n_words = in->n_words,
              .in = types,
              .words = in->word };
    for (uint32_t i = 0; i < k.n_in; i++) types[i] = array_own_type(in->leaf[i]);
    if (f->kind == FN_JIT) {
        for (uint32_t i = 0; i < k.n_in && i < 64; i++) k.donated |= (uint64_t)can_give(in, i) << i;
        if (l->planning) k.donated = inout_leaves(f, in);
    }
    k.hash = cache_hash(&k);
    return k;
}

static bool compiling_allowed(const Function *f, Local *l, const char *reason)
{
    if (f->kind != FN_JIT || !l->ctx->forbid_compiling) return true;
    error_set(l, WEFT_COMPILER, f->label, NULL,
              "compiling is forbidden in this context, and there is no code for these arguments%s%s",
              *reason ? ": " : "", reason);
    return false;
}

/* While it is traced a function may free what it was called with, by another name. The handles stay what they
 * are until that is looked at: they would be used again for others. */
static void hold_arguments(const Flat *in)
{
    for (uint32_t i = 0; i < in->n_leaves; i++) array_retain(in->leaf[i]);
}

static bool let_go_arguments(const Function *f, Local *l, const Flat *in)
{
    bool whole = true;
    for (uint32_t i = 0; i < in->n_leaves; i++) {
        if (whole && !array_concrete(in->leaf[i])) {
            char path[TREE_PATH];
            whole = false;
            error_set(l, WEFT_ARGUMENT, f->label, NULL,
                      "argument %s was freed by the function itself, which is called with it",
                      tree_leaf_path(&f->sig->in, in->word, in->n_words, i, path, sizeof path));
        }
    }
    for (uint32_t i = 0; i < in->n_leaves; i++) array_unretain(in->leaf[i]);
    return whole;
}

/* Traces and compiles what e is for. */
static bool build(Function *f, Local *l, const Flat *in, Entry *e)
{
    Cache *c = l->ctx->cache;
    char reason[512];
    bool shared = false;
    explain_reason(c, &e->key, reason, sizeof reason);
    if (!compiling_allowed(f, l, reason) || error_stack(l, STACK_TRACE, f->label, NULL)) return false;
    double start = context_now_us();
    Trace t;
    Flat out;
    flat_open(&out, &l->ctx->memory);
    l->hooks = e->key.hooks;
    l->hooked = false;
    bool good = ends(f, l, in) && call_trace(f, l, e->key.in, in, &t, &out);
    e->hooked = l->hooked;
    l->hooks = NULL;
    double trace_us = context_now_us() - start;
    if (good) {
        l->ctx->counts.traces++;
        pthread_mutex_lock(&l->ctx->lock);
        l->ctx->times.trace_us += trace_us;
        pthread_mutex_unlock(&l->ctx->lock);
        good = cache_build(c, l, e, &t, &out, &shared);
        trace_free(&t);
    }
    flat_close(&out);
    if (good) explain_built(c, e, reason, trace_us, e->program ? e->program->code : NULL, shared);
    return good;
}

static Entry *get_entry(Function *f, Local *l, const Flat *in, const Key *key)
{
    Cache *c = l->ctx->cache;
    bool own;
    Entry *e = cache_get(c, key, &own);
    if (!e) {
        if (own)
            error_set(l, WEFT_ARGUMENT, f->label, NULL, "it is called while this thread is compiling it");
        else fail_memory(l, f);
        return NULL;
    }
    if (e->state == ENTRY_READY) {
        atomic_fetch_add_explicit(&l->ctx->counts.hits, 1, memory_order_relaxed);
        return e;
    }
    int cancel;
    /* else others would wait for this entry for ever */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    hold_arguments(in);
    bool good = build(f, l, in, e), whole = let_go_arguments(f, l, in);
    if (good) cache_ready(c, e);
    else cache_fail(c, e);
    if (good && !whole) cache_unpin(e);
    good = good && whole;
    pthread_setcancelstate(cancel, NULL);
    return good ? e : NULL;
}

static Entry *find_entry(Function *f, Local *l, const Flat *in)
{
    Type few[FEW_TYPES], *types = room_for(l, f, in->n_leaves, sizeof *types, few);
    if (!types) return NULL;
    Entry *e;
    for (;;) {
        Key key = key_of(f, l, in, types);
        e = key.hooks ? cache_find_unhooked(l->ctx->cache, &key) : NULL;
        if (e) atomic_fetch_add_explicit(&l->ctx->counts.hits, 1, memory_order_relaxed);
        else e = get_entry(f, l, in, &key);
        if (!e || l->planning || still_given(in, key.donated)) break;
        cache_unpin(e); /* its code would write where it reads */
    }
    room_end(l, types, in->n_leaves, sizeof *types, few);
    return e;
}

/* Not part of its caller: what says that a stack is too short has no room for the scratch. */
__attribute__((noinline)) static bool run_code(Local *l, const Entry *e, const void *const *in,
                                               void *const *out)
{
    const Code *code = e->program->code;
    if (code->scratch_bytes <= STACK_SCRATCH) {
        _Alignas(64) char scratch[STACK_SCRATCH];
        code->entry(in, out, scratch, code->consts);
        return true;
    }
    size_t capacity;
    void *scratch = memory_block(&l->ctx->memory, code->scratch_bytes, &capacity);
    if (!scratch) {
        error_memory(l, e->key.fn->label, NULL);
        return false;
    }
    code->entry(in, out, scratch, code->consts);
    memory_block_free(&l->ctx->memory, scratch, capacity);
    return true;
}

static bool run_graph(Local *l, const Entry *e, const void *const *in, void *const *out)
{
    Failure f = { .code = WEFT_OK };
    return eager_graph(e->graph, in, out, context_allocator(l->ctx), &f) || fail_with(l, e->key.fn, &f, "");
}

static void end_donated(const Flat *in)
{
    for (uint32_t i = 0; i < in->n_leaves; i++)
        if (in->leaf[i]->donated) weft_free(in->leaf[i]);
}

/* The argument whose memory result number o is computed in, or NULL. */
static weft_array *giver(const Entry *e, const Flat *in, uint32_t o)
{
    int i = e->program && o < 64 ? e->program->code->alias[o] : -1;
    return i < 0 ? NULL : in->leaf[i];
}

/* Results with memory of their own, and headless ones whose memory stays the argument's until the run is
 * over. */
static bool make_result(const Function *f, Local *l, const Entry *e, const Flat *in, Flat *out, void **memory)
{
    uint32_t o = out->n_leaves;
    weft_array *from = giver(e, in, o),
               *a = from ? array_head(l, e->out[o]) : array_new(l, e->out[o], f->label, NULL);
    if (!a && from) fail_memory(l, f);
    if (!a) return false;
    *memory = from ? from->data : a->data;
    if (flat_leaf(out, a)) return true;
    weft_free(a);
    return fail_memory(l, f);
}

static bool fail_lost(const Function *f, Local *l)
{
    error_set(l, WEFT_MEMORY, f->label, NULL,
              "it met an array in memory that was lent (weft_borrow), which was freed when there was no "
              "memory for a copy");
    return false;
}

static bool run_on(const Function *f, Local *l, const Entry *e, const Flat *in, Flat *out, const void **from,
                   void **to)
{
    uint32_t n = in->n_leaves;
    for (uint32_t i = 0; i < n; i++) from[i] = in->leaf[i]->data;
    for (uint32_t i = 0; i < e->n_hidden; i++)
        if (!(from[n + i] = e->hidden[i]->data)) return fail_lost(f, l);
    if (!flat_words(out, e->out_words, e->n_out_words)) return fail_memory(l, f);
    for (uint32_t o = 0; o < e->n_out; o++)
        if (!make_result(f, l, e, in, out, &to[o])) return false;
    if (!(e->graph ? run_graph(l, e, from, to) : run_code(l, e, from, to))) return false;
    if (e->body_runs)
        atomic_fetch_add_explicit(&l->ctx->counts.body_runs, e->body_runs, memory_order_relaxed);
    for (uint32_t o = 0; o < e->n_out; o++)
        if (giver(e, in, o)) array_move(l, out->leaf[o], giver(e, in, o));
    end_donated(in);
    return true;
}

static bool run_entry(const Function *f, Local *l, const Entry *e, const Flat *in, Flat *out)
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

static bool call_concrete(Function *f, Local *l, const Flat *in, Flat *out)
{
    Entry *e = find_entry(f, l, in);
    if (!e) return false;
    if (l->planning && f->kind == FN_JIT) {
        plan_take(l, e);
        return false;
    }
    /* What runs op by op looks at the values that it meets anew in each call, as any function does; code
     * keeps them. */
    bool good = run_entry(f, l, e, in, out), again = f->kind != FN_JIT && e->n_hidden;
    cache_unpin(e);
    if (again) cache_forget(l->ctx->cache, f);
    return good;
}

/* ---- the door ---- */

static bool call_function(Function *f, Local *l, const Flat *in, Flat *out)
{
    if (l->planning && l->planning->entry) {
        error_set(
            l, WEFT_ARGUMENT, "weft_compile", NULL,
            "the call contains another call of a function made by weft_jit: compute its arguments before");
        return false;
    }
    if (error_stack(l, STACK_CALL, f->label, NULL) || !arguments_good(f, l, in)) return false;
    if (f->kind == FN_FAILED) return fail_unmade(f, l);
    return l->trace ? ends(f, l, in) && call_stage(f, l, in, out) : call_concrete(f, l, in, out);
}

/* The arguments one by one, where the structure of all is known. False: NULLs among them, or out of memory;
 * read_slots says what. */
static bool read_fixed(const Signature *s, void **values, Flat *in)
{
    bool good = true;
    for (int i = 0; i < s->n_params && good; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_ARRAY) good = flat_leaf(in, *(weft_array **)values[i]);
        else if (p->kind == PARAM_NUMBER) good = flat_word(in, number_load((DType)p->number, values[i]));
        else if (p->in >= 0)
            good = *(void **)values[i] && flat_read_layout(in, p->layout, *(void **)values[i]);
    }
    return good;
}

static bool read_slots(const Function *f, Local *l, void **values, Flat *in)
{
    const Signature *s = f->sig;
    Slot slots[SIGNATURE_MAX_PARAMS];
    Failure failure = { .code = WEFT_OK };
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->in >= 0)
            memcpy(&slots[p->in], values[i],
                   p->kind == PARAM_NUMBER ? dtype_bytes((DType)p->number) : sizeof(void *));
    }
    in->n_leaves = in->n_words = 0;
    return flat_read(in, &s->in, slots, &failure) || fail_with(l, f, &failure, "argument ");
}

static bool overlap(const Param *p, const void *a, const Param *q, const void *b)
{
    return (uintptr_t)a < (uintptr_t)b + q->tree->bytes && (uintptr_t)b < (uintptr_t)a + p->tree->bytes;
}

/* A struct that the function changes and that another argument is too: called directly it would meet its own
 * changes there, and traced it would not. */
static bool structs_apart(const Function *f, Local *l, void **values)
{
    const Signature *s = f->sig;
    for (int i = 0; i < s->n_params && !s->plain_in; i++) {
        if (s->params[i].kind != PARAM_INOUT) continue;
        for (int k = 0; k < s->n_params; k++) {
            const Param *p = &s->params[i], *q = &s->params[k];
            if (k == i || !q->tree || !overlap(p, *(void **)values[i], q, *(void **)values[k])) continue;
            error_set(l, WEFT_ARGUMENT, f->label, NULL,
                      "%s and %s are one struct in memory, and the function changes it: give it a copy "
                      "(weft_copy_tree)",
                      p->name, q->name);
            return false;
        }
    }
    return true;
}

/* The C arguments as leaves and words. */
static bool read_arguments(const Function *f, Local *l, void **values, Flat *in)
{
    return ((f->sig->fixed_in && read_fixed(f->sig, values, in)) || read_slots(f, l, values, in)) &&
           structs_apart(f, l, values);
}

/* A struct's part of the results. */
static Flat part_of(const Flat *out, const TreeRange *r)
{
    return (Flat){ .leaf = out->leaf + r[0].leaf,
                   .n_leaves = r[1].leaf - r[0].leaf,
                   .word = out->word + r[0].word,
                   .n_words = r[1].word - r[0].word,
                   .memory = out->memory };
}

static weft_array **place_at(void *base, uint32_t offset)
{
    return (weft_array **)(void *)((char *)base + offset);
}

/* New leaves in the caller's struct, whose structure stays; what was computed lazily from the old ones
 * goes. */
static void write_inout(const Param *p, Memory *m, void *base, weft_array *const *leaf)
{
    const Layout *layout = p->layout;
    if (layout) {
        for (uint32_t i = 0; i < layout->n_leaves; i++) *place_at(base, layout->leaf[i]) = leaf[i];
        for (uint32_t i = 0; i < layout->n_lazy; i++) *place_at(base, layout->lazy[i]) = NULL;
        return;
    }
    Walk w;
    WalkEvent event;
    walk_memory(&w, m, p->tree, base);
    while ((event = walk_next(&w)) != WALK_END && event != WALK_BAD) {
        if (event == WALK_LEAF) *w.place = leaf[w.leaves - 1];
        else if (event == WALK_LAZY) *w.place = NULL;
    }
    walk_end(&w);
}

static void *structure_at(void **values, int i) { return *(void **)values[i]; }

/* Are the in-outs what they were when they were read? The function may know the caller's structs by another
 * name, and have changed lists and pointers there: the new leaves would find no place, or another. */
static bool inouts_stay(const Function *f, Local *l, void **values, const Flat *in)
{
    Flat now;
    flat_open(&now, in->memory);
    bool good = read_slots(f, l, values, &now);
    if (good && (now.n_leaves != in->n_leaves || now.n_words != in->n_words ||
                 memcmp(now.word, in->word, now.n_words * sizeof *now.word))) {
        good = false;
        error_set(l, WEFT_TREE_MISMATCH, f->label, NULL,
                  "the function itself changed the structure of an in-out struct, not by its parameter, "
                  "while it was traced");
    }
    flat_close(&now);
    return good;
}

/* Result structs first: they need memory, and if there is none the in-outs are to stay as they are. */
static bool write_structs(const Function *f, Local *l, const Flat *out, const TreeRange *range, void **values)
{
    const Signature *s = f->sig;
    TreeRoom room = { tree_memory_take, l };
    Failure failure = { .code = WEFT_OK };
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind != PARAM_OUT_TREE || !structure_at(values, i)) continue;
        Flat part = part_of(out, &range[p->out]);
        if (!flat_write(&part, p->tree, structure_at(values, i), &room, &failure))
            return fail_with(l, f, &failure, "result ");
    }
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_INOUT)
            write_inout(p, out->memory, structure_at(values, i), out->leaf + range[p->out].leaf);
    }
    return true;
}

/* Arrays: those of a good call; range NULL: NULLs. */
static void write_arrays(const Signature *s, const Flat *out, const TreeRange *range, void *result,
                         void **values)
{
    if (s->returns) *(weft_array **)result = range ? out->leaf[0] : NULL;
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind != PARAM_OUT) continue;
        weft_array **place = *(weft_array ***)values[i];
        if (place) *place = range ? out->leaf[range[p->out].leaf] : NULL;
    }
}

/* What a failed call leaves: NULLs, and in-outs as they were. */
static void clear_results(const Signature *s, void **values)
{
    for (int i = 0; i < s->n_params; i++)
        if (s->params[i].kind == PARAM_OUT_TREE && structure_at(values, i))
            tree_clear(s->params[i].tree, structure_at(values, i));
}

/* Which leaves belong to which result; room is for where that varies. NULL: error set. */
static const TreeRange *ranges_of(const Function *f, Local *l, const Flat *out, TreeRange *room)
{
    if (f->sig->out_range) return f->sig->out_range;
    return tree_ranges(&f->sig->out, out->memory, out->word, out->n_words, room) || fail_memory(l, f) ? room
                                                                                                      : NULL;
}

/* A frame of its own, that the door looks at the stack in front of it. */
__attribute__((noinline)) static void call(Function *f, Local *l, void *result, void **values)
{
    const Signature *s = f->sig;
    TreeRange room[s->out.fields + 1];
    Frame frame;
    uint64_t traced = l->traced;
    Flat in, out;
    flat_open(&in, &f->ctx->memory);
    flat_open(&out, &f->ctx->memory);
    frame_push(&frame, f, NULL, l);
    frame.after = thread.last_at;
    bool good = read_arguments(f, l, values, &in) && call_function(f, l, &in, &out);
    if (good && l->traced != traced && !s->plain_out) good = inouts_stay(f, l, values, &in);
    const TreeRange *range = good ? ranges_of(f, l, &out, room) : NULL;
    if (range && !s->plain_out && !write_structs(f, l, &out, range, values)) range = NULL;
    write_arrays(s, &out, range, result, values);
    if (!range) clear_results(s, values);
    /* Places inside the functions that were called are not where their caller stands. */
    thread.last_at = frame.after;
    frame_pop(&frame, l);
    flat_close(&out);
    flat_close(&in);
}

static bool may_call(const Function *f, Local *l)
{
    if (!l) error_memory(NULL, f->label, NULL);
    else if (f->forgotten)
        error_set(l, WEFT_ARGUMENT, f->label, NULL, "it, or what it was made of, was given to weft_forget");
    else return !error_stack(l, STACK_CALL, f->label, NULL);
    return false;
}

void call_closure(ffi_cif *cif, void *result, void **values, void *slot)
{
    Function *f = *(_Atomic(void *) *)slot;
    if (!f) {
        error_set(context_blamed(NOBODYS), WEFT_ARGUMENT, NULL, NULL,
                  "a function was called that weft had made, but its context is closed");
        if (cif->rtype->type == FFI_TYPE_POINTER) *(weft_array **)result = NULL;
        return;
    }
    Local *l = context_local(f->ctx);
    if (!may_call(f, l)) {
        write_arrays(f->sig, NULL, NULL, result, values);
        clear_results(f->sig, values);
        return;
    }
    uint32_t mode = floating_enter();
    call(f, l, result, values);
    floating_leave(mode);
}
