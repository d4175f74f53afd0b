/* test_numeric_bad.c: what a user can get wrong in weft/numeric.h and weft/special.h: each case gives
 * NULL, one message with his file and line, and leaves nothing behind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/context_suite.h"
#include "tests/support/error_at.h"

static weft_array *x, *v5, *v4, *i, *m, *e0, *s,
    *t;                                /* f32[3,4] f32[5] f32[4] i32[3,4] bool[3,4] f32[0,3] f32 f32[2,3,4] */
static weft_array *none, *v0, *m5, *c; /* NULL f32[0] bool[5] c64[4] */

static void setup(void)
{
    static const float zero[24];
    static const int32_t number[12] = { 1, 2, 3 };
    open_context();
    x = weft_from(ctx, zero, 3, 4);
    v5 = weft_from(ctx, zero, 5);
    v4 = weft_from(ctx, zero, 4);
    i = weft_from(ctx, number, 3, 4);
    m = weft_eq(i, 1);
    e0 = weft_zeros(ctx, WEFT_F32, 0, 3);
    s = weft_scalar(ctx, 1);
    t = weft_from(ctx, zero, 2, 3, 4);
    v0 = weft_zeros(ctx, WEFT_F32, 0);
    m5 = weft_eq(v5, 0);
    c = weft_zeros(ctx, WEFT_C64, 4);
}

TestSuite(numeric_bad, .init = setup, .fini = close_context);

#define BAD(code, text, call) REFUSED_AT_ONCE(__FILE__, code, !(call), text)

