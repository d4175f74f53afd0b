/* jacobian.c: see jacobian.h. */
#include "jacobian.h"
#include "compiler/derive/jvp/jvp.h"
#include "vjp.h"
#include <string.h>

/* The shape of one behind that of the other. False: too many axes, f set. */
static bool joined(Type a, Type b, int64_t *dim, Failure *f)
{
    char x[160], y[160];
    if (a.rank + b.rank > WEFT_MAX_RANK)
        return fail(f, WEFT_SHAPE, "the derivative of %s by %s has more than %d axes",
                    type_text(x, sizeof x, a), type_text(y, sizeof y, b), WEFT_MAX_RANK);
    if (a.rank) memcpy(dim, a.dim, a.rank * sizeof *dim);
    if (b.rank) memcpy(dim + a.rank, b.dim, b.rank * sizeof *dim);
    return true;
}

/* All directions of t, [elements of t, t's axes]: the identity. A number has one, 1. */
static Ref basis(Graph *g, Type t)
{
    if (t.rank == 0) return build_number(g, (DType)t.dtype, 1);
    int64_t n = type_count(t), square[2] = { n, n };
    Type index = { WEFT_I64, 2, square };
    Ref eye = build_convert(g, build_compare(g, CMP_EQ, build_iota(g, index, 0), build_iota(g, index, 1)),
                            (DType)t.dtype);
    Type all = type_stacked(g->arena, t, n);
    return build_reshape(g, eye, all.dim, all.rank);
}

/* g's parameters in a new graph; refs has room for one more. */
static Graph *begin(Arena *a, const Graph *g, Ref *refs)
{
    Graph *j = graph_new(a, g->name);
    for (uint32_t i = 0; i < g->n_params; i++) refs[i] = build_param(j, graph_type(g, g->params[i]));
    j->param_names = graph_copy_names(a, g);
    return j;
}

/* d is g and n more outputs, with one more parameter, a direction of type t: mapped over all directions.
 * axis: where that lies in the outputs that are more. */
static bool in_all_directions(Graph *j, const Graph *g, const Graph *d, Type t, const int64_t *axis,
                              Ref *refs, Ref *outputs, const VmapCaller *caller, Failure *f)
{
    Arena *a = j->arena;
    int64_t *in = arena_alloc(a, d->n_params * sizeof *in), *out = arena_alloc(a, d->n_outputs * sizeof *out);
    for (uint32_t i = 0; i < d->n_params; i++) in[i] = i < g->n_params ? VMAP_NONE : 0;
    for (uint32_t i = 0; i < d->n_outputs; i++)
        out[i] = i < g->n_outputs ? VMAP_NONE : axis[i - g->n_outputs];
    const Graph *mapped = t.rank ? vmap_graph(a, d, in, type_count(t), out, caller, f) : d;
    if (!mapped) return false;
    refs[g->n_params] = basis(j, t);
    return graph_inline(j, mapped, refs, outputs) || fail_as(f, &j->failure);
}

static uint32_t count(const bool *of, uint32_t n)
{
    uint32_t some = 0;
    for (uint32_t i = 0; i < n; i++) some += of[i];
    return some;
}

Graph *jacrev_graph(Arena *a, const Graph *g, uint32_t output, const bool *active, size_t most,
                    const VmapCaller *caller, Failure *f)
{
    Ref *refs = graph_refs(a, g->n_params),
        *outputs = arena_alloc(a, (g->n_outputs + g->n_params) * sizeof *outputs);
    int64_t *axis = arena_alloc(a, (g->n_params + 1) * sizeof *axis), dim[WEFT_MAX_RANK];
    bool *given = arena_alloc(a, g->n_outputs);
    Type t = graph_type(g, g->outputs[output]);
    given[output] = true;
    for (uint32_t i = 0; i < g->n_params; i++)
        if (active[i] && !joined(t, graph_type(g, g->params[i]), dim, f)) return NULL;
    const Graph *d = vjp_graph(a, g, active, given, most, f);
    Graph *j = begin(a, g, refs);
    if (!d || !in_all_directions(j, g, d, t, axis, refs, outputs, caller, f)) return NULL;
    Ref *row = outputs + g->n_outputs;
    for (uint32_t i = 0; i < g->n_params; i++) {
        if (!active[i]) continue;
        Type by = graph_type(g, g->params[i]);
        joined(t, by, dim, f);
        *row = build_reshape(j, *row, dim, t.rank + by.rank);
        row++;
    }
    graph_set_outputs(j, outputs, d->n_outputs);
    return j;
}

/* g's outputs, and the derivatives of the wanted ones by parameter p alone: derivative[k * stride] is that of
 * the k-th. */
static bool columns(Graph *j, const Graph *g, uint32_t p, const bool *want, Ref *refs, Ref *primal,
                    Ref *derivative, uint32_t stride, const VmapCaller *caller, Failure *f)
{
    Arena *a = j->arena;
    uint32_t n = g->n_outputs, k = 0;
    bool *active = arena_alloc(a, g->n_params);
    int64_t *axis = arena_alloc(a, (n + 1) * sizeof *axis), dim[WEFT_MAX_RANK];
    Ref *all = arena_alloc(a, 2 * (size_t)n * sizeof *all);
    Type by = graph_type(g, g->params[p]);
    active[p] = true;
    for (uint32_t o = 0; o < n; o++) {
        if (!want[o]) continue;
        if (!joined(graph_type(g, g->outputs[o]), by, dim, f)) return false;
        axis[k++] = graph_type(g, g->outputs[o]).rank;
    }
    const Graph *d = jvp_graph(a, g, active, want, f);
    if (!d || !in_all_directions(j, g, d, by, axis, refs, all, caller, f)) return false;
    k = 0;
    for (uint32_t o = 0; o < n; o++) {
        Type t = graph_type(g, g->outputs[o]);
        primal[o] = all[o];
        if (!want[o]) continue;
        joined(t, by, dim, f);
        derivative[k * stride] = build_reshape(j, all[n + k], dim, t.rank + by.rank);
        k++;
    }
    return true;
}

Graph *jacfwd_graph(Arena *a, const Graph *g, const bool *active, const bool *want, const VmapCaller *caller,
                    Failure *f)
{
    uint32_t n_active = count(active, g->n_params), n_want = count(want, g->n_outputs), by = 0;
    Ref *refs = graph_refs(a, g->n_params),
        *outputs = graph_refs(a, g->n_outputs + (size_t)n_want * n_active);
    Graph *j = begin(a, g, refs);
    for (uint32_t p = 0; p < g->n_params; p++)
        if (active[p] &&
            !columns(j, g, p, want, refs, outputs, outputs + g->n_outputs + by++, n_active, caller, f))
            return NULL;
    graph_set_outputs(j, outputs, g->n_outputs + n_want * n_active);
    return j;
}
