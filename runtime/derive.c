/* derive.c: derivatives as transforms; see derive.h and weft/grad.h.
 *
 * prepare reads by what is differentiated, lists what the new function takes and gives as flows (a result of f, a tangent of a part, ...), and compares that with its
 * signature. stage traces f apart, marks the leaves that are active, adds the derivative of the graph to the running trace, and hands out its outputs as the flows say.
 */
#include "derive.h"
#include "compiler/derive/jacobian.h"
#include "compiler/derive/jvp.h"
#include "compiler/derive/transpose.h"
#include "compiler/derive/vjp.h"
#include "custom_vmap.h"
#include "op.h"
#include <string.h>

/* What prepare made of a rule's text. */
typedef struct Derive {
    weft_derivative how;
    Wrt wrt;
    size_t kept;                    /* the new function's arguments that are f's; extra ones behind them: */
    Flows ins;
    Flow *out;                      /* of each field of its results */
} Derive;

/* One call. All lists are of the running trace's arena. */
typedef struct Call {
    const Function *f;
    const Derive *d;
    Local *l;
    const Flat *in;
    Flat base;                      /* what of in f gets; borrowed */
    Step step;
    TreeRange *from, *to;           /* where the arguments lie in in; the results of f in what it gave */
    PartRange *part;
    bool *active;                   /* [parameters of f's graph] */
    Ref *args;                      /* [parameters of f's graph, tangents and cotangents]: of the running trace */
    Ref *result, *of_result;        /* [results of f]: values; tangents, REF_NONE: none */
    Ref *of_leaf;                   /* [leaves of f]: derivatives by them, REF_NONE: none */
    Ref *matrix;                    /* [parts (parts)] */
    Ref *out; uint32_t n_out;
} Call;

/* ---- making them ---- */

static bool fail_result(const Function *f, const char *what, Failure *failure)
{
    return fail(failure, WEFT_ARGUMENT, "%s of %s: %s", f->rule->name, f->base->label, what);
}

static uint32_t first_result(const Signature *s)
{
    uint32_t o = 0;
    while (o < s->out.fields && s->in_of_out[o] >= 0) o++;
    return o;
}

/* What is derived must be one array: the first result that is no in-out. */
static bool one_result(const Function *f, Failure *failure)
{
    const Signature *s = f->base->sig;
    uint32_t o = first_result(s);
    if (o == s->out.fields) return fail_result(f, "it has no result that is no in-out, and so nothing to differentiate; weft_jvp and weft_vjp can", failure);
    return !s->out.field[o].tree || fail_result(f, "its first result is a struct, not an array; weft_jvp and weft_vjp can", failure);
}

static bool array_parts(const Function *f, const Wrt *w, Failure *failure)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->part[i].tree) return fail(failure, WEFT_ARGUMENT, "%s of %s: %s is a struct %s: name its arrays, each has a derivative of its own", f->rule->name, f->base->label,
                                         w->part[i].path, w->part[i].tree->name);
    return true;
}

static bool no_inouts(const Function *f, Failure *failure)
{
    const Signature *s = f->base->sig;
    for (size_t o = 0; o < s->out.fields; o++)
        if (s->in_of_out[o] >= 0) return fail_result(f, "it has an in-out struct; here arguments are const, and results WEFT_OUT", failure);
    return true;
}

static const char *result_name(Arena *a, const Signature *s, uint32_t o)
{
    return s->returns && o == 0 ? "value" : arena_printf(a, "%s", s->out.field[o].name);
}

/* f's results but for the in-outs, from this one on. */
static void add_results(Flows *to, const Signature *s, uint32_t from)
{
    for (uint32_t o = from; o < s->out.fields; o++)
        if (s->in_of_out[o] < 0) flows_add(to, (Flow){ .kind = FLOW_RESULT, .index = o, .name = result_name(to->arena, s, o) });
}

/* A tangent or cotangent of each of f's results. */
static void add_of_results(Flows *to, const Signature *s, const char *prefix)
{
    for (uint32_t o = 0; o < s->out.fields; o++)
        flows_add(to, (Flow){ .kind = FLOW_OF_RESULT, .index = o, .name = arena_printf(to->arena, "%s%s", prefix, result_name(to->arena, s, o)) });
}

