/* ops_compose.c: operands, promotion, broadcasting, axis texts and the primitives' short names; see
 * ops_compose.h. */
#include "ops_compose.h"
#include "runtime/memory/stack.h"
#include "runtime/trace/trace.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/call/written.h"

const char weft_list_end_[1];

/* ---- calls ---- */

static bool open_scope(OpsCall *call)
{
    struct Local *l = op_local();
    size_t left = stack_left();
    if (!l) return false;
    if (left < STACK_OP) return op_fail(WEFT_MEMORY, STACK_SHORT, left >> 10, STACK_OP >> 10);
    scope_push(&call->scope, l);
    return call->open = true;
}

static void speak_for_any(const weft_operand *o, int n)
{
    for (int i = 0; i < n; i++)
        if (o[i].kind == WEFT_OPERAND_ARRAY_) op_speak_for(o[i].v.a);
}

/* Is operand number i of the n usable? */
static bool operand_good(const weft_operand *o, int i, int n)
{
    bool array = o[i].kind == WEFT_OPERAND_ARRAY_;
    const weft_array *a = array ? o[i].v.a : NULL;
    if (array_is_address(a) && a->state != ARRAY_FREED) return op_check_operand(a, i);
    if (!array && (unsigned)o[i].kind <= WEFT_OPERAND_COMPLEX_) return true;
    speak_for_any(o, n);
    if (array) return op_check_operand(a, i);
    return op_fail(WEFT_ARGUMENT, "operand %d is no weft_operand: its kind is %d", i + 1, o[i].kind);
}

bool ops_begin(OpsCall *call, const char *name, const char *at, weft_context *ctx, const weft_operand *o,
               int n)
{
    bool array = false;
    call->open = false;
    op_begin(name, at);
    if (ctx && !ctx->open) speak_for_any(o, n);
    if (ctx && !op_context(ctx)) return false;
    for (int i = 0; i < n; i++) {
        if (!operand_good(o, i, n)) return false;
        array |= o[i].kind == WEFT_OPERAND_ARRAY_;
    }
    return (ctx || array || op_context(NULL)) && open_scope(call);
}

bool ops_begin_on(OpsCall *call, const char *name, const char *at, const weft_array *x,
                  const weft_array *other)
{
    const weft_operand operands[] = { weft_of_array(x), weft_of_array(other) };
    return ops_begin(call, name, at, NULL, operands, other ? 2 : 1);
}

bool ops_begin_list(OpsCall *call, const char *name, const char *at, const weft_array *const *x, int n)
{
    call->open = false;
    op_begin(name, at);
    if (n && !x) return op_fail(WEFT_ARGUMENT, "the list of operands is NULL");
    if (n < 0) return op_fail(WEFT_ARGUMENT, "%d operands", n);
    for (int i = 0; i < n && !thread.op.local; i++) op_speak_for(x[i]);
    for (int i = 0; i < n; i++)
        if (!op_check_operand(x[i], i)) return false;
    return (n > 0 || op_context(NULL)) && open_scope(call);
}

/* The result must be the caller's own: one that this call did not make is copied. */
weft_array *ops_keep(OpsCall *call, weft_array *r)
{
    if (!r || !array_concrete(r)) return r;
    if (r->owner != &call->scope) {
        NodeSpec given = { .dtype = (DType)r->dtype, .dim = r->dim, .rank = r->rank };
        r = op_apply(OP_RESHAPE, &r, 1, NULL, 0, &given);
    }
    return r && array_concrete(r) ? weft_lift(r) : r;
}

bool ops_give(OpsCall *call, weft_array **to, weft_array *r, bool good)
{
    if (!to) return good;
    *to = good ? ops_keep(call, r) : NULL;
    return *to != NULL;
}

weft_array *ops_end(OpsCall *call, weft_array *r)
{
    if (call->open) {
        r = ops_keep(call, r);
        scope_pop(&call->scope);
    }
    op_end();
    return r;
}

weft_status ops_end_status(OpsCall *call, bool good)
{
    struct Local *l = op_local();
    weft_status status = good ? WEFT_OK : l && l->error != WEFT_OK ? l->error : WEFT_ARGUMENT;
    ops_end(call, NULL);
    return status;
}

int ops_list_length(const weft_array *const *x, int n)
{
    if (n < -1 || !x) return n;
    int length = 0;
    while (length != n && x[length] != WEFT_LIST_END_) length++;
    return length;
}

