/* graphs_chunk.c: a random graph as a user's function over a list of arrays, run on a batch in chunks by
 * soft_vmap, map and vmap with a limit of memory, against eager mode on each example. So trees, tracing and
 * batches in pieces are in the random programs too. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/graph_support.h"
#include "tests/support/heap.h"
#include "tests/graphs/graphs.h"
#include "runtime/eager/eager.h"
#include "runtime/trace/trace.h"
#include "weft.h"

typedef struct {
    weft_array **v;
    int n;
} list;
WEFT_STRUCT(list, WEFT_ARRAYS(list, v, n));
WEFT_SIGNATURE(list_fn, void, (const list *in, WEFT_OUT list *out));

static const Graph *program;

/* The program on traced values. */
static void run_program(const list *in, list *out)
{
    Trace *t = trace_of(in->v[0]);
    out->n = (int)program->n_outputs;
    out->v = weft_memory(NULL, program->n_outputs * sizeof *out->v);
    if (!out->v || setjmp(t->guard.env)) return;
    Ref *args = arena_alloc(&t->arena, (program->n_params + 1) * sizeof *args),
        *results = arena_alloc(&t->arena, (program->n_outputs + 1) * sizeof *results);
    for (uint32_t i = 0; i < program->n_params; i++) args[i] = trace_ref(t, in->v[i]);
    if (!graph_inline(t->graph, program, args, results)) return;
    for (uint32_t i = 0; i < program->n_outputs; i++) out->v[i] = trace_handle(t, results[i]);
}

static list_fn *in_chunks(weft_context *ctx, Rng *rng, char *text, size_t size)
{
    int64_t chunk = (int64_t[]){ 1, 2, 3, 4, 16 }[rng_below(rng, 5)];
    switch (rng_below(rng, 3)) {
    case 0:
        snprintf(text, size, "soft_vmap, chunk %d", (int)chunk);
        return weft_soft_vmap(ctx, run_program, "0", .chunk = chunk);
    case 1:
        snprintf(text, size, "map, batch %d", (int)chunk);
        return weft_map(ctx, run_program, "0", .batch = chunk);
    default:
        snprintf(text, size, "vmap, at most %d bytes", (int)(chunk << 12));
        return weft_vmap(ctx, run_program, "0", .max_bytes = (size_t)chunk << 12);
    }
}

/* Values with the batch in front: n examples, one after the other. */
static bool make_batch(weft_context *ctx, const Graph *g, int64_t n, Rng *rng, list *in)
{
    in->n = (int)g->n_params;
    in->v = weft_memory(ctx, g->n_params * sizeof *in->v);
    for (uint32_t i = 0; in->v && i < g->n_params; i++) {
        Type t = graph_type(g, g->params[i]);
        int64_t dim[WEFT_MAX_RANK] = { n };
        if (t.rank) memcpy(dim + 1, t.dim, t.rank * sizeof *dim);
        Type whole = { t.dtype, (uint8_t)(t.rank + 1), dim };
        void *data = weft_memory(ctx, bytes_of(whole) + 1);
        if (!data) return false;
        random_fill(whole, data, rng, false);
        if (!(in->v[i] = weft_from_shape(ctx, (weft_dtype)t.dtype, data, t.rank + 1, dim))) return false;
    }
    return in->v != NULL;
}

static bool example_agrees(const Graph *g, int64_t e, const list *in, const list *out, char *why, size_t size)
{
    Values want = values_of_outputs(g), one = values_of_params(g);
    Failure f = { .code = WEFT_OK };
    for (uint32_t i = 0; i < g->n_params; i++)
        if (bytes_of(one.type[i]))
            memcpy(one.at[i], (const char *)weft_data(in->v[i]) + (size_t)e * bytes_of(one.type[i]),
                   bytes_of(one.type[i]));
    bool ok = eager_graph(g, (const void *const *)one.at, want.at, &heap, &f);
    for (uint32_t k = 0; ok && k < g->n_outputs; k++) {
        int64_t i = first_difference(want.type[k],
                                     (const char *)weft_data(out->v[k]) + (size_t)e * bytes_of(want.type[k]),
                                     want.at[k], 0, 1);
        ok = i < 0;
        if (!ok)
            snprintf(why, size, "example %lld, output %u, element %lld differs", (long long)e, (unsigned)k,
                     (long long)i);
    }
    values_free(&want);
    values_free(&one);
    return ok;
}

static bool batch_agrees(weft_context *ctx, const Graph *g, Rng *rng, char *why, size_t size)
{
    char text[64] = "", difference[128] = "";
    int64_t n = (int64_t[]){ 0, 1, 2, 4, 5, 12 }[rng_below(rng, 6)];
    list in, out = { NULL, 0 };
    if (!make_batch(ctx, g, n, rng, &in)) return snprintf(why, size, "a batch: %s", weft_error(ctx)), false;
    in_chunks(ctx, rng, text, sizeof text)(&in, &out);
    bool ok = out.n == (int)g->n_outputs;
    for (int k = 0; ok && k < out.n; k++) ok = out.v[k] && weft_dim(out.v[k], 0) == n;
    if (!ok && weft_error(ctx) && strstr(weft_error(ctx), "more than .max_bytes")) return true;
    if (!ok)
        snprintf(difference, sizeof difference, "%.100s",
                 weft_error(ctx) ? weft_error(ctx) : "results are missing, or of another size");
    for (int64_t e = 0; ok && e < n; e++) ok = example_agrees(g, e, &in, &out, difference, sizeof difference);
    if (!ok) snprintf(why, size, "%s on a batch of %d: %s", text, (int)n, difference);
    return ok;
}

bool graph_agrees_in_chunks(const Graph *g, uint64_t seed, char *why, size_t size)
{
    Rng rng = { seed };
    if (g->n_params == 0) return true;
    weft_context *ctx = weft_open(NULL);
    program = g;
    weft_describe(ctx, list);
    weft_declare(ctx, run_program, list_fn);
    bool ok = batch_agrees(ctx, g, &rng, why, size);
    weft_close(ctx);
    return ok;
}
