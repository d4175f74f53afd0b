/* raise_loop.c: loops that count. A WHILE over slices is a SCAN (for the parser: see raise.h), a WHILE whose
 * steps can be counted is a SCAN, and a carry that counts is the number of the step (for simplify: see
 * control_edit.h).
 *
 * A counter is an int carry that starts from a constant and that the test compares with a constant.
 *
 * A scan, as JAX writes it: the counter goes from 0 up by 1 while it is less than the limit; arrays whose
 * first axis has that many elements are read in slices at the counter (or from the end), others are written
 * so. Then each array read is an input, and each one written is an output, whose start does not matter, for
 * every slice is written; values that the body hands on unchanged are invariants; the counter is dropped if
 * nothing else needs it. All that is proved on the graphs here; a while that is anything else stays one.
 *
 * A position is followed as a sum of the counter (times 1, 0 or -1) and a constant, modulo the width of the
 * integers in which it was computed. The two that count, i and length-1-i, fit that width, so no overflow on
 * the way matters.
 *
 * Without slices the counter may start anywhere and change by any constant. Ints wrap, so a count is followed
 * only where no step leaves the type's range before the loop ends.
 */
#include "raise.h"
#include "compiler/graph/rebuild.h"
#include "control_edit.h"

enum { FORWARD = 1, BACKWARD = -1 };
/* PASSED: an invariant, or a carry that is handed on */
typedef enum { PLAIN, COUNTER, PASSED, INPUT, OUTPUT } ParamUse;

/* times * counter + plus; unknown unless known. */
typedef struct Position {
    bool known;
    int8_t times;
    int64_t plus;
} Position;

/* A WHILE. */
typedef struct CountedLoop {
    Arena *arena;
    const Graph *g, *cond, *body; /* g: around the loop */
    const Ref *args;              /* of the loop: invariants, then carries */
    uint32_t n_params, n_invariant;

    /* the test: it goes on while counter dir limit */
    uint32_t counter; /* its number among the parameters */
    CompareDir dir;
    int64_t start, limit;

    /* the slices */
    int direction;      /* 0: not known yet */
    Position *position; /* of each node of the body */
    const bool *reached;
    uint32_t *uses; /* of each node of the body, outputs counted */
    ParamUse *use;  /* of each parameter */
} CountedLoop;

static bool constant_int(const Graph *g, Ref r, int64_t *v)
{
    const Node *n = raise_constant(g, r);
    if (!n || !dtype_is_int((DType)n->dtype)) return false;
    *v = scalar_to_i64((DType)n->dtype, node_bits(n));
    return true;
}

static bool handed_on(const CountedLoop *p, uint32_t param)
{
    return param < p->n_invariant || p->body->outputs[param - p->n_invariant] == p->body->params[param];
}

/* The one integer that a value of a region is. A parameter that is handed on has what the loop is given. */
static bool known_int(const CountedLoop *p, const Graph *region, Ref r, int64_t *v)
{
    const Node *n = graph_node(region, r);
    if (n->op != OP_PARAMETER) return constant_int(region, r, v);
    uint32_t k = (uint32_t)n->attr[0];
    return handed_on(p, k) && constant_int(p->g, p->args[k], v);
}

static CompareDir mirrored(CompareDir d)
{
    static const CompareDir other[] = { [CMP_EQ] = CMP_EQ, [CMP_NE] = CMP_NE, [CMP_LT] = CMP_GT,
                                        [CMP_LE] = CMP_GE, [CMP_GT] = CMP_LT, [CMP_GE] = CMP_LE };
    return other[d];
}

/* counter < limit, or limit > counter */
static bool find_counter(CountedLoop *p)
{
    const Node *test = graph_node(p->cond, p->cond->outputs[0]);
    if (test->op != OP_COMPARE) return false;
    bool swapped = known_int(p, p->cond, test->args[0], &p->limit);
    if (!swapped && !known_int(p, p->cond, test->args[1], &p->limit)) return false;
    const Node *counter = graph_node(p->cond, test->args[swapped]);
    if (counter->op != OP_PARAMETER || counter->attr[0] < p->n_invariant) return false;
    p->counter = (uint32_t)counter->attr[0];
    p->dir = swapped ? mirrored((CompareDir)test->attr[0]) : (CompareDir)test->attr[0];
    return constant_int(p->g, p->args[p->counter], &p->start);
}

