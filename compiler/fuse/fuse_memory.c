/* fuse_memory.c: which nodes get memory. The outputs do, and what is computed whole; everything else is
 * computed where it is used (point.h), unless one of these rules says that memory is better:
 *   - a fold would be evaluated more often than it has elements: its consumer repeats it along an axis that
 *     it does not have (point.c);
 *   - an expensive element would be evaluated several times (point.c);
 *   - an element is wanted at many different indices, or the kernel has grown too large (point.c);
 *   - a chain of ops has grown long, or broad: code generation is superlinear in the size of a basic block;
 *   - it is written into a small part of an array whose other elements it was made of: the array can then be
 *     updated in place;
 *   - several kernels fold the same, and to store and load it is less work: forward and backward pass meet
 *     in such nodes. The first of these kernels to run stores it in passing, the others load it. So it is
 *     with a scalar that is costly to compute, for what is done to many leaves of a tree;
 *   - it is compared for equality, and something else is made of it: rounded otherwise in another kernel it
 *     would be equal to nothing;
 *   - it is a product of matrices among what rows are made of (fuse_kernel.c): alone it is tiled;
 *   - a math function is computed of it one by one (fuse_lanes.c).
 */
#include "compiler/graph/attributes.h"
#include "fuse_state.h"
#include <string.h>

void fuse_give_memory(GraphFusion *f, Ref r)
{
    f->memory_clock += !f->plan[r].materialized;
    f->plan[r].materialized = true;
    f->plan[r].in_passing = false;
    f->plan[r].provider = REF_NONE;
}

void fuse_want_memory(GraphFusion *f, Ref r)
{
    if (f->round.n_wanted < f->round.cap_wanted) f->round.wanted[f->round.n_wanted++] = r;
}

bool fuse_has_memory(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    return f->plan[r].materialized || n->op == OP_PARAMETER || (n->op == OP_CONSTANT && !n->attr[0]);
}

/* ---- before the first round ---- */

static void give_outputs_memory(GraphFusion *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = f->g->outputs[i];
        Op op = (Op)f->g->nodes[r].op;
        if (f->outs[i].kind == PLACE_NONE || op == OP_PARAMETER || op == OP_CONSTANT ||
            fuse_is_stored_as(f, r))
            continue;
        f->plan[r].materialized = f->plan[r].in_passing = true;
    }
}

/* Does what operand i of a node that becomes steps views lie in memory? A constant or parameter has its own;
 * steps that count, the operand of a scan, need none. */
static bool steps_need_memory(const Graph *g, const Node *n, uint32_t i, Ref viewed)
{
    const Node *x = &g->nodes[viewed];
    bool counts = n->op == OP_SCAN && i >= n->attr[3] + n->attr[4] && x->op == OP_IOTA && x->rank == 1;
    return x->op != OP_CONSTANT && x->op != OP_PARAMETER && !counts;
}

/* What is computed whole has memory, and so has what steps read. */
static void give_whole_memory(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r]) continue;
        if (fuse_is_whole_result(f, r) || (fuse_is_whole(f, r) && n->n_results == 1)) fuse_give_memory(f, r);
        for (uint32_t i = 0; f->computed[r] == COMPUTED_BY_STEPS && i < n->n_args; i++) {
            Ref viewed = n->op == OP_BARRIER ? n->args[i] : fuse_choose_views(f, n->args[i]);
            if (steps_need_memory(f->g, n, i, viewed)) fuse_give_memory(f, viewed);
        }
    }
}

/* A map or a choice with loops in it is run once, however many want its results. */
static void give_loops_memory(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        Ref x = f->g->nodes[r].op == OP_RESULT ? f->g->nodes[r].args[0] : r;
        const Node *n = &f->g->nodes[x];
        bool loops = n->n_regions && !op_folds((Op)n->op) && point_levels(n);
        if (f->used[r] && loops && f->g->nodes[r].n_results == 1 && (f->uses[r] > 1 || f->uses[x] > 1))
            fuse_give_memory(f, r);
    }
}

/* Does v read the very slice that `update` writes? */
static bool reads_own_slice(const Graph *g, const Node *v, const Node *update)
{
    return v->op == OP_DYNAMIC_SLICE && shape_equal(node_type(v), graph_type(g, update->args[1])) &&
           !memcmp(v->args + 1, update->args + 2, (v->n_args - 1) * sizeof *v->args);
}

/* Is v's element made of its operands' elements at the same place alone, or of folds that are complete before
 * any element is written: of all there is, or of whole columns, which have memory if they are wanted again?
 * A fold along rows runs between the writes of one row and those of the next. */
