/* recipe_builder.c: recording of steps, and the few formulas every recipe uses. */
#include "recipe_builder.h"
#include <assert.h>
#include "evaluate.h"

void builder_start(Builder *b, Recipe *r, DType t, bool fma)
{
    r->n_steps = r->n_params = 0;
    b->r = r;
    b->t = t;
    b->ut = dtype_unsigned_twin(t);
    b->it = dtype_is_narrow_float(t) ? b->ut : dtype_signed_twin(t);
    b->wide = t == WEFT_F64;
    b->fma = fma;
    b->mantissa = dtype_info[t].mantissa_bits;
    b->bias = dtype_bias(t);
    b->top = dtype_bits(t) - 1;
    b->guard = b->n_constants = 0;
}

/* c ? x : y ==> x or y      c && x ==> x or c      c || x ==> c or x, for a c that is known */
static bool decided(const Recipe *r, Op op, DType result, const V *arg, V *value)
{
    if (op == OP_SELECT) {
        *value = is_true(r, arg[0]) ? arg[1] : arg[2];
        return is_known(r, arg[0]);
    }
    for (int i = 0; i < 2 && result == WEFT_BOOL && (op == OP_AND || op == OP_OR); i++) {
        *value = is_true(r, arg[i]) == (op == OP_OR) ? arg[i] : arg[1 - i];
        if (is_known(r, arg[i])) return true;
    }
    return false;
}

/* An op on constants, but those that evaluate leaves alone. */
static bool constant_of(const Recipe *r, Op op, DType result, const V *arg, uint64_t imm, uint64_t *bits)
{
    const int64_t attr[2] = { (int64_t)imm, ORDER_FLOAT };
    uint64_t in[3] = { 0, 0, 0 };
    if (op == (Op)STEP_LOOKUP || op == (Op)STEP_ESTIMATE || op_info[op].args == 0) return false;
    for (int i = 0; i < op_info[op].args; i++) {
        if (!is_known(r, arg[i])) return false;
        in[i] = r->step[arg[i]].imm;
    }
    *bits = in[0];
    return op == OP_BITCAST || evaluate(op, type_of_step(r, arg[0]), result, attr, in, bits);
}

V builder_step(Builder *b, Op op, DType result, V x, V y, V z, uint64_t imm)
{
    Recipe *r = b->r;
    const V arg[3] = { x, y, z };
    uint64_t bits;
    V value;
    if (decided(r, op, result, arg, &value)) return value;
    if (constant_of(r, op, result, arg, imm, &bits)) return builder_const(b, result, bits);
    assert(r->n_steps < RECIPE_MAX_STEPS);
    r->step[r->n_steps] = (RecipeStep){
        .op = (uint8_t)op, .dtype = (uint8_t)result, .guard = b->guard, .arg = { x, y, z }, .imm = imm
    };
    return r->n_steps++;
}

/* A constant of a rare path is shared within it only, so that all uses outside keep to the rule for guarded
 * values. */
V builder_const(Builder *b, DType t, uint64_t bits)
{
    for (int i = b->n_constants - 1; i >= 0; i--) {
        const RecipeStep *s = &b->r->step[b->constant[i]];
        if (s->imm == bits && s->dtype == t && (!s->guard || s->guard == b->guard)) return b->constant[i];
    }
    V made = builder_step(b, OP_CONSTANT, t, 0, 0, 0, bits);
    if (b->n_constants < sizeof b->constant / sizeof *b->constant) b->constant[b->n_constants++] = made;
    return made;
}

V parameter(Builder *b, DType t, int index)
{
    if (b->r->n_params <= index) b->r->n_params = (uint16_t)(index + 1);
    return builder_step(b, OP_PARAMETER, t, 0, 0, 0, (uint64_t)index);
}

V num(Builder *b, double v) { return builder_const(b, b->t, scalar_from_double(b->t, v)); }
V whole(Builder *b, int64_t v) { return builder_const(b, b->it, scalar_from_i64(b->it, v)); }

V horner(Builder *b, const double *c, int n, int last, V x)
{
    V sum = num(b, c[n - 1]);
    for (int i = n - 2; i >= last; i--) sum = fmadd(b, sum, x, num(b, c[i]));
    return sum;
}

