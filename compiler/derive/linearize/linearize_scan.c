/* linearize_scan.c: a SCAN of values and tangents becomes a known scan and a linear one.
 *
 * The body is split and cut. What the linear body needs of the known one reaches it
 *   as an invariant, where it is the same in each step: an invariant, or what is computed from invariants
 *   alone, which is computed before the loop; as an input that is there already: one of the known scan's
 *   inputs, or one of its stacked outputs; a carry, where what it becomes is stacked: the same one step
 *   later; else as an input that the known scan stacks for it: a residual.
 */
#include "linearize_split.h"

typedef struct ScanHalves {
    const Split *s;
    const Node *n;
    ScanShape shape;
    const Graph *body;  /* split */
    const bool *linear; /* by its node */
    const bool *steady; /* by its node: known, and the same in each step */
    GraphCut cut;
    bool *linked;     /* by carry: what it becomes is stacked, and so it is not */
    Ref *results;     /* of the known scan: known carries, known ys, residuals */
    uint32_t n_known; /* of these before the residuals */
} ScanHalves;

static Arena *arena_of(const ScanHalves *h) { return h->s->w.to->arena; }
static Ref *refs(const ScanHalves *h, size_t n) { return graph_refs(arena_of(h), n); }
static bool param_linear(const ScanHalves *h, uint32_t i) { return h->linear[h->body->params[i]]; }
static bool output_linear(const ScanHalves *h, uint32_t i) { return flow_results(h->s->flow, h->n)[i]; }

enum { INVARIANTS, CARRIES, INPUTS };
static uint32_t first_of(const ScanHalves *h, int role)
{
    return role == INVARIANTS ? 0
           : role == CARRIES  ? h->shape.n_invariant
           : role == INPUTS   ? h->shape.n_invariant + h->shape.n_carry
                              : h->n->n_args;
}

static const bool *find_steady(const ScanHalves *h)
{
    bool *steady = steady_nodes(arena_of(h), h->body, h->shape.n_invariant);
    for (Ref r = 0; r < h->body->n_nodes; r++) steady[r] = steady[r] && !h->linear[r];
    return steady;
}

static bool is_made_anywhere(const Node *n)
{
    return n->op == OP_BROADCAST || n->op == OP_CONSTANT || n->op == OP_IOTA;
}

/* What the linear body has for nothing. */
static const bool *find_given(const ScanHalves *h)
{
    const Graph *g = h->body;
    bool *given = arena_alloc(arena_of(h), g->n_nodes + 1);
    for (Ref r = 0; r < g->n_nodes; r++)
        given[r] = h->steady[r] && !is_made_anywhere(&g->nodes[r]) && g->nodes[r].n_results == 1;
    for (uint32_t i = first_of(h, INPUTS); i < g->n_params; i++) given[g->params[i]] = !param_linear(h, i);
    for (uint32_t i = h->shape.n_carry; i < g->n_outputs; i++) {
        const Node *y = &g->nodes[g->outputs[i]];
        if (!output_linear(h, i) && !is_made_anywhere(y)) given[g->outputs[i]] = true;
    }
    return given;
}

/* Does the known scan stack it? */
static bool is_stacked(const ScanHalves *h, Ref r)
{
    if (r == REF_NONE || h->shape.length == 0 || h->steady[r] || h->body->nodes[r].op == OP_PARAMETER)
        return false;
    return h->cut.how[r] == CUT_KEEP || h->cut.how[r] == CUT_GIVEN;
}

/* A carry is what was given for it in the step before: if that is stacked, it is not stacked again. */
static void link_carries(ScanHalves *h)
{
    uint32_t n = 0;
    h->linked = arena_alloc(arena_of(h), h->shape.n_carry + 1);
    for (uint32_t i = 0; i < h->cut.n_kept; i++) {
        const Node *p = &h->body->nodes[h->cut.kept[i]];
        int64_t carry = p->op == OP_PARAMETER ? p->attr[0] - h->shape.n_invariant : -1;
        Ref next = carry >= 0 && carry < h->shape.n_carry ? h->body->outputs[carry] : REF_NONE;
        if (is_stacked(h, next)) h->cut.how[h->cut.kept[i]] = CUT_GIVEN, h->linked[carry] = true;
        else h->cut.kept[n++] = h->cut.kept[i];
    }
    h->cut.n_kept = n;
}

