/* graphs_pieces.c: makers of programs whose conditions on an index change within a loop: arrays rolled,
 * shifted and set in part, indices clipped and wrapped, stencils, and carries that are updated in place. */
#include "tests/graphs/graphs_parts.h"

static Ref put(Maker *m, Op op, const Ref *args, uint32_t n)
{
    return maker_put(m, &(NodeSpec){ .op = op, .args = args, .n_args = n });
}

static Ref all_of(Maker *m, DType t, const Shape *s, int64_t number)
{
    uint64_t bits[2] = { t == WEFT_BOOL ? (uint64_t)(number & 1) : scalar_from_double(t, (double)number) };
    return maker_put(m, &(NodeSpec){ .op = OP_CONSTANT,
                                     .attr = (int64_t[]){ 1 },
                                     .n_attr = 1,
                                     .data = bits,
                                     .dtype = t,
                                     .dim = s->dim,
                                     .rank = s->rank });
}

static Ref any_number(Maker *m, DType t)
{
    Shape one = { 0, { 0 } };
    return chance(m, 60) ? all_of(m, t, &one, below(m, 3)) : maker_like(m, t, &one);
}

/* Elements start, start + stride, ... below limit of one axis. */
static Ref slice_of(Maker *m, Ref a, int axis, int64_t start, int64_t limit, int64_t stride)
{
    Type t = type_of(m, a);
    int64_t attr[3 * WEFT_MAX_RANK];
    for (int i = 0; i < t.rank; i++) attr[i] = 0, attr[t.rank + i] = t.dim[i], attr[2 * t.rank + i] = 1;
    attr[axis] = start, attr[t.rank + axis] = limit, attr[2 * t.rank + axis] = stride;
    return maker_attr(m, OP_SLICE, a, attr, 3 * t.rank);
}

static Ref pad_of(Maker *m, Ref a, int axis, int64_t low, int64_t high, int64_t between)
{
    int rank = type_of(m, a).rank;
    int64_t attr[3 * WEFT_MAX_RANK] = { 0 };
    attr[axis] = low, attr[rank + axis] = high, attr[2 * rank + axis] = between;
    return maker_put(m, &(NodeSpec){ .op = OP_PAD,
                                     .args = (Ref[]){ a, any_number(m, dtype_of(m, a)) },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = 3 * (uint32_t)rank });
}

static Ref joined(Maker *m, const Ref *pieces, uint32_t n, int axis)
{
    return maker_put(
        m, &(NodeSpec){
               .op = OP_CONCATENATE, .args = pieces, .n_args = n, .attr = (int64_t[]){ axis }, .n_attr = 1 });
}

Ref maker_with_axis(Maker *m, int64_t least, int *axis)
{
    for (int tries = 0; tries < 8; tries++) {
        Ref a = maker_any(m);
        Shape s = shape_of(m, a);
        if (s.rank == 0 || shape_count(&s) > MAX_ELEMENTS / 2) continue;
        *axis = (int)below(m, (uint32_t)s.rank);
        if (s.dim[*axis] >= least && shape_count(&s)) return a;
    }
    Shape s = { 2, { 1 + below(m, 3), least + below(m, 80) } };
    Ref a = maker_like(m, maker_dtype(m), &s);
    *axis = 1;
    return a;
}

/* What meets any program: a sum, a product; of bools, something else. */
static Ref combined(Maker *m, Ref a, Ref b)
{
    DType t = dtype_of(m, a);
    Op op = t == WEFT_BOOL ? OP_XOR : (Op[]){ OP_ADD, OP_SUB, OP_MUL, OP_MAX }[below(m, 4)];
    return maker_binary(m, op, a, b);
}

/* What costs so much that it is not computed twice without a reason. */
static Ref dear(Maker *m, Ref a)
{
    static const Op ops[] = { OP_TANH, OP_LOGISTIC, OP_SIN, OP_ERF };
    DType t = dtype_of(m, a);
    if (dtype_is_float(t)) return put(m, ops[below(m, 4)], &a, 1);
    return t == WEFT_BOOL ? a : maker_binary(m, OP_MUL, a, maker_binary(m, OP_ADD, a, a));
}

