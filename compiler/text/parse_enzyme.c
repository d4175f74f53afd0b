/* parse_enzyme.c: the dialect enzyme: enzyme.autodiff, enzyme.fwddiff and enzyme.batch are calls of what vjp, jvp and vmap make of a func.
 *
 * An activity says for each argument and each result what is differentiated: reverse mode takes the arguments, then a cotangent of each active result, and gives the
 * results, then a cotangent of each active argument; forward mode takes each dup argument with its tangent behind it, and gives results in the same way. A result that
 * is noneed is not given itself. Arguments that are constants and not differentiated by are part of the function: a loop that one counts up to has so many steps.
 */
#include <string.h>
#include "compiler/derive/jvp.h"
#include "compiler/derive/vjp.h"
#include "compiler/passes/rewrite.h"
#include "compiler/passes/vmap.h"
#include "parse_rules.h"

/* Derivatives of derivatives grow fast, and what they are made from is as large several times over: an op of one counts as so many read. */
enum { WORK = 16 };

/* changes: has a derivative, or is differentiated by. needed: of a result: it is given too. */
typedef struct Activity { bool changes, needed; } Activity;

static bool read_activity(Build *b, const OpSyntax *op, const Attr *a, bool reverse, Activity *out) {
    static const struct { const char *word; bool reverse, forward; Activity is; } known[] = {
        { "enzyme_active", true, false, { true, true } }, { "enzyme_activenoneed", true, false, { true, false } },
        { "enzyme_dup", false, true, { true, true } }, { "enzyme_dupnoneed", false, true, { true, false } },
        { "enzyme_const", true, true, { false, true } }, { "enzyme_constnoneed", true, true, { false, false } },
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

/* One for each of n values of these types. */
static Activity *read_activities(Build *b, const OpSyntax *op, const char *key, const Graph *g, const Ref *values, uint32_t n, bool reverse) {
    const Attr *a = need_attr(b, op, key, NULL);
    Activity *all = arena_alloc(b->p->arena, (n + 1) * sizeof *all);
    if (!a) return NULL;
    if (a->kind != ATTR_LIST || a->n_items != n) { parse_error(b->p, a->at, "%s: %s lists %u values, not %u", op->rule->name, key, a->n_items, n); return NULL; }
    for (uint32_t i = 0; i < n; i++) {
        if (!read_activity(b, op, &a->items[i], reverse, &all[i])) return NULL;
        if (!all[i].changes || dtype_is_float((DType)graph_type(g, values[i]).dtype)) continue;
        parse_error(b->p, a->items[i].at, "%s: a value that is not of a float type has no derivative", op->rule->name);
        return NULL;
    }
    return all;
}

/* clamp with Enzyme's derivative: at its bounds that of the operand. */

static Ref spread(Graph *g, Ref r, Type like) {
    return graph_node(g, r)->rank == like.rank ? r : build_broadcast(g, r, like.dim, like.rank, NULL);
}

static const Graph *clamp_region(Graph *to, const Ref *args, bool tangents) {
    Graph *g = graph_new(to->arena, NULL);
    Type t = graph_type(to, args[1]);
    Ref p[6], out[2];
    for (int i = 0; i < (tangents ? 6 : 3); i++) p[i] = build_param(g, graph_type(to, args[i % 3]));
    out[0] = graph_add(g, &(NodeSpec){ .op = OP_CLAMP, .args = p, .n_args = 3 });
    if (tangents) {
        Ref below = build_compare(g, CMP_LT, p[1], spread(g, p[0], t)), above = build_compare(g, CMP_GT, p[1], spread(g, p[2], t));
        out[1] = build_select(g, below, spread(g, p[3], t), build_select(g, above, spread(g, p[5], t), p[4]));
    }
    graph_set_outputs(g, out, tangents ? 2 : 1);
    return g;
}

static bool is_clamp(Op op) { return op == OP_CLAMP; }

static bool put_clamp(const Replacement *w, Graph *to, const Node *n, const Ref *args, Ref *out) {
    (void)w;
    bool smooth = dtype_is_float((DType)n->dtype) && args[0] != REF_NONE && args[1] != REF_NONE && args[2] != REF_NONE;
    if (smooth) return build_ruled(to, OP_CUSTOM_JVP, 0, (const Graph *[]){ clamp_region(to, args, false), clamp_region(to, args, true) }, 2, args, 3, out);
    out[0] = graph_add(to, &(NodeSpec){ .op = OP_CLAMP, .args = args, .n_args = 3 });
    return true;
}

/* The function to differentiate. */

typedef struct Derived {
    const Graph *g;
    Activity *in, *results;
    Ref *args, *tangents; bool *active; uint32_t n;     /* of g's parameters; tangents: of active ones, in forward mode */
} Derived;

/* The func over its arguments that are not constants. */
static const Graph *specialize(Build *b, const Graph *callee, Derived *d, const Ref *args, const Ref *tangents) {
    Graph *g = graph_new(b->p->arena, callee->name);
    Ref *map = arena_alloc(g->arena, (callee->n_params + 1) * sizeof *map), *out = arena_alloc(g->arena, (callee->n_outputs + 1) * sizeof *out);
    for (uint32_t i = 0; i < callee->n_params; i++) {
        const Node *arg = graph_node(b->g, args[i]);
        if (!d->in[i].changes && arg->op == OP_CONSTANT) { map[i] = graph_copy_node(g, b->g, args[i], NULL); continue; }
        map[i] = build_param(g, graph_type(callee, callee->params[i]));
        d->args[d->n] = args[i];
        d->tangents[d->n] = tangents[i];
        d->active[d->n++] = d->in[i].changes;
    }
    graph_inline(g, callee, map, out);
    graph_set_outputs(g, out, callee->n_outputs);
    return rewrite(g->arena, graph_compact(g->arena, g), &(Replacement){ .replaces = is_clamp, .node = put_clamp });
}

/* The operands as arguments and tangents (or cotangents, behind: returned); NULL: they do not fit. */
static const Ref *read_operands(Build *b, const OpSyntax *op, const Graph *callee, const Activity *in, const Ref *operands, bool reverse, Ref *args, Ref *tangents) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < callee->n_params; i++) {
        uint32_t each = !reverse && in[i].changes ? 2 : 1;
        Type want = graph_type(callee, callee->params[i]);
        for (uint32_t k = 0; k < each; k++, n++)
            if (n >= op->n_operands || !type_equal(graph_type(b->g, operands[n]), want)) {
                parse_error(b->p, op->at, "%s: operand %u is not of the type of parameter %u", op->rule->name, n, i);
                return NULL;
            }
        args[i] = operands[n - each];
        tangents[i] = operands[n - 1];
    }
    if (reverse || n == op->n_operands) return operands + n;
    parse_error(b->p, op->at, "%s has %u operands, not %u", op->rule->name, op->n_operands, n);
    return NULL;
}

