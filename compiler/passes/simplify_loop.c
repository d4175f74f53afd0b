/* simplify_loop.c: rules for SCAN and WHILE. Each looks at the operands and at the body, and edits what it finds (control_edit.h); true: it found something.
 *
 * Steps are done in the same order with the same operations, so every bit stays. What is taken out of a body runs even where the body would not have: that
 * may be work for nothing, but no op has effects; only a WHILE is never taken out of another's body, for it might not end.
 */
#include "simplify_parts.h"
#include <string.h>

/* ---- what nobody needs */

/* Marks what node r needs, itself included; carries whose parameter is met bring their outputs along. */
typedef struct Reach { const Graph *body; bool *needed; Ref *stack; uint32_t n; const Control *c; } Reach;

static void reach_push(Reach *x, Ref r)
{
    if (x->needed[r]) return;
    x->needed[r] = true;
    x->stack[x->n++] = r;
}

static void reach(Reach *x, Ref r)
{
    reach_push(x, r);
    while (x->n) {
        const Node *n = graph_node(x->body, x->stack[--x->n]);
        for (uint32_t i = 0; i < n->n_args; i++) reach_push(x, n->args[i]);
        if (n->op == OP_PARAMETER && control_role(x->c, (uint32_t)n->attr[0]) == ROLE_CARRY)
            reach_push(x, x->body->outputs[n->attr[0] - x->c->s.n_invariant]);
    }
}

/* Results without users, carries that feed only themselves, operands that no step reads. */
bool loop_drop_unneeded(Control *c)
{
    Arena *a = c->g->arena;
    const Graph *body = control_body(c), *cond = c->op == OP_WHILE ? c->regions[0] : NULL;
    const bool *tested = cond ? graph_reached(a, cond) : NULL;
    Reach x = { .body = body, .needed = arena_alloc(a, body->n_nodes), .stack = arena_alloc(a, (body->n_nodes + 1) * sizeof(Ref)), .c = c };
    bool *wanted = arena_alloc(a, control_n_outputs(c) + 1), gone = false;
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] != NOWHERE) wanted[c->at[i]] = true;
    for (uint32_t i = 0; cond && i < cond->n_params; i++)
        if (tested[cond->params[i]]) reach(&x, body->params[i]);
    for (uint32_t i = 0; i < control_n_outputs(c); i++)
        if (wanted[i]) reach(&x, i < c->s.n_carry ? body->params[c->s.n_invariant + i] : body->outputs[i]);
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < control_n_args(c); i++)
        if (!x.needed[body->params[i]]) e.role[i] = ROLE_GONE, gone = true;
    for (uint32_t i = 0; i < control_n_outputs(c); i++) {
        e.keep[i] = i < c->s.n_carry ? e.role[c->s.n_invariant + i] != ROLE_GONE : wanted[i];
        gone |= !e.keep[i];
    }
    if (!gone) return false;
    edit_params(&e);
    edit_close(&e);
    return true;
}

/* ---- what parameters are */

/* A result that is known: all that ask for this output get it. */
static void settle(Control *c, uint32_t output, Ref value)
{
    for (uint32_t i = 0; i < c->n_results; i++)
        if (c->at[i] == output) c->at[i] = NOWHERE, c->out[i] = value;
}

static bool same_splat(const Node *a, const Node *b)
{
    return a->op == OP_CONSTANT && b->op == OP_CONSTANT && a->attr[0] && b->attr[0]
        && scalar_load((DType)a->dtype, a->data) == scalar_load((DType)b->dtype, b->data);
}

/* A carry that never changes: the body hands it on, or gives the constant or the invariant it started from. */
static bool never_changes(const Control *c, uint32_t carry)
{
    const Graph *body = control_body(c);
    Ref out = body->outputs[carry], start = c->args[c->s.n_invariant + carry];
    const Node *n = graph_node(body, out);
    if (out == body->params[c->s.n_invariant + carry]) return true;
    if (n->op == OP_PARAMETER) return control_role(c, (uint32_t)n->attr[0]) == ROLE_INVARIANT && c->args[n->attr[0]] == start;
    return same_splat(n, graph_node(c->g, start));
}

/* carry that never changes ==> invariant */
bool loop_fix_carries(Control *c)
{
    Edit e;
    bool found = false;
    for (uint32_t i = 0; i < c->s.n_carry && !found; i++) found = never_changes(c, i);
    if (!found) return false;
    edit_open(&e, c);
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        if (!never_changes(c, i)) continue;
        e.role[c->s.n_invariant + i] = ROLE_INVARIANT;
        e.keep[i] = false;
    }
    for (uint32_t i = 0; i < c->s.n_carry; i++)
        if (!e.keep[i]) settle(c, i, c->args[c->s.n_invariant + i]);
    edit_params(&e);
    edit_close(&e);
    return true;
}

