/* plan.c: the raw door. A plan is an entry of the cache that stays pinned, and the paths of its parameters. */
#include "plan.h"
#include <stdio.h>
#include <string.h>

enum { PATH_TEXT = 4096 };

struct weft_plan {
    weft_context *ctx;
    Entry *entry;
    const Signature *sig;
    const Code *code;
    size_t scratch;                 /* the code's, and behind it the list of pointers where there are hidden operands */
};

weft_status weft_plan_begin_(weft_context *ctx, weft_plan_options options)
{
    Local *l = context_enter(ctx, "weft_compile", NULL);
    if (!l) return WEFT_ARGUMENT;
    if (l->planning) plan_give_up(l);
    l->planning = memory_alloc(&l->ctx->memory, sizeof *l->planning);
    if (!l->planning) {
        error_memory(l, "weft_compile", NULL);
        return WEFT_MEMORY;
    }
    l->planning->options = options;
    l->planning->failures = l->failures;
    return WEFT_OK;
}

void plan_give_up(Local *l)
{
    Planning *p = l->planning;
    l->planning = NULL;
    if (p->entry) cache_unpin(p->entry);
    memory_free(&l->ctx->memory, p, sizeof *p);
}

void plan_take(Local *l, Entry *e)
{
    l->planning->entry = e;
}

static weft_plan *plan_new(Local *l, const char *at)
{
    Planning *p = l->planning;
    weft_plan *plan = memory_alloc(&l->ctx->memory, sizeof *plan);
    if (!plan) {
        error_memory(l, "weft_compile", at);
        return NULL;
    }
    Entry *e = p->entry;
    p->entry = NULL;
    *plan = (weft_plan){ .ctx = l->ctx, .entry = e, .sig = e->key.fn->sig, .code = e->program->code };
    plan->scratch = (plan->code->scratch_bytes + 63) & ~(size_t)63;
    if (e->n_hidden) plan->scratch += (((size_t)e->key.n_in + e->n_hidden) * sizeof(void *) + 63) & ~(size_t)63;
    return plan;
}

weft_plan *weft_plan_end_(weft_context *ctx, const char *at)
{
    Local *l = context_enter(ctx, "weft_compile", at);
    if (!l || !l->planning) return NULL;
    Planning *p = l->planning;
    weft_plan *plan = NULL;
    if (p->options.threads < 0) error_set(l, WEFT_ARGUMENT, "weft_compile", at, "%d threads", p->options.threads);
    else if (l->failures > p->failures) {}
    else if (p->entry) plan = plan_new(l, at);
    else error_set(l, WEFT_ARGUMENT, "weft_compile", at, "the call is not one of a function made by weft_jit");
    plan_give_up(l);
    return plan;
}

void weft_plan_free(weft_plan *plan)
{
    if (!plan) return;
    Memory *m = &plan->ctx->memory;
    cache_unpin(plan->entry);
    memory_free(m, plan, sizeof *plan);
}

size_t weft_plan_scratch(const weft_plan *plan)
{
    return plan ? plan->scratch : 0;
}

int weft_plan_count(const weft_plan *plan, bool outputs)
{
    return !plan ? 0 : outputs ? (int)plan->entry->n_out : (int)plan->entry->key.n_in;
}

/* The paths of the arguments' leaves, or of the results'. */
static void walk_paths(const weft_plan *plan, bool out, Walk *w)
{
    const Entry *e = plan->entry;
    if (out) walk_words(w, NULL, &plan->sig->out, e->out_words, e->n_out_words);
    else walk_words(w, NULL, &plan->sig->in, e->key.words, e->key.n_words);
}

static int find_path(const weft_plan *plan, bool out, const char *path)
{
    Walk w;
    WalkEvent event;
    char text[PATH_TEXT];
    int found = -1;
    walk_paths(plan, out, &w);
    while (found < 0 && ((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD))
        if (event == WALK_LEAF && !strcmp(walk_path(&w, text, sizeof text), path)) found = (int)w.leaves - 1;
    walk_end(&w);
    return found;
}

static weft_status bind_fail(const weft_plan *plan, const char *format, const char *path)
{
    error_set(context_local(plan->ctx), WEFT_ARGUMENT, "weft_bind", NULL, format, path);
    return WEFT_ARGUMENT;
}

/* "w f32[3,4], x f32[4], return f32[3]" */
static void list_paths(const weft_plan *plan, char *buf, size_t size)
{
    const Entry *e = plan->entry;
    size_t used = 0;
    for (int out = 0; out < 2; out++) {
        Walk w;
        WalkEvent event;
        walk_paths(plan, out, &w);
        while (((event = walk_next(&w)) == WALK_LEAF || event == WALK_WORD) && used < size) {
            if (event != WALK_LEAF) continue;
            char text[160], path[TREE_PATH];
            int n = snprintf(buf + used, size - used, "%s%s %s", used ? ", " : "", walk_path(&w, path, sizeof path),
                             type_text(text, sizeof text, out ? e->out[w.leaves - 1] : e->key.in[w.leaves - 1]));
            used += n > 0 ? (size_t)n : 0;
        }
        walk_end(&w);
    }
}

weft_status weft_bind(const weft_plan *plan, const void *in[], void *out[], const char *path, void *memory)
{
    if (!plan) return WEFT_ARGUMENT;
    if (!path || !memory) return bind_fail(plan, "the %s is NULL", path ? "memory" : "path");
    int i = find_path(plan, false, path), o = find_path(plan, true, path);
    if (i < 0 && o < 0) {
        char paths[768];
        list_paths(plan, paths, sizeof paths);
        error_set(context_local(plan->ctx), WEFT_ARGUMENT, "weft_bind", NULL, "the plan has no '%s': it has %s", path, paths);
        return WEFT_ARGUMENT;
    }
    if (i >= 0 && !in && (o < 0 || !out)) return bind_fail(plan, "'%s' is an input, and in is NULL", path);
    if (o >= 0 && i < 0 && !out) return bind_fail(plan, "'%s' is an output, and out is NULL", path);
    DType t = (DType)(i >= 0 ? plan->entry->key.in[i].dtype : plan->entry->out[o].dtype);
    if ((uintptr_t)memory % dtype_bytes(t)) return bind_fail(plan, "the memory for '%s' is not aligned to its elements", path);
    if (i >= 0 && in) in[i] = memory;
    if (o >= 0 && out) out[o] = memory;
    return WEFT_OK;
}

weft_status weft_run(const weft_plan *plan, const void *const in[], void *const out[], void *scratch)
{
    if (!plan || (!scratch && plan->scratch)) return WEFT_ARGUMENT;
    const Code *code = plan->code;
    const Entry *e = plan->entry;
    uint32_t n_in = e->key.n_in;
    for (uint32_t i = 0; i < n_in; i++) if (!in[i]) return WEFT_ARGUMENT;
    for (uint32_t i = 0; i < e->n_out; i++) if (!out[i]) return WEFT_ARGUMENT;
    if (e->n_hidden) {
        const void **all = (const void **)(void *)((char *)scratch + ((code->scratch_bytes + 63) & ~(size_t)63));
        for (uint32_t i = 0; i < n_in; i++) all[i] = in[i];
        for (uint32_t i = 0; i < e->n_hidden; i++) all[n_in + i] = e->hidden[i]->data;
        in = all;
    }
    code->entry(in, out, scratch, code->consts);
    return WEFT_OK;
}
