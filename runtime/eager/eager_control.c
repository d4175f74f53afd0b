/* eager_control.c: regions that run some number of times: MAP, WHILE, CASE, SCAN, as ordinary loops.
 *
 * Carries live in the memory of the results: the body reads them there, and what it gives is copied there
 * after each step.
 */
#include "compiler/graph/infer/infer.h"
#include "eager_region.h"

/* ---- map ---- */

static bool map_all(Region *region, uint32_t n_args, const Type *arg_types, const void *const *args,
                    uint32_t n_results, const Type *out_types, void *const *outs, Failure *f)
{
    size_t n = eager_count(out_types[0]), lanes = (size_t)region->lanes;
    for (size_t i = 0; i < n; i += lanes) {
        size_t m = n - i < lanes ? n - i : lanes;
        for (uint32_t k = 0; k < n_args; k++) {
            size_t bytes = dtype_bytes((DType)arg_types[k].dtype);
            memcpy(region->param[k], (const char *)args[k] + i * bytes, m * bytes);
        }
        if (!region_run(region, (int64_t)m, f)) return false;
        for (uint32_t k = 0; k < n_results; k++) {
            size_t bytes = dtype_bytes((DType)out_types[k].dtype);
            memcpy((char *)outs[k] + i * bytes, region->output[k], m * bytes);
        }
    }
    return true;
}

bool eager_map(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
               void *const *outs, const Allocator *allocator, Failure *f)
{
    Region region;
    const Graph *g = spec_region(spec, 0);
    if (!region_open(&region, g, NULL, true, allocator, f)) return false;
    bool ok = map_all(&region, spec->n_args, arg_types, args, g->n_outputs, out_types, outs, f);
    region_close(&region);
    return ok;
}

/* ---- loops ---- */

/* What the regions of a loop find where: invariants with the caller, carries in the results, and the bytes of
 * each result. */
typedef struct Places {
    void **param;
    size_t *bytes;
    size_t taken;
    const Allocator *allocator;
} Places;

static bool places_open(Places *p, uint32_t n_args, uint32_t n_invariant, uint32_t n_carry,
                        uint32_t n_results, const void *const *args, const Type *out_types, void *const *outs,
                        const Allocator *allocator, Failure *f)
{
    p->allocator = allocator;
    p->taken = n_args * sizeof(void *) + n_results * sizeof(size_t);
    if (!(p->param = eager_take(allocator, p->taken))) return eager_out_of_memory(f, p->taken);
    memset(p->param, 0, p->taken);
    p->bytes = (size_t *)(p->param + n_args);
    for (uint32_t i = 0; i < n_results; i++) p->bytes[i] = eager_bytes(out_types[i]);
    for (uint32_t i = 0; i < n_invariant; i++) p->param[i] = (void *)args[i];
    for (uint32_t i = 0; i < n_carry; i++) {
        p->param[n_invariant + i] = outs[i];
        eager_copy_bytes(outs[i], args[n_invariant + i], p->bytes[i]);
    }
    return true;
}

static void places_close(Places *p) { eager_drop(p->allocator, p->param, p->taken); }

bool region_while(Region *cond, Region *body, uint32_t n_invariant, uint32_t n_carry, const size_t *bytes,
                  Failure *f)
{
    for (;;) {
        if (!region_run(cond, 1, f)) return false;
        if (!*(const uint8_t *)cond->output[0]) return true;
        if (!region_run(body, 1, f)) return false;
        region_feed(body, n_invariant, n_carry, bytes);
    }
}

bool eager_while(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
                 void *const *outs, const Allocator *allocator, Failure *f)
{
    Places p;
    Region cond, body;
    uint32_t n_invariant = (uint32_t)spec->attr[0], n_carry = spec->n_args - n_invariant;
    (void)arg_types;
    if (!places_open(&p, spec->n_args, n_invariant, n_carry, n_carry, args, out_types, outs, allocator, f))
        return false;
    bool ok = region_open(&cond, spec_region(spec, 0), p.param, false, allocator, f);
    if (ok) {
        ok = region_open(&body, spec_region(spec, 1), p.param, false, allocator, f);
        if (ok) {
            ok = region_while(&cond, &body, n_invariant, n_carry, p.bytes, f);
            region_close(&body);
        }
        region_close(&cond);
    }
    places_close(&p);
    return ok;
}

/* One slice of each input goes in before a step, one of each output is taken after it. */
static bool scan_loop(Region *body, const ScanShape *s, uint32_t n_results, const size_t *bytes,
                      const Type *x_types, const void *const *xs, void *const *outs, Failure *f)
{
    for (int64_t step = 0; step < s->length; step++) {
        size_t at = (size_t)(s->reverse ? s->length - 1 - step : step);
        for (uint32_t k = 0; k < s->n_xs; k++) {
            size_t slice = eager_bytes(x_types[k]) / (size_t)s->length;
            eager_copy_bytes(body->param[s->n_invariant + s->n_carry + k], (const char *)xs[k] + at * slice,
                             slice);
        }
        if (!region_run(body, 1, f)) return false;
        region_feed(body, s->n_invariant, s->n_carry, bytes);
        for (uint32_t k = s->n_carry; k < n_results; k++) {
            size_t slice = bytes[k] / (size_t)s->length;
            eager_copy_bytes((char *)outs[k] + at * slice, body->output[k], slice);
        }
    }
    return true;
}

bool eager_scan(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
                void *const *outs, const Allocator *allocator, Failure *f)
{
    Places p;
    Region body;
    ScanShape s = scan_shape(spec->attr);
    const Graph *g = spec_region(spec, 0);
    uint32_t kept = s.n_invariant + s.n_carry;
    if (!places_open(&p, spec->n_args, s.n_invariant, s.n_carry, g->n_outputs, args, out_types, outs,
                     allocator, f))
        return false;
    bool ok = s.length == 0 || region_open(&body, g, p.param, false, allocator, f);
    if (ok && s.length > 0) {
        ok = scan_loop(&body, &s, g->n_outputs, p.bytes, arg_types + kept, args + kept, outs, f);
        region_close(&body);
    }
    places_close(&p);
    return ok;
}

/* ---- case ---- */

bool eager_case(const NodeSpec *spec, const Type *arg_types, const void *const *args, const Type *out_types,
                void *const *outs, const Allocator *allocator, Failure *f)
{
    uint32_t n = spec_n_regions(spec);
    int32_t index = *(const int32_t *)args[0];
    (void)arg_types;
    (void)out_types;
    return eager_graph(spec_region(spec, index < 0 || (uint32_t)index >= n ? n - 1 : (uint32_t)index),
                       args + 1, outs, allocator, f);
}
