/* vmap_control.c: batching rules of ops with regions that run some number of times.
 *
 * What a region is handed is mapped or not as the marks say, so only what depends on the batch is computed
 * for each example. A CASE that examples decide differently becomes all branches and a select. A WHILE that
 * examples leave at different times goes on until the last has left:
 *   a program of scalars   becomes a MAP over the batch with the scalar WHILE in its region, so that each
 *                          lane runs the loop of one example;
 *   any other              carries, beside its values, the predicate of each example; where that is false,
 *                          values stay what they were.
 * Either way, examples are computed too whose values nobody wants, and for those a WHILE further inside
 * might never end. Vmap.active says which examples count.
 */
#include "compiler/passes/expand/expand.h"
#include "vmap_rules.h"

/* ---- regions being built */

/* v for the inside of a new region of the same arena: its graph gets parameters next. */
static Vmap open_region(const Vmap *v, const Graph *like)
{
    Graph *region = graph_new(v->w.to->arena, like->name);
    return (Vmap){
        .w = { .from = like, .to = region }, .caller = v->caller, .size = v->size, .active = REF_NONE
    };
}

static Ref param_like(Graph *region, const Graph *g, Ref r) { return build_param(region, graph_type(g, r)); }

/* Parameters first..first + n of the marked graph, with the batch axis where they are mapped. */
static void open_params(const Vmap *in, const Flow *m, uint32_t first, uint32_t n, Ref *args)
{
    for (uint32_t i = first; i < first + n; i++) {
        Ref p = m->graph->params[i];
        Type t = graph_type(m->graph, p);
        args[i] = build_param(in->w.to, m->node[p] ? vmap_type(in, t) : t);
    }
}

/* The region's failure is the graph's. */
static bool close_region(const Vmap *v, const Vmap *in, bool ok, const Ref *out, uint32_t n)
{
    if (in->w.to->failure.code != WEFT_OK) fail_as(&v->w.to->failure, &in->w.to->failure);
    if (ok) graph_set_outputs(in->w.to, out, n);
    return ok;
}

static Ref *refs(const Vmap *v, uint32_t n) { return graph_refs(v->w.to->arena, (size_t)n); }

Graph *vmap_region(const Vmap *v, const Flow *m, bool guarded, const bool *want)
{
    const Graph *g = m->graph;
    Vmap in = open_region(v, g);
    Ref *args = refs(v, g->n_params), *out = refs(v, g->n_outputs);
    if (guarded) in.active = param_like(in.w.to, v->w.to, v->active);
    open_params(&in, m, 0, g->n_params, args);
    return close_region(v, &in, vmap_inline(&in, m, args, want, out), out, g->n_outputs) ? in.w.to : NULL;
}

/* Does any example count? */
static Ref any_of(Graph *g, Ref flags)
{
    if (flags == REF_NONE || graph_node(g, flags)->rank == 0) return flags;
    return build_reduce(g, OP_OR, flags, (int64_t[]){ 0 }, 1);
}

static Ref and_active(const Vmap *v, Ref flags)
{
    return v->active == REF_NONE ? flags : build_binary(v->w.to, OP_AND, flags, v->active);
}

/* ---- scan, and what all examples take alike */

/* Operands of a loop: carries that become mapped get the batch axis. */
static Ref *loop_args(const Vmap *v, const Node *n, uint32_t n_invariant, uint32_t n_carry, Ref *args)
{
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool carry = i >= n_invariant && i - n_invariant < n_carry;
        args[i] = carry && flow_results(v->flow, n)[i - n_invariant] ? vmap_batched(v, n, i) : arg(v, n, i);
    }
    return args;
}

/* What runs as often for the whole batch as for one example: the same op over mapped regions. SCAN slices
 * axis 0 of what it is given, and stacks along it, so there the batch is axis 1. */
