/* custom.c: weft_custom_jvp and weft_custom_vjp: the function and its rules are traced apart at the call, on
 * its types, and become the regions of one op; see custom.h.
 *
 * The operands are the call's leaves, then the hidden values of the function and of its rules. Only float
 * operands have tangents and cotangents: a rule that takes one of an integer gets zeros, and what it gives
 * for an integer is ignored. Hidden values have a derivative of zero. That is right for values that only a
 * rule uses, since the rule says what the derivative is; for values that the function itself uses a
 * derivative would be lost, so differentiating by them is an error.
 */
#include "custom.h"
#include "runtime/transforms/staging.h"
#include "weft/rules.h"

enum { JVP_RULE = 0, FORWARD = 0, BACKWARD = 1, MOST_RULES = 2 };

/* The function or one of its rules, traced apart. */
typedef struct TracedRule {
    Callee callee;
    Flat in; /* its arguments: words, and the number of leaves */
    Type *type;
    TreeRange from[SIGNATURE_MAX_PARAMS + 1],
        to[SIGNATURE_MAX_PARAMS + 2]; /* of the fields of in, of results */
    DerivedPart part_in[SIGNATURE_MAX_PARAMS], part_out[SIGNATURE_MAX_PARAMS + 1]; /* of a rule */
} TracedRule;

typedef struct CustomCall {
    const Function *f; /* the transform; its bases are the function and the rules */
    Local *l;
    const Flat *in;
    TracedRule primal, rule[MOST_RULES];
} CustomCall;

static const Function *function_of(const CustomCall *c) { return c->f->base; }
static const Signature *signature_of(const CustomCall *c) { return c->f->base->sig; }
static bool is_jvp(const CustomCall *c) { return c->f->n_bases == 2; }

/* ---- where parts come from: their leaves and words ---- */

/* results NULL: of the arguments */
typedef struct PartSource {
    const weft_tree *tree;
    const Flat *flat;
    const TreeRange *range;
    const Callee *results;
} PartSource;

static PartSource source_of(const CustomCall *c, DerivedPart p)
{
    const TracedRule *primal = &c->primal, *forward = &c->rule[FORWARD];
    switch (p.of) {
    case PART_ARGUMENT: return (PartSource){ &signature_of(c)->in, c->in, &primal->from[p.field], NULL };
    case PART_RESULT:
        return (PartSource){ &signature_of(c)->out, &primal->callee.results, &primal->to[p.field],
                             &primal->callee };
    default:
        return (PartSource){ &forward->callee.f->sig->out, &forward->callee.results, &forward->to[p.field],
                             &forward->callee };
    }
}

static uint32_t leaves_of(const PartSource *s) { return s->range[1].leaf - s->range[0].leaf; }

static Type type_of(const CustomCall *c, const PartSource *s, uint32_t k)
{
    uint32_t leaf = s->range[0].leaf + k;
    return s->results ? callee_result(s->results, leaf) : c->primal.type[leaf];
}

static bool has_derivative(const CustomCall *c, DerivedPart p, uint32_t k)
{
    PartSource s = source_of(c, p);
    return type_is_inexact(type_of(c, &s, k));
}

/* ---- tracing ---- */

/* args: the call's own arguments, by which one that never ends is found, or NULL. */
static bool trace_apart(const CustomCall *c, TracedRule *r, const Function *f, const Flat *args)
{
    Memory *m = &c->l->ctx->memory;
    if (!callee_trace_call(&r->callee, f, c->l, r->type, &r->in, args)) return false;
    const Flat *out = &r->callee.results;
    return (tree_ranges(&f->sig->in, m, r->in.word, r->in.n_words, r->from) &&
            tree_ranges(&f->sig->out, m, out->word, out->n_words, r->to)) ||
           stage_memory(f, c->l);
}

static bool trace_primal(CustomCall *c)
{
    TracedRule *r = &c->primal;
    r->in = (Flat){ .n_leaves = c->in->n_leaves,
                    .word = c->in->word,
                    .n_words = c->in->n_words,
                    .memory = &c->l->ctx->memory };
    return (r->type = stage_types(c->f, c->l, c->in)) && trace_apart(c, r, function_of(c), c->in);
}

/* Which of the n arguments or results are one array of integers? */
static void find_integers(const CustomCall *c, PartOf of, size_t n, bool *integer)
{
    for (size_t i = 0; i < n; i++) {
        DerivedPart p = { .of = (uint8_t)of, .d = true, .field = (int)i };
        PartSource s = source_of(c, p);
        const weft_field *field = &s.tree->field[i];
        integer[i] = !field->tree && field->kind != WEFT_FIELD_STATIC && !has_derivative(c, p, 0);
    }
}

