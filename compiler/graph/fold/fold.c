/* fold.c: the rewrite rules of graph_add: elementwise ops here, moves of elements in fold_shape.c, reductions
 * and contractions in fold_reduce.c, positions that are data, prefixes and order in fold_index.c.
 *
 * graph_add asks fold() before it appends. An op's entry tries a few rules in turn; each looks at the op and
 * at its operands' nodes, no deeper than two, and gives the simpler value or REF_NONE. What a rule builds
 * goes through graph_add again, so rules need not look for each other's work.
 *
 * All rules hold in IEEE arithmetic bit for bit, in eager mode's order of operations, and so in every numeric
 * mode; only the sign and payload of a NaN are no part of a value. Under each rule stands the tempting one
 * beside it that is wrong. Math functions are never folded: their bits are their recipes'.
 */
#include "fold.h"
#include "compiler/scalar/evaluate.h"
#include "fold_rules.h"

/* Rules that build ops which fold in turn nest; a chain of slices of pads of ... could nest as deep as the
 * graph. Beyond this nothing folds. */
enum { NESTED_FOLDS = 32 };
/* Arrays of up to so many elements are computed; splats of any size are one element. */
enum { FOLDED_ELEMENTS = 64 };

/* a bool too */
static bool is_int(const Rewrite *w) { return !dtype_is_inexact((DType)w->type.dtype); }
static bool is_not_of(const Node *n, Ref r) { return n->op == OP_NOT && n->args[0] == r; }

/* ---- constants */

/* op(constants) ==> constant
 * Not where the result is NaN: its bits are the machine's. */
static Ref fold_constants(const Rewrite *w)
{
    const Node *args[4] = { w->a, w->b, w->c, NULL };
    if (w->spec->op == OP_COMPLEX) return REF_NONE;
    int64_t n = 1;
    int last = 0;
    for (int i = 0; args[i]; i++) {
        if (args[i]->op != OP_CONSTANT) return REF_NONE;
        if (!args[i]->attr[0]) n = type_count(w->type);
        last = i;
    }
    if (n < 1 || n > FOLDED_ELEMENTS || type_count(w->type) < 1) return REF_NONE;

    DType operand = (DType)args[last]->dtype, result = (DType)w->type.dtype;
    uint64_t value = 0, values[3];
    char data[FOLDED_ELEMENTS * 8];
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; args[i]; i++) values[i] = node_element(args[i], args[i]->rank ? k : 0);
        if (!evaluate(w->spec->op, operand, result, w->spec->attr, values, &value)) return REF_NONE;
        scalar_store(result, data + k * (int64_t)dtype_bytes(result), value);
    }
    return n == 1 ? splat(w, value) : build_constant(w->g, w->type, data);
}

/* ---- one operand */

/* -(-x) ==> x
 * ints: -(x - y) ==> y - x
 * Not for floats: x - x is 0 either way round, its negative is -0. */
static Ref fold_neg(const Rewrite *w)
{
    if (w->a->op == OP_NEG) return w->a->args[0];
    if (is_int(w) && w->a->op == OP_SUB) return build_binary(w->g, OP_SUB, w->a->args[1], w->a->args[0]);
    return REF_NONE;
}

/* |(|x|)| ==> |x|      |-x| ==> |x|
 * Not |x * x| ==> x * x for ints: squares wrap. */
static Ref fold_abs(const Rewrite *w)
{
    if (w->a->op == OP_ABS) return w->x;
    return w->a->op == OP_NEG ? build_unary(w->g, OP_ABS, w->a->args[0]) : REF_NONE;
}

/* sign(sign(x)) ==> sign(x) */
static Ref fold_sign(const Rewrite *w) { return w->a->op == OP_SIGN ? w->x : REF_NONE; }

static CompareDir opposite(int64_t dir)
{
    static const CompareDir not[] = { [CMP_EQ] = CMP_NE, [CMP_NE] = CMP_EQ, [CMP_LT] = CMP_GE,
                                      [CMP_LE] = CMP_GT, [CMP_GT] = CMP_LE, [CMP_GE] = CMP_LT };
    return not[dir];
}

/* ~~x ==> x
 * !(x < y) ==> x >= y      and its like
 * Not for floats, but == and !=: with a NaN both x < y and x >= y are false. */
