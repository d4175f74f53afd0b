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
#include "plan.h"
#include "schedule.h"
#include <stdio.h>
#include <string.h>

enum { MAX_LEVELS = 200, MAX_DEPTH = 64, MAX_ROUNDS = 6, MAX_ROWS = 8, MAX_JOINED = 16, MAX_ROOTS_TO_JOIN = 64 };
static const float EXPENSIVE_ROW = 4;

/* A kernel made: the nodes it loads and stores, and the number of the kernel whose packed copy it reads (0: none). */
typedef struct Made { Kernel kernel; Ref *loads; uint32_t n_loads; Ref *stores; uint32_t n_stores; uint32_t packing; } Made;
typedef struct Packed { Ref node; const int64_t *perm; uint32_t buffer, kernel; } Packed;

typedef struct Wanted { Ref *refs; uint32_t n, capacity; bool news; } Wanted;  /* nodes to have memory in the next round; news: some got it in this one */

typedef struct Fuser {
    Arena *arena;
    const Graph *g;
    const Target *target;
    Program *program;
    NodePlan *plan;
    bool *used;                             /* reached from the outputs */
    Made *made;     uint32_t n_made, cap_made;      /* kernel number - 1 */
    Packed *packed; uint32_t n_packed, cap_packed;
    bool *after;    uint32_t cap_after;
    uint32_t *stamp, clock;                 /* scratch of walks */
    Ref *stack;
} Fuser;

/* ---- facts about nodes ---- */

static float op_cost(Op op, DType t)
{
    switch (op) {
    case OP_DIV: case OP_SQRT: case OP_REM: return dtype_is_float(t) && op != OP_REM ? 4 : 8;
    case OP_RSQRT: return 6;
    case OP_EXP: case OP_LOG: case OP_TANH: case OP_SIN: case OP_COS: case OP_LOGISTIC: return 12;
    case OP_NEG: case OP_ABS: case OP_ADD: case OP_SUB: case OP_MUL: case OP_MAX: case OP_MIN: case OP_AND: case OP_OR: case OP_XOR: case OP_NOT:
    case OP_COMPARE: case OP_SELECT: case OP_CLAMP: case OP_CONVERT: case OP_SQUARE: case OP_FLOOR: case OP_CEIL: case OP_ROUND_EVEN: case OP_SIGN:
    case OP_SHL: case OP_SHR_ARITH: case OP_SHR_LOGIC: case OP_IS_FINITE: case OP_IS_INF: case OP_IS_POS_INF: case OP_IS_NEG_INF: case OP_BITCAST: return 1;
    default: return op_is_ew(op) ? 20 : 0;
    }
}

static void mark_used(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) f->used[f->g->outputs[i]] = true;
    for (Ref r = f->g->n_nodes; r-- > 0; )
        for (uint32_t i = 0; f->used[r] && i < f->g->nodes[r].n_args; i++) f->used[f->g->nodes[r].args[i]] = true;
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
            if (n->op == OP_GATHER) p->depth += a->depth;       /* the operand at an index known after the indices */
            else if (a->depth > p->depth) p->depth = a->depth;
            p->cost += a->cost;
            p->contracts |= a->contracts;
            multiply |= f->g->nodes[n->args[i]].op == OP_MUL;
        }
        if (p->depth >= MAX_DEPTH && n->n_results <= 1 && !has_memory(f, r)) p->materialized = true;
        if (op_folds((Op)n->op)) { p->depth++; p->cost = 20; p->contracts = false; }
        else p->cost += op_cost((Op)n->op, (DType)n->dtype);
        p->contracts |= multiply && (n->op == OP_ADD || n->op == OP_SUB);
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

/* Inputs, constants, outputs (the first time a node is one) and temporaries, afresh for each round. */
static void assign_buffers(Fuser *f)
{
    Program *p = f->program;
    p->n_buffers = p->n_consts = 0;
    for (Ref r = 0; r < f->g->n_nodes; r++) f->plan[r].buffer = UINT32_MAX;
    for (uint32_t i = 0; i < f->g->n_params; i++)
        f->plan[f->g->params[i]].buffer = new_buffer(f, buffer_of(graph_type(f->g, f->g->params[i]), BUF_INPUT, i));
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = f->g->outputs[i];
        uint32_t b = new_buffer(f, buffer_of(graph_type(f->g, r), BUF_OUTPUT, i));
        if (f->plan[r].buffer == UINT32_MAX && f->g->nodes[r].op != OP_CONSTANT) f->plan[r].buffer = b;
    }
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        if (!f->used[r] || f->plan[r].buffer != UINT32_MAX || !has_memory(f, r)) continue;
        bool constant = n->op == OP_CONSTANT;
        Buffer b = buffer_of(node_type(n), constant ? BUF_CONST : BUF_TEMP, constant ? p->n_consts++ : 0);
        b.data = constant ? n->data : NULL;
        f->plan[r].buffer = new_buffer(f, b);
    }
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

