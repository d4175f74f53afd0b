/* fuse.c: from graph to fused program.
 *
 * Which nodes get memory? The outputs; everything else is computed where it is used (point.c), unless one of these rules says that memory is better:
 *   - a reduction would be evaluated more often than it has elements (its consumer repeats it along an axis it does not have);
 *   - an expensive element (cost >= 8: a division is 4, a math function 12 or more) would be evaluated at least 4 times;
 *   - a chain of ops has grown to MAX_LEVELS: code generation is superlinear in the size of a basic block.
 *   - an element is wanted at many different indices, or the kernel has grown too large (point.h).
 * Kernels are built from the last node to the first; a node that a rule names becomes a load there and then, and its own kernel is built when its turn
 * comes. The whole is built again, with these nodes known from the start, until no rule has anything new to say; rounds are bounded, for each is right.
 *
 * Which nodes share a kernel? One kernel per node with memory, built from the last node to the first. Two things join kernels: an output that another
 * kernel computes at all its points anyway is stored there in passing; and kernels over the same index space that read a common array and do not depend on
 * each other become one.
 *
 * Within a kernel, a value that loops after one another need is stored in a row buffer by the first, if computing it again costs more than a load or
 * might round differently (a multiply that one copy fuses with an add and the other does not).
 */
#include "fuse.h"
#include "control.h"
#include "plan.h"
#include "schedule.h"
#include "point_parts.h"
#include "special.h"
#include <stdio.h>
#include <string.h>

enum { MAX_LEVELS = 200, MAX_DEPTH = 64, MAX_ROUNDS = 6, MAX_ROWS = 8, MAX_JOINED = 16, MAX_ROOTS_TO_JOIN = 64 };
static const float EXPENSIVE_ROW = 4;

/* A kernel made: the nodes it loads and stores, and the numbers of the kernel whose packed copy it reads and of another that comes before it (0: none).
 * Or, in a kernel's place, a node of control flow, whose kernels and steps are made when their turn to run comes. */
typedef struct Made {
    Kernel kernel;
    Ref *loads; uint32_t n_loads;
    Ref *stores; uint32_t n_stores;
    uint32_t packing, previous;
    Ref control;
    ProgramStep *calls; uint32_t n_calls;   /* library calls after the kernel */
} Made;
typedef struct Packed { Ref node; const int64_t *perm; uint32_t buffer, kernel; } Packed;

typedef struct Wanted { Ref *refs; uint32_t n, capacity; bool news; } Wanted;  /* nodes to have memory in the next round; news: some got it in this one */

typedef struct Fuser {
    Arena *arena;
    Fusion *whole;
    const Place *params, *outs;             /* memory of the graph's parameters and outputs */
    uint32_t first_buffer, first_const;     /* of the program, when this graph's turn came */
    const Graph *g;
    const Target *target;
    Program *program;
    NodePlan *plan;
    bool *used;                             /* reached from the outputs */
    uint32_t *uses;                         /* by how many operands and outputs */
    Made *made;     uint32_t n_made, cap_made;      /* kernel number - 1 */
    Packed *packed; uint32_t n_packed, cap_packed;
    bool *after;    uint32_t cap_after;
    uint32_t *stamp, clock;                 /* scratch of walks */
    Ref *stack;
} Fuser;

/* ---- facts about nodes ---- */

/* Is r a node whose kernels are not made point by point? */
static bool is_unit(const Graph *g, Ref r) { return is_control(g, r) || is_special(g, r); }
static bool is_unit_result(const Graph *g, Ref r) { return g->nodes[r].op == OP_RESULT && is_unit(g, g->nodes[r].args[0]); }

static void mark_used(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        if (f->outs[i].kind == PLACE_NONE) continue;
        f->used[f->g->outputs[i]] = true;
        f->uses[f->g->outputs[i]]++;
    }
    for (Ref r = f->g->n_nodes; r-- > 0; )
        for (uint32_t i = 0; f->used[r] && i < f->g->nodes[r].n_args; i++) {
            f->used[f->g->nodes[r].args[i]] = true;
            f->uses[f->g->nodes[r].args[i]]++;
        }
}

static void give_memory(Fuser *f, Ref r)
{
    f->plan[r].materialized = true;
    f->plan[r].in_passing = false;
}

static bool has_memory(const Fuser *f, Ref r)
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
        if (is_unit_result(f->g, r) || (is_unit(f->g, r) && n->n_results == 1)) give_memory(f, r);
        for (uint32_t i = 0; is_control(f->g, r) && i < n->n_args; i++)
            if (f->g->nodes[n->args[i]].op != OP_CONSTANT && f->g->nodes[n->args[i]].op != OP_PARAMETER && !counts_steps(f->g, n, i)) give_memory(f, n->args[i]);
    }
}

/* A map or a choice with loops in it is run once, however many want its results. */
static void give_loops_memory(Fuser *f)
{
    uint32_t *users = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *users);
    for (Ref r = 0; r < f->g->n_nodes; r++)
        for (uint32_t i = 0; f->used[r] && i < f->g->nodes[r].n_args; i++) users[f->g->nodes[r].args[i]]++;
    for (uint32_t i = 0; i < f->g->n_outputs; i++) users[f->g->outputs[i]]++;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        Ref x = n->op == OP_RESULT ? n->args[0] : r;
        bool loops = f->g->nodes[x].n_regions && !op_folds((Op)f->g->nodes[x].op) && point_levels(&f->g->nodes[x]);
        if (f->used[r] && loops && f->g->nodes[r].n_results == 1 && (users[r] > 1 || users[x] > 1)) give_memory(f, r);
    }
}

