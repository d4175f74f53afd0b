/* jvp_control.c: forward rules of ops with regions that run, of the user's own rules, and of what stands
 * between values.
 *
 * A region that is differentiated takes, behind each group of its parameters (invariants, carries, slices),
 * the tangents of those that are active, and gives the same way. Forward mode needs nothing of a loop: it
 * works for those whose number of steps nobody knows.
 */
#include "compiler/graph/foreign_op.h"
#include "compiler/vmap/vmap.h"
#include "jvp_rules.h"

/* How parameters, operands or results divide up. */
typedef struct ArgGroups {
    uint32_t n, size[3];
} ArgGroups;

/* ---- regions */

static void open_params(Graph *g, const Flow *m, ArgGroups in, Ref *args, Ref *dargs)
{
    for (uint32_t k = 0, first = 0; k < in.n; first += in.size[k++]) {
        for (uint32_t i = first; i < first + in.size[k]; i++)
            args[i] = build_param(g, graph_type(m->graph, m->graph->params[i]));
        for (uint32_t i = first; i < first + in.size[k]; i++)
            dargs[i] = m->node[m->graph->params[i]]
                           ? build_param(g, graph_type(m->graph, m->graph->params[i]))
                           : REF_NONE;
    }
}

static Ref *interleave(const Jvp *v, ArgGroups out, const bool *derived, const Ref *y, const Ref *dy,
                       uint32_t *n)
{
    uint32_t n_all = 0;
    for (uint32_t k = 0; k < out.n; k++) n_all += out.size[k];
    Ref *all = jvp_refs(v, 2 * (size_t)n_all);
    *n = 0;
    for (uint32_t k = 0, first = 0; k < out.n; first += out.size[k++]) {
        for (uint32_t i = first; i < first + out.size[k]; i++) all[(*n)++] = y[i];
        for (uint32_t i = first; i < first + out.size[k]; i++)
            if (derived[i]) all[(*n)++] = dy[i];
    }
    return all;
}

/* A region's failure is the graph's. */
static const Graph *close_region(const Jvp *v, Graph *region)
{
    if (region->failure.code == WEFT_OK) return region;
    return fail_as(&v->w.to->failure, &region->failure), NULL;
}

/* Which results give tangents: active ones that are needed, and all active carries. */
static bool *derived_results(const Jvp *v, const Node *n, uint32_t n_carry)
{
    bool *derived = arena_alloc(v->w.to->arena, n->n_results + 1);
    for (uint32_t i = 0; i < n->n_results; i++)
        derived[i] = flow_results(v->flow, n)[i] && (i < n_carry || result_needed(v, n, i));
    return derived;
}

/* derived: of the outputs. NULL: it cannot be. */
static const Graph *derive_region(const Jvp *v, const Flow *m, ArgGroups in, ArgGroups out,
                                  const bool *derived)
{
    const Graph *g = m->graph;
    Graph *region = graph_new(v->w.to->arena, g->name);
    Ref *args = jvp_refs(v, g->n_params), *dargs = jvp_refs(v, g->n_params), *y = jvp_refs(v, g->n_outputs),
        *dy = jvp_refs(v, g->n_outputs);
    open_params(region, m, in, args, dargs);
    if (jvp_inline(region, m, args, dargs, derived, y, dy)) {
        uint32_t n;
        for (uint32_t i = 0; i < g->n_outputs; i++)
            if (dy[i] == REF_NONE && derived[i]) dy[i] = build_zeros(region, graph_type(g, g->outputs[i]));
        Ref *all = interleave(v, out, derived, y, dy, &n);
        graph_set_outputs(region, all, n);
    }
    return close_region(v, region);
}

/* ---- operands and results */

/* The operands from `first` on with their tangents, as the region marked by m takes them; sizes of the groups
 * become what they are then. */
static Ref *operands(const Jvp *v, const Node *n, uint32_t first, const Flow *m, ArgGroups *in)
{
    uint32_t count = 0;
    Ref *all = jvp_refs(v, 2 * (size_t)n->n_args);
    for (uint32_t k = 0, from = 0; k < in->n; k++) {
        uint32_t size = in->size[k], before = count;
        for (uint32_t i = from; i < from + size; i++) all[count++] = arg(v, n, first + i);
        for (uint32_t i = from; i < from + size; i++)
            if (m->node[m->graph->params[i]]) all[count++] = jvp_darg_or_zeros(v, n, first + i);
        in->size[k] = count - before;
        from += size;
    }
    return all;
}

static Ref *room_for_results(const Jvp *v, const Node *n) { return jvp_refs(v, 2 * (size_t)n->n_results); }

static void results(ArgGroups out, const bool *derived, const Ref *all, Ref *y, Ref *dy)
{
    for (uint32_t k = 0, first = 0; k < out.n; first += out.size[k++]) {
        for (uint32_t i = first; i < first + out.size[k]; i++) y[i] = *all++;
        for (uint32_t i = first; i < first + out.size[k]; i++)
            if (derived[i]) dy[i] = *all++;
    }
}

/* ---- loops and branches */

