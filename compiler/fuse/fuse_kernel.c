/* fuse_kernel.c: one kernel: built plainly, looked at for a better schedule (tiling.h), built again, perhaps
 * on a packed copy of an array.
 *
 * Within a kernel, a value that loops after one another need is stored in a row buffer by the first, if
 * computing it again costs more than a load or might round differently (a multiply that one copy fuses with
 * an add and the other does not).
 */
#include "compiler/fuse/loops/finer.h"
#include "fuse_state.h"
#include "compiler/fuse/point/point.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_packing(const Roots *roots) { return roots->pack.node != REF_NONE; }

/* The size of what a node computes with, operands that it compares or converts too. */
static size_t computed_bytes(const Graph *g, const Node *x)
{
    size_t bytes = dtype_bytes(compute_type((DType)x->dtype));
    for (uint32_t i = 0; op_is_ew((Op)x->op) && i < x->n_args; i++) {
        size_t size = dtype_bytes(compute_type((DType)g->nodes[x->args[i]].dtype));
        if (size > bytes) bytes = size;
    }
    return bytes;
}

/* A float, elementwise, moved, or a number for all: no array need hold it. */
static bool is_made_in_passing(const Node *x)
{
    OpKind kind = op_kind((Op)x->op);
    if (!dtype_is_float((DType)x->dtype)) return false;
    return kind == OPKIND_EW || kind == OPKIND_SHAPE || is_splat(x);
}

/* Operands from .. to - 1: of a concatenation that is a root, those that this kernel stores. */
typedef struct Operands {
    uint32_t from, to;
} Operands;

static bool is_among(const Roots *roots, Ref r)
{
    for (uint32_t i = 0; i < roots->n; i++)
        if (roots->ref[i] == r) return true;
    return false;
}

static Operands operands_here(const GraphFusion *f, const Roots *roots, Ref r)
{
    const Node *n = &f->g->nodes[r];
    uint32_t from = roots->which * MAX_CONCATENATED, to = from + MAX_CONCATENATED;
    if (n->op != OP_CONCATENATE || !is_among(roots, r)) return (Operands){ 0, n->n_args };
    return (Operands){ from, to < n->n_args ? to : n->n_args };
}

/* Elements of a vector: as many as it holds of the largest type that is computed with; but where f64 is but
 * a small part of what is computed, and nothing in memory, of the type half as large. */
static uint16_t vector_lanes(GraphFusion *f, const Roots *roots)
{
    size_t bytes = 1;
    uint32_t wide = 0, narrow = 0;
    fuse_start_search(f);
    bool stored = false;
    if (is_packing(roots)) fuse_visit(f, roots->pack.node);
    for (uint32_t i = 0; i < roots->n; i++) fuse_visit(f, roots->ref[i]);
    while (f->top) {
        Ref r = f->stack[--f->top];
        const Node *x = &f->g->nodes[r];
        size_t size = dtype_bytes(compute_type((DType)x->dtype));
        if (size > bytes && (x->rank || size < 8)) bytes = size;
        stored |= size == 8 && x->rank && (fuse_has_memory(f, r) || !is_made_in_passing(x));
        if (fuse_has_memory(f, r) && f->plan[r].round.kernel != f->round.n_made + 1) continue;
        if (op_is_ew((Op)x->op) && x->rank) *(computed_bytes(f->g, x) == 8 ? &wide : &narrow) += 1;
        Operands here = operands_here(f, roots, r);
        for (uint32_t i = here.from; i < here.to; i++) fuse_visit(f, x->args[i]);
    }
    if (bytes == 8 && !stored && narrow >= MOSTLY_NARROW * wide) bytes = 4;
    return (uint16_t)(f->target->vector_bytes / bytes);
}

/* What note_row wrote down is of this kernel's statements: no other may see it. */
static void forget_rows(GraphFusion *f, Build *b)
{
    for (uint32_t i = 0; i < b->n_noted; i++) {
        NodePlan *p = &f->plan[b->noted[i]];
        p->build.row_loop = VAL_NONE;
        p->build.row_wanted = false;
        p->build.row_at = NULL;
    }
    b->n_noted = 0;
}

static void forget_touched(GraphFusion *f, Build *b)
{
    for (uint32_t i = 0; i < b->n_touched; i++) {
        f->plan[b->touched[i]].build.points = 0;
        f->plan[b->touched[i]].build.touched = false;
        f->plan[b->touched[i]].build.computed = f->plan[b->touched[i]].build.in_vain = 0;
    }
    b->n_touched = 0;
}

