/* ops_calculus.c: functions given by their values along an axis: differences, derivatives, integrals,
 * straight lines between points, angles without jumps. */
#include "ops_index.h"
#include <math.h>
#include "runtime/call/written.h"
#include "weft/numeric.h"

/* Elements from `from` to the one that is `less` before the last; none where there are too few. */
static weft_array *cut(weft_array *x, int axis, int64_t from, int64_t less)
{
    if (!x) return NULL;
    int64_t n = array_type(x).dim[axis];
    return from + less < n ? ops_slice_axis(x, axis, from, n - less, 1) : ops_slice_axis(x, axis, 0, 0, 1);
}

/* Elements 1, 2, .. less their left neighbours; bool: do they differ? */
static weft_array *differences(weft_array *x, int axis)
{
    if (!x) return NULL;
    weft_array *right = cut(x, axis, 1, 0), *left = cut(x, axis, 0, 1);
    return ops_dtype(x) == WEFT_BOOL ? op_binary(OP_XOR, right, left) : op_binary(OP_SUB, right, left);
}

OPS_ENTRY(diff, (int64_t order, int axis), (), (order, axis))
{
    Type t = array_type(x);
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    if (order < 0)
        return op_fail(WEFT_ARGUMENT, "differences are taken 0 times or more, not %lld", (long long)order);
    if (order >= t.dim[a]) return ops_slice_axis(x, a, 0, 0, 1);
    for (; x && order > 0; order--) x = differences(x, a);
    return x;
}

/* ---- spacing ---- */

/* Spacing along the axis of y: a step of rank 0, or the differences of places, shaped to broadcast. */
typedef struct Spacing {
    weft_array *step;
    bool even;
} Spacing;

/* Places, one for each point of the axis, as an array of y's rank; or as many as y has elements. */
static weft_array *places_along(weft_array *places, Type y, int axis)
{
    Type t = array_type(places);
    int64_t dim[WEFT_MAX_RANK];
    if (t.rank == y.rank && shape_equal(t, y)) return places;
    for (int i = 0; i < y.rank; i++) dim[i] = i == axis ? y.dim[i] : 1;
    if (t.rank == 1 && t.dim[0] == y.dim[axis]) return ops_reshape(places, dim, y.rank);
    return op_fail(WEFT_SHAPE,
                   "the spacing %s is neither one number nor the places of the %lld points of axis %d of %s",
                   TYPE_TEXT(t), (long long)y.dim[axis], axis, TYPE_TEXT(y));
}

/* x and the spacing as floats of one type. */
static bool read_spacing(weft_array **x, weft_operand given, int axis, Spacing *s)
{
    const weft_operand both[2] = { weft_of_array(*x), given };
    DType t = ops_common_dtype(both, 2, RULE_INEXACT);
    *x = ops_convert(*x, t);
    s->step = ops_operand(given, t);
    if (!*x || !s->step) return false;
    s->even = array_type(s->step).rank == 0;
    if (!s->even) s->step = differences(places_along(s->step, array_type(*x), axis), axis);
    return s->step != NULL;
}

/* ---- derivatives ---- */

/* The central difference that is of second order between unequal steps h and k to the left and right:
 * (h/k (f2 - f1) + k/h (f1 - f0)) / (h + k). */
static weft_array *inner_uneven(weft_array *rise, weft_array *step, int axis)
{
    weft_array *h = cut(step, axis, 0, 1), *k = cut(step, axis, 1, 0), *left = cut(rise, axis, 0, 1),
               *right = cut(rise, axis, 1, 0);
    weft_array *sum = ops_binary(OP_ADD, ops_binary(OP_MUL, ops_binary(OP_DIV, h, k), right),
                                 ops_binary(OP_MUL, ops_binary(OP_DIV, k, h), left));
    return ops_binary(OP_DIV, sum, ops_binary(OP_ADD, h, k));
}