/* The derivative's graph on its arguments. */
static bool give(Build *b, const OpSyntax *op, const Graph *g, const Failure *f, const Ref *args, uint32_t n_args, Ref *outputs) {
    if (!g) { parse_unsupported(b->p, op->at, "%s: %s", op->rule->name, f->text); return false; }
    if (g->n_params != n_args) { parse_error(b->p, op->at, "%s: %u operands, not %u", op->rule->name, n_args, g->n_params); return false; }
    for (uint32_t i = 0; i < n_args; i++)
        if (!type_equal(graph_type(b->g, args[i]), graph_type(g, g->params[i]))) {
            parse_error(b->p, op->at, "%s: operand %u is of another type than the func's", op->rule->name, i);
            return false;
        }
    if (!parse_count_ops(b, op, (uint64_t)WORK * g->n_nodes)) return false;
    build_inline(b->g, g, args, outputs);
    return true;
}

/* Results as the activities ask for them: reverse: all values, then cotangents; else each value with its tangent behind it. */
static bool put_results(Build *b, const OpSyntax *op, const Derived *d, uint32_t n_values, uint32_t n_outputs, const Ref *outputs, bool reverse, Ref *results) {
    uint32_t n = 0, derivative = n_values;
    Ref *all = arena_alloc(b->p->arena, (n_outputs + 1) * sizeof *all);
    for (uint32_t i = 0; i < n_values; i++) {
        if (d->results[i].needed) all[n++] = outputs[i];
        if (!reverse && d->results[i].changes) all[n++] = outputs[derivative++];
    }
    while (derivative < n_outputs) all[n++] = outputs[derivative++];
    if (n != op->n_results) { parse_error(b->p, op->at, "%s gives %u results, the text says %u", op->rule->name, n, op->n_results); return false; }
    if (n) memcpy(results, all, n * sizeof *all);
    return true;
}

