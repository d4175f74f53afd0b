/* infer.c: one type rule per op. Elementwise ops share a rule and differ in the element type of the result;
 * the rest have their own. A rule checks everything StableHLO's specification demands before it computes the
 * shape, so that no later stage has to look again. For RESULT the caller passes the type of the chosen result
 * as the operand's type. */
#include "compiler/graph/foreign_op.h"
#include "infer_rules.h"
#include <stdio.h>
#include <string.h>

/* There are no complex numbers of narrow floats, and matrices are not factored in them. */
bool infer_takes(Op op, DType t)
{
    bool narrow = op == OP_COMPLEX || op_is_matrix(op);
    return kinds_hold(op_info[op].types, t) && !(narrow && dtype_is_narrow_float(t));
}

/* The kinds that op takes, in words. */
static const char *taken_kinds(Op op, char *buf, size_t size)
{
    static const char *const word[] = { [KIND_BOOL] = "bool",
                                        [KIND_SIGNED] = "signed integers",
                                        [KIND_UNSIGNED] = "unsigned integers",
                                        [KIND_FLOAT] = "floats",
                                        [KIND_COMPLEX] = "complex numbers" };
    static const DType sample[] = { WEFT_BOOL, WEFT_I8, WEFT_U8, WEFT_F32, WEFT_C64 };
    size_t used = 0;
    buf[0] = '\0';
    for (int k = 0; k < 5; k++)
        if (infer_takes(op, sample[k]) && used < size)
            used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", word[k]);
    return buf;
}

bool check_taken(Op op, DType t, Failure *f)
{
    if (infer_takes(op, t)) return true;
    return fail(f, WEFT_DTYPE, "element type %s is not taken (allowed: %s)", dtype_name(t),
                taken_kinds(op, (char[128]){ 0 }, 128));
}

bool check_size(Type t, Failure *f)
{
    for (int i = 0; i < t.rank; i++)
        if (t.dim[i] < 0)
            return fail(f, WEFT_SHAPE, "size %lld of axis %d is negative", (long long)t.dim[i], i);
    if (type_count(t) < 0) return fail(f, WEFT_SHAPE, "%s %s", TYPE_TEXT(t), type_overflow(t));
    return true;
}

/* The result, whose sizes are in out->dim already. */
bool finish(Inferred *out, DType t, int rank, Failure *f)
{
    out->n_results = 1;
    out->type = out->own;
    out->own[0] = (Type){ (uint8_t)t, (uint8_t)rank, out->dim };
    return check_size(out->own[0], f);
}

bool finish_alike(Inferred *out, const Type *like, uint32_t n, int rank, Failure *f)
{
    for (uint32_t i = n; i-- > 0;)
        if (!finish(out, (DType)like[i].dtype, rank, f)) return false;
    for (uint32_t i = 1; i < n; i++) out->own[i] = (Type){ like[i].dtype, (uint8_t)rank, out->dim };
    out->n_results = (int)n;
    return true;
}

bool finish_like(Inferred *out, DType t, Type shape, Failure *f)
{
    if (shape.rank) memcpy(out->dim, shape.dim, shape.rank * sizeof *shape.dim);
    return finish(out, t, shape.rank, f);
}

bool check_rank(int rank, Failure *f)
{
    if (rank >= 0 && rank <= WEFT_MAX_RANK) return true;
    return fail(f, WEFT_SHAPE, "rank %d is over the limit of %d axes", rank, WEFT_MAX_RANK);
}

bool check_flag(int64_t flag, const char *what, Failure *f)
{
    if (flag == 0 || flag == 1) return true;
    return fail(f, WEFT_ARGUMENT, "%s is %lld, not 0 or 1", what, (long long)flag);
}

bool check_axis(int64_t axis, Type t, Failure *f)
{
    if (axis >= 0 && axis < t.rank) return true;
    if (t.rank == 0)
        return fail(f, WEFT_ARGUMENT, "axis %lld is out of range: %s has no axes", (long long)axis,
                    TYPE_TEXT(t));
    return fail(f, WEFT_ARGUMENT, "axis %lld is out of range for %s (0 to %d)", (long long)axis, TYPE_TEXT(t),
                t.rank - 1);
}

