/* checkpoint.c: weft_checkpoint as a transform: a CHECKPOINT op over the traced function. */
#include "control.h"
#include "weft/grad.h"

/* All leaves and hidden values are operands. */
static bool build(const Step *s, Ref *results)
{
    Trace *t = s->l->trace;
    const Graph *g = step_graph(s);
    if (setjmp(t->guard.env)) return control_memory(s->f, s->l);
    t->graph->loc = graph_loc(t->graph, s->f->at);
    t->body_runs += s->trace.body_runs;
    Ref *args = arena_alloc(&t->arena, (g->n_params + 1) * sizeof *args);
    for (uint32_t i = 0; i < g->n_params; i++)
        args[i] = i < s->in->n_leaves ? control_leaf(s->l, s->in, i)
                                      : control_hidden(s->l, &s->trace, i - s->in->n_leaves);
    return !g->n_outputs || build_ruled(t->graph, OP_CHECKPOINT, 0, &g, 1, args, g->n_params, results) ||
           control_failed(s->f, s->l);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Memory *m = &l->ctx->memory;
    Step s;
    bool good = step_open(&s, f, l, in, NULL) && step_trace(&s, f->base);
    size_t bytes = (s.results.n_leaves + 1) * sizeof(Ref);
    Ref *results = good ? memory_alloc(m, bytes) : NULL;
    if (good && !results) good = control_memory(f, l);
    good = good && build(&s, results) && call_results(f, l, results, s.results.n_leaves, out) &&
           (flat_words(out, s.results.word, s.results.n_words) || control_memory(f, l));
    if (results) memory_free(m, results, bytes);
    step_close(&s);
    return good;
}

static const FnRule checkpoint_rule = { .name = "checkpoint", .stage = stage };

weft_fn weft_checkpoint_(weft_context *ctx, weft_fn f, const char *at)
{
    return fn_derive(
        ctx, &(Derivation){
                 .rule = &checkpoint_rule, .bases = &f, .n_bases = 1, .who = "weft_checkpoint", .at = at });
}