static void add_parts(Flows *to, const Wrt *w, const char *prefix)
{
    for (uint32_t i = 0; i < w->n; i++) flows_add(to, (Flow){ .kind = FLOW_OF_PART, .index = i, .name = arena_printf(to->arena, "%s%s", prefix, w->part[i].path) });
}

static void add_matrices(Flows *to, const Wrt *w, bool hessian)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < (hessian ? w->n : 1); k++)
            flows_add(to, (Flow){ .kind = FLOW_MATRIX, .index = i, .other = k, .name = hessian ? arena_printf(to->arena, "h_%s_%s", w->part[i].path, w->part[k].path)
                                                                                               : arena_printf(to->arena, "j_%s", w->part[i].path) });
}

/* weft/grad.h's list of what each takes and gives. */
static void list_flows(weft_derivative how, const Signature *s, const Wrt *w, Flows *ins, Flows *outs)
{
    uint32_t aux = first_result(s) + 1;
    switch (how) {
    case WEFT_GRAD:             add_parts(outs, w, "d"); add_results(outs, s, aux); break;
    case WEFT_VALUE_AND_GRAD:   add_results(outs, s, 0); add_parts(outs, w, "d"); break;
    case WEFT_JVP:              add_parts(ins, w, "d"); add_results(outs, s, 0); add_of_results(outs, s, "d"); break;
    case WEFT_VJP:              add_of_results(ins, s, "ct_"); add_results(outs, s, 0); add_parts(outs, w, "ct_"); break;
    case WEFT_TRANSPOSE_LINEAR: add_of_results(ins, s, "ct_"); add_parts(outs, w, "ct_"); break;
    case WEFT_HVP:              add_parts(ins, w, "v_"); add_parts(outs, w, "hv_"); add_results(outs, s, aux); break;
    default:                    add_matrices(outs, w, how == WEFT_HESSIAN); add_results(outs, s, aux);
    }
}

static bool allowed(const Function *f, weft_derivative how, const Wrt *w, Failure *failure)
{
    bool matrix = how == WEFT_JACFWD || how == WEFT_JACREV || how == WEFT_HESSIAN;
    if (how == WEFT_TRANSPOSE_LINEAR) return no_inouts(f, failure);
    if (how != WEFT_JVP && how != WEFT_VJP && !one_result(f, failure)) return false;
    return !matrix || array_parts(f, w, failure);
}

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    Derive *d = f->data = arena_alloc(a, sizeof *d);
    Flows outs = { .arena = a };
    *d = (Derive){ .how = (weft_derivative)f->numbers[0], .kept = f->base->sig->in.fields, .ins.arena = a };
    if (!wrt_parse(a, f->text, f->base, &d->wrt, failure) || !allowed(f, d->how, &d->wrt, failure)) return false;
    list_flows(d->how, f->base->sig, &d->wrt, &d->ins, &outs);
    return derive_match(f, a, &d->wrt, d->kept, &d->ins, &outs, &d->out, failure);
}

/* ---- a call: what lies where ---- */

static bool is_float(Type t) { return dtype_is_float((DType)t.dtype); }

/* Of the running trace's arena; NULL: out of memory, error set. Only for what is asked for before the derivative is built. */
static void *room(const Call *c, size_t n, size_t bytes)
{
    Trace *t = c->l->trace;
    if (!setjmp(t->guard.env)) return arena_alloc(&t->arena, (n + 1) * bytes);
    control_memory(c->f, c->l);
    return NULL;
}

