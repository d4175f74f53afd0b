/* call.c: what happens when a function that weft made is called.
 *
 *   closure -> leaves -> inside a trace:  staged into it: the user's function is called with traced arrays; vmap traces it apart, maps the graph, and inlines that
 *                     -> otherwise:       the cache has an entry for these types, or traces and compiles one; then machine code (jit) or eager's kernels (vmap) run it
 *
 * User code runs in a scope of its own, and with no lock held.
 */
#include "call.h"
#include <stdio.h>
#include <string.h>
#include "cache.h"
#include "compiler/passes/vmap.h"
#include "runtime/eager/eager.h"
#include "op.h"
#include "plan.h"

enum { MAX_DEPTH = 200, STACK_SCRATCH = 4096 };

/* ---- checking arguments ---- */

static bool arguments_good(const Function *f, Local *l, const Args *args)
{
    bool good = true;
    for (int i = 0; i < f->sig->n_in && good; i++) {
        weft_array *a = args->in[i];
        if (a && a->state == ARRAY_CONCRETE && a->ctx == l->ctx) continue;
        char what[160];
        snprintf(what, sizeof what, "argument %s", f->sig->in_paths[i]);
        op_begin(f->label, NULL);
        thread.op_local = l;
        good = op_check(a, what);
        op_end();
    }
    return good;
}

/* ---- the chain of calls ---- */

static bool same_arguments(const Function *f, const Args *a, const Args *b)
{
    for (int i = 0; i < f->sig->n_numbers; i++) if (a->numbers[i] != b->numbers[i]) return false;
    for (int i = 0; i < f->sig->n_in; i++) {
        Type s = array_type(a->in[i]), t = array_type(b->in[i]);
        if (s.dtype != t.dtype || s.rank != t.rank || (s.rank && memcmp(s.dim, t.dim, s.rank * sizeof *s.dim))) return false;
    }
    return true;
}

/* A function that is traced on what it is being traced on already will never end. */
static bool enter(Frame *frame, const Function *f, Local *l, const Args *args)
{
    int depth = 0;
    for (const Frame *o = l->frame; o; o = o->outer, depth++) {
        if (o->fn != f || !same_arguments(f, o->args, args)) continue;
        error_set(l, WEFT_ARGUMENT, f->label, NULL, "it calls itself with arguments of the same types and the same numbers, which would never end");
        return false;
    }
    if (depth >= MAX_DEPTH) {
        error_set(l, WEFT_ARGUMENT, f->label, NULL, "calls nest deeper than %d", MAX_DEPTH);
        return false;
    }
    *frame = (Frame){ .outer = l->frame, .name = f->name, .label = f->label, .fn = f, .args = args };
    l->frame = frame;
    return true;
}

static void leave(Frame *frame, Local *l)
{
    l->frame = frame->outer;
}

/* ---- staging ---- */

static bool stage(const Function *f, Local *l, const Args *args);

/* What the user's function gave, as values of the running trace: a concrete array of the call's scope would die with it. */
static bool take_results(const Function *f, Local *l, weft_array **out)
{
    Trace *t = l->trace;
    for (int i = 0; i < f->sig->n_out; i++) {
        char what[160];
        snprintf(what, sizeof what, "result %s", f->sig->out_paths[i]);
        op_begin(f->label, NULL);
        thread.op_local = l;
        bool good = op_check(out[i], what);
        op_end();
        if (!good) return false;
    }
    if (setjmp(t->guard.env)) {
        error_memory(l, f->label, NULL);
        return false;
    }
    for (int i = 0; i < f->sig->n_out; i++) {
        if ((out[i] = trace_handle(t, trace_ref(t, out[i])))) continue;
        error_memory(l, f->label, NULL);
        return false;
    }
    return true;
}

static void call_user(const Function *f, const Args *args)
{
    const Signature *s = f->sig;
    void *values[s->n_params + 1];
    weft_array **places[s->n_params + 1];
    ffi_arg returned = 0;
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        places[i] = &args->out[p->leaf];
        values[i] = p->kind == PARAM_ARRAY ? (void *)&args->in[p->leaf] : p->kind == PARAM_OUT ? (void *)&places[i] : (void *)&args->numbers[p->leaf];
    }
    ffi_call((ffi_cif *)(uintptr_t)&s->cif, f->address, &returned, values);
    if (s->returns) args->out[0] = (weft_array *)(uintptr_t)returned;
}

/* The user's function on traced arrays: a scope of its own, no op running, and whatever it did wrong makes the call fail. */
static bool stage_user(const Function *f, Local *l, const Args *args)
{
    uint32_t failures = l->failures;
    Trace *t = l->trace;
    int depth = thread.op_depth;
    const char *name = thread.op_name, *at = thread.op_at;
    Local *op = thread.op_local;
    weft_scope scope;
    scope_push(&scope, l);
    thread.op_depth = 0;
    call_user(f, args);
    bool good = l->trace == t && l->failures <= failures && take_results(f, l, args->out);
    thread.op_depth = depth, thread.op_name = name, thread.op_at = at, thread.op_local = op;
    scope_pop(&scope);
    return good;
}

