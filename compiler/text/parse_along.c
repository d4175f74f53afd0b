/* parse_along.c: the rules of what works along axes or at positions: dynamic slices, scatter, sort, top_k,
 * windows, random bits. */
#include <string.h>
#include "parse_rules.h"

/* A flag that is false unless the text says otherwise. */
static bool flag(const OpSyntax *op, const char *key)
{
    const Attr *a = attr_find(op, key, NULL);
    return a && (a->kind == ATTR_UNIT || strcmp(attr_word(a), "true") == 0 ||
                 (a->kind == ATTR_NUMBER && strcmp(a->text, "0") != 0));
}

static const Graph *closed_region(Build *b, const OpSyntax *op, uint32_t i)
{
    if (i < op->n_regions) return build_region_graph(b, &op->regions[i]);
    parse_error(b->p, op->at, "%s needs a region", op->rule->name);
    return NULL;
}

/* Slices at positions that are data. */

bool rule_dynamic_slice(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ints sizes;
    if (op->n_operands == 0) {
        parse_error(b->p, op->at, "%s takes at least one operand", op->rule->name);
        return false;
    }
    if (!need_ints(b, op, "sizes", "slice_sizes", &sizes)) return false;
    out[0] = add_node(b, OP_DYNAMIC_SLICE, args, op->n_operands, sizes.at, sizes.n);
    return true;
}

bool rule_dynamic_update_slice(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    if (op->n_operands < 2) {
        parse_error(b->p, op->at, "%s takes at least two operands", op->rule->name);
        return false;
    }
    out[0] = add_node(b, OP_DYNAMIC_UPDATE_SLICE, args, op->n_operands, NULL, 0);
    return true;
}

bool rule_scatter(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    static const char *const keys[] = { "update_window_dims", "inserted_window_dims", "input_batching_dims",
                                        "scatter_indices_batching_dims", "scatter_dims_to_operand_dims" };
    const Attr *numbers = need_attr(b, op, "scatter_dimension_numbers", NULL),
               *dim = attr_field(numbers, "index_vector_dim");
    Ints lists[5];
    uint32_t n = 7;
    int64_t index_vector_dim = 0, attr[7 + 5 * WEFT_MAX_RANK];
    if (!numbers) return false;
    if (numbers->kind != ATTR_DICT) {
        parse_error(b->p, numbers->at, "wanted #stablehlo.scatter<...>");
        return false;
    }
    if (dim && !attr_int(b->p, dim, &index_vector_dim)) return false;
    for (int i = 0; i < 5; i++) {
        if (!field_ints(b, numbers, keys[i], &lists[i])) return false;
        if (lists[i].n > WEFT_MAX_RANK) {
            parse_error(b->p, numbers->at, "%s is longer than %d", keys[i], WEFT_MAX_RANK);
            return false;
        }
        if (lists[i].n) memcpy(attr + n, lists[i].at, lists[i].n * sizeof *attr);
        n += lists[i].n;
    }
    if (lists[2].n != lists[3].n) {
        parse_error(b->p, numbers->at,
                    "as many batching axes of the operands as of the indices must be given");
        return false;
    }
    memcpy(attr,
           (int64_t[]){ lists[0].n, lists[1].n, lists[2].n, lists[4].n, index_vector_dim,
                        flag(op, "unique_indices"), flag(op, "indices_are_sorted") },
           7 * sizeof *attr);
    const Graph *region = closed_region(b, op, 0);
    if (!region) return false;
    return take_node(b, op,
                     graph_add(b->g, &(NodeSpec){ .op = OP_SCATTER,
                                                  .args = args,
                                                  .n_args = op->n_operands,
                                                  .attr = attr,
                                                  .n_attr = n,
                                                  .region = region }),
                     out);
}

/* Order. */

