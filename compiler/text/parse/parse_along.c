/* parse_along.c: the rules of what folds axes, works along them, or at positions: reduce, dot, gather,
 * scatter, sort, top_k, windows, random bits.
 *
 * REDUCE is spelled `applies` a monoid op, from its own start value. All else is a REDUCE_REGION.
 */
#include <string.h>
#include "compiler/graph/attributes.h"
#include "parse_build.h"
#include "compiler/text/spell.h"

/* Reductions. */

static Ref reduce_by(TextBuild *b, Op monoid, Ref of, Ints axes)
{
    int64_t first = monoid;
    Ints attr = { arena_alloc(b->p->arena, (axes.n + 1) * sizeof(int64_t)), 0 };
    append_ints(&attr, (Ints){ &first, 1 });
    append_ints(&attr, axes);
    return build_node(b->g, OP_REDUCE, &of, 1, attr.at, attr.n);
}

/* The region that `applies stablehlo.add` stands for. */
static const Graph *applied_region(TextBuild *b, const OpSyntax *op, const AttrSyntax *applies)
{
    const char *name = applies->text ? applies->text : "";
    const OpRule *rule = rule_find(b->p, name, strlen(name));
    if (!rule || rule->op == OP_COUNT || !op_is_ew(rule->op) || rule->args != 2 || op->n_operands != 2)
        return parse_error(b->p, applies->at,
                           "`applies` takes an op of two operands over one operand of the reduction"),
               NULL;
    const Graph *g = build_reducer(b->p->arena, rule->op, (DType)b->p->types[op->operands[0]].dtype);
    return g->failure.code == WEFT_OK ? g : (fail_as(&b->g->failure, &g->failure), NULL);
}

bool rule_reduce(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *applies = attr_find(op, "applies", NULL);
    Ints axes;
    if (!need_ints(b, op, "dimensions", NULL, &axes)) return false;
    if (!applies && op->n_regions != 1)
        return parse_error(b->p, op->at, "stablehlo.reduce needs one reducer");
    const Graph *region = applies ? applied_region(b, op, applies) : build_region_graph(b, &op->regions[0]);
    if (!region) return false;
    sort_axes(axes.at, axes.n);
    Op monoid = applies ? region_monoid(region) : OP_COUNT;
    if (monoid != OP_COUNT && is_monoid_start(b->g, args[1], monoid)) {
        *out = reduce_by(b, monoid, args[0], axes);
        return true;
    }
    NodeSpec s = { .op = OP_REDUCE_REGION,
                   .args = args,
                   .n_args = op->n_operands,
                   .attr = axes.at,
                   .n_attr = axes.n,
                   .region = region };
    return take_node(b, op, graph_add(b->g, &s), out);
}

/* Contractions. */

static bool pair_ints(TextBuild *b, const OpSyntax *op, const char *key, Ints pair[2])
{
    const AttrSyntax *a = attr_find(op, key, NULL);
    if (!a) return true;
    if (a->kind != ATTR_PAIR) return parse_error(b->p, a->at, "wanted two lists, as in [1] x [0]");
    return attr_ints(b->p, &a->items[0], &pair[0].at, &pair[0].n) &&
           attr_ints(b->p, &a->items[1], &pair[1].at, &pair[1].n);
}

static bool dot_axes(TextBuild *b, const OpSyntax *op, ContractedAxes *d)
{
    const AttrSyntax *dict = attr_find(op, "dot_dimension_numbers", NULL);
    memset(d, 0, sizeof *d);
    if (dict && dict->kind != ATTR_DICT) return parse_error(b->p, dict->at, "wanted #stablehlo.dot<...>");
    bool ok =
        dict ? field_ints(b, dict, "lhs_batching_dimensions", &d->batch[0]) &&
                   field_ints(b, dict, "rhs_batching_dimensions", &d->batch[1]) &&
                   field_ints(b, dict, "lhs_contracting_dimensions", &d->sum[0]) &&
                   field_ints(b, dict, "rhs_contracting_dimensions", &d->sum[1])
             : pair_ints(b, op, "batching_dims", d->batch) && pair_ints(b, op, "contracting_dims", d->sum);
    if (ok && (d->batch[0].n != d->batch[1].n || d->sum[0].n != d->sum[1].n))
        return parse_error(b->p, op->at, "%s: as many axes of the left operand as of the right must be given",
                           op->rule->name);
    return ok;
}

