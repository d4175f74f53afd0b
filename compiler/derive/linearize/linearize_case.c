/* linearize_case.c: a CASE over values and tangents becomes a known one and a linear one, by the same index.
 *
 * Only one branch runs, so the residuals of different branches share places: place number j of a type is
 * residual number j of that type in each branch, and zeros in branches that have fewer. Known operands are
 * the linear one's too, as far as it needs them.
 */
#include "linearize_split.h"

/* place: of each residual */
typedef struct Branch {
    const Graph *g;
    const bool *linear;
    GraphCut cut;
    uint32_t *place;
} Branch;

typedef struct CaseHalves {
    const Split *s;
    const Node *n;
    Branch *branch;
    Type *place;
    uint32_t n_places, cap_places;
    bool *needed; /* known operands that a linear branch needs, by parameter */
} CaseHalves;

static Arena *arena_of(const CaseHalves *h) { return h->s->w.to->arena; }
static Ref *refs(const CaseHalves *h, size_t n) { return graph_refs(arena_of(h), n); }
static bool output_linear(const CaseHalves *h, uint32_t i) { return flow_results(h->s->flow, h->n)[i]; }
/* of parameter i */
static bool arg_linear(const CaseHalves *h, uint32_t i) { return flow_arg(h->s->flow, h->n, i + 1); }
static uint32_t n_params(const CaseHalves *h) { return h->n->n_args - 1; }

/* The first place of this type that the branch does not use yet. */
static uint32_t take_place(CaseHalves *h, bool *used, Type t)
{
    uint32_t i = 0;
    while (i < h->n_places && (used[i] || !type_equal(h->place[i], t))) i++;
    if (i == h->n_places) {
        h->place =
            arena_grow(arena_of(h), h->place, h->n_places, &h->cap_places, h->n_places + 1, sizeof *h->place);
        h->place[h->n_places++] = t;
    }
    used[i] = true;
    return i;
}

static bool cut_branch(CaseHalves *h, uint32_t k)
{
    Arena *a = arena_of(h);
    Branch *b = &h->branch[k];
    if (!(b->g = split_of_region(h->s, flow_region(h->s->flow, h->n, k)))) return false;
    bool *linear = arena_alloc(a, n_params(h) + 1u), *given = arena_alloc(a, b->g->n_nodes + 1), *used;
    for (uint32_t i = 0; i < n_params(h); i++)
        linear[i] = arg_linear(h, i), given[b->g->params[i]] = !linear[i];
    b->linear = linear_nodes(a, b->g, linear);
    b->cut = cut_graph(a, b->g, b->linear, given);
    b->place = arena_alloc(a, (b->cut.n_kept + 1) * sizeof *b->place);
    used = arena_alloc(a, (size_t)h->n_places + b->cut.n_kept + 1);
    for (uint32_t i = 0; i < b->cut.n_kept; i++)
        b->place[i] = take_place(h, used, graph_type(b->g, b->cut.kept[i]));
    for (uint32_t i = 0; i < n_params(h); i++) h->needed[i] |= b->cut.how[b->g->params[i]] == CUT_GIVEN;
    return true;
}

/* Parameters and operands that are `linear` or not; of known ones, if `few`, only those that are needed. */
static void take_operands(const CaseHalves *h, RegionBuild *half, const Graph *g, bool linear, bool few,
                          Ref *map)
{
    for (uint32_t i = 0; i < n_params(h); i++)
        if (arg_linear(h, i) == linear && (!few || h->needed[i]))
            map[g->params[i]] =
                region_take(half, graph_type(g, g->params[i]), rebuild_arg(&h->s->w, h->n, i + 1));
}

/* known operands -> known results, places */
static const Graph *known_branch(const CaseHalves *h, const Branch *b, Ref **args)
{
    const Graph *g = b->g;
    RegionBuild half = region_begin(h->s->w.to, g->name, n_params(h), (size_t)g->n_outputs + h->n_places);
    Ref *map = refs(h, g->n_nodes), *wanted = refs(h, (size_t)g->n_outputs + b->cut.n_kept);
    uint32_t n = 0;
    *args = half.args;
    take_operands(h, &half, g, false, false, map);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (!output_linear(h, i)) wanted[n++] = g->outputs[i];
    memcpy(wanted + n, b->cut.kept, b->cut.n_kept * sizeof *wanted);
    copy_known(half.g, g, map, wanted, n + b->cut.n_kept);
    for (uint32_t i = 0; i < n; i++) region_give(&half, map[wanted[i]]);
    for (uint32_t i = 0; i < h->n_places; i++) region_give(&half, build_zeros(half.g, h->place[i]));
    for (uint32_t i = 0; i < b->cut.n_kept; i++) half.out[n + b->place[i]] = map[b->cut.kept[i]];
    return region_end(&half, h->s->w.to);
}

/* known operands that are needed, places, linear operands -> linear results */
static const Graph *linear_branch(const CaseHalves *h, const Branch *b, const Ref *places, Ref **args)
{
    const Graph *g = b->g;
    RegionBuild half = region_begin(h->s->w.to, g->name, n_params(h) + (size_t)h->n_places, g->n_outputs);
    Ref *map = refs(h, g->n_nodes), *place = refs(h, h->n_places), *wanted = refs(h, g->n_outputs);
    *args = half.args;
    take_operands(h, &half, g, false, true, map);
    for (uint32_t i = 0; i < h->n_places; i++) place[i] = region_take(&half, h->place[i], places[i]);
    for (uint32_t i = 0; i < b->cut.n_kept; i++) map[b->cut.kept[i]] = place[b->place[i]];
    take_operands(h, &half, g, true, false, map);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (output_linear(h, i)) wanted[half.n_out++] = g->outputs[i];
    copy_linear(half.g, &b->cut, true, map, wanted, half.n_out, half.out);
    return region_end(&half, h->s->w.to);
}

bool split_case(const Split *s, const Node *n, Ref *out)
{
    CaseHalves h = { .s = s,
                     .n = n,
                     .branch = arena_alloc(s->w.to->arena, n->n_regions * sizeof(Branch)),
                     .needed = arena_alloc(s->w.to->arena, n->n_args + 1) };
    const Graph **half = arena_alloc(arena_of(&h), n->n_regions * sizeof *half);
    if (flow_arg(s->flow, n, 0))
        return fail(&s->w.to->failure, WEFT_ARGUMENT, "a choice by a tangent is not linear");
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!cut_branch(&h, k)) return false;
    Ref *args = NULL, *results = refs(&h, n->n_results + (size_t)h.n_places),
        *tangents = refs(&h, n->n_results), index = rebuild_arg(&s->w, n, 0);
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(half[k] = known_branch(&h, &h.branch[k], &args))) return false;
    if (!build_case(s->w.to, index, half, n->n_regions, args, half[0]->n_params, results)) return false;
    const Ref *places = results + half[0]->n_outputs - h.n_places;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(half[k] = linear_branch(&h, &h.branch[k], places, &args))) return false;
    if (!build_case(s->w.to, index, half, n->n_regions, args, half[0]->n_params, tangents)) return false;
    for (uint32_t i = 0, k = 0, t = 0; i < n->n_results; i++)
        out[i] = output_linear(&h, i) ? tangents[t++] : results[k++];
    return true;
}