/* By parameter: one that always has the same value. Carries do if they start alike and are given alike. */
static uint32_t *twins(const Control *c)
{
    Arena *a = c->g->arena;
    uint32_t n = control_n_args(c);
    uint64_t *keys = arena_alloc(a, (n + 1) * sizeof *keys);
    for (uint32_t i = 0; i < n; i++) {
        bool carry = control_role(c, i) == ROLE_CARRY;
        uint64_t how = carry ? control_body(c)->outputs[i - c->s.n_invariant] + UINT64_C(1) : control_role(c, i) == ROLE_INPUT ? 0 : UINT32_MAX;
        keys[i] = how << 32 | c->args[i];
    }
    return first_of_equals(a, keys, n);
}

/* broadcast along the axis of steps ==> the same in each step: what is left of it is an invariant */
static bool is_same_each_step(const Node *n)
{
    if (n->op != OP_BROADCAST) return false;
    for (uint32_t i = 0; i < n->n_attr; i++)
        if (n->attr[i] == 0) return false;
    return true;
}

static Ref step_of_broadcast(Graph *g, const Node *n)
{
    int64_t axes[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < n->n_attr; i++) axes[i] = n->attr[i] - 1;
    return build_broadcast(g, n->args[0], n->dim + 1, n->rank - 1, axes);
}

/* Equal operands are one; constants and iotas are made inside; inputs that are the same in each step are invariants. */
bool loop_settle_params(Control *c)
{
    const uint32_t *first = twins(c);
    uint32_t n = control_n_args(c);
    const Node **sunk = arena_alloc(c->g->arena, (n + 1) * sizeof *sunk);
    bool found = false;
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < n; i++) {
        const Node *arg = graph_node(c->g, c->args[i]);
        Role role = e.role[i];
        if (first[i] != i) e.role[i] = ROLE_GONE;
        else if (role != ROLE_CARRY && control_sinks(arg) && !(role == ROLE_INPUT && arg->op == OP_IOTA && arg->attr[0] == 0)) e.role[i] = ROLE_GONE, sunk[i] = arg;
        else if (role == ROLE_INPUT && is_same_each_step(arg)) e.role[i] = ROLE_INVARIANT, e.arg[i] = step_of_broadcast(c->g, arg);
        found |= e.role[i] != role;
        if (role == ROLE_CARRY && first[i] != i) {
            for (uint32_t k = 0; k < c->n_results; k++)
                if (c->at[k] == i - c->s.n_invariant) c->at[k] = first[i] - c->s.n_invariant;
            e.keep[i - c->s.n_invariant] = false;
        }
    }
    if (!found) return false;
    edit_params(&e);
    for (uint32_t k = 0; k < c->n_regions; k++)
        for (uint32_t i = 0; i < n; i++) {
            Ref *map = e.map[k], p = c->regions[k]->params[i];
            if (sunk[i]) map[p] = control_sink(e.to[k], sunk[i], control_role(c, i));
            else if (first[i] != i) map[p] = map[c->regions[k]->params[first[i]]];
        }
    edit_close(&e);
    return true;
}

/* invariant broadcast(x) ==> invariant x, broadcast inside */
bool loop_sink_broadcasts(Control *c)
{
    uint32_t n = c->s.n_invariant;
    bool found = false;
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = 0; i < n; i++) {
        const Node *arg = graph_node(c->g, c->args[i]);
        if (arg->op == OP_BROADCAST) e.arg[i] = arg->args[0], found = true;
    }
    if (!found) return false;
    edit_params(&e);
    for (uint32_t k = 0; k < c->n_regions; k++)
        for (uint32_t i = 0; i < n; i++) {
            const Node *arg = graph_node(c->g, c->args[i]);
            Ref *p = &e.map[k][c->regions[k]->params[i]];
            if (arg->op == OP_BROADCAST) *p = build_broadcast(e.to[k], *p, arg->dim, arg->rank, arg->attr);
        }
    edit_close(&e);
    return true;
}

/* ---- what outputs are */

/* Of a value that is the same in each step. */
static Ref stacked(const Control *c, Ref r)
{
    const Node *n = graph_node(c->g, r);
    int64_t dim[WEFT_MAX_RANK + 1] = { c->s.length }, axes[WEFT_MAX_RANK];
    for (int i = 0; i < n->rank; i++) dim[i + 1] = n->dim[i], axes[i] = i + 1;
    return build_broadcast(c->g, r, dim, n->rank + 1, axes);
}

