/* random_math.c: log, log1p and the inverse of erf as JAX rounds them on a CPU.
 *
 * The normal and Gumbel samplers amplify rounding: -log(-log u) has a zero at u = 1/e, and 1 - u^2 cancels in
 * the tails of erf_inv, where JAX itself is up to 91 units in the last place from the true value. To give
 * JAX's numbers one must do JAX's operations. They are, in f32: Cephes' logf, Cephes' rational log1p below
 * sqrt 2 - 1, Giles' erfinv, each multiply-add rounded once. Over all 2^23 uniforms they give JAX 0.10.2's
 * bits. In f64 the same, but log is the C library's, which is correctly rounded in 999 of 1000 cases; ours,
 * in double-double, in nearly all. f16 and bf16 go by way of f32.
 */
#include "random.h"
#include <math.h>
#include "runtime/memory/context.h"

weft_array *random_fma(weft_array *a, weft_array *b, weft_array *c)
{
    return op_apply(OP_FMA, (weft_array *[]){ a, b, c }, 3, NULL, 0, NULL);
}
static weft_array *negative(weft_array *x) { return op_unary(OP_NEG, x); }

/* f(x) with its temporaries gone: eagerly each step is an array. */
static weft_array *scoped(OpsUnary *f, weft_array *x)
{
    struct Local *l = op_local();
    weft_scope scope;
    if (!l || !x) return NULL;
    scope_push(&scope, l);
    weft_array *r = f(x);
    if (r) weft_lift(r);
    scope_pop(&scope);
    return r;
}

/* Horner's rule from the highest coefficient, each step rounded once. */
static weft_array *polynomial(const double *c, int n, weft_array *x)
{
    weft_array *p = x ? ops_fill(x, c[0]) : NULL;
    for (int i = 1; i < n && p; i++) {
        weft_array *last = p, *add = ops_fill(x, c[i]);
        p = random_fma(last, x, add);
        weft_free(last);
        weft_free(add);
    }
    return p;
}
#define POLYNOMIAL(c, x) polynomial((c), (int)(sizeof(c) / sizeof *(c)), (x))

/* Narrow floats go by way of f32. */
static weft_array *by_type(OpsUnary *f32, OpsUnary *f64, weft_array *x)
{
    if (!x) return NULL;
    DType t = ops_dtype(x);
    if (!dtype_is_narrow_float(t)) return scoped(t == WEFT_F64 ? f64 : f32, x);
    return ops_convert(scoped(f32, ops_convert(x, WEFT_F32)), t);
}

/* ---- log, of x > 0 ---- */

/* x = 2^e (1 + m), 1 + m in [sqrt(1/2), sqrt 2). */
static void split_exponent(weft_array *x, weft_array **e, weft_array **m)
{
    weft_array *bits = ops_bitcast(x, WEFT_U32);
    weft_array *power =
        ops_convert(ops_with(OP_SUB, ops_bitcast(ops_with(OP_SHR_LOGIC, bits, 23), WEFT_I32), 126), WEFT_F32);
    weft_array *half = ops_bitcast(ops_with(OP_OR, ops_with(OP_AND, bits, 0x7fffff), 0x3f000000), WEFT_F32);
    weft_array *low = ops_compare_with(CMP_LT, half, (double)0x1.6a09e6p-1f);
    *m = ops_binary(OP_ADD, ops_with(OP_SUB, half, 1), ops_select(low, half, ops_fill(half, 0)));
    *e = ops_select(low, ops_with(OP_SUB, power, 1), power);
}

static weft_array *log_f32(weft_array *x)
{
    static const double a[] = { 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1 },
                        b[] = { -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1 },
                        c[] = { 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1 };
    weft_array *e, *m;
    if (!x) return NULL;
    split_exponent(ops_binary(OP_MAX, x, ops_fill(x, 0x1p-126)), &e, &m);
    if (!m) return NULL;
    weft_array *square = op_binary(OP_MUL, m, m), *cube = op_binary(OP_MUL, square, m);
    weft_array *p = random_fma(random_fma(POLYNOMIAL(a, m), cube, POLYNOMIAL(b, m)), cube, POLYNOMIAL(c, m));
    weft_array *tail = random_fma(p, cube, ops_with(OP_MUL, e, -2.12194440e-4));
    weft_array *sum = op_binary(OP_ADD, random_fma(square, ops_fill(square, -0.5), m), tail);
    return random_fma(e, ops_fill(e, 0.693359375), sum);
}

