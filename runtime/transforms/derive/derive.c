/* derive.c: derivatives as transforms: what each takes and gives; see derive.h and weft/grad.h.
 *
 * prepare reads by what is differentiated, lists what the new function takes and gives as parts (a result of
 * f, a tangent, ...), and compares that with its signature.
 */
#include "derive.h"
#include <ctype.h>

static bool fail_result(const Function *f, const char *what, Failure *failure)
{
    return fail(failure, WEFT_ARGUMENT, "%s of %s: %s", f->rule->name, f->base->label, what);
}

/* What is derived must be one array: the first result that is no in-out. */
static bool one_result(const Function *f, Failure *failure)
{
    const Signature *s = f->base->sig;
    size_t o = signature_result(s, 0);
    if (o == s->out.fields)
        return fail_result(
            f,
            "it has no result that is no in-out, and so nothing to differentiate; weft_jvp and weft_vjp can",
            failure);
    return !s->out.field[o].tree ||
           fail_result(f, "its first result is a struct, not an array; weft_jvp and weft_vjp can", failure);
}

static bool array_parts(const Function *f, const Wrt *w, Failure *failure)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->part[i].tree)
            return fail(failure, WEFT_ARGUMENT,
                        "%s of %s: %s is a struct %s: name its arrays, each has a derivative of its own",
                        f->rule->name, f->base->label, w->part[i].path, w->part[i].tree->name);
    return true;
}

static bool no_inouts(const Function *f, Failure *failure)
{
    const Signature *s = f->base->sig;
    for (size_t o = 0; o < s->out.fields; o++)
        if (s->in_of_out[o] >= 0)
            return fail_result(f, "it has an in-out struct; here arguments are const, and results WEFT_OUT",
                               failure);
    return true;
}

static const char *result_name(Arena *a, const Signature *s, size_t o)
{
    return s->returns && o == 0 ? "value" : arena_printf(a, "%s", s->out.field[o].name);
}

/* A part of which there may be a list, in what is taken or given. */
static void add(DerivedList *to, PartOf of, bool derivative, size_t i, const weft_tree *tree,
                const char *name)
{
    derived_value(to, (DerivedPart){ .of = (uint8_t)of, .d = derivative, .field = (int)i }, tree, name);
}

/* The results of f from this one on, without in-outs. */
static void add_results(DerivedList *to, Arena *a, const Signature *s, size_t from)
{
    for (size_t o = from; o < s->out.fields; o++)
        if (s->in_of_out[o] < 0) add(to, PART_RESULT, false, o, s->out.field[o].tree, result_name(a, s, o));
}

/* A tangent or cotangent of each of f's results. */
static void add_of_results(DerivedList *to, Arena *a, const Signature *s, const char *prefix)
{
    for (size_t o = 0; o < s->out.fields; o++)
        add(to, PART_RESULT, true, o, s->out.field[o].tree,
            arena_printf(a, "%s%s", prefix, result_name(a, s, o)));
}

static void add_parts(DerivedList *to, Arena *a, const Wrt *w, const char *prefix)
{
    for (uint32_t i = 0; i < w->n; i++)
        add(to, PART_WRT, true, i, w->part[i].tree, arena_printf(a, "%s%s", prefix, w->part[i].path));
}

static void add_matrices(DerivedList *to, Arena *a, const Wrt *w, bool hessian)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < (hessian ? w->n : 1); k++)
            derived_value(to, (DerivedPart){ .of = PART_MATRIX, .field = (int)i, .other = (int)k }, NULL,
                          hessian ? arena_printf(a, "h_%s_%s", w->part[i].path, w->part[k].path)
                                  : arena_printf(a, "j_%s", w->part[i].path));
}

static void add_linear(DerivedList *to) { add(to, PART_LINEAR, false, 0, &weft_linear_tree, "linear"); }

/* weft/grad.h's list of what each takes and gives. */
static void list_parts(weft_derivative how, Arena *a, const Signature *s, const Wrt *w, DerivedList *ins,
                       DerivedList *outs)
{
    size_t aux = signature_result(s, 0) + 1;
    switch (how) {
    case WEFT_GRAD:
        add_parts(outs, a, w, "d");
        add_results(outs, a, s, aux);
        break;
    case WEFT_VALUE_AND_GRAD:
        add_results(outs, a, s, 0);
        add_parts(outs, a, w, "d");
        break;
    case WEFT_JVP:
        add_parts(ins, a, w, "d");
        add_results(outs, a, s, 0);
        add_of_results(outs, a, s, "d");
        break;
    case WEFT_VJP:
        add_of_results(ins, a, s, "ct_");
        add_results(outs, a, s, 0);
        add_parts(outs, a, w, "ct_");
        break;
    case WEFT_TRANSPOSE_LINEAR:
        add_of_results(ins, a, s, "ct_");
        add_parts(outs, a, w, "ct_");
        break;
    case WEFT_LINEARIZE:
        add_results(outs, a, s, 0);
        add_linear(outs);
        break;
    case WEFT_LINEAR_JVP:
        add_linear(ins);
        add_parts(ins, a, w, "d");
        add_of_results(outs, a, s, "d");
        break;
    case WEFT_LINEAR_VJP:
        add_linear(ins);
        add_of_results(ins, a, s, "ct_");
        add_parts(outs, a, w, "ct_");
        break;
    case WEFT_HVP:
        add_parts(ins, a, w, "v_");
        add_parts(outs, a, w, "hv_");
        add_results(outs, a, s, aux);
        break;
    default: add_matrices(outs, a, w, how == WEFT_HESSIAN); add_results(outs, a, s, aux);
    }
}

/* ---- the declaration that the new function must have ---- */

