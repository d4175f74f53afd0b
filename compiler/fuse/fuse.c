/* fuse.c: from graph to fused program; fuse_state.h says what its files do, and its words.
 *
 * Kernels are built from the last node to the first; a node that a rule wants in memory (fuse_memory.c)
 * becomes a load there and then, and its own kernel is built when its turn comes. The whole is built again,
 * with these nodes known from the start, until no rule has anything new to say; rounds are bounded, for each
 * is right. What a kernel repeated only because something above it had no memory yet is given back before
 * the next round.
 *
 * Which nodes share a kernel? One kernel per node with memory, built from the last node to the first. Two
 * things join kernels: an output that another kernel computes at all its points anyway is stored there in
 * passing; and kernels over the same index space that read a common array and do not depend on each other
 * become one; of concatenations those whose parts are alike.
 */
#include "fuse.h"
#include "compiler/fuse/memory/alias.h"
#include "compiler/fuse/memory/buffers.h"
#include "fuse_state.h"
#include "compiler/planes/planes.h"
#include <assert.h>
#include <string.h>

/* ---- facts about nodes ---- */

bool fuse_is_whole_result(const GraphFusion *f, Ref r)
{
    return f->g->nodes[r].op == OP_RESULT && fuse_is_whole(f, f->g->nodes[r].args[0]);
}

void fuse_start_search(GraphFusion *f)
{
    f->clock++;
    f->top = 0;
}

void fuse_visit(GraphFusion *f, Ref r)
{
    if (f->stamp[r] == f->clock) return;
    f->stamp[r] = f->clock;
    f->stack[f->top++] = r;
}

static void mark_used(GraphFusion *f)
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

/* ---- joining kernels ---- */

static bool folds_innermost(const GraphFusion *f, const Node *n)
{
    int first = n->op == OP_REDUCE, axes = (int)n->n_attr - first;
    return (n->op == OP_REDUCE || n->op == OP_REDUCE_REGION) && axes > 0 &&
           n->attr[first] == f->g->nodes[n->args[0]].rank - axes;
}

/* The index space a node's kernel walks: its own, or, if it is one element and folds or is made of folds,
 * that of what is folded. Folds of rows have their own loops: a kernel with another node's loops would not be
 * scheduled for them (the means of 1000 rows and their gradient: 0.50 ms joined, 0.10 apart). */
static Ref find_space(const GraphFusion *f, Ref r)
{
    Ref stack[MAX_SEARCHED];
    uint32_t n = 0, searched = 0;
    Type own = graph_type(f->g, r);
    Ref found = r;
    for (stack[n++] = r; n && ++searched < MAX_SEARCHED;) {
        const Node *v = &f->g->nodes[stack[--n]];
        if (v->op == OP_RESULT) v = &f->g->nodes[v->args[0]];
        if (folds_innermost(f, v) && type_count(own) == 1) found = v->args[0];
        if (!op_is_ew((Op)v->op)) continue;
        for (uint32_t i = 0; i < v->n_args && n < MAX_SEARCHED; i++)
            if (shape_equal(graph_type(f->g, v->args[i]), own) && !fuse_has_memory(f, v->args[i]))
                stack[n++] = v->args[i];
    }
    return found;
}

/* Found once: a node is compared with many. */
static Type space(GraphFusion *f, Ref r)
{
    NodeRound *x = &f->plan[r].round;
    if (x->space_at != f->memory_clock) x->space = find_space(f, r);
    x->space_at = f->memory_clock;
    return graph_type(f->g, x->space);
}

/* Is it an array that is read, or made of one: no number in the shape of an array? */
static bool is_array(const Node *n)
{
    return n->rank > 0 && n->op != OP_IOTA && !(n->op == OP_CONSTANT && n->attr[0]);
}

/* Is it loaded, so that its reader reads nothing that it is made of? */
static bool is_loaded(const GraphFusion *f, Ref r) { return fuse_has_memory(f, r) && !f->plan[r].in_passing; }

/* Notes at all nodes that a member reads that it does. */
static void note_member(GraphFusion *f, Group *x, uint32_t member)
{
    Ref root = x->of[member];
    uint32_t bit = 1u << member;
    fuse_start_search(f);
    for (fuse_visit(f, root); f->top;) {
        Ref r = f->stack[--f->top];
        const Node *n = &f->g->nodes[r];
        for (uint32_t i = 0; (r == root || !is_loaded(f, r)) && i < n->n_args; i++) {
            ReadBy *a = &f->read_by[n->args[i]];
            if (a->group != x->number) *a = (ReadBy){ .group = x->number };
            a->members |= bit;
            if (is_array(&f->g->nodes[n->args[i]])) x->read_arrays |= bit;
            fuse_visit(f, n->args[i]);
        }
    }
}

