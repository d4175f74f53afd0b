/* custom.c: weft_custom_jvp and weft_custom_vjp: the function and its rules are traced apart at the call, on
 * its types, and become the regions of one op; see custom.h.
 *
 * The operands are the call's leaves, then the hidden values of the function and of its rules. Tangents and
 * cotangents are of the float operands only: where a rule speaks of those of integers, zeros go in, and what
 * comes out is not looked at. Hidden values have a derivative of zero: for what only a rule uses that is
 * right (the rule says what the derivative is), for what the function itself uses a derivative would be lost,
 * so it is refused.
 */
#include "custom.h"
#include <string.h>
#include "runtime/trace/op.h"
#include "weft/rules.h"

enum { JVP_RULE = 0, FORWARD = 0, BACKWARD = 1, MOST_RULES = 2 };

typedef struct Rule {
    Apart a;
    RulePart in[SIGNATURE_MAX_PARAMS], out[SIGNATURE_MAX_PARAMS + 1];
} Rule;

typedef struct Custom {
    const Function *f; /* the transform; its bases are the function and the rules */
    Local *l;
    const Flat *in;
    Apart primal;
    Rule rule[MOST_RULES];
    int opened;
} Custom;

static const Function *function_of(const Custom *c) { return c->f->base; }
static const Signature *signature_of(const Custom *c) { return c->f->base->sig; }

/* ---- where parts come from: their leaves and words ---- */

/* results NULL: of the arguments */
typedef struct Source {
    const weft_tree *tree;
    const Flat *flat;
    const TreeRange *range;
    const Apart *results;
} Source;

static Source source_of(const Custom *c, RulePart p)
{
    const Apart *forward = &c->rule[FORWARD].a;
    switch (p.of) {
    case PART_ARGUMENT: return (Source){ &signature_of(c)->in, c->in, &c->primal.from[p.field], NULL };
    case PART_RESULT:
        return (Source){ &signature_of(c)->out, &c->primal.results, &c->primal.to[p.field], &c->primal };
    default: return (Source){ &forward->f->sig->out, &forward->results, &forward->to[p.field], forward };
    }
}

static uint32_t leaves_of(const Source *s) { return s->range[1].leaf - s->range[0].leaf; }

static Type type_of(const Custom *c, const Source *s, uint32_t k)
{
    uint32_t leaf = s->range[0].leaf + k;
    return s->results ? apart_result(s->results, leaf) : c->primal.type[leaf];
}

static bool has_derivative(const Custom *c, RulePart p, uint32_t k)
{
    Source s = source_of(c, p);
    return dtype_is_float((DType)type_of(c, &s, k).dtype);
}

/* ---- tracing ---- */

static bool open_primal(Custom *c)
{
    apart_open(&c->primal, function_of(c), c->l);
    if (!apart_add(&c->primal, NULL, 0, c->in->word, c->in->n_words)) return false;
    for (uint32_t i = 0; i < c->in->n_leaves; i++) {
        Type t = array_type(c->in->leaf[i]);
        if (!apart_add(&c->primal, &t, 1, NULL, 0)) return false;
    }
    return apart_trace(&c->primal, c->in);
}

/* Whole arguments or results that are one array of integers. */
static void find_integers(const Custom *c, PartOf of, size_t n, bool *integer)
{
    for (size_t i = 0; i < n; i++) {
        RulePart p = { (uint8_t)of, true, (int16_t)i };
        Source s = source_of(c, p);
        const weft_field *field = &s.tree->field[i];
        integer[i] = !field->tree && field->kind != WEFT_FIELD_STATIC && !has_derivative(c, p, 0);
    }
}

static bool misfit(const Custom *c, const Wanted *w, const Function *rule)
{
    char text[ERROR_TEXT / 2];
    return control_error(
        c->f, c->l, WEFT_ARGUMENT,
        "rule %s: for these arguments (arrays of integers have no derivative) it must be declared as  %s",
        rule->label, wanted_text(w, rule->name, text, sizeof text));
}

