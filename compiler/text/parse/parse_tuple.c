/* parse_tuple.c: tuples, which a graph has not. Once the text is read, each value that is a tuple becomes the
 * values in it, wherever it stands: among operands and results, as an argument, in lists of types. What is
 * taken out of a tuple is what was put in, so the ops that make and take one are left with nothing to do. */
#include <string.h>
#include "parse_build.h"

/* Tuples of tuples double: how many values may be in one, and how many may come of them in a text. */
enum { MAX_IN_TUPLE = 1 << 16, MAX_SPREAD = 1 << 22 };

struct TupleType {
    const Type *parts;
    uint32_t n, n_values; /* without tuples in it, and with what is in those */
};

typedef struct Spread {
    Parser *p;
    const ValueId **parts; /* of each value that the text has: what it became, and of how many */
    uint32_t *n;
    uint64_t total;
} Spread;

static const TupleType *tuple_of(const Parser *p, Type t)
{
    return type_narrow(t) == NARROW_TUPLE ? &p->tuples[t.dim[0]] : NULL;
}

static uint32_t values_in(const Parser *p, Type t)
{
    const TupleType *tuple = tuple_of(p, t);
    return tuple ? tuple->n_values : 1;
}

bool parse_tuple_type(Parser *p, const Type *parts, uint32_t n, Type *t)
{
    uint64_t n_values = 0;
    int64_t number = p->n_tuples;
    for (uint32_t i = 0; i < n; i++) n_values += values_in(p, parts[i]);
    if (n_values > MAX_IN_TUPLE)
        return parse_error(p, p->tok.at, "a tuple of more than %d values", MAX_IN_TUPLE);
    ARENA_PUSH(p->arena, p->tuples, p->n_tuples, p->cap_tuples) = (TupleType){ parts, n, (uint32_t)n_values };
    *t = (Type){ .dtype = TYPE_NARROW + NARROW_TUPLE, .dim = arena_copy(p->arena, &number, sizeof number) };
    return !p->failed;
}

/* Recursion is limited: the parser has limited how deep types nest. */
static Type *write_types(const Parser *p, Type t, Type *to)
{
    const TupleType *tuple = tuple_of(p, t);
    if (!tuple) *to++ = t;
    for (uint32_t i = 0; tuple && i < tuple->n; i++) to = write_types(p, tuple->parts[i], to);
    return to;
}

static bool count_spread(Spread *s, const OpSyntax *op, uint64_t n)
{
    s->total += n;
    if (s->total > MAX_SPREAD) parse_error(s->p, op->at, "tuples of more than %d values in all", MAX_SPREAD);
    return !s->p->failed;
}

/* The types of all that is in n of them, and how many those are. */
static Type *spread_types(Spread *s, const OpSyntax *op, Type *types, uint32_t *n)
{
    uint64_t all = 0;
    bool any = false;
    for (uint32_t i = 0; i < *n; i++) {
        all += values_in(s->p, types[i]);
        any |= tuple_of(s->p, types[i]) != NULL;
    }
    if (!any) return types;
    if (!count_spread(s, op, all)) return NULL;
    Type *to = arena_alloc(s->p->arena, (all + 1) * sizeof *to), *end = to;
    for (uint32_t i = 0; i < *n; i++) end = write_types(s->p, types[i], end);
    *n = (uint32_t)all;
    return to;
}

static bool same_values(Spread *s, const OpSyntax *op, Type a, Type b)
{
    uint32_t n_a = 1, n_b = 1;
    Type *of_a = spread_types(s, op, &a, &n_a), *of_b = spread_types(s, op, &b, &n_b);
    bool same = !s->p->failed && n_a == n_b;
    for (uint32_t i = 0; same && i < n_a; i++) same = type_equal(of_a[i], of_b[i]);
    return same;
}

Type parse_type_said(const Parser *p, ValueId v)
{
    Type t = p->types[v];
    if (p->narrow[v]) t.dtype = (uint8_t)(TYPE_NARROW + p->narrow[v]);
    return t;
}

static void spread_operands(Spread *s, OpSyntax *op)
{
    const ValueId *old = op->operands;
    uint32_t n = op->n_operands;
    op->operands = NULL;
    op->n_operands = op->cap_operands = 0;
    for (uint32_t i = 0; i < n && count_spread(s, op, s->n[old[i]] > 1 ? s->n[old[i]] : 0); i++)
        for (uint32_t k = 0; k < s->n[old[i]]; k++) parse_add_operand(s->p, op, s->parts[old[i]][k]);
}

/* Values that stand one behind the other: new ones, if there is a tuple among them. */
static void spread_values(Spread *s, const OpSyntax *op, ValueId *first, uint32_t *n)
{
    Parser *p = s->p;
    ValueId old = *first;
    uint32_t n_old = *n, n_tuples = 0;
    for (uint32_t i = 0; i < n_old; i++) n_tuples += p->narrow[old + i] == NARROW_TUPLE;
    if (n_tuples == 0 || p->failed) return;
    Type *types = arena_alloc(p->arena, n_old * sizeof *types);
    for (uint32_t i = 0; i < n_old; i++) types[i] = parse_type_said(p, old + i);
    Type *all = spread_types(s, op, types, n);
    if (!all) return;
    *first = parse_new_values(p, all, *n);
    ValueId *parts = arena_alloc(p->arena, (*n + 1) * sizeof *parts);
    for (uint32_t i = 0; i < *n; i++) parts[i] = *first + i;
    for (uint32_t i = 0; i < n_old; i++) {
        s->parts[old + i] = parts;
        parts += s->n[old + i] = values_in(p, types[i]);
    }
}

