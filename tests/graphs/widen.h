/* widen.h: a graph again with f64 wherever it has floats, in its regions too: what central differences can be
 * taken of. */
#ifndef WEFT_TESTS_WIDEN_H
#define WEFT_TESTS_WIDEN_H
#include "compiler/graph/graph.h"

static inline uint8_t wider(uint8_t t) { return dtype_is_float((DType)t) ? WEFT_F64 : t; }

static inline const void *widened_data(Arena *a, const Node *n)
{
    int64_t count = n->attr[0] ? 1 : type_count(node_type(n));
    char *p = arena_alloc(a, (size_t)count * 8 + 16);
    size_t from = dtype_bytes((DType)n->dtype), to = dtype_bytes((DType)wider(n->dtype));
    for (int64_t i = 0; i < count; i++)
        scalar_store((DType)wider(n->dtype), p + (size_t)i * to,
                     scalar_convert((DType)wider(n->dtype), (DType)n->dtype,
                                    scalar_load((DType)n->dtype, (const char *)n->data + (size_t)i * from)));
    return p;
}

/* NULL: it looks at the bits of its floats, or uses a C function. */
static inline Graph *widened(Arena *a, const Graph *g)
{
    Graph *wide = graph_new(a, g->name);
    Ref *map = arena_alloc(a, (g->n_nodes + 1) * sizeof *map);
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        NodeSpec s = node_spec(n);
        Ref *args = arena_alloc(a, (n->n_args + 1) * sizeof *args);
        const Graph **regions = arena_alloc(a, (n->n_regions + 1u) * sizeof *regions);
        Type *results = arena_alloc(a, (s.n_results + 1) * sizeof *results);
        for (uint32_t i = 0; i < n->n_args; i++) args[i] = map[n->args[i]];
        for (uint32_t i = 0; i < n->n_regions; i++)
            if (!(regions[i] = widened(a, n->regions[i]))) return NULL;
        for (uint32_t i = 0; i < s.n_results; i++)
            results[i] = (Type){ wider(s.results[i].dtype), s.results[i].rank, s.results[i].dim };
        if (n->op == OP_FOREIGN ||
            (n->op == OP_BITCAST &&
             (dtype_is_float((DType)n->dtype) || dtype_is_float((DType)g->nodes[n->args[0]].dtype))))
            return NULL;
        s.args = args, s.regions = regions, s.dtype = (DType)wider((uint8_t)s.dtype);
        if (s.n_results) s.results = results;
        if (n->op == OP_CONSTANT) s.data = widened_data(a, n);
        map[r] = graph_add_raw(wide, &s);
        if (map[r] == REF_NONE) return NULL;
    }
    Ref *out = arena_alloc(a, (g->n_outputs + 1) * sizeof *out);
    for (uint32_t i = 0; i < g->n_outputs; i++) out[i] = map[g->outputs[i]];
    graph_set_outputs(wide, out, g->n_outputs);
    return wide;
}
#endif
