/* fuse_lanes.c: math functions of folds, which are computed one by one because the folds have the lanes:
 * tanh(W h + b), the gates of an LSTM.
 *
 * What they are functions of gets memory then, and they get a kernel of their own with lanes, unless the
 * folds take far longer anyway (a recurrent step of 128: 0.99 -> 0.64 us; of 16: 79 -> 44 ns; an LSTM of 64:
 * 2.5 -> 0.7 us). Rows whose later loops need such a value stay whole: only what has an element for each
 * element of the result is looked at. */
#include "fuse_state.h"
#include "compiler/fuse/point/point.h"

static double runs_at(const Build *b, Val loop) { return b->nest.blocks[nest_body(&b->nest, loop)].runs; }

/* Is r a math function of folds that this kernel computes one by one, for each element of what it is for? */
static bool is_one_by_one(const GraphFusion *f, const Build *b, Ref r)
{
    const Node *n = &f->g->nodes[r];
    const NodePlan *p = &f->plan[r];
    bool whole = false;
    if (!op_is_ew((Op)n->op) || !p->round.depth || p->build.row_loop == VAL_NONE ||
        point_cost(n) < COST_MATH_FUNCTION)
        return false;
    for (uint32_t i = 0; i < b->n_roots; i++)
        whole |= type_count(graph_type(f->g, b->roots[i])) == type_count(node_type(n));
    return whole && runs_at(b, p->build.row_loop) >= b->schedule.lanes &&
           !nest_in_lanes(&b->nest, nest_body(&b->nest, p->build.row_loop));
}

/* Steps of folds: those of a vector's lanes are one. */
static double folded_steps(const Build *b)
{
    double steps = 0;
    for (uint32_t k = 0; k < b->nest.n_blocks; k++) {
        const Block *block = &b->nest.blocks[k];
        uint32_t lanes = 1;
        for (uint32_t at = k; b->nest.blocks[at].loop != VAL_NONE; at = b->nest.blocks[at].parent) {
            const Stmt *loop = &b->nest.stmts[b->nest.blocks[at].loop];
            if (loop->lanes > 1) lanes = loop->extent < loop->lanes ? (uint32_t)loop->extent : loop->lanes;
        }
        for (uint32_t i = 0; i < block->n_items; i++)
            steps += b->nest.stmts[block->items[i]].kind == ST_FOLD ? block->runs / lanes : 0;
    }
    return steps;
}

/* Below what costs nothing: the negation and the slice in front of a gate. */
static Ref below_cheap(const GraphFusion *f, Ref r)
{
    for (;;) {
        const Node *n = &f->g->nodes[r];
        bool view = op_kind((Op)n->op) == OPKIND_SHAPE && n->n_args == 1,
             cheap = op_is_ew((Op)n->op) && n->n_args == 1 && point_cost(n) < COST_MATH_FUNCTION;
        if (!(view || cheap) || fuse_has_memory(f, r) ||
            (double)type_count(graph_type(f->g, n->args[0])) > MOST_SLICED * (double)type_count(node_type(n)))
            return r;
        r = n->args[0];
    }
}

void fuse_want_lanes(GraphFusion *f, const Build *b)
{
    double one_by_one = 0;
    for (uint32_t i = 0; i < b->n_noted; i++)
        if (is_one_by_one(f, b, b->noted[i]))
            one_by_one +=
                point_cost(&f->g->nodes[b->noted[i]]) * runs_at(b, f->plan[b->noted[i]].build.row_loop);
    if (one_by_one == 0 || one_by_one * FOLDED_STEPS_PER_OP < folded_steps(b)) return;
    for (uint32_t i = 0; i < b->n_noted; i++) {
        const Node *n = &f->g->nodes[b->noted[i]];
        for (uint32_t k = 0; is_one_by_one(f, b, b->noted[i]) && k < n->n_args; k++) {
            Ref x = below_cheap(f, n->args[k]);
            const NodePlan *p = &f->plan[x];
            if (p->round.depth && !(p->materialized && !p->in_passing)) fuse_want_memory(f, x);
        }
    }
}