/* Axes in range and none twice; seen gathers them. */
bool check_axes(const int64_t *axes, int64_t n, Type t, uint32_t *seen, Failure *f)
{
    for (int64_t i = 0; i < n; i++) {
        if (!check_axis(axes[i], t, f)) return false;
        if (*seen >> axes[i] & 1)
            return fail(f, WEFT_ARGUMENT, "axis %lld of %s is named twice", (long long)axes[i], TYPE_TEXT(t));
        *seen |= (uint32_t)1 << axes[i];
    }
    return true;
}

bool check_ascending(const int64_t *axes, int64_t n, const char *what, Failure *f)
{
    for (int64_t i = 1; i < n; i++)
        if (axes[i - 1] >= axes[i])
            return fail(f, WEFT_ARGUMENT, "%s must ascend, but %lld comes before %lld", what,
                        (long long)axes[i - 1], (long long)axes[i]);
    return true;
}

bool check_n_attr(const NodeSpec *s, int64_t want, Failure *f)
{
    if (s->n_attr == want) return true;
    return fail(f, WEFT_ARGUMENT, "%s has %u attribute numbers where %lld are needed", op_info[s->op].name,
                (unsigned)s->n_attr, (long long)want);
}

static bool infer_given(const NodeSpec *s, Inferred *out, Failure *f)
{
    if (!check_rank(s->rank, f)) return false;
    return finish_like(out, s->dtype, (Type){ (uint8_t)s->dtype, (uint8_t)s->rank, s->dim }, f);
}

bool infer_leaf(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    (void)args;
    if (!check_n_attr(s, 1, f) || !check_taken(s->op, s->dtype, f) || !infer_given(s, out, f)) return false;
    if (s->op == OP_PARAMETER && (s->attr[0] < 0 || s->attr[0] >= REF_NONE))
        return fail(f, WEFT_ARGUMENT, "parameter number %lld is out of range", (long long)s->attr[0]);
    if (s->op == OP_CONSTANT) {
        if (!check_flag(s->attr[0], "splat", f)) return false;
        if (!s->data && (s->attr[0] || type_count(out->type[0])))
            return fail(f, WEFT_ARGUMENT, "a constant %s without data", TYPE_TEXT(out->type[0]));
    }
    return s->op != OP_IOTA || check_axis(s->attr[0], out->type[0], f);
}

static bool differ(Type a, Type b, Failure *f)
{
    return fail(f, a.dtype != b.dtype ? WEFT_DTYPE : WEFT_SHAPE, "operand types %s and %s differ",
                TYPE_TEXT(a), TYPE_TEXT(b));
}

static bool infer_bitcast(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];

    size_t from = dtype_bytes((DType)a.dtype), to = dtype_bytes(s->dtype);
    if ((a.dtype == WEFT_BOOL) != (s->dtype == WEFT_BOOL))
        return fail(f, WEFT_DTYPE, "bits of %s cannot be seen as %s (bool has one bit)",
                    dtype_name((DType)a.dtype), dtype_name(s->dtype));
    if (from == to) return finish_like(out, s->dtype, a, f);
    if (from > to) {
        if (!check_rank(a.rank + 1, f)) return false;
        if (a.rank) memcpy(out->dim, a.dim, a.rank * sizeof *a.dim);
        out->dim[a.rank] = (int64_t)(from / to);
        return finish(out, s->dtype, a.rank + 1, f);
    }
    if (a.rank == 0 || a.dim[a.rank - 1] != (int64_t)(to / from))
        return fail(f, WEFT_SHAPE, "the last axis of %s must have size %zu to become %s", TYPE_TEXT(a),
                    to / from, dtype_name(s->dtype));
    memcpy(out->dim, a.dim, (a.rank - 1u) * sizeof *a.dim);
    return finish(out, s->dtype, a.rank - 1, f);
}