bool rule_sort(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const Attr *a = attr_find(op, "dimension", NULL);
    int64_t attr[2] = { -1, flag(op, "is_stable") };
    if (a && !attr_int(b->p, a, &attr[0])) return false;
    if (attr[0] < 0 && op->n_operands) attr[0] += graph_type(b->g, args[0]).rank;
    const Graph *comparator = closed_region(b, op, 0);
    if (!comparator) return false;
    return take_node(b, op,
                     graph_add(b->g, &(NodeSpec){ .op = OP_SORT,
                                                  .args = args,
                                                  .n_args = op->n_operands,
                                                  .attr = attr,
                                                  .n_attr = 2,
                                                  .region = comparator }),
                     out);
}

/* a0 > b0, over values and their positions; floats in total order, where NaN is the greatest */
static const Graph *descending(Arena *arena, Type value, Type position)
{
    static const int64_t order[] = { ORDER_UNSIGNED, ORDER_SIGNED, ORDER_UNSIGNED, ORDER_TOTAL };
    Graph *g = graph_new_raw(arena, NULL);
    Ref a = build_param(g, value), b = build_param(g, value);
    build_param(g, position);
    build_param(g, position);
    int64_t attr[] = { CMP_GT, order[dtype_kind((DType)value.dtype)] };
    Ref before = graph_add(
        g, &(NodeSpec){ .op = OP_COMPARE, .args = (Ref[]){ a, b }, .n_args = 2, .attr = attr, .n_attr = 2 });
    graph_set_outputs(g, &before, 1);
    return g;
}

/* The first k of a stable sort of values and positions along the last axis. */
bool rule_top_k(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Type t = graph_type(b->g, args[0]), scalar = { t.dtype, 0, NULL };
    const Attr *a = need_attr(b, op, "k", NULL);
    int64_t k, attr[3 * WEFT_MAX_RANK], last = t.rank - 1;
    if (!a || !attr_int(b->p, a, &k)) return false;
    if (op->n_results != 2 || t.rank == 0 || k < 0 || k > t.dim[last]) {
        parse_error(b->p, op->at, "%s gives two results of the greatest %lld of an axis", op->rule->name,
                    (long long)k);
        return false;
    }
    Type index = type_like(t, (DType)op->results[1].dtype), position = { index.dtype, 0, NULL };
    if (!dtype_is_int((DType)index.dtype)) {
        parse_error(b->p, op->at, "%s: positions are integers", op->rule->name);
        return false;
    }
    Ref pair[2] = { args[0], add_shaped(b, OP_IOTA, NULL, 0, &last, 1, index) }, sorted[2];
    results_of(b->g,
               graph_add(b->g, &(NodeSpec){ .op = OP_SORT,
                                            .args = pair,
                                            .n_args = 2,
                                            .attr = (int64_t[]){ last, true },
                                            .n_attr = 2,
                                            .region = descending(b->p->arena, scalar, position) }),
               2, sorted);
    for (int i = 0; i < t.rank; i++)
        attr[i] = 0, attr[t.rank + i] = i == last ? k : t.dim[i], attr[2 * t.rank + i] = 1;
    for (int i = 0; i < 2; i++)
        out[i] = sorted[i] == REF_NONE ? REF_NONE : add_node(b, OP_SLICE, &sorted[i], 1, attr, 3u * t.rank);
    return true;
}

/* Windows. */

/* One number per axis, all alike if the attribute is left out. */
static bool per_axis(Build *b, const OpSyntax *op, const char *key, int rank, int64_t missing, int64_t *to)
{
    const Attr *a = attr_find(op, key, NULL);
    Ints v;
    for (int i = 0; i < rank; i++) to[i] = missing;
    if (!a) return true;
    if (!attr_ints(b->p, a, &v.at, &v.n)) return false;
    if (v.n != (uint32_t)rank) {
        parse_error(b->p, a->at, "%s lists %u numbers for %d axes", key, v.n, rank);
        return false;
    }
    if (rank) memcpy(to, v.at, (size_t)rank * sizeof *to);
    return true;
}

