/* batch.c: batches in pieces: map (one by one, or so many at once and the rest apart), soft_vmap (chunks, the
 * last one filled up), and vmap within a limit of memory.
 *
 * All three trace the function on one element and then build the same things of its graph: a SCAN over chunks
 * whose body is the graph mapped over one chunk, and for the elements left over a graph mapped over these.
 * Slices are reshapes and transposes, which fusion turns into index arithmetic.
 */
#include "batch.h"
#include <string.h>
#include "compiler/graph/rebuild.h"
#include "compiler/pipeline.h"
#include "runtime/transforms/rules/custom_vmap.h"
#include "runtime/transforms/control/options.h"
#include "runtime/call/cache.h"
#include "runtime/trace/op.h"

/* ---- an element's graph, and what it is applied to; the running trace's guard is set ---- */

/* A function's graph for one element, and its operands: mapped ones with the batch in front. */
typedef struct Pieces {
    const Staging *s;
    Arena *arena;
    Graph *g; /* what is built in */
    const Graph *element;
    Ref *args; /* [n_params] */
    bool *mapped;
} Pieces;

/* In the running trace, or in a graph of its own. */
static Pieces pieces_of(const Staging *s, Graph *g)
{
    const Graph *element = callee_graph(&s->callee);
    Pieces p = { .s = s, .arena = g->arena, .g = g, .element = element };
    p.mapped = arena_alloc(p.arena, element->n_params + 1);
    for (uint32_t i = 0; i < s->in->n_leaves; i++) p.mapped[i] = s->axis[i] != VMAP_NONE;
    return p;
}

/* The element's graph on n elements at once, or on one (n < 0). */
static const Graph *mapped_graph(const Pieces *p, int64_t n)
{
    const Graph *e = p->element;
    if (n < 0) return e;
    int64_t *in = arena_alloc(p->arena, (e->n_params + 1) * sizeof *in),
            *out = arena_alloc(p->arena, (e->n_outputs + 1) * sizeof *out);
    for (uint32_t i = 0; i < e->n_params; i++) in[i] = p->mapped[i] ? 0 : VMAP_NONE;
    VmapCaller caller = custom_vmap_caller(p->s->l);
    return vmap_graph(p->arena, e, in, n, out, &caller, &p->g->failure);
}

/* Applies the element's graph to rows from to from + n of the mapped operands; n < 0: to the operands as they
 * are. */
static bool apply(const Pieces *p, int64_t from, int64_t n, Ref *results)
{
    const Graph *m = mapped_graph(p, n);
    if (!m) return false;
    Ref *args = stage_refs(p->arena, m->n_params);
    for (uint32_t i = 0; i < m->n_params; i++)
        args[i] =
            p->mapped[i] && n >= 0 ? build_slice_along(p->g, p->args[i], 0, from, from + n, 1) : p->args[i];
    return graph_inline(p->g, m, args, results);
}

/* A scan over the first `chunks` chunks of `size` rows each (size < 0: of single elements): results of
 * [chunks * size, rest]. */
static bool apply_in_turn(const Pieces *p, int64_t chunks, int64_t size, Ref *results)
{
    const Graph *m = mapped_graph(p, size);
    if (!m) return false;
    int64_t lead[2] = { chunks, size }, rows = chunks * (size < 0 ? 1 : size);
    Ref *params = stage_refs(p->arena, m->n_params);
    RegionBuild body = region_begin(p->g, p->s->f->name, m->n_params, m->n_outputs);
    ScanShape shape = { .length = chunks, .unroll = 1 };
    for (int mapped = 0; mapped < 2; mapped++) {
        for (uint32_t i = 0; i < m->n_params; i++) {
            if (p->mapped[i] != mapped) continue;
            Ref r = p->args[i];
            if (mapped) r = build_slice_along(p->g, r, 0, 0, rows, 1);
            if (mapped && size >= 0) r = build_leading(p->g, r, 1, lead, 2);
            params[i] = region_take(&body, graph_type(m, m->params[i]), r);
        }
        *(mapped ? &shape.n_xs : &shape.n_invariant) = region_count(&body);
    }
    graph_inline(body.g, m, params, body.out);
    body.n_out = m->n_outputs;
    const Graph *region = region_end(&body, p->g);
    if (!region || (m->n_outputs && !build_scan(p->g, shape, region, body.args, results))) return false;
    for (uint32_t i = 0; i < m->n_outputs && size >= 0; i++)
        results[i] = build_leading(p->g, results[i], 2, &rows, 1);
    return true;
}

