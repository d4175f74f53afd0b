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

bool loop_open(EagerLoop *l, const EagerCall *c, uint32_t n_invariant, uint32_t n_carry)
{
    uint32_t n_args = c->spec->n_args, n_regions = spec_n_regions(c->spec),
             n_results = spec_region(c->spec, n_regions - 1)->n_outputs;
    *l = (EagerLoop){ .call = *c, .n_invariant = n_invariant, .n_carry = n_carry };
    l->taken = n_args * sizeof(void *) + n_results * sizeof(size_t);
    if (!(l->param = eager_take(c->allocator, l->taken, c->failure))) return false;
    memset(l->param, 0, l->taken);
    l->bytes = (size_t *)(l->param + n_args);
    for (uint32_t i = 0; i < n_results; i++) l->bytes[i] = eager_bytes(c->out_types[i]);
    for (uint32_t i = 0; i < n_invariant; i++) l->param[i] = (void *)c->args[i];
    for (uint32_t i = 0; i < n_carry; i++) l->param[n_invariant + i] = c->outs[i];
    for (; l->n_open < n_regions; l->n_open++)
        if (!region_open(&l->region[l->n_open], spec_region(c->spec, l->n_open), l->param, false,
                         c->allocator, c->failure)) {
            loop_close(l);
            return false;
        }
    return true;
}

void loop_close(EagerLoop *l)
{
    while (l->n_open) region_close(&l->region[--l->n_open]);
    eager_drop(l->call.allocator, l->param, l->taken);
}

static void start_carries(const EagerLoop *l)
{
    for (uint32_t i = 0; i < l->n_carry; i++)
        eager_copy_bytes(l->call.outs[i], l->call.args[l->n_invariant + i], l->bytes[i]);
}

bool loop_while(EagerLoop *l)
{
    EagerRegion *cond = &l->region[0], *body = &l->region[1];
    start_carries(l);
    for (;;) {
        if (!region_run(cond, 1)) return false;
        if (!*(const uint8_t *)cond->output[0]) return true;
        if (!region_run(body, 1)) return false;
        region_feed(body, l->n_invariant, l->n_carry, l->bytes);
    }
}

bool eager_while(const EagerCall *c)
{
    EagerLoop l;
    uint32_t n_invariant = (uint32_t)c->spec->attr[0];
    if (!loop_open(&l, c, n_invariant, c->spec->n_args - n_invariant)) return false;
    bool ok = loop_while(&l);
    loop_close(&l);
    return ok;
}

/* One slice of each input goes in before a step, one of each output is taken after it. */
static bool scan_steps(EagerLoop *l, const ScanShape *s)
{
    const EagerCall *c = &l->call;
    EagerRegion *body = &l->region[0];
    uint32_t kept = s->n_invariant + s->n_carry;
    start_carries(l);
    for (int64_t step = 0; step < s->length; step++) {
        size_t at = (size_t)(s->reverse ? s->length - 1 - step : step);
        for (uint32_t k = kept; k < kept + s->n_xs; k++) {
            size_t slice = eager_bytes(c->arg_types[k]) / (size_t)s->length;
            eager_copy_bytes(body->param[k], (const char *)c->args[k] + at * slice, slice);
        }
        if (!region_run(body, 1)) return false;
        region_feed(body, s->n_invariant, s->n_carry, l->bytes);
        for (uint32_t k = s->n_carry; k < spec_region(c->spec, 0)->n_outputs; k++) {
            size_t slice = l->bytes[k] / (size_t)s->length;
            eager_copy_bytes((char *)c->outs[k] + at * slice, body->output[k], slice);
        }
    }
    return true;
}

bool eager_scan(const EagerCall *c)
{
    EagerLoop l;
    ScanShape s = scan_shape(c->spec->attr);
    if (!loop_open(&l, c, s.n_invariant, s.n_carry)) return false;
    bool ok = scan_steps(&l, &s);
    loop_close(&l);
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
