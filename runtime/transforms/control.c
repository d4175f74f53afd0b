/* control.c: scan, fori and while as transforms: one SCAN or WHILE op whose body is the traced function; see
 * control.h. */
#include "control.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "runtime/trace/op.h"
#include "weft/control.h"
#include "runtime/call/written.h"

#define ROLE_NONE  VMAP_NONE
#define ROLE_CARRY (INT64_MIN + 2)
#define ROLE_INDEX (INT64_MIN + 3)
#define ROLE_END   (INT64_MIN + 4)
#define NO_LEAF    UINT32_MAX

/* ---- errors ---- */

bool control_error(const Function *f, Local *l, weft_status code, const char *format, ...)
{
    char text[ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(l, code, f->label, NULL, "%s", text);
    return false;
}

bool control_memory(const Function *f, Local *l)
{
    error_memory(l, f->label, NULL);
    return false;
}

bool control_failed(const Function *f, Local *l)
{
    Failure *failure = &l->trace->graph->failure;
    if (failure->code == WEFT_OK) return false;
    weft_status code = failure->code;
    failure->code = WEFT_OK;
    return control_error(f, l, code, "%s", failure->text);
}

/* ---- steps ---- */

bool step_open(Step *s, const Function *f, Local *l, const Flat *in, const AxisTree *roles)
{
    Memory *m = &l->ctx->memory;
    Failure failure = { .code = WEFT_OK };
    *s = (Step){ .f = f, .l = l, .in = in };
    flat_open(&s->results, m);
    s->role = memory_alloc(m, (in->n_leaves + 1) * sizeof *s->role);
    s->type = memory_alloc(m, (in->n_leaves + 1) * sizeof *s->type);
    s->dims = memory_alloc(m, (in->n_leaves + 1) * WEFT_MAX_RANK * sizeof *s->dims);
    if (!s->role || !s->type || !s->dims) return control_memory(f, l);
    for (uint32_t i = 0; i < in->n_leaves; i++) s->type[i] = array_type(in->leaf[i]);
    if (!roles)
        for (uint32_t i = 0; i < in->n_leaves; i++) s->role[i] = ROLE_NONE;
    if (!roles || axes_resolve(roles, &f->sig->in, m, in->word, in->n_words, s->role, &failure)) return true;
    return failure.code == WEFT_MEMORY ? control_memory(f, l)
                                       : control_error(f, l, failure.code, "%s", failure.text);
}

bool step_slice(Step *s, uint32_t leaf, int64_t axis)
{
    Type t = s->type[leaf];
    int64_t *dim = s->dims + (size_t)leaf * WEFT_MAX_RANK;
    if (axis < 0) axis += t.rank;
    if (axis < 0 || axis >= t.rank) return false;
    for (int d = 0, n = 0; d < t.rank; d++)
        if (d != axis) dim[n++] = t.dim[d];
    s->type[leaf] = (Type){ t.dtype, (uint8_t)(t.rank - 1), dim };
    return true;
}

bool step_trace(Step *s, const Function *base)
{
    Frame frame;
    frame_push(&frame, base, s->in, s->l);
    s->traced = call_trace(base, s->l, s->type, s->in, &s->trace, &s->results);
    frame_pop(&frame, s->l);
    return s->traced;
}

/* ---- options ---- */

weft_control control_options(weft_control o)
{
    if (!o.written_) return o;
    if (!written_option(o.written_, "length")) o.length = WEFT_NOT_SAID;
    if (!written_option(o.written_, "count")) o.count = WEFT_NOT_SAID;
    if (!written_option(o.written_, "batch_ndims")) o.batch_ndims = WEFT_NOT_SAID;
    return o;
}

static const char *const option_name[CONTROL_OPTIONS] = { "length",      "reverse", "unroll",
                                                          "count",       "batch",   "chunk",
                                                          "batch_ndims", "axis",    "checkpoint" };

int64_t control_strays(weft_control o, unsigned allowed)
{
    const bool said[] = { o.length != WEFT_NOT_SAID,      o.reverse, o.unroll,
                          o.count != WEFT_NOT_SAID,       o.batch,   o.chunk,
                          o.batch_ndims != WEFT_NOT_SAID, o.axis,    o.checkpoint };
    for (int i = 0; i < CONTROL_OPTIONS; i++)
        if (said[i] && !(allowed >> i & 1)) return i + 1;
    for (int i = 0; i < CONTROL_OPTIONS; i++)
        if (i != CONTROL_REVERSE && written_float(o.written_, option_name[i])) return CONTROL_OPTIONS + i + 1;
    return 0;
}

bool control_refuse_stray(const Function *f, int64_t stray, Failure *failure)
{
    if (stray > CONTROL_OPTIONS)
        return fail(failure, WEFT_ARGUMENT, ".%s is a floating-point number: it must be an integer",
                    option_name[stray - CONTROL_OPTIONS - 1]);
    return !stray ||
           fail(failure, WEFT_ARGUMENT, ".%s is no option of weft_%s", option_name[stray - 1], f->rule->name);
}

void step_close(Step *s)
{
    Memory *m = &s->l->ctx->memory;
    size_t n = s->in->n_leaves + 1;
    if (s->traced) trace_free(&s->trace);
    if (s->role) memory_free(m, s->role, n * sizeof *s->role);
    if (s->type) memory_free(m, s->type, n * sizeof *s->type);
    if (s->dims) memory_free(m, s->dims, n * WEFT_MAX_RANK * sizeof *s->dims);
    flat_close(&s->results);
}

Ref control_to_bool(Graph *g, Ref r)
{
    if (r == REF_NONE) return r;
    Type t = graph_type(g, r);
    return t.dtype == WEFT_BOOL ? r : build_compare(g, CMP_NE, r, build_splat(g, t, 0));
}

/* ---- carries: which result is the next value of which argument ---- */

typedef struct Carries {
    uint32_t *leaf;      /* [n]: of the arguments, in their order */
    uint32_t *result;    /* [n]: its next value among the results */
    uint32_t *of_result; /* [n_results]: which carry it is, or NO_LEAF */
    uint32_t n, n_results, n_leaves;
} Carries;

static void carries_close(const Step *s, Carries *c)
{
    Memory *m = &s->l->ctx->memory;
    if (c->leaf) memory_free(m, c->leaf, (c->n_leaves + 1) * sizeof *c->leaf);
    if (c->result) memory_free(m, c->result, (c->n_leaves + 1) * sizeof *c->result);
    if (c->of_result) memory_free(m, c->of_result, (c->n_results + 1) * sizeof *c->of_result);
}

/* The next result field that is no in-out: carries that are not in-outs take theirs from these in order. */
static size_t next_plain_result(const Signature *sig, size_t from)
{
    while (from < sig->out.fields && sig->in_of_out[from] >= 0) from++;
    return from;
}

static size_t inout_result(const Signature *sig, size_t in)
{
    size_t o = 0;
    while (o < sig->out.fields && sig->in_of_out[o] != (int)in) o++;
    return o;
}

static bool bad_structure(const Step *s, const char *what, const TreeDifference *d)
{
    return control_error(s->f, s->l, WEFT_TREE_MISMATCH,
                         "%s carry input and carry output must have the same structure, but they differ: the "
                         "input carry component %s is %s "
                         "but the corresponding component of the carry output is %s, so %s. Revise the "
                         "function so that the carry output has the structure of the carry input",
                         what, d->path, d->a, d->b, d->why);
}

/* Pairs field i of the arguments with field o of the results, whose leaves begin at these ranges. */
static bool pair_field(const Step *s, const char *what, Carries *c, size_t i, const TreeRange *from, size_t o,
                       const TreeRange *to)
{
    const Signature *sig = s->f->sig;
    uint32_t n = from[i + 1].leaf - from[i].leaf;
    const weft_tree *a = sig->in.field[i].tree, *b = sig->out.field[o].tree;
    if (!a != !b || (a && !tree_equal(a, b)))
        return control_error(s->f, s->l, WEFT_TREE_MISMATCH,
                             "%s carry input and carry output must have the same structure, but they differ: "
                             "the input carry component %s is %s%s "
                             "but the corresponding component of the carry output, %s, is %s%s",
                             what, sig->in.field[i].name, a ? "a struct " : "an array", a ? a->name : "",
                             sig->out.field[o].name, b ? "a struct " : "an array", b ? b->name : "");
    if (a) {
        weft_tree part = {
            .name = sig->in.name, .bytes = sig->in.bytes, .fields = 1, .field = &sig->in.field[i]
        };
        TreeDifference d;
        if (tree_difference(&part, s->in->word + from[i].word, from[i + 1].word - from[i].word,
                            s->results.word + to[o].word, to[o + 1].word - to[o].word, &d))
            return bad_structure(s, what, &d);
    }
    for (uint32_t k = 0; k < n; k++) {
        c->leaf[c->n] = from[i].leaf + k;
        c->result[c->n] = to[o].leaf + k;
        c->of_result[to[o].leaf + k] = c->n++;
    }
    return true;
}

static bool pair_types(const Step *s, const char *what, const Carries *c)
{
    const Graph *g = step_graph(s);
    for (uint32_t k = 0; k < c->n; k++) {
        char path[TREE_PATH], a[CONTROL_TEXT], b[CONTROL_TEXT];
        Type from = s->type[c->leaf[k]], to = graph_type(g, g->outputs[c->result[k]]);
        if (type_equal(from, to)) continue;
        return control_error(s->f, s->l, from.dtype != to.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                             "%s carry input and carry output must have equal types, but they differ: the "
                             "input carry component %s has type %s but the corresponding output "
                             "carry component has type %s. Revise the function so that they are equal",
                             what, call_in_path(s->f, s->in, c->leaf[k], path, sizeof path),
                             type_text(a, sizeof a, from), type_text(b, sizeof b, to));
    }
    return true;
}

static bool field_carries(const Step *s, const TreeRange *from, size_t i, bool *carries)
{
    const Signature *sig = s->f->sig;
    uint32_t n = 0;
    for (uint32_t k = from[i].leaf; k < from[i + 1].leaf; k++) n += s->role[k] == ROLE_CARRY;
    *carries = n && n == from[i + 1].leaf - from[i].leaf;
    bool inout = inout_result(sig, i) < sig->out.fields;
    if (n && !*carries)
        return control_error(s->f, s->l, WEFT_ARGUMENT,
                             "argument %s is a carry in part only: a struct is carried whole",
                             sig->in.field[i].name);
    if (inout && !*carries && from[i + 1].leaf > from[i].leaf)
        return control_error(s->f, s->l, WEFT_ARGUMENT,
                             "argument %s is an in-out struct: its role is carry (or pass it as const)",
                             sig->in.field[i].name);
    return true;
}

static bool pair_fields(const Step *s, const char *what, Carries *c, const TreeRange *from,
                        const TreeRange *to)
{
    const Signature *sig = s->f->sig;
    size_t plain = next_plain_result(sig, 0);
    for (size_t i = 0; i < sig->in.fields; i++) {
        bool carries;
        if (!field_carries(s, from, i, &carries)) return false;
        if (!carries) continue;
        size_t o = inout_result(sig, i);
        if (o == sig->out.fields) {
            if ((o = plain) == sig->out.fields)
                return control_error(s->f, s->l, WEFT_ARGUMENT,
                                     "carry %s has no result that could be its next value: the function "
                                     "returns it, or has it as a WEFT_OUT",
                                     sig->in.field[i].name);
            plain = next_plain_result(sig, plain + 1);
        }
        if (!pair_field(s, what, c, i, from, o, to)) return false;
    }
    return pair_types(s, what, c);
}

/* After the trace. what: "scan", "while_loop body". */
static bool find_carries(const Step *s, const char *what, Carries *c)
{
    const Signature *sig = s->f->sig;
    Memory *m = &s->l->ctx->memory;
    TreeRange from[sig->in.fields + 1], to[sig->out.fields + 1];
    *c = (Carries){ .n_leaves = s->in->n_leaves, .n_results = s->results.n_leaves };
    c->leaf = memory_alloc(m, (c->n_leaves + 1) * sizeof *c->leaf);
    c->result = memory_alloc(m, (c->n_leaves + 1) * sizeof *c->result);
    c->of_result = memory_alloc(m, (c->n_results + 1) * sizeof *c->of_result);
    if (!c->leaf || !c->result || !c->of_result) return control_memory(s->f, s->l);
    for (uint32_t i = 0; i < c->n_results; i++) c->of_result[i] = NO_LEAF;
    if (!tree_ranges(&sig->in, m, s->in->word, s->in->n_words, from) ||
        !tree_ranges(&sig->out, m, s->results.word, s->results.n_words, to))
        return control_memory(s->f, s->l);
    return pair_fields(s, what, c, from, to);
}

/* ---- the regions ---- */

/* The operands of a loop in their order: invariant leaves, hidden values, the index of a fori, carries,
 * slices. */
typedef struct Operands {
    uint32_t *at; /* [leaves of in]: which operand it is */
    Type *type;   /* [n]: what one step sees */
    uint32_t n_invariant, n_hidden, n_index, n_carry, n_slices, n;
} Operands;

static bool is_invariant(int64_t role) { return role == ROLE_NONE || role == ROLE_END; }

static void order_operands(Arena *a, const Step *s, const Carries *c, uint32_t n_hidden, Operands *o)
{
    uint32_t n = s->in->n_leaves;
    *o = (Operands){ .at = arena_alloc(a, (n + 1) * sizeof *o->at), .n_hidden = n_hidden, .n_carry = c->n };
    for (uint32_t i = 0; i < n; i++) {
        o->n_invariant += is_invariant(s->role[i]);
        o->n_index += s->role[i] == ROLE_INDEX;
    }
    o->n_slices = n - o->n_invariant - o->n_index - o->n_carry;
    o->n = n + n_hidden;
    uint32_t invariant = 0, index = o->n_invariant + n_hidden, carry = index + o->n_index,
             slice = carry + c->n;
    o->type = arena_alloc(a, (o->n + 1) * sizeof *o->type);
    for (uint32_t i = 0; i < n; i++) {
        int64_t role = s->role[i];
        o->at[i] = is_invariant(role)   ? invariant++
                   : role == ROLE_INDEX ? index++
                   : role == ROLE_CARRY ? carry++
                                        : slice++;
        o->type[o->at[i]] = s->type[i];
    }
}

/* The hidden values of one traced function among the operands: types, and as values of the running trace. */
static void place_hidden(const Step *s, Operands *o, uint32_t from, Ref *args)
{
    const Graph *g = step_graph(s);
    for (uint32_t i = 0; i < s->trace.n_hidden; i++) {
        uint32_t at = o->n_invariant + from + i;
        o->type[at] = graph_type(g, s->trace.hidden_refs[i]);
        args[at] = control_hidden(s->l, &s->trace, i);
    }
}

static Graph *region_begin(Arena *a, const char *name, const Operands *o, Ref *params)
{
    Graph *g = graph_new(a, name);
    for (uint32_t i = 0; i < o->n; i++) params[i] = build_param(g, o->type[i]);
    return g;
}

/* The traced function's results for these parameters of a region; its hidden ones begin at `from` among the
 * hidden. */
static bool inline_step(Graph *region, const Step *s, const Operands *o, uint32_t from, const Ref *params,
                        Ref *results)
{
    const Graph *callee = step_graph(s);
    uint32_t n = s->in->n_leaves;
    Ref *args = arena_alloc(region->arena, (callee->n_params + 1) * sizeof *args);
    for (uint32_t i = 0; i < callee->n_params; i++)
        args[i] = params[i < n ? o->at[i] : o->n_invariant + from + (i - n)];
    return graph_inline(region, callee, args, results);
}

static Ref plus_one(Graph *g, Ref index)
{
    return build_binary(g, OP_ADD, index, build_splat(g, graph_type(g, index), 1));
}

/* The body: next index, next carries, and what is no carry. */
static Graph *body_region(Arena *a, const Step *s, const Carries *c, const Operands *o, uint32_t from)
{
    Ref *params = arena_alloc(a, (o->n + 1) * sizeof *params),
        *results = arena_alloc(a, (c->n_results + 1) * sizeof *results);
    Ref *outputs = arena_alloc(a, (o->n_index + c->n_results + 1) * sizeof *outputs);
    uint32_t n = 0;
    Graph *g = region_begin(a, s->f->name, o, params);
    if (!inline_step(g, s, o, from, params, results)) return NULL;
    if (o->n_index) outputs[n++] = plus_one(g, params[o->n_invariant + o->n_hidden]);
    for (uint32_t k = 0; k < c->n; k++) outputs[n++] = results[c->result[k]];
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->of_result[i] == NO_LEAF) outputs[n++] = results[i];
    graph_set_outputs(g, outputs, n);
    return g;
}

