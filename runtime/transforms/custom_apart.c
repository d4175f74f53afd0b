/* custom_apart.c: tracing functions and rules apart for one call, and the operands of the op made of them;
 * see custom.h. */
#include "custom.h"
#include <string.h>

void apart_open(Apart *a, const Function *f, Local *l)
{
    a->f = f;
    a->l = l;
    a->type = NULL;
    a->room = 0;
    a->traced = false;
    flat_open(&a->in, &l->ctx->memory);
    flat_open(&a->results, &l->ctx->memory);
}

void apart_close(Apart *a)
{
    if (a->traced) trace_free(&a->trace);
    if (a->type) memory_free(&a->l->ctx->memory, a->type, a->room * sizeof *a->type);
    flat_close(&a->results);
    flat_close(&a->in);
}

static bool grow(Apart *a, uint32_t n)
{
    if (n <= a->room) return true;
    uint32_t room = n < a->room * 2 ? a->room * 2 : n + 16;
    Type *type = memory_resize(&a->l->ctx->memory, a->type, a->room * sizeof *type, room * sizeof *type);
    if (!type) return false;
    a->type = type;
    a->room = room;
    return true;
}

bool apart_add(Apart *a, const Type *types, uint32_t n_types, const uint64_t *words, uint32_t n_words)
{
    bool good = grow(a, a->in.n_leaves + n_types) && flat_words(&a->in, words, n_words);
    for (uint32_t i = 0; i < n_types && good; i++) {
        a->type[a->in.n_leaves] = types[i];
        good = flat_leaf(&a->in, NULL);
    }
    return good || control_memory(a->f, a->l);
}

bool apart_trace(Apart *a, const Flat *args)
{
    Memory *m = &a->l->ctx->memory;
    const Signature *s = a->f->sig;
    Frame frame;
    frame_push(&frame, a->f, args, a->l);
    a->traced = call_trace(a->f, a->l, a->type, &a->in, &a->trace, &a->results);
    frame_pop(&frame, a->l);
    if (!a->traced) return false;
    return (tree_ranges(&s->in, m, a->in.word, a->in.n_words, a->from) &&
            tree_ranges(&s->out, m, a->results.word, a->results.n_words, a->to)) ||
           control_memory(a->f, a->l);
}

/* ---- operands; the running trace's guard is set ---- */

static void add_operand(OpArgs *o, Ref ref, Type type)
{
    o->floats[o->n] = dtype_is_float((DType)type.dtype) ? o->n_floats++ : UINT32_MAX;
    o->ref[o->n] = ref;
    o->type[o->n++] = type;
}

OpArgs op_args(Local *l, const Flat *in, uint32_t n_hidden)
{
    Arena *a = &l->trace->arena;
    size_t n = (size_t)in->n_leaves + n_hidden + 1;
    OpArgs o = { .ref = arena_alloc(a, n * sizeof *o.ref),
                 .type = arena_alloc(a, n * sizeof *o.type),
                 .floats = arena_alloc(a, n * sizeof *o.floats) };
    for (uint32_t i = 0; i < in->n_leaves; i++) {
        Ref r = control_leaf(l, in, i);
        add_operand(&o, r, graph_type(l->trace->graph, r));
    }
    return o;
}

Ref op_refused(Graph *g, Ref r, int64_t why)
{
    if (!dtype_is_float((DType)graph_node(g, r)->dtype)) return r;
    return graph_add(
        g, &(NodeSpec){ .op = OP_STOP_GRADIENT, .args = &r, .n_args = 1, .attr = &why, .n_attr = 1 });
}

uint32_t op_args_hidden(OpArgs *o, Local *l, const Apart *a, bool refuse)
{
    uint32_t first = o->n;
    for (uint32_t i = 0; i < a->trace.n_hidden; i++) {
        bool traced = a->trace.hidden[i]->state == ARRAY_TRACED;
        Ref r = control_hidden(l, &a->trace, i);
        add_operand(o, refuse && traced ? op_refused(l->trace->graph, r, 1) : r,
                    graph_type(l->trace->graph, r));
    }
    return first;
}

Graph *op_region(Arena *a, const char *name, const OpArgs *o, Ref *params)
{
    Graph *g = graph_new(a, name);
    for (uint32_t i = 0; i < o->n; i++) params[i] = build_param(g, o->type[i]);
    return g;
}

bool apart_inline(Graph *g, const Apart *a, const Ref *leaves, const Ref *hidden, Ref *results)
{
    uint32_t n = a->in.n_leaves, n_hidden = a->trace.n_hidden;
    Ref *args = arena_alloc(g->arena, ((size_t)n + n_hidden + 1) * sizeof *args);
    for (uint32_t i = 0; i < n; i++) args[i] = leaves[i];
    for (uint32_t i = 0; i < n_hidden; i++) args[n + i] = hidden[i];
    return graph_inline(g, a->trace.graph, args, results);
}
