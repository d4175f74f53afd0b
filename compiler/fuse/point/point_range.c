/* point_range.c: what is known of integers without running: the range of a value, and what an op on indices
 * comes to where ranges decide. A clip that changes nothing, a comparison that is always true, vanish; where
 * they change at one index of a loop, that is noted as a seam (point_loops.c). What is left of an index is an
 * address, so that what is read there is read in a row. */
#include "point.h"
#include "compiler/fuse/integers.h"
#include "compiler/graph/range.h"
#include "compiler/scalar/evaluate.h"
#include <math.h>

enum { MAX_RANGE_DEPTH = 12 }; /* ops looked through for a range: a limit */

static bool value_range(const Build *b, Val v, int depth, Range *r);

static bool range_of_address(const Build *b, Address a, int depth, Range *r)
{
    *r = (Range){ a.offset, a.offset };
    for (uint32_t i = 0; i < a.n_terms; i++) {
        const Stmt *s = &b->nest.stmts[a.terms[i].of];
        Range x = { 0, s->extent - 1 };
        if (s->kind == ST_LOOP ? s->extent == EXTENT_WHILE : !value_range(b, a.terms[i].of, depth, &x))
            return false;
        if (!range_add(r, x, a.terms[i].coef)) return false;
    }
    return true;
}

bool address_range(const Build *b, Address a, int64_t *low, int64_t *high)
{
    Range r;
    if (!range_of_address(b, a, 0, &r)) return false;
    *low = r.low;
    *high = r.high;
    return true;
}

/* The counter of a step loop around the kernel, which is open while the kernel is built. */
static bool range_of_counter(const Build *b, uint64_t number, Range *r)
{
    const Program *p = b->program;
    uint32_t i = p->n_steps;
    while (i-- > 0)
        if ((p->steps[i].kind == STEP_LOOP || p->steps[i].kind == STEP_WHILE) &&
            p->steps[i].counter == number) {
            *r = (Range){ 0, p->steps[i].extent - 1 };
            return p->steps[i].kind == STEP_LOOP;
        }
    return false;
}

/* Of an int, where its type holds the operand's range. */
static bool keeps_number(uint8_t op) { return op == OP_CONVERT || op == OP_BITCAST; }

/* Is the integer an index, or a number? *a: the same as an address. */
static bool is_index(const Build *b, Val v, Address *a)
{
    const Stmt *s = &b->nest.stmts[v];
    *a = s->kind == ST_INDEX ? s->address : address_number(0);
    if (s->kind == ST_CONST && dtype_is_int((DType)s->dtype) && (s->dtype != WEFT_U64 || !(s->imm >> 63)))
        a->offset = scalar_to_i64((DType)s->dtype, s->imm);
    else if (s->kind != ST_INDEX) return false;
    return true;
}

/* Are sums, differences and products of two such addresses surely no more than int64 holds? */
static bool is_small(Address a)
{
    const int64_t most = INT64_C(1) << 31;
    bool small = a.offset >= -most && a.offset <= most;
    for (uint32_t i = 0; i < a.n_terms; i++) small &= a.terms[i].coef >= -most && a.terms[i].coef <= most;
    return small;
}

/* Cuts the range of v to where the condition is `so`: a comparison of an index with a number, if v is that
 * index plus a number. */
static void narrow(const Build *b, Val condition, bool so, Val v, Range *r)
{
    const Stmt *c = &b->nest.stmts[condition];
    Address i, bound, a;
    if (c->kind != ST_OP || c->op != OP_COMPARE || !is_index(b, c->args[0], &i) || !is_small(i) ||
        !is_index(b, c->args[1], &bound) || bound.n_terms || !is_small(bound) || !is_index(b, v, &a) ||
        !is_small(a))
        return;
    Address apart = address_add(b->arena, a, address_scale(b->arena, i, -1));
    if (apart.n_terms) return;
    int64_t at = bound.offset + apart.offset;
    switch ((CompareDir)c->attr[0]) {
    case CMP_LT: *(so ? &r->high : &r->low) = so ? min_i64(r->high, at - 1) : max_i64(r->low, at); break;
    case CMP_LE: *(so ? &r->high : &r->low) = so ? min_i64(r->high, at) : max_i64(r->low, at + 1); break;
    case CMP_GT: *(so ? &r->low : &r->high) = so ? max_i64(r->low, at + 1) : min_i64(r->high, at); break;
    case CMP_GE: *(so ? &r->low : &r->high) = so ? max_i64(r->low, at) : min_i64(r->high, at - 1); break;
    case CMP_EQ:
    case CMP_NE: break;
    }
}