/* Operands that are leaves; slices with their axis in front. */
static void place_leaves(const Step *s, const Operands *o, Ref *args)
{
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        Ref r = control_leaf(s->l, s->in, i);
        int64_t role = s->role[i];
        if (o->at[i] >= o->n - o->n_slices)
            r = build_move_axis(s->l->trace->graph, r, (int)(role < 0 ? role + s->type[i].rank + 1 : role),
                                0);
        args[o->at[i]] = r;
    }
}

/* ---- scan, and fori with a count ---- */

static bool build_scan_op(const Step *s, const Carries *c, ScanShape shape, const int64_t *out_axis,
                          Ref *results)
{
    Trace *t = s->l->trace;
    Operands o;
    if (setjmp(t->guard.env)) return control_memory(s->f, s->l);
    t->graph->loc = graph_loc(t->graph, s->f->at);
    order_operands(&t->arena, s, c, s->trace.n_hidden, &o);
    Ref *args = arena_alloc(&t->arena, (o.n + 1) * sizeof *args),
        *out = arena_alloc(&t->arena, (o.n_index + c->n_results + 1) * sizeof *out);
    place_hidden(s, &o, 0, args);
    place_leaves(s, &o, args);
    const Graph *body = body_region(&t->arena, s, c, &o, 0);
    shape.n_invariant = o.n_invariant + o.n_hidden;
    shape.n_carry = o.n_index + o.n_carry;
    shape.n_xs = o.n_slices;
    t->body_runs += (uint64_t)shape.length * s->trace.body_runs;
    if (!body || (body->n_outputs && !build_scan(t->graph, shape, body, args, out)))
        return control_failed(s->f, s->l);
    for (uint32_t i = 0, y = shape.n_carry; i < c->n_results; i++) {
        bool carry = c->of_result[i] != NO_LEAF;
        results[i] = carry ? out[o.n_index + c->of_result[i]] : out[y++];
        if (!carry) results[i] = build_move_axis(t->graph, results[i], 0, (int)out_axis[i]);
    }
    return true;
}

