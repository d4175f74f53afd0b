/* parse_loop.c: what loops and windows of the text mean: a while that is a scan, a window that is a prefix.
 *
 * A scan, as JAX writes it: a counter goes from 0 up by 1 while it is less than a constant; arrays whose
 * first axis has that many elements are read in slices at the counter (or from the end), others are written
 * so. Then each array read is an input, each one written an output whose start does not matter, for every
 * slice is written; values that the body hands on unchanged are invariants; the counter goes where nothing
 * else needs it. All that is proved on the graphs here; a while that is anything else stays one.
 *
 * Positions are followed as sums of the counter (times 1, 0 or -1) and a constant. They are taken modulo the
 * width of the integers, in which they were computed, and the two that count, i and length-1-i, fit it; so no
 * overflow on the way matters.
 */
#include <string.h>
#include "compiler/graph/infer.h"
#include "parse_rules.h"

enum { FORWARD = 1, BACKWARD = -1 };
/* PASSED: an invariant, or a carry that is handed on */
typedef enum { PLAIN, COUNTER, PASSED, INPUT, OUTPUT } Role;

/* times * counter + plus; unknown unless known. */
typedef struct Position {
    bool known;
    int8_t times;
    int64_t plus;
} Position;

typedef struct Plan {
    Arena *arena;
    const Graph *g; /* around the loop */
    const Loop *loop;
    const Graph *body;
    uint32_t n_params, counter; /* of the body; the counter's number among them */
    int64_t length;
    int direction;      /* 0: not known yet */
    Position *position; /* of each node of the body */
    const bool *reached;
    uint32_t *uses; /* of each node of the body, outputs counted */
    Role *role;     /* of each parameter */
} Plan;

/* The one integer that a value is, or false. Parameters of a region have what they are given, if they keep
 * it. */
static bool constant_int(const Graph *g, Ref r, int64_t *v)
{
    const Node *n = graph_node(g, r);
    while (n->rank == 0 && (n->op == OP_BROADCAST || n->op == OP_RESHAPE) &&
           graph_type(g, n->args[0]).rank == 0)
        n = graph_node(g, n->args[0]);
    if (n->op != OP_CONSTANT || n->rank != 0 || !dtype_is_int((DType)n->dtype)) return false;
    *v = scalar_to_i64((DType)n->dtype, scalar_load((DType)n->dtype, n->data));
    return true;
}

static bool handed_on(const Loop *l, uint32_t param)
{
    return param < l->n_invariant || l->body->outputs[param - l->n_invariant] == l->body->params[param];
}

static bool known_int(const Plan *p, const Graph *region, Ref r, int64_t *v)
{
    const Node *n = graph_node(region, r);
    if (n->op != OP_PARAMETER) return constant_int(region, r, v);
    uint32_t k = (uint32_t)n->attr[0];
    return handed_on(p->loop, k) && constant_int(p->g, p->loop->args[k], v);
}

/* counter < length, or length > counter */
static bool find_counter(Plan *p)
{
    const Graph *cond = p->loop->cond;
    const Node *test = graph_node(cond, cond->outputs[0]), *counter;
    int64_t start;
    if (test->op != OP_COMPARE || (test->attr[0] != CMP_LT && test->attr[0] != CMP_GT)) return false;
    int left = test->attr[0] == CMP_GT;
    counter = graph_node(cond, test->args[left]);
    if (counter->op != OP_PARAMETER || counter->attr[0] < p->loop->n_invariant ||
        !dtype_is_int((DType)counter->dtype))
        return false;
    if (!known_int(p, cond, test->args[!left], &p->length)) return false;
    p->counter = (uint32_t)counter->attr[0];
    return p->length > 0 && constant_int(p->g, p->loop->args[p->counter], &start) && start == 0;
}

/* Positions. */

static bool is_slice_position(const Plan *p, Position x, int direction)
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
static bool is_wrapped(const Plan *p, const Node *select)
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

static Position position_of(const Plan *p, Ref r)
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
static bool follow_positions(Plan *p)
{
    p->position = arena_alloc(p->arena, (p->body->n_nodes + 1) * sizeof *p->position);
    for (Ref r = 0; r < p->body->n_nodes; r++) p->position[r] = position_of(p, r);
    Position next = p->position[p->body->outputs[p->counter - p->loop->n_invariant]];
    return next.known && next.times == 1 && next.plus == 1;
}

/* Roles. */

/* Is this a slice, or an update, of one element of the first axis at the counter? The other axes are taken
 * whole. 0: no. */
