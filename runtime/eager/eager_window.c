/* eager_window.c: folds by any region: over axes, and over windows; and SELECT_AND_SCATTER.
 *
 * Each result is a left fold from the start values. Results do not depend on each other, so a region that can
 * run on several sets of values folds a block of results side by side, all of them one element further at
 * each step.
 */
#include "compiler/graph/infer/infer.h"
#include "eager_region.h"

/* A fold of n arrays: values 0 .. n - 1 of a lane are its accumulators, n .. 2n - 1 the next elements. */
typedef struct Fold {
    Region region;
    uint32_t n;
    const void *const *args;
    size_t bytes[INFER_MAX_RESULTS];
} Fold;

static bool fold_open(Fold *fold, const NodeSpec *spec, const Type *arg_types, const void *const *args,
                      const Allocator *allocator, Failure *f)
{
    fold->n = spec->n_args / 2;
    fold->args = args;
    for (uint32_t k = 0; k < fold->n; k++) fold->bytes[k] = dtype_bytes((DType)arg_types[k].dtype);
    return region_open(&fold->region, spec_region(spec, 0), NULL, true, allocator, f);
}

/* Lane l's value `to` of array k is the element at index at, or the start value if at is negative. */
static inline void fold_set(const Fold *fold, uint32_t k, uint32_t to, int64_t l, int64_t at)
{
    size_t bytes = fold->bytes[k];
    const char *from = at < 0 ? fold->args[fold->n + k] : (const char *)fold->args[k] + (size_t)at * bytes;
    memcpy((char *)fold->region.param[to] + (size_t)l * bytes, from, bytes);
}

static void fold_start(const Fold *fold, int64_t lanes)
{
    for (uint32_t k = 0; k < fold->n; k++)
        eager_fill(fold->bytes[k], (size_t)lanes, fold->args[fold->n + k], fold->region.param[k]);
}

static bool fold_step(Fold *fold, int64_t lanes, Failure *f)
{
    size_t bytes[INFER_MAX_RESULTS];
    for (uint32_t k = 0; k < fold->n; k++) bytes[k] = fold->bytes[k] * (size_t)lanes;
    if (!region_run(&fold->region, lanes, f)) return false;
    region_feed(&fold->region, 0, fold->n, bytes);
    return true;
}

static void fold_store(const Fold *fold, size_t first, int64_t lanes, void *const *outs)
{
    for (uint32_t k = 0; k < fold->n; k++)
        memcpy((char *)outs[k] + first * fold->bytes[k], fold->region.param[k],
               fold->bytes[k] * (size_t)lanes);
}

/* ---- over axes ---- */

static void split_axes(const NodeSpec *spec, Type a, Odometer *kept, Odometer *reduced)
{
    int64_t stride = 1;
    for (int i = 0; i < a.rank; i++) {
        Odometer *o = eager_contains(spec->attr, (int)spec->n_attr, i) ? reduced : kept;
        o->dim[o->rank++] = a.dim[i];
    }
    for (int i = a.rank - 1, k = kept->rank, r = reduced->rank; i >= 0; stride *= a.dim[i--]) {
        if (eager_contains(spec->attr, (int)spec->n_attr, i)) reduced->stride[0][--r] = stride;
        else kept->stride[0][--k] = stride;
    }
}

static bool fold_axes(Fold *fold, const NodeSpec *spec, Type a, size_t n_results, void *const *outs,
                      Failure *f)
{
    Odometer kept = { .rank = 0 }, reduced = { .rank = 0 };
    int64_t base[REGION_LANES];
    split_axes(spec, a, &kept, &reduced);
    bool empty = odometer_empty(&reduced);
    for (size_t first = 0; first < n_results; first += (size_t)fold->region.lanes) {
        int64_t lanes = n_results - first < (size_t)fold->region.lanes ? (int64_t)(n_results - first)
                                                                       : fold->region.lanes;
        for (int64_t l = 0; l < lanes; l++, odometer_next(&kept)) base[l] = kept.offset[0];
        fold_start(fold, lanes);
        if (!empty) do {
                for (uint32_t k = 0; k < fold->n; k++)
                    for (int64_t l = 0; l < lanes; l++)
                        fold_set(fold, k, fold->n + k, l, base[l] + reduced.offset[0]);
                if (!fold_step(fold, lanes, f)) return false;
            } while (odometer_next(&reduced));
        fold_store(fold, first, lanes, outs);
    }
    return true;
}

bool eager_reduce_region(const NodeSpec *spec, const Type *arg_types, const void *const *args,
                         const Type *out_types, void *const *outs, const Allocator *allocator, Failure *f)
{
    Fold fold;
    if (!fold_open(&fold, spec, arg_types, args, allocator, f)) return false;
    bool ok = fold_axes(&fold, spec, arg_types[0], eager_count(out_types[0]), outs, f);
    region_close(&fold.region);
    return ok;
}

/* ---- over windows ---- */

/* Where windows lie: the first place of a window along an axis, in the operand as dilated, padding not
 * counted. */
typedef struct Windows {
    WindowDims w;
    Type operand;
    int64_t stride[WEFT_MAX_RANK];
    Odometer place, within;
} Windows;

