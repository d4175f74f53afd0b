/* control.c: scan, fori and while: one SCAN or WHILE op whose body is the traced function. */
#include "carries.h"
#include <stdio.h>
#include <string.h>
#include "options.h"
#include "compiler/graph/rebuild.h"
#include "runtime/trace/op.h"

/* One call of a loop. */
typedef struct LoopCall {
    Staging s;   /* its callee is the body */
    Callee cond; /* of a while */
    Carries c;
    ScanShape shape;
    int64_t *out_axis; /* [results]: the axis of the steps in those that are stacked */
} LoopCall;

static Arena *arena_of(const LoopCall *c) { return &c->s.l->trace->arena; }

/* ---- the operands ---- */

/* As values of the running trace; slices with their axis in front. */
typedef struct LoopOperands {
    Ref *leaf, *hidden; /* hidden: the body's, then the condition's */
    uint32_t n_hidden;
} LoopOperands;

/* A region takes leaves of one kind after the other, and hidden values behind the invariant ones. */
typedef enum { LEAF_INVARIANT, LEAF_INDEX, LEAF_CARRY, LEAF_SLICE } LeafKind;

static LeafKind leaf_kind(int64_t role)
{
    return role == ROLE_NONE || role == ROLE_END ? LEAF_INVARIANT
           : role == ROLE_INDEX                  ? LEAF_INDEX
           : role == ROLE_CARRY                  ? LEAF_CARRY
                                                 : LEAF_SLICE;
}

static void add_hidden(const LoopCall *c, const Callee *callee, LoopOperands *o)
{
    for (uint32_t i = 0; i < callee->trace.n_hidden; i++)
        o->hidden[o->n_hidden++] = trace_ref(c->s.l->trace, callee->trace.hidden[i]);
}

static LoopOperands loop_operands(const LoopCall *c)
{
    const Staging *s = &c->s;
    LoopOperands o = { .leaf = stage_refs(arena_of(c), s->in->n_leaves),
                       .hidden = stage_refs(arena_of(c),
                                            (size_t)s->callee.trace.n_hidden + c->cond.trace.n_hidden) };
    add_hidden(c, &s->callee, &o);
    add_hidden(c, &c->cond, &o);
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        int64_t role = s->axis[i];
        o.leaf[i] = stage_leaf(s->l, s->in, i);
        if (leaf_kind(role) == LEAF_SLICE)
            o.leaf[i] = build_move_axis(s->l->trace->graph, o.leaf[i],
                                        (int)(role < 0 ? role + s->type[i].rank + 1 : role), 0);
    }
    return o;
}

/* ---- the regions ---- */

/* A region of the loop: its parameters, by leaf and by hidden value. */
typedef struct LoopRegion {
    RegionBuild r;
    Ref *leaf, *hidden;
    uint32_t n_invariant, n_carry, n_xs;
} LoopRegion;

static void take_leaves(const LoopCall *c, const LoopOperands *o, LeafKind kind, LoopRegion *x)
{
    for (uint32_t i = 0; i < c->s.in->n_leaves; i++)
        if (leaf_kind(c->s.axis[i]) == kind) x->leaf[i] = region_take(&x->r, c->s.type[i], o->leaf[i]);
}

static LoopRegion loop_region(const LoopCall *c, const LoopOperands *o, const char *name)
{
    Graph *g = c->s.l->trace->graph;
    uint32_t n = c->s.in->n_leaves;
    LoopRegion x = { .r = region_begin(g, name, (size_t)n + o->n_hidden, (size_t)c->c.n_results + 1),
                     .leaf = stage_refs(arena_of(c), n),
                     .hidden = stage_refs(arena_of(c), o->n_hidden) };
    take_leaves(c, o, LEAF_INVARIANT, &x);
    for (uint32_t i = 0; i < o->n_hidden; i++)
        x.hidden[i] = region_take(&x.r, graph_type(g, o->hidden[i]), o->hidden[i]);
    x.n_invariant = region_count(&x.r);
    take_leaves(c, o, LEAF_INDEX, &x);
    take_leaves(c, o, LEAF_CARRY, &x);
    x.n_carry = region_count(&x.r);
    take_leaves(c, o, LEAF_SLICE, &x);
    x.n_xs = region_count(&x.r);
    return x;
}

static Ref plus_one(Graph *g, Ref index)
{
    return build_binary(g, OP_ADD, index, build_splat(g, graph_type(g, index), 1));
}

