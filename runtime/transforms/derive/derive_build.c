/* derive_build.c: the derivative of the traced graph in the running trace: which of compiler/derive's graphs
 * it is, and which of its operands and outputs is what. */
#include "derive.h"
#include "compiler/derive/jacobian.h"
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/linearize/linearize.h"
#include "compiler/derive/transpose/transpose.h"
#include "compiler/derive/vjp.h"
#include "runtime/transforms/rules/custom_vmap.h"
#include "runtime/trace/op.h"

/* Which outputs are floats, from this one on. */
static bool *float_outputs(Arena *a, const Graph *g, uint32_t from)
{
    bool *of = arena_alloc(a, g->n_outputs + 1);
    for (uint32_t i = from; i < g->n_outputs; i++) of[i] = type_is_inexact(graph_type(g, g->outputs[i]));
    return of;
}

/* Where the leaf of the arguments, or of the results, is among the extra arguments. */
static Ref given_for(const DeriveCall *c, PartOf of, uint32_t leaf)
{
    for (size_t i = c->d->kept; i < c->f->sig->in.fields; i++) {
        WrtRange as = derive_range(c, c->d->in[i]);
        if (c->d->in[i].of == of && leaf >= as.leaf && leaf < as.leaf + as.n_leaves)
            return stage_leaf(c->l, c->in, c->from[i].leaf + leaf - as.leaf);
    }
    return REF_NONE;
}

static void add_tangents(const DeriveCall *c, Ref *to)
{
    for (uint32_t i = 0; i < c->base.n_leaves; i++)
        if (c->active[i]) *to++ = given_for(c, PART_WRT, i);
}

static void add_cotangents(const DeriveCall *c, const bool *given, Ref *to)
{
    for (uint32_t i = 0; i < callee_graph(&c->callee)->n_outputs; i++)
        if (given[i]) *to++ = given_for(c, PART_RESULT, i);
}

/* The derived graph's outputs in the running trace; NULL: it failed. */
static Ref *put_into_trace(const DeriveCall *c, const Graph *g, const Ref *args)
{
    Trace *t = c->l->trace;
    Ref *outputs = g ? arena_alloc(&t->arena, (g->n_outputs + 1) * sizeof *outputs) : NULL;
    return g && graph_inline(t->graph, g, args, outputs) ? outputs : NULL;
}

/* Of the outputs, first the results of f; what stands behind them is given back. NULL: there are none. */
static const Ref *take_results(const DeriveCall *c, const Ref *outputs)
{
    uint32_t n = callee_graph(&c->callee)->n_outputs;
    if (outputs) memcpy(c->result, outputs, n * sizeof *outputs);
    return outputs ? outputs + n : NULL;
}

/* Outputs that are derivatives by the active leaves. */
static bool take_by_leaves(const DeriveCall *c, const Ref *outputs)
{
    if (!outputs) return false;
    for (uint32_t i = 0; i < c->base.n_leaves; i++)
        if (c->active[i]) c->of_leaf[i] = *outputs++;
    return true;
}

/* Outputs that are tangents of the wanted results. */
static bool take_tangents(const DeriveCall *c, const bool *want, const Ref *outputs)
{
    if (!outputs) return false;
    for (uint32_t i = 0; i < callee_graph(&c->callee)->n_outputs; i++)
        if (want[i]) c->of_result[i] = *outputs++;
    return true;
}

/* The leaf that is derived, of those that differentiate one. */
static uint32_t derived(const DeriveCall *c) { return c->to[signature_result(c->f->base->sig, 0)].leaf; }

static bool derive_reverse(const DeriveCall *c, Arena *a, const bool *given, size_t most, Failure *f)
{
    const Graph *g = vjp_graph(a, callee_graph(&c->callee), c->active, given, most, f);
    return take_by_leaves(c, take_results(c, put_into_trace(c, g, c->args)));
}

static bool derive_grad(const DeriveCall *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = callee_graph(&c->callee);
    bool *given = arena_alloc(a, g->n_outputs + 1);
    given[derived(c)] = true;
    c->args[g->n_params] =
        build_number(c->l->trace->graph, (DType)graph_type(g, g->outputs[derived(c)]).dtype, 1);
    return derive_reverse(c, a, given, most, f);
}

static bool derive_vjp(const DeriveCall *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = callee_graph(&c->callee);
    const bool *given = float_outputs(a, g, 0);
    add_cotangents(c, given, c->args + g->n_params);
    return derive_reverse(c, a, given, most, f);
}

static bool derive_jvp(const DeriveCall *c, Arena *a, Failure *f)
{
    const Graph *g = callee_graph(&c->callee);
    const bool *want = float_outputs(a, g, 0);
    add_tangents(c, c->args + g->n_params);
    return take_tangents(c, want,
                         take_results(c, put_into_trace(c, jvp_graph(a, g, c->active, want, f), c->args)));
}

/* The jvp of the gradient. */
static bool derive_hvp(const DeriveCall *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = callee_graph(&c->callee),
                *gradient = jacrev_graph(a, g, derived(c), c->active, most, NULL, f);
    if (!gradient) return false;
    add_tangents(c, c->args + g->n_params);
    const Ref *tangent = take_results(
        c, put_into_trace(c, jvp_graph(a, gradient, c->active, float_outputs(a, gradient, g->n_outputs), f),
                          c->args));
    return tangent && take_by_leaves(c, tangent + gradient->n_outputs - g->n_outputs);
}

/* f with its parameters in another order, the active ones at the end, and only the results that are floats:
 * transposed. */