static bool infer_compare(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    static const char *const order_name[] = { "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
    int64_t dir = s->attr[0], order = s->attr[1];
    if (dir < CMP_EQ || dir > CMP_GE)
        return fail(f, WEFT_ARGUMENT, "comparison direction %lld is not known", (long long)dir);
    if (order < ORDER_FLOAT || order > ORDER_UNSIGNED)
        return fail(f, WEFT_ARGUMENT, "comparison order %lld is not known", (long long)order);
    DType t = (DType)a.dtype;
    if (dtype_is_complex(t) && dir != CMP_EQ && dir != CMP_NE)
        return fail(f, WEFT_DTYPE, "%s is not ordered: complex numbers are compared by EQ and NE",
                    dtype_name(t));
    bool right = order == (int64_t)compare_order(t) || (dtype_is_float(t) && order == ORDER_TOTAL);
    if (!right)
        return fail(f, WEFT_DTYPE, "comparison order %s does not go with element type %s", order_name[order],
                    dtype_name((DType)a.dtype));
    return finish_like(out, WEFT_BOOL, a, f);
}

static bool infer_select(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    (void)s;
    if (a[0].dtype != WEFT_BOOL)
        return fail(f, WEFT_DTYPE, "the predicate must be bool, not %s", TYPE_TEXT(a[0]));
    if (!type_equal(a[1], a[2])) return differ(a[1], a[2], f);
    if (a[0].rank && !shape_equal(a[0], a[1]))
        return fail(f, WEFT_SHAPE, "predicate %s must have rank 0 or the shape of %s", TYPE_TEXT(a[0]),
                    TYPE_TEXT(a[1]));
    return finish_like(out, (DType)a[1].dtype, a[1], f);
}

static bool infer_clamp(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    (void)s;
    for (int i = 0; i < 3; i += 2) {
        if (a[i].dtype != a[1].dtype) return differ(a[i], a[1], f);
        if (a[i].rank && !shape_equal(a[i], a[1]))
            return fail(f, WEFT_SHAPE, "bound %s must have rank 0 or the shape of %s", TYPE_TEXT(a[i]),
                        TYPE_TEXT(a[1]));
    }
    return finish_like(out, (DType)a[1].dtype, a[1], f);
}

static bool infer_complex(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    (void)s;
    return finish_like(out, dtype_complex((DType)a[0].dtype), a[0], f);
}

static bool infer_reduce_precision(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    if (s->attr[0] < 1)
        return fail(f, WEFT_ARGUMENT, "%lld exponent bits (at least 1)", (long long)s->attr[0]);
    if (s->attr[1] < 0)
        return fail(f, WEFT_ARGUMENT, "%lld mantissa bits (at least 0)", (long long)s->attr[1]);
    return finish_like(out, (DType)a.dtype, a, f);
}

/* Elementwise ops with attributes, or whose result or operands are not all of one type. */
static const struct {
    InferRule *rule;
    uint8_t n_attr;
    enum {
        RESULT_AS_OPERANDS,
        RESULT_BOOL,
        RESULT_GIVEN,
        RESULT_PART
    } result; /* its element type, where there is no rule */
} exceptions[OP_COUNT] = {
    [OP_SELECT] = { .rule = infer_select },
    [OP_CLAMP] = { .rule = infer_clamp },
    [OP_COMPLEX] = { .rule = infer_complex },
    [OP_REAL] = { .result = RESULT_PART },
    [OP_IMAG] = { .result = RESULT_PART },
    [OP_ABS] = { .result = RESULT_PART },
    [OP_BITCAST] = { .rule = infer_bitcast },
    [OP_CONVERT] = { .result = RESULT_GIVEN },
    [OP_REDUCE_PRECISION] = { .rule = infer_reduce_precision, .n_attr = 2 },
    [OP_COMPARE] = { .rule = infer_compare, .n_attr = 2 },
    [OP_IS_FINITE] = { .result = RESULT_BOOL },
    [OP_IS_INF] = { .result = RESULT_BOOL },
    [OP_IS_POS_INF] = { .result = RESULT_BOOL },
    [OP_IS_NEG_INF] = { .result = RESULT_BOOL },
};

bool infer_ew(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    int main_arg = s->op == OP_SELECT || s->op == OP_CLAMP; /* others may differ from it: the rule looks */
    /* what closes over it; a product that a sum takes (contract.h) */
    bool flagged = (s->op == OP_STOP_GRADIENT || s->op == OP_MUL) && s->n_attr;
    if (!check_n_attr(s, exceptions[s->op].n_attr + flagged, f) ||
        !check_taken(s->op, (DType)a[main_arg].dtype, f))
        return false;
    for (uint32_t i = 1; i < s->n_args && main_arg == 0; i++)
        if (!type_equal(a[0], a[i])) return differ(a[0], a[i], f);
    if (exceptions[s->op].rule) return exceptions[s->op].rule(s, a, out, f);
    DType result[] = { (DType)a[0].dtype, WEFT_BOOL, s->dtype, dtype_part((DType)a[0].dtype) };
    return finish_like(out, result[exceptions[s->op].result], a[0], f);
}

bool infer_broadcast(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    uint32_t seen = 0;
    if (!check_n_attr(s, a.rank, f) || !infer_given(s, out, f)) return false;
    out->own[0].dtype = a.dtype;
    if (!check_size(out->type[0], f) || !check_axes(s->attr, s->n_attr, out->type[0], &seen, f)) return false;
    for (int i = 0; i < a.rank; i++)
        if (a.dim[i] != 1 && a.dim[i] != out->dim[s->attr[i]])
            return fail(f, WEFT_SHAPE,
                        "axis %d of %s does not stretch to axis %lld of %s (%lld against %lld)", i,
                        TYPE_TEXT(a), (long long)s->attr[i], TYPE_TEXT(out->type[0]), (long long)a.dim[i],
                        (long long)out->dim[s->attr[i]]);
    return true;
}

bool infer_reshape(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    if (!check_n_attr(s, 0, f) || !infer_given(s, out, f)) return false;
    out->own[0].dtype = a.dtype;
    if (!check_size(out->type[0], f)) return false;
    if (type_count(a) == type_count(out->type[0])) return true;
    return fail(f, WEFT_SHAPE, "%s has %lld elements and cannot become %s of %lld", TYPE_TEXT(a),
                (long long)type_count(a), TYPE_TEXT(out->type[0]), (long long)type_count(out->type[0]));
}

bool infer_transpose(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    uint32_t seen = 0;
    if (!check_n_attr(s, a.rank, f) || !check_axes(s->attr, s->n_attr, a, &seen, f)) return false;
    for (int i = 0; i < a.rank; i++) out->dim[i] = a.dim[s->attr[i]];
    return finish(out, (DType)a.dtype, a.rank, f);
}

bool infer_slice(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    const int64_t *start = s->attr, *limit = start + a.rank, *stride = limit + a.rank;
    if (!check_n_attr(s, 3 * a.rank, f)) return false;
    for (int i = 0; i < a.rank; i++) {
        if (stride[i] < 1)
            return fail(f, WEFT_ARGUMENT, "stride %lld of axis %d is not positive", (long long)stride[i], i);
        if (start[i] < 0 || limit[i] < start[i] || limit[i] > a.dim[i])
            return fail(f, WEFT_ARGUMENT, "slice %lld:%lld of axis %d leaves %s (0 to %lld)",
                        (long long)start[i], (long long)limit[i], i, TYPE_TEXT(a), (long long)a.dim[i]);
        int64_t n = limit[i] - start[i];
        out->dim[i] = n / stride[i] + (n % stride[i] != 0);
    }
    return finish(out, (DType)a.dtype, a.rank, f);
}

bool infer_reverse(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    uint32_t seen = 0;
    if (!check_axes(s->attr, s->n_attr, a, &seen, f) || !check_ascending(s->attr, s->n_attr, "axes", f))
        return false;
    return finish_like(out, (DType)a.dtype, a, f);
}

bool infer_pad(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    const int64_t *low = s->attr, *high = low + a.rank, *interior = high + a.rank;
    if (!check_n_attr(s, 3 * a.rank, f)) return false;
    if (args[1].rank || args[1].dtype != a.dtype)
        return fail(f, args[1].rank ? WEFT_SHAPE : WEFT_DTYPE, "the filler must be one %s, not %s",
                    dtype_name((DType)a.dtype), TYPE_TEXT(args[1]));
    for (int i = 0; i < a.rank; i++) {
        int64_t n = a.dim[i], between;
        if (interior[i] < 0)
            return fail(f, WEFT_ARGUMENT, "interior padding %lld of axis %d is negative",
                        (long long)interior[i], i);
        if (__builtin_mul_overflow(n ? n - 1 : 0, interior[i], &between) ||
            __builtin_add_overflow(n, between, &n) || __builtin_add_overflow(n, low[i], &n) ||
            __builtin_add_overflow(n, high[i], &n))
            return fail(f, WEFT_SHAPE, "the padded size of axis %d overflows", i);
        if (n < 0)
            return fail(f, WEFT_SHAPE, "padding %lld and %lld cuts more from axis %d of %s than it has",
                        (long long)low[i], (long long)high[i], i, TYPE_TEXT(a));
        out->dim[i] = n;
    }
    return finish(out, (DType)a.dtype, a.rank, f);
}

bool infer_concatenate(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    if (!check_n_attr(s, 1, f)) return false;
    if (s->n_args == 0) return fail(f, WEFT_ARGUMENT, "nothing to concatenate");
    int64_t axis = s->attr[0], sum = 0;
    if (!check_axis(axis, a[0], f)) return false;
    for (uint32_t i = 0; i < s->n_args; i++) {
        if (a[i].dtype != a[0].dtype) return differ(a[0], a[i], f);
        bool fits = a[i].rank == a[0].rank;
        for (int k = 0; fits && k < a[0].rank; k++) fits = k == axis || a[i].dim[k] == a[0].dim[k];
        if (!fits)
            return fail(f, WEFT_SHAPE, "operands %s and %s must agree on every axis but %lld",
                        TYPE_TEXT(a[0]), TYPE_TEXT(a[i]), (long long)axis);
        if (__builtin_add_overflow(sum, a[i].dim[axis], &sum))
            return fail(f, WEFT_SHAPE, "the size of axis %lld overflows", (long long)axis);
    }
    memcpy(out->dim, a[0].dim, a[0].rank * sizeof *a[0].dim);
    out->dim[axis] = sum;
    return finish(out, (DType)a[0].dtype, a[0].rank, f);
}

/* The sizes that are left of a when the axes in gone are folded away; how many. */
static int sizes_without(Inferred *out, Type a, uint32_t gone)
{
    int rank = 0;
    for (int i = 0; i < a.rank; i++)
        if (!(gone >> i & 1)) out->dim[rank++] = a.dim[i];
    return rank;
}

bool infer_reduce(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    if (s->n_attr < 1) return check_n_attr(s, 1, f);
    if (s->attr[0] < 0 || s->attr[0] >= OP_COUNT || !op_is_monoid((Op)s->attr[0]))
        return fail(f, WEFT_ARGUMENT, "op number %lld is no monoid to reduce by", (long long)s->attr[0]);
    uint32_t gone = 0;
    if (!check_taken((Op)s->attr[0], (DType)a.dtype, f) ||
        !check_axes(s->attr + 1, s->n_attr - 1, a, &gone, f))
        return false;
    return check_ascending(s->attr + 1, s->n_attr - 1, "axes", f) &&
           finish(out, (DType)a.dtype, sizes_without(out, a, gone), f);
}

bool infer_arg_extreme(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0];
    if (!check_n_attr(s, 1, f)) return false;
    int64_t axis = s->attr[0];
    if (!check_taken(s->op, (DType)a.dtype, f) || !check_axis(axis, a, f)) return false;
    if (!dtype_is_int(s->dtype))
        return fail(f, WEFT_DTYPE, "the index type must be an integer, not %s", dtype_name(s->dtype));
    if (a.dim[axis] == 0)
        return fail(f, WEFT_SHAPE, "axis %lld of %s has no elements", (long long)axis, TYPE_TEXT(a));
    if ((uint64_t)(a.dim[axis] - 1) > monoid_start(OP_MIN, s->dtype))
        return fail(f, WEFT_DTYPE, "index type %s cannot count axis %lld of %s", dtype_name(s->dtype),
                    (long long)axis, TYPE_TEXT(a));
    return finish(out, s->dtype, sizes_without(out, a, (uint32_t)1 << axis), f);
}

