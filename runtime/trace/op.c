/* op.c: see op.h. The one place where an op is either run by eager's kernel or appended to a graph. */
#include "op.h"
#include "runtime/memory/stack.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "compiler/graph/infer/infer.h"
#include "runtime/memory/floating.h"
#include "runtime/eager/eager.h"
#include "trace.h"

void op_begin(const char *name, const char *at)
{
    if (thread.op.depth++) return;
    thread.op = (OpState){ .depth = 1, .name = name, .at = at, .floating = floating_enter() };
    if (at) thread.last_at = at;
}

void op_end(void)
{
    if (--thread.op.depth) return;
    floating_leave(thread.op.floating);
    thread.op = (OpState){ 0 };
}

Local *op_local(void) { return thread.op.local ? thread.op.local : context_local(NULL); }

bool op_context(weft_context *ctx)
{
    Local *l = context_enter(ctx, thread.op.name, thread.op.at);
    if (l && !thread.op.local) thread.op.local = l;
    return l != NULL;
}

weft_array *op_fail(weft_status code, const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(op_local(), code, thread.op.name, thread.op.at, "%s", text);
    return NULL;
}

static bool fail_memory(void) { return error_memory(op_local(), thread.op.name, thread.op.at); }

void op_speak_for(const weft_array *a)
{
    if (array_is_address(a) && a->ctx && !thread.op.local) thread.op.local = context_local(a->ctx);
}

bool op_check(const weft_array *a, const char *what)
{
    if (!a) {
        Local *l = op_local();
        if (l && l->error != WEFT_OK) l->failures++;
        else if (thread.op.local || thread.error == WEFT_OK) op_fail(WEFT_ARGUMENT, "%s is NULL", what);
        return false;
    }
    if (!array_is_address(a))
        return op_fail(WEFT_ARGUMENT, "%s is the number %d, no array: a && b, !a and a > b are ints in C",
                       what, (int)(intptr_t)a);
    Local *l = a->ctx ? context_local(a->ctx) : NULL;
    if (!thread.op.local) thread.op.local = l;
    if (a->state == ARRAY_FREED) {
        l = thread.op.local ? thread.op.local : context_blamed(NOBODYS);
        return error_set(
            l, WEFT_ARGUMENT, thread.op.name, thread.op.at,
            "%s was freed: its scope or context is closed, or it was given to weft_free or weft_donate",
            what);
    }
    if (!l) return fail_memory();
    if (thread.op.local != l) return op_fail(WEFT_ARGUMENT, "%s is an array of another context", what);
    if (a->state != ARRAY_TRACED || trace_of(a)) return true;
    return op_fail(
        WEFT_TRACED,
        "%s is a traced value whose trace is over, or of another thread: what a traced function computes "
        "leaves it only as a result",
        what);
}

bool op_check_for(const char *name, const char *at, Local *l, const weft_array *a, const char *what)
{
    op_begin(name, at);
    if (l) thread.op.local = l;
    bool good = op_check(a, what);
    op_end();
    return good;
}

bool op_check_operand(const weft_array *a, int i)
{
    Local *l = array_is_address(a) && a->ctx ? context_local(a->ctx) : NULL;
    if (l && (!thread.op.local || thread.op.local == l)) {
        thread.op.local = l;
        if (a->state == ARRAY_CONCRETE ||
            (a->state == ARRAY_TRACED && l->trace && l->trace->serial == a->trace))
            return true;
    }
    char what[24];
    snprintf(what, sizeof what, "operand %d", i + 1);
    return op_check(a, what);
}

Type array_type(const weft_array *a)
{
    if (a->state == ARRAY_CONCRETE) return array_own_type(a);
    Trace *t = a->state == ARRAY_TRACED ? trace_of(a) : NULL;
    return t ? graph_type(t->graph, a->ref) : (Type){ .dtype = WEFT_F32 };
}

bool array_is_traced(const weft_array *a) { return a->state == ARRAY_TRACED; }

/* ---- staged: a node in the innermost trace ---- */