static Ref fold_not(const Rewrite *w)
{
    if (w->a->op == OP_NOT) return w->a->args[0];
    if (w->a->op != OP_COMPARE) return REF_NONE;
    int64_t dir = w->a->attr[0], order = w->a->attr[1];
    if (order == ORDER_FLOAT && dir != CMP_EQ && dir != CMP_NE) return REF_NONE;
    int64_t attr[] = { opposite(dir), order };
    return build_node(w->g, OP_COMPARE, w->a->args, 2, attr, 2);
}

static bool is_rounding(Op op)
{
    return op == OP_FLOOR || op == OP_CEIL || op == OP_ROUND_AFZ || op == OP_ROUND_EVEN;
}

/* floor(ceil(x)) ==> ceil(x)      floor(convert(int)) ==> convert(int)      and their like
 * Not floor(-x) ==> -floor(x): it is -ceil(x). */
static Ref fold_rounding(const Rewrite *w)
{
    if (is_rounding((Op)w->a->op)) return w->x;
    bool integral = w->a->op == OP_CONVERT && !dtype_is_float((DType)graph_node(w->g, w->a->args[0])->dtype);
    return integral ? w->x : REF_NONE;
}

/* reduce_precision to all bits of the type ==> x */
static Ref fold_reduce_precision(const Rewrite *w)
{
    DTypeInfo t = dtype_info[w->a->dtype];
    bool all = w->spec->attr[0] >= t.exponent_bits && w->spec->attr[1] >= t.mantissa_bits;
    return all ? w->x : REF_NONE;
}

/* Does every value of `from` have its own in `to`? */
static bool lossless(DType from, DType to)
{
    DTypeInfo f = dtype_info[from], t = dtype_info[to];
    if (from == to || from == WEFT_BOOL) return true;
    if (to == WEFT_BOOL) return false;
    if (dtype_is_float(from)) return f.mantissa_bits < t.mantissa_bits && f.exponent_bits <= t.exponent_bits;
    int bits = dtype_bits(from) - dtype_is_signed(from);
    if (dtype_is_float(to)) return bits <= t.mantissa_bits + 1;
    return dtype_is_signed(to) ? bits <= dtype_bits(to) - 1
                               : !dtype_is_signed(from) && bits <= dtype_bits(to);
}

/* Are all numbers of the iota less than 2^bits? */
static bool iota_fits(const Node *iota, int bits)
{
    return bits >= 63 || iota->dim[iota->attr[0]] <= (int64_t)1 << bits;
}

static bool iota_has_type(const Node *iota, DType t)
{
    return dtype_is_int(t) && iota_fits(iota, dtype_bits(t) - dtype_is_signed(t));
}

/* convert to x's own type ==> x
 * convert(iota) ==> iota                           of ints that both hold its numbers
 * convert(convert(x, B), C) ==> convert(x, C)      where B holds every value of x
 * Not i8 -> f32 -> u8: float to int saturates, int to int wraps. Nor i32 -> f64 -> f16: how often the direct
 * way rounds is not said. */
static Ref fold_convert(const Rewrite *w)
{
    if (w->a->dtype == w->type.dtype) return w->x;
    if (w->a->op == OP_IOTA && iota_has_type(w->a, (DType)w->a->dtype) &&
        iota_has_type(w->a, (DType)w->type.dtype))
        return build_iota(w->g, w->type, (int)w->a->attr[0]);
    if (w->a->op != OP_CONVERT) return REF_NONE;
    DType from = (DType)graph_node(w->g, w->a->args[0])->dtype, by = (DType)w->a->dtype,
          to = (DType)w->type.dtype;
    if (dtype_is_complex(from) || !lossless(from, by)) return REF_NONE;
    if (!dtype_is_float(from) && dtype_is_float(by) && !dtype_is_float(to) && to != WEFT_BOOL &&
        !lossless(from, to))
        return REF_NONE;
    if (!dtype_is_float(from) && dtype_is_narrow_float(to) && !lossless(from, WEFT_F32)) return REF_NONE;
    return build_convert(w->g, w->a->args[0], to);
}

/* bitcast to x's own type ==> x
 * bitcast(bitcast(x)) ==> bitcast(x)      where no widths differ; otherwise an axis comes and goes */
