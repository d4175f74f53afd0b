/* fuse.c: from graph to fused program.
 *
 * Which nodes get memory? The outputs; everything else is computed where it is used (point.c), unless one of
 * these rules says that memory is better:
 *   - a reduction would be evaluated more often than it has elements (its consumer repeats it along an axis
 *     it does not have);
 *   - an expensive element (cost >= 8: a division is 4, a math function 12 or more) would be evaluated at
 *     least 4 times, or a float of some ops (cost >= 3) 32 times: what a product of matrices reads;
 *   - a chain of ops has grown to MAX_LEVELS: code generation is superlinear in the size of a basic block.
 *   - an element is wanted at many different indices, or the kernel has grown too large (point.h);
 *   - it is written into a small part of an array whose other elements it was made of: the array can then be
 *     updated in place.
 *   - several kernels fold the same, and to store and load it is less work (NEAR_STORE, FAR_STORE): forward
 *     and backward pass meet in such nodes. The first of these kernels to run stores it in passing, the
 *     others load; so it does with a number that is dear to compute, for what is done to many leaves of a
 *     tree;
 *   - it is compared for equality, and something else is made of it: rounded otherwise in another kernel it
 *     would be equal to nothing;
 *   - it is a product of matrices among what rows are made of (fuse_kernel.c): alone it is tiled.
 * Kernels are built from the last node to the first; a node that a rule names becomes a load there and then,
 * and its own kernel is built when its turn comes. The whole is built again, with these nodes known from the
 * start, until no rule has anything new to say; rounds are bounded, for each is right. What a kernel repeated
 * only because something above it had no memory yet is given back before the next round.
 *
 * Which nodes share a kernel? One kernel per node with memory, built from the last node to the first. Two
 * things join kernels: an output that another kernel computes at all its points anyway is stored there in
 * passing; and kernels over the same index space that read a common array and do not depend on each other
 * become one.
 */
#include "fuse.h"
#include "fuse_steps.h"
#include "buffers.h"
#include "compiler/fuse/point/point_parts.h"
#include <string.h>

enum {
    MAX_LEVELS = 200,
    MAX_DEPTH = 64,
    MAX_ROUNDS = 6,
    MAX_JOINED = 16,
    MAX_ROOTS_TO_JOIN = 64,
    MAX_SEARCHED = 64
};
/* What it costs to store an element and to load it again, in additions: in the caches, and past them (64
 * vector additions take as long as 192 bytes of traffic). */
static const double NEAR_STORE = 8, FAR_STORE = 64;
/* of a number, the arithmetic from which on kernels share it: one math function */
static const float DEAR_NUMBER = 12;

/* ---- facts about nodes ---- */

bool fuse_is_unit_result(const Fuser *f, Ref r)
{
    return f->g->nodes[r].op == OP_RESULT && f->unit[f->g->nodes[r].args[0]];
}

static void mark_used(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        if (f->outs[i].kind == PLACE_NONE) continue;
        f->used[f->g->outputs[i]] = true;
        f->uses[f->g->outputs[i]]++;
    }
    for (Ref r = f->g->n_nodes; r-- > 0;)
        for (uint32_t i = 0; f->used[r] && i < f->g->nodes[r].n_args; i++) {
            f->used[f->g->nodes[r].args[i]] = true;
            f->uses[f->g->nodes[r].args[i]]++;
        }
}

void fuse_give_memory(Fuser *f, Ref r)
{
    f->plan[r].materialized = true;
    f->plan[r].in_passing = false;
    f->plan[r].provider = REF_NONE;
}

bool fuse_has_memory(const Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    return f->plan[r].materialized || n->op == OP_PARAMETER || (n->op == OP_CONSTANT && !n->attr[0]);
}

