/* kernel_scatter.c: kernels of what changes a few elements of an array: SCATTER, and a DYNAMIC_UPDATE_SLICE
 * that has memory.
 *
 * The first kernel copies (or computes) the operands into the results; where a result turns out to be its
 * operand's memory, nothing is left to do (alias.h). The second walks the updates. A scatter's positions are
 * walked one after the other, in index order, for a later one sees what an earlier one left; within a window
 * all elements are different ones, so a window's innermost axis goes over lanes if it is the operand's, and
 * its outermost ones, if they are the operand's, around the positions.
 */
#include "own_kernels.h"
#include "compiler/graph/infer/infer.h"
#include <string.h>

/* Below, an update `u` may be one of several, whose last is `ref`: these have its memory. When what u is
 * made of is known, u's own depth says. */

/* Loops over all elements of the operands of u, each stored where its result is. */
static void copy_kernel(Build *b, Ref ref, Ref u)
{
    const Node *n = node_of(b, u);
    const Ref *operands = n->args;
    for (uint32_t i = 0; i < n->n_results; i++) {
        const Place place = b->plan[ref].round.results[i];
        Type t = type_of(b, operands[i]);
        Address *at;
        if (type_count(t) == 0 || place.kind == PLACE_NONE) continue;
        uint32_t block = point_loops_over(b, operands[i], b->plan[u].round.depth, &at);
        point_store_to(b, place, t, at, point_value(b, operands[i], at, VAL_NONE), VAL_NONE, block);
    }
}

/* ---- dynamic update slice ---- */

/* Where a slice at known numbers begins; false if one is not known. */
static bool known_starts(Build *b, const Node *n, Type t, Type update, int64_t *start)
{
    for (int d = 0; d < t.rank; d++) {
        const Node *at = node_of(b, n->args[2 + d]);
        if (at->op != OP_CONSTANT) return false;
        int64_t i = scalar_to_i64((DType)at->dtype, scalar_load((DType)at->dtype, at->data)),
                most = t.dim[d] - update.dim[d];
        bool huge = dtype_kind((DType)at->dtype) == KIND_UNSIGNED && i < 0;
        start[d] = huge || i > most ? most : i < 0 ? 0 : i;
    }
    return true;
}

/* Copies elements first .. first + size of axis `axis`: where the slice is, along the axes before it, and
 * everywhere along those behind it. */
static void copy_slab(Build *b, Ref ref, Type update, const int64_t *start, int axis, int64_t first,
                      int64_t size)
{
    Ref x = node_of(b, ref)->args[0];
    Type t = type_of(b, x);
    int64_t dim[WEFT_MAX_RANK];
    bool joined[WEFT_MAX_RANK + 1] = { false };
    Type slab = { t.dtype, t.rank, dim };
    for (int d = 0; d < t.rank; d++) dim[d] = d < axis ? update.dim[d] : d == axis ? size : t.dim[d];
    if (type_count(slab) == 0) return;
    join_axes(b, x, axis, joined);
    Address *at = new_index(b, t.rank);
    uint32_t block = point_loops(b, slab, joined, b->plan[ref].round.depth, at);
    for (int d = 0; d <= axis; d++) at[d] = address_shift(at[d], d < axis ? start[d] : first);
    point_store_to(b, b->plan[ref].round.results[0], t, at, point_value(b, x, at, VAL_NONE), VAL_NONE, block);
}

/* Copies what is around the slice if its place is known, else everything. */
static void copy_around(Build *b, Ref ref)
{
    const Node *n = node_of(b, ref);
    Type t = node_type(n), update = type_of(b, n->args[1]);
    int64_t start[WEFT_MAX_RANK];
    if (b->plan[ref].round.results[0].kind == PLACE_NONE) return;
    if (!known_starts(b, n, t, update, start) || update_has_small_gaps(t, update)) {
        copy_kernel(b, ref, ref);
        return;
    }
    for (int d = 0; d < t.rank; d++) {
        int64_t end = start[d] + update.dim[d];
        copy_slab(b, ref, update, start, d, 0, start[d]);
        copy_slab(b, ref, update, start, d, end, t.dim[d] - end);
    }
}