static bool misfit(const CustomCall *c, const DerivedSignature *w, const Function *rule)
{
    char text[ERROR_TEXT / 2];
    return stage_error(
        c->f, c->l, WEFT_ARGUMENT,
        "rule %s: for these arguments (arrays of integers have no derivative) it must be declared as  %s",
        rule->label, wanted_text(w, rule->name, text, sizeof text));
}

/* Finds which of its two possible signatures the rule has. */
static bool match_rule(CustomCall *c, RuleKind kind, TracedRule *r, const Function *rule)
{
    const Signature *f = signature_of(c),
                    *forward = kind == RULE_BACKWARD ? c->rule[FORWARD].callee.f->sig : NULL;
    bool in[SIGNATURE_MAX_PARAMS + 1], out[SIGNATURE_MAX_PARAMS + 2];
    DerivedField *fields = stage_room(c->f, c->l, 2 * (size_t)PARTS, sizeof *fields);
    if (!fields) return false;
    DerivedSignature w = derived_open(fields, PARTS);
    find_integers(c, PART_ARGUMENT, f->in.fields, in);
    find_integers(c, PART_RESULT, f->out.fields, out);
    wanted_of(kind, f, forward, NULL, NULL, &w);
    if (derived_match(&w, rule->sig, false, r->part_in, r->part_out)) return true;
    wanted_of(kind, f, forward, in, out, &w);
    return derived_match(&w, rule->sig, false, r->part_in, r->part_out) || misfit(c, &w, rule);
}

/* The leaves and words of the parts that the rule takes, one after the other. */
static bool find_arguments(const CustomCall *c, TracedRule *r, size_t n)
{
    uint32_t n_leaves = 0, n_words = 0;
    for (size_t i = 0; i < n; i++) {
        PartSource s = source_of(c, r->part_in[i]);
        n_leaves += leaves_of(&s);
        n_words += s.range[1].word - s.range[0].word;
    }
    r->in =
        (Flat){ .word = stage_room(c->f, c->l, n_words, sizeof *r->in.word), .memory = &c->l->ctx->memory };
    if (!r->in.word || !(r->type = stage_room(c->f, c->l, n_leaves, sizeof *r->type))) return false;
    for (size_t i = 0; i < n; i++) {
        PartSource s = source_of(c, r->part_in[i]);
        for (uint32_t w = s.range[0].word; w < s.range[1].word; w++)
            r->in.word[r->in.n_words++] = s.flat->word[w];
        for (uint32_t k = 0; k < leaves_of(&s); k++) r->type[r->in.n_leaves++] = type_of(c, &s, k);
    }
    return true;
}

/* ---- what a rule gives ---- */

static const char *kind_of(const CustomCall *c, DerivedPart p)
{
    if (!p.d) return p.of == PART_ARGUMENT ? "argument" : "result";
    if (is_jvp(c)) return p.of == PART_ARGUMENT ? "the tangent of argument" : "the tangent of result";
    return p.of == PART_ARGUMENT ? "the cotangent of argument" : "the cotangent of result";
}

static bool check_structure(const CustomCall *c, const TracedRule *r, size_t field, const PartSource *s)
{
    DerivedPart p = r->part_out[field];
    const weft_field *as = &s->tree->field[p.field];
    TreeDifference d;
    if (!as->tree ||
        !field_difference(s->tree, (size_t)p.field, s->flat, s->range, &r->callee.results, &r->to[field], &d))
        return true;
    return stage_error(
        c->f, c->l, WEFT_TREE_MISMATCH,
        "rule %s: %s %s must have the structure of the %s, but %s is %s there and %s here, so %s",
        r->callee.f->label, kind_of(c, p), as->name,
        p.of == PART_ARGUMENT ? "argument"
        : p.d                 ? "result"
                              : "function's result",
        d.path, d.a, d.b, d.why);
}

static bool check_field(const CustomCall *c, const TracedRule *r, size_t field)
{
    DerivedPart p = r->part_out[field];
    PartSource s = source_of(c, p);
    if (p.of == PART_KEPT) return true;
    if (!check_structure(c, r, field, &s)) return false;
    for (uint32_t k = 0; k < leaves_of(&s); k++) {
        char path[TREE_PATH];
        Type is = callee_result(&r->callee, r->to[field].leaf + k), should = type_of(c, &s, k);
        if (type_equal(is, should) || (p.d && !type_is_inexact(should))) continue;
        uint32_t leaf = s.range[0].leaf + k;
        if (p.of == PART_ARGUMENT) call_in_path(function_of(c), c->in, leaf, path, sizeof path);
        else call_out_path(function_of(c), &c->primal.callee.results, leaf, path, sizeof path);
        return stage_error(c->f, c->l, is.dtype != should.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                           "rule %s: %s %s must be %s, %s, but it is %s", r->callee.f->label, kind_of(c, p),
                           path, STAGE_TYPE(should),
                           p.d ? p.of == PART_ARGUMENT ? "as the argument is" : "as the result is"
                               : "as the function gives it",
                           STAGE_TYPE(is));
    }
    return true;
}

