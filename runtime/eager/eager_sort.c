/* eager_sort.c: SORT. A comparator that is an order by keys is left to the library's sort; any other is
 * called pair by pair in a stable merge sort, which ends after the usual number of calls whatever they
 * answer. */
#include "compiler/graph/infer/infer.h"
#include "compiler/graph/comparator.h"
#include "eager_region.h"
#include "runtime/library/sorts/library_sort.h"

static bool sort_by_keys(const SortOrder *order, const EagerCall *c)
{
    int64_t numbers[SORT_NUMBERS_MAX];
    void *buffers[2 * INFER_MAX_RESULTS + 1];
    uint32_t n = c->spec->n_args;
    sort_numbers(order, c->arg_types, n, (int)c->spec->attr[0], numbers);
    size_t bytes = (size_t)sort_scratch_bytes(numbers);
    for (uint32_t i = 0; i < n; i++) {
        buffers[i] = (void *)c->args[i];
        buffers[n + i] = c->outs[i];
    }
    if (!(buffers[2 * n] = eager_take(c->allocator, bytes, c->failure))) return false;
    library_sort(buffers, numbers, NULL);
    eager_drop(c->allocator, buffers[2 * n], bytes);
    return true;
}

/* Rows along one axis: element i of a row is at base + i * stride. */
typedef struct Rows {
    EagerRegion less;
    const EagerCall *call;
    size_t base, stride, n;
} Rows;

static bool is_before(Rows *r, size_t a, size_t b, bool *before)
{
    const EagerCall *c = r->call;
    for (uint32_t k = 0; k < c->spec->n_args; k++) {
        size_t bytes = dtype_bytes((DType)c->arg_types[k].dtype);
        const char *row = (const char *)c->args[k] + r->base * bytes;
        memcpy(r->less.param[2 * k], row + a * r->stride * bytes, bytes);
        memcpy(r->less.param[2 * k + 1], row + b * r->stride * bytes, bytes);
    }
    if (!region_run(&r->less, 1)) return false;
    *before = *(const uint8_t *)r->less.output[0] != 0;
    return true;
}

/* from[low, middle) and from[middle, high), each in order, to to[low, high). */
static bool merge(Rows *r, const size_t *from, size_t *to, size_t low, size_t middle, size_t high)
{
    size_t a = low, b = middle;
    for (size_t i = low; i < high; i++) {
        bool second = a == middle;
        if (a < middle && b < high && !is_before(r, from[b], from[a], &second)) return false;
        to[i] = second ? from[b++] : from[a++];
    }
    return true;
}

/* The positions of one row in order: in from, with to as the other half. */
static bool sort_row(Rows *r, size_t **from, size_t **to)
{
    size_t n = r->n;
    for (size_t i = 0; i < n; i++) (*from)[i] = i;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
            if (!merge(r, *from, *to, low, middle, high)) return false;
        }
        size_t *t = *from;
        *from = *to;
        *to = t;
    }
    return true;
}

static bool sort_rows(Rows *r, size_t rows, size_t *order)
{
    const EagerCall *c = r->call;
    for (size_t row = 0; row < rows; row++) {
        size_t *from = order, *to = order + r->n;
        r->base = row / r->stride * r->n * r->stride + row % r->stride;
        if (!sort_row(r, &from, &to)) return false;
        for (uint32_t k = 0; k < c->spec->n_args; k++) {
            size_t bytes = dtype_bytes((DType)c->arg_types[k].dtype), step = r->stride * bytes;
            const char *in = (const char *)c->args[k] + r->base * bytes;
            char *out = (char *)c->outs[k] + r->base * bytes;
            for (size_t i = 0; i < r->n; i++) memcpy(out + i * step, in + from[i] * step, bytes);
        }
    }
    return true;
}

static bool sort_by_asking(const EagerCall *c)
{
    Type t = c->arg_types[0];
    int axis = (int)c->spec->attr[0];
    Rows r = { .call = c, .stride = 1, .n = (size_t)t.dim[axis] };
    for (int i = axis + 1; i < t.rank; i++) r.stride *= (size_t)t.dim[i];
    size_t bytes = 2 * r.n * sizeof(size_t), *order = eager_take(c->allocator, bytes, c->failure);
    if (!order) return false;
    bool ok = region_open(&r.less, spec_region(c->spec, 0), NULL, false, c->allocator, c->failure);
    if (ok) {
        ok = sort_rows(&r, eager_count(t) / r.n, order);
        region_close(&r.less);
    }
    eager_drop(c->allocator, order, bytes);
    return ok;
}

bool eager_sort(const EagerCall *c)
{
    SortOrder order;
    bool by_keys = c->spec->n_args <= INFER_MAX_RESULTS && sort_recognize(spec_region(c->spec, 0), &order);
    return by_keys ? sort_by_keys(&order, c) : sort_by_asking(c);
}