bool vmap_regions(const Vmap *v, const Node *n, Ref *out)
{
    ScanShape s = control_shape(n);
    bool guarded = vmap_guarded(v, n), behind = n->op == OP_CASE;
    const bool *mapped = flow_results(v->flow, n);
    const Graph **regions = arena_alloc(v->w.to->arena, n->n_regions * sizeof *regions);
    Ref *all = refs(v, n->n_args + 1), *args = loop_args(v, n, s.n_invariant, s.n_carry, all + 1) + behind;
    for (uint32_t i = s.n_invariant + s.n_carry; i < n->n_args - behind; i++)
        if (arg_mapped(v, n, i)) args[i] = build_move_axis(v->w.to, args[i], 0, 1);
    if (guarded) *--args = v->active;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(regions[k] = vmap_region(v, flow_region(v->flow, n, k), guarded, mapped))) return false;
    s.n_invariant += guarded;
    if (!build_control(v->w.to, n, s, behind ? arg(v, n, 0) : REF_NONE, regions, args, out)) return false;
    for (uint32_t i = s.n_carry; n->op == OP_SCAN && i < n->n_results; i++)
        if (mapped[i]) out[i] = build_move_axis(v->w.to, out[i], 1, 0);
    return true;
}

/* ---- while */

/* A predicate that all examples share. With examples that do not count: `go`, does any, then `active` are
 * invariants in front. */
static bool map_shared_while(const Vmap *v, const Node *n, Ref *out)
{
    const Flow *cond = flow_region(v->flow, n, 0), *body = flow_region(v->flow, n, 1);
    uint32_t front = v->active == REF_NONE ? 0 : 2, n_invariant = (uint32_t)n->attr[0];
    Vmap in_cond = open_region(v, cond->graph), in_body = open_region(v, body->graph);
    Ref *args = refs(v, n->n_args + front), *params = refs(v, n->n_args), *next = refs(v, n->n_results),
        go = REF_NONE, test;
    if (front) {
        args[0] = any_of(v->w.to, v->active);
        args[1] = v->active;
        go = build_param(in_cond.w.to, type_scalar(WEFT_BOOL));
        in_cond.active = param_like(in_cond.w.to, v->w.to, v->active);
        build_param(in_body.w.to, type_scalar(WEFT_BOOL));
        in_body.active = param_like(in_body.w.to, v->w.to, v->active);
    }
    loop_args(v, n, n_invariant, n->n_results, args + front);
    open_params(&in_cond, cond, 0, n->n_args, params);
    bool ok = vmap_inline(&in_cond, cond, params, NULL, &test);
    if (ok && front) test = build_binary(in_cond.w.to, OP_AND, test, go);
    if (!close_region(v, &in_cond, ok, &test, 1)) return false;
    open_params(&in_body, body, 0, n->n_args, params);
    if (!close_region(v, &in_body, vmap_inline(&in_body, body, params, flow_results(v->flow, n), next), next,
                      n->n_results))
        return false;
    return build_while(v->w.to, in_cond.w.to, in_body.w.to, args, n_invariant + front, n->n_results, out);
}

/* A predicate of each example, but not of scalars alone: it is one more carry, the first. cond: does any go
 * on? body: a step for all, kept by those that do. */
static const Graph *masked_cond(const Vmap *v, const Flow *m, uint32_t n_invariant)
{
    Vmap in = open_region(v, m->graph);
    Ref *args = refs(v, m->graph->n_params);
    open_params(&in, m, 0, n_invariant, args);
    Ref test = any_of(in.w.to, build_param(in.w.to, (Type){ WEFT_BOOL, 1, &v->size }));
    open_params(&in, m, n_invariant, m->graph->n_params - n_invariant, args);
    return close_region(v, &in, test != REF_NONE, &test, 1) ? in.w.to : NULL;
}

/* Where an example has ended, its old value. Carries that are not mapped never change. */
static Ref keep_ended(const Vmap *in, const Flow *body, uint32_t i, Ref next, Ref old)
{
    const Graph *g = body->graph;
    return build_select(in->w.to, vmap_spread(in, in->active, graph_type(g, g->outputs[i])), next, old);
}

