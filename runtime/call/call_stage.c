/* call_stage.c: a function is put into a running trace: the user's is called with traced arrays, in a scope
 * of its own and with no lock held; a transform follows its rule. */
#include <stdio.h>
#include <string.h>
#include "call.h"
#include "runtime/memory/floating.h"
#include "runtime/trace/op.h"

enum { MAX_DEPTH = 200 };

/* ---- words for messages ---- */

char *call_in_path(const Function *f, const Flat *in, uint32_t leaf, char *buf, size_t size)
{
    return tree_leaf_path(&f->sig->in, in->word, in->n_words, leaf, buf, size);
}

char *call_out_path(const Function *f, const Flat *out, uint32_t leaf, char *buf, size_t size)
{
    return tree_leaf_path(&f->sig->out, out->word, out->n_words, leaf, buf, size);
}

bool call_check_leaf(const Function *f, Local *l, const Flat *x, uint32_t first, uint32_t leaf, bool result)
{
    char path[TREE_PATH], what[TREE_PATH + 16];
    (result ? call_out_path : call_in_path)(f, x, leaf - first, path, sizeof path);
    snprintf(what, sizeof what, "%s %s", result ? "result" : "argument", path);
    return op_check_for(f->label, NULL, l, x->leaf[leaf], what);
}

/* ---- frames ---- */

static bool same_arguments(const Flat *a, const Flat *b)
{
    if (a->n_words != b->n_words || a->n_leaves != b->n_leaves ||
        (a->n_words && memcmp(a->word, b->word, a->n_words * sizeof *a->word)))
        return false;
    for (uint32_t i = 0; i < a->n_leaves; i++)
        if (!type_equal(array_type(a->leaf[i]), array_type(b->leaf[i]))) return false;
    return true;
}

bool call_ends(const Function *f, Local *l, const Flat *in)
{
    int depth = 0;
    const Function *own = f;
    while (own->kind == FN_JIT) own = own->base;
    for (const CallFrame *o = l->frame->outer; o; o = o->outer, depth++) {
        if (o->fn != f || own->nests || !o->args || !same_arguments(o->args, in)) continue;
        return error_set(
            l, WEFT_ARGUMENT, f->label, NULL,
            "it calls itself with arguments of the same types and the same numbers, which would never end");
    }
    l->frame->args = in;
    if (depth < MAX_DEPTH) return true;
    return error_set(l, WEFT_ARGUMENT, f->label, NULL, "calls nest deeper than %d", MAX_DEPTH);
}

/* ---- a user function, on traced arrays ---- */

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
    CLEANUP(walk_end) Walk w;
    walk_build(&w, &l->ctx->memory, &s->in, c->in, in->word, in->n_words, &c->room);
    while (walk_leaf(&w)) *w.place = in->leaf[w.leaves - 1];
    if (w.failure.code != WEFT_OK) return fail_as(f, &w.failure);
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_INOUT) c->out[p->out] = c->in[p->in];
        if (p->kind == PARAM_OUT_TREE &&
            !(c->out[p->out].structure = take_from_arena(&c->arena, p->tree->bytes)))
            return fail(f, WEFT_MEMORY, "out of memory");
    }
    return true;
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

/* In-outs must keep their structure: else an error, which names the component. */
static bool check_inouts(const Function *f, Local *l, const Flat *in, const Flat *out)
{
    const Signature *s = f->sig;
    if (s->plain_out) return true;
    TreeRange from[s->in.fields + 1], to[s->out.fields + 1];
    if (!tree_ranges(&s->in, in->memory, in->word, in->n_words, from) ||
        !tree_ranges(&s->out, out->memory, out->word, out->n_words, to))
        return error_memory(l, f->label, NULL);
    for (size_t o = 0; o < s->out.fields; o++) {
        int i = s->in_of_out[o];
        if (i < 0) continue;
        TreeDifference d;
        if (!field_difference(&s->in, (size_t)i, in, &from[i], out, &to[o], &d)) continue;
        return error_set(
            l, WEFT_TREE_MISMATCH, f->label, NULL,
            "an in-out struct must keep its structure, but %s is %s in the argument and %s in the "
            "result, so %s",
            d.path, d.a, d.b, d.why);
    }
    return true;
}