/* The even and the odd powers apart, which do not wait for each other: e(x^2) + x o(x^2). */
static V in_two(Builder *b, const double *c, int n, int last, V x)
{
    V square = mul(b, x, x), part[2];
    for (int k = 0; k < 2; k++) {
        int i = n - 1 - (n - 1 - last - k) % 2;
        part[k] = num(b, c[i]);
        for (i -= 2; i >= last; i -= 2) part[k] = fmadd(b, part[k], square, num(b, c[i]));
    }
    return fmadd(b, part[1], x, part[0]);
}

/* Long ones by two chains, the sooner where a step is a product and a sum, with the latency of both. The last
 * steps, whose rounding counts, are Horner's. */
static V poly_from(Builder *b, const Poly *p, int last, V x)
{
    enum { EXACT = 2 };
    if (p->n - last < (b->fma ? 10 : 7)) return horner(b, p->c, p->n, last, x);
    V sum = in_two(b, p->c, p->n, last + EXACT, x);
    for (int i = last + EXACT - 1; i >= last; i--) sum = fmadd(b, sum, x, num(b, p->c[i]));
    return sum;
}

V poly(Builder *b, const Poly pair[2], V x) { return poly_from(b, &pair[b->wide], 0, x); }
V poly_rest(Builder *b, const Poly pair[2], V x) { return poly_from(b, &pair[b->wide], 1, x); }

V sign_bit(Builder *b, V x) { return both(b, to_bits(b, x), whole(b, INT64_MIN >> (63 - b->top))); }

V with_sign(Builder *b, V x, V sign) { return from_bits(b, differ(b, to_bits(b, x), sign)); }

Pair two_sum(Builder *b, V x, V y)
{
    V hi = add(b, x, y);
    V from_y = sub(b, hi, x);
    V lo = add(b, sub(b, x, sub(b, hi, from_y)), sub(b, y, from_y));
    return (Pair){ hi, lo };
}

Pair fast_two_sum(Builder *b, V x, V y)
{
    V hi = add(b, x, y);
    return (Pair){ hi, sub(b, y, sub(b, hi, x)) };
}

/* The upper half of x's significand, to nearest, and the lower. Products of halves are exact (Dekker). */
static Pair split_value(Builder *b, V x)
{
    int low = (b->mantissa + 2) / 2;
    V up = add_whole(b, to_bits(b, x), INT64_C(1) << (low - 1));
    V hi = from_bits(b, both(b, up, whole(b, -(INT64_C(1) << low))));
    return (Pair){ hi, sub(b, x, hi) };
}

Pair two_product(Builder *b, V x, V y)
{
    V hi = mul(b, x, y);
    if (b->fma) return (Pair){ hi, fmadd(b, x, y, negate(b, hi)) };
    Pair p = split_value(b, x), q = x == y ? p : split_value(b, y);
    V lo = sub(b, mul(b, p.hi, q.hi), hi);
    lo = add(b, add(b, lo, mul(b, p.hi, q.lo)), mul(b, p.lo, q.hi));
    return (Pair){ hi, add(b, lo, mul(b, p.lo, q.lo)) };
}

/* One rounding where z cancels the product or is its negative, rounded. */
V exact_fmadd(Builder *b, V x, V y, V z)
{
    if (b->fma) return fmadd(b, x, y, z);
    Pair p = two_product(b, x, y);
    return add(b, add(b, p.hi, z), p.lo);
}

Pair pair_add(Builder *b, Pair x, Pair y)
{
    Pair s = two_sum(b, x.hi, y.hi);
    return fast_two_sum(b, s.hi, add(b, s.lo, add(b, x.lo, y.lo)));
}

Pair pair_product(Builder *b, Pair x, Pair y)
{
    Pair p = two_product(b, x.hi, y.hi);
    return (Pair){ p.hi, fmadd(b, x.hi, y.lo, fmadd(b, x.lo, y.hi, p.lo)) };
}

Pair pair_mul(Builder *b, Pair x, Pair y)
{
    Pair p = pair_product(b, x, y);
    return fast_two_sum(b, p.hi, p.lo);
}

Pair pair_scale(Builder *b, Pair x, V y)
{
    Pair p = two_product(b, x.hi, y);
    return fast_two_sum(b, p.hi, fmadd(b, x.lo, y, p.lo));
}

/* The remainder of the first quotient digit is exact in x.hi - q y.hi. */
Pair pair_quotient(Builder *b, Pair x, Pair y)
{
    V q = quotient(b, x.hi, y.hi);
    V rest = fmsub_from(b, q, y.lo, add(b, exact_fmsub_from(b, q, y.hi, x.hi), x.lo));
    return fast_two_sum(b, q, quotient(b, rest, y.hi));
}
