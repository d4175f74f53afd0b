/* custom_vmap.c: weft_custom_vmap: the function traced apart is the region of a CUSTOM_VMAP; the rule is
 * traced when a vmap meets that op, for only then is the batch known.
 *
 * The op's number is the address of a Call, which outlives every graph: whose rule it is, and the structure
 * of the call. What the function met besides its arguments is not handed to the rule, which meets it itself:
 * concrete arrays become constants there, traced values of traces that still run are refused.
 */
#include "custom_vmap.h"
#include "custom.h"
#include <string.h>
#include "weft/rules.h"

typedef struct Call {
    const Function *f; /* the transform */
    uint32_t n_leaves, n_words, n_out_words, unused;
    uint64_t words[]; /* of the arguments, then of the results */
} Call;

/* ---- at the call ---- */

static const Call *call_of(const Function *f, Local *l, const Flat *in, const Flat *results)
{
    size_t bytes = sizeof(Call) + ((size_t)in->n_words + results->n_words) * sizeof(uint64_t);
    Call *c = memory_alloc(&l->ctx->memory, bytes);
    if (!c) return NULL;
    *c = (Call){ .f = f, .n_leaves = in->n_leaves, .n_words = in->n_words, .n_out_words = results->n_words };
    if (in->n_words) memcpy(c->words, in->word, in->n_words * sizeof *c->words);
    if (results->n_words) memcpy(c->words + in->n_words, results->word, results->n_words * sizeof *c->words);
    const Call *kept = fn_intern(l->ctx, c, bytes);
    memory_free(&l->ctx->memory, c, bytes);
    return kept;
}

static bool build_op(const Step *s, const Call *call, Ref *results)
{
    Trace *t = s->l->trace;
    Arena *a = &t->arena;
    const Graph *callee = step_graph(s);
    uint32_t n = callee->n_params, n_leaves = s->in->n_leaves;
    if (setjmp(t->guard.env)) return control_memory(s->f, s->l);
    t->graph->loc = graph_loc(t->graph, s->f->at);
    Ref *args = arena_alloc(a, (n + 1) * sizeof *args);
    for (uint32_t i = 0; i < n; i++)
        args[i] = i < n_leaves ? control_leaf(s->l, s->in, i) : control_hidden(s->l, &s->trace, i - n_leaves);
    const Graph *region = graph_compact(a, callee);
    return build_ruled(t->graph, OP_CUSTOM_VMAP, (int64_t)(intptr_t)call, &region, 1, args, n, results) ||
           control_failed(s->f, s->l);
}

static bool give(const Step *s, Ref *results, Flat *out)
{
    const Call *call = call_of(s->f, s->l, s->in, &s->results);
    if (!call) return control_memory(s->f, s->l);
    uint32_t n = s->results.n_leaves;
    return (!n || build_op(s, call, results)) && call_results(s->f, s->l, results, n, out) &&
           (flat_words(out, s->results.word, s->results.n_words) || control_memory(s->f, s->l));
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Memory *m = &l->ctx->memory;
    Step s;
    bool good = step_open(&s, f, l, in, NULL) && step_trace(&s, f->base);
    size_t bytes = (s.results.n_leaves + 1) * sizeof(Ref);
    Ref *results = good ? memory_alloc(m, bytes) : NULL;
    if (good && !results) good = control_memory(f, l);
    good = good && give(&s, results, out);
    if (results) memory_free(m, results, bytes);
    step_close(&s);
    return good;
}

/* ---- when it is mapped ---- */

/* As arguments it gets the leaves, not what the function met. */
static bool trace_rule(Apart *a, const Call *c, const Graph *dst, const Ref *args)
{
    if (!apart_add(a, NULL, 0, c->words, c->n_words)) return false;
    for (uint32_t i = 0; i < c->n_leaves; i++) {
        Type t = graph_type(dst, args[i]);
        if (!apart_add(a, &t, 1, NULL, 0)) return false;
    }
    return apart_trace(a, NULL);
}

