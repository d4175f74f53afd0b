/* derive.c: derivatives as transforms: what each takes and gives; see derive.h and weft/grad.h.
 *
 * prepare reads by what is differentiated, lists what the new function takes and gives as quantities (a
 * result of f, a tangent of a part, ...), and compares that with its signature.
 */
#include "derive.h"

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

static const char *result_name(Arena *a, const Signature *s, uint32_t o)
{
    return s->returns && o == 0 ? "value" : arena_printf(a, "%s", s->out.field[o].name);
}

/* The results of f from this one on, without in-outs. */
static void add_results(Quantities *to, const Signature *s, size_t from)
{
    for (uint32_t o = (uint32_t)from; o < s->out.fields; o++)
        if (s->in_of_out[o] < 0)
            quantities_add(
                to, (Quantity){ .kind = QUANTITY_RESULT, .index = o, .name = result_name(to->arena, s, o) });
}

/* A tangent or cotangent of each of f's results. */
static void add_of_results(Quantities *to, const Signature *s, const char *prefix)
{
    for (uint32_t o = 0; o < s->out.fields; o++)
        quantities_add(
            to, (Quantity){ .kind = QUANTITY_OF_RESULT,
                            .index = o,
                            .name = arena_printf(to->arena, "%s%s", prefix, result_name(to->arena, s, o)) });
}

static void add_parts(Quantities *to, const Wrt *w, const char *prefix)
{
    for (uint32_t i = 0; i < w->n; i++)
        quantities_add(to, (Quantity){ .kind = QUANTITY_OF_PART,
                                       .index = i,
                                       .name = arena_printf(to->arena, "%s%s", prefix, w->part[i].path) });
}

static void add_matrices(Quantities *to, const Wrt *w, bool hessian)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < (hessian ? w->n : 1); k++)
            quantities_add(to,
                           (Quantity){ .kind = QUANTITY_MATRIX,
                                       .index = i,
                                       .other = k,
                                       .name = hessian ? arena_printf(to->arena, "h_%s_%s", w->part[i].path,
                                                                      w->part[k].path)
                                                       : arena_printf(to->arena, "j_%s", w->part[i].path) });
}

static void add_linear(Quantities *to)
{
    quantities_add(to, (Quantity){ .kind = QUANTITY_STRUCT, .tree = &weft_linear_tree, .name = "linear" });
}

/* weft/grad.h's list of what each takes and gives. */
static void list_quantities(weft_derivative how, const Signature *s, const Wrt *w, Quantities *ins,
                            Quantities *outs)
{
    size_t aux = signature_result(s, 0) + 1;
    switch (how) {
    case WEFT_GRAD:
        add_parts(outs, w, "d");
        add_results(outs, s, aux);
        break;
    case WEFT_VALUE_AND_GRAD:
        add_results(outs, s, 0);
        add_parts(outs, w, "d");
        break;
    case WEFT_JVP:
        add_parts(ins, w, "d");
        add_results(outs, s, 0);
        add_of_results(outs, s, "d");
        break;
    case WEFT_VJP:
        add_of_results(ins, s, "ct_");
        add_results(outs, s, 0);
        add_parts(outs, w, "ct_");
        break;
    case WEFT_TRANSPOSE_LINEAR:
        add_of_results(ins, s, "ct_");
        add_parts(outs, w, "ct_");
        break;
    case WEFT_LINEARIZE:
        add_results(outs, s, 0);
        add_linear(outs);
        break;
    case WEFT_LINEAR_JVP:
        add_linear(ins);
        add_parts(ins, w, "d");
        add_of_results(outs, s, "d");
        break;
    case WEFT_LINEAR_VJP:
        add_linear(ins);
        add_of_results(ins, s, "ct_");
        add_parts(outs, w, "ct_");
        break;
    case WEFT_HVP:
        add_parts(ins, w, "v_");
        add_parts(outs, w, "hv_");
        add_results(outs, s, aux);
        break;
    default: add_matrices(outs, w, how == WEFT_HESSIAN); add_results(outs, s, aux);
    }
}

static bool allowed(const Function *f, weft_derivative how, const Wrt *w, Failure *failure)
{
    bool matrix = how == WEFT_JACFWD || how == WEFT_JACREV || how == WEFT_HESSIAN;
    if (how == WEFT_TRANSPOSE_LINEAR) return no_inouts(f, failure);
    if (how == WEFT_JVP || how == WEFT_VJP || how == WEFT_LINEARIZE || derive_applies(how)) return true;
    return one_result(f, failure) && (!matrix || array_parts(f, w, failure));
}

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    Derive *d = f->data = arena_alloc(a, sizeof *d);
    Quantities outs = { .arena = a };
    weft_derivative how = (weft_derivative)f->numbers[0];
    *d = (Derive){ .how = how, .kept = derive_applies(how) ? 0 : f->base->sig->in.fields, .ins.arena = a };
    if (!wrt_parse(a, f->text, f->base, &d->wrt, failure) || !allowed(f, how, &d->wrt, failure)) return false;
    list_quantities(how, f->base->sig, &d->wrt, &d->ins, &outs);
    return derive_match(f, a, d, &outs, failure);
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