static bool trace_rule(CustomCall *c, RuleKind kind, int number)
{
    TracedRule *r = &c->rule[number];
    const Function *rule = c->f->bases[number + 1];
    if (!match_rule(c, kind, r, rule) || !find_arguments(c, r, rule->sig->in.fields) ||
        !trace_apart(c, r, rule, NULL))
        return false;
    for (size_t o = 0; o < rule->sig->out.fields; o++)
        if (!check_field(c, r, o)) return false;
    return true;
}

/* ---- building; the running trace's guard is set and nothing is called ---- */

/* The values of parts in a region: arguments and what was kept by leaf, derivatives by number among the
 * floats. */
typedef struct Values {
    const Ref *argument, *argument_d, *result_d, *kept;
    const uint32_t *argument_float, *result_float;
} Values;

/* The rule's leaves, from what a region has. A derivative of integers is zero. */
static Ref *rule_leaves(Graph *g, const CustomCall *c, const TracedRule *r, const Values *v)
{
    Ref *leaf = stage_refs(g->arena, r->in.n_leaves);
    for (size_t i = 0; i < r->callee.f->sig->in.fields; i++) {
        DerivedPart p = r->part_in[i];
        PartSource s = source_of(c, p);
        for (uint32_t k = 0; k < leaves_of(&s); k++) {
            uint32_t from = s.range[0].leaf + k, to = r->from[i].leaf + k;
            if (p.of == PART_KEPT) leaf[to] = v->kept[from];
            else if (!p.d) leaf[to] = v->argument[from];
            else if (!has_derivative(c, p, k)) leaf[to] = build_zeros(g, type_of(c, &s, k));
            else
                leaf[to] = p.of == PART_ARGUMENT ? v->argument_d[v->argument_float[from]]
                                                 : v->result_d[v->result_float[from]];
        }
    }
    return leaf;
}

/* The rule's results for these; hidden: its hidden values. NULL: the graph has failed. */
static Ref *apply_rule(Graph *g, const CustomCall *c, const TracedRule *r, const Values *v, const Ref *hidden)
{
    Ref *results = stage_refs(g->arena, r->callee.results.n_leaves);
    return callee_inline(g, &r->callee, rule_leaves(g, c, r, v), hidden, results) ? results : NULL;
}

/* Where the rule's results go: whole results by leaf, derivatives by number among the floats. */
static void place_results(const CustomCall *c, const TracedRule *r, const Ref *results,
                          const uint32_t *floats, Ref *whole, Ref *d)
{
    for (size_t o = 0; o < r->callee.f->sig->out.fields; o++) {
        DerivedPart p = r->part_out[o];
        PartSource s = source_of(c, p);
        for (uint32_t k = 0; k < leaves_of(&s); k++) {
            Ref value = results[r->to[o].leaf + k];
            uint32_t at = s.range[0].leaf + k;
            if (!p.d) {
                if (p.of == PART_RESULT) whole[at] = value;
            } else if (floats[at] != UINT32_MAX) d[floats[at]] = value;
        }
    }
}

/* What the regions are made of: the operands and the results, where the hidden values of the function and
 * of its rules begin among the operands. */
typedef struct RuleRegions {
    const CustomCall *c;
    Arena *arena;
    OperandList operands;
    Floats in, out; /* of the operands, of the results */
    uint32_t n_results, hidden, hidden_of[MOST_RULES];
} RuleRegions;

/* Operands, tangents -> results, tangents. */
static Graph *jvp_region(const RuleRegions *x)
{
    const TracedRule *r = &x->c->rule[JVP_RULE];
    const OperandList *o = &x->operands;
    uint32_t n = x->n_results;
    Ref *outputs = stage_refs(x->arena, (size_t)n + x->out.n);
    Graph *g = region_new(x->arena, r->callee.f->name, o);
    for (uint32_t i = 0; i < o->n; i++)
        if (x->in.number[i] != UINT32_MAX) build_param(g, o->type[i]);
    Values v = { .argument = g->params, .argument_d = g->params + o->n, .argument_float = x->in.number };
    const Ref *results = apply_rule(g, x->c, r, &v, g->params + x->hidden_of[JVP_RULE]);
    if (!results) return NULL;
    place_results(x->c, r, results, x->out.number, outputs, outputs + n);
    graph_set_outputs(g, outputs, n + x->out.n);
    return g;
}