typedef struct Roots { const Ref *ref; uint32_t n; Packing pack; uint32_t pack_buffer; } Roots;

static void build_reset(Fuser *f, Build *b, const Roots *roots)
{
    for (uint32_t i = 0; i < b->n_stored; i++) f->plan[b->stored[i]].kernel = 0;
    for (uint32_t i = 0; i < b->n_noted; i++) {
        NodePlan *p = &f->plan[b->noted[i]];
        p->row_loop = VAL_NONE;
        p->row_wanted = false;
        p->row_at = NULL;
    }
    for (uint32_t i = 0; i < b->n_accesses; i++) f->plan[b->accesses[i].node].loaded_by = 0;
    for (uint32_t i = 0; i < b->n_touched; i++) f->plan[b->touched[i]].points = 0;
    b->n_touched = b->n_stored = b->n_noted = b->n_wanted = b->n_accesses = b->memo_used = b->memo_size = 0;
    b->memos = NULL;
    b->needs_rows = false;
    nest_init(&b->nest, f->arena);
    for (uint32_t i = 0; i < roots->n; i++) f->plan[roots->ref[i]].kernel = b->number;
}

/* Loops over the axes of a type, adjacent ones that collapse as one; returns the innermost body; notes the loops. */
static uint32_t root_loops(Build *b, Ref ref, Type t, const bool *joined, uint32_t phase, Address *at, Val *loops, int *n_loops)
{
    int axis[WEFT_MAX_RANK + 1], groups = 0;
    int64_t extents[WEFT_MAX_RANK + 1];
    (void)ref;
    for (int d = 0; d < t.rank; ) {
        int64_t extent = t.dim[d];
        int last = d;
        while (last + 1 < t.rank && joined[last]) extent *= t.dim[++last];
        for (int e = d; e <= last; e++) at[e] = address_number(0);
        if (extent > 1) { axis[groups] = point_run_axis(t, d, last); extents[groups++] = extent; }
        d = last + 1;
    }
    uint32_t block = 0;
    *n_loops = groups;
    for (int k = 0; k < groups; k++) {
        bool inner = k == groups - 1;
        LoopShape s = { .extent = extents[k], .lanes = 1, .tile = 1, .parallel = k == 0 };
        if (inner) { s.lanes = b->schedule.root_lanes ? b->schedule.lanes : 1; s.tile = b->schedule.root_tile; }
        else if (k == groups - 2) s.tile = b->schedule.outer_tile;
        loops[k] = nest_loop(&b->nest, block, phase, s, false);
        at[axis[k]] = address_of(b->arena, loops[k], 1);
        block = nest_body(&b->nest, loops[k]);
    }
    return block;
}

static void emit_root(Build *b, Ref ref, Val *loops, int *n_loops)
{
    Type t = graph_type(b->graph, ref);
    bool joined[WEFT_MAX_RANK + 1] = { false };
    Address *at = arena_alloc(b->arena, ((size_t)t.rank + 1) * sizeof *at);
    *n_loops = 0;
    if (type_count(t) == 0) { point_provides(b, ref); return; }
    for (int d = 0; d + 1 < t.rank; d++) joined[d] = point_collapses(b, ref, d);
    uint32_t block = root_loops(b, ref, t, joined, b->plan[ref].depth, at, loops, n_loops);
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
            uint32_t block = root_loops(b, part, t, joined, b->plan[ref].depth, at, loops, &n_loops);
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

static void note_kernel(Fuser *f, Build *b, const Roots *roots)
{
    if (f->n_made == f->cap_made) f->made = arena_grow(f->arena, f->made, f->n_made, &f->cap_made, f->n_made + 1, sizeof *f->made);
    Made *m = &f->made[f->n_made++];
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
    *m = (Made){ .kernel = { .name = arena_printf(f->arena, "%s%s", lower, shape) } };
    nest_flatten(&b->nest, &m->kernel);
    m->stores = b->stored;
    m->n_stores = b->n_stored;
    m->loads = arena_alloc(f->arena, (b->n_accesses + 1) * sizeof *m->loads);
    for (uint32_t i = 0; i < b->n_accesses; i++) m->loads[m->n_loads++] = b->accesses[i].node;
}

static bool loads(const Made *m, Ref r)
{
    for (uint32_t i = 0; i < m->n_loads; i++) if (m->loads[i] == r) return true;
    return false;
}

/* after[k]: kernel k loads one of these nodes, or something stored by a kernel that does. */
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
            for (uint32_t i = 0; i < n && !is; i++) is = loads(m, roots[i]);
            for (uint32_t i = 0; i < m->n_loads && !is; i++) is = f->plan[m->loads[i]].kernel && f->after[f->plan[m->loads[i]].kernel];
            more |= is && !f->after[k + 1];
            f->after[k + 1] = is;
        }
    }
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
                .packed_node = REF_NONE };
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
    if (wanted) want_folds(f, &b, wanted);
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

