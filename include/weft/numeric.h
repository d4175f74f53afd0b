/* weft/numeric.h: what NumPy's users look for beside the ops of weft/ops.h: differences, integrals and
 * interpolation, quantiles, reductions that pass over NaNs, grids, padding by what is there, images of
 * another size. Names and meaning are NumPy's and JAX's; how ops are called, how types promote and which
 * errors there are, says weft/ops.h. All are made of ops: they trace, fuse, map and differentiate.
 *
 * SPACING, below: how far the points along an axis are apart: a number (or an array of rank 0), the same for
 * all of them; or an array, the points' places: one for each point of the axis, or one for each element.
 */
#ifndef WEFT_NUMERIC_H
#define WEFT_NUMERIC_H
#include "weft/ops.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- elementwise: numbers or arrays that broadcast ---- */
WEFT_OP1_(weft_sinc)        /* sin(pi x) / (pi x), 1 at 0; inexact. numpy.sinc */
WEFT_OP2_(weft_heaviside)   /* 0 below 0, b at 0, 1 above; NaN of NaN; inexact. numpy.heaviside(a, b) */
/* a + t (b - a), exactly b where t is 1; t outside of 0 to 1 goes on beyond. Inexact */
WEFT_OP3_(weft_lerp)

/* weft_interp(x, xp, fp, .left = 0, .right = NAN). In C++17: weft::interpolation().left(0).right(NAN). */
typedef struct weft_interpolation {
    double left, right;         /* below the first place, above the last one; not written: as there */
    double period;              /* not 0, and without the others; not written: none */
    bool extrapolate;           /* not with .left or .right */
    unsigned given_;            /* C++: bits of those that are written; C: */
    const char *written_;       /* as in weft_over */
} weft_interpolation;
enum { WEFT_LEFT_ = 1, WEFT_RIGHT_ = 2, WEFT_PERIOD_ = 4 };

/* ---- along an axis: the last one, if none is written; a spacing that is not written is 1 ----
 *   weft_diff(x, n, axis)              x's differences of neighbours, n times: each time one element fewer
 *                                      (none are left of none). Ints wrap; bool: whether they differ. n 0:
 *                                      x. weft_diff(x): once. numpy.diff
 *   weft_gradient(x, spacing, axis)    of x's shape: the derivative along the axis, by central differences
 *                                      inside, which are of second order for uneven places too, by the one
 *                                      difference there is at both ends. At least 2 elements. Inexact.
 *                                      Spacing: a number, or the axis's places. numpy.gradient
 *   weft_trapezoid(y, spacing, axis)   without the axis: the integral by the trapezoidal rule; of one element
 *                                      or none 0. Inexact. numpy.trapezoid(y, x) and (y, dx=..)
 *   weft_cumulative_trapezoid(y, spacing, axis)
 *                                      the integrals from the first element to each of the others, so one
 *                                      element fewer; of none an error. scipy.integrate.cumulative_trapezoid
 *   weft_interp(x, xp, fp)             x: number or array. The function that goes through the points (xp, fp)
 *                                      on straight lines; the first and the last value outside. xp, fp: one
 *                                      axis, as long; xp ascending. NaN of NaN. numpy.interp. .left, .right:
 *                                      the values outside instead; .extrapolate = true: the outermost lines
 *                                      go on there; .period = 360: x and xp are angles or the like, of which
 *                                      whole periods do not count, xp in any order
 *   weft_unwrap(x, axis)               angles, moved by multiples of 2 pi so that neighbours are at most pi
 *                                      apart; inexact. numpy.unwrap
 *   weft_digitize(x, edges)            i32 for each x (number or array): in which bin it is. Edges on one
 *                                      axis, ascending: how many are at or below x, with .right = true below
 *                                      it; descending: how many are above it, at or above it. numpy.digitize
 */
weft_array *weft_diff_(const weft_array *, int64_t order, int axis, const char *at);
weft_array *weft_gradient_(const weft_array *, weft_operand spacing, int axis, const char *at);
weft_array *weft_trapezoid_(const weft_array *, weft_operand spacing, int axis, const char *at);
weft_array *weft_cumulative_trapezoid_(const weft_array *, weft_operand spacing, int axis, const char *at);
weft_array *weft_interp_(weft_operand x, const weft_array *xp, const weft_array *fp, weft_interpolation,
                         const char *at);
weft_array *weft_unwrap(weft_array *), *weft_unwrap_(const weft_array *, int axis, const char *at);
weft_array *weft_digitize_(weft_operand x, const weft_array *edges, weft_order, const char *at);

