/* point_control.c: control flow within a kernel: WHILE, SCAN, CASE and MAP whose values meet only at the same
 * index, computed an element at a time.
 *
 * The loop over the elements (lanes, tiles) stands outside, the loop of steps inside, and carries are
 * registers. A region is evaluated by the rules of point.c on the region's own nodes (a RegionFrame): what it
 * is given is a carry's current value, or an element of an operand wherever the region's views look for it.
 *
 * Which nodes? Call a value TIED if it depends on a carry of more than one element. A carry is only known at
 * the index that is being computed, so what is tied must have the shape of the carries and be made by
 * elementwise ops from tied values of that shape and from whatever is not tied. What is not tied (slices of
 * inputs, invariants, counters and what is made of them) can be computed anywhere, so any op that a point has
 * a rule for will do, but those that open loops: they would run again for each element. (A map's region does
 * so by its nature: there they are allowed, but not inside each other.)
 */
#include "point.h"
#include "compiler/fuse/integers.h"
#include <string.h>

/* ---- which nodes ---- */

typedef struct RegionCheck {
    Type shape;  /* of what is tied */
    bool shaped; /* known yet? */
    /* may the region fold arrays of its own? That of a map, which runs once for an element anyway */
    bool folds;
    uint32_t n_ops;
} RegionCheck;

static bool is_one(Type t) { return type_count(t) == 1; }

/* A tied value has the one shape. */
static bool takes_shape(RegionCheck *c, Type t)
{
    if (!c->shaped) {
        c->shape = t;
        c->shaped = true;
    }
    return shape_equal(c->shape, t);
}

static bool control_checks(RegionCheck *c, const Graph *g, Ref ref, const bool *tied_args, int nesting);

/* Ops whose value at a point is a value of the operands at points known by then, without loops. */
static bool is_plain(const Node *n)
{
    switch (op_kind((Op)n->op)) {
    case OPKIND_LEAF:
    case OPKIND_EW:
    case OPKIND_SHAPE: return true;
    case OPKIND_INDEX:
        return n->op == OP_GATHER || n->op == OP_DYNAMIC_SLICE || n->op == OP_DYNAMIC_UPDATE_SLICE;
    case OPKIND_OTHER:   return n->op == OP_RESULT || n->op == OP_BARRIER;
    case OPKIND_REDUCE:
    case OPKIND_DOT:
    case OPKIND_ALONG:
    case OPKIND_MATRIX:
    case OPKIND_CONTROL: break;
    }
    return false;
}

/* A tied node: elementwise, or a change of type's notation that moves nothing. */
static bool tied_checks(RegionCheck *c, const Graph *g, const Node *n)
{
    Type t = node_type(n), from = graph_type(g, n->args[0]);
    if (!takes_shape(c, t)) return false;
    if (n->op == OP_RESHAPE) return shape_equal(from, t);
    if (n->op == OP_BROADCAST) {
        for (int d = 0; d < from.rank; d++)
            if (n->attr[d] != d) return false;
        return shape_equal(from, t);
    }
    return op_is_ew((Op)n->op) && (n->op != OP_BITCAST || from.rank == t.rank);
}

static bool region_checks(RegionCheck *c, const Graph *g, const bool *tied_params, bool *tied_outputs,
                          int nesting)
{
    bool tied[MAX_REGION], folded[MAX_REGION] = { false }; /* folded: made of several folds */
    if (g->n_nodes > MAX_REGION || nesting > MAX_NESTING) return false;
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        bool any = n->op == OP_PARAMETER && tied_params[n->attr[0]];
        for (uint32_t i = 0; i < n->n_args; i++) {
            any |= tied[n->args[i]];
            folded[r] |= folded[n->args[i]];
        }
        if (op_folds((Op)n->op) && folded[r]) return false;
        folded[r] |= op_folds((Op)n->op) && !is_one(node_type(n));
        tied[r] = any;
        c->n_ops++;
        Ref behind = point_behind_barriers(g, r);
        if (n->op == OP_BARRIER) tied[r] = any; /* of several operands, some may be tied */
        else if (behind != r) tied[r] = tied[behind];
        else if (n->op == OP_RESULT) tied[r] = any && !is_one(node_type(n));
        else if (op_kind((Op)n->op) == OPKIND_CONTROL) {
            bool given[MAX_REGION];
            if (n->n_args > MAX_REGION) return false;
            for (uint32_t i = 0; i < n->n_args; i++) given[i] = tied[n->args[i]];
            RegionCheck own = { .n_ops = c->n_ops, .folds = c->folds };
            if (!control_checks(any ? c : &own, g, r, given, nesting + 1)) return false;
            if (!any) c->n_ops = own.n_ops;
            if (n->n_results == 1) tied[r] = any && !is_one(node_type(n));
        } else if (c->folds && op_folds((Op)n->op) && !any) continue;
        else if (!is_plain(n) || (any && n->op != OP_PARAMETER && !tied_checks(c, g, n))) return false;
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) tied_outputs[i] = tied[g->outputs[i]];
    return true;
}