/* A stacked output that is an input, an invariant or a constant; else REF_NONE. */
static Ref known_output(const Control *c, Ref out)
{
    const Node *n = graph_node(control_body(c), out);
    if (control_sinks(n)) return stacked(c, control_sink(c->g, n, ROLE_INVARIANT));
    if (n->op != OP_PARAMETER || control_role(c, (uint32_t)n->attr[0]) == ROLE_CARRY) return REF_NONE;
    Ref arg = c->args[n->attr[0]];
    return control_role(c, (uint32_t)n->attr[0]) == ROLE_INPUT ? arg : stacked(c, arg);
}

/* Those that can be told without the loop leave it; equal ones are one. */
bool loop_settle_outputs(Control *c)
{
    const Graph *body = control_body(c);
    uint32_t n = control_n_outputs(c);
    uint64_t *keys = arena_alloc(c->g->arena, (n + 1) * sizeof *keys);
    bool found = false;
    for (uint32_t i = 0; i < n; i++) keys[i] = i < c->s.n_carry ? UINT64_C(1) << 32 | i : body->outputs[i];
    const uint32_t *first = first_of_equals(c->g->arena, keys, n);
    Edit e;
    edit_open(&e, c);
    for (uint32_t i = c->s.n_carry; i < n; i++) {
        Ref value = known_output(c, body->outputs[i]);
        e.keep[i] = value == REF_NONE && first[i] == i;
        found |= !e.keep[i];
        if (value != REF_NONE) settle(c, i, value);
        for (uint32_t k = 0; first[i] != i && k < c->n_results; k++)
            if (c->at[k] == i) c->at[k] = first[i];
    }
    if (!found) return false;
    edit_params(&e);
    edit_close(&e);
    return true;
}

/* ---- counters */

/* carry = carry + by, a constant, of one int type; wraps. */
static bool counts_by(const Control *c, uint32_t carry, uint64_t *by)
{
    const Graph *body = control_body(c);
    const Node *n = graph_node(body, body->outputs[carry]);
    Ref self = body->params[c->s.n_invariant + carry];
    if (n->rank || !dtype_is_int((DType)n->dtype) || (n->op != OP_ADD && n->op != OP_SUB)) return false;
    const Node *x = graph_node(body, n->args[0]), *y = graph_node(body, n->args[1]);
    bool right = n->args[0] == self && y->op == OP_CONSTANT, left = n->op == OP_ADD && n->args[1] == self && x->op == OP_CONSTANT;
    if (!right && !left) return false;
    *by = scalar_load((DType)n->dtype, right ? y->data : x->data);
    if (n->op == OP_SUB) *by = 0 - *by;
    return true;
}

/* Steps until `i dir limit` is false, i = start, start + by, ...; -1 if a step would leave the type's range first, or none ever ends it. */
static int64_t count_steps(DType t, CompareDir dir, uint64_t start_bits, uint64_t by_bits, uint64_t limit_bits)
{
    int64_t start = scalar_to_i64(t, start_bits), limit = scalar_to_i64(t, limit_bits), by = scalar_to_i64(t, by_bits & UINT64_MAX >> (64 - dtype_bits(t)));
    int bits = dtype_bits(t);
    if (!dtype_is_signed(t)) {
        if (bits == 64 && (start < 0 || limit < 0)) return -1;
        by = (int64_t)((uint64_t)by << (64 - bits)) >> (64 - bits);            /* down by one is up by the greatest */
    }
    int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - dtype_is_signed(t))) - 1, least = dtype_is_signed(t) ? -most - 1 : 0;
    if (dir == CMP_GT || dir == CMP_GE) {                                       /* the mirror image */
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
    return steps <= INT64_MAX && steps <= ((uint64_t)most - (uint64_t)start) / (uint64_t)by ? (int64_t)steps : -1;
}

static CompareDir mirrored(CompareDir d)
{
    static const CompareDir other[] = { [CMP_EQ] = CMP_EQ, [CMP_NE] = CMP_NE, [CMP_LT] = CMP_GT, [CMP_LE] = CMP_GE, [CMP_GT] = CMP_LT, [CMP_GE] = CMP_LE };
    return other[d];
}

/* while (i < 10) { ...; i = i + 1 }      from a constant i ==> scan of so many steps
 * Not where i would wrap before. */
