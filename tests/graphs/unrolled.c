/* unrolled.c: see unrolled.h. */
#include "tests/graphs/unrolled.h"
#include <string.h>

static void inline_region(Graph *g, const Graph *region, const Ref *args, Ref *outputs)
{
    graph_inline(g, unrolled(g->arena, region), args, outputs);
}

/* Element k of axis 0. */
static Ref slice_at(Graph *g, Ref x, int64_t k)
{
    Type t = graph_type(g, x);
    int64_t start[WEFT_MAX_RANK] = { k }, limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    for (int d = 0; d < t.rank; d++) {
        limit[d] = d ? t.dim[d] : k + 1;
        stride[d] = 1;
    }
    return build_reshape(g, build_slice(g, x, start, limit, stride), t.dim + 1, t.rank - 1);
}

static Ref stacked(Graph *g, const Ref *parts, int64_t n, Type whole)
{
    if (n == 0) return build_splat(g, whole, 0);
    Ref *rows = arena_alloc(g->arena, (size_t)n * sizeof *rows);
    int64_t dim[WEFT_MAX_RANK] = { 1 };
    memcpy(dim + 1, whole.dim + 1, (whole.rank - 1u) * sizeof *dim);
    for (int64_t i = 0; i < n; i++) rows[i] = build_reshape(g, parts[i], dim, whole.rank);
    return build_concatenate(g, rows, (int)n, 0);
}

static void unroll_scan(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    ScanShape s = scan_shape(n->attr);
    Ref in[16], step[16], (*ys)[16] = arena_alloc(g->arena, ((size_t)s.length + 1) * sizeof *ys), column[64];
    memcpy(in, args, n->n_args * sizeof *in);
    for (int64_t i = 0; i < s.length; i++) {
        int64_t at = s.reverse ? s.length - 1 - i : i;
        for (uint32_t k = s.n_invariant + s.n_carry; k < n->n_args; k++) in[k] = slice_at(g, args[k], at);
        inline_region(g, n->region, in, step);
        memcpy(in + s.n_invariant, step, s.n_carry * sizeof *in);
        memcpy(ys[at], step, sizeof step);
    }
    memcpy(out, in + s.n_invariant, s.n_carry * sizeof *out);
    for (uint32_t k = s.n_carry; k < n->n_results; k++) {
        for (int64_t i = 0; i < s.length; i++) column[i] = ys[i][k];
        out[k] = stacked(g, column, s.length, node_result(n, k));
    }
}

static void unroll_while(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    uint32_t n_invariant = (uint32_t)n->attr[0], n_carry = n->n_args - n_invariant;
    Ref in[16], next[16], go, stays = build_splat(g, (Type){ WEFT_BOOL, 0, NULL }, 1);
    memcpy(in, args, n->n_args * sizeof *in);
    for (int i = 0; i < UNROLLED_ITERATIONS; i++) {
        inline_region(g, n->regions[0], in, &go);
        stays = build_binary(g, OP_AND, stays, go);
        inline_region(g, n->regions[1], in, next);
        for (uint32_t k = 0; k < n_carry; k++)
            in[n_invariant + k] = build_select(g, stays, next[k], in[n_invariant + k]);
    }
    memcpy(out, in + n_invariant, n_carry * sizeof *out);
}

static void unroll_case(Graph *g, const Node *n, const Ref *args, Ref *out)
{
    Ref branch[16];
    for (uint32_t k = n->n_regions; k-- > 0;) {
        inline_region(g, n->regions[k], args + 1, branch);
        Ref here = build_compare(g, CMP_EQ, args[0], build_number(g, WEFT_I32, k));
        for (uint32_t i = 0; i < n->n_results; i++)
            out[i] = k + 1 == n->n_regions ? branch[i] : build_select(g, here, branch[i], out[i]);
    }
}

Graph *unrolled(Arena *arena, const Graph *from)
{
    Graph *g = graph_new(arena, from->name);
    Ref *map = arena_alloc(arena, (from->n_nodes + 1) * sizeof *map),
        (*results)[16] = arena_alloc(arena, (from->n_nodes + 1) * sizeof *results);
    for (uint32_t i = 0; i < from->n_params; i++)
        map[from->params[i]] = build_param(g, graph_type(from, from->params[i]));
    for (Ref r = 0; r < from->n_nodes; r++) {
        const Node *n = &from->nodes[r];
        Ref args[16];
        if (n->op == OP_PARAMETER) continue;
        for (uint32_t i = 0; i < n->n_args && i < 16; i++) args[i] = map[n->args[i]];
        void (*unroll)(Graph *, const Node *, const Ref *, Ref *) = n->op == OP_SCAN    ? unroll_scan
                                                                    : n->op == OP_WHILE ? unroll_while
                                                                    : n->op == OP_CASE  ? unroll_case
                                                                                        : NULL;
        bool result = n->op == OP_RESULT && results[n->args[0]][0];
        if (unroll) {
            unroll(g, n, args, results[r]);
            for (uint32_t i = 0; i < n->n_results; i++) results[r][i]++;
            map[r] = results[r][0] - 1;
        } else map[r] = result ? results[n->args[0]][n->attr[0]] - 1 : graph_copy_node(g, from, r, map);
    }
    Ref *outputs = arena_alloc(arena, (from->n_outputs + 1) * sizeof *outputs);
    for (uint32_t i = 0; i < from->n_outputs; i++) outputs[i] = map[from->outputs[i]];
    graph_set_outputs(g, outputs, from->n_outputs);
    return g;
}
