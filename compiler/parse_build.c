/* parse_build.c: from OpSyntax records to nodes: the table of all ops that the text may hold, and a rule for each kind.
 *
 * Elementwise ops need no row: their names come from ops.def. A row is needed for attributes, for another name, or to say that an op exists
 * and is not supported. Nodes are added without folding, so that text and graph match one to one. The type that the text gives for each result is
 * compared with what the graph inferred.
 */
#include <string.h>
#include "decimal.h"
#include "parse.h"

/* -- helpers of the rules --------------------------------------------------------------------------------------------------------------- */

static Ref add_node(Build *b, Op op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr) {
    return graph_add_raw(b->g, &(NodeSpec){ .op = op, .args = args, .n_args = n, .attr = attr, .n_attr = n_attr });
}

static Ref add_shaped(Build *b, Op op, const Ref *args, uint32_t n, const int64_t *attr, uint32_t n_attr, Type t) {
    return graph_add_raw(b->g, &(NodeSpec){ .op = op, .args = args, .n_args = n, .attr = attr, .n_attr = n_attr,
                                            .dtype = (DType)t.dtype, .dim = t.dim, .rank = t.rank });
}

static const Attr *need(Build *b, const OpSyntax *op, const char *key, const char *other_key) {
    const Attr *a = attr_find(op, key, other_key);
    if (!a) parse_error(b->p, op->at, "%s needs the attribute %s", op->rule->name, key);
    return a;
}

typedef struct Ints { int64_t *at; uint32_t n; } Ints;

static bool need_ints(Build *b, const OpSyntax *op, const char *key, const char *other_key, Ints *v) {
    const Attr *a = need(b, op, key, other_key);
    return a && attr_ints(b->p, a, &v->at, &v->n);
}

static bool field_ints(Build *b, const Attr *dict, const char *key, Ints *v) {
    const Attr *a = attr_field(dict, key);
    *v = (Ints){ 0 };
    return !a || attr_ints(b->p, a, &v->at, &v->n);
}

static bool need_result(Build *b, const OpSyntax *op) {
    if (op->n_results == 1) return true;
    parse_error(b->p, op->at, "%s has one result, the text gives %u", op->rule->name, op->n_results);
    return false;
}

static void sort(int64_t *v, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && v[k] < v[k - 1]; k--) { int64_t t = v[k]; v[k] = v[k - 1]; v[k - 1] = t; }
}

static Type like(Type shape, DType t) { shape.dtype = (uint8_t)t; return shape; }

/* -- rules ------------------------------------------------------------------------------------------------------------------------------ */

static bool rule_plain(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    out[0] = add_node(b, op->rule->op, args, op->n_operands, NULL, 0);
    return true;
}

static bool rule_typed(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    if (!need_result(b, op)) return false;
    out[0] = add_shaped(b, op->rule->op, args, op->n_operands, NULL, 0, op->results[0]);
    return true;
}

static bool rule_identity(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    if (op->n_results != op->n_operands) {
        parse_error(b->p, op->at, "%s has %u operands and %u results", op->rule->name, op->n_operands, op->n_results);
        return false;
    }
    memcpy(out, args, op->n_operands * sizeof *out);
    return true;
}

/* Elements of a list that are all alike make a splat; hex stays as it is written, and so do the start values that print.c marks: spelled as no
 * other constant is, they stay nodes of their own. */
static Ref constant(Build *b, Type t, const void *data, bool splat, bool as_written) {
    if (as_written && (!splat || t.rank == 0))
        return graph_add_raw(b->g, &(NodeSpec){ .op = OP_CONSTANT, .attr = (int64_t[]){ 0 }, .n_attr = 1, .dtype = (DType)t.dtype, .dim = t.dim, .rank = t.rank,
                                                .data = data });
    return splat ? build_splat(b->g, t, scalar_load((DType)t.dtype, data)) : build_constant(b->g, t, data);
}

static bool rule_constant(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    (void)args;
    const Attr *a = need(b, op, "value", NULL);
    const void *data;
    bool splat;
    if (!a || !need_result(b, op)) return false;
    if (a->kind != ATTR_DENSE) { parse_error(b->p, a->at, "wanted dense<...>"); return false; }
    Type t = op->results[0];
    if (a->typed && !type_equal(a->type, t)) { parse_error(b->p, a->at, "the literal's type is not the result's"); return false; }
    if (!parse_dense(b->p, a->at, t, &data, &splat)) return false;
    out[0] = constant(b, t, data, splat, b->p->chars[a->at] == '"' || attr_find(op, "weft.start", NULL));
    return true;
}

/* A number of an attribute as an element of t. */
static bool number_bits(Build *b, const Attr *a, DType t, uint64_t *bits) {
    int64_t v;
    if (a->kind == ATTR_NUMBER && dtype_is_float(t) && strncmp(a->text, "0x", 2) != 0) return decimal_parse(a->text, strlen(a->text), t, bits);
    if (!attr_int(b->p, a, &v)) return false;
    *bits = scalar_from_i64(t, v);
    return true;
}

static bool rule_constant_like(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    (void)args;
    uint64_t bits;
    const Attr *a = need(b, op, "value", NULL);
    if (!a || !need_result(b, op) || !number_bits(b, a, (DType)op->results[0].dtype, &bits)) return false;
    out[0] = build_splat(b->g, op->results[0], bits);
    return true;
}

