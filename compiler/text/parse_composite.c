/* parse_composite.c: the rule of calls. A composite with the name of an op of weft's is that op, whatever
 * its decomposition; any other is a call of its decomposition. */
#include <string.h>
#include "parse_build.h"
#include "spell.h"

/* The op that a composite names; OP_COUNT: none. */
static Op own_composite(const OpSyntax *op)
{
    const char *name = op->rule->syntax == syntax_composite ? attr_word(attr_find(op, "name", NULL)) : "";
    for (int i = 0; *name && i < OP_COUNT; i++) {
        const CompositeForm *form = spell_composite((Op)i);
        bool named = form || op_is_ew((Op)i) || i == OP_ARGMAX || i == OP_ARGMIN;
        if (named && strcmp(form ? form->name : op_info[i].text, name) == 0) return (Op)i;
    }
    return OP_COUNT;
}

static const AttrSyntax *composite_field(const OpSyntax *op, const char *key)
{
    return attr_field(attr_find(op, "composite_attributes", NULL), key);
}

/* What a call needs. */

static void add_callee(Callees *c, const AttrSyntax *a)
{
    c->name[c->n++] = a && a->kind == ATTR_SYMBOL ? a->text : NULL;
}

Callees parse_callees(const OpSyntax *op)
{
    Callees c = { .n = 0 };
    if (op->rule->build != rule_call) { /* a dialect's call */
        if (op->rule->syntax == syntax_call) add_callee(&c, attr_find(op, "callee", "fn"));
        return c;
    }
    Op own = own_composite(op);
    const CompositeForm *form = own == OP_COUNT ? NULL : spell_composite(own);
    if (own == OP_COUNT) add_callee(&c, attr_find(op, "callee", "decomposition"));
    for (uint32_t i = 0; form && i < form->n_regions; i++)
        add_callee(&c, form->regions[i] ? composite_field(op, form->regions[i])
                                        : attr_find(op, "decomposition", NULL));
    return c;
}

/* Ops of weft's. */

/* The op that an attribute names. */
static bool named_op(TextBuild *b, const AttrSyntax *a, int64_t *v)
{
    const char *name = attr_word(a);
    const OpRule *rule = *name ? rule_find(b->p, name, strlen(name)) : NULL;
    if (rule) *v = rule->op;
    return rule != NULL;
}

static bool composite_number(TextBuild *b, const OpSyntax *op, const CompositeNumber *n, int64_t *v)
{
    const AttrSyntax *a = composite_field(op, n->key);
    if (!a && n->kind == NUMBER_OPTIONAL) return true;
    if (n->kind == NUMBER_MONOID && named_op(b, a, v)) return true;
    if (!a || n->kind == NUMBER_MONOID)
        return parse_error(b->p, op->at, "%s needs the attribute %s", op->rule->name, n->key);
    if (a->kind != ATTR_BOOL) return attr_int(b->p, a, v);
    *v = strcmp(a->text, "true") == 0;
    return true;
}

/* The numbers in the order in which the node holds them. */
static bool composite_numbers(TextBuild *b, const OpSyntax *op, const CompositeForm *form, int64_t *attr,
                              uint32_t *n_attr)
{
    for (int at = 0; at < MAX_COMPOSITE_ATTRS; at++)
        for (const CompositeNumber *n = form->numbers; n->key; n++) {
            if (n->at != at) continue;
            if (!composite_number(b, op, n, &attr[at])) return false;
            *n_attr = (uint32_t)at + 1;
        }
    if (form->op == OP_SCAN) attr[5] = (int64_t)op->n_operands - attr[3] - attr[4];
    return true;
}

static bool build_form(TextBuild *b, const OpSyntax *op, const CompositeForm *form, const Ref *args,
                       Ref *results)
{
    const Graph *regions[MAX_REGION_KEYS];
    Callees callees = parse_callees(op);
    int64_t attr[MAX_COMPOSITE_ATTRS] = { 0 };
    uint32_t n_attr = 0;
    for (uint32_t i = 0; i < callees.n; i++)
        if (!(regions[i] = parse_callee(b, op, callees.name[i], 1))) return false;
    if (!composite_numbers(b, op, form, attr, &n_attr)) return false;
    if (form->op == OP_CUMULATIVE && op->n_operands != 1)
        return parse_error(b->p, op->at, "%s takes one operand", op->rule->name);
    if (op->n_results == 0) return form->n_regions || need_result(b, op);
    NodeSpec s = { .op = form->op,
                   .args = args,
                   .n_args = op->n_operands,
                   .attr = attr,
                   .n_attr = n_attr,
                   .regions = regions,
                   .n_regions = callees.n };
    return take_node(b, op, build_given(b->g, s, op->results, op->n_results), results);
}

/* An op of operands and perhaps a list of numbers. */
static bool build_plain(TextBuild *b, const OpSyntax *op, Op own, const Ref *args, Ref *results)
{
    const AttrSyntax *a = composite_field(op, "attr");
    Ints attr = { 0 };
    if (a && !attr_ints(b->p, a, &attr.at, &attr.n)) return false;
    if (op->n_results != 1) return parse_error(b->p, op->at, "%s has one result", op_info[own].text);
    if (op_info[own].args >= 0 && (uint32_t)op_info[own].args != op->n_operands)
        return parse_error(b->p, op->at, "%s takes %d operands, saw %u", op_info[own].text, op_info[own].args,
                           op->n_operands);
    results[0] = build_typed(b->g, own, args, op->n_operands, attr.at, attr.n, op->results[0]);
    return true;
}

/* Calls. */

bool rule_call(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *results)
{
    Op own = own_composite(op);
    const CompositeForm *form = own == OP_COUNT ? NULL : spell_composite(own);
    if (form) return build_form(b, op, form, args, results);
    if (own != OP_COUNT) return build_plain(b, op, own, args, results);
    const char *name = parse_callees(op).name[0];
    const Graph *g = parse_callee(b, op, name, 0);
    if (!g) return false;
    if (op->n_operands != g->n_params || op->n_results != g->n_outputs)
        return parse_error(b->p, op->at, "@%.100s has %u parameters and %u results, the call %u and %u", name,
                           g->n_params, g->n_outputs, op->n_operands, op->n_results);
    for (uint32_t i = 0; i < g->n_params; i++)
        if (!type_equal(graph_type(b->g, args[i]), graph_type(g, g->params[i])))
            return parse_error(b->p, op->at, "@%.100s: argument %u is of another type than the parameter",
                               name, i);
    graph_inline(b->g, g, args, results);
    return true;
}