/* names: ",x,y,": those taken */
typedef struct DeclarationWriter {
    Arena *arena;
    const char *text;
    const char *names;
} DeclarationWriter;

/* A C name of its own: "dm.l[0].w" is dm_l_0_w. */
static const char *fresh_name(DeclarationWriter *w, const char *like)
{
    size_t n = 0;
    char *name = arena_alloc(w->arena, strlen(like) + 2);
    for (const char *c = like; *c; c++) {
        bool good = isalnum((unsigned char)*c) || *c == '_';
        if (good || (n && name[n - 1] != '_')) name[n++] = good ? *c : '_';
    }
    while (n && name[n - 1] == '_') name[--n] = '\0';
    const char *own = name;
    while (strstr(w->names, arena_printf(w->arena, ",%s,", own))) own = arena_printf(w->arena, "%s_", own);
    w->names = arena_printf(w->arena, "%s%s,", w->names, own);
    return own;
}

static void put(DeclarationWriter *w, Param p)
{
    char text[1024];
    w->text = arena_printf(w->arena, "%s%s%s", w->text, *w->text ? ", " : "",
                           param_text(text, sizeof text, &p, fresh_name(w, p.name)));
}

/* "WEFT_SIGNATURE(grad_of_loss, void, (const net *m, weft_array *x, WEFT_OUT net *dm));" */
static const char *declaration(const Function *f, Arena *a, const DerivedSignature *s)
{
    DeclarationWriter w = { a, "", "," };
    bool returns = s->out.n && !s->out.field[0].param.tree;
    for (int i = 0; i < s->in.n; i++) put(&w, s->in.field[i].param);
    for (int i = returns; i < s->out.n; i++) put(&w, s->out.field[i].param);
    return arena_printf(a, "WEFT_SIGNATURE(%s_of_%s, %s, (%s));", f->rule->name, f->base->name,
                        returns ? "weft_array *" : "void", *w.text ? w.text : "void");
}

/* ---- preparing ---- */

static bool allowed(const Function *f, weft_derivative how, const Wrt *w, Failure *failure)
{
    bool matrix = how == WEFT_JACFWD || how == WEFT_JACREV || how == WEFT_HESSIAN;
    if (how == WEFT_TRANSPOSE_LINEAR) return no_inouts(f, failure);
    if (how == WEFT_JVP || how == WEFT_VJP || how == WEFT_LINEARIZE || derive_applies(how)) return true;
    return one_result(f, failure) && (!matrix || array_parts(f, w, failure));
}

/* Does the signature fit? Then d->in and d->out are set. */
static bool match(const Function *f, Arena *a, const DerivedSignature *s, Derive *d, Failure *failure)
{
    d->in = arena_alloc(a, (f->sig->in.fields + 1) * sizeof *d->in);
    d->out = arena_alloc(a, (f->sig->out.fields + 1) * sizeof *d->out);
    return derived_match(s, f->sig, false, d->in, d->out) ||
           fail(failure, WEFT_ARGUMENT, "%s of %s must be of the type\n    %s\nbut the one given is %s",
                f->rule->name, f->base->label, declaration(f, a, s), f->sig->text);
}

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    const Signature *base = f->base->sig;
    Derive *d = f->data = arena_alloc(a, sizeof *d);
    weft_derivative how = (weft_derivative)f->numbers[0];
    *d = (Derive){ .how = how, .kept = derive_applies(how) ? 0 : base->in.fields };
    if (!wrt_parse(a, f->text, f->base, &d->wrt, failure) || !allowed(f, how, &d->wrt, failure)) return false;
    size_t n = d->wrt.n, room = base->in.fields + 2 * base->out.fields + n * (n + 1) + 2;
    DerivedSignature s = derived_open(arena_alloc(a, 2 * room * sizeof *s.in.field), (int)room);
    for (size_t i = 0; i < d->kept; i++) derived_argument(&s, base, i, false);
    list_parts(how, a, base, &d->wrt, &s.in, &s.out);
    return match(f, a, &s, d, failure);
}

/* ---- the public door ---- */

/* clang-format off */
#define DERIVATIVES(D) \
    D(GRAD, grad) D(VALUE_AND_GRAD, value_and_grad) D(JVP, jvp) D(VJP, vjp) D(JACFWD, jacfwd) \
    D(JACREV, jacrev) D(HESSIAN, hessian) D(HVP, hvp) D(TRANSPOSE_LINEAR, transpose_linear) \
    D(LINEARIZE, linearize) D(LINEAR_JVP, linear_jvp) D(LINEAR_VJP, linear_vjp)
/* clang-format on */
#define RULE(how, id) [WEFT_##how] = { .name = #id, .prepare = prepare, .stage = derive_stage },
static const FnRule rules[] = { DERIVATIVES(RULE) };

static bool prepare_unknown(Function *f, Arena *a, Failure *failure)
{
    (void)a;
    return fail(failure, WEFT_ARGUMENT, "%d is no weft_derivative (0 to %d)", (int)f->numbers[0],
                (int)WEFT_LINEAR_VJP);
}

weft_fn weft_derive_(weft_context *ctx, weft_derivative how, weft_fn f, const char *wrt, const char *text,
                     const char *at)
{
    static const FnRule unknown = { .name = "derive", .prepare = prepare_unknown, .stage = derive_stage };
    bool known = (unsigned)how <= WEFT_LINEAR_VJP;
    return fn_derive(ctx, &(Derivation){ .rule = known ? &rules[how] : &unknown,
                                         .bases = &f,
                                         .n_bases = 1,
                                         .text = wrt,
                                         .numbers = (int64_t[]){ how },
                                         .n_numbers = 1,
                                         .signature = text,
                                         .who = known ? NULL : "weft_derive_",
                                         .at = at });
}