/* ---- moved ---- */

static Ref rolled(Maker *m, Ref a, int axis)
{
    int64_t n = type_of(m, a).dim[axis], by = 1 + below(m, (uint32_t)(n - 1));
    Ref pieces[2] = { slice_of(m, a, axis, n - by, n, 1), slice_of(m, a, axis, 0, n - by, 1) };
    return joined(m, pieces, 2, axis);
}

static Ref shifted(Maker *m, Ref a, int axis)
{
    int64_t n = type_of(m, a).dim[axis], by = (int64_t)below(m, (uint32_t)(2 * n + 3)) - n - 1;
    if (chance(m, 60)) by = (int64_t)below(m, 7) - 3;
    return by > n || by < -n ? a : pad_of(m, a, axis, by, -by, 0);
}

Ref make_moved(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 2, &axis), v = chance(m, 40) ? dear(m, a) : a;
    for (uint32_t i = 1 + below(m, 2); i > 0; i--) {
        Shape s = shape_of(m, v);
        int along = chance(m, 60) ? axis : (int)below(m, (uint32_t)s.rank);
        if (s.dim[along] < 2) along = axis;
        Ref w = chance(m, 50) ? rolled(m, v, along) : shifted(m, v, along);
        v = chance(m, 60) ? combined(m, w, v) : w;
    }
    return v;
}

/* Neighbours together, and perhaps their neighbours; smaller by that, or filled up again. */
Ref make_stencil(Maker *m)
{
    int axis;
    Ref v = maker_with_axis(m, 7, &axis);
    int64_t n = type_of(m, v).dim[axis];
    uint32_t times = 1 + below(m, 2), reach = 1 + below(m, 3);
    for (uint32_t i = 0; i < times; i++) {
        int64_t now = type_of(m, v).dim[axis];
        if (now <= reach) return v;
        if (chance(m, 60)) v = dear(m, v);
        Ref sum = slice_of(m, v, axis, 0, now - reach, 1);
        for (uint32_t k = 1; k <= reach; k++)
            sum = combined(m, sum, slice_of(m, v, axis, k, now - reach + k, 1));
        v = sum;
    }
    int64_t lost = n - type_of(m, v).dim[axis], low = below(m, (uint32_t)lost + 1);
    return chance(m, 50) ? pad_of(m, v, axis, low, lost - low, 0) : v;
}

/* ---- set in part ---- */

/* Mostly within, at times beyond the end, where it is clamped. */
static Ref any_start(Maker *m, DType t, int64_t n)
{
    Shape one = { 0, { 0 } };
    int64_t most = t == WEFT_I8 ? 127 : t == WEFT_U8 ? 255 : 1000, at = below(m, (uint32_t)n + 2);
    return chance(m, 85) ? all_of(m, t, &one, at < most ? at : most) : maker_like(m, t, &one);
}

Ref make_set_slices(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 2, &axis);
    Shape s = shape_of(m, a);
    DType t = dtype_of(m, a), index = maker_int(m);
    if (chance(m, 50)) a = all_of(m, t, &s, 0);
    for (uint32_t i = 1 + below(m, 3); i > 0; i--) {
        Ref args[2 + WEFT_MAX_RANK] = { a };
        Shape part = s;
        for (int d = 0; d < s.rank; d++)
            if (d == axis || chance(m, 30)) part.dim[d] = 1 + below(m, (uint32_t)s.dim[d]);
        args[1] = maker_like(m, t, &part);
        for (int d = 0; d < s.rank; d++) args[2 + d] = any_start(m, index, s.dim[d]);
        a = put(m, OP_DYNAMIC_UPDATE_SLICE, args, 2 + (uint32_t)s.rank);
    }
    return a;
}

/* ---- indices ---- */

static Ref iota_of(Maker *m, DType t, const Shape *s, int64_t axis)
{
    return maker_put(
        m,
        &(NodeSpec){ .op = OP_IOTA, .attr = &axis, .n_attr = 1, .dtype = t, .dim = s->dim, .rank = s->rank });
}

