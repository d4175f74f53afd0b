/* layouts.c: see layouts.h. */
#include "layouts.h"

/* The graph's axis k is axis where[k] of what lies in memory, whose axis k is the graph's axis[k]. */
typedef struct Order {
    int64_t axis[WEFT_MAX_RANK], where[WEFT_MAX_RANK];
} Order;

static Order order_of(const int64_t *fastest_first, int rank)
{
    Order o = { .axis = { 0 } };
    for (int k = 0; k < rank; k++) {
        o.axis[k] = fastest_first[rank - 1 - k];
        o.where[o.axis[k]] = k;
    }
    return o;
}

static Ref take(Graph *to, Type t, const int64_t *layout)
{
    if (!layout) return build_param(to, t);
    Order o = order_of(layout, t.rank);
    int64_t dim[WEFT_MAX_RANK];
    for (int k = 0; k < t.rank; k++) dim[k] = t.dim[o.axis[k]];
    return build_transpose(to, build_param(to, (Type){ t.dtype, t.rank, dim }), o.where);
}

static Ref give(Graph *to, Ref r, const int64_t *layout)
{
    if (!layout || r == REF_NONE) return r;
    Order o = order_of(layout, graph_type(to, r).rank);
    return build_transpose(to, r, o.axis);
}

static bool all_row_major(const int64_t *const *layout, uint32_t n)
{
    bool all = true;
    for (uint32_t i = 0; i < n; i++) all &= !layout[i];
    return all;
}

const Graph *layouts_apply(Arena *a, const Graph *g, const int64_t *const *in, const int64_t *const *out,
                           Failure *f)
{
    if (all_row_major(in, g->n_params) && all_row_major(out, g->n_outputs)) return g;
    Graph *to = graph_new(a, g->name);
    Ref *args = graph_refs(a, g->n_params), *outputs = graph_refs(a, g->n_outputs);
    for (uint32_t i = 0; i < g->n_params; i++) args[i] = take(to, graph_type(g, g->params[i]), in[i]);
    graph_inline(to, g, args, outputs);
    for (uint32_t i = 0; i < g->n_outputs; i++) outputs[i] = give(to, outputs[i], out[i]);
    graph_name_params(to, g);
    graph_set_outputs(to, outputs, g->n_outputs);
    if (to->failure.code == WEFT_OK) return graph_compact(a, to);
    *f = to->failure;
    return NULL;
}