/* Long chains are cut: what stands MAX_LEVELS above memory gets memory. */
static void cut_chains(Fuser *f)
{
    uint16_t *level = arena_alloc(f->arena, (f->g->n_nodes + 1) * sizeof *level);
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || has_memory(f, r)) continue;
        for (uint32_t i = 0; i < n->n_args; i++) if (level[n->args[i]] >= level[r]) level[r] = (uint16_t)(level[n->args[i]] + 1);
        if (level[r] < MAX_LEVELS || n->n_results > 1) continue;
        f->plan[r].materialized = true;
        level[r] = 0;
    }
}

/* depth, cost and contraction of what is fused into each node, given who has memory; what is too deep gets memory. */
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
        p->points = 0;
        if (!f->used[r]) continue;
        bool multiply = false;
        for (uint32_t i = 0; i < n->n_args; i++) {
            const NodePlan *a = &f->plan[n->args[i]];
            bool leaf = has_memory(f, n->args[i]) && !a->in_passing;
            if (leaf) continue;
            p->depth = point_deeper(n, p->depth, a->depth);
            p->cost += a->cost;
            p->contracts |= a->contracts;
            multiply |= f->g->nodes[n->args[i]].op == OP_MUL;
        }
        if (p->depth >= MAX_DEPTH && n->n_results <= 1 && !has_memory(f, r)) p->materialized = true;
        p->depth += point_levels(n);
        if (op_folds((Op)n->op)) { p->cost = 0; p->contracts = false; }
        p->cost += point_cost(n);
        p->contracts |= n->n_regions > 0 || (multiply && (n->op == OP_ADD || n->op == OP_SUB));
        /* What is spread over many elements is computed once for all of them, outside of their loop. */
        if (n->op == OP_BROADCAST && 4 * type_count(graph_type(f->g, n->args[0])) <= type_count(node_type(n))) { p->cost = 0; p->contracts = false; }
        if (p->cost > 1e6f) p->cost = 1e6f;
    }
}

/* ---- buffers ---- */

static uint32_t new_buffer(Fuser *f, Buffer b) { return program_add_buffer(f->arena, f->program, b); }

static Buffer buffer_of(Type t, BufferKind kind, uint32_t index)
{
    return (Buffer){ .kind = (uint8_t)kind, .dtype = t.dtype, .index = index, .count = type_count(t) };
}

static bool is_whole(const Program *p, Place x, Type t)
{
    return x.kind == PLACE_BUFFER && !x.base.n_terms && !x.base.offset && p->buffers[x.buffer].count == type_count(t);
}

static void also_at(Fuser *f, NodePlan *p, Place place)
{
    Place *all = arena_alloc(f->arena, (p->n_also + 1) * sizeof *all);
    if (p->n_also) memcpy(all, p->also, p->n_also * sizeof *all);
    all[p->n_also++] = place;
    p->also = all;
}

/* The first output that a node is is its memory; it is stored at the others, too. Those that are inputs or constants are copied in the end. */
static void assign_outputs(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = f->g->outputs[i];
        NodePlan *p = &f->plan[r];
        const Node *n = &f->g->nodes[r], *unit = n->op == OP_RESULT ? &f->g->nodes[n->args[0]] : n;
        if (f->outs[i].kind == PLACE_NONE || n->op == OP_CONSTANT || n->op == OP_PARAMETER) continue;
        bool whole = is_special(f->g, n->op == OP_RESULT ? n->args[0] : r) && special_of(f->g, (Ref)(unit - f->g->nodes)).whole_results;
        if (p->place.kind == PLACE_NONE && whole && !is_whole(f->program, f->outs[i], node_type(n))) p->place = place_temporary(f->arena, f->program, node_type(n));
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
        if (is_unit(f->g, r)) f->plan[r].results = results[r] = arena_alloc(f->arena, (n->n_results + 1) * sizeof **results);
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
            if (results[r][i].kind == PLACE_NONE) results[r][i] = place_temporary(f->arena, f->program, node_result(&f->g->nodes[r], i));
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
        if (!f->used[r] || f->plan[r].place.kind != PLACE_NONE || !has_memory(f, r) || n->op == OP_PARAMETER) continue;
        if (n->op != OP_CONSTANT) { f->plan[r].place = place_temporary(f->arena, p, node_type(n)); continue; }
        Buffer b = buffer_of(node_type(n), BUF_CONST, p->n_consts++);
        b.data = n->data;
        f->plan[r].place = (Place){ .kind = PLACE_BUFFER, .buffer = new_buffer(f, b) };
    }
    assign_results(f);
}

/* ---- one kernel ---- */

static uint16_t vector_lanes(const Fuser *f, const Ref *roots, uint32_t n)
{
    size_t bytes = 1;
    uint32_t top = 0;
    f->stamp[roots[0]] = ((Fuser *)f)->clock = f->clock + 1;
    f->stack[top++] = roots[0];
    for (uint32_t i = 1; i < n; i++) if (f->stamp[roots[i]] != f->clock) { f->stamp[roots[i]] = f->clock; f->stack[top++] = roots[i]; }
    while (top) {
        Ref r = f->stack[--top];
        const Node *x = &f->g->nodes[r];
        size_t size = dtype_is_narrow_float((DType)x->dtype) ? 4 : dtype_bytes((DType)x->dtype);
        if (size > bytes && (x->rank || size < 8)) bytes = size;
        if (has_memory(f, r) && f->plan[r].kernel != f->n_made + 1) continue;
        for (uint32_t i = 0; i < x->n_args; i++) {
            if (f->stamp[x->args[i]] == f->clock) continue;
            f->stamp[x->args[i]] = f->clock;
            f->stack[top++] = x->args[i];
        }
    }
    return (uint16_t)(f->target->vector_bytes / bytes);
}

/* What one kernel is for: nodes; or one node with rules of its own, and the number of the kernel; or a packed copy. */
typedef struct Roots { const Ref *ref; uint32_t n; Packing pack; uint32_t pack_buffer; const Special *special; uint32_t which; } Roots;

