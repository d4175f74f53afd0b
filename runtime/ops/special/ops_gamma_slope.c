/* ops_gamma_slope.c: derivatives of gamma samples, by implicit reparameterization (Figurnov, Mohamed, Mnih
 * 2018).
 *
 * A sample x of quantile u has F(a, x) = u for the distribution function F, so dx/da = -(dF/da) / (dF/dx).
 * Differentiating through the rejection loop itself would leave out how acceptance depends on a. F is the
 * regularized lower incomplete gamma function; it and its derivative by a come from Cephes' two expansions, a
 * power series (x <= max(1, a)) and a continued fraction, as in jax.lax.random_gamma_grad: each sum is
 * carried along with its derivative. For large a both take too many turns: ops_gamma_large.c.
 */
#include "runtime/ops/ops_body.h"
#include <string.h>

#define ADD(a, b) op_binary(OP_ADD, a, b)
#define SUB(a, b) op_binary(OP_SUB, a, b)
#define MUL(a, b) op_binary(OP_MUL, a, b)
#define DIV(a, b) op_binary(OP_DIV, a, b)

enum { FRACTION_TURNS = 2000 };

static double epsilon(const weft_array *x) { return dtype_epsilon((DType)array_type(x).dtype); }

/* |by / of| > epsilon */
static weft_array *moves(weft_array *by, weft_array *of)
{
    return by && of ? ops_compare_with(CMP_GT, op_unary(OP_ABS, DIV(by, of)), epsilon(by)) : NULL;
}

/* log x - digamma(a): the logarithmic derivative by a of x^a / gamma(a) */
static weft_array *log_slope(weft_array *a, weft_array *x)
{
    return SUB(op_unary(OP_LOG, x), op_unary(OP_DIGAMMA, a));
}

/* ---- the power series: sum of c_k = x^k / ((a + 1) ... (a + k)) ---- */

enum { SERIES_X, SERIES_GOING, SERIES_R, SERIES_C, SERIES_SUM, SERIES_DC, SERIES_DSUM, SERIES_VALUES };

static void series_goes(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    out[0] = in[SERIES_GOING];
}

static void series_turn(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *x = in[SERIES_X], *r = ops_with(OP_ADD, in[SERIES_R], 1), *by = DIV(x, r);
    weft_array *dc = SUB(MUL(in[SERIES_DC], by), DIV(MUL(in[SERIES_C], x), MUL(r, r))),
               *dsum = ADD(in[SERIES_DSUM], dc);
    weft_array *c = MUL(in[SERIES_C], by), *sum = ADD(in[SERIES_SUM], c);
    weft_array *next[] = { moves(dc, dsum), r, c, sum, dc, dsum };
    memcpy(out, next, sizeof next);
}

static weft_array *by_series(weft_array *a, weft_array *x, weft_array *enabled)
{
    weft_array *zero = ops_fill(a, 0), *one = ops_fill(a, 1);
    weft_array *v[SERIES_VALUES] = { x, enabled, a, one, one, zero, zero };
    if (!ops_while(v, SERIES_VALUES, SERIES_GOING, series_goes, series_turn, NULL)) return NULL;
    weft_array *slope = log_slope(ops_with(OP_ADD, a, 1), x);
    return op_unary(OP_NEG, DIV(MUL(ADD(v[SERIES_DSUM], MUL(v[SERIES_SUM], slope)), x), a));
}

/* ---- the continued fraction: its convergents p_k / q_k, two of each and of their derivatives ---- */

enum { GOING, TURN, VALUE, SLOPE, Y, Z, P1, Q1, P2, Q2, DP1, DQ1, DP2, DQ2, FRACTION_VALUES };

static void fraction_goes(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    out[0] = op_binary(OP_AND, in[GOING], ops_compare_with(CMP_LT, in[TURN], FRACTION_TURNS));
}

/* last * z - before * y turn */
static weft_array *convergent(weft_array *last, weft_array *z, weft_array *before, weft_array *yc)
{
    return SUB(MUL(last, z), MUL(before, yc));
}

/* The derivative of a convergent by a, where those of y and z are -1:
 * last_d z - last - before_d y turn + before turn */
static weft_array *convergent_slope(weft_array *const *in, int last, int before, int last_d, int before_d,
                                    weft_array *z, weft_array *yc, weft_array *turn)
{
    return ADD(SUB(SUB(MUL(in[last_d], z), in[last]), MUL(in[before_d], yc)), MUL(in[before], turn));
}

/* Convergents grow; all eight numbers may be scaled alike. */
static void rescale(weft_array **v, weft_array *size, double eps)
{
    weft_array *large = ops_compare_with(CMP_GT, op_unary(OP_ABS, size), 1 / eps);
    for (int i = P1; i <= DQ2; i++) v[i] = ops_select(large, ops_with(OP_MUL, v[i], eps), v[i]);
}