/* WHILE and SCAN: carries and stacked outputs have the shape or one element; those of one element depend on
 * no others. */
static bool loop_checks(RegionCheck *c, const Graph *g, const Node *n, const bool *tied_args, int nesting)
{
    bool tied[MAX_REGION], out[MAX_REGION];
    bool scan = n->op == OP_SCAN;
    ScanShape s = point_loop_shape(n);
    const Graph *body = n->regions[n->n_regions - 1];
    if (n->n_args > MAX_REGION || body->n_outputs > MAX_REGION ||
        (nesting && scan && n->n_results > s.n_carry))
        return false;
    for (uint32_t i = 0; i < n->n_args; i++) {
        Type t = graph_type(g, n->args[i]);
        bool carry = i >= s.n_invariant && i < s.n_invariant + s.n_carry;
        if (i >= s.n_invariant + s.n_carry && tied_args[i]) return false;
        tied[i] = tied_args[i] || (carry && !is_one(t));
        if (tied[i] && !takes_shape(c, t)) return false;
        if (carry && tied_args[i] && is_one(t)) return false;
    }
    for (uint32_t i = s.n_carry; i < body->n_outputs; i++) {
        Type t = graph_type(body, body->outputs[i]);
        if (!is_one(t) && !takes_shape(c, t)) return false;
    }
    if (!scan && (!region_checks(c, n->regions[0], tied, out, nesting) || out[0])) return false;
    if (!region_checks(c, body, tied, out, nesting)) return false;
    for (uint32_t i = 0; i < body->n_outputs; i++)
        if (out[i] && is_one(graph_type(body, body->outputs[i]))) return false;
    return true;
}

static bool control_checks(RegionCheck *c, const Graph *g, Ref ref, const bool *tied_args, int nesting)
{
    const Node *n = &g->nodes[ref];
    bool none[MAX_REGION] = { false }, out[MAX_REGION], any = false;
    for (uint32_t i = 0; i < n->n_args; i++) any |= tied_args[i];
    if (n->op == OP_WHILE || n->op == OP_SCAN) return loop_checks(c, g, n, tied_args, nesting);
    if (n->n_args > MAX_REGION || n->n_results > MAX_REGION) return false;
    for (uint32_t i = 0; any && i < n->n_results; i++)
        if (!takes_shape(c, node_result(n, i))) return false;
    if (n->op == OP_MAP) {
        RegionCheck scalars = { .n_ops = c->n_ops, .folds = true };
        bool ok = region_checks(&scalars, n->regions[0], none, out, nesting);
        c->n_ops = scalars.n_ops;
        return ok;
    }
    if (tied_args[0]) return false;
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!region_checks(c, n->regions[k], tied_args + 1, out, nesting)) return false;
    return true;
}

static bool has_loops(const Graph *g)
{
    return graph_holds(g, OP_WHILE, true) || graph_holds(g, OP_SCAN, true);
}

/* Branches that are better jumped to than all computed. */
static bool costly_branches(const Node *n)
{
    float cost = 0;
    for (uint32_t k = 0; k < n->n_regions; k++) {
        if (has_loops(n->regions[k])) return true;
        for (Ref r = 0; r < n->regions[k]->n_nodes; r++) cost += point_cost(&n->regions[k]->nodes[r]);
    }
    return cost > COST_CHEAP_BRANCHES;
}

