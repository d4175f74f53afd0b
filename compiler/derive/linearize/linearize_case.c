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
static bool output_linear(const CaseHalves *h, uint32_t i) { return split_results(h->s, h->n)[i]; }
/* of parameter i */
static bool arg_linear(const CaseHalves *h, uint32_t i) { return split_arg_linear(h->s, h->n, i + 1); }
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
    if (!(b->g = split_of_region(h->s, split_region(h->s, h->n, k)))) return false;
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

/* known operands -> known results, places */
static const Graph *known_branch(const CaseHalves *h, const Branch *b)
{
    const Graph *g = b->g;
    Graph *half = graph_new(arena_of(h), g->name);
    Ref *map = refs(h, g->n_nodes), *wanted = refs(h, (size_t)g->n_outputs + b->cut.n_kept),
        *out = refs(h, (size_t)g->n_outputs + h->n_places);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_params(h); i++)
        if (!arg_linear(h, i)) map[g->params[i]] = build_param(half, graph_type(g, g->params[i]));
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (!output_linear(h, i)) wanted[n++] = g->outputs[i];
    memcpy(wanted + n, b->cut.kept, b->cut.n_kept * sizeof *wanted);
    copy_known(half, g, map, wanted, n + b->cut.n_kept);
    for (uint32_t i = 0; i < n; i++) out[i] = map[wanted[i]];
    for (uint32_t i = 0; i < h->n_places; i++) out[n + i] = build_zeros(half, h->place[i]);
    for (uint32_t i = 0; i < b->cut.n_kept; i++) out[n + b->place[i]] = map[b->cut.kept[i]];
    graph_set_outputs(half, out, n + h->n_places);
    return half;
}

/* known operands that are needed, places, linear operands -> linear results */
static const Graph *linear_branch(const CaseHalves *h, const Branch *b)
{
    const Graph *g = b->g;
    Graph *half = graph_new(arena_of(h), g->name);
    Ref *map = refs(h, g->n_nodes), *place = refs(h, h->n_places), *wanted = refs(h, g->n_outputs),
        *out = refs(h, g->n_outputs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_params(h); i++)
        if (h->needed[i]) map[g->params[i]] = build_param(half, graph_type(g, g->params[i]));
    for (uint32_t i = 0; i < h->n_places; i++) place[i] = build_param(half, h->place[i]);
    for (uint32_t i = 0; i < b->cut.n_kept; i++) map[b->cut.kept[i]] = place[b->place[i]];
    for (uint32_t i = 0; i < n_params(h); i++)
        if (arg_linear(h, i)) map[g->params[i]] = build_param(half, graph_type(g, g->params[i]));
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (output_linear(h, i)) wanted[n++] = g->outputs[i];
    if (!copy_linear(half, &b->cut, true, map, wanted, n, out))
        return fail_as(&h->s->w.to->failure, &half->failure), NULL;
    graph_set_outputs(half, out, n);
    return half;
}

/* Operands that are `linear` or not; of known ones, if `few`, only those that are needed. */
static uint32_t put_args(const CaseHalves *h, bool linear, bool few, Ref *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_params(h); i++)
        if (arg_linear(h, i) == linear && (!few || h->needed[i])) to[n++] = split_arg(h->s, h->n, i + 1);
    return n;
}

bool split_case(const Split *s, const Node *n, Ref *out)
{
    CaseHalves h = { .s = s,
                     .n = n,
                     .branch = arena_alloc(s->w.to->arena, n->n_regions * sizeof(Branch)),
                     .needed = arena_alloc(s->w.to->arena, n->n_args + 1) };
    const Graph **known = arena_alloc(arena_of(&h), n->n_regions * sizeof *known),
                **linear = arena_alloc(arena_of(&h), n->n_regions * sizeof *linear);
    if (split_arg_linear(s, n, 0))
        return fail(&s->w.to->failure, WEFT_ARGUMENT, "a choice by a tangent is not linear");
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!cut_branch(&h, k)) return false;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(known[k] = known_branch(&h, &h.branch[k])) || !(linear[k] = linear_branch(&h, &h.branch[k])))
            return false;
    Ref *args = refs(&h, n->n_args + (size_t)h.n_places),
        *results = refs(&h, n->n_results + (size_t)h.n_places), *tangents = refs(&h, n->n_results);
    Ref index = split_arg(s, n, 0);
    if (!build_case(s->w.to, index, known, n->n_regions, args, put_args(&h, false, false, args), results))
        return false;
    uint32_t n_args = put_args(&h, false, true, args), n_known = known[0]->n_outputs - h.n_places;
    memcpy(args + n_args, results + n_known, h.n_places * sizeof *args);
    n_args += h.n_places;
    n_args += put_args(&h, true, false, args + n_args);
    if (!build_case(s->w.to, index, linear, n->n_regions, args, n_args, tangents)) return false;
    for (uint32_t i = 0, k = 0, t = 0; i < n->n_results; i++)
        out[i] = output_linear(&h, i) ? tangents[t++] : results[k++];
    return true;
}