/* What note_row wrote down is of this kernel's statements: no other may see it. */
static void forget_rows(Fuser *f, Build *b)
{
    for (uint32_t i = 0; i < b->n_noted; i++) {
        NodePlan *p = &f->plan[b->noted[i]];
        p->row_loop = VAL_NONE;
        p->row_wanted = false;
        p->row_at = NULL;
    }
    b->n_noted = 0;
}

static void build_reset(Fuser *f, Build *b, const Roots *roots)
{
    for (uint32_t i = 0; i < b->n_stored; i++) f->plan[b->stored[i]].kernel = 0;
    forget_rows(f, b);
    for (uint32_t i = 0; i < b->n_accesses; i++) f->plan[b->accesses[i].node].loaded_by = 0;
    for (uint32_t i = 0; i < b->n_touched; i++) f->plan[b->touched[i]].points = 0;
    b->n_touched = b->n_stored = b->n_wanted = b->n_accesses = b->memo_used = b->memo_size = 0;
    b->memos = NULL;
    b->needs_rows = false;
    nest_init(&b->nest, f->arena);
    for (uint32_t i = 0; i < roots->n; i++) f->plan[roots->ref[i]].kernel = b->number;
}

static void emit_root(Build *b, Ref ref, Val *loops, int *n_loops)
{
    Type t = graph_type(b->graph, ref);
    bool joined[WEFT_MAX_RANK + 1] = { false };
    Address *at = arena_alloc(b->arena, ((size_t)t.rank + 1) * sizeof *at);
    *n_loops = 0;
    if (type_count(t) == 0) { point_provides(b, ref); return; }
    for (int d = 0; d + 1 < t.rank; d++) joined[d] = point_collapses(b, ref, d);
    uint32_t block = point_loops(b, t, joined, b->plan[ref].depth, at, loops, n_loops);
    point_store(b, ref, at, point_value(b, ref, at, VAL_NONE, block), block);
}

/* A concatenation with memory is one loop nest per operand, each storing its part. */
static void emit_concatenation(Build *b, Ref ref)
{
    const Node *n = &b->graph->nodes[ref];
    int64_t axis = n->attr[0], start = 0;
    for (uint32_t k = 0; k < n->n_args; k++) {
        Ref part = n->args[k];
        Type t = graph_type(b->graph, part);
        bool joined[WEFT_MAX_RANK + 1] = { false };
        Val loops[WEFT_MAX_RANK + 1];
        int n_loops;
        Address *at = arena_alloc(b->arena, ((size_t)t.rank + 1) * sizeof *at), *to;
        if (type_count(t) > 0) {
            for (int d = 0; d + 1 < t.rank; d++) joined[d] = d != axis - 1 && d + 1 != axis - 1 && d >= axis && point_collapses(b, part, d);
            uint32_t block = point_loops(b, t, joined, b->plan[ref].depth, at, loops, &n_loops);
            to = arena_copy(b->arena, at, ((size_t)t.rank + 1) * sizeof *to);
            to[axis] = address_add(b->arena, to[axis], address_number(start));
            point_store(b, ref, to, point_value(b, part, at, VAL_NONE, block), block);
        }
        start += t.dim[axis];
    }
    if (n->dim[axis] == 0 || !b->n_stored) point_provides(b, ref);
}