static bool stays_in_place(const Graph *g, const Node *v)
{
    if (op_kind((Op)v->op) != OPKIND_REDUCE)
        return op_is_ew((Op)v->op) || v->op == OP_RESHAPE || v->op == OP_BROADCAST;
    return type_count(node_type(v)) == 1 ||
           (v->op == OP_REDUCE && v->n_attr > 1 && v->attr[v->n_attr - 1] != g->nodes[v->args[0]].rank - 1);
}

/* Does the value read x, without memory on the way? What it reads of the slice that `own` updates does not
 * count if it is read at the very place that is written: an element is read before it is written then. own
 * may be NULL. */
static bool reads(const GraphFusion *f, Ref value, Ref x, const Node *own)
{
    struct {
        Ref r;
        bool moved;
    } stack[MAX_SEARCHED] = { { value, false } };
    for (uint32_t n = 1, searched = 0; n;) {
        bool moved = stack[--n].moved;
        const Node *v = &f->g->nodes[stack[n].r];
        bool same = own && !moved && reads_own_slice(f->g, v, own);
        moved |= !stays_in_place(f->g, v);
        for (uint32_t i = 0; i < v->n_args; i++) {
            if (v->args[i] == x && !(same && i == 0)) return true;
            if (v->args[i] == x || fuse_has_memory(f, v->args[i])) continue;
            if (n == MAX_SEARCHED || ++searched == MAX_SEARCHED) return true;
            stack[n].r = v->args[i];
            stack[n++].moved = moved;
        }
    }
    return false;
}

/* Elements that a DYNAMIC_UPDATE_SLICE or a SCATTER of one operand writes. */
static int64_t count_written(const Graph *g, const Node *update)
{
    return type_count(graph_type(g, update->args[update->op == OP_SCATTER ? 2 : 1]));
}

/* Of updates of parameter x, one behind the other and the last first: what they write, if it is made of x.
 * The first to run may read its own slice, and if that is a single element, it is read before it is written
 * anyway. */
static void give_written_memory(GraphFusion *f, const Ref *update, uint32_t n, Ref x)
{
    int64_t whole = type_count(graph_type(f->g, x));
    for (uint32_t i = 0; i < n; i++)
        if (count_written(f->g, &f->g->nodes[update[i]]) > whole / SMALL_PART) return;
    for (uint32_t i = 0; i < n; i++) {
        const Node *u = &f->g->nodes[update[i]], *own = i == n - 1 && u->op != OP_SCATTER ? u : NULL;
        if (i == n - 1 && count_written(f->g, u) < 2) continue;
        for (uint32_t k = 1; k < u->n_args; k++)
            if (!fuse_has_memory(f, u->args[k]) && reads(f, u->args[k], x, own))
                fuse_give_memory(f, u->args[k]);
    }
}

/* What is written into small parts of a parameter, to be an output (of a carry, most likely), if it is made
 * of the parameter's other elements. Computed before the first of them is written, it leaves the parameter's
 * memory to be updated in place. */
static void give_updates_memory(GraphFusion *f)
{
    Ref update[MAX_OWN_KERNELS];
    for (uint32_t k = 0; k < f->g->n_outputs; k++) {
        const Node *n = &f->g->nodes[f->g->outputs[k]];
        if (f->outs[k].kind == PLACE_NONE || f->computed[f->g->outputs[k]] != COMPUTED_BY_KERNELS ||
            (n->op != OP_DYNAMIC_UPDATE_SLICE && (n->op != OP_SCATTER || n->n_results > 1)))
            continue;
        uint32_t count = own_kernels_updates(f->g, f->g->outputs[k], update);
        Ref x = f->g->nodes[update[count - 1]].args[0];
        if (f->g->nodes[x].op == OP_PARAMETER) give_written_memory(f, update, count, x);
    }
}

/* By node: may two kernels round it differently? A fold's order is its loops', which differ from kernel to
 * kernel. */
static bool *loose_nodes(const GraphFusion *f)
{
    bool *loose = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        bool sums = n->op == OP_DOT || (n->op == OP_REDUCE && (n->attr[0] == OP_ADD || n->attr[0] == OP_MUL));
        loose[r] = n->n_regions > 0;
        for (uint32_t i = 0; i < n->n_args && !f->plan[r].materialized; i++)
            loose[r] |= loose[n->args[i]] || sums;
        loose[r] &= dtype_is_float((DType)n->dtype);
    }
    return loose;
}

/* What a node shows in another shape or order; itself, if it does not. */
static Ref unviewed(const GraphFusion *f, Ref r)
{
    while (op_kind((Op)f->g->nodes[r].op) == OPKIND_SHAPE && f->g->nodes[r].n_args == 1)
        r = f->g->nodes[r].args[0];
    return r;
}

/* What is compared with what was made of it, as an element with the greatest of them, is to be one number,
 * wherever it is looked at: computed again and rounded otherwise it would be equal nowhere. So it is stored.
 * Strict mode rounds alike. */