bool loop_count(Control *c)
{
    const Graph *cond = c->regions[0];
    const Node *test = graph_node(cond, cond->outputs[0]);
    if (test->op != OP_COMPARE || !dtype_is_int((DType)graph_node(cond, test->args[0])->dtype)) return false;
    const Node *x = graph_node(cond, test->args[0]), *y = graph_node(cond, test->args[1]);
    bool swapped = x->op == OP_CONSTANT;
    const Node *i = swapped ? y : x, *limit = swapped ? x : y;
    if (i->op != OP_PARAMETER || limit->op != OP_CONSTANT || control_role(c, (uint32_t)i->attr[0]) != ROLE_CARRY) return false;
    const Node *start = graph_node(c->g, c->args[i->attr[0]]);
    uint64_t by;
    if (start->op != OP_CONSTANT || !counts_by(c, (uint32_t)i->attr[0] - c->s.n_invariant, &by)) return false;
    DType t = (DType)i->dtype;
    CompareDir dir = (CompareDir)test->attr[0];
    c->s.length = count_steps(t, swapped ? mirrored(dir) : dir, scalar_load(t, start->data), by, scalar_load(t, limit->data));
    if (c->s.length < 0) return false;
    c->s.unroll = 1;
    c->op = OP_SCAN;
    c->regions++;
    c->n_regions = 1;
    return true;
}

/* Loops of more steps never end; their numbers would not even have a type. */
#define MOST_NUMBERED ((int64_t)1 << 48)

/* Numbers 0, 1, ... of the steps as an input; in i64 where t is too narrow to count them. */
static Ref step_numbers(const Control *c, DType t)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);
    bool fits = bits >= 63 || c->s.length <= (int64_t)1 << bits;
    return build_iota(c->g, (Type){ (uint8_t)(fits ? t : WEFT_I64), 1, &c->s.length }, 0);
}

/* start + by * number of the step, all in the type's wrapping arithmetic. A scan that runs backwards numbers its steps from the end. */
static Ref count_at(const Control *c, Graph *region, Ref start, Ref number, uint64_t by)
{
    DType t = (DType)graph_node(region, start)->dtype;
    Type scalar = { (uint8_t)t, 0, NULL };
    uint64_t all = UINT64_MAX >> (64 - dtype_bits(t));
    if (c->s.reverse) {
        start = build_binary(region, OP_ADD, start, build_splat(region, scalar, by * (uint64_t)(c->s.length - 1) & all));
        by = 0 - by;
    }
    return build_binary(region, OP_ADD, start, build_binary(region, OP_MUL, build_convert(region, number, t), build_splat(region, scalar, by & all)));
}

/* carry that counts by a constant ==> its start and the number of the step; its end is known */
bool loop_number_steps(Control *c)
{
    uint64_t by;
    bool found = false;
    Edit e;
    if (c->s.length > MOST_NUMBERED) return false;
    edit_open(&e, c);
    for (uint32_t i = 0; i < c->s.n_carry; i++) {
        if (!counts_by(c, i, &by)) continue;
        uint32_t p = c->s.n_invariant + i;
        DType t = (DType)graph_node(c->g, c->args[p])->dtype;
        Ref total = build_splat(c->g, (Type){ (uint8_t)t, 0, NULL }, by * (uint64_t)c->s.length & UINT64_MAX >> (64 - dtype_bits(t)));
        settle(c, i, build_binary(c->g, OP_ADD, c->args[p], total));
        e.role[p] = ROLE_INVARIANT;
        e.keep[i] = false;
        edit_add(&e, (Extra){ .role = ROLE_INPUT, .arg = step_numbers(c, t), .region = NOWHERE });
        found = true;
    }
    if (!found) return false;
    edit_params(&e);
    const Graph *body = control_body(c);
    for (uint32_t i = 0, x = 0; i < c->s.n_carry; i++) {
        Ref *p = &e.map[0][body->params[c->s.n_invariant + i]];
        if (!e.keep[i] && counts_by(c, i, &by)) *p = count_at(c, e.to[0], *p, e.extra[x++].param[0], by);
    }
    edit_close(&e);
    return true;
}

/* ---- what is the same in each step */

/* Worth computing once and keeping, rather than again in each step. */
static bool is_heavy(const Node *n)
{
    switch (op_kind((Op)n->op)) {
    case OPKIND_EW:
        return (n->op >= OP_SQRT && n->op <= OP_BESSEL_I1E) || n->op == OP_DIV || n->op == OP_REM || n->op == OP_POW || n->op == OP_ATAN2
            || n->op == OP_POLYGAMMA || n->op == OP_ZETA;
    case OPKIND_LEAF: case OPKIND_SHAPE: return false;
    default: return n->op != OP_RESULT;
    }
}