/* ---- quantiles and means: the options are those of reductions, without .where ----
 *   weft_median(x)                     the middle element along the axes, or the mean of the two middle ones.
 *                                      Inexact. NaN where one is. numpy.median
 *   weft_quantile(x, q)                q: number or array in 0 .. 1, of any shape, whose axes come first in
 *                                      the result. Between two elements: .method = "linear" (default: on the
 *                                      straight line), "lower", "higher", "nearest" (of two as near the one
 *                                      at an even place), "midpoint". A q out of range: a C number is an
 *                                      error, in an array it gives NaN. Of nothing: an error. Inexact. NaN
 *                                      where one is. numpy.quantile
 *   weft_percentile(x, q)              the same with q in 0 .. 100
 *   weft_average(x, .weights = w)      sum(x w) / sum(w), without weights the mean. Weights of x's shape, or
 *                                      one for each element along the one axis of .axes. Inexact; NaN or inf
 *                                      where the weights' sum is 0. numpy.average
 *   weft_ptp(x)                        the greatest less the least; ints wrap. numpy.ptp
 */
WEFT_OPR_(weft_median)
WEFT_OPR_(weft_average)
WEFT_OPR_(weft_ptp)
weft_array *weft_quantile_(const weft_array *, weft_operand q, weft_over, const char *at);
weft_array *weft_percentile_(const weft_array *, weft_operand q, weft_over, const char *at);

/* ---- reductions that pass over NaNs, with the options of their like; .where leaves out others, too ----
 * The derivative by a NaN is 0. Where nothing takes part: sum 0, prod 1, arg.. -1, the others NaN (nanvar,
 * nanstd: where no more than .ddof do), as in NumPy and JAX. Of axes without elements, nanmax, nanmin and
 * arg.. are errors, as their like are. Ints and bools have no NaNs; a complex number is one where a part is;
 * arg.., median and quantiles take none. */
WEFT_OPR_(weft_nansum)
WEFT_OPR_(weft_nanprod)
WEFT_OPR_(weft_nanmax)
WEFT_OPR_(weft_nanmin)
WEFT_OPR_(weft_nanmean)
WEFT_OPR_(weft_nanvar)
WEFT_OPR_(weft_nanstd)
WEFT_OPR_(weft_nanargmax)       /* as weft_argmax, without .where; i32 */
WEFT_OPR_(weft_nanargmin)
WEFT_OPR_(weft_nanmedian)       /* without .where, as the next two */
weft_array *weft_nanquantile_(const weft_array *, weft_operand q, weft_over, const char *at);
weft_array *weft_nanpercentile_(const weft_array *, weft_operand q, weft_over, const char *at);

/* ---- shapes ----
 *   weft_meshgrid(in, n, "ij", out)    n vectors (or numbers of rank 0) in weft_array *in[n] stretched over
 *                                      the grid that they span, into *out[n]: "ij": axis k is that of in[k];
 *                                      "xy", NumPy's default: the first two change places. WEFT_OK, or the
 *                                      error and NULLs. numpy.meshgrid
 *   weft_pad_with(x, "reflect", "1:2, 0")
 *                                      around x comes what is there already, widths as for weft_pad, not
 *                                      negative and without the third number: "edge" the last element again
 *                                      and again; "reflect" x mirrored at its last element, "symmetric"
 *                                      behind it, so that that comes twice; "wrap" x from its other end,
 *                                      again and again where the width is larger than x. Not of an axis
 *                                      without elements. numpy.pad
 *   weft_resize(x, "linear", 64, 64, 3)
 *                                      x, of the same rank, in other sizes: "nearest", "linear", "cubic"
 *                                      (Keys), "lanczos3", "lanczos5". Axes that become smaller are averaged
 *                                      over (not with "nearest"). Inexact but for "nearest"; f16 and bf16 by
 *                                      way of f32. jax.image.resize
 */
weft_status weft_meshgrid_(const weft_array *const *in, int n, const char *indexing, weft_array **out,
                           const char *at);
weft_array *weft_pad_with_(const weft_array *, const char *mode, const char *widths, const char *at);
weft_array *weft_resize_(const weft_array *, const char *method, int rank, const int64_t *dim,
                         const char *at);

#ifdef __cplusplus
}
namespace weft {
struct interpolation : weft_interpolation {
    interpolation() : weft_interpolation() {}
    interpolation &left(double v)   { weft_interpolation::left = v; given_ |= WEFT_LEFT_; return *this; }
    interpolation &right(double v)  { weft_interpolation::right = v; given_ |= WEFT_RIGHT_; return *this; }
    interpolation &period(double p) { weft_interpolation::period = p; given_ |= WEFT_PERIOD_; return *this; }
    interpolation &extrapolate(bool yes = true) { weft_interpolation::extrapolate = yes; return *this; }
};
}
#define WEFT_INTERPOLATION_(written, ...) WEFT_WITH_(interpolation, __VA_ARGS__)
#else
#define WEFT_INTERPOLATION_(written, ...) \
    (WEFT_IS_NAMED_(WEFT_TAIL_(__VA_ARGS__, )), \
     (weft_interpolation){ WEFT_TAIL_(__VA_ARGS__, .written_ = written) })