/* Which of the two signatures it can have the rule has. */
static bool match_rule(Custom *c, RuleKind kind, Rule *r, const Function *rule)
{
    const Signature *f = signature_of(c), *forward = kind == RULE_BACKWARD ? c->rule[FORWARD].a.f->sig : NULL;
    bool in[SIGNATURE_MAX_PARAMS + 1], out[SIGNATURE_MAX_PARAMS + 2];
    Wanted *w = memory_alloc(&c->l->ctx->memory, sizeof *w);
    if (!w) return control_memory(c->f, c->l);
    find_integers(c, PART_ARGUMENT, f->in.fields, in);
    find_integers(c, PART_RESULT, f->out.fields, out);
    wanted_of(kind, f, forward, NULL, NULL, w);
    bool good = wanted_match(w, rule->sig, false, r->in, r->out);
    if (!good) {
        wanted_of(kind, f, forward, in, out, w);
        good = wanted_match(w, rule->sig, false, r->in, r->out) || misfit(c, w, rule);
    }
    memory_free(&c->l->ctx->memory, w, sizeof *w);
    return good;
}

static bool add_part(Custom *c, Rule *r, RulePart p)
{
    Source s = source_of(c, p);
    if (!apart_add(&r->a, NULL, 0, s.flat->word + s.range[0].word, s.range[1].word - s.range[0].word))
        return false;
    for (uint32_t k = 0; k < leaves_of(&s); k++) {
        Type t = type_of(c, &s, k);
        if (!apart_add(&r->a, &t, 1, NULL, 0)) return false;
    }
    return true;
}

/* ---- what a rule gives ---- */

static const char *kind_of(const Custom *c, RulePart p)
{
    if (!p.d) return p.of == PART_ARGUMENT ? "argument" : "result";
    if (c->f->n_bases == 2)
        return p.of == PART_ARGUMENT ? "the tangent of argument" : "the tangent of result";
    return p.of == PART_ARGUMENT ? "the cotangent of argument" : "the cotangent of result";
}

static bool check_structure(const Custom *c, const Rule *r, size_t field, const Source *s)
{
    const Apart *a = &r->a;
    RulePart p = r->out[field];
    weft_tree part = {
        .name = s->tree->name, .bytes = s->tree->bytes, .fields = 1, .field = &s->tree->field[p.field]
    };
    const TreeRange *to = &a->to[field];
    TreeDifference d;
    if (!part.field->tree ||
        !tree_difference(&part, s->flat->word + s->range[0].word, s->range[1].word - s->range[0].word,
                         a->results.word + to[0].word, to[1].word - to[0].word, &d))
        return true;
    return control_error(
        c->f, c->l, WEFT_TREE_MISMATCH,
        "rule %s: %s %s must have the structure of the %s, but %s is %s there and %s here, so %s",
        a->f->label, kind_of(c, p), part.field->name,
        p.of == PART_ARGUMENT ? "argument"
        : p.d                 ? "result"
                              : "function's result",
        d.path, d.a, d.b, d.why);
}

static bool check_field(const Custom *c, const Rule *r, size_t field)
{
    RulePart p = r->out[field];
    Source s = source_of(c, p);
    if (p.of == PART_KEPT) return true;
    if (!check_structure(c, r, field, &s)) return false;
    for (uint32_t k = 0; k < leaves_of(&s); k++) {
        char path[TREE_PATH], seen[CONTROL_TEXT], want[CONTROL_TEXT];
        Type is = apart_result(&r->a, r->a.to[field].leaf + k), should = type_of(c, &s, k);
        if (type_equal(is, should) || (p.d && !dtype_is_float((DType)should.dtype))) continue;
        uint32_t leaf = s.range[0].leaf + k;
        if (p.of == PART_ARGUMENT) call_in_path(function_of(c), c->in, leaf, path, sizeof path);
        else call_out_path(function_of(c), &c->primal.results, leaf, path, sizeof path);
        return control_error(c->f, c->l, is.dtype != should.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                             "rule %s: %s %s must be %s, %s, but it is %s", r->a.f->label, kind_of(c, p),
                             path, type_text(want, sizeof want, should),
                             p.d ? p.of == PART_ARGUMENT ? "as the argument is" : "as the result is"
                                 : "as the function gives it",
                             type_text(seen, sizeof seen, is));
    }
    return true;
}

static bool trace_rule(Custom *c, RuleKind kind, int number)
{
    Rule *r = &c->rule[number];
    const Function *rule = c->f->bases[number + 1];
    apart_open(&r->a, rule, c->l);
    c->opened = number + 1;
    if (!match_rule(c, kind, r, rule)) return false;
    for (size_t i = 0; i < rule->sig->in.fields; i++)
        if (!add_part(c, r, r->in[i])) return false;
    if (!apart_trace(&r->a, NULL)) return false;
    for (size_t o = 0; o < rule->sig->out.fields; o++)
        if (!check_field(c, r, o)) return false;
    return true;
}

/* ---- building; the running trace's guard is set and nothing is called ---- */