/* Numbers at the edges of the type, and of an axis of n. */
static int64_t edge(Maker *m, DType t, int64_t n)
{
    int bits = (int)dtype_bits(t);
    int64_t most = bits == 64           ? INT64_MAX
                   : dtype_is_signed(t) ? (INT64_C(1) << (bits - 1)) - 1
                                        : (INT64_C(1) << bits) - 1;
    int64_t list[] = { 0,
                       1,
                       n - 1,
                       n,
                       n / 2,
                       most,
                       dtype_is_signed(t) ? -1 : 2,
                       dtype_is_signed(t) ? -most - 1 : most / 2 + 1 };
    return list[chance(m, 80) ? below(m, 5) : below(m, 8)];
}

static Ref edge_of(Maker *m, DType t, const Shape *s, int64_t n)
{
    int64_t number = edge(m, t, n);
    uint64_t bits[2] = { scalar_from_i64(t, number) };
    return maker_put(m, &(NodeSpec){ .op = OP_CONSTANT,
                                     .attr = (int64_t[]){ 1 },
                                     .n_attr = 1,
                                     .data = bits,
                                     .dtype = t,
                                     .dim = s->dim,
                                     .rank = s->rank });
}

/* One more step of arithmetic on an index into n elements. */
static Ref index_step(Maker *m, Ref i, int64_t n)
{
    static const Op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_REM, OP_DIV, OP_MAX, OP_MIN, OP_AND };
    Shape s = shape_of(m, i);
    DType t = dtype_of(m, i);
    Ref number = edge_of(m, t, &s, n);
    switch (below(m, 6)) {
    case 0: { /* from the end, where it is negative */
        Ref negative = maker_compare(m, (CompareDir)below(m, 6),
                                     dtype_is_signed(t) ? ORDER_SIGNED : ORDER_UNSIGNED, i, number);
        return put(m, OP_SELECT, (Ref[]){ negative, combined(m, i, edge_of(m, t, &s, n)), i }, 3);
    }
    case 1: return put(m, OP_CLAMP, (Ref[]){ edge_of(m, t, &s, n), i, number }, 3);
    case 2: return maker_binary(m, ops[below(m, 8)], number, i);
    case 3: {
        DType other = maker_int(m);
        return maker_put(m, &(NodeSpec){ .op = OP_CONVERT, .args = &i, .n_args = 1, .dtype = other });
    }
    default: return maker_binary(m, ops[below(m, 8)], i, number);
    }
}

static Ref any_index(Maker *m, const Shape *s, int64_t n)
{
    Ref i = iota_of(m, chance(m, 60) ? WEFT_I32 : maker_int(m), s, below(m, (uint32_t)s->rank));
    for (uint32_t k = below(m, 4); k > 0; k--) i = index_step(m, i, n);
    return i;
}

/* Rows at indices that are known, but for the values' type. */
static Ref taken(Maker *m, Ref a, Ref indices)
{
    Type t = type_of(m, a);
    int rank = type_of(m, indices).rank;
    int64_t attr[5 + 5 * WEFT_MAX_RANK] = { t.rank - 1, 1, 0, 1, rank }, *p = attr + 5;
    for (int d = 1; d < t.rank; d++) *p++ = rank + d - 1;
    *p++ = 0;
    *p++ = 0;
    for (int d = 0; d < t.rank; d++) *p++ = d ? t.dim[d] : 1;
    return maker_put(m, &(NodeSpec){ .op = OP_GATHER,
                                     .args = (Ref[]){ a, indices },
                                     .n_args = 2,
                                     .attr = attr,
                                     .n_attr = (uint32_t)(p - attr) });
}

Ref make_taken(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 2, &axis);
    Shape s = shape_of(m, a), ix = { 1, { 1 + below(m, 90) } };
    if (chance(m, 30)) ix.dim[ix.rank++] = 1 + below(m, 4);
    if (s.rank > 3 || shape_count(&s) / s.dim[0] * shape_count(&ix) > MAX_ELEMENTS) return a;
    return taken(m, a, any_index(m, &ix, s.dim[0]));
}