/* The range of an int of less than 64 bits that is made of the float v, by the numbers that cut v: as ints
 * they are within `all`, as v itself is. NaN becomes 0. */
static Range range_of_float(const Build *b, Val v, Range all, int depth)
{
    const Stmt *s = &b->nest.stmts[v];
    if (s->kind != ST_OP || (s->op != OP_MIN && s->op != OP_MAX) || depth >= MAX_RANGE_DEPTH) return all;
    for (int i = 0; i < 2; i++) {
        const Stmt *bound = &b->nest.stmts[s->args[i]];
        if (bound->kind != ST_CONST) continue;
        double at = scalar_to_double((DType)bound->dtype, bound->imm);
        if (isnan(at)) return all;
        int64_t number = (int64_t)fmin(fmax(at, (double)all.low), (double)all.high);
        Range cut = range_of_float(b, s->args[1 - i], all, depth + 1);
        range_of_binary((Op)s->op, (DType)s->dtype, cut, (Range){ number, number }, &cut);
        return range_hull(cut, (Range){ 0, 0 });
    }
    return all;
}

static bool value_range(const Build *b, Val v, int depth, Range *r)
{
    const Stmt *s = &b->nest.stmts[v];
    DType t = (DType)s->dtype;
    Range all, x, y;
    if (!range_of_type(t, &all) && t != WEFT_U64) return false;
    bool found = false;
    if (s->kind == ST_CONST) {
        *r = (Range){ scalar_to_i64(t, s->imm), scalar_to_i64(t, s->imm) };
        return t != WEFT_U64 || r->low >= 0;
    }
    if (depth < MAX_RANGE_DEPTH) {
        if (s->kind == ST_INDEX) found = range_of_address(b, s->address, depth + 1, r);
        else if (s->kind == ST_COUNTER) found = range_of_counter(b, s->imm, r);
        else if (s->kind == ST_OP && s->op == OP_SELECT) {
            found = value_range(b, s->args[1], depth + 1, &x) && value_range(b, s->args[2], depth + 1, &y);
            if (found) {
                narrow(b, s->args[0], true, s->args[1], &x);
                narrow(b, s->args[0], false, s->args[2], &y);
                *r = range_hull(x, y);
            }
        } else if (s->kind == ST_OP && s->op == OP_CONVERT && dtype_is_float(dtype_of(b, s->args[0]))) {
            found = dtype_bits(t) < 64;
            if (found) *r = range_of_float(b, s->args[0], all, depth + 1);
        } else if (s->kind == ST_OP && keeps_number(s->op)) found = value_range(b, s->args[0], depth + 1, r);
        else if (s->kind == ST_OP && s->args[0] != VAL_NONE && s->args[1] == VAL_NONE)
            found = value_range(b, s->args[0], depth + 1, &x) && range_of_unary((Op)s->op, x, r);
        else if (s->kind == ST_OP && s->args[1] != VAL_NONE && s->args[2] == VAL_NONE)
            found = value_range(b, s->args[0], depth + 1, &x) && value_range(b, s->args[1], depth + 1, &y) &&
                    range_of_binary((Op)s->op, dtype_of(b, s->args[0]), x, y, r);
    }
    if (found && range_within(*r, all)) return true;
    *r = all;
    return dtype_bits(t) < 64;
}

Address value_address(Build *b, Val v)
{
    Address a;
    return is_index(b, v, &a) ? a : address_of(b->arena, v, 1);
}