static bool call_open(Call *c)
{
    const Wrt *w = &c->d->wrt;
    Failure failure = { .code = WEFT_OK };
    Memory *m = &c->l->ctx->memory;
    const weft_tree *in = &c->f->sig->in;
    c->from = room(c, in->fields, sizeof *c->from);
    c->part = c->from ? room(c, w->n, sizeof *c->part) : NULL;
    if (!c->part) return false;
    if (!tree_ranges(in, m, c->in->word, c->in->n_words, c->from)) return control_memory(c->f, c->l);
    c->base = *c->in;
    c->base.n_leaves = c->from[c->d->kept].leaf;
    c->base.n_words = c->from[c->d->kept].word;
    for (uint32_t i = 0; i < w->n; i++) {
        if (wrt_find(&w->part[i], &c->f->base->sig->in, m, c->base.word, c->base.n_words, &c->part[i], &failure)) continue;
        return failure.code == WEFT_MEMORY ? control_memory(c->f, c->l) : control_error(c->f, c->l, failure.code, "%s", failure.text);
    }
    return step_open(&c->step, c->f->base, c->l, &c->base, NULL);
}

/* ---- a call: is it possible? ---- */

static bool argument_types(const Call *c)
{
    char path[TREE_PATH], text[CONTROL_TEXT];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->d->wrt.n; i++) {
        const PartRange *at = &c->part[i];
        Type t = c->step.type[at->leaf];
        for (uint32_t k = at->leaf; k < at->leaf + at->n_leaves; k++) n += is_float(c->step.type[k]);
        if (c->d->wrt.part[i].tree || is_float(t)) continue;
        return control_error(c->f, c->l, WEFT_DTYPE, "%s requires real-valued inputs, that is floats, but argument %s is %s", c->f->rule->name,
                             call_in_path(c->f->base, &c->base, at->leaf, path, sizeof path), type_text(text, sizeof text, t));
    }
    return n || control_error(c->f, c->l, WEFT_DTYPE, "%s holds no array of floats: there is nothing to differentiate by", c->d->wrt.part[0].path);
}

static bool same_type(Type a, Type b)
{
    return a.dtype == b.dtype && a.rank == b.rank && (!a.rank || !memcmp(a.dim, b.dim, a.rank * sizeof *a.dim));
}

/* Argument number e of the extra ones, whose leaves begin here, against n leaves of these types, of which `of` tells the name. */
static bool same_types(const Call *c, uint32_t e, uint32_t n, const Type *types, const char *what, const char *(*of)(const Call *, uint32_t leaf, char *buf), uint32_t first)
{
    uint32_t at = c->from[c->d->kept + e].leaf;
    char path[TREE_PATH], other[TREE_PATH], a[CONTROL_TEXT], b[CONTROL_TEXT];
    for (uint32_t k = 0; k < n; k++) {
        Type t = array_type(c->in->leaf[at + k]);
        if (same_type(t, types[k])) continue;
        return control_error(c->f, c->l, t.dtype != types[k].dtype ? WEFT_DTYPE : WEFT_SHAPE, "%s %s is %s, but must be %s, as %s is", what,
                             call_in_path(c->f, c->in, at + k, path, sizeof path), type_text(a, sizeof a, t), type_text(b, sizeof b, types[k]), of(c, first + k, other));
    }
    return true;
}

static bool same_structure(const Call *c, uint32_t e, const weft_tree *tree, const uint64_t *words, uint32_t n, const char *what, const char *as)
{
    const TreeRange *r = &c->from[c->d->kept + e];
    TreeDifference d;
    if (!tree || !tree_difference(tree, words, n, c->in->word + r[0].word, r[1].word - r[0].word, &d)) return true;
    return control_error(c->f, c->l, WEFT_TREE_MISMATCH, "%s %s must have the structure of %s, but %s is %s in this and %s in that, so %s", what,
                         c->f->sig->in.field[c->d->kept + e].name, as, d.path, d.b, d.a, d.why);
}

static const char *argument_name(const Call *c, uint32_t leaf, char *buf)
{
    return call_in_path(c->f->base, &c->base, leaf, buf, TREE_PATH);
}

static const char *result_leaf_name(const Call *c, uint32_t leaf, char *buf)
{
    return call_out_path(c->f->base, &c->step.results, leaf, buf, TREE_PATH);
}