/* The axes of results that are stacked, checked: 0 where nothing was said. */
static bool out_axes(const Step *s, const Carries *c, const AxisTree *given, int64_t *axis)
{
    const Graph *g = step_graph(s);
    Failure failure = { .code = WEFT_OK };
    if (!axes_resolve(given, &s->f->sig->out, &s->l->ctx->memory, s->results.word, s->results.n_words, axis,
                      &failure))
        return control_error(s->f, s->l, failure.code, "%s", failure.text);
    for (uint32_t i = 0; i < c->n_results; i++) {
        char path[TREE_PATH];
        if (c->of_result[i] != NO_LEAF || axis[i] == AXIS_DEFAULT) {
            axis[i] = 0;
            continue;
        }
        int rank = graph_type(g, g->outputs[i]).rank + 1;
        if (axis[i] < 0 && axis[i] >= -rank) axis[i] += rank;
        if (axis[i] >= 0 && axis[i] < rank) continue;
        call_out_path(s->f, &s->results, i, path, sizeof path);
        if (axis[i] < -WEFT_MAX_RANK)
            return control_error(s->f, s->l, WEFT_ARGUMENT,
                                 "result %s is no carry: it is stacked, and needs an axis", path);
        return control_error(s->f, s->l, WEFT_SHAPE, "result %s, stacked, has %d axes and no axis %lld", path,
                             rank, (long long)axis[i]);
    }
    return true;
}

