/* transpose_control.c: ops with regions or several results. SCAN has a file of its own.
 *
 * The transpose of a region takes its known parameters and the cotangents of those outputs that have one, and
 * gives cotangents of the linear parameters that any of those outputs reaches.
 */
#include "transpose_rules.h"

void reach_back(Arena *a, const Graph *g, const bool *linear_params, const bool *outputs, bool *params)
{
    const bool *reached = linear_reached(a, g, linear_nodes(a, g, linear_params), outputs);
    for (uint32_t i = 0; i < g->n_params; i++) params[i] |= reached[g->params[i]];
}

/* ---- regions that run at most once, over the node's operands from `first` on */

/* Which of those operands are linear. */
static const bool *linear_operands(const Transpose *t, const Node *n, uint32_t first)
{
    bool *linear = arena_alloc(t->dst->arena, n->n_args - first + 1);
    for (uint32_t i = first; i < n->n_args; i++) linear[i - first] = is_linear(t, n, i);
    return linear;
}

/* A split region transposed into a new one, which has no outputs yet. It takes known operands, then the
 * cotangents that are there. all: the parameters' cotangents. */
static RegionBuild transpose_region(const Transpose *t, const Node *n, const Graph *g, const bool *linear,
                                    Ref *all)
{
    uint32_t first = n->n_args - g->n_params;
    RegionBuild to = region_begin(t->dst, g->name, (size_t)n->n_args + n->n_results, g->n_params);
    Ref *known = no_refs(t->dst->arena, g->n_params), *cts = no_refs(t->dst->arena, g->n_outputs);
    for (uint32_t i = 0; i < g->n_params; i++)
        if (!linear[i]) known[i] = region_take(&to, graph_type(g, g->params[i]), known_arg(t, n, first + i));
    region_count(&to);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (ct_of(t, n, i) != REF_NONE)
            cts[i] = region_take(&to, graph_type(g, g->outputs[i]), ct_of(t, n, i));
    transpose_inline(to.g, (LinearRegion){ g, linear, true, t->most }, known, cts, NULL, all);
    return to;
}

/* ---- case */

/* gives: by parameter: has it a cotangent in any branch? */
static const Graph *transpose_branch(const Transpose *t, const Node *n, const Graph *g, const bool *linear,
                                     const bool *gives, Ref **args)
{
    Ref *all = no_refs(t->dst->arena, g->n_params);
    RegionBuild to = transpose_region(t, n, g, linear, all);
    *args = to.args;
    for (uint32_t i = 0; i < g->n_params; i++)
        if (gives[i]) region_give(&to, build_or_zeros(to.g, all[i], graph_type(g, g->params[i])));
    return region_end(&to, t->dst);
}

bool transpose_case(const Transpose *t, const Node *n, Ref ct)
{
    (void)ct;
    Arena *a = t->dst->arena;
    if (is_linear(t, n, 0)) return not_linear(t, "a choice by a tangent");
    const bool *linear = linear_operands(t, n, 1);
    bool *gives = arena_alloc(a, n->n_args), *outputs = arena_alloc(a, n->n_results);
    const Graph **branches = arena_alloc(a, n->n_regions * sizeof *branches);
    Ref *args = NULL, *out = no_refs(a, n->n_args);
    for (uint32_t i = 0; i < n->n_results; i++) outputs[i] = ct_of(t, n, i) != REF_NONE;
    for (uint32_t k = 0; k < n->n_regions; k++) reach_back(a, n->regions[k], linear, outputs, gives);
    if (!memchr(gives, true, n->n_args)) return true;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(branches[k] = transpose_branch(t, n, n->regions[k], linear, gives, &args))) return false;
    if (!build_case(t->dst, known_arg(t, n, 0), branches, n->n_regions, args, branches[0]->n_params, out))
        return false;
    for (uint32_t i = 1, k = 0; i < n->n_args; i++)
        if (gives[i - 1]) give_ct(t, n, i, out[k++]);
    return true;
}

/* ---- checkpoint */

/* Known values and cotangents, all there before any of what follows is computed: so the known half is not the
 * one that the forward computation has done already, and is not done again before it is time. */
static bool behind_barrier(const Transpose *t, const RegionBuild *to)
{
    uint32_t n = to->g->n_params, n_known = to->n_counted;
    return n == 0 || n_known == 0 || n == n_known || build_barrier(t->dst, to->args, n, to->args);
}

/* The region's known half again, and its linear half transposed: a CHECKPOINT in turn, for derivatives of
 * derivatives. */
bool transpose_checkpoint(const Transpose *t, const Node *n, Ref ct)
{
    (void)ct;
    Arena *a = t->dst->arena;
    const bool *linear = linear_operands(t, n, 0);
    const Graph *split = split_graph(a, n->regions[0], linear, t->most, &t->dst->failure);
    if (!split) return false;
    Ref *all = no_refs(a, n->n_args), *out = no_refs(a, n->n_args);
    RegionBuild to = transpose_region(t, n, split, linear, all);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (all[i] != REF_NONE) region_give(&to, all[i]);
    const Graph *region = region_end(&to, t->dst);
    if (!region) return false;
    if (to.n_out && (!behind_barrier(t, &to) ||
                     !build_ruled(t->dst, OP_CHECKPOINT, 0, &region, 1, to.args, region->n_params, out)))
        return false;
    for (uint32_t i = 0, k = 0; i < n->n_args; i++)
        if (all[i] != REF_NONE) give_ct(t, n, i, out[k++]);
    return true;
}

/* ---- custom rules, barriers */

/* The node's region is its transpose. */
bool transpose_backward(const Transpose *t, const Node *n, Ref ct)
{
    (void)ct;
    uint32_t n_known = (uint32_t)n->attr[0];
    Ref *args = no_refs(t->dst->arena, (size_t)n_known + n->n_results),
        *out = no_refs(t->dst->arena, n->n_args);
    for (uint32_t i = 0; i < n_known; i++) {
        if (is_linear(t, n, i)) return not_linear(t, "a residual that depends on a tangent");
        args[i] = known_arg(t, n, i);
    }
    for (uint32_t i = 0; i < n->n_results; i++)
        args[n_known + i] = build_or_zeros(t->dst, ct_of(t, n, i), node_result(n, i));
    if (!graph_inline(t->dst, n->regions[0], args, out)) return false;
    for (uint32_t i = n_known; i < n->n_args; i++) give_ct(t, n, i, out[i - n_known]);
    return true;
}

bool transpose_barrier(const Transpose *t, const Node *n, Ref ct)
{
    (void)ct;
    Ref *args = no_refs(t->dst->arena, n->n_args), *out = no_refs(t->dst->arena, n->n_args);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (ct_of(t, n, i) != REF_NONE) args[count++] = ct_of(t, n, i);
    if (!build_barrier(t->dst, args, count, out)) return false;
    for (uint32_t i = 0, k = 0; i < n->n_args; i++)
        if (ct_of(t, n, i) != REF_NONE) give_ct(t, n, i, out[k++]);
    return true;
}
