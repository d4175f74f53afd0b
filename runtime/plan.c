/* plan.c: the raw door. A plan is an entry of the cache that stays pinned, and the paths of its parameters. */
#include "plan.h"
#include <stdio.h>
#include <string.h>

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
    if (e->n_hidden) plan->scratch += (((size_t)plan->sig->n_in + e->n_hidden) * sizeof(void *) + 63) & ~(size_t)63;
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
    return !plan ? 0 : outputs ? plan->sig->n_out : plan->sig->n_in;
}

static int find_path(const char *const *paths, int n, const char *path)
{
    for (int i = 0; i < n; i++) if (!strcmp(paths[i], path)) return i;
    return -1;
}

static weft_status bind_fail(const weft_plan *plan, const char *format, const char *path)
{
    error_set(context_local(plan->ctx), WEFT_ARGUMENT, "weft_bind", NULL, format, path);
    return WEFT_ARGUMENT;
}

/* "argument w f32[3,4], argument x f32[4], result return f32[3]" */
static void list_paths(const weft_plan *plan, char *buf, size_t size)
{
    const Entry *e = plan->entry;
    size_t used = 0;
    for (int i = 0; i < plan->sig->n_in + plan->sig->n_out && used < size; i++) {
        bool out = i >= plan->sig->n_in;
        int k = out ? i - plan->sig->n_in : i;
        char text[160];
        int n = snprintf(buf + used, size - used, "%s%s %s", i ? ", " : "", out ? plan->sig->out_paths[k] : plan->sig->in_paths[k],
                         type_text(text, sizeof text, out ? e->out[k] : e->key.in[k]));
        used += n > 0 ? (size_t)n : 0;
    }
}

weft_status weft_bind(const weft_plan *plan, const void *in[], void *out[], const char *path, void *memory)
{
    if (!plan) return WEFT_ARGUMENT;
    if (!path || !memory) return bind_fail(plan, "the %s is NULL", path ? "memory" : "path");
    int i = find_path(plan->sig->in_paths, plan->sig->n_in, path), o = find_path(plan->sig->out_paths, plan->sig->n_out, path);
    if (i < 0 && o < 0) {
        char paths[768];
        list_paths(plan, paths, sizeof paths);
        error_set(context_local(plan->ctx), WEFT_ARGUMENT, "weft_bind", NULL, "the plan has no '%s': it has %s", path, paths);
        return WEFT_ARGUMENT;
    }
    if (i >= 0 && !in) return bind_fail(plan, "'%s' is an input, and in is NULL", path);
    if (o >= 0 && i < 0 && !out) return bind_fail(plan, "'%s' is an output, and out is NULL", path);
    DType t = (DType)(i >= 0 ? plan->entry->key.in[i].dtype : plan->entry->out[o].dtype);
    if ((uintptr_t)memory % dtype_bytes(t)) return bind_fail(plan, "the memory for '%s' is not aligned to its elements", path);
    if (i >= 0) in[i] = memory;
    else out[o] = memory;
    return WEFT_OK;
}

weft_status weft_run(const weft_plan *plan, const void *const in[], void *const out[], void *scratch)
{
    if (!plan || (!scratch && plan->scratch)) return WEFT_ARGUMENT;
    const Signature *s = plan->sig;
    for (int i = 0; i < s->n_in; i++) if (!in[i]) return WEFT_ARGUMENT;
    for (int i = 0; i < s->n_out; i++) if (!out[i]) return WEFT_ARGUMENT;
    const Code *code = plan->code;
    const Entry *e = plan->entry;
    if (e->n_hidden) {
        const void **all = (const void **)(void *)((char *)scratch + ((code->scratch_bytes + 63) & ~(size_t)63));
        for (int i = 0; i < s->n_in; i++) all[i] = in[i];
        for (uint32_t i = 0; i < e->n_hidden; i++) all[s->n_in + (int)i] = e->hidden[i]->data;
        in = all;
    }
    code->entry(in, out, scratch, code->consts);
    return WEFT_OK;
}