/* Gives back what the last try took. */
static void build_empty(Build *b)
{
    arena_release(b->arena, b->empty);
    b->sweep = b->root_block = 0;
    b->divided = NULL;
    b->periods = NULL;
    b->memos = NULL;
    b->accesses = NULL;
    b->stored = b->noted = b->wanted = b->touched = NULL;
    b->n_divided = b->n_periods = b->n_accesses = b->n_stored = b->n_noted = b->n_wanted = b->n_touched = 0;
    b->cap_divided = b->cap_periods = b->cap_accesses = b->cap_stored = b->cap_noted = b->cap_wanted =
        b->cap_touched = 0;
    b->memo_used = b->memo_size = b->n_keys = b->n_products = 0;
    b->needs_rows = b->undecided = b->in_panels.summed = false;
    nest_init(&b->nest, b->arena);
}

static void build_reset(GraphFusion *f, Build *b, const Roots *roots)
{
    for (uint32_t i = 0; i < b->n_stored; i++) f->plan[b->stored[i]].round.kernel = 0;
    forget_rows(f, b);
    for (uint32_t i = 0; i < b->n_accesses; i++) f->plan[b->accesses[i].node].build.loaded_by = 0;
    forget_touched(f, b);
    build_empty(b);
    for (uint32_t i = 0; i < roots->n; i++) f->plan[roots->ref[i]].round.kernel = b->number;
}

/* The schedule is chosen for the deepest loops, of these for the longest. */
static void note_root_block(Build *b, uint32_t block)
{
    Block *new = &b->nest.blocks[block];
    const Block *old = &b->nest.blocks[b->root_block];
    new->is_root = true;
    if (new->depth > old->depth || (new->depth == old->depth &&new->runs >= old->runs)) b->root_block = block;
}

/* One piece of a result, and where in its loops it is stored. */
typedef struct RootPiece {
    const Address *at;
    Val value;
    uint32_t block;
} RootPiece;

static void store_pieces(Build *b, Ref ref, const RootPiece *pieces, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++) point_store(b, ref, pieces[i].at, pieces[i].value, pieces[i].block);
    *n = 0;
}

/* Stores node `ref`. Its loops stand in `phase`. Axis `kept` and those behind it are not walked by one loop
 * with those before it; 0: all may be. Elements of one row that are pieces are all computed before any is
 * stored, for they may be read from where they go (levels in turn: x[..., 0] = x[..., 1], x[..., 1] = y +
 * x[..., 0]). */
static void emit_root(Build *b, Ref ref, uint32_t phase, int kept)
{
    Type t = type_of(b, ref);
    if (type_count(t) == 0) {
        point_provides(b, ref);
        return;
    }
    Walk w = walk_of(b, ref);
    if (kept) w.joined[kept - 1] = false;
    Piece piece = sweep_begin(b, w.shape, w.joined);
    RootPiece *pieces = NULL;
    uint32_t n = 0, capacity = 0;
    while (sweep_next(b, &piece)) {
        Address *at = new_index(b, w.shape.rank);
        uint32_t block = sweep_loops(b, &piece, w.shape, w.joined, phase, at);
        Val v = point_value(b, w.of, walk_index(b, &w, type_of(b, w.of), at), VAL_NONE);
        pieces = arena_grow(b->arena, pieces, n, &capacity, n + 1, sizeof *pieces);
        pieces[n++] = (RootPiece){ walk_index(b, &w, t, at), v, block };
        if (!b->schedule.root_across) store_pieces(b, ref, pieces, &n);
        note_root_block(b, block);
    }
    store_pieces(b, ref, pieces, &n);
    sweep_end(b);
}

/* One operand of a concatenation, from element `start` of the axis on. */
static void emit_concatenated(Build *b, Ref ref, Ref part, int64_t start)
{
    Type t = type_of(b, part);
    int axis = (int)node_of(b, ref)->attr[0];
    bool joined[WEFT_MAX_RANK + 1] = { false };
    if (type_count(t) == 0) return;
    join_axes(b, part, axis, joined);
    Piece piece = sweep_begin(b, t, joined);
    while (sweep_next(b, &piece)) {
        Address *at = new_index(b, t.rank);
        uint32_t block = sweep_loops(b, &piece, t, joined, b->plan[ref].round.depth, at);
        Address *to = arena_copy(b->arena, at, ((size_t)t.rank + 1) * sizeof *to);
        to[axis] = address_shift(to[axis], start);
        point_store(b, ref, to, point_value(b, part, at, VAL_NONE), block);
        note_root_block(b, block);
    }
    sweep_end(b);
}

