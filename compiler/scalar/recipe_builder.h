/* recipe_builder.h: a notation in which recipes read like formulas: add(b, x, y) records a step and returns
 * its number.
 *
 * A Builder writes one recipe for one float type; functions that serve both types take what differs (widths,
 * coefficients, parts of constants) from it. Values are step numbers. Types follow the operands; constants
 * are recorded once, and what only depends on constants is one: an operand that is a constant takes with it
 * all that is asked about it. guarded(b, cond) .. unguarded(b) brackets a rare path: what is recorded between
 * is needed only where cond holds in some lane. Rare paths do not nest.
 *
 * A multiply-add says whether it needs its product exactly: exact_fmadd where what is added cancels the
 * product's leading bits, fmadd elsewhere. Without the instruction fmadd is a product and a sum, and
 * exact_fmadd some fifteen steps.
 */
#ifndef WEFT_SCALAR_RECIPE_BUILDER_H
#define WEFT_SCALAR_RECIPE_BUILDER_H
#include "recipe.h"
#include <math.h>

typedef uint16_t V;

typedef struct Builder {
    Recipe *r;
    DType t, it,
        ut;    /* the float type, and the signed and unsigned ints of its width; both unsigned if narrow */
    bool wide; /* t is F64 */
    bool fma;  /* multiply-adds are steps; if not, they are made of others */
    int mantissa, bias, top; /* explicit mantissa bits; exponent bias; the sign's bit number */
    uint16_t guard;
    uint16_t n_constants, constant[512]; /* the constants' steps; more than these are not looked for again */
} Builder;

/* c[i] goes with x^i; [0] of a pair is for F32, [1] for F64 */
typedef struct Poly {
    int n;
    double c[32];
} Poly;

void builder_start(Builder *b, Recipe *r, DType t, bool fma);
V builder_step(Builder *b, Op op, DType result, V x, V y, V z, uint64_t imm);
V builder_const(Builder *b, DType t, uint64_t bits);

static inline DType type_of_step(const Recipe *r, V x) { return (DType)r->step[x].dtype; }
static inline DType type_of(const Builder *b, V x) { return type_of_step(b->r, x); }
static inline bool is_known(const Recipe *r, V x) { return r->step[x].op == OP_CONSTANT; }
static inline bool is_true(const Recipe *r, V x) { return is_known(r, x) && r->step[x].imm; }
/* A path that is always taken is none. */
static inline V guarded(Builder *b, V cond)
{
    b->guard = is_true(b->r, cond) ? 0 : (uint16_t)(cond + 1);
    return cond;
}
static inline void unguarded(Builder *b) { b->guard = 0; }

V parameter(Builder *b, DType t, int index);
V num(Builder *b, double v);    /* of the float type */
V whole(Builder *b, int64_t v); /* of the signed int of its width */
static inline V bits_of(Builder *b, uint64_t v) { return builder_const(b, b->ut, v); }

#define BUILDER_UNARY(name, op) \
    static inline V name(Builder *b, V x) { return builder_step(b, op, type_of(b, x), x, 0, 0, 0); }
#define BUILDER_BINARY(name, op) \
    static inline V name(Builder *b, V x, V y) { return builder_step(b, op, type_of(b, x), x, y, 0, 0); }
#define BUILDER_COMPARE(name, d) \
    static inline V name(Builder *b, V x, V y) { return builder_step(b, OP_COMPARE, WEFT_BOOL, x, y, 0, d); }
BUILDER_UNARY(negate, OP_NEG)
BUILDER_UNARY(magnitude, OP_ABS)
BUILDER_UNARY(root, OP_SQRT)
BUILDER_UNARY(round_down, OP_FLOOR)
BUILDER_UNARY(round_even, OP_ROUND_EVEN)
BUILDER_UNARY(leading_zeros, OP_CLZ)
BUILDER_UNARY(invert, OP_NOT)
BUILDER_BINARY(add, OP_ADD)
BUILDER_BINARY(sub, OP_SUB)
BUILDER_BINARY(mul, OP_MUL)
BUILDER_BINARY(quotient, OP_DIV)
BUILDER_BINARY(both, OP_AND)
BUILDER_BINARY(either, OP_OR)
BUILDER_BINARY(differ, OP_XOR)
BUILDER_BINARY(shift_left, OP_SHL)
BUILDER_BINARY(shift_arith, OP_SHR_ARITH)
BUILDER_BINARY(shift_logic, OP_SHR_LOGIC)
BUILDER_BINARY(mul_high, OP_MULHI)
BUILDER_COMPARE(equal, CMP_EQ)
BUILDER_COMPARE(unequal, CMP_NE)
BUILDER_COMPARE(less, CMP_LT)
BUILDER_COMPARE(at_most, CMP_LE)
BUILDER_COMPARE(greater, CMP_GT)
BUILDER_COMPARE(at_least, CMP_GE)
#undef BUILDER_UNARY
#undef BUILDER_BINARY
#undef BUILDER_COMPARE