static bool derive_transpose(const DeriveCall *c, Arena *a, Failure *f)
{
    const Graph *g = callee_graph(&c->callee);
    Graph *linear = graph_new(a, g->name);
    Ref *params = stage_refs(a, g->n_params), *args = stage_refs(a, g->n_params + g->n_outputs);
    Ref *outputs = stage_refs(a, g->n_outputs);
    const bool *given = float_outputs(a, g, 0);
    uint32_t n_known = 0, n = 0;
    for (uint32_t i = 0; i < g->n_params; i++) {
        if (c->active[i]) continue;
        params[i] = build_param(linear, graph_type(g, g->params[i]));
        args[n_known++] = c->args[i];
    }
    for (uint32_t i = 0; i < g->n_params; i++)
        if (c->active[i]) params[i] = build_param(linear, graph_type(g, g->params[i]));
    if (!graph_inline(linear, g, params, outputs))
        return fail(f, linear->failure.code, "%s", linear->failure.text);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (given[i]) outputs[n++] = outputs[i];
    graph_set_outputs(linear, outputs, n);
    add_cotangents(c, given, args + n_known);
    return take_by_leaves(c, put_into_trace(c, transpose_graph(a, linear, n_known, f), args));
}

/* Which of the active leaves this part is, an array of floats. */
static uint32_t active_number(const DeriveCall *c, uint32_t part)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->part[part].leaf; i++) n += c->active[i];
    return n;
}

static bool derive_matrix(const DeriveCall *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = callee_graph(&c->callee), *first = NULL, *m = NULL;
    uint32_t n = c->d->wrt.n, before = 0;
    bool forward = c->d->how == WEFT_JACFWD, hessian = c->d->how == WEFT_HESSIAN;
    const VmapCaller caller = custom_vmap_caller(c->l);
    bool *want = arena_alloc(a, g->n_outputs + 1);
    want[derived(c)] = true;
    if (!forward) first = m = jacrev_graph(a, g, derived(c), c->active, most, &caller, f);
    if (forward) m = jacfwd_graph(a, g, c->active, want, &caller, f);
    else if (hessian && first) {
        m = jacfwd_graph(a, first, c->active, float_outputs(a, first, g->n_outputs), &caller, f);
        before = first->n_outputs - g->n_outputs;
    }
    const Ref *outputs = take_results(c, put_into_trace(c, m, c->args));
    for (uint32_t i = 0; outputs && i < n; i++)
        for (uint32_t k = 0; k < (hessian ? n : 1); k++)
            c->matrix[i * n + k] = outputs[before + (hessian ? active_number(c, i) * n + active_number(c, k)
                                                             : active_number(c, i))];
    return outputs != NULL;
}

/* The known half; its further outputs are the residuals. */
static bool derive_linearize(DeriveCall *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = callee_graph(&c->callee);
    Linearized lin;
    if (!linearize_graph(a, g, c->active, float_outputs(a, g, 0), most, &lin, f)) return false;
    c->residual = take_results(c, put_into_trace(c, lin.known, c->args));
    c->n_residuals = lin.n_residuals;
    return c->residual != NULL;
}

/* Are these residuals of that graph? They are if f computes what it computed when it was linearized. */
static bool same_residuals(const DeriveCall *c, const Linearized *lin, Failure *f)
{
    bool same = c->from[1].leaf == lin->n_residuals;
    for (uint32_t i = 0; same && i < lin->n_residuals; i++)
        same = type_equal(array_type(c->in->leaf[i]), graph_type(lin->linear, lin->linear->params[i]));
    return same || fail(f, WEFT_ARGUMENT,
                        "argument %s holds other residuals than %s has: what it computes has changed since, "
                        "or they were",
                        c->f->sig->in.field[0].name, c->f->base->label);
}

/* The linear half on the residuals, or its transpose. */
static bool derive_apply(const DeriveCall *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = callee_graph(&c->callee);
    const bool *want = float_outputs(a, g, 0);
    Linearized lin;
    if (!linearize_graph(a, g, c->active, want, most, &lin, f) || !same_residuals(c, &lin, f)) return false;
    Ref *args = stage_refs(a, lin.linear->n_params + g->n_outputs);
    for (uint32_t i = 0; i < lin.n_residuals; i++) args[i] = stage_leaf(c->l, c->in, i);
    if (c->d->how == WEFT_LINEAR_VJP) {
        add_cotangents(c, want, args + lin.n_residuals);
        return take_by_leaves(c, put_into_trace(c, transpose_graph(a, lin.linear, lin.n_residuals, f), args));
    }
    add_tangents(c, args + lin.n_residuals);
    return take_tangents(c, want, put_into_trace(c, lin.linear, args));
}

bool derive_build(DeriveCall *c)
{
    Arena *a = &c->l->trace->arena;
    Failure *f = &c->l->trace->graph->failure;
    size_t most = c->l->ctx->options.memory_limit;
    switch (c->d->how) {
    case WEFT_GRAD:
    case WEFT_VALUE_AND_GRAD:   return derive_grad(c, a, most, f);
    case WEFT_VJP:              return derive_vjp(c, a, most, f);
    case WEFT_JVP:              return derive_jvp(c, a, f);
    case WEFT_HVP:              return derive_hvp(c, a, most, f);
    case WEFT_TRANSPOSE_LINEAR: return derive_transpose(c, a, f);
    case WEFT_LINEARIZE:        return derive_linearize(c, a, most, f);
    case WEFT_LINEAR_JVP:
    case WEFT_LINEAR_VJP:       return derive_apply(c, a, most, f);
    default:                    return derive_matrix(c, a, most, f);
    }
}