static bool rule_iota(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    int64_t axis;
    const Attr *a = need(b, op, "dim", "iota_dimension");
    if (!a || !attr_int(b->p, a, &axis) || !need_result(b, op)) return false;
    out[0] = add_shaped(b, OP_IOTA, args, 0, &axis, 1, op->results[0]);
    return true;
}

/* -- bools as bits ---------------------------------------------------------------------------------------------------------------------- */

static DType unsigned_of(DType t) {
    switch (dtype_bytes(t)) {
    case 1:  return WEFT_U8;
    case 2:  return WEFT_U16;
    case 4:  return WEFT_U32;
    default: return WEFT_U64;
    }
}

/* 0, 1, 2 ... along the last axis: how far each bit is shifted */
static Ref bit_positions(Build *b, Type t) { return add_shaped(b, OP_IOTA, NULL, 0, (int64_t[]){ t.rank - 1 }, 1, t); }

/* A number's bits along a new last axis of bools: x >> i & 1. */
static Ref bits_of(Build *b, Ref a, Type bools) {
    Type t = graph_type(b->g, a), wide = like(bools, unsigned_of((DType)t.dtype));
    int64_t axes[WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) axes[i] = i;
    Ref number = add_shaped(b, OP_BITCAST, &a, 1, NULL, 0, like(t, (DType)wide.dtype));
    Ref args[2] = { add_shaped(b, OP_BROADCAST, &number, 1, axes, t.rank, wide), bit_positions(b, wide) };
    Ref bit[2] = { add_node(b, OP_SHR_LOGIC, args, 2, NULL, 0), build_splat(b->g, wide, 1) };
    Ref low = add_node(b, OP_AND, bit, 2, NULL, 0);
    return add_shaped(b, OP_CONVERT, &low, 1, NULL, 0, bools);
}

/* The last axis of bools as one number: the sum, that is the or, of x[i] << i. */
static Ref number_of(Build *b, Ref a, Type result) {
    Type bools = graph_type(b->g, a), wide = like(bools, unsigned_of((DType)result.dtype));
    Ref args[2] = { add_shaped(b, OP_CONVERT, &a, 1, NULL, 0, wide), bit_positions(b, wide) };
    Ref shifted = add_node(b, OP_SHL, args, 2, NULL, 0);
    Ref number = add_node(b, OP_REDUCE, &shifted, 1, (int64_t[]){ OP_OR, bools.rank - 1 }, 2);
    return add_shaped(b, OP_BITCAST, &number, 1, NULL, 0, result);
}

static bool rule_bitcast(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    if (!need_result(b, op)) return false;
    Type from = graph_type(b->g, args[0]), to = op->results[0];
    bool splits = to.dtype == WEFT_BOOL && from.dtype != WEFT_BOOL && to.rank == from.rank + 1 && to.dim[from.rank] == dtype_bits((DType)from.dtype);
    bool joins = from.dtype == WEFT_BOOL && to.dtype != WEFT_BOOL && from.rank == to.rank + 1 && from.dim[to.rank] == dtype_bits((DType)to.dtype);
    out[0] = splits ? bits_of(b, args[0], to) : joins ? number_of(b, args[0], to) : add_shaped(b, OP_BITCAST, args, 1, NULL, 0, to);
    return true;
}

/* -- comparisons, shapes ------------------------------------------------------------------------------------------------------- */

static int word_index(const char *word, const char *const *words, int n) {
    for (int i = 0; i < n; i++) if (strcmp(word, words[i]) == 0) return i;
    return -1;
}

