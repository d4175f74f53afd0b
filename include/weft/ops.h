/* weft/ops.h: every operation on arrays. Names and meaning are NumPy's and JAX's; element semantics
 * (overflow, NaN, division by zero) are StableHLO's.
 *
 * How ops are called
 *   Each op is a macro that adds the caller's file and line, and stands on two real functions: weft_tanh,
 *   whose address can be taken (weft_jit(ctx, weft_tanh)), and weft_tanh_, what the macro calls. Where
 *   `number or array` is said below, a C number may stand for an array: weft_add(x, 1), weft_mul(0.5, x).
 *   Results are new arrays that belong to the current scope; operands are borrowed and never changed. On
 *   concrete arrays an op runs at once; on traced ones (inside a transform) it becomes part of the program.
 *
 * Element types
 *   Two arrays promote by JAX's table: the wider of a kind; i32 with f16 is f16; f16 with bf16 is f32; u32
 *   with i32 is i64; bool gives way to all. C numbers are weak, they do not widen: f16 array * 2.0 stays f16,
 *   i8 array + 1 stays i8; but i32 array * 0.5 is f32, and bool array + 1 is i32. An int that the array's
 *   type cannot hold (i8 array + 300) is an error. Numbers alone: f32, i32 or bool. "inexact" below: bools
 *   and ints become f32 first; f16, bf16, f32 and f64 stay. Where f32 is said here or below of what was an
 *   int, a bool or a C number, it is f64 in a context with .real = WEFT_F64 (weft_options).
 *   Complex numbers give way to nothing: c64 with any type is c64, with f64 c128; a complex C number beside
 *   an array makes it complex, of the array's width. Complex numbers are ordered by their real and then by
 *   their imaginary parts, as in NumPy (docs/complex.md).
 *   f16 and bf16 compute in f32 and round once after each op; sums and products of matrices over them
 *   accumulate in f32.
 *
 * Shapes
 *   Operands broadcast as in NumPy: aligned at the last axis, missing axes and axes of size 1 stretch. Axes
 *   count from 0, negative ones from the end (-1 is the last). A text of axes is "0,-1". Arrays have at most
 *   32 axes.
 *
 * Errors
 *   A bad argument gives NULL and the thread's error (weft_error):
 *       demo.c:42: weft_add: shapes f32[3,4] and f32[5] do not broadcast (axis 1: 4 against 5)
 *   WEFT_SHAPE: shapes that do not go together, too many axes, too many bytes; WEFT_DTYPE: an element type
 *   that the op does not take; WEFT_ARGUMENT: an axis out of range or named twice, a text that cannot be
 *   read, an option that does not fit; WEFT_MEMORY. A NULL operand (a failed value) gives NULL in silence
 *   while an error is pending, else the error says which operand it is.
 */
#ifndef WEFT_OPS_H
#define WEFT_OPS_H
#include "weft/array.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What a reduction takes besides its array, each part optional: weft_sum(x, .axes = "0,-1", .keep = true,
 * .where = mask). In C++17: weft_sum(x, weft::over().axes("0,-1").keep().where(mask)). */
typedef struct weft_over {
    const char *axes;           /* not given, or a variable that is NULL: all axes; "": none */
    bool keep;                  /* leave the axes in place with size 1 */
    /* bool, broadcast to the array: elements where it is false do not take part. NULL: all do */
    const weft_array *where;
    /* weft_var, weft_std: divide by the count less this (0: the population's; 1: the sample's) */
    int ddof;
    double ord;                 /* weft_norm: the order; 0 stands for 2 */
    /* weft_average: of x's shape, or one for each element along the one axis of .axes */
    const weft_array *weights;
    const char *method;         /* weft_quantile and its like: "linear" (default), "lower", ... */
    const char *written_;       /* the arguments as written, by which .axes = 0 differs from none: an error */
} weft_over;

/* How elements meet: weft_set and its like, weft_scatter, weft_reduce_window. */
typedef enum { WEFT_SET, WEFT_ADD, WEFT_MUL, WEFT_MIN, WEFT_MAX } weft_combine;

/* Options of ops below, behind their other arguments and zero by default: weft_sort(x, -1, .descending =
 * true), weft_scatter(x, ids, 0, v, .with = WEFT_ADD). In C++17: weft_sort(x, -1,
 * weft::order().descending()), weft::update().with(WEFT_ADD), weft::window().stride("2,2"), weft::counting(),
 * weft::uniques(), weft::positions(). */
typedef struct weft_order {
    bool descending;            /* sorts: from the greatest, NaNs first */
    bool right;                 /* weft_searchsorted: behind equal ones instead of in front of them */
    bool reverse;               /* prefixes: from the axis's end */
    int end_;
} weft_order;
typedef struct weft_update {
    weft_combine with;          /* old and new value; WEFT_SET: the new one */
    bool clip;                  /* an index out of range is the nearest in range; else it changes nothing */
    int end_;
} weft_update;
/* texts of numbers for the last axes, "2,2"; NULL, and axes in front: 1, no padding */
typedef struct weft_window {
    const char *stride;         /* of reduce_window 1, of the pools the window */
    /* "valid" (default): none; "same": as many windows as strides; "1:2, 0:1": low:high, "1" is 1:1 */
    const char *pad;
    const char *dilation;       /* places between a window's elements: 2 takes every other one */
    const char *base_dilation;  /* of the array: 2 puts one place of padding between its elements */
    bool inside;                /* weft_avg_pool: divide by the number of elements that are no padding */
    const char *written_;       /* as in weft_over */
} weft_window;
/* texts of numbers for the spatial axes, "2,1", or one for all of them, "2"; NULL: 1, no padding */
typedef struct weft_convolution {
    const char *stride;         /* of conv_transpose: how far the windows of neighbours are apart */
    const char *pad;            /* "valid" (default), "same", or "1:2, 0:1": low:high, negative ones cut */
    const char *dilation;       /* places between a window's elements: 2 takes every other one */
    const char *base_dilation;  /* of x: 2 puts one place of padding between its elements */
    /* which axes are what, of x, weights and result: "nchw,oihw->nchw"; NULL: "nhwc,hwio->nhwc" and its like.
     * n: examples, c: features, i and o: features in and out; any other letters: spatial axes */
    const char *layout;
    int64_t groups;             /* 0 or 1: one. Of features; each has its own weights */
    const char *written_;       /* as in weft_over */
} weft_convolution;
typedef struct weft_counting {
    const weft_array *weights;  /* what each element adds; NULL: 1 */
    /* weft_histogram: the range; both 0: from the least to the greatest element */
    double from, to;
    weft_array **edges;         /* weft_histogram: the bins' edges, where not NULL */
    int end_;
} weft_counting;
typedef struct weft_uniques {
    const weft_array *fill;     /* rank 0: where there are fewer than size; NULL: the least value */
    /* where not NULL: i32[size], the first element that has the value (fillers: the least value's) */
    weft_array **indices;
    weft_array **inverse;       /* where not NULL: i32 of x's shape, the number of each element's value */
    weft_array **counts;        /* where not NULL: i32[size], how many elements have the value (fillers: 0) */
    int end_;
} weft_uniques;
typedef struct weft_positions {
    const weft_array *fill;     /* an int of rank 0: where there are fewer than size; NULL: 0 */
    weft_array **count;         /* where not NULL: i32, how many elements are not 0, also if beyond size */
    int end_;
} weft_positions;

#define WEFT_OP1_(op) weft_array *op(weft_array *), *op##_(weft_operand, const char *at);
#define WEFT_OP2_(op) \
    weft_array *op(weft_array *, weft_array *), *op##_(weft_operand, weft_operand, const char *at);
#define WEFT_OP3_(op) weft_array *op(weft_array *, weft_array *, weft_array *), \
                                 *op##_(weft_operand, weft_operand, weft_operand, const char *at);
#define WEFT_OPR_(op) weft_array *op(weft_array *), *op##_(const weft_array *, weft_over, const char *at);
#define WEFT_OPA_(op) \
    weft_array *op(weft_array *), *op##_(const weft_array *, int axis, weft_order, const char *at);