/* Is operand i of a scan the steps' numbers? They need no memory. */
static bool counts_steps(const Graph *g, const Node *n, uint32_t i)
{
    const Node *x = &g->nodes[n->args[i]];
    return n->op == OP_SCAN && i >= n->attr[3] + n->attr[4] && x->op == OP_IOTA && x->rank == 1;
}

/* What steps and rules of their own write has memory, and so has what steps read. */
static void give_units_memory(Fuser *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r]) continue;
        if (fuse_is_unit_result(f, r) || (f->unit[r] && n->n_results == 1)) fuse_give_memory(f, r);
        for (uint32_t i = 0; is_stepped(f->g, r) && i < n->n_args; i++)
            if (f->g->nodes[n->args[i]].op != OP_CONSTANT && f->g->nodes[n->args[i]].op != OP_PARAMETER &&
                !counts_steps(f->g, n, i))
                fuse_give_memory(f, n->args[i]);
    }
}

/* A map or a choice with loops in it is run once, however many want its results. */
static void give_loops_memory(Fuser *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        Ref x = n->op == OP_RESULT ? n->args[0] : r;
        bool loops =
            f->g->nodes[x].n_regions && !op_folds((Op)f->g->nodes[x].op) && point_levels(&f->g->nodes[x]);
        if (f->used[r] && loops && f->g->nodes[r].n_results == 1 && (f->uses[r] > 1 || f->uses[x] > 1))
            fuse_give_memory(f, r);
    }
}

/* Does the value read x, without memory on the way? Not counted is what it reads, to the element, of the
 * slice that `own` updates. */
static bool reads(Fuser *f, Ref value, Ref x, const Node *own)
{
    Ref stack[MAX_SEARCHED];
    uint32_t n = 0, searched = 0;
    for (stack[n++] = value; n;) {
        const Node *v = &f->g->nodes[stack[--n]];
        bool same = own && v->op == OP_DYNAMIC_SLICE &&
                    shape_equal(node_type(v), graph_type(f->g, own->args[1])) &&
                    !memcmp(v->args + 1, own->args + 2, (v->n_args - 1) * sizeof *v->args);
        for (uint32_t i = 0; i < v->n_args; i++) {
            if (v->args[i] == x && !(same && i == 0)) return true;
            if (v->args[i] == x || fuse_has_memory(f, v->args[i])) continue;
            if (n == MAX_SEARCHED || ++searched == MAX_SEARCHED) return true;
            stack[n++] = v->args[i];
        }
    }
    return false;
}

static void give_memory_if_reading(Fuser *f, Ref value, Ref x, const Node *own)
{
    if (!fuse_has_memory(f, value) && reads(f, value, x, own)) fuse_give_memory(f, value);
}

/* What updates behind each other, the last first, write into parameter x. Of the first of all, a slice may
 * read its own elements, and a single one reads before it writes. */
static void give_written_memory(Fuser *f, const Ref *update, uint32_t n, Ref x)
{
    int64_t whole = type_count(graph_type(f->g, x));
    for (uint32_t i = 0; i < n; i++) {
        const Node *u = &f->g->nodes[update[i]];
        if (type_count(graph_type(f->g, u->args[u->op == OP_SCATTER ? 2 : 1])) > whole / 4) return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const Node *u = &f->g->nodes[update[i]];
        bool first = i == n - 1, scatter = u->op == OP_SCATTER,
             single = type_count(graph_type(f->g, u->args[1])) < 2;
        for (uint32_t k = 1; k < u->n_args && !(first && single && !scatter); k++)
            give_memory_if_reading(f, u->args[k], x, first && !scatter ? u : NULL);
    }
}

/* What is written into small parts of a parameter, to be an output (of a carry, most likely), if it is made
 * of the parameter's other elements. Computed before the first of them is written, it leaves the parameter's
 * memory to be updated in place. */