Ref convert_typed(TextBuild *b, Ref a, DType t)
{
    if (a == REF_NONE) return a; /* the graph has the error */
    Type from = graph_type(b->g, a);
    return from.dtype == t ? a : build_typed(b->g, OP_CONVERT, &a, 1, NULL, 0, type_like(from, t));
}

DType sum_dtype(TextBuild *b, Ref args[2], DType want)
{
    DType l = (DType)graph_type(b->g, args[0]).dtype, r = (DType)graph_type(b->g, args[1]).dtype;
    DType sum = l == r && dtype_bytes(want) < dtype_bytes(l) ? l : want;
    if (l != r || dtype_kind(l) != dtype_kind(sum))
        for (int i = 0; i < 2; i++) args[i] = convert_typed(b, args[i], sum);
    return sum;
}

/* Sums are taken in the result's type; a result narrower than the operands is converted afterwards. */
Ref build_contraction(TextBuild *b, const ContractedAxes *d, const Ref operands[2], Type result)
{
    int64_t counts[] = { d->batch[0].n, d->sum[0].n };
    Ints attr = { arena_alloc(b->p->arena, 2 * (1 + d->batch[0].n + d->sum[0].n) * sizeof(int64_t)), 0 };
    append_ints(&attr, (Ints){ counts, 2 });
    for (int i = 0; i < 2; i++) append_ints(&attr, d->batch[i]);
    for (int i = 0; i < 2; i++) append_ints(&attr, d->sum[i]);

    Ref args[2] = { operands[0], operands[1] };
    DType sum = sum_dtype(b, args, (DType)result.dtype);
    Ref dotted = build_typed(b->g, OP_DOT, args, 2, attr.at, attr.n, type_like(result, sum));
    return dotted == REF_NONE ? dotted : convert_typed(b, dotted, (DType)result.dtype);
}

bool rule_dot_general(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    ContractedAxes d;
    if (!need_result(b, op) || !dot_axes(b, op, &d)) return false;
    out[0] = build_contraction(b, &d, args, op->results[0]);
    return true;
}

/* The old dot: the left operand's last axis with the right one's first. */
bool rule_dot(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t last = graph_type(b->g, args[0]).rank - 1, first = 0;
    ContractedAxes d = { .sum = { { &last, 1 }, { &first, 1 } } };
    if (!need_result(b, op)) return false;
    out[0] = build_contraction(b, &d, args, op->results[0]);
    return true;
}

/* Positions that are data. */

/* A flag that is false unless the text says otherwise. */
static bool flag(const OpSyntax *op, const char *key)
{
    const AttrSyntax *a = attr_find(op, key, NULL);
    return a && (a->kind == ATTR_UNIT || strcmp(attr_word(a), "true") == 0 ||
                 (a->kind == ATTR_NUMBER && strcmp(a->text, "0") != 0));
}

static const Graph *closed_region(TextBuild *b, const OpSyntax *op, uint32_t i)
{
    if (i < op->n_regions) return build_region_graph(b, &op->regions[i]);
    return parse_error(b->p, op->at, "%s needs a region", op->rule->name), NULL;
}

/* The node over all operands, with the region of the text. */
static bool add_folding(TextBuild *b, const OpSyntax *op, NodeSpec s, const Ref *args, Ref *out)
{
    s.args = args;
    s.n_args = op->n_operands;
    if (!(s.region = closed_region(b, op, 0))) return false;
    return take_node(b, op, graph_add(b->g, &s), out);
}

/* What a gather and a scatter say about axes. */
typedef struct AxisLists {
    Ints list[N_AXIS_LISTS];
    int64_t index_vector_dim;
} AxisLists;