/* Applies it to all rows, chunk by chunk, and to the rest apart. size < 0: one by one. */
static bool apply_with_rest(const Pieces *p, int64_t rows, int64_t size, Ref *results)
{
    if (size < 0) return apply_in_turn(p, rows, size, results);
    int64_t chunks = size ? rows / size : 0, rest = rows - chunks * size;
    uint32_t n = p->element->n_outputs;
    if (chunks == 0) return apply(p, 0, rows, results);
    if (!(chunks == 1 ? apply(p, 0, size, results) : apply_in_turn(p, chunks, size, results))) return false;
    if (rest == 0) return true;
    Ref *last = stage_refs(p->arena, n);
    if (!apply(p, chunks * size, rest, last)) return false;
    for (uint32_t i = 0; i < n; i++)
        results[i] = build_concatenate(p->g, (Ref[]){ results[i], last[i] }, 2, 0);
    return true;
}

/* How often the body runs, for weft_stats. */
static void count_runs(const Staging *s, int64_t runs)
{
    s->l->trace->body_runs += (uint64_t)runs * (1 + s->callee.trace.body_runs);
}

/* ---- map, and vmap in chunks ---- */

/* Moves the batch of each result to the axis that the options say. */
static bool move_results(const Pieces *p, Ref *out)
{
    const Staging *s = p->s;
    uint32_t n = p->element->n_outputs;
    int64_t *axis = arena_alloc(p->arena, (n + 1) * sizeof *axis);
    if (!batch_result_axes(s, axis, &p->g->failure)) return false;
    for (uint32_t i = 0; i < n; i++) {
        int rank = graph_node(p->g, out[i])->rank;
        if (axis[i] < 0 && axis[i] >= -rank) axis[i] += rank;
        if (axis[i] < 0 || axis[i] >= rank) {
            const char *path = STAGE_OUT(s->f, &s->callee.results, i);
            if (axis[i] == VMAP_NONE)
                return fail(&p->g->failure, WEFT_ARGUMENT, "result %s is mapped: it needs an axis", path);
            return fail(&p->g->failure, WEFT_SHAPE, "result %s has %d axes and no axis %lld", path, rank,
                        (long long)axis[i]);
        }
        out[i] = build_move_axis(p->g, out[i], 0, (int)axis[i]);
    }
    return true;
}

typedef struct PiecesCall {
    const Staging *s;
    int64_t chunk;
} PiecesCall;

static bool build_pieces(void *call, Ref *results)
{
    const PiecesCall *c = call;
    const Staging *s = c->s;
    int64_t chunk = c->chunk, rows = s->length;
    Pieces p = pieces_of(s, s->l->trace->graph);
    p.args = stage_operands(s->l, s->in, &s->callee, 0);
    for (uint32_t i = 0; i < p.element->n_params; i++)
        if (p.mapped[i]) p.args[i] = build_move_axis(p.g, p.args[i], (int)s->axis[i], 0);
    if (!apply_with_rest(&p, rows, chunk, results)) return false;
    count_runs(s, chunk < 0 ? rows : chunk ? (rows + chunk - 1) / chunk : rows > 0);
    return move_results(&p, results);
}

bool batch_in_pieces(const Staging *s, int64_t chunk, Flat *out)
{
    PiecesCall c = { s, chunk };
    return stage_results(s->f, s->l, build_pieces, &c, &s->callee.results, out);
}

static bool stage_map(const Function *f, Local *l, const Flat *in, Flat *out)
{
    int64_t at_once = f->numbers[OPTION_batch];
    Staging s;
    bool good = staging_open(&s, f, l, in) && batch_axes(&s) && batch_size(&s, 0) && batch_trace(&s) &&
                batch_in_pieces(&s, at_once ? at_once : -1, out);
    callee_close(&s.callee);
    return good;
}

static bool prepare_axes(Function *f, Arena *a, Failure *failure)
{
    const AxesText *axes = batch_parse(f, a, failure);
    if (!axes) return false;
    return axes_any_but(axes->in, VMAP_NONE) ||
           fail(failure, WEFT_ARGUMENT, "no argument is mapped: one at least must have an axis");
}

static bool prepare_map(Function *f, Arena *a, Failure *failure)
{
    return control_refuse_stray(f, failure) && control_at_least(f, OPTION_batch, 0, "", failure) &&
           prepare_axes(f, a, failure);
}

/* ---- vmap within a limit ---- */

/* A program of this batch alone: the whole of it at once (chunk 0), or in chunks. NULL: it cannot be made. */
static const Graph *batch_alone(Arena *a, const Staging *s, int64_t chunk)
{
    Graph *g = graph_new(a, s->f->name);
    Pieces p = pieces_of(s, g);
    const Graph *element = p.element;
    Ref *results = stage_refs(a, element->n_outputs);
    p.args = arena_alloc(a, (element->n_params + 1) * sizeof *p.args);
    for (uint32_t i = 0; i < element->n_params; i++) {
        int64_t dim[2 * WEFT_MAX_RANK] = { s->length };
        Type t = graph_type(element, element->params[i]);
        if (p.mapped[i]) {
            if (t.rank) memcpy(dim + 1, t.dim, t.rank * sizeof *dim);
            t = (Type){ t.dtype, (uint8_t)(t.rank + 1), dim };
        }
        p.args[i] = build_param(g, t);
    }
    if (!(chunk ? apply_with_rest(&p, s->length, chunk, results) : apply(&p, 0, s->length, results)))
        return NULL;
    graph_set_outputs(g, results, element->n_outputs);
    return g;
}

