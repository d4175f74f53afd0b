/* raise_loop.c: loops that count: a WHILE whose steps can be counted is a SCAN of so many; what a SCAN reads
 * or writes in slices at the number of its step is an input or an output; a carry that counts is the number
 * of the step. For simplify and for raise_graph: see control_edit.h.
 *
 * A counter is an int carry that starts from a constant, changes by a constant, and is compared with a
 * constant. Ints wrap, so a count is followed only where no step leaves the type's range before the loop
 * ends.
 *
 * A position is followed as times * t + plus, where t is how many steps were done, modulo the width of the
 * integers in which it was computed. The two that count, t and length-1-t, fit that width, so no overflow on
 * the way matters.
 */
#include "compiler/graph/rebuild.h"
#include "control_edit.h"

static bool constant_int(const Graph *g, Ref r, int64_t *v)
{
    const Node *n = graph_node(g, r);
    if (n->op != OP_CONSTANT || n->rank || !dtype_is_int((DType)n->dtype)) return false;
    *v = scalar_to_i64((DType)n->dtype, node_bits(n));
    return true;
}

/* ---- a while of so many steps */

/* The test: the loop goes on while counter dir limit. */
typedef struct Counter {
    uint32_t carry;
    DType dtype;
    CompareDir dir;
    int64_t start, limit;
} Counter;

static CompareDir mirrored(CompareDir d)
{
    static const CompareDir other[] = { [CMP_EQ] = CMP_EQ, [CMP_NE] = CMP_NE, [CMP_LT] = CMP_GT,
                                        [CMP_LE] = CMP_GE, [CMP_GT] = CMP_LT, [CMP_GE] = CMP_LE };
    return other[d];
}

/* counter < limit, or limit > counter */
static bool find_counter(const Control *c, Counter *i)
{
    const Graph *cond = c->regions[0];
    const Node *test = graph_node(cond, cond->outputs[0]);
    if (test->op != OP_COMPARE) return false;
    bool swapped = constant_int(cond, test->args[0], &i->limit);
    if (!swapped && !constant_int(cond, test->args[1], &i->limit)) return false;
    const Node *n = graph_node(cond, test->args[swapped]);
    if (n->op != OP_PARAMETER || n->attr[0] < c->s.n_invariant) return false;
    i->carry = (uint32_t)n->attr[0] - c->s.n_invariant;
    i->dtype = (DType)n->dtype;
    i->dir = swapped ? mirrored((CompareDir)test->attr[0]) : (CompareDir)test->attr[0];
    return constant_int(c->g, c->args[n->attr[0]], &i->start);
}

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
static int64_t count_steps(const Counter *i, uint64_t by_bits)
{
    DType t = i->dtype;
    int64_t start = i->start, limit = i->limit,
            by = scalar_to_i64(t, by_bits & UINT64_MAX >> (64 - dtype_bits(t)));
    CompareDir dir = i->dir;
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
    Counter i;
    uint64_t by;
    if (!find_counter(c, &i) || !counts_by(c, i.carry, &by)) return false;
    c->s.length = count_steps(&i, by);
    if (c->s.length < 0) return false;
    c->s.unroll = 1;
    c->op = OP_SCAN;
    c->regions++;
    c->n_regions = 1;
    return true;
}

/* ---- slices at the number of the step */

/* In step t: times * t + plus, modulo the width of the value's type; unknown unless known. */
typedef struct Position {
    bool known;
    uint64_t times, plus;
} Position;

typedef enum { ELSEWHERE, FORWARD, BACKWARD } Place; /* FORWARD: t; BACKWARD: length-1-t */

typedef struct Slices {
    const Control *c;
    const Graph *body;
    Place place;        /* where the scan's slices are; ELSEWHERE: it has none yet */
    Position *position; /* of each node of the body */
    const bool *reached;
    uint32_t *uses; /* of each node of the body, outputs counted */
} Slices;

static Position position_at(const Control *c, Place place)
{
    if (place == BACKWARD) return (Position){ true, UINT64_MAX, (uint64_t)c->s.length - 1 };
    return (Position){ place == FORWARD, 1, 0 };
}