/* Outputs that are inputs, constants, or an output already given: copies. */
static void copy_outputs(Fuser *f)
{
    for (uint32_t i = 0; i < f->g->n_outputs; i++) {
        Ref r = f->g->outputs[i];
        uint32_t buffer = UINT32_MAX;
        for (uint32_t k = 0; k < f->program->n_buffers; k++)
            if (f->program->buffers[k].kind == BUF_OUTPUT && f->program->buffers[k].index == i) buffer = k;
        if (f->plan[r].buffer == buffer) continue;
        Type t = graph_type(f->g, r);
        if (type_count(t) == 0) continue;
        Build b = { .arena = f->arena, .graph = f->g, .program = f->program, .target = f->target, .plan = f->plan, .number = f->n_made + 1,
                    .packed_node = REF_NONE };
        find_after(f, NULL, 0);
        b.after = f->after;
        nest_init(&b.nest, f->arena);
        LoopShape s = { .extent = type_count(t), .lanes = (uint16_t)(f->target->vector_bytes / dtype_bytes((DType)t.dtype)), .tile = 4, .parallel = true };
        uint32_t block = 0;
        Address at = address_number(0);
        if (s.extent > 1) {
            Val loop = nest_loop(&b.nest, 0, 0, s, false);
            at = address_of(f->arena, loop, 1);
            block = nest_body(&b.nest, loop);
        }
        const Node *n = &f->g->nodes[r];
        Val v = n->op == OP_CONSTANT && n->attr[0] ? nest_const(&b.nest, (DType)t.dtype, scalar_load((DType)t.dtype, n->data))
                                                   : nest_load(&b.nest, (DType)t.dtype, f->plan[r].buffer, at, VAL_NONE, block, 0);
        nest_store(&b.nest, block, buffer, at, v, VAL_NONE);
        Roots roots = { .ref = &r, .n = 1, .pack = { REF_NONE, NULL } };
        note_kernel(f, &b, &roots);
        f->made[f->n_made - 1].kernel.name = arena_printf(f->arena, "copy%u", i);
        f->made[f->n_made - 1].loads[f->made[f->n_made - 1].n_loads++] = r;
    }
}

/* Kernels in an order in which everything is stored before it is loaded. They were made from last to first, so the reverse is nearly that. */
static void order_kernels(Fuser *f)
{
    Program *p = f->program;
    uint8_t *state = arena_alloc(f->arena, f->n_made + 1);
    uint32_t *stack = arena_alloc(f->arena, (f->n_made + 1) * sizeof *stack);
    p->kernels = arena_alloc(f->arena, (f->n_made + 1) * sizeof *p->kernels);
    p->n_kernels = 0;
    for (uint32_t start = f->n_made; start-- > 0; ) {
        uint32_t top = 0;
        if (state[start]) continue;
        stack[top++] = start;
        while (top) {
            uint32_t k = stack[top - 1], before = UINT32_MAX;
            state[k] = 1;
            for (uint32_t i = 0; i < f->made[k].n_loads && before == UINT32_MAX; i++) {
                uint32_t by = f->plan[f->made[k].loads[i]].kernel;
                if (by && by - 1 != k && !state[by - 1]) before = by - 1;
            }
            uint32_t packing = f->made[k].packing;
            if (packing && !state[packing - 1]) before = packing - 1;
            if (before != UINT32_MAX) { stack[top++] = before; continue; }
            top--;
            Kernel *kernel = &p->kernels[p->n_kernels];
            *kernel = f->made[k].kernel;
            kernel->name = arena_printf(f->arena, "k%u_%s", p->n_kernels, kernel->name);
            p->n_kernels++;
        }
    }
}