static bool stage(Trace *t, NodeSpec *spec, weft_array *const *args, weft_array **results, int n_results)
{
    Graph *g = t->graph;
    if (setjmp(t->guard.env)) return fail_memory();
    Ref *refs = arena_alloc(&t->arena, (size_t)spec->n_args * sizeof *refs);
    for (uint32_t i = 0; i < spec->n_args; i++) refs[i] = trace_ref(t, args[i]);
    spec->args = refs;
    g->loc = graph_loc(g, thread.op.at);
    Ref r = graph_add(g, spec);
    if (r == REF_NONE) {
        op_fail(g->failure.code, "%s", g->failure.text);
        g->failure = (Failure){ .code = WEFT_OK };
        return false;
    }
    bool several = graph_node(g, r)->n_results > 1;
    for (int i = 0; i < n_results; i++)
        if (!(results[i] = trace_handle(t, several ? build_result(g, r, i) : r))) return fail_memory();
    return true;
}

/* ---- at once, by eager's kernel ---- */

typedef struct InferJob {
    const NodeSpec *spec;
    const Type *own;
    Inferred *types;
    Failure failure;
} InferJob;

static void do_infer(void *user)
{
    InferJob *j = user;
    infer(j->spec, j->own, j->types, &j->failure);
}

/* The results' types may be the operands' own: types lives as long as own. */
static bool infer_results(const NodeSpec *spec, const Type *own, Inferred *types, int n_results)
{
    InferJob j = { spec, own, types, { .code = WEFT_OK } };
    if (stack_has(STACK_EAGER)) do_infer(&j);
    else if (!stack_call(STACK_EAGER, do_infer, &j))
        fail(&j.failure, WEFT_MEMORY, STACK_NONE, STACK_EAGER >> 10);
    if (j.failure.code != WEFT_OK) return op_fail(j.failure.code, "%s", j.failure.text);
    if (types->n_results != n_results)
        return op_fail(WEFT_ARGUMENT, "the op has %d results, %d were asked for", types->n_results,
                       n_results);
    return true;
}

static bool run_now(Local *l, const NodeSpec *spec, weft_array *const *args, weft_array **results,
                    int n_results)
{
    Inferred types;
    uint32_t n = spec->n_args;
    Type arg_types[n + 1];
    const void *in[n + 1];
    void *out[n_results + 1];
    for (uint32_t i = 0; i < n; i++) arg_types[i] = array_own_type(args[i]), in[i] = args[i]->data;
    if (!infer_results(spec, arg_types, &types, n_results)) return false;
    Failure f = { .code = WEFT_OK };
    int made = 0;
    for (; made < n_results; made++) {
        if (!(results[made] = array_new(l, types.type[made], thread.op.name, thread.op.at))) goto failed;
        out[made] = results[made]->data;
    }
    l->ctx->counts.eager_ops++;
    if (eager_op(spec, arg_types, in, types.type, out, context_allocator(l->ctx), &f)) return true;
    error_failure(op_local(), thread.op.name, thread.op.at, "", &f);
failed:
    while (made > 0) weft_free(results[--made]);
    return false;
}

static bool apply(NodeSpec *spec, weft_array *const *args, int n_args, weft_array **results, int n_results)
{
    for (int i = 0; i < n_args && !thread.op.local; i++) op_speak_for(args[i]);
    Local *l = op_local();
    if (!l) return op_fail(WEFT_ARGUMENT, "there is no context: open one with weft_open");
    for (int i = 0; i < n_args; i++)
        if (!op_check_operand(args[i], i)) return false;
    return l->trace ? stage(l->trace, spec, args, results, n_results)
                    : run_now(l, spec, args, results, n_results);
}

bool op_keeps_digits(Op op)
{
    return op_kind(op) == OPKIND_SHAPE || op == OP_NEG || op == OP_REAL || op == OP_IMAG ||
           op == OP_STOP_GRADIENT || op == OP_BARRIER;
}