/* Operands -> results, what the forward rule keeps, what the backward rule met. */
static Graph *forward_region(const RuleRegions *x)
{
    const TracedRule *r = &x->c->rule[FORWARD];
    const OperandList *o = &x->operands;
    uint32_t n = x->n_results, n_met = x->c->rule[BACKWARD].callee.trace.n_hidden;
    Ref *outputs = stage_refs(x->arena, (size_t)r->callee.results.n_leaves + n_met);
    Graph *g = region_new(x->arena, r->callee.f->name, o);
    Values v = { .argument = g->params, .argument_float = x->in.number };
    const Ref *results = apply_rule(g, x->c, r, &v, g->params + x->hidden_of[FORWARD]);
    if (!results) return NULL;
    place_results(x->c, r, results, NULL, outputs, NULL);
    for (size_t i = 0; i < r->callee.f->sig->out.fields; i++)
        for (uint32_t k = r->to[i].leaf; r->part_out[i].of == PART_KEPT && k < r->to[i + 1].leaf; k++)
            outputs[n++] = results[k];
    for (uint32_t i = 0; i < n_met; i++) outputs[n++] = g->params[x->hidden_of[BACKWARD] + i];
    graph_set_outputs(g, outputs, n);
    return g;
}

/* What was kept and met, cotangents of results -> cotangents of operands: of hidden ones zeros. */
static Graph *backward_region(const RuleRegions *x, const Graph *forward)
{
    const CustomCall *c = x->c;
    const TracedRule *r = &c->rule[BACKWARD], *kept = &c->rule[FORWARD];
    uint32_t n = x->n_results, n_kept = forward->n_outputs - n, n_met = r->callee.trace.n_hidden;
    Graph *g = graph_new(x->arena, r->callee.f->name);
    Ref *params = stage_refs(x->arena, (size_t)n_kept + n),
        *by_leaf = stage_refs(x->arena, kept->callee.results.n_leaves),
        *outputs = stage_refs(x->arena, x->in.n);
    for (uint32_t i = 0; i < n_kept; i++)
        params[i] = build_param(g, graph_type(forward, forward->outputs[n + i]));
    for (uint32_t i = 0; i < n; i++)
        if (x->out.number[i] != UINT32_MAX)
            params[n_kept + x->out.number[i]] = build_param(g, callee_result(&c->primal.callee, i));
    for (size_t i = 0, at = 0; i < kept->callee.f->sig->out.fields; i++)
        for (uint32_t k = kept->to[i].leaf; kept->part_out[i].of == PART_KEPT && k < kept->to[i + 1].leaf;
             k++)
            by_leaf[k] = params[at++];
    Values v = { .result_d = params + n_kept, .kept = by_leaf, .result_float = x->out.number };
    const Ref *results = apply_rule(g, c, r, &v, params + n_kept - n_met);
    if (!results) return NULL;
    for (uint32_t i = 0; i < x->operands.n; i++)
        if (x->in.number[i] != UINT32_MAX)
            outputs[x->in.number[i]] = i < c->in->n_leaves ? REF_NONE : build_zeros(g, x->operands.type[i]);
    place_results(c, r, results, x->in.number, NULL, outputs);
    graph_set_outputs(g, outputs, x->in.n);
    return g;
}

/* The value, but that a derivative along it is an error; why: STOP_GRADIENT's attribute (ops.h). */
static Ref refused(Graph *g, Ref r, int64_t why)
{
    if (!dtype_is_inexact((DType)graph_node(g, r)->dtype)) return r;
    return build_node(g, OP_STOP_GRADIENT, &r, 1, &why, 1);
}

/* Operands and where each traced function's hidden values begin. Derivatives by what the function itself met
 * would be lost. */
static RuleRegions regions_open(const CustomCall *c, int n_rules)
{
    Graph *g = c->l->trace->graph;
    const Callee *primal = &c->primal.callee;
    RuleRegions x = { .c = c, .arena = g->arena, .n_results = primal->results.n_leaves };
    uint32_t n_hidden = primal->trace.n_hidden;
    for (int k = 0; k < n_rules; k++) n_hidden += c->rule[k].callee.trace.n_hidden;
    x.operands = operands_open(c->l, c->in, n_hidden);
    x.hidden = operands_hidden(&x.operands, c->l, primal);
    for (uint32_t i = 0; i < primal->trace.n_hidden; i++)
        if (primal->trace.hidden[i]->state == ARRAY_TRACED)
            x.operands.ref[x.hidden + i] = refused(g, x.operands.ref[x.hidden + i], 1);
    for (int k = 0; k < n_rules; k++) x.hidden_of[k] = operands_hidden(&x.operands, c->l, &c->rule[k].callee);
    Type *type = arena_alloc(x.arena, (x.n_results + 1) * sizeof *type);
    for (uint32_t i = 0; i < x.n_results; i++) type[i] = callee_result(primal, i);
    x.in = floats_of(x.arena, x.operands.type, x.operands.n);
    x.out = floats_of(x.arena, type, x.n_results);
    return x;
}