/* May it have memory of its own? Up to the operands' size, a few pages where they are small. */
static int64_t most_elements(const Control *c)
{
    int64_t n = 4096;
    for (uint32_t i = 0; i < control_n_args(c); i++) {
        int64_t own = type_count(graph_type(c->g, c->args[i]));
        n = n > INT64_MAX - own ? INT64_MAX : n + own;
    }
    return n;
}

/* By node of a region: does it depend on no carry and no input, and is there work in it? */
typedef struct Fixed { bool *is, *heavy; } Fixed;

static Fixed fixed_nodes(const Control *c, const Graph *region, bool may_loop)
{
    Fixed f = { arena_alloc(c->g->arena, region->n_nodes), arena_alloc(c->g->arena, region->n_nodes) };
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        f.is[r] = n->op != OP_PARAMETER || control_role(c, (uint32_t)n->attr[0]) == ROLE_INVARIANT;
        f.heavy[r] = is_heavy(n);
        for (uint32_t i = 0; i < n->n_args; i++) f.is[r] &= f.is[n->args[i]], f.heavy[r] |= f.heavy[n->args[i]];
        if (!may_loop && control_holds_while(n)) f.is[r] = false;
    }
    return f;
}

/* Behind a view of something, that: views stay inside. */
static Ref behind_views(const Graph *region, Ref r)
{
    while (op_kind((Op)graph_node(region, r)->op) == OPKIND_SHAPE && graph_node(region, r)->n_args == 1) r = graph_node(region, r)->args[0];
    return r;
}

static bool take_out(const Graph *region, const Fixed *f, Ref r, int64_t most, bool *take)
{
    if (!f->is[r] || !f->heavy[r]) return false;
    r = behind_views(region, r);
    if (graph_node(region, r)->op == OP_PARAMETER || type_count(graph_type(region, r)) > most) return false;
    return take[r] = true;
}

/* The nodes to take out: fixed ones with work in them that something else uses. */
static bool mark_frontier(const Control *c, const Graph *region, const Fixed *f, bool *take)
{
    const bool *reached = graph_reached(c->g->arena, region);
    int64_t most = most_elements(c);
    bool found = false;
    for (Ref r = 0; r < region->n_nodes; r++) {
        const Node *n = graph_node(region, r);
        for (uint32_t i = 0; reached[r] && !f->is[r] && i < n->n_args; i++) found |= take_out(region, f, n->args[i], most, take);
    }
    for (uint32_t i = 0; i < region->n_outputs; i++) found |= take_out(region, f, region->outputs[i], most, take);
    return found;
}

/* Copies of the nodes to take, among the loop's operands. */
static Ref *copy_out(const Control *c, const Graph *region, const bool *take)
{
    Ref *map = arena_alloc(c->g->arena, (region->n_nodes + 1) * sizeof *map);
    bool *needed = arena_copy(c->g->arena, take, region->n_nodes);
    for (Ref r = region->n_nodes; r-- > 0; )
        for (uint32_t i = 0; needed[r] && i < graph_node(region, r)->n_args; i++) needed[graph_node(region, r)->args[i]] = true;
    for (uint32_t i = 0; i < region->n_params; i++) map[region->params[i]] = c->args[i];
    for (Ref r = 0; r < region->n_nodes; r++)
        if (needed[r] && graph_node(region, r)->op != OP_PARAMETER) map[r] = graph_copy_node(c->g, region, r, map);
    return map;
}

/* f(invariants) that is not cheap ==> an invariant */
bool loop_hoist(Control *c)
{
    bool found = false;
    Edit e;
    edit_open(&e, c);
    for (uint32_t k = 0; k < c->n_regions; k++) {
        const Graph *region = c->regions[k];
        bool *take = arena_alloc(c->g->arena, region->n_nodes + 1), sure = c->op == OP_SCAN ? c->s.length > 0 : k == 0;
        Fixed f = fixed_nodes(c, region, sure);
        if (!mark_frontier(c, region, &f, take)) continue;
        const Ref *outside = copy_out(c, region, take);
        for (Ref r = 0; r < region->n_nodes; r++)
            if (take[r]) edit_add(&e, (Extra){ .role = ROLE_INVARIANT, .arg = outside[r], .region = k, .node = r });
        found = true;
    }
    if (!found) return false;
    edit_params(&e);
    edit_close(&e);
    return true;
}