static const Graph *masked_body(const Vmap *v, const Node *n)
{
    const Flow *cond = flow_region(v->flow, n, 0), *body = flow_region(v->flow, n, 1);
    uint32_t n_invariant = (uint32_t)n->attr[0];
    Vmap in = open_region(v, body->graph);
    Ref *args = refs(v, n->n_args), *next = refs(v, n->n_results + 1), going;
    open_params(&in, body, 0, n_invariant, args);
    in.active = build_param(in.w.to, (Type){ WEFT_BOOL, 1, &v->size });
    open_params(&in, body, n_invariant, n->n_results, args);
    bool ok = vmap_inline(&in, body, args, flow_results(v->flow, n), next + 1);
    for (uint32_t i = 0; ok && i < n->n_results; i++) {
        Ref *carry = &args[n_invariant + i];
        if (flow_results(v->flow, n)[i]) next[1 + i] = keep_ended(&in, body, i, next[1 + i], *carry);
        *carry = next[1 + i];
        ok = *carry != REF_NONE;
    }
    ok = ok && vmap_inline(&in, cond, args, NULL, &going);
    if (ok) next[0] = and_active(&in, going);
    return close_region(v, &in, ok && next[0] != REF_NONE, next, n->n_results + 1) ? in.w.to : NULL;
}

static bool map_masked_while(const Vmap *v, const Node *n, Ref *out)
{
    uint32_t n_invariant = (uint32_t)n->attr[0];
    Ref *start = loop_args(v, n, n_invariant, n->n_results, refs(v, n->n_args)),
        *args = refs(v, n->n_args + 1), *results = refs(v, n->n_results + 1), going;
    const Graph *cond = masked_cond(v, flow_region(v->flow, n, 0), n_invariant), *body = masked_body(v, n);
    if (!cond || !body || !vmap_inline(v, flow_region(v->flow, n, 0), start, NULL, &going)) return false;
    memcpy(args, start, n_invariant * sizeof *args);
    args[n_invariant] = and_active(v, going);
    memcpy(args + n_invariant + 1, start + n_invariant, n->n_results * sizeof *args);
    if (!build_while(v->w.to, cond, body, args, n_invariant, n->n_results + 1, results)) return false;
    memcpy(out, results + 1, n->n_results * sizeof *out);
    return true;
}

/* ---- programs of scalars */

/* A batching rule of the user's is no program of scalars: it must see the batch. */
static bool is_scalar_program(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        if (n->op == OP_CUSTOM_VMAP) return false;
        if (op_kind((Op)n->op) != OPKIND_CONTROL && !op_is_ew((Op)n->op) && n->op != OP_PARAMETER &&
            n->op != OP_CONSTANT && n->op != OP_RESULT)
            return false;
        for (uint32_t i = 0; i < n->n_results; i++)
            if (node_result(n, i).rank) return false;
        for (uint32_t i = 0; i < n->n_regions; i++)
            if (!is_scalar_program(n->regions[i])) return false;
    }
    return true;
}

/* A region of a scalar WHILE with one more invariant in front: does the example count? The condition is false
 * where it does not. */
static const Graph *guard_region(Arena *a, const Graph *region, bool is_condition)
{
    Graph *g = graph_new(a, region->name);
    Ref *args = graph_refs(a, region->n_params), *out = graph_refs(a, region->n_outputs);
    Ref active = build_param(g, type_scalar(WEFT_BOOL));
    for (uint32_t i = 0; i < region->n_params; i++) args[i] = param_like(g, region, region->params[i]);
    graph_inline(g, region, args, out);
    if (is_condition) out[0] = build_binary(g, OP_AND, out[0], active);
    graph_set_outputs(g, out, region->n_outputs);
    return g;
}