/* One of two values, or an index itself, by where it stands. */
Ref make_chosen(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 2, &axis);
    Shape s = shape_of(m, a);
    Ref i = any_index(m, &s, s.dim[axis]), b = any_index(m, &s, s.dim[axis]);
    if (chance(m, 20)) return i;
    DType t = dtype_of(m, i);
    if (dtype_of(m, b) != t) b = edge_of(m, t, &s, s.dim[axis]);
    Ref here =
        maker_compare(m, (CompareDir)below(m, 6), dtype_is_signed(t) ? ORDER_SIGNED : ORDER_UNSIGNED, i, b);
    Ref other = maker_like(m, dtype_of(m, a), &s);
    return put(m, OP_SELECT, (Ref[]){ here, dear(m, a), other }, 3);
}

/* ---- strided, and shared ---- */

static Ref summed(Maker *m, Ref a)
{
    DType t = dtype_of(m, a);
    int rank = type_of(m, a).rank;
    int64_t axis = rank ? below(m, (uint32_t)rank) : 0;
    return maker_reduce(m, t == WEFT_BOOL ? OP_OR : chance(m, 60) ? OP_ADD : OP_MAX, a, &axis, rank ? 1 : 0);
}

/* Every second to fifth element, forwards or backwards, in a sum, a product of matrices, or elementwise. */
Ref make_strided(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 4, &axis);
    Shape s = shape_of(m, a);
    int64_t stride = 2 + below(m, 4), start = below(m, (uint32_t)stride);
    if (chance(m, 30)) a = dear(m, a);
    if (start >= s.dim[axis]) start = 0;
    Ref v = slice_of(m, a, axis, start, s.dim[axis], stride);
    if (chance(m, 30)) v = maker_attr(m, OP_REVERSE, v, (int64_t[]){ axis }, 1);
    Shape part = shape_of(m, v);
    if (chance(m, 40)) return summed(m, combined(m, v, maker_like(m, dtype_of(m, a), &part)));
    if (chance(m, 50) || s.rank != 2 || dtype_of(m, a) == WEFT_BOOL)
        return pad_of(m, v, axis, below(m, 3), below(m, 3), chance(m, 50) ? stride - 1 : 0);
    Shape other = { 2, { part.dim[1], 1 + below(m, 40) } };
    return maker_put(m, &(NodeSpec){ .op = OP_DOT,
                                     .args = (Ref[]){ v, maker_like(m, dtype_of(m, a), &other) },
                                     .n_args = 2,
                                     .attr = (int64_t[]){ 0, 1, 1, 0 },
                                     .n_attr = 4,
                                     .dtype = dtype_of(m, a) });
}

/* A dear value that others of several shapes are made of. */
Ref make_shared(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 2, &axis), v = dear(m, dear(m, a));
    int64_t n = type_of(m, v).dim[axis];
    maker_keep(m, slice_of(m, v, axis, 0, 1 + below(m, (uint32_t)n), 1 + below(m, 3)));
    maker_keep(m, pad_of(m, v, axis, below(m, 4), below(m, 4), below(m, 2)));
    maker_keep(m, summed(m, v));
    return chance(m, 50) ? v : maker_attr(m, OP_REVERSE, v, (int64_t[]){ axis }, 1);
}

/* ---- updated in place ---- */

static Ref number(Maker *m, int64_t n)
{
    Shape one = { 0, { 0 } };
    return all_of(m, WEFT_I32, &one, n);
}

/* Where a part of `size` elements begins in this step: mostly at `at`, or at a place that goes with the
 * counter. */
static Ref start_in_step(Maker *m, Ref counter, int64_t at, int64_t size)
{
    switch (below(m, 8)) {
    case 0:  return maker_binary(m, OP_ADD, counter, number(m, below(m, 3)));
    case 1:  return maker_binary(m, OP_SUB, number(m, at), counter);
    case 2:  return maker_binary(m, OP_MUL, counter, number(m, size));
    default: return number(m, at);
    }
}

