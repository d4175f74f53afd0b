/* custom_vmap.c: weft_custom_vmap: the function traced apart is the region of a CUSTOM_VMAP; the rule is
 * traced when a vmap meets that op, for only then is the batch known.
 *
 * The op's number is the address of a RuledCall, which outlives every graph: whose rule it is, and the
 * structure of the call. What the function met besides its arguments is not handed to the rule, which
 * meets it itself: concrete arrays become constants there, traced values of traces that still run are
 * refused.
 */
#include "custom_vmap.h"
#include "custom.h"
#include "runtime/transforms/staging.h"
#include <string.h>
#include "weft/rules.h"

typedef struct RuledCall {
    const Function *f; /* the transform */
    uint32_t n_leaves, n_words, n_out_words, unused;
    uint64_t words[]; /* of the arguments, then of the results */
} RuledCall;

/* ---- at the call ---- */

typedef struct VmapRuleCall {
    Staging s;
    const RuledCall *kept;
} VmapRuleCall;

static bool keep(VmapRuleCall *c)
{
    const Staging *s = &c->s;
    const Flat *in = s->in, *out = &s->callee.results;
    size_t bytes = sizeof(RuledCall) + ((size_t)in->n_words + out->n_words) * sizeof(uint64_t);
    RuledCall *r = stage_room(s->f, s->l, bytes, 1);
    if (!r) return false;
    *r = (RuledCall){
        .f = s->f, .n_leaves = in->n_leaves, .n_words = in->n_words, .n_out_words = out->n_words
    };
    if (in->n_words) memcpy(r->words, in->word, in->n_words * sizeof *r->words);
    if (out->n_words) memcpy(r->words + in->n_words, out->word, out->n_words * sizeof *r->words);
    c->kept = fn_intern(s->l->ctx, r, bytes);
    return c->kept || stage_memory(s->f, s->l);
}

static bool build(void *call, Ref *results)
{
    const VmapRuleCall *c = call;
    const Staging *s = &c->s;
    Graph *g = s->l->trace->graph;
    const Graph *callee = callee_graph(&s->callee);
    if (!callee->n_outputs) return true;
    const Ref *args = stage_operands(s->l, s->in, &s->callee, 0);
    const Graph *region = graph_compact(g->arena, callee);
    return build_ruled(g, OP_CUSTOM_VMAP, (int64_t)(intptr_t)c->kept, &region, 1, args, callee->n_params,
                       results);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    VmapRuleCall c;
    bool good = staging_open(&c.s, f, l, in) && staging_trace(&c.s) && keep(&c) &&
                stage_results(f, l, build, &c, &c.s.callee.results, out);
    callee_close(&c.s.callee);
    return good;
}

/* ---- when it is mapped ---- */

/* As arguments the rule gets the leaves, not what the function met. The running trace's guard is set, so its
 * arena is not used for lists. */
static bool trace_rule(Callee *rule, Local *l, const RuledCall *c, const Graph *dst, const Ref *args)
{
    Memory *m = &l->ctx->memory;
    const Function *f = c->f->bases[1];
    const Flat like = {
        .n_leaves = c->n_leaves, .word = (uint64_t *)(uintptr_t)c->words, .n_words = c->n_words, .memory = m
    };
    size_t bytes = (c->n_leaves + 1) * sizeof(Type);
    Type *types = memory_alloc(m, bytes);
    if (!types) return stage_memory(f, l);
    for (uint32_t i = 0; i < c->n_leaves; i++) types[i] = graph_type(dst, args[i]);
    bool good = callee_trace_call(rule, f, l, types, &like, NULL);
    memory_free(m, types, bytes);
    return good;
}