/* ---- the known scan */

static bool check_residuals(const ScanHalves *h)
{
    int64_t bytes = 0, all;
    for (uint32_t i = 0; i < h->cut.n_kept; i++) {
        Type t = graph_type(h->body, h->cut.kept[i]);
        if (__builtin_add_overflow(bytes, type_count(t) * (int64_t)dtype_bytes((DType)t.dtype), &bytes))
            bytes = INT64_MAX;
    }
    if (__builtin_mul_overflow(bytes, h->shape.length, &all)) all = INT64_MAX;
    if (h->s->most == 0 || (uint64_t)all <= h->s->most) return true;
    return fail(
        &h->s->w.to->failure, WEFT_MEMORY,
        "%lld steps of %lld bytes to be kept for the way back make %lld bytes, more than the limit of %lld; "
        "weft_scan with "
        ".checkpoint = k keeps the carries of every k-th step only, weft_checkpoint what a function is given",
        (long long)h->shape.length, (long long)bytes, (long long)all, (long long)h->s->most);
}

/* Parameters of one kind of a half, and their operands. */
static void take_operands(const ScanHalves *h, RegionBuild *half, int role, bool linear, Ref *map)
{
    for (uint32_t i = first_of(h, role); i < first_of(h, role + 1); i++)
        if (param_linear(h, i) == linear)
            map[h->body->params[i]] =
                region_take(half, graph_type(h->body, h->body->params[i]), rebuild_arg(&h->s->w, h->n, i));
}

static bool known_scan(ScanHalves *h)
{
    const Graph *g = h->body;
    RegionBuild half = region_begin(h->s->w.to, g->name, h->n->n_args, (size_t)g->n_outputs + h->cut.n_kept);
    Ref *map = refs(h, g->n_nodes);
    ScanShape shape = h->shape;
    take_operands(h, &half, INVARIANTS, false, map);
    shape.n_invariant = region_count(&half);
    take_operands(h, &half, CARRIES, false, map);
    shape.n_carry = region_count(&half);
    take_operands(h, &half, INPUTS, false, map);
    shape.n_xs = region_count(&half);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (!output_linear(h, i)) region_give(&half, g->outputs[i]);
    h->n_known = half.n_out;
    for (uint32_t i = 0; i < h->cut.n_kept; i++) region_give(&half, h->cut.kept[i]);
    copy_known(half.g, g, map, half.out, half.n_out);
    for (uint32_t i = 0; i < half.n_out; i++) half.out[i] = map[half.out[i]];
    h->results = refs(h, half.n_out);
    const Graph *region = region_end(&half, h->s->w.to);
    return region && build_scan(h->s->w.to, shape, region, half.args, h->results);
}

/* ---- the linear scan */

/* Values that are the same in each step, computed before it. */
static Ref *steady_values(const ScanHalves *h)
{
    const Graph *g = h->body;
    Ref *map = refs(h, g->n_nodes), *wanted = refs(h, g->n_nodes);
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->shape.n_invariant; i++) map[g->params[i]] = rebuild_arg(&h->s->w, h->n, i);
    for (Ref r = 0; r < g->n_nodes; r++)
        if (h->cut.how[r] == CUT_GIVEN && h->steady[r]) wanted[n++] = r;
    copy_known(h->s->w.to, g, map, wanted, n);
    return map;
}

/* The stacked values of a carry, from its start and what it became. */
static Ref one_step_later(const ScanHalves *h, Ref start, Ref stacked)
{
    Graph *g = h->s->w.to;
    if (start == REF_NONE || stacked == REF_NONE) return REF_NONE;
    Type t = graph_type(g, stacked), one = type_stacked(g->arena, type_unstacked(t), 1);
    bool back = h->shape.reverse;
    Ref first = build_reshape(g, start, one.dim, one.rank),
        others = build_slice_along(g, stacked, 0, back, t.dim[0] - !back, 1);
    return build_concatenate(g, (Ref[]){ back ? others : first, back ? first : others }, 2, 0);
}

