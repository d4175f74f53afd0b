/* carries.c: see carries.h. An in-out struct is its own next value; the other carries take theirs from the
 * other results, in order. */
#include "carries.h"

static bool bad_structure(const Staging *s, const char *body, const TreeDifference *d)
{
    return stage_error(s->f, s->l, WEFT_TREE_MISMATCH,
                       "%s carry input and carry output must have the same structure, but they differ: the "
                       "input carry component %s is %s "
                       "but the corresponding component of the carry output is %s, so %s. Revise the "
                       "function so that the carry output has the structure of the carry input",
                       body, d->path, d->a, d->b, d->why);
}

/* Pairs field i of the arguments with field o of the results, whose leaves begin at these ranges. */
static bool pair_field(const Staging *s, const char *body, Carries *c, size_t i, const TreeRange *from,
                       size_t o, const TreeRange *to)
{
    const Signature *sig = s->f->sig;
    const weft_field *in = &sig->in.field[i], *out = &sig->out.field[o];
    const weft_tree *a = in->tree, *b = out->tree;
    TreeDifference d;
    if (!tree_equal(a, b))
        return stage_error(s->f, s->l, WEFT_TREE_MISMATCH,
                           "%s carry input and carry output must have the same structure, but they differ: "
                           "the input carry component %s is %s%s "
                           "but the corresponding component of the carry output, %s, is %s%s",
                           body, in->name, a ? "a struct " : "an array", a ? a->name : "", out->name,
                           b ? "a struct " : "an array", b ? b->name : "");
    if (a && field_difference(&sig->in, i, s->in, &from[i], &s->callee.results, &to[o], &d))
        return bad_structure(s, body, &d);
    for (uint32_t k = 0; k < from[i + 1].leaf - from[i].leaf; k++) {
        c->leaf[c->n] = from[i].leaf + k;
        c->result[c->n] = to[o].leaf + k;
        c->of_result[to[o].leaf + k] = c->n++;
    }
    return true;
}

static bool same_types(const Staging *s, const char *body, const Carries *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        Type from = s->type[c->leaf[k]], to = callee_result(&s->callee, c->result[k]);
        if (type_equal(from, to)) continue;
        return stage_error(s->f, s->l, from.dtype != to.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                           "%s carry input and carry output must have equal types, but they differ: the "
                           "input carry component %s has type %s but the corresponding output "
                           "carry component has type %s. Revise the function so that they are equal",
                           body, STAGE_IN(s->f, s->in, c->leaf[k]), STAGE_TYPE(from), STAGE_TYPE(to));
    }
    return true;
}

/* Is field i of the arguments a carry? A struct must be one as a whole. */
static bool is_carry(const Staging *s, const TreeRange *from, size_t i, bool *carry)
{
    const Signature *sig = s->f->sig;
    const char *name = sig->in.field[i].name;
    uint32_t n = 0, all = from[i + 1].leaf - from[i].leaf;
    for (uint32_t k = from[i].leaf; k < from[i + 1].leaf; k++) n += s->axis[k] == ROLE_CARRY;
    *carry = n && n == all;
    if (n && !*carry)
        return stage_error(s->f, s->l, WEFT_ARGUMENT,
                           "argument %s is a carry in part only: a struct is carried whole", name);
    if (!*carry && all && signature_inout_result(sig, i) < sig->out.fields)
        return stage_error(s->f, s->l, WEFT_ARGUMENT,
                           "argument %s is an in-out struct: its role is carry (or pass it as const)", name);
    return true;
}

static bool pair_fields(const Staging *s, const char *body, Carries *c, const TreeRange *from,
                        const TreeRange *to)
{
    const Signature *sig = s->f->sig;
    size_t next = signature_result(sig, 0);
    for (size_t i = 0; i < sig->in.fields; i++) {
        bool carry;
        if (!is_carry(s, from, i, &carry)) return false;
        if (!carry) continue;
        size_t o = signature_inout_result(sig, i);
        if (o == sig->out.fields) {
            if ((o = next) == sig->out.fields)
                return stage_error(s->f, s->l, WEFT_ARGUMENT,
                                   "carry %s has no result that could be its next value: the function "
                                   "returns it, or has it as a WEFT_OUT",
                                   sig->in.field[i].name);
            next = signature_result(sig, next + 1);
        }
        if (!pair_field(s, body, c, i, from, o, to)) return false;
    }
    return same_types(s, body, c);
}

bool carries_find(const Staging *s, const char *body, Carries *c)
{
    const Signature *sig = s->f->sig;
    const Flat *results = &s->callee.results;
    Memory *m = &s->l->ctx->memory;
    TreeRange from[sig->in.fields + 1], to[sig->out.fields + 1];
    *c = (Carries){ .n_results = results->n_leaves };
    if (!(c->leaf = stage_room(s->f, s->l, s->in->n_leaves, sizeof *c->leaf)) ||
        !(c->result = stage_room(s->f, s->l, s->in->n_leaves, sizeof *c->result)) ||
        !(c->of_result = stage_room(s->f, s->l, c->n_results, sizeof *c->of_result)))
        return false;
    for (uint32_t i = 0; i < c->n_results; i++) c->of_result[i] = NO_CARRY;
    if (!tree_ranges(&sig->in, m, s->in->word, s->in->n_words, from) ||
        !tree_ranges(&sig->out, m, results->word, results->n_words, to))
        return stage_memory(s->f, s->l);
    return pair_fields(s, body, c, from, to);
}