static bool axis_lists(TextBuild *b, const OpSyntax *op, const char *key, AxisListKeys keys, AxisLists *a)
{
    const AttrSyntax *numbers = need_attr(b, op, key, NULL), *dim = attr_field(numbers, "index_vector_dim");
    a->index_vector_dim = 0;
    if (!numbers) return false;
    if (numbers->kind != ATTR_DICT)
        return parse_error(b->p, numbers->at, "wanted #%s<...>", op_info[op->rule->op].text);
    if (dim && !attr_int(b->p, dim, &a->index_vector_dim)) return false;
    for (int i = 0; i < N_AXIS_LISTS; i++) {
        if (!field_ints(b, numbers, keys[i], &a->list[i])) return false;
        if (a->list[i].n > WEFT_MAX_RANK)
            return parse_error(b->p, numbers->at, "%s is longer than %d", keys[i], WEFT_MAX_RANK);
    }
    if (a->list[2].n == a->list[3].n) return true;
    return parse_error(b->p, numbers->at,
                       "as many batching axes of the operand%s as of the indices must be given",
                       op->rule->op == OP_SCATTER ? "s" : "");
}

/* The node's attributes: how long the lists are, `flags`, the lists, `sizes`. */
static Ints axis_attr(TextBuild *b, const AxisLists *a, Ints flags, Ints sizes)
{
    const Ints *l = a->list;
    uint32_t total = N_AXIS_LISTS * (WEFT_MAX_RANK + 1) + flags.n + sizes.n;
    int64_t counts[] = { l[0].n, l[1].n, l[2].n, l[4].n, a->index_vector_dim };
    Ints all = { arena_alloc(b->p->arena, total * sizeof(int64_t)), 0 };
    append_ints(&all, (Ints){ counts, N_AXIS_LISTS });
    append_ints(&all, flags);
    for (int i = 0; i < N_AXIS_LISTS; i++) append_ints(&all, l[i]);
    append_ints(&all, sizes);
    return all;
}

/* The sizes of the slices are an attribute, or a third operand. */
bool rule_gather(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ints sizes;
    AxisLists lists;
    bool known = op->n_operands == 3 ? constant_ints(b, op, args[2], &sizes)
                                     : need_ints(b, op, "slice_sizes", NULL, &sizes);
    if (!known || !axis_lists(b, op, "dimension_numbers", spell_gather, &lists)) return false;
    Ints attr = axis_attr(b, &lists, (Ints){ 0 }, sizes);
    out[0] = build_node(b->g, OP_GATHER, args, 2, attr.at, attr.n);
    return true;
}

/* What gather does with one axis: x[..., indices, ...], whose first axes may be a batch of both. */
bool rule_index_select(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Type x = graph_type(b->g, args[0]), at = graph_type(b->g, args[1]);
    int64_t axis, batch, number[WEFT_MAX_RANK], window[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK];
    if (!need_int(b, op, "dim", NULL, &axis) || !need_int(b, op, "batch_dims", NULL, &batch)) return false;
    if (batch < 0 || batch > axis || axis >= x.rank || batch > at.rank)
        return parse_error(b->p, op->at, "%s: axis %lld behind %lld of a batch is none of %s by %s",
                           op->rule->name, (long long)axis, (long long)batch, TYPE_TEXT(x), TYPE_TEXT(at));
    int n_window = 0;
    for (int i = 0; i < WEFT_MAX_RANK; i++) number[i] = i;
    for (int i = 0; i < x.rank; i++) {
        bool whole = i >= batch && i != axis;
        sizes[i] = whole ? x.dim[i] : 1;
        if (whole) window[n_window++] = i < axis ? i : i - 1 + at.rank - batch;
    }
    IndexDims d = { .n_window = n_window,
                    .n_collapsed = 1,
                    .n_batching = (int)batch,
                    .n_map = 1,
                    .index_vector_dim = at.rank,
                    .window = window,
                    .collapsed = &axis,
                    .operand_batching = number,
                    .indices_batching = number,
                    .map = &axis,
                    .slice_sizes = sizes };
    out[0] = build_gather(b->g, &d, args[0], args[1]);
    return true;
}