/* Where each value is stacked that is given or kept, and not steady. */
static Ref *stacked_values(const ScanHalves *h)
{
    const Graph *g = h->body;
    Ref *at = refs(h, g->n_nodes);
    uint32_t known = 0;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        if (output_linear(h, i)) continue;
        if (i >= h->shape.n_carry) at[g->outputs[i]] = h->results[known];
        known++;
    }
    for (uint32_t i = first_of(h, INPUTS); i < g->n_params; i++)
        at[g->params[i]] = rebuild_arg(&h->s->w, h->n, i);
    for (uint32_t i = 0; i < h->cut.n_kept; i++) at[h->cut.kept[i]] = h->results[h->n_known + i];
    for (uint32_t i = 0, first = first_of(h, CARRIES); i < h->shape.n_carry; i++)
        if (h->linked[i])
            at[g->params[first + i]] =
                one_step_later(h, rebuild_arg(&h->s->w, h->n, first + i), at[g->outputs[i]]);
    return at;
}

/* Parameters for known values, steady ones or stacked ones. */
static void take_known(const ScanHalves *h, RegionBuild *half, bool steady, const Ref *at, Ref *map)
{
    for (Ref r = 0; r < h->body->n_nodes; r++)
        if ((h->cut.how[r] == CUT_GIVEN || h->cut.how[r] == CUT_KEEP) && h->steady[r] == steady)
            map[r] = region_take(half, graph_type(h->body, r), at[r]);
}

static bool linear_scan(const ScanHalves *h, Ref *results)
{
    const Graph *g = h->body;
    RegionBuild half = region_begin(h->s->w.to, g->name, (size_t)g->n_nodes + h->n->n_args, g->n_outputs);
    Ref *map = refs(h, g->n_nodes), *wanted = refs(h, g->n_outputs);
    ScanShape shape = h->shape;
    take_known(h, &half, true, steady_values(h), map);
    take_operands(h, &half, INVARIANTS, true, map);
    shape.n_invariant = region_count(&half);
    take_operands(h, &half, CARRIES, true, map);
    shape.n_carry = region_count(&half);
    take_known(h, &half, false, stacked_values(h), map);
    take_operands(h, &half, INPUTS, true, map);
    shape.n_xs = region_count(&half);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (output_linear(h, i)) wanted[half.n_out++] = g->outputs[i];
    copy_linear(half.g, &h->cut, true, map, wanted, half.n_out, half.out);
    const Graph *region = region_end(&half, h->s->w.to);
    return region && build_scan(h->s->w.to, shape, region, half.args, results);
}

bool split_scan(const Split *s, const Node *n, Ref *out)
{
    ScanHalves h = { .s = s, .n = n, .shape = scan_shape(n->attr) };
    if (h.shape.checkpoint > 0) return scan_in_chunks(s, n, out);
    if (!(h.body = split_of_region(s, flow_region(s->flow, n, 0)))) return false;
    bool *params = arena_alloc(arena_of(&h), n->n_args + 1);
    for (uint32_t i = 0; i < n->n_args; i++)
        params[i] = flow_region(s->flow, n, 0)->node[n->regions[0]->params[i]];
    h.linear = linear_nodes(arena_of(&h), h.body, params);
    h.steady = find_steady(&h);
    h.cut = cut_graph(arena_of(&h), h.body, h.linear, find_given(&h));
    link_carries(&h);
    Ref *results = refs(&h, n->n_results);
    if (!check_residuals(&h) || !known_scan(&h) || !linear_scan(&h, results)) return false;
    for (uint32_t i = 0, known = 0, linear = 0; i < n->n_results; i++)
        out[i] = output_linear(&h, i) ? results[linear++] : h.results[known++];
    return true;
}