static void give_updates_memory(Fuser *f)
{
    Ref update[MAX_SPECIAL_KERNELS];
    for (uint32_t k = 0; k < f->g->n_outputs; k++) {
        const Node *n = &f->g->nodes[f->g->outputs[k]];
        if (f->outs[k].kind == PLACE_NONE ||
            (n->op != OP_DYNAMIC_UPDATE_SLICE && (n->op != OP_SCATTER || n->n_results > 1)))
            continue;
        uint32_t count = special_updates(f->g, f->g->outputs[k], update);
        Ref x = f->g->nodes[update[count - 1]].args[0];
        if (f->g->nodes[x].op == OP_PARAMETER) give_written_memory(f, update, count, x);
    }
}

/* By node: may two kernels round it differently? A fold's order is its loops', which differ from kernel to
 * kernel, and a multiply may be fused with an add in one of them only. */
static bool *loose_nodes(const Fuser *f)
{
    bool *loose = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        bool sums = n->op == OP_DOT ||
                    (n->op == OP_REDUCE && (n->attr[0] == OP_ADD || n->attr[0] == OP_MUL)) ||
                    n->op == OP_ADD || n->op == OP_SUB;
        loose[r] = n->n_regions > 0;
        for (uint32_t i = 0; i < n->n_args && !f->plan[r].materialized; i++)
            loose[r] |=
                loose[n->args[i]] || (sums && (op_folds((Op)n->op) || f->g->nodes[n->args[i]].op == OP_MUL));
        loose[r] &= dtype_is_float((DType)n->dtype);
    }
    return loose;
}

/* What is compared with what was made of it, as an element with the greatest of them, is to be one number,
 * wherever it is looked at: computed again and rounded otherwise it would be equal nowhere. So it is stored.
 * Strict mode rounds alike. */
static void give_compared_memory(Fuser *f)
{
    if (f->program->mode == MODE_STRICT) return;
    const bool *loose = loose_nodes(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || n->op != OP_COMPARE || n->attr[0] > CMP_NE) continue;
        for (uint32_t i = 0; i < n->n_args; i++) {
            Ref x = n->args[i];
            while (op_kind((Op)f->g->nodes[x].op) == OPKIND_SHAPE && f->g->nodes[x].n_args == 1)
                x = f->g->nodes[x].args[0];
            if (loose[x] && f->uses[x] > 1 && f->g->nodes[x].n_results == 1) fuse_give_memory(f, x);
        }
    }
}

/* Long chains are cut: what stands MAX_LEVELS above memory gets memory. */
static void cut_chains(Fuser *f)
{
    uint16_t *level = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *level);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || fuse_has_memory(f, r)) continue;
        for (uint32_t i = 0; i < n->n_args; i++)
            if (level[n->args[i]] >= level[r]) level[r] = (uint16_t)(level[n->args[i]] + 1);
        if (level[r] < MAX_LEVELS || n->n_results > 1) continue;
        f->plan[r].materialized = true;
        level[r] = 0;
    }
}

/* depth, cost and contraction of what is fused into each node, given who has memory; what is too deep gets
 * memory. */
static void refresh_facts(Fuser *f)
{
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        NodePlan *p = &f->plan[r];
        const Node *n = &f->g->nodes[r];
        p->depth = p->kernel = p->row_of = p->loaded_by = 0;
        p->row_loop = VAL_NONE;
        p->row_at = NULL;
        p->row_wanted = p->contracts = false;
        p->cost = 0;
        p->points = p->folded_by = 0;
        if (!f->used[r]) continue;
        bool multiply = false;
        for (uint32_t i = 0; i < n->n_args; i++) {
            const NodePlan *a = &f->plan[n->args[i]];
            bool leaf = fuse_has_memory(f, n->args[i]) && !a->in_passing;
            if (leaf) continue;
            p->depth = point_deeper(n, p->depth, a->depth);
            p->cost += a->cost;
            p->contracts |= a->contracts;
            multiply |= f->g->nodes[n->args[i]].op == OP_MUL;
        }
        if (p->depth >= MAX_DEPTH && n->n_results <= 1 && !fuse_has_memory(f, r)) p->materialized = true;
        p->depth += point_levels(n);
        if (op_folds((Op)n->op)) {
            p->cost = 0;
            p->contracts = false;
        }
        p->cost += point_cost(n);
        p->contracts |= n->n_regions > 0 || (multiply && (n->op == OP_ADD || n->op == OP_SUB));
        /* What is spread over many elements is computed once for all of them, outside of their loop. */
        if (n->op == OP_BROADCAST &&
            type_count(graph_type(f->g, n->args[0])) <= type_count(node_type(n)) / 4) {
            p->cost = 0;
            p->contracts = false;
        }
        if (p->cost > 1e6f) p->cost = 1e6f;
    }
}