static Ref fold_bitcast(const Rewrite *w)
{
    if (w->a->dtype == w->type.dtype) return w->x;
    if (w->a->op != OP_BITCAST || dtype_bytes((DType)w->a->dtype) != dtype_bytes((DType)w->type.dtype))
        return REF_NONE;
    Ref inner = w->a->args[0];
    if (dtype_bytes((DType)graph_node(w->g, inner)->dtype) != dtype_bytes((DType)w->type.dtype))
        return REF_NONE;
    return build_bitcast(w->g, inner, (DType)w->type.dtype);
}

/* ---- two operands */

/* x + -0.0 ==> x      ints: x + 0 ==> x
 * Not x + 0.0 ==> x: -0.0 + 0.0 is 0.0. */
static Ref fold_add_zero(const Rewrite *w)
{
    if (is_int(w) ? is_zero_int(w->b) : is_number(w->b, -0.0)) return w->x;
    if (is_int(w) ? is_zero_int(w->a) : is_number(w->a, -0.0)) return w->y;
    return REF_NONE;
}

/* x + -y ==> x - y      -x + y ==> y - x */
static Ref fold_add_neg(const Rewrite *w)
{
    if (w->b->op == OP_NEG) return build_binary(w->g, OP_SUB, w->x, w->b->args[0]);
    if (w->a->op == OP_NEG) return build_binary(w->g, OP_SUB, w->y, w->a->args[0]);
    return REF_NONE;
}

/* ints: (x + 1) + 2 ==> x + 3      (x * 2) * 3 ==> x * 6
 * Not for floats: each operation rounds. */
static Ref fold_regroup(const Rewrite *w)
{
    if (!is_int(w) || !is_splat(w->b) || w->a->op != w->spec->op) return REF_NONE;
    Ref constant = w->a->args[1];
    if (!is_splat(graph_node(w->g, constant))) return REF_NONE;
    return build_binary(w->g, w->spec->op, w->a->args[0], build_binary(w->g, w->spec->op, constant, w->y));
}

static Ref fold_add(const Rewrite *w) { return FIRST_OF(w, fold_add_zero, fold_add_neg, fold_regroup); }

/* x - 0 ==> x      x - -y ==> x + y      ints: x - x ==> 0      0 - x ==> -x
 * Not x - x ==> 0 for floats: inf - inf is NaN. Not 0.0 - x ==> -x: 0.0 - 0.0 is 0.0.
 * Not x - -0.0 ==> x: -0.0 - -0.0 is 0.0. */
static Ref fold_sub(const Rewrite *w)
{
    if (is_bits(w->b, 0)) return w->x;
    if (w->b->op == OP_NEG) return build_binary(w->g, OP_ADD, w->x, w->b->args[0]);
    if (!is_int(w)) return REF_NONE;
    if (w->x == w->y) return splat(w, 0);
    return is_zero_int(w->a) ? build_unary(w->g, OP_NEG, w->y) : REF_NONE;
}

/* x * 1 ==> x      1 * x ==> x
 * Not x * 0 ==> 0: wrong for inf, NaN and -1. */
static Ref fold_mul_one(const Rewrite *w)
{
    if (is_number(w->b, 1)) return w->x;
    return is_number(w->a, 1) ? w->y : REF_NONE;
}

/* ints: x * 0 ==> 0      x * -1 ==> -x */
static Ref fold_mul_int(const Rewrite *w)
{
    if (!is_int(w)) return REF_NONE;
    if (is_zero_int(w->a) || is_zero_int(w->b)) return splat(w, 0);
    if (w->type.dtype == WEFT_BOOL) return REF_NONE;
    if (is_all_ones(w->b)) return build_unary(w->g, OP_NEG, w->x);
    return is_all_ones(w->a) ? build_unary(w->g, OP_NEG, w->y) : REF_NONE;
}

/* -x * -y ==> x * y      -x / -y ==> x / y (floats)
 * Not for the quotients of ints: -128 is its own negative, so -(-128) / -2 is 64 and -128 / 2 is -64. */
static Ref fold_two_negs(const Rewrite *w)
{
    if (w->a->op != OP_NEG || w->b->op != OP_NEG) return REF_NONE;
    return build_binary(w->g, w->spec->op, w->a->args[0], w->b->args[0]);
}

static Ref fold_mul(const Rewrite *w)
{
    return FIRST_OF(w, fold_mul_one, fold_mul_int, fold_two_negs, fold_regroup);
}