/* The body: next index, next carries, and what is no carry. NULL: the graph has failed. */
static const Graph *body_region(const LoopCall *c, LoopRegion *x)
{
    const Carries *carries = &c->c;
    Ref *results = stage_refs(arena_of(c), carries->n_results);
    if (callee_inline(x->r.g, &c->s.callee, x->leaf, x->hidden, results)) {
        for (uint32_t i = 0; i < c->s.in->n_leaves; i++)
            if (c->s.axis[i] == ROLE_INDEX) region_give(&x->r, plus_one(x->r.g, x->leaf[i]));
        for (uint32_t k = 0; k < carries->n; k++) region_give(&x->r, results[carries->result[k]]);
        for (uint32_t i = 0; i < carries->n_results; i++)
            if (carries->of_result[i] == NO_CARRY) region_give(&x->r, results[i]);
    }
    return region_end(&x->r, c->s.l->trace->graph);
}

/* index < end; or the condition's one result. NULL: the graph has failed. */
static const Graph *cond_region(const LoopCall *c, LoopRegion *x)
{
    const Staging *s = &c->s;
    Ref go = REF_NONE, index = REF_NONE, end = REF_NONE;
    if (c->cond.traced) callee_inline(x->r.g, &c->cond, x->leaf, x->hidden + s->callee.trace.n_hidden, &go);
    else {
        for (uint32_t i = 0; i < s->in->n_leaves; i++) {
            if (s->axis[i] == ROLE_INDEX) index = x->leaf[i];
            if (s->axis[i] == ROLE_END) end = x->leaf[i];
        }
        go = build_compare(x->r.g, CMP_LT, index, end);
    }
    region_give(&x->r, stage_to_bool(x->r.g, go));
    return region_end(&x->r, s->l->trace->graph);
}

/* ---- scan, and fori with a count ---- */

static bool build_scan_op(void *call, Ref *results)
{
    const LoopCall *c = call;
    Trace *t = c->s.l->trace;
    ScanShape shape = c->shape;
    LoopOperands o = loop_operands(c);
    LoopRegion x = loop_region(c, &o, c->s.f->name);
    const Graph *body = body_region(c, &x);
    Ref *out = stage_refs(&t->arena, x.r.n_out);
    shape.n_invariant = x.n_invariant, shape.n_carry = x.n_carry, shape.n_xs = x.n_xs;
    t->body_runs += (uint64_t)shape.length * c->s.callee.trace.body_runs;
    if (!body || (body->n_outputs && !build_scan(t->graph, shape, body, x.r.args, out))) return false;
    for (uint32_t i = 0, y = shape.n_carry; i < c->c.n_results; i++) {
        uint32_t carry = c->c.of_result[i];
        results[i] = carry != NO_CARRY ? out[x.n_carry - c->c.n + carry]
                                       : build_move_axis(t->graph, out[y++], 0, (int)c->out_axis[i]);
    }
    return true;
}

/* Finds the axes of results that are stacked; 0 where nothing was said. */
static bool find_out_axes(LoopCall *c, const AxisTree *given)
{
    const Staging *s = &c->s;
    const Flat *out = &s->callee.results;
    Failure failure = { .code = WEFT_OK };
    int64_t *axis = c->out_axis = stage_room(s->f, s->l, out->n_leaves, sizeof *axis);
    if (!axis) return false;
    if (!axes_resolve(given, &s->f->sig->out, &s->l->ctx->memory, out->word, out->n_words, axis, &failure))
        return stage_failure(s->f, s->l, &failure);
    for (uint32_t i = 0; i < out->n_leaves; i++) {
        if (c->c.of_result[i] != NO_CARRY || axis[i] == AXIS_DEFAULT) {
            axis[i] = 0;
            continue;
        }
        int rank = callee_result(&s->callee, i).rank + 1;
        if (axis[i] < 0 && axis[i] >= -rank) axis[i] += rank;
        if (axis[i] >= 0 && axis[i] < rank) continue;
        const char *path = STAGE_OUT(s->f, out, i);
        if (axis[i] < -WEFT_MAX_RANK)
            return stage_error(s->f, s->l, WEFT_ARGUMENT,
                               "result %s is no carry: it is stacked, and needs an axis", path);
        return stage_error(s->f, s->l, WEFT_SHAPE, "result %s, stacked, has %d axes and no axis %lld", path,
                           rank, (long long)axis[i]);
    }
    return true;
}

