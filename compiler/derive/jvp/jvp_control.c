/* jvp_control.c: forward rules of ops with regions that run, of the user's own rules, and of what stands
 * between values.
 *
 * A region that is differentiated takes, behind each group of its parameters (invariants, carries, slices),
 * the tangents of those that are active; its outputs are grouped in the same way. Forward mode asks nothing
 * of a loop: nobody need know the number of steps.
 */
#include "compiler/graph/foreign_op.h"
#include "compiler/vmap/vmap.h"
#include "jvp_rules.h"

/* ---- regions */

/* Which results give tangents: active ones that are needed, and all active carries. */
static bool *derived_results(const Jvp *v, const Node *n, uint32_t n_carry)
{
    bool *derived = arena_alloc(v->w.to->arena, n->n_results + 1);
    for (uint32_t i = 0; i < n->n_results; i++)
        derived[i] = flow_results(v->flow, n)[i] && (i < n_carry || result_needed(v, n, i));
    return derived;
}

/* Parameters and operands of a region that m marks; sizes of the groups become what they are then. */
static void open_params(const Jvp *v, const Node *n, const Flow *m, RegionBuild *region, ScanShape *s,
                        Ref *args, Ref *dargs)
{
    uint32_t *size[] = { &s->n_invariant, &s->n_carry, &s->n_xs }, behind = n->op == OP_CASE;
    for (uint32_t k = 0, first = 0, end; k < 3; k++, first = end) {
        end = first + *size[k];
        for (uint32_t i = first; i < end; i++)
            args[i] = region_take(region, graph_type(m->graph, m->graph->params[i]), arg(v, n, behind + i));
        for (uint32_t i = first; i < end; i++)
            dargs[i] = m->node[m->graph->params[i]]
                           ? region_take(region, graph_type(m->graph, m->graph->params[i]),
                                         jvp_darg_or_zeros(v, n, behind + i))
                           : REF_NONE;
        *size[k] = region_count(region);
    }
}

/* Carries with their tangents, then the other outputs with theirs. */
static void give_outputs(RegionBuild *region, const Graph *g, uint32_t n_carry, const bool *derived,
                         const Ref *y, const Ref *dy)
{
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t first = k ? n_carry : 0, end = k ? g->n_outputs : n_carry;
        for (uint32_t i = first; i < end; i++) region_give(region, y[i]);
        for (uint32_t i = first; i < end; i++)
            if (derived[i])
                region_give(region, build_or_zeros(region->g, dy[i], graph_type(g, g->outputs[i])));
    }
}

static void take_results(uint32_t n, uint32_t n_carry, const bool *derived, const Ref *all, Ref *y, Ref *dy)
{
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t first = k ? n_carry : 0, end = k ? n : n_carry;
        for (uint32_t i = first; i < end; i++) y[i] = *all++;
        for (uint32_t i = first; i < end; i++)
            if (derived[i]) dy[i] = *all++;
    }
}

/* Region k and its operands; s: how the node's divide up, and then these. A loop's condition takes the body's
 * tangents too, and does not look at them. NULL: it cannot be. */
static const Graph *derive_region(const Jvp *v, const Node *n, uint32_t k, const bool *derived, ScanShape *s,
                                  Ref **operands)
{
    const Graph *g = n->regions[k];
    const Flow *m = flow_region(v->flow, n, n->op == OP_WHILE ? 1 : k);
    uint32_t n_carry = s->n_carry;
    RegionBuild region = region_begin(v->w.to, g->name, 2 * (size_t)g->n_params, 2 * (size_t)g->n_outputs);
    Ref *args = jvp_refs(v, g->n_params), *dargs = jvp_refs(v, g->n_params), *y = jvp_refs(v, g->n_outputs),
        *dy = jvp_refs(v, g->n_outputs);
    open_params(v, n, m, &region, s, args, dargs);
    *operands = region.args;
    if (m->graph != g) graph_inline(region.g, g, args, &region.out[region.n_out++]);
    else if (jvp_inline(region.g, m, args, dargs, derived, y, dy))
        give_outputs(&region, g, n_carry, derived, y, dy);
    return region_end(&region, v->w.to);
}

/* ---- loops and branches */

void jvp_regions(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    ScanShape groups = control_shape(n), s = groups;
    const bool *derived = derived_results(v, n, groups.n_carry);
    const Graph **regions = arena_alloc(v->w.to->arena, n->n_regions * sizeof *regions);
    Ref *args = NULL, *all = jvp_refs(v, 2 * (size_t)n->n_results);
    for (uint32_t k = 0; k < n->n_regions; k++) {
        s = groups;
        if (!(regions[k] = derive_region(v, n, k, derived, &s, &args))) return;
    }
    if (build_control(v->w.to, n, s, n->op == OP_CASE ? arg(v, n, 0) : REF_NONE, regions, args, all))
        take_results(n->n_results, groups.n_carry, derived, all, y, dy);
}

/* ---- programs of scalars */

static bool has_loops(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++)
        if (g->nodes[r].op == OP_MAP || g->nodes[r].op == OP_WHILE) return true;
    return false;
}

/* The MAP as ops over whole arrays; NULL where its scalars run loops, which only a MAP runs for each
 * element. */
