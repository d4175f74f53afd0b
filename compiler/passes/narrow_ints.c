/* narrow_ints.c: ints of 32 and 64 bits that 16 hold, and then those that 8 hold (narrow_ints.h).
 *
 *     u8((i32(x) + i32(y) + 1) >> 1)  ==>  u8((i16(x) + i16(y) + 1) >> 1)
 *
 * A vector has twice as many of them, and so has a cache of what is kept. Which numbers each node can be is
 * known from the types that are widened, ranges upwards (graph/range.h). What 16 bits hold is computed in
 * them if all that is made of it is, too, or is narrowed anyway; or if there are some ops of it before it is
 * widened again. These nodes are what is left when those are taken away that cannot be, one because of
 * another, until nothing changes.
 *
 * Sums, differences and products have the same low bits whatever is above them, so their operands may be
 * taken modulo 2^16. What looks at whole numbers (a comparison, a shift to the right, a quotient) has
 * operands that 16 bits hold: of i16 or of u16, both of one. A product of which only upper bits are asked for
 * is the upper half of a product of 16 bits each.
 *
 * On the way, what is put together is put together as it is before it is widened:
 *     concatenate(i32(x), slice(i32(y)))  ==>  i32(concatenate(x, slice(y)))
 * Not if that is a result: it is written once then anyway.
 */
#include "narrow_ints.h"
#include "compiler/graph/range.h"
#include "compiler/graph/rebuild.h"
#include "rewrite.h"
#include <string.h>

enum {
    STEPS_THAT_PAY = 2, /* before the last is widened again: a vector that is half full costs no more */
    SWEEPS = 8,         /* each is linear; a graph that wants more is left as it is */
    MOST_NUMBERS = 512  /* elements of a constant that are looked at: a limit */
};

typedef struct Ints {
    const Graph *g;
    size_t bytes; /* of the ints that are to hold them */
    const bool *reached;
    Range *range; /* by node, of ints: of a type whose range no int64 has, all of them */
    bool *narrow; /* by node: is it computed in these? */
    DType *type;  /* and as which of the two, with a sign or without */
    int *steps;   /* and of how many such ops, one upon the other */
    bool *output; /* by node */
} Ints;

typedef struct Pass {
    Rebuild w;
    Ints ints;
} Pass;

static bool is_wide(const Ints *x, const Node *n)
{
    return dtype_is_int((DType)n->dtype) && dtype_bytes((DType)n->dtype) > x->bytes;
}

static bool is_small_type(const Ints *x, DType t)
{
    return t == WEFT_BOOL || (dtype_is_int(t) && dtype_bytes(t) <= x->bytes);
}

/* Is it a number, or a few, that can be written in another type? */
static bool is_numbers(const Node *n)
{
    return n->op == OP_CONSTANT && dtype_is_int((DType)n->dtype) &&
           (n->attr[0] || type_count(node_type(n)) <= MOST_NUMBERS);
}

/* ---- which ops */

typedef enum Look {
    LOOKS_NOT,   /* no op for this pass */
    LOOKS_LOW,   /* the low bits of the result are made of the low bits of the operands */
    LOOKS_WHOLE, /* at whole numbers */
} Look;

static bool is_move(Op op)
{
    return op == OP_SLICE || op == OP_REVERSE || op == OP_TRANSPOSE || op == OP_RESHAPE || op == OP_PAD ||
           op == OP_CONCATENATE;
}

/* A number of bits to shift by that is the same number in 16 bits. */
static bool is_shift(const Node *by)
{
    return is_splat(by) && scalar_to_i64((DType)by->dtype, node_bits(by)) >= 0 &&
           scalar_to_i64((DType)by->dtype, node_bits(by)) < dtype_bits((DType)by->dtype);
}

/* Does a vector of bytes take more instructions than one of 16 bits? */
static bool is_dear_in_bytes(const Node *n)
{
    return n->op == OP_MUL || n->op == OP_SHL || n->op == OP_SHR_ARITH || n->op == OP_SHR_LOGIC ||
           n->op == OP_DIV || n->op == OP_REM || n->op == OP_REDUCE;
}