static void slice_kernel(Build *b, Ref ref, Ref u)
{
    const Node *n = node_of(b, u);
    Type t = node_type(n), update = type_of(b, n->args[1]);
    bool joined[WEFT_MAX_RANK + 1] = { false };
    if (type_count(update) == 0) return;
    Address *at = new_index(b, t.rank);
    for (int d = 0; d + 1 < t.rank; d++)
        joined[d] = update.dim[d + 1] == t.dim[d + 1] && point_collapses(b, n->args[1], d);
    uint32_t block = point_loops(b, update, joined, b->plan[u].round.depth, at);
    const Address *to = shifted_index(b, t, update.dim, n->args + 2, at, 1);
    point_store_to(b, b->plan[ref].round.results[0], t, to, point_value(b, n->args[1], at, VAL_NONE),
                   VAL_NONE, block);
}

/* ---- scatter ---- */

typedef struct Scatter {
    const Node *node;
    IndexDims dims;
    uint32_t count; /* of operands */
    Type operand, update;
    /* of the update, per axis of the operand; -1: the window has size 1 there */
    int window_axis[WEFT_MAX_RANK];
} Scatter;

static Scatter scatter_of(const Build *b, const Node *n)
{
    Scatter s = { .node = n, .count = n->n_args / 2 };
    scatter_dims(n->attr, n->n_attr, &s.dims);
    s.operand = type_of(b, n->args[0]);
    s.update = type_of(b, n->args[s.count + 1]);
    for (int d = 0, k = 0; d < s.operand.rank; d++) {
        bool dropped = lists(s.dims.collapsed, s.dims.n_collapsed, d) ||
                       lists(s.dims.operand_batching, s.dims.n_batching, d);
        s.window_axis[d] = dropped ? -1 : (int)s.dims.window[k++];
    }
    return s;
}

/* The loop over one axis of the updates, in groups of so many. */
static uint32_t open_groups(Build *b, const Scatter *s, int axis, int64_t group, LoopShape shape,
                            uint32_t block, uint32_t phase, Address *at)
{
    shape.extent = s->update.dim[axis] / group;
    at[axis] = address_number(0);
    if (shape.extent == 1) return block;
    Val loop = nest_loop(&b->nest, block, phase, shape, true);
    at[axis] = address_of(b->arena, loop, group);
    return nest_body(&b->nest, loop);
}

static uint32_t open_axis(Build *b, const Scatter *s, int axis, LoopShape shape, uint32_t block,
                          uint32_t phase, Address *at)
{
    return open_groups(b, s, axis, 1, shape, block, phase, at);
}

/* Axes of the updates that are batch axes of the operand, too, so that no two of their indices meet. */
static uint32_t batch_axes(const Scatter *s)
{
    uint32_t axes = 0;
    for (int d = 0, next = 0; d < s->update.rank; d++) {
        if (lists(s->dims.window, s->dims.n_window, d)) continue;
        if (next == s->dims.index_vector_dim) next++;
        if (lists(s->dims.indices_batching, s->dims.n_batching, next++)) axes |= 1u << d;
    }
    return axes;
}

/* Axes of the window that lie in the operand in front of one that positions count along, as a batch does that
 * shares its positions: what all positions change of one index of them lies together. */
static uint32_t axes_in_front(const Scatter *s)
{
    uint32_t axes = 0;
    bool counted = false;
    for (int d = s->operand.rank; d-- > 0;)
        if (lists(s->dims.map, s->dims.n_map, d)) counted = true;
        else if (counted && s->window_axis[d] >= 0) axes |= 1u << s->window_axis[d];
    return axes;
}