bool index_choice(Build *b, Val v, IndexChoice *c)
{
    const Stmt *s = &b->nest.stmts[v];
    Address a;
    /* What is converted has a range that both types hold, or nobody knew that it needs no clamp. */
    if (s->kind == ST_OP && s->op == OP_CONVERT && dtype_is_int(dtype_of(b, s->args[0])))
        s = &b->nest.stmts[s->args[0]];
    if (s->kind != ST_OP) return false;
    if (s->op == OP_SELECT) {
        c->condition = s->args[0];
        return is_index(b, s->args[1], &c->yes) && is_index(b, s->args[2], &c->no);
    }
    if (s->op != OP_ABS || !is_index(b, s->args[0], &a)) return false;
    *c = (IndexChoice){ compare_with(b, CMP_LT, s->args[0], 0), address_scale(b->arena, a, -1), a };
    return true;
}

/* The address as a value of this type, if it is always within it; else VAL_NONE. */
static Val index_value(Build *b, DType t, Address a)
{
    Range r, all;
    range_of_type(t, &all);
    if ((t != WEFT_I32 && t != WEFT_I64) || !range_of_address(b, a, 0, &r) || !range_within(r, all))
        return VAL_NONE;
    return nest_index(&b->nest, t, a);
}

/* -1, 1: a is always less than 0, at least 0; 0: not known, and a seam if one loop decides it. */
static int sign_of(Build *b, Address a)
{
    Range r;
    if (range_of_address(b, a, 0, &r)) {
        if (r.low >= 0) return 1;
        if (r.high < 0) return -1;
    }
    note_seam(b, a, 0);
    return 0;
}

static Val truth(Build *b, bool is) { return nest_const(&b->nest, WEFT_BOOL, is); }

/* x compared with y, where d is x - y. */
static Val compared(Build *b, CompareDir dir, Address d)
{
    Address reversed = address_scale(b->arena, d, -1);
    int at_least, at_most;
    switch (dir) {
    case CMP_GE: at_least = sign_of(b, d); return at_least ? truth(b, at_least > 0) : VAL_NONE;
    case CMP_LT: at_least = sign_of(b, d); return at_least ? truth(b, at_least < 0) : VAL_NONE;
    case CMP_LE: at_most = sign_of(b, reversed); return at_most ? truth(b, at_most > 0) : VAL_NONE;
    case CMP_GT: at_most = sign_of(b, reversed); return at_most ? truth(b, at_most < 0) : VAL_NONE;
    case CMP_EQ:
    case CMP_NE:
        at_least = sign_of(b, d);
        at_most = sign_of(b, reversed);
        if (at_least < 0 || at_most < 0) return truth(b, dir == CMP_NE);
        return at_least > 0 && at_most > 0 ? truth(b, dir == CMP_EQ) : VAL_NONE;
    }
    return VAL_NONE;
}

static Val extreme(Build *b, bool is_max, Val x, Val y, Address d)
{
    Range r;
    if (range_of_address(b, d, 0, &r) && r.high <= 0) return is_max ? y : x;
    int sign = sign_of(b, d);
    if (!sign) return VAL_NONE;
    return (sign > 0) == is_max ? x : y;
}

/* Quotient or rest of a by m, where a keeps its sign: both truncate, and the rest has the sign of a. */
static Val divided(Build *b, Op op, DType t, Address a, int64_t m)
{
    Range r;
    Address quotient, rest;
    int64_t by = m < 0 ? -m : m;
    if (m == 0 || !range_of_address(b, a, 0, &r)) return VAL_NONE;
    if (r.low > -by && r.high < by) return index_value(b, t, op == OP_REM ? a : address_number(0));
    int sign = sign_of(b, a);
    if (!sign) return VAL_NONE;
    divide(b, address_scale(b->arena, a, sign), by, &quotient, &rest);
    bool flips = op == OP_DIV && m < 0;
    return index_value(b, t, address_scale(b->arena, op == OP_REM ? rest : quotient, flips ? -sign : sign));
}

/* -1, 0 or 1, where it is one of them everywhere. */
static Val sign_value(Build *b, DType t, Address a)
{
    int at_least = sign_of(b, a), at_most = sign_of(b, address_scale(b->arena, a, -1));
    if (at_least < 0) return index_value(b, t, address_number(-1));
    if (at_most < 0) return index_value(b, t, address_number(1));
    return at_least > 0 && at_most > 0 ? index_value(b, t, address_number(0)) : VAL_NONE;
}

