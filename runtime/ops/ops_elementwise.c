/* ops_elementwise.c: ops that work element by element: one row each in the tables below, compositions above
 * them.
 *
 * A row names the public op, what computes it (an Op, or a composition written here) and how operand types
 * are chosen. Compositions get operands of one type and shape and follow JAX's own definitions, so that
 * derivatives come out as JAX's do.
 */
#include "ops_compose.h"
#include "weft/numeric.h"
#include <math.h>
#include <string.h>

typedef weft_array *OpsBinary(weft_array *, weft_array *);

/* A complex one too: what takes floats only says so. */
static bool is_float(const weft_array *x) { return x && dtype_is_inexact(ops_dtype(x)); }
static bool is_complex(const weft_array *x) { return x && dtype_is_complex(ops_dtype(x)); }
static weft_array *and_(weft_array *a, weft_array *b) { return op_binary(OP_AND, a, b); }

/* ---- compositions of one operand ---- */

static weft_array *sign(weft_array *x)
{
    bool is_unsigned = x && dtype_kind(ops_dtype(x)) == KIND_UNSIGNED;
    return is_unsigned ? ops_convert(ops_nonzero(x), ops_dtype(x)) : op_unary(OP_SIGN, x);
}

static weft_array *make_complex(weft_array *re, weft_array *im) { return op_binary(OP_COMPLEX, re, im); }

/* Ints are whole already. Of complex numbers NumPy rounds the parts. */
static weft_array *rounded(Op op, weft_array *x)
{
    if (is_complex(x) && op == OP_ROUND_EVEN)
        return make_complex(op_unary(op, ops_part(OP_REAL, x)), op_unary(op, ops_part(OP_IMAG, x)));
    return x && !is_float(x) ? x : op_unary(op, x);
}

static weft_array *conj_(weft_array *x)
{
    if (!is_complex(x)) return x;
    return make_complex(ops_part(OP_REAL, x), op_unary(OP_NEG, ops_part(OP_IMAG, x)));
}

/* Of what is not complex: itself and zeros. */
static weft_array *real_part(weft_array *x) { return is_complex(x) ? op_unary(OP_REAL, x) : x; }
static weft_array *imaginary_part(weft_array *x)
{
    return is_complex(x) ? op_unary(OP_IMAG, x) : x ? ops_fill(x, 0) : NULL;
}

static weft_array *angle_(weft_array *x)
{
    return x ? op_binary(OP_ATAN2, imaginary_part(x), real_part(x)) : NULL;
}

/* re + i im, of f32 or, where one is f64, of that. */
static weft_array *complex_(weft_array *re, weft_array *im)
{
    if (!re || !im || !dtype_is_float(ops_dtype(re))) return make_complex(re, im);
    DType part = dtype_part(dtype_complex(ops_dtype(re)));
    return make_complex(ops_convert(re, part), ops_convert(im, part));
}

static weft_array *trunc_(weft_array *x)
{
    if (!is_float(x)) return x;
    return ops_select(ops_compare_with(CMP_LT, x, 0), op_unary(OP_CEIL, x), op_unary(OP_FLOOR, x));
}

/* One answer for all elements: an int is finite, and neither infinite nor NaN. */
static weft_array *all_elements(weft_array *x, bool is)
{
    if (!x) return NULL;
    Type t = array_type(x);
    return ops_splat(WEFT_BOOL, t.dim, t.rank, is);
}

/* Of a complex number: are both parts finite, is one of them infinite? */
static weft_array *classify(Op op, weft_array *x, bool of_ints)
{
    if (is_complex(x) && (op == OP_IS_FINITE || op == OP_IS_INF))
        return op_binary(op == OP_IS_FINITE ? OP_AND : OP_OR, op_unary(op, ops_part(OP_REAL, x)),
                         op_unary(op, ops_part(OP_IMAG, x)));
    return x && !is_float(x) ? all_elements(x, of_ints) : op_unary(op, x);
}

static weft_array *isnan_(weft_array *x)
{
    return is_float(x) ? ops_compare(CMP_NE, x, x) : all_elements(x, false);
}