/* ---- elementwise, one operand: number or array ---- */
WEFT_OP1_(weft_neg)         /* -x. Ints wrap; not bool */
WEFT_OP1_(weft_abs)         /* |x|, of complex a float. The least int stays; bool and unsigned unchanged */
WEFT_OP1_(weft_real)        /* the real part, in the parts' type; what is not complex is its own */
WEFT_OP1_(weft_imag)        /* the imaginary part; 0 of what is not complex */
WEFT_OP1_(weft_conj)        /* with the sign of the imaginary part changed */
WEFT_OP1_(weft_angle)       /* of a complex number: atan2(imag, real); inexact */
WEFT_OP1_(weft_sign)        /* -1, 0 or 1 in x's type; -0 and NaN stay. Complex: x / |x|. Not bool */
WEFT_OP1_(weft_square)      /* x * x. Not bool */
WEFT_OP1_(weft_floor)       /* toward -inf. This and the next four: ints and bools unchanged */
WEFT_OP1_(weft_ceil)        /* toward +inf */
WEFT_OP1_(weft_trunc)       /* toward 0 */
WEFT_OP1_(weft_round)       /* to nearest, ties to even, as NumPy */
WEFT_OP1_(weft_round_away)  /* to nearest, ties away from 0, as C's round */
WEFT_OP1_(weft_reciprocal)  /* 1 / x; inexact, as all that follow up to weft_softplus */
WEFT_OP1_(weft_sqrt)        /* correctly rounded; NaN below 0 */
WEFT_OP1_(weft_rsqrt)       /* 1 / sqrt(x) */
WEFT_OP1_(weft_cbrt)        /* cube root, of negative numbers too */
WEFT_OP1_(weft_exp)
WEFT_OP1_(weft_exp2)        /* 2 to the x; exact where x is whole */
WEFT_OP1_(weft_expm1)       /* exp(x) - 1, exact near 0 */
WEFT_OP1_(weft_log)         /* natural; -inf at 0, NaN below */
WEFT_OP1_(weft_log2)        /* exact at powers of two */
WEFT_OP1_(weft_log10)       /* exact at powers of ten */
WEFT_OP1_(weft_log1p)       /* log(1 + x), exact near 0 */
WEFT_OP1_(weft_sin)
WEFT_OP1_(weft_cos)
WEFT_OP1_(weft_tan)
WEFT_OP1_(weft_asin)
WEFT_OP1_(weft_acos)
WEFT_OP1_(weft_atan)
WEFT_OP1_(weft_sinh)
WEFT_OP1_(weft_cosh)
WEFT_OP1_(weft_tanh)
WEFT_OP1_(weft_asinh)
WEFT_OP1_(weft_acosh)
WEFT_OP1_(weft_atanh)
WEFT_OP1_(weft_erf)
WEFT_OP1_(weft_erfc)        /* 1 - erf(x), exact for large x */
WEFT_OP1_(weft_erf_inv)     /* +-inf at +-1, NaN beyond */
WEFT_OP1_(weft_lgamma)      /* log |gamma(x)| */
WEFT_OP1_(weft_digamma)     /* its derivative */
WEFT_OP1_(weft_bessel_i1e)  /* exp(-|x|) I1(x) */
WEFT_OP1_(weft_sigmoid)     /* 1 / (1 + exp(-x)), without overflow */
WEFT_OP1_(weft_log_sigmoid) /* log(sigmoid(x)) = -softplus(-x) */
WEFT_OP1_(weft_silu)        /* x sigmoid(x) */
WEFT_OP1_(weft_gelu)        /* x P(N(0,1) < x) by the tanh approximation, jax.nn.gelu's default */
WEFT_OP1_(weft_gelu_exact)  /* the same by erfc: x/2 erfc(-x/sqrt 2) */
WEFT_OP1_(weft_softplus)    /* log(1 + exp(x)) = logaddexp(x, 0), without overflow */
WEFT_OP1_(weft_relu)        /* max(x, 0), derivative 0 at 0; NaN stays. Any type, which stays */
WEFT_OP1_(weft_isfinite)    /* bool: neither inf nor NaN; true for ints. As the next four */
WEFT_OP1_(weft_isinf)
WEFT_OP1_(weft_isposinf)
WEFT_OP1_(weft_isneginf)
WEFT_OP1_(weft_isnan)
WEFT_OP1_(weft_not)         /* ~x for ints, !x for bool */
WEFT_OP1_(weft_logical_not) /* bool: x == 0, any type */
WEFT_OP1_(weft_popcount)    /* number of one bits, in x's type; ints only */
WEFT_OP1_(weft_clz)         /* zeros above the highest one bit, the width for 0; ints only */
WEFT_OP1_(weft_stop_gradient)   /* x, which derivatives (weft/grad.h) see as a constant */
/* x, as an array in memory: compiled code computes it once, whole, and what uses it loads it; nothing is
 * fused across. For what the compiler would rather compute again (docs/fast.md). As
 * jax.lax.optimization_barrier */
WEFT_OP1_(weft_materialize)

/* ---- elementwise, two operands: numbers or arrays that broadcast ---- */
WEFT_OP2_(weft_add)         /* ints wrap; bool: or */
WEFT_OP2_(weft_sub)         /* not bool */
WEFT_OP2_(weft_mul)         /* bool: and */
WEFT_OP2_(weft_div)         /* true division, inexact: ints give f32 */
/* floor of the quotient; ints stay ints. As jax.numpy.floor_divide; int x / 0 is -1 less the sign rule,
 * unsigned all ones */
WEFT_OP2_(weft_floor_div)
WEFT_OP2_(weft_rem)         /* C's % and fmod: the sign of a; int x % 0 is x */
WEFT_OP2_(weft_mod)         /* Python's %: the sign of b; int x mod 0 is 0. As jax.numpy.remainder */
/* a to the b. A C int as b: by repeated multiplication (an int array to a negative one is an error), to a
 * negative one 1 / a^-b, which is 0 where a^-b overflows, though C's pow may have a subnormal number; else
 * StableHLO's power */
WEFT_OP2_(weft_pow)
WEFT_OP2_(weft_maximum)     /* NaN if either is; maximum(-0, 0) is 0. (weft_max reduces) */
WEFT_OP2_(weft_minimum)     /* NaN if either is */
WEFT_OP2_(weft_atan2)       /* angle of the point (b, a), or of complex ones; inexact, as the next four */
WEFT_OP2_(weft_complex)     /* a + b i: c64, or where one is f64 c128 */
WEFT_OP2_(weft_hypot)       /* sqrt(a^2 + b^2) without overflow */
WEFT_OP2_(weft_logaddexp)   /* log(exp(a) + exp(b)) without overflow */
WEFT_OP2_(weft_nextafter)   /* the next float from a toward b */
WEFT_OP2_(weft_polygamma)   /* derivative number a (0, 1, 2, ...) of digamma at b */
WEFT_OP2_(weft_zeta)        /* Hurwitz: sum over k >= 0 of (b + k)^-a; inexact */
WEFT_OP2_(weft_and)         /* bits; ints and bool, as the next two */
WEFT_OP2_(weft_or)
WEFT_OP2_(weft_xor)
/* a << b; b as unsigned, the width or more gives 0. Ints only, as the next four */
WEFT_OP2_(weft_shl)
/* a >> b: arithmetic for signed, logical for unsigned, as jax.numpy.right_shift */
WEFT_OP2_(weft_shr)
WEFT_OP2_(weft_shr_arith)   /* the sign bit comes in */
WEFT_OP2_(weft_shr_logic)   /* zeros come in */
WEFT_OP2_(weft_mulhi)       /* upper half of the double-width product */
WEFT_OP2_(weft_logical_and) /* bool: a != 0 && b != 0, any type; as the next two */
WEFT_OP2_(weft_logical_or)
WEFT_OP2_(weft_logical_xor)
WEFT_OP2_(weft_eq)          /* bool; comparisons with NaN are false but for ne. As the next five */
WEFT_OP2_(weft_ne)
WEFT_OP2_(weft_lt)
WEFT_OP2_(weft_le)
WEFT_OP2_(weft_gt)
WEFT_OP2_(weft_ge)

/* ---- elementwise, three operands: numbers or arrays that broadcast ---- */
/* where(c, a, b): a where c is true (not 0), b elsewhere. Both are computed; only the types of a and b
 * promote. c is an array: weft_where(weft_gt(x, 0), x, 0). In C, x > 0 compares a pointer, and so do !mask,
 * a && b and if (weft_gt(a, b)): write weft_not(mask), weft_logical_and(a, b),
 * if (weft_item(weft_gt(a, b))) */
WEFT_OP3_(weft_where)
/* clip(x, low, high) = min(max(x, low), high); NaN stays. One side only: weft_maximum, weft_minimum */
WEFT_OP3_(weft_clip)

/* ---- element types. x: number or array ----
 *   weft_astype(x, dtype)      float to int truncates and saturates, NaN is 0; int to a narrower int wraps;
 *                              to bool: x != 0
 *   weft_bitcast(x, dtype)     the same bits. A narrower type gives a new last axis; for a wider one the last
 *                              axis must be as long as the ratio of their sizes, and goes. Not bool
 *   weft_reduce_precision(x, exponent_bits, mantissa_bits)
 *                              floats rounded as if stored so; the type stays
 */
weft_array *weft_astype(weft_array *, weft_dtype), *weft_astype_(weft_operand, weft_dtype, const char *at);
weft_array *weft_bitcast(weft_array *, weft_dtype), *weft_bitcast_(weft_operand, weft_dtype, const char *at);
weft_array *weft_reduce_precision(weft_array *, int exponent_bits, int mantissa_bits);
weft_array *weft_reduce_precision_(weft_operand, int exponent_bits, int mantissa_bits, const char *at);

