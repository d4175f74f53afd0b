/* parse_build.c: from OpSyntax records to nodes: operands, the rule of the op, and the types that the text
 * gives compared with those that the graph inferred. Nodes are added without folding, so that text and graph
 * match one to one. */
#include <string.h>
#include "parse_build.h"

bool rule_return(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)b;
    (void)op;
    (void)args;
    (void)out;
    return false;
}

bool build_failed(TextBuild *b, const OpSyntax *op)
{
    const Failure *f = &b->g->failure;
    if (f->code != WEFT_OK) parse_error(b->p, op->at, "%s: %s", op->rule->name, f->text);
    return b->p->failed;
}

/* Makes an outer value one more parameter of the region, and keeps what it was until the region ends. */
static Ref capture(TextBuild *b, ValueId v)
{
    ARENA_PUSH(b->p->arena, b->captured, b->n_captured, b->cap_captured) =
        (Captured){ v, b->refs[v], b->owner[v] };
    b->owner[v] = b->g;
    return b->refs[v] = build_param(b->g, b->p->types[v]);
}

static void add_capture(TextBuild *b, ValueId v)
{
    Captures *c = b->captures;
    ARENA_PUSH(b->p->arena, c->at, c->n, c->capacity) = v;
}

/* The value as a node of the graph being built. Constants of outer graphs are copied, other outer values
 * are captured. */
Ref build_value(TextBuild *b, const OpSyntax *op, ValueId v)
{
    const Graph *owner = b->owner[v];
    if (owner == b->g) return b->refs[v];
    const Node *n = owner && b->refs[v] != REF_NONE ? graph_node(owner, b->refs[v]) : NULL;
    if (n && n->op == OP_CONSTANT) {
        NodeSpec constant = node_spec(n);
        return graph_add(b->g, &constant);
    }
    if (!n || !b->captures)
        return parse_unsupported(b->p, op->at,
                                 "values from outside of a region that folds or compares elements"),
               REF_NONE;
    add_capture(b, v);
    return capture(b, v);
}

static bool check_type(TextBuild *b, const OpSyntax *op, const char *what, uint32_t i, Type is, Type said)
{
    said = type_held(said);
    return type_equal(is, said) || parse_error(b->p, op->at, "%s: %s %u is %s, the text gives %s",
                                               op->rule->name, what, i, TYPE_TEXT(is), TYPE_TEXT(said));
}

static bool same_elements(TextBuild *b, const OpSyntax *op, const char *what, uint32_t i, Narrow is,
                          const char *says, Narrow said)
{
    return is == said ||
           parse_error(b->p, op->at, "%s: %s %u is of %s elements, %s %s", op->rule->name, what, i,
                       is ? narrow_name(is) : "other", says, said ? narrow_name(said) : "others");
}

static bool check_operand(TextBuild *b, const OpSyntax *op, uint32_t i)
{
    ValueId v = op->operands[i];
    return same_elements(b, op, "operand", i, (Narrow)b->p->narrow[v], "the text gives",
                         type_narrow(op->operand_types[i])) &&
           check_type(b, op, "operand", i, b->p->types[v], op->operand_types[i]);
}

uint32_t find_other_type(const Parser *p, const ValueId *v, const Type *types, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!type_equal(parse_type_said(p, v[i]), types[i])) return i;
    return n;
}

/* n values, in a list or one behind the other, that the op's results are made of, or that are made of what
 * they are: whether they are of their types, as far as the graph does not see it. */
static bool check_passed(TextBuild *b, const OpSyntax *op, const char *from, ValueId first,
                         const ValueId *list, uint32_t n)
{
    for (uint32_t i = 0; i < n && i < op->n_results; i++)
        if (!same_elements(b, op, "result", i, type_narrow(op->results[i]), from,
                           (Narrow)b->p->narrow[list ? list[i] : first + i]))
            return false;
    return true;
}