static bool compare_attr(Build *b, const OpSyntax *op, DType t, int64_t attr[2]) {
    static const char *const dirs[] = { "EQ", "NE", "LT", "LE", "GT", "GE" }, *const orders[] = { "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
    static const CompareOrder by_kind[] = { ORDER_UNSIGNED, ORDER_SIGNED, ORDER_UNSIGNED, ORDER_FLOAT };
    const Attr *dir = need(b, op, "comparison_direction", NULL), *order = attr_find(op, "compare_type", NULL);
    if (!dir) return false;
    attr[0] = word_index(attr_word(dir), dirs, 6);
    attr[1] = order && strcmp(attr_word(order), "NOTYPE") != 0 ? word_index(attr_word(order), orders, 4) : (int64_t)by_kind[dtype_kind(t)];
    if (attr[0] < 0) parse_error(b->p, dir->at, "the direction of a comparison is one of EQ NE LT LE GT GE");
    else if (attr[1] < 0) parse_error(b->p, order->at, "the order of a comparison is one of FLOAT TOTALORDER SIGNED UNSIGNED");
    return !b->p->failed;
}

static bool rule_compare(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    int64_t attr[2];
    if (!compare_attr(b, op, (DType)graph_type(b->g, args[0]).dtype, attr)) return false;
    out[0] = add_node(b, OP_COMPARE, args, 2, attr, 2);
    return true;
}

/* format = e5m10 */
static bool format_bits(Parser *p, const Attr *a, int64_t attr[2]) {
    const char *s = attr_word(a);
    int k = 0;
    attr[0] = attr[1] = 0;
    for (const char *letters = "em"; k < 2 && *s == letters[k]; k++)
        for (s++; *s >= '0' && *s <= '9' && attr[k] < 1000; s++) attr[k] = 10 * attr[k] + (*s - '0');
    if (k == 2 && *s == 0) return true;
    parse_error(p, a->at, "wanted a format like e5m10");
    return false;
}

static bool rule_reduce_precision(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    int64_t attr[2];
    const Attr *format = attr_find(op, "format", NULL), *e, *m;
    if (format) {
        if (!format_bits(b->p, format, attr)) return false;
    } else if (!(e = need(b, op, "exponent_bits", NULL)) || !(m = need(b, op, "mantissa_bits", NULL))
               || !attr_int(b->p, e, &attr[0]) || !attr_int(b->p, m, &attr[1])) return false;
    out[0] = add_node(b, OP_REDUCE_PRECISION, args, 1, attr, 2);
    return true;
}

static bool rule_broadcast_in_dim(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Ints dims;
    if (!need_ints(b, op, "dims", "broadcast_dimensions", &dims) || !need_result(b, op)) return false;
    out[0] = add_shaped(b, OP_BROADCAST, args, 1, dims.at, dims.n, op->results[0]);
    return true;
}

/* The old broadcast puts new axes in front. */
static bool rule_broadcast(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Ints sizes;
    int64_t axes[WEFT_MAX_RANK];
    int rank = graph_type(b->g, args[0]).rank;
    if (!need_ints(b, op, "sizes", "broadcast_sizes", &sizes) || !need_result(b, op)) return false;
    for (int i = 0; i < rank; i++) axes[i] = (int64_t)sizes.n + i;
    out[0] = add_shaped(b, OP_BROADCAST, args, 1, axes, (uint32_t)rank, op->results[0]);
    return true;
}

static bool rule_transpose(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Ints perm;
    if (!need_ints(b, op, "dims", "permutation", &perm)) return false;
    out[0] = add_node(b, OP_TRANSPOSE, args, 1, perm.at, perm.n);
    return true;
}

static bool rule_reverse(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Ints axes;
    if (!need_ints(b, op, "dims", "dimensions", &axes)) return false;
    sort(axes.at, axes.n);
    out[0] = add_node(b, OP_REVERSE, args, 1, axes.at, axes.n);
    return true;
}

/* Three lists of one number per axis behind each other: slice and pad. */
static bool three_lists(Build *b, const OpSyntax *op, const char *const keys[3], const char *const other_keys[3], Ints *all) {
    *all = (Ints){ arena_alloc(b->p->arena, 3 * WEFT_MAX_RANK * sizeof(int64_t)), 0 };
    for (int i = 0; i < 3; i++) {
        Ints part;
        if (!need_ints(b, op, keys[i], other_keys[i], &part)) return false;
        if (part.n > WEFT_MAX_RANK) { parse_error(b->p, op->at, "%s is longer than %d", keys[i], WEFT_MAX_RANK); return false; }
        if (part.n) memcpy(all->at + all->n, part.at, part.n * sizeof *part.at);
        all->n += part.n;
        if (all->n != (uint32_t)(i + 1) * part.n) { parse_error(b->p, op->at, "%s and %s differ in length", keys[0], keys[i]); return false; }
    }
    return true;
}

static bool rule_slice(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    static const char *const keys[] = { "start_indices", "limit_indices", "strides" };
    Ints all;
    if (!three_lists(b, op, keys, keys, &all)) return false;
    out[0] = add_node(b, OP_SLICE, args, 1, all.at, all.n);
    return true;
}

static bool rule_pad(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    static const char *const keys[] = { "low", "high", "interior" }, *const other_keys[] = { "edge_padding_low", "edge_padding_high", "interior_padding" };
    Ints all;
    if (!three_lists(b, op, keys, other_keys, &all)) return false;
    out[0] = add_node(b, OP_PAD, args, 2, all.at, all.n);
    return true;
}

static bool rule_concatenate(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    int64_t axis;
    const Attr *a = need(b, op, "dim", "dimension");
    if (!a || !attr_int(b->p, a, &axis)) return false;
    out[0] = add_node(b, OP_CONCATENATE, args, op->n_operands, &axis, 1);
    return true;
}

static bool rule_dimension_size(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    int64_t axis;
    const Attr *a = need(b, op, "dim", "dimension");
    Type t = graph_type(b->g, args[0]);
    if (!a || !attr_int(b->p, a, &axis)) return false;
    if (axis < 0 || axis >= t.rank) { parse_error(b->p, a->at, "axis %lld of a value of rank %d", (long long)axis, t.rank); return false; }
    out[0] = build_splat(b->g, (Type){ WEFT_I32, 0, NULL }, scalar_from_i64(WEFT_I32, t.dim[axis]));
    return true;
}

/* -- contraction and gather ------------------------------------------------------------------------------------------------------------- */

typedef struct DotAxes { Ints lhs_batch, rhs_batch, lhs_sum, rhs_sum; } DotAxes;

static bool pair_ints(Build *b, const Attr *a, Ints *left, Ints *right) {
    if (!a) return true;
    if (a->kind != ATTR_PAIR) { parse_error(b->p, a->at, "wanted two lists, as in [1] x [0]"); return false; }
    return attr_ints(b->p, &a->items[0], &left->at, &left->n) && attr_ints(b->p, &a->items[1], &right->at, &right->n);
}

static bool dot_axes(Build *b, const OpSyntax *op, DotAxes *d) {
    const Attr *dict = attr_find(op, "dot_dimension_numbers", NULL);
    memset(d, 0, sizeof *d);
    if (dict && dict->kind != ATTR_DICT) { parse_error(b->p, dict->at, "wanted #stablehlo.dot<...>"); return false; }
    bool ok = dict ? field_ints(b, dict, "lhs_batching_dimensions", &d->lhs_batch) && field_ints(b, dict, "rhs_batching_dimensions", &d->rhs_batch)
                     && field_ints(b, dict, "lhs_contracting_dimensions", &d->lhs_sum) && field_ints(b, dict, "rhs_contracting_dimensions", &d->rhs_sum)
                   : pair_ints(b, attr_find(op, "batching_dims", NULL), &d->lhs_batch, &d->rhs_batch)
                     && pair_ints(b, attr_find(op, "contracting_dims", NULL), &d->lhs_sum, &d->rhs_sum);
    if (ok && (d->lhs_batch.n != d->rhs_batch.n || d->lhs_sum.n != d->rhs_sum.n)) {
        parse_error(b->p, op->at, "%s: as many axes of the left operand as of the right must be given", op->rule->name);
        return false;
    }
    return ok;
}

static Ref convert(Build *b, Ref a, DType t) {
    Type from = graph_type(b->g, a);
    return from.dtype == t ? a : add_shaped(b, OP_CONVERT, &a, 1, NULL, 0, like(from, t));
}

/* Sums are taken in the result's type. A type that a DOT node cannot sum in directly (of another kind, or mixed operands) is reached by converting the operands first
 * when it is no narrower, else the sum afterwards. */
static Ref dot(Build *b, const DotAxes *d, const Ref *operands, Type result) {
    const Ints parts[] = { d->lhs_batch, d->rhs_batch, d->lhs_sum, d->rhs_sum };
    uint32_t n_attr = 2;
    int64_t *attr = arena_alloc(b->p->arena, (2 + 2 * (size_t)d->lhs_batch.n + 2 * (size_t)d->lhs_sum.n) * sizeof *attr);
    attr[0] = d->lhs_batch.n;
    attr[1] = d->lhs_sum.n;
    for (int i = 0; i < 4; i++)
        for (uint32_t k = 0; k < parts[i].n; k++) attr[n_attr++] = parts[i].at[k];

    Ref args[2] = { operands[0], operands[1] };
    DType l = (DType)graph_type(b->g, args[0]).dtype, r = (DType)graph_type(b->g, args[1]).dtype, want = (DType)result.dtype;
    DType sum = l == r && dtype_bytes(want) < dtype_bytes(l) ? l : want;
    if (l != r || dtype_kind(l) != dtype_kind(sum)) for (int i = 0; i < 2; i++) args[i] = convert(b, args[i], sum);
    Ref dotted = add_shaped(b, OP_DOT, args, 2, attr, n_attr, like(result, sum));
    return dotted == REF_NONE ? dotted : convert(b, dotted, want);
}

static bool rule_dot_general(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    DotAxes d;
    if (!need_result(b, op) || !dot_axes(b, op, &d)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}

/* The old dot: the left operand's last axis with the right one's first. */
static bool rule_dot(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    int64_t last = graph_type(b->g, args[0]).rank - 1, first = 0;
    DotAxes d = { .lhs_sum = { &last, 1 }, .rhs_sum = { &first, 1 } };
    if (!need_result(b, op)) return false;
    out[0] = dot(b, &d, args, op->results[0]);
    return true;
}

static Ref gather(Build *b, const Ref *args, const Ints lists[6], int64_t index_vector_dim) {
    uint32_t n = 5, total = 5;
    for (int i = 0; i < 6; i++) total += lists[i].n;
    int64_t *attr = arena_alloc(b->p->arena, total * sizeof *attr);
    memcpy(attr, (int64_t[]){ lists[0].n, lists[1].n, lists[2].n, lists[4].n, index_vector_dim }, 5 * sizeof *attr);
    for (int i = 0; i < 6; i++)
        for (uint32_t k = 0; k < lists[i].n; k++) attr[n++] = lists[i].at[k];
    return add_node(b, OP_GATHER, args, 2, attr, n);
}

static bool rule_gather(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    static const char *const keys[] = { "offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map" };
    const Attr *numbers = need(b, op, "dimension_numbers", NULL), *dim = attr_field(numbers, "index_vector_dim");
    Ints lists[6];
    int64_t index_vector_dim = 0;
    if (!numbers || !need_ints(b, op, "slice_sizes", NULL, &lists[5])) return false;
    if (numbers->kind != ATTR_DICT) { parse_error(b->p, numbers->at, "wanted #stablehlo.gather<...>"); return false; }
    for (int i = 0; i < 5; i++) if (!field_ints(b, numbers, keys[i], &lists[i])) return false;
    if (lists[2].n != lists[3].n) { parse_error(b->p, numbers->at, "as many batching axes of the operand as of the indices must be given"); return false; }
    if (dim && !attr_int(b->p, dim, &index_vector_dim)) return false;
    out[0] = gather(b, args, lists, index_vector_dim);
    return true;
}

/* One slice at a position given by scalars: a gather of one index vector, whose clamping is the same. */
static bool rule_dynamic_slice(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Type t = graph_type(b->g, args[0]);
    Ints sizes;
    int64_t axes[WEFT_MAX_RANK], one = 1;
    Ref starts[WEFT_MAX_RANK];
    if (!need_ints(b, op, "sizes", "slice_sizes", &sizes)) return false;
    if (op->n_operands != 1u + t.rank || sizes.n != t.rank) {
        parse_error(b->p, op->at, "%s: a start and a size for each of the %d axes are needed", op->rule->name, t.rank);
        return false;
    }
    for (int i = 0; i < t.rank; i++) {
        axes[i] = i;
        Type start = graph_type(b->g, args[1 + i]);
        if (start.rank != 0) { parse_error(b->p, op->at, "%s: starts are of rank 0", op->rule->name); return false; }
        starts[i] = add_shaped(b, OP_RESHAPE, &args[1 + i], 1, NULL, 0, (Type){ start.dtype, 1, &one });
    }
    if (t.rank == 0) { out[0] = args[0]; return true; }
    Ref at[2] = { args[0], add_node(b, OP_CONCATENATE, starts, t.rank, (int64_t[]){ 0 }, 1) };
    Ints all = { axes, t.rank }, lists[6] = { all, { 0 }, { 0 }, { 0 }, all, sizes };
    out[0] = gather(b, at, lists, 0);
    return true;
}

/* -- CHLO's implicit broadcasting ------------------------------------------------------------------------------------------------------- */

/* To the result's shape: by the last axes, or for the operand of lower rank by broadcast_dimensions. */
static bool broadcast_to(Build *b, const OpSyntax *op, Ref *a, Type shape, bool lower) {
    Type t = graph_type(b->g, *a), want = like(shape, (DType)t.dtype);
    const Attr *given = attr_find(op, "broadcast_dimensions", NULL);
    int64_t axes[WEFT_MAX_RANK];
    Ints dims = { axes, t.rank };
    if (type_equal(t, want)) return true;
    if (t.rank > shape.rank) { parse_error(b->p, op->at, "%s: an operand of rank %d for a result of rank %d", op->rule->name, t.rank, shape.rank); return false; }
    for (int i = 0; i < t.rank; i++) axes[i] = shape.rank - t.rank + i;
    if (given && lower && !attr_ints(b->p, given, &dims.at, &dims.n)) return false;
    *a = add_shaped(b, OP_BROADCAST, a, 1, dims.at, dims.n, want);
    return true;
}

static bool broadcast_operands(Build *b, const OpSyntax *op, const Ref *args, Ref *wide) {
    if (!need_result(b, op)) return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        wide[i] = args[i];
        if (!broadcast_to(b, op, &wide[i], op->results[0], graph_type(b->g, args[i]).rank < op->results[0].rank)) return false;
    }
    return true;
}

static bool rule_broadcast_ew(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Ref wide[3];
    if (!broadcast_operands(b, op, args, wide)) return false;
    out[0] = add_node(b, op->rule->op, wide, op->n_operands, NULL, 0);
    return true;
}

static bool rule_broadcast_compare(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    Ref wide[2];
    int64_t attr[2];
    if (!broadcast_operands(b, op, args, wide) || !compare_attr(b, op, (DType)graph_type(b->g, args[0]).dtype, attr)) return false;
    out[0] = add_node(b, OP_COMPARE, wide, 2, attr, 2);
    return true;
}

/* Never called: says that the op ends a region. */
static bool rule_return(Build *b, const OpSyntax *op, const Ref *args, Ref *out) {
    (void)b; (void)op; (void)args; (void)out;
    return false;
}

/* -- the table -------------------------------------------------------------------------------------------------------------------------- */

#define CHLO_BROADCAST(name, OP, n) { "chlo.broadcast_" name, NULL, rule_broadcast_ew, OP, n, RESULTS_TYPED, "broadcast_dimensions" }
#define NOT_YET(name)               { name, NULL, NULL, OP_COUNT, -1, RESULTS_TYPED, NULL }

static const OpRule rules[] = {
    { "builtin.module", syntax_module, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "module", syntax_module, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "func.func", syntax_func, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "func", syntax_func, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "sdy.mesh", syntax_skip, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "func.return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "stablehlo.return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "func.call", syntax_call, rule_call, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "call", syntax_call, rule_call, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "stablehlo.composite", syntax_composite, rule_call, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "stablehlo.custom_call", syntax_custom_call, rule_check, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "check.expect_eq", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE, "" },
    { "check.expect_eq_const", NULL, rule_check, OP_COUNT, 1, RESULTS_NONE, "value" },
    { "check.expect_almost_eq", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE, "tolerance" },
    { "check.expect_almost_eq_const", NULL, rule_check, OP_COUNT, 1, RESULTS_NONE, "value tolerance" },
    { "check.expect_close", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE, "max_ulp_difference min_ulp_difference" },
    { "sdy.sharding_constraint", syntax_sharding, rule_identity, OP_COUNT, 1, RESULTS_LIKE_OPERANDS, NULL },
    { "stablehlo.optimization_barrier", NULL, rule_identity, OP_COUNT, -1, RESULTS_LIKE_OPERANDS, NULL },

    { "stablehlo.constant", syntax_constant, rule_constant, OP_COUNT, 0, RESULTS_TYPED, "value" },
    { "chlo.constant", syntax_constant, rule_constant, OP_COUNT, 0, RESULTS_TYPED, "value" },
    { "chlo.constant_like", NULL, rule_constant_like, OP_COUNT, 1, RESULTS_TYPED, "value" },
    { "stablehlo.iota", NULL, rule_iota, OP_COUNT, 0, RESULTS_TYPED, "dim iota_dimension" },
    { "stablehlo.compare", syntax_compare, rule_compare, OP_COUNT, 2, RESULTS_TYPED, "comparison_direction compare_type" },
    { "stablehlo.convert", NULL, rule_typed, OP_CONVERT, 1, RESULTS_TYPED, "" },
    { "stablehlo.bitcast_convert", NULL, rule_bitcast, OP_BITCAST, 1, RESULTS_TYPED, "" },
    { "stablehlo.reduce_precision", NULL, rule_reduce_precision, OP_COUNT, 1, RESULTS_TYPED, "format exponent_bits mantissa_bits" },
    { "chlo.tan", NULL, rule_plain, OP_TAN, 1, RESULTS_TYPED, "" },

    { "stablehlo.broadcast_in_dim", NULL, rule_broadcast_in_dim, OP_COUNT, 1, RESULTS_TYPED, "dims broadcast_dimensions" },
    { "stablehlo.broadcast", NULL, rule_broadcast, OP_COUNT, 1, RESULTS_TYPED, "sizes broadcast_sizes" },
    { "stablehlo.reshape", NULL, rule_typed, OP_RESHAPE, 1, RESULTS_TYPED, "" },
    { "stablehlo.transpose", NULL, rule_transpose, OP_COUNT, 1, RESULTS_TYPED, "dims permutation" },
    { "stablehlo.slice", syntax_slice, rule_slice, OP_COUNT, 1, RESULTS_TYPED, "start_indices limit_indices strides" },
    { "stablehlo.reverse", NULL, rule_reverse, OP_COUNT, 1, RESULTS_TYPED, "dims dimensions" },
    { "stablehlo.pad", NULL, rule_pad, OP_COUNT, 2, RESULTS_TYPED, "low high interior edge_padding_low edge_padding_high interior_padding" },
    { "stablehlo.concatenate", NULL, rule_concatenate, OP_COUNT, -1, RESULTS_TYPED, "dim dimension" },
    { "stablehlo.get_dimension_size", NULL, rule_dimension_size, OP_COUNT, 1, RESULTS_TYPED, "dim dimension" },

    { "stablehlo.reduce", syntax_reduce, rule_reduce, OP_COUNT, -1, RESULTS_TYPED, "applies dimensions" },
    { "stablehlo.dot_general", NULL, rule_dot_general, OP_COUNT, 2, RESULTS_TYPED,
      "batching_dims contracting_dims precision algorithm dot_dimension_numbers precision_config" },
    { "stablehlo.dot", NULL, rule_dot, OP_COUNT, 2, RESULTS_TYPED, "precision precision_config" },
    { "stablehlo.gather", NULL, rule_gather, OP_COUNT, 2, RESULTS_TYPED, "dimension_numbers slice_sizes indices_are_sorted" },
    { "stablehlo.dynamic_slice", NULL, rule_dynamic_slice, OP_COUNT, -1, RESULTS_TYPED, "sizes slice_sizes" },

    CHLO_BROADCAST("add", OP_ADD, 2), CHLO_BROADCAST("subtract", OP_SUB, 2), CHLO_BROADCAST("multiply", OP_MUL, 2), CHLO_BROADCAST("divide", OP_DIV, 2),
    CHLO_BROADCAST("remainder", OP_REM, 2), CHLO_BROADCAST("power", OP_POW, 2), CHLO_BROADCAST("maximum", OP_MAX, 2),
    CHLO_BROADCAST("minimum", OP_MIN, 2), CHLO_BROADCAST("atan2", OP_ATAN2, 2), CHLO_BROADCAST("and", OP_AND, 2), CHLO_BROADCAST("or", OP_OR, 2),
    CHLO_BROADCAST("xor", OP_XOR, 2), CHLO_BROADCAST("shift_left", OP_SHL, 2), CHLO_BROADCAST("shift_right_arithmetic", OP_SHR_ARITH, 2),
    CHLO_BROADCAST("shift_right_logical", OP_SHR_LOGIC, 2), CHLO_BROADCAST("next_after", OP_NEXT_AFTER, 2),
    CHLO_BROADCAST("polygamma", OP_POLYGAMMA, 2), CHLO_BROADCAST("zeta", OP_ZETA, 2), CHLO_BROADCAST("select", OP_SELECT, 3),
    { "chlo.broadcast_compare", NULL, rule_broadcast_compare, OP_COUNT, 2, RESULTS_TYPED, "broadcast_dimensions comparison_direction compare_type" },

    NOT_YET("stablehlo.after_all"), NOT_YET("stablehlo.all_gather"), NOT_YET("stablehlo.all_reduce"), NOT_YET("stablehlo.all_to_all"),
    NOT_YET("stablehlo.async_start"), NOT_YET("stablehlo.async_done"), NOT_YET("stablehlo.batch_norm_grad"),
    NOT_YET("stablehlo.batch_norm_inference"), NOT_YET("stablehlo.batch_norm_training"), NOT_YET("stablehlo.case"), NOT_YET("stablehlo.cholesky"),
    NOT_YET("stablehlo.collective_broadcast"), NOT_YET("stablehlo.collective_permute"), NOT_YET("stablehlo.complex"),
    NOT_YET("stablehlo.compute_reshape_shape"), NOT_YET("stablehlo.convolution"), NOT_YET("stablehlo.create_token"),
    NOT_YET("stablehlo.cross-replica-sum"), NOT_YET("stablehlo.cstr_reshapable"), NOT_YET("stablehlo.dynamic_broadcast_in_dim"),
    NOT_YET("stablehlo.dynamic_conv"), NOT_YET("stablehlo.dynamic_gather"), NOT_YET("stablehlo.dynamic_iota"), NOT_YET("stablehlo.dynamic_pad"),
    NOT_YET("stablehlo.dynamic_reshape"), NOT_YET("stablehlo.dynamic_update_slice"), NOT_YET("stablehlo.einsum"), NOT_YET("stablehlo.fft"),
    NOT_YET("stablehlo.get_tuple_element"), NOT_YET("stablehlo.if"), NOT_YET("stablehlo.imag"), NOT_YET("stablehlo.infeed"),
    NOT_YET("stablehlo.map"), NOT_YET("stablehlo.outfeed"), NOT_YET("stablehlo.partition_id"), NOT_YET("stablehlo.real"),
    NOT_YET("stablehlo.real_dynamic_slice"), NOT_YET("stablehlo.recv"), NOT_YET("stablehlo.reduce_scatter"), NOT_YET("stablehlo.reduce_window"),
    NOT_YET("stablehlo.replica_id"), NOT_YET("stablehlo.rng"), NOT_YET("stablehlo.rng_bit_generator"), NOT_YET("stablehlo.scatter"),
    NOT_YET("stablehlo.select_and_scatter"), NOT_YET("stablehlo.send"), NOT_YET("stablehlo.set_dimension_size"), NOT_YET("stablehlo.sort"),
    NOT_YET("stablehlo.torch_index_select"), NOT_YET("stablehlo.trace"), NOT_YET("stablehlo.triangular_solve"), NOT_YET("stablehlo.tuple"),
    NOT_YET("stablehlo.unary_einsum"), NOT_YET("stablehlo.uniform_dequantize"), NOT_YET("stablehlo.uniform_quantize"), NOT_YET("stablehlo.while"),
    NOT_YET("chlo.conj"), NOT_YET("chlo.dynamic_reshape"), NOT_YET("chlo.erf_inv_grad"), NOT_YET("chlo.ragged_dot"), NOT_YET("chlo.scan"),
    NOT_YET("chlo.top_k"), NOT_YET("chlo.broadcast_complex"), NOT_YET("chlo.rank_specialization_cluster"), NOT_YET("chlo.minimum_broadcast_shapes"),
    NOT_YET("stablehlo.scan"), NOT_YET("interpreter.probe"), NOT_YET("interpreter.print"), NOT_YET("interpreter.run_parallel"),
    NOT_YET("check.expect_serialized_eq"), NOT_YET("check.eq"),
};

/* One rule per elementwise op, without attributes; named by ops.def. */
static const OpRule elementwise[OP_COUNT] = {
#define OP(NAME, text_, args_, kind_, types_, meaning_) [OP_##NAME] = { text_, NULL, rule_plain, OP_##NAME, args_, RESULTS_TYPED, "" },
#include "ops.def"
#undef OP
};

static bool is_called(const char *name, const char *text, size_t length) { return strlen(name) == length && memcmp(name, text, length) == 0; }

const OpRule *rule_find(Parser *p, const char *text, size_t length) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) if (is_called(rules[i].name, text, length)) return &rules[i];
    for (int op = 0; op < OP_COUNT; op++)
        if (op_is_ew((Op)op) && strncmp(op_info[op].text, "weft.", 5) != 0 && is_called(op_info[op].text, text, length)) return &elementwise[op];
    const char *dot = memchr(text, '.', length);
    static const char *const ours[] = { "stablehlo", "chlo", "func", "check", "builtin" };
    for (size_t i = 0; dot && i < sizeof ours / sizeof *ours; i++) if (is_called(ours[i], text, (size_t)(dot - text))) return NULL;
    if (dot) parse_unsupported(p, p->tok.at, "ops of the dialect %.*s", dot - text > 40 ? 40 : (int)(dot - text), text);
    return NULL;
}