/* The copy of a leaf with its axes permuted: its own loops in the copy's order, but the leaf's last axis next to innermost, so that squares fit registers. */
static void emit_packing(Build *b, const Roots *roots)
{
    Type t = graph_type(b->graph, roots->pack.node);
    int64_t dim[WEFT_MAX_RANK];
    int order[WEFT_MAX_RANK], n = 0;
    Address at[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    for (int d = 0; d < t.rank; d++) dim[d] = t.dim[roots->pack.perm[d]];
    for (int d = 0; d + 1 < t.rank; d++) if (roots->pack.perm[d] != t.rank - 1) order[n++] = d;
    for (int d = 0; d + 1 < t.rank; d++) if (roots->pack.perm[d] == t.rank - 1) order[n++] = d;
    order[n++] = t.rank - 1;
    uint32_t block = 0;
    for (int k = 0; k < n; k++) {
        int d = order[k];
        to[d] = address_number(0);
        if (dim[d] > 1) {
            LoopShape s = { .extent = dim[d], .lanes = k == n - 1 ? b->schedule.lanes : 1, .tile = k == n - 2 ? b->schedule.lanes : 1, .parallel = k == 0 };
            Val loop = nest_loop(&b->nest, block, 0, s, false);
            to[d] = address_of(b->arena, loop, 1);
            block = nest_body(&b->nest, loop);
        }
        at[roots->pack.perm[d]] = to[d];
    }
    Val v = point_value(b, roots->pack.node, at, VAL_NONE, block);
    nest_store(&b->nest, block, roots->pack_buffer, point_address(b, (Type){ t.dtype, t.rank, dim }, to), v, VAL_NONE);
}

static void build_once(Fuser *f, Build *b, const Roots *roots, Val *loops, int *n_loops)
{
    build_reset(f, b, roots);
    *n_loops = 0;
    if (roots->pack.node != REF_NONE) { emit_packing(b, roots); return; }
    if (roots->special) { special_kernel(b, roots->ref[0], roots->special, roots->which); return; }
    for (uint32_t i = 0; i < roots->n; i++) {
        Val mine[WEFT_MAX_RANK + 1];
        int n = 0;
        if (f->g->nodes[roots->ref[i]].op == OP_CONCATENATE) emit_concatenation(b, roots->ref[i]);
        else emit_root(b, roots->ref[i], mine, &n);
        if (n >= *n_loops) { memcpy(loops, mine, (size_t)n * sizeof *loops); *n_loops = n; }
    }
}

/* The last node evaluated in sibling loops for which a row buffer pays; REF_NONE: none. */
static Ref row_candidate(const Fuser *f, const Build *b)
{
    Ref best = REF_NONE;
    for (uint32_t i = 0; i < b->n_noted; i++) {
        Ref r = b->noted[i];
        const NodePlan *p = &f->plan[r];
        bool folds = op_folds((Op)f->g->nodes[r].op) || f->g->nodes[r].op == OP_RESULT;
        if (!p->row_wanted || p->row_of == b->number || folds || !(p->cost >= EXPENSIVE_ROW || p->contracts)) continue;
        if (nest_in_tile(&b->nest, b->nest.placed[p->row_loop].block)) continue;
        if (best == REF_NONE || r > best) best = r;
    }
    return best;
}

/* A fold that several loops of a row need gets memory: as a kernel of its own it is tiled better than as part of a row. */
static void want_folds(const Fuser *f, const Build *b, Wanted *wanted)
{
    for (uint32_t i = 0; i < b->n_noted; i++) {
        Ref r = b->noted[i];
        bool folds = op_folds((Op)f->g->nodes[r].op) || f->g->nodes[r].op == OP_RESULT;
        if (f->plan[r].row_wanted && folds && !f->plan[r].materialized && wanted->n < wanted->capacity) wanted->refs[wanted->n++] = r;
    }
}

static void add_row_buffers(Fuser *f, Build *b, const Roots *roots, Val *loops, int *n_loops)
{
    for (int k = 0; k < MAX_ROWS; k++) {
        Ref r = row_candidate(f, b);
        if (r == REF_NONE) return;
        NodePlan *p = &f->plan[r];
        Buffer buffer = { .kind = BUF_LOCAL, .dtype = f->g->nodes[r].dtype, .count = b->nest.stmts[p->row_loop].extent };
        p->row_of = b->number;
        p->row_buffer = new_buffer(f, buffer);
        build_once(f, b, roots, loops, n_loops);
    }
}

static const Packed *make_packing(Fuser *f, Packing p);

static Made *add_made(Fuser *f)
{
    if (f->n_made == f->cap_made) f->made = arena_grow(f->arena, f->made, f->n_made, &f->cap_made, f->n_made + 1, sizeof *f->made);
    return &f->made[f->n_made++];
}

/* The kernel, or what stands in its place, that was made last provides all results of a node. */
static void unit_provides(Fuser *f, Ref unit)
{
    Made *m = &f->made[f->n_made - 1];
    uint32_t n = 0;
    Ref *stores = arena_alloc(f->arena, (f->uses[unit] + m->n_stores + 1) * sizeof *stores);
    f->plan[unit].kernel = f->n_made;
    stores[n++] = unit;
    for (Ref r = unit + 1; r < f->g->n_nodes && f->g->nodes[unit].n_results > 1; r++) {
        if (f->g->nodes[r].op != OP_RESULT || f->g->nodes[r].args[0] != unit || !f->used[r]) continue;
        f->plan[r].kernel = f->n_made;
        stores[n++] = r;
    }
    for (uint32_t i = 0; i < m->n_stores; i++) stores[n++] = m->stores[i];
    m->stores = stores;
    m->n_stores = n;
}

static void note_kernel(Fuser *f, Build *b, const Roots *roots)
{
    Made *m = add_made(f);
    const Node *n = &f->g->nodes[roots->pack.node != REF_NONE ? roots->pack.node : roots->ref[0]];
    char shape[128];
    int len = 0;
    shape[0] = 0;
    for (int d = 0; d < n->rank && len < 100; d++) len += snprintf(shape + len, sizeof shape - (size_t)len, "%s%lld", d ? "x" : "_", (long long)n->dim[d]);
    char lower[32];
    const char *name = roots->pack.node != REF_NONE ? "PACK" : op_info[n->op].name;
    for (uint32_t i = 0; i < sizeof lower; i++) {
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
        if (!name[i]) break;
    }
    *m = (Made){ .control = REF_NONE, .kernel = { .name = arena_printf(f->arena, "%s%s", lower, shape) } };
    nest_flatten(&b->nest, &m->kernel);
    m->stores = b->stored;
    m->n_stores = b->n_stored;
    m->loads = arena_alloc(f->arena, (b->n_accesses + 1) * sizeof *m->loads);
    for (uint32_t i = 0; i < b->n_accesses; i++) m->loads[m->n_loads++] = b->accesses[i].node;
    if (!roots->special) return;
    m->calls = arena_alloc(f->arena, MAX_SPECIAL_CALLS * sizeof *m->calls);
    m->n_calls = special_calls(b, roots->ref[0], roots->special, roots->which, m->calls);
}

/* Does the kernel load node r, or one of its results? */
static bool loads(const Fuser *f, const Made *m, Ref r)
{
    for (uint32_t i = 0; i < m->n_loads; i++) {
        const Node *n = &f->g->nodes[m->loads[i]];
        if (m->loads[i] == r || (n->op == OP_RESULT && n->args[0] == r)) return true;
    }
    return false;
}

/* after[k]: kernel k loads one of these nodes, or something stored by a kernel that does, or runs behind such a kernel. */
static void find_after(Fuser *f, const Ref *roots, uint32_t n)
{
    if (f->cap_after < f->n_made + 2) {
        f->cap_after = 2 * (f->n_made + 2);
        f->after = arena_alloc(f->arena, f->cap_after * sizeof *f->after);
    }
    memset(f->after, 0, f->cap_after * sizeof *f->after);
    for (bool more = true; more; ) {
        more = false;
        for (uint32_t k = 0; k < f->n_made; k++) {
            const Made *m = &f->made[k];
            bool is = f->after[k + 1];
            for (uint32_t i = 0; i < n && !is; i++) is = loads(f, m, roots[i]);
            for (uint32_t i = 0; i < m->n_loads && !is; i++) is = f->plan[m->loads[i]].kernel && f->after[f->plan[m->loads[i]].kernel];
            is |= (m->previous && f->after[m->previous]) || (m->packing && f->after[m->packing]);
            more |= is && !f->after[k + 1];
            f->after[k + 1] = is;
        }
    }
}

/* Does the kernel load what only kernels have that wait for it? It stores in passing what they load. */
static bool closes_circle(Fuser *f, const Build *b)
{
    find_after(f, b->stored, b->n_stored);
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        uint32_t by = f->plan[b->accesses[i].node].kernel;
        if (by && by != b->number && f->after[by]) return true;
    }
    return false;
}