/* ---- buffers ---- */

uint32_t fuse_new_buffer(Fuser *f, Buffer b) { return program_add_buffer(f->arena, f->program, b); }

Buffer fuse_buffer_of(Type t, BufferKind kind, uint32_t index)
{
    return (Buffer){ .kind = (uint8_t)kind, .dtype = t.dtype, .index = index, .count = type_count(t) };
}

bool place_is_whole(const Program *p, Place x, Type t)
{
    return x.kind == PLACE_BUFFER && !x.base.n_terms && !x.base.offset &&
           p->buffers[x.buffer].count == type_count(t);
}

static void also_at(Fuser *f, NodePlan *p, Place place)
{
    Place *all = arena_alloc(f->arena, (p->n_also + 1) * sizeof *all);
    if (p->n_also) memcpy(all, p->also, p->n_also * sizeof *all);
    all[p->n_also++] = place;
    p->also = all;
}

/* The first output that a node is is its memory; it is stored at the others, too. Those that are inputs or
 * constants are copied in the end. */
static void assign_outputs(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = point_behind_barriers(f->g, f->g->outputs[i]);
        NodePlan *p = &f->plan[r];
        const Node *n = &f->g->nodes[r], *unit = n->op == OP_RESULT ? &f->g->nodes[n->args[0]] : n;
        if (f->outs[i].kind == PLACE_NONE || n->op == OP_CONSTANT || n->op == OP_PARAMETER) continue;
        bool whole = is_special(f->g, n->op == OP_RESULT ? n->args[0] : r) &&
                     special_of(f->g, (Ref)(unit - f->g->nodes)).whole_results;
        if (p->place.kind == PLACE_NONE && whole && !place_is_whole(f->program, f->outs[i], node_type(n)))
            p->place = place_temporary(f->arena, f->program, node_type(n));
        if (p->place.kind == PLACE_NONE) p->place = f->outs[i];
        else also_at(f, p, f->outs[i]);
    }
}

/* Places of all results of nodes that are not computed point by point. */
static void assign_results(Fuser *f)
{
    Place **results = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *results);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r]) continue;
        if (f->unit[r])
            f->plan[r].results = results[r] = arena_alloc(f->arena, (n->n_results + 1) * sizeof **results);
        Ref unit = n->op == OP_RESULT ? n->args[0] : r;
        if (!results[unit] || (unit == r && n->n_results > 1)) continue;
        Place *first = &results[unit][unit == r ? 0 : n->attr[0]];
        if (first->kind == PLACE_NONE) *first = f->plan[r].place;
        else if (f->plan[r].place.kind == PLACE_BUFFER) also_at(f, &f->plan[r], f->plan[r].place);
        f->plan[r].place = *first;
    }
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        bool whole = results[r] && is_special(f->g, r) && special_of(f->g, r).whole_results;
        for (uint32_t i = 0; whole && i < f->g->nodes[r].n_results; i++)
            if (results[r][i].kind == PLACE_NONE)
                results[r][i] = place_temporary(f->arena, f->program, node_result(&f->g->nodes[r], i));
    }
}

