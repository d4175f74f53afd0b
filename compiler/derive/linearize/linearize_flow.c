/* linearize_flow.c: which values depend on a tangent (flow.h), which are the same in each step of a loop, and
 * which are zero where all tangents are.
 * Regions are looked into, for what jvp makes carries values and tangents through one node.
 */
#include "linearize_split.h"

/* Regions of all but BACKWARD, which is linear as a whole. */
static bool looked_into(Op op) { return op_kind(op) == OPKIND_CONTROL && op != OP_BACKWARD; }

const FlowRule linear_flow = { .follows = looked_into };

bool *linear_nodes(Arena *a, const Graph *g, const bool *linear_params)
{
    bool *linear = arena_alloc(a, g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_params; i++) linear[g->params[i]] = linear_params[i];
    for (Ref r = 0; r < g->n_nodes; r++)
        for (uint32_t k = 0; k < g->nodes[r].n_args; k++) linear[r] |= linear[g->nodes[r].args[k]];
    return linear;
}

bool *linear_reached(Arena *a, const Graph *g, const bool *linear, const bool *outputs)
{
    bool *reached = arena_alloc(a, g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        reached[g->outputs[i]] |= linear[g->outputs[i]] && (!outputs || outputs[i]);
    for (Ref r = g->n_nodes; r-- > 0;)
        for (uint32_t k = 0; reached[r] && k < g->nodes[r].n_args; k++)
            reached[g->nodes[r].args[k]] |= linear[g->nodes[r].args[k]];
    return reached;
}

bool *steady_nodes(Arena *a, const Graph *g, uint32_t n_invariant)
{
    bool *steady = arena_alloc(a, g->n_nodes + 1);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        steady[r] = n->op != OP_FOREIGN && (n->op != OP_PARAMETER || n->attr[0] < n_invariant);
        for (uint32_t k = 0; k < n->n_args; k++) steady[r] = steady[r] && steady[n->args[k]];
    }
    return steady;
}

/* ---- zeros */

static bool is_zero_constant(const Node *n)
{
    DType t = dtype_part((DType)n->dtype);
    size_t bytes = dtype_bytes(t), parts = dtype_bytes((DType)n->dtype) / bytes;
    size_t count = n->attr[0] ? 1 : (size_t)type_count(node_type(n));
    for (size_t i = 0; i < count * parts; i++)
        if (scalar_to_double(t, scalar_load(t, (const char *)n->data + i * bytes)) != 0) return false;
    return true;
}

/* null: by node before it. */
typedef bool NullRule(const Node *, const bool *null);

static bool null_never(const Node *n, const bool *null) { return (void)n, (void)null, false; }
static bool null_unknown(const Node *n, const bool *null) { return (void)n, (void)null, true; }
static bool null_first(const Node *n, const bool *null) { return null[n->args[0]]; }

static bool null_second(const Node *n, const bool *null) { return null[n->args[1]]; }

static bool null_all(const Node *n, const bool *null)
{
    for (uint32_t i = 0; i < n->n_args; i++)
        if (!null[n->args[i]]) return false;
    return true;
}

static bool null_product(const Node *n, const bool *null) { return null[n->args[0]] || null[n->args[1]]; }
static bool null_fma(const Node *n, const bool *null) { return null_product(n, null) && null[n->args[2]]; }
static bool null_select(const Node *n, const bool *null) { return null[n->args[1]] && null[n->args[2]]; }

static bool null_scatter(const Node *n, const bool *null)
{
    return null[n->args[0]] && null[n->args[n->n_args - 1]];
}

static bool null_update_slice(const Node *n, const bool *null)
{
    return null[n->args[0]] && null[n->args[1]];
}

static bool null_reduce(const Node *n, const bool *null) { return n->attr[0] == OP_ADD && null[n->args[0]]; }

static bool null_leaf(const Node *n, const bool *null)
{
    (void)null;
    return n->op == OP_CONSTANT && is_zero_constant(n);
}

/* Of elementwise ops, those that are linear. */
static bool null_ew(const Node *n, const bool *null)
{
    static NullRule *const linear[OP_COUNT] = {
        [OP_NEG] = null_first,   [OP_CONVERT] = null_first, [OP_REDUCE_PRECISION] = null_first,
        [OP_DIV] = null_first,   [OP_ADD] = null_all,       [OP_SUB] = null_all,
        [OP_MUL] = null_product, [OP_FMA] = null_fma,       [OP_SELECT] = null_select,
        [OP_REAL] = null_first,  [OP_IMAG] = null_first,    [OP_COMPLEX] = null_all,
    };
    return linear[n->op] && linear[n->op](n, null);
}

#define null_arg_extreme         null_never
#define null_reduce_region       null_unknown
#define null_dot                 null_product
#define null_convolution         null_product
#define null_gather              null_first
#define null_dynamic_slice       null_first
#define null_reduce_window       null_unknown
#define null_select_and_scatter  null_unknown
#define null_cumulative          null_first
#define null_fft                 null_first
#define null_sort                null_unknown
#define null_cholesky            null_unknown
#define null_lu                  null_unknown
#define null_qr                  null_unknown
#define null_geqrf               null_unknown
#define null_householder_product null_unknown
#define null_gehrd               null_unknown
#define null_eigh                null_unknown
#define null_eig                 null_unknown
#define null_schur               null_unknown
#define null_svd                 null_unknown
#define null_triangular_solve    null_second
#define null_foreign             null_never
#define null_barrier             null_never
#define null_rng_bits            null_never
#define null_result              null_unknown

/* The rule of a kind's ops, or that of each. */
#define NULL_LEAF(rule)    null_leaf
#define NULL_SHAPE(rule)   null_all
#define NULL_REDUCE(rule)  null_##rule
#define NULL_DOT(rule)     null_##rule
#define NULL_INDEX(rule)   null_##rule
#define NULL_ALONG(rule)   null_##rule
#define NULL_MATRIX(rule)  null_##rule
#define NULL_CONTROL(rule) null_unknown
#define NULL_OTHER(rule)   null_##rule

static NullRule *const null_rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = null_ew,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = NULL_##kind(rule),
#include "compiler/graph/ops.def"
};

bool *null_nodes(Arena *a, const Graph *g, bool inside)
{
    bool *null = arena_alloc(a, g->n_nodes + 1);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        null[r] = n->op == OP_PARAMETER ? inside : null_rules[n->op](n, null);
    }
    return null;
}