/* The results of one op into out: n_results of them, from the running trace's arena. */
static bool give_results(const Step *s, const Ref *results, Flat *out)
{
    if (!call_results(s->f, s->l, results, s->results.n_leaves, out)) return false;
    return flat_words(out, s->results.word, s->results.n_words) || control_memory(s->f, s->l);
}

static bool run_scan(const Step *s, const char *what, ScanShape shape, const AxisTree *given, bool stacks,
                     Flat *out)
{
    Memory *m = &s->l->ctx->memory;
    Carries c;
    uint32_t n = s->results.n_leaves + 1;
    int64_t *axis = memory_alloc(m, n * sizeof *axis);
    Ref *results = memory_alloc(m, n * sizeof *results);
    bool good = find_carries(s, what, &c);
    if (good && (!axis || !results)) good = control_memory(s->f, s->l);
    for (uint32_t i = 0; good && !stacks && i < c.n_results; i++) {
        char path[TREE_PATH];
        if (c.of_result[i] == NO_LEAF)
            good = control_error(s->f, s->l, WEFT_ARGUMENT,
                                 "result %s is no carry: a loop without slices gives its carries only",
                                 call_out_path(s->f, &s->results, i, path, sizeof path));
    }
    good = good && out_axes(s, &c, given, axis) && build_scan_op(s, &c, shape, axis, results) &&
           give_results(s, results, out);
    carries_close(s, &c);
    if (axis) memory_free(m, axis, n * sizeof *axis);
    if (results) memory_free(m, results, n * sizeof *results);
    return good;
}