/* Values that parts stand for in a region: by leaf, those of arguments, results and what was kept;
 * derivatives by number among the floats. */
typedef struct Values {
    const Ref *argument, *argument_d, *result_d, *kept;
    const uint32_t *argument_float, *result_float;
} Values;

/* The rule's leaves, from what a region has. A derivative of integers is zero. */
static Ref *rule_leaves(Graph *g, const Custom *c, const Rule *r, const Values *v)
{
    Ref *leaf = arena_alloc(g->arena, (r->a.in.n_leaves + 1) * sizeof *leaf);
    for (size_t i = 0; i < r->a.f->sig->in.fields; i++) {
        RulePart p = r->in[i];
        Source s = source_of(c, p);
        for (uint32_t k = 0; k < leaves_of(&s); k++) {
            uint32_t from = s.range[0].leaf + k, to = r->a.from[i].leaf + k;
            if (p.of == PART_KEPT) leaf[to] = v->kept[from];
            else if (!p.d) leaf[to] = v->argument[from];
            else if (!has_derivative(c, p, k)) leaf[to] = build_splat(g, type_of(c, &s, k), 0);
            else
                leaf[to] = p.of == PART_ARGUMENT ? v->argument_d[v->argument_float[from]]
                                                 : v->result_d[v->result_float[from]];
        }
    }
    return leaf;
}

/* Where the rule's results go: whole results and what is kept by leaf, derivatives by number among the
 * floats. */
static void place_results(const Custom *c, const Rule *r, const Ref *results, const uint32_t *floats,
                          Ref *whole, Ref *d)
{
    for (size_t o = 0; o < r->a.f->sig->out.fields; o++) {
        RulePart p = r->out[o];
        Source s = source_of(c, p);
        for (uint32_t k = 0; k < leaves_of(&s); k++) {
            Ref value = results[r->a.to[o].leaf + k];
            uint32_t at = s.range[0].leaf + k;
            if (!p.d) {
                if (p.of == PART_RESULT) whole[at] = value;
            } else if (floats[at] != UINT32_MAX) d[floats[at]] = value;
        }
    }
}

/* Numbers the results that have a derivative; how many. */
static uint32_t number_floats(const Custom *c, uint32_t *floats)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->primal.results.n_leaves; i++)
        floats[i] = dtype_is_float((DType)apart_result(&c->primal, i).dtype) ? n++ : UINT32_MAX;
    return n;
}

static Graph *primal_region(Arena *a, const Custom *c, const OpArgs *o, uint32_t hidden)
{
    Ref *params = arena_alloc(a, (o->n + 1) * sizeof *params),
        *results = arena_alloc(a, (c->primal.results.n_leaves + 1) * sizeof *results);
    Graph *g = op_region(a, function_of(c)->name, o, params);
    if (!apart_inline(g, &c->primal, params, params + hidden, results)) return NULL;
    graph_set_outputs(g, results, c->primal.results.n_leaves);
    return g;
}

/* Operands, tangents -> results, tangents. */
static Graph *jvp_region(Arena *a, const Custom *c, const OpArgs *o, uint32_t hidden)
{
    const Rule *r = &c->rule[JVP_RULE];
    uint32_t n = c->primal.results.n_leaves, *floats = arena_alloc(a, (n + 1) * sizeof *floats),
             n_floats = number_floats(c, floats);
    Ref *params = arena_alloc(a, ((size_t)o->n + o->n_floats + 1) * sizeof *params),
        *results = arena_alloc(a, (r->a.results.n_leaves + 1) * sizeof *results);
    Ref *outputs = arena_alloc(a, ((size_t)n + n_floats + 1) * sizeof *outputs);
    Graph *g = op_region(a, r->a.f->name, o, params);
    for (uint32_t i = 0; i < o->n; i++)
        if (o->floats[i] != UINT32_MAX) params[o->n + o->floats[i]] = build_param(g, o->type[i]);
    Values v = { .argument = params, .argument_d = params + o->n, .argument_float = o->floats };
    if (!apart_inline(g, &r->a, rule_leaves(g, c, r, &v), params + hidden, results)) return NULL;
    place_results(c, r, results, floats, outputs, outputs + n);
    graph_set_outputs(g, outputs, n + n_floats);
    return g;
}

