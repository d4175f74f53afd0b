/* plan.c: the raw door. A plan is an entry of the cache that stays pinned, and the paths of its parameters.
 *
 * The two leaves of an in-out may be bound to one memory. Where the code cannot write the result over the
 * argument (Code.alias), it writes into scratch memory, from which the result is copied in the end.
 */
#include "cache.h"
#include <stdio.h>
#include <string.h>
#include "compiler/graph/foreign_op.h"
#include "runtime/exec/code_run.h"
#include "runtime/memory/floating.h"
#include "runtime/memory/reserve.h"
#include "runtime/memory/text_writer.h"

/* Two leaves of an in-out that the code needs in separate memory, and the place in scratch for the result. */
typedef struct Apart {
    uint32_t in, out;
    size_t bytes, at;
} Apart;

struct weft_plan {
    Home home;               /* first, so that it stays when the plan is freed */
    weft_context *ctx;       /* NULL: it was freed */
    weft_plan *next, **link; /* among the context's, under its lock */
    CacheEntry *entry;
    const Signature *sig;
    const Code *code;
    Workers workers;
    bool stays;           /* for real time: on the thread that calls it */
    size_t scratch;       /* the code's, and behind it what follows */
    size_t in_at, out_at; /* lists of pointers, where there are hidden operands, or apart results */
    Apart *apart;
    uint32_t n_apart;
};

static Reserve plans = RESERVE_OF(weft_plan, sizeof(Home));

static void plan_give_up(Local *l)
{
    Planning *p = l->planning;
    l->planning = NULL;
    if (p->entry) cache_unpin(p->entry);
    memory_free(&l->ctx->memory, p, sizeof *p);
}

weft_plan_options *weft_plan_begin_(weft_context *ctx)
{
    /* where nothing is planned: the options are written all the same */
    static _Thread_local weft_plan_options unused;
    Local *l = context_enter(ctx, "weft_compile", NULL);
    if (!l) return &unused;
    if (l->planning) plan_give_up(l);
    l->planning = memory_alloc(&l->ctx->memory, sizeof *l->planning);
    if (!l->planning) {
        error_memory(l, "weft_compile", NULL);
        return &unused;
    }
    l->planning->failures = l->failures;
    l->give_up = plan_give_up;
    return &l->planning->options;
}

/* Lists the leaves of in-outs that need two memories though their types are equal. False: out of memory. */
static bool find_apart(weft_plan *plan, Memory *m)
{
    const Signature *s = plan->sig;
    const CacheEntry *e = plan->entry;
    TreeRange from[s->in.fields + 1], to[s->out.fields + 1];
    if (!(plan->apart = memory_alloc(m, e->n_out * sizeof *plan->apart)) ||
        !tree_ranges(&s->in, m, e->key.words, e->key.n_words, from) ||
        !tree_ranges(&s->out, m, e->out_words, e->n_out_words, to))
        return false;
    for (size_t f = 0; f < s->out.fields; f++) {
        for (uint32_t o = to[f].leaf; s->in_of_out[f] >= 0 && o < to[f + 1].leaf; o++) {
            uint32_t i = from[s->in_of_out[f]].leaf + o - to[f].leaf;
            if (!type_equal(e->key.in[i], e->out[o]) || (o < 64 && plan->code->alias[o] == (int)i)) continue;
            plan->apart[plan->n_apart++] =
                (Apart){ .in = i,
                         .out = o,
                         .bytes = (size_t)type_count(e->out[o]) * dtype_bytes((DType)e->out[o].dtype) };
        }
    }
    return true;
}

/* Appends room to the plan's scratch memory and says where it lies. */
static size_t add_scratch(weft_plan *plan, size_t bytes)
{
    size_t at = plan->scratch;
    plan->scratch += (bytes + 63) & ~(size_t)63;
    return at;
}

static bool lay_out(weft_plan *plan, Memory *m)
{
    const CacheEntry *e = plan->entry;
    add_scratch(plan, code_scratch(plan->code, &plan->workers));
    if (e->n_hidden) plan->in_at = add_scratch(plan, ((size_t)e->key.n_in + e->n_hidden) * sizeof(void *));
    if (plan->sig->plain_out) return true;
    if (!find_apart(plan, m)) return false;
    if (plan->n_apart) plan->out_at = add_scratch(plan, e->n_out * sizeof(void *));
    for (uint32_t k = 0; k < plan->n_apart; k++) plan->apart[k].at = add_scratch(plan, plan->apart[k].bytes);
    return true;
}

static void list_add(weft_context *ctx, weft_plan *plan)
{
    LOCK(&ctx->lock);
    LIST_ADD(&ctx->plans, plan, next, link);
}

static void list_remove(weft_context *ctx, weft_plan *plan)
{
    LOCK(&ctx->lock);
    LIST_REMOVE(plan, next, link);
}