/* ---- operands ---- */

DType ops_real(void)
{
    struct Local *l = op_local();
    return l ? context_real(l->ctx) : WEFT_F32;
}

DType ops_weak_float(DType t) { return dtype_is_inexact(t) ? t : ops_real(); }

DType ops_weak_complex(DType t) { return dtype_promote_weak_complex(ops_weak_float(t)); }

DType ops_promote(DType a, DType b)
{
    DType t = dtype_promote(a, b);
    return dtype_is_inexact(a) || dtype_is_inexact(b) ? t : dtype_is_float(t) ? ops_real() : t;
}

static DType number_dtype(int kind)
{
    return kind == WEFT_OPERAND_FLOAT_     ? ops_real()
           : kind == WEFT_OPERAND_COMPLEX_ ? ops_weak_complex(WEFT_BOOL)
           : kind == WEFT_OPERAND_BOOL_    ? WEFT_BOOL
                                           : WEFT_I32;
}

DType ops_common_dtype(const weft_operand *o, int n, OpsRule rule)
{
    DType t = WEFT_BOOL;
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (o[i].kind != WEFT_OPERAND_ARRAY_) continue;
        DType own_type = ops_dtype(o[i].v.a);
        t = any ? ops_promote(t, own_type) : own_type;
        any = true;
    }
    for (int i = 0; i < n; i++) {
        if (o[i].kind == WEFT_OPERAND_ARRAY_ || o[i].kind == WEFT_OPERAND_BOOL_) continue;
        t = o[i].kind == WEFT_OPERAND_COMPLEX_ ? ops_weak_complex(t)
            : o[i].kind == WEFT_OPERAND_FLOAT_ ? ops_weak_float(t)
                                               : dtype_promote_weak_int(t);
    }
    if (rule == RULE_INEXACT) return ops_weak_float(t);
    if (rule == RULE_NUMERIC) return dtype_promote_weak_int(t);
    return t;
}

/* Can the int type t hold the number? */
static bool int_fits(DType t, weft_operand o)
{
    bool is_unsigned = o.kind == WEFT_OPERAND_UINT_;
    if (t == WEFT_U64) return is_unsigned || o.v.i >= 0;
    if (is_unsigned && o.v.u > INT64_MAX) return false;
    return scalar_to_i64(t, scalar_from_i64(t, o.v.i)) == o.v.i;
}

static weft_array *int_number(DType t, weft_operand o)
{
    if (dtype_is_int(t) && !int_fits(t, o)) {
        if (o.kind == WEFT_OPERAND_UINT_)
            return op_fail(WEFT_ARGUMENT, "the number %llu does not fit in %s", (unsigned long long)o.v.u,
                           dtype_name(t));
        return op_fail(WEFT_ARGUMENT, "the number %lld does not fit in %s", (long long)o.v.i, dtype_name(t));
    }
    if (o.kind == WEFT_OPERAND_UINT_ && dtype_is_inexact(t)) return op_number(t, (double)o.v.u);
    if (t == WEFT_BOOL) return op_number(t, o.v.i != 0);
    return op_integer(t, o.v.i);
}

static weft_array *complex_number(DType t, weft_operand o)
{
    char element[16];
    if (!dtype_is_complex(t))
        return op_fail(WEFT_DTYPE, "a complex number cannot be %s: take its real part", dtype_name(t));
    scalar_from_parts(t, o.v.z[0], o.v.z[1], element);
    return op_element(t, element);
}

weft_array *ops_operand(weft_operand o, DType t)
{
    if (o.kind == WEFT_OPERAND_ARRAY_) return ops_convert(ops_in(o.v.a), t);
    if (o.kind == WEFT_OPERAND_COMPLEX_) return complex_number(t, o);
    if (o.kind != WEFT_OPERAND_FLOAT_) return int_number(t, o);
    return op_number(t, t == WEFT_BOOL ? o.v.f != 0 : o.v.f);
}

weft_array *ops_value(weft_operand o)
{
    return o.kind == WEFT_OPERAND_ARRAY_ ? ops_in(o.v.a) : ops_operand(o, number_dtype(o.kind));
}

weft_array *ops_unary(const char *name, OpsUnary *f, Op op, OpsRule rule, weft_operand o, const char *at)
{
    OpsCall call;
    if (!ops_begin(&call, name, at, NULL, &o, 1)) return ops_end(&call, NULL);
    weft_array *x = ops_operand(o, ops_common_dtype(&o, 1, rule));
    return ops_end(&call, f ? f(x) : op_unary(op, x));
}