/* 1 / c where that is exact: c is a power of two, and its inverse is a normal number. */
static bool exact_inverse(DType t, uint64_t c, uint64_t *inverse)
{
    int fraction_bits = dtype_info[t].mantissa_bits;
    uint64_t bias = (uint64_t)dtype_bias(t), fraction = c & (((uint64_t)1 << fraction_bits) - 1);
    uint64_t exponent = c >> fraction_bits & (2 * bias + 1), sign = c >> (dtype_bits(t) - 1)
                                                                             << (dtype_bits(t) - 1);
    if (fraction || exponent == 0 || exponent >= 2 * bias) return false;
    *inverse = sign | (2 * bias - exponent) << fraction_bits;
    return true;
}

/* x / 1 ==> x      floats: x / 4 ==> x * 0.25
 * Not x / 3 ==> x * (1 / 3): it rounds twice. Not x / x ==> 1: 0 / 0 is NaN, and -1 for ints. */
static Ref fold_div(const Rewrite *w)
{
    uint64_t inverse;
    if (is_number(w->b, 1)) return w->x;
    if (is_int(w)) return REF_NONE;
    if (is_splat(w->b) && exact_inverse((DType)w->type.dtype, node_bits(w->b), &inverse))
        return build_binary(w->g, OP_MUL, w->x, splat(w, inverse));
    return fold_two_negs(w);
}

/* ints: x % 1 ==> 0
 * Not x % x ==> 0: 0 % 0 is 0, but inf % inf is NaN, so ints only; not 0 % x ==> 0 for floats: 0 % NaN. */
static Ref fold_rem(const Rewrite *w)
{
    return is_int(w) && (is_number(w->b, 1) || w->x == w->y || is_zero_int(w->a)) ? splat(w, 0) : REF_NONE;
}

/* x^0 ==> 1      x^1 ==> x      x^2 ==> x x      floats: x^-1 ==> 1 / x
 * Not x^(1/2) ==> sqrt(x): of -0 it is 0, of -inf inf. Not x^3 ==> x x x: it rounds twice. */
static Ref fold_pow(const Rewrite *w)
{
    uint64_t one = scalar_from_double((DType)w->type.dtype, 1);
    if (is_number(w->b, 0)) return splat(w, one);
    if (is_number(w->b, 1)) return w->x;
    if (is_number(w->b, 2)) return build_binary(w->g, OP_MUL, w->x, w->x);
    return !is_int(w) && is_number(w->b, -1) ? build_binary(w->g, OP_DIV, splat(w, one), w->x) : REF_NONE;
}

static Op other_extreme(Op op) { return op == OP_MAX ? OP_MIN : OP_MAX; }

/* max(x, x) ==> x      max(x, -inf) ==> x      max(max(x, y), y) ==> max(x, y)
 * ints: max(x, greatest) ==> greatest
 * Not max(x, inf) ==> inf: x may be NaN. Not max(x, min(x, y)) ==> x: y may be NaN. */
static Ref fold_extreme(const Rewrite *w)
{
    Op op = w->spec->op;
    uint64_t start = monoid_start(op, (DType)w->type.dtype),
             end = monoid_start(other_extreme(op), (DType)w->type.dtype);
    if (w->x == w->y || is_bits(w->b, start)) return w->x;
    if (is_bits(w->a, start)) return w->y;
    if (is_int(w) && (is_bits(w->a, end) || is_bits(w->b, end))) return splat(w, end);
    if (w->a->op == op && (w->a->args[0] == w->y || w->a->args[1] == w->y)) return w->x;
    if (w->b->op == op && (w->b->args[0] == w->x || w->b->args[1] == w->x)) return w->y;
    return REF_NONE;
}

/* x < y & x != y ==> x < y      x <= y & x != y ==> x < y      and with > and >=
 * Not if only one of them is by total order: -0.0 is less than 0.0 there, and does not differ elsewhere.
 * `differs` is the !=. */
static Ref fold_less_and_differs(const Rewrite *w, Ref less, const Node *n, const Node *differs)
{
    if (n->op != OP_COMPARE || differs->op != OP_COMPARE || differs->attr[0] != CMP_NE ||
        n->args[0] != differs->args[0] || n->args[1] != differs->args[1] || n->attr[1] != differs->attr[1])
        return REF_NONE;
    int64_t dir = n->attr[0];
    if (dir == CMP_LT || dir == CMP_GT) return less;
    if (dir != CMP_LE && dir != CMP_GE) return REF_NONE;
    return build_node(w->g, OP_COMPARE, n->args, 2,
                      (int64_t[]){ dir == CMP_LE ? CMP_LT : CMP_GT, n->attr[1] }, 2);
}

