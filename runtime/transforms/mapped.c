/* mapped.c: weft_vmap as a transform: which axis of which leaf the batch is, whether their sizes agree, and
 * the graph for one example mapped into the running trace.
 *
 * The base is traced apart on leaves without their batch axes, vmap_graph maps that graph, and the mapped one
 * is inlined with the hidden operands unmapped.
 */
#include <stdio.h>
#include <string.h>
#include "runtime/trace/op.h"
#include "batch.h"
#include "custom_vmap.h"
#include "weft/fn.h"

enum { NUMBER_SIZE, NUMBER_MAX_BYTES, NUMBERS }; /* f->numbers */

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    static const AxesWord words[] = { { "none", VMAP_NONE }, { NULL, 0 } };
    Mapping *m = f->data = arena_alloc(a, sizeof *m);
    int64_t size = f->numbers[NUMBER_SIZE];
    if (size < 0) return fail(failure, WEFT_ARGUMENT, "the size of the batch is %lld", (long long)size);
    if (!axes_parse(a, f->text, f->sig, words, &m->in, &m->out, failure)) return false;
    return size || axes_any_but(m->in, VMAP_NONE) ||
           fail(failure, WEFT_ARGUMENT,
                "no argument is mapped: one at least must have an axis, or .size must be given");
}

/* ---- one call ---- */

bool batch_open(Batch *b)
{
    uint32_t n = b->in->n_leaves;
    size_t dims = 0;
    for (uint32_t i = 0; i < n; i++) dims += array_type(b->in->leaf[i]).rank;
    b->bytes = (n + 1) * (sizeof *b->axis + sizeof *b->example) + dims * sizeof *b->dims;
    if (!(b->example = memory_alloc(&b->l->ctx->memory, b->bytes))) {
        error_memory(b->l, b->f->label, NULL);
        return false;
    }
    b->axis = (int64_t *)(b->example + n + 1);
    b->dims = b->axis + n + 1;
    return true;
}

void batch_close(Batch *b)
{
    if (b->example) memory_free(&b->l->ctx->memory, b->example, b->bytes);
}

bool batch_fail(const Batch *b, const Failure *f)
{
    if (f->code == WEFT_MEMORY) error_memory(b->l, b->f->label, NULL);
    else error_set(b->l, f->code, b->f->label, NULL, "%s", f->text);
    return false;
}

/* "argument m.l[0].w" */
static const char *argument(const Batch *b, uint32_t leaf, char *buf, size_t size)
{
    return call_in_path(b->f, b->in, leaf, buf, size);
}

bool batch_axes(Batch *b)
{
    Failure failure = { .code = WEFT_OK };
    const Mapping *m = b->mapping;
    if (!axes_resolve(m->in, &b->f->sig->in, &b->l->ctx->memory, b->in->word, b->in->n_words, b->axis,
                      &failure))
        return batch_fail(b, &failure);
    for (uint32_t i = 0; i < b->in->n_leaves; i++) {
        int64_t axis = b->axis[i];
        Type t = array_type(b->in->leaf[i]);
        if (axis == AXIS_DEFAULT) b->axis[i] = VMAP_NONE;
        if (b->axis[i] == VMAP_NONE) continue;
        if (axis < 0) b->axis[i] = axis + t.rank;
        if (b->axis[i] >= 0 && b->axis[i] < t.rank) continue;
        char text[160], path[TREE_PATH];
        int64_t rank = axis < 0 ? -axis : axis + 1;
        error_set(b->l, WEFT_SHAPE, b->f->label, NULL,
                  "it was asked to map argument %s along axis %lld, which implies that its rank should be at "
                  "least %lld, but is only %d (its type is %s)",
                  argument(b, i, path, sizeof path), (long long)axis, (long long)rank, t.rank,
                  type_text(text, sizeof text, t));
        return false;
    }
    return true;
}

/* ---- the size that all agree on ---- */

typedef struct Size {
    int64_t size;
    uint32_t count, first;
} Size;
enum { MAX_SIZES = 8 }; /* told apart; of more than these the first are told */

static int64_t size_of(const Batch *b, uint32_t leaf)
{
    return array_type(b->in->leaf[leaf]).dim[b->axis[leaf]];
}

/* The sizes in the order in which they occur, each counted; then the most frequent first, equals in that
 * order. */