static Look look_of(const Ints *x, const Node *n)
{
    const Node *last = n->n_args ? graph_node(x->g, n->args[n->n_args - 1]) : NULL;
    if (x->bytes == 1 && is_dear_in_bytes(n)) return LOOKS_NOT;
    switch ((Op)n->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_SELECT:
    case OP_BROADCAST: return LOOKS_LOW;
    case OP_SHL:       return is_shift(last) ? LOOKS_LOW : LOOKS_NOT;
    case OP_REDUCE:
        return n->attr[0] == OP_ADD                           ? LOOKS_LOW
               : n->attr[0] == OP_MAX || n->attr[0] == OP_MIN ? LOOKS_WHOLE
                                                              : LOOKS_NOT;
    case OP_CONVERT:
        return last->dtype == WEFT_BOOL || dtype_is_int((DType)last->dtype) ? LOOKS_LOW : LOOKS_NOT;
    case OP_MAX:
    case OP_MIN:
    case OP_ABS:
    case OP_CLAMP:
    case OP_COMPARE:   return LOOKS_WHOLE;
    case OP_SHR_ARITH:
    case OP_SHR_LOGIC: return is_shift(last) ? LOOKS_WHOLE : LOOKS_NOT;
    case OP_DIV:
    case OP_REM:       return is_splat(last) ? LOOKS_WHOLE : LOOKS_NOT;
    default:           return is_move((Op)n->op) ? LOOKS_LOW : LOOKS_NOT;
    }
}

/* The operands that are computed in the node's type: not what a choice goes by. */
static uint32_t first_operand(const Node *n) { return n->op == OP_SELECT; }

/* ---- ranges */

static Range all_of(DType t)
{
    Range r;
    return range_of_type(t, &r) ? r : (Range){ INT64_MIN, INT64_MAX };
}

static Range range_of_numbers(const Node *n)
{
    int64_t count = n->attr[0] ? 1 : type_count(node_type(n));
    Range r = { INT64_MAX, INT64_MIN };
    for (int64_t i = 0; i < count; i++) {
        int64_t v = scalar_to_i64((DType)n->dtype, node_element(n, i));
        r = range_hull(r, (Range){ v, v });
    }
    return r;
}

static Range range_of_sum(const Ints *x, const Node *n)
{
    int64_t of = type_count(graph_type(x->g, n->args[0])), to = type_count(node_type(n));
    Range sum = { 0, 0 };
    bool found = to > 0 && range_add(&sum, x->range[n->args[0]], of / to);
    return found ? range_hull(sum, (Range){ 0, 0 }) : all_of((DType)n->dtype);
}

static Range hull_of_operands(const Ints *x, const Node *n)
{
    Range r = x->range[n->args[first_operand(n)]];
    for (uint32_t i = first_operand(n) + 1; i < n->n_args; i++) r = range_hull(r, x->range[n->args[i]]);
    return r;
}

/* False: it may be any number, as far as is known. */
static bool range_known(const Ints *x, const Node *n, Range *r)
{
    const Node *first = n->n_args ? graph_node(x->g, n->args[0]) : NULL;
    if (is_numbers(n)) return *r = range_of_numbers(n), n->dtype != WEFT_U64 || r->low >= 0;
    if (!first || look_of(x, n) == LOOKS_NOT) return false;
    DType t = (DType)first->dtype;
    switch ((Op)n->op) {
    case OP_CONVERT:
        *r = first->dtype == WEFT_BOOL ? (Range){ 0, 1 } : x->range[n->args[0]];
        return first->dtype != WEFT_U64;
    case OP_REDUCE:
        *r = n->attr[0] == OP_ADD ? range_of_sum(x, n) : x->range[n->args[0]];
        return type_count(node_type(first)) > 0;
    case OP_CLAMP: {
        Range low = x->range[n->args[0]], high = x->range[n->args[2]], y;
        return range_of_binary(OP_MAX, t, x->range[n->args[1]], low, &y) &&
               range_of_binary(OP_MIN, t, y, high, r);
    }
    case OP_SELECT: *r = hull_of_operands(x, n); return true;
    default:        break;
    }
    if (op_kind((Op)n->op) == OPKIND_SHAPE) return *r = hull_of_operands(x, n), true;
    return n->n_args == 1 ? range_of_unary((Op)n->op, x->range[n->args[0]], r)
                          : range_of_binary((Op)n->op, t, x->range[n->args[0]], x->range[n->args[1]], r);
}