/* The node of this op that n compares with a constant by !=; NULL: there is none. */
static const Node *differs_from(const Graph *g, const Node *n, Op op, double constant)
{
    if (n->op != OP_COMPARE || n->attr[0] != CMP_NE || !is_number(graph_node(g, n->args[1]), constant))
        return NULL;
    const Node *x = graph_node(g, n->args[0]);
    return x->op == op ? x : NULL;
}

/* ints: sign(x) != 1 & x % c != 0 ==> x % c < 0, for c > 0      sign(x) != -1 & x % c != 0 ==> x % c > 0, for
 * c < 0: where a quotient that goes towards 0 is not the one that goes down. The rest has the sign of x.
 * Not for floats: the sign of a NaN is no number. */
static Ref fold_rounds_down(const Rewrite *w, const Node *signs, const Node *rests)
{
    const Node *rest = differs_from(w->g, rests, OP_REM, 0);
    if (!rest || dtype_kind((DType)rest->dtype) != KIND_SIGNED) return REF_NONE;
    const Node *by = graph_node(w->g, rest->args[1]);
    if (!is_splat(by) || is_zero_int(by)) return REF_NONE;
    bool negative = scalar_to_i64((DType)by->dtype, node_bits(by)) < 0;
    const Node *sign = differs_from(w->g, signs, OP_SIGN, negative ? -1 : 1);
    if (!sign || sign->args[0] != rest->args[0]) return REF_NONE;
    return build_node(w->g, OP_COMPARE, rests->args, 2,
                      (int64_t[]){ negative ? CMP_GT : CMP_LT, rests->attr[1] }, 2);
}

static Ref fold_conditions(const Rewrite *w)
{
    Ref r = fold_less_and_differs(w, w->x, w->a, w->b);
    if (r == REF_NONE) r = fold_less_and_differs(w, w->y, w->b, w->a);
    if (r == REF_NONE) r = fold_rounds_down(w, w->a, w->b);
    return r == REF_NONE ? fold_rounds_down(w, w->b, w->a) : r;
}

/* x & x ==> x      x & 0 ==> 0      x & ~0 ==> x      x & ~x ==> 0      (x & y) & y ==> x & y
 * The same for |, with 0 and ~0 exchanged. */
static Ref fold_bits(const Rewrite *w)
{
    bool and = w->spec->op == OP_AND;
    uint64_t none = UINT64_MAX >> (64 - dtype_bits((DType)w->type.dtype)); /* ~0 */
    uint64_t neutral = and ? none : 0, absorbing = and ? 0 : none;
    if (w->x == w->y || is_bits(w->b, neutral)) return w->x;
    if (is_bits(w->a, neutral)) return w->y;
    if (is_bits(w->a, absorbing) || is_bits(w->b, absorbing)) return splat(w, absorbing);
    if (is_not_of(w->a, w->y) || is_not_of(w->b, w->x)) return splat(w, absorbing);
    if (w->a->op == w->spec->op && (w->a->args[0] == w->y || w->a->args[1] == w->y)) return w->x;
    return REF_NONE;
}

static Ref fold_and(const Rewrite *w) { return FIRST_OF(w, fold_bits, fold_conditions); }

/* x ^ x ==> 0      x ^ 0 ==> x      x ^ ~0 ==> ~x */
static Ref fold_xor(const Rewrite *w)
{
    if (w->x == w->y) return splat(w, 0);
    if (is_bits(w->b, 0)) return w->x;
    if (is_bits(w->a, 0)) return w->y;
    if (is_all_ones(w->b)) return build_unary(w->g, OP_NOT, w->x);
    return is_all_ones(w->a) ? build_unary(w->g, OP_NOT, w->y) : REF_NONE;
}

/* x << 0 ==> x      0 << x ==> 0      x << width ==> 0      iota >> k ==> 0 where its numbers have k bits
 * Not x << width for the arithmetic shift, which leaves the sign. */
static Ref fold_shift(const Rewrite *w)
{
    if (is_bits(w->b, 0) || is_bits(w->a, 0)) return w->x;
    if (!is_splat(w->b)) return REF_NONE;
    uint64_t by = node_bits(w->b), width = (uint64_t)dtype_bits((DType)w->type.dtype);
    bool no_number = w->a->op == OP_IOTA && w->spec->op != OP_SHL && by < width &&
                     iota_has_type(w->a, (DType)w->type.dtype) && iota_fits(w->a, (int)by);
    return no_number || (by >= width && w->spec->op != OP_SHR_ARITH) ? splat(w, 0) : REF_NONE;
}