/* The number of the batch that the mapped arguments agree on; -1 and an error. */
static int64_t batch_size(const Function *f, Local *l, const Args *args)
{
    int first = -1;
    int64_t size = -1;
    for (int i = 0; i < f->sig->n_in; i++) {
        if (f->in_axes[i] == VMAP_NONE) continue;
        char text[160], other[160];
        Type t = array_type(args->in[i]);
        int64_t axis = f->in_axes[i] + (f->in_axes[i] < 0 ? t.rank : 0);
        if (axis < 0 || axis >= t.rank) {
            error_set(l, WEFT_SHAPE, f->label, NULL, "argument %s %s has no axis %lld to map", f->sig->in_paths[i], type_text(text, sizeof text, t), (long long)f->in_axes[i]);
            return -1;
        }
        if (first >= 0 && t.dim[axis] != size) {
            error_set(l, WEFT_SHAPE, f->label, NULL, "the mapped axes differ in size: argument %s %s has %lld along axis %lld, argument %s %s has %lld along axis %lld",
                      f->sig->in_paths[first], type_text(other, sizeof other, array_type(args->in[first])), (long long)size, (long long)f->in_axes[first],
                      f->sig->in_paths[i], type_text(text, sizeof text, t), (long long)t.dim[axis], (long long)f->in_axes[i]);
            return -1;
        }
        if (first < 0) first = i, size = t.dim[axis];
    }
    return size;
}

static Type without_axis(Type t, int64_t axis, int64_t *dim)
{
    if (axis == VMAP_NONE) return t;
    if (axis < 0) axis += t.rank;
    int n = 0;
    for (int i = 0; i < t.rank; i++) if (i != axis) dim[n++] = t.dim[i];
    return (Type){ t.dtype, (uint8_t)n, dim };
}

/* The base on one example: in's graph has a parameter per argument, and hidden ones behind. */
static bool trace_example(const Function *f, Local *l, const Args *args, Trace *in)
{
    int n_in = f->sig->n_in;
    weft_array *params[n_in + 1];
    if (!trace_begin(in, l, f->base->label)) return false;
    Args inner = { params, args->numbers, args->out };
    bool good = true;
    for (int i = 0; i < n_in && good; i++) {
        int64_t dim[WEFT_MAX_RANK];
        params[i] = trace_param(in, without_axis(array_type(args->in[i]), f->in_axes[i], dim), f->sig->in_paths[i]);
        good = params[i] != NULL;
    }
    good = good && stage(f->base, l, &inner);
    if (good) {
        Ref outputs[f->sig->n_out];
        for (int i = 0; i < f->sig->n_out; i++) outputs[i] = args->out[i]->ref;
        if (setjmp(in->guard.env)) error_memory(l, f->label, NULL), good = false;
        else graph_set_outputs(in->graph, outputs, (uint32_t)f->sig->n_out);
    }
    trace_end(in);
    if (!good) trace_free(in);
    return good;
}

/* The example's graph, mapped, becomes part of the running trace. */
static bool inline_mapped(const Function *f, Local *l, const Args *args, Trace *in, int64_t size)
{
    Trace *t = l->trace;
    Graph *g = in->graph;
    Failure failure = { .code = WEFT_OK };
    if (setjmp(t->guard.env)) {
        error_memory(l, f->label, NULL);
        return false;
    }
    int64_t *axes = arena_alloc(&t->arena, (g->n_params + 1) * sizeof *axes);
    Ref *refs = arena_alloc(&t->arena, (g->n_params + 1) * sizeof *refs);
    Ref *outputs = arena_alloc(&t->arena, (size_t)f->sig->n_out * sizeof *outputs);
    uint32_t n_in = (uint32_t)f->sig->n_in;
    for (uint32_t i = 0; i < g->n_params; i++) {
        axes[i] = i < n_in ? f->in_axes[i] : VMAP_NONE;
        refs[i] = trace_ref(t, i < n_in ? args->in[i] : in->hidden[i - n_in]);
    }
    const Graph *mapped = vmap_graph(&t->arena, g, axes, size, f->out_axes, &failure);
    if (mapped && !graph_inline(t->graph, mapped, refs, outputs)) failure = t->graph->failure;
    if (failure.code != WEFT_OK) {
        t->graph->failure.code = WEFT_OK;
        error_set(l, failure.code, f->label, NULL, "%s", failure.text);
        return false;
    }
    for (int i = 0; i < f->sig->n_out; i++) {
        if ((args->out[i] = trace_handle(t, outputs[i]))) continue;
        error_memory(l, f->label, NULL);
        return false;
    }
    return true;
}

