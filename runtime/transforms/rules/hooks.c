/* hooks.c: see hooks.h. */
#include "hooks.h"
#include <stdio.h>
#include <string.h>
#include "runtime/transforms/derive/derive.h"
#include "runtime/transforms/staging.h"
#include "runtime/trace/op.h"
#include "weft/rules.h"

/* ---- one hook around one array ---- */

/* How its errors begin: "hook clip on argument m.w of loss: ". */
static const char *speaker(const Function *f, char *buf, size_t size)
{
    if (f->n_bases > 1)
        snprintf(buf, size, "hook %s on %s of %s", f->base->label, *f->text ? f->text : "the first argument",
                 f->bases[1]->label);
    else snprintf(buf, size, "hook %s at %s", f->base->label, f->text);
    return buf;
}

static bool check_gradient(const Staging *s, Type want)
{
    char who[STAGE_TEXT];
    Type is = callee_result(&s->callee, 0);
    if (type_equal(is, want)) return true;
    return stage_error(
        s->f, s->l, is.dtype != want.dtype ? WEFT_DTYPE : WEFT_SHAPE,
        "%s: the gradient that it gives must be %s, as the array and the gradient it gets are, "
        "but it is %s",
        speaker(s->f, who, sizeof who), STAGE_TYPE(want), STAGE_TYPE(is));
}

/* The array -> itself, and, if forward, what the hook met. */
static Graph *identity(Arena *a, const OperandList *o, bool forward)
{
    Graph *g = region_new(a, "identity", o);
    graph_set_outputs(g, g->params, forward ? o->n : 1);
    return g;
}

/* What the hook met, the gradient -> what it makes of it; zeros for what it met. */
static Graph *backward(Arena *a, const OperandList *o, const Callee *hook, const char *name)
{
    Floats floats = floats_of(a, o->type, o->n);
    Graph *g = graph_new(a, name);
    Ref *params = arena_alloc(a, o->n * sizeof *params), *outputs = arena_alloc(a, o->n * sizeof *outputs);
    for (uint32_t i = 1; i < o->n; i++) params[i - 1] = build_param(g, o->type[i]);
    params[o->n - 1] = build_param(g, o->type[0]);
    if (!callee_inline(g, hook, params + o->n - 1, params, outputs)) return NULL;
    for (uint32_t i = 1; i < o->n; i++)
        if (floats.number[i] != UINT32_MAX) outputs[floats.number[i]] = build_zeros(g, o->type[i]);
    graph_set_outputs(g, outputs, floats.n);
    return g;
}

static bool build_op(void *call, Ref *result)
{
    const Staging *s = call;
    Graph *g = s->l->trace->graph;
    char who[STAGE_TEXT];
    OperandList o = operands_open(s->l, s->in, s->callee.trace.n_hidden);
    operands_hidden(&o, s->l, &s->callee);
    const Graph *regions[] = { identity(g->arena, &o, false), identity(g->arena, &o, true),
                               backward(g->arena, &o, &s->callee, speaker(s->f, who, sizeof who)) };
    return regions[2] && build_ruled(g, OP_CUSTOM_VJP, 0, regions, 3, o.ref, o.n, result);
}

static bool check_array(const Function *f, Local *l, Type t)
{
    char who[STAGE_TEXT];
    if (type_is_inexact(t)) return true;
    return stage_error(f, l, WEFT_DTYPE, "%s: the array is %s, and integers have no gradient",
                       speaker(f, who, sizeof who), STAGE_TYPE(t));
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Type t = array_type(in->leaf[0]);
    Staging s = { .f = f, .l = l, .in = in };
    bool good = check_array(f, l, t) && callee_trace_call(&s.callee, f->base, l, &t, in, NULL) &&
                check_gradient(&s, t) && stage_results(f, l, build_op, &s, in, out);
    callee_close(&s.callee);
    return good;
}

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    const Signature *s = f->sig;
    (void)a;
    if (s->in.fields == 1 && s->in.field[0].kind == WEFT_FIELD_ARRAY && s->out.fields == 1 &&
        !s->out.field[0].tree && s->returns)
        return true;
    return fail(
        failure, WEFT_ARGUMENT,
        "a hook takes a gradient and gives one: it must be declared as  weft_array *%s(weft_array *gradient)",
        f->base->name);
}