/* x == x ==> true      x < x ==> false      and their like
 * Not x == x ==> true for floats: NaN. But x < x and x > x are false with NaN too. */
static Ref fold_compare_itself(const Rewrite *w)
{
    if (w->x != w->y) return REF_NONE;
    int64_t dir = w->spec->attr[0];
    if (dir == CMP_LT || dir == CMP_GT) return splat(w, 0);
    if (w->spec->attr[1] == ORDER_FLOAT) return REF_NONE;
    return splat(w, dir != CMP_NE);
}

/* bools: x == true ==> x      x == false ==> !x      and with != the other way round */
static Ref fold_compare_bool(const Rewrite *w)
{
    int64_t dir = w->spec->attr[0];
    if (w->a->dtype != WEFT_BOOL || (dir != CMP_EQ && dir != CMP_NE) || is_splat(w->a) == is_splat(w->b))
        return REF_NONE;
    Ref x = is_splat(w->a) ? w->y : w->x;
    uint64_t bits = node_bits(is_splat(w->a) ? w->a : w->b);
    return (bits != 0) == (dir == CMP_EQ) ? x : build_unary(w->g, OP_NOT, x);
}

/* unsigned: x < 0 ==> false      x >= 0 ==> true      0 > x ==> false      0 <= x ==> true */
static Ref fold_compare_unsigned(const Rewrite *w)
{
    int64_t dir = w->spec->attr[0];
    if (dtype_kind((DType)w->a->dtype) != KIND_UNSIGNED) return REF_NONE;
    if (is_bits(w->b, 0) && (dir == CMP_LT || dir == CMP_GE)) return splat(w, dir == CMP_GE);
    if (is_bits(w->a, 0) && (dir == CMP_GT || dir == CMP_LE)) return splat(w, dir == CMP_LE);
    return REF_NONE;
}

/* The bool p that an int is, 0 or 1: convert(p), or its bits; REF_NONE: it is more. */
static Ref bool_of(const Graph *g, const Node *n)
{
    if (n->op == OP_BITCAST) n = graph_node(g, n->args[0]);
    if (n->op != OP_CONVERT || !dtype_is_int((DType)n->dtype)) return REF_NONE;
    return graph_node(g, n->args[0])->dtype == WEFT_BOOL ? n->args[0] : REF_NONE;
}

/* compare(convert(p), constant) ==> p, !p, true or false      where p is a bool that becomes an int */
static Ref fold_compare_converted(const Rewrite *w)
{
    if (!is_splat(w->b)) return REF_NONE;
    Ref p = bool_of(w->g, w->a);
    DType t = (DType)w->a->dtype;
    uint64_t constant = node_bits(w->b), at[2];
    if (p == REF_NONE) return REF_NONE;
    for (uint64_t k = 0; k < 2; k++)
        if (!evaluate(OP_COMPARE, t, WEFT_BOOL, w->spec->attr, (uint64_t[]){ k, constant }, &at[k]))
            return REF_NONE;
    if (at[0] == at[1]) return splat(w, at[0]);
    return at[1] ? p : build_unary(w->g, OP_NOT, p);
}

/* x == max(x, y) ==> x >= y      x == min(x, y) ==> x <= y      and with the sides exchanged
 * Each is false with a NaN, and true of 0 and -0. Not != ==> <: with a NaN the first is true. */
static Ref fold_compare_extreme(const Rewrite *w)
{
    if (w->spec->attr[0] != CMP_EQ || w->spec->attr[1] == ORDER_TOTAL) return REF_NONE;
    for (int side = 0; side < 2; side++) {
        Ref x = side ? w->y : w->x;
        const Node *extreme = side ? w->a : w->b;
        bool first = extreme->n_args == 2 && extreme->args[0] == x;
        if ((extreme->op != OP_MAX && extreme->op != OP_MIN) || (!first && extreme->args[1] != x)) continue;
        int64_t attr[] = { extreme->op == OP_MAX ? CMP_GE : CMP_LE, w->spec->attr[1] };
        return build_node(w->g, OP_COMPARE, (Ref[]){ x, extreme->args[first] }, 2, attr, 2);
    }
    return REF_NONE;
}