static bool differing_lengths(const Step *s)
{
    char list[ERROR_TEXT / 2], path[TREE_PATH], type[CONTROL_TEXT];
    size_t used = 0;
    for (uint32_t i = 0; i < s->in->n_leaves && used < sizeof list - 1; i++) {
        int64_t role = s->role[i];
        if (role <= ROLE_END) continue;
        Type t = array_type(s->in->leaf[i]);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld along axis %lld of %s %s",
                                 used ? ", " : "", (long long)t.dim[role < 0 ? role + t.rank : role],
                                 (long long)role, call_in_path(s->f, s->in, i, path, sizeof path),
                                 type_text(type, sizeof type, t));
    }
    return control_error(s->f, s->l, WEFT_SHAPE, "scan got values with different leading axis sizes: %s",
                         list);
}

/* Takes their axis from all slices; *length from them or from the option. */
static bool scan_slices(Step *s, int64_t given, int64_t *length)
{
    *length = -1;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        char path[TREE_PATH], text[CONTROL_TEXT];
        int64_t role = s->role[i];
        if (role == AXIS_DEFAULT) role = s->role[i] = ROLE_NONE;
        if (role <= ROLE_END) continue;
        Type t = s->type[i];
        if (!step_slice(s, i, role))
            return control_error(
                s->f, s->l, WEFT_SHAPE,
                "scan got value with no leading axis to scan over: argument %s %s has no axis %lld",
                call_in_path(s->f, s->in, i, path, sizeof path), type_text(text, sizeof text, t),
                (long long)role);
        int64_t n = t.dim[role < 0 ? role + t.rank : role];
        if (*length >= 0 && n != *length) return differing_lengths(s);
        *length = n;
    }
    if (*length < 0 && given == WEFT_NOT_SAID)
        return control_error(s->f, s->l, WEFT_ARGUMENT,
                             "nothing is sliced, so it needs .length: how many steps");
    if (*length >= 0 && given != WEFT_NOT_SAID && given != *length)
        return control_error(
            s->f, s->l, WEFT_SHAPE,
            "scan got `length` argument of %lld which disagrees with leading axis sizes [%lld]",
            (long long)given, (long long)*length);
    if (*length < 0) *length = given;
    return true;
}