/* The text is a path in the second base's arguments. */
static bool prepare_on(Function *f, Arena *a, Failure *failure)
{
    f->data = arena_alloc(a, sizeof(Wrt));
    return prepare(f, a, failure) && wrt_parse(a, f->text, f->bases[1], f->data, failure);
}

static const FnRule hook_rule = { "hook", prepare, stage };
static const FnRule hook_on_rule = { "hook", prepare_on, stage };

/* The place is the hook's text, so that each place has a hook of its own and errors name the right one. */
weft_array *weft_hook_(weft_array *x, weft_fn f, const char *at)
{
    Local *l = op_check_for("weft_hook", at, NULL, x, "x") ? context_local(x->ctx) : NULL;
    if (!l) return NULL;
    uint32_t failures = l->failures;
    weft_fn made = fn_derive(
        x->ctx, &(Derivation){ .rule = &hook_rule, .bases = &f, .n_bases = 1, .text = at, .at = at });
    if (l->failures > failures || !check_array(fn_find(x->ctx, made), l, array_type(x))) return NULL;
    return l->reverse ? ((weft_unary *)made)(x) : x;
}

/* ---- around the arguments of a call ---- */

static bool wrap_leaf(const Function *by, Local *l, weft_array **leaf)
{
    CallFrame frame;
    Flat in, out;
    flat_open(&in, &l->ctx->memory);
    flat_open(&out, &l->ctx->memory);
    frame_push(&frame, by, NULL, l);
    bool good = (flat_leaf(&in, *leaf) || stage_memory(by, l)) && call_stage(by, l, &in, &out);
    frame_pop(&frame, l);
    if (good) *leaf = out.leaf[0];
    flat_close(&out);
    flat_close(&in);
    return good;
}

/* One array that is named, or the floats of a struct. */
static bool wrap_part(const Function *by, Local *l, const WrtPart *p, const Flat *in, Flat *wrapped)
{
    const Function *f = by->bases[1];
    WrtRange at;
    Failure failure = { .code = WEFT_OK };
    if (!wrt_find(p, &f->sig->in, &l->ctx->memory, in->word, in->n_words, &at, &failure)) {
        char who[STAGE_TEXT];
        return failure.code == WEFT_MEMORY
                   ? stage_memory(by, l)
                   : stage_error(by, l, failure.code, "%s: %s", speaker(by, who, sizeof who), failure.text);
    }
    for (uint32_t i = at.leaf; i < at.leaf + at.n_leaves; i++)
        if ((!p->tree || type_is_inexact(array_type(in->leaf[i]))) && !wrap_leaf(by, l, &wrapped->leaf[i]))
            return false;
    return true;
}

static bool wrap(const Function *by, Local *l, const Flat *in, Flat *wrapped)
{
    const Wrt *parts = by->data;
    for (uint32_t i = 0; i < parts->n; i++)
        if (!wrap_part(by, l, &parts->part[i], in, wrapped)) return false;
    return true;
}

/* ---- registered hooks ---- */

typedef struct Registered {
    weft_hook_id id;
    const Function *by;
} Registered;

struct Hooks {
    weft_context *ctx;
    pthread_mutex_t lock; /* guards all that follows, and changes of ctx->hook_set */
    Registered *list;
    uint32_t n, room;
    weft_hook_id last;
};

