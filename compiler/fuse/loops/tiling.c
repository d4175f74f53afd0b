/* tiling.c: the choice of lanes and tiles.
 *
 * The kernel is first built with lanes along the innermost axis of the result. If no reduction ends up inside
 * those lanes, that stands, but the steps of a scan in them may read packed copies, too. Otherwise the
 * innermost such reduction decides. Call b the loop just around it, a the loop around b, k its own loop:
 *
 *   lanes on b     if every load that moves with b reads neighbours (column sums, products with a row-major
 *                  right side); or if the one that does not is used again for every a, so that a copy with
 *                  its axes permuted (packing) pays: n^2 elements copied for n^3 read; or if all read
 *                  elements that are nearer than along k (columns of complex numbers). With reuse over a
 *                  (some load does not move with a) this is a register-tiled contraction: tile a : 8, lanes
 *                  b : W x 2, 16 accumulators of the 32 registers, 8 broadcasts and 2 loads for 16
 *                  multiply-adds; with 16 registers 4 x 2, or of what is loaded, in a long loop, 6 x 2 (4 x 2
 *                  waits for its sums: 56 x 56 x 256 by 256 x 64, AVX2: 1.8 -> 1.5 ms); 4 x 2 where there is
 *                  little to multiply, for that is half the code (64 x 64 x 32: 1.0 us instead of 0.95, but
 *                  0.7 ms less to compile). Where
 *                  the columns are one vector, there are twice as many rows. Several sums of the same rows
 *                  have one vector, and as many rows as registers hold: with what these load, and one more
 *                  for what the columns load (two products of one matrix, AVX2: 5 x 1, 10 accumulators;
 *                  6 x 1 spills: 0.34 and 0.69 ms). Without reuse, lanes b : W x 8
 *                  (4 with 16 registers, if more is computed than loaded), so that one pass over k reads
 *                  long runs. If there is reuse over a loop further out, that one takes the place of a.
 *                  Where b is shorter, k gets a tile: several sums of every other element, which do not wait
 *                  for each other (not in strict mode: the order is another).
 *   from panels    large products, which would read their operands again and again from far away, and those
 *                  whose columns' rows push each other out of the L1 cache (tiling_panels.c).
 *   lanes across   if the result's last axes are so short that lanes along them would be idle, and those on
 *                  the axis around read neighbours, or a packed copy: the short axes are written out, so that
 *                  one pass over k makes a sum for each of their elements (an image of 3 colours made wider,
 *                  200 x 200 x 3 times 200 x 400: 8 times as fast as lanes on k).
 *   lanes on k     otherwise (row sums, products of rows): 64 accumulators along k, one horizontal fold per
 *                  result. If some load does not move with the result's innermost axis, 4 of its results are
 *                  made together (a matrix times a vector reads the vector once per 4 rows).
 */
#include "tiling.h"
#include <limits.h>
#include <math.h>

Schedule schedule_plain(uint16_t lanes)
{
    return (Schedule){ .root_lanes = true, .root_tile = 1, .outer_tile = 1, .fold_tile = 0, .lanes = lanes };
}

bool schedule_same(const Schedule *a, const Schedule *b)
{
    return a->root_lanes == b->root_lanes && a->root_across == b->root_across &&
           a->across_tile == b->across_tile && a->root_tile == b->root_tile &&
           a->outer_tile == b->outer_tile && a->fold_tile == b->fold_tile && a->outer_from == b->outer_from &&
           a->block == b->block && a->strips == b->strips && a->near == b->near && a->part == b->part &&
           a->n_scalar == b->n_scalar && a->fold_any == b->fold_any && a->fold_short == b->fold_short &&
           a->chains == b->chains;
}

static bool indirect(const Build *b, Address a)
{
    for (uint32_t i = 0; i < a.n_terms; i++)
        if (b->nest.stmts[a.terms[i].of].kind != ST_LOOP && b->nest.stmts[a.terms[i].of].kind != ST_COUNTER)
            return true;
    return false;
}

/* The reducer of the fold in the deepest block that stands inside lanes; VAL_NONE: there is none. */
static Val innermost_reducer(const Build *b)
{
    Val best = VAL_NONE;
    uint32_t depth = 0;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        if (s->kind != ST_FOLD || b->nest.blocks[b->nest.placed[v].block].depth < depth) continue;
        if (!nest_in_lanes(&b->nest, b->nest.placed[s->args[0]].block)) continue;
        best = s->args[0];
        depth = b->nest.blocks[b->nest.placed[v].block].depth + 1;
    }
    return best;
}

/* What the loads inside block `body` (of loop lane_loop) say about lanes on that loop. */
typedef struct Lanes {
    bool unit, shared, indirect;
    const Access *strided[MAX_PACKED + 1];
    uint32_t n_strided;
} Lanes;