static weft_array *inner_even(weft_array *x, weft_array *step, int axis)
{
    weft_array *rise = op_binary(OP_SUB, cut(x, axis, 2, 0), cut(x, axis, 0, 2));
    return ops_binary(OP_DIV, rise, ops_with(OP_MUL, step, 2));
}

static weft_array *slopes(weft_array *x, const Spacing *s, int axis)
{
    int64_t n = array_type(x).dim[axis];
    weft_array *rise = differences(x, axis), *slope = ops_binary(OP_DIV, rise, s->step);
    weft_array *part[3] = { cut(slope, axis, 0, n - 2), NULL, cut(slope, axis, n - 2, 0) };
    if (!part[0] || !part[2]) return NULL;
    if (n == 2) return ops_concatenate((weft_array *[]){ part[0], part[2] }, 2, axis);
    part[1] = s->even ? inner_even(x, s->step, axis) : inner_uneven(rise, s->step, axis);
    return part[1] ? ops_concatenate(part, 3, axis) : NULL;
}

OPS_ENTRY(gradient, (weft_operand spacing, int axis), (spacing), (spacing, axis))
{
    Type t = array_type(x);
    Spacing s;
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    if (t.dim[a] < 2)
        return op_fail(WEFT_SHAPE, "axis %d of %s has not the 2 elements that a difference takes", a,
                       TYPE_TEXT(t));
    return read_spacing(&x, spacing, a, &s) ? slopes(x, &s, a) : NULL;
}

/* ---- integrals ---- */

/* What lies between neighbours: half their sum, times the step. */
static weft_array *strips(weft_array *y, weft_operand spacing, int axis)
{
    Spacing s;
    if (!read_spacing(&y, spacing, axis, &s)) return NULL;
    weft_array *sum = op_binary(OP_ADD, cut(y, axis, 1, 0), cut(y, axis, 0, 1));
    return ops_with(OP_MUL, ops_binary(OP_MUL, sum, s.step), 0.5);
}

OPS_ENTRY(trapezoid, (weft_operand spacing, int axis), (spacing), (spacing, axis))
{
    Type t = array_type(x);
    AxisList along = { .n = 1 };
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    along.axis[0] = a;
    return ops_reduce(OP_ADD, strips(x, spacing, a), &along, false);
}

OPS_ENTRY(cumulative_trapezoid, (weft_operand spacing, int axis), (spacing), (spacing, axis))
{
    Type t = array_type(x);
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    if (!t.dim[a]) return op_fail(WEFT_SHAPE, "axis %d of %s has no elements", a, TYPE_TEXT(t));
    return ops_cumulative(OP_ADD, strips(x, spacing, a), a, false);
}

/* ---- between points ---- */

static bool points_good(Type xp, Type fp)
{
    if (xp.rank != 1 || fp.rank != 1 || xp.dim[0] != fp.dim[0])
        return op_fail(WEFT_SHAPE, "the points' places %s and values %s are not two axes of one length",
                       TYPE_TEXT(xp), TYPE_TEXT(fp));
    return xp.dim[0] > 0 || op_fail(WEFT_SHAPE, "there are no points: %s", TYPE_TEXT(xp));
}

/* The element at one end. */
static weft_array *end_of(weft_array *x, int64_t i)
{
    return ops_reshape(ops_slice_axis(x, 0, i, i + 1, 1), NULL, 0);
}

