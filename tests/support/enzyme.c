/* enzyme.c: the dialect enzyme, in which files of others ask for derivatives: enzyme.autodiff, enzyme.fwddiff
 * and enzyme.batch are calls of what vjp, jvp and vmap make of a func.
 *
 * An activity says for each argument and each result what is differentiated: reverse mode takes the
 * arguments, then a cotangent of each active result, and gives the results, then a cotangent of each active
 * argument; forward mode takes each dup argument with its tangent behind it, and gives results in the same
 * way. A result that is noneed is not given itself. Arguments that are constants and not differentiated by
 * are part of the function: a loop that one counts up to has so many steps.
 */
#include <string.h>
#include "compiler/derive/jvp/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/passes/rewrite.h"
#include "compiler/vmap/vmap.h"
#include "compiler/text/parse/parse_build.h"
#include "tests/support/enzyme.h"

/* Derivatives of derivatives grow fast, and making them takes several times their size, so an op of a
 * derivative counts as this many ops read. */
enum { WORK = 16 };

/* changes: has a derivative, or is differentiated by. needed: of a result: it is given too. */
typedef struct Activity {
    bool changes, needed;
} Activity;

static bool read_activity(TextBuild *b, const OpSyntax *op, const AttrSyntax *a, bool reverse, Activity *out)
{
    static const struct {
        const char *word;
        bool reverse, forward;
        Activity is;
    } known[] = {
        { "enzyme_active", true, false, { true, true } },
        { "enzyme_activenoneed", true, false, { true, false } },
        { "enzyme_dup", false, true, { true, true } },
        { "enzyme_dupnoneed", false, true, { true, false } },
        { "enzyme_const", true, true, { false, true } },
        { "enzyme_constnoneed", true, true, { false, false } },
    };
    const char *word = attr_word(a);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].word, word) != 0 || !(reverse ? known[i].reverse : known[i].forward)) continue;
        *out = known[i].is;
        return true;
    }
    parse_unsupported(b->p, a->at, "%s with the activity %.40s", op->rule->name, word);
    return false;
}

/* A call while it is read. args, tangents: of the callee's parameters; cotangents, in reverse mode: the
 * operands behind. */
typedef struct Call {
    TextBuild *b;
    const OpSyntax *op;
    bool reverse;
    const Graph *callee;
    Activity *in, *results;
    Ref *args, *tangents;
    const Ref *cotangents;
    uint32_t n_cotangents;
} Call;

/* One for each of n values of the callee; NULL and an error: the text does not say, or a derivative is asked
 * for where there is none. */
static Activity *read_activities(const Call *c, const char *key, const Ref *values, uint32_t n)
{
    const AttrSyntax *a = need_attr(c->b, c->op, key, NULL);
    Activity *all = arena_alloc(c->b->p->arena, (n + 1) * sizeof *all);
    if (!a) return NULL;
    if (a->kind != ATTR_LIST || a->n_items != n) {
        parse_error(c->b->p, a->at, "%s: %s lists %u values, not %u", c->op->rule->name, key, a->n_items, n);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!read_activity(c->b, c->op, &a->items[i], c->reverse, &all[i])) return NULL;
        if (!all[i].changes || dtype_is_inexact((DType)graph_type(c->callee, values[i]).dtype)) continue;
        parse_error(c->b->p, a->items[i].at, "%s: a value that is not of a float type has no derivative",
                    c->op->rule->name);
        return NULL;
    }
    return all;
}

/* In forward mode each argument that changes has its tangent behind it. */
static bool read_operands(Call *c, const Ref *operands)
{
    uint32_t n = 0, n_params = c->callee->n_params;
    c->args = arena_alloc(c->b->p->arena, (n_params + 1) * sizeof *c->args);
    c->tangents = arena_alloc(c->b->p->arena, (n_params + 1) * sizeof *c->tangents);
    for (uint32_t i = 0; i < n_params; i++) {
        Type want = graph_type(c->callee, c->callee->params[i]);
        Ref *to[] = { &c->args[i], &c->tangents[i] };
        for (int k = 0; k < (!c->reverse && c->in[i].changes ? 2 : 1); k++, n++) {
            if (n < c->op->n_operands && type_equal(graph_type(c->b->g, operands[n]), want))
                *to[k] = operands[n];
            else
                return parse_error(c->b->p, c->op->at, "%s: operand %u is not of the type of parameter %u",
                                   c->op->rule->name, n, i),
                       false;
        }
    }
    c->cotangents = operands + n;
    c->n_cotangents = c->op->n_operands - n;
    if (c->reverse || n == c->op->n_operands) return true;
    parse_error(c->b->p, c->op->at, "%s has %u operands, not %u", c->op->rule->name, c->op->n_operands, n);
    return false;
}