/* Does the type hold the number of each step? */
static bool counts_steps(const Control *c, DType t)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);
    return bits >= 63 || c->s.length <= (int64_t)1 << bits;
}

/* Where a value is; ELSEWHERE too if its type does not hold the number of each step. */
static Place place_of(const Slices *s, Ref r)
{
    DType t = (DType)graph_node(s->body, r)->dtype;
    Position x = s->position[r];
    if (!x.known || !counts_steps(s->c, t)) return ELSEWHERE;
    for (Place p = FORWARD; p <= BACKWARD; p++) {
        Position want = position_at(s->c, p);
        if (((x.times ^ want.times) | (x.plus ^ want.plus)) << (64 - dtype_bits(t)) == 0) return p;
    }
    return ELSEWHERE;
}

/* A carry that counts, or the numbers of the steps. */
static Position position_of_param(const Slices *s, uint32_t k)
{
    const Control *c = s->c;
    uint64_t by;
    int64_t start;
    const Node *arg = graph_node(c->g, c->args[k]);
    if (control_role(c, k) == ROLE_INPUT && arg->op == OP_IOTA && arg->attr[0] == 0)
        return position_at(c, c->s.reverse ? BACKWARD : FORWARD);
    if (control_role(c, k) != ROLE_CARRY || !counts_by(c, k - c->s.n_invariant, &by) ||
        !constant_int(c->g, c->args[k], &start))
        return (Position){ 0 };
    return (Position){ true, by, (uint64_t)start };
}

/* i < 0 ? i + n : i, for an i that is never negative */
static bool is_wrapped(const Slices *s, const Node *select)
{
    const Node *test = graph_node(s->body, select->args[0]);
    int64_t zero;
    return test->op == OP_COMPARE && test->attr[0] == CMP_LT && test->args[0] == select->args[2] &&
           constant_int(s->body, test->args[1], &zero) && zero == 0 && place_of(s, select->args[2]);
}

static Position position_of(const Slices *s, Ref r)
{
    const Node *n = graph_node(s->body, r);
    Position none = { 0 };
    int64_t v;
    if (n->rank || !dtype_is_int((DType)n->dtype) || n->n_results > 1) return none;
    const Position *x = n->n_args > 0 ? &s->position[n->args[0]] : &none,
                   *y = n->n_args > 1 ? &s->position[n->args[1]] : &none;
    switch ((Op)n->op) {
    case OP_CONSTANT:  return constant_int(s->body, r, &v) ? (Position){ true, 0, (uint64_t)v } : none;
    case OP_PARAMETER: return position_of_param(s, (uint32_t)n->attr[0]);
    case OP_ADD:       return (Position){ x->known && y->known, x->times + y->times, x->plus + y->plus };
    case OP_SUB:       return (Position){ x->known && y->known, x->times - y->times, x->plus - y->plus };
    case OP_CONVERT:   return position_at(s->c, place_of(s, n->args[0]));
    case OP_SELECT:    return is_wrapped(s, n) ? s->position[n->args[2]] : none;
    default:           return none;
    }
}

static Slices open_slices(const Control *c)
{
    const Graph *body = control_body(c);
    Arena *a = c->g->arena;
    bool sliced = c->s.n_xs > 0 || body->n_outputs > c->s.n_carry;
    Slices s = { .c = c,
                 .body = body,
                 .place = !sliced        ? ELSEWHERE
                          : c->s.reverse ? BACKWARD
                                         : FORWARD,
                 .position = arena_alloc(a, (body->n_nodes + 1) * sizeof(Position)),
                 .reached = graph_reached(a, body),
                 .uses = arena_alloc(a, (body->n_nodes + 1) * sizeof(uint32_t)) };
    for (Ref r = 0; r < body->n_nodes; r++) {
        const Node *n = graph_node(body, r);
        s.position[r] = position_of(&s, r);
        for (uint32_t i = 0; s.reached[r] && i < n->n_args; i++) s.uses[n->args[i]]++;
    }
    for (uint32_t i = 0; i < body->n_outputs; i++) s.uses[body->outputs[i]]++;
    return s;
}