/* Operands -> results, what the forward rule keeps, what the backward rule met. */
static Graph *forward_region(Arena *a, const Custom *c, const OpArgs *o, uint32_t hidden, uint32_t met)
{
    const Rule *r = &c->rule[FORWARD];
    uint32_t n = c->primal.results.n_leaves, n_all = r->a.results.n_leaves,
             n_met = c->rule[BACKWARD].a.trace.n_hidden;
    Ref *params = arena_alloc(a, (o->n + 1) * sizeof *params),
        *results = arena_alloc(a, (n_all + 1) * sizeof *results);
    Ref *outputs = arena_alloc(a, ((size_t)n_all + n_met + 1) * sizeof *outputs);
    Graph *g = op_region(a, r->a.f->name, o, params);
    Values v = { .argument = params, .argument_float = o->floats };
    if (!apart_inline(g, &r->a, rule_leaves(g, c, r, &v), params + hidden, results)) return NULL;
    place_results(c, r, results, NULL, outputs, NULL);
    for (size_t i = 0; i < r->a.f->sig->out.fields; i++)
        for (uint32_t k = r->a.to[i].leaf; r->out[i].of == PART_KEPT && k < r->a.to[i + 1].leaf; k++)
            outputs[n++] = results[k];
    for (uint32_t i = 0; i < n_met; i++) outputs[n++] = params[met + i];
    graph_set_outputs(g, outputs, n);
    return g;
}

/* What was kept and met, cotangents of results -> cotangents of operands: of hidden ones zeros. */
static Graph *backward_region(Arena *a, const Custom *c, const OpArgs *o, const Graph *forward)
{
    const Rule *r = &c->rule[BACKWARD];
    const Apart *kept = &c->rule[FORWARD].a;
    uint32_t n = c->primal.results.n_leaves, n_kept = forward->n_outputs - n, n_met = r->a.trace.n_hidden,
             *floats = arena_alloc(a, (n + 1) * sizeof *floats);
    Graph *g = graph_new(a, r->a.f->name);
    Ref *params = arena_alloc(a, ((size_t)n_kept + n + 1) * sizeof *params),
        *by_leaf = arena_alloc(a, (kept->results.n_leaves + 1) * sizeof *by_leaf);
    Ref *results = arena_alloc(a, (r->a.results.n_leaves + 1) * sizeof *results),
        *outputs = arena_alloc(a, (o->n_floats + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < n_kept; i++)
        params[i] = build_param(g, graph_type(forward, forward->outputs[n + i]));
    number_floats(c, floats);
    for (uint32_t i = 0; i < n; i++)
        if (floats[i] != UINT32_MAX) params[n_kept + floats[i]] = build_param(g, apart_result(&c->primal, i));
    for (size_t i = 0, at = 0; i < kept->f->sig->out.fields; i++)
        for (uint32_t k = kept->to[i].leaf;
             c->rule[FORWARD].out[i].of == PART_KEPT && k < kept->to[i + 1].leaf; k++)
            by_leaf[k] = params[at++];
    Values v = { .result_d = params + n_kept, .kept = by_leaf, .result_float = floats };
    if (!apart_inline(g, &r->a, rule_leaves(g, c, r, &v), params + n_kept - n_met, results)) return NULL;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->floats[i] != UINT32_MAX)
            outputs[o->floats[i]] = i < c->in->n_leaves ? REF_NONE : build_splat(g, o->type[i], 0);
    place_results(c, r, results, o->floats, NULL, outputs);
    graph_set_outputs(g, outputs, o->n_floats);
    return g;
}

static bool build_op(const Custom *c, Ref *results)
{
    Trace *t = c->l->trace;
    Arena *a = &t->arena;
    if (setjmp(t->guard.env)) return control_memory(c->f, c->l);
    t->graph->loc = graph_loc(t->graph, c->f->at);
    bool jvp = c->opened == 1;
    uint32_t n_hidden =
        c->primal.trace.n_hidden + c->rule[0].a.trace.n_hidden + (jvp ? 0 : c->rule[1].a.trace.n_hidden);
    OpArgs o = op_args(c->l, c->in, n_hidden);
    uint32_t own = op_args_hidden(&o, c->l, &c->primal, true),
             first = op_args_hidden(&o, c->l, &c->rule[0].a, false);
    uint32_t second = jvp ? 0 : op_args_hidden(&o, c->l, &c->rule[1].a, false);
    const Graph *region[3] = { primal_region(a, c, &o, own) };
    region[1] = jvp ? jvp_region(a, c, &o, first) : forward_region(a, c, &o, first, second);
    region[2] = jvp || !region[1] ? NULL : backward_region(a, c, &o, region[1]);
    if (!region[0] || !region[1] || (!jvp && !region[2])) return control_failed(c->f, c->l);
    return build_ruled(t->graph, jvp ? OP_CUSTOM_JVP : OP_CUSTOM_VJP, 0, region, jvp ? 2 : 3, o.ref, o.n,
                       results) ||
           control_failed(c->f, c->l);
}