bool call_results(const Function *f, Local *l, const Ref *refs, uint32_t n, Flat *out)
{
    for (uint32_t i = 0; i < n; i++) {
        weft_array *a = trace_handle(l->trace, refs[i]);
        if (!a || !flat_leaf(out, a)) return error_memory(l, f->label, NULL);
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

/* The results as values of the running trace: a concrete array of the call's scope would die with it. */
static bool take_results(const Function *f, Local *l, const Flat *in, Copies *c, Flat *out)
{
    Trace *t = l->trace;
    uint32_t first = out->n_leaves;
    Failure failure = { .code = WEFT_OK };
    if (!flat_read(out, &f->sig->out, c->out, &failure))
        return error_failure(l, f->label, NULL, "result ", &failure);
    for (uint32_t i = first; i < out->n_leaves; i++) {
        weft_array *a = out->leaf[i];
        if (array_is_address(a) && a->state == ARRAY_TRACED && a->trace == t->serial) continue;
        if (!call_check_leaf(f, l, out, first, i, true)) return false;
    }
    return check_inouts(f, l, in, out) &&
           (belong_to(t, out->leaf + first, out->n_leaves - first) || error_memory(l, f->label, NULL));
}

/* In a scope of its own, with no op running. Whatever the user's function did wrong makes the call fail. */
static bool stage_user(const Function *f, Local *l, const Flat *in, Flat *out)
{
    uint32_t failures = l->failures;
    Trace *t = l->trace;
    OpState op = thread.op;
    const char *last = thread.last_at;
    weft_scope scope;
    Copies copies;
    Failure failure = { .code = WEFT_OK };
    bool good = make_copies(f->sig, l, in, &copies, &failure);
    if (!good) error_failure(l, f->label, NULL, "argument ", &failure);
    scope_push(&scope, l);
    thread.op.depth = 0;
    l->traced++;
    if (good) call_user(f, &copies);
    good = good && l->trace == t && l->failures <= failures && take_results(f, l, in, &copies, out);
    thread.op = op;
    thread.last_at = last;
    scope_pop(&scope);
    arena_free(&copies.arena);
    return good;
}

/* ---- hooks on the gradients of a function's arguments ---- */

/* A hook whose own function is hooked would never end. */
static bool is_running(const Function *f, const Local *l)
{
    const CallFrame *o = l->frame;
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
    if (!good) return error_memory(l, f->label, NULL);
    for (uint32_t k = set->n; k-- > 0;) {
        const Function *hook = set->hook[k];
        if (hook->bases[1] != f || hook->forgotten || is_running(hook, l)) continue;
        if (!set->wrap(hook, l, in, wrapped)) return false;
    }
    return true;
}

/* ---- any function, into the running trace ---- */

bool call_fail_unmade(const Function *f, Local *l)
{
    return error_set(l, WEFT_ARGUMENT, f->label, NULL,
                     "cannot be called, for it could not be made from \"%s\": %s", f->text, f->failure);
}

static bool stage_bare(const Function *f, Local *l, const Flat *in, Flat *out)
{
    return f->kind == FN_TRANSFORM ? f->rule->stage(f, l, in, out)
           : f->kind == FN_USER    ? stage_user(f, l, in, out)
                                   : call_fail_unmade(f, l);
}

bool call_stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    while (f->kind == FN_JIT) f = f->base;
    l->hooked |= l->reverse;
    if (!l->reverse || !l->hooks || !is_hooked(f, l->hooks)) return stage_bare(f, l, in, out);
    CLEANUP(flat_close) Flat wrapped;
    flat_open(&wrapped, &l->ctx->memory);
    return wrap(f, l, in, &wrapped) && stage_bare(f, l, &wrapped, out);
}

/* ---- any function, apart ---- */

/* A parameter for each leaf, named by its path. */
static bool add_params(const Function *f, Local *l, const Type *types, const Flat *like, Trace *t,
                       Flat *inner)
{
    CLEANUP(walk_end) Walk w;
    walk_words(&w, &l->ctx->memory, &f->sig->in, like->word, like->n_words);
    bool room = flat_words(inner, like->word, like->n_words);
    while (room && walk_leaf(&w)) {
        weft_array *a = trace_param(t, types[w.leaves - 1], WALK_PATH(&w));
        if (!a) return false;
        room = flat_leaf(inner, a);
    }
    return (room && inner->n_leaves == like->n_leaves) || error_memory(l, f->label, NULL);
}

static bool set_outputs(const Function *f, Local *l, Trace *t, const Flat *out, uint32_t first)
{
    if (setjmp(t->guard.env)) return error_memory(l, f->label, NULL);
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
    CLEANUP(flat_close) Flat inner;
    flat_open(&inner, &l->ctx->memory);
    bool good = add_params(f, l, types, like, t, &inner) && call_stage(f, l, &inner, out) &&
                set_outputs(f, l, t, out, first);
    trace_end(t);
    if (!good) trace_free(t);
    return good;
}
