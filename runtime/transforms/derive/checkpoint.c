/* checkpoint.c: weft_checkpoint as a transform: a CHECKPOINT op over the traced function. */
#include "runtime/transforms/staging.h"
#include "weft/grad.h"

static bool build(void *call, Ref *results)
{
    const Staging *s = call;
    Trace *t = s->l->trace;
    const Graph *g = callee_graph(&s->callee);
    t->body_runs += s->callee.trace.body_runs;
    const Ref *args = stage_operands(s->l, s->in, &s->callee, 0);
    return !g->n_outputs || build_ruled(t->graph, OP_CHECKPOINT, 0, &g, 1, args, g->n_params, results);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Staging s;
    bool good = staging_open(&s, f, l, in) && staging_trace(&s) &&
                stage_results(f, l, build, &s, &s.callee.results, out);
    callee_close(&s.callee);
    return good;
}

static const FnRule checkpoint_rule = { .name = "checkpoint", .stage = stage };

weft_fn weft_checkpoint_(weft_context *ctx, weft_fn f, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &checkpoint_rule, .bases = &f, .n_bases = 1, .at = at });
}
