/* eager_scatter.c: positions from data that are written to or cut out: SCATTER, DYNAMIC_SLICE,
 * DYNAMIC_UPDATE_SLICE.
 *
 * A scatter takes the positions of the index array in row-major order, one after the other: a later update
 * sees what an earlier one left. A window that does not lie wholly inside the operand is dropped. Within a
 * window all elements are different ones, so a region that can runs on many of them at once.
 */
#include "compiler/graph/infer/infer.h"
#include "eager_region.h"

/* Bytes from the array's first element to the start position, clamped so that a box of these sizes lies
 * inside. */
static int64_t clamped_start(Type a, const int64_t *size, const Type *start_types, const void *const *starts)
{
    int64_t stride[WEFT_MAX_RANK], at = 0;
    eager_strides(a, stride);
    for (int i = 0; i < a.rank; i++)
        at += stride[i] * eager_load_clamped((DType)start_types[i].dtype, starts[i], a.dim[i] - size[i]);
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

bool eager_dynamic_update_slice(const EagerCall *c)
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

/* ---- scatter ---- */

enum { IN_UPDATE, IN_OPERAND, IN_INDICES }; /* offsets of the odometers, in elements */

/* batch: the positions of the index array; window: one window. window_size: along the operand's axes. */
typedef struct ScatterWalk {
    Odometer batch, window;
    int64_t window_size[WEFT_MAX_RANK];
} ScatterWalk;

static ScatterWalk scatter_walk(const IndexDims *d, Type operand, Type indices, Type update)
{
    ScatterWalk w = { .batch = { .rank = 0 } };
    int64_t su[WEFT_MAX_RANK], so[WEFT_MAX_RANK], si[WEFT_MAX_RANK];
    eager_element_strides(update, su);
    eager_element_strides(operand, so);
    eager_element_strides(indices, si);
    for (int i = 0; i < operand.rank; i++) w.window_size[i] = 1;
    for (int i = 0, axis = 0, into = 0; i < update.rank; i++) {
        bool window = eager_contains(d->window, d->n_window, i);
        Odometer *o = window ? &w.window : &w.batch;
        int k = o->rank++;
        o->dim[k] = update.dim[i];
        o->stride[IN_UPDATE][k] = su[i];
        if (window) {
            while (eager_contains(d->collapsed, d->n_collapsed, into) ||
                   eager_contains(d->operand_batching, d->n_batching, into))
                into++;
            w.window_size[into] = update.dim[i];
            o->stride[IN_OPERAND][k] = so[into++];
            continue;
        }
        if (axis == d->index_vector_dim) axis++;
        o->stride[IN_INDICES][k] = si[axis];
        for (int b = 0; b < d->n_batching; b++)
            if (d->indices_batching[b] == axis) o->stride[IN_OPERAND][k] = so[d->operand_batching[b]];
        axis++;
    }
    return w;
}

typedef struct ScatterRun {
    EagerRegion region;
    uint32_t n;
    const void *const *args;
    void *const *outs;
    size_t bytes[INFER_MAX_RESULTS];
    IndexDims d;
    Type operand, indices;
    ScatterWalk walk;
} ScatterRun;

/* The operand's element where this position's window begins; -1 if the window is not inside. */
static int64_t window_start(const ScatterRun *s)
{
    int64_t stride[WEFT_MAX_RANK], index_stride[WEFT_MAX_RANK], at = s->walk.batch.offset[IN_OPERAND];
    DType t = (DType)s->indices.dtype;
    const char *index =
        (const char *)s->args[s->n] + (size_t)s->walk.batch.offset[IN_INDICES] * dtype_bytes(t);
    eager_element_strides(s->operand, stride);
    eager_element_strides(s->indices, index_stride);
    /* The axis of the index vectors may be one past the last: then each is a vector of one. */
    int64_t next = s->d.index_vector_dim < s->indices.rank ? index_stride[s->d.index_vector_dim] : 0;
    for (int i = 0; i < s->d.n_map; i++) {
        int64_t axis = s->d.map[i], p = eager_load_index(t, index + (size_t)(i * next) * dtype_bytes(t));
        if (p < 0 || p > s->operand.dim[axis] - s->walk.window_size[axis]) return -1;
        at += p * stride[axis];
    }
    return at;
}

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
            from[lanes] = s->walk.batch.offset[IN_UPDATE] + w->offset[IN_UPDATE];
        }
        if (!combine(s, lanes, at, from)) return false;
    }
    return true;
}

bool eager_scatter(const EagerCall *c)
{
    const NodeSpec *spec = c->spec;
    ScatterRun s = { .n = spec->n_args / 2, .args = c->args, .outs = c->outs, .operand = c->arg_types[0] };
    s.indices = c->arg_types[s.n];
    for (uint32_t k = 0; k < s.n; k++) {
        s.bytes[k] = dtype_bytes((DType)c->out_types[k].dtype);
        eager_copy_bytes(c->outs[k], c->args[k], eager_bytes(c->out_types[k]));
    }
    Type update = c->arg_types[s.n + 1];
    if (eager_count(update) == 0 || !scatter_dims(spec->attr, spec->n_attr, &s.d)) return true;
    s.walk = scatter_walk(&s.d, s.operand, s.indices, update);
    if (!region_open(&s.region, spec_region(spec, 0), NULL, true, c->allocator, c->failure)) return false;
    bool ok = true;
    do {
        int64_t start = window_start(&s);
        ok = start < 0 || scatter_window(&s, start);
    } while (ok && odometer_next(&s.walk.batch));
    region_close(&s.region);
    return ok;
}
