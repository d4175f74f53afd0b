/* parse_tuple.c: tuples. One is a list of values while the text is read: what is taken out of it is the value
 * that was put in. So only `tuple` makes one, and only `get_tuple_element` takes one. */
#include "parse_build.h"

/* The ref of a tuple is which of p->tuples made it. */
bool rule_tuple(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Parser *p = b->p;
    (void)args;
    (void)out;
    if (op->n_results != 1 || type_narrow(op->results[0]) != NARROW_TUPLE)
        return parse_error(p, op->at, "%s gives a tuple", op->rule->name);
    b->refs[op->first_result] = p->n_tuples;
    ARENA_PUSH(p->arena, p->tuples, p->n_tuples, p->cap_tuples) = op;
    return true;
}

bool rule_tuple_element(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Parser *p = b->p;
    int64_t i;
    (void)args;
    (void)out;
    if (!need_result(b, op) || !need_int(b, op, "index", NULL, &i)) return false;
    if (p->narrow[op->operands[0]] != NARROW_TUPLE)
        return parse_error(p, op->at, "%s takes a tuple", op->rule->name);
    const OpSyntax *tuple = p->tuples[b->refs[op->operands[0]]];
    if (i < 0 || i >= (int64_t)tuple->n_operands)
        return parse_error(p, op->at, "there is no element %lld in a tuple of %u", (long long)i,
                           tuple->n_operands);
    ValueId v = tuple->operands[i], to = op->first_result;
    if (p->narrow[v] != p->narrow[to] || !type_equal(p->types[v], p->types[to]))
        return parse_error(p, op->at, "element %lld of the tuple is of another type", (long long)i);
    b->owner[to] = b->g;
    b->refs[to] = p->narrow[v] == NARROW_TUPLE ? b->refs[v] : build_value(b, op, v);
    return !p->failed;
}