static void give_compared_memory(GraphFusion *f)
{
    if (f->program->mode == MODE_STRICT) return;
    const bool *loose = loose_nodes(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || n->op != OP_COMPARE || n->attr[0] > CMP_NE) continue;
        for (uint32_t i = 0; i < n->n_args; i++) {
            Ref x = unviewed(f, n->args[i]);
            if (loose[x] && f->uses[x] > 1 && f->g->nodes[x].n_results == 1) fuse_give_memory(f, x);
        }
    }
}

static uint8_t lanes_of_fold(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    if (n->op != OP_REDUCE || fuse_folded(f, r) < LONG_FOLD || type_count(node_type(n)) < LONG_FOLD) return 0;
    for (uint32_t i = 1; i < n->n_attr; i++)
        if (n->attr[i] == f->g->nodes[n->args[0]].rank - 1) return LANES_ALONG;
    return LANES_ACROSS;
}

/* Of what is fused into a node, all of its shape, the folds across rows get memory. */
static void give_folds_across_memory(GraphFusion *f, Ref root)
{
    fuse_start_search(f);
    for (fuse_visit(f, root); f->top;) {
        Ref r = f->stack[--f->top];
        const Node *n = &f->g->nodes[r];
        if (!(f->lanes_of_folds[r] & LANES_ACROSS)) continue;
        if (n->op == OP_REDUCE) fuse_give_memory(f, r);
        for (uint32_t i = 0; i < n->n_args && n->op != OP_REDUCE; i++) fuse_visit(f, n->args[i]);
    }
}

/* What a node is made of element by element, or in another order; REF_NONE: it has memory, or is made
 * otherwise. */
static Ref made_of(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    bool is_view = op_kind((Op)n->op) == OPKIND_SHAPE && n->n_args == 1;
    if (fuse_has_memory(f, r) || (!op_is_ew((Op)n->op) && !is_view)) return REF_NONE;
    for (uint32_t i = 0; i < n->n_args; i++) {
        Type t = graph_type(f->g, n->args[i]);
        if (t.dtype != WEFT_BOOL && type_count(t) == type_count(node_type(n))) return n->args[i];
    }
    return REF_NONE;
}

/* Of a product, or what is made of one: what is to be stored, which is the product with all that is done to
 * its elements next, by nobody else. REF_NONE: it is none. */
static Ref product_below(const GraphFusion *f, Ref r)
{
    Ref path[MAX_SEARCHED];
    for (int n = 0; n < MAX_SEARCHED && r != REF_NONE; n++, r = made_of(f, r)) {
        path[n] = r;
        if (!fuse_is_product(f, r)) continue;
        while (n > 0 && f->uses[path[n]] == 1 && op_is_ew((Op)f->g->nodes[path[n - 1]].op)) n--;
        return path[n];
    }
    return REF_NONE;
}

/* A product that is folded at once is stored: its tiles want lanes along its columns and several rows, but
 * the loops of the fold around it take these (greatest of each two columns of 64 x 128 times 128 x 256: 1700
 * -> 39 us). */
static void give_folded_products_memory(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || !n->n_args || (!op_folds((Op)n->op) && n->op != OP_SORT) || n->op == OP_DOT)
            continue;
        Ref product = product_below(f, n->args[0]);
        if (product != REF_NONE) fuse_give_memory(f, product);
    }
}

/* What the operand is made of element by element is a fold; REF_NONE: it is none. */
static Ref fold_below(const GraphFusion *f, Ref x)
{
    for (int n = 0; n < MAX_SEARCHED && x != REF_NONE && !op_folds((Op)f->g->nodes[x].op); n++)
        x = made_of(f, x);
    return x == REF_NONE || !op_folds((Op)f->g->nodes[x].op) || f->g->nodes[x].n_results > 1 ? REF_NONE : x;
}

/* A fold whose result says where a gather reads is stored: as a part of the gather's rows it would have their
 * loops (points that lie farthest in 128 directions, of 600: 400 -> 10 us). So is a long one that a running
 * fold is of, whose lanes would go across the rows that it folds (running sums of 512 sums of 32,768: 18 ->
 * 2 ms), and a long one that is reversed, whose lanes would go backwards (the gradient of a convolution of 1M
 * by its 101 numbers: 32 -> 7 ms). */
static void give_folds_apart_memory(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        Op op = (Op)f->g->nodes[r].op;
        if (!f->used[r] || (op != OP_GATHER && op != OP_CUMULATIVE && op != OP_REVERSE)) continue;
        Ref x = fold_below(f, f->g->nodes[r].args[op == OP_GATHER]);
        if (x == REF_NONE) continue;
        double folded = fuse_folded(f, x), all = folded * (double)type_count(graph_type(f->g, x));
        if (op == OP_GATHER ? all >= MANY_FOLDED : folded >= LONG_FOLD) fuse_give_memory(f, x);
    }
}