/* Bytes of temporaries that it needs. */
static size_t scratch_of(const Staging *s, int64_t chunk)
{
    static const Target typical = { .vector_bytes = 64,
                                    .vector_registers = 32,
                                    .l1_bytes = 32768,
                                    .l2_bytes = 1 << 20,
                                    .fma = true,
                                    .f16c = true };
    const weft_context *ctx = s->l->ctx;
    Pipeline way = { .target = ctx->target_known ? &ctx->target : &typical, .mode = context_mode(ctx) };
    Arena a;
    Guard guard;
    arena_init(&a, context_allocator(s->l->ctx), &guard);
    volatile size_t bytes = SIZE_MAX;
    if (!setjmp(guard.env)) {
        const Graph *g = batch_alone(&a, s, chunk);
        const Program *p = g ? pipeline_run(&way, &a, g, NULL) : NULL;
        if (p) bytes = p->scratch_bytes;
    }
    arena_free(&a);
    return bytes;
}

static int64_t divisor_below(int64_t rows, int64_t n)
{
    while (rows % n) n--;
    return n;
}

/* The largest chunk found that fits; even: of those that leave no rest. One element fits, all at once do
 * not. */
static int64_t largest_chunk(const Staging *s, size_t most, bool even)
{
    int64_t fits = 1, too_many = s->length;
    while (too_many - fits > 1 + fits / 64) {
        int64_t n = fits + (too_many - fits) / 2, chunk = even ? divisor_below(s->length, n) : n;
        if (chunk <= fits) too_many = n; /* there is none in between */
        else if (scratch_of(s, chunk) <= most) fits = chunk;
        else too_many = chunk;
    }
    return fits;
}

/* With a rest, results are put together behind the chunks, which takes memory for all of them: there is none
 * if chunks are large enough without. */
static int64_t good_chunk(const Staging *s, size_t most)
{
    enum { LARGE_ENOUGH = 64 };
    int64_t even = largest_chunk(s, most, true);
    if (even >= LARGE_ENOUGH) return even;
    int64_t fits = largest_chunk(s, most, false), chunks = (s->length + fits - 1) / fits;
    int64_t chunk = (s->length + chunks - 1) / chunks; /* chunks of one size, so that little is left over */
    if (chunk != fits && scratch_of(s, chunk) > most) chunk = fits;
    return chunk > 2 * even ? chunk : even;
}

bool batch_fits(const Staging *s, size_t most, int64_t *chunk)
{
    size_t whole = scratch_of(s, 0), one;
    *chunk = 0;
    if (whole <= most) return true;
    if ((one = scratch_of(s, 1)) > most)
        return stage_error(s->f, s->l, WEFT_MEMORY,
                           "one element needs %zu bytes of temporaries, more than .max_bytes = %zu", one,
                           most);
    *chunk = good_chunk(s, most);
    explain_note(s->l->ctx->cache,
                 "%s: %lld elements in chunks of %lld, for .max_bytes is %zu (at once they would need %zu)",
                 s->f->label, (long long)s->length, (long long)*chunk, most, whole);
    return true;
}

/* ---- soft_vmap ---- */

/* All mapped leaves begin with the same axes. */
static bool soft_shape(Staging *s, int n)
{
    const int64_t *lead = NULL;
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        Type t = array_type(s->in->leaf[i]);
        if (s->axis[i] == AXIS_DEFAULT) s->axis[i] = VMAP_NONE;
        if (s->axis[i] == VMAP_NONE) continue;
        if (s->axis[i] != 0)
            return stage_error(s->f, s->l, WEFT_ARGUMENT,
                               "argument %s: the batch is in front, so its axis is 0 or none, not %lld",
                               STAGE_IN(s->f, s->in, i), (long long)s->axis[i]);
        if (t.rank < n)
            return stage_error(s->f, s->l, WEFT_SHAPE,
                               "argument %s %s has fewer than the %d axes of the batch",
                               STAGE_IN(s->f, s->in, i), STAGE_TYPE(t), n);
        if (first == UINT32_MAX) {
            first = i;
            lead = t.dim;
        }
        if (!n || !memcmp(lead, t.dim, (size_t)n * sizeof *lead)) continue;
        return stage_error(
            s->f, s->l, WEFT_SHAPE,
            "the batch shapes differ: argument %s %s and argument %s %s must agree in their first %d axes",
            STAGE_IN(s->f, s->in, first), STAGE_TYPE(array_type(s->in->leaf[first])),
            STAGE_IN(s->f, s->in, i), STAGE_TYPE(t), n);
    }
    return first != UINT32_MAX ||
           stage_error(s->f, s->l, WEFT_ARGUMENT, "the mapped arguments hold no array");
}

