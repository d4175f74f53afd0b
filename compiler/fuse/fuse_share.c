/* fuse_share.c: what several kernels compute. The first of them to run stores it, in passing, and the others
 * load it, where that is less work than to compute it again: forward and backward pass meet in such nodes.
 *
 * What a kernel computes again is looked at in the order of its nodes. A node that it needs costs what lies
 * between it and those that are there, which earlier ones have been loaded or computed for. So of a chain
 * that a backward pass needs all of, each node is stored where that is cheap or it is dear; or only one now
 * and then, from which the next ones are computed again.
 *
 * What storing and loading takes depends on where arrays lie meanwhile: in a cache, as long as it has room.
 */
#include "fuse_state.h"
#include <math.h>
#include <stdlib.h>

/* ---- folds, and scalars that are costly ---- */

static bool is_repeated(const GraphFusion *f, Ref r) { return f->used[r] && f->plan[r].round.folded_by >= 2; }

/* By node: is it needed by what is not itself a costly scalar that several kernels compute? */
static bool *needed_by_others(const GraphFusion *f)
{
    bool *needed = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (uint32_t i = 0; i < f->g->n_outputs; i++) needed[f->g->outputs[i]] = true;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        if (!f->used[r] || (is_repeated(f, r) && fuse_is_costly_scalar(f, r))) continue;
        for (uint32_t i = 0; i < f->g->nodes[r].n_args; i++) needed[f->g->nodes[r].args[i]] = true;
    }
    return needed;
}

static double bytes_of(const Node *n)
{
    return (double)type_count(node_type(n)) * (double)dtype_bytes((DType)n->dtype);
}

/* Does it stay in the L2 cache until it is loaded again? */
static bool stays_near(const GraphFusion *f, const Node *n)
{
    return bytes_of(n) <= (double)f->target->l2_bytes / 2;
}

/* A fold that several kernels compute is stored by the first, if to store and load it is less work. */
static bool is_worth_storing(const GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    double work = 1, count = (double)type_count(node_type(n));
    if (count == 0) return false;
    for (uint32_t i = 0; i < n->n_args; i++)
        work += fuse_has_memory(f, n->args[i]) ? 0 : f->plan[n->args[i]].round.cost;
    return work * fuse_folded(f, r) >= (stays_near(f, n) ? COST_STORE_NEAR : COST_STORE_FAR);
}

static bool is_view(const GraphFusion *f, Ref r) { return op_kind((Op)f->g->nodes[r].op) == OPKIND_SHAPE; }

/* By node: one of those that use it; REF_NONE: none does. */
static Ref *users(const GraphFusion *f)
{
    Ref *user = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *user);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        user[r] = REF_NONE;
        for (uint32_t i = 0; f->used[r] && i < f->g->nodes[r].n_args; i++) user[f->g->nodes[r].args[i]] = r;
    }
    return user;
}

/* What is stored of a fold: what all who want it make of its elements first, if that is no larger. Of a
 * running sum of products it is the sum so far: of the products alone each step would add up all before it,
 * and no two steps would be the same (100 products of 32 x 32, AVX2: compiled in
 * 1150 -> 80 ms, run in 550 -> 180 us). */
static Ref stored_of(const GraphFusion *f, const Ref *user, Ref fold)
{
    Ref best = fold;
    for (Ref r = fold; f->uses[r] == 1 && user[r] != REF_NONE;) {
        r = user[r];
        const Node *n = &f->g->nodes[r], *x = &f->g->nodes[fold];
        if (!(op_is_ew((Op)n->op) || is_view(f, r)) || f->plan[r].materialized ||
            type_count(node_type(n)) != type_count(node_type(x)))
            break;
        if (op_is_ew((Op)n->op) && bytes_of(n) <= bytes_of(x)) best = r;
    }
    return best;
}

static void share_folds(GraphFusion *f)
{
    const bool *needed = needed_by_others(f);
    const Ref *user = users(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        NodePlan *p = &f->plan[r];
        if (!is_repeated(f, r) || p->provider != REF_NONE || (p->materialized && !p->in_passing)) continue;
        if (fuse_is_costly_scalar(f, r) ? !needed[r] : !is_worth_storing(f, r)) continue;
        NodePlan *stored = &f->plan[p->in_passing ? r : stored_of(f, user, r)];
        stored->materialized = stored->in_passing = f->round.changed = true;
        stored->provider = p->round.folded_for;
    }
}