static void find_ranges(Ints *x)
{
    for (Ref r = 0; r < x->g->n_nodes; r++) {
        const Node *n = graph_node(x->g, r);
        if (!x->reached[r] || !dtype_is_int((DType)n->dtype)) continue;
        Range all = all_of((DType)n->dtype);
        if (n->dtype == WEFT_U64 || !range_known(x, n, &x->range[r]) || !range_within(x->range[r], all))
            x->range[r] = all;
    }
}

/* ---- which nodes */

/* False: neither holds it. */
static bool choose_type(size_t bytes, Range r, DType *t)
{
    DType with_sign = bytes == 1 ? WEFT_I8 : WEFT_I16, without = bytes == 1 ? WEFT_U8 : WEFT_U16;
    *t = range_within(r, all_of(with_sign)) ? with_sign : without;
    return range_within(r, all_of(*t));
}

/* The number that operand 1 or 0 is for all elements, and the other's place. False: neither is. */
static bool number_of(const Ints *x, const Node *n, int64_t *number, uint32_t *other)
{
    for (uint32_t i = 2; i-- > 0;) {
        const Node *a = graph_node(x->g, n->args[i]);
        if (!is_splat(a)) continue;
        *number = scalar_to_i64((DType)a->dtype, node_bits(a));
        *other = 1 - i;
        return true;
    }
    return false;
}

/* (x c) >> n ==> mulhi(x << up, c << (16 - n - up)) >> down, of u16: the product needs more than 16 bits. */
typedef struct HighProduct {
    const Node *product;
    uint32_t other; /* which of its operands is x */
    int64_t number; /* c, moved */
    int64_t up, down;
} HighProduct;

/* False: it is none, or the product wraps, or more than it needs more than 16 bits. */
static bool high_product(const Ints *x, const Node *n, HighProduct *h)
{
    if (x->bytes != 2 || (n->op != OP_SHR_ARITH && n->op != OP_SHR_LOGIC)) return false;
    const Node *m = h->product = graph_node(x->g, n->args[0]), *by = graph_node(x->g, n->args[1]);
    DType of_product = (DType)m->dtype, t;
    if (m->op != OP_MUL || !is_shift(by) || !number_of(x, m, &h->number, &h->other)) return false;
    Range of = x->range[m->args[h->other]], c = { h->number, h->number }, down = range_of_numbers(by),
          product;
    if (of.low < 0 || c.low < 0 || !range_of_binary(OP_MUL, of_product, of, c, &product) ||
        choose_type(2, product, &t) || !range_within(product, all_of(of_product)) ||
        !range_of_binary((Op)n->op, of_product, product, down, &product))
        return false;
    int64_t left = 16 - down.low, most = all_of(WEFT_U16).high;
    for (; left > 0 && 2 * h->number <= most; left--) h->number *= 2;
    for (h->up = 0; left > 0 && 2 * of.high <= most; left--, h->up++) of.high *= 2;
    h->down = -left;
    return left <= 0 && of.high <= most && h->number <= most;
}

/* May it be, its operands and users apart? A comparison itself is a bool. */
static bool may_be_narrow(Ints *x, Ref r)
{
    const Node *n = graph_node(x->g, r);
    Look look = look_of(x, n);
    bool is_comparison = n->op == OP_COMPARE && is_wide(x, graph_node(x->g, n->args[0]));
    if (look == LOOKS_NOT || !(is_comparison || (is_wide(x, n) && !x->output[r]))) return false;
    HighProduct h;
    if (high_product(x, n, &h)) {
        x->type[r] = WEFT_U16;
        return true;
    }
    Range all = is_comparison ? hull_of_operands(x, n) : x->range[r];
    if (look == LOOKS_WHOLE && n->op != OP_SHR_ARITH && n->op != OP_SHR_LOGIC)
        all = range_hull(all, hull_of_operands(x, n));
    else if (look == LOOKS_WHOLE) all = range_hull(all, x->range[n->args[0]]);
    return choose_type(x->bytes, all, &x->type[r]);
}

static bool operands_allow(const Ints *x, const Node *n)
{
    HighProduct h;
    if (high_product(x, n, &h)) return x->narrow[h.product->args[h.other]];
    for (uint32_t i = first_operand(n); i < n->n_args; i++) {
        const Node *a = graph_node(x->g, n->args[i]);
        if (n->op == OP_CONVERT && is_small_type(x, (DType)a->dtype)) continue;
        if (!x->narrow[n->args[i]] && !is_numbers(a)) return false;
    }
    return true;
}