/* The same for a loop over single elements, in whose lanes there is one branch to take. */
static bool has_costly_branches(const Node *n)
{
    for (uint32_t k = 0; k < n->n_regions; k++)
        for (Ref r = 0; r < n->regions[k]->n_nodes; r++) {
            const Node *inner = &n->regions[k]->nodes[r];
            if (inner->op == OP_CASE ? costly_branches(inner)
                                     : inner->n_regions && has_costly_branches(inner))
                return true;
        }
    return false;
}

bool point_control(const Graph *g, Ref ref)
{
    const Node *n = &g->nodes[ref];
    bool tied[MAX_REGION] = { false };
    RegionCheck c = { 0 };
    if (op_kind((Op)n->op) != OPKIND_CONTROL || n->n_args > MAX_REGION ||
        !control_checks(&c, g, ref, tied, 0))
        return false;
    /* at no point, and other results at some */
    if (n->op != OP_MAP && c.shaped && type_count(c.shape) == 0) return false;
    if (n->op == OP_CASE) return !costly_branches(n);
    if (n->op == OP_MAP) return true;
    return c.n_ops <= MAX_REGION_OPS && ((c.shaped && type_count(c.shape) > 1) || !has_costly_branches(n));
}

/* ---- facts for fuse_memory.c ---- */

static uint32_t region_depth(const Graph *g)
{
    uint32_t most = 0, depth[MAX_REGION] = { 0 };
    for (Ref r = 0; r < g->n_nodes && r < MAX_REGION; r++) {
        const Node *n = &g->nodes[r];
        for (uint32_t i = 0; i < n->n_args; i++) depth[r] = point_deeper(n, depth[r], depth[n->args[i]]);
        depth[r] += point_levels(n);
        if (depth[r] > most) most = depth[r];
    }
    return most;
}

uint32_t point_deeper(const Node *n, uint32_t so_far, uint32_t operand)
{
    /* Some operands at an index, or under a mask, that is known when others are. */
    bool indexed = n->op == OP_GATHER || n->op == OP_SCATTER || n->op == OP_DYNAMIC_SLICE ||
                   n->op == OP_DYNAMIC_UPDATE_SLICE;
    return indexed ? so_far + operand : operand > so_far ? operand : so_far;
}

uint32_t point_levels(const Node *n)
{
    uint32_t inner = 0;
    for (uint32_t k = 0; k < n->n_regions; k++) {
        uint32_t d = region_depth(n->regions[k]);
        if (d > inner) inner = d;
    }
    if (n->op == OP_RESULT) return 0;
    return n->op == OP_WHILE || n->op == OP_SCAN ? 1 : inner + op_folds((Op)n->op);
}

float point_cost(const Node *n)
{
    float cost = 0;
    if (op_folds((Op)n->op)) return COST_FOLD;
    for (uint32_t k = 0; k < n->n_regions; k++)
        for (Ref r = 0; r < n->regions[k]->n_nodes; r++) cost += point_cost(&n->regions[k]->nodes[r]);
    return n->n_regions ? cost : op_cost((Op)n->op, (DType)n->dtype);
}

/* ---- loops ---- */

ScanShape point_loop_shape(const Node *n)
{
    if (n->op == OP_SCAN) return scan_shape(n->attr);
    if (n->op == OP_MAP) return (ScanShape){ .length = type_count(node_type(n)), .n_xs = n->n_args };
    return (ScanShape){ .length = EXTENT_WHILE,
                        .n_invariant = (uint32_t)n->attr[0],
                        .n_carry = n->n_args - (uint32_t)n->attr[0] };
}

/* Which operands' values and which outputs of the body are needed for the wanted results: those that the
 * wanted ones reach, and so on through the carries. */
typedef struct Live {
    bool *output, *param;
} Live;

static void mark_reached(const Graph *g, Ref from, bool *reached)
{
    reached[from] = true;
    for (Ref r = from + 1; r-- > 0;)
        for (uint32_t i = 0; reached[r] && i < g->nodes[r].n_args; i++) reached[g->nodes[r].args[i]] = true;
}

