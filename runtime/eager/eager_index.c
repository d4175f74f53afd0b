/* eager_index.c: positions that come from data: DYNAMIC_SLICE, DYNAMIC_UPDATE_SLICE, GATHER, SCATTER.
 *
 * The last two take the positions of the index array in row-major order, one after the other. GATHER copies
 * each window as a box into its place in the result. In SCATTER a later update sees what an earlier one left,
 * and a window that does not lie wholly inside the operand is dropped. Within a window all elements are
 * different ones, so a region that can runs on many of them at once.
 */
#include "compiler/graph/infer/infer.h"
#include "eager_region.h"

static int64_t load_index(DType t, const void *p)
{
    uint64_t bits = scalar_load(t, p);
    if (t == WEFT_U64) return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    return scalar_to_i64(t, bits);
}

static int64_t clamped(int64_t v, int64_t high) { return v < 0 ? 0 : v > high ? high : v; }

/* Bytes from the array's first element to the start position, clamped so that a box of these sizes lies
 * inside. */
static int64_t clamped_start(Type a, const int64_t *size, const Type *start_types, const void *const *starts)
{
    int64_t stride[WEFT_MAX_RANK], at = 0;
    eager_strides(a, stride);
    for (int i = 0; i < a.rank; i++)
        at += stride[i] * clamped(load_index((DType)start_types[i].dtype, starts[i]), a.dim[i] - size[i]);
    return at;
}

