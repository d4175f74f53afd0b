/* linearize_cut.c: a split graph cut in two: which known values go across.
 *
 * At first each known operand of a linear node is needed. Then, from the last node to the first, a needed
 * value that is cheap to compute, from its operands or through some more cheap nodes, is computed again on
 * the other side, if the values that become needed by this are no larger. The others are kept: residuals.
 * So 1 - tanh^2 is kept as tanh, a mask as itself or, where the values are kept anyway, not at all, and
 * nothing is kept that was broadcast.
 */
#include "linearize_split.h"

/* How far back a value that is computed again is followed. */
enum { AGAIN_NODES = 16 };

/* Less work than memory for it: no function of mathematics, no sum, nothing that takes positions from
 * data. */
static bool is_cheap(const Node *n)
{
    OpKind kind = op_kind((Op)n->op);
    return kind == OPKIND_SHAPE || (kind == OPKIND_LEAF && n->op != OP_PARAMETER) ||
           (kind == OPKIND_EW && op_cost((Op)n->op, WEFT_F32) <= COST_TO_REPEAT);
}

static void need(GraphCut *c, Ref r)
{
    if (c->how[r] == CUT_UNUSED) c->how[r] = CUT_KEEP;
    if (c->how[r] == CUT_FREE) c->how[r] = CUT_GIVEN;
}

static void need_operands(GraphCut *c, const Node *n)
{
    for (uint32_t i = 0; i < n->n_args; i++)
        if (!c->linear[n->args[i]]) need(c, n->args[i]);
}

/* What it takes to compute a value again: cheap nodes between it and values that are not, or that are
 * there. */
typedef struct Again {
    Ref inner[AGAIN_NODES], leaf[AGAIN_NODES];
    int n_inner, n_leaves;
    double bytes;
} Again;

static bool listed(const Ref *list, int n, Ref r)
{
    for (int i = 0; i < n; i++)
        if (list[i] == r) return true;
    return false;
}

/* deep: through further cheap nodes. False: too many. */
static bool find_again(const GraphCut *c, Ref r, bool deep, Again *a)
{
    *a = (Again){ .inner = { r }, .n_inner = 1 };
    for (int i = 0; i < a->n_inner; i++) {
        const Node *n = &c->graph->nodes[a->inner[i]];
        for (uint32_t k = 0; k < n->n_args; k++) {
            Ref from = n->args[k];
            const Node *m = &c->graph->nodes[from];
            bool inner = deep && is_cheap(m);
            if (c->how[from] != CUT_UNUSED || listed(a->inner, a->n_inner, from) ||
                listed(a->leaf, a->n_leaves, from))
                continue;
            if ((inner ? a->n_inner : a->n_leaves) == AGAIN_NODES) return false;
            if (inner) a->inner[a->n_inner++] = from;
            else a->leaf[a->n_leaves++] = from, a->bytes += node_bytes(c->graph, from);
        }
    }
    return a->bytes <= node_bytes(c->graph, r);
}

static void compute_again(GraphCut *c, Ref r)
{
    Again a;
    const Node *n = &c->graph->nodes[r];
    if (!is_cheap(n) || (!find_again(c, r, false, &a) && !find_again(c, r, true, &a))) return;
    for (int i = 0; i < a.n_inner; i++) c->how[a.inner[i]] = CUT_AGAIN;
    for (int i = 0; i < a.n_inner; i++) need_operands(c, &c->graph->nodes[a.inner[i]]);
}

/* Kept values that turn out to be computed from others that are. */
static void drop_computed(GraphCut *c)
{
    for (Ref r = 0; r < c->graph->n_nodes; r++) {
        const Node *n = &c->graph->nodes[r];
        Again a;
        if (c->how[r] != CUT_KEEP || !is_cheap(n) || !find_again(c, r, false, &a) || a.bytes > 0) continue;
        c->how[r] = CUT_AGAIN;
        need_operands(c, n);
    }
}

GraphCut cut_graph(Arena *a, const Graph *g, const bool *linear, const bool *given)
{
    GraphCut c = {
        .graph = g, .linear = linear, .how = arena_alloc(a, g->n_nodes + 1), .kept = graph_refs(a, g->n_nodes)
    };
    const bool *live = linear_reached(a, g, linear, NULL);
    for (Ref r = 0; given && r < g->n_nodes; r++)
        if (given[r]) c.how[r] = CUT_FREE;
    for (Ref r = 0; r < g->n_nodes; r++)
        if (live[r]) need_operands(&c, &g->nodes[r]);
    for (Ref r = g->n_nodes; r-- > 0;)
        if (c.how[r] == CUT_KEEP) compute_again(&c, r);
    drop_computed(&c);
    for (Ref r = 0; r < g->n_nodes; r++)
        if (c.how[r] == CUT_KEEP) c.kept[c.n_kept++] = r;
    return c;
}

/* ---- copies */

static void copy_where(Graph *dst, const Graph *src, const bool *wanted, Ref *map)
{
    for (Ref r = 0; r < src->n_nodes; r++)
        if (wanted[r] && src->nodes[r].op != OP_PARAMETER) map[r] = graph_copy_node(dst, src, r, map);
}

void copy_known(Graph *dst, const Graph *src, Ref *map, const Ref *wanted, uint32_t n)
{
    Graph part = *src;
    part.outputs = (Ref *)(uintptr_t)wanted;
    part.n_outputs = n;
    copy_where(dst, src, graph_reached(dst->arena, &part), map);
}

static bool copy_output(Graph *dst, const GraphCut *c, const bool *null, const Ref *map, Ref output, Ref *out)
{
    *out = c->linear[output] ? map[output] : build_zeros(dst, graph_type(c->graph, output));
    if (c->linear[output] || null[output]) return true;
    return fail(&dst->failure, WEFT_ARGUMENT,
                "a tangent is given something that does not depend on any tangent");
}

bool copy_linear(Graph *dst, const GraphCut *c, bool inside, Ref *map, const Ref *outputs, uint32_t n,
                 Ref *out)
{
    const Graph *g = c->graph;
    bool *live = arena_alloc(dst->arena, g->n_nodes + 1);
    for (uint32_t i = 0; i < n; i++) live[outputs[i]] = c->linear[outputs[i]];
    for (Ref r = g->n_nodes; r-- > 0;)
        for (uint32_t k = 0; live[r] && k < g->nodes[r].n_args; k++) {
            Ref from = g->nodes[r].args[k];
            live[from] |= c->linear[from] || c->how[from] == CUT_AGAIN;
        }
    copy_where(dst, g, live, map);
    const bool *null = null_nodes(dst->arena, g, inside);
    for (uint32_t i = 0; i < n; i++)
        if (!copy_output(dst, c, null, map, outputs[i], &out[i])) return false;
    return true;
}