/* A scalar that the region can hold itself. */
static bool is_constant(const Vmap *v, const Node *n, uint32_t i)
{
    return !arg_mapped(v, n, i) && graph_node(v->w.to, arg(v, n, i))->op == OP_CONSTANT;
}

/* WHILE of scalars with a predicate of each example  ==>  MAP over the batch of the same WHILE */
static bool map_scalar_while(const Vmap *v, const Node *n, Ref *out)
{
    Arena *a = v->w.to->arena;
    bool guarded = v->active != REF_NONE;
    const Graph *cond = guarded ? guard_region(a, n->regions[0], true) : n->regions[0],
                *body = guarded ? guard_region(a, n->regions[1], false) : n->regions[1];
    RegionBuild one = region_begin(v->w.to, NULL, n->n_args + 1u, n->n_results);
    Ref *args = refs(v, n->n_args + 1);
    uint32_t n_args = 0;
    if (guarded)
        args[n_args++] =
            region_take(&one, type_scalar(WEFT_BOOL),
                        graph_node(v->w.to, v->active)->rank ? v->active : vmap_repeat(v, v->active, 0));
    for (uint32_t i = 0; i < n->n_args; i++) {
        const Node *c = graph_node(v->w.to, arg(v, n, i));
        args[n_args++] = is_constant(v, n, i)
                             ? build_constant(one.g, node_type(c), c->data)
                             : region_take(&one, graph_type(v->w.from, n->args[i]), vmap_batched(v, n, i));
    }
    build_while(one.g, cond, body, args, (uint32_t)n->attr[0] + guarded, n->n_results, one.out);
    one.n_out = n->n_results;
    const Graph *g = region_end(&one, v->w.to);
    if (!g || !build_map(v->w.to, one.args, g->n_params, (Type){ WEFT_BOOL, 1, &v->size }, g, out))
        return false;
    for (uint32_t i = 0; i < n->n_results; i++)
        if (!flow_result(v->flow, n, i)) out[i] = arg(v, n, (uint32_t)n->attr[0] + i); /* it never changes */
    return true;
}

bool vmap_while(const Vmap *v, const Node *n, Ref *out)
{
    const Flow *cond = flow_region(v->flow, n, 0);
    if (!flow_output(cond, 0)) return map_shared_while(v, n, out);
    return is_scalar_program(n->regions[0]) && is_scalar_program(n->regions[1]) ? map_scalar_while(v, n, out)
                                                                                : map_masked_while(v, n, out);
}

/* ---- case */

/* Which examples take branch k: the last takes what is out of range, and negative numbers are large ones. */
static Ref takes_branch(const Vmap *v, const Node *n, uint32_t k)
{
    Graph *g = v->w.to;
    Ref index = arg(v, n, 0);
    bool last = k + 1 == n->n_regions;
    if (last) index = build_bitcast(g, index, WEFT_U32);
    Ref number = build_splat(g, (Type){ last ? WEFT_U32 : WEFT_I32, 1, &v->size }, k);
    return build_compare(g, last ? CMP_GE : CMP_EQ, index, number);
}

/* An index of each example: all branches, and of each result the one that the example takes. */
static bool map_decided_case(const Vmap *v, const Node *n, Ref *out)
{
    Ref *args = refs(v, n->n_args), *branch = refs(v, n->n_results);
    for (uint32_t i = 1; i < n->n_args; i++) args[i - 1] = arg(v, n, i);
    for (uint32_t k = n->n_regions; k-- > 0;) {
        Vmap one = *v;
        Ref taken = takes_branch(v, n, k);
        one.active = graph_holds(n->regions[k], OP_WHILE, false) ? and_active(v, taken) : REF_NONE;
        if (!vmap_inline(&one, flow_region(v->flow, n, k), args, flow_results(v->flow, n), branch))
            return false;
        for (uint32_t i = 0; i < n->n_results; i++)
            out[i] = k + 1 == n->n_regions
                         ? branch[i]
                         : build_select(v->w.to, vmap_spread(v, taken, node_result(n, i)), branch[i], out[i]);
    }
    for (uint32_t i = 0; i < n->n_results; i++)
        if (out[i] == REF_NONE) return false;
    return true;
}