static Type operand_type(weft_operand o)
{
    return o.kind == WEFT_OPERAND_ARRAY_ ? array_type(o.v.a)
                                         : (Type){ (uint8_t)number_dtype(o.kind), 0, NULL };
}

bool ops_unify(const weft_operand *o, int n, OpsRule rule, weft_array **out)
{
    Type type[4] = { { 0 } };
    Shape shape;
    for (int i = 0; i < n; i++) type[i] = operand_type(o[i]);
    if (!ops_common_shape(type, n, &shape)) return false;
    DType t = ops_common_dtype(o, n, rule);
    for (int i = 0; i < n; i++)
        if (!(out[i] = ops_broadcast(ops_operand(o[i], t), shape.dim, shape.rank))) return false;
    return true;
}

/* ---- shapes ---- */

static int64_t dim_from_end(Type t, int i) { return i < t.rank ? t.dim[t.rank - 1 - i] : 1; }

bool ops_common_shape(const Type *t, int n, Shape *out)
{
    out->rank = 0;
    for (int k = 0; k < n; k++)
        if (t[k].rank > out->rank) out->rank = t[k].rank;
    for (int i = 0; i < out->rank; i++) {
        int from = 0;
        int64_t size = 1;
        for (int k = 0; k < n; k++) {
            int64_t d = dim_from_end(t[k], i);
            if (d == 1 || d == size) continue;
            if (size != 1) {
                return op_fail(WEFT_SHAPE, "shapes %s and %s do not broadcast (axis %d: %lld against %lld)",
                               TYPE_TEXT(t[from]), TYPE_TEXT(t[k]), out->rank - 1 - i, (long long)size,
                               (long long)d);
            }
            size = d;
            from = k;
        }
        out->dim[out->rank - 1 - i] = size;
    }
    return true;
}

bool ops_fits(Type t, const int64_t *dim, int rank)
{
    if (t.rank > rank) return false;
    for (int i = 0; i < t.rank; i++)
        if (t.dim[i] != 1 && t.dim[i] != dim[rank - t.rank + i]) return false;
    return true;
}

char *ops_dims_text(char *buf, size_t size, const int64_t *dim, int rank)
{
    size_t used = (size_t)snprintf(buf, size, "[");
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%lld", i ? "," : "", (long long)dim[i]);
    if (used < size) snprintf(buf + used, size - used, "]");
    return buf;
}

bool ops_unused(bool given, const char *option)
{
    return !given || op_fail(WEFT_ARGUMENT, "the option %s does not apply here", option);
}

/* A number is an address in the first page, or in the last one if it is negative. */
bool ops_is_text(const char *text, const char *option, const char *written)
{
    enum { PAGE = 4096 };
    intptr_t n = (intptr_t)text;
    if (text ? n < -PAGE || n >= PAGE : !written_null(written, option)) return true;
    return op_fail(WEFT_ARGUMENT, ".%s = %d is no text: write .%s = \"%d\"%s", option, (int)n, option, (int)n,
                   text ? "" : ", or leave it out");
}

bool ops_is_int(const char *option, const char *written)
{
    return !written_float(written, option) ||
           op_fail(WEFT_ARGUMENT, ".%s is a floating-point number: it must be an integer", option);
}

bool ops_dtype_ok(weft_dtype t)
{
    if ((unsigned)t < DTYPE_COUNT) return true;
    return op_fail(WEFT_ARGUMENT, "%d is no element type (0 to %d)", (int)t, DTYPE_COUNT - 1);
}

bool ops_float_ok(DType t)
{
    return ((unsigned)t < DTYPE_COUNT && dtype_is_float(t)) ||
           op_fail(WEFT_DTYPE, "the element type must be a float's");
}

bool ops_int_ok(Type t, const char *must)
{
    return dtype_is_int((DType)t.dtype) || op_fail(WEFT_DTYPE, "%s, not %s", must, TYPE_TEXT(t));
}

bool ops_rank_ok(int64_t rank)
{
    if (rank >= 0 && rank <= WEFT_MAX_RANK) return true;
    return op_fail(WEFT_SHAPE, "rank %lld is over the limit of %d axes", (long long)rank, WEFT_MAX_RANK);
}