static bool is_among(const Roots *roots, Ref r)
{
    for (uint32_t i = 0; i < roots->n; i++) if (roots->ref[i] == r) return true;
    return false;
}

/* Looks at the kernel as built and chooses a better schedule; with lanes elsewhere another fold may be the innermost inside them: another look. */
static void settle_schedule(Fuser *f, Build *b, const Roots *roots, Val *loops, int *n_loops, Packing *packing)
{
    bool plain = true;
    for (int look = 0; look < MAX_SCALAR_FOLDS; look++) {
        Schedule better = schedule_choose(b, loops, *n_loops, packing);
        bool again = !schedule_same(&better, &b->schedule);
        plain &= !again;
        b->schedule = better;
        if (!again) break;
        build_once(f, b, roots, loops, n_loops);
    }
    /* Loops over a row share values only if they have one shape: that of the reductions. */
    if (plain) b->schedule.root_tile = nest_has_reducers(&b->nest) ? (uint16_t)(64 / b->schedule.lanes)
                                                                  : schedule_tile(b, *n_loops ? loops[*n_loops - 1] : VAL_NONE);
    if (b->schedule.root_tile == 0) b->schedule.root_tile = 1;
}

static void make_kernel(Fuser *f, const Roots *roots, Wanted *wanted)
{
    uint32_t packing_kernel = 0;
    Val loops[WEFT_MAX_RANK + 1];
    int n_loops;
    Packing packing = { REF_NONE, NULL };
    Build b = { .arena = f->arena, .graph = f->g, .program = f->program, .target = f->target, .plan = f->plan, .number = f->n_made + 1,
                .packed_node = REF_NONE, .follows = roots->which > 0 };
    find_after(f, roots->ref, roots->n);
    b.after = f->after;
    for (uint32_t i = 0; i < roots->n; i++) f->plan[roots->ref[i]].kernel = b.number;
    const Ref *start = roots->pack.node != REF_NONE ? &roots->pack.node : roots->ref;
    b.schedule = schedule_plain(vector_lanes(f, start, roots->pack.node != REF_NONE ? 1 : roots->n));
    build_once(f, &b, roots, loops, &n_loops);
    if (roots->pack.node == REF_NONE) {
        settle_schedule(f, &b, roots, loops, &n_loops, &packing);
        if (packing.node != REF_NONE) {
            const Packed *copy = make_packing(f, packing);
            b.packed_buffer = copy->buffer;
            b.packed_node = packing.node;
            b.packed_perm = packing.perm;
            packing_kernel = copy->kernel;
            b.number = f->n_made + 1;
            find_after(f, roots->ref, roots->n);
            b.after = f->after;
        }
        build_once(f, &b, roots, loops, &n_loops);
        add_row_buffers(f, &b, roots, loops, &n_loops);
    }
    if (closes_circle(f, &b)) {
        for (uint32_t i = 0; i < b.n_stored; i++) if (f->plan[b.stored[i]].in_passing && !is_among(roots, b.stored[i])) give_memory(f, b.stored[i]);
        if (wanted) wanted->news = true;
        find_after(f, roots->ref, roots->n);
        build_once(f, &b, roots, loops, &n_loops);
    }
    if (wanted) want_folds(f, &b, wanted);
    forget_rows(f, &b);
    for (uint32_t i = 0; i < b.n_touched; i++) f->plan[b.touched[i]].points = 0;
    for (uint32_t i = 0; i < b.n_wanted; i++) give_memory(f, b.wanted[i]);
    if (wanted) wanted->news |= b.n_wanted > 0;
    note_kernel(f, &b, roots);
    f->made[f->n_made - 1].packing = packing_kernel;
}

static const Packed *make_packing(Fuser *f, Packing p)
{
    Type t = graph_type(f->g, p.node);
    for (uint32_t i = 0; i < f->n_packed; i++)
        if (f->packed[i].node == p.node && !memcmp(f->packed[i].perm, p.perm, t.rank * sizeof *p.perm)) return &f->packed[i];
    if (f->n_packed == f->cap_packed)
        f->packed = arena_grow(f->arena, f->packed, f->n_packed, &f->cap_packed, f->n_packed + 1, sizeof *f->packed);
    uint32_t buffer = new_buffer(f, buffer_of(t, BUF_TEMP, 0));
    Roots roots = { .pack = p, .pack_buffer = buffer };
    make_kernel(f, &roots, NULL);
    f->packed[f->n_packed] = (Packed){ p.node, p.perm, buffer, f->n_made };
    return &f->packed[f->n_packed++];
}

/* ---- joining kernels ---- */

/* Does `from` depend on `to`? */
static bool reaches(Fuser *f, Ref from, Ref to)
{
    uint32_t top = 0;
    f->clock++;
    f->stack[top++] = from;
    while (top) {
        Ref r = f->stack[--top];
        if (r == to) return true;
        for (uint32_t i = 0; i < f->g->nodes[r].n_args; i++) {
            Ref a = f->g->nodes[r].args[i];
            if (a < to || f->stamp[a] == f->clock) continue;
            f->stamp[a] = f->clock;
            f->stack[top++] = a;
        }
    }
    return false;
}

