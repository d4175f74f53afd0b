/* point_view.c: rules of what moves elements and computes nothing: the operand's value at another index,
 * under a mask where there is none. */
#include "point.h"
#include <string.h>

Val broadcast_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]);
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) in[d] = t.dim[d] == 1 ? address_number(0) : at[n->attr[d]];
    return point_value(b, n->args[0], in, mask);
}

Val view_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]);
    Address *in = new_index(b, t.rank);
    int r = t.rank;
    switch (n->op) {
    case OP_TRANSPOSE:
        for (int d = 0; d < r; d++) in[n->attr[d]] = at[d];
        break;
    case OP_SLICE:
        for (int d = 0; d < r; d++)
            in[d] = address_shift(address_scale(b->arena, at[d], n->attr[2 * r + d]), n->attr[d]);
        break;
    case OP_REVERSE:
        memcpy(in, at, (size_t)r * sizeof *in);
        for (uint32_t i = 0; i < n->n_attr; i++) {
            int64_t d = n->attr[i];
            in[d] = address_shift(address_scale(b->arena, at[d], -1), t.dim[d] - 1);
        }
        break;
    default: reshape_index(b, t, node_type(n), at, in);
    }
    return point_value(b, n->args[0], in, mask);
}

Address undilated(Build *b, Address a, int64_t n, int64_t step, Val *inside)
{
    int64_t low, high;
    *inside = both(b, *inside, in_range(b, a, 0, (n - 1) * step + 1));
    if (step == 1) return a;
    /* Made non-negative first, for division truncates; what that moves is masked. */
    int64_t up = address_range(b, a, &low, &high) && low >= 0 ? 0
                 : address_range(b, a, &low, &high)           ? (step - 1 - low) / step
                                                              : 0;
    Address quotient, rest;
    divide(b, address_shift(a, up * step), step, &quotient, &rest);
    if (rest.n_terms || rest.offset)
        *inside =
            both(b, *inside, compare_with(b, CMP_EQ, nest_index(&b->nest, index_type(b, rest), rest), 0));
    return address_shift(quotient, -up);
}

Val pad_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]);
    int r = t.rank;
    Address *in = new_index(b, r);
    Val inside = VAL_NONE;
    if (type_count(t) == 0) return point_value(b, n->args[1], NULL, VAL_NONE);
    for (int d = 0; d < r; d++) {
        int64_t low = n->attr[d], step = n->attr[2 * r + d] + 1;
        in[d] = at[d];
        /* untouched, and perhaps walked together with its neighbour */
        if (low == 0 && step == 1 && n->attr[r + d] == 0) continue;
        Address moved = address_shift(at[d], -low);
        in[d] = undilated(b, moved, t.dim[d], step, &inside);
    }
    if (inside == VAL_NONE) return point_value(b, n->args[0], in, mask);
    Val x = point_value(b, n->args[0], in, both(b, mask, inside)),
        fill = point_value(b, n->args[1], NULL, VAL_NONE);
    return select_value(b, (DType)n->dtype, inside, x, fill);
}

Val concatenate_value(Build *b, const Node *n, const Address *at, Val mask)
{
    int64_t axis = n->attr[0], start = n->dim[axis];
    Val value = VAL_NONE;
    for (uint32_t k = n->n_args; k-- > 0;) {
        Type t = type_of(b, n->args[k]);
        int64_t end = start;
        start -= t.dim[axis];
        if (t.dim[axis] == 0) continue;
        Address *in = new_index(b, n->rank);
        memcpy(in, at, n->rank * sizeof *in);
        in[axis] = address_shift(at[axis], -start);
        Val here = in_range(b, at[axis], start, end),
            part = point_value(b, n->args[k], in, both(b, mask, here));
        value = value == VAL_NONE || here == VAL_NONE ? part
                                                      : select_value(b, (DType)n->dtype, here, part, value);
    }
    return value;
}

Val gather_value(Build *b, const Node *n, const Address *at, Val mask)
{
    const int64_t *a = n->attr, n_offset = a[0], n_collapsed = a[1], n_batch = a[2], n_map = a[3],
                  vector = a[4];
    const int64_t *offset = a + 5, *collapsed = offset + n_offset, *batch = collapsed + n_collapsed,
                  *index_batch = batch + n_batch;
    const int64_t *map = index_batch + n_batch, *sizes = map + n_map;
    Type t = type_of(b, n->args[0]), it = type_of(b, n->args[1]);
    Address *in = new_index(b, t.rank), *position = new_index(b, it.rank);
    int next = 0;
    for (int d = 0; d < n->rank; d++) {
        if (lists(offset, n_offset, d)) continue;
        if (next == vector) next++;
        position[next++] = at[d];
    }
    for (int d = 0, o = 0; d < t.rank; d++) {
        if (lists(collapsed, n_collapsed, d) || lists(batch, n_batch, d)) in[d] = address_number(0);
        else in[d] = at[offset[o++]];
    }
    for (int64_t i = 0; i < n_batch; i++) in[batch[i]] = position[index_batch[i]];
    for (int64_t k = 0; k < n_map; k++) {
        Address *p = new_index(b, it.rank);
        memcpy(p, position, it.rank * sizeof *p);
        if (vector < it.rank) p[vector] = address_number(k);
        Val start = clamped(b, point_value(b, n->args[1], p, mask), t.dim[map[k]] - sizes[map[k]]);
        in[map[k]] = address_add(b->arena, in[map[k]], address_of(b->arena, start, 1));
    }
    return point_value(b, n->args[0], in, mask);
}

/* bitcast between widths: a last axis of parts. */
Val bitcast_value(Build *b, const Node *n, const Address *at, Val mask)
{
    static const DType unsigned_of[9] = { [1] = WEFT_U8, [2] = WEFT_U16, [4] = WEFT_U32, [8] = WEFT_U64 };
    const Node *x = node_of(b, n->args[0]);
    DType from = (DType)x->dtype, to = (DType)n->dtype, uf = unsigned_of[dtype_bytes(from)],
          ut = unsigned_of[dtype_bytes(to)];
    Address *in = new_index(b, x->rank);
    Val bits;
    memcpy(in, at, (x->rank < n->rank ? x->rank : n->rank) * sizeof *in);
    if (x->rank == n->rank) {
        Val v = point_value(b, n->args[0], in, mask);
        return op1(b, OP_BITCAST, to, v);
    }
    if (n->rank > x->rank) {
        Val whole = point_value(b, n->args[0], in, mask);
        whole = op1(b, OP_BITCAST, uf, whole);
        Val shift = convert(
            b, nest_index(&b->nest, WEFT_I64, address_scale(b->arena, at[n->rank - 1], dtype_bits(to))), uf);
        bits = convert(b, op2(b, OP_SHR_LOGIC, uf, whole, shift), ut);
    } else {
        bits = nest_const(&b->nest, ut, 0);
        for (int64_t k = 0; k < x->dim[x->rank - 1]; k++) {
            Address *p = arena_copy(b->arena, in, (size_t)x->rank * sizeof *p);
            p[x->rank - 1] = address_number(k);
            Val part = point_value(b, n->args[0], p, mask);
            part = convert(b, op1(b, OP_BITCAST, uf, part), ut);
            part =
                op2(b, OP_SHL, ut, part, nest_const(&b->nest, ut, scalar_from_i64(ut, k * dtype_bits(from))));
            bits = op2(b, OP_OR, ut, bits, part);
        }
    }
    return op1(b, OP_BITCAST, to, bits);
}