static void ask(GraphFusion *f, const Group *x, Ref r)
{
    ReadBy *by = &f->read_by[r];
    by->asked = x->asked;
    by->n_args = 0;
    by->found = by->group == x->number && is_array(&f->g->nodes[r]) ? by->members : 0;
    f->stack[f->top++] = r;
}

/* Which members read r, an array, or one that it is made of? That is found once, for all candidates that read
 * r, until another member joins. */
static uint32_t readers_below(GraphFusion *f, const Group *x, Ref r)
{
    uint32_t all = (1u << x->n_noted) - 1;
    if (f->read_by[r].asked == x->asked) return f->read_by[r].found;
    f->top = 0;
    for (ask(f, x, r); f->top;) {
        Ref v = f->stack[f->top - 1];
        ReadBy *by = &f->read_by[v];
        const Node *n = &f->g->nodes[v];
        if (by->n_args == n->n_args || by->found == all || is_loaded(f, v)) {
            if (--f->top) f->read_by[f->stack[f->top - 1]].found |= by->found;
            continue;
        }
        Ref a = n->args[by->n_args++];
        if (f->read_by[a].asked == x->asked) by->found |= f->read_by[a].found;
        else ask(f, x, a);
    }
    return f->read_by[r].found;
}

/* Does each member read an array that q reads, too? */
static bool share_arrays(GraphFusion *f, Group *x, Ref q)
{
    const Node *n = &f->g->nodes[q];
    uint32_t members = (1u << x->n) - 1;
    if (x->n_noted < x->n) x->asked = ++f->read_clock;
    while (x->n_noted < x->n) note_member(f, x, x->n_noted++);
    if (members & ~x->read_arrays) return false;
    for (uint32_t i = 0; members && i < n->n_args; i++) members &= ~readers_below(f, x, n->args[i]);
    return !members;
}

/* Are both put together of parts that are walked by the same loops: the real and the imaginary parts of a
 * stage of a Fourier transform, say, which are made of the same sums? */
static bool parts_alike(const GraphFusion *f, const Node *x, const Node *y)
{
    if (x->op != y->op || x->n_args != y->n_args || x->attr[0] != y->attr[0]) return false;
    for (uint32_t i = 0; i < x->n_args; i++)
        if (!shape_equal(graph_type(f->g, x->args[i]), graph_type(f->g, y->args[i]))) return false;
    return true;
}

/* Is it a product, perhaps in another order, and nothing else? Each has loops and lanes of its own. */
static bool is_bare_product(const GraphFusion *f, Ref r)
{
    Ref side[2];
    while (op_kind((Op)f->g->nodes[r].op) == OPKIND_SHAPE && f->g->nodes[r].n_args == 1 &&
           !fuse_has_memory(f, f->g->nodes[r].args[0]))
        r = f->g->nodes[r].args[0];
    return fuse_sums_products(f, r, side);
}

static bool is_root(const GraphFusion *f, Ref r)
{
    return f->used[r] && f->plan[r].materialized && !f->plan[r].round.kernel && !fuse_is_whole(f, r) &&
           !fuse_is_whole_result(f, r);
}

static bool is_result(const GraphFusion *f, Ref r) { return f->g->nodes[r].op == OP_RESULT; }

/* May q have its loops with r, or with any other that does? */
static bool may_share_loops(GraphFusion *f, Ref r, Ref q)
{
    if (is_result(f, r) || is_result(f, q))
        return is_result(f, r) && is_result(f, q) && f->g->nodes[r].args[0] == f->g->nodes[q].args[0];
    if ((f->g->nodes[r].op == OP_CONCATENATE || f->g->nodes[q].op == OP_CONCATENATE) &&
        !parts_alike(f, &f->g->nodes[r], &f->g->nodes[q]))
        return false;
    return shape_equal(space(f, r), space(f, q)) && !is_bare_product(f, r) && !is_bare_product(f, q);
}

static bool may_join(GraphFusion *f, Group *group, Ref q)
{
    Ref first = group->of[0];
    uint32_t part = f->plan[q].part;
    if (!is_root(f, q) || q == first || part != f->plan[first].part) return false;
    if ((group->lanes | f->lanes_of_folds[q]) == (LANES_ALONG | LANES_ACROSS) && !is_result(f, q))
        return false;
    /* No kernel has to run both after and before the joined one. */
    return may_share_loops(f, first, q) && !fuse_group_needs(f, group, q) &&
           (part || is_result(f, q) || share_arrays(f, group, q)) &&
           (f->rank[q] < group->low || !fuse_needs(f, &q, 1, group->of, group->n));
}