static bool check_results(const RuledCall *c, const Callee *rule, int64_t size, Failure *f)
{
    TreeDifference d;
    const Signature *s = rule->f->sig;
    if (tree_difference(&s->out, c->words + c->n_words, c->n_out_words, rule->results.word,
                        rule->results.n_words, &d))
        return fail(f, WEFT_TREE_MISMATCH,
                    "the batching rule %s must give what %s gives, but %s is %s here and %s there, so %s",
                    rule->f->label, c->f->base->label, d.path, d.b, d.a, d.why);
    for (uint32_t i = 0; i < rule->results.n_leaves; i++) {
        Type t = callee_result(rule, i);
        if (t.rank && t.dim[0] == size) continue;
        return fail(
            f, WEFT_SHAPE,
            "the batching rule %s: result %s must have the batch of %lld as its first axis, but it is %s",
            rule->f->label, STAGE_OUT(rule->f, &rule->results, i), (long long)size, STAGE_TYPE(t));
    }
    return true;
}

static bool check_hidden(const Callee *rule, Failure *f)
{
    for (uint32_t i = 0; i < rule->trace.n_hidden; i++) {
        const weft_array *x = rule->trace.hidden[i];
        if (x->state != ARRAY_TRACED) continue;
        const Graph *g = trace_of(x)->graph;
        const char *at = g->locs[graph_node(g, x->ref)->loc];
        return fail(f, WEFT_TRACED,
                    "the batching rule %s uses a traced value from around it%s%s: make it an argument",
                    rule->f->label, at ? ", made at " : "", at ? at : "");
    }
    return true;
}

/* Concrete arrays that the rule met as constants; the running trace retains them, as an operand that nothing
 * uses. */
static bool build_rule(Trace *t, Graph *dst, const Callee *rule, const Ref *args, Ref *results)
{
    Ref *hidden = stage_refs(dst->arena, rule->trace.n_hidden);
    for (uint32_t i = 0; i < rule->trace.n_hidden; i++) {
        weft_array *x = rule->trace.hidden[i];
        trace_ref(t, x);
        hidden[i] = build_constant(dst, array_own_type(x), x->data);
    }
    return callee_inline(dst, rule, args, hidden, results);
}

static bool guarded_build(Trace *t, Graph *dst, const Callee *rule, const Ref *args, Ref *results, Failure *f)
{
    Guard own, *of_dst = dst->arena->guard, *of_trace = t->arena.guard;
    volatile bool good = false;
    dst->arena->guard = t->arena.guard = &own;
    if (setjmp(own.env)) fail(f, WEFT_MEMORY, "out of memory");
    else if (!(good = build_rule(t, dst, rule, args, results)))
        fail(f, dst->failure.code, "%s", dst->failure.text);
    dst->arena->guard = of_dst;
    t->arena.guard = of_trace;
    return good;
}

static bool map_rule(void *user, Graph *dst, int64_t rule, int64_t size, const Ref *args, uint32_t n_args,
                     Ref *results, Failure *f)
{
    Local *l = user;
    const RuledCall *c = (const RuledCall *)(intptr_t)rule;
    Callee callee = { .traced = false };
    (void)n_args;
    if (!trace_rule(&callee, l, c, dst, args))
        return fail(f, l->error ? l->error : WEFT_ARGUMENT, "the batching rule %s failed",
                    c->f->bases[1]->label);
    bool good = check_results(c, &callee, size, f) && check_hidden(&callee, f) &&
                guarded_build(l->trace, dst, &callee, args, results, f);
    callee_close(&callee);
    return good;
}

VmapCaller custom_vmap_caller(Local *l) { return (VmapCaller){ map_rule, l }; }

/* ---- the transform ---- */

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    return rule_possible(f, a, RULE_BATCH, 1, failure);
}

static const FnRule vmap_rule = { "custom_vmap", prepare, stage };

weft_fn weft_custom_vmap_(weft_context *ctx, weft_fn f, weft_fn rule, const char *at)
{
    return fn_derive(
        ctx, &(Derivation){ .rule = &vmap_rule, .bases = (weft_fn[]){ f, rule }, .n_bases = 2, .at = at });
}