/* The index space a node's kernel walks: its own, or its operand's if it folds along the innermost axes. */
static Type space(const Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    if (n->op == OP_RESULT) n = &f->g->nodes[n->args[0]];
    return n->op == OP_REDUCE || n->op == OP_REDUCE_REGION ? graph_type(f->g, n->args[0]) : node_type(n);
}

static bool same_shape(Type a, Type b)
{
    return a.rank == b.rank && (a.rank == 0 || !memcmp(a.dim, b.dim, a.rank * sizeof *a.dim));
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
            if (r != (side ? y : x) && has_memory(f, r) && !f->plan[r].in_passing) continue;
            for (uint32_t i = 0; i < n->n_args; i++) {
                Ref a = n->args[i];
                if (f->stamp[a] == mine || f->g->nodes[a].rank == 0) continue;
                found |= side && f->stamp[a] == mine - 1;
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
        bool region = f->g->nodes[r].op == OP_RESULT && f->g->nodes[q].op == OP_RESULT && f->g->nodes[r].args[0] == f->g->nodes[q].args[0];
        if (region) continue;
        if (f->g->nodes[r].op == OP_RESULT || f->g->nodes[q].op == OP_RESULT || f->g->nodes[r].op == OP_CONCATENATE || f->g->nodes[q].op == OP_CONCATENATE) return false;
        if (f->g->nodes[r].op == OP_DOT || f->g->nodes[q].op == OP_DOT) return false;
        if (!same_shape(space(f, r), space(f, q)) || !share_leaf(f, r, q) || reaches(f, r, q)) return false;
    }
    /* No kernel may have to run both after and before the joined one. */
    for (int side = 0; side < 2; side++) {
        find_after(f, side ? group : &q, side ? n : 1);
        for (uint32_t k = 0; k < f->n_made; k++) {
            if (!f->after[k + 1]) continue;
            for (uint32_t s = 0; s < f->made[k].n_stores; s++) {
                if (side && reaches(f, q, f->made[k].stores[s])) return false;
                for (uint32_t i = 0; !side && i < n; i++) if (reaches(f, group[i], f->made[k].stores[s])) return false;
            }
        }
    }
    return true;
}

/* ---- the program ---- */

void fuse_copy(Fusion *x, Type t, Place from, Place to, const char *name)
{
    int64_t count = type_count(t);
    if (count == 0 || to.kind == PLACE_NONE) return;
    Build b = { .arena = x->arena, .program = x->program, .target = x->target, .packed_node = REF_NONE };
    nest_init(&b.nest, x->arena);
    LoopShape s = { .extent = count, .lanes = (uint16_t)(x->target->vector_bytes / dtype_bytes((DType)t.dtype)), .tile = 4, .parallel = true };
    uint32_t block = 0;
    Address at = address_number(0);
    if (count > 1) {
        Val loop = nest_loop(&b.nest, 0, 0, s, false);
        at = address_of(x->arena, loop, 1);
        block = nest_body(&b.nest, loop);
    }
    Type flat = { t.dtype, 1, &count };
    point_store_to(&b, to, flat, &at, point_load_from(&b, from, flat, &at, VAL_NONE, block, 0), VAL_NONE, block);
    Kernel k = { .name = name };
    nest_flatten(&b.nest, &k);
    fuse_add_kernel(x, k);
}

void fuse_add_step(Fusion *x, ProgramStep s)
{
    Program *p = x->program;
    if (p->n_steps == p->cap_steps) p->steps = arena_grow(x->arena, p->steps, p->n_steps, &p->cap_steps, p->n_steps + 1, sizeof *p->steps);
    if (s.kind == STEP_CALL) p->library |= 1u << s.function;
    p->steps[p->n_steps++] = s;
}

void fuse_note_first(Fusion *x, uint32_t buffer, uint32_t kernel)
{
    if (buffer >= x->cap_first) {
        x->first = arena_grow(x->arena, x->first, x->n_first, &x->cap_first, buffer + 1, sizeof *x->first);
        memset(x->first + x->n_first, 0, (x->cap_first - x->n_first) * sizeof *x->first);
        x->n_first = x->cap_first;
    }
    if (!x->first[buffer] || x->first[buffer] > kernel + 1) x->first[buffer] = kernel + 1;
}

void fuse_add_kernel(Fusion *x, Kernel k)
{
    Program *p = x->program;
    if (p->n_kernels == p->cap_kernels) p->kernels = arena_grow(x->arena, p->kernels, p->n_kernels, &p->cap_kernels, p->n_kernels + 1, sizeof *p->kernels);
    p->kernels[p->n_kernels] = k;
    for (uint32_t i = 0; i < k.n_stmts; i++) if (k.stmts[i].kind == ST_LOAD || k.stmts[i].kind == ST_STORE) fuse_note_first(x, k.stmts[i].buffer, p->n_kernels);
    fuse_add_step(x, (ProgramStep){ .kind = STEP_KERNEL, .kernel = p->n_kernels++ });
}

/* Where steps find an operand: an element for all needs no memory. */
static Place operand_place(const Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    if (n->op == OP_CONSTANT && n->attr[0]) return (Place){ .kind = PLACE_SPLAT, .bits = scalar_load((DType)n->dtype, n->data) };
    if (n->op == OP_IOTA && !f->plan[r].materialized) return (Place){ .kind = PLACE_INDEX };
    return f->plan[r].place;
}

/* Has r memory of its own that one operand of one node reads, and nothing else? */
static bool is_spare(const Fuser *f, Ref r)
{
    const NodePlan *p = &f->plan[r];
    return f->uses[r] == 1 && p->materialized && !p->n_also && !p->results && f->g->nodes[r].op != OP_RESULT && is_whole(f->program, p->place, graph_type(f->g, r))
        && f->program->buffers[p->place.buffer].kind == BUF_TEMP;
}