static Lanes look(const Build *b, uint32_t body, Val lane_loop, Val outer_loop)
{
    Lanes l = { .unit = true };
    double folded = 0;
    for (Val v = 0; v < b->nest.n_stmts; v++)
        if (b->nest.stmts[v].kind == ST_FOLD && nest_encloses(&b->nest, body, b->nest.placed[v].block) &&
            b->nest.blocks[b->nest.placed[v].block].runs > folded)
            folded = b->nest.blocks[b->nest.placed[v].block].runs;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        const Access *x = &b->accesses[i];
        Address a = b->nest.stmts[x->load].address;
        uint32_t block = b->nest.placed[x->load].block;
        bool inside = nest_encloses(&b->nest, body, block), moves = address_coefficient(a, lane_loop) != 0;
        if (inside && outer_loop != VAL_NONE && !address_coefficient(a, outer_loop)) l.shared = true;
        if (!inside || !moves || address_coefficient(a, lane_loop) == 1) continue;
        if (b->nest.blocks[block].runs * RARE_STRIDED <= folded) continue; /* gathered, or a square */
        l.unit = false;
        l.indirect |= indirect(b, a);
        uint32_t k = 0;
        while (k < l.n_strided && l.strided[k]->node != x->node) k++;
        if (k > MAX_PACKED) continue;
        l.strided[k] = x;
        if (k == l.n_strided) l.n_strided++;
    }
    return l;
}

/* The reducer of the fold whose loop, without lanes, stands around this one's; VAL_NONE: there is none. What
 * folds one element without a loop stands in its reducer's own block, and is around nothing. */
static Val reducer_around(const Build *b, Val reducer)
{
    uint32_t block = b->nest.placed[reducer].block;
    const Block *k = &b->nest.blocks[block];
    if (k->is_root || k->loop == VAL_NONE || b->nest.stmts[k->loop].lanes > 1) return VAL_NONE;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        Val around = b->nest.stmts[v].args[0];
        if (b->nest.stmts[v].kind == ST_FOLD && b->nest.placed[v].block == block &&
            b->nest.placed[around].block != block)
            return around;
    }
    return VAL_NONE;
}

/* Would lanes on the loop just around the fold into this reducer read neighbours? */
static bool reads_neighbours(const Build *b, Val reducer)
{
    uint32_t body = b->nest.placed[reducer].block;
    return look(b, body, b->nest.blocks[body].loop, VAL_NONE).unit;
}

/* The reducer that decides. A fold of folds is looked at from outside if there are few of these, which would
 * leave lanes idle, or if the lanes around it read neighbours and lanes along them would not. (8 x 112 x 112
 * x 64 summed in blocks of 2 x 2, one axis after the other, AVX2: 9.9 -> 1.5 ms.) */
static Val deciding_reducer(const Build *b)
{
    Val reducer = innermost_reducer(b), outermost = reducer, around;
    if (reducer == VAL_NONE) return VAL_NONE;
    while ((around = reducer_around(b, outermost)) != VAL_NONE) outermost = around;
    bool is_better = reads_neighbours(b, outermost);
    while ((around = reducer_around(b, reducer)) != VAL_NONE) {
        Val loop = b->nest.blocks[b->nest.placed[reducer].block].loop;
        if (b->nest.stmts[loop].extent > MAX_SHORT_ROW && !(is_better && !reads_neighbours(b, reducer)))
            break;
        reducer = around;
    }
    return reducer;
}

/* Product of the extents of loops around block that the address does not move with, those of steps
 * included. */
static double reuse(const Build *b, uint32_t block, Address a, Ref node)
{
    double again = b->plan[node].round.place.rereads, r = again > 0 ? again : 1;
    for (; b->nest.blocks[block].loop != VAL_NONE; block = b->nest.blocks[block].parent) {
        Val loop = b->nest.blocks[block].loop;
        if (!address_coefficient(a, loop)) r *= (double)b->nest.stmts[loop].extent;
    }
    return r;
}

/* How far the index of an axis runs: past the axis's size where it stands for the axes before it too. */
static int64_t reach(const Build *b, Address a)
{
    int64_t most = a.offset;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *s = &b->nest.stmts[a.terms[i].of];
        if (s->kind == ST_LOOP && a.terms[i].coef > 0) most += a.terms[i].coef * (s->extent - 1);
    }
    return most + 1;
}

/* Do axes that some load of the node walks as one stay neighbours in a copy with these axes? */
static bool keeps_runs(const Build *b, Ref node, const int64_t *perm)
{
    const Node *n = &b->graph->nodes[node];
    int at[WEFT_MAX_RANK];
    for (int d = 0; d < n->rank; d++) at[perm[d]] = d;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        if (b->accesses[i].node != node) continue;
        for (int d = 0; d < n->rank; d++) {
            int64_t walked = n->dim[d], needed = reach(b, b->accesses[i].at[d]);
            for (int f = d; walked < needed && f > 0; f--) {
                if (at[f] != at[f - 1] + 1) return false;
                walked *= n->dim[f - 1];
            }
        }
    }
    return true;
}

/* Puts the axis that moves with the loop last, with the axes before it that one loop walks together with it.
 * False if no single axis moves. */
bool pack_by(Build *b, const Access *x, Val loop, Packing *p)
{
    const Node *n = &b->graph->nodes[x->node];
    int64_t *perm = arena_alloc(b->kept, ((size_t)n->rank + 1) * sizeof *perm);
    int last = -1, first, out = 0;
    for (int d = 0; d < n->rank; d++) {
        if (!address_coefficient(x->at[d], loop)) continue;
        if (last >= 0 || address_coefficient(x->at[d], loop) != 1) return false;
        last = d;
    }
    if (last < 0) return false;
    int64_t walked = n->dim[last];
    for (first = last; walked < b->nest.stmts[loop].extent && first > 0; first--) walked *= n->dim[first - 1];
    for (int d = 0; d < n->rank; d++)
        if (d < first || d > last) perm[out++] = d;
    for (int d = first; d <= last; d++) perm[out++] = d;
    if (!keeps_runs(b, x->node, perm)) return false;
    *p = (Packing){ .node = x->node, .perm = perm };
    return true;
}

