/* custom_signature.c: what a rule must take and give, whether it does, and how it is declared; see
 * custom.h. */
#include "custom.h"
#include <string.h>
#include "runtime/memory/text_writer.h"

/* ---- what is wanted ---- */

static RuleField *add(RuleField *list, int *n, RulePart part, const Param *p, uint8_t kind)
{
    RuleField *w = &list[*n];
    *w = (RuleField){ .part = part, .gives = part, .inout = p && p->kind == PARAM_INOUT };
    if (p) w->param = *p;
    else w->param.name = "y";
    w->param.kind = kind;
    if (*n < PARTS - 1) ++*n;
    return w;
}

/* An argument of f, or its tangent. */
static void want_argument(RuleSignature *w, const Signature *f, int i, bool d)
{
    const Param *p = signature_argument(f, (size_t)i);
    RuleField *made = add(w->in, &w->n_in, (RulePart){ PART_ARGUMENT, d, (int16_t)i }, p,
                          d && p->tree ? PARAM_TREE : p->kind);
    if (made->param.kind == PARAM_INOUT)
        made->gives = (RulePart){ PART_RESULT, false, (int16_t)signature_inout_result(f, (size_t)i) };
}

static void want_cotangent(RuleSignature *w, const Signature *f, int o)
{
    const Param *p = signature_result_param(f, (size_t)o);
    add(w->in, &w->n_in, (RulePart){ PART_RESULT, true, (int16_t)o }, p,
        p && p->tree ? PARAM_TREE : PARAM_ARRAY);
}

static void want_result(RuleSignature *w, RulePart part, const Param *p)
{
    add(w->out, &w->n_out, part, p, p && p->tree ? PARAM_OUT_TREE : PARAM_OUT);
}

static bool is_number(const Signature *s, size_t i) { return s->in.field[i].kind == WEFT_FIELD_STATIC; }
static bool is_left(const bool *left, size_t i) { return left && left[i]; }

static void want_arguments(RuleSignature *w, const Signature *f, bool d, const bool *left)
{
    for (size_t i = 0; i < f->in.fields; i++)
        if (!d || (!is_number(f, i) && !is_left(left, i))) want_argument(w, f, (int)i, d);
}

static void want_results(RuleSignature *w, const Signature *f, bool d, const bool *left)
{
    for (size_t o = 0; o < f->out.fields; o++)
        if ((d || f->in_of_out[o] < 0) && !is_left(left, o))
            want_result(w, (RulePart){ PART_RESULT, d, (int16_t)o }, signature_result_param(f, o));
}

/* What the forward rule gives behind f's results, the backward rule takes. */
static void want_kept(RuleSignature *w, const Signature *f, const Signature *forward)
{
    size_t results = 0, seen = 0;
    for (size_t o = 0; o < f->out.fields; o++) results += f->in_of_out[o] < 0;
    for (size_t o = 0; o < forward->out.fields; o++) {
        if (forward->in_of_out[o] >= 0 || seen++ < results) continue;
        const Param *p = signature_result_param(forward, o);
        RuleField *made = add(w->in, &w->n_in, (RulePart){ PART_KEPT, false, (int16_t)o }, p,
                              p && p->tree ? PARAM_TREE : PARAM_ARRAY);
        if (!p) made->param.name = "kept";
    }
}

void wanted_of(RuleKind kind, const Signature *f, const Signature *forward, const bool *left_in,
               const bool *left_out, RuleSignature *w)
{
    *w = (RuleSignature){ .more = kind == RULE_FORWARD };
    if (kind == RULE_BACKWARD) {
        for (size_t i = 0; i < f->in.fields; i++)
            if (is_number(f, i)) want_argument(w, f, (int)i, false);
        want_kept(w, f, forward);
        for (size_t o = 0; o < f->out.fields; o++)
            if (!is_left(left_out, o)) want_cotangent(w, f, (int)o);
        for (size_t i = 0; i < f->in.fields; i++) {
            const Param *p = signature_argument(f, i);
            if (p->kind != PARAM_NUMBER && !is_left(left_in, i))
                want_result(w, (RulePart){ PART_ARGUMENT, true, (int16_t)i }, p);
        }
        return;
    }
    want_arguments(w, f, false, NULL);
    want_results(w, f, false, NULL);
    if (kind != RULE_JVP) return;
    want_arguments(w, f, true, left_in);
    want_results(w, f, true, left_out);
}

/* ---- does a rule fit? ---- */

static bool takes(const RuleField *w, const Signature *rule, size_t i)
{
    return param_equal(signature_argument(rule, i), &w->param);
}