bool rule_scatter(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    AxisLists lists;
    int64_t flags[] = { flag(op, "unique_indices"), flag(op, "indices_are_sorted") };
    if (!axis_lists(b, op, "scatter_dimension_numbers", spell_scatter, &lists)) return false;
    Ints attr = axis_attr(b, &lists, (Ints){ flags, 2 }, (Ints){ 0 });
    return add_folding(b, op, (NodeSpec){ .op = OP_SCATTER, .attr = attr.at, .n_attr = attr.n }, args, out);
}

/* Order. */

bool rule_sort(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *a = attr_find(op, "dimension", NULL);
    int64_t attr[2] = { -1, flag(op, "is_stable") };
    if (a && !attr_int(b->p, a, &attr[0])) return false;
    if (attr[0] < 0 && op->n_operands) attr[0] += graph_type(b->g, args[0]).rank;
    return add_folding(b, op, (NodeSpec){ .op = OP_SORT, .attr = attr, .n_attr = 2 }, args, out);
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
    Ref before = build_node(g, OP_COMPARE, (Ref[]){ a, b }, 2, attr, 2);
    graph_set_outputs(g, &before, 1);
    return g;
}

/* The first k along an axis of arrays that are sorted together. */
static bool first_sorted(TextBuild *b, const Ref *args, uint32_t n, int axis, int64_t k,
                         const Graph *comparator, Ref *out)
{
    Type t = graph_type(b->g, args[0]);
    int64_t attr[3 * WEFT_MAX_RANK];
    Ref sorted[2];
    if (!build_sort(b->g, args, n, axis, true, comparator, sorted)) return false;
    for (int i = 0; i < t.rank; i++)
        attr[i] = 0, attr[t.rank + i] = i == axis ? k : t.dim[i], attr[2 * t.rank + i] = 1;
    for (uint32_t i = 0; i < n; i++) out[i] = build_node(b->g, OP_SLICE, &sorted[i], 1, attr, 3u * t.rank);
    return true;
}

/* The first k of a stable sort of values and positions along the last axis. */
bool rule_top_k(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Type t = graph_type(b->g, args[0]), scalar = type_scalar(t.dtype);
    int64_t k, last = t.rank - 1;
    if (!need_int(b, op, "k", NULL, &k)) return false;
    if (op->n_results != 2 || t.rank == 0 || k < 0 || k > t.dim[last])
        return parse_error(b->p, op->at, "%s gives two results of the greatest %lld of an axis",
                           op->rule->name, (long long)k);
    Type index = type_like(t, (DType)op->results[1].dtype), position = type_scalar(index.dtype);
    if (!dtype_is_int((DType)index.dtype))
        return parse_error(b->p, op->at, "%s: positions are integers", op->rule->name);
    Ref pair[] = { args[0], build_iota(b->g, index, (int)last) };
    return first_sorted(b, pair, 2, (int)last, k, descending(b->p->arena, scalar, position), out);
}

bool parse_is_approx_top_k(const OpSyntax *op)
{
    return op->rule->syntax == syntax_custom_call &&
           strcmp(attr_word(attr_find(op, "call_target_name", NULL)), "ApproxTopK") == 0;
}

const AttrSyntax *parse_called_computation(const OpSyntax *op)
{
    const AttrSyntax *list = attr_find(op, "called_computations", NULL);
    return list && list->kind == ATTR_LIST && list->n_items == 1 ? &list->items[0] : NULL;
}

/* Values and positions, then what stands where there are none: it may give the first k in the comparator's
 * order, and does. How many that are says the results' type. */
bool build_approx_top_k(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *config = attr_find(op, "mhlo.backend_config", NULL),
                     *dim = attr_field(config, "reduction_dim"), *computation = parse_called_computation(op);
    Type t = op->n_operands ? graph_type(b->g, args[0]) : (Type){ 0 };
    int64_t axis;
    const Graph *order = parse_callee(b, op, computation ? computation->text : NULL, 1);
    if (!order) return false;
    if (!dim || !attr_int(b->p, dim, &axis) || op->n_operands != 4 || op->n_results != 2 || axis < 0 ||
        axis >= t.rank || op->results[0].rank != t.rank || op->results[0].dim[axis] > t.dim[axis])
        return parse_error(b->p, op->at,
                           "ApproxTopK takes values, positions and what stands for none of each");
    return first_sorted(b, args, 2, (int)axis, op->results[0].dim[axis], order, out);
}