/* ---- compositions of two operands ---- */

/* The quotient truncates toward 0: one less where the signs differ and there is a remainder. */
static weft_array *floor_div_int(weft_array *a, weft_array *b)
{
    weft_array *q = op_binary(OP_DIV, a, b);
    if (!q || !dtype_is_signed(ops_dtype(a))) return q;
    weft_array *differ = ops_compare(CMP_NE, op_unary(OP_SIGN, a), op_unary(OP_SIGN, b));
    weft_array *rest = ops_nonzero(op_binary(OP_REM, a, b));
    return ops_select(and_(differ, rest), ops_with(OP_SUB, q, 1), q);
}

/* As CPython's float_divmod: without its remainder a is a multiple of b, up to rounding. */
static weft_array *floor_div_float(weft_array *a, weft_array *b)
{
    weft_array *mod = op_binary(OP_REM, a, b);
    weft_array *whole = ops_select(ops_compare_with(CMP_EQ, b, 0), a, op_binary(OP_SUB, a, mod));
    weft_array *q = op_binary(OP_DIV, whole, b);
    weft_array *differ = ops_compare(CMP_NE, op_unary(OP_SIGN, b), op_unary(OP_SIGN, mod));
    q = ops_select(and_(ops_nonzero(mod), differ), ops_with(OP_SUB, q, 1), q);
    return op_unary(OP_ROUND_AFZ, q);
}

static weft_array *floor_div(weft_array *a, weft_array *b)
{
    return is_float(a) ? floor_div_float(a, b) : floor_div_int(a, b);
}

static weft_array *mod(weft_array *a, weft_array *b)
{
    if (a && !is_float(a)) b = ops_select(ops_compare_with(CMP_EQ, b, 0), ops_fill(b, 1), b);
    weft_array *rest = op_binary(OP_REM, a, b);
    weft_array *differ =
        ops_compare(CMP_NE, ops_compare_with(CMP_LT, rest, 0), ops_compare_with(CMP_LT, b, 0));
    return ops_select(and_(differ, ops_nonzero(rest)), op_binary(OP_ADD, rest, b), rest);
}

static weft_array *hypot_(weft_array *a, weft_array *b)
{
    a = op_unary(OP_ABS, a);
    b = op_unary(OP_ABS, b);
    weft_array *great = op_binary(OP_MAX, a, b), *small = op_binary(OP_MIN, a, b);
    weft_array *zero = ops_compare_with(CMP_EQ, great, 0);
    weft_array *ratio = great ? op_binary(OP_DIV, small, ops_select(zero, ops_fill(great, 1), great)) : NULL;
    weft_array *root = op_unary(OP_SQRT, ops_with(OP_ADD, op_unary(OP_SQUARE, ratio), 1));
    weft_array *finite = ops_select(zero, great, op_binary(OP_MUL, great, root));
    weft_array *infinite = op_binary(OP_OR, op_unary(OP_IS_POS_INF, a), op_unary(OP_IS_POS_INF, b));
    return great ? ops_select(infinite, ops_fill(great, INFINITY), finite) : NULL;
}

/* max + log1p(exp(min - max)); of two equal infinities the sum says what it is. One comparison chooses both,
 * so that the derivatives are right where a and b are equal, 1 - 1/2 and 0 + 1/2, and the second ones too. */
weft_array *ops_logaddexp(weft_array *a, weft_array *b)
{
    weft_array *first = ops_compare(CMP_GE, a, b), *great = ops_select(first, a, b);
    weft_array *infinite = op_binary(OP_AND, ops_compare(CMP_EQ, a, b), isnan_(op_binary(OP_SUB, a, b)));
    weft_array *delta = op_binary(OP_SUB, ops_select(first, b, a), great);
    weft_array *tail =
        delta ? op_unary(OP_LOG1P, op_unary(OP_EXP, ops_select(infinite, ops_fill(delta, 0), delta))) : NULL;
    return ops_select(infinite, op_binary(OP_ADD, a, b), op_binary(OP_ADD, great, tail));
}

