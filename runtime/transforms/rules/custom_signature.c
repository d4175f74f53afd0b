/* custom_signature.c: what a rule must take and give, whether it does, and how it is declared; see
 * custom.h. */
#include "custom.h"
#include <string.h>
#include "runtime/memory/text_writer.h"

/* ---- what is wanted ---- */

/* p: the parameter that it is made of; NULL: what is returned. */
static void want(DerivedList *to, DerivedPart part, const Param *p, const char *unnamed)
{
    DerivedField *w = derived_value(to, part, p ? p->tree : NULL, p ? p->name : unnamed);
    w->inout = p && p->kind == PARAM_INOUT;
}

static bool is_number(const Signature *s, size_t i) { return s->in.field[i].kind == WEFT_FIELD_STATIC; }
static bool is_left(const bool *left, size_t i) { return left && left[i]; }

static void want_arguments(DerivedSignature *w, const Signature *f, bool d, const bool *left)
{
    for (size_t i = 0; i < f->in.fields; i++)
        if (!d || (!is_number(f, i) && !is_left(left, i))) derived_argument(w, f, i, d);
}

static void want_results(DerivedList *to, const Signature *f, bool d, const bool *left)
{
    for (size_t o = 0; o < f->out.fields; o++)
        if ((d || f->in_of_out[o] < 0) && !is_left(left, o))
            want(to, (DerivedPart){ .of = PART_RESULT, .d = d, .field = (int)o },
                 signature_result_param(f, o), "y");
}

/* What the forward rule gives behind f's results, the backward rule takes. */
static void want_kept(DerivedSignature *w, const Signature *f, const Signature *forward)
{
    size_t results = 0, seen = 0;
    for (size_t o = 0; o < f->out.fields; o++) results += f->in_of_out[o] < 0;
    for (size_t o = 0; o < forward->out.fields; o++)
        if (forward->in_of_out[o] < 0 && seen++ >= results)
            want(&w->in, (DerivedPart){ .of = PART_KEPT, .field = (int)o },
                 signature_result_param(forward, o), "kept");
}

void wanted_of(RuleKind kind, const Signature *f, const Signature *forward, const bool *left_in,
               const bool *left_out, DerivedSignature *w)
{
    *w = derived_open(w->in.field, w->in.room);
    w->more = kind == RULE_FORWARD;
    if (kind == RULE_BACKWARD) {
        for (size_t i = 0; i < f->in.fields; i++)
            if (is_number(f, i)) derived_argument(w, f, i, false);
        want_kept(w, f, forward);
        want_results(&w->in, f, true, left_out);
        for (size_t i = 0; i < f->in.fields; i++) {
            const Param *p = signature_argument(f, i);
            if (p->kind != PARAM_NUMBER && !is_left(left_in, i))
                want(&w->out, (DerivedPart){ .of = PART_ARGUMENT, .d = true, .field = (int)i }, p, NULL);
        }
        return;
    }
    want_arguments(w, f, false, NULL);
    want_results(&w->out, f, false, NULL);
    if (kind != RULE_JVP) return;
    want_arguments(w, f, true, left_in);
    want_results(&w->out, f, true, left_out);
}

/* ---- how it is declared ---- */

static void write_param(TextWriter *t, const char **between, const DerivedField *w)
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

char *wanted_text(const DerivedSignature *w, const char *name, char *buf, size_t size)
{
    TextWriter t = { buf, size };
    const char *between = "";
    bool returns = w->out.n && !w->out.field[0].param.tree;
    text_write(&t, "%s%s(", returns ? "weft_array *" : "void ", name);
    for (int i = 0; i < w->in.n; i++) write_param(&t, &between, &w->in.field[i]);
    for (int o = returns; o < w->out.n; o++) write_param(&t, &between, &w->out.field[o]);
    if (w->more) text_write(&t, "%s... and WEFT_OUTs for all that the backward rule is to get", between);
    text_write(&t, ")");
    return buf;
}

bool rule_possible(const Function *f, Arena *a, RuleKind kind, int base, Failure *failure)
{
    char text[768];
    const Function *rule = f->bases[base];
    bool batch = kind == RULE_BATCH;
    DerivedSignature w = derived_open(arena_alloc(a, 2 * PARTS * sizeof(DerivedField)), PARTS);
    wanted_of(kind, f->sig, kind == RULE_BACKWARD ? f->bases[1]->sig : NULL, NULL, NULL, &w);
    return derived_match(&w, rule->sig, !batch, NULL, NULL) ||
           fail(failure, WEFT_ARGUMENT, "the rule must be declared as%s  %s",
                batch ? " the function is:" : "", wanted_text(&w, rule->name, text, sizeof text));
}