/* A concatenation with memory is one loop nest per operand of this kernel, each storing its part; but along a
 * last axis that is written out it is a result as others are, if nothing is folded: the parts are stored
 * together (20000 x 3 rolled by one, AVX-512: 11 -> 4.5 us). */
static void emit_concatenation(Build *b, Ref ref, Operands here)
{
    const Node *n = node_of(b, ref);
    int64_t axis = n->attr[0], start = 0;
    if (axis > 0 && axis == n->rank - 1 && n->dim[axis] <= MAX_SHORT_AXIS && !b->plan[ref].round.depth) {
        emit_root(b, ref, b->plan[ref].round.depth, 0);
        return;
    }
    for (uint32_t k = 0; k < n->n_args; k++) {
        if (k >= here.from && k < here.to) emit_concatenated(b, ref, n->args[k], start);
        start += type_of(b, n->args[k]).dim[axis];
    }
    if (n->dim[axis] == 0 || !b->n_stored) point_provides(b, ref);
}

/* The copy of a leaf with its axes permuted: its own loops in the copy's order, but the leaf's last axis next
 * to innermost, so that squares fit registers. Few elements are gathered instead (320: 0.06 us instead of
 * 0.01, but 1 ms to compile instead of 4.5). */
static void emit_packing(Build *b, const Roots *roots)
{
    Type t = graph_type(b->graph, roots->pack.node);
    int64_t dim[WEFT_MAX_RANK];
    int order[WEFT_MAX_RANK], n = 0;
    Address at[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    for (int d = 0; d < t.rank; d++) dim[d] = t.dim[roots->pack.perm[d]];
    for (int d = 0; d + 1 < t.rank; d++)
        if (roots->pack.perm[d] != t.rank - 1) order[n++] = d;
    for (int d = 0; d + 1 < t.rank; d++)
        if (roots->pack.perm[d] == t.rank - 1) order[n++] = d;
    order[n++] = t.rank - 1;
    uint32_t block = 0;
    for (int k = 0; k < n; k++) {
        int d = order[k];
        to[d] = address_number(0);
        if (dim[d] > 1) {
            LoopShape s = { .extent = dim[d],
                            .lanes = k == n - 1 ? b->schedule.lanes : 1,
                            .tile = k == n - 2 && type_count(t) > FEW_TO_PACK ? b->schedule.lanes : 1,
                            .parallel = k == 0 };
            Val loop = nest_loop(&b->nest, block, 0, s, false);
            to[d] = address_of(b->arena, loop, 1);
            block = nest_body(&b->nest, loop);
        }
        at[roots->pack.perm[d]] = to[d];
    }
    Val v = point_value(b, roots->pack.node, at, VAL_NONE);
    nest_store(&b->nest, block, roots->pack_buffer, point_address(b, (Type){ t.dtype, t.rank, dim }, to), v,
               VAL_NONE);
}

/* Of roots that walk one index space, some element by element and others folding its last axes: the number of
 * axes before those; 0: not so. most: elements of the space. */
static int shared_axes(const GraphFusion *f, const Roots *roots, int64_t *most)
{
    Type large = graph_type(f->g, roots->ref[0]);
    int64_t least = type_count(large), n = 1;
    for (uint32_t i = 1; i < roots->n; i++) {
        Type t = graph_type(f->g, roots->ref[i]);
        if (type_count(t) > type_count(large)) large = t;
        if (type_count(t) < least) least = type_count(t);
    }
    *most = type_count(large);
    for (int d = 0; d < large.rank && least < *most; n *= large.dim[d++])
        if (n == least && d > 0) return d;
    return 0;
}

/* All roots, each in its loops. */
static void emit_roots(GraphFusion *f, Build *b, const Roots *roots)
{
    int64_t most = 0;
    int kept = shared_axes(f, roots, &most);
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < roots->n && kept; i++)
        if (f->plan[roots->ref[i]].round.depth > deepest) deepest = f->plan[roots->ref[i]].round.depth;
    for (uint32_t i = 0; i < roots->n; i++) {
        Ref r = roots->ref[i];
        Schedule all = b->schedule;
        if (kept && type_count(graph_type(f->g, r)) < most) {
            b->schedule.root_lanes = false;
            b->schedule.root_tile = b->schedule.outer_tile = 1;
        }
        if (f->g->nodes[r].op == OP_CONCATENATE) emit_concatenation(b, r, operands_here(f, roots, r));
        else emit_root(b, r, kept ? deepest : f->plan[r].round.depth, kept);
        b->schedule = all;
    }
}

