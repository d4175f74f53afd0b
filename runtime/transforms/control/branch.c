/* branch.c: cond and switch as transforms: each branch is traced apart, and one CASE op chooses. */
#include "runtime/transforms/staging.h"
#include "weft/control.h"

enum { SWITCH_PREDICATE, SWITCH_NUMBERS, MAX_BRANCHES = 1024 };

typedef struct SwitchCall {
    const Function *f;
    Local *l;
    const Flat *in;
    Type *type; /* of the leaves of in */
    Callee *branch;
    uint32_t n, n_hidden; /* of all branches together */
    bool predicate;       /* it is a cond */
} SwitchCall;

static const char *name_of(const SwitchCall *c, uint32_t k) { return c->f->bases[k]->label; }

static bool same_structure(const SwitchCall *c, uint32_t k)
{
    TreeDifference d;
    const Flat *x = &c->branch[0].results, *y = &c->branch[k].results;
    if (!tree_difference(&c->f->sig->out, x->word, x->n_words, y->word, y->n_words, &d)) return true;
    return stage_error(c->f, c->l, WEFT_TREE_MISMATCH,
                       "cond branch outputs must have the same structure, but they differ: %s is %s in %s "
                       "and %s in %s, so %s",
                       d.path, d.a, name_of(c, 0), d.b, name_of(c, k), d.why);
}

static bool same_types(const SwitchCall *c, uint32_t k)
{
    for (uint32_t i = 0; i < c->branch[0].results.n_leaves; i++) {
        Type s = callee_result(&c->branch[0], i), t = callee_result(&c->branch[k], i);
        if (type_equal(s, t)) continue;
        return stage_error(
            c->f, c->l, s.dtype != t.dtype ? WEFT_DTYPE : WEFT_SHAPE,
            "cond branch outputs must have equal types, but they differ: %s is %s in %s and %s in %s",
            STAGE_OUT(c->f, &c->branch[0].results, i), STAGE_TYPE(s), name_of(c, 0), STAGE_TYPE(t),
            name_of(c, k));
    }
    return true;
}

/* Each branch gets the arguments as they are, the predicate among them. */
static bool trace_branches(SwitchCall *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        if (!callee_trace_call(&c->branch[k], c->f->bases[k], c->l, c->type, c->in, c->in)) return false;
        c->n_hidden += c->branch[k].trace.n_hidden;
        if (!same_structure(c, k) || !same_types(c, k)) return false;
    }
    return true;
}

/* The number of the branch as i32: 0 or 1 for a predicate, else clamped. */
static Ref branch_index(Graph *g, Ref r, uint32_t n, bool predicate)
{
    if (r == REF_NONE) return r;
    if (predicate) return build_convert(g, stage_to_bool(g, r), WEFT_I32);
    DType t = (DType)graph_type(g, r).dtype;
    if (dtype_bits(t) > 8 || n < 128)
        r = build_binary(g, OP_MIN, r, build_splat(g, graph_type(g, r), scalar_from_i64(t, n - 1)));
    if (dtype_kind(t) == KIND_SIGNED) r = build_binary(g, OP_MAX, r, build_splat(g, graph_type(g, r), 0));
    return build_convert(g, r, WEFT_I32);
}

/* A cond's branches are given as yes and no; branch 0 of a CASE is no. */
static bool build(void *call, Ref *results)
{
    const SwitchCall *c = call;
    Graph *g = c->l->trace->graph;
    OperandList o = operands_open(c->l, c->in, c->n_hidden);
    const Graph **regions = arena_alloc(g->arena, c->n * sizeof *regions);
    uint32_t *hidden = arena_alloc(g->arena, c->n * sizeof *hidden);
    for (uint32_t k = 0; k < c->n; k++) hidden[k] = operands_hidden(&o, c->l, &c->branch[k]);
    for (uint32_t k = 0; k < c->n; k++) {
        const Graph *region = callee_region(g->arena, &c->branch[k], name_of(c, k), &o, hidden[k]);
        if (!region) return false;
        regions[c->predicate ? c->n - 1 - k : k] = region;
    }
    return !regions[0]->n_outputs ||
           build_case(g, branch_index(g, o.ref[0], c->n, c->predicate), regions, c->n, o.ref, o.n, results);
}

static bool check_choice(const SwitchCall *c)
{
    Type t = c->type[0];
    const char *path = STAGE_IN(c->f, c->in, 0);
    if (t.rank)
        return stage_error(c->f, c->l, WEFT_SHAPE,
                           "argument %s says which branch: it must be one value of rank 0, not %s (vmap it "
                           "to choose for each)",
                           path, STAGE_TYPE(t));
    return c->predicate || dtype_is_int((DType)t.dtype) ||
           stage_error(c->f, c->l, WEFT_DTYPE, "argument %s says which branch: it must be an integer, not %s",
                       path, STAGE_TYPE(t));
}

static bool stage_switch(const Function *f, Local *l, const Flat *in, Flat *out)
{
    SwitchCall c = {
        .f = f, .l = l, .in = in, .n = (uint32_t)f->n_bases, .predicate = f->numbers[SWITCH_PREDICATE]
    };
    if (!(c.type = stage_types(f, l, in)) || !(c.branch = stage_room(f, l, c.n, sizeof *c.branch)))
        return false;
    bool good =
        check_choice(&c) && trace_branches(&c) && stage_results(f, l, build, &c, &c.branch[0].results, out);
    for (uint32_t k = 0; k < c.n; k++) callee_close(&c.branch[k]);
    return good;
}

static bool prepare_switch(Function *f, Arena *a, Failure *failure)
{
    (void)a;
    const Signature *s = f->sig;
    for (int i = 1; i < f->n_bases; i++)
        if (f->bases[i]->sig != s)
            return fail(failure, WEFT_ARGUMENT, "branches %s and %s are declared with different signatures",
                        f->bases[0]->label, f->bases[i]->label);
    if (s->in.fields && s->in.field[0].kind == WEFT_FIELD_ARRAY) return true;
    return fail(failure, WEFT_ARGUMENT,
                "the branches' first argument must be the array that says which of them runs");
}

static const FnRule switch_rule = { "switch", prepare_switch, stage_switch };
static const FnRule cond_rule = { "cond", prepare_switch, stage_switch };

weft_fn weft_switch_(weft_context *ctx, const weft_fn *branches, int n, const char *at)
{
    static const weft_fn none[1];
    if (!branches || n < 1 || n > MAX_BRANCHES) {
        Local *l = context_enter(ctx, "weft_switch", at);
        if (l && !branches) error_set(l, WEFT_ARGUMENT, "weft_switch", at, "the list of branches is NULL");
        else if (l) error_set(l, WEFT_ARGUMENT, "weft_switch", at, "%d branches (1 to %d)", n, MAX_BRANCHES);
        branches = none, n = 1;
    }
    return fn_derive(ctx, &(Derivation){ .rule = &switch_rule,
                                         .bases = branches,
                                         .n_bases = n,
                                         .numbers = (int64_t[]){ 0 },
                                         .n_numbers = SWITCH_NUMBERS,
                                         .at = at });
}

weft_fn weft_cond_(weft_context *ctx, weft_fn yes, weft_fn no, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &cond_rule,
                                         .bases = (weft_fn[]){ yes, no },
                                         .n_bases = 2,
                                         .numbers = (int64_t[]){ 1 },
                                         .n_numbers = SWITCH_NUMBERS,
                                         .at = at });
}
