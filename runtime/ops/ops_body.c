/* ops_body.c: regions for ops that loop or compare, traced from C functions over array handles, so that
 * what loops is written once. */
#include "ops_body.h"
#include "compiler/derive/jvp/jvp.h"
#include "runtime/memory/context.h"

/* Outputs become the graph's. The guard was set by whoever called last; it must be ours. */
static bool set_outputs(Trace *t, weft_array *const *out, int n)
{
    Ref refs[OPS_MAX_VALUES];
    if (setjmp(t->guard.env)) {
        error_memory(t->local, thread.op.name, thread.op.at);
        return false;
    }
    for (int i = 0; i < n; i++) refs[i] = trace_ref(t, out[i]);
    graph_set_outputs(t->graph, refs, (uint32_t)n);
    return true;
}

const Graph *ops_body(OpsTraced *r, const Type *in, int n_in, int n_out, OpsBody *body, const void *data)
{
    struct Local *l = op_local();
    weft_array *given[OPS_MAX_VALUES], *out[OPS_MAX_VALUES] = { NULL };
    r->open = l && trace_begin(&r->trace, l, "region");
    if (!r->open) return NULL;
    bool good = true;
    for (int i = 0; good && i < n_in; i++) good = (given[i] = trace_param(&r->trace, in[i], "x")) != NULL;
    if (good) body(given, out, data);
    for (int i = 0; good && i < n_out; i++) good = out[i] != NULL;
    good = good && set_outputs(&r->trace, out, n_out);
    trace_end(&r->trace);
    return good ? r->trace.graph : NULL;
}

void ops_body_close(OpsTraced *r)
{
    if (r->open) trace_free(&r->trace);
}

weft_array *ops_map(weft_array *const *in, int n, DType t, OpsBody *body, const void *data)
{
    OpsTraced region;
    Type type[OPS_MAX_VALUES];
    for (int i = 0; i < n; i++) {
        if (!in[i]) return NULL;
        type[i] = (Type){ .dtype = array_type(in[i]).dtype };
    }
    const Graph *g = ops_body(&region, type, n, 1, body, data);
    const NodeSpec given = { .region = g, .dtype = t, .dim = array_type(in[0]).dim, .rank = 1 };
    weft_array *r = g ? op_apply(OP_MAP, in, n, NULL, 0, &given) : NULL;
    ops_body_close(&region);
    return r;
}

static bool types_of(weft_array *const *in, int n, Type *type)
{
    for (int i = 0; i < n; i++) {
        if (!in[i]) return false;
        type[i] = array_type(in[i]);
    }
    return true;
}

bool ops_while(weft_array **all, int n_all, int n_invariant, OpsBody *cond, OpsBody *body, const void *data)
{
    OpsTraced region[2] = { { .open = false }, { .open = false } };
    Type type[OPS_MAX_VALUES];
    if (!types_of(all, n_all, type)) return false;
    const Graph *g[2] = { ops_body(&region[0], type, n_all, 1, cond, data), NULL };
    if (g[0]) g[1] = ops_body(&region[1], type, n_all, n_all - n_invariant, body, data);
    bool good = g[1] && op_apply_all(OP_WHILE, all, n_all, (int64_t[]){ n_invariant }, 1,
                                     &(NodeSpec){ .regions = g, .n_regions = 2 }, all + n_invariant,
                                     n_all - n_invariant);
    for (int i = 0; i < 2; i++) ops_body_close(&region[i]);
    return good;
}

bool ops_steps(int64_t length, weft_array **all, int n_all, int n_invariant, OpsBody *body, const void *data)
{
    OpsTraced region;
    Type type[OPS_MAX_VALUES];
    weft_array *in[OPS_MAX_VALUES], *steps = ops_iota(WEFT_I64, &length, 1, 0);
    if (!steps || !types_of(all, n_all, type)) return false;
    int n_carry = n_all - n_invariant;
    type[n_all] = (Type){ .dtype = WEFT_I64 };
    for (int i = 0; i <= n_all; i++) in[i] = i < n_all ? all[i] : steps;
    const Graph *g = ops_body(&region, type, n_all + 1, n_carry, body, data);
    const NodeSpec given = { .region = g, .results = type + n_invariant, .n_results = (uint32_t)n_carry };
    bool good =
        g && op_apply_all(OP_SCAN, in, n_all + 1, (int64_t[]){ length, false, 1, n_invariant, n_carry, 1, 0 },
                          7, &given, all + n_invariant, n_carry);
    ops_body_close(&region);
    return good;
}