/* ---- making arrays: the context first (NULL: the current one) ----
 *   weft_zeros(ctx, dtype, 2, 3)       zeros: weft_zeros(ctx, WEFT_F32, 2, 3); without sizes: rank 0
 *   weft_ones(ctx, dtype, 2, 3)        ones
 *   weft_full(ctx, dtype, value, 2, 3)
 *                                      value: number, or array that broadcasts; converted to dtype
 *   weft_zeros_like(x), weft_ones_like(x), weft_full_like(x, value)
 *                                      of x's type and shape
 *   weft_arange(ctx, start, stop, step)
 *                                      start, start + step, ... before stop; i32 if all three are C ints,
 *                                      else f32 (weft_options.real). step is not 0
 *   weft_arange_as(ctx, dtype, start, stop, step)
 *                                      the same as this type of ints or floats
 *   weft_linspace(ctx, from, to, n)    n numbers from `from` to `to`, both exactly; f32
 *                                      (weft_options.real)
 *   weft_linspace_as(ctx, dtype, from, to, n)
 *                                      the same as this float type: WEFT_F64
 *   weft_iota(ctx, dtype, axis, 2, 3)  the index along axis; not bool
 *   weft_eye(ctx, dtype, n)            ones on the diagonal; weft_eye(ctx, dtype, n, m): n rows, m columns;
 *                                      weft_eye(ctx, dtype, n, m, k): diagonal number k (0: the main one, 1:
 *                                      above it)
 *   weft_one_hot(ids, n)               f32[..., n] (weft_options.real): 1 where the index equals ids' number,
 *                                      all 0 where that is out of range. ids: ints
 *   weft_one_hot_as(dtype, ids, n)     the same as any type: WEFT_BOOL
 *   weft_tril(x), weft_tril(x, k)      zero above diagonal k of the last two axes; weft_triu: below. Rank 2
 *                                      or more
 */