void jvp_scan(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    ScanShape s = scan_shape(n->attr);
    const bool *derived = derived_results(v, n, s.n_carry);
    ArgGroups in = { 3, { s.n_invariant, s.n_carry, s.n_xs } },
              out = { 2, { s.n_carry, n->n_results - s.n_carry } };
    const Graph *body = derive_region(v, flow_region(v->flow, n, 0), in, out, derived);
    Ref *args = operands(v, n, 0, flow_region(v->flow, n, 0), &in), *all = room_for_results(v, n);
    s.n_invariant = in.size[0], s.n_carry = in.size[1], s.n_xs = in.size[2];
    if (body && build_scan(v->w.to, s, body, args, all)) results(out, derived, all, y, dy);
}

/* The condition takes tangents too, and does not look at them. */
static const Graph *derive_condition(const Jvp *v, const Graph *cond, const Flow *body, ArgGroups in)
{
    Graph *region = graph_new(v->w.to->arena, cond->name);
    Ref *args = jvp_refs(v, cond->n_params), *dargs = jvp_refs(v, cond->n_params), test;
    open_params(region, body, in, args, dargs);
    graph_inline(region, cond, args, &test);
    graph_set_outputs(region, &test, 1);
    return close_region(v, region);
}

void jvp_while(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    const bool *derived = derived_results(v, n, n->n_results);
    ArgGroups in = { 2, { (uint32_t)n->attr[0], n->n_results } }, out = { 1, { n->n_results } };
    const Graph *cond = derive_condition(v, n->regions[0], flow_region(v->flow, n, 1), in),
                *body = derive_region(v, flow_region(v->flow, n, 1), in, out, derived);
    Ref *args = operands(v, n, 0, flow_region(v->flow, n, 1), &in), *all = room_for_results(v, n);
    if (cond && body && build_while(v->w.to, cond, body, args, in.size[0], in.size[1], all))
        results(out, derived, all, y, dy);
}

void jvp_case(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    const bool *derived = derived_results(v, n, 0);
    ArgGroups in = { 1, { n->n_args - 1 } }, out = { 1, { n->n_results } };
    const Graph **branches = arena_alloc(v->w.to->arena, n->n_regions * sizeof *branches);
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(branches[k] = derive_region(v, flow_region(v->flow, n, k), in, out, derived))) return;
    Ref *args = operands(v, n, 1, flow_region(v->flow, n, 0), &in), *all = room_for_results(v, n);
    if (build_case(v->w.to, arg(v, n, 0), branches, n->n_regions, args, in.size[0], all))
        results(out, derived, all, y, dy);
}

void jvp_checkpoint(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    const bool *derived = derived_results(v, n, 0);
    ArgGroups in = { 1, { n->n_args } }, out = { 1, { n->n_results } };
    const Graph *region = derive_region(v, flow_region(v->flow, n, 0), in, out, derived);
    Ref *args = operands(v, n, 0, flow_region(v->flow, n, 0), &in), *all = room_for_results(v, n);
    if (region && build_ruled(v->w.to, OP_CHECKPOINT, 0, &region, 1, args, in.size[0], all))
        results(out, derived, all, y, dy);
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
    const Graph *region = n->regions[0];
    Type whole = node_type(n);
    int64_t size = type_count(whole),
            *axes = arena_alloc(a, (region->n_params + region->n_outputs + 1) * sizeof *axes);
    const Graph *mapped = vmap_graph(a, region, axes, size, axes, NULL, &v->w.to->failure);
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
    if (same) {
        build_results(v->w.to, jvp_same_op(v, n, rebuild_args(&v->w, n)), n->n_results, y);
        jvp_expanded(v, n, same, dy);
        return;
    }
    const bool *derived = derived_results(v, n, 0);
    ArgGroups in = { 1, { n->n_args } }, out = { 1, { n->n_results } };
    const Graph *region = derive_region(v, flow_region(v->flow, n, 0), in, out, derived);
    Ref *args = operands(v, n, 0, flow_region(v->flow, n, 0), &in), *all = room_for_results(v, n);
    if (region && build_map(v->w.to, args, in.size[0], node_type(n), region, all))
        results(out, derived, all, y, dy);
}

/* ---- the user's own rules */

/* Behind the values `all` holds, a tangent for each operand of a float type. Returns how many there are
 * then. */
static uint32_t add_tangents(const Jvp *v, const Node *n, uint32_t first, Ref *all, uint32_t count)
{
    for (uint32_t i = first; i < n->n_args; i++)
        if (dtype_is_float((DType)arg_type(v, n, i).dtype)) all[count++] = jvp_darg_or_zeros(v, n, i);
    return count;
}

static void take_tangents(const Node *n, const Ref *all, Ref *dy)
{
    for (uint32_t i = 0; i < n->n_results; i++)
        if (dtype_is_float((DType)node_result(n, i).dtype)) dy[i] = *all++;
}

void jvp_custom_jvp(const Jvp *v, const Node *n, Ref *y, Ref *dy)
{
    Ref *all = jvp_refs(v, 2 * (size_t)n->n_args), *out = jvp_refs(v, n->regions[1]->n_outputs);
    for (uint32_t i = 0; i < n->n_args; i++) all[i] = arg(v, n, i);
    add_tangents(v, n, 0, all, n->n_args);
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
    uint32_t count = add_tangents(v, n, 0, out + n->n_results, n_kept);
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