/* Is each result a carry? loop: what errors call it. */
static bool only_carries(const LoopCall *c, const char *loop)
{
    const Staging *s = &c->s;
    for (uint32_t i = 0; i < c->c.n_results; i++) {
        if (c->c.of_result[i] != NO_CARRY) continue;
        return stage_error(s->f, s->l, WEFT_ARGUMENT, "result %s is no carry: %s gives its carries only",
                           STAGE_OUT(s->f, &s->callee.results, i), loop);
    }
    return true;
}

static bool run_scan(LoopCall *c, const AxisTree *out_axes, Flat *out)
{
    return find_out_axes(c, out_axes) &&
           stage_results(c->s.f, c->s.l, build_scan_op, c, &c->s.callee.results, out);
}

static bool trace_body(LoopCall *c, const char *what)
{
    return staging_trace(&c->s) && carries_find(&c->s, what, &c->c);
}

static bool differing_lengths(const Staging *s)
{
    char list[ERROR_TEXT / 2];
    size_t used = 0;
    for (uint32_t i = 0; i < s->in->n_leaves && used < sizeof list - 1; i++) {
        int64_t role = s->axis[i];
        if (role <= ROLE_END) continue;
        Type t = array_type(s->in->leaf[i]);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld along axis %lld of %s %s",
                                 used ? ", " : "", (long long)t.dim[role < 0 ? role + t.rank : role],
                                 (long long)role, STAGE_IN(s->f, s->in, i), STAGE_TYPE(t));
    }
    return stage_error(s->f, s->l, WEFT_SHAPE, "scan got values with different leading axis sizes: %s", list);
}

/* Cuts the slices; the length is theirs, or the option's. */
static bool scan_slices(Staging *s)
{
    int64_t given = s->f->numbers[OPTION_length];
    s->length = -1;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        int64_t role = s->axis[i];
        if (role == AXIS_DEFAULT) role = s->axis[i] = ROLE_NONE;
        if (role <= ROLE_END) continue;
        Type t = s->type[i];
        int axis = staging_cut(s, i, role);
        if (axis < 0)
            return stage_error(
                s->f, s->l, WEFT_SHAPE,
                "scan got value with no leading axis to scan over: argument %s %s has no axis %lld",
                STAGE_IN(s->f, s->in, i), STAGE_TYPE(t), (long long)role);
        if (s->length >= 0 && t.dim[axis] != s->length) return differing_lengths(s);
        s->length = t.dim[axis];
    }
    if (s->length < 0 && given == WEFT_NOT_SAID)
        return stage_error(s->f, s->l, WEFT_ARGUMENT,
                           "nothing is sliced, so it needs .length: how many steps");
    if (s->length >= 0 && given != WEFT_NOT_SAID && given != s->length)
        return stage_error(
            s->f, s->l, WEFT_SHAPE,
            "scan got `length` argument of %lld which disagrees with leading axis sizes [%lld]",
            (long long)given, (long long)s->length);
    if (s->length < 0) s->length = given;
    return true;
}

static bool stage_scan(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const AxesText *roles = f->data;
    LoopCall c = { .shape = { .reverse = f->numbers[OPTION_reverse],
                              .unroll = f->numbers[OPTION_unroll],
                              .checkpoint = f->numbers[OPTION_checkpoint] } };
    bool good = staging_open(&c.s, f, l, in) && staging_axes(&c.s, roles->in) && scan_slices(&c.s) &&
                trace_body(&c, "scan body function");
    c.shape.length = c.s.length;
    good = good && run_scan(&c, roles->out, out);
    callee_close(&c.s.callee);
    return good;
}

/* ---- while, and fori with an end ---- */

static bool build_while_op(void *call, Ref *results)
{
    const LoopCall *c = call;
    Trace *t = c->s.l->trace;
    LoopOperands o = loop_operands(c);
    LoopRegion test = loop_region(c, &o, "cond"), x = loop_region(c, &o, c->s.f->name);
    const Graph *cond = cond_region(c, &test), *body = body_region(c, &x);
    Ref *out = stage_refs(&t->arena, x.n_carry);
    if (!cond || !body || !build_while(t->graph, cond, body, x.r.args, x.n_invariant, x.n_carry, out))
        return false;
    for (uint32_t i = 0; i < c->c.n_results; i++) results[i] = out[x.n_carry - c->c.n + c->c.of_result[i]];
    return true;
}