/* Parameters, outputs, constants and temporaries, afresh for each round. */
static void assign_places(Fuser *f)
{
    Program *p = f->program;
    p->n_buffers = f->first_buffer;
    p->n_consts = f->first_const;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        f->plan[r].place = (Place){ .kind = PLACE_NONE };
        f->plan[r].n_also = 0;
    }
    for (uint32_t i = 0; i < f->g->n_params; i++) f->plan[f->g->params[i]].place = f->params[i];
    assign_outputs(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || f->plan[r].place.kind != PLACE_NONE || !fuse_has_memory(f, r) ||
            n->op == OP_PARAMETER || point_behind_barriers(f->g, r) != r)
            continue;
        if (n->op != OP_CONSTANT) {
            f->plan[r].place = place_temporary(f->arena, p, node_type(n));
            continue;
        }
        Buffer b = fuse_buffer_of(node_type(n), BUF_CONST, p->n_consts++);
        b.data = n->data;
        f->plan[r].place = (Place){ .kind = PLACE_BUFFER, .buffer = fuse_new_buffer(f, b) };
    }
    assign_results(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        Ref owner = point_behind_barriers(f->g, r);
        if (f->used[r] && owner != r) f->plan[r].place = fuse_operand_place(f, owner);
    }
}

/* ---- joining kernels ---- */

static bool folds_innermost(const Fuser *f, const Node *n)
{
    int first = n->op == OP_REDUCE, axes = (int)n->n_attr - first;
    return (n->op == OP_REDUCE || n->op == OP_REDUCE_REGION) && axes > 0 &&
           n->attr[first] == f->g->nodes[n->args[0]].rank - axes;
}

/* The index space a node's kernel walks: its own, or, if it is one element and folds or is made of folds,
 * that of what is folded. Folds of rows have their own loops: a kernel with another node's loops would not be
 * scheduled for them (the means of 1000 rows and their gradient: 0.50 ms joined, 0.10 apart). */
static Type space(const Fuser *f, Ref r)
{
    Ref stack[MAX_SEARCHED];
    uint32_t n = 0, searched = 0;
    Type own = graph_type(f->g, r), found = own;
    for (stack[n++] = r; n && ++searched < MAX_SEARCHED;) {
        const Node *v = &f->g->nodes[stack[--n]];
        if (v->op == OP_RESULT) v = &f->g->nodes[v->args[0]];
        if (folds_innermost(f, v) && type_count(own) == 1) found = graph_type(f->g, v->args[0]);
        if (!op_is_ew((Op)v->op)) continue;
        for (uint32_t i = 0; i < v->n_args && n < MAX_SEARCHED; i++)
            if (shape_equal(graph_type(f->g, v->args[i]), own) && !fuse_has_memory(f, v->args[i]))
                stack[n++] = v->args[i];
    }
    return found;
}

/* Do both read one array with memory without folding on the way to it? */
static bool share_leaf(Fuser *f, Ref x, Ref y)
{
    bool found = false;
    for (int side = 0; side < 2; side++) {
        uint32_t top = 0, mine = f->clock + 1;
        f->clock++;
        f->stack[top++] = side ? y : x;
        while (top) {
            Ref r = f->stack[--top];
            const Node *n = &f->g->nodes[r];
            if (r != (side ? y : x) && fuse_has_memory(f, r) && !f->plan[r].in_passing) continue;
            for (uint32_t i = 0; i < n->n_args; i++) {
                Ref a = n->args[i];
                if (f->stamp[a] == mine) continue;
                found |= side && f->stamp[a] == mine - 1 && f->g->nodes[a].rank > 0;
                f->stamp[a] = mine;
                f->stack[top++] = a;
            }
        }
    }
    return found;
}

