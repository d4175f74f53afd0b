/* kernel_prefix.c: the kernel of CUMULATIVE: a running fold along one axis, stored at each step.
 *
 * Along the last axis the prefix itself goes over lanes, in blocks of PREFIX_LANES; along another axis the
 * lanes are those of the axes after it, and the prefix is a serial loop inside them. A short last axis is
 * written out, in the order of a block, and lanes go across it (200000 x 4, AVX-512: 0.45 -> 0.09 ms). What
 * is elementwise before it is fused into it.
 */
#include "own_kernels.h"
#include <string.h>

/* The type without one axis; joined[d]: its axes d and d + 1 are neighbours in x too, and may be walked as
 * one. */
static Type other_axes(Build *b, Ref x, int axis, bool *joined)
{
    Type t = type_of(b, x);
    int64_t *dim = arena_alloc(b->arena, ((size_t)t.rank + 1) * sizeof *dim);
    for (int d = 0, k = 0; d < t.rank; d++)
        if (d != axis) dim[k++] = t.dim[d];
    for (int k = 0; k + 2 < t.rank; k++)
        joined[k] = k + 1 != axis && point_collapses(b, x, k < axis ? k : k + 1);
    return (Type){ t.dtype, (uint8_t)(t.rank - 1), dim };
}

/* Is the last axis short, and are there enough rows for lanes across? */
static bool is_short_row(const Build *b, const Node *n, Type rest)
{
    return n->dim[n->attr[1]] <= MAX_SHORT_ROW && rest.rank > 0 &&
           rest.dim[rest.rank - 1] >= b->schedule.lanes;
}

/* The running folds of one row, at the index around: a block's, by doubling distances. */
static void write_out(Build *b, Ref ref, const Address *around, uint32_t block)
{
    const Node *n = node_of(b, ref);
    Type t = node_type(n);
    int axis = t.rank - 1;
    int64_t length = t.dim[axis];
    DType acc = compute_type((DType)t.dtype);
    Op op = (Op)n->attr[0];
    Address *at[MAX_SHORT_ROW];
    Val v[MAX_SHORT_ROW], start = nest_const(&b->nest, acc, monoid_start(op, acc));
    for (int64_t k = 0; k < length; k++) {
        at[k] = new_index(b, t.rank);
        memcpy(at[k], around, (size_t)axis * sizeof *at[k]);
        at[k][axis] = address_number(n->attr[2] ? length - 1 - k : k);
        v[k] = convert(b, point_value(b, n->args[0], at[k], VAL_NONE), acc);
    }
    for (int64_t d = 1; d < length; d *= 2)
        for (int64_t k = length; k-- > d;) v[k] = op2(b, op, acc, v[k - d], v[k]);
    for (int64_t k = 0; k < length; k++)
        point_store_to(b, b->plan[ref].round.results[0], t, at[k],
                       convert(b, op2(b, op, acc, start, v[k]), (DType)t.dtype), VAL_NONE, block);
}

void cumulative_kernel(Build *b, Ref ref)
{
    const Node *n = node_of(b, ref);
    Type t = node_type(n);
    int axis = (int)n->attr[1];
    uint32_t phase = b->plan[ref].round.depth;
    bool last = axis == t.rank - 1, joined[WEFT_MAX_RANK + 1] = { false };
    if (type_count(t) == 0) return;
    Address *around = new_index(b, t.rank), *at = new_index(b, t.rank);
    Type rest = other_axes(b, n->args[0], axis, joined);
    bool across = last && is_short_row(b, n, rest);
    Schedule keep = b->schedule;
    if (last && !across) {
        b->schedule.root_lanes = false;
        b->schedule.root_tile = b->schedule.outer_tile = 1;
    }
    uint32_t block = point_loops(b, rest, joined, phase, around);
    b->schedule = keep;
    if (across) {
        write_out(b, ref, around, block);
        return;
    }
    DType acc = compute_type((DType)t.dtype);
    Val reducer = nest_reducer(&b->nest, block, phase, (Op)n->attr[0], acc, acc);
    LoopShape shape = { .extent = t.dim[axis],
                        .lanes = last ? PREFIX_LANES : 1,
                        .tile = last ? PREFIX_TILE : 1 };
    Val loop = nest_loop(&b->nest, block, phase, shape, true);
    uint32_t body = nest_body(&b->nest, loop);
    for (int d = 0, k = 0; d < t.rank; d++)
        if (d != axis) at[d] = around[k++];
    at[axis] = n->attr[2] ? address_shift(address_of(b->arena, loop, -1), t.dim[axis] - 1)
                          : address_of(b->arena, loop, 1);
    Val v = nest_prefix(&b->nest, body, reducer, convert(b, point_value(b, n->args[0], at, VAL_NONE), acc));
    point_store_to(b, b->plan[ref].round.results[0], t, at, convert(b, v, (DType)t.dtype), VAL_NONE, body);
}
