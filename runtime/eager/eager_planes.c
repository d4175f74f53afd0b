/* eager_planes.c: an op on complex numbers, as what compiled code makes of it: a graph of the op alone, whose
 * complex values become pairs of real ones (compiler/planes/), node by node. Ops that only move elements need
 * none of it. */
#include "compiler/passes/inline_rules.h"
#include "compiler/planes/planes.h"
#include "eager.h"

static bool only_moves(Op op)
{
    OpKind kind = op_kind(op);
    return kind == OPKIND_SHAPE || op == OP_CONSTANT || op == OP_GATHER || op == OP_DYNAMIC_SLICE ||
           op == OP_DYNAMIC_UPDATE_SLICE || op == OP_STOP_GRADIENT || kind == OPKIND_OTHER ||
           op == OP_CUSTOM_JVP || op == OP_CUSTOM_VJP || op == OP_CUSTOM_VMAP || op == OP_CHECKPOINT;
}

bool eager_is_complex(const EagerCall *c)
{
    const NodeSpec *s = c->spec;
    if (only_moves(s->op)) return false;
    bool is = s->op == OP_REAL || s->op == OP_IMAG || dtype_is_complex((DType)c->out_types[0].dtype);
    for (uint32_t i = 0; i < s->n_args && !is; i++) is = dtype_is_complex((DType)c->arg_types[i].dtype);
    for (uint32_t k = 0; k < spec_n_regions(s) && !is; k++) is = planes_in_graph(spec_region(s, k));
    return is;
}

/* The op alone, over parameters; its results are the outputs. */
static const Graph *op_alone(Arena *a, const EagerCall *c)
{
    Graph *g = graph_new(a, NULL);
    NodeSpec s = *c->spec;
    Ref *args = graph_refs(a, s.n_args);
    for (uint32_t i = 0; i < s.n_args; i++) args[i] = build_param(g, c->arg_types[i]);
    s.args = args;
    Ref r = graph_add_raw(g, &s);
    if (r == REF_NONE) return fail_as(c->failure, &g->failure), NULL;
    uint32_t n = graph_node(g, r)->n_results;
    Ref *outputs = graph_refs(a, n);
    build_results(g, r, n, outputs);
    graph_set_outputs(g, outputs, n);
    return g;
}

static bool run(Arena *a, const EagerCall *c)
{
    Guard guard;
    a->guard = &guard;
    if (setjmp(guard.env)) return fail(c->failure, WEFT_MEMORY, "out of memory");
    const Graph *g = op_alone(a, c);
    if (g) g = inline_rules(a, g, c->failure);
    if (g) g = planes(a, g, true, c->failure);
    return g && eager_graph(g, c->args, c->outs, c->allocator, c->failure);
}

bool eager_planes(const EagerCall *c)
{
    Arena a;
    arena_init(&a, c->allocator, NULL);
    bool done = run(&a, c);
    arena_free(&a);
    return done;
}