/* One round: all kernels under the present marks. */
static void make_all(Fuser *f, Wanted *wanted)
{
    uint32_t n_roots = 0;
    wanted->n = 0;
    wanted->news = false;
    f->n_made = f->n_packed = 0;
    refresh_facts(f);
    assign_buffers(f);
    for (Ref r = 0; r < f->g->n_nodes; r++) n_roots += f->used[r] && f->plan[r].materialized;
    for (Ref r = f->g->n_nodes; r-- > 0; ) {
        if (!f->used[r] || !f->plan[r].materialized || f->plan[r].kernel) continue;
        Ref group[MAX_JOINED] = { r };
        uint32_t n = 1;
        for (Ref q = r; q-- > 0 && n_roots > 1 && n_roots <= MAX_ROOTS_TO_JOIN && n < MAX_JOINED; )
            if (f->used[q] && f->plan[q].materialized && !f->plan[q].kernel && may_join(f, group, n, q)) group[n++] = q;
        Roots roots = { .ref = group, .n = n, .pack = { REF_NONE, NULL } };
        make_kernel(f, &roots, wanted);
    }
    copy_outputs(f);
}

static int64_t fused_bytes(const Fuser *f)
{
    int64_t bytes = 0;
    for (Ref r = 0; r < f->g->n_nodes; r++) {
        const Node *n = &f->g->nodes[r];
        OpKind kind = op_kind((Op)n->op);
        if (!f->used[r] || has_memory(f, r) || kind == OPKIND_LEAF || kind == OPKIND_SHAPE || kind == OPKIND_OTHER) continue;
        bytes += type_count(node_type(n)) * (int64_t)dtype_bytes((DType)n->dtype);
    }
    return bytes;
}

static int64_t kernel_bytes(const Program *p, const Kernel *k)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind != ST_LOAD && s->kind != ST_STORE) continue;
        bool again = false;
        for (uint32_t j = 0; j < i && !again; j++) again = k->stmts[j].kind == s->kind && k->stmts[j].buffer == s->buffer;
        if (!again && p->buffers[s->buffer].kind != BUF_LOCAL) bytes += p->buffers[s->buffer].count * (int64_t)dtype_bytes((DType)p->buffers[s->buffer].dtype);
    }
    return bytes;
}

Program *fuse(Arena *arena, const Graph *g, const Target *target, NumericMode mode)
{
    Program *p = arena_alloc(arena, sizeof *p);
    Fuser f = { .arena = arena, .g = g, .target = target, .program = p };
    *p = (Program){ .name = g->name ? g->name : "main", .mode = mode, .n_inputs = g->n_params, .n_outputs = g->n_outputs, .locs = g->locs, .n_locs = g->n_locs };
    f.plan = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.plan);
    f.used = arena_alloc(arena, g->n_nodes + 1);
    f.stamp = arena_alloc(arena, (g->n_nodes + 1) * sizeof *f.stamp);
    f.stack = arena_alloc(arena, (2 * (size_t)g->n_nodes + 2) * sizeof *f.stack);
    mark_used(&f);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Ref r = g->outputs[i];
        if (g->nodes[r].op == OP_PARAMETER || g->nodes[r].op == OP_CONSTANT) continue;
        f.plan[r].materialized = f.plan[r].in_passing = true;
    }
    cut_chains(&f);
    Wanted wanted = { .refs = arena_alloc(arena, ((size_t)g->n_nodes + 64) * sizeof(Ref)), .capacity = g->n_nodes + 64 };
    for (int round = 0; round < MAX_ROUNDS; round++) {
        make_all(&f, &wanted);
        if (round == MAX_ROUNDS - 1 || (wanted.n == 0 && !wanted.news)) break;
        for (uint32_t i = 0; i < wanted.n; i++) give_memory(&f, wanted.refs[i]);
    }
    order_kernels(&f);
    for (uint32_t k = 0; k < p->n_kernels; k++) p->kernels[k].bytes = kernel_bytes(p, &p->kernels[k]);
    plan_buffers(arena, p);
    p->fused_bytes = fused_bytes(&f);
    return p;
}