/* A few elements before or behind `at`, from 0 to most. */
static int64_t near(Maker *m, int64_t at, int64_t most)
{
    at += (int64_t)below(m, 9) - 4;
    return at < 0 ? 0 : at > most ? most : at;
}

Ref maker_update_part(Maker *m, Ref x, Ref counter)
{
    Shape s = shape_of(m, x);
    Ref from[1 + WEFT_MAX_RANK] = { x }, to[2 + WEFT_MAX_RANK] = { x };
    int64_t size[WEFT_MAX_RANK];
    int axis = (int)below(m, (uint32_t)s.rank);
    for (int d = 0; d < s.rank; d++) {
        uint32_t n = (uint32_t)s.dim[d], few = n < 9 ? n : 9;
        size[d] = d != axis && chance(m, 70) ? n : chance(m, 50) ? n - below(m, few) : 1 + below(m, n);
        int64_t room = n - size[d], at = below(m, (uint32_t)room + 1);
        from[1 + d] = start_in_step(m, counter, at, size[d]);
        to[2 + d] = chance(m, 20) ? from[1 + d] : start_in_step(m, counter, near(m, at, room), size[d]);
    }
    Ref part = maker_put(m, &(NodeSpec){ .op = OP_DYNAMIC_SLICE,
                                         .args = from,
                                         .n_args = 1 + (uint32_t)s.rank,
                                         .attr = size,
                                         .n_attr = (uint32_t)s.rank });
    if (chance(m, 15)) part = maker_attr(m, OP_REVERSE, part, (int64_t[]){ axis }, 1);
    to[1] = chance(m, 50) ? dear(m, part) : combined(m, part, part);
    return put(m, OP_DYNAMIC_UPDATE_SLICE, to, 2 + (uint32_t)s.rank);
}

/* An element `by` places behind the one that the counter means, which counts from either end of the axis and
 * may leave it; other axes stay where they are. */
static Ref start_behind(Maker *m, Ref counter, bool backwards, int64_t n, int64_t by)
{
    Ref end = number(m, backwards ? n - 1 + by : by);
    return maker_binary(m, backwards ? OP_SUB : OP_ADD, end, counter);
}

/* One element, set to what is made of two near it: a recurrence. */
Ref maker_update_element(Maker *m, Ref x, Ref counter)
{
    Shape s = shape_of(m, x);
    Ref at[3][2 + WEFT_MAX_RANK], read[2];
    int64_t size[WEFT_MAX_RANK];
    int axis = (int)below(m, (uint32_t)s.rank);
    bool backwards = chance(m, 30);
    for (int d = 0; d < s.rank; d++) {
        Ref fixed = number(m, below(m, (uint32_t)s.dim[d]));
        size[d] = 1;
        for (int i = 0; i < 3; i++)
            at[i][2 + d] =
                d == axis ? start_behind(m, counter, backwards, s.dim[d], (int64_t)below(m, 6) - 4) : fixed;
    }
    for (int i = 0; i < 2; i++) {
        at[i][1] = x;
        read[i] = maker_put(m, &(NodeSpec){ .op = OP_DYNAMIC_SLICE,
                                            .args = at[i] + 1,
                                            .n_args = 1 + (uint32_t)s.rank,
                                            .attr = size,
                                            .n_attr = (uint32_t)s.rank });
    }
    at[2][0] = x;
    at[2][1] = combined(m, read[0], chance(m, 50) ? dear(m, read[1]) : read[1]);
    return put(m, OP_DYNAMIC_UPDATE_SLICE, at[2], 2 + (uint32_t)s.rank);
}

Ref make_updated(Maker *m)
{
    int axis;
    Ref a = maker_with_axis(m, 2, &axis), counter = any_number(m, WEFT_I32);
    for (uint32_t i = 1 + below(m, 2); i > 0; i--) a = maker_update_part(m, a, counter);
    return a;
}