/* Does the reshape merge axes that a transpose has put beside each other, the inner ones short? To read it at
 * an index takes divisions, unless loops go by the axes themselves. */
static bool merges_apart(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    if (n->op != OP_RESHAPE || fuse_has_memory(f, n->args[0])) return false;
    const Node *x = &f->g->nodes[n->args[0]];
    if (x->op != OP_TRANSPOSE) return false;
    for (int i = 0, k = 0; i < n->rank; i++) {
        int64_t size = 1, run = 1, last = -1;
        bool apart = false;
        for (; size < n->dim[i] && k < x->rank; k++) {
            size *= x->dim[k];
            if (x->dim[k] == 1) continue;
            bool goes_on = last < 0 || x->attr[k] == last + 1;
            apart |= !goes_on;
            run = goes_on ? run * x->dim[k] : x->dim[k];
            last = x->attr[k];
        }
        if (size != n->dim[i] || (apart && run < LONG_RUN)) return size == n->dim[i];
    }
    return false;
}

/* Of what a product reads, element by element or in another order, such a reshape; REF_NONE: none. */
static Ref merged_below(const GraphFusion *f, Ref r)
{
    for (int n = 0; n < MAX_SEARCHED && r != REF_NONE; n++, r = made_of(f, r))
        if (!fuse_has_memory(f, r) && merges_apart(f, r)) return r;
    return REF_NONE;
}

/* Such a reshape is stored if a product reads it, which does so many times; and a product is, if it is put in
 * another order so (attention in windows of an image). */
static void give_merged_products_memory(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        Ref side[2];
        if (!f->used[r]) continue;
        if (fuse_is_product(f, r) && fuse_sums_products(f, r, side))
            for (int i = 0; i < 2; i++) {
                Ref merged = merged_below(f, side[i]);
                if (merged != REF_NONE) fuse_give_memory(f, merged);
            }
        Ref product = merges_apart(f, r) ? product_below(f, f->g->nodes[r].args[0]) : REF_NONE;
        if (product != REF_NONE) fuse_give_memory(f, product);
    }
}

/* Sums of rows and sums of columns are kernels of their own, each with the lanes that it wants (1000 x
 * 1000: 618 us as one, 97 as two). */
static void part_folds(GraphFusion *f)
{
    uint8_t *lanes = f->lanes_of_folds;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r]) continue;
        lanes[r] = lanes_of_fold(f, r);
        for (uint32_t i = 0; op_is_ew((Op)n->op) && i < n->n_args; i++)
            if (!fuse_has_memory(f, n->args[i])) lanes[r] |= lanes[n->args[i]];
        if (lanes[r] != (LANES_ALONG | LANES_ACROSS)) continue;
        give_folds_across_memory(f, r);
        lanes[r] = LANES_ALONG;
    }
}

/* How much of a block's code an op is; of a choice or a loop, as many ops as are in it. */
static uint32_t levels_of(const Node *n)
{
    uint32_t levels = 1;
    if (op_is_ew((Op)n->op) && op_cost((Op)n->op, (DType)n->dtype) >= COST_MATH_FUNCTION) return MATH_LEVELS;
    for (uint32_t k = 0; k < n->n_regions; k++)
        for (Ref r = 0; r < n->regions[k]->n_nodes; r++) levels += op_is_ew((Op)n->regions[k]->nodes[r].op);
    return levels;
}

/* By node: levels on the longest way to it from the leaves. */
static uint32_t *depths(const GraphFusion *f)
{
    uint32_t *depth = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *depth);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        uint32_t own = f->used[r] ? levels_of(n) : 0;
        for (uint32_t i = 0; f->used[r] && i < n->n_args; i++)
            if (depth[n->args[i]] + own > depth[r]) depth[r] = depth[n->args[i]] + own;
    }
    return depth;
}

static bool is_late(const uint32_t *depth, Ref of, Ref by) { return depth[by] - depth[of] > LATE_LEVELS; }

/* By node: levels that follow it, one upon the other, up to LATE_LEVELS. */
static uint32_t *followers(const GraphFusion *f, const uint32_t *depth)
{
    uint32_t *more = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *more);
    for (Ref r = f->g->n_nodes; r-- > 0;) {
        const Node *n = &f->g->nodes[r];
        uint32_t here = more[r] + levels_of(n);
        if (here > LATE_LEVELS) here = LATE_LEVELS;
        for (uint32_t i = 0; f->used[r] && i < n->n_args; i++)
            if (!is_late(depth, n->args[i], r) && more[n->args[i]] < here) more[n->args[i]] = here;
    }
    return more;
}

