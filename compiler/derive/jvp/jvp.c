/* jvp.c: forward mode, one rule per name in the op table's column jvp.
 *
 * First a forward pass marks what has a tangent, and a backward one which of those tangents
 * anything wanted needs, so that an op without a derivative is an error only where its derivative is asked
 * for. Then each node is copied, and its tangent written behind it by its rule: what is elementwise or moves
 * elements here and in jvp_factor.c, the others in jvp_reduce.c, jvp_index.c and jvp_control.c. Where an op
 * is best differentiated as what it is made of (products, prefixes; in jvp_fold.c, folds by any region), it
 * is written out as a graph, which is differentiated in turn.
 */
#include "jvp_rules.h"

/* ---- words */

Ref jvp_fill(Graph *g, Ref like, double value)
{
    if (like == REF_NONE) return REF_NONE;
    Type t = graph_type(g, like);
    return build_splat(g, t, scalar_from_double((DType)t.dtype, value));
}

Ref jvp_add(Graph *g, Ref a, Ref b)
{
    if (a == REF_NONE) return b;
    return b == REF_NONE ? a : build_binary(g, OP_ADD, a, b);
}

Ref jvp_darg_or_zeros(const Jvp *v, const Node *n, uint32_t i)
{
    return build_or_zeros(v->w.to, darg(v, n, i), arg_type(v, n, i));
}

Ref jvp_same_op(const Jvp *v, const Node *n, const Ref *args)
{
    NodeSpec s = node_spec(n);
    s.args = args;
    return graph_add(v->w.to, &s);
}

/* ---- rules of ops that are linear or nearly so */

static void jvp_zero(const Jvp *v, const Node *n, Ref *y, Ref *dy) { (void)v, (void)n, (void)y, (void)dy; }

static bool any_tangent(const Jvp *v, const Node *n)
{
    for (uint32_t i = 0; i < n->n_args; i++)
        if (darg(v, n, i) != REF_NONE) return true;
    return false;
}

/* Sums need no zeros for what has no tangent; joining arrays does. */
static void jvp_linear(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    if (!any_tangent(v, n)) return;
    Ref first = darg(v, n, 0);
    if (n->op == OP_ADD && (first == REF_NONE || darg(v, n, 1) == REF_NONE))
        *dy = jvp_add(v->w.to, first, darg(v, n, 1));
    else if (n->op == OP_SUB && first == REF_NONE) *dy = build_unary(v->w.to, OP_NEG, darg(v, n, 1));
    else if (n->op == OP_SUB && darg(v, n, 1) == REF_NONE) *dy = first;
    else {
        Ref *args = jvp_refs(v, n->n_args);
        for (uint32_t i = 0; i < n->n_args; i++) args[i] = jvp_darg_or_zeros(v, n, i);
        *dy = jvp_same_op(v, n, args);
    }
}

/* d(a b) = da b + a db, of MUL, DOT and CONVOLUTION */
static void jvp_product(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    Ref left = jvp_same_op(v, n, (Ref[]){ darg(v, n, 0), arg(v, n, 1) });
    *dy = jvp_add(v->w.to, left, jvp_same_op(v, n, (Ref[]){ arg(v, n, 0), darg(v, n, 1) }));
}

static void jvp_fma(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    Graph *g = v->w.to;
    Ref left = build_binary(g, OP_MUL, darg(v, n, 0), arg(v, n, 1)),
        right = build_binary(g, OP_MUL, arg(v, n, 0), darg(v, n, 1));
    *dy = jvp_add(g, jvp_add(g, left, right), darg(v, n, 2));
}

static void jvp_select(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y;
    if (any_tangent(v, n))
        *dy = build_select(v->w.to, arg(v, n, 0), jvp_darg_or_zeros(v, n, 1), jvp_darg_or_zeros(v, n, 2));
}

/* A scalar bound as if it had the shape. */
static Ref spread(const Jvp *v, const Node *n, Ref scalar)
{
    if (scalar == REF_NONE || graph_node(v->w.to, scalar)->rank == n->rank) return scalar;
    return build_broadcast(v->w.to, scalar, n->dim, n->rank, NULL);
}

/* The value's strictly inside; at a bound and beyond it is the bound's. So it is exactly one's, unless there
 * is a NaN. (JAX: at a bound, nobody's.) */
static void jvp_clamp(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Graph *g = v->w.to;
    Ref low = spread(v, n, arg(v, n, 0)), x = arg(v, n, 1), high = spread(v, n, arg(v, n, 2)),
        zero = build_zeros(g, node_type(n));
    Ref inside = build_binary(g, OP_AND, build_compare(g, CMP_GT, x, low), build_compare(g, CMP_LT, x, high));
    Ref below =
        build_binary(g, OP_AND, build_compare(g, CMP_GE, low, x), build_compare(g, CMP_LE, low, high));
    Ref above = build_binary(g, OP_AND, build_compare(g, CMP_LE, high, build_binary(g, OP_MAX, low, x)),
                             build_unary(g, OP_NOT, below));
    Ref chosen[] = { below, inside, above };
    (void)y;
    for (uint32_t i = 0; i < 3; i++)
        *dy = jvp_add(g, *dy, build_select(g, chosen[i], spread(v, n, darg(v, n, i)), zero));
}

