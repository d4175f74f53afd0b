/* mapped.c: weft_vmap as a transform: which axis of which leaf the batch is, whether their sizes agree, and
 * the graph for one example mapped into the running trace.
 *
 * The base is traced apart on leaves without their batch axes, vmap_graph maps that graph, and the mapped one
 * is inlined with the hidden operands unmapped.
 */
#include <stdio.h>
#include "batch.h"
#include "runtime/transforms/rules/custom_vmap.h"
#include "weft/fn.h"

enum { NUMBER_SIZE, NUMBER_MAX_BYTES, NUMBERS }; /* f->numbers */

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    int64_t size = f->numbers[NUMBER_SIZE];
    if (size < 0) return fail(failure, WEFT_ARGUMENT, "the size of the batch is %lld", (long long)size);
    const AxesText *axes = batch_parse(f, a, failure);
    if (!axes) return false;
    return size || axes_any_but(axes->in, VMAP_NONE) ||
           fail(failure, WEFT_ARGUMENT,
                "no argument is mapped: one at least must have an axis, or .size must be given");
}

/* ---- one call ---- */

const AxesText *batch_parse(Function *f, Arena *a, Failure *failure)
{
    static const AxesWord words[] = { { "none", VMAP_NONE }, { NULL, 0 } };
    AxesText *axes = f->data = arena_alloc(a, sizeof *axes);
    return axes_parse(a, f->text, f->sig, words, axes, failure) ? axes : NULL;
}

bool batch_axes(Staging *s)
{
    const AxesText *axes = s->f->data;
    if (!staging_axes(s, axes->in)) return false;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        int64_t said = s->axis[i], *axis = &s->axis[i];
        Type t = s->type[i];
        if (said == AXIS_DEFAULT) *axis = VMAP_NONE;
        if (*axis == VMAP_NONE) continue;
        if (said < 0) *axis += t.rank;
        if (*axis >= 0 && *axis < t.rank) continue;
        return stage_error(
            s->f, s->l, WEFT_SHAPE,
            "it was asked to map argument %s along axis %lld, which implies that its rank should be at "
            "least %lld, but is only %d (its type is %s)",
            STAGE_IN(s->f, s->in, i), (long long)said, (long long)(said < 0 ? -said : said + 1), t.rank,
            STAGE_TYPE(t));
    }
    return true;
}

/* ---- the size that all agree on ---- */

typedef struct BatchSize {
    int64_t size;
    uint32_t count, first;
} BatchSize;
enum { MAX_SIZES = 8 }; /* more different sizes than these are not listed */

static int64_t size_of(const Staging *s, uint32_t leaf) { return s->type[leaf].dim[s->axis[leaf]]; }

/* The sizes in the order in which they occur, each counted; then the most frequent first, equals in that
 * order. */
static int count_sizes(const Staging *s, BatchSize *sizes)
{
    int n = 0;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        if (s->axis[i] == VMAP_NONE) continue;
        int k = 0;
        while (k < n && sizes[k].size != size_of(s, i)) k++;
        if (k == MAX_SIZES) continue;
        if (k == n) sizes[n++] = (BatchSize){ size_of(s, i), 0, i };
        sizes[k].count++;
    }
    for (int i = 1; i < n; i++) {
        BatchSize moved = sizes[i];
        int k = i;
        for (; k > 0 && sizes[k - 1].count < moved.count; k--) sizes[k] = sizes[k - 1];
        sizes[k] = moved;
    }
    return n;
}

static int write_size(const Staging *s, const BatchSize *b, const char *which, char *at, size_t room)
{
    char type[STAGE_TEXT];
    const char *path = STAGE_IN(s->f, s->in, b->first);
    type_text(type, sizeof type, s->type[b->first]);
    long long size = b->size, axis = s->axis[b->first];
    if (b->count == 1)
        return snprintf(at, room, ";\n  * one axis had size %lld: axis %lld of argument %s of type %s", size,
                        axis, path, type);
    return snprintf(at, room,
                    ";\n  * %s axes (%u of them) had size %lld, e.g. axis %lld of argument %s of type %s",
                    which, b->count, size, axis, path, type);
}