/* The steps of a node of control flow, and copies of its results that are several outputs. */
static void emit_control(Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    Place *args = arena_alloc(f->arena, (n->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < n->n_args; i++) {
        args[i] = operand_place(f, n->args[i]);
        args[i].spare = is_spare(f, n->args[i]);
    }
    control_steps(f->whole, f->g, r, args, f->plan[r].results);
}

static void emit_also(Fuser *f, Ref unit)
{
    for (Ref r = unit; r < (f->g->nodes[unit].n_results > 1 ? f->g->n_nodes : unit + 1); r++) {
        const NodePlan *p = &f->plan[r];
        if (!f->used[r] || (r != unit && !(f->g->nodes[r].op == OP_RESULT && f->g->nodes[r].args[0] == unit))) continue;
        for (uint32_t i = 0; i < p->n_also; i++) fuse_copy(f->whole, graph_type(f->g, r), p->place, p->also[i], "copy");
    }
}

static void emit_made(Fuser *f, const Made *m)
{
    if (m->control != REF_NONE) emit_control(f, m->control);
    else fuse_add_kernel(f->whole, m->kernel);
    for (uint32_t i = 0; i < m->n_calls; i++) fuse_add_step(f->whole, m->calls[i]);
    if (m->n_stores && is_unit(f->g, m->stores[0])) emit_also(f, m->stores[0]);
}

/* Outputs that are inputs or constants: copies. */
static void copy_outputs(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = f->g->outputs[i];
        const Node *n = &f->g->nodes[r];
        if (n->op == OP_CONSTANT || n->op == OP_PARAMETER) fuse_copy(f->whole, node_type(n), operand_place(f, r), f->outs[i], "copy");
    }
}

/* Kernels in an order in which everything is stored before it is loaded. They were made from last to first, so the reverse is nearly that. */
static void emit_all(Fuser *f)
{
    uint8_t *state = arena_alloc(f->arena, f->n_made + 1);
    uint32_t *stack = arena_alloc(f->arena, (f->n_made + 1) * sizeof *stack);
    for (uint32_t start = f->n_made; start-- > 0; ) {
        uint32_t top = 0;
        if (state[start]) continue;
        stack[top++] = start;
        while (top) {
            uint32_t k = stack[top - 1], before = UINT32_MAX;
            const Made *m = &f->made[k];
            state[k] = 1;
            for (uint32_t i = 0; i < m->n_loads && before == UINT32_MAX; i++) {
                uint32_t by = f->plan[m->loads[i]].kernel;
                if (by && by - 1 != k && !state[by - 1]) before = by - 1;
            }
            if (m->packing && !state[m->packing - 1]) before = m->packing - 1;
            if (m->previous && !state[m->previous - 1]) before = m->previous - 1;
            if (before != UINT32_MAX) { stack[top++] = before; continue; }
            top--;
            emit_made(f, m);
        }
    }
    copy_outputs(f);
}

/* A node of control flow takes its turn among the kernels. */
static void make_control(Fuser *f, Ref r)
{
    const Node *n = &f->g->nodes[r];
    Made *m = add_made(f);
    *m = (Made){ .control = r };
    m->loads = arena_alloc(f->arena, (n->n_args + 1) * sizeof *m->loads);
    if (n->n_args) memcpy(m->loads, n->args, n->n_args * sizeof *m->loads);
    m->n_loads = n->n_args;
    unit_provides(f, r);
}

static void make_special(Fuser *f, Ref r, Wanted *wanted)
{
    Special *s = arena_alloc(f->arena, sizeof *s);
    *s = special_of(f->g, r);
    for (uint32_t i = 0; i < s->n_temps; i++) {
        s->temps[i].kind = BUF_TEMP;
        s->temp[i] = new_buffer(f, s->temps[i]);
    }
    uint32_t previous = 0;
    for (uint32_t k = 0; k < s->n_kernels; k++) {
        Roots roots = { .ref = &r, .n = 1, .pack = { REF_NONE, NULL }, .special = s, .which = k };
        make_kernel(f, &roots, wanted);
        f->made[f->n_made - 1].previous = previous;
        previous = f->n_made;
    }
    unit_provides(f, r);
}

static bool is_root(const Fuser *f, Ref r)
{
    return f->used[r] && f->plan[r].materialized && !f->plan[r].kernel && !is_unit(f->g, r) && !is_unit_result(f->g, r);
}

/* One round: all kernels under the present marks. */
static void make_all(Fuser *f, Wanted *wanted)
{
    uint32_t n_roots = 0;
    wanted->n = 0;
    wanted->news = false;
    f->n_made = f->n_packed = 0;
    refresh_facts(f);
    assign_places(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) n_roots += f->used[r] && f->plan[r].materialized;
    for (Ref r = f->g->n_nodes; r-- > 0; ) {
        if (!f->used[r] || f->plan[r].kernel) continue;
        if (is_control(f->g, r)) make_control(f, r);
        else if (is_special(f->g, r)) make_special(f, r, wanted);
        if (!is_root(f, r)) continue;
        Ref group[MAX_JOINED] = { r };
        uint32_t n = 1;
        for (Ref q = r; q-- > 0 && n_roots > 1 && n_roots <= MAX_ROOTS_TO_JOIN && n < MAX_JOINED; )
            if (is_root(f, q) && may_join(f, group, n, q)) group[n++] = q;
        Roots roots = { .ref = group, .n = n, .pack = { REF_NONE, NULL } };
        make_kernel(f, &roots, wanted);
    }
}

static double fused_bytes(const Fuser *f)
{
    double bytes = 0;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        OpKind kind = op_kind((Op)n->op);
        if (!f->used[r] || has_memory(f, r) || kind == OPKIND_LEAF || kind == OPKIND_SHAPE || kind == OPKIND_OTHER || is_unit(f->g, r)) continue;
        bytes += (double)type_count(node_type(n)) * (double)dtype_bytes((DType)n->dtype);
    }
    return bytes;
}