#define jvp_leaf          jvp_zero
#define jvp_result        jvp_zero /* the walk looks up which */
#define jvp_broadcast     jvp_linear
#define jvp_reshape       jvp_linear
#define jvp_transpose     jvp_linear
#define jvp_slice         jvp_linear
#define jvp_reverse       jvp_linear
#define jvp_pad           jvp_linear
#define jvp_concatenate   jvp_linear
#define jvp_arg_extreme   jvp_zero
#define jvp_dot           jvp_product
#define jvp_convolution   jvp_product
#define jvp_fft           jvp_linear
#define jvp_rng_bits      jvp_zero
#define jvp_dynamic_slice jvp_gather
#define jvp_while         jvp_regions
#define jvp_case          jvp_regions
#define jvp_scan          jvp_regions
#define jvp_checkpoint    jvp_regions

static JvpRule *const rules[OP_COUNT] = {
#define EW(NAME, text, args, types, cost, jvp, meaning) [OP_##NAME] = jvp_##jvp,
#define OP(NAME, text, args, kind, rule, ...)           [OP_##NAME] = jvp_##rule,
#include "compiler/graph/ops.def"
};

/* ---- what has a tangent: what forward mode adds to graph/flow.h */

/* Of the other regions, a rule of the user's says what their tangents are. */
static bool derives_regions(Op op)
{
    return rules[op] == jvp_regions || rules[op] == jvp_map || rules[op] == jvp_custom_vmap;
}

/* A value has a tangent if it is of a float type and an op with a derivative makes it of one that has. */
static bool has_derivative(const Node *n, uint32_t result, uint32_t operand)
{
    if (rules[n->op] == jvp_zero) return false;
    if (n->op == OP_SORT) return result == operand;
    return n->op != OP_SELECT_AND_SCATTER || operand > 0; /* the first only chooses */
}

static const FlowRule jvp_flow = { .follows = derives_regions, .depends = has_derivative, .floats = true };

/* ---- the walk */

static bool writes_values(Op op)
{
    return op_kind(op) == OPKIND_CONTROL || op == OP_SORT || op == OP_BARRIER;
}

/* An error: the derivative is taken by a value that a function with rules of its own uses besides its
 * arguments, and the rules say nothing of it. */
static bool lost(const Jvp *v, const Node *n)
{
    if (n->attr[0] == 2)
        return fail(
            &v->w.to->failure, WEFT_ARGUMENT,
            "the derivative rule of a function calls that function again: such rules serve up to order 3");
    const Node *of = source(v, n->args[0]);
    const char *at = of->loc ? v->w.from->locs[of->loc] : NULL,
               *name = of->op == OP_PARAMETER && v->w.from->param_names ? v->w.from->param_names[of->attr[0]]
                                                                        : NULL;
    return fail(&v->w.to->failure, WEFT_ARGUMENT,
                "a function with a derivative rule of its own closes over a value that a derivative is taken "
                "by, %s%s, which its rule does not "
                "speak of: make it an argument of both",
                at     ? "made at "
                : name ? "argument "
                       : "of the function around it",
                at     ? at
                : name ? name
                       : "");
}

/* The node's values, and behind them its tangents. */
static bool walk_node(void *user, Ref r, Ref *y)
{
    const Jvp *v = user;
    const Node *n = source(v, r);
    const Failure *failure = &v->w.to->failure;
    Ref *dy = n->n_results > 1 ? (v->tangents[r] = jvp_refs(v, n->n_results)) : &v->tangent[r];
    if (n->op == OP_STOP_GRADIENT && n->n_attr && flow_arg(v->flow, n, 0)) return lost(v, n);
    for (uint32_t i = 0; i < n->n_results; i++) dy[i] = REF_NONE;
    if (!v->need[r] || !writes_values((Op)n->op)) rebuild_copy(&v->w, r, y);
    if (v->need[r] && failure->code == WEFT_OK) rules[n->op](v, n, y, dy);
    return failure->code == WEFT_OK || rebuild_refuse(&v->w, r, "the derivative of", "");
}

