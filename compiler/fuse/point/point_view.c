/* point_view.c: rules of what moves elements and computes nothing: the operand's value at another index,
 * under a mask where there is none. */
#include "point.h"
#include "compiler/graph/infer/infer.h"
#include <assert.h>
#include <string.h>

Val broadcast_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]);
    Address *in = new_index(b, t.rank);
    for (int d = 0; d < t.rank; d++) {
        bool repeated = t.dim[d] == 1 && n->dim[n->attr[d]] > 1;
        in[d] = repeated ? address_number(0) : at[n->attr[d]];
    }
    return point_value(b, n->args[0], in, mask);
}

Val view_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]);
    Address *in = new_index(b, t.rank);
    int r = t.rank;
    switch ((Op)n->op) {
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
    case OP_RESHAPE: reshape_index(b, t, node_type(n), at, in); break;
    default:         assert(0 && "it is no view");
    }
    return point_value(b, n->args[0], in, mask);
}

void undilate(Build *b, Type t, Address *at, int d, int end, int64_t step, Val *inside)
{
    int64_t low, high, n = t.dim[d];
    if (step == 1) {
        *inside = both(b, *inside, in_axis(b, t, at, d, end, 0, n));
        return;
    }
    /* Made non-negative first, for division truncates; what that moves is masked. */
    int64_t up = address_range(b, at[d], &low, &high) && low >= 0 ? 0
                 : address_range(b, at[d], &low, &high)           ? (step - 1 - low) / step
                                                                  : 0;
    Address position = at[d], rest;
    Val hits = VAL_NONE;
    divide(b, address_shift(position, up * step), step, &at[d], &rest);
    if (rest.n_terms || rest.offset)
        hits = compare_with(b, CMP_EQ, nest_index(&b->nest, index_type(b, rest), rest), 0);
    /* In a hole it does not matter how far the elements reach: no seam. */
    if (!is_never(b, hits)) *inside = both(b, *inside, in_range(b, position, 0, (n - 1) * step + 1));
    *inside = both(b, *inside, hits);
    at[d] = address_shift(at[d], -up);
}

Val pad_value(Build *b, const Node *n, const Address *at, Val mask)
{
    Type t = type_of(b, n->args[0]);
    int r = t.rank;
    Address *in = new_index(b, r);
    Val inside = VAL_NONE;
    if (type_count(t) == 0) return point_value(b, n->args[1], NULL, VAL_NONE);
    for (int d = r, end = r; d-- > 0;) {
        int64_t low = n->attr[d], step = n->attr[2 * r + d] + 1;
        in[d] = at[d];
        /* untouched, and perhaps walked together with its neighbour */
        if (low == 0 && step == 1 && n->attr[r + d] == 0) continue;
        in[d] = address_shift(at[d], -low);
        undilate(b, t, in, d, end, step, &inside);
        end = d;
    }
    if (inside == VAL_NONE) return point_value(b, n->args[0], in, mask);
    Val fill = point_value(b, n->args[1], NULL, VAL_NONE);
    if (is_never(b, inside)) return fill;
    Val x = point_value(b, n->args[0], in, both(b, mask, inside));
    return select_value(b, (DType)n->dtype, inside, x, fill);
}

/* Is axis d walked by itself: are the indices of all axes behind it within them? */
static bool walks_alone(const Build *b, Type t, const Address *at, int d)
{
    int64_t low, high;
    for (int e = d + 1; e < t.rank; e++)
        if (!address_range(b, at[e], &low, &high) || low < 0 || high >= t.dim[e]) return false;
    return true;
}

/* A part that is one element wide has one index along the axis, wherever `at` is. So where each lane has its
 * choice (jnp.choose), all parts are read in a row. Where all lanes have one, no more than that part is. */
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
        Val here = in_axis(b, t, at, (int)axis, t.rank, start, end);
        if (is_never(b, here)) continue;
        bool each_lane = here != VAL_NONE && nest_in_lanes(&b->nest, b->nest.placed[here].block);
        if (t.dim[axis] == 1 && each_lane && walks_alone(b, t, at, (int)axis)) in[axis] = address_number(0);
        Val part = point_value(b, n->args[k], in, both(b, mask, here));
        value = value == VAL_NONE || here == VAL_NONE ? part
                                                      : select_value(b, (DType)n->dtype, here, part, value);
    }
    /* Outside of all of them: nobody takes it, as a mask or a choice around says. */
    return value == VAL_NONE ? nest_const(&b->nest, (DType)n->dtype, 0) : value;
}

Address *index_position(Build *b, Type indices, int rank, const int64_t *window, int n_window, int64_t vector,
                        const Address *at)
{
    Address *position = new_index(b, indices.rank);
    for (int d = 0, next = 0; d < rank; d++) {
        if (lists(window, n_window, d)) continue;
        if (next == vector) next++;
        position[next++] = at[d];
    }
    return position;
}

Val index_number(Build *b, Ref indices, const Address *position, int64_t vector, int k, Val mask)
{
    int rank = type_of(b, indices).rank;
    Address *at = arena_copy(b->arena, position, ((size_t)rank + 1) * sizeof *at);
    if (vector < rank) at[vector] = address_number(k);
    return point_value(b, indices, at, mask);
}

/* Is the element read along the lanes in a row, forwards or backwards? */
static bool runs_along_lanes(Build *b, Type t, const Address *at)
{
    Address a = point_address(b, t, at);
    bool found = false;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        if (b->nest.stmts[a.terms[i].of].lanes <= 1) continue;
        if (a.terms[i].coef != 1 && a.terms[i].coef != -1) return false;
        found = true;
    }
    return found;
}