/* 0 below 0, 1 above, b at 0; NaN stays. */
static weft_array *heaviside(weft_array *a, weft_array *b)
{
    if (!a || !b || !ops_no_complex(a)) return NULL;
    weft_array *off = ops_select(ops_compare_with(CMP_GT, a, 0), ops_fill(a, 1), a);
    off = ops_select(ops_compare_with(CMP_LT, a, 0), ops_fill(a, 0), off);
    return ops_select(ops_compare_with(CMP_EQ, a, 0), b, off);
}

/* sin(p) / p, p = pi x. Near 0 by its series, whose derivatives are right there too. */
static weft_array *sinc(weft_array *x)
{
    weft_array *p = ops_with(OP_MUL, x, M_PI), *square = op_unary(OP_SQUARE, p), *series = NULL;
    for (double k = 6; k >= 2; k -= 2) {
        weft_array *term = ops_with(OP_DIV, square, -k * (k + 1));
        series = ops_with(OP_ADD, series ? op_binary(OP_MUL, term, series) : term, 1);
    }
    weft_array *near = ops_compare_with(CMP_LT, op_unary(OP_ABS, p), 0.01);
    weft_array *far = near ? ops_select(near, ops_fill(p, 1), p) : NULL;
    return ops_select(near, series, far ? op_binary(OP_DIV, op_unary(OP_SIN, far), far) : NULL);
}

/* ---- the ways in ---- */

/* A concrete array that needs no conversion. */
static bool is_plain(weft_operand o, OpsRule rule)
{
    const weft_array *x = o.v.a;
    return o.kind == WEFT_OPERAND_ARRAY_ && array_is_address(x) && array_concrete(x) &&
           (rule == RULE_SAME || dtype_is_inexact((DType)x->dtype));
}

/* The short way: what needs no conversion leaves nothing behind. */
static weft_array *unary_op(const char *name, Op op, OpsRule rule, weft_operand o, const char *at)
{
    if (!is_plain(o, rule)) return ops_unary(name, NULL, op, rule, o, at);
    op_begin(name, at);
    weft_array *r = op_unary(op, ops_in(o.v.a));
    op_end();
    return r;
}

static weft_array *binary(const char *name, Op op, OpsBinary *composed, OpsRule rule, weft_operand a,
                          weft_operand b, const char *at)
{
    OpsCall call;
    weft_array *r = NULL, *x[2];
    weft_operand o[2] = { a, b };
    if (ops_begin(&call, name, at, NULL, o, 2) && ops_unify(o, 2, rule, x))
        r = composed ? composed(x[0], x[1]) : op_binary(op, x[0], x[1]);
    return ops_end(&call, r);
}

/* The short way: two concrete arrays of one type need neither promotion nor broadcasting, and leave no
 * temporaries. */
static weft_array *binary_op(const char *name, Op op, OpsRule rule, weft_operand a, weft_operand b,
                             const char *at)
{
    bool plain = is_plain(a, rule) && is_plain(b, rule) && type_equal(array_type(a.v.a), array_type(b.v.a));
    if (!plain) return binary(name, op, NULL, rule, a, b, at);
    op_begin(name, at);
    weft_array *r = op_binary(op, ops_in(a.v.a), ops_in(b.v.a));
    op_end();
    return r;
}

#define BINARY_WAYS(name, call) \
    weft_array *weft_##name##_(weft_operand a, weft_operand b, const char *at) { return call; } \
    OPS_OF_ARRAYS(name)
#define UNARY(name, op, rule)          OPS_UNARY_BY(name, unary_op("weft_" #name, op, rule, x, at))
#define BINARY(name, op, rule)         BINARY_WAYS(name, binary_op("weft_" #name, op, rule, a, b, at))
#define BINARY_COMPOSED(name, f, rule) BINARY_WAYS(name, binary("weft_" #name, OP_COUNT, f, rule, a, b, at))
#define BINARY_AS(name, composition) \
    static weft_array *name(weft_array *a, weft_array *b) { return composition; } \
    BINARY_COMPOSED(name, name, RULE_SAME)