static weft_plan *plan_new(Local *l, const char *at)
{
    Planning *p = l->planning;
    weft_plan *plan = reserve_take(&plans);
    if (plan) {
        CacheEntry *e = p->entry;
        p->entry = NULL;
        *plan =
            (weft_plan){ .home = context_home(l->ctx),
                         .ctx = l->ctx,
                         .entry = e,
                         .sig = e->key.fn->sig,
                         .code = e->program->code,
                         .workers = team_workers(l->ctx->team, p->options.realtime ? 1 : p->options.threads),
                         .stays = p->options.realtime };
        plan->workers.stack = plan->code->piece_stack;
        list_add(l->ctx, plan);
        if (lay_out(plan, &l->ctx->memory)) return plan;
        weft_plan_free(plan);
    }
    error_memory(l, "weft_compile", at);
    return NULL;
}

/* A C function that runs in it, or NULL. */
static const ForeignOp *calls_out(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (n->op == OP_FOREIGN) return foreign_op(n->attr);
        for (uint32_t k = 0; k < n->n_regions; k++) {
            const ForeignOp *inside = calls_out(n->regions[k]);
            if (inside) return inside;
        }
    }
    return NULL;
}

weft_plan *weft_plan_end_(weft_context *ctx, const char *at)
{
    Local *l = context_enter(ctx, "weft_compile", at);
    if (!l) return NULL;
    if (!l->planning) {
        error_set(l, WEFT_ARGUMENT, "weft_compile", at, "weft_plan_begin_ was not called before, or failed");
        return NULL;
    }
    Planning *p = l->planning;
    weft_plan *plan = NULL;
    const ForeignOp *out = p->entry && p->options.realtime ? calls_out(p->entry->program->graph) : NULL;
    if (p->options.threads < 0 || (p->options.realtime && p->options.threads > 1))
        error_set(l, WEFT_ARGUMENT, "weft_compile", at, ".threads is %d: allowed are 0 and more%s",
                  p->options.threads,
                  p->options.realtime ? ", and for real time 0 or 1: it runs on the thread that calls it"
                                      : "");
    else if (l->failures > p->failures) {
    } else if (out)
        error_set(l, WEFT_ARGUMENT, "weft_compile", at,
                  "a plan for real time cannot call the C function %s, which might allocate or lock",
                  out->name);
    else if (p->entry && p->entry->graph)
        error_set(l, WEFT_COMPILER, "weft_compile", at, "no code to run: %s",
                  p->entry->program->code->why_not);
    else if (p->entry) plan = plan_new(l, at);
    else
        error_set(l, WEFT_ARGUMENT, "weft_compile", at, "the call is not one of a function made by weft_jit");
    plan_give_up(l);
    return plan;
}

static bool is_there(const weft_plan *plan, const char *who)
{
    if (plan && plan->ctx) return true;
    Local *l = plan ? context_blamed(plan->home) : context_local(NULL);
    return error_set(l, WEFT_ARGUMENT, who, NULL,
                     plan ? "the plan was freed, or its context was closed" : "the plan is NULL");
}

void weft_plan_free(weft_plan *plan)
{
    if (!plan || !is_there(plan, "weft_plan_free")) return;
    list_remove(plan->ctx, plan);
    memory_free(&plan->ctx->memory, plan->apart, plan->entry->n_out * sizeof *plan->apart);
    cache_unpin(plan->entry);
    reserve_give(&plans, plan);
}

void plan_close(weft_context *ctx)
{
    for (Local *l = ctx->locals; l; l = l->next)
        if (l->planning) plan_give_up(l);
    while (ctx->plans) weft_plan_free(ctx->plans);
}

size_t weft_plan_scratch(const weft_plan *plan)
{
    return is_there(plan, "weft_plan_scratch") ? plan->scratch : 0;
}

int weft_plan_count(const weft_plan *plan, bool outputs)
{
    return !is_there(plan, "weft_plan_count") ? 0
           : outputs                          ? (int)plan->entry->n_out
                                              : (int)plan->entry->key.n_in;
}

/* The paths of the arguments' leaves, or of the results'. */
static void walk_paths(const weft_plan *plan, bool out, Walk *w)
{
    const CacheEntry *e = plan->entry;
    if (out) walk_words(w, NULL, &plan->sig->out, e->out_words, e->n_out_words);
    else walk_words(w, NULL, &plan->sig->in, e->key.words, e->key.n_words);
}

static int find_path(const weft_plan *plan, bool out, const char *path)
{
    CLEANUP(walk_end) Walk w;
    walk_paths(plan, out, &w);
    while (walk_leaf(&w))
        if (walk_path_is(&w, path)) return (int)w.leaves - 1;
    return -1;
}

#define PLAN_FAIL(plan, who, ...) \
    (error_set(context_local((plan)->ctx), WEFT_ARGUMENT, who, NULL, __VA_ARGS__), WEFT_ARGUMENT)

/* "w f32[3,4], x f32[4], return f32[3]" */
static void list_paths(const weft_plan *plan, TextWriter *to)
{
    const char *between = "";
    for (int out = 0; out < 2; out++) {
        const Type *type = out ? plan->entry->out : plan->entry->key.in;
        CLEANUP(walk_end) Walk w;
        walk_paths(plan, out, &w);
        for (; to->room > 1 && walk_leaf(&w); between = ", ") {
            text_write(to, "%s%s %s", between, WALK_PATH(&w), TYPE_TEXT(type[w.leaves - 1]));
        }
    }
}

