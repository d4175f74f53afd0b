/* raise_loop.c: a WHILE over slices that is a SCAN: see raise.h.
 *
 * A scan, as JAX writes it: a counter goes from 0 up by 1 while it is less than a constant; arrays whose
 * first axis has that many elements are read in slices at the counter (or from the end), others are written
 * so. Then each array read is an input, and each one written is an output, whose start does not matter, for
 * every slice is written; values that the body hands on unchanged are invariants; the counter is dropped if
 * nothing else needs it. All that is proved on the graphs here; a while that is anything else stays one.
 *
 * A position is followed as a sum of the counter (times 1, 0 or -1) and a constant, modulo the width of the
 * integers in which it was computed. The two that count, i and length-1-i, fit that width, so no overflow on
 * the way matters.
 */
#include "raise.h"

enum { FORWARD = 1, BACKWARD = -1 };
/* PASSED: an invariant, or a carry that is handed on */
typedef enum { PLAIN, COUNTER, PASSED, INPUT, OUTPUT } ParamUse;

/* times * counter + plus; unknown unless known. */
typedef struct Position {
    bool known;
    int8_t times;
    int64_t plus;
} Position;

typedef struct SlicedLoop {
    Arena *arena;
    const Graph *g, *cond, *body;            /* g: around the loop */
    const Ref *args;                         /* of the loop: invariants, then carries */
    uint32_t n_params, n_invariant, counter; /* counter: its number among the parameters */
    int64_t length;
    int direction;      /* 0: not known yet */
    Position *position; /* of each node of the body */
    const bool *reached;
    uint32_t *uses; /* of each node of the body, outputs counted */
    ParamUse *use;  /* of each parameter */
} SlicedLoop;

static bool constant_int(const Graph *g, Ref r, int64_t *v)
{
    const Node *n = raise_constant(g, r);
    if (!n || !dtype_is_int((DType)n->dtype)) return false;
    *v = scalar_to_i64((DType)n->dtype, scalar_load((DType)n->dtype, n->data));
    return true;
}

static bool handed_on(const SlicedLoop *p, uint32_t param)
{
    return param < p->n_invariant || p->body->outputs[param - p->n_invariant] == p->body->params[param];
}

/* The one integer that a value of a region is. A parameter that is handed on has what the loop is given. */
static bool known_int(const SlicedLoop *p, const Graph *region, Ref r, int64_t *v)
{
    const Node *n = graph_node(region, r);
    if (n->op != OP_PARAMETER) return constant_int(region, r, v);
    uint32_t k = (uint32_t)n->attr[0];
    return handed_on(p, k) && constant_int(p->g, p->args[k], v);
}

/* counter < length, or length > counter */
static bool find_counter(SlicedLoop *p)
{
    const Graph *cond = p->cond;
    const Node *test = graph_node(cond, cond->outputs[0]), *counter;
    int64_t start;
    if (test->op != OP_COMPARE || (test->attr[0] != CMP_LT && test->attr[0] != CMP_GT)) return false;
    int left = test->attr[0] == CMP_GT;
    counter = graph_node(cond, test->args[left]);
    if (counter->op != OP_PARAMETER || counter->attr[0] < p->n_invariant ||
        !dtype_is_int((DType)counter->dtype))
        return false;
    if (!known_int(p, cond, test->args[!left], &p->length)) return false;
    p->counter = (uint32_t)counter->attr[0];
    return p->length > 0 && constant_int(p->g, p->args[p->counter], &start) && start == 0;
}

/* Positions. */

static bool is_slice_position(const SlicedLoop *p, Position x, int direction)
{
    return x.known && x.times == direction && x.plus == (direction == FORWARD ? 0 : p->length - 1);
}

static Position combine(Position a, Position b, int sign)
{
    int times = a.times + sign * b.times;
    int64_t plus = (int64_t)((uint64_t)a.plus + (sign > 0 ? (uint64_t)b.plus : 0 - (uint64_t)b.plus));
    return (Position){ a.known && b.known && times >= -1 && times <= 1, (int8_t)times, plus };
}

/* i < 0 ? i + n : i, for an i that is never negative */
static bool is_wrapped(const SlicedLoop *p, const Node *select)
{
    const Node *test = graph_node(p->body, select->args[0]);
    Position i = p->position[select->args[2]];
    if (test->op != OP_COMPARE || test->attr[0] != CMP_LT ||
        (!is_slice_position(p, i, FORWARD) && !is_slice_position(p, i, BACKWARD)))
        return false;
    Position left = p->position[test->args[0]], right = p->position[test->args[1]];
    return left.known && left.times == i.times && left.plus == i.plus && right.known && right.times == 0 &&
           right.plus == 0;
}