/* ---- a round ---- */

/* A node that becomes steps takes its turn among the kernels. */
static void make_steps(GraphFusion *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    Made *m = fuse_add_made(f);
    *m = (Made){ .steps = r };
    m->loads = arena_alloc(f->arena, (n->n_args + 1) * sizeof *m->loads);
    for (int64_t start; m->n_loads < n->n_args; m->n_loads++)
        m->loads[m->n_loads] = fuse_viewed(f, n->args[m->n_loads], &start);
    fuse_note_needs(f, m->loads, m->n_loads);
    fuse_provide_results(f, r);
}

/* So many kernels for the same nodes, one behind the other. */
static void make_kernels(GraphFusion *f, Roots roots, uint32_t n)
{
    for (roots.n_kernels = n; roots.which < n; roots.which++) {
        fuse_make_kernel(f, &roots);
        roots.previous = f->round.n_made;
    }
}

static void make_own_kernels(GraphFusion *f, Ref r)
{
    Buffer temps[MAX_OWN_TEMPS];
    OwnKernels *own = arena_alloc(f->arena, sizeof *own);
    *own = own_kernels_of(f->g, f->target, r, temps);
    for (uint32_t i = 0; i < own->n_temps; i++) {
        temps[i].kind = BUF_TEMP;
        own->temp[i] = fuse_new_buffer(f, temps[i]);
    }
    make_kernels(f, (Roots){ .ref = &r, .n = 1, .pack = { .node = REF_NONE }, .own = own }, own->n_kernels);
    fuse_provide_results(f, r);
}

/* A concatenation of many has a kernel for so many of its operands; what joins it is cut alike. */
static uint32_t kernels_of(const Node *n)
{
    return n->op == OP_CONCATENATE ? (n->n_args + MAX_CONCATENATED - 1) / MAX_CONCATENATED : 1;
}

static void join(GraphFusion *f, Group *group, Ref q)
{
    if (!may_join(f, group, q)) return;
    group->lanes |= f->lanes_of_folds[q];
    fuse_join_group(f, group, q);
}

/* A kernel for r and what may join it: nothing that one of them needs; of a part, whatever may. */
static void make_joined(GraphFusion *f, Ref r, uint32_t farthest)
{
    Group group = { .number = ++f->read_clock, .lanes = f->lanes_of_folds[r] };
    uint32_t part = f->plan[r].part, to = part * f->part_size;
    Ref last = r - (r < farthest ? r : farthest);
    fuse_join_group(f, &group, r);
    for (Ref q = r; !part && q-- > last && group.n < MAX_JOINED;) join(f, &group, q);
    if (to > f->n_parted) to = f->n_parted;
    for (uint32_t i = to; part && i-- > (part - 1) * f->part_size;) join(f, &group, f->parted[i]);
    make_kernels(f, (Roots){ .ref = group.of, .n = group.n, .pack = { .node = REF_NONE } },
                 kernels_of(&f->g->nodes[r]));
}

static void begin_round(GraphFusion *f)
{
    Round *x = &f->round;
    arena_release(f->arena, f->empty);
    *x = (Round){
        .wanted = x->wanted, .given = x->given, .given_for = x->given_for, .cap_wanted = x->cap_wanted
    };
    memset(f->needed_by, 0, f->g->n_nodes * sizeof *f->needed_by);
    fuse_begin_order(f);
    fuse_refresh_facts(f);
    fuse_assign_places(f);
}

/* All kernels, with what has memory now. */
static void make_all(GraphFusion *f)
{
    uint32_t n_roots = 0;
    begin_round(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) n_roots += f->used[r] && f->plan[r].materialized;
    for (Ref r = f->g->n_nodes; r-- > 0;) {
        if (!f->used[r] || f->plan[r].round.kernel) continue;
        if (f->computed[r] == COMPUTED_BY_STEPS) make_steps(f, r);
        else if (f->computed[r] == COMPUTED_BY_KERNELS) make_own_kernels(f, r);
        else if (is_root(f, r)) {
            bool many = n_roots + f->round.n_given > MANY_ROOTS;
            make_joined(f, r, many ? NEAR_JOINED : FARTHEST_JOINED);
        }
    }
}

/* ---- a graph, a program ---- */

static double fused_bytes(const GraphFusion *f)
{
    double bytes = 0;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        OpKind kind = op_kind((Op)n->op);
        if (!f->used[r] || fuse_has_memory(f, r) || kind == OPKIND_LEAF || kind == OPKIND_SHAPE ||
            kind == OPKIND_OTHER || kind == OPKIND_MATRIX || fuse_is_whole(f, r))
            continue;
        bytes += (double)type_count(node_type(n)) * (double)dtype_bytes((DType)n->dtype);
    }
    return bytes;
}