/* Of one index. */
static Val one_index(Build *b, Op op, DType t, Address a)
{
    int sign;
    switch (op) {
    case OP_CONVERT: return index_value(b, t, a);
    case OP_NEG:     return index_value(b, t, address_scale(b->arena, a, -1));
    case OP_SIGN:    return sign_value(b, t, a);
    case OP_ABS:
        sign = sign_of(b, a);
        return sign ? index_value(b, t, address_scale(b->arena, a, sign)) : VAL_NONE;
    default: return VAL_NONE;
    }
}

/* Of two indices. */
static Val two_indices(Build *b, Op op, DType t, Val x, Val y, Address p, Address q, const int64_t *attr)
{
    Address minus = address_scale(b->arena, q, -1), d = address_add(b->arena, p, minus);
    switch (op) {
    case OP_ADD: return index_value(b, t, address_add(b->arena, p, q));
    case OP_SUB: return index_value(b, t, d);
    case OP_MUL:
        if (p.n_terms && q.n_terms) return VAL_NONE;
        return index_value(
            b, t, q.n_terms ? address_scale(b->arena, q, p.offset) : address_scale(b->arena, p, q.offset));
    case OP_MAX:     return extreme(b, true, x, y, d);
    case OP_MIN:     return extreme(b, false, x, y, d);
    case OP_REM:
    case OP_DIV:     return q.n_terms ? VAL_NONE : divided(b, op, t, p, q.offset);
    case OP_COMPARE: return compared(b, (CompareDir)attr[0], d);
    default:         return VAL_NONE;
    }
}

/* Of conditions of which one is a constant. */
static Val two_conditions(const Build *b, Op op, Val x, Val y)
{
    for (int side = 0; side < 2; side++) {
        const Stmt *s = &b->nest.stmts[side ? y : x];
        Val other = side ? x : y;
        if (s->kind == ST_CONST && (op == OP_AND || op == OP_OR))
            return (s->imm != 0) == (op == OP_AND) ? other : side ? y : x;
    }
    return VAL_NONE;
}

static Val known_value(Build *b, Op op, DType t, const Val *args, int n, const int64_t *attr)
{
    const Stmt *first = &b->nest.stmts[args[0]];
    Address p, q;
    if (op == OP_SELECT && first->kind == ST_CONST && first->dtype == WEFT_BOOL)
        return args[first->imm ? 1 : 2];
    if (n == 2 && first->dtype == WEFT_BOOL) return two_conditions(b, op, args[0], args[1]);
    if (op == OP_CLAMP && is_index(b, args[0], &p) && is_index(b, args[2], &q))
        return op2(b, OP_MIN, t, op2(b, OP_MAX, t, args[1], args[0]), args[2]);
    if (!is_index(b, args[0], &p) || !is_small(p)) return VAL_NONE;
    if (n == 1) return one_index(b, op, t, p);
    return n == 2 && is_index(b, args[1], &q) && is_small(q)
               ? two_indices(b, op, t, args[0], args[1], p, q, attr)
               : VAL_NONE;
}

/* A comparison, or the lesser or greater, of ints whose ranges do not meet. */
static Val apart(Build *b, Op op, Val x, Val y, const int64_t *attr)
{
    Range p, q;
    if ((op != OP_MAX && op != OP_MIN && op != OP_COMPARE) || !dtype_is_int(dtype_of(b, x)) ||
        !value_range(b, x, 0, &p) || !value_range(b, y, 0, &q))
        return VAL_NONE;
    CompareDir dir = op == OP_COMPARE ? (CompareDir)attr[0] : CMP_EQ;
    bool above = p.low >= q.high, below = p.high <= q.low, strictly = p.low > q.high || p.high < q.low;
    if (op != OP_COMPARE) return above ? (op == OP_MAX ? x : y) : below ? (op == OP_MAX ? y : x) : VAL_NONE;
    switch (dir) {
    case CMP_GE: return above ? truth(b, true) : strictly ? truth(b, false) : VAL_NONE;
    case CMP_LE: return below ? truth(b, true) : strictly ? truth(b, false) : VAL_NONE;
    case CMP_GT: return above && strictly ? truth(b, true) : below ? truth(b, false) : VAL_NONE;
    case CMP_LT: return below && strictly ? truth(b, true) : above ? truth(b, false) : VAL_NONE;
    case CMP_EQ: return strictly ? truth(b, false) : VAL_NONE;
    case CMP_NE: return strictly ? truth(b, true) : VAL_NONE;
    }
    return VAL_NONE;
}