/* Positions. */

/* FORWARD: i; BACKWARD: length-1-i; 0: any other */
static int direction_of(const CountedLoop *p, Position x)
{
    return x.known && x.plus == (x.times == BACKWARD ? p->limit - 1 : 0) ? x.times : 0;
}

static Position combine(Position a, Position b, int sign)
{
    int times = a.times + sign * b.times;
    int64_t plus = (int64_t)((uint64_t)a.plus + (sign > 0 ? (uint64_t)b.plus : 0 - (uint64_t)b.plus));
    return (Position){ a.known && b.known && times >= -1 && times <= 1, (int8_t)times, plus };
}

/* i < 0 ? i + n : i, for an i that is never negative */
static bool is_wrapped(const CountedLoop *p, const Node *select)
{
    const Node *test = graph_node(p->body, select->args[0]);
    Position i = p->position[select->args[2]];
    if (test->op != OP_COMPARE || test->attr[0] != CMP_LT || !direction_of(p, i)) return false;
    Position left = p->position[test->args[0]], right = p->position[test->args[1]];
    return left.known && left.times == i.times && left.plus == i.plus && right.known && right.times == 0 &&
           right.plus == 0;
}

static bool holds(DType t, int64_t v) { return dtype_bits(t) >= 64 || v >> (dtype_bits(t) - 1) == 0; }

static Position position_of(const CountedLoop *p, Ref r)
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
        bool fits = direction_of(p, from) || (from.known && from.times == 0 && from.plus >= 0);
        return fits && holds((DType)n->dtype, from.times ? p->limit : from.plus) ? from : none;
    }
    default: return none;
    }
}

/* The counter must go up by one, in the integers in which the test is made. */
static bool follow_positions(CountedLoop *p)
{
    p->position = arena_alloc(p->arena, (p->body->n_nodes + 1) * sizeof *p->position);
    for (Ref r = 0; r < p->body->n_nodes; r++) p->position[r] = position_of(p, r);
    Position next = p->position[p->body->outputs[p->counter - p->n_invariant]];
    return next.known && next.times == 1 && next.plus == 1;
}

/* What parameters are for. */

/* Is this a slice, or an update, of one element of the first axis at the counter? The other axes are taken
 * whole. 0: no. */
static int slice_direction(const CountedLoop *p, const Node *n, const int64_t *sizes, const Ref *starts)
{
    Type t = graph_type(p->body, n->args[0]);
    if (t.rank == 0 || t.dim[0] != p->limit || sizes[0] != 1) return 0;
    for (int i = 1; i < t.rank; i++)
        if (sizes[i] != t.dim[i]) return 0;
    return direction_of(p, p->position[starts[0]]);
}

/* The update that is parameter k's next value, and all that is done with either. */
static int write_direction(const CountedLoop *p, uint32_t k)
{
    Ref next = p->body->outputs[k - p->n_invariant], param = p->body->params[k];
    const Node *n = graph_node(p->body, next);
    if (n->op != OP_DYNAMIC_UPDATE_SLICE || n->args[0] != param || p->uses[param] != 1 || p->uses[next] != 1)
        return 0;
    return slice_direction(p, n, graph_type(p->body, n->args[1]).dim, n->args + 2);
}

static bool agrees(CountedLoop *p, int direction)
{
    if (direction == 0 || (p->direction && direction != p->direction)) return false;
    p->direction = direction;
    return true;
}

static void count_uses(CountedLoop *p)
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
static void find_inputs(CountedLoop *p)
{
    uint32_t *reads = arena_alloc(p->arena, (p->n_params + 1) * sizeof *reads);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *n = graph_node(p->body, r);
        if (!p->reached[r] || n->op != OP_DYNAMIC_SLICE) continue;
        const Node *of = graph_node(p->body, n->args[0]);
        if (of->op == OP_PARAMETER && p->use[of->attr[0]] == PASSED &&
            agrees(p, slice_direction(p, n, n->attr, n->args + 1)))
            reads[of->attr[0]]++;
    }
    for (uint32_t k = 0; k < p->n_params; k++)
        if (p->use[k] == PASSED && reads[k] > 0 &&
            p->uses[p->body->params[k]] == reads[k] + (k >= p->n_invariant))
            p->use[k] = INPUT;
}