bool ops_sizes_ok(const int64_t *dim, int rank)
{
    if (!ops_rank_ok(rank)) return false;
    return rank == 0 || dim || op_fail(WEFT_ARGUMENT, "the list of %d numbers is NULL", rank);
}

bool ops_dims_ok(DType t, const int64_t *dim, int rank)
{
    if (!ops_sizes_ok(dim, rank)) return false;
    for (int i = 0; i < rank; i++) {
        if (dim[i] >= 0) continue;
        return op_fail(WEFT_SHAPE, "size %lld of axis %d is negative", (long long)dim[i], i);
    }
    Type type = { (uint8_t)t, (uint8_t)rank, dim };
    if (type_count(type) >= 0) return true;
    return op_fail(WEFT_SHAPE, "%s %s", TYPE_TEXT(type), type_overflow(type));
}

bool ops_axis(int64_t axis, int rank, Type of, int *out)
{
    if (axis >= -rank && axis < rank) {
        *out = (int)(axis < 0 ? axis + rank : axis);
        return true;
    }
    if (rank == 0)
        op_fail(WEFT_ARGUMENT, "axis %lld is out of range: %s has no axes", (long long)axis, TYPE_TEXT(of));
    else
        op_fail(WEFT_ARGUMENT, "axis %lld is out of range for %s (%d to %d)", (long long)axis, TYPE_TEXT(of),
                -rank, rank - 1);
    return false;
}

int64_t ops_number(const char *text, const char **end)
{
    char *behind;
    while (isspace((unsigned char)*text)) text++;
    errno = 0;
    int64_t v = strtoll(text, &behind, 10);
    if (errno == ERANGE) {
        int digits = (int)(behind - text < 100 ? behind - text : 100);
        op_fail(WEFT_ARGUMENT, "the number %.*s does not fit in an int64", digits, text);
        behind = (char *)(uintptr_t)text;
    }
    *end = behind;
    return v;
}

static bool axes_fail(const char *text)
{
    return op_fail(WEFT_ARGUMENT, "axes \"%s\" are not a list of numbers like \"0,-1\"", text);
}