static bool derive(Build *b, const OpSyntax *op, const Ref *operands, bool reverse, Ref *results) {
    const Attr *width = attr_find(op, "width", NULL);
    int64_t lanes = 1;
    if (width && !attr_int(b->p, width, &lanes)) return false;
    if (lanes != 1) { parse_unsupported(b->p, op->at, "%s of several tangents at once", op->rule->name); return false; }
    const Graph *callee = parse_callee(b, op, attr_word(attr_find(op, "callee", "fn")), 0);
    if (!callee) return false;
    Arena *a = b->p->arena;
    uint32_t n = callee->n_params, n_values = callee->n_outputs;
    Ref *args = arena_alloc(a, (n + 1) * sizeof *args), *tangents = arena_alloc(a, (n + 1) * sizeof *tangents);
    Derived d = { .args = arena_alloc(a, ((size_t)n + n + op->n_operands + 1) * sizeof(Ref)), .tangents = arena_alloc(a, (n + 1) * sizeof(Ref)), .active = arena_alloc(a, n + 1) };
    bool *changes = arena_alloc(a, n_values + 1);
    Failure f = { 0 };
    d.in = read_activities(b, op, "activity", callee, callee->params, n, reverse);
    d.results = d.in ? read_activities(b, op, "ret_activity", callee, callee->outputs, n_values, reverse) : NULL;
    const Ref *cotangents = d.results ? read_operands(b, op, callee, d.in, operands, reverse, args, tangents) : NULL;
    if (!cotangents) return false;
    for (uint32_t i = 0; i < n_values; i++) changes[i] = d.results[i].changes;
    d.g = specialize(b, callee, &d, args, tangents);
    uint32_t n_args = d.n;
    for (uint32_t i = 0; !reverse && i < d.n; i++) if (d.active[i]) d.args[n_args++] = d.tangents[i];
    for (const Ref *ct = cotangents; reverse && ct < operands + op->n_operands; ct++) d.args[n_args++] = *ct;
    const Graph *g = reverse ? vjp_graph(a, d.g, d.active, changes, 0, &f) : jvp_graph(a, d.g, d.active, changes, &f);
    Ref *outputs = arena_alloc(a, ((g ? g->n_outputs : 0) + 1) * sizeof *outputs);
    return give(b, op, g, &f, d.args, n_args, outputs) && put_results(b, op, &d, n_values, g->n_outputs, outputs, reverse, results);
}

bool rule_autodiff(Build *b, const OpSyntax *op, const Ref *args, Ref *results) { return derive(b, op, args, true, results); }
bool rule_fwddiff(Build *b, const OpSyntax *op, const Ref *args, Ref *results)  { return derive(b, op, args, false, results); }

/* All operands and results have the batch's axes in front. */
bool rule_batch(Build *b, const OpSyntax *op, const Ref *args, Ref *results) {
    Ints shape;
    Failure f = { 0 };
    if (!need_ints(b, op, "batch_shape", NULL, &shape)) return false;
    const Graph *g = parse_callee(b, op, attr_word(attr_find(op, "callee", "fn")), 0);
    if (!g) return false;
    uint32_t n = g->n_params > g->n_outputs ? g->n_params : g->n_outputs;
    int64_t *axes = arena_alloc(b->p->arena, (n + 1) * sizeof *axes);
    for (uint32_t i = shape.n; g && i-- > 0; ) g = vmap_graph(b->p->arena, g, axes, shape.at[i], axes, NULL, &f);
    if (g && g->n_outputs != op->n_results) { parse_error(b->p, op->at, "%s gives %u results, the text says %u", op->rule->name, g->n_outputs, op->n_results); return false; }
    return give(b, op, g, &f, args, op->n_operands, results);
}