bool eager_dynamic_slice(const EagerCall *c)
{
    int64_t from[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    Type a = c->arg_types[0], t = c->out_types[0];
    eager_strides(a, from);
    eager_strides(t, to);
    const char *src = (const char *)c->args[0] + clamped_start(a, t.dim, c->arg_types + 1, c->args + 1);
    eager_copy_box(dtype_bytes((DType)t.dtype), t.rank, t.dim, c->outs[0], to, src, from);
    return true;
}

bool eager_update_slice(const EagerCall *c)
{
    int64_t from[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    Type a = c->arg_types[0], update = c->arg_types[1];
    eager_copy_bytes(c->outs[0], c->args[0], eager_bytes(a));
    if (eager_count(update) == 0) return true;
    eager_strides(update, from);
    eager_strides(a, to);
    char *dst = (char *)c->outs[0] + clamped_start(a, update.dim, c->arg_types + 2, c->args + 2);
    eager_copy_box(dtype_bytes((DType)update.dtype), update.rank, update.dim, dst, to, c->args[1], from);
    return true;
}

/* ---- windows at positions ---- */

enum { IN_WINDOWS, IN_OPERAND, IN_INDICES }; /* offsets of the odometers, in elements */

/* batch: the positions of the index array; window: one window. The array of all windows is GATHER's result,
 * or SCATTER's update. */
typedef struct IndexWalk {
    IndexDims d;
    Type operand;
    DType index;
    int64_t index_step; /* elements between the numbers of one index vector */
    Odometer batch, window;
    int64_t size[WEFT_MAX_RANK], stride[WEFT_MAX_RANK]; /* of a window, of the operand, along its axes */
} IndexWalk;

static IndexWalk index_walk(const IndexDims *d, Type operand, Type indices, Type windows)
{
    IndexWalk w = { .d = *d, .operand = operand, .index = (DType)indices.dtype };
    int64_t in_windows[WEFT_MAX_RANK], in_indices[WEFT_MAX_RANK];
    uint32_t inside = axes_mask(d->window, d->n_window), dropped = dropped_axes(d);
    eager_element_strides(windows, in_windows);
    eager_element_strides(operand, w.stride);
    eager_element_strides(indices, in_indices);
    /* The axis of the index vectors may be one past the last: then each is a vector of one. */
    if (d->index_vector_dim < indices.rank) w.index_step = in_indices[d->index_vector_dim];
    for (int i = 0; i < operand.rank; i++) w.size[i] = 1;
    for (int i = 0, axis = 0, into = 0; i < windows.rank; i++) {
        Odometer *o = inside >> i & 1 ? &w.window : &w.batch;
        int k = o->rank++;
        o->dim[k] = windows.dim[i];
        o->stride[IN_WINDOWS][k] = in_windows[i];
        if (inside >> i & 1) {
            while (dropped >> into & 1) into++;
            w.size[into] = windows.dim[i];
            o->stride[IN_OPERAND][k] = w.stride[into++];
            continue;
        }
        if (axis == d->index_vector_dim) axis++;
        o->stride[IN_INDICES][k] = in_indices[axis];
        for (int b = 0; b < d->n_batching; b++)
            if (d->indices_batching[b] == axis) o->stride[IN_OPERAND][k] = w.stride[d->operand_batching[b]];
        axis++;
    }
    return w;
}

/* The operand's element where this position's window begins: moved inside if clamp, else -1 where it is not
 * inside. */
static int64_t window_start(const IndexWalk *w, const char *indices, bool clamp)
{
    int64_t at = w->batch.offset[IN_OPERAND], from = w->batch.offset[IN_INDICES];
    for (int i = 0; i < w->d.n_map; i++, from += w->index_step) {
        int64_t axis = w->d.map[i], high = w->operand.dim[axis] - w->size[axis],
                p = load_index(w->index, indices + (size_t)from * dtype_bytes(w->index));
        if (clamp) p = clamped(p, high);
        if (p < 0 || p > high) return -1;
        at += p * w->stride[axis];
    }
    return at;
}

bool eager_gather(const EagerCall *c)
{
    Type operand = c->arg_types[0];
    IndexDims d;
    if (!gather_dims(c->spec->attr, c->spec->n_attr, operand.rank, &d)) return true;
    IndexWalk w = index_walk(&d, operand, c->arg_types[1], c->out_types[0]);
    int64_t bytes = (int64_t)dtype_bytes((DType)operand.dtype), from[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    for (int k = 0; k < w.window.rank; k++) {
        from[k] = w.window.stride[IN_OPERAND][k] * bytes;
        to[k] = w.window.stride[IN_WINDOWS][k] * bytes;
    }
    do {
        const char *src = (const char *)c->args[0] + window_start(&w, c->args[1], true) * bytes;
        char *dst = (char *)c->outs[0] + w.batch.offset[IN_WINDOWS] * bytes;
        eager_copy_box((size_t)bytes, w.window.rank, w.window.dim, dst, to, src, from);
    } while (odometer_next(&w.batch));
    return true;
}

/* ---- scatter ---- */

typedef struct ScatterRun {
    EagerRegion region;
    uint32_t n;
    const void *const *args;
    void *const *outs;
    size_t bytes[INFER_MAX_RESULTS];
    IndexWalk walk;
} ScatterRun;

/* Elements of one window, lanes of them: the operand's at `at`, the update's at `from`. */
static bool combine(ScatterRun *s, int64_t lanes, const int64_t *at, const int64_t *from)
{
    for (uint32_t k = 0; k < s->n; k++) {
        size_t bytes = s->bytes[k];
        for (int64_t l = 0; l < lanes; l++) {
            memcpy((char *)s->region.param[k] + (size_t)l * bytes,
                   (const char *)s->outs[k] + (size_t)at[l] * bytes, bytes);
            memcpy((char *)s->region.param[s->n + k] + (size_t)l * bytes,
                   (const char *)s->args[s->n + 1 + k] + (size_t)from[l] * bytes, bytes);
        }
    }
    if (!region_run(&s->region, lanes)) return false;
    for (uint32_t k = 0; k < s->n; k++)
        for (int64_t l = 0; l < lanes; l++)
            memcpy((char *)s->outs[k] + (size_t)at[l] * s->bytes[k],
                   (const char *)s->region.output[k] + (size_t)l * s->bytes[k], s->bytes[k]);
    return true;
}

static bool scatter_window(ScatterRun *s, int64_t start)
{
    int64_t at[REGION_LANES], from[REGION_LANES], lanes;
    Odometer *w = &s->walk.window;
    bool more = true;
    while (more) {
        for (lanes = 0; more && lanes < s->region.lanes; lanes++, more = odometer_next(w)) {
            at[lanes] = start + w->offset[IN_OPERAND];
            from[lanes] = s->walk.batch.offset[IN_WINDOWS] + w->offset[IN_WINDOWS];
        }
        if (!combine(s, lanes, at, from)) return false;
    }
    return true;
}

bool eager_scatter(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    ScatterRun s = { .n = spec->n_args / 2, .args = c->args, .outs = c->outs };
    for (uint32_t k = 0; k < s.n; k++) {
        s.bytes[k] = dtype_bytes((DType)c->out_types[k].dtype);
        eager_copy_bytes(c->outs[k], c->args[k], eager_bytes(c->out_types[k]));
    }
    Type update = c->arg_types[s.n + 1];
    IndexDims d;
    if (eager_count(update) == 0 || !scatter_dims(spec->attr, spec->n_attr, &d)) return true;
    s.walk = index_walk(&d, c->arg_types[0], c->arg_types[s.n], update);
    if (!region_open(&s.region, spec_region(spec, 0), NULL, true, c->allocator, c->failure)) return false;
    bool ok = true;
    do {
        int64_t start = window_start(&s.walk, c->args[s.n], false);
        ok = start < 0 || scatter_window(&s, start);
    } while (ok && odometer_next(&s.walk.batch));
    region_close(&s.region);
    return ok;
}