/* Windows. */

bool ints_per_axis(TextBuild *b, const OpSyntax *op, const char *key, int rank, int64_t *to)
{
    const AttrSyntax *a = attr_find(op, key, NULL);
    Ints v;
    for (int i = 0; i < rank; i++) to[i] = 1;
    if (!a) return true;
    if (!attr_ints(b->p, a, &v.at, &v.n)) return false;
    if (v.n != (uint32_t)rank)
        return parse_error(b->p, a->at, "%s lists %u numbers for %d axes", key, v.n, rank);
    if (rank) memcpy(to, v.at, (size_t)rank * sizeof *to);
    return true;
}

bool padding_per_axis(TextBuild *b, const OpSyntax *op, int rank, int64_t *low, int64_t *high)
{
    const AttrSyntax *a = attr_find(op, "padding", NULL);
    Ints v;
    for (int i = 0; i < rank; i++) low[i] = high[i] = 0;
    if (!a) return true;
    if (!attr_ints(b->p, a, &v.at, &v.n)) return false;
    if (v.n != 2u * (uint32_t)rank)
        return parse_error(b->p, a->at, "padding lists %u numbers, not two for each of %d axes", v.n, rank);
    for (int i = 0; i < rank; i++) low[i] = v.at[2 * i], high[i] = v.at[2 * i + 1];
    return true;
}

/* The first n lists of a window and the padding. */
static bool window(TextBuild *b, const OpSyntax *op, int rank, int n, int64_t *attr)
{
    for (int i = 0; i < n; i++, attr += rank)
        if (!ints_per_axis(b, op, spell_window[i], rank, attr)) return false;
    return padding_per_axis(b, op, rank, attr, attr + rank);
}

bool rule_reduce_window(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t attr[6 * WEFT_MAX_RANK];
    int r = op->n_operands ? graph_type(b->g, args[0]).rank : 0;
    if (!need_attr(b, op, "window_dimensions", NULL) || !window(b, op, r, N_WINDOW_LISTS, attr)) return false;
    NodeSpec s = { .op = OP_REDUCE_WINDOW, .attr = attr, .n_attr = 6u * (uint32_t)r };
    return add_folding(b, op, s, args, out);
}

bool rule_select_and_scatter(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    int64_t attr[4 * WEFT_MAX_RANK];
    int r = graph_type(b->g, args[0]).rank;
    const Graph *regions[2];
    if (!window(b, op, r, 2, attr)) return false;
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

bool rule_fft(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *type = need_attr(b, op, "type", "fft_type");
    Ints lengths;
    if (!type || !need_ints(b, op, "length", "fft_length", &lengths)) return false;
    int64_t kind = find_word(type, fft_names, N_FFTS);
    if (kind < 0) return parse_error(b->p, type->at, "the type is one of FFT IFFT RFFT IRFFT");
    Ints attr = { arena_alloc(b->p->arena, (lengths.n + 1) * sizeof(int64_t)), 0 };
    append_ints(&attr, (Ints){ &kind, 1 });
    append_ints(&attr, lengths);
    *out = build_node(b->g, OP_FFT, args, 1, attr.at, attr.n);
    return true;
}

bool rule_rng_bits(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    const AttrSyntax *a = need_attr(b, op, "algorithm", "rng_algorithm");
    if (!a) return false;
    int64_t algorithm = find_word(a, spell_algorithms, N_ALGORITHMS);
    if (algorithm < 0) return parse_error(b->p, a->at, "the algorithm is one of DEFAULT THREE_FRY PHILOX");
    if (op->n_results != 2)
        return parse_error(b->p, op->at, "%s has two results, the text gives %u", op->rule->name,
                           op->n_results);
    NodeSpec s = { .op = OP_RNG_BITS, .args = args, .n_args = 1, .attr = &algorithm, .n_attr = 1 };
    return take_node(b, op, build_given(b->g, s, op->results, 2), out);
}