/* What is outside of the loops over positions: rows of the operand that have no element in common. So many
 * are done together, a position of each after the other: none waits for what another one adds. */
typedef struct Rows {
    uint32_t axes; /* of the updates */
    int axis;      /* the innermost of them; -1: none */
    int64_t together;
} Rows;

/* Of single elements, in rows that are in the L1 cache together. Updates a multiple of 4096 bytes apart would
 * push each other out. */
static int64_t rows_together(const Build *b, const Scatter *s, int axis, int64_t rows)
{
    int64_t bytes = (int64_t)dtype_bytes((DType)s->operand.dtype), apart = bytes, most = SCATTER_ROWS;
    for (int d = axis + 1; d < s->update.rank; d++) apart *= s->update.dim[d];
    if (type_count(s->operand) / rows * bytes * most > (int64_t)b->target->l1_bytes) return 1;
    if (apart % 4096 == 0) most /= 2;
    while (s->update.dim[axis] % most) most--;
    return most;
}

static Rows rows_of(const Build *b, const Scatter *s)
{
    Rows r = { batch_axes(s) | axes_in_front(s), -1, 1 };
    int64_t rows = 1, window = 1;
    for (int d = 0; d < s->update.rank; d++) {
        if (r.axes >> d & 1) rows *= s->update.dim[d];
        else if (lists(s->dims.window, s->dims.n_window, d)) window *= s->update.dim[d];
        if (r.axes >> d & 1 && s->update.dim[d] > 1) r.axis = d;
    }
    if (r.axis >= 0 && window == 1) r.together = rows_together(b, s, r.axis, rows);
    return r;
}

/* Loops over the rows, whose first one is parallel. */
static uint32_t row_loops(Build *b, const Scatter *s, const Rows *r, uint32_t phase, Address *at)
{
    uint32_t block = 0;
    for (int d = 0; d < s->update.rank; d++) {
        if (!(r->axes >> d & 1)) continue;
        LoopShape shape = { .lanes = 1, .tile = 1, .parallel = block == 0 };
        block = open_groups(b, s, d, d == r->axis ? r->together : 1, shape, block, phase, at);
    }
    return block;
}

/* The axes of positions, as a type. */
static Type position_axes(Build *b, const Scatter *s, int *axis)
{
    uint32_t batch = batch_axes(s);
    int64_t *dim = arena_alloc(b->arena, WEFT_MAX_RANK * sizeof *dim);
    Type t = { WEFT_I64, 0, dim };
    for (int d = 0; d < s->update.rank; d++) {
        if (lists(s->dims.window, s->dims.n_window, d) || batch >> d & 1) continue;
        axis[t.rank] = d;
        dim[t.rank++] = s->update.dim[d];
    }
    return t;
}

/* The loops over the positions of a piece. Where the order of the updates does not matter, pieces of as many
 * positions share them, a position of each after the other: they find in the cache what they both look at,
 * and one does not wait for the other (labels_10k, 50,000 edges in both directions: 0.95 -> 0.8 ms). */
typedef struct PositionLoops {
    bool can_share;
    Piece piece;    /* the last one that got loops; number 0: none did */
    uint32_t block; /* the innermost one's body */
} PositionLoops;

static PositionLoops position_loops_of(const Scatter *s, const Piece *p)
{
    Op op = s->node->region ? region_monoid(s->node->region) : OP_COUNT;
    bool exact = s->count == 1 && op != OP_COUNT && monoid_is_exact(op, s->operand.dtype), cut = false;
    for (int k = 0; k < p->sweep->n; k++) cut |= p->sweep->loop[k].n > 0;
    return (PositionLoops){ .can_share = exact && cut };
}

static bool are_as_many(const Piece *x, const Piece *y)
{
    return x->number && !memcmp(x->extent, y->extent, (size_t)y->sweep->n * sizeof *y->extent);
}

/* Serial loops over the positions of one piece. One of several pieces is a loop even if it is but one
 * position, so that its loads stand behind the stores of the pieces before it. */
