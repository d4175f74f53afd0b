/* pairs.c: see pairs.h. */
#include "pairs.h"
#include "options.h"

/* All leaves lose this axis, which has the same length in each. */
static bool cut_elements(Staging *s, int64_t axis)
{
    s->length = -1;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        Type t = s->type[i];
        int cut = staging_cut(s, i, axis);
        const char *path = STAGE_IN(s->f, s->in, i);
        if (cut < 0)
            return stage_error(s->f, s->l, WEFT_SHAPE, "argument %s %s has no axis %lld", path, STAGE_TYPE(t),
                               (long long)axis);
        if (s->length >= 0 && t.dim[cut] != s->length)
            return stage_error(s->f, s->l, WEFT_SHAPE,
                               "argument %s %s has %lld elements along axis %lld, others have %lld", path,
                               STAGE_TYPE(t), (long long)t.dim[cut], (long long)axis, (long long)s->length);
        s->axis[i] = cut;
        s->length = t.dim[cut];
    }
    return s->length >= 0 || stage_error(s->f, s->l, WEFT_ARGUMENT, "the argument holds no array");
}

/* Two structures of one element each: the leaves and words twice. */
static bool trace_pair(Staging *s)
{
    uint32_t n = s->in->n_leaves;
    Type *types = stage_room(s->f, s->l, 2 * (size_t)n, sizeof *types);
    Flat like;
    if (!types) return false;
    flat_open(&like, &s->l->ctx->memory);
    bool good = true;
    for (int k = 0; k < 2 && good; k++) good = flat_words(&like, s->in->word, s->in->n_words);
    for (uint32_t i = 0; i < 2 * n && good; i++) {
        types[i] = s->type[i % n];
        good = flat_leaf(&like, s->in->leaf[i % n]);
    }
    good = good ? callee_trace(&s->callee, s->f->base, s->l, types, &like) : stage_memory(s->f, s->l);
    flat_close(&like);
    return good;
}

bool pairs_stage(const Function *f, Local *l, const Flat *in, Flat *out, PairsCheck *check, StageBuild *build)
{
    Staging s;
    bool good = staging_open(&s, f, l, in) && cut_elements(&s, f->numbers[OPTION_axis]) && trace_pair(&s) &&
                check(&s) && stage_results(f, l, build, &s, in, out);
    callee_close(&s.callee);
    return good;
}

bool pairs_prepare(const Function *f, const char *gives, Failure *failure)
{
    const Signature *one = f->base->sig, *all = f->sig;
    const weft_field *element = one->in.field;
    const weft_tree *result = gives ? NULL : element->tree;
    if (!control_refuse_stray(f, failure)) return false;
    if (one->in.fields != 2 || one->out.fields != 1 || one->in_of_out[0] >= 0 ||
        element->kind == WEFT_FIELD_STATIC || !field_equal(&element[0], &element[1]) ||
        !tree_equal(one->out.field[0].tree, result))
        return fail(failure, WEFT_ARGUMENT,
                    "%s must take two arrays, or two const structs of one type, and give %s", f->base->label,
                    gives ? gives : "a third");
    if (all->in.fields == 1 && all->out.fields == 1 && all->in_of_out[0] < 0 &&
        field_equal(&element[0], &all->in.field[0]) &&
        tree_equal(all->in.field[0].tree, all->out.field[0].tree))
        return true;
    return fail(failure, WEFT_ARGUMENT,
                "the new function must take one array or const struct, of the type that %s takes two of, and "
                "give one",
                f->base->label);
}
