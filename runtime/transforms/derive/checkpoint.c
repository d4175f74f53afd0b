/* checkpoint.c: weft_checkpoint as a transform: a CHECKPOINT op over the traced function. */
#include "runtime/transforms/staging.h"
#include "weft/grad.h"

typedef struct CheckpointCall {
    Local *l;
    const Flat *in;
    Callee callee;
} CheckpointCall;

static bool build(void *call, Ref *results)
{
    const CheckpointCall *c = call;
    Trace *t = c->l->trace;
    const Graph *g = callee_graph(&c->callee);
    t->body_runs += c->callee.trace.body_runs;
    const Ref *args = stage_operands(c->l, c->in, &c->callee, 0);
    return !g->n_outputs || build_ruled(t->graph, OP_CHECKPOINT, 0, &g, 1, args, g->n_params, results);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    CheckpointCall c = { .l = l, .in = in };
    const Type *types = stage_types(f, l, in);
    bool good = types && callee_trace_call(&c.callee, f->base, l, types, in, in) &&
                stage_results(f, l, build, &c, &c.callee.results, out);
    callee_close(&c.callee);
    return good;
}

static const FnRule checkpoint_rule = { .name = "checkpoint", .stage = stage };

weft_fn weft_checkpoint_(weft_context *ctx, weft_fn f, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &checkpoint_rule, .bases = &f, .n_bases = 1, .at = at });
}
