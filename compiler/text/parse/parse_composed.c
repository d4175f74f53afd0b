/* parse_composed.c: ops that are written as others: batch normalization as StableHLO's specification has it,
 * random numbers from bits, contractions over ragged groups. */
#include <math.h>
#include <string.h>
#include "parse_build.h"

/* ---- batch normalization: along one axis, the feature's, all others are the batch ---- */

typedef struct Norm {
    Graph *g;
    Type t;
    int64_t feature;
    int64_t others[WEFT_MAX_RANK];
    int n_others;
    double epsilon, count; /* numbers of a feature */
} Norm;

static bool read_norm(TextBuild *b, const OpSyntax *op, const Ref *args, Norm *n)
{
    const AttrSyntax *a = need_attr(b, op, "epsilon", NULL);
    uint64_t bits;
    *n = (Norm){ .g = b->g, .t = graph_type(b->g, args[0]), .count = 1 };
    if (!a || !attr_number(b, a, WEFT_F64, &bits) || !need_int(b, op, "feature_index", NULL, &n->feature))
        return false;
    n->epsilon = (double)(float)scalar_to_double(WEFT_F64, bits);
    if (!dtype_is_float((DType)n->t.dtype))
        return parse_error(b->p, op->at, "%s is of floats", op->rule->name);
    if (n->feature < 0 || n->feature >= n->t.rank)
        return parse_error(b->p, op->at, "%s: there is no axis %lld in %s", op->rule->name,
                           (long long)n->feature, TYPE_TEXT(n->t));
    for (int i = 0; i < n->t.rank; i++)
        if (i != n->feature) n->others[n->n_others++] = i, n->count *= (double)n->t.dim[i];
    return true;
}

static Ref of_feature(const Norm *n, Ref a)
{
    return build_broadcast(n->g, a, n->t.dim, n->t.rank, &n->feature);
}
static Ref batch_sum(const Norm *n, Ref a) { return build_reduce(n->g, OP_ADD, a, n->others, n->n_others); }

static Ref number_like(Graph *g, Ref a, double v)
{
    Type t = graph_type(g, a);
    return build_splat(g, t, scalar_from_double((DType)t.dtype, v));
}

static Ref batch_mean(const Norm *n, Ref a)
{
    Ref sum = batch_sum(n, a);
    return build_binary(n->g, OP_DIV, sum, number_like(n->g, sum, n->count));
}

static Ref deviation(const Norm *n, Ref variance)
{
    Ref wide = build_binary(n->g, OP_ADD, variance, number_like(n->g, variance, n->epsilon));
    return of_feature(n, build_unary(n->g, OP_SQRT, wide));
}

static Ref centered(const Norm *n, Ref x, Ref mean)
{
    return build_binary(n->g, OP_SUB, x, of_feature(n, mean));
}

/* (x - mean) / sqrt(variance + epsilon) * scale + offset */
static Ref normalized(const Norm *n, Ref x, Ref scale, Ref offset, Ref mean, Ref variance)
{
    Ref unit = build_binary(n->g, OP_DIV, centered(n, x, mean), deviation(n, variance));
    return build_binary(n->g, OP_ADD, build_binary(n->g, OP_MUL, unit, of_feature(n, scale)),
                        of_feature(n, offset));
}

bool rule_norm_inference(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Norm n;
    if (!need_result(b, op) || !read_norm(b, op, args, &n)) return false;
    out[0] = normalized(&n, args[0], args[1], args[2], args[3], args[4]);
    return true;
}

static bool need_three(TextBuild *b, const OpSyntax *op)
{
    return op->n_results == 3 ||
           parse_error(b->p, op->at, "%s has 3 results, the text gives %u", op->rule->name, op->n_results);
}

bool rule_norm_training(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Norm n;
    if (!need_three(b, op) || !read_norm(b, op, args, &n)) return false;
    Ref mean = batch_mean(&n, args[0]), rest = centered(&n, args[0], mean);
    Ref variance = batch_mean(&n, build_binary(b->g, OP_MUL, rest, rest));
    out[0] = normalized(&n, args[0], args[1], args[2], mean, variance);
    out[1] = mean;
    out[2] = variance;
    return true;
}

/* Of x, scale, mean, variance and the cotangent of the result: those of x, scale and offset. */
bool rule_norm_grad(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Norm n;
    Graph *g = b->g;
    if (!need_three(b, op) || !read_norm(b, op, args, &n)) return false;
    Ref x = args[0], scale = args[1], ct = args[4];
    Ref rest = centered(&n, x, args[2]), wide = deviation(&n, args[3]);
    Ref unit = build_binary(g, OP_DIV, rest, wide);
    Ref ct_offset = batch_sum(&n, ct), ct_scale = batch_sum(&n, build_binary(g, OP_MUL, ct, unit));
    /* scale / deviation * (ct - mean of ct - unit * mean of ct * unit) */
    Ref means = build_binary(g, OP_ADD, of_feature(&n, ct_offset),
                             build_binary(g, OP_MUL, unit, of_feature(&n, ct_scale)));
    Ref left = build_binary(g, OP_SUB, ct, build_binary(g, OP_DIV, means, number_like(g, ct, n.count)));
    out[0] = build_binary(g, OP_MUL, build_binary(g, OP_DIV, of_feature(&n, scale), wide), left);
    out[1] = ct_scale;
    out[2] = ct_offset;
    return true;
}