/* The copy of a leaf of one axis, several times behind each other. */
static void emit_repeated(Build *b, const Roots *roots)
{
    Type t = graph_type(b->graph, roots->pack.node),
         all = { t.dtype, 2, (int64_t[]){ roots->pack.times, type_count(t) } };
    Address *at = new_index(b, t.rank), to[2];
    uint32_t block = point_loops(b, all, (bool[]){ false, false }, 0, to);
    for (int d = 0; d < t.rank; d++) at[d] = t.dim[d] == 1 ? address_number(0) : to[1];
    Val v = point_value(b, roots->pack.node, at, VAL_NONE);
    nest_store(&b->nest, block, roots->pack_buffer, point_address(b, all, to), v, VAL_NONE);
}

static void build_once(GraphFusion *f, Build *b, const Roots *roots)
{
    build_reset(f, b, roots);
    if (is_packing(roots) && roots->pack.times) emit_repeated(b, roots);
    else if (is_packing(roots) && roots->pack.panel) panels_copy(b, &roots->pack, roots->pack_buffer);
    else if (is_packing(roots)) emit_packing(b, roots);
    else if (roots->own) own_kernel(b, roots->ref[0], roots->own, roots->which);
    else {
        emit_roots(f, b, roots);
        rows_join(b);
    }
}

static bool is_fold(const GraphFusion *f, Ref r)
{
    return op_folds((Op)f->g->nodes[r].op) || f->g->nodes[r].op == OP_RESULT;
}

/* The last node evaluated in sibling loops for which a row buffer pays; REF_NONE: none. */
static Ref row_candidate(const GraphFusion *f, const Build *b)
{
    Ref best = REF_NONE;
    for (uint32_t i = 0; i < b->n_noted; i++) {
        Ref r = b->noted[i];
        const NodePlan *p = &f->plan[r];
        if (!p->build.row_wanted || p->build.row_of == b->number || is_fold(f, r) ||
            !(p->round.cost >= COST_ROW || p->round.has_region))
            continue;
        if (nest_in_tile(&b->nest, b->nest.placed[p->build.row_loop].block)) continue;
        if (best == REF_NONE || r > best) best = r;
    }
    return best;
}

/* A fold that several loops of a row need gets memory: as a kernel of its own it is tiled better than as part
 * of a row. */
static void want_folds(GraphFusion *f, const Build *b)
{
    for (uint32_t i = 0; i < b->n_noted; i++) {
        const NodePlan *p = &f->plan[b->noted[i]];
        if (p->build.row_wanted && is_fold(f, b->noted[i]) && !p->materialized)
            fuse_want_memory(f, b->noted[i]);
    }
}

/* Rows are made one by one; a product of matrices among what they need is tiled if it has a kernel of its
 * own. */
static void want_products(GraphFusion *f, const Build *b)
{
    bool rows = false;
    for (uint32_t i = 0; i < b->n_touched; i++) rows |= f->plan[b->touched[i]].build.row_of == b->number;
    for (uint32_t i = 0; rows && i < b->n_touched; i++) {
        Ref r = b->touched[i];
        if (fuse_is_product(f, r) && !f->plan[r].materialized) fuse_want_memory(f, r);
    }
}

static void add_row_buffers(GraphFusion *f, Build *b, const Roots *roots)
{
    for (int k = 0; k < MAX_ROWS; k++) {
        Ref r = row_candidate(f, b);
        if (r == REF_NONE) return;
        NodePlan *p = &f->plan[r];
        Buffer buffer = { .kind = BUF_LOCAL,
                          .dtype = f->g->nodes[r].dtype,
                          .count = b->nest.stmts[p->build.row_loop].extent };
        p->build.row_of = b->number;
        p->build.row_buffer = fuse_new_buffer(f, buffer);
        build_once(f, b, roots);
    }
}

/* ---- what was made ---- */

Made *fuse_add_made(GraphFusion *f)
{
    Round *x = &f->round;
    x->made = arena_grow(f->arena, x->made, x->n_made, &x->cap_made, x->n_made + 1, sizeof *x->made);
    return &x->made[x->n_made++];
}