enum { SCAN_STRAY, SCAN_LENGTH, SCAN_REVERSE, SCAN_UNROLL, SCAN_CHECKPOINT, SCAN_NUMBERS };

static bool stage_scan(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Roles *roles = f->data;
    Step s;
    ScanShape shape = { .reverse = f->numbers[SCAN_REVERSE],
                        .unroll = f->numbers[SCAN_UNROLL],
                        .checkpoint = f->numbers[SCAN_CHECKPOINT] };
    bool good = step_open(&s, f, l, in, roles->in) &&
                scan_slices(&s, f->numbers[SCAN_LENGTH], &shape.length) && step_trace(&s, f->base) &&
                run_scan(&s, "scan body function", shape, roles->out, true, out);
    step_close(&s);
    return good;
}

/* ---- while, and fori with an end ---- */

static bool all_carries(const Step *s, const Carries *c)
{
    for (uint32_t i = 0; i < c->n_results; i++) {
        char path[TREE_PATH];
        if (c->of_result[i] != NO_LEAF) continue;
        return control_error(s->f, s->l, WEFT_ARGUMENT,
                             "result %s is no carry: a while gives its carries only",
                             call_out_path(s->f, &s->results, i, path, sizeof path));
    }
    return c->n > 0 || control_error(s->f, s->l, WEFT_ARGUMENT, "nothing is carried, so it would never end");
}

/* index < end; or the condition's one result. */
static Graph *cond_region(Arena *a, const Step *s, const Step *cond, const Operands *o)
{
    Ref *params = arena_alloc(a, (o->n + 1) * sizeof *params), go = REF_NONE;
    Graph *g = region_begin(a, "cond", o, params);
    if (cond) {
        if (!inline_step(g, cond, o, s->trace.n_hidden, params, &go)) return NULL;
    } else {
        for (uint32_t i = 0; i < s->in->n_leaves; i++)
            if (s->role[i] == ROLE_END)
                go = build_compare(g, CMP_LT, params[o->n_invariant + o->n_hidden], params[o->at[i]]);
    }
    go = control_to_bool(g, go);
    graph_set_outputs(g, &go, 1);
    return g;
}

static bool build_while_op(const Step *s, const Step *cond, const Carries *c, Ref *results)
{
    Trace *t = s->l->trace;
    Operands o;
    if (setjmp(t->guard.env)) return control_memory(s->f, s->l);
    t->graph->loc = graph_loc(t->graph, s->f->at);
    order_operands(&t->arena, s, c, s->trace.n_hidden + (cond ? cond->trace.n_hidden : 0), &o);
    Ref *args = arena_alloc(&t->arena, (o.n + 1) * sizeof *args),
        *out = arena_alloc(&t->arena, (o.n + 1) * sizeof *out);
    place_hidden(s, &o, 0, args);
    if (cond) place_hidden(cond, &o, s->trace.n_hidden, args);
    place_leaves(s, &o, args);
    const Graph *test = cond_region(&t->arena, s, cond, &o), *body = body_region(&t->arena, s, c, &o, 0);
    if (!test || !body ||
        !build_while(t->graph, test, body, args, o.n_invariant + o.n_hidden, o.n_index + o.n_carry, out))
        return control_failed(s->f, s->l);
    for (uint32_t i = 0; i < c->n_results; i++) results[i] = out[o.n_index + c->of_result[i]];
    return true;
}

static bool run_while(const Step *s, const Step *cond, const char *what, Flat *out)
{
    Memory *m = &s->l->ctx->memory;
    Carries c;
    uint32_t n = s->results.n_leaves + 1;
    Ref *results = memory_alloc(m, n * sizeof *results);
    bool good = find_carries(s, what, &c);
    if (good && !results) good = control_memory(s->f, s->l);
    good =
        good && all_carries(s, &c) && build_while_op(s, cond, &c, results) && give_results(s, results, out);
    carries_close(s, &c);
    if (results) memory_free(m, results, n * sizeof *results);
    return good;
}