UNARY(neg, OP_NEG, RULE_SAME)
UNARY(square, OP_SQUARE, RULE_SAME)
UNARY(not, OP_NOT, RULE_SAME)
UNARY(stop_gradient, OP_STOP_GRADIENT, RULE_SAME)
UNARY(materialize, OP_BARRIER, RULE_SAME)
UNARY(popcount, OP_POPCNT, RULE_SAME)
UNARY(clz, OP_CLZ, RULE_SAME)
UNARY(sqrt, OP_SQRT, RULE_INEXACT)
UNARY(rsqrt, OP_RSQRT, RULE_INEXACT)
UNARY(cbrt, OP_CBRT, RULE_INEXACT)
UNARY(exp, OP_EXP, RULE_INEXACT)
UNARY(exp2, OP_EXP2, RULE_INEXACT)
UNARY(expm1, OP_EXPM1, RULE_INEXACT)
UNARY(log, OP_LOG, RULE_INEXACT)
UNARY(log2, OP_LOG2, RULE_INEXACT)
UNARY(log10, OP_LOG10, RULE_INEXACT)
UNARY(log1p, OP_LOG1P, RULE_INEXACT)
UNARY(sin, OP_SIN, RULE_INEXACT)
UNARY(cos, OP_COS, RULE_INEXACT)
UNARY(tan, OP_TAN, RULE_INEXACT)
UNARY(asin, OP_ASIN, RULE_INEXACT)
UNARY(acos, OP_ACOS, RULE_INEXACT)
UNARY(atan, OP_ATAN, RULE_INEXACT)
UNARY(sinh, OP_SINH, RULE_INEXACT)
UNARY(cosh, OP_COSH, RULE_INEXACT)
UNARY(tanh, OP_TANH, RULE_INEXACT)
UNARY(asinh, OP_ASINH, RULE_INEXACT)
UNARY(acosh, OP_ACOSH, RULE_INEXACT)
UNARY(atanh, OP_ATANH, RULE_INEXACT)
UNARY(erf, OP_ERF, RULE_INEXACT)
UNARY(erfc, OP_ERFC, RULE_INEXACT)
UNARY(erf_inv, OP_ERF_INV, RULE_INEXACT)
UNARY(lgamma, OP_LGAMMA, RULE_INEXACT)
UNARY(digamma, OP_DIGAMMA, RULE_INEXACT)
UNARY(bessel_i1e, OP_BESSEL_I1E, RULE_INEXACT)
UNARY(sigmoid, OP_LOGISTIC, RULE_INEXACT)

OPS_UNARY_AS(abs, x && !dtype_is_signed(ops_dtype(x)) ? x : op_unary(OP_ABS, x), RULE_SAME)
OPS_UNARY(real, real_part, RULE_SAME)
OPS_UNARY(imag, imaginary_part, RULE_SAME)
OPS_UNARY(conj, conj_, RULE_SAME)
OPS_UNARY(angle, angle_, RULE_INEXACT)
OPS_UNARY(sign, sign, RULE_SAME)
OPS_UNARY_AS(floor, rounded(OP_FLOOR, x), RULE_SAME)
OPS_UNARY_AS(ceil, rounded(OP_CEIL, x), RULE_SAME)
OPS_UNARY(trunc, trunc_, RULE_SAME)
OPS_UNARY_AS(round, rounded(OP_ROUND_EVEN, x), RULE_SAME)
OPS_UNARY_AS(round_away, rounded(OP_ROUND_AFZ, x), RULE_SAME)
OPS_UNARY(sinc, sinc, RULE_INEXACT)
OPS_UNARY_AS(reciprocal, ops_from(OP_DIV, 1, x), RULE_INEXACT)
OPS_UNARY_AS(isfinite, classify(OP_IS_FINITE, x, true), RULE_SAME)
OPS_UNARY_AS(isinf, classify(OP_IS_INF, x, false), RULE_SAME)
OPS_UNARY_AS(isposinf, classify(OP_IS_POS_INF, x, false), RULE_SAME)
OPS_UNARY_AS(isneginf, classify(OP_IS_NEG_INF, x, false), RULE_SAME)
OPS_UNARY(isnan, isnan_, RULE_SAME)
OPS_UNARY_AS(logical_not,
             x &&ops_dtype(x) == WEFT_BOOL ? op_unary(OP_NOT, x) : ops_compare_with(CMP_EQ, x, 0), RULE_SAME)