void fuse_provide_results(GraphFusion *f, Ref r)
{
    Made *m = &f->round.made[f->round.n_made - 1];
    uint32_t n = 0, end = f->g->nodes[r].n_results > 1 ? f->g->n_nodes : r + 1;
    Ref *stores = arena_alloc(f->arena, (f->uses[r] + m->n_stores + 1) * sizeof *stores);
    for (Ref x = r; x < end; x++) {
        if (x != r && (f->g->nodes[x].op != OP_RESULT || f->g->nodes[x].args[0] != r || !f->used[x]))
            continue;
        f->plan[x].round.kernel = f->round.n_made;
        stores[n++] = x;
    }
    for (uint32_t i = 0; i < m->n_stores; i++) stores[n++] = m->stores[i];
    m->stores = stores;
    m->n_stores = n;
    fuse_order_made(f, stores, n);
}

/* "add_4x1000": what a kernel computes, in small letters, and its shape. */
static const char *kernel_name(GraphFusion *f, const Roots *roots)
{
    const Node *n = &f->g->nodes[is_packing(roots) ? roots->pack.node : roots->ref[0]];
    const char *name = is_packing(roots) ? "PACK" : op_info[n->op].name;
    char shape[128] = "", lower[32] = "";
    int len = 0;
    for (int d = 0; d < n->rank && len < 100; d++)
        len +=
            snprintf(shape + len, sizeof shape - (size_t)len, "%s%lld", d ? "x" : "_", (long long)n->dim[d]);
    for (uint32_t i = 0; i + 1 < sizeof lower && name[i]; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    return arena_printf(f->arena, "%s%s", lower, shape);
}

/* Those of the kernels before it of which no load tells: of packed copies that it reads, and the one before
 * for the same nodes. NULL: there is none. */
static const Made *made_before(const GraphFusion *f, const Roots *roots, const uint32_t *packing, uint32_t i)
{
    uint32_t number = i < MAX_PACKED ? packing[i] : roots->previous;
    return number ? &f->round.made[number - 1] : NULL;
}
enum { MOST_BEFORE = MAX_PACKED + 1 };

/* What it stores takes its place in the order; what later kernels for the same nodes store as well takes
 * theirs. */
static void place_kernel(GraphFusion *f, const Roots *roots)
{
    const Made *m = &f->round.made[f->round.n_made - 1];
    bool is_last = roots->which + 1 >= roots->n_kernels;
    Ref *placed = arena_alloc(f->arena, (m->n_stores + 1) * sizeof *placed);
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_stores; i++)
        if (is_last || !is_among(roots, m->stores[i])) placed[n++] = m->stores[i];
    fuse_order_made(f, placed, n);
}

static void note_kernel(GraphFusion *f, Build *b, const Roots *roots, const uint32_t *packing)
{
    Made *m = fuse_add_made(f);
    *m = (Made){ .kernel.name = kernel_name(f, roots), .steps = REF_NONE, .previous = roots->previous };
    nest_flatten(&b->nest, f->arena, &m->kernel);
    m->stores = arena_copy(f->arena, b->stored, b->n_stored * sizeof *b->stored);
    m->n_stores = b->n_stored;
    m->loads = arena_alloc(f->arena, (b->n_accesses + 1) * sizeof *m->loads);
    for (uint32_t i = 0; i < b->n_accesses; i++) m->loads[m->n_loads++] = b->accesses[i].node;
    memcpy(m->packing, packing, sizeof m->packing);
    fuse_note_needs(f, m->loads, m->n_loads);
    for (uint32_t i = 0; i < MOST_BEFORE; i++) {
        const Made *before = made_before(f, roots, packing, i);
        if (!before) continue;
        fuse_note_needs(f, before->needs, before->n_needs);
        fuse_note_needs(f, before->placed, before->n_placed);
    }
    place_kernel(f, roots);
    ProgramStep call;
    if (roots->own && own_kernel_call(b, roots->ref[0], roots->own, &call))
        m->call = arena_copy(f->arena, &call, sizeof call);
}

/* Does the kernel load what only kernels have that wait for it, or one of those before it? It stores in
 * passing what they load. */