weft_array *weft_zeros_(weft_context *, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_ones_(weft_context *, weft_dtype, int rank, const int64_t *dim, const char *at);
weft_array *weft_full_(weft_context *, weft_dtype, weft_operand value, int rank, const int64_t *dim,
                       const char *at);
weft_array *weft_zeros_like(weft_array *), *weft_zeros_like_(const weft_array *, const char *at);
weft_array *weft_ones_like(weft_array *), *weft_ones_like_(const weft_array *, const char *at);
weft_array *weft_full_like_(const weft_array *, weft_operand value, const char *at);
weft_array *weft_arange_(weft_context *, weft_operand start, weft_operand stop, weft_operand step,
                         const char *at);
weft_array *weft_arange_as_(weft_context *, weft_dtype, weft_operand start, weft_operand stop,
                            weft_operand step, const char *at);
weft_array *weft_linspace_(weft_context *, double from, double to, int64_t n, const char *at);
weft_array *weft_linspace_as_(weft_context *, weft_dtype, double from, double to, int64_t n, const char *at);
weft_array *weft_iota_(weft_context *, weft_dtype, int axis, int rank, const int64_t *dim, const char *at);
weft_array *weft_eye_(weft_context *, weft_dtype, int given, const int64_t *n_m_k, const char *at);
weft_array *weft_one_hot_(weft_operand ids, int64_t n, const char *at);
weft_array *weft_one_hot_as_(weft_dtype, weft_operand ids, int64_t n, const char *at);
weft_array *weft_tril(weft_array *), *weft_tril_(const weft_array *, int64_t k, const char *at);
weft_array *weft_triu(weft_array *), *weft_triu_(const weft_array *, int64_t k, const char *at);

/* ---- shapes: nothing is computed, elements only move. Any element type ----
 *   weft_reshape(x, 2, -1)             the same row-major elements; one size may be -1: what remains.
 *                                      weft_reshape(x): rank 0
 *   weft_ravel(x)                      one axis
 *   weft_transpose(x)                  axes in reverse; weft_transpose(x, "2,0,1"): result axis 0 is x's axis
 *                                      2, ...
 *   weft_permute_dims(x, 2, 0, 1)      the same by numbers
 *   weft_moveaxis(x, from, to)         one axis to another place, the others keep their order
 *   weft_swapaxes(x, a, b)             axes a and b change places
 *   weft_expand_dims(x, axis)          a new axis of size 1 at that place of the result
 *   weft_squeeze(x)                    without all axes of size 1; weft_squeeze(x, "0,-1"): without these,
 *                                      which must have size 1
 *   weft_broadcast_to(x, 4, 3)         x stretched to that shape
 *   weft_concatenate(axis, a, b, ...)  end to end; types promote; other axes must agree
 *   weft_stack_arrays(axis, a, b, ...)
 *                                      along a new axis; shapes must agree. (numpy.stack; weft_stack is for
 *                                      structs)
 *   weft_split(x, n, axis, parts)      n equal parts into weft_array *parts[n]; WEFT_OK, or the error and
 *                                      NULLs
 *   weft_tile(x, 2, 3)                 copies of the whole along the last axes (new ones in front as needed),
 *                                      as numpy.tile
 *   weft_repeat(x, n, axis)            each element n times, as numpy.repeat
 *   weft_roll(x, shift, axis)          moved by shift places, around the end
 *   weft_flip(x)                       all axes backwards; weft_flip(x, "0"): these
 *   weft_pad(x, value, "1:2, 0:0")     value (number or rank-0 array) around x: low:high per axis, a negative
 *                                      width cuts; low:high:between puts some between elements too; "2" is
 *                                      2:2; one entry stands for all axes
 */
weft_array *weft_reshape_(const weft_array *, int rank, const int64_t *dim, const char *at);
weft_array *weft_ravel(weft_array *), *weft_ravel_(const weft_array *, const char *at);
weft_array *weft_transpose(weft_array *),
           *weft_transpose_(const weft_array *, const char *axes, const char *at);
weft_array *weft_permute_dims_(const weft_array *, int n, const int64_t *axes, const char *at);
weft_array *weft_moveaxis_(const weft_array *, int from, int to, const char *at);
weft_array *weft_swapaxes_(const weft_array *, int a, int b, const char *at);
weft_array *weft_expand_dims_(const weft_array *, int axis, const char *at);
weft_array *weft_squeeze(weft_array *), *weft_squeeze_(const weft_array *, const char *axes, const char *at);
weft_array *weft_broadcast_to_(const weft_array *, int rank, const int64_t *dim, const char *at);
/* n -1: to WEFT_LIST_END_ */
weft_array *weft_concatenate_(int axis, int n, const weft_array *const *, const char *at);
weft_array *weft_stack_arrays_(int axis, int n, const weft_array *const *, const char *at);
weft_status weft_split_(const weft_array *, int n, int axis, weft_array **parts, const char *at);
weft_array *weft_tile_(const weft_array *, int n, const int64_t *times, const char *at);
weft_array *weft_repeat_(const weft_array *, int64_t n, int axis, const char *at);
weft_array *weft_roll_(const weft_array *, int64_t shift, int axis, const char *at);
weft_array *weft_flip(weft_array *), *weft_flip_(const weft_array *, const char *axes, const char *at);
weft_array *weft_pad_(const weft_array *, weft_operand value, const char *widths, const char *at);

/* ---- indexing ----
 *   weft_at(x, "1:-1, :, ::2")         NumPy's basic indexing by text: start:stop:step (negative steps too,
 *                                      ends are clamped); an int drops its axis and must be in range; "..."
 *                                      stands for all axes not named, None for a new axis of size 1. Numbers
 *                                      from variables: weft_at(x, "%d, :", i), an int of any type for each %d
 *                                      (or %u, %zu, ...); no other % is allowed. WEFT_OPEN for an end of a
 *                                      slice: none is written, so "%d:%d" of 2 and WEFT_OPEN is "2:"
 *   weft_take(x, indices, axis)        x's slices at the indices (ints; number or array) along axis:
 *                                      result[a.., i.., b..] = x[a.., indices[i..], b..]
 *   weft_take_along_axis(x, indices, axis)
 *                                      one index per position, ranks agree, other axes broadcast: result[a..,
 *                                      i, b..] = x[a.., indices[a.., i, b..], b..]
 *   In both, -1 is the last place, and an index out of range gives NaN (signed ints: the least one; unsigned:
 *   the greatest; bool: true), as jax.numpy.take does.
 */
#define WEFT_OPEN INT64_MIN
weft_array *weft_at_(const weft_array *, const char *text, int n, const int64_t *numbers, const char *at);
weft_array *weft_take_(const weft_array *, weft_operand indices, int axis, const char *at);
weft_array *weft_take_along_axis_(const weft_array *, const weft_array *indices, int axis, const char *at);

/* ---- changing elements: the result is x with some elements changed; x stays as it is, and a loop that
 * carries x changes it in place ----
 *   weft_set(x, "2:5", v)              v (number or array that broadcasts to weft_at(x, "2:5")) in place of
 *                                      those elements, as x.at[2:5].set(v) in JAX. Numbers from variables
 *                                      come last: weft_set(x, "%d, :", v, i). The text is that of weft_at
 *   weft_set_add(x, "2:5", v)          the same with old + v; weft_set_mul: old * v; weft_set_min,
 *                                      weft_set_max: the lesser, the greater
 *   weft_scatter(x, indices, axis, v)  x with its slices at the indices along axis changed; v (number or
 *                                      array) broadcasts to weft_take's result: x[a.., indices[i..], b..] =
 *                                      v[a.., i.., b..]. .with = WEFT_ADD, ..: old and new combined; indices
 *                                      that are equal all count, in order. -1 is the last place; an index out
 *                                      of range changes nothing, or with .clip = true the nearest place. As
 *                                      x.at[indices].set / add / mul / min / max(v, mode="drop" or "clip")
 *   weft_scatter_at(x, indices, v)     the last axis of indices (ints, [i.., k]) is a position along x's
 *                                      first k axes; v broadcasts to [i.., x's other axes]. As x.at[i0,
 *                                      i1].set(v), with the same options
 *   weft_dynamic_slice(x, starts, 2, 3)
 *                                      a slice of sizes 2, 3 (one for each axis) whose starts are data: ints
 *                                      [rank], for one axis a number too. Negative starts count from the end;
 *                                      then they are clamped so that the slice lies inside.
 *                                      jax.lax.dynamic_slice
 *   weft_dynamic_update_slice(x, update, starts)
 *                                      the other way: x with update there; update has x's rank and fits into
 *                                      it
 *   weft_dynamic_slice_axis(x, start, size, axis)
 *                                      along one axis, all of the others; start: an int, number or rank 0
 *   weft_dynamic_update_axis(x, update, start, axis)
 *                                      update may lack the axis: one place of it
 *   v and update become x's element type; one that x's type cannot hold without loss (f32 in an i32 array) is
 *   WEFT_DTYPE.
 */
weft_array *weft_set_(weft_combine with, const weft_array *, weft_operand v, const char *text, int n,
                      const int64_t *numbers, const char *at);
weft_array *weft_scatter_(const weft_array *, weft_operand indices, int axis, weft_operand v, weft_update,
                          const char *at);
weft_array *weft_scatter_at_(const weft_array *, const weft_array *indices, weft_operand v, weft_update,
                             const char *at);
weft_array *weft_dynamic_slice_(const weft_array *, weft_operand starts, int n, const int64_t *sizes,
                                const char *at);
weft_array *weft_dynamic_update_slice_(const weft_array *, weft_operand update, weft_operand starts,
                                       const char *at);
weft_array *weft_dynamic_slice_axis_(const weft_array *, weft_operand start, int64_t size, int axis,
                                     const char *at);
weft_array *weft_dynamic_update_axis_(const weft_array *, weft_operand update, weft_operand start, int axis,
                                      const char *at);

/* ---- order: sorts are stable; NaNs are last, -0 equals 0. As functions: along the last axis ----
 *   weft_sort(x, axis)                 weft_sort(x, -1, .descending = true); weft_sort(x), weft_argsort(x):
 *                                      along the last axis
 *   weft_argsort(x, axis)              i32: where the elements of the sorted array come from
 *   weft_sort_by(x, keys, axis)        x in the order of keys, of the same shape
 *   weft_sort_several(in, n, n_keys, axis, out)
 *                                      n arrays of one shape, weft_array *in[n], *out[n]: in the order of the
 *                                      first; where that is equal, of the second, and so on for n_keys of
 *                                      them. WEFT_OK, or the error and NULLs
 *   weft_top_k(x, k, &indices)         the k greatest of each row (last axis), the greatest first, and i32
 *                                      places unless NULL is given; of equal ones the first. jax.lax.top_k:
 *                                      NaN is above inf, 0 above -0
 *   weft_searchsorted(sorted, v)       i32 for each v (number or array): how many elements of sorted (one
 *                                      axis, ascending) are less, so that it stays sorted with v there;
 *                                      .right = true: less or equal. jax.numpy.searchsorted
 *   weft_unique(x, size)               [size]: the distinct values in order. Those beyond size are left out;
 *                                      missing ones are filled in (.fill, else the least). .indices,
 *                                      .inverse, .counts: see weft_uniques. NaNs are one value.
 *                                      jax.numpy.unique with a size
 *   weft_flatnonzero(x, size)          i32[size]: where the elements of x are that are not 0 (false), in
 *                                      row-major order: weft_take(y, weft_flatnonzero(y > 2, n), 0) is
 *                                      NumPy's y[y > 2]. Those beyond size are left out; missing ones are
 *                                      .fill, else 0. .count: see weft_positions. jax.numpy.flatnonzero with
 *                                      a size
 */
WEFT_OPA_(weft_sort)
WEFT_OPA_(weft_argsort)
weft_array *weft_sort_by(weft_array *, weft_array *keys),
           *weft_sort_by_(const weft_array *, const weft_array *keys, int axis, weft_order, const char *at);
weft_status weft_sort_several_(const weft_array *const *in, int n, int n_keys, int axis, weft_array **out,
                               weft_order, const char *at);
weft_array *weft_top_k_(const weft_array *, int64_t k, weft_array **indices, const char *at);
weft_array *weft_searchsorted(weft_array *sorted, weft_array *v),
           *weft_searchsorted_(const weft_array *, weft_operand v, weft_order, const char *at);
weft_array *weft_unique_(const weft_array *, int64_t size, weft_uniques, const char *at);
weft_array *weft_flatnonzero_(const weft_array *, int64_t size, weft_positions, const char *at);

/* ---- prefixes along an axis, each element included: weft_cumsum(x, 0), weft_cumsum(x, -1, .reverse = true).
 * As functions: along the last axis ---- */
/* x's type; bool counts as i32. f16 and bf16 go on in f32. As the next, along the last axis summed in blocks
 * of 16 */
WEFT_OPA_(weft_cumsum)
WEFT_OPA_(weft_cumprod)
WEFT_OPA_(weft_cummax)          /* from the first NaN on all are NaN */
WEFT_OPA_(weft_cummin)
WEFT_OPA_(weft_cumlogsumexp)    /* log of the sum of exp(x) so far, without overflow; inexact */

/* ---- windows ----
 *   weft_reduce_window(x, WEFT_ADD, "2,2", .stride = "2,2")
 *                                      windows over the last axes folded by WEFT_ADD, WEFT_MUL, WEFT_MIN or
 *                                      WEFT_MAX; padding does not count. f16 and bf16 go on in f32. Options:
 *                                      weft_window.
 *                                      jax.lax.reduce_window (whose select_and_scatter is an op of graphs and
 *                                      their text)
 *   weft_max_pool(x, "2,2"), weft_min_pool, weft_avg_pool
 *                                      the same with the window as stride. avg: the sum divided by the
 *                                      window's size, inexact
 */
weft_array *weft_reduce_window_(const weft_array *, weft_combine, const char *size, weft_window,
                                const char *at);
weft_array *weft_max_pool_(const weft_array *, const char *size, weft_window, const char *at);
weft_array *weft_min_pool_(const weft_array *, const char *size, weft_window, const char *at);
weft_array *weft_avg_pool_(const weft_array *, const char *size, weft_window, const char *at);

/* ---- convolutions ----
 *   weft_conv(x, w, .stride = "2", .pad = "same")
 *                                      each window of x, multiplied with the weights of each output feature
 *                                      and summed; the weights are not turned around (a correlation, as in
 *                                      jax.lax.conv_general_dilated). x [examples, spatial.., features], or
 *                                      [spatial.., features] of one example; weights [spatial.., in, out], 1
 *                                      to 3 spatial axes; other orders: .layout. Types promote; f16 and bf16
 *                                      accumulate in f32, ints wrap. Options: weft_convolution.
 *                                      With .groups = g the weights are [spatial.., in / g, out]: the first
 *                                      out / g output features see the first in / g input features, and so
 *                                      on; g = in: each feature apart ("depthwise")
 *   weft_conv_transpose(x, w, .stride = "2", .pad = "same")
 *                                      x spread by the stride, then convolved, as jax.lax.conv_transpose:
 *                                      "same" gives stride times as many elements, "valid" (default) all
 *                                      that a window reaches; numbers are the padding of the spread x
 */
weft_array *weft_conv_(const weft_array *, const weft_array *w, weft_convolution, const char *at);
weft_array *weft_conv_transpose_(const weft_array *, const weft_array *w, weft_convolution, const char *at);

/* ---- segments and counts ----
 *   weft_segment_sum(x, ids, n)        [n, ..]: number s is the sum of the elements (or slices) of x whose id
 *                                      is s; ids: ints with the shape of x's first axes, in any order; those
 *                                      out of range, negative ones too, do not count. jax.ops.segment_sum
 *   weft_segment_prod, weft_segment_max, weft_segment_min
 *                                      empty segments: 1, the least, the greatest value
 *   weft_bincount(x, length)           i32[length]: how many elements are 0, 1, ..; x: ints, negative ones
 *                                      count as 0, greater ones not at all. .weights: the sums of theirs
 *   weft_histogram(x, bins)            [bins]: how many elements (or the sum of their .weights) lie in each
 *                                      of that many equal bins of the range; the last bin includes its upper
 *                                      edge. .from, .to, .edges; inexact. jax.numpy.histogram
 */
weft_array *weft_segment_sum_(const weft_array *, const weft_array *ids, int64_t n, const char *at);
weft_array *weft_segment_prod_(const weft_array *, const weft_array *ids, int64_t n, const char *at);
weft_array *weft_segment_max_(const weft_array *, const weft_array *ids, int64_t n, const char *at);
weft_array *weft_segment_min_(const weft_array *, const weft_array *ids, int64_t n, const char *at);
weft_array *weft_bincount_(const weft_array *, int64_t length, weft_counting, const char *at);
weft_array *weft_histogram_(const weft_array *, int64_t bins, weft_counting, const char *at);

/* ---- reductions: weft_sum(x), weft_sum(x, .axes = "-1", .keep = true, .where = mask). As functions: over
 * all axes ----
 * With .where, elements where the mask is false do not matter at all: whatever they hold, NaN and inf too,
 * the result is the same, and its derivative by them is exactly 0. A mask that lets nothing take part is no
 * error and gives no NaN: the derivative is 0, and so is the value of what divides by the count (mean, var,
 * std). The mask is data: another one is no reason to compile again. docs/masks.md. */
/* bool and ints narrower than 32 bits become i32 (u32); other types stay. Of nothing: 0 */
WEFT_OPR_(weft_sum)
WEFT_OPR_(weft_prod)            /* types as weft_sum; of nothing: 1 */
/* NaN if one is. Of nothing: an error; under a mask that lets nothing take part: the least value (float:
 * -inf) */
WEFT_OPR_(weft_max)
WEFT_OPR_(weft_min)
WEFT_OPR_(weft_any)             /* bool: is one not 0? */
WEFT_OPR_(weft_all)             /* bool: is none 0? */
/* inexact; f16 and bf16 by way of f32. Of nothing: NaN; under a mask that lets nothing take part: 0 (JAX:
 * NaN) */
WEFT_OPR_(weft_mean)
/* mean of (x - mean(x))^2, in two passes; .ddof. Inexact. Where count - ddof is not positive: NaN; under a
 * mask 0 (JAX: NaN) */
WEFT_OPR_(weft_var)
WEFT_OPR_(weft_std)             /* its square root; no derivative (NaN) where it is 0, as in JAX */
/* vector norm over the axes: .ord 2 (default) sqrt of the sum of squares, 1 sum of |x|, INFINITY greatest
 * |x|, -INFINITY least |x|, other p: (sum |x|^p)^(1/p). Inexact. Not a matrix norm: two axes are taken as one
 * vector */
WEFT_OPR_(weft_norm)
WEFT_OPR_(weft_logsumexp)       /* log of the sum of exp(x), without overflow; inexact; all -inf gives -inf */
/* i32: index of the first greatest along one axis, or (no axes given) in the flattened array; the first NaN
 * wins. Without .where */
WEFT_OPR_(weft_argmax)
WEFT_OPR_(weft_argmin)
WEFT_OPR_(weft_count_nonzero)   /* i32 */

/* The same options; the result has x's shape. axes NULL stands for "-1" here. With .where: masked elements
 * are 0 (log: -inf). A row of -inf only gives NaN, as in jax.nn. */
WEFT_OPR_(weft_softmax)         /* exp(x - max) / sum; inexact */
WEFT_OPR_(weft_log_softmax)     /* x - max - log(sum(exp(x - max))); inexact */

/* ---- products of arrays. Types promote; f16 and bf16 accumulate in f32, ints wrap in the result's
 * type ---- */
/* numpy.matmul: [.., n, k] by [.., k, m] is [.., n, m], leading axes broadcast; a vector [k] on the left or
 * right is a row or a column, and its axis goes. Not rank 0 */
WEFT_OP2_(weft_matmul)
/* numpy.dot: a's last axis with b's last but one (b a vector: its only one); rank 0: product */
WEFT_OP2_(weft_dot)
WEFT_OP2_(weft_inner)           /* a's last axis with b's last; rank 0: product */
WEFT_OP2_(weft_outer)           /* [n] and [m], both flattened, to [n, m] */
/*
 *   weft_tensordot(a, b, "1,2", "0,1")
 *                                      a's axes 1 and 2 with b's axes 0 and 1; the result has a's other axes,
 *                                      then b's. Empty texts: the outer product
 *   weft_einsum("ij,jk->ik", a, b)     one letter per axis; letters that the output lacks are summed over; a
 *                                      letter twice in one term takes the diagonal; "..." stands for any
 *                                      axes, which broadcast. Without "->" the output is "..." and the
 *                                      letters that occur once, in alphabetical order. Three operands or more
 *                                      (up to 64) are contracted by pairs, the cheapest first. As
 *                                      numpy.einsum
 */
weft_array *weft_tensordot_(weft_operand a, weft_operand b, const char *a_axes, const char *b_axes,
                            const char *at);
/* n -1: to WEFT_LIST_END_ */
weft_array *weft_einsum_(const char *text, int n, const weft_array *const *, const char *at);

extern const char weft_list_end_[];
#define WEFT_LIST_END_ ((const weft_array *)(const void *)weft_list_end_)
#ifdef __cplusplus
}
#endif

