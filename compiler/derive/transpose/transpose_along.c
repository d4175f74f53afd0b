/* transpose_along.c: sums over windows and prefixes, what was put where a window's element was chosen, and
 * Fourier transforms. */
#include "transpose_rules.h"
#include "compiler/passes/expand/expand.h"

enum { AXES = WEFT_MAX_RANK };

/* The start value stands before each window's elements, and for each of those that is padding or a hole. */
static Ref sum_of_starts(const Transpose *t, const Node *n, Ref ct)
{
    Graph *g = t->dst;
    Type a = arg_type(t, n, 0);
    WindowDims w = window_dims(OP_REDUCE_WINDOW, n->attr, a.rank);
    int64_t axes[AXES];
    double window = 1;
    for (int i = 0; i < a.rank; i++) axes[i] = i, window *= (double)w.size[i];
    Ref ones = build_splat(g, a, scalar_from_double((DType)a.dtype, 1)),
        zero = build_zeros(g, type_scalar(n->dtype));
    Ref elements = same_op(t, n, (Ref[]){ ones, zero }, 2),
        most = build_splat(g, node_type(n), scalar_from_double((DType)n->dtype, window + 1));
    return build_reduce(g, OP_ADD, build_binary(g, OP_MUL, ct, build_binary(g, OP_SUB, most, elements)), axes,
                        a.rank);
}

/* y[o] = sum over k of x[(o stride + k dilation - low) / base dilation], where that is a whole number in
 * range, so x'[i] = sum over k of y'[(i base dilation - k dilation + low) / stride]: windows over y' that is
 * dilated by the stride and padded to give x' its size; strides and base dilation change places, and the
 * windows' order does not matter. */
bool transpose_reduce_window(const Transpose *t, const Node *n, Ref ct)
{
    Graph *g = t->dst;
    Type a = arg_type(t, n, 0);
    if (n->n_args != 2 || region_monoid(n->region) != OP_ADD)
        return not_linear(t, "a reduction that is no sum");
    if (!must_be_zero(t, n, 0) || !must_be_zero(t, n, 1)) return false;
    if (is_linear(t, n, 1)) give_ct(t, n, 1, sum_of_starts(t, n, ct));
    if (!is_linear(t, n, 0)) return true;
    if (type_count(a) == 0 || type_count(node_type(n)) == 0) return give_ct(t, n, 0, build_zeros(g, a));
    WindowDims w = window_dims(OP_REDUCE_WINDOW, n->attr, a.rank);
    int64_t low[AXES], high[AXES], between[AXES], attr[6 * AXES];
    for (int i = 0, r = a.rank; i < r; i++) {
        int64_t window = (w.size[i] - 1) * w.dilation[i] + 1, x = (a.dim[i] - 1) * w.base_dilation[i] + 1,
                y = (n->dim[i] - 1) * w.stride[i] + 1;
        const int64_t of_axis[] = { w.size[i], w.base_dilation[i], 1, w.dilation[i], 0, 0 };
        low[i] = window - 1 - w.low[i];
        high[i] = x + window - 1 - y - low[i];
        between[i] = w.stride[i] - 1;
        for (int k = 0; k < 6; k++) attr[k * r + i] = of_axis[k];
    }
    Ref zero = build_zeros(g, type_scalar(n->dtype)), spread = build_pad(g, ct, zero, low, high, between);
    return give_ct(t, n, 0,
                   graph_add(g, &(NodeSpec){ .op = OP_REDUCE_WINDOW,
                                             .args = (Ref[]){ spread, zero },
                                             .n_args = 2,
                                             .attr = attr,
                                             .n_attr = 6 * (uint32_t)a.rank,
                                             .regions = n->regions,
                                             .n_regions = 1 }));
}

/* Each source element was added where its window's element is: it has the cotangent from there, none if its
 * window is all padding. */
