/* transpose.c: the walk backwards over the linear nodes of a split graph, and the rules of what is
 * elementwise.
 *
 * First the known nodes are copied. Then each linear node, last first, hands its cotangent on to its linear
 * operands; those of one value are added up in the order in which they come. A cotangent that is zero by
 * structure is REF_NONE and never computed with; zeros are made at the border only, and for ops over several
 * arrays of which some have one. Other rules: transpose_shape.c, transpose_dot.c, transpose_index.c,
 * transpose_along.c, transpose_control.c, transpose_scan.c.
 */
#include "compiler/passes/simplify.h"
#include "transpose_rules.h"
#include <math.h>

enum { AXES = WEFT_MAX_RANK };

bool is_zeros(const Node *n) { return is_splat(n) && scalar_to_double((DType)n->dtype, node_bits(n)) == 0; }

/* Does it put a small slice into an array of zeros? A large one is better added in one pass over the whole
 * array. */
static bool is_small_slice(const Graph *g, const Node *n)
{
    enum { SMALL = 8 };
    if (n->op != OP_PAD || !is_zeros(graph_node(g, n->args[1])) ||
        type_count(graph_type(g, n->args[0])) * SMALL > type_count(node_type(n)))
        return false;
    for (int i = 0; i < n->rank; i++)
        if (n->attr[i] < 0 || n->attr[n->rank + i] < 0 || n->attr[2 * n->rank + i]) return false;
    return true;
}

/* Is the value something that was put into an array of zeros? */
static bool is_put_into_zeros(const Graph *g, Ref r)
{
    const Node *n = graph_node(g, r);
    if (n->op == OP_PAD) return is_small_slice(g, n);
    if (n->op == OP_DYNAMIC_UPDATE_SLICE) return is_zeros(graph_node(g, n->args[0]));
    return n->op == OP_SCATTER && n->n_args == 3 && region_monoid(n->region) == OP_ADD &&
           is_zeros(graph_node(g, n->args[0]));
}

/* sum + (zeros with x put in)  ==>  sum with x added there: elements that get nothing are not touched. */
static Ref put_into(Graph *g, Ref sum, Ref ct)
{
    const Node *n = graph_node(g, ct);
    if (n->op == OP_SCATTER) {
        NodeSpec s = node_spec(n);
        s.args = (Ref[]){ sum, n->args[1], n->args[2] };
        return graph_add(g, &s);
    }
    Ref starts[AXES], x = n->args[n->op == OP_DYNAMIC_UPDATE_SLICE];
    for (int i = 0; i < n->rank; i++)
        starts[i] =
            n->op == OP_PAD ? build_splat(g, type_scalar(WEFT_I64), (uint64_t)n->attr[i]) : n->args[2 + i];
    Ref old = build_dynamic_slice(g, sum, starts, graph_node(g, x)->dim);
    return build_dynamic_update_slice(g, sum, build_binary(g, OP_ADD, old, x), starts);
}

Ref add_cts(Graph *g, Ref a, Ref b)
{
    if (a == REF_NONE || b == REF_NONE) return REF_NONE;
    if (is_put_into_zeros(g, b)) return put_into(g, a, b);
    return is_put_into_zeros(g, a) ? put_into(g, b, a) : build_binary(g, OP_ADD, a, b);
}

bool give_ct(const Transpose *t, const Node *n, uint32_t i, Ref ct)
{
    const Node *to = transpose_node(t, n->args[i]);
    if (ct == REF_NONE || !is_linear(t, n, i)) return true;
    Ref *sum = to->op == OP_RESULT ? &t->cts[to->args[0]][to->attr[0]] : &t->ct[n->args[i]];
    *sum = *sum == REF_NONE ? ct : add_cts(t->dst, *sum, ct);
    return true;
}

bool must_be_zero(const Transpose *t, const Node *n, uint32_t i)
{
    if (is_linear(t, n, i) || t->null[n->args[i]]) return true;
    return fail(&t->dst->failure, WEFT_ARGUMENT,
                "it adds something that does not depend on what it must be linear in");
}

bool not_linear(const Transpose *t, const char *what)
{
    return fail(&t->dst->failure, WEFT_ARGUMENT, "%s is not linear, so it has no transpose", what);
}