static Live find_live(Build *b, const Node *n, ScanShape s, const bool *wanted)
{
    const Graph *body = n->regions[n->n_regions - 1], *cond = n->op == OP_WHILE ? n->regions[0] : NULL;
    Live l = { arena_alloc(b->arena, body->n_outputs + 1), arena_alloc(b->arena, n->n_args + 1) };
    bool *reached = arena_alloc(b->arena, body->n_nodes + 1),
         *in_cond = cond ? arena_alloc(b->arena, cond->n_nodes + 1) : NULL;
    if (cond) mark_reached(cond, cond->outputs[0], in_cond);
    for (uint32_t i = 0; cond && i < n->n_args; i++) l.param[i] = in_cond[cond->params[i]];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < body->n_outputs; i++) {
            bool *param = i < s.n_carry ? &l.param[s.n_invariant + i] : NULL;
            if (l.output[i] || !(wanted[i] || (param && *param))) continue;
            l.output[i] = more = true;
            if (param) *param = true;
            mark_reached(body, body->outputs[i], reached);
        }
        for (uint32_t i = 0; i < body->n_params; i++)
            if (reached[body->params[i]] && !l.param[i]) l.param[i] = more = true;
    }
    return l;
}

/* What the parameters of a loop's regions are: current values of live carries, slices at the step's index,
 * operands as they are. */
static Bound *bind_loop(Build *b, const Node *n, ScanShape s, const Live *live, const CarryLoop *l,
                        const Address *step)
{
    Bound *bound = arena_alloc(b->arena, (n->n_args + 1) * sizeof *bound);
    for (uint32_t i = 0, k = 0; i < n->n_args; i++) {
        bool carry = i >= s.n_invariant && i < s.n_invariant + s.n_carry;
        bound[i] = (Bound){ .value = VAL_NONE, .outer = n->args[i] };
        if (carry && live->param[i]) bound[i].value = l->carry[k++];
        if (i >= s.n_invariant + s.n_carry) {
            bound[i].prefix = step;
            bound[i].n_prefix = 1;
        }
    }
    return bound;
}

/* The index of a value at the point: what has one element is there at each. */
static const Address *index_of(Build *b, Type t, const Address *at)
{
    return is_one(t) ? new_index(b, t.rank) : at;
}

static Val output_at(Build *b, const Graph *g, uint32_t i, const Address *at, Val mask)
{
    return point_value(b, g->outputs[i], index_of(b, graph_type(g, g->outputs[i]), at), mask);
}

/* May this step run: does the condition hold, does the element count, is the branch around taken? A scan that
 * need not run is a while loop, too. Returns the phase of the test. */
static uint32_t loop_test(Build *b, const Node *n, ScanShape s, const Bound *bound, const CarryLoop *l,
                          const Address *at, Val mask, Val active)
{
    Val go;
    if (n->op == OP_WHILE) {
        RegionFrame f;
        frame_enter(b, &f, n->regions[0], bound, l->body, 0, false, active, mask);
        go = output_at(b, n->regions[0], 0, at, mask);
        frame_leave(b);
    } else
        go = compare_with(b, CMP_LT, nest_index(&b->nest, WEFT_I64, address_of(b->arena, l->loop, 1)),
                          s.length);
    go = both(b, go, both(b, mask, active));
    nest_test(&b->nest, l->body, go);
    return nest_phase(&b->nest, go, l->body);
}

/* The steps of a WHILE or SCAN at a point. */
typedef struct Steps {
    const Node *n;
    ScanShape s;
    Live live;
    const Address *at;
    Val mask, active;
    uint32_t block, phase; /* phase: when the steps so far have run */
    const Place *store;    /* of the stacked results, which each step stores; NULL: it does not */
    /* loads_ones: they store what has more than one element, and load what has one */
    bool tested, loads_ones;
} Steps;

/* Stores what a step gives to the stacked outputs. */
static void store_step(Build *b, const Steps *t, const Val *outputs, Address step, uint32_t block)
{
    const Graph *body = t->n->regions[t->n->n_regions - 1];
    for (uint32_t i = t->s.n_carry; i < body->n_outputs; i++) {
        Type stacked = node_result(t->n, i), slice = graph_type(body, body->outputs[i]);
        if (outputs[i] == VAL_NONE || t->store[i].kind == PLACE_NONE) continue;
        Address *in = new_index(b, stacked.rank);
        in[0] = step;
        if (slice.rank) memcpy(in + 1, index_of(b, slice, t->at), slice.rank * sizeof *in);
        point_store_to(b, t->store[i], stacked, in, outputs[i], VAL_NONE, block);
    }
}

/* What has one element and is stored step by step has its own loop, which stands ahead (emit_class): the
 * lanes load it. Computed again in each block of them, a solver's coefficients cost a division a step. */
