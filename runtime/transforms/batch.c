/* batch.c: batches in pieces: map (one by one, or so many at once and the rest apart), soft_vmap (chunks, the
 * last one filled up), and vmap within a limit of memory.
 *
 * All three trace the function on one element and then build the same things of its graph: a SCAN over chunks
 * whose body is the graph mapped over one chunk, and for the elements left over a graph mapped over these.
 * Slices are reshapes and transposes, which fusion turns into index arithmetic.
 */
#include "compiler/pipeline.h"
#include "batch.h"
#include <stdio.h>
#include <string.h>
#include "runtime/call/cache.h"
#include "control.h"
#include "custom_vmap.h"
#include "runtime/trace/op.h"
#include "weft/control.h"

/* ---- an element's graph, and what it is applied to; the running trace's guard is set ---- */

static void pieces_open(Pieces *p, const Batch *b, Arena *a, Graph *g, const Graph *element)
{
    *p =
        (Pieces){ .f = b->f, .l = b->l, .arena = a, .g = g, .element = element, .n_leaves = b->in->n_leaves };
    p->args = arena_alloc(a, (element->n_params + 1) * sizeof *p->args);
    p->mapped = arena_alloc(a, element->n_params + 1);
}

/* r with axis 0 as [n, rest]: elements from..from + n. */
static Ref take_rows(Graph *g, Ref r, int64_t from, int64_t n)
{
    if (r == REF_NONE) return r;
    int64_t start[WEFT_MAX_RANK] = { 0 }, limit[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
    Type t = graph_type(g, r);
    for (int d = 0; d < t.rank; d++) limit[d] = t.dim[d], stride[d] = 1;
    start[0] = from;
    limit[0] = from + n;
    return from == 0 && n == t.dim[0] ? r : build_slice(g, r, start, limit, stride);
}

/* The first axes, `drop` of them, replaced by these. */
static Ref with_leading(Graph *g, Ref r, int drop, const int64_t *lead, int n)
{
    if (r == REF_NONE) return r;
    int64_t dim[2 * WEFT_MAX_RANK];
    Type t = graph_type(g, r);
    for (int d = 0; d < n; d++) dim[d] = lead[d];
    for (int d = drop; d < t.rank; d++) dim[n + d - drop] = t.dim[d];
    return build_reshape(g, r, dim, n + t.rank - drop);
}

/* The element's graph on n elements at once, or on one (n < 0). */
static const Graph *mapped_graph(const Pieces *p, int64_t n, Failure *failure)
{
    const Graph *e = p->element;
    if (n < 0) return e;
    int64_t *in = arena_alloc(p->arena, (e->n_params + 1) * sizeof *in),
            *out = arena_alloc(p->arena, (e->n_outputs + 1) * sizeof *out);
    for (uint32_t i = 0; i < e->n_params; i++) in[i] = p->mapped[i] ? 0 : VMAP_NONE;
    VmapCaller caller = custom_vmap_caller(p->l);
    return vmap_graph(p->arena, e, in, n, out, &caller, failure);
}

/* On rows from..from + n of the mapped operands, whose axis 0 they are; n < 0: on the operands as they
 * are. */
static bool apply(const Pieces *p, int64_t from, int64_t n, Ref *results, Failure *failure)
{
    const Graph *m = mapped_graph(p, n, failure);
    if (!m) return false;
    Ref *args = arena_alloc(p->arena, (m->n_params + 1) * sizeof *args);
    for (uint32_t i = 0; i < m->n_params; i++)
        args[i] = p->mapped[i] && n >= 0 ? take_rows(p->g, p->args[i], from, n) : p->args[i];
    return graph_inline(p->g, m, args, results);
}

/* A scan over the first `chunks` chunks of `size` rows each (size < 0: of single elements): results of
 * [chunks * size, rest]. */
static bool apply_in_turn(const Pieces *p, int64_t chunks, int64_t size, Ref *results, Failure *failure)
{
    const Graph *m = mapped_graph(p, size, failure);
    if (!m) return false;
    uint32_t n = m->n_params, next = 0, n_invariant = 0;
    int64_t lead[2] = { chunks, size }, rows = chunks * (size < 0 ? 1 : size);
    Ref *args = arena_alloc(p->arena, (n + 1) * sizeof *args),
        *params = arena_alloc(p->arena, (n + 1) * sizeof *params),
        *outputs = arena_alloc(p->arena, (m->n_outputs + 1) * sizeof *outputs);
    Graph *body = graph_new(p->arena, p->f->name);
    for (int mapped = 0; mapped < 2; mapped++)
        for (uint32_t i = 0; i < n; i++) {
            if (p->mapped[i] != mapped) continue;
            Ref r = p->args[i];
            if (mapped) r = take_rows(p->g, r, 0, rows);
            if (mapped && size >= 0) r = with_leading(p->g, r, 1, lead, 2);
            n_invariant += !mapped;
            params[i] = build_param(body, graph_type(m, m->params[i]));
            args[next++] = r;
        }
    if (!graph_inline(body, m, params, outputs))
        return fail(failure, body->failure.code, "%s", body->failure.text);
    graph_set_outputs(body, outputs, m->n_outputs);
    ScanShape shape = { .length = chunks, .unroll = 1, .n_invariant = n_invariant, .n_xs = n - n_invariant };
    if (m->n_outputs && !build_scan(p->g, shape, body, args, results)) return false;
    for (uint32_t i = 0; i < m->n_outputs && size >= 0; i++)
        results[i] = with_leading(p->g, results[i], 2, &rows, 1);
    return true;
}

/* All rows: in turn by chunks, and what is left over apart. size < 0: one by one. */
static bool apply_with_rest(const Pieces *p, int64_t rows, int64_t size, Ref *results, Failure *failure)
{
    if (size < 0) return apply_in_turn(p, rows, size, results, failure);
    int64_t chunks = size ? rows / size : 0, rest = rows - chunks * size;
    uint32_t n = p->element->n_outputs;
    if (chunks == 0) return apply(p, 0, rows, results, failure);
    if (!(chunks == 1 ? apply(p, 0, size, results, failure)
                      : apply_in_turn(p, chunks, size, results, failure)))
        return false;
    if (rest == 0) return true;
    Ref *last = arena_alloc(p->arena, (n + 1) * sizeof *last);
    if (!apply(p, chunks * size, rest, last, failure)) return false;
    for (uint32_t i = 0; i < n; i++)
        results[i] = build_concatenate(p->g, (Ref[]){ results[i], last[i] }, 2, 0);
    return true;
}

static bool pieces_failed(const Pieces *p, const Failure *failure)
{
    if (failure->code == WEFT_OK) return control_failed(p->f, p->l);
    return failure->code == WEFT_MEMORY ? control_memory(p->f, p->l)
                                        : control_error(p->f, p->l, failure->code, "%s", failure->text);
}

/* How often the body runs, for weft_stats. */
static void count_runs(Local *l, const Trace *in, int64_t runs)
{
    l->trace->body_runs += (uint64_t)runs * (1 + in->body_runs);
}

/* ---- map, and vmap in chunks ---- */

/* Leaves with their batch axis in front, hidden values as they are. */
static void place_batch(Pieces *p, const Batch *b, const Trace *in)
{
    for (uint32_t i = 0; i < p->element->n_params; i++) {
        bool leaf = i < p->n_leaves;
        p->mapped[i] = leaf && b->axis[i] != VMAP_NONE;
        p->args[i] = leaf ? control_leaf(p->l, b->in, i) : control_hidden(p->l, in, i - p->n_leaves);
        if (p->mapped[i]) p->args[i] = build_move_axis(p->g, p->args[i], (int)b->axis[i], 0);
    }
}

static bool move_results(const Pieces *p, const Batch *b, const Flat *results, Ref *out)
{
    Failure failure = { .code = WEFT_OK };
    uint32_t n = p->element->n_outputs;
    int64_t *axis = arena_alloc(p->arena, (n + 1) * sizeof *axis);
    if (!batch_result_axes(b, results, axis, &failure)) return pieces_failed(p, &failure);
    for (uint32_t i = 0; i < n; i++) {
        int rank = graph_node(p->g, out[i])->rank;
        if (axis[i] < 0 && axis[i] >= -rank) axis[i] += rank;
        if (axis[i] < 0 || axis[i] >= rank) {
            char path[TREE_PATH];
            call_out_path(p->f, results, i, path, sizeof path);
            return axis[i] == VMAP_NONE
                       ? control_error(p->f, p->l, WEFT_ARGUMENT, "result %s is mapped: it needs an axis",
                                       path)
                       : control_error(p->f, p->l, WEFT_SHAPE, "result %s has %d axes and no axis %lld", path,
                                       rank, (long long)axis[i]);
        }
        out[i] = build_move_axis(p->g, out[i], 0, (int)axis[i]);
    }
    return true;
}

bool batch_in_pieces(const Batch *b, const Trace *in, const Flat *results, int64_t chunk, Ref *out)
{
    Failure failure = { .code = WEFT_OK };
    Trace *t = b->l->trace;
    Pieces p;
    if (setjmp(t->guard.env)) return control_memory(b->f, b->l);
    t->graph->loc = graph_loc(t->graph, b->f->at);
    pieces_open(&p, b, &t->arena, t->graph, in->graph);
    place_batch(&p, b, in);
    if (!apply_with_rest(&p, b->size, chunk, out, &failure)) return pieces_failed(&p, &failure);
    count_runs(b->l, in, chunk < 0 ? b->size : chunk ? (b->size + chunk - 1) / chunk : b->size > 0);
    return move_results(&p, b, results, out);
}

/* Traces one element, and gives what `make` builds of it. */
typedef bool Make(const Batch *, const Trace *, const Flat *results, Ref *out);

static bool stage_elements(Batch *b, Make *make, Flat *out)
{
    Memory *m = &b->l->ctx->memory;
    Trace in;
    Flat results;
    flat_open(&results, m);
    bool good = call_trace(b->f->base, b->l, b->example, b->in, &in, &results);
    if (good) {
        size_t bytes = (results.n_leaves + 1) * sizeof(Ref);
        Ref *refs = memory_alloc(m, bytes);
        good = refs ? make(b, &in, &results, refs) && call_results(b->f, b->l, refs, results.n_leaves, out)
                    : control_memory(b->f, b->l);
        if (refs) memory_free(m, refs, bytes);
        good = good && (flat_words(out, results.word, results.n_words) || control_memory(b->f, b->l));
        trace_free(&in);
    }
    flat_close(&results);
    return good;
}

enum { MAP_STRAY, MAP_BATCH, MAP_NUMBERS };

static bool make_map(const Batch *b, const Trace *in, const Flat *results, Ref *out)
{
    int64_t at_once = b->f->numbers[MAP_BATCH];
    return batch_in_pieces(b, in, results, at_once ? at_once : -1, out);
}

static bool stage_map(const Function *f, Local *l, const Flat *in, Flat *out)
{
    Batch b = { .f = f, .l = l, .in = in, .mapping = f->data };
    bool good = batch_open(&b) && batch_axes(&b) && batch_size(&b);
    if (good) batch_examples(&b);
    good = good && stage_elements(&b, make_map, out);
    batch_close(&b);
    return good;
}

static bool prepare_axes(Function *f, Arena *a, Failure *failure)
{
    static const AxesWord words[] = { { "none", VMAP_NONE }, { NULL, 0 } };
    Mapping *m = f->data = arena_alloc(a, sizeof *m);
    if (!axes_parse(a, f->text, f->sig, words, &m->in, &m->out, failure)) return false;
    return axes_any_but(m->in, VMAP_NONE) ||
           fail(failure, WEFT_ARGUMENT, "no argument is mapped: one at least must have an axis");
}

static bool prepare_map(Function *f, Arena *a, Failure *failure)
{
    if (!control_refuse_stray(f, f->numbers[MAP_STRAY], failure)) return false;
    if (f->numbers[MAP_BATCH] < 0)
        return fail(failure, WEFT_ARGUMENT, ".batch is %lld", (long long)f->numbers[MAP_BATCH]);
    return prepare_axes(f, a, failure);
}

/* ---- vmap within a limit ---- */

/* A program of this batch alone: the whole of it at once (chunk 0), or in chunks. NULL: it cannot be made. */
static const Graph *batch_alone(Arena *a, const Batch *b, const Graph *element, int64_t chunk)
{
    Graph *g = graph_new(a, b->f->name);
    Failure failure = { .code = WEFT_OK };
    Pieces p;
    Ref *results = arena_alloc(a, (element->n_outputs + 1) * sizeof *results);
    pieces_open(&p, b, a, g, element);
    for (uint32_t i = 0; i < element->n_params; i++) {
        int64_t dim[2 * WEFT_MAX_RANK] = { b->size };
        Type t = graph_type(element, element->params[i]);
        p.mapped[i] = i < b->in->n_leaves && b->axis[i] != VMAP_NONE;
        if (p.mapped[i]) {
            if (t.rank) memcpy(dim + 1, t.dim, t.rank * sizeof *dim);
            t = (Type){ t.dtype, (uint8_t)(t.rank + 1), dim };
        }
        p.args[i] = build_param(g, t);
    }
    if (!(chunk ? apply_with_rest(&p, b->size, chunk, results, &failure)
                : apply(&p, 0, b->size, results, &failure)))
        return NULL;
    graph_set_outputs(g, results, element->n_outputs);
    return g;
}

/* Bytes of temporaries that it needs. */
static size_t scratch_of(const Batch *b, const Graph *element, int64_t chunk)
{
    static const Target typical = { .vector_bytes = 64,
                                    .vector_registers = 32,
                                    .l1_bytes = 32768,
                                    .l2_bytes = 1 << 20,
                                    .fma = true,
                                    .f16c = true };
    const weft_context *ctx = b->l->ctx;
    Pipeline way = { .target = ctx->target_known ? &ctx->target : &typical, .mode = context_mode(ctx) };
    Arena a;
    Guard guard;
    arena_init(&a, context_allocator(b->l->ctx), &guard);
    volatile size_t bytes = SIZE_MAX;
    if (!setjmp(guard.env)) {
        const Graph *g = batch_alone(&a, b, element, chunk);
        const Program *p = g ? pipeline_run(&way, &a, g, NULL) : NULL;
        if (p) bytes = p->scratch_bytes;
    }
    arena_free(&a);
    return bytes;
}

bool batch_fits(const Batch *b, const Trace *in, size_t most, int64_t *chunk)
{
    const Graph *e = in->graph;
    size_t whole = scratch_of(b, e, 0), one;
    *chunk = 0;
    if (whole <= most) return true;
    if ((one = scratch_of(b, e, 1)) > most)
        return control_error(b->f, b->l, WEFT_MEMORY,
                             "one element needs %zu bytes of temporaries, more than .max_bytes = %zu", one,
                             most);
    int64_t fits = 1, too_many = b->size;
    while (too_many - fits > 1 + fits / 64) {
        int64_t n = fits + (too_many - fits) / 2;
        if (scratch_of(b, e, n) <= most) fits = n;
        else too_many = n;
    }
    int64_t chunks = (b->size + fits - 1) / fits;
    *chunk = (b->size + chunks - 1) / chunks; /* chunks of one size, so that little is left over */
    if (*chunk != fits && scratch_of(b, e, *chunk) > most) *chunk = fits;
    explain_note(b->l->ctx->cache,
                 "%s: %lld elements in chunks of %lld, for .max_bytes is %zu (at once they would need %zu)",
                 b->f->label, (long long)b->size, (long long)*chunk, most, whole);
    return true;
}

/* ---- soft_vmap ---- */

enum { SOFT_STRAY, SOFT_CHUNK, SOFT_NDIMS, SOFT_NUMBERS };

/* All mapped leaves begin with the same axes. */
static bool soft_shape(Batch *b, int64_t *lead, int n)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < b->in->n_leaves; i++) {
        char path[TREE_PATH], other[TREE_PATH], text[CONTROL_TEXT], shown[CONTROL_TEXT];
        Type t = array_type(b->in->leaf[i]);
        if (b->axis[i] == AXIS_DEFAULT) b->axis[i] = VMAP_NONE;
        if (b->axis[i] == VMAP_NONE) continue;
        if (b->axis[i] != 0)
            return control_error(b->f, b->l, WEFT_ARGUMENT,
                                 "argument %s: the batch is in front, so its axis is 0 or none, not %lld",
                                 call_in_path(b->f, b->in, i, path, sizeof path), (long long)b->axis[i]);
        if (t.rank < n)
            return control_error(
                b->f, b->l, WEFT_SHAPE, "argument %s %s has fewer than the %d axes of the batch",
                call_in_path(b->f, b->in, i, path, sizeof path), type_text(text, sizeof text, t), n);
        if (first == UINT32_MAX) {
            first = i;
            if (n) memcpy(lead, t.dim, (size_t)n * sizeof *lead);
        }
        if (!n || !memcmp(lead, t.dim, (size_t)n * sizeof *lead)) continue;
        return control_error(
            b->f, b->l, WEFT_SHAPE,
            "the batch shapes differ: argument %s %s and argument %s %s must agree in their first %d axes",
            call_in_path(b->f, b->in, first, other, sizeof other),
            type_text(shown, sizeof shown, array_type(b->in->leaf[first])),
            call_in_path(b->f, b->in, i, path, sizeof path), type_text(text, sizeof text, t), n);
    }
    return first != UINT32_MAX ||
           control_error(b->f, b->l, WEFT_ARGUMENT, "the mapped arguments hold no array");
}