Ref same_op(const Transpose *t, const Node *n, const Ref *args, uint32_t n_args)
{
    NodeSpec s = node_spec(n);
    s.args = args;
    s.n_args = n_args;
    return graph_add(t->dst, &s);
}

/* ---- elementwise */

/* z = x * y, one of them known. */
static bool transpose_mul(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0) && is_linear(t, n, 1)) return not_linear(t, "a product of two tangents");
    uint32_t i = is_linear(t, n, 1);
    return give_ct(t, n, i, build_binary(t->dst, OP_MUL, ct, known_arg(t, n, 1 - i)));
}

static bool transpose_div(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 1)) return not_linear(t, "division by a tangent");
    return give_ct(t, n, 0, build_binary(t->dst, OP_DIV, ct, known_arg(t, n, 1)));
}

/* z = x * y + w */
static bool transpose_fma(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0) || is_linear(t, n, 1)) {
        if (!transpose_mul(t, n, ct)) return false;
    }
    give_ct(t, n, 2, ct);
    return must_be_zero(t, n, 2);
}

/* A constant NaN marks what is not there, as weft_take outside of its array does. It needs no cotangent. */
static bool is_nan(const Transpose *t, const Node *n, uint32_t i)
{
    const Node *c = transpose_node(t, n->args[i]);
    DType d = (DType)c->dtype;
    return is_splat(c) && isnan(scalar_to_double(d, node_bits(c)));
}

/* The side that was not chosen gets exact zeros, even where the cotangent is inf or NaN. */
static bool transpose_select(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0)) return not_linear(t, "a choice by a tangent");
    Ref p = known_arg(t, n, 0), none = build_zeros(t->dst, node_type(n));
    if (is_linear(t, n, 1)) give_ct(t, n, 1, build_select(t->dst, p, ct, none));
    if (is_linear(t, n, 2)) give_ct(t, n, 2, build_select(t->dst, p, none, ct));
    return (is_nan(t, n, 1) || must_be_zero(t, n, 1)) && (is_nan(t, n, 2) || must_be_zero(t, n, 2));
}

static bool transpose_neg(const Transpose *t, const Node *n, Ref ct)
{
    return give_ct(t, n, 0, build_unary(t->dst, OP_NEG, ct));
}

static bool transpose_add(const Transpose *t, const Node *n, Ref ct)
{
    give_ct(t, n, 0, ct);
    give_ct(t, n, 1, ct);
    return must_be_zero(t, n, 0) && must_be_zero(t, n, 1);
}

static bool transpose_sub(const Transpose *t, const Node *n, Ref ct)
{
    give_ct(t, n, 0, ct);
    if (is_linear(t, n, 1)) give_ct(t, n, 1, build_unary(t->dst, OP_NEG, ct));
    return must_be_zero(t, n, 0) && must_be_zero(t, n, 1);
}

static bool transpose_convert(const Transpose *t, const Node *n, Ref ct)
{
    if (!dtype_is_inexact((DType)n->dtype)) return not_linear(t, "conversion to an integer");
    DType from = (DType)arg_type(t, n, 0).dtype;
    if (dtype_is_complex((DType)n->dtype) && !dtype_is_complex(from)) ct = build_unary(t->dst, OP_REAL, ct);
    return give_ct(t, n, 0, build_convert(t->dst, ct, from));
}

/* Of a complex number z the cotangent is that of its real part minus i times that of the other (as JAX has
 * it: the cotangent times the tangent, not conjugated, has the change as its real part). */
static bool transpose_real(const Transpose *t, const Node *n, Ref ct)
{
    Ref none = build_zeros(t->dst, node_type(n)), args[] = { ct, none };
    return give_ct(t, n, 0, build_node(t->dst, OP_COMPLEX, args, 2, NULL, 0));
}

static bool transpose_imag(const Transpose *t, const Node *n, Ref ct)
{
    Ref args[] = { build_zeros(t->dst, node_type(n)), build_unary(t->dst, OP_NEG, ct) };
    return give_ct(t, n, 0, build_node(t->dst, OP_COMPLEX, args, 2, NULL, 0));
}

