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

static void add_matrices(DerivedList *to, Arena *a, const Wrt *w, const char *prefix, bool hessian)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < (hessian ? w->n : 1); k++)
            derived_value(to, (DerivedPart){ .of = PART_MATRIX, .field = (int)i, .other = (int)k }, NULL,
                          arena_printf(a, "%s_%s%s%s", prefix, w->part[i].path, hessian ? "_" : "",
                                       hessian ? w->part[k].path : ""));
}

/* Parts of one kind; prefix: of the derivatives' names. */
typedef enum {
    LIST_NONE,
    LIST_BY,      /* derivatives by what is named */
    LIST_RESULTS, /* f's results */
    LIST_OTHERS,  /* those behind the first */
    LIST_OF,      /* tangents or cotangents of the results */
    LIST_MATRICES,
    LIST_LINEAR
} ListKind;
typedef struct PartList {
    ListKind kind;
    const char *prefix;
} PartList;

/* weft/grad.h's list: what each takes behind f's arguments, and gives. of_one: of the first result alone. */
static const struct {
    bool of_one;
    PartList takes[2], gives[2];
} derivatives[] = {
    [WEFT_GRAD] = { true, .gives = { { LIST_BY, "d" }, { LIST_OTHERS, "" } } },
    [WEFT_VALUE_AND_GRAD] = { true, .gives = { { LIST_RESULTS, "" }, { LIST_BY, "d" } } },
    [WEFT_JVP] = { false, { { LIST_BY, "d" } }, { { LIST_RESULTS, "" }, { LIST_OF, "d" } } },
    [WEFT_VJP] = { false, { { LIST_OF, "ct_" } }, { { LIST_RESULTS, "" }, { LIST_BY, "ct_" } } },
    [WEFT_JACFWD] = { true, .gives = { { LIST_MATRICES, "j" }, { LIST_OTHERS, "" } } },
    [WEFT_JACREV] = { true, .gives = { { LIST_MATRICES, "j" }, { LIST_OTHERS, "" } } },
    [WEFT_HESSIAN] = { true, .gives = { { LIST_MATRICES, "h" }, { LIST_OTHERS, "" } } },
    [WEFT_HVP] = { true, { { LIST_BY, "v_" } }, { { LIST_BY, "hv_" }, { LIST_OTHERS, "" } } },
    [WEFT_TRANSPOSE_LINEAR] = { false, { { LIST_OF, "ct_" } }, { { LIST_BY, "ct_" } } },
    [WEFT_LINEARIZE] = { false, .gives = { { LIST_RESULTS, "" }, { LIST_LINEAR, "" } } },
    [WEFT_LINEAR_JVP] = { false, { { LIST_LINEAR, "" }, { LIST_BY, "d" } }, { { LIST_OF, "d" } } },
    [WEFT_LINEAR_VJP] = { false, { { LIST_LINEAR, "" }, { LIST_OF, "ct_" } }, { { LIST_BY, "ct_" } } },
};

static void add_lists(DerivedList *to, Arena *a, const PartList list[2], const Signature *s, const Derive *d)
{
    for (int i = 0; i < 2; i++) {
        const char *prefix = list[i].prefix;
        switch (list[i].kind) {
        case LIST_NONE:     break;
        case LIST_BY:       add_parts(to, a, &d->wrt, prefix); break;
        case LIST_RESULTS:  add_results(to, a, s, 0); break;
        case LIST_OTHERS:   add_results(to, a, s, signature_result(s, 0) + 1); break;
        case LIST_OF:       add_of_results(to, a, s, prefix); break;
        case LIST_MATRICES: add_matrices(to, a, &d->wrt, prefix, d->how == WEFT_HESSIAN); break;
        case LIST_LINEAR:   add(to, PART_LINEAR, false, 0, &weft_linear_tree, "linear"); break;
        }
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
    if (how == WEFT_TRANSPOSE_LINEAR) return no_inouts(f, failure);
    if (!derivatives[how].of_one) return true;
    return one_result(f, failure) &&
           (derivatives[how].gives[0].kind != LIST_MATRICES || array_parts(f, w, failure));
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
    *d = (Derive){ .how = how,
                   .of_one = derivatives[how].of_one,
                   .kept = derive_applies(how) ? 0 : base->in.fields };
    if (!wrt_parse(a, f->text, f->base, &d->wrt, failure) || !allowed(f, how, &d->wrt, failure)) return false;
    size_t n = d->wrt.n, room = base->in.fields + 2 * base->out.fields + n * (n + 1) + 2;
    DerivedSignature s = derived_open(arena_alloc(a, 2 * room * sizeof *s.in.field), (int)room);
    for (size_t i = 0; i < d->kept; i++) derived_argument(&s, base, i, false);
    add_lists(&s.in, a, derivatives[how].takes, base, d);
    add_lists(&s.out, a, derivatives[how].gives, base, d);
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
