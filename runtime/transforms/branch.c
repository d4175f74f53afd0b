/* branch.c: cond and switch as transforms: each branch is traced apart, and one CASE op chooses; see
 * control.h. */
#include "control.h"
#include <string.h>
#include "runtime/trace/op.h"
#include "weft/control.h"

typedef struct Branches {
    const Function *f;
    Local *l;
    const Flat *in;
    Step *step;
    uint32_t n, opened;
    uint32_t n_hidden; /* of all branches together */
} Branches;

/* What a branch and the first one are called in errors. */
static const char *name_of(const Branches *b, uint32_t k) { return b->f->bases[k]->label; }

static bool same_structure(const Branches *b, uint32_t k)
{
    TreeDifference d;
    const Flat *x = &b->step[0].results, *y = &b->step[k].results;
    if (!tree_difference(&b->f->sig->out, x->word, x->n_words, y->word, y->n_words, &d)) return true;
    return control_error(b->f, b->l, WEFT_TREE_MISMATCH,
                         "cond branch outputs must have the same structure, but they differ: %s is %s in %s "
                         "and %s in %s, so %s",
                         d.path, d.a, name_of(b, 0), d.b, name_of(b, k), d.why);
}

static bool same_types(const Branches *b, uint32_t k)
{
    const Graph *x = step_graph(&b->step[0]), *y = step_graph(&b->step[k]);
    for (uint32_t i = 0; i < x->n_outputs; i++) {
        char path[TREE_PATH], first[CONTROL_TEXT], other[CONTROL_TEXT];
        Type s = graph_type(x, x->outputs[i]), t = graph_type(y, y->outputs[i]);
        if (type_equal(s, t)) continue;
        return control_error(
            b->f, b->l, s.dtype != t.dtype ? WEFT_DTYPE : WEFT_SHAPE,
            "cond branch outputs must have equal types, but they differ: %s is %s in %s and %s in %s",
            call_out_path(b->f, &b->step[0].results, i, path, sizeof path), type_text(first, sizeof first, s),
            name_of(b, 0), type_text(other, sizeof other, t), name_of(b, k));
    }
    return true;
}

/* Each on the arguments as they are, the predicate among them. */
static bool trace_branches(Branches *b)
{
    for (uint32_t k = 0; k < b->n; k++) {
        b->opened = k + 1;
        if (!step_open(&b->step[k], b->f, b->l, b->in, NULL) || !step_trace(&b->step[k], b->f->bases[k]))
            return false;
        b->n_hidden += b->step[k].trace.n_hidden;
        if (!same_structure(b, k) || !same_types(b, k)) return false;
    }
    return true;
}

