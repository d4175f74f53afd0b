/* ops_incomplete.c: the incomplete gamma and beta functions, regularized: a loop for each element, until a
 * sum or a fraction does not move any more.
 *
 * The gammas by the power series where x <= max(1, a), by the continued fraction above, as in
 * jax.lax.igamma, but for large a by Temme's expansion (ops_gamma_large.c); their derivative by a is that of
 * gamma samples (ops_gamma_slope.c). The beta by the continued fraction DLMF 8.17.22, with the symmetry of
 * 8.17.4 where that converges faster, but for large a and b by an integral (ops_beta_large.c).
 */
#include "runtime/ops/ops_body.h"
#include <math.h>
#include <string.h>
#include "weft/special.h"

#define ADD(a, b) ops_binary(OP_ADD, a, b)
#define SUB(a, b) ops_binary(OP_SUB, a, b)
#define MUL(a, b) ops_binary(OP_MUL, a, b)
#define DIV(a, b) ops_binary(OP_DIV, a, b)
#define AND(a, b) op_binary(OP_AND, a, b)
#define OR(a, b)  op_binary(OP_OR, a, b)

enum { TURNS = 2000 };

static weft_array *is(CompareDir d, weft_array *x, double v) { return ops_compare_with(d, x, v); }
static weft_array * not(weft_array * p) { return op_unary(OP_NOT, p); }
static weft_array *choose(weft_array *p, weft_array *yes, double no)
{
    return yes ? ops_select(p, yes, ops_fill(yes, no)) : NULL;
}
/* value where p is false */
static weft_array *unless(weft_array *p, double is_, weft_array *value)
{
    return value ? ops_select(p, ops_fill(value, is_), value) : NULL;
}

/* Loops' condition: the first value says whether to go on, the second counts turns. */
enum { GOING, TURN };
static void goes(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    out[0] = AND(in[GOING], is(CMP_LT, in[TURN], TURNS));
}

/* |by| > epsilon |of| */
static weft_array *moves(weft_array *by, weft_array *of)
{
    return ops_compare(CMP_GT, op_unary(OP_ABS, by), ops_with(OP_MUL, op_unary(OP_ABS, of), 0x1p-53));
}

/* ---- gamma: the power series, sum of x^k / ((a + 1) .. (a + k)) ---- */

enum { S_A = 2, S_TERM, S_SUM, S_X, SERIES_VALUES };

static void series_turn(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *turn = ops_with(OP_ADD, in[TURN + 1], 1), *a = ops_with(OP_ADD, in[S_A + 1], 1);
    weft_array *term = MUL(in[S_TERM + 1], DIV(in[0], a)), *sum = ADD(in[S_SUM + 1], term);
    weft_array *next[] = { moves(term, sum), turn, a, term, sum };
    memcpy(out, next, sizeof next);
}

static void series_goes(weft_array *const *in, weft_array **out, const void *data)
{
    goes(in + 1, out, data);
}

/* x is the same in each turn, and stands in front. */
static weft_array *by_series(weft_array *a, weft_array *x, weft_array *enabled)
{
    weft_array *one = ops_fill(x, 1), *v[1 + S_X] = { x, enabled, ops_fill(x, 0), a, one, one };
    return ops_while(v, 1 + S_X, 1, series_goes, series_turn, NULL) ? DIV(v[1 + S_SUM], a) : NULL;
}

/* ---- gamma: the continued fraction, by convergents p / q ---- */

enum { F_VALUE = 2, F_Y, F_Z, F_P1, F_Q1, F_P2, F_Q2, FRACTION_VALUES };