static void load_ones(Build *b, const Steps *t, const Graph *body, Address step, uint32_t block)
{
    for (uint32_t i = t->s.n_carry; i < body->n_outputs; i++) {
        Type slice = graph_type(body, body->outputs[i]), stacked = node_result(t->n, i);
        if (!is_one(slice) || t->store[i].kind != PLACE_BUFFER) continue;
        Address *in = new_index(b, stacked.rank);
        in[0] = step;
        point_is(b, body->outputs[i], new_index(b, slice.rank), t->mask,
                 point_load_from(b, t->store[i], stacked, in, VAL_NONE, block, 0));
    }
}

/* What the body gives in one step, which stands in l->body; state[] becomes the carries' next values. */
static void step_values(Build *b, const Steps *t, const CarryLoop *l, const Address *step, const Bound *bound,
                        uint32_t phase, Val *state, Val *results)
{
    const Graph *body = t->n->regions[t->n->n_regions - 1];
    RegionFrame f;
    frame_enter(b, &f, body, bound, l->body, phase, false, VAL_NONE, t->mask);
    if (t->loads_ones) load_ones(b, t, body, step[0], l->body);
    for (uint32_t i = 0, k = 0; i < body->n_outputs; i++) {
        if (!t->live.output[i]) continue;
        results[i] = output_at(b, body, i, t->at, t->mask);
        if (i < t->s.n_carry) state[k++] = results[i];
    }
    frame_leave(b);
    if (t->store) store_step(b, t, results, step[0], l->body);
}

/* The phase of a step that is no loop: behind the loops of the step before it, in the same block. */
static uint32_t single_step_phase(const Build *b, const Steps *t, uint32_t n_state, const Val *state)
{
    uint32_t phase = t->phase;
    for (uint32_t i = 0; i < n_state; i++) phase = max_u32(phase, nest_phase(&b->nest, state[i], t->block));
    return phase;
}

/* All steps, or those of the piece; one is no loop. What follows comes behind them. */
static void some_steps(Build *b, Steps *t, Piece *piece, uint32_t n_state, Val *state, Val *results)
{
    int64_t extent = t->tested ? EXTENT_WHILE : piece ? piece->extent[0] : t->s.length;
    CarryLoop l = { .block = t->block, .body = t->block, .n = n_state };
    uint32_t phase = extent == 1 ? single_step_phase(b, t, n_state, state) : 0;
    Address *step = new_index(b, 1), number = address_number(piece ? piece->from[0] : 0);
    if (extent == 1) l.carry = arena_copy(b->arena, state, (n_state + 1) * sizeof *state);
    else {
        l = carry_open(b, t->block, t->phase, extent, n_state, state);
        number = address_add(b->arena, number, address_of(b->arena, l.loop, 1));
    }
    if (piece) piece->loop[0] = extent == 1 ? VAL_NONE : l.loop;
    step[0] = t->s.reverse ? address_shift(address_scale(b->arena, number, -1), t->s.length - 1) : number;
    const Bound *bound = bind_loop(b, t->n, t->s, &t->live, &l, step);
    if (t->tested) phase = loop_test(b, t->n, t->s, bound, &l, t->at, t->mask, t->active);
    step_values(b, t, &l, step, bound, phase, state, results);
    if (extent != 1) carry_close(b, &l, phase, state);
    for (uint32_t i = 0; i < n_state; i++)
        t->phase = max_u32(t->phase, nest_phase(&b->nest, state[i], t->block));
    for (uint32_t i = t->s.n_carry; t->store && i < t->n->n_results; i++)
        t->phase = max_u32(t->phase, nest_phase(&b->nest, results[i], t->block));
}

/* Cut where conditions on the number of the step change, in the kernel of a scan. */
static void steps_in_pieces(Build *b, Steps *t, uint32_t n_state, Val *state, Val *results)
{
    const Type numbers = { WEFT_I64, 1, &t->s.length };
    Piece piece = sweep_begin(b, numbers, (const bool[]){ false });
    piece.sweep->in_order = true;
    while (sweep_next(b, &piece)) some_steps(b, t, &piece, n_state, state, results);
    sweep_end(b);
}

/* Values of the wanted results of a WHILE or SCAN at a point of this rank; with `store`, stacked results are
 * stored step by step. Returns the phase of the block when all steps have run. */
