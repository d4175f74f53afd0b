/* random_order.c: permutations, choices and categories.
 *
 * A shuffle sorts by random 32-bit keys, in as many rounds as make equal keys harmless; the sort is stable,
 * so the result is a function of the key alone.
 */
#include "random.h"
#include <math.h>

/* ---- sorting by keys ---- */

/* Compares a0 with b0, of a0, b0, a1, b1. */
static void compare_keys(weft_array *const *in, weft_array **out, const void *data)
{
    const CompareDir *before = data;
    out[0] = ops_compare(*before, in[0], in[1]);
}

/* values in the order of keys, of one shape: CMP_LT begins with the least, CMP_GT with the greatest. */
static weft_array *sorted_by(weft_array *keys, weft_array *values, int axis, CompareDir before)
{
    if (!keys || !values) return NULL;
    OpsTraced region;
    DType k = (DType)array_type(keys).dtype, v = (DType)array_type(values).dtype;
    const Type type[4] = {
        { .dtype = (uint8_t)k }, { .dtype = (uint8_t)k }, { .dtype = (uint8_t)v }, { .dtype = (uint8_t)v }
    };
    const Graph *g = ops_body(&region, type, 4, 1, compare_keys, &before);
    weft_array *in[2] = { keys, values }, *out[2] = { NULL, NULL };
    if (g) op_apply_all(OP_SORT, in, 2, (int64_t[]){ axis, 1 }, 2, &(NodeSpec){ .region = g }, out, 2);
    ops_body_close(&region);
    return out[1];
}

/* As jax.random's: ceil(3 ln size / ln(2^32 - 1)) rounds. */
static weft_array *shuffled(RandomKey k, weft_array *x, int axis)
{
    if (!x) return NULL;
    Type t = array_type(x);
    int64_t size = type_count(t);
    int rounds = (int)ceil(3 * log((double)(size > 1 ? size : 1)) / log((double)UINT32_MAX));
    for (int i = 0; i < rounds && x; i++) {
        RandomKey sub = random_subkey(&k, 1, 2);
        k = random_subkey(&k, 0, 2);
        x = sorted_by(random_bits(&sub, ops_type(WEFT_U32, t.dim, t.rank)), x, axis, CMP_LT);
        if (x) t = array_type(x);
    }
    return x;
}

static weft_array *count_to(int64_t n) { return ops_iota(WEFT_I32, &n, 1, 0); }

static weft_array *pick(const weft_array *from, weft_array *indices, int axis)
{
    return from && indices ? weft_take_(from, weft_of_array(indices), axis, NULL) : NULL;
}

/* ---- what is drawn from: the slices of an array along an axis, or 0 .. n-1 ---- */

typedef struct DrawSource {
    weft_array *array;
    int axis;
    int64_t n;
} DrawSource;

static bool one_axis(const char *text, int otherwise, Type t, int *out)
{
    AxisList axes;
    if (!text) return ops_axis(otherwise, t.rank, t, out);
    if (!ops_axes(text, t, &axes)) return false;
    if (axes.n != 1) return op_fail(WEFT_ARGUMENT, "axis \"%s\" must be one number", text);
    *out = (int)axes.axis[0];
    return true;
}

static bool numbers_source(weft_operand o, DrawSource *s)
{
    if (o.kind == WEFT_OPERAND_FLOAT_)
        return op_fail(WEFT_DTYPE, "a number to draw from is an int, not %g", o.v.f);
    if (o.kind == WEFT_OPERAND_UINT_ ? o.v.u > INT32_MAX : o.v.i > INT32_MAX || o.v.i < 0)
        return op_fail(WEFT_ARGUMENT, "the number to draw from must be 0 to %d", INT32_MAX);
    *s = (DrawSource){ .n = o.v.i };
    return true;
}

static bool source(weft_operand o, const char *axis, DrawSource *s)
{
    if (o.kind != WEFT_OPERAND_ARRAY_) {
        int unused;
        return numbers_source(o, s) && (!axis || one_axis(axis, 0, (Type){ WEFT_I32, 1, &s->n }, &unused));
    }
    Type t = array_type(o.v.a);
    *s = (DrawSource){ .array = ops_in(o.v.a) };
    if (t.rank == 0)
        return op_fail(
            WEFT_SHAPE,
            "%s has no axis to draw along: give a C number n for 0 to n-1, or an array of rank 1 or more",
            TYPE_TEXT(t));
    if (!one_axis(axis, 0, t, &s->axis)) return false;
    s->n = t.dim[s->axis];
    return true;
}

static bool begin(OpsCall *call, const char *name, const char *at, weft_random_key key, weft_operand x,
                  weft_draw d, RandomKey *k)
{
    weft_operand o[2] = { x, weft_of_array(d.p) };
    if (!random_begin(call, name, at, key, o, d.p ? 2 : 1, k)) return false;
    return ops_is_text(d.axis, "axis", d.written_) && ops_dims_ok(WEFT_I32, d.shape.dim, d.shape.rank);
}