static void keep_digits(Op op, const weft_array *x, weft_array *result)
{
    if (!x->rounded || !op_keeps_digits(op)) return;
    double re = op == OP_IMAG ? x->exact_imag : x->exact;
    double im = op == OP_IMAG || op == OP_REAL ? 0 : x->exact_imag;
    array_set_exact(result, op == OP_NEG ? -re : re, op == OP_NEG ? -im : im);
}

bool op_apply_all(Op op, weft_array *const *args, int n_args, const int64_t *attr, int n_attr,
                  const NodeSpec *given, weft_array **results, int n_results)
{
    NodeSpec spec = given ? *given : (NodeSpec){ 0 };
    spec.op = op;
    spec.n_args = (uint32_t)n_args;
    spec.attr = attr;
    spec.n_attr = (uint32_t)n_attr;
    op_begin(op_info[op].text, NULL);
    bool good = apply(&spec, args, n_args, results, n_results);
    op_end();
    if (good && n_args == 1) keep_digits(op, args[0], results[0]);
    if (!good) memset(results, 0, (size_t)n_results * sizeof *results);
    return good;
}

weft_array *op_apply(Op op, weft_array *const *args, int n_args, const int64_t *attr, int n_attr,
                     const NodeSpec *given)
{
    weft_array *result;
    return op_apply_all(op, args, n_args, attr, n_attr, given, &result, 1) ? result : NULL;
}

weft_array *op_unary(Op op, weft_array *a) { return op_apply(op, &a, 1, NULL, 0, NULL); }

weft_array *op_binary(Op op, weft_array *a, weft_array *b)
{
    return op_apply(op, (weft_array *[]){ a, b }, 2, NULL, 0, NULL);
}

/* ---- constants ---- */

static weft_array *stage_element(Trace *t, DType type, const void *element)
{
    if (setjmp(t->guard.env)) return fail_memory(), NULL;
    t->graph->loc = graph_loc(t->graph, thread.op.at);
    weft_array *a = trace_handle(t, build_filled(t->graph, type_scalar(type), element));
    if (!a) fail_memory();
    return a;
}

weft_array *op_element(DType t, const void *element)
{
    Local *l = op_local();
    if (!l) return op_fail(WEFT_ARGUMENT, "there is no context: open one with weft_open");
    if (l->trace) return stage_element(l->trace, t, element);
    weft_array *a = array_new(l, type_scalar(t), thread.op.name, thread.op.at);
    if (a) memcpy(a->data, element, dtype_bytes(t));
    return a;
}

weft_array *op_scalar(DType t, uint64_t bits)
{
    char element[16];
    scalar_store(t, element, bits);
    return op_element(t, element);
}

weft_array *op_number(DType t, double v) { return op_scalar(t, scalar_from_double(t, v)); }

weft_array *op_integer(DType t, int64_t v) { return op_scalar(t, scalar_from_i64(t, v)); }

/* The elements live as long as the outermost trace: graphs of inner ones become parts of outer ones, and
 * large constants are borrowed. */
static weft_array *stage_table(Trace *t, Type type, void (*put)(const void *, void *), const void *user)
{
    Trace *outermost = t;
    while (outermost->outer) outermost = outermost->outer;
    if (setjmp(outermost->guard.env)) return fail_memory(), NULL;
    void *data =
        arena_alloc(&outermost->arena, (size_t)type_count(type) * dtype_bytes((DType)type.dtype) + 1);
    put(user, data);
    if (setjmp(t->guard.env)) return fail_memory(), NULL;
    t->graph->loc = graph_loc(t->graph, thread.op.at);
    weft_array *a = trace_handle(t, build_constant(t->graph, type, data));
    if (!a) fail_memory();
    return a;
}

weft_array *op_table(Type type, void (*put)(const void *, void *), const void *user)
{
    Local *l = op_local();
    if (!l) return op_fail(WEFT_ARGUMENT, "there is no context: open one with weft_open");
    if (l->trace) return stage_table(l->trace, type, put, user);
    weft_array *a = array_new(l, type, thread.op.name, thread.op.at);
    if (a) put(user, a->data);
    return a;
}