bool packed_copies_hold(const Build *b)
{
    for (uint32_t i = 0; i < b->n_packed; i++) {
        const Packing *p = &b->packed[i];
        if (p->perm && !p->panel && !keeps_runs(b, p->node, p->perm)) return false;
    }
    return true;
}

/* Copies of all that lanes would read across its rows, if each is read often enough; several only if they
 * stay in the L1 cache together: past it, streams along their rows are faster (two matrices of 256 x 64 in an
 * LSTM: 0.70 ms by rows, 0.89 packed; of 16 x 16: 45 and 21 us). */
static bool pack_all(Build *b, const Lanes *l, uint32_t body, Val lane_loop, Packings *all)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < l->n_strided && i < MAX_PACKED; i++) {
        const Node *n = &b->graph->nodes[l->strided[i]->node];
        bytes += type_count(node_type(n)) * (int64_t)dtype_bytes((DType)n->dtype);
    }
    if (l->indirect || l->n_strided > MAX_PACKED || (l->n_strided > 1 && bytes > b->target->l1_bytes))
        return false;
    for (uint32_t i = 0; i < l->n_strided; i++) {
        const Access *x = l->strided[i];
        if (reuse(b, body, b->nest.stmts[x->load].address, x->node) < REUSE_THAT_PAYS ||
            !pack_by(b, x, lane_loop, &all->of[i]))
            return false;
    }
    all->n = l->n_strided;
    return true;
}

/* The loop with lanes around this block; VAL_NONE: there is none. */
static Val lanes_around(const Build *b, uint32_t block)
{
    while (block && b->nest.stmts[b->nest.blocks[block].loop].lanes <= 1)
        block = b->nest.blocks[block].parent;
    return block ? b->nest.blocks[block].loop : VAL_NONE;
}

/* Lanes that each read another row. */
static bool reads_across(const Build *b, const Access *x)
{
    Address a = b->nest.stmts[x->load].address;
    Val lanes = lanes_around(b, b->nest.placed[x->load].block);
    int64_t stride = lanes == VAL_NONE ? 0 : address_coefficient(a, lanes);
    return stride != 0 && stride != 1 && stride != -1 && !indirect(b, a);
}

/* How often the steps of a scan in lanes, in which x stands, read its node, if that is across rows wherever
 * it is read. */
static int64_t reads_across_of(const Build *b, const Access *x)
{
    uint32_t steps = b->nest.placed[x->load].block;
    Val lanes = lanes_around(b, steps);
    int64_t n = 0;
    if (lanes == VAL_NONE || nest_body(&b->nest, lanes) == steps) return 0;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        if (b->accesses[i].node != x->node) continue;
        if (!reads_across(b, &b->accesses[i])) return 0;
        n += b->nest.placed[b->accesses[i].load].block == steps;
    }
    return n;
}

/* Each read across rows is a load for each lane; a copy moves squares through registers, the larger ones the
 * narrower the elements. It is to stay in the L2 cache. */
static bool copy_pays(const Build *b, const Access *x)
{
    const Node *n = &b->graph->nodes[x->node];
    int64_t count = type_count(node_type(n)), bytes = (int64_t)dtype_bytes((DType)n->dtype);
    return count > FEW_TO_PACK && count * bytes <= b->target->l2_bytes &&
           reads_across_of(b, x) * BYTES_A_READ_PAYS >= bytes;
}

/* Copies of what the steps of a scan in lanes read across its rows. */
static void pack_for_steps(Build *b, Packings *all)
{
    for (uint32_t i = 0; i < b->n_accesses && all->n < MAX_PACKED; i++) {
        const Access *x = &b->accesses[i];
        bool seen = false;
        for (uint32_t k = 0; k < all->n; k++) seen |= all->of[k].node == x->node;
        if (seen || !copy_pays(b, x)) continue;
        all->n += pack_by(b, x, lanes_around(b, b->nest.placed[x->load].block), &all->of[all->n]);
    }
}

/* How many sums are made in one loop for one element of this block's; 0: of few elements each, whose
 * registers do not matter. */
static uint32_t sums_in(const Build *b, uint32_t body)
{
    double folded = PRODUCT_SUM * b->nest.blocks[body].runs;
    uint32_t n = 0;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        uint32_t block = b->nest.placed[v].block;
        double runs = b->nest.blocks[block].runs;
        if (b->nest.stmts[v].kind != ST_FOLD || !nest_encloses(&b->nest, body, block) || runs < folded)
            continue;
        n = runs > folded ? 1 : n + 1;
        folded = runs;
    }
    return n;
}

/* Sums that share a loop share the registers; the rest of these holds operands. (silu(x a) * (x b), 64 x 96
 * times 96 x 200, AVX2: 152 -> 76 us.) */
static uint32_t room_for_sums(const Build *b) { return b->target->vector_registers * 3u / 4; }