static void open_positions(Build *b, PositionLoops *loops, Piece *p, uint32_t block, uint32_t phase)
{
    int last = p->sweep->n - 1;
    uint32_t body = block;
    for (int k = 0; k <= last; k++) {
        bool is_loop = p->extent[k] > 1 || (k == last && body == block);
        LoopShape serial = { .extent = p->extent[k], .lanes = 1, .tile = 1 };
        p->loop[k] = is_loop ? nest_loop(&b->nest, body, phase, serial, true) : VAL_NONE;
        if (is_loop) body = nest_body(&b->nest, p->loop[k]);
    }
    loops->piece = *p;
    loops->block = body;
}

static uint32_t position_loops(Build *b, PositionLoops *loops, Piece *p, Type positions, const int *axis,
                               uint32_t outer, uint32_t phase, Address *at)
{
    static const LoopShape once = { .extent = 1, .lanes = 1, .tile = 1 };
    if (loops->can_share && are_as_many(&loops->piece, p)) memcpy(p->loop, loops->piece.loop, sizeof p->loop);
    else open_positions(b, loops, p, outer, phase);
    for (int d = 0, k = 0; d < positions.rank; d++) {
        at[axis[d]] = address_number(0);
        if (positions.dim[d] == 1) continue;
        at[axis[d]] = address_number(p->from[k]);
        if (p->loop[k] != VAL_NONE)
            at[axis[d]] = address_add(b->arena, at[axis[d]], address_of(b->arena, p->loop[k], 1));
        k++;
    }
    return loops->can_share ? nest_body(&b->nest, nest_loop(&b->nest, loops->block, phase, once, true))
                            : loops->block;
}

/* Loops over the rest of the window, the axis last whose elements are neighbours in the operand. */
static uint32_t window_loops(Build *b, const Scatter *s, uint32_t outer, uint32_t block, uint32_t phase,
                             Address *at)
{
    static const LoopShape serial = { .lanes = 1, .tile = 1 };
    int unit = s->operand.rank ? s->window_axis[s->operand.rank - 1] : -1;
    for (int d = 0; d < s->update.rank; d++)
        if (lists(s->dims.window, s->dims.n_window, d) && d != unit && !(outer >> d & 1))
            block = open_axis(b, s, d, serial, block, phase, at);
    if (unit < 0) return block;
    LoopShape lanes = { .lanes = b->schedule.lanes,
                        .tile = s->update.dim[unit] >= SCATTER_TILE * b->schedule.lanes ? SCATTER_TILE : 1 };
    return open_axis(b, s, unit, lanes, block, phase, at);
}

/* A number of an index vector, in a type that addresses take, and whether 0 <= it <= most. */
static Val scatter_start(Build *b, Val v, int64_t most, Val *inside)
{
    DType t = dtype_of(b, v);
    bool narrow = t == WEFT_I32 || dtype_bits(t) < 32;
    DType as = narrow ? WEFT_I32 : WEFT_I64, whole = narrow ? WEFT_U32 : WEFT_U64;
    if (narrow && most >= INT32_MAX) most = INT32_MAX - 1;
    v = convert(b, v, as);
    *inside = both(b, *inside, compare_with(b, CMP_LT, op1(b, OP_BITCAST, whole, v), most + 1));
    return v;
}

/* The operand's index for the update's element at[], and whether its window lies inside. */
static Address *scatter_index(Build *b, const Scatter *s, const Address *at, Val *inside)
{
    Ref indices = s->node->args[s->count];
    Address *in = new_index(b, s->operand.rank);
    const Address *position = index_position(b, type_of(b, indices), s->update.rank, s->dims.window,
                                             s->dims.n_window, s->dims.index_vector_dim, at);
    for (int d = 0; d < s->operand.rank; d++)
        in[d] = s->window_axis[d] < 0 ? address_number(0) : at[s->window_axis[d]];
    for (int i = 0; i < s->dims.n_batching; i++)
        in[s->dims.operand_batching[i]] = position[s->dims.indices_batching[i]];
    for (int k = 0; k < s->dims.n_map; k++) {
        int64_t axis = s->dims.map[k],
                size = s->window_axis[axis] < 0 ? 1 : s->update.dim[s->window_axis[axis]];
        Val start =
            scatter_start(b, index_number(b, indices, position, s->dims.index_vector_dim, k, VAL_NONE),
                          s->operand.dim[axis] - size, inside);
        in[axis] = address_add(b->arena, in[axis], value_address(b, start));
    }
    return in;
}