weft_array *ops_case(weft_array *when, weft_array *const *in, int n, OpsBody *yes, OpsBody *no,
                     const void *data)
{
    OpsTraced region[2] = { { .open = false }, { .open = false } };
    Type type[OPS_MAX_VALUES];
    weft_array *all[OPS_MAX_VALUES] = { ops_convert(when, WEFT_I32) }, *r = NULL;
    if (!all[0] || !types_of(in, n, type)) return NULL;
    for (int i = 0; i < n; i++) all[i + 1] = in[i];
    const Graph *g[2] = { ops_body(&region[0], type, n, 1, no, data), NULL };
    if (g[0]) g[1] = ops_body(&region[1], type, n, 1, yes, data);
    if (g[1]) {
        Type t = graph_type(g[1], g[1]->outputs[0]);
        r = op_apply(OP_CASE, all, n + 1, NULL, 0,
                     &(NodeSpec){ .regions = g, .n_regions = 2, .results = &t, .n_results = 1 });
    }
    for (int i = 0; i < 2; i++) ops_body_close(&region[i]);
    return r;
}

/* ---- in f64, element by element ---- */

/* The operands flat, in f64. */
static bool flatten(weft_array *const *in, int n, weft_array **flat)
{
    for (int i = 0; i < n; i++) {
        if (!in[i]) return false;
        int64_t count = type_count(array_type(in[i]));
        if (!(flat[i] = ops_reshape(ops_convert_as_is(in[i], WEFT_F64), &count, 1))) return false;
    }
    return true;
}

static weft_array *shaped_as(weft_array *r, weft_array *like)
{
    Type t = array_type(like);
    return ops_reshape(ops_convert(r, (DType)t.dtype), t.dim, t.rank);
}

weft_array *ops_map_f64(weft_array *const *in, int n, OpsBody *body, const void *data)
{
    weft_array *flat[OPS_MAX_VALUES];
    return flatten(in, n, flat) ? shaped_as(ops_map(flat, n, WEFT_F64, body, data), in[0]) : NULL;
}

/* ---- derivatives of their own ---- */

/* Of a derivative of a derivative the rule holds rules again, its own and those of what it calls, this often;
 * then steps are differentiated. */
enum { RULES = 3 };

typedef struct Rule {
    const OpsRuled *of;
    int n, left;
} Rule;

static weft_array *ruled(weft_array *const *in, const Rule *);

/* in: the arrays and their tangents; out: the value and its tangent, else the sum of slopes by tangents. */
static void value_and_tangent(weft_array *const *in, weft_array **out, const void *data)
{
    const Rule *r = data;
    weft_array *known[2 * OPS_MAX_VALUES], *slope[OPS_MAX_VALUES] = { NULL }, *sum = NULL;
    out[0] = ruled(in, &(Rule){ r->of, r->n, r->left - 1 });
    if (!out[0]) return;
    int n_known = r->of->tangent ? 2 * r->n : r->n;
    for (int i = 0; i < n_known; i++) known[i] = in[i];
    known[n_known] = out[0];
    if (r->of->tangent) {
        r->of->tangent(known, out + 1, r->of->data);
        return;
    }
    r->of->slopes(known, slope, r->of->data);
    for (int i = 0; i < r->n; i++) {
        weft_array *term = slope[i] ? op_binary(OP_MUL, slope[i], in[r->n + i]) : NULL;
        if (!term) return;
        sum = i ? op_binary(OP_ADD, sum, term) : term;
    }
    out[1] = sum;
}

static void rule_jvp(weft_array *const *in, weft_array **out, const void *data)
{
    thread.op.rules++;
    value_and_tangent(in, out, data);
    thread.op.rules--;
}

static bool any_traced(weft_array *const *in, int n)
{
    struct Local *l = op_local();
    for (int i = 0; i < n; i++)
        if (array_is_traced(in[i])) return true;
    return l && l->trace;
}

