/* eager_sort.c: SORT. A comparator that is an order by keys is left to the library's radix sort; any other is
 * asked pair by pair in a stable merge sort, which ends after as many questions as ever whatever it
 * answers. */
#include "compiler/graph/infer/infer.h"
#include "compiler/graph/comparator.h"
#include "eager_region.h"
#include "runtime/library/library_sort.h"

static bool sort_by_keys(const SortOrder *order, const NodeSpec *spec, const Type *types,
                         const void *const *args, void *const *outs, const Allocator *allocator, Failure *f)
{
    int64_t numbers[SORT_NUMBERS_MAX];
    void *buffers[2 * INFER_MAX_RESULTS + 1];
    uint32_t n = spec->n_args;
    sort_numbers(order, types, n, (int)spec->attr[0], numbers);
    size_t bytes = (size_t)sort_scratch_bytes(numbers);
    for (uint32_t i = 0; i < n; i++) {
        buffers[i] = (void *)args[i];
        buffers[n + i] = outs[i];
    }
    if (!(buffers[2 * n] = eager_take(allocator, bytes))) return eager_out_of_memory(f, bytes);
    library_sort(buffers, numbers);
    eager_drop(allocator, buffers[2 * n], bytes);
    return true;
}

/* Rows along one axis: element i of a row is at base + i * stride. */
typedef struct Rows {
    Region *less;
    const NodeSpec *spec;
    const Type *types;
    const void *const *args;
    size_t base, stride;
} Rows;

static bool is_before(const Rows *r, size_t a, size_t b, bool *before, Failure *f)
{
    for (uint32_t k = 0; k < r->spec->n_args; k++) {
        size_t bytes = dtype_bytes((DType)r->types[k].dtype);
        memcpy(r->less->param[2 * k], (const char *)r->args[k] + (r->base + a * r->stride) * bytes, bytes);
        memcpy(r->less->param[2 * k + 1], (const char *)r->args[k] + (r->base + b * r->stride) * bytes,
               bytes);
    }
    if (!region_run(r->less, 1, f)) return false;
    *before = *(const uint8_t *)r->less->output[0] != 0;
    return true;
}

/* from[low, middle) and from[middle, high), each in order, to to[low, high). */
static bool merge(const Rows *r, const size_t *from, size_t *to, size_t low, size_t middle, size_t high,
                  Failure *f)
{
    size_t a = low, b = middle;
    for (size_t i = low; i < high; i++) {
        bool second = a == middle;
        if (a < middle && b < high && !is_before(r, from[b], from[a], &second, f)) return false;
        to[i] = second ? from[b++] : from[a++];
    }
    return true;
}

/* The positions of one row in order: in from, with to as the other half. */
static bool sort_row(const Rows *r, size_t n, size_t **from, size_t **to, Failure *f)
{
    for (size_t i = 0; i < n; i++) (*from)[i] = i;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
            if (!merge(r, *from, *to, low, middle, high, f)) return false;
        }
        size_t *t = *from;
        *from = *to;
        *to = t;
    }
    return true;
}

static bool sort_rows(Rows r, size_t n, size_t rows, size_t *order, void *const *outs, Failure *f)
{
    for (size_t row = 0; row < rows; row++) {
        size_t *from = order, *to = order + n;
        r.base = row / r.stride * n * r.stride + row % r.stride;
        if (!sort_row(&r, n, &from, &to, f)) return false;
        for (uint32_t k = 0; k < r.spec->n_args; k++) {
            size_t bytes = dtype_bytes((DType)r.types[k].dtype);
            const char *in = (const char *)r.args[k] + r.base * bytes;
            char *out = (char *)outs[k] + r.base * bytes;
            for (size_t i = 0; i < n; i++)
                memcpy(out + i * r.stride * bytes, in + from[i] * r.stride * bytes, bytes);
        }
    }
    return true;
}

static bool sort_by_asking(const NodeSpec *spec, const Type *types, const void *const *args,
                           void *const *outs, const Allocator *allocator, Failure *f)
{
    Region less;
    size_t n = (size_t)types[0].dim[spec->attr[0]], bytes = 2 * n * sizeof(size_t), stride = 1;
    for (int i = (int)spec->attr[0] + 1; i < types[0].rank; i++) stride *= (size_t)types[0].dim[i];
    size_t *order = eager_take(allocator, bytes);
    if (!order) return eager_out_of_memory(f, bytes);
    bool ok = region_open(&less, spec_region(spec, 0), NULL, false, allocator, f);
    if (ok) {
        ok = sort_rows((Rows){ &less, spec, types, args, 0, stride }, n, eager_count(types[0]) / n, order,
                       outs, f);
        region_close(&less);
    }
    eager_drop(allocator, order, bytes);
    return ok;
}

bool eager_sort(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
                void *const *outs, const Allocator *allocator, Failure *f)
{
    SortOrder order;
    (void)out_types;
    if (eager_count(arg_types[0]) == 0) return true;
    if (spec->n_args <= INFER_MAX_RESULTS && sort_recognize(spec_region(spec, 0), &order))
        return sort_by_keys(&order, spec, arg_types, args, outs, allocator, f);
    return sort_by_asking(spec, arg_types, args, outs, allocator, f);
}