/* ---- a rule that calls the function again ---- */

enum { MOST_ORDERS = 3 };

/* How many of the running calls are those of rules. */
static int rules_around(const Function *f, const Local *l)
{
    int n = 0;
    for (const Frame *o = l->frame; o; o = o->outer)
        for (int k = 1; k < f->n_bases; k++) n += o->fn == f->bases[k];
    return n;
}

/* What the function computes, without rules: a derivative of that is of too high an order. */
static bool build_plain(const Custom *c, Ref *results)
{
    Trace *t = c->l->trace;
    uint32_t n = c->primal.in.n_leaves;
    if (setjmp(t->guard.env)) return control_memory(c->f, c->l);
    OpArgs o = op_args(c->l, c->in, c->primal.trace.n_hidden);
    op_args_hidden(&o, c->l, &c->primal, false);
    for (uint32_t i = 0; i < o.n; i++) o.ref[i] = op_refused(t->graph, o.ref[i], 2);
    return apart_inline(t->graph, &c->primal, o.ref, o.ref + n, results) || control_failed(c->f, c->l);
}

/* ---- the transforms ---- */

static bool run(Custom *c, Flat *out)
{
    Memory *m = &c->l->ctx->memory;
    bool jvp = c->f->n_bases == 2, plain = rules_around(c->f, c->l) >= MOST_ORDERS;
    if (!open_primal(c)) return false;
    if (!plain && (!trace_rule(c, jvp ? RULE_JVP : RULE_FORWARD, 0) ||
                   !(jvp || trace_rule(c, RULE_BACKWARD, BACKWARD))))
        return false;
    uint32_t n = c->primal.results.n_leaves;
    Ref *results = memory_alloc(m, (n + 1) * sizeof *results);
    if (!results) return control_memory(c->f, c->l);
    bool good = (!n || (plain ? build_plain(c, results) : build_op(c, results))) &&
                call_results(c->f, c->l, results, n, out);
    memory_free(m, results, (n + 1) * sizeof *results);
    return good &&
           (flat_words(out, c->primal.results.word, c->primal.results.n_words) || control_memory(c->f, c->l));
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Custom *c = memory_alloc(&l->ctx->memory, sizeof *c);
    if (!c) return control_memory(f, l);
    c->f = f, c->l = l, c->in = in;
    bool good = run(c, out);
    for (int i = 0; i < c->opened; i++) apart_close(&c->rule[i].a);
    apart_close(&c->primal);
    memory_free(&l->ctx->memory, c, sizeof *c);
    return good;
}

static bool possible(Function *f, Arena *a, RuleKind kind, int base, Failure *failure)
{
    char text[768];
    const Signature *forward = kind == RULE_BACKWARD ? f->bases[1]->sig : NULL;
    Wanted *w = arena_alloc(a, sizeof *w);
    wanted_of(kind, f->sig, forward, NULL, NULL, w);
    if (wanted_match(w, f->bases[base]->sig, true, NULL, NULL)) return true;
    return fail(failure, WEFT_ARGUMENT, "the rule must be declared as  %s",
                wanted_text(w, f->bases[base]->name, text, sizeof text));
}

static bool prepare_jvp(Function *f, Arena *a, Failure *failure)
{
    f->nests = true;
    return possible(f, a, RULE_JVP, 1, failure);
}

static bool prepare_vjp(Function *f, Arena *a, Failure *failure)
{
    f->nests = true;
    return possible(f, a, RULE_FORWARD, 1, failure) && possible(f, a, RULE_BACKWARD, 2, failure);
}

static const FnRule jvp_rule = { "custom_jvp", prepare_jvp, stage };
static const FnRule vjp_rule = { "custom_vjp", prepare_vjp, stage };

weft_fn weft_custom_jvp_(weft_context *ctx, weft_fn f, weft_fn rule, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &jvp_rule,
                                         .bases = (weft_fn[]){ f, rule },
                                         .n_bases = 2,
                                         .who = "weft_custom_jvp",
                                         .at = at });
}

weft_fn weft_custom_vjp_(weft_context *ctx, weft_fn f, weft_fn forward, weft_fn backward, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &vjp_rule,
                                         .bases = (weft_fn[]){ f, forward, backward },
                                         .n_bases = 3,
                                         .who = "weft_custom_vjp",
                                         .at = at });
}