static bool may_join(Fuser *f, const Ref *group, uint32_t n, Ref q)
{
    for (uint32_t i = 0; i < n; i++) {
        Ref r = group[i];
        bool region = f->g->nodes[r].op == OP_RESULT && f->g->nodes[q].op == OP_RESULT &&
                      f->g->nodes[r].args[0] == f->g->nodes[q].args[0];
        if (region) continue;
        if (f->g->nodes[r].op == OP_RESULT || f->g->nodes[q].op == OP_RESULT ||
            f->g->nodes[r].op == OP_CONCATENATE || f->g->nodes[q].op == OP_CONCATENATE)
            return false;
        if (f->g->nodes[r].op == OP_DOT || f->g->nodes[q].op == OP_DOT) return false;
        if (!shape_equal(space(f, r), space(f, q)) || !share_leaf(f, r, q) || fuse_reaches(f, r, q))
            return false;
    }
    /* No kernel has to run both after and before the joined one. */
    fuse_find_after(f, &q, 1);
    for (uint32_t i = 0; i < n; i++)
        if (fuse_waits(f, group[i], &q, 1)) return false;
    fuse_find_after(f, group, n);
    return !fuse_waits(f, q, group, n);
}

/* A node that becomes steps takes its turn among the kernels. */
static void make_stepped(Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    Made *m = fuse_add_made(f);
    *m = (Made){ .steps = r, .first = REF_NONE };
    m->loads = arena_alloc(f->arena, (n->n_args + 1) * sizeof *m->loads);
    if (n->n_args) memcpy(m->loads, n->args, n->n_args * sizeof *m->loads);
    m->n_loads = n->n_args;
    fuse_note_loads(f);
    fuse_unit_provides(f, r);
}

static void make_special(Fuser *f, Ref r, Wanted *wanted)
{
    Special *s = arena_alloc(f->arena, sizeof *s);
    *s = special_of(f->g, r);
    for (uint32_t i = 0; i < s->n_temps; i++) {
        s->temps[i].kind = BUF_TEMP;
        s->temp[i] = fuse_new_buffer(f, s->temps[i]);
    }
    uint32_t previous = 0;
    for (uint32_t k = 0; k < s->n_kernels; k++) {
        Roots roots = { .ref = &r, .n = 1, .pack = { REF_NONE, NULL }, .special = s, .which = k };
        fuse_make_kernel(f, &roots, wanted);
        f->made[f->n_made - 1].previous = previous;
        if (previous) fuse_runs_behind(f, previous, f->n_made);
        previous = f->n_made;
    }
    fuse_unit_provides(f, r);
}

static bool is_root(const Fuser *f, Ref r)
{
    return f->used[r] && f->plan[r].materialized && !f->plan[r].kernel && !f->unit[r] &&
           !fuse_is_unit_result(f, r);
}

/* One round: all kernels under the present marks. */
static void make_all(Fuser *f, Wanted *wanted)
{
    uint32_t n_roots = 0;
    wanted->n = wanted->n_given = 0;
    wanted->news = false;
    f->n_made = f->n_packed = 0;
    fuse_forget_order(f);
    refresh_facts(f);
    assign_places(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) n_roots += f->used[r] && f->plan[r].materialized;
    for (Ref r = f->g->n_nodes; r-- > 0;) {
        if (!f->used[r] || f->plan[r].kernel) continue;
        if (is_stepped(f->g, r)) make_stepped(f, r);
        else if (is_special(f->g, r)) make_special(f, r, wanted);
        if (!is_root(f, r)) continue;
        Ref group[MAX_JOINED] = { r };
        uint32_t n = 1;
        for (Ref q = r; q-- > 0 && n_roots > 1 && n_roots <= MAX_ROOTS_TO_JOIN && n < MAX_JOINED;)
            if (is_root(f, q) && may_join(f, group, n, q)) group[n++] = q;
        Roots roots = { .ref = group, .n = n, .pack = { REF_NONE, NULL } };
        fuse_make_kernel(f, &roots, wanted);
    }
}

/* ---- another round ---- */

/* What got memory because a kernel repeated it, but is reached only through something that got memory too,
 * has lost its reason: who computes that will say. */