static bool transpose_complex(const Transpose *t, const Node *n, Ref ct)
{
    if (is_linear(t, n, 0)) give_ct(t, n, 0, build_unary(t->dst, OP_REAL, ct));
    if (is_linear(t, n, 1)) give_ct(t, n, 1, build_unary(t->dst, OP_NEG, build_unary(t->dst, OP_IMAG, ct)));
    return must_be_zero(t, n, 0) && must_be_zero(t, n, 1);
}

/* The op is its own transpose: REDUCE_PRECISION, REVERSE. */
static bool transpose_same(const Transpose *t, const Node *n, Ref ct)
{
    return give_ct(t, n, 0, same_op(t, n, &ct, 1));
}

static bool transpose_nothing(const Transpose *t, const Node *n, Ref ct)
{
    return (void)t, (void)n, (void)ct, true;
}

static bool transpose_refused(const Transpose *t, const Node *n, Ref ct)
{
    (void)ct;
    return not_linear(t, op_info[n->op].text);
}

/* Of elementwise ops, those that are linear in some operand. */
static bool transpose_ew(const Transpose *t, const Node *n, Ref ct)
{
    static TransposeRule *const linear[OP_COUNT] = {
        [OP_NEG] = transpose_neg,
        [OP_ADD] = transpose_add,
        [OP_SUB] = transpose_sub,
        [OP_MUL] = transpose_mul,
        [OP_DIV] = transpose_div,
        [OP_FMA] = transpose_fma,
        [OP_SELECT] = transpose_select,
        [OP_CONVERT] = transpose_convert,
        [OP_REDUCE_PRECISION] = transpose_same,
        [OP_STOP_GRADIENT] = transpose_nothing,
        [OP_REAL] = transpose_real,
        [OP_IMAG] = transpose_imag,
        [OP_COMPLEX] = transpose_complex,
    };
    return linear[n->op] ? linear[n->op](t, n, ct) : transpose_refused(t, n, ct);
}

/* ---- the walk */

#define transpose_leaf                transpose_refused /* depends on nothing, so it is never asked */
#define transpose_result              transpose_refused /* the walk looks up which */
#define transpose_reverse             transpose_same
#define transpose_arg_extreme         transpose_reduce
#define transpose_reduce_region       transpose_reduce
#define transpose_sort                transpose_refused
#define transpose_map                 transpose_refused
#define transpose_while               transpose_refused
#define transpose_custom_jvp          transpose_refused
#define transpose_custom_vjp          transpose_refused
#define transpose_custom_vmap         transpose_refused
#define transpose_foreign             transpose_refused
#define transpose_cholesky            transpose_refused
#define transpose_lu                  transpose_refused
#define transpose_qr                  transpose_refused
#define transpose_geqrf               transpose_refused
#define transpose_householder_product transpose_refused
#define transpose_gehrd               transpose_refused
#define transpose_eigh                transpose_refused
#define transpose_eig                 transpose_refused
#define transpose_schur               transpose_refused
#define transpose_svd                 transpose_refused
#define transpose_rng_bits            transpose_refused

static TransposeRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = transpose_ew,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = transpose_##rule,
#include "compiler/graph/ops.def"
};

static bool has_ct(const Transpose *t, const Node *n)
{
    bool any = false;
    for (uint32_t i = 0; i < n->n_results && !any; i++) any = ct_of(t, n, i) != REF_NONE;
    return any;
}

static bool transpose_at(const Transpose *t, Ref r)
{
    const Node *n = transpose_node(t, r);
    t->dst->loc = n->loc ? graph_copy_loc(t->dst, t->src, n->loc) : 0;
    bool ok = rules[n->op](t, n, ct_of(t, n, 0));
    t->dst->loc = 0;
    return (ok && t->dst->failure.code == WEFT_OK) ||
           rebuild_refuse(&(Rebuild){ .from = t->src, .to = t->dst }, r, "transposing", "");
}

static bool walk_back(const Transpose *t)
{
    for (Ref r = t->src->n_nodes; r-- > 0;) {
        const Node *n = transpose_node(t, r);
        if (!t->linear[r] || n->op == OP_PARAMETER || n->op == OP_RESULT || !has_ct(t, n)) continue;
        if (!transpose_at(t, r)) return false;
    }
    return true;
}