static bool find_slices(CountedLoop *p)
{
    bool any = false;
    if (!find_counter(p) || p->dir != CMP_LT || p->start != 0 || p->limit <= 0 || !follow_positions(p))
        return false;
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

static CountedLoop open_loop(Arena *arena, const Graph *g, const Node *n)
{
    return (CountedLoop){ .arena = arena,
                          .g = g,
                          .cond = n->regions[0],
                          .body = n->regions[1],
                          .args = n->args,
                          .n_params = n->n_args,
                          .n_invariant = (uint32_t)n->attr[0] };
}

bool raise_is_scan(Arena *arena, const Graph *g, const Node *n)
{
    CountedLoop p = open_loop(arena, g, n);
    return find_slices(&p);
}

/* Building the scan. */

static Ref reshape(Graph *g, Ref a, Type t) { return build_reshape(g, a, t.dim, t.rank); }

static const Node *operand(const CountedLoop *p, const Node *n) { return graph_node(p->body, n->args[0]); }

static bool has_use(const CountedLoop *p, const Node *n, ParamUse use)
{
    return n->op == OP_PARAMETER && p->use[n->attr[0]] == use;
}

static bool reads_input(const CountedLoop *p, const Node *n)
{
    return n->op == OP_DYNAMIC_SLICE && has_use(p, operand(p, n), INPUT);
}

static bool writes_output(const CountedLoop *p, const Node *n)
{
    return n->op == OP_DYNAMIC_UPDATE_SLICE && has_use(p, operand(p, n), OUTPUT);
}

/* The slice without its first axis is the parameter of the new body itself. */
static Ref copy_node(const CountedLoop *p, Graph *to, Ref r, const Ref *map)
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
static Ref written_slice(const CountedLoop *p, Graph *to, Ref update, const Ref *map)
{
    const Node *n = graph_node(p->body, update);
    Type t = type_unstacked(node_type(n));
    bool plain = n->op == OP_RESHAPE || n->op == OP_BROADCAST;
    for (uint32_t i = 0; n->op == OP_BROADCAST && i < n->n_attr; i++)
        plain = plain && n->attr[i] == (int64_t)i + 1;
    if (plain && type_equal(node_type(operand(p, n)), t)) return map[n->args[0]];
    return reshape(to, map[update], t);
}

static void take_params(const CountedLoop *p, RegionBuild *to, ParamUse use, Ref *map)
{
    for (uint32_t k = 0; k < p->n_params; k++) {
        Type t = graph_type(p->body, p->body->params[k]);
        if (p->use[k] == use)
            map[p->body->params[k]] = region_take(to, use == INPUT ? type_unstacked(t) : t, p->args[k]);
    }
}

/* The body's next values of the carries of this use; of an output, the slice that is written. */
static void give_outputs(const CountedLoop *p, RegionBuild *to, ParamUse use, const Ref *map)
{
    for (uint32_t k = p->n_invariant; k < p->n_params; k++) {
        Ref next = p->body->outputs[k - p->n_invariant];
        if (p->use[k] == use)
            region_give(to, use == OUTPUT ? written_slice(p, to->g, graph_node(p->body, next)->args[1], map)
                                          : map[next]);
    }
}

/* Parameters: what is handed on, the counter if it is a carry, carries, slices; s: how many. Outputs: the
 * counter, carries, slices. */
static RegionBuild scan_body(const CountedLoop *p, bool counted, ScanShape *s)
{
    RegionBuild to = { .g = graph_new_raw(p->arena, NULL),
                       .args = graph_refs(p->arena, p->n_params),
                       .out = graph_refs(p->arena, p->n_params) };
    Ref *map = graph_refs(p->arena, p->body->n_nodes), counter = p->body->params[p->counter];
    take_params(p, &to, PASSED, map);
    s->n_invariant = region_count(&to);
    if (counted) take_params(p, &to, COUNTER, map);
    take_params(p, &to, PLAIN, map);
    s->n_carry = region_count(&to);
    take_params(p, &to, INPUT, map);
    s->n_xs = region_count(&to);
    if (!counted) map[counter] = build_splat(to.g, graph_type(p->body, counter), 0);
    for (Ref r = 0; r < p->body->n_nodes; r++) {
        const Node *node = graph_node(p->body, r);
        if (p->reached[r] && node->op != OP_PARAMETER && !writes_output(p, node))
            map[r] = copy_node(p, to.g, r, map);
    }
    if (counted) give_outputs(p, &to, COUNTER, map);
    give_outputs(p, &to, PLAIN, map);
    give_outputs(p, &to, OUTPUT, map);
    graph_set_outputs(to.g, to.out, to.n_out);
    return to;
}

/* Does the body need the counter for more than the slices' positions and its own next value? */
static bool needs_counter(const CountedLoop *p)
{
    ScanShape s;
    Graph without = *scan_body(p, true, &s).g;
    without.outputs++;
    without.n_outputs--;
    return graph_reached(p->arena, &without)[without.params[s.n_invariant]];
}

bool raise_to_scan(Graph *g, const Node *loop, Ref *out)
{
    CountedLoop p = open_loop(g->arena, g, loop);
    if (!find_slices(&p)) return false;
    bool counted = needs_counter(&p);
    ScanShape s = { .length = p.limit, .reverse = p.direction == BACKWARD, .unroll = 1 };
    RegionBuild body = scan_body(&p, counted, &s);
    Ref *made = graph_refs(p.arena, p.n_params);
    build_scan(g, s, graph_compact(p.arena, body.g), body.args, made);

    uint32_t carry = counted, slice = s.n_carry;
    for (uint32_t k = p.n_invariant; k < p.n_params; k++) {
        Ref *to = &out[k - p.n_invariant];
        switch (p.use[k]) {
        case PLAIN:  *to = made[carry++]; break;
        case OUTPUT: *to = made[slice++]; break;
        case COUNTER:
            *to = counted ? made[0] : build_splat(g, graph_type(g, p.args[k]), (uint64_t)p.limit);
            break;
        case PASSED:
        case INPUT:  *to = p.args[k]; break; /* handed on */
        }
    }
    return true;
}

/* A while of so many steps. */

/* carry = carry + by, a constant, of one int type; wraps. */
static bool counts_by(const Control *c, uint32_t carry, uint64_t *by)
{
    const Graph *body = control_body(c);
    const Node *n = graph_node(body, body->outputs[carry]);
    Ref self = body->params[c->s.n_invariant + carry];
    if (n->rank || !dtype_is_int((DType)n->dtype) || (n->op != OP_ADD && n->op != OP_SUB)) return false;
    const Node *x = graph_node(body, n->args[0]), *y = graph_node(body, n->args[1]);
    bool right = n->args[0] == self && y->op == OP_CONSTANT,
         left = n->op == OP_ADD && n->args[1] == self && x->op == OP_CONSTANT;
    if (!right && !left) return false;
    *by = node_bits(right ? y : x);
    if (n->op == OP_SUB) *by = 0 - *by;
    return true;
}

/* Steps until the test is false, as the counter is start, start + by, ...; -1 if a step would leave the
 * type's range first, or none ever ends it. */
static int64_t count_steps(const CountedLoop *p, uint64_t by_bits)
{
    DType t = (DType)graph_type(p->body, p->body->params[p->counter]).dtype;
    int64_t start = p->start, limit = p->limit,
            by = scalar_to_i64(t, by_bits & UINT64_MAX >> (64 - dtype_bits(t)));
    CompareDir dir = p->dir;
    int bits = dtype_bits(t);
    if (!dtype_is_signed(t)) {
        if (bits == 64 && (start < 0 || limit < 0)) return -1;
        by = (int64_t)((uint64_t)by << (64 - bits)) >> (64 - bits); /* down by one is up by the greatest */
    }
    int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - dtype_is_signed(t))) - 1,
            least = dtype_is_signed(t) ? -most - 1 : 0;
    if (dir == CMP_GT || dir == CMP_GE) { /* the mirror image */
        if (start == INT64_MIN || limit == INT64_MIN || by == INT64_MIN) return -1;
        int64_t top = least == INT64_MIN ? INT64_MAX : -least;
        start = -start, limit = -limit, by = -by, most = top;
        dir = dir == CMP_GT ? CMP_LT : CMP_LE;
    }
    if (dir == CMP_LE) {
        if (limit == INT64_MAX) return -1;
        limit++;
    } else if (dir != CMP_LT) return -1;
    if (start >= limit) return 0;
    if (by <= 0) return -1;
    uint64_t steps = ((uint64_t)limit - (uint64_t)start + (uint64_t)by - 1) / (uint64_t)by;
    return steps <= INT64_MAX && steps <= ((uint64_t)most - (uint64_t)start) / (uint64_t)by ? (int64_t)steps
                                                                                            : -1;
}