static const Graph *as_arrays(const Jvp *v, const Node *n)
{
    Arena *a = v->w.to->arena;
    Type whole = node_type(n);
    int64_t size = type_count(whole);
    const Graph *mapped = vmap_leading(a, n->regions[0], size, &v->w.to->failure);
    if (!mapped || has_loops(mapped)) return NULL;
    Graph *g = graph_new(a, NULL);
    Ref *args = jvp_refs(v, n->n_args), *out = jvp_refs(v, n->n_results);
    for (uint32_t i = 0; i < n->n_args; i++)
        args[i] = build_reshape(g, build_param(g, arg_type(v, n, i)), &size, 1);
    graph_inline(g, mapped, args, out);
    for (uint32_t i = 0; i < n->n_results; i++) out[i] = build_reshape(g, out[i], whole.dim, whole.rank);
    graph_set_outputs(g, out, n->n_results);
    return g;
}

void jvp_map(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    const Graph *same = as_arrays(v, n);
    if (v->w.to->failure.code != WEFT_OK) return;
    if (!same) {
        jvp_regions(v, n, y, dy);
        return;
    }
    build_results(v->w.to, jvp_same_op(v, n, rebuild_args(&v->w, n)), n->n_results, y);
    jvp_expanded(v, n, same, dy);
}

/* ---- the user's own rules */

/* Behind the values `all` holds, a tangent for each operand of a float type. Returns how many there are
 * then. */
static uint32_t add_tangents(const Jvp *v, const Node *n, Ref *all, uint32_t count)
{
    for (uint32_t i = 0; i < n->n_args; i++)
        if (dtype_is_inexact((DType)arg_type(v, n, i).dtype)) all[count++] = jvp_darg_or_zeros(v, n, i);
    return count;
}

static void take_tangents(const Node *n, const Ref *all, Ref *dy)
{
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_inexact((DType)node_result(n, i).dtype)) dy[i] = *all++;
}

void jvp_custom_jvp(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *all = jvp_refs(v, 2 * (size_t)n->n_args), *out = jvp_refs(v, n->regions[1]->n_outputs);
    for (uint32_t i = 0; i < n->n_args; i++) all[i] = arg(v, n, i);
    add_tangents(v, n, all, n->n_args);
    if (!graph_inline(v->w.to, n->regions[1], all, out)) return;
    memcpy(y, out, n->n_results * sizeof *y);
    take_tangents(n, out + n->n_results, dy);
}

/* The forward rule, and the map whose transpose is the backward rule over its residuals. */
void jvp_custom_vjp(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    const Graph *forward = n->regions[1];
    uint32_t n_kept = forward->n_outputs - n->n_results;
    Ref *out = jvp_refs(v, (size_t)forward->n_outputs + n->n_args), *tangents = jvp_refs(v, n->n_results);
    if (!graph_inline(v->w.to, forward, rebuild_args(&v->w, n), out)) return;
    memcpy(y, out, n->n_results * sizeof *y);
    uint32_t count = add_tangents(v, n, out + n->n_results, n_kept);
    if (build_backward(v->w.to, n->regions[2], out + n->n_results, n_kept, count - n_kept, tangents))
        take_tangents(n, tangents, dy);
}

void jvp_custom_vmap(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *dargs = jvp_refs(v, n->n_args);
    for (uint32_t i = 0; i < n->n_args; i++) dargs[i] = darg(v, n, i);
    jvp_inline(v->w.to, flow_region(v->flow, n, 0), rebuild_args(&v->w, n), dargs, derived_results(v, n, 0),
               y, dy);
}

/* Linear in its tangents. */
void jvp_backward(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *args = jvp_refs(v, n->n_args);
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool known = i < n->attr[0];
        if (known && darg(v, n, i) != REF_NONE) {
            fail(&v->w.to->failure, WEFT_ARGUMENT,
                 "forward mode over forward mode of a custom_vjp has no second derivative; use "
                 "reverse mode for the inner one, or a custom_jvp");
            return;
        }
        args[i] = known ? arg(v, n, i) : jvp_darg_or_zeros(v, n, i);
    }
    build_results(v->w.to, jvp_same_op(v, n, args), n->n_results, dy);
    build_results(v->w.to, jvp_same_op(v, n, rebuild_args(&v->w, n)), n->n_results, y);
}

/* ---- others */

void jvp_foreign(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    (void)y, (void)dy;
    fail(&v->w.to->failure, WEFT_ARGUMENT,
         "%s is a C function, whose derivative nobody knows: wrap it by weft_custom_jvp or "
         "weft_custom_vjp, or its operands by weft_stop_gradient",
         foreign_op(n->attr)->name);
}

void jvp_barrier(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *all = jvp_refs(v, 2 * (size_t)n->n_args), *out = jvp_refs(v, 2 * (size_t)n->n_args);
    uint32_t count = n->n_args;
    for (uint32_t i = 0; i < n->n_args; i++) all[i] = arg(v, n, i);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (darg(v, n, i) != REF_NONE) all[count++] = darg(v, n, i);
    build_barrier(v->w.to, all, count, out);
    memcpy(y, out, n->n_args * sizeof *y);
    for (uint32_t i = 0, at = n->n_args; i < n->n_args; i++)
        if (darg(v, n, i) != REF_NONE) dy[i] = out[at++];
}