static int count_sizes(const Batch *b, Size *sizes)
{
    int n = 0;
    for (uint32_t i = 0; i < b->in->n_leaves; i++) {
        if (b->axis[i] == VMAP_NONE) continue;
        int k = 0;
        while (k < n && sizes[k].size != size_of(b, i)) k++;
        if (k == MAX_SIZES) continue;
        if (k == n) sizes[n++] = (Size){ size_of(b, i), 0, i };
        sizes[k].count++;
    }
    for (int i = 1; i < n; i++) {
        Size moved = sizes[i];
        int k = i;
        for (; k > 0 && sizes[k - 1].count < moved.count; k--) sizes[k] = sizes[k - 1];
        sizes[k] = moved;
    }
    return n;
}

static int write_size(const Batch *b, const Size *s, const char *which, char *at, size_t room)
{
    char path[TREE_PATH], type[160];
    argument(b, s->first, path, sizeof path);
    type_text(type, sizeof type, array_type(b->in->leaf[s->first]));
    long long size = s->size, axis = b->axis[s->first];
    if (s->count == 1)
        return snprintf(at, room, ";\n  * one axis had size %lld: axis %lld of argument %s of type %s", size,
                        axis, path, type);
    return snprintf(at, room,
                    ";\n  * %s axes (%u of them) had size %lld, e.g. axis %lld of argument %s of type %s",
                    which, s->count, size, axis, path, type);
}

static bool takes_structs(const Function *f) { return !f->sig->plain_in; }

static bool fail_sizes(const Batch *b, const Size *sizes, int n, int64_t given)
{
    char text[1600];
    size_t used = 0;
    text[0] = '\0';
    if (given)
        used += (size_t)snprintf(text, sizeof text, ";\n  * the size argument was %lld", (long long)given);
    for (int i = 0; i < n && used < sizeof text - 1; i++) {
        int wrote = write_size(b, &sizes[i], i ? "some" : "most", text + used, sizeof text - used);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    error_set(b->l, WEFT_SHAPE, b->f->label, NULL,
              "vmap got inconsistent sizes for array axes to be mapped:%s%s", text + 1,
              takes_structs(b->f) ? "\n(Is it a list of structs? weft_stack makes one struct of several, "
                                    "weft_unstack several of one.)"
                                  : "");
    return false;
}

bool batch_size(Batch *b)
{
    Size sizes[MAX_SIZES];
    int n = count_sizes(b, sizes);
    int64_t given = b->given;
    if (n == 0 && !given) {
        error_set(b->l, WEFT_ARGUMENT, b->f->label, NULL,
                  "it must be called with at least one array to map, or be made with .size: the arguments "
                  "that have an axis hold none");
        return false;
    }
    if (n > 1 || (n == 1 && given && given != sizes[0].size)) return fail_sizes(b, sizes, n, given);
    b->size = n ? sizes[0].size : given;
    return true;
}

/* ---- staging ---- */

void batch_examples(Batch *b)
{
    int64_t *dim = b->dims;
    for (uint32_t i = 0; i < b->in->n_leaves; i++) {
        Type t = array_type(b->in->leaf[i]);
        int rank = 0;
        for (int d = 0; d < t.rank; d++)
            if (b->axis[i] == VMAP_NONE || d != b->axis[i]) dim[rank++] = t.dim[d];
        b->example[i] = (Type){ t.dtype, (uint8_t)rank, dim };
        dim += rank;
    }
}

/* Of each result: what is said behind "->"; of an in-out its argument's; else 0. */
bool batch_result_axes(const Batch *b, const Flat *results, int64_t *axes, Failure *failure)
{
    const Signature *s = b->f->sig;
    Memory *memory = &b->l->ctx->memory;
    TreeRange from[s->in.fields + 1], to[s->out.fields + 1];
    if (!axes_resolve(b->mapping->out, &s->out, memory, results->word, results->n_words, axes, failure))
        return false;
    if (!tree_ranges(&s->in, memory, b->in->word, b->in->n_words, from) ||
        !tree_ranges(&s->out, memory, results->word, results->n_words, to))
        return fail(failure, WEFT_MEMORY, "out of memory");
    for (size_t o = 0; o < s->out.fields; o++) {
        int i = s->in_of_out[o];
        for (uint32_t k = to[o].leaf; k < to[o + 1].leaf; k++)
            if (axes[k] == AXIS_DEFAULT) axes[k] = i < 0 ? 0 : b->axis[from[i].leaf + k - to[o].leaf];
    }
    return true;
}

/* Can each result have the axis that it is to have? The arena's guard is set. */
static bool check_result_axes(const Batch *b, Arena *a, const Graph *g, const int64_t *in_axes,
                              const Flat *results, const int64_t *axes, Failure *failure)
{
    const bool *mapped = vmap_mapped_outputs(a, g, in_axes);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        char path[TREE_PATH], text[160];
        Type t = graph_type(g, g->outputs[i]);
        if (axes[i] == VMAP_NONE && !mapped[i]) continue;
        if (axes[i] != VMAP_NONE && axes[i] >= -t.rank - 1 && axes[i] <= t.rank) continue;
        call_out_path(b->f, results, i, path, sizeof path);
        if (axes[i] == VMAP_NONE)
            return fail(failure, WEFT_ARGUMENT,
                        "result %s depends on the batch, but its out axis is none: behind \"->\" of the axes "
                        "it can be given one",
                        path);
        return fail(failure, WEFT_SHAPE,
                    "result %s of type %s cannot have the batch as axis %lld: %d to %d are possible", path,
                    type_text(text, sizeof text, t), (long long)axes[i], -t.rank - 1, t.rank);
    }
    return true;
}