bool check_own_ops(const Graph *r, const char *what, Failure *f)
{
    for (Ref i = 0; i < r->n_nodes; i++) {
        const Node *n = &r->nodes[i];
        if (n->op == OP_FOREIGN)
            return fail(
                f, WEFT_ARGUMENT,
                "%s calls the foreign function %s, which works on whole arrays: it must be of weft's own ops",
                what, foreign_op(n->attr)->name);
        for (uint32_t k = 0; k < n->n_regions; k++)
            if (!check_own_ops(n->regions[k], what, f)) return false;
    }
    return true;
}

bool check_reducer(const Graph *r, const Type *starts, uint32_t n, Failure *f)
{
    if (!r) return fail(f, WEFT_ARGUMENT, "a reduction without a reducer");
    if (r->n_params != 2 * n || r->n_outputs != n)
        return fail(f, WEFT_ARGUMENT, "the reducer takes %u and gives %u values (%u and %u are needed)",
                    (unsigned)r->n_params, (unsigned)r->n_outputs, (unsigned)(2 * n), (unsigned)n);
    for (uint32_t i = 0; i < 3 * n; i++) {
        Ref at = i < 2 * n ? r->params[i] : r->outputs[i - 2 * n];
        Type want = starts[i % n];
        if (at == REF_NONE || !type_equal(graph_type(r, at), want))
            return fail(f, WEFT_DTYPE, "%s %u of the reducer is %s, not %s",
                        i < 2 * n ? "parameter" : "output", (unsigned)(i < 2 * n ? i : i - 2 * n),
                        at == REF_NONE ? "missing" : TYPE_TEXT(graph_type(r, at)), TYPE_TEXT(want));
    }
    return check_own_ops(r, "the reducer", f);
}