/* Long chains are cut: what stands MAX_LEVELS above memory gets memory, if much follows. What a chain uses
 * long after it was made, as a backward pass does with what the forward pass made, does not count as its
 * height: the way back is cut by its own length, wherever the way there was. `all` counts it, too. */
static void cut_chains(GraphFusion *f)
{
    const uint32_t *depth = depths(f), *more = followers(f, depth);
    uint32_t *level = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *level),
             *all = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *all);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || fuse_has_memory(f, r)) continue;
        uint32_t own = levels_of(n);
        for (uint32_t i = 0; i < n->n_args; i++) {
            Ref x = n->args[i];
            if (all[x] + own > all[r]) all[r] = all[x] + own;
            if (!is_late(depth, x, r) && level[x] + own > level[r]) level[r] = level[x] + own;
        }
        bool high = (level[r] >= MAX_LEVELS && more[r] == LATE_LEVELS) || all[r] >= MOST_LEVELS;
        if (!high || n->n_results > 1) continue;
        f->plan[r].materialized = f->plan[r].cuts_chain = true;
        level[r] = all[r] = 0;
    }
}

/* ---- at the begin of a round, and before the first ---- */

/* What is spread over many elements is computed once for all of them, outside of their loop. */
static bool is_spread(const Graph *g, const Node *n)
{
    return n->op == OP_BROADCAST &&
           type_count(graph_type(g, n->args[0])) <= type_count(node_type(n)) / SPREAD;
}

static bool op_makes_indices(const Node *n)
{
    OpKind kind = op_kind((Op)n->op);
    return kind == OPKIND_EW || kind == OPKIND_SHAPE || n->op == OP_IOTA ||
           (n->op == OP_CONSTANT && n->attr[0]);
}

static bool is_cheap_index(const GraphFusion *f, Ref r)
{
    return f->plan[r].round.from_indices && f->plan[r].round.cost < COST_INDICES;
}

/* A choice that indices decide, a gather at indices: plain loads where ranges are known. */
static bool is_decided_by_indices(const GraphFusion *f, const Node *n)
{
    return (n->op == OP_SELECT && is_cheap_index(f, n->args[0])) ||
           (n->op == OP_GATHER && is_cheap_index(f, n->args[1]));
}

/* Is it the test whether an index is inside, or an index counted from the end where it is negative? Where it
 * is loaded, lanes and steps ask once whether all are inside, as they are as a rule, and compute neither. */
static bool is_about_index(const GraphFusion *f, const Node *n)
{
    if (n->op != OP_AND && n->op != OP_SELECT) return false;
    const Node *x = &f->g->nodes[n->args[0]], *y = &f->g->nodes[n->args[1]];
    if (x->op != OP_COMPARE) return false;
    Ref index = x->args[0];
    const NodePlan *p = &f->plan[index];
    bool is_loaded = (fuse_has_memory(f, index) && !p->in_passing) || p->round.cost == 0;
    if (!is_loaded || !dtype_is_int((DType)f->g->nodes[index].dtype)) return false;
    return n->op == OP_AND
               ? y->op == OP_COMPARE && y->args[0] == index && x->attr[0] == CMP_GE && y->attr[0] == CMP_LT
               : n->args[2] == index && x->attr[0] == CMP_LT && y->op == OP_ADD && y->args[0] == index;
}

/* depth, cost and regions of what is fused into a node; what is too deep gets memory. */
static void refresh_facts_of(GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    NodeRound *now = &f->plan[r].round;
    now->from_indices = !dtype_is_float((DType)n->dtype) && op_makes_indices(n);
    for (uint32_t i = 0; i < n->n_args; i++) now->from_indices &= f->plan[n->args[i]].round.from_indices;
    for (uint32_t i = 0; i < n->n_args; i++) {
        const NodePlan *a = &f->plan[n->args[i]];
        if (fuse_has_memory(f, n->args[i]) && !a->in_passing) continue;
        now->depth = point_deeper(n, now->depth, a->round.depth);
        now->cost += !now->from_indices && is_cheap_index(f, n->args[i]) ? 0 : a->round.cost;
        now->has_region |= a->round.has_region;
        now->has_product |= a->round.has_product && !op_folds((Op)n->op);
    }
    if (now->depth >= MAX_FOLDS_DEEP && n->n_results <= 1 && !fuse_has_memory(f, r))
        f->plan[r].materialized = true;
    now->depth += point_levels(n);
    if (op_folds((Op)n->op)) {
        now->cost = 0;
        now->has_region = false;
    }
    now->has_product |= fuse_is_product(f, r);
    if (!is_decided_by_indices(f, n)) now->cost += point_cost(n);
    now->has_region |= n->n_regions > 0;
    if (is_spread(f->g, n)) {
        now->cost = 0;
        now->has_region = false;
    }
    if (is_about_index(f, n)) now->cost = 0;
    if (now->cost > COST_MOST) now->cost = COST_MOST;
}