static int slice_direction(const Plan *p, const Node *n, const int64_t *sizes, const Ref *starts)
{
    Type t = graph_type(p->body, n->args[0]);
    if (t.rank == 0 || t.dim[0] != p->length || sizes[0] != 1) return 0;
    for (int i = 1; i < t.rank; i++)
        if (sizes[i] != t.dim[i]) return 0;
    return is_slice_position(p, p->position[starts[0]], FORWARD)    ? FORWARD
           : is_slice_position(p, p->position[starts[0]], BACKWARD) ? BACKWARD
                                                                    : 0;
}

static int read_direction(const Plan *p, const Node *n)
{
    return n->op == OP_DYNAMIC_SLICE ? slice_direction(p, n, n->attr, n->args + 1) : 0;
}

/* The update that is parameter k's next value, and all that is done with either. */
static int write_direction(const Plan *p, uint32_t k)
{
    Ref next = p->body->outputs[k - p->loop->n_invariant], param = p->body->params[k];
    const Node *n = graph_node(p->body, next);
    if (n->op != OP_DYNAMIC_UPDATE_SLICE || n->args[0] != param || p->uses[param] != 1 || p->uses[next] != 1)
        return 0;
    return slice_direction(p, n, graph_type(p->body, n->args[1]).dim, n->args + 2);
}

static bool agrees(Plan *p, int direction)
{
    if (direction == 0 || (p->direction && direction != p->direction)) return false;
    p->direction = direction;
    return true;
}

static void count_uses(Plan *p)
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
static void find_inputs(Plan *p)
{
    uint32_t *reads = arena_alloc(p->arena, (p->n_params + 1) * sizeof *reads);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *n = graph_node(p->body, r);
        if (!p->reached[r] || n->op != OP_DYNAMIC_SLICE) continue;
        const Node *of = graph_node(p->body, n->args[0]);
        if (of->op == OP_PARAMETER && p->role[of->attr[0]] == PASSED && agrees(p, read_direction(p, n)))
            reads[of->attr[0]]++;
    }
    for (uint32_t k = 0; k < p->n_params; k++)
        if (p->role[k] == PASSED && reads[k] > 0 &&
            p->uses[p->body->params[k]] == reads[k] + (k >= p->loop->n_invariant))
            p->role[k] = INPUT;
}

static bool make_plan(Plan *p)
{
    bool any = false;
    if (!find_counter(p) || !follow_positions(p)) return false;
    count_uses(p);
    p->role = arena_alloc(p->arena, (p->n_params + 1) * sizeof *p->role);
    for (uint32_t k = 0; k < p->n_params; k++)
        p->role[k] = k == p->counter ? COUNTER : handed_on(p->loop, k) ? PASSED : PLAIN;
    for (uint32_t k = p->loop->n_invariant; k < p->n_params; k++)
        if (p->role[k] == PLAIN && agrees(p, write_direction(p, k))) p->role[k] = OUTPUT;
    find_inputs(p);
    for (uint32_t k = 0; k < p->n_params; k++) any = any || p->role[k] == INPUT || p->role[k] == OUTPUT;
    return any;
}

static Plan new_plan(Arena *arena, const Graph *g, const Loop *l)
{
    return (
        Plan){ .arena = arena, .g = g, .loop = l, .body = l->body, .n_params = l->n_invariant + l->n_carry };
}

bool loop_is_scan(Arena *arena, const Graph *g, const Loop *l)
{
    Plan p = new_plan(arena, g, l);
    return make_plan(&p);
}

/* Building the scan. */

static Type first_slice(Type t) { return (Type){ t.dtype, (uint8_t)(t.rank - 1), t.dim + 1 }; }

static Ref reshape(Graph *g, Ref a, Type t)
{
    return graph_add_raw(g, &(NodeSpec){ .op = OP_RESHAPE,
                                         .args = &a,
                                         .n_args = 1,
                                         .dtype = (DType)t.dtype,
                                         .dim = t.dim,
                                         .rank = t.rank });
}

static bool reads_input(const Plan *p, const Node *n)
{
    return n->op == OP_DYNAMIC_SLICE && graph_node(p->body, n->args[0])->op == OP_PARAMETER &&
           p->role[graph_node(p->body, n->args[0])->attr[0]] == INPUT;
}