static void copy_known_nodes(const Transpose *t)
{
    const bool *reached = graph_reached(t->dst->arena, t->src);
    for (Ref r = 0; r < t->src->n_nodes; r++)
        if (reached[r] && !t->linear[r] && transpose_node(t, r)->op != OP_PARAMETER)
            t->known[r] = graph_copy_node(t->dst, t->src, r, t->known);
}

Ref *no_refs(Arena *a, size_t n) { return memset(graph_refs(a, n), 0xff, n * sizeof(Ref)); }

/* Output i's cotangent goes to the node that gives it. */
static void seed(const Transpose *t, uint32_t i, Ref ct)
{
    Node output = { .args = &t->src->outputs[i], .n_args = 1 };
    give_ct(t, &output, 0, ct);
}

bool transpose_inline(Graph *dst, LinearRegion region, const Ref *known, const Ref *cts, Ref *outputs,
                      Ref *out)
{
    const Graph *g = region.graph;
    Arena *a = dst->arena;
    uint32_t n = g->n_nodes;
    const bool *linear = linear_nodes(a, g, region.linear);
    Transpose t = { .src = g,
                    .dst = dst,
                    .linear = linear,
                    .null = null_nodes(a, g, region.inside),
                    .known = no_refs(a, n),
                    .ct = no_refs(a, n),
                    .cts = arena_alloc(a, (n + 1) * sizeof(Ref *)),
                    .most = region.most };
    for (uint32_t i = 0; i < g->n_params; i++)
        if (!region.linear[i]) t.known[g->params[i]] = known[i];
    for (Ref r = 0; r < n; r++)
        if (linear[r] && g->nodes[r].n_results > 1) t.cts[r] = no_refs(a, g->nodes[r].n_results);
    uint32_t loc = dst->loc;
    copy_known_nodes(&t);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        if (outputs) outputs[i] = t.known[g->outputs[i]];
        seed(&t, i, cts[i]);
    }
    bool ok = dst->failure.code == WEFT_OK && walk_back(&t);
    for (uint32_t i = 0; i < g->n_params; i++) out[i] = t.ct[g->params[i]];
    dst->loc = loc;
    return ok;
}

/* ---- the pass */

Graph *transpose_whole(Arena *a, LinearRegion region, uint32_t n_known, bool of_one, Failure *f)
{
    const Graph *g = region.graph;
    Graph *dst = graph_new(a, g->name);
    Ref *known = no_refs(a, g->n_params), *cts = no_refs(a, g->n_outputs), *by = no_refs(a, g->n_params),
        *outputs = graph_refs(a, (size_t)g->n_outputs + g->n_params);
    uint32_t n = n_known;
    for (uint32_t i = 0; i < g->n_params; i++)
        if (!region.linear[i]) known[i] = build_param(dst, graph_type(g, g->params[i]));
    for (uint32_t i = n_known; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        cts[i] = of_one ? build_number(dst, (DType)t.dtype, 1) : build_param(dst, t);
    }
    if (!transpose_inline(dst, region, known, cts, outputs, by)) return fail_as(f, &dst->failure), NULL;
    for (uint32_t i = 0; i < g->n_params; i++)
        if (region.linear[i]) outputs[n++] = build_or_zeros(dst, by[i], graph_type(g, g->params[i]));
    graph_set_outputs(dst, outputs, n);
    return dst;
}

static bool check_linear_params(const Graph *g, uint32_t n_known, Failure *f)
{
    if (g->failure.code != WEFT_OK) return fail_as(f, &g->failure);
    for (uint32_t i = n_known; i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        if (!dtype_is_inexact((DType)t.dtype))
            return fail(f, WEFT_DTYPE, "parameter %u is %s: only floats have cotangents", (unsigned)i,
                        TYPE_TEXT(t));
    }
    return true;
}

Graph *transpose_graph(Arena *a, const Graph *g, uint32_t n_known, Failure *f)
{
    if (!check_linear_params(g, n_known, f)) return NULL;
    bool *linear = arena_alloc(a, g->n_params + 1);
    for (uint32_t i = n_known; i < g->n_params; i++) linear[i] = true;
    const Graph *split = split_graph(a, simplify(a, g), linear, 0, f);
    const Graph *dst =
        split ? transpose_whole(a, (LinearRegion){ .graph = split, .linear = linear }, 0, false, f) : NULL;
    return dst ? graph_compact(a, dst) : NULL;
}