/* -- building --------------------------------------------------------------------------------------------------------------------------- */

bool build_failed(Build *b, const OpSyntax *op) {
    const Failure *f = &b->g->failure;
    if (f->code != WEFT_OK) parse_error(b->p, op->at, "%s: %s", op->rule->name, f->text);
    return b->p->failed;
}

/* The value as a node of the graph being built; a constant of an outer graph is copied in, other outer values are not supported. */
static Ref value_ref(Build *b, const OpSyntax *op, ValueId v) {
    const Graph *owner = b->owner[v];
    if (owner == b->g) return b->refs[v];
    const Node *n = owner && b->refs[v] != REF_NONE ? graph_node(owner, b->refs[v]) : NULL;
    if (!n || n->op != OP_CONSTANT) { parse_unsupported(b->p, op->at, "values from outside of a region"); return REF_NONE; }
    return graph_add_raw(b->g, &(NodeSpec){ .op = OP_CONSTANT, .attr = n->attr, .n_attr = n->n_attr, .dtype = (DType)n->dtype, .dim = n->dim,
                                            .rank = n->rank, .data = n->data });
}

static void say_type(char *buf, size_t size, Type t) { type_text(buf, size, t); }

static bool check_operands(Build *b, const OpSyntax *op) {
    if (op->rule->args >= 0 && op->n_operands != (uint32_t)op->rule->args) {
        parse_error(b->p, op->at, "%s takes %d operand%s, saw %u", op->rule->name, op->rule->args, op->rule->args == 1 ? "" : "s", op->n_operands);
        return false;
    }
    if (op->n_operand_types == 0 && op->n_operands > 0) return true;
    if (op->n_operand_types != op->n_operands) {
        parse_error(b->p, op->at, "%s has %u operands and %u operand types", op->rule->name, op->n_operands, op->n_operand_types);
        return false;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        Type is = b->p->types[op->operands[i]];
        char seen[128], said[128];
        if (type_equal(is, op->operand_types[i])) continue;
        say_type(seen, sizeof seen, is);
        say_type(said, sizeof said, op->operand_types[i]);
        parse_error(b->p, op->at, "%s: operand %u is %s, the text gives %s", op->rule->name, i, seen, said);
        return false;
    }
    return true;
}

