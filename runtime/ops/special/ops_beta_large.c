/* ops_beta_large.c: the incomplete beta function for large a and b and x near their mean a / (a + b), where a
 * continued fraction takes sqrt(a + b) turns, and a log x + b log(1 - x) - log beta(a, b) loses all digits.
 *
 * With y = 1 - x and lambda = a y - b x, which is 0 at the mean, m(u) = (u - log(1 + u)) / u^2, and S
 * Stirling's series, of which beta(a, b) is made, too:
 *     x^a y^b / beta(a, b) = sqrt(a b / (2 pi (a + b))) e^-E S(a + b) / (S(a) S(b)),
 *     E = lambda^2 (m(-lambda / a) / a + m(lambda / b) / b).
 * What the function is on the side of the mean where x lies is the density at x times the integral over s of
 *     e^(-c s - a u^2 m(u) - b v^2 m(v)) / ((1 + u)(1 + v)),  u = -s / x,  v = s / y,  c = lambda / (x y),
 * a bell's tail, which steps of the trapezoid rule sum up to 1e-14 in the variable t of s = length z(t),
 * z = exp(t - exp(-t)) (Takahasi and Mori 1974). From a = b = 1000 on u stays above -0.3 until e^.. is 0.
 */
#include "runtime/ops/ops_body.h"
#include <math.h>
#include <string.h>

#define ADD(a, b) ops_binary(OP_ADD, a, b)
#define SUB(a, b) ops_binary(OP_SUB, a, b)
#define MUL(a, b) ops_binary(OP_MUL, a, b)
#define DIV(a, b) ops_binary(OP_DIV, a, b)
#define NEG(a)    op_unary(OP_NEG, a)

/* most: what squares and halves in f32 bear */
static const double least = 1e3, most = 1e38, step = 1. / 9, first = 3.6;

weft_array *ops_beta_is_large(weft_array *a, weft_array *b, weft_array *x)
{
    weft_array *low = ops_binary(OP_MIN, a, b), *off = op_unary(OP_ABS, SUB(a, MUL(ADD(a, b), x)));
    weft_array *is = op_binary(OP_AND, ops_compare_with(CMP_GE, low, least),
                               ops_compare_with(CMP_LE, ops_binary(OP_MAX, a, b), most));
    return op_binary(OP_AND, is, ops_compare(CMP_LT, off, ops_with(OP_MUL, low, 0.45)));
}

/* The upper half of x's bits: products of two halves are exact. */
static weft_array *half(weft_array *x) { return ops_convert(ops_convert(x, WEFT_F32), WEFT_F64); }

/* What the product a b misses. */
static weft_array *missed(weft_array *a, weft_array *b, weft_array *product)
{
    weft_array *a1 = half(a), *b1 = half(b), *a2 = SUB(a, a1), *b2 = SUB(b, b1);
    return ADD(ADD(ADD(SUB(MUL(a1, b1), product), MUL(a1, b2)), MUL(a2, b1)), MUL(a2, b2));
}

typedef struct Beta {
    weft_array *a, *b, *x, *y, *lambda;
} Beta;

/* Of others than large ones those of a = b at the mean, so that no infinities reach a derivative. */
static Beta beta_of(weft_array *a, weft_array *b, weft_array *x)
{
    weft_array *is = ops_beta_is_large(a, b, x), *safe = ops_fill(a, least);
    Beta v = { 0 };
    if (!is || !safe) return v;
    v.a = ops_select(is, a, safe);
    v.b = ops_select(is, b, safe);
    v.x = ops_select(is, x, ops_fill(x, 0.5));
    v.y = ops_from(OP_SUB, 1, v.x);
    weft_array *y2 = SUB(ops_from(OP_SUB, 1, v.y), v.x), *ay = MUL(v.a, v.y), *bx = MUL(v.b, v.x);
    weft_array *rest = ADD(SUB(missed(v.a, v.y, ay), missed(v.b, v.x, bx)), MUL(v.a, y2));
    v.lambda = ADD(SUB(ay, bx), rest);
    return v;
}

