/* eager_conv.c: CONVOLUTION. The operand is copied as [batch, spatial, features], the weights as [spatial,
 * input features, output features], both in the type of the accumulators. Then each place of the result, and
 * each group there, is a row of accumulators, one for each output feature, to which the window's elements
 * are added in order.
 */
#include "compiler/graph/attributes.h"
#include "eager.h"

typedef struct ConvWalk {
    ConvDims d;
    DType compute, result;
    int64_t groups, inputs, outputs; /* features in a group */
    int64_t size[WEFT_MAX_RANK];     /* of the operand along spatial axes */
    Odometer place, window;
    size_t bytes; /* of an element while it is computed with */
    const char *lhs, *rhs, *zeros;
    char *acc;
} ConvWalk;

/* Where along spatial axis i the window's current element lies, or -1: padding, or a hole of dilation. */
static int64_t place_along(const ConvWalk *w, int i)
{
    int64_t p = w->place.at[i] * w->d.stride[i] + w->window.at[i] * w->d.dilation[i] - w->d.low[i],
            step = w->d.base_dilation[i];
    return p < 0 || p % step || p / step >= w->size[i] ? -1 : p / step;
}

/* The features of example n at the window's current element. */
static const char *window_features(const ConvWalk *w, int64_t n, int64_t all_features, int64_t first)
{
    int64_t at = n;
    for (int i = 0; i < w->d.spatial; i++) {
        int64_t p = place_along(w, i);
        if (p < 0) return w->zeros;
        at = at * w->size[i] + p;
    }
    return w->lhs + (size_t)(at * all_features + first) * w->bytes;
}

/* The weights for the window's current element. */
static const char *window_weights(const ConvWalk *w)
{
    int64_t at = 0;
    for (int i = 0; i < w->d.spatial; i++) {
        int64_t k = w->window.at[i], n = w->window.dim[i];
        at = at * n + (w->d.reverse[i] ? n - 1 - k : k);
    }
    return w->rhs + (size_t)(at * w->inputs * w->groups * w->outputs) * w->bytes;
}

/* One group's output features of one example at one place, as acc. */
static void sum_window(ConvWalk *w, int64_t n, int64_t group)
{
    bool by_batch = w->d.batch_groups > 1;
    int64_t row = w->groups * w->outputs, of_groups = by_batch ? 1 : w->groups;
    memset(w->acc, 0, (size_t)w->outputs * w->bytes);
    do {
        const char *x = window_features(w, n, w->inputs * of_groups, by_batch ? 0 : group * w->inputs),
                   *y = window_weights(w) + (size_t)(group * w->outputs) * w->bytes;
        for (int64_t i = 0; i < w->inputs; i++)
            eager_multiply_add[w->compute]((size_t)w->outputs, w->acc, x + (size_t)i * w->bytes,
                                           y + (size_t)(i * row) * w->bytes);
    } while (odometer_next(&w->window));
}

/* All results, as [batch, spatial, features]. */
static void sum_windows(ConvWalk *w, int64_t batch, char *to)
{
    size_t bytes = (size_t)w->outputs * dtype_bytes(w->result);
    for (int64_t n = 0; n < batch; n++) do
            for (int64_t g = 0; g < w->groups; g++, to += bytes) {
                sum_window(w, w->d.batch_groups > 1 ? g * batch + n : n, g);
                kernel_run_convert(w->compute, w->result, (size_t)w->outputs, w->acc, to);
            }
        while (odometer_next(&w->place));
}

static ConvWalk walk_of(const EagerCall *c)
{
    Type lhs = c->arg_types[0], rhs = c->arg_types[1], out = c->out_types[0];
    ConvWalk w = { .result = (DType)out.dtype, .compute = compute_type((DType)out.dtype) };
    conv_dims(c->spec->attr, c->spec->n_attr, lhs.rank, &w.d);
    w.bytes = dtype_bytes(w.compute);
    w.groups = w.d.feature_groups * w.d.batch_groups;
    w.inputs = rhs.dim[w.d.rhs[0]];
    w.outputs = rhs.dim[w.d.rhs[1]] / w.groups;
    w.place.rank = w.window.rank = w.d.spatial;
    for (int i = 0; i < w.d.spatial; i++) {
        w.size[i] = lhs.dim[w.d.lhs[2 + i]];
        w.window.dim[i] = rhs.dim[w.d.rhs[2 + i]];
        w.place.dim[i] = out.dim[w.d.out[2 + i]];
    }
    return w;
}

/* The axes `first`, then the spatial ones, then those `last`; one that is given as -1 is none. */
static void in_order(const ConvDims *d, const int64_t *axes, int first, int second, int last, int *to)
{
    if (first >= 0) *to++ = (int)axes[first];
    for (int i = 0; i < d->spatial; i++) *to++ = (int)axes[2 + i];
    if (second >= 0) *to++ = (int)axes[second];
    *to = (int)axes[last];
}

/* [batch, spatial, features] put where the result has them. */
static void place_results(const ConvDims *d, Type out, const char *from, char *to)
{
    int axes[WEFT_MAX_RANK];
    int64_t dense[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], dim[WEFT_MAX_RANK], of_from[WEFT_MAX_RANK];
    in_order(d, d->out, 0, -1, 1, axes);
    eager_strides(out, dense);
    for (int i = 0; i < out.rank; i++) {
        dim[i] = out.dim[axes[i]];
        stride[i] = dense[axes[i]];
    }
    eager_strides((Type){ out.dtype, out.rank, dim }, of_from);
    eager_copy_box(dtype_bytes((DType)out.dtype), out.rank, dim, to, stride, from, of_from);
}

bool eager_convolution(const EagerCall *c)
{
    Type lhs = c->arg_types[0], rhs = c->arg_types[1], out = c->out_types[0];
    ConvWalk w = walk_of(c);
    int axes[WEFT_MAX_RANK];
    size_t of_out = eager_bytes(out), of_lhs = eager_bytes(lhs), of_rhs = eager_bytes(rhs);
    if (of_out == 0) return true;
    if (eager_count(rhs) == 0) return memset(c->outs[0], 0, of_out), true;
    size_t n_lhs = eager_aligned(eager_count(lhs) * w.bytes),
           n_rhs = eager_aligned(eager_count(rhs) * w.bytes),
           n_zeros = eager_aligned((size_t)w.inputs * w.bytes),
           n_acc = eager_aligned((size_t)w.outputs * w.bytes), more = of_lhs > of_rhs ? of_lhs : of_rhs,
           total = n_lhs + n_rhs + n_zeros + n_acc + (more > of_out ? more : of_out);
    char *memory = eager_take(c->allocator, total, c->failure);
    if (!memory) return false;
    char *to_lhs = memory, *to_rhs = to_lhs + n_lhs, *zeros = to_rhs + n_rhs, *scratch;
    w.lhs = to_lhs;
    w.rhs = to_rhs;
    w.zeros = memset(zeros, 0, n_zeros);
    w.acc = zeros + n_zeros;
    scratch = w.acc + n_acc;
    in_order(&w.d, w.d.lhs, 0, -1, 1, axes);
    eager_pack(axes, lhs, c->args[0], w.compute, to_lhs, scratch);
    in_order(&w.d, w.d.rhs, -1, 0, 1, axes);
    eager_pack(axes, rhs, c->args[1], w.compute, to_rhs, scratch);
    sum_windows(&w, out.dim[w.d.out[0]], scratch);
    place_results(&w.d, out, scratch, c->outs[0]);
    eager_drop(c->allocator, memory, total);
    return true;
}