/* By node: is there a division or a math function among what is fused into it? */
static bool *holds_dear_op(const GraphFusion *f)
{
    bool *dear = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        dear[r] = op_is_ew((Op)n->op) && op_cost((Op)n->op, (DType)n->dtype) >= COST_DEAR;
        for (uint32_t i = 0; i < n->n_args; i++)
            dear[r] |= dear[n->args[i]] && !fuse_has_memory(f, n->args[i]) && !op_folds((Op)n->op);
    }
    return dear;
}

/* ---- in one kernel, several times ---- */

/* What is dear, and computed several times by one kernel, gets a kernel of its own. It is the last such node
 * on the way to each consumer that is not one itself. */
static bool is_repeated_work(const GraphFusion *f, const bool *dear, Ref r)
{
    const Node *n = &f->g->nodes[r];
    const NodeRound *now = &f->plan[r].round;
    double count = (double)type_count(node_type(n));
    return f->used[r] && dear[r] && n->n_results == 1 && !fuse_is_whole(f, r) &&
           !fuse_is_whole_result(f, r) && !(f->plan[r].materialized && !f->plan[r].in_passing) &&
           now->computed_in_one > count &&
           (now->computed / count - 1) * now->cost >= (stays_near(f, n) ? COST_DEAR : COST_MATH_FUNCTION);
}

static void share_repeated(GraphFusion *f, const bool *dear)
{
    bool *repeated = arena_alloc(f->arena, f->g->n_nodes + 1),
         *last = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (Ref r = 0; r < f->g->n_nodes; r++) repeated[r] = is_repeated_work(f, dear, r);
    for (Ref r = 0; r < f->g->n_nodes; r++)
        for (uint32_t i = 0; f->used[r] && !repeated[r] && i < f->g->nodes[r].n_args; i++)
            last[f->g->nodes[r].args[i]] = true;
    for (Ref r = f->g->n_nodes; r-- > 0;) {
        if (!repeated[r] || !last[r]) continue;
        for (uint32_t i = 0; is_view(f, r) && i < f->g->nodes[r].n_args; i++)
            last[f->g->nodes[r].args[i]] = true;
        if (is_view(f, r) || f->plan[r].materialized) continue;
        f->plan[r].materialized = f->round.changed = true;
        f->plan[r].in_passing = false;
        f->plan[r].provider = REF_NONE;
    }
}

/* ---- in several kernels ---- */

/* Memory that holds so many bytes of what is stored, at this price for an element. */
typedef struct Tier {
    double price, bytes, used;
} Tier;

/* Of nodes: the number of the last kernel that ...; the present one is `kernel`. */
typedef struct Sharing {
    GraphFusion *f;
    const bool *dear;
    Tier *tiers; /* the last has room for all */
    const Made *made;
    uint32_t kernel;
    uint32_t *again;  /* computes it, though another has before */
    uint32_t *needed; /* needs it for what it does not compute again */
    uint32_t *inner;  /* needs it for what it computes again */
    uint32_t *there;  /* has it by now, loaded or computed for an earlier one */
    double *elements; /* of those that the present kernel computes: how many */
    bool *stored;     /* chosen */
    Ref *found;       /* scratch: what lies between a node and those that are there */
    uint32_t n_found;
} Sharing;

static bool is_again(const Sharing *x, Ref r)
{
    const NodePlan *p = &x->f->plan[r];
    return !p->materialized && p->round.computed > (double)type_count(graph_type(x->f->g, r)) &&
           p->round.computed_for != x->made->root;
}

static bool may_be_stored(const Sharing *x, Ref r)
{
    return x->f->g->nodes[r].n_results == 1 && !is_view(x->f, r) && !fuse_is_whole(x->f, r) &&
           !fuse_is_whole_result(x->f, r) && x->f->plan[r].provider == REF_NONE;
}

static double work_of(const Sharing *x, Ref r)
{
    const Node *n = &x->f->g->nodes[r];
    double one = x->f->plan[r].round.from_indices || is_view(x->f, r) ? 0 : (double)point_cost(n);
    return x->elements[r] * (op_folds((Op)n->op) ? fmax(fuse_folded(x->f, r), 1) : one);
}

/* Does it take less than `most` to compute a node again? Finds what would be computed. */
static bool takes_less(Sharing *x, Ref r, double most)
{
    double work = 0;
    fuse_start_search(x->f);
    x->f->stamp[r] = x->f->clock;
    x->found[0] = r;
    x->n_found = 1;
    for (uint32_t k = 0; k < x->n_found && work < most; k++) {
        const Node *n = &x->f->g->nodes[x->found[k]];
        work += work_of(x, x->found[k]);
        for (uint32_t i = 0; i < n->n_args; i++) {
            Ref a = n->args[i];
            if (x->again[a] != x->kernel || x->there[a] == x->kernel || x->f->stamp[a] == x->f->clock)
                continue;
            x->f->stamp[a] = x->f->clock;
            x->found[x->n_found++] = a;
        }
    }
    return work < most;
}