static weft_array *ruled(weft_array *const *in, const Rule *rule)
{
    weft_array *r = NULL;
    const OpsRuled *f = rule->of;
    int n = rule->n;
    for (int i = 0; i < n; i++)
        if (!in[i] || (!f->tangent && !ops_no_complex(in[i]))) return NULL;
    if (rule->left <= 0 || !any_traced(in, n)) return f->value(in, &r, f->data), r;
    Type type[2 * OPS_MAX_VALUES];
    for (int i = 0; i < n; i++) type[i] = type[n + i] = array_type(in[i]);
    OpsTraced value, jvp = { .open = false };
    const Graph *regions[2] = { ops_body(&value, type, n, 1, f->value, f->data), NULL };
    if (regions[0]) regions[1] = ops_body(&jvp, type, 2 * n, 2, rule_jvp, rule);
    if (regions[1]) {
        Type t = graph_type(regions[0], regions[0]->outputs[0]);
        const NodeSpec given = {
            .regions = regions, .n_regions = 2, .dtype = (DType)t.dtype, .dim = t.dim, .rank = t.rank
        };
        r = op_apply(OP_CUSTOM_JVP, in, n, NULL, 0, &given);
    }
    ops_body_close(&jvp);
    ops_body_close(&value);
    return r;
}

weft_array *ops_ruled(weft_array *const *in, int n, const OpsRuled *f)
{
    return ruled(in, &(Rule){ f, n, RULES - thread.op.rules });
}

/* ---- slopes of what is mapped: forward mode through the body ---- */

/* The derivative of a body by its numbers by[0 .. order - 1], in f64. Its own derivative is one of the next
 * order; at MAX_ORDER, and in a rule that is part of another one, only forward mode goes on, through its
 * steps. */
enum { MAX_ORDER = 2 };
typedef struct Slope {
    OpsBody *body;
    const void *data;
    int n, order, by[MAX_ORDER];
} Slope;

/* The region's derivative by parameter number `by`: one more parameter, its tangent. NULL: an error is
 * set. */
static const Graph *slope_graph(OpsTraced *r, const Graph *g, int by)
{
    bool active[OPS_MAX_VALUES] = { false }, want = true;
    Failure f = { .code = WEFT_OK };
    if (setjmp(r->trace.guard.env)) {
        error_memory(r->trace.local, thread.op.name, thread.op.at);
        return NULL;
    }
    active[by] = true;
    Graph *d = jvp_graph(&r->trace.arena, g, active, &want, &f);
    if (!d) return op_fail(f.code, "%s", f.text), NULL;
    graph_set_outputs(d, &d->outputs[1], 1);
    return d;
}

static void slope_value(weft_array *const *in, weft_array **out, const void *data)
{
    const Slope *s = data;
    OpsTraced region;
    Type type[OPS_MAX_VALUES];
    weft_array *flat[OPS_MAX_VALUES];
    if (!flatten(in, s->n, flat)) return;
    for (int i = 0; i < s->n; i++) type[i] = (Type){ .dtype = WEFT_F64 };
    const Graph *g = ops_body(&region, type, s->n, 1, s->body, s->data);
    for (int k = 0; k < s->order && g; k++) {
        g = slope_graph(&region, g, s->by[k]);
        if (!(flat[s->n + k] = ops_fill(flat[0], 1))) g = NULL;
    }
    const NodeSpec given = { .region = g, .dtype = WEFT_F64, .dim = array_type(flat[0]).dim, .rank = 1 };
    weft_array *r = g ? op_apply(OP_MAP, flat, s->n + s->order, NULL, 0, &given) : NULL;
    ops_body_close(&region);
    out[0] = shaped_as(r, in[0]);
}

static void slope_slopes(weft_array *const *in, weft_array **out, const void *data)
{
    Slope s = *(const Slope *)data;
    s.order++;
    for (int i = 0; i < s.n; i++) {
        s.by[s.order - 1] = i;
        slope_value(in, &out[i], &s);
    }
}

weft_array *ops_map_slope_f64(weft_array *const *in, int n, OpsBody *body, const void *data, int by)
{
    Slope s = { body, data, n, 1, { by } };
    weft_array *r = NULL;
    if (thread.op.rules > 1) return slope_value(in, &r, &s), r;
    return ruled(in,
                 &(Rule){ &(OpsRuled){ .value = slope_value, .slopes = slope_slopes, .data = &s }, n, 1 });
}

static void map_value(weft_array *const *in, weft_array **out, const void *data)
{
    const Slope *s = data;
    out[0] = ops_map(in, s->n, ops_dtype(in[0]), s->body, s->data);
}

weft_array *ops_map_ruled(weft_array *const *in, int n, OpsBody *body, const void *data)
{
    Slope s = { body, data, n, 0, { 0 } };
    weft_array *r = NULL;
    for (int i = 0; i < n; i++)
        if (!in[i]) return NULL;
    if (thread.op.rules > 1) return map_value(in, &r, &s), r;
    return ruled(in, &(Rule){ &(OpsRuled){ .value = map_value, .slopes = slope_slopes, .data = &s }, n, 1 });
}
