/* pairs.c: what transforms of a function of two elements share (prefixes.c, sorted.c): one array or struct of
 * elements along an axis goes in, and one comes out. */
#include "control.h"
#include "runtime/trace/op.h"
#include <string.h>

/* All leaves lose this axis, which has the same length in each; role[i] is where it was. */
static bool step_elements(Step *s, int64_t axis, int64_t *length)
{
    *length = -1;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        char path[TREE_PATH], text[CONTROL_TEXT];
        Type t = s->type[i];
        call_in_path(s->f, s->in, i, path, sizeof path);
        if (!step_slice(s, i, axis))
            return control_error(s->f, s->l, WEFT_SHAPE, "argument %s %s has no axis %lld", path,
                                 type_text(text, sizeof text, t), (long long)axis);
        s->role[i] = axis < 0 ? axis + t.rank : axis;
        if (*length >= 0 && t.dim[s->role[i]] != *length)
            return control_error(s->f, s->l, WEFT_SHAPE,
                                 "argument %s %s has %lld elements along axis %lld, others have %lld", path,
                                 type_text(text, sizeof text, t), (long long)t.dim[s->role[i]],
                                 (long long)axis, (long long)*length);
        *length = t.dim[s->role[i]];
    }
    return *length >= 0 || control_error(s->f, s->l, WEFT_ARGUMENT, "the argument holds no array");
}

/* Two structures of one element each: the leaves and words twice. */
static bool step_trace_pair(Step *s)
{
    Memory *m = &s->l->ctx->memory;
    uint32_t n = s->in->n_leaves;
    Flat like;
    Type *types = memory_alloc(m, (2 * (size_t)n + 1) * sizeof *types);
    flat_open(&like, m);
    bool good = types && flat_words(&like, s->in->word, s->in->n_words) &&
                flat_words(&like, s->in->word, s->in->n_words);
    for (uint32_t i = 0; i < 2 * n && good; i++) {
        types[i] = s->type[i % n];
        good = flat_leaf(&like, s->in->leaf[i % n]);
    }
    if (!good) control_memory(s->f, s->l);
    s->traced = good && call_trace(s->f->base, s->l, types, &like, &s->trace, &s->results);
    flat_close(&like);
    if (types) memory_free(m, types, (2 * (size_t)n + 1) * sizeof *types);
    return s->traced;
}

bool pairs_stage(const Function *f, Local *l, const Flat *in, Flat *out, int64_t axis, PairsCheck *check,
                 PairsBuild *build)
{
    Memory *m = &l->ctx->memory;
    Step s;
    int64_t length;
    size_t bytes = (in->n_leaves + 1) * sizeof(Ref);
    bool good =
        step_open(&s, f, l, in, NULL) && step_elements(&s, axis, &length) && step_trace_pair(&s) && check(&s);
    Ref *results = good ? memory_alloc(m, bytes) : NULL;
    if (good && !results) good = control_memory(f, l);
    good = good && build(&s, length, results) && call_results(f, l, results, in->n_leaves, out) &&
           (flat_words(out, in->word, in->n_words) || control_memory(f, l));
    if (results) memory_free(m, results, bytes);
    step_close(&s);
    return good;
}

bool pairs_same_field(const weft_field *a, const weft_field *b)
{
    return (a->tree != NULL) == (b->tree != NULL) && (!a->tree || tree_equal(a->tree, b->tree)) &&
           (a->kind == WEFT_FIELD_STATIC) == (b->kind == WEFT_FIELD_STATIC);
}

bool pairs_prepare(const Function *f, Failure *failure)
{
    const Signature *one = f->base->sig, *all = f->sig;
    if (all->in.fields == 1 && all->out.fields == 1 && all->in_of_out[0] < 0 &&
        pairs_same_field(&one->in.field[0], &all->in.field[0]) &&
        pairs_same_field(&all->in.field[0], &all->out.field[0]))
        return true;
    return fail(failure, WEFT_ARGUMENT,
                "the new function must take one array or const struct, of the type that %s takes two of, and "
                "give one",
                f->base->label);
}