static bool stage_vmap(const Function *f, Local *l, const Args *args)
{
    int64_t size = batch_size(f, l, args);
    Trace in;
    if (size < 0 || !trace_example(f, l, args, &in)) return false;
    bool good = inline_mapped(f, l, args, &in, size);
    trace_free(&in);
    return good;
}

static bool fail_unmade(const Function *f, Local *l)
{
    error_set(l, WEFT_ARGUMENT, f->label, NULL, "cannot be called, for it could not be made from \"%s\": %s", f->axes, f->failure);
    return false;
}

static bool stage(const Function *f, Local *l, const Args *args)
{
    while (f->kind == FN_JIT) f = f->base;
    return f->kind == FN_VMAP ? stage_vmap(f, l, args) : f->kind == FN_USER ? stage_user(f, l, args) : fail_unmade(f, l);
}

/* ---- tracing a whole function ---- */

bool call_trace(Function *f, Local *l, const Args *args, Trace *t)
{
    int n_in = f->sig->n_in;
    weft_array *params[n_in + 1];
    if (!trace_begin(t, l, f->label)) return false;
    Args inner = { params, args->numbers, args->out };
    bool good = true;
    for (int i = 0; i < n_in && good; i++) good = (params[i] = trace_param(t, array_type(args->in[i]), f->sig->in_paths[i])) != NULL;
    Frame frame;
    good = good && enter(&frame, f, l, &inner);
    if (good) {
        good = stage(f, l, &inner);
        leave(&frame, l);
    }
    if (good) {
        Ref outputs[f->sig->n_out];
        for (int i = 0; i < f->sig->n_out; i++) outputs[i] = inner.out[i]->ref;
        if (setjmp(t->guard.env)) error_memory(l, f->label, NULL), good = false;
        else graph_set_outputs(t->graph, outputs, (uint32_t)f->sig->n_out);
    }
    trace_end(t);
    if (!good) trace_free(t);
    return good;
}

/* ---- running what the cache has ---- */

/* May the argument's memory become a result's? It must be a block of the array's own that no other argument, code or plan reads. */
static bool can_give(const Function *f, const Args *args, int i)
{
    const weft_array *a = args->in[i];
    if (!a->donated || !a->capacity || a->release || a->refs != 1 || i >= 64) return false;
    for (int k = 0; k < f->sig->n_in; k++) if (k != i && args->in[k] == a) return false;
    return true;
}

/* A key over the arguments as they are: it borrows their shapes. */
static Key key_of(const Function *f, const Args *args, Type *types)
{
    for (int i = 0; i < f->sig->n_in; i++) types[i] = array_own_type(args->in[i]);
    Key k = { .fn = f, .n_in = f->sig->n_in, .n_numbers = f->sig->n_numbers, .in = types, .numbers = args->numbers };
    for (int i = 0; i < k.n_in && f->kind == FN_JIT; i++) k.donated |= (uint64_t)can_give(f, args, i) << (i & 63);
    k.hash = cache_hash(&k);
    return k;
}

static bool compiling_allowed(const Function *f, Local *l, const char *reason)
{
    if (f->kind != FN_JIT || !l->ctx->forbid_compiling) return true;
    error_set(l, WEFT_COMPILER, f->label, NULL, "compiling is forbidden in this context, and there is no code for these arguments%s%s", *reason ? ": " : "", reason);
    return false;
}

/* Traces and compiles what e is for. */
static bool build(Function *f, Local *l, const Args *args, Entry *e)
{
    Cache *c = l->ctx->cache;
    char reason[512];
    bool shared = false;
    explain_reason(c, &e->key, reason, sizeof reason);
    double start = context_now_us();
    Trace t;
    if (!compiling_allowed(f, l, reason) || !call_trace(f, l, args, &t)) return false;
    double trace_us = context_now_us() - start;
    l->ctx->counts.traces++;
    pthread_mutex_lock(&l->ctx->lock);
    l->ctx->times.trace_us += trace_us;
    pthread_mutex_unlock(&l->ctx->lock);
    bool good = cache_build(c, l, e, &t, &shared);
    trace_free(&t);
    if (good) explain_built(c, e, reason, trace_us, e->program ? e->program->code : NULL, shared);
    return good;
}