static bool read_call(Call *c, const Ref *operands)
{
    const AttrSyntax *width = attr_find(c->op, "width", NULL);
    int64_t lanes = 1;
    if (width && !attr_int(c->b->p, width, &lanes)) return false;
    if (lanes != 1)
        return parse_unsupported(c->b->p, c->op->at, "%s of several tangents at once", c->op->rule->name),
               false;
    if (!(c->callee = parse_callee(c->b, c->op, attr_word(attr_find(c->op, "callee", "fn")), 0)))
        return false;
    return (c->in = read_activities(c, "activity", c->callee->params, c->callee->n_params)) &&
           (c->results = read_activities(c, "ret_activity", c->callee->outputs, c->callee->n_outputs)) &&
           read_operands(c, operands);
}

/* clamp with Enzyme's derivative, which at the bounds is that of the operand. */

static Ref spread(Graph *g, Ref r, Type like)
{
    return graph_node(g, r)->rank == like.rank ? r : build_broadcast(g, r, like.dim, like.rank, NULL);
}

static const Graph *clamp_region(Graph *to, const Ref *args, bool tangents)
{
    Graph *g = graph_new(to->arena, NULL);
    Type t = graph_type(to, args[1]);
    Ref p[6], out[2];
    for (int i = 0; i < (tangents ? 6 : 3); i++) p[i] = build_param(g, graph_type(to, args[i % 3]));
    out[0] = graph_add(g, &(NodeSpec){ .op = OP_CLAMP, .args = p, .n_args = 3 });
    if (tangents) {
        Ref below = build_compare(g, CMP_LT, p[1], spread(g, p[0], t)),
            above = build_compare(g, CMP_GT, p[1], spread(g, p[2], t));
        out[1] = build_select(g, below, spread(g, p[3], t), build_select(g, above, spread(g, p[5], t), p[4]));
    }
    graph_set_outputs(g, out, tangents ? 2 : 1);
    return g;
}

static bool put_clamp(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out)
{
    (void)w;
    bool smooth = dtype_is_inexact((DType)n->dtype) && args[0] != REF_NONE && args[1] != REF_NONE &&
                  args[2] != REF_NONE;
    if (smooth)
        return build_ruled(to, OP_CUSTOM_JVP, 0,
                           (const Graph *[]){ clamp_region(to, args, false), clamp_region(to, args, true) },
                           2, args, 3, out);
    out[0] = graph_add(to, &(NodeSpec){ .op = OP_CLAMP, .args = args, .n_args = 3 });
    return true;
}

/* The function to differentiate: the callee over its arguments that are not constants. */
/* args: with room for tangents or cotangents behind */
typedef struct Function {
    const Graph *g;
    bool *active;
    Ref *args;
    uint32_t n_args;
} Function;

static Function specialize(const Call *c)
{
    static ReplaceRule *const rules[OP_COUNT] = { [OP_CLAMP] = put_clamp };
    Graph *g = graph_new(c->b->p->arena, c->callee->name);
    uint32_t n = c->callee->n_params;
    Ref *map = arena_alloc(g->arena, (n + 1) * sizeof *map),
        *out = arena_alloc(g->arena, (c->callee->n_outputs + 1) * sizeof *out);
    Function f = { .active = arena_alloc(g->arena, n + 1),
                   .args = arena_alloc(g->arena, ((size_t)n + c->op->n_operands + 1) * sizeof(Ref)) };
    for (uint32_t i = 0; i < n; i++) {
        bool known = !c->in[i].changes && graph_node(c->b->g, c->args[i])->op == OP_CONSTANT;
        map[i] = known ? graph_copy_node(g, c->b->g, c->args[i], NULL)
                       : build_param(g, graph_type(c->callee, c->callee->params[i]));
        if (known) continue;
        f.active[f.n_args] = c->in[i].changes;
        f.args[f.n_args++] = c->args[i];
    }
    graph_inline(g, c->callee, map, out);
    graph_set_outputs(g, out, c->callee->n_outputs);
    f.g = rewrite(g->arena, graph_compact(g->arena, g), &(Replacement){ .rules = rules });
    for (uint32_t i = 0; !c->reverse && i < n; i++)
        if (c->in[i].changes) f.args[f.n_args++] = c->tangents[i];
    for (uint32_t i = 0; i < c->n_cotangents; i++) f.args[f.n_args++] = c->cotangents[i];
    return f;
}

/* The derivative, or the batch, on its arguments; outputs: room for g's. */
static bool give(TextBuild *b, const OpSyntax *op, const Graph *g, const Failure *f, const Ref *args,
                 uint32_t n_args, Ref *outputs)
{
    if (!g) return parse_unsupported(b->p, op->at, "%s: %s", op->rule->name, f->text), false;
    if (g->n_params != n_args)
        return parse_error(b->p, op->at, "%s: %u operands, not %u", op->rule->name, n_args, g->n_params),
               false;
    for (uint32_t i = 0; i < n_args; i++)
        if (!type_equal(graph_type(b->g, args[i]), graph_type(g, g->params[i])))
            return parse_error(b->p, op->at, "%s: operand %u is of another type than the func's",
                               op->rule->name, i),
                   false;
    if (!parse_count_ops(b, op, (uint64_t)WORK * g->n_nodes)) return false;
    graph_inline(b->g, g, args, outputs);
    return true;
}