/* Is this a slice, or an update, of one element of the first axis, at the place of all others? The other axes
 * are taken whole. */
static bool is_slice(Slices *s, const Node *n, const int64_t *sizes, const Ref *starts)
{
    Type t = graph_type(s->body, n->args[0]);
    if (t.rank == 0 || t.dim[0] != s->c->s.length || sizes[0] != 1) return false;
    for (int i = 1; i < t.rank; i++)
        if (sizes[i] != t.dim[i]) return false;
    Place place = place_of(s, starts[0]);
    if (place == ELSEWHERE || (s->place && s->place != place)) return false;
    s->place = place;
    return true;
}

/* What a node reads in a slice: an invariant, or an iota, which are made inside; REF_NONE: it does something
 * else. */
static Ref read_by(Slices *s, Ref r)
{
    const Node *n = graph_node(s->body, r);
    if (!s->reached[r] || n->op != OP_DYNAMIC_SLICE) return REF_NONE;
    const Node *of = graph_node(s->body, n->args[0]);
    bool fixed =
        of->op == OP_PARAMETER ? of->attr[0] < s->c->s.n_invariant : of->op == OP_IOTA && of->attr[0] == 0;
    return fixed && is_slice(s, n, n->attr, n->args + 1) ? n->args[0] : REF_NONE;
}

/* The slice that is all that a step does with a carry: it writes it. */
static Ref written_slice(Slices *s, uint32_t carry)
{
    Ref next = s->body->outputs[carry], param = s->body->params[s->c->s.n_invariant + carry];
    const Node *n = graph_node(s->body, next);
    if (n->op != OP_DYNAMIC_UPDATE_SLICE || n->args[0] != param || s->uses[param] != 1 || s->uses[next] != 1)
        return REF_NONE;
    return is_slice(s, n, graph_type(s->body, n->args[1]).dim, n->args + 2) ? n->args[1] : REF_NONE;
}

static void make_input(Edit *e, const Node *of, Ref r)
{
    if (of->op == OP_PARAMETER) e->role[of->attr[0]] = ROLE_INPUT;
    else edit_add(e, (Extra){ .role = ROLE_INPUT, .arg = build_iota(e->c->g, node_type(of), 0), .node = r });
}

/* carry that only gets a slice in each step ==> output: every slice is written, so its start does not matter
 * invariant that is only read in slices     ==> input */
bool loop_take_slices(Control *c)
{
    Slices s = open_slices(c);
    const Graph *body = s.body;
    uint32_t *reads = arena_alloc(c->g->arena, (body->n_nodes + 1) * sizeof *reads);
    Ref of;
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < c->s.n_carry; i++)
        if ((e.slice[i] = written_slice(&s, i)) != REF_NONE) e.role[c->s.n_invariant + i] = ROLE_GONE;
    for (Ref r = 0; r < body->n_nodes; r++)
        if ((of = read_by(&s, r)) != REF_NONE) reads[of]++;
    for (Ref r = 0; r < body->n_nodes; r++)
        if (reads[r] && reads[r] == s.uses[r]) make_input(&e, graph_node(body, r), r);
    if (!edit_params(&e)) return false;
    for (Ref r = 0; r < body->n_nodes; r++) {
        Type t = graph_type(body, r);
        if ((of = read_by(&s, r)) != REF_NONE && reads[of] == s.uses[of])
            e.map[0][r] = build_reshape(e.to[0], e.map[0][of], t.dim, t.rank);
    }
    c->s.reverse = s.place == BACKWARD;
    return edit_close(&e);
}

/* ---- a carry that is the number of the step */

/* Loops of more steps never end; their numbers would not even have a type. */
#define MOST_NUMBERED ((int64_t)1 << 48)

/* Numbers 0, 1, ... of the steps as an input; in i64 where t is too narrow to count them. */
static Ref step_numbers(const Control *c, DType t)
{
    return build_iota(c->g, (Type){ (uint8_t)(counts_steps(c, t) ? t : WEFT_I64), 1, &c->s.length }, 0);
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