/* On the line from the last point at or before x to the next one; two points at one place are a step. */
static weft_array *on_lines(weft_array *x, weft_array *xp, weft_array *fp, int64_t n)
{
    weft_array *right = ops_searchsorted(xp, x, true);
    right = ops_with(OP_MIN, ops_with(OP_MAX, right, 1), (double)n - 1);
    weft_array *left = ops_with(OP_SUB, right, 1);
    weft_array *x0 = index_gather(xp, left, 0), *y0 = index_gather(fp, left, 0);
    weft_array *dx = ops_binary(OP_SUB, index_gather(xp, right, 0), x0),
               *dy = ops_binary(OP_SUB, index_gather(fp, right, 0), y0);
    if (!dx || !dy) return NULL;
    weft_array *step = ops_compare_with(CMP_EQ, dx, 0);
    weft_array *slope = ops_binary(OP_DIV, dy, ops_select(step, ops_fill(dx, 1), dx));
    weft_array *rise = ops_binary(OP_MUL, ops_binary(OP_SUB, x, x0), slope);
    return rise ? ops_binary(OP_ADD, y0, ops_select(step, ops_fill(rise, 0), rise)) : NULL;
}

/* ---- interp's options ---- */

static bool is_given(const weft_interpolation *o, const char *name, unsigned bit)
{
    return o->written_ ? written_option(o->written_, name) != NULL : (o->given_ & bit) != 0;
}

static bool options_good(const weft_interpolation *o)
{
    bool left = is_given(o, "left", WEFT_LEFT_), right = is_given(o, "right", WEFT_RIGHT_);
    if (is_given(o, "period", WEFT_PERIOD_)) {
        if (o->period == 0 || !isfinite(o->period))
            return op_fail(WEFT_ARGUMENT, ".period = %g is no period (a finite number, not 0)", o->period);
        if (left || right || o->extrapolate)
            return op_fail(WEFT_ARGUMENT, "with .period nothing is outside: leave out .left, .right and "
                                          ".extrapolate");
    }
    return !o->extrapolate || (!left && !right) ||
           op_fail(WEFT_ARGUMENT, ".extrapolate goes on beyond both ends: leave out .left and .right");
}

/* The value at an end, or beyond it what is written. */
static weft_array *beyond(weft_array *fp, int64_t i, const weft_interpolation *o, const char *name,
                          unsigned bit, double value)
{
    return is_given(o, name, bit) ? op_number(ops_dtype(fp), value) : end_of(fp, i);
}

/* The points within one period, in order, and one of them more at each end. */
static bool in_period(weft_array **x, weft_array **xp, weft_array **fp, double period)
{
    weft_operand by = weft_of_float(fabs(period));
    weft_array *points[2] = { weft_mod_(weft_of_array(*xp), by, NULL), *fp };
    *x = weft_mod_(weft_of_array(*x), by, NULL);
    if (!*x || !points[0] ||
        weft_sort_several_((const weft_array *const *)points, 2, 1, 0, points, (weft_order){ 0 }, NULL))
        return false;
    int64_t n = array_type(*xp).dim[0];
    weft_array *place[3] = { NULL, points[0], NULL }, *value[3] = { NULL, points[1], NULL };
    place[0] = ops_with(OP_SUB, ops_slice_axis(points[0], 0, n - 1, n, 1), fabs(period));
    place[2] = ops_with(OP_ADD, ops_slice_axis(points[0], 0, 0, 1, 1), fabs(period));
    value[0] = ops_slice_axis(points[1], 0, n - 1, n, 1);
    value[2] = ops_slice_axis(points[1], 0, 0, 1, 1);
    *xp = ops_concatenate(place, 3, 0);
    *fp = ops_concatenate(value, 3, 0);
    return *xp && *fp;
}