/* hi + lo, lo far below hi. */
typedef struct TwoFloats {
    weft_array *hi, *lo;
} TwoFloats;

static weft_array *sum(weft_array *a, weft_array *b) { return op_binary(OP_ADD, a, b); }
static weft_array *product(weft_array *a, weft_array *b) { return op_binary(OP_MUL, a, b); }
static weft_array *less(weft_array *a, weft_array *b) { return op_binary(OP_SUB, a, b); }

/* a + b exactly, |a| >= |b| */
static TwoFloats fast_sum(weft_array *a, weft_array *b)
{
    weft_array *hi = sum(a, b);
    return (TwoFloats){ hi, sum(less(a, hi), b) };
}

static TwoFloats pair_product(TwoFloats a, TwoFloats b)
{
    weft_array *hi = product(a.hi, b.hi);
    return (TwoFloats){ hi, random_fma(a.hi, b.lo,
                                       random_fma(a.lo, b.hi, random_fma(a.hi, b.hi, negative(hi)))) };
}

/* f / (2 + f) */
static TwoFloats half_tangent(weft_array *f)
{
    TwoFloats below = fast_sum(ops_fill(f, 2), f);
    weft_array *hi = op_binary(OP_DIV, f, below.hi), *minus = negative(hi);
    return (TwoFloats){ hi, op_binary(OP_DIV, random_fma(minus, below.lo, random_fma(minus, below.hi, f)),
                                      below.hi) };
}

/* x = 2^k (1 + f), f in [-1/3, 1/3), k as f64. */
static void split_wide(weft_array *x, weft_array **k, weft_array **f)
{
    weft_array *bits = ops_bitcast(x, WEFT_I64);
    if (!bits) return;
    weft_array *above =
        op_binary(OP_SUB, bits,
                  ops_splat(WEFT_I64, array_type(x).dim, array_type(x).rank, UINT64_C(0x3fe5555555555555)));
    weft_array *power = ops_with(OP_SHR_ARITH, above, 52);
    *k = ops_convert(power, WEFT_F64);
    *f = ops_with(OP_SUB, ops_bitcast(op_binary(OP_SUB, bits, ops_with(OP_SHL, power, 52)), WEFT_F64), 1);
}

/* k log 2 + 2 (s + s^3 (1/3 + s^2/5 + s^4/7 + ...)), s = f / (2 + f), correctly rounded but for one case in
 * some hundreds. */
static weft_array *log_f64(weft_array *x)
{
    static const double series[] = { 1 / 31.0, 1 / 29.0, 1 / 27.0, 1 / 25.0, 1 / 23.0, 1 / 21.0, 1 / 19.0,
                                     1 / 17.0, 1 / 15.0, 1 / 13.0, 1 / 11.0, 1 / 9.0,  1 / 7.0,  1 / 5.0 };
    weft_array *k = NULL, *f = NULL;
    split_wide(x, &k, &f);
    if (!k || !f) return NULL;
    TwoFloats s = half_tangent(f), square = pair_product(s, s),
              third = fast_sum(ops_fill(f, 1 / 3.0), product(square.hi, POLYNOMIAL(series, square.hi)));
    third.lo = sum(third.lo, ops_fill(f, 0x1.5555555555555p-56));
    TwoFloats cube = pair_product(s, pair_product(square, third));
    TwoFloats twice = fast_sum(sum(s.hi, s.hi), sum(cube.hi, cube.hi));
    weft_array *low = sum(twice.lo, sum(sum(s.lo, s.lo), sum(cube.lo, cube.lo)));
    TwoFloats whole = fast_sum(product(k, ops_fill(k, 0x1.62e42fefa38p-1)), twice.hi);
    low = random_fma(k, ops_fill(k, 0x1.ef35793c7673p-45), sum(low, whole.lo));
    return sum(whole.hi, low);
}