void fuse_refresh_facts(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        f->plan[r].round = (NodeRound){ 0 };
        f->plan[r].build = (NodeBuild){ .row_loop = VAL_NONE };
        if (f->used[r]) refresh_facts_of(f, r);
    }
}

/* ---- before the first round, when these facts are known ---- */

static double products_in(const GraphFusion *f, Ref r)
{
    return fuse_folded(f, r) * (double)type_count(graph_type(f->g, r));
}

/* Of what a product of matrices reads: would its kernel compute an element so often that it would ask for
 * memory? */
static bool is_read_often(const GraphFusion *f, Ref x, double times)
{
    const Node *n = &f->g->nodes[x];
    const NodeRound *now = &f->plan[x].round;
    if (fuse_has_memory(f, x) || now->from_indices || n->n_results != 1) return false;
    return (op_folds((Op)n->op) || op_is_ew((Op)n->op)) && point_is_run_often(n, now->cost, times, 1);
}

/* What a product would ask for has memory from the start. Else kernels that are built before the product's
 * compute it again, and all behind it: a square (gradient of 60 transformer blocks: fused in 2310 -> 430
 * ms). */
static void give_operands_memory(GraphFusion *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || n->op != OP_DOT) continue;
        for (uint32_t i = 0; i < 2; i++) {
            Ref x = unviewed(f, n->args[i]);
            double count = (double)type_count(graph_type(f->g, n->args[i]));
            if (count > 0 && is_read_often(f, x, products_in(f, r) / count)) fuse_give_memory(f, x);
        }
    }
}

/* ---- more ops than a kernel may have ---- */

/* Nodes in the order in which a kernel computes them. */
typedef struct Listed {
    Ref *of;
    uint32_t n;
    bool *has;          /* by node */
    uint32_t *next_arg; /* by node: the operand to be listed next */
} Listed;

/* Is it computed with what is made of it, perhaps stored in passing? */
static bool is_fused(const GraphFusion *f, Ref r) { return !fuse_has_memory(f, r) || f->plan[r].in_passing; }

/* Is it computed wherever it is wanted, as a view is? */
static bool is_computed_anywhere(const GraphFusion *f, Ref r)
{
    OpKind kind = op_kind((Op)f->g->nodes[r].op);
    return kind == OPKIND_SHAPE || kind == OPKIND_LEAF || is_cheap_index(f, r) ||
           f->g->nodes[r].n_results != 1;
}

/* By node: no fewer ops than it is made of, for one to which there are several ways counts for each; up to
 * one more than a kernel may have. */
static uint32_t *count_ways(const GraphFusion *f)
{
    uint32_t *ways = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *ways);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        ways[r] = !is_computed_anywhere(f, r);
        for (uint32_t i = 0; i < n->n_args && ways[r] <= MAX_KERNEL_OPS; i++)
            if (is_fused(f, n->args[i])) ways[r] += ways[n->args[i]];
        if (ways[r] > MAX_KERNEL_OPS) ways[r] = MAX_KERNEL_OPS + 1;
    }
    return ways;
}

/* Has it memory, and is it made of too many ops for a kernel, or of listed ones? */
static bool needs_parts(GraphFusion *f, const Listed *x, const uint32_t *ways, Ref r)
{
    uint32_t n = 0;
    if (!f->used[r] || !f->plan[r].materialized || (!x->n && ways[r] <= MAX_KERNEL_OPS)) return false;
    fuse_start_search(f);
    for (fuse_visit(f, r); f->top && n <= MAX_KERNEL_OPS;) {
        Ref v = f->stack[--f->top];
        if (x->has[v]) return true;
        n += !is_computed_anywhere(f, v);
        for (uint32_t i = 0; i < f->g->nodes[v].n_args; i++)
            if (is_fused(f, f->g->nodes[v].args[i])) fuse_visit(f, f->g->nodes[v].args[i]);
    }
    return n > MAX_KERNEL_OPS;
}

/* Lists r, and before it what it is made of that has no memory: parts cut chains, too. */
static void list_made_of(GraphFusion *f, Listed *x, Ref r)
{
    x->has[r] = true;
    f->stack[0] = r;
    for (f->top = 1; f->top;) {
        Ref v = f->stack[f->top - 1];
        if (x->next_arg[v] == f->g->nodes[v].n_args) {
            x->of[x->n++] = v;
            f->top--;
            continue;
        }
        Ref a = f->g->nodes[v].args[x->next_arg[v]++];
        if (x->has[a] || !(is_fused(f, a) || f->plan[a].cuts_chain)) continue;
        x->has[a] = true;
        f->stack[f->top++] = a;
    }
}