/* Lanes go to the innermost fold: taken from the result's axis or from the fold around. */
static Schedule rows(const Build *b, Val reducer, Val inner_root, Val lane_loop)
{
    Schedule s = b->schedule;
    if (lane_loop != inner_root && b->nest.stmts[lane_loop].lanes > 1) {
        if (s.n_scalar < MAX_SCALAR_FOLDS) s.scalar[s.n_scalar++] = b->nest.placed[lane_loop].folds;
        return s;
    }
    s.root_lanes = false;
    s.root_tile = s.outer_tile = 1;
    if (b->needs_rows || inner_root == VAL_NONE) return s;
    s.fold_any = true;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        if (address_coefficient(a, inner_root) || !a.n_terms) continue;
        s.root_tile = 4;
        s.fold_tile = b->target->vector_registers >= 32 ? 4 : 2; /* half of the registers are accumulators */
    }
    uint32_t sums = sums_in(b, b->nest.placed[reducer].block), room = room_for_sums(b);
    while (s.fold_tile > 1 && sums > 1 && sums * s.root_tile * s.fold_tile > room) s.fold_tile /= 2;
    while (s.root_tile > 1 && sums > 1 && sums * s.root_tile * s.fold_tile > room) s.root_tile /= 2;
    return s;
}

/* Arithmetic of one element of the result that stands beside the folds: without lanes all of it is scalar. */
static double beside_folds(const Build *b, uint32_t body)
{
    double cost = 0;
    for (uint32_t i = 0; i < b->nest.blocks[body].n_items; i++) {
        const Stmt *s = &b->nest.stmts[b->nest.blocks[body].items[i]];
        if (s->kind == ST_OP) cost += op_cost((Op)s->op, (DType)s->dtype);
        if (s->kind == ST_REDUCER) cost += COST_ACROSS_LANES;
    }
    return cost;
}

/* Strided loads of one element of the result: each lane's is a load, or some are shuffled out of vectors. */
static double strided_loads(const Build *b, uint32_t body, Val lane_loop)
{
    double cost = 0;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        uint32_t block = b->nest.placed[b->accesses[i].load].block;
        int64_t stride = address_coefficient(a, lane_loop);
        if (!nest_encloses(&b->nest, body, block) || stride == 0 || stride == 1) continue;
        bool is_near = stride > 0 && 2 * stride <= b->schedule.lanes && !indirect(b, a);
        cost += b->nest.blocks[block].runs / b->nest.blocks[body].runs *
                (is_near ? 2.0 * (double)stride / b->schedule.lanes : 1);
    }
    return cost;
}

/* Does the kernel load three neighbours in all of this load's element, so that lanes across load them as one
 * (llvm/access/pixels.c)? */
static bool is_of_pixel(const Build *b, Val load)
{
    const Stmt *s = &b->nest.stmts[load];
    int n = 0;
    if (dtype_bytes((DType)s->dtype) < 4) return false;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        const Stmt *other = &b->nest.stmts[b->accesses[i].load];
        Address moved = other->address;
        int64_t by = moved.offset - s->address.offset;
        moved.offset = s->address.offset;
        n += other->buffer == s->buffer && by > -3 && by < 3 && address_equal(moved, s->address);
    }
    return n >= 3;
}

/* Is so much computed of each element that three idle lanes of four cost more than to load pixels across?
 * (argmax of 10,000 x 9 x 4 along the 9, AVX-512: 164 -> 68 us; with AVX2, which 4 fill by half, 106 -> 135;
 * the largest itself 24 -> 35.) */
static bool pixels_pay(const Build *b)
{
    const Sweep *w = b->n_sweeps ? b->sweeps[0] : NULL;
    int64_t elements = 1;
    bool dear = computes_dear(b, COST_MATH_FUNCTION);
    if (!w || !b->schedule.root_across) return false;
    for (int k = w->n - b->schedule.root_across; k < w->n; k++) elements *= w->loop[k].extent;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        dear |= s->kind == ST_REDUCER && (s->op == OP_ARGMAX || s->op == OP_ARGMIN);
    }
    return dear && 4 * elements <= b->schedule.lanes;
}

/* Do lanes around read rows across that are no longer than this, or pixels where these pay, and is nothing
 * long folded in them? within: a block. */
static bool rows_are_short(const Build *b, uint32_t within, int64_t longest)
{
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        uint32_t block = b->nest.placed[v].block;
        if (s->kind == ST_LOOP && (s->lanes > 1 || s->extent > MAX_SHORT_ROW || s->extent == EXTENT_WHILE) &&
            nest_encloses(&b->nest, within, block) && nest_in_lanes(&b->nest, block))
            return false;
    }
    bool pixels = pixels_pay(b);
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Val load = b->accesses[i].load, lanes = lanes_around(b, b->nest.placed[load].block);
        Address a = b->nest.stmts[load].address;
        if (lanes == VAL_NONE || !nest_encloses(&b->nest, within, b->nest.placed[load].block)) continue;
        int64_t stride = address_coefficient(a, lanes);
        if (indirect(b, a) || ((stride < 0 || stride > longest) && !(pixels && is_of_pixel(b, load))))
            return false;
    }
    return true;
}

/* A contraction whose short last axes are written out: the block of its sums, all of which stand in one loop
 * in lanes, and their number. */