/* Pairs of low and high in the text, all low ones and then all high ones in the node. */
static bool padding(Build *b, const OpSyntax *op, int rank, int64_t *low, int64_t *high)
{
    const Attr *a = attr_find(op, "padding", NULL);
    Ints v;
    for (int i = 0; i < rank; i++) low[i] = high[i] = 0;
    if (!a) return true;
    if (!attr_ints(b->p, a, &v.at, &v.n)) return false;
    if (v.n != 2u * (uint32_t)rank) {
        parse_error(b->p, a->at, "padding lists %u numbers, not two for each of %d axes", v.n, rank);
        return false;
    }
    for (int i = 0; i < rank; i++) low[i] = v.at[2 * i], high[i] = v.at[2 * i + 1];
    return true;
}

bool rule_reduce_window(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t attr[6 * WEFT_MAX_RANK];
    uint32_t n = op->n_operands / 2;
    if (n == 0 || op->n_operands % 2) {
        parse_error(b->p, op->at, "%s takes as many start values as operands", op->rule->name);
        return false;
    }
    int r = graph_type(b->g, args[0]).rank;
    if (!need_attr(b, op, "window_dimensions", NULL) || !per_axis(b, op, "window_dimensions", r, 1, attr) ||
        !per_axis(b, op, "window_strides", r, 1, attr + r) ||
        !per_axis(b, op, "base_dilations", r, 1, attr + 2 * r) ||
        !per_axis(b, op, "window_dilations", r, 1, attr + 3 * r) ||
        !padding(b, op, r, attr + 4 * r, attr + 5 * r))
        return false;
    const Graph *region = closed_region(b, op, 0);
    if (!region) return false;
    NodeSpec s = { .op = OP_REDUCE_WINDOW,
                   .args = args,
                   .n_args = op->n_operands,
                   .attr = attr,
                   .n_attr = 6u * (uint32_t)r,
                   .region = region };
    return take_node(b, op, graph_add(b->g, &s), out);
}

bool rule_select_and_scatter(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t attr[4 * WEFT_MAX_RANK];
    int r = graph_type(b->g, args[0]).rank;
    const Graph *regions[2];
    if (!per_axis(b, op, "window_dimensions", r, 1, attr) ||
        !per_axis(b, op, "window_strides", r, 1, attr + r) || !padding(b, op, r, attr + 2 * r, attr + 3 * r))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (!(regions[i] = closed_region(b, op, i))) return false;
    out[0] = graph_add(b->g, &(NodeSpec){ .op = OP_SELECT_AND_SCATTER,
                                          .args = args,
                                          .n_args = 3,
                                          .attr = attr,
                                          .n_attr = 4u * (uint32_t)r,
                                          .regions = regions,
                                          .n_regions = 2 });
    return true;
}

/* Random bits. */

bool rule_rng_bits(Build *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    static const char *const names[] = { "DEFAULT", "THREE_FRY", "PHILOX" };
    const Attr *a = need_attr(b, op, "algorithm", "rng_algorithm");
    int64_t algorithm = 0;
    if (!a) return false;
    while (algorithm < 3 && strcmp(attr_word(a), names[algorithm]) != 0) algorithm++;
    if (algorithm == 3) {
        parse_error(b->p, a->at, "the algorithm is one of DEFAULT THREE_FRY PHILOX");
        return false;
    }
    if (op->n_results != 2) {
        parse_error(b->p, op->at, "%s has two results, the text gives %u", op->rule->name, op->n_results);
        return false;
    }
    return take_node(b, op,
                     graph_add(b->g, &(NodeSpec){ .op = OP_RNG_BITS,
                                                  .args = args,
                                                  .n_args = 1,
                                                  .attr = &algorithm,
                                                  .n_attr = 1,
                                                  .results = op->results,
                                                  .n_results = 2 }),
                     out);
}