static void fraction_turn(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *turn = ops_with(OP_ADD, in[TURN], 1), *y = ops_with(OP_ADD, in[Y], 1),
               *z = ops_with(OP_ADD, in[Z], 2), *yc = MUL(y, turn);
    weft_array *p = convergent(in[P1], z, in[P2], yc), *q = convergent(in[Q1], z, in[Q2], yc);
    weft_array *dp = convergent_slope(in, P1, P2, DP1, DP2, z, yc, turn),
               *dq = convergent_slope(in, Q1, Q2, DQ1, DQ2, z, yc, turn);
    weft_array *defined = q ? ops_compare_with(CMP_NE, q, 0) : NULL;
    if (!defined || !p || !dp || !dq) return;
    weft_array *value = ops_select(defined, DIV(p, q), in[VALUE]);
    weft_array *slope = ops_select(defined, DIV(SUB(dp, MUL(value, dq)), q), in[SLOPE]);
    weft_array *change = ops_select(defined, op_unary(OP_ABS, SUB(slope, in[SLOPE])), ops_fill(p, 1));
    weft_array *going = ops_compare_with(CMP_GT, change, epsilon(p));
    weft_array *next[] = { going, turn, value, slope, y, z, p, q, in[P1], in[Q1], dp, dq, in[DP1], in[DQ1] };
    rescale(next, p, epsilon(p));
    memcpy(out, next, sizeof next);
}

static weft_array *by_fraction(weft_array *a, weft_array *x, weft_array *enabled)
{
    weft_array *zero = ops_fill(x, 0), *one = ops_fill(x, 1), *y = SUB(one, a), *z = ADD(ADD(x, y), one);
    weft_array *p = ADD(x, one), *q = MUL(z, x), *dq = op_unary(OP_NEG, x), *value = DIV(p, q);
    weft_array *slope = DIV(SUB(zero, MUL(value, dq)), q);
    weft_array *v[FRACTION_VALUES] = {
        enabled, zero, value, slope, y, z, p, q, one, x, zero, dq, zero, zero
    };
    if (!ops_while(v, FRACTION_VALUES, 0, fraction_goes, fraction_turn, NULL)) return NULL;
    return MUL(ADD(v[SLOPE], MUL(v[VALUE], log_slope(a, x))), x);
}

/* ---- one sample ---- */

/* Where x^a e^-x / gamma(a) underflows, the sums are not computed: they keep their start values. */
static weft_array *representable(weft_array *a, weft_array *x)
{
    weft_array *log_density = SUB(SUB(MUL(a, op_unary(OP_LOG, x)), x), op_unary(OP_LGAMMA, a));
    return log_density
               ? ops_compare_with(CMP_GE, log_density,
                                  array_type(a).dtype == WEFT_F64 ? -709.782712893384 : -88.72283935546875)
               : NULL;
}

/* in: a and x. */
static void slope_one(weft_array *const *in, weft_array **out, const void *data)
{
    const bool *log_space = data;
    weft_array *a = in[0], *x = in[1];
    if (*log_space) {
        x = op_unary(OP_EXP, x);
        x = x ? ops_select(ops_compare_with(CMP_EQ, x, 0),
                           ops_fill(x, dtype_tiny((DType)array_type(x).dtype)), x)
              : NULL;
    }
    if (!x) return;
    weft_array *above = op_binary(OP_AND, ops_compare_with(CMP_GT, x, 1), ops_compare(CMP_GT, x, a)),
               *enabled = representable(a, x);
    weft_array *inside = op_binary(OP_AND, ops_compare_with(CMP_GT, x, 0), ops_compare_with(CMP_GT, a, 0));
    weft_array *large = ops_gamma_is_large(a, x);
    enabled = op_binary(OP_AND, op_binary(OP_AND, enabled, inside), op_unary(OP_NOT, large));
    weft_array *high = by_fraction(a, x, op_binary(OP_AND, enabled, above)),
               *low = by_series(a, x, op_binary(OP_AND, enabled, op_unary(OP_NOT, above)));
    weft_array *slope = ops_select(above, high, low), *zero = ops_fill(x, 0);
    slope = ops_select(large, ops_gamma_large_slope(a, x), slope);
    /* negative or NaN */
    weft_array *outside = op_binary(OP_AND, op_unary(OP_NOT, inside), ops_compare_with(CMP_NE, x, 0));
    slope = ops_select(outside, ops_fill(x, __builtin_nan("")),
                       ops_select(ops_compare_with(CMP_EQ, x, 0), zero, slope));
    out[0] = *log_space ? DIV(slope, x) : slope;
}

weft_array *ops_gamma_slope(weft_array *a, weft_array *x, bool log_space)
{
    if (!a || !x) return NULL;
    DType given = (DType)array_type(a).dtype, t = compute_type(given);
    weft_array *in[2] = { ops_convert_as_is(a, t), ops_convert_as_is(x, t) };
    return ops_convert(ops_map_ruled(in, 2, slope_one, &log_space), given);
}