static uint32_t sums_across(const Build *b, uint32_t *n)
{
    Val first = innermost_reducer(b);
    if (first == VAL_NONE) return 0;
    uint32_t body = b->nest.placed[first].block;
    *n = 0;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        bool sums = s->kind == ST_REDUCER, loops = s->kind == ST_LOOP && s->extent == EXTENT_WHILE;
        if (loops || (sums && b->nest.placed[v].block != body)) return 0;
        *n += sums;
    }
    return b->nest.blocks[body].is_root ? body : 0;
}

/* Is something summed that some load does not move with the lanes for, while the others read neighbours, from
 * packed copies perhaps? Then the sums of several rows, and of the elements of the short axes, share what
 * they load. */
static bool contracts_across(Build *b, Packings *packings)
{
    uint32_t n, body = sums_across(b, &n);
    bool uniform = false;
    if (!body || n < 2) return false;
    Val lanes = b->nest.blocks[body].loop;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        uint32_t block = b->nest.placed[b->accesses[i].load].block;
        if (block == body || !nest_encloses(&b->nest, body, block)) continue;
        uniform |= !address_coefficient(a, lanes);
    }
    Lanes l = look(b, body, lanes, VAL_NONE);
    return uniform && (l.unit || pack_all(b, &l, body, lanes, packings));
}

PlainLanes schedule_plain_lanes(const Build *b)
{
    Val reducer = deciding_reducer(b);
    if (reducer == VAL_NONE) return LANES_WASTED;
    uint32_t body = b->nest.placed[reducer].block;
    Val lanes = b->nest.blocks[body].loop;
    int64_t extent = b->nest.stmts[lanes].extent, width = b->schedule.lanes,
            whole = (extent + width - 1) / width * width;
    if (!b->nest.blocks[body].is_root) return LANES_WASTED;
    if (extent < SHORTEST_LANES) return LANES_NOWHERE;
    return (double)extent > LANES_WELL_USED * (double)whole && look(b, body, lanes, VAL_NONE).unit
               ? LANES_USED
               : LANES_WASTED;
}

/* Would most lanes along the folds in lanes be idle? */
static bool folds_waste_lanes(const Build *b)
{
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        if (s->kind == ST_LOOP && 2 * s->extent > b->schedule.lanes &&
            nest_in_lanes(&b->nest, b->nest.placed[v].block))
            return false;
    }
    return true;
}

bool schedule_across_pays(Build *b, bool folds, PlainLanes plain)
{
    Packings packings;
    int64_t longest = plain == LANES_NOWHERE && folds_waste_lanes(b) ? MAX_SHORT_RUN : MAX_SHORT_ROW;
    return b->nest.n_stmts <= MAX_PIECED_STMTS && !b->needs_rows &&
           (!folds || rows_are_short(b, 0, longest) ||
            (plain != LANES_USED && contracts_across(b, &packings)));
}

/* Loads of one step of the sums' loop, with so many vectors of so many rows at once; vectors: registers for
 * what is loaded, of which those in lanes stay while the others come one after the other. */
static double loads_across(const Build *b, uint32_t body, int inner, int outer, uint32_t *vectors)
{
    Val lanes = b->nest.blocks[body].loop, rows = b->nest.blocks[b->nest.blocks[body].parent].loop;
    double n = 0;
    *vectors = 1;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        uint32_t block = b->nest.placed[b->accesses[i].load].block;
        if (block == body || !nest_encloses(&b->nest, body, block)) continue;
        int each = (address_coefficient(a, lanes) ? inner : 1) *
                   (rows != VAL_NONE && address_coefficient(a, rows) ? outer : 1);
        if (address_coefficient(a, lanes)) *vectors += (uint32_t)each;
        n += each;
    }
    return n;
}

/* Tiles of a contraction whose short last axes are written out: as many sums as registers hold, and of these
 * tiles that which loads least for each of them. */
static Schedule contraction_across(const Build *b)
{
    Schedule s = b->schedule;
    uint32_t n, body = sums_across(b, &n);
    Val rows = b->nest.blocks[b->nest.blocks[body].parent].loop;
    int64_t extent = b->nest.stmts[b->nest.blocks[body].loop].extent,
            outer_extent = rows == VAL_NONE ? 1 : b->nest.stmts[rows].extent;
    uint32_t room = b->target->vector_registers * 3u / 4, vectors;
    double least = 0;
    for (int inner = 1; inner <= 4 && (inner - 1) * s.lanes < extent; inner *= 2)
        for (int outer = 1; outer <= 8 && outer <= outer_extent; outer *= 2) {
            uint32_t sums = n * (uint32_t)(inner * outer);
            double loads = loads_across(b, body, inner, outer, &vectors) / sums;
            if (sums > n && (sums > room || sums + vectors > b->target->vector_registers || loads >= least))
                continue;
            least = loads;
            s.across_tile = (uint16_t)inner;
            s.outer_tile = (uint16_t)outer;
        }
    return s;
}

/* Rows that are shorter than a vector, or short beside much arithmetic: lanes stay on the result's axis, and
 * go across the rows (argmax of 200000 x 5, AVX-512: 2.5 -> 0.09 ms). */