/* One number that is true or false. */
static bool check_cond(const Step *cond)
{
    const Graph *g = step_graph(cond);
    char text[CONTROL_TEXT];
    Type t = graph_type(g, g->outputs[0]);
    if (cond->results.n_leaves != 1)
        return control_error(cond->f, cond->l, WEFT_ARGUMENT,
                             "while_loop condition must give one array, not %u",
                             (unsigned)cond->results.n_leaves);
    if (t.rank == 0 && t.dtype == WEFT_BOOL) return true;
    return control_error(cond->f, cond->l, t.rank ? WEFT_SHAPE : WEFT_DTYPE,
                         "while_loop condition must give one bool, not %s", type_text(text, sizeof text, t));
}

static bool default_roles(const Step *s)
{
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        char path[TREE_PATH];
        if (s->role[i] == AXIS_DEFAULT) s->role[i] = ROLE_NONE;
        if (s->role[i] > ROLE_END)
            return control_error(s->f, s->l, WEFT_ARGUMENT,
                                 "argument %s: nothing is sliced here, so axis %lld is no role",
                                 call_in_path(s->f, s->in, i, path, sizeof path), (long long)s->role[i]);
    }
    return true;
}

static bool stage_while(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Roles *roles = f->data;
    Step body, cond = { .l = l, .in = in };
    bool good =
        step_open(&body, f, l, in, roles->in) && default_roles(&body) && step_trace(&body, f->bases[0]);
    if (good)
        good = step_open(&cond, f, l, in, roles->in) && default_roles(&cond) &&
               step_trace(&cond, f->bases[1]) && check_cond(&cond);
    good = good && run_while(&body, &cond, "while_loop body function", out);
    if (cond.f) step_close(&cond);
    step_close(&body);
    return good;
}

/* ---- fori ---- */

enum { FORI_STRAY, FORI_COUNT, FORI_CHECKPOINT, FORI_NUMBERS };

/* One index and one end at most, whole numbers of rank 0 and of one type. */
static bool check_fori(const Step *s, bool *has_end)
{
    uint32_t at[2] = { NO_LEAF, NO_LEAF };
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        char path[TREE_PATH], text[CONTROL_TEXT];
        int64_t role = s->role[i];
        if (role != ROLE_INDEX && role != ROLE_END) continue;
        const char *word = role == ROLE_INDEX ? "index" : "end";
        call_in_path(s->f, s->in, i, path, sizeof path);
        if (at[role == ROLE_END] != NO_LEAF)
            return control_error(s->f, s->l, WEFT_ARGUMENT, "argument %s: there is another %s before it",
                                 path, word);
        if (s->type[i].rank || !dtype_is_int((DType)s->type[i].dtype))
            return control_error(s->f, s->l, s->type[i].rank ? WEFT_SHAPE : WEFT_DTYPE,
                                 "argument %s: the %s must be one integer, not %s", path, word,
                                 type_text(text, sizeof text, s->type[i]));
        at[role == ROLE_END] = i;
    }
    *has_end = at[1] != NO_LEAF;
    bool counted = s->f->numbers[FORI_COUNT] != WEFT_NOT_SAID;
    if (*has_end && at[0] == NO_LEAF)
        return control_error(s->f, s->l, WEFT_ARGUMENT, "an end needs an index");
    if (*has_end && s->type[at[0]].dtype != s->type[at[1]].dtype)
        return control_error(s->f, s->l, WEFT_DTYPE, "index and end differ in element type: %s and %s",
                             dtype_name((DType)s->type[at[0]].dtype),
                             dtype_name((DType)s->type[at[1]].dtype));
    if (*has_end == counted)
        return control_error(s->f, s->l, WEFT_ARGUMENT,
                             counted ? "both .count and an argument whose role is end say when it ends"
                                     : "nothing says when it ends: .count, or an argument whose role is end");
    return true;
}

static bool stage_fori(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Roles *roles = f->data;
    Step s;
    bool has_end = false, good = step_open(&s, f, l, in, roles->in) && default_roles(&s) &&
                                 check_fori(&s, &has_end) && step_trace(&s, f->base);
    if (good && has_end) good = run_while(&s, NULL, "fori_loop body function", out);
    else if (good) {
        ScanShape shape = { .length = f->numbers[FORI_COUNT],
                            .unroll = 1,
                            .checkpoint = f->numbers[FORI_CHECKPOINT] };
        good = run_scan(&s, "fori_loop body function", shape, roles->out, false, out);
    }
    step_close(&s);
    return good;
}

/* ---- making them ---- */

static bool prepare_roles(Function *f, Arena *a, const AxesWord *words, Failure *failure)
{
    Roles *roles = arena_alloc(a, sizeof *roles);
    f->data = roles;
    return axes_parse(a, f->text, f->sig, words, &roles->in, &roles->out, failure);
}

static bool check_steps(int64_t n, const char *option, Failure *failure)
{
    return n >= 0 || n == WEFT_NOT_SAID ||
           fail(failure, WEFT_ARGUMENT, ".%s is %lld: steps, 0 or more", option, (long long)n);
}