/* Tangents of arguments have these's structure and types; the same for cotangents of results. */
static bool tangents_fit(const Call *c)
{
    for (uint32_t e = 0; e < c->d->ins.n; e++) {
        const Flow *w = &c->d->ins.flow[e];
        if (w->kind != FLOW_OF_PART) continue;
        const PartRange *at = &c->part[w->index];
        const Part *p = &c->d->wrt.part[w->index];
        if (!same_structure(c, e, p->tree, c->base.word + at->word, at->n_words, "tangent", p->path)
            || !same_types(c, e, at->n_leaves, c->step.type + at->leaf, "tangent", argument_name, at->leaf)) return false;
    }
    return true;
}

static bool cotangents_fit(const Call *c, const Type *types)
{
    const weft_tree *out = &c->f->base->sig->out;
    for (uint32_t e = 0; e < c->d->ins.n; e++) {
        const Flow *w = &c->d->ins.flow[e];
        if (w->kind != FLOW_OF_RESULT) continue;
        const TreeRange *r = &c->to[w->index];
        if (!same_structure(c, e, out->field[w->index].tree, c->step.results.word + r[0].word, r[1].word - r[0].word, "cotangent", out->field[w->index].name)
            || !same_types(c, e, r[1].leaf - r[0].leaf, types + r[0].leaf, "cotangent", result_leaf_name, r[0].leaf)) return false;
    }
    return true;
}

static bool one_float(const Call *c)
{
    const Graph *g = step_graph(&c->step);
    char path[TREE_PATH], text[CONTROL_TEXT];
    weft_derivative how = c->d->how;
    if (how == WEFT_JVP || how == WEFT_VJP || how == WEFT_TRANSPOSE_LINEAR) return true;
    uint32_t leaf = c->to[first_result(c->f->base->sig)].leaf;
    Type t = graph_type(g, g->outputs[leaf]);
    type_text(text, sizeof text, t);
    result_leaf_name(c, leaf, path);
    if (!is_float(t)) return control_error(c->f, c->l, WEFT_DTYPE, "%s requires real-valued outputs, that is floats, but result %s of %s is %s", c->f->rule->name, path, c->f->base->label, text);
    if (t.rank == 0 || how == WEFT_JACFWD || how == WEFT_JACREV || how == WEFT_HESSIAN) return true;
    return control_error(c->f, c->l, WEFT_SHAPE, "%s is only defined for scalar-output functions, but result %s of %s is %s: sum it (weft_sum, weft_mean), or use weft_vjp or weft_jacrev",
                         c->f->rule->name, path, c->f->base->label, text);
}

/* After the trace. */
static bool results_fit(Call *c)
{
    const Signature *s = c->f->base->sig;
    const Graph *g = step_graph(&c->step);
    Type *types = room(c, g->n_outputs, sizeof *types);
    if (!types || !(c->to = room(c, s->out.fields, sizeof *c->to))) return false;
    if (!tree_ranges(&s->out, &c->l->ctx->memory, c->step.results.word, c->step.results.n_words, c->to)) return control_memory(c->f, c->l);
    for (uint32_t i = 0; i < g->n_outputs; i++) types[i] = graph_type(g, g->outputs[i]);
    return one_float(c) && cotangents_fit(c, types);
}

/* ---- building; the running trace's guard is set ---- */

/* f's parameters as values of the running trace, which leaves are active, and lists for what comes out. */
static void place(Call *c)
{
    Trace *t = c->l->trace;
    Arena *a = &t->arena;
    const Graph *g = step_graph(&c->step);
    uint32_t n_leaves = c->base.n_leaves, n_parts = c->d->wrt.n;
    c->active = arena_alloc(a, g->n_params + 1);
    c->args = arena_alloc(a, (2 * (size_t)g->n_params + g->n_outputs + 1) * sizeof *c->args);
    c->result = arena_alloc(a, (g->n_outputs + 1) * sizeof *c->result);
    c->of_result = arena_alloc(a, (g->n_outputs + 1) * sizeof *c->of_result);
    c->of_leaf = arena_alloc(a, (n_leaves + 1) * sizeof *c->of_leaf);
    c->matrix = arena_alloc(a, ((size_t)n_parts * n_parts + 1) * sizeof *c->matrix);
    for (uint32_t i = 0; i < g->n_params; i++) c->args[i] = i < n_leaves ? control_leaf(c->l, &c->base, i) : control_hidden(c->l, &c->step.trace, i - n_leaves);
    for (uint32_t i = 0; i < n_parts; i++)
        for (uint32_t k = 0; k < c->part[i].n_leaves; k++) c->active[c->part[i].leaf + k] = is_float(c->step.type[c->part[i].leaf + k]);
    for (uint32_t i = 0; i < n_leaves; i++) c->of_leaf[i] = REF_NONE;
    for (uint32_t i = 0; i < g->n_outputs; i++) c->of_result[i] = REF_NONE;
}