static bool lanes_go_across(const Build *b, uint32_t body, Val lane_loop)
{
    return !b->needs_rows && (rows_are_short(b, body, MAX_SHORT_ROW) ||
                              beside_folds(b, body) >= 2 * strided_loads(b, body, lane_loop));
}

/* How many vectors one is put together of that lies along this loop. */
static double vectors_along(const Build *b, Address a, Val loop)
{
    double stride = fabs((double)address_coefficient(a, loop)), most = b->schedule.lanes;
    return stride && (indirect(b, a) || stride > most) ? most : stride;
}

/* Do lanes along this loop load less than lanes along the folds inside? Parts of complex numbers lie in turn.
 * (Sums of the columns of 1000 x 1000 complex<f32>, AVX2: 1150 -> 200 us, of 512 x 1024: 3700 -> 115.) */
static bool is_nearer(const Build *b, uint32_t body, Val lane_loop)
{
    double along = 0, folded = 0;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        uint32_t block = b->nest.placed[b->accesses[i].load].block;
        if (block == body || !nest_encloses(&b->nest, body, block)) continue;
        along += b->nest.blocks[block].runs * vectors_along(b, a, lane_loop);
        folded += b->nest.blocks[block].runs * vectors_along(b, a, b->nest.blocks[block].loop);
    }
    return along < folded;
}

/* How many elements all sums of a reducer have in all. */
static double folded_in_all(const Build *b, Val reducer)
{
    for (Val v = 0; v < b->nest.n_stmts; v++)
        if (b->nest.stmts[v].kind == ST_FOLD && b->nest.stmts[v].args[0] == reducer)
            return b->nest.blocks[b->nest.placed[v].block].runs;
    return 0;
}

/* Loads of one step of the sums that move with the rows, not with the lanes. */
static uint32_t row_loads(const Build *b, uint32_t body)
{
    Val lanes = b->nest.blocks[body].loop, rows = b->nest.blocks[b->nest.blocks[body].parent].loop;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_accesses && rows != VAL_NONE; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        uint32_t block = b->nest.placed[b->accesses[i].load].block;
        n += block != body && nest_encloses(&b->nest, body, block) && !address_coefficient(a, lanes) &&
             address_coefficient(a, rows);
    }
    return n;
}

bool is_product_of_loads(const Nest *n, Val v)
{
    const Stmt *s = &n->stmts[v];
    return s->kind == ST_OP && (s->op == OP_MUL || s->op == OP_DOT_HALVES) &&
           n->stmts[s->args[0]].kind == ST_LOAD && n->stmts[s->args[1]].kind == ST_LOAD;
}

/* Are the sums inside the body of products of what is loaded, in loops that LLVM does not write out? Where
 * more is computed, or all steps stand side by side, tiles of so many rows spill (3 x 3 x 8 by 32 on 24 x 24,
 * AVX2: 54 and 70 us). */
static bool sums_loads(const Build *b, uint32_t body)
{
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        uint32_t block = b->nest.placed[v].block;
        if (s->kind != ST_FOLD || block == body || !nest_encloses(&b->nest, body, block)) continue;
        if (b->nest.stmts[b->nest.blocks[block].loop].extent < LEAST_LOOP_OF_SIX ||
            !is_product_of_loads(&b->nest, s->args[1]))
            return false;
    }
    return true;
}

/* Do the sums add up what is loaded, and nothing else? An extreme of floats has its sign and NaN in
 * registers, too. */
static bool sums_elements(const Build *b, uint32_t body)
{
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        uint32_t block = b->nest.placed[v].block;
        if (s->kind != ST_FOLD || block == body || !nest_encloses(&b->nest, body, block)) continue;
        if (b->nest.stmts[s->args[0]].op != OP_ADD || b->nest.stmts[s->args[1]].kind != ST_LOAD) return false;
    }
    return true;
}

uint16_t tiling_even(int64_t rows, uint16_t most)
{
    int64_t tiles = (rows + most - 1) / most;
    return (uint16_t)((rows + tiles - 1) / tiles);
}

/* Sums of few elements are written out, and the machine looks ahead into the next ones: no sum is parted
 * (argmax of 10,000 x 9 x 4 along the 9, AVX2: 106 -> 43 us). */
static Schedule contraction(const Build *b, Val reducer, bool shared, bool root_lanes, int64_t lane_extent,
                            int64_t outer_extent, double products)
{
    Schedule s = b->schedule;
    uint32_t body = b->nest.placed[reducer].block, sums = sums_in(b, body);
    bool many = b->target->vector_registers >= 32;
    uint16_t outer = shared ? (many ? 8 : 4) : 1, inner = shared ? 2 : many || sums_elements(b, body) ? 8 : 4;
    while (inner > 1 && (int64_t)(inner - 1) * s.lanes >= lane_extent) {
        inner /= 2;
        if (shared) outer *= 2;
    }
    bool high = shared && !many && sums_loads(b, body);
    if (shared && inner <= 2 && products < FEW_PRODUCTS) outer = 8 / inner;
    else if (high && sums == 1 && inner == 2) outer = tiling_even(outer_extent, 6);
    else if (high && sums > 1 && row_loads(b, body) == 1) {
        inner = 1; /* what rows load stays in registers for all sums */
        outer = (uint16_t)((b->target->vector_registers - 1u) / (sums + 1));
        outer = outer > 1 ? tiling_even(outer_extent, outer) : 1;
    }
    uint32_t room = room_for_sums(b);
    while (sums > 1 && inner > 1 && sums * inner * outer > room) inner /= 2;
    while (sums > 1 && outer > 1 && sums * inner * outer > room) outer /= 2;
    if (outer > outer_extent) outer = (uint16_t)outer_extent;
    s.root_lanes = root_lanes;
    s.root_tile = root_lanes ? inner : outer;
    s.outer_tile = root_lanes ? outer : 1;
    s.fold_tile = root_lanes ? 0 : inner;
    s.fold_any = !root_lanes;
    double each = folded_in_all(b, reducer) / b->nest.blocks[body].runs;
    if (b->program->mode != MODE_STRICT && root_lanes && outer * inner <= TOO_FEW_SUMS &&
        sums * outer * inner < SUMS_AT_ONCE && each > MAX_SHORT_ROW)
        s.chains = (uint16_t)(SUMS_AT_ONCE / (outer * inner));
    return s;
}