/* The slice without its first axis is the parameter of the new body itself. */
static Ref copy_node(const Plan *p, Graph *to, Ref r, const Ref *map)
{
    const Node *n = graph_node(p->body, r);
    Ref *args = arena_alloc(p->arena, (n->n_args + 1) * sizeof *args);
    if (reads_input(p, n)) return reshape(to, map[n->args[0]], node_type(n));
    if (n->op == OP_RESHAPE && reads_input(p, graph_node(p->body, n->args[0]))) {
        Ref slice = map[graph_node(p->body, n->args[0])->args[0]];
        if (type_equal(graph_type(to, slice), node_type(n))) return slice;
    }
    for (uint32_t i = 0; i < n->n_args; i++) args[i] = map[n->args[i]];
    to->loc = n->loc ? graph_loc(to, p->body->locs[n->loc]) : 0;
    NodeSpec s = node_spec(n);
    s.args = args;
    return graph_add_raw(to, &s);
}

/* An update's value without its first axis: what was given one, where that can be seen. */
static Ref written_slice(const Plan *p, Graph *to, Ref update, const Ref *map)
{
    const Node *n = graph_node(p->body, update);
    Type t = first_slice(node_type(n));
    bool plain = n->op == OP_RESHAPE || n->op == OP_BROADCAST;
    for (uint32_t i = 0; n->op == OP_BROADCAST && i < n->n_attr; i++)
        plain = plain && n->attr[i] == (int64_t)i + 1;
    if (plain && type_equal(graph_type(p->body, n->args[0]), t)) return map[n->args[0]];
    return reshape(to, map[update], t);
}

static void add_params(const Plan *p, Graph *to, Role role, Ref *map)
{
    for (uint32_t k = 0; k < p->n_params; k++) {
        Type t = graph_type(p->body, p->body->params[k]);
        if (p->role[k] == role) map[p->body->params[k]] = build_param(to, role == INPUT ? first_slice(t) : t);
    }
}

/* Parameters: what is handed on, the counter if it is a carry, carries, slices. Outputs: the counter,
 * carries, slices. */
static Graph *scan_body(const Plan *p, bool counted)
{
    Graph *to = graph_new(p->arena, NULL);
    Ref *map = arena_alloc(p->arena, (p->body->n_nodes + 1) * sizeof *map),
        *outputs = arena_alloc(p->arena, (p->n_params + 1) * sizeof *outputs);
    uint32_t n = 0;
    add_params(p, to, PASSED, map);
    if (counted) add_params(p, to, COUNTER, map);
    add_params(p, to, PLAIN, map);
    add_params(p, to, INPUT, map);
    if (!counted)
        map[p->body->params[p->counter]] =
            build_splat(to, graph_type(p->body, p->body->params[p->counter]), 0);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *node = graph_node(p->body, r);
        bool update = node->op == OP_DYNAMIC_UPDATE_SLICE &&
                      graph_node(p->body, node->args[0])->op == OP_PARAMETER &&
                      p->role[graph_node(p->body, node->args[0])->attr[0]] == OUTPUT;
        if (p->reached[r] && node->op != OP_PARAMETER && !update) map[r] = copy_node(p, to, r, map);
    }
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t k = p->loop->n_invariant; k < p->n_params; k++) {
            Ref next = p->body->outputs[k - p->loop->n_invariant];
            if (pass == 0 && counted && p->role[k] == COUNTER) outputs[n++] = map[next];
            if (pass == 1 && p->role[k] == PLAIN) outputs[n++] = map[next];
            if (pass == 2 && p->role[k] == OUTPUT)
                outputs[n++] = written_slice(p, to, graph_node(p->body, next)->args[1], map);
        }
    graph_set_outputs(to, outputs, n);
    return to;
}

/* Does the body need the counter for more than the slices' positions and its own next value? */
static bool needs_counter(const Plan *p)
{
    Graph *to = scan_body(p, true);
    Graph without = *to;
    without.outputs = to->outputs + 1;
    without.n_outputs = to->n_outputs - 1;
    uint32_t passed = 0;
    for (uint32_t k = 0; k < p->n_params; k++) passed += p->role[k] == PASSED;
    return graph_reached(p->arena, &without)[to->params[passed]];
}

static void collect(const Plan *p, Role role, Ref *args, uint32_t *n)
{
    for (uint32_t k = 0; k < p->n_params; k++)
        if (p->role[k] == role) args[(*n)++] = p->loop->args[k];
}

/* The whole results of a scan from the slices that its body gives. */
static Type *scan_results(const Plan *p, const Graph *body, uint32_t n_carry)
{
    Type *t = arena_alloc(p->arena, (body->n_outputs + 1) * sizeof *t);
    for (uint32_t i = 0; i < body->n_outputs; i++) {
        t[i] = graph_type(body, body->outputs[i]);
        if (i < n_carry) continue;
        int64_t *dim = arena_alloc(p->arena, (t[i].rank + 1u) * sizeof *dim);
        dim[0] = p->length;
        if (t[i].rank) memcpy(dim + 1, t[i].dim, t[i].rank * sizeof *dim);
        t[i] = (Type){ t[i].dtype, (uint8_t)(t[i].rank + 1), dim };
    }
    return t;
}