/* Which outputs are floats, of these n. */
static bool *float_outputs(Arena *a, const Graph *g, uint32_t from)
{
    bool *of = arena_alloc(a, g->n_outputs + 1);
    for (uint32_t i = from; i < g->n_outputs; i++) of[i] = is_float(graph_type(g, g->outputs[i]));
    return of;
}

/* Where the leaf of the arguments, or of the results, is among the extra arguments. */
static Ref given_for(const Call *c, FlowKind kind, uint32_t leaf)
{
    for (uint32_t e = 0; e < c->d->ins.n; e++) {
        const Flow *w = &c->d->ins.flow[e];
        if (w->kind != kind) continue;
        uint32_t first = kind == FLOW_OF_PART ? c->part[w->index].leaf : c->to[w->index].leaf;
        uint32_t end = kind == FLOW_OF_PART ? first + c->part[w->index].n_leaves : c->to[w->index + 1].leaf;
        if (leaf >= first && leaf < end) return control_leaf(c->l, c->in, c->from[c->d->kept + e].leaf + leaf - first);
    }
    return REF_NONE;
}

static void add_tangents(const Call *c, Ref *to)
{
    for (uint32_t i = 0; i < c->base.n_leaves; i++) if (c->active[i]) *to++ = given_for(c, FLOW_OF_PART, i);
}

static void add_cotangents(const Call *c, const bool *given, Ref *to)
{
    for (uint32_t i = 0; i < step_graph(&c->step)->n_outputs; i++) if (given[i]) *to++ = given_for(c, FLOW_OF_RESULT, i);
}

/* The derived graph's outputs in the running trace; NULL: it failed. */
static Ref *put_into_trace(const Call *c, const Graph *g, const Ref *args)
{
    Trace *t = c->l->trace;
    Ref *outputs = g ? arena_alloc(&t->arena, (g->n_outputs + 1) * sizeof *outputs) : NULL;
    return g && graph_inline(t->graph, g, args, outputs) ? outputs : NULL;
}

/* Of the outputs, first the results of f; what stands behind them is given back. NULL: there are none. */
static const Ref *take_results(const Call *c, const Ref *outputs)
{
    uint32_t n = step_graph(&c->step)->n_outputs;
    if (outputs) memcpy(c->result, outputs, n * sizeof *outputs);
    return outputs ? outputs + n : NULL;
}

/* Outputs that are derivatives by the active leaves. */
static bool take_by_leaves(const Call *c, const Ref *outputs)
{
    if (!outputs) return false;
    for (uint32_t i = 0; i < c->base.n_leaves; i++) if (c->active[i]) c->of_leaf[i] = *outputs++;
    return true;
}

/* The leaf that is derived, of those that differentiate one. */
static uint32_t derived(const Call *c) { return c->to[first_result(c->f->base->sig)].leaf; }

static bool derive_grad(const Call *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = step_graph(&c->step);
    bool *given = arena_alloc(a, g->n_outputs + 1);
    given[derived(c)] = true;
    c->args[g->n_params] = build_number(c->l->trace->graph, (DType)graph_type(g, g->outputs[derived(c)]).dtype, 1);
    return take_by_leaves(c, take_results(c, put_into_trace(c, vjp_graph(a, g, c->active, given, most, f), c->args)));
}

static bool derive_vjp(const Call *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = step_graph(&c->step);
    const bool *given = float_outputs(a, g, 0);
    add_cotangents(c, given, c->args + g->n_params);
    return take_by_leaves(c, take_results(c, put_into_trace(c, vjp_graph(a, g, c->active, given, most, f), c->args)));
}