/* ---- permutation ---- */

static weft_array *permuted(const RandomKey *k, const DrawSource *s, bool each)
{
    if (!s->array) return shuffled(*k, count_to(s->n), 0);
    if (each || array_type(s->array).rank == 1) return shuffled(*k, s->array, s->axis);
    return pick(s->array, shuffled(*k, count_to(s->n), 0), s->axis);
}

weft_array *weft_random_permutation_(weft_random_key key, weft_operand x, weft_draw d, const char *at)
{
    OpsCall call;
    RandomKey k;
    DrawSource s;
    bool good = begin(&call, "weft_random_permutation", at, key, x, d, &k) && ops_unused(d.p, ".p") &&
                ops_unused(d.distinct, ".distinct") && ops_unused(d.shape.rank != 0, ".shape") &&
                source(x, d.axis, &s);
    return ops_end(&call, good ? permuted(&k, &s, d.each) : NULL);
}

/* ---- choice ---- */

/* The number of cumulative weights below r times their sum, with r in (0, 1], is the index of the part
 * that r falls into. */
static weft_array *by_weight(const RandomKey *k, weft_array *p, const int64_t *dim, int rank)
{
    Type t = array_type(p);
    int64_t wide[WEFT_MAX_RANK + 1];
    if (!ops_rank_ok(rank + 1)) return NULL;
    for (int i = 0; i < rank; i++) wide[i] = dim[i];
    wide[rank] = t.dim[0];
    weft_array *sums = ops_cumulative(OP_ADD, p, 0, false);
    weft_array *total = ops_reshape(ops_slice_axis(sums, 0, t.dim[0] - 1, t.dim[0], 1), NULL, 0);
    weft_array *r =
        ops_binary(OP_MUL, ops_from(OP_SUB, 1, random_unit(k, ops_type((DType)t.dtype, dim, rank))), total);
    weft_array *below = ops_compare(CMP_LT, sums, ops_broadcast(ops_expand(r, rank), wide, rank + 1));
    return ops_reduce(OP_ADD, ops_convert(below, WEFT_I32), &(AxisList){ 1, { rank } }, false);
}

/* Indices of the `count` greatest along the last axis, the greatest first. */
static weft_array *greatest(weft_array *x, int64_t count)
{
    if (!x) return NULL;
    Type t = array_type(x);
    int last = t.rank - 1;
    return ops_slice_axis(sorted_by(x, ops_iota(WEFT_I32, t.dim, t.rank, last), last, CMP_GT), last, 0, count,
                          1);
}

static weft_array *distinct_by_weight(const RandomKey *k, weft_array *p, int64_t count)
{
    Type t = array_type(p);
    return greatest(ops_binary(OP_ADD, random_gumbel(k, t), op_unary(OP_LOG, p)), count);
}

/* p as floats, [n]. */
static weft_array *weights(const weft_array *given, int64_t n)
{
    weft_operand o = weft_of_array(given);
    Type t = array_type(given);
    if (t.rank == 1 && t.dim[0] == n) return ops_operand(o, ops_common_dtype(&o, 1, RULE_INEXACT));
    return op_fail(WEFT_SHAPE, "p must have one probability for each of the %lld to draw from, not %s",
                   (long long)n, TYPE_TEXT(t));
}

static weft_array *distinct_uniformly(const RandomKey *k, const DrawSource *s, int64_t count)
{
    return ops_slice_axis(permuted(k, s, false), s->axis, 0, count, 1);
}

/* With its draws along one axis instead of s->axis: reshaped to dim. */
static weft_array *spread(weft_array *x, const DrawSource *s, const int64_t *dim, int rank)
{
    if (!s->array) return ops_reshape(x, dim, rank);
    Type t = array_type(s->array);
    int64_t all[2 * WEFT_MAX_RANK];
    int n = 0;
    if (!ops_rank_ok(t.rank - 1 + rank)) return NULL;
    for (int i = 0; i < s->axis; i++) all[n++] = t.dim[i];
    for (int i = 0; i < rank; i++) all[n++] = dim[i];
    for (int i = s->axis + 1; i < t.rank; i++) all[n++] = t.dim[i];
    return ops_reshape(x, all, n);
}

static weft_array *chosen(const RandomKey *k, const DrawSource *s, weft_draw d)
{
    const int64_t *dim = d.shape.dim;
    int rank = d.shape.rank;
    int64_t count = type_count(ops_type(WEFT_I32, dim, rank));
    weft_array *p = NULL, *indices;
    if (s->n == 0 && count > 0) return op_fail(WEFT_ARGUMENT, "nothing to draw from: it is empty");
    if (d.distinct && count > s->n)
        return op_fail(WEFT_ARGUMENT, "%lld draws without replacement from %lld", (long long)count,
                       (long long)s->n);
    if (d.p && !(p = weights(d.p, s->n))) return NULL;
    if (d.distinct && !p) return spread(distinct_uniformly(k, s, count), s, dim, rank);
    if (s->n == 0) indices = ops_splat(WEFT_I32, dim, rank, 0);
    else if (d.distinct) indices = ops_reshape(distinct_by_weight(k, p, count), dim, rank);
    else if (p) indices = by_weight(k, p, dim, rank);
    else
        indices = random_randint(k, ops_type(WEFT_I32, dim, rank), op_integer(WEFT_I32, 0),
                                 op_integer(WEFT_I32, s->n));
    return s->array ? pick(s->array, indices, s->axis) : indices;
}