/* while (i < 10) { ...; i = i + 1 }      from a constant i ==> scan of so many steps
 * Not where i would wrap before. */
bool loop_count(Control *c)
{
    CountedLoop p = { .g = c->g,
                      .cond = c->regions[0],
                      .body = c->regions[1],
                      .args = c->args,
                      .n_params = control_n_args(c),
                      .n_invariant = c->s.n_invariant };
    uint64_t by;
    if (!find_counter(&p) || !counts_by(c, p.counter - p.n_invariant, &by)) return false;
    c->s.length = count_steps(&p, by);
    if (c->s.length < 0) return false;
    c->s.unroll = 1;
    c->op = OP_SCAN;
    c->regions++;
    c->n_regions = 1;
    return true;
}

/* A carry that is the number of the step. */

/* Loops of more steps never end; their numbers would not even have a type. */
#define MOST_NUMBERED ((int64_t)1 << 48)

/* Numbers 0, 1, ... of the steps as an input; in i64 where t is too narrow to count them. */
static Ref step_numbers(const Control *c, DType t)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);
    bool fits = bits >= 63 || c->s.length <= (int64_t)1 << bits;
    return build_iota(c->g, (Type){ (uint8_t)(fits ? t : WEFT_I64), 1, &c->s.length }, 0);
}

