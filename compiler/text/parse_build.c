/* parse_build.c: from OpSyntax records to nodes: operands, the rule of the op, and the types that the text gives compared with
 * those that the graph inferred. Nodes are added without folding, so that text and graph match one to one. */
#include <string.h>
#include "parse_rules.h"

bool rule_return(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    (void)b; (void)op; (void)args; (void)out;
    return false;
}

bool build_failed(Build *b, const OpSyntax *op) {
    const Failure *f = &b->g->failure;
    if (f->code != WEFT_OK) parse_error(b->p, op->at, "%s: %s", op->rule->name, f->text);
    return b->p->failed;
}

/* The value as a node of the graph being built; a constant of an outer graph is copied in, other outer values are not supported. */
static Ref value_ref(Build *b, const OpSyntax *op, ValueId v) {
    const Graph *owner = b->owner[v];
    if (owner == b->g) return b->refs[v];
    const Node *n = owner && b->refs[v] != REF_NONE ? graph_node(owner, b->refs[v]) : NULL;
    if (!n || n->op != OP_CONSTANT) { parse_unsupported(b->p, op->at, "values from outside of a region"); return REF_NONE; }
    return graph_add_raw(b->g, &(NodeSpec){ .op = OP_CONSTANT, .attr = n->attr, .n_attr = n->n_attr, .dtype = (DType)n->dtype,
                                            .dim = n->dim, .rank = n->rank, .data = n->data });
}

static bool check_operands(Build *b, const OpSyntax *op) {
    if (op->rule->args >= 0 && op->n_operands != (uint32_t)op->rule->args) {
        parse_error(b->p, op->at, "%s takes %d operand%s, saw %u", op->rule->name, op->rule->args,
                    op->rule->args == 1 ? "" : "s", op->n_operands);
        return false;
    }
    if (op->n_operand_types == 0 && op->n_operands > 0) return true;
    if (op->n_operand_types != op->n_operands) {
        parse_error(b->p, op->at, "%s has %u operands and %u operand types", op->rule->name, op->n_operands, op->n_operand_types);
        return false;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        Type is = b->p->types[op->operands[i]];
        char seen[128], said[128];
        if (type_equal(is, op->operand_types[i])) continue;
        type_text(seen, sizeof seen, is);
        type_text(said, sizeof said, op->operand_types[i]);
        parse_error(b->p, op->at, "%s: operand %u is %s, the text gives %s", op->rule->name, i, seen, said);
        return false;
    }
    return true;
}

static bool check_results(Build *b, const OpSyntax *op, const Ref *results) {
    for (uint32_t i = 0; i < op->n_results; i++) {
        char is[128], said[128];
        if (results[i] == REF_NONE) { parse_error(b->p, op->at, "%s has no result number %u", op->rule->name, i); return false; }
        Type t = graph_type(b->g, results[i]);
        if (type_equal(t, op->results[i])) continue;
        type_text(is, sizeof is, t);
        type_text(said, sizeof said, op->results[i]);
        parse_error(b->p, op->at, "%s: result %u is %s, the text gives %s", op->rule->name, i, is, said);
        return false;
    }
    return true;
}

/* An op without a place of its own has the line of the text. */
static void set_place(Build *b, const OpSyntax *op) {
    const char *place = op->place;
    Parser *p = b->p;
    for (uint32_t i = 0, hops = 0; place && place[0] == '#' && i < p->n_aliases && hops < 8; i++)
        if (strcmp(p->aliases[i].name, place + 1) == 0) { place = p->aliases[i].place; i = UINT32_MAX; hops++; }
    if (place && place[0] != '#') b->g->loc = graph_loc(b->g, place);
    else b->g->loc = p->file ? graph_loc(b->g, arena_printf(p->arena, "%s:%u", p->file, op->line)) : 0;
}

static bool build_args(Build *b, const OpSyntax *op, Ref **args) {
    *args = arena_alloc(b->p->arena, (op->n_operands + 1) * sizeof **args);
    for (uint32_t i = 0; i < op->n_operands; i++) (*args)[i] = value_ref(b, op, op->operands[i]);
    return !b->p->failed;
}

static bool build_op(Build *b, const OpSyntax *op) {
    Ref *args, *results = arena_alloc(b->p->arena, (op->n_results + 1) * sizeof *results);
    for (uint32_t i = 0; i < op->n_results; i++) results[i] = REF_NONE;
    set_place(b, op);
    if (!check_operands(b, op) || !build_args(b, op, &args)) return false;
    bool ok = op->rule->build(b, op, args, results);
    if (build_failed(b, op) || !ok || !check_results(b, op, results)) return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        b->refs[op->first_result + i] = results[i];
        b->owner[op->first_result + i] = b->g;
    }
    return true;
}

bool build_region(Build *b, const RegionSyntax *r, Ref **outputs, uint32_t *n_outputs) {
    for (const OpSyntax *op = r->ops; op; op = op->next) {
        if (op->rule->results == NOT_A_VALUE) {
            parse_error(b->p, op->at, "%s cannot stand in a function", op->rule->name);
            return false;
        }
        if (op->rule->build != rule_return) {
            if (!build_op(b, op)) return false;
            continue;
        }
        if (op->next) { parse_error(b->p, op->next->at, "an op behind the return"); return false; }
        *n_outputs = op->n_operands;
        return check_operands(b, op) && build_args(b, op, outputs);
    }
    parse_error(b->p, r->last ? r->last->at : b->p->n, "a region must end with a return");
    return false;
}

Graph *build_region_graph(Build *outer, const RegionSyntax *r) {
    Build b = { .p = outer->p, .g = graph_new(outer->p->arena, NULL), .refs = outer->refs, .owner = outer->owner };
    Ref *outputs;
    uint32_t n_outputs;
    for (uint32_t i = 0; i < r->n_args; i++) {
        b.refs[r->first_arg + i] = build_param(b.g, b.p->types[r->first_arg + i]);
        b.owner[r->first_arg + i] = b.g;
    }
    if (!build_region(&b, r, &outputs, &n_outputs)) return NULL;
    graph_set_outputs(b.g, outputs, n_outputs);
    return graph_compact(b.p->arena, b.g);
}