static bool check_results(Build *b, const OpSyntax *op, const Ref *results) {
    for (uint32_t i = 0; i < op->n_results; i++) {
        char is[128], said[128];
        if (results[i] == REF_NONE) { parse_error(b->p, op->at, "%s has no result number %u", op->rule->name, i); return false; }
        Type t = graph_type(b->g, results[i]);
        if (type_equal(t, op->results[i])) continue;
        say_type(is, sizeof is, t);
        say_type(said, sizeof said, op->results[i]);
        parse_error(b->p, op->at, "%s: result %u is %s, the text gives %s", op->rule->name, i, is, said);
        return false;
    }
    return true;
}

/* An op without a place of its own has the line of the text. */
static void set_place(Build *b, const OpSyntax *op) {
    const char *place = op->place;
    Parser *p = b->p;
    for (uint32_t i = 0, hops = 0; place && place[0] == '#' && i < p->n_aliases && hops < 8; i++)
        if (strcmp(p->aliases[i].name, place + 1) == 0) { place = p->aliases[i].place; i = UINT32_MAX; hops++; }
    if (place && place[0] != '#') b->g->loc = graph_loc(b->g, place);
    else b->g->loc = p->file ? graph_loc(b->g, arena_printf(p->arena, "%s:%u", p->file, parse_line(p, op->at))) : 0;
}