static Ref fold_compare(const Rewrite *w)
{
    return FIRST_OF(w, fold_compare_itself, fold_compare_extreme, fold_compare_bool, fold_compare_unsigned,
                    fold_compare_converted);
}

/* ---- three operands */

/* select(true, x, y) ==> x      select(false, x, y) ==> y      select(p, x, x) ==> x */
static Ref fold_select_known(const Rewrite *w)
{
    if (is_splat(w->a)) return node_bits(w->a) ? w->y : w->z;
    return w->y == w->z ? w->y : REF_NONE;
}

/* select(!p, x, y) ==> select(p, y, x) */
static Ref fold_select_not(const Rewrite *w)
{
    return w->a->op == OP_NOT ? build_select(w->g, w->a->args[0], w->z, w->y) : REF_NONE;
}

/* bools: select(p, true, false) ==> p      select(p, false, true) ==> !p      p of rank 0 is broadcast */
static Ref fold_select_bool(const Rewrite *w)
{
    if (w->type.dtype != WEFT_BOOL || !is_splat(w->b) || !is_splat(w->c)) return REF_NONE;
    Ref p = node_bits(w->b) ? w->x : build_unary(w->g, OP_NOT, w->x);
    return has_shape(w->a, w->type) ? p : build_broadcast(w->g, p, w->type.dim, w->type.rank, NULL);
}

/* select(p, select(p, x, u), y) ==> select(p, x, y)      and in the other arm */
static Ref fold_select_again(const Rewrite *w)
{
    if (w->b->op == OP_SELECT && w->b->args[0] == w->x) return build_select(w->g, w->x, w->b->args[1], w->z);
    if (w->c->op == OP_SELECT && w->c->args[0] == w->x) return build_select(w->g, w->x, w->y, w->c->args[2]);
    return REF_NONE;
}

static Ref fold_select(const Rewrite *w)
{
    return FIRST_OF(w, fold_select_known, fold_select_not, fold_select_bool, fold_select_again,
                    fold_select_update);
}

/* clamp(least, x, greatest) ==> x      for floats: -inf and inf
 * Not clamp(a, x, a) ==> a: x may be NaN. */
static Ref fold_clamp(const Rewrite *w)
{
    DType t = (DType)w->type.dtype;
    return is_bits(w->a, monoid_start(OP_MAX, t)) && is_bits(w->c, monoid_start(OP_MIN, t)) ? w->y : REF_NONE;
}

/* ---- derivatives */

/* stop_gradient(x) ==> x      where x has no derivative anyway */
static Ref fold_stop_gradient(const Rewrite *w)
{
    bool has_none = !dtype_is_inexact((DType)w->type.dtype) || w->a->op == OP_CONSTANT ||
                    w->a->op == OP_IOTA || w->a->op == OP_STOP_GRADIENT;
    return has_none ? w->x : REF_NONE;
}

/* ---- complex numbers

 * Their arithmetic is spelled out in planes (compiler/planes/) before anything is simplified in earnest. */

/* real(complex(x, y)) ==> x      imag(complex(x, y)) ==> y      floats: real(x) ==> x      imag(x) ==> 0 */
static Ref fold_part(const Rewrite *w)
{
    bool real = w->spec->op == OP_REAL;
    if (w->a->op == OP_COMPLEX) return w->a->args[!real];
    if (dtype_is_complex((DType)w->a->dtype)) return REF_NONE;
    return real ? w->x : splat(w, 0);
}

/* complex(real(z), imag(z)) ==> z */
static Ref fold_complex(const Rewrite *w)
{
    if (w->a->op != OP_REAL || w->b->op != OP_IMAG || w->a->args[0] != w->b->args[0]) return REF_NONE;
    Ref z = w->a->args[0];
    return graph_node(w->g, z)->dtype == w->type.dtype ? z : REF_NONE;
}

/* Conversion to its own type and what does not look at numbers: those rules hold for them, too. Not
 * z * 1 ==> z: the imaginary part of inf * 1 is inf * 0 + 0 * 1. */
static Ref fold_of_complex(const Rewrite *w)
{
    switch (w->spec->op) {
    case OP_REAL:
    case OP_IMAG:          return fold_part(w);
    case OP_NEG:           return fold_neg(w);
    case OP_SELECT:        return fold_select(w);
    case OP_STOP_GRADIENT: return fold_stop_gradient(w);
    case OP_CONVERT:       return w->a->dtype == w->type.dtype ? w->x : REF_NONE;
    default:               return REF_NONE;
    }
}