static void soft_examples(Staging *s, int n)
{
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        Type t = array_type(s->in->leaf[i]);
        int gone = s->axis[i] == VMAP_NONE ? 0 : n;
        s->type[i] = (Type){ t.dtype, (uint8_t)(t.rank - gone), gone ? t.dim + gone : t.dim };
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
static bool apply_soft(const Pieces *p, int64_t rows, int64_t chunk, Ref *out, int64_t *runs)
{
    int64_t n = chunk && chunk < rows ? chunk : rows, chunks = n ? (rows + n - 1) / n : 0;
    *runs = chunks;
    if (rows == 0) return apply(p, 0, 0, out);
    if (n == 1) return apply_in_turn(p, rows, -1, out);
    for (uint32_t i = 0; i < p->element->n_params; i++)
        if (p->mapped[i]) p->args[i] = fill_up(p->g, p->args[i], chunks * n - rows);
    if (!(chunks == 1 ? apply(p, 0, n, out) : apply_in_turn(p, chunks, n, out))) return false;
    for (uint32_t i = 0; i < p->element->n_outputs; i++)
        out[i] = build_slice_along(p->g, out[i], 0, 0, rows, 1);
    return true;
}

static bool build_soft(void *call, Ref *out)
{
    const Staging *s = call;
    Pieces p = pieces_of(s, s->l->trace->graph);
    int n = (int)s->f->numbers[OPTION_batch_ndims];
    int64_t rows = 1, runs;
    const int64_t *lead = NULL;
    p.args = stage_operands(s->l, s->in, &s->callee, 0);
    for (uint32_t i = 0; i < p.element->n_params; i++)
        if (p.mapped[i]) lead = graph_node(p.g, p.args[i])->dim;
    for (int d = 0; d < n; d++) rows *= lead[d];
    for (uint32_t i = 0; i < p.element->n_params; i++)
        if (p.mapped[i]) p.args[i] = build_leading(p.g, p.args[i], n, &rows, 1);
    if (!apply_soft(&p, rows, s->f->numbers[OPTION_chunk], out, &runs)) return false;
    count_runs(s, runs);
    for (uint32_t i = 0; i < p.element->n_outputs; i++)
        if ((out[i] = build_leading(p.g, out[i], 1, lead, n)) == REF_NONE) return false;
    return true;
}

static bool stage_soft(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const AxesText *axes = f->data;
    int n = (int)f->numbers[OPTION_batch_ndims];
    Staging s;
    bool good = staging_open(&s, f, l, in) && staging_axes(&s, axes->in) && soft_shape(&s, n);
    if (good) soft_examples(&s, n);
    good = good && callee_trace_of(&s.callee, f->base, l, s.type, in) &&
           stage_results(f, l, build_soft, &s, &s.callee.results, out);
    callee_close(&s.callee);
    return good;
}

static bool prepare_soft(Function *f, Arena *a, Failure *failure)
{
    int64_t n = f->numbers[OPTION_batch_ndims];
    if (!control_refuse_stray(f, failure) ||
        !control_at_least(f, OPTION_chunk, 0, ": elements at once, 0: all", failure))
        return false;
    if (n < 0 || n > WEFT_MAX_RANK)
        return fail(failure, WEFT_ARGUMENT, ".batch_ndims is %lld: axes, 0 to %d", (long long)n,
                    WEFT_MAX_RANK);
    if (strstr(f->text, "->"))
        return fail(failure, WEFT_ARGUMENT,
                    "the batch is in front of the results too: there is nothing to say behind \"->\"");
    return prepare_axes(f, a, failure);
}

static const FnRule map_rule = { "map", prepare_map, stage_map };
static const FnRule soft_vmap_rule = { "soft_vmap", prepare_soft, stage_soft };

weft_fn weft_map_(weft_context *ctx, weft_fn f, const char *axes, weft_control o, const char *at)
{
    Derivation d = { .rule = &map_rule, .bases = &f, .n_bases = 1, .text = axes, .at = at };
    return control_derive(ctx, &d, o, 1 << OPTION_batch);
}

weft_fn weft_soft_vmap_(weft_context *ctx, weft_fn f, const char *axes, weft_control o, const char *at)
{
    Derivation d = { .rule = &soft_vmap_rule, .bases = &f, .n_bases = 1, .text = axes, .at = at };
    return control_derive(ctx, &d, o, 1 << OPTION_chunk | 1 << OPTION_batch_ndims);
}