static bool closes_circle(GraphFusion *f, Build *b, const Roots *roots, const uint32_t *packing)
{
    uint32_t n = 0;
    Ref *loads = arena_alloc(b->arena, (b->n_accesses + 1) * sizeof *loads);
    for (uint32_t i = 0; i < b->n_accesses; i++)
        if (f->plan[b->accesses[i].node].round.kernel != b->number) loads[n++] = b->accesses[i].node;
    bool circle = fuse_needs(f, loads, n, b->stored, b->n_stored);
    for (uint32_t i = 0; i < MOST_BEFORE && !circle; i++) {
        const Made *before = made_before(f, roots, packing, i);
        circle = before && fuse_needs(f, before->needs, before->n_needs, b->stored, b->n_stored);
    }
    return circle;
}

static bool is_stored_in_passing(const GraphFusion *f, const Roots *roots, Ref r)
{
    return f->plan[r].in_passing && !is_among(roots, r);
}

static bool stores_in_passing(const GraphFusion *f, const Build *b, const Roots *roots)
{
    for (uint32_t i = 0; i < b->n_stored; i++)
        if (is_stored_in_passing(f, roots, b->stored[i])) return true;
    return false;
}

/* What it stores in passing gets kernels of its own. */
static void store_less(GraphFusion *f, const Build *b, const Roots *roots)
{
    for (uint32_t i = 0; i < b->n_stored; i++)
        if (is_stored_in_passing(f, roots, b->stored[i])) fuse_give_memory(f, b->stored[i]);
}

/* What this kernel loads although it had no memory before has it from now on. A packed copy is no reason for
 * another round: the kernel that reads it is. */
static void give_wanted(GraphFusion *f, const Build *b, bool packing)
{
    Round *x = &f->round;
    for (uint32_t i = 0; i < b->n_wanted; i++) {
        Ref r = b->wanted[i];
        if (!packing && !f->plan[r].materialized && x->n_given < x->cap_wanted) {
            x->given_for[x->n_given] = b->number;
            x->given[x->n_given++] = r;
        }
        fuse_give_memory(f, r);
    }
    x->changed |= !packing && b->n_wanted > 0;
}

/* Lanes along the loop around the innermost ones, if these are short and it pays. */
static void go_across(GraphFusion *f, Build *b, const Roots *roots)
{
    bool folds = nest_has_reducers(&b->nest);
    PlainLanes plain = schedule_plain_lanes(b);
    b->schedule.root_across = sweeps_are_short(b);
    if (!b->schedule.root_across) return;
    sweeps_write_out(b);
    build_once(f, b, roots);
    if (schedule_across_pays(b, folds, plain)) return;
    b->schedule.root_across = 0;
    b->n_sweeps = 0;
    build_once(f, b, roots);
}

/* Which concatenations and paddings are undecided in the pieces that the last try had? */
static void note_torn(Build *b)
{
    for (uint32_t i = 0; i < b->n_touched; i++) {
        Ref r = b->touched[i];
        if (!point_is_torn(b, r)) continue;
        b->torn = arena_grow(b->kept, b->torn, b->n_torn, &b->cap_torn, b->n_torn + 1, sizeof *b->torn);
        b->torn[b->n_torn++] = r;
    }
}

/* Cuts the loops where conditions change; but first lets their indices go by their rests where quotients of
 * them are needed, for that decides conditions, too. What is read at several taps is stored before: then
 * there is less to cut. What is undecided even in pieces gets memory. */
static void settle_pieces(GraphFusion *f, Build *b, const Roots *roots)
{
    go_across(f, b, roots);
    if (b->n_wanted && sweeps_have_seams(b)) {
        give_wanted(f, b, false);
        b->n_sweeps = 0;
        b->schedule.root_across = 0;
        build_once(f, b, roots);
        go_across(f, b, roots);
    }
    for (int k = 0; k < MAX_CUTS && sweeps_split(b); k++) build_once(f, b, roots);
    for (int k = 0; k < MAX_CUTS && sweeps_cut(b); k++) build_once(f, b, roots);
    b->settled = true;
    if (!b->undecided) return;
    note_torn(b);
    build_once(f, b, roots);
}

/* Looks at the kernel as built and chooses a better schedule; with lanes elsewhere another fold may be the
 * innermost inside them: another look. */