bool check_count(uint32_t n, Failure *f)
{
    return n <= INFER_MAX_RESULTS ||
           fail(f, WEFT_ARGUMENT, "%u arrays at once (at most %d)", (unsigned)n, INFER_MAX_RESULTS);
}

bool check_same_shapes(const Type *a, uint32_t n, Failure *f)
{
    for (uint32_t i = 1; i < n; i++)
        if (!shape_equal(a[0], a[i]))
            return fail(f, WEFT_SHAPE, "operand shapes %s and %s differ", TYPE_TEXT(a[0]), TYPE_TEXT(a[i]));
    return true;
}

bool check_folded(const NodeSpec *s, const Type *a, Failure *f)
{
    uint32_t n = s->n_args / 2;
    if (n == 0 || s->n_args % 2)
        return fail(f, WEFT_ARGUMENT, "%u operands (as many starts as arrays are needed)",
                    (unsigned)s->n_args);
    if (!check_count(n, f) || !check_same_shapes(a, n, f)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (a[n + i].rank || a[n + i].dtype != a[i].dtype)
            return fail(f, a[n + i].rank ? WEFT_SHAPE : WEFT_DTYPE,
                        "the start value of %s must be one %s, not %s", TYPE_TEXT(a[i]),
                        dtype_name((DType)a[i].dtype), TYPE_TEXT(a[n + i]));
    return true;
}

bool infer_reduce_region(const NodeSpec *s, const Type *a, Inferred *out, Failure *f)
{
    uint32_t n = s->n_args / 2, gone = 0;
    if (!check_folded(s, a, f) || !check_axes(s->attr, s->n_attr, a[0], &gone, f) ||
        !check_ascending(s->attr, s->n_attr, "axes", f) || !check_reducer(spec_region(s, 0), a + n, n, f))
        return false;
    return finish_alike(out, a, n, sizes_without(out, a[0], gone), f);
}

bool check_sum_dtype(DType a, DType b, DType t, Failure *f)
{
    if (a != b)
        return fail(f, WEFT_DTYPE, "operand element types %s and %s differ", dtype_name(a), dtype_name(b));
    if (dtype_kind(t) == dtype_kind(a) && dtype_bytes(t) >= dtype_bytes(a)) return true;
    return fail(f, WEFT_DTYPE, "products of %s cannot be summed as %s (the same kind, at least as wide)",
                dtype_name(a), dtype_name(t));
}

bool infer_dot(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    Type a = args[0], b = args[1];
    if (s->n_attr < 2) return check_n_attr(s, 2, f);
    int64_t nb = s->attr[0], nc = s->attr[1];
    if (nb < 0 || nc < 0 || nb > WEFT_MAX_RANK || nc > WEFT_MAX_RANK)
        return fail(f, WEFT_ARGUMENT, "%lld batch and %lld contracting axes", (long long)nb, (long long)nc);
    if (!check_n_attr(s, 2 + 2 * nb + 2 * nc, f) ||
        !check_sum_dtype((DType)a.dtype, (DType)b.dtype, s->dtype, f))
        return false;
    const int64_t *a_batch = s->attr + 2, *b_batch = a_batch + nb, *a_sum = b_batch + nb, *b_sum = a_sum + nc;
    uint32_t a_used = 0, b_used = 0;
    if (!check_axes(a_batch, nb, a, &a_used, f) || !check_axes(a_sum, nc, a, &a_used, f)) return false;
    if (!check_axes(b_batch, nb, b, &b_used, f) || !check_axes(b_sum, nc, b, &b_used, f)) return false;
    for (int64_t i = 0; i < nb + nc; i++) {
        int64_t p = i < nb ? a_batch[i] : a_sum[i - nb], q = i < nb ? b_batch[i] : b_sum[i - nb];
        if (a.dim[p] != b.dim[q])
            return fail(f, WEFT_SHAPE,
                        "%s axis %lld of %s does not match axis %lld of %s (%lld against %lld)",
                        i < nb ? "batch" : "contracting", (long long)p, TYPE_TEXT(a), (long long)q,
                        TYPE_TEXT(b), (long long)a.dim[p], (long long)b.dim[q]);
    }
    if (!check_rank((int)(a.rank + b.rank - nb - 2 * nc), f)) return false;
    int rank = 0;
    for (int64_t i = 0; i < nb; i++) out->dim[rank++] = a.dim[a_batch[i]];
    for (int i = 0; i < a.rank; i++)
        if (!(a_used >> i & 1)) out->dim[rank++] = a.dim[i];
    for (int i = 0; i < b.rank; i++)
        if (!(b_used >> i & 1)) out->dim[rank++] = b.dim[i];
    return finish(out, s->dtype, rank, f);
}

/* The type is that of the chosen result. */
bool infer_result(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    return check_n_attr(s, 1, f) && finish_like(out, (DType)args[0].dtype, args[0], f);
}

static InferRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = infer_ew,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = infer_##rule,
#include "compiler/graph/ops.def"
};

bool infer(const NodeSpec *s, const Type *args, Inferred *out, Failure *f)
{
    const OpInfo *info = &op_info[s->op];
    if (info->args >= 0 && s->n_args != (uint32_t)info->args)
        return fail(f, WEFT_ARGUMENT, "%u operands (%s takes %d)", (unsigned)s->n_args, info->name,
                    info->args);
    return rules[s->op](s, args, out, f);
}