static int steps_to(const Ints *x, const Node *n)
{
    int steps = 0;
    for (uint32_t i = 0; i < n->n_args; i++)
        if (x->narrow[n->args[i]] && x->steps[n->args[i]] > steps) steps = x->steps[n->args[i]];
    return steps + (n->op != OP_CONVERT && op_kind((Op)n->op) != OPKIND_SHAPE);
}

/* May node r use narrow operand i? As what is narrow, too; as what is narrowed anyway; or widened, if that
 * saves enough. */
static bool may_use(const Ints *x, Ref r, uint32_t i)
{
    const Node *n = graph_node(x->g, r), *a = graph_node(x->g, n->args[i]);
    bool is_end = n->op == OP_CONVERT && is_small_type(x, (DType)n->dtype);
    return is_end || a->dtype == WEFT_BOOL || x->narrow[r] || x->steps[n->args[i]] >= STEPS_THAT_PAY;
}

/* Takes back what cannot be because of an operand, or of what uses it. True: nothing was. */
static bool sweep(Ints *x)
{
    bool same = true;
    for (Ref r = 0; r < x->g->n_nodes; r++) {
        const Node *n = graph_node(x->g, r);
        if (!x->narrow[r]) continue;
        x->steps[r] = steps_to(x, n);
        if (!operands_allow(x, n)) x->narrow[r] = same = false;
    }
    for (Ref r = x->g->n_nodes; r-- > 0;) {
        const Node *n = graph_node(x->g, r);
        for (uint32_t i = 0; x->reached[r] && i < n->n_args; i++) {
            if (!x->narrow[n->args[i]] || may_use(x, r, i)) continue;
            x->narrow[n->args[i]] = same = false;
        }
    }
    return same;
}

static bool find_narrow(Ints *x)
{
    bool some = false, done = false;
    for (Ref r = 0; r < x->g->n_nodes; r++) x->narrow[r] = x->reached[r] && may_be_narrow(x, r);
    for (int i = 0; i < SWEEPS && !done; i++) done = sweep(x);
    for (Ref r = 0; r < x->g->n_nodes; r++) some |= x->narrow[r] &= done;
    return some;
}

/* ---- the new graph */

static Ref numbers_as(Graph *g, const Node *n, DType t)
{
    Type type = { t, n->rank, n->dim };
    int64_t count = n->attr[0] ? 1 : type_count(type);
    char *data = arena_alloc(g->arena, (size_t)(count + 1) * dtype_bytes(t));
    for (int64_t i = 0; i < count; i++)
        scalar_store(t, data + (size_t)i * dtype_bytes(t),
                     scalar_from_i64(t, scalar_to_i64((DType)n->dtype, node_element(n, i))));
    return n->attr[0] ? build_filled(g, type, data) : build_constant(g, type, data);
}

/* Operand i in type t. */
static Ref operand_as(const Pass *p, const Node *n, uint32_t i, DType t)
{
    const Node *a = graph_node(p->w.from, n->args[i]);
    if (!p->ints.narrow[n->args[i]] && is_numbers(a)) return numbers_as(p->w.to, a, t);
    return build_convert(p->w.to, rebuild_arg(&p->w, n, i), t);
}

static Ref shifted(Graph *g, Op op, Ref x, int64_t by)
{
    Type t = graph_type(g, x);
    return by ? build_binary(g, op, x, build_splat(g, t, scalar_from_i64(t.dtype, by))) : x;
}

static Ref high_half(const Pass *p, const HighProduct *h)
{
    Graph *g = p->w.to;
    Ref x = shifted(g, OP_SHL, operand_as(p, h->product, h->other, WEFT_U16), h->up),
        by = build_splat(g, graph_type(g, x), scalar_from_i64(WEFT_U16, h->number));
    return shifted(g, OP_SHR_LOGIC, build_binary(g, OP_MULHI, x, by), h->down);
}