static bool is_of_complex(const Rewrite *w)
{
    return dtype_is_complex((DType)w->type.dtype) || dtype_is_complex((DType)w->a->dtype);
}

/* ---- the tables */

static FoldRule *const elementwise[OP_COUNT] = {
    [OP_NEG] = fold_neg,
    [OP_ABS] = fold_abs,
    [OP_SIGN] = fold_sign,
    [OP_NOT] = fold_not,
    [OP_FLOOR] = fold_rounding,
    [OP_CEIL] = fold_rounding,
    [OP_ROUND_AFZ] = fold_rounding,
    [OP_ROUND_EVEN] = fold_rounding,
    [OP_REDUCE_PRECISION] = fold_reduce_precision,
    [OP_CONVERT] = fold_convert,
    [OP_BITCAST] = fold_bitcast,
    [OP_REAL] = fold_part,
    [OP_IMAG] = fold_part,
    [OP_COMPLEX] = fold_complex,
    [OP_ADD] = fold_add,
    [OP_SUB] = fold_sub,
    [OP_MUL] = fold_mul,
    [OP_DIV] = fold_div,
    [OP_REM] = fold_rem,
    [OP_POW] = fold_pow,
    [OP_MAX] = fold_extreme,
    [OP_MIN] = fold_extreme,
    [OP_AND] = fold_and,
    [OP_OR] = fold_bits,
    [OP_XOR] = fold_xor,
    [OP_SHL] = fold_shift,
    [OP_SHR_ARITH] = fold_shift,
    [OP_SHR_LOGIC] = fold_shift,
    [OP_COMPARE] = fold_compare,
    [OP_SELECT] = fold_select,
    [OP_CLAMP] = fold_clamp,
    [OP_STOP_GRADIENT] = fold_stop_gradient,
};

static Ref fold_ew(const Rewrite *w)
{
    FoldRule *rule = elementwise[w->spec->op];
    if (w->spec->op != OP_COMPLEX && is_of_complex(w)) return fold_of_complex(w);
    Ref r = w->a->op == OP_CONSTANT ? fold_constants(w) : REF_NONE;
    return r == REF_NONE && rule ? rule(w) : r;
}

/* Nothing is known of them that is exact. */
#define fold_leaf                NULL
#define fold_reduce_region       NULL
#define fold_convolution         NULL
#define fold_fft                 NULL
#define fold_reduce_window       NULL
#define fold_cholesky            NULL
#define fold_triangular_solve    NULL
#define fold_lu                  NULL
#define fold_qr                  NULL
#define fold_geqrf               NULL
#define fold_householder_product NULL
#define fold_gehrd               NULL
#define fold_eigh                NULL
#define fold_eig                 NULL
#define fold_schur               NULL
#define fold_svd                 NULL
#define fold_select_and_scatter  NULL
#define fold_map                 NULL
#define fold_while               NULL
#define fold_case                NULL
#define fold_scan                NULL
#define fold_custom_jvp          NULL
#define fold_custom_vjp          NULL
#define fold_custom_vmap         NULL
#define fold_checkpoint          NULL
#define fold_backward            NULL
#define fold_foreign             NULL
#define fold_barrier             NULL
#define fold_rng_bits            NULL
#define fold_result              NULL

static FoldRule *const rules[OP_COUNT] = {
#define EW(NAME, ...)                         [OP_##NAME] = fold_ew,
#define OP(NAME, text, args, kind, rule, ...) [OP_##NAME] = fold_##rule,
#include "compiler/graph/ops.def"
};

Ref fold(Graph *g, const NodeSpec *spec, Type type)
{
    if (spec->n_args == 0 || !rules[spec->op] || g->fold_depth >= NESTED_FOLDS) return REF_NONE;
    Rewrite w = { .g = g,
                  .spec = spec,
                  .type = type,
                  .x = spec->args[0],
                  .y = REF_NONE,
                  .z = REF_NONE,
                  .a = graph_node(g, spec->args[0]) };
    if (spec->n_args > 1) w.y = spec->args[1], w.b = graph_node(g, w.y);
    if (spec->n_args > 2) w.z = spec->args[2], w.c = graph_node(g, w.z);
    g->fold_depth++;
    Ref r = rules[spec->op](&w);
    g->fold_depth--;
    return r;
}
