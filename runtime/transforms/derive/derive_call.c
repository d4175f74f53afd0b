/* derive_call.c: a call of a derivative: where its arguments lie, whether they fit, f traced apart, and the
 * results handed out as its parts say. */
#include "derive.h"
#include "runtime/trace/op.h"

/* A list of f's own arguments: the first ones, on which it is to be traced. */
static bool take_arguments(DeriveCall *c)
{
    c->base = *c->in;
    c->base.n_leaves = c->from[c->d->kept].leaf;
    c->base.n_words = c->from[c->d->kept].word;
    return (c->type = stage_types(c->f, c->l, &c->base)) != NULL;
}

static bool find_parts(DeriveCall *c)
{
    const Wrt *w = &c->d->wrt;
    Failure failure = { .code = WEFT_OK };
    if (!(c->part = stage_room(c->f, c->l, w->n, sizeof *c->part))) return false;
    for (uint32_t i = 0; i < w->n; i++) {
        if (wrt_find(&w->part[i], &c->f->base->sig->in, &c->l->ctx->memory, c->base.word, c->base.n_words,
                     &c->part[i], &failure))
            continue;
        return stage_failure(c->f, c->l, &failure);
    }
    return true;
}

static bool call_open(DeriveCall *c)
{
    const weft_tree *in = &c->f->sig->in;
    if (!(c->from = stage_room(c->f, c->l, in->fields, sizeof *c->from))) return false;
    if (!tree_ranges(in, &c->l->ctx->memory, c->in->word, c->in->n_words, c->from))
        return stage_memory(c->f, c->l);
    return (derive_applies(c->d->how) ? derive_read_point(c) : take_arguments(c)) && find_parts(c);
}

/* ---- is it possible? ---- */

static bool argument_types(const DeriveCall *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->d->wrt.n; i++) {
        const WrtRange *at = &c->part[i];
        Type t = c->type[at->leaf];
        for (uint32_t k = at->leaf; k < at->leaf + at->n_leaves; k++) n += type_is_inexact(c->type[k]);
        if (c->d->wrt.part[i].tree || type_is_inexact(t)) continue;
        return stage_error(c->f, c->l, WEFT_DTYPE,
                           "%s requires real-valued inputs, that is floats, but argument %s is %s",
                           c->f->rule->name, STAGE_IN(c->f->base, &c->base, at->leaf), STAGE_TYPE(t));
    }
    return n || stage_error(c->f, c->l, WEFT_DTYPE,
                            "%s holds no array of floats: there is nothing to differentiate by",
                            c->d->wrt.part[0].path);
}

static const char *leaf_name(const DeriveCall *c, PartOf of, uint32_t leaf, char *buf)
{
    return of == PART_WRT ? call_in_path(c->f->base, &c->base, leaf, buf, TREE_PATH)
                          : call_out_path(c->f->base, &c->callee.results, leaf, buf, TREE_PATH);
}

/* Do the leaves of argument i have the types of those that it is a derivative of, or by? */
static bool same_types(const DeriveCall *c, size_t i, const Type *types, const char *what)
{
    WrtRange as = derive_range(c, c->d->in[i]);
    char other[TREE_PATH];
    for (uint32_t k = 0; k < as.n_leaves; k++) {
        uint32_t at = c->from[i].leaf + k;
        Type t = array_type(c->in->leaf[at]), want = types[as.leaf + k];
        if (type_equal(t, want)) continue;
        return stage_error(c->f, c->l, t.dtype != want.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                           "%s %s is %s, but must be %s, as %s is", what, STAGE_IN(c->f, c->in, at),
                           STAGE_TYPE(t), STAGE_TYPE(want), leaf_name(c, c->d->in[i].of, as.leaf + k, other));
    }
    return true;
}

static bool same_structure(const DeriveCall *c, size_t i, const uint64_t *words, const char *what,
                           const char *name)
{
    const TreeRange *r = &c->from[i];
    const weft_field *own = &c->f->sig->in.field[i];
    WrtRange as = derive_range(c, c->d->in[i]);
    TreeDifference d;
    if (!own->tree || !tree_difference(own->tree, words + as.word, as.n_words, c->in->word + r[0].word,
                                       r[1].word - r[0].word, &d))
        return true;
    return stage_error(c->f, c->l, WEFT_TREE_MISMATCH,
                       "%s %s must have the structure of %s, but %s is %s in this and %s in that, so %s",
                       what, own->name, name, d.path, d.b, d.a, d.why);
}

/* Tangents must have the structure and types of their arguments, cotangents those of their results. */
static bool given_fit(const DeriveCall *c, PartOf of, const uint64_t *words, const Type *types,
                      const char *what)
{
    for (size_t i = c->d->kept; i < c->f->sig->in.fields; i++) {
        DerivedPart p = c->d->in[i];
        if (p.of != of) continue;
        const char *name =
            of == PART_WRT ? c->d->wrt.part[p.field].path : c->f->base->sig->out.field[p.field].name;
        if (!same_structure(c, i, words, what, name) || !same_types(c, i, types, what)) return false;
    }
    return true;
}