/* The example's graph, mapped, becomes part of the running trace. */
static bool inline_mapped(const Batch *b, Trace *in, const Flat *results, Flat *out)
{
    Trace *t = b->l->trace;
    Graph *g = in->graph;
    uint32_t n_in = b->in->n_leaves;
    Failure failure = { .code = WEFT_OK };
    if (setjmp(t->guard.env)) {
        error_memory(b->l, b->f->label, NULL);
        return false;
    }
    int64_t *axes = arena_alloc(&t->arena, (g->n_params + 1) * sizeof *axes),
            *out_axes = arena_alloc(&t->arena, (g->n_outputs + 1) * sizeof *out_axes);
    Ref *refs = arena_alloc(&t->arena, (g->n_params + 1) * sizeof *refs),
        *outputs = arena_alloc(&t->arena, (g->n_outputs + 1) * sizeof *outputs);
    if (!batch_result_axes(b, results, out_axes, &failure)) return batch_fail(b, &failure);
    for (uint32_t i = 0; i < g->n_params; i++) {
        axes[i] = i < n_in ? b->axis[i] : VMAP_NONE;
        refs[i] = trace_ref(t, i < n_in ? b->in->leaf[i] : in->hidden[i - n_in]);
    }
    VmapCaller caller = custom_vmap_caller(b->l);
    const Graph *mapped = check_result_axes(b, &t->arena, g, axes, results, out_axes, &failure)
                              ? vmap_graph(&t->arena, g, axes, b->size, out_axes, &caller, &failure)
                              : NULL;
    if (mapped && !graph_inline(t->graph, mapped, refs, outputs)) {
        failure = t->graph->failure;
        t->graph->failure.code = WEFT_OK;
    }
    if (failure.code != WEFT_OK) return batch_fail(b, &failure);
    return call_results(b->f, b->l, outputs, g->n_outputs, out);
}

/* Within .max_bytes in chunks, if need be. */
static bool stage_mapped(const Batch *b, Trace *in, const Flat *results, Flat *out)
{
    size_t most = (size_t)b->f->numbers[NUMBER_MAX_BYTES], bytes = (results->n_leaves + 1) * sizeof(Ref);
    int64_t chunk = 0;
    if (most && !batch_fits(b, in, most, &chunk)) return false;
    if (!chunk) {
        b->l->trace->body_runs += in->body_runs + (most != 0);
        return inline_mapped(b, in, results, out);
    }
    Ref *refs = memory_alloc(&b->l->ctx->memory, bytes);
    bool good = refs ? batch_in_pieces(b, in, results, chunk, refs) &&
                           call_results(b->f, b->l, refs, results->n_leaves, out)
                     : (error_memory(b->l, b->f->label, NULL), false);
    if (refs) memory_free(&b->l->ctx->memory, refs, bytes);
    return good;
}

static bool stage_batch(Batch *b, Flat *out)
{
    if (!batch_axes(b) || !batch_size(b)) return false;
    batch_examples(b);
    Trace in;
    Flat results;
    flat_open(&results, &b->l->ctx->memory);
    bool good = call_trace(b->f->base, b->l, b->example, b->in, &in, &results);
    if (good) {
        good = (flat_words(out, results.word, results.n_words) ||
                (error_memory(b->l, b->f->label, NULL), false)) &&
               stage_mapped(b, &in, &results, out);
        trace_free(&in);
    }
    flat_close(&results);
    return good;
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Batch b = { .f = f, .l = l, .in = in, .mapping = f->data, .given = f->numbers[NUMBER_SIZE] };
    bool good = batch_open(&b) && stage_batch(&b, out);
    batch_close(&b);
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
                                         .who = "weft_vmap",
                                         .at = at });
}