/* want NULL: every output's. */
static void mark_needed(Jvp *v, const bool *want)
{
    const Graph *g = v->w.from;
    Arena *a = v->w.to->arena;
    bool *need = arena_alloc(a, g->n_nodes * sizeof *need);
    v->needs = arena_alloc(a, g->n_nodes * sizeof *v->needs);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        need[g->outputs[i]] |= (!want || want[i]) && v->flow->node[g->outputs[i]];
    for (Ref r = g->n_nodes; r-- > 0;) {
        const Node *n = &g->nodes[r];
        for (uint32_t i = 0; need[r] && i < n->n_args; i++) need[n->args[i]] |= v->flow->node[n->args[i]];
        if (!need[r] || n->op != OP_RESULT) continue;
        bool **of = &v->needs[n->args[0]];
        if (!*of) *of = arena_alloc(a, g->nodes[n->args[0]].n_results * sizeof **of);
        (*of)[n->attr[0]] = true;
    }
    v->need = need;
}

static Jvp jvp_of(Graph *to, const Flow *flow, const bool *want)
{
    size_t n = flow->graph->n_nodes;
    Jvp v = { .w = rebuild_open(flow->graph, to),
              .flow = flow,
              .tangent = arena_alloc(to->arena, n * sizeof(Ref)),
              .tangents = arena_alloc(to->arena, n * sizeof(Ref *)) };
    for (size_t i = 0; i < n; i++) v.tangent[i] = REF_NONE;
    mark_needed(&v, want);
    return v;
}

bool jvp_inline(Graph *dst, const Flow *m, const Ref *args, const Ref *dargs, const bool *want, Ref *out,
                Ref *dout)
{
    const Graph *g = m->graph;
    Jvp v = jvp_of(dst, m, want);
    for (uint32_t i = 0; i < g->n_params; i++) {
        Ref p = g->params[i];
        v.w.map[p] = args[i];
        if (m->node[p]) v.tangent[p] = build_or_zeros(dst, dargs[i], graph_type(g, p));
    }
    if (!rebuild_nodes(&v.w, walk_node, &v)) return false;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        out[i] = v.w.map[g->outputs[i]];
        dout[i] = jvp_tangent(&v, g->outputs[i]);
    }
    return true;
}

void jvp_expanded(const Jvp *v, const Node *n, const Graph *same, Ref *dy)
{
    if (same->failure.code != WEFT_OK) {
        fail_as(&v->w.to->failure, &same->failure);
        return;
    }
    bool *active = arena_alloc(v->w.to->arena, n->n_args + 1);
    bool *want = arena_alloc(v->w.to->arena, n->n_results + 1);
    for (uint32_t i = 0; i < n->n_results; i++) want[i] = result_needed(v, n, i);
    Ref *args = jvp_refs(v, n->n_args), *dargs = jvp_refs(v, n->n_args), *y = jvp_refs(v, n->n_results);
    for (uint32_t i = 0; i < n->n_args; i++) {
        args[i] = arg(v, n, i);
        dargs[i] = darg(v, n, i);
        active[i] = dargs[i] != REF_NONE;
    }
    const Flow *m = flow_from(v->w.to->arena, same, &jvp_flow, active);
    jvp_inline(v->w.to, m, args, dargs, want, y, dy);
}

/* ---- whole graphs */

bool *jvp_active_outputs(Arena *a, const Graph *g, const bool *active)
{
    return flow_outputs(flow_from(a, g, &jvp_flow, active));
}

static void open_params(const Jvp *v, const bool *active)
{
    const Graph *g = v->w.from;
    for (uint32_t i = 0; i < g->n_params; i++)
        v->w.map[g->params[i]] = build_param(v->w.to, graph_type(g, g->params[i]));
    for (uint32_t i = 0; i < g->n_params; i++)
        if (active[i] && v->flow->node[g->params[i]])
            v->tangent[g->params[i]] = build_param(v->w.to, graph_type(g, g->params[i]));
}

static void set_outputs(const Jvp *v, const bool *want)
{
    const Graph *g = v->w.from;
    Ref *out = jvp_refs(v, 2 * (size_t)g->n_outputs);
    uint32_t n = g->n_outputs;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        out[i] = v->w.map[g->outputs[i]];
        if (want[i])
            out[n++] = build_or_zeros(v->w.to, jvp_tangent(v, g->outputs[i]), graph_type(g, g->outputs[i]));
    }
    graph_set_outputs(v->w.to, out, n);
}

Graph *jvp_graph(Arena *a, const Graph *g, const bool *active, const bool *want, Failure *f)
{
    if (g->failure.code != WEFT_OK) return fail_as(f, &g->failure), NULL;
    Jvp v = jvp_of(graph_new(a, g->name), flow_from(a, g, &jvp_flow, active), want);
    open_params(&v, active);
    if (!rebuild_nodes(&v.w, walk_node, &v)) return fail_as(f, &v.w.to->failure), NULL;
    set_outputs(&v, want);
    graph_name_params(v.w.to, g);
    return v.w.to;
}
