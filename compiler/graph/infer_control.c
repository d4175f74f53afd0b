/* infer_control.c: type rules of ops with regions that run some number of times. What a region takes and gives must be exactly what the op hands it and passes
 * on; where the results' types cannot be read off the operands they are given with the op, and checked here against the regions. */
#include "infer_parts.h"

/* The results as given: a list, or the one type in dtype, dim, rank. */
static const Type *given_results(const NodeSpec *s, Type *one, uint32_t *n)
{
    *n = s->results ? s->n_results : 1;
    *one = (Type){ (uint8_t)s->dtype, (uint8_t)s->rank, s->dim };
    return s->results ? s->results : one;
}

static bool check_params(const Graph *r, const char *what, const Type *want, uint32_t n, Failure *f)
{
    if (!r) return fail(f, WEFT_ARGUMENT, "%s is missing", what);
    if (r->n_params != n) return fail(f, WEFT_ARGUMENT, "%s takes %u values, not %u", what, (unsigned)r->n_params, (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        if (!same_type(graph_type(r, r->params[i]), want[i]))
            return fail(f, WEFT_SHAPE, "parameter %u of %s is %s, but it is given %s", (unsigned)i, what, TYPE_TEXT(graph_type(r, r->params[i])), TYPE_TEXT(want[i]));
    return true;
}

static bool check_output(const Graph *r, const char *what, uint32_t i, Type want, Failure *f)
{
    Ref o = r->outputs[i];
    if (o == REF_NONE) return fail(f, WEFT_ARGUMENT, "output %u of %s is missing", (unsigned)i, what);
    if (same_type(graph_type(r, o), want)) return true;
    return fail(f, WEFT_SHAPE, "output %u of %s is %s, not %s", (unsigned)i, what, TYPE_TEXT(graph_type(r, o)), TYPE_TEXT(want));
}

static bool check_n_outputs(const Graph *r, const char *what, uint32_t n, Failure *f)
{
    return r->n_outputs == n || fail(f, WEFT_ARGUMENT, "%s gives %u values, not %u", what, (unsigned)r->n_outputs, (unsigned)n);
}

static bool infer_map(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    Type one;
    uint32_t n;
    const Type *results = given_results(s, &one, &n);
    const Graph *r = spec_region(s, 0);
    if (!r || r->n_params != s->n_args) return fail(f, WEFT_ARGUMENT, "the region must take %u scalars", (unsigned)s->n_args);
    if (!check_n_outputs(r, "the region", n, f)) return false;
    for (uint32_t i = 0; i < s->n_args; i++) {
        Type want = { a[i].dtype, 0, NULL };
        if (!same_shape(a[i], results[0])) return fail(f, WEFT_SHAPE, "operand %s does not have the shape of %s", TYPE_TEXT(a[i]), TYPE_TEXT(results[0]));
        if (!same_type(graph_type(r, r->params[i]), want))
            return fail(f, WEFT_DTYPE, "parameter %u of the region is %s, not %s", (unsigned)i, TYPE_TEXT(graph_type(r, r->params[i])), TYPE_TEXT(want));
    }
    for (uint32_t i = 0; i < n; i++)
        if (!same_shape(results[i], results[0]) || !check_output(r, "the region", i, (Type){ results[i].dtype, 0, NULL }, f))
            return fail(f, WEFT_SHAPE, "result %u is %s", (unsigned)i, TYPE_TEXT(results[i]));
    return finish_all(out, results, n, f);
}

static bool infer_while(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    int64_t n_invariant = s->attr[0];
    if (n_invariant < 0 || n_invariant >= (int64_t)s->n_args) return fail(f, WEFT_ARGUMENT, "%lld invariants of %u operands", (long long)n_invariant, (unsigned)s->n_args);
    const Graph *cond = spec_region(s, 0), *body = spec_region(s, 1);
    uint32_t n = s->n_args - (uint32_t)n_invariant;
    const Type *carry = a + n_invariant;
    if (!check_params(cond, "the condition", a, s->n_args, f) || !check_params(body, "the body", a, s->n_args, f)) return false;
    if (!check_n_outputs(cond, "the condition", 1, f) || !check_output(cond, "the condition", 0, (Type){ WEFT_BOOL, 0, NULL }, f)) return false;
    if (!check_n_outputs(body, "the body", n, f)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!check_output(body, "the body", i, carry[i], f)) return false;
    return finish_all(out, carry, n, f);
}

static bool infer_case(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    Type one;
    uint32_t n, n_branches = spec_n_regions(s);
    const Type *results = given_results(s, &one, &n);
    if (s->n_args == 0 || !same_type(a[0], (Type){ WEFT_I32, 0, NULL })) return fail(f, WEFT_DTYPE, "the index must be i32[]%s%s", s->n_args ? ", not " : "", s->n_args ? TYPE_TEXT(a[0]) : "");
    if (n_branches == 0 || n_branches > UINT8_MAX) return fail(f, WEFT_ARGUMENT, "%u branches (1 to %d)", (unsigned)n_branches, UINT8_MAX);
    for (uint32_t k = 0; k < n_branches; k++) {
        const Graph *r = spec_region(s, k);
        if (!check_params(r, "a branch", a + 1, s->n_args - 1, f) || !check_n_outputs(r, "a branch", n, f)) return false;
        for (uint32_t i = 0; i < n; i++)
            if (!check_output(r, "a branch", i, results[i], f)) return false;
    }
    return finish_all(out, results, n, f);
}

ScanShape scan_shape(const int64_t *attr)
{
    return (ScanShape){ .length = attr[0], .reverse = attr[1], .unroll = attr[2], .n_invariant = (uint32_t)attr[3], .n_carry = (uint32_t)attr[4], .n_xs = (uint32_t)attr[5] };
}

/* t without its first axis, which must have the length. */
static bool slice_of(Type t, int64_t length, const char *what, Type *slice, Failure *f)
{
    if (t.rank == 0 || t.dim[0] != length)
        return fail(f, WEFT_SHAPE, "%s is %s: its first axis must have the %lld steps", what, TYPE_TEXT(t), (long long)length);
    *slice = (Type){ t.dtype, (uint8_t)(t.rank - 1), t.dim + 1 };
    return true;
}

static bool check_scan_attr(const NodeSpec *s, Failure *f)
{
    if (!check_n_attr(s, 6, f)) return false;
    if (s->attr[0] < 0) return fail(f, WEFT_ARGUMENT, "a scan of %lld steps", (long long)s->attr[0]);
    if (s->attr[2] < 1) return fail(f, WEFT_ARGUMENT, "unroll must be at least 1, not %lld", (long long)s->attr[2]);
    for (int i = 3; i < 6; i++)
        if (s->attr[i] < 0 || s->attr[i] > (int64_t)s->n_args) return fail(f, WEFT_ARGUMENT, "%lld of %u operands", (long long)s->attr[i], (unsigned)s->n_args);
    if (s->attr[3] + s->attr[4] + s->attr[5] == (int64_t)s->n_args) return true;
    return fail(f, WEFT_ARGUMENT, "%lld invariants, %lld carries and %lld inputs do not make up %u operands", (long long)s->attr[3], (long long)s->attr[4],
                (long long)s->attr[5], (unsigned)s->n_args);
}

static bool infer_scan(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    Type one, slice;
    uint32_t n;
    if (!check_scan_attr(s, f)) return false;
    ScanShape scan = scan_shape(s->attr);
    const Type *results = given_results(s, &one, &n);
    const Graph *r = spec_region(s, 0);
    uint32_t kept = scan.n_invariant + scan.n_carry;
    if (!r || r->n_params != s->n_args) return fail(f, WEFT_ARGUMENT, "the body must take %u values", (unsigned)s->n_args);
    if (n < scan.n_carry || !check_n_outputs(r, "the body", n, f)) return fail(f, WEFT_ARGUMENT, "%u results for %u carries", (unsigned)n, (unsigned)scan.n_carry);
    for (uint32_t i = 0; i < s->n_args; i++) {
        slice = a[i];
        if (i >= kept && !slice_of(a[i], scan.length, "an input", &slice, f)) return false;
        if (!same_type(graph_type(r, r->params[i]), slice))
            return fail(f, WEFT_SHAPE, "parameter %u of the body is %s, but it is given %s", (unsigned)i, TYPE_TEXT(graph_type(r, r->params[i])), TYPE_TEXT(slice));
    }
    for (uint32_t i = 0; i < n; i++) {
        slice = results[i];
        if (i < scan.n_carry && !same_type(results[i], a[scan.n_invariant + i]))
            return fail(f, WEFT_SHAPE, "carry %u starts as %s and ends as %s", (unsigned)i, TYPE_TEXT(a[scan.n_invariant + i]), TYPE_TEXT(results[i]));
        if (i >= scan.n_carry && !slice_of(results[i], scan.length, "an output", &slice, f)) return false;
        if (!check_output(r, "the body", i, slice, f)) return false;
    }
    return finish_all(out, results, n, f);
}

/* The state is words of 64 bits (or twice as many of 32): any u64 or u32 vector. */
static bool infer_rng(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (s->attr[0] < 0 || s->attr[0] > 2) return fail(f, WEFT_ARGUMENT, "random bit algorithm %lld", (long long)s->attr[0]);
    if (!s->results || s->n_results != 2 || !same_type(s->results[0], a[0])) return fail(f, WEFT_ARGUMENT, "the results are the new state and the bits");
    if (a[0].rank != 1 || (a[0].dtype != WEFT_U64 && a[0].dtype != WEFT_U32)) return fail(f, WEFT_DTYPE, "the state is a vector of u64 or u32, not %s", TYPE_TEXT(a[0]));
    return finish_all(out, s->results, 2, f);
}

bool infer_control(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    switch (s->op) {
    case OP_MAP:   return infer_map(s, args, out, f);
    case OP_WHILE: return infer_while(s, args, out, f);
    case OP_CASE:  return infer_case(s, args, out, f);
    case OP_SCAN:  return infer_scan(s, args, out, f);
    default:       return infer_rng(s, args, out, f);
    }
}