/* Results as the activities ask for them: in reverse mode all values, then cotangents; else each value with
 * its tangent behind it. */
static bool put_results(const Call *c, const Ref *outputs, uint32_t n_outputs, Ref *results)
{
    uint32_t n = 0, n_values = c->callee->n_outputs, derivative = n_values;
    Ref *all = arena_alloc(c->b->p->arena, (n_outputs + 1) * sizeof *all);
    for (uint32_t i = 0; i < n_values; i++) {
        if (c->results[i].needed) all[n++] = outputs[i];
        if (!c->reverse && c->results[i].changes) all[n++] = outputs[derivative++];
    }
    while (derivative < n_outputs) all[n++] = outputs[derivative++];
    if (n != c->op->n_results)
        return parse_error(c->b->p, c->op->at, "%s gives %u results, the text says %u", c->op->rule->name, n,
                           c->op->n_results),
               false;
    if (n) memcpy(results, all, n * sizeof *all);
    return true;
}

/* Enzyme's cotangents of complex numbers are the conjugates of weft's, which are JAX's. */
static void conjugate(Graph *g, Ref *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (r[i] == REF_NONE || !dtype_is_complex((DType)graph_type(g, r[i]).dtype)) continue;
        Ref parts[] = { build_unary(g, OP_REAL, r[i]),
                        build_unary(g, OP_NEG, build_unary(g, OP_IMAG, r[i])) };
        r[i] = build_node(g, OP_COMPLEX, parts, 2, NULL, 0);
    }
}

static bool derive(TextBuild *b, const OpSyntax *op, const Ref *operands, bool reverse, Ref *results)
{
    Call c = { .b = b, .op = op, .reverse = reverse };
    Arena *a = b->p->arena;
    Failure failure = { 0 };
    if (!read_call(&c, operands)) return false;
    bool *changes = arena_alloc(a, c.callee->n_outputs + 1);
    for (uint32_t i = 0; i < c.callee->n_outputs; i++) changes[i] = c.results[i].changes;
    Function f = specialize(&c);
    const Graph *g = reverse ? vjp_graph(a, f.g, f.active, changes, 0, &failure)
                             : jvp_graph(a, f.g, f.active, changes, &failure);
    Ref *outputs = arena_alloc(a, ((g ? g->n_outputs : 0) + 1) * sizeof *outputs);
    uint32_t n_values = c.callee->n_outputs;
    if (reverse) conjugate(b->g, f.args + (f.n_args - c.n_cotangents), c.n_cotangents);
    if (!give(b, op, g, &failure, f.args, f.n_args, outputs)) return false;
    if (reverse) conjugate(b->g, outputs + n_values, g->n_outputs - n_values);
    return put_results(&c, outputs, g->n_outputs, results);
}

static bool rule_autodiff(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    return derive(b, op, args, true, results);
}
static bool rule_fwddiff(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    return derive(b, op, args, false, results);
}

/* All operands and results have the batch's axes in front. */
static bool rule_batch(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    Ints shape;
    Failure f = { 0 };
    if (!need_ints(b, op, "batch_shape", NULL, &shape)) return false;
    const Graph *g = parse_callee(b, op, attr_word(attr_find(op, "callee", "fn")), 0);
    if (!g) return false;
    uint32_t n = g->n_params > g->n_outputs ? g->n_params : g->n_outputs;
    int64_t *axes = arena_alloc(b->p->arena, (n + 1) * sizeof *axes);
    for (uint32_t i = shape.n; g && i-- > 0;)
        g = vmap_graph(b->p->arena, g, axes, shape.at[i], axes, NULL, &f);
    if (g && g->n_outputs != op->n_results) {
        parse_error(b->p, op->at, "%s gives %u results, the text says %u", op->rule->name, g->n_outputs,
                    op->n_results);
        return false;
    }
    return give(b, op, g, &f, args, op->n_operands, results);
}

static const OpRule rules[] = {
    { "enzyme.autodiff", syntax_call, rule_autodiff, OP_COUNT, -1, RESULTS_TYPED,
      "callee fn activity ret_activity width strong_zero" },
    { "enzyme.fwddiff", syntax_call, rule_fwddiff, OP_COUNT, -1, RESULTS_TYPED,
      "callee fn activity ret_activity width strong_zero" },
    { "enzyme.batch", syntax_call, rule_batch, OP_COUNT, -1, RESULTS_TYPED, "callee fn batch_shape" },
};
const Dialect enzyme = { rules, sizeof rules / sizeof *rules, NULL, NULL };