/* ---- rng: numbers without a state of the program's, the same ones at each call ---- */

/* Bits of the result's shape, as numbers without a sign of at least its width. The key is where the op
 * stands. */
static Ref random_bits(TextBuild *b, const OpSyntax *op, Type t)
{
    DType bits = dtype_bytes(t.dtype) == 8 ? WEFT_U64 : WEFT_U32;
    int64_t two = 2, algorithm = 1; /* three_fry */
    uint64_t key[2] = { 0x9E3779B97F4A7C15u, op->at };
    Type state = { WEFT_U64, 1, &two }, results[2] = { state, type_like(t, bits) };
    Ref at = build_constant(b->g, state, key), made[2];
    NodeSpec s = { .op = OP_RNG_BITS, .args = &at, .n_args = 1, .attr = &algorithm, .n_attr = 1 };
    return build_results(b->g, build_given(b->g, s, results, 2), 2, made) ? made[1] : REF_NONE;
}

/* From 0 to below 1 in 2^kept steps. */
static Ref unit_interval(Graph *g, Ref bits, int kept, DType wide)
{
    Type t = graph_type(g, bits);
    Ref top = build_binary(g, OP_SHR_LOGIC, bits, build_splat(g, t, (uint64_t)(dtype_bits(t.dtype) - kept)));
    Ref steps = build_convert(g, top, wide);
    return build_binary(g, OP_MUL, steps, number_like(g, steps, ldexp(1, -kept)));
}

static Ref uniform(TextBuild *b, const OpSyntax *op, Ref low, Ref high)
{
    Graph *g = b->g;
    Type t = graph_type(g, low);
    DType d = (DType)t.dtype, wide = compute_type(d);
    Ref bits = random_bits(b, op, t), size = build_binary(g, OP_SUB, high, low);
    if (dtype_is_float(d)) {
        Ref unit = convert_typed(b, unit_interval(g, bits, dtype_info[d].mantissa_bits, wide), d);
        return build_binary(g, OP_ADD, low, build_binary(g, OP_MUL, unit, size));
    }
    DType without_sign = (DType)graph_type(g, bits).dtype;
    Ref rest =
        build_binary(g, OP_REM, bits, build_convert(g, build_bitcast(g, size, unsigned_of(d)), without_sign));
    return build_binary(g, OP_ADD, low, build_convert(g, rest, d));
}

/* By the inverse of the normal distribution, of the middles of the steps of an interval. */
static Ref normal(TextBuild *b, const OpSyntax *op, Ref mean, Ref deviation)
{
    Graph *g = b->g;
    DType d = (DType)graph_type(g, mean).dtype, wide = compute_type(d);
    int kept = dtype_info[wide].mantissa_bits;
    Ref unit = unit_interval(g, random_bits(b, op, graph_type(g, mean)), kept, wide);
    Ref from_1 = build_binary(g, OP_ADD, build_binary(g, OP_ADD, unit, unit),
                              number_like(g, unit, ldexp(1, -kept) - 1));
    Ref standard = build_binary(g, OP_MUL, build_unary(g, OP_ERF_INV, from_1), number_like(g, unit, sqrt(2)));
    return build_binary(g, OP_ADD, mean, build_binary(g, OP_MUL, deviation, convert_typed(b, standard, d)));
}

bool rule_rng(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    static const char *const words[] = { "UNIFORM", "NORMAL" };
    const AttrSyntax *a = need_attr(b, op, "distribution", "rng_distribution");
    if (!a || !need_result(b, op)) return false;
    Type t = op->results[0];
    int which = find_word(a, words, 2);
    if (which < 0) return parse_error(b->p, a->at, "the distribution is one of UNIFORM NORMAL");
    if (b->outer) return parse_unsupported(b->p, op->at, "rng in a region, where it would repeat itself");
    if (t.dtype == WEFT_BOOL || (which == 1 && !dtype_is_float((DType)t.dtype)))
        return parse_unsupported(b->p, op->at, "rng of this type");
    Ref range[2];
    for (int i = 0; i < 2; i++) range[i] = build_typed(b->g, OP_BROADCAST, &args[i], 1, NULL, 0, t);
    if (build_failed(b, op)) return false;
    out[0] = (which ? normal : uniform)(b, op, range[0], range[1]);
    return true;
}

/* ---- ragged_dot: rows of the left operand come in groups, each with a right operand of its own ---- */