static bool holds(DType t, int64_t v) { return dtype_bits(t) >= 64 || v >> (dtype_bits(t) - 1) == 0; }

static Position position_of(const SlicedLoop *p, Ref r)
{
    const Node *n = graph_node(p->body, r);
    const Position *x = p->position;
    Position none = { 0 }, constant = { .known = true };
    if (n->rank != 0 || !dtype_is_int((DType)n->dtype) || n->n_results > 1) return none;
    if (known_int(p, p->body, r, &constant.plus)) return constant;
    switch ((Op)n->op) {
    case OP_PARAMETER: return n->attr[0] == p->counter ? (Position){ true, 1, 0 } : none;
    case OP_ADD:       return combine(x[n->args[0]], x[n->args[1]], 1);
    case OP_SUB:       return combine(x[n->args[0]], x[n->args[1]], -1);
    case OP_BROADCAST:
    case OP_RESHAPE:   return x[n->args[0]]; /* between rank 0 and rank 0, or unknown */
    case OP_SELECT:    return is_wrapped(p, n) ? x[n->args[2]] : none;
    case OP_CONVERT:   {
        Position from = x[n->args[0]];
        bool fits = is_slice_position(p, from, FORWARD) || is_slice_position(p, from, BACKWARD);
        fits = fits || (from.known && from.times == 0 && from.plus >= 0);
        return fits && holds((DType)n->dtype, from.times ? p->length : from.plus) ? from : none;
    }
    default: return none;
    }
}

/* The counter must go up by one, in the integers in which the test is made. */
static bool follow_positions(SlicedLoop *p)
{
    p->position = arena_alloc(p->arena, (p->body->n_nodes + 1) * sizeof *p->position);
    for (Ref r = 0; r < p->body->n_nodes; r++) p->position[r] = position_of(p, r);
    Position next = p->position[p->body->outputs[p->counter - p->n_invariant]];
    return next.known && next.times == 1 && next.plus == 1;
}

/* What parameters are for. */

/* Is this a slice, or an update, of one element of the first axis at the counter? The other axes are taken
 * whole. 0: no. */
static int slice_direction(const SlicedLoop *p, const Node *n, const int64_t *sizes, const Ref *starts)
{
    Type t = graph_type(p->body, n->args[0]);
    if (t.rank == 0 || t.dim[0] != p->length || sizes[0] != 1) return 0;
    for (int i = 1; i < t.rank; i++)
        if (sizes[i] != t.dim[i]) return 0;
    return is_slice_position(p, p->position[starts[0]], FORWARD)    ? FORWARD
           : is_slice_position(p, p->position[starts[0]], BACKWARD) ? BACKWARD
                                                                    : 0;
}

static int read_direction(const SlicedLoop *p, const Node *n)
{
    return n->op == OP_DYNAMIC_SLICE ? slice_direction(p, n, n->attr, n->args + 1) : 0;
}

/* The update that is parameter k's next value, and all that is done with either. */
static int write_direction(const SlicedLoop *p, uint32_t k)
{
    Ref next = p->body->outputs[k - p->n_invariant], param = p->body->params[k];
    const Node *n = graph_node(p->body, next);
    if (n->op != OP_DYNAMIC_UPDATE_SLICE || n->args[0] != param || p->uses[param] != 1 || p->uses[next] != 1)
        return 0;
    return slice_direction(p, n, graph_type(p->body, n->args[1]).dim, n->args + 2);
}

static bool agrees(SlicedLoop *p, int direction)
{
    if (direction == 0 || (p->direction && direction != p->direction)) return false;
    p->direction = direction;
    return true;
}

static void count_uses(SlicedLoop *p)
{
    p->uses = arena_alloc(p->arena, (p->body->n_nodes + 1) * sizeof *p->uses);
    p->reached = graph_reached(p->arena, p->body);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *n = graph_node(p->body, r);
        for (uint32_t i = 0; p->reached[r] && i < n->n_args; i++) p->uses[n->args[i]]++;
    }
    for (uint32_t i = 0; i < p->body->n_outputs; i++) p->uses[p->body->outputs[i]]++;
}