static inline V choose(Builder *b, V cond, V yes, V no)
{
    return builder_step(b, OP_SELECT, type_of(b, yes), cond, yes, no, 0);
}
static inline V fmadd(Builder *b, V x, V y, V z)
{
    if (!b->fma) return add(b, mul(b, x, y), z);
    return builder_step(b, OP_FMA, type_of(b, x), x, y, z, 0);
}
V exact_fmadd(Builder *b, V x, V y, V z);
static inline V convert(Builder *b, DType t, V x) { return builder_step(b, OP_CONVERT, t, x, 0, 0, 0); }
static inline V bitcast(Builder *b, DType t, V x) { return builder_step(b, OP_BITCAST, t, x, 0, 0, 0); }
static inline V lookup(Builder *b, DType t, uint32_t table, V index)
{
    return builder_step(b, (Op)STEP_LOOKUP, t, index, 0, 0, table);
}

static inline V to_bits(Builder *b, V x) { return bitcast(b, b->it, x); }
static inline V from_bits(Builder *b, V x) { return bitcast(b, b->t, x); }
static inline V by(Builder *b, V x, double k) { return mul(b, x, num(b, k)); }
static inline V plus(Builder *b, V x, double k) { return add(b, x, num(b, k)); }
static inline V add_whole(Builder *b, V x, int64_t k) { return add(b, x, whole(b, k)); }
/* z - x y */
static inline V fmsub_from(Builder *b, V x, V y, V z) { return fmadd(b, negate(b, x), y, z); }
static inline V exact_fmsub_from(Builder *b, V x, V y, V z) { return exact_fmadd(b, negate(b, x), y, z); }

/* NaN stays NaN: the form that is one machine instruction where min and max are not IEEE's. */
static inline V not_above(Builder *b, V x, double limit)
{
    return choose(b, greater(b, x, num(b, limit)), num(b, limit), x);
}
static inline V not_below(Builder *b, V x, double limit)
{
    return choose(b, less(b, x, num(b, limit)), num(b, limit), x);
}

/* Horner's rule: the sum of c[i] x^(i - last) for last <= i < n */
V horner(Builder *b, const double *c, int n, int last, V x);
V poly(Builder *b, const Poly pair[2], V x);
V poly_rest(Builder *b, const Poly pair[2], V x); /* the same without the last step: (poly(x) - c[0]) / x */
V sign_bit(Builder *b, V x);                      /* the sign alone, as an int */
V with_sign(Builder *b, V x, V sign);             /* x, its sign flipped where sign (from sign_bit) says */

/* Sums and products of two floats that carry more than one: hi + lo with |lo| <= ulp(hi) / 2. */
typedef struct Pair {
    V hi, lo;
} Pair;
Pair two_sum(Builder *b, V x, V y);      /* exact */
Pair fast_two_sum(Builder *b, V x, V y); /* exact where |x| >= |y| or x is 0 */
Pair two_product(Builder *b, V x, V y);  /* exact */
Pair pair_add(Builder *b, Pair x, Pair y);
Pair pair_mul(Builder *b, Pair x, Pair y);
Pair pair_product(Builder *b, Pair x, Pair y); /* the same, lo perhaps some ulps of hi */
Pair pair_scale(Builder *b, Pair x, V y);
Pair pair_quotient(Builder *b, Pair x, Pair y);

extern const Poly poly_exp[2], poly_exp_step[2], poly_exp_down[2], poly_log[2], poly_atanh[2], poly_atanh7[2],
    poly_sin[2], poly_tan[2], poly_sinh[2], poly_cosh[2], poly_tanh[2], poly_exp_twice[2], poly_atan[2],
    poly_asin[2], poly_erf[2], poly_root_erfc[2], poly_erfc[2], poly_erfc_down[2], poly_erf_inv[2],
    poly_erf_inv_mid[2], poly_erf_inv_far[2], poly_rcbrt[2], poly_lgamma_one[2], poly_lgamma_two[2],
    poly_lgamma_one_low[2], poly_lgamma_two_low[2], poly_digamma[2], poly_i1e[2], poly_i1e_far[2],
    poly_rsqrt[2];