Hooks *hooks_open(weft_context *ctx)
{
    Hooks *h = memory_alloc(&ctx->memory, sizeof *h);
    if (!h) return NULL;
    h->ctx = ctx;
    h->last = ctx->serial << 32; /* no two contexts have a number in common */
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

void hooks_close(Hooks *h)
{
    if (h->list) memory_free(&h->ctx->memory, h->list, h->room * sizeof *h->list);
    pthread_mutex_destroy(&h->lock);
    memory_free(&h->ctx->memory, h, sizeof *h);
}

pthread_mutex_t *hooks_lock(Hooks *h) { return &h->lock; }

/* From now on calls are traced under what is registered. The lock is held. False: out of memory. */
static bool publish(Hooks *h)
{
    Memory *m = &h->ctx->memory;
    size_t bytes = sizeof(HookSet) + h->n * sizeof(const Function *);
    const HookSet *kept = NULL;
    if (h->n) {
        HookSet *set = memory_alloc(m, bytes);
        if (!set) return false;
        set->wrap = wrap;
        set->n = h->n;
        for (uint32_t i = 0; i < h->n; i++) set->hook[i] = h->list[i].by;
        kept = fn_intern(h->ctx, set, bytes);
        memory_free(m, set, bytes);
        if (!kept) return false;
    }
    atomic_store_explicit(&h->ctx->hook_set, kept, memory_order_release);
    return true;
}

/* 0: out of memory. */
static weft_hook_id append(Hooks *h, const Function *by)
{
    if (h->n == h->room) {
        uint32_t room = h->room ? 2 * h->room : 8;
        Registered *list =
            memory_resize(&h->ctx->memory, h->list, h->room * sizeof *list, room * sizeof *list);
        if (!list) return 0;
        h->list = list;
        h->room = room;
    }
    h->list[h->n++] = (Registered){ h->last + 1, by };
    if (publish(h)) return ++h->last;
    h->n--;
    return 0;
}

static void take_out(Hooks *h, uint32_t i)
{
    h->n--;
    memmove(&h->list[i], &h->list[i + 1], (h->n - i) * sizeof *h->list);
}

weft_hook_id weft_hook_add_(weft_context *ctx, weft_fn f, const char *path, weft_fn hook, const char *at)
{
    Local *l = context_enter(ctx, "weft_hook_add", at);
    if (!l) return 0;
    uint32_t failures = l->failures;
    const Function *of = fn_find(l->ctx, f);
    while (of && of->kind == FN_JIT) of = of->base;
    weft_fn bases[] = { hook, of ? of->address : f };
    weft_fn made = fn_derive(l->ctx, &(Derivation){ .rule = &hook_on_rule,
                                                    .bases = bases,
                                                    .n_bases = 2,
                                                    .text = path,
                                                    .who = "weft_hook_add",
                                                    .at = at });
    if (l->failures > failures) return 0;
    Hooks *h = l->ctx->hooks;
    pthread_mutex_lock(&h->lock);
    weft_hook_id id = append(h, fn_find(l->ctx, made));
    pthread_mutex_unlock(&h->lock);
    if (!id) error_memory(l, "weft_hook_add", at);
    return id;
}

weft_status weft_hook_remove_(weft_context *ctx, weft_hook_id id, const char *at)
{
    Local *l = context_enter(ctx, "weft_hook_remove", at);
    if (!l) return WEFT_ARGUMENT;
    Hooks *h = l->ctx->hooks;
    bool found = false, good = true;
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i < h->n && !found; i++) {
        if (h->list[i].id != id) continue;
        Registered was = h->list[i];
        take_out(h, i);
        found = true;
        if ((good = publish(h))) break;
        memmove(&h->list[i + 1], &h->list[i], (h->n++ - i) * sizeof *h->list);
        h->list[i] = was;
    }
    pthread_mutex_unlock(&h->lock);
    if (!found)
        error_set(l, WEFT_ARGUMENT, "weft_hook_remove", at,
                  "no hook has the number %llu: it was removed already, or its function was forgotten",
                  (unsigned long long)id);
    if (!good) error_memory(l, "weft_hook_remove", at);
    return !found ? WEFT_ARGUMENT : good ? WEFT_OK : WEFT_MEMORY;
}

/* If there is no memory for the smaller set, calls pass over what is gone. */
void hooks_forget(weft_context *ctx)
{
    Hooks *h = ctx->hooks;
    pthread_mutex_lock(&h->lock);
    uint32_t n = h->n;
    for (uint32_t i = h->n; i-- > 0;)
        if (h->list[i].by->forgotten) take_out(h, i);
    if (h->n != n) publish(h);
    pthread_mutex_unlock(&h->lock);
}