/* What is said of an argument is said of each value in it. */
static AttrSyntax *spread_attrs(Spread *s, const AttrSyntax *attrs, ValueId old, uint32_t n_old, uint32_t n)
{
    AttrSyntax *to = arena_alloc(s->p->arena, (n + 1) * sizeof *to);
    for (uint32_t i = 0, at = 0; i < n_old; i++)
        for (uint32_t k = 0; k < s->n[old + i]; k++) to[at++] = attrs[i];
    return to;
}

static void spread_args(Spread *s, OpSyntax *op, RegionSyntax *r)
{
    Parser *p = s->p;
    ValueId old = r->first_arg;
    uint32_t n_old = r->n_args;
    bool is_func = op->rule->syntax == syntax_func;
    spread_values(s, op, &r->first_arg, &r->n_args);
    if (!is_func || r->first_arg == old || p->failed) return;
    const char **names = arena_alloc(p->arena, (r->n_args + 1) * sizeof *names);
    for (uint32_t i = 0, at = 0; i < n_old && r->arg_names; i++) {
        bool whole = p->narrow[old + i] != NARROW_TUPLE;
        for (uint32_t k = 0; k < s->n[old + i]; k++)
            names[at++] = whole ? r->arg_names[i] : arena_printf(p->arena, "%s_%u", r->arg_names[i], k);
    }
    if (r->arg_names) r->arg_names = names;
    if (r->arg_attrs) r->arg_attrs = spread_attrs(s, r->arg_attrs, old, n_old, r->n_args);
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        AttrSyntax *a = &op->attrs[i];
        if (strcmp(a->key, "arg_attrs") != 0 || a->kind != ATTR_LIST || a->n_items != n_old) continue;
        a->items = spread_attrs(s, a->items, old, n_old, r->n_args);
        a->n_items = r->n_args;
    }
}

static bool make_tuple(Spread *s, OpSyntax *op)
{
    Parser *p = s->p;
    const TupleType *tuple = op->n_results == 1 ? tuple_of(p, op->results[0]) : NULL;
    if (!tuple) return parse_error(p, op->at, "%s gives a tuple", op->rule->name);
    bool same = tuple->n == op->n_operands;
    for (uint32_t i = 0; same && i < tuple->n; i++)
        same = same_values(s, op, tuple->parts[i], parse_type_said(p, op->operands[i]));
    if (!same) return parse_error(p, op->at, "%s: its type is not that of its operands", op->rule->name);
    spread_operands(s, op);
    s->parts[op->first_result] = op->operands;
    s->n[op->first_result] = op->n_operands;
    return !p->failed;
}

static bool take_element(Spread *s, OpSyntax *op)
{
    Parser *p = s->p;
    int64_t i;
    const TupleType *tuple = op->n_operands == 1 ? tuple_of(p, parse_type_said(p, op->operands[0])) : NULL;
    const AttrSyntax *index = attr_find(op, "index", NULL);
    if (!tuple) return parse_error(p, op->at, "%s takes a tuple", op->rule->name);
    if (!index) return parse_error(p, op->at, "%s needs the attribute index", op->rule->name);
    if (!attr_int(p, index, &i)) return false;
    if (i < 0 || i >= tuple->n)
        return parse_error(p, op->at, "there is no element %lld in a tuple of %u", (long long)i, tuple->n);
    if (op->n_results != 1 || !same_values(s, op, tuple->parts[i], op->results[0]))
        return parse_error(p, op->at, "element %lld of the tuple is of another type", (long long)i);
    const ValueId *parts = s->parts[op->operands[0]];
    for (int64_t k = 0; k < i; k++) parts += values_in(p, tuple->parts[k]);
    s->parts[op->first_result] = parts;
    s->n[op->first_result] = values_in(p, tuple->parts[i]);
    return true;
}

/* An op that does nothing. */
static void empty(OpSyntax *op) { op->n_operands = op->n_operand_types = op->n_results = 0; }

/* Recursion is limited: the parser has limited how deep regions nest. */
static void spread_op(Spread *s, OpSyntax *op)
{
    bool takes = op->rule->syntax == syntax_tuple_element, makes = op->rule->syntax == syntax_tuple;
    if (takes || makes) {
        if ((takes ? take_element : make_tuple)(s, op)) empty(op);
        return;
    }
    if (s->p->n_tuples) spread_operands(s, op);
    op->operand_types = spread_types(s, op, op->operand_types, &op->n_operand_types);
    for (uint32_t i = 0; i < op->n_regions && !s->p->failed; i++) {
        RegionSyntax *r = &op->regions[i];
        spread_args(s, op, r);
        for (OpSyntax *in = r->ops; in && !s->p->failed; in = in->next) spread_op(s, in);
    }
    uint32_t n = op->n_results;
    if (op->rule->results != NOT_A_VALUE) spread_values(s, op, &op->first_result, &n);
    op->results = spread_types(s, op, op->results, &op->n_results);
}

void parse_spread_tuples(Parser *p, const RegionSyntax *top)
{
    uint32_t n = p->n_values;
    ValueId *self = arena_alloc(p->arena, (n + 1) * sizeof *self);
    Spread s = { .p = p,
                 .parts = arena_alloc(p->arena, (n + 1) * sizeof *s.parts),
                 .n = arena_alloc(p->arena, (n + 1) * sizeof *s.n) };
    for (ValueId v = 0; v < n; v++) {
        self[v] = v;
        s.parts[v] = &self[v];
        s.n[v] = 1;
    }
    for (OpSyntax *op = top->ops; op && !p->failed; op = op->next) spread_op(&s, op);
}