static void take_back(Fuser *f, const Wanted *wanted)
{
    bool *reached = arena_alloc(f->arena, f->g->n_nodes + 1),
         *given = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (uint32_t i = 0; i < wanted->n_given; i++) given[wanted->given[i]] = true;
    for (uint32_t i = 0; i < f->g->n_outputs; i++) reached[f->g->outputs[i]] = true;
    for (Ref r = f->g->n_nodes; r-- > 0;) {
        bool source = f->used[r] && (f->unit[r] || f->plan[r].materialized) && !given[r];
        for (uint32_t i = 0; (source || (reached[r] && !given[r])) && i < f->g->nodes[r].n_args; i++)
            reached[f->g->nodes[r].args[i]] = true;
    }
    for (Ref r = 0; r < f->g->n_nodes; r++)
        if (given[r] && !reached[r]) f->plan[r].materialized = false;
}

double fuse_folded(const Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    double count = 1;
    if (n->op == OP_REDUCE || n->op == OP_ARGMAX || n->op == OP_ARGMIN)
        return (double)type_count(graph_type(f->g, n->args[0])) / (double)type_count(node_type(n));
    if (n->op != OP_DOT) return 0;
    for (int64_t i = 0; i < n->attr[1]; i++)
        count *= (double)f->g->nodes[n->args[0]].dim[n->attr[2 + 2 * n->attr[0] + i]];
    return count;
}

bool fuse_is_dear_number(const Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    return n->rank == 0 && op_is_ew((Op)n->op) && f->plan[r].cost >= DEAR_NUMBER;
}

static bool is_repeated(const Fuser *f, Ref r) { return f->used[r] && f->plan[r].folded_by >= 2; }

/* By node: is it needed by what is not itself a dear number that several kernels compute? */
static bool *needed_by_others(const Fuser *f)
{
    bool *needed = arena_alloc(f->arena, f->g->n_nodes + 1);
    for (uint32_t i = 0; i < f->g->n_outputs; i++) needed[f->g->outputs[i]] = true;
    for (Ref r = 0; r < f->g->n_nodes; r++)
        for (uint32_t i = 0; !(is_repeated(f, r) && fuse_is_dear_number(f, r)) && i < f->g->nodes[r].n_args;
             i++)
            needed[f->g->nodes[r].args[i]] |= f->used[r];
    return needed;
}

/* A fold that several kernels compute is stored by the first, if to store and load it is less work. */
static bool is_worth_storing(const Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    double work = 1, count = (double)type_count(node_type(n));
    if (count == 0) return false;
    for (uint32_t i = 0; i < n->n_args; i++)
        work += fuse_has_memory(f, n->args[i]) ? 0 : f->plan[n->args[i]].cost;
    bool near = count * (double)dtype_bytes((DType)n->dtype) <= (double)f->target->l2_bytes / 2;
    return work * fuse_folded(f, r) >= (near ? NEAR_STORE : FAR_STORE);
}

static void share_folds(Fuser *f, Wanted *wanted)
{
    const bool *needed = needed_by_others(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        NodePlan *p = &f->plan[r];
        if (!is_repeated(f, r) || p->provider != REF_NONE || (p->materialized && !p->in_passing)) continue;
        if (fuse_is_dear_number(f, r) ? !needed[r] : !is_worth_storing(f, r)) continue;
        p->materialized = p->in_passing = wanted->news = true;
        p->provider = p->folded_for;
    }
}

static double fused_bytes(const Fuser *f)
{
    double bytes = 0;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        OpKind kind = op_kind((Op)n->op);
        if (!f->used[r] || fuse_has_memory(f, r) || kind == OPKIND_LEAF || kind == OPKIND_SHAPE ||
            kind == OPKIND_OTHER || f->unit[r])
            continue;
        bytes += (double)type_count(node_type(n)) * (double)dtype_bytes((DType)n->dtype);
    }
    return bytes;
}