static void fraction_turn(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *turn = ops_with(OP_ADD, in[TURN], 1), *y = ops_with(OP_ADD, in[F_Y], 1),
               *z = ops_with(OP_ADD, in[F_Z], 2);
    weft_array *yc = MUL(y, turn), *p = SUB(MUL(in[F_P1], z), MUL(in[F_P2], yc)),
               *q = SUB(MUL(in[F_Q1], z), MUL(in[F_Q2], yc));
    weft_array *defined = is(CMP_NE, q, 0);
    if (!p || !q || !defined) return;
    weft_array *value = ops_select(defined, DIV(p, ops_select(defined, q, ops_fill(q, 1))), in[F_VALUE]);
    weft_array *going = OR(moves(SUB(value, in[F_VALUE]), value), not(defined));
    weft_array *large = is(CMP_GT, op_unary(OP_ABS, p), 0x1p52),
               *by = ops_select(large, ops_fill(p, 0x1p-52), ops_fill(p, 1));
    weft_array *next[] = {
        going, turn, value, y, z, MUL(p, by), MUL(q, by), MUL(in[F_P1], by), MUL(in[F_Q1], by)
    };
    memcpy(out, next, sizeof next);
}

static weft_array *by_fraction(weft_array *a, weft_array *x, weft_array *enabled)
{
    weft_array *y = ops_from(OP_SUB, 1, a), *z = ops_with(OP_ADD, ADD(x, y), 1), *one = ops_fill(x, 1);
    weft_array *p = ops_with(OP_ADD, x, 1), *q = MUL(z, x);
    weft_array *v[FRACTION_VALUES] = { enabled, ops_fill(x, 0), DIV(p, q), y, z, p, q, one, x };
    return ops_while(v, FRACTION_VALUES, 0, goes, fraction_turn, NULL) ? v[F_VALUE] : NULL;
}

/* ---- gamma: the expansion for large a, as a loop of one turn: not run where no a is large ---- */

enum { L_A, L_X, L_SAME, L_GOING = L_SAME, L_VALUE, LARGE_VALUES };

static void large_goes(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    out[0] = in[L_GOING];
}

static void large_turn(weft_array *const *in, weft_array **out, const void *data)
{
    out[0] = not(in[L_GOING]);
    out[1] = ops_gamma_large(in[L_A], in[L_X], *(const bool *)data);
}

static weft_array *by_expansion(weft_array *a, weft_array *x, weft_array *large, weft_array *otherwise,
                                const bool *upper)
{
    weft_array *v[LARGE_VALUES] = { a, x, large, otherwise };
    return ops_while(v, LARGE_VALUES, L_SAME, large_goes, large_turn, upper) ? v[L_VALUE] : NULL;
}

/* One element: the lower function, or the upper one. */
static void gamma_one(weft_array *const *in, weft_array **out, const void *data)
{
    bool upper = *(const bool *)data;
    weft_array *a = in[0], *x = in[1], *zero_a = is(CMP_EQ, a, 0), *zero_x = is(CMP_EQ, x, 0);
    weft_array *wrong = OR(OR(not(is(CMP_GE, x, 0)), not(is(CMP_GE, a, 0))), AND(zero_a, zero_x));
    weft_array *far = AND(is(CMP_GE, x, 1), ops_compare(CMP_GT, x, a)), *endless = is(CMP_EQ, x, INFINITY);
    weft_array *log_power = SUB(SUB(MUL(a, op_unary(OP_LOG, x)), x), op_unary(OP_LGAMMA, a));
    weft_array *large = ops_gamma_is_large(a, x), *small = is(CMP_LT, log_power, -709.782712893384);
    weft_array *enabled = not(OR(OR(OR(wrong, zero_x), OR(zero_a, endless)), OR(small, large)));
    weft_array *power = enabled ? op_unary(OP_EXP, choose(enabled, log_power, 0)) : NULL;
    if (!power) return;
    power = choose(enabled, power, 0);
    weft_array *sa = choose(enabled, a, 1), *sx = choose(enabled, x, 1);
    weft_array *high = MUL(power, by_fraction(sa, sx, AND(enabled, far))),
               *low = MUL(power, by_series(sa, sx, AND(enabled, not(far))));
    if (!high || !low) return;
    weft_array *r = upper ? ops_select(far, high, ops_from(OP_SUB, 1, low))
                          : ops_select(far, ops_from(OP_SUB, 1, high), low);
    r = by_expansion(a, x, large, r, data);
    r = unless(zero_x, upper, r);
    r = unless(OR(endless, zero_a), !upper, r);
    out[0] = unless(wrong, NAN, r);
}