static void soft_examples(Batch *b, int n)
{
    for (uint32_t i = 0; i < b->in->n_leaves; i++) {
        Type t = array_type(b->in->leaf[i]);
        int gone = b->axis[i] == VMAP_NONE ? 0 : n;
        b->example[i] = (Type){ t.dtype, (uint8_t)(t.rank - gone), gone ? t.dim + gone : t.dim };
    }
}

/* Rows filled up with zeros to a whole number of chunks. */
static Ref fill_up(Graph *g, Ref r, int64_t more)
{
    if (r == REF_NONE || more == 0) return r;
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { more };
    return build_pad(g, r, build_splat(g, (Type){ graph_type(g, r).dtype, 0, NULL }, 0), none, high, none);
}

/* numpyro's cases: nothing; one element; single elements; one chunk; several. */
static bool apply_soft(const Pieces *p, int64_t rows, int64_t chunk, Ref *out, int64_t *runs,
                       Failure *failure)
{
    int64_t n = chunk && chunk < rows ? chunk : rows, chunks = n ? (rows + n - 1) / n : 0;
    *runs = chunks;
    if (rows == 0) return apply(p, 0, 0, out, failure);
    if (n == 1) return apply_in_turn(p, rows, -1, out, failure);
    for (uint32_t i = 0; i < p->n_leaves; i++)
        if (p->mapped[i]) p->args[i] = fill_up(p->g, p->args[i], chunks * n - rows);
    if (!(chunks == 1 ? apply(p, 0, n, out, failure) : apply_in_turn(p, chunks, n, out, failure)))
        return false;
    for (uint32_t i = 0; i < p->element->n_outputs; i++) out[i] = take_rows(p->g, out[i], 0, rows);
    return true;
}