/* A loop may run more often than there are numbers. */
static int64_t whole_number(double x) { return x < 0x1p62 ? (int64_t)x : (int64_t)1 << 62; }

static void alloc_state(GraphFusion *f)
{
    size_t n = f->g->n_nodes + 1;
    Round *x = &f->round;
    f->plan = arena_alloc(f->arena, n * sizeof *f->plan);
    f->computed = arena_alloc(f->arena, n * sizeof *f->computed);
    f->used = arena_alloc(f->arena, n);
    f->uses = arena_alloc(f->arena, n * sizeof *f->uses);
    f->lanes_of_folds = arena_alloc(f->arena, n);
    f->rank = arena_alloc(f->arena, n * sizeof *f->rank);
    f->at = arena_alloc(f->arena, n * sizeof *f->at);
    f->placed_by = arena_alloc(f->arena, n * sizeof *f->placed_by);
    f->needed_by = arena_alloc(f->arena, n * sizeof *f->needed_by);
    f->read_by = arena_alloc(f->arena, n * sizeof *f->read_by);
    f->stamp = arena_alloc(f->arena, n * sizeof *f->stamp);
    f->stack = arena_alloc(f->arena, n * sizeof *f->stack);
    x->cap_wanted = f->g->n_nodes + 64;
    x->wanted = arena_alloc(f->arena, x->cap_wanted * sizeof(Ref));
    x->given = arena_alloc(f->arena, x->cap_wanted * sizeof(Ref));
    x->given_for = arena_alloc(f->arena, x->cap_wanted * sizeof *x->given_for);
}

void fuse_graph(Fusion *x, const Graph *g, const Place *params, const Place *outs)
{
    ArenaMark before = arena_mark(x->rounds);
    GraphFusion f = { .arena = x->rounds,
                      .fusion = x,
                      .g = g,
                      .target = x->target,
                      .program = x->program,
                      .params = params,
                      .outs = outs,
                      .memory_clock = 1,
                      .first_buffer = x->program->n_buffers,
                      .first_const = x->program->n_consts };
    alloc_state(&f);
    for (Ref r = 0; r < g->n_nodes; r++)
        f.computed[r] = steps_compute(g, r)     ? COMPUTED_BY_STEPS
                        : has_own_kernels(g, r) ? COMPUTED_BY_KERNELS
                                                : COMPUTED_AT_POINTS;
    mark_used(&f);
    fuse_choose_memory(&f);
    f.empty = arena_mark(f.arena);
    for (int round = 1;; round++) {
        make_all(&f);
        if (round == MAX_ROUNDS || !fuse_choose_again(&f, round < MAX_ROUNDS - 1)) break;
    }
    x->program->fused_bytes = whole_number((double)x->program->fused_bytes + x->runs * fused_bytes(&f));
    uint32_t first_step = x->program->n_steps;
    fuse_emit_all(&f);
    fuse_update_in_place(&f, first_step);
    arena_release(x->rounds, before);
}

/* Buffers for the whole of values of these types. */
static Place *bind(Arena *arena, Program *p, const Graph *g, const Ref *refs, uint32_t n, BufferKind kind)
{
    Place *places = arena_alloc(arena, (n + 1) * sizeof *places);
    for (uint32_t i = 0; i < n; i++) {
        Buffer b = fuse_buffer_of(graph_type(g, refs[i]), kind, i);
        places[i] = (Place){ .kind = PLACE_BUFFER, .buffer = program_add_buffer(p, b) };
    }
    return places;
}

Program *fuse(Arena *arena, const Graph *g, const Target *target, NumericMode mode, uint64_t donated)
{
    assert(!planes_in_graph(g) && "planes() makes real numbers of complex ones before");
    Program *p = arena_alloc(arena, sizeof *p);
    Fusion x = { .arena = arena,
                 .rounds = arena_within(arena),
                 .kernels = arena_within(arena),
                 .tries = arena_within(arena),
                 .program = p,
                 .target = target,
                 .runs = 1 };
    *p = (Program){ .arena = arena,
                    .name = g->name ? g->name : "main",
                    .mode = mode,
                    .n_inputs = g->n_params,
                    .n_outputs = g->n_outputs };
    const Place *params = bind(arena, p, g, g->params, g->n_params, BUF_INPUT),
                *outs = bind(arena, p, g, g->outputs, g->n_outputs, BUF_OUTPUT);
    fuse_graph(&x, g, params, outs);
    arena_free(x.rounds);
    arena_free(x.kernels);
    arena_free(x.tries);
    alias_outputs(p, donated);
    fuse_finish(p, target);
    plan_buffers(arena, p);
    return p;
}