/* The first leaf differentiated by that is complex, or is not; or n_leaves. */
static uint32_t leaf_by(const DeriveCall *c, bool is_complex)
{
    for (uint32_t i = 0; i < c->d->wrt.n; i++)
        for (uint32_t k = c->part[i].leaf; k < c->part[i].leaf + c->part[i].n_leaves; k++)
            if (type_is_inexact(c->type[k]) && dtype_is_complex((DType)c->type[k].dtype) == is_complex)
                return k;
    return c->base.n_leaves;
}

/* Of complex numbers: jacobians are those of holomorphic functions, whose results and arguments are complex,
 * and of no others is there one number for each pair of elements; gradients are of real results. */
static bool fits_complex(const DeriveCall *c, const char *result, Type t)
{
    weft_derivative how = c->d->how;
    bool is_complex = dtype_is_complex((DType)t.dtype);
    const char *text = STAGE_TYPE(t);
    if (is_complex && how != WEFT_JACFWD && how != WEFT_JACREV)
        return stage_error(
            c->f, c->l, WEFT_DTYPE,
            "%s requires real-valued outputs, but result %s of %s is %s: take its real part, or "
            "weft_jacrev, which is of holomorphic functions too",
            c->f->rule->name, result, c->f->base->label, text);
    uint32_t leaf = how == WEFT_JACREV && is_complex    ? leaf_by(c, false)
                    : how == WEFT_HESSIAN               ? leaf_by(c, true)
                    : how == WEFT_JACFWD && !is_complex ? leaf_by(c, true)
                                                        : c->base.n_leaves;
    if (leaf == c->base.n_leaves) return true;
    return stage_error(
        c->f, c->l, WEFT_DTYPE,
        "%s of result %s of %s, which is %s, by %s: a derivative of complex numbers is that of a "
        "holomorphic function, whose arguments and results are complex",
        c->f->rule->name, result, c->f->base->label, text, STAGE_TYPE(c->type[leaf]));
}

static bool one_float(const DeriveCall *c)
{
    const Graph *g = callee_graph(&c->callee);
    char path[TREE_PATH], text[STAGE_TEXT];
    weft_derivative how = c->d->how;
    if (!c->d->of_one) return true;
    uint32_t leaf = c->to[signature_result(c->f->base->sig, 0)].leaf;
    Type t = graph_type(g, g->outputs[leaf]);
    type_text(text, sizeof text, t);
    leaf_name(c, PART_RESULT, leaf, path);
    if (!type_is_inexact(t))
        return stage_error(c->f, c->l, WEFT_DTYPE,
                           "%s requires real-valued outputs, that is floats, but result %s of %s is %s",
                           c->f->rule->name, path, c->f->base->label, text);
    if (!fits_complex(c, path, t)) return false;
    if (t.rank == 0 || how == WEFT_JACFWD || how == WEFT_JACREV || how == WEFT_HESSIAN) return true;
    return stage_error(c->f, c->l, WEFT_SHAPE,
                       "%s is only defined for scalar-output functions, but result %s of %s is %s: sum it "
                       "(weft_sum, weft_mean), or use %s",
                       c->f->rule->name, path, c->f->base->label, text,
                       how == WEFT_HVP ? "weft_hessian, or weft_jvp of its weft_jacrev"
                                       : "weft_vjp or weft_jacrev");
}

static bool trace_base(DeriveCall *c)
{
    Local *l = c->l;
    bool reverse = l->reverse;
    l->reverse = c->d->how != WEFT_JVP && c->d->how != WEFT_JACFWD;
    bool good = callee_trace_call(&c->callee, c->f->base, l, c->type, &c->base,
                                  derive_applies(c->d->how) ? NULL : &c->base);
    l->reverse = reverse;
    return good;
}

/* After the trace. */
static bool results_fit(DeriveCall *c)
{
    const Signature *s = c->f->base->sig;
    const Graph *g = callee_graph(&c->callee);
    Type *types = stage_room(c->f, c->l, g->n_outputs, sizeof *types);
    if (!types || !(c->to = stage_room(c->f, c->l, s->out.fields, sizeof *c->to))) return false;
    if (!tree_ranges(&s->out, &c->l->ctx->memory, c->callee.results.word, c->callee.results.n_words, c->to))
        return stage_memory(c->f, c->l);
    for (uint32_t i = 0; i < g->n_outputs; i++) types[i] = graph_type(g, g->outputs[i]);
    return one_float(c) && given_fit(c, PART_RESULT, c->callee.results.word, types, "cotangent");
}

/* ---- building and handing out ---- */

