/* linearize_flow.c: which values depend on a tangent: a forward pass, apart from building, so that it can be
 * done again.
 *
 * Regions are looked into, for what jvp makes carries values and tangents through one node. The carries of a
 * loop are brought to a fixpoint: a carry is linear if its start is, or if the body gives a linear value for
 * it. Marks only ever grow, and each region keeps its own from one time to the next, so a region is walked at
 * most once more than it has parameters, however deep it lies.
 */
#include "linearize_split.h"

/* Ops of which a result depends on some operands only; of all others each result depends on all. */
static bool looked_into(Op op)
{
    switch (op) {
    case OP_SCAN:
    case OP_WHILE:
    case OP_CASE:
    case OP_MAP:
    case OP_CHECKPOINT:
    case OP_CUSTOM_JVP:
    case OP_CUSTOM_VJP:
    case OP_CUSTOM_VMAP: return true;
    default:             return false;
    }
}

const FlowRule linear_flow = { .follows = looked_into };

bool *linear_nodes(Arena *a, const Graph *g, const bool *linear_params)
{
    bool *linear = arena_alloc(a, g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_params; i++) linear[g->params[i]] = linear_params[i];
    for (Ref r = 0; r < g->n_nodes; r++)
        for (uint32_t k = 0; k < g->nodes[r].n_args; k++) linear[r] |= linear[g->nodes[r].args[k]];
    return linear;
}

/* ---- zeros */

static bool is_zero_constant(const Node *n)
{
    int64_t count = n->attr[0] ? 1 : type_count(node_type(n));
    size_t bytes = dtype_bytes((DType)n->dtype);
    for (int64_t i = 0; i < count; i++)
        if (scalar_to_double((DType)n->dtype,
                             scalar_load((DType)n->dtype, (const char *)n->data + (size_t)i * bytes)) != 0)
            return false;
    return true;
}

/* A product is zero if a factor is, a sum if all terms are. */
static bool null_node(const Node *n, const bool *null, bool inside)
{
    switch (n->op) {
    case OP_PARAMETER:            return inside;
    case OP_CONSTANT:             return is_zero_constant(n);
    case OP_MUL:
    case OP_DOT:                  return null[n->args[0]] || null[n->args[1]];
    case OP_DIV:
    case OP_GATHER:
    case OP_DYNAMIC_SLICE:        return null[n->args[0]];
    case OP_FMA:                  return (null[n->args[0]] || null[n->args[1]]) && null[n->args[2]];
    case OP_SELECT:               return null[n->args[1]] && null[n->args[2]];
    case OP_SCATTER:              return null[n->args[0]] && null[n->args[n->n_args - 1]];
    case OP_DYNAMIC_UPDATE_SLICE: return null[n->args[0]] && null[n->args[1]];
    case OP_REDUCE:               return n->attr[0] == OP_ADD && null[n->args[0]];
    case OP_ADD:
    case OP_SUB:
    case OP_PAD:
    case OP_CONCATENATE:
        for (uint32_t i = 0; i < n->n_args; i++)
            if (!null[n->args[i]]) return false;
        return true;
    case OP_NEG:
    case OP_CONVERT:
    case OP_REDUCE_PRECISION:
    case OP_BROADCAST:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_SLICE:
    case OP_REVERSE:
    case OP_CUMULATIVE:       return null[n->args[0]];
    default:                  return n->n_regions || n->op == OP_RESULT;
    }
}

bool *null_nodes(Arena *a, const Graph *g, bool inside)
{
    bool *null = arena_alloc(a, g->n_nodes + 1);
    for (Ref r = 0; r < g->n_nodes; r++) null[r] = null_node(&g->nodes[r], null, inside);
    return null;
}
