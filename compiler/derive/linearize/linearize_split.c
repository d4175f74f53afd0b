/* linearize_split.c: partial evaluation: a graph in which nodes mix known and linear values becomes one in
 * which none does.
 *
 * Only ops with regions mix. Each becomes two: one gives the known results and, as further results, the
 * residuals; the other takes those and the tangents. SCAN and CASE have files of their own. Of a CHECKPOINT
 * the linear one keeps the operands as its residuals and its whole region, known half and all: that is
 * computed again where the linear one is. A MAP is written out over arrays; a rule around a linear function
 * is left away.
 */
#include "compiler/vmap/vmap.h"
#include "linearize_split.h"

/* ---- regions */

static bool split_at(void *, Ref, Ref *);

static bool split_whole(Split *s, const Ref *args, Ref *out)
{
    const Graph *g = s->w.from;
    for (uint32_t i = 0; i < g->n_params; i++) s->w.map[g->params[i]] = args[i];
    return rebuild_nodes(&s->w, split_at, s) && rebuild_outputs(&s->w, out);
}

bool split_inline(const Split *outer, const Flow *flow, const Ref *args, Ref *out)
{
    Split s = { rebuild_open(flow->graph, outer->w.to), flow, outer->most };
    return split_whole(&s, args, out);
}

/* A new graph of the marked one's parameters and outputs; its failure says if it could not be. */
static Graph *split_new(Arena *a, const Flow *flow, size_t most)
{
    const Graph *g = flow->graph;
    Graph *dst = graph_new(a, g->name);
    Ref *args = graph_refs(a, g->n_params), *out = graph_refs(a, g->n_outputs);
    for (uint32_t i = 0; i < g->n_params; i++) args[i] = build_param(dst, graph_type(g, g->params[i]));
    Split s = { rebuild_open(g, dst), flow, most };
    if (split_whole(&s, args, out)) graph_set_outputs(dst, out, g->n_outputs);
    return dst;
}

Graph *split_of_region(const Split *s, const Flow *flow)
{
    Graph *region = split_new(s->w.to->arena, flow, s->most);
    if (region->failure.code == WEFT_OK) return region;
    return fail_as(&s->w.to->failure, &region->failure), NULL;
}

/* ---- checkpoints */

/* A region that gives some outputs only takes the parameters that they need. */
static void take_reached(const Split *s, const Node *n, const Graph *g, RegionBuild *region)
{
    const bool *reached = graph_reached(s->w.to->arena, g);
    Ref *params = graph_refs(s->w.to->arena, g->n_params);
    for (uint32_t i = 0; i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        params[i] = reached[g->params[i]] ? region_take(region, t, rebuild_arg(&s->w, n, i))
                                          : build_zeros(region->g, t);
    }
    graph_inline(region->g, g, params, region->out);
    region->n_out = g->n_outputs;
}

/* The results for which linear[i] is `wanted`, by a CHECKPOINT of a region that gives just those. */
static bool checkpoint_of(const Split *s, const Node *n, const Graph *whole, bool wanted, Ref *out)
{
    const bool *linear = flow_results(s->flow, n);
    RegionBuild to = region_begin(s->w.to, whole->name, n->n_args, n->n_results);
    Ref *results = graph_refs(s->w.to->arena, n->n_results);
    Graph part = *whole;
    part.outputs = graph_refs(s->w.to->arena, n->n_results);
    part.n_outputs = 0;
    for (uint32_t i = 0; i < n->n_results; i++)
        if (linear[i] == wanted) part.outputs[part.n_outputs++] = whole->outputs[i];
    if (part.n_outputs == 0) return true;
    take_reached(s, n, &part, &to);
    const Graph *region = region_end(&to, s->w.to);
    if (!region || !build_ruled(s->w.to, OP_CHECKPOINT, 0, &region, 1, to.args, region->n_params, results))
        return false;
    for (uint32_t i = 0, k = 0; i < n->n_results; i++)
        if (linear[i] == wanted) out[i] = results[k++];
    return true;
}

static bool split_checkpoint(const Split *s, const Node *n, Ref *out)
{
    const Graph *apart = split_of_region(s, flow_region(s->flow, n, 0));
    return apart && checkpoint_of(s, n, apart, false, out) && checkpoint_of(s, n, n->regions[0], true, out);
}

/* ---- map, rules, barriers, loops without an end */

