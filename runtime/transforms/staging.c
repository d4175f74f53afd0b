/* staging.c: see staging.h. */
#include "staging.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "runtime/trace/op.h"

/* ---- errors ---- */

bool stage_error(const Function *f, Local *l, weft_status code, const char *format, ...)
{
    char text[ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(l, code, f->label, NULL, "%s", text);
}

bool stage_memory(const Function *f, Local *l) { return error_memory(l, f->label, NULL); }

/* A failure that only says that there is no memory is told by error_memory, which knows the limit. */
bool stage_failure(const Function *f, Local *l, const Failure *failure)
{
    bool plain = !*failure->text || !strcmp(failure->text, "out of memory");
    return failure->code == WEFT_MEMORY && plain ? stage_memory(f, l)
                                                 : stage_error(f, l, failure->code, "%s", failure->text);
}

void *stage_room(const Function *f, Local *l, size_t n, size_t item_bytes)
{
    Trace *t = l->trace;
    if (!setjmp(t->guard.env)) return arena_alloc(&t->arena, (n + 1) * item_bytes);
    stage_memory(f, l);
    return NULL;
}

Type *stage_types(const Function *f, Local *l, const Flat *in)
{
    Type *types = stage_room(f, l, in->n_leaves, sizeof *types);
    for (uint32_t i = 0; i < in->n_leaves && types; i++) types[i] = array_type(in->leaf[i]);
    return types;
}

/* ---- callees ---- */

bool callee_trace(Callee *c, const Function *f, Local *l, const Type *types, const Flat *like)
{
    c->f = f;
    flat_open(&c->results, &l->ctx->memory);
    c->traced = call_trace(f, l, types, like, &c->trace, &c->results);
    if (!c->traced) flat_close(&c->results);
    return c->traced;
}

/* What the callee promoted to f64 is the caller's argument: of a trace, which notes it, or a number whose
 * digits are lost. */
static bool arguments_keep_digits(const Callee *c, const Function *f, Local *l, const Flat *args)
{
    for (uint32_t i = 0; args && i < args->n_leaves && i < 64; i++) {
        if (!(c->trace.widened >> i & 1)) continue;
        const weft_array *a = args->leaf[i];
        if (array_is_traced(a)) trace_widens(a);
        else if (!call_keeps_digits(f, l, args, i, UINT32_MAX)) return false;
    }
    return true;
}

bool callee_trace_of(Callee *c, const Function *f, Local *l, const Type *types, const Flat *args)
{
    return callee_trace(c, f, l, types, args) && arguments_keep_digits(c, f, l, args);
}

bool callee_trace_call(Callee *c, const Function *f, Local *l, const Type *types, const Flat *like,
                       const Flat *args)
{
    CallFrame frame;
    frame_push(&frame, f, args, l);
    bool good = callee_trace(c, f, l, types, like) && arguments_keep_digits(c, f, l, args);
    frame_pop(&frame, l);
    return good;
}

void callee_close(Callee *c)
{
    if (!c->traced) return;
    trace_free(&c->trace);
    flat_close(&c->results);
}

/* ---- a call ---- */

bool staging_open(Staging *s, const Function *f, Local *l, const Flat *in)
{
    uint32_t n = in->n_leaves;
    size_t dims = 0;
    for (uint32_t i = 0; i < n; i++) dims += array_type(in->leaf[i]).rank;
    *s = (Staging){ .f = f, .l = l, .in = in };
    if (!(s->axis = stage_room(f, l, n, sizeof *s->axis)) || !(s->type = stage_types(f, l, in)) ||
        !(s->dims = stage_room(f, l, dims, sizeof *s->dims)))
        return false;
    for (uint32_t i = 0; i < n; i++) s->axis[i] = VMAP_NONE;
    return true;
}

bool staging_axes(Staging *s, const AxisTree *axes)
{
    Failure failure = { .code = WEFT_OK };
    return axes_resolve(axes, &s->f->sig->in, &s->l->ctx->memory, s->in->word, s->in->n_words, s->axis,
                        &failure) ||
           stage_failure(s->f, s->l, &failure);
}

int staging_cut(Staging *s, uint32_t leaf, int64_t axis)
{
    Type t = s->type[leaf];
    int64_t *dim = s->dims;
    if (axis < 0) axis += t.rank;
    if (axis < 0 || axis >= t.rank) return -1;
    for (int d = 0; d < t.rank; d++)
        if (d != axis) *s->dims++ = t.dim[d];
    s->type[leaf] = (Type){ t.dtype, (uint8_t)(t.rank - 1), dim };
    return (int)axis;
}

bool staging_trace(Staging *s)
{
    return callee_trace_call(&s->callee, s->f->base, s->l, s->type, s->in, s->in);
}

/* ---- building ---- */

Ref *stage_build(const Function *f, Local *l, StageBuild *build, void *call, uint32_t n)
{
    Trace *t = l->trace;
    if (setjmp(t->guard.env)) {
        stage_memory(f, l);
        return NULL;
    }
    Graph *g = t->graph;
    g->loc = graph_loc(g, f->at);
    Ref *results = stage_refs(&t->arena, n);
    if (build(call, results)) return results;
    const Failure failure = g->failure;
    g->failure.code = WEFT_OK;
    if (failure.code != WEFT_OK) stage_failure(f, l, &failure);
    return NULL;
}

bool stage_results(const Function *f, Local *l, StageBuild *build, void *call, const Flat *like, Flat *out)
{
    const Ref *results = stage_build(f, l, build, call, like->n_leaves);
    return results && call_results(f, l, results, like->n_leaves, out) &&
           (flat_words(out, like->word, like->n_words) || stage_memory(f, l));
}

Ref *stage_operands(Local *l, const Flat *in, const Callee *c, size_t more)
{
    uint32_t n_leaves = callee_leaves(c), n = n_leaves + c->trace.n_hidden;
    Ref *refs = stage_refs(&l->trace->arena, n + more);
    for (uint32_t i = 0; i < n; i++)
        refs[i] = trace_ref(l->trace, i < n_leaves ? in->leaf[i] : c->trace.hidden[i - n_leaves]);
    return refs;
}

static void add_operand(OperandList *o, Graph *g, Ref r)
{
    o->type[o->n] = graph_type(g, r);
    o->ref[o->n++] = r;
}

OperandList operands_open(Local *l, const Flat *in, uint32_t n_hidden)
{
    Arena *a = &l->trace->arena;
    size_t n = (size_t)in->n_leaves + n_hidden + 1;
    OperandList o = { .ref = arena_alloc(a, n * sizeof *o.ref), .type = arena_alloc(a, n * sizeof *o.type) };
    for (uint32_t i = 0; i < in->n_leaves; i++) add_operand(&o, l->trace->graph, stage_leaf(l, in, i));
    return o;
}

uint32_t operands_hidden(OperandList *o, Local *l, const Callee *c)
{
    uint32_t first = o->n;
    for (uint32_t i = 0; i < c->trace.n_hidden; i++)
        add_operand(o, l->trace->graph, trace_ref(l->trace, c->trace.hidden[i]));
    return first;
}

Floats floats_of(Arena *a, const Type *types, uint32_t n)
{
    Floats f = { .number = arena_alloc(a, ((size_t)n + 1) * sizeof *f.number) };
    for (uint32_t i = 0; i < n; i++) f.number[i] = type_is_inexact(types[i]) ? f.n++ : UINT32_MAX;
    return f;
}

Graph *region_new(Arena *a, const char *name, const OperandList *o)
{
    Graph *g = graph_new(a, name);
    for (uint32_t i = 0; i < o->n; i++) build_param(g, o->type[i]);
    return g;
}

bool callee_inline(Graph *g, const Callee *c, const Ref *leaves, const Ref *hidden, Ref *results)
{
    uint32_t n = callee_leaves(c), n_hidden = c->trace.n_hidden;
    Ref *args = stage_refs(g->arena, (size_t)n + n_hidden);
    for (uint32_t i = 0; i < n; i++) args[i] = leaves[i];
    for (uint32_t i = 0; i < n_hidden; i++) args[n + i] = hidden[i];
    return graph_inline(g, c->trace.graph, args, results);
}

const Graph *callee_region(Arena *a, const Callee *c, const char *name, const OperandList *o, uint32_t hidden)
{
    uint32_t n = c->results.n_leaves;
    Ref *outputs = stage_refs(a, n);
    Graph *g = region_new(a, name, o);
    if (!callee_inline(g, c, g->params, g->params + hidden, outputs)) return NULL;
    graph_set_outputs(g, outputs, n);
    return g;
}

Ref stage_to_bool(Graph *g, Ref r)
{
    if (r == REF_NONE) return r;
    Type t = graph_type(g, r);
    return t.dtype == WEFT_BOOL ? r : build_compare(g, CMP_NE, r, build_zeros(g, t));
}