static bool gives(const RuleField *w, const Signature *rule, size_t o)
{
    return tree_equal(rule->out.field[o].tree, w->param.tree);
}

static bool may_be_left(const RuleField *w) { return w->part.d && !w->param.tree; }

/* left: how many were left out. */
static bool match_in(const RuleSignature *w, const Signature *rule, bool loosely, RulePart *in, RulePart *out,
                     int *left)
{
    int k = 0;
    for (size_t i = 0; i < rule->in.fields; i++, k++) {
        while (loosely && k < w->n_in && !takes(&w->in[k], rule, i) && may_be_left(&w->in[k])) k++, ++*left;
        if (k >= w->n_in || !takes(&w->in[k], rule, i)) return false;
        if (in) in[i] = w->in[k].part;
        if (out && w->in[k].param.kind == PARAM_INOUT) out[signature_inout_result(rule, i)] = w->in[k].gives;
    }
    while (loosely && k < w->n_in && may_be_left(&w->in[k])) k++, ++*left;
    return k == w->n_in;
}

static bool match_out(const RuleSignature *w, const Signature *rule, bool loosely, RulePart *out, int *left)
{
    int k = 0;
    for (size_t o = 0; o < rule->out.fields; o++) {
        if (rule->in_of_out[o] >= 0) continue;
        while (loosely && k < w->n_out && !gives(&w->out[k], rule, o) && may_be_left(&w->out[k]))
            k++, ++*left;
        if (k < w->n_out ? !gives(&w->out[k], rule, o) : !w->more) return false;
        if (out) out[o] = k < w->n_out ? w->out[k].part : (RulePart){ PART_KEPT, false, (int16_t)o };
        k += k < w->n_out;
    }
    while (loosely && k < w->n_out && may_be_left(&w->out[k])) k++, ++*left;
    return k == w->n_out;
}

static int derivatives(const RuleField *list, int n)
{
    int d = 0;
    for (int i = 0; i < n; i++) d += list[i].part.d;
    return d;
}

/* A rule that leaves out all derivatives is none. */
bool wanted_match(const RuleSignature *w, const Signature *rule, bool loosely, RulePart *in, RulePart *out)
{
    int left_in = 0, left_out = 0;
    return match_in(w, rule, loosely, in, out, &left_in) && match_out(w, rule, loosely, out, &left_out) &&
           (!left_in || left_in < derivatives(w->in, w->n_in)) &&
           (!left_out || left_out < derivatives(w->out, w->n_out));
}

/* ---- how it is declared ---- */

static void write_param(TextWriter *t, const char **between, const RuleField *w)
{
    char name[128], text[300];
    const char *d = w->part.d ? "d" : "";
    bool nameless = strchr(w->param.name, ' '); /* "argument 2" */
    if (nameless) snprintf(name, sizeof name, "%sx%d", d, w->part.field + 1);
    else
        snprintf(name, sizeof name, "%s%s%s", d, w->param.name,
                 w->inout && w->param.kind == PARAM_OUT_TREE ? "_out" : "");
    text_write(t, "%s%s", *between, param_text(text, sizeof text, &w->param, name));
    *between = ", ";
}

char *wanted_text(const RuleSignature *w, const char *name, char *buf, size_t size)
{
    TextWriter t = { buf, size };
    const char *between = "";
    bool returns = w->n_out && !w->out[0].param.tree;
    text_write(&t, "%s%s(", returns ? "weft_array *" : "void ", name);
    for (int i = 0; i < w->n_in; i++) write_param(&t, &between, &w->in[i]);
    for (int o = returns; o < w->n_out; o++) write_param(&t, &between, &w->out[o]);
    if (w->more) text_write(&t, "%s... and WEFT_OUTs for all that the backward rule is to get", between);
    text_write(&t, ")");
    return buf;
}

bool rule_possible(const Function *f, Arena *a, RuleKind kind, int base, Failure *failure)
{
    char text[768];
    const Function *rule = f->bases[base];
    bool batch = kind == RULE_BATCH;
    RuleSignature *w = arena_alloc(a, sizeof *w);
    wanted_of(kind, f->sig, kind == RULE_BACKWARD ? f->bases[1]->sig : NULL, NULL, NULL, w);
    return wanted_match(w, rule->sig, !batch, NULL, NULL) ||
           fail(failure, WEFT_ARGUMENT, "the rule must be declared as%s  %s",
                batch ? " the function is:" : "", wanted_text(w, rule->name, text, sizeof text));
}