static weft_array *inverse(weft_array *x) { return ops_from(OP_DIV, 1, x); }

static weft_array *density(const Beta *v)
{
    weft_array *sum = ADD(v->a, v->b), *u = DIV(v->lambda, v->a), *w = DIV(v->lambda, v->b);
    weft_array *e =
        ADD(MUL(MUL(u, v->lambda), ops_log1p_lack(NEG(u))), MUL(MUL(w, v->lambda), ops_log1p_lack(w)));
    weft_array *root = op_unary(OP_SQRT, DIV(MUL(v->a, v->b), ops_with(OP_MUL, sum, 6.28318530717958648)));
    weft_array *series =
        DIV(ops_stirling(inverse(sum)), MUL(ops_stirling(inverse(v->a)), ops_stirling(inverse(v->b))));
    return DIV(MUL(MUL(root, series), op_unary(OP_EXP, NEG(e))), MUL(v->x, v->y));
}

weft_array *ops_beta_large_density(weft_array *a, weft_array *b, weft_array *x)
{
    Beta v = beta_of(a, b, x);
    return density(&v);
}

/* What is the same in each turn stands in front. e: exp(-t) */
enum { B_A, B_B, B_X, B_Y, B_SLOPE, B_LENGTH, B_SAME, B_GOING = B_SAME, B_E, B_SUM, BETA_VALUES };

static void tail_goes(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    out[0] = in[B_GOING];
}

/* f u^2 m(u) */
static weft_array *part(weft_array *f, weft_array *u)
{
    return MUL(MUL(f, op_unary(OP_SQUARE, u)), ops_log1p_lack(u));
}

static void tail_turn(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *e = in[B_E], *z = DIV(op_unary(OP_EXP, NEG(e)), e), *s = MUL(in[B_LENGTH], z);
    weft_array *u = NEG(DIV(s, in[B_X])), *v = DIV(s, in[B_Y]);
    weft_array *exponent = ADD(MUL(in[B_SLOPE], s), ADD(part(in[B_A], u), part(in[B_B], v)));
    weft_array *by = MUL(ops_with(OP_ADD, u, 1), ops_with(OP_ADD, v, 1));
    weft_array *term = DIV(MUL(op_unary(OP_EXP, NEG(exponent)), MUL(z, ops_with(OP_ADD, e, 1))), by);
    weft_array *sum = ADD(in[B_SUM], term);
    weft_array *next[] = { ops_compare(CMP_GT, term, ops_with(OP_MUL, sum, 0x1p-53)),
                           ops_with(OP_MUL, e, exp(-step)), sum };
    memcpy(out, next, sizeof next);
}

weft_array *ops_beta_large(weft_array *a, weft_array *b, weft_array *x)
{
    Beta v = beta_of(a, b, x);
    weft_array *left = ops_compare_with(CMP_GE, v.lambda, 0);
    if (!left) return NULL;
    weft_array *p = ops_select(left, v.a, v.b), *q = ops_select(left, v.b, v.a);
    weft_array *to = ops_select(left, v.x, v.y), *rest = ops_select(left, v.y, v.x);
    weft_array *slope = DIV(ops_select(left, v.lambda, NEG(v.lambda)), MUL(v.x, v.y));
    weft_array *bend = ADD(DIV(p, op_unary(OP_SQUARE, to)), DIV(q, op_unary(OP_SQUARE, rest)));
    weft_array *length = inverse(ADD(slope, op_unary(OP_SQRT, bend)));
    weft_array *all[BETA_VALUES] = {
        p, q, to, rest, slope, length, ops_beta_is_large(a, b, x), ops_fill(x, exp(first)), ops_fill(x, 0)
    };
    if (!ops_while(all, BETA_VALUES, B_SAME, tail_goes, tail_turn, NULL)) return NULL;
    weft_array *side = MUL(MUL(density(&v), length), ops_with(OP_MUL, all[B_SUM], step));
    return side ? ops_select(left, side, ops_from(OP_SUB, 1, side)) : NULL;
}