bool vmap_case(const Vmap *v, const Node *n, Ref *out)
{
    return arg_mapped(v, n, 0) ? map_decided_case(v, n, out) : vmap_regions(v, n, out);
}

/* ---- map */

/* The flags for a value of this shape, with the batch axis or without. */
static Ref flags_for(const Vmap *v, Type shape, bool mapped)
{
    Graph *g = v->w.to;
    if (mapped && graph_node(g, v->active)->rank) return vmap_spread(v, v->active, shape);
    Type whole = mapped ? vmap_type(v, shape) : shape;
    return whole.rank ? build_broadcast(g, any_of(g, v->active), whole.dim, whole.rank, NULL)
                      : any_of(g, v->active);
}

bool vmap_map(const Vmap *v, const Node *n, Ref *out)
{
    bool mapped = v->flow->node[n - v->w.from->nodes], guarded = vmap_guarded(v, n);
    Ref *all = refs(v, n->n_args);
    const Graph *region = n->regions[0];
    Type shape = node_type(n);
    for (uint32_t i = 0; i < n->n_args; i++) all[i + guarded] = mapped ? vmap_batched(v, n, i) : arg(v, n, i);
    if (guarded) {
        Arena *a = v->w.to->arena;
        const Flow *none = flow_from(a, region, &vmap_flow, arena_alloc(a, region->n_params + 1u));
        Vmap scalar = *v;
        all[0] = flags_for(v, shape, mapped);
        scalar.active = any_of(v->w.to, v->active);
        if (!(region = vmap_region(&scalar, none, true, NULL))) return false;
    }
    return build_map(v->w.to, all, n->n_args + guarded, mapped ? vmap_type(v, shape) : shape, region, out);
}

/* ---- ops without a rule of their own */

bool vmap_expanded(const Vmap *v, const Node *n, Ref *out)
{
    Graph *alone = graph_new(v->w.to->arena, NULL);
    bool *mapped = arena_alloc(v->w.to->arena, n->n_args + 1),
         *want = arena_alloc(v->w.to->arena, n->n_results + 1);
    Ref *params = refs(v, n->n_args), *args = refs(v, n->n_args), *results = refs(v, n->n_results);
    for (uint32_t i = 0; i < n->n_args; i++) {
        params[i] = param_like(alone, v->w.from, n->args[i]);
        args[i] = arg(v, n, i);
        mapped[i] = arg_mapped(v, n, i);
    }
    if (!expand_node(alone, n, params, results)) return false;
    graph_set_outputs(alone, results, n->n_results);
    const Flow *m = flow_from(v->w.to->arena, alone, &vmap_flow, mapped);
    for (uint32_t i = 0; i < n->n_results; i++) want[i] = flow_result(v->flow, n, i);
    return vmap_inline(v, m, args, want, out);
}

bool vmap_by_scan(const Vmap *v, const Node *n, Ref *out)
{
    RegionBuild body = region_begin(v->w.to, NULL, n->n_args, n->n_results);
    Ref *args = refs(v, n->n_args);
    ScanShape s = { .length = v->size, .unroll = 1 };
    for (int mapped = 0; mapped < 2; mapped++) {
        for (uint32_t i = 0; i < n->n_args; i++)
            if (arg_mapped(v, n, i) == mapped)
                args[i] = region_take(&body, graph_type(v->w.from, n->args[i]), arg(v, n, i));
        *(mapped ? &s.n_xs : &s.n_invariant) = region_count(&body);
    }
    NodeSpec spec = node_spec(n);
    spec.args = args;
    build_results(body.g, graph_add(body.g, &spec), body.n_out = n->n_results, body.out);
    const Graph *region = region_end(&body, v->w.to);
    return region && build_scan(v->w.to, s, region, body.args, out);
}