/* The update's element at[]. */
static void scatter_element(Build *b, Ref ref, const Scatter *s, const Address *at, uint32_t block,
                            uint32_t phase)
{
    const Node *n = s->node;
    const Place *places = b->plan[ref].round.results;
    Val inside = VAL_NONE, *args = arena_alloc(b->arena, 3 * s->count * sizeof *args),
        *out = args + 2 * s->count;
    const Address *in = scatter_index(b, s, at, &inside);
    for (uint32_t i = 0; i < s->count; i++) {
        args[i] = point_load_from(b, places[i], node_result(n, i), in, inside, block, phase);
        args[s->count + i] = point_value(b, n->args[s->count + 1 + i], at, inside);
    }
    region_values(b, n->region, args, block, 0, out);
    for (uint32_t i = 0; i < s->count; i++)
        point_store_to(b, places[i], node_result(n, i), in, out[i], inside, block);
}

/* Positions are cut where conditions on their number change, as at the seam of two lists of them (edges of a
 * graph in both directions: 155 -> 56 us). */
static void scatter_kernel(Build *b, Ref ref, Ref u)
{
    static const LoopShape once = { .extent = 1, .lanes = 1, .tile = 1 };
    Scatter s = scatter_of(b, node_of(b, u));
    if (type_count(s.update) == 0 || type_count(s.operand) == 0) return;
    uint32_t phase = b->plan[u].round.depth;
    int axis[WEFT_MAX_RANK];
    Type positions = position_axes(b, &s, axis);
    Address *row = new_index(b, s.update.rank);
    Rows rows = rows_of(b, &s);
    uint32_t outer = row_loops(b, &s, &rows, phase, row);
    Piece piece = sweep_begin(b, positions, (const bool[WEFT_MAX_RANK + 1]){ false });
    piece.sweep->in_order = true;
    PositionLoops loops = position_loops_of(&s, &piece);
    while (sweep_next(b, &piece)) {
        Address *at = arena_copy(b->arena, row, ((size_t)s.update.rank + 1) * sizeof *at);
        uint32_t body = position_loops(b, &loops, &piece, positions, axis, outer, phase, at), block = body;
        for (int64_t k = 0; k < rows.together; k++) {
            if (rows.together > 1) {
                block = nest_body(&b->nest, nest_loop(&b->nest, body, phase, once, true));
                at = arena_copy(b->arena, at, ((size_t)s.update.rank + 1) * sizeof *at);
                at[rows.axis] = address_shift(row[rows.axis], k);
            }
            scatter_element(b, ref, &s, at, window_loops(b, &s, rows.axes, block, phase, at), phase);
        }
    }
    sweep_end(b);
}

/* The first kernel, then the updates one after the other, from the one that comes first. */
void updates_kernel(Build *b, Ref ref, uint32_t which)
{
    Ref updates[MAX_OWN_KERNELS];
    uint32_t count = own_kernels_updates(b->graph, ref, updates);
    Ref u = updates[which ? count - which : count - 1];
    bool scatter = node_of(b, u)->op == OP_SCATTER;
    if (which == 0 && count == 1 && !scatter) copy_around(b, ref);
    else if (which == 0) copy_kernel(b, ref, u);
    else if (scatter) scatter_kernel(b, ref, u);
    else slice_kernel(b, ref, u);
}