static bool make_soft(const Batch *b, const Trace *in, const Flat *results, Ref *out)
{
    Failure failure = { .code = WEFT_OK };
    Trace *t = b->l->trace;
    Pieces p;
    (void)results;
    if (setjmp(t->guard.env)) return control_memory(b->f, b->l);
    t->graph->loc = graph_loc(t->graph, b->f->at);
    pieces_open(&p, b, &t->arena, t->graph, in->graph);
    int n = (int)b->f->numbers[SOFT_NDIMS];
    int64_t rows = 1, runs;
    const int64_t *lead = NULL;
    for (uint32_t i = 0; i < p.element->n_params; i++) {
        bool leaf = i < p.n_leaves;
        p.mapped[i] = leaf && b->axis[i] != VMAP_NONE;
        p.args[i] = leaf ? control_leaf(b->l, b->in, i) : control_hidden(b->l, in, i - p.n_leaves);
        if (p.mapped[i]) lead = graph_node(p.g, p.args[i])->dim;
    }
    for (int d = 0; d < n; d++) rows *= lead[d];
    for (uint32_t i = 0; i < p.n_leaves; i++)
        if (p.mapped[i]) p.args[i] = with_leading(p.g, p.args[i], n, &rows, 1);
    if (!apply_soft(&p, rows, b->f->numbers[SOFT_CHUNK], out, &runs, &failure))
        return pieces_failed(&p, &failure);
    count_runs(b->l, in, runs);
    for (uint32_t i = 0; i < p.element->n_outputs; i++)
        if ((out[i] = with_leading(p.g, out[i], 1, lead, n)) == REF_NONE) return control_failed(b->f, b->l);
    return true;
}