static bool build_op(void *call, Ref *results)
{
    const CustomCall *c = call;
    bool jvp = is_jvp(c);
    uint32_t n_rules = jvp ? 1 : 2;
    if (!c->primal.callee.results.n_leaves) return true;
    RuleRegions x = regions_open(c, (int)n_rules);
    const Graph *region[1 + MOST_RULES] = { callee_region(x.arena, &c->primal.callee, function_of(c)->name,
                                                          &x.operands, x.hidden) };
    region[1] = jvp ? jvp_region(&x) : forward_region(&x);
    region[2] = jvp || !region[1] ? NULL : backward_region(&x, region[1]);
    return region[0] && region[n_rules] &&
           build_ruled(c->l->trace->graph, jvp ? OP_CUSTOM_JVP : OP_CUSTOM_VJP, 0, region, 1 + n_rules,
                       x.operands.ref, x.operands.n, results);
}

/* ---- a rule that calls the function again ---- */

enum { MOST_ORDERS = 3 };

/* How many of the running calls are those of rules. */
static int rules_around(const Function *f, const Local *l)
{
    int n = 0;
    for (const CallFrame *o = l->frame; o; o = o->outer)
        for (int k = 1; k < f->n_bases; k++) n += o->fn == f->bases[k];
    return n;
}

/* What the function computes, without rules: a derivative of that is of too high an order. */
static bool build_plain(void *call, Ref *results)
{
    const CustomCall *c = call;
    Graph *g = c->l->trace->graph;
    Ref *args = stage_operands(c->l, c->in, &c->primal.callee, 0);
    for (uint32_t i = 0; i < callee_graph(&c->primal.callee)->n_params; i++) args[i] = refused(g, args[i], 2);
    return graph_inline(g, callee_graph(&c->primal.callee), args, results);
}

/* ---- the transforms ---- */

static bool trace_rules(CustomCall *c)
{
    if (is_jvp(c)) return trace_rule(c, RULE_JVP, JVP_RULE);
    return trace_rule(c, RULE_FORWARD, FORWARD) && trace_rule(c, RULE_BACKWARD, BACKWARD);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    CustomCall *c = memory_alloc(&l->ctx->memory, sizeof *c);
    if (!c) return stage_memory(f, l);
    c->f = f, c->l = l, c->in = in;
    bool plain = rules_around(f, l) >= MOST_ORDERS;
    bool good = trace_primal(c) && (plain || trace_rules(c)) &&
                stage_results(f, l, plain ? build_plain : build_op, c, &c->primal.callee.results, out);
    for (int k = 0; k < MOST_RULES; k++) callee_close(&c->rule[k].callee);
    callee_close(&c->primal.callee);
    memory_free(&l->ctx->memory, c, sizeof *c);
    return good;
}

static bool prepare_jvp(Function *f, Arena *a, Failure *failure)
{
    f->nests = true;
    return rule_possible(f, a, RULE_JVP, 1, failure);
}

static bool prepare_vjp(Function *f, Arena *a, Failure *failure)
{
    f->nests = true;
    return rule_possible(f, a, RULE_FORWARD, 1, failure) && rule_possible(f, a, RULE_BACKWARD, 2, failure);
}

static const FnRule jvp_rule = { "custom_jvp", prepare_jvp, stage };
static const FnRule vjp_rule = { "custom_vjp", prepare_vjp, stage };

weft_fn weft_custom_jvp_(weft_context *ctx, weft_fn f, weft_fn rule, const char *at)
{
    return fn_derive(
        ctx, &(Derivation){ .rule = &jvp_rule, .bases = (weft_fn[]){ f, rule }, .n_bases = 2, .at = at });
}

weft_fn weft_custom_vjp_(weft_context *ctx, weft_fn f, weft_fn forward, weft_fn backward, const char *at)
{
    return fn_derive(
        ctx, &(Derivation){
                 .rule = &vjp_rule, .bases = (weft_fn[]){ f, forward, backward }, .n_bases = 3, .at = at });
}
