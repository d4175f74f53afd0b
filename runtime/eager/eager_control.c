/* eager_control.c: regions that run some number of times: MAP, WHILE, CASE, SCAN, as ordinary loops.
 *
 * Carries live in the memory of the results: the body reads them there, and what it gives is copied there
 * after each step.
 */
#include "compiler/graph/infer/infer.h"
#include "eager_region.h"

/* ---- map ---- */

static bool map_all(EagerRegion *region, const EagerCall *c, uint32_t n_results)
{
    size_t n = eager_count(c->out_types[0]), lanes = (size_t)region->lanes;
    for (size_t i = 0; i < n; i += lanes) {
        size_t m = n - i < lanes ? n - i : lanes;
        for (uint32_t k = 0; k < c->spec->n_args; k++) {
            size_t bytes = dtype_bytes((DType)c->arg_types[k].dtype);
            memcpy(region->param[k], (const char *)c->args[k] + i * bytes, m * bytes);
        }
        if (!region_run(region, (int64_t)m)) return false;
        for (uint32_t k = 0; k < n_results; k++) {
            size_t bytes = dtype_bytes((DType)c->out_types[k].dtype);
            memcpy((char *)c->outs[k] + i * bytes, region->output[k], m * bytes);
        }
    }
    return true;
}

bool eager_map(const EagerCall *c)
{
    EagerRegion region;
    const Graph *g = spec_region(c->spec, 0);
    if (!region_open(&region, g, NULL, true, c->allocator, c->failure)) return false;
    bool ok = map_all(&region, c, g->n_outputs);
    region_close(&region);
    return ok;
}

/* ---- loops ---- */

/* Where the regions of a loop find their parameters (invariants with the caller, carries in the results), and
 * the bytes of each result. */
typedef struct LoopMemory {
    void **param;
    size_t *bytes;
    size_t taken;
} LoopMemory;

static bool loop_open(LoopMemory *m, const EagerCall *c, uint32_t n_invariant, uint32_t n_carry,
                      uint32_t n_results)
{
    uint32_t n_args = c->spec->n_args;
    m->taken = n_args * sizeof(void *) + n_results * sizeof(size_t);
    if (!(m->param = eager_take(c->allocator, m->taken, c->failure))) return false;
    memset(m->param, 0, m->taken);
    m->bytes = (size_t *)(m->param + n_args);
    for (uint32_t i = 0; i < n_results; i++) m->bytes[i] = eager_bytes(c->out_types[i]);
    for (uint32_t i = 0; i < n_invariant; i++) m->param[i] = (void *)c->args[i];
    for (uint32_t i = 0; i < n_carry; i++) {
        m->param[n_invariant + i] = c->outs[i];
        eager_copy_bytes(c->outs[i], c->args[n_invariant + i], m->bytes[i]);
    }
    return true;
}

bool region_while(EagerRegion *cond, EagerRegion *body, uint32_t n_invariant, uint32_t n_carry,
                  const size_t *bytes)
{
    for (;;) {
        if (!region_run(cond, 1)) return false;
        if (!*(const uint8_t *)cond->output[0]) return true;
        if (!region_run(body, 1)) return false;
        region_feed(body, n_invariant, n_carry, bytes);
    }
}

bool eager_while(const EagerCall *c)
{
    LoopMemory m;
    EagerRegion cond, body;
    uint32_t n_invariant = (uint32_t)c->spec->attr[0], n_carry = c->spec->n_args - n_invariant;
    if (!loop_open(&m, c, n_invariant, n_carry, n_carry)) return false;
    bool ok = region_open(&cond, spec_region(c->spec, 0), m.param, false, c->allocator, c->failure);
    if (ok) {
        ok = region_open(&body, spec_region(c->spec, 1), m.param, false, c->allocator, c->failure);
        if (ok) {
            ok = region_while(&cond, &body, n_invariant, n_carry, m.bytes);
            region_close(&body);
        }
        region_close(&cond);
    }
    eager_drop(c->allocator, m.param, m.taken);
    return ok;
}

/* One slice of each input goes in before a step, one of each output is taken after it. */
static bool scan_loop(EagerRegion *body, const ScanShape *s, const EagerCall *c, uint32_t n_results,
                      const size_t *bytes)
{
    uint32_t kept = s->n_invariant + s->n_carry;
    for (int64_t step = 0; step < s->length; step++) {
        size_t at = (size_t)(s->reverse ? s->length - 1 - step : step);
        for (uint32_t k = kept; k < kept + s->n_xs; k++) {
            size_t slice = eager_bytes(c->arg_types[k]) / (size_t)s->length;
            eager_copy_bytes(body->param[k], (const char *)c->args[k] + at * slice, slice);
        }
        if (!region_run(body, 1)) return false;
        region_feed(body, s->n_invariant, s->n_carry, bytes);
        for (uint32_t k = s->n_carry; k < n_results; k++) {
            size_t slice = bytes[k] / (size_t)s->length;
            eager_copy_bytes((char *)c->outs[k] + at * slice, body->output[k], slice);
        }
    }
    return true;
}

bool eager_scan(const EagerCall *c)
{
    LoopMemory m;
    EagerRegion body;
    ScanShape s = scan_shape(c->spec->attr);
    const Graph *g = spec_region(c->spec, 0);
    if (!loop_open(&m, c, s.n_invariant, s.n_carry, g->n_outputs)) return false;
    bool ok = s.length == 0 || region_open(&body, g, m.param, false, c->allocator, c->failure);
    if (ok && s.length > 0) {
        ok = scan_loop(&body, &s, c, g->n_outputs, m.bytes);
        region_close(&body);
    }
    eager_drop(c->allocator, m.param, m.taken);
    return ok;
}

/* ---- case ---- */

bool eager_case(const EagerCall *c)
{
    uint32_t n = spec_n_regions(c->spec);
    int32_t index = *(const int32_t *)c->args[0];
    bool known = index >= 0 && (uint32_t)index < n;
    return eager_graph(spec_region(c->spec, known ? (uint32_t)index : n - 1), c->args + 1, c->outs,
                       c->allocator, c->failure);
}