/* Without a sign, nothing is negative. */
static Ref narrowed(const Pass *p, Ref r)
{
    const Node *n = graph_node(p->w.from, r);
    DType t = p->ints.type[r];
    HighProduct h;
    if (high_product(&p->ints, n, &h)) return high_half(p, &h);
    NodeSpec spec = node_spec(n);
    Ref *args = rebuild_args(&p->w, n);
    for (uint32_t i = first_operand(n); i < n->n_args; i++) args[i] = operand_as(p, n, i, t);
    if (n->op == OP_CONVERT || (n->op == OP_ABS && !dtype_is_signed(t))) return args[0];
    if (n->op == OP_COMPARE) return build_compare(p->w.to, (CompareDir)n->attr[0], args[0], args[1]);
    if (n->op == OP_SHR_ARITH && !dtype_is_signed(t)) spec.op = OP_SHR_LOGIC;
    spec.args = args;
    spec.dtype = t;
    return graph_add(p->w.to, &spec);
}

/* What a maximum or minimum with a number is of, where the number is beyond what that can be. */
static Ref without_idle_limits(const Ints *x, Ref r)
{
    const Node *n = graph_node(x->g, r);
    int64_t limit;
    uint32_t other;
    if ((n->op != OP_MAX && n->op != OP_MIN) || !number_of(x, n, &limit, &other)) return r;
    Range of = x->range[n->args[other]];
    bool is_idle = n->op == OP_MAX ? limit <= of.low : limit >= of.high;
    return is_idle ? without_idle_limits(x, n->args[other]) : r;
}

/* min(x + k, m) ==> min(x, m - k) + k, and so a maximum, where bytes hold all of the second but not x + k:
 * u8(min(i32(x) + 20, 255)) is computed in bytes. REF_NONE: it is none. */
static Ref limited_before(const Pass *p, Ref r)
{
    const Ints *x = &p->ints;
    const Node *n = graph_node(x->g, r);
    DType t = x->type[r], byte;
    int64_t m, k;
    uint32_t other, to;
    if ((n->op != OP_MAX && n->op != OP_MIN) || !number_of(x, n, &m, &other)) return REF_NONE;
    Ref sum = without_idle_limits(x, n->args[other]);
    const Node *s = graph_node(x->g, sum);
    bool is_difference = s->op == OP_SUB;
    if ((s->op != OP_ADD && !is_difference) || !x->narrow[sum] || !number_of(x, s, &k, &to) ||
        (is_difference && to == 1))
        return REF_NONE;
    if (is_difference) k = -k;
    Range of = x->range[s->args[to]], limit = { m - k, m - k };
    if (choose_type(1, x->range[sum], &byte) || !choose_type(1, x->range[r], &byte) ||
        !choose_type(1, range_hull(of, limit), &byte) || !range_within(range_hull(of, limit), all_of(t)))
        return REF_NONE;
    Type type = { t, n->rank, n->dim };
    Ref limited = build_binary(p->w.to, (Op)n->op, operand_as(p, s, to, t),
                               build_splat(p->w.to, type, scalar_from_i64(t, m - k)));
    return build_binary(p->w.to, OP_ADD, limited, build_splat(p->w.to, type, scalar_from_i64(t, k)));
}

static bool widens_int(const Graph *g, const Node *n)
{
    DType from = n->op == OP_CONVERT ? (DType)graph_node(g, n->args[0])->dtype : WEFT_BOOL;
    return dtype_is_int(from) && dtype_is_int((DType)n->dtype) &&
           dtype_bytes((DType)n->dtype) > dtype_bytes(from);
}

/* The value before an int was widened, moved as the value is; REF_NONE: none was. */
static Ref before_widening(Graph *g, Ref r)
{
    const Node *n = graph_node(g, r);
    if (widens_int(g, n)) return n->args[0];
    if (!is_move((Op)n->op) || n->n_args != 1) return REF_NONE;
    NodeSpec spec = node_spec(n);
    Ref x = before_widening(g, n->args[0]);
    spec.args = &x;
    spec.dtype = x == REF_NONE ? WEFT_BOOL : (DType)graph_node(g, x)->dtype;
    return x == REF_NONE ? REF_NONE : graph_add(g, &spec);
}

/* A number that the narrower type holds as well; REF_NONE: it does not. */
static Ref number_before_widening(Graph *g, const Node *n, DType from)
{
    if (!is_splat(n)) return REF_NONE;
    DType to = (DType)n->dtype;
    uint64_t bits = scalar_convert(from, to, node_bits(n));
    return scalar_convert(to, from, bits) == node_bits(n)
               ? build_splat(g, (Type){ from, n->rank, n->dim }, bits)
               : REF_NONE;
}