extern const double exp_table[128]; /* 2^(j / 128) - 1 for j from -64 on */

enum { TABLE_TURNS, TABLE_FACTORIALS, TABLE_EXP }; /* numbers of recipe_table */

/* ---- what the families of recipes lend one another ---- */

/* 1.5 * 2^mantissa: sums near it have ulp 1, whatever the sign of what is added. */
static inline double rounder(const Builder *b) { return b->wide ? 0x1.8p52 : 0x1.8p23; }

/* ln2 in two parts. A whole n times the first, in a multiply-add, rounds once: without the instruction that
 * part is so short that the product is exact. */
typedef struct Ln2 {
    double hi, lo;
} Ln2;
Ln2 ln2_parts(const Builder *b);
/* exp(x) = scale (1 + q), scale = 2^n, |log(1 + q)| <= ln2 / 2; valid while 2^n is a normal number. biased: n
 * + bias in the low bits. r = log(1 + q), rounded; first + second is r to twice its bits. */
typedef struct ExpParts {
    V biased, scale, r, first, second, q;
} ExpParts;
ExpParts exp_parts(Builder *b, V x);
ExpParts exp_parts_of_half(Builder *b, V x); /* the same with r, first and second, which exp_parts may lack */
/* exp(x) / 2^less for any x: subnormal, 0 and inf come out right */
V exp_scaled(Builder *b, V x, int less);
V exp_pair_normal(Builder *b, Pair x);                    /* exp(x.hi + x.lo), x within exp_limit */
V exp_pair_times_normal(Builder *b, Pair x, Pair factor); /* its product with factor, for which this is so */
V exp_pair(Builder *b, Pair x);                           /* exp(x.hi + x.lo), any x but NaN in lo */
V exp_pair_times(Builder *b, Pair x, Pair factor);        /* exp(x.hi + x.lo) factor */
double exp_limit(const Builder *b); /* beyond it, either way, 2^n is not a normal number */

/* x = 2^k (1 + f), -1/3 <= f < 1/3, for positive normal x; k as a float. */
typedef struct LogParts {
    V f, k, scale;
} LogParts;
LogParts log_parts(Builder *b, V x);
V unusual(Builder *b, V x);        /* positive normal x: false; 0, subnormal, negative, inf and NaN: true */
V log_normal(Builder *b, V x);     /* log of a positive normal x */
Pair log_pair(Builder *b, Pair x); /* F64: log(x.hi + x.lo) to 2^-66, x.hi positive and normal */
Pair log_pair_of(Builder *b, V x); /* F64: log(x), the same */

V sin_pi(Builder *b, V x); /* sin(pi x) and its like for the reflections */
V tan_pi(Builder *b, V x);

/* ---- one function per op, for the table of recipe.c ---- */

typedef V RecipeUnary(Builder *, V);
typedef V RecipeBinary(Builder *, V, V);
RecipeUnary recipe_exp, recipe_exp2, recipe_expm1, recipe_logistic, recipe_log, recipe_log2, recipe_log10,
    recipe_log1p, recipe_sin, recipe_cos, recipe_tan, recipe_asin, recipe_acos, recipe_atan, recipe_tanh,
    recipe_sinh, recipe_cosh, recipe_asinh, recipe_acosh, recipe_atanh, recipe_erf, recipe_erfc,
    recipe_erf_inv, recipe_cbrt, recipe_rsqrt, recipe_rsqrt_by_estimate, recipe_lgamma, recipe_digamma,
    recipe_bessel_i1e, recipe_sign, recipe_round_afz;
RecipeBinary recipe_pow, recipe_atan2, recipe_rem, recipe_next_after, recipe_zeta, recipe_polygamma;
/* F64 operands that came from F32 */
RecipeUnary recipe_erfc_single, recipe_lgamma_single, recipe_asinh_single, recipe_acosh_single,
    recipe_atanh_single;
RecipeBinary recipe_pow_single, recipe_zeta_single, recipe_polygamma_single;
V recipe_reduce_precision(Builder *, V, int exponent_bits, int mantissa_bits);
V recipe_pow_int(Builder *, DType, V, V);
bool recipe_write_convert(Builder *, DType from, DType to); /* the builder is F32's */
#endif