WrtRange derive_range(const DeriveCall *c, DerivedPart p)
{
    if (p.of == PART_MATRIX) return (WrtRange){ .n_leaves = 1 };
    if (p.of == PART_LINEAR) return (WrtRange){ .n_leaves = c->n_residuals, .n_words = 2 };
    if (p.of == PART_WRT) return c->part[p.field];
    const TreeRange *r = &c->to[p.field];
    return (WrtRange){ r[0].leaf, r[1].leaf - r[0].leaf, r[0].word, r[1].word - r[0].word };
}

/* Ints and bools have no derivative: zeros stand for it. */
static Ref leaf_of(const DeriveCall *c, DerivedPart p, uint32_t leaf)
{
    const Graph *g = callee_graph(&c->callee);
    if (p.of == PART_MATRIX) return c->matrix[(uint32_t)p.field * c->d->wrt.n + (uint32_t)p.other];
    if (p.of == PART_LINEAR) return c->residual[leaf];
    if (!p.d) return c->result[leaf];
    Ref r = p.of == PART_WRT ? c->of_leaf[leaf] : c->of_result[leaf];
    Type t = p.of == PART_WRT ? c->type[leaf] : graph_type(g, g->outputs[leaf]);
    return build_or_zeros(c->l->trace->graph, r, t);
}

/* The leaves of all results, in their order. */
static void list_leaves(DeriveCall *c)
{
    size_t fields = c->f->sig->out.fields, n = 0;
    for (size_t o = 0; o < fields; o++) n += derive_range(c, c->d->out[o]).n_leaves;
    c->leaf = arena_alloc(&c->l->trace->arena, (n + 1) * sizeof *c->leaf);
    for (size_t o = 0; o < fields; o++) {
        WrtRange r = derive_range(c, c->d->out[o]);
        for (uint32_t k = 0; k < r.n_leaves; k++)
            c->leaf[c->n_leaves++] = leaf_of(c, c->d->out[o], r.leaf + k);
    }
}

/* f's parameters as values of the running trace, which leaves are active, and lists for what comes out. */
static void place(DeriveCall *c)
{
    Arena *a = &c->l->trace->arena;
    const Graph *g = callee_graph(&c->callee);
    uint32_t n_leaves = c->base.n_leaves, n_parts = c->d->wrt.n;
    c->active = arena_alloc(a, g->n_params + 1);
    if (!derive_applies(c->d->how))
        c->args = stage_operands(c->l, &c->base, &c->callee, (size_t)g->n_params + g->n_outputs);
    c->result = arena_alloc(a, (g->n_outputs + 1) * sizeof *c->result);
    c->of_result = arena_alloc(a, (g->n_outputs + 1) * sizeof *c->of_result);
    c->of_leaf = arena_alloc(a, (n_leaves + 1) * sizeof *c->of_leaf);
    c->matrix = arena_alloc(a, ((size_t)n_parts * n_parts + 1) * sizeof *c->matrix);
    for (uint32_t i = 0; i < n_parts; i++)
        for (uint32_t k = 0; k < c->part[i].n_leaves; k++)
            c->active[c->part[i].leaf + k] = type_is_inexact(c->type[c->part[i].leaf + k]);
    for (uint32_t i = 0; i < n_leaves; i++) c->of_leaf[i] = REF_NONE;
    for (uint32_t i = 0; i < g->n_outputs; i++) c->of_result[i] = REF_NONE;
}

static bool build(void *call, Ref *unused)
{
    DeriveCall *c = call;
    (void)unused;
    place(c);
    if (!derive_build(c)) return false;
    c->l->trace->body_runs += c->callee.trace.body_runs;
    list_leaves(c);
    return true;
}

static bool hand_out(const DeriveCall *c, Flat *out)
{
    const uint64_t linear[2] = { c->n_residuals, (uint64_t)(uintptr_t)c->point };
    if (!call_results(c->f, c->l, c->leaf, c->n_leaves, out)) return false;
    for (size_t o = 0; o < c->f->sig->out.fields; o++) {
        DerivedPart p = c->d->out[o];
        WrtRange r = derive_range(c, p);
        const uint64_t *words = p.of == PART_LINEAR ? linear
                                : p.of == PART_WRT  ? c->base.word
                                                    : c->callee.results.word;
        if (r.n_words && !flat_words(out, words + r.word, r.n_words)) return stage_memory(c->f, c->l);
    }
    return true;
}

bool derive_stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    DeriveCall c = { .f = f, .d = f->data, .l = l, .in = in };
    bool good = call_open(&c) && argument_types(&c) &&
                given_fit(&c, PART_WRT, c.base.word, c.type, "tangent") && trace_base(&c) &&
                results_fit(&c) && (c.d->how != WEFT_LINEARIZE || derive_make_point(&c)) &&
                stage_build(f, l, build, &c, 0) && hand_out(&c, out);
    callee_close(&c.callee);
    return good;
}