static uint32_t loop_values(Build *b, Ref ref, const Address *at, int rank, Val mask, uint32_t block,
                            const bool *wanted, bool store, Val *results)
{
    const Node *n = node_of(b, ref);
    ScanShape s = point_loop_shape(n);
    Val active = b->frame ? b->frame->active : VAL_NONE;
    Steps t = { .n = n,
                .s = s,
                .live = find_live(b, n, s, wanted),
                .at = at,
                .mask = mask,
                .active = active,
                .block = block,
                .phase = loops_phase(b, ref, at, rank, mask, block, 1),
                .tested = n->op == OP_WHILE || active != VAL_NONE,
                .store = store ? b->plan[ref].round.results : NULL,
                .loads_ones = store && rank > 0 };
    Val *state = arena_alloc(b->arena, (s.n_carry + 1) * sizeof *state);
    uint32_t n_state = 0;
    for (uint32_t i = s.n_invariant; i < s.n_invariant + s.n_carry; i++)
        if (t.live.param[i])
            state[n_state++] = point_value(b, n->args[i], index_of(b, type_of(b, n->args[i]), at), mask);
    t.phase = max_u32(t.phase, nest_phase(&b->nest, active, block));
    if (store && !t.tested && s.length > 1) steps_in_pieces(b, &t, n_state, state, results);
    else if (s.length != 0) some_steps(b, &t, NULL, n_state, state, results);
    for (uint32_t i = 0, k = 0; i < s.n_carry; i++)
        if (t.live.param[s.n_invariant + i]) results[i] = state[k++];
    return t.phase;
}

/* ---- branches and maps ---- */

static void map_values(Build *b, Ref ref, const Address *at, int rank, Val mask, uint32_t block, Val *results)
{
    const Node *n = node_of(b, ref);
    const Graph *g = n->regions[0];
    Bound *bound = arena_alloc(b->arena, (n->n_args + 1) * sizeof *bound);
    RegionFrame f;
    for (uint32_t i = 0; i < n->n_args; i++) bound[i] = (Bound){ VAL_NONE, n->args[i], at, rank };
    uint32_t phase = loops_phase(b, ref, at, rank, mask, block, point_levels(n));
    frame_enter(b, &f, g, bound, block, phase, true, b->frame ? b->frame->active : VAL_NONE, mask);
    for (uint32_t i = 0; i < g->n_outputs; i++) results[i] = point_value(b, g->outputs[i], NULL, mask);
    frame_leave(b);
}

/* Is branch k of n taken? The last one is for all numbers that no other has. */
static Val is_taken(Build *b, Val index, uint32_t k, uint32_t n)
{
    if (n == 1) return VAL_NONE;
    if (k + 1 < n) return compare_with(b, CMP_EQ, index, k);
    Val above = compare_with(b, CMP_GE, index, (int64_t)n - 1), below = compare_with(b, CMP_LT, index, 0);
    return op2(b, OP_OR, WEFT_BOOL, below, above);
}

/* All branches are computed and the right one selected; loops in those that are not taken end at once. */
static void case_values(Build *b, Ref ref, const Address *at, int rank, Val mask, uint32_t block,
                        const bool *wanted, Val *results)
{
    const Node *n = node_of(b, ref);
    Val index = point_value(b, n->args[0], NULL, VAL_NONE), around = b->frame ? b->frame->active : VAL_NONE;
    uint32_t phase = loops_phase(b, ref, at, rank, mask, block, point_levels(n));
    Bound *bound = arena_alloc(b->arena, (n->n_args + 1) * sizeof *bound);
    for (uint32_t i = 1; i < n->n_args; i++) bound[i - 1] = (Bound){ .value = VAL_NONE, .outer = n->args[i] };
    for (uint32_t k = n->n_regions; k-- > 0;) {
        const Graph *g = n->regions[k];
        RegionFrame f;
        Val taken = is_taken(b, index, k, n->n_regions);
        frame_enter(b, &f, g, bound, block, phase, true, has_loops(g) ? both(b, taken, around) : VAL_NONE,
                    mask);
        for (uint32_t i = 0; i < g->n_outputs; i++) {
            if (!wanted[i]) continue;
            Val v = output_at(b, g, i, at, mask);
            results[i] = k + 1 == n->n_regions ? v : select_value(b, dtype_of(b, v), taken, v, results[i]);
        }
        frame_leave(b);
    }
}