weft_array *weft_random_choice_(weft_random_key key, weft_operand a, weft_draw d, const char *at)
{
    OpsCall call;
    RandomKey k;
    DrawSource s;
    bool good = begin(&call, "weft_random_choice", at, key, a, d, &k) && ops_unused(d.each, ".each") &&
                source(a, d.axis, &s);
    return ops_end(&call, good ? chosen(&k, &s, d) : NULL);
}

/* ---- categorical: the greatest of logits + Gumbel noise ---- */

/* The shape of the draws that stand before the other axes of the logits; false: the sizes do not end like
 * them. */
static bool draws_before(Type logits, int axis, weft_sizes given, Shape *before)
{
    Shape rest = { .rank = 0 };
    for (int i = 0; i < logits.rank; i++)
        if (i != axis) rest.dim[rest.rank++] = logits.dim[i];
    before->rank = 0;
    if (given.rank == 0) return true;
    before->rank = given.rank - rest.rank;
    for (int i = 0; i < rest.rank; i++)
        if (before->rank < 0 || given.dim[before->rank + i] != rest.dim[i])
            return op_fail(WEFT_SHAPE, "the sizes %s must end with %s, the other axes of the logits",
                           OPS_DIMS(given.dim, given.rank), OPS_DIMS(rest.dim, rest.rank));
    for (int i = 0; i < before->rank; i++) before->dim[i] = given.dim[i];
    return true;
}

static weft_array *repeated(const RandomKey *k, weft_array *logits, int axis, const Shape *before)
{
    Type t = array_type(logits);
    int64_t dim[WEFT_MAX_RANK + WEFT_MAX_RANK];
    if (!ops_rank_ok(before->rank + t.rank)) return NULL;
    for (int i = 0; i < before->rank; i++) dim[i] = before->dim[i];
    for (int i = 0; i < t.rank; i++) dim[before->rank + i] = t.dim[i];
    weft_array *noise = random_gumbel(k, ops_type((DType)t.dtype, dim, before->rank + t.rank));
    weft_array *sum = ops_binary(OP_ADD, noise, logits);
    return sum ? op_apply(OP_ARGMAX, &sum, 1, (int64_t[]){ before->rank + axis }, 1,
                          &(NodeSpec){ .dtype = WEFT_I32 })
               : NULL;
}

/* The draws, greatest first, in front of the other axes. */
static weft_array *without_replacement(const RandomKey *k, weft_array *logits, int axis, const Shape *before)
{
    Type t = array_type(logits);
    int64_t count = type_count(ops_type(WEFT_I32, before->dim, before->rank)), perm[WEFT_MAX_RANK],
            dim[WEFT_MAX_RANK], n = 0;
    if (count > t.dim[axis])
        return op_fail(WEFT_ARGUMENT, "%lld draws without replacement from %lld categories", (long long)count,
                       (long long)t.dim[axis]);
    weft_array *sum = ops_binary(OP_ADD, random_gumbel(k, t), logits);
    for (int i = 0; i < t.rank; i++)
        if (i != axis) perm[n++] = i;
    perm[n] = axis;
    weft_array *top = greatest(ops_transpose(sum, perm), count);
    for (int i = 0; i < t.rank; i++) perm[i] = i == 0 ? t.rank - 1 : i - 1;
    n = 0;
    for (int i = 0; i < before->rank; i++) dim[n++] = before->dim[i];
    for (int i = 0; i < t.rank; i++)
        if (i != axis) dim[n++] = t.dim[i];
    return ops_reshape(ops_transpose(top, perm), dim, (int)n);
}

weft_array *weft_random_categorical_(weft_random_key key, weft_operand logits, weft_draw d, const char *at)
{
    OpsCall call;
    RandomKey k;
    int axis;
    Shape before;
    bool good = begin(&call, "weft_random_categorical", at, key, logits, d, &k) && ops_unused(d.p, ".p") &&
                ops_unused(d.each, ".each");
    weft_array *x = good ? ops_operand(logits, ops_common_dtype(&logits, 1, RULE_INEXACT)) : NULL;
    if (!x || !one_axis(d.axis, -1, array_type(x), &axis) ||
        !draws_before(array_type(x), axis, d.shape, &before))
        return ops_end(&call, NULL);
    if (array_type(x).dim[axis] == 0)
        return ops_end(&call, op_fail(WEFT_SHAPE, "%s has no category to draw", TYPE_TEXT(array_type(x))));
    return ops_end(&call,
                   d.distinct ? without_replacement(&k, x, axis, &before) : repeated(&k, x, axis, &before));
}