static Listed empty_list(GraphFusion *f)
{
    size_t n = f->g->n_nodes + 1;
    return (Listed){ .of = arena_alloc(f->arena, n * sizeof(Ref)),
                     .has = arena_alloc(f->arena, n),
                     .next_arg = arena_alloc(f->arena, n * sizeof(uint32_t)) };
}

/* What is made of too much for one kernel, and what shares nodes with that. */
static Listed list_for_parts(GraphFusion *f)
{
    Listed large = empty_list(f), all = empty_list(f);
    const uint32_t *ways = count_ways(f);
    for (Ref r = 0; r < f->g->n_nodes; r++)
        if (!large.has[r] && needs_parts(f, &large, ways, r)) list_made_of(f, &large, r);
    for (Ref r = 0; large.n && r < f->g->n_nodes; r++)
        if (!all.has[r] && needs_parts(f, &large, ways, r)) list_made_of(f, &all, r);
    return all;
}

/* What is made of more ops than a kernel may have is computed part by part, in the order in which one kernel
 * would compute it: few values are alive between the parts of a tree, and no more than must be between those
 * of a long program. What later parts need is stored, by the kernel that computes the rest of its part. (Left
 * to the kernels, each cuts off what is too much for it, and what hundreds of them cut off has all the same
 * below it: 10,000 random sums and minima, of which the last 400 are used: fused in 66 s -> 30 ms, compiled
 * in 7.3 -> 2.0 s.) */
static void cut_parts(GraphFusion *f)
{
    Listed x = list_for_parts(f);
    uint32_t n_parts = x.n / MAX_PART + 1,
             *last = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *last); /* that needs it, by node */
    f->n_parted = x.n;
    f->part_size = x.n / n_parts + 1;
    for (uint32_t i = x.n; i-- > 0;) {
        Ref r = x.of[i];
        uint32_t part = 1 + i / f->part_size;
        NodePlan *p = &f->plan[r];
        p->part = part;
        if (is_computed_anywhere(f, r)) part = last[r];
        if (!p->materialized || p->cuts_chain) p->materialized = p->in_passing = last[r] > part;
        for (uint32_t k = 0; k < f->g->nodes[r].n_args; k++) {
            Ref a = f->g->nodes[r].args[k];
            if (last[a] < part) last[a] = part;
        }
    }
    uint32_t *end = arena_alloc(f->arena, (n_parts + 1) * sizeof *end);
    for (uint32_t i = 0; i <= n_parts; i++) end[i] = i * f->part_size;
    f->parted = x.of;
    for (Ref r = 0; r < f->g->n_nodes; r++)
        if (f->plan[r].part) f->parted[end[f->plan[r].part - 1]++] = r;
}

void fuse_choose_memory(GraphFusion *f)
{
    give_outputs_memory(f);
    give_whole_memory(f);
    give_loops_memory(f);
    give_updates_memory(f);
    give_compared_memory(f);
    give_folded_products_memory(f);
    give_merged_products_memory(f);
    give_folds_apart_memory(f);
    part_folds(f);
    cut_chains(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) f->plan[r].provider = REF_NONE;
    fuse_refresh_facts(f);
    give_operands_memory(f);
    cut_parts(f);
}

/* ---- at the end of a round ---- */

/* Is a kernel there again in the next round? Not one of what only got memory in this, and loses it. */
static bool stays(const Made *m, const bool *given, const bool *reached)
{
    for (uint32_t i = 0; i < m->n_stores; i++)
        if (!given[m->stores[i]] || reached[m->stores[i]]) return true;
    return false;
}

/* What a kernel will load that it made of nodes without memory: these need no others to say so. Kernels
 * were made from last to first, so what they want is in that order. */
static void note_loaded(GraphFusion *f, uint32_t kernel, const bool *given, bool *reached)
{
    const Made *m = &f->round.made[kernel - 1];
    if (!stays(m, given, reached)) return;
    fuse_start_search(f);
    for (uint32_t i = 0; i < m->n_stores; i++)
        for (uint32_t a = 0; a < f->g->nodes[m->stores[i]].n_args; a++)
            fuse_visit(f, f->g->nodes[m->stores[i]].args[a]);
    while (f->top) {
        Ref r = f->stack[--f->top];
        reached[r] = true;
        for (uint32_t a = 0; a < f->g->nodes[r].n_args && !fuse_has_memory(f, r); a++)
            fuse_visit(f, f->g->nodes[r].args[a]);
    }
}

/* What got memory because a kernel repeated it, but is reached only through something that got memory for the
 * same kernel, has lost its reason: who computes that will say. */