static bool run_while(LoopCall *c, Flat *out)
{
    const Staging *s = &c->s;
    if (!only_carries(c, "a while")) return false;
    if (!c->c.n) return stage_error(s->f, s->l, WEFT_ARGUMENT, "nothing is carried, so it would never end");
    return stage_results(s->f, s->l, build_while_op, c, &s->callee.results, out);
}

/* The condition must give one bool. */
static bool check_cond(const LoopCall *c)
{
    const Staging *s = &c->s;
    Type t = callee_result(&c->cond, 0);
    if (c->cond.results.n_leaves != 1)
        return stage_error(s->f, s->l, WEFT_ARGUMENT, "while_loop condition must give one array, not %u",
                           (unsigned)c->cond.results.n_leaves);
    if (t.rank == 0 && t.dtype == WEFT_BOOL) return true;
    return stage_error(s->f, s->l, t.rank ? WEFT_SHAPE : WEFT_DTYPE,
                       "while_loop condition must give one bool, not %s", STAGE_TYPE(t));
}

/* Reads the roles, none of which may be an axis; arguments without a role are invariant. */
static bool find_roles(Staging *s, const AxisTree *roles)
{
    if (!staging_axes(s, roles)) return false;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        if (s->axis[i] == AXIS_DEFAULT) s->axis[i] = ROLE_NONE;
        if (s->axis[i] > ROLE_END)
            return stage_error(s->f, s->l, WEFT_ARGUMENT,
                               "argument %s: nothing is sliced here, so axis %lld is no role",
                               STAGE_IN(s->f, s->in, i), (long long)s->axis[i]);
    }
    return true;
}

static bool stage_while(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const AxesText *roles = f->data;
    LoopCall c = { 0 };
    bool good = staging_open(&c.s, f, l, in) && find_roles(&c.s, roles->in) && staging_trace(&c.s) &&
                callee_trace_call(&c.cond, f->bases[1], l, c.s.type, in, in) && check_cond(&c) &&
                carries_find(&c.s, "while_loop body function", &c.c) && run_while(&c, out);
    callee_close(&c.cond);
    callee_close(&c.s.callee);
    return good;
}

/* ---- fori ---- */

/* There is at most one index and one end: integers of rank 0 and of one type. */
static bool check_fori(const Staging *s, bool *has_end)
{
    uint32_t at[2] = { NO_CARRY, NO_CARRY };
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        int64_t role = s->axis[i];
        if (role != ROLE_INDEX && role != ROLE_END) continue;
        const char *word = role == ROLE_INDEX ? "index" : "end";
        const char *path = STAGE_IN(s->f, s->in, i);
        if (at[role == ROLE_END] != NO_CARRY)
            return stage_error(s->f, s->l, WEFT_ARGUMENT, "argument %s: there is another %s before it", path,
                               word);
        if (s->type[i].rank || !dtype_is_int((DType)s->type[i].dtype))
            return stage_error(s->f, s->l, s->type[i].rank ? WEFT_SHAPE : WEFT_DTYPE,
                               "argument %s: the %s must be one integer, not %s", path, word,
                               STAGE_TYPE(s->type[i]));
        at[role == ROLE_END] = i;
    }
    *has_end = at[1] != NO_CARRY;
    bool counted = s->f->numbers[OPTION_count] != WEFT_NOT_SAID;
    if (*has_end && at[0] == NO_CARRY) return stage_error(s->f, s->l, WEFT_ARGUMENT, "an end needs an index");
    if (*has_end && s->type[at[0]].dtype != s->type[at[1]].dtype)
        return stage_error(s->f, s->l, WEFT_DTYPE, "index and end differ in element type: %s and %s",
                           dtype_name((DType)s->type[at[0]].dtype), dtype_name((DType)s->type[at[1]].dtype));
    if (*has_end == counted)
        return stage_error(s->f, s->l, WEFT_ARGUMENT,
                           counted ? "both .count and an argument whose role is end say when it ends"
                                   : "nothing says when it ends: .count, or an argument whose role is end");
    return true;
}

static bool stage_fori(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const AxesText *roles = f->data;
    LoopCall c = { .shape = { .length = f->numbers[OPTION_count],
                              .unroll = 1,
                              .checkpoint = f->numbers[OPTION_checkpoint] } };
    bool has_end = false, good = staging_open(&c.s, f, l, in) && find_roles(&c.s, roles->in) &&
                                 check_fori(&c.s, &has_end) && trace_body(&c, "fori_loop body function");
    good = good && (has_end ? run_while(&c, out)
                            : only_carries(&c, "a loop without slices") && run_scan(&c, roles->out, out));
    callee_close(&c.s.callee);
    return good;
}