static void settle_schedule(GraphFusion *f, Build *b, const Roots *roots, Packings *packings)
{
    bool plain = true;
    for (int look = 0; look < MAX_SCALAR_FOLDS; look++) {
        Schedule better = schedule_choose(b, packings);
        bool again = !schedule_same(&better, &b->schedule);
        plain &= !again;
        b->schedule = better;
        if (!again) break;
        build_once(f, b, roots);
    }
    /* Loops over a row share values only if they have one shape: that of the reductions. */
    uint16_t sums = (uint16_t)(ACCUMULATORS / b->schedule.lanes), few = schedule_few_sums(b);
    bool folds = nest_has_reducers(&b->nest), fewer = folds && !b->schedule.fold_tile && few < sums;
    if (plain) b->schedule.root_tile = fewer ? few : folds ? sums : schedule_tile(b);
    if (fewer) {
        b->schedule.fold_tile = few;
        build_once(f, b, roots);
    }
    if (plain && b->schedule.root_across && !nest_has_reducers(&b->nest) && computes_dear(b, COST_LONG_MATH))
        b->schedule.across_tile = b->schedule.root_tile;
    if (b->schedule.root_tile == 0) b->schedule.root_tile = 1;
}

static int by_node(const void *a, const void *b)
{
    Ref x = ((const Computes *)a)->node, y = ((const Computes *)b)->node;
    return (x > y) - (x < y);
}

static void note_computes(GraphFusion *f, const Build *b)
{
    Made *m = &f->round.made[f->round.n_made - 1];
    Computes *all = arena_alloc(f->arena, (b->n_touched + 1) * sizeof *all);
    for (uint32_t i = 0; i < b->n_touched && b->n_roots; i++)
        all[m->n_computes++] = (Computes){ b->touched[i], f->plan[b->touched[i]].build.computed };
    qsort(all, m->n_computes, sizeof *all, by_node);
    m->computes = all;
    m->root = b->n_roots ? b->roots[0] : REF_NONE;
}

/* How often each node was computed; and of folds and costly scalars by how many kernels: what several should
 * not compute. */
static void note_computed(GraphFusion *f, const Build *b)
{
    for (uint32_t i = 0; i < b->n_touched && b->n_roots; i++) {
        NodeRound *now = &f->plan[b->touched[i]].round;
        double here = f->plan[b->touched[i]].build.computed;
        now->computed += here;
        if (here > now->computed_in_one) now->computed_in_one = here;
        now->computed_for = b->roots[0];
        if (!op_folds((Op)f->g->nodes[b->touched[i]].op) && !fuse_is_costly_scalar(f, b->touched[i]))
            continue;
        now->folded_by++;
        now->folded_for = b->roots[0];
    }
}

/* The kernel's number, once it is known how many are made before it. */
static void number_kernel(GraphFusion *f, Build *b)
{
    b->number = f->round.n_made + 1;
    for (uint32_t i = 0; i < b->n_stored; i++) f->plan[b->stored[i]].round.kernel = b->number;
}

bool kernel_runs_after(Build *b, Ref stored)
{
    GraphFusion *f = b->fusion;
    Made *m = &f->round.made[f->plan[stored].round.kernel - 1];
    if (m->asked_by != b->number) m->runs_behind = fuse_needs(f, &stored, 1, b->roots, b->n_roots);
    m->asked_by = b->number;
    return m->runs_behind;
}

bool copy_moves_out(const Build *b, Ref node)
{
    return b->fusion->fusion->runs > 1 && !b->plan[node].round.place.base.n_terms;
}

static bool same_packing(const Packing *x, const Packing *y, int rank)
{
    if (x->node != y->node || x->times != y->times || !x->perm != !y->perm || x->panel != y->panel ||
        x->part != y->part || x->n_outer != y->n_outer || x->n_run != y->n_run)
        return false;
    return !x->perm || !memcmp(x->perm, y->perm, (size_t)rank * sizeof *x->perm);
}

static PackedCopy make_packing(GraphFusion *f, Packing p)
{
    Round *x = &f->round;
    Type t = graph_type(f->g, p.node);
    /* A product is made in tiles of its own, not in the squares of a copy. resized_200. */
    if (!f->plan[p.node].materialized && f->plan[p.node].round.has_product) fuse_want_memory(f, p.node);
    for (uint32_t i = 0; i < x->n_packed; i++)
        if (same_packing(&x->packed[i].what, &p, t.rank)) return x->packed[i];
    x->packed =
        arena_grow(f->arena, x->packed, x->n_packed, &x->cap_packed, x->n_packed + 1, sizeof *x->packed);
    Buffer copy = fuse_buffer_of(t, BUF_TEMP, 0);
    if (p.perm) p.perm = arena_copy(f->arena, p.perm, (size_t)t.rank * sizeof *p.perm);
    if (p.times) copy.count *= p.times;
    if (p.panel) copy.count = panels_count(t, &p);
    uint32_t buffer = fuse_new_buffer(f, copy);
    fuse_make_kernel(f, &(Roots){ .pack = p, .pack_buffer = buffer });
    return x->packed[x->n_packed++] = (PackedCopy){ p, buffer, x->n_made };
}