static void take_back(GraphFusion *f)
{
    bool *reached = arena_alloc(f->arena, f->g->n_nodes + 1),
         *given = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (uint32_t i = 0; i < f->round.n_given; i++) given[f->round.given[i]] = true;
    for (uint32_t i = 0; i < f->g->n_outputs; i++) reached[f->g->outputs[i]] = true;
    for (Ref r = f->g->n_nodes; r-- > 0;) {
        bool asks = reached[r] || (f->used[r] && (fuse_is_whole(f, r) || f->plan[r].materialized));
        for (uint32_t i = 0; asks && !given[r] && i < f->g->nodes[r].n_args; i++)
            reached[f->g->nodes[r].args[i]] = true;
    }
    for (uint32_t i = 0; i < f->round.n_given; i++)
        if (i == 0 || f->round.given_for[i] != f->round.given_for[i - 1])
            note_loaded(f, f->round.given_for[i], given, reached);
    for (Ref r = 0; r < f->g->n_nodes; r++)
        if (given[r] && !reached[r]) f->plan[r].materialized = false;
}

double fuse_folded(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    double count = 1;
    if (n->op == OP_REDUCE || n->op == OP_ARGMAX || n->op == OP_ARGMIN)
        return (double)type_count(graph_type(f->g, n->args[0])) / (double)type_count(node_type(n));
    if (n->op != OP_DOT) return 0;
    DotDims d = dot_dims(n->attr);
    for (int i = 0; i < d.n_summed; i++) count *= (double)f->g->nodes[n->args[0]].dim[d.summed[0][i]];
    return count;
}

bool fuse_sums_products(const GraphFusion *f, Ref r, Ref side[2])
{
    const Node *n = &f->g->nodes[r];
    bool of_halves =
        n->op == OP_REDUCE && n->attr[0] == OP_ADD && f->g->nodes[n->args[0]].op == OP_DOT_HALVES;
    if (n->op != OP_DOT && !of_halves) return false;
    if (of_halves) n = &f->g->nodes[n->args[0]];
    for (int i = 0; i < 2; i++) side[i] = of_halves ? unviewed(f, n->args[i]) : n->args[i];
    return true;
}

/* Both sides' elements are used again and again, and enough are summed: register tiles pay. */
bool fuse_is_product(const GraphFusion *f, Ref r)
{
    Ref side[2];
    if (!fuse_sums_products(f, r, side) || fuse_folded(f, r) < PRODUCT_SUM) return false;
    double products = fuse_folded(f, r) * (double)type_count(graph_type(f->g, r));
    for (int i = 0; i < 2; i++)
        if (products < PRODUCT_SIDE * (double)type_count(graph_type(f->g, side[i]))) return false;
    return products > 0;
}

/* Do two products read the same on the same side, so that in one loop they load it once? */
static bool share_operand(const GraphFusion *f, Ref p, Ref q)
{
    Ref x[2], y[2];
    return fuse_sums_products(f, p, x) && fuse_sums_products(f, q, y) && (x[0] == y[0] || x[1] == y[1]);
}

/* Products that share no operand are kernels of their own, each with the tiles and copies that it wants: what
 * is done to the elements of both reads all but one from memory (the gradient of x x, 256 x 256, AVX2: 2.22
 * -> 1.31 ms). */
static void part_products(GraphFusion *f)
{
    Ref *product = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *product);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        product[r] = f->used[r] && fuse_is_product(f, r) && products_in(f, r) >= LEAST_PARTED ? r : REF_NONE;
        bool is_view = op_kind((Op)n->op) == OPKIND_SHAPE && n->n_args == 1;
        if (!f->used[r] || (!op_is_ew((Op)n->op) && !is_view)) continue;
        for (uint32_t i = 0; i < n->n_args; i++) {
            Ref x = n->args[i], p = fuse_has_memory(f, x) ? REF_NONE : product[x];
            if (p == REF_NONE || p == product[r]) continue;
            if (product[r] == REF_NONE) product[r] = p;
            else if (!share_operand(f, p, product[r])) {
                fuse_give_memory(f, unviewed(f, x));
                f->round.changed = true;
            }
        }
    }
}

bool fuse_is_costly_scalar(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    return n->rank == 0 && op_is_ew((Op)n->op) && f->plan[r].round.cost >= COST_MATH_FUNCTION;
}

bool fuse_choose_again(GraphFusion *f, bool may_take_back)
{
    if (may_take_back) take_back(f);
    if (!f->round.n_wanted && !f->round.changed) fuse_share(f);
    if (!f->round.n_wanted && !f->round.changed) part_products(f); /* of what is still in one kernel */
    for (uint32_t i = 0; i < f->round.n_wanted; i++) fuse_give_memory(f, f->round.wanted[i]);
    return f->round.n_wanted || f->round.changed;
}