/* ---- the macros ---- */
#define WEFT_CALL1_(f, x)       f(WEFT_ARG_(x), WEFT_HERE)
#define WEFT_CALL2_(f, a, b)    f(WEFT_ARG_(a), WEFT_ARG_(b), WEFT_HERE)
#define WEFT_CALL3_(f, a, b, c) f(WEFT_ARG_(a), WEFT_ARG_(b), WEFT_ARG_(c), WEFT_HERE)
#define WEFT_REST_(...)         WEFT_DIMS_(WEFT_TAIL_(__VA_ARGS__, 0))
#define WEFT_CALLR_(f, written, ...) \
    f(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_OVER_(written, __VA_ARGS__), WEFT_HERE)
#define WEFT_THIRD_(a, b, c, ...) c
/* a third argument, where two are all, does not compile */
#define WEFT_HERE2_(...)        (WEFT_HERE) WEFT_THIRD_(__VA_ARGS__, , , )
#define WEFT_FOURTH_(a, b, c, d, ...) d
#define WEFT_HERE3_(...)        (WEFT_HERE) WEFT_FOURTH_(__VA_ARGS__, , , , )   /* and a fourth of three */
/* WEFT_LIST_(a, b) is -1 and a list with its end. */
#ifndef __cplusplus
#define WEFT_LIST_(...) \
    -1, (const weft_array *const[]){ WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
                                    WEFT_TAIL_(__VA_ARGS__, WEFT_LIST_END_) }
#define WEFT_OVER_(written, ...) WEFT_TEXT_OPTIONS_(weft_over, ".axes", written, __VA_ARGS__)
#define WEFT_WINDOW_(written, ...) WEFT_TEXT_OPTIONS_(weft_window, ".stride", written, __VA_ARGS__)
#define WEFT_CONV_(written, ...) WEFT_TEXT_OPTIONS_(weft_convolution, ".stride", written, __VA_ARGS__)
#define WEFT_WITH_(T, ...) WEFT_OPTIONS_(weft_##T, __VA_ARGS__)
#else
template <class... A> struct weft_list_ {
    const weft_array *item[sizeof...(A) + 1];
    weft_list_(A... a) : item{ a..., WEFT_LIST_END_ } {}
};
namespace weft {
struct over : weft_over {
    over() : weft_over() {}
    over &axes(weft_option_text_ o)         { weft_over::axes = o.text; return *this; }
    over &keep(bool yes = true)             { weft_over::keep = yes; return *this; }
    over &where(const weft_array *mask)     { weft_over::where = mask; return *this; }
    over &ddof(int n)                       { weft_over::ddof = n; return *this; }
    over &ord(double p)                     { weft_over::ord = p; return *this; }
    over &weights(const weft_array *w)      { weft_over::weights = w; return *this; }
    over &method(weft_option_text_ o)       { weft_over::method = o.text; return *this; }
};
struct order : weft_order {
    order() : weft_order() {}
    order &descending(bool yes = true)      { weft_order::descending = yes; return *this; }
    order &right(bool yes = true)           { weft_order::right = yes; return *this; }
    order &reverse(bool yes = true)         { weft_order::reverse = yes; return *this; }
};
struct update : weft_update {
    update() : weft_update() {}
    update &with(weft_combine c)            { weft_update::with = c; return *this; }
    update &clip(bool yes = true)           { weft_update::clip = yes; return *this; }
};
struct window : weft_window {
    window() : weft_window() {}
    window &stride(weft_option_text_ o)         { weft_window::stride = o.text; return *this; }
    window &pad(weft_option_text_ o)            { weft_window::pad = o.text; return *this; }
    window &dilation(weft_option_text_ o)       { weft_window::dilation = o.text; return *this; }
    window &base_dilation(weft_option_text_ o)  { weft_window::base_dilation = o.text; return *this; }
    window &inside(bool yes = true)             { weft_window::inside = yes; return *this; }
};
struct convolution : weft_convolution {
    convolution() : weft_convolution() {}
    convolution &stride(weft_option_text_ o)    { weft_convolution::stride = o.text; return *this; }
    convolution &pad(weft_option_text_ o)       { weft_convolution::pad = o.text; return *this; }
    convolution &dilation(weft_option_text_ o)  { weft_convolution::dilation = o.text; return *this; }
    convolution &base_dilation(weft_option_text_ o)
    {
        weft_convolution::base_dilation = o.text;
        return *this;
    }
    convolution &layout(weft_option_text_ o)    { weft_convolution::layout = o.text; return *this; }
    convolution &groups(int64_t n)              { weft_convolution::groups = n; return *this; }
};
struct counting : weft_counting {
    counting() : weft_counting() {}
    counting &weights(const weft_array *w)  { weft_counting::weights = w; return *this; }
    counting &range(double a, double b)     { from = a; to = b; return *this; }
    counting &edges(weft_array **e)         { weft_counting::edges = e; return *this; }
};
struct uniques : weft_uniques {
    uniques() : weft_uniques() {}
    uniques &fill(const weft_array *v)      { weft_uniques::fill = v; return *this; }
    uniques &indices(weft_array **a)        { weft_uniques::indices = a; return *this; }
    uniques &inverse(weft_array **a)        { weft_uniques::inverse = a; return *this; }
    uniques &counts(weft_array **a)         { weft_uniques::counts = a; return *this; }
};
struct positions : weft_positions {
    positions() : weft_positions() {}
    positions &fill(const weft_array *v)    { weft_positions::fill = v; return *this; }
    positions &count(weft_array **a)        { weft_positions::count = a; return *this; }
};
}
template <class T> inline T weft_with_(int) { return T(); }
template <class T> inline T weft_with_(const T &o, int) { return o; }
#define WEFT_WITH_(T, ...) weft_with_<weft_##T>(WEFT_TAIL_(__VA_ARGS__, 0))
static inline weft_over weft_over_of_() { return weft_over(); }
static inline weft_over weft_over_of_(const weft_over &o) { return o; }
static inline weft_over weft_over_of_(const weft_over &o, int) { return o; }
static inline weft_over weft_over_of_(int) { return weft_over(); }
#define WEFT_LIST_(...) -1, weft_list_{ __VA_ARGS__ }.item
#define WEFT_OVER_(written, ...) weft_over_of_(WEFT_TAIL_(__VA_ARGS__, 0))
#define WEFT_WINDOW_(written, ...) WEFT_WITH_(window, __VA_ARGS__)
#define WEFT_CONV_(written, ...) WEFT_WITH_(convolution, __VA_ARGS__)
#endif