/* How often is each parameter read in slices, all in the loop's direction? An input is used in no other way,
 * but to be handed on. */
static void find_inputs(SlicedLoop *p)
{
    uint32_t *reads = arena_alloc(p->arena, (p->n_params + 1) * sizeof *reads);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *n = graph_node(p->body, r);
        if (!p->reached[r] || n->op != OP_DYNAMIC_SLICE) continue;
        const Node *of = graph_node(p->body, n->args[0]);
        if (of->op == OP_PARAMETER && p->use[of->attr[0]] == PASSED && agrees(p, read_direction(p, n)))
            reads[of->attr[0]]++;
    }
    for (uint32_t k = 0; k < p->n_params; k++)
        if (p->use[k] == PASSED && reads[k] > 0 &&
            p->uses[p->body->params[k]] == reads[k] + (k >= p->n_invariant))
            p->use[k] = INPUT;
}

static bool find_slices(SlicedLoop *p)
{
    bool any = false;
    if (!find_counter(p) || !follow_positions(p)) return false;
    count_uses(p);
    p->use = arena_alloc(p->arena, (p->n_params + 1) * sizeof *p->use);
    for (uint32_t k = 0; k < p->n_params; k++)
        p->use[k] = k == p->counter ? COUNTER : handed_on(p, k) ? PASSED : PLAIN;
    for (uint32_t k = p->n_invariant; k < p->n_params; k++)
        if (p->use[k] == PLAIN && agrees(p, write_direction(p, k))) p->use[k] = OUTPUT;
    find_inputs(p);
    for (uint32_t k = 0; k < p->n_params; k++) any = any || p->use[k] == INPUT || p->use[k] == OUTPUT;
    return any;
}

static SlicedLoop open_loop(Arena *arena, const Graph *g, const Node *n)
{
    return (SlicedLoop){ .arena = arena,
                         .g = g,
                         .cond = n->regions[0],
                         .body = n->regions[1],
                         .args = n->args,
                         .n_params = n->n_args,
                         .n_invariant = (uint32_t)n->attr[0] };
}

bool raise_is_scan(Arena *arena, const Graph *g, const Node *n)
{
    SlicedLoop p = open_loop(arena, g, n);
    return find_slices(&p);
}

/* Building the scan. */

static Ref reshape(Graph *g, Ref a, Type t) { return build_reshape(g, a, t.dim, t.rank); }

static const Node *operand(const SlicedLoop *p, const Node *n) { return graph_node(p->body, n->args[0]); }

static bool has_use(const SlicedLoop *p, const Node *n, ParamUse use)
{
    return n->op == OP_PARAMETER && p->use[n->attr[0]] == use;
}

static bool reads_input(const SlicedLoop *p, const Node *n)
{
    return n->op == OP_DYNAMIC_SLICE && has_use(p, operand(p, n), INPUT);
}

static bool writes_output(const SlicedLoop *p, const Node *n)
{
    return n->op == OP_DYNAMIC_UPDATE_SLICE && has_use(p, operand(p, n), OUTPUT);
}

/* The slice without its first axis is the parameter of the new body itself. */
static Ref copy_node(const SlicedLoop *p, Graph *to, Ref r, const Ref *map)
{
    const Node *n = graph_node(p->body, r);
    to->loc = n->loc ? graph_loc(to, p->body->locs[n->loc]) : 0;
    if (reads_input(p, n)) return reshape(to, map[n->args[0]], node_type(n));
    if (n->op == OP_RESHAPE && reads_input(p, operand(p, n))) {
        Ref slice = map[operand(p, n)->args[0]];
        if (type_equal(graph_type(to, slice), node_type(n))) return slice;
    }
    return graph_copy_node(to, p->body, r, map);
}

/* An update's value without its first axis: what was given one, where that can be seen. */
static Ref written_slice(const SlicedLoop *p, Graph *to, Ref update, const Ref *map)
{
    const Node *n = graph_node(p->body, update);
    Type t = type_unstacked(node_type(n));
    bool plain = n->op == OP_RESHAPE || n->op == OP_BROADCAST;
    for (uint32_t i = 0; n->op == OP_BROADCAST && i < n->n_attr; i++)
        plain = plain && n->attr[i] == (int64_t)i + 1;
    if (plain && type_equal(node_type(operand(p, n)), t)) return map[n->args[0]];
    return reshape(to, map[update], t);
}