bool loop_as_scan(Graph *g, const Loop *l, Ref *out)
{
    Plan p = new_plan(g->arena, g, l);
    uint32_t n = 0, n_passed, n_carry;
    if (!make_plan(&p)) return false;
    bool counted = needs_counter(&p);
    const Graph *body = graph_compact(p.arena, scan_body(&p, counted));
    Ref *args = arena_alloc(p.arena, (p.n_params + 1) * sizeof *args),
        *made = arena_alloc(p.arena, (p.n_params + 1) * sizeof *made), node = REF_NONE;
    collect(&p, PASSED, args, &n);
    n_passed = n;
    if (counted) collect(&p, COUNTER, args, &n);
    collect(&p, PLAIN, args, &n);
    n_carry = n - n_passed;
    collect(&p, INPUT, args, &n);

    int64_t attr[] = { p.length, p.direction == BACKWARD, 1, n_passed, n_carry, n - n_passed - n_carry, 0 };
    Type *t = scan_results(&p, body, n_carry);
    NodeSpec s = { .op = OP_SCAN, .args = args, .n_args = n, .attr = attr, .n_attr = 7, .region = body };
    if (body->n_outputs == 1) s.dtype = (DType)t->dtype, s.dim = t->dim, s.rank = t->rank;
    else s.results = t, s.n_results = body->n_outputs;
    if (body->n_outputs) node = graph_add_raw(g, &s);
    results_of(g, node, body->n_outputs, made);

    uint32_t carry = counted, slice = n_carry;
    for (uint32_t k = l->n_invariant; k < p.n_params; k++) {
        Ref *to = &out[k - l->n_invariant];
        switch (p.role[k]) {
        case PLAIN:  *to = made[carry++]; break;
        case OUTPUT: *to = made[slice++]; break;
        case COUNTER:
            *to = counted ? made[0] : build_splat(g, graph_type(g, l->args[k]), (uint64_t)p.length);
            break;
        default: *to = l->args[k];
        }
    }
    return true;
}

/* Windows. */

/* The bits that a scalar always has, through broadcasts to rank 0 such as JAX writes. */
static bool is_scalar(const Graph *g, Ref r, uint64_t bits)
{
    const Node *n = graph_node(g, r);
    while (n->rank == 0 && (n->op == OP_BROADCAST || n->op == OP_RESHAPE) &&
           graph_type(g, n->args[0]).rank == 0)
        n = graph_node(g, n->args[0]);
    return n->op == OP_CONSTANT && n->rank == 0 && scalar_load((DType)n->dtype, n->data) == bits;
}

/* Along one axis of n > 1 elements a window of n, with n-1 of padding before (or behind, from the end); along
 * the others nothing. Not sums and products of narrow floats: those of a window round at each step, those of
 * a prefix once for each element. */
bool window_is_prefix(const Graph *g, const Node *n, int64_t prefix[3])
{
    Op monoid = n->n_args == 2 ? reduce_monoid(n->region) : OP_COUNT;
    Type t = graph_type(g, n->args[0]);
    WindowDims w = window_dims(OP_REDUCE_WINDOW, n->attr, t.rank);
    int axis = -1;
    if ((monoid == OP_ADD || monoid == OP_MUL) && dtype_is_float((DType)t.dtype) &&
        dtype_bytes((DType)t.dtype) < 4)
        return false;
    if (monoid != OP_ADD && monoid != OP_MUL && monoid != OP_MAX && monoid != OP_MIN) return false;
    for (int i = 0; i < t.rank; i++) {
        if (w.stride[i] != 1 || w.base_dilation[i] != 1 || w.dilation[i] != 1) return false;
        if (w.size[i] == 1 && w.low[i] == 0 && w.high[i] == 0) continue;
        bool whole = w.size[i] == t.dim[i] && w.low[i] + w.high[i] == t.dim[i] - 1 &&
                     (w.low[i] == 0 || w.high[i] == 0);
        if (axis >= 0 || !whole) return false;
        axis = i;
    }
    if (axis < 0 || !is_scalar(g, n->args[1], monoid_start(monoid, (DType)t.dtype))) return false;
    prefix[0] = monoid;
    prefix[1] = axis;
    prefix[2] = w.low[axis] == 0;
    return true;
}