bool transpose_select_and_scatter(const Transpose *t, const Node *n, Ref ct)
{
    Graph *g = t->dst;
    if (is_linear(t, n, 0)) return not_linear(t, "a choice by a tangent");
    if (region_monoid(n->regions[1]) != OP_ADD) return not_linear(t, "a scatter that does not add");
    if (!must_be_zero(t, n, 1) || !must_be_zero(t, n, 2)) return false;
    Type a = arg_type(t, n, 0), s = arg_type(t, n, 1);
    int64_t all[AXES], count = type_count(a), taken = type_count(s);
    for (int i = 0; i < a.rank; i++) all[i] = i;
    if (is_linear(t, n, 2)) give_ct(t, n, 2, build_reduce(g, OP_ADD, ct, all, a.rank));
    if (!is_linear(t, n, 1)) return true;
    if (count == 0 || taken == 0) return give_ct(t, n, 1, build_zeros(g, s));
    Ref at = expand_chosen(g, n, known_arg(t, n, 0));
    Type index = graph_type(g, at);
    int64_t attr[] = { 0, 1, 0, 1, 1, 0, 0, 1 }; /* axis 0 is collapsed, and chosen */
    Ref flat = build_reshape(g, ct, &count, 1), positions = build_reshape(g, at, &taken, 1);
    Ref found = build_node(g, OP_GATHER, (Ref[]){ flat, positions }, 2, attr, 8);
    Ref chosen = build_compare(g, CMP_GE, at, build_zeros(g, index));
    return give_ct(t, n, 1,
                   build_select(g, chosen, build_reshape(g, found, s.dim, s.rank), build_zeros(g, s)));
}

bool transpose_cumulative(const Transpose *t, const Node *n, Ref ct)
{
    if (n->attr[0] != OP_ADD) return not_linear(t, "a prefix that is no sum");
    return give_ct(t, n, 0, build_cumulative(t->dst, OP_ADD, ct, (int)n->attr[1], !n->attr[2]));
}

/* ---- Fourier transforms ----
 *
 * Cotangents are transposed, not conjugated. The matrices of FFT and IFFT are symmetric. */

static Ref real_number(Graph *g, Ref a) { return build_unary(g, OP_REAL, a); }

/* RFFT is the first part of the FFT of numbers that happen to be real. */
static Ref of_real(const Transpose *t, const Node *n, Ref ct)
{
    Graph *g = t->dst;
    int axes = (int)n->n_attr - 1, last = n->rank - 1;
    int64_t low[AXES] = { 0 }, high[AXES] = { 0 }, between[AXES] = { 0 }, length = n->attr[axes];
    high[last] = length - n->dim[last];
    Ref all = build_pad(g, ct, build_zeros(g, type_scalar(n->dtype)), low, high, between);
    return real_number(g, build_fft(g, FFT_FORWARD, all, n->attr + 1, axes));
}

/* IRFFT adds each number but the first, and the middle one of an even length, and its conjugate: the
 * conjugate of RFFT, times 2 where there are two of them. Over further axes IRFFT is an IFFT. */
static Ref to_real(const Transpose *t, const Node *n, Ref ct)
{
    Graph *g = t->dst;
    int axes = (int)n->n_attr - 1, last = n->rank - 1;
    Type half = arg_type(t, n, 0), part = { n->dtype, half.rank, half.dim };
    int64_t along = last, length = n->attr[axes], middle = half.dim[last] - 1, count = 1;
    for (int i = 0; i < axes; i++) count *= n->attr[1 + i];
    Type line = { WEFT_I64, 1, &half.dim[last] };
    Ref x = build_fft(g, FFT_OF_REAL, ct, n->attr + 1, axes), k = build_iota(g, line, 0);
    double each = count ? 1.0 / (double)count : 0;
    Ref once = build_compare(g, CMP_EQ, k, build_zeros(g, line));
    if (length % 2 == 0)
        once =
            build_binary(g, OP_OR, once, build_compare(g, CMP_EQ, k, build_splat(g, line, (uint64_t)middle)));
    Type weights = { n->dtype, 1, line.dim };
    Ref by = build_select(g, once, build_splat(g, weights, scalar_from_double((DType)n->dtype, each)),
                          build_splat(g, weights, scalar_from_double((DType)n->dtype, 2 * each)));
    by = build_broadcast(g, by, part.dim, part.rank, &along);
    Ref re = build_binary(g, OP_MUL, real_number(g, x), by),
        im = build_unary(g, OP_NEG, build_binary(g, OP_MUL, build_unary(g, OP_IMAG, x), by));
    return build_binary(g, OP_COMPLEX, re, im);
}

bool transpose_fft(const Transpose *t, const Node *n, Ref ct)
{
    FftKind kind = (FftKind)n->attr[0];
    return give_ct(t, n, 0,
                   kind == FFT_OF_REAL   ? of_real(t, n, ct)
                   : kind == FFT_TO_REAL ? to_real(t, n, ct)
                                         : same_op(t, n, &ct, 1));
}