#define weft_neg(x)             WEFT_CALL1_(weft_neg_, x)
#define weft_abs(x)             WEFT_CALL1_(weft_abs_, x)
#define weft_real(x)            WEFT_CALL1_(weft_real_, x)
#define weft_imag(x)            WEFT_CALL1_(weft_imag_, x)
#define weft_conj(x)            WEFT_CALL1_(weft_conj_, x)
#define weft_angle(x)           WEFT_CALL1_(weft_angle_, x)
#define weft_sign(x)            WEFT_CALL1_(weft_sign_, x)
#define weft_square(x)          WEFT_CALL1_(weft_square_, x)
#define weft_floor(x)           WEFT_CALL1_(weft_floor_, x)
#define weft_ceil(x)            WEFT_CALL1_(weft_ceil_, x)
#define weft_trunc(x)           WEFT_CALL1_(weft_trunc_, x)
#define weft_round(x)           WEFT_CALL1_(weft_round_, x)
#define weft_round_away(x)      WEFT_CALL1_(weft_round_away_, x)
#define weft_reciprocal(x)      WEFT_CALL1_(weft_reciprocal_, x)
#define weft_sqrt(x)            WEFT_CALL1_(weft_sqrt_, x)
#define weft_rsqrt(x)           WEFT_CALL1_(weft_rsqrt_, x)
#define weft_cbrt(x)            WEFT_CALL1_(weft_cbrt_, x)
#define weft_exp(x)             WEFT_CALL1_(weft_exp_, x)
#define weft_exp2(x)            WEFT_CALL1_(weft_exp2_, x)
#define weft_expm1(x)           WEFT_CALL1_(weft_expm1_, x)
#define weft_log(x)             WEFT_CALL1_(weft_log_, x)
#define weft_log2(x)            WEFT_CALL1_(weft_log2_, x)
#define weft_log10(x)           WEFT_CALL1_(weft_log10_, x)
#define weft_log1p(x)           WEFT_CALL1_(weft_log1p_, x)
#define weft_sin(x)             WEFT_CALL1_(weft_sin_, x)
#define weft_cos(x)             WEFT_CALL1_(weft_cos_, x)
#define weft_tan(x)             WEFT_CALL1_(weft_tan_, x)
#define weft_asin(x)            WEFT_CALL1_(weft_asin_, x)
#define weft_acos(x)            WEFT_CALL1_(weft_acos_, x)
#define weft_atan(x)            WEFT_CALL1_(weft_atan_, x)
#define weft_sinh(x)            WEFT_CALL1_(weft_sinh_, x)
#define weft_cosh(x)            WEFT_CALL1_(weft_cosh_, x)
#define weft_tanh(x)            WEFT_CALL1_(weft_tanh_, x)
#define weft_asinh(x)           WEFT_CALL1_(weft_asinh_, x)
#define weft_acosh(x)           WEFT_CALL1_(weft_acosh_, x)
#define weft_atanh(x)           WEFT_CALL1_(weft_atanh_, x)
#define weft_erf(x)             WEFT_CALL1_(weft_erf_, x)
#define weft_erfc(x)            WEFT_CALL1_(weft_erfc_, x)
#define weft_erf_inv(x)         WEFT_CALL1_(weft_erf_inv_, x)
#define weft_lgamma(x)          WEFT_CALL1_(weft_lgamma_, x)
#define weft_digamma(x)         WEFT_CALL1_(weft_digamma_, x)
#define weft_bessel_i1e(x)      WEFT_CALL1_(weft_bessel_i1e_, x)
#define weft_sigmoid(x)         WEFT_CALL1_(weft_sigmoid_, x)
#define weft_log_sigmoid(x)     WEFT_CALL1_(weft_log_sigmoid_, x)
#define weft_silu(x)            WEFT_CALL1_(weft_silu_, x)
#define weft_gelu(x)            WEFT_CALL1_(weft_gelu_, x)
#define weft_gelu_exact(x)      WEFT_CALL1_(weft_gelu_exact_, x)
#define weft_softplus(x)        WEFT_CALL1_(weft_softplus_, x)
#define weft_relu(x)            WEFT_CALL1_(weft_relu_, x)
#define weft_isfinite(x)        WEFT_CALL1_(weft_isfinite_, x)
#define weft_isinf(x)           WEFT_CALL1_(weft_isinf_, x)
#define weft_isposinf(x)        WEFT_CALL1_(weft_isposinf_, x)
#define weft_isneginf(x)        WEFT_CALL1_(weft_isneginf_, x)
#define weft_isnan(x)           WEFT_CALL1_(weft_isnan_, x)
#define weft_not(x)             WEFT_CALL1_(weft_not_, x)
#define weft_logical_not(x)     WEFT_CALL1_(weft_logical_not_, x)
#define weft_popcount(x)        WEFT_CALL1_(weft_popcount_, x)
#define weft_clz(x)             WEFT_CALL1_(weft_clz_, x)
#define weft_stop_gradient(x)   WEFT_CALL1_(weft_stop_gradient_, x)
#define weft_materialize(x)     WEFT_CALL1_(weft_materialize_, x)
#define weft_add(a, b)          WEFT_CALL2_(weft_add_, a, b)
#define weft_sub(a, b)          WEFT_CALL2_(weft_sub_, a, b)
#define weft_mul(a, b)          WEFT_CALL2_(weft_mul_, a, b)
#define weft_div(a, b)          WEFT_CALL2_(weft_div_, a, b)
#define weft_floor_div(a, b)    WEFT_CALL2_(weft_floor_div_, a, b)
#define weft_rem(a, b)          WEFT_CALL2_(weft_rem_, a, b)
#define weft_mod(a, b)          WEFT_CALL2_(weft_mod_, a, b)
#define weft_pow(a, b)          WEFT_CALL2_(weft_pow_, a, b)
#define weft_maximum(a, b)      WEFT_CALL2_(weft_maximum_, a, b)
#define weft_minimum(a, b)      WEFT_CALL2_(weft_minimum_, a, b)
#define weft_atan2(a, b)        WEFT_CALL2_(weft_atan2_, a, b)
#define weft_complex(a, b)      WEFT_CALL2_(weft_complex_, a, b)
#define weft_hypot(a, b)        WEFT_CALL2_(weft_hypot_, a, b)
#define weft_logaddexp(a, b)    WEFT_CALL2_(weft_logaddexp_, a, b)
#define weft_nextafter(a, b)    WEFT_CALL2_(weft_nextafter_, a, b)
#define weft_polygamma(a, b)    WEFT_CALL2_(weft_polygamma_, a, b)
#define weft_zeta(a, b)         WEFT_CALL2_(weft_zeta_, a, b)
#define weft_and(a, b)          WEFT_CALL2_(weft_and_, a, b)
#define weft_or(a, b)           WEFT_CALL2_(weft_or_, a, b)
#define weft_xor(a, b)          WEFT_CALL2_(weft_xor_, a, b)
#define weft_shl(a, b)          WEFT_CALL2_(weft_shl_, a, b)
#define weft_shr(a, b)          WEFT_CALL2_(weft_shr_, a, b)
#define weft_shr_arith(a, b)    WEFT_CALL2_(weft_shr_arith_, a, b)
#define weft_shr_logic(a, b)    WEFT_CALL2_(weft_shr_logic_, a, b)
#define weft_mulhi(a, b)        WEFT_CALL2_(weft_mulhi_, a, b)
#define weft_logical_and(a, b)  WEFT_CALL2_(weft_logical_and_, a, b)
#define weft_logical_or(a, b)   WEFT_CALL2_(weft_logical_or_, a, b)
#define weft_logical_xor(a, b)  WEFT_CALL2_(weft_logical_xor_, a, b)
#define weft_eq(a, b)           WEFT_CALL2_(weft_eq_, a, b)
#define weft_ne(a, b)           WEFT_CALL2_(weft_ne_, a, b)
#define weft_lt(a, b)           WEFT_CALL2_(weft_lt_, a, b)
#define weft_le(a, b)           WEFT_CALL2_(weft_le_, a, b)
#define weft_gt(a, b)           WEFT_CALL2_(weft_gt_, a, b)
#define weft_ge(a, b)           WEFT_CALL2_(weft_ge_, a, b)
#define weft_matmul(a, b)       WEFT_CALL2_(weft_matmul_, a, b)
#define weft_dot(a, b)          WEFT_CALL2_(weft_dot_, a, b)
#define weft_inner(a, b)        WEFT_CALL2_(weft_inner_, a, b)
#define weft_outer(a, b)        WEFT_CALL2_(weft_outer_, a, b)
#define weft_where(c, a, b) \
    weft_where_(weft_of_array(WEFT_AN_ARRAY_(c)), WEFT_ARG_(a), WEFT_ARG_(b), WEFT_HERE)
