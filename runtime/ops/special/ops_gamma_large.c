/* ops_gamma_large.c: the incomplete gamma functions for large a and x near a, by Temme's uniform expansion
 * (DLMF 8.12), where a series takes sqrt(a) terms, and a log x - x - log gamma(a) loses all digits.
 *
 * With mu = (x - a) / a and eta of mu's sign, eta^2 / 2 = mu - log(1 + mu):
 *     Q(a, x) = erfc(eta sqrt(a / 2)) / 2 + E T,  P = erfc(-eta sqrt(a / 2)) / 2 - E T,
 *     E = exp(-a eta^2 / 2) / sqrt(2 pi a),       T = c0(eta) + c1(eta) / a + c2(eta) / a^2 + ...
 * From a = 1e4 on both E and P or Q are 0 where |eta| > 0.4, so that Taylor series do for c0, c1, c2 and mu.
 */
#include "runtime/ops/ops_body.h"
#include <math.h>
#include "ops_special_tables.h"

#define ADD(a, b) ops_binary(OP_ADD, a, b)
#define SUB(a, b) ops_binary(OP_SUB, a, b)
#define MUL(a, b) ops_binary(OP_MUL, a, b)
#define DIV(a, b) ops_binary(OP_DIV, a, b)
#define LENGTH(c) ((int)(sizeof(c) / sizeof *(c)))

static const double least_a = 1e4, root_2pi = 2.50662827463100050242;

weft_array *ops_gamma_is_large(weft_array *a, weft_array *x)
{
    weft_array *off = op_unary(OP_ABS, SUB(x, a)), *large = ops_compare_with(CMP_GE, a, least_a);
    return op_binary(OP_AND, large, ops_compare(CMP_LT, off, ops_with(OP_MUL, a, 0.45)));
}

/* c[0] + c[1] x + ... */
static weft_array *polynomial(const double *c, int n, weft_array *x)
{
    weft_array *sum = x ? ops_fill(x, c[n - 1]) : NULL;
    for (int k = n - 2; k >= 0; k--) sum = ops_with(OP_ADD, MUL(sum, x), c[k]);
    return sum;
}

static weft_array *polynomial_slope(const double *c, int n, weft_array *x)
{
    double d[LENGTH(temme_0)];
    for (int k = 1; k < n; k++) d[k - 1] = k * c[k];
    return polynomial(d, n - 1, x);
}

/* With w = 1 / (2 + u), r = u w, log(1 + u) is 2 atanh(r), so nothing cancels:
 * u - log(1 + u) = u^2 w (1 - 2 r w (1/3 + r^2 / 5 + r^4 / 7 + ...)) */
weft_array *ops_log1p_lack(weft_array *u)
{
    static const double c[] = { 1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11, 1. / 13,
                                1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23, 1. / 25 };
    weft_array *w = ops_from(OP_DIV, 1, ops_with(OP_ADD, u, 2)), *r = MUL(u, w);
    weft_array *less = MUL(MUL(r, w), polynomial(c, LENGTH(c), op_unary(OP_SQUARE, r)));
    return MUL(w, ops_from(OP_SUB, 1, ops_with(OP_MUL, less, 2)));
}

/* eta / mu */
static weft_array *eta_over(weft_array *mu)
{
    return op_unary(OP_SQRT, ops_with(OP_MUL, ops_log1p_lack(mu), 2));
}

typedef struct Large {
    weft_array *a, *y, *mu, *ratio, *eta, *scaled; /* y: 1 / a; ratio: eta / mu; scaled: eta sqrt(a / 2) */
} Large;

/* Of others than large ones (ops_gamma_is_large): of a = x, so that no infinities reach a derivative. */
static Large large_of(weft_array *a, weft_array *x)
{
    weft_array *is = ops_gamma_is_large(a, x);
    Large v = { 0 };
    if (!is) return v;
    weft_array *safe = ops_fill(a, least_a);
    v.a = ops_select(is, a, safe);
    v.y = ops_from(OP_DIV, 1, v.a);
    v.mu = DIV(SUB(ops_select(is, x, safe), v.a), v.a);
    v.ratio = eta_over(v.mu);
    v.eta = MUL(v.mu, v.ratio);
    v.scaled = MUL(v.eta, op_unary(OP_SQRT, ops_with(OP_MUL, v.a, 0.5)));
    return v;
}

/* T, or its derivative by eta */
static weft_array *temme(const Large *v, weft_array *of(const double *, int, weft_array *))
{
    weft_array *c0 = of(temme_0, LENGTH(temme_0), v->eta), *c1 = of(temme_1, LENGTH(temme_1), v->eta),
               *c2 = of(temme_2, LENGTH(temme_2), v->eta);
    return ADD(c0, MUL(v->y, ADD(c1, MUL(v->y, c2))));
}

weft_array *ops_stirling(weft_array *y)
{
    static const double c[] = { 1, 1. / 12, 1. / 288, -139. / 51840, -571. / 2488320 };
    return polynomial(c, LENGTH(c), y);
}

/* E times sqrt(2 pi a) */
static weft_array *bell(const Large *v)
{
    return op_unary(OP_EXP, op_unary(OP_NEG, op_unary(OP_SQUARE, v->scaled)));
}

weft_array *ops_gamma_large(weft_array *a, weft_array *x, bool upper)
{
    Large v = large_of(a, x);
    weft_array *tail = op_unary(OP_ERFC, upper ? v.scaled : op_unary(OP_NEG, v.scaled));
    weft_array *e = DIV(bell(&v), ops_with(OP_MUL, op_unary(OP_SQRT, v.a), root_2pi));
    weft_array *rest = MUL(e, temme(&v, polynomial));
    return ops_binary(upper ? OP_ADD : OP_SUB, ops_with(OP_MUL, tail, 0.5), rest);
}

weft_array *ops_gamma_large_density(weft_array *a, weft_array *x)
{
    Large v = large_of(a, x);
    weft_array *root = ops_with(OP_MUL, op_unary(OP_SQRT, v.a), 1 / root_2pi);
    return DIV(MUL(bell(&v), root), MUL(ops_stirling(v.y), MUL(v.a, ops_with(OP_ADD, v.mu, 1))));
}

/* Of dP/da = E (eta / 2 - mu / eta - (log(1 + mu) - 1 / (2 a)) T + mu / (eta a) dT/deta + c1 / a^2 + 2 c2 /
 * a^3), of which the density is a factor, a E / (x stirling), the rest: it is -1 and what is small. */
weft_array *ops_gamma_large_slope(weft_array *a, weft_array *x)
{
    Large v = large_of(a, x);
    weft_array *inverse = ops_from(OP_DIV, 1, v.ratio);
    weft_array *log_slope = SUB(op_unary(OP_LOG1P, v.mu), ops_with(OP_MUL, v.y, 0.5));
    weft_array *sum = SUB(SUB(ops_with(OP_MUL, v.eta, 0.5), inverse), MUL(log_slope, temme(&v, polynomial)));
    weft_array *c1 = polynomial(temme_1, LENGTH(temme_1), v.eta),
               *c2 = polynomial(temme_2, LENGTH(temme_2), v.eta);
    weft_array *by_a = MUL(v.y, ADD(c1, ops_with(OP_MUL, MUL(v.y, c2), 2)));
    sum = ADD(sum, MUL(v.y, ADD(MUL(inverse, temme(&v, polynomial_slope)), by_a)));
    return op_unary(OP_NEG, MUL(MUL(sum, ops_stirling(v.y)), ops_with(OP_ADD, v.mu, 1)));
}