BINARY(add, OP_ADD, RULE_SAME)
BINARY(sub, OP_SUB, RULE_SAME)
BINARY(mul, OP_MUL, RULE_SAME)
BINARY(div, OP_DIV, RULE_INEXACT)
BINARY(rem, OP_REM, RULE_NUMERIC)
BINARY(maximum, OP_MAX, RULE_SAME)
BINARY(minimum, OP_MIN, RULE_SAME)
BINARY(atan2, OP_ATAN2, RULE_INEXACT)
BINARY(nextafter, OP_NEXT_AFTER, RULE_INEXACT)
BINARY(polygamma, OP_POLYGAMMA, RULE_INEXACT)
BINARY(zeta, OP_ZETA, RULE_INEXACT)
BINARY(and, OP_AND, RULE_SAME)
BINARY(or, OP_OR, RULE_SAME)
BINARY(xor, OP_XOR, RULE_SAME)
BINARY(shl, OP_SHL, RULE_SAME)
BINARY(shr_arith, OP_SHR_ARITH, RULE_SAME)
BINARY(shr_logic, OP_SHR_LOGIC, RULE_SAME)
BINARY(mulhi, OP_MULHI, RULE_SAME)

BINARY_COMPOSED(complex, complex_, RULE_INEXACT)
BINARY_COMPOSED(floor_div, floor_div, RULE_NUMERIC)
BINARY_COMPOSED(mod, mod, RULE_NUMERIC)
BINARY_COMPOSED(heaviside, heaviside, RULE_INEXACT)
BINARY_COMPOSED(hypot, hypot_, RULE_INEXACT)
BINARY_COMPOSED(logaddexp, ops_logaddexp, RULE_INEXACT)
BINARY_AS(shr, op_binary(a &&dtype_is_signed(ops_dtype(a)) ? OP_SHR_ARITH : OP_SHR_LOGIC, a, b))
BINARY_AS(logical_and, op_binary(OP_AND, ops_nonzero(a), ops_nonzero(b)))
BINARY_AS(logical_or, op_binary(OP_OR, ops_nonzero(a), ops_nonzero(b)))
BINARY_AS(logical_xor, op_binary(OP_XOR, ops_nonzero(a), ops_nonzero(b)))
BINARY_AS(eq, ops_compare(CMP_EQ, a, b))
BINARY_AS(ne, ops_compare(CMP_NE, a, b))
BINARY_AS(lt, ops_compare(CMP_LT, a, b))
BINARY_AS(le, ops_compare(CMP_LE, a, b))
BINARY_AS(gt, ops_compare(CMP_GT, a, b))
BINARY_AS(ge, ops_compare(CMP_GE, a, b))

/* ---- powers ---- */

/* x to the n by squaring, as jax.lax.integer_pow: x^13 = x * x^4 * x^8. */
static weft_array *integer_power(weft_array *x, int64_t n)
{
    if (n == 0) return ops_fill(x, 1);
    weft_array *result = NULL;
    bool started = false;
    for (uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n; left; left >>= 1) {
        if (left & 1) result = started ? op_binary(OP_MUL, result, x) : x;
        started = started || left & 1;
        if (left > 1) x = op_binary(OP_MUL, x, x);
    }
    return n < 0 ? ops_from(OP_DIV, 1, result) : result;
}

static weft_array *static_power(weft_operand base, int64_t n)
{
    weft_array *x = ops_operand(base, ops_common_dtype(&base, 1, RULE_NUMERIC));
    if (!x || n >= 0 || is_float(x)) return x ? integer_power(x, n) : NULL;
    return op_fail(WEFT_ARGUMENT,
                   "%s cannot be raised to the negative power %lld (only floats can; use weft_astype)",
                   TYPE_TEXT(array_type(x)), (long long)n);
}