/* Where values pass through an op, or in and out of its regions. */
static bool check_passing(TextBuild *b, const OpSyntax *op)
{
    BuildFn *build = op->rule->build;
    bool loop = build == rule_while;
    bool gives = loop || build == rule_case || build == rule_if || build == rule_sharded_region;
    if ((loop || build == rule_barrier || build == rule_identity) &&
        !check_passed(b, op, "the operand of", 0, op->operands, op->n_operands))
        return false;
    for (uint32_t i = 0; i < op->n_regions && gives; i++) {
        const RegionSyntax *r = &op->regions[i];
        const OpSyntax *end = r->last;
        if (loop && !check_passed(b, op, "its region takes", r->first_arg, NULL, r->n_args)) return false;
        if (!end || end->rule->build != rule_return || (loop && i == 0)) continue;
        if (end->n_operands != op->n_results)
            return parse_error(b->p, op->at, "%s has %u results, its region gives %u", op->rule->name,
                               op->n_results, end->n_operands);
        if (!check_passed(b, op, "its region gives", 0, end->operands, end->n_operands)) return false;
    }
    return true;
}

static bool check_operands(TextBuild *b, const OpSyntax *op)
{
    if (op->rule->args >= 0 && op->n_operands != (uint32_t)op->rule->args)
        return parse_error(b->p, op->at, "%s takes %d operand%s, saw %u", op->rule->name, op->rule->args,
                           op->rule->args == 1 ? "" : "s", op->n_operands);
    if (op->n_operand_types == 0 && op->n_operands > 0) return true;
    if (op->n_operand_types != op->n_operands)
        return parse_error(b->p, op->at, "%s has %u operands and %u operand types", op->rule->name,
                           op->n_operands, op->n_operand_types);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!check_operand(b, op, i)) return false;
    return true;
}

static bool check_results(TextBuild *b, const OpSyntax *op, const Ref *results)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (results[i] == REF_NONE)
            return parse_error(b->p, op->at, "%s has no result number %u", op->rule->name, i);
        if (!check_type(b, op, "result", i, graph_type(b->g, results[i]), op->results[i])) return false;
    }
    return true;
}

/* An op without a place of its own has the line of the text. */
static void set_place(TextBuild *b, const OpSyntax *op)
{
    const char *place = op->place;
    Parser *p = b->p;
    for (uint32_t hops = 0, i; place && place[0] == '#' && hops < 8; hops++)
        if ((i = names_get(&p->aliases, place + 1))) place = p->places[i - 1];
    if (place && place[0] != '#') b->g->loc = graph_loc(b->g, place);
    else
        b->g->loc =
            p->file && !p->bytecode ? graph_loc(b->g, arena_printf(p->arena, "%s:%u", p->file, op->line)) : 0;
}

static bool build_args(TextBuild *b, const OpSyntax *op, Ref **args)
{
    *args = arena_alloc(b->p->arena, (op->n_operands + 1) * sizeof **args);
    for (uint32_t i = 0; i < op->n_operands; i++) (*args)[i] = build_value(b, op, op->operands[i]);
    return !b->p->failed;
}

static bool build_op(TextBuild *b, const OpSyntax *op)
{
    Ref *args, *results = arena_alloc(b->p->arena, (op->n_results + 1) * sizeof *results);
    for (uint32_t i = 0; i < op->n_results; i++) results[i] = REF_NONE;
    set_place(b, op);
    if (!check_tokens(b, op) || !check_operands(b, op) || !check_passing(b, op) || !build_args(b, op, &args))
        return false;
    bool ok = (has_narrow(b->p, op) ? build_narrow : op->rule->build)(b, op, args, results);
    if (build_failed(b, op) || !ok || !check_results(b, op, results)) return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        b->refs[op->first_result + i] = results[i];
        b->owner[op->first_result + i] = b->g;
    }
    return true;
}

bool build_region(TextBuild *b, const RegionSyntax *r, Ref **outputs, uint32_t *n_outputs)
{
    for (const OpSyntax *op = r->ops; op; op = op->next) {
        if (op->rule->results == NOT_A_VALUE)
            return parse_error(b->p, op->at, "%s cannot stand in a function", op->rule->name);
        if (op->rule->build != rule_return) {
            if (!build_op(b, op)) return false;
            b->pins = op->rule->build == rule_barrier && attr_find(op, "weft.captures", NULL) ? op : NULL;
            continue;
        }
        if (op->next) return parse_error(b->p, op->next->at, "an op behind the return");
        *n_outputs = op->n_operands;
        return check_operands(b, op) && build_args(b, op, outputs);
    }
    return parse_error(b->p, r->last ? r->last->at : b->p->n, "a region must end with a return");
}