/* Are these neighbours, forwards or backwards? */
static bool is_unit(int64_t coefficient) { return coefficient == 1 || coefficient == -1; }

/* How many loops further out than the one around the body the load's neighbours are: 0 in that one. -1: it
 * does not run across rows, or along none of these loops. */
static int runs_along(const Build *b, const Access *x)
{
    Address a = b->nest.stmts[x->load].address;
    uint32_t block = b->root_block;
    int64_t inner = address_coefficient(a, b->nest.blocks[block].loop);
    if (inner == 0 || is_unit(inner) || indirect(b, a)) return -1; /* backwards: a load and a shuffle */
    for (int out = -1; b->nest.blocks[block].loop != VAL_NONE; block = b->nest.blocks[block].parent, out++)
        if (out >= 0 && is_unit(address_coefficient(a, b->nest.blocks[block].loop))) return out;
    return -1;
}

/* Element-wise: if some load runs along another axis instead (a transpose), tile that axis, next to the
 * innermost, so that whole squares are in registers. Of a large body, which would stand there for each row of
 * the square, what lies across is gathered. Rows that gather in the same places are tiled, too. */
static Schedule squares(Build *b)
{
    Schedule s = b->schedule;
    if (b->nest.blocks[b->root_block].depth < 2 || !s.root_lanes || nest_has_reducers(&b->nest)) return s;
    if (schedule_values(b, b->root_block) * s.lanes > MOST_SQUARE_CODE) return s;
    int nearest = INT_MAX;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        int out = runs_along(b, &b->accesses[i]);
        if (out >= 0 && out < nearest) nearest = out;
    }
    uint16_t rows = nearest == INT_MAX ? schedule_rows(b) : 1;
    if (rows > 1) {
        s.root_tile = 1;
        s.outer_tile = rows;
    }
    if (nearest == INT_MAX || (nearest > 0 && b->sweep != 1)) return s;
    s.root_tile = 1;
    s.outer_tile = s.lanes;
    if (nearest > 0) s.outer_from = (uint16_t)nearest;
    return s;
}

/* Of a contraction all of whose loads move with the loop around the lanes, a batch axis: how many loops
 * further out the next is that some do not move with. 0: there is none. Heads of attention, whose results lie
 * side by side: [batch, position, head, number]. */
static int shared_further_out(const Build *b, uint32_t body, Val lane_loop)
{
    uint32_t block = b->nest.blocks[body].parent;
    if (b->schedule.outer_from || b->sweep != 1 || b->sweeps[0]->in_order) return 0;
    for (int out = 1; b->nest.blocks[block].loop != VAL_NONE; out++) {
        block = b->nest.blocks[block].parent;
        Val loop = b->nest.blocks[block].loop;
        if (loop != VAL_NONE && look(b, body, lane_loop, loop).shared) return out;
    }
    return 0;
}

/* The loads and stores that the kernel consists of move pixels that lie across: the elements of one; 0: it is
 * not so. */
static int64_t pixels_across(const Build *b, Val lanes, Val outer)
{
    const bool *used = nest_used(&b->nest);
    int64_t pixel = 0;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        if (s->kind == ST_STORE && !pixel) pixel = address_coefficient(s->address, lanes);
        if (s->kind == ST_STORE && address_coefficient(s->address, lanes) != pixel) return 0;
        if (used[v] && s->kind != ST_STORE && s->kind != ST_LOAD && s->kind != ST_LOOP) return 0;
    }
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        Address a = b->nest.stmts[b->accesses[i].load].address;
        int64_t step = address_coefficient(a, outer), across = address_coefficient(a, lanes);
        if ((step != pixel && step != -pixel) || across == pixel || across == -pixel || indirect(b, a))
            return 0;
    }
    return pixel;
}

/* Pixels that lie across are moved in blocks: of 2, 4 or 8 bytes in squares that are transposed in registers,
 * others so many at a time as a line of the cache has (1500 x 1501 x 4 bytes transposed, AVX-512: 5.1 -> 0.7
 * ms; 1024 x 1024 x 3 bytes: 1.3 -> 0.3). */
