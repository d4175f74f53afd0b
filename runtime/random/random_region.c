/* random_region.c: regions for ops that loop or compare, traced from C functions over array handles, so that
 * samplers are written once. */
#include "random.h"
#include "runtime/memory/context.h"

/* Outputs become the graph's. The guard was set by whoever called last; it must be ours. */
static bool set_outputs(Trace *t, weft_array *const *out, int n)
{
    Ref refs[RANDOM_MAX_VALUES];
    if (setjmp(t->guard.env)) {
        error_memory(t->local, thread.op.name, thread.op.at);
        return false;
    }
    for (int i = 0; i < n; i++) refs[i] = trace_ref(t, out[i]);
    graph_set_outputs(t->graph, refs, (uint32_t)n);
    return true;
}

const Graph *random_region(RandomRegion *r, const Type *in, int n_in, int n_out, RandomBody *body,
                           const void *data)
{
    struct Local *l = op_local();
    weft_array *given[RANDOM_MAX_VALUES], *out[RANDOM_MAX_VALUES] = { NULL };
    r->open = l && trace_begin(&r->trace, l, "region");
    if (!r->open) return NULL;
    bool good = true;
    for (int i = 0; good && i < n_in; i++) good = (given[i] = trace_param(&r->trace, in[i], "x")) != NULL;
    if (good) body(given, out, data);
    for (int i = 0; good && i < n_out; i++) good = out[i] != NULL;
    good = good && set_outputs(&r->trace, out, n_out);
    trace_end(&r->trace);
    return good ? r->trace.graph : NULL;
}

void random_region_close(RandomRegion *r)
{
    if (r->open) trace_free(&r->trace);
}

weft_array *random_map(weft_array *const *in, int n, DType t, RandomBody *body, const void *data)
{
    RandomRegion region;
    Type type[RANDOM_MAX_VALUES];
    for (int i = 0; i < n; i++) {
        if (!in[i]) return NULL;
        type[i] = (Type){ .dtype = array_type(in[i]).dtype };
    }
    const Graph *g = random_region(&region, type, n, 1, body, data);
    const NodeSpec given = { .region = g, .dtype = t, .dim = array_type(in[0]).dim, .rank = 1 };
    weft_array *r = g ? op_apply(OP_MAP, in, n, NULL, 0, &given) : NULL;
    random_region_close(&region);
    return r;
}

bool random_while(weft_array **all, int n_all, int n_invariant, RandomBody *cond, RandomBody *body,
                  const void *data)
{
    RandomRegion region[2] = { { .open = false }, { .open = false } };
    Type type[RANDOM_MAX_VALUES];
    for (int i = 0; i < n_all; i++) {
        if (!all[i]) return false;
        type[i] = array_type(all[i]);
    }
    const Graph *g[2] = { random_region(&region[0], type, n_all, 1, cond, data), NULL };
    if (g[0]) g[1] = random_region(&region[1], type, n_all, n_all - n_invariant, body, data);
    bool good = g[1] && op_apply_all(OP_WHILE, all, n_all, (int64_t[]){ n_invariant }, 1,
                                     &(NodeSpec){ .regions = g, .n_regions = 2 }, all + n_invariant,
                                     n_all - n_invariant);
    for (int i = 0; i < 2; i++) random_region_close(&region[i]);
    return good;
}