weft_status weft_bind(const weft_plan *plan, const void *in[], void *out[], const char *path, void *memory)
{
    if (!is_there(plan, "weft_bind")) return WEFT_ARGUMENT;
    if (!path || !memory) return PLAN_FAIL(plan, "weft_bind", "the %s is NULL", path ? "memory" : "path");
    int i = find_path(plan, false, path), o = find_path(plan, true, path);
    if (i < 0 && o < 0) {
        char paths[768];
        list_paths(plan, &(TextWriter){ paths, sizeof paths });
        return PLAN_FAIL(plan, "weft_bind", "the plan has no '%s': it has %s", path, paths);
    }
    if (i >= 0 && !in && (o < 0 || !out))
        return PLAN_FAIL(plan, "weft_bind", "'%s' is an input, and in is NULL", path);
    if (o >= 0 && i < 0 && !out)
        return PLAN_FAIL(plan, "weft_bind", "'%s' is an output, and out is NULL", path);
    if (i >= 0 && o >= 0 && in && out && !type_equal(plan->entry->key.in[i], plan->entry->out[o]))
        return PLAN_FAIL(plan, "weft_bind",
                         "'%s' changes its type: bind argument and result apart, with out or in NULL", path);
    DType t = (DType)(i >= 0 ? plan->entry->key.in[i].dtype : plan->entry->out[o].dtype);
    if ((uintptr_t)memory % dtype_bytes(dtype_part(t)))
        return PLAN_FAIL(plan, "weft_bind", "the memory for '%s' is not aligned to its elements", path);
    if (i >= 0 && in) in[i] = memory;
    if (o >= 0 && out) out[o] = memory;
    return WEFT_OK;
}

/* A result that was bound to the memory of an argument which the code reads later is computed in scratch. */
static void *const *outputs(const weft_plan *plan, const void *const in[], void *const out[], char *scratch)
{
    bool shared = false;
    for (uint32_t k = 0; k < plan->n_apart; k++) shared |= in[plan->apart[k].in] == out[plan->apart[k].out];
    if (!shared) return out;
    void **all = (void **)(void *)(scratch + plan->out_at);
    memcpy(all, out, plan->entry->n_out * sizeof *all);
    for (uint32_t k = 0; k < plan->n_apart; k++) {
        const Apart *a = &plan->apart[k];
        if (in[a->in] == out[a->out]) all[a->out] = scratch + a->at;
    }
    return all;
}

weft_status weft_run(const weft_plan *plan, const void *const in[], void *const out[], void *scratch)
{
    if (!is_there(plan, "weft_run")) return WEFT_ARGUMENT;
    const Code *code = plan->code;
    const CacheEntry *e = plan->entry;
    uint32_t n_in = e->key.n_in;
    if (!scratch && plan->scratch)
        return PLAN_FAIL(plan, "weft_run", "scratch is NULL: this plan takes %zu bytes", plan->scratch);
    if ((uintptr_t)scratch % 64 && plan->scratch)
        return PLAN_FAIL(plan, "weft_run", "scratch is not aligned to %d bytes", 64);
    if (!in && n_in) return PLAN_FAIL(plan, "weft_run", "in is NULL: this plan takes %u pointers", n_in);
    if (!out && e->n_out)
        return PLAN_FAIL(plan, "weft_run", "out is NULL: this plan takes %u pointers", e->n_out);
    for (uint32_t i = 0; i < n_in; i++)
        if (!in[i]) return PLAN_FAIL(plan, "weft_run", "in[%u] is NULL", i);
    for (uint32_t i = 0; i < e->n_out; i++)
        if (!out[i]) return PLAN_FAIL(plan, "weft_run", "out[%u] is NULL", i);
    for (uint32_t i = 0; i < e->n_hidden; i++)
        if (!e->hidden[i]->data)
            return PLAN_FAIL(plan, "weft_run",
                             "array %u that it met was lent (weft_borrow) and is lost: no memory for a copy",
                             i);
    void *const *to = outputs(plan, in, out, scratch);
    if (e->n_hidden) {
        const void **all = (const void **)(void *)((char *)scratch + plan->in_at);
        for (uint32_t i = 0; i < n_in; i++) all[i] = in[i];
        for (uint32_t i = 0; i < e->n_hidden; i++) all[n_in + i] = e->hidden[i]->data;
        in = all;
    }
    uint32_t mode = floating_enter();
    bool ran = code_run(code, in, to, scratch, &plan->workers, plan->stays);
    floating_leave(mode);
    if (!ran) {
        error_set(context_local(plan->ctx), WEFT_MEMORY, "weft_run", NULL, CODE_SHORT,
                  code->piece_stack >> 10);
        return WEFT_MEMORY;
    }
    for (uint32_t k = 0; k < plan->n_apart; k++)
        if (to[plan->apart[k].out] != out[plan->apart[k].out])
            memcpy(out[plan->apart[k].out], to[plan->apart[k].out], plan->apart[k].bytes);
    return WEFT_OK;
}