static bool derive_jvp(const Call *c, Arena *a, Failure *f)
{
    const Graph *g = step_graph(&c->step);
    const bool *want = float_outputs(a, g, 0);
    add_tangents(c, c->args + g->n_params);
    const Ref *tangent = take_results(c, put_into_trace(c, jvp_graph(a, g, c->active, want, f), c->args));
    for (uint32_t i = 0; tangent && i < g->n_outputs; i++) if (want[i]) c->of_result[i] = *tangent++;
    return tangent != NULL;
}

/* The jvp of the gradient. */
static bool derive_hvp(const Call *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = step_graph(&c->step), *gradient = jacrev_graph(a, g, derived(c), c->active, most, NULL, f);
    if (!gradient) return false;
    add_tangents(c, c->args + g->n_params);
    const Ref *tangent = take_results(c, put_into_trace(c, jvp_graph(a, gradient, c->active, float_outputs(a, gradient, g->n_outputs), f), c->args));
    return tangent && take_by_leaves(c, tangent + gradient->n_outputs - g->n_outputs);
}

/* f with its parameters in another order, the active ones at the end, and only the results that are floats: transposed. */
static bool derive_transpose(const Call *c, Arena *a, Failure *f)
{
    const Graph *g = step_graph(&c->step);
    Graph *linear = graph_new(a, g->name);
    Ref *params = arena_alloc(a, (g->n_params + 1) * sizeof *params), *args = arena_alloc(a, (g->n_params + g->n_outputs + 1) * sizeof *args);
    Ref *outputs = arena_alloc(a, (g->n_outputs + 1) * sizeof *outputs);
    const bool *given = float_outputs(a, g, 0);
    uint32_t n_known = 0, n = 0;
    for (uint32_t i = 0; i < g->n_params; i++) {
        if (c->active[i]) continue;
        params[i] = build_param(linear, graph_type(g, g->params[i]));
        args[n_known++] = c->args[i];
    }
    for (uint32_t i = 0; i < g->n_params; i++) if (c->active[i]) params[i] = build_param(linear, graph_type(g, g->params[i]));
    if (!graph_inline(linear, g, params, outputs)) return fail(f, linear->failure.code, "%s", linear->failure.text);
    for (uint32_t i = 0; i < g->n_outputs; i++) if (given[i]) outputs[n++] = outputs[i];
    graph_set_outputs(linear, outputs, n);
    add_cotangents(c, given, args + n_known);
    return take_by_leaves(c, put_into_trace(c, transpose_graph(a, linear, n_known, f), args));
}

/* Which of the active leaves this part is, an array of floats. */
static uint32_t active_number(const Call *c, uint32_t part)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->part[part].leaf; i++) n += c->active[i];
    return n;
}

static bool derive_matrix(const Call *c, Arena *a, size_t most, Failure *f)
{
    const Graph *g = step_graph(&c->step), *first = NULL, *m = NULL;
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
            c->matrix[i * n + k] = outputs[before + (hessian ? active_number(c, i) * n + active_number(c, k) : active_number(c, i))];
    return outputs != NULL;
}

static bool derive(const Call *c, Arena *a, Failure *f)
{
    size_t most = c->l->ctx->options.memory_limit;
    switch (c->d->how) {
    case WEFT_GRAD: case WEFT_VALUE_AND_GRAD: return derive_grad(c, a, most, f);
    case WEFT_VJP:              return derive_vjp(c, a, most, f);
    case WEFT_JVP:              return derive_jvp(c, a, f);
    case WEFT_HVP:              return derive_hvp(c, a, most, f);
    case WEFT_TRANSPOSE_LINEAR: return derive_transpose(c, a, f);
    default:                    return derive_matrix(c, a, most, f);
    }
}

/* ---- handing out ---- */