/* All leaves, then the hidden values of all branches; a branch sees its own. */
static const Graph *branch_region(Arena *a, const Branches *b, uint32_t k, const Type *types, uint32_t from)
{
    const Step *s = &b->step[k];
    const Graph *callee = step_graph(s);
    uint32_t n_leaves = b->in->n_leaves, n = n_leaves + b->n_hidden;
    Graph *g = graph_new(a, name_of(b, k));
    Ref *params = arena_alloc(a, (n + 1) * sizeof *params),
        *args = arena_alloc(a, (callee->n_params + 1) * sizeof *args);
    Ref *outputs = arena_alloc(a, (callee->n_outputs + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < n; i++) params[i] = build_param(g, types[i]);
    for (uint32_t i = 0; i < callee->n_params; i++) args[i] = params[i < n_leaves ? i : from + i];
    if (!graph_inline(g, callee, args, outputs)) return NULL;
    graph_set_outputs(g, outputs, callee->n_outputs);
    return g;
}

/* Number of the branch as i32: of a predicate 0 or 1, else clamped. */
static Ref branch_index(Graph *g, Ref r, uint32_t n, bool predicate)
{
    if (r == REF_NONE) return r;
    if (predicate) return build_convert(g, control_to_bool(g, r), WEFT_I32);
    DType t = (DType)graph_type(g, r).dtype;
    if (dtype_bits(t) > 8 || n < 128)
        r = build_binary(g, OP_MIN, r, build_splat(g, graph_type(g, r), scalar_from_i64(t, n - 1)));
    if (dtype_kind(t) == KIND_SIGNED) r = build_binary(g, OP_MAX, r, build_splat(g, graph_type(g, r), 0));
    return build_convert(g, r, WEFT_I32);
}

/* A cond's branches are yes and no, a CASE's 0 is no. */
static bool build(const Branches *b, bool predicate, Ref *results)
{
    Trace *t = b->l->trace;
    Graph *g = t->graph;
    if (setjmp(t->guard.env)) return control_memory(b->f, b->l);
    g->loc = graph_loc(g, b->f->at);
    uint32_t n_leaves = b->in->n_leaves, n = n_leaves + b->n_hidden, from = 0;
    Type *types = arena_alloc(&t->arena, (n + 1) * sizeof *types);
    Ref *args = arena_alloc(&t->arena, (n + 1) * sizeof *args);
    const Graph **regions = arena_alloc(&t->arena, b->n * sizeof *regions);
    for (uint32_t i = 0; i < n_leaves; i++)
        types[i] = b->step[0].type[i], args[i] = control_leaf(b->l, b->in, i);
    for (uint32_t k = 0; k < b->n; k++)
        for (uint32_t i = 0; i < b->step[k].trace.n_hidden; i++, from++) {
            types[n_leaves + from] = graph_type(step_graph(&b->step[k]), b->step[k].trace.hidden_refs[i]);
            args[n_leaves + from] = control_hidden(b->l, &b->step[k].trace, i);
        }
    from = 0;
    for (uint32_t k = 0; k < b->n; k++) {
        uint32_t at = predicate ? b->n - 1 - k : k;
        if (!(regions[at] = branch_region(&t->arena, b, k, types, from))) return control_failed(b->f, b->l);
        from += b->step[k].trace.n_hidden;
    }
    if (!regions[0]->n_outputs) return true;
    return build_case(g, branch_index(g, args[0], b->n, predicate), regions, b->n, args, n, results) ||
           control_failed(b->f, b->l);
}

static bool check_choice(const Branches *b, bool predicate)
{
    char text[CONTROL_TEXT], path[TREE_PATH];
    Type t = array_type(b->in->leaf[0]);
    call_in_path(b->f, b->in, 0, path, sizeof path);
    if (t.rank)
        return control_error(b->f, b->l, WEFT_SHAPE,
                             "argument %s says which branch: it must be one value of rank 0, not %s (vmap it "
                             "to choose for each)",
                             path, type_text(text, sizeof text, t));
    if (predicate || dtype_is_int((DType)t.dtype)) return true;
    return control_error(b->f, b->l, WEFT_DTYPE,
                         "argument %s says which branch: it must be an integer, not %s", path,
                         type_text(text, sizeof text, t));
}

enum { SWITCH_PREDICATE, SWITCH_NUMBERS, MAX_BRANCHES = 1024 };

static bool run(Branches *b, Flat *out)
{
    Memory *m = &b->l->ctx->memory;
    bool predicate = b->f->numbers[SWITCH_PREDICATE];
    if (!check_choice(b, predicate) || !trace_branches(b)) return false;
    const Flat *like = &b->step[0].results;
    Ref *results = memory_alloc(m, (like->n_leaves + 1) * sizeof *results);
    if (!results) return control_memory(b->f, b->l);
    bool good = build(b, predicate, results) && call_results(b->f, b->l, results, like->n_leaves, out);
    memory_free(m, results, (like->n_leaves + 1) * sizeof *results);
    return good && (flat_words(out, like->word, like->n_words) || control_memory(b->f, b->l));
}

static bool stage_switch(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Memory *m = &l->ctx->memory;
    Branches b = { .f = f, .l = l, .in = in, .n = (uint32_t)f->n_bases };
    if (!(b.step = memory_alloc(m, b.n * sizeof *b.step))) return control_memory(f, l);
    bool good = run(&b, out);
    for (uint32_t k = 0; k < b.opened; k++) step_close(&b.step[k]);
    memory_free(m, b.step, b.n * sizeof *b.step);
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
                                         .who = "weft_switch",
                                         .at = at });
}

weft_fn weft_cond_(weft_context *ctx, weft_fn yes, weft_fn no, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &cond_rule,
                                         .bases = (weft_fn[]){ yes, no },
                                         .n_bases = 2,
                                         .numbers = (int64_t[]){ 1 },
                                         .n_numbers = SWITCH_NUMBERS,
                                         .who = "weft_cond",
                                         .at = at });
}