#define weft_clip(a, b, c)      WEFT_CALL3_(weft_clip_, a, b, c)
#define weft_sum(...)           WEFT_CALLR_(weft_sum_, #__VA_ARGS__, __VA_ARGS__)
#define weft_prod(...)          WEFT_CALLR_(weft_prod_, #__VA_ARGS__, __VA_ARGS__)
#define weft_max(...)           WEFT_CALLR_(weft_max_, #__VA_ARGS__, __VA_ARGS__)
#define weft_min(...)           WEFT_CALLR_(weft_min_, #__VA_ARGS__, __VA_ARGS__)
#define weft_any(...)           WEFT_CALLR_(weft_any_, #__VA_ARGS__, __VA_ARGS__)
#define weft_all(...)           WEFT_CALLR_(weft_all_, #__VA_ARGS__, __VA_ARGS__)
#define weft_mean(...)          WEFT_CALLR_(weft_mean_, #__VA_ARGS__, __VA_ARGS__)
#define weft_var(...)           WEFT_CALLR_(weft_var_, #__VA_ARGS__, __VA_ARGS__)
#define weft_std(...)           WEFT_CALLR_(weft_std_, #__VA_ARGS__, __VA_ARGS__)
#define weft_norm(...)          WEFT_CALLR_(weft_norm_, #__VA_ARGS__, __VA_ARGS__)
#define weft_logsumexp(...)     WEFT_CALLR_(weft_logsumexp_, #__VA_ARGS__, __VA_ARGS__)
#define weft_argmax(...)        WEFT_CALLR_(weft_argmax_, #__VA_ARGS__, __VA_ARGS__)
#define weft_argmin(...)        WEFT_CALLR_(weft_argmin_, #__VA_ARGS__, __VA_ARGS__)
#define weft_count_nonzero(...) WEFT_CALLR_(weft_count_nonzero_, #__VA_ARGS__, __VA_ARGS__)
#define weft_softmax(...)       WEFT_CALLR_(weft_softmax_, #__VA_ARGS__, __VA_ARGS__)
#define weft_log_softmax(...)   WEFT_CALLR_(weft_log_softmax_, #__VA_ARGS__, __VA_ARGS__)

#define weft_astype(x, dtype)               weft_astype_(WEFT_ARG_(x), WEFT_A_DTYPE_(dtype), WEFT_HERE)
#define weft_bitcast(x, dtype)              weft_bitcast_(WEFT_ARG_(x), WEFT_A_DTYPE_(dtype), WEFT_HERE)
#define weft_reduce_precision(x, e, m) \
    weft_reduce_precision_(WEFT_ARG_(x), WEFT_AN_INT_(e), WEFT_AN_INT_(m), WEFT_HERE)

#define weft_zeros(ctx, ...) \
    weft_zeros_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), \
                WEFT_HERE)
#define weft_ones(ctx, ...) \
    weft_ones_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), \
               WEFT_HERE)
#define weft_full(ctx, dtype, ...) \
    weft_full_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
               WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_zeros_like(x)                  weft_zeros_like_(WEFT_AN_ARRAY_(x), WEFT_HERE)
#define weft_ones_like(x)                   weft_ones_like_(WEFT_AN_ARRAY_(x), WEFT_HERE)
#define weft_full_like(x, value)            weft_full_like_(WEFT_AN_ARRAY_(x), WEFT_ARG_(value), WEFT_HERE)
#define weft_arange(ctx, start, stop, step) \
    weft_arange_(WEFT_A_CONTEXT_(ctx), WEFT_ARG_(start), WEFT_ARG_(stop), WEFT_ARG_(step), WEFT_HERE)
#define weft_arange_as(ctx, dtype, start, stop, step) \
    weft_arange_as_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), WEFT_ARG_(start), WEFT_ARG_(stop), \
                    WEFT_ARG_(step), WEFT_HERE)
#define weft_linspace(ctx, from, to, n) \
    weft_linspace_(WEFT_A_CONTEXT_(ctx), (from), (to), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_linspace_as(ctx, dtype, from, to, n) \
    weft_linspace_as_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), (from), (to), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_iota(ctx, dtype, ...) \
    weft_iota_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), WEFT_AN_INT_(WEFT_FIRST_(__VA_ARGS__)), \
               WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_eye(ctx, dtype, ...) \
    weft_eye_(WEFT_A_CONTEXT_(ctx), WEFT_A_DTYPE_(dtype), WEFT_DIMS_(__VA_ARGS__, 0), WEFT_HERE)
#define weft_one_hot(ids, n)                weft_one_hot_(WEFT_ARG_(ids), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_one_hot_as(dtype, ids, n) \
    weft_one_hot_as_(WEFT_A_DTYPE_(dtype), WEFT_ARG_(ids), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_tril(...) \
    weft_tril_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_AN_INT_(WEFT_SECOND_(__VA_ARGS__, 0, )), \
               WEFT_HERE2_(__VA_ARGS__))
#define weft_triu(...) \
    weft_triu_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_AN_INT_(WEFT_SECOND_(__VA_ARGS__, 0, )), \
               WEFT_HERE2_(__VA_ARGS__))

#define weft_reshape(...) \
    weft_reshape_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_ravel(x)                       weft_ravel_(WEFT_AN_ARRAY_(x), WEFT_HERE)
#define weft_transpose(...) \
    weft_transpose_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
                    WEFT_A_TEXT_(WEFT_SECOND_(__VA_ARGS__, (const char *)0, )), WEFT_HERE2_(__VA_ARGS__))
#define weft_permute_dims(...) \
    weft_permute_dims_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_moveaxis(x, from, to) \
    weft_moveaxis_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(from), WEFT_AN_INT_(to), WEFT_HERE)
#define weft_swapaxes(x, a, b) \
    weft_swapaxes_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(a), WEFT_AN_INT_(b), WEFT_HERE)
#define weft_expand_dims(x, axis) \
    weft_expand_dims_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(axis), WEFT_HERE)
#define weft_squeeze(...) \
    weft_squeeze_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
                  WEFT_A_TEXT_(WEFT_SECOND_(__VA_ARGS__, (const char *)0, )), WEFT_HERE2_(__VA_ARGS__))
#define weft_broadcast_to(...) \
    weft_broadcast_to_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_concatenate(axis, ...) \
    weft_concatenate_(WEFT_AN_INT_(axis), WEFT_LIST_(__VA_ARGS__), WEFT_HERE)
#define weft_stack_arrays(axis, ...) \
    weft_stack_arrays_(WEFT_AN_INT_(axis), WEFT_LIST_(__VA_ARGS__), WEFT_HERE)
#define weft_split(x, n, axis, parts) \
    weft_split_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(n), WEFT_AN_INT_(axis), (parts), WEFT_HERE)
#define weft_tile(...) \
    weft_tile_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_repeat(x, n, axis) \
    weft_repeat_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(n), WEFT_AN_INT_(axis), WEFT_HERE)
#define weft_roll(x, shift, axis) \
    weft_roll_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(shift), WEFT_AN_INT_(axis), WEFT_HERE)
#define weft_flip(...) \
    weft_flip_(WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), \
               WEFT_A_TEXT_(WEFT_SECOND_(__VA_ARGS__, (const char *)0, )), WEFT_HERE2_(__VA_ARGS__))