weft_array *random_log(weft_array *x) { return by_type(log_f32, log_f64, x); }

/* ---- log1p, of x > -1 ---- */

/* x - x^2/2 + x^3 p(x) / q(x) */
static weft_array *log1p_small(weft_array *x)
{
    static const double p[] = { 4.5270000862445199635215e-5, 4.9854102823193375972212e-1,
                                6.5787325942061044846969,    2.9911919328553073277375e1,
                                6.0949667980987787057556e1,  5.7112963590585538103336e1,
                                2.0039553499201281259648e1 };
    static const double q[] = { 1,
                                1.5062909083469192043167e1,
                                8.3047565967967209469434e1,
                                2.2176239823732856465394e2,
                                3.0909872225312059774938e2,
                                2.1642788614495947685003e2,
                                6.0118660497603843919306e1 };
    weft_array *square = op_binary(OP_MUL, x, x),
               *ratio = op_binary(OP_DIV, POLYNOMIAL(p, x), POLYNOMIAL(q, x));
    weft_array *cube = op_binary(OP_MUL, op_binary(OP_MUL, x, square), ratio);
    return op_binary(OP_ADD, x, random_fma(square, ops_fill(square, -0.5), cube));
}

static weft_array *log1p_wide(weft_array *x)
{
    weft_array *small = ops_compare_with(CMP_LT, op_unary(OP_ABS, x), sqrt(2) - 1);
    return ops_select(small, scoped(log1p_small, x), random_log(ops_with(OP_ADD, x, 1)));
}

weft_array *random_log1p(weft_array *x) { return by_type(log1p_wide, log1p_wide, x); }

/* ---- the inverse of erf, of |x| < 1 (M. Giles, "Approximating the erfinv function") ---- */

static const double near_f32[] = { 2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                   -0.00417768164,  0.246640727,    1.50140941 };
static const double far_f32[] = { -0.000200214257, 0.000100950558, 0.00134934322,
                                  -0.00367342844,  0.00573950773,  -0.0076224613,
                                  0.00943887047,   1.00167406,     2.83297682 };
static const double near_f64[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
    1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
    6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
    2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
    4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
    0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
    0.24015818242558961693,     1.6536545626831027356
};
static const double mid_f64[] = {
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
    1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
    2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
    6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
    0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
    -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
    3.0838856104922207635
};
static const double far_f64[] = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
    -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
    2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
    -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
    1.0103004648645343977,      4.8499064014085844221
};

/* -log(1 - x^2). The product is rounded by itself: fused into 1 - x^2 it would give better numbers, but not
 * JAX's. */
static weft_array *erf_inv_argument(weft_array *x)
{
    return negative(random_log1p(random_fma(x, negative(x), ops_fill(x, -0.0))));
}

static weft_array *erf_inv_f32(weft_array *x)
{
    weft_array *w = erf_inv_argument(x);
    weft_array *far = POLYNOMIAL(far_f32, ops_with(OP_SUB, op_unary(OP_SQRT, w), 3)),
               *near = POLYNOMIAL(near_f32, ops_with(OP_SUB, w, 2.5));
    return ops_binary(OP_MUL, ops_select(ops_compare_with(CMP_LT, w, 5), near, far), x);
}

static weft_array *erf_inv_f64(weft_array *x)
{
    weft_array *w = erf_inv_argument(x), *root = op_unary(OP_SQRT, w);
    weft_array *far = POLYNOMIAL(far_f64, ops_with(OP_SUB, root, 5)),
               *mid = POLYNOMIAL(mid_f64, ops_with(OP_SUB, root, 3.25));
    weft_array *near = POLYNOMIAL(near_f64, ops_with(OP_SUB, w, 3.125));
    weft_array *beyond = ops_select(ops_compare_with(CMP_LT, w, 16), mid, far);
    return ops_binary(OP_MUL, ops_select(ops_compare_with(CMP_LT, w, 6.25), near, beyond), x);
}

weft_array *random_erf_inv(weft_array *x) { return by_type(erf_inv_f32, erf_inv_f64, x); }
