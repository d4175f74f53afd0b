/* simplify_count.c: loops that count: a WHILE whose steps can be counted is a SCAN, and a carry that counts
 * is the number of the step.
 *
 * Ints wrap, so a count is followed only where no step leaves the type's range before the loop ends.
 */
#include "simplify_rules.h"

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
    *by = scalar_load((DType)n->dtype, right ? y->data : x->data);
    if (n->op == OP_SUB) *by = 0 - *by;
    return true;
}

/* Steps until `i dir limit` is false, i = start, start + by, ...; -1 if a step would leave the type's range
 * first, or none ever ends it. */
static int64_t count_steps(DType t, CompareDir dir, uint64_t start_bits, uint64_t by_bits,
                           uint64_t limit_bits)
{
    int64_t start = scalar_to_i64(t, start_bits), limit = scalar_to_i64(t, limit_bits),
            by = scalar_to_i64(t, by_bits & UINT64_MAX >> (64 - dtype_bits(t)));
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

static CompareDir mirrored(CompareDir d)
{
    static const CompareDir other[] = { [CMP_EQ] = CMP_EQ, [CMP_NE] = CMP_NE, [CMP_LT] = CMP_GT,
                                        [CMP_LE] = CMP_GE, [CMP_GT] = CMP_LT, [CMP_GE] = CMP_LE };
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
    if (i->op != OP_PARAMETER || limit->op != OP_CONSTANT ||
        control_role(c, (uint32_t)i->attr[0]) != ROLE_CARRY)
        return false;
    const Node *start = graph_node(c->g, c->args[i->attr[0]]);
    uint64_t by;
    if (start->op != OP_CONSTANT || !counts_by(c, (uint32_t)i->attr[0] - c->s.n_invariant, &by)) return false;
    DType t = (DType)i->dtype;
    CompareDir dir = (CompareDir)test->attr[0];
    c->s.length = count_steps(t, swapped ? mirrored(dir) : dir, scalar_load(t, start->data), by,
                              scalar_load(t, limit->data));
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
    bool found = false;
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