static void gamma_value(weft_array *const *in, weft_array **out, const void *data)
{
    out[0] = ops_map_f64(in, 2, gamma_one, data);
}

/* density x^(a-1) e^-x / gamma(a) by x; by a the density times less how a sample moves */
static void gamma_slopes(weft_array *const *in, weft_array **out, const void *data)
{
    double sign = *(const bool *)data ? -1 : 1;
    weft_array *a = ops_convert_as_is(in[0], WEFT_F64), *x = ops_convert_as_is(in[1], WEFT_F64);
    if (!a || !x) return;
    Type t = array_type(x);
    int64_t n = type_count(t);
    weft_array *large = ops_gamma_is_large(a, x), *sa = unless(large, 1, a), *sx = unless(large, 1, x);
    weft_array *log_density =
        SUB(SUB(MUL(ops_with(OP_SUB, sa, 1), op_unary(OP_LOG, sx)), sx), op_unary(OP_LGAMMA, sa));
    weft_array *density =
        large ? ops_select(large, ops_gamma_large_density(a, x), op_unary(OP_EXP, log_density)) : NULL;
    density = ops_with(OP_MUL, density, sign);
    weft_array *moved = ops_gamma_slope(ops_reshape(a, &n, 1), ops_reshape(x, &n, 1), false);
    weft_array *by_a = op_unary(OP_NEG, MUL(density, ops_reshape(moved, t.dim, t.rank)));
    by_a = unless(is(CMP_EQ, x, 0), 0, by_a);
    out[0] = ops_convert(by_a, ops_dtype(in[0]));
    out[1] = ops_convert(density, ops_dtype(in[0]));
}

static weft_array *gamma_part(weft_array *const *x, bool upper)
{
    static const bool which[] = { false, true };
    return ops_ruled(x, 2,
                     &(OpsRuled){ .value = gamma_value, .slopes = gamma_slopes, .data = &which[upper] });
}