static Windows windows_of(const NodeSpec *spec, Type operand, const int64_t *places)
{
    Windows v = { .w = window_dims(spec->op, spec->attr, operand.rank), .operand = operand };
    int64_t step = 1;
    for (int i = operand.rank - 1; i >= 0; step *= operand.dim[i--]) v.stride[i] = step;
    v.place.rank = v.within.rank = operand.rank;
    for (int i = 0; i < operand.rank; i++) {
        v.place.dim[i] = places[i];
        v.within.dim[i] = v.w.size[i];
    }
    return v;
}

/* The operand's element at place within.at of the window that begins at first, or -1: padding, or a hole of
 * dilation. */
static int64_t window_element(const Windows *v, const int64_t *first)
{
    int64_t at = 0;
    for (int i = 0; i < v->operand.rank; i++) {
        int64_t p = first[i] + v->within.at[i] * (v->w.dilation ? v->w.dilation[i] : 1),
                d = v->w.base_dilation ? v->w.base_dilation[i] : 1;
        if (p < 0 || p % d || p / d >= v->operand.dim[i]) return -1;
        at += p / d * v->stride[i];
    }
    return at;
}

/* The next block of windows: their firsts, [lanes][rank]. */
static void next_windows(Windows *v, int64_t lanes, int64_t *first)
{
    for (int64_t l = 0; l < lanes; l++, odometer_next(&v->place))
        for (int i = 0; i < v->operand.rank; i++) *first++ = v->place.at[i] * v->w.stride[i] - v->w.low[i];
}

static bool fold_windows(Fold *fold, Windows *v, size_t n_results, int64_t *first, void *const *outs,
                         Failure *f)
{
    for (size_t at = 0; at < n_results; at += (size_t)fold->region.lanes) {
        int64_t lanes =
            n_results - at < (size_t)fold->region.lanes ? (int64_t)(n_results - at) : fold->region.lanes;
        next_windows(v, lanes, first);
        fold_start(fold, lanes);
        do {
            for (int64_t l = 0; l < lanes; l++) {
                int64_t element = window_element(v, first + l * v->operand.rank);
                for (uint32_t k = 0; k < fold->n; k++) fold_set(fold, k, fold->n + k, l, element);
            }
            if (!fold_step(fold, lanes, f)) return false;
        } while (odometer_next(&v->within));
        fold_store(fold, at, lanes, outs);
    }
    return true;
}

bool eager_reduce_window(const NodeSpec *spec, const Type *arg_types, const void *const *args,
                         const Type *out_types, void *const *outs, const Allocator *allocator, Failure *f)
{
    Fold fold;
    if (!fold_open(&fold, spec, arg_types, args, allocator, f)) return false;
    Windows v = windows_of(spec, arg_types[0], out_types[0].dim);
    size_t bytes = (size_t)fold.region.lanes * arg_types[0].rank * sizeof(int64_t);
    int64_t *first = eager_take(allocator, bytes);
    bool ok = first ? fold_windows(&fold, &v, eager_count(out_types[0]), first, outs, f)
                    : eager_out_of_memory(f, bytes);
    eager_drop(allocator, first, bytes);
    region_close(&fold.region);
    return ok;
}

/* ---- select and scatter ---- */

/* The element of the operand that select keeps of one window: the first one, or a later one wherever
 * select(kept, later) is false. -1: the window has none. */
static bool select_one(Region *select, Windows *v, const int64_t *first, const char *operand, size_t bytes,
                       int64_t *kept, Failure *f)
{
    bool ok = true;
    *kept = -1;
    do {
        int64_t element = window_element(v, first);
        if (element < 0 || !ok) continue;
        if (*kept >= 0) {
            memcpy(select->param[0], operand + (size_t)*kept * bytes, bytes);
            memcpy(select->param[1], operand + (size_t)element * bytes, bytes);
            ok = region_run(select, 1, f);
        }
        if (*kept < 0 || !*(const uint8_t *)select->output[0]) *kept = element;
    } while (odometer_next(&v->within));
    return ok;
}

static bool scatter_one(Region *scatter, char *to, const char *value, size_t bytes, Failure *f)
{
    memcpy(scatter->param[0], to, bytes);
    memcpy(scatter->param[1], value, bytes);
    if (!region_run(scatter, 1, f)) return false;
    memcpy(to, scatter->output[0], bytes);
    return true;
}

bool eager_select_and_scatter(const NodeSpec *spec, const Type *arg_types, const void *const *args,
                              const Type *out_types, void *const *outs, const Allocator *allocator,
                              Failure *f)
{
    Region select, scatter;
    size_t bytes = dtype_bytes((DType)out_types[0].dtype), n = eager_count(arg_types[1]);
    eager_fill(bytes, eager_count(out_types[0]), args[2], outs[0]);
    if (!region_open(&select, spec_region(spec, 0), NULL, false, allocator, f)) return false;
    bool ok = region_open(&scatter, spec_region(spec, 1), NULL, false, allocator, f), opened = ok;
    Windows v = windows_of(spec, arg_types[0], arg_types[1].dim);
    for (size_t i = 0; ok && i < n; i++) {
        int64_t first[WEFT_MAX_RANK], kept;
        next_windows(&v, 1, first);
        ok = select_one(&select, &v, first, args[0], bytes, &kept, f) &&
             (kept < 0 || scatter_one(&scatter, (char *)outs[0] + (size_t)kept * bytes,
                                      (const char *)args[1] + i * bytes, bytes, f));
    }
    if (opened) region_close(&scatter);
    region_close(&select);
    return ok;
}