weft_array *weft_pow_(weft_operand a, weft_operand b, const char *at)
{
    if (b.kind != WEFT_OPERAND_INT_ || a.kind != WEFT_OPERAND_ARRAY_)
        return binary("weft_pow", OP_POW, NULL, RULE_NUMERIC, a, b, at);
    OpsCall call;
    return ops_end(&call, ops_begin(&call, "weft_pow", at, NULL, &a, 1) ? static_power(a, b.v.i) : NULL);
}

OPS_OF_ARRAYS(pow)

/* ---- three operands ---- */

/* The predicate keeps rank 0, if that is its rank. */
static weft_array *where(weft_operand c, const weft_operand *values)
{
    DType t = ops_common_dtype(values, 2, RULE_SAME);
    return ops_select(ops_nonzero(ops_value(c)), ops_operand(values[0], t), ops_operand(values[1], t));
}

OPS_ENTRY_OF(where, (weft_operand c, weft_operand a, weft_operand b, const char *at), (c, a, b),
             where(c, operands + 1))

/* Not CLAMP, whose derivative at the edges is 0: as in jax.numpy it is shared there. */
static weft_array *clip(const weft_operand *o)
{
    weft_array *x[3];
    if (!ops_unify(o, 3, RULE_SAME, x)) return NULL;
    return op_binary(OP_MIN, op_binary(OP_MAX, x[0], x[1]), x[2]);
}

/* From the nearer end, so that it is exact at both. */
static weft_array *lerp(const weft_operand *o)
{
    weft_array *x[3];
    if (!ops_unify(o, 3, RULE_INEXACT, x)) return NULL;
    weft_array *span = op_binary(OP_SUB, x[1], x[0]), *rest = ops_from(OP_SUB, 1, x[2]);
    return ops_select(ops_compare_with(CMP_GE, x[2], 0.5),
                      op_binary(OP_SUB, x[1], op_binary(OP_MUL, span, rest)),
                      op_binary(OP_ADD, x[0], op_binary(OP_MUL, span, x[2])));
}

OPS_ENTRY_OF(lerp, (weft_operand a, weft_operand b, weft_operand t, const char *at), (a, b, t),
             lerp(operands))
OPS_ENTRY_OF(clip, (weft_operand x, weft_operand low, weft_operand high, const char *at), (x, low, high),
             clip(operands))

weft_array *(weft_where)(weft_array *c, weft_array *a, weft_array *b)
{
    return weft_where_(weft_of_array(c), weft_of_array(a), weft_of_array(b), NULL);
}

weft_array *(weft_lerp)(weft_array *a, weft_array *b, weft_array *t)
{
    return weft_lerp_(weft_of_array(a), weft_of_array(b), weft_of_array(t), NULL);
}

weft_array *(weft_clip)(weft_array *x, weft_array *low, weft_array *high)
{
    return weft_clip_(weft_of_array(x), weft_of_array(low), weft_of_array(high), NULL);
}

/* ---- element types ---- */

static weft_array *reduce_precision(weft_array *x, int exponent, int mantissa)
{
    return op_apply(OP_REDUCE_PRECISION, &x, 1, (int64_t[]){ exponent, mantissa }, 2, NULL);
}

OPS_ENTRY_OF(astype, (weft_operand x, weft_dtype t, const char *at), (x),
             ops_dtype_ok(t) ? ops_convert(ops_value(x), t) : NULL)
OPS_ENTRY_OF(bitcast, (weft_operand x, weft_dtype t, const char *at), (x),
             ops_dtype_ok(t) ? ops_bitcast(ops_value(x), t) : NULL)
OPS_ENTRY_OF(reduce_precision, (weft_operand x, int exponent, int mantissa, const char *at), (x),
             reduce_precision(ops_value(x), exponent, mantissa))

weft_array *(weft_astype)(weft_array *x, weft_dtype t) { return weft_astype_(weft_of_array(x), t, NULL); }
weft_array *(weft_bitcast)(weft_array *x, weft_dtype t) { return weft_bitcast_(weft_of_array(x), t, NULL); }
weft_array *(weft_reduce_precision)(weft_array *x, int e, int m)
{
    return weft_reduce_precision_(weft_of_array(x), e, m, NULL);
}
