/* trace.c: see trace.h. */
#include "trace.h"
#include "op.h"

enum { FIRST_SLOTS = 32 };

bool trace_begin(Trace *t, Local *l, const char *name)
{
    *t = (Trace){
        .local = l, .outer = l->trace, .serial = atomic_fetch_add(&l->ctx->next_serial, 1), .scope = l->scope
    };
    t->handles_end = &t->handles;
    arena_init(&t->arena, context_allocator(l->ctx), &t->guard);
    if (setjmp(t->guard.env)) {
        arena_free(&t->arena);
        return error_memory(l, name, NULL);
    }
    t->graph = graph_new(&t->arena, arena_printf(&t->arena, "%s", name));
    l->trace = t;
    return true;
}

void trace_end(Trace *t)
{
    t->local->trace = t->outer;
    array_stale(t->local->ctx, t->handles, t->handles_end, t->n_handles);
    t->handles = NULL;
    t->n_handles = 0;
}

void trace_give(Trace *t, Graph *g, Arena *to, Guard *guard)
{
    *to = t->arena;
    to->guard = guard;
    g->arena = to;
    arena_init(&t->arena, to->allocator, &t->guard);
}

void trace_free(Trace *t)
{
    for (uint32_t i = 0; i < t->n_hidden; i++)
        if (t->hidden[i]->state != ARRAY_TRACED) array_unretain(t->hidden[i]);
    t->n_hidden = 0;
    if (t->outer) arena_hand_on(&t->arena, &t->outer->arena);
    arena_free(&t->arena);
}

Trace *trace_of(const weft_array *a)
{
    Local *l = context_local(a->ctx);
    Trace *t = l ? l->trace : NULL;
    while (t && t->serial != a->trace) t = t->outer;
    return t;
}

void trace_widens(const weft_array *a)
{
    Trace *t = trace_of(a);
    if (!t) return;
    Ref r = a->ref;
    for (const Node *n = graph_node(t->graph, r); n->n_args == 1; n = graph_node(t->graph, r)) {
        if (!op_keeps_digits((Op)n->op)) break;
        r = n->args[0];
    }
    for (uint32_t i = 0; i < t->graph->n_params - t->n_hidden && i < 64; i++)
        if (t->graph->params[i] == r) t->widened |= UINT64_C(1) << i;
}

weft_array *trace_handle(Trace *t, Ref r)
{
    weft_array *a = array_new_traced(t->local, t->serial, r);
    if (!a) return NULL;
    *t->handles_end = a;
    t->handles_end = &a->next;
    t->n_handles++;
    return a;
}

static Ref new_param(Trace *t, Type type, const char *name)
{
    Graph *g = t->graph;
    uint32_t n = g->n_params;
    t->names = arena_grow(&t->arena, t->names, n, &t->cap_names, n + 1, sizeof *t->names);
    t->names[n] = arena_printf(&t->arena, "%s", name);
    Ref r = build_param(g, type);
    g->param_names = t->names;
    return r;
}

weft_array *trace_param(Trace *t, Type type, const char *name)
{
    if (setjmp(t->guard.env)) return error_memory(t->local, name, NULL), NULL;
    weft_array *a = trace_handle(t, new_param(t, type, name));
    if (!a) error_memory(t->local, name, NULL);
    return a;
}

/* ---- values from outside ---- */

/* Where the value stands in the table by addresses, or would stand. */
static uint32_t *slot_of(const Trace *t, const weft_array *a)
{
    uint32_t mask = t->n_slots - 1, i = (uint32_t)((uintptr_t)a * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
    while (t->slot[i] && t->hidden[t->slot[i] - 1] != a) i = (i + 1) & mask;
    return &t->slot[i];
}

static void grow_slots(Trace *t)
{
    uint32_t n = t->n_slots ? 2 * t->n_slots : FIRST_SLOTS;
    t->slot = arena_alloc(&t->arena, n * sizeof *t->slot);
    t->n_slots = n;
    for (uint32_t i = 0; i < t->n_hidden; i++) *slot_of(t, t->hidden[i]) = i + 1;
}

static bool made_inside(const Trace *t, const weft_array *a)
{
    for (const weft_scope *s = t->local->scope; s && s != t->scope; s = s->outer)
        if (a->owner == s) return true;
    return false;
}

/* Memory that the function lends, its own variables' perhaps, is gone when it returns. */
static Ref add_hidden(Trace *t, weft_array *a, Type type)
{
    uint32_t n = t->n_hidden;
    if (a->state != ARRAY_TRACED && made_inside(t, a) && !array_own(a)) longjmp(t->guard.env, 1);
    t->hidden = arena_grow(&t->arena, t->hidden, n, &t->cap_hidden, n + 1, sizeof *t->hidden);
    if (2 * (n + 1) > t->n_slots) grow_slots(t);
    Ref r = new_param(t, type, "hidden");
    t->hidden[n] = a;
    *slot_of(t, a) = ++t->n_hidden;
    if (a->state != ARRAY_TRACED) array_retain(a);
    return r;
}

/* The outer trace's dims live long enough in its own arena: build_param copies. */
Ref trace_ref(Trace *t, weft_array *a)
{
    if (a->state == ARRAY_TRACED && a->trace == t->serial) return a->ref;
    uint32_t known = t->n_slots ? *slot_of(t, a) : 0;
    if (known) return trace_hidden(t, known - 1);
    if (a->state != ARRAY_TRACED) return add_hidden(t, a, array_own_type(a));
    const Trace *from = trace_of(a);
    return from ? add_hidden(t, a, graph_type(from->graph, a->ref)) : REF_NONE;
}