/* A block's sums. */
static void add_sums_buffer(GraphFusion *f, Build *b)
{
    const Sweep *w = b->sweeps[0];
    Buffer buffer = { .kind = BUF_LOCAL,
                      .dtype = f->g->nodes[b->product.dot].dtype,
                      .count = panels_sums_count(&b->schedule, w->loop[w->n - 1].extent) };
    b->sums = fuse_new_buffer(f, buffer);
}

/* Panels that the kernel copies itself. */
static void add_near_buffer(GraphFusion *f, Build *b, Packing p)
{
    Buffer buffer = { .kind = BUF_LOCAL,
                      .dtype = f->g->nodes[p.node].dtype,
                      .count = p.part * p.panel * p.near };
    b->packed[b->n_packed] = p;
    b->n_packed_loads[b->n_packed] = 0;
    b->packed_buffer[b->n_packed++] = fuse_new_buffer(f, buffer);
}

/* Builds the kernel under better and better schedules; packing[] become the kernels of the copies that it
 * reads. */
static void build_scheduled(GraphFusion *f, Build *b, const Roots *roots, uint32_t *packing)
{
    Packings packings, repeated;
    bool joins_rows = !roots->own && rows_to_join(b, &repeated);
    if (joins_rows) b->settled = true;
    else settle_pieces(f, b, roots);
    settle_schedule(f, b, roots, &packings);
    if (joins_rows) packings = repeated;
    for (uint32_t i = 0; i < packings.n; i++) {
        if (packings.of[i].near) {
            add_near_buffer(f, b, packings.of[i]);
            continue;
        }
        PackedCopy copy = make_packing(f, packings.of[i]);
        b->packed[b->n_packed] = packings.of[i];
        b->packed_loads[b->n_packed] = f->round.made[copy.kernel - 1].loads;
        b->n_packed_loads[b->n_packed] = f->round.made[copy.kernel - 1].n_loads;
        b->packed_buffer[b->n_packed++] = copy.buffer;
        packing[i] = copy.kernel;
        number_kernel(f, b);
    }
    if (b->schedule.block && !b->schedule.strips) add_sums_buffer(f, b);
    build_once(f, b, roots);
    /* A copy gives memory to what this kernel was the first to want, and with that the kernel may have got
     * other loops: another round, then. */
    if (!packed_copies_hold(b)) {
        b->n_packed = 0;
        f->round.changed = true;
        build_once(f, b, roots);
    }
    add_row_buffers(f, b, roots);
}

static void build_well(GraphFusion *f, Build *b, const Roots *roots, uint32_t *packing)
{
    build_once(f, b, roots);
    if (!is_packing(roots)) build_scheduled(f, b, roots, packing);
    while (stores_in_passing(f, b, roots) && closes_circle(f, b, roots, packing)) {
        store_less(f, b, roots);
        f->round.changed = true;
        build_once(f, b, roots);
    }
    if (is_packing(roots)) return;
    want_folds(f, b);
    want_products(f, b);
    fuse_want_lanes(f, b);
}

void fuse_make_kernel(GraphFusion *f, const Roots *roots)
{
    uint32_t packing[MAX_PACKED] = { 0 };
    ArenaMark kept = arena_mark(f->fusion->kernels);
    Build b = { .arena = f->fusion->tries,
                .kept = f->fusion->kernels,
                .empty = arena_mark(f->fusion->tries),
                .graph = f->g,
                .program = f->program,
                .target = f->target,
                .plan = f->plan,
                .fusion = f,
                .roots = roots->ref,
                .n_roots = roots->n,
                .follows = roots->which > 0 };
    number_kernel(f, &b);
    for (uint32_t i = 0; i < roots->n; i++) f->plan[roots->ref[i]].round.kernel = b.number;
    b.schedule = schedule_plain(vector_lanes(f, roots));
    build_well(f, &b, roots, packing);
    forget_rows(f, &b);
    note_computed(f, &b);
    give_wanted(f, &b, is_packing(roots));
    note_kernel(f, &b, roots, packing);
    note_computes(f, &b);
    forget_touched(f, &b);
    arena_release(b.arena, b.empty);
    arena_release(b.kept, kept);
}