Test(numeric_bad, elementwise)
{
    BAD(WEFT_SHAPE, "weft_heaviside: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_heaviside(x, v5));
    BAD(WEFT_SHAPE, "weft_lerp: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_lerp(x, 1, v5));
    BAD(WEFT_ARGUMENT, "weft_sinc: operand 1 is NULL", weft_sinc(none));
    BAD(WEFT_ARGUMENT, "weft_lerp: operand 3 is NULL", weft_lerp(x, 0, none));
}

Test(numeric_bad, along_an_axis)
{
    BAD(WEFT_ARGUMENT, "weft_diff: axis 2 is out of range for f32[3,4] (-2 to 1)", weft_diff(x, 1, 2));
    BAD(WEFT_ARGUMENT, "weft_diff: differences are taken 0 times or more, not -1", weft_diff(x, -1, 0));
    BAD(WEFT_ARGUMENT, "weft_diff: axis 0 is out of range: f32 has no axes", weft_diff(s, 1, 0));
    BAD(WEFT_ARGUMENT, "weft_diff: operand 1 is NULL", weft_diff(none, 1, 0));
    BAD(WEFT_ARGUMENT, "weft_gradient: axis -3 is out of range for f32[3,4] (-2 to 1)",
        weft_gradient(x, 1, -3));
    BAD(WEFT_SHAPE, "weft_gradient: axis 0 of f32[0,3] has not the 2 elements that a difference takes",
        weft_gradient(e0, 1, 0));
    BAD(WEFT_SHAPE,
        "weft_gradient: the spacing f32[5] is neither one number nor the places of the 4 points of axis 1 of "
        "f32[3,4]",
        weft_gradient(x, v5, 1));
    BAD(WEFT_SHAPE,
        "weft_gradient: the spacing f32[4] is neither one number nor the places of the 3 points of axis 0 of "
        "f32[3,4]",
        weft_gradient(x, v4, 0));
    BAD(WEFT_ARGUMENT, "weft_gradient: operand 2 is NULL", weft_gradient(x, none, 0));
    BAD(WEFT_ARGUMENT, "weft_trapezoid: axis 2 is out of range for f32[3,4] (-2 to 1)",
        weft_trapezoid(x, 1, 2));
    BAD(WEFT_SHAPE,
        "weft_trapezoid: the spacing f32[2,3,4] is neither one number nor the places of the 4 points of axis "
        "1 of f32[3,4]",
        weft_trapezoid(x, t, 1));
    BAD(WEFT_SHAPE, "weft_cumulative_trapezoid: axis 0 of f32[0,3] has no elements",
        weft_cumulative_trapezoid(e0, 1, 0));
    BAD(WEFT_ARGUMENT, "weft_cumulative_trapezoid: axis 0 is out of range: f32 has no axes",
        weft_cumulative_trapezoid(s, 1, 0));
    BAD(WEFT_SHAPE, "weft_interp: the points' places f32[5] and values f32[4] are not two axes of one length",
        weft_interp(x, v5, v4));
    BAD(WEFT_SHAPE,
        "weft_interp: the points' places f32[3,4] and values f32[3,4] are not two axes of one length",
        weft_interp(1, x, x));
    BAD(WEFT_SHAPE, "weft_interp: there are no points: f32[0]", weft_interp(x, v0, v0));
    BAD(WEFT_ARGUMENT, "weft_interp: .period = 0 is no period (a finite number, not 0)",
        weft_interp(x, v5, v5, .period = 0));
    BAD(WEFT_ARGUMENT, "weft_interp: .period = inf is no period (a finite number, not 0)",
        weft_interp(x, v5, v5, .period = INFINITY));
    BAD(WEFT_ARGUMENT,
        "weft_interp: with .period nothing is outside: leave out .left, .right and .extrapolate",
        weft_interp(x, v5, v5, .period = 1, .right = 0));
    BAD(WEFT_ARGUMENT,
        "weft_interp: with .period nothing is outside: leave out .left, .right and .extrapolate",
        weft_interp(x, v5, v5, .period = 1, .extrapolate = true));
    BAD(WEFT_ARGUMENT, "weft_interp: .extrapolate goes on beyond both ends: leave out .left and .right",
        weft_interp(x, v5, v5, .left = 0, .extrapolate = true));
    BAD(WEFT_ARGUMENT, "weft_interp: operand 3 is NULL", weft_interp(x, v5, none));
    BAD(WEFT_ARGUMENT, "weft_unwrap: axis 3 is out of range for f32[2,3,4] (-3 to 2)", weft_unwrap(t, 3));
    BAD(WEFT_SHAPE, "weft_digitize: the edges f32[3,4] do not have one axis", weft_digitize(v5, x));
    BAD(WEFT_ARGUMENT, "weft_digitize: the option .descending does not apply here",
        weft_digitize(v5, v5, .descending = true));
    BAD(WEFT_ARGUMENT, "weft_digitize: operand 2 is NULL", weft_digitize(1, none));
}

Test(numeric_bad, quantiles)
{
    BAD(WEFT_ARGUMENT, "weft_quantile: q is 1.5: it must be in 0 .. 1", weft_quantile(x, 1.5));
    BAD(WEFT_ARGUMENT, "weft_quantile: q is nan: it must be in 0 .. 1", weft_quantile(x, (double)NAN));
    BAD(WEFT_ARGUMENT, "weft_percentile: q is -1: it must be in 0 .. 100", weft_percentile(x, -1));
    BAD(WEFT_ARGUMENT, "weft_percentile: q is 100.0001: it must be in 0 .. 100",
        weft_percentile(x, 100.0001));
    BAD(WEFT_ARGUMENT, "weft_nanpercentile: q is 101: it must be in 0 .. 100", weft_nanpercentile(x, 101));
    BAD(WEFT_SHAPE, "weft_quantile: f32[0,3] has no elements along the axes", weft_quantile(e0, 0.5));
    BAD(WEFT_SHAPE, "weft_median: f32[0,3] has no elements along the axes", weft_median(e0, .axes = "0"));
    BAD(WEFT_ARGUMENT, "weft_median: axis 2 is out of range for f32[3,4] (-2 to 1)",
        weft_median(x, .axes = "2"));
    BAD(WEFT_ARGUMENT, "weft_median: axes \"0,0\" name axis 0 of f32[3,4] twice",
        weft_median(x, .axes = "0,0"));
    BAD(WEFT_ARGUMENT, "weft_median: the option .method does not apply here",
        weft_median(x, .method = "lower"));
    BAD(WEFT_ARGUMENT,
        "weft_quantile: .method \"middle\" is none of \"linear\", \"lower\", \"higher\", \"nearest\", "
        "\"midpoint\"",
        weft_quantile(x, 0.5, .method = "middle"));
    BAD(WEFT_ARGUMENT,
        "weft_quantile: the option .where (weft_nanmedian and weft_nanquantile pass over NaNs: use "
        "weft_where) does not apply here",
        weft_quantile(x, 0.5, .where = m));
    BAD(WEFT_ARGUMENT, "weft_median: the option .ddof does not apply here", weft_median(x, .ddof = 1));
    BAD(WEFT_ARGUMENT, "weft_nanmedian: the option .ord does not apply here", weft_nanmedian(x, .ord = 2));
    BAD(WEFT_ARGUMENT, "weft_nanquantile: the option .weights does not apply here",
        weft_nanquantile(x, 0.5, .weights = x));
    BAD(WEFT_ARGUMENT, "weft_quantile: operand 2 is NULL", weft_quantile(x, none));
    BAD(WEFT_SHAPE,
        "weft_average: .weights f32[5] are neither of the shape of f32[3,4] nor one for each element along "
        "one axis",
        weft_average(x, .weights = v5, .axes = "1"));
    BAD(WEFT_SHAPE,
        "weft_average: .weights f32[4] are neither of the shape of f32[3,4] nor one for each element along "
        "one axis",
        weft_average(x, .weights = v4));
    BAD(WEFT_ARGUMENT,
        "weft_average: the option .where (weights of 0 leave elements out) does not apply here",
        weft_average(x, .where = m));
    BAD(WEFT_ARGUMENT, "weft_average: the option .ddof does not apply here",
        weft_average(x, .weights = x, .ddof = 1));
    BAD(WEFT_ARGUMENT, "weft_sum: the option .weights does not apply here", weft_sum(x, .weights = x));
    BAD(WEFT_ARGUMENT, "weft_argmax: the option .method does not apply here",
        weft_argmax(x, .method = "linear"));
    BAD(WEFT_SHAPE, "weft_ptp: f32[0,3] has no elements along the axes, and nothing has no greatest",
        weft_ptp(e0));
}

Test(numeric_bad, without_nans)
{
    BAD(WEFT_ARGUMENT, "weft_nansum: axis 2 is out of range for f32[3,4] (-2 to 1)",
        weft_nansum(x, .axes = "2"));
    BAD(WEFT_SHAPE, "weft_nanmax: f32[0,3] has no elements along the axes, and nothing has no greatest",
        weft_nanmax(e0));
    BAD(WEFT_ARGUMENT, "weft_nanmean: the option .ddof does not apply here", weft_nanmean(x, .ddof = 1));
    BAD(WEFT_SHAPE, "weft_nansum: .where bool[5] does not broadcast to f32[3,4]",
        weft_nansum(x, .where = m5));
    BAD(WEFT_ARGUMENT, "weft_nanargmax: axes \"0,1\" name 2 axes of f32[3,4] (one, or .axes not given)",
        weft_nanargmax(x, .axes = "0,1"));
    BAD(WEFT_ARGUMENT, "weft_nanargmin: .where is not taken (use weft_where first)",
        weft_nanargmin(x, .where = m));
    BAD(WEFT_DTYPE, "weft_nanmin: .where must be bool, not i32[3,4] (use weft_ne(mask, 0))",
        weft_nanmin(x, .where = i));
    BAD(WEFT_ARGUMENT, "weft_nanstd: operand 1 is NULL", weft_nanstd(none));
}

static weft_array *out[2];
#define GRID(in, n, how) (weft_meshgrid(in, n, how, out) == WEFT_OK || out[0] || out[1])

Test(numeric_bad, shapes)
{
    const weft_array *pair[] = { v4, v5 }, *flat[] = { v4, x }, *hole[] = { v4, NULL };
    out[0] = out[1] = x;
    BAD(WEFT_ARGUMENT, "weft_meshgrid: the indexing \"yx\" is neither \"ij\" nor \"xy\"",
        GRID(pair, 2, "yx"));
    BAD(WEFT_SHAPE, "weft_meshgrid: array 1 is f32[3,4]: a grid is spanned by arrays of one axis, or of none",
        GRID(flat, 2, "ij"));
    BAD(WEFT_ARGUMENT, "weft_meshgrid: operand 2 is NULL", GRID(hole, 2, "ij"));
    BAD(WEFT_SHAPE, "weft_meshgrid: rank 33 is over the limit of 32 axes", GRID(pair, 33, "ij"));
    BAD(WEFT_ARGUMENT,
        "weft_pad_with: the mode \"mirror\" is none of \"edge\", \"reflect\", \"symmetric\", \"wrap\"",
        weft_pad_with(x, "mirror", "1"));
    BAD(WEFT_MEMORY, "weft_pad_with: out of memory: i64[200000000000000004] takes 1600000000000000032 bytes",
        weft_pad_with(x, "reflect", "0, 100000000000000000"));
    BAD(WEFT_ARGUMENT, "weft_pad_with: width -1:2 of axis 0 is negative (weft_pad cuts)",
        weft_pad_with(x, "edge", "-1:2"));
    BAD(WEFT_ARGUMENT, "weft_pad_with: widths \"1:1:1\": nothing goes between elements here",
        weft_pad_with(x, "wrap", "1:1:1"));
    BAD(WEFT_ARGUMENT, "weft_pad_with: widths \"1,2,3\" are for 3 axes, but f32[3,4] has 2",
        weft_pad_with(x, "wrap", "1,2,3"));
    BAD(WEFT_SHAPE, "weft_pad_with: axis 0 of f32[0,3] has no elements that could stand around it",
        weft_pad_with(e0, "edge", "1"));
    BAD(WEFT_SHAPE, "weft_pad_with: f32[3,4] is too large with this padding",
        weft_pad_with(x, "edge", "9223372036854775807:1, 0"));
    BAD(WEFT_ARGUMENT,
        "weft_resize: the method \"area\" is none of \"nearest\", \"linear\", \"cubic\", \"lanczos3\", "
        "\"lanczos5\"",
        weft_resize(x, "area", 2, 2));
    BAD(WEFT_ARGUMENT, "weft_resize: 1 sizes for the 2 axes of f32[3,4]", weft_resize(x, "linear", 2));
    BAD(WEFT_SHAPE, "weft_resize: size -2 of axis 1 is negative", weft_resize(x, "linear", 2, -2));
    BAD(WEFT_SHAPE, "weft_resize: axis 0 of f32[0,3] has no elements, of which 2 could be made",
        weft_resize(e0, "linear", 2, 2));
}

Test(numeric_bad, special)
{
    BAD(WEFT_ARGUMENT, "weft_gamma: operand 1 is NULL", weft_gamma(none));
    BAD(WEFT_SHAPE, "weft_beta: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_beta(x, v5));
    BAD(WEFT_SHAPE, "weft_gammainc: shapes f32[5] and f32[3,4] do not broadcast (axis 1: 5 against 4)",
        weft_gammainc(v5, x));
    BAD(WEFT_SHAPE, "weft_betainc: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_betainc(x, 1, v5));
    BAD(WEFT_ARGUMENT, "weft_betainc: operand 2 is NULL", weft_betainc(x, none, x));
    BAD(WEFT_SHAPE, "weft_xlogy: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)",
        weft_xlogy(x, v5));
    BAD(WEFT_DTYPE, "weft_gamma: element type c64 is not taken (allowed: floats)", weft_gamma(c));
    BAD(WEFT_DTYPE, "weft_i0: element type c64 is not taken (allowed: floats)", weft_i0(c));
    BAD(WEFT_DTYPE, "weft_xlogy: element type c64 is not taken (allowed: floats)", weft_xlogy(v4, c));
    BAD(WEFT_DTYPE, "weft_gammaincc: element type c64 is not taken (allowed: floats)", weft_gammaincc(1, c));
    BAD(WEFT_DTYPE, "weft_betainc: element type c64 is not taken (allowed: floats)", weft_betainc(c, 1, 0.5));
    BAD(WEFT_DTYPE, "weft_logit: element type c64 is not taken (allowed: floats)", weft_logit(c));
    BAD(WEFT_DTYPE, "weft_median: element type c64 is not taken (allowed: floats)", weft_median(c));
    BAD(WEFT_DTYPE, "weft_heaviside: element type c64 is not taken (allowed: floats)", weft_heaviside(c, 1));
    BAD(WEFT_DTYPE, "weft_interp: element type c64 is not taken (allowed: floats)", weft_interp(c, v4, v4));
    BAD(WEFT_DTYPE, "weft_unwrap: element type c64 is not taken (allowed: floats)", weft_unwrap(c, 0));
    BAD(WEFT_ARGUMENT, "weft_expi: operand 1 is NULL", weft_expi(none));
}