typedef struct Ragged {
    Ints batch[2], sum[2], ragged, group;
} Ragged;

static bool read_ragged(TextBuild *b, const OpSyntax *op, const Ref *args, Ragged *r)
{
    const AttrSyntax *d = need_attr(b, op, "ragged_dot_dimension_numbers", NULL);
    Type lhs = graph_type(b->g, args[0]), sizes = graph_type(b->g, args[2]);
    if (!d || !need_result(b, op)) return false;
    if (d->kind != ATTR_DICT) return parse_error(b->p, d->at, "wanted #chlo.ragged_dot<...>");
    if (!field_ints(b, d, "lhs_batching_dimensions", &r->batch[0]) ||
        !field_ints(b, d, "rhs_batching_dimensions", &r->batch[1]) ||
        !field_ints(b, d, "lhs_contracting_dimensions", &r->sum[0]) ||
        !field_ints(b, d, "rhs_contracting_dimensions", &r->sum[1]) ||
        !field_ints(b, d, "lhs_ragged_dimensions", &r->ragged) ||
        !field_ints(b, d, "rhs_group_dimensions", &r->group))
        return false;
    if (r->batch[0].n != r->batch[1].n || r->sum[0].n != r->sum[1].n || r->ragged.n != 1)
        return parse_error(b->p, d->at,
                           "a ragged axis, and as many axes of the left operand as of the right");
    int64_t axis = r->ragged.at[0];
    if (axis < 0 || axis >= lhs.rank || lhs.rank == WEFT_MAX_RANK)
        return parse_error(b->p, d->at, "there is no axis %lld in %s", (long long)axis, TYPE_TEXT(lhs));
    bool in_batch = false;
    for (uint32_t i = 0; i < r->batch[0].n; i++) in_batch |= r->batch[0].at[i] == axis;
    if (sizes.rank != 1 || r->group.n > 1 || in_batch)
        return parse_unsupported(b->p, op->at, "ragged batches (%s)", op->rule->name);
    return true;
}

/* One copy of the left operand for each group, along a new first axis, with zeros in the rows of others. */
static Ref rows_by_group(TextBuild *b, Ref lhs, Ref sizes, int64_t axis)
{
    Graph *g = b->g;
    Type t = graph_type(g, lhs), groups = graph_type(g, sizes);
    int64_t axes[WEFT_MAX_RANK], zero = 0;
    Type wide = type_stacked(b->p->arena, t, groups.dim[0]), index = type_like(wide, (DType)groups.dtype);
    for (int i = 0; i < t.rank; i++) axes[i] = i + 1;
    Ref end = build_cumulative(g, OP_ADD, sizes, 0, false), start = build_binary(g, OP_SUB, end, sizes);
    Ref row = build_iota(g, index, (int)axis + 1);
    Ref from = build_compare(g, CMP_GE, row, build_broadcast(g, start, index.dim, index.rank, &zero)),
        to = build_compare(g, CMP_LT, row, build_broadcast(g, end, index.dim, index.rank, &zero));
    return build_select(g, build_binary(g, OP_AND, from, to),
                        build_broadcast(g, lhs, wide.dim, wide.rank, axes), build_zeros(g, wide));
}

static Ints one_more(TextBuild *b, Ints axes, int by, const int64_t *first)
{
    Ints all = { arena_alloc(b->p->arena, (axes.n + 1) * sizeof(int64_t)), 0 };
    if (first) append_ints(&all, (Ints){ (int64_t *)(uintptr_t)first, 1 });
    append_ints(&all, axes);
    for (uint32_t i = first != NULL; i < all.n; i++) all.at[i] += by;
    return all;
}

/* Summed over groups, too; if the ragged axis is summed over, a result for each group, which come first. */
bool rule_ragged_dot(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ragged r;
    int64_t zero = 0;
    if (!read_ragged(b, op, args, &r)) return false;
    bool summed = r.group.n == 0;
    Type result = op->results[0];
    ContractedAxes d = { .batch = { one_more(b, r.batch[0], 1, NULL), r.batch[1] },
                         .sum = { one_more(b, r.sum[0], 1, summed ? NULL : &zero),
                                  one_more(b, r.sum[1], 0, summed ? NULL : r.group.at) } };
    Ref pair[2] = { rows_by_group(b, args[0], args[2], r.ragged.at[0]), args[1] };
    if (build_failed(b, op)) return false;
    if (summed && result.rank) { /* groups come behind the batch axes */
        int64_t *dim = arena_copy(b->p->arena, result.dim, result.rank * sizeof *dim);
        memmove(dim, result.dim + 1, r.batch[0].n * sizeof *dim);
        dim[r.batch[0].n] = result.dim[0];
        result.dim = dim;
    }
    out[0] = build_contraction(b, &d, pair, result);
    if (summed) out[0] = build_move_axis(b->g, out[0], (int)r.batch[0].n, 0);
    return true;
}
