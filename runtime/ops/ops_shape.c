/* ops_shape.c: ops that only move elements: compositions of reshape, transpose, broadcast, slice, reverse,
 * pad and concatenate. */
#include "ops_compose.h"
#include <string.h>

static void copy_dims(int64_t *to, const int64_t *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* ---- reshape ---- */

/* Puts what remains in place of the one -1. */
static bool complete_dims(Type of, int64_t *dim, int rank)
{
    int64_t known = 1, count = type_count(of);
    int open = -1;
    bool good = true;
    for (int i = 0; i < rank; i++) {
        if (dim[i] == -1 && open < 0) open = i;
        else good = good && dim[i] >= 0 && !__builtin_mul_overflow(known, dim[i], &known);
    }
    if (good && open >= 0 && known > 0 && count % known == 0) dim[open] = known = count / known;
    else if (open >= 0 || known != count) good = false;
    if (good) return true;
    return op_fail(WEFT_SHAPE, "%s of %lld elements cannot become %s%s", TYPE_TEXT(of), (long long)count,
                   OPS_DIMS(dim, rank),
                   open >= 0 ? " (one size may be -1, the others must divide the number of elements)" : "");
}

OPS_ENTRY(reshape, (int rank, const int64_t *dim), (), (rank, dim))
{
    int64_t whole[WEFT_MAX_RANK];
    if (!ops_sizes_ok(dim, rank)) return NULL;
    copy_dims(whole, dim, rank);
    return complete_dims(array_type(x), whole, rank) ? ops_reshape(x, whole, rank) : NULL;
}

OPS_ENTRY_OF(ravel, (const weft_array *x, const char *at), (weft_of_array(x)),
             ops_reshape(ops_in(x), (int64_t[]){ type_count(array_type(x)) }, 1))

weft_array *(weft_ravel)(weft_array *x) { return weft_ravel_(x, NULL); }

OPS_ENTRY(expand_dims, (int axis), (), (axis))
{
    int place, rank = array_type(x).rank + 1;
    return ops_axis(axis, rank, array_type(x), &place) ? ops_expand(x, place) : NULL;
}

OPS_ENTRY(squeeze, (const char *axes), (), (axes))
{
    Type t = array_type(x);
    AxisList named = { 0 };
    if (axes && !ops_axes(axes, t, &named)) return NULL;
    for (int i = 0; i < named.n; i++)
        if (t.dim[named.axis[i]] != 1)
            return op_fail(WEFT_SHAPE, "axis %d of %s does not have size 1", (int)named.axis[i],
                           TYPE_TEXT(t));
    uint32_t gone = axes_mask(named.axis, named.n);
    int64_t dim[WEFT_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < t.rank; i++)
        if (axes ? !(gone >> i & 1) : t.dim[i] != 1) dim[rank++] = t.dim[i];
    return ops_reshape(x, dim, rank);
}

weft_array *(weft_squeeze)(weft_array *x) { return weft_squeeze_(x, NULL, NULL); }

/* ---- the order of axes ---- */

static weft_array *permute(weft_array *x, const AxisList *order)
{
    Type t = array_type(x);
    if (order->n == t.rank) return ops_transpose(x, order->axis);
    return op_fail(WEFT_ARGUMENT, "%d axes are given for %s (all %d, each once)", order->n, TYPE_TEXT(t),
                   t.rank);
}

OPS_ENTRY(transpose, (const char *axes), (), (axes))
{
    AxisList order;
    if (!ops_axes(axes, array_type(x), &order)) return NULL;
    if (!axes)
        for (int i = 0; i < order.n; i++) order.axis[i] = order.n - 1 - i;
    return permute(x, &order);
}

weft_array *(weft_transpose)(weft_array *x) { return weft_transpose_(x, NULL, NULL); }

OPS_ENTRY(permute_dims, (int n, const int64_t *axes), (), (n, axes))
{
    Type t = array_type(x);
    AxisList order = { 0 };
    uint64_t seen = 0;
    if (!ops_sizes_ok(axes, n)) return NULL;
    for (int i = 0; i < n; i++) {
        int axis;
        if (!ops_axis(axes[i], t.rank, t, &axis)) return NULL;
        if (seen >> axis & 1)
            return op_fail(WEFT_ARGUMENT, "axis %d of %s is named twice", axis, TYPE_TEXT(t));
        seen |= (uint64_t)1 << axis;
        order.axis[i] = axis;
    }
    order.n = n;
    return permute(x, &order);
}

OPS_ENTRY(moveaxis, (int from, int to), (), (from, to))
{
    Type t = array_type(x);
    int a, b;
    int64_t perm[WEFT_MAX_RANK];
    if (!ops_axis(from, t.rank, t, &a) || !ops_axis(to, t.rank, t, &b)) return NULL;
    for (int i = 0, next = 0; i < t.rank; i++) {
        if (i == b) perm[i] = a;
        else {
            if (next == a) next++;
            perm[i] = next++;
        }
    }
    return ops_transpose(x, perm);
}

OPS_ENTRY(swapaxes, (int first, int second), (), (first, second))
{
    Type t = array_type(x);
    int a, b;
    int64_t perm[WEFT_MAX_RANK];
    if (!ops_axis(first, t.rank, t, &a) || !ops_axis(second, t.rank, t, &b)) return NULL;
    for (int i = 0; i < t.rank; i++) perm[i] = i == a ? b : i == b ? a : i;
    return ops_transpose(x, perm);
}

/* ---- more of the same elements ---- */

OPS_ENTRY(broadcast_to, (int rank, const int64_t *dim), (), (rank, dim))
{
    Type t = array_type(x);
    return ops_dims_ok((DType)t.dtype, dim, rank) ? ops_stretch(x, dim, rank) : NULL;
}

/* Each axis d becomes 1, d and is stretched to r, d. */
OPS_ENTRY(tile, (int n, const int64_t *times), (), (n, times))
{
    Type t = array_type(x);
    int rank = n > t.rank ? n : t.rank, parts = 0;
    int64_t apart[2 * WEFT_MAX_RANK], stretched[2 * WEFT_MAX_RANK], whole[WEFT_MAX_RANK];
    if (!ops_sizes_ok(times, n) || !ops_rank_ok(rank)) return NULL;
    for (int i = 0; i < rank; i++) {
        int own = i - (rank - t.rank), given = i - (rank - n);
        int64_t d = own >= 0 ? t.dim[own] : 1, r = given >= 0 ? times[given] : 1;
        if (r < 0) return op_fail(WEFT_ARGUMENT, "%lld copies (0 or more)", (long long)r);
        if (__builtin_mul_overflow(r, d, &whole[i]))
            return op_fail(WEFT_SHAPE, "the size of axis %d overflows", i);
        if (r != 1) apart[parts] = 1, stretched[parts++] = r;
        apart[parts] = stretched[parts] = d;
        parts++;
    }
    if (!ops_rank_ok(parts) || !ops_dims_ok((DType)t.dtype, whole, rank)) return NULL;
    return ops_reshape(ops_broadcast(ops_reshape(x, apart, parts), stretched, parts), whole, rank);
}

OPS_ENTRY(repeat, (int64_t n, int axis), (), (n, axis))
{
    Type t = array_type(x);
    int a;
    int64_t stretched[WEFT_MAX_RANK + 1], whole[WEFT_MAX_RANK];
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    if (n < 0) return op_fail(WEFT_ARGUMENT, "%lld copies (0 or more)", (long long)n);
    copy_dims(whole, t.dim, t.rank);
    if (__builtin_mul_overflow(n, whole[a], &whole[a]))
        return op_fail(WEFT_SHAPE, "the size of axis %d overflows", a);
    if (!ops_dims_ok((DType)t.dtype, whole, t.rank)) return NULL;
    weft_array *apart = ops_expand(x, a + 1);
    if (!apart) return NULL;
    copy_dims(stretched, t.dim, a + 1);
    stretched[a + 1] = n;
    copy_dims(stretched + a + 2, t.dim + a + 1, t.rank - a - 1);
    return ops_reshape(ops_broadcast(apart, stretched, t.rank + 1), whole, t.rank);
}

/* ---- together and apart ---- */

/* All in their common type; room: n pointers. */
static bool promote_list(const weft_array *const *x, int n, weft_array **room)
{
    DType t = ops_dtype(x[0]);
    for (int i = 1; i < n; i++) t = ops_promote(t, ops_dtype(x[i]));
    for (int i = 0; i < n; i++)
        if (!(room[i] = ops_convert(ops_in(x[i]), t))) return false;
    return true;
}

/* stack: along a new axis, of arrays of one shape. */
static weft_array *joined(bool stack, int axis, int n, const weft_array *const *x, weft_array **room)
{
    Type t = array_type(x[0]);
    int a;
    if (!ops_axis(axis, t.rank + stack, t, &a)) return NULL;
    for (int i = 1; stack && i < n; i++) {
        Type other = array_type(x[i]);
        if (!shape_equal(t, other))
            return op_fail(WEFT_SHAPE, "operands %s and %s must have one shape", TYPE_TEXT(t),
                           TYPE_TEXT(other));
    }
    if (!promote_list(x, n, room)) return NULL;
    for (int i = 0; stack && i < n; i++) room[i] = ops_expand(room[i], a);
    return ops_concatenate(room, n, a);
}

static weft_array *join(const char *name, bool stack, int axis, int n, const weft_array *const *x,
                        const char *at)
{
    OpsCall call;
    n = ops_list_length(x, n);
    if (!ops_begin_list(&call, name, at, x, n)) return ops_end(&call, NULL);
    if (n == 0) return ops_end(&call, op_fail(WEFT_ARGUMENT, "there is nothing to join"));
    Memory *memory = &op_local()->ctx->memory;
    size_t bytes = (size_t)n * sizeof(weft_array *);
    weft_array **room = memory_alloc(memory, bytes);
    weft_array *r = room ? joined(stack, axis, n, x, room) : op_fail(WEFT_MEMORY, "out of memory");
    memory_free(memory, room, bytes);
    return ops_end(&call, r);
}

weft_array *weft_concatenate_(int axis, int n, const weft_array *const *x, const char *at)
{
    return join("weft_concatenate", false, axis, n, x, at);
}

weft_array *weft_stack_arrays_(int axis, int n, const weft_array *const *x, const char *at)
{
    return join("weft_stack_arrays", true, axis, n, x, at);
}

static bool split(OpsCall *call, weft_array *x, int n, int axis, weft_array **parts)
{
    Type t = array_type(x);
    int a, made = 0;
    if (!ops_axis(axis, t.rank, t, &a)) return false;
    if (n < 1 || t.dim[a] % n) {
        return op_fail(WEFT_SHAPE, "axis %d of %s does not split into %d equal parts", a, TYPE_TEXT(t), n);
    }
    int64_t size = t.dim[a] / n;
    for (; made < n; made++) {
        weft_array *part = ops_slice_axis(x, a, made * size, (made + 1) * size, 1);
        if (!(parts[made] = ops_keep(call, part))) break;
    }
    if (made == n) return true;
    while (made > 0) weft_free(parts[--made]);
    return false;
}

weft_status weft_split_(const weft_array *x, int n, int axis, weft_array **parts, const char *at)
{
    OpsCall call;
    bool good = ops_begin_on(&call, "weft_split", at, x, NULL);
    if (good && !parts) good = op_fail(WEFT_ARGUMENT, "parts is NULL");
    good = good && split(&call, ops_in(x), n, axis, parts);
    if (!good && parts)
        for (int i = 0; i < n; i++) parts[i] = NULL;
    return ops_end_status(&call, good);
}

/* ---- around ---- */

OPS_ENTRY(roll, (int64_t shift, int axis), (), (shift, axis))
{
    Type t = array_type(x);
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    int64_t n = t.dim[a], first = n ? (n - shift % n) % n : 0; /* where the result starts in x */
    if (first == 0) return x;
    return ops_concatenate(
        (weft_array *[]){ ops_slice_axis(x, a, first, n, 1), ops_slice_axis(x, a, 0, first, 1) }, 2, a);
}

OPS_ENTRY(flip, (const char *axes), (), (axes))
{
    AxisList backwards;
    if (!ops_axes_ascending(axes, array_type(x), &backwards)) return NULL;
    return backwards.n ? op_apply(OP_REVERSE, &x, 1, backwards.axis, backwards.n, NULL) : x;
}

weft_array *(weft_flip)(weft_array *x) { return weft_flip_(x, NULL, NULL); }

/* ---- pad ---- */

static bool widths_fail(const char *text)
{
    return op_fail(WEFT_ARGUMENT,
                   "widths \"%s\" are not like \"1:2, 0:0\" (low:high or low:high:between for each axis)",
                   text);
}

/* Entries like "2", "1:2" and "1:2:3", one for each axis or one for all, as PAD's attributes. */
bool ops_widths(const char *text, Type of, int64_t *attr)
{
    int64_t entry[WEFT_MAX_RANK][3];
    int n = 0, given;
    if (!text) return widths_fail("");
    for (const char *s = text; *s; n++) {
        int64_t v[3] = { 0 };
        if (!(s = ops_entry(s, 3, v, &given))) return widths_fail(text);
        if (n == WEFT_MAX_RANK) return ops_rank_ok(WEFT_MAX_RANK + 1);
        if (given == 1) v[1] = v[0];
        memcpy(entry[n], v, sizeof v);
    }
    if (n != of.rank && (n != 1 || of.rank == 0))
        return op_fail(WEFT_ARGUMENT, "widths \"%s\" are for %d axes, but %s has %d", text, n, TYPE_TEXT(of),
                       of.rank);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < of.rank; i++) attr[k * of.rank + i] = entry[n == 1 ? 0 : i][k];
    return true;
}

OPS_ENTRY(pad, (weft_operand value, const char *widths), (value), (value, widths))
{
    Type t = array_type(x);
    int64_t attr[3 * WEFT_MAX_RANK];
    if (!ops_widths(widths, t, attr)) return NULL;
    weft_array *filler = ops_operand(value, (DType)t.dtype);
    return op_apply(OP_PAD, (weft_array *[]){ x, filler }, 2, attr, 3 * t.rank, NULL);
}