static void add_params(const SlicedLoop *p, Graph *to, ParamUse use, Ref *map)
{
    for (uint32_t k = 0; k < p->n_params; k++) {
        Type t = graph_type(p->body, p->body->params[k]);
        if (p->use[k] == use) map[p->body->params[k]] = build_param(to, use == INPUT ? type_unstacked(t) : t);
    }
}

/* The body's next values of the carries of this use; of an output, the slice that is written. */
static void add_outputs(const SlicedLoop *p, Graph *to, ParamUse use, const Ref *map, Ref *outputs,
                        uint32_t *n)
{
    for (uint32_t k = p->n_invariant; k < p->n_params; k++) {
        Ref next = p->body->outputs[k - p->n_invariant];
        if (p->use[k] != use) continue;
        outputs[(*n)++] =
            use == OUTPUT ? written_slice(p, to, graph_node(p->body, next)->args[1], map) : map[next];
    }
}

/* Parameters: what is handed on, the counter if it is a carry, carries, slices. Outputs: the counter,
 * carries, slices. */
static Graph *scan_body(const SlicedLoop *p, bool counted)
{
    Graph *to = graph_new_raw(p->arena, NULL);
    Ref *map = arena_alloc(p->arena, (p->body->n_nodes + 1) * sizeof *map),
        *outputs = arena_alloc(p->arena, (p->n_params + 1) * sizeof *outputs);
    Ref counter = p->body->params[p->counter];
    uint32_t n = 0;
    add_params(p, to, PASSED, map);
    if (counted) add_params(p, to, COUNTER, map);
    add_params(p, to, PLAIN, map);
    add_params(p, to, INPUT, map);
    if (!counted) map[counter] = build_splat(to, graph_type(p->body, counter), 0);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *node = graph_node(p->body, r);
        if (p->reached[r] && node->op != OP_PARAMETER && !writes_output(p, node))
            map[r] = copy_node(p, to, r, map);
    }
    if (counted) add_outputs(p, to, COUNTER, map, outputs, &n);
    add_outputs(p, to, PLAIN, map, outputs, &n);
    add_outputs(p, to, OUTPUT, map, outputs, &n);
    graph_set_outputs(to, outputs, n);
    return to;
}

static uint32_t count(const SlicedLoop *p, ParamUse use)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_params; k++) n += p->use[k] == use;
    return n;
}

/* Does the body need the counter for more than the slices' positions and its own next value? */
static bool needs_counter(const SlicedLoop *p)
{
    Graph *to = scan_body(p, true);
    Graph without = *to;
    without.outputs = to->outputs + 1;
    without.n_outputs = to->n_outputs - 1;
    return graph_reached(p->arena, &without)[to->params[count(p, PASSED)]];
}

/* What the loop is given for the parameters of this use; how many. */
static uint32_t collect(const SlicedLoop *p, ParamUse use, Ref *args)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_params; k++)
        if (p->use[k] == use) args[n++] = p->args[k];
    return n;
}

bool raise_to_scan(Graph *g, const Node *loop, Ref *out)
{
    SlicedLoop p = open_loop(g->arena, g, loop);
    if (!find_slices(&p)) return false;
    bool counted = needs_counter(&p);
    Ref *args = arena_alloc(p.arena, (p.n_params + 1) * sizeof *args),
        *made = arena_alloc(p.arena, (p.n_params + 1) * sizeof *made);
    ScanShape s = { .length = p.length, .reverse = p.direction == BACKWARD, .unroll = 1 };
    s.n_invariant = collect(&p, PASSED, args);
    s.n_carry = counted ? collect(&p, COUNTER, args + s.n_invariant) : 0;
    s.n_carry += collect(&p, PLAIN, args + s.n_invariant + s.n_carry);
    s.n_xs = collect(&p, INPUT, args + s.n_invariant + s.n_carry);
    build_scan(g, s, graph_compact(p.arena, scan_body(&p, counted)), args, made);

    uint32_t carry = counted, slice = s.n_carry;
    for (uint32_t k = p.n_invariant; k < p.n_params; k++) {
        Ref *to = &out[k - p.n_invariant];
        switch (p.use[k]) {
        case PLAIN:  *to = made[carry++]; break;
        case OUTPUT: *to = made[slice++]; break;
        case COUNTER:
            *to = counted ? made[0] : build_splat(g, graph_type(g, p.args[k]), (uint64_t)p.length);
            break;
        case PASSED:
        case INPUT:  *to = p.args[k]; break; /* handed on */
        }
    }
    return true;
}