static bool stage_soft(const Function *f, Local *l, const Flat *in, Flat *out)
{
    int64_t lead[WEFT_MAX_RANK];
    Failure failure = { .code = WEFT_OK };
    int n = (int)f->numbers[SOFT_NDIMS];
    Batch b = { .f = f, .l = l, .in = in, .mapping = f->data };
    bool good = batch_open(&b);
    if (good &&
        !axes_resolve(b.mapping->in, &f->sig->in, &l->ctx->memory, in->word, in->n_words, b.axis, &failure))
        good = batch_fail(&b, &failure);
    good = good && soft_shape(&b, lead, n);
    if (good) soft_examples(&b, n);
    good = good && stage_elements(&b, make_soft, out);
    batch_close(&b);
    return good;
}

static bool prepare_soft(Function *f, Arena *a, Failure *failure)
{
    if (!control_refuse_stray(f, f->numbers[SOFT_STRAY], failure)) return false;
    if (f->numbers[SOFT_CHUNK] < 0)
        return fail(failure, WEFT_ARGUMENT, ".chunk is %lld: elements at once, 0: all",
                    (long long)f->numbers[SOFT_CHUNK]);
    if (f->numbers[SOFT_NDIMS] < 0 || f->numbers[SOFT_NDIMS] > WEFT_MAX_RANK)
        return fail(failure, WEFT_ARGUMENT, ".batch_ndims is %lld: axes, 0 to %d",
                    (long long)f->numbers[SOFT_NDIMS], WEFT_MAX_RANK);
    if (strstr(f->text, "->"))
        return fail(failure, WEFT_ARGUMENT,
                    "the batch is in front of the results too: there is nothing to say behind \"->\"");
    return prepare_axes(f, a, failure);
}