/* The same put together of what its operands were before they were widened; REF_NONE: not all were, or not
 * from one type. */
static Ref joined_before(Graph *g, const NodeSpec *spec)
{
    if ((spec->op != OP_CONCATENATE && spec->op != OP_PAD) ||
        !dtype_is_int((DType)graph_node(g, spec->args[0])->dtype))
        return REF_NONE;
    Ref *args = graph_refs(g->arena, spec->n_args);
    DType from = WEFT_BOOL, to = (DType)graph_node(g, spec->args[0])->dtype;
    for (uint32_t i = 0; i < spec->n_args; i++) {
        args[i] = before_widening(g, spec->args[i]);
        if (args[i] != REF_NONE && from == WEFT_BOOL) from = (DType)graph_node(g, args[i])->dtype;
    }
    if (from == WEFT_BOOL) return REF_NONE;
    for (uint32_t i = 0; i < spec->n_args; i++) {
        if (args[i] == REF_NONE) args[i] = number_before_widening(g, graph_node(g, spec->args[i]), from);
        if (args[i] == REF_NONE || graph_node(g, args[i])->dtype != from) return REF_NONE;
    }
    NodeSpec narrow = *spec;
    narrow.args = args;
    narrow.dtype = from;
    return build_convert(g, graph_add(g, &narrow), to);
}

/* The operands of a node that is no narrow one. */
static Ref *plain_args(const Pass *p, const Node *n)
{
    Ref *args = rebuild_args(&p->w, n);
    for (uint32_t i = 0; i < n->n_args; i++)
        if (p->ints.narrow[n->args[i]] && n->op != OP_CONVERT)
            args[i] = build_convert(p->w.to, args[i], (DType)graph_node(p->w.from, n->args[i])->dtype);
    return args;
}

static const Graph *narrow_to(Arena *, const Graph *, size_t bytes);

static const Graph **narrow_regions(const Pass *p, const Node *n)
{
    const Graph **regions = arena_alloc(p->w.to->arena, (n->n_regions + 1u) * sizeof *regions);
    for (uint32_t k = 0; k < n->n_regions; k++)
        regions[k] = narrow_to(p->w.to->arena, n->regions[k], p->ints.bytes);
    return regions;
}

static bool rebuild(void *user, Ref r, Ref *out)
{
    const Pass *p = user;
    const Node *n = graph_node(p->w.from, r);
    NodeSpec spec = node_spec(n);
    if (p->ints.narrow[r]) {
        *out = limited_before(p, r);
        if (*out == REF_NONE) *out = narrowed(p, r);
        spec = node_spec(graph_node(p->w.to, *out));
    } else {
        spec.args = plain_args(p, n);
        spec.regions = narrow_regions(p, n);
    }
    Ref joined = p->ints.output[r] ? REF_NONE : joined_before(p->w.to, &spec);
    if (joined != REF_NONE) *out = joined;
    else if (!p->ints.narrow[r]) build_results(p->w.to, graph_add(p->w.to, &spec), n->n_results, out);
    return true;
}

/* Is an int widened anywhere, in regions too? */
static bool widens(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (widens_int(g, n)) return true;
        for (uint32_t k = 0; k < n->n_regions; k++)
            if (widens(n->regions[k])) return true;
    }
    return false;
}

static const Graph *narrow_to(Arena *a, const Graph *g, size_t bytes)
{
    size_t n = g->n_nodes + 1u;
    if (!widens(g)) return g;
    Pass p = { .w = rebuild_open(g, graph_new(a, g->name)),
               .ints = { .g = g,
                         .bytes = bytes,
                         .reached = graph_reached(a, g),
                         .range = arena_alloc(a, n * sizeof(Range)),
                         .narrow = arena_alloc(a, n),
                         .type = arena_alloc(a, n * sizeof(DType)),
                         .steps = arena_alloc(a, n * sizeof(int)),
                         .output = arena_alloc(a, n) } };
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] != REF_NONE) p.ints.output[g->outputs[i]] = true;
    find_ranges(&p.ints);
    find_narrow(&p.ints);
    rebuild_params(&p.w);
    rebuild_nodes(&p.w, rebuild, &p);
    return graph_compact(a, rebuild_close(&p.w));
}

const Graph *narrow_ints(Arena *a, const Graph *g) { return narrow_to(a, narrow_to(a, g, 2), 1); }