static bool check_results(const Call *c, const Apart *a, int64_t size, Failure *f)
{
    char path[TREE_PATH], text[CONTROL_TEXT];
    TreeDifference d;
    const Signature *s = a->f->sig;
    if (tree_difference(&s->out, c->words + c->n_words, c->n_out_words, a->results.word, a->results.n_words,
                        &d))
        return fail(f, WEFT_TREE_MISMATCH,
                    "the batching rule %s must give what %s gives, but %s is %s here and %s there, so %s",
                    a->f->label, c->f->base->label, d.path, d.b, d.a, d.why);
    for (uint32_t i = 0; i < a->results.n_leaves; i++) {
        Type t = apart_result(a, i);
        if (t.rank && t.dim[0] == size) continue;
        return fail(
            f, WEFT_SHAPE,
            "the batching rule %s: result %s must have the batch of %lld as its first axis, but it is %s",
            a->f->label, call_out_path(a->f, &a->results, i, path, sizeof path), (long long)size,
            type_text(text, sizeof text, t));
    }
    return true;
}

static bool check_hidden(const Apart *a, Failure *f)
{
    for (uint32_t i = 0; i < a->trace.n_hidden; i++) {
        const weft_array *x = a->trace.hidden[i];
        if (x->state != ARRAY_TRACED) continue;
        const Graph *g = trace_of(x)->graph;
        const char *at = g->locs[graph_node(g, x->ref)->loc];
        return fail(f, WEFT_TRACED,
                    "the batching rule %s uses a traced value from around it%s%s: make it an argument",
                    a->f->label, at ? ", made at " : "", at ? at : "");
    }
    return true;
}

/* Concrete arrays that the rule met as constants; the running trace retains them, as an operand that nothing
 * uses. */
static bool build_rule(Trace *t, Graph *dst, const Apart *a, const Ref *args, Ref *results)
{
    Ref *hidden = arena_alloc(dst->arena, (a->trace.n_hidden + 1) * sizeof *hidden);
    for (uint32_t i = 0; i < a->trace.n_hidden; i++) {
        weft_array *x = a->trace.hidden[i];
        trace_ref(t, x);
        hidden[i] = build_constant(dst, array_own_type(x), x->data);
    }
    return apart_inline(dst, a, args, hidden, results);
}

static bool guarded_build(Trace *t, Graph *dst, const Apart *a, const Ref *args, Ref *results, Failure *f)
{
    Guard own, *of_dst = dst->arena->guard, *of_trace = t->arena.guard;
    volatile bool good = false;
    dst->arena->guard = t->arena.guard = &own;
    if (setjmp(own.env)) fail(f, WEFT_MEMORY, "out of memory");
    else if (!(good = build_rule(t, dst, a, args, results)))
        fail(f, dst->failure.code, "%s", dst->failure.text);
    dst->arena->guard = of_dst;
    t->arena.guard = of_trace;
    return good;
}

static bool map_rule(void *user, Graph *dst, int64_t rule, int64_t size, const Ref *args, uint32_t n_args,
                     Ref *results, Failure *f)
{
    Local *l = user;
    const Call *c = (const Call *)(intptr_t)rule;
    Apart a;
    (void)n_args;
    apart_open(&a, c->f->bases[1], l);
    bool traced = trace_rule(&a, c, dst, args);
    if (!traced)
        fail(f, l->error ? l->error : WEFT_ARGUMENT, "the batching rule %s failed", c->f->bases[1]->label);
    bool good = traced && check_results(c, &a, size, f) && check_hidden(&a, f) &&
                guarded_build(l->trace, dst, &a, args, results, f);
    apart_close(&a);
    return good;
}

VmapCaller custom_vmap_caller(Local *l) { return (VmapCaller){ map_rule, l }; }

/* ---- the transform ---- */

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    char text[768];
    Wanted *w = arena_alloc(a, sizeof *w);
    wanted_of(RULE_BATCH, f->sig, NULL, NULL, NULL, w);
    if (wanted_match(w, f->bases[1]->sig, false, NULL, NULL)) return true;
    return fail(failure, WEFT_ARGUMENT, "the rule must be declared as the function is:  %s",
                wanted_text(w, f->bases[1]->name, text, sizeof text));
}

static const FnRule vmap_rule = { "custom_vmap", prepare, stage };

weft_fn weft_custom_vmap_(weft_context *ctx, weft_fn f, weft_fn rule, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &vmap_rule,
                                         .bases = (weft_fn[]){ f, rule },
                                         .n_bases = 2,
                                         .who = "weft_custom_vmap",
                                         .at = at });
}