/* Where the flow's leaves and words are counted: of a result, of a part, of one array. */
static PartRange range_of(const Call *c, const Flow *w)
{
    if (w->kind == FLOW_MATRIX) return (PartRange){ .n_leaves = 1 };
    if (w->kind == FLOW_OF_PART) return c->part[w->index];
    const TreeRange *r = &c->to[w->index];
    return (PartRange){ r[0].leaf, r[1].leaf - r[0].leaf, r[0].word, r[1].word - r[0].word };
}

/* Leaves without a derivative, of ints and bools, have zeros. */
static Ref leaf_of(const Call *c, const Flow *w, uint32_t leaf)
{
    const Graph *g = step_graph(&c->step);
    if (w->kind == FLOW_MATRIX) return c->matrix[w->index * c->d->wrt.n + w->other];
    if (w->kind == FLOW_RESULT) return c->result[leaf];
    Ref r = w->kind == FLOW_OF_PART ? c->of_leaf[leaf] : c->of_result[leaf];
    return r != REF_NONE ? r : build_splat(c->l->trace->graph, w->kind == FLOW_OF_PART ? c->step.type[leaf] : graph_type(g, g->outputs[leaf]), 0);
}

static void list_results(Call *c, Arena *a)
{
    size_t fields = c->f->sig->out.fields, n = 0;
    for (size_t o = 0; o < fields; o++) n += range_of(c, &c->d->out[o]).n_leaves;
    c->out = arena_alloc(a, (n + 1) * sizeof *c->out);
    for (size_t o = 0; o < fields; o++) {
        PartRange r = range_of(c, &c->d->out[o]);
        for (uint32_t k = 0; k < r.n_leaves; k++) c->out[c->n_out++] = leaf_of(c, &c->d->out[o], r.leaf + k);
    }
}

static bool build(Call *c)
{
    Trace *t = c->l->trace;
    Failure failure = { .code = WEFT_OK };
    if (setjmp(t->guard.env)) return control_memory(c->f, c->l);
    t->graph->loc = graph_loc(t->graph, c->f->at);
    place(c);
    if (derive(c, &t->arena, &failure)) {
        t->body_runs += c->step.trace.body_runs;
        list_results(c, &t->arena);
        return true;
    }
    if (failure.code == WEFT_OK) return control_failed(c->f, c->l);
    return *failure.text ? control_error(c->f, c->l, failure.code, "%s", failure.text) : control_memory(c->f, c->l);
}

static bool hand_out(const Call *c, Flat *out)
{
    if (!call_results(c->f, c->l, c->out, c->n_out, out)) return false;
    for (size_t o = 0; o < c->f->sig->out.fields; o++) {
        const Flow *w = &c->d->out[o];
        PartRange r = range_of(c, w);
        const uint64_t *words = w->kind == FLOW_OF_PART ? c->base.word : c->step.results.word;
        if (r.n_words && !flat_words(out, words + r.word, r.n_words)) return control_memory(c->f, c->l);
    }
    return true;
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Call c = { .f = f, .d = f->data, .l = l, .in = in };
    bool good = call_open(&c) && argument_types(&c) && tangents_fit(&c) && step_trace(&c.step, f->base) && results_fit(&c) && build(&c) && hand_out(&c, out);
    if (c.step.l) step_close(&c.step);
    return good;
}

/* ---- the public door ---- */

#define DERIVATIVES(D) \
    D(GRAD, grad) D(VALUE_AND_GRAD, value_and_grad) D(JVP, jvp) D(VJP, vjp) D(JACFWD, jacfwd) D(JACREV, jacrev) D(HESSIAN, hessian) D(HVP, hvp) \
    D(TRANSPOSE_LINEAR, transpose_linear)
#define RULE(how, name) [WEFT_##how] = { #name, prepare, stage },
#define WHO(how, name)  [WEFT_##how] = "weft_" #name,
static const FnRule rules[] = { DERIVATIVES(RULE) };
static const char *const who[] = { DERIVATIVES(WHO) };

weft_fn weft_derive_(weft_context *ctx, weft_derivative how, weft_fn f, const char *wrt, const char *text, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &rules[how], .bases = &f, .n_bases = 1, .text = wrt, .numbers = (int64_t[]){ how }, .n_numbers = 1, .signature = text,
                                         .who = who[how], .at = at });
}