/* Is the operand itself in memory, reshaped perhaps? */
static bool is_in_a_buffer(const Build *b, Ref x)
{
    while (node_of(b, x)->op == OP_RESHAPE) x = node_of(b, x)->args[0];
    return !b->frame && b->plan[x].round.place.kind == PLACE_BUFFER;
}

/* Where a gather reads: an element for each start, the first k of which are in in[] already. */
typedef struct Gather {
    const Node *node;
    const int64_t *axis;
    int n;
    Val start[WEFT_MAX_RANK];
} Gather;

/* A start that is one index or another, as |i - j| is, is no gather: both are read in rows, each where it is
 * the one (t[|i - j|], 1000 x 1000: 405 -> 126 us). */
static Val gather_from(Build *b, const Gather *g, int k, const Address *at, Val mask)
{
    Ref x = g->node->args[0];
    Type t = type_of(b, x);
    IndexChoice c;
    if (k == g->n) return point_value(b, x, at, mask);
    int64_t axis = g->axis[k];
    Address *in = arena_copy(b->arena, at, ((size_t)t.rank + 1) * sizeof *in),
            *other = arena_copy(b->arena, at, ((size_t)t.rank + 1) * sizeof *in);
    if (is_in_a_buffer(b, x) && index_choice(b, g->start[k], &c)) {
        in[axis] = address_add(b->arena, in[axis], c.yes);
        other[axis] = address_add(b->arena, other[axis], c.no);
        if (runs_along_lanes(b, t, in) && runs_along_lanes(b, t, other)) {
            Val yes = gather_from(b, g, k + 1, in, both(b, mask, c.condition)),
                no = gather_from(b, g, k + 1, other, both(b, mask, op1(b, OP_NOT, WEFT_BOOL, c.condition)));
            return select_value(b, (DType)g->node->dtype, c.condition, yes, no);
        }
    }
    in[axis] = address_add(b->arena, at[axis], value_address(b, g->start[k]));
    return gather_from(b, g, k + 1, in, mask);
}

Val gather_value(Build *b, const Node *n, const Address *at, Val mask)
{
    IndexDims g;
    Type t = type_of(b, n->args[0]);
    gather_dims(n->attr, n->n_attr, t.rank, &g);
    Address *in = new_index(b, t.rank);
    const Address *position =
        index_position(b, type_of(b, n->args[1]), n->rank, g.window, g.n_window, g.index_vector_dim, at);
    for (int d = 0, o = 0; d < t.rank; d++) {
        bool dropped = lists(g.collapsed, g.n_collapsed, d) || lists(g.operand_batching, g.n_batching, d);
        in[d] = dropped ? address_number(0) : at[g.window[o++]];
    }
    for (int i = 0; i < g.n_batching; i++) in[g.operand_batching[i]] = position[g.indices_batching[i]];
    Gather from = { .node = n, .axis = g.map, .n = g.n_map };
    for (int k = 0; k < g.n_map; k++)
        from.start[k] = clamped_narrow(b, index_number(b, n->args[1], position, g.index_vector_dim, k, mask),
                                       t.dim[g.map[k]] - g.slice_sizes[g.map[k]]);
    return gather_from(b, &from, 0, in, mask);
}

static DType unsigned_like(DType t)
{
    static const DType of_bytes[9] = { [1] = WEFT_U8, [2] = WEFT_U16, [4] = WEFT_U32, [8] = WEFT_U64 };
    return of_bytes[dtype_bytes(t)];
}

/* One of the narrower parts of `whole`: the one at position `part`, from the lowest bits on. */
static Val part_of(Build *b, Val whole, DType to, Address part)
{
    DType wide = unsigned_like(dtype_of(b, whole));
    Val bits = op1(b, OP_BITCAST, wide, whole),
        shift =
            convert(b, nest_index(&b->nest, WEFT_I64, address_scale(b->arena, part, dtype_bits(to))), wide);
    return convert(b, op2(b, OP_SHR_LOGIC, wide, bits, shift), unsigned_like(to));
}

/* The bits of all elements of x along its last axis, in[] but for that, side by side. */
static Val parts_together(Build *b, Ref ref, DType to, const Address *in, Val mask)
{
    Type x = type_of(b, ref);
    DType from = (DType)x.dtype, wide = unsigned_like(to);
    Val bits = nest_const(&b->nest, wide, 0);
    for (int64_t k = 0; k < x.dim[x.rank - 1]; k++) {
        Address *at = arena_copy(b->arena, in, (size_t)x.rank * sizeof *at);
        at[x.rank - 1] = address_number(k);
        Val part = convert(b, op1(b, OP_BITCAST, unsigned_like(from), point_value(b, ref, at, mask)), wide);
        Val shift = nest_const(&b->nest, wide, scalar_from_i64(wide, k * dtype_bits(from)));
        bits = op2(b, OP_OR, wide, bits, op2(b, OP_SHL, wide, part, shift));
    }
    return bits;
}

/* Between types of different widths there is a last axis of parts, on the side of the narrower one. */
Val bitcast_value(Build *b, const Node *n, const Address *at, Val mask)
{
    const Node *x = node_of(b, n->args[0]);
    DType to = (DType)n->dtype;
    Address *in = new_index(b, x->rank);
    memcpy(in, at, (x->rank < n->rank ? x->rank : n->rank) * sizeof *in);
    if (x->rank > n->rank) return op1(b, OP_BITCAST, to, parts_together(b, n->args[0], to, in, mask));
    Val v = point_value(b, n->args[0], in, mask);
    return op1(b, OP_BITCAST, to, x->rank == n->rank ? v : part_of(b, v, to, at[n->rank - 1]));
}