/* ---- making them ---- */

static bool prepare_roles(Function *f, Arena *a, const AxesWord *words, Failure *failure)
{
    return axes_parse(a, f->text, f->sig, words, f->data = arena_alloc(a, sizeof(AxesText)), failure);
}

static bool check_checkpoint(const Function *f, Failure *failure)
{
    return control_at_least(f, OPTION_checkpoint, 0, ": every so many steps, 0: of all", failure);
}

static const AxesWord carry_words[] = { { "none", ROLE_NONE }, { "carry", ROLE_CARRY }, { NULL, 0 } };

static bool prepare_scan(Function *f, Arena *a, Failure *failure)
{
    return control_refuse_stray(f, failure) &&
           control_at_least(f, OPTION_length, 0, ": steps, 0 or more", failure) &&
           check_checkpoint(f, failure) &&
           control_at_least(f, OPTION_unroll, 1, ": steps per turn, 1 or more", failure) &&
           prepare_roles(f, a, carry_words, failure);
}

/* For loops that give their carries only. */
static bool prepare_loop(Function *f, Arena *a, const AxesWord *words, Failure *failure)
{
    if (strstr(f->text, "->"))
        return fail(failure, WEFT_ARGUMENT,
                    "the results are the carries: there is nothing to say behind \"->\"");
    return prepare_roles(f, a, words, failure);
}

static bool prepare_fori(Function *f, Arena *a, Failure *failure)
{
    static const AxesWord words[] = { { "none", ROLE_NONE },
                                      { "carry", ROLE_CARRY },
                                      { "index", ROLE_INDEX },
                                      { "end", ROLE_END },
                                      { NULL, 0 } };
    if (!control_refuse_stray(f, failure) ||
        !control_at_least(f, OPTION_count, 0, ": steps, 0 or more", failure) || !check_checkpoint(f, failure))
        return false;
    if (f->numbers[OPTION_checkpoint] && f->numbers[OPTION_count] == WEFT_NOT_SAID)
        return fail(failure, WEFT_ARGUMENT,
                    ".checkpoint needs .count: reverse mode cannot go back through a loop whose end is data");
    return prepare_loop(f, a, words, failure);
}

/* bases: body, cond. */
static bool prepare_while(Function *f, Arena *a, Failure *failure)
{
    const Signature *body = f->bases[0]->sig, *cond = f->bases[1]->sig;
    bool same = body->in.fields == cond->in.fields;
    for (size_t i = 0; same && i < body->in.fields; i++)
        same = field_equal(&body->in.field[i], &cond->in.field[i]);
    if (!same)
        return fail(failure, WEFT_ARGUMENT,
                    "%s and %s must take the same arguments, one after the other (in-outs may be const in "
                    "the condition)",
                    f->bases[0]->label, f->bases[1]->label);
    return prepare_loop(f, a, carry_words, failure);
}

static const FnRule scan_rule = { "scan", prepare_scan, stage_scan };
static const FnRule fori_rule = { "fori", prepare_fori, stage_fori };
static const FnRule while_rule = { "while", prepare_while, stage_while };

weft_fn weft_scan_(weft_context *ctx, weft_fn f, const char *roles, weft_control o, const char *at)
{
    Derivation d = { .rule = &scan_rule, .bases = &f, .n_bases = 1, .text = roles, .at = at };
    return control_derive(
        ctx, &d, o, 1 << OPTION_length | 1 << OPTION_reverse | 1 << OPTION_unroll | 1 << OPTION_checkpoint);
}

weft_fn weft_fori_(weft_context *ctx, weft_fn f, const char *roles, weft_control o, const char *at)
{
    Derivation d = { .rule = &fori_rule, .bases = &f, .n_bases = 1, .text = roles, .at = at };
    return control_derive(ctx, &d, o, 1 << OPTION_count | 1 << OPTION_checkpoint);
}

weft_fn weft_while_(weft_context *ctx, weft_fn cond, weft_fn body, const char *roles, const char *at)
{
    return fn_derive(
        ctx,
        &(Derivation){
            .rule = &while_rule, .bases = (weft_fn[]){ body, cond }, .n_bases = 2, .text = roles, .at = at });
}