static bool refuse_while(const Split *s)
{
    return fail(&s->w.to->failure, WEFT_ARGUMENT,
                "reverse mode needs to know how many steps a loop takes. A loop that counts: weft_fori with "
                ".count, weft_scan, or a "
                "weft_while that begins at a constant (weft_zeros, not weft_scalar) and ends at one; any "
                "loop: forward mode, weft_jvp");
}

/* The MAP's region over whole arrays. */
static const Graph *mapped_over(const Split *s, const Graph *region, const Node *n)
{
    for (int i = n->rank; region && i-- > 0;)
        region = vmap_leading(s->w.to->arena, region, n->dim[i], &s->w.to->failure);
    return region;
}

/* The region over given operands, its marks those of the operands. */
static bool split_called(const Split *s, const Node *n, const Graph *region, Ref *out)
{
    const bool *linear = flow_args(s->flow, n, 0);
    return split_inline(s, flow_from(s->w.to->arena, region, &linear_flow, linear), rebuild_args(&s->w, n),
                        out);
}

/* An op with rules becomes what it computes. */
static bool split_primal(const Split *s, const Node *n, Ref *out)
{
    return split_called(s, n, n->regions[0], out);
}

static bool split_map(const Split *s, const Node *n, Ref *out)
{
    if (graph_holds(n->regions[0], OP_WHILE, false)) return refuse_while(s);
    const Graph *arrays = mapped_over(s, n->regions[0], n);
    return arrays && split_called(s, n, arrays, out);
}

/* A WHILE may be handed tangents that none of its results depends on: it gets zeros for them. */
static bool split_while(const Split *s, const Node *n, Ref *out)
{
    Ref *args = arena_alloc(s->w.to->arena, n->n_args * sizeof *args);
    for (uint32_t i = 0; i < n->n_results; i++)
        if (flow_results(s->flow, n)[i]) return refuse_while(s);
    for (uint32_t i = 0; i < n->n_args; i++)
        args[i] = flow_arg(s->flow, n, i) ? build_zeros(s->w.to, graph_type(s->w.from, n->args[i]))
                                          : rebuild_arg(&s->w, n, i);
    return build_while(s->w.to, n->regions[0], n->regions[1], args, (uint32_t)n->attr[0], n->n_results, out);
}

static bool split_barrier(const Split *s, const Node *n, Ref *out)
{
    Ref *args = arena_alloc(s->w.to->arena, n->n_args * sizeof *args),
        *results = arena_alloc(s->w.to->arena, n->n_args * sizeof *results);
    for (int linear = 0; linear < 2; linear++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < n->n_args; i++)
            if (flow_arg(s->flow, n, i) == linear) args[count++] = rebuild_arg(&s->w, n, i);
        if (count && !build_barrier(s->w.to, args, count, results)) return false;
        for (uint32_t i = n->n_args; i-- > 0;)
            if (flow_arg(s->flow, n, i) == linear) out[i] = results[--count];
    }
    return true;
}

/* ---- the walk */

#define split_custom_jvp  split_primal
#define split_custom_vjp  split_primal
#define split_custom_vmap split_primal
#define split_backward    NULL /* linear as a whole */

static SplitRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)
#define OP(NAME, text, args, kind, rule, ...) IF_CONTROL(kind, [OP_##NAME] = split_##rule, )
#include "compiler/graph/ops.def"
};

/* Its rule, if the node mixes known and linear values. */
static SplitRule *rule_of(const Split *s, const Node *n)
{
    SplitRule *rule = n->op == OP_BARRIER ? split_barrier : rules[n->op];
    for (uint32_t i = 0; rule && i < n->n_args; i++)
        if (flow_arg(s->flow, n, i)) return rule;
    return NULL;
}

static bool split_at(void *user, Ref r, Ref *out)
{
    const Split *s = user;
    const Node *n = graph_node(s->w.from, r);
    SplitRule *rule = rule_of(s, n);
    bool ok = rule ? rule(s, n, out) : rebuild_copy(&s->w, r, out);
    return (ok && s->w.to->failure.code == WEFT_OK) || rebuild_refuse(&s->w, r, "the reverse of", "");
}

Graph *split_graph(Arena *a, const Graph *g, const bool *linear_params, size_t most, Failure *f)
{
    Graph *split = split_new(a, flow_from(a, g, &linear_flow, linear_params), most);
    if (split->failure.code == WEFT_OK) return split;
    return fail_as(f, &split->failure), NULL;
}