static Schedule pixel_squares(const Build *b)
{
    Schedule s = b->schedule;
    uint32_t block = b->nest.blocks[b->root_block].parent;
    Val lanes = b->nest.blocks[b->root_block].loop, outer = b->nest.blocks[block].loop;
    if (b->nest.blocks[b->root_block].depth < 2 || !b->n_accesses) return s;
    int64_t bytes = pixels_across(b, lanes, outer) *
                    (int64_t)dtype_bytes((DType)b->nest.stmts[b->accesses[0].load].dtype);
    bool is_square = bytes == 2 || bytes == 4 || bytes == 8;
    int64_t side = bytes ? (is_square ? b->target->vector_bytes : LINE_BYTES) / bytes : 0;
    if (side > MOST_SQUARE_PIXELS) side = MOST_SQUARE_PIXELS;
    if (side < (is_square ? LEAST_SQUARE_PIXELS : 2) || b->nest.stmts[lanes].extent < side ||
        b->nest.stmts[outer].extent < side)
        return s;
    s.outer_tile = (uint16_t)side;
    if (is_square || s.lanes > MOST_SQUARE_PIXELS) s.lanes = is_square ? s.outer_tile : MOST_SQUARE_PIXELS;
    return s;
}

/* Do folds inside lanes take the elements of pixels of which data says where each lane's is? Written out they
 * are read as wholes (squared distances of 20,000 pairs of points, AVX-512: 40 -> 27 us, AVX2: 45 -> 30). */
static bool folds_pixels(const Build *b, Val reducer)
{
    uint32_t body = b->nest.placed[reducer].block;
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        const Stmt *load = &b->nest.stmts[b->accesses[i].load];
        uint32_t block = b->nest.placed[b->accesses[i].load].block;
        Val loop = b->nest.blocks[block].loop;
        bool in_fold = block != body && loop != VAL_NONE && b->nest.blocks[block].parent == body,
             is_pixel = in_fold && b->nest.stmts[loop].extent <= MAX_SHORT_FOLD &&
                        dtype_bytes((DType)load->dtype) >= 4 && address_coefficient(load->address, loop) == 1;
        for (uint32_t k = 0; is_pixel && k < load->address.n_terms; k++) {
            Val of = load->address.terms[k].of;
            if (b->nest.stmts[of].kind != ST_LOOP && b->nest.placed[of].block == body) return true;
        }
    }
    return false;
}

Schedule schedule_choose(Build *b, Packings *packings)
{
    if (b->schedule.block) return b->schedule;
    packings->n = 0;
    if (b->schedule.root_across && nest_has_reducers(&b->nest)) {
        if (!rows_are_short(b, 0, MAX_SHORT_RUN) && contracts_across(b, packings))
            return contraction_across(b);
        packings->n = 0;
        return b->schedule;
    }
    Val reducer = deciding_reducer(b), inner_root = b->nest.blocks[b->root_block].loop;
    if (reducer == VAL_NONE) {
        pack_for_steps(b, packings);
        return b->schedule.root_across ? pixel_squares(b) : squares(b);
    }
    if (!b->schedule.fold_short && folds_pixels(b, reducer)) {
        Schedule s = b->schedule;
        s.fold_short = true;
        return s;
    }
    uint32_t body = b->nest.placed[reducer].block;
    Val lane_loop = b->nest.blocks[body].loop;
    uint32_t outer_block = b->nest.blocks[body].parent;
    Val outer_loop = b->nest.blocks[outer_block].loop;
    if (b->needs_rows) return rows(b, reducer, inner_root, inner_root);
    int64_t extent = b->nest.stmts[lane_loop].extent,
            outer_extent = outer_loop == VAL_NONE ? 1 : b->nest.stmts[outer_loop].extent;
    bool root_lanes = b->nest.blocks[body].is_root,
         outer_is_root = outer_loop != VAL_NONE && (root_lanes || b->nest.blocks[outer_block].is_root);
    if (root_lanes) inner_root = lane_loop;
    else if (outer_is_root) inner_root = outer_loop;
    if (extent < SHORTEST_LANES) return rows(b, reducer, inner_root, lane_loop);
    Lanes l = look(b, body, lane_loop, outer_loop);
    double products = folded_in_all(b, innermost_reducer(b));
    Schedule tiles =
        contraction(b, reducer, l.shared && outer_is_root, root_lanes, extent, outer_extent, products);
    if (root_lanes && l.shared && outer_loop != VAL_NONE &&
        strips_choose(b, reducer, outer_loop, lane_loop, products, &tiles, packings))
        return tiles;
    Schedule panels = b->schedule;
    if (root_lanes && outer_loop != VAL_NONE &&
        panels_choose(b, reducer, outer_loop, lane_loop, products, &panels, packings))
        return panels;
    if (!l.unit && !pack_all(b, &l, body, lane_loop, packings)) {
        packings->n = 0;
        if (!root_lanes || !lanes_go_across(b, body, lane_loop))
            return is_nearer(b, body, lane_loop) ? tiles : rows(b, reducer, inner_root, lane_loop);
        Schedule s = b->schedule;
        s.root_tile = schedule_tile(b);
        return s;
    }
    int further = l.shared || !root_lanes ? 0 : shared_further_out(b, body, lane_loop);
    if (further) {
        Schedule s = b->schedule;
        s.outer_from = (uint16_t)further;
        packings->n = 0;
        return s;
    }
    return tiles;
}