/* Elements of each buffer once: as many as it has, or as the loops around the first statement that touches it run. */
static double kernel_bytes(const Program *p, const Kernel *k)
{
    double bytes = 0, runs[MAX_DEPTH] = { 1 };
    int depth = 0;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_LOOP && depth + 1 < MAX_DEPTH) { runs[depth + 1] = runs[depth] * (s->extent > 0 ? (double)s->extent : 1); depth++; }
        if (s->kind == ST_END && depth > 0) depth--;
        if (s->kind != ST_LOAD && s->kind != ST_STORE) continue;
        const Buffer *b = &p->buffers[s->buffer];
        bool again = false;
        for (uint32_t j = 0; j < i && !again; j++) again = k->stmts[j].kind == s->kind && k->stmts[j].buffer == s->buffer;
        if (!again && b->kind != BUF_LOCAL) bytes += ((double)b->count < runs[depth] ? (double)b->count : runs[depth]) * (double)dtype_bytes((DType)b->dtype);
    }
    return bytes;
}

/* Of all runs of each kernel, as far as loops say how often they run. */
static void count_bytes(Program *p)
{
    double *runs = arena_alloc(p->arena, (p->n_steps + 1) * sizeof *runs), now = 1;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        runs[i] = now;
        if (s->kind == STEP_LOOP) now *= (double)s->extent;
        if (s->kind == STEP_END) now = runs[s->opened];
        if (s->kind == STEP_KERNEL) p->kernels[s->kernel].bytes = (int64_t)(now * kernel_bytes(p, &p->kernels[s->kernel]));
    }
}

void fuse_graph(Fusion *x, const Graph *g, const Place *params, const Place *outs)
{
    Arena *arena = x->arena;
    Fuser f = { .arena = arena, .whole = x, .g = g, .target = x->target, .program = x->program, .params = params, .outs = outs,
                .first_buffer = x->program->n_buffers, .first_const = x->program->n_consts };
    f.plan = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.plan);
    f.used = arena_alloc(arena, g->n_nodes + 1);
    f.uses = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.uses);
    f.stamp = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.stamp);
    f.stack = arena_alloc(arena, (2 * (size_t)g->n_nodes + 2) * sizeof *f.stack);
    mark_used(&f);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Ref r = g->outputs[i];
        if (outs[i].kind == PLACE_NONE || g->nodes[r].op == OP_PARAMETER || g->nodes[r].op == OP_CONSTANT) continue;
        f.plan[r].materialized = f.plan[r].in_passing = true;
    }
    give_units_memory(&f);
    give_loops_memory(&f);
    cut_chains(&f);
    Wanted wanted = { .refs = arena_alloc(arena, ((size_t)g->n_nodes + 64) * sizeof(Ref)), .capacity = g->n_nodes + 64 };
    for (int round = 0; round < MAX_ROUNDS; round++) {
        make_all(&f, &wanted);
        if (round == MAX_ROUNDS - 1 || (wanted.n == 0 && !wanted.news)) break;
        for (uint32_t i = 0; i < wanted.n; i++) give_memory(&f, wanted.refs[i]);
    }
    x->program->fused_bytes += (int64_t)(x->runs * fused_bytes(&f));
    emit_all(&f);
}

/* Without kernels in which nothing is left to do; numbers and names of the others. */
static void drop_idle(Program *p)
{
    uint32_t n_kernels = 0, n = 0, *map = arena_alloc(p->arena, (p->n_steps + 1) * sizeof *map);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        ProgramStep s = p->steps[i];
        map[i] = n;
        if (s.kind == STEP_KERNEL && p->kernels[s.kernel].n_stmts == 0) continue;
        if (s.kind == STEP_TEST || s.kind == STEP_BRANCH || s.kind == STEP_END) s.opened = map[s.opened];
        p->steps[n++] = s;
    }
    p->n_steps = n;
    uint32_t *number = arena_alloc(p->arena, (p->n_kernels + 1) * sizeof *number);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        if (p->kernels[k].n_stmts == 0) continue;
        number[k] = n_kernels;
        p->kernels[n_kernels] = p->kernels[k];
        p->kernels[n_kernels].name = arena_printf(p->arena, "k%u_%s", n_kernels, p->kernels[k].name);
        n_kernels++;
    }
    p->n_kernels = n_kernels;
    for (uint32_t i = 0; i < n; i++) if (p->steps[i].kind == STEP_KERNEL) p->steps[i].kernel = number[p->steps[i].kernel];
}

Program *fuse(Arena *arena, const Graph *g, const Target *target, NumericMode mode)
{
    Program *p = arena_alloc(arena, sizeof *p);
    Fusion x = { .arena = arena, .program = p, .target = target, .runs = 1 };
    Place *params = arena_alloc(arena, (g->n_params + 1) * sizeof *params), *outs = arena_alloc(arena, (g->n_outputs + 1) * sizeof *outs);
    *p = (Program){ .arena = arena, .name = g->name ? g->name : "main", .mode = mode, .n_inputs = g->n_params, .n_outputs = g->n_outputs, .locs = g->locs, .n_locs = g->n_locs };
    for (uint32_t i = 0; i < g->n_params; i++)
        params[i] = (Place){ .kind = PLACE_BUFFER, .buffer = program_add_buffer(arena, p, buffer_of(graph_type(g, g->params[i]), BUF_INPUT, i)) };
    for (uint32_t i = 0; i < g->n_outputs; i++)
        outs[i] = (Place){ .kind = PLACE_BUFFER, .buffer = program_add_buffer(arena, p, buffer_of(graph_type(g, g->outputs[i]), BUF_OUTPUT, i)) };
    fuse_graph(&x, g, params, outs);
    drop_idle(p);
    count_bytes(p);
    plan_buffers(arena, p);
    return p;
}