static bool fail_sizes(const Staging *s, const BatchSize *sizes, int n, int64_t given)
{
    char text[1600] = "";
    size_t used = 0;
    if (given)
        used += (size_t)snprintf(text, sizeof text, ";\n  * the size argument was %lld", (long long)given);
    for (int i = 0; i < n && used < sizeof text - 1; i++) {
        int wrote = write_size(s, &sizes[i], i ? "some" : "most", text + used, sizeof text - used);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return stage_error(
        s->f, s->l, WEFT_SHAPE, "vmap got inconsistent sizes for array axes to be mapped:%s%s", text + 1,
        s->f->sig->plain_in ? ""
                            : "\n(Is it a list of structs? weft_stack makes one struct of several, "
                              "weft_unstack several of one.)");
}

bool batch_size(Staging *s, int64_t given)
{
    BatchSize sizes[MAX_SIZES];
    int n = count_sizes(s, sizes);
    if (n == 0 && !given)
        return stage_error(
            s->f, s->l, WEFT_ARGUMENT,
            "it must be called with at least one array to map, or be made with .size: the arguments "
            "that have an axis hold none");
    if (n > 1 || (n == 1 && given && given != sizes[0].size)) return fail_sizes(s, sizes, n, given);
    s->length = n ? sizes[0].size : given;
    return true;
}

/* ---- staging ---- */

bool batch_trace(Staging *s)
{
    for (uint32_t i = 0; i < s->in->n_leaves; i++)
        if (s->axis[i] != VMAP_NONE) staging_cut(s, i, s->axis[i]);
    return callee_trace_of(&s->callee, s->f->base, s->l, s->type, s->in);
}

bool batch_result_axes(const Staging *s, int64_t *axes, Failure *failure)
{
    const Signature *sig = s->f->sig;
    const AxesText *text = s->f->data;
    const Flat *results = &s->callee.results;
    Memory *m = &s->l->ctx->memory;
    TreeRange from[sig->in.fields + 1], to[sig->out.fields + 1];
    if (!axes_resolve(text->out, &sig->out, m, results->word, results->n_words, axes, failure)) return false;
    if (!tree_ranges(&sig->in, m, s->in->word, s->in->n_words, from) ||
        !tree_ranges(&sig->out, m, results->word, results->n_words, to))
        return fail(failure, WEFT_MEMORY, "out of memory");
    for (size_t o = 0; o < sig->out.fields; o++) {
        int i = sig->in_of_out[o];
        for (uint32_t k = to[o].leaf; k < to[o + 1].leaf; k++)
            if (axes[k] == AXIS_DEFAULT) axes[k] = i < 0 ? 0 : s->axis[from[i].leaf + k - to[o].leaf];
    }
    return true;
}

/* Can each result have the axis that it is to have? The arena's guard is set. */
static bool check_result_axes(const Staging *s, Arena *a, const int64_t *in_axes, const int64_t *axes,
                              Failure *failure)
{
    const Graph *g = callee_graph(&s->callee);
    const bool *mapped = vmap_mapped_outputs(a, g, in_axes);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        Type t = graph_type(g, g->outputs[i]);
        if (axes[i] == VMAP_NONE && !mapped[i]) continue;
        if (axes[i] != VMAP_NONE && axes[i] >= -t.rank - 1 && axes[i] <= t.rank) continue;
        const char *path = STAGE_OUT(s->f, &s->callee.results, i);
        if (axes[i] == VMAP_NONE)
            return fail(failure, WEFT_ARGUMENT,
                        "result %s depends on the batch, but its out axis is none: behind \"->\" of the axes "
                        "it can be given one",
                        path);
        return fail(failure, WEFT_SHAPE,
                    "result %s of type %s cannot have the batch as axis %lld: %d to %d are possible", path,
                    STAGE_TYPE(t), (long long)axes[i], -t.rank - 1, t.rank);
    }
    return true;
}

/* The example's graph, mapped, becomes part of the running trace. */
static bool build(void *call, Ref *results)
{
    const Staging *s = call;
    Trace *t = s->l->trace;
    Failure *failure = &t->graph->failure;
    const Graph *g = callee_graph(&s->callee);
    int64_t *axes = arena_alloc(&t->arena, (g->n_params + 1) * sizeof *axes),
            *out_axes = arena_alloc(&t->arena, (g->n_outputs + 1) * sizeof *out_axes);
    if (!batch_result_axes(s, out_axes, failure)) return false;
    for (uint32_t i = 0; i < g->n_params; i++) axes[i] = i < s->in->n_leaves ? s->axis[i] : VMAP_NONE;
    const Ref *refs = stage_operands(s->l, s->in, &s->callee, 0);
    if (!check_result_axes(s, &t->arena, axes, out_axes, failure)) return false;
    VmapCaller caller = custom_vmap_caller(s->l);
    const Graph *mapped = vmap_graph(&t->arena, g, axes, s->length, out_axes, &caller, failure);
    return mapped && graph_inline(t->graph, mapped, refs, results);
}

/* Within .max_bytes in chunks, if need be. */
static bool stage_mapped(Staging *s, Flat *out)
{
    size_t most = (size_t)s->f->numbers[NUMBER_MAX_BYTES];
    int64_t chunk = 0;
    if (most && !batch_fits(s, most, &chunk)) return false;
    if (chunk) return batch_in_pieces(s, chunk, out);
    s->l->trace->body_runs += s->callee.trace.body_runs + (most != 0);
    return stage_results(s->f, s->l, build, s, &s->callee.results, out);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Staging s;
    bool good = staging_open(&s, f, l, in) && batch_axes(&s) && batch_size(&s, f->numbers[NUMBER_SIZE]) &&
                batch_trace(&s) && stage_mapped(&s, out);
    callee_close(&s.callee);
    return good;
}

static const FnRule vmap_rule = { .name = "vmap", .prepare = prepare, .stage = stage };

weft_fn weft_vmap_(weft_context *ctx, weft_fn address, const char *axes, weft_vmap_options options,
                   const char *at)
{
    int64_t numbers[NUMBERS] = {
        [NUMBER_SIZE] = options.size, [NUMBER_MAX_BYTES] = (int64_t)options.max_bytes
    };
    return fn_derive(ctx, &(Derivation){ .rule = &vmap_rule,
                                         .bases = &address,
                                         .n_bases = 1,
                                         .text = axes,
                                         .numbers = numbers,
                                         .n_numbers = NUMBERS,
                                         .at = at });
}