/* The greater or lesser of anything and the value that it starts from is that. (A sum is not: 0 + -0 is
 * 0.) */
static Val beside_start(const Build *b, Op op, DType t, Val x, Val y)
{
    if (op != OP_MAX && op != OP_MIN) return VAL_NONE;
    for (int side = 0; side < 2; side++) {
        const Stmt *s = &b->nest.stmts[side ? y : x];
        if (s->kind == ST_CONST && s->imm == monoid_start(op, t)) return side ? x : y;
    }
    return VAL_NONE;
}

/* What numbers come to, as an index written out becomes one. */
static Val of_numbers(Build *b, Op op, DType t, const Val *args, int n, const int64_t *attr)
{
    uint64_t bits[3] = { 0 }, value;
    for (int i = 0; i < n; i++) {
        const Stmt *s = &b->nest.stmts[args[i]];
        if (s->kind != ST_CONST) return VAL_NONE;
        bits[i] = s->imm;
    }
    DType operand = (DType)b->nest.stmts[args[n - 1]].dtype;
    return n && evaluate(op, operand, t, attr, bits, &value) ? nest_const(&b->nest, t, value) : VAL_NONE;
}

/* The int that a float is: a number, an index as a float, exact sums of such. VAL_NONE: unknown. */
static Val whole_of(Build *b, Val v, int depth)
{
    const Stmt s = b->nest.stmts[v];
    if (s.kind == ST_CONST) {
        double number = scalar_to_double((DType)s.dtype, s.imm);
        return fabs(number) <= MOST_POWER && number == trunc(number)
                   ? nest_const(&b->nest, WEFT_I32, scalar_from_i64(WEFT_I32, (int64_t)number))
                   : VAL_NONE;
    }
    if (s.kind != ST_OP || depth > MAX_RANGE_DEPTH) return VAL_NONE;
    if (s.op == OP_CONVERT) return dtype_of(b, s.args[0]) == WEFT_I32 ? s.args[0] : VAL_NONE;
    if (s.op != OP_ADD && s.op != OP_SUB) return VAL_NONE;
    Val x = whole_of(b, s.args[0], depth + 1), y = whole_of(b, s.args[1], depth + 1);
    return x == VAL_NONE || y == VAL_NONE ? VAL_NONE : op2(b, (Op)s.op, WEFT_I32, x, y);
}

/* x^y by squaring, as expand_power.c has it, where only now y is known to be whole, and not large: the index
 * of a short loop. */
static Val whole_power(Build *b, DType t, Val x, Val y)
{
    Range r;
    if ((t != WEFT_F32 && t != WEFT_F64) || b->program->mode == MODE_STRICT) return VAL_NONE;
    Val n = whole_of(b, y, 0), all = nest_const(&b->nest, t, scalar_from_double(t, 1)), one = all;
    if (n == VAL_NONE || !value_range(b, n, 0, &r) || r.low < 0 || r.high > MOST_POWER) return VAL_NONE;
    for (int64_t bit = 1; bit <= r.high; bit *= 2) {
        Val mask = nest_const(&b->nest, WEFT_I32, (uint64_t)bit),
            taken = compare_with(b, CMP_NE, op2(b, OP_AND, WEFT_I32, n, mask), 0);
        if (bit > 1) x = op2(b, OP_MUL, t, x, x);
        all = select_value(b, t, taken, all == one ? x : op2(b, OP_MUL, t, all, x), all);
    }
    return all;
}

Val point_op(Build *b, Op op, DType t, const Val *args, int n, const int64_t *attr, int n_attr)
{
    Val known = known_value(b, op, t, args, n, attr);
    if (known == VAL_NONE) known = of_numbers(b, op, t, args, n, attr);
    if (known == VAL_NONE && op == OP_POW) known = whole_power(b, t, args[0], args[1]);
    if (known == VAL_NONE && n == 2) known = beside_start(b, op, t, args[0], args[1]);
    if (known == VAL_NONE && n == 2) known = apart(b, op, args[0], args[1], attr);
    return known != VAL_NONE ? known : nest_op(&b->nest, op, t, args, n, attr, n_attr);
}