static bool prepare_scan(Function *f, Arena *a, Failure *failure)
{
    static const AxesWord words[] = { { "none", ROLE_NONE }, { "carry", ROLE_CARRY }, { NULL, 0 } };
    if (!control_refuse_stray(f, f->numbers[SCAN_STRAY], failure)) return false;
    if (!check_steps(f->numbers[SCAN_LENGTH], "length", failure)) return false;
    if (f->numbers[SCAN_CHECKPOINT] < 0)
        return fail(failure, WEFT_ARGUMENT, ".checkpoint is %lld: every so many steps, 0: of all",
                    (long long)f->numbers[SCAN_CHECKPOINT]);
    if (f->numbers[SCAN_UNROLL] < 1)
        return fail(failure, WEFT_ARGUMENT, ".unroll is %lld: steps per turn, 1 or more",
                    (long long)f->numbers[SCAN_UNROLL]);
    return prepare_roles(f, a, words, failure);
}

/* An axis is no role where nothing is sliced. */
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
    if (!control_refuse_stray(f, f->numbers[FORI_STRAY], failure)) return false;
    if (!check_steps(f->numbers[FORI_COUNT], "count", failure)) return false;
    if (f->numbers[FORI_CHECKPOINT] < 0)
        return fail(failure, WEFT_ARGUMENT, ".checkpoint is %lld: every so many steps, 0: of all",
                    (long long)f->numbers[FORI_CHECKPOINT]);
    if (f->numbers[FORI_CHECKPOINT] && f->numbers[FORI_COUNT] == WEFT_NOT_SAID)
        return fail(failure, WEFT_ARGUMENT,
                    ".checkpoint needs .count: reverse mode cannot go back through a loop whose end is data");
    return prepare_loop(f, a, words, failure);
}

/* bases: body, cond. */
static bool prepare_while(Function *f, Arena *a, Failure *failure)
{
    static const AxesWord words[] = { { "none", ROLE_NONE }, { "carry", ROLE_CARRY }, { NULL, 0 } };
    const Signature *body = f->bases[0]->sig, *cond = f->bases[1]->sig;
    bool same = body->in.fields == cond->in.fields;
    for (size_t i = 0; same && i < body->in.fields; i++) {
        const weft_field *x = &body->in.field[i], *y = &cond->in.field[i];
        same = x->kind == y->kind && x->number == y->number &&
               (x->tree == y->tree || (x->tree && y->tree && tree_equal(x->tree, y->tree)));
    }
    if (!same)
        return fail(failure, WEFT_ARGUMENT,
                    "%s and %s must take the same arguments, one after the other (in-outs may be const in "
                    "the condition)",
                    f->bases[0]->label, f->bases[1]->label);
    return prepare_loop(f, a, words, failure);
}

static const FnRule scan_rule = { "scan", prepare_scan, stage_scan };
static const FnRule fori_rule = { "fori", prepare_fori, stage_fori };
static const FnRule while_rule = { "while", prepare_while, stage_while };

weft_fn weft_scan_(weft_context *ctx, weft_fn f, const char *roles, weft_control o, const char *at)
{
    o = control_options(o);
    int64_t numbers[SCAN_NUMBERS] = { control_strays(o, 1 << CONTROL_LENGTH | 1 << CONTROL_REVERSE |
                                                            1 << CONTROL_UNROLL | 1 << CONTROL_CHECKPOINT),
                                      o.length, o.reverse, o.unroll ? o.unroll : 1, o.checkpoint };
    return fn_derive(ctx, &(Derivation){ .rule = &scan_rule,
                                         .bases = &f,
                                         .n_bases = 1,
                                         .text = roles,
                                         .numbers = numbers,
                                         .n_numbers = SCAN_NUMBERS,
                                         .who = "weft_scan",
                                         .at = at });
}

weft_fn weft_fori_(weft_context *ctx, weft_fn f, const char *roles, weft_control o, const char *at)
{
    o = control_options(o);
    int64_t numbers[FORI_NUMBERS] = { control_strays(o, 1 << CONTROL_COUNT | 1 << CONTROL_CHECKPOINT),
                                      o.count, o.checkpoint };
    return fn_derive(ctx, &(Derivation){ .rule = &fori_rule,
                                         .bases = &f,
                                         .n_bases = 1,
                                         .text = roles,
                                         .numbers = numbers,
                                         .n_numbers = FORI_NUMBERS,
                                         .who = "weft_fori",
                                         .at = at });
}

weft_fn weft_while_(weft_context *ctx, weft_fn cond, weft_fn body, const char *roles, const char *at)
{
    return fn_derive(ctx, &(Derivation){ .rule = &while_rule,
                                         .bases = (weft_fn[]){ body, cond },
                                         .n_bases = 2,
                                         .text = roles,
                                         .who = "weft_while",
                                         .at = at });
}