#define GAMMA_PART(NAME, upper) \
    weft_array *weft_##NAME##_(weft_operand a, weft_operand x, const char *at) \
    { \
        OpsCall call; \
        weft_array *of[2]; \
        const weft_operand o[2] = { a, x }; \
        bool good = ops_begin(&call, "weft_" #NAME, at, NULL, o, 2) && ops_unify(o, 2, RULE_INEXACT, of); \
        return ops_end(&call, good ? gamma_part(of, upper) : NULL); \
    } \
    OPS_OF_ARRAYS(NAME)
GAMMA_PART(gammainc, false)
GAMMA_PART(gammaincc, true)

/* ---- beta: 1 + d1 / (1 + d2 / (1 + ..)), by Lentz's products of ratios ---- */

/* a, b and x are the same in each turn, and stand in front. */
enum { B_A, B_B, B_X, B_SAME, B_GOING = B_SAME, B_TURN, B_C, B_D, B_VALUE, B_MOVE, BETA_VALUES };

static void beta_goes(weft_array *const *in, weft_array **out, const void *data)
{
    goes(in + B_SAME, out, data);
}

static weft_array *not_0(weft_array *x) { return choose(is(CMP_NE, x, 0), x, 0x1p-1000); }

/* One step of the fraction with the numerator d: the ratios, and the value times both. move: by how much of
 * itself the value moves, if size is |d|. */
static void lentz(weft_array *d, weft_array *size, weft_array **c, weft_array **ratio, weft_array **value,
                  weft_array **move)
{
    *ratio = ops_from(OP_DIV, 1, not_0(ops_with(OP_ADD, MUL(d, *ratio), 1)));
    *move = MUL(*move, op_unary(OP_ABS, DIV(MUL(size, *ratio), *c)));
    *c = not_0(ops_with(OP_ADD, DIV(d, *c), 1));
    *value = MUL(*value, MUL(*c, *ratio));
}

/* d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)), then d_2m of the next m:
 * m (b - m) x / ((a + 2m - 1)(a + 2m)). Where b is an integer, that is 0 and the value done at m = b, but not
 * its derivative by b: so |b - m| counts as 1 at least. */
static void beta_turn(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *a = in[B_A], *b = in[B_B], *x = in[B_X], *m = in[B_TURN], *c = in[B_C], *d = in[B_D],
               *value = in[B_VALUE], *move = in[B_MOVE];
    weft_array *am = ADD(a, m), *a2m = ADD(am, m), *after = ops_with(OP_ADD, m, 1),
               *up = ops_with(OP_ADD, a2m, 2);
    weft_array *odd = DIV(MUL(MUL(am, ADD(am, b)), x), MUL(a2m, ops_with(OP_ADD, a2m, 1)));
    lentz(op_unary(OP_NEG, odd), odd, &c, &d, &value, &move);
    weft_array *less = SUB(b, after), *by = DIV(MUL(after, x), MUL(ops_with(OP_ADD, a2m, 1), up));
    weft_array *size = MUL(by, ops_with(OP_MAX, op_unary(OP_ABS, less), 1));
    lentz(MUL(by, less), size, &c, &d, &value, &move);
    weft_array *next[] = { is(CMP_GT, move, 0x1p-53), after, c, d, value, move };
    memcpy(out, next, sizeof next);
}

static weft_array *beta_fraction(weft_array *a, weft_array *b, weft_array *x, weft_array *enabled)
{
    weft_array *zero = ops_fill(x, 0), *one = ops_fill(x, 1);
    weft_array *v[BETA_VALUES] = { a, b, x, enabled, zero, one, zero, one, one };
    return ops_while(v, BETA_VALUES, B_SAME, beta_goes, beta_turn, NULL) ? v[B_VALUE] : NULL;
}

/* How far x is below the mean, if so far that the value is 0, or negative, that it is 1; 0: neither. With
 * d = a (1 - x) - b x, what they lack is below exp(-d^2 / 2m) by Chernoff's bound, m the lesser of a + b x
 * and b + a (1 - x). */
static weft_array *beta_beyond(weft_array *a, weft_array *b, weft_array *x)
{
    weft_array *u = MUL(a, ops_from(OP_SUB, 1, x)), *v = MUL(b, x), *d = SUB(u, v);
    weft_array *m = ops_binary(OP_MIN, ops_binary(OP_MAX, a, v), ops_binary(OP_MAX, b, u));
    return choose(ops_compare(CMP_GT, op_unary(OP_ABS, d), ops_with(OP_MUL, op_unary(OP_SQRT, m), 200)), d,
                  0);
}

static void beta_one(weft_array *const *in, weft_array **out, const void *data)
{
    (void)data;
    weft_array *a = in[0], *b = in[1], *x = in[2];
    weft_array *no_a = OR(is(CMP_EQ, a, 0), is(CMP_EQ, b, INFINITY)),
               *no_b = OR(is(CMP_EQ, b, 0), is(CMP_EQ, a, INFINITY));
    weft_array *x0 = is(CMP_EQ, x, 0), *x1 = is(CMP_EQ, x, 1);
    weft_array *wrong = OR(OR(not(is(CMP_GE, a, 0)), not(is(CMP_GE, b, 0))),
                           OR(not(is(CMP_GE, x, 0)), not(is(CMP_LE, x, 1))));
    wrong = OR(wrong, AND(no_a, no_b));
    weft_array *is_0 = OR(AND(no_b, not(x1)), AND(no_a, x0)), *is_1 = OR(AND(no_a, not(x0)), AND(no_b, x1));
    weft_array *beyond = beta_beyond(a, b, x);
    is_0 = OR(OR(is_0, x0), is(CMP_GT, beyond, 0));
    is_1 = OR(OR(is_1, x1), is(CMP_LT, beyond, 0));
    weft_array *large = ops_beta_is_large(a, b, x), *near = ops_beta_large(a, b, x);
    weft_array *enabled = not(OR(OR(wrong, large), OR(is_0, is_1)));
    if (!enabled || !near) return;
    a = choose(enabled, a, 1);
    b = choose(enabled, b, 1);
    x = choose(enabled, x, 0.25);
    weft_array *fast = ops_compare(CMP_LT, x, DIV(ops_with(OP_ADD, a, 1), ops_with(OP_ADD, ADD(a, b), 2)));
    if (!fast) return;
    weft_array *p = ops_select(fast, a, b), *q = ops_select(fast, b, a),
               *y = ops_select(fast, x, ops_from(OP_SUB, 1, x));
    weft_array *log_front = ADD(MUL(a, op_unary(OP_LOG, x)), MUL(b, op_unary(OP_LOG1P, op_unary(OP_NEG, x))));
    log_front = SUB(log_front, weft_betaln_(weft_of_array(a), weft_of_array(b), NULL));
    weft_array *r = DIV(op_unary(OP_EXP, log_front), MUL(p, beta_fraction(p, q, y, enabled)));
    if (!r) return;
    r = ops_select(large, near, ops_select(fast, r, ops_from(OP_SUB, 1, r)));
    out[0] = unless(wrong, NAN, unless(is_1, 1, unless(is_0, 0, r)));
}

static void beta_value(weft_array *const *in, weft_array **out, const void *data)
{
    out[0] = ops_map_f64(in, 3, beta_one, data);
}

/* By x the density; by a and b forward mode through the loop. */
static void beta_slopes(weft_array *const *in, weft_array **out, const void *data)
{
    weft_array *a = ops_convert_as_is(in[0], WEFT_F64), *b = ops_convert_as_is(in[1], WEFT_F64),
               *x = ops_convert_as_is(in[2], WEFT_F64);
    weft_array *large = ops_beta_is_large(a, b, x), *sa = unless(large, 1, a), *sb = unless(large, 1, b),
               *sx = unless(large, 0.5, x), *rest = op_unary(OP_LOG1P, op_unary(OP_NEG, sx));
    weft_array *log_density =
        ADD(MUL(ops_with(OP_SUB, sa, 1), op_unary(OP_LOG, sx)), MUL(ops_with(OP_SUB, sb, 1), rest));
    if (!sa || !sb || !log_density) return;
    log_density = SUB(log_density, weft_betaln_(weft_of_array(sa), weft_of_array(sb), NULL));
    weft_array *density = ops_select(large, ops_beta_large_density(a, b, x), op_unary(OP_EXP, log_density));
    density = unless(is(CMP_NE, beta_beyond(a, b, x), 0), 0, density);
    out[0] = ops_map_slope_f64(in, 3, beta_one, data, 0);
    out[1] = ops_map_slope_f64(in, 3, beta_one, data, 1);
    out[2] = ops_convert(density, ops_dtype(in[2]));
}

static weft_array *betainc(const weft_operand *o)
{
    weft_array *x[3];
    return ops_unify(o, 3, RULE_INEXACT, x)
               ? ops_ruled(x, 3, &(OpsRuled){ .value = beta_value, .slopes = beta_slopes })
               : NULL;
}

OPS_ENTRY_OF(betainc, (weft_operand a, weft_operand b, weft_operand x, const char *at), (a, b, x),
             betainc(operands))

weft_array *(weft_betainc)(weft_array *a, weft_array *b, weft_array *x)
{
    return weft_betainc_(weft_of_array(a), weft_of_array(b), weft_of_array(x), NULL);
}