static const FnRule map_rule = { "map", prepare_map, stage_map };
static const FnRule soft_vmap_rule = { "soft_vmap", prepare_soft, stage_soft };

weft_fn weft_map_(weft_context *ctx, weft_fn f, const char *axes, weft_control o, const char *at)
{
    o = control_options(o);
    return fn_derive(ctx,
                     &(Derivation){ .rule = &map_rule,
                                    .bases = &f,
                                    .n_bases = 1,
                                    .text = axes,
                                    .numbers = (int64_t[]){ control_strays(o, 1 << CONTROL_BATCH), o.batch },
                                    .n_numbers = MAP_NUMBERS,
                                    .who = "weft_map",
                                    .at = at });
}

weft_fn weft_soft_vmap_(weft_context *ctx, weft_fn f, const char *axes, weft_control o, const char *at)
{
    o = control_options(o);
    int64_t numbers[SOFT_NUMBERS] = { control_strays(o, 1 << CONTROL_CHUNK | 1 << CONTROL_NDIMS), o.chunk,
                                      o.batch_ndims == WEFT_NOT_SAID ? 1 : o.batch_ndims };
    return fn_derive(ctx, &(Derivation){ .rule = &soft_vmap_rule,
                                         .bases = &f,
                                         .n_bases = 1,
                                         .text = axes,
                                         .numbers = numbers,
                                         .n_numbers = SOFT_NUMBERS,
                                         .who = "weft_soft_vmap",
                                         .at = at });
}
