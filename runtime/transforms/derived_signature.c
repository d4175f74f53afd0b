/* derived_signature.c: see derived_signature.h. */
#include "derived_signature.h"

DerivedSignature derived_open(DerivedField *fields, int room)
{
    return (DerivedSignature){ .in = { .field = fields, .room = room },
                               .out = { .field = fields + room, .room = room, .gives = true } };
}

static DerivedField *add(DerivedList *list, DerivedPart part, Param p)
{
    DerivedField *w = &list->field[list->n];
    *w = (DerivedField){ .part = part, .gives = part, .param = p };
    if (list->n < list->room - 1) list->n++;
    return w;
}

void derived_argument(DerivedSignature *w, const Signature *f, size_t i, bool d)
{
    Param p = *signature_argument(f, i);
    bool inout = p.kind == PARAM_INOUT;
    if (d && p.tree) p.kind = PARAM_TREE;
    DerivedField *made = add(&w->in, (DerivedPart){ .of = PART_ARGUMENT, .d = d, .field = (int)i }, p);
    made->inout = inout;
    if (p.kind == PARAM_INOUT)
        made->gives = (DerivedPart){ .of = PART_RESULT, .field = (int)signature_inout_result(f, i) };
}

DerivedField *derived_value(DerivedList *list, DerivedPart part, const weft_tree *tree, const char *name)
{
    uint8_t kind = list->gives ? (tree ? PARAM_OUT_TREE : PARAM_OUT) : tree ? PARAM_TREE : PARAM_ARRAY;
    return add(list, part, (Param){ .kind = kind, .tree = tree, .name = name });
}

static bool takes(const DerivedField *w, const Signature *rule, size_t i)
{
    return param_equal(signature_argument(rule, i), &w->param);
}

static bool gives(const DerivedField *w, const Signature *rule, size_t o)
{
    return tree_equal(rule->out.field[o].tree, w->param.tree);
}

static bool may_be_left(const DerivedField *w) { return w->part.d && !w->param.tree; }

/* left: how many were left out. */
static bool match_in(const DerivedSignature *w, const Signature *rule, bool loosely, DerivedPart *in,
                     DerivedPart *out, int *left)
{
    int k = 0;
    for (size_t i = 0; i < rule->in.fields; i++, k++) {
        while (loosely && k < w->in.n && !takes(&w->in.field[k], rule, i) && may_be_left(&w->in.field[k]))
            k++, ++*left;
        if (k >= w->in.n || !takes(&w->in.field[k], rule, i)) return false;
        if (in) in[i] = w->in.field[k].part;
        if (out && w->in.field[k].param.kind == PARAM_INOUT)
            out[signature_inout_result(rule, i)] = w->in.field[k].gives;
    }
    while (loosely && k < w->in.n && may_be_left(&w->in.field[k])) k++, ++*left;
    return k == w->in.n;
}

static bool match_out(const DerivedSignature *w, const Signature *rule, bool loosely, DerivedPart *out,
                      int *left)
{
    int k = 0;
    for (size_t o = 0; o < rule->out.fields; o++) {
        if (rule->in_of_out[o] >= 0) continue;
        while (loosely && k < w->out.n && !gives(&w->out.field[k], rule, o) && may_be_left(&w->out.field[k]))
            k++, ++*left;
        if (k < w->out.n ? !gives(&w->out.field[k], rule, o) : !w->more) return false;
        if (out)
            out[o] = k < w->out.n ? w->out.field[k].part : (DerivedPart){ .of = PART_KEPT, .field = (int)o };
        k += k < w->out.n;
    }
    while (loosely && k < w->out.n && may_be_left(&w->out.field[k])) k++, ++*left;
    return k == w->out.n;
}

static int derivatives(const DerivedList *list)
{
    int d = 0;
    for (int i = 0; i < list->n; i++) d += list->field[i].part.d;
    return d;
}

/* A rule that leaves out all derivatives is none. */
bool derived_match(const DerivedSignature *w, const Signature *rule, bool loosely, DerivedPart *in,
                   DerivedPart *out)
{
    int left_in = 0, left_out = 0;
    return match_in(w, rule, loosely, in, out, &left_in) && match_out(w, rule, loosely, out, &left_out) &&
           (!left_in || left_in < derivatives(&w->in)) && (!left_out || left_out < derivatives(&w->out));
}