const char *ops_skip_spaces(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

const char *ops_entry(const char *s, int most, int64_t *numbers, int *given)
{
    for (*given = 0; *given < most; s++) {
        const char *end;
        numbers[(*given)++] = ops_number(s, &end);
        if (end == s) return NULL;
        s = ops_skip_spaces(end);
        if (!*s) return s;
        if (*s == ',') return *(s = ops_skip_spaces(s + 1)) ? s : NULL;
        if (*s != ':') return NULL;
    }
    return NULL;
}

bool ops_axes(const char *text, Type of, AxisList *out)
{
    uint64_t seen = 0;
    out->n = text ? 0 : axes_without(0, of.rank, out->axis);
    if (!text) return true;
    const char *s = ops_skip_spaces(text);
    while (*s) {
        const char *end;
        int axis;
        int64_t v = ops_number(s, &end);
        if (end == s) return axes_fail(text);
        if (!ops_axis(v, of.rank, of, &axis)) return false;
        if (seen >> axis & 1) {
            return op_fail(WEFT_ARGUMENT, "axes \"%s\" name axis %d of %s twice", text, axis, TYPE_TEXT(of));
        }
        seen |= (uint64_t)1 << axis;
        out->axis[out->n++] = axis;
        s = ops_skip_spaces(end);
        if (*s && *s != ',') return axes_fail(text);
        if (*s && !*(s = ops_skip_spaces(s + 1))) return axes_fail(text);
    }
    return true;
}

bool ops_axes_ascending(const char *text, Type of, AxisList *out)
{
    if (!ops_axes(text, of, out)) return false;
    out->n = axes_without(~axes_mask(out->axis, out->n), of.rank, out->axis);
    return true;
}

/* ---- primitives ---- */

static bool same_dims(Type t, const int64_t *dim, int rank)
{
    return shape_equal(t, (Type){ t.dtype, (uint8_t)rank, dim });
}

/* The number that weft_scalar was given, in doubles, as an array of x's shape: a trace keeps it as data. A
 * parameter may stand for such a scalar: trace_widens notes it, and a call that would lose digits by it is
 * refused. */
static weft_array *exact_values(const weft_array *x)
{
    Type t = array_type(x);
    DType wide = t.dtype == WEFT_C64 ? WEFT_C128 : WEFT_F64;
    weft_array *a = array_new(op_local(), type_scalar(wide), thread.op.name, thread.op.at);
    if (a) scalar_from_parts(wide, x->exact, x->exact_imag, a->data);
    return a ? ops_broadcast(a, t.dim, t.rank) : NULL;
}

weft_array *ops_convert_as_is(weft_array *x, DType to)
{
    if (!x || array_type(x).dtype == to) return x;
    return op_apply(OP_CONVERT, &x, 1, NULL, 0, &(NodeSpec){ .dtype = to });
}

weft_array *ops_convert(weft_array *x, DType to)
{
    if (!x || array_type(x).dtype == to) return x;
    if (to == WEFT_BOOL) return ops_nonzero(x);
    bool promoted = dtype_part(to) == WEFT_F64 && dtype_part((DType)array_type(x).dtype) == WEFT_F32;
    if (promoted && x->rounded) return ops_convert(exact_values(x), to);
    if (promoted && array_is_traced(x)) trace_widens(x);
    return ops_convert_as_is(x, to);
}

bool ops_no_complex(const weft_array *x)
{
    if (!x || !dtype_is_complex(ops_dtype(x))) return true;
    return op_fail(WEFT_DTYPE, "element type %s is not taken (allowed: floats)", dtype_name(ops_dtype(x)));
}

weft_array *ops_inexact(weft_array *x) { return x ? ops_convert(x, ops_weak_float(ops_dtype(x))) : NULL; }

weft_array *ops_bitcast(weft_array *x, DType to)
{
    return x ? op_apply(OP_BITCAST, &x, 1, NULL, 0, &(NodeSpec){ .dtype = to }) : NULL;
}

weft_array *ops_reshape(weft_array *x, const int64_t *dim, int rank)
{
    if (!x || same_dims(array_type(x), dim, rank)) return x;
    return op_apply(OP_RESHAPE, &x, 1, NULL, 0, &(NodeSpec){ .dim = dim, .rank = rank });
}

weft_array *ops_broadcast_axes(weft_array *x, const int64_t *dim, int rank, const int64_t *axes)
{
    if (!x) return NULL;
    return op_apply(OP_BROADCAST, &x, 1, axes, array_type(x).rank, &(NodeSpec){ .dim = dim, .rank = rank });
}

weft_array *ops_broadcast(weft_array *x, const int64_t *dim, int rank)
{
    if (!x || same_dims(array_type(x), dim, rank)) return x;
    int64_t axes[WEFT_MAX_RANK];
    int own_rank = array_type(x).rank;
    for (int i = 0; i < own_rank; i++) axes[i] = rank - own_rank + i;
    return ops_broadcast_axes(x, dim, rank, axes);
}

weft_array *ops_stretch(weft_array *x, const int64_t *dim, int rank)
{
    if (!x || ops_fits(array_type(x), dim, rank)) return ops_broadcast(x, dim, rank);
    return op_fail(WEFT_SHAPE, "%s does not broadcast to %s", TYPE_TEXT(array_type(x)), OPS_DIMS(dim, rank));
}

weft_array *ops_transpose(weft_array *x, const int64_t *perm)
{
    if (!x) return NULL;
    int rank = array_type(x).rank, i = 0;
    while (i < rank && perm[i] == i) i++;
    return i == rank ? x : op_apply(OP_TRANSPOSE, &x, 1, perm, rank, NULL);
}

weft_array *ops_expand(weft_array *x, int axis)
{
    if (!x) return NULL;
    Type t = array_type(x);
    if (!ops_rank_ok(t.rank + 1)) return NULL;
    int64_t dim[WEFT_MAX_RANK];
    for (int i = 0; i <= t.rank; i++) dim[i] = i < axis ? t.dim[i] : i == axis ? 1 : t.dim[i - 1];
    return ops_reshape(x, dim, t.rank + 1);
}

weft_array *ops_slice_axis(weft_array *x, int axis, int64_t start, int64_t limit, int64_t stride)
{
    if (!x) return NULL;
    Type t = array_type(x);
    int64_t attr[3 * WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) {
        attr[i] = i == axis ? start : 0;
        attr[t.rank + i] = i == axis ? limit : t.dim[i];
        attr[2 * t.rank + i] = i == axis ? stride : 1;
    }
    return op_apply(OP_SLICE, &x, 1, attr, 3 * t.rank, NULL);
}

weft_array *ops_concatenate(weft_array *const *x, int n, int axis)
{
    return op_apply(OP_CONCATENATE, x, n, (int64_t[]){ axis }, 1, NULL);
}

static bool unify_two(weft_array **a, weft_array **b)
{
    if (!*a || !*b) return false;
    weft_operand o[2] = { weft_of_array(*a), weft_of_array(*b) };
    weft_array *x[2];
    if (!ops_unify(o, 2, RULE_SAME, x)) return false;
    *a = x[0];
    *b = x[1];
    return true;
}

weft_array *ops_binary(Op op, weft_array *a, weft_array *b)
{
    return unify_two(&a, &b) ? op_binary(op, a, b) : NULL;
}

weft_array *ops_part(Op op, weft_array *x) { return x ? op_unary(op, x) : NULL; }

/* By real, then by imaginary parts. */
static weft_array *compare_parts(CompareDir dir, weft_array *a, weft_array *b)
{
    weft_array *x = ops_part(OP_REAL, a), *y = ops_part(OP_REAL, b);
    return ops_select(ops_compare(CMP_EQ, x, y), ops_compare(dir, ops_part(OP_IMAG, a), ops_part(OP_IMAG, b)),
                      ops_compare(dir, x, y));
}

weft_array *ops_compare(CompareDir dir, weft_array *a, weft_array *b)
{
    if (!unify_two(&a, &b)) return NULL;
    if (dtype_is_complex(ops_dtype(a)) && dir != CMP_EQ && dir != CMP_NE) return compare_parts(dir, a, b);
    int64_t attr[2] = { dir, compare_order(ops_dtype(a)) };
    return op_apply(OP_COMPARE, (weft_array *[]){ a, b }, 2, attr, 2, NULL);
}

weft_array *ops_select(weft_array *p, weft_array *t, weft_array *f)
{
    if (!p || !t || !f) return NULL;
    Shape shape;
    if (!ops_common_shape((Type[]){ array_type(p), array_type(t), array_type(f) }, 3, &shape)) return NULL;
    if (array_type(p).rank) p = ops_broadcast(p, shape.dim, shape.rank);
    t = ops_broadcast(t, shape.dim, shape.rank);
    f = ops_broadcast(f, shape.dim, shape.rank);
    return op_apply(OP_SELECT, (weft_array *[]){ p, t, f }, 3, NULL, 0, NULL);
}

weft_array *ops_splat(DType t, const int64_t *dim, int rank, uint64_t bits)
{
    return ops_broadcast(op_scalar(t, bits), dim, rank);
}

weft_array *ops_fill(const weft_array *like, double v)
{
    if (!like) return NULL;
    Type t = array_type(like);
    return ops_broadcast(op_number((DType)t.dtype, v), t.dim, t.rank);
}

weft_array *ops_with(Op op, weft_array *x, double v) { return x ? op_binary(op, x, ops_fill(x, v)) : NULL; }
weft_array *ops_from(Op op, double v, weft_array *x) { return x ? op_binary(op, ops_fill(x, v), x) : NULL; }
weft_array *ops_compare_with(CompareDir d, weft_array *x, double v)
{
    return x ? ops_compare(d, x, ops_fill(x, v)) : NULL;
}

weft_array *ops_nonzero(weft_array *x)
{
    return x && array_type(x).dtype == WEFT_BOOL ? x : ops_compare_with(CMP_NE, x, 0);
}

weft_array *ops_iota(DType t, const int64_t *dim, int rank, int axis)
{
    return op_apply(OP_IOTA, NULL, 0, (int64_t[]){ axis }, 1,
                    &(NodeSpec){ .dtype = t, .dim = dim, .rank = rank });
}

weft_array *ops_keep_axes(weft_array *r, Type of, const AxisList *axes)
{
    int64_t dim[WEFT_MAX_RANK];
    if (of.rank) memcpy(dim, of.dim, (size_t)of.rank * sizeof *dim);
    for (int i = 0; i < axes->n; i++) dim[axes->axis[i]] = 1;
    return ops_reshape(r, dim, of.rank);
}

weft_array *ops_reduce(Op monoid, weft_array *x, const AxisList *axes, bool keep)
{
    if (!x || axes->n == 0) return x;
    int64_t attr[1 + WEFT_MAX_RANK] = { monoid };
    memcpy(attr + 1, axes->axis, (size_t)axes->n * sizeof *attr);
    weft_array *r = op_apply(OP_REDUCE, &x, 1, attr, 1 + axes->n, NULL);
    return r && keep ? ops_keep_axes(r, array_type(x), axes) : r;
}