#endif

/* ---- the macros ---- */
#define weft_sinc(x)            WEFT_CALL1_(weft_sinc_, x)
#define weft_heaviside(a, b)    WEFT_CALL2_(weft_heaviside_, a, b)
#define weft_lerp(a, b, t)      WEFT_CALL3_(weft_lerp_, a, b, t)

/* f(x), f(x, spacing), f(x, spacing, axis) */
#define WEFT_CALLS_(f, ...) \
    f(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_ARG_(WEFT_SECOND_(__VA_ARGS__, 1, )), \
      WEFT_AN_INT_(WEFT_THIRD_(__VA_ARGS__, -1, -1, )), WEFT_HERE3_(__VA_ARGS__))
#define weft_diff(...) \
    weft_diff_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_AN_INT_(WEFT_SECOND_(__VA_ARGS__, 1, )), \
               WEFT_AN_INT_(WEFT_THIRD_(__VA_ARGS__, -1, -1, )), WEFT_HERE3_(__VA_ARGS__))
#define weft_gradient(...)              WEFT_CALLS_(weft_gradient_, __VA_ARGS__)
#define weft_trapezoid(...)             WEFT_CALLS_(weft_trapezoid_, __VA_ARGS__)
#define weft_cumulative_trapezoid(...)  WEFT_CALLS_(weft_cumulative_trapezoid_, __VA_ARGS__)
#define weft_interp(x, xp, ...) WEFT_CALLI_(#__VA_ARGS__, x, xp, __VA_ARGS__)
#define WEFT_CALLI_(written, x, xp, ...) \
    weft_interp_(WEFT_ARG_(x), WEFT_AN_ARRAY_(xp), WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
                 WEFT_INTERPOLATION_(written, __VA_ARGS__), WEFT_HERE)
#define weft_unwrap(...) \
    weft_unwrap_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_AN_INT_(WEFT_SECOND_(__VA_ARGS__, -1, )), \
                 WEFT_HERE2_(__VA_ARGS__))
#define weft_digitize(x, ...) \
    weft_digitize_(WEFT_ARG_(x), WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_WITH_(order, __VA_ARGS__), \
                   WEFT_HERE)

#define WEFT_CALLQ_(f, x, ...) \
    f(WEFT_AN_ARRAY_(x), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_OVER_(#__VA_ARGS__, __VA_ARGS__), \
      WEFT_HERE)
#define weft_quantile(x, ...)       WEFT_CALLQ_(weft_quantile_, x, __VA_ARGS__)
#define weft_percentile(x, ...)     WEFT_CALLQ_(weft_percentile_, x, __VA_ARGS__)
#define weft_nanquantile(x, ...)    WEFT_CALLQ_(weft_nanquantile_, x, __VA_ARGS__)
#define weft_nanpercentile(x, ...)  WEFT_CALLQ_(weft_nanpercentile_, x, __VA_ARGS__)
#define weft_median(...)        WEFT_CALLR_(weft_median_, #__VA_ARGS__, __VA_ARGS__)
#define weft_average(...)       WEFT_CALLR_(weft_average_, #__VA_ARGS__, __VA_ARGS__)
#define weft_ptp(...)           WEFT_CALLR_(weft_ptp_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nansum(...)        WEFT_CALLR_(weft_nansum_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanprod(...)       WEFT_CALLR_(weft_nanprod_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanmax(...)        WEFT_CALLR_(weft_nanmax_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanmin(...)        WEFT_CALLR_(weft_nanmin_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanmean(...)       WEFT_CALLR_(weft_nanmean_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanvar(...)        WEFT_CALLR_(weft_nanvar_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanstd(...)        WEFT_CALLR_(weft_nanstd_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanargmax(...)     WEFT_CALLR_(weft_nanargmax_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanargmin(...)     WEFT_CALLR_(weft_nanargmin_, #__VA_ARGS__, __VA_ARGS__)
#define weft_nanmedian(...)     WEFT_CALLR_(weft_nanmedian_, #__VA_ARGS__, __VA_ARGS__)

#define weft_meshgrid(in, n, indexing, out) \
    weft_meshgrid_((const weft_array *const *)(in), WEFT_AN_INT_(n), WEFT_A_TEXT_(indexing), (out), WEFT_HERE)
#define weft_pad_with(x, mode, widths) \
    weft_pad_with_(WEFT_AN_ARRAY_(x), WEFT_A_TEXT_(mode), WEFT_A_TEXT_(widths), WEFT_HERE)
#define weft_resize(x, ...) \
    weft_resize_(WEFT_AN_ARRAY_(x), WEFT_A_TEXT_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), \
                 WEFT_HERE)
#endif