static weft_array *interp(const weft_operand *o, const weft_interpolation *how)
{
    if (!options_good(how) || !points_good(array_type(o[1].v.a), array_type(o[2].v.a))) return NULL;
    int64_t n = array_type(o[1].v.a).dim[0];
    if ((o[0].kind == WEFT_OPERAND_ARRAY_ && !ops_no_complex(o[0].v.a)) || !ops_no_complex(o[1].v.a))
        return NULL;
    DType t = ops_common_dtype(o, 3, RULE_INEXACT);
    weft_array *x = ops_operand(o[0], dtype_part(t)), *xp = ops_operand(o[1], dtype_part(t)),
               *fp = ops_operand(o[2], t);
    if (!x || !xp || !fp) return NULL;
    if (how->period != 0) return in_period(&x, &xp, &fp, how->period) ? on_lines(x, xp, fp, n + 2) : NULL;
    weft_array *inside =
        n > 1 ? on_lines(x, xp, fp, n) : ops_binary(OP_ADD, ops_with(OP_MUL, x, 0), end_of(fp, 0));
    if (how->extrapolate) return inside;
    weft_array *first = beyond(fp, 0, how, "left", WEFT_LEFT_, how->left),
               *last = beyond(fp, n - 1, how, "right", WEFT_RIGHT_, how->right);
    inside = ops_select(ops_compare(CMP_LT, x, end_of(xp, 0)), first, inside);
    return ops_select(ops_compare(CMP_GT, x, end_of(xp, n - 1)), last, inside);
}

OPS_ENTRY_OF(interp,
             (weft_operand x, const weft_array *xp, const weft_array *fp, weft_interpolation o,
              const char *at),
             (x, weft_of_array(xp), weft_of_array(fp)), interp(operands, &o))

/* Edges that go down are looked at from their other end. */
static weft_array *digitize(weft_operand given, weft_array *edges, weft_order o)
{
    weft_array *x = ops_value(given);
    Type t = array_type(edges);
    if (!x || !ops_unused(o.descending, ".descending") || !ops_unused(o.reverse, ".reverse")) return NULL;
    if (t.rank != 1) return op_fail(WEFT_SHAPE, "the edges %s do not have one axis", TYPE_TEXT(t));
    int64_t n = t.dim[0];
    weft_array *up = ops_searchsorted(edges, x, !o.right);
    if (n < 2) return up;
    weft_array *turned = op_apply(OP_REVERSE, &edges, 1, (int64_t[]){ 0 }, 1, NULL);
    weft_array *down = ops_from(OP_SUB, (double)n, ops_searchsorted(turned, x, !o.right));
    return ops_select(ops_compare(CMP_GE, end_of(edges, n - 1), end_of(edges, 0)), up, down);
}

OPS_ENTRY_OF(digitize, (weft_operand x, const weft_array *edges, weft_order o, const char *at),
             (x, weft_of_array(edges)), digitize(x, ops_in(edges), o))

/* ---- angles ---- */

/* d moved by multiples of 2 pi into -pi .. pi; a jump of pi upward stays one. */
static weft_array *wrapped(weft_array *d)
{
    weft_array *turns = op_unary(OP_FLOOR, ops_with(OP_DIV, ops_with(OP_ADD, d, M_PI), 2 * M_PI));
    weft_array *rest = ops_binary(OP_SUB, d, ops_with(OP_MUL, turns, 2 * M_PI));
    if (!rest) return NULL;
    weft_array *edge =
        op_binary(OP_AND, ops_compare_with(CMP_EQ, rest, -M_PI), ops_compare_with(CMP_GT, d, 0));
    return ops_select(edge, ops_fill(rest, M_PI), rest);
}

OPS_ENTRY(unwrap, (int axis), (), (axis))
{
    Type t = array_type(x);
    int a;
    if (!ops_axis(axis, t.rank, t, &a)) return NULL;
    x = ops_inexact(x);
    if (t.dim[a] < 2) return x;
    weft_array *d = differences(x, a), *move = ops_binary(OP_SUB, wrapped(d), d);
    if (!move) return NULL;
    move = ops_select(ops_compare_with(CMP_LT, op_unary(OP_ABS, d), M_PI), ops_fill(move, 0), move);
    weft_array *rest = op_binary(OP_ADD, cut(x, a, 1, 0), ops_cumulative(OP_ADD, move, a, false));
    return rest ? ops_concatenate((weft_array *[]){ cut(x, a, 0, t.dim[a] - 1), rest }, 2, a) : NULL;
}

weft_array *(weft_unwrap)(weft_array *x) { return weft_unwrap_(x, -1, NULL); }