#define weft_pad(x, value, widths) \
    weft_pad_(WEFT_AN_ARRAY_(x), WEFT_ARG_(value), WEFT_A_TEXT_(widths), WEFT_HERE)

#define weft_at(x, ...) \
    weft_at_(WEFT_AN_ARRAY_(x), WEFT_A_TEXT_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_take(x, indices, axis) \
    weft_take_(WEFT_AN_ARRAY_(x), WEFT_ARG_(indices), WEFT_AN_INT_(axis), WEFT_HERE)
#define weft_take_along_axis(x, indices, axis) \
    weft_take_along_axis_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(indices), WEFT_AN_INT_(axis), WEFT_HERE)

/* f(x, axis, options); without an axis: along `otherwise` */
#define WEFT_CALLA_(f, otherwise, ...) \
    WEFT_CALLA2_(f, WEFT_FIRST_(__VA_ARGS__), WEFT_BEHIND_(otherwise, __VA_ARGS__))
#define WEFT_CALLA2_(f, x, ...) \
    f(WEFT_AN_ARRAY_(x), WEFT_AXIS_(__VA_ARGS__), WEFT_WITH_(order, __VA_ARGS__), WEFT_HERE)
#define WEFT_AXIS_WANTED_ \
    WEFT_WANTED_("weft: an axis is wanted behind the array, as in weft_cumsum(x, -1)", -1)
#define WEFT_SET_(with, x, text, ...)       \
    weft_set_((with), WEFT_AN_ARRAY_(x), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
              (WEFT_IS_NUMBER_(WEFT_FIRST_(WEFT_TAIL_(__VA_ARGS__, 0))), WEFT_A_TEXT_(text)), \
              WEFT_REST_(__VA_ARGS__), WEFT_HERE)
#define weft_set(x, ...)                    WEFT_SET_(WEFT_SET, x, __VA_ARGS__)
#define weft_set_add(x, ...)                WEFT_SET_(WEFT_ADD, x, __VA_ARGS__)
#define weft_set_mul(x, ...)                WEFT_SET_(WEFT_MUL, x, __VA_ARGS__)
#define weft_set_min(x, ...)                WEFT_SET_(WEFT_MIN, x, __VA_ARGS__)
#define weft_set_max(x, ...)                WEFT_SET_(WEFT_MAX, x, __VA_ARGS__)
#define weft_scatter(x, indices, axis, ...) \
    weft_scatter_(WEFT_AN_ARRAY_(x), WEFT_ARG_(indices), WEFT_AN_INT_(axis), \
                  WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_WITH_(update, __VA_ARGS__), WEFT_HERE)
#define weft_scatter_at(x, indices, ...) \
    weft_scatter_at_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(indices), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
                     WEFT_WITH_(update, __VA_ARGS__), WEFT_HERE)
#define weft_dynamic_slice(x, ...) \
    weft_dynamic_slice_(WEFT_AN_ARRAY_(x), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), WEFT_REST_(__VA_ARGS__), \
                        WEFT_HERE)
#define weft_dynamic_update_slice(x, update, starts) \
    weft_dynamic_update_slice_(WEFT_AN_ARRAY_(x), WEFT_ARG_(update), WEFT_ARG_(starts), WEFT_HERE)
#define weft_dynamic_slice_axis(x, start, size, axis) \
    weft_dynamic_slice_axis_(WEFT_AN_ARRAY_(x), WEFT_ARG_(start), WEFT_AN_INT_(size), WEFT_AN_INT_(axis), \
                             WEFT_HERE)
#define weft_dynamic_update_axis(x, update, start, axis) \
    weft_dynamic_update_axis_(WEFT_AN_ARRAY_(x), WEFT_ARG_(update), WEFT_ARG_(start), WEFT_AN_INT_(axis), \
                              WEFT_HERE)

#define weft_sort(...)                      WEFT_CALLA_(weft_sort_, -1, __VA_ARGS__)
#define weft_argsort(...)                   WEFT_CALLA_(weft_argsort_, -1, __VA_ARGS__)
#define weft_sort_by(x, keys, ...) \
    weft_sort_by_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(keys), WEFT_AN_INT_(WEFT_FIRST_(__VA_ARGS__)), \
                  WEFT_WITH_(order, __VA_ARGS__), WEFT_HERE)
#define weft_sort_several(in, n, n_keys, axis, ...) \
    weft_sort_several_((const weft_array *const *)(in), WEFT_AN_INT_(n), WEFT_AN_INT_(n_keys), \
                       WEFT_AN_INT_(axis), WEFT_FIRST_(__VA_ARGS__), WEFT_WITH_(order, __VA_ARGS__), \
                       WEFT_HERE)
#define weft_top_k(x, k, indices) \
    weft_top_k_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(k), (indices), WEFT_HERE)
#define weft_searchsorted(sorted, ...) \
    weft_searchsorted_(WEFT_AN_ARRAY_(sorted), WEFT_ARG_(WEFT_FIRST_(__VA_ARGS__)), \
                       WEFT_WITH_(order, __VA_ARGS__), WEFT_HERE)
#define weft_unique(x, ...) \
    weft_unique_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(WEFT_FIRST_(__VA_ARGS__)), \
                 WEFT_WITH_(uniques, __VA_ARGS__), WEFT_HERE)
#define weft_flatnonzero(x, ...) \
    weft_flatnonzero_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(WEFT_FIRST_(__VA_ARGS__)), \
                      WEFT_WITH_(positions, __VA_ARGS__), WEFT_HERE)

#define weft_cumsum(...)                    WEFT_CALLA_(weft_cumsum_, WEFT_AXIS_WANTED_, __VA_ARGS__)
#define weft_cumprod(...)                   WEFT_CALLA_(weft_cumprod_, WEFT_AXIS_WANTED_, __VA_ARGS__)
#define weft_cummax(...)                    WEFT_CALLA_(weft_cummax_, WEFT_AXIS_WANTED_, __VA_ARGS__)
#define weft_cummin(...)                    WEFT_CALLA_(weft_cummin_, WEFT_AXIS_WANTED_, __VA_ARGS__)
#define weft_cumlogsumexp(...)              WEFT_CALLA_(weft_cumlogsumexp_, WEFT_AXIS_WANTED_, __VA_ARGS__)

#define weft_reduce_window(x, with, ...) \
    weft_reduce_window_(WEFT_AN_ARRAY_(x), (with), WEFT_A_TEXT_(WEFT_FIRST_(__VA_ARGS__)), \
                        WEFT_WINDOW_(#__VA_ARGS__, __VA_ARGS__), WEFT_HERE)
#define WEFT_CALLW_(f, written, x, ...) \
    f(WEFT_AN_ARRAY_(x), WEFT_A_TEXT_(WEFT_FIRST_(__VA_ARGS__)), WEFT_WINDOW_(written, __VA_ARGS__), \
      WEFT_HERE)
#define weft_max_pool(x, ...)           WEFT_CALLW_(weft_max_pool_, #__VA_ARGS__, x, __VA_ARGS__)
#define weft_min_pool(x, ...)           WEFT_CALLW_(weft_min_pool_, #__VA_ARGS__, x, __VA_ARGS__)
#define weft_avg_pool(x, ...)           WEFT_CALLW_(weft_avg_pool_, #__VA_ARGS__, x, __VA_ARGS__)

#define WEFT_CALLV_(f, written, x, ...) \
    f(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(WEFT_FIRST_(__VA_ARGS__)), WEFT_CONV_(written, __VA_ARGS__), \
      WEFT_HERE)
#define weft_conv(x, ...)               WEFT_CALLV_(weft_conv_, #__VA_ARGS__, x, __VA_ARGS__)
#define weft_conv_transpose(x, ...)     WEFT_CALLV_(weft_conv_transpose_, #__VA_ARGS__, x, __VA_ARGS__)

#define weft_segment_sum(x, ids, n) \
    weft_segment_sum_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(ids), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_segment_prod(x, ids, n) \
    weft_segment_prod_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(ids), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_segment_max(x, ids, n) \
    weft_segment_max_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(ids), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_segment_min(x, ids, n) \
    weft_segment_min_(WEFT_AN_ARRAY_(x), WEFT_AN_ARRAY_(ids), WEFT_AN_INT_(n), WEFT_HERE)
#define weft_bincount(x, ...) \
    weft_bincount_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(WEFT_FIRST_(__VA_ARGS__)), \
                   WEFT_WITH_(counting, __VA_ARGS__), WEFT_HERE)
#define weft_histogram(x, ...) \
    weft_histogram_(WEFT_AN_ARRAY_(x), WEFT_AN_INT_(WEFT_FIRST_(__VA_ARGS__)), \
                    WEFT_WITH_(counting, __VA_ARGS__), WEFT_HERE)

#define weft_tensordot(a, b, a_axes, b_axes) \
    weft_tensordot_(WEFT_ARG_(a), WEFT_ARG_(b), WEFT_A_TEXT_(a_axes), WEFT_A_TEXT_(b_axes), WEFT_HERE)
#define weft_einsum(text, ...) \
    weft_einsum_(WEFT_A_TEXT_(text), WEFT_LIST_(__VA_ARGS__), WEFT_HERE)
#endif