void build_params(TextBuild *b, const RegionSyntax *r, bool from_outside)
{
    for (uint32_t i = 0; i < r->n_args; i++) {
        ValueId v = r->first_arg + i;
        b->refs[v] = from_outside ? narrow_param(b, v) : build_param(b->g, b->p->types[v]);
        b->owner[r->first_arg + i] = b->g;
    }
}

/* The graph of a region. Its parameters are its own arguments, then what has been captured. */
static Graph *open_region(TextBuild *b, const RegionSyntax *r)
{
    Ref *outputs;
    uint32_t n_outputs, known = b->captures ? b->captures->n : 0;
    b->one_op = r->ops && r->ops->next == r->last && r->ops != r->last;
    build_params(b, r, false);
    for (uint32_t i = 0; i < known; i++) capture(b, b->captures->at[i]);
    bool ok = build_region(b, r, &outputs, &n_outputs);
    while (b->n_captured > 0) {
        Captured c = b->captured[--b->n_captured];
        b->refs[c.value] = c.ref;
        b->owner[c.value] = c.owner;
    }
    if (!ok) return NULL;
    graph_set_outputs(b->g, outputs, n_outputs);
    return b->g;
}

static TextBuild inner(TextBuild *outer, Captures *captures)
{
    return (TextBuild){ .p = outer->p,
                        .g = graph_new_raw(outer->p->arena, NULL),
                        .refs = outer->refs,
                        .owner = outer->owner,
                        .func = outer->func,
                        .outer = outer,
                        .depth = outer->depth + 1,
                        .captures = captures };
}

Graph *build_region_graph(TextBuild *outer, const RegionSyntax *r)
{
    TextBuild b = inner(outer, NULL);
    Graph *g = open_region(&b, r);
    return g ? graph_compact(b.p->arena, g) : NULL;
}

/* r with the captured values in front of its own arguments, also those that only later regions captured. */
static const Graph *captures_first(TextBuild *b, const Graph *r, uint32_t n_own, const Captures *c)
{
    Graph *g = graph_new_raw(b->p->arena, NULL);
    Ref *params = arena_alloc(b->p->arena, (c->n + n_own + 1) * sizeof *params);
    Ref *outputs = arena_alloc(b->p->arena, (r->n_outputs + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < c->n; i++) params[n_own + i] = build_param(g, b->p->types[c->at[i]]);
    for (uint32_t i = 0; i < n_own; i++) params[i] = build_param(g, graph_type(r, r->params[i]));
    graph_inline(g, r, params, outputs);
    graph_set_outputs(g, outputs, r->n_outputs);
    return graph_compact(b->p->arena, g);
}

/* Each region starts with what those before it have captured, so the list of the last is the list of all. */
const Graph **build_open_regions(TextBuild *outer, const OpSyntax *op, Ref **captured, uint32_t *n_captured)
{
    Captures captures = { 0 };
    const OpSyntax *pins = outer->pins;
    const Graph **graphs = arena_alloc(outer->p->arena, (op->n_regions + 1) * sizeof *graphs);
    TextBuild b = inner(outer, &captures);
    for (uint32_t i = 0; pins && i < pins->n_results; i++) add_capture(&b, pins->first_result + i);
    for (uint32_t i = 0; i < op->n_regions; i++) {
        b = inner(outer, &captures);
        if (!parse_count_ops(outer, op, captures.n)) return NULL;
        if (!(graphs[i] = open_region(&b, &op->regions[i]))) return NULL;
    }
    for (uint32_t i = 0; i < op->n_regions; i++)
        graphs[i] = captures_first(outer, graphs[i], op->regions[i].n_args, &captures);
    *n_captured = captures.n;
    *captured = arena_alloc(outer->p->arena, (captures.n + 1) * sizeof **captured);
    for (uint32_t i = 0; i < captures.n; i++) (*captured)[i] = build_value(outer, op, captures.at[i]);
    return outer->p->failed ? NULL : graphs;
}