void control_values(Build *b, Ref ref, const Address *at, Val mask, uint32_t block, int which, Val *results)
{
    const Node *n = node_of(b, ref);
    Type t = node_result(n, (uint32_t)which);
    bool *wanted = arena_alloc(b->arena, n->n_results + 1);
    for (uint32_t i = 0; i < n->n_results; i++)
        wanted[i] = is_one(t) ? is_one(node_result(n, i)) : shape_equal(t, node_result(n, i));
    if (n->op == OP_MAP) map_values(b, ref, at, t.rank, mask, block, results);
    else if (n->op == OP_CASE) case_values(b, ref, at, t.rank, mask, block, wanted, results);
    else loop_values(b, ref, at, t.rank, mask, block, wanted, false, results);
}

/* ---- kernels of loops ---- */

/* Walks like one row-major run whatever moves through it: elementwise, and given nothing that depends on
 * where it is? */
static bool is_flat(const Graph *g, Type shape)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = &g->nodes[r];
        Type t = node_type(n);
        bool flat = n->op == OP_PARAMETER || n->op == OP_RESULT || op_is_ew((Op)n->op) || is_one(t) ||
                    (n->op == OP_CONSTANT && n->attr[0]);
        if (n->op == OP_BROADCAST) flat = is_one(graph_type(g, n->args[0]));
        if (n->n_regions) flat = true;
        for (uint32_t k = 0; k < n->n_regions; k++) flat &= is_flat(n->regions[k], shape);
        if (!flat || !(is_one(t) || shape_equal(t, shape))) return false;
    }
    return true;
}

static bool axes_join(const Build *b, const Node *n, ScanShape s, Type shape, int axis)
{
    for (uint32_t k = 0; k < n->n_regions; k++)
        if (!is_flat(n->regions[k], shape)) return false;
    for (uint32_t i = 0; i < n->n_args; i++) {
        bool slices = i >= s.n_invariant + s.n_carry;
        if (!is_one(graph_type(n->regions[0], n->regions[0]->params[i])) &&
            !point_collapses(b, n->args[i], axis + slices))
            return false;
    }
    return true;
}

/* The results of one class (those of one element; those of the carries' shape), from a phase of the kernel
 * on: loops over the elements, and in them the steps. Returns the phase when what it has stacked is
 * stored. */
static uint32_t emit_class(Build *b, Ref ref, bool ones, uint32_t from)
{
    const Node *n = node_of(b, ref);
    const Graph *body = n->regions[n->n_regions - 1];
    const Place *places = b->plan[ref].round.results;
    ScanShape s = point_loop_shape(n);
    bool *wanted = arena_alloc(b->arena, n->n_results + 1), any = false, stacked = false,
         joined[WEFT_MAX_RANK + 1] = { false };
    Val *results = arena_alloc(b->arena, (n->n_results + 1) * sizeof *results);
    Type shape = { 0, 0, NULL };
    for (uint32_t i = 0; i < n->n_results; i++) {
        Type t = graph_type(body, body->outputs[i]);
        results[i] = VAL_NONE;
        wanted[i] = places[i].kind != PLACE_NONE && is_one(t) == ones;
        any |= wanted[i];
        stacked |= wanted[i] && i >= s.n_carry;
        if (wanted[i] && !ones) shape = t;
    }
    if (!any || type_count(shape) == 0) return 0;
    Address *at = new_index(b, WEFT_MAX_RANK);
    for (int d = 0; d + 1 < shape.rank; d++) joined[d] = axes_join(b, n, s, shape, d);
    uint32_t block = point_loops(b, shape, joined, max_u32(b->plan[ref].round.depth - 1, from), at),
             phase = loop_values(b, ref, at, shape.rank, VAL_NONE, block, wanted, true, results);
    for (uint32_t i = 0; i < s.n_carry; i++)
        if (wanted[i])
            point_store_to(b, places[i], node_result(n, i), index_of(b, node_result(n, i), at), results[i],
                           VAL_NONE, block);
    return stacked ? phase : 0;
}

void control_kernel(Build *b, Ref ref)
{
    uint32_t stored = emit_class(b, ref, true, 0);
    emit_class(b, ref, false, stored);
}
