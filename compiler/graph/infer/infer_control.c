/* infer_control.c: type rules of ops with regions that run some number of times. What a region takes and
 * gives must be exactly what the op hands it and passes on; where the results' types cannot be read off the
 * operands they are given with the op, and checked here against the regions. */
#include "infer_rules.h"
#include <string.h>

/* The results as given: a list, or the one type in dtype, dim, rank. */
static const Type *given_results(const NodeSpec *s, Inferred *out, uint32_t *n)
{
    *n = s->results ? s->n_results : 1;
    out->own[0] = (Type){ (uint8_t)s->dtype, (uint8_t)s->rank, s->dim };
    return s->results ? s->results : out->own;
}

static bool check_params(const Graph *r, const char *what, const Type *want, uint32_t n, Failure *f)
{
    if (!r) return fail(f, WEFT_ARGUMENT, "%s is missing", what);
    if (r->n_params != n)
        return fail(f, WEFT_ARGUMENT, "%s takes %u values, not %u", what, (unsigned)r->n_params, (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        if (!type_equal(graph_type(r, r->params[i]), want[i]))
            return fail(f, WEFT_SHAPE, "parameter %u of %s is %s, but it is given %s", (unsigned)i, what,
                        TYPE_TEXT(graph_type(r, r->params[i])), TYPE_TEXT(want[i]));
    return true;
}

static bool check_output(const Graph *r, const char *what, uint32_t i, Type want, Failure *f)
{
    Ref o = r->outputs[i];
    if (o == REF_NONE) return fail(f, WEFT_ARGUMENT, "output %u of %s is missing", (unsigned)i, what);
    if (type_equal(graph_type(r, o), want)) return true;
    return fail(f, WEFT_SHAPE, "output %u of %s is %s, not %s", (unsigned)i, what,
                TYPE_TEXT(graph_type(r, o)), TYPE_TEXT(want));
}

/* A parameter of a region that works on single elements. */
bool check_scalar_param(const Graph *r, const char *what, uint32_t i, int dtype, Failure *f)
{
    Type is = graph_type(r, r->params[i]), want = type_scalar(dtype);
    return type_equal(is, want) || fail(f, WEFT_DTYPE, "parameter %u of %s is %s, not %s", (unsigned)i, what,
                                        TYPE_TEXT(is), TYPE_TEXT(want));
}

static bool check_n_outputs(const Graph *r, const char *what, uint32_t n, Failure *f)
{
    return r->n_outputs == n ||
           fail(f, WEFT_ARGUMENT, "%s gives %u values, not %u", what, (unsigned)r->n_outputs, (unsigned)n);
}

static bool check_outputs(const Graph *r, const char *what, const Type *want, uint32_t n, Failure *f)
{
    if (!check_n_outputs(r, what, n, f)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!check_output(r, what, i, want[i], f)) return false;
    return true;
}

bool infer_map(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n;
    const Type *results = given_results(s, out, &n);
    const Graph *r = spec_region(s, 0);
    if (!check_n_attr(s, 0, f)) return false;
    if (!r || r->n_params != s->n_args)
        return fail(f, WEFT_ARGUMENT, "the region must take %u scalars", (unsigned)s->n_args);
    if (!check_n_outputs(r, "the region", n, f)) return false;
    for (uint32_t i = 0; i < s->n_args; i++) {
        if (!shape_equal(a[i], results[0]))
            return fail(f, WEFT_SHAPE, "operand %s does not have the shape of %s", TYPE_TEXT(a[i]),
                        TYPE_TEXT(results[0]));
        if (!check_scalar_param(r, "the region", i, a[i].dtype, f)) return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!shape_equal(results[i], results[0]) ||
            !check_output(r, "the region", i, type_scalar(results[i].dtype), f))
            return fail(f, WEFT_SHAPE, "result %u is %s", (unsigned)i, TYPE_TEXT(results[i]));
    return finish_all(out, results, n, f);
}

bool infer_while(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (!check_n_attr(s, 1, f)) return false;
    int64_t n_invariant = s->attr[0];
    if (n_invariant < 0 || n_invariant >= (int64_t)s->n_args)
        return fail(f, WEFT_ARGUMENT, "%lld invariants of %u operands", (long long)n_invariant,
                    (unsigned)s->n_args);
    const Graph *cond = spec_region(s, 0), *body = spec_region(s, 1);
    uint32_t n = s->n_args - (uint32_t)n_invariant;
    const Type *carry = a + n_invariant;
    if (!check_params(cond, "the condition", a, s->n_args, f) ||
        !check_params(body, "the body", a, s->n_args, f))
        return false;
    return check_outputs(cond, "the condition", (Type[]){ type_scalar(WEFT_BOOL) }, 1, f) &&
           check_outputs(body, "the body", carry, n, f) && finish_all(out, carry, n, f);
}

bool infer_case(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n, n_branches = spec_n_regions(s);
    const Type *results = given_results(s, out, &n);
    if (!check_n_attr(s, 0, f)) return false;
    if (s->n_args == 0 || !type_equal(a[0], type_scalar(WEFT_I32)))
        return fail(f, WEFT_DTYPE, "the index must be i32[]%s%s", s->n_args ? ", not " : "",
                    s->n_args ? TYPE_TEXT(a[0]) : "");
    if (n_branches == 0 || n_branches > UINT8_MAX)
        return fail(f, WEFT_ARGUMENT, "%u branches (1 to %d)", (unsigned)n_branches, UINT8_MAX);
    for (uint32_t k = 0; k < n_branches; k++) {
        const Graph *r = spec_region(s, k);
        if (!check_params(r, "a branch", a + 1, s->n_args - 1, f) ||
            !check_outputs(r, "a branch", results, n, f))
            return false;
    }
    return finish_all(out, results, n, f);
}

/* t without its first axis, which must have the length. */
static bool slice_of(Type t, int64_t length, const char *what, Type *slice, Failure *f)
{
    if (t.rank == 0 || t.dim[0] != length)
        return fail(f, WEFT_SHAPE, "%s is %s: its first axis must have the %lld steps", what, TYPE_TEXT(t),
                    (long long)length);
    *slice = type_unstacked(t);
    return true;
}

static bool check_scan_attr(const NodeSpec *s, Failure *f)
{
    if (!check_n_attr(s, 7, f)) return false;
    if (s->attr[0] < 0) return fail(f, WEFT_ARGUMENT, "a scan of %lld steps", (long long)s->attr[0]);
    if (!check_flag(s->attr[1], "reverse", f)) return false;
    if (s->attr[2] < 1)
        return fail(f, WEFT_ARGUMENT, "unroll must be at least 1, not %lld", (long long)s->attr[2]);
    if (s->attr[6] < 0) return fail(f, WEFT_ARGUMENT, "a checkpoint every %lld steps", (long long)s->attr[6]);
    for (int i = 3; i < 6; i++)
        if (s->attr[i] < 0 || s->attr[i] > (int64_t)s->n_args)
            return fail(f, WEFT_ARGUMENT, "%lld of %u operands", (long long)s->attr[i], (unsigned)s->n_args);
    if (s->attr[3] + s->attr[4] + s->attr[5] == (int64_t)s->n_args) return true;
    return fail(f, WEFT_ARGUMENT, "%lld invariants, %lld carries and %lld inputs do not make up %u operands",
                (long long)s->attr[3], (long long)s->attr[4], (long long)s->attr[5], (unsigned)s->n_args);
}

bool infer_scan(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    Type slice;
    uint32_t n;
    if (!check_scan_attr(s, f)) return false;
    ScanShape scan = scan_shape(s->attr);
    const Type *results = given_results(s, out, &n);
    const Graph *r = spec_region(s, 0);
    uint32_t kept = scan.n_invariant + scan.n_carry;
    if (!r || r->n_params != s->n_args)
        return fail(f, WEFT_ARGUMENT, "the body must take %u values", (unsigned)s->n_args);
    if (n < scan.n_carry || !check_n_outputs(r, "the body", n, f))
        return fail(f, WEFT_ARGUMENT, "%u results for %u carries", (unsigned)n, (unsigned)scan.n_carry);
    for (uint32_t i = 0; i < s->n_args; i++) {
        slice = a[i];
        if (i >= kept && !slice_of(a[i], scan.length, "an input", &slice, f)) return false;
        if (!type_equal(graph_type(r, r->params[i]), slice))
            return fail(f, WEFT_SHAPE, "parameter %u of the body is %s, but it is given %s", (unsigned)i,
                        TYPE_TEXT(graph_type(r, r->params[i])), TYPE_TEXT(slice));
    }
    for (uint32_t i = 0; i < n; i++) {
        slice = results[i];
        if (i < scan.n_carry && !type_equal(results[i], a[scan.n_invariant + i]))
            return fail(f, WEFT_SHAPE, "carry %u starts as %s and ends as %s", (unsigned)i,
                        TYPE_TEXT(a[scan.n_invariant + i]), TYPE_TEXT(results[i]));
        if (i >= scan.n_carry && !slice_of(results[i], scan.length, "an output", &slice, f)) return false;
        if (!check_output(r, "the body", i, slice, f)) return false;
    }
    return finish_all(out, results, n, f);
}

/* ---- the user's own rules */

static uint32_t add_floats(Type *to, uint32_t n, const Type *from, uint32_t n_from)
{
    for (uint32_t i = 0; i < n_from; i++)
        if (dtype_is_inexact((DType)from[i].dtype)) to[n++] = from[i];
    return n;
}

/* args, and a tangent of each float one -> results, and a tangent of each float one */
static bool check_jvp(const NodeSpec *s, const Type *a, const Type *results, uint32_t n, Failure *f)
{
    Type in[2 * s->n_args + 1], out[2 * n];
    memcpy(in, a, s->n_args * sizeof *in);
    memcpy(out, results, n * sizeof *out);
    return check_params(spec_region(s, 1), "the jvp rule", in, add_floats(in, s->n_args, a, s->n_args), f) &&
           check_outputs(spec_region(s, 1), "the jvp rule", out, add_floats(out, n, results, n), f);
}

/* args -> results, residuals;  residuals, a cotangent of each float result -> one of each float arg */
static bool check_vjp(const NodeSpec *s, const Type *a, const Type *results, uint32_t n, Failure *f)
{
    const Graph *forward = spec_region(s, 1), *backward = spec_region(s, 2);
    if (!check_params(forward, "the forward rule", a, s->n_args, f)) return false;
    if (forward->n_outputs < n)
        return fail(f, WEFT_ARGUMENT, "the forward rule gives %u values, not %u and residuals",
                    (unsigned)forward->n_outputs, (unsigned)n);
    uint32_t n_kept = forward->n_outputs - n;
    Type in[n_kept + n], out[s->n_args + 1];
    for (uint32_t i = 0; i < forward->n_outputs; i++) {
        if (!check_output(forward, "the forward rule", i,
                          i < n                             ? results[i]
                          : forward->outputs[i] == REF_NONE ? (Type){ 0 }
                                                            : graph_type(forward, forward->outputs[i]),
                          f))
            return false;
        if (i >= n) in[i - n] = graph_type(forward, forward->outputs[i]);
    }
    return check_params(backward, "the backward rule", in, add_floats(in, n_kept, results, n), f) &&
           check_outputs(backward, "the backward rule", out, add_floats(out, 0, a, s->n_args), f);
}

/* Ops that are region 0, with rules of their own. */
static const struct RuledOp {
    uint32_t n_attr, n_regions;
    bool (*check)(const NodeSpec *, const Type *args, const Type *results, uint32_t n, Failure *);
} ruled[OP_COUNT] = {
    [OP_CUSTOM_JVP] = { 0, 2, check_jvp },
    [OP_CUSTOM_VJP] = { 0, 3, check_vjp },
    [OP_CUSTOM_VMAP] = { 1, 1, NULL },
    [OP_CHECKPOINT] = { 0, 1, NULL },
};

bool infer_ruled(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n;
    const struct RuledOp *op = &ruled[s->op];
    const Type *results = given_results(s, out, &n);
    const Graph *primal = spec_region(s, 0);
    if (!check_n_attr(s, op->n_attr, f)) return false;
    if (spec_n_regions(s) != op->n_regions)
        return fail(f, WEFT_ARGUMENT, "%u regions, not %u", (unsigned)spec_n_regions(s),
                    (unsigned)op->n_regions);
    return check_params(primal, "the function", a, s->n_args, f) &&
           check_outputs(primal, "the function", results, n, f) &&
           (!op->check || op->check(s, a, results, n, f)) && finish_all(out, results, n, f);
}

/* known values, a cotangent of each result -> a cotangent of each tangent */
bool infer_backward(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n;
    const Type *results = given_results(s, out, &n);
    if (!check_n_attr(s, 1, f)) return false;
    if (s->attr[0] < 0 || s->attr[0] >= (int64_t)s->n_args)
        return fail(f, WEFT_ARGUMENT, "%lld known values of %u operands", (long long)s->attr[0],
                    (unsigned)s->n_args);
    uint32_t n_known = (uint32_t)s->attr[0];
    Type in[n_known + n];
    memcpy(in, a, n_known * sizeof *in);
    memcpy(in + n_known, results, n * sizeof *in);
    return check_params(spec_region(s, 0), "the backward rule", in, n_known + n, f) &&
           check_outputs(spec_region(s, 0), "the backward rule", a + n_known, s->n_args - n_known, f) &&
           finish_all(out, results, n, f);
}

bool infer_foreign(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    uint32_t n;
    const Type *results = given_results(s, out, &n);
    (void)args;
    if (s->n_attr < 2 || !s->attr[0]) return fail(f, WEFT_ARGUMENT, "the foreign function is missing");
    return finish_all(out, results, n, f);
}

bool infer_barrier(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (!check_n_attr(s, 0, f)) return false;
    return s->n_args ? finish_all(out, a, s->n_args, f) : fail(f, WEFT_ARGUMENT, "no operands");
}

/* The state is words of 64 bits, or twice as many of 32. */
bool infer_rng_bits(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (!check_n_attr(s, 1, f)) return false;
    if (s->attr[0] < 0 || s->attr[0] > 2)
        return fail(f, WEFT_ARGUMENT, "random bit algorithm %lld", (long long)s->attr[0]);
    if (!s->results || s->n_results != 2 || !type_equal(s->results[0], a[0]))
        return fail(f, WEFT_ARGUMENT, "the results are the new state and the bits");
    if (a[0].rank != 1 || (a[0].dtype != WEFT_U64 && a[0].dtype != WEFT_U32))
        return fail(f, WEFT_DTYPE, "the state is a vector of u64 or u32, not %s", TYPE_TEXT(a[0]));
    if (a[0].dtype == WEFT_U32 && a[0].dim[0] % 2)
        return fail(f, WEFT_SHAPE, "the state is words of 64 bits: %s has half of one", TYPE_TEXT(a[0]));
    return finish_all(out, s->results, 2, f);
}