/* Where it would lie. */
static Tier *tier_of(const Sharing *x, Ref r)
{
    Tier *t = x->tiers;
    while (t->used + bytes_of(&x->f->g->nodes[r]) > t->bytes) t++;
    return t;
}

static void choose_node(Sharing *x, Ref r)
{
    Tier *t = tier_of(x, r);
    double count = (double)type_count(graph_type(x->f->g, r));
    double most = (x->dear[r] ? t->price : COST_STORE_FAR) * (count + x->elements[r]) / 2;
    if (may_be_stored(x, r) && !takes_less(x, r, most)) {
        x->stored[r] = true;
        x->there[r] = x->kernel;
        t->used += bytes_of(&x->f->g->nodes[r]);
        return;
    }
    if (!may_be_stored(x, r)) takes_less(x, r, INFINITY);
    for (uint32_t i = 0; i < x->n_found; i++) x->there[x->found[i]] = x->kernel;
}

/* What of it the present kernel computes again, and which of that it needs for other things: views need what
 * they are views of; what is needed for nothing that it computes again is needed for what it stores. */
static void look_at_kernel(Sharing *x)
{
    const Made *m = x->made;
    for (uint32_t i = 0; i < m->n_computes; i++) {
        Ref r = m->computes[i].node;
        x->elements[r] = m->computes[i].elements;
        if (is_again(x, r)) x->again[r] = x->kernel;
    }
    for (uint32_t i = m->n_computes; i-- > 0;) {
        Ref r = m->computes[i].node;
        const Node *n = &x->f->g->nodes[r];
        if (x->inner[r] != x->kernel) x->needed[r] = x->kernel;
        bool again = x->again[r] == x->kernel && !(is_view(x->f, r) && x->needed[r] == x->kernel);
        for (uint32_t k = 0; k < n->n_args; k++)
            *(again ? &x->inner[n->args[k]] : &x->needed[n->args[k]]) = x->kernel;
    }
}

static void choose_all(Sharing *x)
{
    size_t n = x->f->g->n_nodes + 1;
    x->again = arena_alloc(x->f->arena, n * sizeof *x->again);
    x->needed = arena_alloc(x->f->arena, n * sizeof *x->needed);
    x->inner = arena_alloc(x->f->arena, n * sizeof *x->inner);
    x->there = arena_alloc(x->f->arena, n * sizeof *x->there);
    x->elements = arena_alloc(x->f->arena, n * sizeof *x->elements);
    x->stored = arena_alloc(x->f->arena, n);
    x->found = arena_alloc(x->f->arena, n * sizeof *x->found);
    for (Ref r = 0; r + 1 < n; r++)
        if (x->f->plan[r].provider != REF_NONE) tier_of(x, r)->used += bytes_of(&x->f->g->nodes[r]);
    for (uint32_t k = 0; k < x->f->round.n_made; k++) {
        x->made = &x->f->round.made[k];
        x->kernel = k + 1;
        look_at_kernel(x);
        for (uint32_t i = 0; i < x->made->n_computes; i++) {
            Ref r = x->made->computes[i].node;
            bool needs = x->again[r] == x->kernel && x->needed[r] == x->kernel && !is_view(x->f, r);
            if (needs && x->stored[r]) x->there[r] = x->kernel;
            else if (needs && x->there[r] != x->kernel) choose_node(x, r);
        }
    }
}

static void share_computed(GraphFusion *f, const bool *dear)
{
    double l3 = f->target->l3_bytes ? f->target->l3_bytes : INFINITY;
    Tier tiers[] = { { COST_DEAR, (double)f->target->l2_bytes / 2, 0 },
                     { COST_MATH_FUNCTION, l3 / 2, 0 },
                     { COST_STORE_DEAR, INFINITY, 0 } };
    Sharing x = { .f = f, .dear = dear, .tiers = tiers };
    choose_all(&x);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        if (!x.stored[r]) continue;
        f->plan[r].materialized = f->plan[r].in_passing = f->round.changed = true;
        f->plan[r].provider = f->plan[r].round.computed_for;
    }
}

void fuse_share(GraphFusion *f)
{
    share_folds(f);
    if (f->round.changed) return;
    const bool *dear = holds_dear_op(f);
    share_repeated(f, dear);
    share_computed(f, dear);
}