/* A loop may run more often than there are numbers. */
static int64_t whole_number(double x) { return x < 0x1p62 ? (int64_t)x : (int64_t)1 << 62; }

void fuse_graph(Fusion *x, const Graph *g, const Place *params, const Place *outs)
{
    Arena *arena = x->arena;
    Fuser f = { .arena = arena,
                .whole = x,
                .g = g,
                .target = x->target,
                .program = x->program,
                .params = params,
                .outs = outs,
                .first_buffer = x->program->n_buffers,
                .first_const = x->program->n_consts };
    f.plan = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.plan);
    f.used = arena_alloc(arena, g->n_nodes + 1);
    f.uses = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.uses);
    f.stamp = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.stamp);
    f.stack = arena_alloc(arena, (2 * (size_t)g->n_nodes + 2) * sizeof *f.stack);
    f.unit = arena_alloc(arena, g->n_nodes + 1);
    f.loaders = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.loaders);
    f.waiting = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.waiting);
    for (Ref r = 0; r < g->n_nodes; r++) f.unit[r] = is_stepped(g, r) || is_special(g, r);
    mark_used(&f);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Ref r = g->outputs[i];
        if (outs[i].kind == PLACE_NONE || g->nodes[r].op == OP_PARAMETER || g->nodes[r].op == OP_CONSTANT)
            continue;
        f.plan[r].materialized = f.plan[r].in_passing = true;
    }
    give_units_memory(&f);
    give_loops_memory(&f);
    give_updates_memory(&f);
    give_compared_memory(&f);
    cut_chains(&f);
    Wanted wanted = { .capacity = g->n_nodes + 64 };
    wanted.refs = arena_alloc(arena, wanted.capacity * sizeof(Ref));
    wanted.given = arena_alloc(arena, wanted.capacity * sizeof(Ref));
    for (Ref r = 0; r < g->n_nodes; r++) f.plan[r].provider = REF_NONE;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        make_all(&f, &wanted);
        if (round == MAX_ROUNDS - 1) break;
        if (round < MAX_ROUNDS - 2) take_back(&f, &wanted);
        if (wanted.n == 0 && !wanted.news) share_folds(&f, &wanted);
        if (wanted.n == 0 && !wanted.news) break;
        for (uint32_t i = 0; i < wanted.n; i++) fuse_give_memory(&f, wanted.refs[i]);
    }
    x->program->fused_bytes = whole_number((double)x->program->fused_bytes + x->runs * fused_bytes(&f));
    fuse_emit_all(&f);
}

Program *fuse(Arena *arena, const Graph *g, const Target *target, NumericMode mode)
{
    Program *p = arena_alloc(arena, sizeof *p);
    Fusion x = { .arena = arena, .program = p, .target = target, .runs = 1 };
    Place *params = arena_alloc(arena, (g->n_params + 1) * sizeof *params),
          *outs = arena_alloc(arena, (g->n_outputs + 1) * sizeof *outs);
    *p = (Program){ .arena = arena,
                    .name = g->name ? g->name : "main",
                    .mode = mode,
                    .n_inputs = g->n_params,
                    .n_outputs = g->n_outputs };
    for (uint32_t i = 0; i < g->n_params; i++)
        params[i] = (Place){ .kind = PLACE_BUFFER,
                             .buffer = program_add_buffer(
                                 arena, p, fuse_buffer_of(graph_type(g, g->params[i]), BUF_INPUT, i)) };
    for (uint32_t i = 0; i < g->n_outputs; i++)
        outs[i] = (Place){ .kind = PLACE_BUFFER,
                           .buffer = program_add_buffer(
                               arena, p, fuse_buffer_of(graph_type(g, g->outputs[i]), BUF_OUTPUT, i)) };
    fuse_graph(&x, g, params, outs);
    fuse_finish(p);
    plan_buffers(arena, p);
    return p;
}
