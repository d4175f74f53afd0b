/* planes_control.c: ops over lists of arrays, and with regions: each complex array is two, its planes behind
 * one another in its place. */
#include "planes_rules.h"
#include <string.h>

/* Planes of operands `from` to `to`, counted. */
static uint32_t count_planes(const Pair *args, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) n += args[i].im == REF_NONE ? 1 : 2;
    return n;
}

/* The groups into which attributes divide the operands. */
static void count_groups(const Node *n, const Pair *args, int64_t *attr)
{
    if (n->op == OP_WHILE) attr[0] = count_planes(args, 0, (uint32_t)n->attr[0]);
    if (n->op != OP_SCAN) return;
    uint32_t from = 0;
    for (int k = 3; k < 6; from += (uint32_t)n->attr[k++])
        attr[k] = count_planes(args, from, from + (uint32_t)n->attr[k]);
}

static bool is_given(Op op) { return op == OP_MAP || op == OP_CASE || op == OP_SCAN; }

bool planes_list(bool strict, Graph *g, const Node *n, const Type *types, const Pair *args, Pair *out)
{
    Arena *a = g->arena;
    (void)types;
    uint32_t n_args = 0, n_results = 0;
    Ref *flat = graph_refs(a, 2 * (size_t)n->n_args), *parts = graph_refs(a, 2 * (size_t)n->n_results);
    Type *results = arena_alloc(a, 2 * n->n_results * sizeof *results);
    const Graph **regions = arena_alloc(a, (n->n_regions + 1u) * sizeof *regions);
    for (uint32_t i = 0; i < n->n_args; i++) {
        flat[n_args++] = args[i].re;
        if (args[i].im != REF_NONE) flat[n_args++] = args[i].im;
    }
    for (uint32_t i = 0; i < n->n_results; i++) {
        Type t = node_result(n, i), part = { (uint8_t)dtype_part((DType)t.dtype), t.rank, t.dim };
        for (int k = 0; k < 1 + dtype_is_complex((DType)t.dtype); k++) results[n_results++] = part;
    }
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!(regions[k] = planes_region(g, n->regions[k], n->op == OP_SORT, strict))) return false;
    int64_t *attr = arena_copy(a, n->attr, n->n_attr * sizeof *attr);
    count_groups(n, args, attr);
    NodeSpec s = { .op = (Op)n->op,
                   .args = flat,
                   .n_args = n_args,
                   .attr = attr,
                   .n_attr = n->n_attr,
                   .regions = regions,
                   .n_regions = n->n_regions };
    Ref r = is_given(s.op) ? build_given(g, s, results, n_results) : graph_add(g, &s);
    if (!build_results(g, r, n_results, parts) && n_results) return false;
    for (uint32_t i = 0, k = 0; i < n->n_results; i++) {
        out[i].re = parts[k++];
        if (dtype_is_complex((DType)node_result(n, i).dtype)) out[i].im = parts[k++];
    }
    return true;
}