/* start + by * number of the step, all in the type's wrapping arithmetic. A scan that runs backwards numbers
 * its steps from the end. */
static Ref count_at(const Control *c, Graph *region, Ref start, Ref number, uint64_t by)
{
    DType t = (DType)graph_node(region, start)->dtype;
    Type scalar = { (uint8_t)t, 0, NULL };
    uint64_t all = UINT64_MAX >> (64 - dtype_bits(t));
    if (c->s.reverse) {
        start = build_binary(region, OP_ADD, start,
                             build_splat(region, scalar, by * (uint64_t)(c->s.length - 1) & all));
        by = 0 - by;
    }
    return build_binary(region, OP_ADD, start,
                        build_binary(region, OP_MUL, build_convert(region, number, t),
                                     build_splat(region, scalar, by & all)));
}

/* carry that counts by a constant ==> its start and the number of the step; its end is known */
bool loop_number_steps(Control *c)
{
    uint64_t by;
    Edit e;
    if (c->s.length > MOST_NUMBERED) return false;
    edit_open(&e, c);
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        if (!counts_by(c, i, &by)) continue;
        uint32_t p = c->s.n_invariant + i;
        DType t = (DType)graph_node(c->g, c->args[p])->dtype;
        Ref total = build_splat(c->g, (Type){ (uint8_t)t, 0, NULL },
                                by * (uint64_t)c->s.length & UINT64_MAX >> (64 - dtype_bits(t)));
        control_settle(c, i, build_binary(c->g, OP_ADD, c->args[p], total));
        e.role[p] = ROLE_INVARIANT;
        e.keep[i] = false;
        edit_add(&e, (Extra){ .role = ROLE_INPUT, .arg = step_numbers(c, t), .region = NOWHERE });
    }
    if (!edit_params(&e)) return false;
    const Graph *body = control_body(c);
    for (uint32_t i = 0, x = 0; i < c->s.n_carry; i++) {
        Ref *p = &e.map[0][body->params[c->s.n_invariant + i]];
        if (!e.keep[i] && counts_by(c, i, &by)) *p = count_at(c, e.to[0], *p, e.extra[x++].param[0], by);
    }
    return edit_close(&e);
}