static bool build_args(Build *b, const OpSyntax *op, Ref **args) {
    *args = arena_alloc(b->p->arena, (op->n_operands + 1) * sizeof **args);
    for (uint32_t i = 0; i < op->n_operands; i++) (*args)[i] = value_ref(b, op, op->operands[i]);
    return !b->p->failed;
}

static bool build_op(Build *b, const OpSyntax *op) {
    Ref *args, *results = arena_alloc(b->p->arena, (op->n_results + 1) * sizeof *results);
    for (uint32_t i = 0; i < op->n_results; i++) results[i] = REF_NONE;
    set_place(b, op);
    if (!check_operands(b, op) || !build_args(b, op, &args)) return false;
    bool ok = op->rule->build(b, op, args, results);
    if (build_failed(b, op) || !ok || !check_results(b, op, results)) return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        b->refs[op->first_result + i] = results[i];
        b->owner[op->first_result + i] = b->g;
    }
    return true;
}

bool build_region(Build *b, const RegionSyntax *r, Ref **outputs, uint32_t *n_outputs) {
    for (const OpSyntax *op = r->ops; op; op = op->next) {
        if (op->rule->results == NOT_A_VALUE) { parse_error(b->p, op->at, "%s cannot stand in a function", op->rule->name); return false; }
        if (op->rule->build != rule_return) {
            if (!build_op(b, op)) return false;
            continue;
        }
        if (op->next) { parse_error(b->p, op->next->at, "an op behind the return"); return false; }
        *n_outputs = op->n_operands;
        return check_operands(b, op) && build_args(b, op, outputs);
    }
    parse_error(b->p, r->last ? r->last->at : b->p->n, "a region must end with a return");
    return false;
}

Graph *build_region_graph(Build *outer, const RegionSyntax *r) {
    Build b = { .p = outer->p, .g = graph_new(outer->p->arena, NULL), .refs = outer->refs, .owner = outer->owner };
    Ref *outputs;
    uint32_t n_outputs;
    for (uint32_t i = 0; i < r->n_args; i++) {
        b.refs[r->first_arg + i] = build_param(b.g, b.p->types[r->first_arg + i]);
        b.owner[r->first_arg + i] = b.g;
    }
    if (!build_region(&b, r, &outputs, &n_outputs)) return NULL;
    graph_set_outputs(b.g, outputs, n_outputs);
    return graph_compact(b.p->arena, b.g);
}
