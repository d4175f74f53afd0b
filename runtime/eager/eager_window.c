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
    EagerRegion region;
    uint32_t n;
    const void *const *args;
    size_t bytes[INFER_MAX_RESULTS];
} Fold;

static bool fold_open(Fold *fold, const EagerCall *c)
{
    fold->n = c->spec->n_args / 2;
    fold->args = c->args;
    for (uint32_t k = 0; k < fold->n; k++) fold->bytes[k] = dtype_bytes((DType)c->arg_types[k].dtype);
    return region_open(&fold->region, spec_region(c->spec, 0), NULL, true, c->allocator, c->failure);
}

/* How many of the results from number `first` on are folded at once. */
static int64_t fold_lanes(const Fold *fold, size_t first, size_t n_results)
{
    size_t left = n_results - first, most = (size_t)fold->region.lanes;
    return (int64_t)(left < most ? left : most);
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

static bool fold_step(Fold *fold, int64_t lanes)
{
    size_t bytes[INFER_MAX_RESULTS];
    for (uint32_t k = 0; k < fold->n; k++) bytes[k] = fold->bytes[k] * (size_t)lanes;
    if (!region_run(&fold->region, lanes)) return false;
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

static bool is_empty(const Odometer *o)
{
    for (int i = 0; i < o->rank; i++)
        if (o->dim[i] == 0) return true;
    return false;
}

static void split_axes(const NodeSpec *spec, Type a, Odometer *kept, Odometer *reduced)
{
    int64_t stride[WEFT_MAX_RANK];
    uint32_t folded = axes_mask(spec->attr, (int)spec->n_attr);
    eager_element_strides(a, stride);
    for (int i = 0; i < a.rank; i++) {
        Odometer *o = folded >> i & 1 ? reduced : kept;
        o->stride[0][o->rank] = stride[i];
        o->dim[o->rank++] = a.dim[i];
    }
}

static bool fold_axes(Fold *fold, const EagerCall *c)
{
    Odometer kept = { .rank = 0 }, reduced = { .rank = 0 };
    int64_t base[REGION_LANES], lanes;
    split_axes(c->spec, c->arg_types[0], &kept, &reduced);
    bool empty = is_empty(&reduced);
    size_t n_results = eager_count(c->out_types[0]);
    for (size_t first = 0; first < n_results; first += (size_t)lanes) {
        lanes = fold_lanes(fold, first, n_results);
        for (int64_t l = 0; l < lanes; l++, odometer_next(&kept)) base[l] = kept.offset[0];
        fold_start(fold, lanes);
        if (!empty) do {
                for (uint32_t k = 0; k < fold->n; k++)
                    for (int64_t l = 0; l < lanes; l++)
                        fold_set(fold, k, fold->n + k, l, base[l] + reduced.offset[0]);
                if (!fold_step(fold, lanes)) return false;
            } while (odometer_next(&reduced));
        fold_store(fold, first, lanes, c->outs);
    }
    return true;
}

bool eager_reduce_region(const EagerCall *c)
{
    Fold fold;
    if (!fold_open(&fold, c)) return false;
    bool ok = fold_axes(&fold, c);
    region_close(&fold.region);
    return ok;
}

/* ---- over windows ---- */

/* Where windows lie: the first place of a window along an axis, in the operand as dilated, padding not
 * counted. */
typedef struct WindowWalk {
    WindowDims w;
    Type operand;
    int64_t stride[WEFT_MAX_RANK];
    Odometer place, within;
} WindowWalk;

static WindowWalk windows_of(const NodeSpec *spec, Type operand, const int64_t *places)
{
    WindowWalk v = { .w = window_dims(spec->op, spec->attr, operand.rank), .operand = operand };
    eager_element_strides(operand, v.stride);
    v.place.rank = v.within.rank = operand.rank;
    for (int i = 0; i < operand.rank; i++) {
        v.place.dim[i] = places[i];
        v.within.dim[i] = v.w.size[i];
    }
    return v;
}

/* The operand's element at place within.at of the window that begins at first, or -1: padding, or a hole of
 * dilation. */
static int64_t window_element(const WindowWalk *v, const int64_t *first)
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
static void next_windows(WindowWalk *v, int64_t lanes, int64_t *first)
{
    for (int64_t l = 0; l < lanes; l++, odometer_next(&v->place))
        for (int i = 0; i < v->operand.rank; i++) *first++ = v->place.at[i] * v->w.stride[i] - v->w.low[i];
}

/* first: room for next_windows. */
static bool fold_windows(Fold *fold, const EagerCall *c, int64_t *first)
{
    WindowWalk v = windows_of(c->spec, c->arg_types[0], c->out_types[0].dim);
    size_t n_results = eager_count(c->out_types[0]);
    int64_t lanes;
    for (size_t at = 0; at < n_results; at += (size_t)lanes) {
        lanes = fold_lanes(fold, at, n_results);
        next_windows(&v, lanes, first);
        fold_start(fold, lanes);
        do {
            for (int64_t l = 0; l < lanes; l++) {
                int64_t element = window_element(&v, first + l * v.operand.rank);
                for (uint32_t k = 0; k < fold->n; k++) fold_set(fold, k, fold->n + k, l, element);
            }
            if (!fold_step(fold, lanes)) return false;
        } while (odometer_next(&v.within));
        fold_store(fold, at, lanes, c->outs);
    }
    return true;
}

bool eager_reduce_window(const EagerCall *c)
{
    Fold fold;
    if (!fold_open(&fold, c)) return false;
    size_t bytes = (size_t)fold.region.lanes * c->arg_types[0].rank * sizeof(int64_t);
    int64_t *first = eager_take(c->allocator, bytes, c->failure);
    bool ok = first && fold_windows(&fold, c, first);
    eager_drop(c->allocator, first, bytes);
    region_close(&fold.region);
    return ok;
}

/* ---- select and scatter ---- */

/* The element of the operand that select keeps of one window: the first one, or a later one wherever
 * select(kept, later) is false. -1: the window has none. */
static bool select_one(EagerRegion *select, WindowWalk *v, const int64_t *first, const char *operand,
                       size_t bytes, int64_t *kept)
{
    bool ok = true;
    *kept = -1;
    do {
        int64_t element = window_element(v, first);
        if (element < 0 || !ok) continue;
        if (*kept >= 0) {
            memcpy(select->param[0], operand + (size_t)*kept * bytes, bytes);
            memcpy(select->param[1], operand + (size_t)element * bytes, bytes);
            ok = region_run(select, 1);
        }
        if (*kept < 0 || !*(const uint8_t *)select->output[0]) *kept = element;
    } while (odometer_next(&v->within));
    return ok;
}

static bool scatter_one(EagerRegion *scatter, char *to, const char *value, size_t bytes)
{
    memcpy(scatter->param[0], to, bytes);
    memcpy(scatter->param[1], value, bytes);
    if (!region_run(scatter, 1)) return false;
    memcpy(to, scatter->output[0], bytes);
    return true;
}

static bool scatter_windows(EagerRegion *select, EagerRegion *scatter, const EagerCall *c)
{
    size_t bytes = dtype_bytes((DType)c->out_types[0].dtype), n = eager_count(c->arg_types[1]);
    WindowWalk v = windows_of(c->spec, c->arg_types[0], c->arg_types[1].dim);
    for (size_t i = 0; i < n; i++) {
        int64_t first[WEFT_MAX_RANK], kept;
        next_windows(&v, 1, first);
        if (!select_one(select, &v, first, c->args[0], bytes, &kept)) return false;
        if (kept >= 0 && !scatter_one(scatter, (char *)c->outs[0] + (size_t)kept * bytes,
                                      (const char *)c->args[1] + i * bytes, bytes))
            return false;
    }
    return true;
}

bool eager_select_and_scatter(const EagerCall *c)
{
    EagerRegion select, scatter;
    Type t = c->out_types[0];
    eager_fill(dtype_bytes((DType)t.dtype), eager_count(t), c->args[2], c->outs[0]);
    if (!region_open(&select, spec_region(c->spec, 0), NULL, false, c->allocator, c->failure)) return false;
    bool ok = region_open(&scatter, spec_region(c->spec, 1), NULL, false, c->allocator, c->failure);
    if (ok) {
        ok = scatter_windows(&select, &scatter, c);
        region_close(&scatter);
    }
    region_close(&select);
    return ok;
}