static Entry *find_entry(Function *f, Local *l, const Args *args)
{
    Type types[f->sig->n_in + 1];
    Key key = key_of(f, args, types);
    Cache *c = l->ctx->cache;
    bool own;
    Entry *e = cache_get(c, &key, &own);
    if (!e) {
        if (own) error_set(l, WEFT_ARGUMENT, f->label, NULL, "it is called while this thread is compiling it");
        else error_memory(l, f->label, NULL);
        return NULL;
    }
    if (e->state == ENTRY_READY) {
        atomic_fetch_add_explicit(&l->ctx->counts.hits, 1, memory_order_relaxed);
        return e;
    }
    if (build(f, l, args, e)) {
        cache_ready(c, e);
        return e;
    }
    cache_fail(c, e);
    return NULL;
}

static bool run_code(Local *l, const Entry *e, const void *const *in, void *const *out)
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
    if (eager_graph(e->graph, in, out, context_allocator(l->ctx), &f)) return true;
    if (f.code == WEFT_MEMORY) error_memory(l, e->key.fn->label, NULL);
    else error_set(l, f.code, e->key.fn->label, NULL, "%s", f.text);
    return false;
}

static void end_donated(const Function *f, const Args *args)
{
    for (int i = 0; i < f->sig->n_in; i++) if (args->in[i]->donated) weft_free(args->in[i]);
}

/* The argument whose memory result number o is computed in, or NULL. */
static weft_array *giver(const Entry *e, const Args *args, int o)
{
    int i = e->program && o < 64 ? e->program->code->alias[o] : -1;
    return i < 0 ? NULL : args->in[i];
}

/* Results with memory of their own, and headless ones whose memory stays the argument's until the run is over. */
static bool make_result(const Function *f, Local *l, const Entry *e, const Args *args, int o, void **memory)
{
    weft_array *from = giver(e, args, o);
    args->out[o] = from ? array_head(l, e->out[o]) : array_new(l, e->out[o], f->label, NULL);
    if (args->out[o]) *memory = from ? from->data : args->out[o]->data;
    else if (from) error_memory(l, f->label, NULL);
    return args->out[o] != NULL;
}

static bool run_entry(const Function *f, Local *l, const Entry *e, const Args *args)
{
    int n_in = f->sig->n_in, n_out = f->sig->n_out, made = 0;
    const void *in[n_in + (int)e->n_hidden + 1];
    void *out[n_out];
    for (int i = 0; i < n_in; i++) in[i] = args->in[i]->data;
    for (uint32_t i = 0; i < e->n_hidden; i++) in[n_in + (int)i] = e->hidden[i]->data;
    for (; made < n_out; made++) if (!make_result(f, l, e, args, made, &out[made])) goto failed;
    if (!(e->program ? run_code(l, e, in, out) : run_graph(l, e, in, out))) goto failed;
    for (int o = 0; o < n_out; o++) if (giver(e, args, o)) array_move(l, args->out[o], giver(e, args, o));
    end_donated(f, args);
    return true;
failed:
    while (made > 0) weft_free(args->out[--made]);
    return false;
}

static bool call_concrete(Function *f, Local *l, const Args *args)
{
    Entry *e = find_entry(f, l, args);
    if (!e) return false;
    if (l->planning && f->kind == FN_JIT) {
        plan_take(l, e);
        return false;
    }
    bool good = run_entry(f, l, e, args);
    cache_unpin(e);
    return good;
}

/* ---- the door ---- */

static bool call_function(Function *f, const Args *args)
{
    Local *l = context_local(f->ctx);
    if (!l) {
        error_memory(NULL, f->label, NULL);
        return false;
    }
    if (l->planning && l->planning->entry) {
        error_set(l, WEFT_ARGUMENT, "weft_compile", NULL, "the call contains another call of a function made by weft_jit: compute its arguments before");
        return false;
    }
    if (!arguments_good(f, l, args)) return false;
    if (f->kind == FN_FAILED) return fail_unmade(f, l);
    if (!l->trace) return call_concrete(f, l, args);
    Frame frame;
    if (!enter(&frame, f, l, args)) return false;
    bool good = stage(f, l, args);
    leave(&frame, l);
    return good;
}

void call_closure(ffi_cif *cif, void *result, void **values, void *slot)
{
    (void)cif;
    Function *f = *(Function **)slot;
    const Signature *s = f->sig;
    weft_array *in[s->n_in + 1], *out[s->n_out];
    uint64_t numbers[s->n_numbers + 1];
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_ARRAY) in[p->leaf] = *(weft_array **)values[i];
        else if (p->kind == PARAM_NUMBER) numbers[p->leaf] = signature_number_bits((NumberType)p->number, values[i]);
    }
    memset(out, 0, sizeof out);
    Args args = { in, numbers, out };
    if (!call_function(f, &args)) memset(out, 0, sizeof out);
    if (s->returns) *(weft_array **)result = out[0];
    for (int i = 0; i < s->n_params; i++) {
        if (s->params[i].kind != PARAM_OUT) continue;
        weft_array **place = *(weft_array ***)values[i];
        if (place) *place = out[s->params[i].leaf];
    }
}
